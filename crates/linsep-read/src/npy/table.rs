//! The rows of an array in blocks.

use linsep_data::error::Error;
use linsep_data::samples::{Dense, Features, Missing};

use super::values::Payload;
use super::{BLOCK_VALUES, NpyMatrix, ids_of_column, labels_of_column, pick, values};
use crate::columns::ChosenColumns;
use crate::gather::name_column;
use crate::labels::{LabelFile, LabelTally};
use crate::piece::{Piece, RawLayout};
use crate::source::Input;
use crate::{Expected, ReadOptions, TableReader};

/// An array that is read once, from its first row to its last.
pub(crate) struct NpyTable {
    matrix: NpyMatrix,
    input: Option<Input>,
    chosen: ChosenColumns,
    missing: Missing,
    /// Whether a row without a label is of no use.
    label_needed: bool,
}

impl NpyTable {
    /// Returns the table to train on. Errors if it is no matrix of numbers.
    pub(crate) fn open(
        input: Input,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Self, Error> {
        let matrix = NpyMatrix::of(&input)?;
        let chosen = matrix.choose(options, labels_elsewhere)?;
        let missing = options.missing;
        Ok(NpyTable { matrix, input: Some(input), chosen, missing, label_needed: true })
    }

    /// Returns the table with the columns that a model expects. Errors if they are not there.
    pub(crate) fn expecting(
        input: Input,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<Self, Error> {
        let matrix = NpyMatrix::of(&input)?;
        let chosen = matrix.as_columns().match_expected(options, expected)?;
        let missing = options.missing;
        Ok(NpyTable { matrix, input: Some(input), chosen, missing, label_needed: false })
    }

    /// Returns the piece that a block of all columns is, whose first row is row `first`.
    fn piece(&self, block: Features, first: usize) -> Result<Piece, Error> {
        let ChosenColumns { features, label, id, layout } = &self.chosen;
        let labels = match label {
            Some(k) => {
                let missing = if self.label_needed { self.missing } else { Missing::Drop };
                labels_of_column(&block, *k, missing).map_err(|error| later(error, first))?
            }
            None => LabelFile::default(),
        };
        let ids = id.map(|id| ids_of_column(&block, id));
        let all = features.iter().copied().eq(0..block.columns());
        let numbers = if all { block } else { pick(block, features) };
        let tally = LabelTally::of_rows(numbers.rows() as u64, ids);
        let mut piece = Piece::of_numbers(numbers, tally, self.missing)
            .map_err(|error| later(name_column(error, layout), first))?;
        if label.is_some() {
            piece.take_labels(labels, self.label_needed, layout.columns.len())?;
        }
        Ok(piece)
    }
}

impl TableReader for NpyTable {
    fn layout(&self) -> &RawLayout {
        &self.chosen.layout
    }

    fn pieces(&mut self, take: &mut dyn FnMut(Piece) -> Result<(), Error>) -> Result<(), Error> {
        let input = self.input.take().expect("a table is read once");
        let rows_per_block = (BLOCK_VALUES / self.matrix.columns).max(1);
        let firsts = (0..self.matrix.rows).step_by(rows_per_block);
        if self.matrix.fortran_order {
            let all = self.matrix.load(input, &|_| {})?;
            for first in firsts {
                let end = self.matrix.rows.min(first + rows_per_block);
                let rows: Vec<usize> = (first..end).collect();
                take(self.piece(all.select_rows(&rows), first)?)?;
            }
            return Ok(());
        }
        let mut payload = self.matrix.payload(input)?;
        for first in firsts {
            let block = next_rows(&mut payload, &self.matrix, first, rows_per_block)?;
            take(self.piece(block, first)?)?;
        }
        Ok(())
    }
}

/// Returns the rows that come next, at most `rows`; `first` is the number of the first.
pub(super) fn next_rows(
    payload: &mut Payload,
    matrix: &NpyMatrix,
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

/// Returns the error of a row that comes after `rows` others.
pub(crate) fn later(mut error: Error, rows: usize) -> Error {
    error.place.row = error.place.row.map(|row| rows as u64 + row);
    error
}
