//! A disk that is too small for the copy of a text: an error that names it, and nothing left behind.

use std::path::PathBuf;
use std::process::Command;

/// A disk of 1 MiB in memory, gone in the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Returns none where this user cannot make one.
    fn new() -> Option<Self> {
        let path = std::env::temp_dir().join(format!("linsep-small-disk-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        let disk = SmallDisk(path);
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1M", "tmpfs"]).arg(&disk.0);
        mount.output().is_ok_and(|output| output.status.success()).then_some(disk)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_cache_that_does_not_fit_is_an_error_and_leaves_nothing() {
    let Some(disk) = SmallDisk::new() else {
        return eprintln!("SKIPPED: this user cannot mount a small disk");
    };
    let name = format!("linsep-small-disk-{}.csv", std::process::id());
    let path = std::env::temp_dir().join(name);
    let lines = (0..100_000_u32).map(|i| {
        let square = f64::from(i) * f64::from(i) * 0.1;
        format!("{i},{square},{},{}\n", square.sqrt(), i % 2)
    });
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_linsep"))
        .arg("decide")
        .arg(&path)
        .args(["--stream", "--cache-dir"])
        .arg(&disk.0)
        .output();
    std::fs::remove_file(&path).unwrap();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = "the cache cannot be written: no space left on device\nhint: --cache-dir";
    assert!(said.contains(expected) && said.contains("linsep-cache"), "{said}");
    assert_eq!(std::fs::read_dir(&disk.0).unwrap().count(), 0);
}
