//! How much room a disk has.

use std::path::Path;

/// Returns the bytes that are free where a file is to be, or `None` where nobody tells.
#[cfg(unix)]
pub fn free(file: &Path) -> Option<u64> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let found = rustix::fs::statvfs(folder.unwrap_or(Path::new("."))).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns the bytes that are free where a file is to be, or `None` where nobody tells.
#[cfg(not(unix))]
pub fn free(_file: &Path) -> Option<u64> {
    None
}
