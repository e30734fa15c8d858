//! `linsep reproduce study`: all figures, tables and pictures of the study of the paper.
//!
//! Figures go to CSV files, a folder for each of the two sizes, as soon as an experiment is done. Tables and pictures
//! are made from these files, so one size can be measured without the other.

use std::path::Path;
use std::process::ExitCode;

use hajnal2023::experiments::study::{MAX_EPOCHS, Sizes, steps};
use hajnal2023::experiments::{EXPERIMENTS, Experiment, Measurement};
use hajnal2023::report::article::{self, Study};
use hajnal2023::report::csv;
use linsep::online::FitSettings;

use super::{Watched, cures, write_measured};
use crate::args::{ExperimentArg, ReproduceArgs, SizesArg};
use crate::failure::Failure;
use crate::output::write_file;
use crate::session::Session;

/// Runs the command.
pub fn run(args: &ReproduceArgs, session: &Session) -> Result<ExitCode, Failure> {
    refuse_what_is_fixed(args)?;
    if args.data.is_some() {
        let message = "--data is for reproduce cures".to_string();
        return Err(Failure::usage(message, Some("the study makes its own data")));
    }
    for &sizes in wanted_sizes(args) {
        for experiment in wanted_experiments(args) {
            let measured = run_experiment(experiment, sizes, args, session)?;
            if session.interrupt.asked() {
                // Half an experiment would take the place of a whole one.
                return Ok(ExitCode::from(3));
            }
            replace(&args.output.join(sizes.name()), experiment.letter, measured)?;
        }
    }
    write_article(&args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the sizes to measure.
pub(super) fn wanted_sizes(args: &ReproduceArgs) -> &'static [Sizes] {
    match args.sizes {
        None | Some(SizesArg::Tenth) => &[Sizes::Tenth],
        Some(SizesArg::Stated) => &[Sizes::Stated],
        Some(SizesArg::Both) => &[Sizes::Tenth, Sizes::Stated],
        Some(SizesArg::None) => &[],
    }
}

/// Returns the experiments to measure.
pub(super) fn wanted_experiments(
    args: &ReproduceArgs,
) -> impl Iterator<Item = &'static Experiment> {
    let only = match args.only {
        Some(ExperimentArg::A) => Some('a'),
        Some(ExperimentArg::B) => Some('b'),
        Some(ExperimentArg::C) => Some('c'),
        _ => None,
    };
    EXPERIMENTS.iter().filter(move |e| only.is_none_or(|only| only == e.letter))
}

pub(super) fn refuse_what_is_fixed(args: &ReproduceArgs) -> Result<(), Failure> {
    let given = [
        ("--epsilon", args.epsilon.is_some()),
        ("--relaxation", args.relaxation.is_some()),
        ("--shift", args.shift.is_some()),
        ("--seed", args.seed.is_some()),
        ("--dtype", args.dtype.is_some()),
        ("--time-limit", args.time_limit.is_some()),
        ("--report", args.report.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(
            format!("the study has its own {option}, so that a repetition gives the same files"),
            Some("reproduce all takes it"),
        )),
    }
}

/// Returns all measurements of one experiment at one size.
fn run_experiment(
    experiment: &Experiment,
    sizes: Sizes,
    args: &ReproduceArgs,
    session: &Session,
) -> Result<Vec<Measurement>, Failure> {
    let settings =
        FitSettings { max_epochs: args.max_epochs.min(MAX_EPOCHS), ..FitSettings::default() };
    let watched = Watched { session, settings: &settings };
    let mut all = vec![];
    for step in steps(experiment, sizes, args.scale, args.runs.map(|runs| runs.get())) {
        let seed = step.run as u64;
        let mut measured =
            watched.run(&step.experiment, step.run, seed, sizes.precision(), &step.contenders)?;
        // Only what is drawn: all epochs of all runs are many megabytes.
        measured.iter_mut().filter(|one| !article::is_drawn(one)).for_each(|one| {
            one.history.clear();
        });
        all.extend(measured);
        if session.interrupt.asked() {
            break;
        }
    }
    Ok(all)
}

/// Puts the measurements of an experiment in the place of earlier ones.
fn replace(folder: &Path, letter: char, measured: Vec<Measurement>) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|e| Failure::output(folder, &e))?;
    let mut all = read(folder)?;
    all.retain(|one| one.letter != letter);
    all.extend(measured);
    all.sort_by_key(|one| one.letter);
    write_measured(folder, &all)
}

/// Returns the measurements in a folder; none if there is no such folder.
fn read(folder: &Path) -> Result<Vec<Measurement>, Failure> {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    csv::parse(&text("results.csv"), &text("epochs.csv"), &text("seconds.csv")).map_err(|bad| {
        let hint = "remove the folder, or measure again in another one";
        Failure::usage(format!("{}: {bad}", folder.display()), Some(hint))
    })
}

/// Writes tables and pictures, and fills the tables of the article, if there is one.
pub(super) fn write_article(folder: &Path) -> Result<(), Failure> {
    let [tenth, stated] =
        [Sizes::Tenth, Sizes::Stated].map(|sizes| read(&folder.join(sizes.name())));
    let study = Study { tenth: tenth?, stated: stated?, cures: cures::read_all(folder)? };
    for (name, text) in article::files(&study) {
        write_file(&folder.join(name), text.as_bytes())?;
    }
    let place = folder.join("README.md");
    if let Ok(text) = std::fs::read_to_string(&place) {
        let filled = article::filled(&text, &study)
            .map_err(|bad| Failure::usage(format!("{}: {bad}", place.display()), None))?;
        write_file(&place, filled.as_bytes())?;
    }
    Ok(())
}
