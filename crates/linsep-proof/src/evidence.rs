//! What proofs and solvers pass to each other. Rows are counted from 0.

use dashu_int::IBig;

use crate::proof::MarginKind;

/// Rows that rule a strict separation out: times their multipliers, their y (x, 1) add up to zero.
///
/// It is a claim until the checker has looked at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conflict(Vec<(usize, IBig)>);

impl Conflict {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rows.
    pub fn rows(&self) -> Vec<usize> {
        self.0.iter().map(|(row, _)| *row).collect()
    }

    /// Returns the rows and how many times each is taken.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, &IBig)> {
        self.0.iter().map(|(row, multiplier)| (*row, multiplier))
    }

    /// Returns the same conflict with other numbers for its rows.
    pub fn renumbered(self, number: impl Fn(usize) -> usize) -> Self {
        Conflict(self.0.into_iter().map(|(row, m)| (number(row), m)).collect())
    }
}

impl From<Vec<(usize, IBig)>> for Conflict {
    fn from(rows: Vec<(usize, IBig)>) -> Self {
        Conflict(rows)
    }
}

impl IntoIterator for Conflict {
    type Item = (usize, IBig);
    type IntoIter = std::vec::IntoIter<(usize, IBig)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Rows and the weights they have in a sum, as floats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowWeights(Vec<(usize, f64)>);

impl RowWeights {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the rows.
    pub fn rows(&self) -> Vec<usize> {
        self.0.iter().map(|(row, _)| *row).collect()
    }

    /// Returns the weights.
    pub fn weights(&self) -> Vec<f64> {
        self.0.iter().map(|(_, weight)| *weight).collect()
    }

    /// Returns the rows and their weights.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, f64)> {
        self.0.iter().copied()
    }
}

impl FromIterator<(usize, f64)> for RowWeights {
    fn from_iter<I: IntoIterator<Item = (usize, f64)>>(rows: I) -> Self {
        RowWeights(rows.into_iter().collect())
    }
}

impl<const N: usize> From<[(usize, f64); N]> for RowWeights {
    fn from(rows: [(usize, f64); N]) -> Self {
        RowWeights(rows.to_vec())
    }
}

/// Rows that no hyperplane separates, not even weakly, and what shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Overlap {
    /// They cancel, in integers.
    Conflict(Conflict),
    /// With these weights they make a [positive definite](crate::definite) matrix.
    Matrix(RowWeights),
}

impl Overlap {
    /// Returns the rows, rising.
    pub fn rows(&self) -> Vec<usize> {
        match self {
            Overlap::Conflict(conflict) => conflict.rows(),
            Overlap::Matrix(weights) => weights.rows(),
        }
    }

    /// Returns the rows that tell most: all of a conflict, or those of largest weight first.
    pub fn heaviest(&self) -> Vec<usize> {
        match self {
            Overlap::Conflict(conflict) => conflict.rows(),
            Overlap::Matrix(weights) => {
                let mut pairs: Vec<(usize, f64)> = weights.iter().collect();
                pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                pairs.into_iter().map(|(row, _)| row).collect()
            }
        }
    }

    /// Returns the rows in integers, if that is how they are known.
    pub fn conflict(&self) -> Option<&Conflict> {
        match self {
            Overlap::Conflict(conflict) => Some(conflict),
            Overlap::Matrix(_) => None,
        }
    }
}

/// Bounds on the smallest number of rows without which the rest is separable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removals {
    /// Fewer will not do.
    pub at_least: usize,
    /// So many will do.
    pub at_most: usize,
}

/// Bounds on the largest margin that any hyperplane has on the data, with all rounding counted.
///
/// A bound that is not known is the least, or the most, that a margin of its kind can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginBounds {
    /// Which margin.
    pub kind: MarginKind,
    /// The hyperplane at hand has a margin that is not below this.
    pub lower: f64,
    /// No hyperplane has a margin above this.
    pub upper: f64,
}
