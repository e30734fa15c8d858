//! One row under both labels.

use std::collections::HashMap;

use crate::Samples;

/// Returns the first of the samples that stands earlier under the other label, and that earlier one:
/// the earlier first.
pub(super) fn first_contradiction(samples: &Samples) -> Option<(usize, usize)> {
    let mut seen: HashMap<Vec<(usize, u64)>, [Option<usize>; 2]> = HashMap::new();
    (0..samples.rows()).find_map(|i| {
        let class = usize::from(samples.positive()[i]);
        let bits = stored(samples, i).into_iter().map(|(k, v)| (k, v.to_bits())).collect();
        let first = seen.entry(bits).or_default();
        first[class].get_or_insert(i);
        first[1 - class].map(|other| (other, i))
    })
}

/// Returns the values of a row that are not zero.
pub(super) fn stored(samples: &Samples, i: usize) -> Vec<(usize, f64)> {
    let mut values = vec![];
    samples.features().for_each(i, |k, v| {
        if v != 0.0 {
            values.push((k, v));
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], labels: &str, expected: Option<(usize, usize)>) {
        let labels: Vec<bool> = labels.chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values.to_vec(), values.len() / labels.len(), labels).unwrap();
        assert_eq!(first_contradiction(&samples), expected);
    }

    #[test]
    fn one_row_under_both_labels() {
        check(&[1., 2., 1.], "+--", Some((0, 2)));
        check(&[1., 2., 1.], "+-+", None);
        check(&[0., 1., -0., 1.], "+-", Some((0, 1)));
        check(&[1., 0., 0., 1.], "+-", None);
        check(&[5., 1., 1., 5., 1.], "+++--", Some((0, 3)));
    }
}
