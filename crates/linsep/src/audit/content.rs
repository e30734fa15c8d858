//! Rows by what they hold: an order that does not depend on where they stand, which rows are the same, and
//! folds that follow from nothing else.
//!
//! Everything learnt for an audit visits rows in this order, so that the same rows in another order, or with
//! columns in other units (a power of two apart), come out with the same bits.

use rayon::prelude::*;

use crate::data::Features;
use crate::random::draw;
use crate::standard::largest;

/// Parts that the rows are held out in.
pub const FOLDS: usize = 5;

/// Rows in the order of their contents.
pub struct ContentOrder {
    /// The rows, by hash, class and number.
    pub rows: Vec<usize>,
    /// Places in `rows` where runs of identical rows begin, and one past the end.
    starts: Vec<usize>,
    /// The hash of each such run.
    hashes: Vec<u64>,
}

impl ContentOrder {
    /// Returns the order of rows of these classes. Costs two passes.
    pub fn new(features: &Features, classes: &[usize]) -> Self {
        let largest = largest(features);
        let hash = |i: usize| {
            let mut hash = 0;
            features.for_each(i, |k, v| {
                if v != 0.0 {
                    // The quotient is the same in any unit of the column.
                    for word in [k as u64, (v / largest[k]).to_bits()] {
                        hash ^= word;
                        hash = draw(&mut hash);
                    }
                }
            });
            hash
        };
        let mut keys: Vec<(u64, usize, usize)> =
            (0..features.rows()).into_par_iter().map(|i| (hash(i), classes[i], i)).collect();
        keys.par_sort_unstable();
        let rows: Vec<usize> = keys.iter().map(|key| key.2).collect();
        let same = |a: usize, b: usize| {
            keys[a].0 == keys[b].0 && stored(features, rows[a]) == stored(features, rows[b])
        };
        // Other rows of the same hash, which are next to impossible, are not looked for between copies: they
        // part a run, no more.
        let mut starts: Vec<usize> =
            (0..rows.len()).filter(|&k| k == 0 || !same(k - 1, k)).collect();
        let hashes = starts.iter().map(|&k| keys[k].0).collect();
        starts.push(rows.len());
        ContentOrder { rows, starts, hashes }
    }

    /// Returns the runs of identical rows.
    fn runs(&self) -> impl Iterator<Item = &[usize]> {
        self.starts.windows(2).map(|ends| &self.rows[ends[0]..ends[1]])
    }

    /// Returns the groups of identical rows that stand under several labels: rows rising, groups in the order of
    /// their first rows.
    pub fn contradictions(&self, classes: &[usize]) -> Vec<Vec<usize>> {
        let contradicts = |run: &&[usize]| run.iter().any(|&i| classes[i] != classes[run[0]]);
        let mut groups: Vec<Vec<usize>> =
            self.runs().filter(contradicts).map(<[_]>::to_vec).collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }

    /// Returns the fold of each row: every class spread evenly, copies of a row in one fold, since a copy among
    /// the rows that are learnt from would give its label away. `salt` tells one such choice from another.
    pub fn folds(&self, classes: &[usize], count: usize, salt: u64) -> Vec<usize> {
        let together = self.deal(self.runs().map(<[_]>::to_vec), classes, count, salt);
        let mut met = vec![[false; FOLDS]; count];
        together.iter().zip(classes).for_each(|(&fold, &class)| met[class][fold] = true);
        // A class that is one row and its copies can be held out only in part.
        match met.iter().all(|folds| folds.iter().filter(|&&met| met).count() > 1) {
            true => together,
            false => self.deal(self.rows.iter().map(|&i| vec![i]), classes, count, salt),
        }
    }

    /// Deals groups of rows out, each to the fold that has the fewest rows of its first one's class.
    fn deal(
        &self,
        groups: impl Iterator<Item = Vec<usize>>,
        classes: &[usize],
        count: usize,
        salt: u64,
    ) -> Vec<usize> {
        let mut hash_of = vec![0; self.rows.len()];
        for (run, &hash) in self.runs().zip(&self.hashes) {
            run.iter().for_each(|&i| hash_of[i] = hash);
        }
        let mut groups: Vec<(u64, Vec<usize>)> =
            groups.map(|group| (draw(&mut (hash_of[group[0]] ^ salt)), group)).collect();
        // Stable: equals stay in the order of the contents.
        groups.sort_by_key(|(key, _)| *key);
        let mut taken = vec![[0_usize; FOLDS]; count];
        let mut folds = vec![0; self.rows.len()];
        for (_, group) in groups {
            let counts = &taken[classes[group[0]]];
            let fold = (0..FOLDS).min_by_key(|&fold| counts[fold]).expect("folds");
            for i in group {
                folds[i] = fold;
                taken[classes[i]][fold] += 1;
            }
        }
        folds
    }
}

/// Returns the values of a row that are not zero.
fn stored(features: &Features, i: usize) -> Vec<(usize, f64)> {
    let mut values = vec![];
    features.for_each(i, |k, v| {
        if v != 0.0 {
            values.push((k, v));
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::samples::Dense;

    fn contents(values: &[f64], classes: &[usize]) -> ContentOrder {
        let features = Features::Dense64(Dense::new(values.to_vec(), values.len(), 1));
        ContentOrder::new(&features, classes)
    }

    #[test]
    fn copies_under_other_labels_contradict() {
        let classes = [1, 0, 0, 1, 0, 0, 2, 0];
        let found = contents(&[5., 1., 2., 1., 5., 1., 2., 3.], &classes).contradictions(&classes);
        assert_eq!(found, [vec![0, 4], vec![1, 3, 5], vec![2, 6]]);
    }

    fn check(values: &[f64], classes: &[usize], count: usize) -> Vec<usize> {
        let folds = contents(values, classes).folds(classes, count, 7);
        for class in 0..count {
            let mut own: Vec<usize> =
                (0..folds.len()).filter(|&i| classes[i] == class).map(|i| folds[i]).collect();
            own.sort_unstable();
            own.dedup();
            assert!(own.len() > 1, "class {class} is in fold {own:?} alone");
        }
        folds
    }

    #[test]
    fn copies_are_held_out_together_where_that_leaves_a_class() {
        let folds = check(&[1., 1., 1., 2., 3., 4., 9., 8.], &[0, 0, 0, 0, 0, 0, 1, 1], 2);
        assert!(folds[0] == folds[1] && folds[1] == folds[2]);
        check(&[1., 1., 1., 2., 3.], &[0, 0, 0, 1, 1], 2);
    }

    #[test]
    fn folds_follow_the_rows_wherever_they_stand() {
        let values: Vec<f64> = (0..40).map(|k| f64::from(k * k)).collect();
        let classes: Vec<usize> = (0..40).map(|k| k % 2).collect();
        let folds = check(&values, &classes, 2);
        let reversed: Vec<f64> = values.iter().rev().map(|v| v / 8.0).collect();
        let classes: Vec<usize> = classes.into_iter().rev().collect();
        let mut other = check(&reversed, &classes, 2);
        other.reverse();
        assert_eq!(folds, other);
    }
}
