//! The one map from Rust errors to Python exceptions.

use std::io;
use std::path::PathBuf;

use linsep::audit::AuditError;
use linsep::data::error::{Column, Place, path_name};
use linsep::data::{Error, ErrorKind};
use linsep::decide::{DecideError, JournalError};
use linsep::online::FitError;
use linsep::proof::ProofError;
use pyo3::PyErr;
use pyo3::exceptions::{
    PyBlockingIOError, PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyValueError,
};

use crate::hints::hint;

/// Whatever can go wrong on the Rust side.
#[derive(Debug)]
pub enum Failure {
    /// The data is of no use.
    Data(Error),
    /// A fit could not begin.
    Fit(FitError),
    /// A decision could not begin, or come to its end.
    Decide(DecideError),
    /// A decision cannot be kept in this file, or taken up from it.
    Journal(PathBuf, JournalError),
    /// A proof cannot be read.
    Proof(ProofError),
    /// A setting cannot be read.
    Setting(String),
    /// Rows of a cluster are not what they were.
    Moved,
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

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Data(error) => Failure::Data(error),
            other => Failure::Setting(other.to_string()),
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
            Failure::Data(error) => data(&error),
            Failure::Fit(error) => PyValueError::new_err(error.to_string()),
            Failure::Decide(error) => PyValueError::new_err(error.to_string()),
            Failure::Journal(path, error) => journal(&path_name(&path), &error),
            Failure::Proof(error) => PyValueError::new_err(error.to_string()),
            Failure::Setting(message) => PyValueError::new_err(message),
            Failure::Moved => PyOSError::new_err(
                "the rows have changed while they were read: a pass found others than the one before \
                 it\nhint: write them to files, or number them by a column, so that every pass reads the same",
            ),
            Failure::Panic => {
                PyRuntimeError::new_err("linsep failed inside; this is a bug, please report it")
            }
        }
    }
}

/// Returns the exception for data: what the disk does is an OSError, what is in it a ValueError.
fn data(error: &Error) -> PyErr {
    let Some(source) = &error.place.source else {
        return PyValueError::new_err(describe(error));
    };
    let mut text = error.to_string();
    if let Some(hint) = hint(error) {
        text = format!("{text}\nhint: {hint}");
    }
    match &error.kind {
        ErrorKind::Io(error) => system(source, "", error),
        ErrorKind::Cache(error) => system(source, "the cache cannot be written: ", error),
        ErrorKind::CacheLimit { .. } | ErrorKind::Changed => PyOSError::new_err(text),
        ErrorKind::NoFiles => PyFileNotFoundError::new_err(text),
        ErrorKind::NoMemory { .. } | ErrorKind::IndexMemory { .. } => PyMemoryError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the exception for a checkpoint.
fn journal(path: &str, error: &JournalError) -> PyErr {
    match error {
        JournalError::Unreadable(error) | JournalError::Unwritable(error) => {
            system(path, "", error)
        }
        JournalError::InUse => PyBlockingIOError::new_err(format!("{path}: {error}")),
        _ => PyValueError::new_err(format!("{path}: {error}")),
    }
}

/// Returns what Python itself would raise: the number chooses the subclass of OSError.
fn system(file: &str, what: &str, error: &io::Error) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(number) => {
            let text = text.split(" (os error").next().unwrap_or_default();
            PyOSError::new_err((number, format!("{what}{text}"), file.to_string()))
        }
        None => PyOSError::new_err(format!("{file}: {what}{text}")),
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
    let what = describe_kind(&error.kind);
    match place.is_empty() {
        true => what,
        false => format!("{} (counted from 0): {what}", place.join(", ")),
    }
}

/// Returns what is wrong, without its place.
pub fn describe_kind(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Sparse(fault) => format!("the sparse matrix is not a valid CSR one: {fault:?}"),
        ErrorKind::NotFinite { found } => {
            format!("input contains NaN or infinity: expected a finite number, found {found}")
        }
        kind => kind.to_string(),
    }
}
