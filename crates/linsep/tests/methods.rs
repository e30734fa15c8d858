//! What every online method promises, tried on every one of them.

#[path = "suite/variants.rs"]
mod variants;

use std::sync::atomic::{AtomicBool, Ordering};

use linsep::data::generate::Generator;
use linsep::data::samples::{Features, SparseBuilder};
use linsep::online::{
    Checkpoint, EpochRecord, Fit, FitSettings, MethodSettings, Progress, Scaling, ShownMargins,
    Stop, fit,
};
use linsep::{Samples, Watch};
use proptest::prelude::*;
use variants::VARIANTS;

fn method(json: &str) -> MethodSettings {
    serde_json::from_str(json).unwrap()
}

fn methods() -> Vec<MethodSettings> {
    MethodSettings::all().into_iter().chain(VARIANTS.map(method)).collect()
}

fn run(samples: &Samples, method: &MethodSettings, max_epochs: u64) -> Fit {
    let settings = FitSettings { method: method.clone(), max_epochs, ..FitSettings::default() };
    let fit = fit(samples, &settings, &mut (), None).unwrap();
    let weights = &fit.hyperplane.weights;
    assert!(weights.iter().chain([&fit.hyperplane.bias]).all(|v| v.is_finite()), "{method:?}");
    assert_eq!(fit.separated(), fit.evaluation.mistakes == 0, "{method:?}");
    if let (Some(margin), Some(bound)) = (fit.evaluation.margin.angular, fit.margin_bound) {
        assert!(margin <= bound + 1e-12, "{method:?}: {margin} above {bound}");
    }
    fit
}

/// Two clouds of three points each, far apart and off the origin.
fn easy() -> Samples {
    let x = vec![1.0, 5.0, 2.0, 4.0, 1.5, 6.0, 6.0, 1.0, 5.0, 2.0, 7.0, 1.5];
    Samples::dense(x, 2, vec![true, true, true, false, false, false]).unwrap()
}

fn xor() -> Samples {
    let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    Samples::dense(x, 2, vec![true, true, false, false]).unwrap()
}

#[test]
fn easy_samples_are_separated() {
    for method in methods() {
        let fit = run(&easy(), &method, 1000);
        assert!(fit.separated(), "{method:?}: {:?}", fit.stop);
    }
}

#[test]
fn generated_samples_are_separated_where_theory_promises_it() {
    // What a method may leave after its epochs: zero where its mistakes are bounded on separable
    // data, some where it minimises a loss that trades mistakes for length. Winnow has its bound
    // from a margin about twice as large on, and is near the Perceptron here.
    let allowed = |method: &MethodSettings| match (method.name(), method) {
        ("sgd", _) => 5,
        ("svm", MethodSettings::Svm(settings)) if !settings.hard => 15,
        _ => 0,
    };
    for seed in [1, 2] {
        let samples = Generator::new(300, 5, seed).samples::<f64>().unwrap();
        for method in methods() {
            let found = run(&samples, &method, 20_000).evaluation.mistakes;
            assert!(found <= allowed(&method), "{method:?}, seed {seed}: {found} mistakes");
        }
    }
}

#[test]
fn xor_is_never_separated() {
    for method in methods() {
        let fit = run(&xor(), &method, 500);
        let ends = [Stop::EpochLimit, Stop::Converged, Stop::LooksInseparable];
        assert!(ends.contains(&fit.stop), "{method:?}");
        assert!(fit.evaluation.mistakes > 0);
    }
}

#[test]
fn values_of_any_size_are_learned_from() {
    for scale in [1e-300, 1e300] {
        let x = vec![scale, -scale, 2.0 * scale, -3.0 * scale];
        let samples = Samples::dense(x, 1, vec![true, false, true, false]).unwrap();
        for method in methods() {
            let fit = run(&samples, &method, 100);
            // Lifted, samples this small are next to one another.
            assert!(fit.separated() || scale < 1.0, "{method:?} at {scale}");
        }
    }
}

fn check_accounting(json: &str, epochs: u64, updates: u64, rows_evaluated: u64) {
    // Lifted and at right angles: (1, -1) and (1, 1), both over the root of 2.
    let samples = Samples::dense(vec![-1.0, 1.0], 1, vec![false, true]).unwrap();
    let fit = run(&samples, &method(json), 100);
    assert!(fit.separated(), "{json}");
    assert_eq!((fit.epochs, fit.updates, fit.rows_evaluated), (epochs, updates, rows_evaluated));
}

#[test]
fn work_is_counted_as_documented() {
    // Both are mistakes once, and the second epoch has none.
    check_accounting(r#"{"name":"voted"}"#, 2, 2, 4);
    // Both are mistakes once, and the check at the end of the epoch finds none.
    check_accounting(r#"{"name":"pocket"}"#, 1, 2, 4);
    // One update a pass, and the third pass has no mistake.
    check_accounting(r#"{"name":"maxover"}"#, 3, 2, 6);
    // Every visit is an update.
    check_accounting(r#"{"name":"sgd","loss":"logistic"}"#, 2, 4, 4);
}

/// Returns the mistakes of a method's answer after each epoch.
fn mistakes_by_epoch(samples: &Samples, name: &str, shuffle: bool) -> Vec<u64> {
    let settings = FitSettings {
        method: MethodSettings::by_name(name).unwrap(),
        max_epochs: 12,
        evaluate_epochs: true,
        shuffle,
        seed: 5,
        ..FitSettings::default()
    };
    let fit = fit(samples, &settings, &mut (), None).unwrap();
    fit.history.iter().map(|record| record.evaluated_mistakes.unwrap()).collect()
}

proptest! {
    #[test]
    fn the_pocket_is_never_worse_than_the_perceptron(
        values in prop::collection::vec(-50_i8..=50, 3 * 40),
        mut positive in prop::collection::vec(any::<bool>(), 2..40),
        sorted: bool,
        shuffle: bool,
    ) {
        (positive[0], positive[1]) = (true, false);
        if sorted {
            positive.sort_unstable();
        }
        // Tenths are not exact, so sums of them are rounded.
        let x = values[..3 * positive.len()].iter().map(|&v| f64::from(v) / 10.0).collect();
        let samples = Samples::dense(x, 3, positive).unwrap();
        let pocket = mistakes_by_epoch(&samples, "pocket", shuffle);
        let perceptron = mistakes_by_epoch(&samples, "perceptron", shuffle);
        prop_assert!(pocket.len() <= perceptron.len());
        prop_assert!(pocket.iter().zip(&perceptron).all(|(a, b)| a <= b), "{pocket:?} {perceptron:?}");
        prop_assert!(pocket.is_sorted_by(|a, b| a >= b), "{pocket:?}");
    }
}

/// Cancels after `calls_left` calls for progress, and keeps the checkpoint as text.
struct Interrupter {
    calls_left: u64,
    cancelled: AtomicBool,
    checkpoint: Option<String>,
}

impl Watch for Interrupter {
    fn progress(&mut self, _progress: &Progress) {
        self.calls_left = self.calls_left.saturating_sub(1);
        if self.calls_left == 0 {
            self.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.checkpoint = Some(serde_json::to_string(checkpoint).unwrap());
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(&self.cancelled)
    }
}

/// Two spans an epoch; `wrong`: with a wrong label here and there.
fn two_spans(wrong: bool) -> Samples {
    let generator = Generator::new(70_000, 2, 1);
    let (mut x, mut positive) = (vec![0.0; 140_000], vec![false; 70_000]);
    generator.fill(0..70_000, &mut x, &mut positive);
    positive.iter_mut().step_by(997).for_each(|p| *p ^= wrong);
    Samples::dense(x, 2, positive).unwrap()
}

/// What must not depend on interruptions: all but the time.
fn essence(fit: &Fit) -> (Stop, Vec<u64>, [u64; 3], Vec<EpochRecord>) {
    let weights = fit.hyperplane.weights.iter().chain([&fit.hyperplane.bias]);
    let history = fit.history.iter().map(|record| EpochRecord { seconds: 0.0, ..record.clone() });
    (
        fit.stop,
        weights.map(|v| v.to_bits()).collect(),
        [fit.epochs, fit.updates, fit.rows_evaluated],
        history.collect(),
    )
}

#[test]
fn a_resumed_fit_ends_as_if_it_had_never_stopped() {
    let all = [two_spans(true), two_spans(false)];
    for (samples, method) in all.iter().flat_map(|s| methods().into_iter().map(move |m| (s, m))) {
        if method.name() == "lp" {
            // One indivisible step, and too many rows for it.
            continue;
        }
        for (shuffle, calls) in [(false, 3), (true, 3), (true, 4), (false, 1)] {
            let settings = FitSettings {
                method: method.clone(),
                max_epochs: 4,
                shuffle,
                seed: 7,
                ..FitSettings::default()
            };
            let whole = fit(samples, &settings, &mut (), None).unwrap();
            let mut interrupter = Interrupter {
                calls_left: calls,
                cancelled: AtomicBool::new(false),
                checkpoint: None,
            };
            let part = fit(samples, &settings, &mut interrupter, None).unwrap();
            let Some(text) = interrupter.checkpoint else {
                // It was over before.
                assert_eq!(essence(&part), essence(&whole), "{method:?}");
                continue;
            };
            // It may have separated by then, and yet gone on for a larger margin.
            assert!(
                part.stop == Stop::Cancelled || part.separated(),
                "{method:?}: {:?}",
                part.stop
            );
            assert!(part.rows_evaluated <= whole.rows_evaluated);
            let checkpoint = serde_json::from_str(&text).unwrap();
            let resumed = fit(samples, &settings, &mut (), Some(checkpoint)).unwrap();
            assert_eq!(essence(&resumed), essence(&whole), "{method:?}, {shuffle}, {calls}");
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_refused_and_never_panics() {
    let samples = Generator::new(300, 3, 1).samples::<f64>().unwrap();
    for method in methods() {
        let settings = FitSettings { method: method.clone(), max_epochs: 2, ..Default::default() };
        let mut interrupter =
            Interrupter { calls_left: 1000, cancelled: AtomicBool::new(false), checkpoint: None };
        fit(&samples, &settings, &mut interrupter, None).unwrap();
        let Some(text) = interrupter.checkpoint else {
            continue;
        };
        let settings = FitSettings { max_epochs: 5, ..settings };
        let resume = |text: &str| {
            let checkpoint = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let fit = fit(&samples, &settings, &mut (), Some(checkpoint));
            fit.map(|_| ()).map_err(|error| error.to_string())
        };
        resume(&text).unwrap();
        let changed = |from: &str, to: &str| {
            assert!(text.contains(from), "{from} in {text}");
            resume(&text.replacen(from, to, 1)).unwrap_err()
        };
        let damaged = "the checkpoint is damaged: ";
        let position = changed("\"position\":0", "\"position\":301");
        assert_eq!(position, format!("{damaged}position 301 in 300 rows"));
        let epoch = changed("\"epoch\":3", "\"epoch\":0");
        assert_eq!(epoch, format!("{damaged}epochs are counted from 1"));
        let best = changed("\"best\":[", "\"best\":[7,[1.0]],\"x\":[");
        assert_eq!(best, format!("{damaged}expected a vector of 4 numbers, found 1"));
        let count = changed("\"whole_epochs\":2", "\"whole_epochs\":2000000000000000000");
        assert_eq!(count, format!("{damaged}a count of 2000000000000000000"));
        // Digits that are others, and a text that was cut: an error, or another fit.
        for at in (0..text.len()).step_by(3) {
            if text.as_bytes()[at].is_ascii_digit() {
                let _ = resume(&format!("{}9{}", &text[..at], &text[at + 1..]));
                let _ = resume(&format!("{}{}", &text[..at], &text[at + 1..]));
            }
            assert!(resume(&text[..at]).is_err(), "{method:?}: cut at {at}");
        }
    }
}

#[test]
fn sparse_and_dense_samples_are_the_same_samples() {
    let dense = Generator::new(120, 6, 4).samples::<f64>().unwrap();
    let mut x = vec![];
    let mut rows = SparseBuilder::default();
    for i in 0..dense.rows() {
        dense.features().for_each(i, |k, v| {
            // Every third value becomes a zero, which labels know nothing of.
            let v = if (i + k) % 3 == 0 { 0.0 } else { v };
            x.push(v);
            if v != 0.0 {
                rows.push(k, v);
            }
        });
        rows.end_row();
    }
    let positive = dense.positive().to_vec();
    let sparse = Samples::sparse(rows.finish(6).unwrap(), positive.clone()).unwrap();
    assert!(matches!(sparse.features(), Features::Sparse(_)));
    let dense = Samples::dense(x, 6, positive).unwrap();
    for method in methods() {
        let (a, b) = (run(&dense, &method, 50), run(&sparse, &method, 50));
        assert_eq!(a.stop, b.stop, "{method:?}");
        if a.stop == Stop::LooksInseparable {
            // What is left of w is nothing but rounding.
            continue;
        }
        assert_eq!((a.epochs, a.updates), (b.epochs, b.updates), "{method:?}");
        assert_eq!(a.evaluation.mistakes, b.evaluation.mistakes, "{method:?}");
        let mistakes = |fit: &Fit| fit.history.iter().map(|r| r.mistakes).collect::<Vec<_>>();
        assert_eq!(mistakes(&a), mistakes(&b), "{method:?}");
        let pairs = a.hyperplane.weights.iter().zip(&b.hyperplane.weights);
        for (a, b) in pairs.chain([(&a.hyperplane.bias, &b.hyperplane.bias)]) {
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{method:?}: {a} against {b}");
        }
    }
}

/// Returns rows that a hyperplane separates with room to spare, of columns that differ in size.
fn with_room(rows: usize, features: usize, seed: u64, room: f64) -> Samples {
    let (mut x, mut positive) = (vec![0.0; rows * features], vec![false; rows]);
    Generator::new(rows, features, seed).fill(0..rows, &mut x, &mut positive);
    let weights: Vec<f64> = (0..features).map(|k| [1.0, -0.5, 2.0][k % 3]).collect();
    let score = |row: &[f64]| row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
    let middle = x.chunks(features).map(score).sum::<f64>() / rows as f64;
    let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    for (row, positive) in x.chunks_mut(features).zip(&mut positive) {
        *positive = score(row) > middle;
        let step = if *positive { room / length } else { -room / length };
        row.iter_mut().zip(&weights).for_each(|(x, w)| *x += step * w);
        row.iter_mut().enumerate().for_each(|(k, x)| *x *= [1.0, 3.0, 0.2][k % 3]);
    }
    Samples::dense(x, features, positive).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn counted_updates_are_within_the_bound(
        (rows, features) in (10..80_usize, 1..6_usize),
        seed in 1..1_000_000_u64,
        room in 0.2..2.0_f64,
        shuffle: bool,
    ) {
        let samples = with_room(rows, features, seed, room);
        let more = [
            r#"{"name":"fine","epsilon":0.01}"#,
            r#"{"name":"fine","epsilon":0.3,"start":"zero"}"#,
            r#"{"name":"fine","epsilon":0.3,"start":"random","relaxation":1.9}"#,
            r#"{"name":"joint","epsilon":0.3}"#,
            r#"{"name":"joint","epsilon":0.3,"start":"zero","relaxation":0.4}"#,
            r#"{"name":"corral","gap":0.7}"#,
            r#"{"name":"corral","gap":0.99}"#,
        ];
        for scale in [Scaling::None, Scaling::Standard] {
            let run = |method: &MethodSettings| {
                let settings = FitSettings { method: method.clone(), scale, shuffle, seed, ..FitSettings::default() };
                fit(&samples, &settings, &mut (), None).unwrap()
            };
            let entrants: Vec<_> = methods()
                .into_iter()
                .chain(more.map(method))
                .map(|method| (run(&method), method))
                .collect();
            let shown = entrants.iter().filter_map(|(fit, _)| fit.shown_margins);
            let Some(best) = shown.reduce(ShownMargins::best) else { continue };
            let mut bounded = 0;
            for (fit, method) in &entrants {
                // The margin of the method itself, and the best of all.
                for known in fit.shown_margins.iter().chain([&best]) {
                    let Some(bound) = method.updates_bound(known) else { continue };
                    prop_assert!(fit.updates as f64 <= bound, "{method:?}: {} of {bound}", fit.updates);
                    bounded += 1;
                }
                prop_assert!(fit.shown_margins.is_none() || fit.separated());
            }
            prop_assert!(bounded > 10);
        }
    }
}
