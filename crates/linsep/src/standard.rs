//! Features with mean 0 and deviation 1, without a copy of the data: smooth losses are lowered in few steps there.

use crate::{Hyperplane, Samples};

/// What a feature is shifted and multiplied by.
pub(crate) struct Standard {
    means: Vec<f64>,
    /// 0 where a feature is constant.
    scales: Vec<f64>,
}

impl Standard {
    /// Returns the means and deviations of all features. Costs three passes.
    pub fn of(samples: &Samples) -> Self {
        let (n, columns) = (samples.rows() as f64, samples.columns());
        // Divided by the largest first, so that no square overflows.
        let mut largest = vec![0.0_f64; columns];
        let mut means = vec![0.0; columns];
        let mut squares = vec![0.0; columns];
        let each = |visit: &mut dyn FnMut(usize, f64)| {
            (0..samples.rows()).for_each(|i| samples.features().for_each(i, &mut *visit));
        };
        each(&mut |k, v| largest[k] = largest[k].max(v.abs()));
        largest.iter_mut().filter(|v| **v == 0.0).for_each(|v| *v = 1.0);
        each(&mut |k, v| means[k] += v / largest[k] / n);
        let mut stored = vec![0.0; columns];
        each(&mut |k, v| {
            squares[k] += (v / largest[k] - means[k]).powi(2) / n;
            stored[k] += 1.0;
        });
        let scale = |k: usize| {
            let variance = squares[k] + (n - stored[k]) / n * means[k] * means[k];
            let scale = 1.0 / (variance.sqrt() * largest[k]);
            if variance > 1e-30 && scale.is_finite() { scale } else { 0.0 }
        };
        let scales = (0..columns).map(scale).collect();
        let means = means.iter().zip(&largest).map(|(mean, largest)| mean * largest).collect();
        Standard { means, scales }
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
