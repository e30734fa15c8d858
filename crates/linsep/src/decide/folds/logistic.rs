//! The logistic loss on a line: its value and slope at one point, and where no mistake is left.

use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use super::super::solvers::logistic_descent::{DescentStep, StepLook};
use crate::kernels::logistic::logistic;
use crate::kernels::{Arithmetic, Grid, power_of_two};
use crate::lift::Rows;

/// Values of the rows that are scored before they are added up: they stay in the nearest cache.
const VALUES_AT_ONCE: usize = 2048;
/// The same in rows, at the least: below, functions of scores are not worth to be computed together.
const ROWS_AT_ONCE: usize = 16;
/// A loss that is taken for the largest where vectors are longer than any that is of use.
const LARGEST: f64 = 1e100;

/// Sums the logistic loss where a step ends and its slope, and looks where on the line of the step all
/// scores are positive. Sums are on grids: the same bits in any order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogisticLine {
    step: DescentStep,
    rows: usize,
    /// A number that no loss exceeds.
    largest: f64,
}

/// What was found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogisticState {
    mistakes: u64,
    /// The sum of the losses on a coarse grid, and on a finer one of what the first leaves.
    loss: [f64; 2],
    slope: Vec<f64>,
    /// Where there are no mistakes, if that is asked for.
    range: Option<Positive>,
    /// The slopes along the step at the multiples asked for.
    slopes: Vec<f64>,
}

/// The multiples of a step for which scores are positive.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// Returns the query for data of this shape.
    pub fn new(shape: Shape, step: DescentStep) -> Self {
        // A score is no larger than w is long, and a loss no more than 1 above it.
        let largest = (f64::dot(&step.to, &step.to).sqrt() * 1.01 + 1.0).min(LARGEST);
        LogisticLine { step, rows: shape.rows, largest }
    }

    /// Returns the grids of the loss.
    fn loss_grids(&self) -> [Grid; 2] {
        let rest = (self.largest * self.rows as f64 * power_of_two(-48)).max(1e-100);
        [Grid::new(self.rows, self.largest), Grid::new(self.rows, rest)]
    }
}

impl LogisticState {
    /// Returns what was found, once all rows have been seen.
    pub fn look(self) -> StepLook {
        StepLook {
            loss: self.loss[0] + self.loss[1],
            slope: self.slope,
            mistakes: self.mistakes,
            separating: self.range.and_then(|range| range.inside()),
            slopes: self.slopes,
        }
    }
}

impl FoldQuery for LogisticLine {
    type State = LogisticState;

    fn begin(&self) -> LogisticState {
        LogisticState {
            mistakes: 0,
            loss: [0.0; 2],
            slope: vec![0.0; self.step.to.len()],
            range: self.step.separators.then(Positive::everywhere),
            slopes: vec![0.0; self.step.multiples.len()],
        }
    }

    fn absorb(&self, state: &mut LogisticState, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        let DescentStep { from, to, multiples, .. } = &self.step;
        let loss_grids = self.loss_grids();
        // Coordinates of a lifted row, times a weight below 1.
        let grid = Grid::new(self.rows, 1.0);
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
            state.mistakes += scores.iter().filter(|score| **score <= 0.0).count() as u64;
            for ((i, loss), weight) in range.clone().zip(&*losses).zip(&*weights) {
                let coarse = loss_grids[0].round(*loss);
                state.loss[0] += coarse;
                state.loss[1] += loss_grids[1].round(loss - coarse);
                rows.add_on(grid, i, -weight, &mut state.slope);
            }
            if let Some(positive) = &mut state.range {
                match from.is_empty() {
                    true => starts.fill(0.0),
                    false => rows.scores(range, from, starts),
                }
                for (score, start) in scores.iter().zip(&*starts) {
                    positive.cut(*start, score - start);
                }
            }
            for (sum, multiple) in state.slopes.iter_mut().zip(multiples) {
                starts
                    .iter_mut()
                    .zip(&*scores)
                    .for_each(|(there, score)| *there = multiple * score);
                logistic(starts, losses, weights);
                for (score, weight) in scores.iter().zip(&*weights) {
                    *sum += loss_grids[0].round(-weight * score);
                }
            }
        }
    }

    fn merge(&self, state: &mut LogisticState, other: LogisticState) {
        let add = |a: &mut [f64], b: &[f64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut state.slope, &other.slope);
        add(&mut state.loss, &other.loss);
        add(&mut state.slopes, &other.slopes);
        state.mistakes += other.mistakes;
        if let (Some(own), Some(other)) = (&mut state.range, other.range) {
            own.above = own.above.max(other.above);
            own.below = own.below.min(other.below);
            own.nowhere |= other.nowhere;
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        let DescentStep { from, to, .. } = &self.step;
        let length = shape.columns + 1;
        self.rows == shape.rows
            && (1.0..=LARGEST).contains(&self.largest)
            && to.len() == length
            && (from.is_empty() || from.len() == length)
    }

    fn admits(&self, state: &LogisticState, shape: Shape) -> bool {
        state.mistakes <= shape.rows as u64
            && super::are_sums(&state.loss, 2)
            && super::are_sums(&state.slope, shape.columns + 1)
            && super::are_sums(&state.slopes, self.step.multiples.len())
            && state.range.is_some() == self.step.separators
    }
}
