//! The checker: does the proof hold for these raw rows?

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::Samples;
use rayon::prelude::*;

use crate::exact::{IntegerPlane, Row, first_not_cancelling, sign_of_value};
use crate::fingerprint::fingerprint;
use crate::margin::{margin_upper_bound, sides_and_margin};
use crate::proof::{Claim, ConflictingRow, MarginClaim, Proof, Verdict, WeightedRow};

/// Rows handed to one task.
pub(crate) const ROWS_A_TASK: usize = 256;
/// Features handed to one task.
pub(crate) const COLUMNS_A_TASK: usize = 64;

/// A proof that holds. Only [`verify`] makes one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    verdict: Verdict,
    rows: usize,
    margin: Option<(f64, f64)>,
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

    /// Returns the bounds on the angular margin that were proven, if any were claimed: that of the
    /// hyperplane from below, and that of any hyperplane from above.
    pub fn margin(&self) -> Option<(f64, f64)> {
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
    #[error("the proof has {found} weights, the data has {expected} features")]
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
        Claim::Separable { weights, bias } => {
            check_length(samples, weights.len())?;
            if !weights.iter().chain([bias]).all(|w| w.is_finite()) {
                return Err(Refused::NotFinite);
            }
            if let Some(margin) = &proof.margin {
                check_sides_and_margin(samples, weights, *bias, margin)?;
            } else {
                let sign = |row: Row| sign_of_value(weights, *bias, row);
                check_sides(samples, sign, &[Ordering::Greater])?;
            }
        }
        _ if proof.margin.is_some() => return Err(Refused::MarginWithoutHyperplane),
        Claim::Inseparable { conflict } => check_conflict(samples, conflict)?,
        Claim::QuasiSeparable { conflict, weights, bias } => {
            check_length(samples, weights.len())?;
            check_conflict(samples, conflict)?;
            let plane = IntegerPlane::new(weights, bias);
            check_sides(samples, |row| plane.sign(row), &[Ordering::Greater, Ordering::Equal])?;
            let features = samples.features();
            let strict = |i| plane.sign(Row::of(features, i)) != Ordering::Equal;
            if !(0..samples.rows()).into_par_iter().with_min_len(ROWS_A_TASK).any(strict) {
                return Err(Refused::NoStrictRow);
            }
        }
    }
    let margin = proof.margin.as_ref().map(|margin| (margin.lower, margin.upper));
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

fn check_length(samples: &Samples, found: usize) -> Result<(), Refused> {
    let expected = samples.columns();
    if found == expected { Ok(()) } else { Err(Refused::WrongLength { found, expected }) }
}

/// Checks that y (w·x + b) has an allowed sign for every row.
fn check_sides(
    samples: &Samples,
    sign: impl Fn(Row) -> Ordering + Sync,
    allowed: &[Ordering],
) -> Result<(), Refused> {
    let wrong = |&i: &usize| {
        let sign = sign(Row::of(samples.features(), i));
        !allowed.contains(&if samples.positive()[i] { sign } else { sign.reverse() })
    };
    let rows = (0..samples.rows()).into_par_iter().with_min_len(ROWS_A_TASK);
    match rows.find_first(wrong) {
        Some(i) => Err(Refused::WrongSide { row: i + 1 }),
        None => Ok(()),
    }
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
    let columns = samples.columns();
    let left = (0..columns.div_ceil(COLUMNS_A_TASK)).into_par_iter().find_map_first(|task| {
        let from = task * COLUMNS_A_TASK;
        first_not_cancelling(&terms, from..columns.min(from + COLUMNS_A_TASK))
    });
    match left {
        Some(k) => Err(Refused::DoesNotCancel { feature: Some(k + 1) }),
        None => Ok(()),
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
    weights: &[f64],
    bias: f64,
    margin: &MarginClaim,
) -> Result<(), Refused> {
    let MarginClaim { kind: _, lower, upper, upper_rows } = margin;
    let (wrong, found) = sides_and_margin(samples, weights, bias);
    if let Some(i) = wrong {
        return Err(Refused::WrongSide { row: i + 1 });
    }
    if !lower.is_finite() || !upper.is_finite() {
        return Err(Refused::NotFinite);
    }
    check_upper_rows(samples, upper_rows)?;
    if *lower > found {
        return Err(Refused::Margin { what: "lower", claimed: *lower, found });
    }
    let rows: Vec<(usize, f64)> = upper_rows.iter().map(|r| (r.row - 1, r.weight)).collect();
    let found = margin_upper_bound(samples, &rows);
    if *upper < found {
        return Err(Refused::Margin { what: "upper", claimed: *upper, found });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
