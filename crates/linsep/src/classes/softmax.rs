//! One hyperplane per class such that the class of a row has the largest value, by descent.
//!
//! ```text
//! minimise  sum over rows of ln sum over k of exp(w_k·x - w_c·x),  c the class of the row x = (x, 1)
//! by        L-BFGS on standardised features, until no row has a value as large as that of its own class
//! ```
//!
//! Where such hyperplanes exist the loss falls to zero and they are met on the way; where none do it does not, and
//! the classes that are still mistaken for one another say where to look for the reason.

use rayon::prelude::*;

use crate::data::samples::Classes;
use crate::decide::lbfgs::{Loss, PlainDescent, Value};
use crate::kernels::RowArithmetic;
use crate::standard::Standard;
use crate::{Hyperplane, Samples};

/// Numbers that the partial sums of one pass may take: 256 MB.
const MOST_NUMBERS: usize = 1 << 25;
/// Parts that rows are added up in, at most: as many whatever the threads.
const PARTS: usize = 64;
/// A share of the slope that is not worth a row's numbers.
const NOTHING: f64 = 1e-14;

/// Where a descent is.
pub(super) struct Softmax<'a> {
    loss: Standardised<'a>,
    descent: PlainDescent,
}

impl<'a> Softmax<'a> {
    /// Returns the descent where all hyperplanes are zero. Costs four passes.
    pub fn new(samples: &'a Samples, classes: &'a Classes) -> Self {
        let loss = Standardised { samples, classes, standard: Standard::of(samples.features()) };
        let descent = PlainDescent::at(&loss, vec![0.0; classes.count() * (samples.columns() + 1)]);
        Softmax { loss, descent }
    }

    /// Makes one step; returns false if none lowers the loss.
    pub fn step(&mut self) -> bool {
        self.descent.step(&self.loss)
    }

    /// Returns the rows whose own class has not the largest value.
    pub fn mistakes(&self) -> u64 {
        self.descent.mistakes()
    }

    /// Returns one hyperplane per class.
    pub fn planes(&self) -> Vec<Hyperplane> {
        self.loss.planes(self.descent.w())
    }

    /// Returns how often rows of two classes are taken for one another: both, and the count, the most frequent
    /// first. Costs a pass.
    pub fn mistaken(&self) -> Vec<([usize; 2], u64)> {
        let Standardised { samples, classes, .. } = self.loss;
        let (planes, count) = (self.planes(), classes.count());
        let pairs = (0..samples.rows()).into_par_iter().filter_map(|row| {
            let (own, values) = (classes.codes()[row] as usize, values(samples, &planes, row));
            let others = (0..count).filter(|&class| class != own);
            let largest =
                others.max_by(|&a, &b| values[a].total_cmp(&values[b]).then(b.cmp(&a)))?;
            (values[own] <= values[largest]).then_some([own.min(largest), own.max(largest)])
        });
        let mut pairs: Vec<[usize; 2]> = pairs.collect();
        pairs.sort_unstable();
        let counted = pairs.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64));
        let mut counted: Vec<([usize; 2], u64)> = counted.collect();
        counted.sort_by_key(|(pair, times)| (std::cmp::Reverse(*times), *pair));
        counted
    }
}

fn values(samples: &Samples, planes: &[Hyperplane], row: usize) -> Vec<f64> {
    planes.iter().map(|plane| samples.features().dot(row, &plane.weights) + plane.bias).collect()
}

/// The loss, as a function of one w per class, one after the other, for standardised features.
struct Standardised<'a> {
    samples: &'a Samples,
    classes: &'a Classes,
    standard: Standard,
}

impl Standardised<'_> {
    fn planes(&self, w: &[f64]) -> Vec<Hyperplane> {
        w.chunks_exact(self.samples.columns() + 1).map(|w| self.standard.original(w)).collect()
    }

    /// Adds what a row says.
    fn add(&self, row: usize, planes: &[Hyperplane], sum: &mut Value) {
        let features = self.samples.features();
        let own = self.classes.codes()[row] as usize;
        let mut values = values(self.samples, planes, row);
        let (mut best, mut other) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (class, &value) in values.iter().enumerate() {
            best = best.max(value);
            other = if class == own { other } else { other.max(value) };
        }
        sum.mistakes += u64::from(values[own] <= other);
        let mine = values[own];
        // The exponential of libm is the same on every machine.
        values.iter_mut().for_each(|value| *value = libm::exp(*value - best));
        let total: f64 = values.iter().sum();
        sum.loss += libm::log(total) + best - mine;
        let columns = features.columns();
        for (class, value) in values.iter().enumerate() {
            let share = value / total - f64::from(u8::from(class == own));
            if share.abs() > NOTHING {
                let slope = &mut sum.slope[class * (columns + 1)..(class + 1) * (columns + 1)];
                features.axpy(row, share, &mut slope[..columns]);
                slope[columns] += share;
            }
        }
    }
}

impl Loss for Standardised<'_> {
    fn at(&self, w: &[f64]) -> Value {
        let (rows, planes) = (self.samples.rows(), self.planes(w));
        let parts = (MOST_NUMBERS / w.len()).clamp(1, PARTS).min(rows);
        let size = rows.div_ceil(parts);
        let empty = || Value { loss: 0.0, slope: vec![0.0; w.len()], mistakes: 0 };
        let part = |part: usize| {
            let mut sum = empty();
            (part * size..rows.min((part + 1) * size)).for_each(|i| self.add(i, &planes, &mut sum));
            sum
        };
        let sums: Vec<Value> = (0..parts).into_par_iter().map(part).collect();
        // Added up in their order: the same bits.
        let mut total = empty();
        for part in sums {
            total.loss += part.loss;
            total.mistakes += part.mistakes;
            total.slope.iter_mut().zip(part.slope).for_each(|(a, b)| *a += b);
        }
        let one = self.samples.columns() + 1;
        total.slope.chunks_exact_mut(one).for_each(|slope| self.standard.slope(slope));
        total
    }
}
