use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;
use crate::{ColumnChoice, Expected, Meter, StreamSummary, stream as stream_source};

/// An npy file of this version around these bytes.
fn npy_version(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut dict = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}")
        .into_bytes();
    let before = if version == 1 { 10 } else { 12 };
    while (before + dict.len() + 1) % 64 != 0 {
        dict.push(b' ');
    }
    dict.push(b'\n');
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    file.extend(&(dict.len() as u32).to_le_bytes()[..before - 8]);
    file.extend(&dict);
    file.extend(data);
    file
}

fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_version(1, &format!("'{descr}'"), fortran, shape, data)
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linsep-npy-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Source {
        std::fs::write(self.0.join(name), bytes).unwrap();
        Source::File(self.0.join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn from_memory(bytes: &[u8]) -> Result<Input, Error> {
    Input::new(Box::new(Cursor::new(bytes.to_vec())), None)
}

fn show_rows(features: &Features) -> String {
    let rows = (0..features.rows()).map(|i| {
        let mut cells = vec![];
        features.for_each(i, |_, v| cells.push(v.to_string()));
        cells.join(" ")
    });
    let kind = match features {
        Features::Dense64(_) => "f64",
        Features::Dense32(_) => "f32",
        Features::Sparse(_) => "sparse",
    };
    format!("{kind} {}", rows.collect::<Vec<_>>().join(", "))
}

fn show(result: Result<Samples, Error>) -> String {
    match result {
        Ok(samples) => {
            let signs = samples.positive().iter().map(|&p| if p { '+' } else { '-' });
            let (names, rows) = (samples.label_names(), show_rows(samples.features()));
            let dropped = match samples.about().dropped {
                0 => String::new(),
                n => format!(", {n} dropped"),
            };
            let signs: String = signs.collect();
            format!("{rows}, {signs} {}/{}{dropped}", names.negative, names.positive)
        }
        Err(error) => error.to_string(),
    }
}

fn auto() -> ReadOptions {
    ReadOptions::default()
}

fn label(number: usize) -> ReadOptions {
    ReadOptions { label: Some(ColumnChoice::Number(number)), ..auto() }
}

/// Reads from a plain file, from memory and, with the same result, in a stream.
fn check(file: &[u8], options: &ReadOptions, expected: &str) {
    let folder = Folder::new();
    let source = folder.write("x.npy", file);
    let plain =
        Input::open(&source, &Meter::default()).and_then(|i| read(i, options, None, &|_| {}));
    assert_eq!(show(plain), expected, "from a file");
    let memory = from_memory(file).and_then(|i| read(i, options, None, &|_| {}));
    assert_eq!(show(memory), expected, "from memory");
}

#[test]
fn every_type_order_and_version() {
    // Two rows of two features and a label.
    let values = [1i8, 2, 0, 3, 4, 1];
    let transposed = [1i8, 3, 2, 4, 0, 1];
    let types = [
        ("b1", "f32 1 1, 1 1"),
        ("i1", "f32 1 2, 3 4"),
        ("i2", "f32 1 2, 3 4"),
        ("i4", "f64 1 2, 3 4"),
        ("i8", "f64 1 2, 3 4"),
        ("u1", "f32 1 2, 3 4"),
        ("u2", "f32 1 2, 3 4"),
        ("u4", "f64 1 2, 3 4"),
        ("u8", "f64 1 2, 3 4"),
        ("f4", "f32 1 2, 3 4"),
        ("f8", "f64 1 2, 3 4"),
    ];
    for (kind, expected) in types {
        for (order, fortran) in [("<", false), ("<", true), (">", false), (">", true), ("|", false)]
        {
            let stored = if fortran { transposed } else { values };
            let size = kind[1..].parse::<usize>().unwrap();
            let data: Vec<u8> = stored
                .iter()
                .flat_map(|&v| {
                    let mut bytes = match kind {
                        "f4" => f32::from(v).to_le_bytes().to_vec(),
                        "f8" => f64::from(v).to_le_bytes().to_vec(),
                        _ => i64::from(v).to_le_bytes()[..size].to_vec(),
                    };
                    if order == ">" {
                        bytes.reverse();
                    }
                    bytes
                })
                .collect();
            for version in 1..=3 {
                let descr = format!("'{order}{kind}'");
                let file = npy_version(version, &descr, fortran, "(2, 3)", &data);
                check(&file, &auto(), &format!("{expected}, -+ 0/1"));
            }
        }
    }
}

#[test]
fn negative_integers() {
    let data: Vec<u8> = [-128i8, -1, 127, 1].iter().map(|v| *v as u8).collect();
    check(&npy("|i1", false, "(2, 2)", &data), &auto(), "f32 -128, 127, -+ -1/1");
    let data: Vec<u8> = [-70000i32, -1, 3, 1].iter().flat_map(|v| v.to_be_bytes()).collect();
    check(&npy(">i4", false, "(2, 2)", &data), &auto(), "f64 -70000, 3, -+ -1/1");
}

#[test]
fn plain_floats_are_mapped() {
    let folder = Folder::new();
    let data = doubles(&[1.0, 2.0, 0.0, 3.0, 4.0, 1.0]);
    for (number, expected) in [(3, true), (1, true), (2, false)] {
        let source = folder.write("x.npy", &npy("<f8", false, "(2, 3)", &data));
        let input = Input::open(&source, &Meter::default()).unwrap();
        let samples = read(input, &label(number), None, &|_| {}).unwrap();
        let Features::Dense64(dense) = samples.features() else { panic!("f64 is expected") };
        assert_eq!(dense.is_lent(), expected);
    }
}

#[test]
fn labels_stand_in_a_column_or_a_file() {
    let file = npy("<f8", false, "(2, 3)", &doubles(&[1.0, 0.5, 5.0, 2.0, 7.0, 6.0]));
    check(&file, &auto(), "f64 1 0.5, 2 7, -+ 5/6");
    check(&file, &label(1), "f64 0.5 5, 7 6, -+ 1/2");
    check(&file, &label(2), "f64 1 5, 2 6, -+ 0.5/7");
    check(&file, &label(4), "no column 4; the columns are \"1\", \"2\", \"3\"");
    let name = ReadOptions { label: Some(ColumnChoice::Name("y".into())), ..auto() };
    check(&file, &name, "no column \"y\"; the columns are \"1\", \"2\", \"3\"");
    let features = Some(ColumnChoice::parse_list("2,1"));
    check(&file, &ReadOptions { features, ..auto() }, "f64 0.5 1, 7 2, -+ 5/6");

    let folder = Folder::new();
    let source = folder.write("x.npy", &file);
    folder.write("x.labels.npy", &npy("<i8", false, "(2,)", &[[1u8; 8], [0; 8]].concat()));
    let beside = |options: &ReadOptions| show(super::super::read(&source, options, &|_| {}));
    assert_eq!(beside(&auto()), "f64 1 0.5 5, 2 7 6, +- 0/72340172838076673");
    assert_eq!(beside(&label(3)), "f64 1 0.5, 2 7, -+ 5/6");
    let Source::File(given) = folder.write("other.txt", b"b\na\n") else { unreachable!() };
    let labels = ReadOptions { labels: Some(given), ..auto() };
    assert_eq!(beside(&labels), "f64 1 0.5 5, 2 7 6, +- a/b");
}

fn check_labels(file: &[u8], expected: &str) {
    let mut found = vec![];
    let result = from_memory(file).and_then(|input| {
        read_labels(input, &mut |label, row| {
            found.push(format!("{row}:{}", label.unwrap_or("-")));
            Ok(())
        })
    });
    let found = result.map_or_else(|error| error.to_string(), |()| found.join(" "));
    assert_eq!(found, expected);
}

#[test]
fn labels_of_every_type() {
    check_labels(&npy("<f8", false, "(3,)", &doubles(&[1.0, -0.5, f64::NAN])), "1:1 2:-0.5 3:-");
    let data: Vec<u8> = [0.1f32, 2.0].iter().flat_map(|v| v.to_be_bytes()).collect();
    check_labels(&npy(">f4", false, "(2, 1)", &data), "1:0.1 2:2");
    check_labels(&npy("|b1", false, "(2,)", &[1, 0]), "1:1 2:0");
    check_labels(&npy("<u8", false, "(1,)", &[255; 8]), "1:18446744073709551615");
    check_labels(&npy("<i8", false, "(1,)", &[255; 8]), "1:-1");
    check_labels(&npy("|S3", false, "(3,)", b"yesno\0\0\0\0"), "1:yes 2:no 3:-");
    let unicode = |big: bool| -> Vec<u8> {
        let codes = "é1b\0".chars().map(|c| c as u32);
        codes.flat_map(|c| if big { c.to_be_bytes() } else { c.to_le_bytes() }).collect()
    };
    check_labels(&npy("<U2", false, "(2,)", &unicode(false)), "1:é1 2:b");
    check_labels(&npy(">U2", false, "(2,)", &unicode(true)), "1:é1 2:b");
    check_labels(&npy("<U1", false, "(1,)", &[255; 4]), "1:\u{fffd}");
    check_labels(
        &npy("<U0", false, "(99999999999,)", &[]),
        "cannot read labels of type <U0; expected one number or string a row",
    );
    check_labels(
        &npy("<c16", false, "(2,)", &[]),
        "cannot read labels of type <c16; expected one number or string a row",
    );
    check_labels(
        &npy("<f8", false, "(2, 2)", &[]),
        "cannot read labels of shape [2, 2]; expected one number or string a row",
    );
    check_labels(
        &npy("|S2", false, "(2,)", b"abc"),
        "the file is damaged: expected 4 bytes of values, found 3",
    );
}

#[test]
fn what_is_wrong_is_told() {
    let data = doubles(&[1.0, 0.0, 2.0, 1.0]);
    check(
        &npy("<f8", false, "(3, 2)", &data),
        &auto(),
        "the file is damaged: expected 48 bytes of values, found 32",
    );
    check(
        &npy("<f8", true, "(3, 2)", &data),
        &auto(),
        "the file is damaged: expected 48 bytes of values, found 32",
    );
    check(&npy("<f8", false, "(0, 2)", &[]), &auto(), "expected at least one row, found none");
    check(&npy("<f8", false, "(2, 0)", &[]), &auto(), "expected at least one feature, found none");
    check(&npy("<f8", false, "(4,)", &data), &auto(), "expected at least one feature, found none");
    check(
        &npy("<f8", false, "(1, 2, 2)", &data),
        &auto(),
        "cannot read an array of 3 dimensions; expected one or two",
    );
    for descr in ["'<f2'", "'<c16'", "'|O'", "'<U3'", "[('a', '<f8')]"] {
        check(
            &npy_version(1, descr, false, "(2, 2)", &data),
            &auto(),
            &format!(
                "cannot read an array of type {}; expected {NUMBERS}",
                descr.trim_matches('\'')
            ),
        );
    }
    check(
        &npy("<f8", false, "(4611686018427387904, 4)", &data),
        &auto(),
        "the file is damaged: its npy header claims 4611686018427387904 x 4 values",
    );
    check(
        &npy_version(9, "", false, "", &[]),
        &auto(),
        "cannot read an npy file of version 9; expected version 1, 2 or 3",
    );
    check(b"\x93NUMPY\x01", &auto(), "the file is damaged: its npy header ends early");
    check(
        b"1,2,3,4,5\n",
        &auto(),
        "the file is damaged: expected an npy file, found another beginning",
    );
    check(
        &npy("<f8", false, "(2, 2", &data),
        &auto(),
        "the file is damaged: its npy header cannot be understood",
    );
}

#[test]
fn missing_values() {
    let data = doubles(&[1.0, 0.0, f64::NAN, 1.0, 3.0, f64::NAN, 4.0, 1.0]);
    let file = npy("<f8", false, "(4, 2)", &data);
    check(&file, &auto(), "row 3, column 2: expected a label, found nothing");
    let dropping = ReadOptions { missing: Missing::Drop, ..auto() };
    check(&file, &dropping, "f64 1, 4, -+ 0/1, 2 dropped");
    let data = doubles(&[0.0, 1.0, 1.0, f64::NAN]);
    let file = npy("<f8", false, "(2, 2)", &data);
    check(&file, &label(1), "row 2, column 2: expected a finite number, found NaN");
    let data = doubles(&[1.0, 0.0, f64::NAN, 1.0]);
    let file = npy("<f8", false, "(2, 2)", &data);
    check(&file, &auto(), "row 2, column 1: expected a finite number, found NaN");
}

#[test]
fn integers_have_to_be_exact() {
    let integers =
        |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let exact = integers(&[1 << 53, 0, i64::MIN, 1]);
    check(
        &npy("<i8", false, "(2, 2)", &exact),
        &auto(),
        "f64 9007199254740992, -9223372036854776000, -+ 0/1",
    );
    let inexact = integers(&[1, 2, (1 << 53) + 1, 4, 5, 6, 7, i64::MAX, 9]);
    let error = "row 1, column 3: expected an integer that f64 holds exactly, as all up to 2^53 are, \
                 found 9007199254740993";
    check(&npy("<i8", false, "(3, 3)", &inexact), &auto(), error);
    let error = error.replace("row 1, column 3", "row 3, column 1");
    check(&npy("<i8", true, "(3, 3)", &inexact), &auto(), &error);
}

#[test]
fn large_arrays_are_transposed_in_tiles() {
    let (rows, columns) = (333, 37);
    let value = |i: usize, k: usize| (i * columns + k) as f64;
    let data: Vec<f64> = (0..columns).flat_map(|k| (0..rows).map(move |i| value(i, k))).collect();
    for block in [1, 1000, 1 << 22] {
        let number = Number::parse("<f8").unwrap();
        let reader = Box::new(Cursor::new(doubles(&data)));
        let mut payload = Payload::new(reader, (8 * data.len()) as u64);
        let values: Vec<f64> =
            values::read_columns(&mut payload, number, (rows, columns), block).unwrap();
        assert!(values.iter().enumerate().all(|(k, &v)| v == k as f64));
    }
}

fn expected_of(features: usize) -> Expected<'static> {
    Expected { features, names: None, index_base: 1, label_column: None, encoding: None }
}

fn check_stream(file: &[u8], options: &ReadOptions, features: usize, expected: &str) {
    let folder = Folder::new();
    let source = folder.write("x.npy", file);
    let wanted = expected_of(features);
    let mut blocks = vec![];
    let result = stream_source(&source, options, &wanted, &mut |block| {
        blocks.push(format!("{:?} {}", block.rows, show_rows(&block.features)));
        Ok(())
    });
    let found = match result {
        Ok(summary) => format!("{}, {} dropped", blocks.join(" "), summary.dropped),
        Err(mut error) => {
            error.place.source = None;
            error.to_string()
        }
    };
    assert_eq!(found, expected);
}

#[test]
fn a_stream_fits_the_model() {
    let plain = npy("<f8", false, "(2, 3)", &doubles(&[1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]));
    let fortran = npy("<f8", true, "(2, 3)", &doubles(&[1.0, 4.0, 2.0, f64::NAN, 3.0, 6.0]));
    let dropping = ReadOptions { missing: Missing::Drop, ..auto() };
    for file in [plain, fortran] {
        check_stream(&file, &label(2), 2, "[1, 2] f64 1 3, 4 6, 0 dropped");
        check_stream(&file, &dropping, 3, "[1] f64 1 2 3, 1 dropped");
        let error = "row 2, column 2: expected a finite number, found NaN";
        check_stream(&file, &auto(), 3, error);
        check_stream(&file, &label(1), 2, error);
        check_stream(&file, &auto(), 2, "expected rows of 2 features, found 3");
    }
    let many: Vec<u8> = vec![7; 300_000];
    let folder = Folder::new();
    let source = folder.write("many.npy", &npy("|u1", false, "(300000, 1)", &many));
    let wanted = expected_of(1);
    let mut next = 1;
    let summary = stream_source(&source, &auto(), &wanted, &mut |block| {
        assert_eq!(block.rows[0], next);
        next += block.rows.len() as u64;
        Ok(())
    });
    assert_eq!(summary.unwrap(), StreamSummary { rows: 300_000, dropped: 0 });
}

proptest! {
    #[test]
    fn damage_never_panics(
        flips in prop::collection::vec((0usize..200, any::<u8>()), 0..4),
        cut in 0usize..200,
        fortran: bool,
    ) {
        let mut file = npy("<i8", fortran, "(3, 2)", &[1, 0, 0, 0, 0, 0, 0, 0].repeat(6));
        for (at, byte) in flips {
            let at = at % file.len();
            file[at] = byte;
        }
        file.truncate(file.len().min(cut + 60));
        let _ = from_memory(&file).and_then(|i| read(i, &auto(), None, &|_| {}));
        let _ = from_memory(&file).and_then(|i| read_labels(i, &mut |_, _| Ok(())));
    }
}
