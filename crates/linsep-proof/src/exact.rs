//! Signs and sums without rounding.
//!
//! Every finite floating-point number is an integer times a power of two, so sums of products can be
//! had exactly with big integers. A float sum with an error bound decides nearly all rows first.
//! Floats are those of IEEE 754, rounded to nearest, as Rust has them; u stands for 2^-53.

use std::cmp::Ordering;
use std::ops::{AddAssign, Range};

use dashu_int::ops::{BitTest, UnsignedAbs};
use dashu_int::{IBig, UBig};
use linsep_data::Features;
use serde::{Deserialize, Serialize};

/// One row of features, as it is stored.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// Dense `f64`.
    Dense64(&'a [f64]),
    /// Dense `f32`.
    Dense32(&'a [f32]),
    /// The rising indices of the values that are stored, and the values; all others are zero.
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> Row<'a> {
    /// Returns row `i`, counted from 0.
    #[inline]
    pub fn of(features: &'a Features, i: usize) -> Self {
        match features {
            Features::Dense64(m) => Row::Dense64(m.row(i)),
            Features::Dense32(m) => Row::Dense32(m.row(i)),
            Features::Sparse(m) => Row::Sparse(m.row(i).0, m.row(i).1),
        }
    }

    /// Calls `visit` with the index and the value of each stored feature, in order.
    pub fn for_each(self, visit: impl FnMut(usize, f64)) {
        self.for_each_in(0..usize::MAX, visit);
    }

    /// Returns how many features are stored.
    pub(crate) fn stored(self) -> usize {
        match self {
            Row::Dense64(x) | Row::Sparse(_, x) => x.len(),
            Row::Dense32(x) => x.len(),
        }
    }

    /// Calls `visit` with the index and the value of each stored feature whose index is in `range`.
    pub fn for_each_in(self, range: Range<usize>, mut visit: impl FnMut(usize, f64)) {
        let cut = |len: usize| range.start.min(len)..range.end.min(len);
        match self {
            Row::Dense64(x) => {
                cut(x.len()).for_each(|k| visit(k, x[k]));
            }
            Row::Dense32(x) => {
                cut(x.len()).for_each(|k| visit(k, x[k].into()));
            }
            Row::Sparse(indices, x) => {
                let place = |bound: usize| indices.partition_point(|&k| (k as usize) < bound);
                (place(range.start)..place(range.end))
                    .for_each(|j| visit(indices[j] as usize, x[j]));
            }
        }
    }
}

/// An exact sum of binary fractions: `mantissa` times two to the `exponent`.
#[derive(Clone, Debug, Default)]
pub struct ExactSum {
    mantissa: IBig,
    exponent: i32,
}

impl ExactSum {
    /// Returns `mantissa` times two to the `exponent`.
    pub fn of(mantissa: IBig, exponent: i32) -> Self {
        ExactSum { mantissa, exponent }
    }

    /// Returns the integer and the exponent of two whose product is the sum.
    pub fn into_parts(self) -> (IBig, i32) {
        (self.mantissa, self.exponent)
    }

    /// Returns the product.
    pub fn times(&self, other: &ExactSum) -> Self {
        ExactSum::of(&self.mantissa * &other.mantissa, self.exponent + other.exponent)
    }

    /// Adds `mantissa` times two to the `exponent`.
    pub fn add(&mut self, mut mantissa: IBig, exponent: i32) {
        if mantissa == IBig::ZERO {
            return;
        }
        if exponent >= self.exponent {
            mantissa <<= (exponent - self.exponent) as usize;
        } else {
            self.mantissa <<= (self.exponent - exponent) as usize;
            self.exponent = exponent;
        }
        self.mantissa += mantissa;
    }

    /// Returns how the sum compares with zero.
    pub fn sign(&self) -> Ordering {
        self.mantissa.cmp(&IBig::ZERO)
    }

    /// Returns the sum with the other sign.
    pub fn negated(self) -> Self {
        ExactSum { mantissa: -self.mantissa, exponent: self.exponent }
    }

    /// Returns a float that the magnitude of the sum does not exceed, close to it if it is one.
    pub fn magnitude_up(self) -> f64 {
        let negative = if self.sign() == Ordering::Greater { self.negated() } else { self };
        -negative.round_down()
    }

    /// Returns a float that is not above the sum, and within 2^-50 of it relatively, unless the sum
    /// lies outside the range 1e-280 to 1e300 in magnitude.
    pub fn round_down(&self) -> f64 {
        let (top, dropped) = top_bits(&self.mantissa, 53);
        let exponent = i64::from(self.exponent) + dropped as i64;
        let negative = self.sign() == Ordering::Less;
        // Below this, scaling would round; above, it would overflow.
        match exponent {
            ..-1000 if negative => -power_of_two(-900),
            ..-1000 => 0.0,
            971.. if negative => f64::NEG_INFINITY,
            971.. => power_of_two(1000),
            // Cutting bits off went towards zero, which is up.
            _ if negative => -((top + u64::from(dropped > 0)) as f64) * power_of_two(exponent),
            _ => top as f64 * power_of_two(exponent),
        }
    }
}

impl AddAssign for ExactSum {
    fn add_assign(&mut self, other: ExactSum) {
        self.add(other.mantissa, other.exponent);
    }
}

/// Returns the highest bits of the magnitude, at most `count` up to 64, and how many were cut off.
fn top_bits(value: &IBig, count: usize) -> (u64, usize) {
    let cut = value.bit_len().saturating_sub(count);
    let top: UBig = value.unsigned_abs() >> cut;
    (u64::try_from(top).expect("at most 64 bits are left"), cut)
}

/// Returns two to the `exponent`, which is between -1022 and 1023.
pub(crate) fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Returns the integer and the exponent of two whose product is the finite number.
pub fn parts(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let (field, fraction) = ((bits >> 52) as i32 & 0x7ff, (bits & ((1 << 52) - 1)) as i64);
    // A field of 0 is a subnormal number, which has no hidden bit.
    let (magnitude, exponent) =
        if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
    (if value.is_sign_negative() { -magnitude } else { magnitude }, exponent)
}

/// Returns the float w·x + b and a bound on its error, or `None` where floats cannot say.
///
/// The bound: every product and sum is within a factor 1 ± u of the exact one. A term passes through
/// at most m = d + 1 of them: one product, and the d sums that join d + 1 terms, in whatever order
/// (adding a zero is exact). So the error is at most g S, with g = m u / (1 - m u) and S the exact
/// sum of the magnitudes of the terms. The float sum A of these magnitudes is at least (1 - g) S.
/// Hence the error is at most A m u / (1 - 2 m u), which (d + 4) 2^-52 A exceeds by at least 4 u A
/// as long as 1 <= d < 2^48. That covers, in turn:
/// - weights that are themselves within a factor 1 ± 1.01 u of those that are meant;
/// - underflow: it costs at most 2^-1074 a product, and A >= 2^-900 is asked for;
/// - the rounding of the bound itself, and of one sum or difference of value and bound.
///
/// Overflow: if A is finite then so are all terms, and all partial sums, which are smaller.
pub fn float_value(weights: &[f64], bias: f64, row: Row) -> Option<(f64, f64)> {
    float_value_and_squares::<false>(weights, bias, row).0
}

/// Returns the same, and the sum of the squares of the values if they are asked for: a row that is
/// looked at once is read once.
pub(crate) fn float_value_and_squares<const SQUARES: bool>(
    weights: &[f64],
    bias: f64,
    row: Row,
) -> (Option<(f64, f64)>, f64) {
    let (dot, magnitude, squares) = match row {
        Row::Dense64(x) => dense_sums::<_, SQUARES>(weights, x),
        Row::Dense32(x) => dense_sums::<_, SQUARES>(weights, x),
        Row::Sparse(indices, x) => {
            indices.iter().zip(x).fold((0.0, 0.0, 0.0), |(dot, magnitude, squares), (&k, x)| {
                let term: f64 = weights[k as usize] * x;
                (dot + term, magnitude + term.abs(), squares + x * x)
            })
        }
    };
    let (value, magnitude) = (dot + bias, magnitude + bias.abs());
    let usable = magnitude.is_finite() && magnitude >= power_of_two(-900);
    let bound = (weights.len() as f64 + 4.0) * power_of_two(-52) * magnitude;
    (usable.then_some((value, bound)), squares)
}

/// Returns the sums of the products, of their magnitudes and of the squares of the values, in lanes
/// that compilers vectorise.
fn dense_sums<T: Copy + Into<f64>, const SQUARES: bool>(
    weights: &[f64],
    x: &[T],
) -> (f64, f64, f64) {
    const LANES: usize = 8;
    let (mut dot, mut magnitude, mut squares) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let (w_blocks, w_rest) = weights.as_chunks::<LANES>();
    let (x_blocks, x_rest) = x.as_chunks::<LANES>();
    for (w, x) in w_blocks.iter().zip(x_blocks) {
        for k in 0..LANES {
            let value = x[k].into();
            let term = w[k] * value;
            dot[k] += term;
            magnitude[k] += term.abs();
            if SQUARES {
                squares[k] += value * value;
            }
        }
    }
    for (k, (w, &x)) in w_rest.iter().zip(x_rest).enumerate() {
        let value = x.into();
        let term = w * value;
        dot[k] += term;
        magnitude[k] += term.abs();
        if SQUARES {
            squares[k] += value * value;
        }
    }
    (dot.iter().sum(), magnitude.iter().sum(), squares.iter().sum())
}

/// Returns the sign of w·x + b if the float value lies further from zero than its error.
pub fn float_sign(weights: &[f64], bias: f64, row: Row) -> Option<Ordering> {
    let (value, bound) = float_value(weights, bias, row)?;
    (value.abs() > bound).then(|| value.total_cmp(&0.0))
}

/// Returns w·x + b without rounding.
pub fn exact_value(weights: &[f64], bias: f64, row: Row) -> ExactSum {
    let mut sum = ExactSum::default();
    let (mantissa, exponent) = parts(bias);
    sum.add(mantissa.into(), exponent);
    row.for_each(|k, x| {
        let ((m, e), (n, f)) = (parts(weights[k]), parts(x));
        sum.add(IBig::from(i128::from(m) * i128::from(n)), e + f);
    });
    sum
}

/// Returns the exact sign of w·x + b. All numbers are finite, and there is one weight per feature.
pub fn sign_of_value(weights: &[f64], bias: f64, row: Row) -> Ordering {
    float_sign(weights, bias, row).unwrap_or_else(|| exact_value(weights, bias, row).sign())
}

/// A hyperplane with integer weights, ready to tell sides. Elsewhere it is made ready again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "PlaneBytes", try_from = "PlaneBytes")]
pub struct ExactPlane {
    weights: Vec<IBig>,
    bias: IBig,
    /// Where weights are not zero, if that is at few features: others need not be read.
    few: Option<Vec<usize>>,
    /// All of them over one power of two, within 1.01 u relatively: for the float filter.
    rounded: Option<(Vec<f64>, f64)>,
}

/// Weights are few if at most one in this many is not zero.
const FEW: usize = 8;

/// The weights of a hyperplane and its bias, the last: two's complement, the lowest byte first.
#[derive(Serialize, Deserialize)]
struct PlaneBytes(Vec<Vec<u8>>);

impl From<ExactPlane> for PlaneBytes {
    fn from(plane: ExactPlane) -> Self {
        let numbers = plane.weights.iter().chain([&plane.bias]);
        PlaneBytes(numbers.map(|number| number.to_le_bytes().into_vec()).collect())
    }
}

impl TryFrom<PlaneBytes> for ExactPlane {
    type Error = &'static str;

    fn try_from(PlaneBytes(numbers): PlaneBytes) -> Result<Self, Self::Error> {
        let vector: Vec<IBig> = numbers.iter().map(|bytes| IBig::from_le_bytes(bytes)).collect();
        match vector.is_empty() {
            true => Err("a hyperplane without a bias"),
            false => Ok(ExactPlane::of(vector)),
        }
    }
}

impl ExactPlane {
    /// Returns the hyperplane whose weights and bias follow one another.
    ///
    /// # Panics
    /// If there is no bias.
    pub fn of(mut vector: Vec<IBig>) -> Self {
        let bias = vector.pop().expect("a bias");
        Self::new(vector, bias)
    }

    /// Returns the hyperplane with these weights and this bias.
    pub fn new(weights: Vec<IBig>, bias: IBig) -> Self {
        let all = || weights.iter().chain([&bias]);
        let longest = all().map(BitTest::bit_len).max().unwrap_or(0);
        let shortest = all().map(BitTest::bit_len).filter(|&n| n > 0).min().unwrap_or(0);
        let round = |value: &IBig| {
            let (top, cut) = top_bits(value, 64);
            let magnitude = top as f64 * power_of_two((cut as i64 - longest as i64).max(-1000));
            if *value < IBig::ZERO { -magnitude } else { magnitude }
        };
        // Within this range no weight but zero comes below two to the -864, where it would round.
        let rounded = (longest - shortest <= 800)
            .then(|| (weights.iter().map(round).collect(), round(&bias)));
        let some: Vec<usize> = (0..weights.len()).filter(|&k| !weights[k].is_zero()).collect();
        let few = (some.len() <= weights.len() / FEW).then_some(some);
        ExactPlane { weights, bias, few, rounded }
    }

    /// Returns the weights and the bias.
    pub fn integers(&self) -> (&[IBig], &IBig) {
        (&self.weights, &self.bias)
    }

    /// Returns the number of weights.
    pub fn features(&self) -> usize {
        self.weights.len()
    }

    /// Returns the exact sign of W·x + B.
    pub fn sign(&self, row: Row) -> Ordering {
        let mut sum = ExactSum { mantissa: self.bias.clone(), exponent: 0 };
        let mut add = |k: usize, x: f64| {
            if x != 0.0 {
                let (mantissa, exponent) = parts(x);
                sum.add(&self.weights[k] * mantissa, exponent);
            }
        };
        match (&self.few, row) {
            (Some(few), Row::Dense64(x)) => few.iter().for_each(|&k| add(k, x[k])),
            (Some(few), Row::Dense32(x)) => few.iter().for_each(|&k| add(k, x[k].into())),
            _ => {
                let quick = self.rounded.as_ref().and_then(|(w, b)| float_sign(w, *b, row));
                if let Some(sign) = quick {
                    return sign;
                }
                row.for_each(add);
            }
        }
        sum.sign()
    }
}

/// Returns the first feature in `range` in which the rows, times their factors, do not add up to
/// zero exactly. Costs one look at the rows named.
pub fn first_not_cancelling(terms: &[(Row, IBig)], range: Range<usize>) -> Option<usize> {
    let mut sums = vec![ExactSum::default(); range.len()];
    for (row, factor) in terms {
        row.for_each_in(range.clone(), |k, x| {
            let (mantissa, exponent) = parts(x);
            sums[k - range.start].add(factor * mantissa, exponent);
        });
    }
    sums.iter().position(|sum| sum.sign() != Ordering::Equal).map(|k| k + range.start)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests;
