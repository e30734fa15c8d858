//! Some rows as bytes, and put together again.
//!
//! ```text
//! head          form (f64, f32 or sparse), number of rows, width: as postcard writes them
//! labels        a byte per row: 1 is positive
//! dense         the values, row after row
//! sparse        where each row ends, eight bytes each; all indices, four bytes each; all values
//! ```

use std::collections::HashMap;
use std::ops::Range;

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::{Dense, LabelNames, Labels, Missing, SparseBuilder};
use linsep_data::{Block, Features, Samples};
use serde::{Deserialize, Serialize};

use crate::queries::{decode, encode, take};

/// What packed rows begin with.
#[derive(Serialize, Deserialize)]
struct PackedHead {
    form: PackedForm,
    rows: usize,
    width: usize,
}

/// How the values of packed rows are stored.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum PackedForm {
    F64,
    F32,
    Sparse,
}

/// Returns these rows as bytes.
///
/// # Panics
/// If there are no such rows, or fewer labels.
pub fn pack(features: &Features, positive: &[bool], rows: Range<usize>) -> Vec<u8> {
    let (form, size) = match features {
        Features::Dense64(_) => (PackedForm::F64, size_of::<f64>()),
        Features::Dense32(_) => (PackedForm::F32, size_of::<f32>()),
        Features::Sparse(_) => (PackedForm::Sparse, 0),
    };
    let mut out = encode(&PackedHead { form, rows: rows.len(), width: features.columns() });
    out.reserve_exact(rows.len() * (1 + features.columns() * size));
    out.extend(positive[rows.clone()].iter().map(|&positive| u8::from(positive)));
    match features {
        Features::Dense64(m) => rows.for_each(|i| put(m.row(i), f64::to_le_bytes, &mut out)),
        Features::Dense32(m) => rows.for_each(|i| put(m.row(i), f32::to_le_bytes, &mut out)),
        Features::Sparse(m) => {
            let mut end = 0;
            for i in rows.clone() {
                end += m.row(i).0.len() as u64;
                out.extend(end.to_le_bytes());
            }
            rows.clone().for_each(|i| put(m.row(i).0, u32::to_le_bytes, &mut out));
            rows.for_each(|i| put(m.row(i).1, f64::to_le_bytes, &mut out));
        }
    }
    out
}

/// Appends the bytes of values; a loop that compilers make a plain copy of.
fn put<T: Copy, const N: usize>(values: &[T], bytes: impl Fn(T) -> [u8; N], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + N * values.len(), 0);
    let room = out[start..].as_chunks_mut().0;
    room.iter_mut().zip(values).for_each(|(room, &value)| *room = bytes(value));
}

/// The numbers of rows, in order: consecutive ones take no more room than one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(usize, usize)>")]
pub struct Runs(Vec<(usize, usize)>);

impl TryFrom<Vec<(usize, usize)>> for Runs {
    type Error = &'static str;

    fn try_from(runs: Vec<(usize, usize)>) -> Result<Self, Self::Error> {
        match runs.iter().all(|(first, count)| first.checked_add(*count).is_some()) {
            true => Ok(Runs(runs)),
            false => Err("numbers beyond all numbers"),
        }
    }
}

impl Runs {
    /// Adds a number.
    pub fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some((first, count)) if *first + *count == number => *count += 1,
            _ => self.0.push((number, 1)),
        }
    }

    /// Returns the numbers.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.0.iter().flat_map(|&(first, count)| first..first + count)
    }

    /// Returns them as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(self)
    }

    /// Returns numbers from their bytes. Nothing if the bytes cannot be that.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        decode(bytes)
    }

    /// Returns samples with these numbers in blocks.
    ///
    /// # Panics
    /// If there is not a number for each.
    pub fn blocks<'a>(&self, samples: &'a Samples) -> Vec<Block<'a>> {
        let mut place = 0;
        let block = |&(first, count): &(usize, usize)| {
            place += count;
            Block::at(samples, place - count..place, first)
        };
        let blocks = self.0.iter().map(block).collect();
        assert_eq!(place, samples.rows(), "a number for each row");
        blocks
    }
}

impl FromIterator<usize> for Runs {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut runs = Runs::default();
        numbers.into_iter().for_each(|number| runs.push(number));
        runs
    }
}

/// Takes values of N bytes each off the front.
fn take_values<'a, const N: usize>(front: &mut &'a [u8], count: usize) -> Option<&'a [[u8; N]]> {
    Some(front.split_off(..count.checked_mul(N)?)?.as_chunks().0)
}

/// Rows that are put together, with their numbers.
#[derive(Default)]
pub struct Gathered {
    sparse: bool,
    dense64: Vec<f64>,
    dense32: Vec<f32>,
    rows: SparseBuilder,
    stored: usize,
    positive: Vec<bool>,
    runs: Runs,
    width: usize,
}

impl Gathered {
    /// Returns no rows yet. `sparse`: whether any rows of the data are; then all become so.
    pub fn new(sparse: bool) -> Self {
        Gathered { sparse, ..Gathered::default() }
    }

    /// Returns true if there are no rows.
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

    /// Adds those of the packed rows that are wanted; their numbers are given in order. Nothing if the bytes
    /// cannot be that, or are rows of another form; then it is of no further use.
    pub fn push_packed(
        &mut self,
        mut numbers: impl Iterator<Item = usize>,
        packed: &[u8],
        wanted: impl Fn(usize) -> bool,
    ) -> Option<()> {
        let mut front = packed;
        let PackedHead { form, rows, width } = take(&mut front)?;
        let labels = front.split_off(..rows)?;
        self.has_width(width)?;
        let mut keep = Vec::with_capacity(rows);
        for (i, &label) in labels.iter().enumerate() {
            let number = numbers.next()?;
            if wanted(number) {
                keep.push(i);
                self.push_label(label == 1, number);
            }
        }
        match (form, self.sparse) {
            (PackedForm::F64, false) => {
                let all = take_values(&mut front, rows.checked_mul(width)?)?;
                extend(&mut self.dense64, all, width, &keep, rows, f64::from_le_bytes);
            }
            (PackedForm::F32, false) => {
                let all = take_values(&mut front, rows.checked_mul(width)?)?;
                extend(&mut self.dense32, all, width, &keep, rows, f32::from_le_bytes);
            }
            // Dense rows among sparse ones.
            (PackedForm::F64, true) => {
                let all = take_values(&mut front, rows.checked_mul(width)?)?;
                for &i in &keep {
                    let row = all[i * width..][..width].iter().map(|v| f64::from_le_bytes(*v));
                    self.push_sparse(row.enumerate().filter(|(_, value)| *value != 0.0));
                }
            }
            (PackedForm::Sparse, true) => {
                let ends = take_values(&mut front, rows)?;
                let end = |i: usize| u64::from_le_bytes(ends[i]) as usize;
                let stored = if rows == 0 { 0 } else { end(rows - 1) };
                let indices = take_values(&mut front, stored)?;
                let values = take_values(&mut front, stored)?;
                for &i in &keep {
                    let range = if i == 0 { 0 } else { end(i - 1) }..end(i);
                    let (indices, values) = (indices.get(range.clone())?, values.get(range)?);
                    let indices = indices.iter().map(|k| u32::from_le_bytes(*k) as usize);
                    let values = values.iter().map(|v| f64::from_le_bytes(*v));
                    self.push_sparse(indices.zip(values));
                }
            }
            _ => return None,
        }
        front.is_empty().then_some(())
    }

    /// Adds a row. Nothing if it is of another form than those before it.
    pub fn push(&mut self, samples: &Samples, i: usize, number: usize) -> Option<()> {
        self.has_width(samples.columns())?;
        match (samples.features(), self.sparse) {
            (Features::Dense64(m), false) => self.dense64.extend_from_slice(m.row(i)),
            (Features::Dense32(m), false) => self.dense32.extend_from_slice(m.row(i)),
            (Features::Sparse(m), true) => {
                let (indices, values) = m.row(i);
                let indices = indices.iter().map(|&k| k as usize);
                self.push_sparse(indices.zip(values.iter().copied()));
            }
            _ => return None,
        }
        self.push_label(samples.positive()[i], number);
        Some(())
    }

    fn has_width(&mut self, width: usize) -> Option<()> {
        let fits = self.is_empty() || self.width == width;
        self.width = width;
        fits.then_some(())
    }

    fn push_label(&mut self, positive: bool, number: usize) {
        self.positive.push(positive);
        self.runs.push(number);
    }

    fn push_sparse(&mut self, row: impl Iterator<Item = (usize, f64)>) {
        for (column, value) in row {
            self.rows.push(column, value);
            self.stored += 1;
        }
        self.rows.end_row();
    }

    fn features(self) -> Result<(Features, Labels, Runs), Error> {
        let rows = self.positive.len();
        let features = match self.sparse {
            true => Features::Sparse(self.rows.finish(self.width).map_err(ErrorKind::Sparse)?),
            false if self.dense32.is_empty() => Dense::new(self.dense64, rows, self.width).into(),
            false => Dense::new(self.dense32, rows, self.width).into(),
        };
        let labels = Labels { positive: self.positive, names: LabelNames::default() };
        Ok((features, labels, self.runs))
    }

    /// Returns the rows, and their numbers. Errors if there is none, or if a value is not finite.
    pub fn samples(self) -> Result<(Samples, Runs), Error> {
        let (features, labels, runs) = self.features()?;
        Ok((Samples::part(features, labels, Missing::Refuse)?, runs))
    }

    /// Returns the rows packed, and their numbers.
    pub fn pack(self) -> Result<(Vec<u8>, Runs), Error> {
        let (features, labels, runs) = self.features()?;
        Ok((pack(&features, &labels.positive, 0..features.rows()), runs))
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

/// Rows that have come here, by their numbers.
#[derive(Default)]
pub(super) struct KnownRows {
    parts: Vec<Samples>,
    places: HashMap<usize, (usize, usize)>,
}

impl KnownRows {
    /// Adds rows with their numbers.
    pub fn add(&mut self, samples: Samples, numbers: impl Iterator<Item = usize>) {
        let part = self.parts.len();
        for (place, number) in numbers.enumerate() {
            self.places.insert(number, (part, place));
        }
        self.parts.push(samples);
    }

    /// Returns where a row is.
    pub fn get(&self, number: usize) -> Option<(&Samples, usize)> {
        self.places.get(&number).map(|&(part, place)| (&self.parts[part], place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;

    fn forms() -> Vec<Samples> {
        let double = Generator::new(9, 3, 1).samples::<f64>().unwrap();
        let single = Generator::new(9, 3, 1).samples::<f32>().unwrap();
        let mut rows = SparseBuilder::default();
        for i in 0..9 {
            (0..i % 3).for_each(|k| rows.push(k, (i + k) as f64 - 0.5));
            rows.end_row();
        }
        let labels = double.positive().to_vec();
        vec![double, single, Samples::sparse(rows.finish(3).unwrap(), labels).unwrap()]
    }

    fn shown(samples: &Samples, i: usize) -> (Vec<(usize, u64)>, bool) {
        let mut values = vec![];
        samples.features().for_each(i, |k, v| values.push((k, v.to_bits())));
        (values, samples.positive()[i])
    }

    #[test]
    fn rows_come_back_to_the_last_bit_with_their_numbers() {
        for samples in forms() {
            let sparse = matches!(samples.features(), Features::Sparse(_));
            let packed = pack(samples.features(), samples.positive(), 2..8);
            let mut rows = Gathered::new(sparse);
            rows.push_packed(12.., &packed, |number| number % 2 == 0).unwrap();
            rows.push(&samples, 0, 40).unwrap();
            let (found, runs) = rows.samples().unwrap();
            assert_eq!(runs.numbers().collect::<Vec<_>>(), [12, 14, 16, 40]);
            for (place, i) in [2, 4, 6, 0].into_iter().enumerate() {
                assert_eq!(shown(&found, place), shown(&samples, i));
            }
            for end in 0..packed.len() {
                assert!(Gathered::new(sparse).push_packed(0.., &packed[..end], |_| true).is_none());
            }
            assert!(
                Gathered::new(!sparse).push_packed(0.., &packed, |_| true).is_none() || !sparse
            );
        }
    }

    #[test]
    fn numbers_are_kept_in_runs() {
        let runs: Runs = [5, 6, 7, 2, 3, 9].into_iter().collect();
        assert_eq!(runs.0, [(5, 3), (2, 2), (9, 1)]);
        assert_eq!(Runs::from_bytes(&runs.to_bytes()), Some(runs));
        assert_eq!(Runs::from_bytes(&[255; 16]), None);
        assert_eq!(Runs::from_bytes(&[0; 15]), None);
    }
}
