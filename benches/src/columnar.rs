//! Parquet and Arrow files beside polars and pyarrow: CPU time of one thread from file to rows.

use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Float64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use linsep::data::generate::Generator;
use linsep::data::read::count_numbers;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::timing::shortest_cpu;

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 100;
/// Rows of a row group or record batch.
const PART: usize = 1 << 17;
const ROUNDS: usize = 3;

/// What the columns of a file are.
#[derive(Clone, Copy, PartialEq)]
enum FileShape {
    F32,
    F64,
    List,
}

/// Prints CPU times and their ratios.
pub fn run() {
    let folder = std::env::temp_dir().join(format!("linsep-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    println!("columnar: {ROWS} x {COLUMNS}, one thread, CPU seconds from file to rows");
    let python = python();
    if python.is_none() {
        println!("  SKIPPED: polars and pyarrow, as no Python that has them was found");
    }
    let zstd = Compression::ZSTD(ZstdLevel::try_new(3).expect("a level"));
    let plain = Compression::UNCOMPRESSED;
    println!("  file                 ours  polars  pyarrow  ours/polars  ours/copy");
    for (name, shape, compression) in [
        ("f32.parquet", FileShape::F32, plain),
        ("f32-snappy.parquet", FileShape::F32, Compression::SNAPPY),
        ("f32-zstd.parquet", FileShape::F32, zstd),
        ("f64.parquet", FileShape::F64, plain),
        ("f64-zstd.parquet", FileShape::F64, zstd),
        ("list.parquet", FileShape::List, plain),
        ("f32.arrow", FileShape::F32, plain),
        ("list.arrow", FileShape::List, plain),
    ] {
        let path = folder.join(name);
        write(&path, shape, compression);
        compare(name, &path, shape, python.as_deref());
        fs::remove_file(&path).expect("the file just written");
    }
    fs::remove_dir_all(&folder).expect("the temporary folder");
}

fn compare(name: &str, path: &Path, shape: FileShape, python: Option<&Path>) {
    let bytes = ROWS * COLUMNS * if shape == FileShape::F64 { 8 } else { 4 };
    let (from, mut to) = (vec![1_u8; bytes], vec![2_u8; bytes]);
    let [ours, copy] = shortest_cpu(
        ROUNDS,
        &mut [
            &mut || assert_eq!(count_numbers(path).expect("a sound file"), ROWS * COLUMNS),
            &mut || black_box(&mut to).copy_from_slice(black_box(&from)),
        ],
    );
    drop((from, to));
    let [polars, pyarrow] =
        ["polars", "pyarrow"].map(|peer| python.and_then(|p| time(p, peer, path)));
    let shown = |time: Option<f64>| time.map_or("-".into(), |time| format!("{time:.2}"));
    println!(
        "  {name:20} {ours:.2}  {:>6}  {:>7}  {:>11}  {:>9.1}",
        shown(polars),
        shown(pyarrow),
        shown(polars.map(|polars| ours / polars)),
        ours / copy
    );
}

/// Writes the file; columns may be null, as those of other writers are.
fn write(path: &Path, shape: FileShape, compression: Compression) {
    let item = || Arc::new(Field::new("item", DataType::Float32, true));
    let fields = match shape {
        FileShape::List => {
            let data_type = DataType::FixedSizeList(item(), COLUMNS as i32);
            vec![Field::new("e", data_type, true)]
        }
        FileShape::F32 => named(DataType::Float32),
        FileShape::F64 => named(DataType::Float64),
    };
    let schema = Arc::new(Schema::new(fields));
    let generator = Generator::new(ROWS, COLUMNS, 1);
    let batches = (0..ROWS).step_by(PART).map(|first| {
        let rows = first..ROWS.min(first + PART);
        let mut values = vec![0.0_f64; rows.len() * COLUMNS];
        let mut positive = vec![false; rows.len()];
        generator.fill(rows, &mut values, &mut positive);
        let column = |k: usize| values[k..].iter().step_by(COLUMNS);
        let arrays: Vec<ArrayRef> = match shape {
            FileShape::List => {
                let values = Float32Array::from_iter_values(values.iter().map(|&v| v as f32));
                let (length, values) = (COLUMNS as i32, Arc::new(values));
                vec![Arc::new(FixedSizeListArray::new(item(), length, values, None))]
            }
            FileShape::F32 => (0..COLUMNS)
                .map(|k| {
                    Arc::new(Float32Array::from_iter_values(column(k).map(|&v| v as f32))) as _
                })
                .collect(),
            FileShape::F64 => (0..COLUMNS)
                .map(|k| Arc::new(Float64Array::from_iter_values(column(k).copied())) as _)
                .collect(),
        };
        RecordBatch::try_new(schema.clone(), arrays).expect("columns of one length")
    });
    let file = File::create(path).expect("a temporary file");
    if path.extension().is_some_and(|end| end == "arrow") {
        let mut writer = FileWriter::try_new(file, &schema).expect("a new file");
        batches.for_each(|batch| writer.write(&batch).expect("room on the disk"));
        writer.finish().expect("room on the disk");
    } else {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(PART))
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
        let mut writer = writer.expect("a new file");
        batches.for_each(|batch| writer.write(&batch).expect("room on the disk"));
        writer.close().expect("room on the disk");
    }
}

fn named(data_type: DataType) -> Vec<Field> {
    (0..COLUMNS).map(|k| Field::new(format!("c{k}"), data_type.clone(), true)).collect()
}

/// Returns a Python that has both peers.
fn python() -> Option<PathBuf> {
    let named = std::env::var_os("PYTHON").map(PathBuf::from);
    let usual = [".venv/bin/python", "python3"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|python| {
        let mut command = Command::new(python);
        let output = command.args(["-c", "import numpy, polars, pyarrow.parquet"]).output();
        output.is_ok_and(|output| output.status.success())
    })
}

/// Returns the shortest CPU time that a peer takes from the file to rows in memory.
fn time(python: &Path, peer: &str, path: &Path) -> Option<f64> {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("columnar.py"), peer]).arg(path).arg(ROUNDS.to_string());
    let output =
        command.env("POLARS_MAX_THREADS", "1").env("OMP_NUM_THREADS", "1").output().ok()?;
    if !output.status.success() {
        println!("  {peer} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
