//! Separation in logistic regression.

use linsep::decide::DecideOptions;
use linsep::models::{Separation, SeparationOptions, check_separation_data};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Given;
use crate::decide::{Watcher, limits};
use crate::work::run;

/// Returns whether the estimate exists, and which columns run away if not. With an intercept the
/// constant is column 0.
#[pyfunction]
#[pyo3(signature = (x, positive, *, intercept, max_passes, time_limit=None, most_rows=None,
    progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the call, by name")]
pub fn separation<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    intercept: bool,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
    most_rows: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::new(x, positive.as_ref())?;
    let limits = limits(DecideOptions::default().gap, max_passes, time_limit)?;
    let mut options = SeparationOptions::default().with_intercept(intercept).with_limits(limits);
    options.most_rows = most_rows;
    let shared = given.clone();
    let found = run(py, progress, move |wire| {
        shared
            .show(wire, |data| Ok(check_separation_data(data, &options, &mut Watcher::new(wire))?))
    })?;
    drop(given);
    result(py, &found)
}

fn result<'py>(py: Python<'py>, found: &Separation) -> PyResult<Bound<'py, PyDict>> {
    let numbers = |rows: &[usize]| PyArray1::from_iter(py, rows.iter().map(|&row| row as i64));
    let dict = PyDict::new(py);
    dict.set_item("kind", found.kind.to_string())?;
    let infinite: Vec<(usize, String)> =
        found.infinite.iter().map(|(column, sign)| (*column, sign.to_string())).collect();
    dict.set_item("infinite", infinite)?;
    dict.set_item("aliased", &found.aliased)?;
    dict.set_item("rows", numbers(&found.rows))?;
    dict.set_item("separated", found.separated)?;
    let direction = found.direction.as_ref().map(|g| PyArray1::from_slice(py, g));
    dict.set_item("direction", direction)?;
    dict.set_item("conflicting_rows", numbers(&found.conflict))?;
    Ok(dict)
}
