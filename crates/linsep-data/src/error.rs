//! What can be wrong with data, and where.

mod format;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use format::{Foreign, Format, without_compression};

use crate::samples::SparseFault;

/// How much of what was found an error shows.
pub const SHOWN_CHARACTERS: usize = 40;

/// Where in the input something was found. Lines, rows and columns are counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, or `<stdin>`.
    pub source: Option<String>,
    /// The line of a text file.
    pub line: Option<u64>,
    /// The data row, where lines mean nothing.
    pub row: Option<u64>,
    /// The column.
    pub column: Option<Column>,
}

/// A column, by name where it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Column {
    /// Its name in the header.
    Name(String),
    /// Its number, counted from 1.
    Number(usize),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Column::Name(name) => write!(f, "\"{}\"", shown(name)),
            Column::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut position = vec![];
        position.extend(self.line.map(|n| format!("line {n}")));
        position.extend(self.row.map(|n| format!("row {n}")));
        position.extend(self.column.as_ref().map(|c| format!("column {c}")));
        let position = position.join(", ");
        let source = escaped(self.source.as_deref().unwrap_or(""));
        let parts = [&source[..], &position];
        let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        f.write_str(&parts.join(": "))
    }
}

/// Why data could not be read or used, and where.
#[derive(Debug)]
pub struct Error {
    /// Where it was found; boxed, so that a result is small.
    pub place: Box<Place>,
    /// What was found.
    pub kind: ErrorKind,
}

/// What was found, against what was expected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// There is nothing in the file.
    #[error("expected data, found an empty file")]
    Empty,
    /// There is a header and nothing else.
    #[error("expected data rows, found only a header")]
    HeaderOnly,
    /// There is no row, or none is left after rows with missing values were dropped.
    #[error("expected at least one row, found none{}", dropped_note(*.dropped))]
    NoRows {
        /// How many rows were dropped.
        dropped: usize,
    },
    /// There is no feature column.
    #[error("expected at least one feature, found none")]
    NoFeatures,
    /// A cell is not a number.
    #[error("expected a number, found \"{}\"", shown(.found))]
    NotANumber {
        /// The cell.
        found: String,
    },
    /// A number has a comma in it: a decimal comma, or one between thousands.
    #[error("expected a number with a decimal point, found \"{}\"", shown(.found))]
    CommaInNumber {
        /// The cell.
        found: String,
    },
    /// A cell is empty, or NaN, or infinite.
    #[error("expected a finite number, found {}", shown(.found))]
    NotFinite {
        /// The cell.
        found: String,
    },
    /// The length of a row exceeds the largest floating-point number.
    #[error("the row's norm overflows: its Euclidean length exceeds 1.8e308")]
    TooLarge,
    /// An integer has no exact floating-point form.
    #[error("expected an integer that f64 holds exactly, as all up to 2^53 are, found {}", shown(.found))]
    Inexact {
        /// The integer.
        found: String,
    },
    /// There is one column, which cannot be both a feature and a label.
    #[error("expected a feature and a label, found one column: \"{}\"", shown(.found))]
    OneColumn {
        /// Its first cell.
        found: String,
    },
    /// A quote is never closed.
    #[error("the quote that opens here is never closed")]
    UnclosedQuote,
    /// A record is longer than any record is.
    #[error("expected the end of the record within {}, found none", bytes_for_people(*.limit))]
    LongRecord {
        /// How many bytes it may have.
        limit: u64,
    },
    /// Text is not UTF-8.
    #[error("expected UTF-8 text, found the byte 0x{byte:02X}, as in Latin-1 or Windows-1252")]
    NotUtf8 {
        /// The first byte that is not.
        byte: u8,
    },
    /// The file is no table, but something that is known.
    #[error("expected a table, found {0}")]
    Foreign(Foreign),
    /// A row has another number of cells than the rest.
    #[error("expected {expected} cells, found {found}")]
    Ragged {
        /// Cells in this row.
        found: usize,
        /// Cells in the first row.
        expected: usize,
    },
    /// A row has no label.
    #[error("expected a label, found {}", or_nothing(.found))]
    NoLabel {
        /// What stands for it, if anything does.
        found: String,
    },
    /// All rows have the same label.
    #[error("expected two classes, found one: all {rows} rows are \"{}\"", shown(.label))]
    OneClass {
        /// The label.
        label: String,
        /// Number of rows.
        rows: usize,
    },
    /// There are three or more labels, and none was named as the positive one.
    #[error("expected two classes, found {count}: {}", listed(.examples, *.count))]
    ManyClasses {
        /// How many there are.
        count: usize,
        /// The first few.
        examples: Vec<String>,
    },
    /// The label that was named as the positive one does not occur.
    #[error("no row has the label \"{}\"; the labels are {}", shown(.wanted), listed(.found, .found.len()))]
    NoSuchLabel {
        /// The label that was named.
        wanted: String,
        /// Those that occur.
        found: Vec<String>,
    },
    /// A column that was named does not exist.
    #[error("no column {wanted}; the columns are {}", listed(.available, *.count))]
    NoSuchColumn {
        /// The column that was named.
        wanted: Column,
        /// The names of those that exist, or the first few numbers if columns have no names.
        available: Vec<String>,
        /// How many exist.
        count: usize,
    },
    /// A category has too many levels.
    #[error("expected a category of few levels, found {count} different texts")]
    ManyLevels {
        /// How many there are, at least.
        count: usize,
    },
    /// A text is none of the levels that the model knows.
    #[error("expected one of the levels that the model knows, found \"{}\"", shown(.found))]
    UnknownLevel {
        /// The text.
        found: String,
    },
    /// There is not enough memory.
    #[error("not enough memory: {} more are needed", bytes_for_people(*.bytes))]
    NoMemory {
        /// How many bytes are needed beside those in use, at least.
        bytes: u64,
    },
    /// There are more or fewer labels than rows.
    #[error("expected {rows} labels, one per row, found {labels}")]
    LabelCount {
        /// Number of labels.
        labels: usize,
        /// Number of rows.
        rows: usize,
    },
    /// There are more or fewer weights than rows.
    #[error("expected {rows} weights, one per row, found {weights}")]
    WeightCount {
        /// Number of weights.
        weights: usize,
        /// Number of rows.
        rows: usize,
    },
    /// The weight of a row is of no use.
    #[error("expected a weight that is a finite number above 0, found {found}")]
    BadWeight {
        /// The weight.
        found: f64,
    },
    /// The rows have another number of features than the model or the labels ask for.
    #[error("expected rows of {expected} features, found {found}")]
    WrongFeatures {
        /// Features found.
        found: usize,
        /// Features expected.
        expected: usize,
    },
    /// A feature index stands twice in one libsvm row.
    #[error("feature index {index} stands twice")]
    DuplicateIndex {
        /// The index, as it stands in the file.
        index: u64,
    },
    /// A feature is not of the form index:value.
    #[error("expected index:value, found \"{}\"", shown(.found))]
    BadIndex {
        /// What stands there.
        found: String,
    },
    /// A feature index is too small or too large for any data.
    #[error("expected a feature index from {first} to {}, found {}", u32::MAX, shown(.found))]
    IndexRange {
        /// The index, as it stands in the file.
        found: String,
        /// The smallest that there can be.
        first: u8,
    },
    /// A feature index asks for more memory than there is: every feature up to it has a weight.
    #[error(
        "feature index {index} needs {} of memory, {} are available",
        bytes_for_people(*.bytes),
        bytes_for_people(*.available)
    )]
    IndexMemory {
        /// The index, as it stands in the file.
        index: u64,
        /// The bytes of weights and of room to work in.
        bytes: u64,
        /// The bytes that are left.
        available: u64,
    },
    /// The file is not what it was on an earlier pass.
    #[error("the file has changed since it was first read")]
    Changed,
    /// The cache cannot be written.
    #[error("the cache cannot be written: {0}")]
    Cache(std::io::Error),
    /// A cache would be larger than it may be.
    #[error("the cache would exceed {}", bytes_for_people(*.limit))]
    CacheLimit {
        /// How many bytes it may have.
        limit: u64,
    },
    /// The file is damaged.
    #[error("the file is damaged: {}", escaped(.what))]
    Damaged {
        /// What is wrong.
        what: String,
    },
    /// The file is sound but of a kind that cannot be read.
    #[error("cannot read {}; expected {expected}", escaped(.found))]
    Unsupported {
        /// What was found.
        found: String,
        /// What can be read.
        expected: &'static str,
    },
    /// A list is shorter or longer than that of the first row.
    #[error("expected a list of {expected}, found one of {found}")]
    ListLength {
        /// Items in this list.
        found: usize,
        /// Items in the first list of the column.
        expected: usize,
    },
    /// A part file has other columns than the first one.
    #[error(
        "expected {} as column {number}, as in {}, found {}",
        escaped(.expected), escaped(.first), escaped(.found)
    )]
    OtherColumns {
        /// The column, counted from 1.
        number: usize,
        /// Name and type in this file.
        found: String,
        /// Name and type in the first file.
        expected: String,
        /// The first file.
        first: String,
    },
    /// No file fits the folder or pattern that was given.
    #[error("expected Parquet or Arrow files, found none")]
    NoFiles,
    /// Sparse rows are not in order.
    #[error("sparse rows are not in order: {0:?}")]
    Sparse(SparseFault),
}

fn or_nothing(found: &str) -> String {
    if found.is_empty() { "nothing".to_string() } else { format!("\"{}\"", shown(found)) }
}

/// Returns the text as a terminal may show it: what controls it is escaped, and the rest shortened.
pub fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let mut beginning: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    if characters.next().is_some() {
        beginning.push('…');
    }
    escaped(&beginning)
}

/// Returns the text with what would control a terminal escaped: `\u{1b}` for an escape.
pub fn escaped(text: &str) -> String {
    // Marks of direction turn what follows them around.
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0' => out.push_str("\\0"),
            _ if c.is_control() || turns(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// Returns the name of a file as it can be shown: bytes of it that are not UTF-8 as `\xff`.
pub fn path_name(path: &Path) -> String {
    let chunks = path.as_os_str().as_encoded_bytes().utf8_chunks();
    let shown = |chunk: std::str::Utf8Chunk| {
        let other = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
        std::iter::once(chunk.valid().to_string()).chain(other).collect::<String>()
    };
    chunks.map(shown).collect()
}

/// Returns a number of bytes as people write it.
pub fn bytes_for_people(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let power = (0..units.len()).rev().find(|&k| bytes >= 1000_u64.pow(k as u32)).unwrap_or(0);
    match power {
        0 => format!("{bytes} bytes"),
        _ => format!("{:.1} {}", bytes as f64 / 1000_u64.pow(power as u32) as f64, units[power]),
    }
}

fn dropped_note(dropped: usize) -> String {
    if dropped == 0 { String::new() } else { format!(" ({dropped} dropped for missing values)") }
}

fn listed(items: &[String], count: usize) -> String {
    let mut text =
        items.iter().take(8).map(|s| format!("\"{}\"", shown(s))).collect::<Vec<_>>().join(", ");
    if count > items.len().min(8) {
        text.push_str(", …");
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let place = self.place.to_string();
        if place.is_empty() { self.kind.fmt(f) } else { write!(f, "{place}: {}", self.kind) }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Error { place: Box::default(), kind }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        ErrorKind::Io(error).into()
    }
}

impl ErrorKind {
    /// Returns the error at a line of a text file.
    pub fn at_line(self, line: u64) -> Error {
        let mut error = Error::from(self);
        error.place.line = Some(line);
        error
    }

    /// Returns the error at a row, counted from 1.
    pub fn at_row(self, row: u64) -> Error {
        let mut error = Error::from(self);
        error.place.row = Some(row);
        error
    }
}

impl Error {
    /// Returns the error with the file it was found in, unless it has one.
    pub fn in_source(mut self, source: &str) -> Self {
        self.place.source.get_or_insert_with(|| source.to_string());
        self
    }

    /// Returns the error with the column it was found in.
    pub fn in_column(mut self, column: Column) -> Self {
        self.place.column = Some(column);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_where_what_found_and_expected() {
        let error = ErrorKind::NotANumber { found: "n/a".into() }
            .at_line(812)
            .in_column(Column::Name("age".into()))
            .in_source("train.csv");
        assert_eq!(
            error.to_string(),
            "train.csv: line 812, column \"age\": expected a number, found \"n/a\""
        );
        assert_eq!(Error::from(ErrorKind::Empty).to_string(), "expected data, found an empty file");
    }

    #[test]
    fn what_was_found_is_short_and_never_controls_the_terminal() {
        let check = |text: &str, expected: &str| assert_eq!(shown(text), expected);
        check("größe", "größe");
        check("a\nb\u{1b}]0;x\u{7}\0", "a\\nb\\u{1b}]0;x\\u{7}\\0");
        check("\u{202e}abc\u{9b}", "\\u{202e}abc\\u{9b}");
        check(&"x".repeat(40), &"x".repeat(40));
        check(&"x".repeat(41), &("x".repeat(40) + "…"));
        check(&("x".repeat(40) + "…"), &("x".repeat(40) + "…"));
        let label = format!("\u{1b}[2J{}", "x".repeat(500));
        let errors = [
            ErrorKind::NotANumber { found: label.clone() },
            ErrorKind::NotFinite { found: label.clone() },
            ErrorKind::NoLabel { found: label.clone() },
            ErrorKind::OneClass { label: label.clone(), rows: 1 },
            ErrorKind::ManyClasses { count: 3, examples: vec![label.clone(); 3] },
            ErrorKind::NoSuchLabel { wanted: label.clone(), found: vec![label.clone()] },
            ErrorKind::UnknownLevel { found: label.clone() },
            ErrorKind::BadIndex { found: label.clone() },
            ErrorKind::NoSuchColumn {
                wanted: Column::Name(label.clone()),
                available: vec![label.clone()],
                count: 1,
            },
        ];
        for kind in errors {
            let error = Error::from(kind).in_column(Column::Name(label.clone())).in_source("\u{7}");
            let text = error.to_string();
            assert!(!text.chars().any(char::is_control) && text.len() < 400, "{text}");
        }
    }
}
