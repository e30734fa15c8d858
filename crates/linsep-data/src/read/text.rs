//! Text in chunks: cut where a record ends, parsed in parallel, taken in order.

use std::collections::VecDeque;
use std::io::Read;

use rayon::prelude::*;

use super::compression::read_error;
use crate::error::Error;

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
    state: State,
}

/// Where a reader of delimited text stands. A quote opens only at the start of a field, and a
/// second one inside makes a quote: the rule of the `csv` crate.
#[derive(Clone, Copy, PartialEq)]
enum State {
    FieldStart,
    Field,
    Quoted,
    QuoteInQuoted,
}

impl Boundary {
    /// Returns the rule that every newline ends a record.
    pub(super) fn line() -> Self {
        Boundary { delimiter: None, state: State::FieldStart }
    }

    /// Returns the rule that a newline ends a record unless it is quoted.
    pub(super) fn record(delimiter: u8) -> Self {
        Boundary { delimiter: Some(delimiter), state: State::FieldStart }
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
                    self.state = if ends { State::FieldStart } else { State::Field };
                }
                memchr::memrchr(b'\n', text).map(|i| i + 1)
            }
        };
        if found.is_some() {
            self.state = State::FieldStart;
        }
        found
    }

    fn is_quoted(&self) -> bool {
        matches!(self.state, State::Quoted | State::QuoteInQuoted)
    }

    fn last_among_quotes(&mut self, text: &[u8], delimiter: u8) -> Option<usize> {
        let mut found = None;
        let mut i = 0;
        while i < text.len() {
            if self.state == State::Quoted {
                match memchr::memchr(b'"', &text[i..]) {
                    Some(quote) => i += quote + 1,
                    None => break,
                }
                self.state = State::QuoteInQuoted;
                continue;
            }
            let byte = text[i];
            i += 1;
            self.state = match byte {
                b'"' if self.state == State::Field => State::Field,
                b'"' => State::Quoted,
                b'\n' | b'\r' => State::FieldStart,
                _ if byte == delimiter => State::FieldStart,
                _ => State::Field,
            };
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
}

impl Chunks {
    /// Returns chunks of about so many bytes, longer where a record is.
    pub(super) fn new(reader: Box<dyn Read + Send>, boundary: Boundary, bytes: usize) -> Self {
        Chunks {
            reader,
            boundary,
            bytes,
            front: VecDeque::new(),
            carry: vec![],
            line: 1,
            done: false,
        }
    }

    /// Makes these chunks the next ones.
    pub(super) fn put_back(&mut self, chunks: Vec<Chunk>) {
        chunks.into_iter().rev().for_each(|chunk| self.front.push_front(chunk));
    }

    fn group(&mut self, size: usize) -> Vec<Result<Chunk, Error>> {
        self.take(size).collect()
    }

    fn cut(&mut self) -> Result<Option<Chunk>, Error> {
        let mut text = std::mem::take(&mut self.carry);
        let mut scanned = 0;
        loop {
            text.reserve(self.bytes);
            let limit = self.bytes as u64;
            let count =
                (&mut self.reader).take(limit).read_to_end(&mut text).map_err(read_error)?;
            if count < self.bytes {
                self.done = true;
                break;
            }
            if let Some(end) = self.boundary.last_in(&text[scanned..]) {
                self.carry = text.split_off(scanned + end);
                break;
            }
            scanned = text.len();
        }
        if text.is_empty() {
            return Ok(None);
        }
        let first_line = self.line;
        self.line += line_ends(&text);
        Ok(Some(Chunk { text, first_line }))
    }
}

impl Iterator for Chunks {
    type Item = Result<Chunk, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(chunk) = self.front.pop_front() {
            return Some(Ok(chunk));
        }
        if self.done {
            return None;
        }
        let cut = self.cut();
        self.done |= cut.is_err();
        cut.transpose()
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
        let (next, parsed) = rayon::join(
            || chunks.group(size),
            || {
                group
                    .into_par_iter()
                    .with_max_len(1)
                    .map(|chunk| parse(&chunk?))
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
    fn the_first_error_in_the_text_wins() {
        let text = "x\n".repeat(1000);
        let boundary = Boundary::line();
        let mut chunks = Chunks::new(Box::new(Cursor::new(text)), boundary, 2);
        let parse = |chunk: &Chunk| match chunk.line_at(0) {
            line if line % 7 == 0 => Err(crate::ErrorKind::Empty.at_line(line)),
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
            let chunks = cut(&text, Boundary::record(b','), bytes);
            let whole: String = chunks.iter().map(|(text, _)| text.as_str()).collect();
            prop_assert_eq!(&whole, &text);
            let pieces: Vec<_> = chunks.iter().flat_map(|(text, _)| records(text)).collect();
            prop_assert_eq!(pieces, records(&text));
        }
    }
}
