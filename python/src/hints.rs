//! What to do about a table that cannot be read, in the words of Python.

use linsep::data::read::{Foreign, stands_for_missing};
use linsep::data::{Error, ErrorKind};

const MISSING: &str = "missing=\"drop\" leaves such rows out, \"mean\" and \"median\" fill them in";

/// Returns the remedy: most often an option of `linsep.open`.
pub fn hint(error: &Error) -> Option<String> {
    let hint = match &error.kind {
        ErrorKind::Foreign(foreign) => return reader(*foreign),
        ErrorKind::NotUtf8 { .. } => {
            return Some(frame("pandas.read_csv(..., encoding=\"cp1252\")"));
        }
        ErrorKind::Empty => "check that the file was written completely",
        ErrorKind::HeaderOnly => {
            "check that the file was written completely; header=False takes the first line as data"
        }
        ErrorKind::NoRows { dropped: 0 } => "check that the file was written completely",
        ErrorKind::NoRows { .. } => {
            "missing=\"mean\" or \"median\" fills missing values; exclude=[...] leaves columns out"
        }
        ErrorKind::NoFeatures => "features= chooses columns, exclude= and label= leave them out",
        ErrorKind::OneColumn { .. } => {
            "delimiter= says what stands between cells; labels= names a file of labels"
        }
        ErrorKind::NotANumber { found } if stands_for_missing(found) => MISSING,
        ErrorKind::NotANumber { .. } if error.place.line == Some(1) => {
            "header=True takes the first line as names; categorical=[...] makes a feature of each text"
        }
        ErrorKind::NotANumber { .. } => {
            "correct the cell, or: categorical=[...] makes a feature of each text, exclude=[...] leaves \
             the column out"
        }
        ErrorKind::CommaInNumber { .. } => {
            return Some(frame("pandas.read_csv(..., decimal=\",\") or thousands=\",\""));
        }
        ErrorKind::NotFinite { .. } => MISSING,
        ErrorKind::TooLarge => "divide the data by a power of two",
        ErrorKind::Inexact { .. } => {
            "exclude=[...] leaves out a column that only names rows; else subtract a constant from the column, or \
             convert it to float64 if rounding is acceptable (in text: write a point after the number)"
        }
        ErrorKind::Ragged { .. } => "check the quotes and delimiter=",
        ErrorKind::UnclosedQuote => "close it, or double a quote that is part of the text",
        ErrorKind::NoLabel { .. } => "missing=\"drop\" leaves such rows out",
        ErrorKind::ManyLevels { .. } => "exclude=[...] leaves the column out",
        ErrorKind::NoMemory { .. } => "stream=True reads the rows in blocks, on every pass again",
        ErrorKind::Cache(_) | ErrorKind::CacheLimit { .. } => {
            "cache_dir= chooses another folder, cache_limit= another size"
        }
        ErrorKind::Changed => "open the table again once nobody writes to the file",
        ErrorKind::OneClass { .. } => "label= chooses another column, labels= a file of labels",
        ErrorKind::ManyClasses { .. } => {
            "positive= sets one class against the rest, label= chooses another column, header=True \
             takes the first line as names"
        }
        ErrorKind::NoSuchColumn { count: 1, .. } => "delimiter= says what stands between cells",
        ErrorKind::NoSuchColumn { .. } => {
            "strings are names, integers are numbers from 1; header=True takes the first line as names"
        }
        ErrorKind::LabelCount { .. } => "labels= has to name a file with one label per row",
        ErrorKind::BadIndex { .. } => {
            "a line is a label and pairs such as 3:0.5; format= names another format"
        }
        ErrorKind::IndexRange { .. } => "index_base=0 counts features from 0",
        ErrorKind::IndexMemory { .. } => {
            "check that line: every feature up to the largest index has a weight"
        }
        ErrorKind::OtherColumns { .. } => "move the file elsewhere, or write it again",
        ErrorKind::Damaged { .. } => "write or fetch the file again",
        ErrorKind::NoFiles => "name a file, or a folder of Parquet or Arrow files",
        _ => return None,
    };
    Some(hint.to_string())
}

/// Returns what reads a file that is something else.
fn reader(foreign: Foreign) -> Option<String> {
    let reader = match foreign {
        Foreign::Misnamed(format) => return Some(format!("format=\"{format}\" reads it")),
        Foreign::Utf16 { .. } => "pandas.read_csv(..., encoding=\"utf-16\")",
        Foreign::Xlsx | Foreign::Xls => "pandas.read_excel",
        Foreign::Json => "pandas.read_json",
        Foreign::Html => {
            return Some("fetch the file itself: this is a page, perhaps to log in".to_string());
        }
        Foreign::Pickle => "pandas.read_pickle",
        Foreign::Npz => "numpy.load",
        _ => return None,
    };
    Some(frame(reader))
}

fn frame(reader: &str) -> String {
    format!("{reader} reads it; linsep.decide takes frames and arrays")
}
