//! Many classes at once.

use linsep::classes::{Linear, argmax as decide_argmax};
use linsep::data::samples::Classes;
use linsep::decide::DecideOptions;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Matrix;
use crate::decide::limits;
use crate::separation::failure;
use crate::work::run;

/// Returns a margin in a few digits, rounded down: what a report of the program prints.
#[pyfunction]
pub fn margin_at_least(lower: f64) -> String {
    linsep_report::classes::margin_at_least(lower)
}

/// Returns whether the largest of one linear score per class can be right on every row.
#[pyfunction]
#[pyo3(signature = (x, codes, count, *, max_passes, time_limit=None))]
pub fn argmax<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    codes: PyReadonlyArray1<'py, u32>,
    count: usize,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = Matrix::new(x)?;
    let codes = codes.as_slice()?.to_vec();
    let options = limits(DecideOptions::default().gap, max_passes, time_limit)?;
    let shared = matrix.clone();
    let found = run(py, None, move |wire| {
        let samples = shared.samples(vec![true; codes.len()], true)?;
        let classes = Classes::of((0..count).map(|class| class.to_string()).collect(), codes);
        decide_argmax(&samples, &classes, &[], &options, Some(wire.cancelled())).map_err(failure)
    })?;
    drop(matrix);
    let dict = PyDict::new(py);
    dict.set_item("exists", found.exists())?;
    dict.set_item("seconds", found.seconds)?;
    dict.set_item("proof", found.proof.as_ref().map(|proof| proof.to_json()))?;
    let (mut planes, mut pair, mut rows, mut because) = (None, None, vec![], None);
    match &found.linear {
        Linear::Exists { planes: found } => planes = Some(found),
        Linear::Not { pair: classes, rows: found } => (pair, rows) = (*classes, found.clone()),
        Linear::Undecided { because: limit } => because = Some(limit.word()),
    }
    let weights = planes.map(|planes| {
        let rows: Vec<Vec<f64>> = planes.iter().map(|plane| plane.weights.clone()).collect();
        PyArray2::from_vec2(py, &rows)
    });
    dict.set_item("coef", weights.transpose()?)?;
    let biases =
        planes.map(|planes| PyArray1::from_iter(py, planes.iter().map(|plane| plane.bias)));
    dict.set_item("intercept", biases)?;
    dict.set_item("pair", pair.map(|[a, b]| (a, b)))?;
    dict.set_item("rows", PyArray1::from_iter(py, rows.iter().map(|&row| row as i64)))?;
    dict.set_item("because", because)?;
    Ok(dict)
}
