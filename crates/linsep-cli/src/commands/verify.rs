//! `linsep verify`: check a proof in exact arithmetic, or a folder of proofs.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use linsep::ask::{AskError, VerifyAnswer, VerifyQuestion};
use linsep::classes::folder::{INDEX, ProofIndex};
use linsep::proof::Proof;
use linsep::proof::proof::MOST_BYTES;
use linsep_report::verification;

use super::{load, read_classes, separation};
use crate::args::{VerifyArgs, source};
use crate::failure::Failure;
use crate::output::print;
use crate::progress::Bar;
use crate::session::{Session, status};
use crate::voice::asked_by;

/// Runs the command.
pub fn run(args: &VerifyArgs, session: &Session) -> Result<ExitCode, Failure> {
    let VerifyArgs { pairs, one_vs_rest, argmax, .. } = *args;
    let question = VerifyQuestion { model: None, pairs, one_vs_rest, argmax };
    if args.proof.is_dir() {
        if args.model.is_given() {
            let what = format!(
                "{}: a folder of proofs is about classes, not about a model",
                args.proof.display()
            );
            let hint = "name one proof file in it, or leave the options of models out";
            return Err(Failure::usage(what, Some(hint)));
        }
        return folder(args, &question, session);
    }
    if pairs || one_vs_rest || argmax {
        let what = format!("{}: one proof, where a folder is asked for", args.proof.display());
        let hint = "linsep decide DATA --pairs --proof DIR writes a folder of proofs";
        return Err(Failure::usage(what, Some(hint)));
    }
    let answer = checked(args, question, &read_proof(&args.proof)?, session)?;
    let text = match args.json {
        true => answer.to_json().to_string(),
        false => verification::text(&answer, 1, &|model| Some(asked_by(model))),
    };
    print(&format!("{text}\n"))?;
    Ok(status(answer.reply()))
}

/// Returns what the checker says of the proof for the data, or for what a model makes of it.
fn checked(
    args: &VerifyArgs,
    question: VerifyQuestion,
    proof: &Proof,
    session: &Session,
) -> Result<VerifyAnswer, Failure> {
    // Where nothing is said of a model, a proof about one is held against the model that `separation` takes then.
    let asked = match args.model.is_given() || proof.model.is_some() {
        true => Some(separation::question(&args.model, &args.input)?),
        false => None,
    };
    let question = VerifyQuestion { model: asked.as_ref().map(|asked| asked.model()), ..question };
    // Before the data is read, which may lack the columns of another question.
    if let Some(refused) = question.refused(proof) {
        return Ok(refused);
    }
    match asked.filter(|asked| !asked.is_plain()) {
        None => {
            let loaded = load(&args.data, &args.input, &args.stream, session.quiet)?;
            Ok(loaded.show(|data| question.ask(data, proof))?)
        }
        Some(asked) => {
            let (bar, options) = (Bar::new("reading", session.quiet), args.input.options());
            let progress = |rows| bar.rows(rows, options.meter.share(rows));
            let table = asked.read(&source(&args.data), &options, &progress)?;
            bar.clear();
            Ok(table.verify(&asked, proof)?)
        }
    }
}

/// Reads a proof file.
fn read_proof(path: &Path) -> Result<Proof, Failure> {
    let mut bytes = vec![];
    // No more than tells that it is too long.
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::input(path, &error))?;
    // Bytes that are not text make it a damaged file, not one that cannot be read.
    Proof::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| Failure::proof(path, &error))
}

/// Checks a folder of proofs as a whole.
fn folder(
    args: &VerifyArgs,
    question: &VerifyQuestion,
    session: &Session,
) -> Result<ExitCode, Failure> {
    let path = args.proof.join(INDEX);
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::input(&path, &error))?;
    let index = ProofIndex::from_json(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display()), None))?;
    let (samples, classes) = read_classes(&args.data, &args.input, session.quiet)?;
    let (bar, all) = (Bar::new("verifying", session.quiet), index.proofs.len());
    let mut read = 0;
    let answer = question.ask_folder(&samples, &classes, &index, &mut |file| {
        read += 1;
        bar.say_share(&format!("{read} of {all} proofs"), Some(read as f64 / all as f64));
        // A name with a path in it could be any file.
        let name = Path::new(file);
        if name.components().count() != 1 || name.file_name().is_none() {
            let found = format!("expected the name of a file beside it, found \"{file}\"");
            return Err(Failure::usage(format!("{}: {found}", path.display()), None));
        }
        read_proof(&args.proof.join(name))
    })?;
    bar.clear();
    match args.json {
        true => print(&format!("{}\n", answer.to_json()))?,
        false => print(&verification::folder(&answer))?,
    }
    Ok(status(answer.reply()))
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        Failure::asking(error, None)
    }
}
