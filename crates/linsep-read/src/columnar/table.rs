//! Parquet and Arrow files as a table: batches become pieces.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::samples::{Dense, Features, Missing, RowIds};

use super::{Batch, ColumnKind, Files, Numbers, Texts, Wanted};
use crate::columns::{ChosenColumns, TableColumns};
use crate::labels::{LabelFile, LabelTally, label_in};
use crate::npy::later;
use crate::piece::{self, Levels, Piece, RawLayout, Values};
use crate::survey::{SURVEYED_ROWS, SeenCells, is_identifier, is_unnamed};
use crate::{Categorical, Expected, ReadOptions, TableReader};

/// Batches of a part that wait until it is their turn.
const WAITING: usize = 4;

/// Files, with the columns that were chosen.
pub(crate) struct PickedFiles {
    files: Arc<Files>,
    chosen: ChosenColumns,
    wanted: Wanted,
    /// Where in the texts of a batch the label is, and the name of the row; categories come first.
    label: Option<usize>,
    id: Option<usize>,
}

impl PickedFiles {
    fn new(files: Arc<Files>, chosen: ChosenColumns) -> Result<Self, Error> {
        let mut wanted = Wanted::default();
        for (&k, raw) in chosen.features.iter().zip(&chosen.layout.columns) {
            let expected = match (&files.kinds()[k], raw.kind) {
                (ColumnKind::Other(found), _) => Some((found.clone(), "a number or a text")),
                (ColumnKind::Text, piece::RawKind::Number) => {
                    Some(("text".to_string(), "a number"))
                }
                _ => None,
            };
            if let Some((found, expected)) = expected {
                let kind = ErrorKind::Unsupported { found, expected };
                return Err(Error::from(kind).in_column(raw.column.clone()));
            }
            match raw.kind {
                piece::RawKind::Number => wanted.numbers.push(k),
                piece::RawKind::Category => wanted.texts.push(k),
            }
        }
        let mut text = |k: Option<usize>| {
            let Some(k) = k else { return Ok(None) };
            if let ColumnKind::Other(found) = &files.kinds()[k] {
                let column = Column::Name(files.names()[k].clone());
                let expected = "a number or a text";
                let kind = ErrorKind::Unsupported { found: found.clone(), expected };
                return Err(Error::from(kind).in_column(column));
            }
            wanted.texts.push(k);
            Ok(Some(wanted.texts.len() - 1))
        };
        let (label, id) = (text(chosen.label)?, text(chosen.id)?);
        Ok(PickedFiles { files, chosen, wanted, label, id })
    }

    /// Returns the columns to train on. Errors if one that was named is not there, or is of no use.
    pub(crate) fn train(
        files: Files,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Self, Error> {
        let columns = columns_of(&files);
        let seen = survey(&files)?;
        let mut chosen = columns.choose(options, labels_elsewhere, &seen)?;
        if options.categorical == Categorical::Auto {
            // The type of a column says what it is, not what it looks like.
            for (&k, raw) in chosen.features.iter().zip(&mut chosen.layout.columns) {
                raw.kind = match files.kinds()[k] {
                    ColumnKind::Text => piece::RawKind::Category,
                    _ => piece::RawKind::Number,
                };
            }
        }
        Self::new(Arc::new(files), chosen)
    }

    /// Returns the columns that a model expects. Errors if they are not there.
    fn expecting(files: Files, options: &ReadOptions, expected: &Expected) -> Result<Self, Error> {
        let chosen = columns_of(&files).match_expected(options, expected)?;
        Self::new(Arc::new(files), chosen)
    }

    /// Returns the same files with the label column alone.
    fn label_alone(&self) -> Result<Self, Error> {
        let chosen = ChosenColumns { label: self.chosen.label, ..ChosenColumns::default() };
        Self::new(self.files.clone(), chosen)
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    pub(crate) fn layout(&self) -> &RawLayout {
        &self.chosen.layout
    }

    /// Returns about how many bytes a part takes while it is decoded.
    pub(crate) fn memory(&self) -> u64 {
        self.files.memory(&self.wanted)
    }

    fn has_categories(&self) -> bool {
        self.wanted.texts.len() > usize::from(self.label.is_some()) + usize::from(self.id.is_some())
    }

    /// Returns a table that says all that has to be known of the rows before they are read in parts, or none
    /// if nothing has to be.
    pub(crate) fn surveyed(&self, options: &ReadOptions) -> Result<Option<ColumnarTable>, Error> {
        let all = self.has_categories() || options.missing == Missing::Drop;
        let picked = match (all, self.label) {
            (true, _) => Self::new(self.files.clone(), self.chosen.clone())?,
            (false, Some(_)) => self.label_alone()?,
            (false, None) => return Ok(None),
        };
        let mut table = ColumnarTable::new(picked, options);
        table.layout = self.chosen.layout.clone();
        Ok(Some(table))
    }

    /// Returns what is read of a part to get the raw rows.
    fn raw_columns(&self) -> Wanted {
        let Wanted { numbers, texts } = &self.wanted;
        let categories = self.chosen.layout.columns.len() - numbers.len();
        Wanted { numbers: numbers.clone(), texts: texts[..categories].to_vec() }
    }

    /// Hands on the raw rows of a part, or only `rows` of it; `levels` has the codes of its texts.
    pub(crate) fn raw(
        &self,
        part: usize,
        levels: &[Levels],
        rows: Option<&[usize]>,
        each: &mut dyn FnMut(usize, Features) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.files.read(part, &self.raw_columns(), rows, &mut |batch| {
            let Batch { first, rows, numbers, texts } = batch;
            let codes = texts.iter().zip(levels).map(|(texts, levels)| {
                let known = |spelling: &String| {
                    let code = levels.code(spelling);
                    code.map_or(f64::NAN, f64::from)
                };
                texts.spellings.iter().map(known).collect()
            });
            let codes: Vec<Vec<f64>> = codes.collect();
            each(first, self.together(rows, numbers, &texts, &codes))
        })
    }

    /// Returns the names of these rows of a part, where rows have names.
    pub(crate) fn ids(&self, part: usize, rows: &[usize]) -> Result<Option<RowIds>, Error> {
        let Some(id) = self.chosen.id else { return Ok(None) };
        let wanted = Wanted { numbers: vec![], texts: vec![id] };
        let mut ids = RowIds::default();
        self.files.read(part, &wanted, Some(rows), &mut |batch| {
            (0..batch.rows).for_each(|i| ids.push(spelling(&batch.texts[0], i).unwrap_or("")));
            Ok(())
        })?;
        Ok(Some(ids))
    }

    /// Returns numbers and codes of levels side by side, in the order of the raw columns.
    fn together(
        &self,
        rows: usize,
        numbers: Numbers,
        texts: &[Texts],
        codes: &[Vec<f64>],
    ) -> Features {
        let columns = &self.chosen.layout.columns;
        if codes.is_empty() {
            return match numbers {
                Numbers::F32(values) => Dense::new(values, rows, columns.len()).into(),
                Numbers::F64(values) => Dense::new(values, rows, columns.len()).into(),
            };
        }
        let number = |k: usize| match &numbers {
            Numbers::F32(values) => f64::from(values[k]),
            Numbers::F64(values) => values[k],
        };
        let mut values = Vec::with_capacity(rows * columns.len());
        let width = self.wanted.numbers.len();
        for i in 0..rows {
            let (mut next, mut category) = (i * width, 0);
            for raw in columns {
                match raw.kind {
                    piece::RawKind::Number => {
                        values.push(number(next));
                        next += 1;
                    }
                    piece::RawKind::Category => {
                        let code = texts[category].codes[i];
                        let known = codes[category].get(code as usize);
                        values.push(known.copied().unwrap_or(f64::NAN));
                        category += 1;
                    }
                }
            }
        }
        Dense::new(values, rows, columns.len()).into()
    }
}

fn columns_of(files: &Files) -> TableColumns {
    TableColumns { width: files.names().len(), names: Some(files.names().to_vec()) }
}

/// Returns what the first cells look like in columns that might not be features.
fn survey(files: &Files) -> Result<Vec<SeenCells>, Error> {
    let names = files.names();
    let mut seen = vec![SeenCells::default(); names.len()];
    let looked: Vec<usize> = (0..names.len())
        .filter(|&k| !matches!(files.kinds()[k], ColumnKind::Other(_)))
        .filter(|&k| is_identifier(&names[k]) || is_unnamed(&names[k]))
        .collect();
    let Some(&rows) = files.parts().first().filter(|_| !looked.is_empty()) else {
        return Ok(seen);
    };
    let first: Vec<usize> = (0..rows.min(SURVEYED_ROWS)).collect();
    let wanted = Wanted { numbers: vec![], texts: looked.clone() };
    files.read(0, &wanted, Some(&first), &mut |batch| {
        for (&k, texts) in looked.iter().zip(&batch.texts) {
            let cells = (0..batch.rows).map(|i| spelling(texts, i).unwrap_or(""));
            cells.for_each(|cell| seen[k].look(cell.as_bytes()));
        }
        Ok(())
    })?;
    Ok(seen)
}

fn spelling(texts: &Texts, row: usize) -> Option<&str> {
    texts.spellings.get(texts.codes[row] as usize).map(String::as_str)
}

/// Files that are read once, from the first row to the last.
pub(crate) struct ColumnarTable {
    picked: PickedFiles,
    layout: RawLayout,
    missing: Missing,
    positive: Option<String>,
    /// Whether a row without a label is of no use.
    label_needed: bool,
}

impl ColumnarTable {
    /// Returns the table to train on.
    pub(crate) fn open(
        files: Files,
        options: &ReadOptions,
        labels_elsewhere: bool,
    ) -> Result<Self, Error> {
        Ok(Self::new(PickedFiles::train(files, options, labels_elsewhere)?, options))
    }

    fn new(picked: PickedFiles, options: &ReadOptions) -> Self {
        let layout = picked.chosen.layout.clone();
        let (missing, positive) = (options.missing, options.positive.clone());
        ColumnarTable { picked, layout, missing, positive, label_needed: true }
    }

    /// Returns the table with the columns that a model expects.
    pub(crate) fn expecting(
        files: Files,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<Self, Error> {
        let mut table = Self::new(PickedFiles::expecting(files, options, expected)?, options);
        table.label_needed = false;
        Ok(table)
    }

    /// Returns the piece that a batch is, whose first row is row `first` of its file.
    fn piece(&self, batch: Batch, first: usize) -> Result<Piece, Error> {
        let Batch { rows, numbers, texts, .. } = batch;
        let layout = &self.picked.chosen.layout;
        let categories = texts.len()
            - usize::from(self.picked.label.is_some())
            - usize::from(self.picked.id.is_some());
        let as_they_are = |texts: &Texts| (0..texts.spellings.len()).map(|k| k as f64).collect();
        let codes: Vec<Vec<f64>> = texts[..categories].iter().map(as_they_are).collect();
        let raw = self.picked.together(rows, numbers, &texts, &codes);
        let ids = self.picked.id.map(|id| {
            let mut ids = RowIds::default();
            (0..rows).for_each(|i| ids.push(spelling(&texts[id], i).unwrap_or("")));
            ids
        });
        let tally = LabelTally::of_rows(rows as u64, ids);
        let piece = Piece::of_numbers(raw, tally, self.missing);
        let mut piece = piece.map_err(|error| later(name_missing(error, layout), first))?;
        if let Some(label) = self.picked.label {
            let labels = self.labels(&texts[label], rows, first)?;
            piece.take_labels(labels, self.label_needed, layout.columns.len())?;
        }
        if categories > 0 {
            piece.levels = met(&mut piece.values, layout, &texts);
        }
        Ok(piece)
    }

    fn labels(&self, texts: &Texts, rows: usize, first: usize) -> Result<LabelFile, Error> {
        let missing = if self.label_needed { self.missing } else { Missing::Drop };
        let mut labels = LabelFile::default();
        for i in 0..rows {
            let label = spelling(texts, i)
                .filter(|label| label_in(label.as_bytes(), self.positive.as_deref()).is_some());
            labels.push(label.map(str::trim), missing, |kind| {
                let error = kind.at_row((first + i) as u64 + 1);
                match &self.layout.label {
                    Some(column) => error.in_column(column.clone()),
                    None => error,
                }
            })?;
        }
        Ok(labels)
    }
}

/// Returns the error of a missing value with the name of its column.
fn name_missing(mut error: Error, layout: &RawLayout) -> Error {
    if let ErrorKind::NotFinite { found } = &mut error.kind
        && found == "NaN"
    {
        *found = "a null or NaN".to_string();
    }
    crate::gather::name_column(error, layout)
}

/// Returns the levels of each category in the order in which kept rows have them; `values` then hold
/// their codes.
fn met(values: &mut Values, layout: &RawLayout, texts: &[Texts]) -> Vec<Levels> {
    let places: Vec<usize> = (0..layout.columns.len())
        .filter(|&k| layout.columns[k].kind == piece::RawKind::Category)
        .collect();
    let mut levels = vec![Levels::default(); places.len()];
    let Values::F64(values) = values else { unreachable!("codes are f64") };
    for row in values.chunks_exact_mut(layout.columns.len()) {
        for ((&k, levels), texts) in places.iter().zip(&mut levels).zip(texts) {
            if !row[k].is_nan() {
                row[k] = f64::from(levels.meet(&texts.spellings[row[k] as usize], 1));
            }
        }
    }
    levels
}

impl TableReader for ColumnarTable {
    fn layout(&self) -> &RawLayout {
        &self.layout
    }

    fn pieces(&mut self, take: &mut dyn FnMut(Piece) -> Result<(), Error>) -> Result<(), Error> {
        let (table, files) = (&*self, &*self.picked.files);
        let parts = files.parts().len();
        if parts == 0 || files.parts().iter().all(|&rows| rows == 0) {
            return Err(ErrorKind::NoRows { dropped: 0 }.into());
        }
        let workers = rayon::current_num_threads().min(parts);
        std::thread::scope(|scope| {
            // Each of n workers decodes every n-th part and waits until it is its turn.
            let turns: Vec<_> = (0..workers)
                .map(|worker| {
                    let (send, pieces) = sync_channel(WAITING);
                    scope.spawn(move || {
                        for part in (worker..parts).step_by(workers) {
                            let before = files.rows_before(part);
                            let read = files.read(part, &table.picked.wanted, None, &mut |batch| {
                                let first = before + batch.first;
                                let piece = table.piece(batch, first)?;
                                // Nobody listens any more: there was an error before.
                                let sent = send.send(Some(Ok(piece)));
                                sent.map_err(|_| ErrorKind::Empty.into())
                            });
                            let sent = match read {
                                Ok(()) => send.send(None),
                                Err(error) => send.send(Some(Err(error))),
                            };
                            if sent.is_err() {
                                break;
                            }
                        }
                    });
                    pieces
                })
                .collect();
            for part in 0..parts {
                while let Ok(Some(piece)) = turns[part % workers].recv() {
                    take(piece?)?;
                }
            }
            Ok(())
        })
    }
}
