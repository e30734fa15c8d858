//! The fast way through plain lines: numbers and delimiters, no quotes, nothing missing.
//!
//! A number is parsed where it stands, so its cell is never looked for first. At the first line that
//! is anything but plain, the rest of the chunk is left to the csv crate.

use linsep_data::integer;
use memchr::{memchr, memchr2};

use super::super::labels::label_in;
use super::super::piece::RawKind;
use super::{CsvParser, CsvRows};

/// Delimiters that cannot be a part of a number.
const DELIMITERS: [u8; 5] = [b',', b';', b'\t', b'|', b':'];

/// Parses the plain lines at the beginning of `text`; returns their length in bytes.
pub(super) fn parse(parser: &CsvParser, text: &[u8], rows: &mut CsvRows) -> usize {
    let in_order = parser.features.windows(2).all(|pair| pair[0] < pair[1]);
    let numbers = parser.layout.columns.iter().all(|column| column.kind == RawKind::Number);
    #[cfg(test)]
    if DISABLED.get() {
        return 0;
    }
    let delimiter = parser.delimiter;
    if !in_order || !numbers || parser.id.is_some() || !DELIMITERS.contains(&delimiter) {
        return 0;
    }
    if memchr(b'"', text).is_some() {
        return 0;
    }
    let kinds = kinds(parser);
    let positive = parser.positive.as_deref();
    let mut at = 0;
    while at < text.len() {
        let start = rows.values.len();
        match line(&kinds, (delimiter, positive), &text[at..], &mut rows.values) {
            Some(found) => {
                rows.tally.keep(found.label);
                at += found.bytes;
            }
            None => {
                rows.values.truncate(start);
                break;
            }
        }
    }
    at
}

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellUse {
    Feature,
    Label,
    Other,
}

fn kinds(parser: &CsvParser) -> Vec<CellUse> {
    let mut kinds = vec![CellUse::Other; parser.columns.width];
    parser.features.iter().for_each(|&k| kinds[k] = CellUse::Feature);
    if let Some(k) = parser.label {
        kinds[k] = CellUse::Label;
    }
    kinds
}

struct PlainLine<'a> {
    bytes: usize,
    label: Option<&'a [u8]>,
}

/// Parses one line, its end included, unless it is not plain.
#[inline]
fn line<'a>(
    kinds: &[CellUse],
    (delimiter, positive): (u8, Option<&str>),
    text: &'a [u8],
    values: &mut Vec<f64>,
) -> Option<PlainLine<'a>> {
    let mut at = 0;
    let mut label = None;
    for (k, kind) in kinds.iter().enumerate() {
        let cell = &text[at..];
        let length = if *kind == CellUse::Feature {
            let (value, length) = fast_float2::parse_partial::<f64, _>(cell).ok()?;
            // Beyond this, or NaN: what is to be refused is refused elsewhere.
            let plain = value.abs() < integer::ALL_EXACT
                || value.is_finite() && !integer::is_rounded(&cell[..length], value);
            if !plain {
                return None;
            }
            values.push(value);
            length
        } else {
            let length = memchr2(delimiter, b'\n', cell).unwrap_or(cell.len());
            // A carriage return at the end of the line is not part of the cell; any other ends a record.
            let ends_line = cell.get(length) != Some(&delimiter);
            let carriage = ends_line && cell[..length].ends_with(b"\r");
            let content = &cell[..length - usize::from(carriage)];
            if memchr(b'\r', content).is_some() {
                return None;
            }
            if *kind == CellUse::Label {
                label = Some(label_in(content, positive)?);
            }
            length
        };
        at += length;
        let last = k + 1 == kinds.len();
        match text.get(at) {
            Some(&byte) if byte == delimiter && !last => at += 1,
            Some(b'\n') if last => at += 1,
            Some(b'\r') if last && text.get(at + 1) == Some(&b'\n') => at += 2,
            None if last => {}
            _ => return None,
        }
    }
    Some(PlainLine { bytes: at, label })
}

#[cfg(test)]
thread_local! {
    static DISABLED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `work` on a single thread on which no line counts as plain.
#[cfg(test)]
pub(super) fn disabled<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        DISABLED.set(true);
        work()
    })
}
