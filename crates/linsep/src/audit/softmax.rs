//! The learner: softmax regression with a ridge penalty, on standardised columns.
//!
//! ```text
//! minimise  mean of u_i ln(1 / p(class of i))  +  lambda / 2 / rows * sum of w^2, the biases left out
//! where     p(c) is proportional to exp(w_c·z + b_c), z = the row with columns of mean 0 and deviation
//!           1 / sqrt(columns), so that rows have length 1 in the square mean
//! stop      when a step lowers it by less than 1e-4 of itself, or after 300 steps
//! returns   w and b; with two classes those of the second, the first being the origin
//! ```
//!
//! The penalty keeps the optimum finite where a hyperplane separates the rows, and of a sensible size where
//! there are more columns than rows. Standardised columns make it mean the same for every column.

use crate::Hyperplane;
use crate::data::Features;
use crate::decide::lbfgs::{LossValue, PlainDescent, SmoothLoss};
use crate::standard::Standard;
use crate::standardised::{StandardisedRows, logistic_loss, softmax_loss};

/// The most steps of L-BFGS, and the relative gain that is too small for another.
const STEPS: usize = 300;
const GAIN: f64 = 1e-4;

/// Rows and their classes.
pub struct LabelledRows<'a> {
    rows: StandardisedRows<'a>,
    columns: usize,
    /// The class of each row.
    pub classes: &'a [usize],
    /// The number of classes.
    pub count: usize,
}

impl<'a> LabelledRows<'a> {
    /// Returns the rows, visited in this order. Costs three passes.
    pub fn new(
        features: &'a Features,
        classes: &'a [usize],
        count: usize,
        order: &[usize],
    ) -> Self {
        let standard = Standard::in_order(features, order).with_unit_rows();
        let rows = StandardisedRows::new(features, standard);
        LabelledRows { rows, columns: features.columns(), classes, count }
    }

    /// Returns how many scores a row has: one if there are two classes, else one per class.
    pub fn heads(&self) -> usize {
        if self.count == 2 { 1 } else { self.count }
    }

    /// Returns the hyperplanes of w in the units of the data.
    pub fn planes(&self, w: &[f64]) -> Vec<Hyperplane> {
        self.rows.planes(w)
    }

    /// Writes the scores of a row to `out`.
    pub fn score(&self, planes: &[Hyperplane], i: usize, out: &mut [f64]) {
        self.rows.score(planes, i, out);
    }

    /// Returns what is learnt from some rows, each with its importance, starting at `start` or zero.
    pub fn learn(
        &self,
        rows: &[usize],
        importance: &[f64],
        lambda: f64,
        start: Option<&[f64]>,
        halted: &(dyn Fn() -> bool + Sync),
    ) -> Vec<f64> {
        let loss = Ridge { all: self, rows, importance, lambda: lambda / rows.len() as f64 };
        let parameters = self.heads() * (self.columns + 1);
        let start = start.map_or_else(|| vec![0.0; parameters], <[f64]>::to_vec);
        let mut descent = PlainDescent::at(&loss, start);
        for _ in 0..STEPS {
            let before = descent.loss();
            if halted() || !descent.step(&loss) || before - descent.loss() <= GAIN * before {
                break;
            }
        }
        descent.w().to_vec()
    }
}

/// Returns ln(p / (1 - p)) of the class of a row with these scores, made `sharper` times as large.
pub fn log_odds(scores: &[f64], class: usize, sharper: f64) -> f64 {
    match scores {
        [score] if class == 1 => sharper * score,
        [score] => -sharper * score,
        _ => {
            let others = || (0..scores.len()).filter(|&c| c != class).map(|c| sharper * scores[c]);
            let most = others().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = others().map(|score| libm::exp(score - most)).sum();
            sharper * scores[class] - most - libm::log(sum)
        }
    }
}

/// Returns the class with the largest score; of equals the first.
pub fn best_class(scores: &[f64]) -> usize {
    match scores {
        [score] => usize::from(*score > 0.0),
        _ => (1..scores.len()).fold(0, |best, c| if scores[c] > scores[best] { c } else { best }),
    }
}

/// The penalised loss of some rows.
struct Ridge<'a> {
    all: &'a LabelledRows<'a>,
    rows: &'a [usize],
    importance: &'a [f64],
    lambda: f64,
}

impl SmoothLoss for Ridge<'_> {
    fn at(&self, w: &[f64]) -> LossValue {
        let LabelledRows { rows, columns, classes, .. } = self.all;
        // Means, not sums: rows near the largest float would add up to more than there is.
        let share = 1.0 / self.rows.len() as f64;
        // One part: folds are learnt from side by side.
        let mut total = rows.sum(w, vec![self.rows.iter().copied()], |i, scores| {
            let loss = match scores {
                [score] => logistic_loss(classes[i] == 1, score),
                _ => softmax_loss(classes[i], scores),
            };
            loss.times(share * self.importance[i], scores)
        });
        for (slope, w) in total.slope.chunks_mut(columns + 1).zip(w.chunks(columns + 1)) {
            for k in 0..*columns {
                slope[k] += self.lambda * w[k];
                total.loss += self.lambda / 2.0 * w[k] * w[k];
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::samples::Dense;

    /// Learns from values of one column and checks the classes that come out of it.
    fn check(values: &[f64], classes: &[usize], count: usize, expected: &[usize]) {
        let features = Features::Dense64(Dense::new(values.to_vec(), values.len(), 1));
        let rows: Vec<usize> = (0..values.len()).collect();
        let all = LabelledRows::new(&features, classes, count, &rows);
        let w = all.learn(&rows, &vec![1.0; values.len()], 1e-3, None, &|| false);
        let planes = all.planes(&w);
        let mut scores = vec![0.0; all.heads()];
        let found: Vec<usize> = rows
            .iter()
            .map(|&i| {
                all.score(&planes, i, &mut scores);
                best_class(&scores)
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn two_classes_and_three_are_told_apart() {
        check(&[1e9, 1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0], &[0, 0, 1, 1], 2, &[0, 0, 1, 1]);
        check(&[0., 1., 5., 6., 9., 10.], &[2, 2, 0, 0, 1, 1], 3, &[2, 2, 0, 0, 1, 1]);
    }

    #[test]
    fn numbers_at_the_ends_of_the_range_do_no_harm() {
        check(&[1e307, -1e307, 1.5e307, -1.2e307], &[1, 0, 1, 0], 2, &[1, 0, 1, 0]);
        check(&[1e-300, -1e-300, 2e-300, -1e-300], &[1, 0, 1, 0], 2, &[1, 0, 1, 0]);
        // A constant column says nothing: the larger class wins.
        check(&[7.0; 5], &[1, 0, 1, 0, 1], 2, &[1; 5]);
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        let values = vec![0.5, 2.0, -1.0, 3.0, 0.0, 1.0, 4.0, -2.0];
        let features = Features::Dense64(Dense::new(values, 4, 2));
        let (rows, classes) = ([0, 1, 2, 3], [0, 1, 2, 1]);
        let all = LabelledRows::new(&features, &classes, 3, &rows);
        let importance = [1.0, 0.3, 0.8, 1.0];
        let loss = Ridge { all: &all, rows: &rows, importance: &importance, lambda: 0.1 };
        let w: Vec<f64> = (0..9).map(|k| f64::from(k % 4) - 1.5).collect();
        let slope = loss.at(&w).slope;
        for k in 0..9 {
            let moved = |by: f64| {
                let mut w = w.clone();
                w[k] += by;
                loss.at(&w).loss
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope[k] - expected).abs() < 1e-8, "{k}: {} {expected}", slope[k]);
        }
    }
}
