//! What the bytes are: by name, by extension or by content.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::{cell, delimiter};
use crate::error::{Error, ErrorKind};

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
    /// use linsep_data::read::Format;
    /// assert_eq!(Format::by_extension("train.svm.gz".as_ref()), Some(Format::Libsvm));
    /// assert_eq!(Format::by_extension("train.txt".as_ref()), None);
    /// ```
    pub fn by_extension(path: &Path) -> Option<Self> {
        let plain = without_compression(path);
        plain.extension()?.to_str()?.parse().ok()
    }

    /// Returns the binary format that begins with these bytes.
    pub(super) fn by_magic(head: &[u8]) -> Option<Self> {
        let magics: [(&[u8], Format); 3] =
            [(b"\x93NUMPY", Format::Npy), (b"PAR1", Format::Parquet), (b"ARROW1", Format::Arrow)];
        magics.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| format)
    }

    /// Returns the format that the first bytes look like; `whole` says that they are all.
    pub(super) fn by_content(head: &[u8], whole: bool) -> Self {
        if let Some(format) = Self::by_magic(head) {
            return format;
        }
        if is_libsvm(head) {
            return Format::Libsvm;
        }
        match delimiter::guess(head, whole) {
            b'\t' => Format::Tsv,
            _ => Format::Csv,
        }
    }

    /// Returns true if it is text.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Libsvm)
    }
}

/// Returns true if the first line that is not blank or a comment is libsvm's.
pub(super) fn is_libsvm(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = text.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first_data = lines.find(|line| !line.trim_ascii_start().starts_with(b"#"));
    first_data.is_some_and(looks_like_libsvm)
}

/// Returns the path without an extension that stands for compression.
pub(super) fn without_compression(path: &Path) -> std::path::PathBuf {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("gz" | "zst" | "xz" | "bz2") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
}

/// Returns true for a number, also for one that is refused when it is read.
fn is_number(value: &[u8]) -> bool {
    match cell::number(value) {
        Ok(_) => true,
        Err(fault) => matches!(fault.kind, ErrorKind::Inexact { .. }),
    }
}

/// Returns true for `label index:value …` and for `index:value …`.
fn looks_like_libsvm(line: &[u8]) -> bool {
    let is_pair = |token: &[u8]| {
        let Some(colon) = memchr::memchr(b':', token) else { return false };
        let (index, value) = (&token[..colon], &token[colon + 1..]);
        let is_index = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
        is_index && is_number(value) || index == b"qid"
    };
    let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
    let first = tokens.next().unwrap_or_default();
    match tokens.next() {
        Some(second) => (is_pair(first) || !first.contains(&b':')) && is_pair(second),
        None => is_pair(first),
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
    fn by_content() {
        let check = |head: &[u8], expected: Format| {
            assert_eq!(Format::by_content(head, true), expected, "{}", head.escape_ascii());
        };
        check(b"\x93NUMPY\x01\x00", Format::Npy);
        check(b"# made up\n\n+1 1:0.5 2:1\n", Format::Libsvm);
        check(b"yes 3:1e-5", Format::Libsvm);
        check(b"1 qid:3 1:2", Format::Libsvm);
        check(b"1:2 3:4", Format::Libsvm);
        check(b"1:2", Format::Libsvm);
        check(b"1,2 3:x", Format::Csv);
        check(b"12:30,5\n", Format::Csv);
        check(b"a\tb\n1,5\t2\n", Format::Tsv);
        check(b"a,b\tc\n", Format::Csv);
        check(b"\n", Format::Csv);
        check(b"PAR1\x15", Format::Parquet);
        check(b"ARROW1\0\0", Format::Arrow);
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
