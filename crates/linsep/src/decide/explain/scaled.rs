//! Features brought to about one size by powers of two.
//!
//! Where one feature counts in thousands and another in thousandths, the rows on the unit sphere lie
//! close together and every question about them is hard for floats. Multiplying a feature by a power
//! of two changes no verdict and rounds nothing, and takes most of that away.

use linsep_data::Features;
use linsep_data::samples::SparseBuilder;

use super::super::plan;
use crate::kernels::{exponent, power_of_two};
use crate::{Hyperplane, Samples};

/// Sizes that differ by less than this, as an exponent of two, are left alone.
const SPREAD: i32 = 6;

/// Samples with scaled features, and the exponents of two.
pub struct Scaled {
    /// The scaled samples.
    pub samples: Samples,
    exponents: Vec<i32>,
}

impl Scaled {
    /// Returns scaled samples if the sizes of features, the largest magnitudes, differ much and
    /// scaling is exact.
    pub fn new(samples: &Samples) -> Option<Self> {
        let mut largest = vec![0.0_f64; samples.columns()];
        let mut stored = 0;
        for i in 0..samples.rows() {
            samples.features().for_each(i, |k, v| {
                largest[k] = largest[k].max(v.abs());
                stored += 1;
            });
        }
        let exponents: Vec<i32> = largest.iter().map(|&v| -exponent(v)).collect();
        let sizes = || exponents.iter().zip(&largest).filter(|(_, v)| **v > 0.0).map(|(e, _)| *e);
        let spread = sizes().max().unwrap_or(0) - sizes().min().unwrap_or(0);
        let huge = sizes().any(|e| e.abs() > 500);
        if spread < SPREAD || huge || !plan::scaling_is_affordable(stored) {
            return None;
        }
        let factors: Vec<f64> = exponents.iter().map(|&e| power_of_two(e)).collect();
        let mut exact = true;
        let mut scaled = |k: usize, v: f64| {
            let scaled = v * factors[k];
            exact &= scaled / factors[k] == v;
            scaled
        };
        let (features, positive) = (samples.features(), samples.positive().to_vec());
        let copy = if matches!(features, Features::Sparse(_)) {
            let mut rows = SparseBuilder::default();
            for i in 0..samples.rows() {
                features.for_each(i, |k, v| rows.push(k, scaled(k, v)));
                rows.end_row();
            }
            Samples::sparse(rows.finish(samples.columns()).ok()?, positive)
        } else {
            let mut values = Vec::with_capacity(stored);
            for i in 0..samples.rows() {
                features.for_each(i, |k, v| values.push(scaled(k, v)));
            }
            Samples::dense(values, samples.columns(), positive)
        };
        if !exact {
            return None;
        }
        Some(Scaled { samples: copy.ok()?, exponents })
    }

    /// Returns the hyperplane of the scaled samples for the original ones.
    pub fn to_original(&self, plane: &Hyperplane) -> Hyperplane {
        let each = plane.weights.iter().zip(&self.exponents);
        let weights = each.map(|(weight, &e)| weight * power_of_two(e)).collect();
        Hyperplane { weights, bias: plane.bias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::RowArithmetic;

    fn check(values: &[f64], expected: Option<&[f64]>) {
        let samples = Samples::dense(values.to_vec(), 2, vec![true, false]).unwrap();
        let scaled = Scaled::new(&samples);
        assert_eq!(scaled.is_some(), expected.is_some(), "{values:?}");
        let (Some(scaled), Some(expected)) = (scaled, expected) else {
            return;
        };
        let mut found = vec![];
        (0..2).for_each(|i| scaled.samples.features().for_each(i, |_, v| found.push(v)));
        assert_eq!(found, expected);
        let plane = Hyperplane { weights: vec![3.0, -5.0], bias: 7.0 };
        let back = scaled.to_original(&plane);
        for i in 0..2 {
            assert_eq!(
                scaled.samples.features().dot(i, &plane.weights),
                samples.features().dot(i, &back.weights)
            );
        }
    }

    #[test]
    fn sizes_that_differ_much_are_brought_together_exactly() {
        check(&[1.0, 2.0, 3.0, 4.0], None);
        check(&[1024.0, 3.0, -1536.0, 2.0], Some(&[1.0, 1.5, -1.5, 1.0]));
        check(&[1024.0, 0.0, 1024.0, 0.0], None);
        // The small value would lose bits.
        check(&[1e200, 1.0, 5e-324, 1.0], None);
    }
}
