//! The way in and out: a question in plain values, an answer that can be shown without the data.
//!
//! Whoever asks, the program, Rust, Python or Spark, makes a [`Question`], which is checked in one place before data is
//! read, and gets an [`Answer`] that owns all that can be said: the verdict and its proof, the rows that it speaks of with
//! their names and values, what can be drawn, and all that it cost. [`Answer::to_json`] is the same to the byte
//! whoever asked. `linsep-report` makes text and pages of answers; it reads no data.
//!
//! ```
//! use linsep::Samples;
//! use linsep::ask::{DecideQuestion, Question, Reply};
//! use linsep::data::Memory;
//!
//! let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
//! let question = DecideQuestion { explain: true, ..DecideQuestion::default() };
//! let answer = question.ask(&Memory::new(&samples), &mut ())?;
//! assert_eq!(answer.reply(), Reply::Yes);
//! assert_eq!(answer.to_json()["verdict"], "separable");
//!
//! // The same question as a text.
//! let read: Question = serde_json::from_str(r#"{"ask": "decide", "explain": true}"#)?;
//! assert_eq!(read, Question::Decide(question));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod classes;
mod decide;
mod estimate;
mod fit;
mod race;
mod rows;
mod table;
mod vectors;
mod verify;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Samples;
use crate::audit::AuditError;
use crate::data::error::{Column, Place};
use crate::data::samples::{About, Classes};
use crate::data::{Data, Error};
use crate::decide::{DecideError, OptionError};
use crate::models::{ObservedError, SeparationError};
use crate::online::FitError;
use crate::watch::Watch;
use linsep_proof::Proof;

pub use audit::{AuditAnswer, AuditQuestion};
pub use classes::{ClassVerdict, ClassesAnswer, ClassesQuestion};
pub use decide::{DecideAnswer, DecideQuestion, TimedPass};
pub use estimate::{AbsorbedFactor, Design, EstimateAnswer, EstimateQuestion, NextStep};
pub use fit::{ClassFitAnswer, FitAnswer, FitQuestion, bound_json};
pub use race::{RaceAnswer, RaceQuestion};
pub use rows::{CitedRow, CitedRows, DataFacts};
pub use table::ModelTable;
pub use vectors::{Excluded, StructureVectors};
pub use verify::{FolderAnswer, VerifyAnswer, VerifyQuestion};

/// A question of any kind, in plain values: what the program makes of arguments, Python of keywords, and a file of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
#[expect(clippy::large_enum_variant, reason = "there is one question at a time")]
#[non_exhaustive]
pub enum Question {
    /// Can one hyperplane tell two classes apart?
    Decide(DecideQuestion),
    /// Which of many classes can be told apart?
    Classes(ClassesQuestion),
    /// Does the estimate of a statistical model exist?
    Estimate(EstimateQuestion),
    /// Which rows probably carry a wrong label?
    Audit(AuditQuestion),
    /// Which hyperplane does an online method find?
    Fit(FitQuestion),
    /// How do several online methods do on the same rows?
    Race(RaceQuestion),
    /// Does a proof hold?
    Verify(VerifyQuestion),
}

impl Question {
    /// Errors with the first option that is out of its range, or of no use here.
    pub fn validate(&self) -> Result<(), AskError> {
        match self {
            Question::Decide(question) => question.validate(),
            Question::Classes(question) => question.validate(),
            Question::Estimate(question) => question.validate(),
            Question::Audit(question) => question.validate(),
            Question::Fit(question) => question.validate(),
            Question::Race(question) => question.validate(),
            Question::Verify(question) => question.validate(),
        }
    }
}

/// What a question is asked of.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum AskedOf<'a> {
    /// Rows of two classes, wherever they are.
    Rows(&'a dyn Data),
    /// Rows of any number of classes.
    Classes(&'a Samples, &'a Classes),
    /// A table as a model sees it.
    Table(&'a ModelTable),
    /// Rows, and a proof about them.
    Proof(&'a dyn Data, &'a Proof),
}

impl Question {
    /// Returns the answer, whatever the kind of the question.
    ///
    /// Errors if an option is out of its range, if the question is about other data than this, or as the questions
    /// of its kind do.
    ///
    /// ```
    /// use linsep::Samples;
    /// use linsep::ask::{AskedOf, Question};
    /// use linsep::data::Memory;
    ///
    /// let samples = Samples::from_rows(&[[100.0], [101.0]], &[false, true])?;
    /// let question: Question = serde_json::from_str(r#"{"ask": "decide", "margin": "max"}"#)?;
    /// let answer = question.ask(AskedOf::Rows(&Memory::new(&samples)), &mut ())?;
    /// assert_eq!(answer.to_json()["verdict"], "separable");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(&self, of: AskedOf, watch: &mut dyn Watch) -> Result<Answer, AskError> {
        use AskedOf::{Classes, Proof, Rows, Table};
        self.validate()?;
        Ok(match (self, of) {
            (Question::Decide(own), Rows(data)) => Answer::Decide(own.ask(data, watch)?.into()),
            (Question::Classes(own), Classes(samples, classes)) => {
                Answer::Classes(own.ask(samples, classes, watch)?.into())
            }
            (Question::Estimate(own), Rows(data)) if own.is_plain() => {
                Answer::Estimate(own.ask(data, watch)?.into())
            }
            (Question::Estimate(own), Table(table)) => {
                Answer::Estimate(table.ask(own, watch)?.into())
            }
            (Question::Audit(own), Rows(data)) => Answer::Audit(own.ask(data, watch)?.into()),
            (Question::Audit(own), Classes(samples, classes)) => {
                Answer::Audit(own.ask_classes(samples, classes, watch)?.into())
            }
            (Question::Fit(own), Rows(data)) => Answer::Fit(own.ask(data, None, watch)?.into()),
            (Question::Fit(own), Classes(samples, classes)) => {
                Answer::ClassFit(own.ask_classes(samples, classes, watch)?.into())
            }
            (Question::Race(own), Rows(data)) => Answer::Race(own.ask_data(data, watch)?.into()),
            (Question::Verify(own), Proof(data, proof)) => {
                Answer::Verify(own.ask(data, proof)?.into())
            }
            (own, _) => return Err(AskError::OtherData(own.needs())),
        })
    }

    /// Returns what the question is asked of, in words.
    fn needs(&self) -> &'static str {
        match self {
            Question::Decide(_) | Question::Race(_) => "rows of two classes",
            Question::Classes(_) => "rows with their classes",
            Question::Estimate(own) if own.is_plain() => "rows of two classes, or a table",
            Question::Estimate(_) => "a table",
            Question::Audit(_) | Question::Fit(_) => "rows, of two classes or with theirs",
            Question::Verify(_) => "rows and a proof",
        }
    }
}

/// An answer of any kind. It owns all that can be shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// Whether one hyperplane tells two classes apart.
    Decide(Box<DecideAnswer>),
    /// Which classes can be told apart.
    Classes(Box<ClassesAnswer>),
    /// Whether the estimate exists.
    Estimate(Box<EstimateAnswer>),
    /// Which rows to look at.
    Audit(Box<AuditAnswer>),
    /// A hyperplane.
    Fit(Box<FitAnswer>),
    /// A hyperplane per class.
    ClassFit(Box<ClassFitAnswer>),
    /// How methods did.
    Race(Box<RaceAnswer>),
    /// Whether a proof holds.
    Verify(Box<VerifyAnswer>),
    /// Whether a folder of proofs holds.
    Folder(Box<FolderAnswer>),
}

/// Calls the same method of whichever answer it is.
macro_rules! each {
    ($answer:expr, $own:ident => $call:expr) => {
        match $answer {
            Answer::Decide($own) => $call,
            Answer::Classes($own) => $call,
            Answer::Estimate($own) => $call,
            Answer::Audit($own) => $call,
            Answer::Fit($own) => $call,
            Answer::ClassFit($own) => $call,
            Answer::Race($own) => $call,
            Answer::Verify($own) => $call,
            Answer::Folder($own) => $call,
        }
    };
}

impl Answer {
    /// Returns yes, no, or that it is open.
    pub fn reply(&self) -> Reply {
        each!(self, own => own.reply())
    }

    /// Returns the answer for programs, as one object. Its keys are a contract; rows are those of the file, counted
    /// from 1.
    pub fn to_json(&self) -> Value {
        each!(self, own => own.to_json())
    }
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// Separable, valid, separated, the estimate exists, no suspect.
    Yes,
    /// The contrary.
    No,
    /// A limit was reached first.
    Undecided,
}

impl Reply {
    /// Returns yes or no, or undecided if neither is known.
    fn of(known: Option<bool>) -> Self {
        known.map_or(Reply::Undecided, |yes| if yes { Reply::Yes } else { Reply::No })
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// An option is out of its range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// An option is of no use to what is asked.
    #[error("{0}")]
    Useless(Useless),
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] Error),
    /// A decision could not begin, or come to its end.
    #[error(transparent)]
    Decide(DecideError),
    /// A column is not what a model needs.
    #[error(transparent)]
    Observed(ObservedError),
    /// The response does not fit the model.
    #[error(transparent)]
    Separation(SeparationError),
    /// What is wrong with a table, and where.
    #[error(transparent)]
    Located(Box<Located>),
    /// An audit could not begin.
    #[error(transparent)]
    Audit(AuditError),
    /// A fit could not begin.
    #[error(transparent)]
    Fit(FitError),
    /// The question is about other data.
    #[error("the question needs {0}")]
    OtherData(&'static str),
    /// Rows do not fit in memory, where the question needs them.
    #[error("the rows do not fit in memory, as {0} needs them to")]
    NeedsMemory(&'static str),
    /// It was cancelled before there was anything to say.
    #[error("interrupted")]
    Interrupted,
}

/// What is wrong with a table in a file, and where.
#[derive(Debug)]
pub struct Located {
    /// The place.
    pub place: Place,
    /// What is wrong there.
    pub error: AskError,
}

impl std::error::Error for Located {}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.error {
            // The place names the column.
            AskError::Observed(error) => write!(f, "{}: {}", self.place, error.error),
            error => write!(f, "{}: {error}", self.place),
        }
    }
}

/// An option that was given where it means nothing. Names are those of Python; each front end has its own spelling.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} {why}")]
pub struct Useless {
    /// The option.
    pub option: &'static str,
    /// Why it means nothing, in words that go on after its name.
    pub why: String,
    /// Another option that may be what was meant, and what it does.
    pub instead: Option<(&'static str, &'static str)>,
}

impl From<DecideError> for AskError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Option(error) => AskError::Option(error),
            DecideError::Data(error) => AskError::Data(error),
            other => AskError::Decide(other),
        }
    }
}

impl From<SeparationError> for AskError {
    fn from(error: SeparationError) -> Self {
        match error {
            SeparationError::Decide(error) => error.into(),
            other => AskError::Separation(other),
        }
    }
}

impl From<AuditError> for AskError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Option(error) => AskError::Option(error),
            AuditError::Data(error) => AskError::Data(error),
            other => AskError::Audit(other),
        }
    }
}

impl From<FitError> for AskError {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Data(error) => AskError::Data(error),
            other => AskError::Fit(other),
        }
    }
}

/// Returns columns that are not features although nobody said so, for programs.
fn columns_left_out(about: &About) -> Vec<Value> {
    let column = |column: &Column| match column {
        Column::Name(name) => Value::from(name.as_str()),
        Column::Number(number) => Value::from(*number),
    };
    about.left_out.iter().map(|left_out| column(&left_out.column)).collect()
}

/// Returns a bound on a margin; what every margin is above, or below, is none.
fn known(bound: f64) -> Option<f64> {
    (bound.abs() < f64::MAX).then_some(bound)
}

/// Returns bounds on a margin for programs.
fn margin_json(margin: &crate::decide::MarginBounds) -> Value {
    serde_json::json!({ "kind": margin.kind, "lower": known(margin.lower), "upper": known(margin.upper) })
}
