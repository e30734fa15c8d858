use std::io::Cursor;

use linsep_data::samples::Features;
use proptest::prelude::*;

use super::*;
use crate::gather;
use crate::predict::hand_on;
use crate::text::Boundary;

fn chunks(text: &str, bytes: usize) -> Chunks {
    let text = Box::new(Cursor::new(text.as_bytes().to_vec()));
    Chunks::new(text, Boundary::line(), bytes)
}

fn show_row(features: &Features, i: usize) -> String {
    let mut pairs = vec![];
    features.for_each(i, |k, v| pairs.push(format!("{k}={v}")));
    pairs.join(" ")
}

fn show(text: &str, options: &ReadOptions, bytes: usize) -> String {
    let table = LibsvmTable::open(chunks(text, bytes), options, false);
    match table.and_then(|mut table| gather(&mut table, options, None, &|_| {})) {
        Ok(samples) => {
            let rows: Vec<String> = (0..samples.rows())
                .map(|i| {
                    let sign = if samples.positive()[i] { '+' } else { '-' };
                    format!("{sign} {}", show_row(samples.features(), i)).trim_end().to_string()
                })
                .collect();
            let (columns, base) = (samples.columns(), samples.about().index_base);
            let dropped = samples.about().dropped;
            format!("{} | {columns} columns from {base}, {dropped} dropped", rows.join(" | "))
        }
        Err(error) => error.to_string(),
    }
}

fn check(text: &str, options: ReadOptions, expected: &str) {
    for bytes in [1, 7, 1 << 20] {
        assert_eq!(show(text, &options, bytes), expected, "{text:?} by {bytes}");
    }
}

fn base(base: u8) -> ReadOptions {
    ReadOptions { index_base: Some(base), ..ReadOptions::default() }
}

fn dropping() -> ReadOptions {
    ReadOptions { missing: Missing::Drop, ..ReadOptions::default() }
}

#[test]
fn rows_of_pairs() {
    let auto = ReadOptions::default;
    check("1 1:0.5 3:2\n-1 2:1", auto(), "+ 0=0.5 2=2 | - 1=1 | 3 columns from 1, 0 dropped");
    check("1 0:1\n-1 2:1\n", auto(), "+ 0=1 | - 2=1 | 3 columns from 0, 0 dropped");
    check("1 1:1\n-1 2:1\n", base(0), "+ 1=1 | - 2=1 | 3 columns from 0, 0 dropped");
    check(
        "# head\r\n\r\n+1\tqid:7  3:1 1:-2 # 9:9\r\n   \n-1\r\n",
        auto(),
        "+ 0=-2 2=1 | - | 3 columns from 1, 0 dropped",
    );
    check("a 1:1\nb 1:2\n", auto(), "- 0=1 | + 0=2 | 1 columns from 1, 0 dropped");
}

#[test]
fn what_is_wrong_is_told_by_line() {
    let auto = ReadOptions::default;
    check("1 1:1\n\n-1 x:1\n", auto(), "line 3: expected index:value, found \"x:1\"");
    check("1 1:1\n-1 2\n", auto(), "line 2: expected index:value, found \"2\"");
    check("1 :1\n", auto(), "line 1: expected index:value, found \":1\"");
    check(
        "1 1:1\n-1 0:1\n",
        base(1),
        "line 2: expected a feature index from 1 to 4294967295, found 0",
    );
    let too_large = "line 1: expected a feature index from 0 to 4294967295, found 4294967296";
    check("1 4294967296:1\n", auto(), too_large);
    check("1 2:1 1:1 2:1\n", auto(), "line 1: feature index 2 stands twice");
    check("1 2:x\n", auto(), "line 1: expected index:value, found \"2:x\"");
    check("1 2:\n", auto(), "line 1, column 2: expected a finite number, found nothing");
    check("1 2:inf\n", auto(), "line 1, column 2: expected a finite number, found inf");
    check("1 2:1e999\n", auto(), "line 1, column 2: expected a finite number, found 1e999");
    check("1:1 2:1\n", auto(), "line 1: expected a label, found nothing");
    check("", auto(), "expected data, found an empty file");
    check("# only\n\n", auto(), "expected data, found an empty file");
    check("1\n-1\n", auto(), "expected at least one feature, found none");
    let features = Some(vec![]);
    check(
        "1 1:1",
        ReadOptions { features, ..auto() },
        "cannot read a choice of feature columns in libsvm data; \
         expected csv, tsv or npy data for that",
    );
}

#[test]
fn rows_with_missing_values_can_be_dropped() {
    check(
        "1 1:nan 0:1\n1 2:1\n2:7\n-1 1:1\n",
        dropping(),
        "+ 2=1 | - 1=1 | 3 columns from 0, 2 dropped",
    );
    check("1 1:nan\n-1 1:x\n", dropping(), "line 2: expected index:value, found \"1:x\"");
    check("1 1:nan 1:2\n", dropping(), "line 1: feature index 1 stands twice");
    check(
        "1 1:nan\n",
        dropping(),
        "expected at least one row, found none (1 dropped for missing values)",
    );
}

fn check_stream(text: &str, options: ReadOptions, features: usize, expected: &str) {
    for bytes in [1, 9, 1 << 20] {
        let wanted =
            Expected { features, names: None, index_base: 1, label_column: None, encoding: None };
        let mut rows = vec![];
        let mut table = LibsvmTable::expecting(chunks(text, bytes), &options, &wanted).unwrap();
        let result = hand_on(&mut table, &options, &wanted, &mut |block| {
            assert_eq!(block.features.columns(), features);
            for (i, row) in block.rows.iter().enumerate() {
                rows.push(format!("{row}: {}", show_row(&block.features, i)));
            }
            Ok(())
        });
        let found = match result {
            Ok(summary) => format!("{} | {} dropped", rows.join(" | "), summary.dropped),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn a_stream_needs_no_labels() {
    let auto = ReadOptions::default;
    check_stream("1 1:5\n2:6 3:7\n", auto(), 3, "1: 0=5 | 2: 1=6 2=7 | 0 dropped");
    check_stream("1 1:5\n2:6 0:7\n", base(0), 3, "1: 1=5 | 2: 0=7 2=6 | 0 dropped");
    check_stream("1:nan\n2:6\n", dropping(), 2, "2: 1=6 | 1 dropped");
    check_stream("1:1\n2:6\n", auto(), 1, "line 2: expected rows of 1 features, found 2");
    let too_small = "line 1: expected a feature index from 1 to 4294967295, found 0";
    check_stream("0:1\n", auto(), 1, too_small);
    check_stream("\n", auto(), 1, "expected data, found an empty file");
}

proptest! {
    #[test]
    fn any_text_reads_the_same_in_any_pieces(
        text in "([01ab] ([0-3]:[0-9nx]{1,2} ?){0,3}(#.)?\r?\n){0,6}[ -~\n]{0,4}",
        bytes in 1usize..64,
    ) {
        for options in [ReadOptions::default(), dropping(), base(1)] {
            let whole = show(&text, &options, 1 << 20);
            prop_assert_eq!(show(&text, &options, bytes), whole);
        }
    }
}
