//! One hyperplane per class, trained against all others by an online method.

use rayon::prelude::*;

use crate::data::samples::Classes;
use crate::kernels::RowArithmetic;
use crate::online::{Fit, FitError, FitSettings, fit};
use crate::watch::{Stage, Watch};
use crate::{Hyperplane, Samples};

/// Hyperplanes that tell each class from the rest, and how well they name the class of a row together.
#[derive(Clone, Debug)]
pub struct Trained {
    /// What the method found for each class.
    pub fits: Vec<Fit>,
    /// Rows whose class is not the one that [`nearest_class`] names.
    pub mistakes: u64,
}

/// Trains one hyperplane per class against the rest. Nothing is returned if it was cancelled.
///
/// Errors if a setting is out of its range.
pub fn fit_one_vs_rest(
    samples: &Samples,
    classes: &Classes,
    settings: &FitSettings,
    watch: &mut dyn Watch,
) -> Result<Option<Trained>, FitError> {
    let mut fits = vec![];
    for class in 0..classes.count() {
        let what = format!("{} against the rest", classes.names()[class]);
        watch.stage(&Stage::Fitting { what });
        let own = classes.one_vs_rest(samples, class);
        let found = fit(&own, settings, watch, None)?;
        if found.stop == crate::online::Stop::Cancelled {
            return Ok(None);
        }
        fits.push(found);
    }
    let planes: Vec<Hyperplane> = fits.iter().map(|fit| fit.hyperplane.clone()).collect();
    let lengths = lengths(&planes);
    let wrong = |row: &usize| {
        let value = |k: usize| samples.features().dot(*row, &planes[k].weights) + planes[k].bias;
        nearest_class(&lengths, value).0 != classes.codes()[*row] as usize
    };
    let mistakes = (0..samples.rows()).into_par_iter().filter(wrong).count() as u64;
    Ok(Some(Trained { fits, mistakes }))
}

/// Returns what values of hyperplanes are divided by to be distances; 1 where there are no weights.
pub fn lengths(planes: &[Hyperplane]) -> Vec<f64> {
    let length = |plane: &Hyperplane| Some(plane.weight_norm()).filter(|&length| length > 0.0);
    planes.iter().map(|plane| length(plane).unwrap_or(1.0)).collect()
}

/// Returns the class on whose own side a row lies furthest, of equals the first, and how far, given the values of its
/// hyperplanes.
pub fn nearest_class(lengths: &[f64], value: impl Fn(usize) -> f64) -> (usize, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (class, length) in lengths.iter().enumerate() {
        let distance = value(class) / length;
        if distance > best.1 {
            best = (class, distance);
        }
    }
    best
}
