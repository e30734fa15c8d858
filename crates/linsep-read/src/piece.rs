//! Raw rows: what every format gives, piece by piece and in order, before columns become features.

use std::collections::HashMap;

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::memory::{self, extend, reserve};
use linsep_data::samples::{Dense, Features, LeftOut, Missing, Sparse};
use serde::{Deserialize, Serialize};

use super::labels::{LabelFile, LabelTally};

/// A text column with more levels than this, most of them met once, is not a category.
const MOST_LEVELS: usize = 100_000;

/// What a raw column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RawKind {
    /// A number.
    Number,
    /// The code of a level.
    Category,
}

/// The raw columns of a table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RawLayout {
    pub(super) columns: Vec<RawColumn>,
    /// Whether columns have names.
    pub(super) named: bool,
    /// Columns that are not features.
    pub(super) left_out: Vec<LeftOut>,
    /// The column of the labels, if it is one of the table.
    pub(super) label: Option<Column>,
}

/// A column that may become features.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RawColumn {
    pub(super) column: Column,
    pub(super) kind: RawKind,
    /// Whether the user said that it is a category.
    pub(super) asked: bool,
}

/// Consecutive rows, those left out not among them.
pub(super) struct Piece {
    pub(super) values: Values,
    /// The levels of each category, as far as they were met; codes are their places.
    pub(super) levels: Vec<Levels>,
    pub(super) tally: LabelTally,
}

/// Raw values, row after row.
pub(super) enum Values {
    F64(Vec<f64>),
    F32(Vec<f32>),
    Sparse(SparseRows),
}

/// Sparse rows, their indices as they stand in the file.
#[derive(Default)]
pub(super) struct SparseRows {
    pub(super) ends: Vec<usize>,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
    /// Whether index 0 occurs, in rows that are left out too.
    pub(super) has_zero: bool,
    /// The largest index of a piece, and its line.
    pub(super) largest: Option<(u32, u64)>,
}

impl SparseRows {
    fn append(&mut self, other: SparseRows) -> Result<(), Error> {
        let before = self.values.len();
        reserve(&mut self.ends, other.ends.len())?;
        reserve(&mut self.indices, other.indices.len())?;
        reserve(&mut self.values, other.values.len())?;
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.indices.extend_from_slice(&other.indices);
        self.values.extend_from_slice(&other.values);
        self.has_zero |= other.has_zero;
        Ok(())
    }

    /// Returns one more than the largest index.
    pub(super) fn end(&self) -> usize {
        self.indices.iter().max().map_or(0, |&k| k as usize + 1)
    }

    /// Returns the rows as a matrix; `base` is the number of the first feature.
    pub(super) fn into_sparse(mut self, base: u8, columns: usize) -> Result<Features, Error> {
        // No index is below the base: the parser saw to it.
        self.indices.iter_mut().for_each(|k| *k -= u32::from(base));
        reserve(&mut self.ends, 1)?;
        self.ends.insert(0, 0);
        let sparse = Sparse::new(self.ends, self.indices, self.values, columns);
        Ok(Features::Sparse(sparse.map_err(ErrorKind::Sparse)?))
    }
}

impl Values {
    /// Adds values that come after these.
    ///
    /// Errors if there is no memory for them.
    pub(super) fn append(&mut self, other: Values) -> Result<(), Error> {
        match (self, other) {
            (Values::F64(all), Values::F64(more)) => extend(all, &more),
            (Values::F32(all), Values::F32(more)) => extend(all, &more),
            (Values::Sparse(all), Values::Sparse(more)) => all.append(more),
            _ => unreachable!("all pieces of a table are of one type"),
        }
    }

    /// Returns the number of stored values.
    pub(super) fn len(&self) -> usize {
        match self {
            Values::F64(values) => values.len(),
            Values::F32(values) => values.len(),
            Values::Sparse(sparse) => sparse.values.len(),
        }
    }

    /// Returns the values as a matrix of this many dense columns.
    pub(super) fn into_dense(self, rows: usize, columns: usize) -> Features {
        match self {
            Values::F64(values) => Dense::new(values, rows, columns).into(),
            Values::F32(values) => Dense::new(values, rows, columns).into(),
            Values::Sparse(_) => unreachable!("sparse rows are a matrix already"),
        }
    }
}

/// The levels of a category in the order in which they were met, and how often each was.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Levels {
    pub(super) spellings: Vec<String>,
    pub(super) counts: Vec<u64>,
    #[serde(skip)]
    codes: HashMap<String, u32>,
    /// Nearly every row has a text of its own, so that they are no longer told apart.
    pub(super) endless: bool,
}

impl Levels {
    /// Returns the code of a level, and counts that it was met `times` more times.
    pub(super) fn meet(&mut self, spelling: &str, times: u64) -> u32 {
        if let Some(&code) = self.codes.get(spelling) {
            self.counts[code as usize] += times;
            return code;
        }
        if self.endless {
            return 0;
        }
        let code = self.spellings.len() as u32;
        self.codes.insert(spelling.to_string(), code);
        self.spellings.push(spelling.to_string());
        self.counts.push(times);
        if self.spellings.len() > MOST_LEVELS && self.mostly_once() {
            self.endless = true;
        }
        code
    }

    /// Returns the code of a level, if it is known.
    #[cfg(feature = "columnar")]
    pub(super) fn code(&self, spelling: &str) -> Option<u32> {
        self.codes.get(spelling).copied()
    }

    /// Takes the levels of rows that come after these; returns the code here of each code there.
    pub(super) fn append(&mut self, other: &Levels) -> Vec<u32> {
        self.endless |= other.endless;
        let both = other.spellings.iter().zip(&other.counts);
        both.map(|(spelling, &times)| self.meet(spelling, times)).collect()
    }

    /// Returns true if there are as many levels as rows, or nearly.
    pub(super) fn mostly_once(&self) -> bool {
        let rows: u64 = self.counts.iter().sum();
        self.endless || rows > 2 && self.spellings.len() as u64 * 10 > rows * 9
    }
}

/// Makes codes of one piece codes of the whole table.
pub(super) fn recode(values: &mut Values, layout: &RawLayout, maps: &[Vec<u32>]) {
    fn recode<T: Copy>(
        values: &mut [T],
        layout: &RawLayout,
        maps: &[Vec<u32>],
        widen: impl Fn(T) -> f64,
        narrow: impl Fn(u32) -> T,
    ) {
        let places = layout.columns.iter().enumerate();
        let places = places.filter(|(_, column)| column.kind == RawKind::Category).map(|(k, _)| k);
        let changed: Vec<(usize, &Vec<u32>)> = places
            .zip(maps)
            .filter(|(_, map)| map.iter().enumerate().any(|(code, &to)| code as u32 != to))
            .collect();
        if changed.is_empty() {
            return;
        }
        for row in values.chunks_exact_mut(layout.columns.len()) {
            for &(k, map) in &changed {
                let code = widen(row[k]);
                if !code.is_nan() {
                    row[k] = narrow(map[code as usize]);
                }
            }
        }
    }
    match values {
        Values::F64(values) => recode(values, layout, maps, |v| v, f64::from),
        Values::F32(values) => recode(values, layout, maps, f64::from, |code| code as f32),
        Values::Sparse(_) => {}
    }
}

impl Piece {
    /// Returns a piece of dense rows of numbers as they came, all of them in the tally; those with
    /// missing values are left out if they are to be.
    ///
    /// Errors if they are to be refused, with row and column counted from 1 in the piece.
    pub(super) fn of_numbers(
        features: Features,
        tally: LabelTally,
        missing: Missing,
    ) -> Result<Self, Error> {
        let mut kept = features;
        let mut tally = tally;
        if !missing.is_filled() {
            let rows = kept.rows();
            memory::require_values::<usize>(rows)?;
            let keep: Vec<usize> = (0..rows).filter(|&i| kept.is_finite(i)).collect();
            if keep.len() < rows {
                if missing == Missing::Refuse {
                    let first = (0..rows).find(|i| keep.get(*i) != Some(i));
                    return Err(kept.fault(first.expect("one is not kept")));
                }
                kept.require_rows(keep.len())?;
                kept = kept.select_rows(&keep);
                tally = tally.keeping(&keep);
            }
        }
        kept.require_rows(kept.rows())?;
        let values = match &kept {
            Features::Dense64(dense) => Values::F64(dense.to_vec()),
            Features::Dense32(dense) => Values::F32(dense.to_vec()),
            Features::Sparse(_) => unreachable!("rows of numbers are dense"),
        };
        Ok(Piece { values, levels: vec![], tally })
    }

    /// Takes the labels of all rows, also of those left out; a row without one is left out if it is of
    /// no use.
    pub(super) fn take_labels(
        &mut self,
        labels: LabelFile,
        needed: bool,
        columns: usize,
    ) -> Result<(), Error> {
        if let Some(keep) = self.tally.take_labels(labels, needed)? {
            match &mut self.values {
                Values::F64(values) => *values = select(values, columns, &keep),
                Values::F32(values) => *values = select(values, columns, &keep),
                Values::Sparse(_) => unreachable!("labels stand beside sparse rows"),
            }
        }
        Ok(())
    }
}

fn select<T: Copy>(values: &[T], columns: usize, rows: &[usize]) -> Vec<T> {
    rows.iter().flat_map(|&i| values[i * columns..(i + 1) * columns].iter().copied()).collect()
}
