//! A name for data: 128 bits that depend on every value, every label and their places.

use std::sync::{Arc, OnceLock};

use linsep_data::kept::Bytes;
use linsep_data::{Block, Data, Fold, Kept, Memory, Samples, Shape, fold};

use crate::exact::Row;
use crate::proof::DataName;

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
    let memory = Memory::new(samples);
    let seen = fold(&memory, Fingerprint::of(memory.shape())).expect("memory can be read");
    seen.named().0.fingerprint
}

/// Takes the fingerprint in a pass that others may share.
pub struct Fingerprint {
    shape: Shape,
    /// One per column of dense rows, made when the first of them is seen. A sparse row is short and
    /// may name any of four billion columns: its keys are made as needed.
    keys: Arc<OnceLock<Vec<u128>>>,
    /// The sum over all rows of a pair of numbers for each. A sum does not depend on the order.
    sum: (u64, u64),
}

impl Fingerprint {
    /// Returns the fingerprint of no rows yet, of data of this shape.
    pub fn of(shape: Shape) -> Self {
        Fingerprint { shape, keys: Arc::default(), sum: (0, 0) }
    }

    /// Returns the name of the data, once all rows have been seen.
    pub fn named(&self) -> Named {
        let Shape { rows, columns, .. } = self.shape;
        let (first, second) = self.sum;
        let shape = mix(mix(rows as u64) ^ columns as u64);
        let (first, second) = digest(u128::from(first) << 64 | u128::from(second), shape);
        let fingerprint = format!("{first:016x}{second:016x}");
        Named(DataName { rows, features: columns, fingerprint })
    }
}

/// The name of data, as a [`Fingerprint`] has found it and nobody else could have made it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named(pub(crate) DataName);

impl Named {
    /// Returns the name.
    pub fn name(&self) -> &DataName {
        &self.0
    }
}

impl Fold for Fingerprint {
    fn fresh(&self) -> Self {
        Fingerprint { shape: self.shape, keys: self.keys.clone(), sum: (0, 0) }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        let keys = || self.keys.get_or_init(|| (0..self.shape.columns).map(key).collect());
        let mut total = self.sum;
        for i in block.places() {
            let sum = match Row::of(samples.features(), i) {
                Row::Dense64(x) => dense_sum(keys(), x),
                Row::Dense32(x) => dense_sum(keys(), x),
                Row::Sparse(indices, x) => indices.iter().zip(x).fold(0, |sum: u128, (&k, &x)| {
                    sum.wrapping_add(key(k as usize).wrapping_mul(bits(x)))
                }),
            };
            let place = 2 * block.number(i) as u64 + u64::from(samples.positive()[i]);
            total = add(total, digest(sum, mix(place)));
        }
        self.sum = total;
    }

    fn merge(mut self, other: Self) -> Self {
        self.sum = add(self.sum, other.sum);
        self
    }
}

impl Kept for Fingerprint {
    fn kind(&self) -> String {
        "fingerprint".to_string()
    }

    fn question(&self, _out: &mut Vec<u8>) {}

    fn save(&self, out: &mut Vec<u8>) {
        self.sum.put(out);
    }

    fn restore(&mut self, from: &mut &[u8], _: Shape) -> Option<()> {
        self.sum = Bytes::take(from)?;
        Some(())
    }
}

/// Returns the sum of two pairs.
fn add(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1))
}

/// Returns the sum of the values' bits times their columns' keys. A zero adds nothing, which makes a
/// dense row equal to a sparse one.
fn dense_sum<T: Copy + Into<f64>>(keys: &[u128], x: &[T]) -> u128 {
    let terms = keys.iter().zip(x).map(|(key, &x)| key.wrapping_mul(bits(x.into())));
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
