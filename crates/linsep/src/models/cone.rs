//! The directions g with y x·g >= 0 for all rows: which rows can be strict, which signs g can have.
//!
//! ```text
//! face = all rows
//! repeat   ask whether some g has y x·g > 0 on all rows of the face
//!          yes: no row is left on the face
//!          no, but some W has y x·W >= 0 there, and > 0 somewhere: the rows with x·W = 0 are left
//!          neither: all directions vanish on the face
//! ```
//!
//! Each answer is a step. With every step so small that it undoes nothing of those before it, their sum
//! g = W1 + e W2 + e^2 W3 + ... is a direction that is strict off the face. Its sign in a column is that
//! of the first step that is not zero there: no rounding enters it.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_proof::exact::{ExactPlane, Row};
use linsep_proof::proof::Claim;
use linsep_proof::{Plane, Proof};
use rayon::prelude::*;

use super::design::{Unit, mirrored};
use crate::Samples;
use crate::decide::{DecideError, DecideOptions, Limit, Outcome, Watch, decide, rounded};

/// What all directions have in common.
#[derive(Debug, Default)]
pub(super) struct Face {
    /// The rows, rising, on which every direction vanishes; or those that were left at a limit.
    pub(super) rows: Vec<usize>,
    /// Rows among them, rising, that show it.
    pub(super) conflict: Vec<usize>,
    /// The way to a direction that is strict off the face.
    pub(super) steps: Vec<Step>,
    /// Why the search ended early, if it did.
    pub(super) stopped: Option<Limit>,
}

/// One answer of the engine.
#[derive(Debug)]
pub(super) struct Step {
    /// The weights as floats, the largest of them 1.
    weights: Vec<f64>,
    /// How each weight compares with zero, before rounding.
    signs: Vec<Ordering>,
    /// The rows that it puts strictly on their side, of those that were left.
    strict: Vec<usize>,
}

impl Face {
    /// Returns the sign that the direction of all steps has in a column.
    pub(super) fn sign(&self, column: usize) -> Ordering {
        let signs = self.steps.iter().map(|step| step.signs[column]);
        signs.fold(Ordering::Equal, Ordering::then)
    }
}

/// Returns the face of the design. With a unit, a row more, the search ends once that is strict.
pub(super) fn face(
    design: &Samples,
    unit: Option<Unit>,
    limits: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Face, DecideError> {
    let mut face = Face { rows: (0..design.rows()).collect(), ..Face::default() };
    let open = |face: &Face| unit.is_none_or(|unit| face.sign(unit.column).is_eq());
    while !face.rows.is_empty() && open(&face) {
        let question = mirrored(design, &face.rows, unit)?;
        match decide(&question, limits, watch)?.outcome {
            Outcome::Separable { hyperplane, proof, .. } => {
                let strict = std::mem::take(&mut face.rows);
                let (weights, signs) = (largest_at_one(hyperplane.weights), signs(&proof));
                face.steps.push(Step { weights, signs, strict });
            }
            Outcome::QuasiSeparable { separator, .. } => {
                let (left, strict) = split(design, &face.rows, &separator.weights);
                face.rows = left;
                face.steps.push(Step {
                    weights: largest_at_one(rounded(&separator.weights)),
                    signs: separator.weights.iter().map(sign).collect(),
                    strict,
                });
            }
            Outcome::Inseparable { conflict, .. } => {
                face.conflict = originals(&face.rows, &conflict.rows(), unit);
                break;
            }
            Outcome::Undecided { because, .. } => {
                face.stopped = Some(because);
                break;
            }
        }
    }
    Ok(face)
}

/// Returns one direction of floats: each step so small that it undoes nothing of those before it. The
/// largest weight is 1.
pub(super) fn direction(design: &Samples, face: &Face) -> Vec<f64> {
    let score = |i: usize, g: &[f64]| {
        let value = design.features().dot(i, g);
        if design.positive()[i] { value } else { -value }
    };
    let mut direction = vec![0.0; design.columns()];
    let mut strict: Vec<usize> = vec![];
    for step in &face.steps {
        let size = strict.iter().fold(1.0, |size: f64, &i| {
            let (score, change) = (score(i, &direction), score(i, &step.weights));
            if score > 0.0 && change < 0.0 { size.min(0.5 * score / -change) } else { size }
        });
        direction.iter_mut().zip(&step.weights).for_each(|(g, w)| *g += size * w);
        strict.extend(&step.strict);
    }
    largest_at_one(direction)
}

/// Returns the rows on which the weights vanish, without rounding, and the others.
fn split(design: &Samples, rows: &[usize], weights: &[IBig]) -> (Vec<usize>, Vec<usize>) {
    let bias = IBig::ZERO;
    let plane = ExactPlane::new(weights, &bias);
    rows.par_iter().partition(|&&i| plane.sign(Row::of(design.features(), i)).is_eq())
}

/// Returns which rows, rising, these of the mirrored ones come from.
fn originals(rows: &[usize], mirrored: &[usize], unit: Option<Unit>) -> Vec<usize> {
    let half = rows.len() + usize::from(unit.is_some());
    let mut found: Vec<usize> =
        mirrored.iter().filter_map(|k| rows.get(k % half)).copied().collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn largest_at_one(mut weights: Vec<f64>) -> Vec<f64> {
    let largest = weights.iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
    if largest > 0.0 {
        weights.iter_mut().for_each(|w| *w /= largest);
    }
    weights
}

/// Returns the signs of the weights with which a separator was proven.
fn signs(proof: &Proof) -> Vec<Ordering> {
    let Claim::Separable { hyperplane } = &proof.claim else {
        unreachable!("the proof of a separator");
    };
    match hyperplane {
        Plane::Floats(plane) => {
            plane.weights.iter().map(|w| w.partial_cmp(&0.0).expect("finite")).collect()
        }
        Plane::Integers(plane) => plane.weights.iter().map(sign).collect(),
    }
}

fn sign(weight: &IBig) -> Ordering {
    weight.cmp(&IBig::ZERO)
}
