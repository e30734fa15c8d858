//! The driver: shows rows to a method, epoch after epoch, and owns all the rest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Goal, Method, MethodSettings, Order, SettingsError, Span, Tally};
use crate::Samples;
use crate::hyperplane::{Evaluation, Hyperplane};

/// Values that are looked at between two looks at the clock.
const VALUES_A_SPAN: usize = 1 << 20;

/// What to fit, and for how long.
#[derive(Clone, Debug)]
pub struct FitSettings {
    /// The method; default [`fine`](super::fine).
    pub method: MethodSettings,
    /// The number of epochs after which the method is stopped; default 1000, as in the paper.
    pub max_epochs: u64,
    /// The time after which the method is stopped, counted from a resume; default none.
    pub time_limit: Option<Duration>,
    /// Whether rows are visited in a new random order each epoch; default false.
    pub shuffle: bool,
    /// Where randomness comes from; default 0.
    pub seed: u64,
    /// Whether the answer is evaluated on all rows after every epoch; default false. It costs a
    /// pass an epoch, which is not charged to the method.
    pub evaluate_epochs: bool,
    /// Whether [`Fit::history`] is kept; default true. It grows with every epoch.
    pub keep_history: bool,
    /// Where to start: what [`Fit::state`] was after other rows of as many features; default at the
    /// method's own start.
    pub start: Option<Value>,
    /// Whether [`Fit::state`] is kept; default false.
    pub keep_state: bool,
    /// How often [`Observer::checkpoint`] is called; default never but at an early stop.
    pub checkpoint_every: Option<Duration>,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            method: MethodSettings::Fine(super::fine::Settings::default()),
            max_epochs: 1000,
            time_limit: None,
            shuffle: false,
            seed: 0,
            evaluate_epochs: false,
            keep_history: true,
            start: None,
            keep_state: false,
            checkpoint_every: None,
        }
    }
}

/// Sees a fit happen. Every hook is optional.
pub trait Observer {
    /// Called after each epoch.
    fn epoch(&mut self, _record: &EpochRecord) {}
    /// Called many times a second at best; what it costs is charged to the fit.
    fn progress(&mut self, _progress: &Progress) {}
    /// Called as often as [`FitSettings::checkpoint_every`] says, and at an early stop.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}
    /// Returns the flag that ends the fit once it is true.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }
}

/// The observer that looks away.
impl Observer for () {}

/// One epoch, as it went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Its number, counted from 1.
    pub epoch: u64,
    /// Rows that were on the wrong side when they were visited.
    pub mistakes: u64,
    /// Changes of the weights.
    pub updates: u64,
    /// Scores computed since the start.
    pub rows_evaluated: u64,
    /// Time since the start, evaluations of answers excluded.
    pub seconds: f64,
    /// Mistakes of the answer at the end of the epoch, if it was evaluated.
    pub evaluated_mistakes: Option<u64>,
}

/// How far a fit has come.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The epoch under way, counted from 1.
    pub epoch: u64,
    /// The limit on epochs.
    pub max_epochs: u64,
    /// Rows passed in this epoch.
    pub position: u64,
    /// Rows in all.
    pub rows: u64,
    /// Mistakes of the last whole epoch.
    pub mistakes: Option<u64>,
    /// Scores computed since the start.
    pub rows_evaluated: u64,
    /// Time since the start, or since it was resumed.
    pub elapsed: Duration,
    /// The limit on that time.
    pub time_limit: Option<Duration>,
}

/// Why a fit ended, and so what its hyperplane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// All samples are on their own side.
    Separated,
    /// The method reached the end of its own rule, with mistakes left.
    Converged,
    /// The epochs ran out: the hyperplane is the method's last.
    EpochLimit,
    /// The time ran out: the hyperplane is the best of the last and the one kept from the epoch
    /// with the fewest mistakes.
    TimeLimit,
    /// It was cancelled: the hyperplane is chosen as for the time limit.
    Cancelled,
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Why it ended.
    pub stop: Stop,
    /// The hyperplane, in the original space.
    pub hyperplane: Hyperplane,
    /// Its mistakes and margins.
    pub evaluation: Evaluation,
    /// An upper bound on the angular margin of any hyperplane, where the method has one.
    pub margin_bound: Option<f64>,
    /// Epochs, counting the last one even if it was cut short.
    pub epochs: u64,
    /// Changes of the weights.
    pub updates: u64,
    /// Scores that the method computed.
    pub rows_evaluated: u64,
    /// Time, evaluations of answers excluded.
    pub seconds: f64,
    /// Every whole epoch, if [`FitSettings::keep_history`] says so.
    pub history: Vec<EpochRecord>,
    /// All that the method needs to go on with other rows, if [`FitSettings::keep_state`] says so.
    pub state: Option<Value>,
}

impl Fit {
    /// Returns true if all samples are on their own side.
    pub fn separated(&self) -> bool {
        self.stop == Stop::Separated
    }
}

/// Why a fit could not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A setting is out of its range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The checkpoint is of other data or of another run.
    #[error("the checkpoint is of another run: its {what} differ")]
    OtherRun {
        /// What differs.
        what: &'static str,
    },
    /// The checkpoint, or the state to start from, is damaged.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
    /// The method cannot start where it stopped on other rows.
    #[error("{0} cannot go on with other rows")]
    NoStart(&'static str),
    /// The rows have weights, and the method has no meaning for them.
    #[error("{0} has no meaning for weights of rows")]
    NoWeights(&'static str),
    /// There are more rows than the methods can number.
    #[error("expected at most 4294967295 rows, found {0}")]
    TooManyRows(usize),
}

/// All that is needed to go on with a fit as if it had never stopped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    version: u32,
    fingerprint: u64,
    method: MethodSettings,
    shuffle: bool,
    seed: u64,
    progress: State,
    method_state: Value,
}

/// Where a fit stands.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// The epoch under way, counted from 1, and the rows passed in it.
    epoch: u64,
    position: usize,
    /// Of this epoch, and in all.
    here: Tally,
    total: Tally,
    /// Of earlier sessions.
    elapsed: Duration,
    /// Whole epochs, and the mistakes of the last one.
    whole_epochs: u64,
    last_mistakes: Option<u64>,
    history: Vec<EpochRecord>,
    /// The fewest mistakes of any whole epoch, and the answer after it.
    best: Option<(u64, Vec<f64>)>,
}

/// Fits a hyperplane to `samples`; `checkpoint` continues an earlier fit of the same samples.
///
/// Errors if a setting is out of its range, or if the checkpoint is of another run. That no
/// separating hyperplane was found is not an error: see [`Fit::stop`].
///
/// ```
/// use linsep::{Samples, online::{FitSettings, fit}};
///
/// // The paper's smallest example takes one update.
/// let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// let fit = fit(&samples, &FitSettings::default(), &mut (), None)?;
/// assert!(fit.separated());
/// assert_eq!(fit.updates, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit(
    samples: &Samples,
    settings: &FitSettings,
    observer: &mut dyn Observer,
    checkpoint: Option<Checkpoint>,
) -> Result<Fit, FitError> {
    settings.method.validate()?;
    if u32::try_from(samples.rows()).is_err() {
        return Err(FitError::TooManyRows(samples.rows()));
    }
    if samples.weights().is_some() && !settings.method.takes_weights() {
        return Err(FitError::NoWeights(settings.method.name()));
    }
    let rows = settings.method.rows(samples);
    let mut method = settings.method.build(&rows, settings.seed);
    if let Some(start) = &settings.start {
        if !settings.method.goes_on() {
            return Err(FitError::NoStart(settings.method.name()));
        }
        method.restore(&rows, start.clone())?;
    }
    let mut state = State { epoch: 1, ..State::default() };
    if let Some(checkpoint) = checkpoint {
        checkpoint.check(samples, settings)?;
        method.restore(&rows, checkpoint.method_state)?;
        state = checkpoint.progress;
    }

    let mut clock = Clock::start(state.elapsed);
    let mut next_checkpoint = settings.checkpoint_every.map(|every| Instant::now() + every);
    let span_rows = (VALUES_A_SPAN / rows.dimension()).clamp(16, 1 << 16);
    let mut evaluation: Option<Evaluation> = None;

    let stop = 'run: loop {
        if state.epoch > settings.max_epochs {
            break Stop::EpochLimit;
        }
        let order = match settings.shuffle {
            true => Order::shuffled(rows.len(), settings.seed, state.epoch),
            false => Order::natural(),
        };
        while state.position < rows.len() {
            let end = rows.len().min(state.position + span_rows);
            let span = Span { order: &order, positions: state.position..end, epoch: state.epoch };
            state.here += method.learn(&rows, &span);
            state.position = end;
            observer.progress(&Progress {
                epoch: state.epoch,
                max_epochs: settings.max_epochs,
                position: end as u64,
                rows: rows.len() as u64,
                mistakes: state.last_mistakes,
                rows_evaluated: state.total.evaluated + state.here.evaluated,
                elapsed: clock.session(),
                time_limit: settings.time_limit,
            });
            if end < rows.len() {
                // The end of an epoch looks at the limits after its own work.
                if let Some(stop) = interrupted(settings, observer, clock.session()) {
                    break 'run stop;
                }
            }
            if next_checkpoint.is_some_and(|at| Instant::now() >= at) {
                state.elapsed = clock.elapsed();
                observer.checkpoint(&Checkpoint::take(samples, settings, &state, &*method));
                next_checkpoint = settings.checkpoint_every.map(|every| Instant::now() + every);
            }
        }

        let end = method.end_epoch(&rows);
        state.here += end.tally;
        let here = std::mem::take(&mut state.here);
        state.total += here;
        let elapsed = clock.elapsed();
        let candidate = end.converged || (here.mistakes == 0 && method.goal() == Goal::Separation);
        evaluation = (candidate || settings.evaluate_epochs)
            .then(|| Hyperplane::from_lifted(method.answer()).evaluate(samples));
        clock.pause_since(elapsed);
        let record = EpochRecord {
            epoch: state.epoch,
            mistakes: here.mistakes,
            updates: here.updates,
            rows_evaluated: state.total.evaluated,
            seconds: elapsed.as_secs_f64(),
            evaluated_mistakes: evaluation.as_ref().map(|e| e.mistakes),
        };
        observer.epoch(&record);
        if settings.keep_history {
            state.history.push(record);
        }
        state.whole_epochs += 1;
        state.last_mistakes = Some(here.mistakes);
        if evaluation.as_ref().is_some_and(|e| e.mistakes == 0) && candidate {
            break Stop::Separated;
        }
        if end.converged {
            break Stop::Converged;
        }
        if state.best.as_ref().is_none_or(|(mistakes, _)| here.mistakes < *mistakes) {
            state.best = Some((here.mistakes, method.answer()));
        }
        state.epoch += 1;
        state.position = 0;
        evaluation = None;
        if let Some(stop) = interrupted(settings, observer, clock.session()) {
            break stop;
        }
    };

    let seconds = clock.elapsed();
    if !matches!(stop, Stop::Separated | Stop::Converged) {
        state.elapsed = seconds;
        observer.checkpoint(&Checkpoint::take(samples, settings, &state, &*method));
    }
    let mut hyperplane = Hyperplane::from_lifted(method.answer());
    let mut evaluation = evaluation.unwrap_or_else(|| hyperplane.evaluate(samples));
    if matches!(stop, Stop::TimeLimit | Stop::Cancelled)
        && let Some((_, best)) = state.best
    {
        let best = Hyperplane::from_lifted(best);
        let found = best.evaluate(samples);
        if found.mistakes < evaluation.mistakes {
            (hyperplane, evaluation) = (best, found);
        }
    }
    // An interrupted run may have all samples on their own side by luck; that is an answer too.
    let stop = if evaluation.mistakes == 0 { Stop::Separated } else { stop };
    let cut_short = state.position > 0 && state.position < rows.len();
    let total = {
        state.total += state.here;
        state.total
    };
    Ok(Fit {
        stop,
        hyperplane,
        evaluation,
        margin_bound: method.margin_bound(),
        epochs: state.whole_epochs + u64::from(cut_short),
        updates: total.updates,
        rows_evaluated: total.evaluated,
        seconds: seconds.as_secs_f64(),
        history: state.history,
        state: settings.keep_state.then(|| method.save()),
    })
}

fn interrupted(settings: &FitSettings, observer: &dyn Observer, elapsed: Duration) -> Option<Stop> {
    if observer.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Some(Stop::Cancelled);
    }
    settings.time_limit.is_some_and(|limit| elapsed >= limit).then_some(Stop::TimeLimit)
}

/// Measures the time that a method takes, without what the driver does between epochs.
#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    before: Duration,
    paused: Duration,
}

impl Clock {
    fn start(before: Duration) -> Self {
        Clock { started: Instant::now(), before, paused: Duration::ZERO }
    }

    /// Returns the time since the start or the resume.
    fn session(&self) -> Duration {
        self.started.elapsed() - self.paused
    }

    /// Returns the time in all.
    fn elapsed(&self) -> Duration {
        self.before + self.session()
    }

    /// Takes out the time since `elapsed` was read.
    fn pause_since(&mut self, elapsed: Duration) {
        self.paused += self.elapsed() - elapsed;
    }
}

impl Checkpoint {
    const VERSION: u32 = 1;

    fn take(
        samples: &Samples,
        settings: &FitSettings,
        state: &State,
        method: &dyn Method,
    ) -> Checkpoint {
        Checkpoint {
            version: Self::VERSION,
            fingerprint: fingerprint(samples),
            method: settings.method.clone(),
            shuffle: settings.shuffle,
            seed: settings.seed,
            progress: state.clone(),
            method_state: method.save(),
        }
    }

    fn check(&self, samples: &Samples, settings: &FitSettings) -> Result<(), FitError> {
        let differences = [
            (self.version != Self::VERSION, "versions"),
            (self.fingerprint != fingerprint(samples), "data"),
            (self.method != settings.method, "methods or settings"),
            ((self.shuffle, self.seed) != (settings.shuffle, settings.seed), "orders of rows"),
        ];
        match differences.iter().find(|(differs, _)| *differs) {
            Some((_, what)) => Err(FitError::OtherRun { what }),
            None => Ok(()),
        }
    }
}

/// Returns a number that differs for other data, but for bad luck: FNV-1a of shape, labels and
/// row lengths.
fn fingerprint(samples: &Samples) -> u64 {
    let shape = [samples.rows() as u64, samples.columns() as u64];
    let labels = samples.positive().iter().map(|&p| u64::from(p));
    let lengths = samples.norms().iter().map(|norm| norm.to_bits());
    let weights = samples.weights().unwrap_or(&[]).iter().map(|weight| weight.to_bits());
    let words = shape.into_iter().chain(labels).chain(lengths).chain(weights);
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    })
}
