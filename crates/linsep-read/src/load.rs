//! Rows in memory where they fit, else on the disk.

use std::path::Path;

use linsep_data::error::Error;
use linsep_data::memory;
use linsep_data::samples::Samples;
use linsep_data::{Data, Memory};

use super::streamed::{StreamOptions, Streamed};
use super::{Format, Opened, ReadOptions, Source, npy, read};

/// Bytes of text assumed per compressed byte: about what gzip and zstd achieve on numbers.
const COMPRESSED: u64 = 3;
/// Bytes per row beside its values: its norm and its label.
const PER_ROW: u64 = 9;
/// Bytes of a value with its index.
const SPARSE_VALUE: u64 = 12;

/// Where rows are to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// In memory if they fit in half of what is free, else on the disk.
    #[default]
    Auto,
    /// In memory.
    Memory,
    /// On the disk.
    Disk,
}

/// Rows that have been read, or are read whenever they are needed.
pub enum Loaded {
    /// They are in memory.
    Memory(Box<Samples>),
    /// They stay on the disk.
    Disk(Box<Streamed>),
}

impl Loaded {
    /// Returns what `work` makes of the rows.
    pub fn show<T>(&self, work: impl FnOnce(&dyn Data) -> T) -> T {
        match self {
            Loaded::Memory(samples) => work(&Memory::new(samples)),
            Loaded::Disk(streamed) => work(&**streamed),
        }
    }
}

/// Bytes that rows would take in memory, about, and bytes that are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// What the rows would take.
    pub needed: u64,
    /// What is free.
    pub free: u64,
}

/// Returns the rows of a source, and the reason if they stay on the disk because memory is short.
/// `progress` is given the number of rows read so far.
///
/// How much memory rows take is told by their beginning and the size of the file. Standard input and pipes have no
/// size, and go into memory unless they are sent to the disk.
///
/// Errors as [`read`] and [`Streamed::open`] do.
pub fn load(
    source: &Source,
    options: &ReadOptions,
    place: Where,
    stream: &StreamOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(Loaded, Option<Room>), Error> {
    let short = match place {
        Where::Auto => room(source, options)
            .map_err(|error| error.in_source(&source.name()))?
            .filter(|room| room.needed > room.free / 2),
        Where::Memory | Where::Disk => None,
    };
    let loaded = match place == Where::Disk || short.is_some() {
        true => Loaded::Disk(Box::new(Streamed::open(source, options, stream, progress)?)),
        false => Loaded::Memory(Box::new(read(source, options, progress)?)),
    };
    Ok((loaded, short))
}

/// Returns what a source would take in memory and what is free, where both are known.
///
/// Errors if the source cannot be opened.
fn room(source: &Source, options: &ReadOptions) -> Result<Option<Room>, Error> {
    let Source::File(path) = source else { return Ok(None) };
    // What is read to learn the size of a pipe would be gone.
    if source.is_read_once() {
        return Ok(None);
    }
    let Some(free) = memory::available() else { return Ok(None) };
    Ok(needed(source, path, options)?.map(|needed| Room { needed, free }))
}

/// Returns about how many bytes the rows of a file take in memory.
fn needed(source: &Source, path: &Path, options: &ReadOptions) -> Result<Option<u64>, Error> {
    let (input, format) = match Opened::open(source, options)? {
        Opened::Bytes(input, format) => (input, format),
        #[cfg(feature = "columnar")]
        Opened::Columns(files) => {
            let rows = files.parts().iter().map(|&rows| rows as u64).sum::<u64>();
            return Ok(Some(rows.saturating_mul(8 * files.names().len() as u64 + PER_ROW)));
        }
    };
    if format == Format::Npy {
        let matrix = npy::NpyMatrix::of(&input)?;
        return Ok(Some(matrix.bytes().saturating_add(matrix.rows() as u64 * PER_ROW)));
    }
    let Ok(size) = std::fs::metadata(path) else { return Ok(None) };
    let compressed = input.file().is_none();
    let size = size.len().saturating_mul(if compressed { COMPRESSED } else { 1 });
    let head = input.head();
    let count = |byte: u8| memchr::memchr_iter(byte, head).count() as u64;
    let rows = count(b'\n') + 1;
    let taken = match format {
        Format::Libsvm => count(b':') * SPARSE_VALUE + rows * (8 + PER_ROW),
        _ => {
            let between = [b',', b'\t', b';', b'|', b' '].map(count).into_iter().max();
            (between.unwrap_or(0) + rows) * 8 + rows * PER_ROW
        }
    };
    let share = size as f64 / head.len().max(1) as f64;
    Ok(Some((taken as f64 * share) as u64))
}
