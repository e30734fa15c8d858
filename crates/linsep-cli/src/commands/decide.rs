//! `linsep decide`: the verdict, with its proof.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use linsep::data::Memory;
use linsep::decide::{
    DecideOptions, ExplainOptions, MarginGoal, MarginKind, Pass, Removing, Verdict, Watch,
    decide_data, explain,
};
use linsep::report::{self, counted, json};

use super::read_samples;
use crate::args::{DecideArgs, MarginArg, MarginKindArg};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{create_if, print};
use crate::progress::Bar;

/// Runs the command.
pub fn run(args: &DecideArgs, quiet: bool, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let options = DecideOptions::default()
        .with_margin(match args.margin {
            MarginArg::Any => MarginGoal::Any,
            MarginArg::Max => MarginGoal::Max,
        })
        .with_kind(match args.margin_kind {
            MarginKindArg::Angular => MarginKind::Angular,
            MarginKindArg::Geometric => MarginKind::Geometric,
        })
        .with_gap(args.gap)
        .with_max_passes(args.max_passes)
        .with_time_limit(args.time_limit);
    // Before the data is read, which may take long.
    options.validate()?;
    let proof_file = create_if(args.proof.as_deref())?;
    let samples = read_samples(&args.data, &args.input, quiet)?;
    let data = Memory::new(&samples);
    let mut watcher = Watcher { bar: Bar::new("deciding", quiet), cancelled: interrupt.heed() };
    let decision = decide_data(&data, &options, &mut watcher)?;
    watcher.bar.clear();
    let explanation = args.explain.then(|| {
        let limits = ExplainOptions::after(&decision, &options);
        watcher.bar = Bar::new("explaining", quiet);
        watcher.bar.say("");
        explain(&samples, &decision, &limits, &mut watcher)
    });
    watcher.bar.clear();
    let explanation = explanation.as_ref();
    // Where nothing was proven there is no file.
    if let (Some(mut file), Some(proof)) = (proof_file, decision.proof()) {
        file.write(|out| out.write_all(proof.to_json().as_bytes()))?;
        file.finish()?;
    }
    match args.json {
        true => print(&format!("{}\n", json::decision(&data, &decision, explanation)?))?,
        false => print(&report::decision::text(&data, &decision, explanation)?)?,
    }
    Ok(ExitCode::from(match decision.verdict() {
        Some(Verdict::Separable) => 0,
        Some(_) => 1,
        None => 3,
    }))
}

/// Shows the passes, and ends the work on Ctrl-C.
struct Watcher<'a> {
    bar: Bar,
    cancelled: &'a AtomicBool,
}

impl Watch for Watcher<'_> {
    fn pass(&mut self, pass: &Pass) {
        let Pass { passes, mistakes, .. } = pass;
        self.bar.say(&format!("pass {passes} · {}", counted(*mistakes, "mistake")));
    }

    fn removing(&self, Removing { questions, rows, .. }: &Removing) {
        let best = rows.map_or(String::new(), |rows| {
            format!(" · {} to remove so far", counted(rows as u64, "row"))
        });
        self.bar.say(&format!("{}{best}", counted(*questions as u64, "question")));
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}
