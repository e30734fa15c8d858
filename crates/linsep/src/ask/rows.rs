//! What an answer says about the data, so that nobody has to read it again.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::samples::About;
use crate::data::{Data, Shape};
use crate::{Error, Samples};

/// What an answer is about: the shape of the data, its names, and what became of the table that it was read from.
#[derive(Clone, Debug)]
pub struct DataFacts {
    /// How many rows and features there are.
    pub shape: Shape,
    /// Names, and what was left out.
    pub about: Arc<About>,
}

impl DataFacts {
    /// Returns the facts of data.
    pub fn of(data: &dyn Data) -> Self {
        DataFacts { shape: data.shape(), about: data.about().clone() }
    }

    /// Returns the name of a feature, or its number where the first one has number `first`.
    pub fn feature(&self, feature: usize, first: usize) -> String {
        match &self.about.feature_names {
            Some(names) => names[feature].clone(),
            None => format!("x{}", feature + first),
        }
    }

    /// Returns the number that a row has in the file, where the first one has number `first`.
    pub fn row(&self, row: usize, first: usize) -> usize {
        self.about.rows.in_file(row) + first
    }

    /// Returns the names of the classes, the negative one first.
    pub fn classes(&self) -> [&str; 2] {
        [&self.about.label_names.negative, &self.about.label_names.positive]
    }
}

/// Values of a row that an answer keeps.
const CITED_VALUES: usize = 8;

/// Rows that an answer speaks of: what they are called and, of those that are shown, labels and first values.
#[derive(Clone, Debug, Default)]
pub struct CitedRows {
    names: Option<HashMap<usize, String>>,
    shown: HashMap<usize, CitedRow>,
}

/// A row that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct CitedRow {
    /// Its label.
    pub positive: bool,
    /// The first features that it stores, and their values.
    pub values: Vec<(usize, f64)>,
    /// How many it stores.
    pub stored: usize,
}

impl CitedRows {
    /// Returns the names of some rows, and more of others.
    ///
    /// Errors if they cannot be read.
    pub fn fetch(data: &dyn Data, named: &[usize], shown: &[usize]) -> Result<Self, Error> {
        let rising = |rows: &[usize]| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows.dedup();
            rows
        };
        let (named, shown) = (rising(&[named, shown].concat()), rising(shown));
        let mut cited = CitedRows::named(&named, data.row_names(&named)?);
        if !shown.is_empty() {
            let samples = data.fetch(&shown)?;
            let one = |(place, &row): (usize, &usize)| (row, CitedRow::of(&samples, place));
            cited.shown = shown.iter().enumerate().map(one).collect();
        }
        Ok(cited)
    }

    /// Returns the names of some rows, if they have any.
    pub(super) fn named(rows: &[usize], names: Option<Vec<String>>) -> Self {
        let names = names.map(|names| rows.iter().copied().zip(names).collect());
        CitedRows { names, ..CitedRows::default() }
    }

    /// Returns true if the data names its rows.
    pub fn are_named(&self) -> bool {
        self.names.is_some()
    }

    /// Returns what a row is called, if the data names it.
    pub fn name(&self, row: usize) -> Option<&str> {
        self.names.as_ref()?.get(&row).map(String::as_str)
    }

    /// Returns the names of rows, if the data names them.
    pub fn names(&self, rows: &[usize]) -> Option<Vec<&str>> {
        self.names.as_ref()?;
        rows.iter().map(|&row| self.name(row)).collect()
    }

    /// Returns a row that is shown.
    pub fn get(&self, row: usize) -> Option<&CitedRow> {
        self.shown.get(&row)
    }
}

impl CitedRow {
    fn of(samples: &Samples, place: usize) -> Self {
        let (mut values, mut stored) = (vec![], 0);
        samples.features().for_each(place, |feature, value| {
            if values.len() < CITED_VALUES {
                values.push((feature, value));
            }
            stored += 1;
        });
        CitedRow { positive: samples.positive()[place], values, stored }
    }

    /// Returns the value of a feature, if it is among the first.
    pub fn value(&self, feature: usize) -> Option<f64> {
        self.values.iter().find(|(own, _)| *own == feature).map(|(_, value)| *value)
    }
}
