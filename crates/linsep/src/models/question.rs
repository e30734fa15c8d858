//! What is asked: are there directions g with v·g >= 0 for all structure vectors, and > 0 for some?
//!
//! A direction is (w, b), the bias last. Rows are y (x, 1); where a model has no constant they are y x, which
//! the engine is shown on both sides, and b is zero.

use dashu_int::IBig;
use linsep_data::{Data, Error};
use linsep_proof::exact::{ExactSum, parts};
use linsep_proof::structure::{Coefficient, Structure};

use crate::decide::{Constants, Mirror, Mirrored, OptionError};
use crate::queries::fold;

/// Rows, and how directions become coefficients.
pub(super) struct DirectionQuestion<'a> {
    /// The rows, each once.
    pub data: &'a dyn Data,
    /// How many of them observations make. Those that follow hold parts of numbers together.
    pub vectors: usize,
    /// Whether there is no constant in all rows.
    pub doubled: bool,
    /// Whether the bias stands for a column of the design.
    pub constant: Option<usize>,
    /// All rows are under this label.
    pub one_class: Option<bool>,
    /// The coefficients of the model.
    pub coefficients: Vec<Coefficient>,
}

impl<'a> DirectionQuestion<'a> {
    /// Returns the question of a binomial model about labelled rows. Costs a pass without an intercept: a column
    /// that is constant makes it easier.
    pub fn binomial(data: &'a dyn Data, intercept: bool) -> Result<Self, Error> {
        let columns = data.shape().columns;
        let constant = match intercept {
            true => None,
            false => fold(data, &Constants)?.found().first().copied(),
        };
        let one = |column, at| Coefficient { block: None, column, at };
        let mut coefficients: Vec<Coefficient> =
            (0..columns).map(|k| one(Some(k), vec![(k, 1.0)])).collect();
        if let Some((column, value)) = constant {
            coefficients[column].at = vec![(column, value.abs()), (columns, value.signum())];
        }
        if intercept {
            coefficients.insert(0, one(None, vec![(columns, 1.0)]));
        }
        let doubled = !intercept && constant.is_none();
        Ok(DirectionQuestion {
            data,
            vectors: data.shape().rows,
            doubled,
            constant: constant.map(|(column, _)| column),
            one_class: one_class(data).filter(|_| !doubled),
            coefficients,
        })
    }

    /// Returns the question about the vectors of a model, which `data` shows once each.
    pub fn of(structure: &Structure, data: &'a dyn Data) -> Self {
        let label = |k: usize| structure.vector(k).is_some_and(|vector| vector.positive);
        let same = (1..structure.vectors()).all(|k| label(k) == label(0));
        let doubled = structure.is_doubled();
        DirectionQuestion {
            data,
            vectors: structure.vectors(),
            doubled,
            constant: structure.constant(),
            one_class: (same && !doubled).then(|| label(0)),
            coefficients: structure.coefficients(),
        }
    }

    /// Returns the hyperplane of coefficients, the bias last. Errors if there is not one finite number for each.
    pub fn plane(&self, coefficients: &[f64]) -> Result<Vec<f64>, OptionError> {
        let (found, expected) = (coefficients.len(), self.coefficients.len());
        if found != expected {
            let found = format!("{found} numbers for {expected} coefficients");
            return Err(OptionError::new(
                "start",
                &found,
                "one number per coefficient, in their order",
            ));
        }
        if let Some(number) = coefficients.iter().find(|number| !number.is_finite()) {
            return Err(OptionError::new("start", number, "finite numbers"));
        }
        let mut plane = vec![0.0; self.dimension()];
        // What is a coordinate by itself first: others are sums of these and one of their own.
        for alone in [true, false] {
            let pairs = self.coefficients.iter().zip(coefficients);
            for (own, value) in pairs.filter(|(own, _)| (own.at.len() == 1) == alone) {
                let (at, factor) = own.at[0];
                let rest: f64 = own.at[1..].iter().map(|(k, factor)| factor * plane[*k]).sum();
                plane[at] = value - rest / factor.abs();
            }
        }
        // A product that overflows is no hint.
        plane.iter_mut().filter(|w| !w.is_finite()).for_each(|w| *w = 0.0);
        Ok(plane)
    }

    /// Returns the number of coordinates of a direction, the bias included.
    pub fn dimension(&self) -> usize {
        self.data.shape().columns + 1
    }

    /// Returns the number of dimensions that all rows are known to leave free: what the bias does, a constant
    /// column does too.
    pub fn known_free(&self) -> usize {
        usize::from(self.constant.is_some())
    }

    /// Returns the rows as the engine is asked about them.
    pub fn shown(&self, mirror: Mirror) -> Mirrored<'a> {
        Mirrored::new(self.data, Mirror { doubled: self.doubled, ..mirror })
    }

    /// Returns rows to start from, as they are shown: one side of some rows, and both of the first, so that
    /// the bias is among what they span.
    pub fn start(&self, rows: Vec<usize>) -> Vec<usize> {
        match self.doubled {
            true => [0, 1].into_iter().chain(rows.iter().skip(1).map(|k| 2 * k)).collect(),
            false => rows,
        }
    }

    /// Returns an integer vector without a bias that means nothing.
    pub fn direction(&self, mut vector: Vec<IBig>) -> Vec<IBig> {
        if self.doubled {
            *vector.last_mut().expect("a bias") = IBig::ZERO;
        }
        vector
    }
}

/// Returns the label that all rows in memory have, if they have one.
fn one_class(data: &dyn Data) -> Option<bool> {
    let labels = data.resident()?.positive();
    labels.iter().all(|&label| label == labels[0]).then(|| labels[0])
}

/// Returns the value that a direction gives to a coefficient.
pub(super) fn value(coefficient: &Coefficient, direction: &[IBig]) -> ExactSum {
    let mut sum = ExactSum::default();
    for &(at, factor) in &coefficient.at {
        let (mantissa, exponent) = parts(factor);
        sum.add(&direction[at] * mantissa, exponent);
    }
    sum
}
