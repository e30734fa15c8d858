//! How a working set sees rows: lifted, or through a rung of the ladder.

use dashu_int::IBig;
use rayon::prelude::*;

use super::super::exact::integers::exact_combination;
use super::super::exact::rows::SignedRows;
use super::super::folds::Scorer;
use super::super::solvers::ladder::Ladder;
use crate::Samples;
use crate::lift::Rows;

/// How rows are seen.
pub(super) enum View {
    /// As unit vectors z.
    Lifted,
    /// As M'v of raw rows v; M is made of the rows that the working set starts with.
    Ladder(Option<Ladder>),
}

impl View {
    /// Returns the ladder before it has seen any row.
    pub fn ladder() -> Self {
        View::Ladder(None)
    }

    /// Returns the rows as they are seen; nothing if they cannot be, or if it was halted.
    pub fn points(
        &mut self,
        samples: &Samples,
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<f64>>> {
        match self {
            View::Lifted => {
                let rows = Rows::lifted(samples);
                Some((0..rows.len()).map(|i| rows.vector(i)).collect())
            }
            View::Ladder(ladder) => {
                let rows = SignedRows::all(samples);
                let entries: Vec<_> = (0..rows.len()).map(|i| rows.entries(i).to_vec()).collect();
                if ladder.is_none() {
                    *ladder = Ladder::new(&entries, rows.dimension, halt);
                }
                let ladder = ladder.as_ref()?;
                Some(entries.par_iter().map(|row| ladder.map(row)).collect())
            }
        }
    }

    /// Returns true if rows are seen as unit vectors.
    pub fn is_lifted(&self) -> bool {
        matches!(self, View::Lifted)
    }

    /// Returns the vector for unit vectors or raw rows that w is for what is seen, rounded to floats,
    /// and what scores rows with it.
    pub fn scorer(&self, w: &[f64]) -> (Vec<f64>, Scorer) {
        match self {
            View::Ladder(Some(ladder)) => {
                let back = ladder.back(w);
                (back.rounded(), Scorer::Precise(back))
            }
            _ => (w.to_vec(), Scorer::Lifted(w.to_vec())),
        }
    }

    /// Returns the same vector for raw rows in integers, exactly, if the ladder has it.
    pub fn integers(&self, w: &[f64]) -> Option<Vec<IBig>> {
        let View::Ladder(Some(ladder)) = self else {
            return None;
        };
        Some(exact_combination(w.len(), |visit| ladder.products(w, visit)))
    }
}
