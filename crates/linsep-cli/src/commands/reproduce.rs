//! `linsep reproduce`: the paper's three experiments, with a table and charts.

use std::process::ExitCode;

use linsep::experiments::{EXPERIMENTS, Experiment, Precision, Run, run_data, run_methods};
use linsep::online::FitSettings;
use linsep::report::chart::{Chart, Line};
use linsep::report::{counted, duration, number, page, study};

use super::race::Lane;
use crate::args::{Dtype, ExperimentArg, ReproduceArgs};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{print, write_file};
use crate::progress::{Bar, FitProgress};

/// Runs the command.
pub fn run(args: &ReproduceArgs, quiet: bool, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    if !(args.scale > 0.0 && args.scale <= 1.0) {
        let message = format!("--scale is {}; expected a number above 0, at most 1", args.scale);
        return Err(Failure::usage(message, None));
    }
    std::fs::create_dir_all(&args.output).map_err(|e| Failure::output(&args.output, &e))?;
    let wanted = match args.experiment {
        ExperimentArg::A => &EXPERIMENTS[0..1],
        ExperimentArg::B => &EXPERIMENTS[1..2],
        ExperimentArg::C => &EXPERIMENTS[2..3],
        ExperimentArg::All => &EXPERIMENTS[..],
    };
    let mut results: Vec<(Experiment, Vec<Run>)> = vec![];
    for experiment in wanted {
        let experiment = experiment.scaled(args.scale);
        let runs = run_experiment(&experiment, args, quiet, interrupt)?;
        results.push((experiment, runs));
        // Written after each experiment: the next one may take hours.
        write_results(args, &results)?;
        if interrupt.asked() {
            break;
        }
    }
    Ok(ExitCode::from(if interrupt.asked() { 3 } else { 0 }))
}

fn run_experiment(
    experiment: &Experiment,
    args: &ReproduceArgs,
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<Vec<Run>, Failure> {
    let precision = match args.dtype {
        Dtype::F8 => Precision::Double,
        Dtype::F4 => Precision::Single,
    };
    let settings = FitSettings {
        max_epochs: args.max_epochs,
        time_limit: args.time_limit,
        ..FitSettings::default()
    };
    let mut all = vec![];
    for run in 1..=args.runs.get() {
        let bar = Bar::new(&format!("({}) run {run}: making data", experiment.letter), quiet);
        bar.rows(experiment.rows as u64, None);
        let samples = run_data(experiment, args.seed + run as u64, precision)?;
        bar.clear();
        let cancelled = interrupt.heed();
        let runs = run_methods(&samples, run, &args.epsilon, &settings, &mut |method| {
            let what = format!("({}) run {run}: {}", experiment.letter, method.name());
            Box::new(Lane { progress: FitProgress::new(&what, quiet), cancelled })
        })
        .map_err(Failure::fit)?;
        for run in &runs {
            print(&line(experiment, run))?;
        }
        all.extend(runs);
        if interrupt.asked() {
            break;
        }
    }
    Ok(all)
}

fn line(experiment: &Experiment, run: &Run) -> String {
    let epsilon = run.epsilon().map_or(String::new(), |e| format!(", epsilon {}", number(e)));
    format!(
        "({}) {}{epsilon}: {}, {} left, the work of {:.1} passes, {}\n",
        experiment.letter,
        run.name(),
        counted(run.fit.epochs, "epoch"),
        counted(run.fit.evaluation.mistakes, "mistake"),
        run.fit.rows_evaluated as f64 / experiment.rows as f64,
        duration(run.fit.seconds),
    )
}

fn write_results(args: &ReproduceArgs, results: &[(Experiment, Vec<Run>)]) -> Result<(), Failure> {
    let put = |name: &str, text: String| write_file(&args.output.join(name), text.as_bytes());
    put("results.csv", study::csv(results))?;
    put("epochs.csv", study::epochs_csv(results))?;
    put("results.md", study::markdown(results, args.scale, args.max_epochs))?;
    for (experiment, runs) in results {
        put(&format!("{}.svg", experiment.letter), chart(experiment, runs).svg())?;
    }
    if let Some(path) = &args.report {
        let charts: Vec<Chart> =
            results.iter().map(|(experiment, runs)| chart(experiment, runs)).collect();
        let page = page::study::page(results, &charts, args.scale, args.max_epochs);
        write_file(path, page.as_bytes())?;
    }
    Ok(())
}

/// Returns the chart of mistakes over epochs, drawn as the paper does: P dashed, A with the first epsilon solid.
fn chart(experiment: &Experiment, runs: &[Run]) -> Chart {
    let first = runs.iter().find_map(Run::epsilon);
    let mut shown: Vec<&Run> =
        runs.iter().filter(|run| run.epsilon().is_none() || run.epsilon() == first).collect();
    shown.sort_by_key(|run| (run.epsilon().is_some(), run.number));
    let lines: Vec<Line> = shown
        .into_iter()
        .map(|run| Line {
            name: run.name(),
            dashed: run.epsilon().is_none(),
            finished: run.fit.separated(),
            points: run.fit.history.iter().map(|r| (r.epoch as f64, r.mistakes)).collect(),
        })
        .collect();
    let epsilon = first.map_or(String::new(), |e| format!(", epsilon {}", number(e)));
    let title = format!(
        "({}) {}, {}{epsilon}",
        experiment.letter,
        counted(experiment.rows as u64, "sample"),
        counted(experiment.features as u64, "feature"),
    );
    Chart { title, across: "epochs".to_string(), lines }
}
