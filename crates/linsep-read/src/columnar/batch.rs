//! Batches that someone else has decoded, as a cluster hands them on.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::DataType;
use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::samples::{Dense, Features, SparseBuilder};

use super::rows::{Misplaced, Plan};
use super::schema::{ColumnKind, SchemaColumns};
use super::values::{ValueFault, floats};
use super::{Numbers, Wanted};

/// How a row of a vector says that it is written in full.
const DENSE: i8 = 1;

/// Returns the features that the columns of a batch hold: numbers, lists of numbers, or a single column of
/// vectors as Spark has them, dense or sparse. `lengths` says how many features each column is; a null is NaN.
///
/// Errors with the row, counted from 1, and the column if a value cannot be a number, and if a list or a
/// vector is longer or shorter.
pub fn batch_features(batch: &RecordBatch, lengths: &[usize]) -> Result<Features, Error> {
    let schema = batch.schema();
    let name = |root: usize| Column::Name(schema.field(root).name().clone());
    if let [length] = lengths
        && let Some(vectors) = batch.column(0).as_struct_opt()
    {
        let read = vectors_of(vectors, *length);
        return read
            .map_err(|ValueFault { at, kind }| kind.at_row(at as u64 + 1).in_column(name(0)));
    }
    let columns = SchemaColumns::new(&schema, |root| Ok(lengths.get(root).copied()))?;
    if let Some(k) = columns.kinds.iter().position(|kind| *kind != ColumnKind::Number) {
        let root = columns.slots[k].root;
        let found = columns.roots[root].type_name.clone();
        let kind = ErrorKind::Unsupported { found, expected: "numbers" };
        return Err(Error::from(kind).in_column(name(root)));
    }
    let wanted = Wanted { numbers: (0..columns.names.len()).collect(), texts: vec![] };
    let (rows, width) = (batch.num_rows(), wanted.numbers.len());
    let read = Plan::new(&columns, &wanted).batch(0, batch);
    let read = read.map_err(|Misplaced { root, fault: ValueFault { at, kind } }| {
        kind.at_row(at as u64 + 1).in_column(name(root))
    })?;
    Ok(match read.numbers {
        Numbers::F32(values) => Dense::new(values, rows, width).into(),
        Numbers::F64(values) => Dense::new(values, rows, width).into(),
    })
}

/// Returns vectors of this length: dense rows if all of them are, else sparse ones.
fn vectors_of(vectors: &StructArray, length: usize) -> Result<Features, ValueFault> {
    let field = |name: &str, expected: &DataType| {
        let found = vectors.column_by_name(name).filter(|array| match array.data_type() {
            DataType::List(item) => item.data_type() == expected,
            other => other == expected,
        });
        found.ok_or_else(|| ValueFault::of_type(vectors.data_type(), "numbers, lists or vectors"))
    };
    let kinds = field("type", &DataType::Int8)?.as_primitive::<Int8Type>();
    let sizes = field("size", &DataType::Int32)?.as_primitive::<Int32Type>();
    let indices = field("indices", &DataType::Int32)?.as_list::<i32>();
    let values = field("values", &DataType::Float64)?;
    let rows = vectors.len();
    if (0..rows).all(|at| vectors.is_null(at) || kinds.value(at) == DENSE) {
        let all = floats::<f64>(values, Some(length))?.into_owned();
        return Ok(Dense::new(all, rows, length).into());
    }
    let values = values.as_list::<i32>();
    let mut out = SparseBuilder::default();
    for at in 0..rows {
        if vectors.is_null(at) {
            out.push(0, f64::NAN);
            out.end_row();
            continue;
        }
        let row = values.value(at);
        let row = row.as_primitive::<Float64Type>();
        let dense = kinds.value(at) == DENSE;
        let found = if dense { row.len() } else { sizes.value(at).max(0) as usize };
        if found != length {
            return Err(ValueFault { at, kind: ErrorKind::ListLength { found, expected: length } });
        }
        let places = indices.value(at);
        let places = places.as_primitive::<Int32Type>();
        for (k, &value) in row.values().iter().enumerate().filter(|(_, value)| **value != 0.0) {
            // A negative index is one that is too large.
            out.push(if dense { k } else { places.value(k) as u32 as usize }, value);
        }
        out.end_row();
    }
    let sparse =
        out.finish(length).map_err(|fault| ValueFault { at: 0, kind: ErrorKind::Sparse(fault) })?;
    Ok(Features::Sparse(sparse))
}
