//! The rows of an array in blocks.

use super::header::Header;
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
    let rows_a_block = (BLOCK_VALUES / matrix.columns).max(1);
    if matrix.fortran_order {
        let all = matrix.load(input, &|_| {})?;
        for first in (0..matrix.rows).step_by(rows_a_block) {
            let rows: Vec<usize> = (first..matrix.rows.min(first + rows_a_block)).collect();
            blocks.push(all.select_rows(&rows))?;
        }
        return Ok(blocks.summary);
    }
    let mut payload = matrix.payload(input)?;
    for first in (0..matrix.rows).step_by(rows_a_block) {
        let size = (rows_a_block.min(matrix.rows - first), matrix.columns);
        let block = BLOCK_VALUES;
        let features = if matrix.number.fits_f32() {
            values::read_rows::<f32>(&mut payload, matrix.number, size, block, &|_| {})
                .map(|values| Features::from(Dense::new(values, size.0, size.1)))
        } else {
            values::read_rows::<f64>(&mut payload, matrix.number, size, block, &|_| {})
                .map(|values| Features::from(Dense::new(values, size.0, size.1)))
        };
        blocks.push(features.map_err(|mut error| {
            error.place.row = error.place.row.map(|row| first as u64 + row);
            error
        })?)?;
    }
    Ok(blocks.summary)
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
