//! The paper's three experiments (section 5): Perceptron against `fine` on generated data.

use crate::data::generate::Generator;
use crate::online::fine::Settings;
use crate::online::{Fit, FitError, FitSettings, MethodSettings, Observer};
use crate::race::{Entrant, race};
use crate::{Error, Samples};

/// One of the paper's experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Its letter in the paper's figure.
    pub letter: char,
    /// Rows at full size.
    pub rows: usize,
    /// Features at full size.
    pub features: usize,
    /// What the paper says of the Perceptron.
    pub claim_perceptron: &'static str,
    /// What the paper says of its own method.
    pub claim_fine: &'static str,
}

/// The paper's experiments, at full size.
pub const EXPERIMENTS: [Experiment; 3] = [
    Experiment {
        letter: 'a',
        rows: 10_000,
        features: 100_000,
        claim_perceptron: "12 epochs",
        claim_fine: "36 epochs",
    },
    Experiment {
        letter: 'b',
        rows: 100_000,
        features: 10_000,
        claim_perceptron: "twice the epochs of A",
        claim_fine: "half the epochs of P",
    },
    Experiment {
        letter: 'c',
        rows: 1_000_000,
        features: 100,
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

/// Returns the data of one run.
///
/// Errors if by chance all rows are of one class, which only tiny sizes make likely.
pub fn run_data(
    experiment: &Experiment,
    seed: u64,
    precision: Precision,
) -> Result<Samples, Error> {
    let generator = Generator::new(experiment.rows, experiment.features, seed);
    match precision {
        Precision::Double => generator.samples::<f64>(),
        Precision::Single => generator.samples::<f32>(),
    }
}

/// One method on the data of one run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The number of the run, counted from 1.
    pub number: usize,
    /// The method: the Perceptron, or `fine` with some epsilon.
    pub method: MethodSettings,
    /// What it found.
    pub fit: Fit,
}

impl Run {
    /// Returns the name in the paper's figure: P1, P2, … and A1, A2, ….
    pub fn name(&self) -> String {
        let letter = if self.epsilon().is_some() { 'A' } else { 'P' };
        format!("{letter}{}", self.number)
    }

    /// Returns the epsilon of `fine`.
    pub fn epsilon(&self) -> Option<f64> {
        match &self.method {
            MethodSettings::Fine(settings) => Some(settings.epsilon),
            _ => None,
        }
    }
}

/// Runs the Perceptron, and then `fine` with each epsilon, on the data of run `number`.
///
/// A cancelled method is the last one. Errors if an epsilon is out of its range.
pub fn run_methods<'o>(
    samples: &Samples,
    number: usize,
    epsilons: &[f64],
    settings: &FitSettings,
    observers: &mut dyn FnMut(&MethodSettings) -> Box<dyn Observer + 'o>,
) -> Result<Vec<Run>, FitError> {
    let fine = epsilons
        .iter()
        .map(|&epsilon| MethodSettings::Fine(Settings { epsilon, ..Settings::default() }));
    let methods: Vec<_> = std::iter::once(MethodSettings::Perceptron).chain(fine).collect();
    let entrants = race(samples, &methods, settings, observers)?;
    Ok(entrants.into_iter().map(|Entrant { method, fit }| Run { number, method, fit }).collect())
}
