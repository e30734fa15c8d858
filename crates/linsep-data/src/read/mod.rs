//! Reads labelled rows from a file or from standard input.
//!
//! In reading order: `source` opens and decompresses, `format` says what the bytes are, `text`
//! cuts text into chunks that are parsed in parallel and taken in order by `csv` and `libsvm`,
//! and `npy` maps or converts arrays. `columns`, `cell` and `labels` are what they share.

mod cell;
#[cfg(feature = "columnar")]
mod columnar;
mod columns;
mod compression;
mod csv;
mod format;
mod labels;
mod libsvm;
mod npy;
mod source;
mod text;

use std::path::PathBuf;

pub use columns::ColumnChoice;
pub use format::Format;
pub use npy::NpyFile;
pub use source::Source;

use crate::error::{Error, ErrorKind};
use crate::samples::{Features, Missing, Samples};
use labels::LabelFile;
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
    /// A file of labels, npy or one per line; then all columns are features.
    pub labels: Option<PathBuf>,
    /// Whether the first row of CSV or TSV names the columns.
    pub header: Header,
    /// What stands between two cells; by default a comma or, for TSV, a tab.
    pub delimiter: Option<u8>,
    /// The number of the first feature in libsvm data, 0 or 1; by default 0 if it occurs, else 1.
    pub index_base: Option<u8>,
    /// What to do with rows in which a value is missing, NaN or infinite.
    pub missing: Missing,
}

impl ReadOptions {
    /// Returns the byte between two cells of delimited text.
    fn delimiter(&self, format: Format) -> u8 {
        self.delimiter.unwrap_or(if format == Format::Tsv { b'\t' } else { b',' })
    }
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
/// use linsep_data::read::{ReadOptions, Source, read};
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
    let labels =
        options.labels.as_deref().map(|path| LabelFile::read(path, options.missing)).transpose()?;
    Input::open(source)
        .and_then(|input| {
            let format = choose_format(source, &input, options)?;
            match format {
                Format::Npy => npy::read(input, source, options, labels, progress),
                Format::Parquet | Format::Arrow => Err(without_columns(format)),
                Format::Libsvm => {
                    let chunks = Chunks::new(input.into_text(), Boundary::line(), CHUNK_BYTES);
                    libsvm::read(chunks, options, labels, progress)
                }
                Format::Csv | Format::Tsv => {
                    let delimiter = options.delimiter(format);
                    let boundary = Boundary::record(delimiter);
                    let chunks = Chunks::new(input.into_text(), boundary, CHUNK_BYTES);
                    csv::read(chunks, delimiter, options, labels, progress)
                }
            }
        })
        .map_err(|error| error.in_source(&source.name()))
}

/// What a model expects of the rows it is given.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The number of features.
    pub features: usize,
    /// Their names, if the model was trained on data with names.
    pub names: Option<&'a [String]>,
    /// The number of the first feature in libsvm data, unless the options say otherwise.
    pub index_base: u8,
}

/// Consecutive rows of a stream.
pub struct Block {
    /// Their features.
    pub features: Features,
    /// Their numbers among the data rows, counted from 1; dropped rows leave gaps.
    pub rows: Vec<u64>,
}

/// What a stream was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// The number of rows that were handed on.
    pub rows: u64,
    /// The number of rows that were left out for missing values.
    pub dropped: u64,
}

/// Returns how many rows there were, after handing them to `each` in blocks, in order.
///
/// Labels are not needed, and ignored where they are found. Memory is that of a few blocks, unless
/// the source is an npy array in Fortran order, which has to be read whole.
///
/// With a header and expected names, columns are picked by name. Otherwise `options.features`
/// says which, or all are taken, or all but the label if there is one column too many.
///
/// Errors as [`read`] does, if the features do not fit those expected, and if `each` does.
pub fn stream(
    source: &Source,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(Block) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    Input::open(source)
        .and_then(|input| {
            let format = choose_format(source, &input, options)?;
            match format {
                Format::Npy => npy::stream(input, options, expected, each),
                Format::Parquet | Format::Arrow => Err(without_columns(format)),
                Format::Libsvm => {
                    let chunks = Chunks::new(input.into_text(), Boundary::line(), CHUNK_BYTES);
                    libsvm::stream(chunks, options, expected, each)
                }
                Format::Csv | Format::Tsv => {
                    let delimiter = options.delimiter(format);
                    let boundary = Boundary::record(delimiter);
                    let chunks = Chunks::new(input.into_text(), boundary, CHUNK_BYTES);
                    csv::stream(chunks, delimiter, options, expected, each)
                }
            }
        })
        .map_err(|error| error.in_source(&source.name()))
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
    match options.format.or_else(by_extension) {
        Some(format) => Ok(format),
        None => Format::by_content(input.head()),
    }
}

/// Returns why columns cannot be read here.
fn without_columns(format: Format) -> Error {
    let found = format!("{format} files in this build");
    let expected = "a build with the feature \"columnar\"";
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
