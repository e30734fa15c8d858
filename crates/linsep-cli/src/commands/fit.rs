//! `linsep fit`: train a hyperplane with an online method.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::data::Data;
use linsep::saved::Model;
use linsep::online::{
    Checkpoint, EpochRecord, FitError, FitSettings, MethodSettings, Observer, Progress, Stop,
    fit_data, sorted_by_class,
};
use linsep::picture::{Marks, picture};
use linsep_report::{json, page, text};

use super::{distances_from, load, method, name};
use crate::args::{FitArgs, RunArgs};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{OutputFile, create_if, print, write_file};
use crate::progress::FitProgress;
use crate::screen::Screen;

/// Runs the command.
pub fn run(
    args: &FitArgs,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let settings = FitSettings {
        evaluate_epochs: args.evaluate_epochs,
        keep_history: args.history.is_some() || args.report.is_some(),
        checkpoint_every: args.checkpoint.as_ref().map(|_| args.checkpoint_every),
        ..settings(method::settings(&args.method)?, &args.run)
    };
    if args.one_vs_rest {
        return super::fit_classes::run(args, &settings, quiet, screen, interrupt);
    }
    let checkpoint = match &args.checkpoint {
        Some(path) if args.resume => Some(read_checkpoint(path)?),
        _ => None,
    };
    let model_file = create_if(args.output.as_deref())?;
    let mut history = create_if(args.history.as_deref())?;
    let report = create_if(args.report.as_deref())?;

    let loaded = load(&args.data, &args.input, &args.stream, quiet)?;
    let mut watcher = Watcher {
        progress: FitProgress::new(settings.method.name(), quiet),
        cancelled: interrupt.heed(),
        checkpoint: args.checkpoint.as_deref(),
        failure: None,
    };
    let fit = loaded.show(|data| fit_data(data, &settings, &mut watcher, checkpoint));
    let fit = fit.map_err(Failure::fit)?;
    let Watcher { progress, failure, .. } = watcher;
    drop(progress);
    if let Some(failure) = failure {
        return Err(failure);
    }

    if let Some(file) = &mut history {
        write_history(file, &settings.method, &fit.history)?;
    }
    history.map(OutputFile::finish).transpose()?;
    if let Some(mut file) = model_file {
        let model = loaded.show(|data| Model::new(data, &settings, &fit)).to_json();
        file.write(|out| out.write_all(model.as_bytes()))?;
        file.finish()?;
    }
    if let Some(mut file) = report {
        let page = loaded.show(|data| {
            let drawn = picture(data, &fit.hyperplane, &Marks::default())?;
            Ok::<_, Failure>(page::fit::page(
                data,
                &settings.method,
                &fit,
                &drawn,
                &name(&args.data),
            ))
        })?;
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    match args.json {
        true => {
            let object = loaded.show(|data| json::fit(data, &settings.method, &fit));
            print(&format!("{object}\n"))?;
        }
        false => loaded.show(|data| {
            let stopped = matches!(fit.stop, Stop::TimeLimit | Stop::Cancelled);
            let distances = distances_from(data, Some(&fit.hyperplane), stopped)?;
            screen.show(&text::fit(data, &settings.method, &fit, distances.as_ref()))
        })?,
    }
    if !fit.separated() && !quiet {
        loaded.show(|data| warn_if_sorted(data, &settings));
    }
    if let (Some(path), true) = (&args.checkpoint, fit.separated()) {
        // There is nothing to go on with.
        let _ = std::fs::remove_file(path);
    }
    Ok(status(fit.stop))
}

/// Says so if rows come in an order from which online methods learn little.
fn warn_if_sorted(data: &dyn Data, settings: &FitSettings) {
    // Where all rows are looked at at once, their order means nothing.
    if settings.shuffle || settings.method.needs_memory() {
        return;
    }
    if data.resident().is_some_and(|samples| sorted_by_class(samples.positive())) {
        eprintln!(
            "linsep: the rows are sorted by class, and online methods often learn little from that order"
        );
        eprintln!("hint: --shuffle visits them in a new random order each epoch");
    }
}

/// Returns the settings of a run of `method`.
pub fn settings(method: MethodSettings, run: &RunArgs) -> FitSettings {
    FitSettings {
        method,
        max_epochs: run.max_epochs,
        time_limit: run.time_limit,
        shuffle: run.shuffle,
        seed: run.seed,
        ..FitSettings::default()
    }
}

/// Returns the exit status: 0 yes, 1 no, 3 stopped before an answer.
pub fn status(stop: Stop) -> ExitCode {
    ExitCode::from(match stop {
        Stop::Separated => 0,
        Stop::Converged | Stop::EpochLimit => 1,
        Stop::TimeLimit | Stop::Cancelled => 3,
    })
}

/// Writes one line per epoch.
pub fn write_history(
    file: &mut OutputFile,
    method: &MethodSettings,
    records: &[EpochRecord],
) -> Result<(), Failure> {
    file.write(|out| {
        out.write_all(text::history_header().as_bytes())?;
        records.iter().try_for_each(|r| out.write_all(text::history_line(method, r).as_bytes()))
    })
}

fn read_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::input(path, &error))?;
    Checkpoint::from_json(&text).map_err(|error| {
        let what = match error {
            FitError::Damaged(error) => format!("not a checkpoint, or a damaged one: {error}"),
            error => error.to_string(),
        };
        Failure::usage(format!("{}: {what}", path.display()), Some("start again without --resume"))
    })
}

/// Shows progress, keeps checkpoints, and ends the fit on Ctrl-C or when a checkpoint fails.
struct Watcher<'a> {
    progress: FitProgress,
    cancelled: &'a AtomicBool,
    checkpoint: Option<&'a Path>,
    failure: Option<Failure>,
}

impl Observer for Watcher<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.progress.show(progress);
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if let Some(path) = self.checkpoint {
            let text = serde_json::to_string(checkpoint).expect("a checkpoint is plain data");
            if let Err(failure) = write_file(path, text.as_bytes()) {
                self.failure = Some(failure);
                self.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}
