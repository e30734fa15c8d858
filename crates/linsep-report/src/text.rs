//! Results for people: a few lines, a table, or a CSV of epochs.

use std::fmt::Write;

use super::summary::{STAY, Summary, Tone, add_distances};
use super::voice::{Remedy, Voice};
use super::{counted, duration, grouped, number, rounded};
use linsep::Hyperplane;
use linsep::ask::{DataFacts, FitAnswer, RaceAnswer};
use linsep::data::error::Column;
use linsep::data::samples::Encoded;
use linsep::online::{EpochRecord, Fit, MethodSettings, Scaling, Stop};
use linsep::race::Entrant;

/// Weights that are spelled out before the rest is left to the model file.
pub(super) const SHOWN_WEIGHTS: usize = 8;

/// Returns a fit for people.
pub fn fit(answer: &FitAnswer, voice: &dyn Voice) -> Summary {
    let FitAnswer { data, fit, question, .. } = answer;
    let mut summary = headline(data.shape.rows as u64, fit);
    let scaled = if question.scale.is_none() { "" } else { ", columns standardised" };
    summary.text("method", &format!("{}{scaled}", describe(&question.method)));
    describe_data(&mut summary, data, voice);
    summary.text(
        "work",
        &format!(
            "{}, {}, {} evaluated in {}",
            counted(fit.epochs, "epoch"),
            counted(fit.updates, "update"),
            counted(fit.rows_evaluated, "row"),
            duration(fit.seconds)
        ),
    );
    let margin = &fit.evaluation.margin;
    let (geometric, angular) = (optional(margin.geometric), optional(margin.angular));
    summary.text("margin", &format!("{geometric} geometric, {angular} angular"));
    match (fit.margin_bound.map(rounded), question.scale) {
        (Some(bound), Scaling::None) => {
            summary.text("", &format!("no hyperplane has an angular margin above {bound}"));
        }
        (_, Scaling::None) => {}
        (bound, _) => {
            let own = optional(fit.scaled_margin);
            let bound = bound.map_or(String::new(), |bound| format!("; none is above {bound}"));
            summary.text("", &format!("{own} angular among the scaled rows{bound}"));
        }
    }
    if let Some(bound) = answer.updates_bound() {
        summary.text("", &guarantee(&question.method, bound));
    }
    add_distances(&mut summary, answer.distances.as_ref(), data.classes(), "the hyperplane");
    let remedy = voice.spell(Remedy::SeeModel);
    summary.text("hyperplane", &equation(&fit.hyperplane, data, voice, &remedy));
    if let Some(times) = answer.columns_differ {
        let remedy = voice.option("scale", Some("standard"));
        let why = "so the method hardly learns from the small ones";
        let times = grouped(times.min(1e15) as u64);
        summary.text(
            "columns",
            &format!(
                "their deviations differ up to {times} times, {why} ({remedy} evens them out)"
            ),
        );
    }
    let next = match fit.stop {
        Stop::LooksInseparable => {
            Some(("rows cancel as far as rounding shows", "proves it, or finds the hyperplane"))
        }
        Stop::Rounded => Some((
            "the method is right on all rows, by less than the numbers of the hyperplane can hold",
            "tells whether another is right by more",
        )),
        _ => None,
    };
    if let Some((what, then)) = next {
        let decide = voice.spell(Remedy::Decide);
        summary.text("next", &format!("{what}: {decide} {then}"));
    }
    if answer.sorted_by_class && !fit.separated() {
        let remedy = voice.option("shuffle", None);
        let why =
            "the rows are sorted by class, and online methods often learn little from that order";
        summary.text("order", &format!("{why} ({remedy} visits them in random orders)"));
    }
    summary
}

/// Returns what a table is, where its rows are, and what became of its columns; `classes` where these are more than two.
pub fn table(
    data: &DataFacts,
    classes: Option<&[String]>,
    name: &str,
    place: &str,
    voice: &dyn Voice,
) -> Summary {
    let mut summary = Summary::new(Tone::Quiet, "table", name);
    match classes {
        Some(classes) => describe_classes(&mut summary, data, classes.len(), voice),
        None => describe_data(&mut summary, data, voice),
    }
    match &data.about.label_column {
        Some(Column::Name(name)) => summary.text("label", &format!("column \"{name}\"")),
        Some(Column::Number(number)) => summary.text("label", &format!("column {number}")),
        None => {}
    }
    summary.text("rows", place);
    summary
}

/// Adds what the data is, and what became of the table that it was read from.
pub(super) fn describe_data(summary: &mut Summary, data: &DataFacts, voice: &dyn Voice) {
    let [negative, positive] = data.classes();
    let size = size(data);
    summary.text("data", &format!("{size}; positive \"{positive}\", negative \"{negative}\""));
    notes(data, voice).iter().for_each(|note| summary.text("", note));
}

/// Adds what data of many classes is, and what became of the table that it was read from.
pub(super) fn describe_classes(
    summary: &mut Summary,
    data: &DataFacts,
    count: usize,
    voice: &dyn Voice,
) {
    let classes = counted(count as u64, "class");
    summary.text("data", &format!("{}, {classes}", size(data)));
    notes(data, voice).iter().for_each(|note| summary.text("", note));
}

/// Returns how many rows and features there are.
pub(super) fn size(data: &DataFacts) -> String {
    let [rows, features] = [(data.shape.rows, "row"), (data.shape.columns, "feature")]
        .map(|(count, noun)| counted(count as u64, noun));
    format!("{rows}, {features}")
}

/// Returns what became of the table that the data was read from, as far as it is not plain.
pub(super) fn notes(data: &DataFacts, voice: &dyn Voice) -> Vec<String> {
    let about = &data.about;
    let mut notes = vec![];
    if about.dropped > 0 {
        let most = if about.dropped > data.shape.rows { ": most of the table" } else { "" };
        let dropped = counted(about.dropped as u64, "row");
        notes.push(format!("{dropped} with missing values dropped{most}"));
    }
    if about.filled > 0 {
        notes.push(format!("{} filled in", counted(about.filled, "missing value")));
    }
    let categories: Vec<String> =
        about.encoding.iter().flat_map(|e| &e.columns).filter_map(category).collect();
    if !categories.is_empty() {
        notes.push(format!("one feature per level of {}", shortened(&categories)));
    }
    let take = voice.option("features", None);
    let left_out = about.left_out.iter();
    notes
        .extend(left_out.map(|column| format!("left out {column} ({take} takes it all the same)")));
    notes
}

fn category(encoded: &Encoded) -> Option<String> {
    match encoded {
        Encoded::Number { .. } => None,
        Encoded::Category { column, levels, first_dropped, .. } => {
            let without = levels.first().filter(|_| *first_dropped);
            let without = without.map_or(String::new(), |level| format!(" but \"{level}\""));
            Some(format!("{column} ({}{without})", counted(levels.len() as u64, "level")))
        }
    }
}

fn shortened(items: &[String]) -> String {
    match items.len() > SHOWN_WEIGHTS {
        true => format!(
            "{}, … and {} more",
            items[..SHOWN_WEIGHTS].join(", "),
            items.len() - SHOWN_WEIGHTS
        ),
        false => items.join(", "),
    }
}

fn headline(rows: u64, fit: &Fit) -> Summary {
    let (tone, verdict, meaning) = outcome(rows, fit);
    Summary::new(tone, verdict, &meaning)
}

/// Returns how a fit ended: in a word, and what that means.
pub(super) fn outcome(rows: u64, fit: &Fit) -> (Tone, &'static str, String) {
    let mistakes = format!(
        "{} of {} on the wrong side",
        grouped(fit.evaluation.mistakes),
        counted(rows, "row")
    );
    match fit.stop {
        Stop::Separated => {
            (Tone::Good, "separated", format!("all {} on their own side", counted(rows, "row")))
        }
        Stop::Converged => {
            (Tone::Bad, "not separated", format!("{mistakes} at the method's own end"))
        }
        Stop::Rounded => (Tone::Bad, "not separated", format!("{mistakes}, by rounding")),
        Stop::LooksInseparable => {
            let epochs = counted(fit.epochs, "epoch");
            (Tone::Open, "looks inseparable", format!("{mistakes}, the best of {epochs}"))
        }
        Stop::EpochLimit => {
            let epochs = counted(fit.epochs, "epoch");
            (Tone::Bad, "not separated", format!("{mistakes} after {epochs}"))
        }
        Stop::TimeLimit => {
            (Tone::Open, "stopped by the time limit", format!("{mistakes}, the best so far"))
        }
        Stop::Cancelled => (Tone::Open, "interrupted", format!("{mistakes}, the best so far")),
    }
}

/// Returns a method's name and its settings.
pub(super) fn describe(method: &MethodSettings) -> String {
    let settings = serde_json::to_value(method).expect("settings are plain data");
    let shown: Vec<String> = settings
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "name")
        .map(|(key, value)| match value {
            serde_json::Value::Number(n) => format!("{key} {}", number(n.as_f64().unwrap_or(0.0))),
            serde_json::Value::String(s) => format!("{key} {s}"),
            other => format!("{key} {other}"),
        })
        .collect();
    match shown.is_empty() {
        true => method.name().to_string(),
        false => format!("{} ({})", method.name(), shown.join(", ")),
    }
}

/// Says how many updates a method makes at most with the margin that stands before it.
pub(super) fn guarantee(method: &MethodSettings, bound: f64) -> String {
    let updates = if bound == 1.0 { "update" } else { "updates" };
    format!("{} guarantees at most {} {updates} at this margin", method.name(), at_most(bound))
}

/// Returns a bound on a count for people, if there is one.
pub(super) fn at_most(bound: f64) -> String {
    match bound < 1e9 {
        true => grouped(bound as u64),
        false => format!("{bound:.1e}"),
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or("undefined".to_string(), rounded)
}

/// Returns the hyperplane as an inequality, its terms kept together where lines end, or its size and the remedy
/// where it is long.
pub(super) fn equation(
    hyperplane: &Hyperplane,
    data: &DataFacts,
    voice: &dyn Voice,
    remedy: &str,
) -> String {
    let weights = &hyperplane.weights;
    if weights.len() > SHOWN_WEIGHTS {
        return format!(
            "{} weights and a bias of {} ({remedy})",
            grouped(weights.len() as u64),
            rounded(hyperplane.bias)
        );
    }
    let mut text = String::new();
    for (k, &weight) in weights.iter().enumerate() {
        push_term(&mut text, weight, &format!("{STAY}{}", voice.feature(data, k)));
    }
    push_term(&mut text, hyperplane.bias, "");
    text.push_str(&format!(" >{STAY}0 is positive"));
    text
}

fn push_term(text: &mut String, value: f64, name: &str) {
    let sign = match (text.is_empty(), value.is_sign_negative()) {
        (true, true) => "-".to_string(),
        (true, false) => String::new(),
        (false, true) => format!(" -{STAY}"),
        (false, false) => format!(" +{STAY}"),
    };
    text.push_str(&format!("{sign}{}{name}", rounded(value.abs())));
}

/// The column of bounds in the table of a race, left out where there are none.
const BOUND: usize = 4;

/// Returns a race for people: one row per method, and under them in which order rows were visited, if that needs a word.
pub fn race(answer: &RaceAnswer, voice: &dyn Voice) -> String {
    let header = [
        "method",
        "separated",
        "epochs",
        "updates",
        "at most",
        "mistakes",
        "accuracy",
        "passes",
        "margin",
        "seconds",
    ];
    let rows = answer.data.shape.rows as f64;
    let body = answer.entrants.iter().map(|Entrant { method, fit }| {
        let evaluation = &fit.evaluation;
        [
            method.name().to_string(),
            if fit.separated() { "yes" } else { "no" }.to_string(),
            grouped(fit.epochs),
            grouped(fit.updates),
            answer.updates_bound(method).map_or("-".into(), at_most),
            grouped(evaluation.mistakes),
            format!("{:.4} %", 100.0 * evaluation.accuracy()),
            format!("{:.1}", fit.rows_evaluated as f64 / rows),
            evaluation.margin.angular.map_or("-".into(), |m| format!("{m:.1e}")),
            format!("{:.3}", fit.seconds),
        ]
    });
    let table: Vec<[String; 10]> =
        std::iter::once(header.map(str::to_string)).chain(body).collect();
    let width = |k: usize| table.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let bounded = answer.entrants.iter().any(|own| answer.updates_bound(&own.method).is_some());
    let mut out = String::new();
    for row in &table {
        for (k, cell) in row.iter().enumerate() {
            match k {
                BOUND if !bounded => Ok(()),
                0 => write!(out, "{cell:<0$}", widths[k]),
                _ => write!(out, "  {cell:>0$}", widths[k]),
            }
            .expect("memory takes all");
        }
        out.push('\n');
    }
    if let Some(order) = order(answer, voice) {
        out.push_str(&format!("{order}\n"));
    }
    out
}

/// Returns in which order rows were visited, if that needs a word.
pub(super) fn order(answer: &RaceAnswer, voice: &dyn Voice) -> Option<String> {
    let RaceAnswer { shuffled, sorted_by_class, question, .. } = answer;
    let keep = || voice.option("no_shuffle", None);
    match (shuffled, sorted_by_class, question.shuffle) {
        (true, true, None) => Some(format!(
            "the rows are sorted by class, so each epoch visits them in a new random order ({} keeps theirs)",
            keep()
        )),
        (true, ..) => {
            Some("rows in a new random order each epoch, the same for all methods".to_string())
        }
        (false, true, _) => Some(
            "the rows are visited in their order, sorted by class: slow to learn from".to_string(),
        ),
        (false, false, _) => None,
    }
}

/// Returns a CSV of epochs, one line each. Times are left out: the same run gives the same bytes.
pub fn history(runs: &[(&MethodSettings, &Fit)]) -> String {
    let mut text = "method,epoch,mistakes,updates,rows_evaluated,mistakes_after\n".to_string();
    for (method, fit) in runs {
        for record in &fit.history {
            let EpochRecord { epoch, mistakes, updates, rows_evaluated, .. } = record;
            let after = record.evaluated_mistakes.map_or(String::new(), |n| n.to_string());
            let name = method.name();
            text.push_str(&format!(
                "{name},{epoch},{mistakes},{updates},{rows_evaluated},{after}\n"
            ));
        }
    }
    text
}
