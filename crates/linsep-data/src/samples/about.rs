//! What is known of data beside its rows.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Encoding, LabelNames, RowNumbers};
use crate::error::{Column, Error};
use crate::memory;

/// What is known of data beside its rows: names, and what became of the table it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// What the two classes are called.
    pub label_names: LabelNames,
    /// The names of the features, where the data has them.
    pub feature_names: Option<Vec<String>>,
    /// The number that the first feature has in a sparse file: 0 or 1.
    pub index_base: u8,
    /// Rows that were left out for missing values.
    pub dropped: usize,
    /// Which rows of the file the rows are. Of rows that were fetched it is still that of all rows of the data.
    pub rows: RowNumbers,
    /// Missing values that were filled in.
    pub filled: u64,
    /// Columns that are not features.
    pub left_out: Vec<LeftOut>,
    /// The column of the labels, where they are a column of the table.
    pub label_column: Option<Column>,
    /// How columns became features, where they are not simply the same.
    pub encoding: Option<Encoding>,
}

impl Default for About {
    fn default() -> Self {
        About {
            label_names: LabelNames::default(),
            feature_names: None,
            index_base: 1,
            dropped: 0,
            rows: RowNumbers::default(),
            filled: 0,
            left_out: vec![],
            label_column: None,
            encoding: None,
        }
    }
}

impl About {
    /// Returns what a feature is called: its name, or x and its number from 1.
    pub fn feature(&self, k: usize) -> String {
        self.feature_names.as_ref().map_or_else(|| format!("x{}", k + 1), |names| names[k].clone())
    }

    /// Returns what a class is called.
    pub fn label(&self, positive: bool) -> &str {
        let LabelNames { negative, positive: name } = &self.label_names;
        if positive { name } else { negative }
    }
}

/// A column that was found not to be a feature, although nobody said so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The column.
    pub column: Column,
    /// Why it is not a feature.
    pub why: WhyLeftOut,
}

/// Why a column is not a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhyLeftOut {
    /// It has no name and counts the rows.
    CountsRows,
    /// It is called an identifier, and no value occurs twice.
    Identifier,
    /// It is text, and nearly every row has a text of its own.
    TextOfItsOwn,
    /// All its values are missing, so there is nothing to fill them with.
    NoValues,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let why = match self.why {
            WhyLeftOut::CountsRows => "it has no name and counts the rows",
            WhyLeftOut::Identifier => "it is called an identifier, and no value occurs twice",
            WhyLeftOut::TextOfItsOwn => "nearly every row has a text of its own",
            WhyLeftOut::NoValues => "all its values are missing",
        };
        write!(f, "column {}: {why}", self.column)
    }
}

/// Names of rows, from a column of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowIds {
    text: String,
    ends: Vec<usize>,
}

impl RowIds {
    /// Adds the name of the next row.
    pub fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len());
    }

    /// Makes room for these names too. Errors if there is no memory for them.
    pub fn reserve(&mut self, more: &RowIds) -> Result<(), Error> {
        memory::reserve(&mut self.ends, more.ends.len())?;
        if self.text.capacity() - self.text.len() < more.text.len() {
            // As much again, so that few requests are made.
            let wanted = self.text.len().max(more.text.len());
            memory::require(wanted as u64)?;
            self.text.reserve_exact(wanted);
        }
        Ok(())
    }

    /// Adds the names of rows that come after these.
    pub fn append(&mut self, other: &RowIds) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Returns the name of row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the names of these rows, in this order.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut some = RowIds::default();
        rows.into_iter().for_each(|i| some.push(self.get(i)));
        some
    }
}
