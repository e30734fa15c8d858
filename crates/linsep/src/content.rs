//! Rows by what they hold: an order that does not depend on where they stand, and which rows are the same.
//!
//! Where rows are not in memory, `decide/folds/alike.rs` finds rows that may be the same in one pass, and what it finds
//! is fetched and looked up here.

use rayon::prelude::*;

use crate::data::Features;
use linsep_data::hash::draw;

/// Returns the values of a row that are not zero, by column.
pub(crate) fn nonzero(features: &Features, i: usize) -> Vec<(usize, f64)> {
    let mut values = vec![];
    features.for_each(i, |k, v| {
        if v != 0.0 {
            values.push((k, v));
        }
    });
    values
}

/// Rows in the order of their contents.
pub(crate) struct ContentIndex {
    /// The rows, by hash, class and number; copies of a row stand together.
    pub rows: Vec<usize>,
    /// Places in `rows` where runs of identical rows begin, and one past the end.
    starts: Vec<usize>,
    /// The hash of each such run.
    hashes: Vec<u64>,
}

impl ContentIndex {
    /// Returns the index of rows of these classes. The hash is that of values over the unit of their column, so it
    /// is the same in any unit that goes with them. Costs a pass, and a second look at rows with the same hash.
    pub fn new(
        features: &Features,
        class: impl Fn(usize) -> usize + Sync,
        unit: impl Fn(usize) -> f64 + Sync,
    ) -> Self {
        let hash = |i: usize| {
            let mut hash = 0;
            features.for_each(i, |k, v| {
                if v != 0.0 {
                    for word in [k as u64, (v / unit(k)).to_bits()] {
                        hash ^= word;
                        hash = draw(&mut hash);
                    }
                }
            });
            hash
        };
        let mut keys: Vec<(u64, usize, usize)> =
            (0..features.rows()).into_par_iter().map(|i| (hash(i), class(i), i)).collect();
        keys.par_sort_unstable();
        let (mut rows, mut starts, mut hashes) = (Vec::with_capacity(keys.len()), vec![], vec![]);
        for alike in keys.chunk_by(|a, b| a.0 == b.0) {
            let mut left: Vec<usize> = alike.iter().map(|key| key.2).collect();
            // Different rows may share a hash.
            while let Some(&first) = left.first() {
                starts.push(rows.len());
                hashes.push(alike[0].0);
                if left.len() == 1 {
                    // Most rows are alone with their hash.
                    rows.push(first);
                    break;
                }
                let content = nonzero(features, first);
                let (same, others): (Vec<usize>, Vec<usize>) =
                    left.into_iter().partition(|&i| nonzero(features, i) == content);
                rows.extend(same);
                left = others;
            }
        }
        starts.push(rows.len());
        ContentIndex { rows, starts, hashes }
    }

    /// Returns the runs of identical rows.
    pub fn runs(&self) -> impl Iterator<Item = &[usize]> {
        self.starts.windows(2).map(|ends| &self.rows[ends[0]..ends[1]])
    }

    /// Returns the hash of each run.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the groups of identical rows that stand in several classes: rows rising, groups in the order of their
    /// first rows.
    pub fn contradictions(&self, class: impl Fn(usize) -> usize) -> Vec<Vec<usize>> {
        let contradicts = |run: &&[usize]| run.iter().any(|&i| class(i) != class(run[0]));
        let mut groups: Vec<Vec<usize>> =
            self.runs().filter(contradicts).map(<[_]>::to_vec).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::samples::Dense;

    #[test]
    fn copies_stand_together_and_contradict_under_other_labels() {
        let values = vec![5., 1., 2., 1., 5., 1., 2., 3., 0., -0.];
        let classes = [1, 0, 0, 1, 0, 0, 2, 0, 1, 1];
        let features = Features::Dense64(Dense::new(values, 10, 1));
        let index = ContentIndex::new(&features, |i| classes[i], |_| 1.0);
        let mut runs: Vec<Vec<usize>> = index.runs().map(<[_]>::to_vec).collect();
        runs.sort_unstable();
        assert_eq!(runs, [vec![1, 5, 3], vec![2, 6], vec![4, 0], vec![7], vec![8, 9]]);
        assert_eq!(index.hashes().len(), 5);
        let found = index.contradictions(|i| classes[i]);
        assert_eq!(found, [vec![0, 4], vec![1, 3, 5], vec![2, 6]]);
    }
}
