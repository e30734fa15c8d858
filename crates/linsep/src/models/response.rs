//! What the columns beside a design say: which rows have the event, which count, how many trials they saw.
//!
//! The one place for these rules. Front ends hand over columns as they were read, and say where a row or an option
//! stands in their own words.

use linsep_proof::structure::Trial;

/// A column, one entry per row.
#[derive(Clone, Copy, Debug)]
pub enum ResponseColumn<'a> {
    /// Numbers.
    Numbers(&'a [f64]),
    /// Text: each row's place among the words.
    Words {
        /// The words.
        words: &'a [String],
        /// The word of each row.
        codes: &'a [u32],
    },
}

impl ResponseColumn<'_> {
    fn rows(&self) -> usize {
        match self {
            ResponseColumn::Numbers(numbers) => numbers.len(),
            ResponseColumn::Words { codes, .. } => codes.len(),
        }
    }

    /// Returns an entry as people write it.
    fn spelled(&self, row: usize) -> String {
        match self {
            ResponseColumn::Numbers(numbers) => numbers[row].to_string(),
            ResponseColumn::Words { words, codes } => words[codes[row] as usize].clone(),
        }
    }

    /// Returns true if an entry is the value that somebody wrote down.
    fn is(&self, row: usize, value: &str) -> bool {
        match self {
            ResponseColumn::Numbers(numbers) => value.parse() == Ok(numbers[row]),
            ResponseColumn::Words { words, codes } => words[codes[row] as usize] == value,
        }
    }

    /// Returns the first rows that have different values, `most` of them at most.
    fn different(&self, most: usize) -> Vec<usize> {
        let mut found: Vec<usize> = vec![];
        for row in 0..self.rows() {
            let known = |&other: &usize| match self {
                ResponseColumn::Numbers(numbers) => numbers[other] == numbers[row],
                ResponseColumn::Words { codes, .. } => codes[other] == codes[row],
            };
            if !found.iter().any(known) {
                found.push(row);
                if found.len() == most {
                    break;
                }
            }
        }
        found
    }
}

/// Why a column is not what a model needs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct ResponseError {
    /// The first such row, counted from 0; none if it is about the whole column.
    pub row: Option<usize>,
    /// What was expected.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// What helps, if anything does.
    pub remedy: Option<ResponseRemedy>,
}

/// What helps against a [`ResponseError`]: each front end says it with its own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseRemedy {
    /// Say which value is the event.
    NameEvent,
    /// Say how many trials each row had.
    GiveTrials,
    /// Say which label is a success.
    NamePositive,
    /// Say in which order the categories stand.
    OrderLevels,
    /// Name every category.
    NameLevels,
}

fn bad(row: usize, expected: &str, found: String) -> ResponseError {
    ResponseError { row: Some(row), expected: expected.to_string(), found, remedy: None }
}

/// Returns which rows have the event: those that are 1 or true where all others are 0 or false. If `event` is given,
/// those that have this value, of two.
///
/// Errors at any other value: a 2 among 1s may be the event, or not.
///
/// ```
/// use linsep::models::response::{ResponseColumn, events};
///
/// assert_eq!(events(ResponseColumn::Numbers(&[1.0, 0.0]), None)?, [true, false]);
/// assert!(events(ResponseColumn::Numbers(&[1.0, 2.0]), None).is_err());
/// assert_eq!(events(ResponseColumn::Numbers(&[1.0, 2.0]), Some("2"))?, [false, true]);
/// # Ok::<(), linsep::models::response::ResponseError>(())
/// ```
pub fn events(column: ResponseColumn, event: Option<&str>) -> Result<Vec<bool>, ResponseError> {
    let all = 0..column.rows();
    let Some(event) = event else {
        let truth = |row: usize| {
            let spelled = column.spelled(row);
            match (spelled.as_str(), spelled.to_ascii_lowercase().as_str()) {
                ("0", _) | (_, "false") => Ok(false),
                ("1", _) | (_, "true") => Ok(true),
                _ => Err(ResponseError {
                    remedy: Some(ResponseRemedy::NameEvent),
                    ..bad(row, "0 or 1, or true or false", quoted(&spelled))
                }),
            }
        };
        return all.map(truth).collect();
    };
    let different = column.different(4);
    let values: Vec<String> = different.iter().map(|&row| quoted(&column.spelled(row))).collect();
    let more = if different.len() == 4 { ", …" } else { "" };
    let listed = format!("{}{more}", values[..values.len().min(3)].join(", "));
    let about = |expected: String| ResponseError {
        row: None,
        expected,
        found: listed.clone(),
        remedy: None,
    };
    if different.len() > 2 {
        return Err(about("two values, one of them the event".to_string()));
    }
    if !different.iter().any(|&row| column.is(row, event)) {
        return Err(about(format!("rows with the event {}", quoted(event))));
    }
    Ok(all.map(|row| column.is(row, event)).collect())
}

fn quoted(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(_) => value.to_string(),
        Err(_) => format!("\"{value}\""),
    }
}

/// Returns what rows of counts have seen. Counts need not be whole: the estimate of a pseudo-likelihood exists in the
/// same cases. Errors if one is below 0 or not finite.
pub fn counts(counts: &[f64]) -> Result<Vec<Trial>, ResponseError> {
    let trial = |(row, &count): (usize, &f64)| match count {
        count if !(0.0..f64::INFINITY).contains(&count) => {
            Err(bad(row, "a count, at least 0", count.to_string()))
        }
        0.0 => Ok(Trial::Failure),
        _ => Ok(Trial::Both),
    };
    counts.iter().enumerate().map(trial).collect()
}

/// Errors if a number of trials is not whole, or below 0.
pub fn check_trials(trials: &[f64]) -> Result<(), ResponseError> {
    let whole = |n: f64| (0.0..f64::INFINITY).contains(&n) && n.fract() == 0.0;
    match trials.iter().position(|&n| !whole(n)) {
        Some(row) => Err(bad(row, "a whole number of trials, at least 0", trials[row].to_string())),
        None => Ok(()),
    }
}

/// Returns what rows of grouped trials have seen: `successes` are numbers of successes or, if any is not whole, shares of
/// the trials.
///
/// Errors as [`check_trials`] does, and if there are more successes than trials.
pub fn grouped(successes: &[f64], trials: &[f64]) -> Result<Vec<Trial>, ResponseError> {
    check_trials(trials)?;
    let shares = successes.iter().any(|y| y.fract() != 0.0);
    let trial = |(row, (&y, &n)): (usize, (&f64, &f64))| {
        let most = if shares { 1.0 } else { n };
        if !(0.0..=most).contains(&y) {
            let expected = match shares {
                true => "a share of successes between 0 and 1".to_string(),
                false => format!("0 to {n} successes in {n} trials"),
            };
            return Err(bad(row, &expected, y.to_string()));
        }
        Ok(match (n > 0.0, y > 0.0, y < most) {
            (false, ..) | (_, false, false) => Trial::Neither,
            (_, true, true) => Trial::Both,
            (_, true, false) => Trial::Success,
            (_, false, true) => Trial::Failure,
        })
    };
    successes.iter().zip(trials).enumerate().map(trial).collect()
}

/// Returns which rows have a weight above 0: only these count. Errors if a weight is below 0 or not finite.
pub fn kept(weights: &[f64]) -> Result<Vec<bool>, ResponseError> {
    let keeps = |(row, &weight): (usize, &f64)| match (0.0..f64::INFINITY).contains(&weight) {
        true => Ok(weight > 0.0),
        false => Err(bad(row, "a weight, at least 0", weight.to_string())),
    };
    weights.iter().enumerate().map(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_events(values: &str, event: Option<&str>, expected: &str) {
        let words: Vec<String> = values.split(' ').map(str::to_string).collect();
        let codes: Vec<u32> = (0..words.len() as u32).collect();
        let shown = |found: Result<Vec<bool>, ResponseError>| match found {
            Ok(found) => found.iter().map(|&e| if e { 'x' } else { '.' }).collect(),
            Err(error) => error.to_string(),
        };
        // As text each row has a word of its own, equal or not: merge those that are.
        let codes: Vec<u32> = codes
            .iter()
            .map(|&k| words.iter().position(|w| *w == words[k as usize]).unwrap() as u32)
            .collect();
        let text = ResponseColumn::Words { words: &words, codes: &codes };
        assert_eq!(shown(events(text, event)), expected, "{values} as text");
        let numbers: Result<Vec<f64>, _> = words.iter().map(|w| w.parse()).collect();
        if let Ok(numbers) = numbers {
            assert_eq!(
                shown(events(ResponseColumn::Numbers(&numbers), event)),
                expected,
                "{values}"
            );
        }
    }

    #[test]
    fn events_are_what_cannot_be_mistaken() {
        check_events("1 0 1", None, "x.x");
        check_events("1 1", None, "xx");
        check_events("TRUE False true", None, "x.x");
        check_events("1 2 1", None, "expected 0 or 1, or true or false, found 2");
        check_events("2 2", None, "expected 0 or 1, or true or false, found 2");
        check_events("dead alive", None, "expected 0 or 1, or true or false, found \"dead\"");
        check_events("1 2 1", Some("2"), ".x.");
        check_events("1 0 1", Some("0"), ".x.");
        check_events("dead alive", Some("dead"), "x.");
        check_events("1 2", Some("3"), "expected rows with the event 3, found 1, 2");
        let three = "expected two values, one of them the event, found 0, 1, 2";
        check_events("0 1 2", Some("1"), three);
        check_events("0 1 2 3", Some("1"), &format!("{three}, …"));
    }

    #[test]
    fn trials_weights_and_counts() {
        use Trial::{Both, Failure, Neither, Success};
        let found = grouped(&[0.0, 1.0, 2.0, 0.0], &[2.0, 2.0, 2.0, 0.0]).unwrap();
        assert_eq!(found, [Failure, Both, Success, Neither]);
        let shares = grouped(&[0.5, 1.0, 0.0], &[2.0, 2.0, 2.0]).unwrap();
        assert_eq!(shares, [Both, Success, Failure]);
        let refused = |found: Result<Vec<Trial>, ResponseError>| {
            let error = found.unwrap_err();
            format!("{}: {error}", error.row.unwrap())
        };
        assert_eq!(
            refused(grouped(&[1.0, 3.0], &[2.0, 2.0])),
            "1: expected 0 to 2 successes in 2 trials, found 3"
        );
        assert_eq!(
            refused(grouped(&[1.0], &[1.5])),
            "0: expected a whole number of trials, at least 0, found 1.5"
        );
        assert_eq!(counts(&[0.0, 1.5]).unwrap(), [Failure, Both]);
        assert_eq!(refused(counts(&[0.0, -1.0])), "1: expected a count, at least 0, found -1");
        assert_eq!(kept(&[0.0, 0.1]).unwrap(), [false, true]);
        assert!(kept(&[f64::NAN]).is_err() && kept(&[-1.0]).is_err());
    }
}
