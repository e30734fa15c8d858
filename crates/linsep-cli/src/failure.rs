//! What went wrong, and the remedy.

use std::io::{self, Write};
use std::path::Path;

use linsep::data::ErrorKind;
use linsep::data::error::{Column, escaped, path_name};
use linsep::data::read::{Foreign, LABEL_NAMES, stands_for_missing};
use linsep::decide::{DecideError, JournalError, OptionError};
use linsep::saved::ModelError;
use linsep::online::FitError;
use linsep::proof::ProofError;

use crate::suggest::did_you_mean;

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
    pub fn model(path: &Path, error: &ModelError) -> Self {
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
        Failure { message: format!("{}: {error}", path_name(path)), hint: Some(hint.to_string()) }
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
        let hint = data_hint(&error);
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

fn data_hint(error: &linsep::Error) -> Option<String> {
    // A name that the shell or Python would take apart is left to the user.
    let plain = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let file = error.place.source.as_deref().filter(plain).unwrap_or("FILE");
    let hint = match &error.kind {
        ErrorKind::Foreign(foreign) => return foreign_hint(*foreign, file),
        ErrorKind::NotUtf8 { .. } => return Some(converted("WINDOWS-1252", file)),
        ErrorKind::Io(io) => match io.kind() {
            io::ErrorKind::NotFound => "check the name; - reads standard input",
            io::ErrorKind::PermissionDenied => "the file may not be read: check its permissions",
            _ => return None,
        },
        ErrorKind::Empty => "check that the file was written completely",
        ErrorKind::HeaderOnly => {
            "check that the file was written completely; --header no takes the first line as data"
        }
        ErrorKind::NoRows { dropped: 0 } => "check that the file was written completely",
        ErrorKind::NoRows { .. } => {
            "--missing mean or median fills missing values; --exclude leaves columns out"
        }
        ErrorKind::NoFeatures => "--features chooses columns, --exclude and --label leave them out",
        ErrorKind::OneColumn { .. } => {
            "--delimiter CHAR says what stands between cells; --labels FILE has labels elsewhere"
        }
        ErrorKind::NotANumber { found } if stands_for_missing(found) => MISSING,
        ErrorKind::NotANumber { .. } if error.place.line == Some(1) => {
            "--header yes takes the first line as names; --categorical COLUMN makes a feature of each text"
        }
        ErrorKind::NotANumber { .. } => {
            "correct the cell, or: --categorical COLUMN makes a feature of each text, --exclude COLUMN \
             leaves the column out"
        }
        ErrorKind::CommaInNumber { found } if may_be_thousands(found) => {
            "leave commas between thousands out, and write a decimal comma as a point"
        }
        ErrorKind::CommaInNumber { .. } => {
            "sed 's/,/./g' makes points of decimal commas, where no other commas are; \
             --categorical COLUMN takes such cells as words"
        }
        ErrorKind::NotFinite { .. } => MISSING,
        ErrorKind::TooLarge => "divide the data by a power of two",
        ErrorKind::Inexact { .. } if error.place.line.is_some() => {
            "--exclude COLUMN leaves out a column that only names rows; else subtract a constant from the column, or \
             write a point after the number if rounding is acceptable"
        }
        ErrorKind::Inexact { .. } => {
            "--exclude COLUMN leaves out a column that only names rows; else convert it to f8 first if rounding is \
             acceptable"
        }
        ErrorKind::Ragged { .. } => "check the quotes and --delimiter",
        ErrorKind::UnclosedQuote => "close it, or double a quote that is part of the text",
        ErrorKind::LongRecord { .. } => "check that the input has line ends, and is text",
        ErrorKind::NoLabel { found } if found.is_empty() => "--missing drop leaves such rows out",
        ErrorKind::NoLabel { .. } => {
            "--missing drop leaves such rows out; --positive takes the word as a class"
        }
        ErrorKind::UnknownLevel { .. } => "--unknown ignore takes such rows as having no level",
        ErrorKind::ManyLevels { .. } => "--exclude leaves the column out",
        ErrorKind::NoMemory { .. } => {
            "--stream reads the data in blocks, --threads 1 one at a time"
        }
        ErrorKind::Cache(_) | ErrorKind::CacheLimit { .. } => {
            "--cache-dir chooses another folder, --cache-limit another size"
        }
        ErrorKind::OtherColumns { .. } => "move the file elsewhere, or write it again",
        ErrorKind::Changed => "run again once nobody writes to the file",
        ErrorKind::IndexMemory { .. } => {
            "check that line: every feature up to the largest index has a weight; hashed features fit \
             if they are hashed to fewer bits"
        }
        ErrorKind::OneClass { .. } => "--label chooses another column, --labels another file",
        // What pandas writes for columns that are numbered.
        ErrorKind::ManyClasses { examples, .. }
            if examples.iter().any(|label| LABEL_NAMES.contains(&label.as_str())) =>
        {
            "--header yes takes the first line as names"
        }
        ErrorKind::ManyClasses { .. } => {
            "--positive VALUE sets one class against the rest, --classes A,B takes two; --pairs, --one-vs-rest \
             and --argmax of decide ask about all; --label chooses another column"
        }
        ErrorKind::NoSuchLabel { wanted, found } => {
            let nearest = did_you_mean(wanted, found.iter().map(String::as_str));
            return nearest.or_else(|| Some("choose one of them".to_string()));
        }
        ErrorKind::NoSuchColumn { count: 1, .. } => {
            "--delimiter CHAR says what stands between cells"
        }
        ErrorKind::NoSuchColumn { wanted, available, .. } => {
            let nearest = match wanted {
                Column::Name(name) => did_you_mean(name, available.iter().map(String::as_str)),
                Column::Number(_) => None,
            };
            let rule = || "columns are named by their header or numbered from 1".to_string();
            return Some(nearest.unwrap_or_else(rule));
        }
        ErrorKind::LabelCount { .. } => "--labels FILE has to have one label per row",
        ErrorKind::WrongFeatures { .. } => {
            "--features chooses the columns; --label names the one to pass over"
        }
        ErrorKind::DuplicateIndex { .. } => "leave one of the two values out",
        ErrorKind::BadIndex { .. } => {
            "a line is a label and pairs such as 3:0.5; --format names another format"
        }
        ErrorKind::IndexRange { .. } => {
            "--index-base 0 counts features from 0; the largest index is 2^32 - 1"
        }
        ErrorKind::Damaged { .. } => "write or fetch the file again",
        ErrorKind::NoFiles => "name a file, or a folder of Parquet or Arrow files",
        _ => return None,
    };
    Some(hint.to_string())
}

/// Returns true if every comma stands before three digits: a point in its place might be wrong.
fn may_be_thousands(number: &str) -> bool {
    let three = |group: &str| group.find(|c: char| !c.is_ascii_digit()).unwrap_or(group.len()) == 3;
    number.split(',').skip(1).all(three)
}

const MISSING: &str = "--missing drop leaves such rows out, mean or median fills them in";

/// Returns how to make a table of a file that is something else.
fn foreign_hint(foreign: Foreign, file: &str) -> Option<String> {
    let pandas = |read: &str| {
        format!("in Python: pandas.{read}(\"{file}\").to_csv(\"data.csv\", index=False)")
    };
    let hint = match foreign {
        Foreign::Utf16 { big_endian: false } => converted("UTF-16LE", file),
        Foreign::Utf16 { big_endian: true } => converted("UTF-16BE", file),
        Foreign::Misnamed(format) => format!("--format {format} reads it"),
        Foreign::Xlsx | Foreign::Xls => {
            "save the sheet as CSV, in UTF-8, from the spreadsheet program".to_string()
        }
        Foreign::Json => pandas("read_json"),
        Foreign::Html => "fetch the file itself: this is a page, perhaps to log in".to_string(),
        Foreign::Pickle => pandas("read_pickle"),
        Foreign::Npz => format!(
            "in Python: numpy.save(\"X.npy\", numpy.load(\"{file}\")[NAME]), and the labels to X.labels.npy"
        ),
        Foreign::Zip => {
            format!("unzip {file} takes the files out of it")
        }
        _ => "csv, tsv, libsvm, npy, parquet and arrow can be read".to_string(),
    };
    Some(hint)
}

/// Returns how to convert text of another encoding.
fn converted(from: &str, file: &str) -> String {
    format!("iconv -f {from} -t UTF-8 {file} > converted.csv makes UTF-8 of it")
}
