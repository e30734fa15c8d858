//! Text in chunks: cut where a record ends, parsed in parallel, taken in order.

use std::collections::VecDeque;
use std::io::Read;

use linsep_data::error::{Error, ErrorKind};
use linsep_data::memory;
use rayon::prelude::*;

use super::Foreign;
use super::compression::read_error;
use super::foreign::is_text;

/// A longer record is taken for none: input without line ends, or of another kind.
const LONGEST_RECORD: usize = 1 << 28;

/// What a byte of text becomes at most, about: every other one a number, in a vector that may have doubled.
const PARSED_BYTES: usize = 8;

/// A piece of text that holds whole records.
pub(super) struct Chunk {
    pub(super) text: Vec<u8>,
    first_line: u64,
}

impl Chunk {
    /// Returns the line, counted from 1 in the whole text, of the byte at `position`.
    pub(super) fn line_at(&self, position: usize) -> u64 {
        self.first_line + line_ends(&self.text[..position])
    }

    /// Returns the chunk without its first bytes, which end a record.
    pub(super) fn after(mut self, position: usize) -> Self {
        // The record may have been read up to the \r of \r\n.
        let newline =
            self.text[..position].ends_with(b"\r") && self.text.get(position) == Some(&b'\n');
        let position = position + usize::from(newline);
        self.first_line = self.line_at(position);
        self.text.drain(..position);
        self
    }
}

/// Returns how many lines end: at \n, \r\n or \r.
fn line_ends(text: &[u8]) -> u64 {
    let newlines = memchr::memchr_iter(b'\n', text).count();
    let alone = |&i: &usize| text.get(i + 1) != Some(&b'\n');
    (newlines + memchr::memchr_iter(b'\r', text).filter(alone).count()) as u64
}

/// Finds where text can be cut: after a newline that ends a record.
#[derive(Clone)]
pub(super) struct Boundary {
    /// None if every newline ends a record.
    delimiter: Option<u8>,
    state: RecordState,
    /// Bytes since the last record ended, and the place among them of the last quote that opened.
    seen: usize,
    opened: usize,
}

/// Where a reader of delimited text stands. A quote opens only at the start of a field, and a
/// second one inside makes a quote: the rule of the `csv` crate.
#[derive(Clone, Copy, PartialEq)]
enum RecordState {
    FieldStart,
    Field,
    Quoted,
    QuoteInQuoted,
}

impl RecordState {
    fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (RecordState::Quoted, b'"') => RecordState::QuoteInQuoted,
            (RecordState::Quoted, _) => RecordState::Quoted,
            (RecordState::Field, b'"') => RecordState::Field,
            (_, b'"') => RecordState::Quoted,
            (_, b'\n' | b'\r') => RecordState::FieldStart,
            _ if byte == delimiter => RecordState::FieldStart,
            _ => RecordState::Field,
        }
    }
}

impl Boundary {
    /// Returns the rule that every newline ends a record.
    pub(super) fn line() -> Self {
        Boundary { delimiter: None, state: RecordState::FieldStart, seen: 0, opened: 0 }
    }

    /// Returns the rule that a newline ends a record unless it is quoted.
    pub(super) fn record(delimiter: u8) -> Self {
        Boundary { delimiter: Some(delimiter), ..Self::line() }
    }

    /// Returns the end of the last record that ends in `text`, which follows what was given since
    /// the last call that found one. After a find, the next text is to begin there.
    fn last_in(&mut self, text: &[u8]) -> Option<usize> {
        let found = match self.delimiter {
            Some(delimiter) if self.is_quoted() || memchr::memchr(b'"', text).is_some() => {
                self.last_among_quotes(text, delimiter)
            }
            delimiter => {
                if let Some(&last) = text.last() {
                    let ends = [Some(b'\n'), Some(b'\r'), delimiter].contains(&Some(last));
                    self.state = if ends { RecordState::FieldStart } else { RecordState::Field };
                }
                memchr::memrchr(b'\n', text).map(|i| i + 1)
            }
        };
        self.seen += text.len();
        if found.is_some() {
            (self.state, self.seen) = (RecordState::FieldStart, 0);
        }
        found
    }

    /// Returns where, since the last record ended, the quote opened that is still open.
    fn open_quote(&self) -> Option<usize> {
        (self.state == RecordState::Quoted).then_some(self.opened)
    }

    fn is_quoted(&self) -> bool {
        matches!(self.state, RecordState::Quoted | RecordState::QuoteInQuoted)
    }

    fn last_among_quotes(&mut self, text: &[u8], delimiter: u8) -> Option<usize> {
        let mut found = None;
        let mut i = 0;
        while i < text.len() {
            if self.state == RecordState::Quoted {
                match memchr::memchr(b'"', &text[i..]) {
                    Some(quote) => i += quote + 1,
                    None => break,
                }
                self.state = RecordState::QuoteInQuoted;
                continue;
            }
            let byte = text[i];
            if byte == b'"' && self.state == RecordState::FieldStart {
                self.opened = self.seen + i;
            }
            self.state = self.state.after(byte, delimiter);
            i += 1;
            // The byte was not in a quoted cell.
            if byte == b'\n' {
                found = Some(i);
            }
        }
        found
    }
}

/// Cuts what a reader gives into chunks.
pub(super) struct Chunks {
    reader: Box<dyn Read + Send>,
    boundary: Boundary,
    bytes: usize,
    /// Chunks that were looked at and put back, in order.
    front: VecDeque<Chunk>,
    /// Text after the last cut.
    carry: Vec<u8>,
    line: u64,
    done: bool,
    longest: usize,
    /// What is wrong with the text after the last chunk.
    fault: Option<Error>,
}

impl Chunks {
    /// Returns chunks of about `bytes` bytes, longer where a record is.
    pub(super) fn new(reader: Box<dyn Read + Send>, boundary: Boundary, bytes: usize) -> Self {
        Chunks {
            reader,
            boundary,
            bytes,
            front: VecDeque::new(),
            carry: vec![],
            line: 1,
            done: false,
            longest: LONGEST_RECORD,
            fault: None,
        }
    }

    /// Returns the same chunks; no record may be longer than `longest`.
    #[cfg(test)]
    fn with_longest(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }

    /// Makes these chunks the next ones.
    pub(super) fn put_back(&mut self, chunks: Vec<Chunk>) {
        chunks.into_iter().rev().for_each(|chunk| self.front.push_front(chunk));
    }

    /// Makes this the error after all chunks.
    pub(super) fn put_back_fault(&mut self, fault: Error) {
        (self.fault, self.done) = (Some(fault), true);
    }

    fn group(&mut self, size: usize) -> Vec<Result<Chunk, Error>> {
        self.take(size).collect()
    }

    fn cut(&mut self) -> Result<Option<Chunk>, Error> {
        let mut text = std::mem::take(&mut self.carry);
        let mut scanned = 0;
        loop {
            memory::reserve(&mut text, self.bytes)?;
            let limit = self.bytes as u64;
            let count =
                (&mut self.reader).take(limit).read_to_end(&mut text).map_err(read_error)?;
            if count < self.bytes {
                self.done = true;
                self.keep_whole(&mut text, scanned);
                break;
            }
            if let Some(end) = self.boundary.last_in(&text[scanned..]) {
                self.carry = text.split_off(scanned + end);
                break;
            }
            scanned = text.len();
            if scanned > self.longest {
                return Err(self.endless(&text));
            }
        }
        if text.is_empty() {
            return Ok(None);
        }
        let first_line = self.line;
        self.line += line_ends(&text);
        if self.boundary.delimiter == Some(b' ') {
            text = squeeze(text);
        }
        Ok(Some(Chunk { text, first_line }))
    }

    /// Leaves a record at the end of all text out if a quote in it is never closed, which is its fault.
    fn keep_whole(&mut self, text: &mut Vec<u8>, scanned: usize) {
        let mut end = 0;
        if let Some(last) = self.boundary.last_in(&text[scanned..]) {
            end = scanned + last;
            // After a find, what follows is to be looked at on its own.
            self.boundary.last_in(&text[end..]);
        }
        if let Some(place) = self.boundary.open_quote() {
            let line = self.line + line_ends(&text[..end + place]);
            self.fault = Some(ErrorKind::UnclosedQuote.at_line(line));
            text.truncate(end);
        }
    }

    /// Returns the error of a record that is too long.
    fn endless(&self, text: &[u8]) -> Error {
        match self.boundary.open_quote() {
            Some(place) => ErrorKind::UnclosedQuote.at_line(self.line + line_ends(&text[..place])),
            None => ErrorKind::LongRecord { limit: self.longest as u64 }.at_line(self.line),
        }
    }
}

/// Returns text in which cells are set apart by spaces with one space between two of them, and none before the
/// first or after the last; quoted spaces stay.
pub(super) fn squeeze(mut text: Vec<u8>) -> Vec<u8> {
    let (mut to, mut state) = (0, RecordState::FieldStart);
    // A space is written before the cell that follows it, so that none is at the end of a line.
    let (mut space, mut begun) = (false, false);
    for from in 0..text.len() {
        let byte = text[from];
        if state != RecordState::Quoted {
            match byte {
                b' ' => {
                    (space, state) = (begun, RecordState::FieldStart);
                    continue;
                }
                b'\n' | b'\r' => (space, begun) = (false, false),
                _ => begun = true,
            }
            if std::mem::take(&mut space) {
                text[to] = b' ';
                to += 1;
            }
        }
        state = state.after(byte, b' ');
        text[to] = byte;
        to += 1;
    }
    text.truncate(to);
    text
}

impl Iterator for Chunks {
    type Item = Result<Chunk, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(chunk) = self.front.pop_front() {
            return Some(Ok(chunk));
        }
        if self.done {
            return self.fault.take().map(Err);
        }
        let cut = self.cut();
        self.done |= cut.is_err();
        // Nothing but a fault may be left.
        cut.transpose().or_else(|| self.fault.take().map(Err))
    }
}

/// Errors at the first byte that is not UTF-8, if it is among the first `bytes` of the chunk.
pub(super) fn in_utf8(chunk: &Chunk, bytes: usize) -> Result<(), Error> {
    let Err(fault) = std::str::from_utf8(&chunk.text[..bytes]) else { return Ok(()) };
    let at = fault.valid_up_to();
    let kind = match is_text(&chunk.text[at..]) {
        true => ErrorKind::NotUtf8 { byte: chunk.text[at] },
        false => ErrorKind::Foreign(Foreign::Binary),
    };
    Err(kind.at_line(chunk.line_at(at)))
}

/// Returns what `parse` makes of a chunk. Errors if it is not UTF-8, unless there is an error before that.
fn parse_utf8<T>(
    chunk: &Chunk,
    parse: impl FnOnce(&Chunk) -> Result<T, Error>,
) -> Result<T, Error> {
    let parsed = parse(chunk);
    match (in_utf8(chunk, chunk.text.len()), parsed) {
        (Err(fault), Err(error)) if error.place.line < fault.place.line => Err(error),
        (Err(fault), _) => Err(fault),
        (Ok(()), parsed) => parsed,
    }
}

/// Gives what `parse` makes of each chunk to `take`, in the order of the text.
///
/// While a group of chunks is parsed on all threads, the next is read. Errors with the first error
/// in the order of the text, whichever came up first.
pub(super) fn parse_in_order<T: Send>(
    chunks: &mut Chunks,
    parse: &(dyn Fn(&Chunk) -> Result<T, Error> + Sync),
    take: &mut dyn FnMut(T) -> Result<(), Error>,
) -> Result<(), Error> {
    let size = 2 * rayon::current_num_threads();
    let mut group = chunks.group(size);
    while !group.is_empty() {
        let bytes: usize = group.iter().flatten().map(|chunk| chunk.text.len()).sum();
        memory::require((bytes * PARSED_BYTES) as u64)?;
        let (next, parsed) = rayon::join(
            || chunks.group(size),
            || {
                group
                    .into_par_iter()
                    .with_max_len(1)
                    .map(|chunk| parse_utf8(&chunk?, parse))
                    .collect::<Vec<Result<T, Error>>>()
            },
        );
        for rows in parsed {
            take(rows?)?;
        }
        group = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str, boundary: Boundary, bytes: usize) -> Vec<(String, u64)> {
        let reader = Box::new(Cursor::new(text.as_bytes().to_vec()));
        Chunks::new(reader, boundary, bytes)
            .map(|chunk| chunk.unwrap())
            .map(|chunk| (String::from_utf8(chunk.text).unwrap(), chunk.first_line))
            .collect()
    }

    fn check(text: &str, bytes: usize, expected: &[(&str, u64)]) {
        let found = cut(text, Boundary::record(b','), bytes);
        let expected: Vec<_> = expected.iter().map(|&(t, line)| (t.to_string(), line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn chunks_end_where_records_do() {
        check("", 4, &[]);
        check("a\nbb\ncccc", 4, &[("a\n", 1), ("bb\n", 2), ("cccc", 3)]);
        check("aaaaaaaaa\nb\n", 2, &[("aaaaaaaaa\n", 1), ("b\n", 2)]);
        check("\"a\nb\"\nc\n", 2, &[("\"a\nb\"\n", 1), ("c\n", 3)]);
        check("\"a\"\"\n\"\nc\n", 2, &[("\"a\"\"\n\"\n", 1), ("c\n", 3)]);
        check("5\"\nc\n", 2, &[("5\"\n", 1), ("c\n", 2)]);
        check("a\r\nb\rc\r\nd", 3, &[("a\r\n", 1), ("b\rc\r\n", 2), ("d", 4)]);
    }

    #[test]
    fn an_open_quote_is_told_where_it_opens() {
        let check = |text: &str, chunks: &[&str], line: u64| {
            for bytes in [1, 3, 1000] {
                let reader = Box::new(Cursor::new(text.as_bytes().to_vec()));
                let cut = Chunks::new(reader, Boundary::record(b','), bytes);
                let (mut whole, mut faults) = (String::new(), vec![]);
                for chunk in cut {
                    match chunk {
                        Ok(chunk) => whole.push_str(std::str::from_utf8(&chunk.text).unwrap()),
                        Err(error) => faults.push(error),
                    }
                }
                assert_eq!(whole, chunks.concat(), "{text:?} by {bytes}");
                assert_eq!(faults.len(), usize::from(line > 0), "{text:?} by {bytes}");
                for fault in faults {
                    assert!(matches!(fault.kind, ErrorKind::UnclosedQuote));
                    assert_eq!(fault.place.line, Some(line), "{text:?} by {bytes}");
                }
            }
        };
        check("a,b\n1,\"x\n2,y\n3,z\n", &["a,b\n"], 2);
        check("\"a", &[], 1);
        check("1,\"a\nb\",\"c\nd\n", &[], 2);
        check("1,\"a\"\"\nb\n\n", &[], 1);
        check("1\r\n2\r\n\"3\r\n", &["1\r\n2\r\n"], 3);
        check("1,\"a\"\n5\",b\"\n", &["1,\"a\"\n5\",b\"\n"], 0);
        check("1,\"a\"", &["1,\"a\""], 0);
    }

    #[test]
    fn a_record_without_an_end_is_an_error_with_the_figure() {
        let check = |text: String, expected: &str| {
            let reader = Box::new(Cursor::new(text).chain(std::io::repeat(b'7')));
            let chunks = Chunks::new(reader, Boundary::record(b','), 1000).with_longest(5000);
            let fault = chunks.filter_map(Result::err).next().unwrap();
            assert_eq!(fault.to_string(), expected);
        };
        let none = "expected the end of the record within 5.0 kB, found none";
        check(String::new(), &format!("line 1: {none}"));
        check("1,2\n".repeat(3000), &format!("line 3001: {none}"));
        check("1\n2,\"".to_string(), "line 2: the quote that opens here is never closed");
    }

    #[test]
    fn spaces_between_cells_count_once() {
        let check = |text: &str, expected: &str| {
            assert_eq!(String::from_utf8(squeeze(text.into())).unwrap(), expected);
        };
        check("  1   2 x \n3 4   y\r\n", "1 2 x\n3 4 y\r\n");
        check("\"a  b\"  \"c \"\" d\"  5\"  6\n", "\"a  b\" \"c \"\" d\" 5\" 6\n");
        check("   \n\n1", "\n\n1");
    }

    #[test]
    fn what_is_not_utf8_is_told_by_line() {
        let check = |text: &[u8], fails_at: Option<u64>, expected: &str| {
            let chunk = Chunk { text: text.to_vec(), first_line: 5 };
            let found = parse_utf8(&chunk, |_| match fails_at {
                Some(line) => Err(ErrorKind::Empty.at_line(line)),
                None => Ok(()),
            });
            let found = found.map_or_else(|error| error.to_string(), |()| "fine".to_string());
            assert_eq!(found, expected);
        };
        check("1\né\n".as_bytes(), None, "fine");
        let latin =
            "line 6: expected UTF-8 text, found the byte 0xE9, as in Latin-1 or Windows-1252";
        check(b"1\ncaf\xe9\n", None, latin);
        check(b"1\ncaf\xe9\n", Some(5), "line 5: expected data, found an empty file");
        check(b"1\ncaf\xe9\n", Some(7), latin);
        check(b"1\n\xe9\0\0\x01\n", None, "line 6: expected a table, found binary data");
    }

    #[test]
    fn the_first_error_in_the_text_wins() {
        let text = "x\n".repeat(1000);
        let boundary = Boundary::line();
        let mut chunks = Chunks::new(Box::new(Cursor::new(text)), boundary, 2);
        let parse = |chunk: &Chunk| match chunk.line_at(0) {
            line if line % 7 == 0 => Err(linsep_data::ErrorKind::Empty.at_line(line)),
            line => Ok(line),
        };
        let mut taken = vec![];
        let result = parse_in_order(&mut chunks, &parse, &mut |line| {
            taken.push(line);
            Ok(())
        });
        assert_eq!(result.unwrap_err().place.line, Some(7));
        assert_eq!(taken, [1, 2, 3, 4, 5, 6]);
    }

    /// Records as the `csv` crate sees them.
    fn records(text: &str) -> Vec<Vec<String>> {
        ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes())
            .records()
            .map(|record| record.unwrap().iter().map(str::to_string).collect())
            .collect()
    }

    proptest! {
        #[test]
        fn cutting_changes_no_record(text in "[a,\"\n\r]{0,60}", bytes in 1usize..20) {
            let reader = Box::new(Cursor::new(text.clone().into_bytes()));
            if Chunks::new(reader, Boundary::record(b','), bytes).any(|chunk| chunk.is_err()) {
                // A quote is open at the end, so that a newline would not end the record.
                let records = |text: &str| records(text).len();
                prop_assert_eq!(records(&format!("{text}\nb")), records(&text));
                return Ok(());
            }
            let chunks = cut(&text, Boundary::record(b','), bytes);
            let whole: String = chunks.iter().map(|(text, _)| text.as_str()).collect();
            prop_assert_eq!(&whole, &text);
            let pieces: Vec<_> = chunks.iter().flat_map(|(text, _)| records(text)).collect();
            prop_assert_eq!(pieces, records(&text));
        }
    }
}
