//! Rows that probably carry a wrong label, for people and for programs.

use super::summary::{Summary, TextTable, Tone};
use super::text::{SHOWN_WEIGHTS, describe_classes, describe_data};
use super::voice::{Remedy, Voice};
use super::{bracket, counted, csv_cell, duration, number};
use linsep::ask::AuditAnswer;
use linsep::audit::{Audit, AuditedRow, Proven};
use linsep::decide::{Decision, Limit, MarginBounds, Verdict};

/// Suspects that are shown unless a number is asked for.
const SHOWN_ROWS: usize = 20;

/// Returns the evidence against a row's label in a few words.
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

/// Returns an audit for people: the suspects, or as many rows of the ranking as were asked for.
pub fn text(answer: &AuditAnswer, voice: &dyn Voice) -> Summary {
    let AuditAnswer { data, audit, .. } = answer;
    let (tone, word, meaning) = headline(audit);
    let mut summary = Summary::new(tone, &word, meaning);
    match audit.names.len() {
        2 => describe_data(&mut summary, data, voice),
        classes => describe_classes(&mut summary, data, classes, voice),
    }
    summary.text("work", &duration(audit.seconds));
    if let Some(limit) = audit.stopped {
        summary.text("stopped", &format!("not everything was done: {}", stopped(limit)));
    }
    if !audit.rows.is_empty() {
        let among = counted(data.shape.rows as u64, "row");
        summary.text("to expect", &format!("about {:.1} wrong labels in {among}", audit.expected));
    }
    for (word, line) in proven_lines(audit) {
        summary.text(word, &line);
    }
    let shown = answer.shown(SHOWN_ROWS);
    if !shown.is_empty() {
        add_rows(&mut summary, answer, shown, voice);
    }
    let hidden = audit.suspects.saturating_sub(shown.len());
    if hidden > 0 {
        let more = counted(hidden as u64, "more suspect");
        summary.text("", &format!("{more} ({})", voice.spell(Remedy::SeeRanking)));
    }
    summary
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
    let MarginBounds { kind, lower, upper } = decision.margin();
    match decision.verdict() {
        Some(Verdict::Separable) => {
            format!("separable, the largest {kind} margin is {}", bracket(lower, upper))
        }
        _ => decision.word(),
    }
}

fn add_rows(summary: &mut Summary, answer: &AuditAnswer, shown: &[AuditedRow], voice: &dyn Voice) {
    let AuditAnswer { data, audit, rows, .. } = answer;
    summary.text("look at", "by the probability that the label is wrong");
    let mut table = TextTable::default();
    let column = |cell: &dyn Fn(&AuditedRow) -> String| shown.iter().map(cell).collect();
    let label = |class: usize| audit.names[class].clone();
    table.column("row", column(&|row| voice.row(data, rows, row.row)), !rows.are_named());
    table.column("label", column(&|row| label(row.class)), false);
    table.column("looks like", column(&|row| label(row.suggested)), false);
    table.column("probability", column(&|row| format!("{:.3}", row.probability)), true);
    table.column("evidence", column(&|row| evidence(row).to_string()), false);
    if shown.iter().any(|row| row.cost.is_some_and(|cost| cost.without.is_some())) {
        table.column("margin without it", column(&margin_without), true);
    }
    table.keep();
    if !data.shape.sparse {
        for feature in 0..data.shape.columns.min(SHOWN_WEIGHTS) {
            let value = |row: &AuditedRow| {
                let value = rows.get(row.row).and_then(|row| row.value(feature));
                value.map_or(String::new(), number)
            };
            table.column(&voice.feature(data, feature), column(&value), true);
        }
        if data.shape.columns > SHOWN_WEIGHTS {
            table.more();
        }
    }
    summary.table(table);
}

/// Returns the file of all rows, the most suspicious first: rows are those of the file, counted from 1.
pub fn csv(answer: &AuditAnswer) -> String {
    let named = answer.rows.are_named();
    let mut text = csv_header(named);
    text.extend(answer.audit.rows.iter().map(|row| csv_line(answer, row)));
    text
}

/// Returns the first line of the file of all rows; `named` if the data names them.
fn csv_header(named: bool) -> String {
    let id = if named { ",row_id" } else { "" };
    format!(
        "row{id},label,suggested,probability,against,contradicted,in_the_way,margin_weight,\
         margin_without_lower,margin_without_upper\n"
    )
}

/// Returns the line of a row of the audit.
fn csv_line(answer: &AuditAnswer, row: &AuditedRow) -> String {
    let (audit, id) = (&answer.audit, answer.rows.name(row.row));
    let label = |class: usize| csv_cell(&audit.names[class]);
    let without = row.cost.and_then(|cost| cost.without);
    let bound = |bound: Option<f64>| bound.map_or(String::new(), number);
    let id = id.map_or(String::new(), |id| format!(",{}", csv_cell(id)));
    format!(
        "{}{id},{},{},{},{},{},{},{},{},{}\n",
        answer.data.row(row.row, 1),
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
