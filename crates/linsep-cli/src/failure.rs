//! What went wrong, and the remedy.

use std::io::{self, Write};
use std::path::Path;

use linsep::data::ErrorKind;
use linsep::decide::{DecideError, JournalError, OptionError};
use linsep::model::ModelError;
use linsep::online::FitError;
use linsep::proof::ProofError;

/// An error that ends the program with status 2: a message, and what to do about it.
pub struct Failure {
    message: String,
    hint: Option<String>,
}

impl Failure {
    /// Returns the failure for arguments that do not make sense.
    pub fn usage(message: String, hint: Option<&str>) -> Self {
        Failure { message, hint: hint.map(str::to_string) }
    }

    /// Returns the failure to write a file.
    pub fn output(path: &Path, error: &io::Error) -> Self {
        let hint = match error.kind() {
            io::ErrorKind::StorageFull => "free some space, or choose another place",
            io::ErrorKind::NotFound => "create the folder first, or choose another place",
            _ => "choose another place; nothing was left behind",
        };
        Failure {
            message: format!("{}: cannot write: {}", path.display(), plain(error)),
            hint: Some(hint.to_string()),
        }
    }

    /// Returns the failure to read a file that is not data: a model, a checkpoint or a proof.
    pub fn input(path: &Path, error: &io::Error) -> Self {
        let message = format!("{}: cannot read: {}", path.display(), plain(error));
        Failure { message, hint: None }
    }

    /// Returns the failure to use a model file.
    pub fn model(path: &Path, error: &ModelError) -> Self {
        Failure {
            message: format!("{}: {error}", path.display()),
            hint: Some("linsep fit DATA -o FILE writes a model".to_string()),
        }
    }

    /// Returns the failure to use a proof file.
    pub fn proof(path: &Path, error: &ProofError) -> Self {
        let hint = match error {
            ProofError::OtherVersion { .. } => "use the version of linsep that wrote it",
            _ => "write or fetch the file again; PROOFS.md describes it",
        };
        Failure { message: format!("{}: {error}", path.display()), hint: Some(hint.to_string()) }
    }

    /// Returns the failure to begin or resume a fit.
    pub fn fit(error: FitError) -> Self {
        let hint = match &error {
            FitError::Data(_) => None,
            FitError::NeedsMemory(_) => Some("--stream=no reads the rows into memory"),
            FitError::OtherRun { .. } => {
                Some("resume with the data and the options of the run that wrote it")
            }
            FitError::Damaged(_) => Some("start again without --resume"),
            _ => None,
        };
        match error {
            FitError::Data(error) => error.into(),
            other => Failure::usage(other.to_string(), hint),
        }
    }

    /// Returns the failure to keep or to resume a decision.
    pub fn journal(path: &Path, error: &JournalError) -> Self {
        let hint = match error {
            JournalError::Unwritable(error) => return Failure::output(path, error),
            JournalError::Unreadable(error) => return Failure::input(path, error),
            JournalError::InUse => "wait until it has ended, or choose another file",
            JournalError::NotOne => "check the name",
            JournalError::OtherRun { .. } => {
                "resume with the data and the options of the run that wrote it"
            }
            _ => "start again without --resume",
        };
        Failure { message: format!("{}: {error}", path.display()), hint: Some(hint.to_string()) }
    }

    /// Writes the message and the hint to standard error.
    pub fn print(&self) {
        let mut text = format!("linsep: {}\n", self.message);
        if let Some(hint) = &self.hint {
            text.push_str(&format!("hint: {hint}\n"));
        }
        // Nobody is left to tell if this fails.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

/// Returns the error without the operating system's number for it.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Self {
        let OptionError { option, found, expected, .. } = error;
        let option = option.replace('_', "-");
        Failure::usage(format!("--{option} is {found}; expected {expected}"), None)
    }
}

impl From<DecideError> for Failure {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Option(error) => error.into(),
            DecideError::Data(error) => error.into(),
            other => Failure::usage(other.to_string(), None),
        }
    }
}

impl From<linsep::Error> for Failure {
    fn from(error: linsep::Error) -> Self {
        let hint = data_hint(&error.kind).map(str::to_string);
        let message = match &error.kind {
            ErrorKind::Io(io) => {
                let place = error.place.to_string();
                format!("{place}: cannot read: {}", plain(io))
            }
            _ => error.to_string(),
        };
        Failure { message, hint }
    }
}

fn data_hint(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::Io(_) => "check the name; - reads standard input",
        ErrorKind::Empty | ErrorKind::HeaderOnly => "check that the file was written completely",
        ErrorKind::NoRows { .. } => "check the file, and --missing",
        ErrorKind::NotANumber { found } if looks_missing(found) => {
            "--missing drop leaves such rows out"
        }
        ErrorKind::NotANumber { .. } => {
            "--categorical COLUMN makes a feature of each text, --exclude COLUMN leaves the column out; \
             --header yes takes the first line as names"
        }
        ErrorKind::NotFinite { .. } => "--missing drop leaves such rows out",
        ErrorKind::TooLarge => "divide the data by a power of two",
        ErrorKind::Inexact { .. } => "convert the array to f8 first if rounding is acceptable",
        ErrorKind::Ragged { .. } => "check the quotes and --delimiter",
        ErrorKind::NoLabel { .. } => {
            "--missing drop leaves such rows out; --positive takes the word as a class"
        }
        ErrorKind::UnknownLevel { .. } => "--unknown ignore takes such rows as having no level",
        ErrorKind::ManyLevels { .. } => "--exclude leaves the column out",
        ErrorKind::NoMemory { .. } => "--stream reads the data in blocks, on every pass again",
        ErrorKind::OneClass { .. } => "--label chooses another column, --labels another file",
        ErrorKind::ManyClasses { .. } => {
            "--positive VALUE sets one class against the rest; --label chooses another column"
        }
        ErrorKind::NoSuchLabel { .. } => "--positive takes one of them",
        ErrorKind::NoSuchColumn { .. } => "columns are named by their header or numbered from 1",
        ErrorKind::LabelCount { .. } => "--labels FILE has to have one label per row",
        ErrorKind::WrongFeatures { .. } => {
            "--features chooses the columns; --label names the one to pass over"
        }
        ErrorKind::DuplicateIndex { .. } => "leave one of the two values out",
        ErrorKind::BadIndex { .. } => "--format names another format; --index-base 0 counts from 0",
        ErrorKind::Damaged { .. } => "write or fetch the file again",
        _ => return None,
    })
}

fn looks_missing(found: &str) -> bool {
    ["na", "n/a", "null", "none", "?", "-", "missing"].contains(&found.to_lowercase().as_str())
}
