//! CSV beside the loop that one writes first: split at commas, parse with the standard library.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, read};
use linsep::data::write::{Layout, begin, rows};

use crate::timing::shortest;

const ROWS: usize = 100_000;
const COLUMNS: usize = 100;
const ROUNDS: usize = 3;

/// Prints the throughput of both, from a file that is in the page cache.
pub fn run() {
    let path = std::env::temp_dir().join(format!("linsep-bench-{}.csv", std::process::id()));
    let mut values = vec![0.0_f64; ROWS * COLUMNS];
    let mut positive = vec![false; ROWS];
    Generator::new(ROWS, COLUMNS, 1).fill(0..ROWS, &mut values, &mut positive);
    let mut text = vec![];
    let layout = Layout::Delimited(b',');
    begin::<f64>(layout, ROWS, COLUMNS, &mut text).expect("memory takes all");
    rows(layout, &values, COLUMNS, &positive, &mut text).expect("memory takes all");
    fs::write(&path, &text).expect("a temporary file");

    let [ours, plain] = shortest(
        ROUNDS,
        &mut [
            &mut || {
                let source = Source::from(&*path);
                let samples = read(&source, &ReadOptions::default(), &|_| {});
                black_box(samples.expect("the data just written").rows());
            },
            &mut || {
                black_box(plain_loop(&path).len());
            },
        ],
    );
    let bytes = text.len() as f64;
    println!("reading {ROWS} x {COLUMNS} from CSV ({:.0} MB)", bytes / 1e6);
    println!(
        "  {:.0} MB/s on {} threads, {:.1} times a plain loop ({:.0} MB/s)",
        bytes / ours / 1e6,
        rayon::current_num_threads(),
        plain / ours,
        bytes / plain / 1e6
    );
    fs::remove_file(&path).expect("the temporary file");
}

fn plain_loop(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).expect("the data just written");
    let lines = text.lines().skip(1);
    lines.flat_map(|line| line.split(',').map(|cell| cell.parse().expect("a number"))).collect()
}
