//! How float solvers see rows: lifted, or through a rung of the ladder.

use dashu_int::IBig;
use rayon::prelude::*;

use super::exact::Halt;
use super::exact::integers::exact_combination;
use super::exact::rows::SignedRows;
use super::folds::Scorer;
use super::passes::{PassError, Passes};
use super::solvers::ladder::Ladder;
use super::spanning::spanning;
use crate::Samples;
use crate::hyperplane::norm;
use crate::lift::Rows;

/// How rows are seen: always as unit vectors.
pub(super) enum RowView {
    /// As z = v / ‖v‖, where v = y (x, 1).
    Lifted,
    /// As M'v / ‖M'v‖.
    Ladder(Ladder),
}

/// A row as it is seen, and its length before it was made a unit vector.
pub(super) struct SeenPoint {
    pub vector: Vec<f64>,
    pub length: f64,
}

impl RowView {
    /// Returns the view through a ladder made for the data, and rows that span all rows, `some` among them.
    /// Nothing if the ladder leaves the range of floats, or if the work was halted. Errors if the data cannot
    /// be read.
    pub fn ladder(
        data: &Passes,
        some: Vec<usize>,
        halt: Halt,
    ) -> Result<Option<(Self, Vec<usize>)>, PassError> {
        let Some(spanning) = spanning(data, some, halt)? else {
            return Ok(None);
        };
        let rows = SignedRows::all(&data.fetch(&spanning.rows)?);
        let entries: Vec<_> = (0..rows.len()).map(|i| rows.entries(i).to_vec()).collect();
        let ladder = Ladder::new(&entries, rows.dimension, &spanning.coordinates, halt);
        Ok(ladder.map(|ladder| (RowView::Ladder(ladder), spanning.rows)))
    }

    /// Returns the rows as they are seen.
    pub fn points(&self, samples: &Samples) -> Vec<SeenPoint> {
        match self {
            RowView::Lifted => {
                let rows = Rows::lifted(samples);
                let point =
                    |i: usize| SeenPoint { vector: rows.vector(i), length: samples.norms()[i] };
                (0..rows.len()).map(point).collect()
            }
            RowView::Ladder(ladder) => {
                let rows = SignedRows::all(samples);
                let point = |i: usize| {
                    let mut vector = ladder.map(rows.entries(i));
                    let length = norm(vector.iter().copied());
                    if length > 0.0 {
                        vector.iter_mut().for_each(|v| *v /= length);
                    }
                    SeenPoint { vector, length }
                };
                (0..rows.len()).into_par_iter().map(point).collect()
            }
        }
    }

    /// Returns the number of coordinates in which rows of `dimension` coordinates are seen.
    pub fn dimension(&self, dimension: usize) -> usize {
        match self {
            RowView::Lifted => dimension,
            RowView::Ladder(ladder) => ladder.dimension(),
        }
    }

    /// Returns true if rows are seen lifted.
    pub fn is_lifted(&self) -> bool {
        matches!(self, RowView::Lifted)
    }

    /// Returns the vector for lifted or raw rows that w is for what is seen, rounded to floats, and what
    /// scores rows with it.
    pub fn scorer(&self, w: &[f64]) -> (Vec<f64>, Scorer) {
        match self {
            RowView::Lifted => (w.to_vec(), Scorer::Lifted(w.to_vec())),
            RowView::Ladder(ladder) => {
                let back = ladder.back(w);
                (back.rounded(), Scorer::Precise(back))
            }
        }
    }

    /// Returns the vector for raw rows that w is for what is seen, in integers, exactly.
    pub fn integers(&self, w: &[f64]) -> Vec<IBig> {
        match self {
            RowView::Lifted => exact_combination(w.len(), |visit| {
                w.iter().enumerate().for_each(|(k, &w)| visit(k, w, 1.0));
            }),
            RowView::Ladder(ladder) => {
                exact_combination(ladder.rows(), |visit| ladder.products(w, visit))
            }
        }
    }
}
