//! The paper's three experiments (section 5): the Perceptron against `fine` on generated data, with the deciding
//! engine beside them.

mod clock;
pub mod cures;
pub mod last_phase;
pub mod study;

use std::fmt;
use std::sync::atomic::Ordering;

use linsep::data::generate::Generator;
use linsep::decide::{DecideError, DecideOptions, Decision, Verdict, Watch, decide};
use linsep::online::corral::CorralSettings;
use linsep::online::fine::FineSettings;
use linsep::online::{Fit, FitError, FitSettings, MethodSettings, Stop, fit};
use linsep::watch::Stage;
use linsep::{Error, Samples};

/// One of the paper's experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its letter in the paper's figure.
    pub letter: char,
    /// Rows.
    pub rows: usize,
    /// Features.
    pub features: usize,
    /// The length of the shift, 1 where each of its coordinates is drawn from (-1, 1). The paper leaves it open.
    pub shift: f64,
    /// What the paper says, in short.
    pub claim: &'static str,
    /// What the paper says of the Perceptron.
    pub claim_perceptron: &'static str,
    /// What the paper says of its own method.
    pub claim_fine: &'static str,
}

/// The paper's experiments, at the sizes that it states.
pub const EXPERIMENTS: [Experiment; 3] = [
    Experiment {
        letter: 'a',
        rows: 10_000,
        features: 100_000,
        shift: 1.0,
        claim: "P 12, A 36 epochs",
        claim_perceptron: "12 epochs",
        claim_fine: "36 epochs",
    },
    Experiment {
        letter: 'b',
        rows: 100_000,
        features: 10_000,
        shift: 1.0,
        claim: "A twice as fast as P",
        claim_perceptron: "twice the epochs of A",
        claim_fine: "half the epochs of P",
    },
    Experiment {
        letter: 'c',
        rows: 1_000_000,
        features: 100,
        shift: 1.0,
        claim: "P not within 1,000, A within 500",
        claim_perceptron: "no solution within 1000 epochs",
        claim_fine: "within 500 epochs",
    },
];

impl Experiment {
    /// Returns the experiment with both sides shrunk by `scale`, and at least 2 rows and 1 feature.
    pub fn scaled(&self, scale: f64) -> Experiment {
        let side = |full: usize, least: usize| ((full as f64 * scale).round() as usize).max(least);
        Experiment { rows: side(self.rows, 2), features: side(self.features, 1), ..self.clone() }
    }

    /// Returns the experiment with another shift.
    pub fn shifted(&self, shift: f64) -> Experiment {
        Experiment { shift, ..self.clone() }
    }

    /// Returns the data for a seed.
    ///
    /// Errors if by chance all rows are of one class, which only tiny sizes make likely.
    pub fn data(&self, seed: u64, precision: Precision) -> Result<Samples, Error> {
        let generator = Generator::new(self.rows, self.features, seed).with_shift(self.shift);
        match precision {
            Precision::Double => generator.samples::<f64>(),
            Precision::Single => generator.samples::<f32>(),
        }
    }
}

/// The number type in which data is generated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f64`.
    #[default]
    Double,
    /// `f32`: half the memory.
    Single,
}

/// What is run on the data of an experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contender {
    /// The Perceptron: P in the paper.
    Perceptron,
    /// The paper's method: A in the paper, whose relaxation is 1.
    Fine {
        /// The score that a corrected sample gets.
        epsilon: f64,
        /// The step size.
        relaxation: f64,
    },
    /// The paper's method with a projection after each epoch.
    Joint {
        /// The score that a corrected sample gets.
        epsilon: f64,
        /// The step size of the corrections between projections.
        relaxation: f64,
    },
    /// The largest margin, a row at a time.
    Corral {
        /// The part of the largest margin that may be missing.
        gap: f64,
    },
    /// The smooth Perceptron.
    Smooth,
    /// The deciding engine, which proves its answer.
    Engine,
}

impl Contender {
    /// Returns the name that the program has for it.
    pub fn name(&self) -> &'static str {
        match self {
            Contender::Perceptron => "perceptron",
            Contender::Fine { .. } => "fine",
            Contender::Joint { .. } => "joint",
            Contender::Corral { .. } => "corral",
            Contender::Smooth => "smooth",
            Contender::Engine => "decide",
        }
    }

    /// Returns the online method; none for the engine.
    fn method(&self) -> Option<MethodSettings> {
        let stepped =
            |epsilon, relaxation| FineSettings { epsilon, relaxation, ..FineSettings::default() };
        match *self {
            Contender::Perceptron => Some(MethodSettings::Perceptron),
            Contender::Fine { epsilon, relaxation } => {
                Some(MethodSettings::Fine(stepped(epsilon, relaxation)))
            }
            Contender::Joint { epsilon, relaxation } => {
                Some(MethodSettings::Joint(stepped(epsilon, relaxation)))
            }
            Contender::Corral { gap } => Some(MethodSettings::Corral(CorralSettings { gap })),
            Contender::Smooth => Some(MethodSettings::Smooth),
            Contender::Engine => None,
        }
    }
}

/// What one contender did on the data of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The letter of the experiment.
    pub letter: char,
    /// Rows of the data.
    pub rows: usize,
    /// Features of the data.
    pub features: usize,
    /// The length of the shift.
    pub shift: f64,
    /// The number of the run, counted from 1.
    pub run: usize,
    /// Who ran.
    pub contender: Contender,
    /// Whether it ended with a hyperplane that separates the data.
    pub separated: bool,
    /// Epochs of a method; passes over all rows of the engine.
    pub epochs: u64,
    /// Updates of a method.
    pub updates: Option<u64>,
    /// Mistakes that a method left.
    pub mistakes: Option<u64>,
    /// Rows whose score was computed.
    pub rows_evaluated: u64,
    /// Time, not a number where it was not kept: all else is the same in each repetition.
    pub seconds: f64,
    /// The mistakes of each epoch; empty for the engine, or where they were not kept.
    pub history: Vec<u64>,
}

impl Measurement {
    /// Returns the work as a number of passes over all rows.
    pub fn passes(&self) -> f64 {
        self.rows_evaluated as f64 / self.rows as f64
    }
}

/// Why contenders could not be run.
#[derive(Debug)]
#[non_exhaustive]
pub enum MeasureError {
    /// A method could not: an epsilon or a relaxation is out of its range.
    Fit(FitError),
    /// The engine could not.
    Decide(DecideError),
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasureError::Fit(error) => error.fmt(f),
            MeasureError::Decide(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MeasureError {}

/// Runs each contender on the data of run `run` of `experiment`, with the limits of `settings`.
///
/// A cancelled one is the last, and is left out. Errors if an epsilon or a relaxation is out of its range.
pub fn measure(
    samples: &Samples,
    experiment: &Experiment,
    run: usize,
    contenders: &[Contender],
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<Vec<Measurement>, MeasureError> {
    let mut measured = vec![];
    for contender in contenders {
        let what = format!("({}) run {run}: {}", experiment.letter, contender.name());
        watch.stage(&Stage::Fitting { what });
        let one = match contender.method() {
            Some(method) => {
                let settings = FitSettings { method, ..settings.clone() };
                let found = fit(samples, &settings, watch, None).map_err(MeasureError::Fit)?;
                (found.stop != Stop::Cancelled).then(|| of_fit(experiment, run, *contender, found))
            }
            None => {
                let options = DecideOptions::default().with_time_limit(settings.time_limit);
                let found = decide(samples, &options, watch).map_err(MeasureError::Decide)?;
                let cancelled = watch.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed));
                (!cancelled).then(|| of_decision(experiment, run, &found))
            }
        };
        match one {
            Some(one) => measured.push(one),
            None => break,
        }
    }
    Ok(measured)
}

/// Returns a measurement with nothing known yet.
fn begun(experiment: &Experiment, run: usize, contender: Contender) -> Measurement {
    let Experiment { letter, rows, features, shift, .. } = *experiment;
    Measurement {
        letter,
        rows,
        features,
        shift,
        run,
        contender,
        separated: false,
        epochs: 0,
        updates: None,
        mistakes: None,
        rows_evaluated: 0,
        seconds: 0.0,
        history: vec![],
    }
}

fn of_fit(experiment: &Experiment, run: usize, contender: Contender, fit: Fit) -> Measurement {
    Measurement {
        separated: fit.separated(),
        epochs: fit.epochs,
        updates: Some(fit.updates),
        mistakes: Some(fit.evaluation.mistakes),
        rows_evaluated: fit.rows_evaluated,
        seconds: fit.seconds,
        history: fit.history.iter().map(|record| record.mistakes).collect(),
        ..begun(experiment, run, contender)
    }
}

fn of_decision(experiment: &Experiment, run: usize, decision: &Decision) -> Measurement {
    Measurement {
        separated: decision.verdict() == Some(Verdict::Separable),
        epochs: decision.passes,
        rows_evaluated: decision.passes * experiment.rows as u64,
        seconds: decision.seconds,
        ..begun(experiment, run, Contender::Engine)
    }
}
