//! The rows of an array in blocks.

use super::header::Header;
use super::values::Payload;
use super::{BLOCK_VALUES, Matrix, pick, values};
use crate::error::{Column, Error, ErrorKind};
use crate::read::source::Input;
use crate::read::{Block, Expected, ReadOptions, StreamSummary};
use crate::samples::{Dense, Features, Missing};

/// Hands the rows of an array on, in blocks.
pub(in crate::read) fn stream(
    input: Input,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(Block) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    let matrix = Matrix::new(&Header::read(&mut input.head())?)?;
    let keep = matrix.as_columns().match_expected(options, expected)?;
    let mut blocks =
        Blocks { keep, missing: options.missing, summary: StreamSummary::default(), each };
    let rows_per_block = (BLOCK_VALUES / matrix.columns).max(1);
    if matrix.fortran_order {
        let all = matrix.load(input, &|_| {})?;
        for first in (0..matrix.rows).step_by(rows_per_block) {
            let rows: Vec<usize> = (first..matrix.rows.min(first + rows_per_block)).collect();
            blocks.push(all.select_rows(&rows))?;
        }
        return Ok(blocks.summary);
    }
    let mut payload = matrix.payload(input)?;
    for first in (0..matrix.rows).step_by(rows_per_block) {
        blocks.push(next_rows(&mut payload, &matrix, first, rows_per_block)?)?;
    }
    Ok(blocks.summary)
}

/// Returns the rows from `first` on that come next, at most so many.
pub(super) fn next_rows(
    payload: &mut Payload,
    matrix: &Matrix,
    first: usize,
    rows: usize,
) -> Result<Features, Error> {
    let size = (rows.min(matrix.rows - first), matrix.columns);
    let number = matrix.number;
    let features = if number.fits_f32() {
        values::read_rows::<f32>(payload, number, size, BLOCK_VALUES, &|_| {})
            .map(|values| Features::from(Dense::new(values, size.0, size.1)))
    } else {
        values::read_rows::<f64>(payload, number, size, BLOCK_VALUES, &|_| {})
            .map(|values| Features::from(Dense::new(values, size.0, size.1)))
    };
    features.map_err(|error| later(error, first))
}

/// Returns the error of a row that comes after so many others.
pub(super) fn later(mut error: Error, rows: usize) -> Error {
    error.place.row = error.place.row.map(|row| rows as u64 + row);
    error
}

/// Picks columns, looks for missing values and hands blocks on.
struct Blocks<'a> {
    keep: Vec<usize>,
    missing: Missing,
    summary: StreamSummary,
    each: &'a mut dyn FnMut(Block) -> Result<(), Error>,
}

impl Blocks<'_> {
    fn push(&mut self, block: Features) -> Result<(), Error> {
        let before = self.summary.rows + self.summary.dropped;
        let all = self.keep.iter().copied().eq(0..block.columns());
        let mut features = if all { block } else { pick(block, &self.keep) };
        let mut kept = vec![];
        for i in 0..features.rows() {
            let mut fault = None;
            features.for_each(i, |k, value| {
                if !value.is_finite() {
                    fault.get_or_insert((k, value));
                }
            });
            match fault {
                None => kept.push(i),
                Some((k, value)) if self.missing == Missing::Refuse => {
                    return Err(ErrorKind::NotFinite { found: value.to_string() }
                        .at_row(before + i as u64 + 1)
                        .in_column(Column::Number(self.keep[k] + 1)));
                }
                Some(_) => self.summary.dropped += 1,
            }
        }
        self.summary.rows += kept.len() as u64;
        if kept.is_empty() {
            return Ok(());
        }
        if kept.len() < features.rows() {
            features = features.select_rows(&kept);
        }
        (self.each)(Block { features, rows: kept.iter().map(|&i| before + i as u64 + 1).collect() })
    }
}
