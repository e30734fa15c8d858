//! How the columns of a table become features: numbers as they are, or with missing ones filled in,
//! and one feature per level of a category.
//!
//! Before that, a table is *raw*: a matrix of numbers in which a category is the code of its level,
//! and what is missing is NaN or infinite.

use serde::{Deserialize, Serialize};

/// Rows with at least this many features, few of them not zero, are stored sparse.
const SPARSE_FEATURES: usize = 1000;
/// Few: at most one in this many.
const SPARSE_SHARE: usize = 20;

/// How columns become features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The columns that are used, in order.
    pub columns: Vec<Encoded>,
}

/// What becomes of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Encoded {
    /// One feature.
    Number {
        /// The name of the column, or its number from 1.
        column: String,
        /// What stands for a missing value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// One feature per level: 1 where the row has it, else 0.
    Category {
        /// The name of the column, or its number from 1.
        column: String,
        /// The levels, in order.
        levels: Vec<String>,
        /// Whether the first level has no feature: it is where all others are 0.
        first_dropped: bool,
        /// The level that stands for a missing value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
    },
}

impl Encoded {
    /// Returns the name of the column, or its number from 1.
    pub fn column(&self) -> &str {
        match self {
            Encoded::Number { column, .. } | Encoded::Category { column, .. } => column,
        }
    }

    /// Returns the number of features.
    pub fn width(&self) -> usize {
        match self {
            Encoded::Number { .. } => 1,
            Encoded::Category { levels, first_dropped, .. } => {
                levels.len().saturating_sub(usize::from(*first_dropped))
            }
        }
    }
}

impl Encoding {
    /// Returns the number of features.
    pub fn width(&self) -> usize {
        self.columns.iter().map(Encoded::width).sum()
    }

    /// Returns the names of the features: that of the column, or such as `color=red`; where columns
    /// have no names, x and its number stand for one.
    pub fn names(&self, named: bool) -> Vec<String> {
        let mut names = vec![];
        for encoded in &self.columns {
            let column = encoded.column();
            let column = if named { column.to_string() } else { format!("x{column}") };
            match encoded {
                Encoded::Number { .. } => names.push(column),
                Encoded::Category { levels, first_dropped, .. } => {
                    let with_feature = levels.iter().skip(usize::from(*first_dropped));
                    names.extend(with_feature.map(|level| format!("{column}={level}")));
                }
            }
        }
        names
    }

    /// Returns true if every column is a feature as it is.
    pub fn is_plain(&self) -> bool {
        self.columns.iter().all(|c| matches!(c, Encoded::Number { fill: None, .. }))
    }

    /// Returns true if missing values are filled in.
    pub fn fills(&self) -> bool {
        self.columns.iter().any(|column| match column {
            Encoded::Number { fill, .. } => fill.is_some(),
            Encoded::Category { fill, .. } => fill.is_some(),
        })
    }

    /// Returns true if rows become sparse.
    pub fn is_sparse(&self) -> bool {
        let width = self.width();
        width >= SPARSE_FEATURES && self.columns.len() <= width / SPARSE_SHARE
    }
}
