use std::sync::Mutex;

use linsep_data::Block;

use super::*;

/// Takes note of every row that a pass shows.
#[derive(Default)]
struct RowsSeen(Mutex<Vec<(usize, String)>>);

impl Absorb for RowsSeen {
    fn absorb(&self, block: &Block<'_>) {
        let row = |place| (block.number(place), shown(block.samples(), place));
        self.0.lock().unwrap().extend(block.places().map(row));
    }
}

fn shown(samples: &Samples, place: usize) -> String {
    let mut values = vec![0.0; samples.columns()];
    samples.features().for_each(place, |k, v| values[k] = v + 0.0);
    let numbers: Vec<String> = values.iter().map(f64::to_string).collect();
    format!("{}{}", if samples.positive()[place] { '+' } else { '-' }, numbers.join(" "))
}

fn designs(values: &[f64], columns: usize) -> [Features; 2] {
    let mut rows = SparseBuilder::default();
    for row in values.chunks(columns) {
        let stored = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
        stored.for_each(|(k, &v)| rows.push(k, v));
        rows.end_row();
    }
    let dense = Dense::new(values.to_vec(), values.len() / columns, columns);
    [Features::from(dense), Features::Sparse(rows.finish(columns).unwrap())]
}

/// Checks the vectors that dense and sparse designs make, once each, and that passes and fetches agree.
fn check(values: &[f64], columns: usize, model: Model, response: &Response, expected: &[&str]) {
    for design in designs(values, columns) {
        let structure = Structure::new(&design, &model, response, None).unwrap();
        let once = structure.once();
        for data in [&once as &dyn Data, &structure] {
            let seen = RowsSeen::default();
            data.pass(&seen).unwrap();
            let mut rows = seen.0.into_inner().unwrap();
            rows.sort_unstable();
            let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
            let numbers: Vec<usize> = (0..rows.len()).collect();
            let fetched = data.fetch(&numbers).unwrap();
            let fetched: Vec<String> = numbers.iter().map(|&k| shown(&fetched, k)).collect();
            assert_eq!(rows, fetched);
            assert_eq!(rows.len(), data.shape().rows);
            if data.shape().rows == structure.all() {
                assert_eq!(rows, expected);
            }
        }
        for coefficient in structure.coefficients() {
            assert!(coefficient.at.iter().all(|(at, _)| *at <= structure.columns()));
        }
    }
}

fn categories(codes: &[u32], count: usize) -> Response {
    Response::Categories { codes: codes.to_vec(), count }
}

#[test]
fn outcomes_and_counts() {
    let trials = [Trial::Success, Trial::Failure, Trial::Both, Trial::Neither];
    let response = Response::Trials(trials.to_vec());
    let model = Model::Binomial { intercept: true };
    check(&[1.0, 2.0, 3.0, 4.0], 1, model, &response, &["+1", "-2", "+3", "-3"]);
    let design = &designs(&[1.0, 2.0, 3.0, 4.0], 1)[0];
    let model = Model::Poisson { intercept: false };
    let structure = Structure::new(design, &model, &response, None).unwrap();
    let rows = structure.fetch(&[0, 1, 2, 3]).unwrap();
    let rows: Vec<String> = (0..4).map(|k| shown(&rows, k)).collect();
    assert_eq!(rows, ["+1", "--1", "+-2", "-2"]);
    // A success of a log-binomial model holds its row; a failure does so on one side.
    let model = Model::LogBinomial { intercept: true };
    check(&[1.0, 2.0, 3.0, 4.0], 1, model, &response, &["+1", "-1", "-2", "+3", "-3"]);
    // Rows of no weight are left out.
    let kept = [false, true, false, true];
    let structure = Structure::new(design, &model, &response, Some(&kept)).unwrap();
    assert_eq!(structure.vectors(), 1);
}

#[test]
fn a_constant_column_lets_the_bias_stand_for_it() {
    let values = [2.0, 5.0, 2.0, 6.0];
    for design in designs(&values, 2) {
        let response = Response::labels(&[true, false]);
        let made =
            || Structure::new(&design, &Model::Binomial { intercept: false }, &response, None);
        assert!(made().unwrap().with_constant(1).is_none());
        assert!(made().unwrap().with_constant(7).is_none());
        let structure = made().unwrap().with_constant(0).unwrap();
        assert!(!structure.is_doubled());
        assert_eq!(structure.plain_labels(), Some(vec![true, false]));
        assert_eq!(structure.coefficients()[0].at, [(0, 2.0), (2, 1.0)]);
    }
}

#[test]
fn categories_without_an_order() {
    let expected = [
        "+-1 -7 0 0",
        "+0 0 -1 -7", // the base against both others
        "+1 8 0 0",
        "+1 8 -1 -8",
        "+0 0 1 9",
        "+-1 -9 1 9",
    ];
    let model = Model::Multinomial { intercept: true };
    check(&[7.0, 8.0, 9.0], 1, model, &categories(&[0, 1, 2], 3), &expected);
}

#[test]
fn categories_in_order() {
    let codes = categories(&[0, 1, 2], 3);
    // The first threshold is the bias.
    let expected = ["+0 -7", "+1 -8", "-0 -8", "-1 -9"];
    check(&[7.0, 8.0, 9.0], 1, Model::Cumulative { parallel: true }, &codes, &expected);
    let expected = ["+-7 0 0", "+0 1 -8", "--8 0 0", "-0 1 -9"];
    check(&[7.0, 8.0, 9.0], 1, Model::Cumulative { parallel: false }, &codes, &expected);
    let expected = ["+0 -7", "-0 -8", "+1 -8", "-0 -9", "-1 -9"];
    check(&[7.0, 8.0, 9.0], 1, Model::Sequential { parallel: true }, &codes, &expected);
    let expected = ["+-1 0 -7", "+-1 -1 -14", "+1 0 8", "+0 -1 -8", "+1 1 18", "+0 1 9"];
    check(&[7.0, 8.0, 9.0], 1, Model::Adjacent { parallel: true }, &codes, &expected);
    let expected = ["+-1 -7 0 0", "+-1 -7 -1 -7", "+1 8 0 0", "+0 0 -1 -8", "+1 9 1 9", "+0 0 1 9"];
    check(&[7.0, 8.0, 9.0], 1, Model::Adjacent { parallel: false }, &codes, &expected);
}

#[test]
fn pairs_within_groups() {
    let response =
        Response::Cases { cases: vec![true, false, false, true], groups: vec![1, 1, 1, 2] };
    let model = Model::Conditional {};
    check(&[5.0, 0.0, 3.0, 9.0], 1, model, &response, &["+5", "+2"]);
    let design = &designs(&[5.0, 0.0], 1)[0];
    let alone = Response::Cases { cases: vec![true, false], groups: vec![1, 2] };
    let error = Structure::new(design, &model, &alone, None).err().unwrap();
    assert_eq!(
        error.to_string(),
        "no group has both cases and controls: the likelihood does not depend on any coefficient"
    );
}

fn survival(times: &[f64], events: &str, entries: Option<&[f64]>) -> Response {
    Response::Survival {
        times: times.to_vec(),
        events: events.chars().map(|c| c == 'x').collect(),
        entries: entries.map(<[f64]>::to_vec),
        groups: None,
    }
}

#[test]
fn right_censoring_makes_a_chain() {
    let times = [1.0, 2.0, 3.0, 3.0, 4.0];
    let response = survival(&times, "x.x.x", None);
    let breslow = Model::Cox { ties: Ties::Breslow };
    // 1 is compared with rows censored before the next event, and with that event.
    check(&[1.0, 2.0, 4.0, 8.0, 16.0], 1, breslow, &response, &["+-1", "+-3", "+-4", "+-12"]);
    // Events at one time are equal to each other, but not if ties are exact.
    let response = survival(&[1.0, 1.0, 2.0], "xx.", None);
    check(&[1.0, 2.0, 4.0], 1, breslow, &response, &["+-1", "+1", "+-3"]);
    let exact = Model::Cox { ties: Ties::Exact };
    check(&[1.0, 2.0, 4.0], 1, exact, &response, &["+-3", "+-2"]);
}

#[test]
fn what_the_chain_says_of_late_entries() {
    let values = [1.0, 2.0, 4.0];
    let breslow = Model::Cox { ties: Ties::Breslow };
    // The second event was not yet there at the first, so the third row is compared with both.
    let response = survival(&[1.0, 2.0, 3.0], "xx.", Some(&[0.0, 1.5, 0.0]));
    check(&values, 1, breslow, &response, &["+-3", "+-2"]);
    let response = survival(&[1.0, 2.0, 3.0], "xx.", Some(&[0.0, 0.5, 0.0]));
    check(&values, 1, breslow, &response, &["+-1", "+-2"]);
}

#[test]
fn differences_are_exact() {
    let response = survival(&[1.0, 2.0], "x.", None);
    let expected = [
        // What is left of 1 - 2^-60 stands in a column of its own, times 2^52, which two rows tie to the first.
        format!("+1 {}", -(2f64.powi(-8))),
        format!("+{} -1", 2f64.powi(-52)),
        format!("+{} 1", -2f64.powi(-52)),
    ];
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&[1.0, 2f64.powi(-60)], 1, Model::Cox { ties: Ties::Efron }, &response, &expected);
}

#[test]
fn what_does_not_fit_is_refused() {
    let design = &designs(&[1.0, 2.0], 1)[0];
    let refused = |model: Model, response: Response| {
        Structure::new(design, &model, &response, None).err().unwrap().to_string()
    };
    let cox = Model::Cox { ties: Ties::Breslow };
    assert_eq!(
        refused(cox, Response::labels(&[true, false])),
        "a cox model needs times and events"
    );
    assert_eq!(
        refused(cox, survival(&[1.0, f64::NAN], "x.", None)),
        "row 2: expected a finite time, found NaN"
    );
    assert_eq!(
        refused(cox, survival(&[1.0, 2.0], "x.", Some(&[1.0, 0.0]))),
        "row 1 enters at 1 and leaves at 1; it must enter before"
    );
    assert_eq!(
        refused(cox, survival(&[1.0, 2.0], "..", None)),
        "no event has another row at risk: the likelihood does not depend on any coefficient"
    );
    assert_eq!(
        refused(Model::Cumulative { parallel: true }, categories(&[0, 0], 1)),
        "expected at least two categories that occur, found 1"
    );
    assert_eq!(
        refused(Model::Binomial { intercept: true }, Response::labels(&[true])),
        "expected 2 outcomes, one per row, found 1"
    );
    assert_eq!(
        refused(Model::Multinomial { intercept: true }, categories(&[0, 5], 2)),
        "row 2 has the category 5, of 2 that are counted from 0"
    );
}
