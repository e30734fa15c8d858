//! Reading from real files: names, extensions, compression, and errors that say where.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use linsep_data::samples::Missing;
use linsep_data::{Error, ErrorKind, Features, Samples};
use linsep_read::{Expected, Format, ReadOptions, Source, read, stream};
use proptest::prelude::*;

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linsep-read-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Samples, Error> {
        read(&Source::from(self.write(name, bytes).as_path()), options, &|_| {})
    }

    /// The text of an error without the folder.
    fn show(&self, error: &Error) -> String {
        error.to_string().replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn show(samples: &Samples) -> String {
    let rows = (0..samples.rows()).map(|i| {
        let mut row = String::from(if samples.positive()[i] { "+" } else { "-" });
        samples.features().for_each(i, |k, v| row += &format!(" {k}={v}"));
        row
    });
    rows.collect::<Vec<_>>().join(", ")
}

fn check(name: &str, bytes: &[u8], options: &ReadOptions, expected: &str) {
    let folder = Folder::new();
    let found = match folder.read(name, bytes, options) {
        Ok(samples) => show(&samples),
        Err(error) => folder.show(&error),
    };
    assert_eq!(found, expected, "{name}");
}

fn auto() -> ReadOptions {
    ReadOptions::default()
}

#[test]
fn the_format_is_found() {
    let rows = "- 0=1 1=2, + 0=3 1=4";
    check("a.csv", b"1,2,n\n3,4,p\n", &auto(), rows);
    check("a.tsv", b"1\t2\tn\n3\t4\tp\n", &auto(), rows);
    check("a.txt", b"1\t2\tn\n3\t4\tp\n", &auto(), rows);
    check("a.data", b"\xef\xbb\xbf1,2,n\r\n3,4,p", &auto(), rows);
    check("a.svm", b"n 1:1 2:2\np 1:3 2:4\n", &auto(), rows);
    check("a", b"n 1:1 2:2\np 1:3 2:4\n", &auto(), rows);
    check(
        "a.csv",
        b"1\t2\tn\n3\t4\tp\n",
        &ReadOptions { format: Some(Format::Tsv), ..auto() },
        rows,
    );
    check("a.csv", b"1|2|n\n3|4|p\n", &ReadOptions { delimiter: Some(b'|'), ..auto() }, rows);
}

#[test]
fn the_delimiter_is_guessed() {
    let rows = "- 0=1 1=2, + 0=3 1=4";
    for delimiter in [",", ";", "\t", "|", " ", "   "] {
        let text = "1,2,n\n3,4,p\n".replace(',', delimiter);
        for name in ["a.csv", "a.txt", "a"] {
            check(name, text.as_bytes(), &auto(), rows);
        }
    }
    // The name says what is between cells, not the content.
    check(
        "a.tsv",
        b"1,2\tn\n3,4\tp\n",
        &auto(),
        "a.tsv: line 1, column 1: expected a number with a decimal point, found \"1,2\"",
    );
    check(
        "a.csv",
        b"n 1:1 2:2\np 1:3 2:4\n",
        &auto(),
        "a.csv: expected a table, found libsvm data",
    );
    // Many chunks are cut with the delimiter that was guessed: quoted newlines are no ends.
    let row = |i: usize| format!("\"{i}\n;\";{i};{}\n", ["n", "p"][i % 2]);
    let text: String = (0..200_000).map(row).collect();
    let folder = Folder::new();
    let options = ReadOptions { row_id: Some("1".parse().unwrap()), ..auto() };
    let samples = folder.read("large.csv", text.as_bytes(), &options).unwrap();
    assert_eq!((samples.rows(), samples.columns()), (200_000, 1));
    assert_eq!(samples.row_ids().unwrap().get(199_999), "199999\n;");
}

#[test]
fn what_cannot_be_read_is_named() {
    let check = |name: &str, bytes: &[u8], expected: &str| {
        check(name, bytes, &auto(), &format!("{name}: expected a table, found {expected}"));
    };
    check("a", b"PK\x03\x04....", "a zip archive");
    check("a.csv", b"PK\x03\x04....", "a zip archive");
    check("a.svm", b"SQLite format 3\0", "binary data");
    check("a.csv", b"\xff\xfe1\0,\0", "UTF-16 text (little-endian)");
    check("a.csv", &[0; 70_000], "binary data");
    check("a.csv", b"\x93NUMPY\x01\0", "npy data");
    check("a.npy", b"{\"a\": [1]}", "JSON");
    check("a.parquet", b"<!DOCTYPE html>", "a web page (HTML)");
}

#[test]
fn errors_name_the_file() {
    check("a.csv", b"", &auto(), "a.csv: expected data, found an empty file");
    check("a.npy", b"", &auto(), "a.npy: expected data, found an empty file");
    check("a.svm", b"", &auto(), "a.svm: expected data, found an empty file");
    check(
        "train.csv",
        b"age,y\n1,n\nn/a,p\n",
        &auto(),
        "train.csv: line 3, column \"age\": expected a number, found \"n/a\"",
    );
    check("a.npy", b"1,2,3\n", &auto(), "a.npy: the file is damaged: its npy header ends early");
    let missing = read(&Source::from(Path::new("/no/such.csv")), &auto(), &|_| {}).err().unwrap();
    assert!(matches!(missing.kind, ErrorKind::Io(_)));
    assert!(missing.to_string().starts_with("/no/such.csv: "), "{missing}");
    let folder = Folder::new();
    let error = read(&Source::File(folder.0.clone()), &auto(), &|_| {}).err().unwrap();
    assert!(error.place.source.is_some());
}

#[test]
fn labels_come_from_a_file() {
    let folder = Folder::new();
    let labels = |name: &str, bytes: &[u8]| ReadOptions {
        labels: Some(folder.write(name, bytes)),
        missing: Missing::Drop,
        ..auto()
    };
    let options = labels("l.txt", b"n\nq\np\n");
    let samples = folder.read("a.csv", b"a,y\n1,2\n?,3\n3,4\n", &options).unwrap();
    assert_eq!(show(&samples), "- 0=1 1=2, + 0=3 1=4");
    assert_eq!((samples.about().dropped, samples.feature_names().unwrap().len()), (1, 2));
    let samples = folder.read("a.svm", b"7 1:1\n1:nan\n1:2\n", &options).unwrap();
    assert_eq!(show(&samples), "- 0=1, + 0=2");
    let error = folder.read("a.csv", b"1\n2\n", &options).err().unwrap();
    assert_eq!(folder.show(&error), "l.txt: expected 2 labels, one per row, found 3");
    let error = folder.read("a.csv", b"1\n2\n", &labels("l.txt", b"\n\n")).err().unwrap();
    assert_eq!(folder.show(&error), "l.txt: expected data, found an empty file");
    let absent = ReadOptions { labels: Some(folder.0.join("absent")), ..auto() };
    let error = folder.read("a.csv", b"1\n2\n", &absent).err().unwrap();
    assert!(folder.show(&error).starts_with("absent: "));
}

/// Rows enough for several chunks, some with quotes.
fn large_csv() -> String {
    let mut text = String::from("a,note,y\n");
    for n in 0..200_000u64 {
        let note = if n % 1000 == 0 { "\"12\"" } else { "5" };
        text += &format!("{n},{note},{}\n", n % 2);
    }
    text
}

/// Returns the value of a row at column `k`.
fn value(features: &Features, row: usize, k: usize) -> f64 {
    let mut found = 0.0;
    features.for_each(row, |at, value| found += if at == k { value } else { 0.0 });
    found
}

#[test]
fn many_chunks_are_joined_in_order() {
    let folder = Folder::new();
    let text = large_csv();
    let path = folder.write("large.csv", text.as_bytes());
    let source = Source::from(path.as_path());
    let samples = read(&source, &auto(), &|_| {}).unwrap();
    assert_eq!(samples.rows(), 200_000);
    assert!((0..200_000).all(|i| value(samples.features(), i, 0) == i as f64));

    let names = ["note".to_string(), "a".to_string()];
    let expected = Expected {
        features: 2,
        names: Some(&names),
        index_base: 1,
        label_column: None,
        encoding: None,
    };
    let mut next = 1;
    let summary = stream(&source, &auto(), &expected, &mut |block| {
        for (i, &row) in block.rows.iter().enumerate() {
            assert_eq!(row, next);
            assert_eq!(value(&block.features, i, 1), (row - 1) as f64);
            next += 1;
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(summary.rows, 200_000);
}

#[test]
fn the_first_error_wins_and_its_line_is_true() {
    let folder = Folder::new();
    let mut lines: Vec<String> = large_csv().lines().map(str::to_string).collect();
    lines[150_000] = "bad,5,1".into();
    lines[190_000] = "worse,5".into();
    let error = folder.read("a.csv", lines.join("\n").as_bytes(), &auto()).err().unwrap();
    assert_eq!(
        folder.show(&error),
        "a.csv: line 150001, column \"a\": expected a number, found \"bad\""
    );
}

#[cfg(feature = "compression")]
mod compressed {
    use std::io::Write;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn npy() -> Vec<u8> {
        let dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend(format!("{dict:<117}\n").bytes());
        file.extend([1.0f64, 2.0, 0.0, 3.0, 4.0, 1.0].iter().flat_map(|v| v.to_le_bytes()));
        file
    }

    #[test]
    fn whatever_the_name() {
        let rows = "- 0=1 1=2, + 0=3 1=4";
        let files: [(&str, &[u8]); 3] =
            [("a.csv", b"1,2,n\n3,4,p\n"), ("a.svm", b"n 1:1 2:2\np 1:3 2:4\n"), ("a.npy", &npy())];
        for (name, bytes) in files {
            check(name, bytes, &auto(), rows);
            check(&format!("{name}.gz"), &gzip(bytes), &auto(), rows);
            check(&format!("{name}.zst"), &zstd(bytes), &auto(), rows);
            check(name, &gzip(bytes), &auto(), rows);
            check("unnamed", &zstd(bytes), &auto(), rows);
        }
        let folder = Folder::new();
        let labels = Some(folder.write("l.gz", &gzip(b"p\nn\n")));
        let samples = folder.read("a.csv", b"1\n2\n", &ReadOptions { labels, ..auto() }).unwrap();
        assert_eq!(show(&samples), "+ 0=1, - 0=2");
    }

    #[test]
    fn cut_files_are_damaged() {
        let text = large_csv();
        for bytes in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
            for length in [6, bytes.len() / 2, bytes.len() - 1] {
                let folder = Folder::new();
                let error = folder.read("a.csv", &bytes[..length], &auto()).err().unwrap();
                assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}");
            }
        }
    }
}

#[cfg(not(feature = "compression"))]
#[test]
fn compressed_files_are_refused() {
    check(
        "a.csv",
        &[0x1f, 0x8b, 8, 0],
        &auto(),
        "a.csv: cannot read gzip-compressed data; \
         expected plain data (this build leaves decompression out)",
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_text_never_panics(
        flips in prop::collection::vec((0usize..1000, any::<u8>()), 1..6),
        cut in 0usize..100,
    ) {
        let folder = Folder::new();
        for (name, text) in [
            ("a.csv", &b"a,\"b\",label\n1,2.5,x\n3,4e5,y\n\"6\",7,x\n"[..]),
            ("a.svm", b"+1 1:0.5 7:1 # c\n-1 qid:3 2:5\n1 3:1\n"),
        ] {
            let mut bytes = text.to_vec();
            for (at, byte) in &flips {
                let at = at % bytes.len();
                bytes[at] = *byte;
            }
            bytes.truncate(cut);
            for missing in [Missing::Refuse, Missing::Drop] {
                let _ = folder.read(name, &bytes, &ReadOptions { missing, ..auto() });
            }
        }
    }
}
