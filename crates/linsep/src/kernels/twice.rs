//! Sums of products in twice the precision.
//!
//! A number is the sum of two floats; the second is the rounding error of the first. Every product
//! and every sum is split into its rounded value and its error, which is a float itself, so results do not
//! depend on whether a machine has a fused multiply-add; a dot product has eight lanes that are added up in
//! one fixed order.
//!
//! Reference: T. Ogita, S. Rump and S. Oishi, Accurate sum and dot product, SIAM Journal on Scientific
//! Computing 26 (2005).

use std::ops::{Add, Div, Mul, Neg, Sub};

const LANES: usize = 8;

/// A number of twice the precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twice {
    /// The nearest float.
    pub high: f64,
    /// What is left.
    pub low: f64,
}

impl From<f64> for Twice {
    fn from(high: f64) -> Self {
        Twice { high, low: 0.0 }
    }
}

impl Twice {
    /// Returns the sum of two floats, the second small against the first.
    #[inline(always)]
    fn of(high: f64, low: f64) -> Self {
        let sum = high + low;
        Twice { high: sum, low: low - (sum - high) }
    }

    /// Returns the magnitude.
    pub fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }
}

/// Returns the rounded sum and its error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let back = sum - a;
    (sum, (a - (sum - back)) + (b - back))
}

/// Returns the rounded product and its error.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

impl Add for Twice {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (sum, error) = two_sum(self.high, other.high);
        Twice::of(sum, error + (self.low + other.low))
    }
}

impl Neg for Twice {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Twice { high: -self.high, low: -self.low }
    }
}

impl Sub for Twice {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Twice {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        Twice::of(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twice {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Twice::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Twice::from(second);
        Twice::of(first, second) + Twice::from(rest.high / other.high)
    }
}

/// Returns a·b. Both have the same length.
pub fn dot(a: &[f64], b: &[f64]) -> Twice {
    #[cfg(target_arch = "x86_64")]
    if has_fused() {
        // SAFETY: this machine has what the function needs.
        return unsafe { dot_fused(a, b) };
    }
    dot_lanes(a, b)
}

/// Adds c x to w. Both have the same length.
pub fn axpy(c: Twice, x: &[Twice], w: &mut [Twice]) {
    #[cfg(target_arch = "x86_64")]
    if has_fused() {
        // SAFETY: this machine has what the function needs.
        return unsafe { axpy_fused(c, x, w) };
    }
    axpy_loop(c, x, w);
}

#[cfg(target_arch = "x86_64")]
fn has_fused() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn dot_fused(a: &[f64], b: &[f64]) -> Twice {
    dot_lanes(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn axpy_fused(c: Twice, x: &[Twice], w: &mut [Twice]) {
    axpy_loop(c, x, w);
}

#[inline(always)]
fn dot_lanes(a: &[f64], b: &[f64]) -> Twice {
    let (mut sums, mut errors) = ([0.0; LANES], [0.0; LANES]);
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        add_block(a, b, &mut sums, &mut errors);
    }
    if !a_rest.is_empty() {
        let (mut a_last, mut b_last) = ([0.0; LANES], [0.0; LANES]);
        a_last[..a_rest.len()].copy_from_slice(a_rest);
        b_last[..b_rest.len()].copy_from_slice(b_rest);
        add_block(&a_last, &b_last, &mut sums, &mut errors);
    }
    let lanes = sums.iter().zip(&errors);
    lanes.fold(Twice::default(), |total, (&sum, &error)| total + Twice::of(sum, error))
}

// No closure: it would not be compiled for the same machine.
#[inline(always)]
fn add_block(
    a: &[f64; LANES],
    b: &[f64; LANES],
    sums: &mut [f64; LANES],
    errors: &mut [f64; LANES],
) {
    for k in 0..LANES {
        let (product, lost) = two_product(a[k], b[k]);
        let (sum, error) = two_sum(sums[k], product);
        sums[k] = sum;
        errors[k] += error + lost;
    }
}

#[inline(always)]
fn axpy_loop(c: Twice, x: &[Twice], w: &mut [Twice]) {
    for (w, &x) in w.iter_mut().zip(x) {
        *w = *w + c * x;
    }
}

#[cfg(test)]
mod tests {
    use super::super::power_of_two;
    use super::*;

    #[test]
    fn what_floats_lose_is_kept() {
        assert_eq!(dot(&[1e17, 1.0, -1e17], &[1.0, 1.0, 1.0]), Twice::from(1.0));
        let third = Twice::from(1.0) / Twice::from(3.0);
        let back = third * Twice::from(3.0) - Twice::from(1.0);
        assert!(back.high.abs() < 1e-31, "{back:?}");
        let tiny = Twice::from(power_of_two(-60));
        let sum = Twice::from(1.0) + tiny;
        assert_eq!(sum - Twice::from(1.0), tiny);
        assert_eq!((-sum).abs(), sum);
    }

    #[test]
    fn every_way_gives_the_same() {
        let mut state = 1_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for length in [0, 1, 7, 8, 9, 100] {
            let a: Vec<f64> = (0..length).map(|_| number()).collect();
            let b: Vec<f64> = (0..length).map(|_| number()).collect();
            assert_eq!(dot(&a, &b), dot_lanes(&a, &b));
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b).high - plain).abs() < 1e-14);
            let x: Vec<Twice> = a.iter().map(|&a| Twice { high: a, low: a * 1e-17 }).collect();
            let (mut one, mut other) = (x.clone(), x.clone());
            axpy(x.first().copied().unwrap_or_default(), &x, &mut one);
            axpy_loop(x.first().copied().unwrap_or_default(), &x, &mut other);
            assert_eq!(one, other);
        }
    }
}
