//! A number as NumPy stores it, of any type and byte order, as `f32` or `f64`.

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::integer;
use linsep_data::samples::Element;

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
pub(super) trait Target: Element + bytemuck::Pod + std::fmt::Display {
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
    pub(super) fn decode<T: Target>(self, bytes: &[u8], out: &mut [T]) {
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
    pub(super) fn require_exact<T: Target>(
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
                    .in_column(Column::Number(column + 1)))
            }
        }
    }
}

/// Returns the integer as a float, NaN if there is no exact one.
fn exact(integer: i128) -> f64 {
    integer::exact(integer).unwrap_or(f64::NAN)
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
