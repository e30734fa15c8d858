//! The rows of Parquet and Arrow files, which stay where they are.

use linsep_data::error::Error;
use linsep_data::samples::{Features, RowIds};

use super::{KnownTable, Parts, known, survey};
use crate::ReadOptions;
use crate::columnar::PickedFiles;
use crate::labels::{LabelFile, LabelTally};
use crate::piece::Levels;

/// Row groups of Parquet files, or record batches of Arrow files.
pub(super) struct ColumnarParts {
    picked: PickedFiles,
    levels: Vec<Levels>,
}

impl ColumnarParts {
    /// Returns the parts, and what is known of their rows; all are read only if a category is among the
    /// columns, or if rows with missing values are to be left out, and else their labels alone.
    pub(super) fn open(
        picked: PickedFiles,
        options: &ReadOptions,
        labels: Option<LabelFile>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<(Self, KnownTable), Error> {
        let known = match picked.surveyed(options)? {
            Some(mut table) => survey(&mut table, options, labels, progress)?,
            None => {
                let rows: usize = picked.files().parts().iter().sum();
                let tally = LabelTally::of_rows(rows as u64, None);
                known(picked.layout().clone(), vec![], tally, options, labels)?
            }
        };
        Ok((ColumnarParts { picked, levels: known.levels.clone() }, known))
    }
}

impl Parts for ColumnarParts {
    fn rows(&self) -> &[usize] {
        self.picked.files().parts()
    }

    fn read(
        &self,
        part: usize,
        each: &mut dyn FnMut(usize, Features) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.picked.raw(part, &self.levels, None, each)
    }

    fn fetch(&self, part: usize, places: &[usize]) -> Result<Features, Error> {
        let mut found = vec![];
        self.picked.raw(part, &self.levels, Some(places), &mut |_, raw| {
            found.push(raw);
            Ok(())
        })?;
        Ok(Features::stacked(found))
    }

    fn ids(&self, part: usize, places: &[usize]) -> Result<Option<RowIds>, Error> {
        self.picked.ids(part, places)
    }

    fn memory(&self) -> u64 {
        self.picked.memory()
    }

    fn check(&self) -> Result<(), Error> {
        self.picked.files().check()
    }
}
