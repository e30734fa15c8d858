//! A name for data: 128 bits that depend on every value, every label and their places.

use std::sync::OnceLock;

use linsep_data::hash::mix;
use linsep_data::{Block, Data, Error, FoldQuery, Memory, Samples, Shape, fold};
use serde::{Deserialize, Serialize};

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
    name_data(&Memory::new(samples)).expect("memory can be read").0.fingerprint
}

/// Returns the name of data that may be elsewhere. Costs one pass. Errors if the data cannot be read.
pub fn name_data(data: &dyn Data) -> Result<Named, Error> {
    let query = Fingerprint::of(data.shape());
    Ok(query.named(fold(data, &query)?))
}

/// Takes the fingerprint in a pass that others may share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fingerprint {
    shape: Shape,
    /// One per column of dense rows, made when the first of them is seen. A sparse row is short and
    /// may name any of four billion columns: its keys are made as needed.
    #[serde(skip)]
    keys: OnceLock<Vec<u128>>,
}

/// The sum over some rows of a pair of numbers for each. A sum does not depend on the order.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FingerprintState(u64, u64);

impl Fingerprint {
    /// Returns the query for data of this shape.
    pub fn of(shape: Shape) -> Self {
        Fingerprint { shape, keys: OnceLock::new() }
    }

    /// Returns the name of the data, given what was found in all rows.
    pub fn named(&self, FingerprintState(first, second): FingerprintState) -> Named {
        let Shape { rows, columns, .. } = self.shape;
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

impl FoldQuery for Fingerprint {
    type State = FingerprintState;

    fn begin(&self) -> FingerprintState {
        FingerprintState(0, 0)
    }

    fn absorb(&self, state: &mut FingerprintState, block: &Block<'_>) {
        let samples = block.samples();
        let keys = || self.keys.get_or_init(|| (0..self.shape.columns).map(key).collect());
        let mut total = *state;
        for i in block.places() {
            let sum = match Row::of(samples.features(), i) {
                Row::Dense64(x) => dense_sum(keys(), x),
                Row::Dense32(x) => dense_sum(keys(), x),
                Row::Sparse(indices, x) => indices.iter().zip(x).fold(0, |sum: u128, (&k, &x)| {
                    sum.wrapping_add(key(k as usize).wrapping_mul(bits(x)))
                }),
            };
            let place = 2 * block.number(i) as u64 + u64::from(samples.positive()[i]);
            let (first, second) = digest(sum, mix(place));
            total = add(total, FingerprintState(first, second));
        }
        *state = total;
    }

    fn merge(&self, state: &mut FingerprintState, other: FingerprintState) {
        *state = add(*state, other);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.shape == shape
    }

    fn admits(&self, _: &FingerprintState, _: Shape) -> bool {
        true
    }
}

/// Returns the sum of two pairs.
fn add(a: FingerprintState, b: FingerprintState) -> FingerprintState {
    FingerprintState(a.0.wrapping_add(b.0), a.1.wrapping_add(b.1))
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
