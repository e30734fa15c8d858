//! Columns in other units while a method learns: what the method sees, and that answers are about the data as it is.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

#[allow(dead_code, reason = "shared with other tests")]
mod tables;

use linsep::ask::FitQuestion;
use linsep::data::Memory;
use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::online::{Checkpoint, Fit, FitError, FitSettings, MethodSettings, Scaling, Stop, fit};
use linsep::{Samples, Watch};
use tables::{Kind, Labels, table};

fn settings(name: &str, scale: Scaling) -> FitSettings {
    let method = MethodSettings::by_name(name).unwrap();
    FitSettings { method, scale, max_epochs: 200, ..FitSettings::default() }
}

fn run(samples: &Samples, name: &str, scale: Scaling) -> Fit {
    let fit = fit(samples, &settings(name, scale), &mut (), None).unwrap();
    let weights = &fit.hyperplane.weights;
    assert!(weights.iter().chain([&fit.hyperplane.bias]).all(|v| v.is_finite()), "{name}");
    // The hyperplane is that of the data as it is: counted again, by its own numbers.
    assert_eq!(fit.hyperplane.evaluate(samples).mistakes, fit.evaluation.mistakes, "{name}");
    assert_eq!(fit.separated(), fit.evaluation.mistakes == 0, "{name}");
    fit
}

/// Methods that learn a row at a time or all at once; winnow, which sees no lengths, among them.
fn names() -> Vec<&'static str> {
    let all = MethodSettings::all();
    all.iter().map(MethodSettings::name).filter(|&name| name != "lp").collect()
}

/// Rows of numbers of size one, and the same with each column in a unit of its own.
fn in_two_units(rows: usize, columns: usize, seed: u64) -> (Samples, Samples) {
    let plain = Generator::new(rows, columns, seed).samples::<f64>().unwrap();
    let mut values = vec![];
    for i in 0..rows {
        let unit = |k: usize| 10f64.powi(4 * k as i32 - 6);
        plain.features().for_each(i, |k, v| values.push((v + k as f64) * unit(k)));
    }
    let positive = plain.positive().to_vec();
    (plain, Samples::dense(values, columns, positive).unwrap())
}

#[test]
fn standard_columns_are_what_a_method_sees() {
    let (_, mixed) = in_two_units(300, 4, 3);
    // The same by hand.
    let (n, mut columns) = (300.0, vec![vec![]; 4]);
    (0..300).for_each(|i| mixed.features().for_each(i, |k, v| columns[k].push(v)));
    for column in &mut columns {
        let mean = column.iter().sum::<f64>() / n;
        let variance = column.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        column.iter_mut().for_each(|v| *v = (*v - mean) / variance.sqrt());
    }
    let values = (0..300).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    let by_hand = Samples::dense(values, 4, mixed.positive().to_vec()).unwrap();
    for name in names() {
        let (ours, theirs) =
            (run(&mixed, name, Scaling::Standard), run(&by_hand, name, Scaling::None));
        assert_eq!((ours.epochs, ours.updates), (theirs.epochs, theirs.updates), "{name}");
        assert_eq!(ours.evaluation.mistakes, theirs.evaluation.mistakes, "{name}");
        // Margins of other units are told apart from those of the data.
        let (scaled, plain) = (ours.scaled_margin, theirs.evaluation.margin.angular);
        let (scaled, plain) = (scaled.unwrap_or(0.0), plain.unwrap_or(0.0));
        assert!((scaled - plain).abs() < 1e-9, "{name}: {scaled} and {plain}");
    }
}

#[test]
fn columns_of_very_different_size_defeat_the_paper_s_way_and_not_this_one() {
    let (plain, mixed) = in_two_units(500, 4, 8);
    for name in ["joint", "fine", "perceptron"] {
        assert!(run(&plain, name, Scaling::None).separated(), "{name}");
        assert!(run(&mixed, name, Scaling::Standard).separated(), "{name}");
    }
    for name in ["fine", "perceptron"] {
        assert!(!run(&mixed, name, Scaling::None).separated(), "{name}");
    }
}

#[test]
fn a_fit_that_ends_with_mistakes_says_so_where_columns_differ_a_hundredfold() {
    let (_, mixed) = in_two_units(500, 4, 8);
    let ask = |samples: &Samples, scale| {
        let question = FitQuestion { scale, max_epochs: 3, ..FitQuestion::default() };
        question.ask(&Memory::new(samples), None, &mut ()).unwrap().columns_differ
    };
    assert!(ask(&mixed, Scaling::None).is_some_and(|ratio| (1e11..1e13).contains(&ratio)));
    assert_eq!(ask(&mixed, Scaling::Standard), None);
    // Mistakes for another reason.
    let xor = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let xor = Samples::dense(xor, 2, vec![true, true, false, false]).unwrap();
    assert_eq!(ask(&xor, Scaling::None), None);
}

#[test]
fn sparse_rows_stay_sparse_and_are_divided_alone() {
    let (mut rows, mut dense) = (SparseBuilder::default(), vec![]);
    for i in 0..400_usize {
        let mut row = [0.0; 6];
        // Counts, most of them zero, one column a thousand times as large, and one that is empty.
        (0..4).filter(|k| (i / 3 + 5 * k) % 7 < 2).for_each(|k| row[k] = 1.0 + (i % 5) as f64);
        row[4] = 1000.0 * ((i % 11) as f64);
        row.iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(k, v)| rows.push(k, *v));
        rows.end_row();
        dense.push(row);
    }
    let score = |row: &[f64; 6]| row[0] - row[1] + 2.0 * row[2] - row[4] / 3000.0;
    let positive: Vec<bool> = dense.iter().map(|row| score(row) > 0.5).collect();
    let sparse = Samples::sparse(rows.finish(6).unwrap(), positive.clone()).unwrap();
    // What is divided by hand.
    let deviation = |k: usize| {
        let mean = dense.iter().map(|row| row[k]).sum::<f64>() / 400.0;
        (dense.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / 400.0).sqrt()
    };
    let units: Vec<f64> = (0..6).map(|k| if k == 5 { 1.0 } else { deviation(k) }).collect();
    let divided = dense.iter().flat_map(|row| row.iter().zip(&units).map(|(v, unit)| v / unit));
    let divided = Samples::dense(divided.collect(), 6, positive).unwrap();
    for name in ["joint", "fine", "perceptron", "corral"] {
        let (ours, theirs) =
            (run(&sparse, name, Scaling::Standard), run(&divided, name, Scaling::None));
        assert_eq!((ours.epochs, ours.updates), (theirs.epochs, theirs.updates), "{name}");
        assert_eq!(ours.hyperplane.weights[5], 0.0, "{name}: an empty column has no weight");
    }
}

#[test]
fn ugly_columns_give_finite_hyperplanes() {
    let positive: Vec<bool> = (0..40_usize).map(|i| i.is_multiple_of(2)).collect();
    let told = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let row = |i: usize| {
        // Tells the classes, as small as numbers are; as large; a constant; one that cannot be told from one;
        // a timestamp; zeros.
        let small = told(i) * 5e-324;
        [small, told(i) * 1e308, 7.5, 1e16 + 2.0 * (i % 3) as f64, 1.7e9 + i as f64, 0.0]
    };
    for columns in [vec![0], vec![1], vec![0, 2, 3, 4, 5], vec![1, 2, 3, 4, 5]] {
        let values = (0..40).flat_map(|i| columns.iter().map(move |&k| row(i)[k])).collect();
        let samples = Samples::dense(values, columns.len(), positive.clone()).unwrap();
        for name in names() {
            run(&samples, name, Scaling::Standard);
        }
        // Numbers as small as these have no deviation whose inverse is finite: they count as constant.
        let fit = run(&samples, "joint", Scaling::Standard);
        assert_eq!(fit.separated(), columns.contains(&1), "{columns:?}: {:?}", fit.stop);
    }
    // One row per class. In one column they are at right angles once scaled, so that a score is nothing but rounding.
    let two = Samples::dense(vec![3.0, 4.0, 2.0, 5.0], 2, vec![true, false]).unwrap();
    let one = Samples::dense(vec![4.0, 5.0], 1, vec![true, false]).unwrap();
    for name in names() {
        assert!(run(&two, name, Scaling::Standard).separated(), "{name}");
        let fit = run(&one, name, Scaling::Standard);
        assert!(fit.separated() || fit.stop == Stop::Rounded, "{name}: {:?}", fit.stop);
    }
}

#[test]
fn tables_as_people_have_them() {
    for kind in [Kind::Plain, Kind::Timestamps, Kind::Mixed, Kind::Aliased] {
        let samples = table(kind, 300, 8, Labels::Clean, 1);
        let fit = run(&samples, "joint", Scaling::Standard);
        assert!(fit.separated(), "{kind:?}: {:?}, {}", fit.stop, fit.evaluation.mistakes);
    }
    // All columns are 10^8 away from zero, so a bias has eight digits fewer: a hyperplane with next to no margin does not
    // survive that, which is found out at once, and one with a large margin does.
    let far = table(Kind::Offsets, 300, 8, Labels::Clean, 1);
    let fit = run(&far, "joint", Scaling::Standard);
    assert!(fit.stop == Stop::Rounded && fit.epochs < 100, "{:?}, {}", fit.stop, fit.epochs);
    assert!(run(&far, "corral", Scaling::Standard).separated());
}

/// Keeps the last checkpoint.
#[derive(Default)]
struct Last(Option<String>);

impl Watch for Last {
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0 = Some(serde_json::to_string(checkpoint).unwrap());
    }
}

#[test]
fn a_checkpoint_belongs_to_its_units() {
    let (_, mixed) = in_two_units(300, 4, 5);
    for name in ["joint", "corral", "fine"] {
        let whole = run(&mixed, name, Scaling::Standard);
        let early = FitSettings { max_epochs: 2, ..settings(name, Scaling::Standard) };
        let mut last = Last::default();
        fit(&mixed, &early, &mut last, None).unwrap();
        let text = last.0.unwrap();
        let checkpoint = || Some(Checkpoint::from_json(&text).unwrap());
        let again = fit(&mixed, &settings(name, Scaling::Standard), &mut (), checkpoint()).unwrap();
        assert_eq!(again.hyperplane, whole.hyperplane, "{name}");
        assert_eq!((again.epochs, again.updates), (whole.epochs, whole.updates), "{name}");
        let other = fit(&mixed, &settings(name, Scaling::None), &mut (), checkpoint());
        let Err(FitError::OtherRun { what }) = other else { panic!("{name}: {other:?}") };
        assert_eq!(what, "scales");
    }
}
