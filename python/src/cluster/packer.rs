//! Arrow batches to packed rows, where the rows are.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use linsep::data::error::Column;
use linsep::data::hash::mix;
use linsep::data::read::batch_features;
use linsep::data::samples::{LabelNames, Labels, Missing};
use linsep::data::{Error, Features, Samples};
use linsep::decide::remote::rows::{Runs, pack};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::packed::{key, stamp};
use super::{arrow, damaged};
use crate::errors::describe_kind;

/// Packs the rows of a partition.
#[pyclass(module = "linsep._linsep")]
pub struct Packer {
    lengths: Vec<usize>,
    cut: i64,
    partition: i32,
    /// The number of the first row of each file, where rows are counted within files.
    files: Option<HashMap<String, i64>>,
    /// Whether rows come with numbers.
    numbered: bool,
    /// Rows so far.
    position: i64,
    pool: ThreadPool,
}

/// Rows of one key: the key, partition, count, positives, runs of numbers, packed rows, stamp, check, sparse. The
/// check tells the numbers that rows came with, or else the rows, whatever their order.
type Packed<'py> = (i64, i32, i32, i32, Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, i64, bool);

/// What is wrong with a row: its number in the partition or the data, the column, and what it is.
type RowFault = (i64, Option<String>, String);

#[pymethods]
impl Packer {
    /// Returns the packer of a partition. `lengths`: the number of features of each column; the column after them
    /// says whether a row is positive. `numbered`: the next column is the number of each row. `files`: that number
    /// is within a file, which the next column names; the map has the number of the first row of each file. At most
    /// `cut` rows are packed together.
    #[new]
    #[pyo3(signature = (lengths, cut, partition, *, numbered=false, files=None))]
    fn new(
        lengths: Vec<usize>,
        cut: i64,
        partition: i32,
        numbered: bool,
        files: Option<HashMap<String, i64>>,
    ) -> PyResult<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| PyTypeError::new_err(error.to_string()))?;
        Ok(Packer { lengths, cut: cut.max(1), partition, files, numbered, position: 0, pool })
    }

    /// Returns the rows of a batch, packed, or what is wrong with one of them. Raises KeyError if a file is
    /// not known.
    fn pack<'py>(
        &mut self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
    ) -> PyResult<(Vec<Packed<'py>>, Option<RowFault>)> {
        let batch = arrow::import(batch)?;
        if batch.num_rows() == 0 {
            return Ok((vec![], None));
        }
        let columns = self.lengths.len();
        let numbers = self.numbers(&batch)?;
        let positive = batch.columns().get(columns).and_then(|array| array.as_boolean_opt());
        let positive = positive.ok_or_else(damaged)?.iter().map(|p| p == Some(true)).collect();
        let wanted: Vec<usize> = (0..columns).collect();
        let features =
            batch.project(&wanted).map_err(|error| PyTypeError::new_err(error.to_string()))?;
        self.position += batch.num_rows() as i64;
        let read = py.detach(|| self.pool.install(|| self.read(&features, positive)));
        let (features, positive) = match read {
            Ok(read) => read,
            Err(error) => {
                let first =
                    || py.detach(|| self.pool.install(|| self.first_fault(&features, &numbers)));
                let found = self.numbered.then(first).flatten();
                return Ok((vec![], Some(found.unwrap_or_else(|| fault(&error, &numbers)))));
            }
        };
        let mut all = vec![];
        let mut at = 0;
        while at < numbers.len() {
            let place = self.place(numbers[at]);
            let same = |number: &&i64| self.place(**number) == place;
            let count = match self.has_keys() {
                true => numbers[at..].iter().take_while(same).count(),
                false => (self.cut as usize).min(numbers.len() - at),
            };
            let rows = at..at + count;
            let (mut sum, mut check) = (0_u64, 0_u64);
            for i in rows.clone() {
                sum = sum.wrapping_add(stamp(&features, i, positive[i], numbers[i] as usize));
                check = check.wrapping_add(match self.numbered {
                    true => mix(numbers[i].cast_unsigned()),
                    false => stamp(&features, i, positive[i], 0),
                });
            }
            let runs: Runs = numbers[rows.clone()].iter().map(|&number| number as usize).collect();
            // A row that came with a number may be in any partition.
            let keyed = if self.numbered { -1 } else { self.partition };
            all.push((
                key(keyed, place),
                self.partition,
                count as i32,
                positive[rows.clone()].iter().filter(|&&positive| positive).count() as i32,
                PyBytes::new(py, &runs.to_bytes()),
                PyBytes::new(py, &pack(&features, &positive, rows)),
                sum.cast_signed(),
                check.cast_signed(),
                matches!(features, Features::Sparse(_)),
            ));
            at += count;
        }
        Ok((all, None))
    }
}

impl Packer {
    /// Returns whether the key of a row can be told from its number: not where rows come in any order.
    fn has_keys(&self) -> bool {
        !self.numbered || self.files.is_some()
    }

    fn place(&self, number: i64) -> i64 {
        number.div_euclid(self.cut)
    }

    /// Returns what is wrong with the row of the least number of those with which anything is.
    fn first_fault(&self, batch: &RecordBatch, numbers: &[i64]) -> Option<RowFault> {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_unstable_by_key(|&i| numbers[i]);
        order.into_iter().find_map(|i| {
            let error = self.read(&batch.slice(i, 1), vec![true]).err()?;
            Some(fault(&error, &numbers[i..=i]))
        })
    }

    /// Returns the number of each row: in the data where rows come with one, else in the partition.
    fn numbers(&self, batch: &RecordBatch) -> PyResult<Vec<i64>> {
        if !self.numbered {
            return Ok((self.position..self.position + batch.num_rows() as i64).collect());
        }
        let columns = self.lengths.len();
        let numbers = batch.columns().get(columns + 1);
        let numbers = numbers.and_then(|array| array.as_primitive_opt::<Int64Type>());
        let numbers = numbers.filter(|array| array.null_count() == 0).ok_or_else(damaged)?;
        let Some(files) = &self.files else {
            return Ok(numbers.values().to_vec());
        };
        let names = batch.columns().get(columns + 2).ok_or_else(damaged)?;
        let mut known: Option<(&str, i64)> = None;
        let number = |(k, number): (usize, &i64)| {
            let name = text(names, k).ok_or_else(damaged)?;
            let first = match known {
                Some((before, first)) if before == name => first,
                _ => *files.get(name).ok_or_else(|| {
                    PyKeyError::new_err(format!("{name} was not there when the rows were counted"))
                })?,
            };
            known = Some((name, first));
            Ok(first + number)
        };
        numbers.values().iter().enumerate().map(number).collect()
    }

    fn read(
        &self,
        batch: &RecordBatch,
        positive: Vec<bool>,
    ) -> Result<(Features, Vec<bool>), Error> {
        let features = batch_features(batch, &self.lengths)?;
        let labels = Labels { positive, names: LabelNames::default() };
        // Finds what is not finite.
        let samples = Samples::part(features, labels, Missing::Refuse)?;
        Ok((samples.features().clone(), samples.positive().to_vec()))
    }
}

fn text(array: &ArrayRef, k: usize) -> Option<&str> {
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(k)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(k)),
        _ => None,
    }
}

fn fault(error: &Error, numbers: &[i64]) -> RowFault {
    let row = error.place.row.map_or(0, |row| row as usize - 1);
    let column = error.place.column.as_ref().map(|column| match column {
        Column::Name(name) => name.clone(),
        // A feature, counted from 0.
        Column::Number(number) => format!("{}", number - 1),
    });
    (numbers[row.min(numbers.len() - 1)], column, describe_kind(&error.kind))
}
