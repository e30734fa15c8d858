//! Every target takes the corpus, and many small changes of it: as many each time, the same each time.

use std::path::Path;

use linsep::data::hash::draw;
use linsep_fuzz::{TARGETS, target};

/// Changes of each file.
const CHANGES: usize = 3_000;
/// Bytes that readers and parsers take for something else.
const TELLING: [&[u8]; 12] = [
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x80",
    b"\x7f",
    b"1e999",
    b"-0",
    b"NaN",
    b"\"",
    b"\n",
    b"[[",
    b"99999999999999999999",
    b"\xef\xbb\xbf",
    b"\x80",
];

/// Returns the bytes with one to four small changes.
fn changed(bytes: &[u8], state: &mut u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + draw(state) % 4 {
        let at = (draw(state) as usize).checked_rem(bytes.len()).unwrap_or(0);
        match draw(state) % 6 {
            0 => bytes.truncate(at),
            1 => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << (draw(state) % 8)),
            2 => bytes.get_mut(at).into_iter().for_each(|byte| *byte = draw(state) as u8),
            3 => drop(bytes.drain(at..bytes.len().min(at + 1 + draw(state) as usize % 8))),
            4 => {
                let again = bytes[at..bytes.len().min(at + 1 + draw(state) as usize % 16)].to_vec();
                bytes.splice(at..at, again);
            }
            _ => {
                let telling = TELLING[draw(state) as usize % TELLING.len()];
                let end = if draw(state).is_multiple_of(2) {
                    at
                } else {
                    bytes.len().min(at + telling.len())
                };
                bytes.splice(at..end, telling.iter().copied());
            }
        }
    }
    bytes
}

fn replay(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    let (take, mut state) = (target(name), 1);
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        take(&bytes);
        for _ in 0..CHANGES {
            take(&changed(&bytes, &mut state));
        }
    }
}

#[test]
fn every_target_has_a_test() {
    let tests = include_str!("replay.rs");
    for (name, _) in TARGETS {
        assert!(tests.contains(&format!("replay(\"{name}\")")), "{name}");
    }
}

#[test]
fn csv() {
    replay("csv");
}

#[test]
fn libsvm() {
    replay("libsvm");
}

#[test]
fn npy() {
    replay("npy");
}

#[test]
fn parquet() {
    replay("parquet");
}

#[test]
fn arrow() {
    replay("arrow");
}

#[test]
fn guessed() {
    replay("guessed");
}

#[test]
fn proof() {
    replay("proof");
}

#[test]
fn model() {
    replay("model");
}

#[test]
fn checkpoint() {
    replay("checkpoint");
}

#[test]
fn journal() {
    replay("journal");
}

#[test]
fn cache() {
    replay("cache");
}

#[test]
fn question() {
    replay("question");
}

#[test]
fn cluster() {
    replay("cluster");
}
