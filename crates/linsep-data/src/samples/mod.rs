//! What a sample is: a row of features, dense or sparse, and its label.

mod about;
mod classes;
mod dense;
mod element;
mod encoding;
mod labels;
pub mod lanes;
mod row_numbers;
mod sparse;

use std::sync::Arc;

use rayon::prelude::*;

pub use about::{About, LeftOut, RowIds, WhyLeftOut};
pub use classes::{Classes, label_order};
pub use dense::Dense;
pub use element::Element;
pub use encoding::{Encoded, Encoding};
pub use labels::{LabelNames, LabelTable, Labels};
pub use row_numbers::RowNumbers;
pub use sparse::{Sparse, SparseBuilder, SparseFault};

use crate::error::{Column, Error, ErrorKind};
use crate::memory;

/// Memory that belongs to someone else, such as an array of another language, read in place for as
/// long as this is held. It must always give the same values.
pub type Lent<T> = Arc<dyn AsRef<[T]> + Send + Sync>;

/// Rows handed to one task when work is spread over threads.
const ROWS_PER_TASK: usize = 1024;

/// The features of all rows, in the one form in which they were read.
#[derive(Clone)]
pub enum Features {
    /// Dense `f64`.
    Dense64(Dense<f64>),
    /// Dense `f32`; arithmetic is in `f64` all the same.
    Dense32(Dense<f32>),
    /// Sparse `f64`.
    Sparse(Sparse),
}

impl Features {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Features::Dense64(m) => m.rows(),
            Features::Dense32(m) => m.rows(),
            Features::Sparse(m) => m.rows(),
        }
    }

    /// Returns the number of features of a row.
    pub fn columns(&self) -> usize {
        match self {
            Features::Dense64(m) => m.columns(),
            Features::Dense32(m) => m.columns(),
            Features::Sparse(m) => m.columns(),
        }
    }

    /// Calls `visit` with the index and the value of each stored feature of row `i`, in order.
    /// Dense rows store their zeros, sparse rows do not.
    pub fn for_each(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Features::Dense64(m) => m.row(i).iter().enumerate().for_each(|(k, &v)| visit(k, v)),
            Features::Dense32(m) => {
                m.row(i).iter().enumerate().for_each(|(k, &v)| visit(k, v.widen()));
            }
            Features::Sparse(m) => {
                let (indices, values) = m.row(i);
                indices.iter().zip(values).for_each(|(&k, &v)| visit(k as usize, v));
            }
        }
    }

    /// Returns the Euclidean length of (x, 1) for row `i`.
    fn extended_norm(&self, i: usize) -> f64 {
        match self {
            Features::Dense64(m) => lanes::extended_norm(m.row(i)),
            Features::Dense32(m) => lanes::extended_norm(m.row(i)),
            Features::Sparse(m) => lanes::extended_norm(m.row(i).1),
        }
    }

    /// Returns the rows of matrices of one kind, one after the other.
    ///
    /// # Panics
    /// If there is none, or if they are not of one kind.
    pub fn stacked(parts: Vec<Features>) -> Self {
        let mut parts = parts.into_iter();
        let first = parts.next().expect("a matrix");
        if parts.len() == 0 {
            return first;
        }
        match first {
            Features::Dense64(first) => {
                Features::Dense64(first.stacked(parts.map(|part| match part {
                    Features::Dense64(part) => part,
                    _ => panic!("matrices of one kind"),
                })))
            }
            Features::Dense32(first) => {
                Features::Dense32(first.stacked(parts.map(|part| match part {
                    Features::Dense32(part) => part,
                    _ => panic!("matrices of one kind"),
                })))
            }
            Features::Sparse(first) => {
                Features::Sparse(first.stacked(parts.map(|part| match part {
                    Features::Sparse(part) => part,
                    _ => panic!("matrices of one kind"),
                })))
            }
        }
    }

    /// Returns true if all values of row `i` are finite, and so is its length.
    pub fn is_finite(&self, i: usize) -> bool {
        self.extended_norm(i).is_finite()
    }

    /// Errors if there is no memory for a copy of `rows` rows.
    pub fn require_rows(&self, rows: usize) -> Result<(), Error> {
        match self {
            Features::Dense64(m) => memory::require_values::<f64>(rows * m.columns()),
            Features::Dense32(m) => memory::require_values::<f32>(rows * m.columns()),
            Features::Sparse(m) => {
                // As many values as rows of average length have.
                let stored = m.stored() as u64 * rows as u64 / m.rows().max(1) as u64;
                memory::require(stored * (size_of::<u32>() + size_of::<f64>()) as u64)
            }
        }
    }

    /// Returns a copy of the rows that `keep` names.
    pub fn select_rows(&self, keep: &[usize]) -> Self {
        match self {
            Features::Dense64(m) => Features::Dense64(m.select_rows(keep)),
            Features::Dense32(m) => Features::Dense32(m.select_rows(keep)),
            Features::Sparse(m) => Features::Sparse(m.select_rows(keep)),
        }
    }

    /// Returns the error for a row whose length is not finite: the first value to blame.
    pub fn fault(&self, i: usize) -> Error {
        let mut found = None;
        self.for_each(i, |k, v| {
            if !v.is_finite() {
                found.get_or_insert((k, v));
            }
        });
        match found {
            Some((k, v)) => ErrorKind::NotFinite { found: v.to_string() }
                .at_row(i as u64 + 1)
                .in_column(Column::Number(k + 1)),
            None => ErrorKind::TooLarge.at_row(i as u64 + 1),
        }
    }
}

/// What to do with values that are missing, NaN or infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Refuse the data.
    #[default]
    Refuse,
    /// Leave their rows out.
    Drop,
    /// Put the mean of their column in their place; of a category, its most frequent level.
    Mean,
    /// Put the median of their column in their place; of a category, its most frequent level.
    Median,
}

impl Missing {
    /// Returns true if something is put in the place of a missing value.
    pub fn is_filled(self) -> bool {
        matches!(self, Missing::Mean | Missing::Median)
    }
}

/// Labelled rows: what everything else works on.
///
/// All values are finite, both classes occur (but see [`Samples::part`]), and the length of every extended row (x, 1) is known.
///
/// ```
/// use linsep_data::samples::Samples;
///
/// // The paper's smallest example: 100 is negative, 101 is positive.
/// let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// assert_eq!((samples.rows(), samples.columns()), (2, 1));
/// # Ok::<(), linsep_data::Error>(())
/// ```
#[derive(Clone)]
pub struct Samples {
    features: Features,
    positive: Vec<bool>,
    norms: Vec<f64>,
    weights: Option<Vec<f64>>,
    ids: Option<RowIds>,
    about: Arc<About>,
}

impl Samples {
    /// Returns samples of the given features and labels. Costs one parallel pass.
    ///
    /// Errors if the numbers of rows differ, if there is no row or no feature, if only one class
    /// occurs, and if a value is not finite, unless such rows are to be dropped.
    pub fn new(features: Features, labels: Labels, missing: Missing) -> Result<Self, Error> {
        Self::part(features, labels, missing)?.with_both_classes()
    }

    fn with_both_classes(self) -> Result<Self, Error> {
        let positives = self.positive.iter().filter(|&&p| p).count();
        if positives == 0 || positives == self.rows() {
            let label = self.about.label(positives > 0).to_string();
            return Err(ErrorKind::OneClass { label, rows: self.rows() }.into());
        }
        Ok(self)
    }

    /// Returns samples that are a part of others, shown to an online method piece by piece: one
    /// class may be absent. Errors as [`Samples::new`] does otherwise.
    pub fn part(features: Features, labels: Labels, missing: Missing) -> Result<Self, Error> {
        let rows = features.rows();
        if labels.positive.len() != rows {
            return Err(ErrorKind::LabelCount { labels: labels.positive.len(), rows }.into());
        }
        if rows == 0 {
            return Err(ErrorKind::NoRows { dropped: 0 }.into());
        }
        if features.columns() == 0 {
            return Err(ErrorKind::NoFeatures.into());
        }
        let mut norms = memory::filled(0.0, rows)?;
        norms
            .par_iter_mut()
            .with_min_len(ROWS_PER_TASK)
            .enumerate()
            .for_each(|(i, norm)| *norm = features.extended_norm(i));
        let about = About { label_names: labels.names, ..About::default() };
        let mut samples = Samples {
            features,
            positive: labels.positive,
            norms,
            weights: None,
            ids: None,
            about: Arc::new(about),
        };
        if let Some(i) = samples.norms.iter().position(|norm| !norm.is_finite()) {
            match missing {
                Missing::Drop => samples.drop_missing()?,
                _ => return Err(samples.features.fault(i)),
            }
        }
        Ok(samples)
    }

    fn drop_missing(&mut self) -> Result<(), Error> {
        let rows = self.rows();
        memory::require_values::<usize>(rows)?;
        let keep: Vec<usize> = (0..rows).filter(|&i| self.norms[i].is_finite()).collect();
        if keep.is_empty() {
            return Err(ErrorKind::NoRows { dropped: rows }.into());
        }
        self.features.require_rows(keep.len())?;
        self.features = self.features.select_rows(&keep);
        self.positive = keep.iter().map(|&i| self.positive[i]).collect();
        self.norms = keep.iter().map(|&i| self.norms[i]).collect();
        let about = Arc::make_mut(&mut self.about);
        (about.dropped, about.rows) = (rows - keep.len(), RowNumbers::of(keep));
        Ok(())
    }

    /// Returns samples of rows that are written down one by one.
    ///
    /// Errors if there are not as many labels as rows, if a value is not finite, or if a class is missing.
    ///
    /// ```
    /// use linsep_data::Samples;
    ///
    /// let samples = Samples::from_rows(&[[0.0, 1.0], [2.0, 3.0]], &[false, true])?;
    /// assert_eq!((samples.rows(), samples.columns()), (2, 2));
    /// # Ok::<(), linsep_data::Error>(())
    /// ```
    pub fn from_rows<const N: usize>(rows: &[[f64; N]], positive: &[bool]) -> Result<Self, Error> {
        if rows.len() != positive.len() {
            let (labels, rows) = (positive.len(), rows.len());
            return Err(ErrorKind::LabelCount { labels, rows }.into());
        }
        Self::dense(rows.concat(), N, positive.to_vec())
    }

    /// Returns dense samples: rows of `columns` values follow one another in `values`.
    ///
    /// Errors as [`Samples::new`] does, and if `values` is not a whole number of rows.
    pub fn dense<T: Element>(
        values: Vec<T>,
        columns: usize,
        positive: Vec<bool>,
    ) -> Result<Self, Error>
    where
        Features: From<Dense<T>>,
    {
        let rows = positive.len();
        if values.len() != rows * columns {
            let found = values.len() / rows.max(1);
            return Err(ErrorKind::WrongFeatures { found, expected: columns }.into());
        }
        let labels = Labels { positive, names: LabelNames::default() };
        Self::new(Dense::new(values, rows, columns).into(), labels, Missing::Refuse)
    }

    /// Returns sparse samples. Errors as [`Samples::new`] does.
    pub fn sparse(features: Sparse, positive: Vec<bool>) -> Result<Self, Error> {
        let labels = Labels { positive, names: LabelNames::default() };
        Self::new(Features::Sparse(features), labels, Missing::Refuse)
    }

    /// Returns a copy without these rows, which are counted from 0; their order and repetition do not
    /// matter. Rows that are left keep their order.
    ///
    /// Errors if no row of one of the classes is left.
    pub fn without_rows(&self, rows: &[usize]) -> Result<Self, Error> {
        let mut left_out = vec![false; self.rows()];
        rows.iter().for_each(|&i| left_out[i] = true);
        let keep: Vec<usize> = (0..self.rows()).filter(|&i| !left_out[i]).collect();
        self.with_rows(&keep)
    }

    /// Returns a copy of these rows alone, counted from 0, in the order in which they are named.
    ///
    /// Errors if there is no row of one of the classes.
    pub fn with_rows(&self, rows: &[usize]) -> Result<Self, Error> {
        self.part_of(rows)?.numbered_by(rows).with_both_classes()
    }

    /// Returns a part that holds these rows as data of its own, whose rows keep the numbers of the file.
    pub fn numbered_by(mut self, rows: &[usize]) -> Self {
        let numbers = self.about.rows.select(rows);
        Arc::make_mut(&mut self.about).rows = numbers;
        self
    }

    /// Returns these rows as a part of the data; one of the classes may be absent from it. Errors if no row is named.
    pub fn part_of(&self, rows: &[usize]) -> Result<Self, Error> {
        if rows.is_empty() {
            return Err(ErrorKind::NoRows { dropped: 0 }.into());
        }
        Ok(Samples {
            features: self.features.select_rows(rows),
            positive: rows.iter().map(|&i| self.positive[i]).collect(),
            norms: rows.iter().map(|&i| self.norms[i]).collect(),
            weights: None,
            ids: self.ids.as_ref().map(|ids| ids.select(rows.iter().copied())),
            about: self.about.clone(),
        })
    }

    /// Returns the samples under other labels; one class may be absent.
    ///
    /// # Panics
    /// If there is not one label per row.
    pub fn with_labels(mut self, positive: Vec<bool>) -> Self {
        assert_eq!(positive.len(), self.rows(), "one label per row");
        self.positive = positive;
        self
    }

    /// Returns a copy of the samples with other values for their features.
    ///
    /// Errors if a value is not finite.
    ///
    /// # Panics
    /// If there are not as many rows and columns.
    pub fn with_features(&self, features: Features) -> Result<Self, Error> {
        let shape = (features.rows(), features.columns());
        assert_eq!(shape, (self.rows(), self.columns()), "as many rows and columns");
        let labels = Labels { positive: self.positive.clone(), names: LabelNames::default() };
        let samples = Self::part(features, labels, Missing::Refuse)?;
        let (weights, ids, about) = (self.weights.clone(), self.ids.clone(), self.about.clone());
        Ok(Samples { weights, ids, about, ..samples })
    }

    /// Returns the samples with names for their features.
    ///
    /// # Panics
    /// If there is not one name per feature.
    pub fn with_feature_names(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.columns(), "one name per feature");
        Arc::make_mut(&mut self.about).feature_names = Some(names);
        self
    }

    /// Returns the samples with what is known of them beside their rows.
    ///
    /// # Panics
    /// If it names features, but not one name per feature.
    pub fn with_about(mut self, about: impl Into<Arc<About>>) -> Self {
        self.about = about.into();
        let names = self.about.feature_names.as_ref();
        assert!(names.is_none_or(|n| n.len() == self.columns()), "one name per feature");
        self
    }

    /// Returns the samples with names for their rows.
    ///
    /// # Panics
    /// If there is not one name per row.
    pub fn with_row_ids(mut self, ids: RowIds) -> Self {
        assert_eq!(ids.len(), self.rows(), "one name per row");
        self.ids = Some(ids);
        self
    }

    /// Returns the samples with a weight for each row: how much it counts where a method has a meaning
    /// for that. A weight cannot change a verdict.
    ///
    /// Errors if there is not one weight per row, or if one is not a finite number above zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self, Error> {
        let (found, rows) = (weights.len(), self.rows());
        if found != rows {
            return Err(ErrorKind::WeightCount { weights: found, rows }.into());
        }
        if let Some(i) = weights.iter().position(|w| !(*w > 0.0 && w.is_finite())) {
            let found = weights[i];
            return Err(ErrorKind::BadWeight { found }.at_row(i as u64 + 1));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.features.rows()
    }

    /// Returns the number of features.
    pub fn columns(&self) -> usize {
        self.features.columns()
    }

    /// Returns the features of all rows.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Returns the features alone.
    pub fn into_features(self) -> Features {
        self.features
    }

    /// Returns, for every row, whether it is positive.
    pub fn positive(&self) -> &[bool] {
        &self.positive
    }

    /// Returns the Euclidean length of (x, 1) for every row.
    pub fn norms(&self) -> &[f64] {
        &self.norms
    }

    /// Returns the weight of every row, if rows have weights.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Returns what is known of the samples beside their rows.
    pub fn about(&self) -> &Arc<About> {
        &self.about
    }

    /// Returns the names of the rows, where they have any.
    pub fn row_ids(&self) -> Option<&RowIds> {
        self.ids.as_ref()
    }

    /// Returns what the two classes are called.
    pub fn label_names(&self) -> &LabelNames {
        &self.about.label_names
    }

    /// Returns the names of the features, where the data has them.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.about.feature_names.as_deref()
    }
}

impl From<Dense<f64>> for Features {
    fn from(matrix: Dense<f64>) -> Self {
        Features::Dense64(matrix)
    }
}

impl From<Dense<f32>> for Features {
    fn from(matrix: Dense<f32>) -> Self {
        Features::Dense32(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of a row that has one.
    fn value(samples: &Samples, row: usize) -> f64 {
        let mut found = f64::NAN;
        samples.features().for_each(row, |_, value| found = value);
        found
    }

    fn check(values: &[f64], columns: usize, labels: &str, expected: &str) {
        let positive = labels.chars().map(|c| c == '+').collect();
        let error = Samples::dense(values.to_vec(), columns, positive).err().unwrap();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn unusable_samples_are_refused() {
        check(&[], 1, "", "expected at least one row, found none");
        check(&[], 0, "+-", "expected at least one feature, found none");
        check(&[1.0, 2.0], 1, "++", "expected two classes, found one: all 2 rows are \"1\"");
        check(&[1.0, 2.0, 3.0], 2, "+-", "expected rows of 2 features, found 1");
        check(
            &[1.0, 2.0, 3.0, f64::NAN],
            2,
            "+-",
            "row 2, column 2: expected a finite number, found NaN",
        );
        check(
            &[f64::MAX, f64::MAX, 0.0, 0.0],
            2,
            "+-",
            "row 1: the row's norm overflows: its Euclidean length exceeds 1.8e308",
        );
    }

    #[test]
    fn rows_can_be_left_out() {
        let labels = vec![true, false, false, true];
        let samples = Samples::dense(vec![1.0, 2.0, 3.0, 4.0], 1, labels)
            .unwrap()
            .with_feature_names(vec!["a".into()]);
        let rest = samples.without_rows(&[2, 0, 2]).unwrap();
        assert_eq!(rest.positive(), [false, true]);
        assert_eq!([value(&rest, 0), value(&rest, 1)], [2.0, 4.0]);
        assert_eq!(rest.norms(), [samples.norms()[1], samples.norms()[3]]);
        assert_eq!(rest.feature_names(), samples.feature_names());
        let error = samples.without_rows(&[0, 3]).err().unwrap();
        assert_eq!(error.to_string(), "expected two classes, found one: all 2 rows are \"-1\"");
        assert!(samples.without_rows(&[0, 1, 2, 3]).is_err());
    }

    #[test]
    fn rows_with_missing_values_can_be_dropped() {
        let values = vec![1.0, f64::NAN, 3.0, f64::INFINITY, 5.0];
        let labels =
            Labels { positive: vec![true, true, false, false, true], names: LabelNames::default() };
        let features = Features::from(Dense::new(values, 5, 1));
        let samples = Samples::new(features, labels, Missing::Drop).unwrap();
        assert_eq!((samples.rows(), samples.about().dropped), (3, 2));
        assert_eq!(samples.positive(), [true, false, true]);
        assert_eq!(value(&samples, 1), 3.0);
    }
}
