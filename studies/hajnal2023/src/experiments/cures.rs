//! The study of the two cures: `joint` for the slow last phase and `corral` for a larger margin, beside the paper's
//! method, on the paper's data and on real data.
//!
//! Contenders take turns on the same data, more than once where it is small, and the least CPU time of each counts: so a
//! busy machine disturbs all alike. As in a fit's own time, the look at all rows that counts the mistakes of its
//! hyperplane is left out.

use linsep::decide::{DecideOptions, MarginKind, Verdict, decide};
use linsep::online::{FitSettings, Scaling, Stop, fit};
use linsep::watch::{Stage, Watch};
use linsep::{Hyperplane, Samples};

use super::clock::cpu_seconds;
use super::study::{RELAXATIONS, Sizes};
use super::{Contender, Experiment, MeasureError};
use std::sync::atomic::Ordering;

/// The epsilon of the paper's method and of `joint`.
pub const EPSILON: f64 = 1e-9;
/// The part of the largest margin that `corral` may miss: its default.
pub const GAP: f64 = 0.01;
/// In which units real data is shown to the methods.
pub const SCALES: [Scaling; 2] = [Scaling::None, Scaling::Standard];

/// The paper's method.
pub const FINE: Contender = Contender::Fine { epsilon: EPSILON, relaxation: 1.0 };
/// The paper's method with the longest steps of the study.
pub const LONG_FINE: Contender = Contender::Fine { epsilon: EPSILON, relaxation: RELAXATIONS[1] };
/// The first cure.
pub const JOINT: Contender = Contender::Joint { epsilon: EPSILON, relaxation: 1.0 };
/// The first cure with longer steps between its projections.
pub const LONG_JOINT: [Contender; 2] = [
    Contender::Joint { epsilon: EPSILON, relaxation: RELAXATIONS[0] },
    Contender::Joint { epsilon: EPSILON, relaxation: RELAXATIONS[1] },
];
/// The second cure.
pub const CORRAL: Contender = Contender::Corral { gap: GAP };

/// Rounds that contenders run on the same data, and how many where one takes less or more CPU time than this.
const ROUNDS: usize = 7;
const SHORT: (f64, usize) = (0.01, 51);
const LONG: (f64, usize) = (2.0, 1);
/// No time is shorter: clocks are not finer.
const LEAST_SECONDS: f64 = 1e-6;

/// Runs at a tenth in which the largest margin is sought too: it takes far longer than any.
const MARGIN_RUNS: usize = 3;

/// Returns who runs on an experiment's data.
pub fn contenders(sizes: Sizes, letter: char, run: usize) -> Vec<Contender> {
    let mut all = vec![FINE, LONG_FINE, JOINT];
    all.extend(LONG_JOINT);
    // At the stated sizes of (a) and (b) this would be hours.
    let tenth = sizes == Sizes::Tenth && run <= MARGIN_RUNS;
    if tenth || letter == 'c' {
        all.push(CORRAL);
    }
    if tenth {
        all.push(Contender::Smooth);
    }
    all.push(Contender::Engine);
    all
}

/// Who runs on real data.
pub const ON_REAL_DATA: [Contender; 5] =
    [FINE, JOINT, CORRAL, Contender::Smooth, Contender::Engine];

/// Which data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataSet {
    /// What it belongs to: an experiment at a size, such as `tenth-c`, or a collection, such as `digits`.
    pub group: String,
    /// Its name there: the number of a run, or what is told from what.
    pub name: String,
}

impl DataSet {
    /// Returns the data of a run of an experiment.
    pub fn generated(sizes: Sizes, letter: char, run: usize) -> Self {
        DataSet { group: generated_group(sizes, letter), name: run.to_string() }
    }
}

/// Returns the name of what an experiment's runs belong to.
pub fn generated_group(sizes: Sizes, letter: char) -> String {
    format!("{}-{letter}", sizes.name())
}

/// How a contender ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a hyperplane that separates the data.
    Separated,
    /// With the hint that nothing does.
    LooksInseparable,
    /// With the proof that nothing does.
    Inseparable,
    /// At a limit.
    Stopped,
}

impl Ending {
    /// Every ending, with its name in files.
    pub const NAMES: [(Ending, &'static str); 4] = [
        (Ending::Separated, "separated"),
        (Ending::LooksInseparable, "looks-inseparable"),
        (Ending::Inseparable, "inseparable"),
        (Ending::Stopped, "stopped"),
    ];

    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(ending, _)| *ending == self).map_or("", |(_, name)| name)
    }
}

/// What one contender did on one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct CureRun {
    /// The data.
    pub set: DataSet,
    /// In which units the contender saw it.
    pub scale: Scaling,
    /// Who ran.
    pub contender: Contender,
    /// Rows of the data.
    pub rows: usize,
    /// Features of the data.
    pub features: usize,
    /// How it ended.
    pub ending: Ending,
    /// Epochs of a method; passes over all rows of the engine.
    pub epochs: u64,
    /// Updates of a method.
    pub updates: Option<u64>,
    /// Mistakes that a method left.
    pub mistakes: Option<u64>,
    /// Rows whose score was computed.
    pub rows_evaluated: u64,
    /// The angular margin of its hyperplane among the rows as it saw them; negative where there are mistakes.
    pub margin: Option<f64>,
    /// No hyperplane has an angular margin above this.
    pub bound: Option<f64>,
    /// CPU time, that of the engine with its proof; not a number where it was not kept.
    pub seconds: f64,
}

impl CureRun {
    /// Returns the work as a number of passes over all rows.
    pub fn passes(&self) -> f64 {
        self.rows_evaluated as f64 / self.rows as f64
    }
}

/// Returns how often a contender runs that took so long.
fn rounds(seconds: f64) -> usize {
    match seconds {
        seconds if seconds < SHORT.0 => SHORT.1,
        seconds if seconds > LONG.0 => LONG.1,
        _ => ROUNDS,
    }
}

/// Returns the data of one of the paper's experiments: an experiment and a run, which is its seed.
pub fn steps(
    stated: &Experiment,
    sizes: Sizes,
    scale: f64,
    runs: Option<usize>,
) -> impl Iterator<Item = (Experiment, usize)> {
    let experiment = stated.scaled(sizes.scale() * scale);
    (1..=runs.unwrap_or(sizes.runs())).map(move |run| (experiment.clone(), run))
}

/// Runs the contenders on one data set, in turns; returns nothing if cancelled.
///
/// Errors if a setting is out of its range.
pub fn compete(
    samples: &Samples,
    set: &DataSet,
    scale: Scaling,
    contenders: &[Contender],
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<Option<Vec<CureRun>>, MeasureError> {
    let mut best: Vec<CureRun> = vec![];
    // What it costs to count a hyperplane's mistakes.
    let mut evaluating = f64::INFINITY;
    for round in 0..SHORT.1 {
        for (k, contender) in contenders.iter().enumerate() {
            if best.get(k).is_some_and(|known| round >= rounds(known.seconds)) {
                continue;
            }
            let what = format!("{} {}: {}", set.group, set.name, contender.name());
            watch.stage(&Stage::Fitting { what });
            let start = cpu_seconds();
            let (mut trial, plane) = run(samples, set, scale, *contender, settings, watch)?;
            trial.seconds = cpu_seconds() - start;
            if watch.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            if let Some(plane) = plane {
                let start = cpu_seconds();
                plane.evaluate(samples);
                evaluating = evaluating.min(cpu_seconds() - start);
            }
            match best.get_mut(k) {
                Some(known) => known.seconds = known.seconds.min(trial.seconds),
                None => best.push(trial),
            }
        }
    }
    for trial in best.iter_mut().filter(|trial| trial.contender != Contender::Engine) {
        trial.seconds = (trial.seconds - evaluating).max(LEAST_SECONDS);
    }
    Ok(Some(best))
}

/// Runs one contender once.
fn run(
    samples: &Samples,
    set: &DataSet,
    scale: Scaling,
    contender: Contender,
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<(CureRun, Option<Hyperplane>), MeasureError> {
    let begun = CureRun {
        set: set.clone(),
        scale,
        contender,
        rows: samples.rows(),
        features: samples.columns(),
        ending: Ending::Stopped,
        epochs: 0,
        updates: None,
        mistakes: None,
        rows_evaluated: 0,
        margin: None,
        bound: None,
        seconds: f64::NAN,
    };
    let Some(method) = contender.method() else {
        let found =
            decide(samples, &DecideOptions::default(), watch).map_err(MeasureError::Decide)?;
        let margin = found.margin();
        let separable = found.verdict() == Some(Verdict::Separable);
        let trial = CureRun {
            ending: match found.verdict() {
                Some(Verdict::Separable) => Ending::Separated,
                Some(_) => Ending::Inseparable,
                None => Ending::Stopped,
            },
            epochs: found.passes,
            rows_evaluated: found.passes * samples.rows() as u64,
            margin: separable.then_some(margin.lower),
            bound: (separable && margin.kind == MarginKind::Angular).then_some(margin.upper),
            ..begun
        };
        return Ok((trial, None));
    };
    let settings = FitSettings { method, scale, keep_history: false, ..settings.clone() };
    let found = fit(samples, &settings, watch, None).map_err(MeasureError::Fit)?;
    let trial = CureRun {
        ending: match found.stop {
            Stop::Separated => Ending::Separated,
            Stop::LooksInseparable => Ending::LooksInseparable,
            _ => Ending::Stopped,
        },
        epochs: found.epochs,
        updates: Some(found.updates),
        mistakes: Some(found.evaluation.mistakes),
        rows_evaluated: found.rows_evaluated,
        margin: found.scaled_margin.or(found.evaluation.margin.angular),
        bound: found.margin_bound,
        ..begun
    };
    Ok((trial, Some(found.hyperplane)))
}
