//! Separation in logistic regression: cases that are known, an oracle in exact fractions, and numbers
//! chosen to fool arithmetic modulo a prime. Rows on the disk and on other machines give the same answers.

mod log_binomial;
mod machines;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, StreamOptions, Streamed};
use linsep::data::samples::{Features, SparseBuilder};
use linsep::data::write::{npy_header, npy_labels};
use linsep::decide::{DecideOptions, Limit, Watch};
use linsep::kernels::RowArithmetic;
use linsep::models::{
    Model, Response, Separation, SeparationKind, SeparationOptions, check_separation,
    check_separation_data,
};
use linsep::proof::{IBig, Proof, verify_model};
use machines::Machines;
use proptest::prelude::*;

fn dense(rows: &[Vec<f64>], labels: &str) -> Samples {
    let labels = labels.chars().map(|c| c == '+').collect();
    Samples::dense(rows.concat(), rows[0].len(), labels).unwrap()
}

fn sparse(rows: &[Vec<f64>], labels: &str) -> Samples {
    let mut builder = SparseBuilder::default();
    for row in rows {
        let stored = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
        stored.for_each(|(k, &v)| builder.push(k, v));
        builder.end_row();
    }
    let labels = labels.chars().map(|c| c == '+').collect();
    Samples::sparse(builder.finish(rows[0].len()).unwrap(), labels).unwrap()
}

fn separation(samples: &Samples) -> Separation {
    everywhere(samples, &SeparationOptions::default()).0
}

/// Returns what is found in memory, and the bytes of the longest answer of a machine; checks that the same
/// is found on other machines, to the last bit.
fn everywhere(samples: &Samples, options: &SeparationOptions) -> (Separation, usize) {
    let found = check_separation(samples, options, &mut ()).unwrap();
    let mut longest = 0;
    for count in [1, 2, 7] {
        let machines = Machines::new(samples, count);
        let there = check_separation_data(&machines.remote(), options, &mut ()).unwrap();
        assert_eq!(format!("{there:?}"), format!("{found:?}"), "{count} machines");
        longest = longest.max(machines.longest.into_inner().unwrap().1);
    }
    (found, longest)
}

/// Returns the kind, one mark per column, and the rows off the face.
fn shown(found: &Separation, columns: usize) -> String {
    let mut marks = vec!["fin".to_string(); columns];
    found.infinite.iter().for_each(|(k, sign)| marks[*k] = sign.to_string());
    found.aliased.iter().for_each(|&k| marks[k] = "alias".to_string());
    format!("{}: {} {:?}", found.kind, marks.join(" "), found.rows)
}

fn check(rows: &[&[f64]], labels: &str, expected: &str) {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    for samples in [dense(&rows, labels), sparse(&rows, labels)] {
        let found = separation(&samples);
        assert_eq!(shown(&found, rows[0].len()), expected, "{rows:?}");
        check_direction(&samples, &found);
        assert_eq!(found.conflict.is_empty(), found.kind == SeparationKind::Complete);
        assert!(found.conflict.iter().all(|row| !found.rows.contains(row)));
    }
}

fn check_direction(samples: &Samples, found: &Separation) {
    assert_eq!(found.direction.is_some(), !found.rows.is_empty());
    let Some(direction) = &found.direction else {
        return;
    };
    for i in 0..samples.rows() {
        let score = samples.features().dot(i, direction);
        let score = if samples.positive()[i] { score } else { -score };
        match found.rows.contains(&i) {
            // The cone may be thinner than floats can tell.
            true => assert!(score > -1e-15 * samples.norms()[i], "row {i}: {score}"),
            false => assert!(score.abs() <= 1e-12 * samples.norms()[i], "row {i}: {score}"),
        }
    }
}

#[test]
fn small_designs() {
    // One column, no constant: the question is homogeneous.
    check(&[&[1.], &[2.]], "-+", "overlap: fin []");
    check(&[&[-1.], &[2.]], "-+", "complete: +inf [0, 1]");
    check(&[&[-1.], &[0.], &[2.]], "-++", "quasi-complete: +inf [0, 2]");
    // With a constant a cut between 1 and 2 does it; the constant must then run to minus infinity.
    check(&[&[1., 1.], &[1., 2.]], "-+", "complete: -inf +inf [0, 1]");
    // A cut at zero may lie on either side of it.
    check(&[&[1., -1.], &[1., 1.]], "-+", "complete: ±inf +inf [0, 1]");
    // The point 1 has both outcomes: the cut is there.
    let at_one: [&[f64]; 4] = [&[1., 0.], &[1., 1.], &[1., 1.], &[1., 2.]];
    check(&at_one, "--++", "quasi-complete: -inf +inf [0, 3]");
    check(&at_one, "+-++", "overlap: fin fin []");
    // A column that is the sum of the first two has no coefficient of its own, nor have they.
    let sum: [&[f64]; 4] = [&[1., 0., 1.], &[0., 1., 1.], &[1., 0., 1.], &[0., 1., 1.]];
    check(&sum, "--++", "overlap: alias alias alias []");
    // A column of zeros.
    check(&[&[-1., 0.], &[2., 0.]], "-+", "complete: +inf alias [0, 1]");
    // Two dummies, each with a cell of one outcome.
    let dummies: [&[f64]; 5] =
        [&[1., 0., 0.], &[1., 0., 0.], &[1., 1., 0.], &[1., 1., 0.], &[1., 0., 1.]];
    check(&dummies, "-+++-", "quasi-complete: fin +inf -inf [2, 3, 4]");
    // A row of zeros says nothing.
    check(&[&[0., 0.], &[1., 0.], &[0., 1.]], "+-+", "quasi-complete: -inf +inf [1, 2]");
}

#[test]
fn a_constant_is_column_zero() {
    let rows: [Vec<f64>; 4] = [vec![0.], vec![1.], vec![1.], vec![2.]];
    let options = SeparationOptions::default().with_intercept(true);
    for samples in [dense(&rows, "--++"), sparse(&rows, "--++")] {
        let found = everywhere(&samples, &options).0;
        assert_eq!(shown(&found, 2), "quasi-complete: -inf +inf [0, 3]");
        assert_eq!(found.direction.unwrap(), [-1.0, 1.0]);
    }
    let narrow = Samples::dense(vec![0_f32, 1.0], 1, vec![false, true]).unwrap();
    let found = everywhere(&narrow, &options).0;
    assert_eq!(shown(&found, 2), "complete: -inf +inf [0, 1]");
}

/// The primes modulo which columns were once told apart, and those of the deciding engine.
const PRIMES: [u64; 6] = [
    (1 << 31) - 1,
    (1 << 31) - 19,
    0x0794_4c9c_269e_0e1d,
    0x0631_71ff_a6a3_a467,
    0x0660_63a0_892f_9057,
    0x06db_d9d7_81e7_4ef7,
];

#[test]
fn numbers_that_are_zero_modulo_a_prime() {
    let (p, q) = (2147483647.0, 2147483629.0);
    // Modulo p and modulo q the last column is zero, and the second and third are equal.
    check(
        &[&[1., 0., 0., 0.], &[1., 1., 1. + p * 64., 0.], &[1., 2., 2., p], &[1., 3., 3., -q]],
        "-++-",
        "complete: -inf ±inf ±inf +inf [0, 1, 2, 3]",
    );
    // Two rows of the face are all that holds the first two columns: (1, p) under both labels, and (1, 0).
    let held: [&[f64]; 5] =
        [&[1., p, 0.], &[1., p, 0.], &[1., 0., 0.], &[1., 0., 0.], &[1., q, 1.]];
    check(&held, "+-+-+", "quasi-complete: fin fin +inf [4]");
    // Modulo either prime one of two columns is zero.
    check(&[&[p, 0.], &[p, 0.], &[0., q], &[0., q]], "+-+-", "overlap: fin fin []");
    check(&[&[p, 0.], &[p, 0.], &[0., q]], "+-+", "quasi-complete: fin +inf [2]");
    for prime in PRIMES {
        // (1, -h) and (1, l) have the determinant h + l, which is the prime.
        let low = (prime & ((1 << 20) - 1)) as f64;
        let high = (prime >> 20 << 20) as f64;
        let rows: [&[f64]; 5] =
            [&[1., -high, 0.], &[1., -high, 0.], &[1., low, 0.], &[1., low, 0.], &[0., 1., 1.]];
        check(&rows, "+-+--", "quasi-complete: fin fin -inf [4]");
        check(&rows[..4], "+-+-", "overlap: fin fin alias []");
    }
}

#[test]
fn scores_that_only_rounding_makes_zero() {
    // Ten times the first row is the last one, except the last bits of its last number. No direction of
    // floats has a score there that is more than rounding.
    let near = [vec![0.1, 0.2, 0.3], vec![0.1, 0.2, 0.3], vec![1., 2., 3.]];
    for samples in [dense(&near, "+-+"), sparse(&near, "+-+")] {
        let found = separation(&samples);
        assert_eq!(shown(&found, 3), "quasi-complete: alias alias +inf [2]");
    }
    let near: [&[f64]; 3] = [&[0.1, 0.2, 0.4], &[0.1, 0.2, 0.4], &[0.2, 0.4, 0.8]];
    check(&near, "+-+", "overlap: alias alias alias []");
}

#[test]
fn limits_and_cancellation_leave_it_undecided() {
    let noise = |k: usize| ((k * 7919 + 13) % 1009) as f64 - 504.0;
    let rows: Vec<Vec<f64>> =
        (0..600).map(|i| (0..6).map(|k| noise(i * 6 + k + i * i)).collect()).collect();
    let labels: String =
        (0..600).map(|i| if noise(i * 31 + 5) > 0.0 { '+' } else { '-' }).collect();
    let samples = dense(&rows, &labels);
    let limits = DecideOptions::default().with_time_limit(Duration::from_nanos(1));
    let options = SeparationOptions::default().with_limits(limits);
    let found = check_separation(&samples, &options, &mut ()).unwrap();
    assert_eq!(found.kind, SeparationKind::Undecided(Limit::Time));
    assert!(found.direction.is_none() && found.infinite.is_empty() && found.rows.is_empty());

    struct Cancelled(AtomicBool);
    impl Watch for Cancelled {
        fn cancelled(&self) -> Option<&AtomicBool> {
            Some(&self.0)
        }
    }
    let mut watch = Cancelled(AtomicBool::new(true));
    let found = check_separation(&samples, &SeparationOptions::default(), &mut watch).unwrap();
    assert_eq!(found.kind, SeparationKind::Undecided(Limit::Cancelled));

    let options = options.with_limits(DecideOptions::default().with_max_passes(0));
    let error = check_separation(&samples, &options, &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "max_passes is 0; expected an integer, at least 1");
}

/// Returns a design and its labels: a variable that overlaps, dummies (some with only one outcome), and columns
/// that depend on them.
fn table(rows: usize, seed: u64) -> (Vec<Vec<f64>>, String) {
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let levels = 2 + draw(5);
    (0..rows)
        .map(|_| {
            let level = draw(levels);
            // The last two levels have an outcome each, unless noise is added.
            let sure = level + 2 >= levels && (!seed.is_multiple_of(3) || draw(9) > 0);
            let positive = if sure { level + 1 == levels } else { draw(2) == 0 };
            let mut row = vec![draw(1000) as f64 / 64.0 - 3.0];
            row.extend((0..levels).map(|k| f64::from(u8::from(k == level))));
            row.push(if seed.is_multiple_of(2) { row[0] * 2.0 } else { draw(9) as f64 });
            (row, if positive { '+' } else { '-' })
        })
        .unzip()
}

#[test]
fn rows_on_other_machines() {
    let mut kinds = [0; 3];
    for seed in 0..24 {
        let (rows, labels) = table(20 + 15 * seed as usize, seed);
        let narrow: Vec<f32> = rows.concat().iter().map(|&v| v as f32).collect();
        let signs = labels.chars().map(|c| c == '+').collect();
        let narrow = Samples::dense(narrow, rows[0].len(), signs).unwrap();
        for intercept in [false, true] {
            let options = SeparationOptions::default().with_intercept(intercept);
            let found = [&dense(&rows, &labels), &sparse(&rows, &labels), &narrow]
                .map(|samples| shown(&everywhere(samples, &options).0, rows[0].len() + 1));
            assert!(found.iter().all(|other| *other == found[0]), "seed {seed}: {found:?}");
            let kind = ["overlap", "quasi", "complete"].map(|kind| found[0].starts_with(kind));
            kinds.iter_mut().zip(kind).for_each(|(count, is)| *count += i32::from(is));
        }
    }
    assert!(kinds[0] > 5 && kinds[1] > 20 && kinds[2] > 0, "{kinds:?}");
}

#[test]
fn signs_are_those_that_a_row_more_allows() {
    // Some direction has the other sign exactly if the vectors stay strictly separable with one more that asks for it.
    let mut state = 5_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut counts = [0; 2];
    for round in 0..24 {
        let (columns, rows) = (8 + round % 9, 30 + 25 * (round % 4));
        let weights: Vec<f64> = (0..columns).map(|_| draw(2001) as f64 - 1000.0).collect();
        // Dummies put coefficients on the border, where neither sign is strict.
        let value = |k: usize, draw: &mut dyn FnMut(u64) -> u64| match (round % 3, k % 4) {
            (1, 0) => draw(2) as f64,
            (2, 1) => 1.6e9 + draw(1 << 26) as f64,
            _ => draw(2001) as f64 / 64.0 - 15.0,
        };
        let design: Vec<Vec<f64>> =
            (0..rows).map(|_| (0..columns).map(|k| value(k, &mut draw)).collect()).collect();
        let score = |row: &Vec<f64>| -> f64 { row.iter().zip(&weights).map(|(x, w)| x * w).sum() };
        let labels: String =
            design.iter().map(|row| if score(row) > 0.0 { '+' } else { '-' }).collect();
        if !labels.contains('+') || !labels.contains('-') {
            continue;
        }
        let found = separation(&dense(&design, &labels));
        assert_eq!((found.kind, found.infinite.len()), (SeparationKind::Complete, columns));
        for (k, sign) in &found.infinite {
            for (way, mark) in [(1.0, '+'), (-1.0, '-')] {
                let mut more = design.clone();
                more.push((0..columns).map(|j| if j == *k { way } else { 0.0 }).collect());
                let samples = dense(&more, &format!("{labels}+"));
                let options = SeparationOptions::default().with_most_rows(0);
                let kind = check_separation(&samples, &options, &mut ()).unwrap().kind;
                let shown = sign.to_string();
                let occurs = shown.starts_with(mark) || shown.starts_with('±');
                assert_eq!(kind == SeparationKind::Complete, occurs, "round {round}: {k} {shown}");
                counts[usize::from(occurs)] += 1;
            }
        }
    }
    assert!(counts[0] > 20 && counts[1] > 200, "{counts:?}");
}

#[test]
fn answers_are_short_and_rows_are_named_as_asked() {
    let (rows, labels) = table(20_000, 5);
    let samples = dense(&rows, &labels);
    let all = check_separation(&samples, &SeparationOptions::default(), &mut ()).unwrap();
    assert_eq!(all.kind, SeparationKind::QuasiComplete);
    assert_eq!((all.rows.len(), all.separated > 1000), (all.separated, true));
    for most in [0, 7] {
        let options = SeparationOptions::default().with_most_rows(most);
        let (found, longest) = everywhere(&samples, &options);
        assert_eq!((found.separated, &found.rows[..]), (all.separated, &all.rows[..most]));
        assert!(longest < samples.rows(), "{longest} bytes");
    }
    let complete = Generator::new(3000, 4, 1).samples::<f64>().unwrap();
    let options = SeparationOptions::default().with_intercept(true).with_most_rows(3);
    let found = everywhere(&complete, &options).0;
    assert_eq!((found.kind, found.separated), (SeparationKind::Complete, 3000));
    assert_eq!(found.rows, [0, 1, 2]);
}

#[test]
fn rows_on_the_disk() {
    let (rows, labels) = table(5000, 5);
    let samples = dense(&rows, &labels);
    let path = std::env::temp_dir().join(format!("linsep-separation-{}.npy", std::process::id()));
    let values: Vec<u8> = rows.concat().iter().flat_map(|v| v.to_le_bytes()).collect();
    let header = npy_header("<f8", &[rows.len(), rows[0].len()]);
    std::fs::write(&path, [header, values].concat()).unwrap();
    let labels = path.with_extension("labels.npy");
    std::fs::write(&labels, npy_labels(samples.positive())).unwrap();
    let source = Source::from(path.as_path());
    let stream = StreamOptions::default();
    let file = Streamed::open(&source, &ReadOptions::default(), &stream, &|_rows| {}).unwrap();
    for intercept in [false, true] {
        let options = SeparationOptions::default().with_intercept(intercept);
        let found = check_separation_data(&file, &options, &mut ()).unwrap();
        let expected = check_separation(&samples, &options, &mut ()).unwrap();
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }
    drop(file);
    for path in [path, labels] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn wide_sparse_rows_are_decided_elsewhere_too() {
    // The dual descent is for rows in memory: the way differs, the answer does not.
    let mut builder = SparseBuilder::default();
    for i in 0..60_usize {
        (0..3).for_each(|k| builder.push(k * 300 + (i * i + 7 * k + i * k) % 40, 1.0));
        builder.end_row();
    }
    let labels = (0..60).map(|i| i % 7 < 3).collect();
    let samples = Samples::sparse(builder.finish(900).unwrap(), labels).unwrap();
    assert!(matches!(samples.features(), Features::Sparse(_)));
    let options = SeparationOptions::default();
    let found = check_separation(&samples, &options, &mut ()).unwrap();
    let machines = Machines::new(&samples, 2);
    let there = check_separation_data(&machines.remote(), &options, &mut ()).unwrap();
    assert_eq!(shown(&there, 900), shown(&found, 900));
}

/// The answer by the definition, in exact integers: Fourier and Motzkin eliminate all variables but one.
mod oracle {
    use super::*;

    type Row = Vec<IBig>;

    /// Returns inequalities row·g >= 0 with the variable `k` eliminated.
    fn eliminated(rows: &[Row], k: usize) -> Vec<Row> {
        let zero = IBig::from(0);
        let (mut out, mut up, mut down): (Vec<Row>, Vec<&Row>, Vec<&Row>) =
            (vec![], vec![], vec![]);
        for row in rows {
            match row[k].cmp(&zero) {
                std::cmp::Ordering::Greater => up.push(row),
                std::cmp::Ordering::Less => down.push(row),
                std::cmp::Ordering::Equal => out.push(row.clone()),
            }
        }
        for a in &up {
            for b in &down {
                out.push(a.iter().zip(*b).map(|(x, y)| y * &a[k] - x * &b[k]).collect());
            }
        }
        out.iter_mut().for_each(reduce);
        out.retain(|row| row.iter().any(|v| *v != zero));
        out.sort();
        out.dedup();
        out
    }

    fn reduce(row: &mut Row) {
        let gcd = |mut a: IBig, mut b: IBig| {
            while b != IBig::from(0) {
                (a, b) = (b.clone(), a % b);
            }
            a
        };
        let common = row.iter().fold(IBig::from(0), |common, v| gcd(common, v.clone()));
        if common != IBig::from(0) {
            let common = if common < IBig::from(0) { -common } else { common };
            row.iter_mut().for_each(|v| *v = &*v / &common);
        }
    }

    /// Returns true if some g has rows·g >= 0 and target·g > 0.
    pub fn reaches(rows: &[Row], target: &[IBig]) -> bool {
        let columns = target.len();
        // One variable t more, with target·g - t >= 0: can it be positive?
        let zero = IBig::from(0);
        let mut all: Vec<Row> =
            rows.iter().map(|row| row.iter().cloned().chain([zero.clone()]).collect()).collect();
        all.push(target.iter().cloned().chain([IBig::from(-1)]).collect());
        (0..columns).for_each(|k| all = eliminated(&all, k));
        all.iter().all(|row| row[columns] >= zero)
    }

    /// Returns what `shown` shows, for a design of integers.
    pub fn shown(rows: &[Vec<i64>], labels: &str) -> String {
        let big = |v: &i64| IBig::from(*v);
        let signed: Vec<Row> = rows
            .iter()
            .zip(labels.chars())
            .map(|(row, c)| row.iter().map(|v| if c == '+' { big(v) } else { -big(v) }).collect())
            .collect();
        let strict: Vec<usize> =
            (0..rows.len()).filter(|&i| reaches(&signed, &signed[i])).collect();
        let kind = match strict.len() {
            0 => "overlap",
            n if n == rows.len() => "complete",
            _ => "quasi-complete",
        };
        let negated = |row: &Row| row.iter().map(|v| -v).collect::<Row>();
        // Nothing changes along g if rows·g = 0: both signs of every row.
        let both: Vec<Row> =
            signed.iter().chain(&signed.iter().map(negated).collect::<Vec<_>>()).cloned().collect();
        let mark = |k: usize| {
            let unit: Row = (0..rows[0].len()).map(|j| IBig::from(i32::from(j == k))).collect();
            match (
                reaches(&both, &unit),
                reaches(&signed, &unit),
                reaches(&signed, &negated(&unit)),
            ) {
                (true, ..) => "alias",
                (_, true, true) => "±inf",
                (_, true, false) => "+inf",
                (_, false, true) => "-inf",
                _ => "fin",
            }
        };
        let marks: Vec<&str> = (0..rows[0].len()).map(mark).collect();
        format!("{kind}: {} {strict:?}", marks.join(" "))
    }
}

fn agrees_with_the_oracle(rows: &[Vec<i64>], labels: &str) {
    let floats: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().map(|&v| v as f64).collect()).collect();
    let expected = oracle::shown(rows, labels);
    for samples in [dense(&floats, labels), sparse(&floats, labels)] {
        let found = separation(&samples);
        assert_eq!(shown(&found, rows[0].len()), expected, "{rows:?} {labels}");
        check_direction(&samples, &found);
    }
}

#[test]
fn the_oracle_agrees_on_numbers_that_are_zero_modulo_a_prime() {
    let (p, q) = ((1_i64 << 31) - 1, (1_i64 << 31) - 19);
    agrees_with_the_oracle(&[vec![1, p], vec![1, 0], vec![1, q]], "+-+");
    agrees_with_the_oracle(&[vec![1, 1, 1 + p], vec![1, 2, 2], vec![1, 3, 3 - q]], "+-+");
    let apart = [vec![1, 0, 0, 0], vec![1, 1, 1 + p * 64, 0], vec![1, 2, 2, p], vec![1, 3, 3, -q]];
    agrees_with_the_oracle(&apart, "-++-");
    agrees_with_the_oracle(&[vec![p, 0], vec![p, 0], vec![0, q]], "+-+");
    agrees_with_the_oracle(&[vec![p, q], vec![q, p], vec![p, q], vec![1, 0]], "+--+");
    agrees_with_the_oracle(&[vec![0, p, q], vec![1, q, p], vec![1, q, p], vec![0, 0, 1]], "+-+-");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_oracle_agrees(
        columns in 1_usize..4,
        numbers in prop::collection::vec(-2_i64..3, 27),
        labels in "[+-]{3,9}",
        scale in prop::sample::select(vec![1_i64, 3, (1 << 31) - 1, (1 << 31) - 19]),
        scaled in 0_usize..3,
    ) {
        prop_assume!(labels.contains('+') && labels.contains('-'));
        let mut rows: Vec<Vec<i64>> = numbers.chunks(columns).map(<[i64]>::to_vec).collect();
        rows.truncate(labels.len());
        rows.iter_mut().for_each(|row| row[scaled % columns] *= scale);
        agrees_with_the_oracle(&rows, &labels);
    }
}

/// Returns rows around a hyperplane with a constant column, a dummy that a few rows have, and a column far from zero; of these
/// labels some contradict the hyperplane, and no row with the dummy is a failure if `separated`.
fn ordinary(rows: usize, separated: bool) -> (Samples, Vec<f64>) {
    let mut state = 7;
    let mut number = || linsep::data::hash::draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
    let (mut values, mut labels) = (vec![], vec![]);
    for i in 0..rows {
        let (a, b) = (number(), number());
        let dummy = i % 211 == 3;
        let y = 3.0 * a - 2.0 * b + 2.0 * number() > 0.0;
        labels.push(if dummy { separated || i % 2 == 0 } else { y });
        values.extend([1.0, a, f64::from(u8::from(dummy)), b + 1e6]);
    }
    let fitted = vec![2e6, 3.0, if separated { 25.0 } else { 0.3 }, -2.0];
    (Samples::dense(values, 4, labels).unwrap(), fitted)
}

/// Returns what an answer says, without which rows show it.
fn said(found: &Separation) -> String {
    let Separation { kind, infinite, aliased, rows, settled, left_out, cone_dimension, .. } = found;
    format!("{kind} {infinite:?} {aliased:?} {rows:?} {settled:?} {left_out:?} {cone_dimension}")
}

fn holds(samples: &Samples, intercept: bool, proof: &Proof) -> bool {
    let (model, labels) = (Model::Binomial { intercept }, Response::labels(samples.positive()));
    verify_model(samples.features(), &model, &labels, None, proof).unwrap().is_ok()
}

#[test]
fn coefficients_to_begin_with_change_no_answer() {
    for separated in [false, true] {
        let (samples, fitted) = ordinary(5000, separated);
        let plain = separation(&samples);
        assert_eq!(plain.kind == SeparationKind::Overlap, !separated);
        // Those of a fit, those of none, and what no fit would say.
        let others = [vec![0.0; 4], vec![1e300, -1e300, 1e-300, 1.0], vec![-2e6, -3.0, 9.0, 2.0]];
        for start in others.into_iter().chain([fitted]) {
            let options = SeparationOptions::default().with_start(start.clone());
            let (found, _) = everywhere(&samples, &options);
            assert_eq!(said(&found), said(&plain), "{start:?}");
            let proof = found.proof.unwrap();
            assert!(holds(&samples, false, &proof));
            // Not for the model that adds a constant, nor for rows of which one is on the other side.
            assert!(!holds(&samples, true, &proof));
            let mut labels = samples.positive().to_vec();
            labels[3] = !labels[3];
            let mut values = vec![];
            (0..5000).for_each(|i| samples.features().for_each(i, |_, v| values.push(v)));
            assert!(!holds(&Samples::dense(values, 4, labels).unwrap(), false, &proof));
        }
    }
}

#[test]
fn coefficients_to_begin_with_are_one_finite_number_each() {
    let (samples, _) = ordinary(50, false);
    let error = |start: Vec<f64>| {
        let options = SeparationOptions::default().with_start(start);
        check_separation(&samples, &options, &mut ()).unwrap_err().to_string()
    };
    assert_eq!(
        error(vec![1.0; 3]),
        "start is 3 numbers for 4 coefficients; expected one number per coefficient, in their order"
    );
    assert_eq!(error(vec![0.0, f64::NAN, 0.0, 0.0]), "start is NaN; expected finite numbers");
    // Of a decision it is the weights, and the bias.
    let options = DecideOptions::default().with_start(vec![0.0; 4]);
    let error = linsep::decide::decide(&samples, &options, &mut ()).unwrap_err().to_string();
    assert_eq!(
        error,
        "start is 4 numbers for 4 features; expected a weight per feature, and the bias"
    );
}
