//! Can a linear function be negative on a cone? An interior point method with one start for all functions.
//!
//! ```text
//! given     rows r_1 … r_m in R^d, and g with r_i·g > 0 for all
//! the cone  all y with r_i·y >= 0
//! centre    g moved to where - sum log(s_i) + |s|²/2 is smallest, s_i = r_i·g;  H = sum r_i r_i' / s_i²,  w = sum r_i / s_i
//!
//! for t     smallest t·y     with s = R y >= 0 and w·y = m
//!           largest m theta  with R'l + theta w = t and l >= 0
//! start     y = g and l = S^-2 R H^-1 t + c / s, theta = -c: both are inside, whatever t is
//!
//! ends      t·y < 0      y is inside the cone, and shows it
//!           theta > 0    l + theta / s is positive, and t its combination of the rows: t·y >= 0 everywhere
//! ```
//!
//! Mostly the optimum is neither zero nor near it, so a few steps do. Where it is zero, as where t is a row itself, neither is
//! found. Cost: m d² operations per step, in products of matrices.
//!
//! S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on Optimization 2 (1992).

use super::cholesky::Cholesky;
use crate::kernels::Arithmetic;
use crate::kernels::product::{MatrixView, add_product};

/// Steps to the centre: being near is enough.
const CENTRING: usize = 6;
/// Steps for one function at most.
const STEPS: usize = 25;
/// A gap below this share of where it began leaves it open.
const OPEN: f64 = 1e-9;
/// How far a step goes towards the border.
const SHORT_OF_BORDER: f64 = 0.95;
/// Columns of a block of products.
const BLOCK: usize = 48;

/// Rows, and a point well inside their cone.
pub struct ConeCentre {
    d: usize,
    /// The rows, one after the other.
    rows: Vec<f64>,
    y: Vec<f64>,
    s: Vec<f64>,
    w: Vec<f64>,
    factor: Cholesky,
}

/// What is known of a function on the cone, as floats have it.
pub enum ConeSide {
    /// It is negative at this point inside.
    Negative(Vec<f64>),
    /// It is the combination of the rows with these multipliers, which are positive.
    Positive(Vec<f64>),
    /// Neither was found.
    Open,
}

impl ConeCentre {
    /// Returns the centre, given a point inside. None if floats do not see that it is one, or if halted.
    pub fn new(rows: &[Vec<f64>], inside: Vec<f64>, halt: &dyn Fn() -> bool) -> Option<Self> {
        let (d, rows) = (inside.len(), rows.concat());
        let (mut y, mut s) = (inside, vec![]);
        for step in 0..=CENTRING {
            s = product(&rows, &y);
            let size = (f64::dot(&s, &s) / s.len() as f64).sqrt();
            if !(size.is_finite() && s.iter().all(|s| *s > 1e-12 * size)) {
                return None;
            }
            y.iter_mut().chain(&mut s).for_each(|v| *v /= size);
            if step == CENTRING {
                break;
            }
            let weights: Vec<f64> = s.iter().map(|s| 1.0 / (s * s) + 1.0).collect();
            let factor = Cholesky::of(gram(&rows, &weights, d), d, halt)?;
            let slope: Vec<f64> = s.iter().map(|s| 1.0 / s - s).collect();
            let slope = combined(&rows, &slope, d);
            let mut change = slope.clone();
            factor.solve(&mut change);
            let decrement = f64::dot(&slope, &change).max(0.0).sqrt();
            let far = reach(&s, &product(&rows, &change)) * SHORT_OF_BORDER;
            let far = far.min(1.0).max(1.0 / (1.0 + decrement));
            f64::axpy(far, &change, &mut y);
            if decrement < 0.1 {
                // Near enough; what is left is to see where it is.
                s = product(&rows, &y);
                break;
            }
        }
        if !s.iter().all(|s| *s > 0.0) {
            return None;
        }
        let weights: Vec<f64> = s.iter().map(|s| 1.0 / (s * s)).collect();
        let factor = Cholesky::of(gram(&rows, &weights, d), d, halt)?;
        let inverse: Vec<f64> = s.iter().map(|s| 1.0 / s).collect();
        let w = combined(&rows, &inverse, d);
        Some(ConeCentre { d, rows, y, s, w, factor })
    }

    /// Returns an approximate left inverse of the rows: for each, a vector z_i such that y is about sum (r_i·y) z_i.
    pub fn left_inverse(&self) -> Vec<Vec<f64>> {
        let own = |(row, s): (&[f64], &f64)| {
            let mut z = row.to_vec();
            self.factor.solve(&mut z);
            z.iter_mut().for_each(|z| *z /= s * s);
            z
        };
        self.rows.chunks(self.d).zip(&self.s).map(own).collect()
    }

    /// Returns a point inside with a smaller value of t, and true if that is negative: as far as one step leads.
    pub fn first(&self, t: &[f64]) -> Option<Vec<f64>> {
        let mut change = t.to_vec();
        self.factor.solve(&mut change);
        change.iter_mut().for_each(|v| *v = -*v);
        let far = SHORT_OF_BORDER * reach(&self.s, &product(&self.rows, &change));
        let mut y = self.y.clone();
        f64::axpy(far.min(1e6), &change, &mut y);
        (f64::dot(t, &y) < 0.0).then_some(y)
    }

    /// Returns on which side t is.
    pub fn side(&self, t: &[f64], halt: &dyn Fn() -> bool) -> ConeSide {
        self.steps(t, halt).unwrap_or(ConeSide::Open)
    }

    fn steps(&self, t: &[f64], halt: &dyn Fn() -> bool) -> Option<ConeSide> {
        let (d, m) = (self.d, self.s.len());
        let mut u = t.to_vec();
        self.factor.solve(&mut u);
        let spread = f64::dot(t, &u).max(0.0).sqrt();
        // With a root of one the values of the first step are of about one.
        let t: Vec<f64> = t.iter().map(|t| t / spread).collect();
        u.iter_mut().for_each(|u| *u /= spread);
        let shares: Vec<f64> =
            product(&self.rows, &u).iter().zip(&self.s).map(|(p, s)| p / s).collect();
        let c = 1.0 + 1.5 * shares.iter().fold(0.0, |most: f64, v| most.max(-v));
        let mut l: Vec<f64> = shares.iter().zip(&self.s).map(|(v, s)| (v + c) / s).collect();
        let (mut theta, mut y, mut s) = (-c, self.y.clone(), self.s.clone());
        let first = f64::dot(&l, &s);
        for _ in 0..STEPS {
            if halt() {
                return None;
            }
            let gap = f64::dot(&l, &s);
            if !gap.is_finite() || gap < OPEN * first {
                return None;
            }
            let weights: Vec<f64> = l.iter().zip(&s).map(|(l, s)| l / s).collect();
            let factor = Cholesky::of(gram(&self.rows, &weights, d), d, halt)?;
            let mut b = self.w.clone();
            factor.solve(&mut b);
            let change = |v: &[f64]| {
                let over: Vec<f64> = v.iter().zip(&s).map(|(v, s)| v / s).collect();
                let mut dy = combined(&self.rows, &over, d);
                factor.solve(&mut dy);
                let dtheta = -f64::dot(&self.w, &dy) / f64::dot(&self.w, &b);
                f64::axpy(dtheta, &b, &mut dy);
                let ds = product(&self.rows, &dy);
                let dl: Vec<f64> = (0..m).map(|i| (v[i] - l[i] * ds[i]) / s[i]).collect();
                (dy, dtheta, ds, dl)
            };
            let wanted: Vec<f64> = l.iter().zip(&s).map(|(l, s)| -l * s).collect();
            let (dy, _, ds, dl) = change(&wanted);
            let (far, near) = (reach(&s, &ds).min(1.0), reach(&l, &dl).min(1.0));
            // As far as the first half of the step may go: t may be negative there already.
            let mut there = y.clone();
            f64::axpy(SHORT_OF_BORDER * reach(&s, &ds).min(1e6), &dy, &mut there);
            if f64::dot(&t, &there) < 0.0 {
                return Some(ConeSide::Negative(there));
            }
            let left: f64 =
                (0..m).map(|i| (s[i] + far * ds[i]) * (l[i] + near * dl[i])).sum::<f64>() / gap;
            let target = gap / m as f64 * left * left * left;
            let wanted: Vec<f64> = (0..m).map(|i| target - l[i] * s[i] - ds[i] * dl[i]).collect();
            let (dy, dtheta, ds, dl) = change(&wanted);
            let far = (SHORT_OF_BORDER * reach(&s, &ds)).min(1.0);
            let near = (SHORT_OF_BORDER * reach(&l, &dl)).min(1.0);
            f64::axpy(far, &dy, &mut y);
            f64::axpy(far, &ds, &mut s);
            f64::axpy(near, &dl, &mut l);
            theta += near * dtheta;
            if f64::dot(&t, &y) < 0.0 {
                return Some(ConeSide::Negative(y));
            }
            if theta > 0.0 {
                let all = l.iter().zip(&self.s).map(|(l, s)| spread * (l + theta / s)).collect();
                return Some(ConeSide::Positive(all));
            }
        }
        None
    }
}

/// Returns how many times a change can be made before a number becomes negative.
fn reach(x: &[f64], change: &[f64]) -> f64 {
    let share = |(x, dx): (&f64, &f64)| if *dx < 0.0 { -x / dx } else { f64::INFINITY };
    x.iter().zip(change).map(share).fold(f64::INFINITY, f64::min)
}

/// Returns the products of all rows with a vector.
fn product(rows: &[f64], y: &[f64]) -> Vec<f64> {
    rows.chunks(y.len()).map(|row| f64::dot(row, y)).collect()
}

/// Returns the sum of all rows with multipliers.
fn combined(rows: &[f64], multipliers: &[f64], d: usize) -> Vec<f64> {
    let mut sum = vec![0.0; d];
    rows.chunks(d).zip(multipliers).for_each(|(row, &v)| f64::axpy(v, row, &mut sum));
    sum
}

/// Returns the sum of the squares of all rows with weights, a matrix by rows: its lower triangle, in blocks.
fn gram(rows: &[f64], weights: &[f64], d: usize) -> Vec<f64> {
    let mut weighted = rows.to_vec();
    for (row, weight) in weighted.chunks_mut(d).zip(weights) {
        let root = weight.sqrt();
        row.iter_mut().for_each(|v| *v *= root);
    }
    let mut sum = vec![0.0; d * d];
    for first in (0..d).step_by(BLOCK) {
        let width = BLOCK.min(d - first);
        let below = MatrixView::new(&weighted[first..], weights.len(), d - first, d);
        let block = MatrixView::new(&weighted[first..], weights.len(), width, d);
        add_product(1.0, below.transposed(), block, &mut sum[first * d + first..], d);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

    #[test]
    fn what_is_found_holds() {
        let mut state = 3;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let mut counts = [0; 3];
        for round in 0..200 {
            let (m, d) = (2 + round % 40, 2 + round % 9);
            let inside: Vec<f64> = (0..d).map(|_| number()).collect();
            let mut row = || {
                let mut v: Vec<f64> = (0..d).map(|_| number()).collect();
                let side = f64::dot(&v, &inside).signum();
                v.iter_mut().for_each(|x| *x *= side);
                v
            };
            let rows: Vec<Vec<f64>> = (0..m.max(d + 1)).map(|_| row()).collect();
            let Some(centre) = ConeCentre::new(&rows, inside.clone(), &|| false) else { continue };
            let t: Vec<f64> = (0..d).map(|_| number()).collect();
            match centre.side(&t, &|| false) {
                ConeSide::Negative(y) => {
                    assert!(rows.iter().all(|row| f64::dot(row, &y) > 0.0));
                    assert!(f64::dot(&t, &y) < 0.0);
                    counts[0] += 1;
                }
                ConeSide::Positive(l) => {
                    assert!(l.iter().all(|l| *l > 0.0));
                    let mut rest = t;
                    rows.iter().zip(&l).for_each(|(row, l)| f64::axpy(-l, row, &mut rest));
                    assert!(rest.iter().all(|v| v.abs() < 1e-6), "{rest:?}");
                    counts[1] += 1;
                }
                ConeSide::Open => counts[2] += 1,
            }
            // A row itself is on the border: neither can be found.
            assert!(matches!(
                centre.side(&rows[0], &|| false),
                ConeSide::Open | ConeSide::Positive(_)
            ));
        }
        assert!(counts[0] > 50 && counts[1] > 10 && counts[2] < 10, "{counts:?}");
    }
}
