//! Separation in statistical models: does the estimate exist?

use std::path::PathBuf;

use linsep::ask::{
    Answer, AskError, Design, EstimateAnswer, EstimateQuestion, Excluded, NextStep, Question,
};
use linsep::data::read::Source;
use linsep::data::samples::RowNumbers;
use linsep::models::{ObservedCells, ObservedColumn, ObservedColumns, Separation, Vector};
use linsep::proof::Proof;
use linsep_report::estimate::{causes, words};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::{PyAnswer, PyWatcher, read_question};
use crate::data::{Arrays, Given, row_names};
use crate::errors::PyFailure;
use crate::table::Options;
use crate::voice::Pythonic;
use crate::work::run;

fn read_estimate(text: &str) -> Result<EstimateQuestion, PyFailure> {
    match read_question(text)? {
        Question::Estimate(question) => Ok(question),
        _ => Err(PyFailure::Setting("expected a question about a model".to_string())),
    }
}

/// A column beside a design: what it is for, what it is called, and numbers, or words and the word of each row.
type Beside<'py> = (
    String,
    String,
    Option<PyReadonlyArray1<'py, f64>>,
    Vec<String>,
    Option<PyReadonlyArray1<'py, u32>>,
);

fn observed(columns: Vec<Beside<'_>>) -> PyResult<ObservedColumns> {
    let mut beside = ObservedColumns::default();
    for (role, name, numbers, words, codes) in columns {
        let cells = match (numbers, codes) {
            (Some(numbers), _) => ObservedCells::Numbers(numbers.as_slice()?.to_vec()),
            (None, Some(codes)) => {
                ObservedCells::Words { words, codes: codes.as_slice()?.to_vec() }
            }
            (None, None) => return Err(PyTypeError::new_err("expected numbers or words")),
        };
        if role == "absorb" {
            beside.absorb.push(ObservedColumn { name, cells });
            continue;
        }
        let place = match role.as_str() {
            "outcome" => &mut beside.outcome,
            "trials" => &mut beside.trials,
            "weights" => &mut beside.weights,
            "groups" => &mut beside.groups,
            "time" => &mut beside.time,
            "event" => &mut beside.event,
            "entry" => &mut beside.entry,
            _ => return Err(PyTypeError::new_err(format!("no column is for {role}"))),
        };
        *place = Some(ObservedColumn { name, cells });
    }
    Ok(beside)
}

fn held(answer: EstimateAnswer) -> PyAnswer {
    PyAnswer(Answer::Estimate(Box::new(answer)))
}

/// Returns the answer about a design and the columns beside it.
#[pyfunction]
pub fn estimate_model<'py>(
    py: Python<'py>,
    question: &str,
    x: &Bound<'py, PyAny>,
    beside: Vec<Beside<'py>>,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let (asked, beside) = (read_estimate(question)?, observed(beside)?);
    let shared = given.clone();
    let answer = run(py, None, move |wire| {
        asked.validate()?;
        let arrays = shared.arrays()?;
        let names = |rows: &[usize]| row_names(arrays, wire, rows);
        let design = design(arrays.get(), &names)?;
        let observed = asked.observe(&beside)?;
        Ok(asked.ask_model(&design, &observed, &mut PyWatcher::new(wire))?)
    })?;
    drop(given);
    Ok(held(answer))
}

fn design<'a>(
    arrays: &'a Arrays,
    names: &'a dyn Fn(&[usize]) -> Option<Vec<String>>,
) -> Result<Design<'a>, AskError> {
    Ok(Design {
        features: arrays.features()?,
        columns: arrays.columns(),
        numbers: RowNumbers::default(),
        names,
    })
}

/// Returns the answer about a table in a file.
#[pyfunction]
pub fn estimate_table<'py>(
    py: Python<'py>,
    question: &str,
    path: PathBuf,
    options: Options,
) -> PyResult<PyAnswer> {
    let (asked, options) = (read_estimate(question)?, options.read()?);
    let answer = run(py, None, move |wire| {
        let table = asked.read(&Source::File(path), &options, &|_| wire.heed())?;
        Ok(table.ask(&asked, &mut PyWatcher::new(wire))?)
    })?;
    Ok(held(answer))
}

/// Returns what the checker says of a proof about a design and the columns beside it.
#[pyfunction]
pub fn verify_model(
    py: Python<'_>,
    question: &str,
    x: &Bound<'_, PyAny>,
    beside: Vec<Beside<'_>>,
    proof: &str,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let (asked, beside) = (read_estimate(question)?, observed(beside)?);
    let proof = Proof::from_json(proof).map_err(PyFailure::from)?;
    let shared = given.clone();
    let answer = run(py, None, move |_| {
        asked.validate()?;
        let features = shared.arrays()?.get().features()?;
        Ok(asked.verify(features, &asked.observe(&beside)?, &proof)?)
    })?;
    drop(given);
    Ok(PyAnswer(Answer::Verify(Box::new(answer))))
}

/// Returns what the checker says of a proof about a table in a file.
#[pyfunction]
pub fn verify_table(
    py: Python<'_>,
    question: &str,
    path: PathBuf,
    options: Options,
    proof: &str,
) -> PyResult<PyAnswer> {
    let (asked, options) = (read_estimate(question)?, options.read()?);
    let proof = Proof::from_json(proof).map_err(PyFailure::from)?;
    let answer = run(py, None, move |wire| {
        let table = asked.read(&Source::File(path), &options, &|_| wire.heed())?;
        Ok(table.verify(&asked, &proof)?)
    })?;
    Ok(PyAnswer(Answer::Verify(Box::new(answer))))
}

/// Returns the structure vectors of a model as the parts of a CSR matrix, the names of the coefficients, and what each
/// vector is made of: its row, and what it excludes.
#[pyfunction]
pub fn structure_vectors<'py>(
    py: Python<'py>,
    question: &str,
    x: &Bound<'py, PyAny>,
    beside: Vec<Beside<'py>>,
) -> PyResult<Bound<'py, PyDict>> {
    let given = Given::new(x)?;
    let (asked, beside) = (read_estimate(question)?, observed(beside)?);
    let shared = given.clone();
    let (found, categories) = run(py, None, move |_| {
        asked.validate()?;
        let design = design(shared.arrays()?.get(), &|_| None)?;
        let observed = asked.observe(&beside)?;
        let found = asked.structure_vectors(&design, &observed, 0)?;
        Ok((found, observed.categories))
    })?;
    drop(given);
    let (mut offsets, mut indices, mut values) = (vec![0_i64], vec![], vec![]);
    for vector in &found.vectors {
        for &(place, value) in vector {
            indices.push(place as i64);
            values.push(value);
        }
        offsets.push(values.len() as i64);
    }
    let dict = PyDict::new(py);
    dict.set_item("offsets", PyArray1::from_vec(py, offsets))?;
    dict.set_item("indices", PyArray1::from_vec(py, indices))?;
    dict.set_item("values", PyArray1::from_vec(py, values))?;
    dict.set_item("coefficients", found.coefficients)?;
    let made_of: Vec<_> = found
        .made_of
        .iter()
        .map(|(vector, excluded)| {
            let excluded = match excluded {
                // The other outcome of the row.
                Excluded::Other => {
                    let other = categories.get(usize::from(!vector.positive)).cloned();
                    What::Category(usize::from(!vector.positive), other.unwrap_or_default())
                }
                other => What::from(other),
            };
            (vector.row, excluded)
        })
        .collect();
    dict.set_item("made_of", made_of)?;
    Ok(dict)
}

/// What is excluded: a category by its place, several in words, or a row.
#[derive(IntoPyObject)]
enum What {
    Category(usize, String),
    Words(String),
    Row(usize),
}

impl From<&Excluded> for What {
    fn from(excluded: &Excluded) -> Self {
        match excluded {
            Excluded::Category(place, name) => What::Category(*place, name.clone()),
            Excluded::Row(row) => What::Row(*row),
            other => What::Words(other.to_string()),
        }
    }
}

/// Returns what is known of a cone of directions, given its structure vectors; its values are those of a model.
#[pyfunction]
#[pyo3(signature = (question, x))]
pub fn recession<'py>(
    py: Python<'py>,
    question: &str,
    x: &Bound<'py, PyAny>,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let asked = read_estimate(question)?;
    let shared = given.clone();
    let answer = run(py, None, move |wire| {
        let arrays = shared.arrays()?;
        let names = |rows: &[usize]| row_names(arrays, wire, rows);
        let design = design(arrays.get(), &names)?;
        let rows = design.features.rows();
        let cells = ObservedCells::Words { words: vec!["1".to_string()], codes: vec![0; rows] };
        let outcome = Some(ObservedColumn { name: "y".to_string(), cells });
        let observed = asked.observe(&ObservedColumns { outcome, ..Default::default() })?;
        let mut answer = asked.ask_model(&design, &observed, &mut PyWatcher::new(wire))?;
        // What rows have in common says nothing of vectors that are not rows of a table.
        answer.common.clear();
        Ok(answer)
    })?;
    drop(given);
    Ok(held(answer))
}

/// Returns what an answer about a model says, in plain values.
pub fn values<'py>(py: Python<'py>, answer: &EstimateAnswer) -> PyResult<Bound<'py, PyDict>> {
    let EstimateAnswer { found, data, rows, .. } = answer;
    let number = |row: usize| data.row(row, 0);
    let numbers = |rows: &[usize]| {
        PyArray1::from_iter(py, rows.iter().map(|&row| number(row) as i64).collect::<Vec<_>>())
    };
    let Separation { coefficients, .. } = found;
    let names = answer.coefficients(0);
    let named =
        |places: &[usize]| -> Vec<String> { places.iter().map(|&k| names[k].clone()).collect() };
    let dict = PyDict::new(py);
    dict.set_item("kind", found.kind.to_string())?;
    dict.set_item("model", answer.model.name())?;
    dict.set_item("because", answer.because().map(|limit| limit.word()))?;
    dict.set_item("open", found.open.map(|(open, _)| open.word()))?;
    dict.set_item("coefficients", &names)?;
    let columns: Vec<Option<String>> =
        coefficients.iter().map(|own| own.column.map(|k| data.feature(k, 0))).collect();
    dict.set_item("columns", columns)?;
    dict.set_item("estimates", answer.estimates())?;
    let infinite: Vec<(String, String)> =
        found.infinite.iter().map(|(k, sign)| (names[*k].clone(), sign.to_string())).collect();
    dict.set_item("infinite", infinite)?;
    dict.set_item("aliased", named(&found.aliased))?;
    dict.set_item("left_out", named(&found.left_out))?;
    dict.set_item("cone_dimension", found.cone_dimension)?;
    dict.set_item("rows", numbers(&found.rows))?;
    dict.set_item("row_names", rows.names(&found.rows))?;
    dict.set_item("settled", numbers(&found.settled))?;
    dict.set_item("separated", found.separated)?;
    let excluded: Vec<(usize, What)> = found
        .excluded
        .iter()
        .map(|vector: &Vector| (number(vector.row), What::from(&answer.excluded(vector, 0))))
        .collect();
    dict.set_item("excluded", excluded)?;
    let gone = answer.absorbed.iter().map(|factor| {
        let levels = factor.gone.iter().map(|(level, sign)| (level.clone(), sign.to_string()));
        (factor.column.clone(), factor.levels, levels.collect::<Vec<_>>())
    });
    dict.set_item("absorbed", gone.collect::<Vec<_>>())?;
    let direction = found.direction.as_ref().map(|g| PyArray1::from_slice(py, g));
    dict.set_item("direction", direction)?;
    dict.set_item("conflicting_rows", numbers(&found.conflict))?;
    dict.set_item("proof", found.proof.as_ref().map(Proof::to_json))?;
    dict.set_item("causes", causes(answer, &Pythonic))?;
    dict.set_item("left", answer.left())?;
    dict.set_item("row_count", data.shape.rows)?;
    let counted = answer.counted.as_ref();
    dict.set_item("counted", counted.map(|counted| PyArray1::from_slice(py, counted)))?;
    let steps: Vec<_> = answer.next_steps(0).iter().map(|step| described(answer, step)).collect();
    dict.set_item("next_steps", steps)?;
    dict.set_item("seconds", answer.seconds)?;
    Ok(dict)
}

/// Returns a step: what it is, in words, which columns go, and whether the constant does.
fn described(
    answer: &EstimateAnswer,
    step: &NextStep,
) -> (&'static str, String, Vec<String>, bool) {
    let words = words(answer, step);
    match step {
        NextStep::Drop { columns } => ("drop", words, columns.clone(), false),
        NextStep::FitLimit { without, without_constant, .. } => {
            ("fit-limit", words, without.clone(), *without_constant)
        }
        NextStep::Penalise => ("penalise", words, vec![], false),
        _ => ("merge-categories", words, vec![], false),
    }
}
