//! What must hold whatever bytes come: readers, proofs, models, checkpoints, caches, questions and messages of a cluster return
//! an error or something that is sound; they never panic, and what was proven stays true.
//!
//! Each target takes bytes. `make fuzz TARGET=…` lets libFuzzer look for bytes (`libfuzzer/`); the test of this crate replays
//! `corpus/` and changes of it, so that `make test` needs no other compiler flags.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use linsep::ask::{AskedOf, FitQuestion, Question};
use linsep::data::read::{
    Format, ReadOptions, Source, StreamOptions, Streamed, hush_decoders, read,
};
use linsep::data::samples::Missing;
use linsep::data::{Block, Data, Memory, Samples, fold};
use linsep::decide::remote::{answer, merge};
use linsep::decide::{DecideOptions, Journal, Verdict, decide_resumable};
use linsep::online::Checkpoint;
use linsep::proof::{Fingerprint, Proof, verify};
use linsep::saved::{AnyModel, Classifier};

/// What a target is called, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 13] = [
    ("csv", |bytes| reader(Some(Format::Csv), bytes)),
    ("libsvm", |bytes| reader(Some(Format::Libsvm), bytes)),
    ("npy", |bytes| reader(Some(Format::Npy), bytes)),
    ("parquet", |bytes| reader(Some(Format::Parquet), bytes)),
    ("arrow", |bytes| reader(Some(Format::Arrow), bytes)),
    ("guessed", |bytes| reader(None, bytes)),
    ("proof", proof),
    ("model", model),
    ("checkpoint", checkpoint),
    ("journal", journal),
    ("cache", cache),
    ("question", question),
    ("cluster", cluster),
];

/// Returns what the target of this name does.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> fn(&[u8]) {
    let found = TARGETS.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no target is called {name}")).1
}

thread_local! {
    /// Files in memory, by what they are for.
    static FILES: RefCell<HashMap<&'static str, File>> = RefCell::default();
}

/// Returns the path of a file in memory with these bytes. It is good until the next one of this name is made.
fn in_memory(name: &'static str, bytes: &[u8]) -> PathBuf {
    FILES.with_borrow_mut(|files| {
        let file = files.entry(name).or_insert_with(|| {
            let file: OwnedFd =
                rustix::fs::memfd_create(name, rustix::fs::MemfdFlags::empty()).expect("memory");
            File::from(file)
        });
        file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).expect("memory");
        file.write_all(bytes).expect("memory");
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    })
}

/// Checks that samples are what everything relies on: of both classes, and finite.
fn check_samples(samples: &Samples) {
    assert!(samples.positive().contains(&true) && samples.positive().contains(&false));
    for i in 0..samples.rows() {
        samples.features().for_each(i, |_, value| assert!(value.is_finite()));
    }
}

fn reader(format: Option<Format>, bytes: &[u8]) {
    hush();
    let path = in_memory("reader", bytes);
    for missing in [Missing::Refuse, Missing::Drop] {
        let options = ReadOptions { format, missing, ..ReadOptions::default() };
        if let Ok(samples) = read(&Source::from(path.as_path()), &options, &|_| ()) {
            check_samples(&samples);
        }
    }
}

/// Decoders that panic over damaged files are caught; libFuzzer would take the panic itself for a find.
fn hush() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(hush_decoders);
}

/// Four numbers, the first two negative.
fn line(values: [f64; 4]) -> Samples {
    Samples::dense(values.to_vec(), 1, vec![false, false, true, true]).expect("finite numbers")
}

/// Small problems, and what may be proven of them.
fn known() -> [(Samples, &'static [Verdict]); 3] {
    use Verdict::{Inseparable, NotStrictlySeparable, QuasiSeparable, Separable};
    [
        (line([0.0, 0.0, 1.0, 2.0]), &[Separable]),
        (line([0.0, 0.0, 0.0, 1.0]), &[QuasiSeparable, NotStrictlySeparable]),
        (line([0.0, 3.0, 1.0, 4.0]), &[Inseparable, NotStrictlySeparable]),
    ]
}

/// The bytes are taken for a proof about small problems whose verdicts are known.
fn proof(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(mut proof) = Proof::from_json(text) else { return };
    assert_eq!(Proof::from_json(&proof.to_json()).expect("its own text"), proof);
    for (samples, verdicts) in known() {
        // A fuzzer does not guess fingerprints.
        proof.data = Proof::separable(&samples, (vec![], 0.0)).data;
        if let Ok(verified) = verify(&samples, &proof) {
            assert!(verdicts.contains(&verified.verdict()), "{text}");
        }
    }
}

fn model(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(model) = AnyModel::from_json(text) else { return };
    let classifier = Classifier::of(&model);
    let columns = model.features().count;
    if (1..=64).contains(&columns) {
        let rows = [vec![0.0; columns], vec![1.5; columns]].concat();
        let samples = Samples::dense(rows, columns, vec![true, false]).expect("finite numbers");
        for (class, _) in classifier.classify(samples.features()) {
            assert!(class < classifier.names.len());
        }
    }
}

fn checkpoint(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(checkpoint) = Checkpoint::from_json(text) else { return };
    let samples = line([0.0, 1.0, 2.0, 3.0]);
    let fit = FitQuestion::default().ask(&Memory::new(&samples), Some(checkpoint), &mut ());
    if let Ok(fit) = fit {
        assert!(fit.model.to_json().contains("\"weights\""));
    }
}

/// A checkpoint of `decide` is never evidence: whatever is in it, what is answered is true.
fn journal(bytes: &[u8]) {
    for (samples, verdicts) in known() {
        let path = in_memory("journal", bytes);
        let Ok(mut journal) = Journal::resume(&path) else { continue };
        let options = DecideOptions::default();
        let decided = decide_resumable(&Memory::new(&samples), &options, &mut (), &mut journal);
        if let Ok(decision) = decided {
            let verdict = decision.verdict().expect("no limit was set");
            assert!(verdicts.contains(&verdict), "{verdict}");
        }
    }
}

/// The table that caches are copies of.
pub const TABLE: &str = "a,b,label\n1,2.5,no\n-3,1e300,yes\n,4,yes\n0.1,7,no\n";

/// Opens the table in a folder through its cache, and writes it first if it is not there; its time is always the same, since a cache is
/// named by it.
pub fn open_table(folder: &Path) -> Result<Streamed, linsep::Error> {
    let data = folder.join("table.csv");
    if !data.exists() {
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&data, TABLE))
            .and_then(|()| File::options().write(true).open(&data))
            .and_then(|file| file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)));
        written.expect("room for a table");
    }
    let cache_dir = Some(folder.to_path_buf());
    let stream = StreamOptions { cache_dir, ..StreamOptions::default() };
    let options = ReadOptions { missing: Missing::Drop, ..ReadOptions::default() };
    Streamed::open(&Source::from(data.as_path()), &options, &stream, &|_| ())
}

/// Returns the cache in a folder, if there is one.
pub fn cache_in(folder: &Path) -> Option<PathBuf> {
    let mut files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|f| f.path());
    files.find(|path| path.extension().is_some_and(|e| e == "linsep-cache"))
}

/// A copy of a table beside it: damaged ones are made anew, so the rows are those of the table, or there is an error.
fn cache(bytes: &[u8]) {
    let folder = std::env::temp_dir().join(format!("linsep-fuzz-{}", std::process::id()));
    let path = cache_in(&folder).unwrap_or_else(|| {
        open_table(&folder).expect("a good table");
        cache_in(&folder).expect("text has a cache")
    });
    std::fs::write(&path, bytes).expect("room");
    if let Ok(rows) = open_table(&folder) {
        let _ = fold(&rows, &Fingerprint::of(rows.shape()));
    }
}

fn question(bytes: &[u8]) {
    let Ok(question) = serde_json::from_slice::<Question>(bytes) else { return };
    let text = serde_json::to_string(&question).expect("plain values");
    assert_eq!(serde_json::from_str::<Question>(&text).expect("its own text"), question);
    let quick = matches!(question, Question::Decide(_) | Question::Estimate(_));
    if question.validate().is_err() || !quick {
        return;
    }
    for (samples, verdicts) in known() {
        let found = question.ask(AskedOf::Rows(&Memory::new(&samples)), &mut ());
        if let Ok(linsep::ask::Answer::Decide(found)) = found
            && let Some(verdict) = found.decision.verdict()
        {
            assert!(verdicts.contains(&verdict), "{text}: {verdict}");
        }
    }
}

/// Messages of a cluster: a request and the findings of two machines, each behind its length.
fn cluster(bytes: &[u8]) {
    let mut rest = bytes;
    let mut next = || {
        let (head, tail) = rest.split_at(rest.len().min(2));
        let length = head.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let (own, later) = tail.split_at(tail.len().min(length));
        rest = later;
        own
    };
    let (request, one, other) = (next(), next(), next());
    let samples = line([0.0, 1.0, 2.0, 3.0]);
    let _ = answer(request, &[Block::whole(&samples, 0)], 7);
    if let Some(found) = answer(request, &[Block::whole(&samples, 0)], 7) {
        let _ = merge(request, &found, one);
    }
    let _ = merge(request, one, other);
}
