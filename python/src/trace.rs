//! A method's updates one by one: arrays, pictures of them, and their file.

use std::path::PathBuf;

use linsep::ask::{Answer, DataFacts};
use linsep::online::{Fit, MethodSettings};
use linsep_report::trace::{TraceFormat, TraceFrame, Traced};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PyAnswer;
use crate::errors::PyFailure;
use crate::voice::Pythonic;

/// The row of a step that has none.
const NO_ROW: i64 = -1;

/// Returns the updates of a fit as arrays, if they were kept.
pub fn arrays<'py>(
    py: Python<'py>,
    fit: &Fit,
    data: &DataFacts,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(trace) = &fit.trace else { return Ok(None) };
    let (steps, features) = (&trace.steps, trace.start.weights.len());
    let dict = PyDict::new(py);
    let row = |row: usize| data.row(row, 0) as i64;
    let rows = steps.iter().map(|step| step.visited.map_or(NO_ROW, |visited| row(visited.row)));
    dict.set_item("rows", PyArray1::from_iter(py, rows))?;
    dict.set_item("epochs", PyArray1::from_iter(py, steps.iter().map(|step| step.epoch as i64)))?;
    let mistakes = steps.iter().map(|step| step.visited.is_some_and(|visited| visited.mistake));
    dict.set_item("mistakes", PyArray1::from_iter(py, mistakes))?;
    let before = steps.iter().map(|step| step.visited.map_or(f64::NAN, |own| own.score_before));
    dict.set_item("scores_before", PyArray1::from_iter(py, before))?;
    let after = steps.iter().map(|step| step.visited.map_or(f64::NAN, |own| own.score_after));
    dict.set_item("scores_after", PyArray1::from_iter(py, after))?;
    let weights = steps.iter().flat_map(|step| step.hyperplane.weights.iter().copied());
    let weights = PyArray1::from_iter(py, weights).reshape([steps.len(), features])?;
    dict.set_item("weights", weights)?;
    let biases = steps.iter().map(|step| step.hyperplane.bias);
    dict.set_item("biases", PyArray1::from_iter(py, biases))?;
    dict.set_item("start_weights", PyArray1::from_slice(py, &trace.start.weights))?;
    dict.set_item("start_bias", trace.start.bias)?;
    dict.set_item("left_out", trace.left_out)?;
    Ok(Some(dict))
}

/// Returns the steps of an answer. Raises if it has none.
fn traced(answer: &Answer) -> Result<Traced<'_>, PyFailure> {
    let message = || "there is no trace; ask for one with trace=True".to_string();
    Traced::of(answer).ok_or_else(|| PyFailure::Setting(message()))
}

/// Returns the file of the steps of an answer, a page or a CSV by its name.
#[pyfunction]
pub fn trace_file(answer: &PyAnswer, path: PathBuf, title: &str) -> PyResult<String> {
    let format = TraceFormat::of(&path)
        .map_err(|expected| PyFailure::Setting(format!("{}: {expected}", path.display())))?;
    Ok(traced(&answer.0)?.file(format, title, &Pythonic))
}

/// Returns the pictures of the steps of an answer: the places of rows, and for each method its lines and words.
#[pyfunction]
pub fn trace_frames<'py>(py: Python<'py>, answer: &PyAnswer) -> PyResult<Bound<'py, PyDict>> {
    let traced = traced(&answer.0)?;
    let points = &traced.view().points;
    let dict = PyDict::new(py);
    dict.set_item("x", PyArray1::from_iter(py, points.iter().map(|point| point.x)))?;
    dict.set_item("y", PyArray1::from_iter(py, points.iter().map(|point| point.y)))?;
    dict.set_item("positive", PyArray1::from_iter(py, points.iter().map(|point| point.positive)))?;
    let [across, up] = traced.axis_names(&Pythonic);
    dict.set_item("across", across)?;
    dict.set_item("up", up)?;
    let frames = traced.frames(&Pythonic);
    let runs = traced.runs().into_iter().zip(&frames);
    let runs: PyResult<Vec<_>> =
        runs.map(|((method, _), frames)| run(py, traced, method, frames)).collect();
    dict.set_item("runs", runs?)?;
    Ok(dict)
}

fn run<'py>(
    py: Python<'py>,
    traced: Traced,
    method: &MethodSettings,
    frames: &[TraceFrame],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", method.name())?;
    let lines = frames.iter().flat_map(|own| [own.line.a, own.line.b, own.line.c]);
    dict.set_item("lines", PyArray1::from_iter(py, lines).reshape([frames.len(), 3])?)?;
    let at = frames.iter().map(|own| {
        let point = own.row.and_then(|row| traced.view().point(row));
        point.map_or([f64::NAN; 2], |point| [point.x, point.y])
    });
    let at = PyArray1::from_iter(py, at.flatten()).reshape([frames.len(), 2])?;
    dict.set_item("at", at)?;
    dict.set_item("words", frames.iter().map(|own| own.words.as_str()).collect::<Vec<_>>())?;
    dict.set_item("kinds", frames.iter().map(|own| own.kind.word()).collect::<Vec<_>>())?;
    dict.set_item("when", frames.iter().map(|own| own.when.as_str()).collect::<Vec<_>>())?;
    Ok(dict)
}
