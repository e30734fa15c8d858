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
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::read::text::Boundary;

    fn chunks(text: &str, bytes: usize) -> Chunks {
        let text = Box::new(Cursor::new(text.as_bytes().to_vec()));
        Chunks::new(text, Boundary::line(), bytes)
    }

    fn show_row(features: &Features, i: usize) -> String {
        let mut pairs = vec![];
        features.for_each(i, |k, v| pairs.push(format!("{k}={v}")));
        pairs.join(" ")
    }

    fn show(text: &str, options: &ReadOptions, bytes: usize) -> String {
        match read(chunks(text, bytes), options, None, &|_| {}) {
            Ok(samples) => {
                let rows: Vec<String> = (0..samples.rows())
                    .map(|i| {
                        let sign = if samples.positive()[i] { '+' } else { '-' };
                        format!("{sign} {}", show_row(samples.features(), i)).trim_end().to_string()
                    })
                    .collect();
                let (columns, base) = (samples.columns(), samples.index_base());
                let dropped = samples.dropped();
                format!("{} | {columns} columns from {base}, {dropped} dropped", rows.join(" | "))
            }
            Err(error) => error.to_string(),
        }
    }

    fn check(text: &str, options: ReadOptions, expected: &str) {
        for bytes in [1, 7, 1 << 20] {
            assert_eq!(show(text, &options, bytes), expected, "{text:?} by {bytes}");
        }
    }

    fn base(base: u8) -> ReadOptions {
        ReadOptions { index_base: Some(base), ..ReadOptions::default() }
    }

    fn dropping() -> ReadOptions {
        ReadOptions { missing: Missing::Drop, ..ReadOptions::default() }
    }

    #[test]
    fn rows_of_pairs() {
        let auto = ReadOptions::default;
        check("1 1:0.5 3:2\n-1 2:1", auto(), "+ 0=0.5 2=2 | - 1=1 | 3 columns from 1, 0 dropped");
        check("1 0:1\n-1 2:1\n", auto(), "+ 0=1 | - 2=1 | 3 columns from 0, 0 dropped");
        check("1 1:1\n-1 2:1\n", base(0), "+ 1=1 | - 2=1 | 3 columns from 0, 0 dropped");
        check(
            "# head\r\n\r\n+1\tqid:7  3:1 1:-2 # 9:9\r\n   \n-1\r\n",
            auto(),
            "+ 0=-2 2=1 | - | 3 columns from 1, 0 dropped",
        );
        check("a 1:1\nb 1:2\n", auto(), "- 0=1 | + 0=2 | 1 columns from 1, 0 dropped");
    }

    #[test]
    fn what_is_wrong_is_told_by_line() {
        let auto = ReadOptions::default;
        check("1 1:1\n\n-1 x:1\n", auto(), "line 3: expected index:value, found \"x:1\"");
        check("1 1:1\n-1 2\n", auto(), "line 2: expected index:value, found \"2\"");
        check("1 :1\n", auto(), "line 1: expected index:value, found \":1\"");
        check("1 1:1\n-1 0:1\n", base(1), "line 2: expected index:value, found \"0:1\"");
        check("1 4294967296:1\n", auto(), "line 1: expected index:value, found \"4294967296:1\"");
        check("1 2:1 1:1 2:1\n", auto(), "line 1: feature index 2 stands twice");
        check("1 2:x\n", auto(), "line 1, column 2: expected a number, found \"x\"");
        check("1 2:\n", auto(), "line 1, column 2: expected a finite number, found nothing");
        check("1 2:inf\n", auto(), "line 1, column 2: expected a finite number, found inf");
        check("1 2:1e999\n", auto(), "line 1, column 2: expected a finite number, found 1e999");
        check("1:1 2:1\n", auto(), "line 1: expected a label, found nothing");
        check("", auto(), "expected data, found an empty file");
        check("# only\n\n", auto(), "expected data, found an empty file");
        check("1\n-1\n", auto(), "expected at least one feature, found none");
        let features = Some(vec![]);
        check(
            "1 1:1",
            ReadOptions { features, ..auto() },
            "cannot read a choice of feature columns in libsvm data; \
             expected csv, tsv or npy data for that",
        );
    }

    #[test]
    fn rows_with_missing_values_can_be_dropped() {
        check(
            "1 1:nan 0:1\n1 2:1\n2:7\n-1 1:1\n",
            dropping(),
            "+ 2=1 | - 1=1 | 3 columns from 0, 2 dropped",
        );
        check("1 1:nan\n-1 1:x\n", dropping(), "line 2, column 1: expected a number, found \"x\"");
        check("1 1:nan 1:2\n", dropping(), "line 1: feature index 1 stands twice");
        check(
            "1 1:nan\n",
            dropping(),
            "expected at least one row, found none (1 dropped for missing values)",
        );
    }

    fn check_stream(text: &str, options: ReadOptions, features: usize, expected: &str) {
        for bytes in [1, 9, 1 << 20] {
            let wanted = Expected { features, names: None, index_base: 1 };
            let mut rows = vec![];
            let result = stream(chunks(text, bytes), &options, &wanted, &mut |block| {
                assert_eq!(block.features.columns(), features);
                for (i, row) in block.rows.iter().enumerate() {
                    rows.push(format!("{row}: {}", show_row(&block.features, i)));
                }
                Ok(())
            });
            let found = match result {
                Ok(summary) => format!("{} | {} dropped", rows.join(" | "), summary.dropped),
                Err(error) => error.to_string(),
            };
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_stream_needs_no_labels() {
        let auto = ReadOptions::default;
        check_stream("1 1:5\n2:6 3:7\n", auto(), 3, "1: 0=5 | 2: 1=6 2=7 | 0 dropped");
        check_stream("1 1:5\n2:6 0:7\n", base(0), 3, "1: 1=5 | 2: 0=7 2=6 | 0 dropped");
        check_stream("1:nan\n2:6\n", dropping(), 2, "2: 1=6 | 1 dropped");
        check_stream("1:1\n2:6\n", auto(), 1, "line 2: expected 1 features, found 2");
        check_stream("0:1\n", auto(), 1, "line 1: expected index:value, found \"0:1\"");
        check_stream("\n", auto(), 1, "expected data, found an empty file");
    }

    proptest! {
        #[test]
        fn any_text_reads_the_same_in_any_pieces(
            text in "([01ab] ([0-3]:[0-9nx]{1,2} ?){0,3}(#.)?\r?\n){0,6}[ -~\n]{0,4}",
            bytes in 1usize..64,
        ) {
            for options in [ReadOptions::default(), dropping(), base(1)] {
                let whole = show(&text, &options, 1 << 20);
                prop_assert_eq!(show(&text, &options, bytes), whole);
            }
        }
    }
}
