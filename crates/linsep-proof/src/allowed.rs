//! Which coefficients a log-binomial model allows: P(success) = exp(x·h) has to be a probability.
//!
//! ```text
//! x·h <= 0    in every row with a trial
//! x·h <  0    in those with a failure, or the likelihood is zero
//! ```
//!
//! With an intercept, or a column that is constant, there are always such h: the constant alone, below zero. Complete
//! separation names one itself: x·h = 0 where there is a success, and < 0 where there is a failure. In all other cases
//! a proof has to, or it would speak of a likelihood that is zero everywhere.

use std::cmp::Ordering;

use linsep_data::Features;
use rayon::prelude::*;

use crate::exact::{ExactPlane, Row};
use crate::proof::{Claim, Integers, Proof};
use crate::refused::Refused;
use crate::structure::{Model, Response, Trial};

/// Checks that a proof about a model speaks of a likelihood that is not zero everywhere. Costs a look at all rows
/// where it names coefficients.
pub(crate) fn check_allowed(
    design: &Features,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    proof: &Proof,
) -> Result<(), Refused> {
    let name = proof.model.as_ref();
    let allowed = name.and_then(|name| name.allowed.as_ref());
    let (Model::LogBinomial { intercept: false }, Response::Trials(trials)) = (model, response)
    else {
        return allowed.map_or(Ok(()), |_| Err(Refused::AllowedOfOther));
    };
    let Some(Integers(coefficients)) = allowed else {
        let constant = name.is_some_and(|name| name.constant.is_some());
        let known = constant || matches!(proof.claim, Claim::Separable { .. });
        return if known { Ok(()) } else { Err(Refused::NothingAllowed) };
    };
    let (found, expected) = (coefficients.len(), design.columns());
    if found != expected {
        return Err(Refused::WrongLength { found, expected });
    }
    let plane = ExactPlane::new(coefficients.clone(), 0.into());
    let wrong = |&row: &usize| {
        let most = match trials[row] {
            _ if kept.is_some_and(|kept| !kept[row]) => return false,
            Trial::Neither => return false,
            Trial::Success => Ordering::Equal,
            Trial::Failure | Trial::Both => Ordering::Less,
        };
        plane.sign(Row::of(design, row)) > most
    };
    match (0..design.rows()).into_par_iter().find_first(wrong) {
        Some(row) => Err(Refused::NotAllowed { row: row + 1 }),
        None => Ok(()),
    }
}
