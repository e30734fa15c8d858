//! The checker's look at all rows, where they are on other machines: what it asks for and what it finds, as
//! bytes.

use linsep_data::Kept;
use linsep_data::Shape;
use linsep_data::kept::{Bytes, Findings, Job};
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::margin::SidesAndMargin;
use crate::proof::{FloatPlane, Integers, MarginKind, Plane};
use crate::removal::Rest;
use crate::verify::{Looks, Sides};

/// What a look asks for.
#[derive(Serialize, Deserialize)]
struct Asked {
    fingerprint: bool,
    sides: Option<Plane>,
    margin: Option<(MarginKind, FloatPlane)>,
    orthogonal: Vec<Integers>,
    /// A hyperplane, and the rows that do not count.
    rest: Option<(Plane, Vec<usize>)>,
}

impl Asked {
    /// Returns the look at no rows yet. Nothing if a vector does not have one weight per feature.
    fn looks(&self, shape: Shape) -> Option<Looks<'_>> {
        let width = |plane: &Plane| match plane {
            Plane::Floats(plane) => plane.weights.len(),
            Plane::Integers(plane) => plane.weights.len(),
        };
        let rest = self.rest.iter().map(|(plane, _)| plane);
        let planes = self.sides.iter().chain(rest).map(width);
        let planes = planes.chain(self.margin.iter().map(|(_, plane)| plane.weights.len()));
        let mut widths = planes.chain(self.orthogonal.iter().map(|v| v.0.len().wrapping_sub(1)));
        widths.all(|width| width == shape.columns).then(|| Looks {
            fingerprint: self.fingerprint.then(|| Fingerprint::of(shape)),
            sides: self.sides.as_ref().map(Sides::of),
            margin: self
                .margin
                .as_ref()
                .map(|(kind, plane)| SidesAndMargin::new(*kind, &plane.weights, plane.bias)),
            orthogonal: self.orthogonal.iter().map(Sides::of_vector).collect(),
            rest: self.rest.as_ref().map(|(plane, removed)| Rest::of(plane, removed.clone())),
        })
    }
}

/// Does a job for a look that a request asks for, and adds what it has found; the question is taken off the
/// front. Nothing if the bytes cannot be that.
pub fn look(question: &mut &[u8], shape: Shape, job: &mut Job, out: &mut Findings) -> Option<()> {
    let asked: Asked = serde_json::from_str(&String::take(question)?).ok()?;
    job.on(asked.looks(shape)?, shape, out)
}

/// A row, or none, as a number.
fn number(row: Option<usize>) -> usize {
    row.unwrap_or(usize::MAX)
}

/// Takes a row, or none, off the front.
fn row(from: &mut &[u8], shape: Shape) -> Option<Option<usize>> {
    match usize::take(from)? {
        usize::MAX => Some(None),
        row => (row < shape.rows).then_some(Some(row)),
    }
}

impl Kept for Looks<'_> {
    fn kind(&self) -> String {
        KIND.to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        let asked = Asked {
            fingerprint: self.fingerprint.is_some(),
            sides: self.sides.as_ref().map(Sides::plane),
            margin: self.margin.as_ref().map(SidesAndMargin::asked),
            orthogonal: self.orthogonal.iter().map(Sides::vector).collect(),
            rest: self.rest.as_ref().map(|rest| (rest.sides.plane(), rest.removed.to_vec())),
        };
        serde_json::to_string(&asked).expect("plain data").put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.fingerprint.save(out);
        for sides in self.sides.iter().chain(&self.orthogonal) {
            (number(sides.wrong), number(sides.on), number(sides.own)).put(out);
        }
        if let Some(margin) = &self.margin {
            (number(margin.astray), margin.lower).put(out);
        }
        if let Some(Rest { astray, classes: [negative, positive], .. }) = &self.rest {
            (number(*astray), *negative, *positive).put(out);
        }
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.fingerprint.restore(from, shape)?;
        for sides in self.sides.iter_mut().chain(&mut self.orthogonal) {
            sides.wrong = row(from, shape)?;
            sides.on = row(from, shape)?;
            sides.own = row(from, shape)?;
        }
        if let Some(margin) = &mut self.margin {
            margin.astray = row(from, shape)?;
            margin.lower = f64::take(from)?;
        }
        if let Some(rest) = &mut self.rest {
            rest.astray = row(from, shape)?;
            rest.classes = [bool::take(from)?, bool::take(from)?];
        }
        Some(())
    }
}

/// What a look is called in a request.
pub const KIND: &str = "look of the checker";
