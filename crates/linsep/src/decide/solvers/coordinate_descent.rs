//! Dual coordinate descent with an active set, for rows that are sparse or fewer than the features.
//!
//! ```text
//! minimise  1/2 ‖w‖² - sum alpha_i,  w = sum alpha_i z_i,  alpha >= 0
//! given     lifted rows z of length one; alpha = 0, w = 0
//! look      the scores w·z of all rows; active are rows with alpha_i > 0 or w·z_i < 1
//! sweep     the active rows in a random order: alpha_i += 1 - w·z_i, but not below 0; w follows
//! polish    conjugate gradients on the rows with alpha_i > 0, whose scores are to be 1; as much of
//!           that step as lowers the objective, cut off at alpha = 0
//! ```
//!
//! Where the rows are separable, w tends to the direction of the largest angular margin, and w / sum
//! alpha to the point of smallest norm. At all times ‖w‖ / sum alpha is a bound on every margin. Where
//! they are not, alpha grows without end, most of all for rows that conflict.
//!
//! Guarantee: the objective never rises, and sweeps converge linearly where there is an optimum.
//! Cost: a row read a visit, two a row and step of the conjugate gradients; no row is ever stored, nor
//! any product of two rows.
//!
//! Reference: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. Keerthi and S. Sundararajan, A dual coordinate
//! descent method for large-scale linear SVM, ICML (2008), algorithm 3.

use rayon::prelude::*;

use crate::kernels::Arithmetic;

/// Steps of the conjugate gradients in a row.
const GRADIENTS: usize = 60;
/// They end when the residual is this much of what it was.
const SOLVED: f64 = 1e-4;
/// How often a step that does not lower the objective is halved.
const HALVINGS: usize = 6;

/// Vectors of length one that can be visited one by one.
pub trait UnitVectors: Sync {
    /// Returns how many there are.
    fn count(&self) -> usize;
    /// Returns how many coordinates each has.
    fn dimension(&self) -> usize;
    /// Returns w·z of vector `i`.
    fn score(&self, i: usize, w: &[f64]) -> f64;
    /// Adds c z to w for vector `i`.
    fn add(&self, i: usize, c: f64, w: &mut [f64]);
}

/// What w makes of all rows.
#[derive(Clone, Copy, Debug)]
pub struct DualLook {
    /// Rows with w·z <= 0.
    pub mistakes: u64,
    /// The smallest w·z.
    pub smallest: f64,
}

impl DualLook {
    fn new(scores: &[f64]) -> Self {
        DualLook {
            mistakes: scores.iter().filter(|score| **score <= 0.0).count() as u64,
            smallest: scores.iter().fold(f64::INFINITY, |least, &score| least.min(score)),
        }
    }
}

/// Where the descent stands.
pub struct Dual<V> {
    rows: V,
    alpha: Vec<f64>,
    w: Vec<f64>,
    active: Vec<usize>,
    /// The state of the order of visits.
    state: u64,
    /// Rows read so far.
    reads: u64,
}

impl<V: UnitVectors> Dual<V> {
    /// Returns the descent at w = 0.
    pub fn new(rows: V) -> Self {
        Dual {
            alpha: vec![0.0; rows.count()],
            w: vec![0.0; rows.dimension()],
            active: (0..rows.count()).collect(),
            state: 1,
            reads: 0,
            rows,
        }
    }

    /// Returns w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns the rows with alpha > 0, and their alpha.
    pub fn weights(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.alpha.iter().copied().enumerate().filter(|(_, alpha)| *alpha > 0.0)
    }

    /// Returns ‖w‖ / sum alpha, which no margin exceeds.
    pub fn bound(&self) -> f64 {
        self.norm() / self.alpha.iter().sum::<f64>()
    }

    /// Returns ‖w‖.
    pub fn norm(&self) -> f64 {
        f64::dot(&self.w, &self.w).sqrt()
    }

    /// Returns the rows read so far.
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// Looks at all rows, and makes those active that have something to do. Costs a pass.
    pub fn look(&mut self) -> DualLook {
        let all: Vec<usize> = (0..self.rows.count()).collect();
        let scores = self.scores(&all, &self.w);
        self.reads += all.len() as u64;
        self.active = all;
        self.active.retain(|&i| self.alpha[i] > 0.0 || scores[i] < 1.0);
        DualLook::new(&scores)
    }

    /// Visits the active rows; returns the largest that a score lacked or, with alpha > 0, was beyond
    /// 1. Costs their share of a pass.
    pub fn sweep(&mut self) -> f64 {
        let mut most = 0.0_f64;
        for k in (1..self.active.len()).rev() {
            self.active
                .swap(k, (linsep_data::hash::draw(&mut self.state) % (k as u64 + 1)) as usize);
        }
        for &i in &self.active {
            let alpha = self.alpha[i];
            let lacking = 1.0 - self.rows.score(i, &self.w);
            let step = lacking.max(-alpha);
            if step != 0.0 {
                most = most.max(lacking.abs());
                self.alpha[i] = alpha + step;
                self.rows.add(i, step, &mut self.w);
            }
        }
        self.reads += self.active.len() as u64;
        most
    }

    /// Moves all alpha > 0 at once to where their rows have a score of 1, or some of the way.
    pub fn polish(&mut self) {
        let (support, before): (Vec<usize>, Vec<f64>) = self.weights().unzip();
        let change = self.conjugate_gradients(&support);
        let objective = |w: &[f64], alpha: &[f64]| 0.5 * f64::dot(w, w) - alpha.iter().sum::<f64>();
        let here = objective(&self.w, &before);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let there: Vec<f64> =
                before.iter().zip(&change).map(|(a, c)| (a + share * c).max(0.0)).collect();
            // A sum of its own: what rounding has done to w so far is gone with it.
            let w = self.combine(&support, &there);
            if objective(&w, &there) < here {
                self.w = w;
                support.iter().zip(there).for_each(|(&i, alpha)| self.alpha[i] = alpha);
                return;
            }
            share *= 0.5;
        }
    }

    /// Returns the changes of alpha that would give all these rows a score of 1, as far as a few
    /// steps bring them.
    fn conjugate_gradients(&mut self, support: &[usize]) -> Vec<f64> {
        let mut change = vec![0.0; support.len()];
        let scores = self.scores(support, &self.w);
        self.reads += support.len() as u64;
        let mut residual: Vec<f64> = scores.iter().map(|score| 1.0 - score).collect();
        let mut direction = residual.clone();
        let mut squared = f64::dot(&residual, &residual);
        let enough = squared * SOLVED * SOLVED;
        for _ in 0..GRADIENTS {
            let v = self.combine(support, &direction);
            let curvature = f64::dot(&v, &v);
            // Rows that depend on each other may have directions in which w does not change.
            if squared <= enough || curvature <= 1e-14 * f64::dot(&direction, &direction) {
                break;
            }
            let step = squared / curvature;
            f64::axpy(step, &direction, &mut change);
            f64::axpy(-step, &self.scores(support, &v), &mut residual);
            self.reads += support.len() as u64;
            let next = f64::dot(&residual, &residual);
            let factor = next / squared;
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + factor * *d);
            squared = next;
        }
        change
    }

    /// Returns sum c_i z_i.
    fn combine(&mut self, rows: &[usize], factors: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.rows.dimension()];
        for (&i, &c) in rows.iter().zip(factors) {
            self.rows.add(i, c, &mut sum);
        }
        self.reads += rows.len() as u64;
        sum
    }

    /// Returns v·z of these rows.
    fn scores(&self, rows: &[usize], v: &[f64]) -> Vec<f64> {
        rows.par_iter().with_min_len(64).map(|&i| self.rows.score(i, v)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::decide::solvers::min_norm_point::Corral;
    use crate::lift::Rows;

    #[test]
    fn the_bounds_close_around_the_norm_of_the_smallest_point() {
        let samples = Generator::new(60, 80, 3).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let points: Vec<Vec<f64>> = (0..60).map(|i| rows.vector(i)).collect();
        let mut corral = Corral::new(81);
        corral.solve(&(0..60).collect::<Vec<_>>(), &points, &|| false);
        let mut dual = Dual::new(Rows::lifted(&samples));
        for _ in 0..20 {
            dual.sweep();
            dual.polish();
            let look = dual.look();
            assert!(look.smallest / dual.norm() <= corral.norm() * (1.0 + 1e-9));
            assert!(dual.bound() >= corral.norm() * (1.0 - 1e-9));
        }
        let smallest = dual.look().smallest / dual.norm();
        assert!(smallest >= dual.bound() * (1.0 - 1e-9), "{smallest} below {}", dual.bound());
    }

    #[test]
    fn the_objective_never_rises() {
        let samples = Generator::new(200, 30, 4).samples::<f64>().unwrap();
        let mut dual = Dual::new(Rows::lifted(&samples));
        let objective =
            |dual: &Dual<Rows>| 0.5 * dual.norm() * dual.norm() - dual.alpha.iter().sum::<f64>();
        let mut last = 0.0_f64;
        for round in 0..30 {
            if round % 3 == 2 {
                dual.polish();
            } else {
                dual.sweep();
            }
            dual.look();
            let here = objective(&dual);
            assert!(here <= last + 1e-9 * last.abs(), "round {round}: {here} after {last}");
            last = here;
        }
    }
}
