//! The verdict.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use linsep::decide::{
    DecideOptions, Decision, ExplainOptions, Explanation, Limit, MarginGoal, MarginKind, Pass,
    Removing, Watch, explain as explained,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Matrix, labels};
use crate::errors::Failure;
use crate::work::{Wire, run};

/// Tells of the passes, and ends the work when asked to.
pub struct Watcher<'a>(pub &'a Wire);

impl Watch for Watcher<'_> {
    fn pass(&mut self, pass: &Pass) {
        let Pass { passes, mistakes, lower, upper } = pass;
        self.0.say(|| {
            format!("pass {passes}: {mistakes} mistakes, margin {lower:.3e} .. {upper:.3e}")
        });
    }

    fn removing(&self, Removing { questions, rows, .. }: &Removing) {
        self.0.say(|| {
            let best = rows.map_or(String::new(), |rows| format!(", {rows} rows to remove so far"));
            format!("question {questions}{best}")
        });
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.0.cancelled())
    }
}

/// Returns the verdict, what it rests on, and the seconds spent in Rust.
#[pyfunction]
#[pyo3(signature = (x, positive, *, maximise, geometric, gap, max_passes, time_limit=None,
    explain=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the call, by name")]
pub fn decide<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: PyReadonlyArray1<'py, bool>,
    maximise: bool,
    geometric: bool,
    gap: f64,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
    explain: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (matrix, positive) = (Matrix::new(x)?, labels(&positive)?);
    let options = limits(gap, max_passes, time_limit)?
        .with_margin(if maximise { MarginGoal::Max } else { MarginGoal::Any })
        .with_kind(if geometric { MarginKind::Geometric } else { MarginKind::Angular });
    let shared = matrix.clone();
    let (decision, explanation, spent) = run(py, progress, move |wire| {
        let started = Instant::now();
        let samples = shared.samples(positive, false)?;
        let decision = linsep::decide::decide(&samples, &options, &mut Watcher(wire))?;
        let limits = ExplainOptions::after(&decision, &options);
        let explanation =
            explain.then(|| explained(&samples, &decision, &limits, &mut Watcher(wire)));
        Ok((decision, explanation, started.elapsed()))
    })?;
    drop(matrix);
    let dict = result(py, &decision, spent)?;
    dict.set_item("explanation", explanation.map(|e| describe(py, &e)).transpose()?)?;
    Ok(dict)
}

fn describe<'py>(py: Python<'py>, explanation: &Explanation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("contradictions", &explanation.contradictions)?;
    let removal = explanation.removal.as_ref();
    let rows =
        removal.map(|r| r.rows.iter().map(|row| (row.row, row.distance)).collect::<Vec<_>>());
    dict.set_item("removal", rows)?;
    dict.set_item("irreducible", removal.map(|r| r.irreducible))?;
    dict.set_item("coef", removal.map(|r| PyArray1::from_slice(py, &r.hyperplane.weights)))?;
    dict.set_item("intercept", removal.map(|r| r.hyperplane.bias))?;
    let carried = explanation.carried_by.as_ref();
    dict.set_item("carried_features", carried.map(|c| &c.features))?;
    dict.set_item("carried_rows", carried.map(|c| &c.rows))?;
    Ok(dict)
}

/// Raises an error that names the first of these options that is out of its range.
#[pyfunction]
#[pyo3(signature = (*, gap, max_passes, time_limit=None))]
pub fn check_limits(gap: f64, max_passes: Option<i64>, time_limit: Option<f64>) -> PyResult<()> {
    limits(gap, max_passes, time_limit).map(|_| ())
}

/// Returns options in their ranges.
pub fn limits(
    gap: f64,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
) -> PyResult<DecideOptions> {
    let options = DecideOptions::default()
        .with_gap(gap)
        .with_max_passes(max_passes.map(passes).transpose()?)
        .with_time_limit(seconds(time_limit)?);
    options.validate().map_err(|error| Failure::Decide(error.into()))?;
    Ok(options)
}

/// Returns a limit on passes.
fn passes(limit: i64) -> PyResult<u64> {
    let message = |_| format!("max_passes is {limit}; expected an integer, at least 1");
    Ok(u64::try_from(limit).map_err(|error| Failure::Setting(message(error)))?)
}

/// Returns a time limit.
pub fn seconds(limit: Option<f64>) -> PyResult<Option<Duration>> {
    let duration = |limit: f64| {
        let message = format!("time_limit is {limit}; expected a number above 0, or None");
        Duration::try_from_secs_f64(limit).map_err(|_| Failure::Setting(message))
    };
    Ok(limit.map(duration).transpose()?)
}

fn result<'py>(
    py: Python<'py>,
    decision: &Decision,
    spent: Duration,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let name = |value: serde_json::Value| value.as_str().unwrap_or_default().to_string();
    dict.set_item("verdict", decision.word())?;
    dict.set_item("because", decision.because().map(Limit::word))?;
    dict.set_item("way", name(serde_json::json!(decision.way)))?;
    dict.set_item("passes", decision.passes)?;
    let margin = decision.margin();
    dict.set_item("margin", (margin.lower, margin.upper, margin.kind.to_string()))?;
    let plane = decision.hyperplane();
    dict.set_item("coef", plane.map(|h| PyArray1::from_slice(py, &h.weights)))?;
    dict.set_item("intercept", plane.map(|h| h.bias))?;
    let conflict = decision.conflict().cloned().unwrap_or_default();
    let rows: Vec<i64> = conflict.iter().map(|(row, _)| row as i64).collect();
    dict.set_item("rows", PyArray1::from_vec(py, rows))?;
    let multipliers: Vec<String> = conflict.iter().map(|(_, m)| format!("{m:x}")).collect();
    dict.set_item("multipliers", multipliers)?;
    dict.set_item("proof", decision.proof().map(|proof| proof.to_json()))?;
    dict.set_item("seconds", spent.as_secs_f64())?;
    Ok(dict)
}
