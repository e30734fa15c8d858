//! The verdict.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use linsep::data::Data;
use linsep::decide::{
    Conflict, DecideError, DecideOptions, Decision, ExplainOptions, Explanation, Journal, Limit,
    MarginGoal, MarginKind, Pass, Removing, Watch, compromise_data, decide_data, decide_resumable,
    explain_data,
};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Given;
use crate::errors::Failure;
use crate::page::{Clock, Decided};
use crate::work::{Wire, run};

/// Tells of the passes, notes when they were over, and ends the work when asked to.
pub struct Watcher<'a> {
    wire: &'a Wire,
    clock: Clock,
}

impl<'a> Watcher<'a> {
    /// Returns a watcher that tells through the wire.
    pub fn new(wire: &'a Wire) -> Self {
        Watcher { wire, clock: Clock::start() }
    }
}

impl Watch for Watcher<'_> {
    fn pass(&mut self, pass: &Pass) {
        self.clock.note(pass);
        let Pass { passes, mistakes, lower, upper } = pass;
        self.wire.say(|| {
            format!("pass {passes}: {mistakes} mistakes, margin {lower:.3e} .. {upper:.3e}")
        });
    }

    fn removing(&self, Removing { questions, rows, .. }: &Removing) {
        self.wire.say(|| {
            let best = rows.map_or(String::new(), |rows| format!(", {rows} rows to remove so far"));
            format!("question {questions}{best}")
        });
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.wire.cancelled())
    }
}

/// Where a decision keeps what its passes find.
struct Checkpoint {
    path: PathBuf,
    resume: bool,
}

impl Checkpoint {
    fn open(&self) -> Result<Journal, Failure> {
        let journal = match self.resume {
            true => Journal::resume(&self.path),
            false => Journal::create(&self.path),
        };
        journal.map_err(|error| Failure::Journal(self.path.clone(), error))
    }

    fn decide(
        &self,
        data: &dyn Data,
        options: &DecideOptions,
        watch: &mut dyn Watch,
    ) -> Result<Decision, Failure> {
        let decision = decide_resumable(data, options, watch, &mut self.open()?);
        decision.map_err(|error| match error {
            DecideError::Journal(error) => Failure::Journal(self.path.clone(), error),
            error => error.into(),
        })
    }
}

/// Raises an error if a decision cannot be kept in this file, or taken up from it: before data is read,
/// which may take long. An older checkpoint that is not gone on from is removed.
#[pyfunction]
#[pyo3(signature = (path, *, resume))]
pub fn check_checkpoint(path: PathBuf, resume: bool) -> PyResult<()> {
    let checkpoint = Checkpoint { path, resume };
    drop(checkpoint.open()?);
    if !resume {
        remove(&checkpoint.path);
    }
    Ok(())
}

fn remove(path: &Path) {
    // Best effort: what was asked for is known.
    let _ = std::fs::remove_file(path);
}

/// Returns the verdict, what it rests on, and the seconds spent in Rust.
#[pyfunction]
#[pyo3(signature = (x, positive, *, maximise, geometric, gap, max_passes, time_limit=None,
    explain=false, checkpoint=None, resume=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the call, by name")]
pub fn decide<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    maximise: bool,
    geometric: bool,
    gap: f64,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
    explain: bool,
    checkpoint: Option<PathBuf>,
    resume: bool,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::new(x, positive.as_ref())?;
    let options = limits(gap, max_passes, time_limit)?
        .with_margin(if maximise { MarginGoal::Max } else { MarginGoal::Any })
        .with_kind(if geometric { MarginKind::Geometric } else { MarginKind::Angular });
    let checkpoint = checkpoint.map(|path| Checkpoint { path, resume });
    let (shared, named, kept) = (given.clone(), given.has_names(), checkpoint.as_ref());
    let (decided, names, spent) = run(py, progress, move |wire| {
        let started = Instant::now();
        shared.show(wire, |data| {
            let mut watcher = Watcher::new(wire);
            let mut decision = match kept {
                Some(kept) => kept.decide(data, &options, &mut watcher)?,
                None => decide_data(data, &options, &mut watcher)?,
            };
            let passes = watcher.clock.passes();
            let limits = ExplainOptions::after(&decision, &options);
            let explanation = match explain {
                true => explain_data(data, &decision, &limits, &mut Watcher::new(wire))?,
                false => None,
            };
            if let Some(explanation) = &explanation {
                explanation.extend_proof(&mut decision);
            }
            let names = match named {
                true => RowNames::fetch(data, &decision, explanation.as_ref())?,
                false => RowNames::default(),
            };
            Ok((Decided { decision, explanation, passes }, names, started.elapsed()))
        })
    })?;
    drop(given);
    let decision = &decided.decision;
    // Only now, when nothing can come between a verdict and who asked for it.
    if let Some(Checkpoint { path, .. }) = checkpoint.filter(|_| !decision.unfinished) {
        remove(&path);
    }
    let dict = result(py, decision, spent)?;
    dict.set_item("row_names", names.conflict)?;
    let explanation = decided.explanation.as_ref();
    let explanation = explanation.map(|explanation| describe(py, explanation)).transpose()?;
    if let Some(explanation) = &explanation {
        explanation.set_item("suspect_names", names.suspects)?;
    }
    dict.set_item("explanation", explanation)?;
    dict.set_item("decided", Bound::new(py, decided)?)?;
    Ok(dict)
}

/// Returns a hyperplane with few mistakes, for rows that none separates.
#[pyfunction]
#[pyo3(signature = (x, positive, *, max_passes, time_limit=None, progress=None))]
pub fn compromise<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let given = Given::new(x, positive.as_ref())?;
    let options = limits(DecideOptions::default().gap, max_passes, time_limit)?;
    let shared = given.clone();
    let found = run(py, progress, move |wire| {
        shared.show(wire, |data| Ok(compromise_data(data, &options, &mut Watcher::new(wire))?))
    })?;
    drop(given);
    let plane = found.hyperplane;
    Ok((PyArray1::from_vec(py, plane.weights), plane.bias))
}

/// What the rows that a decision speaks of are called, where a column names them.
#[derive(Default)]
struct RowNames {
    conflict: Option<Vec<String>>,
    suspects: Option<Vec<String>>,
}

impl RowNames {
    fn fetch(
        data: &dyn Data,
        decision: &Decision,
        explanation: Option<&Explanation>,
    ) -> Result<Self, Failure> {
        let conflict = decision.conflict().map(Conflict::rows).unwrap_or_default();
        let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
        let suspects: Vec<usize> =
            removal.iter().flat_map(|removal| &removal.rows).map(|row| row.row).collect();
        Ok(RowNames { conflict: names(data, &conflict)?, suspects: names(data, &suspects)? })
    }
}

fn names(data: &dyn Data, rows: &[usize]) -> Result<Option<Vec<String>>, Failure> {
    if rows.is_empty() {
        return Ok(Some(vec![]));
    }
    let samples = data.fetch(rows)?;
    let named = |i: usize| samples.row_ids().map(|ids| ids.get(i).to_string());
    Ok((0..rows.len()).map(named).collect())
}

fn describe<'py>(py: Python<'py>, explanation: &Explanation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("contradictions", &explanation.contradictions)?;
    let removal = explanation.removal.as_ref();
    let rows =
        removal.map(|r| r.rows.iter().map(|row| (row.row, row.distance)).collect::<Vec<_>>());
    dict.set_item("removal", rows)?;
    dict.set_item("irreducible", removal.map(|r| r.irreducible))?;
    dict.set_item("at_least", removal.map(|r| r.at_least))?;
    dict.set_item(
        "conflicts",
        removal.map(|r| r.conflicts.iter().map(Conflict::rows).collect::<Vec<_>>()),
    )?;
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
    dict.set_item("left_out", if decision.left_out { vec!["dual"] } else { vec![] })?;
    dict.set_item("unfinished", decision.unfinished)?;
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
