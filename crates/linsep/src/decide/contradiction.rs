//! Rows that stand under both labels.

use crate::Samples;
use crate::content::ContentIndex;

/// Returns the groups of identical rows that stand under both labels: rows rising, groups in the order of their first
/// rows. Costs one pass, and a second look at rows with the same hash.
pub(super) fn contradictions(samples: &Samples) -> Vec<Vec<usize>> {
    let class = |i: usize| usize::from(samples.positive()[i]);
    ContentIndex::new(samples.features(), class, |_| 1.0).contradictions(class)
}

/// Returns the first of the samples that stands earlier under the other label, and that earlier one:
/// the earlier first.
pub(super) fn first_contradiction(samples: &Samples) -> Option<(usize, usize)> {
    let label = |i: usize| samples.positive()[i];
    let pair = |group: Vec<usize>| {
        let later = group.iter().copied().find(|&i| label(i) != label(group[0]))?;
        Some((group[0], later))
    };
    contradictions(samples).into_iter().filter_map(pair).min_by_key(|(_, later)| *later)
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
        check(&[5., 1., 1., 5.], "+-+-", Some((1, 2)));
    }
}
