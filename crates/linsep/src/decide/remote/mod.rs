//! Rows on other machines: what a pass asks for goes to them, and what they find comes back.
//!
//! ```text
//! here             request = shape of the data, how rows are shown if not as they are, then what each
//!                            fold looks for and asks for
//! where rows are   answer(request, some rows, their stamp)  ->  what the folds have found in them, as bytes
//! on the way       merge(request, a, b)                     ->  the same for the rows of both, in any order
//! here             the folds take over what was found in all rows
//! ```
//!
//! An answer begins with how many rows it is about and with the sum of their stamps: with other rows than
//! in the pass before, the data has changed. Then come some rows themselves, of those that the folds name and
//! that are looked at next as a rule: to fetch them later would take another read.
//!
//! In reading order: this file asks and answers, [`rows`] makes bytes of rows.
//!
//! Sums are on a grid and the rest are counts, minima and rows in order, so neither the cut of the rows nor
//! the order of merging changes a bit. Nothing that travels is as long as the data.

pub mod rows;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dashu_int::IBig;
use linsep_data::error::{Error, ErrorKind};
use linsep_data::kept::{Bytes, Findings, Job};
use linsep_data::samples::About;
use linsep_data::{Absorb, Block, Data, Reads, Samples, Shape};
use linsep_proof::exact::ExactPlane;
use linsep_proof::look;

use super::exact::modular::{PRIMES, Prime, Residues};
use super::folds::alike::Alike;
use super::folds::astray::Astray;
use super::folds::class_sums::ClassSums;
use super::folds::constants::Constants;
use super::folds::directions::Directions;
use super::folds::first_look::FirstLook;
use super::folds::logistic::LogisticLine;
use super::folds::off_span::OffSpan;
use super::folds::on_planes::{self, OnPlanes};
use super::folds::one_sided::OneSided;
use super::folds::scan::Scan;
use super::folds::step_size::StepSize;
use super::mirrored::{Mirror, Shown};
use rows::{Gathered, Known, Runs};

/// Rows that are sent beyond the share of those that are named: chance may have put more of them here.
const SENT_ROWS: usize = 8;

/// How many rows an answer is about, and the sum of their stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    rows: usize,
    stamp: u64,
}

impl Seen {
    fn put(self, out: &mut Vec<u8>) {
        (self.rows, self.stamp).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (rows, stamp) = Bytes::take(from)?;
        Some(Seen { rows, stamp })
    }
}

/// Returns what the folds of a request find in some rows. Nothing if the request cannot be understood, or is
/// about other rows.
///
/// The `stamp` is the sum, which may wrap, of a number for each of the rows that depends on all that is in it:
/// whoever holds the rows says how rows are known to be the same.
pub fn answer(request: &[u8], rows: &[Block<'_>], stamp: u64) -> Option<Vec<u8>> {
    let seen = Seen { rows: rows.iter().map(|block| block.places().len()).sum(), stamp };
    let found = work(request, Job::Absorb(rows))?;
    let mut sent = Gathered::new(found.shape.sparse);
    // An empty block begins where another does, and has no row.
    let mut sorted: Vec<&Block> = rows.iter().filter(|block| !block.places().is_empty()).collect();
    sorted.sort_unstable_by_key(|block| block.number(block.places().start));
    for number in found.sent(seen) {
        let after = sorted.partition_point(|block| block.number(block.places().start) <= number);
        let block = sorted.get(after.checked_sub(1)?)?;
        let place = block.places().start + number - block.number(block.places().start);
        block.places().contains(&place).then_some(())?;
        sent.push(block.samples(), place, number)?;
    }
    found.answer(seen, sent)
}

/// Returns what the folds of a request have found in two parts of the rows together. Nothing if the bytes
/// cannot be that.
pub fn merge(request: &[u8], mut one: &[u8], mut other: &[u8]) -> Option<Vec<u8>> {
    let (a, b) = (Seen::take(&mut one)?, Seen::take(&mut other)?);
    let seen = Seen { rows: a.rows.checked_add(b.rows)?, stamp: a.stamp.wrapping_add(b.stamp) };
    let (rows_of_one, rows_of_other) = (Sent::take(&mut one)?, Sent::take(&mut other)?);
    let found = work(request, Job::Merge(one, other))?;
    let wanted: HashSet<usize> = found.sent(seen).collect();
    let mut sent = Gathered::new(found.shape.sparse);
    rows_of_one.add_to(&mut sent, |number| wanted.contains(&number))?;
    rows_of_other.add_to(&mut sent, |number| wanted.contains(&number))?;
    found.answer(seen, sent)
}

/// Rows in an answer, and their numbers. No bytes if there are none.
struct Sent {
    numbers: Vec<u8>,
    rows: Vec<u8>,
}

impl Sent {
    fn take(from: &mut &[u8]) -> Option<Self> {
        let (numbers, rows) = Bytes::take(from)?;
        Some(Sent { numbers, rows })
    }

    /// Adds those that are wanted. Nothing if the bytes are not rows.
    fn add_to(&self, all: &mut Gathered, wanted: impl Fn(usize) -> bool) -> Option<()> {
        match self.rows.is_empty() {
            true => Some(()),
            false => {
                all.push_packed(Runs::from_bytes(&self.numbers)?.numbers(), &self.rows, wanted)
            }
        }
    }
}

/// What the folds of a request have found in data of this shape.
struct Found {
    shape: Shape,
    findings: Findings,
}

impl Found {
    /// Returns the rows to send of those that are named in these: twice their share in what all rows name.
    fn sent(&self, seen: Seen) -> impl Iterator<Item = usize> {
        let Found { shape, findings: Findings { named, .. } } = self;
        let share = 2 * (named.len() as u128 * seen.rows as u128 / shape.rows.max(1) as u128);
        named.iter().copied().take(share as usize + SENT_ROWS)
    }

    fn answer(self, seen: Seen, sent: Gathered) -> Option<Vec<u8>> {
        let mut out = vec![];
        seen.put(&mut out);
        let (rows, numbers) = match sent.is_empty() {
            true => Default::default(),
            false => sent.pack().ok()?,
        };
        (numbers.to_bytes(), rows).put(&mut out);
        out.extend(self.findings.bytes);
        Some(out)
    }
}

fn work(mut request: &[u8], job: Job) -> Option<Found> {
    let (rows, columns, sparse) = Bytes::take(&mut request)?;
    let data = Shape { rows, columns, sparse };
    if let Job::Absorb(blocks) = &job {
        let fits = |block: &Block| {
            let end = block.number(block.places().start).checked_add(block.places().len());
            block.samples().columns() == columns && end.is_some_and(|end| end <= rows)
        };
        blocks.iter().all(fits).then_some(())?;
    }
    // The folds may look at rows that are made of these.
    let (shown, blocks);
    let (mut job, mut shape) = (job, data);
    let mirror = Mirror::asked(&mut request, data)?;
    if let Some(mirror) = &mirror {
        if let Job::Absorb(rows) = job {
            shown = mirror.shown(rows).ok()?;
            blocks = shown.iter().flat_map(Shown::blocks).collect::<Vec<_>>();
            job = Job::Absorb(&blocks);
        }
        shape = mirror.shape(data);
    }
    let mut findings = Findings::default();
    while !request.is_empty() {
        one(&mut request, shape, &mut job, &mut findings)?;
    }
    if let Some(mirror) = &mirror {
        findings.named = mirror.originals(&findings.named, data);
    }
    job.is_done().then_some(Found { shape: data, findings })
}

/// Does the job for the next fold of a request.
fn one(from: &mut &[u8], shape: Shape, job: &mut Job, out: &mut Findings) -> Option<()> {
    match String::take(from)?.as_str() {
        "first look" => job.on(FirstLook::new(shape), shape, out),
        "scores" => job.on(Scan::asked(from, shape)?, shape, out),
        "logistic loss" => job.on(LogisticLine::asked(from, shape)?, shape, out),
        "class sums" => {
            let fits = usize::take(from)? == shape.columns + 1;
            job.on(fits.then(|| ClassSums::new(shape))?, shape, out)
        }
        "features of one sign" => {
            let fits = usize::take(from)? == shape.columns;
            job.on(fits.then(|| OneSided::new(shape))?, shape, out)
        }
        "rows alike" => job.on(Alike::asked(from, shape)?, shape, out),
        "rows off a span" => {
            let (vector, prime, keep): (Vec<u64>, u64, usize) = Bytes::take(from)?;
            let fits = vector.len() == shape.columns + 1 && PRIMES.contains(&prime);
            let residues = fits.then(|| Residues::new(Prime(prime)))?;
            job.on(OffSpan::new(&vector, &residues, keep), shape, out)
        }
        "rows astray" => {
            let (w, strict, most): (Vec<Vec<u8>>, bool, usize) = Bytes::take(from)?;
            let w: Vec<IBig> = w.iter().map(|bytes| IBig::from_le_bytes(bytes)).collect();
            let (bias, weights) = w.split_last().filter(|_| w.len() == shape.columns + 1)?;
            let plane = ExactPlane::new(weights, bias);
            job.on(Astray::new(&w, &plane, strict, most), shape, out)
        }
        "rows on hyperplanes" => {
            let vectors = on_planes::take(from, shape.columns)?;
            let (planes, most) = (on_planes::planes(&vectors), usize::take(from)?);
            job.on(OnPlanes::new(&planes, most), shape, out)
        }
        "rows astray of several" => {
            let vectors = on_planes::take(from, shape.columns)?;
            let planes = on_planes::planes(&vectors);
            let (strict, most) = Bytes::take(from)?;
            job.on(Directions::new(&planes, strict, most), shape, out)
        }
        "constant columns" => job.on(Constants::default(), shape, out),
        "step size" => {
            let vectors = on_planes::take(from, shape.columns)?;
            let planes = on_planes::planes(&vectors);
            let (start, step): (Vec<f64>, Vec<f64>) = Bytes::take(from)?;
            let fit = start.len() == shape.columns + 1 && step.len() == start.len();
            job.on(fit.then(|| StepSize::new(&planes, &start, &step))?, shape, out)
        }
        look::KIND => look::look(from, shape, job, out),
        _ => None,
    }
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
    known: Mutex<Known>,
    /// Rows that came with the last answer.
    sent: Mutex<Known>,
}

impl<'a> Remote<'a> {
    /// Returns the rows of a cluster, of which so much is known.
    pub fn new(cluster: &'a dyn Cluster, shape: Shape, about: Arc<About>) -> Self {
        let (reads, stamp) = (Reads::default(), OnceLock::new());
        let (known, sent) = (Mutex::default(), Mutex::default());
        Remote { cluster, shape, about, reads, stamp, known, sent }
    }

    /// Returns the same for rows that have been seen before, with this stamp.
    pub fn with_stamp(self, stamp: u64) -> Self {
        Remote { stamp: stamp.into(), ..self }
    }

    /// Keeps rows that came with an answer, in the place of those before.
    fn keep(&self, sent: &Sent) -> Result<(), Error> {
        let mut rows = Gathered::new(self.shape.sparse);
        sent.add_to(&mut rows, |_| true).ok_or_else(no_answer)?;
        let mut kept = Known::default();
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

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        let Shape { rows, columns, sparse } = self.shape;
        let asked = seen.request().ok_or_else(|| unsupported("a pass that cannot travel"))?;
        let mut request = vec![];
        (rows, columns, sparse).put(&mut request);
        request.extend(asked);
        self.reads.add(rows as u64);
        let found = self.cluster.ask(&request)?;
        let mut found = found.as_slice();
        let all = Seen::take(&mut found).ok_or_else(no_answer)?;
        if all != (Seen { rows, stamp: *self.stamp.get_or_init(|| all.stamp) }) {
            return Err(ErrorKind::Changed.into());
        }
        self.keep(&Sent::take(&mut found).ok_or_else(no_answer)?)?;
        seen.accept(found, self.shape).ok_or_else(no_answer)
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
