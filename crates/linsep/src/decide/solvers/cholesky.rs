//! Cholesky's factorization of a symmetric positive definite matrix, in blocks.
//!
//! ```text
//! given   A; only its lower triangle is read
//! find    L, lower triangular, with L L' = A
//! blocks  columns are worked off 64 at a time: what they take off the rest is a product of matrices
//! ```
//!
//! Cost: n³ / 3 operations, nearly all of them in products; n² per solution.

use rayon::prelude::*;

use crate::kernels::Arithmetic;
use crate::kernels::product::{MatrixView, add_product};

/// Columns of a block.
const BLOCK: usize = 64;
/// Rows of what one task takes off the rest.
const TASK: usize = 128;

/// The factor L of a matrix.
pub struct Cholesky {
    n: usize,
    /// L by rows, each of `n` values; what is above the diagonal means nothing.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Returns the factor of the n x n matrix in `lower`, by rows, or nothing if it is not positive definite as
    /// floats see it. `halt` is asked before each block; nothing then, too.
    pub fn of(mut lower: Vec<f64>, n: usize, halt: &dyn Fn() -> bool) -> Option<Self> {
        for first in (0..n).step_by(BLOCK) {
            if halt() {
                return None;
            }
            let end = n.min(first + BLOCK);
            let (above, below) = lower.split_at_mut(end * n);
            let corner = &mut above[first * n..];
            factor_corner(corner, first, end, n)?;
            let corner = &*corner;
            below.par_chunks_mut(n).with_min_len(TASK).for_each(|row| {
                solve_row(corner, first, end, n, row);
            });
            // The rows below, of this block's columns: what they take off the rest is their product.
            let width = end - first;
            let panel: Vec<f64> =
                below.chunks(n).flat_map(|row| row[first..end].iter().copied()).collect();
            below.par_chunks_mut(TASK * n).enumerate().for_each(|(task, rows)| {
                let (start, height) = (task * TASK, rows.len() / n);
                let left = MatrixView::new(&panel[start * width..], height, width, width);
                let right = MatrixView::new(&panel, start + height, width, width);
                add_product(-1.0, left, right.transposed(), &mut rows[end..], n);
            });
        }
        Some(Cholesky { n, lower })
    }

    /// Returns the same for some hundreds of rows, without products of matrices: the same bits on every machine.
    pub fn in_one_block(mut lower: Vec<f64>, n: usize) -> Option<Self> {
        factor_corner(&mut lower, 0, n, n)?;
        Some(Cholesky { n, lower })
    }

    /// Returns the diagonal of L: the roots of the pivots.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.n).map(|k| self.lower[k * self.n + k])
    }

    /// Makes b the x with A x = b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.lower[i * n..];
            b[i] = (b[i] - f64::dot(&b[..i], &row[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.lower[i * n..];
            b[i] /= row[i];
            let (head, tail) = b.split_at_mut(i);
            f64::axpy(-tail[0], &row[..i], head);
        }
    }
}

/// Factors the rows and columns from `first` to `end`; the slice starts with row `first`.
fn factor_corner(corner: &mut [f64], first: usize, end: usize, n: usize) -> Option<()> {
    for i in first..end {
        let (above, row) = corner.split_at_mut((i - first) * n);
        solve_row(above, first, i, n, row);
        let taken = f64::dot(&row[first..i], &row[first..i]);
        let left = row[i] - taken;
        if left.is_nan() || left <= 0.0 {
            return None;
        }
        row[i] = left.sqrt();
    }
    Some(())
}

/// Solves for the values of a row in the columns from `first` to `end`, given the factored rows above.
fn solve_row(above: &[f64], first: usize, end: usize, n: usize, row: &mut [f64]) {
    for j in first..end {
        let other = &above[(j - first) * n..];
        let taken = f64::dot(&row[first..j], &other[first..j]);
        row[j] = (row[j] - taken) / other[j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns B B' + I for some B, by rows.
    fn matrix(n: usize) -> Vec<f64> {
        let b = |i: usize, k: usize| ((i * 37 + k * 11) % 23) as f64 / 23.0 - 0.5;
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + f64::from(u8::from(i == j))
        };
        (0..n * n).map(entry).collect()
    }

    #[test]
    fn solutions_solve() {
        for n in [1, 5, 64, 65, 300] {
            let a = matrix(n);
            let x: Vec<f64> = (0..n).map(|k| libm::sin(k as f64)).collect();
            let mut b: Vec<f64> = a.chunks(n).map(|row| f64::dot(row, &x)).collect();
            Cholesky::of(a, n, &|| false).expect("positive definite").solve(&mut b);
            for (found, expected) in b.iter().zip(&x) {
                assert!((found - expected).abs() < 1e-10, "{n}: {found} against {expected}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        assert!(Cholesky::of(vec![1.0, 0.0, 2.0, 1.0], 2, &|| false).is_none());
        assert!(Cholesky::of(vec![f64::NAN], 1, &|| false).is_none());
    }
}
