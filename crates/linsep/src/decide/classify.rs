//! After a conflict: inseparable, or quasi-separable?
//!
//! A conflict on rows S forces every weak separator to be zero on the span of S. What is left is the
//! same question in the complement of that span, for the rows that are not zero there:
//!
//! ```text
//! repeat   N = integer basis of the complement of the span of the face (at first S)
//!          r_i = N' z_i for all rows, exactly; rows with r_i = 0 lie in the span
//!          none is left: inseparable
//!          v with v·r_i > 0 for all that are left: w = N v is a weak separator: quasi-separable
//!          a conflict among the r_i: its rows join the face (see [`alternative`])
//! ```
//!
//! The face grows in rank each time, so this ends. It takes exact arithmetic on all rows and is for
//! data of moderate size. For larger data two cheap questions are asked: whether S spans everything
//! (rank modulo a prime, which is never too high), and whether a single feature separates weakly;
//! then floats look for the answer (see `complement.rs`).

use dashu_int::IBig;

use super::alternative::{self, Alternative};
use super::complement;
use super::conflict::rank;
use super::face::{dot, in_lowest_terms, integer_row, nullspace};
use crate::Samples;

/// Products of integers that the exact way may take.
const AFFORDABLE: usize = 30_000_000;
/// Dimensions up to which a basis of the complement is computed.
const DIMENSIONS: usize = 150;

/// Rounds after which an exact alternative is given up.
const ROUNDS: usize = 200;

/// What a conflict turned out to be.
pub enum Class {
    /// Not even weakly separable. The conflict spans all rows.
    Inseparable {
        /// The conflict.
        conflict: Vec<(usize, IBig)>,
        /// A basis of what all rows are orthogonal to.
        orthogonal: Vec<Vec<IBig>>,
    },
    /// Weakly separable, by these integers.
    QuasiSeparable {
        /// The conflict that rules a strict separator out.
        conflict: Vec<(usize, IBig)>,
        /// The weights of a weak separator.
        weights: Vec<IBig>,
        /// Its bias.
        bias: IBig,
    },
    /// Not strictly separable; whether weakly was too much work to find out.
    Unknown(Vec<(usize, IBig)>),
}

/// Returns what a proven conflict makes of the data; `halt` is asked now and then.
pub fn classify(samples: &Samples, conflict: Vec<(usize, IBig)>, halt: &dyn Fn() -> bool) -> Class {
    let (n, dimension) = (samples.rows(), samples.columns() + 1);
    // Rows that combine to zero have a rank below their number.
    if conflict.len() > dimension && spans_everything(samples, &conflict) {
        return Class::Inseparable { conflict, orthogonal: vec![] };
    }
    if dimension <= DIMENSIONS && n.saturating_mul(dimension) <= AFFORDABLE / dimension {
        return exactly(samples, conflict);
    }
    match single_feature(samples) {
        Some(mut weights) => {
            let bias = weights.pop().expect("a bias");
            Class::QuasiSeparable { conflict, weights, bias }
        }
        None => complement::classify(samples, conflict, halt),
    }
}

fn exactly(samples: &Samples, mut conflict: Vec<(usize, IBig)>) -> Class {
    let dimension = samples.columns() + 1;
    loop {
        let face = conflict.iter().map(|(i, _)| integer_row(samples, *i).0).collect();
        let basis = nullspace(face, dimension);
        let reduced: Vec<(usize, Vec<IBig>)> = (0..samples.rows())
            .map(|i| {
                let (row, _) = integer_row(samples, i);
                (i, basis.iter().map(|b| dot(b, &row)).collect::<Vec<IBig>>())
            })
            .filter(|(_, r)| r.iter().any(|v| *v != IBig::ZERO))
            .collect();
        if reduced.is_empty() {
            return Class::Inseparable { conflict, orthogonal: basis };
        }
        let (rows, vectors): (Vec<usize>, Vec<Vec<IBig>>) = reduced.into_iter().unzip();
        match alternative::decide(&vectors, &[0], ROUNDS) {
            None => return Class::Unknown(conflict),
            Some(Alternative::Separator(v)) => {
                let mut weights: Vec<IBig> = (0..dimension)
                    .map(|j| basis.iter().zip(&v).fold(IBig::ZERO, |sum, (b, v)| sum + &b[j] * v))
                    .collect();
                let bias = weights.pop().expect("a bias");
                return Class::QuasiSeparable { conflict, weights, bias };
            }
            Some(Alternative::Conflict(found)) => {
                let found: Vec<(usize, IBig)> =
                    found.into_iter().map(|(k, m)| (rows[k], m)).collect();
                match joined(samples, &conflict, &found) {
                    Some(larger) => conflict = larger,
                    None => return Class::Unknown(conflict),
                }
            }
        }
    }
}

/// Returns the conflict with the rows of a conflict in the complement added, exactly.
///
/// If sum mu_i r_i = 0, then sum mu_i z_i lies in the span of the face: with some nu_j, of either
/// sign, c sum mu_i z_i + sum nu_j z_j = 0. Enough of the old conflict makes all nu_j positive.
fn joined(
    samples: &Samples,
    conflict: &[(usize, IBig)],
    added: &[(usize, IBig)],
) -> Option<Vec<(usize, IBig)>> {
    let mut sum = vec![IBig::ZERO; samples.columns() + 1];
    for (i, mu) in added {
        let (row, _) = integer_row(samples, *i);
        sum.iter_mut().zip(row).for_each(|(s, v)| *s += mu * v);
    }
    // Unknowns nu and c: the columns of the system are the rows of the face, and the sum.
    let mut columns: Vec<Vec<IBig>> =
        conflict.iter().map(|(i, _)| integer_row(samples, *i).0).collect();
    columns.push(sum);
    let last = columns.len() - 1;
    let mut nu = nullspace(transposed(&columns), columns.len())
        .into_iter()
        .find(|v| v[last] != IBig::ZERO)?;
    if nu[last] < IBig::ZERO {
        nu.iter_mut().for_each(|v| *v = -&*v);
    }
    let c = nu.pop().expect("c");
    let old = for_integer_rows(samples, conflict);
    let times = nu.iter().zip(&old).fold(IBig::ONE, |times, (nu, old)| {
        let needed = -nu / old + IBig::ONE;
        if needed > times { needed } else { times }
    });
    let mut all: Vec<(usize, IBig)> = conflict
        .iter()
        .zip(nu.iter().zip(&old))
        .map(|((i, _), (nu, old))| (*i, nu + old * &times))
        .collect();
    all.extend(added.iter().map(|(i, mu)| (*i, mu * &c)));
    let mut shifts = vec![0; samples.rows()];
    all.iter().for_each(|(i, _)| shifts[*i] = integer_row(samples, *i).1);
    Some(for_raw_rows(&shifts, all))
}

fn transposed(columns: &[Vec<IBig>]) -> Vec<Vec<IBig>> {
    (0..columns[0].len()).map(|j| columns.iter().map(|c| c[j].clone()).collect()).collect()
}

/// Returns the multipliers of a conflict of raw rows for their integer forms.
fn for_integer_rows(samples: &Samples, conflict: &[(usize, IBig)]) -> Vec<IBig> {
    let shifts: Vec<i32> = conflict.iter().map(|(i, _)| integer_row(samples, *i).1).collect();
    let most = shifts.iter().copied().max().unwrap_or(0);
    conflict.iter().zip(shifts).map(|((_, m), s)| m << (most - s) as usize).collect()
}

/// Returns the multipliers of a conflict of integer rows for the raw ones: row i was multiplied by
/// 2^`shifts[i]`.
pub fn for_raw_rows(shifts: &[i32], mut conflict: Vec<(usize, IBig)>) -> Vec<(usize, IBig)> {
    conflict.sort_by_key(|(i, _)| *i);
    let least = conflict.iter().map(|(i, _)| shifts[*i]).min().unwrap_or(0);
    let (rows, multipliers): (Vec<usize>, Vec<IBig>) =
        conflict.into_iter().map(|(i, m)| (i, m << (shifts[i] - least) as usize)).unzip();
    rows.into_iter().zip(in_lowest_terms(multipliers)).collect()
}

/// Returns true if the rows of a conflict certainly span the whole space.
fn spans_everything(samples: &Samples, conflict: &[(usize, IBig)]) -> bool {
    let rows: Vec<usize> = conflict.iter().map(|(i, _)| *i).collect();
    rank(samples, &rows) == samples.columns() + 1
}

/// Returns a weak separator (weights and bias) that is a single feature, if there is one.
fn single_feature(samples: &Samples) -> Option<Vec<IBig>> {
    let columns = samples.columns();
    // Whether y x_k is ever positive, ever negative.
    let (mut above, mut below) = (vec![false; columns], vec![false; columns]);
    for (i, &positive) in samples.positive().iter().enumerate() {
        samples.features().for_each(i, |k, v| {
            above[k] |= if positive { v > 0.0 } else { v < 0.0 };
            below[k] |= if positive { v < 0.0 } else { v > 0.0 };
        });
    }
    let k = (0..columns).find(|&k| above[k] != below[k])?;
    let mut weights = vec![IBig::ZERO; columns + 1];
    weights[k] = IBig::from(if above[k] { 1 } else { -1 });
    Some(weights)
}
