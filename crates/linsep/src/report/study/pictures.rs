//! The pictures of the study.

use super::super::chart::{Chart, Line};
use super::{heading, number};
use crate::experiments::{Contender, Experiment, Measurement};

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
