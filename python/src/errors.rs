//! The one map from Rust errors to Python exceptions.

use std::io;
use std::path::PathBuf;

use linsep::ask::{AskError, Located, Useless};
use linsep::data::error::{Column, Place, path_name};
use linsep::data::{Error, ErrorKind};
use linsep::decide::{DecideError, JournalError};
use linsep::models::{ObservedError, SeparationError};
use linsep::online::FitError;
use linsep::proof::ProofError;
use linsep_report::hints::{ask_hint, hint, journal_hint, response_hint};
use pyo3::PyErr;
use pyo3::exceptions::{
    PyBlockingIOError, PyFileNotFoundError, PyMemoryError, PyOSError, PyRuntimeError, PyTypeError,
    PyValueError,
};

use crate::voice::Pythonic;

/// Whatever can go wrong on the Rust side.
#[derive(Debug)]
pub enum PyFailure {
    /// A question has no answer; its checkpoint is in a file, if it has one.
    Ask(AskError, Option<PathBuf>),
    /// A proof cannot be read.
    Proof(ProofError),
    /// A setting cannot be read.
    Setting(String),
    /// Rows of a cluster are not what they were.
    Moved,
    /// The library failed: a bug.
    Panic,
}

impl From<Error> for PyFailure {
    fn from(error: Error) -> Self {
        AskError::from(error).into()
    }
}

impl From<DecideError> for PyFailure {
    fn from(error: DecideError) -> Self {
        AskError::from(error).into()
    }
}

impl From<FitError> for PyFailure {
    fn from(error: FitError) -> Self {
        AskError::from(error).into()
    }
}

impl From<ProofError> for PyFailure {
    fn from(error: ProofError) -> Self {
        PyFailure::Proof(error)
    }
}

impl From<PyFailure> for PyErr {
    fn from(failure: PyFailure) -> Self {
        match failure {
            PyFailure::Ask(error, checkpoint) => asking(error, checkpoint),
            PyFailure::Proof(error) => PyValueError::new_err(error.to_string()),
            PyFailure::Setting(message) => PyValueError::new_err(message),
            PyFailure::Moved => PyOSError::new_err(
                "the rows have changed while they were read: a pass found others than the one before \
                 it\nhint: write them to files, or number them by a column, so that every pass reads the same",
            ),
            PyFailure::Panic => {
                PyRuntimeError::new_err("linsep failed inside; this is a bug, please report it")
            }
        }
    }
}

/// Returns the exception for a question that has no answer.
fn asking(error: AskError, checkpoint: Option<PathBuf>) -> PyErr {
    let hint = ask_hint(&error, &Pythonic);
    let hinted = |message: String| match &hint {
        Some(hint) => format!("{message}\nhint: {hint}"),
        None => message,
    };
    match error {
        AskError::Data(error) => data(&error),
        AskError::Decide(DecideError::Journal(error)) => {
            journal(&checkpoint.map(|path| path_name(&path)).unwrap_or_default(), &error)
        }
        AskError::Useless(Useless { option, why, .. }) => {
            PyTypeError::new_err(format!("{option} {why}"))
        }
        AskError::Observed(error) => PyValueError::new_err(observed(&error)),
        AskError::Separation(SeparationError::Model(error)) => {
            let note = error.row().map_or("", |_| " (rows are counted from 0)");
            PyValueError::new_err(hinted(format!("{}{note}", error.with_row(|row| row - 1))))
        }
        AskError::Located(located) => {
            let Located { .. } = &*located;
            PyValueError::new_err(hinted(located.to_string()))
        }
        error @ (AskError::Fit(_) | AskError::Audit(_)) => PyValueError::new_err(error.to_string()),
        error => PyValueError::new_err(hinted(error.to_string())),
    }
}

/// Returns what is wrong with a column beside a design, with rows counted from 0.
fn observed(error: &ObservedError) -> String {
    let place = match error.error.row {
        Some(row) => format!("row {row} (counted from 0) of {}", error.column),
        None => error.column.clone(),
    };
    let hint = response_hint(&error.error, &Pythonic);
    let hint = hint.map(|hint| format!(". {hint}")).unwrap_or_default();
    format!("{place}: {}{hint}", error.error)
}

/// Returns the exception for data: what the disk does is an OSError, what is in it a ValueError.
fn data(error: &Error) -> PyErr {
    let Some(source) = &error.place.source else {
        return PyValueError::new_err(describe(error));
    };
    let mut text = error.to_string();
    if let Some(hint) = hint(error, &Pythonic) {
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
        error => {
            let hint = journal_hint(error, &Pythonic);
            let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
            PyValueError::new_err(format!("{path}: {error}{hint}"))
        }
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
