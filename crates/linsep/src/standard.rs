//! Features with mean 0 and one deviation, without a copy of the data: smooth losses are lowered in few steps there.

use std::ops::ControlFlow;

use crate::data::{Data, Features};
use crate::{Error, Hyperplane};

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
        let each = |see: &mut dyn FnMut(usize, f64)| {
            order.iter().for_each(|&i| features.for_each(i, &mut *see));
        };
        let mut moments = Moments::new(largest(features), order.len());
        each(&mut |k, v| moments.add_mean(k, v));
        each(&mut |k, v| moments.add_square(k, v));
        moments.standard()
    }

    /// Returns what gives all features of rows, wherever they are, mean 0 and deviation 1. Costs three passes, in
    /// order, so that the bits do not depend on where they are.
    pub fn of_data(data: &dyn Data) -> Result<Self, Error> {
        let shape = data.shape();
        let mut sizes = vec![0.0_f64; shape.columns];
        each_value(data, |k, v| sizes[k] = sizes[k].max(v.abs()))?;
        let mut moments = Moments::new(one_for_zero(sizes), shape.rows);
        each_value(data, |k, v| moments.add_mean(k, v))?;
        each_value(data, |k, v| moments.add_square(k, v))?;
        Ok(moments.standard())
    }

    /// Returns the same with features that are not shifted.
    pub fn uncentred(mut self) -> Self {
        self.means.fill(0.0);
        self
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

    /// Returns a value of a feature in these units.
    #[inline]
    pub fn value(&self, feature: usize, value: f64) -> f64 {
        let (mean, scale) = (self.means[feature], self.scales[feature]);
        let off = value - mean;
        // The halves of two finite numbers have a finite difference.
        if off.is_finite() { off * scale } else { (value / 2.0 - mean / 2.0) * scale * 2.0 }
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

/// Sums over the values of each feature.
struct Moments {
    rows: f64,
    /// Divided by the largest first, so that no square overflows.
    largest: Vec<f64>,
    means: Vec<f64>,
    squares: Vec<f64>,
    stored: Vec<f64>,
}

impl Moments {
    fn new(largest: Vec<f64>, rows: usize) -> Self {
        let zeros = || vec![0.0; largest.len()];
        let (means, squares, stored) = (zeros(), zeros(), zeros());
        Moments { rows: rows as f64, largest, means, squares, stored }
    }

    fn add_mean(&mut self, k: usize, v: f64) {
        self.means[k] += v / self.largest[k] / self.rows;
    }

    /// Follows once the means are known.
    fn add_square(&mut self, k: usize, v: f64) {
        let off = v / self.largest[k] - self.means[k];
        self.squares[k] += off * off / self.rows;
        self.stored[k] += 1.0;
    }

    fn standard(self) -> Standard {
        let Moments { rows: n, largest, means, squares, stored } = self;
        let scale = |k: usize| {
            // Values that are not stored are zero.
            let variance = squares[k] + (n - stored[k]) / n * means[k] * means[k];
            let scale = 1.0 / (variance.sqrt() * largest[k]);
            if variance.sqrt() > NO_DEVIATION && scale.is_finite() { scale } else { 0.0 }
        };
        let scales = (0..largest.len()).map(scale).collect();
        let means = means.iter().zip(&largest).map(|(mean, largest)| mean * largest).collect();
        Standard { means, scales }
    }
}

/// Shows every stored value of the rows, in order, with its feature. Costs a pass.
fn each_value(data: &dyn Data, mut see: impl FnMut(usize, f64)) -> Result<(), Error> {
    data.in_order(0, &mut |block| {
        let features = block.samples().features();
        block.places().for_each(|place| features.for_each(place, &mut see));
        ControlFlow::Continue(())
    })
}

/// Returns the largest size of a value in each column; 1 where all are zero.
pub(crate) fn largest(features: &Features) -> Vec<f64> {
    let mut largest = vec![0.0_f64; features.columns()];
    for i in 0..features.rows() {
        features.for_each(i, |k, v| largest[k] = largest[k].max(v.abs()));
    }
    one_for_zero(largest)
}

fn one_for_zero(mut sizes: Vec<f64>) -> Vec<f64> {
    sizes.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 1.0);
    sizes
}
