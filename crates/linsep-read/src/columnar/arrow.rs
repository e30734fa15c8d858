//! Arrow files and streams: a part is a record batch.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion};
use arrow_schema::SchemaRef;
use linsep_data::error::{Error, ErrorKind};
use linsep_data::memory;

use super::guarded;

const MAGIC: &[u8] = b"ARROW1";
/// What stands before the metadata of a message: a marker and a length.
const PREFIX: usize = 8;

/// Where the messages of a file are.
pub(super) struct ArrowContents {
    schema: SchemaRef,
    version: MetadataVersion,
    /// Each with the part from which on it holds.
    dictionaries: Vec<(usize, Block)>,
    batches: Vec<Block>,
    parts: Vec<usize>,
    /// Memory of batches that have been seen, to be used again: new memory has to be cleared first, which
    /// takes longer than to read a batch.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl ArrowContents {
    /// Errors if a message is damaged.
    pub(super) fn read(file: &mut File) -> Result<Self, Error> {
        let mut magic = vec![];
        (&*file).take(MAGIC.len() as u64).read_to_end(&mut magic)?;
        let mut contents =
            if magic == MAGIC { Self::of_file(file)? } else { Self::of_stream(file)? };
        for block in &contents.batches {
            let metadata = read_metadata(file, block)?;
            let message = message(&metadata)?;
            let batch = message.header_as_record_batch();
            let rows = batch.and_then(|batch| usize::try_from(batch.length()).ok());
            contents.parts.push(rows.ok_or_else(|| damage("a batch without rows"))?);
        }
        Ok(contents)
    }

    /// Reads the footer of a file.
    fn of_file(file: &mut File) -> Result<Self, Error> {
        let size = file.metadata()?.len();
        let mut end = [0; 10];
        file.seek(SeekFrom::Start(size.saturating_sub(10)))?;
        file.read_exact(&mut end).map_err(damage)?;
        let length = read_footer_length(end).map_err(damage)?;
        let start = size.checked_sub(10 + length as u64);
        file.seek(SeekFrom::Start(start.ok_or_else(|| damage("the footer is too long"))?))?;
        let mut footer = memory::filled(0, length)?;
        file.read_exact(&mut footer).map_err(damage)?;
        let footer = arrow_ipc::root_as_footer(&footer).map_err(damage)?;
        let schema = footer.schema().ok_or_else(|| damage("there is no schema"))?;
        let contents = ArrowContents {
            schema: read_schema(schema)?,
            version: footer.version(),
            dictionaries: footer.dictionaries().iter().flatten().map(|block| (0, *block)).collect(),
            batches: footer.recordBatches().iter().flatten().copied().collect(),
            parts: vec![],
            spare: Mutex::default(),
        };
        let dictionaries = contents.dictionaries.iter().map(|(_, block)| block);
        for block in dictionaries.chain(&contents.batches) {
            let ends = [block.metaDataLength().into(), block.bodyLength()];
            let end = ends.into_iter().try_fold(block.offset(), |end: i64, more| {
                (end >= 0 && more >= 0).then(|| end.checked_add(more)).flatten()
            });
            let inside = end.is_some_and(|end| end as u64 <= size);
            if !inside || block.metaDataLength() < PREFIX as i32 {
                return Err(damage("a block is outside of the file"));
            }
        }
        Ok(contents)
    }

    /// Walks through the messages of a stream, and over what they hold.
    fn of_stream(file: &mut File) -> Result<Self, Error> {
        let size = file.metadata()?.len();
        let mut at = 0;
        let mut contents: Option<ArrowContents> = None;
        while let Some(length) = metadata_length(file, at, size)? {
            let start = Block::new(at as i64, length, 0);
            let metadata = read_metadata(file, &start)?;
            let message = message(&metadata)?;
            let body = message.bodyLength();
            let end = (at + length as u64).checked_add_signed(body.max(0));
            if body < 0 || end.is_none_or(|end| end > size) {
                return Err(damage("a message ends after the file"));
            }
            let block = Block::new(at as i64, length, body);
            at += length as u64 + body as u64;
            match (message.header_type(), &mut contents) {
                (MessageHeader::Schema, None) => {
                    let schema = message.header_as_schema();
                    contents = Some(ArrowContents {
                        schema: read_schema(schema.ok_or_else(|| damage("there is no schema"))?)?,
                        version: message.version(),
                        dictionaries: vec![],
                        batches: vec![],
                        parts: vec![],
                        spare: Mutex::default(),
                    });
                }
                (MessageHeader::DictionaryBatch, Some(contents)) => {
                    contents.dictionaries.push((contents.batches.len(), block));
                }
                (MessageHeader::RecordBatch, Some(contents)) => contents.batches.push(block),
                (other, _) => return Err(damage(format!("a message of type {other:?}"))),
            }
        }
        contents.ok_or_else(|| damage("there is no schema"))
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the number of rows of each batch.
    pub(super) fn parts(&self) -> &[usize] {
        &self.parts
    }

    /// Decodes roots of a batch, `at_once` rows at a time; only `rows` if they are given.
    pub(super) fn decode(
        &self,
        mut file: File,
        part: usize,
        roots: &[usize],
        at_once: usize,
        rows: Option<&[usize]>,
        each: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let free = spare().pop().unwrap_or_default();
        let buffer = read_block(&mut file, &self.batches[part], free)?;
        let batch = guarded(|| self.decode_all(&mut file, part, &buffer, roots, rows))?;
        for first in (0..batch.num_rows()).step_by(at_once) {
            each(batch.slice(first, at_once.min(batch.num_rows() - first)))?;
        }
        drop(batch);
        // Whoever still holds a part of the batch keeps the memory.
        if let Ok(free) = buffer.into_vec() {
            spare().push(free);
        }
        Ok(())
    }

    /// Returns how many bytes a batch takes while it is decoded.
    pub(super) fn memory(&self, part: usize) -> u64 {
        2 * self.batches[part].bodyLength() as u64
    }

    fn decode_all(
        &self,
        file: &mut File,
        part: usize,
        buffer: &Buffer,
        roots: &[usize],
        rows: Option<&[usize]>,
    ) -> Result<RecordBatch, Error> {
        let mut decoder =
            FileDecoder::new(self.schema.clone(), self.version).with_projection(roots.to_vec());
        for (_, block) in self.dictionaries.iter().filter(|(from, _)| *from <= part) {
            let buffer = read_block(file, block, vec![])?;
            decoder.read_dictionary(block, &buffer).map_err(damage)?;
        }
        let batch = decoder.read_record_batch(&self.batches[part], buffer).map_err(damage)?;
        let batch = batch.ok_or_else(|| damage("a batch is missing"))?;
        let Some(rows) = rows else { return Ok(batch) };
        let rows: UInt64Array = rows.iter().map(|&row| row as u64).collect();
        arrow_select::take::take_record_batch(&batch, &rows).map_err(damage)
    }
}

fn read_schema(schema: arrow_ipc::Schema) -> Result<SchemaRef, Error> {
    if !schema.endianness().equals_to_target_endianness() {
        let found = "an Arrow file in the byte order of another machine".to_string();
        return Err(ErrorKind::Unsupported { found, expected: "this machine's byte order" }.into());
    }
    Ok(Arc::new(try_fb_to_schema(schema).map_err(damage)?))
}

/// Returns the length of a message's metadata with what stands before it, or `None` at the end.
fn metadata_length(file: &mut File, at: u64, size: u64) -> Result<Option<i32>, Error> {
    if at == size {
        return Ok(None);
    }
    let mut prefix = [0; PREFIX];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut prefix).map_err(damage)?;
    if prefix[..4] != [0xff; 4] {
        return Err(damage("expected the beginning of a message"));
    }
    let length = i32::from_le_bytes([prefix[4], prefix[5], prefix[6], prefix[7]]);
    if length == 0 {
        return Ok(None);
    }
    match length.checked_add(PREFIX as i32) {
        Some(whole) if length > 0 && at + whole as u64 <= size => Ok(Some(whole)),
        _ => Err(damage("a message ends after the file")),
    }
}

/// Returns the metadata of a message, with what stands before it.
fn read_metadata(file: &mut File, block: &Block) -> Result<Vec<u8>, Error> {
    let mut bytes = memory::filled(0, block.metaDataLength() as usize)?;
    file.seek(SeekFrom::Start(block.offset() as u64))?;
    file.read_exact(&mut bytes).map_err(damage)?;
    Ok(bytes)
}

/// Returns a message in memory that is free.
fn read_block(file: &mut File, block: &Block, mut free: Vec<u8>) -> Result<Buffer, Error> {
    let metadata = block.metaDataLength() as usize;
    let length = metadata + block.bodyLength() as usize;
    let more = length.saturating_sub(free.len());
    memory::reserve(&mut free, more)?;
    free.resize(length, 0);
    file.seek(SeekFrom::Start(block.offset() as u64))?;
    file.read_exact(&mut free).map_err(damage)?;
    let (metadata, body) = free.split_at(metadata);
    memory::require(decompressed_bytes(&message(metadata)?, body))?;
    Ok(Buffer::from_vec(free))
}

/// Returns how many bytes the buffers of a message claim to be once they are decompressed.
fn decompressed_bytes(message: &Message, body: &[u8]) -> u64 {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return 0 };
    let Some(buffers) = batch.compression().and(batch.buffers()) else { return 0 };
    let claimed = buffers.iter().filter_map(|buffer| {
        let start = usize::try_from(buffer.offset()).ok().filter(|_| buffer.length() > 0)?;
        let (length, _) = body.get(start..)?.split_first_chunk::<8>()?;
        // A negative length says that the buffer is not compressed.
        u64::try_from(i64::from_le_bytes(*length)).ok()
    });
    claimed.fold(0, u64::saturating_add)
}

fn message(metadata: &[u8]) -> Result<Message<'_>, Error> {
    // Files of before 2019 have no marker before the length.
    let prefix = if metadata.starts_with(&[0xff; 4]) { PREFIX } else { PREFIX / 2 };
    arrow_ipc::root_as_message(&metadata[prefix..]).map_err(damage)
}

fn damage(what: impl ToString) -> Error {
    ErrorKind::Damaged { what: what.to_string() }.into()
}
