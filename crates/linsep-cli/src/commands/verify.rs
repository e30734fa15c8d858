//! `linsep verify`: check a proof in exact arithmetic.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use linsep::classes::folder::QuestionKinds;
use linsep::models::{Model, Response, SeparationError};
use linsep::proof::proof::MOST_BYTES;
use linsep::proof::{
    Margin, Proof, Refused, Removals, Verified, verify_binomial, verify_data, verify_model,
};
use linsep_report::{counted, verification::meaning};
use serde_json::json;

use super::{load, proofs};
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::observed::{observe, spelled};
use crate::output::print;

/// Returns the model that is asked about; none if it is the rows as they stand. Where nothing is said of a model, a proof
/// about one is held against the model that `separation` takes then.
fn asked(args: &VerifyArgs, proof: &Proof) -> Option<Model> {
    (args.model.is_given() || proof.model.is_some()).then(|| args.model.model())
}

/// Returns what the checker says of the proof for the data, or for what a model makes of it.
fn checked(
    args: &VerifyArgs,
    proof: &Proof,
    quiet: bool,
) -> Result<Result<Verified, Refused>, Failure> {
    let asked = asked(args, proof);
    // Before the data is read, which may lack the columns of another question.
    if let Err(refused) = proof.answers(asked.as_ref()) {
        return Ok(Err(refused));
    }
    let Some(model) = asked else {
        let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
        return loaded.show(|data| {
            let found = verify_data(data, proof, None)?;
            Ok(found.map_err(|refused| refused.in_file(&data.about().rows)))
        });
    };
    args.model.check()?;
    if args.model.is_plain() {
        let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
        return loaded.show(|data| match model {
            Model::Binomial { intercept: true } => {
                let found = verify_binomial(data, proof)?;
                Ok(found.map_err(|refused| refused.in_file(&data.about().rows)))
            }
            _ => match data.gather()? {
                Some(samples) => {
                    let response = Response::labels(samples.positive());
                    let found = verify_model(samples.features(), &model, &response, None, proof);
                    Ok(found.map_err(SeparationError::from)?)
                }
                None => Err(Failure::usage(
                    "the rows do not fit in memory, as this proof needs them to".to_string(),
                    None,
                )),
            },
        });
    }
    let observed = observe(&args.data, &args.input, &args.model, quiet)?;
    let kept = observed.kept.as_deref();
    let found = verify_model(&observed.design, &model, &observed.response, kept, proof);
    found.map_err(|error| observed.failure(error.into()))
}

/// Reads a proof file.
pub fn read_proof(path: &Path) -> Result<Proof, Failure> {
    let mut bytes = vec![];
    // No more than tells that it is too long.
    std::fs::File::open(path)
        .and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::input(path, &error))?;
    // Bytes that are not text make it a damaged file, not one that cannot be read.
    Proof::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| Failure::proof(path, &error))
}

/// Runs the command.
pub fn run(args: &VerifyArgs, quiet: bool) -> Result<ExitCode, Failure> {
    if args.proof.is_dir() {
        if args.model.is_given() {
            let what = format!(
                "{}: a folder of proofs is about classes, not about a model",
                args.proof.display()
            );
            return Err(Failure::usage(
                what,
                Some("name one proof file in it, or leave the options of models out"),
            ));
        }
        return proofs::verify_folder(args, &args.proof, quiet);
    }
    if args.kinds() != QuestionKinds::default() {
        let what = format!("{}: one proof, where a folder is asked for", args.proof.display());
        let hint = "linsep decide DATA --pairs --proof DIR writes a folder of proofs";
        return Err(Failure::usage(what, Some(hint)));
    }
    let proof = read_proof(&args.proof)?;
    let outcome = checked(args, &proof, quiet)?;
    let text = match (&outcome, args.json) {
        (Ok(valid), true) => {
            let verdict = valid.verdict().to_string();
            let mut value = json!({ "valid": true, "verdict": verdict, "reason": null });
            if let Some(model) = valid.model() {
                value["model"] = json!(model);
            }
            if let Some(Removals { at_least, at_most }) = valid.removals() {
                value["removal"] = json!({ "at_least": at_least, "at_most": at_most });
            }
            value.to_string()
        }
        (Err(refused), true) => {
            // A proof that does not hold says nothing about the data.
            json!({ "valid": false, "verdict": null, "reason": refused.to_string() }).to_string()
        }
        (Ok(valid), false) => {
            let rows = match valid.model() {
                Some(_) => counted(valid.rows() as u64, "structure vector"),
                None => counted(valid.rows() as u64, "row"),
            };
            let margin = valid.margin().map(|Margin { kind, lower, upper }| {
                format!("\n  margin      at least {lower:e} {kind}; none exceeds {upper:e}")
            });
            let removal = valid.removals().map(|Removals { at_least, at_most }| {
                let most = counted(at_most as u64, "row");
                match at_least == at_most {
                    true => format!("\n  removal     {most} must go, and no smaller set exists"),
                    false => {
                        format!("\n  removal     at least {at_least} and at most {most} must go")
                    }
                }
            });
            format!(
                "valid: {} (verified in exact arithmetic, {rows}){}{}",
                meaning(valid),
                margin.unwrap_or_default(),
                removal.unwrap_or_default()
            )
        }
        (Err(refused), false) => {
            let instead = match refused {
                Refused::OtherQuestion { claimed, .. } => {
                    format!("\n  asked by    {}", spelled(claimed.as_ref()))
                }
                _ => String::new(),
            };
            format!("refused: {refused}{instead}")
        }
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::from(u8::from(outcome.is_err())))
}
