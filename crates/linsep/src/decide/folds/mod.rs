//! What passes compute: one fold per file, each the same however the rows are cut.

pub(crate) mod alike;
pub(crate) mod astray;
pub(crate) mod class_sums;
pub(crate) mod constants;
pub(crate) mod directions;
pub(crate) mod draw;
pub(crate) mod first_look;
pub(crate) mod logistic;
pub(crate) mod off_span;
pub(crate) mod on_planes;
pub(crate) mod one_sided;
pub(crate) mod scan;
pub(crate) mod step_size;

use linsep_data::Block;
use serde::{Deserialize, Serialize};

use super::solvers::ladder::Double;
use crate::lift::Rows;

/// Returns true if there are `count` sums, and all are finite.
fn are_sums(sums: &[f64], count: usize) -> bool {
    sums.len() == count && sums.iter().all(|sum| sum.is_finite())
}

/// A vector, and the form of the rows that it scores.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Scorer {
    /// z = y (x, 1) / ‖(x, 1)‖.
    Lifted(Vec<f64>),
    /// y (x, 1) times a power of two.
    Raw(Vec<f64>, f64),
    /// y (x, 1), in twice the precision.
    Precise(Double),
}

impl Scorer {
    /// Returns true if the vector has `dimension` coordinates.
    fn fits(&self, dimension: usize) -> bool {
        match self {
            Scorer::Lifted(w) | Scorer::Raw(w, _) => w.len() == dimension,
            Scorer::Precise(w) => w.high().len() == dimension && w.low().len() == dimension,
        }
    }

    /// Writes the scores of all rows of a block.
    fn scores(&self, block: &Block<'_>, out: &mut [f64]) {
        let (samples, places) = (block.samples(), block.places());
        match self {
            Scorer::Lifted(w) => Rows::lifted(samples).scores(places, w, out),
            Scorer::Raw(w, unit) => Rows::raw_in(samples, *unit).scores(places, w, out),
            Scorer::Precise(w) => {
                let mut row = vec![];
                for (i, out) in places.zip(out) {
                    row.clear();
                    samples.features().for_each(i, |k, v| row.push((k, v)));
                    row.push((samples.columns(), 1.0));
                    let value = w.dot(&row);
                    *out = if samples.positive()[i] { value } else { -value };
                }
            }
        }
    }
}
