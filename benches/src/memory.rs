//! Peak memory while a mapped `.npy` is read and fitted, or decided, beside the size of the data.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, read};
use linsep::data::write::{npy_header, npy_labels};
use linsep::decide::{DecideOptions, Verdict, decide};
use linsep::online::{FitSettings, fit};

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 100;

/// The argument that makes this program the process that is measured.
pub const CHILD: &str = "memory-of";

/// Prints the peak of a process of its own, which sees nothing but the file.
pub fn run() {
    if !Path::new("/proc/self/status").exists() {
        return println!("memory: only measured on Linux");
    }
    let folder = std::env::temp_dir().join(format!("linsep-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("c.npy");
    {
        let mut values = vec![0.0_f64; ROWS * COLUMNS];
        let mut positive = vec![false; ROWS];
        Generator::new(ROWS, COLUMNS, 1).fill(0..ROWS, &mut values, &mut positive);
        let mut file = fs::File::create(&path).expect("a temporary file");
        file.write_all(&npy_header("<f8", &[ROWS, COLUMNS])).expect("room for the header");
        file.write_all(bytemuck::cast_slice(&values)).expect("room for the values");
        fs::write(folder.join("c.labels.npy"), npy_labels(&positive)).expect("room for labels");
    }
    println!("peak memory with {ROWS} x {COLUMNS} f64 from .npy, each in a process of its own");
    let program = std::env::current_exe().expect("this program");
    for work in ["fit", "decide"] {
        let status = Command::new(&program).args([CHILD, work]).arg(&path).status();
        assert!(status.is_ok_and(|s| s.success()));
    }
    fs::remove_dir_all(&folder).expect("the temporary folder");
}

/// Reads the file, fits or decides it, and prints the peak memory of this process.
pub fn child(work: &str, path: &str) {
    let source = Source::from(Path::new(path));
    let samples = read(&source, &ReadOptions::default(), &|_| {}).expect("the data just written");
    let separated = if work == "fit" {
        fit(&samples, &FitSettings::default(), &mut (), None).expect("valid settings").separated()
    } else {
        let decision = decide(&samples, &DecideOptions::default(), &mut ()).expect("valid options");
        decision.verdict() == Some(Verdict::Separable)
    };
    assert!(separated);
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
        .unwrap_or(f64::NAN)
        * 1024.0;
    let data = (ROWS * COLUMNS * 8) as f64;
    let target = if work == "fit" { "" } else { " (target: under 15 %)" };
    println!(
        "  {work}: peak {:.0} MB, {:.1} % above the data{target}",
        peak / 1e6,
        100.0 * (peak / data - 1.0)
    );
}
