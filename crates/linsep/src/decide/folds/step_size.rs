//! How far a vector can be moved before a row that it puts on its side is lost.

use linsep_data::{Block, FoldQuery, Samples, Shape};
use linsep_proof::exact::ExactPlane;
use serde::{Deserialize, Serialize};

use super::on_planes::lies_on;
use crate::kernels::RowArithmetic;

/// Finds a step size, 1 at most, at which every row off the planes keeps half of its score, as floats have
/// it. Vectors have the bias last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepSize {
    planes: Vec<ExactPlane>,
    from: Vec<f64>,
    step: Vec<f64>,
}

impl StepSize {
    /// Returns the search for the size of a step from a vector.
    pub fn new(planes: Vec<ExactPlane>, from: Vec<f64>, step: Vec<f64>) -> Self {
        StepSize { planes, from, step }
    }
}

/// Returns y (w·x + b).
fn score(samples: &Samples, place: usize, w: &[f64]) -> f64 {
    let (bias, weights) = w.split_last().expect("a bias");
    let value = samples.features().dot(place, weights) + bias;
    if samples.positive()[place] { value } else { -value }
}

impl FoldQuery for StepSize {
    /// The size.
    type State = f64;

    fn begin(&self) -> f64 {
        1.0
    }

    fn absorb(&self, size: &mut f64, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let change = score(samples, place, &self.step);
            let before = score(samples, place, &self.from);
            let limits = change < 0.0 && before > 0.0 && 0.5 * before < *size * -change;
            if limits && !lies_on(&self.planes, samples.features(), place) {
                *size = size.min(0.5 * before / -change);
            }
        }
    }

    fn merge(&self, size: &mut f64, other: f64) {
        *size = size.min(other);
    }

    fn fits(&self, shape: Shape) -> bool {
        let vectors = [&self.from, &self.step];
        self.planes.iter().all(|plane| plane.features() == shape.columns)
            && vectors.iter().all(|vector| vector.len() == shape.columns + 1)
    }

    fn admits(&self, size: &f64, _: Shape) -> bool {
        (0.0..=1.0).contains(size)
    }
}
