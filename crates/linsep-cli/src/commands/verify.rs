//! `linsep verify`: check a proof in exact arithmetic.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use linsep::models::{Model, Response, SeparationError};
use linsep::proof::proof::MOST_BYTES;
use linsep::proof::{
    Margin, Proof, Refused, Removals, Verdict, Verified, verify_data, verify_model,
};
use linsep::report::counted;
use serde_json::json;

use super::{load, proofs, separation};
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::observed::observe;
use crate::output::print;

/// Returns what the checker says of the proof for the data, or for what a model makes of it.
fn checked(
    args: &VerifyArgs,
    proof: &Proof,
    quiet: bool,
) -> Result<Result<Verified, Refused>, Failure> {
    let Some(name) = &proof.model else {
        let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
        return Ok(loaded.show(|data| verify_data(data, proof, None))?);
    };
    if args.model.model().name() != name.model.name() {
        let hint = format!("--model {} and the columns that it needs", name.model.name());
        let what = format!("the proof is about a {} model", name.model.name());
        return Err(Failure::usage(what, Some(&hint)));
    }
    if let (true, Model::Binomial { .. }) = (args.model.is_plain(), name.model) {
        let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
        return loaded.show(|data| match name.model {
            // Rows are their own structure vectors.
            Model::Binomial { intercept: true } => Ok(verify_data(data, proof, None)?),
            _ => match data.gather()? {
                Some(samples) => {
                    let response = Response::labels(samples.positive());
                    let found = verify_model(samples.features(), &response, None, proof);
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
    let found = verify_model(&observed.design, &observed.response, kept, proof);
    Ok(found.map_err(SeparationError::from)?)
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
        return proofs::verify_folder(args, &args.proof, quiet);
    }
    let proof = read_proof(&args.proof)?;
    let outcome = checked(args, &proof, quiet)?;
    let meaning = |verdict: Verdict| match &proof.model {
        Some(name) => separation::meaning(&name.model, verdict),
        None => {
            format!("the data is {}", verdict.to_string().replace("not-strictly-", "not strictly "))
        }
    };
    let text = match (&outcome, args.json) {
        (Ok(valid), true) => {
            let verdict = valid.verdict().to_string();
            let mut value = json!({ "valid": true, "verdict": verdict, "reason": null });
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
            let rows = match proof.model {
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
                meaning(valid.verdict()),
                margin.unwrap_or_default(),
                removal.unwrap_or_default()
            )
        }
        (Err(refused), false) => format!("refused: {refused}"),
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::from(u8::from(outcome.is_err())))
}
