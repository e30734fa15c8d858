//! Parquet and Arrow files: columns to rows, part by part.
//!
//! In reading order: `paths` finds the part files, `schema` says what their columns hold, `parquet`
//! and `arrow` decode a part, `rows` turns its columns into rows, by `values` and `texts`. `batch` does so with
//! columns that someone else has decoded.

mod arrow;
mod batch;
mod parquet;
mod paths;
mod rows;
mod schema;
mod table;
#[cfg(test)]
mod tests;
mod texts;
mod values;

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use batch::batch_features;
pub(crate) use paths::part_files;
pub(crate) use schema::ColumnKind;
pub(crate) use table::{ColumnarTable, PickedFiles};
pub(crate) use texts::Texts;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use linsep_data::error::{Column, Error, ErrorKind, path_name};

use super::Format;
use rows::{Misplaced, Plan};
use schema::SchemaColumns;

/// Rows that are decoded to find out how long the lists of a column are.
const FIRST_ROWS: usize = 1 << 10;

/// Part files of one schema.
pub(crate) struct Files {
    files: Vec<PartFile>,
    columns: SchemaColumns,
    parts: Vec<FilePart>,
    /// Rows of each part.
    rows: Vec<usize>,
}

/// A file as it was when it was opened.
struct PartFile {
    path: PathBuf,
    stamp: FileStamp,
    contents: FileContents,
}

enum FileContents {
    Parquet(parquet::Footer),
    Arrow(arrow::ArrowContents),
}

/// Where a part is.
struct FilePart {
    file: usize,
    /// Which part of the file it is.
    number: usize,
    /// Rows before it in the file.
    before: usize,
}

/// Size and time of the last change.
#[derive(PartialEq)]
struct FileStamp(u64, Option<SystemTime>);

/// Which columns are decoded, counted from 0 in the order of [`Files::names`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// The columns that become numbers.
    pub numbers: Vec<usize>,
    /// The columns that become text: text, or numbers as a CSV file spells them.
    pub texts: Vec<usize>,
}

/// Consecutive rows of a part, or of those of its rows that were asked for.
pub(crate) struct Batch {
    /// The number of the first row, counted from 0 among the part's rows or those asked for.
    pub first: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The numbers of each row, row after row.
    pub numbers: Numbers,
    /// The columns of text.
    pub texts: Vec<Texts>,
}

/// Numbers row after row; a null is NaN.
#[derive(Debug)]
pub(crate) enum Numbers {
    /// Where f32 holds all that the columns can hold.
    F32(Vec<f32>),
    /// Elsewhere.
    F64(Vec<f64>),
}

impl Files {
    /// Returns the files; only their ends have been read.
    ///
    /// Errors if one cannot be opened, is damaged, or has other columns than the first.
    pub(crate) fn open(paths: &[PathBuf], format: Format) -> Result<Self, Error> {
        let files = paths.iter().map(|path| {
            PartFile::open(path, format).map_err(|error| error.in_source(&path_name(path)))
        });
        let files: Vec<PartFile> = files.collect::<Result<_, _>>()?;
        let first = files.first().ok_or(ErrorKind::NoFiles)?;
        let columns = SchemaColumns::new(first.schema(), |root| list_length(&files, root))?;
        for file in &files[1..] {
            if let Some((k, expected, found)) = columns.difference(file.schema()) {
                let first = path_name(&first.path);
                let kind = ErrorKind::OtherColumns { number: k + 1, found, expected, first };
                return Err(Error::from(kind).in_source(&path_name(&file.path)));
            }
        }
        let (mut parts, mut rows) = (vec![], vec![]);
        for (k, file) in files.iter().enumerate() {
            let mut before: usize = 0;
            for (number, more) in file.parts()?.into_iter().enumerate() {
                parts.push(FilePart { file: k, number, before });
                rows.push(more);
                before = before.checked_add(more).ok_or_else(|| {
                    let what = format!("a part claims {more} rows");
                    Error::from(ErrorKind::Damaged { what }).in_source(&path_name(&file.path))
                })?;
            }
        }
        Ok(Files { files, columns, parts, rows })
    }

    /// Returns the names of the columns; a list `e` is spread to `e[0]`, `e[1]`, ….
    pub(crate) fn names(&self) -> &[String] {
        &self.columns.names
    }

    /// Returns what the columns hold.
    pub(crate) fn kinds(&self) -> &[ColumnKind] {
        &self.columns.kinds
    }

    /// Returns the number of rows of each part, over all files in order.
    pub(crate) fn parts(&self) -> &[usize] {
        &self.rows
    }

    /// Returns how many rows of its file come before a part.
    pub(crate) fn rows_before(&self, part: usize) -> usize {
        self.parts[part].before
    }

    /// Returns about how many bytes the part that takes the most takes while it is decoded.
    pub(crate) fn memory(&self, wanted: &Wanted) -> u64 {
        let plan = Plan::new(&self.columns, wanted);
        let of_part = |part: &FilePart| match &self.files[part.file].contents {
            FileContents::Parquet(footer) => footer.memory(part.number, plan.roots()),
            FileContents::Arrow(contents) => contents.memory(part.number),
        };
        self.parts.iter().map(of_part).max().unwrap_or(0)
    }

    /// Errors if a file has changed, or is gone.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.files.iter().try_for_each(|file| {
            let opened = File::open(&file.path).map_err(Error::from);
            opened
                .and_then(|opened| file.check_unchanged(&opened))
                .map_err(|error| error.in_source(&path_name(&file.path)))
        })
    }

    /// Decodes a part and hands on its batches in order; with `rows`, which rise, only these rows.
    ///
    /// Errors if the file has changed or is damaged, if a value cannot be a number, and if `each`
    /// does. The row of an error counts from 1 within the file.
    ///
    /// # Panics
    /// If a wanted column is of another kind, or a row is not in the part.
    pub(crate) fn read(
        &self,
        part: usize,
        wanted: &Wanted,
        rows: Option<&[usize]>,
        each: &mut dyn FnMut(Batch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let FilePart { file, number, before } = self.parts[part];
        let file = &self.files[file];
        let expected = rows.map_or(self.rows[part], <[usize]>::len);
        let plan = Plan::new(&self.columns, wanted);
        let mut first = 0;
        let result = file.decode(number, plan.roots(), plan.rows_per_batch(), rows, &mut |roots| {
            let batch = plan.batch(first, &roots).map_err(|Misplaced { root, fault }| {
                let at = first + fault.at;
                let row = before + rows.map_or(at, |rows| rows[at]);
                let column = Column::Name(self.columns.roots[root].name.clone());
                fault.kind.at_row(row as u64 + 1).in_column(column)
            })?;
            first += batch.rows;
            each(batch)
        });
        let result = result.and_then(|()| match first == expected {
            true => Ok(()),
            false => {
                let what = format!("expected {expected} rows in a part, found {first}");
                Err(ErrorKind::Damaged { what }.into())
            }
        });
        result.map_err(|error| error.in_source(&path_name(&file.path)))
    }
}

impl PartFile {
    fn open(path: &Path, format: Format) -> Result<Self, Error> {
        let mut file = File::open(path)?;
        let stamp = FileStamp::of(&file.metadata()?);
        let contents = match format {
            Format::Parquet => FileContents::Parquet(guarded(|| parquet::Footer::read(&file))?),
            _ => FileContents::Arrow(guarded(|| arrow::ArrowContents::read(&mut file))?),
        };
        Ok(PartFile { path: path.to_path_buf(), stamp, contents })
    }

    fn schema(&self) -> &SchemaRef {
        match &self.contents {
            FileContents::Parquet(footer) => footer.schema(),
            FileContents::Arrow(contents) => contents.schema(),
        }
    }

    fn parts(&self) -> Result<Vec<usize>, Error> {
        match &self.contents {
            FileContents::Parquet(footer) => footer.parts(),
            FileContents::Arrow(contents) => Ok(contents.parts().to_vec()),
        }
    }

    /// Decodes roots of a part, `at_once` rows at a time; only `rows` if they are given.
    fn decode(
        &self,
        part: usize,
        roots: &[usize],
        at_once: usize,
        rows: Option<&[usize]>,
        each: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let file = File::open(&self.path)?;
        self.check_unchanged(&file)?;
        let same = file.try_clone()?;
        let result = match &self.contents {
            FileContents::Parquet(footer) => footer.decode(file, part, roots, at_once, rows, each),
            FileContents::Arrow(contents) => {
                contents.decode(file, part, roots, at_once, rows, each)
            }
        };
        // What a file seems to be wrong about may be that it was changed meanwhile.
        self.check_unchanged(&same)?;
        result
    }

    fn check_unchanged(&self, file: &File) -> Result<(), Error> {
        match FileStamp::of(&file.metadata()?) == self.stamp {
            true => Ok(()),
            false => Err(ErrorKind::Changed.into()),
        }
    }
}

impl FileStamp {
    fn of(metadata: &Metadata) -> Self {
        FileStamp(metadata.len(), metadata.modified().ok())
    }
}

thread_local! {
    /// Whether this thread decodes a file that may be damaged.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Returns what the decoders of a format return. They may panic over damaged files, which is an error
/// like any other.
fn guarded<T>(decode: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let before = DECODING.replace(true);
    let decoded = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(before);
    decoded.unwrap_or_else(|_| {
        let what = "its parts contradict each other".to_string();
        Err(ErrorKind::Damaged { what }.into())
    })
}

/// Keeps the process from printing that a decoder panicked, since that becomes an error with the name of the file. It changes
/// the panic hook of the whole process, so it is for programs to call, once, at their start.
pub fn hush_decoders() {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if !DECODING.get() {
            hook(panic);
        }
    }));
}

/// Returns the length of the first list of a column, or `None` if there is none.
fn list_length(files: &[PartFile], root: usize) -> Result<Option<usize>, Error> {
    for file in files {
        for part in 0..file.parts()?.len() {
            let mut length = None;
            let decoded = file.decode(part, &[root], FIRST_ROWS, None, &mut |roots| {
                length = values::first_list_length(roots.column(0));
                // An error is the way out before the end of the part.
                if length.is_some() { Err(ErrorKind::Empty.into()) } else { Ok(()) }
            });
            if length.is_some() {
                return Ok(length);
            }
            decoded.map_err(|error| error.in_source(&path_name(&file.path)))?;
        }
    }
    Ok(None)
}

/// Decodes all numbers of the files that a path stands for, one part after the other, and returns how
/// many there are: what the benchmark times.
///
/// Errors as [`Files::open`] and [`Files::read`] do.
pub(crate) fn count_numbers(path: &Path) -> Result<usize, Error> {
    let paths = part_files(path)?.unwrap_or_else(|| vec![path.to_path_buf()]);
    let format = Format::by_extension(&paths[0]).unwrap_or(Format::Parquet);
    let files = Files::open(&paths, format)?;
    let is_number = |&column: &usize| files.kinds()[column] == ColumnKind::Number;
    let numbers = (0..files.names().len()).filter(is_number).collect();
    let wanted = Wanted { numbers, texts: vec![] };
    let mut count = 0;
    for part in 0..files.parts().len() {
        files.read(part, &wanted, None, &mut |batch| {
            count += match std::hint::black_box(batch.numbers) {
                Numbers::F32(values) => values.len(),
                Numbers::F64(values) => values.len(),
            };
            Ok(())
        })?;
    }
    Ok(count)
}
