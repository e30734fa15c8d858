//! Decompresses gzip and Zstandard, and tells damage from a failing disk.

#[cfg(feature = "compression")]
mod decode;

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
