//! Labelled rows, wherever they are: one trait for memory, files and clusters.
//!
//! [`Data`] shows its rows in blocks, in any order and from several threads, to a [`Fold`]. What a
//! fold has found must not depend on how the rows were cut into blocks, on their order, or on which
//! of its copies saw which block: counts, minima and sums of terms that are rounded to one grid do not. So the
//! same bits come out of memory, of a file and of a cluster. Nothing in a fold is as long as the
//! data, and it owns what it asks for.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::{Error, ErrorKind};
use crate::samples::{About, Features, RowIds, Samples};

/// Values of a block in memory: what stays in a core's own cache while several folds look at it.
const BLOCK_VALUES: usize = 1 << 15;

/// How many rows there are, and what they look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of rows.
    pub rows: usize,
    /// Number of features.
    pub columns: usize,
    /// Whether rows store only some of their features.
    pub sparse: bool,
}

/// Labelled rows that can be read again and again.
///
/// Rows are counted from 0. All values are finite, and both classes occur.
pub trait Data: Sync {
    /// Returns the shape.
    fn shape(&self) -> Shape;

    /// Shows every row once, in blocks. Costs one read of all rows, and counts it.
    ///
    /// Errors if the rows cannot be read, or are not what they were said to be.
    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error>;

    /// Returns a copy of these rows in the order in which they are named; one class may be absent.
    ///
    /// Errors as [`Data::pass`] does.
    ///
    /// # Panics
    /// If no row is named, or one that does not exist.
    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error>;

    /// Returns what these rows are called, in the order in which they are given; none if the data names no rows.
    ///
    /// Errors as [`Data::pass`] does.
    fn row_names(&self, rows: &[usize]) -> Result<Option<Vec<String>>, Error> {
        if rows.is_empty() {
            return Ok(None);
        }
        let fetched = self.fetch(rows)?;
        let names = |ids: &RowIds| (0..ids.len()).map(|i| ids.get(i).to_string()).collect();
        Ok(fetched.row_ids().map(names))
    }

    /// Shows the rows from `first` on once, in order, in blocks, on the calling thread, until `see` breaks
    /// off. Counts what was shown.
    ///
    /// Errors as [`Data::pass`] does, and where there is no order in which rows could be shown.
    fn in_order(
        &self,
        _first: usize,
        _see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let (found, expected) = ("rows in order".to_string(), "what a fold can ask for");
        Err(ErrorKind::Unsupported { found, expected }.into())
    }

    /// Returns the rows if all of them are in memory.
    fn resident(&self) -> Option<&Samples>;

    /// Returns true if all rows are in memory, or can be brought there.
    fn fits(&self) -> bool {
        self.resident().is_some()
    }

    /// Returns the rows, brought into memory if they fit; costs a read of all rows then, which is not
    /// counted.
    ///
    /// Errors as [`Data::pass`] does.
    fn gather(&self) -> Result<Option<&Samples>, Error> {
        Ok(self.resident())
    }

    /// Returns what is known of the data beside its rows.
    fn about(&self) -> &Arc<About>;

    /// Returns the count of what was read.
    fn reads(&self) -> &Reads;
}

/// Counts the rows that were read.
#[derive(Debug, Default)]
pub struct Reads(AtomicU64);

impl Reads {
    /// Counts so many rows more. Only who visits rows in memory one by one has to call it.
    pub fn add(&self, rows: u64) {
        self.0.fetch_add(rows, Ordering::Relaxed);
    }

    /// Returns how many reads of all rows the count amounts to, rounded up.
    pub fn passes(&self, shape: Shape) -> u64 {
        self.0.load(Ordering::Relaxed).div_ceil(shape.rows.max(1) as u64)
    }
}

/// Consecutive rows, with their labels and their place in the data.
#[derive(Clone)]
pub struct Block<'a> {
    samples: &'a Samples,
    places: Range<usize>,
    first: usize,
}

impl<'a> Block<'a> {
    /// Returns all of `samples`, of which the first row is row `first` of the data.
    pub fn whole(samples: &'a Samples, first: usize) -> Self {
        Block { samples, places: 0..samples.rows(), first }
    }

    /// Returns those of `samples` at these places, of which the first is row `first` of the data.
    pub fn at(samples: &'a Samples, places: Range<usize>, first: usize) -> Self {
        Block { samples, places, first }
    }

    /// Returns the samples that hold the rows, at [`Block::places`].
    pub fn samples(&self) -> &'a Samples {
        self.samples
    }

    /// Returns where in [`Block::samples`] the rows are.
    pub fn places(&self) -> Range<usize> {
        self.places.clone()
    }

    /// Returns the number that the row at `place` has in the data.
    pub fn number(&self, place: usize) -> usize {
        place - self.places.start + self.first
    }

    /// Returns the block without its first rows.
    pub fn from(&self, skipped: usize) -> Self {
        let places = self.places.start + skipped..self.places.end;
        Block { samples: self.samples, places, first: self.first + skipped }
    }

    /// Returns blocks of at most so many rows that are this one together, in order.
    pub fn pieces(&self, rows: usize) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let (whole, rows) = (self.clone(), rows.max(1));
        (0..self.places.len().div_ceil(rows)).map(move |k| whole.piece(k, rows))
    }

    /// Returns the same to be spread over threads.
    pub fn cut(&self, rows: usize) -> impl IndexedParallelIterator<Item = Block<'a>> + use<'a> {
        let (whole, rows) = (self.clone(), rows.max(1));
        (0..self.places.len().div_ceil(rows)).into_par_iter().map(move |k| whole.piece(k, rows))
    }

    fn piece(&self, k: usize, rows: usize) -> Block<'a> {
        let start = self.places.start + k * rows;
        let places = start..self.places.end.min(start + rows);
        Block { samples: self.samples, first: self.number(start), places }
    }
}

/// What a pass computes: it absorbs blocks, and merges with its like.
///
/// For any cut of the rows into blocks, in any order, spread over any number of merged copies, the
/// outcome must have the same bits.
pub trait Fold: Send + Sync + Sized {
    /// Returns a fold that asks for the same and has seen nothing.
    fn fresh(&self) -> Self;

    /// Takes a block in.
    fn absorb(&mut self, block: &Block<'_>);

    /// Returns what one fold would be that had seen the blocks of both.
    fn merge(self, other: Self) -> Self;

    /// Writes what it asks for, so that a fold like it can be made where the rows are. Returns false if it
    /// cannot leave this process.
    fn request(&self, _out: &mut Vec<u8>) -> bool {
        false
    }

    /// Takes over, having seen nothing, what a fold made by the request has found in all rows of data of this
    /// shape. Nothing if the bytes cannot be that.
    fn accept(&mut self, _from: &mut &[u8], _shape: Shape) -> Option<()> {
        None
    }
}

/// Returns the fold after it has seen every row. Costs a pass; see there for errors.
///
/// ```
/// use linsep_data::{Block, Fold, Memory, Samples, fold};
///
/// struct Positives(u64);
/// impl Fold for Positives {
///     fn fresh(&self) -> Self {
///         Positives(0)
///     }
///     fn absorb(&mut self, block: &Block<'_>) {
///         let labels = &block.samples().positive()[block.places()];
///         self.0 += labels.iter().filter(|&&positive| positive).count() as u64;
///     }
///     fn merge(self, other: Self) -> Self {
///         Positives(self.0 + other.0)
///     }
/// }
///
/// let samples = Samples::dense(vec![1.0, 2.0, 3.0], 1, vec![true, false, true])?;
/// assert_eq!(fold(&Memory::new(&samples), Positives(0))?.0, 2);
/// # Ok::<(), linsep_data::Error>(())
/// ```
pub fn fold<F: Fold>(data: &dyn Data, fold: F) -> Result<F, Error> {
    let shards = Shards { empty: fold, free: Mutex::new(vec![]) };
    data.pass(&shards)?;
    let seen = shards.free.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(seen.into_iter().reduce(F::merge).unwrap_or(shards.empty))
}

/// What a pass shows its blocks to, from several threads at once: a fold behind a seam that needs no
/// type.
pub trait Absorb: Sync {
    /// Takes a block in.
    fn absorb(&self, block: &Block<'_>);

    /// Returns what is asked for, for rows that do not come to this process; nothing if they have to.
    fn request(&self) -> Option<Vec<u8>> {
        None
    }

    /// Takes over what was found elsewhere in all rows. Nothing if the bytes cannot be that.
    fn accept(&self, _found: &[u8], _shape: Shape) -> Option<()> {
        None
    }
}

/// As many copies of a fold as threads are at work.
struct Shards<F> {
    empty: F,
    free: Mutex<Vec<F>>,
}

impl<F: Fold> Absorb for Shards<F> {
    fn absorb(&self, block: &Block<'_>) {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let shard = free().pop();
        let mut shard = shard.unwrap_or_else(|| self.empty.fresh());
        shard.absorb(block);
        free().push(shard);
    }

    fn request(&self) -> Option<Vec<u8>> {
        let mut request = vec![];
        self.empty.request(&mut request).then_some(request)
    }

    fn accept(&self, mut found: &[u8], shape: Shape) -> Option<()> {
        let mut shard = self.empty.fresh();
        shard.accept(&mut found, shape)?;
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(shard);
        found.is_empty().then_some(())
    }
}

/// Two folds that share a read.
impl<A: Fold, B: Fold> Fold for (A, B) {
    fn fresh(&self) -> Self {
        (self.0.fresh(), self.1.fresh())
    }

    fn absorb(&mut self, block: &Block<'_>) {
        self.0.absorb(block);
        self.1.absorb(block);
    }

    fn merge(self, other: Self) -> Self {
        (self.0.merge(other.0), self.1.merge(other.1))
    }
}

/// A fold that may not be needed.
impl<F: Fold> Fold for Option<F> {
    fn fresh(&self) -> Self {
        self.as_ref().map(F::fresh)
    }

    fn absorb(&mut self, block: &Block<'_>) {
        if let Some(fold) = self {
            fold.absorb(block);
        }
    }

    fn merge(self, other: Self) -> Self {
        self.zip(other).map(|(a, b)| a.merge(b))
    }
}

/// Samples in memory, or mapped into it.
pub struct Memory<'a> {
    samples: &'a Samples,
    reads: Reads,
}

impl<'a> Memory<'a> {
    /// Returns the samples as data of which nothing has been read yet.
    pub fn new(samples: &'a Samples) -> Self {
        Memory { samples, reads: Reads::default() }
    }
}

/// Returns how many rows to show at once to a fold.
pub fn rows_per_block(features: &Features) -> usize {
    let values = match features {
        Features::Sparse(matrix) => matrix.stored() / matrix.rows().max(1),
        dense => dense.columns(),
    };
    (BLOCK_VALUES / values.max(1)).clamp(1, 1 << 14)
}

impl Data for Memory<'_> {
    fn shape(&self) -> Shape {
        Shape {
            rows: self.samples.rows(),
            columns: self.samples.columns(),
            sparse: matches!(self.samples.features(), Features::Sparse(_)),
        }
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.samples.rows() as u64);
        let all = Block::whole(self.samples, 0);
        all.cut(rows_per_block(self.samples.features())).for_each(|block| seen.absorb(&block));
        Ok(())
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.samples.part_of(rows)
    }

    fn row_names(&self, rows: &[usize]) -> Result<Option<Vec<String>>, Error> {
        let names = |ids: &RowIds| rows.iter().map(|&row| ids.get(row).to_string()).collect();
        Ok(self.samples.row_ids().map(names))
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let rows = self.samples.rows();
        self.reads.add((rows - first) as u64);
        let _ = see(&Block { samples: self.samples, places: first..rows, first });
        Ok(())
    }

    fn resident(&self) -> Option<&Samples> {
        Some(self.samples)
    }

    fn about(&self) -> &Arc<About> {
        self.samples.about()
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}
