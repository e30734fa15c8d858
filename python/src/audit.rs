//! Which rows probably carry a wrong label.

use linsep::ask::{Answer, AuditAnswer};
use linsep::audit::AuditedRow;
use linsep::decide::{Decision, Limit};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::PyAnswer;
use crate::errors::PyFailure;

/// Returns all rows as a CSV file has them.
#[pyfunction]
pub fn audit_csv(answer: &PyAnswer) -> PyResult<String> {
    match &answer.0 {
        Answer::Audit(answer) => Ok(linsep_report::audit::csv(answer)),
        _ => Err(PyFailure::Setting("expected an audit".to_string()).into()),
    }
}

/// Returns what an audit says, in plain values: of each row in the order of the data, and their ranking.
pub fn values<'py>(py: Python<'py>, answer: &AuditAnswer) -> PyResult<Bound<'py, PyDict>> {
    let AuditAnswer { audit, data, rows: cited, .. } = answer;
    let number = |row: usize| data.row(row, 0);
    let mut rows: Vec<&AuditedRow> = audit.rows.iter().collect();
    rows.sort_by_key(|row| row.row);
    let dict = PyDict::new(py);
    let floats = |of: &dyn Fn(&AuditedRow) -> f64| {
        PyArray1::from_iter(py, rows.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let flags = |of: &dyn Fn(&AuditedRow) -> bool| {
        PyArray1::from_iter(py, rows.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let ranking: Vec<i64> = audit.rows.iter().map(|row| number(row.row) as i64).collect();
    dict.set_item("ranking", PyArray1::from_vec(py, ranking))?;
    let all: Vec<usize> = rows.iter().map(|row| row.row).collect();
    dict.set_item("row_names", cited.names(&all))?;
    let first: Vec<usize> = audit.suspects().iter().map(|row| row.row).collect();
    dict.set_item("suspect_names", cited.names(&first))?;
    dict.set_item("suspects", audit.suspects)?;
    dict.set_item("expected", audit.expected)?;
    dict.set_item("probability", floats(&|row| row.probability))?;
    dict.set_item("against", floats(&|row| row.against))?;
    let suggested: Vec<i64> = rows.iter().map(|row| row.suggested as i64).collect();
    dict.set_item("suggested", PyArray1::from_vec(py, suggested))?;
    dict.set_item("contradicted", flags(&|row| row.contradicted))?;
    dict.set_item("in_the_way", flags(&|row| row.in_the_way))?;
    let costly = rows.iter().any(|row| row.cost.is_some());
    let weight = |row: &AuditedRow| row.cost.map_or(0.0, |cost| cost.weight);
    dict.set_item("margin_weight", costly.then(|| floats(&weight)))?;
    let without = |row: &AuditedRow| {
        let margin = row.cost.and_then(|cost| cost.without)?;
        Some((number(row.row), (margin.lower, margin.upper, margin.kind.to_string())))
    };
    let left_out: Vec<_> = audit.suspects().iter().filter_map(without).collect();
    dict.set_item("margin_without", left_out)?;
    let groups = audit.contradictions.iter();
    let groups: Vec<Vec<usize>> =
        groups.map(|group| group.iter().map(|&row| number(row)).collect()).collect();
    dict.set_item("contradictions", groups)?;
    let proven = audit.proven.as_ref();
    dict.set_item("all", proven.map(|proven| verdict(&proven.decision)))?;
    let rest = proven.and_then(|proven| proven.without_suspects.as_ref());
    dict.set_item("rest", rest.map(verdict))?;
    let irreducible = proven.and_then(|proven| proven.removal.as_ref()).map(|r| r.irreducible);
    dict.set_item("irreducible", irreducible)?;
    dict.set_item("stopped", audit.stopped.map(Limit::word))?;
    dict.set_item("seconds", audit.seconds)?;
    Ok(dict)
}

/// Returns a verdict, and bounds on the margin.
fn verdict(decision: &Decision) -> (String, (f64, f64, String)) {
    let margin = decision.margin();
    (decision.word(), (margin.lower, margin.upper, margin.kind.to_string()))
}
