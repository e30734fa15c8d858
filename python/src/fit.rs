//! The online methods.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use linsep::online::{EpochRecord, Fit, FitSettings, MethodSettings, Observer};
use linsep::proof::Proof;
use linsep::{Hyperplane, Samples};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Matrix, labels};
use crate::decide::seconds;
use crate::errors::Failure;
use crate::work::{Wire, run};

/// Tells of the epochs, and ends the work when asked to.
struct Watcher<'a>(&'a Wire);

impl Observer for Watcher<'_> {
    fn epoch(&mut self, record: &EpochRecord) {
        let EpochRecord { epoch, mistakes, updates, .. } = record;
        self.0.say(|| format!("epoch {epoch}: {mistakes} mistakes, {updates} updates"));
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.0.cancelled())
    }
}

/// Returns every method with what it can do: `(name, takes weights, goes on with other rows)`.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, bool, bool)> {
    let all = MethodSettings::all();
    all.iter().map(|m| (m.name(), m.takes_weights(), m.goes_on())).collect()
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
    let (matrix, positive) = (Matrix::new(x)?, labels(&positive)?);
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
        let fit = linsep::online::fit(&samples, &settings, &mut Watcher(wire), None)?;
        let proof = (prove && fit.separated()).then(|| prove_separation(&samples, &fit));
        Ok((fit, proof.flatten()))
    })?;
    drop(matrix);
    let dict = PyDict::new(py);
    let stop = serde_json::json!(fit.stop);
    dict.set_item("stop", stop.as_str().unwrap_or_default())?;
    dict.set_item("coef", PyArray1::from_slice(py, &fit.hyperplane.weights))?;
    dict.set_item("intercept", fit.hyperplane.bias)?;
    dict.set_item("epochs", fit.epochs)?;
    dict.set_item("updates", fit.updates)?;
    dict.set_item("mistakes", fit.evaluation.mistakes)?;
    dict.set_item("angular_margin", fit.evaluation.margin.angular)?;
    dict.set_item("geometric_margin", fit.evaluation.margin.geometric)?;
    dict.set_item("margin_bound", fit.margin_bound)?;
    dict.set_item("rows_evaluated", fit.rows_evaluated)?;
    let mistakes: Vec<u64> =
        fit.history.iter().map(|r| r.evaluated_mistakes.unwrap_or(r.mistakes)).collect();
    let work: Vec<u64> = fit.history.iter().map(|r| r.rows_evaluated).collect();
    dict.set_item("history", mistakes)?;
    dict.set_item("history_rows_evaluated", work)?;
    dict.set_item("state", fit.state.map(|state| state.to_string()))?;
    dict.set_item("proof", proof)?;
    dict.set_item("seconds", fit.seconds)?;
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
    let (matrix, positive) = (Matrix::new(x)?, labels(&positive)?);
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

fn parse<T: serde::de::DeserializeOwned>(what: &str, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| {
        // The place in a text that nobody wrote helps nobody.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Failure::Setting(format!("{what}: {message}"))
    })
}

/// Returns whether rows with these labels are sorted by class, so that no online method learns from them in order.
#[pyfunction]
pub fn sorted_by_class(positive: PyReadonlyArray1<'_, bool>) -> PyResult<bool> {
    Ok(linsep::online::sorted_by_class(positive.as_slice()?))
}
