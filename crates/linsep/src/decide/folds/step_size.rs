//! How far a vector can be moved before a row that it puts on its side is lost.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Samples, Shape};
use linsep_proof::exact::ExactPlane;

use super::on_planes::{lies_on, put};
use crate::kernels::RowArithmetic;

/// Finds a step size, 1 at most, at which every row off the planes keeps half of its score, as floats have
/// it. Vectors have the bias last.
pub struct StepSize<'a> {
    planes: &'a [ExactPlane<'a>],
    from: &'a [f64],
    step: &'a [f64],
    size: f64,
}

impl<'a> StepSize<'a> {
    /// Returns the size for no rows yet.
    pub fn new(planes: &'a [ExactPlane<'a>], from: &'a [f64], step: &'a [f64]) -> Self {
        StepSize { planes, from, step, size: 1.0 }
    }

    /// Returns the size, once all rows have been seen.
    pub fn size(&self) -> f64 {
        self.size
    }
}

/// Returns y (w·x + b).
fn score(samples: &Samples, place: usize, w: &[f64]) -> f64 {
    let (bias, weights) = w.split_last().expect("a bias");
    let value = samples.features().dot(place, weights) + bias;
    if samples.positive()[place] { value } else { -value }
}

impl Fold for StepSize<'_> {
    fn fresh(&self) -> Self {
        StepSize { size: 1.0, ..*self }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let change = score(samples, place, self.step);
            let before = score(samples, place, self.from);
            let limits = change < 0.0 && before > 0.0 && 0.5 * before < self.size * -change;
            if limits && !lies_on(self.planes, samples.features(), place) {
                self.size = self.size.min(0.5 * before / -change);
            }
        }
    }

    fn merge(self, other: Self) -> Self {
        StepSize { size: self.size.min(other.size), ..self }
    }
}

impl Kept for StepSize<'_> {
    fn kind(&self) -> String {
        "step size".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        put(self.planes, out);
        (self.from.to_vec(), self.step.to_vec()).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.size.put(out);
    }

    fn restore(&mut self, from: &mut &[u8], _: Shape) -> Option<()> {
        self.size = Bytes::take(from)?;
        (0.0..=1.0).contains(&self.size).then_some(())
    }
}
