//! Reads arrays as NumPy saves them (npy, versions 1 to 3).
//!
//! Floats of a plain file in C order and native byte order are mapped; all else is converted on
//! the way into the one copy that is kept.

mod header;
mod mapped;
mod number;
mod strings;
mod table;
mod values;

use std::fs::File;
use std::sync::Arc;

pub(super) use strings::read_labels;
pub(super) use table::{NpyTable, later};
pub(super) use values::too_short;

use linsep_data::error::{Column, Error, ErrorKind, without_compression};
use linsep_data::memory;
use linsep_data::samples::{About, Dense, Features, Missing, RowIds, RowNumbers, Samples};
use memmap2::Mmap;

use super::columns::{ChosenColumns, TableColumns};
use super::gather::{Gather, Outcomes, Ready, name_column};
use super::labels::{LabelFile, LabelTally};
use super::piece::{Piece, RawLayout};
use super::source::{Input, Source};
use super::{Categorical, ReadOptions, name_label};
use header::{NpyHeader, damaged};
use number::{Number, Target};
use values::Payload;

/// Values that are read and converted at a time.
const BLOCK_VALUES: usize = 1 << 17;

/// Values of the columns that are transposed at a time.
const COLUMN_BLOCK_VALUES: usize = 1 << 22;

/// What is known of a column, about.
const BYTES_PER_COLUMN: u64 = 128;

const NUMBERS: &str = "an array of bool, int8 to int64, uint8 to uint64, float32 or float64";

/// A matrix as the header describes it.
pub(super) struct NpyMatrix {
    number: Number,
    rows: usize,
    columns: usize,
    fortran_order: bool,
    offset: usize,
    /// Bytes of all values.
    bytes: u64,
}

impl NpyMatrix {
    /// Returns what the header describes. A vector is a matrix of one column.
    ///
    /// Errors if that is not a matrix of numbers, or is empty.
    fn new(header: &NpyHeader) -> Result<Self, Error> {
        let number = Number::parse(&header.descr).ok_or_else(|| {
            let found = format!("an array of type {}", header.descr);
            ErrorKind::Unsupported { found, expected: NUMBERS }
        })?;
        let (rows, columns) = match header.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => {
                let found = format!("an array of {} dimensions", header.shape.len());
                return Err(ErrorKind::Unsupported { found, expected: "one or two" }.into());
            }
        };
        if rows == 0 {
            return Err(ErrorKind::NoRows { dropped: 0 }.into());
        }
        if columns == 0 {
            return Err(ErrorKind::NoFeatures.into());
        }
        // As f64 all values have to fit the memory that can be addressed at all.
        let as_f64 = rows.checked_mul(columns).and_then(|count| count.checked_mul(8));
        if as_f64.is_none_or(|bytes| bytes > isize::MAX as u64) {
            return Err(damaged(format!("its npy header claims {rows} x {columns} values")));
        }
        let bytes = rows * columns * number.bytes() as u64;
        let (rows, columns) = (rows as usize, columns as usize);
        let fortran_order = header.fortran_order && columns > 1 && rows > 1;
        Ok(NpyMatrix { number, rows, columns, fortran_order, offset: header.offset, bytes })
    }

    /// Returns the matrix at the beginning of a file.
    ///
    /// Errors if it is none, or cannot be as large as it claims to be.
    pub(super) fn of(input: &Input) -> Result<Self, Error> {
        let matrix = Self::new(&NpyHeader::read(&mut input.head())?)?;
        if let Some(file) = input.file() {
            let found = file.metadata()?.len().saturating_sub(matrix.offset as u64);
            if found < matrix.bytes {
                return Err(too_short(matrix.bytes, found));
            }
        }
        // Compressed bytes come later, and may never come: what is made before is to fit.
        memory::require((matrix.columns as u64).saturating_mul(BYTES_PER_COLUMN))?;
        Ok(matrix)
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns true if it is stored column by column.
    pub(super) fn is_transposed(&self) -> bool {
        self.fortran_order
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset as u64
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn row_bytes(&self) -> usize {
        self.columns * self.number.bytes()
    }

    /// Returns `rows` rows; `fill` puts their bytes in place.
    pub(super) fn decode_rows(
        &self,
        rows: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<Features, Error> {
        match self.number.fits_f32() {
            true => Ok(self.decode_rows_as::<f32>(rows, fill)?.into()),
            false => Ok(self.decode_rows_as::<f64>(rows, fill)?.into()),
        }
    }

    fn decode_rows_as<T: Target>(
        &self,
        rows: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), Error>,
    ) -> Result<Dense<T>, Error> {
        let columns = self.columns;
        let mut values = vec![T::default(); rows * columns];
        if self.number.is_native_float() && self.number.bytes() == size_of::<T>() {
            fill(bytemuck::cast_slice_mut(&mut values))?;
        } else {
            let mut bytes = vec![0; rows * self.row_bytes()];
            fill(&mut bytes)?;
            self.number.decode(&bytes, &mut values);
            self.number.require_exact(&bytes, &values, |k| (k / columns, k % columns))?;
        }
        Ok(Dense::new(values, rows, columns))
    }

    /// Errors if there is no memory for all values.
    fn require(&self) -> Result<(), Error> {
        match self.number.fits_f32() {
            true => memory::require_values::<f32>(self.rows * self.columns),
            false => memory::require_values::<f64>(self.rows * self.columns),
        }
    }

    fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Returns all values, mapped or converted.
    fn load(&self, input: Input, progress: &dyn Fn(u64)) -> Result<Features, Error> {
        let map = input.file().map(|file| self.map(file)).transpose()?;
        if self.number.fits_f32() {
            self.load_as::<f32>(input, map, progress)
        } else {
            self.load_as::<f64>(input, map, progress)
        }
    }

    /// Returns the mapped file. Errors if it is too short for the values.
    fn map(&self, file: &File) -> Result<Arc<Mmap>, Error> {
        // SAFETY: the map is only read. Another program that changes or cuts the file meanwhile
        // breaks what a map relies on; that is documented where data are read.
        let map = unsafe { Mmap::map(file) }.map_err(|error| match error.kind() {
            std::io::ErrorKind::OutOfMemory => ErrorKind::NoMemory { bytes: self.bytes },
            _ => ErrorKind::Io(error),
        })?;
        let found = (map.len() as u64).saturating_sub(self.offset as u64);
        if found < self.bytes { Err(too_short(self.bytes, found)) } else { Ok(Arc::new(map)) }
    }

    fn load_as<T: Target>(
        &self,
        input: Input,
        map: Option<Arc<Mmap>>,
        progress: &dyn Fn(u64),
    ) -> Result<Features, Error>
    where
        Features: From<Dense<T>>,
    {
        let (rows, columns) = self.size();
        let plain = self.number.is_native_float() && !self.fortran_order;
        if let Some(dense) = map
            .clone()
            .filter(|_| plain)
            .and_then(|map| mapped::dense::<T>(map, self.offset, rows, columns))
        {
            return Ok(dense.into());
        }
        let values: Vec<T> = match map.filter(|_| self.fortran_order) {
            Some(map) => {
                let mut values = memory::filled(T::default(), rows * columns)?;
                let bytes = &map[self.offset..self.offset + self.bytes as usize];
                values::transpose(self.number, bytes, &mut values, self.size(), 0)?;
                values
            }
            None => {
                let mut payload = self.payload(input)?;
                if self.fortran_order {
                    values::read_columns(
                        &mut payload,
                        self.number,
                        self.size(),
                        COLUMN_BLOCK_VALUES,
                    )?
                } else {
                    values::read_rows(
                        &mut payload,
                        self.number,
                        self.size(),
                        BLOCK_VALUES,
                        progress,
                    )?
                }
            }
        };
        Ok(Dense::new(values, rows, columns).into())
    }

    fn payload(&self, input: Input) -> Result<Payload, Error> {
        let mut reader = input.into_reader();
        NpyHeader::read(&mut reader)?;
        Ok(Payload::new(reader, self.bytes))
    }

    fn as_columns(&self) -> TableColumns {
        TableColumns { width: self.columns, names: None }
    }

    /// Returns the columns to train on. Errors if some are said to be categories: they are numbers.
    pub(super) fn choose(
        &self,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<ChosenColumns, Error> {
        if matches!(options.categorical, Categorical::Columns(_)) {
            let found = "categories in an array of numbers".to_string();
            return Err(ErrorKind::Unsupported { found, expected: "a table for that" }.into());
        }
        self.as_columns().choose(options, labels_elsewhere, &[])
    }
}

/// An array in memory: its features, and what is known of its rows.
struct NpyArray {
    features: Features,
    tally: LabelTally,
    /// The labels, from a file of their own or from a column.
    labels: Option<LabelFile>,
    layout: RawLayout,
}

impl NpyArray {
    fn load(
        input: Input,
        options: &ReadOptions,
        file: Option<LabelFile>,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, Error> {
        let matrix = NpyMatrix::of(&input)?;
        if input.file().is_none() {
            // Before anything is made per column: there may be fewer columns than the header claims.
            matrix.require()?;
        }
        let chosen = matrix.choose(options, file.is_some())?;
        let mut features = matrix.load(input, progress)?;
        progress(matrix.rows as u64);
        let labels = match chosen.label {
            Some(label) => Some(labels_of_column(&features, label, options.missing)?),
            None => file,
        };
        let ids = chosen.id.map(|id| ids_of_column(&features, id));
        if chosen.features.len() < matrix.columns || options.features.is_some() {
            if edge_left_out(matrix.columns, &chosen.features).is_none() {
                memory::require_values::<f64>(matrix.rows * chosen.features.len())?;
            }
            features = pick(features, &chosen.features);
        }
        let tally = LabelTally::of_rows(matrix.rows as u64, ids);
        Ok(NpyArray { features, tally, labels, layout: chosen.layout })
    }
}

/// Returns rows as a table has them, for what an array alone cannot do: fill values in, name rows.
fn gathered<'a>(
    features: Features,
    tally: LabelTally,
    layout: &'a RawLayout,
    missing: Missing,
) -> Result<Gather<'a>, Error> {
    let mut rows = Gather::new(layout);
    let piece = Piece::of_numbers(features, tally, missing);
    rows.take(piece.map_err(|error| name_column(error, layout))?)?;
    Ok(rows)
}

/// Returns the samples of an array, with the labels of `file` or of a column.
pub(super) fn read(
    input: Input,
    options: &ReadOptions,
    file: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    let NpyArray { features, tally, labels, layout } =
        NpyArray::load(input, options, file, progress)?;
    if options.missing.is_filled() || tally.ids().is_some() {
        let rows = gathered(features, tally, &layout, options.missing)?;
        return rows.finish(labels, options).map_err(|error| name_label(error, &layout));
    }
    let settled = tally
        .settle(features, labels, |table| table.into_classes(options.positive.as_deref()))
        .map_err(|error| name_label(error, &layout))?;
    let before = RowNumbers::without(&settled.dropped);
    let label_names = settled.labels.names.clone();
    let samples = Samples::new(settled.features, settled.labels, options.missing)
        .map_err(|error| before.place(name_column(error, &layout)))?;
    let about = About {
        label_names,
        dropped: settled.dropped.len() + samples.about().dropped,
        rows: before.after(&samples.about().rows, samples.rows()),
        label_column: layout.label.clone(),
        ..About::default()
    };
    Ok(samples.with_about(about))
}

/// Returns the rows of an array with their labels as they stand.
pub(super) fn outcomes(
    input: Input,
    options: &ReadOptions,
    file: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcomes, Error> {
    let NpyArray { features, tally, labels, layout } =
        NpyArray::load(input, options, file, progress)?;
    if options.missing.is_filled() || tally.ids().is_some() {
        return gathered(features, tally, &layout, options.missing)?.outcomes(labels, options);
    }
    let settled = tally.settle(features, labels, Ok)?;
    let about = About {
        dropped: settled.dropped.len(),
        rows: RowNumbers::without(&settled.dropped),
        label_column: layout.label.clone(),
        ..About::default()
    };
    let ready = Ready { features: settled.features, labels: settled.labels, about, ids: None };
    ready.into_outcomes(&layout, options.missing)
}

/// Returns `STEM.labels.npy` for `STEM.npy`, if there is such a file.
pub(super) fn labels_beside(source: &Source) -> Option<std::path::PathBuf> {
    let Source::File(path) = source else { return None };
    let plain = without_compression(path);
    let beside = plain.with_extension("labels.npy");
    (plain.extension()? == "npy" && beside.is_file()).then_some(beside)
}

/// Returns the first or the last of `columns` columns, if it is the only one left out.
fn edge_left_out(columns: usize, keep: &[usize]) -> Option<usize> {
    match keep {
        _ if keep.len() + 1 != columns => None,
        _ if keep.iter().copied().eq(1..columns) => Some(0),
        _ if keep.iter().copied().eq(0..columns - 1) => Some(columns - 1),
        _ => None,
    }
}

/// Returns the columns in this order, without a copy if only an edge is left out.
pub(super) fn pick(features: Features, keep: &[usize]) -> Features {
    fn pick<T: Target>(dense: Dense<T>, keep: &[usize]) -> Dense<T> {
        match edge_left_out(dense.columns(), keep) {
            Some(column) => dense.without_edge_column(column).expect("it is the first or last"),
            None => dense.select_columns(keep),
        }
    }
    match features {
        Features::Dense64(dense) => pick(dense, keep).into(),
        Features::Dense32(dense) => pick(dense, keep).into(),
        Features::Sparse(_) => features,
    }
}

fn labels_of_column(
    features: &Features,
    column: usize,
    missing: Missing,
) -> Result<LabelFile, Error> {
    fn spell_all<T: Target>(
        dense: &Dense<T>,
        column: usize,
        missing: Missing,
    ) -> Result<LabelFile, Error> {
        let mut labels = LabelFile::default();
        // Classes are few: what they are called is written once.
        let mut seen: Vec<(u64, String)> = vec![];
        for i in 0..dense.rows() {
            let value = dense.row(i)[column];
            let bits = value.widen().to_bits();
            let known = seen.iter().position(|(b, _)| *b == bits).unwrap_or_else(|| {
                if seen.len() == 8 {
                    seen.clear();
                }
                seen.push((bits, value.to_string()));
                seen.len() - 1
            });
            let label = (!value.widen().is_nan()).then_some(seen[known].1.as_str());
            labels.push(label, missing, |kind| {
                kind.at_row(i as u64 + 1).in_column(Column::Number(column + 1))
            })?;
        }
        Ok(labels)
    }
    match features {
        Features::Dense64(dense) => spell_all(dense, column, missing),
        Features::Dense32(dense) => spell_all(dense, column, missing),
        Features::Sparse(_) => Ok(LabelFile::default()),
    }
}

/// Returns the values of a column as names of rows.
fn ids_of_column(features: &Features, column: usize) -> RowIds {
    let mut ids = RowIds::default();
    for i in 0..features.rows() {
        features.for_each(i, |k, value| {
            if k == column {
                ids.push(&value.to_string());
            }
        });
    }
    ids
}

#[cfg(test)]
mod tests;
