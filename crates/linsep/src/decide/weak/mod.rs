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
//!          a conflict among the r_i: its rows join the face                 exact/alternative.rs
//! ```
//!
//! The face grows in rank each time, so this ends. It takes exact arithmetic on all rows and is for
//! data of moderate size. Two cheap questions come first: whether S spans everything (rank modulo a
//! prime, which is never too high) and, unless features are few, whether a single one separates weakly.
//! Unless features are few one projection tells (`cone.rs`); what it leaves open is for integers or, in
//! larger data, for floats that integers make exact (`complement.rs`).

mod complement;
mod cone;

use dashu_int::IBig;
use linsep_data::{Data, Error, Memory, fold};
use linsep_proof::Conflict;

use super::exact::Halt;
use super::exact::alternative::{self, Alternative};
use super::exact::conflict::rank;
use super::exact::integers::{dot, for_raw_rows, integer_row, nullspace};
use super::exact::rows::SignedRows;
use super::folds::one_sided::OneSided;
use super::outcome::{Because, WeakSeparator};
use super::plan::{self, WeakWay};
use crate::Samples;

/// Rounds after which an exact alternative is given up.
const ROUNDS: usize = 200;

/// What a conflict turned out to be.
pub(super) enum Class {
    /// Not even weakly separable. The conflict spans all rows.
    Inseparable {
        /// The conflict.
        conflict: Conflict,
        /// A basis of what all rows are orthogonal to.
        orthogonal: Vec<Vec<IBig>>,
    },
    /// Weakly separable.
    QuasiSeparable {
        /// The conflict that rules a strict separator out.
        conflict: Conflict,
        /// A weak separator.
        separator: WeakSeparator,
    },
    /// Not strictly separable; whether weakly is open.
    Unknown {
        /// The conflict.
        conflict: Conflict,
        /// Why it is open, if no limit was reached.
        because: Because,
    },
}

/// Returns what a proven conflict makes of the data; `halt` is asked now and then. Errors if the data
/// cannot be read.
pub(super) fn classify(data: &dyn Data, conflict: Conflict, halt: Halt) -> Result<Class, Error> {
    let shape = data.shape();
    // Rows that combine to zero have a rank below their number.
    if conflict.len() > shape.columns + 1 && spans_everything(data, &conflict, halt)? {
        return Ok(Class::Inseparable { conflict, orthogonal: vec![] });
    }
    let fetched;
    let resident = match data.resident() {
        None if plan::worth_fetching(shape) => {
            let all: Vec<usize> = (0..shape.rows).collect();
            fetched = data.fetch(&all)?;
            Some(&fetched)
        }
        resident => resident,
    };
    let way = plan::weak(shape);
    let feature = match way.feature_first || !way.integers || resident.is_none() {
        true => fold(data, OneSided::new(shape))?.first(),
        false => None,
    };
    if let Some((feature, sign)) = feature {
        let mut weights = vec![IBig::ZERO; shape.columns];
        weights[feature] = IBig::from(sign);
        let separator = WeakSeparator { weights, bias: IBig::ZERO };
        return Ok(Class::QuasiSeparable { conflict, separator });
    }
    let Some(samples) = resident else {
        return Ok(Class::Unknown { conflict, because: Because::NotInMemory });
    };
    let memory = Memory::new(samples);
    let class = in_memory(&memory, conflict, way, halt);
    data.reads().add(memory.reads().passes(shape) * shape.rows as u64);
    Ok(class)
}

/// Returns the same for rows in memory: one projection tells in nearly all cases; where features are
/// few, integers do at once.
fn in_memory(memory: &Memory, conflict: Conflict, way: WeakWay, halt: Halt) -> Class {
    if way.projection
        && let Some(class) = cone::classify(memory, &conflict, halt)
    {
        return class;
    }
    match way.integers {
        true => {
            let samples = memory.resident().expect("memory");
            memory.reads().add(samples.rows() as u64);
            exactly(samples, conflict, halt)
        }
        false => complement::classify(memory, conflict, halt),
    }
}

/// Returns the weights of all but the last number, which is the bias.
fn separator(mut w: Vec<IBig>) -> WeakSeparator {
    let bias = w.pop().expect("a bias");
    WeakSeparator { weights: w, bias }
}

fn too_large(conflict: Vec<(usize, IBig)>) -> Class {
    Class::Unknown { conflict: conflict.into(), because: Because::WeakTooLarge }
}

fn exactly(samples: &Samples, conflict: Conflict, halt: Halt) -> Class {
    let dimension = samples.columns() + 1;
    let mut conflict: Vec<(usize, IBig)> = conflict.into_iter().collect();
    loop {
        let face = conflict.iter().map(|(i, _)| integer_row(samples, *i).0).collect();
        let Some(basis) = nullspace(face, dimension, halt) else {
            return too_large(conflict);
        };
        let (mut rows, mut vectors) = (vec![], vec![]);
        for i in 0..samples.rows() {
            if halt() {
                return too_large(conflict);
            }
            let (row, _) = integer_row(samples, i);
            let reduced: Vec<IBig> = basis.iter().map(|b| dot(b, &row)).collect();
            if reduced.iter().any(|v| *v != IBig::ZERO) {
                rows.push(i);
                vectors.push(reduced);
            }
        }
        if rows.is_empty() {
            return Class::Inseparable { conflict: conflict.into(), orthogonal: basis };
        }
        match alternative::decide(&vectors, &[0], ROUNDS, halt) {
            None => return too_large(conflict),
            Some(Alternative::Separator(v)) => {
                let w = (0..dimension)
                    .map(|j| basis.iter().zip(&v).fold(IBig::ZERO, |sum, (b, v)| sum + &b[j] * v))
                    .collect();
                let conflict = conflict.into();
                return Class::QuasiSeparable { conflict, separator: separator(w) };
            }
            Some(Alternative::Conflict(found)) => {
                let found: Vec<(usize, IBig)> =
                    found.into_iter().map(|(k, m)| (rows[k], m)).collect();
                match joined(samples, &conflict, &found, halt) {
                    Some(larger) => conflict = larger,
                    None => return too_large(conflict),
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
    halt: Halt,
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
    let mut nu = nullspace(transposed(&columns), columns.len(), halt)?
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

/// Returns true if the rows of a conflict certainly span the whole space.
fn spans_everything(data: &dyn Data, conflict: &Conflict, halt: Halt) -> Result<bool, Error> {
    let rows = data.fetch(&conflict.rows())?;
    Ok(rank(&SignedRows::all(&rows), halt) == Some(rows.columns() + 1))
}
