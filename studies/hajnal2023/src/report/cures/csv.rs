//! The study of the two cures as CSV files, and back: tables are made from the files.
//!
//! The same columns say in each file which trial a line belongs to. Time is in a file of its own, the only one that
//! differs when the trials are repeated.

use std::collections::HashMap;

use super::Cures;
use crate::experiments::Contender;
use crate::experiments::cures::{CureRun, DataSet, Ending};
use crate::experiments::last_phase::LastPhase;
use crate::report::csv::BadLine;
use linsep::online::Scaling;
use linsep_report::number;

const KEY: &str = "data,name,scale,method,epsilon,relaxation,gap";
const KEY_CELLS: usize = 7;

/// Returns `results.csv`: one line per trial.
pub fn results(trials: &[CureRun]) -> String {
    let mut out = format!(
        "{KEY},rows,features,ending,epochs,updates,mistakes,rows_evaluated,margin,margin_bound\n"
    );
    for trial in trials {
        let count = |value: Option<u64>| value.map_or(String::new(), |v| v.to_string());
        let cells = [
            key(trial),
            trial.rows.to_string(),
            trial.features.to_string(),
            trial.ending.name().to_string(),
            trial.epochs.to_string(),
            count(trial.updates),
            count(trial.mistakes),
            trial.rows_evaluated.to_string(),
            trial.margin.map_or(String::new(), number),
            trial.bound.map_or(String::new(), number),
        ];
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}

/// Returns `seconds.csv`: the CPU time of every trial whose time was kept.
pub fn seconds(trials: &[CureRun]) -> String {
    let mut out = format!("{KEY},cpu_seconds\n");
    for trial in trials.iter().filter(|trial| trial.seconds.is_finite()) {
        out.push_str(&format!("{},{:.6}\n", key(trial), trial.seconds));
    }
    out
}

/// Returns `last_phase.csv`: one line per run of the paper's method.
pub fn last_phases(phases: &[LastPhase]) -> String {
    let mut out =
        "data,name,rows,features,epochs,corrections,late_corrections,late_rows\n".to_string();
    for phase in phases {
        let LastPhase { set, rows, features, epochs, corrections, .. } = phase;
        let LastPhase { late_corrections, late_rows, .. } = phase;
        out.push_str(&format!(
            "{},{},{rows},{features},{epochs},{corrections},{late_corrections},{late_rows}\n",
            set.group, set.name
        ));
    }
    out
}

fn key(trial: &CureRun) -> String {
    let [mut epsilon, mut relaxation, mut gap] = [const { String::new() }; 3];
    match trial.contender {
        Contender::Fine { epsilon: e, relaxation: r }
        | Contender::Joint { epsilon: e, relaxation: r } => {
            (epsilon, relaxation) = (number(e), number(r));
        }
        Contender::Corral { gap: g } => gap = number(g),
        Contender::Perceptron | Contender::Smooth | Contender::Engine => {}
    }
    let (DataSet { group, name }, method) = (&trial.set, trial.contender.name());
    let scale = scale_name(trial.scale);
    [group, name, scale, method, &epsilon, &relaxation, &gap].join(",")
}

/// Returns the name of units in files and tables.
pub fn scale_name(scale: Scaling) -> &'static str {
    match scale {
        Scaling::None => "none",
        _ => "standard",
    }
}

/// Returns what the three files hold.
///
/// Errors at the first line that none of the functions above writes.
pub fn parse(results: &str, seconds: &str, last_phases: &str) -> Result<Cures, BadLine> {
    let mut cures = Cures::default();
    let mut place: HashMap<String, usize> = HashMap::new();
    for (line, cells) in lines(results) {
        let trial = trial(&cells).ok_or(BadLine { file: "results.csv", line })?;
        place.insert(cells[..KEY_CELLS].join(","), cures.trials.len());
        cures.trials.push(trial);
    }
    for (line, cells) in lines(seconds) {
        let found = cells.split_at_checked(KEY_CELLS).and_then(|(key, rest)| {
            Some((*place.get(&key.join(","))?, rest.first()?.parse().ok()?))
        });
        let (k, time) = found.ok_or(BadLine { file: "seconds.csv", line })?;
        cures.trials[k].seconds = time;
    }
    for (line, cells) in lines(last_phases) {
        cures.phases.push(phase(&cells).ok_or(BadLine { file: "last_phase.csv", line })?);
    }
    Ok(cures)
}

/// Returns the lines below the header, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines().enumerate().skip(1).map(|(k, line)| (k + 1, line.split(',').collect()))
}

fn set(group: &str, name: &str) -> DataSet {
    DataSet { group: group.to_string(), name: name.to_string() }
}

fn trial(cells: &[&str]) -> Option<CureRun> {
    let [group, name, scale, method, epsilon, relaxation, gap, rest @ ..] = cells else {
        return None;
    };
    let [rows, features, ending, epochs, updates, mistakes, evaluated, margin, bound] = rest else {
        return None;
    };
    let stepped = || Some((epsilon.parse().ok()?, relaxation.parse().ok()?));
    let contender = match *method {
        "perceptron" => Contender::Perceptron,
        "fine" => stepped().map(|(epsilon, relaxation)| Contender::Fine { epsilon, relaxation })?,
        "joint" => {
            stepped().map(|(epsilon, relaxation)| Contender::Joint { epsilon, relaxation })?
        }
        "corral" => Contender::Corral { gap: gap.parse().ok()? },
        "smooth" => Contender::Smooth,
        "decide" => Contender::Engine,
        _ => return None,
    };
    let scale =
        [Scaling::None, Scaling::Standard].into_iter().find(|s| scale_name(*s) == *scale)?;
    Some(CureRun {
        set: set(group, name),
        scale,
        contender,
        rows: rows.parse().ok()?,
        features: features.parse().ok()?,
        ending: Ending::NAMES.iter().find(|(_, name)| name == ending)?.0,
        epochs: epochs.parse().ok()?,
        updates: updates.parse().ok(),
        mistakes: mistakes.parse().ok(),
        rows_evaluated: evaluated.parse().ok()?,
        margin: margin.parse().ok(),
        bound: bound.parse().ok(),
        seconds: f64::NAN,
    })
}

fn phase(cells: &[&str]) -> Option<LastPhase> {
    let [group, name, counts @ ..] = cells else { return None };
    let counts: Option<Vec<u64>> = counts.iter().map(|cell| cell.parse().ok()).collect();
    let [rows, features, epochs, corrections, late_corrections, late_rows] = counts?[..] else {
        return None;
    };
    Some(LastPhase {
        set: set(group, name),
        rows: rows as usize,
        features: features as usize,
        epochs,
        corrections,
        late_corrections,
        late_rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::cures::{CORRAL, JOINT};

    fn trial(contender: Contender, scale: Scaling, ending: Ending) -> CureRun {
        let of_method = (contender != Contender::Engine).then_some(7);
        CureRun {
            set: set("digits", "3"),
            scale,
            contender,
            rows: 40,
            features: 3,
            ending,
            epochs: 5,
            updates: of_method,
            mistakes: of_method,
            rows_evaluated: 200,
            margin: of_method.map(|_| -1.25e-7),
            bound: Some(0.5),
            seconds: 0.25,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let trials = vec![
            trial(JOINT, Scaling::None, Ending::Separated),
            trial(JOINT, Scaling::Standard, Ending::LooksInseparable),
            trial(CORRAL, Scaling::None, Ending::Stopped),
            trial(Contender::Smooth, Scaling::None, Ending::Separated),
            trial(Contender::Engine, Scaling::None, Ending::Inseparable),
        ];
        let phases = vec![LastPhase {
            set: set("tenth-c", "1"),
            rows: 40,
            features: 3,
            epochs: 9,
            corrections: 30,
            late_corrections: 8,
            late_rows: 4,
        }];
        let [results, seconds] = [results(&trials), seconds(&trials)];
        let last = last_phases(&phases);
        assert_eq!(parse(&results, &seconds, &last), Ok(Cures { trials, phases }));
        let bad = BadLine { file: "results.csv", line: 3 };
        let damaged = results.replacen("looks-inseparable", "looks-odd", 1);
        assert_eq!(parse(&damaged, "", ""), Err(bad));
        let bad = BadLine { file: "seconds.csv", line: 2 };
        assert_eq!(parse(&results, "\ndigits,3,none\n", ""), Err(bad));
        let bad = BadLine { file: "last_phase.csv", line: 2 };
        assert_eq!(parse("", "", "\ntenth-c,1,40\n"), Err(bad));
    }
}
