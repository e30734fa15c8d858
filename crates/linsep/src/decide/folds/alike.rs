//! Rows that may be the same row under both labels.

use std::collections::HashMap;

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use crate::lift::Rows;
use crate::random::draw;

/// Values of rows that are remembered, about, however many rows there are.
const REMEMBERED: usize = 1 << 20;

/// Finds rows that share a key with a row of the other class.
///
/// The key of a row is its score by a fixed random vector, mixed, but for the sign: the same for the same
/// row under either label. Of many rows only those with small keys are looked at: a sample of the values
/// that rows have, in which copies stay together. What is small goes by the number of rows, so that all
/// who look at some of them look at the same sample.
pub struct Alike {
    w: Vec<f64>,
    limit: u64,
    /// The first negative row and the first positive row of each key; [`NONE`] where there is none.
    found: HashMap<u64, [usize; 2]>,
}

/// No row.
const NONE: usize = usize::MAX;

impl Alike {
    /// Returns the search among no rows yet, of data of this shape.
    pub fn new(shape: Shape) -> Self {
        let mut state = 1;
        let w = (0..=shape.columns).map(|_| 1.0 + draw(&mut state) as f64 / u64::MAX as f64);
        let limit = u64::MAX / shape.rows.div_ceil(REMEMBERED).max(1) as u64;
        Alike { w: w.collect(), limit, found: HashMap::new() }
    }

    /// Returns the search that a question asks for.
    pub fn asked(from: &mut &[u8], shape: Shape) -> Option<Self> {
        let (w, limit): (Vec<f64>, u64) = Bytes::take(from)?;
        (w.len() == shape.columns + 1).then(|| Alike { w, limit, found: HashMap::new() })
    }

    /// Returns pairs of a negative and a positive row with the same key, the first of each, once all
    /// rows have been seen. The pair whose later row comes first is first.
    pub fn pairs(self) -> Vec<[usize; 2]> {
        let both = |pair: &[usize; 2]| !pair.contains(&NONE);
        let mut pairs: Vec<[usize; 2]> = self.found.into_values().filter(both).collect();
        pairs.sort_unstable_by_key(|pair| (pair[0].max(pair[1]), pair[0].min(pair[1])));
        pairs
    }

    fn note(&mut self, key: u64, [negative, positive]: [usize; 2]) {
        let pair = self.found.entry(key).or_insert([NONE; 2]);
        *pair = [pair[0].min(negative), pair[1].min(positive)];
    }
}

impl Fold for Alike {
    fn fresh(&self) -> Self {
        Alike { w: self.w.clone(), limit: self.limit, found: HashMap::new() }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        for i in block.places() {
            let mut key = rows.score(i, &self.w).abs().to_bits();
            let key = draw(&mut key);
            if key <= self.limit {
                let mut pair = [NONE; 2];
                pair[usize::from(block.samples().positive()[i])] = block.number(i);
                self.note(key, pair);
            }
        }
    }

    fn merge(self, other: Self) -> Self {
        let (mut more, fewer) = match self.found.len() < other.found.len() {
            true => (other, self),
            false => (self, other),
        };
        fewer.found.into_iter().for_each(|(key, pair)| more.note(key, pair));
        more
    }
}

impl Kept for Alike {
    fn kind(&self) -> String {
        "rows alike".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        (self.w.clone(), self.limit).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        let mut found: Vec<(u64, usize, usize)> = self
            .found
            .iter()
            .map(|(&key, &[negative, positive])| (key, negative, positive))
            .collect();
        found.sort_unstable();
        found.put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        let fits = |row: usize| row < shape.rows || row == NONE;
        for (key, negative, positive) in Vec::<(u64, usize, usize)>::take(from)? {
            (key <= self.limit && fits(negative) && fits(positive)).then_some(())?;
            self.note(key, [negative, positive]);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::data::{Data, Memory, fold};

    #[test]
    fn the_first_pair_of_copies_comes_first_and_few_rows_are_remembered() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i % 100)).collect();
        let labels = (0..400).map(|i| i >= 200).collect();
        let samples = Samples::dense(values, 1, labels).unwrap();
        let memory = Memory::new(&samples);
        let all = fold(&memory, Alike::new(memory.shape())).unwrap().pairs();
        assert_eq!((all.len(), all[0]), (100, [0, 200]));
        let mut few = Alike::new(memory.shape());
        few.limit = u64::MAX / 10;
        let few = fold(&memory, few).unwrap().pairs();
        assert!((5..=15).contains(&few.len()), "{}", few.len());
        assert!(few.iter().all(|pair| all.contains(pair)));
    }
}
