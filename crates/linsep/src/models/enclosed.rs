//! Is a vector a positive combination of others? Told by floats, with all rounding counted.
//!
//! ```text
//! given    A, whose columns are d vectors in R^d, and t
//! R        about the inverse of A, x = R t, both as floats have them
//! e        a bound on ‖I - R A‖, in the norm of the largest row sum: below 1, A has an inverse
//! r        a bound on |t - A x|
//! then     |A^-1 t - x| <= ‖ |R| r ‖ / (1 - e)           all x above that: A^-1 t > 0
//! ```
//!
//! Every sum of d products in floats is within (d + 4) 2^-52 of the sum of their magnitudes, underflow apart, which
//! numbers of about one stay clear of. All other rounding is less than the hundredth part that is added to every bound.
//!
//! S. Rump, Verification methods: rigorous results using floating-point arithmetic, Acta Numerica 19 (2010), theorem 10.2.

use crate::kernels::{Arithmetic, power_of_two};

/// A cone of all y with R y >= 0, and how large y is at most for the sum of R y.
///
/// ```text
/// given    R with m rows in R^d, t, l > 0, and Z, about a left inverse of R, as floats have them
/// e        a bound on ‖I - Z R‖, in the norm of the largest row sum: below 1, then |y| <= b sum(R y), b = max |Z| / (1 - e)
/// r        a bound on the sum of |t - R'l|
/// then     t·y >= (min l) sum(R y) - r |y| >= (min l - b r) sum(R y)        min l >= b r: t·y >= 0 for all y of the cone
/// ```
pub(super) struct ConeBound<'a> {
    /// R by columns.
    columns: Vec<Vec<f64>>,
    rows: &'a [Vec<f64>],
    /// b.
    most: f64,
}

impl<'a> ConeBound<'a> {
    /// Returns the bound; nothing if floats see none, or if halted. `inverse` has a column of Z for each row of R.
    pub fn new(rows: &'a [Vec<f64>], inverse: &[Vec<f64>], halt: Halt) -> Option<Self> {
        let d = rows.first()?.len();
        let columns = |vectors: &[Vec<f64>]| -> Vec<Vec<f64>> {
            (0..d).map(|c| vectors.iter().map(|v| v[c]).collect()).collect()
        };
        let (across, columns) = (columns(inverse), columns(rows));
        let unit = (rows.len() as f64 + 4.0) * power_of_two(-52);
        let sizes: Vec<f64> =
            rows.iter().map(|row| row.iter().fold(0.0, |sum: f64, v| sum + v.abs())).collect();
        let (mut error, mut largest): (f64, f64) = (0.0, 0.0);
        for (i, z) in across.iter().enumerate() {
            if halt() {
                return None;
            }
            let mut sum = 0.0;
            for (j, column) in columns.iter().enumerate() {
                let one = if i == j { 1.0 } else { 0.0 };
                sum += (one - f64::dot(z, column)).abs();
            }
            // The magnitudes of all products in this row of Z R add up to this.
            let products: f64 = z.iter().zip(&sizes).map(|(z, size)| z.abs() * size).sum();
            error = error.max(MORE * (sum + unit * (products + 1.0) + UNDERFLOW));
            largest = z.iter().fold(largest, |most, z| most.max(z.abs()));
        }
        if error.is_nan() || error >= 0.5 {
            return None;
        }
        let most = MORE * largest / (1.0 - error);
        Some(ConeBound { columns, rows, most }).filter(|bound| bound.most.is_finite())
    }

    /// Returns true if no y of the cone has t·y < 0, as multipliers about show. False if that cannot be told.
    pub fn is_never_negative(&self, target: &[f64], multipliers: &[f64]) -> bool {
        let unit = (self.rows.len() as f64 + 4.0) * power_of_two(-52);
        let rest = |(column, t): (&Vec<f64>, &f64)| {
            let value = (t - f64::dot(column, multipliers)).abs();
            let size: f64 = column.iter().zip(multipliers).map(|(v, l)| (v * l).abs()).sum();
            MORE * (value + unit * (size + t.abs()) + UNDERFLOW)
        };
        let rest: f64 = self.columns.iter().zip(target).map(rest).sum();
        let least = multipliers.iter().copied().fold(f64::INFINITY, f64::min);
        rest.is_finite() && least > MORE * (MORE * rest * self.most + UNDERFLOW)
    }
}

use crate::decide::Halt;

/// What is added to every bound for the rounding of the bounds themselves.
const MORE: f64 = 1.01;
/// Added to every bound on a sum, for products that are too small for floats.
const UNDERFLOW: f64 = 1e-290;

/// Returns true if the target is a combination of the vectors, as many as it has coordinates, with positive
/// multipliers. False if that cannot be told, or if it was halted.
pub(super) fn is_positive_combination(vectors: Vec<&[f64]>, target: &[f64], halt: Halt) -> bool {
    let d = target.len();
    // Rows of A.
    let rows: Vec<Vec<f64>> = (0..d).map(|c| vectors.iter().map(|v| v[c]).collect()).collect();
    let Some(inverse) = inverse(rows.clone(), halt) else {
        return false;
    };
    let unit = (d as f64 + 4.0) * power_of_two(-52);
    let magnitude = |v: &[f64]| v.iter().fold(0.0, |sum: f64, x| sum + x.abs());
    let sizes: Vec<f64> = rows.iter().map(|row| magnitude(row)).collect();
    // ‖I - R A‖, row by row.
    let mut error: f64 = 0.0;
    for (i, r) in inverse.iter().enumerate() {
        if halt() {
            return false;
        }
        let mut sum = 0.0;
        for (j, vector) in vectors.iter().enumerate() {
            let one = if i == j { 1.0 } else { 0.0 };
            sum += (one - f64::dot(r, vector)).abs();
        }
        // The magnitudes of all products in this row of R A add up to this.
        let products: f64 = r.iter().zip(&sizes).map(|(r, size)| r.abs() * size).sum();
        error = error.max(MORE * (sum + unit * (products + 1.0) + UNDERFLOW));
    }
    if error.is_nan() || error >= 0.5 {
        return false;
    }
    let mut x: Vec<f64> = inverse.iter().map(|r| f64::dot(r, target)).collect();
    let rest: Vec<f64> = rows.iter().zip(target).map(|(a, t)| t - f64::dot(a, &x)).collect();
    x.iter_mut().zip(&inverse).for_each(|(x, r)| *x += f64::dot(r, &rest));
    let bound = |(a, t): (&Vec<f64>, &f64)| {
        let value = (t - f64::dot(a, &x)).abs();
        let size: f64 = a.iter().zip(&x).map(|(a, x)| (a * x).abs()).sum();
        MORE * (value + unit * (size + t.abs()) + UNDERFLOW)
    };
    let rest: Vec<f64> = rows.iter().zip(target).map(bound).collect();
    let far = inverse.iter().fold(0.0, |most: f64, r| {
        most.max(r.iter().zip(&rest).map(|(r, rest)| r.abs() * rest).sum())
    });
    let far = MORE * (far + UNDERFLOW) / (1.0 - error);
    far.is_finite() && x.iter().all(|&x| x > MORE * far)
}

/// Returns the inverse of a matrix given by rows, as floats have it; nothing if they see none, or if halted.
fn inverse(mut rows: Vec<Vec<f64>>, halt: Halt) -> Option<Vec<Vec<f64>>> {
    let d = rows.len();
    for (k, row) in rows.iter_mut().enumerate() {
        row.extend((0..d).map(|j| if j == k { 1.0 } else { 0.0 }));
    }
    for k in 0..d {
        if halt() {
            return None;
        }
        let larger =
            |a: &usize, b: &usize| rows[*a][k].abs().total_cmp(&rows[*b][k].abs()).then(b.cmp(a));
        let pivot = (k..d).max_by(larger)?;
        rows.swap(k, pivot);
        let mut own = std::mem::take(&mut rows[k]);
        if own[k] == 0.0 || !own[k].is_finite() {
            return None;
        }
        let scale = 1.0 / own[k];
        // Left of k there are zeros; right of the columns that have been filled, too.
        own[k..d + k + 1].iter_mut().for_each(|v| *v *= scale);
        own[d + k + 1..].iter_mut().for_each(|v| *v *= scale);
        for row in rows.iter_mut().filter(|row| !row.is_empty() && row[k] != 0.0) {
            let factor = -row[k];
            f64::axpy(factor, &own[k..], &mut row[k..]);
        }
        rows[k] = own;
    }
    Some(rows.into_iter().map(|row| row[d..].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

    fn check(vectors: &[&[f64]], target: &[f64], expected: bool) {
        assert_eq!(
            is_positive_combination(vectors.to_vec(), target, &|| false),
            expected,
            "{target:?}"
        );
    }

    #[test]
    fn what_can_be_told() {
        check(&[&[1.0, 0.0], &[0.5, 1.0]], &[1.0, 1.0], true);
        check(&[&[1.0, 0.0], &[0.5, 1.0]], &[0.4, 1.0], false);
        // On the border.
        check(&[&[1.0, 0.0], &[0.5, 1.0]], &[0.5, 1.0], false);
        // Nearer to it than rounding.
        check(&[&[1.0, 0.0], &[0.5, 1.0]], &[0.5 + power_of_two(-53), 1.0], false);
        check(&[&[1.0, 0.0], &[0.5, 1.0]], &[0.5 + 1e-12, 1.0], true);
        // Dependent, exactly and nearly.
        check(&[&[1.0, 2.0], &[2.0, 4.0]], &[3.0, 6.0], false);
        check(&[&[1.0, 2.0], &[2.0, 4.0 + 1e-15]], &[3.0, 6.0], false);
        check(&[&[0.0, 1.0], &[1.0, 0.0]], &[2.0, 3.0], true);
    }

    #[test]
    fn functions_on_a_cone() {
        let rows = vec![vec![1.0, 0.0], vec![0.5, 1.0], vec![0.25, 1.0]];
        let inverse = vec![vec![1.0, -0.5], vec![0.0, 1.0], vec![0.0, 0.0]];
        let bound = ConeBound::new(&rows, &inverse, &|| false).unwrap();
        let check = |target: [f64; 2], multipliers: [f64; 3], expected: bool| {
            assert_eq!(bound.is_never_negative(&target, &multipliers), expected, "{target:?}");
        };
        check([1.75, 2.0], [1.0, 1.0, 1.0], true);
        check([1.75 + 1e-9, 2.0], [1.0, 1.0, 1.0], true);
        // Multipliers that are nearly its own serve while they are larger than what is left; then those that do not.
        check([1.75, 2.5], [1.0, 1.0, 1.0], true);
        check([1.75, 3.5], [1.0, 1.0, 1.0], false);
        check([-0.25, 1.0], [1.0, 1.0, 1.0], false);
        check([1.5, 1.0], [1.0, 1.0, 0.0], false);
        check([1.75, 2.0], [2.25, -1.0, 3.0], false);
        // Nothing like an inverse.
        assert!(
            ConeBound::new(&rows, &[0, 0, 0].map(|k: usize| inverse[k].clone()), &|| false)
                .is_none()
        );
    }

    #[test]
    fn random_combinations() {
        let mut state = 4;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let mut told = 0;
        for round in 0..40 {
            let d = 2 + round % 30;
            let vectors: Vec<Vec<f64>> =
                (0..d).map(|_| (0..d).map(|_| number()).collect()).collect();
            let sum = |sign: f64| -> Vec<f64> {
                let times = |k: usize| if k == 0 { sign } else { 1.0 };
                (0..d).map(|c| (0..d).map(|k| times(k) * vectors[k][c]).sum()).collect()
            };
            let all: Vec<&[f64]> = vectors.iter().map(|v| &v[..]).collect();
            assert!(!is_positive_combination(all.clone(), &sum(-0.5), &|| false));
            told += i32::from(is_positive_combination(all, &sum(1.0), &|| false));
        }
        assert!(told > 35, "{told}");
    }
}
