//! The journal of a decision: what each pass has found, in a file that outlives the process.
//!
//! ```text
//! file      linsep decide checkpoint VERSION newline, then entries
//! entry     length of the body, body, checksum of the body and of all before: one write
//! entries   the run (shape, options), the name of the data, then of each pass what it asked and what it found
//! ```
//!
//! The engine does the same things again if its passes find the same things, so findings are all that has to
//! be kept. A kill loses the pass under way, and at most a part of the last entry is written: from the first
//! entry on that is not whole, the file is cut off.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use linsep_data::hash::{FNV_BASIS, fnv1a};
use linsep_data::{Data, Shape};
use linsep_proof::MarginKind;
use serde::{Deserialize, Serialize};

use super::options::{ConflictForm, DecideOptions, MarginGoal};
use crate::queries::{AskedFold, FoldKind, Listed, complete, decode, encode, queries, states};

/// What the file starts with. The number is the version of what follows.
const FIRST_LINE: &str = "linsep decide checkpoint 3\n";
/// Bytes around the body of an entry: its length before it, the checksum after it.
const LENGTH: u64 = 8;
const CHECKSUM: u64 = 4;

/// Why a decision cannot be kept, or taken up again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be read.
    #[error("cannot read: {0}")]
    Unreadable(#[source] io::Error),
    /// The file cannot be written.
    #[error("cannot write: {0}")]
    Unwritable(#[source] io::Error),
    /// Another run has the file open.
    #[error("another run keeps this checkpoint")]
    InUse,
    /// The file is something else.
    #[error("not a checkpoint of decide")]
    NotOne,
    /// The file has another format.
    #[error("the checkpoint has another version; start again without it")]
    OtherVersion,
    /// The checkpoint is of other data, or of a run with other options.
    #[error("the checkpoint is of another run: its {what} differ")]
    OtherRun {
        /// What differs.
        what: &'static str,
    },
    /// The checkpoint holds something else than what is asked for.
    #[error("the checkpoint does not fit: expected {expected}, found {found}")]
    Unfit {
        /// What was asked for.
        expected: String,
        /// What is there.
        found: String,
    },
}

/// What the passes of a decision have found, in a file to which each pass adds.
///
/// ```
/// use linsep::data::Memory;
/// use linsep::decide::{DecideOptions, Journal, decide_resumable};
/// use linsep::Samples;
///
/// let path = std::env::temp_dir().join(format!("linsep-journal-{}", std::process::id()));
/// let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
/// let options = DecideOptions::default();
/// let mut journal = Journal::create(&path)?;
/// let whole = decide_resumable(&Memory::new(&samples), &options, &mut (), &mut journal)?;
/// drop(journal);
/// let mut journal = Journal::resume(&path)?;
/// let again = decide_resumable(&Memory::new(&samples), &options, &mut (), &mut journal)?;
/// assert_eq!((again.passes, again.proof()), (whole.passes, whole.proof()));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Journal {
    file: BufReader<File>,
    /// Bytes of whole entries that were read or written.
    length: u64,
    /// The checksum of all bodies so far.
    checksum: u32,
    /// True once every whole entry has been read: from here on the file is written.
    ended: bool,
}

impl Journal {
    /// Returns an empty journal in a new file, in place of an older journal. Errors if the file cannot be
    /// written, or is something else.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let mut journal = Journal::at_start(locked(file.map_err(JournalError::Unwritable)?)?);
        match journal.first_line() {
            // Nobody's data is lost to a slip of the pen.
            Err(error @ (JournalError::NotOne | JournalError::Unreadable(_))) => Err(error),
            _ => journal.begin(),
        }
    }

    /// Returns the journal that a run has left in this file. Errors if it cannot be read, or is something else.
    pub fn resume(path: &Path) -> Result<Self, JournalError> {
        let file = File::options().read(true).write(true).open(path);
        let mut journal = Journal::at_start(locked(file.map_err(JournalError::Unreadable)?)?);
        match journal.first_line()? {
            true => Ok(journal),
            // Killed before the first line was whole.
            false => journal.begin(),
        }
    }

    /// Returns what each pass in it has looked for, in words. Errors if the file cannot be read.
    pub fn passes(mut self) -> Result<Vec<String>, JournalError> {
        let mut passes = vec![];
        while let Some(entry) = self.next()? {
            if let JournalEntry::Pass(pass) = entry {
                passes.push(words(&pass.kinds));
            }
        }
        Ok(passes)
    }

    /// Returns true if the first line is there, and false if a part of it is.
    fn first_line(&mut self) -> Result<bool, JournalError> {
        let mut found = vec![];
        let most = FIRST_LINE.len() as u64;
        let read = self.file.by_ref().take(most).read_to_end(&mut found);
        read.map_err(JournalError::Unreadable)?;
        let without_version = &FIRST_LINE.as_bytes()[..FIRST_LINE.len() - 2];
        match () {
            () if found == FIRST_LINE.as_bytes() => {
                self.length = most;
                Ok(true)
            }
            () if FIRST_LINE.as_bytes().starts_with(&found) => Ok(false),
            () if found.starts_with(without_version) => Err(JournalError::OtherVersion),
            () => Err(JournalError::NotOne),
        }
    }

    fn at_start(file: File) -> Self {
        Journal { file: BufReader::new(file), length: 0, checksum: 0, ended: false }
    }

    /// Returns the journal with a first line and no entries.
    fn begin(mut self) -> Result<Self, JournalError> {
        self.length = 0;
        self.write(FIRST_LINE.as_bytes())?;
        Ok(self)
    }

    /// Enters what run this is, or compares it with what the journal says.
    pub(super) fn enter_run(
        &mut self,
        data: &dyn Data,
        options: &DecideOptions,
    ) -> Result<(), JournalError> {
        let ours = RunEntry::of(data, options);
        match self.next()? {
            None => self.append(&JournalEntry::Run(ours)),
            Some(JournalEntry::Run(found)) => match ours.difference(&found) {
                Some(what) => Err(JournalError::OtherRun { what }),
                None => Ok(()),
            },
            Some(other) => Err(other.unfit("a run")),
        }
    }

    /// Enters the name of the data, or compares it with what the journal says.
    pub(super) fn enter_data(&mut self, name: &str) -> Result<(), JournalError> {
        match self.next()? {
            None => self.append(&JournalEntry::Data(name.to_string())),
            Some(JournalEntry::Data(found)) if found == name => Ok(()),
            Some(JournalEntry::Data(_)) => Err(JournalError::OtherRun { what: "data" }),
            Some(other) => Err(other.unfit("the name of the data")),
        }
    }

    /// Returns what the next entry says that a pass has found. Returns `None` if all entries have been read.
    pub(super) fn restore<Q: Listed>(
        &mut self,
        query: &Q,
        shape: Shape,
    ) -> Result<Option<Q::Found>, JournalError> {
        let Some(entry) = self.next()? else {
            return Ok(None);
        };
        let asked = queries(query);
        let kinds = kinds(&asked);
        let expected = words(&kinds);
        let pass = match entry {
            JournalEntry::Pass(pass) if pass.kinds == kinds => pass,
            other => return Err(other.unfit(&expected)),
        };
        if pass.query != name(&asked) {
            return Err(JournalError::Unfit { found: format!("other {expected}"), expected });
        }
        let states = complete(&asked, &pass.found, shape);
        let found = states.and_then(|states| query.found(&mut states.into_iter()));
        let damaged = || JournalError::Unfit { found: format!("damaged {expected}"), expected };
        found.map(Some).ok_or_else(damaged)
    }

    /// Appends what a pass has found.
    pub(super) fn keep<Q: Listed>(
        &mut self,
        query: &Q,
        found: &Q::Found,
    ) -> Result<(), JournalError> {
        self.append(&JournalEntry::Pass(PassEntry::of(query, found)))
    }

    /// Enters what a pass has found, or compares it with what the next entry says.
    pub(super) fn confirm<Q: Listed>(
        &mut self,
        query: &Q,
        found: &Q::Found,
    ) -> Result<(), JournalError> {
        let ours = PassEntry::of(query, found);
        match self.next()? {
            None => self.append(&JournalEntry::Pass(ours)),
            Some(JournalEntry::Pass(pass)) if pass == ours => Ok(()),
            Some(JournalEntry::Pass(pass)) => {
                let found = format!("other {}", words(&pass.kinds));
                Err(JournalError::Unfit { expected: words(&ours.kinds), found })
            }
            Some(other) => Err(other.unfit(&words(&ours.kinds))),
        }
    }

    /// Returns the next whole entry.
    fn next(&mut self) -> Result<Option<JournalEntry>, JournalError> {
        let body = self.next_body()?;
        Ok(body.map(|body| decode(&body).unwrap_or(JournalEntry::Nothing)))
    }

    /// Returns the body of the next whole entry.
    fn next_body(&mut self) -> Result<Option<Vec<u8>>, JournalError> {
        if self.ended {
            return Ok(None);
        }
        let found = self.read().map_err(JournalError::Unreadable)?;
        self.ended = found.is_none();
        Ok(found)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(length) = self.bytes()?.map(u64::from_le_bytes) else {
            return Ok(None);
        };
        let mut body = vec![];
        self.file.by_ref().take(length).read_to_end(&mut body)?;
        if body.len() as u64 != length {
            return Ok(None);
        }
        let sum = checksum(self.checksum, &body);
        if self.bytes()?.map(u32::from_le_bytes) != Some(sum) {
            return Ok(None);
        }
        self.checksum = sum;
        self.length += LENGTH + length + CHECKSUM;
        Ok(Some(body))
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut bytes = vec![];
        self.file.by_ref().take(N as u64).read_to_end(&mut bytes)?;
        Ok(bytes.try_into().ok())
    }

    fn append(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        let body = encode(entry);
        self.checksum = checksum(self.checksum, &body);
        let length = (body.len() as u64).to_le_bytes();
        self.write(&[&length[..], &body, &self.checksum.to_le_bytes()].concat())
    }

    /// Writes after what is whole, in place of what is not.
    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        let mut written = || {
            self.file.seek(SeekFrom::Start(self.length))?;
            let file = self.file.get_mut();
            file.set_len(self.length)?;
            file.write_all(bytes)
        };
        written().map_err(JournalError::Unwritable)?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Returns the file, which nobody else may have now. Where files cannot be locked, nobody is kept out.
fn locked(file: File) -> Result<File, JournalError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(JournalError::InUse),
        _ => Ok(file),
    }
}

/// What an entry says.
#[derive(Debug, Serialize, Deserialize)]
enum JournalEntry {
    /// Nothing that is understood; never written.
    Nothing,
    Run(RunEntry),
    /// The fingerprint.
    Data(String),
    Pass(PassEntry),
}

impl JournalEntry {
    fn unfit(&self, expected: &str) -> JournalError {
        let found = match self {
            JournalEntry::Nothing => "nothing".to_string(),
            JournalEntry::Run(_) => "a run".to_string(),
            JournalEntry::Data(_) => "the name of the data".to_string(),
            JournalEntry::Pass(pass) => words(&pass.kinds),
        };
        JournalError::Unfit { expected: expected.to_string(), found }
    }
}

/// All on which the course of a run depends, limits and the rows themselves excluded.
#[derive(Debug, Serialize, Deserialize)]
struct RunEntry {
    shape: Shape,
    fits: bool,
    largest_margin: bool,
    kind: MarginKind,
    gap: f64,
    conflict: ConflictForm,
    /// A number that tells one start from another; none without one.
    start: Option<u64>,
}

impl RunEntry {
    fn of(data: &dyn Data, options: &DecideOptions) -> Self {
        RunEntry {
            shape: data.shape(),
            fits: data.fits(),
            largest_margin: options.margin == MarginGoal::Max,
            kind: options.kind,
            gap: options.gap,
            conflict: options.conflict,
            start: options.start.as_ref().map(|start| fnv1a(FNV_BASIS, &encode(start))),
        }
    }

    /// Returns what differs in another run.
    fn difference(&self, other: &RunEntry) -> Option<&'static str> {
        let differ = [
            (self.shape != other.shape, "numbers of rows or features"),
            (self.fits != other.fits, "places of the data"),
            (self.largest_margin != other.largest_margin, "goals for the margin"),
            (self.kind != other.kind, "kinds of margin"),
            (self.gap.to_bits() != other.gap.to_bits(), "gaps"),
            (self.conflict != other.conflict, "forms of conflicts"),
            (self.start != other.start, "hyperplanes to begin with"),
        ];
        differ.into_iter().find(|(differs, _)| *differs).map(|(_, what)| what)
    }
}

/// A pass.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PassEntry {
    /// What was asked.
    kinds: Vec<FoldKind>,
    /// A number that tells one query from another: vectors that were asked about are as long as what was found.
    query: u64,
    /// The state of each query.
    found: Vec<u8>,
}

impl PassEntry {
    fn of<Q: Listed>(query: &Q, found: &Q::Found) -> Self {
        let asked = queries(query);
        let found = states(&asked, query, found);
        PassEntry { kinds: kinds(&asked), query: name(&asked), found }
    }
}

fn kinds(asked: &[AskedFold]) -> Vec<FoldKind> {
    asked.iter().map(AskedFold::kind).collect()
}

/// Returns the number that tells these queries from others.
fn name(asked: &[AskedFold]) -> u64 {
    fnv1a(FNV_BASIS, &encode(&asked))
}

/// Returns what messages call these queries.
fn words(kinds: &[FoldKind]) -> String {
    kinds.iter().map(FoldKind::to_string).collect::<Vec<_>>().join(" and ")
}

/// Returns the checksum of bytes after others.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new_with_initial(before);
    sum.update(bytes);
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::super::decide_resumable;
    use super::super::folds::scan::ScanState;
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    fn place(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("linsep-journal-{}-{name}", std::process::id()))
    }

    fn decided(samples: &Samples, mut journal: Journal) -> Result<u64, String> {
        let options = DecideOptions::default().with_margin(MarginGoal::Max);
        let decision = decide_resumable(&Memory::new(samples), &options, &mut (), &mut journal);
        decision.map(|decision| decision.passes).map_err(|error| error.to_string())
    }

    /// Returns what comes of a journal in which one entry was changed, and its checksums made right.
    fn forged(
        name: &str,
        entry: usize,
        change: impl Fn(JournalEntry) -> JournalEntry,
    ) -> Result<u64, String> {
        let samples = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
        let path = place(name);
        decided(&samples, Journal::create(&path).unwrap()).unwrap();
        let mut entries = vec![];
        let mut journal = Journal::resume(&path).unwrap();
        while let Some(entry) = journal.next().unwrap() {
            entries.push(entry);
        }
        drop(journal);
        assert!(entries.len() > 3, "{} entries", entries.len());
        let changed = change(std::mem::replace(&mut entries[entry], JournalEntry::Nothing));
        entries[entry] = changed;
        let mut journal = Journal::create(&path).unwrap();
        entries.iter().for_each(|entry| journal.append(entry).unwrap());
        drop(journal);
        let found = decided(&samples, Journal::resume(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        found
    }

    /// Returns what comes of a journal in which the entry of a pass was changed.
    fn forged_pass(
        name: &str,
        entry: usize,
        change: impl Fn(&mut PassEntry),
    ) -> Result<u64, String> {
        forged(name, entry, |entry| match entry {
            JournalEntry::Pass(mut pass) => {
                change(&mut pass);
                JournalEntry::Pass(pass)
            }
            other => panic!("{other:?} is no pass"),
        })
    }

    fn change_scan(pass: &mut PassEntry, change: impl Fn(&mut ScanState)) {
        let mut state = decode(&pass.found).unwrap();
        change(&mut state);
        pass.found = encode(&state);
    }

    /// The fourth entry is that of the second pass, which is not made again.
    #[test]
    fn entries_that_do_not_fit_are_refused() {
        let whole = forged("as-it-was", 3, |entry| entry).unwrap();
        assert!(whole > 3);
        let unfit = |found: &str| {
            Err(format!("the checkpoint does not fit: expected scores, found {found}"))
        };
        let second = |change: &dyn Fn(&mut PassEntry)| forged_pass("second", 3, change);
        let other_kind = second(&|pass| pass.kinds = vec![FoldKind::Astray]);
        assert_eq!(other_kind, unfit("rows astray"));
        assert_eq!(
            second(&|pass| pass.kinds.push(FoldKind::Alike)),
            unfit("scores and rows alike")
        );
        assert_eq!(second(&|pass| pass.query ^= 1), unfit("other scores"));
        let damages: [&dyn Fn(&mut PassEntry); 6] = [
            &|pass| pass.found.truncate(pass.found.len() - 1),
            &|pass| pass.found.push(0),
            &|pass| pass.found.clear(),
            // A row that is not there, more rows than were asked for, and too few.
            &|pass| change_scan(pass, |scan| scan.found[0].1 = 3000),
            &|pass| change_scan(pass, |scan| scan.found = vec![(0.0, 0); 3000]),
            &|pass| change_scan(pass, |scan| scan.found.clear()),
        ];
        for change in damages {
            assert_eq!(second(change), unfit("damaged scores"));
        }
        assert_eq!(forged("nothing", 3, |_| JournalEntry::Nothing), unfit("nothing"));
        let data = || JournalEntry::Data(String::new());
        assert_eq!(forged("a-name", 3, |_| data()), unfit("the name of the data"));
        // The first pass is made, and must find the same.
        let found = forged_pass("first", 2, |pass| *pass.found.last_mut().unwrap() ^= 1);
        let found = found.unwrap_err();
        assert!(found.starts_with("the checkpoint does not fit: expected"), "{found}");
        let found = forged("data", 1, |_| data()).unwrap_err();
        assert_eq!(found, "the checkpoint is of another run: its data differ");
        assert!(forged("no-run", 0, |_| data()).unwrap_err().contains("expected a run, found"));
    }

    #[test]
    fn a_checkpoint_of_the_version_before_is_refused_and_replaced() {
        let path = place("version");
        std::fs::write(&path, "linsep decide checkpoint 2\n and what followed").unwrap();
        let error = Journal::resume(&path).unwrap_err();
        assert!(matches!(error, JournalError::OtherVersion));
        assert_eq!(error.to_string(), "the checkpoint has another version; start again without it");
        drop(Journal::create(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), FIRST_LINE.as_bytes());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn files_that_are_something_else_are_left_alone() {
        let path = place("foreign");
        std::fs::write(&path, "label,x\n").unwrap();
        assert!(matches!(Journal::create(&path), Err(JournalError::NotOne)));
        assert!(matches!(Journal::resume(&path), Err(JournalError::NotOne)));
        assert_eq!(std::fs::read(&path).unwrap(), b"label,x\n");
        // A part of the first line is what a kill leaves.
        for part in ["", "linsep de", &FIRST_LINE[..FIRST_LINE.len() - 1]] {
            std::fs::write(&path, part).unwrap();
            drop(Journal::resume(&path).unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), FIRST_LINE.as_bytes());
        }
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(Journal::resume(&path), Err(JournalError::Unreadable(_))));
    }
}
