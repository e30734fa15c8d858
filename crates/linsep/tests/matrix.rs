//! One matrix proves that nothing separates, or that nothing separates strictly: on tables of every kind on which it is found, each
//! proof through the checker once more, and each verdict beside that of integers.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::hash::draw;
use linsep::data::samples::SparseBuilder;
use linsep::decide::{ConflictForm, DecideOptions, Decision, Outcome, Verdict, Way, decide};
use linsep::proof::proof::{Claim, OverlapClaim};
use linsep::proof::{Proof, verify};

fn decided(samples: &Samples, conflict: ConflictForm) -> Decision {
    let options = DecideOptions::default().with_conflict(conflict);
    let decision = decide(samples, &options, &mut ()).unwrap();
    let proof = Proof::from_json(&decision.proof().expect("a verdict").to_json()).unwrap();
    let verified = verify(samples, &proof).unwrap();
    assert_eq!(Some(verified.verdict()), decision.verdict());
    decision
}

/// Checks that the verdict is shown by a matrix, and that integers agree.
fn check(samples: &Samples, expected: Verdict) -> Decision {
    let decision = decided(samples, ConflictForm::Any);
    assert_eq!(decision.verdict(), Some(expected));
    assert_eq!((decision.ruled_out_by(), decision.way), (Some("matrix"), Way::Newton));
    // The rows shown first are those of largest weight, and all of them are of the matrix.
    let weights = decision.outcome.matrix().unwrap();
    let mut telling = decision.telling_rows();
    let heaviest = weights.iter().fold(0.0_f64, |most, (_, w)| most.max(w));
    assert!(weights.iter().any(|(row, w)| row == telling[0] && w == heaviest));
    telling.sort_unstable();
    assert_eq!(telling, decision.conflicting_rows());
    let exact = decided(samples, ConflictForm::Exact);
    assert_eq!(exact.verdict(), Some(expected));
    assert_eq!(exact.ruled_out_by(), Some("conflict"));
    decision
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        (draw(&mut self.0) % n as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (draw(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}

/// Returns generated rows of which some labels are wrong, their columns changed by a function.
fn flipped(rows: usize, columns: usize, change: impl Fn(&mut Vec<f64>)) -> Samples {
    let samples = Generator::new(rows, columns, 1).samples::<f64>().unwrap();
    let (mut values, mut width) = (vec![], 0);
    for i in 0..rows {
        let mut row = vec![0.0; columns];
        samples.features().for_each(i, |k, x| row[k] = x);
        change(&mut row);
        width = row.len();
        values.extend(row);
    }
    let labels = samples.positive().iter().enumerate().map(|(i, y)| *y != (i % 40 == 0)).collect();
    Samples::dense(values, width, labels).unwrap()
}

#[test]
fn wrong_labels_of_many_features() {
    let decision = check(&flipped(3000, 110, |_| ()), Verdict::Inseparable);
    // A few rows per coordinate tell, whatever the number of all.
    assert!(decision.conflicting_rows().len() < 3 * 111);
    let Claim::Inseparable { overlap: OverlapClaim::Matrix(matrix), .. } =
        &decision.proof().unwrap().claim
    else {
        panic!();
    };
    assert!(matrix.left_out.is_empty());
}

#[test]
fn columns_that_are_sums_copies_constants_and_far_away() {
    check(
        &flipped(2600, 105, |row| {
            let sum = row[0] * 8.0;
            // Exactly dependent columns: a copy, a multiple, a constant and zeros.
            row.extend([row[3], -sum, 7.0, 0.0]);
            // Columns of different sizes, and one that is far from zero.
            row[5] *= 1e9;
            row[6] *= 1e-9;
            row[7] = (row[7] * 1e6).round() + 1.6e9;
        }),
        Verdict::Inseparable,
    );
}

/// Two factors of many levels: each row has a level of either. A level of one outcome separates its rows weakly.
fn levels(rows: usize, count: [usize; 2], alone: usize, seed: u64) -> Samples {
    let mut dice = Dice(seed);
    let mut builder = SparseBuilder::default();
    let mut labels = vec![];
    for i in 0..rows {
        let level = i % count[0];
        builder.push(level, 1.0);
        builder.push(count[0] + dice.below(count[1]), 1.0);
        builder.push(count[0] + count[1], dice.unit());
        builder.end_row();
        // So many levels see successes alone.
        labels.push(level < alone || dice.below(2) == 0);
    }
    Samples::sparse(builder.finish(count[0] + count[1] + 1).unwrap(), labels).unwrap()
}

#[test]
fn levels_of_two_factors() {
    // All levels of a factor add up to one, so two columns depend on others.
    let decision = check(&levels(6000, [500, 40], 0, 3), Verdict::Inseparable);
    let Claim::Inseparable { orthogonal, .. } = &decision.proof().unwrap().claim else { panic!() };
    assert_eq!(orthogonal.len(), 2);
    // The same rows, dense.
    let sparse = levels(2400, [150, 10], 0, 4);
    let mut values = vec![0.0; 2400 * 161];
    for (i, row) in values.chunks_exact_mut(161).enumerate() {
        sparse.features().for_each(i, |k, x| row[k] = x);
    }
    let dense = Samples::dense(values, 161, sparse.positive().to_vec()).unwrap();
    check(&dense, Verdict::Inseparable);
}

#[test]
fn levels_of_one_outcome_are_separated_weakly() {
    let samples = levels(6000, [500, 40], 5, 3);
    let decision = check(&samples, Verdict::QuasiSeparable);
    let Outcome::QuasiSeparable { separator, .. } = &decision.outcome else { panic!() };
    for k in 0..500 {
        let is_zero = separator.weights[k] == linsep::proof::IBig::ZERO;
        assert_eq!(is_zero, k >= 5, "level {k}");
    }
    // No row of such a level is part of the matrix.
    assert!(decision.conflicting_rows().iter().all(|row| row % 500 >= 5));
}

/// Texts of as many words each: the bias is a share of the sum of all columns.
#[test]
fn texts_of_one_length() {
    let (rows, words, length) = (4000, 300, 12);
    let mut dice = Dice(9);
    let w: Vec<f64> = (0..words).map(|_| dice.unit()).collect();
    let mut builder = SparseBuilder::default();
    let mut labels = vec![];
    for i in 0..rows {
        let mut text: Vec<usize> = (0..length).map(|_| dice.below(words)).collect();
        text.sort_unstable();
        let mut score = 0.0;
        for same in text.chunk_by(|a, b| a == b) {
            builder.push(same[0], same.len() as f64);
            score += same.len() as f64 * w[same[0]];
        }
        builder.end_row();
        labels.push((score > 0.0) != (i % 10 == 0));
    }
    // A word that nobody uses.
    let samples = Samples::sparse(builder.finish(words + 1).unwrap(), labels).unwrap();
    let decision = check(&samples, Verdict::Inseparable);
    let Claim::Inseparable { orthogonal, .. } = &decision.proof().unwrap().claim else { panic!() };
    assert_eq!(orthogonal.len(), 2);
}

/// Random tables of levels: the same verdicts as integers, whatever shows them.
#[test]
fn random_levels_have_the_verdicts_of_integers() {
    let mut verdicts = vec![];
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let count = [260 + dice.below(200), 2 + dice.below(30)];
        let rows = count[0] * (2 + dice.below(3)) + 200;
        let samples = levels(rows, count, dice.below(3) * 20, seed);
        let any = decided(&samples, ConflictForm::Any).verdict();
        let exact = decided(&samples, ConflictForm::Exact).verdict();
        assert_eq!(any, exact, "seed {seed}");
        verdicts.push(any.unwrap());
    }
    assert!(verdicts.contains(&Verdict::QuasiSeparable), "{verdicts:?}");
}

/// The working set meets a constant column, which says what the bias does.
#[test]
fn a_constant_column_in_the_working_set() {
    let mut dice = Dice(11);
    let (mut values, mut labels) = (vec![], vec![]);
    for _ in 0..600 {
        let x: Vec<f64> = (0..60).map(|_| dice.unit()).collect();
        labels.push(x[0] + dice.unit() > 0.0);
        values.extend(x.into_iter().chain([0.3]));
    }
    let samples = Samples::dense(values, 61, labels).unwrap();
    let decision = decided(&samples, ConflictForm::Any);
    let shown = (decision.verdict(), decision.ruled_out_by(), decision.way);
    assert_eq!(shown, (Some(Verdict::Inseparable), Some("matrix"), Way::WorkingSet));
    assert_eq!(decided(&samples, ConflictForm::Exact).verdict(), decision.verdict());
}
