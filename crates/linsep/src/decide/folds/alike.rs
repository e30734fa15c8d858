//! Rows that may be the same row under both labels.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use crate::lift::Rows;
use crate::random::draw;

/// Rows that are remembered: of more, those whose key is smallest.
const REMEMBERED: usize = 1 << 20;

/// Finds rows that share a key with a row of the other class.
///
/// The key of a row is its score by a fixed random vector, but for the sign: the same for the same
/// row under either label. Of more rows than can be remembered those with the smallest mixed keys are,
/// which is a sample of the values that rows have: copies are remembered together.
pub struct Alike {
    w: Vec<f64>,
    remembered: usize,
    /// Mixed key, row, label.
    found: Vec<(u64, usize, bool)>,
    limit: u64,
}

impl Alike {
    /// Returns the search among no rows yet, of data of this shape.
    pub fn new(shape: Shape) -> Self {
        let mut state = 1;
        let w = (0..=shape.columns).map(|_| 1.0 + draw(&mut state) as f64 / u64::MAX as f64);
        Alike { w: w.collect(), remembered: REMEMBERED, found: vec![], limit: u64::MAX }
    }

    /// Returns the search that a question asks for.
    pub fn asked(from: &mut &[u8], shape: Shape) -> Option<Self> {
        let (w, remembered): (Vec<f64>, usize) = Bytes::take(from)?;
        let fits = w.len() == shape.columns + 1 && remembered > 0;
        fits.then(|| Alike { w, remembered, found: vec![], limit: u64::MAX })
    }

    /// Returns pairs of a negative and a positive row with the same key, the first of each, once all
    /// rows have been seen. The pair whose later row comes first is first.
    pub fn pairs(mut self) -> Vec<[usize; 2]> {
        self.trim();
        self.found.sort_unstable();
        let groups = self.found.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
        let mut pairs: Vec<[usize; 2]> = groups
            .filter_map(|group| {
                let first =
                    |label| group.iter().find(|(.., l)| *l == label).map(|(_, row, _)| *row);
                Some([first(false)?, first(true)?])
            })
            .collect();
        pairs.sort_unstable_by_key(|pair| (pair[0].max(pair[1]), pair[0].min(pair[1])));
        pairs
    }

    fn trim(&mut self) {
        if self.found.len() > self.remembered {
            self.found.select_nth_unstable(self.remembered - 1);
            self.found.truncate(self.remembered);
            let largest = self.found.iter().map(|(key, ..)| *key).max();
            self.limit = largest.unwrap_or(u64::MAX);
        }
    }
}

impl Fold for Alike {
    fn fresh(&self) -> Self {
        let (w, remembered) = (self.w.clone(), self.remembered);
        Alike { w, remembered, found: vec![], limit: u64::MAX }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let rows = Rows::lifted(block.samples());
        for i in block.places() {
            let mut key = rows.score(i, &self.w).abs().to_bits();
            let key = draw(&mut key);
            if key <= self.limit {
                self.found.push((key, block.number(i), block.samples().positive()[i]));
                if self.found.len() >= 2 * self.remembered {
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

impl Kept for Alike {
    fn kind(&self) -> String {
        "rows alike".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        (self.w.clone(), self.remembered).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        let mut smallest = self.found.clone();
        smallest.sort_unstable();
        smallest.truncate(self.remembered);
        smallest.put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.found = Bytes::take(from)?;
        let fits = self.found.len() <= self.remembered;
        (fits && self.found.iter().all(|(_, row, _)| *row < shape.rows)).then_some(())
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
        few.remembered = 40;
        let few = fold(&memory, few).unwrap().pairs();
        assert!((9..=10).contains(&few.len()), "{}", few.len());
        assert!(few.iter().all(|pair| all.contains(pair)));
    }
}
