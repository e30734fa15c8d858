//! Which rows probably carry a wrong label.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use linsep::audit::{
    Audit, AuditError, AuditOptions, AuditWatch, AuditedRow, Part, audit, audit_classes, audit_data,
};
use linsep::data::samples::{About, LabelNames};
use linsep::decide::{Decision, Limit};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Given, Matrix};
use crate::decide::seconds;
use crate::errors::Failure;
use crate::work::{Wire, run};

/// Tells how far an audit is, and ends it when asked to.
struct Watcher<'a>(&'a Wire);

impl AuditWatch for Watcher<'_> {
    fn part(&self, part: &Part) {
        self.0.say(|| part.to_string());
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.0.cancelled())
    }
}

/// What an audit is about: rows of several classes, or what all calls take.
#[derive(Clone)]
enum Asked {
    Classes(Matrix, Vec<usize>, Vec<String>),
    Two(Given, Option<[String; 2]>),
}

impl Asked {
    fn audit(
        self,
        options: &AuditOptions,
        wire: &Wire,
    ) -> Result<(Audit, Option<Vec<String>>), Failure> {
        match self {
            Asked::Classes(matrix, classes, names) => {
                let features = matrix.finite()?;
                Ok((audit_classes(features, &classes, &names, options, &Watcher(wire))?, None))
            }
            // Arrays have no names for their labels: Python does.
            Asked::Two(Given::Arrays(matrix, positive), Some([negative, name])) => {
                let label_names = LabelNames { negative, positive: name };
                let about = Arc::new(About { label_names, ..About::default() });
                let samples = matrix.samples(positive, false)?.with_about(about);
                Ok((audit(&samples, options, &Watcher(wire))?, None))
            }
            Asked::Two(given, _) => given.show(wire, |data| {
                let found = audit_data(data, options, &Watcher(wire))?;
                let ids = data.gather()?.and_then(|samples| samples.row_ids());
                let ids = ids.map(|ids| (0..ids.len()).map(|i| ids.get(i).to_string()).collect());
                Ok((found, ids))
            }),
        }
    }
}

/// Returns what makes each row suspicious, in the order of the data, and their ranking. `classes` has a number
/// per row where there may be more than two, `names` what they are called.
#[pyfunction]
#[pyo3(signature = (x, positive, *, classes, names, leave_out, time_limit=None, progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the call, by name")]
pub fn audit_rows<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    classes: Option<PyReadonlyArray1<'py, u32>>,
    names: Vec<String>,
    leave_out: Option<usize>,
    time_limit: Option<f64>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options =
        AuditOptions::default().with_leave_out(leave_out).with_time_limit(seconds(time_limit)?);
    options.validate().map_err(|error| Failure::from(AuditError::from(error)))?;
    let asked = match classes {
        Some(classes) => {
            let classes = classes.as_slice()?.iter().map(|&class| class as usize).collect();
            Asked::Classes(Matrix::new(x)?, classes, names)
        }
        None => Asked::Two(Given::new(x, positive.as_ref())?, names.try_into().ok()),
    };
    let shared = asked.clone();
    let (found, ids) = run(py, progress, move |wire| shared.audit(&options, wire))?;
    drop(asked);
    let dict = described(py, &found)?;
    dict.set_item("row_names", ids)?;
    Ok(dict)
}

fn described<'py>(py: Python<'py>, audit: &Audit) -> PyResult<Bound<'py, PyDict>> {
    let mut rows: Vec<&AuditedRow> = audit.rows.iter().collect();
    rows.sort_by_key(|row| row.row);
    let dict = PyDict::new(py);
    let floats = |of: &dyn Fn(&AuditedRow) -> f64| {
        PyArray1::from_iter(py, rows.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let flags = |of: &dyn Fn(&AuditedRow) -> bool| {
        PyArray1::from_iter(py, rows.iter().map(|row| of(row)).collect::<Vec<_>>())
    };
    let ranking: Vec<i64> = audit.rows.iter().map(|row| row.row as i64).collect();
    dict.set_item("ranking", PyArray1::from_vec(py, ranking))?;
    dict.set_item("suspects", audit.suspects)?;
    dict.set_item("expected", audit.expected)?;
    dict.set_item("probability", floats(&|row| row.probability))?;
    dict.set_item("odds", floats(&|row| row.odds))?;
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
        Some((row.row, (margin.lower, margin.upper, margin.kind.to_string())))
    };
    let left_out: Vec<_> = audit.suspects().iter().filter_map(without).collect();
    dict.set_item("margin_without", left_out)?;
    dict.set_item("contradictions", &audit.contradictions)?;
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
