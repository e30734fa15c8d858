//! Labelled rows, wherever they are: one trait for memory, files and clusters.
//!
//! [`Data`] shows its rows in blocks, in any order and from several threads, or has a
//! [query](crate::FoldQuery) answered where they are.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::query::Answerable;
use crate::samples::{About, Features, RowIds, Samples};

/// Values of a block in memory: what stays in a core's own cache while several folds look at it.
const BLOCK_VALUES: usize = 1 << 15;

/// Asked in all that may take long, from several threads; true ends the work.
pub type Halt<'a> = &'a (dyn Fn() -> bool + Sync);

/// How many rows there are, and what they look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Errors if the rows cannot be read, are not what they were said to be, or do not come to this process.
    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error>;

    /// Has queries answered by all rows: here, or where the rows are. Costs what [`Data::pass`] does; whoever
    /// wraps data hands it on.
    ///
    /// Errors if the rows cannot be read, or are not what they were said to be.
    fn ask(&self, asked: &dyn Answerable) -> Result<(), Error> {
        self.pass(asked)
    }

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
    /// Counts `rows` more rows as read. Call this only when you visit rows one by one in memory.
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
    /// Returns all of `samples`; their first row is row `first` of the data.
    pub fn whole(samples: &'a Samples, first: usize) -> Self {
        Block { samples, places: 0..samples.rows(), first }
    }

    /// Returns the `samples` at these places; the first of them is row `first` of the data.
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

    /// Returns this block in pieces of at most `rows` rows, in order.
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

/// What a pass shows its blocks to, from several threads at once.
pub trait Absorb: Sync {
    /// Takes a block in.
    fn absorb(&self, block: &Block<'_>);
}

/// Samples in memory, or mapped into it.
pub struct Memory<'a> {
    samples: &'a Samples,
    reads: Reads,
}

impl<'a> Memory<'a> {
    /// Returns the samples as data that has not been read yet.
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
