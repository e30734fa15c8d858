use dashu_int::IBig;
use linsep_data::{Memory, Samples, Shape};

use super::*;
use crate::proof::{Claim, Proof};
use crate::structure::Model;
use crate::verify::{verify, verify_binomial};

/// Two rows under both labels, the first of them twice, and one row that conflicts with none.
fn samples() -> Samples {
    let positive = "-+-+-++".chars().map(|c| c == '+').collect();
    Samples::dense(vec![0.0, 0.0, 1.0, 1.0, -1.0, 0.0, 2.0], 1, positive).unwrap()
}

type Conflicts<'a> = &'a [&'a [(usize, i64)]];

fn conflict(rows: &[(usize, i64)]) -> Conflict {
    rows.iter().map(|&(row, times)| (row, IBig::from(times))).collect::<Vec<_>>().into()
}

fn proof(rows: &[usize], plane: impl Into<Plane>, conflicts: Conflicts) -> Proof {
    let conflicts: Vec<Conflict> = conflicts.iter().map(|rows| conflict(rows)).collect();
    Proof::inseparable(&samples(), conflict(&[(0, 1), (1, 1), (2, 1), (3, 1)]), vec![])
        .with_removal(RemovalClaim::new(rows, plane, &conflicts))
}

/// Checks what becomes of a claim, and that its file says the same.
fn check(proof: &Proof, expected: &str) {
    let again = Proof::from_json(&proof.to_json()).unwrap();
    assert_eq!(&again, proof);
    let found = match verify(&samples(), proof) {
        Ok(verified) => {
            let Removals { at_least, at_most } = verified.removals().expect("claimed");
            format!("{at_least} to {at_most}")
        }
        Err(refused) => refused.to_string(),
    };
    assert_eq!(found, expected);
}

/// Rows 0 and 2 go: the rest is separated at -1/2.
const PLANE: ([f64; 1], f64) = ([1.0], 0.5);
const PAIRS: Conflicts = &[&[(0, 1), (1, 1)], &[(2, 1), (3, 1)]];

fn plane() -> Plane {
    (PLANE.0.to_vec(), PLANE.1).into()
}

#[test]
fn both_sides_are_confirmed() {
    check(&proof(&[0, 2], plane(), PAIRS), "2 to 2");
    check(&proof(&[2, 0], plane(), &[PAIRS[0]]), "1 to 2");
    check(&proof(&[0, 2, 5], plane(), PAIRS), "2 to 3");
    let integers = (vec![IBig::from(2)], IBig::from(1));
    check(&proof(&[0, 2], integers, PAIRS), "2 to 2");
    // A conflict may have more rows than it needs.
    check(&proof(&[0, 2], plane(), &[&[(0, 1), (1, 1), (2, 2), (3, 2)]]), "1 to 2");
}

#[test]
fn a_removal_that_does_not_separate_is_refused() {
    check(&proof(&[0], plane(), PAIRS), "row 3 is on the wrong side");
    check(&proof(&[2, 3], plane(), PAIRS), "row 1 is on the wrong side");
    let on_a_row = (vec![1.0], 0.0);
    check(&proof(&[0, 2], on_a_row, PAIRS), "row 2 is on the wrong side");
    check(&proof(&[0, 2, 4], plane(), PAIRS), "the rows that go leave no row of a class");
    let all_but_one = (vec![0.0], 1.0);
    check(&proof(&[0, 2, 4], all_but_one, PAIRS), "the rows that go leave no row of a class");
    check(&proof(&[0, 2, 2], plane(), PAIRS), "the proof names row 3 twice");
    check(&proof(&[0, 2, 7], plane(), PAIRS), "the proof names row 8, which does not exist");
    check(&proof(&[], plane(), PAIRS), "the proof names no rows");
    let wide = (vec![1.0, 1.0], 0.5);
    check(&proof(&[0, 2], wide, PAIRS), "the proof has 2 weights where the data needs 1");
}

#[test]
fn conflicts_that_do_not_count_are_refused() {
    let refused = |conflicts: Conflicts, expected: &str| {
        check(&proof(&[0, 2], plane(), conflicts), expected);
    };
    refused(&[PAIRS[0], &[(0, 1), (5, 1)]], "the proof names row 1 twice");
    refused(&[PAIRS[0], PAIRS[0]], "the proof names row 1 twice");
    refused(&[PAIRS[0], &[(2, 1), (5, 1)]], "the rows named do not cancel: feature 1 is left over");
    refused(
        &[&[(0, 1), (1, 2)]],
        "the rows named do not cancel: the two classes do not have the same weight",
    );
    refused(&[PAIRS[0], &[(2, -1), (3, -1)]], "the multiplier of row 3 is not positive");
    refused(&[PAIRS[0], &[(2, 1), (9, 1)]], "the proof names row 10, which does not exist");
    refused(&[PAIRS[0], &[]], "the proof names no rows");
    refused(&[], "the proof names no rows");
}

#[test]
fn it_is_of_no_use_to_separable_data_or_to_models() {
    let mut separable = proof(&[0, 2], plane(), PAIRS);
    separable.claim = Claim::Separable { hyperplane: plane() };
    check(&separable, "the proof says how many rows must go from data that it says is separable");
    let model = proof(&[0, 2], plane(), PAIRS).of_model(Model::Binomial { intercept: true }, None);
    let refused = verify_binomial(&Memory::new(&samples()), &model).unwrap().unwrap_err();
    assert_eq!(refused, Refused::RemovalFromModel);
}

#[test]
fn every_claim_but_separable_may_have_one() {
    let mut open = proof(&[0, 2], plane(), PAIRS);
    open.claim = Claim::not_strictly_separable(conflict(PAIRS[0]));
    check(&open, "2 to 2");
    let touching = Samples::dense(vec![0.0, 0.0, 1.0, -1.0], 1, vec![false, true, true, false]);
    let touching = touching.unwrap();
    let weak = (vec![IBig::ONE], IBig::ZERO);
    let quasi = Proof::quasi_separable(&touching, conflict(PAIRS[0]), weak);
    let quasi = quasi.with_removal(RemovalClaim::new(&[0], plane(), &[conflict(PAIRS[0])]));
    let found = verify(&touching, &quasi).unwrap().removals();
    assert_eq!(found, Some(Removals { at_least: 1, at_most: 1 }));
}

#[test]
fn only_such_files_are_of_version_four() {
    let text = proof(&[0, 2], plane(), PAIRS).to_json();
    assert!(text.contains("\"version\":4"), "{text}");
    for (from, to, expected) in [
        ("\"version\":4", "\"version\":1", "what it claims is of version 4"),
        ("\"removal\":{", "\"removal\":null,\"more\":{", "unknown field `more`"),
        ("\"rows\":[1,3]", "\"rows\":[1,3],\"more\":1", "unknown field `more`"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let error = Proof::from_json(&changed).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let mut without = Proof::from_json(&text).unwrap();
    without.removal = None;
    let error = Proof::from_json(&without.to_json()).unwrap_err().to_string();
    assert!(error.contains("what it claims is of version 1, the file of version 4"), "{error}");
}

/// A look at the rows in two parts finds what one look finds, and a state that names other rows is not admitted.
#[test]
fn looks_add_up_elsewhere() {
    use crate::look::LookQuery;
    let (samples, claim) = (samples(), proof(&[0], plane(), PAIRS));
    let shape = Shape { rows: samples.rows(), columns: 1, sparse: false };
    let plane = &claim.removal.as_ref().unwrap().hyperplane;
    let mut query = LookQuery::default();
    query.rest = Some(RestQuery::of(plane, vec![0]));
    let seen = |block: Block| {
        let mut state = FoldQuery::begin(&query);
        FoldQuery::absorb(&query, &mut state, &block);
        state
    };
    let mut state = seen(Block::whole(&samples, 0).from(3));
    FoldQuery::merge(&query, &mut state, seen(Block::at(&samples, 0..3, 0)));
    let text = serde_json::to_string(&state).unwrap();
    let state: crate::look::LookState = serde_json::from_str(&text).unwrap();
    assert!(query.admits(&state, shape));
    let rest = state.rest.as_ref().unwrap();
    assert_eq!((rest.astray, rest.classes), (Some(2), [true, true]));
    assert!(!query.admits(&state, Shape { rows: 2, ..shape }));
    assert!(!LookQuery::default().admits(&state, shape));
}

#[test]
fn what_is_found_in_parts_is_found_in_all() {
    let part = |values: &[f64], positive: bool| {
        let (rows, more) = (values.len(), [values, &[0.0]].concat());
        // Samples have both classes: the last row is the other one, and not looked at.
        let labels = (0..=rows).map(|i| (i < rows) == positive).collect();
        (Samples::dense(more, 1, labels).unwrap(), rows)
    };
    let query = RestQuery::of(&Plane::from((vec![1.0], -0.5)), vec![4, 1]);
    let found = |(samples, rows): &(Samples, usize), first: usize| {
        let mut state = query.begin();
        let block = Block::whole(samples, first);
        query.absorb(&mut state, &block.pieces(*rows).next().unwrap());
        state
    };
    let (negative, positive) = (part(&[0.0, 9.0], false), part(&[1.0, 2.0, -9.0], true));
    let wrong = part(&[3.0, -1.0, -2.0], true);
    for turned in [false, true] {
        let merged = |one: RestState, other: RestState| {
            let (mut one, other) = if turned { (other, one) } else { (one, other) };
            query.merge(&mut one, other);
            one.separated()
        };
        let of = |part, first| found(part, first);
        assert_eq!(merged(of(&negative, 0), of(&positive, 2)), Ok(()));
        assert_eq!(merged(of(&negative, 0), of(&negative, 0)), Err(Refused::ClassRemoved));
        assert_eq!(merged(of(&positive, 2), of(&positive, 2)), Err(Refused::ClassRemoved));
        // Rows 3 and 4, of which one was removed; then 6 and 7, counted from 0.
        assert_eq!(merged(of(&negative, 0), of(&wrong, 2)), Err(Refused::WrongSide { row: 4 }));
        assert_eq!(merged(of(&wrong, 5), of(&wrong, 2)), Err(Refused::WrongSide { row: 4 }));
    }
}

#[test]
fn a_look_fits_data_of_its_columns_and_names_rows_in_order() {
    let samples = Samples::dense(vec![0.0, 1.0], 1, vec![false, true]).unwrap();
    let shape = linsep_data::Data::shape(&linsep_data::Memory::new(&samples));
    let query = |weights: usize, removed: Vec<usize>| RestQuery {
        removed,
        ..RestQuery::of(&Plane::from((vec![1.0; weights], 0.0)), vec![])
    };
    assert!(query(1, vec![0, 1]).fits(shape));
    assert!(!query(2, vec![0, 1]).fits(shape));
    assert!(!query(1, vec![1, 0]).fits(shape));
}
