//! Each type of column, and lists of them.

use arrow_array::types::{Float32Type, Int8Type, Int32Type};
use arrow_array::*;
use arrow_buffer::i256;

use super::*;

/// Checks kind and rows of the only column, or those that it is spread to.
fn check(array: impl Array + 'static, kind: ColumnKind, numbers: &str, texts: &str) {
    let folder = Folder::new();
    let batch = RecordBatch::try_from_iter([("c", Arc::new(array) as ArrayRef)]).unwrap();
    for name in NAMES {
        let files = open(&[folder.write(name, &batch, 2)]).unwrap();
        assert_eq!(files.kinds()[0], kind, "{name}");
        let all: Vec<usize> = (0..files.names().len()).collect();
        let check = |wanted: Wanted, expected: &str| {
            let found = rows_of(&files, &wanted);
            let found = found.map_or_else(|error| error.to_string(), |rows| rows.join(", "));
            let place = format!("{}: ", folder.path(name).display());
            assert_eq!(found.replace(&place, ""), expected, "{name}");
        };
        if !numbers.is_empty() {
            check(Wanted { numbers: all.clone(), texts: vec![] }, numbers);
        }
        if !texts.is_empty() {
            check(Wanted { numbers: vec![], texts: all }, texts);
        }
    }
}

fn number(array: impl Array + 'static, numbers: &str, texts: &str) {
    check(array, ColumnKind::Number, numbers, texts);
}

#[test]
fn numbers() {
    number(Float32Array::from(vec![Some(0.1), None, Some(-2.0)]), "0.1, NaN, -2", "0.1, -, -2");
    number(
        Float64Array::from(vec![Some(0.1), None, Some(1e300)]),
        &format!("0.1, NaN, {}", 1e300),
        "",
    );
    number(BooleanArray::from(vec![Some(true), Some(false), None]), "1, 0, NaN", "true, false, -");
    number(Int8Array::from(vec![-128, 127]), "-128, 127", "-128, 127");
    number(UInt8Array::from(vec![255]), "255", "255");
    number(Int16Array::from(vec![Some(-300), None]), "-300, NaN", "-300, -");
    number(UInt16Array::from(vec![65535]), "65535", "65535");
    number(Int32Array::from(vec![i32::MIN]), "-2147483648", "-2147483648");
    number(UInt32Array::from(vec![u32::MAX]), "4294967295", "4294967295");
    number(Int64Array::from(vec![1 << 53]), "9007199254740992", "9007199254740992");
    number(UInt64Array::from(vec![Some(7), None]), "7, NaN", "7, -");
    number(Date32Array::from(vec![20_000]), "20000", "20000");
    number(TimestampMicrosecondArray::from(vec![1_700_000_000_000_000]), "1700000000000000", "");
    number(TimestampMillisecondArray::from(vec![-1]), "-1", "");
}

#[test]
fn integers_beyond_f64_are_refused_as_numbers_only() {
    let beyond = 9_007_199_254_740_993;
    let error = "row 3, column \"c\": expected an integer that f64 holds exactly, as all up to 2^53 are, \
                 found 9007199254740993";
    let text = "1, -, 9007199254740993";
    number(Int64Array::from(vec![Some(1), None, Some(beyond)]), error, text);
    number(UInt64Array::from(vec![Some(1), None, Some(beyond as u64)]), error, text);
}

#[test]
fn decimals_are_the_nearest_floats() {
    let decimals = |values: Vec<i128>, scale| {
        Decimal128Array::from(values).with_precision_and_scale(38, scale).unwrap()
    };
    number(decimals(vec![1, -25], 1), "0.1, -2.5", "0.1, -2.5");
    // Dividing 1234567890123456789 by 1000 would round twice.
    let value = 1_234_567_890_123_456_789;
    number(decimals(vec![value], 3), "1234567890123456.8", "1234567890123456.789");
    let wide = Decimal256Array::from(vec![i256::from_i128(314)]);
    number(wide.with_precision_and_scale(40, 2).unwrap(), "3.14", "3.14");
}

#[test]
fn text() {
    let texts = [Some("no"), None, Some("yes"), Some("no"), Some("")];
    let expected = "no, -, yes, no, ";
    check(StringArray::from_iter(texts), ColumnKind::Text, "", expected);
    check(LargeStringArray::from_iter(texts), ColumnKind::Text, "", expected);
    check(StringViewArray::from_iter(texts), ColumnKind::Text, "", expected);
    check(DictionaryArray::<Int8Type>::from_iter(texts), ColumnKind::Text, "", expected);
}

#[test]
fn numbers_in_dictionaries() {
    let values = Arc::new(Float32Array::from(vec![1.5, 2.5]));
    let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(1)]);
    let array = DictionaryArray::<Int32Type>::new(keys, values);
    number(array, "2.5, NaN, 1.5, 2.5", "2.5, -, 1.5, 2.5");
}

#[test]
fn lists_are_spread() {
    let rows = || {
        let some = |values: [f32; 2]| Some(values.map(Some));
        [some([1.0, 2.0]), None, some([3.0, 4.0]), Some([None, Some(5.0)])]
    };
    let expected = "1 2, NaN NaN, 3 4, NaN 5";
    let texts = "1 2, - -, 3 4, - 5";
    let fixed = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(rows(), 2);
    number(fixed, expected, texts);
    let list = ListArray::from_iter_primitive::<Float32Type, _, _>(rows());
    number(list, expected, texts);
    let large = LargeListArray::from_iter_primitive::<Float32Type, _, _>(rows());
    number(large, expected, texts);
    let late = [None, None, None, Some(vec![Some(1)])];
    number(ListArray::from_iter_primitive::<Int32Type, _, _>(late), "NaN, NaN, NaN, 1", "");
    let uneven = [Some(vec![Some(1), Some(2)]), None, Some(vec![Some(1)])];
    let error = "row 3, column \"c\": expected a list of 2, found one of 1";
    number(ListArray::from_iter_primitive::<Int32Type, _, _>(uneven), error, "");
}

#[test]
fn lists_stand_beside_other_columns() {
    let folder = Folder::new();
    let lists = (0..3).map(|k| Some((0..3).map(move |i| Some((10 * k + i) as f32))));
    let lists = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(lists, 3);
    let batch = RecordBatch::try_from_iter([
        ("a", Arc::new(Int8Array::from(vec![7, 8, 9])) as ArrayRef),
        ("e", Arc::new(lists) as _),
        ("b", Arc::new(BooleanArray::from(vec![true, false, true])) as _),
    ]);
    for name in NAMES {
        let files = open(&[folder.write(name, batch.as_ref().unwrap(), 2)]).unwrap();
        assert_eq!(files.names(), ["a", "e[0]", "e[1]", "e[2]", "b"]);
        let check = |numbers: &[usize], expected: [&str; 3]| {
            let wanted = Wanted { numbers: numbers.to_vec(), texts: vec![4] };
            assert_eq!(rows_of(&files, &wanted).unwrap(), expected, "{name} {numbers:?}");
        };
        check(&[0, 1, 2, 3, 4], ["7 0 1 2 1 true", "8 10 11 12 0 false", "9 20 21 22 1 true"]);
        check(&[1, 2, 3], ["0 1 2 true", "10 11 12 false", "20 21 22 true"]);
        check(&[4, 3, 0, 1], ["1 2 7 0 true", "0 12 8 10 false", "1 22 9 20 true"]);
    }
}

#[test]
fn other_types_are_named() {
    let check = |array: ArrayRef, expected: &str| {
        let folder = Folder::new();
        let batch = RecordBatch::try_from_iter([("c", array)]).unwrap();
        for name in NAMES {
            let files = open(&[folder.write(name, &batch, 2)]).unwrap();
            assert_eq!(files.kinds(), [ColumnKind::Other(expected.to_string())], "{name}");
        }
    };
    check(Arc::new(TimestampNanosecondArray::from(vec![1])), "timestamp[ns]");
    check(Arc::new(BinaryArray::from(vec![&b"x"[..]])), "binary");
    let lists = vec![Some(vec![Some(vec![Some(1)])])];
    let mut nested =
        builder::ListBuilder::new(builder::ListBuilder::new(builder::Int32Builder::new()));
    nested.extend(lists);
    check(Arc::new(nested.finish()), "list<list<int32>>");
    let empty: [Option<Vec<Option<i32>>>; 1] = [None];
    check(Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(empty)), "list<int32>");
}
