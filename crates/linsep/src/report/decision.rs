//! A decision and its explanation for people.

use std::collections::HashMap;

use super::text::{SHOWN_WEIGHTS, equation, notes};
use super::{counted, grouped, number, rounded};
use crate::cover::chance;
use crate::data::Data;
use crate::data::samples::About;
use crate::decide::{Carried, Conflict, Decision, Explanation, Limit, Outcome, Removal, Verdict};
use crate::{Error, Samples};

/// Conflicting rows that are shown, and groups of duplicates.
const SHOWN_ROWS: usize = 8;
/// Rows to remove that are shown, and numbers of rows in a list.
const SHOWN_SUSPECTS: usize = 20;

/// The rows that are shown, fetched from wherever they are.
struct Shown<'a> {
    about: &'a About,
    samples: Option<Samples>,
    places: HashMap<usize, usize>,
}

impl<'a> Shown<'a> {
    fn fetch(
        data: &'a dyn Data,
        decision: &Decision,
        explanation: Option<&Explanation>,
    ) -> Result<Self, Error> {
        let mut rows = decision.conflict().map(Conflict::rows).unwrap_or_default();
        rows.truncate(SHOWN_ROWS);
        rows.extend(decision.contradiction.iter().flat_map(|&(a, b)| [a, b]));
        if let Some(Explanation { removal, contradictions, carried_by, .. }) = explanation {
            let removed = removal.iter().flat_map(|removal| &removal.rows).map(|r| r.row);
            rows.extend(removed.take(SHOWN_SUSPECTS));
            let groups = contradictions.iter().take(SHOWN_ROWS);
            rows.extend(groups.flat_map(|group| group.iter().take(SHOWN_SUSPECTS)));
            let carried = carried_by.iter().flat_map(|carried| &carried.rows);
            rows.extend(carried.take(SHOWN_SUSPECTS));
        }
        rows.sort_unstable();
        rows.dedup();
        let samples = if rows.is_empty() { None } else { Some(data.fetch(&rows)?) };
        let places = rows.iter().enumerate().map(|(place, &row)| (row, place)).collect();
        Ok(Shown { about: data.about(), samples, places })
    }

    fn at(&self, row: usize) -> (&Samples, usize) {
        (self.samples.as_ref().expect("rows were fetched"), self.places[&row])
    }

    /// Returns what a row is called: by the column that names rows, else its number from 1.
    fn name(&self, row: usize) -> String {
        let (samples, place) = self.at(row);
        samples.row_ids().map_or_else(|| (row + 1).to_string(), |ids| ids.get(place).to_string())
    }

    fn is_positive(&self, row: usize) -> bool {
        let (samples, place) = self.at(row);
        samples.positive()[place]
    }

    /// Returns the name of a row and its label.
    fn labelled(&self, row: usize) -> String {
        format!("row {}, \"{}\"", self.name(row), self.about.label(self.is_positive(row)))
    }

    /// Returns the first values of a row, with their names.
    fn values(&self, row: usize) -> String {
        let (samples, place) = self.at(row);
        let (mut values, mut stored) = (vec![], 0);
        samples.features().for_each(place, |k, v| {
            if values.len() < SHOWN_WEIGHTS {
                values.push(format!("{} {}", self.about.feature(k), number(v)));
            }
            stored += 1;
        });
        if stored > SHOWN_WEIGHTS {
            values.push("…".to_string());
        }
        values.join(", ")
    }

    /// Returns what rows are called: "1, 4 and 7".
    fn list(&self, rows: &[usize]) -> String {
        let mut shown: Vec<String> =
            rows.iter().take(SHOWN_SUSPECTS).map(|&row| self.name(row)).collect();
        let last = match rows.len() > SHOWN_SUSPECTS {
            true => Some(format!("{} more", grouped((rows.len() - SHOWN_SUSPECTS) as u64))),
            false => shown.pop(),
        };
        match (shown.is_empty(), last) {
            (true, last) => last.unwrap_or_default(),
            (false, last) => format!("{} and {}", shown.join(", "), last.unwrap_or_default()),
        }
    }
}

/// Returns what `decide` prints, and with `--explain` also why.
///
/// Errors if the rows that are shown cannot be read.
pub fn text(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
) -> Result<String, Error> {
    let (shape, about) = (data.shape(), data.about());
    let shown = Shown::fetch(data, decision, explanation)?;
    let names = &about.label_names;
    let mut report = Report(format!("{}\n", headline(decision)));
    report.line(
        "data",
        &format!(
            "{}, {}; positive \"{}\", negative \"{}\"",
            counted(shape.rows as u64, "row"),
            counted(shape.columns as u64, "feature"),
            names.positive,
            names.negative
        ),
    );
    notes(shape, about).iter().for_each(|note| report.line("", note));
    let passes = counted(decision.passes, "pass");
    report.line("work", &format!("{passes} in {} s", rounded(decision.seconds)));
    if decision.left_out {
        report.line("left out", "the dual problem, which needs all rows in memory");
    }
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
        if decision.verdict() == Some(Verdict::Separable)
            && let Some(cheap) = cheap(shape.rows, shape.columns)
        {
            report.line("chance", &cheap);
        }
        if let Some(hyperplane) = decision.hyperplane() {
            let remedy = "--json prints them, --proof FILE keeps them";
            report
                .line("hyperplane", &equation(hyperplane, about.feature_names.as_deref(), remedy));
        }
        return Ok(report.0);
    };
    conflict(&mut report, &shown, &conflicting.rows(), decision.contradiction);
    if let Some(explanation) = explanation {
        // Two rows in conflict have been called the same row already.
        if conflicting.len() > 2 || explanation.contradictions.len() > 1 {
            duplicates(&mut report, &shown, &explanation.contradictions);
        }
        if let Some(carried) = &explanation.carried_by {
            carried_by(&mut report, &shown, shape.rows, carried);
        }
        removal(&mut report, &shown, explanation.removal.as_ref());
    }
    Ok(report.0)
}

/// Returns that as many rows would probably separate whatever their labels, if that is so.
fn cheap(rows: usize, features: usize) -> Option<String> {
    let chance = chance(rows, features);
    let says = match chance {
        _ if rows <= features.saturating_add(1) => {
            "any labels would separate rows in general position".to_string()
        }
        0.9999.. => "any labels would very likely separate".to_string(),
        0.95.. => format!("random labels would very likely separate ({chance:.2})"),
        // Half is where the two are even.
        0.500_000_1.. => format!("random labels would more likely separate than not ({chance:.2})"),
        _ => return None,
    };
    let rows = counted(rows as u64, "row");
    Some(format!("{rows} in {}: {says}", counted(features as u64, "feature")))
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
    shown: &Shown,
    rows: &[usize],
    contradiction: Option<(usize, usize)>,
) {
    let headline = match *rows {
        // Two rows of opposite labels cancel only if they are the same row.
        [a, b] => format!("rows {} are the same row under both labels:", shown.list(&[a, b])),
        _ => format!("{} that rule a strict separation out:", counted(rows.len() as u64, "row")),
    };
    report.line("conflict", &headline);
    for &row in rows.iter().take(SHOWN_ROWS) {
        report.line("", &format!("{}: {}", shown.labelled(row), shown.values(row)));
    }
    report.more(SHOWN_ROWS, rows.len());
    if let Some((a, b)) = contradiction.filter(|_| rows.len() > 2) {
        let same = format!("rows {} are the same row under both labels", shown.list(&[a, b]));
        report.line("", &same);
    }
}

fn duplicates(report: &mut Report, shown: &Shown, groups: &[Vec<usize>]) {
    let [first, ..] = groups else {
        return;
    };
    if groups.len() == 1 {
        let same = format!("rows {} are the same row under both labels", shown.list(first));
        report.line("duplicates", &same);
        return;
    }
    let count = grouped(groups.len() as u64);
    report.line("duplicates", &format!("{count} groups of identical rows under both labels:"));
    for group in groups.iter().take(SHOWN_ROWS) {
        report.line("", &format!("rows {}", shown.list(group)));
    }
    report.more(SHOWN_ROWS, groups.len());
}

fn removal(report: &mut Report, shown: &Shown, removal: Option<&Removal>) {
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
        let row = shown.labelled(removed.row);
        let distance = rounded(removed.distance);
        let values = shown.values(removed.row);
        report.line("", &format!("{row}, {distance} on the wrong side: {values}"));
    }
    report.more(SHOWN_SUSPECTS, count);
}

fn carried_by(report: &mut Report, shown: &Shown, all: usize, carried: &Carried) {
    match carried.features[..] {
        [feature] => report.line("carried by", &border(shown.about, carried, feature)),
        _ => {
            let names = carried.features.iter().take(SHOWN_SUSPECTS);
            let names: Vec<String> = names.map(|&k| shown.about.feature(k)).collect();
            let features = counted(carried.features.len() as u64, "feature");
            report.line("carried by", &format!("{features}: {}", names.join(", ")));
            report.more(SHOWN_SUSPECTS, carried.features.len());
        }
    }
    let strict = carried.rows.len();
    let (noun, verb) = if strict == 1 { ("row", "is") } else { ("rows", "are") };
    let rest = grouped((all - strict) as u64);
    report.line(
        "",
        &format!(
            "{noun} {} {verb} strictly on the right side, the other {rest} on the hyperplane itself",
            shown.list(&carried.rows)
        ),
    );
}

/// Returns what a single feature says: on which side of which value there is one class only.
fn border(about: &About, carried: &Carried, feature: usize) -> String {
    let border = carried.border.unwrap_or_default();
    let rising = carried.separator.weights[feature] > linsep_proof::IBig::ZERO;
    let says = |positive: bool| {
        let side = if positive == rising { "above" } else { "below" };
        let strict = carried.classes[usize::from(positive)];
        strict.then(|| {
            format!("{side} {} every row is \"{}\"", number(border), about.label(positive))
        })
    };
    let sides: Vec<String> = [true, false].into_iter().filter_map(says).collect();
    format!("{}: {}", about.feature(feature), sides.join(", "))
}
