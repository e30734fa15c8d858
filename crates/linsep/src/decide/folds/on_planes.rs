//! Rows that lie on all of some hyperplanes with integer weights, exactly, and the others.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::kept::Bytes;
use linsep_data::{Block, Features, Fold, Kept, Shape};
use linsep_proof::exact::{ExactPlane, Row};

/// Returns hyperplanes given as vectors, the bias last, ready to tell sides.
pub fn planes(vectors: &[Vec<IBig>]) -> Vec<ExactPlane<'_>> {
    let parts = vectors.iter().map(|vector| vector.split_last().expect("a bias"));
    parts.map(|(bias, weights)| ExactPlane::new(weights, bias)).collect()
}

/// Returns true if row `i` lies on all planes.
pub fn lies_on(planes: &[ExactPlane], features: &Features, i: usize) -> bool {
    planes.iter().all(|plane| plane.sign(Row::of(features, i)) == Ordering::Equal)
}

/// Writes hyperplanes.
pub fn put(planes: &[ExactPlane], out: &mut Vec<u8>) {
    let bytes = |plane: &ExactPlane| {
        let (weights, bias) = plane.integers();
        let numbers = weights.iter().chain([bias]);
        numbers.map(|number| number.to_le_bytes().into_vec()).collect()
    };
    planes.iter().map(bytes).collect::<Vec<Vec<Vec<u8>>>>().put(out);
}

/// Takes hyperplanes off the front, as vectors; nothing if they are not for rows of so many features.
pub fn take(from: &mut &[u8], columns: usize) -> Option<Vec<Vec<IBig>>> {
    let vectors: Vec<Vec<Vec<u8>>> = Bytes::take(from)?;
    let fit = vectors.iter().all(|vector| vector.len() == columns + 1);
    let vector = |v: Vec<Vec<u8>>| v.iter().map(|bytes| IBig::from_le_bytes(bytes)).collect();
    fit.then(|| vectors.into_iter().map(vector).collect())
}

/// Counts the rows that lie on all planes, and finds the first of them and the first that do not.
pub struct OnPlanes<'a> {
    planes: &'a [ExactPlane<'a>],
    most: usize,
    count: usize,
    first: Option<usize>,
    off: Vec<usize>,
}

impl<'a> OnPlanes<'a> {
    /// Returns the search in no rows yet, for at most so many rows that do not lie on them.
    pub fn new(planes: &'a [ExactPlane<'a>], most: usize) -> Self {
        OnPlanes { planes, most, count: 0, first: None, off: vec![] }
    }

    /// Returns how many rows lie on all planes, once all have been seen.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the first row that lies on all planes, once all have been seen.
    pub fn first(&self) -> Option<usize> {
        self.first
    }

    /// Returns the first rows, rising, that do not, once all have been seen.
    pub fn off(mut self) -> Vec<usize> {
        self.trim();
        self.off
    }

    fn trim(&mut self) {
        self.off.sort_unstable();
        self.off.truncate(self.most);
    }
}

impl Fold for OnPlanes<'_> {
    fn fresh(&self) -> Self {
        OnPlanes::new(self.planes, self.most)
    }

    fn absorb(&mut self, block: &Block<'_>) {
        for place in block.places() {
            let row = block.number(place);
            if lies_on(self.planes, block.samples().features(), place) {
                self.count += 1;
                self.first = Some(self.first.map_or(row, |first| first.min(row)));
            } else if self.most > 0 {
                self.off.push(row);
                if self.off.len() / 2 > self.most {
                    self.trim();
                }
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.count += other.count;
        self.first = self.first.into_iter().chain(other.first).min();
        self.off.extend(other.off);
        if self.off.len() / 2 > self.most {
            self.trim();
        }
        self
    }
}

impl Kept for OnPlanes<'_> {
    fn kind(&self) -> String {
        "rows on hyperplanes".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        put(self.planes, out);
        self.most.put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        let mut off = self.off.clone();
        off.sort_unstable();
        off.truncate(self.most);
        (self.count, self.first.unwrap_or(usize::MAX), off).put(out);
    }

    fn named(&self) -> Vec<usize> {
        self.first.into_iter().collect()
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        let first;
        (self.count, first, self.off) = Bytes::take(from)?;
        self.first = (self.count > 0).then_some(first);
        let fits = self.first.is_none_or(|row| row < shape.rows) && self.count <= shape.rows;
        let fits = fits && self.off.len() <= self.most;
        (fits && self.off.iter().all(|&row| row < shape.rows)).then_some(())
    }
}
