//! The integer equations behind a set of rows: one per coordinate, one unknown per row.
//!
//! ```text
//! sum_i lambda_i y_i (x_i, 1) = 0 is one equation for each coordinate c. A finite f64 is m 2^e,
//! so each equation, times a power of two of its own, has integer entries. Only as large a
//! power as is needed: pixels stay pixels. The 1 at the end of every row leaves nothing to gain
//! from scaling rows as well.
//! ```

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::integers::odd_parts;
use super::modular::Prime;
use super::rows::SignedRows;

/// An integer type wide enough for the entries of some equations.
pub trait Entry: Clone + Send + Sync {
    /// What is left of the right-hand side while it is lifted.
    type Residual;

    /// Returns zero.
    fn zero() -> Self;

    /// Returns mantissa 2^shift.
    fn shifted(mantissa: i64, shift: u32) -> Self;

    /// Returns the residue modulo p.
    fn modulo(&self, p: u64) -> u64;

    /// Returns how many bits the absolute value has.
    fn bits(&self) -> u32;

    /// Returns the integer.
    fn big(&self) -> IBig;

    /// Returns minus the integer, as a right-hand side.
    fn negated(&self) -> Self::Residual;

    /// Returns the residue of a right-hand side modulo p.
    fn residue(residual: &Self::Residual, p: u64) -> u64;

    /// Replaces a right-hand side b by (b - row·digits) / p, which must be an integer.
    fn lift(residual: &mut Self::Residual, row: &[Self], digits: &[u64], p: Prime);
}

/// Returns 1 / p modulo 2^128: Newton's method doubles the correct bits, three to begin with.
fn inverse_of_odd(p: u64) -> i128 {
    let p = i128::from(p);
    (0..6).fold(p, |x, _| x.wrapping_mul(2_i128.wrapping_sub(p.wrapping_mul(x))))
}

/// Entries below 2^62 (pixels, counts, decimals of one size).
///
/// The quotient of a lifting step is below 2^127 though the sum before the division may not be:
/// arithmetic modulo 2^128, where dividing by p is multiplying by its inverse, gives it exactly.
impl Entry for i64 {
    type Residual = i128;

    fn zero() -> Self {
        0
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        mantissa << shift
    }

    fn modulo(&self, p: u64) -> u64 {
        self.rem_euclid(p as i64) as u64
    }

    fn bits(&self) -> u32 {
        64 - self.unsigned_abs().leading_zeros()
    }

    fn big(&self) -> IBig {
        IBig::from(*self)
    }

    fn negated(&self) -> i128 {
        -i128::from(*self)
    }

    fn residue(residual: &i128, p: u64) -> u64 {
        residual.rem_euclid(i128::from(p)) as u64
    }

    fn lift(residual: &mut i128, row: &[Self], digits: &[u64], p: Prime) {
        let sum = row.iter().zip(digits).fold(*residual, |sum, (&a, &x)| {
            sum.wrapping_sub(i128::from(a) * i128::from(x as i64))
        });
        *residual = sum.wrapping_mul(inverse_of_odd(p.0));
    }
}

/// Entries below 2^110 (real numbers of nearby sizes); see `i64` for the arithmetic.
impl Entry for i128 {
    type Residual = i128;

    fn zero() -> Self {
        0
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        i128::from(mantissa) << shift
    }

    fn modulo(&self, p: u64) -> u64 {
        self.rem_euclid(i128::from(p)) as u64
    }

    fn bits(&self) -> u32 {
        128 - self.unsigned_abs().leading_zeros()
    }

    fn big(&self) -> IBig {
        IBig::from(*self)
    }

    fn negated(&self) -> i128 {
        -*self
    }

    fn residue(residual: &i128, p: u64) -> u64 {
        residual.rem_euclid(i128::from(p)) as u64
    }

    fn lift(residual: &mut i128, row: &[Self], digits: &[u64], p: Prime) {
        let sum = row
            .iter()
            .zip(digits)
            .fold(*residual, |sum, (&a, &x)| sum.wrapping_sub(a.wrapping_mul(i128::from(x))));
        *residual = sum.wrapping_mul(inverse_of_odd(p.0));
    }
}

/// Entries of any size (1e300 beside 1e-300): slow, and right.
impl Entry for IBig {
    type Residual = IBig;

    fn zero() -> Self {
        IBig::ZERO
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        IBig::from(mantissa) << shift as usize
    }

    fn modulo(&self, p: u64) -> u64 {
        <IBig as Entry>::residue(self, p)
    }

    fn bits(&self) -> u32 {
        self.bit_len() as u32
    }

    fn big(&self) -> IBig {
        self.clone()
    }

    fn negated(&self) -> IBig {
        -self
    }

    fn residue(residual: &IBig, p: u64) -> u64 {
        let remainder = residual % IBig::from(p);
        let remainder = i64::try_from(remainder).expect("below p");
        remainder.rem_euclid(p as i64) as u64
    }

    fn lift(residual: &mut IBig, row: &[Self], digits: &[u64], p: Prime) {
        for (a, &x) in row.iter().zip(digits) {
            if !a.is_zero() {
                *residual -= a * x;
            }
        }
        *residual /= IBig::from(p.0);
    }
}

/// Where the entries of each equation begin and end in bits, before they are made integers.
pub struct Scale {
    /// The exponent of the lowest bit of each coordinate; `i32::MAX` where all entries are zero.
    lowest: Vec<i32>,
    /// How many bits the largest integer entry will have.
    pub bits: u32,
}

impl Scale {
    /// Returns the scale of the equations of the given rows.
    pub fn new(rows: &SignedRows) -> Self {
        let mut lowest = vec![i32::MAX; rows.dimension];
        let mut highest = vec![i32::MIN; rows.dimension];
        for &(c, value) in (0..rows.len()).flat_map(|place| rows.entries(place)) {
            let (mantissa, exponent) = odd_parts(value);
            let end = exponent + 64 - mantissa.unsigned_abs().leading_zeros() as i32;
            lowest[c] = lowest[c].min(exponent);
            highest[c] = highest[c].max(end);
        }
        let bits = lowest.iter().zip(&highest).filter(|(l, h)| l < h).map(|(l, h)| h - l).max();
        Scale { lowest, bits: bits.unwrap_or(0) as u32 }
    }
}

/// Integer equations, of which only the entries that are not zero are stored.
pub struct Equations<T> {
    /// The coordinate of each equation.
    pub coordinates: Vec<usize>,
    offsets: Vec<usize>,
    unknowns: Vec<u32>,
    entries: Vec<T>,
    count: usize,
}

impl Equations<IBig> {
    /// Returns the equations with these entries, zeros included, for so many unknowns.
    pub fn of_rows(rows: &[Vec<IBig>], count: usize) -> Self {
        let (mut offsets, mut unknowns, mut entries) = (vec![0], vec![], vec![]);
        for row in rows {
            for (unknown, entry) in row.iter().enumerate().filter(|(_, entry)| !entry.is_zero()) {
                unknowns.push(unknown as u32);
                entries.push(entry.clone());
            }
            offsets.push(entries.len());
        }
        Equations { coordinates: (0..rows.len()).collect(), offsets, unknowns, entries, count }
    }
}

impl<T: Entry> Equations<T> {
    /// Returns the equations of the given rows, without those that are zero throughout.
    pub fn new(rows: &SignedRows, scale: &Scale) -> Self {
        let mut stored = vec![0_usize; rows.dimension];
        for (c, _) in (0..rows.len()).flat_map(|place| rows.entries(place)) {
            stored[*c] += 1;
        }
        let coordinates: Vec<usize> = (0..stored.len()).filter(|&c| stored[c] > 0).collect();
        let mut offsets = vec![0];
        // From here on: where the next entry of a coordinate goes.
        let mut next = stored;
        for &c in &coordinates {
            let start = offsets[offsets.len() - 1];
            offsets.push(start + next[c]);
            next[c] = start;
        }
        let total = offsets[offsets.len() - 1];
        let (mut unknowns, mut entries) = (vec![0; total], vec![T::zero(); total]);
        for unknown in 0..rows.len() {
            for &(c, value) in rows.entries(unknown) {
                let (mantissa, exponent) = odd_parts(value);
                unknowns[next[c]] = unknown as u32;
                entries[next[c]] = T::shifted(mantissa, (exponent - scale.lowest[c]) as u32);
                next[c] += 1;
            }
        }
        Equations { coordinates, offsets, unknowns, entries, count: rows.len() }
    }

    /// Returns the number of equations.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Returns the number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.count
    }

    /// Returns the unknowns and the entries of one equation that are not zero, in order.
    pub fn entries(&self, equation: usize) -> impl Iterator<Item = (usize, &T)> {
        let range = self.offsets[equation]..self.offsets[equation + 1];
        self.unknowns[range.clone()].iter().map(|&u| u as usize).zip(&self.entries[range])
    }
}
