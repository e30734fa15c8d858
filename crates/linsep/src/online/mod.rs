//! The online methods: the paper's `fine` and its rivals, one per file, behind one trait.
//!
//! A [`Method`] only learns from the rows it is shown. The [`driver`] owns everything else: the
//! order of rows, limits, cancellation, observers, checkpoints and [`trace`]s, so that a race is fair.

mod bound;
mod checkpoint;
pub mod corral;
pub mod driver;
pub mod fine;
pub mod joint;
#[cfg(feature = "lp")]
pub mod lp;
pub mod maxover;
pub mod order;
pub mod passive_aggressive;
pub mod perceptron;
pub mod pocket;
mod scale;
pub mod settings;
pub mod sgd;
mod skip;
pub mod smooth;
pub mod svm;
pub mod trace;
pub mod voted;
pub mod winnow;

pub use bound::ShownMargins;
pub use checkpoint::Checkpoint;
pub use driver::{EpochRecord, Fit, FitError, FitSettings, Progress, Stop, fit, fit_data};
pub use order::{Order, Span, sorted_by_class};
pub use scale::Scaling;
pub use settings::{MethodError, MethodSettings};
pub use trace::{Trace, TraceStep, TracedRow};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::decide::Halt;
use crate::hyperplane::norm;
use crate::lift::Rows;

/// Rows whose weighted mean is shorter than this cancel, as far as floats can tell.
const CANCELLED: f64 = 1e-14;

/// A method that learns a hyperplane by visiting rows in order, again and again.
pub trait Method {
    /// Visits the rows of `span` in order, learns from them, and returns what happened.
    ///
    /// An epoch reaches a method as consecutive spans. Where an epoch is cut must change nothing.
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally;

    /// Returns the rows, rising, among which are all that it will look at from this position of the epoch on,
    /// unless it stops before; none if they may be any. Asked only where rows come in their own order.
    fn candidates(&mut self, _from: usize) -> Option<Vec<usize>> {
        None
    }

    /// Returns where it stopped before the end of the last span because a row was not at hand, and forgets it.
    /// It happens only where its own candidates were at hand and have changed since.
    fn stopped(&mut self) -> Option<usize> {
        None
    }

    /// Ends an epoch: work that needs all rows at once, if the method has any. `halt` is asked in what takes longer
    /// than a pass, and ends it once it is true.
    fn end_epoch(&mut self, _rows: &Rows, _halt: Halt) -> EpochEnd {
        EpochEnd::default()
    }

    /// Returns what the method is after, and so when it is done.
    fn goal(&self) -> Goal {
        Goal::Separation
    }

    /// Returns the vector in R^(d+1) that the method would answer with now.
    fn answer(&self) -> Vec<f64>;

    /// Returns an upper bound on the angular margin of any hyperplane, if the method has one.
    fn margin_bound(&self) -> Option<f64> {
        None
    }

    /// Returns all that the method needs to go on later exactly as it would now.
    fn save(&self) -> Value;

    /// Takes up a saved state, or says why it cannot.
    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error>;
}

/// What a method is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Any hyperplane without mistakes: it is done as soon as its answer makes none.
    Separation,
    /// The optimum of its own objective: it is done when it says so.
    Optimum,
}

/// What happened while rows were visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Rows that were on the wrong side when they were visited.
    pub mistakes: u64,
    /// Changes of the weights.
    pub updates: u64,
    /// Scores w·z that were computed.
    pub evaluated: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.mistakes += other.mistakes;
        self.updates += other.updates;
        self.evaluated += other.evaluated;
    }
}

/// What a method says at the end of an epoch.
#[derive(Clone, Copy, Debug, Default)]
pub struct EpochEnd {
    /// What the work at the end of the epoch added.
    pub tally: Tally,
    /// Whether to go on.
    pub outlook: Outlook,
}

/// What further epochs would bring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outlook {
    /// More, perhaps.
    #[default]
    Open,
    /// Nothing that matters.
    Converged,
    /// No separation, as far as rounding shows: rows were met that cancel. A hint, not a verdict.
    LooksInseparable,
    /// The work was halted, and changed nothing: the end of the epoch is still to come.
    Halted,
}

impl Outlook {
    /// Returns the outlook of a method that has reached the end of its own rule, or has not.
    fn converged(converged: bool) -> Self {
        if converged { Outlook::Converged } else { Outlook::Open }
    }
}

/// Returns ‖w‖ / `weights`, above which no hyperplane's angular margin can be: w is a sum of lifted
/// samples with weights >= 0 that add up to `weights`.
fn margin_bound(w: &[f64], weights: f64) -> Option<f64> {
    (weights > 0.0).then(|| norm(w.iter().copied()) / weights)
}

/// Returns the state of a method as [`Method::save`] does.
fn save_state(state: &impl Serialize) -> Value {
    serde_json::to_value(state).expect("plain numbers")
}

/// Puts a saved state in the place of `state`, as [`Method::restore`] does. Errors, and leaves
/// `state` as it is, unless every vector that `lengths` lists has the length given beside it.
fn restore_state<S: DeserializeOwned, const N: usize>(
    state: &mut S,
    saved: Value,
    lengths: impl FnOnce(&S) -> [(&[f64], usize); N],
) -> Result<(), serde_json::Error> {
    let restored = serde_json::from_value(saved)?;
    for (vector, length) in lengths(&restored) {
        expect_length(vector, length)?;
    }
    *state = restored;
    Ok(())
}

/// Returns an error unless a vector of a saved state has the length it must have.
fn expect_length(vector: &[f64], length: usize) -> Result<(), serde_json::Error> {
    if vector.len() == length {
        return Ok(());
    }
    let found = vector.len();
    Err(serde::de::Error::custom(format!("expected a vector of {length} numbers, found {found}")))
}
