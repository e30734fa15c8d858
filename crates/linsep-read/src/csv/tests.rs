use std::io::Cursor;

use linsep_data::samples::{Features, Samples};
use proptest::prelude::*;

use super::*;
use crate::predict::{FeatureBlock, StreamSummary, hand_on};
use crate::text::Boundary;
use crate::{Categorical, ColumnChoice, gather};

fn read(
    chunks: Chunks,
    delimiter: u8,
    options: &ReadOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    gather(&mut CsvTable::open(chunks, delimiter, options, false)?, options, None, progress)
}

fn stream(
    chunks: Chunks,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(FeatureBlock) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    let mut table = CsvTable::expecting(chunks, b',', options, expected)?;
    hand_on(&mut table, options, expected, each)
}

fn chunks(text: &[u8], delimiter: u8, bytes: usize) -> Chunks {
    Chunks::new(Box::new(Cursor::new(text.to_vec())), Boundary::record(delimiter), bytes)
}

fn show_row(features: &Features, i: usize) -> String {
    let mut cells = vec![];
    features.for_each(i, |_, v| cells.push(v.to_string()));
    cells.join(" ")
}

fn show(text: &[u8], options: &ReadOptions, bytes: usize) -> String {
    let delimiter = options.delimiter.unwrap_or(b',');
    match read(chunks(text, delimiter, bytes), delimiter, options, &|_| {}) {
        Ok(samples) => {
            let names = samples.feature_names().map(|names| names.join(" ") + ": ");
            let rows: Vec<String> = (0..samples.rows())
                .map(|i| {
                    let sign = if samples.positive()[i] { '+' } else { '-' };
                    format!("{sign} {}", show_row(samples.features(), i))
                })
                .collect();
            let dropped = match samples.about().dropped {
                0 => String::new(),
                n => format!(", {n} dropped"),
            };
            format!("{}{}{dropped}", names.unwrap_or_default(), rows.join(", "))
        }
        Err(error) => error.to_string(),
    }
}

fn check_bytes(text: &[u8], options: &ReadOptions, expected: &str) {
    for bytes in [1, 2, 3, 5, 8, 13, 64, 1 << 20] {
        assert_eq!(show(text, options, bytes), expected, "{} by {bytes}", text.escape_ascii());
    }
}

fn check(text: &str, options: &ReadOptions, expected: &str) {
    check_bytes(text.as_bytes(), options, expected);
}

fn auto() -> ReadOptions {
    ReadOptions::default()
}

fn dropping() -> ReadOptions {
    ReadOptions { missing: Missing::Drop, ..auto() }
}

fn label(choice: &str) -> ReadOptions {
    ReadOptions { label: Some(choice.parse().unwrap()), ..auto() }
}

#[test]
fn rows_of_cells() {
    check("1,2,-1\n3,4,1\n", &auto(), "- 1 2, + 3 4");
    check("a,b,c\n1,2,-1\n3,4,1", &auto(), "a b: - 1 2, + 3 4");
    check("label,a\nx,1\n\ny,2\n \n", &auto(), "a: - 1, + 2");
    check("1, 2 ,x\r\n\r\n3,4, y \r\n", &auto(), "- 1 2, + 3 4");
    check("1,x\r2,y\r", &auto(), "- 1, + 2");
    check("\n\n\na,b\n1,x\n2,y\n", &auto(), "a: - 1, + 2");
    check("\"a\nb\",\"l,\"\"m\"\n\"1\",x\n2,\"y\"\n", &auto(), "a\nb: - 1, + 2");
    check("1;2\n3;4\n", &ReadOptions { delimiter: Some(b';'), ..auto() }, "- 1, + 3");
    check("1,x\n2,y\n", &ReadOptions { positive: Some("x".into()), ..auto() }, "+ 1, - 2");
}

#[test]
fn a_header_is_told_from_data() {
    let header = |header| ReadOptions { header, ..auto() };
    check("a,\n1,x\n2,y\n", &auto(), "a: - 1, + 2");
    check("nan,x\n2,y\n", &auto(), "line 1, column 1: expected a finite number, found nan");
    check("?,x\n2,y\n", &auto(), "line 1, column 1: expected a number, found \"?\"");
    check("1,x,a\n2,y,b\n", &auto(), "x1 x2=y: - 1 0, + 2 1");
    check("7,8\n1,x\n2,y\n", &header(Header::Yes), "7: - 1, + 2");
    check("a,b\n1,x\n", &header(Header::No), "line 1, column 1: expected a number, found \"a\"");
    check(",\n1,x\n", &auto(), "line 1, column 1: expected a finite number, found nothing");
}

#[test]
fn columns_are_chosen() {
    let features = |list| ReadOptions { features: Some(ColumnChoice::parse_list(list)), ..auto() };
    check("a,y,b\n1,n,3\n4,p,6\n", &auto(), "a b: - 1 3, + 4 6");
    check("a,y,b\n1,2,n\n4,5,p\n", &label("b"), "a y: - 1 2, + 4 5");
    check("a,y,b\nn,2,3\np,5,6\n", &label("1"), "y b: - 2 3, + 5 6");
    check("a,b,y\n1,2,n\n3,4,p\n", &features("b,1-3"), "b a b: - 2 1 2, + 4 3 4");
    check("a,b,y\n1,w,n\n3,w,p\n", &features("a"), "a: - 1, + 3");
    check("a,b\n1,n\n", &label("c"), "no column \"c\"; the columns are \"a\", \"b\"");
    check("a,b\n1,n\n", &features("c"), "no column \"c\"; the columns are \"a\", \"b\"");
}

#[test]
fn what_is_wrong_is_told_by_line() {
    check("", &auto(), "expected data, found an empty file");
    check("\n\r\n  \n", &auto(), "expected data, found an empty file");
    check("a,b\n", &auto(), "expected data rows, found only a header");
    check("1,2,x\n3,y\n", &auto(), "line 2: expected 3 cells, found 2");
    check("a,b\n\n1,x\n2\n", &auto(), "line 4: expected 2 cells, found 1");
    check(
        "age,y\n1,x\nn/a,y\n",
        &auto(),
        "line 3, column \"age\": expected a number, found \"n/a\"",
    );
    check(
        "a,\"q\nr\"\n\n\n1,x\n,y\n",
        &auto(),
        "line 6, column \"a\": expected a finite number, found nothing",
    );
    check(
        "a,b\r\n1,x\r\n\r\nw,y\r\n",
        &auto(),
        "line 4, column \"a\": expected a number, found \"w\"",
    );
    check("1,x\r2,y\r\rw,y\r", &auto(), "line 4, column 1: expected a number, found \"w\"");
    check("1,x\n1e999,y\n", &auto(), "line 2, column 1: expected a finite number, found 1e999");
    check("1,x\n2, \n", &auto(), "line 2, column 2: expected a label, found nothing");
    check("1,x\n2,x\n", &auto(), "column 2: expected two classes, found one: all 2 rows are \"x\"");
    check("x\ny\n", &auto(), "expected a feature and a label, found one column: \"x\"");
    check("1,x\nv,y\nw,y\n3\n", &auto(), "line 2, column 1: expected a number, found \"v\"");
    check_bytes(
        b"1,x\n\xff\xfe,y\n",
        &auto(),
        "line 2: expected UTF-8 text, found the byte 0xFF, as in Latin-1 or Windows-1252",
    );
}

#[test]
fn numbers_with_commas_and_other_encodings_are_told() {
    let semicolon = ReadOptions { delimiter: Some(b';'), ..auto() };
    let comma = "column \"a\": expected a number with a decimal point, found \"1,5\"";
    check("a;b\n1,5;x\n2,5;y\n3,5;x\n", &semicolon, &format!("line 2, {comma}"));
    check("a;b\n1;x\n1,5;y\n", &semicolon, &format!("line 3, {comma}"));
    check("a,b\n\"1,5\",x\n\"2,5\",y\n", &auto(), &format!("line 2, {comma}"));
    let asked = ReadOptions {
        delimiter: Some(b';'),
        ..categorical(Categorical::Columns(ColumnChoice::parse_list("a")))
    };
    check("a;b\n1,5;x\n2,5;y\n1,5;x\n", &asked, "a=2,5: - 0, + 1, - 0");
    check("a;b\n1;1,5\n2;2,5\n", &semicolon, "a: - 1, + 2");
    let latin = "expected UTF-8 text, found the byte 0xE9, as in Latin-1 or Windows-1252";
    check_bytes(b"caf\xe9,b\n1,x\n2,y\n", &auto(), &format!("line 1: {latin}"));
    check_bytes(b"a,b\n1,x\n2,caf\xe9\n", &auto(), &format!("line 3: {latin}"));
    check("größe,b\n1,ä\n2,ö\n", &auto(), "größe: - 1, + 2");
    let spaces = ReadOptions { delimiter: Some(b' '), ..auto() };
    check("  1   2  x \n3 4 y\n", &spaces, "- 1 2, + 3 4");
    check(" a  b\n 1 x\n  w  y\n", &spaces, "line 3, column \"a\": expected a number, found \"w\"");
}

#[test]
fn a_runaway_quote_is_told_where_it_opens() {
    let text = format!("1,x\n\"2,y\n{}", "3,x\n".repeat(100));
    check(&text, &auto(), "line 2: the quote that opens here is never closed");
    check(
        "a,b\n1,\"x\ny\"\n2,\"y\n3,x\n",
        &auto(),
        "line 4: the quote that opens here is never closed",
    );
    // What is wrong before it comes first.
    check(
        "a,b\nw,x\n1\n2,\"y\n3,x\n",
        &auto(),
        "line 2, column \"a\": expected a number, found \"w\"",
    );
}

#[test]
fn rows_with_missing_values_can_be_dropped() {
    check("1,x\n,y\nNA,z\n2,y\n3,\n", &dropping(), "- 1, + 2, 3 dropped");
    check("1,x\n,y\ninf,y\n1e999,y\n-nan,y\n2,y\n", &dropping(), "- 1, + 2, 4 dropped");
    check("1,1,x\n,w,y\n", &dropping(), "line 2, column 2: expected a number, found \"w\"");
    check(
        "?,x\n,y\n",
        &dropping(),
        "expected at least one row, found none (2 dropped for missing values)",
    );
}

fn categorical(categorical: Categorical) -> ReadOptions {
    ReadOptions { categorical, ..auto() }
}

#[test]
fn text_becomes_one_feature_per_level() {
    let colors = "color,n,y\nred,1,a\nblue,2,b\ngreen,3,b\nred,4,a\nblue,5,b\n";
    let dropped = "color=green color=red n: - 0 1 1, + 0 0 2, + 1 0 3, - 0 1 4, + 0 0 5";
    check(colors, &auto(), dropped);
    let all = ReadOptions { all_levels: true, ..auto() };
    let every = "color=blue color=green color=red n: \
        - 0 0 1 1, + 1 0 0 2, + 0 1 0 3, - 0 0 1 4, + 1 0 0 5";
    check(colors, &all, every);
    let refused = "line 2, column \"color\": expected a number, found \"red\"";
    check(colors, &categorical(Categorical::No), refused);
    let numbers = "n,y\n10,a\n9,b\n10,b\n";
    let chosen = categorical(Categorical::Columns(ColumnChoice::parse_list("n")));
    check(numbers, &chosen, "n=10: - 1, + 0, + 1");
    // A word among numbers is a fault, numbers among words are levels.
    let wrong = "line 4, column \"n\": expected a number, found \"1o\"";
    check("n,y\n1,a\n2,b\n1o,b\n", &auto(), wrong);
    check("c,y\nx,a\n2,b\nx,b\n3,b\nx,a\n", &auto(), "c=3 c=x: - 0 1, + 0 0, + 0 1, + 1 0, - 0 1");
}

#[test]
fn levels_of_rows_that_are_dropped_do_not_count() {
    let text = "c,n,y\nq,,a\nr,1,a\ns,2,b\n,3,b\nr,4,b\n";
    check(text, &dropping(), "c=s n: - 0 1, + 1 2, + 0 4, 2 dropped");
}

#[test]
fn missing_values_can_be_filled() {
    let text = "c,n,y\nr,1,a\n,2,b\ns,,b\ns,9,b\nr,inf,a\ns,1,\n";
    let filled = |missing| ReadOptions { missing, ..auto() };
    // The most frequent level of the rows that are kept; of equals the first.
    let mean = "c=s n: - 0 1, + 0 2, + 1 4, + 1 9, - 0 4, 1 dropped";
    check(text, &filled(Missing::Mean), mean);
    check(text, &filled(Missing::Median), &mean.replace(" 4", " 2"));
    check("n,m,y\n,1,a\n,2,b\n", &filled(Missing::Mean), "m: - 1, + 2");
}

#[test]
fn columns_that_are_no_features() {
    let show_left_out = |text: &str, options: &ReadOptions| {
        let samples = read(chunks(text.as_bytes(), b',', 64), b',', options, &|_| {}).unwrap();
        let notes: Vec<String> = samples.about().left_out.iter().map(|l| l.to_string()).collect();
        (samples.feature_names().unwrap().join(" "), notes.join("; "))
    };
    let pandas = ",n,id,y\n0,5,7,a\n1,5,9,b\n2,6,8,b\n";
    let (names, notes) = show_left_out(pandas, &auto());
    assert_eq!(names, "n");
    let expected = "column 1: it has no name and counts the rows; \
        column \"id\": it is called an identifier, and no value occurs twice";
    assert_eq!(notes, expected);
    let chosen = ReadOptions { features: Some(ColumnChoice::parse_list("1-3")), ..auto() };
    assert_eq!(show_left_out(pandas, &chosen), ("1 n id".into(), String::new()));
    let names = "who,n,y\nAnn,1,a\nBob,2,b\nCy,3,b\n";
    let (kept, notes) = show_left_out(names, &auto());
    assert_eq!(
        (kept.as_str(), notes.as_str()),
        ("n", "column \"who\": nearly every row has a text of its own")
    );
    let exclude = ReadOptions {
        exclude: ColumnChoice::parse_list("n"),
        row_id: Some("who".parse().unwrap()),
        features: None,
        ..auto()
    };
    let text = "who,n,m,y\nAnn,1,5,a\nBob,2,6,b\n";
    let samples = read(chunks(text.as_bytes(), b',', 64), b',', &exclude, &|_| {}).unwrap();
    assert_eq!(samples.feature_names().unwrap(), ["m"]);
    assert_eq!(samples.row_ids().unwrap().get(1), "Bob");
}

#[test]
fn a_missing_label_is_no_class() {
    check("1,a\n2,b\n3,nan\n", &auto(), "line 3, column 2: expected a label, found \"nan\"");
    check("1,a\n2,b\n3,NA\n", &dropping(), "- 1, + 2, 1 dropped");
    let named = ReadOptions { positive: Some("none".into()), ..auto() };
    check("1,none\n2,b\n3,none\n", &named, "+ 1, - 2, + 3");
}

#[test]
fn progress_counts_rows() {
    let seen = std::sync::Mutex::new(vec![]);
    let count = |rows| seen.lock().unwrap().push(rows);
    read(chunks(b"a,b\n1,x\n2,y\n3,x\n", b',', 4), b',', &auto(), &count).unwrap();
    assert_eq!(seen.into_inner().unwrap().last(), Some(&3));
}

fn expected_of<'a>(features: usize, names: Option<&'a [String]>) -> Expected<'a> {
    Expected { features, names, index_base: 1, label_column: None, encoding: None }
}

fn check_stream(text: &str, options: &ReadOptions, wanted: &str, expected: &str) {
    let names: Vec<String> = wanted.split(' ').map(str::to_string).collect();
    let number = wanted.parse().ok();
    let features = number.unwrap_or(names.len());
    let wanted = expected_of(features, number.is_none().then_some(&names[..]));
    for bytes in [1, 6, 1 << 20] {
        let mut rows = vec![];
        let chunks = chunks(text.as_bytes(), b',', bytes);
        let result = stream(chunks, options, &wanted, &mut |block| {
            for (i, row) in block.rows.iter().enumerate() {
                rows.push(format!("{row}: {}", show_row(&block.features, i)));
            }
            Ok(())
        });
        let found = match result {
            Ok(summary) => {
                assert_eq!(summary.rows, rows.len() as u64);
                format!("{}, {} dropped", rows.join(", "), summary.dropped)
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text:?} by {bytes}");
    }
}

#[test]
fn a_stream_fits_the_model() {
    check_stream("b,x,a\n1,?,2\n3,w,4\n", &auto(), "a b", "1: 2 1, 2: 4 3, 0 dropped");
    check_stream("1,2\n3,4\n", &auto(), "a b", "1: 1 2, 2: 3 4, 0 dropped");
    check_stream("c,d\n1,2\n", &auto(), "a b", "no column \"a\"; the columns are \"c\", \"d\"");
    check_stream("c,d\n1,2\n", &auto(), "2", "1: 1 2, 0 dropped");
    check_stream("c,y,d\n1,w,2\n", &auto(), "2", "1: 1 2, 0 dropped");
    check_stream("1,w,2\n", &label("2"), "2", "1: 1 2, 0 dropped");
    check_stream("1,2,3\n", &auto(), "2", "expected rows of 2 features, found 3");
    check_stream("1,2\n,3\n4,5\n", &dropping(), "2", "1: 1 2, 3: 4 5, 1 dropped");
    check_stream(
        "1,2\n,3\n",
        &auto(),
        "2",
        "line 2, column 1: expected a finite number, found nothing",
    );
    check_stream("", &auto(), "2", "expected data, found an empty file");
}

#[test]
fn an_error_of_the_taker_stops_the_stream() {
    let wanted = expected_of(1, None);
    let mut count = 0;
    let result = stream(chunks(b"1\n2\n3\n", b',', 2), &auto(), &wanted, &mut |_| {
        count += 1;
        Err(ErrorKind::NoFeatures.into())
    });
    assert!(result.is_err());
    assert_eq!(count, 1);
}

#[test]
fn a_byte_order_mark_inside_is_text_wherever_it_is_cut() {
    check(
        "1,x\n\u{feff}2,y\n",
        &auto(),
        "line 2, column 1: expected a number, found \"\u{feff}2\"",
    );
}

#[test]
fn a_carriage_return_before_a_delimiter_ends_a_record() {
    let text = "1,x\n2\r,y\n3,x\n";
    let expected = "line 2: expected 2 cells, found 1";
    for label in [1, 2] {
        let options =
            ReadOptions { label: Some(ColumnChoice::Number(label)), header: Header::No, ..auto() };
        check(text, &options, expected);
    }
}

proptest! {
    #[test]
    fn any_text_reads_the_same_in_any_pieces_on_any_threads(
        text in "(([1-3n]|\"[1\n,\"]{1,3}\"|\"\")[,\"]?[xy,\n\r\"]\r?\n?){0,12}",
        bytes in 1usize..64,
        threads in 1usize..4,
    ) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for options in [auto(), dropping()] {
            let whole = show(text.as_bytes(), &options, 1 << 20);
            let pieces = pool.install(|| show(text.as_bytes(), &options, bytes));
            prop_assert_eq!(pieces, whole);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..200)) {
        show(&text, &auto(), 16);
        show(&text, &dropping(), 1 << 20);
    }

    #[test]
    fn plain_lines_read_as_the_csv_crate_reads_them(
        cells in prop::collection::vec(
            prop::sample::select(vec![
                "1", "-2.5", "1e3", "+4", ".5", " 6", "7 ", "", "x", "y", "nan", "inf", "n/a", "0x1",
                "1_0", "1\r", "\r", "-", "1e999", "é", "1\r\n2",
            ]),
            0..40,
        ),
        ends in prop::collection::vec(
            prop::sample::select(vec![",", ",", "\n", "\n", "\r\n", "\r", ",,", "\n\n"]),
            40,
        ),
    ) {
        let text: String = cells.iter().zip(&ends).flat_map(|(c, e)| [*c, *e]).collect();
        for options in [auto(), dropping()] {
            for label in [None, Some(1), Some(2)] {
                let options = ReadOptions {
                    label: label.map(ColumnChoice::Number),
                    header: Header::No,
                    ..options.clone()
                };
                let plain = show(text.as_bytes(), &options, 1 << 20);
                let slow = super::plain::disabled(|| show(text.as_bytes(), &options, 1 << 20));
                prop_assert_eq!(plain, slow);
            }
        }
    }
}
