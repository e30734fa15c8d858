//! Files that appear whole or not at all, and standard output.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::failure::Failure;

/// A file under a temporary name beside its own, which it takes when it is finished. If that never
/// happens, nothing is left behind and an older file of that name stays as it was.
pub struct OutputFile {
    path: PathBuf,
    /// None where the target is no regular file (a pipe, /dev/null): it is written directly.
    temporary: Option<PathBuf>,
    writer: Option<BufWriter<File>>,
}

impl OutputFile {
    /// Opens the file, so that a place that cannot be written is found before the work is done.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let special = fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let (temporary, file) = if special {
            (None, File::options().write(true).open(path))
        } else if path.is_dir() {
            let error = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Failure::output(path, &error));
        } else {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let mut name = path.as_os_str().to_os_string();
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            name.push(format!(".tmp-{}-{count}", std::process::id()));
            let temporary = PathBuf::from(name);
            let file = File::create(&temporary);
            (Some(temporary), file)
        };
        let file = file.map_err(|error| Failure::output(path, &error))?;
        let writer = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(OutputFile { path: path.to_path_buf(), temporary, writer })
    }

    /// Writes through `write`.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let writer = self.writer.as_mut().expect("a file is written before it is finished");
        write(writer).map_err(|error| Failure::output(&self.path, &error))
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        let path = self.path.clone();
        self.settle().map_err(|error| Failure::output(&path, &error))
    }

    fn settle(&mut self) -> io::Result<()> {
        let writer = self.writer.take().expect("a file is finished once");
        let file = writer.into_inner().map_err(|error| error.into_error())?;
        let Some(temporary) = &self.temporary else {
            return Ok(());
        };
        file.sync_all()?;
        fs::rename(temporary, &self.path)?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        self.writer = None;
        if let Some(temporary) = &self.temporary {
            // Best effort: there is nobody to tell.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a whole file.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let mut file = OutputFile::create(path)?;
    file.write(|out| out.write_all(contents))?;
    file.finish()
}

/// Opens the files that were asked for, all before any work.
pub fn create_if(path: Option<&Path>) -> Result<Option<OutputFile>, Failure> {
    path.map(OutputFile::create).transpose()
}

/// Writes to standard output. A reader that has seen enough is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    standard_output(out.write_all(text.as_bytes()).and_then(|()| out.flush())).map(|_| ())
}

/// Returns false if nobody reads standard output any more.
pub fn standard_output(result: io::Result<()>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::output(Path::new("<stdout>"), &error)),
    }
}
