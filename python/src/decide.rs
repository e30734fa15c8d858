//! The verdict.

use linsep::ask::DecideAnswer;
use linsep::decide::{Conflict, DecideOptions, Explanation, Limit, compromise_data};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PyWatcher;
use crate::data::Given;
use crate::errors::PyFailure;
use crate::work::run;

/// Returns what a decision says, in plain values. Rows are those of the file, counted from 0.
pub fn values<'py>(py: Python<'py>, answer: &DecideAnswer) -> PyResult<Bound<'py, PyDict>> {
    let DecideAnswer { decision, data, rows, .. } = answer;
    let numbers =
        |rows: &[usize]| -> Vec<i64> { rows.iter().map(|&row| data.row(row, 0) as i64).collect() };
    let dict = PyDict::new(py);
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_string();
    dict.set_item("verdict", decision.word())?;
    dict.set_item("because", decision.because().map(Limit::word))?;
    dict.set_item("way", word(serde_json::json!(decision.way)))?;
    dict.set_item("passes", decision.passes)?;
    dict.set_item("left_out", if decision.left_out { vec!["dual"] } else { vec![] })?;
    dict.set_item("unfinished", decision.unfinished)?;
    let margin = decision.margin();
    dict.set_item("margin", (margin.lower, margin.upper, margin.kind.to_string()))?;
    let plane = decision.hyperplane();
    dict.set_item("coef", plane.map(|h| PyArray1::from_slice(py, &h.weights)))?;
    dict.set_item("intercept", plane.map(|h| h.bias))?;
    let ruling_out = decision.conflicting_rows();
    dict.set_item("rows", PyArray1::from_vec(py, numbers(&ruling_out)))?;
    dict.set_item("row_names", rows.names(&ruling_out))?;
    dict.set_item("ruled_out_by", decision.ruled_out_by())?;
    let weights = decision.outcome.matrix().map(|weights| weights.weights());
    dict.set_item("row_weights", weights.map(|weights| PyArray1::from_vec(py, weights)))?;
    dict.set_item("named", rows.are_named())?;
    // Python reads decimals of a few thousand digits only, and hexadecimals of any length.
    let multipliers = decision.conflict().into_iter().flat_map(Conflict::iter);
    let multipliers: Vec<String> = multipliers.map(|(_, m)| format!("{m:x}")).collect();
    dict.set_item("multipliers", multipliers)?;
    dict.set_item("contradictory", decision.contradiction.map(|(a, b)| numbers(&[a, b])))?;
    dict.set_item("chance", answer.chance())?;
    dict.set_item("proof", decision.proof().map(|proof| proof.to_json()))?;
    dict.set_item("seconds", decision.seconds)?;
    dict.set_item("row_count", data.shape.rows)?;
    dict.set_item("features", data.shape.columns)?;
    dict.set_item("feature_names", &data.about.feature_names)?;
    let why = answer.explanation.as_ref();
    dict.set_item("explanation", why.map(|why| explained(py, answer, why)).transpose()?)?;
    Ok(dict)
}

fn explained<'py>(
    py: Python<'py>,
    answer: &DecideAnswer,
    explanation: &Explanation,
) -> PyResult<Bound<'py, PyDict>> {
    let DecideAnswer { data, rows, .. } = answer;
    let numbers =
        |rows: &[usize]| -> Vec<usize> { rows.iter().map(|&row| data.row(row, 0)).collect() };
    let groups = |groups: &[Vec<usize>]| -> Vec<Vec<usize>> {
        groups.iter().map(|group| numbers(group)).collect()
    };
    let dict = PyDict::new(py);
    dict.set_item("contradictions", groups(&explanation.contradictions))?;
    let removal = explanation.removal.as_ref();
    let suspects: Vec<usize> =
        removal.iter().flat_map(|removal| &removal.rows).map(|row| row.row).collect();
    let distances = removal.iter().flat_map(|removal| &removal.rows).map(|row| row.distance);
    let own = PyArray1::from_iter(py, numbers(&suspects).into_iter().map(|row| row as i64));
    dict.set_item("suspects", own)?;
    dict.set_item("suspect_names", removal.and_then(|_| rows.names(&suspects)))?;
    dict.set_item("distances", PyArray1::from_iter(py, distances))?;
    dict.set_item("irreducible", removal.map(|r| r.irreducible))?;
    dict.set_item("at_least", removal.map(|r| r.at_least))?;
    dict.set_item("at_most", removal.map(|r| r.at_most()))?;
    let conflicts = |conflicts: &[Conflict]| -> Vec<Vec<usize>> {
        conflicts.iter().map(|conflict| numbers(&conflict.rows())).collect()
    };
    dict.set_item("conflicts", removal.map(|r| conflicts(&r.conflicts)).unwrap_or_default())?;
    dict.set_item("coef", removal.map(|r| PyArray1::from_slice(py, &r.hyperplane.weights)))?;
    dict.set_item("intercept", removal.map(|r| r.hyperplane.bias))?;
    let carried = explanation.carried_by.as_ref();
    dict.set_item("carried_features", carried.map(|c| &c.features))?;
    dict.set_item("carried_rows", carried.map(|c| numbers(&c.rows)))?;
    Ok(dict)
}

/// Returns a hyperplane with few mistakes, for rows that none separates.
#[pyfunction]
#[pyo3(signature = (x, *, max_passes, time_limit=None, progress=None))]
pub fn compromise<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let given = Given::new(x)?;
    let options = limits(max_passes, time_limit)?;
    let shared = given.clone();
    let found = run(py, progress, move |wire| {
        shared.show(wire, |data| Ok(compromise_data(data, &options, &mut PyWatcher::new(wire))?))
    })?;
    drop(given);
    let plane = found.hyperplane;
    Ok((PyArray1::from_vec(py, plane.weights), plane.bias))
}

/// Returns limits in their ranges.
fn limits(max_passes: Option<i64>, time_limit: Option<f64>) -> PyResult<DecideOptions> {
    let question = linsep::ask::DecideQuestion { max_passes, time_limit, ..Default::default() };
    Ok(question.options().map_err(|error| PyFailure::Ask(error.into(), None))?)
}
