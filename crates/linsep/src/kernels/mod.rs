//! Dot products, updates and block scores: the loops in which all time is spent.
//!
//! Every dot product has one definition: both vectors are padded with zeros to a multiple of
//! sixteen, element k is added to lane k mod 16 with a separate multiply and add, and the lanes
//! are added up in one fixed tree. The widest vector unit found at run time does the work, yet the
//! result is the same to the last bit on every machine. No fused multiply-add is used, since older
//! machines could not reproduce it; a score pass is bound by memory, so that costs nothing.

pub mod logistic;
mod prefetch;
pub mod product;
mod rows;
pub mod twice;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use rows::RowArithmetic;

use linsep_data::samples::Element;
use linsep_data::samples::lanes::{LANES, sum_of_lanes};

use prefetch::{prefetch, rows_ahead};

/// A stored value, with the loops over slices of it. Arithmetic is always in `f64`.
pub trait Arithmetic: Element {
    /// Returns w·x. Both slices have the same length.
    fn dot(w: &[f64], x: &[Self]) -> f64;
    /// Adds c x to w. Both slices have the same length.
    fn axpy(c: f64, x: &[Self], w: &mut [f64]);
    /// Adds c x to w, each term rounded to the grid. Both slices have the same length.
    fn axpy_on(grid: Grid, c: f64, x: &[Self], w: &mut [f64]);
    /// Writes w·x for each row x to `out`. Row i starts at `i * stride` of `rows` and has as many
    /// values as `w`.
    fn scores(w: &[f64], rows: &[Self], stride: usize, out: &mut [f64]);
}

/// Returns the exponent of the largest power of two that is not above the magnitude of a number, which
/// is not subnormal.
pub fn exponent(value: f64) -> i32 {
    (value.to_bits() >> 52 & 0x7ff) as i32 - 1023
}

/// Returns 2^exponent: zero where that is below the smallest float, infinity where it is above the largest. The
/// standard library does not say how exact its powers are.
pub fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022.. => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074.. => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

/// Multiples of one power of two, so wide that sums of them lose nothing: such a sum is the same to
/// the last bit in whatever order, and in whatever parts, it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// One and a half times the number whose last bit is the width of the grid: what is added to it
    /// is rounded to the grid.
    anchor: f64,
}

impl Grid {
    /// Returns the finest grid on which `terms` numbers of magnitude at most `largest`, and all sums
    /// of some of them, are exact.
    ///
    /// # Panics
    /// If `largest` is not a number between 2^-400 and 2^400.
    pub fn new(terms: usize, largest: f64) -> Self {
        let total = terms as f64 * largest;
        assert!((1e-120..1e120).contains(&largest), "sums of numbers of ordinary size");
        // The next power of two, and one more bit, which the anchor needs.
        let above = exponent(total) + 2;
        // A sum below 2^above is exact on a grid of width 2^(above - 52).
        Grid { anchor: 1.5 * power_of_two(above) }
    }

    /// Returns the nearest number on the grid.
    #[inline(always)]
    pub fn round(self, value: f64) -> f64 {
        (value + self.anchor) - self.anchor
    }
}

/// The definition, for machines without a vector unit that is known here.
#[inline(always)]
fn dot_lanes<T: Element>(w: &[f64], x: &[T]) -> f64 {
    let (w_blocks, w_rest) = w.as_chunks::<LANES>();
    let (x_blocks, x_rest) = x.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (wb, xb) in w_blocks.iter().zip(x_blocks) {
        for k in 0..LANES {
            lanes[k] += wb[k] * xb[k].widen();
        }
    }
    if !w_rest.is_empty() {
        let mut terms = [0.0; LANES];
        for (term, (a, b)) in terms.iter_mut().zip(w_rest.iter().zip(x_rest)) {
            *term = a * b.widen();
        }
        for k in 0..LANES {
            lanes[k] += terms[k];
        }
    }
    sum_of_lanes(lanes)
}

#[inline(always)]
fn axpy_loop<T: Element>(c: f64, x: &[T], w: &mut [f64]) {
    for (w, &x) in w.iter_mut().zip(x) {
        *w += c * x.widen();
    }
}

#[inline(always)]
fn axpy_on_loop<T: Element>(grid: Grid, c: f64, x: &[T], w: &mut [f64]) {
    for (w, &x) in w.iter_mut().zip(x) {
        *w += grid.round(c * x.widen());
    }
}

/// Runs `dot` on each row: see [`Arithmetic::scores`].
#[inline(always)]
fn each_row<T: Element>(
    w: &[f64],
    rows: &[T],
    stride: usize,
    out: &mut [f64],
    dot: impl Fn(&[f64], &[T]) -> f64,
) {
    let ahead = rows_ahead::<T>(stride);
    for (i, out) in out.iter_mut().enumerate() {
        if let Some(later) = rows.get((i + ahead) * stride..(i + ahead + 1) * stride) {
            prefetch(later);
        }
        *out = dot(w, &rows[i * stride..i * stride + w.len()]);
    }
}

// A macro, since functions for a vector unit are written for concrete types.
macro_rules! arithmetic {
    ($type:ty, $x86:ident) => {
        impl Arithmetic for $type {
            #[inline]
            fn dot(w: &[f64], x: &[Self]) -> f64 {
                assert_eq!(w.len(), x.len());
                #[cfg(target_arch = "x86_64")]
                if let Some(unit) = x86::Unit::detect() {
                    return x86::$x86::dot(unit, w, x);
                }
                dot_lanes(w, x)
            }

            #[inline]
            fn axpy(c: f64, x: &[Self], w: &mut [f64]) {
                assert_eq!(w.len(), x.len());
                #[cfg(target_arch = "x86_64")]
                if let Some(unit) = x86::Unit::detect() {
                    return x86::$x86::axpy(unit, c, x, w);
                }
                axpy_loop(c, x, w)
            }

            #[inline]
            fn axpy_on(grid: Grid, c: f64, x: &[Self], w: &mut [f64]) {
                assert_eq!(w.len(), x.len());
                #[cfg(target_arch = "x86_64")]
                if let Some(unit) = x86::Unit::detect() {
                    return x86::$x86::axpy_on(unit, grid, c, x, w);
                }
                axpy_on_loop(grid, c, x, w)
            }

            fn scores(w: &[f64], rows: &[Self], stride: usize, out: &mut [f64]) {
                #[cfg(target_arch = "x86_64")]
                if let Some(unit) = x86::Unit::detect() {
                    return x86::$x86::scores(unit, w, rows, stride, out);
                }
                each_row(w, rows, stride, out, dot_lanes)
            }
        }
    };
}

arithmetic!(f64, double);
arithmetic!(f32, single);

/// Returns w·x for a sparse row x: values at strictly increasing indices, all below `w.len()`.
///
/// Four partial sums in a fixed order, as above.
#[inline]
pub fn sparse_dot(w: &[f64], indices: &[u32], values: &[f64]) -> f64 {
    let (index_blocks, index_rest) = indices.as_chunks::<4>();
    let (value_blocks, value_rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for (ib, vb) in index_blocks.iter().zip(value_blocks) {
        for k in 0..4 {
            lanes[k] += w[ib[k] as usize] * vb[k];
        }
    }
    for (lane, (&i, &v)) in lanes.iter_mut().zip(index_rest.iter().zip(value_rest)) {
        *lane += w[i as usize] * v;
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// Adds c x to w for a sparse row x.
#[inline]
pub fn sparse_axpy(c: f64, indices: &[u32], values: &[f64], w: &mut [f64]) {
    for (&i, &v) in indices.iter().zip(values) {
        w[i as usize] += c * v;
    }
}

/// Adds c x to w for a sparse row x, each term rounded to the grid.
#[inline]
pub fn sparse_axpy_on(grid: Grid, c: f64, indices: &[u32], values: &[f64], w: &mut [f64]) {
    for (&i, &v) in indices.iter().zip(values) {
        w[i as usize] += grid.round(c * v);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests {
    use super::*;

    fn wave(n: usize, step: f64) -> Vec<f64> {
        (0..n).map(|k| (k as f64 * step).sin() * 3.0).collect()
    }

    #[test]
    fn every_vector_unit_gives_the_bits_of_the_definition() {
        for n in (0..70).chain([100, 127, 1000, 4096]) {
            let (w, x) = (wave(n, 0.7), wave(n, 1.3));
            let x32: Vec<f32> = x.iter().map(|&v| v as f32).collect();
            let expected = (dot_lanes(&w, &x).to_bits(), dot_lanes(&w, &x32).to_bits());
            let mut out = [0.0; 2];
            f64::scores(&w, &x, n, &mut out[..1]);
            f32::scores(&w, &x32, n, &mut out[1..]);
            assert_eq!((out[0].to_bits(), out[1].to_bits()), expected);
            assert_eq!((f64::dot(&w, &x).to_bits(), f32::dot(&w, &x32).to_bits()), expected);
            #[cfg(target_arch = "x86_64")]
            for unit in x86::Unit::all() {
                let found = (x86::double::dot(unit, &w, &x), x86::single::dot(unit, &w, &x32));
                assert_eq!((found.0.to_bits(), found.1.to_bits()), expected, "{unit:?}, {n}");
            }
        }
    }

    #[test]
    fn a_dot_product_is_a_dot_product() {
        let (w, x) = (wave(83, 0.7), wave(83, 1.3));
        let plain: f64 = w.iter().zip(&x).map(|(a, b)| a * b).sum();
        assert!((f64::dot(&w, &x) - plain).abs() < 1e-12);
    }

    #[test]
    fn axpy_adds_elementwise() {
        let mut w = wave(37, 0.1);
        let x = wave(37, 0.9);
        let expected: Vec<f64> = w.iter().zip(&x).map(|(a, b)| a + -0.25 * b).collect();
        f64::axpy(-0.25, &x, &mut w);
        assert_eq!(w, expected);
    }

    #[test]
    fn sums_on_a_grid_are_the_same_in_any_order() {
        let grid = Grid::new(1000, 1.0);
        let terms: Vec<f64> = wave(1000, 0.37).iter().map(|v| v / 3.0).collect();
        let sum = |order: &[usize]| order.iter().fold(0.0, |sum, &k| sum + grid.round(terms[k]));
        let forward: Vec<usize> = (0..1000).collect();
        let jumping: Vec<usize> = (0..1000).map(|k| k * 7 % 1000).collect();
        let halves = sum(&forward[..413]) + sum(&forward[413..]);
        assert_eq!(sum(&forward).to_bits(), sum(&jumping).to_bits());
        assert_eq!(sum(&forward).to_bits(), halves.to_bits());
        let plain: f64 = terms.iter().sum();
        assert!((sum(&forward) - plain).abs() < 1000.0 * power_of_two(-40));
        // All of the largest size, where a bit would be lost first.
        let ones = (0..1000).fold(0.0, |sum, _| sum + grid.round(1.0 - power_of_two(-40)));
        assert_eq!(ones, 1000.0 * grid.round(1.0 - power_of_two(-40)));
    }

    #[test]
    fn grid_updates_have_the_bits_of_the_definition() {
        let grid = Grid::new(5, 3.0);
        for n in [0, 1, 15, 16, 37, 100] {
            let x = wave(n, 0.9);
            let x32: Vec<f32> = x.iter().map(|&v| v as f32).collect();
            let (mut w, mut w32) = (wave(n, 0.1), wave(n, 0.1));
            let (mut plain, mut plain32) = (w.clone(), w.clone());
            f64::axpy_on(grid, -0.3, &x, &mut w);
            f32::axpy_on(grid, -0.3, &x32, &mut w32);
            axpy_on_loop(grid, -0.3, &x, &mut plain);
            axpy_on_loop(grid, -0.3, &x32, &mut plain32);
            assert_eq!((w, w32), (plain, plain32));
        }
    }

    #[test]
    fn sparse_agrees_with_dense() {
        let w = wave(50, 0.3);
        let indices: Vec<u32> = (0..50).step_by(3).collect();
        let values = wave(indices.len(), 0.8);
        let plain: f64 = indices.iter().zip(&values).map(|(&i, v)| w[i as usize] * v).sum();
        assert!((sparse_dot(&w, &indices, &values) - plain).abs() < 1e-12);
        let mut dense = w.clone();
        sparse_axpy(2.0, &indices, &values, &mut dense);
        for (k, (&new, &old)) in dense.iter().zip(&w).enumerate() {
            let x = if k % 3 == 0 { values[k / 3] } else { 0.0 };
            assert_eq!(new, old + 2.0 * x);
        }
    }
}
