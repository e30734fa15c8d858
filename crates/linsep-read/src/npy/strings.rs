//! Labels in an npy file: numbers, or strings of fixed width.

use linsep_data::error::{Error, ErrorKind};

use super::BLOCK_VALUES;
use super::header::{NpyHeader, damaged};
use super::number::{Number, Scalar};
use super::values::Payload;
use crate::source::Input;

/// Longer labels, in bytes, are taken for damage.
const LONGEST_LABEL: usize = 1 << 20;

/// How a label is stored.
#[derive(Clone, Copy)]
enum Stored {
    Number(Number),
    /// One byte a character, padded with zeros.
    Bytes(usize),
    /// Four bytes a character, padded with zeros.
    Unicode {
        characters: usize,
        big_endian: bool,
    },
}

impl Stored {
    fn parse(descr: &str) -> Option<Self> {
        if let Some(number) = Number::parse(descr) {
            return Some(Stored::Number(number));
        }
        let (order, kind) = descr.split_at_checked(1)?;
        let (kind, length) = kind.split_at_checked(1)?;
        let length = length.parse().ok()?;
        match kind {
            "S" => Some(Stored::Bytes(length)),
            "U" => Some(Stored::Unicode { characters: length, big_endian: order == ">" }),
            _ => None,
        }
    }

    fn bytes(self) -> Option<usize> {
        match self {
            Stored::Number(number) => Some(number.bytes()),
            Stored::Bytes(length) => Some(length),
            Stored::Unicode { characters, .. } => characters.checked_mul(4),
        }
    }

    fn spell(self, bytes: &[u8]) -> String {
        match self {
            Stored::Number(number) => number.spell(bytes),
            Stored::Bytes(_) => {
                let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
                String::from_utf8_lossy(&bytes[..end]).into_owned()
            }
            Stored::Unicode { big_endian, .. } => {
                let code = |&b: &[u8; 4]| {
                    if big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
                };
                let text = bytes.as_chunks::<4>().0.iter().map(code);
                let text: String = text
                    .map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect();
                text.trim_end_matches('\0').to_string()
            }
        }
    }
}

/// Takes a label, `None` if it is missing, and its row, counted from 1.
type Take<'a> = dyn FnMut(Option<&str>, u64) -> Result<(), Error> + 'a;

/// Gives each label and its row to `each`.
///
/// Errors if the file does not hold one number or string a row, and if `each` does.
pub(crate) fn read_labels(input: Input, each: &mut Take) -> Result<(), Error> {
    let mut reader = input.into_reader();
    let header = NpyHeader::read(&mut reader)?;
    let unsupported = |found: String| {
        let expected = "one number or string a row";
        Error::from(ErrorKind::Unsupported { found, expected })
    };
    let (stored, width) = Stored::parse(&header.descr)
        .and_then(|stored| Some((stored, stored.bytes().filter(|&bytes| bytes > 0)?)))
        .ok_or_else(|| unsupported(format!("labels of type {}", header.descr)))?;
    if width > LONGEST_LABEL {
        return Err(damaged(format!("its npy header claims labels of {width} bytes")));
    }
    let rows = match header.shape[..] {
        [rows] | [rows, 1] => rows,
        _ => return Err(unsupported(format!("labels of shape {:?}", header.shape))),
    };
    let total = rows
        .checked_mul(width as u64)
        .ok_or_else(|| damaged(format!("its npy header claims {rows} labels of {width} bytes")))?;
    let mut payload = Payload::new(reader, total);
    let is_float = matches!(stored, Stored::Number(n) if matches!(n.scalar, Scalar::Float(_)));
    let (mut buffer, mut row) = (vec![], 0);
    let mut last = (vec![], String::new());
    while row < rows {
        payload.next(&mut buffer, (BLOCK_VALUES / width).max(1).saturating_mul(width))?;
        for bytes in buffer.chunks_exact(width) {
            row += 1;
            if last.0 != bytes {
                last = (bytes.to_vec(), stored.spell(bytes));
            }
            let label = last.1.trim();
            let missing = label.is_empty() || is_float && label == "NaN";
            each((!missing).then_some(label), row)?;
        }
    }
    Ok(())
}
