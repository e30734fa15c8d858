//! Verdicts: those that are known, those of an oracle in exact arithmetic, and what must not change
//! them. Every proof goes through the checker once more.

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::decide::{DecideOptions, Decision, MarginGoal, MarginKind, Outcome, Verdict, decide};

use linsep::online::{FitSettings, MethodSettings, fit, svm};
use linsep::proof::exact::{ExactPlane, Row};
use linsep::proof::{Proof, verify};
use proptest::prelude::*;

fn decided(samples: &Samples) -> Decision {
    decided_with(samples, DecideOptions::default())
}

fn decided_with(samples: &Samples, options: DecideOptions) -> Decision {
    let decision = decide(samples, &options, &mut ()).unwrap();
    if let Some(proof) = decision.proof() {
        // Through its file, as a stranger would get it.
        let proof = Proof::from_json(&proof.to_json()).unwrap();
        verify(samples, &proof).unwrap();
    }
    assert_eq!(decision.proof().is_some(), decision.verdict().is_some());
    decision
}

fn check(rows: &[&[f64]], labels: &str, expected: Verdict) {
    let values: Vec<f64> = rows.iter().flat_map(|row| row.iter().copied()).collect();
    let labels = labels.chars().map(|c| c == '+').collect();
    let samples = Samples::dense(values, rows[0].len(), labels).unwrap();
    assert_eq!(decided(&samples).verdict(), Some(expected), "{rows:?}");
}

#[test]
fn small_problems_with_known_verdicts() {
    use Verdict::*;
    let xor: [&[f64]; 4] = [&[0., 1.], &[1., 0.], &[0., 0.], &[1., 1.]];
    check(&xor, "++--", Inseparable);
    check(&[&[100.], &[101.]], "-+", Separable);
    // One row under both labels; nothing else, and something else.
    check(&[&[1., 2.], &[1., 2.]], "+-", Inseparable);
    check(&[&[0.], &[0.], &[1.]], "-++", QuasiSeparable);
    // Collinear: a class in the middle of the other.
    check(&[&[1., 1.], &[2., 2.], &[3., 3.]], "+-+", Inseparable);
    // Hulls that touch in a point.
    check(&[&[-1.], &[0.], &[0.], &[1.]], "--++", QuasiSeparable);
    // A margin of one unit in the last place.
    check(&[&[1.0], &[1.0 + f64::EPSILON]], "-+", Separable);
    // A dummy variable that only one class has.
    check(&[&[1., 0.], &[2., 0.], &[1., 0.], &[2., 0.], &[5., 1.]], "+--++", QuasiSeparable);
    // Integers beyond 2^53, and numbers of very different size.
    check(&[&[9007199254740993e0], &[9007199254740996e0]], "-+", Separable);
    // A constant column and a duplicated one.
    check(&[&[7., 1., 1.], &[7., 2., 2.], &[7., 3., 3.]], "++-", Separable);
    check(&[&[7., 1., 1.], &[7., 2., 2.], &[7., 3., 3.]], "+-+", Inseparable);
    // Columns of very different scale.
    check(&[&[1e-6, 1e6], &[2e-6, 1e6], &[3e-6, 1e6]], "++-", Separable);
    check(&[&[5e-324], &[0.0]], "+-", Separable);
    check(&[&[1e-6, 1e6], &[-2e-6, 3e6], &[3e-6, -1e6], &[2e-6, -4e6]], "++--", Separable);
    check(&[&[1e-6, 1e6], &[-2e-6, 3e6], &[-3e-6, -1e6], &[2e-6, -4e6]], "+--+", Separable);
}

#[test]
fn generated_data_of_every_shape() {
    for (rows, features) in [(2000, 10), (300, 100), (50, 400), (40, 1000), (400, 900)] {
        let samples = Generator::new(rows, features, 5).samples::<f64>().unwrap();
        let decision = decided(&samples);
        assert_eq!(decision.verdict(), Some(Verdict::Separable), "{rows} x {features}");
        assert!(
            decision.margin().lower > 0.0 && decision.margin().lower <= decision.margin().upper
        );
    }
}

#[test]
fn the_largest_margin_is_bracketed() {
    let samples = Generator::new(3000, 8, 2).samples::<f64>().unwrap();
    for kind in [MarginKind::Angular, MarginKind::Geometric] {
        let options = DecideOptions::default().with_margin(MarginGoal::Max).with_kind(kind);
        let decision = decided_with(&samples, options);
        assert!(decision.margin().lower <= decision.margin().upper);
        assert!(decision.margin().lower >= decision.margin().upper * (1.0 - 2e-6), "{decision:?}");
        let proven = verify(&samples, decision.proof().unwrap()).unwrap().margin();
        assert_eq!(proven, Some(decision.margin()));
    }
}

#[test]
fn the_largest_geometric_margin_is_that_of_a_hard_support_vector_machine() {
    let hard = svm::SvmSettings { hard: true, tolerance: 1e-10, ..svm::SvmSettings::default() };
    let settings = FitSettings {
        method: MethodSettings::Svm(hard),
        max_epochs: 1_000_000,
        ..FitSettings::default()
    };
    for seed in 1..5 {
        let samples = Generator::new(200, 3, seed).samples::<f64>().unwrap();
        let svm = fit(&samples, &settings, &mut (), None).unwrap();
        let reached = svm.evaluation.margin.geometric.unwrap();
        let options =
            DecideOptions::default().with_margin(MarginGoal::Max).with_kind(MarginKind::Geometric);
        let decision = decided_with(&samples, options);
        // The machine maximises the angular margin, so it may fall short, but never exceed.
        assert!(reached <= decision.margin().upper && reached > 0.2 * decision.margin().upper);
        assert!(decision.margin().lower >= decision.margin().upper * (1.0 - 2e-6), "{decision:?}");
    }
}

#[test]
fn hulls_far_apart_and_near_at_every_scale() {
    for (offset, unit) in [(0.0, 1.0), (1e6, 1.0), (0.0, 1e-100), (0.0, 1e100), (-3e4, 1e-3)] {
        // (0, 0), (0, 2) and (-5, 1) against (3, 1), (4, 9) and (5, -7).
        let rows = [0.0, 0.0, 0.0, 2.0, -5.0, 1.0, 3.0, 1.0, 4.0, 9.0, 5.0, -7.0];
        let values: Vec<f64> = rows.iter().map(|v| offset + v * unit).collect();
        let labels = vec![false, false, false, true, true, true];
        let samples = Samples::dense(values, 2, labels).unwrap();
        let options =
            DecideOptions::default().with_margin(MarginGoal::Max).with_kind(MarginKind::Geometric);
        let decision = decided_with(&samples, options);
        let half = 1.5 * unit;
        assert!(
            decision.margin().lower <= half * (1.0 + 1e-9)
                && half * (1.0 - 1e-9) <= decision.margin().upper
        );
        assert!(
            decision.margin().lower >= decision.margin().upper * (1.0 - 2e-6),
            "{offset} {unit} {decision:?}"
        );
    }
}

#[test]
fn wrong_labels_are_proven_to_conflict() {
    let good = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
    let values: Vec<f64> = (0..3000)
        .flat_map(|i| {
            let mut row = vec![];
            good.features().for_each(i, |_, v| row.push(v));
            row
        })
        .collect();
    let mut labels = good.positive().to_vec();
    for i in [17, 400, 2999] {
        labels[i] = !labels[i];
    }
    let samples = Samples::dense(values, 8, labels).unwrap();
    assert_eq!(decided(&samples).verdict(), Some(Verdict::Inseparable));
}

#[test]
fn a_limit_leaves_rigorous_bounds() {
    let samples = Generator::new(5000, 20, 4).samples::<f64>().unwrap();
    let options = DecideOptions::default().with_max_passes(1);
    let decision = decide(&samples, &options, &mut ()).unwrap();
    let whole = decided(&samples);
    assert!(
        decision.margin().lower <= whole.margin().upper
            && whole.margin().lower <= decision.margin().upper
    );
}

/// Exact oracle for tiny integer problems: a conflict has a smallest support, on which the
/// multipliers are unique. Rows of some conflict are zero for every weak separator, and there is
/// one that is positive on all others (Goldman and Tucker).
fn oracle(rows: &[Vec<i64>]) -> Verdict {
    let n = rows.len();
    let mut forced = vec![false; n];
    for mask in 1_u32..1 << n {
        let subset: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        if subset.len() <= rows[0].len() + 1 && has_sole_positive_combination(rows, &subset) {
            subset.iter().for_each(|&i| forced[i] = true);
        }
    }
    match forced.iter().filter(|&&f| f).count() {
        0 => Verdict::Separable,
        count if count == n => Verdict::Inseparable,
        _ => Verdict::QuasiSeparable,
    }
}

fn has_sole_positive_combination(rows: &[Vec<i64>], subset: &[usize]) -> bool {
    // Unknowns are the multipliers; elimination on fractions of i128.
    let k = subset.len();
    let mut equations: Vec<Vec<i128>> = (0..rows[0].len())
        .map(|j| subset.iter().map(|&i| i128::from(rows[i][j])).collect())
        .collect();
    let mut pivots: Vec<usize> = vec![];
    for column in 0..k {
        let Some(at) = (pivots.len()..equations.len()).find(|&e| equations[e][column] != 0) else {
            continue;
        };
        let rank = pivots.len();
        equations.swap(rank, at);
        let pivot = equations[rank].clone();
        for (e, equation) in equations.iter_mut().enumerate() {
            if e != rank && equation[column] != 0 {
                let (a, b) = (pivot[column], equation[column]);
                equation.iter_mut().zip(&pivot).for_each(|(x, p)| *x = *x * a - p * b);
                let gcd = equation.iter().fold(0, |g, &v| gcd(g, v.abs()));
                if gcd > 1 {
                    equation.iter_mut().for_each(|v| *v /= gcd);
                }
            }
        }
        pivots.push(column);
    }
    if pivots.len() + 1 != k {
        return false;
    }
    let free = (0..k).find(|c| !pivots.contains(c)).unwrap();
    // With the free multiplier at 1 the others are - entry / pivot.
    pivots.iter().enumerate().all(|(e, &c)| equations[e][free] * equations[e][c] < 0)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lifted(values: &[Vec<i64>], labels: &[bool]) -> Vec<Vec<i64>> {
    let sign = |p: bool| if p { 1 } else { -1 };
    values
        .iter()
        .zip(labels)
        .map(|(row, &p)| row.iter().copied().chain([1]).map(|v| v * sign(p)).collect())
        .collect()
}

fn tiny() -> impl Strategy<Value = (Vec<Vec<i64>>, Vec<bool>)> {
    (2_usize..9, 1_usize..4, 1_i64..4).prop_flat_map(|(n, d, size)| {
        let row = prop::collection::vec(-size..=size, d);
        (prop::collection::vec(row, n), prop::collection::vec(any::<bool>(), n))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn verdicts_agree_with_the_oracle((values, mut labels) in tiny(), sparse: bool) {
        (labels[0], labels[1]) = (true, false);
        let expected = oracle(&lifted(&values, &labels));
        let columns = values[0].len();
        let samples = if sparse {
            let mut rows = SparseBuilder::default();
            for row in &values {
                for (k, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0) {
                    rows.push(k, v as f64);
                }
                rows.end_row();
            }
            Samples::sparse(rows.finish(columns).unwrap(), labels)
        } else {
            let flat = values.iter().flatten().map(|&v| v as f64).collect();
            Samples::dense(flat, columns, labels)
        };
        prop_assert_eq!(decided(&samples.unwrap()).verdict(), Some(expected));
    }

    #[test]
    fn what_must_not_change_a_verdict((values, mut labels) in tiny(), turn in 0_usize..9) {
        (labels[0], labels[1]) = (true, false);
        let columns = values[0].len();
        let verdict = |values: &[Vec<i64>], labels: Vec<bool>, scale: f64| {
            let flat = values.iter().flatten().map(|&v| v as f64 * scale).collect();
            decided(&Samples::dense(flat, columns, labels).unwrap()).verdict()
        };
        let expected = verdict(&values, labels.clone(), 1.0);
        let swapped = labels.iter().map(|l| !l).collect();
        prop_assert_eq!(verdict(&values, swapped, 1.0), expected);
        prop_assert_eq!(verdict(&values, labels.clone(), 1024.0), expected);
        let at = turn % values.len();
        let (mut turned, mut turned_labels) = (values.clone(), labels.clone());
        turned.rotate_left(at);
        turned_labels.rotate_left(at);
        prop_assert_eq!(verdict(&turned, turned_labels, 1.0), expected);
        let (mut doubled, mut doubled_labels) = (values.clone(), labels.clone());
        doubled.push(values[at].clone());
        doubled_labels.push(labels[at]);
        prop_assert_eq!(verdict(&doubled, doubled_labels, 1.0), expected);
    }
}

#[test]
fn the_oracle_meets_all_three_verdicts() {
    let of = |rows: &[[i64; 2]]| oracle(&rows.iter().map(|r| r.to_vec()).collect::<Vec<_>>());
    assert_eq!(of(&[[1, 1], [-2, -1]]), Verdict::Separable);
    assert_eq!(of(&[[0, 1], [0, -1], [1, 1]]), Verdict::QuasiSeparable);
    assert_eq!(of(&[[1, 1], [-2, -1], [3, 1], [-2, -1], [1, -1]]), Verdict::Inseparable);
}

/// Returns `rows` x `features` numbers between -1 and 1.
fn noise(rows: usize, features: usize, seed: u64) -> Vec<f64> {
    let samples = Generator::new(rows, features, seed).samples::<f64>().unwrap();
    let mut values = vec![];
    (0..rows).for_each(|i| samples.features().for_each(i, |_, v| values.push(v)));
    values
}

#[test]
fn wide_data_is_told_apart_too() {
    // Labels by chance, in more dimensions than exact elimination on all rows is for.
    let (rows, features) = (500, 170);
    let values = noise(rows, features, 7);
    let labels: Vec<bool> = (0..rows).map(|i| i * i % 7 < 3).collect();
    let with = |change: &dyn Fn(usize, &mut [f64])| {
        let mut values = values.clone();
        values.chunks_mut(features).enumerate().for_each(|(i, row)| change(i, row));
        Samples::dense(values, features, labels.clone()).unwrap()
    };
    assert_eq!(decided(&with(&|_, _| ())).verdict(), Some(Verdict::Inseparable));
    // Constant columns, and columns that add up: the conflict does not span everything.
    let deficient = with(&|i, row| {
        (row[3], row[50]) = (0.0, 7.5);
        (row[60], row[61], row[62]) = match i % 3 {
            0 => (1.0, 0.0, 0.0),
            1 => (0.0, 1.0, 0.0),
            _ => (0.0, 0.0, 1.0),
        };
        // Without rounding, or the sum would not be one.
        row[71..73].iter_mut().for_each(|v| *v = (*v * 1024.0).round());
        row[70] = row[71] - 3.0 * row[72];
    });
    assert_eq!(decided(&deficient).verdict(), Some(Verdict::Inseparable));
    // Two features that only some of the positive rows have, and only together on one side.
    let quasi = with(&|i, row| {
        let special = labels[i] && i % 10 == 0;
        let shift = (i % 5) as f64;
        (row[8], row[9]) = if special { (shift + 1.0, shift) } else { (shift, shift) };
    });
    assert_eq!(decided(&quasi).verdict(), Some(Verdict::QuasiSeparable));
}

#[test]
fn one_contradiction_in_wide_separable_data() {
    let features = 800;
    let mut values = noise(60, features, 3);
    // The last row is the first again.
    values.copy_within(..features, 59 * features);
    let labels: Vec<bool> = (0..60).map(|i| i % 2 == 0).collect();
    let samples = Samples::dense(values, features, labels).unwrap();
    let decision = decided(&samples);
    assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
    assert_eq!(decision.conflict().unwrap().rows(), [0, 59]);
    assert_eq!(decision.contradiction, Some((0, 59)));
}

#[test]
fn a_face_of_two_conflicts() {
    // A row under both labels, and elsewhere a segment through another: two conflicts. The second shows
    // only beside the first. All else is separable.
    let features = 800;
    let mut values = noise(60, features, 4);
    values.copy_within(..features, 59 * features);
    for k in 0..features {
        // Row 4 is the middle of the rows 5 and 7.
        let (a, b) = (values[5 * features + k], values[7 * features + k]);
        values[5 * features + k] = (a * 1024.0).round() / 1024.0;
        values[7 * features + k] = (b * 1024.0).round() / 1024.0;
        values[4 * features + k] = (values[5 * features + k] + values[7 * features + k]) / 2.0;
    }
    let labels: Vec<bool> = (0..60).map(|i| i % 2 == 0).collect();
    let samples = Samples::dense(values, features, labels).unwrap();
    let decision = decided(&samples);
    // The first conflict rules a strict separation out; the weak separator vanishes on both.
    let Outcome::QuasiSeparable { overlap, separator, .. } = &decision.outcome else {
        panic!("{decision:?}");
    };
    assert_eq!(overlap.rows(), [0, 59]);
    let plane = ExactPlane::new(separator.weights.clone(), separator.bias.clone());
    let on_it = |i: &usize| plane.sign(Row::of(samples.features(), *i)).is_eq();
    assert_eq!((0..60).filter(on_it).collect::<Vec<_>>(), [0, 4, 5, 7, 59]);
}

#[test]
fn numbers_that_the_checkers_first_prime_divides() {
    // (1, -h) and (1, l) with h + l = 2^61 - 1, each under both labels: dependent modulo that prime.
    let prime = (1_u64 << 61) - 1;
    let (low, high) = (prime & ((1 << 20) - 1), prime >> 20 << 20);
    let (low, high) = (low as f64, high as f64);
    check(&[&[-high], &[low], &[-high], &[low]], "++--", Verdict::Inseparable);
}
