//! What went wrong, and the remedy.

use std::io::{self, Write};
use std::path::Path;

use linsep::ask::AskError;
use linsep::data::ErrorKind;
use linsep::data::error::{escaped, path_name};
use linsep::decide::{DecideError, JournalError, OptionError};
use linsep::proof::ProofError;
use linsep::saved::SavedModelError;
use linsep_report::hints;

use crate::voice::{Shell, flag};

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
            message: format!("{}: cannot write: {}", path_name(path), plain(error)),
            hint: Some(hint.to_string()),
        }
    }

    /// Returns the failure to read a file that is not data: a model, a checkpoint or a proof.
    pub fn input(path: &Path, error: &io::Error) -> Self {
        let message = format!("{}: cannot read: {}", path_name(path), plain(error));
        Failure { message, hint: None }
    }

    /// Returns the failure to use a model file.
    pub fn model(path: &Path, error: &SavedModelError) -> Self {
        Failure {
            message: format!("{}: {error}", path_name(path)),
            hint: Some("linsep fit DATA -o FILE writes a model".to_string()),
        }
    }

    /// Returns the failure to use a proof file.
    pub fn proof(path: &Path, error: &ProofError) -> Self {
        let hint = match error {
            ProofError::OtherVersion { .. } => "use the version of linsep that wrote it",
            _ => "write or fetch the file again; PROOFS.md describes it",
        };
        Failure { message: format!("{}: {error}", path_name(path)), hint: Some(hint.to_string()) }
    }

    /// Returns the failure to answer a question, whose checkpoint is in a file if it has one.
    pub fn asking(error: AskError, checkpoint: Option<&Path>) -> Self {
        let hint = hints::ask_hint(&error, &Shell);
        match (error, checkpoint) {
            (AskError::Data(error), _) => error.into(),
            (AskError::Option(error), _) => error.into(),
            (AskError::Decide(DecideError::Journal(error)), Some(path)) => match error {
                JournalError::Unwritable(error) => Failure::output(path, &error),
                JournalError::Unreadable(error) => Failure::input(path, &error),
                error => Failure { message: format!("{}: {error}", path_name(path)), hint },
            },
            (AskError::Useless(error), _) => {
                let rule = "linsep separation --help says which options each model has";
                let message = format!("{} {}", flag(error.option), error.why);
                Failure { message, hint: hint.or(Some(rule.to_string())) }
            }
            (error, _) => Failure { message: error.to_string(), hint },
        }
    }

    /// Writes the message and the hint to standard error.
    pub fn print(&self) {
        // Whatever the message quotes, it does not control the terminal.
        let lines: Vec<String> = self.message.lines().map(escaped).collect();
        let mut text = format!("linsep: {}\n", lines.join("\n"));
        if let Some(hint) = &self.hint {
            text.push_str(&format!("hint: {}\n", escaped(hint)));
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
        Failure::usage(format!("{} is {found}; expected {expected}", flag(option)), None)
    }
}

impl From<linsep::Error> for Failure {
    fn from(error: linsep::Error) -> Self {
        let hint = hints::hint(&error, &Shell);
        let message = match &error.kind {
            ErrorKind::Io(io) => format!("{}: cannot read: {}", error.place, plain(io)),
            ErrorKind::Cache(io) => {
                format!("{}: the cache cannot be written: {}", error.place, plain(io))
            }
            _ => error.to_string(),
        };
        Failure { message, hint }
    }
}
