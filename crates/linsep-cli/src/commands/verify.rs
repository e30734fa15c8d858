//! `linsep verify`: check a proof in exact arithmetic.

use std::io::Read;
use std::process::ExitCode;

use linsep::proof::proof::MOST_BYTES;
use linsep::proof::{Margin, Proof, verify_data};
use linsep::report::counted;
use serde_json::json;

use super::load;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::output::print;

/// Runs the command.
pub fn run(args: &VerifyArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let mut bytes = vec![];
    // No more than tells that it is too long.
    std::fs::File::open(&args.proof)
        .and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(|error| Failure::input(&args.proof, &error))?;
    // Bytes that are not text make it a damaged file, not one that cannot be read.
    let text = String::from_utf8_lossy(&bytes);
    let proof = Proof::from_json(&text).map_err(|error| Failure::proof(&args.proof, &error))?;
    let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
    let outcome = loaded.show(|data| verify_data(data, &proof, None))?;
    let text = match (&outcome, args.json) {
        (Ok(valid), true) => {
            let verdict = valid.verdict().to_string();
            json!({ "valid": true, "verdict": verdict, "reason": null }).to_string()
        }
        (Err(refused), true) => {
            // A proof that does not hold says nothing about the data.
            json!({ "valid": false, "verdict": null, "reason": refused.to_string() }).to_string()
        }
        (Ok(valid), false) => {
            let rows = counted(valid.rows() as u64, "row");
            let margin = valid.margin().map(|Margin { kind, lower, upper }| {
                format!("\n  margin      at least {lower:e} {kind}; none exceeds {upper:e}")
            });
            format!(
                "valid: the data is {} (verified in exact arithmetic, {rows}){}",
                valid.verdict().to_string().replace("not-strictly-", "not strictly "),
                margin.unwrap_or_default()
            )
        }
        (Err(refused), false) => format!("refused: {refused}"),
    };
    print(&format!("{text}\n"))?;
    Ok(ExitCode::from(u8::from(outcome.is_err())))
}
