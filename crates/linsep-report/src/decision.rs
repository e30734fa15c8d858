//! A decision and its explanation for people.

use super::summary::{Summary, TextTable, Tone, add_distances};
use super::text::{SHOWN_WEIGHTS, describe_data, equation};
use super::voice::{Remedy, Voice};
use super::{bracket, checked, counted, duration, grouped, number, rounded};
use linsep::ask::{CitedRow, DecideAnswer};
use linsep::decide::{
    Carried, Decision, Explanation, Limit, MarginBounds, Outcome, Removal, Verdict,
};

/// Conflicting rows that are shown, and groups of duplicates.
const SHOWN_ROWS: usize = 8;
/// Rows to remove that are shown, and numbers of rows in a list.
const SHOWN_SUSPECTS: usize = 20;

/// The rows that are shown.
struct ShownRows<'a> {
    answer: &'a DecideAnswer,
    voice: &'a dyn Voice,
}

impl ShownRows<'_> {
    /// Returns what a row is called.
    fn name(&self, row: usize) -> String {
        self.voice.row(&self.answer.data, &self.answer.rows, row)
    }

    fn label(&self, row: usize) -> String {
        let positive = self.answer.rows.get(row).is_some_and(|row| row.positive);
        self.answer.data.classes()[usize::from(positive)].to_string()
    }

    /// Returns the first values of a row, with their names.
    fn values(&self, row: usize) -> Vec<String> {
        let Some(CitedRow { values, stored, .. }) = self.answer.rows.get(row) else {
            return vec![];
        };
        let value = |&(k, v): &(usize, f64)| {
            format!("{} {}", self.voice.feature(&self.answer.data, k), number(v))
        };
        let mut shown: Vec<String> = values.iter().map(value).collect();
        if *stored > shown.len() {
            shown.push("…".to_string());
        }
        shown
    }

    /// Adds rows with their labels, what `more` says of each, and their first values: as a table, or one by
    /// one where each stores other features.
    fn add(&self, summary: &mut Summary, rows: &[usize], more: Option<(&str, Vec<String>)>) {
        let shape = self.answer.data.shape;
        if shape.sparse {
            for (k, &row) in rows.iter().enumerate() {
                let more = more.as_ref().map(|(name, cells)| format!(", {name} {}", cells[k]));
                let labelled = format!("row {}, \"{}\"", self.name(row), self.label(row));
                let lead = format!("{labelled}{}: ", more.unwrap_or_default());
                summary.list("", &lead, &self.values(row));
            }
            return;
        }
        if rows.is_empty() {
            return;
        }
        let mut table = TextTable::default();
        let names: Vec<String> = rows.iter().map(|&row| self.name(row)).collect();
        table.column("row", names, !self.answer.rows.are_named());
        table.column("label", rows.iter().map(|&row| self.label(row)).collect(), false);
        if let Some((name, cells)) = more {
            table.column(name, cells, true);
        }
        table.keep();
        for feature in 0..shape.columns.min(SHOWN_WEIGHTS) {
            let cell = |&row: &usize| {
                let value = self.answer.rows.get(row).and_then(|row| row.value(feature));
                value.map_or(String::new(), number)
            };
            let name = self.voice.feature(&self.answer.data, feature);
            table.column(&name, rows.iter().map(cell).collect(), true);
        }
        if shape.columns > SHOWN_WEIGHTS {
            table.more();
        }
        summary.table(table);
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

    /// Says how many there are beyond those that are shown.
    fn more(&self, summary: &mut Summary, shown: usize, all: usize, what: &'static str) {
        if all > shown {
            let more = grouped((all - shown) as u64);
            let remedy = self.voice.spell(Remedy::SeeAll(what));
            summary.text("", &format!("… and {more} more ({remedy})"));
        }
    }
}

/// Returns an answer about two classes for people.
pub fn text(answer: &DecideAnswer, voice: &dyn Voice) -> Summary {
    let DecideAnswer { data, decision, explanation, .. } = answer;
    let shown = ShownRows { answer, voice };
    let mut summary = headline(decision, voice);
    describe_data(&mut summary, data, voice);
    summary.text("work", &work(answer));
    if decision.left_out {
        summary.text("left out", "the dual problem, which needs all rows in memory");
    }
    let keep = voice.spell(Remedy::KeepProof);
    let checked = checked(decision.outcome.matrix().is_some());
    match (decision.proof(), decision.verdict()) {
        (Some(_), Some(_)) => {
            summary.text("proof", &format!("{checked} ({keep})"));
        }
        (Some(_), None) => {
            summary.text("proof", &format!("that much is {checked} ({keep})"));
        }
        (None, _) => {}
    }
    if !decision.is_ruled_out() {
        margin(&mut summary, answer);
    }
    let whose = match decision.verdict() {
        Some(Verdict::Separable) => "the hyperplane",
        _ => "the best hyperplane met",
    };
    add_distances(&mut summary, answer.distances.as_ref(), data.classes(), whose);
    if decision.is_ruled_out() {
        conflict(&mut summary, &shown, decision);
        if let Some(explanation) = explanation {
            explain(&mut summary, &shown, decision.conflicting_rows().len(), explanation);
        }
    } else if let Some(hyperplane) = decision.hyperplane() {
        let remedy = voice.spell(Remedy::SeeWeights);
        summary.text("hyperplane", &equation(hyperplane, data, voice, &remedy));
    }
    if answer.is_unexplained() {
        let why = "the explanation, which needs all rows in memory: they do not fit";
        summary.text("left out", why);
    }
    if let Some(checkpoint) = &answer.checkpoint {
        let passes = answer.question.max_passes.is_some();
        summary.text("go on", &voice.spell(Remedy::Resume { checkpoint, passes }));
    }
    summary
}

/// Adds what is known of the largest margin, and whether chance would have made one as well.
fn margin(summary: &mut Summary, answer: &DecideAnswer) {
    let MarginBounds { kind, lower, upper } = answer.decision.margin();
    // What every margin is above, or below, is no bound.
    let known = |bound: f64| bound.abs() < f64::MAX;
    let value = match (known(lower), known(upper)) {
        (true, true) => bracket(lower, upper),
        (true, false) => format!("at least {}", rounded(lower)),
        (false, true) => format!("at most {}", rounded(upper)),
        (false, false) => "not bounded yet".to_string(),
    };
    summary.text("margin", &format!("the largest {kind} margin is {value}"));
    if answer.is_bracket_open() {
        summary.text("", "both bounds are proven; rounding, not a limit, keeps them apart");
    }
    if answer.decision.verdict() == Some(Verdict::Separable)
        && let Some(cheap) = cheap(answer)
    {
        summary.text("chance", &cheap);
    }
}

/// Adds why data is not separable.
fn explain(
    summary: &mut Summary,
    shown: &ShownRows,
    conflicting: usize,
    explanation: &Explanation,
) {
    // Two rows in conflict have been called the same row already.
    if conflicting > 2 || explanation.contradictions.len() > 1 {
        duplicates(summary, shown, &explanation.contradictions);
    }
    if let Some(carried) = &explanation.carried_by {
        carried_by(summary, shown, carried);
    }
    removal(summary, shown, explanation.removal.as_ref());
}

/// Returns that as many rows would probably separate whatever their labels, if that is so.
fn cheap(answer: &DecideAnswer) -> Option<String> {
    let (rows, features) = (answer.data.shape.rows, answer.data.shape.columns);
    let chance = answer.chance();
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

fn headline(decision: &Decision, voice: &dyn Voice) -> Summary {
    let (tone, meaning) = match &decision.outcome {
        Outcome::Separable { .. } => {
            (Tone::Good, "a hyperplane puts every row strictly on its own side".to_string())
        }
        Outcome::QuasiSeparable { .. } => (
            Tone::Mixed,
            "a hyperplane puts no row on the wrong side, but none puts every row strictly on its own"
                .to_string(),
        ),
        Outcome::Inseparable { .. } => {
            (Tone::Bad, "no hyperplane separates the classes, not even weakly".to_string())
        }
        Outcome::Undecided { conflict, because, .. } => {
            (Tone::Open, open(conflict.is_some(), *because, voice))
        }
    };
    Summary::new(tone, &decision.word(), &meaning)
}

/// Returns why there is no verdict, and what is known all the same.
fn open(conflict: bool, because: Limit, voice: &dyn Voice) -> String {
    match (conflict, because) {
        (false, _) => unproven(because, voice),
        (true, Limit::Unconfirmed) => {
            "no hyperplane separates the classes strictly; whether one does weakly could not be confirmed".to_string()
        }
        (true, _) => "no hyperplane separates the classes strictly; whether one does weakly was still open when a \
             limit was reached"
            .to_string(),
    }
}

/// Returns why no answer was proven, and what allows more.
pub(super) fn unproven(because: Limit, voice: &dyn Voice) -> String {
    match because {
        Limit::Unconfirmed => "what was found could not be confirmed".to_string(),
        because => format!(
            "{} before an answer was proven{}",
            ran_out(because),
            allow_more(because, voice)
        ),
    }
}

/// Returns which limit was reached.
pub(super) fn ran_out(because: Limit) -> &'static str {
    match because {
        Limit::Passes => "the passes ran out",
        Limit::Time => "the time ran out",
        _ => "stopped",
    }
}

/// Returns what allows more, in brackets.
pub(super) fn allow_more(because: Limit, voice: &dyn Voice) -> String {
    let option = match because {
        Limit::Passes => "max_passes",
        Limit::Time => "time_limit",
        _ => return String::new(),
    };
    format!(" ({} allows more)", voice.option(option, None))
}

/// Returns what it took.
pub(super) fn work(answer: &DecideAnswer) -> String {
    let DecideAnswer { decision, explanation, .. } = answer;
    let mut work =
        format!("{} in {}", counted(decision.passes, "pass"), duration(decision.seconds));
    if decision.drawing_passes > 0 {
        work.push_str(&format!(", {} of them to draw", grouped(decision.drawing_passes)));
    }
    if explanation.is_some() && decision.is_ruled_out() {
        // It works on rows in memory, and on few of them most of the time.
        work.push_str("; the explanation is not counted");
    }
    work
}

fn conflict(summary: &mut Summary, shown: &ShownRows, decision: &Decision) {
    let rows = decision.telling_rows();
    let count = counted(rows.len() as u64, "row");
    let headline = match (&rows[..], decision.outcome.matrix()) {
        // Two rows of opposite labels cancel only if they are the same row.
        ([a, b], None) => {
            format!("rows {} are the same row under both labels:", shown.list(&[*a, *b]))
        }
        (_, None) => format!("{count} that rule a strict separation out:"),
        (_, Some(_)) => {
            let exact = shown.voice.option("conflict", Some("exact"));
            format!(
                "{count} rule it out by one matrix ({exact} finds rows that cancel); the heaviest:"
            )
        }
    };
    summary.text("conflict", &headline);
    shown.add(summary, &rows[..rows.len().min(SHOWN_ROWS)], None);
    shown.more(summary, SHOWN_ROWS, rows.len(), "conflicting_rows");
    if let Some((a, b)) = decision.contradiction.filter(|_| rows.len() > 2) {
        let same = format!("rows {} are the same row under both labels", shown.list(&[a, b]));
        summary.text("", &same);
    }
}

fn duplicates(summary: &mut Summary, shown: &ShownRows, groups: &[Vec<usize>]) {
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
    shown.more(summary, SHOWN_ROWS, groups.len(), "explanation.contradictions");
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

fn removal(summary: &mut Summary, shown: &ShownRows, removal: Option<&Removal>) {
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
    shown.more(summary, SHOWN_SUSPECTS, count, "explanation.suspects");
}

fn carried_by(summary: &mut Summary, shown: &ShownRows, carried: &Carried) {
    let all = shown.answer.data.shape.rows;
    match carried.features[..] {
        [feature] => summary.text("carried by", &border(shown, carried, feature)),
        _ => {
            let names = carried.features.iter().take(SHOWN_SUSPECTS);
            let names: Vec<String> =
                names.map(|&k| shown.voice.feature(&shown.answer.data, k)).collect();
            let features = counted(carried.features.len() as u64, "feature");
            summary.text("carried by", &format!("{features}: {}", names.join(", ")));
            shown.more(
                summary,
                SHOWN_SUSPECTS,
                carried.features.len(),
                "explanation.carried_features",
            );
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

/// Returns what a single feature says: a value, and the side of it that has only one class.
fn border(shown: &ShownRows, carried: &Carried, feature: usize) -> String {
    let data = &shown.answer.data;
    let border = carried.border.unwrap_or_default();
    let rising = carried.separator.weights[feature] > linsep::proof::IBig::ZERO;
    let says = |positive: bool| {
        let side = if positive == rising { "above" } else { "below" };
        let strict = carried.classes[usize::from(positive)];
        strict.then(|| {
            format!(
                "{side} {} every row is \"{}\"",
                number(border),
                data.classes()[usize::from(positive)]
            )
        })
    };
    let sides: Vec<String> = [true, false].into_iter().filter_map(says).collect();
    format!("{}: {}", shown.voice.feature(data, feature), sides.join(", "))
}
