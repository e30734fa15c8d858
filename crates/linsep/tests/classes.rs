//! Questions about many classes, against the engine's answers to the same questions put otherwise.

use linsep::ask::{ClassVerdict, ClassesAnswer, ClassesQuestion};
use linsep::classes::{ARGMAX, Linear, Versus, argmax};
use linsep::data::Features;
use linsep::data::samples::{Classes, Dense, SparseBuilder};
use linsep::decide::{DecideOptions, Verdict, decide};
use linsep::kernels::RowArithmetic;
use linsep::models::{Model, Response, SeparationKind, SeparationOptions, check_model};
use linsep::proof::{verify, verify_model};
use linsep::{Samples, Watch};
use proptest::prelude::*;

fn problem(values: &[i8], codes: &[u32], columns: usize, count: usize) -> (Samples, Classes) {
    let values: Vec<f64> = values[..codes.len() * columns].iter().map(|&v| f64::from(v)).collect();
    let mut labels = vec![false; codes.len()];
    labels[0] = true;
    let samples = Samples::dense(values, columns, labels).unwrap();
    let names = (0..count).map(|k| format!("c{k}")).collect();
    (samples, Classes::of(names, codes.to_vec()))
}

fn ask(samples: &Samples, classes: &Classes, question: ClassesQuestion) -> ClassesAnswer {
    question.ask(samples, classes, &mut ()).unwrap()
}

fn pairs() -> ClassesQuestion {
    ClassesQuestion { pairs: true, ..ClassesQuestion::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Every answer is the engine's own, its proof holds for the rows of the question, and the rows of a conflict are rows of
    /// these classes.
    #[test]
    fn answers_are_those_of_two_classes(
        values in prop::collection::vec(-3_i8..4, 40),
        mut codes in prop::collection::vec(0_u32..4, 8..14),
        columns in 1_usize..3,
    ) {
        (0..4).for_each(|k| codes[k] = k as u32);
        let (samples, classes) = problem(&values, &codes, columns, 4);
        let answer = ask(&samples, &classes, ClassesQuestion { one_vs_rest: true, explain: true, ..pairs() });
        let mut sides = Versus::pairs(4);
        sides.extend(Versus::one_vs_rest(4));
        prop_assert_eq!(answer.verdicts.len(), 10);
        for (versus, answer) in sides.iter().zip(&answer.verdicts) {
            prop_assert_eq!(*versus, answer.versus);
            let rows = versus.samples(&samples, &classes).unwrap();
            prop_assert_eq!(rows.rows(), versus.rows(&classes));
            let decision = &answer.found.decision;
            let alone = decide(&rows, &DecideOptions::default(), &mut ()).unwrap();
            prop_assert_eq!(alone.verdict(), decision.verdict());
            prop_assert_eq!(verify(&rows, decision.proof().unwrap()).unwrap().verdict(), decision.verdict().unwrap());
            let own = |row: &usize| match *versus {
                Versus::Pair { negative, positive } => [negative, positive].contains(&(codes[*row] as usize)),
                Versus::OneVsRest { .. } => true,
            };
            prop_assert!(answer.conflicting_rows().iter().all(own));
            // The rows that the explanation names, left out, leave separable classes.
            if let Some(removal) = answer.found.explanation.as_ref().and_then(|e| e.removal.as_ref()) {
                prop_assert!(removal.rows.iter().all(|removed| own(&answer.number(removed.row))));
            }
        }
    }

    /// One classifier for all exists exactly if the multinomial model is completely separated, if each class is separable from
    /// the rest it does, and if a pair is not separable it does not.
    #[test]
    fn one_classifier_for_all(
        values in prop::collection::vec(-4_i8..5, 40),
        mut codes in prop::collection::vec(0_u32..4, 6..14),
        columns in 1_usize..4,
        count in 2_usize..5,
    ) {
        codes.iter_mut().for_each(|code| *code %= count as u32);
        (0..count).for_each(|k| codes[k] = k as u32);
        let rows = codes.len().min(40 / columns);
        let codes = &codes[..rows];
        let (samples, classes) = problem(&values, codes, columns, count);
        let answer = ask(&samples, &classes, ClassesQuestion { one_vs_rest: true, argmax: true, ..pairs() });
        let response = Response::Categories { codes: codes.to_vec(), count };
        let model = Model::Multinomial { intercept: true };
        let options = SeparationOptions::default();
        let expected = check_model(samples.features(), &model, &response, None, &options, &mut ()).unwrap();
        let expected = expected.kind == SeparationKind::Complete;
        // With what is known about pairs and each class against the rest, and without.
        let alone = argmax(&samples, &classes, &[], &DecideOptions::default(), None).unwrap();
        for found in [answer.argmax.as_ref().unwrap(), &alone] {
            prop_assert_eq!(found.exists(), Some(expected));
            let valid = verify_model(samples.features(), &ARGMAX, &response, None, found.proof.as_ref().unwrap()).unwrap().unwrap();
            prop_assert_eq!(valid.verdict() == Verdict::Separable, expected);
            match &found.linear {
                Linear::Exists { planes } => for (row, &own) in codes.iter().enumerate() {
                    let value = |k: usize| samples.features().dot(row, &planes[k].weights) + planes[k].bias;
                    let own = own as usize;
                    prop_assert!((0..count).all(|k| k == own || value(k) < value(own)));
                },
                Linear::Not { rows, .. } => prop_assert!(!rows.is_empty()),
                other @ Linear::Undecided { .. } => prop_assert!(false, "{:?}", other),
            }
        }
        let pairs = answer.pairs().into_iter().all(ClassVerdict::is_separable);
        let rest = answer.one_vs_rest().into_iter().all(ClassVerdict::is_separable);
        prop_assert!(!expected || pairs);
        prop_assert!(expected || !rest);
    }
}

/// A pinwheel: three bars around a middle, each in the way of the next. Each pair is separable, and no classifier for
/// all exists, so the engine has to decide about all comparisons.
#[test]
fn pairs_alone_do_not_make_a_classifier() {
    let values = [2, -8, 2, 3, 8, 10, -3, -1, -10, -2, 1, -2];
    let codes = [0, 0, 1, 1, 2, 2];
    let (samples, classes) = problem(&values, &codes, 2, 3);
    let answer = ask(&samples, &classes, ClassesQuestion { argmax: true, ..pairs() });
    assert!(answer.verdicts.iter().all(ClassVerdict::is_separable));
    let found = answer.argmax.unwrap();
    let Linear::Not { pair: None, rows } = &found.linear else { panic!("{:?}", found.linear) };
    assert_eq!(rows.len(), 6);
    let response = Response::Categories { codes: codes.to_vec(), count: 3 };
    let proof = found.proof.as_ref().unwrap();
    assert!(verify_model(samples.features(), &ARGMAX, &response, None, proof).unwrap().is_ok());
    // A bar less, and there is one.
    let (samples, classes) = problem(&values[..10], &codes[..5], 2, 3);
    let found = argmax(&samples, &classes, &[], &DecideOptions::default(), None).unwrap();
    assert_eq!(found.exists(), Some(true));
}

/// What is left after a limit is undecided at once, and says why.
#[test]
fn limits_leave_questions_open() {
    let (samples, classes) = problem(&[0, 1, 2, 3], &[0, 1, 2, 3], 1, 4);
    struct Cancelled(std::sync::atomic::AtomicBool);
    impl Watch for Cancelled {
        fn cancelled(&self) -> Option<&std::sync::atomic::AtomicBool> {
            Some(&self.0)
        }
    }
    let watch = &mut Cancelled(std::sync::atomic::AtomicBool::new(true));
    let answer =
        ClassesQuestion { argmax: true, ..pairs() }.ask(&samples, &classes, watch).unwrap();
    assert!(answer.verdicts.iter().all(|own| own.found.decision.word() == "undecided"));
    assert_eq!(answer.to_json()["pairs"][0]["because"], "cancelled");
    let cancelled = &watch.0;
    let found =
        argmax(&samples, &classes, &[], &DecideOptions::default(), Some(cancelled)).unwrap();
    assert_eq!((found.exists(), found.proof.is_some()), (None, false));
}

#[test]
fn sparse_and_single_rows() {
    let mut rows = SparseBuilder::default();
    for k in 0..5 {
        rows.push(k, 1.0);
        rows.end_row();
    }
    let features = Features::Sparse(rows.finish(5).unwrap());
    let Features::Sparse(sparse) = features else { unreachable!() };
    let samples = Samples::sparse(sparse, vec![true, false, false, false, false]).unwrap();
    let classes = Classes::of((0..5).map(|k| k.to_string()).collect(), vec![0, 1, 2, 3, 4]);
    let verdicts = ask(&samples, &classes, pairs()).verdicts;
    assert!(verdicts.len() == 10 && verdicts.iter().all(ClassVerdict::is_separable));
    let found = argmax(&samples, &classes, &[], &DecideOptions::default(), None).unwrap();
    assert_eq!(found.exists(), Some(true));
}

/// The same row under two labels is the end of all hopes, whatever the other columns do.
#[test]
fn ugly_columns() {
    // A timestamp, a fraction, a constant, and the sum of the first two.
    let mut values = vec![];
    let times = [1.7e9, 1.7e9 + 1.0, 1.7e9 + 2.0, 1.7e9 + 3.0, 1.7e9 + 4.0, 1.7e9 + 5.0];
    for (k, time) in times.iter().enumerate() {
        let share = k as f64 / 7.0;
        values.extend([*time, share, 3.0, time + share]);
    }
    let codes = vec![0, 0, 1, 1, 2, 2];
    let labels = vec![true, false, false, false, false, false];
    let features: Features = Dense::new(values.clone(), 6, 4).into();
    let samples = Samples::dense(values, 4, labels).unwrap();
    let classes = Classes::of(vec!["a".into(), "b".into(), "c".into()], codes.clone());
    let found = argmax(&samples, &classes, &[], &DecideOptions::default(), None).unwrap();
    assert_eq!(found.exists(), Some(true));
    let response = Response::Categories { codes, count: 3 };
    let proof = found.proof.unwrap();
    assert!(verify_model(&features, &ARGMAX, &response, None, &proof).unwrap().is_ok());
}
