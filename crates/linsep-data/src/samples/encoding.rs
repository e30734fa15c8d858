//! How the columns of a table become features: numbers as they are, or with missing ones filled in,
//! and one feature per level of a category.
//!
//! Before that, a table is *raw*: a matrix of numbers in which a category is the code of its level,
//! and what is missing is NaN or infinite.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Dense, Features, Sparse};
use crate::error::Error;
use crate::kernels::Element;
use crate::memory;

/// From so many features on, rows in which few of them are not zero are stored sparse.
const SPARSE_FEATURES: usize = 1000;
/// Few: one of so many.
const SPARSE_SHARE: usize = 20;

/// Rows that are encoded as one task.
const ROWS_PER_TASK: usize = 1 << 14;

/// How columns become features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoding {
    /// The columns that are used, in order.
    pub columns: Vec<Encoded>,
}

/// What becomes of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Encoded {
    /// One feature.
    Number {
        /// The name of the column, or its number from 1.
        column: String,
        /// What stands for a missing value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// One feature per level: 1 where the row has it, else 0.
    Category {
        /// The name of the column, or its number from 1.
        column: String,
        /// The levels, in order.
        levels: Vec<String>,
        /// Whether the first level has no feature: it is where all others are 0.
        first_dropped: bool,
        /// The level that stands for a missing value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<usize>,
    },
}

impl Encoded {
    /// Returns the name of the column, or its number from 1.
    pub fn column(&self) -> &str {
        match self {
            Encoded::Number { column, .. } | Encoded::Category { column, .. } => column,
        }
    }

    /// Returns the number of features.
    pub fn width(&self) -> usize {
        match self {
            Encoded::Number { .. } => 1,
            Encoded::Category { levels, first_dropped, .. } => {
                levels.len().saturating_sub(usize::from(*first_dropped))
            }
        }
    }
}

impl Encoding {
    /// Returns the number of features.
    pub fn width(&self) -> usize {
        self.columns.iter().map(Encoded::width).sum()
    }

    /// Returns the names of the features: that of the column, or such as `color=red`; where columns
    /// have no names, x and its number stand for one.
    pub fn names(&self, named: bool) -> Vec<String> {
        let mut names = vec![];
        for encoded in &self.columns {
            let column = encoded.column();
            let column = if named { column.to_string() } else { format!("x{column}") };
            match encoded {
                Encoded::Number { .. } => names.push(column),
                Encoded::Category { levels, first_dropped, .. } => {
                    let with_feature = levels.iter().skip(usize::from(*first_dropped));
                    names.extend(with_feature.map(|level| format!("{column}={level}")));
                }
            }
        }
        names
    }

    /// Returns true if every column is a feature as it is.
    pub fn is_plain(&self) -> bool {
        self.columns.iter().all(|c| matches!(c, Encoded::Number { fill: None, .. }))
    }

    /// Returns true if missing values are filled in.
    pub fn fills(&self) -> bool {
        self.columns.iter().any(|column| match column {
            Encoded::Number { fill, .. } => fill.is_some(),
            Encoded::Category { fill, .. } => fill.is_some(),
        })
    }

    /// Returns true if rows become sparse.
    pub fn is_sparse(&self) -> bool {
        let width = self.width();
        width >= SPARSE_FEATURES && self.columns.len() <= width / SPARSE_SHARE
    }
}

/// An encoding with the place of each column in a raw matrix, and of each code among the levels.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    encoding: Encoding,
    places: Vec<Place>,
    width: usize,
}

#[derive(Clone, Debug)]
struct Place {
    /// The raw column.
    raw: usize,
    /// The first feature.
    first: usize,
    /// For each code the level, `None` for one that is not known and counts as none of them.
    levels: Vec<Option<usize>>,
}

impl Encoder {
    /// Returns the encoder of raw matrices in which `raw` says where each column is, and `levels` which
    /// level each of its codes stands for (nothing for a number).
    pub(crate) fn new(
        encoding: Encoding,
        raw: Vec<usize>,
        levels: Vec<Vec<Option<usize>>>,
    ) -> Self {
        let mut first = 0;
        let places = encoding.columns.iter().zip(raw).zip(levels).map(|((column, raw), levels)| {
            let place = Place { raw, first, levels };
            first += column.width();
            place
        });
        let places = places.collect();
        Encoder { encoding, places, width: first }
    }

    /// Returns the encoding.
    pub(crate) fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Returns the features of raw rows. Sparse rows are features already.
    pub(crate) fn apply(&self, raw: &Features) -> Features {
        match raw {
            Features::Dense64(raw) => self.apply_to(raw),
            Features::Dense32(raw) => self.apply_to(raw),
            Features::Sparse(raw) => Features::Sparse(raw.clone()),
        }
    }

    /// Errors if there is no memory for the features of so many rows.
    pub(crate) fn require(&self, rows: usize) -> Result<(), Error> {
        let per_row = match self.encoding.is_sparse() {
            true => self.places.len() * (size_of::<u32>() + size_of::<f64>()) + size_of::<usize>(),
            false => self.width * size_of::<f64>(),
        };
        memory::require((rows as u64).saturating_mul(per_row as u64))
    }

    fn apply_to<T: Element>(&self, raw: &Dense<T>) -> Features {
        if self.encoding.is_sparse() {
            return Features::Sparse(self.sparse(raw));
        }
        let mut values = vec![0.0; raw.rows() * self.width];
        if self.width > 0 {
            let tasks = values.par_chunks_mut(ROWS_PER_TASK * self.width).enumerate();
            tasks.for_each(|(task, out)| {
                for (i, out) in out.chunks_exact_mut(self.width).enumerate() {
                    let row = raw.row(task * ROWS_PER_TASK + i);
                    self.visit(row, |k, v| out[k] = v);
                }
            });
        }
        Dense::new(values, raw.rows(), self.width).into()
    }

    fn sparse<T: Element>(&self, raw: &Dense<T>) -> Sparse {
        // At most one value per column and row: room for all is asked for once, and what is not used never
        // becomes memory.
        let most = raw.rows() * self.places.len();
        let (mut indices, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
        let mut offsets = Vec::with_capacity(raw.rows() + 1);
        offsets.push(0);
        for i in 0..raw.rows() {
            self.visit(raw.row(i), |k, v| {
                if v != 0.0 {
                    indices.push(u32::try_from(k).expect("features fit 32 bits"));
                    values.push(v);
                }
            });
            offsets.push(values.len());
        }
        Sparse::new(offsets, indices, values, self.width).expect("features rise within a row")
    }

    /// Calls `visit` with the features of a raw row that may not be zero, in order.
    fn visit<T: Element>(&self, row: &[T], mut visit: impl FnMut(usize, f64)) {
        for (column, place) in self.encoding.columns.iter().zip(&self.places) {
            let value = row[place.raw].widen();
            let missing = !value.is_finite();
            match column {
                Encoded::Number { fill, .. } => {
                    visit(place.first, if missing { fill.unwrap_or(value) } else { value });
                }
                Encoded::Category { first_dropped, fill, .. } => {
                    let level = match missing {
                        true => *fill,
                        false => place.levels.get(value as usize).copied().flatten(),
                    };
                    let feature =
                        level.and_then(|level| level.checked_sub(usize::from(*first_dropped)));
                    if let Some(k) = feature {
                        visit(place.first + k, 1.0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding() -> Encoding {
        let levels = ["blue", "green", "red"].map(str::to_string).to_vec();
        Encoding {
            columns: vec![
                Encoded::Category {
                    column: "color".into(),
                    levels,
                    first_dropped: true,
                    fill: Some(1),
                },
                Encoded::Number { column: "size".into(), fill: Some(0.5) },
            ],
        }
    }

    #[test]
    fn levels_become_features_of_their_own() {
        assert_eq!(encoding().names(true), ["color=green", "color=red", "size"]);
        // Codes in the order in which levels were met: red, blue, green; and one that is not known.
        let codes = vec![Some(2), Some(0), Some(1), None];
        let encoder = Encoder::new(encoding(), vec![1, 0], vec![codes, vec![]]);
        let raw = vec![7.0, 0.0, 8.0, 1.0, f64::NAN, 2.0, 1.0, f64::NAN, 2.0, 3.0];
        let found = encoder.apply(&Dense::new(raw, 5, 2).into());
        let rows: Vec<Vec<f64>> = (0..5)
            .map(|i| {
                let mut row = vec![];
                found.for_each(i, |_, v| row.push(v));
                row
            })
            .collect();
        let expected = [[0.0, 1.0, 7.0], [0.0, 0.0, 8.0], [1.0, 0.0, 0.5], [1.0, 0.0, 1.0]];
        assert_eq!(rows[..4], expected.map(|row| row.to_vec()));
        assert_eq!(rows[4], [0.0, 0.0, 2.0]);
    }
}
