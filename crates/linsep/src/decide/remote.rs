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
//! in the pass before, the data has changed.
//!
//! Sums are on a grid and the rest are counts, minima and rows in order, so neither the cut of the rows nor
//! the order of merging changes a bit. Nothing that travels is as long as the data.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use dashu_int::IBig;
use linsep_data::error::{Error, ErrorKind};
use linsep_data::kept::{Bytes, Job};
use linsep_data::samples::About;
use linsep_data::{Absorb, Block, Data, Reads, Samples, Shape};
use linsep_proof::exact::ExactPlane;
use linsep_proof::look;

use super::exact::modular::{PRIMES, Prime, Residues};
use super::folds::alike::Alike;
use super::folds::astray::Astray;
use super::folds::class_sums::ClassSums;
use super::folds::first_look::FirstLook;
use super::folds::logistic::LogisticLine;
use super::folds::off_span::OffSpan;
use super::folds::on_planes::{self, OnPlanes};
use super::folds::one_sided::OneSided;
use super::folds::scan::Scan;
use super::folds::step_size::StepSize;
use super::mirrored::{Mirror, Shown};

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
    work(request, seen, Job::Absorb(rows))
}

/// Returns what the folds of a request have found in two parts of the rows together. Nothing if the bytes
/// cannot be that.
pub fn merge(request: &[u8], mut one: &[u8], mut other: &[u8]) -> Option<Vec<u8>> {
    let (a, b) = (Seen::take(&mut one)?, Seen::take(&mut other)?);
    let rows = a.rows.checked_add(b.rows)?;
    work(request, Seen { rows, stamp: a.stamp.wrapping_add(b.stamp) }, Job::Merge(one, other))
}

fn work(mut request: &[u8], seen: Seen, job: Job) -> Option<Vec<u8>> {
    let (rows, columns, sparse) = Bytes::take(&mut request)?;
    let mut shape = Shape { rows, columns, sparse };
    if let Job::Absorb(blocks) = &job {
        let fits = |block: &Block| {
            let end = block.number(block.places().start).checked_add(block.places().len());
            block.samples().columns() == columns && end.is_some_and(|end| end <= rows)
        };
        blocks.iter().all(fits).then_some(())?;
    }
    // The folds may look at rows that are made of these.
    let (shown, blocks);
    let mut job = job;
    if let Some(mirror) = Mirror::asked(&mut request, shape)? {
        if let Job::Absorb(rows) = job {
            shown = mirror.shown(rows, shape).ok()?;
            blocks = shown.iter().flat_map(Shown::blocks).collect::<Vec<_>>();
            job = Job::Absorb(&blocks);
        }
        shape = mirror.shape(shape);
    }
    let mut found = vec![];
    seen.put(&mut found);
    while !request.is_empty() {
        one(&mut request, shape, &mut job, &mut found)?;
    }
    job.is_done().then_some(found)
}

/// Does the job for the next fold of a request.
fn one(from: &mut &[u8], shape: Shape, job: &mut Job, out: &mut Vec<u8>) -> Option<()> {
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
}

impl<'a> Remote<'a> {
    /// Returns the rows of a cluster, of which so much is known.
    pub fn new(cluster: &'a dyn Cluster, shape: Shape, about: Arc<About>) -> Self {
        Remote { cluster, shape, about, reads: Reads::default(), stamp: OnceLock::new() }
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
        seen.accept(found, self.shape).ok_or_else(no_answer)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.cluster.fetch(rows)
    }

    fn in_order(
        &self,
        _first: usize,
        _see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        Err(unsupported("rows in order from a cluster"))
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

fn no_answer() -> Error {
    let what = "what the cluster has found is no answer to what was asked".to_string();
    ErrorKind::Damaged { what }.into()
}

fn unsupported(found: &str) -> Error {
    let (found, expected) = (found.to_string(), "what a fold can ask for");
    ErrorKind::Unsupported { found, expected }.into()
}
