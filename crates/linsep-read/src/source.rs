//! Where the bytes come from.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use linsep_data::error::{Error, path_name};

use super::compression::{self, Compression};
use super::meter::Meter;

/// How many bytes are looked at to tell the format.
const HEAD_BYTES: u64 = 1 << 16;

/// A file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<&Path> for Source {
    /// Returns standard input for `-`, else the file.
    fn from(path: &Path) -> Self {
        if path == Path::new("-") { Source::Stdin } else { Source::File(path.to_path_buf()) }
    }
}

impl Source {
    /// Returns the path as the user typed it, or `<stdin>`.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "<stdin>".to_string(),
            Source::File(path) => path_name(path),
        }
    }

    /// Returns true if it can be read only once, from its beginning to its end: standard input, or a pipe.
    pub(super) fn is_read_once(&self) -> bool {
        match self {
            Source::Stdin => true,
            Source::File(path) => {
                path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
            }
        }
    }
}

/// The decompressed bytes of a source; the first ones can be looked at before they are read.
pub(super) struct Input {
    head: Vec<u8>,
    /// Whether the head is all there is.
    whole: bool,
    rest: Box<dyn Read + Send>,
    file: Option<File>,
}

impl Input {
    /// Returns the bytes of a source, and tells `meter` how many are read of how many, compressed as they are.
    /// Errors if it cannot be opened or read.
    pub(super) fn open(source: &Source, meter: &Meter) -> Result<Self, Error> {
        match source {
            Source::Stdin => {
                meter.expect_bytes(0);
                Self::new(Box::new(io::stdin()), None)
            }
            Source::File(path) => {
                let file = File::open(path)?;
                let (size, regular) = (file.metadata()?.len(), file.metadata()?.is_file());
                let same = regular.then(|| file.try_clone()).transpose()?;
                meter.expect_bytes(if regular { size } else { 0 });
                Self::new(Box::new(meter.counting(file)), same)
            }
        }
    }

    /// Returns the bytes of a reader; `file` is the regular file behind it, if there is one.
    pub(super) fn new(mut raw: Box<dyn Read + Send>, file: Option<File>) -> Result<Self, Error> {
        let magic = beginning(&mut raw, compression::MAGIC_BYTES)?;
        let (mut rest, file): (Box<dyn Read + Send>, _) = match Compression::by_magic(&magic) {
            Some(kind) => (kind.decoder(Box::new(Cursor::new(magic).chain(raw)))?, None),
            None => (Box::new(Cursor::new(magic).chain(raw)), file),
        };
        let head = beginning(&mut rest, HEAD_BYTES)?;
        let whole = (head.len() as u64) < HEAD_BYTES;
        Ok(Input { head, whole, rest, file })
    }

    /// Returns the first bytes, all of them if there are few.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns true if the first bytes are known to be all.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns the regular, uncompressed file behind the bytes, if there is one.
    pub(super) fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Returns a reader of all bytes.
    pub(super) fn into_reader(self) -> Box<dyn Read + Send> {
        Box::new(Cursor::new(self.head).chain(self.rest))
    }

    /// Returns a reader of all bytes but a byte order mark.
    pub(super) fn into_text(mut self) -> Box<dyn Read + Send> {
        if self.head.starts_with(b"\xef\xbb\xbf") {
            self.head.drain(..3);
        }
        self.into_reader()
    }
}

/// Returns the next `limit` bytes, fewer only at the end.
fn beginning(reader: &mut dyn Read, limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![];
    reader.take(limit).read_to_end(&mut bytes).map_err(compression::read_error)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input() {
        assert_eq!(Source::from(Path::new("-")), Source::Stdin);
        assert_eq!(Source::from(Path::new("-")).name(), "<stdin>");
        assert_eq!(Source::from(Path::new("./-")).name(), "./-");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors() {
        let missing = Source::from(Path::new("/no/such/file.csv"));
        assert!(Input::open(&missing, &Meter::default()).is_err());
        let folder = Source::File(std::env::temp_dir());
        assert!(Input::open(&folder, &Meter::default()).is_err());
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        let input = Input::new(Box::new(&b"\xef\xbb\xbf1,2\n"[..]), None).unwrap();
        let mut text = String::new();
        input.into_text().read_to_string(&mut text).unwrap();
        assert_eq!(text, "1,2\n");
    }
}
