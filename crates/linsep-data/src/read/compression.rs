//! Decompresses gzip and Zstandard, and tells damage from a failing disk.

use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Read};

use crate::error::{Error, ErrorKind};

/// How many bytes [`Compression::by_magic`] looks at.
pub(super) const MAGIC_BYTES: u64 = 4;

/// A way in which a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression that begins with these bytes.
    pub(super) fn by_magic(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        }
    }

    /// Returns a reader of what `raw` holds in compressed form.
    #[cfg(feature = "compression")]
    pub(super) fn decoder(self, raw: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, Error> {
        let inner: Box<dyn Read + Send> = match self {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::Frames::new(raw)),
        };
        Ok(Box::new(Decoder { inner, compression: self }))
    }

    /// Errors: this build cannot decompress.
    #[cfg(not(feature = "compression"))]
    pub(super) fn decoder(self, _raw: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, Error> {
        let expected = "plain data (this build leaves decompression out)";
        let found = format!("{}-compressed data", self.name());
        Err(ErrorKind::Unsupported { found, expected }.into())
    }
}

/// What is wrong with compressed bytes, on its way through `io::Error`.
#[derive(Debug)]
struct Damage(String);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Damage {}

/// Returns an error of reading: `Damaged` if the compressed bytes are, else `Io`.
pub(super) fn read_error(error: io::Error) -> Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>()) {
        Some(Damage(what)) => ErrorKind::Damaged { what: what.clone() }.into(),
        None => error.into(),
    }
}

/// Marks the errors of a decoder as damage, unless the operating system is to blame.
#[cfg_attr(not(feature = "compression"), allow(dead_code))]
struct Decoder {
    inner: Box<dyn Read + Send>,
    compression: Compression,
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer).map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            if let Some(code) = os_error(&error) {
                return io::Error::from_raw_os_error(code);
            }
            let what = match error.kind() {
                io::ErrorKind::UnexpectedEof => "they end early".to_string(),
                _ => error.to_string(),
            };
            let what =
                format!("its {} data cannot be decompressed: {what}", self.compression.name());
            io::Error::new(io::ErrorKind::InvalidData, Damage(what))
        })
    }
}

/// Returns the code of the operating system's error that caused this one.
fn os_error(error: &io::Error) -> Option<i32> {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(code) = error.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error) {
            return Some(code);
        }
        cause = error.source();
    }
    None
}

#[cfg(feature = "compression")]
mod zstd {
    use std::io::{self, BufRead, BufReader, Read};

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    /// The content of any number of Zstandard frames, checksums verified.
    pub(super) struct Frames<R> {
        source: BufReader<R>,
        decoder: FrameDecoder,
        in_frame: bool,
    }

    impl<R: Read> Frames<R> {
        pub(super) fn new(source: R) -> Self {
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
}

#[cfg(all(test, feature = "compression"))]
pub(super) mod tests {
    use std::io::Write;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::source::Input;
    use super::*;

    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn check(compressed: Vec<u8>, expected: Result<&[u8], &str>) {
        let found = Input::new(Box::new(io::Cursor::new(compressed)), None).and_then(|input| {
            let mut bytes = vec![];
            input.into_reader().read_to_end(&mut bytes).map_err(read_error)?;
            Ok(bytes)
        });
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert!(found == expected),
            (Err(error), Err(expected)) => {
                assert!(matches!(error.kind, ErrorKind::Damaged { .. }), "{error}");
                assert!(error.to_string().contains(expected), "{error}");
            }
            (found, expected) => panic!("{found:?} against {expected:?}"),
        }
    }

    fn text() -> Vec<u8> {
        (0..40_000)
            .flat_map(|n: u32| format!("{},{}\n", n, n.wrapping_mul(2654435761)).into_bytes())
            .collect()
    }

    #[test]
    fn members_and_frames_are_joined() {
        let text = text();
        let (a, b) = text.split_at(1000);
        check(text.clone(), Ok(&text));
        check(gzip(&text), Ok(&text));
        check(zstd(&text), Ok(&text));
        check([gzip(a), gzip(b)].concat(), Ok(&text));
        check([zstd(a), zstd(b)].concat(), Ok(&text));
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        check([zstd(a), skippable.clone(), zstd(b)].concat(), Ok(&text));
        check([zstd(a), skippable[..9].to_vec()].concat(), Err("they end early"));
    }

    #[test]
    fn damage_is_told() {
        let text = text();
        for (bytes, name) in [(gzip(&text), "gzip"), (zstd(&text), "zstd")] {
            check(bytes[..bytes.len() - 1].to_vec(), Err(name));
            check(bytes[..bytes.len() / 2].to_vec(), Err(name));
            check(bytes[..5].to_vec(), Err(name));
            let mut flipped = bytes.clone();
            let middle = flipped.len() - 2;
            flipped[middle] ^= 0x55;
            check(flipped, Err(name));
            check([bytes, b"garbage".to_vec()].concat(), Err(name));
        }
    }

    #[test]
    fn a_failing_disk_is_no_damage() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let text = text();
        for bytes in [gzip(&text), zstd(&text)] {
            let half = io::Cursor::new(bytes[..bytes.len() / 2].to_vec());
            let input = Input::new(Box::new(half.chain(Failing)), None);
            let error =
                input.and_then(|i| i.into_reader().read_to_end(&mut vec![]).map_err(read_error));
            assert!(matches!(error.unwrap_err().kind, ErrorKind::Io(_)));
        }
    }
}
