//! A bound on the rank of rows, from arithmetic modulo a prime.

use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};
use rayon::prelude::*;

use crate::exact::{Row, parts};

/// A vector modulo a prime.
pub type Residues = Vec<u64>;

/// Arithmetic modulo the prime 2^q - 1, modulo which 2^q is 1: a power of two is a shift.
#[derive(Clone, Copy, Debug)]
pub struct Mersenne(u32);

/// The primes, the best first: the second is for numbers that the first divides.
pub const PRIMES: [Mersenne; 2] = [Mersenne(61), Mersenne(31)];

impl Mersenne {
    fn prime(self) -> u64 {
        (1 << self.0) - 1
    }

    /// Returns (x, 1) modulo the prime. A float is an integer times a power of two, of either sign, and
    /// two has an inverse.
    pub fn row(self, row: Row, columns: usize) -> Residues {
        let p = self.prime();
        let mut residues = vec![0; columns + 1];
        row.for_each(|k, x| {
            let (mantissa, exponent) = parts(x);
            let power = 1 << exponent.rem_euclid(self.0 as i32);
            let residue = self.product(mantissa.unsigned_abs() % p, power);
            residues[k] = if mantissa < 0 { (p - residue) % p } else { residue };
        });
        residues[columns] = 1;
        residues
    }

    /// Returns integers modulo the prime.
    pub fn integers(self, values: &[IBig]) -> Residues {
        let p = self.prime();
        let residue = |value: &IBig| {
            let magnitude: UBig = value.unsigned_abs() % UBig::from(p);
            let residue = u64::try_from(magnitude).expect("below the prime");
            if *value < IBig::ZERO { (p - residue) % p } else { residue }
        };
        values.iter().map(residue).collect()
    }

    /// Returns the rank modulo the prime, which the true rank is not below: a minor that is not zero
    /// modulo the prime is not zero. Costs order rows · columns · rank.
    pub fn rank(self, mut rows: Vec<Residues>) -> usize {
        let p = self.prime();
        let mut rank = 0;
        while let Some(mut pivot) = rows.pop() {
            let Some(column) = pivot.iter().position(|&v| v != 0) else {
                continue;
            };
            rank += 1;
            let inverse = self.power(pivot[column], p - 2);
            pivot.iter_mut().for_each(|v| *v = self.product(*v, inverse));
            rows.par_iter_mut().with_min_len(16).for_each(|row| {
                let factor = p - row[column];
                if factor != p {
                    for (v, pivot) in row.iter_mut().zip(&pivot) {
                        *v = (*v + self.product(factor, *pivot)) % p;
                    }
                }
            });
        }
        rank
    }

    fn product(self, a: u64, b: u64) -> u64 {
        let (p, wide) = (self.prime(), u128::from(a) * u128::from(b));
        // 2^q is 1, so the high part counts once; twice is enough for 2 q bits.
        ((wide as u64 & p) + (wide >> self.0) as u64) % p
    }

    fn power(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.product(result, base);
            }
            base = self.product(base, base);
            exponent >>= 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&[f64]], expected: usize) {
        let columns = rows[0].len();
        for field in PRIMES {
            let residues = rows.iter().map(|row| field.row(Row::Dense64(row), columns));
            assert_eq!(field.rank(residues.collect()), expected, "{field:?}");
        }
    }

    #[test]
    fn ranks_of_floats_of_any_size() {
        check(&[&[1.0], &[1.0]], 1);
        check(&[&[1.0], &[1.0 + f64::EPSILON]], 2);
        check(&[&[0.0], &[f64::from_bits(1)]], 2);
        check(&[&[1e300, -1e-300], &[1e300, 1e-300], &[1e300, 0.0]], 2);
        check(&[&[0.1, 0.2], &[0.2, 0.4], &[0.4, 0.8]], 2);
        check(&[&[0.1, 0.2], &[0.2, 0.4], &[0.3, 0.7]], 3);
        check(&[&[0.0, 0.0, 0.0]], 1);
    }

    #[test]
    fn integers_and_floats_have_the_same_residues() {
        let values = [0, 1, -1, 3, -(1 << 53), (1 << 53) - 1, 12345];
        let floats: Vec<f64> = values.iter().map(|&v| v as f64).collect();
        let mut integers: Vec<IBig> = values.iter().map(|&v: &i64| v.into()).collect();
        integers.push(IBig::ONE);
        for field in PRIMES {
            assert_eq!(field.row(Row::Dense64(&floats), 7), field.integers(&integers));
            let negative = IBig::from(-5);
            let multiple = IBig::from(field.prime()) * IBig::from(7);
            assert_eq!(field.integers(&[negative, multiple]), [field.prime() - 5, 0]);
        }
    }
}
