use proptest::prelude::*;

use super::*;
use crate::evidence::RowWeights;
use crate::fingerprint::name_data;
use crate::proof::ProofError;

fn samples(values: &[f64], columns: usize, labels: &str) -> Samples {
    let labels = labels.chars().map(|c| c == '+').collect();
    Samples::dense(values.to_vec(), columns, labels).unwrap()
}

fn about(samples: &Samples, claim: Claim) -> Proof {
    Proof::about(name_data(&Memory::new(samples)).unwrap().name().clone(), claim)
}

/// Returns a matrix of all rows with weights of one. Rows and coordinates are counted from 0.
fn matrix(rows: &[usize], left_out: &[usize], first: &[usize]) -> DefiniteMatrix {
    let weights: RowWeights = rows.iter().map(|&row| (row, 1.0)).collect();
    DefiniteMatrix::new(&weights, left_out, first)
}

fn inseparable(samples: &Samples, matrix: DefiniteMatrix, orthogonal: &[&[i64]]) -> Proof {
    about(samples, Claim::inseparable(matrix, vectors(orthogonal)))
}

fn vectors(vectors: &[&[i64]]) -> Vec<Vec<IBig>> {
    vectors.iter().map(|v| v.iter().map(|&v| v.into()).collect()).collect()
}

/// Checks what becomes of the proof, also after a trip through its file.
fn check(samples: &Samples, proof: &Proof, expected: &str) {
    let read = Proof::from_json(&proof.to_json()).unwrap();
    assert_eq!(read, *proof);
    let found = match verify(samples, &read) {
        Ok(verified) => {
            assert!(verified.by_matrix());
            verified.verdict().to_string()
        }
        Err(refused) => refused.to_string(),
    };
    assert_eq!(found, expected);
}

const XOR: [f64; 8] = [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
const REFUSED: &str = "the matrix of the rows named is not positive definite beyond rounding";

#[test]
fn rows_that_cancel_with_weights_make_a_matrix() {
    let xor = samples(&XOR, 2, "++--");
    let all = [0, 1, 2, 3];
    for first in [&[][..], &[0], &[2, 0], &[1, 0, 2]] {
        check(&xor, &inseparable(&xor, matrix(&all, &[], first), &[]), "inseparable");
    }
    // A row less, and what is left has a separator.
    check(&xor, &inseparable(&xor, matrix(&[0, 1, 2], &[], &[]), &[]), REFUSED);
    // A column more that is zero, or their sum, depends on others.
    let wide: Vec<f64> = XOR.chunks(2).flat_map(|x| [x[0], x[1], 0.0, x[0] + x[1]]).collect();
    let wide = samples(&wide, 4, "++--");
    let relations: [&[i64]; 2] = [&[0, 0, 1, 0, 0], &[1, 1, 0, -1, 0]];
    check(&wide, &inseparable(&wide, matrix(&all, &[], &[]), &[]), REFUSED);
    check(&wide, &inseparable(&wide, matrix(&all, &[2, 3], &[]), &relations), "inseparable");
    check(&wide, &inseparable(&wide, matrix(&all, &[2, 0], &[1]), &relations), "inseparable");
    let other = "the coordinates that the matrix leaves out, or takes first, do not fit the data: ";
    let apart = "the vectors do not depend on them alone";
    let twice: [&[i64]; 2] = [relations[1], relations[1]];
    for (left_out, vectors, why) in [
        ([2, 4], relations, apart),
        ([2, 3], twice, apart),
        ([2, 2], relations, "one is named twice"),
        ([2, 5], relations, "one does not exist"),
    ] {
        let proof = inseparable(&wide, matrix(&all, &left_out, &[]), &vectors);
        check(&wide, &proof, &format!("{other}{why}"));
    }
    let proof = inseparable(&wide, matrix(&all, &[2], &[]), &relations);
    check(&wide, &proof, &format!("{other}as many are left out as there are vectors"));
    let proof = inseparable(&wide, matrix(&all, &[2, 3], &[3]), &relations);
    check(&wide, &proof, &format!("{other}one is named twice"));
    let proof = inseparable(&wide, matrix(&all, &[2, 3], &[]), &[relations[0], &[1, 1, 0, -2, 0]]);
    let off = "row 1 is not orthogonal to a vector to which the proof says that all rows are";
    check(&wide, &proof, off);
}

#[test]
fn rows_and_weights_are_what_they_should_be() {
    let xor = samples(&XOR, 2, "++--");
    let proof = |change: &dyn Fn(&mut DefiniteMatrix)| {
        let mut matrix = matrix(&[0, 1, 2, 3], &[], &[]);
        change(&mut matrix);
        inseparable(&xor, matrix, &[])
    };
    let check = |change: &dyn Fn(&mut DefiniteMatrix), expected: &str| {
        check(&xor, &proof(change), expected);
    };
    check(&|m| m.rows[1] = 1, "the proof names row 1 twice");
    check(&|m| m.rows[1] = 5, "the proof names row 5, which does not exist");
    check(&|m| m.rows[1] = 0, "the proof names row 0, which does not exist");
    check(&|m| m.weights[2] = 0.0, "the multiplier of row 3 is not positive");
    check(&|m| m.weights[2] = -1.0, "the multiplier of row 3 is not positive");
    check(&|m| m.weights[2] = 1e-100, REFUSED);
    // Weights need not be the best.
    check(&|m| m.weights[2] = 9.0, "inseparable");
    check(&|m| m.weights.truncate(3), "the proof has 3 weights where the data needs 4");
    check(&|m| (m.rows, m.weights) = (vec![], vec![]), "the proof names no rows");
    // Other data, and another question.
    let other = samples(&XOR, 2, "+-+-");
    assert!(matches!(verify(&other, &proof(&|_| ())), Err(Refused::OtherData { .. })));
    let model = proof(&|_| ()).of_model(Model::Binomial { intercept: true }, None);
    assert!(matches!(verify(&xor, &model), Err(Refused::OtherQuestion { .. })));
    assert!(verify_binomial(&Memory::new(&xor), &model).unwrap().is_ok());
}

#[test]
fn files_with_both_or_neither_are_refused() {
    let xor = samples(&XOR, 2, "++--");
    let text = inseparable(&xor, matrix(&[0, 1, 2, 3], &[], &[]), &[]).to_json();
    assert!(text.contains("\"version\":5"));
    let check = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from), "{text}");
        let error = Proof::from_json(&text.replace(from, to)).unwrap_err();
        assert!(matches!(error, ProofError::Damaged(_)));
        assert!(error.to_string().contains(expected), "{error}");
    };
    check("\"version\":5", "\"version\":1", "what it claims is of version 5");
    check("\"matrix\":{", "\"matrix\":{\"more\":1,", "unknown field `more`");
    check("\"matrix\":{", "\"conflict\":[],\"matrix\":{", "either a conflict or a matrix");
    check("\"left_out\"", "\"left\"", "unknown field `left`");
    // Of a claim that is not inseparable vectors go with the matrix alone.
    let rows = "\"conflict\":[{\"row\":1,\"multiplier\":\"1\"}]";
    let (start, end) = (text.find("\"matrix\"").unwrap(), text.find(",\"orthogonal\"").unwrap());
    let with_conflict =
        text.replace(&text[start..end], rows).replace("inseparable", "not-strictly-separable");
    let error = Proof::from_json(&with_conflict).unwrap_err().to_string();
    assert!(
        error.contains("orthogonal vectors with a matrix, and none with a conflict"),
        "{error}"
    );
}

/// What is quasi-separable: the second column is zero but in one row.
#[test]
fn a_matrix_of_some_rows_stands_beside_a_weak_separator() {
    let values: Vec<f64> = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, 1.0].to_vec();
    let quasi = samples(&values, 2, "+--++");
    let rows = [0, 1, 2, 3];
    let plane = (vec![IBig::ZERO, IBig::ONE], IBig::ZERO);
    let weak = |matrix: DefiniteMatrix, orthogonal: &[&[i64]]| {
        let plane = plane.clone();
        about(&quasi, Claim::quasi_separable_by(matrix.into(), vectors(orthogonal), plane))
    };
    check(&quasi, &weak(matrix(&rows, &[], &[]), &[]), "quasi-separable");
    check(&quasi, &weak(matrix(&rows, &[], &[1]), &[]), "quasi-separable");
    // The column may be named, too.
    check(&quasi, &weak(matrix(&rows, &[1], &[]), &[&[0, 1, 0]]), "quasi-separable");
    let off = "row 2 is not orthogonal to a vector to which the proof says that all rows are";
    check(&quasi, &weak(matrix(&rows, &[0], &[]), &[&[1, 0, 0]]), off);
    check(&quasi, &weak(matrix(&[0, 1, 2], &[], &[]), &[]), REFUSED);
    // It is no proof that nothing separates weakly: the column is not zero in all rows.
    check(&quasi, &inseparable(&quasi, matrix(&rows, &[], &[]), &[]), REFUSED);
    let off = "row 5 is not orthogonal to a vector to which the proof says that all rows are";
    check(&quasi, &inseparable(&quasi, matrix(&rows, &[1], &[]), &[&[0, 1, 0]]), off);
    check(&quasi, &inseparable(&quasi, matrix(&[0, 1, 2, 3, 4], &[], &[]), &[]), REFUSED);
    let claim = Claim::NotStrictlySeparable {
        overlap: OverlapClaim::Matrix(matrix(&rows, &[], &[])),
        orthogonal: vec![],
    };
    check(&quasi, &about(&quasi, claim), "not-strictly-separable");
}

/// Returns true if some (w, b) with coefficients up to `most`, not zero on all rows, has no row on the wrong side.
fn weakly_separable(samples: &Samples, most: i64) -> bool {
    let size = samples.columns() + 1;
    let all = (2 * most + 1).pow(size as u32);
    (0..all).any(|number| {
        let mut rest = number;
        let w: Vec<f64> = (0..size)
            .map(|_| {
                let digit = rest % (2 * most + 1) - most;
                rest /= 2 * most + 1;
                digit as f64
            })
            .collect();
        let score = |i: usize| {
            let mut sum = w[size - 1];
            Row::of(samples.features(), i).for_each(|k, x| sum += w[k] * x);
            if samples.positive()[i] { sum } else { -sum }
        };
        let scores: Vec<f64> = (0..samples.rows()).map(score).collect();
        scores.iter().all(|s| *s >= 0.0) && scores.iter().any(|s| *s > 0.0)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever is claimed of small tables with columns that depend on each other, what is accepted holds.
    #[test]
    fn nothing_that_separates_weakly_is_called_inseparable(
        cells in prop::collection::vec(-1_i64..=1, 16),
        labels in prop::collection::vec(any::<bool>(), 8),
        weights in prop::collection::vec(1_u32..=3, 8),
        left_out in prop::collection::btree_set(0_usize..4, 0..3),
        vector in prop::collection::vec(-1_i64..=1, 8),
        from in 0_usize..3,
    ) {
        // Two columns, and their sum.
        let values: Vec<f64> =
            cells.chunks(2).flat_map(|x| [x[0], x[1], x[0] + x[1]]).map(|v| v as f64).collect();
        prop_assume!(labels.iter().any(|l| *l) && labels.iter().any(|l| !l));
        let samples = Samples::dense(values, 3, labels).unwrap();
        let rows: RowWeights = (from..8).map(|i| (i, f64::from(weights[i]))).collect();
        let left_out: Vec<usize> = left_out.into_iter().collect();
        let guesses: [&[i64]; 3] = [&[1, 1, -1, 0], &vector[..4], &vector[4..]];
        for guess in 0..2 {
            let orthogonal = vectors(&guesses[guess..(guess + left_out.len()).min(3)]);
            let claim = Claim::inseparable(DefiniteMatrix::new(&rows, &left_out, &[]), orthogonal);
            if verify(&samples, &about(&samples, claim)).is_ok() {
                prop_assert!(!weakly_separable(&samples, 4));
            }
        }
    }
}
