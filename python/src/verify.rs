//! Proofs: read, and checked in exact arithmetic.

use std::path::{Path, PathBuf};

use linsep::ask::{Answer, Question, VerifyQuestion};
use linsep::classes::folder::{INDEX, ProofIndex};
use linsep::proof::{Proof, Removals, Verified};
use linsep_report::verification::reason;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PyAnswer, read_question};
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
    let index = std::fs::read_to_string(folder.join(INDEX))?;
    let index = ProofIndex::from_json(&index).map_err(PyFailure::Setting)?;
    let shared = given.clone();
    let answer = run(py, None, move |_| {
        let (samples, classes) = shared.arrays()?.get().many()?;
        asked.ask_folder(&samples, &classes, &index, &mut |file| read_file(&folder, file))
    })?;
    drop(given);
    Ok(PyAnswer(Answer::Folder(Box::new(answer))))
}

/// Reads a proof beside the index of a folder.
fn read_file(folder: &Path, file: &str) -> Result<Proof, PyFailure> {
    let name = Path::new(file);
    // A name with a path in it could be any file.
    if name.components().count() != 1 || name.file_name().is_none() {
        let found = format!("expected the name of a file beside the index, found \"{file}\"");
        return Err(PyFailure::Setting(found));
    }
    let text = std::fs::read_to_string(folder.join(name))
        .map_err(|error| PyFailure::Setting(format!("{file}: {error}")))?;
    Ok(Proof::from_json(&text)?)
}

/// Returns what the checker said of a proof, in plain values.
#[pyfunction]
pub fn verified<'py>(py: Python<'py>, answer: &PyAnswer) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let outcome = match &answer.0 {
        Answer::Verify(answer) => &answer.outcome,
        Answer::Folder(answer) => {
            dict.set_item("valid", answer.checked.is_valid())?;
            return Ok(dict);
        }
        _ => return Err(PyFailure::Setting("expected what a checker said".to_string()).into()),
    };
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
