//! Features with mean 0 and one deviation, without a copy of the data: smooth losses are lowered in few steps there.

use crate::Hyperplane;
use crate::data::Features;

/// What remains of a constant is rounding: no deviation, as a part of the largest size.
const NO_DEVIATION: f64 = 1e-14;

/// What a feature is shifted and multiplied by.
pub(crate) struct Standard {
    means: Vec<f64>,
    /// 0 where a feature is constant.
    scales: Vec<f64>,
}

impl Standard {
    /// Returns what gives all features mean 0 and deviation 1. Costs three passes.
    pub fn of(features: &Features) -> Self {
        Self::in_order(features, &(0..features.rows()).collect::<Vec<usize>>())
    }

    /// Returns the same of rows that are added up in this order.
    pub fn in_order(features: &Features, order: &[usize]) -> Self {
        let (n, columns) = (order.len() as f64, features.columns());
        // Divided by the largest first, so that no square overflows.
        let largest = largest(features);
        let (mut means, mut squares) = (vec![0.0; columns], vec![0.0; columns]);
        for &i in order {
            features.for_each(i, |k, v| means[k] += v / largest[k] / n);
        }
        let mut stored = vec![0.0; columns];
        for &i in order {
            features.for_each(i, |k, v| {
                let off = v / largest[k] - means[k];
                squares[k] += off * off / n;
                stored[k] += 1.0;
            });
        }
        let scale = |k: usize| {
            // Values that are not stored are zero.
            let variance = squares[k] + (n - stored[k]) / n * means[k] * means[k];
            let scale = 1.0 / (variance.sqrt() * largest[k]);
            if variance.sqrt() > NO_DEVIATION && scale.is_finite() { scale } else { 0.0 }
        };
        let scales = (0..columns).map(scale).collect();
        let means = means.iter().zip(&largest).map(|(mean, largest)| mean * largest).collect();
        Standard { means, scales }
    }

    /// Returns the same with deviations such that rows have length 1 in the square mean.
    pub fn with_unit_rows(mut self) -> Self {
        let used = self.scales.iter().filter(|&&scale| scale > 0.0).count().max(1) as f64;
        self.scales.iter_mut().for_each(|scale| *scale /= used.sqrt());
        self
    }

    /// Returns the same where features that are constant in these rows are shifted alone: in others they may differ.
    pub fn with_constants(mut self) -> Self {
        self.scales.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = 1.0);
        self
    }

    /// Returns a row in these units.
    pub fn row(&self, features: &Features, i: usize) -> Vec<f64> {
        // Values that are not stored are zero.
        let mut row: Vec<f64> = self.means.iter().map(|mean| -mean).collect();
        features.for_each(i, |k, v| row[k] = v - self.means[k]);
        row.iter_mut().zip(&self.scales).for_each(|(v, scale)| *v *= scale);
        row
    }

    /// Returns the hyperplane of w, the bias last, in the units of the data.
    pub fn original(&self, w: &[f64]) -> Hyperplane {
        let (bias, w) = w.split_last().expect("a bias");
        let weights: Vec<f64> = w.iter().zip(&self.scales).map(|(w, s)| w * s).collect();
        let shift: f64 = weights.iter().zip(&self.means).map(|(w, m)| w * m).sum();
        Hyperplane { weights, bias: bias - shift }
    }

    /// Makes of a slope in the units of the data, the bias last, the one with respect to w.
    pub fn slope(&self, slope: &mut [f64]) {
        let (shift, slope) = slope.split_last_mut().expect("a bias");
        for (k, slope) in slope.iter_mut().enumerate() {
            *slope = (*slope - self.means[k] * *shift) * self.scales[k];
        }
    }
}

/// Returns the largest size of a value in each column; 1 where all are zero.
pub(crate) fn largest(features: &Features) -> Vec<f64> {
    let mut largest = vec![0.0_f64; features.columns()];
    for i in 0..features.rows() {
        features.for_each(i, |k, v| largest[k] = largest[k].max(v.abs()));
    }
    largest.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 1.0);
    largest
}
