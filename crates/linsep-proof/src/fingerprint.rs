//! A name for data: 128 bits that depend on every value, every label and their places.

use linsep_data::Samples;
use linsep_data::kernels::Element;
use rayon::prelude::*;

use crate::exact::Row;

/// Returns the fingerprint of the samples, as 32 hexadecimal digits. Costs one parallel pass.
///
/// It is the same however the values are stored: as `f64` or `f32`, dense or sparse, `-0` or `0`.
/// It guards against mistakes, not against malice; PROOFS.md defines it.
///
/// ```
/// use linsep_data::Samples;
/// use linsep_proof::fingerprint;
///
/// let double = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// let single = Samples::dense(vec![100.0_f32, 101.0], 1, vec![false, true])?;
/// assert_eq!(fingerprint(&double), fingerprint(&single));
/// # Ok::<(), linsep_data::Error>(())
/// ```
pub fn fingerprint(samples: &Samples) -> String {
    let fingerprint = Fingerprint::new(samples);
    let rows = (0..samples.rows()).into_par_iter().with_min_len(256);
    fingerprint.name(rows.map(|i| fingerprint.row(i)).reduce(|| (0, 0), add))
}

/// What the fingerprint is made of: a pair of numbers for each row, and their sum. A sum does not
/// depend on the order, and so not on the threads.
pub(crate) struct Fingerprint<'a> {
    samples: &'a Samples,
    keys: Vec<u128>,
    ahead: usize,
}

impl<'a> Fingerprint<'a> {
    pub(crate) fn new(samples: &'a Samples) -> Self {
        let features = samples.features();
        // A sparse row is short and may name any of four billion columns: its keys are made as
        // needed.
        let keys = match Row::of(features, 0) {
            Row::Sparse(..) => vec![],
            _ => (0..samples.columns()).map(key).collect(),
        };
        Fingerprint { samples, keys, ahead: features.rows_ahead() }
    }

    /// Returns the pair of row `i`.
    pub(crate) fn row(&self, i: usize) -> (u64, u64) {
        let features = self.samples.features();
        features.prefetch(i + self.ahead);
        let sum = match Row::of(features, i) {
            Row::Dense64(x) => dense_sum(&self.keys, x),
            Row::Dense32(x) => dense_sum(&self.keys, x),
            Row::Sparse(indices, x) => indices.iter().zip(x).fold(0, |sum: u128, (&k, &x)| {
                sum.wrapping_add(key(k as usize).wrapping_mul(bits(x)))
            }),
        };
        digest(sum, mix(2 * i as u64 + u64::from(self.samples.positive()[i])))
    }

    /// Returns the fingerprint, given the sum of the pairs of all rows.
    pub(crate) fn name(&self, (first, second): (u64, u64)) -> String {
        let shape = mix(mix(self.samples.rows() as u64) ^ self.samples.columns() as u64);
        let (first, second) = digest(u128::from(first) << 64 | u128::from(second), shape);
        format!("{first:016x}{second:016x}")
    }
}

/// Returns the sum of two pairs.
pub(crate) fn add(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1))
}

/// Returns the sum of the values' bits times their columns' keys. A zero adds nothing, which makes a
/// dense row equal to a sparse one.
fn dense_sum<T: Element>(keys: &[u128], x: &[T]) -> u128 {
    let terms = keys.iter().zip(x).map(|(key, x)| key.wrapping_mul(bits(x.widen())));
    terms.fold(0, u128::wrapping_add)
}

/// Returns the bit pattern of the value; adding zero makes -0 a 0.
fn bits(value: f64) -> u128 {
    u128::from((value + 0.0).to_bits())
}

/// Returns the key of a column: 128 bits that look random.
fn key(column: usize) -> u128 {
    let (high, low) = (mix(2 * column as u64 + 1), mix(2 * column as u64 + 2));
    u128::from(high) << 64 | u128::from(low)
}

/// Returns two numbers that depend on every bit of the sum and of the place.
fn digest(sum: u128, place: u64) -> (u64, u64) {
    let (high, low) = ((sum >> 64) as u64, sum as u64);
    let first = mix(low ^ mix(high ^ place));
    (first, mix(high ^ mix(low ^ mix(place))))
}

/// Returns the number with its bits mixed: the step of the generator SplitMix64.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
