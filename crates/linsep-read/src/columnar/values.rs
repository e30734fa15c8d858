//! Arrow arrays as plain floats.

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, PrimitiveArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;
use linsep_data::error::ErrorKind;
use linsep_data::integer;

use super::Numbers;

/// Integers up to here need no look.
const SMALL: u64 = integer::ALL_EXACT as u64;

/// What is wrong with a value.
pub(super) struct ValueFault {
    /// The row, counted from 0.
    pub(super) at: usize,
    pub(super) kind: ErrorKind,
}

impl ValueFault {
    /// Returns that an array is not of the type that the schema says.
    pub(super) fn of_type(found: &DataType, expected: &str) -> Self {
        ValueFault::damage(&format!("expected {expected}, found {found}"))
    }

    pub(super) fn damage(what: &dyn Display) -> Self {
        ValueFault { at: 0, kind: ErrorKind::Damaged { what: what.to_string() } }
    }
}

/// The floats that values are turned into.
pub(super) trait Float: bytemuck::Pod {
    const NAN: Self;
    fn from_f32(value: f32) -> Self;
    fn from_f64(value: f64) -> Self;
    fn numbers(values: Vec<Self>) -> Numbers;
}

impl Float for f32 {
    const NAN: Self = f32::NAN;

    fn from_f32(value: f32) -> Self {
        value
    }

    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn numbers(values: Vec<Self>) -> Numbers {
        Numbers::F32(values)
    }
}

impl Float for f64 {
    const NAN: Self = f64::NAN;

    fn from_f32(value: f32) -> Self {
        value.into()
    }

    fn from_f64(value: f64) -> Self {
        value
    }

    fn numbers(values: Vec<Self>) -> Numbers {
        Numbers::F64(values)
    }
}

/// Returns the values of an array, `length` per row if it holds lists. A null is NaN.
///
/// Errors if an integer is too large, or if a list has another length.
pub(super) fn floats<T: Float>(
    array: &ArrayRef,
    length: Option<usize>,
) -> Result<Cow<'_, [T]>, ValueFault> {
    match (array.data_type(), length) {
        (DataType::FixedSizeList(..), Some(length)) => {
            let lists = array.as_fixed_size_list();
            let in_row = |fault: ValueFault| ValueFault { at: fault.at / length.max(1), ..fault };
            let mut values = scalars(lists.values()).map_err(in_row)?;
            blank(&mut values, lists.nulls(), length);
            Ok(values)
        }
        (DataType::List(_), Some(length)) => in_lists::<T, i32>(array, length),
        (DataType::LargeList(_), Some(length)) => in_lists::<T, i64>(array, length),
        _ => scalars(array),
    }
}

/// Returns the values of lists that must all have one length.
fn in_lists<T: Float, O: OffsetSizeTrait>(
    array: &ArrayRef,
    length: usize,
) -> Result<Cow<'_, [T]>, ValueFault> {
    let lists = array.as_list::<O>();
    let offsets = lists.offsets();
    for (at, ends) in offsets.windows(2).enumerate() {
        let found = ends[1].as_usize() - ends[0].as_usize();
        if found != length && lists.is_valid(at) {
            return Err(ValueFault { at, kind: ErrorKind::ListLength { found, expected: length } });
        }
    }
    let (first, end) = (offsets[0].as_usize(), offsets[lists.len()].as_usize());
    let in_row = |fault: ValueFault| {
        let at = offsets.partition_point(|start| start.as_usize() - first <= fault.at) - 1;
        ValueFault { at, ..fault }
    };
    if lists.null_count() == 0 && first == 0 && end == lists.values().len() {
        return scalars(lists.values()).map_err(in_row);
    }
    let items = lists.values().slice(first, end - first);
    let items = scalars::<T>(&items).map_err(in_row)?;
    let mut values = Vec::with_capacity(lists.len() * length);
    for (at, start) in offsets.iter().take(lists.len()).enumerate() {
        if lists.is_valid(at) {
            values.extend_from_slice(&items[start.as_usize() - first..][..length]);
        } else {
            values.resize(values.len() + length, T::NAN);
        }
    }
    Ok(values.into())
}

/// Returns the values of an array of scalars.
fn scalars<T: Float>(array: &ArrayRef) -> Result<Cow<'_, [T]>, ValueFault> {
    let mut values: Cow<[T]> = match array.data_type() {
        DataType::Float32 => float32(array.as_primitive::<Float32Type>().values()),
        DataType::Float64 => float64(array.as_primitive::<Float64Type>().values()),
        DataType::Float16 => each::<Float16Type, T>(array, |v| T::from_f32(v.to_f32())),
        DataType::Int8 => each::<Int8Type, T>(array, |v| T::from_f32(v.into())),
        DataType::Int16 => each::<Int16Type, T>(array, |v| T::from_f32(v.into())),
        DataType::UInt8 => each::<UInt8Type, T>(array, |v| T::from_f32(v.into())),
        DataType::UInt16 => each::<UInt16Type, T>(array, |v| T::from_f32(v.into())),
        DataType::Int32 => each::<Int32Type, T>(array, |v| T::from_f64(v.into())),
        DataType::UInt32 => each::<UInt32Type, T>(array, |v| T::from_f64(v.into())),
        DataType::Date32 => each::<Date32Type, T>(array, |v| T::from_f64(v.into())),
        DataType::Boolean => {
            let bits = array.as_boolean().values();
            bits.iter().map(|bit| T::from_f32(bit.into())).collect::<Vec<T>>().into()
        }
        DataType::Int64 => signed::<Int64Type, T>(array)?,
        DataType::Date64 => signed::<Date64Type, T>(array)?,
        DataType::Timestamp(TimeUnit::Second, _) => signed::<TimestampSecondType, T>(array)?,
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            signed::<TimestampMillisecondType, T>(array)?
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            signed::<TimestampMicrosecondType, T>(array)?
        }
        DataType::UInt64 => {
            let array = array.as_primitive::<UInt64Type>();
            check_exact(array, |v| v <= SMALL)?;
            array.values().iter().map(|&v| T::from_f64(v as f64)).collect::<Vec<T>>().into()
        }
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type, T>(array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type, T>(array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type, T>(array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type, T>(array, *scale),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let plain = take(dictionary.values(), dictionary.keys(), None);
            let plain = plain.map_err(|error| ValueFault::damage(&error))?;
            return Ok(scalars::<T>(&plain)?.into_owned().into());
        }
        other => return Err(ValueFault::of_type(other, "numbers")),
    };
    blank(&mut values, array.nulls(), 1);
    Ok(values)
}

fn float32<T: Float>(values: &[f32]) -> Cow<'_, [T]> {
    if TypeId::of::<T>() == TypeId::of::<f32>() {
        return bytemuck::cast_slice(values).into();
    }
    values.iter().map(|&v| T::from_f32(v)).collect::<Vec<T>>().into()
}

fn float64<T: Float>(values: &[f64]) -> Cow<'_, [T]> {
    if TypeId::of::<T>() == TypeId::of::<f64>() {
        return bytemuck::cast_slice(values).into();
    }
    values.iter().map(|&v| T::from_f64(v)).collect::<Vec<T>>().into()
}

fn each<'a, A: ArrowPrimitiveType, T: Float>(
    array: &'a ArrayRef,
    mut convert: impl FnMut(A::Native) -> T,
) -> Cow<'a, [T]> {
    array.as_primitive::<A>().values().iter().map(|&v| convert(v)).collect::<Vec<T>>().into()
}

fn signed<'a, A: ArrowPrimitiveType<Native = i64>, T: Float>(
    array: &'a ArrayRef,
) -> Result<Cow<'a, [T]>, ValueFault> {
    check_exact(array.as_primitive::<A>(), |v| v.unsigned_abs() <= SMALL)?;
    Ok(each::<A, T>(array, |v| T::from_f64(v as f64)))
}

/// Errors at the first integer that is there and not exact; small ones are.
fn check_exact<A: ArrowPrimitiveType>(
    array: &PrimitiveArray<A>,
    is_small: impl Fn(A::Native) -> bool,
) -> Result<(), ValueFault>
where
    A::Native: Display + Into<i128>,
{
    // Without a way out in the loop it is vectorised.
    if array.values().iter().fold(true, |all, &v| all & is_small(v)) {
        return Ok(());
    }
    let inexact =
        |&at: &usize| array.is_valid(at) && integer::exact(array.value(at).into()).is_none();
    match (0..array.len()).find(inexact) {
        Some(at) => {
            let found = array.value(at).to_string();
            Err(ValueFault { at, kind: ErrorKind::Inexact { found } })
        }
        None => Ok(()),
    }
}

/// Returns the floats nearest to decimals, as from their digits in a text.
fn decimals<'a, A: DecimalType, T: Float>(array: &'a ArrayRef, scale: i8) -> Cow<'a, [T]>
where
    A::Native: Display,
{
    let mut digits = String::new();
    each::<A, T>(array, |value| {
        digits.clear();
        write!(digits, "{value}e{}", -i32::from(scale)).expect("memory takes all");
        T::from_f64(fast_float2::parse(&digits).expect("digits and an exponent"))
    })
}

/// Writes NaN where there is nothing, `length` values for each row.
fn blank<T: Float>(values: &mut Cow<[T]>, nulls: Option<&NullBuffer>, length: usize) {
    let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return };
    let values = values.to_mut();
    for at in (0..nulls.len()).filter(|&at| nulls.is_null(at)) {
        values[at * length..][..length].fill(T::NAN);
    }
}

/// Returns the length of the first list that is not null.
pub(super) fn first_list_length(array: &ArrayRef) -> Option<usize> {
    let at = (0..array.len()).find(|&at| array.is_valid(at))?;
    match array.data_type() {
        DataType::List(_) => Some(array.as_list::<i32>().value_length(at) as usize),
        DataType::LargeList(_) => Some(array.as_list::<i64>().value_length(at) as usize),
        _ => None,
    }
}
