//! The paper's experiments beside what was measured: files of figures, tables and pictures.

pub mod article;
pub mod csv;
pub mod cures;
pub mod pictures;
pub mod tables;

use crate::experiments::{Contender, Experiment, Measurement};
use linsep_report::{counted, grouped, number};

/// Returns `results.md`: the paper's claim beside what was measured, an experiment a section.
pub fn markdown(results: &[(Experiment, Vec<Measurement>)], scale: f64) -> String {
    let mut out = String::from("# The paper's experiments, measured\n\n");
    out.push_str(
        "P is the Perceptron, A the paper's method (`fine`), `decide` the deciding engine, whose passes are counted\n\
         as epochs; all see the same data in the same order. The paper does not state its epsilon, and the number of\n\
         epochs of A depends on it: the table names it for every row. The charts show, for every epoch, how many\n\
         samples were on the wrong side when they were visited.\n",
    );
    if scale != 1.0 {
        out.push_str(&format!(
            "\nBoth sides of every experiment are shrunk to {} of the paper's size, so the claims, which\n\
             are about the full size, are for orientation only.\n",
            number(scale)
        ));
    }
    for (experiment, runs) in results {
        let letter = experiment.letter;
        out.push_str(&format!(
            "\n## {}\n\n![mistakes over epochs]({letter}.svg)\n\n",
            heading(experiment)
        ));
        out.push_str(&section(experiment, runs));
    }
    out
}

/// Returns the letter, the size and the shift of an experiment.
pub fn heading(experiment: &Experiment) -> String {
    let shift = match experiment.shift {
        1.0 => String::new(),
        shift => format!(", shift {}", number(shift)),
    };
    format!(
        "({}) {}, {}{shift}",
        experiment.letter,
        counted(experiment.rows as u64, "sample"),
        counted(experiment.features as u64, "feature"),
    )
}

/// Returns the table of an experiment: every run of every contender.
pub(super) fn section(experiment: &Experiment, runs: &[Measurement]) -> String {
    let mut out = String::from(
        "| method | paper | measured: epochs of each run | mistakes left | passes' worth of work |\n|---|---|---|---|---|\n",
    );
    for MethodCells { name, claim, epochs, mistakes, passes } in methods(experiment, runs) {
        out.push_str(&format!("| {name} | {claim} | {epochs} | {mistakes} | {passes} |\n"));
    }
    out
}

/// What the runs of one contender came to, beside what the paper says of it: cells of a table.
pub(super) struct MethodCells {
    pub name: String,
    pub claim: &'static str,
    pub epochs: String,
    pub mistakes: String,
    pub passes: String,
}

/// Returns what became of each contender of an experiment.
pub(super) fn methods(experiment: &Experiment, runs: &[Measurement]) -> Vec<MethodCells> {
    let mut contenders: Vec<Contender> = vec![];
    runs.iter().for_each(|run| {
        if !contenders.contains(&run.contender) {
            contenders.push(run.contender);
        }
    });
    let method = |contender: Contender| {
        let list = |cell: &dyn Fn(&Measurement) -> String| {
            let of_contender = runs.iter().filter(|run| run.contender == contender);
            of_contender.map(cell).collect::<Vec<_>>().join(", ")
        };
        let claim = match contender {
            Contender::Perceptron => experiment.claim_perceptron,
            Contender::Fine { relaxation: 1.0, .. } => experiment.claim_fine,
            _ => "",
        };
        MethodCells {
            name: label(contender),
            claim,
            epochs: list(&epochs),
            // The engine's answer is either proven or none.
            mistakes: list(&|run| match (run.mistakes, run.separated) {
                (Some(mistakes), _) => grouped(mistakes),
                (None, true) => "0".to_string(),
                (None, false) => "–".to_string(),
            }),
            passes: list(&|run| format!("{:.1}", run.passes())),
        }
    };
    contenders.into_iter().map(method).collect()
}

/// Returns a contender's name in tables: P and A as in the paper, with what the paper leaves open.
pub fn label(contender: Contender) -> String {
    match contender {
        Contender::Perceptron => "P".to_string(),
        Contender::Fine { epsilon, relaxation: 1.0 } => format!("A, epsilon {}", number(epsilon)),
        Contender::Fine { epsilon, relaxation } => {
            format!("A, epsilon {}, relaxation {}", number(epsilon), number(relaxation))
        }
        Contender::Joint { relaxation: 1.0, .. } => "`joint`".to_string(),
        Contender::Joint { relaxation, .. } => {
            format!("`joint`, relaxation {}", number(relaxation))
        }
        Contender::Corral { .. } => "`corral`".to_string(),
        Contender::Smooth => "`smooth`".to_string(),
        Contender::Engine => "`decide`".to_string(),
    }
}

fn epochs(run: &Measurement) -> String {
    match run.separated {
        true => grouped(run.epochs),
        false => format!("not within {}", grouped(run.epochs)),
    }
}
