//! A hyperplane with few mistakes, where none has none.
//!
//! ```text
//! minimise  the number of rows with w·z <= 0, z = y (x, 1) with every feature standardised
//! start     the minimum of the logistic loss (L-BFGS)
//! repeat    the sum of 1 / (1 + exp(w·z)), a smooth count of mistakes, lowered from there (L-BFGS);
//!           then w is made longer, which makes the count sharper
//! ```
//!
//! The logistic loss is convex, but rows that are far on the wrong side pull w towards themselves.
//! In the smooth count their pull fades, and what remains is the pull of the rows near the
//! hyperplane. It is not convex, hence the start and the slow sharpening; what comes out is good,
//! not provably best: the exact problem is NP-hard.
//!
//! Reference: T. Nguyen and S. Sanner, Algorithms for direct 0-1 loss optimization in binary
//! classification, ICML 2013.

use rayon::prelude::*;

use super::super::solvers::lbfgs::{Loss, PlainDescent, Value};
use crate::kernels::RowArithmetic;
use crate::kernels::logistic::logistic;
use crate::standard::Standard;
use crate::{Hyperplane, Samples};

/// Steps that the logistic loss may take, and the smooth count at each length of w.
const LOGISTIC_STEPS: usize = 100;
const COUNT_STEPS: usize = 25;
/// How often w is made longer, and by how much.
const LENGTHS: usize = 16;
const LONGER: f64 = 1.6;
/// Lengths in a row without fewer mistakes that end it.
const PATIENCE: usize = 4;

/// Which mistakes count how much.
#[derive(Clone, Copy, PartialEq)]
pub enum Weighing {
    /// All rows alike.
    Rows,
    /// Both classes alike, so that a rare one is not given up whole.
    Classes,
}

/// Returns hyperplanes with few mistakes, the one with the fewest first. `halted` is asked before
/// each step. Costs a few hundred passes.
pub fn few_mistakes(
    samples: &Samples,
    weighing: Weighing,
    halted: &dyn Fn() -> bool,
) -> Vec<Hyperplane> {
    let mut loss = Standardised::new(samples, weighing);
    let mut descent = PlainDescent::at(&loss, vec![0.0; samples.columns() + 1]);
    for _ in 0..LOGISTIC_STEPS {
        if halted() || !descent.step(&loss) {
            break;
        }
    }
    let mut met = vec![(descent.mistakes(), descent.w().to_vec())];
    loss.cost = Cost::Count;
    let mut w = descent.w().to_vec();
    for _ in 0..LENGTHS {
        let mut descent = PlainDescent::at(&loss, w);
        for _ in 0..COUNT_STEPS {
            if halted() || !descent.step(&loss) {
                break;
            }
        }
        met.push((descent.mistakes(), descent.w().to_vec()));
        w = descent.w().iter().map(|v| v * LONGER).collect();
        let fewest = |met: &[(u64, Vec<f64>)]| met.iter().map(|(mistakes, _)| *mistakes).min();
        let (before, lately) = met.split_at(met.len().saturating_sub(PATIENCE));
        if halted() || (!before.is_empty() && fewest(lately) >= fewest(before)) {
            break;
        }
    }
    // Of equals the later is the sharper.
    met.reverse();
    met.sort_by_key(|(mistakes, _)| *mistakes);
    met.into_iter().map(|(_, w)| loss.standard.original(&w)).collect()
}

/// What a score costs.
enum Cost {
    Logistic,
    /// 1 / (1 + exp(score)).
    Count,
}

/// Rows whose features have mean 0 and deviation 1, computed on the fly.
struct Standardised<'a> {
    samples: &'a Samples,
    /// What a negative and what a positive row count.
    importance: [f64; 2],
    cost: Cost,
    standard: Standard,
}

impl<'a> Standardised<'a> {
    fn new(samples: &'a Samples, weighing: Weighing) -> Self {
        let n = samples.rows() as f64;
        let positives = samples.positive().iter().filter(|&&p| p).count() as f64;
        let importance = match weighing {
            Weighing::Rows => [1.0, 1.0],
            Weighing::Classes => [n / (n - positives), n / positives],
        };
        Standardised {
            samples,
            importance,
            cost: Cost::Logistic,
            standard: Standard::of(samples.features()),
        }
    }

    /// Returns the loss of a score, and its derivative.
    fn cost(&self, score: f64) -> (f64, f64) {
        // The share is 1 / (1 + exp(score)).
        let (mut loss, mut share) = ([0.0], [0.0]);
        logistic(&[score], &mut loss, &mut share);
        let ([loss], [share]) = (loss, share);
        match self.cost {
            Cost::Logistic => (loss, -share),
            Cost::Count => (share, -share * (1.0 - share)),
        }
    }
}

impl Loss for Standardised<'_> {
    fn at(&self, w: &[f64]) -> Value {
        let (samples, plane) = (self.samples, self.standard.original(w));
        let rows = samples.rows();
        let columns = samples.columns();
        // As many parts whatever the threads, added up in their order: the same bits.
        let parts = 64.min(rows.div_ceil(16));
        let size = rows.div_ceil(parts);
        let part = |part: usize| {
            let mut sum = Value { loss: 0.0, slope: vec![0.0; columns + 1], mistakes: 0 };
            for i in part * size..rows.min((part + 1) * size) {
                let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
                let value = samples.features().dot(i, &plane.weights) + plane.bias;
                let (loss, slope) = self.cost(sign * value);
                let importance = self.importance[usize::from(samples.positive()[i])];
                let (loss, slope) = (importance * loss, importance * slope);
                sum.loss += loss;
                samples.features().axpy(i, sign * slope, &mut sum.slope[..columns]);
                sum.slope[columns] += sign * slope;
                sum.mistakes += u64::from(sign * value <= 0.0);
            }
            sum
        };
        let sums: Vec<Value> = (0..parts).into_par_iter().map(part).collect();
        let mut total = Value { loss: 0.0, slope: vec![0.0; columns + 1], mistakes: 0 };
        for part in sums {
            total.loss += part.loss;
            total.mistakes += part.mistakes;
            total.slope.iter_mut().zip(part.slope).for_each(|(a, b)| *a += b);
        }
        self.standard.slope(&mut total.slope);
        total
    }
}
