//! Why a proof does not hold.

use linsep_data::samples::RowNumbers;

use crate::structure::Model;

/// Why a proof does not hold. Rows and features are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It is about other data.
    #[error("the proof is about other data: its {what} is {claimed}, the data's is {found}")]
    OtherData {
        /// What differs: number of rows, number of features, or fingerprint.
        what: &'static str,
        /// What the proof says.
        claimed: String,
        /// What the data says.
        found: String,
    },
    /// There is not one weight per feature.
    #[error("the proof has {found} weights where the data needs {expected}")]
    WrongLength {
        /// Weights.
        found: usize,
        /// Features.
        expected: usize,
    },
    /// There are more vectors than can be independent.
    #[error(
        "the proof has {found} vectors to which all rows are orthogonal; {most} at most can differ"
    )]
    TooManyVectors {
        /// Vectors.
        found: usize,
        /// Features, and one for the bias.
        most: usize,
    },
    /// A number is infinite or not a number.
    #[error("a number of the proof is not finite")]
    NotFinite,
    /// A row is not on its own side of the hyperplane.
    #[error("row {row} is on the wrong side")]
    WrongSide {
        /// The first such row.
        row: usize,
    },
    /// A row that does not exist is named.
    #[error("the proof names row {row}, which does not exist")]
    RowOutOfRange {
        /// The row.
        row: usize,
    },
    /// A row is named twice.
    #[error("the proof names row {row} twice")]
    RepeatedRow {
        /// The row.
        row: usize,
    },
    /// The multiplier of a row is zero or negative, or its weight is negative.
    #[error("the multiplier of row {row} is not positive")]
    NotPositive {
        /// The row.
        row: usize,
    },
    /// No row is named.
    #[error("the proof names no rows")]
    EmptyConflict,
    /// The rows of the conflict do not add up to zero.
    #[error("the rows named do not cancel: {}", where_not(*.feature))]
    DoesNotCancel {
        /// The first feature in which they do not; none if the two classes have unequal weight.
        feature: Option<usize>,
    },
    /// A row is not orthogonal to a vector that all rows are to be orthogonal to.
    #[error("row {row} is not orthogonal to a vector to which the proof says that all rows are")]
    NotOrthogonal {
        /// The first such row.
        row: usize,
    },
    /// The conflict leaves room for a hyperplane with no row on the wrong side.
    #[error("the rows named span {spanned} dimensions, {needed} are needed to span all rows")]
    DoesNotSpan {
        /// Dimensions that the rows of the conflict span, as far as is known.
        spanned: usize,
        /// Dimensions that all rows may span.
        needed: usize,
    },
    /// The matrix of the rows named is not positive definite, as far as can be told.
    #[error("the matrix of the rows named is not positive definite beyond rounding")]
    NotDefinite,
    /// The matrix of the rows named is too large to be checked.
    #[error("the matrix of the rows named has too many columns to be checked")]
    TooLarge,
    /// What is said of the coordinates of the matrix does not fit.
    #[error(
        "the coordinates that the matrix leaves out, or takes first, do not fit the data: {why}"
    )]
    Coordinates {
        /// What is wrong with them.
        why: &'static str,
    },
    /// All rows lie on the hyperplane that is to show that the data is quasi-separable.
    #[error("no row is off the hyperplane")]
    NoStrictRow,
    /// A bound on the margin does not hold.
    #[error(
        "the proof claims a margin bound ({what}) of {claimed:e}, only {found:e} can be confirmed"
    )]
    Margin {
        /// Which bound: lower or upper.
        what: &'static str,
        /// The bound claimed.
        claimed: f64,
        /// The best bound that can be confirmed.
        found: f64,
    },
    /// The bias is to stand for a column that is not constant, or of a model that has no use for it.
    #[error("the proof says that column {column} is one number, not zero, in all rows; it is not")]
    NotConstant {
        /// The column.
        column: usize,
    },
    /// The model has no constant, and nothing shows that any coefficients are allowed.
    #[error(
        "the proof names no coefficients that give every row a probability of at most 1, and rows with a failure one below 1"
    )]
    NothingAllowed,
    /// Coefficients that are to be allowed are not.
    #[error(
        "the coefficients that the proof says are allowed give row {row} a probability that is too large"
    )]
    NotAllowed {
        /// The first such row.
        row: usize,
    },
    /// Coefficients are said to be allowed of a model that has no use for it.
    #[error(
        "the proof names coefficients that are allowed, which a model of this kind has no use for"
    )]
    AllowedOfOther,
    /// It is about something else than what was asked.
    #[error("the proof is about {}, the question about {}", subject(.claimed.as_ref()), subject(.asked.as_ref()))]
    OtherQuestion {
        /// The model that the proof is about; none if it is about rows as they stand.
        claimed: Option<Model>,
        /// The model that was asked about.
        asked: Option<Model>,
    },
    /// A margin is claimed where there is no hyperplane to have it.
    #[error("the proof claims a margin for data that it says is not separable")]
    MarginWithoutHyperplane,
    /// Rows are to go from data that is separable as it stands.
    #[error("the proof says how many rows must go from data that it says is separable")]
    NothingToRemove,
    /// Rows are to go from what a model makes of the data, which are not the rows of the data.
    #[error("the proof says how many rows must go from the structure vectors of a model")]
    RemovalFromModel,
    /// A class has no row left.
    #[error("the rows that go leave no row of a class")]
    ClassRemoved,
}

impl Refused {
    /// Returns the same with the number in the file of a row of the data, where some rows were left out. Rows that are
    /// quoted from the proof stay as they are there.
    pub fn in_file(mut self, rows: &RowNumbers) -> Self {
        if let Refused::WrongSide { row }
        | Refused::NotOrthogonal { row }
        | Refused::NotAllowed { row } = &mut self
        {
            *row = rows.number(*row - 1);
        }
        self
    }
}

fn subject(model: Option<&Model>) -> String {
    let Some(model) = model else { return "the rows as they stand".to_string() };
    let article = if matches!(model, Model::Adjacent { .. }) { "an" } else { "a" };
    format!("{article} {model}")
}

fn where_not(feature: Option<usize>) -> String {
    match feature {
        Some(feature) => format!("feature {feature} is left over"),
        None => "the two classes do not have the same weight".to_string(),
    }
}
