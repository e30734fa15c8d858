//! The header of an npy file: what the values are and how they lie.

use std::io::Read;

use linsep_data::error::{Error, ErrorKind};

use crate::compression::read_error;

/// Longer headers are taken for damage: those of plain arrays hold a hundred bytes.
const LONGEST_HEADER: usize = 1 << 15;

/// What an npy file says of itself before the values.
#[derive(Debug, PartialEq)]
pub(super) struct NpyHeader {
    /// The type of a value, as NumPy spells it: `<f8`.
    pub(super) descr: String,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<u64>,
    /// Where the values begin in the file.
    pub(super) offset: usize,
}

/// Returns the error of a file that is not what it should be.
pub(super) fn damaged(what: impl Into<String>) -> Error {
    ErrorKind::Damaged { what: what.into() }.into()
}

impl NpyHeader {
    /// Returns the header that `reader` begins with, and leaves it at the values.
    ///
    /// Errors if there is none.
    pub(super) fn read(reader: &mut dyn Read) -> Result<Self, Error> {
        let mut start = [0; 8];
        exactly(reader, &mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(damaged("expected an npy file, found another beginning"));
        }
        let length_bytes = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => {
                let found = format!("an npy file of version {version}");
                return Err(ErrorKind::Unsupported { found, expected: "version 1, 2 or 3" }.into());
            }
        };
        let mut length = [0; 4];
        exactly(reader, &mut length[..length_bytes])?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LONGEST_HEADER {
            return Err(damaged(format!("its npy header claims {length} bytes")));
        }
        let mut text = vec![0; length];
        exactly(reader, &mut text)?;
        let (descr, fortran_order, shape) = Dict { text: &text, at: 0 }
            .parse()
            .ok_or_else(|| damaged("its npy header cannot be understood"))?;
        Ok(NpyHeader { descr, fortran_order, shape, offset: 8 + length_bytes + length })
    }
}

fn exactly(reader: &mut dyn Read, bytes: &mut [u8]) -> Result<(), Error> {
    let mut filled = 0;
    while filled < bytes.len() {
        match reader.read(&mut bytes[filled..]) {
            Ok(0) => return Err(damaged("its npy header ends early")),
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(read_error(error)),
        }
    }
    Ok(())
}

/// A Python dict literal, as far as NumPy writes it.
struct Dict<'a> {
    text: &'a [u8],
    at: usize,
}

impl Dict<'_> {
    fn parse(mut self) -> Option<(String, bool, Vec<u64>)> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        self.expect(b'{')?;
        while self.peek()? != b'}' {
            let key = self.string()?;
            self.expect(b':')?;
            match key.as_str() {
                "descr" if self.peek()? == b'[' => descr = Some(self.list()?),
                "descr" => descr = Some(self.string()?),
                "fortran_order" => fortran_order = Some(self.boolean()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return None,
            }
            if self.peek()? != b'}' {
                self.expect(b',')?;
            }
        }
        Some((descr?, fortran_order?, shape?))
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        Some(self.text[self.at])
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.peek().filter(|b| matches!(b, b'\'' | b'"'))?;
        let from = self.at + 1;
        let length = memchr::memchr(quote, &self.text[from..])?;
        self.at = from + length + 1;
        Some(String::from_utf8_lossy(&self.text[from..from + length]).into_owned())
    }

    /// The list of a structured type, as it stands: it is only shown.
    fn list(&mut self) -> Option<String> {
        let from = self.at;
        let mut depth = 0;
        loop {
            match self.peek()? {
                b'\'' | b'"' => {
                    self.string()?;
                    continue;
                }
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(String::from_utf8_lossy(&self.text[from..self.at]).into_owned());
            }
        }
    }

    fn boolean(&mut self) -> Option<bool> {
        self.peek()?;
        for (word, value) in [("True", true), ("False", false)] {
            if self.text[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Some(value);
            }
        }
        None
    }

    fn tuple(&mut self) -> Option<Vec<u64>> {
        let mut numbers = vec![];
        self.expect(b'(')?;
        while self.peek()? != b')' {
            numbers.push(self.number()?);
            if self.peek()? != b')' {
                self.expect(b',')?;
            }
        }
        self.expect(b')')?;
        Some(numbers)
    }

    fn number(&mut self) -> Option<u64> {
        self.peek()?;
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..length]).ok()?.parse().ok()?;
        // Python 2 marks long integers.
        self.at += length + usize::from(rest.get(length) == Some(&b'L'));
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dict: &str, expected: Option<(&str, bool, &[u64])>) {
        let found = Dict { text: dict.as_bytes(), at: 0 }.parse();
        let expected = expected.map(|(d, f, s)| (d.to_string(), f, s.to_vec()));
        assert_eq!(found, expected, "{dict}");
    }

    #[test]
    fn dicts_as_numpy_writes_them() {
        check(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n",
            Some(("<f8", false, &[3, 4])),
        );
        check(
            "{\"shape\":(7L,),\"fortran_order\":True,\"descr\":\">i2\"}",
            Some((">i2", true, &[7])),
        );
        check("{'descr': '|b1', 'fortran_order': False, 'shape': ()}", Some(("|b1", false, &[])));
        check(
            "{'descr': [('a]', '<f8'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (3,)}",
            Some(("[('a]', '<f8'), ('b', '<i4', (2,))]", false, &[3])),
        );
    }

    #[test]
    fn junk_is_refused() {
        check("", None);
        check("{", None);
        check("{}", None);
        check("{'descr': '<f8', 'shape': (3,)}", None);
        check("{'descr': '<f8, 'fortran_order': False, 'shape': (3,)}", None);
        check("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}", None);
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (3,", None);
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (-3,)}", None);
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", None);
        check("{'descr': [[[, 'fortran_order': False, 'shape': (3,)}", None);
        check("{'other': 1}", None);
    }
}
