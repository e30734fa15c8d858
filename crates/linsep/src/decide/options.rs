//! What is asked for.

use std::time::Duration;

pub use linsep_proof::MarginKind;

/// When a separating hyperplane is good enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarginGoal {
    /// As soon as it is proven.
    #[default]
    Any,
    /// When its margin is the largest, up to [`DecideOptions::gap`].
    Max,
}

/// How rows show that no hyperplane separates them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConflictForm {
    /// In integers where they are few, else by a matrix, which takes a fraction of the time.
    #[default]
    Any,
    /// In integers, whatever it takes: the rows cancel exactly.
    Exact,
}

/// How to decide, and for how long. Options may be added: start from the default, and set what differs.
///
/// ```
/// use linsep::decide::{DecideOptions, MarginGoal};
///
/// let options = DecideOptions::default().with_margin(MarginGoal::Max).with_max_passes(50);
/// assert!(options.validate().is_ok());
/// let error = options.with_gap(2.0).validate().unwrap_err();
/// assert_eq!(error.to_string(), "gap is 2; expected a number between 0 and 1");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DecideOptions {
    /// When a separating hyperplane is good enough; default `Any`.
    pub margin: MarginGoal,
    /// Which margin is bounded, and made the largest; default `Angular`.
    pub kind: MarginKind,
    /// The relative gap between the bounds on the largest margin that ends `Max`; default 1e-6.
    pub gap: f64,
    /// How rows show that no hyperplane separates them; default `Any`.
    pub conflict: ConflictForm,
    /// A hyperplane to begin with, one weight per feature and the bias last: such as the coefficients of a model that was fitted to the
    /// rows. Default none. It changes no verdict, only how soon it is found.
    pub start: Option<Vec<f64>>,
    /// The number of passes after which the search ends; default none. The pass that proves an answer is
    /// made all the same.
    pub max_passes: Option<u64>,
    /// The time after which the search ends; default none.
    pub time_limit: Option<Duration>,
}

impl Default for DecideOptions {
    fn default() -> Self {
        DecideOptions {
            margin: MarginGoal::Any,
            kind: MarginKind::Angular,
            gap: 1e-6,
            conflict: ConflictForm::Any,
            start: None,
            max_passes: None,
            time_limit: None,
        }
    }
}

/// An option of a question, or a setting of a method, that is out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{option} is {found}; expected {expected}")]
#[non_exhaustive]
pub struct OptionError {
    /// The name of the option.
    pub option: &'static str,
    /// Its value.
    pub found: String,
    /// What it may be.
    pub expected: &'static str,
}

impl OptionError {
    /// Returns the error for an option.
    pub(crate) fn new(option: &'static str, found: &dyn ToString, expected: &'static str) -> Self {
        OptionError { option, found: found.to_string(), expected }
    }
}

impl DecideOptions {
    /// Returns the options with this goal.
    pub fn with_margin(mut self, margin: MarginGoal) -> Self {
        self.margin = margin;
        self
    }

    /// Returns the options for this kind of margin.
    pub fn with_kind(mut self, kind: MarginKind) -> Self {
        self.kind = kind;
        self
    }

    /// Returns the options with this gap.
    pub fn with_gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// Returns the options with this form of conflicts.
    pub fn with_conflict(mut self, conflict: ConflictForm) -> Self {
        self.conflict = conflict;
        self
    }

    /// Returns the options with this hyperplane to begin with, the bias last, or with none.
    pub fn with_start(mut self, start: impl Into<Option<Vec<f64>>>) -> Self {
        self.start = start.into();
        self
    }

    /// Returns the options with this limit on passes.
    pub fn with_max_passes(mut self, passes: impl Into<Option<u64>>) -> Self {
        self.max_passes = passes.into();
        self
    }

    /// Returns the options with this limit on time, or with none.
    pub fn with_time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.time_limit = limit.into();
        self
    }

    /// Returns an error that names the first option out of its range. [`decide`](super::decide()) asks
    /// it first.
    pub fn validate(&self) -> Result<(), OptionError> {
        let error =
            |option, found: &dyn ToString, expected| Err(OptionError::new(option, found, expected));
        if !(self.gap > 0.0 && self.gap < 1.0) {
            return error("gap", &self.gap, "a number between 0 and 1");
        }
        if let Some(number) = self.start.iter().flatten().find(|number| !number.is_finite()) {
            return error("start", number, "finite numbers");
        }
        if self.max_passes == Some(0) {
            return error("max_passes", &0, "an integer, at least 1");
        }
        if self.time_limit.is_some_and(|limit| limit.is_zero()) {
            return error("time_limit", &0, "a time above 0");
        }
        Ok(())
    }

    /// Returns an error if one of them is not for rows of so many features.
    pub(crate) fn validate_for(&self, features: usize) -> Result<(), OptionError> {
        match &self.start {
            Some(start) if start.len() != features + 1 => {
                let found = format!("{} numbers for {features} features", start.len());
                Err(OptionError::new("start", &found, "a weight per feature, and the bias"))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the largest margin of this kind is asked for.
    pub(crate) fn seeks(&self, kind: MarginKind) -> bool {
        self.margin == MarginGoal::Max && self.kind == kind
    }
}
