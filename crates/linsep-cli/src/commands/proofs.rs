//! Proofs about many classes: a folder of files, and an index that says what each is about.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linsep::Samples;
use linsep::classes::Answer;
use linsep::classes::folder::{CheckedFolder, INDEX, ProofIndex, QuestionKinds, check_folder};
use linsep::data::samples::Classes;
use linsep::decide::Decision;
use linsep::proof::Proof;
use linsep_report::{counted, grouped};
use serde_json::json;

use super::classes::read_classes;
use super::verify::read_proof;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::{print, write_file};
use crate::progress::Bar;

/// Questions and refusals that are named one by one.
const SHOWN: usize = 10;

/// Proofs that are written as they come.
pub struct Proofs<'a> {
    folder: Option<PathBuf>,
    classes: &'a Classes,
    index: ProofIndex,
}

impl<'a> Proofs<'a> {
    pub fn new(folder: Option<PathBuf>, samples: &Samples, classes: &'a Classes) -> Self {
        Proofs { folder, classes, index: ProofIndex::new(samples, classes) }
    }

    pub fn keep(&mut self, answer: &Answer, decision: Option<&Decision>) -> Result<(), Failure> {
        let proof = decision.and_then(Decision::proof);
        let file = self.index.add(answer, self.classes, proof);
        self.write(file, proof)
    }

    pub fn keep_argmax(&mut self, proof: Option<&Proof>) -> Result<(), Failure> {
        let file = self.index.add_argmax(proof);
        self.write(file, proof)
    }

    fn write(&self, file: Option<String>, proof: Option<&Proof>) -> Result<(), Failure> {
        match (&self.folder, file, proof) {
            (Some(folder), Some(file), Some(proof)) => {
                write_file(&folder.join(file), proof.to_json().as_bytes())
            }
            _ => Ok(()),
        }
    }

    /// Writes the index, the last of all files, and returns the folder.
    pub fn finish(self) -> Result<Option<String>, Failure> {
        let Some(folder) = self.folder else { return Ok(None) };
        write_file(&folder.join(INDEX), self.index.to_json().as_bytes())?;
        Ok(Some(folder.display().to_string()))
    }
}

/// Checks a folder of proofs as a whole.
pub fn verify_folder(args: &VerifyArgs, folder: &Path, quiet: bool) -> Result<ExitCode, Failure> {
    let path = folder.join(INDEX);
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::input(&path, &error))?;
    let index = ProofIndex::from_json(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display()), None))?;
    let (samples, classes) = read_classes(&args.data, &args.input, quiet)?;
    let (bar, all) = (Bar::new("verifying", quiet), index.proofs.len());
    let mut read = 0;
    let checked = check_folder(&index, &samples, &classes, args.kinds(), &mut |file| {
        read += 1;
        bar.say_share(&format!("{read} of {all} proofs"), Some(read as f64 / all as f64));
        // A name with a path in it could be any file.
        let name = Path::new(file);
        if name.components().count() != 1 || name.file_name().is_none() {
            let what = format!(
                "{}: expected the name of a file beside it, found \"{file}\"",
                path.display()
            );
            return Err(Failure::usage(what, None));
        }
        read_proof(&folder.join(name))
    })?;
    bar.clear();
    let said = match args.json {
        true => format!("{}\n", json(&checked)),
        false => summary(&checked, samples.rows(), &classes),
    };
    print(&said)?;
    Ok(ExitCode::from(u8::from(!checked.is_valid())))
}

fn json(checked: &CheckedFolder) -> serde_json::Value {
    let proofs = checked.proofs.iter().map(|(indexed, reason)| {
        let mut value = serde_json::to_value(indexed).expect("plain data");
        value["valid"] = json!(indexed.file.as_ref().map(|_| reason.is_none()));
        value["reason"] = json!(reason);
        value
    });
    let proofs: Vec<serde_json::Value> = proofs.collect();
    json!({
        "valid": checked.is_valid(),
        "answers": checked.answers.names(),
        "undecided": checked.open().count(),
        "faults": checked.faults,
        "proofs": proofs,
    })
}

fn summary(checked: &CheckedFolder, rows: usize, classes: &Classes) -> String {
    let about =
        format!("{} of {}", counted(rows as u64, "row"), counted(classes.count() as u64, "class"));
    let proofs: Vec<_> = checked.proofs.iter().filter(|(p, _)| p.file.is_some()).collect();
    if proofs.is_empty() {
        return "refused: there is no proof in the folder\n".to_string();
    }
    let mut verdicts: Vec<(&str, u64)> = vec![];
    for (indexed, _) in proofs.iter().filter(|(_, reason)| reason.is_none()) {
        match verdicts.iter_mut().find(|(verdict, _)| *verdict == indexed.verdict) {
            Some((_, count)) => *count += 1,
            None => verdicts.push((&indexed.verdict, 1)),
        }
    }
    let verdicts: Vec<String> =
        verdicts.iter().map(|(verdict, count)| format!("{} {verdict}", grouped(*count))).collect();
    let refused: Vec<_> = checked.proofs.iter().filter(|(_, reason)| reason.is_some()).collect();
    let count = counted(proofs.len() as u64, "proof");
    let mut text = match (checked.is_valid(), refused.len()) {
        (true, _) => format!("valid: {count} about {about} (verified in exact arithmetic)\n"),
        (false, 0) => format!("refused: the index of {count} about {about} is not true\n"),
        (false, some) => format!("refused: {} of {count} about {about}\n", grouped(some as u64)),
    };
    if checked.is_valid() {
        text.push_str(&format!("  answers     {}\n", in_words(checked.answers)));
    }
    if !verdicts.is_empty() {
        text.push_str(&format!("  verdicts    {}\n", verdicts.join(", ")));
    }
    let open: Vec<String> = checked.open().map(|question| question.to_string()).collect();
    if !open.is_empty() {
        let more = if open.len() > SHOWN { ", …" } else { "" };
        let some = open[..open.len().min(SHOWN)].join(", ");
        text.push_str(&format!("  undecided   {}: {some}{more}\n", grouped(open.len() as u64)));
    }
    for fault in checked.faults.iter().take(SHOWN) {
        text.push_str(&format!("  {fault}\n"));
    }
    for (indexed, reason) in refused.into_iter().take(SHOWN) {
        let reason = reason.as_deref().unwrap_or_default();
        let file = indexed.file.as_deref().unwrap_or(INDEX);
        text.push_str(&format!("  {file}: {}: {reason}\n", indexed.about));
    }
    text
}

fn in_words(kinds: QuestionKinds) -> String {
    let words = kinds.names().into_iter().map(|name| match name {
        "pairs" => "every pair",
        "one-vs-rest" => "every class against the rest",
        _ => "one classifier for all",
    });
    words.collect::<Vec<_>>().join(", ")
}
