//! The online methods.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use linsep::ask::{Answer, RaceAnswer, bound_json};
use linsep::online::{Fit, FitSettings, MethodSettings};
use linsep::proof::Proof;
use linsep::race::Entrant;
use linsep::{Hyperplane, Samples};
use linsep_report::hints::method_hint;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PyAnswer, PyWatcher};
use crate::data::{SharedMatrix, labels};
use crate::errors::PyFailure;
use crate::work::run;

/// Returns every method with what it can do: `(name, takes weights, goes on with other rows)`.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, bool, bool)> {
    let all = MethodSettings::all();
    all.iter().map(|m| (m.name(), m.takes_weights(), m.goes_on())).collect()
}

/// Returns a method with settings, as a question has it. Raises if there is none.
#[pyfunction]
pub fn method(name: &str, settings: &str) -> PyResult<String> {
    let changes: serde_json::Map<String, serde_json::Value> = parse("settings", settings)?;
    let method = MethodSettings::configured(name, changes).map_err(|error| {
        let hint = method_hint(&error).map(|hint| format!("; {hint}")).unwrap_or_default();
        PyFailure::Setting(format!("{error}{hint}"))
    })?;
    Ok(serde_json::to_string(&method).expect("settings are plain data"))
}

/// Returns the hyperplane that a method found, and how it got there.
#[pyfunction]
#[pyo3(signature = (x, positive, *, method, max_epochs, weights=None, time_limit=None, shuffle=false,
    seed=0, history=false, part=false, start=None, keep_state=false, prove=false,
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the call, by name")]
pub fn fit<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: PyReadonlyArray1<'py, bool>,
    method: &str,
    max_epochs: u64,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    time_limit: Option<f64>,
    shuffle: bool,
    seed: u64,
    history: bool,
    part: bool,
    start: Option<&str>,
    keep_state: bool,
    prove: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (matrix, positive) = (SharedMatrix::new(x)?, labels(&positive)?);
    let weights = weights.map(|w| w.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let settings = FitSettings {
        method: parse("method", method)?,
        max_epochs,
        time_limit: seconds(time_limit)?,
        shuffle,
        seed,
        evaluate_epochs: history,
        keep_history: history,
        start: start.map(|state| parse("state", state)).transpose()?,
        keep_state,
        ..FitSettings::default()
    };
    let shared = matrix.clone();
    let (fit, proof) = run(py, progress, move |wire| {
        let mut samples = shared.samples(positive, part)?;
        if let Some(weights) = weights {
            samples = samples.with_weights(weights)?;
        }
        let fit = linsep::online::fit(&samples, &settings, &mut PyWatcher::new(wire), None)?;
        let proof = (prove && fit.separated()).then(|| prove_separation(&samples, &fit));
        Ok((fit, proof.flatten()))
    })?;
    drop(matrix);
    // One that starts elsewhere than its method does has no bound.
    let dict = values(py, &fit, None)?;
    dict.set_item("state", fit.state.map(|state| state.to_string()))?;
    dict.set_item("proof", proof)?;
    Ok(dict)
}

/// Returns what a fit found, in plain values, with a bound on its updates if one is known.
pub fn values<'py>(
    py: Python<'py>,
    fit: &Fit,
    updates_bound: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let stop = serde_json::json!(fit.stop);
    dict.set_item("stop", stop.as_str().unwrap_or_default())?;
    dict.set_item("coef", PyArray1::from_slice(py, &fit.hyperplane.weights))?;
    dict.set_item("intercept", fit.hyperplane.bias)?;
    dict.set_item("epochs", fit.epochs)?;
    dict.set_item("updates", fit.updates)?;
    match updates_bound.map(bound_json).as_ref().and_then(serde_json::Value::as_u64) {
        Some(whole) => dict.set_item("updates_bound", whole)?,
        None => dict.set_item("updates_bound", updates_bound)?,
    }
    dict.set_item("mistakes", fit.evaluation.mistakes)?;
    dict.set_item("accuracy", fit.evaluation.accuracy())?;
    dict.set_item("angular_margin", fit.evaluation.margin.angular)?;
    dict.set_item("geometric_margin", fit.evaluation.margin.geometric)?;
    dict.set_item("margin_bound", fit.margin_bound)?;
    dict.set_item("scaled_margin", fit.scaled_margin)?;
    dict.set_item("rows_evaluated", fit.rows_evaluated)?;
    let mistakes: Vec<u64> =
        fit.history.iter().map(|r| r.evaluated_mistakes.unwrap_or(r.mistakes)).collect();
    let work: Vec<u64> = fit.history.iter().map(|r| r.rows_evaluated).collect();
    dict.set_item("history", mistakes)?;
    dict.set_item("history_rows_evaluated", work)?;
    dict.set_item("seconds", fit.seconds)?;
    Ok(dict)
}

/// Returns the text of the model file of a fit.
#[pyfunction]
pub fn model_file(answer: &PyAnswer) -> PyResult<String> {
    match &answer.0 {
        Answer::Fit(answer) => Ok(answer.model.to_json()),
        Answer::ClassFit(answer) => Ok(answer.model.to_json()),
        _ => Err(PyFailure::Setting("expected a fit".to_string()).into()),
    }
}

/// Returns what a race says, in plain values: under `entrants` the name of each method, and what it found.
pub fn race_values<'py>(py: Python<'py>, answer: &RaceAnswer) -> PyResult<Bound<'py, PyDict>> {
    let own = answer.entrants.iter();
    let entrants: PyResult<Vec<_>> =
        own.map(|own| Ok((own.method.name(), entrant(py, own, answer)?))).collect();
    let dict = PyDict::new(py);
    dict.set_item("entrants", entrants?)?;
    dict.set_item("shuffled", answer.shuffled)?;
    dict.set_item("sorted_by_class", answer.sorted_by_class)?;
    Ok(dict)
}

fn entrant<'py>(
    py: Python<'py>,
    own: &Entrant,
    answer: &RaceAnswer,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = values(py, &own.fit, answer.updates_bound(&own.method))?;
    dict.set_item("trace", crate::trace::arrays(py, &own.fit, &answer.data)?)?;
    Ok(dict)
}

/// Returns the hyperplane of the soft margin with squared losses, and whether it is the optimum.
#[pyfunction]
#[pyo3(signature = (x, positive, *, cost, max_passes, weights=None, time_limit=None))]
pub fn soft_margin<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: PyReadonlyArray1<'py, bool>,
    cost: f64,
    max_passes: u64,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    time_limit: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (matrix, positive) = (SharedMatrix::new(x)?, labels(&positive)?);
    let weights = weights.map(|w| w.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let limit = seconds(time_limit)?;
    let shared = matrix.clone();
    let found = run(py, None, move |wire| {
        let started = Instant::now();
        let mut samples = shared.samples(positive, false)?;
        if let Some(weights) = weights {
            samples = samples.with_weights(weights)?;
        }
        let halt = || {
            wire.cancelled().load(Ordering::Relaxed)
                || limit.is_some_and(|limit| started.elapsed() >= limit)
        };
        Ok(linsep::soft_margin::soft_margin(&samples, cost, max_passes, &halt))
    })?;
    drop(matrix);
    let dict = PyDict::new(py);
    dict.set_item("coef", PyArray1::from_vec(py, found.hyperplane.weights))?;
    dict.set_item("intercept", found.hyperplane.bias)?;
    dict.set_item("passes", found.passes)?;
    dict.set_item("converged", found.converged)?;
    Ok(dict)
}

/// Returns the proof that the hyperplane separates the samples, if the checker accepts it: what floats
/// call separated is not a verdict.
fn prove_separation(samples: &Samples, fit: &Fit) -> Option<String> {
    let Hyperplane { weights, bias } = &fit.hyperplane;
    let proof = Proof::separable(samples, (weights.clone(), *bias));
    linsep::proof::verify(samples, &proof).is_ok().then(|| proof.to_json())
}

fn parse<T: serde::de::DeserializeOwned>(what: &str, text: &str) -> Result<T, PyFailure> {
    serde_json::from_str(text).map_err(|error| {
        // The place in a text that nobody wrote helps nobody.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        PyFailure::Setting(format!("{what}: {message}"))
    })
}

/// Returns a time limit.
fn seconds(limit: Option<f64>) -> Result<Option<Duration>, PyFailure> {
    let duration = |limit: f64| {
        let message = format!("time_limit is {limit}; expected a number above 0, or None");
        Duration::try_from_secs_f64(limit).map_err(|_| PyFailure::Setting(message))
    };
    limit.map(duration).transpose()
}
