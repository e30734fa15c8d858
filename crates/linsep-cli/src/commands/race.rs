//! `linsep race`: several methods on the same data, side by side.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::data::{Data, Memory};
use linsep::online::{FitSettings, MethodSettings, Observer, Progress, sorted_by_class};
use linsep::race::{Entrant, race};
use linsep::report::chart::{Line, accuracy_over_epochs};
use linsep::report::{counted, json, text};

use super::fit::settings;
use super::{method, read_samples};
use crate::args::RaceArgs;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{OutputFile, create_if, print};
use crate::progress::FitProgress;

/// Runs the command.
pub fn run(args: &RaceArgs, quiet: bool, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let methods = methods(&args.methods)?;
    let history = create_if(args.history.as_deref())?;
    let chart = create_if(args.chart.as_deref())?;
    let samples = read_samples(&args.data, &args.input, quiet)?;
    let data = Memory::new(&samples);
    let sorted = !args.run.shuffle && sorted_by_class(samples.positive());
    let shuffle = args.run.shuffle || sorted && !args.no_shuffle;
    if sorted && shuffle && !quiet {
        eprintln!(
            "linsep: the rows are sorted by class, so each epoch visits them in a new random order \
             (--no-shuffle keeps theirs)"
        );
    }
    let settings =
        FitSettings { evaluate_epochs: true, shuffle, ..settings(methods[0].clone(), &args.run) };
    let cancelled = interrupt.heed();
    let entrants = race(&samples, &methods, &settings, &mut |method| {
        Box::new(Lane { progress: FitProgress::new(method.name(), quiet), cancelled })
    })
    .map_err(Failure::fit)?;

    if let Some(mut file) = history {
        let mut csv = text::history_header().to_string();
        for Entrant { method, fit } in &entrants {
            csv.extend(fit.history.iter().map(|record| text::history_line(method, record)));
        }
        put(&mut file, &csv)?;
        file.finish()?;
    }
    if let Some(mut file) = chart {
        let rows = samples.rows() as u64;
        let title = format!(
            "accuracy over epochs ({}, {})",
            counted(rows, "sample"),
            counted(samples.columns() as u64, "feature")
        );
        put(&mut file, &accuracy_over_epochs(&title, &lines(&entrants, rows)))?;
        file.finish()?;
    }
    match args.json {
        true => print(&format!("{}\n", json::race(&data, &entrants, shuffle)))?,
        false => print(&text::race(data.shape(), &entrants, shuffle))?,
    }
    let any = entrants.iter().any(|entrant| entrant.fit.separated());
    Ok(ExitCode::from(if any {
        0
    } else if interrupt.asked() {
        3
    } else {
        1
    }))
}

fn put(file: &mut OutputFile, text: &str) -> Result<(), Failure> {
    file.write(|out| out.write_all(text.as_bytes()))
}

fn methods(names: &[String]) -> Result<Vec<MethodSettings>, Failure> {
    match names {
        [all] if all == "all" => Ok(MethodSettings::all()),
        _ => names.iter().map(|name| method::by_name(name.trim())).collect(),
    }
}

/// The accuracy of what each method would have answered after each epoch.
fn lines(entrants: &[Entrant], rows: u64) -> Vec<Line> {
    let line = |entrant: &Entrant| Line {
        name: entrant.method.name().to_string(),
        dashed: false,
        accuracy: entrant
            .fit
            .history
            .iter()
            .filter_map(|record| record.evaluated_mistakes)
            .map(|mistakes| 1.0 - mistakes as f64 / rows as f64)
            .collect(),
    };
    entrants.iter().map(line).collect()
}

/// Shows the progress of one method, and ends it on Ctrl-C.
pub struct Lane<'a> {
    pub progress: FitProgress,
    pub cancelled: &'a AtomicBool,
}

impl Observer for Lane<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.progress.show(progress);
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}
