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
//! It needs the rows in memory and some hundreds of passes. Where rows are elsewhere, and each pass is dear, a
//! hyperplane with few mistakes is that of `compromise.rs`: the convex start alone, in at most sixty.
//!
//! Reference: T. Nguyen and S. Sanner, Algorithms for direct 0-1 loss optimization in binary
//! classification, ICML 2013.

use super::super::solvers::lbfgs::{LossValue, PlainDescent, SmoothLoss};
use crate::standard::Standard;
use crate::standardised::{StandardisedRows, even_parts, logistic_loss};
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
    let mut loss = WeighedLoss::new(samples, weighing);
    let mut descent = PlainDescent::at(&loss, vec![0.0; samples.columns() + 1]);
    for _ in 0..LOGISTIC_STEPS {
        if halted() || !descent.step(&loss) {
            break;
        }
    }
    let mut met = vec![(descent.mistakes(), descent.w().to_vec())];
    loss.cost = ScoreCost::Count;
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
    met.into_iter().flat_map(|(_, w)| loss.rows.planes(&w)).collect()
}

/// What a score costs.
enum ScoreCost {
    Logistic,
    /// 1 / (1 + exp(score)).
    Count,
}

/// The cost of all rows, as a function of w.
struct WeighedLoss<'a> {
    samples: &'a Samples,
    rows: StandardisedRows<'a>,
    /// What a negative and what a positive row count.
    importance: [f64; 2],
    cost: ScoreCost,
}

impl<'a> WeighedLoss<'a> {
    fn new(samples: &'a Samples, weighing: Weighing) -> Self {
        let n = samples.rows() as f64;
        let positives = samples.positive().iter().filter(|&&p| p).count() as f64;
        let importance = match weighing {
            Weighing::Rows => [1.0, 1.0],
            Weighing::Classes => [n / (n - positives), n / positives],
        };
        let features = samples.features();
        let rows = StandardisedRows::new(features, Standard::of(features));
        WeighedLoss { samples, rows, importance, cost: ScoreCost::Logistic }
    }
}

impl SmoothLoss for WeighedLoss<'_> {
    fn at(&self, w: &[f64]) -> LossValue {
        let (rows, positive) = (self.samples.rows(), self.samples.positive());
        // As many parts whatever the threads.
        let parts = even_parts(rows, 64.min(rows.div_ceil(16)));
        self.rows.sum(w, parts, |i, scores| {
            let mut row = logistic_loss(positive[i], &mut scores[0]);
            if let ScoreCost::Count = self.cost {
                // The slope of the logistic loss is the count, up to its sign.
                row.loss = scores[0].abs();
                scores[0] *= 1.0 - row.loss;
            }
            row.times(self.importance[usize::from(positive[i])], scores)
        })
    }
}
