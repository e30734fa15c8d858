//! Rows that probably carry a wrong label, for people and for programs.

use serde_json::{Value, json};

use super::summary::{Summary, Table, Tone};
use super::text::{SHOWN_WEIGHTS, describe_classes, describe_data};
use super::{bracket, counted, duration, number};
use linsep::audit::{Audit, AuditedRow, Proven};
use linsep::data::samples::About;
use linsep::data::{Data, Features};
use linsep::decide::{Decision, Limit, Margin, Verdict};
use linsep::model::ClassNames;
use linsep::{Error, Samples};

/// Suspects that are shown unless a number is asked for.
const SHOWN_ROWS: usize = 20;

/// The rows that are shown, with their values.
struct Shown<'a> {
    rows: &'a [AuditedRow],
    about: &'a About,
    names: &'a [String],
    samples: Option<Samples>,
}

impl<'a> Shown<'a> {
    fn fetch(
        data: &'a dyn Data,
        names: &'a [String],
        rows: &'a [AuditedRow],
    ) -> Result<Self, Error> {
        let numbers: Vec<usize> = rows.iter().map(|row| row.row).collect();
        let samples = if rows.is_empty() { None } else { Some(data.fetch(&numbers)?) };
        Ok(Shown { rows, about: data.about(), names, samples })
    }

    /// Returns the name that the data gives to a row that is shown, if it does.
    fn id(&self, place: usize) -> Option<String> {
        let ids = self.samples.as_ref()?.row_ids()?;
        Some(ids.get(place).to_string())
    }

    /// Returns what to call a row that is shown.
    fn name(&self, place: usize) -> String {
        let number = || self.about.rows.number(self.rows[place].row).to_string();
        self.id(place).unwrap_or_else(number)
    }
}

/// Returns the rows to show: so many, or the suspects.
fn shown_rows(audit: &Audit, top: Option<usize>, most: usize) -> &[AuditedRow] {
    &audit.rows[..top.unwrap_or(audit.suspects.min(most)).min(audit.rows.len())]
}

/// Returns what is proven about a row in a few words, or that nothing is.
pub(super) fn evidence(row: &AuditedRow) -> &'static str {
    match (row.contradicted, row.in_the_way) {
        (true, true) => "proven: under both labels, in the way",
        (true, false) => "proven: under both labels",
        (false, true) => "proven: in the way",
        (false, false) if row.probability >= 0.5 => "only suspicious",
        (false, false) => "none",
    }
}

/// Returns how large the margin is without a row, where that is known.
pub(super) fn margin_without(row: &AuditedRow) -> String {
    let margin = row.cost.and_then(|cost| cost.without);
    margin.map_or(String::new(), |m| super::rounded(m.lower))
}

/// Returns the word for what was found, and what it means.
pub(super) fn headline(audit: &Audit) -> (Tone, String, &'static str) {
    let suspects = counted(audit.suspects as u64, "suspect");
    match (audit.rows.is_empty(), audit.suspects) {
        (true, _) => (
            Tone::Open,
            "stopped".to_string(),
            match audit.stopped {
                Some(Limit::Cancelled) => "interrupted before any row could be judged",
                _ => "the time ran out before any row could be judged",
            },
        ),
        (false, 0) if audit.stopped.is_some() => (
            Tone::Open,
            format!("{suspects} so far"),
            "no label was found to be more probably wrong than right before the work was stopped",
        ),
        (false, 0) => (Tone::Good, suspects, "no label is more probably wrong than right"),
        (false, _) => (Tone::Mixed, suspects, "labels that are more probably wrong than right"),
    }
}

/// Returns what `audit` prints: the suspects, or the first `top` rows of the ranking.
///
/// Errors if the rows that are shown cannot be read.
pub fn text(data: &dyn Data, audit: &Audit, top: Option<usize>) -> Result<Summary, Error> {
    let (tone, word, meaning) = headline(audit);
    let mut summary = Summary::new(tone, &word, meaning);
    match audit.names.len() {
        2 => describe_data(&mut summary, data.shape(), data.about()),
        classes => describe_classes(&mut summary, data.shape(), data.about(), classes),
    }
    summary.text("work", &duration(audit.seconds));
    if let Some(limit) = audit.stopped {
        summary.text("stopped", &format!("not everything was done: {}", stopped(limit)));
    }
    if !audit.rows.is_empty() {
        let among = counted(data.shape().rows as u64, "row");
        summary.text("to expect", &format!("about {:.1} wrong labels in {among}", audit.expected));
    }
    for (word, line) in proven_lines(audit) {
        summary.text(word, &line);
    }
    let shown = Shown::fetch(data, &audit.names, shown_rows(audit, top, SHOWN_ROWS))?;
    if !shown.rows.is_empty() {
        add_rows(&mut summary, &shown);
    }
    let hidden = audit.suspects.saturating_sub(shown.rows.len());
    if hidden > 0 {
        let more = counted(hidden as u64, "more suspect");
        summary.text("", &format!("{more} (--top N shows N rows, -o FILE keeps all)"));
    }
    Ok(summary)
}

fn stopped(limit: Limit) -> &'static str {
    match limit {
        Limit::Cancelled => "it was cancelled",
        _ => "the time ran out",
    }
}

/// Returns what is proven, with a word in front of each line.
pub(super) fn proven_lines(audit: &Audit) -> Vec<(&'static str, String)> {
    let mut lines = vec![];
    if !audit.contradictions.is_empty() {
        let rows: usize = audit.contradictions.iter().map(Vec::len).sum();
        let groups = counted(audit.contradictions.len() as u64, "group");
        let rows = counted(rows as u64, "row");
        lines.push(("proven", format!("{rows} in {groups} of identical rows under both labels")));
    }
    let Some(Proven { decision, removal, without_suspects, .. }) = &audit.proven else {
        return lines;
    };
    let word = if lines.is_empty() { "proven" } else { "" };
    lines.push((word, format!("all rows: {}", verdict(decision))));
    if let Some(removal) = removal {
        let rows = counted(removal.rows.len() as u64, "row");
        let each = if removal.irreducible { ", and with any of them it is not" } else { "" };
        lines.push(("", format!("without {rows} in the way the rest is separable{each}")));
    }
    if let Some(rest) = without_suspects {
        lines.push(("", format!("without the suspects: {}", verdict(rest))));
    }
    lines
}

fn verdict(decision: &Decision) -> String {
    let Margin { kind, lower, upper } = decision.margin();
    match decision.verdict() {
        Some(Verdict::Separable) => {
            format!("separable, the largest {kind} margin is {}", bracket(lower, upper))
        }
        _ => decision.word(),
    }
}

fn add_rows(summary: &mut Summary, shown: &Shown) {
    let Some(samples) = &shown.samples else { return };
    summary.text("look at", "by the probability that the label is wrong");
    let mut table = Table::default();
    let column = |cell: &dyn Fn(&AuditedRow) -> String| shown.rows.iter().map(cell).collect();
    let label = |class: usize| shown.names[class].clone();
    let names = (0..shown.rows.len()).map(|place| shown.name(place)).collect();
    table.column("row", names, samples.row_ids().is_none());
    table.column("label", column(&|row| label(row.class)), false);
    table.column("looks like", column(&|row| label(row.suggested)), false);
    table.column("probability", column(&|row| format!("{:.3}", row.probability)), true);
    table.column("evidence", column(&|row| evidence(row).to_string()), false);
    if shown.rows.iter().any(|row| row.cost.is_some_and(|cost| cost.without.is_some())) {
        table.column("margin without it", column(&margin_without), true);
    }
    table.keep();
    if !matches!(samples.features(), Features::Sparse(_)) {
        for feature in 0..samples.columns().min(SHOWN_WEIGHTS) {
            let cells = (0..shown.rows.len()).map(|place| value(samples, place, feature));
            table.column(&shown.about.feature(feature), cells.collect(), true);
        }
        if samples.columns() > SHOWN_WEIGHTS {
            table.more();
        }
    }
    summary.table(table);
}

/// Returns one value of a row.
fn value(samples: &Samples, place: usize, feature: usize) -> String {
    let mut cell = String::new();
    samples.features().for_each(place, |k, v| {
        if k == feature {
            cell = number(v);
        }
    });
    cell
}

/// Returns what `audit --json` prints: the suspects, or the first `top` rows of the ranking. Rows are those of the file,
/// counted from 1.
///
/// Errors if rows that are named cannot be read.
pub fn json(data: &dyn Data, audit: &Audit, top: Option<usize>) -> Result<Value, Error> {
    let (shape, about) = (data.shape(), data.about());
    let shown = Shown::fetch(data, &audit.names, shown_rows(audit, top, usize::MAX))?;
    let ranking: Vec<Value> = (0..shown.rows.len())
        .map(|place| {
            let row = &shown.rows[place];
            let mut value = json!({
                "row": about.rows.number(row.row),
                "label": audit.names[row.class],
                "suggested": audit.names[row.suggested],
                "probability": row.probability,
                "against": row.against,
                "suspect": place < audit.suspects,
                "contradicted": row.contradicted,
                "in_the_way": row.in_the_way,
                "margin_weight": row.cost.map(|cost| cost.weight),
                "margin_without": row.cost.and_then(|cost| cost.without).map(|m| margin(&m)),
            });
            if let Some(id) = shown.id(place) {
                value["row_id"] = json!(id);
            }
            value
        })
        .collect();
    let numbers = |rows: &[usize]| about.rows.numbers(rows);
    let contradictions: Vec<_> = audit.contradictions.iter().map(|group| numbers(group)).collect();
    let suspects: Vec<usize> = audit.suspects().iter().map(|row| row.row).collect();
    let decided = |d: &Decision| json!({ "verdict": d.word(), "margin": margin(&d.margin()) });
    let proven = audit.proven.as_ref().map(|proven| {
        let removal = proven.removal.as_ref().map(|removal| {
            let rows: Vec<usize> = removal.rows.iter().map(|row| row.row).collect();
            json!({ "rows": numbers(&rows), "irreducible": removal.irreducible })
        });
        json!({
            "all_rows": decided(&proven.decision),
            "removal": removal,
            "without_suspects": proven.without_suspects.as_ref().map(decided),
        })
    });
    Ok(json!({
        "suspects": numbers(&suspects),
        "expected_wrong_labels": (!audit.rows.is_empty()).then_some(audit.expected),
        "ranking": ranking,
        "contradictions": contradictions,
        "proven": proven,
        "rows": shape.rows,
        "features": shape.columns,
        "classes": audit.names,
        "labels": (audit.names.len() == 2).then(|| ClassNames::from(&about.label_names)),
        "rows_dropped": about.dropped,
        "values_filled": about.filled,
        "penalty": audit.penalty,
        "stopped": audit.stopped.map(Limit::word),
        "seconds": audit.seconds,
    }))
}

/// Returns a margin; what every margin is above, or below, is no bound.
fn margin(margin: &Margin) -> Value {
    let known = |bound: f64| (bound.abs() < f64::MAX).then_some(bound);
    json!({ "kind": margin.kind, "lower": known(margin.lower), "upper": known(margin.upper) })
}

/// Returns the first line of the file of all rows; `named` if the data names them.
pub fn csv_header(named: bool) -> String {
    let id = if named { ",row_id" } else { "" };
    format!(
        "row{id},label,suggested,probability,against,contradicted,in_the_way,margin_weight,\
         margin_without_lower,margin_without_upper\n"
    )
}

/// Returns the line of a row of the audit, whose number is that of the file, and of its name if it has one.
pub fn csv_line(about: &About, audit: &Audit, row: &AuditedRow, id: Option<&str>) -> String {
    let label = |class: usize| cell(&audit.names[class]);
    let without = row.cost.and_then(|cost| cost.without);
    let bound = |bound: Option<f64>| bound.map_or(String::new(), number);
    let id = id.map_or(String::new(), |id| format!(",{}", cell(id)));
    format!(
        "{}{id},{},{},{},{},{},{},{},{},{}\n",
        about.rows.number(row.row),
        label(row.class),
        label(row.suggested),
        number(row.probability),
        number(row.against),
        row.contradicted,
        row.in_the_way,
        bound(row.cost.map(|cost| cost.weight)),
        bound(without.map(|margin| margin.lower)),
        bound(without.map(|margin| margin.upper)),
    )
}

/// Returns the text as a CSV cell.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use linsep::audit::{AuditOptions, AuditWatch, audit};
    use linsep::data::Memory;

    struct Cancelled(AtomicBool);

    impl AuditWatch for Cancelled {
        fn cancelled(&self) -> Option<&AtomicBool> {
            Some(&self.0)
        }
    }

    #[test]
    fn an_audit_that_was_interrupted_at_once_has_not_looked() {
        let values = (0..40).map(f64::from).collect();
        let samples = Samples::dense(values, 1, (0..40).map(|k| k >= 20).collect()).unwrap();
        let watch = Cancelled(AtomicBool::new(true));
        let found = audit(&samples, &AuditOptions::default(), &watch).unwrap();
        let (_, word, meaning) = headline(&found);
        assert_eq!((&word[..], meaning), ("stopped", "interrupted before any row could be judged"));
        let value = json(&Memory::new(&samples), &found, None).unwrap();
        assert_eq!(value["expected_wrong_labels"], Value::Null);
        assert_eq!(value["stopped"], "cancelled");
    }
}
