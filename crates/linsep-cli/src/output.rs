//! Output files, which appear whole or not at all, and standard output.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use linsep::data::error::path_name;
use linsep::data::whole_file::WholeFile;
use linsep_report::png::png;
use linsep_report::trace::{TraceFormat, Traced};

use crate::failure::Failure;
use crate::voice::Shell;

/// A file that takes its name when it is finished. If that never happens, nothing is left behind and an
/// older file of that name stays as it was.
pub struct OutputFile {
    path: PathBuf,
    file: WholeFile,
}

impl OutputFile {
    /// Opens the file, so that a place that cannot be written is found before the work is done.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let file = WholeFile::create(path).map_err(|error| Failure::output(path, &error))?;
        Ok(OutputFile { path: path.to_path_buf(), file })
    }

    /// Writes through `write`.
    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(&mut self.file).map_err(|error| Failure::output(&self.path, &error))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Failure> {
        self.file.finish().map_err(|error| Failure::output(&self.path, &error))
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

/// A drawing that is to be written: SVG or PNG, by its name.
pub struct ImageFile {
    file: OutputFile,
    png: bool,
}

impl ImageFile {
    /// Opens the file that was asked for, if any. Fails if its name says neither SVG nor PNG.
    pub fn create_if(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let png = match ending.as_deref() {
            Some("svg") => false,
            Some("png") => true,
            _ => {
                let message =
                    format!("{}: expected a name that ends in .svg or .png", path.display());
                return Err(Failure::usage(message, None));
            }
        };
        Ok(Some(ImageFile { file: OutputFile::create(path)?, png }))
    }

    /// Writes the drawing.
    pub fn write(mut self, svg: &str) -> Result<(), Failure> {
        let bytes = match self.png {
            false => svg.as_bytes().to_vec(),
            true => png(svg).map_err(|error| Failure::usage(format!("no chart: {error}"), None))?,
        };
        self.file.write(|out| out.write_all(&bytes))?;
        self.file.finish()
    }
}

/// A file of steps that is to be written: a page or a CSV, by its name.
pub struct TraceFile {
    file: OutputFile,
    format: TraceFormat,
}

impl TraceFile {
    /// Opens the file that was asked for, if any. Fails if its name says neither.
    pub fn create_if(path: Option<&Path>) -> Result<Option<Self>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let format = TraceFormat::of(path)
            .map_err(|expected| Failure::usage(format!("{}: {expected}", path_name(path)), None))?;
        Ok(Some(TraceFile { file: OutputFile::create(path)?, format }))
    }

    /// Writes the steps, of data that is called `source`.
    pub fn write(mut self, traced: Option<Traced>, source: &str) -> Result<(), Failure> {
        // There are steps wherever there is such a file.
        let text = traced.map(|traced| traced.file(self.format, source, &Shell));
        self.file.write(|out| out.write_all(text.unwrap_or_default().as_bytes()))?;
        self.file.finish()
    }
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
