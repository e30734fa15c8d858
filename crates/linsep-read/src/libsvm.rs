//! Reads `label [qid:n] index:value … [# comment]`, a row a line: the format of LIBSVM, LIBLINEAR
//! and SVMlight.

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::memory;
use linsep_data::samples::Missing;

use super::labels::{LabelTally, label_in, may_miss};
use super::piece::{Piece, RawLayout, SparseRows, Values};
use super::text::{Chunk, Chunks, parse_in_order};
use super::{Categorical, Expected, ReadOptions, TableReader, cell};

/// What a feature takes at least in whatever is computed from the rows: a few vectors of one number per
/// feature, such as the weights, those being found, and the sums of a pass.
const BYTES_PER_FEATURE: u64 = 4 * size_of::<f64>() as u64;

/// Less is never asked about.
const SMALL_BYTES: u64 = 1 << 28;

/// libsvm text.
pub(super) struct LibsvmTable {
    chunks: Chunks,
    parser: LibsvmParser,
    layout: RawLayout,
}

impl LibsvmTable {
    /// Returns the table to train on; the first word of a line is its label unless labels stand
    /// elsewhere.
    ///
    /// Errors if columns were chosen: there are none.
    pub(super) fn open(
        chunks: Chunks,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Self, Error> {
        refuse_columns(options.label.is_some(), "a choice of the label column in libsvm data")?;
        let parser = LibsvmParser {
            base: options.index_base,
            limit: None,
            labelled: !labels_elsewhere,
            label_needed: !labels_elsewhere,
            missing: options.missing,
            positive: options.positive.clone(),
        };
        Self::new(chunks, options, parser)
    }

    /// Returns the table with the features that a model expects. Errors in the same way.
    pub(super) fn expecting(
        chunks: Chunks,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<Self, Error> {
        let parser = LibsvmParser {
            base: Some(options.index_base.unwrap_or(expected.index_base)),
            limit: Some(expected.features),
            labelled: true,
            label_needed: false,
            missing: options.missing,
            positive: options.positive.clone(),
        };
        Self::new(chunks, options, parser)
    }

    fn new(chunks: Chunks, options: &ReadOptions, parser: LibsvmParser) -> Result<Self, Error> {
        refuse_columns(options.features.is_some(), "a choice of feature columns in libsvm data")?;
        refuse_columns(!options.exclude.is_empty(), "columns to leave out of libsvm data")?;
        refuse_columns(options.row_id.is_some(), "a column that names rows in libsvm data")?;
        let categories = matches!(options.categorical, Categorical::Columns(_));
        refuse_columns(categories, "categories in libsvm data")?;
        refuse_columns(options.missing.is_filled(), "missing values to fill in libsvm data")?;
        Ok(LibsvmTable { chunks, parser, layout: RawLayout::default() })
    }
}

impl TableReader for LibsvmTable {
    fn layout(&self) -> &RawLayout {
        &self.layout
    }

    fn pieces(&mut self, take: &mut dyn FnMut(Piece) -> Result<(), Error>) -> Result<(), Error> {
        let LibsvmTable { chunks, parser, .. } = self;
        let (mut any, mut largest) = (false, 0);
        parse_in_order(chunks, &|chunk| parser.parse(chunk), &mut |piece| {
            any |= piece.tally.seen() > 0;
            if let Values::Sparse(SparseRows { largest: Some((index, line)), .. }) = &piece.values
                && *index > largest
            {
                largest = *index;
                check_memory(largest, *line)?;
            }
            take(piece)
        })?;
        if any { Ok(()) } else { Err(ErrorKind::Empty.into()) }
    }
}

/// Errors if there is no memory for the weights that an index asks for: every feature up to it has one.
fn check_memory(index: u32, line: u64) -> Result<(), Error> {
    let bytes = (u64::from(index) + 1) * BYTES_PER_FEATURE;
    match memory::available() {
        Some(available) if bytes >= SMALL_BYTES && bytes > available => {
            let index = u64::from(index);
            Err(ErrorKind::IndexMemory { index, bytes, available }.at_line(line))
        }
        _ => Ok(()),
    }
}

fn refuse_columns(given: bool, what: &str) -> Result<(), Error> {
    if given {
        let expected = "csv, tsv or npy data for that";
        return Err(ErrorKind::Unsupported { found: what.to_string(), expected }.into());
    }
    Ok(())
}

/// How a line is read.
struct LibsvmParser {
    /// The number of the first feature, if it is known.
    base: Option<u8>,
    /// The number of features, if it is known.
    limit: Option<usize>,
    /// Whether the first word is a label that counts.
    labelled: bool,
    /// Whether a row without a label is of no use.
    label_needed: bool,
    missing: Missing,
    positive: Option<String>,
}

/// The kept rows of a chunk.
#[derive(Default)]
struct LibsvmRows {
    sparse: SparseRows,
    tally: LabelTally,
}

impl LibsvmParser {
    fn parse(&self, chunk: &Chunk) -> Result<Piece, Error> {
        let mut rows = LibsvmRows::default();
        let mut pairs = vec![];
        let (mut start, mut largest) = (0, None);
        for line in chunk.text.split_inclusive(|&b| b == b'\n') {
            let content = match memchr::memchr(b'#', line) {
                Some(comment) => &line[..comment],
                None => line,
            };
            if !content.trim_ascii().is_empty() {
                self.parse_line(content, &mut pairs, &mut rows).map_err(|mut error| {
                    error.place.line = Some(chunk.line_at(start));
                    error
                })?;
            }
            // Pairs are in order; those of rows that are left out make no feature.
            let last = rows.sparse.indices.last().copied();
            if last > largest.map(|(index, _)| index) {
                largest = last.map(|index| (index, start));
            }
            start += line.len();
        }
        let LibsvmRows { mut sparse, tally } = rows;
        sparse.largest = largest.map(|(index, start)| (index, chunk.line_at(start)));
        Ok(Piece { values: Values::Sparse(sparse), levels: vec![], tally })
    }

    /// `pairs` is room to work in.
    fn parse_line(
        &self,
        line: &[u8],
        pairs: &mut Vec<(u32, f64)>,
        rows: &mut LibsvmRows,
    ) -> Result<(), Error> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).peekable();
        let first = words.next_if(|word| !word.contains(&b':'));
        let label = first.and_then(|word| label_in(word, self.positive.as_deref()));
        let mut keep = true;
        if self.label_needed && label.is_none() {
            if self.missing == Missing::Refuse {
                let found = first.map_or(String::new(), cell::excerpt);
                return Err(ErrorKind::NoLabel { found }.into());
            }
            keep = false;
        }
        pairs.clear();
        for word in words.filter(|word| !word.starts_with(b"qid:")) {
            let (index, value) = self.parse_pair(word)?;
            match cell::number(value) {
                Ok(value) => pairs.push((index, value)),
                Err(fault)
                    if matches!(fault.kind, ErrorKind::NotANumber { .. }) && !fault.missing =>
                {
                    return Err(ErrorKind::BadIndex { found: cell::excerpt(word) }.into());
                }
                Err(fault) => {
                    may_miss(fault, self.missing)
                        .map_err(|error| error.in_column(Column::Number(index as usize)))?;
                    // Its index still counts among the duplicates.
                    pairs.push((index, 0.0));
                    keep = false;
                }
            }
        }
        if !pairs.is_sorted_by_key(|pair| pair.0) {
            pairs.sort_by_key(|pair| pair.0);
        }
        if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(ErrorKind::DuplicateIndex { index: u64::from(twice[0].0) }.into());
        }
        // The base is that of the file, so rows that are left out count too.
        rows.sparse.has_zero |= pairs.first().is_some_and(|pair| pair.0 == 0);
        if !keep {
            rows.tally.drop_row();
            return Ok(());
        }
        rows.sparse.indices.extend(pairs.iter().map(|pair| pair.0));
        rows.sparse.values.extend(pairs.iter().map(|pair| pair.1));
        rows.sparse.ends.push(rows.sparse.values.len());
        rows.tally.keep(self.labelled.then(|| label.unwrap_or_default()));
        Ok(())
    }

    fn parse_pair<'a>(&self, word: &'a [u8]) -> Result<(u32, &'a [u8]), Error> {
        let bad = || ErrorKind::BadIndex { found: cell::excerpt(word) };
        let colon = memchr::memchr(b':', word).ok_or_else(bad)?;
        let digits = &word[..colon];
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return Err(bad().into());
        }
        let first = self.base.unwrap_or(0);
        let out_of_range = || ErrorKind::IndexRange { found: cell::excerpt(digits), first };
        let index = parse_index(digits).ok_or_else(out_of_range)?;
        let feature = index.checked_sub(u32::from(first)).ok_or_else(out_of_range)?;
        if let Some(expected) = self.limit.filter(|&limit| feature as usize >= limit) {
            return Err(ErrorKind::WrongFeatures { found: feature as usize + 1, expected }.into());
        }
        Ok((index, &word[colon + 1..]))
    }
}

/// Returns the number that digits are, if it fits.
fn parse_index(digits: &[u8]) -> Option<u32> {
    digits
        .iter()
        .try_fold(0u32, |index, &digit| index.checked_mul(10)?.checked_add(u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests;
