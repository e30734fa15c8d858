//! A hyperplane that separates, with its proof: what [`verify`](crate::verify()) would say of it, for
//! half the reading.

use linsep_data::Samples;

use crate::margin::{margin_upper_bound, sides_and_margin};
use crate::proof::Proof;
use crate::verify::{Refused, check_upper_rows};

/// A hyperplane that has every row strictly on its own side.
#[derive(Clone, Debug, PartialEq)]
pub struct Separator {
    /// The proof, which [`verify`](crate::verify()) accepts. It claims both bounds if rows were named
    /// that show the upper one.
    pub proof: Proof,
    /// The angular margin of the hyperplane is not below this.
    pub lower: f64,
    /// No hyperplane has an angular margin above this; 1 if no rows were named.
    pub upper: f64,
}

/// Returns the hyperplane's proof with the best bounds on the margin that the checker can confirm, or
/// why the hyperplane does not separate the samples.
///
/// `upper_rows` are the rows (counted from 0) and weights that show the upper bound. The rows are
/// read once by the same code that [`verify`](crate::verify()) uses, and once for the fingerprint;
/// claiming first and verifying after would read them five times.
///
/// # Panics
/// If there is not one weight a feature, or if a row named does not exist.
pub fn prove_separable(
    samples: &Samples,
    weights: Vec<f64>,
    bias: f64,
    upper_rows: &[(usize, f64)],
) -> Result<Separator, Refused> {
    assert_eq!(weights.len(), samples.columns(), "one weight a feature");
    if !weights.iter().chain([&bias]).all(|w| w.is_finite()) {
        return Err(Refused::NotFinite);
    }
    let (wrong, lower) = sides_and_margin(samples, &weights, bias);
    if let Some(i) = wrong {
        return Err(Refused::WrongSide { row: i + 1 });
    }
    let mut proof = Proof::separable(samples, weights, bias);
    let mut upper = 1.0;
    if !upper_rows.is_empty() {
        upper = margin_upper_bound(samples, upper_rows);
        proof = proof.with_margin(lower, upper, upper_rows);
        check_upper_rows(samples, &proof.margin.as_ref().expect("just claimed").upper_rows)?;
    }
    Ok(Separator { proof, lower, upper })
}
