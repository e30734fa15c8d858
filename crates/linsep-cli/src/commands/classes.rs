//! `linsep decide --pairs`, `--one-vs-rest` and `--argmax`: questions about many classes.

use std::process::ExitCode;
use std::time::Instant;

use linsep::Samples;
use linsep::classes::{ClassOptions, Question, argmax, decide_questions};
use linsep::data::read;
use linsep::data::samples::Classes;
use linsep::decide::DecideOptions;
use linsep_report::classes::{self as report, Found};
use linsep_report::heat_map::heat_map;
use linsep_report::page;

use super::name;
use super::proofs::Proofs;
use crate::args::{DataArgs, DecideArgs, StreamArg, source};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{ImageFile, create_if, print};
use crate::progress::Bar;
use crate::screen::Screen;

/// Runs the command.
pub fn run(
    args: &DecideArgs,
    options: DecideOptions,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
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
    let (samples, classes) = read_classes(&args.data, &args.input, quiet)?;
    let started = Instant::now();
    let mut questions = vec![];
    if args.pairs {
        questions.extend(Question::pairs(classes.count()));
    }
    if args.one_vs_rest {
        questions.extend(Question::one_vs_rest(classes.count()));
    }
    let (bar, cancelled) = (Bar::new("deciding", quiet), interrupt.heed());
    let mut proofs = Proofs::new(args.proof.clone(), &samples, &classes);
    let mut asked = 0;
    let all = questions.len();
    let class_options = ClassOptions { decide: options.clone(), explain: args.explain };
    let answers = decide_questions(
        &samples,
        &classes,
        &questions,
        &class_options,
        Some(cancelled),
        &mut |answer, decision| {
            asked += 1;
            bar.say_share(&format!("{asked} of {all} questions"), Some(asked as f64 / all as f64));
            proofs.keep(answer, decision)
        },
    )?;
    let argmax = match args.argmax {
        true => {
            bar.say("one classifier for all");
            let spent = started.elapsed();
            let left = options.time_limit.map(|limit| limit.saturating_sub(spent));
            let limits = options.with_time_limit(left.map(|left| left.max(SOON)));
            Some(argmax(&samples, &classes, &answers, &limits, Some(cancelled))?)
        }
        false => None,
    };
    bar.clear();
    if let Some(argmax) = &argmax {
        proofs.keep_argmax(argmax.proof.as_ref())?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let folder = proofs.finish()?;
    let found = Found {
        samples: &samples,
        classes: &classes,
        answers: &answers,
        argmax: argmax.as_ref(),
        proofs: folder.as_deref(),
        seconds,
    };
    if let Some(mut file) = report {
        let page = page::classes::page(&found, &name(&args.data), folder.as_deref());
        file.write(|out| out.write_all(page.as_bytes()))?;
        file.finish()?;
    }
    if let Some(chart) = chart {
        let drawn = heat_map(&found, &format!("Separable classes: {}", name(&args.data)));
        chart.write(&drawn.ok_or_else(nothing_to_draw)?.file())?;
    }
    match args.json {
        true => print(&format!("{}\n", report::json(&found)))?,
        false => screen.show(&report::text(&found))?,
    }
    Ok(ExitCode::from(match found.verdict() {
        Some(true) => 0,
        Some(false) => 1,
        None => 3,
    }))
}

/// The shortest time that may be left.
const SOON: std::time::Duration = std::time::Duration::from_millis(1);

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

/// Reads rows with all their classes, or with those that were chosen.
pub fn read_classes(
    data: &str,
    input: &DataArgs,
    quiet: bool,
) -> Result<(Samples, Classes), Failure> {
    let bar = Bar::new("reading", quiet);
    let options = input.options();
    let progress = |rows| bar.rows(rows, options.meter.share(rows));
    let (samples, classes) = read::read_classes(&source(data), &options, &progress)?;
    bar.clear();
    if input.classes.is_empty() {
        return Ok((samples, classes));
    }
    let mut chosen = vec![];
    for wanted in &input.classes {
        chosen.push(classes.find(wanted).map_err(|error| error.in_source(&source(data).name()))?);
    }
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.len() < 2 {
        let message = "--classes names one class; expected two or more".to_string();
        return Err(Failure::usage(message, Some("--positive sets one class against the rest")));
    }
    Ok(classes.only(&samples, &chosen)?)
}
