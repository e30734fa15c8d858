//! Reads cells between delimiters: CSV and TSV.

mod plain;

use ::csv::{ByteRecord, Reader, ReaderBuilder};
use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::Missing;

use super::columns::{ChosenColumns, TableColumns};
use super::labels::{LabelTally, label_in, may_miss};
use super::piece::{Levels, Piece, RawKind, RawLayout, Values};
use super::survey::{SURVEYED_BYTES, SURVEYED_ROWS, SeenCells};
use super::text::{Chunk, Chunks, in_utf8, parse_in_order};
use super::{Expected, Header, ReadOptions, TableReader, cell};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Delimited text whose header has been read.
pub(super) struct CsvTable {
    chunks: Chunks,
    parser: CsvParser,
}

impl CsvTable {
    /// Returns the table to train on.
    ///
    /// Errors if there is no row, and if a column that was named does not exist.
    pub(super) fn open(
        mut chunks: Chunks,
        delimiter: u8,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Self, Error> {
        let FirstRecords { columns, seen, cell } =
            first_columns(&mut chunks, delimiter, options.header)?;
        if columns.width == 1 && !labels_elsewhere {
            return Err(ErrorKind::OneColumn { found: cell }.into());
        }
        let chosen = columns.choose(options, labels_elsewhere, &seen)?;
        Ok(CsvTable { chunks, parser: CsvParser::new(columns, chosen, delimiter, options) })
    }

    /// Returns the table with the columns that a model expects.
    ///
    /// Errors in the same way, and if they are not there.
    pub(super) fn expecting(
        mut chunks: Chunks,
        delimiter: u8,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<Self, Error> {
        let FirstRecords { columns, .. } = first_columns(&mut chunks, delimiter, options.header)?;
        let chosen = columns.match_expected(options, expected)?;
        let mut parser = CsvParser::new(columns, chosen, delimiter, options);
        parser.label_needed = false;
        Ok(CsvTable { chunks, parser })
    }
}

impl TableReader for CsvTable {
    fn layout(&self) -> &RawLayout {
        &self.parser.layout
    }

    fn pieces(&mut self, take: &mut dyn FnMut(Piece) -> Result<(), Error>) -> Result<(), Error> {
        let CsvTable { chunks, parser } = self;
        let mut any = false;
        parse_in_order(chunks, &|chunk| parser.parse(chunk), &mut |piece| {
            any |= piece.tally.seen() > 0;
            take(piece)
        })?;
        // Without a header, the first record is a row.
        if any { Ok(()) } else { Err(ErrorKind::HeaderOnly.into()) }
    }
}

/// Which cells of a record are read, and how.
struct CsvParser {
    columns: TableColumns,
    features: Vec<usize>,
    label: Option<usize>,
    id: Option<usize>,
    layout: RawLayout,
    delimiter: u8,
    missing: Missing,
    positive: Option<String>,
    /// Whether a row without a label is of no use.
    label_needed: bool,
}

/// The kept rows of a chunk.
struct CsvRows {
    values: Vec<f64>,
    levels: Vec<Levels>,
    tally: LabelTally,
}

impl CsvParser {
    fn new(
        columns: TableColumns,
        chosen: ChosenColumns,
        delimiter: u8,
        options: &ReadOptions,
    ) -> Self {
        let ChosenColumns { features, label, id, layout } = chosen;
        let (missing, positive) = (options.missing, options.positive.clone());
        let label_needed = label.is_some();
        CsvParser {
            columns,
            features,
            label,
            id,
            layout,
            delimiter,
            missing,
            positive,
            label_needed,
        }
    }

    fn parse(&self, chunk: &Chunk) -> Result<Piece, Error> {
        let categories = self.layout.columns.iter().filter(|c| c.kind == RawKind::Category).count();
        let levels = vec![Levels::default(); categories];
        let mut rows = CsvRows { values: vec![], levels, tally: LabelTally::default() };
        let plain = plain::parse(self, &chunk.text, &mut rows);
        let mut records = Records::new(&chunk.text[plain..], self.delimiter);
        let mut record = ByteRecord::new();
        while records.next(&mut record)? {
            self.parse_record(&record, &mut rows).map_err(|mut error| {
                error.place.line = Some(chunk.line_at(plain + records.start_of(&record)));
                error
            })?;
        }
        Ok(Piece { values: Values::F64(rows.values), levels: rows.levels, tally: rows.tally })
    }

    fn parse_record(&self, record: &ByteRecord, rows: &mut CsvRows) -> Result<(), Error> {
        let expected = self.columns.width;
        if record.len() != expected {
            return Err(ErrorKind::Ragged { found: record.len(), expected }.into());
        }
        let start = rows.values.len();
        let mut keep = true;
        let mut levels = rows.levels.iter_mut();
        // Levels count once it is known that the row is kept.
        let mut met = vec![];
        for (&k, raw) in self.features.iter().zip(&self.layout.columns) {
            let cell = &record[k];
            let found = match raw.kind {
                RawKind::Number => cell::number(cell),
                RawKind::Category => {
                    let place = rows.values.len();
                    met.push((place, cell, levels.next().expect("levels for each category")));
                    cell::word(cell).map(|_| 0.0)
                }
            };
            match found {
                Ok(value) => rows.values.push(value),
                Err(fault) => {
                    may_miss(fault, self.missing)
                        .map_err(|error| error.in_column(raw.column.clone()))?;
                    keep &= self.missing.is_filled();
                    rows.values.push(f64::NAN);
                }
            }
        }
        let label = self.label.map(|k| label_in(&record[k], self.positive.as_deref()));
        if label == Some(None) && self.label_needed {
            if self.missing == Missing::Refuse {
                let found =
                    self.label.map_or(String::new(), |k| cell::excerpt(record[k].trim_ascii()));
                return Err(self.about_label(ErrorKind::NoLabel { found }.into()));
            }
            keep = false;
        }
        if !keep {
            rows.values.truncate(start);
            rows.tally.drop_row();
            return Ok(());
        }
        for (place, cell, levels) in met {
            if !rows.values[place].is_nan() {
                rows.values[place] = levels.meet(&cell::text(cell), 1).into();
            }
        }
        rows.tally.keep(label.map(Option::unwrap_or_default));
        if let Some(k) = self.id {
            rows.tally.name(record[k].trim_ascii());
        }
        Ok(())
    }

    fn about_label(&self, error: Error) -> Error {
        match self.label {
            Some(k) => error.in_column(self.columns.place(k)),
            None => error,
        }
    }
}

/// What the first records show.
struct FirstRecords {
    columns: TableColumns,
    /// What the first cells of each column look like.
    seen: Vec<SeenCells>,
    /// The very first cell, shortened.
    cell: String,
}

/// Returns what the first records show; `chunks` then begin with the first row.
///
/// Errors if there is none, and if names are not UTF-8.
fn first_columns(
    chunks: &mut Chunks,
    delimiter: u8,
    header: Header,
) -> Result<FirstRecords, Error> {
    let mut columns: Option<TableColumns> = None;
    let (mut looked, mut seen, mut rows, mut bytes) = (vec![], vec![], 0, 0);
    let mut first_cell = String::new();
    let mut record = ByteRecord::new();
    // Records are counted, not chunks, so that how text is cut does not matter.
    while rows < SURVEYED_ROWS && bytes < SURVEYED_BYTES {
        let chunk = match chunks.next() {
            Some(Ok(chunk)) => chunk,
            // There may be errors before this one.
            Some(Err(fault)) if columns.is_some() => {
                chunks.put_back_fault(fault);
                break;
            }
            Some(Err(fault)) => return Err(fault),
            None => break,
        };
        let mut records = Records::new(&chunk.text, delimiter);
        let (mut start, mut blank) = (0, true);
        while rows < SURVEYED_ROWS && bytes < SURVEYED_BYTES && records.next(&mut record)? {
            bytes += record.as_slice().len();
            blank = false;
            if columns.is_none() {
                let is_header = match header {
                    Header::Yes => true,
                    Header::No => false,
                    Header::Auto => looks_like_header(&record),
                };
                let name = |cell: &[u8]| String::from_utf8_lossy(cell.trim_ascii()).into_owned();
                let names = is_header.then(|| record.iter().map(name).collect());
                columns = Some(TableColumns { width: record.len(), names });
                first_cell = cell::excerpt(record[0].trim_ascii());
                seen.resize(record.len(), SeenCells::default());
                if is_header {
                    start = records.position();
                    in_utf8(&chunk, start)?;
                    continue;
                }
            }
            record.iter().zip(&mut seen).for_each(|(cell, seen)| seen.look(cell));
            rows += 1;
        }
        // There may be any number of blank lines.
        if !blank {
            looked.push(if start > 0 { chunk.after(start) } else { chunk });
        }
    }
    chunks.put_back(looked);
    Ok(FirstRecords { columns: columns.ok_or(ErrorKind::Empty)?, seen, cell: first_cell })
}

/// Returns the line at which a row starts, rows counted from 1; none if there is no such row.
pub(super) fn line_of_row(
    mut chunks: Chunks,
    delimiter: u8,
    header: Header,
    row: u64,
) -> Result<Option<u64>, Error> {
    first_columns(&mut chunks, delimiter, header)?;
    let (mut rows, mut record) = (0, ByteRecord::new());
    for chunk in chunks {
        let chunk = chunk?;
        let mut records = Records::new(&chunk.text, delimiter);
        while records.next(&mut record)? {
            rows += 1;
            if rows == row {
                return Ok(Some(chunk.line_at(records.start_of(&record))));
            }
        }
    }
    Ok(None)
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
