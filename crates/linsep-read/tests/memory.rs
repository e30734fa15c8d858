//! Data that does not fit, or only claims to be large, is an error with the figure: no abort, and no process
//! that is killed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use linsep_read::write::npy_header;
use linsep_read::{ReadOptions, Source, read};

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linsep-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes an array of zeros; the disk holds only its header.
    fn zeros(&self, name: &str, descr: &str, shape: &[usize; 2], fortran: bool) -> PathBuf {
        let mut header = npy_header(descr, shape);
        if fortran {
            let text = String::from_utf8_lossy(&header[10..]);
            let text = text.replace("'fortran_order': False", "'fortran_order': True ");
            header.truncate(10);
            header.extend_from_slice(text.as_bytes());
        }
        let size: usize = descr[2..].parse().unwrap();
        let path = self.write(name, &header);
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len((header.len() + shape[0] * shape[1] * size) as u64).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn result(path: &Path) -> String {
    match read(&Source::from(path), &ReadOptions::default(), &|_| {}) {
        Ok(samples) => format!("{} rows", samples.rows()),
        Err(error) => error.to_string(),
    }
}

/// Reads a file in a process with at most `megabytes` of address space; returns what it says.
fn limited(path: &Path, megabytes: usize) -> String {
    let limit = format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes * 1000);
    let output = Command::new("sh")
        .args(["-c", &limit])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "in_a_process_of_its_own", "--nocapture"])
        .env("LINSEP_READ", path)
        // Spare arenas would count as addresses.
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "2")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}{complaint}", path.display());
    let lines = said.lines().find_map(|line| line.strip_prefix("said: "));
    lines.unwrap_or_else(|| panic!("{said}{complaint}")).to_string()
}

/// What [`limited`] runs; as a test on its own it does nothing.
#[test]
fn in_a_process_of_its_own() {
    if let Some(path) = std::env::var_os("LINSEP_READ") {
        // The name of the test stands before it on the line.
        println!("\nsaid: {}", result(Path::new(&path)));
    }
}

fn check(path: &Path, megabytes: usize, expected: &str) {
    let said = limited(path, megabytes);
    assert!(said.contains(expected), "{}: {said}", path.display());
    let needed = said.contains("not enough memory: ") && said.ends_with(" more are needed");
    assert!(needed || expected.ends_with("rows"), "{}: {said}", path.display());
}

#[test]
fn what_does_not_fit_is_an_error() {
    if !cfg!(target_os = "linux") {
        return eprintln!("SKIPPED: memory can be limited on Linux only");
    }
    let folder = Folder::new("memory");
    let no_memory = "not enough memory: ";
    let text = folder.write("text.csv", "0,0.5,1\n1,1.5,2\n".repeat(2_000_000).as_bytes());
    check(&text, 1000, "4000000 rows");
    for megabytes in [90, 120, 150] {
        check(&text, megabytes, no_memory);
    }
    let sparse = folder.write("text.svm", "1 1:1 2:1\n0 5:1 7:2\n".repeat(1_000_000).as_bytes());
    check(&sparse, 1000, "2000000 rows");
    check(&sparse, 150, no_memory);
    // One typing error asks for a weight per feature below it.
    let index = folder.write("index.svm", b"1 1:1 2:1\n0 4000000000:1\n1 3:1\n");
    let said = limited(&index, 1000);
    assert!(said.contains("line 2: feature index 4000000000 needs 128.0 GB of memory, "), "{said}");
    // Features that are hashed to 24 bits are none.
    let hashed = folder.write("hashed.svm", b"1 1:1 2:1\n0 16777216:1\n1 3:1\n");
    check(&hashed, 1000, "3 rows");
    // Blank lines are nothing to keep.
    let blank = [&vec![b'\n'; 200 << 20][..], b"1,x\n2,y\n"].concat();
    check(&folder.write("blank.csv.gz", &gzip(&blank)), 150, "2 rows");
    // A few hundred levels for each of many rows: dense, and many times as large as the text.
    let mut levels = "color,label\n".to_string();
    (0..200_000).for_each(|i| levels.push_str(&format!("c{},{}\n", i % 500, i % 2)));
    let levels = folder.write("levels.csv", levels.as_bytes());
    check(&levels, 500, no_memory);
    // Mapped, transposed, converted, and with a column in the midst left out.
    check(&folder.zeros("mapped.npy", "<f8", &[100_000, 300], false), 200, no_memory);
    check(&folder.zeros("columns.npy", "<f8", &[100_000, 150], true), 220, no_memory);
    check(&folder.zeros("integers.npy", "<i4", &[100_000, 200], false), 220, no_memory);
}

#[test]
fn what_is_only_claimed_costs_nothing() {
    let folder = Folder::new("claims");
    let header = |shape: &[usize; 2]| npy_header("<f8", shape);
    let check = |path: &Path, expected: &str| {
        let said = result(path).replace(&format!("{}/", folder.0.display()), "");
        assert!(said.starts_with(expected), "{said}");
    };
    let damaged = "the file is damaged: expected";
    let large = header(&[1_000_000_000, 100_000_000]);
    let path = folder.write("large.npy", &large);
    check(&path, &format!("large.npy: {damaged} 800000000000000000 bytes of values, found 0"));
    let wide = header(&[2, 1_000_000_000_000]);
    let path = folder.write("wide.npy", &wide);
    check(&path, &format!("wide.npy: {damaged} 16000000000000 bytes of values, found 0"));
    let beyond = header(&[10_000_000_000, 10_000_000_000]);
    let path = folder.write("beyond.npy", &beyond);
    check(
        &path,
        "beyond.npy: the file is damaged: its npy header claims 10000000000 x 10000000000",
    );
    // How much is compressed is not known.
    let path = folder.write("large.npy.gz", &gzip(&large));
    check(&path, "large.npy.gz: not enough memory: 800.0 PB more are needed");
    let path = folder.write("wide.npy.gz", &gzip(&wide));
    check(&path, "wide.npy.gz: not enough memory: 128.0 TB more are needed");
    // An endless record, compressed to nearly nothing.
    let zeros = gzip(&vec![b'1'; 300 << 20]);
    let path = folder.write("endless.csv.gz", &zeros);
    check(
        &path,
        "endless.csv.gz: line 1: expected the end of the record within 268.4 MB, found none",
    );
}
