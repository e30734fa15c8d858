//! Sums over the values of a row, in one order: the value at place k is added to lane k mod 16, and the lanes are added
//! up in one fixed tree. Vector units keep to it too, so a sum has the same bits on every machine.

use super::Element;

/// Number of partial sums that a sum over a row is split into.
pub const LANES: usize = 16;

/// Returns the sum of the lanes.
#[inline(always)]
pub fn sum_of_lanes(lanes: [f64; LANES]) -> f64 {
    let mut eight = [0.0; 8];
    for k in 0..8 {
        eight[k] = lanes[k] + lanes[k + 8];
    }
    let mut four = [0.0; 4];
    for k in 0..4 {
        four[k] = eight[k] + eight[k + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
}

fn squares<T: Element>(x: &[T]) -> f64 {
    let (blocks, rest) = x.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for block in blocks {
        for k in 0..LANES {
            lanes[k] += block[k].widen() * block[k].widen();
        }
    }
    for (lane, v) in lanes.iter_mut().zip(rest) {
        *lane += v.widen() * v.widen();
    }
    sum_of_lanes(lanes)
}

/// Returns the Euclidean length of (x, 1), without overflow or underflow on the way.
///
/// It is infinite only if the length itself exceeds the largest `f64`, and NaN only if a value is.
pub fn extended_norm<T: Element>(x: &[T]) -> f64 {
    let plain = (squares(x) + 1.0).sqrt();
    if plain.is_finite() {
        return plain;
    }
    // Squares overflowed, or a value is not finite: scale by the largest magnitude.
    let largest = x.iter().fold(1.0_f64, |m, v| {
        let v = v.widen().abs();
        if v.is_nan() { f64::NAN } else { m.max(v) }
    });
    let square = |v: f64| v * v;
    let sum: f64 = x.iter().map(|v| square(v.widen() / largest)).sum();
    largest * (sum + square(1.0 / largest)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_survive_extreme_values() {
        let norm = |x: &[f64]| extended_norm(x);
        assert_eq!(norm(&[3.0, 4.0]), 26.0_f64.sqrt());
        assert!((norm(&[3e300, 4e300]) / 5e300 - 1.0).abs() < 1e-15);
        assert_eq!(norm(&[5e-324, 5e-324]), 1.0);
        assert!(norm(&[1.0, f64::NAN]).is_nan());
        assert!(!norm(&[f64::INFINITY]).is_finite());
        assert_eq!(norm(&[f64::MAX, f64::MAX]), f64::INFINITY);
    }
}
