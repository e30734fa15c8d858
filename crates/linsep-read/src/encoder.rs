//! Makes features of raw rows, as an [`Encoding`] says.

use linsep_data::error::Error;
use linsep_data::memory;
use linsep_data::samples::{Dense, Element, Encoded, Encoding, Features, Sparse};
use rayon::prelude::*;

/// Rows that are encoded as one task.
const ROWS_PER_TASK: usize = 1 << 14;

/// An encoding with the place of each column in a raw matrix, and of each code among the levels.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    encoding: Encoding,
    places: Vec<EncodedColumn>,
    width: usize,
}

#[derive(Clone, Debug)]
struct EncodedColumn {
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
            let place = EncodedColumn { raw, first, levels };
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

    /// Errors if there is no memory for the features of `rows` rows.
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
