//! Folders and patterns: the part files that a path stands for.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use linsep_data::error::{Error, ErrorKind, path_name};

use crate::Format;

/// Returns the part files that a folder or a pattern stands for, by name; `None` for a plain file.
///
/// They are Parquet or Arrow files by their extension; what begins with `.` or `_` is left out. A
/// pattern has `*` or `?` in its last part.
///
/// Errors if there is no such file, if there are both formats, and if a folder has folders in it.
pub(crate) fn part_files(path: &Path) -> Result<Option<Vec<PathBuf>>, Error> {
    let pattern = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_pattern = pattern.contains(['*', '?']) && !path.exists();
    let found = if path.is_dir() {
        in_folder(path)
    } else if is_pattern {
        by_pattern(path, pattern)
    } else {
        return Ok(None);
    };
    let files = found.and_then(|files| match files.is_empty() {
        true => Err(ErrorKind::NoFiles.into()),
        false => Ok(Some(files)),
    });
    files.map_err(|error| error.in_source(&path_name(path)))
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let names = names_in(folder)?;
    if let Some(name) = names.iter().find(|name| folder.join(name).is_dir()) {
        let found = format!("the folder \"{}\" in it", path_name(name.as_ref()));
        let expected = "part files side by side: partitions in folders are not read";
        return Err(ErrorKind::Unsupported { found, expected }.into());
    }
    of_one_format(names.into_iter().map(|name| folder.join(name)))
}

fn by_pattern(path: &Path, pattern: &str) -> Result<Vec<PathBuf>, Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let names = names_in(folder.unwrap_or(".".as_ref()))?;
    let fits = |name: &OsString| fits(pattern.as_bytes(), name.as_encoded_bytes());
    let fitting = names.into_iter().filter(fits);
    of_one_format(fitting.map(|name| path.with_file_name(name)))
}

/// Returns the names in a folder that stand for data, in order.
fn names_in(folder: &Path) -> Result<Vec<OsString>, Error> {
    let mut names = vec![];
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !matches!(name.as_encoded_bytes(), [b'.' | b'_', ..]) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Returns those that are Parquet or Arrow files.
fn of_one_format(paths: impl Iterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let by_format = |wanted| move |path: &PathBuf| Format::by_extension(path) == Some(wanted);
    let paths: Vec<PathBuf> = paths.collect();
    let [parquet, arrow] = [Format::Parquet, Format::Arrow]
        .map(|format| paths.iter().filter(|path| by_format(format)(path)).cloned().collect());
    match (parquet, arrow) {
        (parquet, arrow) if Vec::is_empty(&arrow) => Ok(parquet),
        (parquet, arrow) if Vec::is_empty(&parquet) => Ok(arrow),
        _ => {
            let found = "Parquet and Arrow files side by side".to_string();
            Err(ErrorKind::Unsupported { found, expected: "one format" }.into())
        }
    }
}

/// Returns whether a name fits a pattern: `*` stands for any bytes, `?` for one character.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern {
        [] => name.is_empty(),
        [b'*', rest @ ..] => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
        [b'?', rest @ ..] => match std::str::from_utf8(name).ok().and_then(|n| n.chars().next()) {
            Some(first) => fits(rest, &name[first.len_utf8()..]),
            None => false,
        },
        [byte, rest @ ..] => name.first() == Some(byte) && fits(rest, &name[1..]),
    }
}
