//! Rows on the wrong side of a hyperplane with integer weights, exactly.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Samples, Shape};
use linsep_proof::exact::{ExactPlane, Row};

/// Returns true if a row is on the wrong side, or on the hyperplane where that is not enough.
pub fn off(plane: &ExactPlane, strict: bool, samples: &Samples, place: usize) -> bool {
    let sign = plane.sign(Row::of(samples.features(), place));
    match if samples.positive()[place] { sign } else { sign.reverse() } {
        Ordering::Less => true,
        Ordering::Equal => strict,
        Ordering::Greater => false,
    }
}

/// Finds the first rows that are not where they should be.
pub struct Astray<'a> {
    w: &'a [IBig],
    plane: &'a ExactPlane<'a>,
    strict: bool,
    most: usize,
    rows: Vec<usize>,
}

impl<'a> Astray<'a> {
    /// Returns the search in no rows yet for at most so many; `w` is the plane, its bias last.
    pub fn new(w: &'a [IBig], plane: &'a ExactPlane<'a>, strict: bool, most: usize) -> Self {
        Astray { w, plane, strict, most, rows: vec![] }
    }

    /// Returns the rows, rising, once all have been seen.
    pub fn rows(self) -> Vec<usize> {
        self.rows
    }

    fn keep(&mut self) {
        self.rows.sort_unstable();
        self.rows.truncate(self.most);
    }
}

impl Fold for Astray<'_> {
    fn fresh(&self) -> Self {
        Astray { rows: vec![], ..*self }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        for place in block.places() {
            if off(self.plane, self.strict, block.samples(), place) {
                self.rows.push(block.number(place));
            }
        }
        self.keep();
    }

    fn merge(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self.keep();
        self
    }
}

impl Kept for Astray<'_> {
    fn kind(&self) -> String {
        "rows astray".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        let w: Vec<Vec<u8>> = self.w.iter().map(|weight| weight.to_le_bytes().into_vec()).collect();
        (w, self.strict, self.most).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.rows.put(out);
    }

    fn named(&self) -> Vec<usize> {
        self.rows.clone()
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.rows = Bytes::take(from)?;
        let fits = self.rows.len() <= self.most;
        (fits && self.rows.iter().all(|&row| row < shape.rows)).then_some(())
    }
}
