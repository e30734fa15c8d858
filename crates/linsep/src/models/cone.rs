//! The directions g with v·g >= 0 for all structure vectors v: on which vectors do all of them vanish?
//!
//! ```text
//! face = all vectors
//! repeat   ask whether some g has v·g > 0 on all vectors of the face
//!          yes: no vector is left on the face
//!          no, but some W has v·W >= 0 there, and > 0 somewhere: the vectors with v·W = 0 are left
//!          neither: all directions vanish on the face
//! ```
//!
//! Each answer is a step. With every step so small that it undoes nothing of those before it, their sum
//! g = W1 + e W2 + e^2 W3 + ... is a direction that is strict off the face. The last answer also proves what is
//! orthogonal to the face: the space of all directions.
//!
//! Which vectors are on the face is nowhere listed where rows are not in memory: the steps tell it of each row.

use std::sync::Arc;

use dashu_int::IBig;
use linsep_data::Error;
use linsep_proof::exact::parts;
use linsep_proof::proof::{Claim, Integers};
use linsep_proof::{Plane, Proof, name_data};

use super::allowance::Allowance;
use super::question::DirectionQuestion;
use super::space::Space;
use crate::decide::{
    DecideError, Directions, Halt, Limit, Mirror, OnPlanes, OnPlanesState, Outcome, StandIn,
    StepSize, Watch, decide_data, in_lowest_terms, planes, rounded,
};
use crate::queries::fold;

/// What all directions have in common.
#[derive(Debug)]
pub(super) struct Face {
    /// How many rows are on it, or were at a limit: every direction vanishes on them.
    pub rows: usize,
    /// How many of the vectors of observations are.
    pub vectors: usize,
    /// Rows among them, rising, that show it.
    pub conflict: Vec<usize>,
    /// All directions lie in it.
    pub space: Space,
    /// Why the search ended early, if it did.
    pub stopped: Option<Limit>,
    /// The proof of the first answer.
    pub proof: Option<Proof>,
    /// The answers on the way: directions, the bias last.
    steps: Vec<Vec<IBig>>,
    /// Those of them that are weak separators: rows on all of them are on the face, unless none is left there.
    planes: Vec<Vec<IBig>>,
    /// A row on the face, once some rows are off it, and one off it.
    stand_ins: [StandIn; 2],
    /// Which rows are on the face, where rows are in memory and some are off it.
    on: Option<Arc<Vec<bool>>>,
}

impl Face {
    /// Returns how many answers there were on the way: with one, some direction separates some rows.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Returns how the rows on the face are shown.
    pub fn on(&self) -> Mirror {
        let (planes, known) = (planes(&self.planes), self.on.clone());
        Mirror { planes, known, stand_in: self.stand_ins[0].clone(), ..Mirror::default() }
    }

    /// Returns how the rows off the face are shown.
    pub fn off(&self) -> Mirror {
        match self.rows {
            0 => Mirror::default(),
            _ => Mirror { off: true, stand_in: self.stand_ins[1].clone(), ..self.on() },
        }
    }

    /// Returns the first vectors off the face, rising, at most `most`. Costs a pass if rows are both on and off it.
    pub fn rows_off(&self, question: &DirectionQuestion, most: usize) -> Result<Vec<usize>, Error> {
        match (self.rows, &self.on) {
            (0, _) => Ok((0..question.vectors.min(most)).collect()),
            (rows, _) if rows == question.data.shape().rows || most == 0 => Ok(vec![]),
            (_, Some(on)) => Ok((0..question.vectors).filter(|&k| !on[k]).take(most).collect()),
            _ => Ok(fold(question.data, &OnPlanes::new(planes(&self.planes), most))?.off),
        }
    }

    /// Takes note of a weak separator: fewer rows are left.
    fn narrow(&mut self, question: &DirectionQuestion, separator: Vec<IBig>) -> Result<(), Error> {
        self.planes.push(separator.clone());
        self.steps.push(separator);
        let data = question.data;
        let list = data.fits();
        let most = if list { usize::MAX } else { 1 };
        let OnPlanesState { count, first, off } =
            fold(data, &OnPlanes::new(planes(&self.planes), most))?;
        (self.rows, self.vectors) = (count, count - (data.shape().rows - question.vectors));
        if list {
            let mut on = vec![true; data.shape().rows];
            off.iter().for_each(|&row| on[row] = false);
            self.on = Some(Arc::new(on));
        }
        for (at, row) in [first, off.first().copied()].into_iter().enumerate() {
            if let Some(row) = row {
                self.stand_ins[at] = stand_in(question, row)?;
            }
        }
        Ok(())
    }
}

fn stand_in(question: &DirectionQuestion, row: usize) -> Result<StandIn, Error> {
    let samples = question.data.fetch(&[row])?;
    let mut values = vec![];
    samples.features().for_each(0, |k, v| {
        if v != 0.0 {
            values.push((k, v));
        }
    });
    Ok((row, samples.positive()[0], values))
}

/// Returns the face of all rows.
pub(super) fn face(
    question: &DirectionQuestion,
    allowance: &Allowance,
    watch: &mut dyn Watch,
) -> Result<Face, DecideError> {
    // Without the bias, where that means nothing, or the same as a column.
    let without = question.doubled || question.constant.is_some();
    let everything = question.dimension() - usize::from(without);
    let mut face = Face {
        rows: question.data.shape().rows,
        vectors: question.vectors,
        conflict: vec![],
        space: Space::All(everything),
        stopped: None,
        proof: None,
        steps: vec![],
        planes: vec![],
        stand_ins: Default::default(),
        on: None,
    };
    if let Some(positive) = question.one_class {
        one_class(question, positive, &mut face)?;
        return Ok(face);
    }
    while face.rows > 0 {
        let shown = question.shown(face.on());
        let decision = decide_data(&shown, &allowance.left(), watch)?;
        match &decision.outcome {
            Outcome::Separable { proof, .. } => {
                face.steps.push(question.direction(claimed(proof)));
                (face.rows, face.vectors) = (0, 0);
            }
            Outcome::QuasiSeparable { separator, .. } => {
                let vector = separator.weights.iter().chain([&separator.bias]).cloned().collect();
                face.narrow(question, question.direction(vector))?;
            }
            Outcome::Inseparable { overlap, proof, .. } => {
                face.conflict = shown.originals(&overlap.rows())?;
                face.conflict.retain(|&row| row < question.vectors);
                face.space = Space::Spanned(orthogonal(question, proof));
            }
            Outcome::Undecided { because, conflict, .. } => {
                face.stopped = Some(*because);
                if let Some(conflict) = conflict {
                    face.conflict = shown.originals(&conflict.rows())?;
                    face.conflict.retain(|&row| row < question.vectors);
                }
            }
        }
        if let (None, Some(proof)) = (&face.proof, decision.proof()) {
            face.proof = Some(proof.clone());
        }
        if !matches!(decision.outcome, Outcome::Separable { .. } | Outcome::QuasiSeparable { .. }) {
            break;
        }
        if face.rows > 0
            && let Some(limit) = allowance.limit(watch.cancelled())
        {
            face.stopped = Some(limit);
            break;
        }
    }
    Ok(face)
}

/// Takes note that the bias alone separates rows of one label.
fn one_class(question: &DirectionQuestion, positive: bool, face: &mut Face) -> Result<(), Error> {
    let shape = question.data.shape();
    let mut step = vec![IBig::ZERO; shape.columns + 1];
    step[shape.columns] = if positive { IBig::ONE } else { -IBig::ONE };
    let (bias, weights) = step.split_last().expect("a bias");
    let hyperplane = Plane::from((weights.to_vec(), bias.clone()));
    let named = name_data(question.data)?;
    face.proof = Some(Proof::about(named.name().clone(), Claim::Separable { hyperplane }));
    face.steps.push(step);
    (face.rows, face.vectors) = (0, 0);
    Ok(())
}

/// Returns the hyperplane of a proof that rows are separable, in integers.
pub(super) fn claimed(proof: &Proof) -> Vec<IBig> {
    let Claim::Separable { hyperplane } = &proof.claim else {
        unreachable!("the proof of a separator");
    };
    match hyperplane {
        Plane::Floats(plane) => integers(plane.weights.iter().chain([&plane.bias]).copied()),
        Plane::Integers(plane) => plane.weights.iter().chain([&plane.bias]).cloned().collect(),
    }
}

/// Returns floats as integers, all times one power of two.
pub(super) fn integers(floats: impl Iterator<Item = f64>) -> Vec<IBig> {
    let numbers: Vec<(i64, i32)> = floats.map(parts).collect();
    let lowest = numbers.iter().filter(|(m, _)| *m != 0).map(|(_, e)| *e).min().unwrap_or(0);
    let integer = |(m, e): (i64, i32)| match m {
        0 => IBig::ZERO,
        _ => IBig::from(m) << (e - lowest) as usize,
    };
    in_lowest_terms(numbers.into_iter().map(integer).collect())
}

/// Returns what a proof says that all rows are orthogonal to.
fn orthogonal(question: &DirectionQuestion, proof: &Proof) -> Vec<Vec<IBig>> {
    let Claim::Inseparable { orthogonal, .. } = &proof.claim else {
        unreachable!("the proof that nothing separates");
    };
    orthogonal.iter().map(|Integers(v)| question.direction(v.clone())).collect()
}

/// Returns a direction that is strict off the face: each step so small that it undoes nothing of those before
/// it. None if all rows are on the face. Costs passes for each step but the first. Nothing if it was halted.
pub(super) fn interior(
    question: &DirectionQuestion,
    face: &Face,
    halt: Halt,
) -> Result<Option<Option<Vec<IBig>>>, Error> {
    let Some(first) = face.steps.first() else {
        return Ok(Some(None));
    };
    let mut direction = first.clone();
    for (k, step) in face.steps.iter().enumerate().skip(1) {
        if halt() {
            return Ok(None);
        }
        // The rows that are strict so far are those off the planes of the steps before.
        let before = planes(&face.planes[..k]);
        let (from, by) = (rounded(&direction), rounded(step));
        let size = fold(question.data, &StepSize::new(before, from, by))?;
        let mut shift =
            (-libm::log2(size)).ceil().clamp(0.0, 1e4) as i64 + bits(step) - bits(&direction);
        loop {
            let moved = |(d, s): (&IBig, &IBig)| match shift {
                0.. => (d << shift as usize) + s,
                _ => d + (s << -shift as usize),
            };
            let next: Vec<IBig> = direction.iter().zip(step).map(moved).collect();
            if is_strict(question, face, k, &next)? {
                direction = next;
                break;
            }
            if halt() {
                return Ok(None);
            }
            shift += 8;
        }
    }
    Ok(Some(Some(in_lowest_terms(direction))))
}

/// Returns true if a direction is strict on the rows that the first k + 1 steps make strict.
fn is_strict(
    question: &DirectionQuestion,
    face: &Face,
    k: usize,
    g: &[IBig],
) -> Result<bool, Error> {
    let last = k + 1 == face.steps.len();
    let mirror = match last {
        true => face.off(),
        // What is off the planes so far; who is fetched in the place of others does not matter here.
        false => {
            let planes = planes(&face.planes[..=k]);
            Mirror { planes, off: true, stand_in: face.stand_ins[1].clone(), ..Mirror::default() }
        }
    };
    let rows = crate::decide::Mirrored::new(question.data, mirror);
    let vectors = [g.to_vec()];
    let found = fold(&rows, &Directions::new(planes(&vectors), true, 1))?.found();
    Ok(found[0].0 == 0)
}

/// Returns the number of bits of the largest number.
fn bits(vector: &[IBig]) -> i64 {
    use dashu_int::ops::BitTest;
    vector.iter().map(|v| v.bit_len() as i64).max().unwrap_or(0)
}
