//! Rows off the span of others, exactly.

use std::sync::OnceLock;

use linsep_data::hash::mix;
use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use super::super::exact::modular::{FloatResidues, PRIMES, Prime};

/// Finds rows (x, 1) whose product with a vector is not zero, modulo a prime: if the vector is orthogonal to
/// some rows, these are not combinations of them. Of many, it keeps some that are spread over the data.
#[derive(Clone, Serialize, Deserialize)]
pub struct OffSpan {
    vector: Vec<u64>,
    prime: u64,
    keep: usize,
    #[serde(skip)]
    residues: OnceLock<FloatResidues>,
}

/// Some rows, in the order of what their numbers are mixed to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OffSpanState(Vec<usize>);

impl OffSpan {
    /// Returns the search for at most `keep` rows.
    pub fn new(vector: Vec<u64>, prime: Prime, keep: usize) -> Self {
        OffSpan { vector, prime: prime.0, keep, residues: OnceLock::new() }
    }
}

impl OffSpanState {
    /// Returns the rows, rising, once all have been seen.
    pub fn rows(mut self) -> Vec<usize> {
        self.0.sort_unstable();
        self.0
    }
}

impl FoldQuery for OffSpan {
    type State = OffSpanState;

    fn begin(&self) -> OffSpanState {
        OffSpanState::default()
    }

    fn absorb(&self, state: &mut OffSpanState, block: &Block<'_>) {
        let samples = block.samples();
        let residues = self.residues.get_or_init(|| FloatResidues::new(Prime(self.prime)));
        for place in block.places() {
            let mut product = residues.product();
            samples.features().for_each(place, |k, v| product.add(v, self.vector[k]));
            product.add(1.0, self.vector[samples.columns()]);
            if product.value() != 0 {
                state.0.push(block.number(place));
                if state.0.len() / 2 > self.keep.saturating_add(32) {
                    self.settle(state);
                }
            }
        }
    }

    fn merge(&self, state: &mut OffSpanState, other: OffSpanState) {
        state.0.extend(other.0);
        self.settle(state);
    }

    fn settle(&self, state: &mut OffSpanState) {
        state.0.sort_unstable_by_key(|&row| mix(row as u64));
        state.0.truncate(self.keep);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.vector.len() == shape.columns + 1
            && PRIMES.contains(&self.prime)
            && self.vector.iter().all(|&residue| residue < self.prime)
    }

    fn admits(&self, state: &OffSpanState, shape: Shape) -> bool {
        state.0.len() <= self.keep && state.0.iter().all(|&row| row < shape.rows)
    }

    fn named(&self, state: &OffSpanState) -> Vec<usize> {
        state.0.clone()
    }
}
