//! The small examples of the paper, the invariants of its section 4, and what it leaves open.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use std::path::Path;

use hajnal2023::experiments::{Contender, EXPERIMENTS, Precision, measure};
use hajnal2023::report::article::{self, Study};
use hajnal2023::report::csv;
use hajnal2023::report::cures::{self, Cures};
use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::lift::Rows;
use linsep::online::fine::{Fine, FineSettings, Start};
use linsep::online::{
    Fit, FitSettings, Method, MethodSettings, Order, Span, Stop, Tally, fit, svm,
};

fn fit_with(samples: &Samples, method: MethodSettings, max_epochs: u64) -> Fit {
    let settings = FitSettings { method, max_epochs, ..FitSettings::default() };
    fit(samples, &settings, &mut (), None).unwrap()
}

fn fine(epsilon: f64) -> MethodSettings {
    MethodSettings::Fine(FineSettings { epsilon, ..FineSettings::default() })
}

/// 100 is negative, 101 is positive (section 2).
fn neighbours() -> Samples {
    Samples::dense(vec![100.0, 101.0], 1, vec![false, true]).unwrap()
}

fn xor() -> Samples {
    let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    Samples::dense(x, 2, vec![true, true, false, false]).unwrap()
}

#[test]
fn neighbours_take_fine_one_update_and_the_perceptron_20_000_epochs() {
    let one = fit_with(&neighbours(), fine(1e-9), 1000);
    assert_eq!((one.stop, one.updates, one.epochs), (Stop::Separated, 1, 2));
    let many = fit_with(&neighbours(), MethodSettings::Perceptron, 100_000);
    assert_eq!(many.stop, Stop::Separated);
    assert!(many.epochs > 20_000, "{}", many.epochs);
}

#[test]
fn neighbours_need_an_epsilon_below_a_threshold_for_one_update() {
    assert_eq!(fit_with(&neighbours(), fine(9.7e-9), 1000).updates, 1);
    assert!(fit_with(&neighbours(), fine(9.9e-9), 1000).updates > 1);
}

#[test]
fn xor_is_never_separated() {
    for epsilon in [0.0, 1e-9, 1e-3] {
        let found = fit_with(&xor(), fine(epsilon), 5000);
        assert_eq!(found.stop, Stop::EpochLimit);
        assert!(found.evaluation.mistakes > 0);
    }
}

#[test]
fn xor_is_lifted_as_in_the_paper() {
    let samples = xor();
    let rows = Rows::raw(&samples);
    let expected = [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, -1.0], [-1.0, -1.0, -1.0]];
    for (i, expected) in expected.iter().enumerate() {
        assert_eq!(rows.vector(i), expected);
    }
}

/// Runs `fine` row by row and shows each update: w before, the row, w after.
fn each_update(
    samples: &Samples,
    settings: &FineSettings,
    epochs: u64,
    mut see: impl FnMut(&[f64], usize, &[f64]),
) -> Fine {
    let rows = Rows::lifted(samples);
    let mut method = Fine::new(settings, &rows, 0);
    let order = Order::natural();
    for epoch in 1..=epochs {
        let mut mistakes = 0;
        for i in 0..rows.len() {
            let before = method.w().to_vec();
            let span = Span { order: &order, positions: i..i + 1, epoch };
            let Tally { mistakes: here, .. } = method.learn(&rows, &span);
            if here > 0 {
                see(&before, i, method.w());
            }
            mistakes += here;
        }
        if mistakes == 0 {
            break;
        }
    }
    method
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the direction of the largest angular margin, and that margin.
fn best_direction(samples: &Samples) -> (Vec<f64>, f64) {
    let settings = svm::SvmSettings { hard: true, tolerance: 1e-9, ..svm::SvmSettings::default() };
    let found = fit_with(samples, MethodSettings::Svm(settings), 1_000_000);
    assert_eq!(found.stop, Stop::Separated);
    let mut w = found.hyperplane.weights;
    w.push(found.hyperplane.bias);
    let length = dot(&w, &w).sqrt();
    w.iter_mut().for_each(|v| *v /= length);
    (w, found.evaluation.margin.angular.unwrap())
}

#[test]
fn an_update_gives_its_sample_the_score_epsilon() {
    let samples = Generator::new(200, 5, 1).samples::<f64>().unwrap();
    let rows = Rows::lifted(&samples);
    for epsilon in [0.0, 1e-9, 1e-3] {
        let settings = FineSettings { epsilon, skip: false, ..FineSettings::default() };
        let mut updates = 0;
        each_update(&samples, &settings, 50, |_, i, after| {
            let score = rows.score(i, after);
            assert!((score - epsilon).abs() < 1e-15, "{score} against {epsilon}");
            updates += 1;
        });
        assert!(updates > 20);
    }
}

#[test]
fn at_epsilon_zero_length_falls_and_the_angle_to_every_separator_shrinks() {
    let samples = Generator::new(200, 5, 2).samples::<f64>().unwrap();
    let (best, _) = best_direction(&samples);
    let settings = FineSettings { epsilon: 0.0, skip: false, ..FineSettings::default() };
    let mut updates = 0;
    each_update(&samples, &settings, 50, |before, _, after| {
        let length = |w: &[f64]| dot(w, w).sqrt();
        assert!(length(after) <= length(before) * (1.0 + 1e-15));
        let cosine = |w: &[f64]| dot(w, &best) / length(w);
        assert!(cosine(after) >= cosine(before) - 1e-15);
        updates += 1;
    });
    assert!(updates > 20);
}

#[test]
fn every_update_comes_nearer_to_a_solution_by_epsilon() {
    for (seed, epsilon, relaxation) in
        [(3, 1e-2, 1.0), (4, 1e-1, 1.0), (5, 1e-2, 1.9), (6, 1e-2, 0.5), (7, 0.5, 1.0)]
    {
        let samples = Generator::new(100, 3, seed).samples::<f64>().unwrap();
        let (best, rho) = best_direction(&samples);
        let solution: Vec<f64> = best.iter().map(|v| v * epsilon / rho).collect();
        let distance =
            |w: &[f64]| w.iter().zip(&solution).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let least = relaxation * (2.0 - relaxation) * epsilon * epsilon;
        let settings = FineSettings { epsilon, relaxation, skip: false, ..FineSettings::default() };
        let mut updates = 0;
        let method = each_update(&samples, &settings, u64::MAX, |before, _, after| {
            let gain = distance(before) - distance(after);
            assert!(gain >= least * (1.0 - 1e-6), "seed {seed}: {gain} against {least}");
            updates += 1;
        });
        if relaxation == 1.0 {
            let bound = (1.0 / epsilon + 1.0 / rho).powi(2);
            assert!((updates as f64) <= bound, "seed {seed}: {updates} against {bound}");
        }
        // Both sides of the bracket around the largest margin.
        assert!(method.margin_bound().unwrap() >= rho * (1.0 - 1e-9));
    }
}

#[test]
fn fine_is_the_loop_of_the_paper() {
    // Lifted samples as dense vectors, and the pseudocode of the paper's figure 3, line by line.
    let samples = Generator::new(300, 7, 9).samples::<f64>().unwrap();
    let rows = Rows::lifted(&samples);
    let data: Vec<Vec<f64>> = (0..rows.len()).map(|i| rows.vector(i)).collect();
    let mut w = data[0].clone();
    let (mut epochs, mut updates) = (0, 0);
    loop {
        let mut updated = false;
        for x in &data {
            let score = dot(&w, x);
            if score <= 0.0 {
                w.iter_mut().zip(x).for_each(|(w, x)| *w += (1e-4 - score) * x);
                updated = true;
                updates += 1;
            }
        }
        epochs += 1;
        if !updated {
            break;
        }
    }
    let found = fit_with(&samples, fine(1e-4), 10_000);
    assert_eq!((found.epochs, found.updates), (epochs, updates));
    for (found, expected) in found.hyperplane.weights.iter().zip(&w) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn every_start_ends_in_a_separation() {
    let samples = Generator::new(300, 4, 11).samples::<f64>().unwrap();
    for start in [Start::First, Start::Zero, Start::Random] {
        let method = MethodSettings::Fine(FineSettings { start, ..FineSettings::default() });
        assert_eq!(fit_with(&samples, method, 10_000).stop, Stop::Separated, "{start:?}");
    }
}

#[test]
fn values_of_any_size_do_not_overflow_the_lift() {
    for size in [1e300, 1e-300, 5e-324] {
        let x = vec![-size, 2.0 * size, size, -2.0 * size];
        let samples = Samples::dense(x, 2, vec![false, true]).unwrap();
        let found = fit_with(&samples, fine(1e-9), 1000);
        // Denormals differ by less than a score can show, so only finite answers are asked of them.
        if size > 1.0 {
            assert_eq!(found.stop, Stop::Separated);
            let perceptron = fit_with(&samples, MethodSettings::Perceptron, 1000);
            assert_eq!(perceptron.stop, Stop::Separated);
        }
        assert!(found.hyperplane.weights.iter().all(|w| w.is_finite()));
    }
}

#[test]
fn the_article_has_the_figures_of_its_files() {
    // Tables and pictures in studies/hajnal2023 are what the committed measurements give, to the last byte.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let measured = |sizes: &str| {
        let [results, epochs, seconds] =
            ["results", "epochs", "seconds"].map(|file| text(&format!("{sizes}/{file}.csv")));
        csv::parse(&results, &epochs, &seconds).unwrap()
    };
    let mut cures = Cures::default();
    for part in ["tenth", "stated", "real"] {
        let of = |file: &str| format!("cures/{part}/{file}.csv");
        let phases = folder.join(of("last_phase"));
        let phases = std::fs::read_to_string(phases).unwrap_or_default();
        let [results, seconds] = ["results", "seconds"].map(|file| text(&of(file)));
        cures.extend(cures::csv::parse(&results, &seconds, &phases).unwrap());
    }
    let study = Study { tenth: measured("tenth"), stated: measured("stated"), cures };
    let article = text("README.md");
    assert_eq!(article::filled(&article, &study).as_ref(), Ok(&article));
    for (name, contents) in article::files(&study) {
        assert_eq!(text(&name), contents, "{name}");
    }
}

#[test]
fn a_tenth_of_experiment_a_is_as_the_paper_says() {
    // The first of the study's runs: the paper has 12 and 36 epochs.
    let experiment = EXPERIMENTS[0].scaled(0.1);
    let samples = experiment.data(1, Precision::Double).unwrap();
    let fine = Contender::Fine { epsilon: 1e-3, relaxation: 1.0 };
    let contenders = [Contender::Perceptron, fine, Contender::Engine];
    let settings = FitSettings::default();
    let measured = measure(&samples, &experiment, 1, &contenders, &settings, &mut ()).unwrap();
    assert!(measured.iter().all(|one| one.separated));
    assert_eq!(measured.iter().map(|one| one.epochs).collect::<Vec<_>>(), [9, 33, 3]);
}
