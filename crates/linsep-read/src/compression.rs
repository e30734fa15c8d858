//! Decompresses gzip, Zstandard, xz and bzip2, and tells damage from a failing disk.

#[cfg(feature = "compression")]
mod decode;

use std::io::{self, Read};

use linsep_data::error::{Error, ErrorKind};

/// How many bytes [`Compression::by_magic`] looks at.
pub(super) const MAGIC_BYTES: u64 = 10;

/// A way in which a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

impl Compression {
    /// Returns the compression that begins with these bytes.
    pub(super) fn by_magic(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Compression::Xz),
            // With a block, or with the end of an empty file.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
                Some(Compression::Bzip2)
            }
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Xz => "xz",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// Returns a reader of what `raw` holds in compressed form.
    #[cfg(feature = "compression")]
    pub(super) fn decoder(self, raw: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, Error> {
        Ok(Box::new(decode::Decoder::new(self, raw)))
    }

    /// Errors: this build cannot decompress.
    #[cfg(not(feature = "compression"))]
    pub(super) fn decoder(self, _raw: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, Error> {
        let expected = "plain data (this build leaves decompression out)";
        let found = format!("{}-compressed data", self.name());
        Err(ErrorKind::Unsupported { found, expected }.into())
    }
}

/// Returns an error of reading: `Damaged` if the compressed bytes are, else `Io`.
pub(super) fn read_error(error: io::Error) -> Error {
    #[cfg(feature = "compression")]
    if let Some(what) = decode::damage(&error) {
        return ErrorKind::Damaged { what }.into();
    }
    error.into()
}

#[cfg(all(test, feature = "compression"))]
mod tests {
    use std::io::Write;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::source::Input;
    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        xz_with(bytes, lzma_rust2::XzOptions::with_preset(1))
    }

    fn xz_with(bytes: &[u8], options: lzma_rust2::XzOptions) -> Vec<u8> {
        let mut encoder = lzma_rust2::XzWriter::new(vec![], options).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = bzip2::write::BzEncoder::new(vec![], bzip2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    type Compress = fn(&[u8]) -> Vec<u8>;

    const ALL: [(Compress, &str); 4] =
        [(gzip, "gzip"), (zstd, "zstd"), (xz, "xz"), (bzip2, "bzip2")];

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
        for (compress, _) in ALL {
            check(compress(&text), Ok(&text));
            check(compress(b""), Ok(b""));
            check([compress(a), compress(b)].concat(), Ok(&text));
        }
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        check([zstd(a), skippable.clone(), zstd(b)].concat(), Ok(&text));
        check([zstd(a), skippable[..9].to_vec()].concat(), Err("they end early"));
    }

    #[test]
    fn damage_is_told() {
        let text = text();
        for (compress, name) in ALL {
            let bytes = compress(&text);
            check(bytes[..bytes.len() - 1].to_vec(), Err(name));
            check(bytes[..bytes.len() / 2].to_vec(), Err(name));
            check(bytes[..12].to_vec(), Err(name));
            let mut flipped = bytes.clone();
            let middle = flipped.len() - 2;
            flipped[middle] ^= 0x55;
            check(flipped, Err(name));
            check([bytes, b"garbage".to_vec()].concat(), Err(name));
        }
    }

    #[test]
    fn a_decoder_takes_no_more_memory_than_it_may() {
        let mut options = lzma_rust2::XzOptions::with_preset(0);
        options.lzma_options.dict_size = 1 << 20;
        let bytes = xz_with(b"1,2\n", options);
        check(bytes.clone(), Ok(b"1,2\n"));
        // The size of the dictionary stands in the header of the block, which has a checksum.
        let mut asking = bytes;
        let place = 12 + 4;
        asking[place] = 40;
        let checksum = crc32fast::hash(&asking[12..20]);
        asking[20..24].copy_from_slice(&checksum.to_le_bytes());
        check(asking, Err("it asks for more than 268.4 MB"));
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
        for bytes in ALL.map(|(compress, _)| compress(&text)) {
            let half = io::Cursor::new(bytes[..bytes.len() / 2].to_vec());
            let input = Input::new(Box::new(half.chain(Failing)), None);
            let error =
                input.and_then(|i| i.into_reader().read_to_end(&mut vec![]).map_err(read_error));
            assert!(matches!(error.unwrap_err().kind, ErrorKind::Io(_)));
        }
    }
}
