//! The kernels on AVX2 and AVX-512. Each dot product follows the definition in the parent module.

use std::arch::x86_64::*;

use super::{Grid, LANES};

/// A vector unit that this machine has. Values come only from [`Unit::detect`] and [`Unit::all`],
/// which is what makes the calls below sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Avx2,
    Avx512,
}

impl Unit {
    /// Returns the widest unit of this machine. Costs a load and a branch.
    #[inline(always)]
    pub(super) fn detect() -> Option<Unit> {
        if is_x86_feature_detected!("avx512f") {
            Some(Unit::Avx512)
        } else if is_x86_feature_detected!("avx2") {
            Some(Unit::Avx2)
        } else {
            None
        }
    }

    /// Returns every unit of this machine.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Unit> {
        let mut units = vec![];
        units.extend(is_x86_feature_detected!("avx2").then_some(Unit::Avx2));
        units.extend(is_x86_feature_detected!("avx512f").then_some(Unit::Avx512));
        units
    }
}

/// Adds the sixteen lanes up as [`super::sum_of_lanes`] does, from their sums in pairs k and k + 8.
#[target_feature(enable = "avx2")]
#[inline]
fn reduce_eight(low: __m256d, high: __m256d) -> f64 {
    let four = _mm256_add_pd(low, high);
    let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
    _mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two))
}

#[target_feature(enable = "avx2,avx512f")]
#[inline]
fn reduce_avx512(first: __m512d, second: __m512d) -> f64 {
    let eight = _mm512_add_pd(first, second);
    reduce_eight(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd::<1>(eight))
}

macro_rules! kernels {
    ($name:ident, $type:ty, $load512:ident, $rest512:ident, $load256:ident, $rest256:ident) => {
        pub(super) mod $name {
            use super::super::{axpy_loop, axpy_on_loop, each_row};
            use super::*;

            #[inline]
            pub(in super::super) fn dot(unit: Unit, w: &[f64], x: &[$type]) -> f64 {
                // SAFETY: a unit is a value only on a machine that has it.
                unsafe {
                    match unit {
                        Unit::Avx512 => dot_avx512(w, x),
                        Unit::Avx2 => dot_avx2(w, x),
                    }
                }
            }

            #[inline]
            pub(in super::super) fn axpy(unit: Unit, c: f64, x: &[$type], w: &mut [f64]) {
                // SAFETY: as above.
                unsafe {
                    match unit {
                        Unit::Avx512 => axpy_avx512(c, x, w),
                        Unit::Avx2 => axpy_avx2(c, x, w),
                    }
                }
            }

            #[inline]
            pub(in super::super) fn axpy_on(
                unit: Unit,
                grid: Grid,
                c: f64,
                x: &[$type],
                w: &mut [f64],
            ) {
                // SAFETY: as above.
                unsafe {
                    match unit {
                        Unit::Avx512 => axpy_on_avx512(grid, c, x, w),
                        Unit::Avx2 => axpy_on_avx2(grid, c, x, w),
                    }
                }
            }

            pub(in super::super) fn scores(
                unit: Unit,
                w: &[f64],
                rows: &[$type],
                stride: usize,
                out: &mut [f64],
            ) {
                // SAFETY: as above.
                unsafe {
                    match unit {
                        Unit::Avx512 => scores_avx512(w, rows, stride, out),
                        Unit::Avx2 => scores_avx2(w, rows, stride, out),
                    }
                }
            }

            #[target_feature(enable = "avx2,avx512f")]
            #[inline]
            fn dot_avx512(w: &[f64], x: &[$type]) -> f64 {
                let (w_blocks, w_rest) = w.as_chunks::<LANES>();
                let (x_blocks, x_rest) = x.as_chunks::<LANES>();
                let mut lanes = [_mm512_setzero_pd(); 2];
                for (wb, xb) in w_blocks.iter().zip(x_blocks) {
                    let [x0, x1] = $load512(xb);
                    let [w0, w1] = load_f64_avx512(wb);
                    lanes[0] = _mm512_add_pd(lanes[0], _mm512_mul_pd(w0, x0));
                    lanes[1] = _mm512_add_pd(lanes[1], _mm512_mul_pd(w1, x1));
                }
                if !w_rest.is_empty() {
                    let [x0, x1] = $rest512(x_rest);
                    let [w0, w1] = rest_f64_avx512(w_rest);
                    lanes[0] = _mm512_add_pd(lanes[0], _mm512_mul_pd(w0, x0));
                    lanes[1] = _mm512_add_pd(lanes[1], _mm512_mul_pd(w1, x1));
                }
                reduce_avx512(lanes[0], lanes[1])
            }

            #[target_feature(enable = "avx2")]
            #[inline]
            fn dot_avx2(w: &[f64], x: &[$type]) -> f64 {
                let (w_blocks, w_rest) = w.as_chunks::<LANES>();
                let (x_blocks, x_rest) = x.as_chunks::<LANES>();
                let mut lanes = [_mm256_setzero_pd(); 4];
                for (wb, xb) in w_blocks.iter().zip(x_blocks) {
                    let (w, x) = (load_f64_avx2(wb), $load256(xb));
                    for k in 0..4 {
                        lanes[k] = _mm256_add_pd(lanes[k], _mm256_mul_pd(w[k], x[k]));
                    }
                }
                if !w_rest.is_empty() {
                    let (w, x) = (rest_f64_avx2(w_rest), $rest256(x_rest));
                    for k in 0..4 {
                        lanes[k] = _mm256_add_pd(lanes[k], _mm256_mul_pd(w[k], x[k]));
                    }
                }
                reduce_eight(_mm256_add_pd(lanes[0], lanes[2]), _mm256_add_pd(lanes[1], lanes[3]))
            }

            #[target_feature(enable = "avx2,avx512f")]
            fn axpy_avx512(c: f64, x: &[$type], w: &mut [f64]) {
                axpy_loop(c, x, w)
            }

            #[target_feature(enable = "avx2")]
            fn axpy_avx2(c: f64, x: &[$type], w: &mut [f64]) {
                axpy_loop(c, x, w)
            }

            #[target_feature(enable = "avx2,avx512f")]
            fn axpy_on_avx512(grid: Grid, c: f64, x: &[$type], w: &mut [f64]) {
                axpy_on_loop(grid, c, x, w)
            }

            #[target_feature(enable = "avx2")]
            fn axpy_on_avx2(grid: Grid, c: f64, x: &[$type], w: &mut [f64]) {
                axpy_on_loop(grid, c, x, w)
            }

            #[target_feature(enable = "avx2,avx512f")]
            fn scores_avx512(w: &[f64], rows: &[$type], stride: usize, out: &mut [f64]) {
                each_row(w, rows, stride, out, |w, x| dot_avx512(w, x))
            }

            #[target_feature(enable = "avx2")]
            fn scores_avx2(w: &[f64], rows: &[$type], stride: usize, out: &mut [f64]) {
                each_row(w, rows, stride, out, |w, x| dot_avx2(w, x))
            }
        }
    };
}

kernels!(double, f64, load_f64_avx512, rest_f64_avx512, load_f64_avx2, rest_f64_avx2);
kernels!(single, f32, load_f32_avx512, rest_f32_avx512, load_f32_avx2, rest_f32_avx2);

#[target_feature(enable = "avx512f")]
#[inline]
fn load_f64_avx512(block: &[f64; LANES]) -> [__m512d; 2] {
    // SAFETY: sixteen values are there to be read.
    unsafe { [_mm512_loadu_pd(block.as_ptr()), _mm512_loadu_pd(block.as_ptr().add(8))] }
}

#[target_feature(enable = "avx2,avx512f")]
#[inline]
fn load_f32_avx512(block: &[f32; LANES]) -> [__m512d; 2] {
    // SAFETY: sixteen values are there to be read.
    let halves =
        unsafe { [_mm256_loadu_ps(block.as_ptr()), _mm256_loadu_ps(block.as_ptr().add(8))] };
    [_mm512_cvtps_pd(halves[0]), _mm512_cvtps_pd(halves[1])]
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_f64_avx2(block: &[f64; LANES]) -> [__m256d; 4] {
    let part = |k: usize| {
        // SAFETY: sixteen values are there to be read.
        unsafe { _mm256_loadu_pd(block.as_ptr().add(4 * k)) }
    };
    [part(0), part(1), part(2), part(3)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_f32_avx2(block: &[f32; LANES]) -> [__m256d; 4] {
    let part = |k: usize| {
        // SAFETY: sixteen values are there to be read.
        _mm256_cvtps_pd(unsafe { _mm_loadu_ps(block.as_ptr().add(4 * k)) })
    };
    [part(0), part(1), part(2), part(3)]
}

// The rest of a vector, fewer than sixteen values, with zeros after them. Masked loads touch no
// memory behind the last value.

#[target_feature(enable = "avx512f")]
#[inline]
fn rest_f64_avx512(rest: &[f64]) -> [__m512d; 2] {
    let mask = (1_u32 << rest.len()) - 1;
    // SAFETY: the mask covers just the values there are.
    unsafe {
        [
            _mm512_maskz_loadu_pd(mask as u8, rest.as_ptr()),
            _mm512_maskz_loadu_pd((mask >> 8) as u8, rest.as_ptr().wrapping_add(8)),
        ]
    }
}

#[target_feature(enable = "avx2,avx512f")]
#[inline]
fn rest_f32_avx512(rest: &[f32]) -> [__m512d; 2] {
    let mask = (1_u32 << rest.len()) - 1;
    // SAFETY: the mask covers just the values there are.
    let all = _mm512_castps_pd(unsafe { _mm512_maskz_loadu_ps(mask as u16, rest.as_ptr()) });
    let low = _mm256_castpd_ps(_mm512_castpd512_pd256(all));
    let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(all));
    [_mm512_cvtps_pd(low), _mm512_cvtps_pd(high)]
}

/// All bits set in the first entries: masks for [`rest_f64_avx2`] and [`rest_f32_avx2`] are windows
/// of these.
static MASK_F64: [i64; 2 * LANES] = {
    let mut mask = [0; 2 * LANES];
    let mut k = 0;
    while k < LANES {
        mask[k] = -1;
        k += 1;
    }
    mask
};
static MASK_F32: [i32; 2 * LANES] = {
    let mut mask = [0; 2 * LANES];
    let mut k = 0;
    while k < LANES {
        mask[k] = -1;
        k += 1;
    }
    mask
};

#[target_feature(enable = "avx2")]
#[inline]
fn rest_f64_avx2(rest: &[f64]) -> [__m256d; 4] {
    let window = &MASK_F64[LANES - rest.len()..];
    let part = |k: usize| {
        // SAFETY: the window has sixteen entries or more, and the mask covers just the values.
        unsafe {
            let mask = _mm256_loadu_si256(window.as_ptr().add(4 * k).cast());
            _mm256_maskload_pd(rest.as_ptr().wrapping_add(4 * k), mask)
        }
    };
    [part(0), part(1), part(2), part(3)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn rest_f32_avx2(rest: &[f32]) -> [__m256d; 4] {
    let window = &MASK_F32[LANES - rest.len()..];
    let part = |k: usize| {
        // SAFETY: as above.
        unsafe {
            let mask = _mm_loadu_si128(window.as_ptr().add(4 * k).cast());
            _mm256_cvtps_pd(_mm_maskload_ps(rest.as_ptr().wrapping_add(4 * k), mask))
        }
    };
    [part(0), part(1), part(2), part(3)]
}
