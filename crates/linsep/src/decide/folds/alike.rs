//! Rows that may be the same row under both labels, wherever they are.
//!
//! `contradiction.rs` tells for rows in memory, by all that they hold; a pass over others can send no more than a key per
//! row, so what is found here is fetched and looked at there.

use std::collections::HashMap;

use linsep_data::hash::{draw, mix};
use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize, Serializer};

use crate::lift::Rows;

/// Values of rows that are remembered, about, however many rows there are.
const REMEMBERED: usize = 1 << 20;

/// Finds rows that share a key with a row of the other class.
///
/// The key of a row is its score by a fixed random vector, without the sign, mixed: the same for the same
/// row under either label. Of many rows only those with small keys are looked at: a sample of the values
/// that rows have, in which copies stay together. What is small goes by the number of rows, so that all
/// who look at some of them look at the same sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alike {
    w: Vec<f64>,
    limit: u64,
}

/// The first negative row and the first positive row of each key; [`NONE`] where there is none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AlikeState(#[serde(serialize_with = "by_key")] HashMap<u64, [usize; 2]>);

/// No row.
const NONE: usize = usize::MAX;

/// Writes pairs by their keys: the same pairs are the same bytes.
fn by_key<S: Serializer>(found: &HashMap<u64, [usize; 2]>, to: S) -> Result<S::Ok, S::Error> {
    let mut pairs: Vec<(&u64, &[usize; 2])> = found.iter().collect();
    pairs.sort_unstable();
    to.collect_map(pairs)
}

impl Alike {
    /// Returns the search in data of this shape.
    pub fn new(shape: Shape) -> Self {
        let mut state = 1;
        let w = (0..=shape.columns).map(|_| 1.0 + draw(&mut state) as f64 / u64::MAX as f64);
        let limit = u64::MAX / shape.rows.div_ceil(REMEMBERED).max(1) as u64;
        Alike { w: w.collect(), limit }
    }
}

impl AlikeState {
    /// Returns pairs of a negative and a positive row with the same key, the first of each, once all
    /// rows have been seen. The pair whose later row comes first is first.
    pub fn pairs(self) -> Vec<[usize; 2]> {
        let both = |pair: &[usize; 2]| !pair.contains(&NONE);
        let mut pairs: Vec<[usize; 2]> = self.0.into_values().filter(both).collect();
        pairs.sort_unstable_by_key(|pair| (pair[0].max(pair[1]), pair[0].min(pair[1])));
        pairs
    }

    fn note(&mut self, key: u64, [negative, positive]: [usize; 2]) {
        let pair = self.0.entry(key).or_insert([NONE; 2]);
        *pair = [pair[0].min(negative), pair[1].min(positive)];
    }
}

impl FoldQuery for Alike {
    type State = AlikeState;

    fn begin(&self) -> AlikeState {
        AlikeState::default()
    }

    fn absorb(&self, state: &mut AlikeState, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        for i in block.places() {
            let key = mix(rows.score(i, &self.w).abs().to_bits());
            if key <= self.limit {
                let mut pair = [NONE; 2];
                pair[usize::from(block.samples().positive()[i])] = block.number(i);
                state.note(key, pair);
            }
        }
    }

    fn merge(&self, state: &mut AlikeState, mut other: AlikeState) {
        if state.0.len() < other.0.len() {
            std::mem::swap(state, &mut other);
        }
        other.0.into_iter().for_each(|(key, pair)| state.note(key, pair));
    }

    fn fits(&self, shape: Shape) -> bool {
        self.w.len() == shape.columns + 1
    }

    fn admits(&self, state: &AlikeState, shape: Shape) -> bool {
        let fits = |row: usize| row < shape.rows || row == NONE;
        state.0.iter().all(|(&key, &[a, b])| key <= self.limit && fits(a) && fits(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::data::{Data, Memory};
    use crate::queries::fold;

    #[test]
    fn the_first_pair_of_copies_comes_first_and_few_rows_are_remembered() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i % 100)).collect();
        let labels = (0..400).map(|i| i >= 200).collect();
        let samples = Samples::dense(values, 1, labels).unwrap();
        let memory = Memory::new(&samples);
        let all = fold(&memory, &Alike::new(memory.shape())).unwrap().pairs();
        assert_eq!((all.len(), all[0]), (100, [0, 200]));
        let mut few = Alike::new(memory.shape());
        few.limit = u64::MAX / 10;
        let few = fold(&memory, &few).unwrap().pairs();
        assert!((5..=15).contains(&few.len()), "{}", few.len());
        assert!(few.iter().all(|pair| all.contains(pair)));
    }
}
