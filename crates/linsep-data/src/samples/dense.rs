//! Dense rows, in memory, mapped from a file, or lent by someone else.

use std::sync::Arc;

use memmap2::Mmap;

use super::Lent;
use crate::kernels::Element;

/// Where the values of a dense matrix live.
#[derive(Clone)]
enum Storage<T> {
    /// Shared by copies of the matrix.
    Owned(Arc<Vec<T>>),
    /// A file mapped into memory; the values start `offset` bytes into it.
    Mapped { map: Arc<Mmap>, offset: usize },
    /// Memory that belongs to someone else, read in place.
    Lent(Lent<T>),
}

/// Rows of equal length, one after the other, in memory, mapped from a file, or lent.
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

    /// Returns the matrix stored in native byte order `offset` bytes into a mapped file, or `None`
    /// if the values are not aligned there or the file is too short.
    pub fn mapped(map: Arc<Mmap>, offset: usize, rows: usize, columns: usize) -> Option<Self> {
        let bytes = rows.checked_mul(columns)?.checked_mul(size_of::<T>())?;
        let slice = map.get(offset..offset.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(slice).ok()?;
        Some(Dense {
            storage: Storage::Mapped { map, offset },
            rows,
            columns,
            stride: columns,
            start: 0,
        })
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
            Storage::Mapped { map, offset } => {
                let end = offset + self.stored_len() * size_of::<T>();
                bytemuck::cast_slice(&map[*offset..end])
            }
            Storage::Lent(values) => (**values).as_ref(),
        }
    }

    fn stored_len(&self) -> usize {
        self.rows * self.stride
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

    /// Returns true if the values are read from a mapped file.
    pub fn is_mapped(&self) -> bool {
        matches!(self.storage, Storage::Mapped { .. })
    }

    /// Returns true if the values are read from memory that belongs to someone else.
    pub fn is_lent(&self) -> bool {
        matches!(self.storage, Storage::Lent(_))
    }

    /// Writes w·x to `out` for the rows from `first` on.
    pub fn scores(&self, first: usize, w: &[f64], out: &mut [f64]) {
        assert_eq!(w.len(), self.columns);
        assert!(first + out.len() <= self.rows);
        if out.is_empty() {
            return;
        }
        T::scores(w, &self.values()[self.start + first * self.stride..], self.stride, out);
    }

    /// Returns the rows of matrices of as many columns, those of this one first.
    pub(crate) fn stacked(&self, others: impl Iterator<Item = Self>) -> Self {
        let (mut values, mut rows) = (self.to_vec(), self.rows);
        for other in others {
            values.extend_from_slice(&other.to_vec());
            rows += other.rows;
        }
        Dense::new(values, rows, self.columns)
    }

    /// Returns all values, row after row.
    pub(crate) fn to_vec(&self) -> Vec<T> {
        if self.stride == self.columns {
            return self.values().to_vec();
        }
        (0..self.rows).flat_map(|i| self.row(i).iter().copied()).collect()
    }

    /// Returns a copy of the rows that `keep` names.
    pub(crate) fn select_rows(&self, keep: &[usize]) -> Self {
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
