//! How much room a disk has.

use std::path::Path;

/// Returns the bytes that are free where a file is to be, or `None` where nobody tells.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn free(file: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;

    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).as_os_str().as_bytes();
    let folder = std::ffi::CString::new(folder).ok()?;
    // SAFETY: it is plain numbers, of which all may be zero.
    let mut found: libc::statvfs64 = unsafe { std::mem::zeroed() };
    // SAFETY: the name ends in a zero, and the place to write to is as large as it has to be.
    let told = unsafe { libc::statvfs64(folder.as_ptr(), &raw mut found) } == 0;
    told.then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

/// Returns the bytes that are free where a file is to be, or `None` where nobody tells.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn free(_file: &Path) -> Option<u64> {
    None
}
