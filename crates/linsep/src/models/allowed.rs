//! Which coefficients does a log-binomial model allow, if it has no constant of its own?
//!
//! ```text
//! wanted     h with x·h <= 0 in every row with a trial, and < 0 in those with a failure
//! the rows   -x of every row with a trial, whatever its outcome
//! F          those of them on which all directions with -x·g >= 0 vanish                  cone.rs
//!
//!     a row with a failure is in F      there is no such h, and the likelihood is zero for all coefficients
//!     otherwise                         any direction that is strict off F is one
//! ```

use dashu_int::IBig;
use linsep_data::Features;
use linsep_proof::structure::{Model, ModelError, Response, Structure, Trial};

use super::allowance::Allowance;
use super::cone::{face, interior};
use super::question::DirectionQuestion;
use super::separation::{SeparationError, constant_column};
use crate::decide::{DecideOptions, Limit, Watch};

/// What a model allows.
pub(super) enum Allowed {
    /// Some coefficients, whatever the rows are.
    Always,
    /// These, one per column of the design.
    Coefficients(Vec<IBig>),
    /// A limit came before the answer.
    Open(Limit),
}

/// Returns coefficients that a model allows. What it costs is taken off the limits.
///
/// Errors if there are none: then the likelihood is zero for all.
pub(super) fn allowed(
    design: &Features,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    limits: &mut DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Allowed, SeparationError> {
    let (Model::LogBinomial { intercept: false }, Response::Trials(trials)) = (model, response)
    else {
        return Ok(Allowed::Always);
    };
    let fails = |trial: &Trial| match trial {
        Trial::Neither => Trial::Neither,
        _ => Trial::Failure,
    };
    let failures = Response::Trials(trials.iter().map(fails).collect());
    let plain = Model::Binomial { intercept: false };
    let structure = Structure::new(design, &plain, &failures, kept)?;
    if let Some((column, positive)) = constant_column(&structure)? {
        let mut coefficients = vec![IBig::ZERO; design.columns()];
        coefficients[column] = if positive { -IBig::ONE } else { IBig::ONE };
        return Ok(Allowed::Coefficients(coefficients));
    }
    let once = structure.once();
    let question = DirectionQuestion::of(&structure, &once);
    let spent = limits.clone();
    let allowance = Allowance::new(question.data, &spent);
    let face = face(&question, &allowance, watch)?;
    if let Some(because) = face.stopped {
        return Ok(Allowed::Open(because));
    }
    let mut off = vec![false; design.rows()];
    let numbers = face.rows_off(&question, usize::MAX)?;
    numbers.iter().filter_map(|&k| structure.vector(k)).for_each(|vector| off[vector.row] = true);
    let counts = |row: usize| kept.is_none_or(|kept| kept[row]);
    let failed = |row: usize| matches!(trials[row], Trial::Failure | Trial::Both);
    if let Some(row) = (0..off.len()).find(|&row| counts(row) && failed(row) && !off[row]) {
        return Err(ModelError::NothingAllowed { row: row + 1 }.into());
    }
    let cancelled = watch.cancelled();
    let limit = || allowance.limit(cancelled);
    let found = interior(&question, &face, &|| limit().is_some())?;
    *limits = allowance.left();
    Ok(match found {
        Some(Some(mut direction)) => {
            // There is no bias that means anything.
            direction.truncate(design.columns());
            Allowed::Coefficients(direction)
        }
        Some(None) => Allowed::Coefficients(vec![IBig::ZERO; design.columns()]),
        None => Allowed::Open(limit().unwrap_or(Limit::Unconfirmed)),
    })
}
