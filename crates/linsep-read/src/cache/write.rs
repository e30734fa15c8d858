//! Writes a cache.

use std::io::Write;
use std::path::Path;

use linsep_data::error::{Error, ErrorKind, path_name};
use linsep_data::samples::{RowIds, RowNumbers};

use super::{BlockPlace, CacheContents, MAGIC, block};
use crate::gather::Gather;
use crate::labels::LabelFile;
use crate::piece::{SparseRows, Values};
use crate::streamed::settled;
use crate::whole_file::WholeFile;
use crate::{ReadOptions, TableReader};

/// Values of a block: enough for a disk to be quick, few enough for many blocks to be in memory.
const BLOCK_VALUES: usize = 1 << 17;

/// What a cache is to be.
pub(super) struct SoughtCache<'a> {
    pub(super) identity: &'a str,
    pub(super) limit: Option<u64>,
}

/// Writes the rows of a table.
///
/// Errors if they cannot be read, if the disk is full, and if the cache would exceed its limit. Nothing is
/// left behind then.
pub(super) fn write(
    table: &mut dyn TableReader,
    path: &Path,
    sought: &SoughtCache,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), Error> {
    let name = path_name(path);
    let in_cache = |error: std::io::Error| Error::from(ErrorKind::Cache(error)).in_source(&name);
    let file = WholeFile::create(path).map_err(in_cache)?;
    let layout = table.layout().clone();
    let mut out = Writer { file, at: 0, limit: sought.limit, name: &name };
    out.put(MAGIC)?;
    let mut rows = Gather::new(&layout);
    let mut pending = Pending::new(layout.columns.len());
    let mut blocks = vec![];
    table.pieces(&mut |mut piece| {
        let ids = piece.tally.take_ids();
        let kept = piece.tally.kept() as usize;
        let values = rows.survey(piece)?;
        progress(rows.tally.seen());
        pending.take(values, kept, ids)?;
        if pending.is_full() {
            blocks.push(pending.write(&mut out)?);
        }
        Ok(())
    })?;
    if pending.rows > 0 {
        blocks.push(pending.write(&mut out)?);
    }
    let Gather { levels, tally, .. } = rows;
    // The rows that the blocks hold are those that were kept so far.
    let settled = settled(tally, options, labels, &layout)?;
    let shape = pending.shape(options);
    let bits = settled.labels.positive.chunks(8).map(|some| {
        some.iter().enumerate().fold(0, |byte, (i, &positive)| byte | u8::from(positive) << i)
    });
    let bits: Vec<u8> = bits.collect();
    let place = out.block(&bits, settled.labels.positive.len())?;
    let contents = CacheContents {
        identity: sought.identity.to_string(),
        shape,
        named: pending.named,
        layout,
        levels,
        negative: settled.labels.names.negative,
        positive: settled.labels.names.positive,
        dropped_in_all: settled.dropped.len(),
        kept: RowNumbers::without(&settled.dropped),
        dropped: settled.without_label,
        rows: settled.labels.positive.len(),
        stored: pending.stored,
        labels: place,
        blocks,
    };
    let text = serde_json::to_vec(&contents).expect("plain data");
    out.put(&text)?;
    out.put(&(text.len() as u64).to_le_bytes())?;
    out.put(&crc32fast::hash(&text).to_le_bytes())?;
    out.put(MAGIC)?;
    out.file.finish().map_err(in_cache)
}

/// Counts what it writes.
struct Writer<'a> {
    file: WholeFile,
    at: u64,
    limit: Option<u64>,
    name: &'a str,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.at += bytes.len() as u64;
        if let Some(limit) = self.limit.filter(|&limit| self.at > limit) {
            return Err(Error::from(ErrorKind::CacheLimit { limit }).in_source(self.name));
        }
        self.file
            .write_all(bytes)
            .map_err(|error| Error::from(ErrorKind::Cache(error)).in_source(self.name))
    }

    fn block(&mut self, bytes: &[u8], rows: usize) -> Result<BlockPlace, Error> {
        let (at, checksum) = (self.at, crc32fast::hash(bytes));
        self.put(bytes)?;
        Ok(BlockPlace { at, bytes: bytes.len(), rows, checksum })
    }
}

/// Rows that wait until they make a block.
struct Pending {
    columns: usize,
    values: Option<Values>,
    rows: usize,
    ids: RowIds,
    named: bool,
    /// Of all sparse rows so far: whether index 0 occurs, and one more than the largest.
    has_zero: bool,
    end: usize,
    single: bool,
    sparse: bool,
    stored: u64,
}

impl Pending {
    fn new(columns: usize) -> Self {
        Pending {
            columns,
            values: None,
            rows: 0,
            ids: RowIds::default(),
            named: false,
            has_zero: false,
            end: 0,
            single: false,
            sparse: false,
            stored: 0,
        }
    }

    fn take(&mut self, values: Values, rows: usize, ids: RowIds) -> Result<(), Error> {
        self.rows += rows;
        self.stored += values.len() as u64;
        self.named |= !ids.is_empty();
        self.ids.append(&ids);
        match &values {
            Values::F64(_) => {}
            Values::F32(_) => self.single = true,
            Values::Sparse(sparse) => {
                self.sparse = true;
                self.has_zero |= sparse.has_zero;
                self.end = self.end.max(sparse.end());
            }
        }
        match &mut self.values {
            Some(all) => all.append(values),
            none => {
                *none = Some(values);
                Ok(())
            }
        }
    }

    fn is_full(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.len() >= BLOCK_VALUES)
    }

    fn write(&mut self, out: &mut Writer) -> Result<BlockPlace, Error> {
        let mut bytes = match self.values.take() {
            Some(Values::F64(values)) => block::encode_dense(&values, self.columns),
            Some(Values::F32(values)) => block::encode_dense(&values, self.columns),
            Some(Values::Sparse(SparseRows { ends, indices, values, .. })) => {
                block::encode_sparse(&ends, &indices, &values)
            }
            None => vec![],
        };
        block::encode_ids(&std::mem::take(&mut self.ids), &mut bytes);
        out.block(&bytes, std::mem::take(&mut self.rows))
    }

    fn shape(&self, options: &ReadOptions) -> block::CacheShape {
        if self.sparse {
            let base = options.index_base.unwrap_or(u8::from(!self.has_zero));
            return block::CacheShape::Sparse(base, self.end.saturating_sub(usize::from(base)));
        }
        match self.single {
            true => block::CacheShape::Dense32(self.columns),
            false => block::CacheShape::Dense64(self.columns),
        }
    }
}
