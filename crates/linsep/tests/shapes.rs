//! One small set for each shape that data comes in: verdict, way, proof, and a closed bracket where
//! the largest margin is asked for.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::decide::{DecideOptions, Decision, MarginGoal, Verdict, Way, decide};
use linsep::proof::verify;

fn decided(samples: &Samples, margin: MarginGoal) -> Decision {
    let options = DecideOptions::default().with_margin(margin);
    let decision = decide(samples, &options, &mut ()).unwrap();
    assert!(decision.verdict().is_some(), "{decision:?}");
    verify(samples, decision.proof().expect("a proof")).unwrap();
    decision
}

/// Checks that a set is separable, on this way.
fn strictly_separable(samples: &Samples, way: Way) -> Decision {
    let decision = decided(samples, MarginGoal::Any);
    assert_eq!((decision.verdict(), decision.way), (Some(Verdict::Separable), way));
    assert!(decision.margin().lower > 0.0 && decision.margin().lower <= decision.margin().upper);
    decision
}

/// Checks that a set is separable, on these ways for any margin and for the largest.
fn separable(samples: &Samples, any: Way, max: Way) {
    let decision = strictly_separable(samples, any);
    let largest = decided(samples, MarginGoal::Max);
    assert_eq!((largest.verdict(), largest.way), (Some(Verdict::Separable), max));
    assert!(
        decision.margin().lower <= largest.margin().upper
            && largest.margin().lower <= decision.margin().upper
    );
    assert!(
        largest.margin().lower <= largest.margin().upper
            && largest.margin().lower >= largest.margin().upper * (1.0 - 2e-6),
        "{} to {}",
        largest.margin().lower,
        largest.margin().upper
    );
    let claimed = verify(samples, largest.proof().unwrap()).unwrap();
    assert_eq!(claimed.margin(), Some(largest.margin()));
}

/// Returns the rows and labels of generated data.
fn generated(rows: usize, features: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<bool>) {
    let samples = Generator::new(rows, features, seed).samples::<f64>().unwrap();
    let row = |i| {
        let mut row = vec![];
        samples.features().for_each(i, |_, v| row.push(v));
        row
    };
    ((0..rows).map(row).collect(), samples.positive().to_vec())
}

fn dense(rows: &[Vec<f64>], labels: &[bool]) -> Samples {
    Samples::dense(rows.concat(), rows[0].len(), labels.to_vec()).unwrap()
}

fn sparse(rows: &[Vec<(u32, f64)>], columns: usize, labels: &[bool]) -> Samples {
    let mut matrix = SparseBuilder::default();
    for row in rows {
        row.iter().for_each(|&(k, v)| matrix.push(k as usize, v));
        matrix.end_row();
    }
    Samples::sparse(matrix.finish(columns).unwrap(), labels.to_vec()).unwrap()
}

/// A fixed sequence of numbers from 0 to 1.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns documents: counts of words, the k-th drawn with a probability of about 1 / k.
/// A few words decide the label.
fn documents(count: usize, words: usize, columns: usize) -> (Vec<Vec<(u32, f64)>>, Vec<bool>) {
    let mut draws = Draws(9);
    let mut document = || {
        let word = |_| ((columns as f64).powf(draws.next()) as u32).min(columns as u32) - 1;
        let mut drawn: Vec<u32> = (0..words).map(word).collect();
        drawn.sort_unstable();
        let mut row: Vec<(u32, f64)> = vec![];
        for k in drawn {
            match row.last_mut() {
                Some((last, times)) if *last == k => *times += 1.0,
                _ => row.push((k, 1.0)),
            }
        }
        row
    };
    let rows: Vec<Vec<(u32, f64)>> = (0..count).map(|_| document()).collect();
    let opinion = |k: u32| f64::from(k % 7) - 3.0;
    let labels = rows.iter().map(|row| row.iter().map(|&(k, v)| v * opinion(k)).sum::<f64>() > 0.0);
    let labels = labels.collect();
    (rows, labels)
}

#[test]
fn many_more_rows_than_features() {
    let (rows, labels) = generated(4000, 5, 1);
    separable(&dense(&rows, &labels), Way::WorkingSet, Way::WorkingSet);
}

#[test]
fn a_few_times_as_many_rows_as_features() {
    let (rows, labels) = generated(400, 100, 2);
    separable(&dense(&rows, &labels), Way::WorkingSet, Way::WorkingSet);
}

#[test]
fn more_features_than_rows() {
    let (rows, labels) = generated(60, 200, 3);
    separable(&dense(&rows, &labels), Way::WorkingSet, Way::WorkingSet);
    let (rows, labels) = generated(60, 1500, 3);
    separable(&dense(&rows, &labels), Way::Smooth, Way::WorkingSet);
}

#[test]
fn a_million_sparse_features() {
    let (rows, labels) = documents(300, 30, 1_000_000);
    separable(&sparse(&rows, 1_000_000, &labels), Way::Dual, Way::Dual);
}

#[test]
fn a_million_sparse_features_and_wrong_labels() {
    // Each document has words of its own: wrong labels alone make no conflict.
    let (rows, mut labels) = documents(300, 30, 1_000_000);
    (0..300).step_by(50).for_each(|i| labels[i] = !labels[i]);
    separable(&sparse(&rows, 1_000_000, &labels), Way::Dual, Way::Dual);
    // One that stands under both labels does.
    let (mut rows, mut labels) = (rows, labels);
    rows.push(rows[7].clone());
    labels.push(!labels[7]);
    let decision = decided(&sparse(&rows, 1_000_000, &labels), MarginGoal::Max);
    assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
    assert_eq!(decision.conflict().unwrap().rows(), [7, 300]);
}

#[test]
fn sparse_rows_that_conflict_without_a_duplicate() {
    // XOR on two far features, its rows among documents that share no word with it.
    let (mut rows, mut labels) = documents(200, 10, 900_000);
    let (a, b) = (950_000, 999_999);
    for (row, label) in [
        (vec![(a, 1.0)], true),
        (vec![(b, 1.0)], true),
        (vec![], false),
        (vec![(a, 1.0), (b, 1.0)], false),
    ] {
        rows.push(row);
        labels.push(label);
    }
    let samples = sparse(&rows, 1_000_000, &labels);
    for margin in [MarginGoal::Any, MarginGoal::Max] {
        let decision = decided(&samples, margin);
        assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
        assert_eq!(decision.way, Way::Dual);
        assert_eq!(decision.conflict().unwrap().rows(), [200, 201, 202, 203]);
    }
}

#[test]
fn short_sparse_rows_with_wrong_labels() {
    let (rows, mut labels) = documents(3000, 3, 5000);
    (0..3000).step_by(40).for_each(|i| labels[i] = !labels[i]);
    let decision = decided(&sparse(&rows, 5000, &labels), MarginGoal::Any);
    assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
}

#[test]
fn duplicated_rows() {
    let (rows, labels) = generated(50, 6, 4);
    let twice = |n: usize| (0..n).map(|i| i / 3 % 50);
    let many: Vec<Vec<f64>> = twice(300).map(|i| rows[i].clone()).collect();
    let their: Vec<bool> = twice(300).map(|i| labels[i]).collect();
    separable(&dense(&many, &their), Way::WorkingSet, Way::WorkingSet);
    let (rows, labels) = documents(100, 20, 100_000);
    let many: Vec<Vec<(u32, f64)>> = (0..300).map(|i| rows[i / 3].clone()).collect();
    let their: Vec<bool> = (0..300).map(|i| labels[i / 3]).collect();
    separable(&sparse(&many, 100_000, &their), Way::Dual, Way::Dual);
}

#[test]
fn constant_columns() {
    let (mut rows, labels) = generated(300, 6, 5);
    rows.iter_mut().for_each(|row| row.extend([0.0, 7.0, -1e3]));
    separable(&dense(&rows, &labels), Way::WorkingSet, Way::WorkingSet);
    let (mut rows, labels) = generated(40, 900, 5);
    rows.iter_mut().for_each(|row| row.extend([0.0, 7.0]));
    separable(&dense(&rows, &labels), Way::Smooth, Way::WorkingSet);
}

#[test]
fn columns_that_depend_on_others() {
    let deficient = |rows: Vec<Vec<f64>>, columns: usize| -> Vec<Vec<f64>> {
        let longer = |row: Vec<f64>| {
            let len = row.len();
            (0..columns).map(|k| row[k % len] * (1 + k / len) as f64 - row[0]).collect()
        };
        rows.into_iter().map(longer).collect()
    };
    let (rows, labels) = generated(300, 4, 6);
    separable(&dense(&deficient(rows, 20), &labels), Way::WorkingSet, Way::WorkingSet);
    let (rows, labels) = generated(100, 30, 6);
    // The descent is slow where many rows depend on each other; the working set ends it.
    separable(&dense(&deficient(rows, 800), &labels), Way::Smooth, Way::WorkingSet);
}

#[test]
fn tiny_margins() {
    let row = |i: i32| {
        let x = f64::from(i) / 40.0;
        vec![x, x / 2.0 + if i % 2 == 0 { 1e-8 } else { -1e-8 }]
    };
    let labels: Vec<bool> = (0..40).map(|i| i % 2 == 0).collect();
    let samples = dense(&(0..40).map(row).collect::<Vec<_>>(), &labels);
    // Floats or integers: at the edge of rounding either may be the first.
    let decision = decided(&samples, MarginGoal::Any);
    assert_eq!(decision.verdict(), Some(Verdict::Separable));
    assert!(
        decision.margin().lower > 0.0 && decision.margin().lower < 1e-8,
        "{}",
        decision.margin().lower
    );
}

#[test]
fn badly_scaled_columns() {
    let (mut rows, labels) = generated(200, 2, 7);
    for row in &mut rows {
        row[0] *= 1e-6;
        row[1] *= 1e6;
    }
    // One column is all but lost beside the other: floats need coordinates of their own.
    strictly_separable(&dense(&rows, &labels), Way::Ladder);
}

#[test]
fn one_row_a_class() {
    let two = dense(&[vec![1.0, 2.0], vec![1.0, 2.5]], &[true, false]);
    separable(&two, Way::WorkingSet, Way::WorkingSet);
    let two = sparse(&[vec![(3, 1.0)], vec![(3, 1.5), (999_999, 2.0)]], 1_000_000, &[true, false]);
    separable(&two, Way::Dual, Way::Dual);
}
