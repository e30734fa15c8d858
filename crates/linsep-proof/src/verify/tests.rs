use linsep_data::samples::{Dense, Features, LabelNames, Labels, Missing, SparseBuilder};
use proptest::prelude::*;

use super::*;
use crate::evidence::RowWeights;
use crate::fingerprint::{fingerprint, name_data};
use crate::margin::{margin_lower_bound, margin_upper_bound};
use crate::proof::MarginKind::{Angular, Geometric};
use crate::proof::{MarginKind, ProofError};
use crate::separator::{Separator, prove_separable};

/// Returns the samples in all forms that hold them: dense `f64`, sparse, and `f32` where that is exact.
fn forms(values: &[f64], columns: usize, labels: &str) -> Vec<Samples> {
    let positive: Vec<bool> = labels.chars().map(|c| c == '+').collect();
    let mut rows = SparseBuilder::default();
    for row in values.chunks(columns) {
        for (k, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            rows.push(k, value);
        }
        rows.end_row();
    }
    let sparse = rows.finish(columns).unwrap();
    let mut forms = vec![
        Samples::dense(values.to_vec(), columns, positive.clone()).unwrap(),
        Samples::sparse(sparse, positive.clone()).unwrap(),
    ];
    if values.iter().all(|&value| f64::from(value as f32) == value) {
        let values: Vec<f32> = values.iter().map(|&value| value as f32).collect();
        let labels = Labels { positive, names: LabelNames::default() };
        let features = Features::from(Dense::new(values, labels.positive.len(), columns));
        forms.push(Samples::new(features, labels, Missing::Refuse).unwrap());
    }
    forms
}

fn dense(values: &[f64], columns: usize, labels: &str) -> Samples {
    forms(values, columns, labels).remove(0)
}

fn integers(values: &[i64]) -> Vec<IBig> {
    values.iter().map(|&value| value.into()).collect()
}

fn conflict(rows: &[(usize, i64)]) -> Vec<(usize, IBig)> {
    rows.iter().map(|&(row, multiplier)| (row, multiplier.into())).collect()
}

fn with_margin(
    proof: &Proof,
    kind: MarginKind,
    (lower, upper): (f64, f64),
    rows: &[(usize, f64)],
) -> Proof {
    let rows = rows.iter().copied().collect();
    proof.clone().with_margin(MarginBounds { kind, lower, upper }, &rows)
}

/// Checks what becomes of the claim, in every form of the data, and after a trip through its file.
fn check(samples: &[Samples], claim: impl Fn(&Samples) -> Proof, expected: &str) {
    for samples in samples {
        let proof = claim(samples);
        let read = Proof::from_json(&proof.to_json()).unwrap();
        assert_eq!(read, proof);
        let found = match verify(samples, &read) {
            Ok(verified) => verified.verdict().to_string(),
            Err(refused) => refused.to_string(),
        };
        assert_eq!(found, expected);
    }
}

fn check_plane(samples: &[Samples], weights: &[f64], bias: f64, expected: &str) {
    check(samples, |s| Proof::separable(s, (weights.to_vec(), bias)), expected);
}

fn check_rows_of(samples: &[Samples], rows: &[(usize, i64)], expected: &str) {
    check(samples, |s| Proof::inseparable(s, conflict(rows), vec![]), expected);
}

#[test]
fn a_hyperplane_with_all_rows_on_their_sides_proves_separability() {
    let pair = forms(&[100.0, 101.0], 1, "-+");
    check_plane(&pair, &[1.0], -100.5, "separable");
    check_plane(&pair, &[1.0], -100.0, "row 1 is on the wrong side");
    check_plane(&pair, &[1.0], -101.0, "row 2 is on the wrong side");
    check_plane(&pair, &[0.0], 0.0, "row 1 is on the wrong side");
    check_plane(&pair, &[1.0, 2.0], 0.0, "the proof has 2 weights where the data needs 1");
}

#[test]
fn margins_of_one_last_place_and_numbers_of_any_size_are_decided() {
    let next = 1.0 + f64::EPSILON;
    check_plane(&forms(&[1.0, next], 1, "-+"), &[1.0], -1.0, "row 1 is on the wrong side");
    let after = next + f64::EPSILON;
    check_plane(&forms(&[1.0, after], 1, "-+"), &[1.0], -next, "separable");
    let far = 9007199254740992.0;
    check_plane(
        &forms(&[far, far + 2.0], 1, "-+"),
        &[1.0],
        -far - 1.0,
        "row 1 is on the wrong side",
    );
    check_plane(
        &forms(&[far, 0.0, far, 1.0], 2, "-+"),
        &[1.0, 2.0],
        -far,
        "row 1 is on the wrong side",
    );
    check_plane(
        &forms(&[far, 0.0, far, 2.0], 2, "-+"),
        &[1.0, 1.0],
        -far - 2.0,
        "row 2 is on the wrong side",
    );
    check_plane(&forms(&[far, -1.0, far, 1.0], 2, "-+"), &[1.0, 1.0], -far, "separable");
    let extreme = forms(&[1e300, 0.0, 1e300, 1e-300], 2, "-+");
    check_plane(&extreme, &[1e-300, 1e300], -1e-300 * 1e300, "row 1 is on the wrong side");
    let extreme = forms(&[1e300, -1e-300, 1e300, 1e-300], 2, "-+");
    check_plane(&extreme, &[0.0, 1e-300], 0.0, "separable");
    let tiny = f64::from_bits(1);
    check_plane(&forms(&[-tiny, tiny], 1, "-+"), &[tiny], 0.0, "separable");
    check_plane(&forms(&[0.0, tiny], 1, "-+"), &[tiny], 0.0, "row 1 is on the wrong side");
}

#[test]
fn rows_that_cancel_prove_inseparability() {
    let xor = forms(&[0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0], 2, "++--");
    let all = [(0, 1), (1, 1), (2, 1), (3, 1)];
    check_rows_of(&xor, &all, "inseparable");
    let with = |k: usize, row, multiplier| {
        let mut rows = all;
        rows[k] = (row, multiplier);
        rows
    };
    let unbalanced = "the rows named do not cancel: the two classes do not have the same weight";
    check_rows_of(&xor, &with(1, 1, 2), unbalanced);
    check_rows_of(&xor, &all[..3], unbalanced);
    check_rows_of(&xor, &[(0, 1), (2, 1)], "the rows named do not cancel: feature 2 is left over");
    check_rows_of(&xor, &with(1, 1, 0), "the multiplier of row 2 is not positive");
    check_rows_of(&xor, &with(1, 1, -1), "the multiplier of row 2 is not positive");
    check_rows_of(&xor, &with(3, 4, 1), "the proof names row 5, which does not exist");
    check_rows_of(&xor, &with(3, 1, 1), "the proof names row 2 twice");
    check_rows_of(&xor, &[], "the proof names no rows");

    // 1 lies between 0 and 3: twice as near to 0. Numbers of any size.
    check_rows_of(&forms(&[0.0, 1.0, 3.0], 1, "+-+"), &[(0, 2), (1, 3), (2, 1)], "inseparable");
    for unit in [1e300, f64::from_bits(1), 3e-320] {
        let line = forms(&[0.0, unit, 2.0 * unit], 1, "+-+");
        check_rows_of(&line, &[(0, 1), (1, 2), (2, 1)], "inseparable");
    }
}

#[test]
fn a_conflict_must_span_all_rows() {
    // One row under both labels, and nothing else: all rows are orthogonal to two vectors.
    let twice = forms(&[2.0, 3.0, 2.0, 3.0], 2, "+-");
    let with = |orthogonal: &[&[i64]], expected: &str| {
        let orthogonal: Vec<Vec<IBig>> = orthogonal.iter().map(|v| integers(v)).collect();
        let rows = conflict(&[(0, 1), (1, 1)]);
        let claim = |s: &Samples| Proof::inseparable(s, rows.clone(), orthogonal.clone());
        check(&twice, claim, expected);
    };
    with(&[&[1, 0, -2], &[0, 1, -3]], "inseparable");
    with(&[&[3, -2, 0], &[0, 2, -6]], "inseparable");
    let needed =
        |n: usize| format!("the rows named span 1 dimensions, {n} are needed to span all rows");
    with(&[&[1, 0, -2]], &needed(2));
    with(&[&[1, 0, -2], &[2, 0, -4]], &needed(2));
    with(&[&[0, 0, 0]], &needed(3));
    with(&[], &needed(3));
    let not = "row 1 is not orthogonal to a vector to which the proof says that all rows are";
    with(&[&[1, 0, -2], &[0, 1, -2]], not);
    with(&[&[1, 0], &[0, 1, -3]], "the proof has 2 weights where the data needs 3");
    // A third row makes the data quasi-separable, and the claim false.
    let more = forms(&[2.0, 3.0, 2.0, 3.0, 2.0, 4.0], 2, "+-+");
    let rows = conflict(&[(0, 1), (1, 1)]);
    let orthogonal = vec![integers(&[1, 0, -2])];
    check(&more, |s| Proof::inseparable(s, rows.clone(), orthogonal.clone()), &needed(2));
    let weak = (integers(&[0, 1]), IBig::from(-3));
    check(&more, |s| Proof::quasi_separable(s, rows.clone(), weak.clone()), "quasi-separable");
}

#[test]
fn integers_separate_what_floats_cannot() {
    let tiny = f64::from_bits(1);
    let pair = forms(&[0.0, tiny], 1, "-+");
    // The middle of the two, times 2^1075, is 1.
    let plane = (vec![IBig::ONE << 1075], -IBig::ONE);
    check(&pair, |s| Proof::separable(s, plane.clone()), "separable");
    let through = (vec![IBig::ONE << 1075], IBig::from(-2));
    check(&pair, |s| Proof::separable(s, through.clone()), "row 2 is on the wrong side");
    for samples in &pair {
        let proof = Proof::separable(samples, plane.clone());
        let claim =
            |lower| verify(samples, &with_margin(&proof, Angular, (lower, 1.0), &[(0, 1.0)]));
        assert!(claim(0.0).is_ok());
        assert!(matches!(claim(tiny), Err(Refused::Margin { what: "lower", .. })));
    }
}

#[test]
fn half_the_distance_of_two_points_bounds_the_geometric_margin() {
    // (0, 0) and (0, 2) against (3, 1): the distance is 3, whatever the offset and the scale.
    for (offset, unit) in [(0.0, 1.0), (1e6, 1.0), (0.0, 1e-200), (0.0, 1e150), (1e9, 0.25)] {
        let values = [0.0, 0.0, 0.0, 2.0, 3.0, 1.0].map(|v| offset + v * unit);
        for samples in forms(&values, 2, "--+") {
            let half = 1.5 * unit;
            // The weights of a class need not add up to those of the other.
            let upper = |rows: &[(usize, f64)]| {
                margin_upper_bound(&samples, Geometric, &rows.iter().copied().collect())
            };
            let tight = upper(&[(0, 0.5), (1, 0.5), (2, 0.25)]);
            assert!(
                tight >= half && tight <= half * (1.0 + 1e-12),
                "upper {offset} {unit} {tight}"
            );
            assert!(upper(&[(0, 0.5), (1, 0.25), (2, 1.0)]) > half);
            assert_eq!(upper(&[(0, 0.5), (1, 0.5)]), f64::MAX);
            // The length of w does not count, and the bias is not part of it.
            let (w, b) = ([4.0, 0.0], -4.0 * (offset + half));
            let lower = margin_lower_bound(&samples, Geometric, &w, b);
            assert!(
                lower <= half && lower >= half * (1.0 - 1e-12),
                "lower {offset} {unit} {lower}"
            );
            let proof = Proof::separable(&samples, (w.to_vec(), b));
            let rows = [(0, 0.5), (1, 0.5), (2, 1.0)];
            let claim = |lower, upper| {
                verify(&samples, &with_margin(&proof, Geometric, (lower, upper), &rows))
            };
            assert_eq!(
                claim(lower, tight).unwrap().margin(),
                Some(MarginBounds { kind: Geometric, lower, upper: tight })
            );
            assert!(claim(lower * 1.01, tight).is_err());
            assert!(claim(lower, tight * 0.99).is_err());
        }
    }
}

#[test]
fn decimals_are_the_floats_they_were_read_as() {
    // 0.1 + 0.2 is not 0.3 once rounded, so these three and their middle do not cancel.
    let line = forms(&[0.1, 0.3, 0.2, 0.0], 1, "+-+-");
    let rows = [(0, 1), (1, 1), (2, 1), (3, 1)];
    check_rows_of(&line, &rows, "the rows named do not cancel: feature 1 is left over");
}

#[test]
fn a_conflict_and_a_weak_hyperplane_prove_quasi_separability() {
    let line = forms(&[0.0, 0.0, 1.0], 1, "-++");
    let claim = |rows: &'static [(usize, i64)], weight: i64, bias: i64| {
        move |s: &Samples| {
            Proof::quasi_separable(s, conflict(rows), (integers(&[weight]), bias.into()))
        }
    };
    check(&line, claim(&[(0, 1), (1, 1)], 1, 0), "quasi-separable");
    check(&line, claim(&[(0, 1), (1, 1)], 1, 1), "row 1 is on the wrong side");
    check(&line, claim(&[(0, 1), (1, 1)], -1, 0), "row 3 is on the wrong side");
    check(&line, claim(&[(0, 1), (1, 1)], 0, 0), "no row is off the hyperplane");
    check(
        &line,
        claim(&[(0, 1), (2, 1)], 1, 0),
        "the rows named do not cancel: feature 1 is left over",
    );
    check(
        &line,
        |s| Proof::quasi_separable(s, conflict(&[(0, 1), (1, 1)]), (integers(&[1, 2]), 0.into())),
        "the proof has 2 weights where the data needs 1",
    );
}

#[test]
fn margins_are_bounded_from_both_sides() {
    let pair = forms(&[100.0, 101.0], 1, "-+");
    for samples in &pair {
        let (w, b) = (vec![1.0], -100.5);
        let lower = margin_lower_bound(samples, Angular, &w, b);
        // The true margin is 0.5 / ‖(101, 1)‖ / ‖(1, -100.5)‖.
        let truth = 0.5 / 10202.0_f64.sqrt() / 10101.25_f64.sqrt();
        assert!(lower <= truth && lower > truth * (1.0 - 1e-12), "{lower} {truth}");
        let rows = [(0, 0.5 / 10001.0_f64.sqrt()), (1, 0.5 / 10202.0_f64.sqrt())];
        let upper = margin_upper_bound(samples, Angular, &rows.into());
        assert!(upper >= truth && upper < truth * 1.1, "{upper} {truth}");
        let claim = |lower, upper, rows: &[(usize, f64)]| {
            let proof = Proof::separable(samples, (w.clone(), b));
            let proof = with_margin(&proof, Angular, (lower, upper), rows);
            verify(samples, &Proof::from_json(&proof.to_json()).unwrap())
        };
        assert_eq!(
            claim(lower, upper, &rows).unwrap().margin(),
            Some(MarginBounds { kind: Angular, lower, upper })
        );
        let what = |refused: Refused| match refused {
            Refused::Margin { what, .. } => what,
            other => panic!("{other}"),
        };
        assert_eq!(what(claim(lower * 1.001, upper, &rows).unwrap_err()), "lower");
        assert_eq!(what(claim(lower, upper * 0.999, &rows).unwrap_err()), "upper");
        let refused = |rows: &[(usize, f64)]| claim(lower, upper, rows).unwrap_err();
        assert_eq!(refused(&[(0, 0.5), (1, -0.5)]), Refused::NotPositive { row: 2 });
        assert_eq!(refused(&[(0, 0.5), (2, 0.5)]), Refused::RowOutOfRange { row: 3 });
        assert_eq!(refused(&[(0, 0.5), (0, 0.5)]), Refused::RepeatedRow { row: 1 });
        assert_eq!(refused(&[]), Refused::EmptyConflict);
        assert_eq!(what(refused(&[(0, 0.0), (1, 0.0)])), "upper");
        let mut infinite = Proof::separable(samples, (w.clone(), b));
        infinite = with_margin(&infinite, Angular, (f64::NEG_INFINITY, 1.0), &rows);
        assert_eq!(verify(samples, &infinite), Err(Refused::NotFinite));
        let conflict = Proof::inseparable(samples, vec![], vec![]);
        let conflict = with_margin(&conflict, Angular, (0.0, 1.0), &rows);
        assert_eq!(verify(samples, &conflict), Err(Refused::MarginWithoutHyperplane));
    }
}

#[test]
fn weights_are_those_of_lifted_rows_before_version_6() {
    let samples = dense(&[100.0, 101.0], 1, "-+");
    let plane = Proof::separable(&samples, (vec![1.0], -100.5));
    let lifted = [(0, 0.5), (1, 0.5)];
    let raw = [(0, 0.5 / 10001.0_f64.sqrt()), (1, 0.5 / 10202.0_f64.sqrt())];
    let upper = margin_upper_bound(&samples, Angular, &raw.into());
    let text = |rows: &[(usize, f64)]| with_margin(&plane, Angular, (0.0, upper), rows).to_json();
    let verdict = |text: &str| verify(&samples, &Proof::from_json(text).unwrap());
    assert!(text(&raw).contains("\"version\":6"));
    assert!(verdict(&text(&raw)).is_ok());
    let older = |rows| text(rows).replace("\"version\":6", "\"version\":1");
    assert!(verdict(&older(&lifted)).is_ok());
    // Neither passes for the other.
    for other in [text(&lifted), older(&raw)] {
        assert!(matches!(verdict(&other), Err(Refused::Margin { what: "upper", .. })));
    }
    let geometric = with_margin(&plane, Geometric, (0.0, 0.5 + 1e-9), &lifted).to_json();
    assert!(geometric.contains("\"version\":1") && verdict(&geometric).is_ok());
    let newer = geometric.replace("\"version\":1", "\"version\":6");
    let error = Proof::from_json(&newer).unwrap_err().to_string();
    assert!(error.contains("what it claims is of version 1, the file of version 6"), "{error}");
}

#[test]
fn margins_at_extreme_scales_stay_bounds() {
    let tiny = f64::from_bits(1);
    for unit in [1e300, 1.0, 1e-150, 1e-300, tiny] {
        let samples = dense(&[-unit, unit], 1, "-+");
        for weight in [f64::MAX, 1e200, 1.0, 1e-200, tiny] {
            let truth = unit / unit.hypot(1.0);
            let lower = margin_lower_bound(&samples, Angular, &[weight], 0.0);
            let least = if weight == tiny { -1.0 } else { 0.0 };
            assert!((least..=truth).contains(&lower), "{unit} {weight}: {lower} {truth}");
            let reversed = margin_lower_bound(&samples, Angular, &[-weight], 0.0);
            assert!((-1.0..=-truth).contains(&reversed), "{unit} {weight}: {reversed} {truth}");
        }
        let upper = margin_upper_bound(&samples, Angular, &[(0, 1.0), (1, 1.0)].into());
        assert!(upper >= unit / unit.hypot(1.0) && upper <= 1.0);
    }
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let samples = dense(&[100.0, 101.0], 1, "-+");
    for (weight, bias) in [(f64::NAN, 0.0), (1.0, f64::INFINITY)] {
        let proof = Proof::separable(&samples, (vec![weight], bias));
        assert_eq!(verify(&samples, &proof), Err(Refused::NotFinite));
        assert!(matches!(Proof::from_json(&proof.to_json()), Err(ProofError::Damaged(_))));
    }
}

#[test]
fn other_data_is_refused() {
    let proof = Proof::separable(&dense(&[1.0, 2.0, 3.0, 4.0], 1, "--++"), (vec![1.0], -2.5));
    let refusal = |values: &[f64], columns, labels: &str| {
        verify(&dense(values, columns, labels), &proof).unwrap_err().to_string()
    };
    let about = "the proof is about other data: its";
    assert_eq!(
        refusal(&[1.0, 2.0, 3.0], 1, "--+"),
        format!("{about} number of rows is 4, the data's is 3")
    );
    assert_eq!(
        refusal(&[1.0; 8], 2, "--++"),
        format!("{about} number of features is 1, the data's is 2")
    );
    let others: [(&[f64], &str); 4] = [
        (&[1.0, 2.0, 3.0, 5.0], "--++"),
        (&[2.0, 1.0, 3.0, 4.0], "--++"),
        (&[1.0, 2.0, 3.0, 4.0], "++--"),
        (&[1.0, 2.0, 3.0, 4.0], "-+-+"),
    ];
    for (values, labels) in others {
        assert!(refusal(values, 1, labels).starts_with(&format!("{about} fingerprint is ")));
    }
}

#[test]
fn threads_change_neither_the_fingerprint_nor_the_row_named() {
    let values: Vec<f64> = (0..5000).map(|i| if i % 2 == 0 { -1.0 } else { i as f64 }).collect();
    let mut labels = "-+".repeat(2500);
    labels.replace_range(4000..4001, "+");
    labels.replace_range(700..701, "+");
    let samples = dense(&values, 1, &labels);
    let proof = Proof::separable(&samples, (vec![1.0], 0.0));
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let refused = pool.install(|| verify(&samples, &proof));
        assert_eq!(refused, Err(Refused::WrongSide { row: 701 }));
    }
}

#[test]
fn proofs_about_models() {
    use crate::structure::{Model, Response, Structure};
    use crate::verify_model;
    // The first column is constant; a cut lies between the second and the third row.
    let design = dense(&[1.0, 1.0, 1.0, 2.0, 1.0, 4.0], 2, "--+");
    let (features, response) = (design.features(), Response::labels(design.positive()));
    let model = Model::Binomial { intercept: false };
    let doubled = Structure::new(features, &model, &response, None).unwrap();
    let claim = |plane: (Vec<f64>, f64)| Claim::Separable { hyperplane: plane.into() };
    let name = |data: &dyn Data| name_data(data).unwrap().name().clone();
    let check = |proof: &Proof| {
        let text = Proof::from_json(&proof.to_json()).unwrap();
        verify_model(features, &model, &response, None, &text).unwrap()
    };
    let bare = Proof::about(name(&doubled), claim((vec![-3.0, 1.0], 0.0)));
    let other = |claimed, asked| Err(Refused::OtherQuestion { claimed, asked });
    assert_eq!(check(&bare), other(None, Some(model)));
    let proof = bare.of_model(model, None);
    let verified = check(&proof).unwrap();
    assert_eq!((verified.verdict(), verified.model()), (Verdict::Separable, Some(model)));
    // Of the rows as they stand it says nothing.
    assert_eq!(verify(&design, &proof), other(Some(model), None));
    // A bias does not help where rows are shown on both sides.
    let shifted = Proof::about(name(&doubled), claim((vec![-1.0, 1.0], -2.0)));
    assert!(matches!(check(&shifted.of_model(model, None)), Err(Refused::WrongSide { .. })));
    // It does where a column is constant, which the checker sees for itself.
    let once = Structure::new(features, &model, &response, None).unwrap().with_constant(0).unwrap();
    let shifted = Proof::about(name(&once), claim((vec![0.0, 1.0], -3.0)));
    assert!(check(&shifted.clone().of_model(model, Some(0))).is_ok());
    assert_eq!(
        check(&shifted.clone().of_model(model, Some(1))),
        Err(Refused::NotConstant { column: 2 })
    );
    assert_eq!(
        check(&shifted.clone().of_model(model, Some(9))),
        Err(Refused::NotConstant { column: 10 })
    );
    assert!(matches!(
        check(&shifted.clone().of_model(model, None)),
        Err(Refused::OtherData { .. })
    ));
    // The bias stands for a constant column, so that the rows are those of the data: still another question.
    let constant = shifted.clone().of_model(model, Some(0));
    assert_eq!(verify(&design, &constant), other(Some(model), None));
    // Another family, or the same with other options, is another question, even where vectors are the same.
    for claimed in [Model::Poisson { intercept: false }, Model::Binomial { intercept: true }] {
        assert_eq!(
            check(&proof.clone().of_model(claimed, None)),
            other(Some(claimed), Some(model))
        );
    }
}

#[test]
fn rows_are_their_own_vectors_where_a_binomial_model_has_an_intercept() {
    use crate::structure::{Model, Response};
    use crate::{verify_binomial, verify_model};
    let samples = dense(&[1.0, 1.0, 1.0, 2.0, 1.0, 4.0], 2, "--+");
    let model = Model::Binomial { intercept: true };
    let plain = Proof::separable(&samples, (vec![0.0, 1.0], -3.0));
    let binomial = |proof: &Proof| verify_binomial(&Memory::new(&samples), proof).unwrap();
    assert!(binomial(&plain).is_err());
    for constant in [None, Some(0)] {
        // The first column is constant, and has no use for that here.
        let proof = plain.clone().of_model(model, constant);
        let response = Response::labels(samples.positive());
        let slow = verify_model(samples.features(), &model, &response, None, &proof).unwrap();
        assert_eq!(binomial(&proof), slow);
        assert_eq!(slow.is_ok(), constant.is_none());
    }
}

#[test]
fn questions_that_differ_in_one_option() {
    use crate::structure::{Model, Response, Structure, Ties};
    use crate::verify_model;
    let design = dense(&[1.0, 2.0, 3.0, 4.0], 1, "-+-+");
    let categories = Response::Categories { codes: vec![0, 1, 0, 1], count: 2 };
    let survival = Response::Survival {
        times: vec![1.0, 2.0, 3.0, 4.0],
        events: vec![true; 4],
        entries: None,
        groups: None,
    };
    let trials = Response::labels(&[true, false, true, false]);
    let models = [
        (Model::Binomial { intercept: true }, &trials),
        (Model::Binomial { intercept: false }, &trials),
        (Model::LogBinomial { intercept: true }, &trials),
        (Model::LogBinomial { intercept: false }, &trials),
        (Model::Poisson { intercept: true }, &trials),
        (Model::NegativeBinomial { intercept: true }, &trials),
        (Model::Cumulative { parallel: true }, &categories),
        (Model::Cumulative { parallel: false }, &categories),
        (Model::Sequential { parallel: true }, &categories),
        (Model::Adjacent { parallel: true }, &categories),
        (Model::Adjacent { parallel: false }, &categories),
        (Model::Multinomial { intercept: true }, &categories),
        (Model::Multinomial { intercept: false }, &categories),
        (Model::Cox { ties: Ties::Breslow }, &survival),
        (Model::Cox { ties: Ties::Efron }, &survival),
        (Model::Cox { ties: Ties::Exact }, &survival),
    ];
    for (asked, response) in &models {
        for (claimed, of) in &models {
            // Whatever it claims, it is about another question before it is wrong.
            let structure = Structure::new(design.features(), claimed, of, None).unwrap();
            let name = name_data(&structure).unwrap();
            let claim = Claim::not_strictly_separable(conflict(&[(0, 1)]).into());
            let proof = Proof::about(name.name().clone(), claim).of_model(*claimed, None);
            let refused = verify_model(design.features(), asked, response, None, &proof).unwrap();
            let other = matches!(refused, Err(Refused::OtherQuestion { .. }));
            assert_eq!(other, claimed != asked, "{claimed} for {asked}");
        }
    }
}

fn check_file(change: (&str, &str), expected: &str) {
    let samples = dense(&[0.0, 0.0, 1.0], 1, "-++");
    let rows = conflict(&[(0, 1), (1, 1)]);
    let text = Proof::quasi_separable(&samples, rows, (integers(&[1]), 0.into())).to_json();
    let changed = text.replace(change.0, change.1);
    assert_ne!(text, changed, "the change must change something");
    let error = Proof::from_json(&changed).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn other_files_are_refused() {
    check_file(
        ("linsep-proof", "recipe"),
        "expected a file of the format linsep-proof, found \"recipe\"",
    );
    check_file(
        ("\"version\":1", "\"version\":7"),
        "expected a proof file of version 1 to 6, found version 7",
    );
    check_file(("\"version\":1", "\"version\":0"), "found version 0");
    let numbers = "expected weights and a bias, all of them numbers or all of them strings";
    check_file(("\"bias\"", "\"bios\""), numbers);
    check_file(("\"weights\":[\"1\"]", "\"weights\":[1]"), numbers);
    check_file(("\"conflict\"", "\"conflicts\""), "unknown field `conflicts`");
    check_file(
        ("\"multiplier\":\"1\"", "\"multiplier\":\"1_0\""),
        "expected an integer, found \"1_0\"",
    );
    check_file(("\"multiplier\":\"1\"", "\"multiplier\":\"\""), "expected an integer, found \"\"");
    check_file(("\"multiplier\":\"1\"", "\"multiplier\":1"), "expected a string");
    check_file(("\"row\":1", "\"row\":-1"), "not a proof file, or a damaged one");
    check_file(("quasi-separable", "undecided"), "unknown variant `undecided`");
    check_file(("\"margin\"", "\"version\":1,\"margin\""), "duplicate field `version`");
}

#[test]
fn a_file_cut_short_anywhere_is_damaged() {
    let samples = dense(&[100.0, 101.0], 1, "-+");
    let text = Proof::separable(&samples, (vec![1.0], -100.5)).to_json();
    for end in 0..text.trim_end().len() {
        assert!(matches!(Proof::from_json(&text[..end]), Err(ProofError::Damaged(_))), "{end}");
    }
}

/// Rows of small integers, with both labels.
fn small_rows() -> impl Strategy<Value = (Vec<f64>, usize, String)> {
    (1usize..4, 2usize..7).prop_flat_map(|(columns, rows)| {
        let value = (-3i32..4).prop_map(f64::from);
        let labels = prop::collection::vec(any::<bool>(), rows - 2);
        (prop::collection::vec(value, columns * rows), Just(columns), labels).prop_map(
            |(values, columns, labels)| {
                let text = labels.iter().map(|&p| if p { '+' } else { '-' });
                (values, columns, "+-".chars().chain(text).collect())
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// A hyperplane that the proof accepts rules out every conflict; few random ones are accepted, so
    /// the rows are labelled by a hyperplane half of the time.
    #[test]
    fn both_proofs_never_hold(
        (values, columns, labels) in small_rows(),
        plane in prop::collection::vec(-3i64..4, 4),
        multipliers in prop::collection::vec(0i64..4, 6),
        by_plane in any::<bool>(),
    ) {
        let weights: Vec<f64> = plane[..columns].iter().map(|&w| w as f64).collect();
        let bias = plane[3] as f64 + 0.5;
        let side = |x: &[f64]| weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + bias > 0.0;
        let labels: String = match by_plane {
            true => values.chunks(columns).map(|x| if side(x) { '+' } else { '-' }).collect(),
            false => labels,
        };
        prop_assume!(labels.contains('+') && labels.contains('-'));
        let samples = dense(&values, columns, &labels);
        let separable = verify(&samples, &Proof::separable(&samples, (weights, bias))).is_ok();
        prop_assert!(separable || !by_plane);
        let rows: Vec<(usize, IBig)> = multipliers[..samples.rows()]
            .iter()
            .enumerate()
            .filter(|(_, m)| **m > 0)
            .map(|(i, m)| (i, (*m).into()))
            .collect();
        let inseparable = Proof::inseparable(&samples, rows.clone(), vec![]);
        let inseparable = verify(&samples, &inseparable).is_ok();
        let integers = integers(&plane[..columns]);
        let quasi = Proof::quasi_separable(&samples, rows, (integers, plane[3].into()));
        let quasi = verify(&samples, &quasi).is_ok();
        prop_assert!(u8::from(separable) + u8::from(inseparable) + u8::from(quasi) <= 1);
    }

    #[test]
    fn margins_lie_between_their_bounds(
        (values, columns, labels) in small_rows(),
        plane in prop::collection::vec(-3.0..3.0, 4),
        weights in prop::collection::vec(0.01..1.0, 6),
    ) {
        for samples in forms(&values, columns, &labels) {
            let lower = margin_lower_bound(&samples, Angular, &plane[..columns], plane[3]);
            let rows: RowWeights = (0..samples.rows()).map(|i| (i, weights[i])).collect();
            let upper = margin_upper_bound(&samples, Angular, &rows);
            prop_assert!(lower <= upper && lower >= -1.0 && upper <= 1.0);
            let lower = margin_lower_bound(&samples, Geometric, &plane[..columns], plane[3]);
            let upper = margin_upper_bound(&samples, Geometric, &rows);
            prop_assert!(lower <= upper);
        }
    }

    #[test]
    fn a_separator_is_what_verify_accepts(
        (values, columns, labels) in small_rows(),
        plane in prop::collection::vec(-3.0..3.0, 4),
        weights in prop::collection::vec(0.01..1.0, 6),
        named in 0..7_usize,
    ) {
        for samples in forms(&values, columns, &labels) {
            let (w, b) = (plane[..columns].to_vec(), plane[3]);
            let rows: RowWeights =
                (0..samples.rows().min(named)).map(|i| (i, weights[i])).collect();
            let verdict = verify(&samples, &Proof::separable(&samples, (w.clone(), b))).err();
            let memory = Memory::new(&samples);
            let named = name_data(&memory).unwrap();
            for known in [None, Some(&named)] {
                let proven = prove_separable(&memory, known, Angular, (w.clone(), b), &rows);
                match proven.unwrap() {
                    Ok(Separator { proof, margin }) => {
                        prop_assert_eq!(&verdict, &None);
                        let claimed = (!rows.is_empty()).then_some(margin);
                        prop_assert_eq!(verify(&samples, &proof).unwrap().margin(), claimed);
                        prop_assert!(verify_data(&memory, &proof, known).unwrap().is_ok());
                    }
                    Err(refused) => prop_assert_eq!(&verdict, &Some(refused)),
                }
            }
        }
    }

    #[test]
    fn a_fingerprint_is_of_the_values_and_changes_with_each(
        (values, columns, labels) in small_rows(),
        place in any::<prop::sample::Index>(),
        change in prop_oneof![Just(1.0), Just(-1.0), Just(0.5), Just(1e-9)],
    ) {
        let prints: Vec<String> =
            forms(&values, columns, &labels).iter().map(fingerprint).collect();
        prop_assert!(prints.iter().all(|print| *print == prints[0] && print.len() == 32));
        let negative_zeros: Vec<f64> =
            values.iter().map(|&v| if v == 0.0 { -0.0 } else { v }).collect();
        prop_assert_eq!(&fingerprint(&dense(&negative_zeros, columns, &labels)), &prints[0]);
        let mut changed = values.clone();
        changed[place.index(values.len())] += change;
        prop_assert_ne!(&fingerprint(&dense(&changed, columns, &labels)), &prints[0]);
        let swapped: String = labels.chars().map(|c| if c == '+' { '-' } else { '+' }).collect();
        prop_assert_ne!(&fingerprint(&dense(&values, columns, &swapped)), &prints[0]);
        let at = place.index(values.len() / columns - 1);
        let mut moved = values.clone();
        (0..columns).for_each(|k| moved.swap(at * columns + k, (at + 1) * columns + k));
        if moved != values {
            prop_assert_ne!(&fingerprint(&dense(&moved, columns, &labels)), &prints[0]);
        }
    }

    #[test]
    fn a_proof_survives_its_file(
        weights in prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 1..9),
        integers in prop::collection::vec(any::<i128>(), 1..9),
    ) {
        let samples = dense(&[100.0, 101.0], 1, "-+");
        let big: Vec<IBig> = integers.iter().map(|&i| IBig::from(i) * IBig::from(i) * i).collect();
        let rows: Vec<(usize, IBig)> = big.iter().cloned().enumerate().collect();
        let quasi = Proof::quasi_separable(&samples, rows, (big.clone(), big[0].clone()));
        let rows: Vec<(usize, f64)> = weights.iter().copied().enumerate().collect();
        let plane = Proof::separable(&samples, (weights.clone(), weights[0]));
        for proof in [quasi, with_margin(&plane, Angular, (weights[0], 1.0), &rows)] {
            let read = Proof::from_json(&proof.to_json()).unwrap();
            prop_assert_eq!(&read.to_json(), &proof.to_json());
            prop_assert_eq!(read, proof);
        }
    }
}

#[test]
fn no_more_vectors_than_can_be_independent() {
    let samples = dense(&[0.0, 3.0, 1.0], 1, "++-");
    let rows = conflict(&[(0, 2), (1, 1), (2, 3)]);
    let claim = |count: usize| {
        let vectors = vec![integers(&[0, 1]); count];
        verify(&samples, &Proof::inseparable(&samples, rows.clone(), vectors))
    };
    let verified = claim(0).unwrap();
    assert_eq!((verified.rows(), verified.by_matrix()), (3, false));
    // Two are looked at, and the rows are not orthogonal to them; three are too many at once.
    let looked_at = claim(2).unwrap_err();
    assert!(!matches!(looked_at, Refused::TooManyVectors { .. }), "{looked_at}");
    assert_eq!(claim(3), Err(Refused::TooManyVectors { found: 3, most: 2 }));
}
