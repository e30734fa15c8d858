//! Files that calls write: whole or not at all, and never on what was read.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use linsep::data::overwrite::{NamedPlace, refuse_overwriting as refuse};
use linsep::data::whole_file::WholeFile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Raises if `what`, which is to be written to a place, would land on one of the files that were read.
#[pyfunction]
pub fn refuse_overwriting(what: &str, path: PathBuf, inputs: Vec<PathBuf>) -> PyResult<()> {
    refuse_clash(inputs, &NamedPlace::new(what, path))
}

/// Raises if a place that is to be written is one of the files that were read.
pub fn refuse_clash(inputs: Vec<PathBuf>, place: &NamedPlace) -> PyResult<()> {
    let data: Vec<NamedPlace> =
        inputs.into_iter().map(|input| NamedPlace::new("the data", input)).collect();
    refuse(&data, std::slice::from_ref(place))
        .map_err(|clash| PyValueError::new_err(format!("{clash}. Choose another name")))
}

/// Writes a text to a file, which appears whole or not at all.
#[pyfunction]
pub fn write_file(what: &str, path: PathBuf, text: &str, inputs: Vec<PathBuf>) -> PyResult<()> {
    refuse_overwriting(what, path.clone(), inputs)?;
    Ok(write(&path, text.as_bytes())?)
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}
