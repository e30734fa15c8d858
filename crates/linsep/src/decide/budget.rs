//! When to stop: the one place that knows of time, passes and Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linsep_data::Data;

use crate::watch::{Pass, Watch};

/// What may be taken after a limit to prove what was found before it.
const SOON: Duration = Duration::from_secs(1);

/// A limit that ends the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The passes ran out.
    Passes,
    /// The time ran out.
    Time,
    /// It was cancelled.
    Cancelled,
    /// None was reached: what was found could not be confirmed. That takes numbers made for it, which several
    /// large primes divide.
    Unconfirmed,
}

impl Limit {
    /// Returns the limit in a word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            Limit::Passes => "passes",
            Limit::Time => "time",
            Limit::Cancelled => "cancelled",
            Limit::Unconfirmed => "unconfirmed",
        }
    }
}

/// What may still be spent.
pub(crate) struct Budget<'a> {
    data: &'a dyn Data,
    watch: &'a mut dyn Watch,
    started: Instant,
    until: Option<Instant>,
    max_passes: u64,
}

impl<'a> Budget<'a> {
    /// Returns a budget that begins now.
    pub fn new(
        data: &'a dyn Data,
        watch: &'a mut dyn Watch,
        max_passes: u64,
        time_limit: Option<Duration>,
    ) -> Self {
        let started = Instant::now();
        let until = time_limit.and_then(|limit| started.checked_add(limit));
        Budget { data, watch, started, until, max_passes }
    }

    /// Returns true if it is time to stop.
    pub fn halted(&self) -> bool {
        self.limit().is_some()
    }

    /// Returns a question for work that several threads share: has the time run out, or was it
    /// cancelled? Passes do not count, since such work makes none.
    pub fn halt(&self) -> impl Fn() -> bool + Sync + use<'_> {
        let (cancelled, until) = (self.watch.cancelled(), self.until);
        move || flagged(cancelled) || until.is_some_and(|until| Instant::now() >= until)
    }

    /// Returns a question for the last work after a limit: is it over [`SOON`], and over a tenth of the time that was
    /// spent before it? It keeps nothing of the budget.
    pub fn soon(&self) -> impl Fn() -> bool + Sync + use<> {
        let until = Instant::now() + SOON.max(self.spent() / 10);
        move || Instant::now() >= until
    }

    /// Returns the same question for work that makes passes: have these run out?
    pub fn halt_between_passes(&self) -> impl Fn() -> bool + Sync + use<'_> {
        let (halt, data, most) = (self.halt(), self.data, self.max_passes);
        move || halt() || data.reads().passes(data.shape()) >= most
    }

    /// Returns the limit that has been reached, if one has.
    pub fn limit(&self) -> Option<Limit> {
        match () {
            () if flagged(self.watch.cancelled()) => Some(Limit::Cancelled),
            () if self.until.is_some_and(|until| Instant::now() >= until) => Some(Limit::Time),
            () if self.passes() >= self.max_passes => Some(Limit::Passes),
            () => None,
        }
    }

    /// Returns the same question for work that reads rows by itself, and says how many so far.
    pub fn halt_after(&self) -> impl Fn(u64) -> bool + Sync + use<'_> {
        let (halt, passes, most) = (self.halt(), self.passes(), self.max_passes);
        let rows = self.data.shape().rows as u64;
        move |read| halt() || passes + read.div_ceil(rows) >= most
    }

    /// Returns the passes so far.
    pub fn passes(&self) -> u64 {
        self.data.reads().passes(self.data.shape())
    }

    /// Returns the time so far.
    pub fn spent(&self) -> Duration {
        self.started.elapsed()
    }

    /// Tells who looks on of a pass.
    pub fn tell(&mut self, mistakes: u64, lower: f64, upper: f64) {
        self.watch.pass(&Pass { passes: self.passes(), mistakes, lower, upper });
    }
}

/// Time and a flag alone, for work that is not a decision, and for the decisions within it.
pub(crate) struct Deadline<'a> {
    until: Option<Instant>,
    cancelled: Option<&'a AtomicBool>,
}

impl<'a> Deadline<'a> {
    /// Returns a deadline after this time from now, or at the flag.
    pub fn new(time_limit: Option<Duration>, cancelled: Option<&'a AtomicBool>) -> Self {
        let until = time_limit.and_then(|limit| Instant::now().checked_add(limit));
        Deadline { until, cancelled }
    }

    /// Returns true if it is time to stop.
    pub fn halted(&self) -> bool {
        flagged(self.cancelled) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Returns which of the two it is time to stop for, if it is.
    pub fn limit(&self) -> Option<Limit> {
        match () {
            () if flagged(self.cancelled) => Some(Limit::Cancelled),
            () if self.halted() => Some(Limit::Time),
            () => None,
        }
    }

    /// Returns a question for the last work, which proves what was found: is it time to stop, and [`SOON`] later?
    pub fn soon(&self) -> impl Fn() -> bool + Sync + use<'_> {
        let until = Instant::now() + SOON;
        move || self.halted() && Instant::now() >= until
    }

    /// Returns the time that is left: never nothing, which options of decisions would refuse.
    pub fn left(&self) -> Option<Duration> {
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        self.until.map(|until| left(until).max(Duration::from_nanos(1)))
    }
}

/// A decision within a deadline looks at the same flag.
impl Watch for &Deadline<'_> {
    fn cancelled(&self) -> Option<&AtomicBool> {
        self.cancelled
    }
}

fn flagged(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}
