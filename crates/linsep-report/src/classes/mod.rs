//! What was found about many classes: here what all renderings share, in `text` one of them.

mod text;

pub use text::text;

use super::summary::Tone;
use super::{counted, grouped};
use linsep::ask::{ClassVerdict, ClassesAnswer, Reply};
use linsep::classes::{Argmax, Linear};
use linsep::decide::{Limit, Removal, Verdict};

/// A way to ask about classes, and its answers.
struct ClassesKind<'a> {
    noun: &'static str,
    verdicts: Vec<&'a ClassVerdict>,
}

fn kinds(answer: &ClassesAnswer) -> Vec<ClassesKind<'_>> {
    let pairs = ClassesKind { noun: "pair", verdicts: answer.pairs() };
    let rest = ClassesKind { noun: "class", verdicts: answer.one_vs_rest() };
    [pairs, rest].into_iter().filter(|kind| !kind.verdicts.is_empty()).collect()
}

/// Returns the verdict in words, and their tone.
pub(super) fn headline(answer: &ClassesAnswer) -> (Tone, &'static str, String) {
    let (tone, word) = match answer.reply() {
        Reply::Yes => (Tone::Good, "separable"),
        Reply::No => (Tone::Bad, "not all separable"),
        Reply::Undecided => (Tone::Open, "undecided"),
    };
    let mut parts: Vec<String> = kinds(answer).iter().map(ClassesKind::count).collect();
    parts.extend(answer.argmax.as_ref().map(|argmax| argmax_sentence(argmax, &answer.names)));
    (tone, word, parts.join("; "))
}

impl ClassesKind<'_> {
    /// Returns how many of them are separable.
    fn count(&self) -> String {
        let all = self.verdicts.len();
        let yes = self.verdicts.iter().filter(|own| own.is_separable()).count();
        let of = match self.noun {
            "pair" => counted(all as u64, "pair"),
            _ => format!("{} against the rest", counted(all as u64, "class")),
        };
        match yes == all {
            true if all == 1 => format!("the only {}", self.noun),
            true => format!("all {of}"),
            false => format!("{} of {of}", grouped(yes as u64)),
        }
    }
}

/// Returns what was found out about one classifier for all classes.
pub fn argmax_sentence(argmax: &Argmax, classes: &[String]) -> String {
    let scores = format!("the largest of {} linear scores", classes.len());
    match &argmax.linear {
        Linear::Exists { .. } => format!("{scores} can be right on every row"),
        Linear::Not { pair: Some([a, b]), .. } => {
            let [a, b] = [a, b].map(|&class| &classes[class]);
            format!("{scores} cannot be right on every row: not even on \"{a}\" and \"{b}\" alone")
        }
        Linear::Not { pair: None, rows } => {
            let rows = counted(rows.len() as u64, "row");
            format!("{scores} cannot be right on every row: {rows} rule it out")
        }
        Linear::Undecided { because } => {
            format!("whether {scores} can be right on every row is open ({})", because.word())
        }
    }
}

/// Returns a name cut to `most` characters.
pub(super) fn shortened(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}

/// Returns an answer in at most five characters: the margin, as far as it is proven, or a word.
pub fn cell(own: &ClassVerdict) -> String {
    match own.found.decision.verdict() {
        Some(Verdict::Separable) => margin_at_least(own.found.decision.margin().lower),
        Some(Verdict::QuasiSeparable) => "quasi".to_string(),
        Some(_) => "no".to_string(),
        None => "?".to_string(),
    }
}

/// Returns a margin in at most five characters, rounded down, so that it is still proven.
pub(super) fn margin_at_least(lower: f64) -> String {
    let size = libm::log10(lower).floor();
    let cut = |digits: f64| {
        let unit = libm::pow(10.0, size - digits);
        (lower / unit).floor() * unit
    };
    match lower {
        _ if !(lower > 0.0 && lower.is_finite()) => ">0".to_string(),
        0.01..1.0 => format!("{:.*}", (1.0 - size) as usize, cut(1.0)),
        1.0..100.0 => format!("{:.*}", (1.0 - size) as usize, cut(1.0)),
        100.0..1e5 => format!("{:.0}", cut(2.0)),
        _ => format!("{:.0e}", cut(0.0)),
    }
}

/// Returns how many rows have to go for the rest to be separable, as far as it is known.
pub(super) fn must_go(own: &ClassVerdict) -> String {
    let explanation = own.found.explanation.as_ref();
    let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
    let between = |removal: &Removal| {
        let [least, most] =
            [removal.at_least, removal.at_most()].map(|count| grouped(count as u64));
        if removal.smallest() { most } else { format!("{least} to {most}") }
    };
    removal.map_or(String::new(), between)
}

/// Returns the verdict, and why there is none.
pub(super) fn reason(own: &ClassVerdict) -> String {
    let decision = &own.found.decision;
    match decision.because().map(Limit::word) {
        Some(limit) => format!("{} ({limit})", decision.word()),
        None => decision.word(),
    }
}

/// Returns the margin that is proven, if the two sides are separable.
pub(super) fn proven_margin(own: &ClassVerdict) -> String {
    match own.is_separable() {
        true => super::rounded(own.found.decision.margin().lower),
        false => String::new(),
    }
}

/// Returns how many rows are in conflict, if any are.
pub(super) fn in_conflict(own: &ClassVerdict) -> String {
    let decision = &own.found.decision;
    match decision.is_ruled_out() {
        true => grouped(decision.conflicting_rows().len() as u64),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_in_five_characters_are_still_proven() {
        let check =
            |lower: f64, expected: &str| assert_eq!(margin_at_least(lower), expected, "{lower}");
        check(0.123, "0.12");
        check(0.129, "0.12");
        check(0.0259, "0.025");
        check(0.00259, "2e-3");
        check(9.99e-7, "9e-7");
        check(1.29, "1.2");
        check(12.9, "12");
        check(1299.0, "1290");
        check(0.0, ">0");
        for text in [0.5, 0.010_01, 99.0, 12_345.0, 1e-300, 1e300].map(margin_at_least) {
            assert!(text.len() <= 6, "{text}");
        }
    }
}
