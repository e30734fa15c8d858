//! Rows on the wrong side of a hyperplane with integer weights, exactly.

use std::cmp::Ordering;

use linsep_data::{Block, FoldQuery, Samples, Shape};
use linsep_proof::exact::{ExactPlane, Row};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Astray {
    plane: ExactPlane,
    strict: bool,
    most: usize,
}

impl Astray {
    /// Returns the search for at most `most` rows.
    pub fn new(plane: ExactPlane, strict: bool, most: usize) -> Self {
        Astray { plane, strict, most }
    }
}

impl FoldQuery for Astray {
    /// The rows, rising.
    type State = Vec<usize>;

    fn begin(&self) -> Vec<usize> {
        vec![]
    }

    fn absorb(&self, rows: &mut Vec<usize>, block: &Block<'_>) {
        for place in block.places() {
            if off(&self.plane, self.strict, block.samples(), place) {
                rows.push(block.number(place));
            }
        }
        self.settle(rows);
    }

    fn merge(&self, rows: &mut Vec<usize>, other: Vec<usize>) {
        rows.extend(other);
        self.settle(rows);
    }

    fn settle(&self, rows: &mut Vec<usize>) {
        rows.sort_unstable();
        rows.truncate(self.most);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.plane.features() == shape.columns
    }

    fn admits(&self, rows: &Vec<usize>, shape: Shape) -> bool {
        rows.len() <= self.most && rows.iter().all(|&row| row < shape.rows)
    }

    fn named(&self, rows: &Vec<usize>) -> Vec<usize> {
        rows.clone()
    }
}
