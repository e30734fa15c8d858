//! `linsep fit --one-vs-rest`: one hyperplane per class.

use std::process::ExitCode;

use linsep::classes::fit_one_vs_rest;
use linsep::saved::ClassModel;
use linsep::online::{FitSettings, Stop};
use linsep_report::trained;

use super::classes::read_classes;
use super::race::Lane;
use crate::args::{FitArgs, StreamArg};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{create_if, print};
use crate::progress::FitProgress;
use crate::screen::Screen;

/// Runs the command.
pub fn run(
    args: &FitArgs,
    settings: &FitSettings,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
    let refused = [
        ("--checkpoint", args.checkpoint.is_some()),
        ("--history", args.history.is_some()),
        ("--report", args.report.is_some()),
        ("--positive", args.input.positive.is_some()),
        ("--stream", matches!(args.stream.stream, StreamArg::Yes)),
    ];
    if let Some((option, _)) = refused.into_iter().find(|(_, given)| *given) {
        let message = format!("{option} is for one hyperplane");
        return Err(Failure::usage(message, Some("--positive VALUE trains the one of that class")));
    }
    let model_file = create_if(args.output.as_deref())?;
    let (samples, classes) = read_classes(&args.data, &args.input, quiet)?;
    let cancelled = interrupt.heed();
    let trained = fit_one_vs_rest(&samples, &classes, settings, &mut |class| {
        let what = format!("{} against the rest", classes.names()[class]);
        Box::new(Lane { progress: FitProgress::new(&what, quiet), cancelled })
    });
    let Some(trained) = trained.map_err(Failure::fit)? else {
        return Err(Failure::usage("interrupted".to_string(), None));
    };
    if let Some(mut file) = model_file {
        let model = ClassModel::new(&samples, &classes, settings, &trained.fits).to_json();
        file.write(|out| out.write_all(model.as_bytes()))?;
        file.finish()?;
    }
    match args.json {
        true => {
            let object = trained::json(&samples, &classes, &settings.method, &trained);
            print(&format!("{object}\n"))?;
        }
        false => screen.show(&trained::text(&samples, &classes, &settings.method, &trained))?,
    }
    let stopped = trained.fits.iter().any(|fit| fit.stop == Stop::TimeLimit);
    Ok(ExitCode::from(match () {
        () if trained.fits.iter().all(|fit| fit.separated()) => 0,
        () if stopped => 3,
        () => 1,
    }))
}
