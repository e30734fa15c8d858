//! Labelled rows in and out: every format that linsep reads, and the few that it writes.
//!
//! [`read`] brings rows into memory, [`Streamed`] leaves them on the disk, [`load`] chooses between the two;
//! [`write`](mod@write) puts rows out, in a [`whole_file`] or none, and [`overwrite`] sees to it that no output
//! lands on an input. What a row is says [`linsep_data`].
//!
//! In reading order: `source` opens and decompresses, `format` says what the bytes are (`foreign` what they are
//! if they cannot be read, `delimiter` what stands between cells), `text`
//! cuts text into chunks that are parsed in parallel and taken in order by `csv` and `libsvm`,
//! and `npy` maps or converts arrays. `columns`, `survey`, `cell` and `labels` are what they share.
//!
//! Every format is a `TableReader` that hands on `piece`s of raw rows. `gather` puts them together in
//! memory, `encoder` makes features of them, `fill` finds what stands for missing numbers, and `predict` hands
//! them on to a model. `streamed` leaves rows on the disk, for tables larger than memory, `cache` is the
//! form in which it keeps text, and `load` chooses between memory and disk. `meter` tells how far reading has
//! come.
//!
//! ## Features
//!
//! - `compression` (on by default): reads what gzip, zstd, xz and bzip2 have compressed.
//! - `columnar`: reads Parquet and Arrow files.

mod cache;
mod cell;
#[cfg(feature = "columnar")]
mod columnar;
mod columns;
mod compression;
mod csv;
mod delimiter;
mod encoder;
mod fill;
mod foreign;
mod format;
mod gather;
mod labels;
mod libsvm;
mod load;
mod meter;
mod npy;
pub mod overwrite;
mod piece;
mod predict;
mod source;
mod stamp;
mod streamed;
mod survey;
mod text;
pub mod whole_file;
pub mod write;

use std::path::PathBuf;

pub use cell::stands_for_missing;
#[cfg(feature = "columnar")]
pub use columnar::{batch_features, hush_decoders};
pub use columns::{ColumnChoice, LABEL_NAMES};
pub use gather::Outcomes;
pub use linsep_data::error::{Foreign, Format};
pub use load::{Loaded, Room, Where, load};
pub use meter::Meter;
pub use predict::{Expected, FeatureBlock, StreamSummary, Unknown, stream};
pub use source::Source;
pub use streamed::{StreamOptions, Streamed};

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::{Classes, Missing, Samples};

use csv::CsvTable;
use gather::Gather;
use labels::LabelFile;
use libsvm::LibsvmTable;
use piece::{Piece, RawLayout};
use source::Input;
use text::{Boundary, Chunks};

/// Bytes of text that are parsed as one task.
const CHUNK_BYTES: usize = 1 << 20;

/// Whether the first row of a CSV or TSV file names the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It does unless a cell in it is a number or stands for a missing one.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Which columns are categories: one feature per level of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Categorical {
    /// Those of text.
    #[default]
    Auto,
    /// None: text is refused.
    No,
    /// These.
    Columns(Vec<ColumnChoice>),
}

/// How data are to be read. The default finds out what it can from the data.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; by default by the extension, else by the content.
    pub format: Option<Format>,
    /// The label column; by default one called label, class, target or y, else the last.
    pub label: Option<ColumnChoice>,
    /// The positive label; by default the larger of the two.
    pub positive: Option<String>,
    /// The feature columns, in this order; by default all but the label.
    pub features: Option<Vec<ColumnChoice>>,
    /// Columns that are not features.
    pub exclude: Vec<ColumnChoice>,
    /// The column that names the rows; by default rows are numbered.
    pub row_id: Option<ColumnChoice>,
    /// Which columns are categories.
    pub categorical: Categorical,
    /// Whether the first level of a category has a feature too; by default it is where all others are 0.
    pub all_levels: bool,
    /// A file of labels, npy or one per line; then all columns are features.
    pub labels: Option<PathBuf>,
    /// Whether the first row of CSV or TSV names the columns.
    pub header: Header,
    /// What stands between two cells, any number of times if it is a space; by default a tab for TSV, else what
    /// fits the first records best: a comma, tab, semicolon, pipe or space.
    pub delimiter: Option<u8>,
    /// The number of the first feature in libsvm data, 0 or 1; by default 0 if it occurs, else 1.
    pub index_base: Option<u8>,
    /// What to do with values that are missing, NaN or infinite.
    pub missing: Missing,
    /// What a model does with a level that it does not know.
    pub unknown: Unknown,
    /// Is told how far reading has come.
    pub meter: Meter,
}

/// Returns the labelled rows of a source. `progress` is given the number of rows read so far.
///
/// Text is parsed on all threads, in memory for the values and a few chunks of text; npy files in
/// native byte order are mapped, and must not be changed while the samples are in use. The result is the same for any number of
/// threads, and so is the error: the first in the file.
///
/// Errors if the source cannot be opened or is damaged, if a row cannot be understood, and as
/// [`Samples::new`] does; the error names the source and the line or row.
///
/// ```
/// use linsep_read::{ReadOptions, Source, read};
///
/// let path = std::env::temp_dir().join(format!("linsep-doc-{}.csv", std::process::id()));
/// std::fs::write(&path, "age,label\n100,no\n101,yes\n")?;
/// let samples = read(&Source::from(path.as_path()), &ReadOptions::default(), &|_rows| {})?;
/// assert_eq!(samples.feature_names().unwrap(), ["age"]);
/// assert_eq!(samples.positive(), [false, true]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(
    source: &Source,
    options: &ReadOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    Opened::open(source, options)
        .and_then(|opened| {
            let labels = label_file(source, &opened, options)?;
            match opened {
                Opened::Bytes(input, Format::Npy) => npy::read(input, options, labels, progress),
                opened => {
                    let mut table = opened.table(options, labels.is_some())?;
                    gather(&mut *table, options, labels, progress)
                }
            }
        })
        .map_err(|error| error.in_source(&source.name()))
}

/// Returns the rows of a source with an outcome of any kind in the place of two labels.
///
/// Errors as [`read`] does, except about classes.
pub fn read_outcomes(
    source: &Source,
    options: &ReadOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Outcomes, Error> {
    Opened::open(source, options)
        .and_then(|opened| {
            let labels = label_file(source, &opened, options)?;
            if let Opened::Bytes(input, Format::Npy) = opened {
                return npy::outcomes(input, options, labels, progress);
            }
            let mut table = opened.table(options, labels.is_some())?;
            let layout = table.layout().clone();
            let mut rows = Gather::new(&layout);
            table.pieces(&mut |piece| {
                progress(rows.take(piece)?);
                Ok(())
            })?;
            rows.outcomes(labels, options).map_err(|error| name_label(error, &layout))
        })
        .map_err(|error| error.in_source(&source.name()))
}

/// Returns the rows of a source, and the classes that their labels make: two or more.
///
/// Errors as [`read`] does.
pub fn read_classes(
    source: &Source,
    options: &ReadOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(Samples, Classes), Error> {
    let Outcomes { samples, outcomes } = read_outcomes(source, options, progress)?;
    let classes = Classes::new(&outcomes).map_err(|error| {
        let column = samples.about().label_column.clone();
        let error = column.into_iter().fold(error, Error::in_column);
        error.in_source(&source.name())
    })?;
    Ok((samples, classes))
}

/// Returns the line of a CSV or TSV file at which a data row starts, rows counted from 1 as in the file; none if the source
/// has no lines or cannot be read again. Reads it up to there: for an error that was found after reading.
pub fn line_of_row(source: &Source, options: &ReadOptions, row: u64) -> Option<u64> {
    match source {
        Source::File(path) if path.is_file() => {}
        _ => return None,
    }
    match Opened::open(source, options).ok()? {
        Opened::Bytes(input, format @ (Format::Csv | Format::Tsv)) => {
            let (chunks, delimiter) = delimited(input, format, options).ok()?;
            csv::line_of_row(chunks, delimiter, options.header, row).ok()?
        }
        _ => None,
    }
}

/// A source whose format is known.
enum Opened {
    /// Bytes of one format.
    Bytes(Input, Format),
    /// Parquet or Arrow files.
    #[cfg(feature = "columnar")]
    Columns(columnar::Files),
}

impl Opened {
    /// Opens a source. Errors if it cannot be opened, or is of a kind that cannot be read.
    fn open(source: &Source, options: &ReadOptions) -> Result<Self, Error> {
        let opened = Self::choose(source, options)?;
        match &opened {
            Opened::Bytes(input, Format::Npy) => {
                // What is wrong with the array is said when it is read.
                let rows = npy::NpyMatrix::of(input).map_or(0, |matrix| matrix.rows());
                options.meter.expect_rows(rows as u64);
            }
            Opened::Bytes(..) => {}
            #[cfg(feature = "columnar")]
            Opened::Columns(files) => {
                options.meter.expect_rows(files.parts().iter().map(|&rows| rows as u64).sum());
            }
        }
        Ok(opened)
    }

    fn choose(source: &Source, options: &ReadOptions) -> Result<Self, Error> {
        #[cfg(feature = "columnar")]
        if let Source::File(path) = source
            && let Some(paths) = columnar::part_files(path)?
        {
            let format = options.format.or_else(|| Format::by_extension(&paths[0]));
            let format = format.unwrap_or(Format::Parquet);
            return Ok(Opened::Columns(columnar::Files::open(&paths, format)?));
        }
        let input = Input::open(source, &options.meter)?;
        let format = choose_format(source, &input, options)?;
        match (format, source) {
            #[cfg(feature = "columnar")]
            (Format::Parquet | Format::Arrow, Source::File(path)) if !source.is_read_once() => {
                Ok(Opened::Columns(columnar::Files::open(std::slice::from_ref(path), format)?))
            }
            (Format::Parquet | Format::Arrow, _) => Err(without_columns(format)),
            _ => Ok(Opened::Bytes(input, format)),
        }
    }

    /// Returns the table to train on.
    fn table(
        self,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Box<dyn TableReader>, Error> {
        Ok(match self {
            Opened::Bytes(input, Format::Npy) => {
                Box::new(npy::NpyTable::open(input, options, labels_elsewhere)?)
            }
            Opened::Bytes(input, Format::Libsvm) => {
                let chunks = Chunks::new(input.into_text(), Boundary::line(), CHUNK_BYTES);
                Box::new(LibsvmTable::open(chunks, options, labels_elsewhere)?)
            }
            Opened::Bytes(input, format) => {
                let (chunks, delimiter) = delimited(input, format, options)?;
                Box::new(CsvTable::open(chunks, delimiter, options, labels_elsewhere)?)
            }
            #[cfg(feature = "columnar")]
            Opened::Columns(files) => {
                Box::new(columnar::ColumnarTable::open(files, options, labels_elsewhere)?)
            }
        })
    }

    /// Returns the table with the columns that a model expects.
    fn expecting(
        self,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<Box<dyn TableReader>, Error> {
        Ok(match self {
            Opened::Bytes(input, Format::Npy) => {
                Box::new(npy::NpyTable::expecting(input, options, expected)?)
            }
            Opened::Bytes(input, Format::Libsvm) => {
                let chunks = Chunks::new(input.into_text(), Boundary::line(), CHUNK_BYTES);
                Box::new(LibsvmTable::expecting(chunks, options, expected)?)
            }
            Opened::Bytes(input, format) => {
                let (chunks, delimiter) = delimited(input, format, options)?;
                Box::new(CsvTable::expecting(chunks, delimiter, options, expected)?)
            }
            #[cfg(feature = "columnar")]
            Opened::Columns(files) => {
                Box::new(columnar::ColumnarTable::expecting(files, options, expected)?)
            }
        })
    }
}

/// Returns delimited text in chunks, and what stands between two cells.
///
/// Errors if it is text of another format.
fn delimited(input: Input, format: Format, options: &ReadOptions) -> Result<(Chunks, u8), Error> {
    let delimiter = match (options.delimiter, format) {
        (Some(delimiter), _) => delimiter,
        (None, Format::Tsv) => b'\t',
        (None, _) => {
            let guessed = delimiter::guess(input.head(), input.is_whole());
            if guessed == b' ' && format::is_libsvm(input.head()) {
                return Err(ErrorKind::Foreign(Foreign::Misnamed(Format::Libsvm)).into());
            }
            guessed
        }
    };
    let boundary = Boundary::record(delimiter);
    Ok((Chunks::new(input.into_text(), boundary, CHUNK_BYTES), delimiter))
}

/// Returns why columns cannot be read here.
fn without_columns(format: Format) -> Error {
    let found = format!("{format} data here");
    let expected = match cfg!(feature = "columnar") {
        true => "a file: its end is read first",
        false => "a build with the feature \"columnar\"",
    };
    ErrorKind::Unsupported { found, expected }.into()
}

/// Decodes all numbers of Parquet or Arrow files and returns how many there are, for benchmarks.
///
/// Errors if a file cannot be read.
#[cfg(feature = "columnar")]
#[doc(hidden)]
pub fn count_numbers(path: &std::path::Path) -> Result<usize, Error> {
    columnar::count_numbers(path)
}

/// Returns the samples of a table, with their labels from a file if there is one.
fn gather(
    table: &mut dyn TableReader,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    let layout = table.layout().clone();
    let mut rows = Gather::new(&layout);
    table.pieces(&mut |piece| {
        progress(rows.take(piece)?);
        Ok(())
    })?;
    rows.finish(labels, options).map_err(|error| name_label(error, &layout))
}

/// A table that is read once, from its beginning to its end.
trait TableReader {
    /// Returns its raw columns.
    fn layout(&self) -> &RawLayout;

    /// Hands all rows on, in order. Errors if there are none, if they cannot be read, and if `take` does.
    fn pieces(&mut self, take: &mut dyn FnMut(Piece) -> Result<(), Error>) -> Result<(), Error>;
}

/// Returns the labels that stand in a file of their own: the one that was named, or the one beside an
/// array.
fn label_file(
    source: &Source,
    opened: &Opened,
    options: &ReadOptions,
) -> Result<Option<LabelFile>, Error> {
    let beside = || match opened {
        Opened::Bytes(_, Format::Npy) if options.label.is_none() => npy::labels_beside(source),
        _ => None,
    };
    let path = options.labels.clone().or_else(beside);
    path.map(|path| LabelFile::read(&path, options)).transpose()
}

/// Returns an error about the classes with the column that the labels come from.
fn name_label(error: Error, layout: &RawLayout) -> Error {
    let of_labels = matches!(
        error.kind,
        ErrorKind::OneClass { .. } | ErrorKind::ManyClasses { .. } | ErrorKind::NoSuchLabel { .. }
    );
    match &layout.label {
        Some(column) if of_labels => error.in_column(column.clone()),
        _ => error,
    }
}

/// Returns the format by the options, else the extension, else the content.
fn choose_format(source: &Source, input: &Input, options: &ReadOptions) -> Result<Format, Error> {
    if input.head().is_empty() {
        return Err(ErrorKind::Empty.into());
    }
    let by_extension = || match source {
        Source::File(path) => Format::by_extension(path),
        Source::Stdin => None,
    };
    let format = options.format.or_else(by_extension);
    let foreign = match format {
        Some(format) if !format.is_text() => foreign::in_place_of(format, input.head()),
        None if format::by_magic(input.head()).is_some() => None,
        _ => foreign::in_place_of_text(input.head()),
    };
    match (foreign, format) {
        (Some(foreign), _) => Err(ErrorKind::Foreign(foreign).into()),
        (None, Some(format)) => Ok(format),
        (None, None) => Ok(format::by_content(input.head(), input.is_whole())),
    }
}
