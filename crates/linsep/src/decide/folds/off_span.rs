//! Rows off the span of others, exactly.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use super::super::exact::modular::Residues;
use crate::random::draw;

/// Finds rows (x, 1) whose product with a vector is not zero, modulo a prime: if the vector is orthogonal to
/// some rows, these are not combinations of them. Of many, it keeps some that are spread over the data.
pub struct OffSpan<'a> {
    vector: &'a [u64],
    residues: &'a Residues,
    keep: usize,
    /// What orders them at random, and their numbers.
    found: Vec<(u64, usize)>,
}

impl<'a> OffSpan<'a> {
    /// Returns the search in no rows yet.
    pub fn new(vector: &'a [u64], residues: &'a Residues, keep: usize) -> Self {
        OffSpan { vector, residues, keep, found: vec![] }
    }

    /// Returns the rows, rising, once all have been seen.
    pub fn rows(mut self) -> Vec<usize> {
        self.trim();
        let mut rows: Vec<usize> = self.found.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }

    fn find(&mut self, row: usize) {
        self.found.push((draw(&mut (row as u64)), row));
    }

    fn trim(&mut self) {
        self.found.sort_unstable();
        self.found.truncate(self.keep);
    }
}

impl Fold for OffSpan<'_> {
    fn fresh(&self) -> Self {
        OffSpan::new(self.vector, self.residues, self.keep)
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let mut product = self.residues.product();
            samples.features().for_each(place, |k, v| product.add(v, self.vector[k]));
            product.add(1.0, self.vector[samples.columns()]);
            if product.value() != 0 {
                self.find(block.number(place));
                if self.found.len() > 2 * self.keep + 64 {
                    self.trim();
                }
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.found.extend(other.found);
        self.trim();
        self
    }
}

impl Kept for OffSpan<'_> {
    fn kind(&self) -> String {
        "rows off a span".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        (self.vector.to_vec(), self.residues.prime(), self.keep).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.named().put(out);
    }

    fn named(&self) -> Vec<usize> {
        let mut kept = self.found.clone();
        kept.sort_unstable();
        kept.truncate(self.keep);
        kept.into_iter().map(|(_, row)| row).collect()
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        let rows: Vec<usize> = Bytes::take(from)?;
        let fits = rows.len() <= self.keep && rows.iter().all(|&row| row < shape.rows);
        rows.into_iter().for_each(|row| self.find(row));
        fits.then_some(())
    }
}
