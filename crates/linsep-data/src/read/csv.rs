//! Reads cells between delimiters: CSV and TSV.

mod plain;

use ::csv::{ByteRecord, Reader, ReaderBuilder};

use super::columns::{Chosen, Columns};
use super::labels::{LabelFile, Tally, label_in, may_drop};
use super::text::{Chunk, Chunks, parse_in_order};
use super::{Block, Expected, Header, ReadOptions, StreamSummary, cell};
use crate::error::{Error, ErrorKind};
use crate::samples::{Dense, Features, Missing, Samples};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the samples of delimited text.
pub(super) fn read(
    mut chunks: Chunks,
    delimiter: u8,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    let columns = first_columns(&mut chunks, delimiter, options.header)?;
    let Chosen { features, label } = columns.choose(options, labels.is_some())?;
    let layout = Layout { columns, features, label, delimiter, missing: options.missing };
    let mut values: Vec<f64> = vec![];
    let mut tally = Tally::default();
    parse_in_order(&mut chunks, &|chunk| layout.parse(chunk), &mut |rows| {
        values.extend_from_slice(&rows.values);
        tally.append(rows.tally);
        progress(tally.seen());
        Ok(())
    })?;
    layout.require_rows(&tally)?;
    values.shrink_to_fit();
    let width = layout.features.len();
    let features = Features::from(Dense::new(values, rows_kept(&tally), width));
    let samples = tally
        .into_samples(features, labels, options)
        .map_err(|error| layout.name_label_column(error))?;
    Ok(match &layout.columns.names {
        Some(names) => {
            samples.with_feature_names(layout.features.iter().map(|&k| names[k].clone()).collect())
        }
        None => samples,
    })
}

/// Hands the rows of delimited text on, a block for each chunk.
pub(super) fn stream(
    mut chunks: Chunks,
    delimiter: u8,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(Block) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    let columns = first_columns(&mut chunks, delimiter, options.header)?;
    let features = columns.match_expected(options, expected)?;
    let layout = Layout { columns, features, label: None, delimiter, missing: options.missing };
    let mut total = Tally::default();
    parse_in_order(&mut chunks, &|chunk| layout.parse(chunk), &mut |rows| {
        let numbers = rows.tally.kept_rows(total.seen());
        total.append(rows.tally);
        if numbers.is_empty() {
            return Ok(());
        }
        let features = Dense::new(rows.values, numbers.len(), layout.features.len()).into();
        each(Block { features, rows: numbers })
    })?;
    layout.require_rows(&total)?;
    Ok(StreamSummary { rows: total.seen() - total.dropped(), dropped: total.dropped() })
}

fn rows_kept(tally: &Tally) -> usize {
    (tally.seen() - tally.dropped()) as usize
}

/// Which cells of a record are read, and how.
struct Layout {
    columns: Columns,
    features: Vec<usize>,
    label: Option<usize>,
    delimiter: u8,
    missing: Missing,
}

/// The kept rows of a chunk.
struct Rows {
    values: Vec<f64>,
    tally: Tally,
}

impl Layout {
    /// Returns an error about the classes with the column that the labels come from.
    fn name_label_column(&self, error: Error) -> Error {
        let of_labels = matches!(
            error.kind,
            ErrorKind::OneClass { .. }
                | ErrorKind::ManyClasses { .. }
                | ErrorKind::NoSuchLabel { .. }
        );
        match self.label {
            Some(k) if of_labels => error.in_column(self.columns.place(k)),
            _ => error,
        }
    }

    fn require_rows(&self, tally: &Tally) -> Result<(), Error> {
        // Without a header, the first record is a row.
        if tally.seen() == 0 { Err(ErrorKind::HeaderOnly.into()) } else { Ok(()) }
    }

    fn parse(&self, chunk: &Chunk) -> Result<Rows, Error> {
        let mut rows = Rows { values: vec![], tally: Tally::default() };
        let plain = plain::parse(self, &chunk.text, &mut rows);
        let mut records = Records::new(&chunk.text[plain..], self.delimiter);
        let mut record = ByteRecord::new();
        while records.next(&mut record)? {
            self.parse_record(&record, &mut rows).map_err(|mut error| {
                error.place.line = Some(chunk.line_at(plain + records.start_of(&record)));
                error
            })?;
        }
        Ok(rows)
    }

    fn parse_record(&self, record: &ByteRecord, rows: &mut Rows) -> Result<(), Error> {
        let expected = self.columns.width;
        if record.len() != expected {
            return Err(ErrorKind::Ragged { found: record.len(), expected }.into());
        }
        let start = rows.values.len();
        let mut keep = true;
        for &k in &self.features {
            match cell::number(&record[k]) {
                Ok(value) => rows.values.push(value),
                Err(fault) => {
                    may_drop(fault, self.missing)
                        .map_err(|error| error.in_column(self.columns.place(k)))?;
                    keep = false;
                }
            }
        }
        let label = self.label.map(|k| label_in(&record[k]));
        if label == Some(None) {
            if self.missing == Missing::Refuse {
                return Err(ErrorKind::NoLabel.into());
            }
            keep = false;
        }
        if keep {
            rows.tally.keep(label.flatten());
        } else {
            rows.values.truncate(start);
            rows.tally.drop_row();
        }
        Ok(())
    }
}

/// Returns the columns as the first record shows them; `chunks` then begin with the first row.
fn first_columns(chunks: &mut Chunks, delimiter: u8, header: Header) -> Result<Columns, Error> {
    for chunk in &mut *chunks {
        let chunk = chunk?;
        let mut records = Records::new(&chunk.text, delimiter);
        let mut record = ByteRecord::new();
        if !records.next(&mut record)? {
            continue;
        }
        let (width, end) = (record.len(), records.position());
        let is_header = match header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => looks_like_header(&record),
        };
        chunks.put_back(if is_header { chunk.after(end) } else { chunk });
        let name = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
        let names = is_header.then(|| record.iter().map(name).collect());
        return Ok(Columns { width, names });
    }
    Err(ErrorKind::Empty.into())
}

fn looks_like_header(record: &ByteRecord) -> bool {
    record.iter().any(|cell| !cell.trim_ascii().is_empty()) && !record.iter().any(cell::is_data)
}

/// The records in a piece of text, blank lines left out.
struct Records<'a> {
    text: &'a [u8],
    /// Bytes that the reader is given before the text.
    before: usize,
    reader: Reader<std::io::Chain<&'a [u8], &'a [u8]>>,
}

impl<'a> Records<'a> {
    fn new(text: &'a [u8], delimiter: u8) -> Self {
        // The csv crate skips a byte order mark at the start of its input, which here may be in
        // the midst of the file: a blank line before it keeps the result free of how text is cut.
        let before: &[u8] = if text.starts_with(BYTE_ORDER_MARK) { b"\n" } else { b"" };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(1 << 16)
            .from_reader(std::io::Read::chain(before, text));
        Records { text, before: before.len(), reader }
    }

    /// Reads the next record; returns false if there is none.
    fn next(&mut self, record: &mut ByteRecord) -> Result<bool, Error> {
        let damaged = |error: ::csv::Error| ErrorKind::Damaged { what: error.to_string() };
        loop {
            if !self.reader.read_byte_record(record).map_err(damaged)? {
                return Ok(false);
            }
            let is_blank =
                record.len() == 1 && !record[0].is_empty() && record[0].trim_ascii().is_empty();
            if !is_blank {
                return Ok(true);
            }
        }
    }

    /// Returns where the next record is to be looked for.
    fn position(&self) -> usize {
        self.reader.position().byte() as usize - self.before
    }

    /// Returns where a record starts, blank lines before it left out.
    fn start_of(&self, record: &ByteRecord) -> usize {
        let byte = record.position().map_or(0, |position| position.byte() as usize);
        let looked_from = byte.saturating_sub(self.before);
        let blank = self.text[looked_from..].iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        looked_from + blank.count()
    }
}

#[cfg(test)]
mod tests;
