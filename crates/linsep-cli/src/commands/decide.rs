//! `linsep decide`: the verdict, with its proof.

use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use linsep::data::Data;
use linsep::data::read::ColumnChoice;
use linsep::decide::{
    DecideError, DecideOptions, Decision, ExplainOptions, Explanation, Journal, MarginGoal,
    MarginKind, Pass, Removing, Verdict, Watch, decide_data, decide_resumable, explain_data,
};
use linsep::picture::decision_picture;
use linsep_report::page::{
    self,
    decision::{Context, Timed},
};
use linsep_report::{counted, json};

use super::{distances_from, load, name};
use crate::args::{DataArgs, DecideArgs, MarginArg, MarginKindArg};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{create_if, print};
use crate::progress::Bar;
use crate::screen::Screen;

/// Runs the command.
pub fn run(
    args: &DecideArgs,
    quiet: bool,
    screen: Screen,
    interrupt: &Interrupt,
) -> Result<ExitCode, Failure> {
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
    if args.pairs || args.one_vs_rest || args.argmax {
        return super::classes::run(args, options, quiet, screen, interrupt);
    }
    if args.chart.is_some() {
        let message = "--chart draws a matrix of classes".to_string();
        return Err(Failure::usage(message, Some("--report FILE.html draws two classes")));
    }
    let proof_file = create_if(args.proof.as_deref())?;
    let report = create_if(args.report.as_deref())?;
    let journal = args.checkpoint.as_deref().map(|path| Kept::open(path, args.resume));
    let mut journal = journal.transpose()?;
    let loaded = load(&args.data, &args.input, &args.stream, quiet).inspect_err(|_| {
        if let Some(kept) = journal.as_ref().filter(|_| !args.resume) {
            kept.remove();
        }
    })?;
    let (bar, cancelled) = (Bar::new("deciding", quiet), interrupt.heed());
    let mut watcher = Watcher { bar, cancelled, started: Instant::now(), passes: vec![] };
    let decision = loaded.show(|data| {
        let mut decision = match &mut journal {
            Some(kept) => kept.decide(data, &options, &mut watcher)?,
            None => decide_data(data, &options, &mut watcher)?,
        };
        watcher.bar.clear();
        let explanation = match args.explain {
            true => explained(data, &decision, &options, &mut watcher, quiet)?,
            false => None,
        };
        let explanation = explanation.as_ref();
        if let Some(explanation) = explanation {
            explanation.extend_proof(&mut decision);
        }
        // Where nothing was proven there is no file.
        if let (Some(mut file), Some(proof)) = (proof_file, decision.proof()) {
            file.write(|out| out.write_all(proof.to_json().as_bytes()))?;
            file.finish()?;
        }
        // All that is read is read before anything is said, so that the passes that are printed are all of them.
        let (before, started) = (passes(data), Instant::now());
        let searched = std::mem::take(&mut watcher.passes);
        let distances = match args.json {
            true => None,
            false => distances_from(data, decision.hyperplane(), decision.unfinished)?,
        };
        let drawn = match &report {
            Some(_) => {
                watcher.bar = Bar::new("drawing", quiet);
                let drawn = decision_picture(data, &decision, explanation, &mut watcher)?;
                watcher.bar.clear();
                Some(drawn)
            }
            None => None,
        };
        decision.drew(passes(data) - before, started.elapsed().as_secs_f64());
        if let Some(mut file) = report {
            let context = context(args, searched);
            let drawn = drawn.as_ref();
            let page = page::decision::page(data, &decision, explanation, drawn, &context);
            file.write(|out| out.write_all(page.as_bytes()))?;
            file.finish()?;
        }
        match args.json {
            true => print(&format!("{}\n", json::decision(data, &decision, explanation)?))?,
            false => {
                let distances = distances.as_ref();
                let mut summary =
                    linsep_report::decision::text(data, &decision, explanation, distances)?;
                if let Some(kept) = journal.as_ref().filter(|_| decision.unfinished) {
                    summary.text("go on", &kept.remedy(args.max_passes));
                }
                screen.show(&summary)?;
            }
        }
        Ok::<_, Failure>(decision)
    })?;
    if let Some(kept) = journal.filter(|_| !decision.unfinished) {
        kept.remove();
    }
    Ok(ExitCode::from(match decision.verdict() {
        Some(Verdict::Separable) => 0,
        Some(_) => 1,
        None => 3,
    }))
}

/// Returns the reads of all rows so far.
fn passes(data: &dyn Data) -> u64 {
    data.reads().passes(data.shape())
}

/// Returns what a page says beside the decision itself.
fn context(args: &DecideArgs, passes: Vec<Timed>) -> Context {
    let DataArgs { label, positive, features, exclude, .. } = &args.input;
    let label = label.as_ref().map(|label| match label {
        ColumnChoice::Name(name) => name.clone(),
        ColumnChoice::Number(number) => number.to_string(),
    });
    let options = [
        ("--label", label.as_ref()),
        ("--positive", positive.as_ref()),
        ("--features", features.as_ref()),
        ("--exclude", exclude.as_ref()),
    ];
    let options =
        options.into_iter().filter_map(|(name, value)| Some([name.into(), value?.clone()]));
    Context {
        source: name(&args.data),
        options: options.flatten().collect(),
        proof: args
            .proof
            .as_deref()
            .and_then(Path::file_name)
            .map(|n| n.to_string_lossy().into_owned()),
        passes,
    }
}

/// Returns why data is not separable, if its rows fit in memory.
fn explained(
    data: &dyn Data,
    decision: &Decision,
    options: &DecideOptions,
    watcher: &mut Watcher,
    quiet: bool,
) -> Result<Option<Explanation>, Failure> {
    let limits = ExplainOptions::after(decision, options);
    watcher.bar = Bar::new("explaining", quiet);
    watcher.bar.say("");
    let explanation = explain_data(data, decision, &limits, watcher)?;
    watcher.bar.clear();
    if explanation.is_none() {
        eprintln!(
            "linsep: --explain is left out: it needs all rows in memory, and they do not fit"
        );
    }
    Ok(explanation)
}

/// The journal of a decision, and its place.
struct Kept<'a> {
    path: &'a Path,
    journal: Journal,
}

impl<'a> Kept<'a> {
    /// Opens the journal, so that one that cannot be used is found before the data is read.
    fn open(path: &'a Path, resume: bool) -> Result<Self, Failure> {
        let journal = if resume { Journal::resume(path) } else { Journal::create(path) };
        let journal = journal.map_err(|error| Failure::journal(path, &error))?;
        Ok(Kept { path, journal })
    }

    fn decide(
        &mut self,
        data: &dyn Data,
        options: &DecideOptions,
        watch: &mut dyn Watch,
    ) -> Result<Decision, Failure> {
        let decision = decide_resumable(data, options, watch, &mut self.journal);
        decision.map_err(|error| match error {
            DecideError::Journal(error) => Failure::journal(self.path, &error),
            error => error.into(),
        })
    }

    /// Returns how to go on.
    fn remedy(&self, max_passes: Option<u64>) -> String {
        // Passes that are kept count as passes.
        let more = max_passes.map_or("", |_| ", with a larger --max-passes");
        format!("--resume goes on from {}{more}", self.path.display())
    }

    /// Removes the file: there is nothing to go on with.
    fn remove(&self) {
        // Best effort: what was asked for has been said.
        let _ = std::fs::remove_file(self.path);
    }
}

/// Shows the passes, and ends the work on Ctrl-C.
struct Watcher<'a> {
    bar: Bar,
    cancelled: &'a AtomicBool,
    started: Instant,
    passes: Vec<Timed>,
}

impl Watch for Watcher<'_> {
    fn pass(&mut self, pass: &Pass) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.passes.push(Timed { pass: pass.clone(), seconds });
        let Pass { passes, mistakes, .. } = pass;
        self.bar.say(&format!("pass {passes} · {}", counted(*mistakes, "mistake")));
    }

    fn removing(&self, Removing { questions, rows, settled, .. }: &Removing) {
        let best = rows.map_or(String::new(), |rows| {
            format!(" · {} to remove so far", counted(rows as u64, "row"))
        });
        let share = rows.zip(*settled).map(|(rows, settled)| settled as f64 / rows as f64);
        self.bar.say_share(&format!("{}{best}", counted(*questions as u64, "question")), share);
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}
