//! What separates quasi-separable data, in few features.
//!
//! ```text
//! first   one feature k and a sign s with max s x_k over the negative rows = min s x_k over the
//!         positive ones: of several, the one with the most rows off that value
//! else    the weak separator of the proof; where that is cheap, its features are left out one
//!         after another as long as those that remain separate weakly
//! ```
//!
//! Data with a conflict has max >= min for every feature and sign, so nothing but equality counts.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_proof::exact::{ExactPlane, Row};
use rayon::prelude::*;

use super::super::budget::Deadline;
use super::super::engine::decide;
use super::super::exact::integers::odd_parts;
use super::super::options::DecideOptions;
use super::super::outcome::{Outcome, WeakSeparator};
use super::super::plan;
use super::Carried;
use crate::Samples;

/// Returns what carries the separation of quasi-separable samples: a weak separator with as few
/// features as is cheap to find. `separator` is one.
pub fn carried(samples: &Samples, separator: &WeakSeparator, deadline: &Deadline) -> Carried {
    if let Some(carried) = single_feature(samples) {
        return carried;
    }
    thinned(samples, with_rows(samples, separator.clone()), deadline)
}

/// Returns the hyperplane with its features and the rows strictly on their own side.
fn with_rows(samples: &Samples, separator: WeakSeparator) -> Carried {
    let WeakSeparator { weights, bias } = &separator;
    let features = (0..weights.len()).filter(|&k| weights[k] != IBig::ZERO).collect();
    let plane = ExactPlane::new(weights.to_vec(), bias.clone());
    let strict = |&i: &usize| plane.sign(Row::of(samples.features(), i)) != Ordering::Equal;
    let rows =
        (0..samples.rows()).into_par_iter().with_min_len(256).filter(strict).collect::<Vec<_>>();
    let classes = [false, true].map(|p| rows.iter().any(|&i| samples.positive()[i] == p));
    Carried { features, rows, classes, separator, border: None }
}

/// The values of a feature in one class: smallest, largest, and how many are stored.
#[derive(Clone, Copy)]
struct Range {
    least: f64,
    most: f64,
    stored: usize,
}

impl Range {
    fn see(&mut self, value: f64) {
        (self.least, self.most) = (self.least.min(value), self.most.max(value));
    }
}

/// Returns the single feature that separates weakly and has the most rows strictly on their own
/// side, if one separates weakly.
fn single_feature(samples: &Samples) -> Option<Carried> {
    let empty = Range { least: f64::INFINITY, most: f64::NEG_INFINITY, stored: 0 };
    // Negative and positive rows of each feature.
    let mut ranges = vec![[empty; 2]; samples.columns()];
    let mut counts = [0; 2];
    for (i, &positive) in samples.positive().iter().enumerate() {
        let class = usize::from(positive);
        counts[class] += 1;
        samples.features().for_each(i, |k, v| {
            ranges[k][class].see(v);
            ranges[k][class].stored += 1;
        });
    }
    let mut candidates = vec![];
    for (k, classes) in ranges.iter_mut().enumerate() {
        for (range, count) in classes.iter_mut().zip(counts) {
            if range.stored < count {
                range.see(0.0);
            }
        }
        let [negative, positive] = *classes;
        let constant = negative.least == positive.most && negative.most == positive.least;
        if negative.most == positive.least && !constant {
            candidates.push((k, 1, positive.least));
        } else if positive.most == negative.least && !constant {
            candidates.push((k, -1, positive.most));
        }
    }
    let found = candidates.into_iter().map(|(k, sign, border)| {
        // s (x_k - border), times a power of two that makes the border an integer.
        let (mantissa, exponent) = odd_parts(border);
        let (mut weight, mut bias) = (IBig::from(sign), IBig::from(-sign) * mantissa);
        if exponent < 0 {
            weight <<= exponent.unsigned_abs() as usize;
        } else {
            bias <<= exponent as usize;
        }
        let mut weights = vec![IBig::ZERO; samples.columns()];
        weights[k] = weight;
        let carried = with_rows(samples, WeakSeparator { weights, bias });
        Carried { border: Some(border), ..carried }
    });
    // Of equals the first.
    found.reduce(|best, next| if next.rows.len() > best.rows.len() { next } else { best })
}

/// Leaves out features of the weak separator as long as the others separate weakly.
fn thinned(samples: &Samples, mut best: Carried, deadline: &Deadline) -> Carried {
    if !plan::thinning_is_affordable(samples.rows(), best.features.len()) {
        return best;
    }
    for k in best.features.clone() {
        if deadline.halted() || best.features.len() < 2 || !best.features.contains(&k) {
            continue;
        }
        let kept: Vec<usize> = best.features.iter().copied().filter(|&other| other != k).collect();
        if let Some(few) = weak_separator(samples, &kept, deadline) {
            let mut weights = vec![IBig::ZERO; samples.columns()];
            kept.iter().zip(few.weights).for_each(|(&k, weight)| weights[k] = weight);
            best = with_rows(samples, WeakSeparator { weights, bias: few.bias });
        }
    }
    best
}

/// Returns a weak separator with these features only, if there is one.
fn weak_separator(
    samples: &Samples,
    features: &[usize],
    deadline: &Deadline,
) -> Option<WeakSeparator> {
    let mut values = vec![0.0; samples.rows() * features.len()];
    for (i, row) in values.chunks_mut(features.len()).enumerate() {
        samples.features().for_each(i, |k, v| {
            if let Ok(at) = features.binary_search(&k) {
                row[at] = v;
            }
        });
    }
    let few = Samples::dense(values, features.len(), samples.positive().to_vec()).ok()?;
    let options = DecideOptions::default().with_time_limit(deadline.left());
    match decide(&few, &options, &mut &*deadline).ok()?.outcome {
        Outcome::QuasiSeparable { separator, .. } => Some(separator),
        _ => None,
    }
}
