//! Audits: what they find, that they depend on nothing but the rows, and ugly tables.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use linsep::audit::{Audit, AuditError, AuditOptions, audit, audit_classes};
use linsep::data::Features;
use linsep::data::samples::{Dense, SparseBuilder};
use linsep::decide::{Limit, Verdict};
use linsep::{Samples, Watch};
use proptest::prelude::*;

/// Returns rows of two clouds, and labels; those of the rows `wrong` are flipped.
fn clouds(
    rows: usize,
    columns: usize,
    apart: f64,
    wrong: &[usize],
    seed: u64,
) -> (Vec<f64>, Vec<bool>) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut values = vec![];
    for row in 0..rows {
        let side = if row % 2 == 1 { apart } else { 0.0 };
        values.extend((0..columns).map(|_| side + uniform() + uniform() + uniform()));
    }
    let labels = (0..rows).map(|row| (row % 2 == 1) != wrong.contains(&row)).collect();
    (values, labels)
}

fn audited(values: Vec<f64>, columns: usize, labels: Vec<bool>) -> Audit {
    let samples = Samples::dense(values, columns, labels).unwrap();
    audit(&samples, &AuditOptions::default(), &mut ()).unwrap()
}

fn suspects(audit: &Audit) -> Vec<usize> {
    let mut rows: Vec<usize> = audit.suspects().iter().map(|row| row.row).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn wrong_labels_that_a_hyperplane_accommodates_are_found() {
    let wrong = [8, 31, 50];
    let (values, labels) = clouds(60, 60, 0.6, &wrong, 1);
    let audit = audited(values, 60, labels);
    assert_eq!(suspects(&audit), wrong);
    let proven = audit.proven.as_ref().unwrap();
    assert_eq!(proven.decision.verdict(), Some(Verdict::Separable));
    let rest = proven.without_suspects.as_ref().unwrap();
    assert!(rest.margin().lower > proven.decision.margin().upper);
    for row in audit.suspects() {
        let cost = row.cost.unwrap();
        assert!(!row.conflicts());
        assert!(cost.weight > 0.0 && cost.without.unwrap().upper >= proven.decision.margin().lower);
    }
    let weights: f64 = audit.rows.iter().map(|row| row.cost.unwrap().weight).sum();
    assert!((weights - 1.0).abs() < 1e-9);
}

#[test]
fn wrong_labels_in_the_way_are_found_and_proven() {
    let wrong = [4, 77, 120];
    let (values, labels) = clouds(200, 2, 4.0, &wrong, 2);
    let audit = audited(values, 2, labels);
    assert_eq!(suspects(&audit), wrong);
    assert!(audit.suspects().iter().all(|row| row.in_the_way && row.conflicts()));
    let proven = audit.proven.unwrap();
    assert_eq!(proven.decision.verdict(), Some(Verdict::Inseparable));
    assert_eq!(proven.removal.unwrap().rows.len(), 3);
    assert_eq!(proven.without_suspects.unwrap().verdict(), Some(Verdict::Separable));
}

/// Where clouds overlap, a row far on the other side is a wrong label to anyone: at most one in a hundred.
#[test]
fn clean_labels_are_left_alone() {
    for (columns, apart) in [(2, 4.0), (2, 1.0), (50, 0.6), (5, 0.0)] {
        let (values, labels) = clouds(200, columns, apart, &[], 3);
        let audit = audited(values, columns, labels);
        let most = if apart == 1.0 { 2 } else { 0 };
        assert!(suspects(&audit).len() <= most, "{columns} columns, {apart} apart");
    }
}

#[test]
fn many_classes() {
    let values: Vec<f64> = clouds(300, 6, 0.0, &[], 5).0;
    let mut classes: Vec<usize> = (0..300).map(|row| row % 3).collect();
    let values: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(k, v)| v + if k % 6 == k / 6 % 3 { 3.0 } else { 0.0 })
        .collect();
    classes[10] = 2;
    classes[200] = 0;
    let features = Features::Dense64(Dense::new(values, 300, 6));
    let names = ["a", "b", "c"].map(String::from);
    let found =
        audit_classes(&features, &classes, &names, &AuditOptions::default(), &mut ()).unwrap();
    assert_eq!(suspects(&found), [10, 200]);
    let suggested: Vec<usize> = found.suspects().iter().map(|row| row.suggested).collect();
    let expected: Vec<usize> = found.suspects().iter().map(|row| row.row % 3).collect();
    assert_eq!(suggested, expected);
    assert!(found.proven.is_none());
}

#[test]
fn copies_under_both_labels_are_proven_to_contradict() {
    let (mut values, mut labels) = clouds(100, 2, 4.0, &[], 6);
    let copy = values[2..4].to_vec();
    values.extend(copy);
    labels.push(false);
    let audit = audited(values, 2, labels);
    assert_eq!(audit.contradictions, [vec![1, 100]]);
    assert_eq!(suspects(&audit), [100]);
    assert!(audit.suspects()[0].contradicted && audit.suspects()[0].in_the_way);
}

#[test]
fn dense_and_sparse_rows_are_one() {
    let (mut values, labels) = clouds(80, 8, 2.0, &[7], 7);
    values.iter_mut().step_by(3).for_each(|v| *v = 0.0);
    let dense = audited(values.clone(), 8, labels.clone());
    let mut builder = SparseBuilder::default();
    for row in values.chunks(8) {
        row.iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(k, &v)| builder.push(k, v));
        builder.end_row();
    }
    let samples = Samples::sparse(builder.finish(8).unwrap(), labels).unwrap();
    let sparse = audit(&samples, &AuditOptions::default(), &mut ()).unwrap();
    assert_eq!(suspects(&dense), [7]);
    assert_eq!(suspects(&sparse), [7]);
    for (a, b) in dense.rows.iter().zip(&sparse.rows) {
        assert!((a.probability - b.probability).abs() < 1e-6);
    }
}

/// Every ugly table gets an answer: finite numbers, and no suspects unless they are expected.
fn check(values: Vec<f64>, columns: usize, labels: Vec<bool>, expected: &[usize]) {
    let rows = labels.len();
    let audit = audited(values, columns, labels);
    assert_eq!(audit.rows.len(), rows);
    assert!(
        audit.rows.iter().all(|row| row.odds.is_finite() && (0.0..=1.0).contains(&row.probability))
    );
    assert_eq!(suspects(&audit), expected);
}

#[test]
fn ugly_tables_get_an_answer() {
    // A constant column, timestamps and fractions side by side.
    let (values, labels) = clouds(120, 1, 5.0, &[9], 8);
    let table = values.iter().flat_map(|v| [7.0, 1.7e9 + 1e5 * v, 1e-7 * v]);
    check(table.collect(), 3, labels.clone(), &[9]);
    // Nothing but a constant.
    check(vec![3.0; 40], 1, (0..40).map(|k| k % 2 == 0).collect(), &[]);
    // A row of huge norm, and values at the ends of the range.
    let mut huge = values.clone();
    huge[0] = -1e300;
    check(huge, 1, labels.clone(), &[]);
    check(values.iter().map(|v| (v - 2.5) * 1e307).collect(), 1, labels.clone(), &[9]);
    check(values.iter().map(|v| v * 1e-300).collect(), 1, labels, &[9]);
    // Two rows per class, all the same row per class.
    check(vec![1.0, 1.0, 2.0, 2.0], 1, vec![false, false, true, true], &[]);
    // More columns than rows can fill.
    let (values, labels) = clouds(10, 300, 1.0, &[], 9);
    check(values, 300, labels, &[]);
}

#[test]
fn one_row_of_a_class_is_an_error_that_names_it() {
    let samples = Samples::dense(vec![1.0, 2.0, 3.0], 1, vec![false, false, true]).unwrap();
    let error = audit(&samples, &AuditOptions::default(), &mut ()).unwrap_err();
    assert!(matches!(&error, AuditError::OneRow { class } if class == "1"));
    assert_eq!(error.to_string(), "one row has the label \"1\"; an audit needs two of every class");
}

#[test]
fn options_are_checked() {
    let samples = Samples::dense(vec![1.0, 2.0], 1, vec![false, true]).unwrap();
    let options = AuditOptions::default().with_time_limit(Duration::ZERO);
    let error = audit(&samples, &options, &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "time_limit is 0; expected a time above 0");
}

#[test]
fn limits_end_the_work() {
    struct Cancelled(AtomicBool);
    impl Watch for Cancelled {
        fn cancelled(&self) -> Option<&AtomicBool> {
            Some(&self.0)
        }
    }
    let (values, labels) = clouds(400, 50, 0.6, &[1], 10);
    let samples = Samples::dense(values, 50, labels).unwrap();
    let stopped = audit(&samples, &AuditOptions::default(), &mut Cancelled(true.into())).unwrap();
    assert!(stopped.rows.is_empty() && stopped.suspects().is_empty());
    assert_eq!(stopped.stopped, Some(Limit::Cancelled));
    let options = AuditOptions::default().with_time_limit(Duration::from_nanos(1));
    let stopped = audit(&samples, &options, &mut ()).unwrap();
    assert_eq!((stopped.rows.len(), stopped.stopped), (0, Some(Limit::Time)));
}

/// Returns what an audit says of each row, in the order of the data.
fn said(audit: &Audit) -> Vec<(u64, u64, usize, bool)> {
    let mut rows: Vec<_> = audit.rows.iter().collect();
    rows.sort_by_key(|row| row.row);
    rows.iter()
        .map(|row| (row.odds.to_bits(), row.against.to_bits(), row.suggested, row.contradicted))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The same rows, in another order or in other units, come out with the same bits; threads do not matter.
    #[test]
    fn what_is_said_of_a_row_depends_on_rows_alone(
        seed in 0_u64..1000,
        columns in 1_usize..6,
        apart in 0.5_f64..3.0,
        power in -20_i32..20,
        turn in 0_usize..40,
    ) {
        let (values, labels) = clouds(40, columns, apart, &[3, 20], seed);
        let options = AuditOptions::default().with_leave_out(0);
        let run = |values: Vec<f64>, labels: Vec<bool>| {
            audit(&Samples::dense(values, columns, labels).unwrap(), &options, &mut ()).unwrap()
        };
        let all = run(values.clone(), labels.clone());
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = one.install(|| run(values.clone(), labels.clone()));
        prop_assert_eq!(said(&all), said(&alone));
        let unit = |k: usize| f64::powi(2.0, if k.is_multiple_of(columns) { power } else { 0 });
        let scaled = values.iter().enumerate().map(|(k, v)| v * unit(k)).collect();
        prop_assert_eq!(said(&all), said(&run(scaled, labels.clone())));
        let (mut values, mut labels) = (values, labels);
        values.rotate_left(turn * columns);
        labels.rotate_left(turn);
        let mut turned = said(&run(values, labels));
        turned.rotate_right(turn);
        prop_assert_eq!(said(&all), turned);
    }
}
