//! Results for programs: one JSON object each. Its keys are a contract.

use serde_json::{Value, json};

use linsep::Error;
use linsep::cover::chance;
use linsep::data::error::Column;
use linsep::data::samples::About;
use linsep::data::{Data, Shape};
use linsep::decide::{Conflict, Decision, Explanation, Limit, RemovedRow};
use linsep::model::ClassNames;
use linsep::online::{EpochRecord, Fit, MethodSettings};
use linsep::race::Entrant;

/// Returns what `fit --json` prints.
pub fn fit(data: &dyn Data, method: &MethodSettings, fit: &Fit) -> Value {
    let mut value = summary(data.shape(), method, fit);
    let about = data.about();
    let more = json!({
        "labels": ClassNames::from(&about.label_names),
        "feature_names": about.feature_names,
        "rows_dropped": about.dropped,
        "values_filled": about.filled,
        "columns_left_out": left_out(about),
        "weights": fit.hyperplane.weights,
        "bias": fit.hyperplane.bias,
    });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

/// Returns what `decide --json` prints. Rows are those of the file, counted from 1, and named if the data names them.
///
/// Errors if rows that are named cannot be read.
pub fn decision(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
) -> Result<Value, Error> {
    let rows: Vec<usize> = decision.conflict().map(Conflict::rows).unwrap_or_default();
    let names = match rows.is_empty() {
        true => None,
        false => data.fetch(&rows)?.row_ids().cloned(),
    };
    let names = names.map(|ids| (0..ids.len()).map(|i| ids.get(i).to_string()).collect::<Vec<_>>());
    let (shape, about) = (data.shape(), data.about());
    let rows = about.rows.numbers(&rows);
    let (margin, hyperplane) = (decision.margin(), decision.hyperplane());
    let mut value = json!({
        "verdict": decision.word(),
        "because": decision.because().map(Limit::word),
        "way": decision.way,
        "left_out": if decision.left_out { vec!["dual"] } else { vec![] },
        "passes": decision.passes,
        "proving_passes": decision.proving_passes,
        "rows": shape.rows,
        "features": shape.columns,
        "feature_names": about.feature_names,
        "rows_dropped": about.dropped,
        "values_filled": about.filled,
        "columns_left_out": left_out(about),
        "labels": ClassNames::from(&about.label_names),
        "margin": {
            "kind": margin.kind,
            "lower": known(margin.lower),
            "upper": known(margin.upper),
        },
        "chance": chance(shape.rows, shape.columns),
        "conflicting_rows": rows,
        "contradictory_rows": decision.contradiction.map(|(a, b)| about.rows.numbers(&[a, b])),
        "explanation": explanation.map(|explanation| self::explanation(about, explanation)),
        "weights": hyperplane.map(|h| &h.weights),
        "bias": hyperplane.map(|h| h.bias),
        "proof": decision.proof(),
        "seconds": decision.seconds,
    });
    if let Some(names) = names {
        value["conflicting_row_ids"] = json!(names);
    }
    Ok(value)
}

fn left_out(about: &About) -> Vec<Value> {
    let column = |column: &Column| match column {
        Column::Name(name) => json!(name),
        Column::Number(number) => json!(number),
    };
    about.left_out.iter().map(|left_out| column(&left_out.column)).collect()
}

/// Returns a bound on a margin; what every margin is above, or below, is none.
pub(super) fn known(bound: f64) -> Option<f64> {
    (bound.abs() < f64::MAX).then_some(bound)
}

pub(super) fn explanation(about: &About, explanation: &Explanation) -> Value {
    let contradictions: Vec<_> =
        explanation.contradictions.iter().map(|group| about.rows.numbers(group)).collect();
    let removal = explanation.removal.as_ref().map(|removal| {
        let row = |r: &RemovedRow| {
            json!({ "row": about.rows.number(r.row), "distance": finite(r.distance) })
        };
        json!({
            "rows": removal.rows.iter().map(row).collect::<Vec<Value>>(),
            "irreducible": removal.irreducible,
            "best_effort": !removal.smallest(),
            "at_least": removal.at_least,
            "at_most": removal.at_most(),
            "conflicts": removal.conflicts.len(),
        })
    });
    let carried_by = explanation.carried_by.as_ref().map(|carried| {
        let name = |&k: &usize| match &about.feature_names {
            Some(names) => json!(names[k]),
            None => json!(k + 1),
        };
        json!({
            "features": carried.features.iter().map(name).collect::<Vec<Value>>(),
            "rows": about.rows.numbers(&carried.rows),
        })
    });
    json!({ "contradictions": contradictions, "removal": removal, "carried_by": carried_by })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Returns what `race --json` prints. `shuffled` says whether rows were visited in random orders.
pub fn race(data: &dyn Data, entrants: &[Entrant], shuffled: bool) -> Value {
    let shape = data.shape();
    let methods: Vec<Value> = entrants
        .iter()
        .map(|entrant| {
            let mut value = summary(shape, &entrant.method, &entrant.fit);
            value["history"] = entrant.fit.history.iter().map(epoch).collect();
            value
        })
        .collect();
    json!({
        "rows": shape.rows,
        "features": shape.columns,
        "shuffled": shuffled,
        "methods": methods,
    })
}

/// Returns what is common to all that a fit says.
pub(super) fn summary(shape: Shape, method: &MethodSettings, fit: &Fit) -> Value {
    let evaluation = &fit.evaluation;
    let mut settings = serde_json::to_value(method).expect("settings are plain data");
    if let Value::Object(map) = &mut settings {
        map.shift_remove("name");
    }
    json!({
        "method": method.name(),
        "settings": settings,
        "separated": fit.separated(),
        "stop": fit.stop,
        "epochs": fit.epochs,
        "updates": fit.updates,
        "mistakes": evaluation.mistakes,
        "accuracy": evaluation.accuracy(),
        "rows": shape.rows,
        "features": shape.columns,
        "rows_evaluated": fit.rows_evaluated,
        "margin": {
            "geometric": evaluation.margin.geometric,
            "angular": evaluation.margin.angular,
            "angular_upper_bound": fit.margin_bound,
        },
        "seconds": fit.seconds,
    })
}

fn epoch(record: &EpochRecord) -> Value {
    json!({
        "epoch": record.epoch,
        "mistakes": record.mistakes,
        "updates": record.updates,
        "rows_evaluated": record.rows_evaluated,
        "mistakes_after": record.evaluated_mistakes,
    })
}
