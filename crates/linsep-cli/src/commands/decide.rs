//! `linsep decide`: the verdict, with its proof; of two classes, or of many.

use std::path::Path;
use std::process::ExitCode;

use linsep::ask::{ClassesQuestion, DecideQuestion};
use linsep::data::read::ColumnChoice;
use linsep_report::heat_map::heat_map;
use linsep_report::page::{self, Context};
use linsep_report::{classes, decision, rows_chart};

use super::{load, name, read_classes};
use crate::args::{DataArgs, DecideArgs, StreamArg};
use crate::failure::Failure;
use crate::output::{ImageFile, create_if, write_file};
use crate::session::{Session, status};
use crate::voice::{Shell, quoted, quoted_file};

/// Runs the command.
pub fn run(args: &DecideArgs, session: &Session) -> Result<ExitCode, Failure> {
    if args.pairs || args.one_vs_rest || args.argmax {
        return many(args, session);
    }
    let question = DecideQuestion {
        margin: args.margin.goal(),
        margin_kind: args.margin_kind.kind(),
        gap: args.gap,
        conflict: args.conflict.form(),
        max_passes: args.limits.max_passes(),
        time_limit: args.limits.time_limit(),
        explain: args.explain,
        distances: !args.json,
        picture: args.report.is_some() || args.chart.is_some(),
        checkpoint: args.checkpoint.clone(),
        resume: args.resume,
    };
    // First of all: an old checkpoint is not given up for a name that cannot be.
    let chart = ImageFile::create_if(args.chart.as_deref())?;
    question.validate().map_err(|error| failure(args, error))?;
    let proof_file = create_if(args.proof.as_deref())?;
    let report = create_if(args.report.as_deref())?;
    let loaded = load(&args.data, &args.input, &args.stream, session.quiet)?;
    let mut watcher = session.watcher("deciding");
    let answer = loaded.show(|data| question.ask(data, &mut watcher));
    watcher.clear();
    let answer = answer.map_err(|error| failure(args, error))?;
    // Where nothing was proven there is no file.
    if let (Some(mut file), Some(proof)) = (proof_file, answer.decision.proof()) {
        file.write(|out| out.write_all(proof.to_json().as_bytes()))?;
        file.finish()?;
    }
    if let Some(mut file) = report {
        let page = page::decision::page(&answer, &context(args), &Shell);
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    if let Some(chart) = chart
        && let Some(drawn) = rows_chart::of_decision(&answer, &name(&args.data), &Shell)
    {
        chart.write(&drawn.file())?;
    }
    if args.json && answer.is_unexplained() {
        eprintln!(
            "linsep: --explain is left out: it needs all rows in memory, and they do not fit"
        );
    }
    session.show(args.json, || answer.to_json(), || decision::text(&answer, &Shell))?;
    Ok(status(answer.reply()))
}

fn failure(args: &DecideArgs, error: linsep::ask::AskError) -> Failure {
    Failure::asking(error, args.checkpoint.as_deref())
}

/// Asks about many classes.
fn many(args: &DecideArgs, session: &Session) -> Result<ExitCode, Failure> {
    let question = ClassesQuestion {
        pairs: args.pairs,
        one_vs_rest: args.one_vs_rest,
        argmax: args.argmax,
        margin: args.margin.goal(),
        margin_kind: args.margin_kind.kind(),
        gap: args.gap,
        conflict: args.conflict.form(),
        max_passes: args.limits.max_passes(),
        time_limit: args.limits.time_limit(),
        explain: args.explain,
    };
    question.validate()?;
    refuse_what_is_of_two_classes(args)?;
    let nothing_to_draw = || {
        let hint = "--pairs and --one-vs-rest make a matrix, of up to 60 classes";
        Failure::usage("--chart has nothing to draw".to_string(), Some(hint))
    };
    if args.chart.is_some() && !args.pairs && !args.one_vs_rest {
        return Err(nothing_to_draw());
    }
    let report = create_if(args.report.as_deref())?;
    let chart = ImageFile::create_if(args.chart.as_deref())?;
    if let Some(folder) = &args.proof {
        std::fs::create_dir_all(folder).map_err(|error| Failure::output(folder, &error))?;
    }
    let (samples, names) = read_classes(&args.data, &args.input, session.quiet)?;
    let mut watcher = session.watcher("deciding");
    let mut answer = question.ask(&samples, &names, &mut watcher)?;
    watcher.clear();
    if let Some(folder) = &args.proof {
        answer.write_proofs(folder, &mut write_file)?;
        answer.proofs = Some(folder.display().to_string());
    }
    if let Some(mut file) = report {
        let page = page::classes::page(&answer, &context(args));
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    if let Some(chart) = chart {
        let drawn = heat_map(&answer, &format!("Separable classes: {}", name(&args.data)));
        chart.write(&drawn.ok_or_else(nothing_to_draw)?.file())?;
    }
    session.show(args.json, || answer.to_json(), || classes::text(&answer, &Shell))?;
    Ok(status(answer.reply()))
}

fn refuse_what_is_of_two_classes(args: &DecideArgs) -> Result<(), Failure> {
    let refused = match () {
        () if args.input.positive.is_some() => "--positive",
        () if args.checkpoint.is_some() => "--checkpoint",
        () if matches!(args.stream.stream, StreamArg::Yes) => "--stream",
        () => return Ok(()),
    };
    Err(Failure::usage(
        format!("{refused} is for a question about two classes"),
        Some("--classes A,B, without --pairs, --one-vs-rest and --argmax, asks about two of them"),
    ))
}

/// Returns what a page says beside the answer: the commands that check it.
fn context(args: &DecideArgs) -> Context {
    let DataArgs { label, positive, classes, features, exclude, .. } = &args.input;
    let label = label.as_ref().map(|label| match label {
        ColumnChoice::Name(name) => name.clone(),
        ColumnChoice::Number(number) => number.to_string(),
    });
    let classes = (!classes.is_empty()).then(|| classes.join(","));
    let options = [
        ("--label", label.as_ref()),
        ("--positive", positive.as_ref()),
        ("--classes", classes.as_ref()),
        ("--features", features.as_ref()),
        ("--exclude", exclude.as_ref()),
    ];
    let options = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let options: String =
        options.map(|(name, value)| format!(" {name} {}", quoted(value))).collect();
    let kinds = [
        (args.pairs, " --pairs"),
        (args.one_vs_rest, " --one-vs-rest"),
        (args.argmax, " --argmax"),
    ];
    let kinds: String = kinds.iter().filter(|(asked, _)| *asked).map(|(_, flag)| *flag).collect();
    let (source, file) = (name(&args.data), args.proof.as_deref().and_then(Path::file_name));
    let default = if kinds.is_empty() { "proof.json" } else { "proofs" };
    let file = file.map_or(default.to_string(), |name| quoted_file(&name.to_string_lossy()));
    let data = quoted_file(&source);
    let make = match args.proof {
        Some(_) => String::new(),
        None => format!("linsep decide {data}{kinds} --proof {file}{options}\n"),
    };
    let check = format!("{make}linsep verify {data} {file}{kinds}{options}");
    Context { source, check }
}
