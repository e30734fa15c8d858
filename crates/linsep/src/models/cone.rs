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
//!
//! Which rows are on the face is nowhere listed: the steps tell it of each row.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::kept::fold_kept;
use linsep_data::{Data, Error};
use linsep_proof::proof::Claim;
use linsep_proof::{Plane, Proof};

use crate::decide::{
    DecideError, DecideOptions, Limit, Mirror, Mirrored, OnPlanes, Outcome, StepSize, Unit, Watch,
    decide_data, planes, rounded,
};

/// A model's design: rows, and whether a constant comes before their columns.
#[derive(Clone, Copy)]
pub(super) struct Design<'a> {
    pub(super) data: &'a dyn Data,
    pub(super) constant: bool,
}

impl Design<'_> {
    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.data.shape().rows
    }

    /// Returns the number of columns with the constant.
    pub(super) fn columns(&self) -> usize {
        self.data.shape().columns + usize::from(self.constant)
    }

    /// Returns a vector for rows without the constant: what the constant has becomes the bias, at its end.
    fn bias_last<T: Clone>(&self, mut vector: Vec<T>, zero: T) -> Vec<T> {
        match self.constant {
            true => vector.rotate_left(1),
            false => vector.push(zero),
        }
        vector
    }

    /// Returns y x of a row, with the constant: the numbers that are not zero.
    fn signed_row(&self, row: usize) -> Result<Vec<(usize, f64)>, Error> {
        let samples = self.data.fetch(&[row])?;
        let (sign, shift) =
            (if samples.positive()[0] { 1.0 } else { -1.0 }, usize::from(self.constant));
        let mut values: Vec<(usize, f64)> =
            self.constant.then_some((0, sign)).into_iter().collect();
        samples.features().for_each(0, |k, v| {
            if v != 0.0 {
                values.push((k + shift, sign * v));
            }
        });
        Ok(values)
    }
}

/// What all directions have in common.
#[derive(Debug, Default)]
pub(super) struct Face {
    /// How many rows are on it, or were at a limit: every direction vanishes on them.
    pub(super) rows: usize,
    /// Rows among them, rising, that show it.
    pub(super) conflict: Vec<usize>,
    /// The way to a direction that is strict off the face.
    pub(super) steps: Vec<Step>,
    /// Why the search ended early, if it did.
    pub(super) stopped: Option<Limit>,
    /// The weak separators of the steps, the bias last: rows on all of them are on the face, unless none
    /// is left there.
    planes: Vec<Vec<IBig>>,
    /// A row on the face, and y x of it, once some rows are off it.
    stand_in: (usize, Vec<(usize, f64)>),
}

/// One answer of the engine.
#[derive(Debug)]
pub(super) struct Step {
    /// The weights as floats, the largest of them 1.
    weights: Vec<f64>,
    /// How each weight compares with zero, before rounding.
    signs: Vec<Ordering>,
}

impl Face {
    /// Returns the sign that the direction of all steps has in a column.
    pub(super) fn sign(&self, column: usize) -> Ordering {
        let signs = self.steps.iter().map(|step| step.signs[column]);
        signs.fold(Ordering::Equal, Ordering::then)
    }

    /// Returns how the rows on the face are shown to the engine, and the unit with them.
    pub(super) fn mirror(&self, constant: bool, unit: Option<Unit>) -> Mirror {
        let (planes, stand_in) = (self.planes.clone(), self.stand_in.clone());
        Mirror { constant, planes, stand_in, unit }
    }

    /// Returns the first rows off the face, rising, at most so many. Costs a pass if rows are on both.
    pub(super) fn off(&self, design: Design, most: usize) -> Result<Vec<usize>, Error> {
        match self.rows {
            0 => Ok((0..design.rows().min(most)).collect()),
            rows if rows == design.rows() || most == 0 => Ok(vec![]),
            _ => Ok(fold_kept(design.data, OnPlanes::new(&planes(&self.planes), most))?.off()),
        }
    }

    /// Takes note of a weak separator: fewer rows are left.
    fn narrow(&mut self, design: Design, weights: Vec<IBig>) -> Result<(), Error> {
        self.planes.push(design.bias_last(weights, IBig::ZERO));
        let planes = planes(&self.planes);
        let left = fold_kept(design.data, OnPlanes::new(&planes, 0))?;
        self.rows = left.count();
        if let Some(row) = left.first() {
            self.stand_in = (row, design.signed_row(row)?);
        }
        Ok(())
    }
}

/// Returns the face of the design. With a unit, a row more, the search ends once that is strict.
pub(super) fn face(
    design: Design,
    unit: Option<Unit>,
    limits: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Face, DecideError> {
    let mut face = Face { rows: design.rows(), ..Face::default() };
    let open = |face: &Face| unit.is_none_or(|unit| face.sign(unit.column).is_eq());
    while face.rows > 0 && open(&face) {
        let question = Mirrored::new(design.data, face.mirror(design.constant, unit));
        match decide_data(&question, limits, watch)?.outcome {
            Outcome::Separable { hyperplane, proof, .. } => {
                let (weights, signs) = (largest_at_one(hyperplane.weights), signs(&proof));
                face.steps.push(Step { weights, signs });
                face.rows = 0;
            }
            Outcome::QuasiSeparable { separator, .. } => {
                face.steps.push(Step {
                    weights: largest_at_one(rounded(&separator.weights)),
                    signs: separator.weights.iter().map(sign).collect(),
                });
                face.narrow(design, separator.weights)?;
            }
            Outcome::Inseparable { conflict, .. } => {
                face.conflict = question.originals(&conflict.rows())?;
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
/// largest weight is 1. Costs a pass per step but the first.
pub(super) fn direction(design: Design, face: &Face) -> Result<Vec<f64>, Error> {
    let mut direction = vec![0.0; design.columns()];
    for (k, step) in face.steps.iter().enumerate() {
        let size = if k == 0 {
            1.0
        } else {
            // The rows that are strict so far are those off the planes of the steps before.
            let planes = planes(&face.planes[..k]);
            let from = design.bias_last(direction.clone(), 0.0);
            let weights = design.bias_last(step.weights.clone(), 0.0);
            fold_kept(design.data, StepSize::new(&planes, &from, &weights))?.size()
        };
        direction.iter_mut().zip(&step.weights).for_each(|(g, w)| *g += size * w);
    }
    Ok(largest_at_one(direction))
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
