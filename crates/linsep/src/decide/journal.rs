//! The journal of a decision: what each pass has found, in a file that outlives the process.
//!
//! ```text
//! file      linsep decide checkpoint VERSION newline, then entries
//! entry     length of the body, body, checksum of the body and of all before: one write
//! entries   the run (shape, options), the name of the data, then kind, question and findings of each pass
//! ```
//!
//! The engine does the same things again if its passes find the same things, so findings are all that has to
//! be kept. A kill loses the pass under way, and at most a part of the last entry is written: from the first
//! entry on that is not whole, the file is cut off.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use linsep_data::kept::{Bytes, Kept};
use linsep_data::{Data, Shape};
use linsep_proof::MarginKind;

use super::options::{DecideOptions, MarginGoal};
use crate::random::draw;

/// What the file starts with. The number is the version of what follows.
const FIRST_LINE: &str = "linsep decide checkpoint 1\n";
/// The first checksum.
const START: u64 = 0;

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
    #[error("the checkpoint has another version")]
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
    checksum: u64,
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
        Journal { file: BufReader::new(file), length: 0, checksum: START, ended: false }
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
        let ours = of_run(data, options);
        let Some(body) = self.next()? else {
            return self.append(&ours.map(|(_, bytes)| bytes).concat());
        };
        let mut rest = body.as_slice();
        for (what, bytes) in ours {
            rest = rest.strip_prefix(&bytes[..]).ok_or(JournalError::OtherRun { what })?;
        }
        Ok(())
    }

    /// Enters the name of the data, or compares it with what the journal says.
    pub(super) fn enter_data(&mut self, name: &str) -> Result<(), JournalError> {
        match self.next()? {
            Some(body) if body == name.as_bytes() => Ok(()),
            Some(_) => Err(JournalError::OtherRun { what: "data" }),
            None => self.append(name.as_bytes()),
        }
    }

    /// Returns the fold with what the next entry says that it has found, or the fold as it was if all entries
    /// have been read.
    pub(super) fn restore<F: Kept>(
        &mut self,
        mut fold: F,
        shape: Shape,
    ) -> Result<Result<F, F>, JournalError> {
        let Some(body) = self.next()? else {
            return Ok(Err(fold));
        };
        let mut from = body.as_slice();
        let nothing = || ("nothing".to_string(), 0);
        let (kind, asked) = Bytes::take(&mut from).unwrap_or_else(nothing);
        let expected = fold.kind();
        if kind != expected {
            return Err(JournalError::Unfit { expected, found: kind });
        }
        if asked != question(&fold) {
            return Err(JournalError::Unfit { expected, found: format!("other {kind}") });
        }
        match fold.restore_complete(&mut from, shape) {
            Some(()) if from.is_empty() => Ok(Ok(fold)),
            _ => Err(JournalError::Unfit { expected, found: format!("damaged {kind}") }),
        }
    }

    /// Appends what a fold has found.
    pub(super) fn keep<F: Kept>(&mut self, fold: &F) -> Result<(), JournalError> {
        self.append(&entry(fold))
    }

    /// Enters what a fold has found, or compares it with what the next entry says.
    pub(super) fn confirm<F: Kept>(&mut self, fold: &F) -> Result<(), JournalError> {
        let ours = entry(fold);
        match self.next()? {
            None => self.append(&ours),
            Some(body) if body == ours => Ok(()),
            Some(body) => {
                let kind = String::take(&mut body.as_slice()).unwrap_or_default();
                let found = format!("other {kind}");
                Err(JournalError::Unfit { expected: fold.kind(), found })
            }
        }
    }

    /// Returns the body of the next whole entry.
    fn next(&mut self) -> Result<Option<Vec<u8>>, JournalError> {
        if self.ended {
            return Ok(None);
        }
        let found = self.read().map_err(JournalError::Unreadable)?;
        self.ended = found.is_none();
        Ok(found)
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(length) = self.number()? else {
            return Ok(None);
        };
        let mut body = vec![];
        self.file.by_ref().take(length).read_to_end(&mut body)?;
        if body.len() as u64 != length {
            return Ok(None);
        }
        let sum = checksum(self.checksum, &body);
        if self.number()? != Some(sum) {
            return Ok(None);
        }
        self.checksum = sum;
        self.length += 16 + length;
        Ok(Some(body))
    }

    fn number(&mut self) -> io::Result<Option<u64>> {
        let mut bytes = vec![];
        self.file.by_ref().take(8).read_to_end(&mut bytes)?;
        Ok(u64::take(&mut bytes.as_slice()))
    }

    fn append(&mut self, body: &[u8]) -> Result<(), JournalError> {
        let mut bytes = Vec::with_capacity(body.len() + 16);
        body.len().put(&mut bytes);
        bytes.extend(body);
        self.checksum = checksum(self.checksum, body);
        self.checksum.put(&mut bytes);
        self.write(&bytes)
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

/// Returns all on which the course of a run depends, limits and the rows themselves excluded.
fn of_run(data: &dyn Data, options: &DecideOptions) -> [(&'static str, Vec<u8>); 5] {
    let Shape { rows, columns, sparse } = data.shape();
    let (goal, kind) = (options.margin == MarginGoal::Max, options.kind == MarginKind::Geometric);
    let bytes = |value: &dyn Fn(&mut Vec<u8>)| {
        let mut out = vec![];
        value(&mut out);
        out
    };
    [
        ("numbers of rows or features", bytes(&|out| (rows, columns, sparse).put(out))),
        ("places of the data", bytes(&|out| data.fits().put(out))),
        ("goals for the margin", bytes(&|out| goal.put(out))),
        ("kinds of margin", bytes(&|out| kind.put(out))),
        ("gaps", bytes(&|out| options.gap.put(out))),
    ]
}

/// Returns the body of a fold's entry.
fn entry<F: Kept>(fold: &F) -> Vec<u8> {
    let mut body = vec![];
    (fold.kind(), question(fold)).put(&mut body);
    fold.save(&mut body);
    body
}

/// Returns a number that tells one question from another.
fn question<F: Kept>(fold: &F) -> u64 {
    let mut asked = vec![];
    fold.question(&mut asked);
    checksum(START, &asked)
}

/// Returns a number that depends on every byte, and on what came before.
fn checksum(before: u64, bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| draw(&mut (sum ^ word));
    bytes.chunks(8).fold(mix(before, bytes.len() as u64), |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(sum, u64::from_le_bytes(word))
    })
}

#[cfg(test)]
mod tests {
    use super::super::decide_resumable;
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    type Change<'a> = &'a dyn Fn(&mut Vec<u8>);

    fn place(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("linsep-journal-{}-{name}", std::process::id()))
    }

    fn decided(samples: &Samples, mut journal: Journal) -> Result<u64, String> {
        let options = DecideOptions::default().with_margin(MarginGoal::Max);
        let decision = decide_resumable(&Memory::new(samples), &options, &mut (), &mut journal);
        decision.map(|decision| decision.passes).map_err(|error| error.to_string())
    }

    /// Returns what comes of a journal in which the body of one entry was changed, and its checksums made
    /// right.
    fn forged(name: &str, entry: usize, change: impl Fn(&mut Vec<u8>)) -> Result<u64, String> {
        let samples = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
        let path = place(name);
        decided(&samples, Journal::create(&path).unwrap()).unwrap();
        let mut bodies = vec![];
        let mut journal = Journal::resume(&path).unwrap();
        while let Some(body) = journal.next().unwrap() {
            bodies.push(body);
        }
        drop(journal);
        assert!(bodies.len() > 3, "{} entries", bodies.len());
        change(&mut bodies[entry]);
        let mut journal = Journal::create(&path).unwrap();
        bodies.iter().for_each(|body| journal.append(body).unwrap());
        drop(journal);
        let found = decided(&samples, Journal::resume(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        found
    }

    /// The fourth entry is that of the second pass, which is not made again.
    #[test]
    fn entries_that_do_not_fit_are_refused() {
        let whole = forged("as-it-was", 3, |_| {}).unwrap();
        assert!(whole > 3);
        let unfit = "the checkpoint does not fit: expected scores, found ";
        // After length and word: the question, the mistakes, the number of rows, the score and the row.
        let at = 8 + "scores".len();
        let other_kind = |body: &mut Vec<u8>| {
            let mut kind = vec![];
            "rows astray".to_string().put(&mut kind);
            body.splice(0..at, kind);
        };
        let changes: [(&str, Change); 8] = [
            ("rows astray", &other_kind),
            ("other scores", &|body| body[at] ^= 1),
            ("damaged scores", &|body| body.truncate(body.len() - 1)),
            ("damaged scores", &|body| body.push(0)),
            ("damaged scores", &|body| body[at + 16] ^= 1),
            ("damaged scores", &|body| body[at + 16 + 7] = 255),
            ("damaged scores", &|body| body[at + 8 + 16 + 8 + 7] = 1),
            ("nothing", &|body| body.clear()),
        ];
        for (found, change) in changes {
            assert_eq!(forged("second", 3, change), Err(format!("{unfit}{found}")));
        }
        // The first pass is made, and must find the same.
        let found = forged("first", 2, |b| *b.last_mut().unwrap() ^= 1).unwrap_err();
        assert!(found.starts_with("the checkpoint does not fit: expected"), "{found}");
        let found = forged("data", 1, |b| b[0] ^= 1).unwrap_err();
        assert_eq!(found, "the checkpoint is of another run: its data differ");
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
