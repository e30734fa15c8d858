//! Rows on other machines: what a pass asks for goes to them, and what they find comes back.
//!
//! ```text
//! here             request = version, shape of the data, how rows are shown if not as they are, queries
//! where rows are   answer(request, some rows, their stamp)  ->  the states of the queries after these rows
//! on the way       merge(request, a, b)                     ->  the same for the rows of both, in any order
//! here             the pass takes over the states of all rows
//! ```
//!
//! All of it is plain data: serde's values in postcard's bytes. An answer also says how many rows it is about and the
//! sum of their stamps: with other rows than in the pass before, the data has changed. And it brings some rows
//! along, of those that the queries name and that are looked at next as a rule: to fetch them later would take
//! another read.
//!
//! In reading order: this file asks and answers, [`rows`] makes bytes of rows.
//!
//! Sums are on a grid and the rest are counts, minima and rows in order, so neither the cut of the rows nor
//! the order of merging changes a bit. Nothing that travels is as long as the data.

pub mod rows;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::About;
use linsep_data::{Absorb, Answerable, Block, Data, Reads, Samples, Shape};
use serde::{Deserialize, Serialize};

use super::mirrored::{Mirror, ShownBlock};
use crate::queries::{AskedFold, FoldFindings, complete, decode, encode, take};
use rows::{Gathered, KnownRows, Runs};

/// Rows that are sent beyond the share of those that are named: chance may have put more of them here.
const SENT_ROWS: usize = 8;
/// What requests of this version begin with.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a pass asks, as it travels.
#[derive(Serialize, Deserialize)]
struct PassRequest {
    /// The version of linsep: bytes of another one may mean something else.
    version: String,
    shape: Shape,
    /// How rows are shown, if not as they are.
    mirror: Option<Mirror>,
    asked: Vec<AskedFold>,
}

impl PassRequest {
    /// Returns the request that the bytes are. Nothing if they cannot be understood here.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        // The version is looked at first, since what follows it may be anything.
        let mut front = bytes;
        (take::<String>(&mut front)? == VERSION).then_some(())?;
        decode(bytes).filter(PassRequest::is_sound)
    }

    fn is_sound(&self) -> bool {
        let shape = self.shown();
        // Counts of two parts can be added up, and one to the columns.
        shape.rows.max(shape.columns) <= isize::MAX as usize
            && self.mirror.iter().all(|mirror| mirror.fits(self.shape))
            && self.asked.iter().all(|fold| fold.fits(shape))
    }

    /// Returns the shape that rows have where they are shown.
    fn shown(&self) -> Shape {
        self.mirror.as_ref().map_or(self.shape, |mirror| mirror.shape(self.shape))
    }

    /// Returns what is found in some rows. Nothing if they are of other data.
    fn absorb(&self, rows: &[Block<'_>]) -> Option<FoldFindings> {
        let fits = |block: &Block| {
            let end = block.number(block.places().start).checked_add(block.places().len());
            block.samples().columns() == self.shape.columns
                && end.is_some_and(|end| end <= self.shape.rows)
        };
        // Without a block the number of columns cannot be checked.
        (!rows.is_empty() && rows.iter().all(fits)).then_some(())?;
        let mut findings = FoldFindings::default();
        match &self.mirror {
            None => self.asked.iter().for_each(|fold| fold.absorb(rows, &mut findings)),
            Some(mirror) => {
                let shown = mirror.shown(rows).ok()?;
                let blocks: Vec<Block> = shown.iter().flat_map(ShownBlock::blocks).collect();
                self.asked.iter().for_each(|fold| fold.absorb(&blocks, &mut findings));
            }
        }
        Some(self.with_originals(findings))
    }

    /// Returns what was found in the rows of both. Nothing if the bytes cannot be that.
    fn merge(&self, mut one: &[u8], mut other: &[u8]) -> Option<FoldFindings> {
        let (shape, mut findings) = (self.shown(), FoldFindings::default());
        for fold in &self.asked {
            fold.merge(&mut one, &mut other, shape, &mut findings)?;
        }
        let done = one.is_empty() && other.is_empty();
        done.then(|| self.with_originals(findings))
    }

    /// Returns the same with the rows of the data in place of those that are shown.
    fn with_originals(&self, mut findings: FoldFindings) -> FoldFindings {
        if let Some(mirror) = &self.mirror {
            findings.named = mirror.originals(&findings.named, self.shape);
        }
        findings
    }

    /// Returns the rows to send of those that are named in `rows` rows: twice their share in what all rows name.
    fn sent<'a>(&self, named: &'a [usize], rows: usize) -> impl Iterator<Item = usize> + use<'a> {
        let share = 2 * (named.len() as u128 * rows as u128 / self.shape.rows.max(1) as u128);
        named.iter().copied().take((share as usize).saturating_add(SENT_ROWS))
    }
}

/// What was found in some rows, as it travels.
#[derive(Serialize, Deserialize)]
struct PartAnswer {
    /// How many rows it is about, and the sum of their stamps.
    rows: usize,
    stamp: u64,
    /// Rows that are looked at next, and their numbers. No bytes if there are none.
    sent: Vec<u8>,
    numbers: Runs,
    /// The states.
    found: Vec<u8>,
}

impl PartAnswer {
    fn new(rows: usize, stamp: u64, sent: Gathered, found: Vec<u8>) -> Option<Self> {
        let (sent, numbers) = match sent.is_empty() {
            true => Default::default(),
            false => sent.pack().ok()?,
        };
        Some(PartAnswer { rows, stamp, sent, numbers, found })
    }

    /// Adds those rows that are wanted. Nothing if the bytes are not rows.
    fn add_to(&self, all: &mut Gathered, wanted: impl Fn(usize) -> bool) -> Option<()> {
        match self.sent.is_empty() {
            true => Some(()),
            false => all.push_packed(self.numbers.numbers(), &self.sent, wanted),
        }
    }
}

/// Returns what the queries of a request find in some rows. Nothing if the request cannot be understood, is
/// about other rows, or if no block is shown.
///
/// The `stamp` is the sum, which may wrap, of a number for each of the rows that depends on all that is in it:
/// whoever holds the rows says how rows are known to be the same.
pub fn answer(request: &[u8], rows: &[Block<'_>], stamp: u64) -> Option<Vec<u8>> {
    let request = PassRequest::from_bytes(request)?;
    let count = rows.iter().map(|block| block.places().len()).sum();
    let findings = request.absorb(rows)?;
    let mut sent = Gathered::new(request.shape.sparse);
    // An empty block begins where another does, and has no row.
    let mut sorted: Vec<&Block> = rows.iter().filter(|block| !block.places().is_empty()).collect();
    sorted.sort_unstable_by_key(|block| block.number(block.places().start));
    for number in request.sent(&findings.named, count) {
        let after = sorted.partition_point(|block| block.number(block.places().start) <= number);
        let block = sorted.get(after.checked_sub(1)?)?;
        let place = block.places().start + number - block.number(block.places().start);
        block.places().contains(&place).then_some(())?;
        sent.push(block.samples(), place, number)?;
    }
    Some(encode(&PartAnswer::new(count, stamp, sent, findings.bytes)?))
}

/// Returns what the queries of a request have found in two parts of the rows together. Nothing if the bytes
/// cannot be that.
pub fn merge(request: &[u8], one: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let request = PassRequest::from_bytes(request)?;
    let (one, other): (PartAnswer, PartAnswer) = (decode(one)?, decode(other)?);
    let rows = one.rows.checked_add(other.rows)?;
    let stamp = one.stamp.wrapping_add(other.stamp);
    let findings = request.merge(&one.found, &other.found)?;
    let wanted: HashSet<usize> = request.sent(&findings.named, rows).collect();
    let mut sent = Gathered::new(request.shape.sparse);
    one.add_to(&mut sent, |number| wanted.contains(&number))?;
    other.add_to(&mut sent, |number| wanted.contains(&number))?;
    Some(encode(&PartAnswer::new(rows, stamp, sent, findings.bytes)?))
}

/// Machines that hold the rows. The data has changed if one sends more or fewer rows, or others, than before.
pub trait Cluster: Sync {
    /// Returns what the folds of a request find in all rows: the [`answer`]s of their parts, [merged](merge).
    ///
    /// Errors if a machine fails for good.
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error>;

    /// Returns a copy of these rows in the order in which they are named.
    ///
    /// Errors as [`Cluster::ask`] does.
    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error>;
}

/// The rows of a cluster as data. They can be decided and verified; online methods, which visit rows in
/// order, cannot learn from them.
pub struct Remote<'a> {
    cluster: &'a dyn Cluster,
    shape: Shape,
    about: Arc<About>,
    reads: Reads,
    /// The stamp of all rows, once they have been seen.
    stamp: OnceLock<u64>,
    /// Rows that were looked at here.
    known: Mutex<KnownRows>,
    /// Rows that came with the last answer.
    sent: Mutex<KnownRows>,
}

impl<'a> Remote<'a> {
    /// Returns the rows of a cluster, given their `shape` and what `about` says of them.
    pub fn new(cluster: &'a dyn Cluster, shape: Shape, about: Arc<About>) -> Self {
        let (reads, stamp) = (Reads::default(), OnceLock::new());
        let (known, sent) = (Mutex::default(), Mutex::default());
        Remote { cluster, shape, about, reads, stamp, known, sent }
    }

    /// Returns the same for rows that have been seen before, with this stamp.
    pub fn with_stamp(self, stamp: u64) -> Self {
        Remote { stamp: stamp.into(), ..self }
    }

    /// Returns the request for these queries. Returns `None` if one is not on the list of those that travel.
    fn request(&self, asked: &dyn Answerable) -> Option<PassRequest> {
        let mirror = match asked.shown_by() {
            Some(mirror) => Some(mirror.downcast_ref::<Mirror>()?.clone()),
            None => None,
        };
        let shape = mirror.as_ref().map_or(self.shape, |mirror| mirror.shape(self.shape));
        let asked = crate::queries::asked(&asked.queries(), shape)?;
        Some(PassRequest { version: VERSION.to_string(), shape: self.shape, mirror, asked })
    }

    /// Keeps rows that came with an answer, in the place of those before.
    fn keep(&self, answer: &PartAnswer) -> Result<(), Error> {
        let mut rows = Gathered::new(self.shape.sparse);
        answer.add_to(&mut rows, |_| true).ok_or_else(no_answer)?;
        let mut kept = KnownRows::default();
        if !rows.is_empty() {
            let (samples, runs) = rows.samples()?;
            kept.add(samples, runs.numbers());
        }
        *lock(&self.sent) = kept;
        Ok(())
    }
}

impl Data for Remote<'_> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn pass(&self, _: &dyn Absorb) -> Result<(), Error> {
        Err(unsupported("rows that stay where they are"))
    }

    fn ask(&self, asked: &dyn Answerable) -> Result<(), Error> {
        let request =
            self.request(asked).ok_or_else(|| unsupported("a query that cannot travel"))?;
        self.reads.add(self.shape.rows as u64);
        let found = self.cluster.ask(&encode(&request))?;
        let answer: PartAnswer = decode(&found).ok_or_else(no_answer)?;
        let stamp = *self.stamp.get_or_init(|| answer.stamp);
        if (answer.rows, answer.stamp) != (self.shape.rows, stamp) {
            return Err(ErrorKind::Changed.into());
        }
        self.keep(&answer)?;
        let states = complete(&request.asked, &answer.found, request.shown());
        states.and_then(|states| asked.accept(states)).ok_or_else(no_answer)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        let (mut known, sent) = (lock(&self.known), lock(&self.sent));
        let unknown = |row: &usize| known.get(*row).or_else(|| sent.get(*row)).is_none();
        let mut missing: Vec<usize> = rows.iter().copied().filter(unknown).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            known.add(self.cluster.fetch(&missing)?, missing.into_iter());
        }
        let mut all = Gathered::new(self.shape.sparse);
        for &row in rows {
            let (samples, place) =
                known.get(row).or_else(|| sent.get(row)).ok_or_else(no_answer)?;
            all.push(samples, place, row).ok_or_else(no_answer)?;
        }
        let samples = all.samples()?.0.with_about(self.about.clone());
        let new = rows.iter().any(|row| known.get(*row).is_none());
        if new {
            known.add(samples.clone(), rows.iter().copied());
        }
        Ok(samples)
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_answer() -> Error {
    let what = "what the cluster has found is no answer to what was asked".to_string();
    ErrorKind::Damaged { what }.into()
}

fn unsupported(found: &str) -> Error {
    let (found, expected) = (found.to_string(), "what a fold can ask for");
    ErrorKind::Unsupported { found, expected }.into()
}
