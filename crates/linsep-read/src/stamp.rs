//! Notices that a file has changed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use linsep_data::error::{Error, ErrorKind, path_name};

/// A file as it was: its size and the time of its last change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    path: PathBuf,
    pub(super) size: u64,
    pub(super) modified: Option<SystemTime>,
}

impl Stamp {
    /// Returns the stamp of a file. Errors if there is none.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let found = std::fs::metadata(path);
        let data = found.map_err(|error| Error::from(error).in_source(&path_name(path)))?;
        let modified = data.modified().ok();
        Ok(Stamp { path: path.to_path_buf(), size: data.len(), modified })
    }

    /// Errors if the file is not what it was, or is gone.
    pub(super) fn check(&self) -> Result<(), Error> {
        match Stamp::of(&self.path)? == *self {
            true => Ok(()),
            false => Err(Error::from(ErrorKind::Changed).in_source(&path_name(&self.path))),
        }
    }

    /// Returns nanoseconds since 1970, 0 where time is not known.
    pub(super) fn nanoseconds(&self) -> u128 {
        let since = self.modified.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        since.map_or(0, |since| since.as_nanos())
    }
}

/// Fills `bytes` from a place in the file, whatever others read meanwhile.
#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills `bytes` from a place in the file, whatever others read meanwhile.
#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> std::io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, at)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}
