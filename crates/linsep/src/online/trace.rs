//! A method's updates one by one, to be looked at.
//!
//! No method knows that it is traced. The driver shows it one row at a time, which the contract of [`Method`] makes
//! the same run, and keeps a step whenever the method says that it changed its weights: which row it was, w·z before
//! and after, and the hyperplane that the method would answer with now. Once as many steps are kept as were asked for,
//! rows are shown in spans again, and further updates are counted alone.
//!
//! Where a method answers with something else than the vector that it corrects, such as an average, the hyperplane
//! and the scores are those of its answer.

use linsep_data::Data;

use super::{Method, Tally};
use crate::Hyperplane;
use crate::lift::Rows;

/// Numbers that the hyperplanes of a trace may take (64 MiB): with many features fewer steps are kept.
pub(super) const MOST_VALUES: usize = 1 << 23;

/// Updates that are kept where somebody asks for a trace and names no number.
pub const USUAL_STEPS: usize = 1_000;

/// Updates that may be asked for: nobody looks at more.
pub const MOST_STEPS: usize = 100_000;

/// The updates of a run, from its start or from the checkpoint that it went on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The hyperplane before the first update.
    pub start: Hyperplane,
    /// The first updates.
    pub steps: Vec<TraceStep>,
    /// How many came after them.
    pub left_out: u64,
}

/// One update.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceStep {
    /// The epoch, counted from 1.
    pub epoch: u64,
    /// The row that caused it; none at the end of an epoch, as for a projection.
    pub visited: Option<TracedRow>,
    /// The hyperplane after it, in the units of the data.
    pub hyperplane: Hyperplane,
}

/// The row that caused an update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedRow {
    /// The row, counted from 0.
    pub row: usize,
    /// Whether it was on the wrong side of the vector that the method corrects. Some methods learn from other rows too.
    pub mistake: bool,
    /// w·z for the hyperplane of the step before, as the method sees the row, at length one.
    pub score_before: f64,
    /// w·z for the hyperplane of this step.
    pub score_after: f64,
}

impl TraceStep {
    /// Returns what the row that caused it is called: its name, or its number where the first one has number `first`;
    /// nothing at the end of an epoch.
    pub fn called(&self, data: &dyn Data, first: usize) -> String {
        let Some(TracedRow { row, .. }) = self.visited else { return String::new() };
        // Who is told as it happens is better served by a number than by an error.
        let name = data.row_names(&[row]).ok().flatten().and_then(|names| names.into_iter().next());
        name.unwrap_or_else(|| (data.about().rows.in_file(row) + first).to_string())
    }
}

/// Keeps the steps of a run.
pub(super) struct Tracer {
    trace: Trace,
    most: usize,
    /// The answer after the last step, as the method has it.
    answer: Vec<f64>,
    /// Updates before the run, and those that are kept.
    before: u64,
    kept: u64,
}

impl Tracer {
    /// Returns what keeps at most `most` steps of a run that has made `before` updates already.
    pub(super) fn new(method: &dyn Method, start: Hyperplane, most: usize, before: u64) -> Self {
        let answer = method.answer();
        let most = most.min(MOST_VALUES / answer.len());
        let trace = Trace { start, steps: vec![], left_out: 0 };
        Tracer { trace, most, answer, before, kept: 0 }
    }

    /// Returns true if there is room for more steps.
    pub(super) fn has_room(&self) -> bool {
        self.trace.steps.len() < self.most
    }

    /// Keeps what the method did when it was shown a row, or none at the end of an epoch; returns the step.
    pub(super) fn note(
        &mut self,
        method: &dyn Method,
        (epoch, tally): (u64, Tally),
        visited: Option<(&Rows, usize)>,
        hyperplane: impl FnOnce(Vec<f64>) -> Hyperplane,
    ) -> &TraceStep {
        let answer = method.answer();
        let visited = visited.map(|(rows, row)| TracedRow {
            row,
            mistake: tally.mistakes > 0,
            score_before: rows.unit_score(row, &self.answer),
            score_after: rows.unit_score(row, &answer),
        });
        self.kept += tally.updates;
        self.answer.clone_from(&answer);
        self.trace.steps.push(TraceStep { epoch, visited, hyperplane: hyperplane(answer) });
        self.trace.steps.last().expect("it was just kept")
    }

    /// Returns the trace of a run that has made `updates` updates in all.
    pub(super) fn finish(mut self, updates: u64) -> Trace {
        self.trace.left_out = updates - self.before - self.kept;
        self.trace
    }
}
