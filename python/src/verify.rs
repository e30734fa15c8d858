//! Proofs: reading and checking them.

use linsep::data::Data;
use linsep::models::{Model, Response};
use linsep::proof::{Proof, Refused, Verified, verify_binomial, verify_data, verify_model};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Given;
use crate::errors::Failure;
use crate::separation::failure;
use crate::work::run;

/// Returns what the text of a proof file is about, or raises if it is none.
#[pyfunction]
pub fn read_proof<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let proof = Proof::from_json(text).map_err(Failure::from)?;
    let dict = PyDict::new(py);
    dict.set_item("verdict", proof.verdict().to_string())?;
    dict.set_item("rows", proof.data.rows)?;
    dict.set_item("features", proof.data.features)?;
    dict.set_item("fingerprint", proof.data.fingerprint)?;
    dict.set_item("model", proof.model.map(|model| model.model.name()))?;
    Ok(dict)
}

/// Returns whether a proof holds for the rows as they stand or, if `intercept` is given, for the binomial model of them
/// that adds a constant or does not; and why not.
#[pyfunction]
#[pyo3(signature = (x, positive, text, *, intercept=None))]
pub fn verify<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    text: &str,
    intercept: Option<bool>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::new(x, positive.as_ref())?;
    let proof = Proof::from_json(text).map_err(Failure::from)?;
    let shared = given.clone();
    let outcome = run(py, None, move |wire| {
        shared.show(wire, |data| match intercept {
            None => Ok(in_file(data, verify_data(data, &proof, None)?)),
            Some(true) => Ok(in_file(data, verify_binomial(data, &proof)?)),
            Some(false) => {
                let Some(samples) = data.gather()? else {
                    let what = "the rows do not fit in memory, as a proof about a model without an \
                                intercept needs them to";
                    return Err(Failure::Setting(what.to_string()));
                };
                let response = Response::labels(samples.positive());
                let model = Model::Binomial { intercept: false };
                verify_model(samples.features(), &model, &response, None, &proof)
                    .map_err(|error| failure(error.into()))
            }
        })
    })?;
    drop(given);
    said(py, &outcome)
}

/// Returns what the checker said, with rows as they are counted in the file of a table.
fn in_file(data: &dyn Data, found: Result<Verified, Refused>) -> Result<Verified, Refused> {
    found.map_err(|refused| refused.in_file(&data.about().rows))
}

/// Returns what the checker said.
pub fn said<'py>(
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
    dict.set_item("removal", removals.map(|r| (r.at_least, r.at_most)))?;
    dict.set_item("reason", outcome.as_ref().err().map(describe))?;
    Ok(dict)
}

/// Returns the reason with rows counted from 0, as Python counts them.
fn describe(refused: &Refused) -> String {
    match refused {
        Refused::WrongSide { row } => {
            format!("row {} (counted from 0) is on the wrong side", row - 1)
        }
        Refused::NotOrthogonal { row } => format!(
            "row {} (counted from 0) is not orthogonal to a vector to which the proof says that \
             all rows are",
            row - 1
        ),
        Refused::DoesNotCancel { feature: Some(feature) } => format!(
            "the rows named do not cancel: column {} (counted from 0) is left over",
            feature - 1
        ),
        // The rows of a damaged file are quoted as they stand in it.
        other => other.to_string(),
    }
}
