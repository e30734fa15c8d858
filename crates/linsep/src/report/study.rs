//! The paper's experiments beside what was measured: a CSV and a Markdown table.

use super::{counted, grouped, number};
use crate::experiments::{Experiment, Run};
use crate::online::{EpochRecord, Stop};

/// Returns `results.csv`: a line a run and method.
pub fn csv(results: &[(Experiment, Vec<Run>)]) -> String {
    let mut out = String::from(
        "experiment,rows,features,run,method,epsilon,separated,epochs,updates,mistakes,accuracy,rows_evaluated\n",
    );
    for (experiment, runs) in results {
        for run in runs {
            let epsilon = run.epsilon().map_or(String::new(), number);
            out.push_str(&format!(
                "{},{},{},{},{},{epsilon},{},{},{},{},{},{}\n",
                experiment.letter,
                experiment.rows,
                experiment.features,
                run.number,
                run.method.name(),
                run.fit.separated(),
                run.fit.epochs,
                run.fit.updates,
                run.fit.evaluation.mistakes,
                number(run.fit.evaluation.accuracy()),
                run.fit.rows_evaluated,
            ));
        }
    }
    out
}

/// Returns `epochs.csv`: one line per epoch of every run, what the charts are drawn from.
pub fn epochs_csv(results: &[(Experiment, Vec<Run>)]) -> String {
    let mut out = String::from("experiment,run,method,epsilon,epoch,mistakes\n");
    for (experiment, runs) in results {
        for run in runs {
            let (letter, name) = (experiment.letter, run.method.name());
            let epsilon = run.epsilon().map_or(String::new(), number);
            for record in &run.fit.history {
                let EpochRecord { epoch, mistakes, .. } = record;
                let line = format!("{letter},{},{name},{epsilon},{epoch},{mistakes}\n", run.number);
                out.push_str(&line);
            }
        }
    }
    out
}

/// Returns `results.md`: the paper's claim beside what was measured, an experiment a section.
pub fn markdown(results: &[(Experiment, Vec<Run>)], scale: f64, max_epochs: u64) -> String {
    let mut out = String::from("# The paper's experiments, measured\n\n");
    out.push_str(
        "P is the Perceptron, A the paper's method (`fine`); both see the same data in the same order.\n\
         The paper does not state its epsilon, and the number of epochs of A depends on it: the table\n\
         names it for every row. The charts show, for every epoch, how many samples were on the wrong side\n\
         when they were visited.\n",
    );
    if scale != 1.0 {
        out.push_str(&format!(
            "\nBoth sides of every experiment are shrunk to {} of the paper's size, so the claims, which\n\
             are about the full size, are for orientation only.\n",
            number(scale)
        ));
    }
    for (experiment, runs) in results {
        out.push_str(&format!(
            "\n## ({}) {}, {}\n\n![mistakes over epochs]({}.svg)\n\n",
            experiment.letter,
            counted(experiment.rows as u64, "sample"),
            counted(experiment.features as u64, "feature"),
            experiment.letter
        ));
        out.push_str("| method | paper | measured: epochs of each run | mistakes left | passes' worth of work |\n|---|---|---|---|---|\n");
        for method in methods(experiment, runs, max_epochs) {
            let Method { name, claim, epochs, mistakes, passes } = method;
            out.push_str(&format!("| {name} | {claim} | {epochs} | {mistakes} | {passes} |\n"));
        }
    }
    out
}

/// What the runs of one method came to, beside what the paper says of it: cells of a table.
pub(super) struct Method {
    pub name: String,
    pub claim: &'static str,
    pub epochs: String,
    pub mistakes: String,
    pub passes: String,
}

/// Returns what became of each method of an experiment: the Perceptron, and the paper's with each epsilon.
pub(super) fn methods(experiment: &Experiment, runs: &[Run], max_epochs: u64) -> Vec<Method> {
    let mut methods: Vec<Option<f64>> = vec![];
    runs.iter().for_each(|run| {
        if !methods.contains(&run.epsilon()) {
            methods.push(run.epsilon());
        }
    });
    let method = |epsilon: Option<f64>| {
        let of_method: Vec<&Run> = runs.iter().filter(|r| r.epsilon() == epsilon).collect();
        let list = |cell: &dyn Fn(&Run) -> String| {
            of_method.iter().map(|run| cell(run)).collect::<Vec<_>>().join(", ")
        };
        let (name, claim) = match epsilon {
            None => ("P".to_string(), experiment.claim_perceptron),
            Some(epsilon) => (format!("A, epsilon {}", number(epsilon)), experiment.claim_fine),
        };
        let worth = |run: &Run| run.fit.rows_evaluated as f64 / experiment.rows as f64;
        Method {
            name,
            claim,
            epochs: list(&|run| epochs(run, max_epochs)),
            mistakes: list(&|run| grouped(run.fit.evaluation.mistakes)),
            passes: list(&|run| format!("{:.1}", worth(run))),
        }
    };
    methods.into_iter().map(method).collect()
}

fn epochs(run: &Run, max_epochs: u64) -> String {
    match run.fit.stop {
        Stop::EpochLimit => format!("not within {}", grouped(max_epochs)),
        Stop::Cancelled | Stop::TimeLimit => format!("stopped after {}", grouped(run.fit.epochs)),
        Stop::Separated | Stop::Converged => grouped(run.fit.epochs),
    }
}
