//! 8 GB in 1 GiB: rows that stay on the disk, beside the rate of the disk, of the decoder, and of the same
//! decision in memory.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, StreamOptions, Streamed, read};
use linsep::data::write::{npy_header, npy_labels};
use linsep::data::{Absorb, Block, Data, Memory};
use linsep::decide::{DecideOptions, Verdict, decide_data};
use linsep::proof::verify_data;
use parquet::arrow::ArrowWriter;

const ROWS: usize = 10_000_000;
const COLUMNS: usize = 100;
/// Rows that are made at a time, and rows of a row group.
const MADE: usize = 1 << 17;
/// Kilobytes of addresses that the process in blocks may have.
const KILOBYTES: usize = 1 << 20;

/// The argument that makes this program the process that is measured.
pub const CHILD: &str = "streaming-of";

/// Prints seconds and rates of processes of their own.
pub fn run() {
    let folder = std::env::temp_dir().join(format!("linsep-streaming-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let bytes = (ROWS * COLUMNS * 8) as f64;
    println!("streaming: {ROWS} x {COLUMNS} f64, {:.1} GB, two files", bytes / 1e9);
    println!(
        "warm: read once before; cold: dropped from the page cache every second; all but in-memory under \
         ulimit -v of 1 GiB"
    );
    let (array, parts) = (folder.join("rows.npy"), folder.join("rows.parquet"));
    write(&array, &parts);
    for path in [&array, &parts] {
        let name = path.extension().unwrap_or_default().to_string_lossy();
        let size = fs::metadata(path).expect("the file just written").len() as f64;
        println!("  {name}: {:.1} GB on the disk", size / 1e9);
        println!("    what              seconds  passes   GB/s  beside a plain read");
        let mut plain = [0.0; 2];
        for (what, limited) in
            [("plain-read", true), ("decode", true), ("decide", true), ("in-memory", false)]
        {
            for cold in [false, true] {
                // Nothing is read from the disk any more once it is in memory.
                if what == "in-memory" && cold {
                    continue;
                }
                let Some((seconds, passes)) = measure(what, path, limited, cold) else {
                    println!("    {what}: failed");
                    continue;
                };
                let rate = size * passes / seconds / 1e9;
                if what == "plain-read" {
                    plain[usize::from(cold)] = rate;
                }
                let beside = rate / plain[usize::from(cold)];
                let warmth = if cold { "cold" } else { "warm" };
                println!(
                    "    {what:<11} {warmth:<5} {seconds:>7.1} {passes:>7}  {rate:>5.2}  {beside:>4.2}"
                );
            }
        }
    }
    fs::remove_dir_all(&folder).expect("the temporary folder");
}

/// Writes the same rows twice.
fn write(array: &Path, parts: &Path) {
    let generator = Generator::new(ROWS, COLUMNS, 1);
    let mut file = File::create(array).expect("a temporary file");
    file.write_all(&npy_header("<f8", &[ROWS, COLUMNS])).expect("room for the header");
    let mut fields: Vec<Field> =
        (0..COLUMNS).map(|k| Field::new(format!("x{k}"), DataType::Float64, false)).collect();
    fields.push(Field::new("label", DataType::Boolean, false));
    let schema = Arc::new(Schema::new(fields));
    let table = File::create(parts).expect("a temporary file");
    let mut table = ArrowWriter::try_new(table, schema.clone(), None).expect("a new file");
    let mut labels = vec![];
    for first in (0..ROWS).step_by(MADE) {
        let range = first..ROWS.min(first + MADE);
        let (mut values, mut positive) =
            (vec![0.0_f64; range.len() * COLUMNS], vec![false; range.len()]);
        generator.fill(range, &mut values, &mut positive);
        file.write_all(bytemuck::cast_slice(&values)).expect("room for the values");
        let column = |k: usize| values[k..].iter().step_by(COLUMNS).copied();
        let mut columns: Vec<ArrayRef> = (0..COLUMNS)
            .map(|k| Arc::new(Float64Array::from_iter_values(column(k))) as ArrayRef)
            .collect();
        columns.push(Arc::new(BooleanArray::from(positive.clone())));
        let batch = RecordBatch::try_new(schema.clone(), columns).expect("columns of one length");
        table.write(&batch).and_then(|()| table.flush()).expect("room on the disk");
        labels.extend(positive);
    }
    table.close().expect("room on the disk");
    fs::write(array.with_extension("labels.npy"), npy_labels(&labels)).expect("room for labels");
}

/// Returns the seconds and the passes of a process.
fn measure(what: &str, path: &Path, limited: bool, cold: bool) -> Option<(f64, f64)> {
    let limit = if limited { KILOBYTES.to_string() } else { "unlimited".to_string() };
    let script = format!("ulimit -v {limit} && exec \"$0\" \"$@\"");
    let ended = AtomicBool::new(false);
    if !cold {
        plain_read(path);
    }
    let output = std::thread::scope(|scope| {
        if cold {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    forget(path);
                    std::thread::sleep(Duration::from_secs(1));
                }
            });
        }
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new("sh");
        child.args(["-c", &script]).arg(program).args([CHILD, what]).arg(path);
        let output = child.output();
        ended.store(true, Ordering::Relaxed);
        output.expect("a shell")
    });
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = said.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
}

/// Drops a file from the page cache.
#[cfg(not(target_os = "linux"))]
fn forget(_path: &Path) {}

/// Drops a file from the page cache.
#[cfg(target_os = "linux")]
fn forget(path: &Path) {
    let file = File::open(path).expect("the file just written");
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).expect("advice is taken");
}

struct Nothing;

impl Absorb for Nothing {
    fn absorb(&self, block: &Block<'_>) {
        std::hint::black_box(block.places());
    }
}

/// Does one piece of work, and prints its seconds and passes.
pub fn child(what: &str, path: &str) {
    let source = Source::from(Path::new(path));
    let options = ReadOptions::default();
    let start = Instant::now();
    let streamed = || {
        let stream = StreamOptions { memory: Some(0), ..StreamOptions::default() };
        Streamed::open(&source, &options, &stream, &|_| {}).expect("the data just written")
    };
    let passes = match what {
        "plain-read" => {
            plain_read(Path::new(path));
            1
        }
        "decode" => {
            let data = streamed();
            data.pass(&Nothing).expect("sound data");
            1
        }
        "decide" => decide_and_verify(&streamed()),
        _ => {
            let samples = read(&source, &options, &|_| {}).expect("the data just written");
            decide_and_verify(&Memory::new(&samples))
        }
    };
    println!("{} {passes}", start.elapsed().as_secs_f64());
}

/// Returns the passes of both.
fn decide_and_verify(data: &dyn Data) -> u64 {
    let decision = decide_data(data, &DecideOptions::default(), &mut ()).expect("sound data");
    assert_eq!(decision.verdict(), Some(Verdict::Separable));
    let proof = decision.proof().expect("a verdict has a proof");
    assert!(verify_data(data, proof, None).expect("sound data").is_ok());
    data.reads().passes(data.shape())
}

/// Reads the bytes of a file, half of them on each of two threads.
fn plain_read(path: &Path) {
    let size = fs::metadata(path).expect("the file just written").len();
    std::thread::scope(|scope| {
        for half in 0..2 {
            scope.spawn(move || {
                let mut file = File::open(path).expect("the file just written");
                std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(half * size / 2))
                    .expect("a place in the file");
                let mut left = file.take(size.div_ceil(2));
                let mut block = vec![0_u8; 4 << 20];
                while left.read(&mut block).expect("a sound disk") > 0 {
                    std::hint::black_box(&block);
                }
            });
        }
    });
}
