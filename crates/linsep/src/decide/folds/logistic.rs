//! The logistic loss on a line: its value and slope at one point, and where no mistake is left.

use linsep_data::kernels::{Element, Grid};
use linsep_data::{Block, Fold, Shape};

use super::super::solvers::logistic_descent::Look;
use crate::lift::Rows;

/// Returns ln(1 + exp(-score)) and how fast it falls.
pub fn logistic(score: f64) -> (f64, f64) {
    let tail = libm::exp(-score.abs());
    let weight = if score > 0.0 { tail } else { 1.0 } / (1.0 + tail);
    (libm::log1p(tail) + (-score).max(0.0), weight)
}

/// Sums the logistic loss at `there` and its slope, and looks where on the line from `here` through
/// `there` all scores are positive. Sums are on grids: the same bits in any order.
pub struct LogisticLine {
    here: Vec<f64>,
    there: Vec<f64>,
    /// For the slope, whose terms lie between -1 and 1, and for the loss: a coarse grid and a finer one
    /// for what the first leaves.
    grid: Grid,
    loss_grids: [Grid; 2],
    losses: [f64; 2],
    slope: Vec<f64>,
    mistakes: u64,
    /// Scores are positive for steps above the first and below the second, in units of the way from
    /// here to there; nowhere if a score that does not change is not positive.
    between: (f64, f64),
    nowhere: bool,
}

impl LogisticLine {
    /// Returns the sums over no rows yet, of data of this shape.
    pub fn new(shape: Shape, here: Vec<f64>, there: Vec<f64>) -> Self {
        // A score is no larger than w is long, and a loss no more than 1 above it.
        let largest = (f64::dot(&there, &there).sqrt() * 1.01 + 1.0).min(1e100);
        let coarse = Grid::new(shape.rows, largest);
        let rest = (largest * shape.rows as f64 * 2f64.powi(-48)).max(1e-100);
        LogisticLine {
            grid: Grid::new(shape.rows, 1.0),
            loss_grids: [coarse, Grid::new(shape.rows, rest)],
            losses: [0.0; 2],
            slope: vec![0.0; there.len()],
            here,
            there,
            mistakes: 0,
            between: (0.0, f64::INFINITY),
            nowhere: false,
        }
    }

    /// Returns what was found, once all rows have been seen.
    pub fn look(self) -> Look {
        let (low, high) = self.between;
        let step = if high.is_finite() { (low + high) / 2.0 } else { (2.0 * low).max(1.0) };
        Look {
            loss: self.losses[0] + self.losses[1],
            slope: self.slope,
            mistakes: self.mistakes,
            separating: (!self.nowhere && low < step && step < high).then_some(step),
        }
    }
}

impl Fold for LogisticLine {
    fn fresh(&self) -> Self {
        LogisticLine {
            here: self.here.clone(),
            there: self.there.clone(),
            slope: vec![0.0; self.slope.len()],
            losses: [0.0; 2],
            mistakes: 0,
            between: (0.0, f64::INFINITY),
            nowhere: false,
            ..*self
        }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        let ahead = block.samples().features().rows_ahead();
        for i in block.places() {
            block.prefetch_after(i, ahead);
            let (start, score) = (rows.score(i, &self.here), rows.score(i, &self.there));
            let (loss, weight) = logistic(score);
            let coarse = self.loss_grids[0].round(loss);
            self.losses[0] += coarse;
            self.losses[1] += self.loss_grids[1].round(loss - coarse);
            rows.add_on(self.grid, i, -weight, &mut self.slope);
            self.mistakes += u64::from(score <= 0.0);
            let (change, (low, high)) = (score - start, &mut self.between);
            if change > 0.0 {
                *low = low.max(-start / change);
            } else if change < 0.0 {
                *high = high.min(-start / change);
            } else {
                self.nowhere |= start <= 0.0;
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.slope.iter_mut().zip(&other.slope).for_each(|(a, b)| *a += b);
        self.losses.iter_mut().zip(other.losses).for_each(|(a, b)| *a += b);
        self.mistakes += other.mistakes;
        self.between = (self.between.0.max(other.between.0), self.between.1.min(other.between.1));
        self.nowhere |= other.nowhere;
        self
    }
}
