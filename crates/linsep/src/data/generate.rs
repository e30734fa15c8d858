//! The paper's synthetic data: separable, with a small margin and an offset (section 5).
//!
//! A normal vector, the samples and a shift are drawn uniformly from (-1, 1) in every coordinate;
//! a sample is positive if it lies on the side to which the normal points; then all samples are
//! moved by the shift.
//!
//! Each row has a random stream of its own, so any part of the data can be made on any thread and
//! a seed gives the same data for ever. The generator is xoshiro256++. Labels are taken after
//! rounding, so the data is separable in the numbers as they are stored.

use std::ops::Range;

use linsep_data::error::Error;
use linsep_data::samples::Element;
use linsep_data::samples::{Dense, Features, Samples};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::kernels::power_of_two;

/// Makes the paper's data, whole or in parts.
///
/// ```
/// use linsep::data::generate::Generator;
///
/// let samples = Generator::new(1000, 20, 1).samples::<f64>()?;
/// assert_eq!((samples.rows(), samples.columns()), (1000, 20));
/// # Ok::<(), linsep::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    rows: usize,
    features: usize,
    seed: u64,
    normal: Vec<f64>,
    shift: Vec<f64>,
}

/// A number type that data can be generated in.
pub trait Generated: Element {
    /// Returns the value rounded to this type.
    fn rounded(value: f64) -> Self;
}

impl Generated for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Generated for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }
}

impl Generator {
    /// Returns the generator of data of this size for this seed.
    pub fn new(rows: usize, features: usize, seed: u64) -> Self {
        // Stream 0 is the normal and the shift; row i has stream i + 1.
        let mut random = stream(seed, 0);
        let mut draw = || (0..features).map(|_| uniform(&mut random)).collect::<Vec<f64>>();
        let (normal, shift) = (draw(), draw());
        Generator { rows, features, seed, normal, shift }
    }

    /// Returns the generator with its shift made longer or shorter by `factor`, which is finite: 0 leaves the
    /// hyperplane at the origin. The paper does not say how long its shift is. Normal and samples stay the same.
    pub fn with_shift(mut self, factor: f64) -> Self {
        self.shift.iter_mut().for_each(|value| *value *= factor);
        self
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of features.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Writes the rows in `range` one after the other to `values`, and whether each is positive to
    /// `positive`.
    pub fn fill<T: Generated>(&self, range: Range<usize>, values: &mut [T], positive: &mut [bool]) {
        values
            .par_chunks_mut(self.features.max(1))
            .zip(positive.par_iter_mut())
            .zip(range)
            .with_min_len(1 + (1 << 14) / self.features.max(1))
            .for_each(|((row, positive), i)| *positive = self.fill_row(i, row));
    }

    fn fill_row<T: Generated>(&self, i: usize, row: &mut [T]) -> bool {
        let mut random = stream(self.seed, i as u64 + 1);
        // Rounding of the sum below; a sample this close to the hyperplane is drawn again.
        let tolerance = self.features as f64 * power_of_two(-50);
        loop {
            for (value, shift) in row.iter_mut().zip(&self.shift) {
                *value = T::rounded(uniform(&mut random) + shift);
            }
            let terms = self.normal.iter().zip(row.iter().zip(&self.shift));
            let side: f64 = terms.map(|(n, (v, s))| n * (v.widen() - s)).sum();
            if side.abs() > tolerance {
                return side > 0.0;
            }
        }
    }

    /// Returns all rows.
    ///
    /// Errors if there is no row, no feature, or by chance only one class.
    pub fn samples<T: Generated>(&self) -> Result<Samples, Error>
    where
        Features: From<Dense<T>>,
    {
        let mut values = vec![T::default(); self.rows * self.features];
        let mut positive = vec![false; self.rows];
        self.fill(0..self.rows, &mut values, &mut positive);
        Samples::dense(values, self.features, positive)
    }
}

fn stream(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    // Distinct for distinct numbers: multiplication by an odd constant is a bijection.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95))
}

/// Returns a uniform number in the open interval (-1, 1).
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    // An odd multiple of 2^-53, so neither end is ever reached.
    ((random.next_u64() >> 11) | 1) as f64 * power_of_two(-52) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Arithmetic, RowArithmetic};

    fn check<T: Generated + Arithmetic>()
    where
        Features: From<Dense<T>>,
    {
        let generator = Generator::new(500, 7, 42);
        let samples = generator.samples::<T>().unwrap();
        let bias: f64 = generator.normal.iter().zip(&generator.shift).map(|(n, s)| n * s).sum();
        for (i, &positive) in samples.positive().iter().enumerate() {
            let side = samples.features().dot(i, &generator.normal) - bias;
            assert_eq!(side > 0.0, positive);
        }
        let (mut part, mut labels) = (vec![T::default(); 21], vec![false; 3]);
        generator.fill(100..103, &mut part, &mut labels);
        assert_eq!(labels, samples.positive()[100..103]);
        let w = vec![1.0; 7];
        assert_eq!(T::dot(&w, &part[7..14]), samples.features().dot(101, &w));
    }

    #[test]
    fn the_hidden_hyperplane_separates_and_parts_agree_with_the_whole() {
        check::<f64>();
        check::<f32>();
    }

    #[test]
    fn another_shift_moves_the_same_samples() {
        let rows = |factor: f64| {
            let (mut values, mut positive) = (vec![0.0_f64; 60], vec![false; 20]);
            Generator::new(20, 3, 5).with_shift(factor).fill(0..20, &mut values, &mut positive);
            (values, positive)
        };
        let (still, moved, far) = (rows(0.0), rows(1.0), rows(3.0));
        assert!(still.0.iter().all(|v| v.abs() < 1.0) && still.1 == far.1);
        assert_eq!(moved.0[..2], {
            let mut values = vec![0.0_f64; 3];
            Generator::new(20, 3, 5).fill(0..1, &mut values, &mut [false]);
            [values[0], values[1]]
        });
        for ((still, moved), far) in still.0.iter().zip(&moved.0).zip(&far.0) {
            assert!(((far - still) - 3.0 * (moved - still)).abs() < 1e-14);
        }
    }

    #[test]
    fn a_seed_gives_the_same_data_for_ever() {
        let mut values = vec![0.0; 2];
        Generator::new(2, 2, 1).fill(1..2, &mut values, &mut [false]);
        assert_eq!(values, [-1.1335151279190043, -0.20959761374260344]);
    }
}
