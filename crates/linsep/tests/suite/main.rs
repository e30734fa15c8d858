//! The suite: every case of `testdata/`, through the deciding engine, the checker and every method.
//!
//! A case that fails names itself and says why it exists.

mod case;
mod tampering;
mod variants;

use std::panic::{AssertUnwindSafe, catch_unwind};

use case::{Case, Problem, cases};
use linsep::Samples;
use linsep::decide::{
    DecideOptions, Decision, ExplainOptions, MarginBounds, MarginGoal, Verdict, decide, explain,
};
use linsep::online::{Fit, FitSettings, MethodSettings, Stop, fit};
use linsep::proof::{IBig, Proof, verify};
use variants::VARIANTS;

/// Epochs that a method may take where it need not succeed.
const EPOCHS: u64 = 200;
/// Epochs within which `joint` has to end.
const JOINT_EPOCHS: u64 = 300;
/// Margins below this are as good as none to a method that learns in floats.
const ROUNDED_MARGIN: f64 = 1e-14;
/// Margins from here on are found to `MARGIN_GAP`; below, bounds need only hold.
const SMALL_MARGIN: f64 = 1e-9;
const MARGIN_GAP: f64 = 2e-6;

fn for_each_case(check: impl Fn(&Case, &Problem)) {
    let mut failed = vec![];
    for case in cases() {
        let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&case, &case.problem()))) else {
            continue;
        };
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        failed.push(format!("{}: {}\n  why: {}", case.name, text.unwrap_or_default(), case.why));
    }
    assert!(failed.is_empty(), "{} cases failed\n{}", failed.len(), failed.join("\n"));
}

/// Decides, and checks the verdict, its proof, and the proof's way through its file.
fn decided(case: &Case, samples: &Samples, margin: MarginGoal, what: &str) -> Decision {
    let options = DecideOptions::default().with_margin(margin);
    let decision = decide(samples, &options, &mut ()).unwrap();
    assert_eq!(decision.verdict(), Some(case.verdict), "{what}, {margin:?}");
    let proof = decision.proof().expect("a verdict has a proof");
    let read = Proof::from_json(&proof.to_json()).unwrap();
    assert_eq!(read, *proof, "{what}: a proof changed in its file");
    let verified = verify(samples, &read).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(verified.verdict(), case.verdict, "{what}");
    decision
}

#[test]
fn the_engine_decides_and_proves() {
    for_each_case(|case, problem| {
        let samples = problem.dense();
        for goal in [MarginGoal::Any, MarginGoal::Max] {
            let decision = decided(case, &samples, goal, "as it is");
            if let Some(margin) = case.margin {
                check_margin(&decision, margin, goal);
            }
            if let (Some(rows), Some(multipliers)) = (&case.conflict, &case.multipliers) {
                let conflict = decision.conflict().expect("a conflict").clone();
                let mut found: Vec<(usize, IBig)> = conflict.into_iter().collect();
                found.sort();
                let expected: Vec<(usize, IBig)> = (rows.iter().zip(multipliers))
                    .map(|(row, multiplier)| (row - 1, (*multiplier).into()))
                    .collect();
                assert_eq!(found, expected, "the only conflict");
            }
        }
    });
}

/// Checks that the bounds hold, and that they meet where the largest margin was asked for.
fn check_margin(decision: &Decision, margin: f64, goal: MarginGoal) {
    let MarginBounds { lower, upper, .. } = decision.margin();
    // The case has twelve digits.
    let digits = 1e-11 * margin;
    assert!(lower <= margin + digits, "{goal:?}: lower bound {lower:e} above {margin:e}");
    assert!(upper >= margin - digits, "{goal:?}: upper bound {upper:e} below {margin:e}");
    if goal == MarginGoal::Max && margin >= SMALL_MARGIN {
        let gap = (upper - lower) / margin;
        assert!(gap <= MARGIN_GAP, "margin {margin:e} in {lower:e} to {upper:e}: gap {gap:e}");
    }
}

#[test]
fn every_form_has_the_same_verdict() {
    for_each_case(|case, problem| {
        for (form, samples) in problem.forms() {
            decided(case, &samples, MarginGoal::Any, form);
        }
    });
}

#[test]
fn what_must_not_change_a_verdict_does_not() {
    for_each_case(|case, problem| {
        for (change, problem) in problem.changes() {
            decided(case, &problem.dense(), MarginGoal::Any, change);
        }
    });
}

#[test]
fn tampered_proofs_are_refused() {
    for_each_case(|case, problem| {
        let samples = problem.dense();
        for goal in [MarginGoal::Any, MarginGoal::Max] {
            let decision = decided(case, &samples, goal, "as it is");
            if let Some(proof) = decision.proof() {
                tampering::check(&samples, problem, proof);
            }
            let mut decision = decision;
            let explained = explain(&samples, &decision, &ExplainOptions::default(), &mut ());
            explained.extend_proof(&mut decision);
            if let Some(proof) = decision.proof().filter(|proof| proof.removal.is_some()) {
                verify(&samples, proof).unwrap();
                tampering::check(&samples, problem, proof);
            }
        }
    });
}

#[test]
fn what_is_proven_rules_out_the_opposite() {
    for_each_case(|case, problem| {
        let samples = problem.dense();
        if case.verdict == Verdict::Separable {
            for conflict in tempting_conflicts(problem) {
                let proof = Proof::inseparable(&samples, conflict, vec![]);
                assert!(verify(&samples, &proof).is_err(), "{}", proof.to_json());
            }
        } else {
            let decision = decided(case, &samples, MarginGoal::Any, "as it is");
            let fits = methods().into_iter().map(|method| run(&samples, &method, 20).hyperplane);
            for plane in fits.chain(decision.hyperplane().cloned()) {
                let proof = Proof::separable(&samples, (plane.weights, plane.bias));
                assert!(verify(&samples, &proof).is_err(), "{}", proof.to_json());
            }
        }
    });
}

/// Returns conflicts that balance the classes, though the rows need not cancel: some pairs, and all
/// rows together.
fn tempting_conflicts(problem: &Problem) -> Vec<Vec<(usize, IBig)>> {
    let of = |class: bool| -> Vec<usize> {
        (0..problem.rows.len()).filter(|&i| problem.positive[i] == class).collect()
    };
    let (positive, negative) = (of(true), of(false));
    let mut conflicts = vec![];
    for &i in positive.iter().take(5) {
        let pair = |&k: &usize| vec![(i, IBig::ONE), (k, IBig::ONE)];
        conflicts.extend(negative.iter().take(5).map(pair));
    }
    let weight = |rows: &[usize], by: usize| rows.iter().map(|&i| (i, by.into())).collect();
    let mut all: Vec<(usize, IBig)> = weight(&positive, negative.len());
    all.extend::<Vec<(usize, IBig)>>(weight(&negative, positive.len()));
    conflicts.push(all);
    conflicts
}

fn methods() -> Vec<MethodSettings> {
    let variants = VARIANTS.map(|json| serde_json::from_str(json).unwrap());
    MethodSettings::all().into_iter().chain(variants).collect()
}

fn run(samples: &Samples, method: &MethodSettings, max_epochs: u64) -> Fit {
    let settings = FitSettings { method: method.clone(), max_epochs, ..FitSettings::default() };
    fit(samples, &settings, &mut (), None).unwrap()
}

#[test]
fn no_method_claims_what_is_not_so() {
    for_each_case(|case, problem| {
        let samples = problem.dense();
        for method in methods() {
            let fit = run(&samples, &method, EPOCHS);
            if !fit.separated() {
                continue;
            }
            let plane = fit.hyperplane;
            let proof = Proof::separable(&samples, (plane.weights, plane.bias));
            let verified = verify(&samples, &proof);
            assert!(verified.is_ok(), "{method:?} claims {:?}: {verified:?}", proof.claim);
            assert_eq!(case.verdict, Verdict::Separable, "{method:?}");
        }
    });
}

#[test]
fn joint_ends_on_every_separable_case_with_a_margin_above_rounding() {
    for_each_case(|case, problem| {
        if case.verdict != Verdict::Separable {
            return;
        }
        let samples = problem.dense();
        let fit = run(&samples, &MethodSettings::by_name("joint").unwrap(), JOINT_EPOCHS);
        if fit.separated() {
            return;
        }
        // Its hint says that no margin is above rounding, and so it has to be.
        assert_eq!(fit.stop, Stop::LooksInseparable, "after {} epochs", fit.epochs);
        let margin = case
            .margin
            .unwrap_or_else(|| decided(case, &samples, MarginGoal::Max, "as it is").margin().upper);
        assert!(margin < ROUNDED_MARGIN, "it gave up at a margin of up to {margin:e}");
    });
}

#[test]
fn methods_need_as_many_updates_as_is_known() {
    for_each_case(|case, problem| {
        let samples = problem.dense();
        for (name, &updates) in &case.updates {
            let fit = run(&samples, &MethodSettings::by_name(name).unwrap(), 100_000);
            assert!(fit.separated(), "{name} does not end");
            assert_eq!(fit.updates, updates, "updates of {name}");
        }
    });
}
