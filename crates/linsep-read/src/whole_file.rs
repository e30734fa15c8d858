//! Files that appear whole or not at all.
//!
//! ```text
//! Linux         a file without a name, which gets one when it is whole: kill -9 leaves nothing behind
//! elsewhere     a file under a temporary name beside its own, renamed when it is whole
//! ```
//!
//! Why not the crate `atomic-write-file`: it refuses a folder only when the work is done, cannot finish where there is
//! no /proc, and leaves a file behind if it is killed while it renames.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The longest text that [`read_text`] takes: 1 GiB.
const MOST_TEXT: u64 = 1 << 30;

/// Returns the text in a file that is read as a whole: a model, a checkpoint, an index. Errors if it is longer than 1 GiB, which
/// none of these is: a device or a pipe without an end would fill the memory.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MOST_TEXT + 1).read_to_string(&mut text)?;
    match text.len() as u64 > MOST_TEXT {
        true => Err(io::Error::new(io::ErrorKind::FileTooLarge, "more than 1 GiB")),
        false => Ok(text),
    }
}

/// A file that takes its name when it is finished. If that never happens, an older file of that name
/// stays as it was.
///
/// ```
/// use std::io::Write;
/// use linsep_read::whole_file::WholeFile;
///
/// let path = std::env::temp_dir().join(format!("linsep-whole-{}", std::process::id()));
/// let mut file = WholeFile::create(&path)?;
/// file.write_all(b"all of it")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct WholeFile {
    path: PathBuf,
    kept: Kept,
    writer: Option<BufWriter<File>>,
}

/// Where the bytes are until the file is whole.
enum Kept {
    /// In a file without a name.
    #[cfg(target_os = "linux")]
    Unnamed,
    /// Under this name, beside the right one.
    Beside(PathBuf),
    /// In their place: the target is no regular file (a pipe, /dev/null).
    InPlace,
    /// Nowhere any more: the file is finished.
    Finished,
}

impl WholeFile {
    /// Opens the file, so that a place that cannot be written is found before the work is done.
    pub fn create(path: &Path) -> io::Result<Self> {
        let (kept, file) = open(path)?;
        let writer = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(WholeFile { path: path.to_path_buf(), kept, writer })
    }

    /// Puts the file in its place, once all of it is on the disk.
    pub fn finish(mut self) -> io::Result<()> {
        let writer = self.writer.take().expect("a file is finished once");
        let file = writer.into_inner().map_err(|error| error.into_error())?;
        match &self.kept {
            #[cfg(target_os = "linux")]
            Kept::Unnamed => {
                file.sync_all()?;
                unnamed::name(&file, &self.path)?;
            }
            Kept::Beside(temporary) => {
                file.sync_all()?;
                fs::rename(temporary, &self.path)?;
            }
            Kept::InPlace | Kept::Finished => {}
        }
        self.kept = Kept::Finished;
        Ok(())
    }

    fn writer(&mut self) -> &mut BufWriter<File> {
        self.writer.as_mut().expect("a file is written before it is finished")
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // What was not finished is not wanted.
            drop(writer.into_parts());
        }
        if let Kept::Beside(temporary) = &self.kept {
            // Best effort: there is nobody to tell.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn open(path: &Path) -> io::Result<(Kept, File)> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            return Ok((Kept::InPlace, File::options().write(true).open(path)?));
        }
        _ => {}
    }
    #[cfg(target_os = "linux")]
    if let Some(file) = unnamed::open(path) {
        return Ok((Kept::Unnamed, file));
    }
    beside(path)
}

/// Opens a file under a temporary name.
fn beside(path: &Path) -> io::Result<(Kept, File)> {
    let temporary = temporary_name(path);
    let file = File::create(&temporary)?;
    Ok((Kept::Beside(temporary), file))
}

/// Returns a name beside this one that no other file of this process has.
fn temporary_name(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name: OsString = path.as_os_str().to_os_string();
    name.push(format!(".tmp-{}-{count}", std::process::id()));
    PathBuf::from(name)
}

/// Files without a name, and how they get one.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat};
    use rustix::io::Errno;

    /// Returns a file in the folder of this path that has no name. Nothing if the file system has no such
    /// files, or if the path cannot be that of a file: a named file tells what is wrong.
    pub fn open(path: &Path) -> Option<File> {
        let taken = fs::symlink_metadata(path);
        let free = taken.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") || (taken.is_err() && !free) {
            return None;
        }
        let folder = match path.parent()? {
            here if here.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        };
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        // The mode of an ordinary file, from which the umask takes its part.
        let file = File::from(rustix::fs::open(folder, flags, Mode::from_raw_mode(0o666)).ok()?);
        // Without /proc it could not be named later.
        fs::metadata(place(&file)).ok()?;
        Some(file)
    }

    /// Gives the file its name, in place of an older file of that name.
    ///
    /// A link replaces nothing, a rename does: for a moment the file has a name beside the right one. Who
    /// finds a file of that name, left by a kill or by somebody who is just as far, puts it in its place: it
    /// is whole.
    pub fn name(file: &File, path: &Path) -> io::Result<()> {
        if link(file, path)? {
            return Ok(());
        }
        let mut beside = path.as_os_str().to_os_string();
        beside.push(".linsep-new");
        loop {
            let ours = link(file, Path::new(&beside))?;
            match fs::rename(&beside, path) {
                // Not there: somebody else has done it.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    if ours {
                        // Best effort: the first error is the one to tell.
                        let _ = fs::remove_file(&beside);
                    }
                    return Err(error);
                }
                _ if ours => return Ok(()),
                _ => {}
            }
        }
    }

    /// Returns false if the name is taken.
    fn link(file: &File, path: &Path) -> io::Result<bool> {
        match linkat(CWD, place(file), CWD, path, AtFlags::SYMLINK_FOLLOW) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn place(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `test` with an empty folder, and returns the names that are in it afterwards.
    fn names_after(test: impl FnOnce(&Path)) -> Vec<String> {
        let folder = temporary_name(&std::env::temp_dir().join("linsep-whole-file"));
        fs::create_dir(&folder).unwrap();
        test(&folder);
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        fs::remove_dir_all(&folder).unwrap();
        names
    }

    fn write(path: &Path, text: &str) {
        let mut file = WholeFile::create(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }

    #[test]
    fn a_finished_file_is_there_alone_and_replaces_an_older_one() {
        let names = names_after(|folder| {
            write(&folder.join("new"), "first");
            write(&folder.join("new"), "second");
        });
        assert_eq!(names, ["new"]);
    }

    #[test]
    fn an_unfinished_file_leaves_the_older_one() {
        let names = names_after(|folder| {
            let path = folder.join("old");
            write(&path, "old");
            let mut file = WholeFile::create(&path).unwrap();
            file.write_all(&vec![b'x'; 3 << 20]).unwrap();
            drop(file);
            drop(WholeFile::create(&folder.join("never")).unwrap());
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        });
        assert_eq!(names, ["old"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_kill_has_left_is_cleared_away_and_writers_do_not_disturb_each_other() {
        let names = names_after(|folder| {
            let path = folder.join("file");
            write(&path, "old");
            fs::write(folder.join("file.linsep-new"), "left").unwrap();
            write(&path, "new");
            std::thread::scope(|scope| {
                for text in ["a", "b", "c"].map(|text| text.repeat(1000)) {
                    let path = &path;
                    scope.spawn(move || {
                        for _ in 0..50 {
                            let mut file = WholeFile::create(path).unwrap();
                            file.write_all(text.as_bytes()).unwrap();
                            file.finish().unwrap();
                            let found = fs::read_to_string(path).unwrap();
                            assert!(found.len() == 1000 && found == found[..1].repeat(1000));
                        }
                    });
                }
            });
        });
        assert_eq!(names, ["file"]);
    }

    #[test]
    fn a_named_temporary_file_does_the_same() {
        let names = names_after(|folder| {
            let path = folder.join("named");
            for text in ["first", "second"] {
                let (kept, file) = beside(&path).unwrap();
                let writer = Some(BufWriter::new(file));
                let mut file = WholeFile { path: path.clone(), kept, writer };
                file.write_all(text.as_bytes()).unwrap();
                file.finish().unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
            }
            let (kept, file) = beside(&path).unwrap();
            drop(WholeFile { path, kept, writer: Some(BufWriter::new(file)) });
        });
        assert_eq!(names, ["named"]);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_at_once() {
        names_after(|folder| {
            let refused = |path: &Path| WholeFile::create(path).err().map(|error| error.kind());
            assert_eq!(refused(folder), Some(io::ErrorKind::IsADirectory));
            assert_eq!(refused(&folder.join("no/such")), Some(io::ErrorKind::NotFound));
            assert!(refused(&folder.join("absent/")).is_some());
            assert!(refused(&folder.join("n".repeat(300))).is_some());
        });
    }

    #[cfg(unix)]
    #[test]
    fn modes_links_and_pipes_are_those_of_ordinary_files() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let names = names_after(|folder| {
            let mode = |name: &str| fs::metadata(folder.join(name)).unwrap().permissions().mode();
            File::create(folder.join("ordinary")).unwrap();
            write(&folder.join("whole"), "whole");
            assert_eq!(mode("whole"), mode("ordinary"));
            // A link is replaced, and what it led to stays.
            symlink(folder.join("ordinary"), folder.join("link")).unwrap();
            write(&folder.join("link"), "by a file");
            assert_eq!(fs::read_to_string(folder.join("ordinary")).unwrap(), "");
            let mut file = WholeFile::create(Path::new("/dev/null")).unwrap();
            file.write_all(b"nothing").unwrap();
            file.finish().unwrap();
        });
        assert_eq!(names, ["link", "ordinary", "whole"]);
    }
}
