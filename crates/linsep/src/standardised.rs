//! Smooth losses of rows whose columns have mean 0 and one deviation, and their slopes.
//!
//! ```text
//! given   a row's scores s_h = w_h·z + b_h, z the row in standardised units
//! sum     over rows of a loss of the scores: softmax with one score per class, logistic with one score
//! slope   by the chain rule, in the units of the data first: scores and slopes never see z
//! ```
//!
//! Cost: a pass. The bits do not depend on the number of threads.

use rayon::prelude::*;

use crate::Hyperplane;
use crate::data::Features;
use crate::decide::lbfgs::LossValue;
use crate::kernels::RowArithmetic;
use crate::kernels::logistic::logistic;
use crate::standard::Standard;

/// What a row adds to a loss.
pub(crate) struct RowLoss {
    /// The loss.
    pub loss: f64,
    /// Whether its own class has not the largest score.
    pub mistaken: bool,
}

impl RowLoss {
    /// Returns the loss of a row that counts this much, and multiplies its slopes alike.
    pub fn times(mut self, importance: f64, slopes: &mut [f64]) -> Self {
        self.loss *= importance;
        slopes.iter_mut().for_each(|slope| *slope *= importance);
        self
    }
}

/// Returns ln(1 / p) where p, the share of the row's own class, is proportional to exp(score). Makes the slopes of
/// the scores.
pub(crate) fn softmax_loss(own: usize, scores: &mut [f64]) -> RowLoss {
    let (mut most, mut other) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (class, &score) in scores.iter().enumerate() {
        most = most.max(score);
        other = if class == own { other } else { other.max(score) };
    }
    let mine = scores[own];
    // The exponential of libm is the same on every machine.
    scores.iter_mut().for_each(|score| *score = libm::exp(*score - most));
    let sum: f64 = scores.iter().sum();
    let loss = match mine == most {
        // ln(1 + x) is exact for small x, where 1 + x is not.
        true => libm::log1p(scores[..own].iter().chain(&scores[own + 1..]).sum()),
        false => libm::log(sum) + most - mine,
    };
    scores.iter_mut().for_each(|score| *score /= sum);
    scores[own] -= 1.0;
    RowLoss { loss, mistaken: mine <= other }
}

/// Returns ln(1 + exp(-score)), the sign of the score turned for a negative row. Makes its slope of the score.
pub(crate) fn logistic_loss(positive: bool, score: &mut f64) -> RowLoss {
    let sign = if positive { 1.0 } else { -1.0 };
    let own = sign * *score;
    let (mut loss, mut share) = ([0.0], [0.0]);
    logistic(&[own], &mut loss, &mut share);
    *score = sign * -share[0];
    RowLoss { loss: loss[0], mistaken: own <= 0.0 }
}

/// Rows with standardised columns, computed on the fly.
pub(crate) struct StandardisedRows<'a> {
    features: &'a Features,
    standard: Standard,
}

impl<'a> StandardisedRows<'a> {
    /// Returns the rows in these units.
    pub fn new(features: &'a Features, standard: Standard) -> Self {
        StandardisedRows { features, standard }
    }

    /// Returns the hyperplanes of w, one after the other, in the units of the data.
    pub fn planes(&self, w: &[f64]) -> Vec<Hyperplane> {
        w.chunks_exact(self.features.columns() + 1).map(|w| self.standard.original(w)).collect()
    }

    /// Writes the scores of a row to `scores`.
    pub fn score(&self, planes: &[Hyperplane], i: usize, scores: &mut [f64]) {
        for (plane, score) in planes.iter().zip(scores) {
            *score = self.features.dot(i, &plane.weights) + plane.bias;
        }
    }

    /// Returns the sum of a loss and its slope with respect to w. `loss` takes a row and its scores, one per
    /// hyperplane of w, and makes slopes of those. Each part is added up alone, and then the parts in their order, so
    /// that the bits depend on the parts alone.
    pub fn sum<Part: Iterator<Item = usize> + Send>(
        &self,
        w: &[f64],
        parts: Vec<Part>,
        loss: impl Fn(usize, &mut [f64]) -> RowLoss + Sync,
    ) -> LossValue {
        let (planes, one) = (self.planes(w), self.features.columns() + 1);
        let empty = || LossValue { loss: 0.0, slope: vec![0.0; w.len()], mistakes: 0 };
        let part = |rows: Part| {
            let (mut sum, mut scores) = (empty(), vec![0.0; planes.len()]);
            for i in rows {
                self.score(&planes, i, &mut scores);
                let row = loss(i, &mut scores);
                sum.loss += row.loss;
                sum.mistakes += u64::from(row.mistaken);
                let slopes = sum.slope.chunks_exact_mut(one).zip(&scores);
                for (slope, &c) in slopes.filter(|(_, c)| **c != 0.0) {
                    self.features.axpy(i, c, &mut slope[..one - 1]);
                    slope[one - 1] += c;
                }
            }
            sum
        };
        let sums: Vec<LossValue> = parts.into_par_iter().map(part).collect();
        let mut total = empty();
        for part in sums {
            total.loss += part.loss;
            total.mistakes += part.mistakes;
            total.slope.iter_mut().zip(part.slope).for_each(|(a, b)| *a += b);
        }
        total.slope.chunks_exact_mut(one).for_each(|slope| self.standard.slope(slope));
        total
    }
}

/// Returns the rows from 0 on in `parts` ranges of one size; the last may be shorter.
pub(crate) fn even_parts(rows: usize, parts: usize) -> Vec<std::ops::Range<usize>> {
    let size = rows.div_ceil(parts.max(1));
    (0..parts).map(|k| (k * size).min(rows)..((k + 1) * size).min(rows)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::samples::Dense;

    /// Checks slopes against differences of the loss.
    fn check(heads: usize, loss: impl Fn(usize, &mut [f64]) -> RowLoss + Sync) {
        let values = vec![0.5, 2.0, -1.0, 3.0, 0.0, 1.0, 4.0, -2.0];
        let features = Features::Dense64(Dense::new(values, 4, 2));
        let rows = StandardisedRows::new(&features, Standard::of(&features).with_unit_rows());
        let at = |w: &[f64]| rows.sum(w, even_parts(4, 3), &loss);
        let w: Vec<f64> = (0..3 * heads).map(|k| (k % 4) as f64 - 1.5).collect();
        let slope = at(&w).slope;
        for k in 0..w.len() {
            let moved = |by: f64| {
                let mut w = w.clone();
                w[k] += by;
                at(&w).loss
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope[k] - expected).abs() < 1e-8, "{k}: {} {expected}", slope[k]);
        }
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        check(3, |i, scores| softmax_loss([0, 1, 2, 1][i], scores).times(0.3, scores));
        check(1, |i, scores| logistic_loss(i % 2 == 1, &mut scores[0]));
    }

    #[test]
    fn two_scores_are_one_and_small_losses_are_not_lost() {
        for score in [-50.0, -1.5, 0.0, 0.25, 40.0] {
            let (mut two, mut one) = ([0.0, score], score);
            let (softmax, single) = (softmax_loss(1, &mut two), logistic_loss(true, &mut one));
            assert!((softmax.loss - single.loss).abs() <= 4e-15 * single.loss);
            assert!(softmax.mistaken == single.mistaken && (two[1] - one).abs() < 1e-15);
        }
    }

    #[test]
    fn every_row_is_in_one_part() {
        for (rows, parts) in [(0, 1), (5, 3), (64, 64), (100, 7), (9, 8)] {
            let all: Vec<usize> = even_parts(rows, parts).into_iter().flatten().collect();
            assert_eq!(all, (0..rows).collect::<Vec<usize>>());
        }
    }
}
