//! All rows that stand under both labels.

use linsep_data::hash::mix;
use rayon::prelude::*;

use super::super::contradiction::stored;
use crate::Samples;

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
            let sample = stored(samples, first);
            let (same, others) = left.into_iter().partition(|&i| stored(samples, i) == sample);
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

fn hash(samples: &Samples, i: usize) -> u64 {
    let mut hash = 0;
    samples.features().for_each(i, |k, v| {
        if v != 0.0 {
            hash = mix(hash ^ v.to_bits()).wrapping_add(k as u64);
        }
    });
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_hold_every_copy() {
        let values = vec![5., 1., 2., 1., 5., 1., 2., 3.];
        let labels = "+--+--+-".chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values, 1, labels).unwrap();
        assert_eq!(contradictions(&samples), [vec![0, 4], vec![1, 3, 5], vec![2, 6]]);
    }
}
