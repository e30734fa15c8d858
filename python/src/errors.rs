//! The one map from Rust errors to Python exceptions.

use linsep::data::error::{Column, Place};
use linsep::data::{Error, ErrorKind};
use linsep::decide::DecideError;
use linsep::online::FitError;
use linsep::proof::ProofError;
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};

/// Whatever can go wrong on the Rust side.
#[derive(Debug)]
pub enum Failure {
    /// The data is of no use.
    Data(Error),
    /// A fit could not begin.
    Fit(FitError),
    /// A decision could not begin, or come to its end.
    Decide(DecideError),
    /// A proof cannot be read.
    Proof(ProofError),
    /// A setting cannot be read.
    Setting(String),
    /// The library failed: a bug.
    Panic,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Data(error)
    }
}

impl From<DecideError> for Failure {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Data(error) => Failure::Data(error),
            other => Failure::Decide(other),
        }
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        Failure::Fit(error)
    }
}

impl From<ProofError> for Failure {
    fn from(error: ProofError) -> Self {
        Failure::Proof(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Data(error) => PyValueError::new_err(describe(&error)),
            Failure::Fit(error) => PyValueError::new_err(error.to_string()),
            Failure::Decide(error) => PyValueError::new_err(error.to_string()),
            Failure::Proof(error) => PyValueError::new_err(error.to_string()),
            Failure::Setting(message) => PyValueError::new_err(message),
            Failure::Panic => {
                PyRuntimeError::new_err("linsep failed inside; this is a bug, please report it")
            }
        }
    }
}

/// Returns the message with rows and columns counted from 0, as Python counts them.
fn describe(error: &Error) -> String {
    let Place { row, column, .. } = &*error.place;
    let mut place = vec![];
    place.extend(row.map(|row| format!("row {}", row - 1)));
    place.extend(column.as_ref().map(|column| match column {
        Column::Name(name) => format!("column \"{name}\""),
        Column::Number(number) => format!("column {}", number - 1),
    }));
    let what = match &error.kind {
        ErrorKind::Sparse(fault) => format!("the sparse matrix is not a valid CSR one: {fault:?}"),
        ErrorKind::NotFinite { found } => {
            format!("input contains NaN or infinity: expected a finite number, found {found}")
        }
        kind => kind.to_string(),
    };
    match place.is_empty() {
        true => what,
        false => format!("{} (counted from 0): {what}", place.join(", ")),
    }
}
