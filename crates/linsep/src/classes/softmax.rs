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
use crate::decide::lbfgs::{LossValue, PlainDescent, SmoothLoss};
use crate::standard::Standard;
use crate::standardised::{StandardisedRows, even_parts, softmax_loss};
use crate::{Hyperplane, Samples};

/// Numbers that the partial sums of one pass may take: 256 MB.
const MOST_NUMBERS: usize = 1 << 25;
/// Parts that rows are added up in, at most: as many whatever the threads.
const PARTS: usize = 64;
/// A share of the slope that is not worth a row's numbers.
const NOTHING: f64 = 1e-14;

/// Where a descent is.
pub(super) struct Softmax<'a> {
    loss: AllClasses<'a>,
    descent: PlainDescent,
}

impl<'a> Softmax<'a> {
    /// Returns the descent where all hyperplanes are zero. Costs four passes.
    pub fn new(samples: &'a Samples, classes: &'a Classes) -> Self {
        let features = samples.features();
        let rows = StandardisedRows::new(features, Standard::of(features));
        let loss = AllClasses { count: samples.rows(), classes, rows };
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
        self.loss.rows.planes(self.descent.w())
    }

    /// Returns how often rows of two classes are taken for one another: both, and the count, the most frequent
    /// first. Costs a pass.
    pub fn mistaken(&self) -> Vec<([usize; 2], u64)> {
        let AllClasses { ref rows, classes, .. } = self.loss;
        let (planes, count) = (self.planes(), classes.count());
        let pairs = (0..self.loss.count).into_par_iter().filter_map(|row| {
            let (own, mut values) = (classes.codes()[row] as usize, vec![0.0; count]);
            rows.score(&planes, row, &mut values);
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

/// The loss, as a function of one w per class, one after the other.
struct AllClasses<'a> {
    rows: StandardisedRows<'a>,
    /// How many rows there are.
    count: usize,
    classes: &'a Classes,
}

impl SmoothLoss for AllClasses<'_> {
    fn at(&self, w: &[f64]) -> LossValue {
        let parts = (MOST_NUMBERS / w.len()).clamp(1, PARTS).min(self.count);
        self.rows.sum(w, even_parts(self.count, parts), |row, scores| {
            let loss = softmax_loss(self.classes.codes()[row] as usize, scores);
            scores.iter_mut().filter(|slope| slope.abs() <= NOTHING).for_each(|slope| *slope = 0.0);
            loss
        })
    }
}
