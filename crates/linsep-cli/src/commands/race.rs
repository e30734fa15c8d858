//! `linsep race`: several methods on the same data, side by side.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::data::{Data, Memory, Shape};
use linsep::online::{FitSettings, MethodSettings, Observer, Progress, sorted_by_class};
use linsep::race::{Entrant, race};
use linsep_report::chart::{Chart, Line};
use linsep_report::{counted, json, page, text};

use super::fit::settings;
use super::{method, name, read_samples};
use crate::args::{OverArg, RaceArgs};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{ImageFile, OutputFile, create_if, print};
use crate::progress::FitProgress;

/// Runs the command.
pub fn run(args: &RaceArgs, quiet: bool, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let methods = methods(&args.methods)?;
    let history = create_if(args.history.as_deref())?;
    let chart = ImageFile::create_if(args.chart.as_deref())?;
    let report = create_if(args.report.as_deref())?;
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
    let drawn = |over: OverArg| self::chart(&args.data, data.shape(), &entrants, over);
    if let Some(file) = chart {
        file.write(&drawn(args.over).svg())?;
    }
    if let Some(mut file) = report {
        let charts = [drawn(OverArg::Epochs), drawn(OverArg::Work)];
        let note = shuffle.then_some("a new random order in each epoch");
        put(
            &mut file,
            &page::race::page(data.shape(), &entrants, &charts, &name(&args.data), note),
        )?;
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

/// Returns the chart of what each method would have answered after each epoch.
fn chart(data: &str, shape: Shape, entrants: &[Entrant], over: OverArg) -> Chart {
    let rows = shape.rows as f64;
    let line = |Entrant { method, fit }: &Entrant| {
        let points = fit.history.iter().filter_map(|record| {
            let along = match over {
                OverArg::Epochs => record.epoch as f64,
                OverArg::Work => record.rows_evaluated as f64 / rows,
            };
            record.evaluated_mistakes.map(|mistakes| (along, mistakes))
        });
        Line {
            name: method.name().to_string(),
            dashed: false,
            points: points.collect(),
            finished: fit.separated(),
        }
    };
    let size = format!(
        "{} x {}",
        counted(shape.rows as u64, "row"),
        counted(shape.columns as u64, "feature")
    );
    let (what, across) = match over {
        OverArg::Epochs => ("epochs", "epochs"),
        OverArg::Work => ("work", "work, in passes over all rows"),
    };
    Chart {
        title: format!("{}: mistakes left, over {what} ({size})", name(data)),
        across: across.to_string(),
        lines: entrants.iter().map(line).collect(),
    }
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
