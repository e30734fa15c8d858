//! Sums and products of floats without rounding: two floats hold them.

/// What the second part of a number is multiplied by in its own column, so that the columns are of like size:
/// a power of two. The vector (1 / SHIFT, -1) in both columns, taken with either sign, holds them together.
pub const SHIFT: f64 = (1_u64 << 52) as f64;

/// A number as the sum of two floats; the first is the number rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatPair {
    pub high: f64,
    pub low: f64,
}

impl From<f64> for FloatPair {
    fn from(value: f64) -> Self {
        FloatPair { high: value, low: 0.0 }
    }
}

impl FloatPair {
    /// Returns a - b (Knuth's sum). A difference beyond the range of floats is infinite.
    pub fn difference(a: f64, b: f64) -> Self {
        let high = a - b;
        let part = high - a;
        let low = (a - (high - part)) - (b + part);
        FloatPair { high, low: if high.is_finite() { low } else { 0.0 } }
    }

    /// Returns a b, where a is a small integer. A product beyond the range of floats is infinite.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        FloatPair { high, low: if high.is_finite() { a.mul_add(b, -high) } else { 0.0 } }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let check =
            |found: FloatPair, high: f64, low: f64| assert_eq!(found, FloatPair { high, low });
        check(FloatPair::difference(0.3, 0.1), 0.3 - 0.1, 0.0);
        check(FloatPair::difference(1.0, 2f64.powi(-60)), 1.0, -(2f64.powi(-60)));
        check(FloatPair::difference(1e16, -1.0), 1e16, 1.0);
        check(FloatPair::difference(-1.0, 1e16), -1e16, -1.0);
        check(FloatPair::difference(5.0, 3.0), 2.0, 0.0);
        check(FloatPair::difference(f64::MAX, -f64::MAX), f64::INFINITY, 0.0);
        check(FloatPair::product(3.0, 0.1), 3.0 * 0.1, -(2f64.powi(-55)));
        check(FloatPair::product(-2.0, 0.1), -0.2, 0.0);
        check(FloatPair::product(3.0, 5e-324), 1.5e-323, 0.0);
    }
}
