//! What rows leave free: integer vectors that are orthogonal to all of them.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};
use linsep_data::Features;
use linsep_proof::exact::{ExactPlane, Row};
use rayon::prelude::*;

use super::Halt;
use super::equations::{Entry, Equations, Shifted};
use super::integers::{dot, integer_features, nullspace};
use super::lifting::null_vector;
use super::modular::{Elimination, PRIMES, Prime};
use super::reconstruct::fraction;

/// Returns, for each column, whether its unit vector is a combination of these rows: exactly if every
/// vector to which all of them are orthogonal is zero there.
///
/// Elimination modulo a prime says which rows are independent. It may miss some, and never names too
/// many; so all rows are then held against what the named ones leave free, in integers, and one that is
/// not orthogonal to it is named as well.
///
/// Cost: a look at the rows modulo a prime; with c columns and rank r < c, c - r exact looks as well.
/// Returns nothing if the work was halted.
pub fn determined(features: &Features, rows: &[usize], halt: Halt) -> Option<Vec<bool>> {
    let columns = features.columns();
    let elimination = Elimination::of_rows(features, rows, Prime(PRIMES[0]), halt)?;
    let mut named: Vec<usize> = elimination.equations.iter().map(|&at| rows[at]).collect();
    while named.len() < columns {
        let integers: Vec<_> = named.iter().map(|&i| integer_features(features, i)).collect();
        // Rows that are independent may not be so modulo the prime.
        let free =
            orthogonal(&integers, columns, halt).or_else(|| nullspace(integers, columns, halt))?;
        match first_not_orthogonal(features, rows, &free) {
            Some(row) => named.push(row),
            None => {
                let known = |k: usize| free.iter().all(|v| v[k].is_zero());
                return Some((0..columns).map(known).collect());
            }
        }
    }
    Some(vec![true; columns])
}

/// Returns the first of the rows that is not orthogonal to all vectors.
fn first_not_orthogonal(
    features: &Features,
    rows: &[usize],
    vectors: &[Vec<IBig>],
) -> Option<usize> {
    let bias = IBig::ZERO;
    let planes: Vec<_> = vectors.iter().map(|v| ExactPlane::new(v, &bias)).collect();
    let strict = |&&i: &&usize| {
        let row = Row::of(features, i);
        planes.iter().any(|plane| plane.sign(row) != Ordering::Equal)
    };
    rows.par_iter().find_first(strict).copied()
}

/// Returns integer vectors that span all that is orthogonal to independent rows; nothing if they are
/// not independent, as far as can be told modulo a prime, or if the work was halted.
pub fn orthogonal(rows: &[Vec<IBig>], dimension: usize, halt: Halt) -> Option<Vec<Vec<IBig>>> {
    let equations = Equations::<IBig>::of_rows(rows, dimension);
    let elimination = Elimination::new(&equations, Prime(PRIMES[0]), halt)?;
    if elimination.rank() != rows.len() {
        return None;
    }
    let (determined, free) = elimination.unknowns.split_at(elimination.rank());
    let vector = |&column: &usize| {
        if halt() {
            return None;
        }
        simple(rows, &elimination, column, dimension).or_else(|| {
            let mut columns = determined.to_vec();
            columns.push(column);
            let restricted: Vec<Vec<IBig>> =
                rows.iter().map(|row| columns.iter().map(|&k| row[k].clone()).collect()).collect();
            let values = solution(&restricted, halt)?;
            let mut vector = vec![IBig::ZERO; dimension];
            columns.into_iter().zip(values).for_each(|(k, v)| vector[k] = v);
            Some(vector)
        })
    };
    free.par_iter().map(vector).collect()
}

/// Returns the vector with one free coordinate that is orthogonal to the rows, if it is simple enough
/// to be told from its residues modulo one prime: as those are that come of constant columns, and of
/// columns that add up to others.
fn simple(
    rows: &[Vec<IBig>],
    elimination: &Elimination,
    column: usize,
    dimension: usize,
) -> Option<Vec<IBig>> {
    let prime = elimination.prime.0;
    let mut residues: Vec<u64> =
        elimination.equations.iter().map(|&row| (-&rows[row][column]).modulo(prime)).collect();
    elimination.solve(&mut residues);
    let fractions: Vec<(IBig, IBig)> = residues
        .iter()
        .map(|&v| fraction(&v.into(), &prime.into()).map(|(n, d)| (n, d.into())))
        .collect::<Option<_>>()?;
    let common = fractions.iter().fold(IBig::ONE, |common, (_, d)| {
        let gcd = IBig::from((&common).gcd(d));
        common * d / gcd
    });
    let mut vector = vec![IBig::ZERO; dimension];
    for (&unknown, (n, d)) in elimination.unknowns.iter().zip(&fractions) {
        vector[unknown] = n * (&common / d);
    }
    vector[column] = common;
    rows.iter().all(|row| dot(row, &vector) == IBig::ZERO).then_some(vector)
}

/// Returns the integers that all rows are orthogonal to, if they are one vector up to its scale.
pub fn solution(rows: &[Vec<IBig>], halt: Halt) -> Option<Vec<IBig>> {
    let bits = rows.iter().flatten().map(BitTest::bit_len).max().unwrap_or(0);
    match bits {
        0..=62 => solution_in::<i64>(rows, halt),
        63..=110 => solution_in::<i128>(rows, halt),
        _ if rows.iter().flatten().all(Shifted::holds) => solution_in::<Shifted>(rows, halt),
        _ => solution_in::<IBig>(rows, halt),
    }
}

fn solution_in<T: Entry>(rows: &[Vec<IBig>], halt: Halt) -> Option<Vec<IBig>> {
    let equations = Equations::<T>::of_rows(rows, rows[0].len());
    // A prime that makes independent rows dependent is a bad one; rank is never too high.
    PRIMES.into_iter().find_map(|prime| {
        let elimination = Elimination::new(&equations, Prime(prime), halt)?;
        if elimination.nullity() == 1 { null_vector(&equations, &elimination, halt) } else { None }
    })
}

#[cfg(test)]
mod tests {
    use linsep_data::samples::Dense;

    use super::*;

    fn check(rows: &[&[f64]], expected: &str) {
        let columns = expected.len();
        let features = Features::from(Dense::new(rows.concat(), rows.len(), columns));
        let all: Vec<usize> = (0..rows.len()).collect();
        assert!(rows.is_empty() || determined(&features, &all, &|| true).is_none());
        let found = determined(&features, &all, &|| false).unwrap();
        let found: String = found.iter().map(|&known| if known { 'x' } else { '-' }).collect();
        assert_eq!(found, expected, "{rows:?}");
    }

    #[test]
    fn which_unit_vectors_rows_span() {
        check(&[], "--");
        check(&[&[0.0, 0.0]], "--");
        check(&[&[1.0, 2.0], &[2.0, 4.0]], "--");
        check(&[&[0.0, 5.0, 0.0], &[1.0, 1.0, 1.0]], "-x-");
        check(&[&[1.0, 0.0, 1.0], &[0.0, 1.0, 1.0], &[1.0, 1.0, 3.0]], "xxx");
    }

    #[test]
    fn floats_are_taken_as_they_are() {
        check(&[&[0.1, 0.2, 1e-300], &[0.2, 0.4, 2e-300]], "---");
        check(&[&[1.0, 2.0], &[2.0, 4.0 + 2f64.powi(-50)]], "xx");
        check(&[&[1.0, 2.0], &[2.0, 4.0 + 2f64.powi(-49)], &[1e300, 5e-324]], "xx");
        // 0.1 (1, 2, 3) and (0.1, 0.2, 0.3) differ, at the end alone.
        check(&[&[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]], "--x");
        check(&[&[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3], &[1.0, 1.0, 2.0]], "xxx");
        check(&[&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0], &[1.0, 1.0, 2.0]], "---");
    }

    #[test]
    fn no_prime_fools_it() {
        // Rows (1, -h) and (1, l) are independent, and not so modulo the prime h + l.
        for prime in PRIMES.into_iter().chain([(1 << 31) - 1, (1 << 31) - 19, (1 << 61) - 1]) {
            let (low, high) = (prime & ((1 << 20) - 1), prime >> 20 << 20);
            let (low, high) = (low as f64, high as f64);
            check(&[&[1.0, -high], &[1.0, low]], "xx");
            check(&[&[1.0, -high, 0.0], &[1.0, low, 0.0], &[2.0, 0.0, 0.0]], "xx-");
            check(&[&[0.0, 1.0, -high], &[0.0, 1.0, low]], "-xx");
        }
    }
}
