//! Features that speak for one class alone.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

/// Finds features of which y x is never negative, or never positive, and not always zero: each is a
/// weak separator by itself.
pub struct OneSided {
    above: Vec<bool>,
    below: Vec<bool>,
}

impl OneSided {
    /// Returns the search in no rows yet, of data of this shape.
    pub fn new(shape: Shape) -> Self {
        OneSided { above: vec![false; shape.columns], below: vec![false; shape.columns] }
    }

    /// Returns the first such feature and the sign of y x in it, once all rows have been seen.
    pub fn first(&self) -> Option<(usize, i32)> {
        let k = (0..self.above.len()).find(|&k| self.above[k] != self.below[k])?;
        Some((k, if self.above[k] { 1 } else { -1 }))
    }
}

impl Fold for OneSided {
    fn fresh(&self) -> Self {
        let none = vec![false; self.above.len()];
        OneSided { above: none.clone(), below: none }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        for i in block.places() {
            let positive = samples.positive()[i];
            samples.features().for_each(i, |k, v| {
                self.above[k] |= if positive { v > 0.0 } else { v < 0.0 };
                self.below[k] |= if positive { v < 0.0 } else { v > 0.0 };
            });
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.above.iter_mut().zip(other.above).for_each(|(a, b)| *a |= b);
        self.below.iter_mut().zip(other.below).for_each(|(a, b)| *a |= b);
        self
    }
}

impl Kept for OneSided {
    fn kind(&self) -> String {
        "features of one sign".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        self.above.len().put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        (self.above.clone(), self.below.clone()).put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        (self.above, self.below) = Bytes::take(from)?;
        (self.above.len() == shape.columns && self.below.len() == shape.columns).then_some(())
    }
}
