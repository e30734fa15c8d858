//! From a candidate or a conflict to an outcome: the only caller of the checker.

use dashu_int::IBig;
use linsep_data::Memory;
use linsep_proof::margin::{lower_bound, upper_bound};
use linsep_proof::proof::{Claim, DefiniteMatrix};
use linsep_proof::{
    Conflict, MarginBounds, Overlap, Plane, Proof, Separator, prove_separable, verify_data_until,
};

use super::budget::Limit;
use super::exact::Halt;
use super::exact::integers::rounded;
use super::outcome::{Closest, Outcome, WeakSeparator};
use super::passes::PassError;
use super::search::Search;
use super::strategies::MatrixFound;
use super::weak::Class;
use crate::{Hyperplane, Samples};

/// Returns the outcome for the best candidate that the checker accepts, if it accepts one.
pub(super) fn candidates(search: &mut Search) -> Result<Option<Outcome>, PassError> {
    if !search.has_candidates() {
        return Ok(None);
    }
    let (kind, rows) = (search.options.kind, search.bounding_rows()?);
    while let Some(hyperplane) = search.take_candidate() {
        let claimed = (hyperplane.weights.clone(), hyperplane.bias);
        let named = search.facts()?.named.clone();
        let proven = prove_separable(search.data.raw(), Some(&named), kind, claimed, &rows)?;
        if let Ok(Separator { proof, margin }) = proven {
            return Ok(Some(Outcome::Separable { hyperplane, margin, proof }));
        }
    }
    Ok(None)
}

/// Returns the outcome for a separator in integers, the bias last, if the checker accepts it.
pub(super) fn integers(
    search: &mut Search,
    mut w: Vec<IBig>,
) -> Result<Option<Outcome>, PassError> {
    let hyperplane = Hyperplane::from_lifted(rounded(&w));
    let bias = w.pop().expect("a bias");
    let (kind, rows) = (search.options.kind, search.bounding_rows()?);
    // That it separates is all that is known about its margin.
    let margin =
        MarginBounds { kind, lower: 0.0, upper: upper_bound(search.data.raw(), kind, &rows)? };
    let claim = Claim::Separable { hyperplane: Plane::from((w, bias)) };
    let proof = claimed(search, claim)?.with_margin(margin, &rows);
    let accepted = holds(search, &proof)?;
    Ok(accepted.then_some(Outcome::Separable { hyperplane, margin, proof }))
}

/// Returns the outcome for a conflict that has been classified, if the checker accepts it.
pub(super) fn classified(search: &mut Search, class: Class) -> Result<Option<Outcome>, PassError> {
    match class {
        Class::Inseparable { conflict, orthogonal } => {
            let proof = claimed(search, Claim::inseparable(conflict.clone(), orthogonal))?;
            if !holds(search, &proof)? {
                return Ok(None);
            }
            let (closest, overlap) = (closest(search)?, Overlap::Conflict(conflict));
            Ok(Some(Outcome::Inseparable { overlap, proof, closest }))
        }
        Class::QuasiSeparable { conflict, separator } => {
            let plane = (separator.weights.clone(), separator.bias.clone());
            let proof = claimed(search, Claim::quasi_separable(conflict.clone(), plane))?;
            if !holds(search, &proof)? {
                return Ok(None);
            }
            let (closest, overlap) = (closest(search)?, Overlap::Conflict(conflict));
            Ok(Some(Outcome::QuasiSeparable { overlap, separator, proof, closest }))
        }
    }
}

/// Returns the outcome for rows whose matrix is to be positive definite, if the checker accepts it.
pub(super) fn matrix(
    search: &mut Search,
    found: MatrixFound,
) -> Result<Option<Outcome>, PassError> {
    let MatrixFound { weights, left_out, orthogonal, first, separator } = found;
    let matrix = DefiniteMatrix::new(&weights, &left_out, &first);
    let claim = match &separator {
        None => Claim::inseparable(matrix, orthogonal),
        Some(WeakSeparator { weights, bias }) => {
            let plane = (weights.clone(), bias.clone());
            Claim::quasi_separable_by(matrix.into(), orthogonal, plane)
        }
    };
    let proof = claimed(search, claim)?;
    if !holds(search, &proof)? {
        return Ok(None);
    }
    let (closest, overlap) = (closest(search)?, Overlap::Matrix(weights));
    Ok(Some(match separator {
        None => Outcome::Inseparable { overlap, proof, closest },
        Some(separator) => Outcome::QuasiSeparable { overlap, separator, proof, closest },
    }))
}

/// Returns the outcome for a conflict that a limit has left unclassified, if the checker accepts it soon.
pub(super) fn unclassified(
    search: &mut Search,
    conflict: Conflict,
    because: Limit,
) -> Result<Option<Outcome>, PassError> {
    let proof = claimed(search, Claim::not_strictly_separable(conflict.clone()))?;
    // It was found in time: what is left to do for it is not lost to the limit.
    let soon = search.budget.soon();
    if !holds_until(search, &proof, &soon)? {
        return Ok(None);
    }
    let closest = closest(search)?;
    let (conflict, proof) = (Some(conflict), Some(proof));
    Ok(Some(Outcome::Undecided { because, conflict, proof, closest }))
}

/// Returns what is known when there is no answer: a separator that is proven now, or bounds.
pub(super) fn undecided(search: &mut Search, because: Limit) -> Result<Outcome, PassError> {
    if let Some(outcome) = candidates(search)? {
        return Ok(outcome);
    }
    Ok(Outcome::Undecided { because, conflict: None, proof: None, closest: closest(search)? })
}

/// Returns true if the checker confirms the proof before a halt.
pub(super) fn holds_for(samples: &Samples, proof: &Proof, halt: Halt) -> bool {
    let verified = verify_data_until(&Memory::new(samples), proof, None, halt);
    matches!(verified, Ok(Some(Ok(_))))
}

/// Returns true if the checker confirms that the hyperplane separates the samples.
pub(super) fn separates(samples: &Samples, plane: &Hyperplane) -> bool {
    let memory = Memory::new(samples);
    let claimed = (plane.weights.clone(), plane.bias);
    let kind = linsep_proof::MarginKind::Angular;
    let proven = prove_separable(&memory, None, kind, claimed, &Default::default());
    proven.is_ok_and(|proven| proven.is_ok())
}

fn claimed(search: &mut Search, claim: Claim) -> Result<Proof, PassError> {
    Ok(Proof::about(search.facts()?.named.name().clone(), claim))
}

/// Returns true if the checker confirms the proof, and false if it does not, or not before a limit. Passes are not
/// counted against it: what is proven is said, and a proof takes one.
fn holds(search: &mut Search, proof: &Proof) -> Result<bool, PassError> {
    holds_until(search, proof, &search.budget.halt())
}

fn holds_until(search: &Search, proof: &Proof, halt: Halt) -> Result<bool, PassError> {
    let named = search.facts()?.named.clone();
    let verified = verify_data_until(search.data.raw(), proof, Some(&named), halt)?;
    Ok(matches!(verified, Some(Ok(_))))
}

fn closest(search: &mut Search) -> Result<Closest, PassError> {
    let (kind, data) = (search.options.kind, search.data.raw());
    let hyperplane = search.best();
    // After a limit of time a look at all rows may not take long; a limit of passes is the same on every machine.
    let (soon, timed) = (search.budget.soon(), search.budget.limit() != Some(Limit::Passes));
    let halt = || timed && soon();
    let lower = match &hyperplane {
        Some(plane) => lower_bound(data, kind, &plane.weights, plane.bias, &halt)?,
        None => None,
    };
    let lower = lower.unwrap_or(kind.least());
    let upper = upper_bound(data, kind, &search.bounding_rows()?)?;
    Ok(Closest { hyperplane, margin: MarginBounds { kind, lower, upper } })
}
