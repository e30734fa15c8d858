//! Rows that count more than others, rows in lent memory, and methods that go on with other rows.

use std::sync::Arc;

use linsep::Samples;
use linsep::data::Features;
use linsep::data::generate::Generator;
use linsep::data::samples::{Dense, LabelNames, Labels, Missing, Sparse};
use linsep::online::{Fit, FitError, FitSettings, MethodSettings, fit};

fn noisy() -> (Vec<f64>, Vec<bool>) {
    let (mut x, mut positive) = (vec![0.0; 120], vec![false; 40]);
    Generator::new(40, 3, 11).fill(0..40, &mut x, &mut positive);
    positive.iter_mut().step_by(7).for_each(|p| *p = !*p);
    (x, positive)
}

fn run(samples: &Samples, json: &str, change: impl Fn(&mut FitSettings)) -> Fit {
    let method: MethodSettings = serde_json::from_str(json).unwrap();
    let mut settings = FitSettings { method, max_epochs: 100_000, ..FitSettings::default() };
    change(&mut settings);
    fit(samples, &settings, &mut (), None).unwrap()
}

fn vector(fit: &Fit) -> Vec<f64> {
    fit.hyperplane.weights.iter().copied().chain([fit.hyperplane.bias]).collect()
}

/// A weight of two must be the same as a row given twice, for methods with one optimum.
fn check_repetition(json: &str, tolerance: f64) {
    let (x, positive) = noisy();
    let weights: Vec<f64> = (0..40).map(|i| [1.0, 2.0, 3.0][i % 3]).collect();
    let (mut repeated, mut labels) = (vec![], vec![]);
    for i in 0..40 {
        for _ in 0..weights[i] as usize {
            repeated.extend_from_slice(&x[3 * i..3 * i + 3]);
            labels.push(positive[i]);
        }
    }
    let weighted = Samples::dense(x, 3, positive).unwrap().with_weights(weights).unwrap();
    let repeated = Samples::dense(repeated, 3, labels).unwrap();
    let (a, b) = (run(&weighted, json, |_| ()), run(&repeated, json, |_| ()));
    for (a, b) in vector(&a).iter().zip(vector(&b)) {
        assert!((a - b).abs() < tolerance, "{json}: {a} against {b}");
    }
}

#[test]
fn a_weight_of_two_is_a_row_given_twice() {
    check_repetition(r#"{"name":"svm","tolerance":1e-10}"#, 1e-7);
    check_repetition(r#"{"name":"svm","loss":"l2","tolerance":1e-10}"#, 1e-7);
}

#[test]
fn equal_weights_change_nothing() {
    let (x, positive) = noisy();
    let plain = Samples::dense(x, 3, positive).unwrap();
    let ones = plain.clone().with_weights(vec![1.0; 40]).unwrap();
    for method in MethodSettings::all().iter().filter(|m| m.takes_weights()) {
        let json = serde_json::to_string(method).unwrap();
        let limit = |settings: &mut FitSettings| settings.max_epochs = 50;
        let (a, b) = (run(&plain, &json, limit), run(&ones, &json, limit));
        assert_eq!(vector(&a), vector(&b), "{json}");
    }
}

#[test]
fn weights_pull_the_hyperplane_to_their_side() {
    let x = vec![0.0, 1.0, 0.5, 0.6];
    let light = Samples::dense(x, 1, vec![false, true, true, false]).unwrap();
    for json in [r#"{"name":"svm"}"#, r#"{"name":"sgd","lambda":0.01}"#] {
        let side = |row: usize| {
            let weights = (0..4).map(|i| if i == row { 1.0 } else { 1e-6 }).collect();
            let samples = light.clone().with_weights(weights).unwrap();
            let fit = run(&samples, json, |settings| settings.max_epochs = 1000);
            let value = fit.hyperplane.weights[0] * [0.0, 1.0, 0.5, 0.6][row] + fit.hyperplane.bias;
            (value > 0.0) == light.positive()[row]
        };
        assert!((0..4).all(side), "{json}");
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (x, positive) = noisy();
    let samples = Samples::dense(x, 3, positive).unwrap();
    let check = |weights: Vec<f64>, expected: &str| {
        let error = samples.clone().with_weights(weights).err().unwrap();
        assert_eq!(error.to_string(), expected);
    };
    check(vec![1.0; 39], "expected 40 weights, one per row, found 39");
    let mut weights = vec![1.0; 40];
    weights[7] = 0.0;
    check(weights, "row 8: expected a weight that is a finite number above 0, found 0");

    let weighted = samples.clone().with_weights(vec![2.0; 40]).unwrap();
    for method in MethodSettings::all() {
        let (takes, goes_on) = (method.takes_weights(), method.goes_on());
        let settings = FitSettings { method, max_epochs: 2, ..FitSettings::default() };
        let refused =
            matches!(fit(&weighted, &settings, &mut (), None), Err(FitError::NoWeights(_)));
        assert_eq!(refused, !takes);
        let started = FitSettings { start: Some(serde_json::json!(null)), ..settings };
        match fit(&samples, &started, &mut (), None) {
            Err(FitError::NoStart(_)) => assert!(!goes_on),
            Err(FitError::Damaged(_)) => assert!(goes_on),
            other => panic!("{:?}", other.map(|fit| fit.stop)),
        }
    }
}

/// Two batches one after the other are the epoch that holds both, for methods that only look at rows.
#[test]
fn a_method_goes_on_with_other_rows() {
    let (x, positive) = noisy();
    let part = |range: std::ops::Range<usize>| {
        let values = x[3 * range.start..3 * range.end].to_vec();
        let features = Features::from(Dense::new(values, range.len(), 3));
        let labels = Labels { positive: positive[range].to_vec(), names: LabelNames::default() };
        Samples::part(features, labels, Missing::Refuse).unwrap()
    };
    let one_epoch = |settings: &mut FitSettings| {
        settings.max_epochs = 1;
        settings.keep_state = true;
    };
    for method in MethodSettings::all() {
        // Maxover learns once an epoch, so that two short ones are not a long one.
        if !method.goes_on() || method.name() == "maxover" {
            continue;
        }
        let json = serde_json::to_string(&method).unwrap();
        let whole = run(&part(0..40), &json, one_epoch);
        let first = run(&part(0..1), &json, one_epoch);
        let second = run(&part(1..40), &json, |settings| {
            one_epoch(settings);
            settings.start = first.state.clone();
        });
        if method.name() != "voted" {
            assert_eq!(vector(&second), vector(&whole), "{json}");
        }
        assert!(second.state.is_some());
    }
}

#[test]
fn lent_memory_gives_the_same_bits() {
    let (x, positive) = noisy();
    let owned = Samples::dense(x.clone(), 3, positive.clone()).unwrap();
    let values: Arc<Vec<f64>> = Arc::new(x.clone());
    let dense = Dense::lent(values.clone(), 40, 3).unwrap();
    assert!(dense.is_lent());
    assert_eq!(dense.row(3).as_ptr(), values[9..].as_ptr(), "no copy is made");
    assert!(Dense::<f64>::lent(values.clone(), 41, 3).is_none());

    let offsets = (0..=40).map(|i| 3 * i).collect();
    let indices: Arc<Vec<u32>> = Arc::new((0..120).map(|k| k % 3).collect());
    let sparse = Sparse::lent(offsets, indices, values.clone(), 3).unwrap();
    assert_eq!(sparse.row(3).1.as_ptr(), values[9..].as_ptr(), "no copy is made");
    for features in [Features::Dense64(dense), Features::Sparse(sparse)] {
        let labels = Labels { positive: positive.clone(), names: LabelNames::default() };
        let samples = Samples::new(features, labels, Missing::Refuse).unwrap();
        assert_eq!(linsep::proof::fingerprint(&samples), linsep::proof::fingerprint(&owned));
    }
}
