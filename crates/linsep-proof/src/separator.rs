//! A hyperplane that separates, with its proof: what [`verify`](crate::verify()) would say of it, for
//! a fraction of the reading.

use linsep_data::{Data, Error, fold};

use crate::evidence::{MarginBounds, RowWeights};
use crate::fingerprint::{Fingerprint, Named};
use crate::look::LookQuery;
use crate::margin::upper_bound;
use crate::proof::{Claim, FloatPlane, MarginKind, Plane, Proof};
use crate::refused::Refused;
use crate::verify::{check_plane, check_upper_rows};

/// A hyperplane that puts every row strictly on its own side.
#[derive(Clone, Debug, PartialEq)]
pub struct Separator {
    /// The proof, which [`verify`](crate::verify()) accepts. It claims both bounds if rows were named
    /// that show the upper one.
    pub proof: Proof,
    /// Bounds on the margin: that of the hyperplane from below, that of any from above.
    pub margin: MarginBounds,
}

/// Returns the hyperplane's proof with the best bounds on the margin that the checker can confirm, or
/// why the hyperplane does not separate the rows; or the error if they cannot be read.
///
/// `upper_rows` show the upper bound, and `named` is the fingerprint, if an earlier pass has taken it.
/// Costs one pass, which looks at each row with the code of [`verify`](crate::verify()); claiming
/// first and verifying after would take two.
///
/// # Panics
/// If there is not one weight per feature, or if a row named does not exist.
pub fn prove_separable(
    data: &dyn Data,
    named: Option<&Named>,
    kind: MarginKind,
    (weights, bias): (Vec<f64>, f64),
    upper_rows: &RowWeights,
) -> Result<Result<Separator, Refused>, Error> {
    let shape = data.shape();
    assert_eq!(weights.len(), shape.columns, "one weight per feature");
    let plane = FloatPlane { weights, bias };
    if let Err(refused) = check_plane(shape.columns, &Plane::Floats(plane.clone())) {
        return Ok(Err(refused));
    }
    let mut query = LookQuery::default();
    if named.is_none() {
        query.fingerprint = Some(Fingerprint::of(shape));
    }
    query.ask_margin(kind, plane.clone());
    let looks = fold(data, &query)?;
    if let Err(refused) = looks.strictly_separated() {
        return Ok(Err(refused));
    }
    let lower = looks.margin.as_ref().expect("asked for").lower;
    let taken = query.named(&looks);
    let named = taken.as_ref().or(named).expect("taken, or handed in").name().clone();
    let upper = upper_bound(data, kind, upper_rows)?;
    let margin = MarginBounds { kind, lower, upper };
    let mut proof = Proof::about(named, Claim::Separable { hyperplane: Plane::Floats(plane) });
    if !upper_rows.is_empty() {
        proof = proof.with_margin(margin, upper_rows);
        let rows = &proof.margin.as_ref().expect("just claimed").upper_rows;
        if let Err(refused) = check_upper_rows(shape.rows, rows) {
            return Ok(Err(refused));
        }
    }
    Ok(Ok(Separator { proof, margin }))
}
