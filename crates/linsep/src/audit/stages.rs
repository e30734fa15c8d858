//! Where an audit stands, who looks on, and when it has to stop.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::decide::{Deadline, Limit, Watch};

/// A part of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Hyperplanes are learnt and asked about rows that they have not seen.
    Learning {
        /// Which round, from 1.
        round: usize,
        /// Of how many.
        rounds: usize,
    },
    /// It is decided whether the rows are separable, and with which margin.
    Deciding,
    /// Rows are looked for without which the rest is separable.
    Explaining,
    /// Margins without single rows are bounded.
    LeavingOut {
        /// How many rows are done.
        rows: usize,
        /// Of how many.
        of: usize,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Part::Learning { round, rounds } => write!(f, "learning, round {round} of {rounds}"),
            Part::Deciding => f.write_str("deciding whether the rows are separable"),
            Part::Explaining => f.write_str("looking for rows that stand in the way"),
            Part::LeavingOut { rows, of } => write!(f, "leaving out row {} of {of}", rows + 1),
        }
    }
}

/// Sees an audit come about. Every hook is optional.
pub trait AuditWatch {
    /// Called when a part begins.
    fn part(&self, _part: &Part) {}
    /// Returns the flag that ends the work once it is true.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }
}

/// The watch that looks away.
impl AuditWatch for () {}

/// When to stop.
pub(super) struct Work<'a>(Deadline<'a>);

impl<'a> Work<'a> {
    pub fn new(time_limit: Option<Duration>, cancelled: Option<&'a AtomicBool>) -> Self {
        Work(Deadline::new(time_limit, cancelled))
    }

    /// Returns true if it is time to stop.
    pub fn halted(&self) -> bool {
        self.0.halted()
    }

    /// Returns the limit that was reached, if one was.
    pub fn limit(&self) -> Option<Limit> {
        let flagged = Watch::cancelled(&&self.0)
            .is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed));
        match (self.halted(), flagged) {
            (false, _) => None,
            (true, true) => Some(Limit::Cancelled),
            (true, false) => Some(Limit::Time),
        }
    }

    /// Returns the time that is left; a little, if none is, which options of decisions would refuse.
    pub fn left(&self) -> Option<Duration> {
        self.0.left().map(|left| left.max(Duration::from_millis(1)))
    }

    /// Returns the watch of a decision within this work.
    pub fn watch(&self) -> impl Watch + '_ {
        &self.0
    }
}
