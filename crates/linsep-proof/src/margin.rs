//! Bounds on the angular margin that hold with all rounding counted.
//!
//! The margin of a hyperplane is the smallest y (w·x + b) / ‖(x, 1)‖ / ‖(w, b)‖ over all rows; the best
//! one, rho, is the largest that any hyperplane has.

use std::cmp::Ordering;

use linsep_data::Samples;
use linsep_data::kernels::Element;
use rayon::prelude::*;

use crate::exact::{Row, exact_value, float_value, power_of_two, sign_of_value};
use crate::verify::{COLUMNS_A_TASK, ROWS_A_TASK};

/// Returns a number that the margin of the hyperplane is not below, close to it. One parallel pass.
///
/// # Panics
/// If there is not one weight a feature.
pub fn margin_lower_bound(samples: &Samples, weights: &[f64], bias: f64) -> f64 {
    assert_eq!(weights.len(), samples.columns(), "one weight a feature");
    sides_and_margin(samples, weights, bias).1
}

/// Returns the first row (counted from 0) that is not strictly on its own side of the hyperplane, if
/// there is one, and a number that the margin is not below. One parallel pass for both.
pub(crate) fn sides_and_margin(
    samples: &Samples,
    weights: &[f64],
    bias: f64,
) -> (Option<usize>, f64) {
    let length = length(Row::Dense64(weights), bias);
    let ahead = samples.features().rows_ahead();
    let rows = (0..samples.rows()).into_par_iter().with_min_len(ROWS_A_TASK);
    let row = |i| {
        samples.features().prefetch(i + ahead);
        side_and_margin(samples, i, weights, bias, length)
    };
    rows.map(row).reduce(|| (None, 1.0), worse)
}

/// Returns the first wrong row of two and the smaller margin.
pub(crate) fn worse(a: (Option<usize>, f64), b: (Option<usize>, f64)) -> (Option<usize>, f64) {
    (a.0.into_iter().chain(b.0).min(), a.1.min(b.1))
}

/// Returns row `i` if it is not strictly on its own side of the hyperplane, whose [`length`] is
/// given, and a number that its margin is not below.
pub(crate) fn side_and_margin(
    samples: &Samples,
    i: usize,
    weights: &[f64],
    bias: f64,
    length: f64,
) -> (Option<usize>, f64) {
    let (row, positive) = (Row::of(samples.features(), i), samples.positive()[i]);
    let value = value_lower_bound(row, positive, weights, bias);
    let own = if positive { Ordering::Greater } else { Ordering::Less };
    // What is above a positive number is positive; all else is for exact arithmetic to say.
    let right = value > 0.0 || sign_of_value(weights, bias, row) == own;
    ((!right).then_some(i), quotient_lower_bound(row, value, weights.len(), length))
}

/// Returns a number that y (w·x + b) is not below.
fn value_lower_bound(row: Row, positive: bool, weights: &[f64], bias: f64) -> f64 {
    match float_value(weights, bias, row) {
        Some((value, bound)) if bound <= value.abs() * power_of_two(-20) => {
            if positive {
                value - bound
            } else {
                -value - bound
            }
        }
        _ => {
            // The negative row (-w)·x - b is the positive one of the opposite hyperplane.
            let sum = exact_value(weights, bias, row);
            if positive { sum.round_down() } else { sum.negated().round_down() }
        }
    }
}

/// Returns a number that the margin of a row is not below, given one that its value is not below.
fn quotient_lower_bound(row: Row, value: f64, features: usize, length_w: f64) -> f64 {
    if !length_w.is_finite() || length_w == 0.0 {
        return -1.0;
    }
    let share = value / length(row, 1.0);
    let margin = share / length_w;
    // Where a quotient may underflow, zero or the least that any margin can be is a bound as well.
    if share.abs().min(margin.abs()) < power_of_two(-900) {
        return if value >= 0.0 { 0.0 } else { -1.0 };
    }
    // Both lengths and both quotients together are off by less than half the slack.
    let slack = slack(features);
    (if margin > 0.0 { margin * (1.0 - slack) } else { margin * (1.0 + slack) }).max(-1.0)
}

/// Returns a number that no hyperplane's margin exceeds: ‖sum a_i z_i‖ / sum a_i for the rows (counted
/// from 0) and the weights a_i >= 0 given, and rounding on top. Costs one look at the rows named.
///
/// Why: a hyperplane w of length 1 with margin rho has rho sum a_i <= sum a_i w·z_i <= ‖sum a_i z_i‖.
///
/// # Panics
/// If there is no such row.
pub fn margin_upper_bound(samples: &Samples, rows: &[(usize, f64)]) -> f64 {
    let total: f64 = rows.iter().map(|&(_, a)| a).sum();
    let usable = rows.iter().all(|&(_, a)| a >= 0.0);
    // Outside this range underflow or overflow would count; one is a bound on any margin.
    if !usable || !(power_of_two(-500)..power_of_two(500)).contains(&total) {
        return 1.0;
    }
    let terms: Vec<(Row, f64, f64)> = rows
        .iter()
        .map(|&(i, a)| {
            let row = Row::of(samples.features(), i);
            (row, if samples.positive()[i] { a } else { -a }, length(row, 1.0))
        })
        .collect();
    // A coordinate x_k / ‖(x, 1)‖ of magnitude at most 1 comes first, so that nothing overflows.
    let columns = samples.columns();
    let lengths: Vec<f64> = (0..columns.div_ceil(COLUMNS_A_TASK))
        .into_par_iter()
        .map(|task| {
            let from = task * COLUMNS_A_TASK;
            let range = from..columns.min(from + COLUMNS_A_TASK);
            let mut sums = vec![0.0; range.len()];
            for &(row, a, length) in &terms {
                row.for_each_in(range.clone(), |k, x| sums[k - from] += a * (x / length));
            }
            length(Row::Dense64(&sums), 0.0)
        })
        .collect();
    let last: f64 = terms.iter().map(|&(_, a, length)| a * (1.0 / length)).sum();
    // A term a_i z_ik is within a factor 1 ± (d + 8) u, and their float sum within m u of the sum of
    // their magnitudes: as a vector, the error is at most (d + m + 8) u (1 + small) sum a_i, since
    // ‖z_i‖ = 1. Lengths and quotients add their own relative error; the slack is over four times
    // each of these.
    let slack = slack(columns + rows.len());
    (length(Row::Dense64(&lengths), last) / total * (1.0 + slack) + slack).min(1.0)
}

/// Returns eight times the relative error of [`length`] for `n` values, and a little more.
fn slack(n: usize) -> f64 {
    (n as f64 + 32.0) * power_of_two(-50)
}

/// Returns the length of (row, last), within a factor 1 ± (d + 6) u if it is above 2^-400.
///
/// A sum of squares between 2^-800 and the largest number has lost nothing to underflow that counts;
/// otherwise the values are scaled by a power of two first. A length that overflows is infinite.
pub(crate) fn length(row: Row, last: f64) -> f64 {
    let plain = squares(row, 1.0) + last * last;
    if plain.is_finite() && plain >= power_of_two(-800) {
        return plain.sqrt();
    }
    let scale = power_of_two(if plain.is_finite() { 600 } else { -600 });
    let scaled = squares(row, scale) + (last * scale) * (last * scale);
    scaled.sqrt() / scale
}

/// Returns the sum of the squares of the values times `scale`.
fn squares(row: Row, scale: f64) -> f64 {
    match row {
        Row::Dense64(x) | Row::Sparse(_, x) => dense_squares(x, scale),
        Row::Dense32(x) => dense_squares(x, scale),
    }
}

fn dense_squares<T: Element>(x: &[T], scale: f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    for block in blocks {
        for k in 0..LANES {
            lanes[k] += (block[k].widen() * scale) * (block[k].widen() * scale);
        }
    }
    for (lane, x) in lanes.iter_mut().zip(rest) {
        *lane += (x.widen() * scale) * (x.widen() * scale);
    }
    lanes.iter().sum()
}
