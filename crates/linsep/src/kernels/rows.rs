//! The kernels on rows of any form: dense in `f64` or `f32`, or sparse.

use linsep_data::Features;
use linsep_data::samples::Dense;

use super::prefetch::{prefetch, rows_ahead};
use super::{Arithmetic, Grid, sparse_axpy, sparse_axpy_on, sparse_dot};

/// Arithmetic on the rows of [`Features`].
///
/// ```
/// use linsep::data::{Features, samples::Dense};
/// use linsep::kernels::RowArithmetic;
///
/// let features = Features::from(Dense::new(vec![1.0, 2.0, 3.0, 4.0], 2, 2));
/// assert_eq!(features.dot(1, &[1.0, -1.0]), -1.0);
/// ```
pub trait RowArithmetic {
    /// Returns w·x for row `i`.
    fn dot(&self, i: usize, w: &[f64]) -> f64;

    /// Adds c x to w for row `i`.
    fn axpy(&self, i: usize, c: f64, w: &mut [f64]);

    /// Adds c x to w for row `i`, each term rounded to the grid.
    fn axpy_on(&self, grid: Grid, i: usize, c: f64, w: &mut [f64]);

    /// Writes w·x to `out` for the rows from `first` on, on the calling thread.
    fn scores(&self, first: usize, w: &[f64], out: &mut [f64]);

    /// Asks for row `i` before it is needed; a row that does not exist is nothing to ask for.
    fn prefetch(&self, i: usize);

    /// Returns how many rows ahead to ask for when rows are visited in turn.
    fn rows_ahead(&self) -> usize;
}

impl RowArithmetic for Features {
    #[inline]
    fn dot(&self, i: usize, w: &[f64]) -> f64 {
        match self {
            Features::Dense64(m) => f64::dot(w, m.row(i)),
            Features::Dense32(m) => f32::dot(w, m.row(i)),
            Features::Sparse(m) => {
                let (indices, values) = m.row(i);
                sparse_dot(w, indices, values)
            }
        }
    }

    #[inline]
    fn axpy(&self, i: usize, c: f64, w: &mut [f64]) {
        match self {
            Features::Dense64(m) => f64::axpy(c, m.row(i), w),
            Features::Dense32(m) => f32::axpy(c, m.row(i), w),
            Features::Sparse(m) => {
                let (indices, values) = m.row(i);
                sparse_axpy(c, indices, values, w);
            }
        }
    }

    #[inline]
    fn axpy_on(&self, grid: Grid, i: usize, c: f64, w: &mut [f64]) {
        match self {
            Features::Dense64(m) => f64::axpy_on(grid, c, m.row(i), w),
            Features::Dense32(m) => f32::axpy_on(grid, c, m.row(i), w),
            Features::Sparse(m) => {
                let (indices, values) = m.row(i);
                sparse_axpy_on(grid, c, indices, values, w);
            }
        }
    }

    fn scores(&self, first: usize, w: &[f64], out: &mut [f64]) {
        match self {
            Features::Dense64(m) => dense_scores(m, first, w, out),
            Features::Dense32(m) => dense_scores(m, first, w, out),
            Features::Sparse(m) => {
                for (k, out) in out.iter_mut().enumerate() {
                    let (indices, values) = m.row(first + k);
                    *out = sparse_dot(w, indices, values);
                }
            }
        }
    }

    #[inline]
    fn prefetch(&self, i: usize) {
        if i >= self.rows() {
            return;
        }
        match self {
            Features::Dense64(m) => prefetch(m.row(i)),
            Features::Dense32(m) => prefetch(m.row(i)),
            Features::Sparse(m) => {
                let (indices, values) = m.row(i);
                prefetch(indices);
                prefetch(values);
            }
        }
    }

    fn rows_ahead(&self) -> usize {
        match self {
            Features::Dense64(m) => rows_ahead::<f64>(m.columns()),
            Features::Dense32(m) => rows_ahead::<f32>(m.columns()),
            Features::Sparse(m) => rows_ahead::<f64>(m.stored() / m.rows().max(1)),
        }
    }
}

fn dense_scores<T: Arithmetic>(matrix: &Dense<T>, first: usize, w: &[f64], out: &mut [f64]) {
    assert_eq!(w.len(), matrix.columns());
    assert!(first + out.len() <= matrix.rows());
    if out.is_empty() {
        return;
    }
    let (values, stride) = matrix.stored_from(first);
    T::scores(w, values, stride, out);
}
