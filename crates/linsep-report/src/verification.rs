//! What the checker says of a proof, or of a folder of them, in words.

use super::{counted, grouped, how};
use linsep::ask::{FolderAnswer, VerifyAnswer};
use linsep::classes::folder::{INDEX, QuestionKinds};
use linsep::models::Model;
use linsep::proof::{MarginBounds, Refused, Removals, Verdict, Verified};

/// Questions and refusals that are named one by one.
const SHOWN: usize = 10;

/// Returns what the checker says of a proof, with the first row at number `first`. Where the proof is about another
/// question, `asked_by` says how that is asked.
pub fn text(
    answer: &VerifyAnswer,
    first: usize,
    asked_by: &dyn Fn(Option<&Model>) -> Option<String>,
) -> String {
    match &answer.outcome {
        Ok(valid) => held(valid),
        Err(refused) => {
            let instead = match refused {
                Refused::OtherQuestion { claimed, .. } => asked_by(claimed.as_ref()),
                _ => None,
            };
            let instead = instead.map(|how| format!("\n  asked by    {how}")).unwrap_or_default();
            format!("refused: {}{instead}", reason(refused, first))
        }
    }
}

/// Returns why a proof does not hold, with the first row and feature at number `first`.
pub fn reason(refused: &Refused, first: usize) -> String {
    let counted = match first {
        0 => " (counted from 0)",
        _ => "",
    };
    match refused {
        Refused::WrongSide { row } => {
            format!("row {}{counted} is on the wrong side", row - 1 + first)
        }
        Refused::NotOrthogonal { row } => format!(
            "row {}{counted} is not orthogonal to a vector to which the proof says that all rows are",
            row - 1 + first
        ),
        Refused::DoesNotCancel { feature: Some(feature) } => format!(
            "the rows named do not cancel: column {}{counted} is left over",
            feature - 1 + first
        ),
        // The rows of a damaged file are quoted as they stand in it.
        other => other.to_string(),
    }
}

fn held(valid: &Verified) -> String {
    let rows = match valid.model() {
        Some(_) => counted(valid.rows() as u64, "structure vector"),
        None => counted(valid.rows() as u64, "row"),
    };
    let margin = valid.margin().map(|MarginBounds { kind, lower, upper }| {
        // What no float exceeds is no bound.
        let most = (upper < f64::MAX).then(|| format!("; none exceeds {upper:e}"));
        format!("\n  margin      at least {lower:e} {kind}{}", most.unwrap_or_default())
    });
    let removal = valid.removals().map(|Removals { at_least, at_most }| {
        let most = counted(at_most as u64, "row");
        match at_least == at_most {
            true => format!("\n  removal     {most} must go, and no smaller set exists"),
            false => format!("\n  removal     at least {at_least} and at most {most} must go"),
        }
    });
    format!(
        "valid: {} (verified {}, {rows}){}{}",
        meaning(valid),
        how(valid.by_matrix()),
        margin.unwrap_or_default(),
        removal.unwrap_or_default()
    )
}

/// Returns what the checker says of a folder of proofs.
pub fn folder(answer: &FolderAnswer) -> String {
    let checked = &answer.checked;
    let about = format!(
        "{} of {}",
        counted(answer.data.shape.rows as u64, "row"),
        counted(answer.names.len() as u64, "class")
    );
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
