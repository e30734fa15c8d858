//! Bounds on margins that hold with all rounding counted.
//!
//! The angular margin of a hyperplane is the smallest y (w·x + b) / ‖(x, 1)‖ / ‖(w, b)‖ over all rows, the
//! geometric one the smallest y (w·x + b) / ‖w‖. The best one is the largest that any hyperplane has.

use std::cmp::Ordering;
use std::ops::Range;

use linsep_data::{Block, Data, Error, FoldQuery, Halt, Memory, Samples, Shape, fold_until};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::evidence::RowWeights;
use crate::exact::{
    ExactSum, Row, exact_value, float_value_and_squares, parts, power_of_two, sign_of_value,
};
use crate::look::LookQuery;
use crate::proof::{FloatPlane, MarginKind};
use crate::verify::columns_per_task;

/// A length that floats know this well needs no exact sums.
const GOOD: f64 = 1e-9;
/// Products up to which exact sums take no time worth saving.
const MANY: usize = 100_000;

/// Returns a number that the margin of the hyperplane is not below, close to it. One parallel pass.
///
/// # Panics
/// If there is not one weight per feature.
pub fn margin_lower_bound(samples: &Samples, kind: MarginKind, weights: &[f64], bias: f64) -> f64 {
    let found = lower_bound(&Memory::new(samples), kind, weights, bias, &|| false);
    found.expect("memory can be read").expect("nothing halts it")
}

/// Returns the same for data that may be elsewhere; nothing if `halt` was true before the end. Errors if it cannot be read.
///
/// # Panics
/// As [`margin_lower_bound`] does.
pub fn lower_bound(
    data: &dyn Data,
    kind: MarginKind,
    weights: &[f64],
    bias: f64,
    halt: Halt,
) -> Result<Option<f64>, Error> {
    assert_eq!(weights.len(), data.shape().columns, "one weight per feature");
    let plane = FloatPlane { weights: weights.to_vec(), bias };
    let mut query = LookQuery::default();
    query.ask_margin(kind, plane);
    let found = fold_until(data, &query, halt)?;
    Ok(found.map(|found| found.margin.expect("asked for").lower))
}

/// Looks which rows are strictly on their own side of a hyperplane, and how near the nearest is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MarginQuery {
    kind: MarginKind,
    plane: FloatPlane,
    /// What values are divided by for a margin.
    length: f64,
}

/// What it has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MarginState {
    /// The first row that is not strictly on its own side, if there is one.
    pub(crate) astray: Option<usize>,
    /// A number that the margin is not below.
    pub(crate) lower: f64,
}

impl MarginQuery {
    pub(crate) fn new(kind: MarginKind, plane: FloatPlane) -> Self {
        let length = plane_length(kind, &plane.weights, plane.bias);
        MarginQuery { kind, plane, length }
    }
}

impl FoldQuery for MarginQuery {
    type State = MarginState;

    fn begin(&self) -> MarginState {
        MarginState { astray: None, lower: self.kind.most() }
    }

    fn absorb(&self, state: &mut MarginState, block: &Block<'_>) {
        let MarginQuery { kind, plane: FloatPlane { weights, bias }, length } = self;
        let samples = block.samples();
        for i in block.places() {
            let (right, margin) = side_and_margin(samples, i, *kind, weights, *bias, *length);
            if !right {
                state.astray = state.astray.into_iter().chain([block.number(i)]).min();
            }
            state.lower = state.lower.min(margin);
        }
    }

    fn merge(&self, state: &mut MarginState, other: MarginState) {
        state.astray = state.astray.into_iter().chain(other.astray).min();
        state.lower = state.lower.min(other.lower);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.plane.weights.len() == shape.columns
    }

    fn admits(&self, state: &MarginState, shape: Shape) -> bool {
        state.astray.is_none_or(|row| row < shape.rows)
            && (self.kind.least()..=self.kind.most()).contains(&state.lower)
    }
}

/// Returns the length that values are divided by for a margin.
fn plane_length(kind: MarginKind, weights: &[f64], bias: f64) -> f64 {
    length(Row::Dense64(weights), if kind == MarginKind::Angular { bias } else { 0.0 })
}

/// Returns whether row `i` is strictly on its own side of the hyperplane, whose [`plane_length`] is
/// given, and a number that its margin is not below.
fn side_and_margin(
    samples: &Samples,
    i: usize,
    kind: MarginKind,
    weights: &[f64],
    bias: f64,
    length: f64,
) -> (bool, f64) {
    let (row, positive) = (Row::of(samples.features(), i), samples.positive()[i]);
    let (value, squares) = value_lower_bound(row, positive, weights, bias);
    let own = if positive { Ordering::Greater } else { Ordering::Less };
    // What is above a positive number is positive; all else is for exact arithmetic to say.
    let right = value > 0.0 || sign_of_value(weights, bias, row) == own;
    let share = match kind {
        MarginKind::Angular => value / length_of(squares, row, 1.0),
        MarginKind::Geometric => value,
    };
    (right, quotient_lower_bound(kind, value, share, weights.len(), length))
}

/// Returns a number that y (w·x + b) is not below, and the sum of the squares of x.
fn value_lower_bound(row: Row, positive: bool, weights: &[f64], bias: f64) -> (f64, f64) {
    // Exact sums are for values that cancel to less than about a 2^18th of their terms, or that would
    // be off by more than a millionth part: most rows are never among them.
    let tolerance = ((weights.len() + 4) as f64 * power_of_two(-34)).min(power_of_two(-22));
    let (float, squares) = float_value_and_squares::<true>(weights, bias, row);
    let lower = match float {
        Some((value, bound)) if bound <= value.abs() * tolerance => {
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
    };
    (lower, squares)
}

/// Returns a number that the margin of a row is not below, given one that its value is not below, and
/// that over the length of the row where the margin is angular.
fn quotient_lower_bound(
    kind: MarginKind,
    value: f64,
    share: f64,
    features: usize,
    length_w: f64,
) -> f64 {
    // A length this small may be off by more than the slack. A value and a length that both overflow have no
    // quotient.
    if !length_w.is_finite() || length_w < power_of_two(-900) || share.is_nan() {
        return kind.least();
    }
    let margin = share / length_w;
    // Where a quotient may underflow, zero or the least that any margin can be is a bound as well.
    if share.abs().min(margin.abs()) < power_of_two(-900) {
        return if value >= 0.0 { 0.0 } else { kind.least() };
    }
    // Both lengths and both quotients together are off by less than half the slack.
    let slack = slack(features);
    (if margin > 0.0 { margin * (1.0 - slack) } else { margin * (1.0 + slack) })
        .clamp(kind.least(), kind.most())
}

/// Returns a number that no hyperplane's margin exceeds, shown by the rows (counted from 0) and their
/// weights, which multiply the rows as they are, (x, 1). Costs one look at the rows named.
///
/// # Panics
/// If there is no such row.
pub fn margin_upper_bound(samples: &Samples, kind: MarginKind, rows: &RowWeights) -> f64 {
    upper_bound(&Memory::new(samples), kind, rows).expect("memory can be read")
}

/// Returns the same for data that may be elsewhere. Errors if it cannot be read.
///
/// # Panics
/// As [`margin_upper_bound`] does.
pub fn upper_bound(data: &dyn Data, kind: MarginKind, rows: &RowWeights) -> Result<f64, Error> {
    bound_by(data, kind, rows, Sums::Quick)
}

/// Returns the same, as low as exact sums make it.
pub(crate) fn lowest_upper_bound(
    data: &dyn Data,
    kind: MarginKind,
    rows: &RowWeights,
) -> Result<f64, Error> {
    bound_by(data, kind, rows, Sums::Exact)
}

/// How sums are made that bound a margin from above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// By floats with all their rounding counted, where these are many and good enough.
    Quick,
    /// Without rounding.
    Exact,
}

fn bound_by(
    data: &dyn Data,
    kind: MarginKind,
    rows: &RowWeights,
    sums: Sums,
) -> Result<f64, Error> {
    if rows.is_empty() || !rows.iter().all(|(_, a)| a >= 0.0 && a.is_finite()) {
        return Ok(kind.most());
    }
    let (samples, weights) = (data.fetch(&rows.rows())?, rows.weights());
    let bound = match kind {
        MarginKind::Angular => angular_upper_bound(&samples, &weights, sums),
        MarginKind::Geometric => geometric_upper_bound(&samples, &weights, sums),
    };
    // A quotient that came out below this may have lost more than its slack to underflow, or all of
    // itself: it stands for this number, which is above it in any case.
    Ok(bound.clamp(power_of_two(-900), kind.most()))
}

/// Returns the weights of rows as they are, given those of lifted rows: each over the row's length. Files before version 6
/// have weights of lifted rows, and how lengths are rounded was left to the checker.
pub(crate) fn of_raw_rows(data: &dyn Data, lifted: &RowWeights) -> Result<RowWeights, Error> {
    let samples = data.fetch(&lifted.rows())?;
    let length = |i| length(Row::of(samples.features(), i), 1.0);
    Ok(lifted.iter().zip(0..).map(|((row, a), i)| (row, a / length(i))).collect())
}

/// ‖sum c_i y_i (x_i, 1)‖ / sum c_i ‖(x_i, 1)‖: a hyperplane w of length 1 with margin rho has
/// rho sum c_i ‖(x_i, 1)‖ <= sum c_i y_i w·(x_i, 1) <= ‖sum c_i y_i (x_i, 1)‖.
fn angular_upper_bound(samples: &Samples, weights: &[f64], sums: Sums) -> f64 {
    let mut total = 0.0;
    let mut terms = vec![];
    let mut last = ExactSum::default();
    for (i, &c) in weights.iter().enumerate() {
        let row = Row::of(samples.features(), i);
        total += c * length(row, 1.0);
        let c = exact(if samples.positive()[i] { c } else { -c });
        last += c.clone();
        terms.push((row, c));
    }
    // Outside this range underflow or overflow would count; one is a bound on any margin.
    if !(power_of_two(-500)..power_of_two(500)).contains(&total) {
        return 1.0;
    }
    combined_length(samples, &terms, last, sums) / total
        * (1.0 + slack(samples.columns() + weights.len()))
}

/// Half the distance of two points, one in the hull of each class: no hyperplane between them is
/// further than that from both.
fn geometric_upper_bound(samples: &Samples, weights: &[f64], sums: Sums) -> f64 {
    // The total weight of the negative class, of the positive one.
    let mut totals = [ExactSum::default(), ExactSum::default()];
    let rows = || weights.iter().copied().enumerate();
    rows().for_each(|(i, a)| totals[usize::from(samples.positive()[i])] += exact(a));
    let product = totals[0].times(&totals[1]).round_down();
    if product < power_of_two(-900) {
        return f64::MAX;
    }
    // Each row counts with the total of the other class, which makes up for unequal totals.
    let terms: Vec<(Row, ExactSum)> = rows()
        .map(|(i, a)| {
            let positive = samples.positive()[i];
            let share = exact(a).times(&totals[usize::from(!positive)]);
            (Row::of(samples.features(), i), if positive { share } else { share.negated() })
        })
        .collect();
    let distance = combined_length(samples, &terms, ExactSum::default(), sums) / product;
    0.5 * distance * (1.0 + slack(samples.columns()))
}

/// Returns a number that the length of (sum c_i x_i, last) does not exceed by more than its rounding,
/// which is relative: the sums are exact, however much they cancel, or known to a billionth part.
fn combined_length(
    samples: &Samples,
    terms: &[(Row, ExactSum)],
    last: ExactSum,
    sums: Sums,
) -> f64 {
    let last = last.magnitude_up();
    let many = terms.iter().map(|(row, _)| row.stored()).sum::<usize>() > MANY;
    let quick = (many && sums == Sums::Quick)
        .then(|| float_lengths(samples, terms, last))
        .filter(|(plain, most)| most.is_finite() && *most <= plain * (1.0 + GOOD));
    let length = quick.map_or_else(|| exact_length(samples, terms, last), |(_, most)| most);
    // Lengths below this may have lost more than the slack, so they count as this.
    length.max(power_of_two(-900))
}

/// Returns the length as floats have it, and an upper bound on the true one, up to the relative rounding of
/// [`length`]. Both are infinite, or not numbers, where floats cannot say.
///
/// A sum of m products of floats is off by at most (m + 4) 2^-52 times the sum of their magnitudes, the
/// rounding of the shares to 53 bits included, and by 2^-1074 for each product that underflows: see
/// [`float_value`](crate::exact::float_value).
fn float_lengths(samples: &Samples, terms: &[(Row, ExactSum)], last: f64) -> (f64, f64) {
    let shares: Vec<f64> = terms.iter().map(|(_, share)| share.round_down()).collect();
    let usual = |share: &f64| (power_of_two(-900)..power_of_two(900)).contains(&share.abs());
    let zero = |(_, share): &(Row, ExactSum)| share.sign() == Ordering::Equal;
    if !shares.iter().zip(terms).all(|(share, term)| usual(share) || zero(term)) {
        return (f64::INFINITY, f64::INFINITY);
    }
    let off = (terms.len() as f64 + 4.0) * power_of_two(-52);
    let pairs: Vec<(f64, f64)> = by_columns(samples, |range| {
        let (mut sums, mut magnitudes) = (vec![0.0; range.len()], vec![0.0; range.len()]);
        for ((row, _), share) in terms.iter().zip(&shares) {
            row.for_each_in(range.clone(), |k, x| {
                let term = share * x;
                sums[k - range.start] += term;
                magnitudes[k - range.start] += term.abs();
            });
        }
        let most: Vec<f64> = (sums.iter().zip(&magnitudes))
            .map(|(sum, magnitude)| sum.abs() + off * magnitude + power_of_two(-900))
            .collect();
        (length(Row::Dense64(&sums), 0.0), length(Row::Dense64(&most), 0.0))
    });
    let (plain, most): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    (length(Row::Dense64(&plain), last), length(Row::Dense64(&most), last))
}

/// Returns the length by exact sums.
fn exact_length(samples: &Samples, terms: &[(Row, ExactSum)], last: f64) -> f64 {
    let lengths: Vec<f64> = by_columns(samples, |range| {
        let mut sums = vec![ExactSum::default(); range.len()];
        for (row, share) in terms {
            row.for_each_in(range.clone(), |k, x| {
                sums[k - range.start] += share.times(&exact(x));
            });
        }
        let magnitudes: Vec<f64> = sums.into_iter().map(ExactSum::magnitude_up).collect();
        length(Row::Dense64(&magnitudes), 0.0)
    });
    length(Row::Dense64(&lengths), last)
}

/// Returns what `each` returns for all columns, some at a time, in order.
fn by_columns<T: Send>(samples: &Samples, each: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let (columns, width) = (samples.columns(), columns_per_task(samples.features()));
    (0..columns.div_ceil(width))
        .into_par_iter()
        .map(|task| each(task * width..columns.min((task + 1) * width)))
        .collect()
}

/// Returns the number as an exact sum.
fn exact(value: f64) -> ExactSum {
    let (mantissa, exponent) = parts(value);
    ExactSum::of(mantissa.into(), exponent)
}

/// Returns eight times the relative error of [`length`] for `n` values, and a little more.
fn slack(n: usize) -> f64 {
    (n as f64 + 32.0) * power_of_two(-50)
}

/// Returns the length of (row, last), within a factor 1 ± (d + 6) u if it is above 2^-400.
///
/// A sum of squares between 2^-800 and the largest number has lost nothing to underflow that counts;
/// otherwise the values are scaled by a power of two first. A length that overflows is infinite.
fn length(row: Row, last: f64) -> f64 {
    length_of(squares(row, 1.0), row, last)
}

/// Returns the same, given the sum of the squares of the row.
fn length_of(squared: f64, row: Row, last: f64) -> f64 {
    let plain = squared + last * last;
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

fn dense_squares<T: Copy + Into<f64>>(x: &[T], scale: f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = x.as_chunks::<LANES>();
    for block in blocks {
        for k in 0..LANES {
            let value = block[k].into() * scale;
            lanes[k] += value * value;
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        let value = x.into() * scale;
        *lane += value * value;
    }
    lanes.iter().sum()
}
