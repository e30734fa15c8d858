//! What the targets for readers share: bytes become a file, and the file is read.

use std::path::Path;

use linsep_data::samples::Missing;
use linsep_read::{Format, ReadOptions, Source, read};

/// Reads the bytes as data of this format. Samples, if any come out, must be finite and of both
/// classes.
pub fn check(format: Format, bytes: &[u8]) {
    // Fuzzers may run side by side, and a mapped file must not change under its reader.
    let name = format!("linsep-fuzz-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    for missing in [Missing::Refuse, Missing::Drop] {
        let options = ReadOptions { format: Some(format), missing, ..ReadOptions::default() };
        if let Ok(samples) = read(&Source::from(Path::new(&path)), &options, &|_| ()) {
            assert!(samples.positive().contains(&true) && samples.positive().contains(&false));
            for i in 0..samples.rows() {
                samples.features().for_each(i, |_, value| assert!(value.is_finite()));
            }
        }
    }
}
