//! Folds that follow from what rows hold, and from nothing else.
//!
//! Everything learnt for an audit visits rows in the order of their contents, so that the same rows in another order, or
//! with columns in other units (a power of two apart), come out with the same bits.

use crate::content::ContentIndex;
use crate::data::Features;
use crate::standard::largest;
use linsep_data::hash::draw;

/// Parts that the rows are held out in.
pub const FOLDS: usize = 5;

/// Returns the order of rows of these classes by their contents, whatever the units of columns. Costs two passes.
pub fn by_content(features: &Features, classes: &[usize]) -> ContentIndex {
    let largest = largest(features);
    // The quotient is the same in any unit of the column.
    ContentIndex::new(features, |i| classes[i], |k| largest[k])
}

/// Returns the fold of each row: every class spread evenly, copies of a row in one fold, since a copy among
/// the rows that are learnt from would give its label away. `salt` tells one such choice from another.
pub fn folds(index: &ContentIndex, classes: &[usize], count: usize, salt: u64) -> Vec<usize> {
    let together = deal(index, index.runs().map(<[_]>::to_vec), classes, count, salt);
    let mut met = vec![[false; FOLDS]; count];
    together.iter().zip(classes).for_each(|(&fold, &class)| met[class][fold] = true);
    // A class that is one row and its copies can be held out only in part.
    match met.iter().all(|folds| folds.iter().filter(|&&met| met).count() > 1) {
        true => together,
        false => deal(index, index.rows.iter().map(|&i| vec![i]), classes, count, salt),
    }
}

/// Deals groups of rows out, each to the fold that has the fewest rows of its first one's class.
fn deal(
    index: &ContentIndex,
    groups: impl Iterator<Item = Vec<usize>>,
    classes: &[usize],
    count: usize,
    salt: u64,
) -> Vec<usize> {
    let mut hash_of = vec![0; index.rows.len()];
    for (run, &hash) in index.runs().zip(index.hashes()) {
        run.iter().for_each(|&i| hash_of[i] = hash);
    }
    let mut groups: Vec<(u64, Vec<usize>)> =
        groups.map(|group| (draw(&mut (hash_of[group[0]] ^ salt)), group)).collect();
    // Stable: equals stay in the order of the contents.
    groups.sort_by_key(|(key, _)| *key);
    let mut taken = vec![[0_usize; FOLDS]; count];
    let mut folds = vec![0; index.rows.len()];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::samples::Dense;

    /// Returns the folds of one column.
    fn check(values: &[f64], classes: &[usize], count: usize) -> Vec<usize> {
        let features = Features::Dense64(Dense::new(values.to_vec(), values.len(), 1));
        let folds = folds(&by_content(&features, classes), classes, count, 7);
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
