//! Which model, and what its rows have beside their columns.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A statistical model, as far as the existence of its estimate goes: link functions with log-concave tails
/// (logit, probit, cloglog) do not differ in it, offsets and positive weights change nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Model {
    /// Successes and failures.
    Binomial {
        /// Whether the model adds a constant.
        intercept: bool,
    },
    /// Successes and failures, with a log link: P(success) = exp(x·beta).
    ///
    /// ```text
    /// log-likelihood     a success x·beta, a failure log(1 - exp(x·beta)); -infinity where a row has x·beta > 0
    /// along beta + t g   no row may have x·g > 0, or it leaves what is allowed
    ///                    a success falls at x·g < 0 without end, so x·g = 0 is needed
    ///                    a failure grows for ever at x·g < 0, and stays at x·g = 0
    /// ```
    ///
    /// So the structure vectors are x and -x where there is a success, and -x where there is a failure: those of counts, with a
    /// success for a count above zero. (A sum of concave functions that are closed has a maximum exactly if every direction along
    /// which it never falls leaves it as it is.) The estimate may lie on the border of what is allowed, where some
    /// success has probability 1: it exists all the same.
    ///
    /// There has to be something that is allowed: coefficients with x·beta <= 0 in all rows, and < 0 in those with
    /// a failure. An intercept provides them, as does a column that is constant; otherwise a proof names them. Where there are
    /// none the likelihood is zero for all coefficients, and the question has no meaning.
    ///
    /// F. Schwendinger, B. Grün and K. Hornik, A comparison of optimization solvers for log binomial regression including conic
    /// programming, Computational Statistics 36 (2021).
    LogBinomial {
        /// Whether the model adds a constant.
        intercept: bool,
    },
    /// Counts, with a log link.
    Poisson {
        /// Whether the model adds a constant.
        intercept: bool,
    },
    /// Counts with a dispersion of their own, and a log link.
    NegativeBinomial {
        /// Whether the model adds a constant.
        intercept: bool,
    },
    /// Categories without an order; the coefficients of the first are zero.
    Multinomial {
        /// Whether the model adds a constant to every category.
        intercept: bool,
    },
    /// Ordered categories: P(Y <= j) = F(theta_j - x·beta).
    Cumulative {
        /// Whether beta is the same for all thresholds.
        parallel: bool,
    },
    /// Ordered categories: log P(Y = j + 1) / P(Y = j) = alpha_j + x·beta.
    Adjacent {
        /// Whether beta is the same for all steps.
        parallel: bool,
    },
    /// Ordered categories: P(Y = j given Y >= j) = F(theta_j - x·beta).
    Sequential {
        /// Whether beta is the same for all steps.
        parallel: bool,
    },
    /// Cases against controls, within groups.
    Conditional {},
    /// The proportional hazards of Cox.
    Cox {
        /// What is made of events at one time.
        ties: Ties,
    },
}

impl Model {
    /// Returns the name of its family.
    pub fn name(&self) -> &'static str {
        match self {
            Model::Binomial { .. } => "binomial",
            Model::LogBinomial { .. } => "log-binomial",
            Model::Poisson { .. } => "poisson",
            Model::NegativeBinomial { .. } => "negative-binomial",
            Model::Multinomial { .. } => "multinomial",
            Model::Cumulative { .. } => "cumulative",
            Model::Adjacent { .. } => "adjacent",
            Model::Sequential { .. } => "sequential",
            Model::Conditional {} => "conditional",
            Model::Cox { .. } => "cox",
        }
    }
}

/// All of it in words: a proof says nothing of the same family with other options.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = self.name();
        match self {
            Model::Binomial { intercept }
            | Model::LogBinomial { intercept }
            | Model::Poisson { intercept }
            | Model::NegativeBinomial { intercept }
            | Model::Multinomial { intercept } => {
                write!(
                    f,
                    "{name} model {} an intercept",
                    if *intercept { "with" } else { "without" }
                )
            }
            Model::Cumulative { parallel }
            | Model::Adjacent { parallel }
            | Model::Sequential { parallel } => {
                let effects = if *parallel { "parallel effects" } else { "effects per threshold" };
                write!(f, "{name} model with {effects}")
            }
            Model::Conditional {} => write!(f, "{name} model"),
            Model::Cox { ties } => {
                let ties = match ties {
                    Ties::Breslow => "Breslow's",
                    Ties::Efron => "Efron's",
                    Ties::Exact => "exact",
                };
                write!(f, "{name} model with {ties} ties")
            }
        }
    }
}

/// What is made of events at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Each is compared with all that are at risk, the others included.
    #[default]
    Breslow,
    /// The others count in part: it exists exactly when Breslow's estimate does.
    Efron,
    /// All of them together are compared with the rest.
    Exact,
}

/// What a row of a binomial or a count model has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trial {
    /// Successes alone.
    Success,
    /// Failures alone; of counts, zero.
    Failure,
    /// Both; of counts, more than zero.
    Both,
    /// Nothing.
    Neither,
}

/// What the rows have beside their columns, one entry per row.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// Of binomial and count models.
    Trials(Vec<Trial>),
    /// Of models with categories, in order; each of them has a row that counts: see [`Response::categories`].
    Categories {
        /// The category of each row, counted from 0.
        codes: Vec<u32>,
        /// How many there are.
        count: usize,
    },
    /// Of cases and controls.
    Cases {
        /// Whether the row is a case.
        cases: Vec<bool>,
        /// Its group.
        groups: Vec<u32>,
    },
    /// Of times to an event.
    Survival {
        /// When the row was last seen.
        times: Vec<f64>,
        /// Whether the event occurred then.
        events: Vec<bool>,
        /// Since when, exclusively, the row was under observation; none if from the start.
        entries: Option<Vec<f64>>,
        /// Its stratum; none if there is one.
        groups: Option<Vec<u32>>,
    },
}

impl Response {
    /// Returns the response of labels: whether each row is a success.
    pub fn labels(positive: &[bool]) -> Self {
        let trial = |&positive: &bool| if positive { Trial::Success } else { Trial::Failure };
        Response::Trials(positive.iter().map(trial).collect())
    }

    /// Returns the response of categories, and which of them there are: those of no row that is `kept` do not exist. (A
    /// row that is not may name one of these; it is not looked at.)
    pub fn categories(codes: &[u32], kept: Option<&[bool]>) -> (Self, Vec<u32>) {
        let stays = |row: usize| kept.is_none_or(|kept| kept.get(row) == Some(&true));
        let own = codes.iter().enumerate().filter(|(row, _)| stays(*row));
        let mut occurring: Vec<u32> = own.map(|(_, code)| *code).collect();
        occurring.sort_unstable();
        occurring.dedup();
        let place = |code: &u32| occurring.binary_search(code).unwrap_or(0) as u32;
        let codes = codes.iter().map(place).collect();
        (Response::Categories { codes, count: occurring.len() }, occurring)
    }
}

/// Why a model cannot be asked about.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The response is of another kind.
    #[error("a {model} model needs {expected}")]
    OtherResponse {
        /// The model.
        model: &'static str,
        /// What it needs.
        expected: &'static str,
    },
    /// There is not one entry per row.
    #[error("expected {rows} {what}, one per row, found {found}")]
    Length {
        /// What there is one of per row.
        what: &'static str,
        /// Entries.
        found: usize,
        /// Rows.
        rows: usize,
    },
    /// There are too few categories for any coefficient.
    #[error("expected at least two categories that occur, found {found}")]
    FewCategories {
        /// Categories.
        found: usize,
    },
    /// A row names a category that does not exist.
    #[error("row {row} has the category {found}, of {count} that are counted from 0")]
    NoSuchCategory {
        /// The row, counted from 1.
        row: usize,
        /// The category.
        found: u32,
        /// How many there are.
        count: usize,
    },
    /// A category has no row: nothing would hold its coefficients.
    #[error(
        "no row of a weight above 0 has the category {category}, of {count} that are counted from 0"
    )]
    EmptyCategory {
        /// The category.
        category: usize,
        /// How many there are.
        count: usize,
    },
    /// A time is not a number.
    #[error("row {row}: expected a finite {what}, found {found}")]
    BadTime {
        /// The row, counted from 1.
        row: usize,
        /// Which time.
        what: &'static str,
        /// The time.
        found: f64,
    },
    /// A row enters when it has left already.
    #[error("row {row} enters at {entry} and leaves at {time}; it must enter before")]
    EntersLate {
        /// The row, counted from 1.
        row: usize,
        /// When it enters.
        entry: f64,
        /// When it leaves.
        time: f64,
    },
    /// The likelihood is the same for all coefficients.
    #[error("{what}: the likelihood does not depend on any coefficient")]
    NothingSaid {
        /// What is missing.
        what: &'static str,
    },
    /// The likelihood is zero for all coefficients.
    #[error(
        "no coefficients give row {row}, which has a failure, a probability below 1 and no row one above 1: the likelihood is \
         zero for all of them"
    )]
    NothingAllowed {
        /// The first such row, counted from 1.
        row: usize,
    },
    /// There are more rows or columns than can be numbered.
    #[error("the model has more rows or coefficients than can be numbered: {found}")]
    TooMany {
        /// How many.
        found: usize,
    },
}

impl ModelError {
    /// Returns the row that it is about, counted from 1, if it is about one.
    pub fn row(&self) -> Option<usize> {
        match *self {
            ModelError::NoSuchCategory { row, .. }
            | ModelError::BadTime { row, .. }
            | ModelError::NothingAllowed { row }
            | ModelError::EntersLate { row, .. } => Some(row),
            _ => None,
        }
    }

    /// Returns the same with another number for the row that it is about.
    pub fn with_row(mut self, number: impl Fn(usize) -> usize) -> Self {
        if let ModelError::NoSuchCategory { row, .. }
        | ModelError::BadTime { row, .. }
        | ModelError::NothingAllowed { row }
        | ModelError::EntersLate { row, .. } = &mut self
        {
            *row = number(*row);
        }
        self
    }
}
