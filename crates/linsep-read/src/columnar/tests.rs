//! Each test writes small files, as Parquet and as Arrow, and reads them again.

mod faults;
mod types;

use std::fs::{self, File};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::WriterProperties;
use arrow_array::{Float32Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};

use super::*;

/// A folder that goes with the test.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("linsep-columnar-{}-{next}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in the format of its extension, with `rows` rows per part.
    pub(super) fn write(&self, name: &str, batch: &RecordBatch, rows: usize) -> PathBuf {
        let path = self.path(name);
        let file = File::create(&path).unwrap();
        let parts = (0..batch.num_rows()).step_by(rows);
        let parts = parts.map(|at| batch.slice(at, rows.min(batch.num_rows() - at)));
        match Format::by_extension(&path).unwrap() {
            Format::Parquet => {
                let compression = Compression::ZSTD(ZstdLevel::try_new(1).unwrap());
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_max_row_group_row_count(Some(rows))
                    .set_data_page_row_count_limit(2)
                    .set_write_batch_size(2)
                    .build();
                let mut writer =
                    ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
                parts.for_each(|part| writer.write(&part).unwrap());
                writer.close().unwrap();
            }
            _ if name.contains("stream") => {
                let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
                parts.for_each(|part| writer.write(&part).unwrap());
                writer.finish().unwrap();
            }
            _ => {
                let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
                parts.for_each(|part| writer.write(&part).unwrap());
                writer.finish().unwrap();
            }
        }
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

pub(super) fn open(paths: &[PathBuf]) -> Result<Files, Error> {
    Files::open(paths, Format::by_extension(&paths[0]).unwrap())
}

/// Returns the rows of all parts: numbers, then texts, `-` for a null.
pub(super) fn rows_of(files: &Files, wanted: &Wanted) -> Result<Vec<String>, Error> {
    let mut rows = vec![];
    for part in 0..files.parts().len() {
        rows.extend(rows_in(files, part, wanted, None)?);
    }
    Ok(rows)
}

pub(super) fn rows_in(
    files: &Files,
    part: usize,
    wanted: &Wanted,
    some: Option<&[usize]>,
) -> Result<Vec<String>, Error> {
    let mut rows = vec![];
    files.read(part, wanted, some, &mut |batch| {
        assert_eq!(batch.first, rows.len());
        let width = wanted.numbers.len();
        let numbers: Vec<String> = match batch.numbers {
            Numbers::F32(values) => {
                assert!(files.columns.is_f32(&wanted.numbers));
                values.iter().map(f32::to_string).collect()
            }
            Numbers::F64(values) => values.iter().map(f64::to_string).collect(),
        };
        assert_eq!(numbers.len(), batch.rows * width);
        for row in 0..batch.rows {
            let texts = batch.texts.iter().map(|texts| match texts.codes[row] {
                Texts::NULL => "-".to_string(),
                code => texts.spellings[code as usize].clone(),
            });
            let cells = numbers[row * width..][..width].iter().cloned().chain(texts);
            rows.push(cells.collect::<Vec<_>>().join(" "));
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Returns ten rows of x, -x, a number and text.
pub(super) fn table() -> RecordBatch {
    let x = || (0..10_u16).map(f32::from);
    let texts = (0..10).map(|k| ["no", "yes"][usize::from(k % 3 == 0)]);
    RecordBatch::try_from_iter([
        ("x", Arc::new(Float32Array::from_iter_values(x())) as _),
        ("minus", Arc::new(Float32Array::from_iter_values(x().map(|x| -x))) as _),
        ("id", Arc::new(Int64Array::from_iter_values(100..110)) as _),
        ("label", Arc::new(StringArray::from_iter_values(texts)) as _),
    ])
    .unwrap()
}

const NAMES: [&str; 3] = ["a.parquet", "a.arrow", "stream.arrow"];

#[test]
fn parts_follow_each_other_over_all_files() {
    let folder = Folder::new();
    for name in NAMES {
        let paths =
            [folder.write(name, &table(), 4), folder.write(&format!("b-{name}"), &table(), 9)];
        let files = open(&paths).unwrap();
        assert_eq!(files.names(), ["x", "minus", "id", "label"]);
        assert_eq!(files.parts(), [4, 4, 2, 9, 1]);
        assert!(files.columns.is_f32(&[1, 0]) && !files.columns.is_f32(&[0, 2]));
        let wanted = Wanted { numbers: vec![1, 0], texts: vec![3, 2] };
        let rows = rows_of(&files, &wanted).unwrap();
        assert_eq!(rows[..3], ["-0 0 yes 100", "-1 1 no 101", "-2 2 no 102"]);
        assert_eq!((rows.len(), &*rows[19]), (20, "-9 9 yes 109"));
        let all = Wanted { numbers: vec![0, 1, 2], texts: vec![] };
        assert_eq!(rows_of(&files, &all).unwrap()[13], "3 -3 103");
    }
}

#[test]
fn some_rows_are_those_of_all_rows() {
    let folder = Folder::new();
    let wanted = Wanted { numbers: vec![2, 0], texts: vec![3] };
    for name in NAMES {
        let files = open(&[folder.write(name, &table(), 7)]).unwrap();
        let all = rows_in(&files, 0, &wanted, None).unwrap();
        for some in [&[0][..], &[6], &[2, 3], &[0, 1, 5], &[], &[0, 1, 2, 3, 4, 5, 6]] {
            let found = rows_in(&files, 0, &wanted, Some(some)).unwrap();
            let expected: Vec<&String> = some.iter().map(|&row| &all[row]).collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{name} {some:?}");
        }
    }
}

#[test]
fn many_columns_and_rows_are_turned_in_tiles() {
    let folder = Folder::new();
    let (rows, columns) = (9_001_u16, 35);
    let value = |row: u16, column: usize| f32::from(row) + column as f32 / 64.0;
    let batch = RecordBatch::try_from_iter((0..columns).map(|column| {
        let values = (0..rows).map(|row| value(row, column));
        (format!("c{column}"), Arc::new(Float32Array::from_iter_values(values)) as _)
    }));
    let batch = batch.unwrap();
    for name in NAMES {
        let files = open(&[folder.write(name, &batch, 9_000)]).unwrap();
        let wanted = Wanted { numbers: (0..columns).rev().collect(), texts: vec![] };
        let mut row = 0;
        for part in 0..2 {
            files
                .read(part, &wanted, None, &mut |batch| {
                    let Numbers::F32(values) = batch.numbers else { panic!("f32 in, f32 out") };
                    for found in values.chunks_exact(columns) {
                        let expected: Vec<f32> =
                            (0..columns).rev().map(|c| value(row, c)).collect();
                        assert_eq!(found, expected, "{name} row {row}");
                        row += 1;
                    }
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(row, rows);
    }
}
