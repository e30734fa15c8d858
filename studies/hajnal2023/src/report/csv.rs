//! Measurements as CSV files, and back: tables and pictures are drawn from the files.
//!
//! The same six columns say in each file which run a line belongs to. Time is in a file of its own, the only one that
//! differs when the experiments are repeated.

use std::collections::HashMap;
use std::fmt;

use crate::experiments::{Contender, Measurement};
use linsep_report::number;

const KEY: &str = "experiment,shift,run,method,epsilon,relaxation";

/// Returns `results.csv`: one line per run and contender.
pub fn results(measured: &[Measurement]) -> String {
    let mut out =
        format!("{KEY},rows,features,separated,epochs,updates,mistakes,accuracy,rows_evaluated\n");
    for run in measured {
        let count = |value: Option<u64>| value.map_or(String::new(), |v| v.to_string());
        let accuracy = run.mistakes.map_or(String::new(), |mistakes| {
            number((run.rows as u64 - mistakes) as f64 / run.rows as f64)
        });
        let cells = [
            key(run),
            run.rows.to_string(),
            run.features.to_string(),
            run.separated.to_string(),
            run.epochs.to_string(),
            count(run.updates),
            count(run.mistakes),
            accuracy,
            run.rows_evaluated.to_string(),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

/// Returns `epochs.csv`: one line per epoch of every run whose epochs were kept, what the charts are drawn from.
pub fn epochs(measured: &[Measurement]) -> String {
    let mut out = format!("{KEY},epoch,mistakes\n");
    for run in measured {
        let key = key(run);
        for (k, mistakes) in run.history.iter().enumerate() {
            out.push_str(&format!("{key},{},{mistakes}\n", k + 1));
        }
    }
    out
}

/// Returns `seconds.csv`: the time of every run whose time was kept.
pub fn seconds(measured: &[Measurement]) -> String {
    let mut out = format!("{KEY},seconds\n");
    for run in measured.iter().filter(|run| run.seconds.is_finite()) {
        out.push_str(&format!("{},{:.4}\n", key(run), run.seconds));
    }
    out
}

fn key(run: &Measurement) -> String {
    let (epsilon, relaxation) = match run.contender {
        Contender::Fine { epsilon, relaxation } => (number(epsilon), number(relaxation)),
        _ => (String::new(), String::new()),
    };
    let (letter, name) = (run.letter, run.contender.name());
    format!("{letter},{},{},{name},{epsilon},{relaxation}", number(run.shift), run.run)
}

/// A line that is not one of these files.
#[derive(Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The file.
    pub file: &'static str,
    /// The number of the line, counted from 1.
    pub line: usize,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of {} is not as reproduce writes it", self.line, self.file)
    }
}

impl std::error::Error for BadLine {}

/// Returns the measurements that the three files hold.
///
/// Errors at the first line that none of the functions above writes.
pub fn parse(results: &str, epochs: &str, seconds: &str) -> Result<Vec<Measurement>, BadLine> {
    let mut measured = vec![];
    let mut place: HashMap<&str, usize> = HashMap::new();
    for (line, key, cells) in lines(results) {
        let run = measurement(key, &cells).ok_or(BadLine { file: "results.csv", line })?;
        place.insert(key, measured.len());
        measured.push(run);
    }
    for (line, key, cells) in lines(epochs) {
        let bad = BadLine { file: "epochs.csv", line };
        let Some((&k, mistakes)) = place.get(key).zip(cells.get(1).and_then(|m| m.parse().ok()))
        else {
            return Err(bad);
        };
        measured[k].history.push(mistakes);
    }
    for (line, key, cells) in lines(seconds) {
        let bad = BadLine { file: "seconds.csv", line };
        let Some((&k, time)) = place.get(key).zip(cells.first().and_then(|s| s.parse().ok()))
        else {
            return Err(bad);
        };
        measured[k].seconds = time;
    }
    Ok(measured)
}

/// Returns the lines below the header: number, key and what follows it.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, Vec<&str>)> {
    text.lines().enumerate().skip(1).map(|(k, line)| {
        let end = line.match_indices(',').nth(5).map_or(line.len(), |(at, _)| at);
        let (key, rest) = line.split_at(end);
        (k + 1, key, rest.split(',').skip(1).collect())
    })
}

fn measurement(key: &str, cells: &[&str]) -> Option<Measurement> {
    let key: Vec<&str> = key.split(',').collect();
    let [letter, shift, run, method, epsilon, relaxation] = key[..] else { return None };
    let [rows, features, separated, epochs, updates, mistakes, _, evaluated] = cells[..] else {
        return None;
    };
    let contender = match method {
        "perceptron" => Contender::Perceptron,
        "fine" => {
            Contender::Fine { epsilon: epsilon.parse().ok()?, relaxation: relaxation.parse().ok()? }
        }
        "decide" => Contender::Engine,
        _ => return None,
    };
    Some(Measurement {
        letter: letter.parse().ok()?,
        rows: rows.parse().ok()?,
        features: features.parse().ok()?,
        shift: shift.parse().ok()?,
        run: run.parse().ok()?,
        contender,
        separated: separated.parse().ok()?,
        epochs: epochs.parse().ok()?,
        updates: updates.parse().ok(),
        mistakes: mistakes.parse().ok(),
        rows_evaluated: evaluated.parse().ok()?,
        seconds: f64::NAN,
        history: vec![],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(contender: Contender, history: Vec<u64>) -> Measurement {
        let of_method = (contender != Contender::Engine).then_some(7);
        Measurement {
            letter: 'b',
            rows: 40,
            features: 3,
            shift: 0.3,
            run: 2,
            contender,
            separated: true,
            epochs: 5,
            updates: of_method,
            mistakes: of_method.map(|_| 1),
            rows_evaluated: 200,
            seconds: 0.25,
            history,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let fine = Contender::Fine { epsilon: 1e-9, relaxation: 1.5 };
        let measured = vec![
            run(Contender::Perceptron, vec![5, 3, 0]),
            run(fine, vec![]),
            run(Contender::Engine, vec![]),
        ];
        let [results, epochs, seconds] =
            [results(&measured), epochs(&measured), seconds(&measured)];
        assert_eq!(parse(&results, &epochs, &seconds), Ok(measured));
        let bad = BadLine { file: "seconds.csv", line: 2 };
        assert_eq!(parse(&results, &epochs, "\nb,1,2,perceptron,,,0.5\n"), Err(bad));
        let bad = BadLine { file: "results.csv", line: 3 };
        assert_eq!(parse(&results.replacen("fine", "coarse", 1), "", ""), Err(bad));
    }
}
