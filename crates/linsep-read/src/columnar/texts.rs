//! Arrow arrays as text: a code per row, and the spelling of each code.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::{TakeOptions, take};

use super::values::ValueFault;

/// One column of text: a code per row into its spellings.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// A place in `spellings`, or [`Texts::NULL`].
    pub codes: Vec<u32>,
    /// In the order in which they occur; each one once.
    pub spellings: Vec<String>,
}

impl Texts {
    /// The code of a row without text.
    pub(crate) const NULL: u32 = u32::MAX;

    /// Returns the texts of an array; numbers are spelled as in a CSV file.
    ///
    /// Errors if it is neither.
    pub(super) fn of(array: &ArrayRef) -> Result<Self, ValueFault> {
        Ok(match array.data_type() {
            DataType::Utf8 => {
                let texts = array.as_string::<i32>();
                coded(array, |at| texts.value(at), ToString::to_string)
            }
            DataType::LargeUtf8 => {
                let texts = array.as_string::<i64>();
                coded(array, |at| texts.value(at), ToString::to_string)
            }
            DataType::Utf8View => {
                let texts = array.as_string_view();
                coded(array, |at| texts.value(at), ToString::to_string)
            }
            DataType::Dictionary(..) => in_dictionary(array)?,
            DataType::Boolean => {
                let bits = array.as_boolean();
                coded(array, |at| bits.value(at), ToString::to_string)
            }
            DataType::Float16 => {
                let values = array.as_primitive::<Float16Type>();
                let bits = |at| values.value(at).to_f32().to_bits();
                coded(array, bits, |&b| f32::from_bits(b).to_string())
            }
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                coded(array, |at| values.value(at).to_bits(), |&b| f32::from_bits(b).to_string())
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>();
                coded(array, |at| values.value(at).to_bits(), |&b| f64::from_bits(b).to_string())
            }
            DataType::Int8 => integers::<Int8Type>(array),
            DataType::Int16 => integers::<Int16Type>(array),
            DataType::Int32 => integers::<Int32Type>(array),
            DataType::Int64 => integers::<Int64Type>(array),
            DataType::UInt8 => integers::<UInt8Type>(array),
            DataType::UInt16 => integers::<UInt16Type>(array),
            DataType::UInt32 => integers::<UInt32Type>(array),
            DataType::UInt64 => integers::<UInt64Type>(array),
            DataType::Date32 => integers::<Date32Type>(array),
            DataType::Date64 => integers::<Date64Type>(array),
            DataType::Timestamp(TimeUnit::Second, _) => integers::<TimestampSecondType>(array),
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                integers::<TimestampMillisecondType>(array)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                integers::<TimestampMicrosecondType>(array)
            }
            DataType::Decimal32(precision, scale) => {
                decimals::<Decimal32Type>(array, *precision, *scale)
            }
            DataType::Decimal64(precision, scale) => {
                decimals::<Decimal64Type>(array, *precision, *scale)
            }
            DataType::Decimal128(precision, scale) => {
                decimals::<Decimal128Type>(array, *precision, *scale)
            }
            DataType::Decimal256(precision, scale) => {
                decimals::<Decimal256Type>(array, *precision, *scale)
            }
            other => return Err(ValueFault::of_type(other, "text")),
        })
    }
}

/// Returns the texts whose keys are given for rows that are not null.
fn coded<K: Hash + Eq + Copy>(
    array: &dyn Array,
    key: impl Fn(usize) -> K,
    spell: impl Fn(&K) -> String,
) -> Texts {
    let mut texts = Texts::default();
    let mut codes: HashMap<K, u32> = HashMap::new();
    let mut last: Option<(K, u32)> = None;
    texts.codes.extend((0..array.len()).map(|at| {
        if array.is_null(at) {
            return Texts::NULL;
        }
        let key = key(at);
        // Labels come in runs as often as not.
        if let Some((_, code)) = last.filter(|(before, _)| *before == key) {
            return code;
        }
        let code = *codes.entry(key).or_insert_with(|| {
            texts.spellings.push(spell(&key));
            (texts.spellings.len() - 1) as u32
        });
        last = Some((key, code));
        code
    }));
    texts
}

fn integers<A: ArrowPrimitiveType>(array: &ArrayRef) -> Texts
where
    A::Native: Hash + Eq + ToString,
{
    let values = array.as_primitive::<A>();
    coded(array, |at| values.value(at), ToString::to_string)
}

fn decimals<A: DecimalType>(array: &ArrayRef, precision: u8, scale: i8) -> Texts
where
    A::Native: Hash + Eq,
{
    let values = array.as_primitive::<A>();
    coded(array, |at| values.value(at), |&value| A::format_decimal(value, precision, scale))
}

/// Returns the texts of the entries of a dictionary, by their keys.
fn in_dictionary(array: &ArrayRef) -> Result<Texts, ValueFault> {
    let dictionary = array.as_any_dictionary();
    let entries = Texts::of(dictionary.values())?;
    let keys = dictionary.normalized_keys();
    // Only the entries that occur are passed on: a dictionary may be longer than the batch.
    let mut texts = Texts::default();
    let mut codes = vec![Texts::NULL; entries.spellings.len()];
    texts.codes.extend(keys.iter().enumerate().map(|(at, &key)| {
        let entry = if array.is_null(at) { Texts::NULL } else { entries.codes[key] };
        if entry == Texts::NULL {
            return Texts::NULL;
        }
        let code = &mut codes[entry as usize];
        if *code == Texts::NULL {
            *code = texts.spellings.len() as u32;
            texts.spellings.push(entries.spellings[entry as usize].clone());
        }
        *code
    }));
    Ok(texts)
}

/// Returns the item of each list of an array; null where there is none.
///
/// Errors if it holds no lists, or shorter ones.
pub(super) fn items(array: &ArrayRef, item: usize) -> Result<ArrayRef, ValueFault> {
    let (values, place): (_, Box<dyn Fn(usize) -> usize>) = match array.data_type() {
        DataType::FixedSizeList(_, length) => {
            let length = *length as usize;
            (array.as_fixed_size_list().values(), Box::new(move |at| at * length + item))
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            (lists.values(), Box::new(move |at| lists.offsets()[at] as usize + item))
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            (lists.values(), Box::new(move |at| lists.offsets()[at] as usize + item))
        }
        other => return Err(ValueFault::of_type(other, "lists")),
    };
    let places = (0..array.len()).map(|at| array.is_valid(at).then(|| place(at) as u64));
    let places: UInt64Array = places.collect();
    let check = TakeOptions { check_bounds: true };
    take(values, &places, Some(check)).map_err(|error| ValueFault::damage(&error))
}
