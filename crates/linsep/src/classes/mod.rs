//! More than two classes: every pair of them, each against the rest, and one linear classifier for all.
//!
//! In reading order: this file says which two sides a question sets against each other, `argmax` asks whether the
//! largest of one linear score per class can be right on every row, `softmax` looks for such scores, `train` has an
//! online method learn one hyperplane per class, and `folder` keeps and checks the proofs of all answers.

mod argmax;
pub mod folder;
mod softmax;
mod train;

pub use argmax::{ARGMAX, Argmax, Linear, SettledSides, argmax};
pub use train::{Trained, fit_one_vs_rest, lengths, nearest_class};

use crate::data::samples::Classes;
use crate::{Error, Samples};

/// Which two sides are set against each other: two classes, or one and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versus {
    /// Can one hyperplane tell two classes apart?
    Pair {
        /// The class on the negative side.
        negative: usize,
        /// The class on the positive side.
        positive: usize,
    },
    /// Can one hyperplane tell a class apart from all others?
    OneVsRest {
        /// The class on the positive side.
        positive: usize,
    },
}

impl Versus {
    /// Returns the questions about all pairs of `classes` classes: the earlier is negative.
    pub fn pairs(classes: usize) -> Vec<Versus> {
        let after = |negative: usize| {
            (negative + 1..classes).map(move |positive| Versus::Pair { negative, positive })
        };
        (0..classes).flat_map(after).collect()
    }

    /// Returns the questions about each of `classes` classes against the rest.
    pub fn one_vs_rest(classes: usize) -> Vec<Versus> {
        (0..classes).map(|positive| Versus::OneVsRest { positive }).collect()
    }

    /// Returns the rows that it is about, under two labels, in the order of the data.
    ///
    /// Errors if there is no memory for a copy of them.
    pub fn samples(self, samples: &Samples, classes: &Classes) -> Result<Samples, Error> {
        match self {
            Versus::Pair { negative, positive } => classes.pair(samples, negative, positive),
            Versus::OneVsRest { positive } => Ok(classes.one_vs_rest(samples, positive)),
        }
    }

    /// Returns how many rows it is about.
    pub fn rows(self, classes: &Classes) -> usize {
        match self {
            Versus::Pair { negative, positive } => {
                classes.members(negative).len() + classes.members(positive).len()
            }
            Versus::OneVsRest { .. } => classes.codes().len(),
        }
    }

    /// Returns the number that a row of it has in the data.
    pub(crate) fn row_numbers(self, classes: &Classes) -> Option<Vec<usize>> {
        match self {
            Versus::Pair { negative, positive } => Some(classes.rows_of(&[negative, positive])),
            Versus::OneVsRest { .. } => None,
        }
    }
}
