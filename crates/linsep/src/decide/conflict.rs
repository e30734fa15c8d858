//! The exact conflict of a set of rows.
//!
//! ```text
//! Given rows i, find integers lambda_i >= 0, not all zero, with
//!
//!     sum_i lambda_i y_i (x_i, 1) = 0
//!
//! exactly, in the f64 values as they are. By Gordan's theorem no hyperplane then has all these rows
//! on their sides: w·x + b is a w' with w'·y_i (x_i, 1) > 0 for all i, and the sum would be
//! positive.
//!
//!     1. make each coordinate an equation with integer entries              exact/equations.rs
//!     2. eliminate modulo a prime: the rank, and how many unknowns are free  exact/modular.rs
//!     3. none free: independent, and no such lambda exists
//!        several: leave rows out, guided by approximate weights, until one is free    vertex.rs
//!     4. solve exactly for the one solution there is, up to its scale        exact/lifting.rs
//!     5. all of one sign: a proof. Both signs: say which rows are in the way
//!
//! It returns a proof only after all equations were checked in integers. Another prime is tried
//! when the check fails, which is a chance of about k / 2^58.
//! ```

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};
use linsep_data::Samples;

use super::exact::equations::{Entry, Equations, Scale};
use super::exact::lifting::null_vector;
use super::exact::modular::{Elimination, PRIMES, Prime};
use super::vertex;
use crate::lift::Rows;

/// What exact arithmetic says of a set of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The rows, from 0 and rising, and positive multipliers with no common divisor such that
    /// sum lambda_i y_i (x_i, 1) = 0: a proof that the rows are not separable. Rows that are not
    /// needed are left out.
    Proven(Vec<(usize, UBig)>),
    /// The vectors y (x, 1) are linearly independent: no combination of them is zero, and the
    /// rows are separable.
    Independent,
    /// Some combination is zero, but the one that was found has both signs.
    MixedSigns {
        /// The rows, rising, whose multiplier has the sign that fewer have, by approximate weight:
        /// those to drop or to exchange. None if no prime would do, which is not to be expected.
        wrong: Vec<usize>,
        /// How many independent combinations of all rows are zero. If it is 1 there is no other
        /// combination than the one found, and the rows are separable or quasi-separable.
        nullity: usize,
    },
}

/// Returns the conflict of the given rows: positive integers that combine their y (x, 1) to zero.
///
/// `approximate` has the weights of the lifted rows y (x, 1) / ‖(x, 1)‖ in a combination that is
/// nearly zero. They choose among the conflicts when there are several; where there is one, it is
/// found whatever they are. A row that is named twice counts once.
///
/// Costs O(k^3) word operations for k rows, entries of a word, and up to a few thousand features:
/// a fraction of a second for 600 rows of pixels.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::conflict::{Conflict, solve};
///
/// // XOR: both positive points and both negative ones have the same middle.
/// let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
/// let samples = Samples::dense(x, 2, vec![true, true, false, false])?;
/// let Conflict::Proven(lambda) = solve(&samples, &[0, 1, 2, 3], &[0.25; 4]) else { panic!() };
/// assert!(lambda.iter().all(|(_, multiplier)| multiplier.is_one()));
/// # Ok::<(), linsep::Error>(())
/// ```
///
/// # Panics
/// If there is not one weight a row, or if a row does not exist.
pub fn solve(samples: &Samples, rows: &[usize], approximate: &[f64]) -> Conflict {
    assert_eq!(rows.len(), approximate.len(), "one weight a row");
    let mut named: Vec<(usize, f64)> =
        rows.iter().zip(approximate).map(|(&row, &weight)| (row, weight)).collect();
    named.sort_by_key(|&(row, _)| row);
    named.dedup_by(|again, first| {
        let same = again.0 == first.0;
        if same {
            first.1 += again.1;
        }
        same
    });
    let (rows, weights): (Vec<usize>, Vec<f64>) = named.into_iter().unzip();
    let scale = Scale::new(samples, &rows);
    // Sums of an entry a row must fit 127 bits in the first two.
    match scale.bits {
        ..=62 => solve_in::<i64>(samples, &rows, &weights, &scale),
        ..=110 => solve_in::<i128>(samples, &rows, &weights, &scale),
        _ => solve_in::<IBig>(samples, &rows, &weights, &scale),
    }
}

/// Returns the conflict, computed with entries of the given type.
fn solve_in<T: Entry>(
    samples: &Samples,
    rows: &[usize],
    weights: &[f64],
    scale: &Scale,
) -> Conflict {
    let mut nullity = 0;
    for p in PRIMES {
        let equations = Equations::<T>::new(samples, rows, scale);
        let elimination = Elimination::new(&equations, Prime(p));
        nullity = elimination.nullity();
        let found = match nullity {
            0 => return Conflict::Independent,
            1 => null_vector(&equations, &elimination).map(|vector| (rows.to_vec(), vector)),
            _ => fewer(samples, rows, weights, scale, &equations, &elimination),
        };
        if let Some((kept, vector)) = found {
            let weight = |row| weights[rows.binary_search(&row).expect("one of the rows")];
            return judge(&kept, vector, weight, nullity);
        }
    }
    Conflict::MixedSigns { wrong: vec![], nullity }
}

/// Returns some of the rows, which leave one unknown free, and their solution, or nothing if the
/// prime was a bad one.
fn fewer<T: Entry>(
    samples: &Samples,
    rows: &[usize],
    weights: &[f64],
    scale: &Scale,
    equations: &Equations<T>,
    elimination: &Elimination,
) -> Option<(Vec<usize>, Vec<IBig>)> {
    let lifted = Rows::lifted(samples);
    let mut at = vec![usize::MAX; lifted.dimension()];
    for (t, &equation) in elimination.equations.iter().enumerate() {
        at[equations.coordinates[equation]] = t;
    }
    let mut matrix = vec![vec![0.0; rows.len()]; elimination.rank()];
    for (unknown, &row) in rows.iter().enumerate() {
        lifted.for_each(row, |c, value| {
            if at[c] != usize::MAX {
                matrix[at[c]][unknown] = value;
            }
        });
    }
    let kept = vertex::reduce(matrix, weights);
    let solution = |kept: &[usize]| {
        let rows: Vec<usize> = kept.iter().map(|&unknown| rows[unknown]).collect();
        let equations = Equations::<T>::new(samples, &rows, scale);
        let inner = Elimination::new(&equations, elimination.prime);
        match inner.nullity() {
            0 => None,
            1 => null_vector(&equations, &inner).map(|vector| (rows, vector)),
            _ => {
                let weights: Vec<f64> = kept.iter().map(|&unknown| weights[unknown]).collect();
                fewer(samples, &rows, &weights, scale, &equations, &inner)
            }
        }
    };
    // Rounding may have misled the reduction; the elimination knows rows that surely depend.
    solution(&kept).or_else(|| {
        let (determined, free) = elimination.unknowns.split_at(elimination.rank());
        let heaviest = free.iter().max_by(|&&a, &&b| weights[a].total_cmp(&weights[b]));
        let mut kept: Vec<usize> = determined.iter().chain(heaviest).copied().collect();
        kept.sort_unstable();
        solution(&kept)
    })
}

/// Returns the proof if all integers have one sign, else the rows of the lighter sign.
fn judge(
    rows: &[usize],
    vector: Vec<IBig>,
    weight: impl Fn(usize) -> f64,
    nullity: usize,
) -> Conflict {
    let mut sides: [(f64, Vec<usize>); 2] = [(0.0, vec![]), (0.0, vec![])];
    for (&row, value) in rows.iter().zip(&vector).filter(|(_, value)| !value.is_zero()) {
        let side = &mut sides[usize::from(value.sign() == Sign::Negative)];
        side.0 += weight(row);
        side.1.push(row);
    }
    let [positive, negative] = sides;
    if !positive.1.is_empty() && !negative.1.is_empty() {
        let lighter = if negative.0 <= positive.0 { negative } else { positive };
        return Conflict::MixedSigns { wrong: lighter.1, nullity };
    }
    let mut multipliers: Vec<(usize, UBig)> = rows
        .iter()
        .zip(vector)
        .filter(|(_, value)| !value.is_zero())
        .map(|(&row, value)| (row, value.unsigned_abs()))
        .collect();
    let mut divisor = UBig::ZERO;
    for (_, multiplier) in &multipliers {
        divisor = divisor.gcd(multiplier);
        if divisor.is_one() {
            return Conflict::Proven(multipliers);
        }
    }
    multipliers.iter_mut().for_each(|(_, multiplier)| *multiplier /= &divisor);
    Conflict::Proven(multipliers)
}
