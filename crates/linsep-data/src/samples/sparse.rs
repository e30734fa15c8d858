//! Sparse rows in compressed form (CSR).

use std::sync::Arc;

use super::Lent;

/// Sparse rows: the indices and values of the non-zeros of row i are the slices from
/// `offsets[i]` to `offsets[i + 1]`.
#[derive(Clone)]
pub struct Sparse {
    offsets: Vec<usize>,
    indices: Lent<u32>,
    values: Lent<f64>,
    columns: usize,
}

impl Sparse {
    /// Returns the rows given in compressed form, or says what is wrong with it.
    ///
    /// `offsets` starts at 0, never falls and ends at the number of values; indices rise strictly
    /// within a row and lie below `columns`.
    pub fn new(
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
        columns: usize,
    ) -> Result<Self, SparseFault> {
        Self::lent(offsets, Arc::new(indices), Arc::new(values), columns)
    }

    /// Returns the same for indices and values in memory that belongs to someone else, which is read
    /// in place.
    pub fn lent(
        offsets: Vec<usize>,
        indices: Lent<u32>,
        values: Lent<f64>,
        columns: usize,
    ) -> Result<Self, SparseFault> {
        check(&offsets, (*indices).as_ref(), (*values).as_ref(), columns)?;
        Ok(Sparse { offsets, indices, values, columns })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of columns, zeros included.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of stored values.
    pub fn stored(&self) -> usize {
        (*self.values).as_ref().len()
    }

    /// Returns the indices and the values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&(*self.indices).as_ref()[range.clone()], &(*self.values).as_ref()[range])
    }

    /// Returns the rows of matrices of as many columns, those of this one first.
    pub fn stacked(&self, others: impl Iterator<Item = Self>) -> Self {
        let mut rows = SparseBuilder::default();
        for part in std::iter::once(self.clone()).chain(others) {
            for i in 0..part.rows() {
                let (indices, values) = part.row(i);
                indices.iter().zip(values).for_each(|(&k, &v)| rows.push(k as usize, v));
                rows.end_row();
            }
        }
        rows.finish(self.columns).expect("rows of sparse matrices")
    }

    /// Returns a copy of the rows that `keep` names.
    pub fn select_rows(&self, keep: &[usize]) -> Self {
        let mut rows = SparseBuilder::default();
        for &i in keep {
            let (indices, values) = self.row(i);
            indices.iter().zip(values).for_each(|(&k, &v)| rows.push(k as usize, v));
            rows.end_row();
        }
        rows.finish(self.columns).expect("rows of a sparse matrix")
    }
}

/// Sparse rows that are written one after the other.
///
/// ```
/// use linsep_data::samples::SparseBuilder;
///
/// let mut rows = SparseBuilder::default();
/// rows.push(7, 1.0);
/// rows.end_row();
/// rows.end_row();
/// let sparse = rows.finish(10).unwrap();
/// assert_eq!((sparse.rows(), sparse.stored()), (2, 1));
/// ```
#[derive(Clone, Debug)]
pub struct SparseBuilder {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Default for SparseBuilder {
    fn default() -> Self {
        SparseBuilder { offsets: vec![0], indices: vec![], values: vec![] }
    }
}

impl SparseBuilder {
    /// Adds a value to the row under way. Columns rise within a row.
    ///
    /// # Panics
    /// If the column does not fit 32 bits.
    pub fn push(&mut self, column: usize, value: f64) {
        self.indices.push(u32::try_from(column).expect("a column below 2^32"));
        self.values.push(value);
    }

    /// Ends the row under way.
    pub fn end_row(&mut self) {
        self.offsets.push(self.values.len());
    }

    /// Returns the rows, or what is wrong with them; see [`Sparse::new`].
    pub fn finish(self, columns: usize) -> Result<Sparse, SparseFault> {
        Sparse::new(self.offsets, self.indices, self.values, columns)
    }
}

fn check(
    offsets: &[usize],
    indices: &[u32],
    values: &[f64],
    columns: usize,
) -> Result<(), SparseFault> {
    let whole = offsets.first() == Some(&0) && offsets.last() == Some(&values.len());
    if !whole || indices.len() != values.len() {
        return Err(SparseFault::Lengths);
    }
    for (row, pair) in offsets.windows(2).enumerate() {
        let slice = indices.get(pair[0]..pair[1]).ok_or(SparseFault::Lengths)?;
        if slice.windows(2).any(|p| p[0] >= p[1]) {
            return Err(SparseFault::NotRising { row });
        }
        if slice.last().is_some_and(|&k| k as usize >= columns) {
            return Err(SparseFault::OutOfRange { row });
        }
    }
    Ok(())
}

/// What is wrong with sparse rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseFault {
    /// Offsets, indices and values do not fit one another.
    Lengths,
    /// The indices of this row (counted from 0) do not rise strictly.
    NotRising {
        /// The row, counted from 0.
        row: usize,
    },
    /// An index of this row (counted from 0) is not below the number of columns.
    OutOfRange {
        /// The row, counted from 0.
        row: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(offsets: &[usize], indices: &[u32], columns: usize) -> Option<SparseFault> {
        Sparse::new(offsets.to_vec(), indices.to_vec(), vec![1.0; indices.len()], columns).err()
    }

    #[test]
    fn faulty_rows_are_refused() {
        assert_eq!(check(&[0, 2, 3], &[0, 4, 1], 5), None);
        assert_eq!(check(&[0, 2, 2], &[0, 4, 1], 5), Some(SparseFault::Lengths));
        assert_eq!(check(&[1, 3], &[0, 4, 1], 5), Some(SparseFault::Lengths));
        assert_eq!(check(&[], &[], 5), Some(SparseFault::Lengths));
        assert_eq!(check(&[0, 9, 3], &[0, 4, 1], 5), Some(SparseFault::Lengths));
        assert_eq!(check(&[0, 2, 3], &[4, 4, 1], 5), Some(SparseFault::NotRising { row: 0 }));
        assert_eq!(check(&[0, 2, 3], &[0, 4, 5], 5), Some(SparseFault::OutOfRange { row: 1 }));
    }
}
