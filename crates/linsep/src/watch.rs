//! Looking on while an answer comes about: one trait for whatever is asked.

use std::fmt;
use std::sync::atomic::AtomicBool;

use linsep_data::Data;

use crate::online::{Checkpoint, EpochRecord, Progress, TraceStep};

/// Sees an answer come about. Every hook is optional.
pub trait Watch {
    /// Called when a stage of the work begins.
    fn stage(&self, _stage: &Stage) {}
    /// Called after each pass of a search.
    fn pass(&mut self, _pass: &Pass) {}
    /// Called after each question of an explanation.
    fn removing(&self, _removing: &Removing) {}
    /// Called after each epoch of a fit.
    fn epoch(&mut self, _record: &EpochRecord) {}
    /// Called after each update of a fit that [`FitSettings::trace`](crate::online::FitSettings) keeps; `data` knows
    /// what rows are called.
    fn update(&mut self, _step: &TraceStep, _data: &dyn Data) {}
    /// Called at the end of a fit with how many updates were not kept, if there were any.
    fn updates_left_out(&mut self, _updates: u64) {}
    /// Called up to many times per second of a fit; what it costs is charged to the fit.
    fn progress(&mut self, _progress: &Progress) {}
    /// Called as often as [`FitSettings::checkpoint_every`](crate::online::FitSettings) says, and at an early stop.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
    /// Returns the flag that ends the work once it is true.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }
}

/// The watch that looks away.
impl Watch for () {}

/// A stage of the work. Displayed in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// It is decided whether the rows are separable, and with which margin.
    Deciding,
    /// Rows are looked for without which the rest is separable.
    Explaining,
    /// Rows are read to be drawn.
    Drawing,
    /// One of several questions has been answered.
    Answered {
        /// How many are done.
        done: usize,
        /// Of how many.
        of: usize,
    },
    /// It is decided whether one classifier can be right on all classes.
    Argmax,
    /// A method begins to learn, or a class is learnt.
    Fitting {
        /// What it is called.
        what: String,
    },
    /// Hyperplanes are learnt and asked about rows that they have not seen.
    Learning {
        /// Which round, from 1.
        round: usize,
        /// Of how many.
        rounds: usize,
    },
    /// Margins without single rows are bounded.
    LeavingOut {
        /// How many rows are done.
        rows: usize,
        /// Of how many.
        of: usize,
    },
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Stage::Deciding => f.write_str("deciding whether the rows are separable"),
            Stage::Explaining => f.write_str("looking for rows that stand in the way"),
            Stage::Drawing => f.write_str("drawing"),
            Stage::Answered { done, of } => write!(f, "{done} of {of} questions"),
            Stage::Argmax => f.write_str("one classifier for all"),
            Stage::Fitting { what } => f.write_str(what),
            Stage::Learning { round, rounds } => write!(f, "learning, round {round} of {rounds}"),
            Stage::LeavingOut { rows, of } => write!(f, "leaving out row {} of {of}", rows + 1),
        }
    }
}

/// Where the search for rows to remove stands.
#[derive(Clone, Debug)]
pub struct Removing {
    /// Questions that were asked.
    pub questions: usize,
    /// Rows of the smallest set known so far without which the rest is separable; none if none is known.
    pub rows: Option<usize>,
    /// How many of them are known to have to stay out, or could not be put back; none before this is tried.
    pub settled: Option<usize>,
}

/// Where the search stands after a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Passes so far.
    pub passes: u64,
    /// Mistakes of the candidate of this pass.
    pub mistakes: u64,
    /// Bounds on the largest margin, as floats have them: the angular one until a separator is known.
    pub lower: f64,
    /// See `lower`.
    pub upper: f64,
}
