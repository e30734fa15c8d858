//! A bound on the rank of rows, from arithmetic modulo a prime.

use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};
use rayon::prelude::*;

use crate::exact::{Row, parts};
use linsep_data::Halt;

/// A vector modulo a prime.
pub type Residues = Vec<u64>;

/// Arithmetic modulo the prime 2^q - 1, modulo which 2^q is 1: a power of two is a shift.
#[derive(Clone, Copy, Debug)]
pub struct Mersenne(u32);

/// The primes, the best first: the second is for numbers that the first divides.
pub const PRIMES: [Mersenne; 2] = [Mersenne(61), Mersenne(31)];

/// Rows that are taken out of all others at a time.
const PANEL: usize = 16;

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

    /// Returns the rank modulo the prime.
    #[cfg(test)]
    fn rank(self, rows: Vec<Residues>) -> usize {
        self.rank_until(rows, &|| false).expect("nothing halts it")
    }

    /// Returns the rank modulo the prime, which the true rank is not below: a minor that is not zero
    /// modulo the prime is not zero. Costs order rows · columns · rank.
    /// Nothing if it was halted.
    ///
    /// Gaussian elimination, some rows at a time: these are made such that each has a one where all others
    /// of them have a zero, so that one sum of their multiples takes all of these places out of a row.
    pub fn rank_until(self, mut rows: Vec<Residues>, halt: Halt) -> Option<usize> {
        let mut rank = 0;
        while !rows.is_empty() {
            if halt() {
                return None;
            }
            let mut panel: Vec<(usize, Residues)> = vec![];
            while panel.len() < PANEL {
                let Some(mut row) = rows.pop() else { break };
                self.clear(&mut row, &panel);
                let Some(column) = row.iter().position(|&v| v != 0) else { continue };
                let inverse = self.power(row[column], self.prime() - 2);
                row.iter_mut().for_each(|v| *v = self.product(*v, inverse));
                let own = [(column, row)];
                panel.iter_mut().for_each(|(_, earlier)| self.clear(earlier, &own));
                panel.extend(own);
            }
            rank += panel.len();
            if panel.first().is_none_or(|(_, row)| rank == row.len()) {
                break;
            }
            rows.par_iter_mut().with_min_len(16).for_each(|row| self.clear(row, &panel));
        }
        Some(rank)
    }

    /// Takes the places of the panel out of a row.
    fn clear(self, row: &mut [u64], panel: &[(usize, Residues)]) {
        let p = self.prime();
        let used = panel.iter().filter(|(column, _)| row[*column] != 0);
        let used: Vec<(u64, &[u64])> =
            used.map(|(column, other)| (p - row[*column], &other[..])).collect();
        for (j, v) in row.iter_mut().enumerate() {
            // Sixteen products below 2^122 and one number more fit 128 bits.
            let sum = used.iter().fold(u128::from(*v), |sum, (factor, other)| {
                sum + u128::from(*factor) * u128::from(other[j])
            });
            *v = self.folded(sum);
        }
    }

    fn product(self, a: u64, b: u64) -> u64 {
        let wide = u128::from(a) * u128::from(b);
        // 2^q is 1, so the high part counts once. With a and b below p it is below p - 1, and the low part
        // is at most p.
        self.reduced((wide as u64 & self.prime()) + (wide >> self.0) as u64)
    }

    /// Returns a number modulo the prime: 2^q is 1, so its parts of q bits are added up.
    fn folded(self, mut value: u128) -> u64 {
        let p = u128::from(self.prime());
        while value > p {
            value = (value & p) + (value >> self.0);
        }
        self.reduced(value as u64)
    }

    /// Returns a number below 2 p modulo p.
    fn reduced(self, value: u64) -> u64 {
        let p = self.prime();
        if value >= p { value - p } else { value }
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
    fn ranks_that_are_known() {
        // Sums of r random rows, more than a panel of them, and the rows themselves.
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from((state >> 40) as u32)
        };
        for (rank, rows, columns) in [(5, 9, 30), (16, 40, 20), (17, 60, 40), (50, 90, 49)] {
            let first: Vec<Vec<f64>> =
                (0..rank).map(|_| (0..columns).map(|_| number()).collect()).collect();
            let sum = |i: usize| -> Vec<f64> {
                let (a, b) = (&first[i % rank], &first[(i * i + 1) % rank]);
                a.iter().zip(b).map(|(a, b)| a + b).collect()
            };
            let all: Vec<Vec<f64>> = first.iter().cloned().chain((rank..rows).map(sum)).collect();
            // A sum of two rows (x, 1) has a 2 at the end, which only half of it makes a row.
            let halves: Vec<Vec<f64>> =
                all.iter().map(|row| row.iter().map(|v| v / 2.0).collect()).collect();
            let exact: Vec<&[f64]> =
                all[..rank].iter().chain(&halves[rank..]).map(|v| &v[..]).collect();
            check(&exact, rank);
        }
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
