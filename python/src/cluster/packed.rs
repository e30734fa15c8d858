//! Packed rows: some rows as bytes, with their numbers and their stamp.
//!
//! ```text
//! form          one byte: f64, f32 or sparse
//! rows, width   eight bytes each
//! labels        a byte per row: 1 is positive
//! dense         the values, row after row
//! sparse        where each row ends, eight bytes each; all indices, four bytes each; all values
//! ```

use std::collections::HashMap;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use linsep::data::samples::{Dense, LabelNames, Labels, Missing, SparseBuilder};
use linsep::data::{Block, Error, Features, Samples};
use pyo3::PyResult;

use super::damaged;
use crate::errors::Failure;

const F64: u8 = 0;
const F32: u8 = 1;
const SPARSE: u8 = 2;

/// Returns the number with its bits mixed: the step of the generator SplitMix64.
pub fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns the key of packed rows: of which partition they are, and how many are before them there.
pub fn key(partition: i32, place: i64) -> i64 {
    mix(mix(u64::from(partition.cast_unsigned())) ^ place.cast_unsigned()).cast_signed()
}

/// Returns a number for a row that depends on all that is in it.
pub fn stamp(features: &Features, i: usize, positive: bool, number: i64) -> u64 {
    let mut stamp = mix(2 * number.cast_unsigned() + u64::from(positive));
    features.for_each(i, |k, value| {
        let term =
            value.to_bits().wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(k as u64 + 1));
        stamp = (stamp ^ term).rotate_left(23).wrapping_mul(0x9fb2_1c65_1e98_df25);
    });
    mix(stamp)
}

/// Returns these rows as bytes.
pub fn pack(features: &Features, positive: &[bool], rows: Range<usize>) -> Vec<u8> {
    let (form, width) = match features {
        Features::Dense64(_) => (F64, size_of::<f64>()),
        Features::Dense32(_) => (F32, size_of::<f32>()),
        Features::Sparse(_) => (SPARSE, 0),
    };
    let mut out = Vec::with_capacity(17 + rows.len() * (1 + features.columns() * width));
    out.push(form);
    out.extend((rows.len() as u64).to_le_bytes());
    out.extend((features.columns() as u64).to_le_bytes());
    out.extend(positive[rows.clone()].iter().map(|&positive| u8::from(positive)));
    match features {
        Features::Dense64(m) => {
            rows.for_each(|i| out.extend(m.row(i).iter().flat_map(|v| v.to_le_bytes())));
        }
        Features::Dense32(m) => {
            rows.for_each(|i| out.extend(m.row(i).iter().flat_map(|v| v.to_le_bytes())));
        }
        Features::Sparse(m) => {
            let mut end = 0;
            for i in rows.clone() {
                end += m.row(i).0.len() as u64;
                out.extend(end.to_le_bytes());
            }
            rows.clone().for_each(|i| out.extend(m.row(i).0.iter().flat_map(|k| k.to_le_bytes())));
            rows.for_each(|i| out.extend(m.row(i).1.iter().flat_map(|v| v.to_le_bytes())));
        }
    }
    out
}

/// Packed rows, as a cluster keeps them.
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
}

fn bytes(array: &ArrayRef, k: usize) -> &[u8] {
    match array.data_type() {
        DataType::LargeBinary => array.as_binary::<i64>().value(k),
        _ => array.as_binary::<i32>().value(k),
    }
}

/// Takes bytes off the front.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn take(&mut self, count: usize) -> PyResult<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn many<const N: usize>(&mut self, count: usize) -> PyResult<&'a [[u8; N]]> {
        Ok(self.take(count.checked_mul(N).ok_or_else(damaged)?)?.as_chunks().0)
    }

    fn number(&mut self) -> PyResult<usize> {
        Ok(u64::from_le_bytes(self.many(1)?[0]) as usize)
    }
}

/// Consecutive numbers of rows: the first one, and how many.
#[derive(Default)]
pub struct Runs(Vec<(i64, usize)>);

impl Runs {
    fn push(&mut self, number: i64) {
        match self.0.last_mut() {
            Some((first, count)) if *first + *count as i64 == number => *count += 1,
            _ => self.0.push((number, 1)),
        }
    }

    /// Returns the runs of these numbers as bytes.
    pub fn pack(numbers: impl Iterator<Item = i64>) -> Vec<u8> {
        let mut runs = Runs::default();
        numbers.for_each(|number| runs.push(number));
        let pairs = runs.0.into_iter().flat_map(|(first, count)| [first, count as i64]);
        pairs.flat_map(i64::to_le_bytes).collect()
    }

    /// Returns the numbers that were packed.
    fn unpack(bytes: &[u8]) -> impl Iterator<Item = i64> {
        let pairs = bytes.as_chunks::<8>().0.as_chunks::<2>().0;
        pairs.iter().flat_map(|&[first, count]| {
            let (first, count) = (i64::from_le_bytes(first), i64::from_le_bytes(count));
            first..first.saturating_add(count)
        })
    }

    /// Returns the samples as blocks of consecutive numbers.
    pub fn blocks<'a>(&self, samples: &'a Samples) -> Vec<Block<'a>> {
        let mut place = 0;
        let block = |&(first, count): &(i64, usize)| {
            place += count;
            // A negative number is one that is too large, and refused.
            Block::at(samples, place - count..place, first as usize)
        };
        self.0.iter().map(block).collect()
    }

    /// Returns the place of each row.
    pub fn places(&self) -> HashMap<usize, usize> {
        let numbers = self.0.iter().flat_map(|&(first, count)| first..first + count as i64);
        numbers.enumerate().map(|(place, number)| (number as usize, place)).collect()
    }
}

/// Rows that were packed, put together.
pub struct Gathered {
    sparse: bool,
    dense64: Vec<f64>,
    dense32: Vec<f32>,
    rows: SparseBuilder,
    stored: usize,
    positive: Vec<bool>,
    runs: Runs,
    stamp: u64,
    width: usize,
}

impl Gathered {
    /// Returns no rows yet. `sparse`: whether any rows of the data are.
    pub fn new(sparse: bool) -> Self {
        Gathered {
            sparse,
            dense64: vec![],
            dense32: vec![],
            rows: SparseBuilder::default(),
            stored: 0,
            positive: vec![],
            runs: Runs::default(),
            stamp: 0,
            width: 0,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.positive.is_empty()
    }

    /// Returns about how many bytes the rows take.
    pub fn bytes(&self) -> usize {
        8 * self.dense64.len()
            + 4 * self.dense32.len()
            + 12 * self.stored
            + 24 * self.positive.len()
    }

    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Adds those rows that are wanted of the k-th packed ones of a batch. `offsets`: the first number of each
    /// partition, where packed rows count from there.
    pub fn push(
        &mut self,
        batch: &PackedBatch,
        k: usize,
        offsets: Option<&[i64]>,
        wanted: impl Fn(i64) -> bool,
    ) -> PyResult<()> {
        let partition = batch.partition.as_primitive::<Int32Type>().value(k);
        let offset = match offsets {
            Some(offsets) => *offsets.get(partition as usize).ok_or_else(damaged)?,
            None => 0,
        };
        let stamp = batch.stamp.as_primitive::<Int64Type>().value(k);
        self.stamp = self.stamp.wrapping_add(stamp.cast_unsigned());
        let numbers = Runs::unpack(bytes(&batch.runs, k)).map(|number| number + offset);
        self.unpack(numbers, bytes(&batch.rows, k), wanted)
    }

    /// Adds rows that were picked.
    pub fn push_picked(&mut self, numbers: &[u8], rows: &[u8]) -> PyResult<()> {
        self.unpack(Runs::unpack(numbers), rows, |_| true)
    }

    fn unpack(
        &mut self,
        mut numbers: impl Iterator<Item = i64>,
        packed: &[u8],
        wanted: impl Fn(i64) -> bool,
    ) -> PyResult<()> {
        let mut front = Front(packed);
        let form = front.take(1)?[0];
        let (rows, width) = (front.number()?, front.number()?);
        let positive = front.take(rows)?;
        if self.width != width && !self.is_empty() {
            return Err(damaged());
        }
        self.width = width;
        let mut keep = Vec::with_capacity(rows);
        for (i, &positive) in positive.iter().enumerate() {
            let number = numbers.next().ok_or_else(damaged)?;
            if wanted(number) {
                keep.push(i);
                self.positive.push(positive == 1);
                self.runs.push(number);
            }
        }
        match (form, self.sparse) {
            (F64, false) => {
                let all = front.many::<8>(rows.checked_mul(width).ok_or_else(damaged)?)?;
                extend(&mut self.dense64, all, width, &keep, rows, f64::from_le_bytes);
            }
            (F32, false) => {
                let all = front.many::<4>(rows.checked_mul(width).ok_or_else(damaged)?)?;
                extend(&mut self.dense32, all, width, &keep, rows, f32::from_le_bytes);
            }
            // Vectors are sparse or dense, row by row.
            (F64, true) => {
                let all = front.many::<8>(rows.checked_mul(width).ok_or_else(damaged)?)?;
                for &i in &keep {
                    let row = all[i * width..][..width].iter().map(|v| f64::from_le_bytes(*v));
                    for (k, value) in row.enumerate().filter(|(_, value)| *value != 0.0) {
                        self.rows.push(k, value);
                        self.stored += 1;
                    }
                    self.rows.end_row();
                }
            }
            (SPARSE, true) => {
                let ends = front.many::<8>(rows)?;
                let end = |i: usize| u64::from_le_bytes(ends[i]) as usize;
                let stored = if rows == 0 { 0 } else { end(rows - 1) };
                let (indices, values) = (front.many::<4>(stored)?, front.many::<8>(stored)?);
                for &i in &keep {
                    let range = if i == 0 { 0 } else { end(i - 1) }..end(i);
                    let indices = indices.get(range.clone()).ok_or_else(damaged)?;
                    for (k, v) in indices.iter().zip(&values[range]) {
                        self.rows.push(u32::from_le_bytes(*k) as usize, f64::from_le_bytes(*v));
                        self.stored += 1;
                    }
                    self.rows.end_row();
                }
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }

    fn features(self) -> Result<(Features, Labels, Runs), Error> {
        let rows = self.positive.len();
        let features = match (self.sparse, self.dense32.is_empty()) {
            (true, _) => {
                let sparse = self.rows.finish(self.width);
                Features::Sparse(sparse.map_err(linsep::data::ErrorKind::Sparse)?)
            }
            (false, true) => Dense::new(self.dense64, rows, self.width).into(),
            (false, false) => Dense::new(self.dense32, rows, self.width).into(),
        };
        let labels = Labels { positive: self.positive, names: LabelNames::default() };
        Ok((features, labels, self.runs))
    }

    /// Returns the rows, and their numbers.
    pub fn samples_or_error(self) -> Result<(Samples, Runs), Error> {
        let (features, labels, runs) = self.features()?;
        Ok((Samples::part(features, labels, Missing::Refuse)?, runs))
    }

    /// Returns the same, with an exception of Python.
    pub fn samples(self) -> PyResult<(Samples, Runs)> {
        Ok(self.samples_or_error().map_err(Failure::from)?)
    }

    /// Returns the numbers of the rows, and the rows, packed.
    pub fn pack(self) -> PyResult<(Vec<u8>, Vec<u8>)> {
        let (features, labels, runs) = self.features().map_err(Failure::from)?;
        let numbers = runs.0.iter().flat_map(|&(first, count)| [first, count as i64]);
        let numbers = numbers.flat_map(i64::to_le_bytes).collect();
        Ok((numbers, pack(&features, &labels.positive, 0..features.rows())))
    }
}

/// Adds the values of the rows that are kept.
fn extend<T, const N: usize>(
    out: &mut Vec<T>,
    all: &[[u8; N]],
    width: usize,
    keep: &[usize],
    rows: usize,
    read: impl Fn([u8; N]) -> T,
) {
    if keep.len() == rows {
        out.extend(all.iter().map(|value| read(*value)));
        return;
    }
    for &i in keep {
        out.extend(all[i * width..][..width].iter().map(|value| read(*value)));
    }
}
