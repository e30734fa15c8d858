//! The values of an npy file: from bytes of any type, byte order and layout to `f32` or `f64`.

use std::io::Read;

use rayon::prelude::*;

use super::header::damaged;
use crate::error::{Error, ErrorKind};
use crate::kernels::Element;
use crate::read::compression::read_error;

/// Rows and columns of the tile in which a matrix is transposed: it fits the fastest cache.
const TILE_ROWS: usize = 64;
const TILE_COLUMNS: usize = 16;

/// A type of number that NumPy stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Bool,
    Float(usize),
    Signed(usize),
    Unsigned(usize),
}

/// A type of number and its byte order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) scalar: Scalar,
    big_endian: bool,
}

/// The float a number is kept as: the smaller that holds all values of its type.
pub(super) trait Target: Element + std::fmt::Display {
    fn from_f32(value: f32) -> Self;
    fn from_f64(value: f64) -> Self;
}

impl Target for f32 {
    fn from_f32(value: f32) -> Self {
        value
    }
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Target for f64 {
    fn from_f32(value: f32) -> Self {
        f64::from(value)
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Number {
    /// Returns the type that NumPy spells so, or `None` if it cannot be read.
    pub(super) fn parse(descr: &str) -> Option<Self> {
        let (order, kind) = descr.split_at_checked(1)?;
        let big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            "=" => cfg!(target_endian = "big"),
            _ => return None,
        };
        let scalar = match kind {
            "b1" | "?" => Scalar::Bool,
            "f4" => Scalar::Float(4),
            "f8" => Scalar::Float(8),
            "i1" => Scalar::Signed(1),
            "i2" => Scalar::Signed(2),
            "i4" => Scalar::Signed(4),
            "i8" => Scalar::Signed(8),
            "u1" => Scalar::Unsigned(1),
            "u2" => Scalar::Unsigned(2),
            "u4" => Scalar::Unsigned(4),
            "u8" => Scalar::Unsigned(8),
            _ => return None,
        };
        Some(Number { scalar, big_endian })
    }

    /// Returns the number of bytes of a value.
    pub(super) fn bytes(self) -> usize {
        match self.scalar {
            Scalar::Bool => 1,
            Scalar::Float(bytes) | Scalar::Signed(bytes) | Scalar::Unsigned(bytes) => bytes,
        }
    }

    /// Returns true if `f32` holds all values of this type.
    pub(super) fn fits_f32(self) -> bool {
        match self.scalar {
            Scalar::Float(bytes) => bytes == 4,
            _ => self.bytes() <= 2,
        }
    }

    /// Returns true if the bytes are those of a float in this machine's order.
    pub(super) fn is_native_float(self) -> bool {
        matches!(self.scalar, Scalar::Float(_)) && self.big_endian == cfg!(target_endian = "big")
    }

    /// Returns true if `f64` may not hold a value of this type exactly.
    fn may_be_inexact(self) -> bool {
        matches!(self.scalar, Scalar::Signed(8) | Scalar::Unsigned(8))
    }

    /// Writes the values in `bytes` to `out`. An integer that has no exact form becomes NaN.
    fn decode<T: Target>(self, bytes: &[u8], out: &mut [T]) {
        let big = self.big_endian;
        match self.scalar {
            Scalar::Bool => each(bytes, out, big, |[b]: [u8; 1]| T::from_f32(f32::from(b != 0))),
            Scalar::Float(4) => each(bytes, out, big, |b| T::from_f32(f32::from_le_bytes(b))),
            Scalar::Float(_) => each(bytes, out, big, |b| T::from_f64(f64::from_le_bytes(b))),
            Scalar::Signed(1) => {
                each(bytes, out, big, |b| T::from_f32(i8::from_le_bytes(b).into()))
            }
            Scalar::Signed(2) => {
                each(bytes, out, big, |b| T::from_f32(i16::from_le_bytes(b).into()))
            }
            Scalar::Signed(4) => {
                each(bytes, out, big, |b| T::from_f64(i32::from_le_bytes(b).into()))
            }
            Scalar::Signed(_) => {
                each(bytes, out, big, |b| T::from_f64(exact(i64::from_le_bytes(b).into())));
            }
            Scalar::Unsigned(1) => each(bytes, out, big, |[b]: [u8; 1]| T::from_f32(b.into())),
            Scalar::Unsigned(2) => {
                each(bytes, out, big, |b| T::from_f32(u16::from_le_bytes(b).into()))
            }
            Scalar::Unsigned(4) => {
                each(bytes, out, big, |b| T::from_f64(u32::from_le_bytes(b).into()))
            }
            Scalar::Unsigned(_) => {
                each(bytes, out, big, |b| T::from_f64(exact(u64::from_le_bytes(b).into())));
            }
        }
    }

    /// Returns a value as text: integers without decimals, floats in their shortest form.
    pub(super) fn spell(self, bytes: &[u8]) -> String {
        match self.scalar {
            Scalar::Float(4) => {
                let mut value = [0.0f32];
                self.decode(bytes, &mut value);
                value[0].to_string()
            }
            Scalar::Signed(_) | Scalar::Unsigned(_) => self.integer(bytes).to_string(),
            _ => {
                let mut value = [0.0f64];
                self.decode(bytes, &mut value);
                value[0].to_string()
            }
        }
    }

    fn integer(self, bytes: &[u8]) -> i128 {
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        if self.big_endian {
            wide[..bytes.len()].reverse();
        }
        let unused = 128 - 8 * bytes.len() as u32;
        match self.scalar {
            // Shifting up and down again copies the sign bit.
            Scalar::Signed(_) => i128::from_le_bytes(wide) << unused >> unused,
            _ => i128::from_le_bytes(wide),
        }
    }

    /// Errors if a value among `out`, which was made of `bytes`, is not exact.
    fn require_exact<T: Target>(
        self,
        bytes: &[u8],
        out: &[T],
        place: impl Fn(usize) -> (usize, usize),
    ) -> Result<(), Error> {
        if !self.may_be_inexact() {
            return Ok(());
        }
        match out.iter().position(|value| value.widen().is_nan()) {
            None => Ok(()),
            Some(k) => {
                let found = self.spell(&bytes[k * self.bytes()..][..self.bytes()]);
                let (row, column) = place(k);
                Err(ErrorKind::Inexact { found }
                    .at_row(row as u64 + 1)
                    .in_column(crate::error::Column::Number(column + 1)))
            }
        }
    }
}

/// Returns the integer as a float, NaN if there is no exact one.
fn exact(integer: i128) -> f64 {
    let value = integer as f64;
    if value as i128 == integer { value } else { f64::NAN }
}

#[inline(always)]
fn each<const N: usize, T>(bytes: &[u8], out: &mut [T], big: bool, decode: impl Fn([u8; N]) -> T) {
    for (out, value) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
        let mut value = *value;
        if big {
            value.reverse();
        }
        *out = decode(value);
    }
}

/// The bytes of the values, which have to be as many as the header says.
pub(super) struct Payload {
    reader: Box<dyn Read + Send>,
    expected: u64,
    found: u64,
}

impl Payload {
    /// Returns the bytes that `reader` is at, of which `expected` belong to values.
    pub(super) fn new(reader: Box<dyn Read + Send>, expected: u64) -> Self {
        Payload { reader, expected, found: 0 }
    }

    /// Fills `buffer` with the next bytes, `limit` at most; it is empty at the end.
    ///
    /// Errors if the file ends early.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<(), Error> {
        buffer.clear();
        let wanted = (limit as u64).min(self.expected - self.found);
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
pub(super) fn too_short(expected: u64, found: u64) -> Error {
    damaged(format!("expected {expected} bytes of values, found {found}"))
}

/// Returns room for so many values. Errors if there is no such memory.
fn room<T>(count: usize) -> Result<Vec<T>, Error> {
    let mut values = vec![];
    values.try_reserve_exact(count).map_err(|_| {
        let bytes = count.saturating_mul(size_of::<T>());
        std::io::Error::new(std::io::ErrorKind::OutOfMemory, format!("no memory for {bytes} bytes"))
    })?;
    Ok(values)
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
    let mut values: Vec<T> = room(count)?;
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
    // Memory is asked for once to learn whether there is any, and then as zeroed pages.
    drop(room::<T>(rows * columns)?);
    let mut values = vec![T::default(); rows * columns];
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

/// Writes whole columns, the first of which is column `first`, into a matrix stored row by row.
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
