//! What every command has: a screen, an ear for Ctrl-C, and a line of progress.

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use linsep::Watch;
use linsep::ask::Reply;
use linsep::data::Data;
use linsep::data::error::escaped;
use linsep::online::{Checkpoint, EpochRecord, Progress, TraceStep};
use linsep::watch::{Pass, Removing, Stage};
use linsep_report::counted;
use linsep_report::summary::Summary;
use linsep_report::trace;
use linsep_report::voice::Voice;
use serde_json::Value;

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{print, write_file};
use crate::progress::{Bar, FitProgress};
use crate::screen::Screen;
use crate::voice::Shell;

/// What every command has.
pub struct Session<'a> {
    pub quiet: bool,
    pub screen: Screen,
    pub interrupt: &'a Interrupt,
}

impl Session<'_> {
    /// Prints an answer, for programs or for people.
    pub fn show(
        &self,
        json: bool,
        value: impl FnOnce() -> Value,
        summary: impl FnOnce() -> Summary,
    ) -> Result<(), Failure> {
        match json {
            true => print(&format!("{}\n", value())),
            false => self.screen.show(&summary()),
        }
    }

    /// Returns what shows how the work goes on, and ends it on Ctrl-C.
    pub fn watcher(&self, what: &str) -> CliWatcher<'_> {
        CliWatcher {
            quiet: self.quiet,
            bar: RefCell::new(Bar::new(what, self.quiet)),
            fitting: RefCell::new(None),
            cancelled: self.interrupt.heed(),
            method: RefCell::default(),
            names_methods: false,
            verbose: false,
            checkpoint: None,
            failure: None,
        }
    }
}

/// Returns the exit status: 0 yes, 1 no, 3 undecided.
pub fn status(reply: Reply) -> ExitCode {
    ExitCode::from(match reply {
        Reply::Yes => 0,
        Reply::No => 1,
        Reply::Undecided => 3,
    })
}

/// Shows how the work goes on, or tells each step of a method, keeps checkpoints of a fit, and ends the work on Ctrl-C or when a checkpoint fails.
pub struct CliWatcher<'a> {
    quiet: bool,
    bar: RefCell<Bar>,
    fitting: RefCell<Option<FitProgress>>,
    cancelled: &'a AtomicBool,
    /// The method that learns.
    method: RefCell<String>,
    /// Whether lines begin with it.
    pub names_methods: bool,
    verbose: bool,
    pub checkpoint: Option<&'a Path>,
    pub failure: Option<Failure>,
}

impl CliWatcher<'_> {
    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.borrow().clear();
        *self.fitting.borrow_mut() = None;
    }

    /// Tells each step in a line of its own, if asked to; then there is no line that changes.
    pub fn tells_updates(&mut self, verbose: bool) {
        self.verbose = verbose;
        self.quiet |= verbose;
    }

    /// Writes a line to standard error.
    fn tell(&self, line: &str) {
        let method = self.method.borrow();
        let whose = if self.names_methods { format!("{method}: ") } else { String::new() };
        // A name of a row may hold anything. Nobody is left to tell if this fails.
        let _ = writeln!(io::stderr(), "{}", escaped(&format!("{whose}{line}")));
    }
}

impl Watch for CliWatcher<'_> {
    fn stage(&self, stage: &Stage) {
        let begin = |what: &str| {
            self.bar.borrow().clear();
            *self.bar.borrow_mut() = Bar::new(what, self.quiet);
        };
        match stage {
            Stage::Deciding => {}
            Stage::Explaining => {
                begin("explaining");
                self.bar.borrow().say("");
            }
            Stage::Drawing => begin("drawing"),
            Stage::Fitting { what } => {
                self.method.borrow_mut().clone_from(what);
                self.bar.borrow().clear();
                *self.fitting.borrow_mut() = Some(FitProgress::new(what, self.quiet));
            }
            Stage::Answered { done, of } => {
                let share = *done as f64 / *of as f64;
                self.bar.borrow().say_share(&stage.to_string(), Some(share));
            }
            other => self.bar.borrow().say(&other.to_string()),
        }
    }

    fn pass(&mut self, pass: &Pass) {
        let mistakes = counted(pass.mistakes, "mistake");
        self.bar.borrow().say(&format!("pass {} · {mistakes}", pass.passes));
    }

    fn removing(&self, Removing { questions, rows, settled, .. }: &Removing) {
        let best = rows.map_or(String::new(), |rows| {
            format!(" · {} to remove so far", counted(rows as u64, "row"))
        });
        let share = rows.zip(*settled).map(|(rows, settled)| settled as f64 / rows as f64);
        let said = format!("{}{best}", counted(*questions as u64, "question"));
        self.bar.borrow().say_share(&said, share);
    }

    fn update(&mut self, step: &TraceStep, data: &dyn Data) {
        if self.verbose {
            let row = step.called(data, Shell.first());
            self.tell(&trace::line(step, &self.method.borrow(), &row));
        }
    }

    fn updates_left_out(&mut self, updates: u64) {
        if self.verbose {
            self.tell(&trace::left_out(updates));
        }
    }

    fn epoch(&mut self, record: &EpochRecord) {
        if self.verbose {
            self.tell(&trace::epoch(record));
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if let Some(fitting) = self.fitting.get_mut() {
            fitting.show(progress);
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if let Some(path) = self.checkpoint {
            let text = serde_json::to_string(checkpoint).expect("a checkpoint is plain data");
            if let Err(failure) = write_file(path, text.as_bytes()) {
                self.failure = Some(failure);
                self.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.cancelled)
    }
}
