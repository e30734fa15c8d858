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
/// A pivot beside which all is nothing.
pub const INFINITE: f64 = 1e300;

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
        in_blocks(&mut lower, n, &mut |_, left| (left > 0.0).then_some(left), halt)?;
        Some(Cholesky { n, lower })
    }

    /// Returns the factor of a matrix that may be singular, and the columns that seem to depend on those before: their pivots are
    /// not above what is the `least` for them, and solutions are zero there.
    pub fn semidefinite(
        mut lower: Vec<f64>,
        n: usize,
        least: &[f64],
        halt: &dyn Fn() -> bool,
    ) -> Option<(Self, Vec<usize>)> {
        let mut dependent = vec![];
        let pivot = &mut |k: usize, left: f64| {
            if left > least[k] {
                return Some(left);
            }
            dependent.push(k);
            (!left.is_nan()).then_some(INFINITE)
        };
        in_blocks(&mut lower, n, pivot, halt)?;
        Some((Cholesky { n, lower }, dependent))
    }

    /// Returns the same for some hundreds of rows, without products of matrices: the same bits on every machine.
    pub fn in_one_block(mut lower: Vec<f64>, n: usize) -> Option<Self> {
        factor_corner(&mut lower, 0, n, n, &mut |_, left| (left > 0.0).then_some(left))?;
        Some(Cholesky { n, lower })
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

/// Makes the factor of a matrix, a block of columns at a time. Nothing if a pivot is not made one, or if it was halted.
fn in_blocks(lower: &mut [f64], n: usize, pivot: Pivot, halt: &dyn Fn() -> bool) -> Option<()> {
    for first in (0..n).step_by(BLOCK) {
        if halt() {
            return None;
        }
        let end = n.min(first + BLOCK);
        let (above, below) = lower.split_at_mut(end * n);
        let corner = &mut above[first * n..];
        factor_corner(corner, first, end, n, pivot)?;
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
    Some(())
}

/// Returns what stands for a pivot, given its place and what is left of its diagonal; nothing ends the work.
type Pivot<'a> = &'a mut dyn FnMut(usize, f64) -> Option<f64>;

/// Factors the rows and columns from `first` to `end`; the slice starts with row `first`.
fn factor_corner(
    corner: &mut [f64],
    first: usize,
    end: usize,
    n: usize,
    pivot: Pivot,
) -> Option<()> {
    for i in first..end {
        let (above, row) = corner.split_at_mut((i - first) * n);
        solve_row(above, first, i, n, row);
        let taken = f64::dot(&row[first..i], &row[first..i]);
        row[i] = pivot(i, row[i] - taken)?.sqrt();
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
    fn dependent_columns_are_told_and_stay_zero() {
        for n in [3, 70, 200] {
            // The second column is twice the first, and one in the middle is their copy.
            let source = |k: usize| if k == 1 || k == n / 2 { 0 } else { k };
            let times = |k: usize| if k == 1 { 2.0 } else { 1.0 };
            let full = matrix(n);
            let entry = |at: usize| {
                let (i, j) = (at / n, at % n);
                times(i) * times(j) * full[source(i) * n + source(j)]
            };
            let a: Vec<f64> = (0..n * n).map(entry).collect();
            let mut x: Vec<f64> = (0..n).map(|k| libm::sin(1.0 + k as f64)).collect();
            (x[1], x[n / 2]) = (0.0, 0.0);
            let mut b: Vec<f64> = a.chunks(n).map(|row| f64::dot(row, &x)).collect();
            let least: Vec<f64> = (0..n).map(|k| 1e-10 * a[k * n + k]).collect();
            let (factor, dependent) = Cholesky::semidefinite(a, n, &least, &|| false).unwrap();
            let mut expected = vec![1, n / 2];
            expected.dedup();
            assert_eq!(dependent, expected);
            factor.solve(&mut b);
            for (found, expected) in b.iter().zip(&x) {
                assert!((found - expected).abs() < 1e-9, "{n}: {found} against {expected}");
            }
        }
        assert!(Cholesky::semidefinite(vec![f64::NAN], 1, &[0.0], &|| false).is_none());
    }

    #[test]
    fn what_is_not_positive_definite_has_no_factor() {
        assert!(Cholesky::of(vec![1.0, 0.0, 2.0, 1.0], 2, &|| false).is_none());
        assert!(Cholesky::of(vec![f64::NAN], 1, &|| false).is_none());
    }
}
