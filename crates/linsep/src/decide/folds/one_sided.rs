//! Features that speak for one class alone.

use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

/// Finds features whose y x is never negative, or never positive, and not always zero: each is a
/// weak separator by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OneSided {
    columns: usize,
}

/// In which features y x was positive, and in which negative.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OneSidedState {
    above: Vec<bool>,
    below: Vec<bool>,
}

impl OneSided {
    /// Returns the search in data of this shape.
    pub fn new(shape: Shape) -> Self {
        OneSided { columns: shape.columns }
    }
}

impl OneSidedState {
    /// Returns the first such feature and the sign of y x in it, once all rows have been seen.
    pub fn first(&self) -> Option<(usize, i32)> {
        let k = (0..self.above.len()).find(|&k| self.above[k] != self.below[k])?;
        Some((k, if self.above[k] { 1 } else { -1 }))
    }
}

impl FoldQuery for OneSided {
    type State = OneSidedState;

    fn begin(&self) -> OneSidedState {
        OneSidedState { above: vec![false; self.columns], below: vec![false; self.columns] }
    }

    fn absorb(&self, OneSidedState { above, below }: &mut OneSidedState, block: &Block<'_>) {
        let samples = block.samples();
        for i in block.places() {
            let positive = samples.positive()[i];
            samples.features().for_each(i, |k, v| {
                above[k] |= if positive { v > 0.0 } else { v < 0.0 };
                below[k] |= if positive { v < 0.0 } else { v > 0.0 };
            });
        }
    }

    fn merge(&self, state: &mut OneSidedState, other: OneSidedState) {
        state.above.iter_mut().zip(other.above).for_each(|(a, b)| *a |= b);
        state.below.iter_mut().zip(other.below).for_each(|(a, b)| *a |= b);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.columns == shape.columns
    }

    fn admits(&self, state: &OneSidedState, shape: Shape) -> bool {
        state.above.len() == shape.columns && state.below.len() == shape.columns
    }
}
