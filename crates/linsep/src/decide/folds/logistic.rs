//! The logistic loss on a line: its value and slope at one point, and where no mistake is left.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use super::super::solvers::logistic_descent::{Look, Step};
use crate::kernels::logistic::logistic;
use crate::kernels::{Arithmetic, Grid, power_of_two};
use crate::lift::Rows;

/// Values of the rows that are scored before they are added up: they stay in the nearest cache.
const VALUES_AT_ONCE: usize = 2048;
/// The same in rows, at the least: below, functions of scores are not worth to be computed together.
const ROWS_AT_ONCE: usize = 16;

/// Sums the logistic loss where a step ends and its slope, and looks where on the line of the step all
/// scores are positive. Sums are on grids: the same bits in any order.
pub struct LogisticLine {
    step: Step,
    mistakes: u64,
    loss: Loss,
    slope: Vec<f64>,
    grid: Grid,
    range: Positive,
    /// The slopes along the step at the multiples asked for, and their grid.
    slopes: Vec<f64>,
    slope_grid: Grid,
}

/// A sum of losses on a coarse grid, and on a finer one for what the first leaves.
#[derive(Clone)]
struct Loss {
    grids: [Grid; 2],
    sums: [f64; 2],
}

impl Loss {
    fn add(&mut self, loss: f64) {
        let coarse = self.grids[0].round(loss);
        self.sums[0] += coarse;
        self.sums[1] += self.grids[1].round(loss - coarse);
    }
}

/// The multiples of a step for which scores are positive.
#[derive(Clone)]
struct Positive {
    above: f64,
    below: f64,
    nowhere: bool,
}

impl Positive {
    fn everywhere() -> Self {
        Positive { above: 0.0, below: f64::INFINITY, nowhere: false }
    }

    /// Leaves out where a score that is `start` at 0 and changes so much is not positive.
    fn cut(&mut self, start: f64, change: f64) {
        if change > 0.0 {
            self.above = self.above.max(-start / change);
        } else if change < 0.0 {
            self.below = self.below.min(-start / change);
        } else {
            self.nowhere |= start <= 0.0;
        }
    }

    /// Returns a multiple well within the bounds.
    fn inside(&self) -> Option<f64> {
        let (above, below) = (self.above, self.below);
        let middle = if below.is_finite() { (above + below) / 2.0 } else { (2.0 * above).max(1.0) };
        (!self.nowhere && above < middle && middle < below).then_some(middle)
    }
}

impl LogisticLine {
    /// Returns the sums over no rows yet, of data of this shape.
    pub fn new(shape: Shape, step: Step) -> Self {
        // A score is no larger than w is long, and a loss no more than 1 above it.
        let largest = (f64::dot(&step.to, &step.to).sqrt() * 1.01 + 1.0).min(1e100);
        let rest = (largest * shape.rows as f64 * power_of_two(-48)).max(1e-100);
        let grids = [Grid::new(shape.rows, largest), Grid::new(shape.rows, rest)];
        LogisticLine {
            mistakes: 0,
            loss: Loss { grids, sums: [0.0; 2] },
            slope: vec![0.0; step.to.len()],
            // Coordinates of a lifted row, times a weight below 1.
            grid: Grid::new(shape.rows, 1.0),
            range: Positive::everywhere(),
            slopes: vec![0.0; step.multiples.len()],
            slope_grid: grids[0],
            step,
        }
    }

    /// Returns the sums that a question asks for.
    pub fn asked(from: &mut &[u8], shape: Shape) -> Option<Self> {
        let ((start, to, separators), multiples) = Bytes::take(from)?;
        let step = Step { from: start, to, separators, multiples };
        let length = shape.columns + 1;
        let fits = step.to.len() == length && (step.from.is_empty() || step.from.len() == length);
        fits.then(|| LogisticLine::new(shape, step))
    }

    /// Returns what was found, once all rows have been seen.
    pub fn look(self) -> Look {
        Look {
            loss: self.loss.sums[0] + self.loss.sums[1],
            slope: self.slope,
            mistakes: self.mistakes,
            separating: self.range.inside().filter(|_| self.step.separators),
            slopes: self.slopes,
        }
    }
}

impl Fold for LogisticLine {
    fn fresh(&self) -> Self {
        LogisticLine {
            step: self.step.clone(),
            mistakes: 0,
            loss: Loss { grids: self.loss.grids, sums: [0.0; 2] },
            slope: vec![0.0; self.slope.len()],
            range: Positive::everywhere(),
            slopes: vec![0.0; self.slopes.len()],
            ..*self
        }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        let Step { from, to, separators, multiples } = &self.step;
        let at_once = (VALUES_AT_ONCE / to.len()).max(ROWS_AT_ONCE);
        let [mut scores, mut starts, mut losses, mut weights] = [(); 4].map(|_| vec![0.0; at_once]);
        let places = block.places();
        for first in places.clone().step_by(at_once) {
            let range = first..places.end.min(first + at_once);
            let count = range.len();
            let (scores, starts) = (&mut scores[..count], &mut starts[..count]);
            let (losses, weights) = (&mut losses[..count], &mut weights[..count]);
            rows.scores(range.clone(), to, scores);
            logistic(scores, losses, weights);
            self.mistakes += scores.iter().filter(|score| **score <= 0.0).count() as u64;
            for ((i, loss), weight) in range.clone().zip(&*losses).zip(&*weights) {
                self.loss.add(*loss);
                rows.add_on(self.grid, i, -weight, &mut self.slope);
            }
            if *separators {
                match from.is_empty() {
                    true => starts.fill(0.0),
                    false => rows.scores(range, from, starts),
                }
                for (score, start) in scores.iter().zip(&*starts) {
                    self.range.cut(*start, score - start);
                }
            }
            for (sum, multiple) in self.slopes.iter_mut().zip(multiples) {
                starts
                    .iter_mut()
                    .zip(&*scores)
                    .for_each(|(there, score)| *there = multiple * score);
                logistic(starts, losses, weights);
                for (score, weight) in scores.iter().zip(&*weights) {
                    *sum += self.slope_grid.round(-weight * score);
                }
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.slope, &other.slope);
        add(&mut self.loss.sums, &other.loss.sums);
        add(&mut self.slopes, &other.slopes);
        self.mistakes += other.mistakes;
        self.range.above = self.range.above.max(other.range.above);
        self.range.below = self.range.below.min(other.range.below);
        self.range.nowhere |= other.range.nowhere;
        self
    }
}

impl Kept for LogisticLine {
    fn kind(&self) -> String {
        "logistic loss".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        let Step { from, to, separators, multiples } = &self.step;
        (from.clone(), to.clone(), *separators).put(out);
        multiples.put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.mistakes.put(out);
        (self.loss.sums.to_vec(), self.slope.clone(), self.slopes.clone()).put(out);
        (self.range.above, self.range.below, self.range.nowhere).put(out);
    }

    fn restore(&mut self, from: &mut &[u8], _: Shape) -> Option<()> {
        self.mistakes = Bytes::take(from)?;
        let mut loss = self.loss.sums.to_vec();
        for sums in [&mut loss, &mut self.slope, &mut self.slopes] {
            super::restore_sums(sums, from)?;
        }
        self.loss.sums.copy_from_slice(&loss);
        let (above, below, nowhere) = Bytes::take(from)?;
        self.range = Positive { above, below, nowhere };
        Some(())
    }
}
