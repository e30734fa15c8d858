//! The sums of the lifted rows of each class.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use crate::kernels::Grid;
use crate::lift::Rows;

/// Sums the lifted rows of each class, on a grid: the same bits in any order.
pub struct ClassSums {
    grid: Grid,
    /// Of the negative class, of the positive one.
    sums: [Vec<f64>; 2],
}

impl ClassSums {
    /// Returns the sums of no rows yet, of data of this shape.
    pub fn new(shape: Shape) -> Self {
        // Coordinates of a lifted row lie between -1 and 1.
        let grid = Grid::new(shape.rows, 1.0);
        ClassSums { grid, sums: [0, 1].map(|_| vec![0.0; shape.columns + 1]) }
    }

    /// Returns the sum of the lifted rows z.
    pub fn total(&self) -> Vec<f64> {
        self.combined(|negative, positive| positive + negative)
    }

    /// Returns the sum of y z: labels do not turn rows round.
    pub fn unsigned(&self) -> Vec<f64> {
        self.combined(|negative, positive| positive - negative)
    }

    fn combined(&self, each: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        self.sums[0].iter().zip(&self.sums[1]).map(|(&n, &p)| each(n, p)).collect()
    }
}

impl Fold for ClassSums {
    fn fresh(&self) -> Self {
        let sums = [0, 1].map(|_| vec![0.0; self.sums[0].len()]);
        ClassSums { grid: self.grid, sums }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        for i in block.places() {
            let class = usize::from(block.samples().positive()[i]);
            rows.add_on(self.grid, i, 1.0, &mut self.sums[class]);
        }
    }

    fn merge(mut self, other: Self) -> Self {
        let pairs = self.sums.iter_mut().flatten().zip(other.sums.iter().flatten());
        pairs.for_each(|(a, b)| *a += b);
        self
    }
}

impl Kept for ClassSums {
    fn kind(&self) -> String {
        "class sums".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        self.sums[0].len().put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.sums.iter().for_each(|sum| sum.put(out));
    }

    fn restore(&mut self, from: &mut &[u8], _: Shape) -> Option<()> {
        self.sums.iter_mut().try_for_each(|sum| super::restore_sums(sum, from))
    }
}
