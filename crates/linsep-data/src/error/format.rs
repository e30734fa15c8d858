//! What a file is: one of the formats that are read, or something else that an error can name.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Error, ErrorKind};

/// A format of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Cells between commas.
    Csv,
    /// Cells between tabs.
    Tsv,
    /// A label and index:value pairs: the format of LIBSVM, LIBLINEAR and SVMlight.
    Libsvm,
    /// An array as NumPy saves it.
    Npy,
    /// Columns as Parquet stores them.
    Parquet,
    /// Columns as Arrow and Feather files and streams hold them.
    Arrow,
}

impl Format {
    /// Returns the format that the extension stands for, compressed or not, or `None`.
    ///
    /// ```
    /// use linsep_data::error::Format;
    /// assert_eq!(Format::by_extension("train.svm.gz".as_ref()), Some(Format::Libsvm));
    /// assert_eq!(Format::by_extension("train.txt".as_ref()), None);
    /// ```
    pub fn by_extension(path: &Path) -> Option<Self> {
        let plain = without_compression(path);
        plain.extension()?.to_str()?.parse().ok()
    }

    /// Returns true if it is text.
    pub fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Libsvm)
    }
}

/// Returns the path without an extension that stands for compression.
pub fn without_compression(path: &Path) -> PathBuf {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("gz" | "zst" | "xz" | "bz2") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

/// What a file is, if it is no table that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Foreign {
    /// UTF-16 text.
    Utf16 {
        /// Whether the high byte comes first.
        big_endian: bool,
    },
    /// A table in a format that can be read, in a file that is called otherwise.
    Misnamed(Format),
    /// An Excel workbook.
    Xlsx,
    /// An Excel workbook of before 2007.
    Xls,
    /// JSON text.
    Json,
    /// A web page.
    Html,
    /// A pickled Python object.
    Pickle,
    /// Several NumPy arrays in one file.
    Npz,
    /// A zip archive.
    Zip,
    /// Bytes that are no text, and nothing that is known.
    Binary,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Foreign::Utf16 { big_endian: false } => "UTF-16 text (little-endian)",
            Foreign::Utf16 { big_endian: true } => "UTF-16 text (big-endian)",
            Foreign::Misnamed(format) => return write!(f, "{format} data"),
            Foreign::Xlsx => "an Excel workbook (.xlsx)",
            Foreign::Xls => "an Excel workbook (.xls)",
            Foreign::Json => "JSON",
            Foreign::Html => "a web page (HTML)",
            Foreign::Pickle => "a pickled Python object",
            Foreign::Npz => "an npz archive of NumPy arrays",
            Foreign::Zip => "a zip archive",
            Foreign::Binary => "binary data",
        })
    }
}

impl FromStr for Format {
    type Err = Error;

    /// Returns the format of this name, in any case: csv, tsv, libsvm or svm, npy, parquet or pq, arrow,
    /// feather or ipc.
    fn from_str(name: &str) -> Result<Self, Error> {
        match name.to_ascii_lowercase().as_str() {
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "libsvm" | "svm" => Ok(Format::Libsvm),
            "npy" => Ok(Format::Npy),
            "parquet" | "pq" => Ok(Format::Parquet),
            "arrow" | "feather" | "ipc" => Ok(Format::Arrow),
            _ => {
                let found = format!("the format \"{name}\"");
                let expected = "csv, tsv, libsvm, npy, parquet or arrow";
                Err(ErrorKind::Unsupported { found, expected }.into())
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Libsvm => "libsvm",
            Format::Npy => "npy",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_extension() {
        let check = |path: &str, expected| {
            assert_eq!(Format::by_extension(Path::new(path)), expected, "{path}");
        };
        check("a.csv", Some(Format::Csv));
        check("a.b.CSV.GZ", Some(Format::Csv));
        check("a.tsv.zst", Some(Format::Tsv));
        check("a.csv.xz", Some(Format::Csv));
        check("a.svm.bz2", Some(Format::Libsvm));
        check("a.libsvm", Some(Format::Libsvm));
        check("a.npy.gz", Some(Format::Npy));
        check("a.pq", Some(Format::Parquet));
        check("a.feather", Some(Format::Arrow));
        check("a.txt", None);
        check("a.data.gz", None);
        check("csv", None);
        check("", None);
    }

    #[test]
    fn by_name() {
        assert_eq!("SVM".parse::<Format>().unwrap(), Format::Libsvm);
        let error = "xlsx".parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot read the format \"xlsx\"; expected csv, tsv, libsvm, npy, parquet or arrow"
        );
    }
}
