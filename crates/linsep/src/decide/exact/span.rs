//! What rows leave free: integer vectors that are orthogonal to all of them.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};
use rayon::prelude::*;

use super::Halt;
use super::equations::{EquationEntry, Equations, Shifted};
use super::integers::dot;
use super::lifting::null_vector;
use super::modular::{Elimination, PRIMES, Prime};
use super::reconstruct::fraction;

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

fn solution_in<T: EquationEntry>(rows: &[Vec<IBig>], halt: Halt) -> Option<Vec<IBig>> {
    let equations = Equations::<T>::of_rows(rows, rows[0].len());
    // A prime that makes independent rows dependent is a bad one; rank is never too high.
    PRIMES.into_iter().find_map(|prime| {
        let elimination = Elimination::new(&equations, Prime(prime), halt)?;
        if elimination.nullity() == 1 { null_vector(&equations, &elimination, halt) } else { None }
    })
}
