//! A file of 1 GB is decided and verified in 300 MiB, in blocks, with the proof of the run in memory.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Rows and features of a file of 1 GB, and the kilobytes of addresses in which it is decided.
const SHAPE: [&str; 4] = ["--rows", "1250000", "--features", "100"];
const KILOBYTES: usize = 300 * 1024;

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    /// Runs the program, in at most `limit` kilobytes of address space if there is a limit.
    fn run(&self, limit: Option<usize>, args: &[&str]) -> Output {
        // The limit is on addresses, so a map of the file would count.
        let limit = limit.map_or("unlimited".to_string(), |kilobytes| kilobytes.to_string());
        Command::new("sh")
            .args(["-c", &format!("ulimit -v {limit} && exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_linsep"))
            // Each thread needs memory of its own, and machines have many.
            .args(["--threads", "2"])
            .args(args)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }
}

fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
    format!("{out}{err}")
}

#[test]
fn a_file_larger_than_the_memory_allowed() {
    if !cfg!(target_os = "linux") {
        return eprintln!("SKIPPED: addresses can be limited on Linux only");
    }
    let name = format!("linsep-larger-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    std::fs::create_dir(&folder.0).unwrap();
    let made = folder.run(None, &[&["generate", "-o", "large.npy"][..], &SHAPE].concat());
    if !made.status.success() {
        return eprintln!("SKIPPED: no room for a file of 1 GB: {}", said(&made));
    }
    let limit = Some(KILOBYTES);
    // The limit is in force: the file cannot even be mapped.
    let mapped = folder.run(limit, &["decide", "large.npy", "--stream=no"]);
    assert_eq!(mapped.status.code(), Some(2), "{}", said(&mapped));
    // Nobody asks for it: the rows would not fit, so they stay on the disk.
    let decided = folder.run(limit, &["decide", "large.npy", "--proof", "blocks.json"]);
    assert!(decided.status.success(), "{}", said(&decided));
    assert!(said(&decided).contains("large.npy stays on the disk"), "{}", said(&decided));
    let verified = folder.run(limit, &["verify", "large.npy", "blocks.json"]);
    assert!(said(&verified).contains("valid: the data is separable"), "{}", said(&verified));
    let whole = folder.run(None, &["decide", "large.npy", "--stream=no", "--proof", "whole.json"]);
    assert!(whole.status.success(), "{}", said(&whole));
    let [blocks, whole] = ["blocks.json", "whole.json"].map(|n| std::fs::read(folder.0.join(n)));
    assert!(blocks.unwrap() == whole.unwrap());
}
