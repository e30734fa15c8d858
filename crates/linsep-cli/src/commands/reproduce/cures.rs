//! `linsep reproduce cures`: the paper's method beside `joint` and `corral`, on the paper's data and on files.
//!
//! Figures go to CSV files, a folder for each of the two sizes and one for files, and the tables of the article are
//! filled from all of them, so that one can be measured without the others.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hajnal2023::experiments::cures::{
    CureRun, DataSet, EPSILON, ON_REAL_DATA, SCALES, compete, contenders, steps,
};
use hajnal2023::experiments::last_phase::last_phase;
use hajnal2023::experiments::study::{MAX_EPOCHS, Sizes};
use hajnal2023::experiments::{Contender, Experiment};
use hajnal2023::report::cures::{Cures, csv};
use hajnal2023::report::label;
use linsep::Samples;
use linsep::data::read::{ReadOptions, Source, read};
use linsep::online::{FitSettings, Scaling};
use linsep_report::{counted, duration};

use super::not_measured;
use super::study::{refuse_what_is_fixed, wanted_experiments, wanted_sizes, write_article};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output::{print, write_file};
use crate::session::Session;

/// The folder for figures from files, beside those of the two sizes.
const REAL: &str = "real";

/// Runs the command.
pub fn run(args: &ReproduceArgs, session: &Session) -> Result<ExitCode, Failure> {
    refuse_what_is_fixed(args)?;
    let cures = Measuring { args, session };
    for &sizes in wanted_sizes(args) {
        for experiment in wanted_experiments(args) {
            let Some(measured) = cures.experiment(experiment, sizes)? else {
                // Half an experiment would take the place of a whole one.
                return Ok(ExitCode::from(3));
            };
            replace(&args.output, sizes.name(), measured)?;
        }
    }
    for (group, places) in args.data.as_deref().map(collections).transpose()?.unwrap_or_default() {
        let Some(measured) = cures.collection(&group, &places)? else {
            return Ok(ExitCode::from(3));
        };
        replace(&args.output, REAL, measured)?;
    }
    write_article(&args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// What is measured, and how it is shown.
struct Measuring<'a> {
    args: &'a ReproduceArgs,
    session: &'a Session<'a>,
}

impl Measuring<'_> {
    /// Measures an experiment at one size; returns nothing if cancelled.
    fn experiment(&self, stated: &Experiment, sizes: Sizes) -> Result<Option<Cures>, Failure> {
        let mut all = Cures::default();
        let runs = self.args.runs.map(|runs| runs.get());
        for (experiment, run) in steps(stated, sizes, self.args.scale, runs) {
            let samples = experiment.data(run as u64, sizes.precision())?;
            let set = DataSet::generated(sizes, experiment.letter, run);
            let who = contenders(sizes, experiment.letter, run);
            let Some(trials) = self.trials(&samples, &set, Scaling::None, &who)? else {
                return Ok(None);
            };
            all.trials.extend(trials);
            all.phases.push(last_phase(&samples, &set, EPSILON));
        }
        Ok(Some(all))
    }

    /// Measures on the files of a collection; returns nothing if cancelled.
    fn collection(&self, group: &str, places: &[PathBuf]) -> Result<Option<Cures>, Failure> {
        let mut all = Cures::default();
        for place in places {
            let samples = read(&Source::File(place.clone()), &ReadOptions::default(), &|_| ())?;
            let set = DataSet { group: group.to_string(), name: name_of(place) };
            for scale in SCALES {
                // The engine's answer does not depend on units.
                let own = if scale.is_none() { ON_REAL_DATA.len() } else { ON_REAL_DATA.len() - 1 };
                let Some(trials) = self.trials(&samples, &set, scale, &ON_REAL_DATA[..own])? else {
                    return Ok(None);
                };
                all.trials.extend(trials);
            }
        }
        Ok(Some(all))
    }

    /// Lets contenders run on one data set; prints one line for each.
    fn trials(
        &self,
        samples: &Samples,
        set: &DataSet,
        scale: Scaling,
        contenders: &[Contender],
    ) -> Result<Option<Vec<CureRun>>, Failure> {
        let max_epochs = self.args.max_epochs.min(MAX_EPOCHS);
        let settings = FitSettings { max_epochs, ..FitSettings::default() };
        let mut watcher = self.session.watcher("measuring");
        let measured = compete(samples, set, scale, contenders, &settings, &mut watcher);
        watcher.clear();
        let measured = measured.map_err(not_measured)?;
        for one in measured.iter().flatten() {
            print(&line(one))?;
        }
        Ok(measured)
    }
}

/// Returns what a trial says when it is done; the time is last.
fn line(one: &CureRun) -> String {
    let units = if one.scale.is_none() { "" } else { ", standardised" };
    let who = label(one.contender).replace('`', "");
    let mistakes = one
        .mistakes
        .map_or(String::new(), |mistakes| format!(", {} left", counted(mistakes, "mistake")));
    let looks = if one.contender == Contender::Engine { "pass" } else { "epoch" };
    format!(
        "{} {}{units} {who}: {}, {}{mistakes}, the work of {:.1} passes, {}\n",
        one.set.group,
        one.set.name,
        one.ending.name(),
        counted(one.epochs, looks),
        one.passes(),
        duration(one.seconds)
    )
}

/// Returns the folders in a folder, in the order of their names, and the arrays in each.
fn collections(folder: &Path) -> Result<Vec<(String, Vec<PathBuf>)>, Failure> {
    let inside = |folder: &Path| -> Result<Vec<PathBuf>, Failure> {
        let unreadable = |error| {
            Failure::usage(
                format!("{}: {error}", folder.display()),
                Some("--data takes a folder of folders with arrays"),
            )
        };
        let entries = std::fs::read_dir(folder).map_err(unreadable)?;
        let mut paths = vec![];
        for entry in entries {
            paths.push(entry.map_err(unreadable)?.path());
        }
        paths.sort();
        Ok(paths)
    };
    let mut found = vec![];
    for place in inside(folder)?.into_iter().filter(|place| place.is_dir()) {
        let is_array = |place: &PathBuf| {
            let name = place.to_string_lossy();
            name.ends_with(".npy") && !name.ends_with(".labels.npy")
        };
        let arrays: Vec<PathBuf> = inside(&place)?.into_iter().filter(is_array).collect();
        if !arrays.is_empty() {
            found.push((name_of(&place), arrays));
        }
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(Failure::usage(
            format!("{}: expected COLLECTION/NAME.npy, found none", folder.display()),
            Some("--data takes a folder of folders with arrays"),
        )),
    }
}

/// Returns a name for the files: one cell of a line.
fn name_of(place: &Path) -> String {
    let name = place.file_stem().unwrap_or_default().to_string_lossy();
    name.replace([',', '\n', '\r'], "-")
}

/// Puts measurements in the place of earlier ones of the same data.
fn replace(output: &Path, part: &str, measured: Cures) -> Result<(), Failure> {
    let folder = output.join("cures").join(part);
    std::fs::create_dir_all(&folder).map_err(|e| Failure::output(&folder, &e))?;
    let mut all = read_part(&folder)?;
    let replaced = |group: &str| measured.trials.iter().any(|one| one.set.group == group);
    all.trials.retain(|one| !replaced(&one.set.group));
    all.phases.retain(|one| !replaced(&one.set.group));
    all.extend(measured);
    all.trials.sort_by(|a, b| a.set.group.cmp(&b.set.group));
    all.phases.sort_by(|a, b| a.set.group.cmp(&b.set.group));
    let put = |name: &str, text: String| write_file(&folder.join(name), text.as_bytes());
    put("results.csv", csv::results(&all.trials))?;
    put("seconds.csv", csv::seconds(&all.trials))?;
    if all.phases.is_empty() {
        return Ok(());
    }
    put("last_phase.csv", csv::last_phases(&all.phases))
}

/// Returns all that was measured of the cures.
pub(super) fn read_all(output: &Path) -> Result<Cures, Failure> {
    let mut all = Cures::default();
    for part in [Sizes::Tenth.name(), Sizes::Stated.name(), REAL] {
        all.extend(read_part(&output.join("cures").join(part))?);
    }
    Ok(all)
}

/// Returns the measurements in a folder; none if there is no such folder.
fn read_part(folder: &Path) -> Result<Cures, Failure> {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let [results, seconds, last] = ["results.csv", "seconds.csv", "last_phase.csv"].map(text);
    csv::parse(&results, &seconds, &last).map_err(|bad| {
        let hint = "remove the folder, or measure again in another one";
        Failure::usage(format!("{}: {bad}", folder.display()), Some(hint))
    })
}
