//! A compact binary copy of a table that is slow to read: text, or compressed.
//!
//! ```text
//! LINSEPC1                    what the file is
//! blocks                      raw rows, see `block.rs`, and in the end whether each row is positive
//! what is known, as JSON      columns, levels, classes, and the place, rows and checksum of each block
//! length, checksum, LINSEPC1  of that
//! ```
//!
//! A cache is named by the size and the time of the file it is a copy of and by a fingerprint of its content
//! and of the options, and appears only when it is whole. Every block is checked when it is read.

mod block;
mod write;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use linsep_data::error::{Error, ErrorKind, path_name};
use linsep_data::hash::{FNV_BASIS, fnv1a};
use linsep_data::samples::{Features, LabelNames, Labels, RowIds, RowNumbers};
use serde::{Deserialize, Serialize};

use super::labels::LabelFile;
use super::piece::{Levels, RawLayout};
use super::stamp::{Stamp, read_at};
use super::streamed::{KnownTable, Parts, SparseShape, StreamOptions};
use super::{Opened, ReadOptions, Source};

/// What a cache begins and ends with.
const MAGIC: &[u8; 8] = b"LINSEPC1";
/// Bytes after what is known: its length, its checksum and the magic.
const TAIL: u64 = 8 + 4 + 8;
/// How a cache ends.
const EXTENSION: &str = "linsep-cache";

/// What is known of the rows of a cache.
#[derive(Serialize, Deserialize)]
struct CacheContents {
    /// What the cache is a copy of.
    identity: String,
    shape: block::CacheShape,
    named: bool,
    layout: RawLayout,
    levels: Vec<Levels>,
    negative: String,
    positive: String,
    dropped: Vec<u64>,
    dropped_in_all: usize,
    kept: RowNumbers,
    /// How many rows are not left out, and how many values are stored.
    rows: usize,
    stored: u64,
    labels: BlockPlace,
    blocks: Vec<BlockPlace>,
}

/// Where a block is.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct BlockPlace {
    at: u64,
    bytes: usize,
    rows: usize,
    checksum: u32,
}

/// The rows of a cache.
pub(super) struct CacheParts {
    file: File,
    path: PathBuf,
    shape: block::CacheShape,
    named: bool,
    blocks: Vec<BlockPlace>,
    rows: Vec<usize>,
    /// The file that the cache is a copy of.
    original: Option<Stamp>,
}

/// Returns the cache of a source, which is written if there is none.
///
/// Errors if the source cannot be read, or the cache not be written.
pub(super) fn open(
    source: &Source,
    opened: Opened,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    stream: &StreamOptions,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(CacheParts, KnownTable), Error> {
    let copied = match source {
        Source::File(path) if !source.is_read_once() => Some(Original::of(path, options)?),
        _ => None,
    };
    let original = copied.as_ref().map(|copied| copied.stamp.clone());
    let folder = match (&stream.cache_dir, source) {
        (Some(folder), _) => folder.clone(),
        (None, Source::File(path)) if copied.is_some() => {
            path.parent().unwrap_or(Path::new("")).to_path_buf()
        }
        _ => std::env::temp_dir(),
    };
    let path = match &copied {
        Some(copied) => folder.join(&copied.name),
        None => folder.join(format!("stdin-{}.{EXTENSION}", std::process::id())),
    };
    let identity = copied.as_ref().map_or_else(String::new, |copied| copied.identity.clone());
    if copied.is_some()
        && let Ok((parts, known)) = CacheParts::open(&path, &identity, original.clone())
    {
        return Ok((parts, known));
    }
    let mut table = opened.table(options, labels.is_some())?;
    let in_cache = |error: io::Error| Error::from(error).in_source(&path_name(&path));
    let sought = write::SoughtCache { identity: &identity, limit: stream.cache_limit };
    write::write(&mut *table, &path, &sought, options, labels, progress)?;
    if let Some(stamp) = &original {
        // What was copied while it changed is a copy of nothing.
        if let Err(error) = stamp.check() {
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
    }
    let opened = CacheParts::open(&path, &identity, original);
    match &copied {
        Some(copied) => copied.remove_older(&folder),
        // The rows of standard input or of a pipe are of no use to anybody else.
        None => std::fs::remove_file(&path).map_err(in_cache)?,
    }
    opened
}

/// A file that a cache is a copy of.
struct Original {
    stamp: Stamp,
    /// What caches of the file are called, whatever the options.
    prefix: String,
    name: String,
    identity: String,
}

impl Original {
    fn of(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let stamp = Stamp::of(path)?;
        let time = |stamp: &Stamp| format!("{:x}-{:x}", stamp.size, stamp.nanoseconds());
        let beside = options.labels.as_deref().map(Stamp::of).transpose()?.map(|s| time(&s));
        let content = sampled(path, stamp.size)?;
        let version = env!("CARGO_PKG_VERSION");
        let stamped = time(&stamp);
        let identity = format!("{version} {stamped} {content:016x} {beside:?} {options:?}");
        let stem = path.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!("{stem}.");
        let hash = fnv1a(FNV_BASIS, identity.as_bytes());
        let name = format!("{prefix}{stamped}-{hash:016x}.{EXTENSION}");
        Ok(Original { stamp, prefix, name, identity })
    }

    /// Removes caches of the file as it was before it changed. Best effort: they are only in the way.
    fn remove_older(&self, folder: &Path) {
        let now = format!("{}{:x}-{:x}-", self.prefix, self.stamp.size, self.stamp.nanoseconds());
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let middle = name
                .strip_prefix(&self.prefix)
                .and_then(|rest| rest.strip_suffix(EXTENSION)?.strip_suffix('.'));
            let ours = middle.is_some_and(|middle| {
                middle.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
                    && middle.split('-').count() == 3
            });
            if ours && !name.starts_with(&now) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Returns a hash of the beginning, the end and a few places between of a file.
fn sampled(path: &Path, size: u64) -> Result<u64, Error> {
    const PIECES: u64 = 32;
    let file = File::open(path)?;
    let mut found = FNV_BASIS;
    let mut bytes = vec![0; 1 << 12];
    for piece in 0..=PIECES {
        let length = size.min(bytes.len() as u64);
        let at = ((size - length) as u128 * u128::from(piece) / u128::from(PIECES)) as u64;
        read_at(&file, &mut bytes[..length as usize], at)?;
        found = fnv1a(found, &bytes[..length as usize]);
    }
    Ok(found)
}

impl CacheParts {
    /// Returns a cache that was written for this. Errors if there is none, or if it is damaged.
    fn open(
        path: &Path,
        identity: &str,
        original: Option<Stamp>,
    ) -> Result<(Self, KnownTable), Error> {
        let name = path_name(path);
        Self::read_contents(path, identity, original).map_err(|error| error.in_source(&name))
    }

    fn read_contents(
        path: &Path,
        identity: &str,
        original: Option<Stamp>,
    ) -> Result<(Self, KnownTable), Error> {
        let damaged = |what: &str| ErrorKind::Damaged { what: what.to_string() };
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let end = size.checked_sub(TAIL).ok_or_else(|| damaged("the cache is cut"))?;
        let mut tail = [0; TAIL as usize];
        read_at(&file, &mut tail, end)?;
        let length = u64::from_le_bytes(tail[..8].try_into().expect("eight bytes"));
        let checksum = u32::from_le_bytes(tail[8..12].try_into().expect("four bytes"));
        let at = end.checked_sub(length).filter(|_| &tail[12..] == MAGIC);
        let at = at.ok_or_else(|| damaged("it is no cache"))?;
        let mut text = vec![0; length as usize];
        read_at(&file, &mut text, at)?;
        if crc32fast::hash(&text) != checksum {
            return Err(damaged("a checksum of the cache is wrong").into());
        }
        let contents: CacheContents = serde_json::from_slice(&text)
            .map_err(|error| damaged(&format!("the cache cannot be understood: {error}")))?;
        if contents.identity != identity {
            return Err(damaged("the cache is one of other data").into());
        }
        let CacheContents { shape, named, layout, levels, labels, blocks, dropped, .. } = contents;
        let bits = checked(&file, labels)?;
        let positive: Vec<bool> =
            (0..contents.rows).map(|i| bits[i / 8] >> (i % 8) & 1 == 1).collect();
        let names = LabelNames { negative: contents.negative, positive: contents.positive };
        let rows = blocks.iter().map(|place| place.rows).collect();
        let path = path.to_path_buf();
        let parts = CacheParts { file, path, shape, named, blocks, rows, original };
        let known = KnownTable {
            layout,
            levels,
            labels: Labels { positive, names },
            dropped,
            dropped_in_all: contents.dropped_in_all,
            rows: contents.kept,
            sparse: match shape {
                block::CacheShape::Sparse(base, columns) => {
                    Some(SparseShape { base, columns, stored: contents.stored })
                }
                _ => None,
            },
        };
        Ok((parts, known))
    }

    fn block(&self, part: usize) -> Result<(Features, Option<RowIds>), Error> {
        let place = self.blocks[part];
        checked(&self.file, place)
            .and_then(|bytes| block::decode(&bytes, place.rows, self.shape, self.named))
            .map_err(|error| error.in_source(&path_name(&self.path)))
    }
}

/// Returns the bytes of a block. Errors if they are not those that were written.
fn checked(file: &File, place: BlockPlace) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; place.bytes];
    read_at(file, &mut bytes, place.at)?;
    match crc32fast::hash(&bytes) == place.checksum {
        true => Ok(bytes),
        false => {
            let what = "a checksum of the cache is wrong; remove it".to_string();
            Err(ErrorKind::Damaged { what }.into())
        }
    }
}

impl Parts for CacheParts {
    fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn read(
        &self,
        part: usize,
        each: &mut dyn FnMut(usize, Features) -> Result<(), Error>,
    ) -> Result<(), Error> {
        each(0, self.block(part)?.0)
    }

    fn fetch(&self, part: usize, places: &[usize]) -> Result<Features, Error> {
        Ok(self.block(part)?.0.select_rows(places))
    }

    fn ids(&self, part: usize, places: &[usize]) -> Result<Option<RowIds>, Error> {
        if !self.named {
            return Ok(None);
        }
        Ok(self.block(part)?.1.map(|ids| ids.select(places.iter().copied())))
    }

    fn memory(&self) -> u64 {
        let values = |place: &BlockPlace| match self.shape {
            block::CacheShape::Dense32(columns) | block::CacheShape::Dense64(columns) => {
                (place.rows * columns) as u64 * 8
            }
            block::CacheShape::Sparse(..) => 2 * place.bytes as u64,
        };
        self.blocks.iter().map(|place| place.bytes as u64 + values(place)).max().unwrap_or(0)
    }

    fn check(&self) -> Result<(), Error> {
        self.original.as_ref().map_or(Ok(()), Stamp::check)
    }
}
