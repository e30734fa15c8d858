//! Contradictory duplicates: one row under both labels settles the question of a strict separation.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::Samples;

/// Returns the first row that stands earlier under the other label, and that earlier row. Costs one
/// pass, and a second look at rows with the same hash.
pub fn contradiction(samples: &Samples) -> Option<(usize, usize)> {
    let hashes: Vec<u64> = (0..samples.rows()).into_par_iter().map(|i| hash(samples, i)).collect();
    let mut seen: HashMap<u64, Vec<usize>> = HashMap::new();
    for (i, hash) in hashes.into_iter().enumerate() {
        let same = seen.entry(hash).or_default();
        let other = same.iter().copied().find(|&k| {
            samples.positive()[k] != samples.positive()[i]
                && values(samples, k) == values(samples, i)
        });
        if let Some(other) = other {
            return Some((other, i));
        }
        same.push(i);
    }
    None
}

/// Returns the groups of identical rows that stand under both labels: rows rising, groups in the
/// order of their first rows. Costs one pass, and a second look at rows with the same hash.
pub fn contradictions(samples: &Samples) -> Vec<Vec<usize>> {
    let mut rows: Vec<(u64, usize)> =
        (0..samples.rows()).into_par_iter().map(|i| (hash(samples, i), i)).collect();
    rows.par_sort_unstable();
    let label = |&i: &usize| samples.positive()[i];
    let mut found = vec![];
    for same_hash in rows.chunk_by(|a, b| a.0 == b.0).filter(|chunk| chunk.len() > 1) {
        let mut left: Vec<usize> = same_hash.iter().map(|&(_, i)| i).collect();
        // Different rows may share a hash.
        while let Some(&first) = left.first() {
            let sample = values(samples, first);
            let (same, others) = left.into_iter().partition(|&i| values(samples, i) == sample);
            let same: Vec<usize> = same;
            if same.iter().any(label) && !same.iter().all(label) {
                found.push(same);
            }
            left = others;
        }
    }
    found.sort_unstable();
    found
}

/// Returns the values of a row that are not zero.
pub(super) fn values(samples: &Samples, i: usize) -> Vec<(usize, f64)> {
    let mut values = vec![];
    samples.features().for_each(i, |k, v| {
        if v != 0.0 {
            values.push((k, v));
        }
    });
    values
}

fn hash(samples: &Samples, i: usize) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut mix =
        |word: u64| hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    samples.features().for_each(i, |k, v| {
        if v != 0.0 {
            mix(k as u64);
            mix(v.to_bits());
        }
    });
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], labels: &str, expected: Option<(usize, usize)>) {
        let labels: Vec<bool> = labels.chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values.to_vec(), values.len() / labels.len(), labels).unwrap();
        assert_eq!(contradiction(&samples), expected);
        let groups = contradictions(&samples);
        assert_eq!(groups.is_empty(), expected.is_none());
    }

    #[test]
    fn groups_hold_every_copy() {
        let values = vec![5., 1., 2., 1., 5., 1., 2., 3.];
        let labels = "+--+--+-".chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values, 1, labels).unwrap();
        assert_eq!(contradictions(&samples), [vec![0, 4], vec![1, 3, 5], vec![2, 6]]);
    }

    #[test]
    fn one_row_under_both_labels() {
        check(&[1., 2., 1.], "+--", Some((0, 2)));
        check(&[1., 2., 1.], "+-+", None);
        check(&[0., 1., -0., 1.], "+-", Some((0, 1)));
        check(&[1., 0., 0., 1.], "+-", None);
    }
}
