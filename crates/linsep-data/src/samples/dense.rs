//! Dense rows, in memory or lent by someone else.

use std::sync::Arc;

use super::{Element, Lent};

/// Where the values of a dense matrix live.
#[derive(Clone)]
enum Storage<T> {
    /// Shared by copies of the matrix.
    Owned(Arc<Vec<T>>),
    /// Memory that belongs to someone else, read in place: an array, or a file that is mapped.
    Lent(Lent<T>),
}

/// Rows of equal length, one after the other, in memory or lent.
///
/// A row may be a part of a longer stored row, so that a label column at either end of the file
/// needs no copy: row i has the `columns` values from `start + i * stride` on.
#[derive(Clone)]
pub struct Dense<T> {
    storage: Storage<T>,
    rows: usize,
    columns: usize,
    stride: usize,
    start: usize,
}

impl<T: Element> Dense<T> {
    /// Returns the matrix whose rows of `columns` values follow one another in `values`.
    ///
    /// # Panics
    /// If `values` is not a whole number of rows.
    pub fn new(values: Vec<T>, rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a dense matrix holds rows x columns values");
        Dense {
            storage: Storage::Owned(Arc::new(values)),
            rows,
            columns,
            stride: columns,
            start: 0,
        }
    }

    /// Returns the matrix whose rows of `columns` values follow one another in memory that belongs
    /// to someone else, or `None` if it does not hold rows x columns values. No value is copied.
    pub fn lent(values: Lent<T>, rows: usize, columns: usize) -> Option<Self> {
        let fits = rows.checked_mul(columns) == Some((*values).as_ref().len());
        let storage = Storage::Lent(values);
        fits.then_some(Dense { storage, rows, columns, stride: columns, start: 0 })
    }

    /// Returns the same matrix without its first or last column: no value is moved.
    ///
    /// `None` if `column` is neither: such a matrix has to be copied.
    pub fn without_edge_column(mut self, column: usize) -> Option<Self> {
        if column != 0 && column + 1 != self.columns {
            return None;
        }
        self.start += usize::from(column == 0);
        self.columns -= 1;
        Some(self)
    }

    fn values(&self) -> &[T] {
        match &self.storage {
            Storage::Owned(values) => values,
            Storage::Lent(values) => (**values).as_ref(),
        }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of values in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[T] {
        let from = self.start + i * self.stride;
        &self.values()[from..from + self.columns]
    }

    /// Returns the stored values from the beginning of row `first` on, and how many values after it the next row
    /// begins: those of a column at an edge that was left out lie between them.
    pub fn stored_from(&self, first: usize) -> (&[T], usize) {
        (&self.values()[self.start + first * self.stride..], self.stride)
    }

    /// Returns true if the values are read from memory that belongs to someone else.
    pub fn is_lent(&self) -> bool {
        matches!(self.storage, Storage::Lent(_))
    }

    /// Returns the rows of matrices of as many columns, those of this one first.
    pub fn stacked(&self, others: impl Iterator<Item = Self>) -> Self {
        let (mut values, mut rows) = (self.to_vec(), self.rows);
        for other in others {
            values.extend_from_slice(&other.to_vec());
            rows += other.rows;
        }
        Dense::new(values, rows, self.columns)
    }

    /// Returns all values, row after row.
    pub fn to_vec(&self) -> Vec<T> {
        if self.stride == self.columns {
            return self.values().to_vec();
        }
        (0..self.rows).flat_map(|i| self.row(i).iter().copied()).collect()
    }

    /// Returns a copy of the rows that `keep` names.
    pub fn select_rows(&self, keep: &[usize]) -> Self {
        let mut values = Vec::with_capacity(keep.len() * self.columns);
        for &i in keep {
            values.extend_from_slice(self.row(i));
        }
        Dense::new(values, keep.len(), self.columns)
    }

    /// Returns a copy of the columns that `keep` names, in that order.
    pub fn select_columns(&self, keep: &[usize]) -> Self {
        let mut values = Vec::with_capacity(self.rows * keep.len());
        for i in 0..self.rows {
            let row = self.row(i);
            values.extend(keep.iter().map(|&k| row[k]));
        }
        Dense::new(values, self.rows, keep.len())
    }
}
