//! Log-binomial models, beside the definition: directions that keep every probability at most 1, and along which the
//! likelihood never falls.

use linsep::data::samples::{Dense, Features};
use linsep::models::{
    Model, ModelError, Response, Separation, SeparationError, SeparationKind, SeparationOptions,
    Trial, check_model,
};
use linsep::proof::{IBig, Proof, Verdict, verify_model};
use proptest::prelude::*;

use super::oracle::reaches;
use super::shown;

const LOG: fn(bool) -> Model = |intercept| Model::LogBinomial { intercept };

fn features(rows: &[Vec<i64>]) -> Features {
    let values: Vec<f64> = rows.concat().iter().map(|&v| v as f64).collect();
    Features::from(Dense::new(values, rows.len(), rows[0].len()))
}

/// Returns the trials of marks: `+` a success, `-` a failure, `*` both, `.` neither.
fn trials(marks: &str) -> Vec<Trial> {
    let trial = |mark| match mark {
        '+' => Trial::Success,
        '-' => Trial::Failure,
        '*' => Trial::Both,
        _ => Trial::Neither,
    };
    marks.chars().map(trial).collect()
}

fn ask(
    rows: &[Vec<i64>],
    marks: &str,
    kept: Option<&[bool]>,
    intercept: bool,
) -> Result<Separation, SeparationError> {
    let response = Response::Trials(trials(marks));
    let options = SeparationOptions::default();
    check_model(&features(rows), &LOG(intercept), &response, kept, &options, &mut ())
}

/// Returns what `shown` shows, by the definition; or the first row, from 1, whose failure leaves the likelihood at zero.
fn by_definition(rows: &[Vec<i64>], marks: &str, intercept: bool) -> Result<String, usize> {
    let row = |x: &Vec<i64>, sign: i64| -> Vec<IBig> {
        let constant = intercept.then_some(1);
        constant.iter().chain(x).map(|v| IBig::from(sign * v)).collect()
    };
    let tried: Vec<(usize, char)> = marks.chars().enumerate().filter(|(_, m)| *m != '.').collect();
    let fails = |mark: char| mark == '-' || mark == '*';
    let succeeds = |mark: char| mark == '+' || mark == '*';
    // Probabilities of at most 1, and below 1 where one failed. Directions add up, so each row may have its own.
    let at_most_one: Vec<Vec<IBig>> = tried.iter().map(|(i, _)| row(&rows[*i], -1)).collect();
    let below_one = |i: usize| reaches(&at_most_one, &row(&rows[i], -1));
    if let Some((i, _)) = tried.iter().find(|(i, mark)| fails(*mark) && !below_one(*i)) {
        return Err(i + 1);
    }
    // Never above 1, and never less likely: no success falls.
    let mut along = at_most_one.clone();
    along.extend(tried.iter().filter(|(_, mark)| succeeds(*mark)).map(|(i, _)| row(&rows[*i], 1)));
    let grows: Vec<usize> =
        tried.iter().map(|(i, _)| *i).filter(|&i| reaches(&along, &row(&rows[i], -1))).collect();
    let kind = match grows.len() {
        0 => "overlap",
        count if count == tried.len() => "complete",
        _ => "quasi-complete",
    };
    let nothing: Vec<Vec<IBig>> =
        tried.iter().flat_map(|(i, _)| [row(&rows[*i], 1), row(&rows[*i], -1)]).collect();
    let coefficients = rows[0].len() + usize::from(intercept);
    let mark = |k: usize| {
        let unit = |sign: i64| -> Vec<IBig> {
            (0..coefficients).map(|j| IBig::from(if j == k { sign } else { 0 })).collect()
        };
        match (reaches(&nothing, &unit(1)), reaches(&along, &unit(1)), reaches(&along, &unit(-1))) {
            (true, ..) => "alias",
            (_, true, true) => "±inf",
            (_, true, false) => "+inf",
            (_, false, true) => "-inf",
            _ => "fin",
        }
    };
    let marks: Vec<&str> = (0..coefficients).map(mark).collect();
    Ok(format!("{kind}: {} {grows:?}", marks.join(" ")))
}

/// Checks an answer and its proof, which nothing but this question accepts.
fn agrees(rows: &[Vec<i64>], marks: &str, intercept: bool) -> SeparationKind {
    let expected = by_definition(rows, marks, intercept);
    let found = match (ask(rows, marks, None, intercept), expected) {
        (Ok(found), Ok(expected)) => {
            let columns = rows[0].len() + usize::from(intercept);
            assert_eq!(shown(&found, columns), expected, "{rows:?} {marks} {intercept}");
            found
        }
        (Err(error), Err(row)) => {
            let same = matches!(
                error,
                SeparationError::Model(ModelError::NothingAllowed { row: own }) if own == row
            );
            assert!(same, "{rows:?} {marks}: {error}, expected row {row}");
            return SeparationKind::Overlap;
        }
        (found, expected) => panic!("{rows:?} {marks} {intercept}: {found:?} {expected:?}"),
    };
    let (design, response) = (features(rows), Response::Trials(trials(marks)));
    let proof = found.proof.clone().expect("a proof");
    let check = |model: Model| verify_model(&design, &model, &response, None, &proof).unwrap();
    assert!(check(LOG(intercept)).is_ok(), "{:?}", check(LOG(intercept)));
    for other in [
        Model::Poisson { intercept },
        Model::NegativeBinomial { intercept },
        Model::Binomial { intercept },
        LOG(!intercept),
    ] {
        assert!(check(other).is_err(), "{other}");
        // Nor does the same claim about it pass for one about this model.
        let constant = proof.model.as_ref().and_then(|name| name.constant).map(|k| k - 1);
        let claimed = proof.clone().of_model(other, constant);
        assert!(
            verify_model(&design, &LOG(intercept), &response, None, &claimed).unwrap().is_err()
        );
    }
    found.kind
}

#[test]
fn small_designs() {
    let check = |rows: &[&[i64]], marks: &str, intercept: bool, expected: &str| {
        let rows: Vec<Vec<i64>> = rows.iter().map(|row| row.to_vec()).collect();
        agrees(&rows, marks, intercept);
        let found = ask(&rows, marks, None, intercept).unwrap();
        assert_eq!(shown(&found, rows[0].len() + usize::from(intercept)), expected);
    };
    let dose: [&[i64]; 4] = [&[0], &[1], &[2], &[3]];
    // A logistic model would be separated here: beyond some dose all succeed. This one is not: 1 is as far as it goes.
    check(&dose, "--++", true, "overlap: fin fin []");
    // All successes at one dose hold one combination of two coefficients.
    check(&dose, "---+", true, "quasi-complete: -inf +inf [0, 1, 2]");
    check(&dose, "-+--", true, "overlap: fin fin []");
    // Nothing but failures, or but successes: the estimate of the latter has probability 1.
    check(&dose, "----", true, "complete: -inf ±inf [0, 1, 2, 3]");
    check(&dose, "++++", true, "overlap: fin fin []");
    // A level without a success; one without a failure is no trouble.
    let level: [&[i64]; 4] = [&[0], &[0], &[1], &[1]];
    check(&level, "+---", true, "quasi-complete: fin -inf [2, 3]");
    check(&level, "+-++", true, "overlap: fin fin []");
    // Grouped: both outcomes hold a row.
    check(&level, "*.-.", true, "quasi-complete: fin -inf [2]");
    check(&level, "*.*.", true, "overlap: fin fin []");
    // Without a constant: a column that is one, two levels, and one level that says nothing.
    check(&[&[2, 0], &[2, 1]], "*-", false, "quasi-complete: fin -inf [1]");
    check(&[&[1, 0], &[0, 1], &[0, 1]], "+--", false, "quasi-complete: fin -inf [1, 2]");
    check(&[&[1, 0], &[0, 1], &[0, 1]], "++-", false, "overlap: fin fin []");
}

#[test]
fn a_likelihood_that_is_zero_everywhere_is_an_error() {
    let rows = [vec![1], vec![-1]];
    let error = ask(&rows, "--", None, false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no coefficients give row 1, which has a failure, a probability below 1 and no row one above 1: the likelihood is \
         zero for all of them"
    );
    // A row of weight 0 does not count, nor one without a trial.
    assert!(ask(&rows, "--", Some(&[true, false]), false).is_ok());
    assert!(ask(&rows, "-.", None, false).is_ok());
    assert!(ask(&rows, "--", None, true).is_ok());
    // With a constant column too: there is always something.
    assert!(ask(&[vec![3, 1], vec![3, -1]], "*-", None, false).is_ok());
}

#[test]
fn a_proof_about_a_likelihood_of_zero_is_refused() {
    // The vectors overlap; yet no coefficients are allowed, and no estimate exists.
    let (rows, marks) = ([vec![1, 0], vec![-1, 0], vec![0, 1]], "--*");
    assert!(ask(&rows, marks, None, false).is_err());
    let (design, response) = (features(&rows), Response::Trials(trials(marks)));
    // Poisson counts have the same vectors, and an estimate.
    let counts = Model::Poisson { intercept: false };
    let options = SeparationOptions::default();
    let found = check_model(&design, &counts, &response, None, &options, &mut ()).unwrap();
    assert_eq!(found.kind, SeparationKind::Overlap);
    let claimed = found.proof.unwrap().of_model(LOG(false), None);
    let check = |proof: &Proof| verify_model(&design, &LOG(false), &response, None, proof).unwrap();
    let refused = |proof: &Proof| check(proof).unwrap_err().to_string();
    assert!(refused(&claimed).contains("names no coefficients"), "{}", refused(&claimed));
    for (coefficients, row) in [([-1, -1], 2), ([1, -1], 1), ([0, -1], 1)] {
        let vector = coefficients.map(IBig::from).to_vec();
        let message = refused(&claimed.clone().with_allowed(vector));
        assert!(message.contains(&format!("give row {row} a probability")), "{message}");
    }
    let short = claimed.clone().with_allowed(vec![IBig::from(-1)]);
    assert!(refused(&short).contains("1 weights where the data needs 2"));
    // The same claim holds where a row that rules them out has no weight, and names coefficients.
    let kept = [true, false, true];
    let found = check_model(&design, &LOG(false), &response, Some(&kept), &options, &mut ());
    let proof = found.unwrap().proof.unwrap();
    let verified = verify_model(&design, &LOG(false), &response, Some(&kept), &proof).unwrap();
    assert_eq!(verified.unwrap().verdict(), Verdict::QuasiSeparable);
    assert!(proof.model.is_some_and(|name| name.allowed.is_some()));
    // A model that has no use for them does not take them.
    let found = check_model(&design, &counts, &response, None, &options, &mut ()).unwrap();
    let proof = found.proof.unwrap().with_allowed([0, -1].map(IBig::from).to_vec());
    assert!(verify_model(&design, &counts, &response, None, &proof).unwrap().is_err());
}

#[test]
fn limits_leave_it_undecided() {
    use linsep::decide::{DecideOptions, Limit};
    let limits = DecideOptions::default().with_time_limit(std::time::Duration::from_nanos(1));
    let options = SeparationOptions::default().with_limits(limits);
    let rows: Vec<Vec<i64>> = (0..40).map(|i| vec![i * i % 37 - 9, i % 7 - 3]).collect();
    let marks: String = (0..40).map(|i| if i % 3 == 0 { '+' } else { '-' }).collect();
    let response = Response::Trials(trials(&marks));
    let found =
        check_model(&features(&rows), &LOG(false), &response, None, &options, &mut ()).unwrap();
    assert_eq!(found.kind, SeparationKind::Undecided(Limit::Time));
    assert!(found.proof.is_none_or(|proof| proof.verdict() == Verdict::NotStrictlySeparable));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_definition_agrees(
        columns in 1_usize..4,
        numbers in prop::collection::vec(-2_i64..3, 27),
        marks in "[+*.-]{3,9}",
        rare in prop::sample::select(vec![false, true]),
        intercept in prop::sample::select(vec![false, true]),
    ) {
        // Many successes hold everything: in half of the cases few are left.
        let marks = if rare { marks.replacen(['+', '*'], "-", marks.len() - 2) } else { marks };
        prop_assume!(marks.chars().any(|mark| mark != '.'));
        let mut rows: Vec<Vec<i64>> = numbers.chunks(columns).map(<[i64]>::to_vec).collect();
        rows.truncate(marks.len());
        agrees(&rows, &marks, intercept);
    }
}
