//! Rows as Newton's method likes them, which sees no difference between coordinates: of length one, centred where they are dense, and
//! each column of about the same size.

use linsep_data::{Features, Samples};
use linsep_proof::exact::parts;
use rayon::prelude::*;

use super::super::solvers::newton::NewtonRows;
use super::super::solvers::sparse_factor::{SparseGram, SparseNumbers};
use crate::kernels::power_of_two;

/// Rows of what one task makes.
const TASK: usize = 128;

/// How hyperplanes and weights of raw rows are seen.
pub(crate) struct Conditioning {
    /// Where each column is seen from, the bias last.
    centre: Vec<f64>,
    /// What it is multiplied by: two powers of two that make its largest number about 1, and what makes columns alike.
    powers: Vec<[f64; 2]>,
    scale: Vec<f64>,
    /// Columns that are one number in all rows: they are seen as zero.
    constant: Vec<Option<f64>>,
    /// What each row was divided by.
    lengths: Vec<f64>,
}

impl Conditioning {
    /// Returns it with the rows as they are seen. Nothing if they leave the range of floats, or if sparse rows would
    /// take too much memory.
    pub fn of(samples: &Samples) -> Option<(Self, NewtonRows)> {
        let (count, columns) = (samples.rows(), samples.columns());
        let features = samples.features();
        let sparse = matches!(features, Features::Sparse(_));
        let mut centre = vec![0.0; columns + 1];
        let mut constant: Vec<Option<f64>> = vec![None; columns + 1];
        for i in (0..count).take_while(|_| !sparse) {
            features.for_each(i, |k, x| {
                centre[k] += x / count as f64;
                constant[k] = if i == 0 { Some(x) } else { constant[k].filter(|own| *own == x) };
            });
        }
        // The mean of equal numbers may be rounded.
        let exact = centre.iter_mut().zip(&constant);
        exact.for_each(|(centre, own)| *centre = own.unwrap_or(*centre));
        let mut largest = vec![0.0_f64; columns];
        for i in 0..count {
            features.for_each(i, |k, x| largest[k] = largest[k].max((x - centre[k]).abs()));
        }
        if largest.iter().any(|v| !v.is_finite()) {
            return None;
        }
        // The bias stays what it is.
        let powers = largest.iter().map(|v| scaling(*v)).chain([[1.0; 2]]);
        let powers: Vec<[f64; 2]> = powers.collect();
        let (mut lengths, mut squares) = (vec![], vec![0.0_f64; columns + 1]);
        for i in 0..count {
            let mut sum = 1.0;
            let value = |k: usize, x: f64| (x - centre[k]) * powers[k][0] * powers[k][1];
            features.for_each(i, |k, x| sum += value(k, x) * value(k, x));
            features.for_each(i, |k, x| squares[k] += value(k, x) * value(k, x) / sum);
            squares[columns] += 1.0 / sum;
            lengths.push(sum.sqrt());
        }
        let size = |s: &f64| (s / count as f64).sqrt();
        let scale: Vec<f64> =
            squares.iter().map(|s| if size(s) > 0.0 { 1.0 / size(s) } else { 0.0 }).collect();
        // Sparse columns that no row has.
        for (own, scale) in constant.iter_mut().zip(&scale) {
            *own = own.or((*scale == 0.0).then_some(0.0));
        }
        let sign = |i: usize| if samples.positive()[i] { 1.0 } else { -1.0 };
        let dimension = columns + 1;
        let seen = |k: usize, x: f64| (x - centre[k]) * powers[k][0] * powers[k][1] * scale[k];
        let rows = if sparse {
            let mut numbers = SparseNumbers::new(dimension);
            for (i, length) in lengths.iter().enumerate() {
                let factor = sign(i) / length;
                features.for_each(i, |k, x| numbers.push(k, factor * seen(k, x)));
                numbers.push(columns, factor * scale[columns]);
                numbers.end_row();
            }
            NewtonRows::Sparse(SparseGram::new(numbers)?)
        } else {
            let mut values = vec![0.0; count * dimension];
            let rows = values.par_chunks_mut(dimension).with_min_len(TASK).enumerate();
            rows.for_each(|(i, row)| {
                let factor = sign(i) / lengths[i];
                features.for_each(i, |k, x| row[k] = factor * seen(k, x));
                row[columns] = factor * scale[columns];
            });
            NewtonRows::Dense { values, dimension }
        };
        Some((Conditioning { centre, powers, scale, constant, lengths }, rows))
    }

    /// Returns the number that a column is in all rows, if it is one and seen as zero.
    pub fn constant(&self, column: usize) -> Option<f64> {
        self.constant[column]
    }

    /// Returns a hyperplane (w, b) of raw rows as it is seen.
    pub fn seen(&self, plane: &[f64]) -> Vec<f64> {
        let columns = self.scale.len() - 1;
        let shift = self.shift(plane);
        let seen = |(k, w): (usize, &f64)| {
            let w = if k == columns { w + shift } else { *w };
            let [near, rest] = self.powers[k];
            if self.scale[k] > 0.0 { w / near / rest / self.scale[k] } else { 0.0 }
        };
        plane.iter().enumerate().map(seen).collect()
    }

    /// Returns the hyperplane (w, b) of raw rows that is seen as this.
    pub fn raw(&self, seen: &[f64]) -> Vec<f64> {
        let scales = self.scale.iter().zip(&self.powers);
        let raw = seen.iter().zip(scales).map(|(w, (s, [near, rest]))| w * s * near * rest);
        let mut plane: Vec<f64> = raw.collect();
        let shift = self.shift(&plane);
        *plane.last_mut().expect("a bias") -= shift;
        plane
    }

    /// Returns what the weights of a hyperplane make of the centre.
    fn shift(&self, plane: &[f64]) -> f64 {
        let columns = self.scale.len() - 1;
        plane[..columns].iter().zip(&self.centre).map(|(w, c)| w * c).sum()
    }

    /// Returns the weights of raw rows, given those of rows as they are seen.
    pub fn raw_weights(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.lengths).map(|(l, length)| l / length).collect()
    }
}

/// Returns two powers of two whose product makes a number about 1, or less: one float does not reach from the smallest to that.
fn scaling(largest: f64) -> [f64; 2] {
    if largest == 0.0 {
        return [0.0; 2];
    }
    let (mantissa, exponent_of) = parts(largest);
    let exponent = exponent_of + mantissa.unsigned_abs().ilog2() as i32 + 1;
    let near = exponent.clamp(-1000, 1000);
    [near, exponent - near].map(|e| power_of_two(-e))
}

#[cfg(test)]
mod tests {
    use super::super::super::solvers::newton::LogisticNewton;
    use super::*;
    use crate::kernels::Arithmetic;
    use crate::lift::Rows;
    use linsep_data::hash::draw;

    #[test]
    fn hyperplanes_go_there_and_back() {
        // Far from zero, of different sizes, and one that is zero everywhere.
        let values = [100.0, 1e5, 0.0, 101.0, -1e5, 0.0, 99.0, 3e5, 0.0, 98.0, 0.0, 0.0];
        let samples = Samples::dense(values.to_vec(), 3, vec![true, false, true, false]).unwrap();
        let (view, rows) = Conditioning::of(&samples).unwrap();
        let NewtonRows::Dense { values, dimension: 4 } = &rows else { panic!() };
        let plane = [2.0, -1e-3, 0.0, 7.0];
        let seen = view.seen(&plane);
        for (found, expected) in view.raw(&seen).iter().zip(plane) {
            assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
        }
        // Scores differ by a positive factor per row.
        let raw = Rows::lifted(&samples);
        for (i, row) in values.chunks(4).enumerate() {
            let times = f64::dot(row, &seen) / raw.score(i, &plane);
            assert!((times * view.lengths[i] / samples.norms()[i] - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn numbers_of_any_size_are_seen_alike() {
        let column = [1.0, -3.0, 2.0, 5.0, 4.0, -2.0];
        for size in [1.0, 1e-320, 1e300, 1e-300] {
            let labels = vec![true, false, true, false, false, true];
            let values = column.iter().map(|v| v * size).collect();
            let samples = Samples::dense(values, 1, labels).unwrap();
            let (_, rows) = Conditioning::of(&samples).unwrap();
            let NewtonRows::Dense { values, .. } = rows else { panic!() };
            assert!(values.iter().all(|v| v.abs() < 10.0 && v.abs() > 1e-3), "{size}: {values:?}");
        }
    }

    #[test]
    fn weights_of_rows_as_they_are_seen_are_those_of_raw_rows() {
        let mut state = 5;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let (count, columns) = (400, 20);
        let w: Vec<f64> = (0..columns).map(|_| number()).collect();
        let (mut values, mut labels) = (vec![], vec![]);
        for i in 0..count {
            let x: Vec<f64> = (0..columns).map(|_| number()).collect();
            labels.push((f64::dot(&x, &w) > 0.0) != (i < 8));
            values.extend(x.iter().enumerate().map(|(k, x)| (x + 100.0) * (k + 1) as f64));
        }
        let samples = Samples::dense(values, columns, labels).unwrap();
        let (view, rows) = Conditioning::of(&samples).unwrap();
        let mut newton = LogisticNewton::new(rows, None);
        newton.run(&|| false);
        let weights = view.raw_weights(&newton.weights());
        let found = linsep_proof::definite::definite(&samples, &weights, &[], &[], &|| false);
        assert_eq!(found, Ok(()));
    }
}
