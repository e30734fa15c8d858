//! A hyperplane, and how well it separates samples.

use std::cmp::Ordering;

use linsep_data::{Block, Data, Error, FoldQuery, Memory, Samples, Shape};
use linsep_proof::exact::{Row, sign_of_value};
use serde::{Deserialize, Serialize};

use crate::kernels::RowArithmetic;
use crate::queries::fold;

/// Weights w and bias b: the positive side is w·x + b > 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hyperplane {
    /// One weight per feature.
    pub weights: Vec<f64>,
    /// The offset.
    pub bias: f64,
}

impl Hyperplane {
    /// Returns the hyperplane of a vector in the lifted space: its last coordinate is the bias.
    pub fn from_lifted(mut w: Vec<f64>) -> Self {
        let bias = w.pop().expect("a lifted vector has a bias");
        Hyperplane { weights: w, bias }
    }

    /// Returns w·x + b for rows `first..first + out.len()` in `out`.
    pub fn values(&self, features: &linsep_data::Features, first: usize, out: &mut [f64]) {
        features.scores(first, &self.weights, out);
        out.iter_mut().for_each(|v| *v += self.bias);
    }

    /// Returns the Euclidean length of w, by which values become distances.
    pub fn weight_norm(&self) -> f64 {
        norm(self.weights.iter().copied())
    }

    /// Returns the mistakes and the margins on `samples`. Costs one parallel pass.
    ///
    /// Mistakes are counted without rounding: none means that the checker would agree.
    pub fn evaluate(&self, samples: &Samples) -> Evaluation {
        self.evaluate_data(&Memory::new(samples)).expect("rows in memory can be read")
    }

    /// Returns the same for rows that may be elsewhere. Errors if they cannot be read.
    pub fn evaluate_data(&self, data: &dyn Data) -> Result<Evaluation, Error> {
        let lifted_norm = norm(self.weights.iter().copied().chain([self.bias]));
        let all = fold(data, &EvaluationQuery { hyperplane: self.clone(), lifted_norm })?;
        let ratio = |value: f64, norm: f64| (norm > 0.0).then_some(value / norm);
        Ok(Evaluation {
            rows: data.shape().rows as u64,
            mistakes: all.mistakes,
            extended: ratio(all.smallest, lifted_norm),
            longest: all.longest,
            margin: Margin {
                angular: ratio(all.smallest_lifted, lifted_norm),
                geometric: ratio(all.smallest, self.weight_norm()),
            },
        })
    }
}

/// Counts the rows on the wrong side, and finds the smallest value of y (w·x + b) before and after lifting, and the
/// longest row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EvaluationQuery {
    hyperplane: Hyperplane,
    lifted_norm: f64,
}

/// What it has found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EvaluationState {
    mistakes: u64,
    smallest: f64,
    smallest_lifted: f64,
    longest: f64,
}

impl FoldQuery for EvaluationQuery {
    type State = EvaluationState;

    fn begin(&self) -> EvaluationState {
        let (smallest, smallest_lifted) = (f64::INFINITY, f64::INFINITY);
        EvaluationState { mistakes: 0, smallest, smallest_lifted, longest: 0.0 }
    }

    fn absorb(&self, state: &mut EvaluationState, block: &Block<'_>) {
        let Hyperplane { weights, bias } = &self.hyperplane;
        let (samples, places) = (block.samples(), block.places());
        // A float w·x + b is off by at most so much a unit of ‖(w, b)‖ ‖(x, 1)‖, both of them rounded,
        // unless the length is so small that products underflow.
        let doubt = (weights.len() as f64 + 16.0) * 2.0 * f64::EPSILON * self.lifted_norm;
        let filtered = self.lifted_norm >= 1e-250;
        let mut values = vec![0.0; places.len()];
        self.hyperplane.values(samples.features(), places.start, &mut values);
        for (i, value) in places.zip(values) {
            let positive = samples.positive()[i];
            let value = if positive { value } else { -value };
            let certain = filtered && value.abs() > doubt * samples.norms()[i];
            let mistake = if certain || !self.lifted_norm.is_finite() {
                // An overflow to NaN is a mistake too.
                value <= 0.0 || value.is_nan()
            } else {
                let row = Row::of(samples.features(), i);
                let side = if positive { Ordering::Greater } else { Ordering::Less };
                sign_of_value(weights, *bias, row) != side
            };
            state.mistakes += u64::from(mistake);
            state.smallest = state.smallest.min(value);
            state.smallest_lifted = state.smallest_lifted.min(value / samples.norms()[i]);
            state.longest = state.longest.max(samples.norms()[i]);
        }
    }

    fn merge(&self, state: &mut EvaluationState, other: EvaluationState) {
        state.mistakes += other.mistakes;
        state.smallest = state.smallest.min(other.smallest);
        state.smallest_lifted = state.smallest_lifted.min(other.smallest_lifted);
        state.longest = state.longest.max(other.longest);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.hyperplane.weights.len() == shape.columns
    }

    fn admits(&self, state: &EvaluationState, shape: Shape) -> bool {
        state.mistakes <= shape.rows as u64
    }
}

/// How well a hyperplane separates samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Rows that were looked at.
    pub rows: u64,
    /// Rows with y (w·x + b) <= 0.
    pub mistakes: u64,
    /// The margins; negative where there are mistakes.
    pub margin: Margin,
    /// min y (w·x + b) / ‖(w, b)‖: the margin among samples (x, 1) that are not normalised; none if w and b are zero.
    pub extended: Option<f64>,
    /// The length of the longest (x, 1).
    pub longest: f64,
}

impl Evaluation {
    /// Returns the share of rows on their own side.
    pub fn accuracy(&self) -> f64 {
        1.0 - self.mistakes as f64 / self.rows as f64
    }
}

/// The distance from a hyperplane to its nearest sample, negative on the wrong side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Margin {
    /// min w·z / ‖w‖ over lifted samples; none if w and b are zero.
    pub angular: Option<f64>,
    /// min y (w·x + b) / ‖w‖ in the original space; none if w is zero.
    pub geometric: Option<f64>,
}

/// Returns the Euclidean length, without overflow or underflow on the way.
pub(crate) fn norm(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * values.map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        weights: &[f64],
        bias: f64,
        mistakes: u64,
        angular: Option<f64>,
        geometric: Option<f64>,
    ) {
        let samples = Samples::dense(vec![0.0, 0.0, 3.0, 4.0], 2, vec![false, true]).unwrap();
        let found = Hyperplane { weights: weights.to_vec(), bias }.evaluate(&samples);
        assert_eq!(found.mistakes, mistakes);
        for (found, expected) in
            [(found.margin.angular, angular), (found.margin.geometric, geometric)]
        {
            match (found, expected) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-15, "{a} against {b}"),
                (a, b) => assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn mistakes_are_counted_without_rounding() {
        let count = |values: Vec<f64>, weights: &[f64], bias| {
            let samples = Samples::dense(values, weights.len(), vec![true, false]).unwrap();
            Hyperplane { weights: weights.to_vec(), bias }.evaluate(&samples).mistakes
        };
        // 0.1 + 0.2 - 0.3 is positive as floats are added, and as they are.
        assert_eq!(count(vec![0.1, 0.2, 0.0, 0.0], &[1.0, 1.0], -0.3), 0);
        // 1 - 3 fl(1/3) is 2^-54, and zero once rounded.
        assert_eq!(count(vec![1.0 / 3.0, 1.0, 0.0, -1.0], &[-3.0, 1.0], 0.0), 0);
        // 2^53 + 1 - 2^53 is zero once rounded.
        let far = 9007199254740992.0;
        assert_eq!(count(vec![far, 1.0, 0.0, 0.0], &[1.0, 1.0], -far), 0);
        // Products that underflow, and a length that does.
        assert_eq!(count(vec![1e-200, -1e-200], &[1e-200], 0.0), 0);
        assert_eq!(count(vec![1e-200, 1e-200], &[1e-200], 0.0), 1);
    }

    #[test]
    fn mistakes_and_margins() {
        check(&[0.6, 0.8], -2.0, 0, Some(3.0 / 26f64.sqrt() / 5f64.sqrt()), Some(2.0));
        check(&[0.6e200, 0.8e200], -2e200, 0, Some(3.0 / 26f64.sqrt() / 5f64.sqrt()), Some(2.0));
        check(&[0.6, 0.8], 1.0, 1, Some(-1.0 / 2f64.sqrt()), Some(-1.0));
        check(&[0.0, 0.0], 1.0, 1, Some(-1.0), None);
        check(&[0.0, 0.0], 0.0, 2, None, None);
    }
}
