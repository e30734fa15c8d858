//! Packed rows, as a cluster keeps them: Arrow batches of bytes, with the numbers of the rows and their stamp.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use linsep::data::Features;
use linsep::data::hash::mix;
use linsep::decide::remote::rows::{Gathered, Runs};
use pyo3::PyResult;

use super::damaged;

/// Returns the key of packed rows, from their partition and how many are before them there.
pub fn key(partition: i32, place: i64) -> i64 {
    mix(mix(u64::from(partition.cast_unsigned())) ^ place.cast_unsigned()).cast_signed()
}

/// Returns a number for a row that depends on all that is in it.
pub fn stamp(features: &Features, i: usize, positive: bool, number: usize) -> u64 {
    let mut stamp = mix(2 * number as u64 + u64::from(positive));
    features.for_each(i, |k, value| {
        let place = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(k as u64 + 1);
        let term = value.to_bits().wrapping_add(place);
        stamp = (stamp ^ term).rotate_left(23).wrapping_mul(0x9fb2_1c65_1e98_df25);
    });
    mix(stamp)
}

/// Rows that were packed, in batches of several.
pub struct PackedBatch {
    partition: ArrayRef,
    runs: ArrayRef,
    rows: ArrayRef,
    stamp: ArrayRef,
}

impl PackedBatch {
    /// Returns the batch. Errors if its columns are not those of a packer.
    pub fn new(batch: RecordBatch) -> PyResult<Self> {
        let column = |name: &str, is_one: fn(&DataType) -> bool| {
            let found = batch.column_by_name(name).filter(|array| is_one(array.data_type()));
            found.cloned().ok_or_else(damaged)
        };
        let binary = |kind: &DataType| matches!(kind, DataType::Binary | DataType::LargeBinary);
        Ok(PackedBatch {
            partition: column("partition", |kind| *kind == DataType::Int32)?,
            runs: column("runs", binary)?,
            rows: column("packed", binary)?,
            stamp: column("stamp", |kind| *kind == DataType::Int64)?,
        })
    }

    /// Returns how many times rows are packed in it.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the stamp of the k-th packed rows.
    pub fn stamp(&self, k: usize) -> u64 {
        self.stamp.as_primitive::<Int64Type>().value(k).cast_unsigned()
    }

    /// Adds those that are wanted of the k-th packed rows. `offsets`: the first number of each partition, where
    /// packed rows count from there.
    pub fn add_to(
        &self,
        all: &mut Gathered,
        k: usize,
        offsets: Option<&[usize]>,
        wanted: impl Fn(usize) -> bool,
    ) -> PyResult<()> {
        if self.rows.is_null(k) {
            // Something is wrong with these rows that was not before: they are not there.
            return Ok(());
        }
        let partition = self.partition.as_primitive::<Int32Type>().value(k);
        let offset = match offsets {
            Some(offsets) => *offsets.get(partition as usize).ok_or_else(damaged)?,
            None => 0,
        };
        let runs = Runs::from_bytes(bytes(&self.runs, k)).ok_or_else(damaged)?;
        let numbers = runs.numbers().map(|number| number.saturating_add(offset));
        all.push_packed(numbers, bytes(&self.rows, k), wanted).ok_or_else(damaged)
    }
}

fn bytes(array: &ArrayRef, k: usize) -> &[u8] {
    match array.data_type() {
        DataType::LargeBinary => array.as_binary::<i64>().value(k),
        _ => array.as_binary::<i32>().value(k),
    }
}
