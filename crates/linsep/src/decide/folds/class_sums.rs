//! The sums of the lifted rows of each class.

use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use crate::kernels::Grid;
use crate::lift::Rows;

/// Sums the lifted rows of each class, on a grid: the same bits in any order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassSums {
    shape: Shape,
}

/// The sums of the negative class, and of the positive one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassSumsState([Vec<f64>; 2]);

impl ClassSums {
    /// Returns the query for data of this shape.
    pub fn new(shape: Shape) -> Self {
        ClassSums { shape }
    }
}

impl ClassSumsState {
    /// Returns the sum of the lifted rows z.
    pub fn total(&self) -> Vec<f64> {
        self.combined(|negative, positive| positive + negative)
    }

    /// Returns the sum of y z: labels do not turn rows round.
    pub fn unsigned(&self) -> Vec<f64> {
        self.combined(|negative, positive| positive - negative)
    }

    fn combined(&self, each: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        self.0[0].iter().zip(&self.0[1]).map(|(&n, &p)| each(n, p)).collect()
    }
}

impl FoldQuery for ClassSums {
    type State = ClassSumsState;

    fn begin(&self) -> ClassSumsState {
        ClassSumsState([0, 1].map(|_| vec![0.0; self.shape.columns + 1]))
    }

    fn absorb(&self, state: &mut ClassSumsState, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        // Coordinates of a lifted row lie between -1 and 1.
        let grid = Grid::new(self.shape.rows, 1.0);
        for i in block.places() {
            let class = usize::from(block.samples().positive()[i]);
            rows.add_on(grid, i, 1.0, &mut state.0[class]);
        }
    }

    fn merge(&self, state: &mut ClassSumsState, other: ClassSumsState) {
        let pairs = state.0.iter_mut().flatten().zip(other.0.iter().flatten());
        pairs.for_each(|(a, b)| *a += b);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.shape == shape
    }

    fn admits(&self, state: &ClassSumsState, shape: Shape) -> bool {
        state.0.iter().all(|sums| super::are_sums(sums, shape.columns + 1))
    }
}
