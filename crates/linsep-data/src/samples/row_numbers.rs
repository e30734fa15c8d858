//! Which rows of the file the rows of data are.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Which rows of the file the rows of data are, where some were left out: for missing values, or because their class was
/// not asked about. What people read names rows of the file.
///
/// Takes no memory if all rows were kept, else that of one pair of numbers per run of rows that were kept.
///
/// ```
/// use linsep_data::samples::RowNumbers;
///
/// let rows = RowNumbers::of([0, 1, 4]);
/// assert_eq!([rows.number(0), rows.number(2)], [1, 5]);
/// assert_eq!(RowNumbers::default().number(2), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowNumbers {
    /// The first row of each run of consecutive rows: in the data, and in the file. None if all rows were kept.
    runs: Vec<(usize, usize)>,
}

impl RowNumbers {
    /// Returns the numbers of these rows of the file, counted from 0.
    pub fn of(rows: impl IntoIterator<Item = usize>) -> Self {
        let mut runs: Vec<(usize, usize)> = vec![];
        for (row, in_file) in rows.into_iter().enumerate() {
            let goes_on =
                runs.last().is_some_and(|&(first, start)| start + (row - first) == in_file);
            if !goes_on {
                runs.push((row, in_file));
            }
        }
        // One run from the beginning of the file says nothing.
        if runs.len() == 1 && runs[0].1 == 0 {
            runs.clear();
        }
        RowNumbers { runs }
    }

    /// Returns the numbers of all rows but these, which rise and are counted from 0.
    pub fn without(dropped: &[u64]) -> Self {
        let mut runs = vec![];
        let mut next = 0;
        for (before, &gone) in dropped.iter().enumerate() {
            if gone > next {
                runs.push((next as usize - before, next as usize));
            }
            next = gone + 1;
        }
        if !dropped.is_empty() {
            runs.push((next as usize - dropped.len(), next as usize));
        }
        RowNumbers { runs }
    }

    /// Returns true if every row has the number that it has in the file.
    pub fn is_all(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the row of the file that row `row` of the data is, both counted from 0.
    pub fn in_file(&self, row: usize) -> usize {
        match self.runs.partition_point(|&(first, _)| first <= row) {
            0 => row,
            k => self.runs[k - 1].1 + (row - self.runs[k - 1].0),
        }
    }

    /// Returns what people call row `row` of the data: its number in the file, counted from 1.
    pub fn number(&self, row: usize) -> usize {
        self.in_file(row) + 1
    }

    /// Returns what people call these rows.
    pub fn numbers(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.number(row)).collect()
    }

    /// Returns the numbers of these rows of the data, if they alone are left, in this order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Self::of(rows.iter().map(|&row| self.in_file(row)))
    }

    /// Returns the numbers in the file of the rows that are left of this data, if `rest` has their numbers in it.
    pub fn after(&self, rest: &RowNumbers, rows: usize) -> Self {
        match rest.is_all() {
            true => self.clone(),
            false => Self::of((0..rows).map(|row| self.in_file(rest.in_file(row)))),
        }
    }

    /// Returns the error at the row of the file, if it is at one of the data.
    pub fn place(&self, mut error: Error) -> Error {
        error.place.row = error.place.row.map(|row| self.number(row as usize - 1) as u64);
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kept: &str) {
        let places = |wanted: char| {
            let all = kept.chars().enumerate();
            all.filter(move |&(_, c)| c == wanted).map(|(row, _)| row)
        };
        let rows = RowNumbers::of(places('x'));
        let dropped: Vec<u64> = places('.').map(|row| row as u64).collect();
        let without = RowNumbers::without(&dropped);
        for (row, in_file) in places('x').enumerate() {
            assert_eq!(rows.in_file(row), in_file, "{kept}");
            assert_eq!(without.in_file(row), in_file, "{kept}");
        }
    }

    #[test]
    fn rows_have_the_numbers_of_the_file() {
        for kept in ["xxx", ".xx", "..x.xx", "x..xx.x..", "xx..", "x.x.x.x"] {
            check(kept);
        }
        assert!(RowNumbers::of(0..5).is_all() && RowNumbers::without(&[]).is_all());
    }

    #[test]
    fn parts_of_parts_keep_the_numbers_of_the_file() {
        let rows = RowNumbers::without(&[0, 3]);
        assert_eq!(rows.numbers(&[0, 1, 2]), [2, 3, 5]);
        assert_eq!(rows.select(&[2, 0]).numbers(&[0, 1]), [5, 2]);
        let rest = RowNumbers::of([1, 2]);
        assert_eq!(rows.after(&rest, 2).numbers(&[0, 1]), [3, 5]);
        assert_eq!(rows.after(&RowNumbers::default(), 3), rows);
    }
}
