//! A decision and its explanation for people.

use std::collections::HashMap;

use super::summary::{Summary, Table, Tone, add_distances};
use super::text::{SHOWN_WEIGHTS, class_names, describe_data, equation};
use super::{bracket, counted, duration, grouped, number, rounded};
use linsep::cover::chance;
use linsep::data::samples::About;
use linsep::data::{Data, Features};
use linsep::decide::{
    Carried, Conflict, Decision, Explanation, Limit, Margin, Outcome, Removal, Verdict,
};
use linsep::distances::Distances;
use linsep::{Error, Samples};

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

    /// Returns what a row is called: by the column that names rows, else its number in the file.
    fn name(&self, row: usize) -> String {
        let (samples, place) = self.at(row);
        let number = || self.about.rows.number(row).to_string();
        samples.row_ids().map_or_else(number, |ids| ids.get(place).to_string())
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
    fn values(&self, row: usize) -> Vec<String> {
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
        values
    }

    /// Adds rows with their labels, what `more` says of each, and their first values: as a table, or one by
    /// one where each stores other features.
    fn add(&self, summary: &mut Summary, rows: &[usize], more: Option<(&str, Vec<String>)>) {
        let Some(&first) = rows.first() else { return };
        let samples = self.at(first).0;
        if matches!(samples.features(), Features::Sparse(_)) {
            for (k, &row) in rows.iter().enumerate() {
                let more = more.as_ref().map(|(name, cells)| format!(", {name} {}", cells[k]));
                let lead = format!("{}{}: ", self.labelled(row), more.unwrap_or_default());
                summary.list("", &lead, &self.values(row));
            }
            return;
        }
        let mut table = Table::default();
        let names: Vec<String> = rows.iter().map(|&row| self.name(row)).collect();
        table.column("row", names, samples.row_ids().is_none());
        let label = |&row: &usize| self.about.label(self.is_positive(row)).to_string();
        table.column("label", rows.iter().map(label).collect(), false);
        if let Some((name, cells)) = more {
            table.column(name, cells, true);
        }
        table.keep();
        for feature in 0..samples.columns().min(SHOWN_WEIGHTS) {
            let cells = rows.iter().map(|&row| self.cell(row, feature)).collect();
            table.column(&self.about.feature(feature), cells, true);
        }
        if samples.columns() > SHOWN_WEIGHTS {
            table.more();
        }
        summary.table(table);
    }

    /// Returns one value of a row.
    fn cell(&self, row: usize, feature: usize) -> String {
        let (samples, place) = self.at(row);
        let mut cell = String::new();
        samples.features().for_each(place, |k, v| {
            if k == feature {
                cell = number(v);
            }
        });
        cell
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

/// Returns what `decide` prints, and with `--explain` also why. `distances` are those of the rows from the
/// hyperplane of the decision, if they are known.
///
/// Errors if the rows that are shown cannot be read.
pub fn text(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
    distances: Option<&Distances>,
) -> Result<Summary, Error> {
    let (shape, about) = (data.shape(), data.about());
    let shown = Shown::fetch(data, decision, explanation)?;
    let mut summary = headline(decision);
    describe_data(&mut summary, shape, about);
    summary.text("work", &work(decision, explanation));
    if decision.left_out {
        summary.text("left out", "the dual problem, which needs all rows in memory");
    }
    match (decision.proof(), decision.verdict()) {
        (Some(_), Some(_)) => {
            summary.text("proof", "checked in exact arithmetic (--proof FILE keeps it)");
        }
        (Some(_), None) => {
            let proof = "that much is checked in exact arithmetic (--proof FILE keeps it)";
            summary.text("proof", proof);
        }
        (None, _) => {}
    }
    if decision.conflict().is_none() {
        margin(&mut summary, data, decision);
    }
    let whose = match decision.verdict() {
        Some(Verdict::Separable) => "the hyperplane",
        _ => "the best hyperplane met",
    };
    add_distances(&mut summary, distances, class_names(about), whose);
    match (decision.conflict(), decision.hyperplane()) {
        (Some(conflicting), _) => {
            conflict(&mut summary, &shown, &conflicting.rows(), decision.contradiction);
            if let Some(explanation) = explanation {
                explain(&mut summary, &shown, shape.rows, conflicting.len(), explanation);
            }
        }
        (None, Some(hyperplane)) => {
            let remedy = "--json prints them, --proof FILE keeps them";
            let equation = equation(hyperplane, about.feature_names.as_deref(), remedy);
            summary.text("hyperplane", &equation);
        }
        (None, None) => {}
    }
    Ok(summary)
}

/// Adds what is known of the largest margin, and whether chance would have made one as well.
fn margin(summary: &mut Summary, data: &dyn Data, decision: &Decision) {
    let Margin { kind, lower, upper } = decision.margin();
    // What every margin is above, or below, is no bound.
    let known = |bound: f64| bound.abs() < f64::MAX;
    let value = match (known(lower), known(upper)) {
        (true, true) => bracket(lower, upper),
        (true, false) => format!("at least {}", rounded(lower)),
        (false, true) => format!("at most {}", rounded(upper)),
        (false, false) => "not bounded yet".to_string(),
    };
    summary.text("margin", &format!("the largest {kind} margin is {value}"));
    let shape = data.shape();
    if decision.verdict() == Some(Verdict::Separable)
        && let Some(cheap) = cheap(shape.rows, shape.columns)
    {
        summary.text("chance", &cheap);
    }
}

/// Adds why data is not separable.
fn explain(
    summary: &mut Summary,
    shown: &Shown,
    rows: usize,
    conflicting: usize,
    explanation: &Explanation,
) {
    // Two rows in conflict have been called the same row already.
    if conflicting > 2 || explanation.contradictions.len() > 1 {
        duplicates(summary, shown, &explanation.contradictions);
    }
    if let Some(carried) = &explanation.carried_by {
        carried_by(summary, shown, rows, carried);
    }
    removal(summary, shown, explanation.removal.as_ref());
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

fn headline(decision: &Decision) -> Summary {
    let (tone, meaning) = match &decision.outcome {
        Outcome::Separable { .. } => {
            (Tone::Good, "a hyperplane puts every row strictly on its own side")
        }
        Outcome::QuasiSeparable { .. } => (
            Tone::Mixed,
            "a hyperplane puts no row on the wrong side, but none puts every row strictly on its own",
        ),
        Outcome::Inseparable { .. } => {
            (Tone::Bad, "no hyperplane separates the classes, not even weakly")
        }
        Outcome::Undecided { conflict, because, .. } => {
            (Tone::Open, open(conflict.is_some(), *because))
        }
    };
    Summary::new(tone, &decision.word(), meaning)
}

/// Returns why there is no verdict, and what is known all the same.
fn open(conflict: bool, because: Limit) -> &'static str {
    match (conflict, because) {
        (false, Limit::Passes) => {
            "the passes ran out before an answer was proven (--max-passes allows more)"
        }
        (false, Limit::Time) => {
            "the time ran out before an answer was proven (--time-limit allows more)"
        }
        (false, Limit::Unconfirmed) => "what was found could not be confirmed",
        (false, _) => "stopped before an answer was proven",
        (true, Limit::Unconfirmed) => {
            "no hyperplane separates the classes strictly; whether one does weakly could not be confirmed"
        }
        (true, _) => {
            "no hyperplane separates the classes strictly; whether one does weakly was still open when a \
             limit was reached"
        }
    }
}

/// Returns what it took.
pub(super) fn work(decision: &Decision, explanation: Option<&Explanation>) -> String {
    let mut work =
        format!("{} in {}", counted(decision.passes, "pass"), duration(decision.seconds));
    if decision.drawing_passes > 0 {
        work.push_str(&format!(", {} of them to draw", grouped(decision.drawing_passes)));
    }
    if explanation.is_some() && decision.conflict().is_some() {
        // It works on rows in memory, and on few of them most of the time.
        work.push_str("; the explanation is not counted");
    }
    work
}

/// Says how many there are beyond those that are shown.
fn more(summary: &mut Summary, shown: usize, all: usize) {
    if all > shown {
        let more = grouped((all - shown) as u64);
        summary.text("", &format!("… and {more} more (--json names all)"));
    }
}

fn conflict(
    summary: &mut Summary,
    shown: &Shown,
    rows: &[usize],
    contradiction: Option<(usize, usize)>,
) {
    let headline = match *rows {
        // Two rows of opposite labels cancel only if they are the same row.
        [a, b] => format!("rows {} are the same row under both labels:", shown.list(&[a, b])),
        _ => format!("{} that rule a strict separation out:", counted(rows.len() as u64, "row")),
    };
    summary.text("conflict", &headline);
    shown.add(summary, &rows[..rows.len().min(SHOWN_ROWS)], None);
    more(summary, SHOWN_ROWS, rows.len());
    if let Some((a, b)) = contradiction.filter(|_| rows.len() > 2) {
        let same = format!("rows {} are the same row under both labels", shown.list(&[a, b]));
        summary.text("", &same);
    }
}

fn duplicates(summary: &mut Summary, shown: &Shown, groups: &[Vec<usize>]) {
    let [first, ..] = groups else {
        return;
    };
    if groups.len() == 1 {
        let same = format!("rows {} are the same row under both labels", shown.list(first));
        summary.text("duplicates", &same);
        return;
    }
    let count = grouped(groups.len() as u64);
    summary.text("duplicates", &format!("{count} groups of identical rows under both labels:"));
    for group in groups.iter().take(SHOWN_ROWS) {
        summary.text("", &format!("rows {}", shown.list(group)));
    }
    more(summary, SHOWN_ROWS, groups.len());
}

/// Returns between how many rows must go, in words.
pub(super) fn must_go(removal: &Removal) -> String {
    let most = counted(removal.at_most() as u64, "row");
    match removal.smallest() {
        true => format!("{most} must go, and no smaller set exists (proven)"),
        false => {
            let least = grouped(removal.at_least as u64);
            format!("at least {least} and at most {most} must go (proven)")
        }
    }
}

fn removal(summary: &mut Summary, shown: &Shown, removal: Option<&Removal>) {
    let Some(removal) = removal else {
        let none = "found no rows without which the rest is separable and has both classes";
        summary.text("suspects", none);
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
    summary.text("suspects", &headline);
    if count > 1 {
        summary.text("", &must_go(removal));
    }
    if !removal.smallest() {
        let effort = match removal.irreducible {
            true => "(best effort: none of them can go back, but another set may be smaller)",
            false => "(best effort: some of them might go back, and another set may be smaller)",
        };
        summary.text("", effort);
    }
    let first = &removal.rows[..count.min(SHOWN_SUSPECTS)];
    let rows: Vec<usize> = first.iter().map(|removed| removed.row).collect();
    let distances = first.iter().map(|removed| rounded(removed.distance)).collect();
    shown.add(summary, &rows, Some(("wrong by", distances)));
    more(summary, SHOWN_SUSPECTS, count);
}

fn carried_by(summary: &mut Summary, shown: &Shown, all: usize, carried: &Carried) {
    match carried.features[..] {
        [feature] => summary.text("carried by", &border(shown.about, carried, feature)),
        _ => {
            let names = carried.features.iter().take(SHOWN_SUSPECTS);
            let names: Vec<String> = names.map(|&k| shown.about.feature(k)).collect();
            let features = counted(carried.features.len() as u64, "feature");
            summary.text("carried by", &format!("{features}: {}", names.join(", ")));
            more(summary, SHOWN_SUSPECTS, carried.features.len());
        }
    }
    let strict = carried.rows.len();
    let (noun, verb) = if strict == 1 { ("row", "is") } else { ("rows", "are") };
    let rest = grouped((all - strict) as u64);
    summary.text(
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
    let rising = carried.separator.weights[feature] > linsep::proof::IBig::ZERO;
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
