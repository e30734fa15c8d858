//! Sparse rows in compressed form (CSR).

/// Sparse rows: the indices and values of the non-zeros of row i are the slices from
/// `offsets[i]` to `offsets[i + 1]`.
#[derive(Clone, Debug)]
pub struct Sparse {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    columns: usize,
}

impl Sparse {
    /// Returns the rows given in compressed form, or what is wrong with that form.
    ///
    /// `offsets` starts at 0, never falls and ends at the number of values; indices rise strictly
    /// within a row and lie below `columns`.
    pub fn new(
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
        columns: usize,
    ) -> Result<Self, SparseFault> {
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
        self.values.len()
    }

    /// Returns the indices and the values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Returns a copy of the rows that `keep` names.
    pub(crate) fn select_rows(&self, keep: &[usize]) -> Self {
        let mut out =
            Sparse { offsets: vec![0], indices: vec![], values: vec![], columns: self.columns };
        for &i in keep {
            let (indices, values) = self.row(i);
            out.indices.extend_from_slice(indices);
            out.values.extend_from_slice(values);
            out.offsets.push(out.values.len());
        }
        out
    }
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
