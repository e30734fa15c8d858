//! What a proof that holds says, in words.

use linsep::proof::{Verdict, Verified};

/// Returns what was proven, in a sentence.
pub fn meaning(verified: &Verified) -> String {
    let verdict = verified.verdict();
    match verified.model() {
        Some(model) => {
            let what = match verdict {
                Verdict::Separable => "is completely separated, so its estimate does not exist",
                Verdict::QuasiSeparable => {
                    "is quasi-completely separated, so its estimate does not exist"
                }
                Verdict::Inseparable => "overlaps, so its estimate exists",
                Verdict::NotStrictlySeparable => "is not completely separated",
            };
            format!("the data of the {model} {what}")
        }
        None => {
            format!("the data is {}", verdict.to_string().replace("not-strictly-", "not strictly "))
        }
    }
}
