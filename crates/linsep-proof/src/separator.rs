//! A hyperplane that separates, with its proof: what [`verify`](crate::verify()) would say of it, for
//! a fraction of the reading.

use linsep_data::Samples;
use rayon::prelude::*;

use crate::fingerprint::{Fingerprint, add};
use crate::margin::{margin_upper_bound, plane_length, side_and_margin, worse};
use crate::proof::{Claim, MarginKind, Proof};
use crate::verify::{ROWS_A_TASK, Refused, check_upper_rows};

/// A hyperplane that has every row strictly on its own side.
#[derive(Clone, Debug, PartialEq)]
pub struct Separator {
    /// The proof, which [`verify`](crate::verify()) accepts. It claims both bounds if rows were named
    /// that show the upper one.
    pub proof: Proof,
    /// The margin of the hyperplane is not below this.
    pub lower: f64,
    /// No hyperplane has a margin above this.
    pub upper: f64,
}

/// Returns the hyperplane's proof with the best bounds on the margin that the checker can confirm, or
/// why the hyperplane does not separate the samples.
///
/// `upper_rows` are the rows (counted from 0) and weights that show the upper bound. One parallel pass
/// takes the fingerprint and looks at each row with the code of [`verify`](crate::verify());
/// claiming first and verifying after would read the data four times.
///
/// # Panics
/// If there is not one weight a feature, or if a row named does not exist.
pub fn prove_separable(
    samples: &Samples,
    kind: MarginKind,
    (weights, bias): (Vec<f64>, f64),
    upper_rows: &[(usize, f64)],
) -> Result<Separator, Refused> {
    assert_eq!(weights.len(), samples.columns(), "one weight a feature");
    if !weights.iter().chain([&bias]).all(|w| w.is_finite()) {
        return Err(Refused::NotFinite);
    }
    let fingerprint = Fingerprint::new(samples);
    let length = plane_length(kind, &weights, bias);
    let rows = (0..samples.rows()).into_par_iter().with_min_len(ROWS_A_TASK);
    let row = |i| (fingerprint.row(i), side_and_margin(samples, i, kind, &weights, bias, length));
    let (sum, (wrong, lower)) = rows
        .map(row)
        .reduce(|| ((0, 0), (None, kind.most())), |a, b| (add(a.0, b.0), worse(a.1, b.1)));
    if let Some(i) = wrong {
        return Err(Refused::WrongSide { row: i + 1 });
    }
    let claim = Claim::Separable { hyperplane: (weights, bias).into() };
    let mut proof = Proof::named(samples, fingerprint.name(sum), claim);
    let mut upper = kind.most();
    if !upper_rows.is_empty() {
        upper = margin_upper_bound(samples, kind, upper_rows);
        proof = proof.with_margin(kind, (lower, upper), upper_rows);
        check_upper_rows(samples, &proof.margin.as_ref().expect("just claimed").upper_rows)?;
    }
    Ok(Separator { proof, lower, upper })
}
