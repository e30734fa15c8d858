//! Products of matrices, for solvers whose time goes into them.
//!
//! The work is done by the crate `matrixmultiply`, on the calling thread. Which instructions it takes depends
//! on the machine, so the last bits may differ between machines; on one machine they never do.

/// A matrix that lies in a slice: the value in row i and column j is at `i * down + j * across`.
#[derive(Clone, Copy, Debug)]
pub struct MatrixView<'a> {
    values: &'a [f64],
    rows: usize,
    columns: usize,
    down: usize,
    across: usize,
}

impl<'a> MatrixView<'a> {
    /// Returns the matrix whose rows begin `stride` values apart.
    ///
    /// # Panics
    /// If it does not fit in the slice.
    pub fn new(values: &'a [f64], rows: usize, columns: usize, stride: usize) -> Self {
        assert!(fits(values.len(), rows, columns, stride), "a matrix within its slice");
        MatrixView { values, rows, columns, down: stride, across: 1 }
    }

    /// Returns the matrix with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        MatrixView {
            rows: self.columns,
            columns: self.rows,
            down: self.across,
            across: self.down,
            ..self
        }
    }
}

fn fits(length: usize, rows: usize, columns: usize, stride: usize) -> bool {
    rows == 0 || columns == 0 || columns <= stride && (rows - 1) * stride + columns <= length
}

/// Adds c A B to the matrix in `sum`, whose rows begin `stride` values apart.
///
/// # Panics
/// If sizes do not fit.
pub fn add_product(c: f64, a: MatrixView, b: MatrixView, sum: &mut [f64], stride: usize) {
    assert_eq!(a.columns, b.rows, "sizes of a product");
    assert!(fits(sum.len(), a.rows, b.columns, stride), "room for a product");
    let step = |n: usize| isize::try_from(n).expect("a slice is no longer");
    // SAFETY: all three lie within their slices, and the one that is written is borrowed by nobody else.
    unsafe {
        matrixmultiply::dgemm(
            a.rows,
            a.columns,
            b.columns,
            c,
            a.values.as_ptr(),
            step(a.down),
            step(a.across),
            b.values.as_ptr(),
            step(b.down),
            step(b.across),
            1.0,
            sum.as_mut_ptr(),
            step(stride),
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_the_definition() {
        let a: Vec<f64> = (0..24).map(|k| f64::from(k % 7) - 3.0).collect();
        let b: Vec<f64> = (0..30).map(|k| f64::from(k % 5) - 1.0).collect();
        // 3 x 4 in rows of 6, times the transpose of 5 x 4 in rows of 5.
        let (left, right) = (MatrixView::new(&a, 3, 4, 6), MatrixView::new(&b, 5, 4, 5));
        let mut sum = vec![1.0; 3 * 8];
        add_product(2.0, left, right.transposed(), &mut sum, 8);
        for i in 0..3 {
            for j in 0..8 {
                let dot: f64 = match j {
                    0..5 => (0..4).map(|k| a[i * 6 + k] * b[j * 5 + k]).sum(),
                    _ => 0.0,
                };
                assert_eq!(sum[i * 8 + j], 1.0 + 2.0 * dot);
            }
        }
    }

    #[test]
    #[should_panic(expected = "a matrix within its slice")]
    fn a_matrix_lies_within_its_slice() {
        MatrixView::new(&[0.0; 10], 3, 4, 4);
    }
}
