//! The decoders, and what their errors mean.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use linsep_data::error::bytes_for_people;

use super::Compression;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Memory that a decoder of xz may take, in KiB: four times what the best compression asks for. The others
/// have limits of their own: 128 MiB for zstd, less for gzip and bzip2.
const XZ_MEMORY: u32 = 1 << 18;

/// What is wrong with compressed bytes, on its way through `io::Error`.
#[derive(Debug)]
struct Damage(String);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Damage {}

/// Returns how the compressed bytes are damaged, if that is why reading failed.
pub(super) fn damage(error: &io::Error) -> Option<String> {
    error.get_ref()?.downcast_ref::<Damage>().map(|Damage(what)| what.clone())
}

/// Marks the errors of a decoder as damage, unless the operating system is to blame.
pub(super) struct Decoder {
    inner: Box<dyn Read + Send>,
    compression: Compression,
}

impl Decoder {
    /// Returns a reader of what `raw` holds in compressed form.
    pub(super) fn new(compression: Compression, raw: Box<dyn Read + Send>) -> Self {
        let inner: Box<dyn Read + Send> = match compression {
            Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(Frames::new(raw)),
            Compression::Xz => {
                Box::new(XzReader::new_mem_limit(BufReader::new(raw), true, XZ_MEMORY))
            }
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        };
        Decoder { inner, compression }
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            let cause = root(&error);
            if let Some(code) = cause.and_then(io::Error::raw_os_error) {
                return io::Error::from_raw_os_error(code);
            }
            let what = match cause.map(io::Error::kind) {
                Some(io::ErrorKind::UnexpectedEof) => "they end early".to_string(),
                Some(io::ErrorKind::OutOfMemory) => {
                    let most = bytes_for_people(u64::from(XZ_MEMORY) * 1024);
                    format!("it asks for more than {most} of memory")
                }
                _ => error.to_string(),
            };
            let name = self.compression.name();
            let what = format!("its {name} data cannot be decompressed: {what}");
            io::Error::new(io::ErrorKind::InvalidData, Damage(what))
        })
    }
}

/// Returns the first error of input and output that caused this one.
fn root(error: &io::Error) -> Option<&io::Error> {
    let mut found = None;
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        found = error.downcast_ref().or(found);
        cause = error.source();
    }
    found
}

/// The content of any number of Zstandard frames, checksums verified.
struct Frames<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Frames<R> {
    fn new(source: R) -> Self {
        Frames { source: BufReader::new(source), decoder: FrameDecoder::new(), in_frame: false }
    }

    fn begin_frame(&mut self) -> io::Result<()> {
        match self.decoder.reset(&mut self.source) {
            Ok(()) => self.in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let length = u64::from(length);
                let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
                if skipped < length {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.in_frame = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.begin_frame()?;
                continue;
            }
            if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            if self.decoder.is_finished() && self.decoder.can_collect() == 0 {
                self.end_frame()?;
            }
        }
    }
}
