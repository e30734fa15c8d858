//! Many classes at once.

use std::path::{Path, PathBuf};

use linsep::ask::{Answer, ClassesAnswer};
use linsep::classes::{Argmax, Linear, Versus};
use linsep::data::overwrite::NamedPlace;
use linsep_report::classes::{argmax_sentence, cell};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PyAnswer;
use crate::errors::PyFailure;
use crate::output::{refuse_clash, write};

/// Returns what an answer about classes says, in plain values. Under `sides`, for each two that were set against each
/// other: the positive class, the negative one if it is one, the answer about them, and a few characters that say it.
pub fn values<'py>(py: Python<'py>, answer: &ClassesAnswer) -> PyResult<Bound<'py, PyDict>> {
    let mut sides = vec![];
    for own in &answer.verdicts {
        let (positive, negative) = match own.versus {
            Versus::Pair { negative, positive } => (positive, Some(negative)),
            Versus::OneVsRest { positive } => (positive, None),
        };
        let found = Bound::new(py, PyAnswer(Answer::Decide(Box::new(own.found.clone()))))?;
        sides.push((positive, negative, found, cell(own)));
    }
    let dict = PyDict::new(py);
    dict.set_item("sides", sides)?;
    let argmax = answer.argmax.as_ref().map(|argmax| described(py, answer, argmax)).transpose()?;
    dict.set_item("argmax", argmax)?;
    Ok(dict)
}

fn described<'py>(
    py: Python<'py>,
    answer: &ClassesAnswer,
    found: &Argmax,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("exists", found.exists())?;
    dict.set_item("seconds", found.seconds)?;
    dict.set_item("proof", found.proof.as_ref().map(|proof| proof.to_json()))?;
    dict.set_item("sentence", argmax_sentence(found, &answer.names))?;
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
    let rows = rows.iter().map(|&row| answer.data.row(row, 0) as i64);
    dict.set_item("rows", PyArray1::from_iter(py, rows))?;
    dict.set_item("because", because)?;
    Ok(dict)
}

/// Writes the proofs of an answer about classes to a folder, and last their index. Raises if that would land on one of
/// the files that were read.
#[pyfunction]
pub fn save_proofs(answer: &PyAnswer, folder: &str, inputs: Vec<PathBuf>) -> PyResult<()> {
    let Answer::Classes(answer) = &answer.0 else {
        return Err(PyFailure::Setting("expected an answer about classes".to_string()).into());
    };
    let place = NamedPlace::folder("the proofs", folder, &["json"]);
    refuse_clash(inputs, &place)?;
    std::fs::create_dir_all(folder)?;
    Ok(answer.write_proofs(Path::new(folder), &mut |path, bytes| write(path, bytes))?)
}
