//! A trace shows a run and changes nothing of it.

mod counted;

use counted::Counted;
use linsep::data::{Data, Memory};
use linsep::online::{
    Checkpoint, Fit, FitError, FitSettings, MethodSettings, Scaling, Stop, TraceStep, fit, fit_data,
};
use linsep::{Hyperplane, Samples, Watch};
use proptest::prelude::*;

/// What a trace must not change.
fn essence(fit: &Fit) -> (Vec<u64>, Stop, [u64; 4], Vec<[u64; 4]>) {
    let Hyperplane { weights, bias } = &fit.hyperplane;
    let bits = weights.iter().chain([bias]).map(|value| value.to_bits()).collect();
    let counts = [fit.epochs, fit.updates, fit.rows_evaluated, fit.evaluation.mistakes];
    let history =
        fit.history.iter().map(|own| [own.epoch, own.mistakes, own.updates, own.rows_evaluated]);
    (bits, fit.stop, counts, history.collect())
}

/// Values, how many a row has, and labels.
type Table = (Vec<f64>, usize, Vec<bool>);

/// Few rows, separable or not, with ties and duplicates.
fn table() -> impl Strategy<Value = Table> {
    (2_usize..40, 1_usize..5).prop_flat_map(|(rows, columns)| {
        let values = prop::collection::vec((-3_i8..4).prop_map(f64::from), rows * columns);
        let normal = prop::collection::vec(-1.0_f64..1.0, columns);
        let noise = prop::collection::vec(prop::bool::weighted(0.03), rows);
        (values, normal, noise).prop_map(move |(values, normal, noise)| {
            let side = |row: &[f64]| row.iter().zip(&normal).map(|(v, n)| v * n).sum::<f64>() > 0.1;
            let mut labels: Vec<bool> =
                values.chunks(columns).zip(noise).map(|(row, flip)| side(row) ^ flip).collect();
            // Both classes have to occur.
            (labels[0], labels[1]) = (true, false);
            (values, columns, labels)
        })
    })
}

fn check(samples: &Samples, settings: &FitSettings, streamed: bool) {
    let elsewhere = Counted::new(samples).not_resident();
    let memory = Memory::new(samples);
    let data: &dyn Data = if streamed { &elsewhere } else { &memory };
    let plain = fit_data(data, settings, &mut (), None).unwrap();
    assert!(plain.trace.is_none());
    let passes = elsewhere.made();
    for most in [1, 5, 10_000] {
        let traced = FitSettings { trace: most, ..settings.clone() };
        let mut told = Told::default();
        let before = elsewhere.made();
        let found = fit_data(data, &traced, &mut told, None).unwrap();
        assert_eq!(elsewhere.made() - before, passes, "it reads no more");
        assert_eq!(essence(&found), essence(&plain), "{settings:?}");
        let trace = found.trace.unwrap();
        // Who looks on is told the same.
        assert_eq!((&told.steps, told.left_out), (&trace.steps, trace.left_out));
        assert!(trace.steps.len() <= most);
        let kept = trace.steps.len() as u64;
        assert_eq!(kept + trace.left_out, found.updates, "{settings:?}");
        let chosen = matches!(found.stop, Stop::LooksInseparable);
        if trace.left_out == 0 && !chosen && !settings.method.answers_otherwise() {
            let last = trace.steps.last().map_or(&trace.start, |step| &step.hyperplane);
            let Hyperplane { weights, bias } = &found.hyperplane;
            if matches!(settings.method, MethodSettings::Sgd(_)) {
                // Every visit makes its weights shorter, in one proportion.
                assert!(same_direction(last, &found.hyperplane), "{settings:?}");
            } else {
                assert_eq!((&last.weights, last.bias), (weights, *bias), "{settings:?}");
            }
        }
    }
}

fn same_direction(a: &Hyperplane, b: &Hyperplane) -> bool {
    let [a, b] = [a, b].map(|own| [&own.weights[..], &[own.bias]].concat());
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&a, &b) >= (dot(&a, &a) * dot(&b, &b)).sqrt() * (1.0 - 1e-9)
}

#[derive(Default)]
struct Told {
    steps: Vec<TraceStep>,
    left_out: u64,
}

impl Watch for Told {
    fn update(&mut self, step: &TraceStep, _: &dyn Data) {
        self.steps.push(step.clone());
    }

    fn updates_left_out(&mut self, updates: u64) {
        assert!(updates > 0);
        self.left_out = updates;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn a_traced_run_is_the_same_run(table in table(), shuffle: bool, standard: bool) {
        let (values, columns, labels) = table;
        let samples = Samples::dense(values, columns, labels).unwrap();
        for method in MethodSettings::all() {
            let scale = if standard { Scaling::Standard } else { Scaling::None };
            let needs_memory = method.needs_memory() || shuffle;
            let settings =
                FitSettings { method, scale, max_epochs: 12, shuffle, seed: 3, ..FitSettings::default() };
            check(&samples, &settings, false);
            if !needs_memory {
                check(&samples, &settings, true);
            }
        }
    }
}

#[test]
fn steps_are_those_of_the_lesson() {
    // The paper's smallest example: from the first row to the second, one update.
    let samples = Samples::from_rows(&[[100.0], [101.0]], &[false, true]).unwrap();
    let settings = FitSettings { trace: 10, ..FitSettings::default() };
    let trace = fit(&samples, &settings, &mut (), None).unwrap().trace.unwrap();
    let unit = 10_001_f64.sqrt();
    assert_eq!(trace.start, Hyperplane { weights: vec![-100.0 / unit], bias: -1.0 / unit });
    let [step] = &trace.steps[..] else { panic!("{trace:?}") };
    let visited = step.visited.unwrap();
    assert_eq!((step.epoch, visited.row, visited.mistake), (1, 1, true));
    assert!(
        (visited.score_before + 1.0).abs() < 1e-4 && (visited.score_after - 1e-9).abs() < 1e-14
    );
    assert_eq!(trace.left_out, 0);
}

#[test]
fn a_projection_is_a_step_without_a_row() {
    let values = (0..40).map(|k| f64::from(k % 7) + f64::from(k) / 50.0).collect();
    let samples = Samples::dense(values, 2, (0..20).map(|i| i % 3 == 0).collect()).unwrap();
    let settings = FitSettings { trace: 1_000, max_epochs: 3, ..FitSettings::default() };
    let found = fit(&samples, &settings, &mut (), None).unwrap();
    let trace = found.trace.unwrap();
    let projections = trace.steps.iter().filter(|step| step.visited.is_none()).count();
    assert!((1..=3).contains(&projections), "{projections}");
    for record in &found.history {
        let own = trace.steps.iter().filter(|step| step.epoch == record.epoch).count();
        assert_eq!(own as u64, record.updates, "epoch {}", record.epoch);
    }
}

#[test]
fn a_run_that_goes_on_is_traced_from_there() {
    let samples = Samples::from_rows(
        &[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
        &[false, true, true, false],
    )
    .unwrap();
    let method = MethodSettings::by_name("perceptron").unwrap();
    let early = FitSettings { method, max_epochs: 3, ..FitSettings::default() };
    let mut kept = Kept::default();
    let first = fit(&samples, &early, &mut kept, None).unwrap();
    let later = FitSettings { max_epochs: 5, trace: 2, ..early };
    let checkpoint = Checkpoint::from_json(&kept.0).unwrap();
    let found = fit(&samples, &later, &mut (), Some(checkpoint)).unwrap();
    let trace = found.trace.unwrap();
    assert_eq!(trace.start, first.hyperplane);
    assert!(trace.steps.iter().all(|step| step.epoch > 3));
    assert_eq!(trace.left_out + 2, found.updates - first.updates);
}

#[derive(Default)]
struct Kept(String);

impl Watch for Kept {
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0 = serde_json::to_string(checkpoint).unwrap();
    }
}

#[test]
fn a_trace_of_very_many_features_is_refused_and_names_its_limit() {
    let mut rows = linsep::data::samples::SparseBuilder::default();
    for k in [0, 1] {
        rows.push(k, 1.0);
        rows.end_row();
    }
    let samples = Samples::sparse(rows.finish(1 << 23).unwrap(), vec![false, true]).unwrap();
    let settings = FitSettings { trace: 1, ..FitSettings::default() };
    let error = fit(&samples, &settings, &mut (), None).unwrap_err();
    assert!(matches!(error, FitError::TooWideToTrace { .. }));
    assert_eq!(
        error.to_string(),
        "a trace keeps hyperplanes of at most 8388607 features; the rows have 8388608"
    );
}
