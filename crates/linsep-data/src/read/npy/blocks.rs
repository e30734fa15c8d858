//! An array that stays in its file: every pass reads it again, block by block.

use std::fs::File;
use std::io::{ErrorKind as ErrorKindIo, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::mpsc::sync_channel;

use rayon::prelude::*;

use super::header::Header;
use super::number::{Number, Target};
use super::stream::{later, next_rows};
use super::values::{Payload, too_short};
use super::{Matrix, labels_beside, labels_of_column, pick};
use crate::data::{Absorb, Block, Data, Reads, Shape, rows_per_block};
use crate::error::{Column, Error, ErrorKind};
use crate::read::ReadOptions;
use crate::read::labels::LabelFile;
use crate::read::source::{Input, Source};
use crate::samples::{Dense, Features, Labels, Missing, Samples};

/// The rows of an npy file, of which a few blocks are in memory at a time; labels always are, with one
/// byte per row.
///
/// The file must not be changed while this is in use. What it holds is the same as what
/// [`read`](crate::read::read) would return.
///
/// ```
/// use linsep_data::read::{NpyFile, ReadOptions};
/// use linsep_data::write::{npy_header, npy_labels};
/// use linsep_data::{Data, Shape};
///
/// let path = std::env::temp_dir().join(format!("linsep-doc-{}.npy", std::process::id()));
/// let mut bytes = npy_header("<f8", &[2, 1]);
/// bytes.extend([100.0_f64, 101.0].iter().flat_map(|value| value.to_le_bytes()));
/// std::fs::write(&path, bytes)?;
/// std::fs::write(path.with_extension("labels.npy"), npy_labels(&[false, true]))?;
/// let file = NpyFile::open(&path, &ReadOptions::default(), 1 << 20)?;
/// assert_eq!(file.shape(), Shape { rows: 2, columns: 1, sparse: false });
/// # std::fs::remove_file(&path)?;
/// # std::fs::remove_file(path.with_extension("labels.npy"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NpyFile {
    source: Source,
    matrix: Matrix,
    /// The columns that are features, in order.
    features: Vec<usize>,
    labels: Labels,
    /// Rows that are read at a time.
    rows: usize,
    reads: Reads,
}

impl NpyFile {
    /// Returns the file, of which blocks of about so many bytes are read; four of them are in memory
    /// at a time at most.
    ///
    /// Errors as [`read`](crate::read::read) does, and if the array is compressed or in Fortran order,
    /// or if rows with missing values are to be dropped: then rows could not be counted without a
    /// read.
    pub fn open(path: &Path, options: &ReadOptions, block_bytes: usize) -> Result<Self, Error> {
        let source = Source::File(path.to_path_buf());
        let name = source.name();
        Self::new(source, options, block_bytes).map_err(|error| error.in_source(&name))
    }

    fn new(source: Source, options: &ReadOptions, block_bytes: usize) -> Result<Self, Error> {
        let input = Input::open(&source)?;
        let matrix = Matrix::new(&Header::read(&mut input.head())?)?;
        let unsupported = |found: &str, expected| {
            Err(ErrorKind::Unsupported { found: found.to_string(), expected }.into())
        };
        let Some(file) = input.file() else {
            return unsupported("a compressed array in blocks", "a plain npy file");
        };
        if matrix.fortran_order {
            return unsupported("an array in Fortran order in blocks", "one in C order");
        }
        if options.missing == Missing::Drop {
            return unsupported("rows to be dropped in blocks", "missing values to be refused");
        }
        let found = file.metadata()?.len().saturating_sub(matrix.offset as u64);
        if found < matrix.bytes {
            return Err(too_short(matrix.bytes, found));
        }
        let path = options
            .labels
            .clone()
            .or_else(|| labels_beside(&source).filter(|_| options.label.is_none()));
        let labels = path.map(|path| LabelFile::read(&path, options.missing)).transpose()?;
        let chosen = matrix.as_columns().choose(options, labels.is_some())?;
        let rows = (block_bytes / (matrix.columns * matrix.number.bytes())).max(1);
        let labels = match (labels, chosen.label) {
            (Some(labels), _) => labels,
            (None, Some(column)) => labels_in_file(&matrix, input, column, rows)?,
            (None, None) => LabelFile::default(),
        };
        let labels = labels.into_classes(matrix.rows, options.positive.as_deref())?;
        let features = chosen.features;
        Ok(NpyFile { source, matrix, features, labels, rows, reads: Reads::default() })
    }

    /// Returns rows of the array as samples with these labels; `number` tells which row of the file each
    /// is.
    fn samples(
        &self,
        array: Features,
        positive: Vec<bool>,
        number: impl Fn(usize) -> usize,
    ) -> Result<Samples, Error> {
        let all = self.features.iter().copied().eq(0..array.columns());
        let features = if all { array } else { pick(array, &self.features) };
        let labels = Labels { positive, names: self.labels.names.clone() };
        Samples::part(features, labels, Missing::Refuse).map_err(|mut error| {
            error.place.row = error.place.row.map(|row| number(row as usize - 1) as u64 + 1);
            // Features are numbered without the label, columns with it.
            if let Some(Column::Number(feature)) = &mut error.place.column {
                *feature = self.features[*feature - 1] + 1;
            }
            error
        })
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        let mut payload = self.matrix.payload(Input::open(&self.source)?)?;
        // One block is folded, one waits, and one is read meanwhile.
        let (send, blocks) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for first in (0..self.matrix.rows).step_by(self.rows) {
                    let block = next_rows(&mut payload, &self.matrix, first, self.rows);
                    let failed = block.is_err();
                    if send.send((first, block)).is_err() || failed {
                        break;
                    }
                }
            });
            for (first, block) in blocks {
                let block = block?;
                let labels = self.labels.positive[first..first + block.rows()].to_vec();
                let samples = self.samples(block, labels, |row| first + row)?;
                let all = Block::whole(&samples, first);
                all.cut(rows_per_block(samples.features())).for_each(|block| seen.absorb(&block));
            }
            Ok(())
        })
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        let features = if self.matrix.number.fits_f32() {
            self.fetch_as::<f32>(rows)?.into()
        } else {
            self.fetch_as::<f64>(rows)?.into()
        };
        let labels = rows.iter().map(|&row| self.labels.positive[row]).collect();
        self.samples(features, labels, |row| rows[row])
    }

    fn fetch_as<T: Target>(&self, rows: &[usize]) -> Result<Dense<T>, Error> {
        let Source::File(path) = &self.source else {
            unreachable!("a file was opened");
        };
        let Matrix { number, columns, offset, .. } = self.matrix;
        let mut file = File::open(path)?;
        let mut bytes = vec![0; columns * number.bytes()];
        let mut values = vec![T::default(); rows.len() * columns];
        for (&row, out) in rows.iter().zip(values.chunks_mut(columns)) {
            assert!(row < self.matrix.rows, "a row of the array");
            let start = (row * bytes.len()) as u64;
            file.seek(SeekFrom::Start(offset as u64 + start))?;
            file.read_exact(&mut bytes).map_err(|error| match error.kind() {
                // It was whole when it was opened.
                ErrorKindIo::UnexpectedEof => too_short(self.matrix.bytes, start),
                _ => error.into(),
            })?;
            decode(number, &bytes, out).map_err(|error| later(error, row))?;
        }
        Ok(Dense::new(values, rows.len(), columns))
    }
}

fn decode<T: Target>(number: Number, bytes: &[u8], out: &mut [T]) -> Result<(), Error> {
    number.decode(bytes, out);
    number.require_exact(bytes, out, |k| (0, k))
}

/// Returns the labels in a column of the file.
fn labels_in_file(
    matrix: &Matrix,
    input: Input,
    column: usize,
    rows: usize,
) -> Result<LabelFile, Error> {
    let mut payload: Payload = matrix.payload(input)?;
    let mut labels = LabelFile::default();
    for first in (0..matrix.rows).step_by(rows) {
        let block = next_rows(&mut payload, matrix, first, rows)?;
        let some = labels_of_column(&block, column, Missing::Refuse);
        labels.append(some.map_err(|error| later(error, first))?);
    }
    Ok(labels)
}

impl Data for NpyFile {
    fn shape(&self) -> Shape {
        Shape { rows: self.matrix.rows, columns: self.features.len(), sparse: false }
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.matrix.rows as u64);
        NpyFile::pass(self, seen).map_err(|error| error.in_source(&self.source.name()))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        assert!(!rows.is_empty(), "a row to fetch");
        NpyFile::fetch(self, rows).map_err(|error| error.in_source(&self.source.name()))
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}
