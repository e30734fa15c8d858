//! The integer equations behind a set of rows: one per coordinate, one unknown per row.
//!
//! ```text
//! sum_i lambda_i y_i (x_i, 1) = 0 is one equation for each coordinate c. A finite f64 is m 2^e,
//! so each equation, times a power of two of its own, has integer entries. Only as large a
//! power as is needed: pixels stay pixels. The 1 at the end of every row leaves nothing to gain
//! from scaling rows as well.
//! ```

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::integers::odd_parts;
use super::modular::Prime;
use super::rows::SignedRows;

/// An integer type wide enough for the entries of some equations.
pub trait EquationEntry: Clone + Send + Sync {
    /// What is left of the right-hand side while it is lifted.
    type Residual;

    /// Returns zero.
    fn zero() -> Self;

    /// Returns mantissa 2^shift.
    fn shifted(mantissa: i64, shift: u32) -> Self;

    /// Returns an integer that is known to fit.
    fn narrowed(value: &IBig) -> Self;

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
impl EquationEntry for i64 {
    type Residual = i128;

    fn zero() -> Self {
        0
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        mantissa << shift
    }

    fn narrowed(value: &IBig) -> Self {
        value.try_into().expect("it fits")
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
impl EquationEntry for i128 {
    type Residual = i128;

    fn zero() -> Self {
        0
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        i128::from(mantissa) << shift
    }

    fn narrowed(value: &IBig) -> Self {
        value.try_into().expect("it fits")
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

/// An entry m 2^s: a float of any size (1e300 beside 1e-300) without its many zeros.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifted {
    mantissa: i64,
    shift: u32,
}

impl Shifted {
    /// Returns true if an integer is a power of two times one that fits.
    pub fn holds(value: &IBig) -> bool {
        value.bit_len() - value.trailing_zeros().unwrap_or(0) <= 62
    }
}

impl EquationEntry for Shifted {
    type Residual = IBig;

    fn zero() -> Self {
        Shifted { mantissa: 0, shift: 0 }
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        Shifted { mantissa, shift }
    }

    fn narrowed(value: &IBig) -> Self {
        let shift = value.trailing_zeros().unwrap_or(0);
        let mantissa = i64::try_from(value >> shift).expect("it fits");
        Shifted { mantissa, shift: shift as u32 }
    }

    fn modulo(&self, p: u64) -> u64 {
        let prime = Prime(p);
        let (mut power, mut base, mut left) = (1, 2, self.shift);
        while left > 0 {
            if left & 1 == 1 {
                power = prime.times(power, base);
            }
            base = prime.times(base, base);
            left >>= 1;
        }
        prime.times(self.mantissa.rem_euclid(p as i64) as u64, power)
    }

    fn bits(&self) -> u32 {
        match self.mantissa {
            0 => 0,
            _ => 64 - self.mantissa.unsigned_abs().leading_zeros() + self.shift,
        }
    }

    fn big(&self) -> IBig {
        IBig::from(self.mantissa) << self.shift as usize
    }

    fn negated(&self) -> IBig {
        -self.big()
    }

    fn residue(residual: &IBig, p: u64) -> u64 {
        <IBig as EquationEntry>::residue(residual, p)
    }

    /// Positive and negative terms are added up word by word, each where its shift puts it.
    fn lift(residual: &mut IBig, row: &[Self], digits: &[u64], p: Prime) {
        let longest = row.iter().map(|a| a.shift).max().unwrap_or(0) as usize;
        // Three words hold a term, and one more the carries of all.
        let mut sums = [vec![0_u64; longest / 64 + 4], vec![0_u64; longest / 64 + 4]];
        for (a, &x) in row.iter().zip(digits).filter(|(a, _)| a.mantissa != 0) {
            let sum = &mut sums[usize::from(a.mantissa < 0)];
            let product = u128::from(a.mantissa.unsigned_abs()) * u128::from(x);
            let (word, bit) = (a.shift as usize / 64, a.shift % 64);
            let low = product << bit;
            let high = product.checked_shr(128 - bit).unwrap_or(0);
            let parts = [low as u64, (low >> 64) as u64, high as u64];
            let mut carry = false;
            for (k, place) in sum[word..].iter_mut().enumerate() {
                if k >= parts.len() && !carry {
                    break;
                }
                let (first, over) = place.overflowing_add(*parts.get(k).unwrap_or(&0));
                let (second, again) = first.overflowing_add(u64::from(carry));
                (*place, carry) = (second, over || again);
            }
        }
        let [positive, negative] = sums.map(|words| IBig::from(UBig::from_words(&words)));
        *residual = (&*residual - positive + negative) / IBig::from(p.0);
    }
}

/// Entries of any size: slow, and right.
impl EquationEntry for IBig {
    type Residual = IBig;

    fn zero() -> Self {
        IBig::ZERO
    }

    fn shifted(mantissa: i64, shift: u32) -> Self {
        IBig::from(mantissa) << shift as usize
    }

    fn narrowed(value: &IBig) -> Self {
        value.clone()
    }

    fn modulo(&self, p: u64) -> u64 {
        <IBig as EquationEntry>::residue(self, p)
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
pub struct IntegerScale {
    /// The exponent of the lowest bit of each coordinate; `i32::MAX` where all entries are zero.
    lowest: Vec<i32>,
    /// How many bits the largest integer entry will have.
    pub bits: u32,
}

impl IntegerScale {
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
        IntegerScale { lowest, bits: bits.unwrap_or(0) as u32 }
    }

    /// Returns a row with each coordinate made integer.
    pub fn integers(&self, rows: &SignedRows, place: usize) -> Vec<IBig> {
        let mut integers = vec![IBig::ZERO; rows.dimension];
        for &(c, value) in rows.entries(place) {
            let (mantissa, exponent) = odd_parts(value);
            integers[c] = IBig::from(mantissa) << (exponent - self.lowest[c]) as usize;
        }
        integers
    }

    /// Returns weights for rows as they stand, given those for rows that were made integer; all times one
    /// power of two.
    pub fn weights(&self, mut weights: Vec<IBig>) -> Vec<IBig> {
        let highest = self.stored().max().unwrap_or(0);
        for (weight, &lowest) in weights.iter_mut().zip(&self.lowest) {
            // Where all rows are zero any weight will do.
            *weight <<= highest.saturating_sub(lowest).max(0) as usize;
        }
        weights
    }

    /// Returns weights for rows that are made integer, given those for rows as they stand; all times one
    /// power of two.
    pub fn unscaled(&self, weights: &[IBig]) -> Vec<IBig> {
        let least = self.stored().min().unwrap_or(0);
        let shift = |lowest: i32| if lowest < i32::MAX { lowest - least } else { 0 };
        weights.iter().zip(&self.lowest).map(|(w, &lowest)| w << shift(lowest) as usize).collect()
    }

    fn stored(&self) -> impl Iterator<Item = i32> + '_ {
        self.lowest.iter().copied().filter(|&lowest| lowest < i32::MAX)
    }
}

/// Integer equations; only the entries that are not zero are stored.
pub struct Equations<T> {
    /// The coordinate of each equation.
    pub coordinates: Vec<usize>,
    offsets: Vec<usize>,
    unknowns: Vec<u32>,
    entries: Vec<T>,
    count: usize,
}

impl<T: EquationEntry> Equations<T> {
    /// Returns the equations with these entries, zeros included, for `count` unknowns.
    pub fn of_rows(rows: &[Vec<IBig>], count: usize) -> Self {
        let (mut offsets, mut unknowns, mut entries) = (vec![0], vec![], vec![]);
        for row in rows {
            for (unknown, entry) in row.iter().enumerate().filter(|(_, entry)| !entry.is_zero()) {
                unknowns.push(unknown as u32);
                entries.push(T::narrowed(entry));
            }
            offsets.push(entries.len());
        }
        Equations { coordinates: (0..rows.len()).collect(), offsets, unknowns, entries, count }
    }

    /// Returns the equations of the given rows, without those that are zero throughout.
    pub fn new(rows: &SignedRows, scale: &IntegerScale) -> Self {
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
