//! One rung of the precision ladder: coordinates in which nearly dependent columns are far apart.
//!
//! ```text
//! given   rows v in R^D, whose columns differ much in size, or depend on each other up to rounding
//! find    a matrix M of floats such that the rows M'v have columns that are nearly orthonormal
//!
//! repeat  scale the columns of the rows M'v by powers of two
//!         Gram-Schmidt, done twice, with the longest column that is left next: M'V = Q R
//!         M = M / R, where a diagonal that is lost to rounding is held at 1e-10 of the largest
//! ```
//!
//! M'v is summed in twice the precision, so the residual of columns that nearly cancel is right to the
//! last bit: rows of condition 1e16 become rows of condition 1e2. M is made of floats: a w' for M'v is
//! w = M w' for v, exactly, and sums that cancel for the one cancel for the other.
//!
//! Cost: order D² per row. Reference: S. Rump, Inversion of extremely ill-conditioned matrices in
//! floating-point, Japan Journal of Industrial and Applied Mathematics 26 (2009).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::kernels::twice::{self, Twice};
use crate::kernels::{Arithmetic, exponent, power_of_two};

/// Lengths below this share of the longest are held there: what is left of a column is rounding.
const HELD: f64 = 1e-10;

/// If each column keeps at least this share beside the others, no further rung is needed.
const GOOD: f64 = 1e-3;
/// Rungs: the second makes long what was lost to rounding in the first.
const RUNGS: usize = 4;

/// A vector of numbers with twice the digits: the sum of two floats each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Double {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Double {
    /// Returns the sums of two floats each.
    pub fn new(high: Vec<f64>, low: Vec<f64>) -> Self {
        Double { high, low }
    }

    /// Returns the larger parts.
    pub fn high(&self) -> &[f64] {
        &self.high
    }

    /// Returns the smaller parts.
    pub fn low(&self) -> &[f64] {
        &self.low
    }

    /// Returns the nearest floats.
    pub fn rounded(&self) -> Vec<f64> {
        self.high.clone()
    }

    /// Returns the product with a vector, given by its entries, as if it were computed in twice the
    /// precision and rounded once.
    pub fn dot(&self, row: &[(usize, f64)]) -> f64 {
        let (at, values): (Vec<usize>, Vec<f64>) = row.iter().copied().unzip();
        let mut picked = vec![0.0; at.len()];
        let high = twice::dot(picked_at(&at, &self.high, &mut picked), &values).high;
        high + f64::dot(picked_at(&at, &self.low, &mut picked), &values)
    }
}

/// Returns the numbers at these places, without a copy if all are named.
fn picked_at<'a>(at: &[usize], all: &'a [f64], picked: &'a mut [f64]) -> &'a [f64] {
    if at.len() == all.len() {
        return all;
    }
    picked.iter_mut().zip(at).for_each(|(picked, &k)| *picked = all[k]);
    picked
}

/// The matrix M, by columns.
#[derive(Clone, Debug)]
pub struct Ladder {
    columns: Vec<Vec<f64>>,
}

impl Ladder {
    /// Returns M for these rows, each given by its entries; nothing if they leave the range of floats, or
    /// if `halt` says so, which is asked now and then. It has one column for each of `coordinates`. All other
    /// coordinates must be combinations of these: their residual would be noise.
    pub fn new(
        rows: &[Vec<(usize, f64)>],
        dimension: usize,
        coordinates: &[usize],
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Option<Self> {
        let unit = |k: usize| (0..dimension).map(|j| f64::from(u8::from(j == k))).collect();
        let mut ladder = Ladder { columns: coordinates.iter().map(|&k| unit(k)).collect() };
        for _ in 0..RUNGS {
            let mapped = ladder.scaled_columns(rows, halt)?;
            let (inverse, condition) = inverse_factor(mapped, halt)?;
            if condition > GOOD {
                break;
            }
            ladder = ladder.times(&inverse, halt)?;
        }
        ladder.scaled_columns(rows, halt)?;
        let length = |row: &Vec<(usize, f64)>| {
            let v = (!halt()).then(|| ladder.map(row))?;
            Some(f64::dot(&v, &v).sqrt())
        };
        let lengths: Vec<f64> = rows.par_iter().map(length).collect::<Option<_>>()?;
        let longest = lengths.into_iter().fold(0.0_f64, f64::max);
        if !(1e-280..1e280).contains(&longest) {
            return None;
        }
        // Rows of length at most one, so that a norm means something.
        let unit = power_of_two(-exponent(longest) - 1);
        ladder.columns.iter_mut().flatten().for_each(|m| *m *= unit);
        let finite = ladder.columns.iter().flatten().all(|m| m.is_finite());
        finite.then_some(ladder)
    }

    /// Returns the columns of the mapped rows, of size about one, and scales M accordingly.
    fn scaled_columns(
        &mut self,
        rows: &[Vec<(usize, f64)>],
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<f64>>> {
        let map = |row: &Vec<(usize, f64)>| {
            let mut mapped = (!halt()).then(|| self.map(row))?;
            scaled(&mut mapped);
            Some(mapped)
        };
        let mapped: Vec<Vec<f64>> = rows.par_iter().map(map).collect::<Option<_>>()?;
        let column = |k: usize| mapped.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let mut columns: Vec<Vec<f64>> = (0..self.columns.len()).map(column).collect();
        for (column, own) in columns.iter_mut().zip(&mut self.columns) {
            let scale = scaled(column);
            own.iter_mut().for_each(|m| *m *= scale);
        }
        Some(columns)
    }

    /// Returns M times another matrix, which is given by columns; nothing if halted.
    fn times(&self, other: &[Vec<f64>], halt: &(dyn Fn() -> bool + Sync)) -> Option<Self> {
        let product = |w: &Vec<f64>| (!halt()).then(|| self.back(w).rounded());
        Some(Ladder { columns: other.par_iter().map(product).collect::<Option<_>>()? })
    }

    /// Returns the number of columns of M.
    pub fn dimension(&self) -> usize {
        self.columns.len()
    }

    /// Returns the number of rows of M.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Returns M'v, rounded.
    pub fn map(&self, row: &[(usize, f64)]) -> Vec<f64> {
        self.map_twice(row).into_iter().map(|v| v.high).collect()
    }

    /// Returns M'v in twice the precision.
    pub fn map_twice(&self, row: &[(usize, f64)]) -> Vec<Twice> {
        let (at, values): (Vec<usize>, Vec<f64>) = row.iter().copied().unzip();
        let mut picked = vec![0.0; at.len()];
        let product = |column: &Vec<f64>| twice::dot(picked_at(&at, column, &mut picked), &values);
        self.columns.iter().map(product).collect()
    }

    /// Returns M w.
    pub fn back(&self, w: &[f64]) -> Double {
        let mut row = vec![0.0; w.len()];
        let coordinate = |k: usize| {
            row.iter_mut().zip(&self.columns).for_each(|(m, column)| *m = column[k]);
            let Twice { high, low } = twice::dot(&row, w);
            (high, low)
        };
        let (high, low) = (0..self.rows()).map(coordinate).unzip();
        Double { high, low }
    }

    /// Calls `visit` with each coordinate, and the factors of each product that M w has there.
    pub fn products(&self, w: &[f64], visit: &mut dyn FnMut(usize, f64, f64)) {
        for (column, &w) in self.columns.iter().zip(w) {
            column.iter().enumerate().for_each(|(k, &m)| visit(k, m, w));
        }
    }
}

/// Scales a column by a power of two, so that its largest number is about one; returns the power.
fn scaled(column: &mut [f64]) -> f64 {
    let largest = column.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    if largest < 1e-300 {
        return 1.0;
    }
    let scale = power_of_two(-exponent(largest).clamp(-1000, 1000));
    column.iter_mut().for_each(|v| *v *= scale);
    scale
}

/// Returns the columns of 1 / R, where the given columns are Q R, and the shortest of what was left of
/// them as a share of the longest; nothing if halted.
fn inverse_factor(
    mut columns: Vec<Vec<f64>>,
    halt: &dyn Fn() -> bool,
) -> Option<(Vec<Vec<f64>>, f64)> {
    let dimension = columns.len();
    // Column k of the inverse says how the k-th orthonormal vector is made of the given ones.
    let mut made: Vec<Vec<f64>> = (0..dimension)
        .map(|k| (0..dimension).map(|j| f64::from(u8::from(j == k))).collect())
        .collect();
    let (mut longest, mut shortest) = (0.0_f64, f64::INFINITY);
    for done in 0..dimension {
        if halt() {
            return None;
        }
        let length = |column: &Vec<f64>| f64::dot(column, column).sqrt();
        let next = (done..dimension)
            .max_by(|&a, &b| length(&columns[a]).total_cmp(&length(&columns[b])))
            .expect("a column is left");
        columns.swap(done, next);
        made.swap(done, next);
        let left = length(&columns[done]);
        (longest, shortest) = (longest.max(left), shortest.min(left));
        let divisor = left.max(HELD * longest).max(f64::MIN_POSITIVE);
        columns[done].iter_mut().chain(&mut made[done]).for_each(|v| *v /= divisor);
        let (head, tail) = columns.split_at_mut(done + 1);
        let (made_head, made_tail) = made.split_at_mut(done + 1);
        let (unit, unit_made) = (&head[done], &made_head[done]);
        tail.par_iter_mut().zip(made_tail).for_each(|(column, made)| {
            for _ in 0..2 {
                let along = f64::dot(unit, column);
                f64::axpy(-along, unit, column);
                f64::axpy(-along, unit_made, made);
            }
        });
    }
    Some((made, shortest / longest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

    fn noise(rows: usize, columns: usize) -> Vec<Vec<f64>> {
        let mut state = 7;
        let mut next = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        (0..rows).map(|_| (0..columns).map(|_| next()).collect()).collect()
    }

    /// Returns the smallest and the largest of the lengths of the columns of the mapped rows, and the
    /// largest cosine between two of them.
    fn spread(rows: &[Vec<f64>]) -> (f64, f64, f64) {
        let entries: Vec<Vec<(usize, f64)>> =
            rows.iter().map(|row| row.iter().copied().enumerate().collect()).collect();
        let ladder =
            Ladder::new(&entries, rows[0].len(), &(0..rows[0].len()).collect::<Vec<_>>(), &|| {
                false
            })
            .unwrap();
        let mapped: Vec<Vec<f64>> = entries.iter().map(|row| ladder.map(row)).collect();
        let column = |k: usize| mapped.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let columns: Vec<Vec<f64>> = (0..rows[0].len()).map(column).collect();
        let length = |c: &[f64]| f64::dot(c, c).sqrt();
        let lengths: Vec<f64> = columns.iter().map(|c| length(c)).collect();
        let mut cosine = 0.0_f64;
        for (k, a) in columns.iter().enumerate() {
            for b in &columns[..k] {
                cosine = cosine.max((f64::dot(a, b) / length(a) / length(b)).abs());
            }
        }
        let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        (least, lengths.iter().copied().fold(0.0, f64::max), cosine)
    }

    #[test]
    fn nearly_dependent_columns_come_apart() {
        for change in [
            // A timestamp, columns of very different size, and a rounded sum of two others.
            &(|row: &mut [f64]| row[0] = 1.7e9 + (row[0] * 1e6).round()) as &dyn Fn(&mut [f64]),
            &|row| (row[0], row[1]) = (row[0] * power_of_two(200), row[1] * power_of_two(-200)),
            &|row| row[0] = row[1] + row[2],
        ] {
            let mut rows = noise(200, 8);
            rows.iter_mut().for_each(|row| change(row));
            rows.iter_mut().for_each(|row| row[7] = 1.0);
            let (least, most, cosine) = spread(&rows);
            assert!(least > 1e-3 * most && cosine < 0.99, "{least} {most} {cosine}");
        }
    }

    #[test]
    fn the_way_back_is_the_same_product() {
        let rows = noise(30, 5);
        let entries: Vec<Vec<(usize, f64)>> =
            rows.iter().map(|row| row.iter().copied().enumerate().collect()).collect();
        assert!(Ladder::new(&entries, 5, &[0, 1, 2, 3, 4], &|| true).is_none());
        let ladder = Ladder::new(&entries, 5, &[0, 1, 2, 3, 4], &|| false).unwrap();
        let w = [0.3, -1.0, 2.0, 0.5, -0.25];
        let back = ladder.back(&w);
        for row in &entries {
            let there = f64::dot(&ladder.map(row), &w);
            assert!((back.dot(row) - there).abs() < 1e-14);
        }
    }
}
