//! The paper's three data steps, computed on the fly: dimension extension, negative inversion,
//! normalization.

pub(crate) mod whole;

use std::ops::Range;

pub(crate) use whole::Whole;

use linsep_data::{Block, Features, Samples};
use rayon::prelude::*;

use crate::Hyperplane;
use crate::kernels::{Grid, RowArithmetic, exponent, power_of_two};

/// Rows handed to one task when all are scored.
const ROWS_PER_TASK: usize = 1024;

/// How long the vectors are that a method learns from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Length {
    /// One: all three steps.
    Unit,
    /// As in the data, times a constant: the first two steps only.
    Raw(f64),
}

/// Samples as vectors z in R^(d+1) that a separating w has all on its positive side.
///
/// No second copy of the data exists: z is computed from the row, its label and its length
/// whenever it is needed. The last coordinate of w is the bias, so w maps back to the original
/// space as it is.
///
/// ```
/// use linsep::{Samples, lift::Rows};
///
/// // XOR, as in section 3 of the paper.
/// let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
/// let samples = Samples::dense(x, 2, vec![true, true, false, false])?;
/// let rows = Rows::raw(&samples);
/// assert_eq!(rows.vector(0), [0.0, 1.0, 1.0]);
/// assert_eq!(rows.vector(1), [1.0, 0.0, 1.0]);
/// assert_eq!(rows.vector(2), [-0.0, -0.0, -1.0]);
/// assert_eq!(rows.vector(3), [-1.0, -1.0, -1.0]);
/// # Ok::<(), linsep::Error>(())
/// ```
///
/// Where the data is larger than memory, some of its rows are at hand at a time. They keep their numbers.
#[derive(Clone)]
pub struct Rows<'a> {
    /// The rows at hand.
    samples: &'a Samples,
    length: Length,
    /// The number of the first row at hand, or of each.
    numbers: NumbersAtHand<'a>,
    /// All rows, where there are others.
    whole: Option<&'a Whole<'a>>,
}

/// Which rows of the data are at hand.
#[derive(Clone, Copy)]
enum NumbersAtHand<'a> {
    /// All from this one on.
    From(usize),
    /// These, rising.
    These(&'a [usize]),
}

impl<'a> Rows<'a> {
    /// Returns the lifted samples z = y (x, 1) / ‖(x, 1)‖: points on the unit sphere.
    pub fn lifted(samples: &'a Samples) -> Self {
        Rows { samples, length: Length::Unit, numbers: NumbersAtHand::From(0), whole: None }
    }

    /// Returns the extended samples y (x, 1), not normalized.
    ///
    /// Where their squares would overflow they are scaled by one power of two, which changes no
    /// mistake and no update of a method that starts at zero.
    pub fn raw(samples: &'a Samples) -> Self {
        let longest = samples.norms().iter().fold(0.0_f64, |m, &n| m.max(n));
        Self::raw_in(samples, raw_unit(longest))
    }

    /// Returns the extended samples times `unit`, a power of two.
    pub(crate) fn raw_in(samples: &'a Samples, unit: f64) -> Self {
        Rows { samples, length: Length::Raw(unit), numbers: NumbersAtHand::From(0), whole: None }
    }

    /// Returns lifted rows, or raw ones, with a block of the data at hand.
    pub(crate) fn at_hand(whole: &'a Whole<'a>, block: &Block<'a>, raw: bool) -> Self {
        let places = block.places();
        let samples = block.samples();
        let numbers = NumbersAtHand::From(block.number(places.start) - places.start);
        let others = samples.rows() < whole.len();
        let length = Self::length_in(whole, raw);
        Rows { samples, length, numbers, whole: others.then_some(whole) }
    }

    /// Returns lifted rows, or raw ones, with `samples` at hand; `numbers` are their row numbers, rising.
    pub(crate) fn picked(
        whole: &'a Whole<'a>,
        samples: &'a Samples,
        numbers: &'a [usize],
        raw: bool,
    ) -> Self {
        let length = Self::length_in(whole, raw);
        Rows { samples, length, numbers: NumbersAtHand::These(numbers), whole: Some(whole) }
    }

    fn length_in(whole: &Whole, raw: bool) -> Length {
        match raw {
            true => Length::Raw(raw_unit(whole.longest())),
            false => Length::Unit,
        }
    }

    /// Returns the power of two by which raw rows are scaled; 1 for lifted ones.
    pub fn unit(&self) -> f64 {
        match self.length {
            Length::Unit => 1.0,
            Length::Raw(scale) => scale,
        }
    }

    /// Returns the samples, those at hand.
    pub fn samples(&self) -> &'a Samples {
        self.samples
    }

    /// Returns the number of rows, those that are not at hand included.
    pub fn len(&self) -> usize {
        self.whole.map_or(self.samples.rows(), Whole::len)
    }

    /// Returns true if row `i` is at hand.
    #[inline]
    pub fn has(&self, i: usize) -> bool {
        self.find(i).is_some()
    }

    /// Asks the memory for row `i`, if it is at hand.
    #[inline]
    pub fn prefetch(&self, i: usize) {
        if let Some(place) = self.find(i) {
            self.samples.features().prefetch(place);
        }
    }

    /// Returns where among the rows at hand row `i` is.
    #[inline]
    fn find(&self, i: usize) -> Option<usize> {
        match self.numbers {
            NumbersAtHand::From(first) => i.checked_sub(first).filter(|&k| k < self.samples.rows()),
            NumbersAtHand::These(numbers) => numbers.binary_search(&i).ok(),
        }
    }

    /// Returns the same for a row that is at hand.
    #[inline]
    fn place(&self, i: usize) -> usize {
        match self.numbers {
            NumbersAtHand::From(first) => i - first,
            NumbersAtHand::These(numbers) => numbers.binary_search(&i).expect("a row at hand"),
        }
    }

    /// Returns true if there is no row. There always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of coordinates of z: features and one for the bias.
    pub fn dimension(&self) -> usize {
        self.samples.columns() + 1
    }

    /// Returns ‖z‖² of row `i`.
    pub fn squared_length(&self, i: usize) -> f64 {
        match self.length {
            Length::Unit => 1.0,
            Length::Raw(scale) => {
                let norm = scale * self.samples.norms()[self.place(i)];
                norm * norm
            }
        }
    }

    /// Returns how much row `i` counts, 1 where rows have no weights.
    #[inline]
    pub fn weight(&self, i: usize) -> f64 {
        self.samples.weights().map_or(1.0, |weights| weights[self.place(i)])
    }

    /// Returns y times the length of the extended row, as `value` divided by it: the last two
    /// steps for one number. The row is counted among those at hand.
    #[inline]
    fn scale(&self, place: usize, value: f64) -> f64 {
        let value = match self.length {
            Length::Unit => value / self.samples.norms()[place],
            Length::Raw(scale) => value * scale,
        };
        if self.samples.positive()[place] { value } else { -value }
    }

    /// Returns w·z of row `i`.
    #[inline]
    pub fn score(&self, i: usize, w: &[f64]) -> f64 {
        let (bias, weights) = split(w);
        let place = self.place(i);
        self.scale(place, self.samples.features().dot(place, weights) + bias)
    }

    /// Returns w·z of row `i` with z at length one, from whatever length a method learns.
    pub(crate) fn unit_score(&self, i: usize, w: &[f64]) -> f64 {
        Rows { length: Length::Unit, ..self.clone() }.score(i, w)
    }

    /// Adds c z to w for row `i`, which is fetched if it is not at hand.
    #[inline]
    pub fn add(&self, i: usize, c: f64, w: &mut [f64]) {
        if let Some(whole) = self.whole
            && !self.has(i)
        {
            if let Some(samples) = whole.fetch(&[i]) {
                let numbers = NumbersAtHand::From(i);
                Rows { samples: &samples, numbers, ..self.clone() }.add(i, c, w);
            }
            return;
        }
        let place = self.place(i);
        let c = self.scale(place, c);
        let (bias, weights) = w.split_last_mut().expect("w has a bias");
        self.samples.features().axpy(place, c, weights);
        *bias += c;
    }

    /// Adds c z to w for row `i`, each term rounded to the grid.
    #[inline]
    pub(crate) fn add_on(&self, grid: Grid, i: usize, c: f64, w: &mut [f64]) {
        let place = self.place(i);
        let c = self.scale(place, c);
        let (bias, weights) = w.split_last_mut().expect("w has a bias");
        self.samples.features().axpy_on(grid, place, c, weights);
        *bias += grid.round(c);
    }

    /// Writes w·z to `out` for the rows in `range`, all of them at hand: the same bits as [`Rows::score`].
    pub fn scores(&self, range: Range<usize>, w: &[f64], out: &mut [f64]) {
        let (bias, weights) = split(w);
        let first = self.place(range.start);
        let places = first..first + range.len();
        self.samples.features().scores(places.start, weights, out);
        for (place, out) in places.zip(out) {
            *out = self.scale(place, *out + bias);
        }
    }

    /// Writes w·z to `out` for all rows, those that are not at hand included. Costs one parallel pass.
    pub fn all_scores(&self, w: &[f64], out: &mut [f64]) {
        match self.whole {
            Some(whole) => whole.scores(self.length, w, out),
            None => out.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(task, out)| {
                let first = task * ROWS_PER_TASK;
                self.scores(first..first + out.len(), w, out);
            }),
        }
    }

    /// Returns how many rows w puts on the wrong side, or on itself, those that are not at hand included. Counts
    /// without rounding. Costs one parallel pass.
    pub fn mistakes(&self, w: &[f64]) -> u64 {
        let hyperplane = Hyperplane::from_lifted(w.to_vec());
        match self.whole {
            Some(whole) => whole.mistakes(&hyperplane),
            None => hyperplane.evaluate(self.samples).mistakes,
        }
    }

    /// Calls `visit` with the index and the value of each stored coordinate of z, the bias last.
    pub fn for_each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let place = self.place(i);
        self.samples.features().for_each(place, |k, v| visit(k, self.scale(place, v)));
        visit(self.samples.columns(), self.scale(place, 1.0));
    }

    /// Returns z of row `i` as a dense vector.
    pub fn vector(&self, i: usize) -> Vec<f64> {
        let mut z = vec![0.0; self.dimension()];
        self.for_each(i, |k, v| z[k] = v);
        z
    }

    /// Returns z of these rows, one dense vector after the other; those that are not at hand are fetched, in one go. None
    /// if they cannot be read.
    pub(crate) fn vectors(&self, wanted: &[usize]) -> Option<Vec<f64>> {
        let write = |rows: &Rows, i: usize, z: &mut [f64]| rows.for_each(i, |k, v| z[k] = v);
        let mut all = vec![0.0; wanted.len() * self.dimension()];
        let each = wanted.iter().zip(all.chunks_exact_mut(self.dimension()));
        match self.whole {
            Some(whole) if !wanted.iter().all(|&i| self.has(i)) => {
                let mut numbers = wanted.to_vec();
                numbers.sort_unstable();
                numbers.dedup();
                let samples = whole.fetch(&numbers)?;
                let numbers = NumbersAtHand::These(&numbers);
                let rows = Rows { samples: &samples, numbers, ..self.clone() };
                each.for_each(|(&i, z)| write(&rows, i, z));
            }
            _ => each.for_each(|(&i, z)| write(self, i, z)),
        }
        Some(all)
    }

    /// Returns the most roundings that the value of a dot product goes through, for error bounds: the depth
    /// of the sum in [`crate::kernels`], and the few steps around it.
    pub fn rounding_depth(&self) -> usize {
        match self.samples.features() {
            Features::Dense64(_) | Features::Dense32(_) => self.samples.columns() / 16 + 12,
            Features::Sparse(matrix) => {
                let here = || (0..matrix.rows()).map(|i| matrix.row(i).0.len()).max();
                let longest = self.whole.map_or_else(|| here().unwrap_or(0), Whole::stored);
                longest / 4 + 12
            }
        }
    }
}

/// Returns the power of two by which raw rows are scaled if the longest has this length: 1 unless
/// squares would overflow.
pub(crate) fn raw_unit(longest: f64) -> f64 {
    let exponent = exponent(longest);
    if exponent > 400 { power_of_two(-exponent) } else { 1.0 }
}

fn split(w: &[f64]) -> (f64, &[f64]) {
    let (&bias, weights) = w.split_last().expect("w has a bias");
    (bias, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifted_rows_have_length_one_and_the_sign_of_their_label() {
        let samples =
            Samples::dense(vec![3.0, 4.0, 1e300, -1e300, 0.0, 5e-324], 2, vec![true, false, true])
                .unwrap();
        let rows = Rows::lifted(&samples);
        for i in 0..3 {
            let z = rows.vector(i);
            let length = z.iter().map(|v| v * v).sum::<f64>().sqrt();
            assert!((length - 1.0).abs() < 1e-15, "row {i}: {z:?}");
        }
        assert!((rows.vector(1)[2] * 1e300 * 2.0_f64.sqrt() + 1.0).abs() < 1e-15);
        assert_eq!(rows.vector(2), [0.0, 5e-324, 1.0]);
    }

    #[test]
    fn raw_rows_of_huge_values_do_not_overflow() {
        let samples = Samples::dense(vec![1e300, -1e300], 1, vec![true, false]).unwrap();
        let rows = Rows::raw(&samples);
        let w = rows.vector(0);
        assert!(rows.score(0, &w).is_finite() && rows.score(0, &w) > 0.0);
        assert!(rows.score(1, &w) > 0.0);
    }

    #[test]
    fn block_scores_have_the_bits_of_single_ones() {
        let x: Vec<f64> = (0..60).map(|k| libm::sin(k as f64)).collect();
        let samples = Samples::dense(x, 6, (0..10).map(|i| i % 3 == 0).collect()).unwrap();
        let rows = Rows::lifted(&samples);
        let w: Vec<f64> = (0..7).map(|k| libm::cos(k as f64)).collect();
        let mut out = vec![0.0; 7];
        rows.scores(2..9, &w, &mut out);
        for (k, out) in out.iter().enumerate() {
            assert_eq!(out.to_bits(), rows.score(2 + k, &w).to_bits());
        }
    }
}
