//! Rows y (x, 1) as they stand in the data: the coordinates that are not zero.

use linsep_data::Samples;

/// Some rows, by place.
#[derive(Clone, Debug)]
pub struct SignedRows {
    /// The number of coordinates: features, and one for the bias.
    pub dimension: usize,
    rows: Vec<SignedRow>,
}

#[derive(Clone, Debug)]
struct SignedRow {
    entries: Vec<(usize, f64)>,
    norm: f64,
}

impl SignedRows {
    /// Returns no rows yet.
    pub fn none(dimension: usize) -> Self {
        SignedRows { dimension, rows: vec![] }
    }

    /// Adds rows.
    pub fn extend(&mut self, more: SignedRows) {
        self.rows.extend(more.rows);
    }

    /// Returns all rows of the samples.
    pub fn all(samples: &Samples) -> Self {
        Self::of(samples, 0..samples.rows())
    }

    /// Returns these rows of the samples, in the order in which they are named.
    pub fn of(samples: &Samples, rows: impl IntoIterator<Item = usize>) -> Self {
        let row = |i: usize| {
            let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
            let mut entries = vec![];
            samples.features().for_each(i, |k, v| {
                if v != 0.0 {
                    entries.push((k, sign * v));
                }
            });
            entries.push((samples.columns(), sign));
            SignedRow { entries, norm: samples.norms()[i] }
        };
        SignedRows { dimension: samples.columns() + 1, rows: rows.into_iter().map(row).collect() }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the coordinates and values of a row that are not zero, in order.
    pub fn entries(&self, place: usize) -> &[(usize, f64)] {
        &self.rows[place].entries
    }

    /// Returns the Euclidean length of a row.
    pub fn norm(&self, place: usize) -> f64 {
        self.rows[place].norm
    }

    /// Returns those at the given places.
    pub fn at(&self, places: &[usize]) -> Self {
        let rows = places.iter().map(|&place| self.rows[place].clone()).collect();
        SignedRows { dimension: self.dimension, rows }
    }
}
