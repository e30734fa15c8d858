//! Rows that stay on the disk: every pass reads them again, part by part.

#[cfg(feature = "columnar")]
mod columnar;
mod npy;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(feature = "columnar")]
use super::columnar::PickedFiles;
use linsep_data::error::{Error, ErrorKind};
use linsep_data::memory;
use linsep_data::samples::{About, Features, Labels, Missing, RowIds, RowNumbers, Samples};
use linsep_data::{Absorb, Block, Data, Reads, Shape, rows_per_block};

use super::encoder::Encoder;
use super::fill::{self, Fills, RawRows};
use super::gather::{Gather, describe, name_column};
use super::labels::{LabelFile, LabelTally, SettledRows};
use super::npy::later;
use super::piece::{Levels, RawLayout};
use super::{Format, Opened, ReadOptions, Source, TableReader, cache, label_file, name_label};

/// Where rows of text are kept in a form that is quick to read.
#[derive(Clone, Debug, Default)]
pub struct StreamOptions {
    /// The folder of caches; by default the one of the data.
    pub cache_dir: Option<PathBuf>,
    /// The bytes that a cache may take at most; by default what the disk has.
    pub cache_limit: Option<u64>,
    /// The bytes of a block, about; by default 4 MiB. One per thread is in memory at a time, and what is
    /// computed from it.
    pub block_bytes: Option<usize>,
    /// The bytes of memory that all rows may take where something needs all of them at once; by default
    /// half of what is free.
    pub memory: Option<u64>,
}

impl StreamOptions {
    fn block_bytes(&self) -> usize {
        self.block_bytes.unwrap_or(4 << 20).max(1)
    }

    fn memory(&self) -> u64 {
        self.memory.or_else(|| Some(memory::available()? / 2)).unwrap_or(0)
    }
}

/// Raw rows in parts that can be read in any order, and again.
pub(super) trait Parts: Send + Sync {
    /// Returns how many rows each part has, those to be left out included.
    fn rows(&self) -> &[usize];

    /// Hands on the raw rows of a part, in order, with the place of the first in the part.
    fn read(
        &self,
        part: usize,
        each: &mut dyn FnMut(usize, Features) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Returns the raw rows at these places of a part, which rise.
    fn fetch(&self, part: usize, places: &[usize]) -> Result<Features, Error>;

    /// Returns the names of the same rows, where rows have names.
    fn ids(&self, _part: usize, _places: &[usize]) -> Result<Option<RowIds>, Error> {
        Ok(None)
    }

    /// Returns about how many bytes a part takes while it is read.
    fn memory(&self) -> u64;

    /// Errors if a file has changed, or is gone.
    fn check(&self) -> Result<(), Error>;
}

/// Labelled rows on a disk. A few blocks are in memory at a time; labels always are, with one byte per row.
///
/// What they hold is the same as what [`read`](super::read) would return. A file that changes between two
/// passes is an error.
///
/// ```
/// use linsep_read::{ReadOptions, Source, StreamOptions, Streamed};
/// use linsep_read::write::{npy_header, npy_labels};
/// use linsep_data::{Data, Shape};
///
/// let path = std::env::temp_dir().join(format!("linsep-doc-{}.npy", std::process::id()));
/// let mut bytes = npy_header("<f8", &[2, 1]);
/// bytes.extend([100.0_f64, 101.0].iter().flat_map(|value| value.to_le_bytes()));
/// std::fs::write(&path, bytes)?;
/// std::fs::write(path.with_extension("labels.npy"), npy_labels(&[false, true]))?;
/// let source = Source::from(path.as_path());
/// let (options, stream) = (ReadOptions::default(), StreamOptions::default());
/// let file = Streamed::open(&source, &options, &stream, &|_rows| {})?;
/// assert_eq!(file.shape(), Shape { rows: 2, columns: 1, sparse: false });
/// # std::fs::remove_file(&path)?;
/// # std::fs::remove_file(path.with_extension("labels.npy"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Streamed {
    parts: Box<dyn Parts>,
    /// The number of the first row of each part, and of one more.
    starts: Vec<usize>,
    /// Rows that are left out, counted as `starts` counts.
    dropped: Vec<u64>,
    layout: RawLayout,
    encoder: Option<Encoder>,
    positive: Vec<bool>,
    about: Arc<About>,
    shape: Shape,
    /// What errors call the data.
    name: String,
    reads: Reads,
    /// Threads that read at the same time: as many as their parts fit in memory.
    readers: usize,
    /// Whether all rows may be brought into memory, and those that were.
    fits: bool,
    gathered: OnceLock<Samples>,
}

/// What is known of raw rows once all of them have been seen.
pub(super) struct KnownTable {
    pub(super) layout: RawLayout,
    pub(super) levels: Vec<Levels>,
    pub(super) labels: Labels,
    /// Rows that are left out, and how many are in all, those that the parts do not hold too.
    pub(super) dropped: Vec<u64>,
    pub(super) dropped_in_all: usize,
    /// Which rows of the file are left.
    pub(super) rows: RowNumbers,
    /// What is known of sparse rows.
    pub(super) sparse: Option<SparseShape>,
}

/// The shape of sparse rows.
#[derive(Clone, Copy)]
pub(super) struct SparseShape {
    /// The number of the first feature.
    pub(super) base: u8,
    pub(super) columns: usize,
    /// The values that are stored.
    pub(super) stored: u64,
}

impl Streamed {
    /// Returns the rows of a source. `progress` is given the number of rows seen so far, where all have to
    /// be seen first: where labels are a column of an array, and where text is put into a cache.
    ///
    /// Errors as [`read`](super::read) does, and if the cache cannot be written.
    pub fn open(
        source: &Source,
        options: &ReadOptions,
        stream: &StreamOptions,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, Error> {
        Self::new(source, options, stream, progress)
            .map_err(|error| error.in_source(&source.name()))
    }

    fn new(
        source: &Source,
        options: &ReadOptions,
        stream: &StreamOptions,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, Error> {
        let opened = Opened::open(source, options)?;
        let labels = label_file(source, &opened, options)?;
        let name = source.name();
        match (opened, source) {
            (Opened::Bytes(input, Format::Npy), Source::File(path)) => {
                let (elsewhere, bytes) = (labels.is_some(), stream.block_bytes());
                match npy::NpyParts::open(path, &input, options, elsewhere, bytes)? {
                    Some(parts) => {
                        let known = parts.survey(input, options, labels, progress)?;
                        Self::assemble(Box::new(parts), known, options, stream, name)
                    }
                    None => {
                        let opened = Opened::Bytes(input, Format::Npy);
                        Self::cached(source, opened, options, labels, stream, progress)
                    }
                }
            }
            #[cfg(feature = "columnar")]
            (Opened::Columns(files), _) => {
                let picked = PickedFiles::train(files, options, labels.is_some())?;
                let (parts, known) =
                    columnar::ColumnarParts::open(picked, options, labels, progress)?;
                Self::assemble(Box::new(parts), known, options, stream, name)
            }
            (opened, _) => Self::cached(source, opened, options, labels, stream, progress),
        }
    }

    /// Returns the rows of a source through its cache.
    fn cached(
        source: &Source,
        opened: Opened,
        options: &ReadOptions,
        labels: Option<LabelFile>,
        stream: &StreamOptions,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Self, Error> {
        let (parts, known) = cache::open(source, opened, options, labels, stream, progress)?;
        Self::assemble(Box::new(parts), known, options, stream, source.name())
    }

    pub(super) fn assemble(
        parts: Box<dyn Parts>,
        known: KnownTable,
        options: &ReadOptions,
        stream: &StreamOptions,
        name: String,
    ) -> Result<Self, Error> {
        let KnownTable { layout, levels, labels, dropped, dropped_in_all, rows, sparse } = known;
        let mut starts = vec![0];
        parts.rows().iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows));
        let mut about = About {
            label_names: labels.names,
            dropped: dropped_in_all,
            rows,
            index_base: sparse.map_or(1, |sparse| sparse.base),
            ..About::default()
        };
        let fills = match options.missing.is_filled() {
            true => {
                let raw = Raw { parts: &*parts, starts: &starts, dropped: &dropped };
                fill::find(&raw, options.missing)?
            }
            false => Fills::default(),
        };
        let encoder = describe(&layout, &levels, &fills, options, &mut about)?;
        let encoding = encoder.as_ref().map(Encoder::encoding);
        let shape = Shape {
            rows: labels.positive.len(),
            columns: match (sparse, encoding) {
                (Some(sparse), _) => sparse.columns,
                (None, Some(encoding)) => encoding.width(),
                (None, None) => layout.columns.len(),
            },
            sparse: sparse.is_some() || encoding.is_some_and(|encoding| encoding.is_sparse()),
        };
        if shape.columns == 0 {
            return Err(ErrorKind::NoFeatures.into());
        }
        let (rows, raw) = (shape.rows as u64, layout.columns.len() as u64);
        let bytes = match (sparse, shape.sparse) {
            (Some(sparse), _) => sparse.stored * 12 + rows * 17,
            // Of each raw column one level at most.
            (None, true) => rows * (raw * 12 + 17),
            (None, false) => rows * (shape.columns as u64 * 8 + 9),
        };
        // Blocks and what is made of them are in memory at the same time.
        let fits = bytes.saturating_mul(2) <= stream.memory();
        let readers = readers(parts.memory())?;
        Ok(Streamed {
            parts,
            starts,
            dropped,
            layout,
            encoder,
            positive: labels.positive,
            about: Arc::new(about),
            shape,
            name,
            reads: Reads::default(),
            readers,
            fits,
            gathered: OnceLock::new(),
        })
    }

    /// Returns the row of the parts that is row `row` of the data.
    fn raw(&self, row: usize) -> usize {
        let mut before = 0..self.dropped.len();
        // As many are left out before it as have a number that is not above it without them.
        while !before.is_empty() {
            let middle = before.start + before.len() / 2;
            match self.dropped[middle] as usize - middle <= row {
                true => before.start = middle + 1,
                false => before.end = middle,
            }
        }
        row + before.start
    }

    /// Returns raw rows, from row `first` of the parts on, as samples, and the number of the first of them; none
    /// if all are left out.
    fn samples(&self, first: usize, raw: Features) -> Result<Option<(usize, Samples)>, Error> {
        let (raw, number) = without(raw, first, &self.dropped);
        if raw.rows() == 0 {
            return Ok(None);
        }
        let labels = self.positive[number..number + raw.rows()].to_vec();
        let samples = self
            .encoded(raw, labels)
            .map_err(|error| self.about.rows.place(later(error, number)))?;
        Ok(Some((number, samples)))
    }

    fn encoded(&self, raw: Features, positive: Vec<bool>) -> Result<Samples, Error> {
        let features = match &self.encoder {
            Some(encoder) => encoder.apply(&raw),
            None => raw,
        };
        let labels = Labels { positive, names: self.about.label_names.clone() };
        let samples = Samples::part(features, labels, Missing::Refuse)
            .map_err(|error| name_column(error, &self.layout))?;
        Ok(samples.with_about(self.about.clone()))
    }

    /// Shows the blocks of a part, in order.
    fn show(
        &self,
        part: usize,
        see: &mut dyn FnMut(usize, Samples) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.parts.read(part, &mut |place, raw| match self
            .samples(self.starts[part] + place, raw)?
        {
            Some((number, samples)) => see(number, samples),
            None => Ok(()),
        })
    }

    fn try_pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.parts.check()?;
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        // The first in the file, whichever came up first.
        let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
        // Parts are taken one by one, so that no more blocks than threads are in memory.
        rayon::broadcast(|thread| {
            while thread.index() < self.readers && !stop.load(Ordering::Relaxed) {
                let part = next.fetch_add(1, Ordering::Relaxed);
                if part >= self.parts.rows().len() {
                    break;
                }
                let shown = self.show(part, &mut |number, samples| {
                    let all = Block::whole(&samples, number);
                    let rows = rows_per_block(samples.features());
                    all.pieces(rows).for_each(|block| seen.absorb(&block));
                    Ok(())
                });
                if let Err(error) = shown {
                    stop.store(true, Ordering::Relaxed);
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|(known, _)| part < *known) {
                        *first = Some((part, error));
                    }
                }
            }
        });
        let failed = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        // That a file changed is why what it holds is wrong.
        self.parts.check()?;
        failed.map_or(Ok(()), |(_, error)| Err(error))
    }

    fn try_in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.parts.check()?;
        let raw = self.raw(first);
        let part = self.starts.partition_point(|&start| start <= raw) - 1;
        let shown = std::thread::scope(|scope| {
            // One block is seen, one waits, and one is read meanwhile.
            let (send, blocks) = sync_channel(1);
            let reader = scope.spawn(move || {
                let mut gone = false;
                for part in part..self.parts.rows().len() {
                    let shown = self.show(part, &mut |number, samples| {
                        gone = send.send((number, samples)).is_err();
                        match gone {
                            true => Err(ErrorKind::Empty.into()),
                            false => Ok(()),
                        }
                    });
                    match shown {
                        Err(_) if gone => break,
                        shown => shown?,
                    }
                }
                Ok(())
            });
            for (number, samples) in blocks {
                let skipped = first.saturating_sub(number).min(samples.rows());
                if skipped == samples.rows() {
                    continue;
                }
                self.reads.add((samples.rows() - skipped) as u64);
                if see(&Block::whole(&samples, number).from(skipped)).is_break() {
                    break;
                }
            }
            reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        self.parts.check()?;
        shown
    }

    fn try_fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.parts.check()?;
        let mut wanted: Vec<usize> = rows.iter().map(|&row| self.raw(row)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let (mut found, mut ids, mut at) = (vec![], RowIds::default(), 0);
        while at < wanted.len() {
            let part = self.starts.partition_point(|&start| start <= wanted[at]) - 1;
            let count = wanted[at..].partition_point(|&row| row < self.starts[part + 1]);
            let places: Vec<usize> =
                wanted[at..at + count].iter().map(|row| row - self.starts[part]).collect();
            found.push(self.parts.fetch(part, &places)?);
            if let Some(some) = self.parts.ids(part, &places)? {
                ids.append(&some);
            }
            at += count;
        }
        let place = |&row: &usize| wanted.binary_search(&self.raw(row)).expect("it was fetched");
        let places: Vec<usize> = rows.iter().map(place).collect();
        let raw = Features::stacked(found).select_rows(&places);
        let labels = rows.iter().map(|&row| self.positive[row]).collect();
        let samples = self.encoded(raw, labels).map_err(|mut error| {
            let row = |place: u64| self.about.rows.number(rows[place as usize - 1]) as u64;
            error.place.row = error.place.row.map(row);
            error
        })?;
        Ok(match ids.is_empty() {
            true => samples,
            false => samples.with_row_ids(ids.select(places)),
        })
    }

    fn try_gather(&self) -> Result<Samples, Error> {
        self.parts.check()?;
        let mut all = vec![];
        for part in 0..self.parts.rows().len() {
            self.show(part, &mut |_, samples| {
                all.push(samples.into_features());
                Ok(())
            })?;
        }
        self.parts.check()?;
        let labels =
            Labels { positive: self.positive.clone(), names: self.about.label_names.clone() };
        let samples = Samples::part(Features::stacked(all), labels, Missing::Refuse)?;
        let mut ids = RowIds::default();
        for (part, &rows) in self.parts.rows().iter().enumerate() {
            let start = self.starts[part];
            let gone =
                |place: &usize| self.dropped.binary_search(&((start + place) as u64)).is_ok();
            let places: Vec<usize> = (0..rows).filter(|place| !gone(place)).collect();
            match self.parts.ids(part, &places)? {
                Some(some) => ids.append(&some),
                None => break,
            }
        }
        let samples = samples.with_about(self.about.clone());
        Ok(if ids.is_empty() { samples } else { samples.with_row_ids(ids) })
    }
}

/// Returns how many threads can read parts of this size at the same time.
///
/// Errors if one part is far more than memory holds: decoders do not ask, they abort.
fn readers(part: u64) -> Result<usize, Error> {
    let threads = rayon::current_num_threads();
    let Some(free) = memory::available() else { return Ok(threads) };
    if part / 2 > free {
        return Err(ErrorKind::NoMemory { bytes: part }.into());
    }
    Ok(usize::try_from(free / part.max(1)).unwrap_or(threads).clamp(1, threads))
}

/// Returns raw rows without those left out, and the number of the first among all that are not.
fn without(raw: Features, first: usize, dropped: &[u64]) -> (Features, usize) {
    let before = dropped.partition_point(|&row| row < first as u64);
    let end = dropped.partition_point(|&row| row < (first + raw.rows()) as u64);
    let gone = &dropped[before..end];
    let number = first - before;
    if gone.is_empty() {
        return (raw, number);
    }
    let is_gone = |place: &usize| gone.binary_search(&((first + place) as u64)).is_ok();
    let keep: Vec<usize> = (0..raw.rows()).filter(|place| !is_gone(place)).collect();
    (raw.select_rows(&keep), number)
}

/// All raw rows that are not left out, in order.
struct Raw<'a> {
    parts: &'a dyn Parts,
    starts: &'a [usize],
    dropped: &'a [u64],
}

impl RawRows for Raw<'_> {
    fn in_order(&self, see: &mut dyn FnMut(&Features)) -> Result<(), Error> {
        for (part, &start) in (0..self.parts.rows().len()).zip(self.starts) {
            self.parts.read(part, &mut |place, raw| {
                see(&without(raw, start + place, self.dropped).0);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Returns what is known of a table after all of it has been read, its values aside.
fn survey(
    table: &mut dyn TableReader,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<KnownTable, Error> {
    let layout = table.layout().clone();
    let mut rows = Gather::new(&layout);
    table.pieces(&mut |piece| {
        rows.survey(piece)?;
        progress(rows.tally.seen());
        Ok(())
    })?;
    let Gather { levels, tally, .. } = rows;
    known(layout, levels, tally, options, labels)
}

/// Returns what is known of rows after their labels have been found.
fn known(
    layout: RawLayout,
    levels: Vec<Levels>,
    tally: LabelTally,
    options: &ReadOptions,
    file: Option<LabelFile>,
) -> Result<KnownTable, Error> {
    let SettledRows { labels, dropped, .. } = settled(tally, options, file, &layout)?;
    let (dropped_in_all, rows) = (dropped.len(), RowNumbers::without(&dropped));
    Ok(KnownTable { layout, levels, labels, dropped, dropped_in_all, rows, sparse: None })
}

/// Returns the labels of the rows that are kept. Errors as [`Samples::new`] does about classes.
pub(super) fn settled(
    tally: LabelTally,
    options: &ReadOptions,
    file: Option<LabelFile>,
    layout: &RawLayout,
) -> Result<SettledRows, Error> {
    let settled = tally.settle_rows(file, options).map_err(|error| name_label(error, layout))?;
    let Labels { positive, names } = &settled.labels;
    let positives = positive.iter().filter(|&&p| p).count();
    if positives == 0 || positives == positive.len() {
        let label = if positives == 0 { &names.negative } else { &names.positive };
        let kind = ErrorKind::OneClass { label: label.clone(), rows: positive.len() };
        return Err(name_label(kind.into(), layout));
    }
    Ok(settled)
}

impl Data for Streamed {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.shape.rows as u64);
        self.try_pass(seen).map_err(|error| error.in_source(&self.name))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        assert!(!rows.is_empty(), "a row to fetch");
        assert!(rows.iter().all(|&row| row < self.shape.rows), "a row of the data");
        self.try_fetch(rows).map_err(|error| error.in_source(&self.name))
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.try_in_order(first, see).map_err(|error| error.in_source(&self.name))
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn fits(&self) -> bool {
        self.fits
    }

    fn gather(&self) -> Result<Option<&Samples>, Error> {
        if self.fits && self.gathered.get().is_none() {
            let samples = self.try_gather().map_err(|error| error.in_source(&self.name))?;
            return Ok(Some(self.gathered.get_or_init(|| samples)));
        }
        Ok(self.gathered.get())
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}
