//! The driver: shows rows to a method, epoch after epoch, and owns all the rest.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use linsep_data::{Block, Data, Error, Memory};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bound::ShownMargins;
use super::checkpoint::{Checkpoint, FitState};
use super::scale::{ScaledData, Units};
use super::trace::{MOST_VALUES, Trace, Tracer};
use super::{Goal, Method, MethodSettings, Order, Outlook, Scaling, Span, Tally};
use crate::Samples;
use crate::decide::OptionError;
use crate::hyperplane::{Evaluation, Hyperplane};
use crate::lift::{Rows, Whole};
use crate::watch::Watch;

/// Values that are looked at between two looks at the clock.
const VALUES_PER_SPAN: usize = 1 << 20;

/// Values of rows that are kept at hand where only they are looked at (64 MiB), and which share of all rows
/// they may be: more are read in order as fast.
const PICKED_VALUES: usize = 1 << 23;
const PICKED_SHARE: usize = 4;

/// What to fit, and for how long.
#[derive(Clone, Debug)]
pub struct FitSettings {
    /// The method; default [`joint`](super::joint).
    pub method: MethodSettings,
    /// In which units the method sees the columns; default in their own. The hyperplane is in those of the data.
    pub scale: Scaling,
    /// The number of epochs after which the method is stopped; default 1000, as in the paper.
    pub max_epochs: u64,
    /// The time after which the method is stopped, counted from a resume; default none.
    pub time_limit: Option<Duration>,
    /// Whether rows are visited in a new random order each epoch; default false.
    pub shuffle: bool,
    /// The random seed; default 0.
    pub seed: u64,
    /// Whether the answer is evaluated on all rows after every epoch; default false. It costs
    /// one pass per epoch, which is not charged to the method.
    pub evaluate_epochs: bool,
    /// Whether [`Fit::history`] is kept; default true. It grows with every epoch.
    pub keep_history: bool,
    /// Where to start: what [`Fit::state`] was after other rows of as many features; default at the
    /// method's own start.
    pub start: Option<Value>,
    /// Whether [`Fit::state`] is kept; default false.
    pub keep_state: bool,
    /// How often [`Watch::checkpoint`] is called; default never but at an early stop.
    pub checkpoint_every: Option<Duration>,
    /// How many updates [`Fit::trace`] keeps, each with its hyperplane; default 0: there is no trace. While there is
    /// room for more, rows are shown to the method one by one, which takes longer and changes nothing.
    pub trace: usize,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            method: MethodSettings::Joint(super::fine::FineSettings::default()),
            scale: Scaling::None,
            max_epochs: 1000,
            time_limit: None,
            shuffle: false,
            seed: 0,
            evaluate_epochs: false,
            keep_history: true,
            start: None,
            keep_state: false,
            checkpoint_every: None,
            trace: 0,
        }
    }
}

impl FitSettings {
    /// Returns when the next checkpoint is due, counted from now.
    fn next_checkpoint(&self) -> Option<Instant> {
        self.checkpoint_every.map(|every| Instant::now() + every)
    }
}

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
    /// Mistakes of the answer at the end of the epoch, if it was evaluated, as that of the last epoch is.
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
    /// The hyperplane puts all samples on their own side.
    Separated,
    /// The method reached the end of its own rule, with mistakes left.
    Converged,
    /// The method has all rows on their own side, by so little that the hyperplane, whose numbers are rounded, has not.
    Rounded,
    /// The method met rows that cancel, up to rounding, so that nothing seems to separate: a hint, which
    /// [`decide`](fn@crate::decide::decide) proves or refutes. The hyperplane is chosen as for the time limit.
    LooksInseparable,
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
    /// An upper bound on the angular margin of any hyperplane, where the method has one: among rows as the method
    /// sees them, in the units of [`FitSettings::scale`].
    pub margin_bound: Option<f64>,
    /// The angular margin of the hyperplane among these rows, where they are not those of the data.
    pub scaled_margin: Option<f64>,
    /// What the hyperplane shows about the rows as the method sees them, if it separates them for sure: bounds on
    /// updates follow, see [`MethodSettings::updates_bound`].
    pub shown_margins: Option<ShownMargins>,
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
    /// The updates one by one, if [`FitSettings::trace`] asks for them.
    pub trace: Option<Trace>,
}

impl Fit {
    /// Returns true if the hyperplane puts all samples on their own side.
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
    Settings(#[from] OptionError),
    /// The checkpoint is of other data or of another run.
    #[error("the checkpoint is of another run: its {what} differ")]
    OtherRun {
        /// What differs.
        what: &'static str,
    },
    /// The checkpoint was written by another version of linsep.
    #[error("the checkpoint has version {found}; this linsep goes on from version {expected}")]
    OtherVersion {
        /// Its version.
        found: u32,
        /// The one that is read.
        expected: u32,
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
    /// There are more features than a trace can keep the weights of.
    #[error("a trace keeps hyperplanes of at most {most} features; the rows have {found}")]
    TooWideToTrace {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// The rows are not in memory, where this needs them.
    #[error("{0} needs all rows in memory")]
    NeedsMemory(&'static str),
    /// The rows cannot be read.
    #[error(transparent)]
    Data(#[from] Error),
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
    observer: &mut dyn Watch,
    checkpoint: Option<Checkpoint>,
) -> Result<Fit, FitError> {
    fit_data(&Memory::new(samples), settings, observer, checkpoint)
}

/// Fits a hyperplane to rows that may be larger than memory: the same one as [`fit`], to the last bit.
///
/// Rows elsewhere are read once before the first epoch and once per epoch, in order, and once whenever
/// [`fine`](super::fine) renews what it skips by or [`pocket`](super::pocket) counts mistakes. Where `fine` looks
/// only at few rows, these are fetched and stay in memory, and epochs read no others. [`joint`](super::joint)
/// fetches the rows on which it projects.
///
/// Errors as [`fit`] does, if the rows cannot be read, and if a shuffle or a method needs them in memory.
pub fn fit_data(
    data: &dyn Data,
    settings: &FitSettings,
    observer: &mut dyn Watch,
    checkpoint: Option<Checkpoint>,
) -> Result<Fit, FitError> {
    check(data, settings)?;
    if settings.scale.is_none() {
        return fit_shown(data, Answers { data, units: None }, settings, observer, checkpoint);
    }
    let units = Units::of(data)?;
    let answers = Answers { data, units: Some(&units) };
    match data.resident() {
        Some(samples) => {
            let scaled = units.scaled(samples)?;
            fit_shown(&Memory::new(&scaled), answers, settings, observer, checkpoint)
        }
        None => {
            let scaled = ScaledData { data, units: &units };
            fit_shown(&scaled, answers, settings, observer, checkpoint)
        }
    }
}

/// Fits a hyperplane to the rows that are shown to the method.
fn fit_shown(
    shown: &dyn Data,
    answers: Answers,
    settings: &FitSettings,
    observer: &mut dyn Watch,
    checkpoint: Option<Checkpoint>,
) -> Result<Fit, FitError> {
    let whole = Whole::new(shown)?;
    let fit = FitRun::begin(&whole, answers, settings, observer, checkpoint).and_then(|mut run| {
        let stop = run.learn()?;
        run.finish(stop)
    });
    // What was learned after something could not be read is worth nothing.
    match whole.into_failure() {
        Some(error) => Err(error.into()),
        None => fit,
    }
}

/// What a method's answers are about: the data as it is, and the units in which the method sees it.
#[derive(Clone, Copy)]
struct Answers<'a> {
    data: &'a dyn Data,
    units: Option<&'a Units>,
}

impl Answers<'_> {
    /// Returns a method's answer as a hyperplane, and its evaluation. Costs one pass.
    fn evaluate(&self, w: Vec<f64>) -> Result<(Hyperplane, Evaluation), Error> {
        let hyperplane = self.hyperplane(w);
        let evaluation = hyperplane.evaluate_data(self.data)?;
        Ok((hyperplane, evaluation))
    }

    /// Returns a method's answer as a hyperplane in the units of the data.
    fn hyperplane(&self, w: Vec<f64>) -> Hyperplane {
        match self.units {
            Some(units) => units.original(&w),
            None => Hyperplane::from_lifted(w),
        }
    }
}

/// Returns an error if the settings are out of range, or if they do not go with the data.
fn check(data: &dyn Data, settings: &FitSettings) -> Result<(), FitError> {
    let FitSettings { method, shuffle, trace, .. } = settings;
    method.validate()?;
    let (rows, found) = (data.shape().rows, data.shape().columns);
    if u32::try_from(rows).is_err() {
        return Err(FitError::TooManyRows(rows));
    }
    if *trace > 0 && found >= MOST_VALUES {
        return Err(FitError::TooWideToTrace { found, most: MOST_VALUES - 1 });
    }
    match data.resident() {
        Some(samples) if samples.weights().is_some() && !method.takes_weights() => {
            Err(FitError::NoWeights(method.name()))
        }
        None if method.needs_memory() => Err(FitError::NeedsMemory(method.name())),
        None if *shuffle => Err(FitError::NeedsMemory("a random order")),
        _ => Ok(()),
    }
}

/// A fit under way.
struct FitRun<'a> {
    whole: &'a Whole<'a>,
    answers: Answers<'a>,
    settings: &'a FitSettings,
    observer: &'a mut dyn Watch,
    method: Box<dyn Method>,
    state: FitState,
    clock: Clock,
    next_checkpoint: Option<Instant>,
    /// The evaluation of the final answer, if the run ended because of it.
    evaluation: Option<(Hyperplane, Evaluation)>,
    picked: PickedRows,
    tracer: Option<Tracer>,
}

/// Rows of larger data that are kept at hand.
#[derive(Default)]
struct PickedRows {
    /// Their numbers, rising.
    numbers: Vec<usize>,
    samples: Option<Samples>,
}

impl PickedRows {
    /// Returns true if these rows are among them.
    fn covers(&self, wanted: &[usize]) -> bool {
        let mut known = self.numbers.iter();
        wanted.iter().all(|row| known.any(|number| number == row))
    }
}

impl<'a> FitRun<'a> {
    /// Returns the run where it starts: at the checkpoint, or where the settings say.
    fn begin(
        whole: &'a Whole<'a>,
        answers: Answers<'a>,
        settings: &'a FitSettings,
        observer: &'a mut dyn Watch,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, FitError> {
        if let Some(checkpoint) = &checkpoint {
            checkpoint.check(whole, settings)?;
        }
        let mut state = FitState { epoch: 1, ..FitState::default() };
        let rows = first_rows(whole, settings);
        let mut method = settings.method.build(&rows, settings.seed);
        if let Some(start) = &settings.start {
            if !settings.method.goes_on() {
                return Err(FitError::NoStart(settings.method.name()));
            }
            method.restore(&rows, start.clone())?;
        }
        if let Some(checkpoint) = checkpoint {
            method.restore(&rows, checkpoint.method_state)?;
            state = checkpoint.progress;
        }
        let tracer = (settings.trace > 0).then(|| {
            let start = answers.hyperplane(method.answer());
            Tracer::new(&*method, start, settings.trace, state.total.updates + state.here.updates)
        });
        Ok(FitRun {
            whole,
            answers,
            settings,
            observer,
            method,
            clock: Clock::start(state.elapsed),
            state,
            next_checkpoint: settings.next_checkpoint(),
            evaluation: None,
            picked: PickedRows::default(),
            tracer,
        })
    }

    /// Runs epoch after epoch; returns why it stopped.
    fn learn(&mut self) -> Result<Stop, FitError> {
        loop {
            if self.state.epoch > self.settings.max_epochs {
                return Ok(Stop::EpochLimit);
            }
            if let Some(stop) = self.visit_rows()? {
                return Ok(stop);
            }
            if let Some(stop) = self.end_epoch()? {
                return Ok(stop);
            }
        }
    }

    /// Shows the method the rows that are left in this epoch; returns why it stopped before the
    /// last of them, if it did.
    fn visit_rows(&mut self) -> Result<Option<Stop>, Error> {
        if self.state.position == self.whole.len() {
            return Ok(None);
        }
        let order = match self.settings.shuffle {
            true => Order::shuffled(self.whole.len(), self.settings.seed, self.state.epoch),
            false => Order::natural(),
        };
        if self.whole.data().resident().is_none()
            && let Some(stop) = self.visit_picked(&order)?
        {
            return Ok(stop);
        }
        let mut stop = None;
        self.whole.data().in_order(self.state.position, &mut |block| {
            stop = self.visit_block(block, &order);
            match stop.is_some() || self.whole.has_failed() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        Ok(stop)
    }

    /// Shows the method only the rows that it looks at in the rest of the epoch, where it knows them and they
    /// are few: they are fetched, and stay until others are asked for. Returns nothing where they are not, with
    /// the rest of the epoch still to come; else why it stopped before the last row, if it did.
    fn visit_picked(&mut self, order: &Order) -> Result<Option<Option<Stop>>, Error> {
        let (rows, raw) = (self.whole.len(), self.settings.method.learns_raw());
        let dimension = self.whole.data().shape().columns + 1;
        while self.state.position < rows {
            let Some(wanted) = self.method.candidates(self.state.position) else { return Ok(None) };
            let few = wanted.len() <= rows / PICKED_SHARE
                && wanted.len().saturating_mul(dimension) <= PICKED_VALUES;
            if !few {
                return Ok(None);
            }
            if !self.picked.covers(&wanted) {
                let samples = match wanted.is_empty() {
                    true => None,
                    false => Some(self.whole.data().fetch(&wanted)?),
                };
                self.picked = PickedRows { numbers: wanted, samples };
            }
            let picked = std::mem::take(&mut self.picked);
            let rows = match &picked.samples {
                Some(samples) => Rows::picked(self.whole, samples, &picked.numbers, raw),
                // Nothing is looked at, but the epoch is gone through all the same.
                None => first_rows(self.whole, self.settings),
            };
            let stop = self.visit(&rows, order, self.whole.len());
            self.picked = picked;
            if stop.is_some() || self.whole.has_failed() {
                return Ok(Some(stop));
            }
        }
        Ok(Some(None))
    }

    /// Shows the method rows that are at hand; returns why it stopped before the last row of the epoch, if
    /// it did.
    fn visit_block(&mut self, block: &Block<'_>, order: &Order) -> Option<Stop> {
        let rows = Rows::at_hand(self.whole, block, self.settings.method.learns_raw());
        self.visit(&rows, order, self.state.position + block.places().len())
    }

    /// Shows the method rows up to a position, or to where it stops for a row that is not at hand.
    fn visit(&mut self, rows: &Rows, order: &Order, end: usize) -> Option<Stop> {
        while self.state.position < end {
            match self.is_tracing() {
                false => self.visit_span(rows, order, end),
                true => self.visit_row(rows, order),
            }
            if let Some(position) = self.method.stopped() {
                self.state.position = position;
                return None;
            }
            self.show_progress();
            // The end of an epoch looks at the limits after its own work.
            if self.state.position < self.whole.len()
                && let Some(stop) = self.interrupted()
            {
                return Some(stop);
            }
            if self.next_checkpoint.is_some_and(|at| Instant::now() >= at) {
                self.take_checkpoint(self.clock.elapsed());
                self.next_checkpoint = self.settings.next_checkpoint();
            }
        }
        None
    }

    fn visit_span(&mut self, rows: &Rows, order: &Order, end: usize) {
        let span_rows = (VALUES_PER_SPAN / rows.dimension()).clamp(16, 1 << 16);
        let end = end.min(self.state.position + span_rows);
        let span = Span { order, positions: self.state.position..end, epoch: self.state.epoch };
        self.state.here += self.method.learn(rows, &span);
        self.state.position = end;
    }

    /// Returns true if the next update is to be kept.
    fn is_tracing(&self) -> bool {
        self.tracer.as_ref().is_some_and(Tracer::has_room)
    }

    /// Shows the method one row, and keeps the update if it makes one.
    fn visit_row(&mut self, rows: &Rows, order: &Order) {
        let position = self.state.position;
        let positions = position..position + 1;
        let tally = self.method.learn(rows, &Span { order, positions, epoch: self.state.epoch });
        self.state.here += tally;
        self.state.position += 1;
        self.trace_update(tally, Some((rows, order.row(position))));
    }

    /// Keeps an update, if there was one and there is room for it.
    fn trace_update(&mut self, tally: Tally, visited: Option<(&Rows, usize)>) {
        if tally.updates == 0 || !self.is_tracing() {
            return;
        }
        if let Some(tracer) = &mut self.tracer {
            let (answers, what) = (self.answers, (self.state.epoch, tally));
            let step = tracer.note(&*self.method, what, visited, |w| answers.hyperplane(w));
            self.observer.update(step, answers.data);
        }
    }

    fn show_progress(&mut self) {
        self.observer.progress(&Progress {
            epoch: self.state.epoch,
            max_epochs: self.settings.max_epochs,
            position: self.state.position as u64,
            rows: self.whole.len() as u64,
            mistakes: self.state.last_mistakes,
            rows_evaluated: self.state.total.evaluated + self.state.here.evaluated,
            elapsed: self.clock.session(),
            time_limit: self.settings.time_limit,
        });
    }

    /// Returns why the run has to stop now, if it has to.
    fn interrupted(&self) -> Option<Stop> {
        interrupted(self.observer.cancelled(), &self.clock, self.settings.time_limit)
    }

    fn take_checkpoint(&mut self, elapsed: Duration) {
        self.state.elapsed = elapsed;
        let method_state = self.method.save();
        let checkpoint = Checkpoint::new(self.whole, self.settings, &self.state, method_state);
        self.observer.checkpoint(&checkpoint);
    }

    /// Ends the epoch and goes on to the next; returns why it stopped instead, if it did.
    fn end_epoch(&mut self) -> Result<Option<Stop>, Error> {
        let (cancelled, clock) = (self.observer.cancelled(), self.clock);
        let limit = self.settings.time_limit;
        let halt = || interrupted(cancelled, &clock, limit).is_some();
        let end = self.method.end_epoch(&first_rows(self.whole, self.settings), &halt);
        if end.outlook == Outlook::Halted {
            return Ok(self.interrupted());
        }
        self.state.here += end.tally;
        self.trace_update(end.tally, None);
        let here = std::mem::take(&mut self.state.here);
        self.state.total += here;

        let elapsed = self.clock.elapsed();
        let clean = here.mistakes == 0 && self.method.goal() == Goal::Separation;
        let candidate = end.outlook != Outlook::Open || clean;
        let evaluated = candidate || self.settings.evaluate_epochs;
        let evaluation = evaluated.then(|| self.evaluate()).transpose()?;
        self.clock.pause_since(elapsed);
        let mistakes = evaluation.as_ref().map(|(_, found)| found.mistakes);
        self.record_epoch(here, elapsed, mistakes);

        let separated = candidate && mistakes == Some(0);
        let stop = match end.outlook {
            _ if separated => Some(Stop::Separated),
            Outlook::Open if clean && self.stands_still() => Some(Stop::Rounded),
            Outlook::Open | Outlook::Halted => None,
            Outlook::Converged => Some(Stop::Converged),
            Outlook::LooksInseparable => Some(Stop::LooksInseparable),
        };
        if stop.is_some() {
            self.evaluation = evaluation;
            return Ok(stop);
        }
        self.begin_next_epoch(here.mistakes);
        Ok(self.interrupted())
    }

    /// Returns true if an earlier epoch without a mistake left the same answer: more epochs will not change it.
    fn stands_still(&self) -> bool {
        let best = self.state.best.as_ref();
        best.is_some_and(|(fewest, answer)| *fewest == 0 && *answer == self.method.answer())
    }

    /// Returns the method's answer as a hyperplane, and its evaluation. Costs one pass.
    fn evaluate(&self) -> Result<(Hyperplane, Evaluation), Error> {
        self.answers.evaluate(self.method.answer())
    }

    fn record_epoch(&mut self, here: Tally, elapsed: Duration, evaluated_mistakes: Option<u64>) {
        let record = EpochRecord {
            epoch: self.state.epoch,
            mistakes: here.mistakes,
            updates: here.updates,
            rows_evaluated: self.state.total.evaluated,
            seconds: elapsed.as_secs_f64(),
            evaluated_mistakes,
        };
        self.observer.epoch(&record);
        if self.settings.keep_history {
            self.state.history.push(record);
        }
        self.state.whole_epochs += 1;
        self.state.last_mistakes = Some(here.mistakes);
    }

    /// Keeps the answer if its epoch had the fewest mistakes, and goes to the next one's start.
    fn begin_next_epoch(&mut self, mistakes: u64) {
        if self.state.best.as_ref().is_none_or(|(fewest, _)| mistakes < *fewest) {
            self.state.best = Some((mistakes, self.method.answer()));
        }
        self.state.epoch += 1;
        self.state.position = 0;
    }

    /// Returns what the run found, after a last checkpoint where more epochs could find more.
    fn finish(mut self, stop: Stop) -> Result<Fit, FitError> {
        let elapsed = self.clock.elapsed();
        let over = [Stop::Separated, Stop::Converged, Stop::Rounded, Stop::LooksInseparable];
        if !over.contains(&stop) {
            self.take_checkpoint(elapsed);
        }
        let (hyperplane, evaluation) = self.choose_answer(stop)?;
        if let (Stop::EpochLimit, Some(last)) = (stop, self.state.history.last_mut()) {
            // The answer is the one after the last epoch, so its mistakes are known anyway.
            last.evaluated_mistakes = Some(evaluation.mistakes);
        }
        let scaled = self.evaluate_scaled(stop)?;
        let shown = if self.answers.units.is_none() { Some(&evaluation) } else { scaled.as_ref() };
        let features = self.answers.data.shape().columns;
        // What separates in other units may fail by rounding in those of the data: then nothing is said of it.
        let separated = shown.filter(|_| evaluation.mistakes == 0);
        let shown_margins = separated.and_then(|shown| ShownMargins::of(shown, features));
        let cut_short = self.state.position > 0 && self.state.whole_epochs < self.state.epoch;
        self.state.total += self.state.here;
        let trace = self.tracer.take().map(|tracer| tracer.finish(self.state.total.updates));
        if let Some(Trace { left_out: left_out @ 1.., .. }) = trace {
            self.observer.updates_left_out(left_out);
        }
        Ok(Fit {
            // An interrupted run may separate by luck; that is an answer too.
            stop: if evaluation.mistakes == 0 { Stop::Separated } else { stop },
            hyperplane,
            evaluation,
            margin_bound: self.method.margin_bound(),
            scaled_margin: scaled.and_then(|scaled| scaled.margin.angular),
            shown_margins,
            epochs: self.state.whole_epochs + u64::from(cut_short),
            updates: self.state.total.updates,
            rows_evaluated: self.state.total.evaluated,
            seconds: elapsed.as_secs_f64(),
            history: self.state.history,
            state: self.settings.keep_state.then(|| self.method.save()),
            trace,
        })
    }

    /// Returns how the method's last answer does among rows in other units, if they are, and if it is what the run
    /// answers with. Costs a pass.
    fn evaluate_scaled(&self, stop: Stop) -> Result<Option<Evaluation>, Error> {
        let limits = [Stop::LooksInseparable, Stop::TimeLimit, Stop::Cancelled];
        let last = !limits.contains(&stop);
        if self.answers.units.is_none() || !last {
            return Ok(None);
        }
        let plane = Hyperplane::from_lifted(self.method.answer());
        Ok(Some(plane.evaluate_data(self.whole.data())?))
    }

    /// Returns the final hyperplane and its evaluation: the method's last answer, or after an
    /// interruption the one that was kept, if that makes fewer mistakes. Costs up to two passes.
    fn choose_answer(&mut self, stop: Stop) -> Result<(Hyperplane, Evaluation), Error> {
        let last = match self.evaluation.take() {
            Some(evaluated) => evaluated,
            None => self.evaluate()?,
        };
        if matches!(stop, Stop::LooksInseparable | Stop::TimeLimit | Stop::Cancelled)
            && let Some((_, best)) = self.state.best.take()
        {
            let best = self.answers.evaluate(best)?;
            if best.1.mistakes < last.1.mistakes {
                return Ok(best);
            }
        }
        Ok(last)
    }
}

/// Returns why a run has to stop now, if it has to.
fn interrupted(
    cancelled: Option<&AtomicBool>,
    clock: &Clock,
    time_limit: Option<Duration>,
) -> Option<Stop> {
    if cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Some(Stop::Cancelled);
    }
    (clock.session() >= time_limit?).then_some(Stop::TimeLimit)
}

/// Returns all rows; the first is at hand, or all are if they are in memory.
fn first_rows<'a>(whole: &'a Whole<'a>, settings: &FitSettings) -> Rows<'a> {
    let block = Block::whole(whole.in_memory(), 0);
    Rows::at_hand(whole, &block, settings.method.learns_raw())
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
