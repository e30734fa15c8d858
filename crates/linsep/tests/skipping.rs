//! Lossless skipping changes not one bit: weights, epochs, updates and mistakes of every epoch are
//! those of the plain loop.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use linsep::Samples;
use linsep::data::samples::SparseBuilder;
use linsep::online::fine::{FineSettings, Start};
use linsep::online::{Fit, FitSettings, MethodSettings, fit};
use proptest::prelude::*;

/// What a run must not change.
fn trace(fit: &Fit) -> (Vec<u64>, u64, u64, Vec<(u64, u64)>) {
    let mut bits: Vec<u64> = fit.hyperplane.weights.iter().map(|w| w.to_bits()).collect();
    bits.push(fit.hyperplane.bias.to_bits());
    let history = fit.history.iter().map(|r| (r.mistakes, r.updates)).collect();
    (bits, fit.epochs, fit.updates, history)
}

/// Runs with and without skipping; returns the rows evaluated by each.
fn check(samples: &Samples, settings: &FineSettings, shuffle: bool, max_epochs: u64) -> (u64, u64) {
    let run = |skip| {
        let method = MethodSettings::Fine(FineSettings { skip, ..settings.clone() });
        let settings =
            FitSettings { method, max_epochs, shuffle, seed: 7, ..FitSettings::default() };
        fit(samples, &settings, &mut (), None).unwrap()
    };
    let (skipping, plain) = (run(true), run(false));
    assert_eq!(trace(&skipping), trace(&plain));
    (skipping.rows_evaluated, plain.rows_evaluated)
}

/// A small problem, separable or not, in one of the three forms in which samples are kept.
#[derive(Clone, Debug)]
struct Problem {
    columns: usize,
    values: Vec<f64>,
    labels: Vec<bool>,
    form: u8,
}

impl Problem {
    fn samples(&self) -> Samples {
        let mut labels = self.labels.clone();
        // Both classes have to occur.
        (labels[0], labels[1]) = (true, false);
        match self.form {
            0 => Samples::dense(self.values.clone(), self.columns, labels),
            1 => {
                let values = self.values.iter().map(|&v| v as f32).collect();
                Samples::dense::<f32>(values, self.columns, labels)
            }
            _ => {
                let mut rows = SparseBuilder::default();
                for row in self.values.chunks(self.columns) {
                    for (k, &v) in row.iter().enumerate().filter(|(_, v)| v.abs() > 0.5) {
                        rows.push(k, v);
                    }
                    rows.end_row();
                }
                Samples::sparse(rows.finish(self.columns).unwrap(), labels)
            }
        }
        .unwrap()
    }
}

fn problem() -> impl Strategy<Value = Problem> {
    (2_usize..120, 1_usize..12, 0_u8..3, 0_u8..4).prop_flat_map(|(rows, columns, form, kind)| {
        let value = match kind {
            // Ties and duplicates; ordinary numbers; a wide range of sizes; a far offset.
            0 => (-2_i8..3).prop_map(f64::from).boxed(),
            1 => (-1.0..1.0).boxed(),
            2 => (-1.0_f64..1.0, -30_i32..30).prop_map(|(v, e)| v * 2.0_f64.powi(e)).boxed(),
            _ => (99.0..101.0).boxed(),
        };
        let normal = prop::collection::vec(-1.0_f64..1.0, columns);
        let values = prop::collection::vec(value, rows * columns);
        let noise = prop::collection::vec(prop::bool::weighted(0.02), rows);
        (normal, values, noise, any::<bool>()).prop_map(
            move |(normal, values, noise, separable)| {
                let middle = values.iter().sum::<f64>() / values.len() as f64;
                let side = |row: &[f64]| {
                    row.iter().zip(&normal).map(|(v, n)| (v - middle) * n).sum::<f64>() > 0.0
                };
                let labels = values
                    .chunks(columns)
                    .zip(noise)
                    .map(|(row, flip)| side(row) ^ (flip && !separable))
                    .collect();
                Problem { columns, values, labels, form }
            },
        )
    })
}

fn settings() -> impl Strategy<Value = FineSettings> {
    (
        prop::sample::select(vec![0.0, 1e-12, 1e-9, 1e-4, 0.1]),
        prop::sample::select(vec![1.0, 0.3, 1.7, 1.99]),
        prop::sample::select(vec![Start::First, Start::Zero, Start::Random]),
    )
        .prop_map(|(epsilon, relaxation, start)| FineSettings {
            epsilon,
            relaxation,
            start,
            skip: true,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn random_problems(problem in problem(), settings in settings(), shuffle: bool) {
        check(&problem.samples(), &settings, shuffle, 150);
    }
}

#[test]
fn larger_problems_and_the_work_that_skipping_saves() {
    use linsep::data::generate::Generator;
    let samples = Generator::new(20_000, 20, 3).samples::<f64>().unwrap();
    for shuffle in [false, true] {
        let (skipping, plain) = check(&samples, &FineSettings::default(), shuffle, 1000);
        assert!(skipping * 5 < plain, "{skipping} against {plain}");
    }
}

#[test]
fn skipping_costs_little_where_it_cannot_help() {
    // Random labels: nearly half of all rows are mistakes, whatever the hyperplane.
    let values: Vec<f64> = (0..3000).map(|k| (k as f64 * 12.9898).sin()).collect();
    let labels = (0..1000).map(|i| (i as f64 * 78.233).sin() > 0.0).collect();
    let samples = Samples::dense(values, 3, labels).unwrap();
    let settings = FineSettings { epsilon: 0.1, ..FineSettings::default() };
    let (skipping, plain) = check(&samples, &settings, false, 400);
    assert!((skipping as f64) < 1.2 * plain as f64, "{skipping} against {plain}");
}

#[test]
fn a_vanishing_vector_is_no_reference() {
    // At epsilon 0 on inseparable samples w shrinks towards zero.
    let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let samples = Samples::dense(x, 2, vec![true, true, false, false]).unwrap();
    check(&samples, &FineSettings { epsilon: 0.0, ..FineSettings::default() }, false, 5000);
}
