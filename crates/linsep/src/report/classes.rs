//! What `decide --pairs`, `--one-vs-rest` and `--argmax` say: for people, and for programs.

use serde_json::{Value, json};

use super::json::{explanation, known};
use super::summary::{Summary, Table, Tone};
use super::{counted, duration, grouped, rounded, text};
use crate::Samples;
use crate::classes::{Answer, Argmax, Linear, Question};
use crate::data::samples::Classes;
use crate::data::{Data, Memory};
use crate::decide::{Limit, MarginKind, Removal, Verdict};

/// More classes than this make no matrix that can be read.
const MATRIX: usize = 12;
/// Lines of the list of classes that are not separable.
const LISTED: usize = 20;
/// Characters of a line that the columns of the matrix share, and of a name above one of them at the most.
const ACROSS: usize = 60;
const HEADER: usize = 15;

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

    /// Returns what a row is called: its name, or its number from 1.
    fn row(&self, row: usize) -> Value {
        match self.samples.row_ids() {
            Some(ids) => json!(ids.get(row)),
            None => json!(row + 1),
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
        Some(Verdict::Separable) => margin(answer.margin.lower),
        Some(Verdict::QuasiSeparable) => "quasi".to_string(),
        Some(_) => "no".to_string(),
        None => "?".to_string(),
    }
}

/// Returns a margin in at most five characters, rounded down, so that it is still proven.
fn margin(lower: f64) -> String {
    let size = lower.log10().floor();
    let cut = |digits: f64| {
        let unit = 10_f64.powf(size - digits);
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

/// Returns what is shown at the end.
pub fn text(found: &Found) -> Summary {
    let (tone, word, meaning) = found.headline();
    let mut summary = Summary::new(tone, word, &meaning);
    let (shape, about) = (Memory::new(found.samples).shape(), found.samples.about());
    text::describe_classes(&mut summary, shape, about, found.classes.count());
    let asked = found.answers.len() + usize::from(found.argmax.is_some());
    let questions = counted(asked as u64, "question");
    summary.text("work", &format!("{questions} in {}", duration(found.seconds)));
    let kept = match found.proofs {
        Some(folder) => format!("checked in exact arithmetic, and kept in {folder}"),
        None => "checked in exact arithmetic (--proof DIR keeps them)".to_string(),
    };
    summary.text("proofs", &kept);
    add_pairs(found, &mut summary);
    add_one_vs_rest(found, &mut summary);
    add_failures(found, &mut summary);
    summary
}

fn kind(answers: &[&Answer]) -> MarginKind {
    answers.first().map_or(MarginKind::Angular, |answer| answer.margin.kind)
}

fn add_pairs(found: &Found, summary: &mut Summary) {
    let (pairs, names) = (found.pairs(), found.classes.names());
    if pairs.is_empty() {
        return;
    }
    if names.len() > MATRIX {
        let yes = pairs.iter().filter(|answer| answer.is_separable());
        let least = yes.min_by(|a, b| a.margin.lower.total_cmp(&b.margin.lower));
        if let Some((answer, [a, b])) = least.map(|answer| (answer, classes_of(found, answer))) {
            let size = rounded(answer.margin.lower);
            let kind = answer.margin.kind;
            summary.text("pairs", &format!("the smallest {kind} margin, {a} and {b}: {size}"));
        }
        return;
    }
    summary.text("pairs", &format!("the {} margin, at least; \"no\": inseparable", kind(&pairs)));
    let mut table = Table::default();
    let width = (ACROSS / names.len() - 1).min(HEADER);
    table.column("", names.iter().map(|name| shortened(name, HEADER)).collect(), false);
    for b in 0..names.len() {
        let one = |a: usize| match found.pair(a, b) {
            Some(answer) => cell(answer),
            None => "·".to_string(),
        };
        table.column(&shortened(&names[b], width), (0..names.len()).map(one).collect(), false);
    }
    summary.wide(table);
}

fn add_one_vs_rest(found: &Found, summary: &mut Summary) {
    let answers = found.one_vs_rest();
    if answers.is_empty() {
        return;
    }
    let kind = kind(&answers);
    summary.text("against", &format!("the rest, with the {kind} margin that is proven:"));
    let mut table = Table::default();
    let shown = &answers[..answers.len().min(LISTED)];
    let name = |answer: &&Answer| classes_of(found, answer)[1].clone();
    table.column("class", shown.iter().map(name).collect(), false);
    table.column("verdict", shown.iter().map(|answer| answer.word()).collect(), false);
    let margin = |answer: &&Answer| match answer.is_separable() {
        true => rounded(answer.margin.lower),
        false => String::new(),
    };
    table.column("margin", shown.iter().map(margin).collect(), true);
    summary.table(table);
    if shown.len() < answers.len() {
        let more = counted((answers.len() - shown.len()) as u64, "class");
        summary.text("", &format!("and {more} more (--json has all)"));
    }
}

/// Adds what is not separable, and why.
fn add_failures(found: &Found, summary: &mut Summary) {
    let failed: Vec<&Answer> =
        found.answers.iter().filter(|answer| !answer.is_separable()).collect();
    if failed.is_empty() {
        return;
    }
    let shown = &failed[..failed.len().min(LISTED)];
    let mut table = Table::default();
    let names: Vec<[String; 2]> = shown.iter().map(|answer| classes_of(found, answer)).collect();
    table.column("class", names.iter().map(|[_, positive]| positive.clone()).collect(), false);
    table.column("against", names.iter().map(|[negative, _]| negative.clone()).collect(), false);
    table.column("verdict", shown.iter().map(|answer| reason(answer)).collect(), false);
    let rows = |answer: &&Answer| grouped(answer.rows as u64);
    table.column("rows", shown.iter().map(rows).collect(), true);
    let conflict = |answer: &&Answer| match &answer.conflict {
        Some(conflict) => grouped(conflict.len() as u64),
        None => String::new(),
    };
    table.column("in conflict", shown.iter().map(conflict).collect(), true);
    if shown.iter().any(|answer| answer.explanation.is_some()) {
        table.column("must go", shown.iter().map(|answer| must_go(answer)).collect(), true);
    }
    summary.text("not", "separable:");
    summary.table(table);
    if shown.len() < failed.len() {
        let more = grouped((failed.len() - shown.len()) as u64);
        summary.text("", &format!("and {more} more (--json has all)"));
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

/// Returns what `--json` prints. Rows are counted from 1, and named if the data names them.
pub fn json(found: &Found) -> Value {
    let about = found.samples.about();
    let one = |answer: &Answer| {
        let rows = answer.conflicting_rows();
        let mut value = json!({
            "verdict": answer.word(),
            "because": answer.because.map(Limit::word),
            "rows": answer.rows,
            "margin": {
                "kind": answer.margin.kind,
                "lower": known(answer.margin.lower),
                "upper": known(answer.margin.upper),
            },
            "conflicting_rows": rows.iter().map(|row| row + 1).collect::<Vec<usize>>(),
            "explanation": answer.explanation.as_ref().map(|why| explanation(about, why)),
            "passes": answer.passes,
            "seconds": answer.seconds,
        });
        if found.samples.row_ids().is_some() {
            value["conflicting_row_ids"] = rows.iter().map(|&row| found.row(row)).collect();
        }
        let name = |class: usize| json!(found.classes.names()[class]);
        match answer.question {
            Question::Pair { negative, positive } => {
                value["negative"] = name(negative);
                value["positive"] = name(positive);
            }
            Question::OneVsRest { positive } => value["positive"] = name(positive),
        }
        value
    };
    let asked = |answers: Vec<&Answer>| match answers.is_empty() {
        true => Value::Null,
        false => answers.into_iter().map(one).collect(),
    };
    let argmax = found.argmax.map(|argmax| {
        let (planes, pair, rows, because) = match &argmax.linear {
            Linear::Exists { planes } => (Some(planes), None, vec![], None),
            Linear::Not { pair, rows } => (None, *pair, rows.clone(), None),
            Linear::Undecided { because } => (None, None, vec![], Some(because.word())),
        };
        json!({
            "exists": argmax.exists(),
            "because": because,
            "classes": pair.map(|pair| pair.map(|class| &found.classes.names()[class])),
            "conflicting_rows": rows.iter().map(|row| row + 1).collect::<Vec<usize>>(),
            "weights": planes.map(|planes| planes.iter().map(|p| &p.weights).collect::<Vec<_>>()),
            "bias": planes.map(|planes| planes.iter().map(|p| p.bias).collect::<Vec<f64>>()),
            "seconds": argmax.seconds,
        })
    });
    json!({
        "verdict": match found.verdict() {
            Some(true) => "separable",
            Some(false) => "not-all-separable",
            None => "undecided",
        },
        "classes": found.classes.names(),
        "class_rows": (0..found.classes.count()).map(|k| found.classes.members(k).len()).collect::<Vec<_>>(),
        "rows": found.samples.rows(),
        "features": found.samples.columns(),
        "feature_names": about.feature_names,
        "rows_dropped": about.dropped,
        "values_filled": about.filled,
        "pairs": asked(found.pairs()),
        "one_vs_rest": asked(found.one_vs_rest()),
        "argmax": argmax,
        "proofs": found.proofs,
        "seconds": found.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_in_five_characters_are_still_proven() {
        let check = |lower: f64, expected: &str| assert_eq!(margin(lower), expected, "{lower}");
        check(0.123, "0.12");
        check(0.129, "0.12");
        check(0.0259, "0.025");
        check(0.00259, "2e-3");
        check(9.99e-7, "9e-7");
        check(1.29, "1.2");
        check(12.9, "12");
        check(1299.0, "1290");
        check(0.0, ">0");
        for text in [0.5, 0.010_01, 99.0, 12_345.0, 1e-300, 1e300].map(margin) {
            assert!(text.len() <= 6, "{text}");
        }
    }
}
