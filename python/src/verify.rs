//! Proofs: read, and checked in exact arithmetic.

use std::path::{Path, PathBuf};

use linsep::ask::{Answer, Question, VerifyQuestion};
use linsep::classes::folder::{ProofFileError, ProofFolder};
use linsep::data::error::path_name;
use linsep::proof::{Proof, Refused, Removals, Verified};
use linsep_report::verification::reason;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PyAnswer, PyWatcher, read_question};
use crate::data::Given;
use crate::errors::PyFailure;
use crate::work::run;

/// Returns what a proof is about. Errors if the text is not one.
#[pyfunction]
pub fn read_proof<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let proof = Proof::from_json(text).map_err(PyFailure::from)?;
    let dict = PyDict::new(py);
    dict.set_item("verdict", proof.verdict().to_string())?;
    dict.set_item("rows", proof.data.rows)?;
    dict.set_item("features", proof.data.features)?;
    dict.set_item("fingerprint", proof.data.fingerprint)?;
    dict.set_item("model", proof.model.map(|model| model.model.name()))?;
    Ok(dict)
}

fn read_verify(text: &str) -> Result<VerifyQuestion, PyFailure> {
    match read_question(text)? {
        Question::Verify(question) => Ok(question),
        _ => Err(PyFailure::Setting("expected a question about a proof".to_string())),
    }
}

/// Returns what the checker says of a proof about rows as they stand, or about a model of their labels.
#[pyfunction]
pub fn verify(
    py: Python<'_>,
    question: &str,
    x: &Bound<'_, PyAny>,
    text: &str,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let asked = read_verify(question)?;
    let proof = Proof::from_json(text).map_err(PyFailure::from)?;
    let shared = given.clone();
    let answer = run(py, None, move |wire| shared.show(wire, |data| Ok(asked.ask(data, &proof)?)))?;
    drop(given);
    Ok(PyAnswer(Answer::Verify(Box::new(answer))))
}

/// Returns what the checker says of a folder of proofs about rows of many classes.
#[pyfunction]
pub fn verify_folder(
    py: Python<'_>,
    question: &str,
    x: &Bound<'_, PyAny>,
    folder: PathBuf,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let asked = read_verify(question)?;
    let folder = ProofFolder::open(&folder).map_err(|error| unusable(&folder, error))?;
    let shared = given.clone();
    let answer = run(py, None, move |wire| {
        let (samples, classes) = shared.many(wire)?;
        let watch = &PyWatcher::of_stages(wire);
        asked.ask_folder(&samples, &classes, &folder, &unusable, watch)
    })?;
    drop(given);
    Ok(PyAnswer(Answer::Folder(Box::new(answer))))
}

/// Returns the failure to use a file of a proof.
fn unusable(path: &Path, error: ProofFileError) -> PyFailure {
    match error {
        ProofFileError::Unreadable(error) => {
            linsep::Error::from(error).in_source(&path_name(path)).into()
        }
        other => PyFailure::Setting(format!("{}: {other}", path_name(path))),
    }
}

/// Returns what the checker said of a proof, in plain values.
pub fn values<'py>(
    py: Python<'py>,
    outcome: &Result<Verified, Refused>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let verified: Option<&Verified> = outcome.as_ref().ok();
    dict.set_item("valid", verified.is_some())?;
    dict.set_item("verdict", verified.map(|v| v.verdict().to_string()))?;
    dict.set_item("model", verified.and_then(Verified::model).map(|model| model.to_string()))?;
    let margin = verified.and_then(Verified::margin);
    dict.set_item("margin", margin.map(|m| (m.lower, m.upper, m.kind.to_string())))?;
    let removals = verified.and_then(Verified::removals);
    let between = |Removals { at_least, at_most }: Removals| (at_least, at_most);
    dict.set_item("removal", removals.map(between))?;
    dict.set_item("reason", outcome.as_ref().err().map(|refused| reason(refused, 0)))?;
    Ok(dict)
}
