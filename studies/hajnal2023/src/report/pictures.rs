//! The pictures of the study.

use super::heading;
use super::tables::{drawn_epsilon, ended, fine, range, runs};
use crate::experiments::study::{EPSILON_SWEEP, MAX_EPOCHS, SHIFT_SWEEP};
use crate::experiments::{Contender, EXPERIMENTS, Experiment, Measurement};
use crate::sweep::{Sweep, SweepLine, SweepPoint};
use linsep_report::chart::{Chart, Line};
use linsep_report::{grouped, number};

/// Returns mistakes over epochs as the paper draws them, P dashed and A solid, A with the first epsilon there is.
pub fn own(experiment: &Experiment, runs: &[Measurement]) -> Chart {
    let first = runs.iter().find_map(|run| match run.contender {
        Contender::Fine { epsilon, relaxation: 1.0 } => Some(epsilon),
        _ => None,
    });
    mistakes(experiment, runs, first)
}

/// Returns mistakes over epochs, of A with this epsilon.
pub fn mistakes(experiment: &Experiment, runs: &[Measurement], epsilon: Option<f64>) -> Chart {
    let fine = epsilon.map(|epsilon| Contender::Fine { epsilon, relaxation: 1.0 });
    let shown = [('P', Some(Contender::Perceptron)), ('A', fine)];
    let lines = shown.into_iter().flat_map(|(letter, contender)| {
        let drawn =
            move |run: &&Measurement| Some(run.contender) == contender && !run.history.is_empty();
        runs.iter().filter(drawn).map(move |run| Line {
            name: format!("{letter}{}", run.run),
            dashed: letter == 'P',
            finished: run.separated,
            points: run.history.iter().enumerate().map(|(k, m)| (k as f64 + 1.0, *m)).collect(),
        })
    });
    let epsilon = epsilon.map_or(String::new(), |e| format!(", epsilon {}", number(e)));
    Chart {
        title: format!("{}{epsilon}", heading(experiment)),
        across: "epochs".to_string(),
        lines: lines.collect(),
    }
}

/// Returns the epochs of A over epsilon, with those of P as level lines.
pub(super) fn over_epsilon(measured: &[Measurement]) -> Sweep {
    let lines = lines(measured, &EPSILON_SWEEP, &|letter, contender, epsilon| match contender {
        'A' => runs(measured, letter, 1.0, fine(epsilon)),
        _ => runs(measured, letter, 1.0, Contender::Perceptron),
    });
    sweep("Epochs over epsilon", "epsilon of A", lines)
}

/// Returns the epochs of P and of A over the shift, of A with the epsilon of the other pictures.
pub(super) fn over_shift(measured: &[Measurement]) -> Sweep {
    let lines = lines(measured, &SHIFT_SWEEP, &|letter, contender, shift| match contender {
        'A' => runs(measured, letter, shift, fine(drawn_epsilon(letter))),
        _ => runs(measured, letter, shift, Contender::Perceptron),
    });
    sweep("Epochs over the shift", "length of the shift (1: each coordinate in (-1, 1))", lines)
}

fn sweep(title: &str, across: &str, lines: Vec<SweepLine>) -> Sweep {
    Sweep {
        title: format!("{title} (band: least to most)"),
        across: across.to_string(),
        up: "epochs".to_string(),
        beyond: format!("> {}", grouped(MAX_EPOCHS)),
        lines,
    }
}

/// Returns a line for A and a dashed one for P, in the colour of each experiment.
fn lines<'m>(
    measured: &'m [Measurement],
    places: &[f64],
    at: &dyn Fn(char, char, f64) -> Vec<&'m Measurement>,
) -> Vec<SweepLine> {
    let mut lines = vec![];
    for (colour, experiment) in EXPERIMENTS.iter().enumerate() {
        let letter = experiment.letter;
        if !measured.iter().any(|one| one.letter == letter) {
            continue;
        }
        for contender in ['A', 'P'] {
            let point = |&place: &f64| {
                let ends = at(letter, contender, place).into_iter().map(ended).collect();
                range(ends).map(|range| SweepPoint { at: place, range })
            };
            lines.push(SweepLine {
                name: format!("{contender} ({letter})"),
                colour,
                dashed: contender == 'P',
                points: places.iter().filter_map(point).collect(),
            });
        }
    }
    lines
}
