//! `linsep verify`: check a proof in exact arithmetic, or a folder of proofs.

use std::path::Path;
use std::process::ExitCode;

use linsep::ask::{AskError, VerifyAnswer, VerifyQuestion};
use linsep::classes::folder::{INDEX, ProofFileError, ProofFolder, read_proof};
use linsep::proof::Proof;
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
    let proof = read_proof(&args.proof).map_err(|error| unusable(&args.proof, error))?;
    let answer = checked(args, question, &proof, session)?;
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

/// Checks a folder of proofs as a whole.
fn folder(
    args: &VerifyArgs,
    question: &VerifyQuestion,
    session: &Session,
) -> Result<ExitCode, Failure> {
    let folder =
        ProofFolder::open(&args.proof).map_err(|error| unusable(&args.proof.join(INDEX), error))?;
    let (samples, classes) = read_classes(&args.data, &args.input, session.quiet)?;
    let watcher = session.watcher("verifying");
    let answer = question.ask_folder(&samples, &classes, &folder, &unusable, &watcher)?;
    watcher.clear();
    match args.json {
        true => print(&format!("{}\n", answer.to_json()))?,
        false => print(&verification::folder(&answer))?,
    }
    Ok(status(answer.reply()))
}

/// Returns the failure to use a file of a proof.
fn unusable(path: &Path, error: ProofFileError) -> Failure {
    match error {
        ProofFileError::Unreadable(error) => Failure::input(path, &error),
        ProofFileError::NotOne(error) => Failure::proof(path, &error),
        other => Failure::usage(format!("{}: {other}", path.display()), None),
    }
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        Failure::asking(error, None)
    }
}
