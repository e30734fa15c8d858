//! Labels and rows as they add up: labels beside the data, labels in a file of their own, and rows
//! that are left out.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use linsep_data::error::{Error, ErrorKind, path_name};
use linsep_data::memory;
use linsep_data::samples::{Features, LabelTable, Labels, Missing, RowIds};

use super::Format;
use super::compression::read_error;
use super::meter::Meter;
use super::source::{Input, Source};
use super::{ReadOptions, cell, foreign, npy};

/// A longer line holds no label.
const LONGEST_LINE: u64 = 1 << 20;

/// The rows of a table: how many there were, which were left out, and the labels and names of the
/// others, where they have any.
#[derive(Default)]
pub(super) struct LabelTally {
    seen: u64,
    /// Counted from 0, in order.
    dropped: Vec<u64>,
    labels: LabelTable,
    ids: RowIds,
}

/// Rows with their labels, those left out not among them.
pub(super) struct Settled<L> {
    pub(super) features: Features,
    pub(super) labels: L,
    pub(super) ids: Option<RowIds>,
    /// Those left out, counted from 0, in order.
    pub(super) dropped: Vec<u64>,
}

/// The labels of rows that are kept, and the rows that are not.
pub(super) struct SettledRows {
    pub(super) labels: Labels,
    /// Counted from 0, in order.
    pub(super) dropped: Vec<u64>,
    /// Those of them that are left out because a file has no label for them, counted among the rows that
    /// were kept before.
    pub(super) without_label: Vec<u64>,
}

impl LabelTally {
    /// Returns a tally of rows that are all kept, without their labels, and with their names if they have
    /// any.
    pub(super) fn of_rows(seen: u64, ids: Option<RowIds>) -> Self {
        LabelTally { seen, ids: ids.unwrap_or_default(), ..LabelTally::default() }
    }

    /// Counts a row that is kept, with its label if it has one beside it.
    pub(super) fn keep(&mut self, label: Option<&[u8]>) {
        self.seen += 1;
        if let Some(label) = label {
            self.labels.push(&String::from_utf8_lossy(label));
        }
    }

    /// Names the row that was counted last.
    pub(super) fn name(&mut self, id: &[u8]) {
        self.ids.push(&String::from_utf8_lossy(id));
    }

    /// Returns the tally of the same rows if only these are kept, counted from 0 among those kept so
    /// far, which are all.
    pub(super) fn keeping(mut self, keep: &[usize]) -> Self {
        let mut kept = keep.iter().peekable();
        let gone = |row: &usize| kept.next_if_eq(&row).is_none();
        self.dropped = (0..self.seen as usize).filter(gone).map(|row| row as u64).collect();
        let left = |row: usize| keep.binary_search(&row).is_ok();
        if !self.labels.is_empty() {
            self.labels = self.labels.filtered(left);
        }
        if !self.ids.is_empty() {
            self.ids = self.ids.select(keep.iter().copied());
        }
        self
    }

    /// Counts a row that is left out.
    pub(super) fn drop_row(&mut self) {
        self.dropped.push(self.seen);
        self.seen += 1;
    }

    /// Adds the rows of another tally, which come after those of this one.
    ///
    /// Errors if there is no memory for them.
    pub(super) fn append(&mut self, other: LabelTally) -> Result<(), Error> {
        memory::reserve(&mut self.dropped, other.dropped.len())?;
        self.dropped.extend(other.dropped.iter().map(|row| self.seen + row));
        self.seen += other.seen;
        self.labels.reserve(other.labels.len())?;
        self.labels.append(other.labels);
        self.ids.reserve(&other.ids)?;
        self.ids.append(&other.ids);
        Ok(())
    }

    /// Returns the number of rows, those left out included.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// Returns the number of rows left out.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.len() as u64
    }

    /// Returns the number of rows that are kept.
    pub(super) fn kept(&self) -> u64 {
        self.seen - self.dropped()
    }

    /// Takes the names of the rows away.
    pub(super) fn take_ids(&mut self) -> RowIds {
        std::mem::take(&mut self.ids)
    }

    /// Returns the labels that stand beside the rows.
    pub(super) fn labels(&self) -> &LabelTable {
        &self.labels
    }

    /// Returns the names of the rows, none where they have none.
    pub(super) fn ids(&self) -> Option<&RowIds> {
        Some(&self.ids).filter(|ids| !ids.is_empty())
    }

    /// Returns the numbers of the rows that were kept, counted from 1 after `before` others.
    pub(super) fn kept_rows(&self, before: u64) -> Vec<u64> {
        let mut dropped = self.dropped.iter().peekable();
        (0..self.seen)
            .filter(|row| dropped.next_if_eq(&row).is_none())
            .map(|row| before + row + 1)
            .collect()
    }

    /// Returns the labels of the kept rows, from `file` if there is one, and all rows that are left out.
    ///
    /// Errors as [`LabelTally::settle`] does.
    pub(super) fn settle_rows(
        mut self,
        file: Option<LabelFile>,
        options: &ReadOptions,
    ) -> Result<SettledRows, Error> {
        let before = self.kept() as usize;
        let mut without_label = vec![];
        if let Some(file) = file
            && let Some(keep) = self.take_labels(file, true)?
        {
            let gone = |row: &usize| keep.binary_search(row).is_err();
            without_label = (0..before).filter(gone).map(|row| row as u64).collect();
        }
        if self.kept() == 0 {
            return Err(ErrorKind::NoRows { dropped: self.dropped.len() }.into());
        }
        let labels = self.labels.into_classes(options.positive.as_deref())?;
        Ok(SettledRows { labels, dropped: self.dropped, without_label })
    }

    /// Returns the kept rows with their labels, from `file` if there is one; rows whose label is missing
    /// there are left out too.
    ///
    /// Errors if the file has another number of labels, if no row is left, and as `classes` does, which makes
    /// something of the labels.
    pub(super) fn settle<L>(
        mut self,
        mut features: Features,
        file: Option<LabelFile>,
        classes: impl FnOnce(LabelTable) -> Result<L, Error>,
    ) -> Result<Settled<L>, Error> {
        if let Some(file) = file
            && let Some(keep) = self.take_labels(file, true)?
        {
            features.require_rows(keep.len())?;
            features = features.select_rows(&keep);
        }
        if self.kept() == 0 {
            return Err(ErrorKind::NoRows { dropped: self.dropped.len() }.into());
        }
        let labels = classes(self.labels)?;
        let ids = Some(self.ids).filter(|ids| !ids.is_empty());
        Ok(Settled { features, labels, ids, dropped: self.dropped })
    }

    /// Takes labels from a file. Returns which of the rows kept so far are left, counted from 0 among
    /// them, if some are not because their label is missing and needed.
    pub(super) fn take_labels(
        &mut self,
        mut file: LabelFile,
        needed: bool,
    ) -> Result<Option<Vec<usize>>, Error> {
        if !needed {
            file.missing.clear();
        }
        file.check_count(self.seen)?;
        if self.dropped.is_empty() && file.missing.is_empty() {
            self.labels = file.table;
            return Ok(None);
        }
        let is_in = |rows: &[u64], row: u64| rows.binary_search(&row).is_ok();
        let both: Vec<u64> = (0..self.seen)
            .filter(|&row| is_in(&self.dropped, row) || is_in(&file.missing, row))
            .collect();
        self.labels = file.table.filtered(|row| !is_in(&both, row as u64));
        let left = (!file.missing.is_empty()).then(|| {
            let rows = self.kept_rows(0);
            (0..rows.len()).filter(|&i| !is_in(&file.missing, rows[i] - 1)).collect::<Vec<_>>()
        });
        if let Some(keep) = left.as_ref().filter(|_| !self.ids.is_empty()) {
            self.ids = self.ids.select(keep.iter().copied());
        }
        self.dropped = both;
        Ok(left)
    }
}

/// The labels of all rows, from a file of their own or a column of an array.
#[derive(Default)]
pub(super) struct LabelFile {
    name: String,
    table: LabelTable,
    /// Rows without a label, counted from 0; the table holds an empty one for each.
    missing: Vec<u64>,
}

impl LabelFile {
    /// Returns the labels in a file: an npy array, or text with one per line.
    ///
    /// Errors if it cannot be read, and if a label is missing, unless such rows are to be dropped.
    pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let name = path_name(path);
        Self::open(path, options).map_err(|error| error.in_source(&name))
    }

    fn open(path: &Path, options: &ReadOptions) -> Result<Self, Error> {
        let missing = options.missing;
        let source = Source::File(path.to_path_buf());
        let input = Input::open(&source, &Meter::default())?;
        let mut file = LabelFile { name: source.name(), ..LabelFile::default() };
        if input.head().starts_with(b"\x93NUMPY") || Format::by_extension(path) == Some(Format::Npy)
        {
            npy::read_labels(input, &mut |label, row| {
                file.push(label, missing, |kind| kind.at_row(row))
            })?;
        } else {
            if let Some(foreign) = foreign::in_place_of_text(input.head()) {
                return Err(ErrorKind::Foreign(foreign).into());
            }
            file.read_lines(input.into_text(), missing, options.positive.as_deref())?;
        }
        if file.table.is_empty() {
            return Err(ErrorKind::Empty.into());
        }
        Ok(file)
    }

    /// Returns the labels of these rows, counted from 1; an empty one where there is none.
    pub(super) fn of_rows(&self, rows: &[u64]) -> LabelTable {
        self.table.select(rows.iter().map(|&row| row as usize - 1))
    }

    /// Errors if there are not as many labels as rows.
    pub(super) fn check_count(&self, rows: u64) -> Result<(), Error> {
        if self.table.len() as u64 == rows {
            return Ok(());
        }
        let kind = ErrorKind::LabelCount { labels: self.table.len(), rows: rows as usize };
        Err(Error::from(kind).in_source(&self.name))
    }

    /// Adds a label, or the lack of one.
    pub(super) fn push(
        &mut self,
        label: Option<&str>,
        missing: Missing,
        at: impl FnOnce(ErrorKind) -> Error,
    ) -> Result<(), Error> {
        if label.is_none() {
            if missing == Missing::Refuse {
                return Err(at(ErrorKind::NoLabel { found: String::new() }));
            }
            memory::reserve(&mut self.missing, 1)?;
            self.missing.push(self.table.len() as u64);
        }
        self.table.reserve(1)?;
        self.table.push(label.unwrap_or_default());
        Ok(())
    }

    fn read_lines(
        &mut self,
        text: Box<dyn Read + Send>,
        missing: Missing,
        positive: Option<&str>,
    ) -> Result<(), Error> {
        let mut text = BufReader::new(text);
        let mut line = vec![];
        let (mut number, mut first_blank) = (0, None);
        loop {
            line.clear();
            let mut limited = (&mut text).take(LONGEST_LINE);
            let count = limited.read_until(b'\n', &mut line).map_err(read_error)?;
            if count == 0 {
                return Ok(());
            }
            number += 1;
            if count as u64 == LONGEST_LINE {
                return Err(ErrorKind::LongRecord { limit: LONGEST_LINE }.at_line(number));
            }
            if let Err(fault) = std::str::from_utf8(&line) {
                let byte = line[fault.valid_up_to()];
                return Err(ErrorKind::NotUtf8 { byte }.at_line(number));
            }
            let label = unquoted(line.trim_ascii());
            if label.is_empty() {
                first_blank.get_or_insert(number);
                continue;
            }
            // Blank lines are missing labels, except at the end.
            for blank in first_blank.take().unwrap_or(number)..number {
                self.push(None, missing, |kind| kind.at_line(blank))?;
            }
            let label = label_in(label, positive).map(String::from_utf8_lossy);
            self.push(label.as_deref(), missing, |kind| kind.at_line(number))?;
        }
    }
}

fn unquoted(label: &[u8]) -> &[u8] {
    match label {
        [b'"', inner @ .., b'"'] => inner.trim_ascii(),
        _ => label,
    }
}

/// Returns the label in a cell, trimmed, or `None` if there is none, or what stands for none; a word that
/// was named as the positive label is one.
pub(super) fn label_in<'a>(cell: &'a [u8], positive: Option<&str>) -> Option<&'a [u8]> {
    let label = cell.trim_ascii();
    let named = || positive.is_some_and(|name| name.as_bytes() == label);
    (!cell::is_missing(label) || !label.is_empty() && named()).then_some(label)
}

/// Returns if a faulty cell is missing and may be; errors if it is to be refused.
pub(super) fn may_miss(fault: cell::CellFault, missing: Missing) -> Result<(), Error> {
    match missing {
        Missing::Drop | Missing::Mean | Missing::Median if fault.missing => Ok(()),
        _ => Err(fault.kind.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use linsep_data::samples::Dense;

    #[test]
    fn a_tally_numbers_the_rows_it_kept() {
        let tally = |pattern: &str| {
            let mut tally = LabelTally::default();
            for row in pattern.chars() {
                if row == '.' { tally.drop_row() } else { tally.keep(Some(b"x")) }
            }
            tally
        };
        let mut all = tally(".x.");
        assert_eq!(all.kept_rows(10), [12]);
        all.append(tally("x.")).unwrap();
        assert_eq!(all.kept_rows(0), [2, 4]);
        assert_eq!((all.seen(), all.dropped(), all.labels.len()), (5, 3, 2));
    }

    fn check(lines: &str, missing: Missing, expected: &str) {
        let mut file = LabelFile { name: "labels.txt".into(), ..LabelFile::default() };
        let mut tally = LabelTally::default();
        tally.keep(None);
        tally.drop_row();
        tally.keep(None);
        tally.keep(None);
        let features = Features::from(Dense::new(vec![1.0, 3.0, 4.0], 3, 1));
        let options = ReadOptions { missing, ..ReadOptions::default() };
        let text = Box::new(Cursor::new(lines.as_bytes().to_vec()));
        let found = file.read_lines(text, missing, None).and_then(|()| {
            let positive = options.positive.as_deref();
            tally.settle(features, Some(file), |table| table.into_classes(positive))
        });
        let found = match found {
            Ok(Settled { labels, dropped, .. }) => {
                let dropped = dropped.len();
                format!("{:?} {:?} {dropped}", labels.names.positive, labels.positive)
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_label_a_line() {
        use Missing::{Drop, Refuse};
        check("a\n b \r\n\"b\"\na", Refuse, "\"b\" [false, true, false] 1");
        check("a\nc\nb\na\n\n\n", Refuse, "\"b\" [false, true, false] 1");
        check("a\nb\n\na\n", Refuse, "line 3: expected a label, found nothing");
        check("a\nb\n\nb\n", Drop, "\"b\" [false, true] 2");
        check("a\nb\nNA\nb\n", Refuse, "line 3: expected a label, found nothing");
        check("a\nb\nNA\nb\n", Drop, "\"b\" [false, true] 2");
        check("a\nb\nb\n", Drop, "labels.txt: expected 4 labels, one per row, found 3");
        let endless = "a".repeat(LONGEST_LINE as usize);
        let too_long = "line 2: expected the end of the record within 1.0 MB, found none";
        check(&format!("a\n{endless}"), Drop, too_long);
        check("a\nb\na\na\n", Drop, "expected two classes, found one: all 3 rows are \"a\"");
    }
}
