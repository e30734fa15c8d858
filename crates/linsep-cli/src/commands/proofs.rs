//! Proofs about many classes: a folder of files, and an index that says what each is about.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linsep::Samples;
use linsep::classes::{Answer, Question};
use linsep::data::samples::Classes;
use linsep::decide::Decision;
use linsep::models::{Response, SeparationError};
use linsep::proof::{Proof, Refused, Verified, verify, verify_model};
use linsep::report::{counted, grouped};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::classes::read_classes;
use super::verify::read_proof;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::{print, write_file};
use crate::progress::Bar;

/// The file of a folder of proofs that says what each is about.
const INDEX: &str = "index.json";
/// What it calls itself.
const FORMAT: &str = "linsep-proofs";

/// What a folder of proofs is about.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    format: String,
    version: u32,
    rows: usize,
    features: usize,
    classes: Vec<String>,
    proofs: Vec<Indexed>,
}

/// What one proof is about.
#[derive(Clone, Serialize, Deserialize)]
struct Indexed {
    file: String,
    #[serde(flatten)]
    about: About,
    /// What it proves.
    verdict: String,
}

/// Which rows, under which labels.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "kebab-case")]
enum About {
    Pair { negative: String, positive: String },
    OneVsRest { positive: String },
    Argmax,
}

impl About {
    /// Returns it in words.
    fn words(&self) -> String {
        match self {
            About::Pair { negative, positive } => format!("{positive} against {negative}"),
            About::OneVsRest { positive } => format!("{positive} against the rest"),
            About::Argmax => "one classifier for all".to_string(),
        }
    }
}

/// Proofs that are written as they come.
pub struct Proofs<'a> {
    folder: Option<PathBuf>,
    classes: &'a Classes,
    index: Index,
}

impl<'a> Proofs<'a> {
    pub fn new(folder: Option<PathBuf>, samples: &Samples, classes: &'a Classes) -> Self {
        let index = Index {
            format: FORMAT.to_string(),
            version: 1,
            rows: samples.rows(),
            features: samples.columns(),
            classes: classes.names().to_vec(),
            proofs: vec![],
        };
        Proofs { folder, classes, index }
    }

    pub fn keep(&mut self, answer: &Answer, decision: Option<&Decision>) -> Result<(), Failure> {
        let Some(proof) = decision.and_then(Decision::proof) else { return Ok(()) };
        let name = |class: usize| self.classes.names()[class].clone();
        let (about, file) = match answer.question {
            Question::Pair { negative, positive } => {
                let [negative, positive] = [name(negative), name(positive)];
                let file = format!("{}-{}", plain(&negative), plain(&positive));
                (About::Pair { negative, positive }, file)
            }
            Question::OneVsRest { positive } => {
                let positive = name(positive);
                let file = format!("{}-rest", plain(&positive));
                (About::OneVsRest { positive }, file)
            }
        };
        self.put(proof, about, &file)
    }

    pub fn keep_argmax(&mut self, proof: &Proof) -> Result<(), Failure> {
        self.put(proof, About::Argmax, "argmax")
    }

    fn put(&mut self, proof: &Proof, about: About, stem: &str) -> Result<(), Failure> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let taken = |file: &str| self.index.proofs.iter().any(|known| known.file == file);
        let mut file = format!("{stem}.json");
        // Names that differ only in what files cannot be called.
        let mut number = 2;
        while taken(&file) || file == INDEX {
            file = format!("{stem}-{number}.json");
            number += 1;
        }
        write_file(&folder.join(&file), proof.to_json().as_bytes())?;
        self.index.proofs.push(Indexed { file, about, verdict: proof.verdict().to_string() });
        Ok(())
    }

    /// Writes the index, the last of all files, and returns the folder.
    pub fn finish(self) -> Result<Option<String>, Failure> {
        let Some(folder) = self.folder else { return Ok(None) };
        let mut text = serde_json::to_string_pretty(&self.index).expect("an index is plain data");
        text.push('\n');
        write_file(&folder.join(INDEX), text.as_bytes())?;
        Ok(Some(folder.display().to_string()))
    }
}

/// Returns a name that files can have everywhere.
fn plain(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.chars().take(40).map(|c| if kept(c) { c } else { '_' }).collect()
}

/// Checks every proof of a folder.
pub fn verify_folder(args: &VerifyArgs, folder: &Path, quiet: bool) -> Result<ExitCode, Failure> {
    let path = folder.join(INDEX);
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::input(&path, &error))?;
    let index: Index = serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("{}: not an index of proofs: {error}", path.display()), None)
    })?;
    if index.format != FORMAT || index.version != 1 {
        let what =
            format!("{}: expected an index of the format {FORMAT}, version 1", path.display());
        return Err(Failure::usage(what, None));
    }
    let (samples, classes) = read_classes(&args.data, &args.input, quiet)?;
    let bar = Bar::new("verifying", quiet);
    let mut checked = vec![];
    for (k, indexed) in index.proofs.iter().enumerate() {
        bar.say_share(
            &format!("{} of {} proofs", k + 1, index.proofs.len()),
            Some(k as f64 / index.proofs.len() as f64),
        );
        // A name with a path in it could be any file.
        let file = Path::new(&indexed.file);
        if file.components().count() != 1 || file.file_name().is_none() {
            let what = format!(
                "{}: expected the name of a file beside it, found \"{}\"",
                path.display(),
                indexed.file
            );
            return Err(Failure::usage(what, None));
        }
        let proof = read_proof(&folder.join(file))?;
        let found = check(&samples, &classes, &indexed.about, &proof)?;
        let reason = match found {
            Err(reason) => Some(reason),
            Ok(valid) if valid.verdict().to_string() != indexed.verdict => {
                Some(format!("it proves {}, the index says {}", valid.verdict(), indexed.verdict))
            }
            Ok(_) => None,
        };
        checked.push((indexed, reason));
    }
    bar.clear();
    let refused = checked.iter().filter(|(_, reason)| reason.is_some()).count();
    let valid = refused == 0 && !checked.is_empty();
    let said = match args.json {
        true => {
            let proofs = checked.iter().map(|(indexed, reason)| {
                let mut value = serde_json::to_value(indexed).expect("plain data");
                value["valid"] = json!(reason.is_none());
                value["reason"] = json!(reason);
                value
            });
            let proofs: Vec<serde_json::Value> = proofs.collect();
            format!("{}\n", json!({ "valid": valid, "proofs": proofs }))
        }
        false => summary(&checked, samples.rows(), &classes),
    };
    print(&said)?;
    Ok(ExitCode::from(u8::from(!valid)))
}

fn summary(checked: &[(&Indexed, Option<String>)], rows: usize, classes: &Classes) -> String {
    let refused: Vec<_> = checked.iter().filter(|(_, reason)| reason.is_some()).collect();
    let about =
        format!("{} of {}", counted(rows as u64, "row"), counted(classes.count() as u64, "class"));
    if checked.is_empty() {
        return "refused: there is no proof in the folder\n".to_string();
    }
    let mut verdicts: Vec<(String, u64)> = vec![];
    for (indexed, _) in checked.iter().filter(|(_, reason)| reason.is_none()) {
        match verdicts.iter_mut().find(|(verdict, _)| *verdict == indexed.verdict) {
            Some((_, count)) => *count += 1,
            None => verdicts.push((indexed.verdict.clone(), 1)),
        }
    }
    let verdicts: Vec<String> =
        verdicts.iter().map(|(verdict, count)| format!("{} {verdict}", grouped(*count))).collect();
    let proofs = counted(checked.len() as u64, "proof");
    let mut text = match refused.len() {
        0 => format!("valid: {proofs} about {about} (verified in exact arithmetic)\n"),
        some => format!("refused: {} of {proofs} about {about}\n", grouped(some as u64)),
    };
    if !verdicts.is_empty() {
        text.push_str(&format!("  verdicts    {}\n", verdicts.join(", ")));
    }
    for (indexed, reason) in refused.into_iter().take(10) {
        let reason = reason.as_deref().unwrap_or_default();
        text.push_str(&format!("  {}: {}: {reason}\n", indexed.file, indexed.about.words()));
    }
    text
}

/// Returns what the checker says of a proof about some of the classes.
fn check(
    samples: &Samples,
    classes: &Classes,
    about: &About,
    proof: &Proof,
) -> Result<Result<Verified, String>, Failure> {
    let find = |name: &str| classes.find(name).map_err(|error| error.to_string());
    let question = match about {
        About::Pair { negative, positive } => match (find(negative), find(positive)) {
            (Ok(negative), Ok(positive)) => Question::Pair { negative, positive },
            (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
        },
        About::OneVsRest { positive } => match find(positive) {
            Ok(positive) => Question::OneVsRest { positive },
            Err(reason) => return Ok(Err(reason)),
        },
        About::Argmax => {
            let (codes, count) = (classes.codes().to_vec(), classes.count());
            let response = Response::Categories { codes, count };
            let found = verify_model(samples.features(), &response, None, proof);
            return Ok(said(found.map_err(SeparationError::from)?));
        }
    };
    Ok(said(verify(&question.samples(samples, classes)?, proof)))
}

fn said(found: Result<Verified, Refused>) -> Result<Verified, String> {
    found.map_err(|refused| refused.to_string())
}
