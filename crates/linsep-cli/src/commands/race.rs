//! `linsep race`: several methods on the same data, side by side.

use std::process::ExitCode;

use linsep::ask::RaceQuestion;
use linsep::online::MethodSettings;
use linsep_report::chart::{Chart, Over};
use linsep_report::trace::Traced;
use linsep_report::{page, text};

use super::{method, name, read_samples};
use crate::args::{OverArg, RaceArgs};
use crate::failure::Failure;
use crate::output::{ImageFile, TraceFile, create_if, print};
use crate::session::{Session, status};
use crate::voice::Shell;

/// Runs the command.
pub fn run(args: &RaceArgs, session: &Session) -> Result<ExitCode, Failure> {
    let shuffle = match (args.run.shuffle, args.no_shuffle) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let question = RaceQuestion {
        methods: methods(&args.methods)?,
        scale: args.scale.into(),
        max_epochs: args.run.max_epochs(),
        time_limit: args.run.time_limit(),
        shuffle,
        seed: args.run.seed,
        trace: args.steps.updates(),
    };
    question.validate()?;
    let history = create_if(args.history.as_deref())?;
    let chart = ImageFile::create_if(args.chart.as_deref())?;
    let report = create_if(args.report.as_deref())?;
    let trace = TraceFile::create_if(args.steps.trace.as_deref())?;
    let samples = read_samples(&args.data, &args.input, session.quiet)?;
    let watcher = &mut session.watcher("fitting");
    watcher.tells_updates(args.steps.verbose);
    watcher.names_methods = true;
    let answer = question.ask(&samples, watcher)?;
    watcher.clear();
    if let Some(mut file) = history {
        let runs: Vec<_> = answer.entrants.iter().map(|own| (&own.method, &own.fit)).collect();
        file.write(|out| out.write_all(text::history(&runs).as_bytes()))?;
        file.finish()?;
    }
    let source = name(&args.data);
    if let Some(file) = chart {
        let over = match args.over {
            OverArg::Epochs => Over::Epochs,
            OverArg::Work => Over::Work,
        };
        file.write(&Chart::of_race(&answer, &source, over).svg())?;
    }
    if let Some(mut file) = report {
        let page = page::race::page(&answer, &source, &Shell);
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    if let Some(file) = trace {
        file.write(Traced::race(&answer), &source)?;
    }
    match args.json {
        true => print(&format!("{}\n", answer.to_json()))?,
        false => print(&text::race(&answer, &Shell))?,
    }
    Ok(status(answer.reply()))
}

fn methods(names: &[String]) -> Result<Vec<MethodSettings>, Failure> {
    match names {
        [all] if all == "all" => Ok(MethodSettings::all()),
        _ => names.iter().map(|name| method::by_name(name.trim())).collect(),
    }
}
