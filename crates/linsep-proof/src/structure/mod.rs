//! The vectors that decide whether a statistical model has a maximum likelihood estimate.
//!
//! The estimate is finite exactly if no direction g of the coefficients has v·g >= 0 for all structure
//! vectors v, and > 0 for one. So the question is one of separability about rows made of the raw ones:
//!
//! ```text
//! with a constant in every v      (x, y) stands for v = y (x, 1): rows under two labels; the bias is a coefficient
//! without                         v under the positive label, and -v under the negative one: y (v·w) > |b|
//! ```
//!
//! In reading order: `model` says what a model is and what its rows have, `vectors` lists what each vector is
//! made of, `exactly` makes numbers of that without rounding, and this file shows them as data, block by block: nothing
//! but the list is as long as the data.

mod exactly;
mod model;
mod vectors;

use std::ops::Range;
use std::sync::Arc;

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::{About, Dense, LabelNames, Labels, Missing, SparseBuilder};
use linsep_data::{Absorb, Block, Data, Features, Reads, Samples, Shape};
use rayon::prelude::*;

use crate::exact::Row;
use exactly::FloatPair;
pub use model::{Model, ModelError, Response, Ties, Trial};
pub use vectors::Vector;
use vectors::{VectorLayout, vectors};

/// Values of a block that is shown.
const BLOCK_VALUES: usize = 1 << 15;
/// Blocks of coefficients from which on a vector is stored sparsely: most of it is zero.
const MANY_BLOCKS: usize = 4;
/// Values that may be brought into memory at once (1 GiB).
const MOST_VALUES: usize = 1 << 27;

/// A coefficient of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficient {
    /// The category, threshold or step that it belongs to, counted from 0; none if there is one of a kind.
    pub block: Option<usize>,
    /// The column of the design that it multiplies; none for a constant.
    pub column: Option<usize>,
    /// Its value is the sum of these coordinates of a hyperplane, the bias last, times these numbers, over the
    /// magnitude of the first of them.
    pub at: Vec<(usize, f64)>,
}

/// How vectors are shown as rows under two labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownAs {
    /// As (x, y): the bias is one of the coefficients, or stands for a column that is constant.
    WithBias,
    /// On both sides.
    Doubled,
}

/// The structure vectors of a model, as rows under two labels.
///
/// ```
/// use linsep_data::{Data, Features, samples::Dense};
/// use linsep_proof::structure::{Model, Response, Structure};
///
/// // Three categories, one column: the base has no coefficients.
/// let design = Features::from(Dense::new(vec![1.0, 2.0, 3.0], 3, 1));
/// let response = Response::Categories { codes: vec![0, 1, 2], count: 3 };
/// let model = Model::Multinomial { intercept: true };
/// let structure = Structure::new(&design, &model, &response, None)?;
/// assert_eq!(structure.coefficients().len(), 4);
/// // Two vectors per row, each on both sides.
/// assert_eq!(structure.shape().rows, 12);
/// # Ok::<(), linsep_proof::structure::ModelError>(())
/// ```
pub struct Structure<'a> {
    design: &'a Features,
    layout: VectorLayout,
    list: Vec<Vector>,
    shown: ShownAs,
    /// A column that is the same number, not zero, in all rows: then the bias stands for it.
    constant: Option<(usize, f64)>,
    /// Columns whose numbers take two floats: the first part is there, the second in a column at the end.
    split: Vec<usize>,
    about: Arc<About>,
    reads: Reads,
}

impl<'a> Structure<'a> {
    /// Returns the vectors of a model, without rows that are not `kept`. Costs a pass where vectors are sums of raw
    /// numbers.
    ///
    /// Errors if the response does not fit the model or the design, or if it has nothing to say.
    pub fn new(
        design: &'a Features,
        model: &Model,
        response: &Response,
        kept: Option<&[bool]>,
    ) -> Result<Self, ModelError> {
        let layout = VectorLayout::new(design.columns(), model, response)?;
        let list = vectors(design.rows(), model, response, kept)?;
        let shown = if layout.has_bias() { ShownAs::WithBias } else { ShownAs::Doubled };
        let mut structure = Structure {
            design,
            layout,
            list,
            shown,
            constant: None,
            split: vec![],
            about: Arc::default(),
            reads: Reads::default(),
        };
        structure.split = structure.inexact_columns();
        Ok(structure)
    }

    /// Returns the same vectors with the bias in the place of a column, counted from 0, that is one number, not
    /// zero, in all rows. Nothing if it is not, or if vectors are not rows of the design.
    pub fn with_constant(mut self, column: usize) -> Option<Self> {
        if self.shown == ShownAs::WithBias
            || !self.layout.is_plain()
            || column >= self.layout.columns
        {
            return None;
        }
        let value = constant_value(self.design, column)?;
        (self.shown, self.constant) = (ShownAs::WithBias, Some((column, value)));
        Some(self)
    }

    /// Returns the column for which the bias stands, if it does for one.
    pub fn constant(&self) -> Option<usize> {
        self.constant.map(|(column, _)| column)
    }

    /// Returns true if a column is one number, not zero, in all rows of the design.
    pub fn is_constant(&self, column: usize) -> bool {
        constant_value(self.design, column).is_some()
    }

    /// Returns true if vectors are rows of the design.
    pub fn is_plain(&self) -> bool {
        self.layout.is_plain()
    }

    /// Returns true if vectors are differences of two rows.
    pub fn is_of_pairs(&self) -> bool {
        self.layout.is_of_pairs()
    }

    /// Returns whether every vector is shown on both sides.
    pub fn is_doubled(&self) -> bool {
        self.shown == ShownAs::Doubled
    }

    /// Returns whether rows are those of the design as they stand, one each, under these labels; then these.
    pub fn plain_labels(&self) -> Option<Vec<bool>> {
        let plain = self.layout.is_plain()
            && self.list.len() == self.design.rows()
            && self.list.iter().enumerate().all(|(i, vector)| vector.row == i);
        plain.then(|| self.list.iter().map(|vector| vector.positive).collect())
    }

    /// Returns the coefficients of the model, in order.
    pub fn coefficients(&self) -> Vec<Coefficient> {
        let bias = self.columns();
        let mut all = self.layout.coefficients(bias);
        if let Some((column, value)) = self.constant {
            let own = all.iter_mut().filter(|own| own.column == Some(column));
            own.for_each(|own| own.at = vec![(column, value.abs()), (bias, value.signum())]);
        }
        all
    }

    /// Returns the number of vectors that observations make; those that hold parts of numbers together come
    /// after them.
    pub fn vectors(&self) -> usize {
        self.list.len()
    }

    /// Returns what a vector is made of; nothing if it holds parts of numbers together.
    pub fn vector(&self, number: usize) -> Option<Vector> {
        self.list.get(number).copied()
    }

    /// Returns the vectors themselves as rows under two labels, each once.
    pub fn once(&self) -> Once<'_, 'a> {
        Once { structure: self, reads: Reads::default() }
    }

    /// Returns a vector in the coefficients of the model: v with v·g >= 0, its numbers that are not zero. They are
    /// rounded where they take two floats.
    pub fn in_coefficients(&self, number: usize) -> Vec<(usize, f64)> {
        let vector = self.list[number];
        let sign = if vector.positive { 1.0 } else { -1.0 };
        let mut values = vec![];
        self.layout.in_coefficients(self.design, &vector, &mut |place, value| {
            if value != 0.0 {
                values.push((place, sign * value));
            }
        });
        values.sort_unstable_by_key(|(place, _)| *place);
        values
    }

    fn columns(&self) -> usize {
        self.layout.width() + self.split.len()
    }

    /// Returns all vectors, with those that hold parts together: two per split column.
    fn all(&self) -> usize {
        self.list.len() + 2 * self.split.len()
    }

    fn is_sparse(&self) -> bool {
        matches!(self.design, Features::Sparse(_)) || self.layout.blocks() >= MANY_BLOCKS
    }

    fn positive(&self, number: usize) -> bool {
        self.list.get(number).is_none_or(|vector| vector.positive)
    }

    /// Writes the numbers of a vector that are not zero, by rising column.
    fn fill(&self, number: usize, out: &mut Vec<(usize, f64)>) {
        out.clear();
        let Some(vector) = self.list.get(number) else {
            let (at, second) = ((number - self.list.len()) / 2, (number - self.list.len()) % 2);
            let sign = if second == 0 { 1.0 } else { -1.0 };
            let parts =
                [(self.split[at], sign / exactly::SHIFT), (self.layout.width() + at, -sign)];
            return out.extend(parts);
        };
        let mut rests = vec![];
        self.layout.visit(self.design, vector, &mut |column, value: FloatPair| {
            if value.high != 0.0 {
                out.push((column, value.high));
            }
            if value.low != 0.0 {
                rests.push((column, value.low * exactly::SHIFT));
            }
        });
        let place = |column: usize| {
            let at = self.split.binary_search(&column).expect("a column that was found inexact");
            self.layout.width() + at
        };
        out.extend(rests.into_iter().map(|(column, rest)| (place(column), rest)));
    }

    /// Returns the columns in which some vector has a number that takes two floats.
    fn inexact_columns(&self) -> Vec<usize> {
        if !self.layout.may_round() {
            return vec![];
        }
        let none = || vec![false; self.layout.width()];
        let note = |mut inexact: Vec<bool>, vector: &Vector| {
            self.layout.visit(self.design, vector, &mut |column, value| {
                inexact[column] |= value.low != 0.0;
            });
            inexact
        };
        let either = |mut a: Vec<bool>, b: Vec<bool>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
            a
        };
        let found = self.list.par_iter().with_min_len(1024).fold(none, note).reduce(none, either);
        (0..found.len()).filter(|&column| found[column]).collect()
    }

    /// Returns vectors as rows: each by its number, with whether its sign changes.
    fn samples(
        &self,
        lines: impl ExactSizeIterator<Item = (usize, bool)>,
        positive: Vec<bool>,
    ) -> Result<Samples, Error> {
        let (rows, columns) = (lines.len(), self.columns());
        let mut values = vec![];
        let features = match self.is_sparse() {
            true => {
                let mut out = SparseBuilder::default();
                for (number, changes) in lines {
                    self.fill(number, &mut values);
                    let sign = if changes { -1.0 } else { 1.0 };
                    values.iter().for_each(|&(column, value)| out.push(column, sign * value));
                    out.end_row();
                }
                Features::Sparse(out.finish(columns).map_err(|_| ErrorKind::Damaged {
                    what: "columns of a row that do not rise".to_string(),
                })?)
            }
            false => {
                let mut out = vec![0.0; rows * columns];
                for ((number, changes), row) in lines.zip(out.chunks_exact_mut(columns)) {
                    self.fill(number, &mut values);
                    let sign = if changes { -1.0 } else { 1.0 };
                    values.iter().for_each(|&(column, value)| row[column] = sign * value);
                }
                Features::from(Dense::new(out, rows, columns))
            }
        };
        let labels = Labels { positive, names: LabelNames::default() };
        Samples::part(features, labels, Missing::Refuse)
    }

    /// Returns these rows, as they are shown.
    fn rows(&self, rows: impl ExactSizeIterator<Item = usize> + Clone) -> Result<Samples, Error> {
        match self.shown {
            ShownAs::WithBias => {
                let positive = rows.clone().map(|row| self.positive(row)).collect();
                self.samples(rows.map(|row| (row, false)), positive)
            }
            ShownAs::Doubled => {
                let positive = rows.clone().map(|row| row.is_multiple_of(2)).collect();
                let line = |row: usize| (row / 2, self.positive(row / 2) != row.is_multiple_of(2));
                self.samples(rows.map(line), positive)
            }
        }
    }

    fn shape_of(&self, rows: usize) -> Shape {
        Shape { rows, columns: self.columns(), sparse: self.is_sparse() }
    }

    fn rows_per_block(&self) -> usize {
        let values = match (self.is_sparse(), self.design) {
            (true, Features::Sparse(m)) => 2 * (m.stored() / m.rows().max(1) + 1),
            (true, _) => 2 * (self.layout.columns + 1),
            _ => self.columns(),
        };
        (BLOCK_VALUES / values.max(1)).clamp(2, 1 << 14)
    }

    /// Shows `rows` rows in blocks, made one by one by `make`.
    fn show(
        &self,
        rows: usize,
        seen: &dyn Absorb,
        make: impl Fn(Range<usize>) -> Result<Samples, Error> + Sync,
    ) -> Result<(), Error> {
        let size = self.rows_per_block();
        (0..rows.div_ceil(size)).into_par_iter().try_for_each(|k| {
            let first = k * size;
            let samples = make(first..rows.min(first + size))?;
            seen.absorb(&Block::whole(&samples, first));
            Ok(())
        })
    }
}

/// Returns the number that all rows have in a column; nothing if they differ, or if it is zero.
fn constant_value(design: &Features, column: usize) -> Option<f64> {
    let value = |row: usize| {
        let mut found = 0.0;
        Row::of(design, row).for_each_in(column..column + 1, |_, value| found = value);
        found
    };
    let first = value(0);
    let same = (0..design.rows()).into_par_iter().with_min_len(4096).all(|row| value(row) == first);
    (same && first != 0.0).then_some(first)
}

impl Data for Structure<'_> {
    fn shape(&self) -> Shape {
        let times = if self.is_doubled() { 2 } else { 1 };
        self.shape_of(times * self.all())
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        let rows = self.shape().rows;
        self.reads.add(rows as u64);
        self.show(rows, seen, |range| self.rows(range))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.rows(rows.iter().copied())
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

/// Structure vectors, each once: (x, y) for v = y x. One class may be absent.
pub struct Once<'s, 'a> {
    structure: &'s Structure<'a>,
    reads: Reads,
}

impl Once<'_, '_> {
    fn samples(
        &self,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<Samples, Error> {
        let positive = rows.clone().map(|row| self.structure.positive(row)).collect();
        self.structure.samples(rows.map(|row| (row, false)), positive)
    }
}

impl Data for Once<'_, '_> {
    fn shape(&self) -> Shape {
        self.structure.shape_of(self.structure.all())
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        let rows = self.shape().rows;
        self.reads.add(rows as u64);
        self.structure.show(rows, seen, |range| self.samples(range))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.samples(rows.iter().copied())
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    /// They can be made in memory, if they are not too many.
    fn fits(&self) -> bool {
        let shape = self.shape();
        let values = if shape.sparse { self.structure.layout.columns + 2 } else { shape.columns };
        shape.rows.saturating_mul(2 * values) <= MOST_VALUES
    }

    fn about(&self) -> &Arc<About> {
        &self.structure.about
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests;
