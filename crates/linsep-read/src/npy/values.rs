//! The values of an npy file, by row or by column, as rows of `f32` or `f64`.

use std::io::Read;

use linsep_data::error::Error;
use linsep_data::memory;
use rayon::prelude::*;

use super::header::damaged;
use super::number::{Number, Target};
use crate::compression::read_error;

/// Rows and columns of the tile in which a matrix is transposed: it fits the fastest cache.
const TILE_ROWS: usize = 64;
const TILE_COLUMNS: usize = 16;

/// The bytes of the values, which have to be as many as the header says.
pub(super) struct Payload {
    reader: Box<dyn Read + Send>,
    expected: u64,
    found: u64,
}

impl Payload {
    /// Returns the bytes that `reader` is at; the first `expected` of them belong to values.
    pub(super) fn new(reader: Box<dyn Read + Send>, expected: u64) -> Self {
        Payload { reader, expected, found: 0 }
    }

    /// Fills `buffer` with the next bytes, `limit` at most; it is empty at the end.
    ///
    /// Errors if the file ends early.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<(), Error> {
        buffer.clear();
        let wanted = (limit as u64).min(self.expected - self.found);
        if buffer.capacity() as u64 <= wanted {
            memory::require(wanted)?;
        }
        let count = (&mut self.reader).take(wanted).read_to_end(buffer).map_err(read_error)?;
        self.found += count as u64;
        if (count as u64) < wanted { Err(too_short(self.expected, self.found)) } else { Ok(()) }
    }

    /// Fills `bytes` with the next bytes. Errors if the file ends early.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.reader.read(&mut bytes[filled..]) {
                Ok(0) => return Err(too_short(self.expected, self.found)),
                Ok(count) => {
                    filled += count;
                    self.found += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(read_error(error)),
            }
        }
        Ok(())
    }
}

/// Returns the error of a file that ends early.
pub(crate) fn too_short(expected: u64, found: u64) -> Error {
    damaged(format!("expected {expected} bytes of values, found {found}"))
}

/// Returns a matrix stored row by row. `block` values are read at a time.
pub(super) fn read_rows<T: Target>(
    payload: &mut Payload,
    number: Number,
    (rows, columns): (usize, usize),
    block: usize,
    progress: &dyn Fn(u64),
) -> Result<Vec<T>, Error> {
    let count = rows * columns;
    memory::require_values::<T>(count)?;
    let mut values: Vec<T> = Vec::with_capacity(count);
    let mut buffer = vec![];
    while values.len() < count {
        let from = values.len();
        values.resize((from + block).min(count), T::default());
        let new = &mut values[from..];
        if number.is_native_float() && number.bytes() == size_of::<T>() {
            payload.fill(bytemuck::cast_slice_mut(new))?;
        } else {
            payload.next(&mut buffer, new.len() * number.bytes())?;
            number.decode(&buffer, new);
            let place = |k| ((from + k) / columns, (from + k) % columns);
            number.require_exact(&buffer, new, place)?;
        }
        progress((values.len() / columns) as u64);
    }
    Ok(values)
}

/// Returns a matrix stored column by column, some columns of about `block` values being read at a
/// time.
pub(super) fn read_columns<T: Target>(
    payload: &mut Payload,
    number: Number,
    (rows, columns): (usize, usize),
    block: usize,
) -> Result<Vec<T>, Error> {
    let mut values = memory::filled(T::default(), rows * columns)?;
    let at_once = (block / rows).max(1);
    let mut buffer = vec![];
    let mut first = 0;
    while first < columns {
        let count = at_once.min(columns - first);
        payload.next(&mut buffer, count * rows * number.bytes())?;
        transpose(number, &buffer, &mut values, (rows, columns), first)?;
        first += count;
    }
    Ok(values)
}

/// Writes whole columns, from column `first` on, into a matrix stored row by row.
///
/// Errors if an integer is not exact.
pub(super) fn transpose<T: Target>(
    number: Number,
    bytes: &[u8],
    values: &mut [T],
    (rows, columns): (usize, usize),
    first: usize,
) -> Result<(), Error> {
    let size = number.bytes();
    let count = bytes.len() / (rows * size);
    let faults: Vec<Result<(), Error>> = values
        .par_chunks_mut(TILE_ROWS * columns)
        .enumerate()
        .map(|(band, out)| {
            let (top, height) = (band * TILE_ROWS, out.len() / columns);
            let mut tile = [T::default(); TILE_ROWS * TILE_COLUMNS];
            for left in (0..count).step_by(TILE_COLUMNS) {
                let width = TILE_COLUMNS.min(count - left);
                for k in 0..width {
                    let start = ((left + k) * rows + top) * size;
                    let column = &bytes[start..start + height * size];
                    let part = &mut tile[k * TILE_ROWS..k * TILE_ROWS + height];
                    number.decode(column, part);
                    number.require_exact(column, part, |i| (top + i, first + left + k))?;
                }
                for i in 0..height {
                    let row = &mut out[i * columns + first + left..][..width];
                    for (k, value) in row.iter_mut().enumerate() {
                        *value = tile[k * TILE_ROWS + i];
                    }
                }
            }
            Ok(())
        })
        .filter(Result::is_err)
        .collect();
    faults.into_iter().next().unwrap_or(Ok(()))
}
