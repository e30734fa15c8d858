//! A decision and its explanation for people.

use super::text::{SHOWN_WEIGHTS, equation};
use super::{counted, grouped, number, rounded};
use crate::Samples;
use crate::decide::{Carried, Decision, Explanation, Limit, Outcome, Removal};

/// Conflicting rows that are shown, and groups of duplicates.
const SHOWN_ROWS: usize = 8;
/// Rows to remove that are shown, and numbers of rows in a list.
const SHOWN_SUSPECTS: usize = 20;

/// Returns what `decide` prints, and with `--explain` also why.
pub fn text(samples: &Samples, decision: &Decision, explanation: Option<&Explanation>) -> String {
    let names = samples.label_names();
    let mut report = Report(format!("{}\n", headline(decision)));
    report.line(
        "data",
        &format!(
            "{}, {}; positive \"{}\", negative \"{}\"",
            counted(samples.rows() as u64, "row"),
            counted(samples.columns() as u64, "feature"),
            names.positive,
            names.negative
        ),
    );
    let passes = counted(decision.passes, "pass");
    report.line("work", &format!("{passes} in {} s", rounded(decision.seconds)));
    match (decision.proof(), decision.verdict()) {
        (Some(_), Some(_)) => {
            report.line("proof", "checked in exact arithmetic (--proof FILE keeps it)");
        }
        (Some(_), None) => {
            report.line("proof", "that much is checked in exact arithmetic (--proof FILE keeps it)")
        }
        (None, _) => {}
    }
    let Some(conflicting) = decision.conflict() else {
        let margin = decision.margin();
        let (kind, lower, upper) = (margin.kind, rounded(margin.lower), rounded(margin.upper));
        let between = format!("the largest {kind} margin is between {lower} and {upper}");
        report.line("margin", &between);
        if let Some(hyperplane) = decision.hyperplane() {
            let remedy = "--json prints them, --proof FILE keeps them";
            report.line("hyperplane", &equation(hyperplane, samples.feature_names(), remedy));
        }
        return report.0;
    };
    conflict(&mut report, samples, &conflicting.rows(), decision.contradiction);
    if let Some(explanation) = explanation {
        // Two rows in conflict have been called the same row already.
        if conflicting.len() > 2 || explanation.contradictions.len() > 1 {
            duplicates(&mut report, &explanation.contradictions);
        }
        if let Some(carried) = &explanation.carried_by {
            carried_by(&mut report, samples, carried);
        }
        removal(&mut report, samples, explanation.removal.as_ref());
    }
    report.0
}

fn headline(decision: &Decision) -> &'static str {
    match &decision.outcome {
        Outcome::Separable { .. } => {
            "separable: a hyperplane puts every row strictly on its own side"
        }
        Outcome::QuasiSeparable { .. } => {
            "quasi-separable: a hyperplane puts no row on the wrong side, but none puts every row \
             strictly on its own"
        }
        Outcome::Inseparable { .. } => {
            "inseparable: no hyperplane separates the classes, not even weakly"
        }
        Outcome::Undecided { conflict: None, because, .. } => match because {
            Limit::Passes => {
                "undecided: the passes ran out before an answer was proven (--max-passes allows more)"
            }
            Limit::Time => {
                "undecided: the time ran out before an answer was proven (--time-limit allows more)"
            }
            Limit::Unconfirmed => "undecided: what was found could not be confirmed",
            _ => "undecided: stopped before an answer was proven",
        },
        Outcome::Undecided { because: Limit::Unconfirmed, .. } => {
            "undecided: no hyperplane separates the classes strictly; whether one does weakly could not \
             be confirmed"
        }
        Outcome::Undecided { .. } => {
            "undecided: no hyperplane separates the classes strictly; whether one does weakly was \
             still open when a limit was reached"
        }
    }
}

/// Lines with a word in front.
struct Report(String);

impl Report {
    fn line(&mut self, word: &str, text: &str) {
        self.0.push_str(&format!("  {word:<12}{text}\n"));
    }

    fn more(&mut self, shown: usize, all: usize) {
        if all > shown {
            let more = grouped((all - shown) as u64);
            self.line("", &format!("… and {more} more (--json names all)"));
        }
    }
}

fn conflict(
    report: &mut Report,
    samples: &Samples,
    rows: &[usize],
    contradiction: Option<(usize, usize)>,
) {
    let headline = match *rows {
        // Two rows of opposite labels cancel only if they are the same row.
        [a, b] => format!("rows {} and {} are the same row under both labels:", a + 1, b + 1),
        _ => format!("{} that rule a strict separation out:", counted(rows.len() as u64, "row")),
    };
    report.line("conflict", &headline);
    for &row in rows.iter().take(SHOWN_ROWS) {
        report.line("", &format!("{}: {}", labelled(samples, row), values(samples, row)));
    }
    report.more(SHOWN_ROWS, rows.len());
    if let Some((a, b)) = contradiction.filter(|_| rows.len() > 2) {
        let same = format!("rows {} and {} are the same row under both labels", a + 1, b + 1);
        report.line("", &same);
    }
}

fn duplicates(report: &mut Report, groups: &[Vec<usize>]) {
    let [first, ..] = groups else {
        return;
    };
    if groups.len() == 1 {
        let same = format!("rows {} are the same row under both labels", list(first));
        report.line("duplicates", &same);
        return;
    }
    let count = grouped(groups.len() as u64);
    report.line("duplicates", &format!("{count} groups of identical rows under both labels:"));
    for group in groups.iter().take(SHOWN_ROWS) {
        report.line("", &format!("rows {}", list(group)));
    }
    report.more(SHOWN_ROWS, groups.len());
}

fn removal(report: &mut Report, samples: &Samples, removal: Option<&Removal>) {
    let Some(removal) = removal else {
        let none = "found no rows without which the rest is separable and has both classes";
        report.line("suspects", none);
        return;
    };
    let count = removal.rows.len();
    let headline = match count {
        1 => "1 row; without it the rest is separable".to_string(),
        _ => format!(
            "{}, the most suspicious first; without them the rest is separable",
            counted(count as u64, "row")
        ),
    };
    report.line("suspects", &headline);
    let effort = match (removal.irreducible, count) {
        (true, 1) => "",
        (true, _) => "(best effort: none of them can go back, but another set may be smaller)",
        (false, _) => "(best effort: some of them might go back, and another set may be smaller)",
    };
    if !effort.is_empty() {
        report.line("", effort);
    }
    for removed in removal.rows.iter().take(SHOWN_SUSPECTS) {
        let row = labelled(samples, removed.row);
        let distance = rounded(removed.distance);
        let values = values(samples, removed.row);
        report.line("", &format!("{row}, {distance} on the wrong side: {values}"));
    }
    report.more(SHOWN_SUSPECTS, count);
}

fn carried_by(report: &mut Report, samples: &Samples, carried: &Carried) {
    match carried.features[..] {
        [feature] => report.line("carried by", &border(samples, carried, feature)),
        _ => {
            let shown: Vec<String> =
                carried.features.iter().take(SHOWN_SUSPECTS).map(|&k| name(samples, k)).collect();
            let features = counted(carried.features.len() as u64, "feature");
            report.line("carried by", &format!("{features}: {}", shown.join(", ")));
            report.more(SHOWN_SUSPECTS, carried.features.len());
        }
    }
    let (strict, all) = (carried.rows.len(), samples.rows());
    let (noun, verb) = if strict == 1 { ("row", "is") } else { ("rows", "are") };
    let rest = grouped((all - strict) as u64);
    report.line(
        "",
        &format!(
            "{noun} {} {verb} strictly on the right side, the other {rest} on the hyperplane itself",
            list(&carried.rows)
        ),
    );
}

/// Returns what a single feature says: on which side of which value there is one class only.
fn border(samples: &Samples, carried: &Carried, feature: usize) -> String {
    let border = carried.border.unwrap_or_default();
    let rising = carried.separator.weights[feature] > linsep_proof::IBig::ZERO;
    let says = |positive: bool| {
        let strict = carried.rows.iter().any(|&row| samples.positive()[row] == positive);
        let side = if positive == rising { "above" } else { "below" };
        let label = label(samples, positive);
        strict.then(|| format!("{side} {} every row is \"{label}\"", number(border)))
    };
    let sides: Vec<String> = [true, false].into_iter().filter_map(says).collect();
    format!("{}: {}", name(samples, feature), sides.join(", "))
}

fn label(samples: &Samples, positive: bool) -> &str {
    let names = samples.label_names();
    if positive { &names.positive } else { &names.negative }
}

fn name(samples: &Samples, feature: usize) -> String {
    samples.feature_names().map_or_else(|| format!("x{}", feature + 1), |n| n[feature].clone())
}

/// Returns the number of a row, counted from 1, and its label.
fn labelled(samples: &Samples, row: usize) -> String {
    format!("row {}, \"{}\"", row + 1, label(samples, samples.positive()[row]))
}

/// Returns the first values of a row, with their names.
fn values(samples: &Samples, row: usize) -> String {
    let (mut values, mut stored) = (vec![], 0);
    samples.features().for_each(row, |k, v| {
        if values.len() < SHOWN_WEIGHTS {
            values.push(format!("{} {}", name(samples, k), number(v)));
        }
        stored += 1;
    });
    if stored > SHOWN_WEIGHTS {
        values.push("…".to_string());
    }
    values.join(", ")
}

/// Returns the numbers of rows, counted from 1: "1, 4 and 7".
fn list(rows: &[usize]) -> String {
    let mut shown: Vec<String> =
        rows.iter().take(SHOWN_SUSPECTS).map(|row| (row + 1).to_string()).collect();
    let last = match rows.len() > SHOWN_SUSPECTS {
        true => Some(format!("{} more", grouped((rows.len() - SHOWN_SUSPECTS) as u64))),
        false => shown.pop(),
    };
    match (shown.is_empty(), last) {
        (true, last) => last.unwrap_or_default(),
        (false, last) => format!("{} and {}", shown.join(", "), last.unwrap_or_default()),
    }
}
