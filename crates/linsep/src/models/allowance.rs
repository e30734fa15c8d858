//! What may be spent on a question about a model: one limit for all of its steps.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linsep_data::Data;

use crate::decide::{DecideOptions, Limit};

/// The limits of a question, from its start to its end.
pub(super) struct Allowance<'a> {
    data: &'a dyn Data,
    options: &'a DecideOptions,
    until: Option<Instant>,
    /// The passes that had been made when it began.
    before: u64,
}

impl<'a> Allowance<'a> {
    /// Returns the limits of a question about these rows that begins now.
    pub fn new(data: &'a dyn Data, options: &'a DecideOptions) -> Self {
        let until = options.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        Allowance { data, options, until, before: data.reads().passes(data.shape()) }
    }

    /// Returns the limit that has been reached, if one has.
    pub fn limit(&self, cancelled: Option<&AtomicBool>) -> Option<Limit> {
        let over = |most: u64| self.passes() >= most;
        let passes = || self.options.max_passes.is_some_and(over).then_some(Limit::Passes);
        self.late(cancelled).or_else(passes)
    }

    /// Returns the same for work that makes no passes: these do not end it.
    pub fn late(&self, cancelled: Option<&AtomicBool>) -> Option<Limit> {
        match () {
            () if cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) => {
                Some(Limit::Cancelled)
            }
            () if self.until.is_some_and(|until| Instant::now() >= until) => Some(Limit::Time),
            () => None,
        }
    }

    /// Returns the options of the next decision, with what is left of the limits: never nothing, which options may not be.
    pub fn left(&self) -> DecideOptions {
        let time = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        let passes = self.options.max_passes.map(|most| most.saturating_sub(self.passes()));
        self.options
            .clone()
            .with_time_limit(time.map(|left| left.max(Duration::from_nanos(1))))
            .with_max_passes(passes.map(|left| left.max(1)))
    }

    fn passes(&self) -> u64 {
        self.data.reads().passes(self.data.shape()) - self.before
    }
}
