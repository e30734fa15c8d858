//! Reads `label [qid:n] index:value … [# comment]`, a row a line: the format of LIBSVM, LIBLINEAR
//! and SVMlight.

use super::labels::{LabelFile, Tally, label_in, may_drop};
use super::text::{Chunk, Chunks, parse_in_order};
use super::{Block, Expected, ReadOptions, StreamSummary, cell};
use crate::error::{Column, Error, ErrorKind};
use crate::samples::{Features, Missing, Samples, Sparse};

/// Returns the samples of libsvm text.
pub(super) fn read(
    mut chunks: Chunks,
    options: &ReadOptions,
    labels: Option<LabelFile>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Samples, Error> {
    refuse_columns(options.features.is_some(), "a choice of feature columns in libsvm data")?;
    refuse_columns(options.label.is_some(), "a choice of the label column in libsvm data")?;
    let layout = Layout {
        base: options.index_base,
        limit: None,
        labelled: labels.is_none(),
        missing: options.missing,
    };
    let mut all = Rows::default();
    parse_in_order(&mut chunks, &|chunk| layout.parse(chunk), &mut |rows| {
        all.append(rows);
        progress(all.tally.seen());
        Ok(())
    })?;
    if all.tally.seen() == 0 {
        return Err(ErrorKind::Empty.into());
    }
    let base = options.index_base.unwrap_or(u8::from(!all.has_zero));
    let columns = all.indices.iter().max().map_or(0, |&k| k as usize + 1 - usize::from(base));
    let (features, tally) = all.into_sparse(base, columns)?;
    Ok(tally.into_samples(features, labels, options)?.with_index_base(base))
}

/// Hands the rows of libsvm text on, a block for each chunk.
pub(super) fn stream(
    mut chunks: Chunks,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(Block) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    refuse_columns(options.features.is_some(), "a choice of feature columns in libsvm data")?;
    let base = options.index_base.unwrap_or(expected.index_base);
    let layout = Layout {
        base: Some(base),
        limit: Some(expected.features),
        labelled: false,
        missing: options.missing,
    };
    let mut total = Tally::default();
    parse_in_order(&mut chunks, &|chunk| layout.parse(chunk), &mut |rows| {
        let (features, tally) = rows.into_sparse(base, expected.features)?;
        let numbers = tally.kept_rows(total.seen());
        total.append(tally);
        if numbers.is_empty() {
            return Ok(());
        }
        each(Block { features, rows: numbers })
    })?;
    if total.seen() == 0 {
        return Err(ErrorKind::Empty.into());
    }
    Ok(StreamSummary { rows: total.seen() - total.dropped(), dropped: total.dropped() })
}

fn refuse_columns(given: bool, what: &str) -> Result<(), Error> {
    if given {
        let expected = "csv, tsv or npy data for that";
        return Err(ErrorKind::Unsupported { found: what.to_string(), expected }.into());
    }
    Ok(())
}

/// How a line is read.
struct Layout {
    /// The number of the first feature, if it is known.
    base: Option<u8>,
    /// The number of features, if it is known.
    limit: Option<usize>,
    /// Whether the first word is a label that counts.
    labelled: bool,
    missing: Missing,
}

/// The kept rows of a chunk, their indices as they stand in the file.
#[derive(Default)]
struct Rows {
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    has_zero: bool,
    tally: Tally,
}

impl Rows {
    fn append(&mut self, other: Rows) {
        let before = self.values.len();
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.indices.extend_from_slice(&other.indices);
        self.values.extend_from_slice(&other.values);
        self.has_zero |= other.has_zero;
        self.tally.append(other.tally);
    }

    fn into_sparse(mut self, base: u8, columns: usize) -> Result<(Features, Tally), Error> {
        // No index is below the base: the parser saw to it.
        self.indices.iter_mut().for_each(|k| *k -= u32::from(base));
        self.ends.insert(0, 0);
        let sparse = Sparse::new(self.ends, self.indices, self.values, columns);
        Ok((Features::Sparse(sparse.map_err(ErrorKind::Sparse)?), self.tally))
    }
}

impl Layout {
    fn parse(&self, chunk: &Chunk) -> Result<Rows, Error> {
        let mut rows = Rows::default();
        let mut pairs = vec![];
        let mut start = 0;
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
            start += line.len();
        }
        Ok(rows)
    }

    /// `pairs` is room to work in.
    fn parse_line(
        &self,
        line: &[u8],
        pairs: &mut Vec<(u32, f64)>,
        rows: &mut Rows,
    ) -> Result<(), Error> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).peekable();
        let label = words.next_if(|word| !word.contains(&b':')).and_then(label_in);
        let mut keep = true;
        if self.labelled && label.is_none() {
            if self.missing == Missing::Refuse {
                return Err(ErrorKind::NoLabel.into());
            }
            keep = false;
        }
        pairs.clear();
        for word in words.filter(|word| !word.starts_with(b"qid:")) {
            let (index, value) = self.parse_pair(word)?;
            match cell::number(value) {
                Ok(value) => pairs.push((index, value)),
                Err(fault) => {
                    may_drop(fault, self.missing)
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
        rows.has_zero |= pairs.first().is_some_and(|pair| pair.0 == 0);
        if !keep {
            rows.tally.drop_row();
            return Ok(());
        }
        rows.indices.extend(pairs.iter().map(|pair| pair.0));
        rows.values.extend(pairs.iter().map(|pair| pair.1));
        rows.ends.push(rows.values.len());
        rows.tally.keep(label.filter(|_| self.labelled));
        Ok(())
    }

    fn parse_pair<'a>(&self, word: &'a [u8]) -> Result<(u32, &'a [u8]), Error> {
        let bad = || ErrorKind::BadIndex { found: cell::excerpt(word) };
        let colon = memchr::memchr(b':', word).ok_or_else(bad)?;
        let index = parse_index(&word[..colon]).ok_or_else(bad)?;
        let base = self.base.unwrap_or(0);
        let Some(feature) = index.checked_sub(u32::from(base)) else { return Err(bad().into()) };
        if let Some(expected) = self.limit.filter(|&limit| feature as usize >= limit) {
            return Err(ErrorKind::WrongFeatures { found: feature as usize + 1, expected }.into());
        }
        Ok((index, &word[colon + 1..]))
    }
}

fn parse_index(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u32, |index, &digit| {
        let digit = digit.is_ascii_digit().then(|| u32::from(digit - b'0'))?;
        index.checked_mul(10)?.checked_add(digit)
    })
}

#[cfg(test)]
mod tests;
