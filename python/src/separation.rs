//! Separation in statistical models: does the estimate exist?

use linsep::decide::DecideOptions;
use linsep::models::response::{self, ResponseColumn, ResponseError};
use linsep::models::{
    Model, Response, Separation, SeparationError, SeparationKind, SeparationOptions, Structure,
    Ties, Trial, check_model, check_separation_data,
};
use linsep::proof::{Proof, verify_model};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::{Given, Matrix};
use crate::decide::{Watcher, limits};
use crate::errors::Failure;
use crate::verify::said;
use crate::work::run;

/// Returns whether the estimate of a binomial model exists, and which columns run away if not. With an intercept
/// the constant is column 0.
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

/// A model and what its rows have beside their columns, as Python says it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked<'py> {
    family: String,
    intercept: bool,
    parallel: bool,
    ties: String,
    trials: Option<PyReadonlyArray1<'py, u8>>,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    count: usize,
    groups: Option<PyReadonlyArray1<'py, u32>>,
    events: Option<PyReadonlyArray1<'py, bool>>,
    times: Option<PyReadonlyArray1<'py, f64>>,
    entries: Option<PyReadonlyArray1<'py, f64>>,
    kept: Option<PyReadonlyArray1<'py, bool>>,
}

/// What was asked, in words of Rust.
struct Question {
    model: Model,
    response: Response,
    kept: Option<Vec<bool>>,
}

impl Asked<'_> {
    fn question(&self) -> PyResult<Question> {
        fn list<T: numpy::Element + Copy>(
            array: Option<&PyReadonlyArray1<'_, T>>,
        ) -> PyResult<Option<Vec<T>>> {
            Ok(array.map(|array| array.as_slice().map(<[T]>::to_vec)).transpose()?)
        }
        let (intercept, parallel) = (self.intercept, self.parallel);
        let ties = match self.ties.as_str() {
            "breslow" => Ties::Breslow,
            "efron" => Ties::Efron,
            "exact" => Ties::Exact,
            other => {
                let message =
                    format!("ties is {other:?}; expected \"breslow\", \"efron\" or \"exact\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let model = match self.family.as_str() {
            "binomial" => Model::Binomial { intercept },
            "poisson" => Model::Poisson { intercept },
            "negative-binomial" => Model::NegativeBinomial { intercept },
            "multinomial" => Model::Multinomial { intercept },
            "cumulative" => Model::Cumulative { parallel },
            "adjacent" => Model::Adjacent { parallel },
            "sequential" => Model::Sequential { parallel },
            "conditional" => Model::Conditional {},
            "cox" => Model::Cox { ties },
            other => {
                return Err(PyValueError::new_err(format!("model is {other:?}; it is not known")));
            }
        };
        let trial = |&trial: &u8| match trial {
            0 => Trial::Neither,
            1 => Trial::Success,
            2 => Trial::Failure,
            _ => Trial::Both,
        };
        let groups = list(self.groups.as_ref())?;
        let events = list(self.events.as_ref())?;
        let response = match (list(self.times.as_ref())?, events, groups) {
            (Some(times), Some(events), groups) => {
                let entries = list(self.entries.as_ref())?;
                Response::Survival { times, events, entries, groups }
            }
            (None, Some(cases), Some(groups)) => Response::Cases { cases, groups },
            _ => match (list(self.codes.as_ref())?, &self.trials) {
                (Some(codes), _) => Response::Categories { codes, count: self.count },
                (None, Some(trials)) => {
                    Response::Trials(trials.as_slice()?.iter().map(trial).collect())
                }
                (None, None) => return Err(PyValueError::new_err("expected a response")),
            },
        };
        Ok(Question { model, response, kept: list(self.kept.as_ref())? })
    }
}

/// Returns whether the estimate of a model exists, and which coefficients run away if not.
#[pyfunction]
#[pyo3(signature = (x, asked, *, max_passes, time_limit=None))]
pub fn model_separation<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    asked: Asked<'py>,
    max_passes: Option<i64>,
    time_limit: Option<f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = Matrix::new(x)?;
    let question = asked.question()?;
    let limits = limits(DecideOptions::default().gap, max_passes, time_limit)?;
    let options = SeparationOptions::default().with_limits(limits);
    let shared = matrix.clone();
    let found = run(py, None, move |wire| {
        let Question { model, response, kept } = question;
        let features = shared.finite()?;
        let watch = &mut Watcher::new(wire);
        let found = check_model(features, &model, &response, kept.as_deref(), &options, watch);
        found.map_err(failure)
    })?;
    drop(matrix);
    result(py, &found)
}

/// Returns the structure vectors of a model, in its coefficients, as the parts of a CSR matrix, and what each is
/// made of: row, category or threshold, what it is compared with, label.
#[pyfunction]
pub fn structure_vectors<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    asked: Asked<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = Matrix::new(x)?;
    let Question { model, response, kept } = asked.question()?;
    let features = matrix.finite().map_err(Failure::from)?;
    let structure = Structure::new(features, &model, &response, kept.as_deref())
        .map_err(|error| failure(error.into()))?;
    let (mut offsets, mut indices, mut values) = (vec![0_i64], vec![], vec![]);
    let mut excluded = vec![];
    for number in 0..structure.vectors() {
        for (place, value) in structure.in_coefficients(number) {
            indices.push(place as i64);
            values.push(value);
        }
        offsets.push(values.len() as i64);
        excluded.extend(structure.vector(number));
    }
    let dict = PyDict::new(py);
    dict.set_item("offsets", PyArray1::from_vec(py, offsets))?;
    dict.set_item("indices", PyArray1::from_vec(py, indices))?;
    dict.set_item("values", PyArray1::from_vec(py, values))?;
    let places: Vec<_> = structure.coefficients().iter().map(|c| (c.block, c.column)).collect();
    dict.set_item("coefficients", places)?;
    dict.set_item("made_of", made_of(py, &excluded)?)?;
    Ok(dict)
}

/// A condition: column, sign, number, rows.
type Condition<'py> = (usize, String, f64, Bound<'py, PyArray1<i64>>);

/// Returns conditions on one column, with the rows for which they hold, that hold for some of these rows and no others
/// that are kept: column, sign, number, rows.
#[pyfunction]
#[pyo3(signature = (x, members, kept=None))]
pub fn in_common<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    members: PyReadonlyArray1<'py, bool>,
    kept: Option<PyReadonlyArray1<'py, bool>>,
) -> PyResult<Vec<Condition<'py>>> {
    let matrix = Matrix::new(x)?;
    let members = members.as_slice()?.to_vec();
    let kept = kept.map(|kept| kept.as_slice().map(<[bool]>::to_vec)).transpose()?;
    let shared = matrix.clone();
    let found = run(py, None, move |_| {
        let features = shared.finite()?;
        Ok(linsep::models::in_common(features, &members, kept.as_deref()))
    })?;
    drop(matrix);
    let condition = |c: &linsep::models::InCommon| {
        let rows = PyArray1::from_iter(py, c.rows.iter().map(|&row| row as i64));
        (c.column, c.relation.to_string(), c.value, rows)
    };
    Ok(found.iter().map(condition).collect())
}

/// Returns whether a proof about a model holds for these rows, and why not.
#[pyfunction]
pub fn verify_separation<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    asked: Asked<'py>,
    text: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let matrix = Matrix::new(x)?;
    let question = asked.question()?;
    let proof = Proof::from_json(text).map_err(Failure::from)?;
    let shared = matrix.clone();
    let outcome = run(py, None, move |_| {
        let Question { model, response, kept } = question;
        let features = shared.finite()?;
        verify_model(features, &model, &response, kept.as_deref(), &proof)
            .map_err(|error| failure(error.into()))
    })?;
    drop(matrix);
    said(py, &outcome)
}

/// Returns which rows have the event, of numbers or of words and the word of each row.
#[pyfunction]
#[pyo3(signature = (what, numbers, words, codes, event=None))]
pub fn events<'py>(
    py: Python<'py>,
    what: &str,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    words: Vec<String>,
    codes: Option<PyReadonlyArray1<'py, u32>>,
    event: Option<&str>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let found = match (&numbers, &codes) {
        (Some(numbers), _) => response::events(ResponseColumn::Numbers(numbers.as_slice()?), event),
        (None, Some(codes)) => response::events(
            ResponseColumn::Words { words: &words, codes: codes.as_slice()? },
            event,
        ),
        (None, None) => return Err(PyValueError::new_err("expected numbers or words")),
    };
    Ok(PyArray1::from_vec(py, found.map_err(|error| misfit(what, &error))?))
}

/// Returns which rows have a weight above zero.
#[pyfunction]
pub fn kept<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let found = response::kept(weights.as_slice()?);
    Ok(PyArray1::from_vec(py, found.map_err(|error| misfit("weights", &error))?))
}

/// Returns what rows of counts have seen or, with trials, rows of successes: 0 nothing, 1 successes alone, 2 failures
/// alone, 3 both.
#[pyfunction]
#[pyo3(signature = (counts, trials=None))]
pub fn trials<'py>(
    py: Python<'py>,
    counts: PyReadonlyArray1<'py, f64>,
    trials: Option<PyReadonlyArray1<'py, f64>>,
) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let (what, found) = match &trials {
        Some(trials) => {
            ("successes and trials", response::grouped(counts.as_slice()?, trials.as_slice()?))
        }
        None => ("counts", response::counts(counts.as_slice()?)),
    };
    let found = found.map_err(|error| misfit(what, &error))?;
    let code = |trial: Trial| match trial {
        Trial::Neither => 0,
        Trial::Success => 1,
        Trial::Failure => 2,
        Trial::Both => 3,
    };
    Ok(PyArray1::from_iter(py, found.into_iter().map(code)))
}

/// Returns codes of the categories that a kept row has, and which these are.
#[pyfunction]
#[pyo3(signature = (codes, kept=None))]
pub fn categories<'py>(
    py: Python<'py>,
    codes: PyReadonlyArray1<'py, u32>,
    kept: Option<PyReadonlyArray1<'py, bool>>,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Vec<u32>)> {
    let kept = kept.map(|kept| kept.as_slice().map(<[bool]>::to_vec)).transpose()?;
    match Response::categories(codes.as_slice()?, kept.as_deref()) {
        (Response::Categories { codes, .. }, own) => Ok((PyArray1::from_vec(py, codes), own)),
        _ => unreachable!("categories"),
    }
}

fn misfit(what: &str, error: &ResponseError) -> PyErr {
    let place = match error.row {
        Some(row) => format!("row {row} (counted from 0) of {what}"),
        None => what.to_string(),
    };
    let hint = error.remedy.map(|remedy| format!(". {}", remedy.words("event_value=")));
    PyValueError::new_err(format!("{place}: {error}{}", hint.unwrap_or_default()))
}

pub fn failure(error: SeparationError) -> Failure {
    match error {
        SeparationError::Decide(error) => error.into(),
        SeparationError::Model(error) => {
            let note = error.row().map_or("", |_| " (rows are counted from 0)");
            Failure::Setting(format!("{}{note}", error.with_row(|row| row - 1)))
        }
        other => Failure::Setting(other.to_string()),
    }
}

fn result<'py>(py: Python<'py>, found: &Separation) -> PyResult<Bound<'py, PyDict>> {
    let numbers = |rows: &[usize]| PyArray1::from_iter(py, rows.iter().map(|&row| row as i64));
    let dict = PyDict::new(py);
    dict.set_item("kind", found.kind.to_string())?;
    let because = match found.kind {
        SeparationKind::Undecided(limit) => Some(limit.word()),
        _ => found.open.map(|(_, limit)| limit.word()),
    };
    dict.set_item("because", because)?;
    dict.set_item("open", found.open.map(|(open, _)| open.word()))?;
    let places: Vec<_> = found.coefficients.iter().map(|c| (c.block, c.column)).collect();
    dict.set_item("coefficients", places)?;
    let infinite: Vec<(usize, String)> =
        found.infinite.iter().map(|(column, sign)| (*column, sign.to_string())).collect();
    dict.set_item("infinite", infinite)?;
    dict.set_item("aliased", &found.aliased)?;
    dict.set_item("left_out", &found.left_out)?;
    dict.set_item("cone_dimension", found.cone_dimension)?;
    dict.set_item("aliased_dimension", found.aliased_dimension)?;
    dict.set_item("rows", numbers(&found.rows))?;
    dict.set_item("settled", numbers(&found.settled))?;
    dict.set_item("separated", found.separated)?;
    dict.set_item("vectors", found.vectors)?;
    dict.set_item("counted", found.counted)?;
    dict.set_item("excluded", made_of(py, &found.excluded)?)?;
    let direction = found.direction.as_ref().map(|g| PyArray1::from_slice(py, g));
    dict.set_item("direction", direction)?;
    dict.set_item("conflicting_rows", numbers(&found.conflict))?;
    dict.set_item("proof", found.proof.as_ref().map(Proof::to_json))?;
    Ok(dict)
}

/// Returns what vectors are made of, a list for each part.
fn made_of<'py>(
    py: Python<'py>,
    vectors: &[linsep::models::Vector],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("row", PyArray1::from_iter(py, vectors.iter().map(|v| v.row as i64)))?;
    dict.set_item("at", PyArray1::from_iter(py, vectors.iter().map(|v| i64::from(v.at))))?;
    dict.set_item("other", PyArray1::from_iter(py, vectors.iter().map(|v| v.other as i64)))?;
    dict.set_item("positive", PyArray1::from_iter(py, vectors.iter().map(|v| v.positive)))?;
    Ok(dict)
}
