//! The rows of an array that stays in its file.

use std::fs::File;
use std::io::ErrorKind as IoErrorKind;
use std::path::Path;

use linsep_data::error::Error;
use linsep_data::samples::{Features, Missing, RowIds};

use super::{KnownTable, Parts, known, survey};
use crate::columns::ChosenColumns;
use crate::labels::{LabelFile, LabelTally};
use crate::npy::{NpyMatrix, NpyTable, later, pick, too_short};
use crate::source::Input;
use crate::stamp::{Stamp, read_at};
use crate::{ReadOptions, TableReader};

/// Blocks of an array in C order in a plain file.
pub(super) struct NpyParts {
    file: File,
    stamp: Stamp,
    matrix: NpyMatrix,
    chosen: ChosenColumns,
    /// Rows of each part: all but the last have as many.
    rows: Vec<usize>,
}

impl NpyParts {
    /// Returns the array in blocks of about `block_bytes` bytes, or none if it is compressed or in Fortran order.
    pub(super) fn open(
        path: &Path,
        input: &Input,
        options: &ReadOptions,
        labels_elsewhere: bool,
        block_bytes: usize,
    ) -> Result<Option<Self>, Error> {
        let matrix = NpyMatrix::of(input)?;
        let Some(file) = input.file().filter(|_| !matrix.is_transposed()) else {
            return Ok(None);
        };
        let found = file.metadata()?.len().saturating_sub(matrix.offset());
        if found < matrix.bytes() {
            return Err(too_short(matrix.bytes(), found));
        }
        let chosen = matrix.choose(options, labels_elsewhere)?;
        let (all, row_bytes) = (matrix.rows(), matrix.row_bytes());
        let each = (block_bytes / row_bytes).max(1);
        let rows = (0..all).step_by(each).map(|first| each.min(all - first)).collect();
        let (file, stamp) = (File::open(path)?, Stamp::of(path)?);
        Ok(Some(NpyParts { file, stamp, matrix, chosen, rows }))
    }

    /// Returns what is known of the rows; reads all of them unless labels stand elsewhere and no row is to
    /// be left out.
    pub(super) fn survey(
        &self,
        input: Input,
        options: &ReadOptions,
        labels: Option<LabelFile>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<KnownTable, Error> {
        if labels.is_some() && options.missing != Missing::Drop {
            let tally = LabelTally::of_rows(self.matrix.rows() as u64, None);
            return known(self.chosen.layout.clone(), vec![], tally, options, labels);
        }
        let mut table = NpyTable::open(input, options, labels.is_some())?;
        debug_assert_eq!(table.layout().columns.len(), self.chosen.features.len());
        survey(&mut table, options, labels, progress)
    }

    /// Returns all columns of consecutive rows.
    fn rows_from(&self, first: usize, count: usize) -> Result<Features, Error> {
        let row_bytes = self.matrix.row_bytes();
        let at = self.matrix.offset() + (first * row_bytes) as u64;
        let filled = |bytes: &mut [u8]| {
            read_at(&self.file, bytes, at).map_err(|error| match error.kind() {
                // It was whole when it was opened.
                IoErrorKind::UnexpectedEof => too_short(self.matrix.bytes(), at),
                _ => error.into(),
            })
        };
        self.matrix.decode_rows(count, filled).map_err(|error| later(error, first))
    }

    fn features_of(&self, all: Features) -> Features {
        let features = &self.chosen.features;
        let same = features.iter().copied().eq(0..all.columns());
        if same { all } else { pick(all, features) }
    }

    fn first(&self, part: usize) -> usize {
        part * self.rows[0]
    }
}

impl Parts for NpyParts {
    fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn read(
        &self,
        part: usize,
        each: &mut dyn FnMut(usize, Features) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let all = self.rows_from(self.first(part), self.rows[part])?;
        each(0, self.features_of(all))
    }

    fn fetch(&self, part: usize, places: &[usize]) -> Result<Features, Error> {
        let rows = places.iter().map(|place| self.rows_from(self.first(part) + place, 1));
        let all = Features::stacked(rows.collect::<Result<Vec<_>, _>>()?);
        Ok(self.features_of(all))
    }

    fn ids(&self, part: usize, places: &[usize]) -> Result<Option<RowIds>, Error> {
        let Some(column) = self.chosen.id else { return Ok(None) };
        let mut ids = RowIds::default();
        for place in places {
            self.rows_from(self.first(part) + place, 1)?.for_each(0, |k, value| {
                if k == column {
                    ids.push(&value.to_string());
                }
            });
        }
        Ok(Some(ids))
    }

    fn memory(&self) -> u64 {
        // The bytes of a block, and its numbers.
        let rows = self.rows.first().copied().unwrap_or(0) as u64;
        rows * (self.matrix.row_bytes() as u64 + 8 * self.chosen.features.len() as u64)
    }

    fn check(&self) -> Result<(), Error> {
        self.stamp.check()
    }
}
