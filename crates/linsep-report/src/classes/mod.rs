//! What `decide --pairs`, `--one-vs-rest` and `--argmax` found: here what all renderings of it share, in `text` and `json` two
//! of them.

mod json;
mod text;

pub use json::json;
pub use text::text;

use serde_json::Value;

use super::summary::Tone;
use super::{counted, grouped};
use linsep::Samples;
use linsep::classes::{Answer, Argmax, Linear, Question};
use linsep::data::samples::Classes;
use linsep::decide::{Limit, Removal, Verdict};

/// What was asked of many classes, and found out.
pub struct Found<'a> {
    /// The rows, under whatever labels.
    pub samples: &'a Samples,
    /// Their classes.
    pub classes: &'a Classes,
    /// The answers, in any order.
    pub answers: &'a [Answer],
    /// Whether one linear classifier makes no mistake, if that was asked.
    pub argmax: Option<&'a Argmax>,
    /// The folder that has the proofs, if they are kept.
    pub proofs: Option<&'a str>,
    /// Time.
    pub seconds: f64,
}

/// A way to ask about classes, and its answers.
struct Kind<'a> {
    noun: &'static str,
    answers: Vec<&'a Answer>,
}

impl<'a> Found<'a> {
    /// Returns the answers about pairs.
    pub(super) fn pairs(&self) -> Vec<&'a Answer> {
        self.answers.iter().filter(|a| matches!(a.question, Question::Pair { .. })).collect()
    }

    /// Returns the answers about one class against the rest.
    pub(super) fn one_vs_rest(&self) -> Vec<&'a Answer> {
        self.answers.iter().filter(|a| matches!(a.question, Question::OneVsRest { .. })).collect()
    }

    fn kinds(&self) -> Vec<Kind<'a>> {
        let pairs = Kind { noun: "pair", answers: self.pairs() };
        let rest = Kind { noun: "class", answers: self.one_vs_rest() };
        [pairs, rest].into_iter().filter(|kind| !kind.answers.is_empty()).collect()
    }

    /// Returns the answer about two classes, in either order.
    pub(super) fn pair(&self, a: usize, b: usize) -> Option<&'a Answer> {
        let wanted = Question::Pair { negative: a.min(b), positive: a.max(b) };
        self.answers.iter().find(|answer| answer.question == wanted)
    }

    /// Returns true if everything is separable, false if something is not, nothing if a limit came first.
    pub fn verdict(&self) -> Option<bool> {
        let answers = self.answers.iter().map(|answer| answer.verdict);
        let single = answers.map(|verdict| verdict.map(|verdict| verdict == Verdict::Separable));
        let all: Vec<Option<bool>> = single.chain(self.argmax.map(Argmax::exists)).collect();
        match () {
            () if all.contains(&Some(false)) => Some(false),
            () if all.contains(&None) => None,
            () => Some(true),
        }
    }

    /// Returns the verdict in words, and their tone.
    pub(super) fn headline(&self) -> (Tone, &'static str, String) {
        let (tone, word) = match self.verdict() {
            Some(true) => (Tone::Good, "separable"),
            Some(false) => (Tone::Bad, "not all separable"),
            None => (Tone::Open, "undecided"),
        };
        let mut parts: Vec<String> = self.kinds().iter().map(Kind::count).collect();
        parts.extend(self.argmax.map(|argmax| argmax_sentence(argmax, self.classes)));
        (tone, word, parts.join("; "))
    }

    /// Returns what a row is called: its name, or its number in the file.
    fn row(&self, row: usize) -> Value {
        match self.samples.row_ids() {
            Some(ids) => ids.get(row).into(),
            None => self.samples.about().rows.number(row).into(),
        }
    }
}

impl Kind<'_> {
    /// Returns how many of them are separable.
    fn count(&self) -> String {
        let all = self.answers.len();
        let yes = self.answers.iter().filter(|answer| answer.is_separable()).count();
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
pub(super) fn argmax_sentence(argmax: &Argmax, classes: &Classes) -> String {
    let scores = format!("the largest of {} linear scores", classes.count());
    match &argmax.linear {
        Linear::Exists { .. } => format!("{scores} can be right on every row"),
        Linear::Not { pair: Some([a, b]), .. } => {
            let [a, b] = [a, b].map(|&class| &classes.names()[class]);
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

/// Returns a name cut to so many characters.
pub(super) fn shortened(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most - 1).chain(['…']).collect(),
        false => name.to_string(),
    }
}

/// Returns an answer in at most five characters: the margin, as far as it is proven, or a word.
pub(super) fn cell(answer: &Answer) -> String {
    match answer.verdict {
        Some(Verdict::Separable) => margin_at_least(answer.margin.lower),
        Some(Verdict::QuasiSeparable) => "quasi".to_string(),
        Some(_) => "no".to_string(),
        None => "?".to_string(),
    }
}

/// Returns a margin in at most five characters, rounded down, so that it is still proven.
pub fn margin_at_least(lower: f64) -> String {
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
pub(super) fn must_go(answer: &Answer) -> String {
    let removal = answer.explanation.as_ref().and_then(|explanation| explanation.removal.as_ref());
    let between = |removal: &Removal| {
        let [least, most] =
            [removal.at_least, removal.at_most()].map(|count| grouped(count as u64));
        if removal.smallest() { most } else { format!("{least} to {most}") }
    };
    removal.map_or(String::new(), between)
}

/// Returns the verdict, and why there is none.
pub(super) fn reason(answer: &Answer) -> String {
    match answer.because.map(Limit::word) {
        Some(limit) => format!("{} ({limit})", answer.word()),
        None => answer.word(),
    }
}

/// Returns the names of the two classes of a question, the negative one first.
pub(super) fn classes_of(found: &Found, answer: &Answer) -> [String; 2] {
    let name = |class: usize| found.classes.names()[class].clone();
    match answer.question {
        Question::Pair { negative, positive } => [name(negative), name(positive)],
        Question::OneVsRest { positive } => ["the rest".to_string(), name(positive)],
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
