//! Tables in files: opened once, in memory or on the disk, and decided as often as one likes.

use std::fs::{File, Metadata};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linsep::Samples;
use linsep::ask::{AskError, DataFacts};
use linsep::data::error::{Column, Place, path_name};
use linsep::data::read::{
    Categorical, ColumnChoice, Header, Loaded, ReadOptions, Room, Source, StreamOptions, Streamed,
    Where, load, read_classes,
};
use linsep::data::samples::{About, Classes, Encoded, LeftOut, Missing};
use linsep::data::{Absorb, Block, Data, Error, ErrorKind, Memory, Reads, Shape};
use linsep_report::summary::{Summary, TextPage};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::PyFailure;
use crate::voice::Pythonic;
use crate::work::{Wire, run};

/// How often someone who listens hears how many rows have been read.
const TELL: Duration = Duration::from_secs(1);

/// What an array that NumPy has saved begins with.
const NPY: &[u8; 6] = b"\x93NUMPY";

/// A table that has been opened.
pub struct OpenedTable {
    loaded: Loaded,
    /// The classes, where they are more than two and none was set against the others.
    classes: Option<Classes>,
    /// Where the table was read from, and the column of its labels.
    place: Place,
    /// The array that is read in place, and what it was when it was opened.
    mapped: Option<MappedStamp>,
}

impl OpenedTable {
    /// Returns what `work` makes of the rows. Errors if the file is not what it was.
    pub fn show<T>(
        &self,
        wire: &Wire,
        work: impl FnOnce(&dyn Data) -> Result<T, PyFailure>,
    ) -> Result<T, PyFailure> {
        self.mapped.as_ref().map_or(Ok(()), MappedStamp::check)?;
        if let Some(classes) = &self.classes {
            let (count, examples) = (classes.count(), classes.names().to_vec());
            let kind = ErrorKind::ManyClasses { count, examples };
            return Err(Error { kind, place: Box::new(self.place.clone()) }.into());
        }
        match &self.loaded {
            Loaded::Memory(samples) => work(&Memory::new(samples)),
            Loaded::Disk(rows) => work(&OneCall { rows, reads: Reads::default(), wire }),
        }
    }
}

impl OpenedTable {
    /// Returns how many classes there are.
    pub fn class_count(&self) -> usize {
        self.classes.as_ref().map_or(2, Classes::count)
    }

    /// Returns the rows of any number of classes, and these. Errors if they do not fit in memory.
    pub fn many(&self) -> Result<(Samples, Classes), PyFailure> {
        self.mapped.as_ref().map_or(Ok(()), MappedStamp::check)?;
        let found = self.loaded.show(|data| Ok::<_, Error>(data.gather()?.cloned()))?;
        let samples = found.ok_or(AskError::NeedsMemory("a question about many classes"))?;
        let classes = match &self.classes {
            Some(classes) => classes.clone(),
            None => {
                let names = samples.about().label_names.clone();
                let codes = samples.positive().iter().map(|&positive| u32::from(positive));
                Classes::of(vec![names.negative, names.positive], codes.collect())
            }
        };
        Ok((samples, classes))
    }
}

/// An opened table, as Python holds it.
#[pyclass(frozen, name = "Rows", module = "linsep._linsep")]
pub struct PyRows(pub Arc<OpenedTable>);

#[pymethods]
impl PyRows {
    /// Returns what the table is, for people.
    fn text(&self, name: &str, place: &str) -> String {
        let plain = |_, text: &str| text.to_string();
        let page = TextPage { width: Some(88), paint: &plain };
        self.summary(name, place).lay_out(&page).trim_end().to_string()
    }

    /// Returns the same for a notebook.
    fn html(&self, name: &str, place: &str) -> String {
        self.summary(name, place).html()
    }
}

impl PyRows {
    fn summary(&self, name: &str, place: &str) -> Summary {
        let facts = self.0.loaded.show(|data| DataFacts::of(data));
        let classes = self.0.classes.as_ref().map(Classes::names);
        linsep_report::text::table(&facts, classes, name, place, &Pythonic)
    }
}

/// Rows on the disk as one call sees them: it counts its own passes, whatever else is done with the
/// table, and is ended in the midst of one.
struct OneCall<'a> {
    rows: &'a Streamed,
    reads: Reads,
    wire: &'a Wire,
}

/// Hands blocks on until the work is cancelled.
struct Heeding<'a>(&'a dyn Absorb, &'a Wire);

impl Absorb for Heeding<'_> {
    fn absorb(&self, block: &Block<'_>) {
        self.1.heed();
        self.0.absorb(block);
    }
}

impl Data for OneCall<'_> {
    fn shape(&self) -> Shape {
        self.rows.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.shape().rows as u64);
        self.rows.pass(&Heeding(seen, self.wire))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.rows.fetch(rows)
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.rows.in_order(first, &mut |block| {
            self.wire.heed();
            self.reads.add(block.places().len() as u64);
            see(block)
        })
    }

    fn resident(&self) -> Option<&Samples> {
        self.rows.resident()
    }

    fn fits(&self) -> bool {
        self.rows.fits()
    }

    fn gather(&self) -> Result<Option<&Samples>, Error> {
        self.rows.gather()
    }

    fn about(&self) -> &Arc<About> {
        self.rows.about()
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

/// A file that is mapped, as it was. Streamed files are watched where they are read.
struct MappedStamp {
    path: PathBuf,
    was: Metadata,
}

impl MappedStamp {
    /// Returns the stamp of an array that NumPy has saved; none for any other file.
    fn of_array(path: &Path) -> Option<Self> {
        // To look into a pipe would take from it.
        let mut file = File::open(path.is_file().then_some(path)?).ok()?;
        let mut magic = [0; NPY.len()];
        file.read_exact(&mut magic).ok().filter(|()| magic == *NPY)?;
        Some(MappedStamp { path: path.to_path_buf(), was: file.metadata().ok()? })
    }

    fn check(&self) -> Result<(), PyFailure> {
        let name = path_name(&self.path);
        let now = self.path.metadata().map_err(|error| Error::from(error).in_source(&name))?;
        let same = now.len() == self.was.len() && now.modified().ok() == self.was.modified().ok();
        match same {
            true => Ok(()),
            false => Err(Error::from(ErrorKind::Changed).in_source(&name).into()),
        }
    }
}

/// A column: a number is counted from 1.
#[derive(FromPyObject)]
enum Pick {
    Number(usize),
    Name(String),
}

impl From<Pick> for ColumnChoice {
    fn from(pick: Pick) -> Self {
        match pick {
            Pick::Number(number) => ColumnChoice::Number(number),
            Pick::Name(name) => ColumnChoice::Name(name),
        }
    }
}

fn choices(picks: Vec<Pick>) -> Vec<ColumnChoice> {
    picks.into_iter().map(Into::into).collect()
}

/// "auto", "no", or columns.
#[derive(FromPyObject)]
enum Categories {
    Word(String),
    Columns(Vec<Pick>),
}

/// The options of `linsep.open`, whose types Python has seen to.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    label: Option<Pick>,
    positive: Option<String>,
    features: Option<Vec<Pick>>,
    exclude: Vec<Pick>,
    row_id: Option<Pick>,
    categorical: Categories,
    all_levels: bool,
    labels: Option<PathBuf>,
    missing: String,
    format: Option<String>,
    delimiter: Option<String>,
    header: Option<bool>,
    index_base: Option<i64>,
    stream: Option<bool>,
    cache_dir: Option<PathBuf>,
    cache_limit: Option<u64>,
    // For tests, which have small tables and much memory.
    block_bytes: Option<usize>,
    memory: Option<u64>,
}

impl Options {
    fn place(&self) -> Where {
        match self.stream {
            None => Where::Auto,
            Some(true) => Where::Disk,
            Some(false) => Where::Memory,
        }
    }

    fn stream(&self) -> StreamOptions {
        StreamOptions {
            cache_dir: self.cache_dir.clone(),
            cache_limit: self.cache_limit,
            block_bytes: self.block_bytes,
            memory: self.memory,
        }
    }

    /// Errors with the option that is out of its range.
    pub fn read(self) -> Result<ReadOptions, PyFailure> {
        let wrong = |name: &str, found: &dyn std::fmt::Debug, expected: &str| {
            PyFailure::Setting(format!("{name} is {found:?}; expected {expected}"))
        };
        let missing = match self.missing.as_str() {
            "refuse" => Missing::Refuse,
            "drop" => Missing::Drop,
            "mean" => Missing::Mean,
            "median" => Missing::Median,
            other => {
                let expected = "\"refuse\", \"drop\", \"mean\" or \"median\"";
                return Err(wrong("missing", &other, expected));
            }
        };
        let delimiter = match self.delimiter.as_ref().map(|text| (text, text.as_bytes())) {
            None => None,
            Some((_, [byte])) => Some(*byte),
            Some((text, _)) => return Err(wrong("delimiter", text, "one ASCII character")),
        };
        let index_base = match self.index_base {
            None => None,
            Some(base @ (0 | 1)) => Some(base as u8),
            Some(base) => return Err(wrong("index_base", &base, "0 or 1, or None")),
        };
        let expected = "\"csv\", \"tsv\", \"libsvm\", \"npy\", \"parquet\" or \"arrow\"";
        let format = |name: String| name.parse().map_err(|_| wrong("format", &name, expected));
        Ok(ReadOptions {
            format: self.format.map(format).transpose()?,
            label: self.label.map(Into::into),
            positive: self.positive,
            features: self.features.map(choices),
            exclude: choices(self.exclude),
            row_id: self.row_id.map(Into::into),
            categorical: match self.categorical {
                Categories::Word(word) if word == "auto" => Categorical::Auto,
                Categories::Word(_) => Categorical::No,
                Categories::Columns(columns) => Categorical::Columns(choices(columns)),
            },
            all_levels: self.all_levels,
            labels: self.labels,
            header: match self.header {
                None => Header::Auto,
                Some(true) => Header::Yes,
                Some(false) => Header::No,
            },
            delimiter,
            index_base,
            missing,
            ..ReadOptions::default()
        })
    }
}

/// Returns an opened table, and what is known of it.
#[pyfunction]
#[pyo3(signature = (path, options, progress=None))]
pub fn open_table<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: Options,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(PyRows, Bound<'py, PyDict>)> {
    let (place, stream) = (options.place(), options.stream());
    let options = options.read()?;
    let (table, room) = run(py, progress, move |wire| {
        let before = MappedStamp::of_array(&path);
        let told = Mutex::new(Instant::now());
        let count = |rows: u64| {
            wire.heed();
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() >= TELL {
                *told = Instant::now();
                wire.say(|| format!("{rows} rows read"));
            }
        };
        let source = Source::File(path);
        let found = load(&source, &options, place, &stream, &count);
        let (loaded, classes, room, place) = match found {
            Ok((loaded, room)) => (loaded, None, room, Place::default()),
            // Some questions are about all of them.
            Err(error) if matches!(error.kind, ErrorKind::ManyClasses { .. }) => {
                let (samples, classes) = read_classes(&source, &options, &count)?;
                (Loaded::Memory(Box::new(samples)), Some(classes), None, *error.place)
            }
            Err(error) => return Err(error.into()),
        };
        let mapped = before.filter(|_| matches!(loaded, Loaded::Memory(_)));
        Ok((OpenedTable { loaded, classes, place, mapped }, room))
    })?;
    let about = table.loaded.show(|data| describe(py, data))?;
    if let Some(classes) = &table.classes {
        about.set_item("classes", PyTuple::new(py, classes.names())?)?;
    }
    about.set_item("on_disk", matches!(table.loaded, Loaded::Disk(_)))?;
    about.set_item("room", room.map(|Room { needed, free }| (needed, free)))?;
    Ok((PyRows(Arc::new(table)), about))
}

fn describe<'py>(py: Python<'py>, data: &dyn Data) -> PyResult<Bound<'py, PyDict>> {
    let (Shape { rows, columns, .. }, about) = (data.shape(), data.about());
    let dict = PyDict::new(py);
    dict.set_item("rows", rows)?;
    dict.set_item("features", columns)?;
    dict.set_item("feature_names", &about.feature_names)?;
    dict.set_item("classes", (about.label(false), about.label(true)))?;
    let label = about.label_column.as_ref().map(|column| column_of(py, column)).transpose()?;
    dict.set_item("label", label)?;
    dict.set_item("dropped", about.dropped)?;
    dict.set_item("filled", about.filled)?;
    let kept = (!about.rows.is_all()).then(|| {
        let mut kept = vec![false; rows + about.dropped];
        (0..rows).for_each(|row| kept[about.rows.in_file(row)] = true);
        PyArray1::from_vec(py, kept)
    });
    dict.set_item("kept", kept)?;
    let left_out = PyDict::new(py);
    for column in &about.left_out {
        left_out.set_item(column_of(py, &column.column)?, reason(column))?;
    }
    dict.set_item("left_out", left_out)?;
    let levels = PyDict::new(py);
    for encoded in about.encoding.iter().flat_map(|encoding| &encoding.columns) {
        if let Encoded::Category { column, levels: words, .. } = encoded {
            levels.set_item(column, words)?;
        }
    }
    dict.set_item("levels", levels)?;
    Ok(dict)
}

/// Returns the name of a column or, where it has none, its number from 1.
fn column_of<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyAny>> {
    Ok(match column {
        Column::Name(name) => name.into_pyobject(py)?.into_any(),
        Column::Number(number) => number.into_pyobject(py)?.into_any(),
    })
}

/// Returns why a column is not a feature.
fn reason(left_out: &LeftOut) -> String {
    let text = left_out.to_string();
    let column = format!("column {}: ", left_out.column);
    text.strip_prefix(&column).unwrap_or(&text).to_string()
}
