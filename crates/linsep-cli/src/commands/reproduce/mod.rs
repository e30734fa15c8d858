//! `linsep reproduce`: the paper's three experiments, with a table and charts, and the study of them.

mod cures;
mod study;

use std::path::Path;
use std::process::ExitCode;

use hajnal2023::experiments::{
    Contender, EXPERIMENTS, Experiment, MeasureError, Measurement, Precision, measure,
};
use hajnal2023::report::{csv, label, markdown, pictures};
use linsep::ask::AskError;
use linsep::online::FitSettings;
use linsep_report::{counted, duration, number};

use super::generate::checked_shift;
use crate::args::{Dtype, ExperimentArg, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, write_file};
use crate::progress::Bar;
use crate::session::Session;

/// Runs the command.
pub fn run(args: &ReproduceArgs, session: &Session) -> Result<ExitCode, Failure> {
    if !(args.scale > 0.0 && args.scale <= 1.0) {
        let message = format!("--scale is {}; expected a number above 0, at most 1", args.scale);
        return Err(Failure::usage(message, None));
    }
    let shift = checked_shift(args.shift.unwrap_or(1.0))?;
    std::fs::create_dir_all(&args.output).map_err(|e| Failure::output(&args.output, &e))?;
    let wanted = match args.experiment {
        ExperimentArg::A => &EXPERIMENTS[0..1],
        ExperimentArg::B => &EXPERIMENTS[1..2],
        ExperimentArg::C => &EXPERIMENTS[2..3],
        ExperimentArg::All => &EXPERIMENTS[..],
        ExperimentArg::Study => return study::run(args, session),
        ExperimentArg::Cures => return cures::run(args, session),
    };
    if args.sizes.is_some() || args.only.is_some() || args.data.is_some() {
        let message =
            "--sizes and --only are for reproduce study and cures, --data for cures".to_string();
        return Err(Failure::usage(message, Some("--scale shrinks the data")));
    }
    let mut results: Vec<(Experiment, Vec<Measurement>)> = vec![];
    for experiment in wanted {
        let experiment = experiment.scaled(args.scale).shifted(shift);
        let runs = run_experiment(&experiment, args, session)?;
        results.push((experiment, runs));
        // Written after each experiment: the next one may take hours.
        write_results(args, &results)?;
        if session.interrupt.asked() {
            break;
        }
    }
    Ok(ExitCode::from(if session.interrupt.asked() { 3 } else { 0 }))
}

fn run_experiment(
    experiment: &Experiment,
    args: &ReproduceArgs,
    session: &Session,
) -> Result<Vec<Measurement>, Failure> {
    let precision = match args.dtype {
        Some(Dtype::F4) => Precision::Single,
        _ => Precision::Double,
    };
    let epsilons = args.epsilon.as_deref().unwrap_or(&[1e-9]);
    let relaxations = args.relaxation.as_deref().unwrap_or(&[1.0]);
    let fine = relaxations.iter().flat_map(|&relaxation| {
        epsilons.iter().map(move |&epsilon| Contender::Fine { epsilon, relaxation })
    });
    let mut contenders = vec![Contender::Perceptron];
    contenders.extend(fine);
    contenders.push(Contender::Engine);
    let watched = Watched { session, settings: &settings(args) };
    let mut all = vec![];
    for run in 1..=args.runs.map_or(3, |runs| runs.get()) {
        let seed = args.seed.unwrap_or(0) + run as u64;
        all.extend(watched.run(experiment, run, seed, precision, &contenders)?);
        if session.interrupt.asked() {
            break;
        }
    }
    Ok(all)
}

/// Returns the limits of each method.
fn settings(args: &ReproduceArgs) -> FitSettings {
    FitSettings {
        max_epochs: args.max_epochs,
        time_limit: args.time_limit,
        ..FitSettings::default()
    }
}

/// How one run is shown and ended.
struct Watched<'a> {
    session: &'a Session<'a>,
    settings: &'a FitSettings,
}

impl Watched<'_> {
    /// Makes the data of a run and runs the contenders on it; prints one line for each.
    fn run(
        &self,
        experiment: &Experiment,
        run: usize,
        seed: u64,
        precision: Precision,
        contenders: &[Contender],
    ) -> Result<Vec<Measurement>, Failure> {
        let bar = Bar::new(
            &format!("({}) run {run}: making data", experiment.letter),
            self.session.quiet,
        );
        bar.rows(experiment.rows as u64, None);
        let samples = experiment.data(seed, precision)?;
        bar.clear();
        let mut watcher = self.session.watcher("measuring");
        let measured = measure(&samples, experiment, run, contenders, self.settings, &mut watcher);
        watcher.clear();
        let measured = measured.map_err(not_measured)?;
        for one in &measured {
            print(&line(one))?;
        }
        Ok(measured)
    }
}

fn not_measured(error: MeasureError) -> Failure {
    match error {
        MeasureError::Fit(error) => AskError::from(error).into(),
        MeasureError::Decide(error) => AskError::from(error).into(),
        other => Failure::usage(other.to_string(), None),
    }
}

/// Returns what a run says when it is done; the time is last.
fn line(one: &Measurement) -> String {
    let shift = match one.shift {
        1.0 => String::new(),
        shift => format!(" shift {}", number(shift)),
    };
    let who = match label(one.contender).replace('`', "") {
        who if one.contender == Contender::Engine => format!("{who}{}", one.run),
        who => format!("{}{}{}", &who[..1], one.run, &who[1..]),
    };
    let found = match one.mistakes {
        Some(mistakes) => format!(
            "{}, {} left, the work of {:.1} passes",
            counted(one.epochs, "epoch"),
            counted(mistakes, "mistake"),
            one.passes()
        ),
        None => {
            let verdict = if one.separated { "separable, proven" } else { "undecided" };
            format!("{verdict}, {}", counted(one.epochs, "pass"))
        }
    };
    format!("({}){shift} {who}: {found}, {}\n", one.letter, duration(one.seconds))
}

fn write_results(
    args: &ReproduceArgs,
    results: &[(Experiment, Vec<Measurement>)],
) -> Result<(), Failure> {
    let all: Vec<Measurement> = results.iter().flat_map(|(_, runs)| runs.clone()).collect();
    write_measured(&args.output, &all)?;
    let put = |name: &str, text: String| write_file(&args.output.join(name), text.as_bytes());
    put("results.md", markdown(results, args.scale))?;
    let charts: Vec<_> =
        results.iter().map(|(experiment, runs)| pictures::own(experiment, runs)).collect();
    for ((experiment, _), chart) in results.iter().zip(&charts) {
        put(&format!("{}.svg", experiment.letter), chart.svg())?;
    }
    if let Some(path) = &args.report {
        let page = hajnal2023::page::page(results, &charts, args.scale);
        write_file(path, page.as_bytes())?;
    }
    Ok(())
}

/// Writes the three files of figures.
fn write_measured(folder: &Path, measured: &[Measurement]) -> Result<(), Failure> {
    let put = |name: &str, text: String| write_file(&folder.join(name), text.as_bytes());
    put("results.csv", csv::results(measured))?;
    put("epochs.csv", csv::epochs(measured))?;
    put("seconds.csv", csv::seconds(measured))
}
