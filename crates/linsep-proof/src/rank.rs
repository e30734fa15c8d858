//! A bound on the rank of rows, from arithmetic modulo a prime.

use dashu_int::ops::UnsignedAbs;
use dashu_int::{IBig, UBig};
use rayon::prelude::*;

use crate::exact::{Row, parts};

/// The prime 2^61 - 1, modulo which 2^61 is 1: a power of two is a shift.
const P: u64 = (1 << 61) - 1;

/// A vector modulo the prime.
pub type Residues = Vec<u64>;

/// Returns (x, 1) modulo the prime. A float is an integer times a power of two, of either sign, and
/// two has an inverse.
pub fn row_residues(row: Row, columns: usize) -> Residues {
    let mut residues = vec![0; columns + 1];
    row.for_each(|k, x| {
        let (mantissa, exponent) = parts(x);
        let residue = product(mantissa.unsigned_abs() % P, 1 << exponent.rem_euclid(61));
        residues[k] = if mantissa < 0 { (P - residue) % P } else { residue };
    });
    residues[columns] = 1;
    residues
}

/// Returns integers modulo the prime.
pub fn integer_residues(values: &[IBig]) -> Residues {
    let residue = |value: &IBig| {
        let magnitude: UBig = value.unsigned_abs() % UBig::from(P);
        let residue = u64::try_from(magnitude).expect("below the prime");
        if *value < IBig::ZERO { (P - residue) % P } else { residue }
    };
    values.iter().map(residue).collect()
}

/// Returns the rank modulo the prime, which the true rank is not below: a minor that is not zero
/// modulo the prime is not zero. Costs order rows · columns · rank.
pub fn rank(mut rows: Vec<Residues>) -> usize {
    let mut rank = 0;
    while let Some(mut pivot) = rows.pop() {
        let Some(column) = pivot.iter().position(|&v| v != 0) else {
            continue;
        };
        rank += 1;
        let inverse = power(pivot[column], P - 2);
        pivot.iter_mut().for_each(|v| *v = product(*v, inverse));
        rows.par_iter_mut().with_min_len(16).for_each(|row| {
            let factor = P - row[column];
            if factor != P {
                for (v, p) in row.iter_mut().zip(&pivot) {
                    *v = (*v + product(factor, *p)) % P;
                }
            }
        });
    }
    rank
}

fn product(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    // 2^61 is 1, so the high part counts once; twice is enough for 122 bits.
    ((wide as u64 & P) + (wide >> 61) as u64) % P
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&[f64]], expected: usize) {
        let columns = rows[0].len();
        let residues = rows.iter().map(|row| row_residues(Row::Dense64(row), columns));
        assert_eq!(rank(residues.collect()), expected);
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
        assert_eq!(row_residues(Row::Dense64(&floats), 7), integer_residues(&integers));
        let negative = IBig::from(-5);
        let multiple = IBig::from(P) * IBig::from(7);
        assert_eq!(integer_residues(&[negative, multiple]), [P - 5, 0]);
    }
}
