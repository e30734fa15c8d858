//! The checker: does the proof hold for these raw rows?

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::{Features, Samples};
use rayon::prelude::*;

use crate::exact::{ExactPlane, Row, first_not_cancelling, sign_of_value};
use crate::fingerprint::fingerprint;
use crate::margin::{margin_upper_bound, sides_and_margin};
use crate::proof::{
    Claim, ConflictingRow, FloatPlane, IntegerPlane, Integers, MarginClaim, MarginKind, Plane,
    Proof, Verdict, WeightedRow, conflicting,
};
use crate::rank::{integer_residues, rank, row_residues};

/// Rows handed to one task.
pub(crate) const ROWS_A_TASK: usize = 256;
/// Features handed to one task, and tasks at the most where rows are sparse.
const COLUMNS_A_TASK: usize = 64;

/// Returns the number of features to hand to one task. A task visits every row that is named, so that
/// a million features of sparse rows must not make many tasks.
pub(crate) fn columns_a_task(features: &Features) -> usize {
    match features {
        Features::Sparse(_) => features.columns().div_ceil(COLUMNS_A_TASK).max(COLUMNS_A_TASK),
        _ => COLUMNS_A_TASK,
    }
}

/// A proof that holds. Only [`verify`] makes one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    verdict: Verdict,
    rows: usize,
    margin: Option<(MarginKind, f64, f64)>,
}

impl Verified {
    /// Returns what was proven.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns for how many rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the bounds on a margin that were proven, if any were claimed: on that of the hyperplane
    /// from below, and on that of any hyperplane from above.
    pub fn margin(&self) -> Option<(MarginKind, f64, f64)> {
        self.margin
    }
}

/// Why a proof does not hold. Rows and features are counted from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It is about other data.
    #[error("the proof is about other data: its {what} is {claimed}, the data's is {found}")]
    OtherData {
        /// What differs: number of rows, number of features, or fingerprint.
        what: &'static str,
        /// What the proof says.
        claimed: String,
        /// What the data says.
        found: String,
    },
    /// There is not one weight a feature.
    #[error("the proof has {found} weights where the data needs {expected}")]
    WrongLength {
        /// Weights.
        found: usize,
        /// Features.
        expected: usize,
    },
    /// A number is infinite or not a number.
    #[error("a number of the proof is not finite")]
    NotFinite,
    /// A row is not on its own side of the hyperplane.
    #[error("row {row} is on the wrong side")]
    WrongSide {
        /// The first such row.
        row: usize,
    },
    /// A row that does not exist is named.
    #[error("the proof names row {row}, which does not exist")]
    RowOutOfRange {
        /// The row.
        row: usize,
    },
    /// A row is named twice.
    #[error("the proof names row {row} twice")]
    RepeatedRow {
        /// The row.
        row: usize,
    },
    /// The multiplier of a row is zero or negative, or its weight is negative.
    #[error("the multiplier of row {row} is not positive")]
    NotPositive {
        /// The row.
        row: usize,
    },
    /// No row is named.
    #[error("the proof names no rows")]
    EmptyConflict,
    /// The rows of the conflict do not add up to zero.
    #[error("the rows named do not cancel: {}", where_not(*.feature))]
    DoesNotCancel {
        /// The first feature in which they do not; none if the two classes have unequal weight.
        feature: Option<usize>,
    },
    /// A row is not orthogonal to a vector that all rows are to be orthogonal to.
    #[error("row {row} is not orthogonal to a vector to which the proof says that all rows are")]
    NotOrthogonal {
        /// The first such row.
        row: usize,
    },
    /// The conflict leaves room for a hyperplane with no row on the wrong side.
    #[error("the rows named span {spanned} dimensions, {needed} are needed to span all rows")]
    DoesNotSpan {
        /// Dimensions that the rows of the conflict span, as far as is known.
        spanned: usize,
        /// Dimensions that all rows may span.
        needed: usize,
    },
    /// All rows lie on the hyperplane that is to show that the data is quasi-separable.
    #[error("no row is off the hyperplane")]
    NoStrictRow,
    /// A bound on the margin does not hold.
    #[error(
        "the proof claims a margin bound ({what}) of {claimed:e}, only {found:e} can be confirmed"
    )]
    Margin {
        /// Which bound: lower or upper.
        what: &'static str,
        /// The bound claimed.
        claimed: f64,
        /// The best bound that can be confirmed.
        found: f64,
    },
    /// A margin is claimed where there is no hyperplane to have it.
    #[error("the proof claims a margin for data that it says is not separable")]
    MarginWithoutHyperplane,
}

fn where_not(feature: Option<usize>) -> String {
    match feature {
        Some(feature) => format!("feature {feature} is left over"),
        None => "the two classes do not have the same weight".to_string(),
    }
}

/// Returns what was proven, or why the proof does not hold.
///
/// Everything is checked on the raw rows, in exact arithmetic, whatever the size of the numbers. The
/// row that a refusal names is the first, whatever the number of threads. Costs a parallel pass for
/// the fingerprint, and another one for a hyperplane with its margin.
pub fn verify(samples: &Samples, proof: &Proof) -> Result<Verified, Refused> {
    check_data(samples, proof)?;
    match &proof.claim {
        Claim::Separable { hyperplane } => match &proof.margin {
            Some(margin) => check_sides_and_margin(samples, hyperplane, margin)?,
            None => check_sides(samples, hyperplane, &[Ordering::Greater])?,
        },
        _ if proof.margin.is_some() => return Err(Refused::MarginWithoutHyperplane),
        Claim::Inseparable { conflict, orthogonal } => {
            check_conflict(samples, conflict)?;
            check_span(samples, conflict, orthogonal)?;
        }
        Claim::QuasiSeparable { conflict, hyperplane } => {
            check_conflict(samples, conflict)?;
            check_sides(samples, hyperplane, &[Ordering::Greater, Ordering::Equal])?;
            if check_sides(samples, hyperplane, &[Ordering::Equal]).is_ok() {
                return Err(Refused::NoStrictRow);
            }
        }
    }
    let margin = proof.margin.as_ref().map(|m| (m.kind, m.lower, m.upper));
    Ok(Verified { verdict: proof.verdict(), rows: samples.rows(), margin })
}

fn check_data(samples: &Samples, proof: &Proof) -> Result<(), Refused> {
    let differ = |what, claimed: &dyn ToString, found: &dyn ToString| {
        let (claimed, found) = (claimed.to_string(), found.to_string());
        if claimed == found { Ok(()) } else { Err(Refused::OtherData { what, claimed, found }) }
    };
    differ("number of rows", &proof.data.rows, &samples.rows())?;
    differ("number of features", &proof.data.features, &samples.columns())?;
    differ("fingerprint", &proof.data.fingerprint, &fingerprint(samples))
}

/// Checks that y (w·x + b) has an allowed sign for every row.
fn check_sides(samples: &Samples, plane: &Plane, allowed: &[Ordering]) -> Result<(), Refused> {
    let first = match plane {
        Plane::Floats(FloatPlane { weights, bias }) => {
            check_numbers(samples, weights, *bias)?;
            first_astray(samples, |row| sign_of_value(weights, *bias, row), allowed)
        }
        Plane::Integers(IntegerPlane { weights, bias }) => {
            check_length(weights.len(), samples.columns())?;
            let plane = ExactPlane::new(weights, bias);
            first_astray(samples, |row| plane.sign(row), allowed)
        }
    };
    first.map_or(Ok(()), |i| Err(Refused::WrongSide { row: i + 1 }))
}

/// Returns the first row (counted from 0) whose sign, times y, is not allowed.
fn first_astray(
    samples: &Samples,
    sign: impl Fn(Row) -> Ordering + Sync,
    allowed: &[Ordering],
) -> Option<usize> {
    let astray = |&i: &usize| {
        let sign = sign(Row::of(samples.features(), i));
        !allowed.contains(&if samples.positive()[i] { sign } else { sign.reverse() })
    };
    (0..samples.rows()).into_par_iter().with_min_len(ROWS_A_TASK).find_first(astray)
}

fn check_numbers(samples: &Samples, weights: &[f64], bias: f64) -> Result<(), Refused> {
    check_length(weights.len(), samples.columns())?;
    let finite = weights.iter().chain([&bias]).all(|w| w.is_finite());
    if finite { Ok(()) } else { Err(Refused::NotFinite) }
}

fn check_length(found: usize, expected: usize) -> Result<(), Refused> {
    if found == expected { Ok(()) } else { Err(Refused::WrongLength { found, expected }) }
}

/// Returns nothing if the rows (counted from 0), taken so many times, cancel: no hyperplane has all of
/// them strictly on their own sides. Costs one look at the rows named.
pub fn verify_conflict(samples: &Samples, conflict: &[(usize, IBig)]) -> Result<(), Refused> {
    check_conflict(samples, &conflicting(conflict.to_vec()))
}

/// Checks that the rows, times y and their multipliers, add up to zero, and so do the multipliers
/// times y. (Gordan: then y (w·x + b) > 0 for all of them is impossible, since these add up to 0.)
fn check_conflict(samples: &Samples, conflict: &[ConflictingRow]) -> Result<(), Refused> {
    check_rows(samples, conflict.iter().map(|c| c.row))?;
    let mut balance = IBig::ZERO;
    let mut terms = vec![];
    for ConflictingRow { row, multiplier } in conflict {
        if *multiplier <= IBig::ZERO {
            return Err(Refused::NotPositive { row: *row });
        }
        let i = row - 1;
        let factor = if samples.positive()[i] { multiplier.clone() } else { -multiplier };
        balance += &factor;
        terms.push((Row::of(samples.features(), i), factor));
    }
    if balance != IBig::ZERO {
        return Err(Refused::DoesNotCancel { feature: None });
    }
    let (columns, size) = (samples.columns(), columns_a_task(samples.features()));
    let left = (0..columns.div_ceil(size)).into_par_iter().find_map_first(|task| {
        let from = task * size;
        first_not_cancelling(&terms, from..columns.min(from + size))
    });
    match left {
        Some(k) => Err(Refused::DoesNotCancel { feature: Some(k + 1) }),
        None => Ok(()),
    }
}

/// Checks that the rows (x, 1) of the conflict span all rows: all are orthogonal to the vectors given,
/// and there is no room for more than the conflict spans in what is orthogonal to those.
fn check_span(
    samples: &Samples,
    conflict: &[ConflictingRow],
    orthogonal: &[Integers],
) -> Result<(), Refused> {
    let (features, columns) = (samples.features(), samples.columns());
    for Integers(vector) in orthogonal {
        check_length(vector.len(), columns + 1)?;
        let plane = ExactPlane::new(&vector[..columns], &vector[columns]);
        if let Some(i) = first_astray(samples, |row| plane.sign(row), &[Ordering::Equal]) {
            return Err(Refused::NotOrthogonal { row: i + 1 });
        }
    }
    let rows = conflict.iter().map(|c| row_residues(Row::of(features, c.row - 1), columns));
    let spanned = rank(rows.collect());
    let left_out = rank(orthogonal.iter().map(|Integers(v)| integer_residues(v)).collect());
    if spanned + left_out > columns {
        Ok(())
    } else {
        Err(Refused::DoesNotSpan { spanned, needed: columns + 1 - left_out })
    }
}

/// Checks that there are rows, that they exist, and that none is named twice.
fn check_rows(samples: &Samples, rows: impl Iterator<Item = usize>) -> Result<(), Refused> {
    let mut seen = std::collections::HashSet::new();
    for row in rows {
        if row == 0 || row > samples.rows() {
            return Err(Refused::RowOutOfRange { row });
        }
        if !seen.insert(row) {
            return Err(Refused::RepeatedRow { row });
        }
    }
    if seen.is_empty() { Err(Refused::EmptyConflict) } else { Ok(()) }
}

/// Checks that rows and weights can show an upper bound.
pub(crate) fn check_upper_rows(samples: &Samples, rows: &[WeightedRow]) -> Result<(), Refused> {
    if !rows.iter().all(|r| r.weight.is_finite()) {
        return Err(Refused::NotFinite);
    }
    check_rows(samples, rows.iter().map(|r| r.row))?;
    match rows.iter().find(|r| r.weight < 0.0) {
        Some(negative) => Err(Refused::NotPositive { row: negative.row }),
        None => Ok(()),
    }
}

/// Checks that every row is on its own side, and both bounds on the margin. That the lower one is not
/// above the upper one follows.
fn check_sides_and_margin(
    samples: &Samples,
    plane: &Plane,
    margin: &MarginClaim,
) -> Result<(), Refused> {
    let MarginClaim { kind, lower, upper, upper_rows } = margin;
    let found = match plane {
        Plane::Floats(FloatPlane { weights, bias }) => {
            check_numbers(samples, weights, *bias)?;
            let (wrong, found) = sides_and_margin(samples, *kind, weights, *bias);
            if let Some(i) = wrong {
                return Err(Refused::WrongSide { row: i + 1 });
            }
            found
        }
        Plane::Integers(_) => {
            check_sides(samples, plane, &[Ordering::Greater])?;
            // It separates, which is all that is known about it.
            0.0
        }
    };
    if !lower.is_finite() || !upper.is_finite() {
        return Err(Refused::NotFinite);
    }
    check_upper_rows(samples, upper_rows)?;
    if *lower > found {
        return Err(Refused::Margin { what: "lower", claimed: *lower, found });
    }
    let rows: Vec<(usize, f64)> = upper_rows.iter().map(|r| (r.row - 1, r.weight)).collect();
    let found = margin_upper_bound(samples, *kind, &rows);
    if *upper < found {
        return Err(Refused::Margin { what: "upper", claimed: *upper, found });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
