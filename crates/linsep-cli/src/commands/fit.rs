//! `linsep fit`: train a hyperplane with an online method, or one per class.

use std::path::Path;
use std::process::ExitCode;

use linsep::ask::FitQuestion;
use linsep::data::whole_file::read_text;
use linsep::online::{Checkpoint, FitError};
use linsep_report::trace::Traced;
use linsep_report::{page, rows_chart, text, trained};

use super::{load, method, name, read_classes};
use crate::args::{FitArgs, StreamArg};
use crate::failure::Failure;
use crate::output::{ImageFile, TraceFile, create_if};
use crate::session::{Session, status};
use crate::voice::Shell;

/// Runs the command.
pub fn run(args: &FitArgs, session: &Session) -> Result<ExitCode, Failure> {
    let question = FitQuestion {
        method: method::settings(&args.method)?,
        scale: args.method.scale.into(),
        max_epochs: args.run.max_epochs(),
        time_limit: args.run.time_limit(),
        shuffle: args.run.shuffle,
        seed: args.run.seed,
        evaluate_epochs: args.evaluate_epochs,
        history: args.history.is_some() || args.report.is_some(),
        checkpoint_every: args.checkpoint.as_ref().map(|_| args.checkpoint_every.as_secs_f64()),
        distances: !args.json,
        picture: args.report.is_some() || args.chart.is_some(),
        trace: args.steps.updates(),
    };
    question.validate()?;
    if args.one_vs_rest {
        return many(args, &question, session);
    }
    let checkpoint = match &args.checkpoint {
        Some(path) if args.resume => Some(read_checkpoint(path)?),
        _ => None,
    };
    let chart = ImageFile::create_if(args.chart.as_deref())?;
    let model_file = create_if(args.output.as_deref())?;
    let history = create_if(args.history.as_deref())?;
    let report = create_if(args.report.as_deref())?;
    let trace = TraceFile::create_if(args.steps.trace.as_deref())?;
    let loaded = load(&args.data, &args.input, &args.stream, session.quiet)?;
    let mut watcher = session.watcher("fitting");
    watcher.checkpoint = args.checkpoint.as_deref();
    watcher.tells_updates(args.steps.verbose);
    let answer = loaded.show(|data| question.ask(data, checkpoint, &mut watcher))?;
    watcher.clear();
    if let Some(failure) = watcher.failure {
        return Err(failure);
    }
    if let Some(mut file) = history {
        let csv = text::history(&[(&question.method, &answer.fit)]);
        file.write(|out| out.write_all(csv.as_bytes()))?;
        file.finish()?;
    }
    if let Some(mut file) = model_file {
        file.write(|out| out.write_all(answer.model.to_json().as_bytes()))?;
        file.finish()?;
    }
    if let Some(mut file) = report {
        let page = page::fit::page(&answer, &name(&args.data), &Shell);
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    if let Some(chart) = chart
        && let Some(drawn) = rows_chart::of_fit(&answer, &name(&args.data), &Shell)
    {
        chart.write(&drawn.file())?;
    }
    if let Some(file) = trace {
        file.write(Traced::fit(&answer), &name(&args.data))?;
    }
    session.show(args.json, || answer.to_json(), || text::fit(&answer, &Shell))?;
    if let (Some(path), true) = (&args.checkpoint, answer.fit.separated()) {
        // There is nothing to go on with.
        let _ = std::fs::remove_file(path);
    }
    Ok(status(answer.reply()))
}

/// Trains one hyperplane per class.
fn many(args: &FitArgs, question: &FitQuestion, session: &Session) -> Result<ExitCode, Failure> {
    let refused = [
        ("--checkpoint", args.checkpoint.is_some()),
        ("--history", args.history.is_some()),
        ("--report", args.report.is_some()),
        ("--chart", args.chart.is_some()),
        ("--trace", args.steps.trace.is_some()),
        ("--verbose", args.steps.verbose),
        ("--positive", args.input.positive.is_some()),
        ("--stream", matches!(args.stream.stream, StreamArg::Yes)),
    ];
    if let Some((option, _)) = refused.into_iter().find(|(_, given)| *given) {
        let message = format!("{option} is for one hyperplane");
        return Err(Failure::usage(message, Some("--positive VALUE trains the one of that class")));
    }
    let model_file = create_if(args.output.as_deref())?;
    let (samples, classes) = read_classes(&args.data, &args.input, session.quiet)?;
    let watcher = &mut session.watcher("fitting");
    let answer = question.ask_classes(&samples, &classes, watcher)?;
    watcher.clear();
    if let Some(mut file) = model_file {
        file.write(|out| out.write_all(answer.model.to_json().as_bytes()))?;
        file.finish()?;
    }
    session.show(args.json, || answer.to_json(), || trained::text(&answer, &Shell))?;
    Ok(status(answer.reply()))
}

fn read_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    let text = read_text(path).map_err(|error| Failure::input(path, &error))?;
    Checkpoint::from_json(&text).map_err(|error| {
        let what = match error {
            FitError::Damaged(error) => format!("not a checkpoint, or a damaged one: {error}"),
            error => error.to_string(),
        };
        Failure::usage(format!("{}: {what}", path.display()), Some("start again without --resume"))
    })
}
