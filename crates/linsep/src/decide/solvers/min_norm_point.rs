//! The point of smallest norm in the convex hull of given points (Wolfe).
//!
//! ```text
//! given   points z_1 … z_m in R^D
//! find    p = sum lambda_i z_i, lambda >= 0, sum lambda = 1, with ‖p‖ as small as can be
//! keep    a corral: points whose affine hull has p as its point of smallest norm, lambda > 0
//! major   the point with the smallest p·z joins the corral; stop if p·z >= ‖p‖² for all
//! minor   go to the smallest point of the affine hull; where a lambda would turn negative, stop at
//!         the border, drop that point, and try again
//! ```
//!
//! The affine problem is solved by an orthogonal factorization of the points with a 1 appended,
//! (z, 1) = Q R: with q the last row of Q, R u = q gives lambda = u / sum u, and what is left of the
//! last unit vector after projection on Q gives p. Nothing is squared on the way, so norms down to
//! about 1e-13 mean something. Points are added by Gram-Schmidt, done twice where it
//! takes much away, and dropped by rotations.
//!
//! Guarantee: ends, in exact arithmetic; ‖p‖ falls with every major step. Here it also ends when
//! rounding keeps ‖p‖ from falling. Cost of a step: m dot products, and order D k for a corral of k.
//!
//! Reference: P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::order::{Scored, by_score, keep_smallest};
use crate::kernels::Arithmetic;

/// A point joins the corral only if this much of it lies outside the span of the others.
const INDEPENDENT: f64 = 1e-12;
/// If more than this share of a point is left by Gram-Schmidt, once is enough.
const SOUND: f64 = 0.7;
/// Values that are looked at by one task.
const VALUES_PER_TASK: usize = 1 << 18;
/// Points that are worked off between two looks at all.
const CANDIDATES: usize = 60;
/// p is as good as optimal when p·z >= ‖p‖² (1 - this) for all points.
const OPTIMAL: f64 = 1e-12;

/// The corral: points, their weights, and the factorization.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Corral {
    dimension: usize,
    /// Caller's numbers of the points.
    ids: Vec<usize>,
    weights: Vec<f64>,
    points: Vec<Vec<f64>>,
    /// Columns of Q, each of `dimension` + 1 numbers.
    q: Vec<Vec<f64>>,
    /// Columns of R, column k of k + 1 numbers.
    r: Vec<Vec<f64>>,
    p: Vec<f64>,
}

impl Corral {
    /// Returns an empty corral for points of this dimension.
    pub fn new(dimension: usize) -> Self {
        Corral {
            dimension,
            ids: vec![],
            weights: vec![],
            points: vec![],
            q: vec![],
            r: vec![],
            p: vec![0.0; dimension],
        }
    }

    /// Returns p.
    pub fn p(&self) -> &[f64] {
        &self.p
    }

    /// Returns ‖p‖.
    pub fn norm(&self) -> f64 {
        dot(&self.p, &self.p).sqrt()
    }

    /// Returns the numbers of the points and their weights, which are positive and add up to one.
    pub fn members(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.ids.iter().copied().zip(self.weights.iter().copied())
    }

    /// Returns true if its parts fit each other, as those of one that was read from elsewhere may not.
    pub fn is_sound(&self) -> bool {
        let Corral { dimension, ids, weights, points, q, r, p } = self;
        let counts = [weights.len(), points.len(), q.len(), r.len()];
        counts.iter().all(|&count| count == ids.len())
            && p.len() == *dimension
            && points.iter().all(|z| z.len() == *dimension)
            && q.iter().all(|q| q.len() == dimension + 1)
            && r.iter().enumerate().all(|(k, r)| r.len() == k + 1)
    }

    /// Lets one point join and moves p to the new point of smallest norm; returns false, and changes nothing, if the
    /// point depends on the others.
    pub fn join(&mut self, id: usize, point: &[f64]) -> bool {
        if !self.add(id, point) {
            return false;
        }
        self.settle(&|| false);
        self.refine();
        true
    }

    /// Makes p the point of smallest norm over the corral and `points`, whose numbers are `ids`.
    /// Returns the number of major steps. `halt` is asked before each.
    pub fn solve(&mut self, ids: &[usize], points: &[Vec<f64>], halt: &dyn Fn() -> bool) -> u64 {
        let mut steps = 0;
        let mut smallest = f64::INFINITY;
        let mut stalled = 0;
        let all: Vec<usize> = (0..points.len()).collect();
        let mut worst: Vec<usize> = vec![];
        while !halt() {
            // A look at all points costs far more than a step, so the worst are worked off first.
            let mut next = self.violated(ids, points, &worst, 1).pop();
            if next.is_none() {
                worst = self.violated(ids, points, &all, CANDIDATES);
                if worst.is_empty() {
                    self.refine();
                    worst = self.violated(ids, points, &all, CANDIDATES);
                }
                next = worst.first().copied();
            }
            let Some(next) = next else {
                return steps;
            };
            if !self.add(ids[next], &points[next]) {
                // In the span of the corral: rounding alone speaks for it.
                return steps;
            }
            self.settle(halt);
            steps += 1;
            let norm = self.norm();
            stalled = if norm < smallest * (1.0 - 1e-13) { 0 } else { stalled + 1 };
            smallest = smallest.min(norm);
            if stalled > 20 {
                return steps;
            }
        }
        steps
    }

    /// Returns the positions, of those in `among`, of the points with the smallest p·z that show p not
    /// to be optimal: at most `most` of them, the smallest first, of equals the earlier.
    fn violated(
        &self,
        ids: &[usize],
        points: &[Vec<f64>],
        among: &[usize],
        most: usize,
    ) -> Vec<usize> {
        if self.ids.is_empty() {
            return among.first().copied().into_iter().collect();
        }
        let squared = dot(&self.p, &self.p);
        // In exact arithmetic all points of the corral score ‖p‖². What does not score below all of
        // them is no better than a copy of one, and would be found to depend on them.
        let own = self.points.iter().map(|z| dot(&self.p, z)).fold(f64::INFINITY, f64::min);
        let optimal = own.min(squared * (1.0 - OPTIMAL) - 1e-16 * squared.sqrt());
        let score = |&at: &usize| (dot(&self.p, &points[at]), at);
        let below = |(score, _): &Scored| *score < optimal;
        // To wake a thread takes longer than a look at a few points.
        let mut found: Vec<Scored> = if among.len() * self.dimension < 2 * VALUES_PER_TASK {
            among.iter().map(score).filter(below).collect()
        } else {
            let points = VALUES_PER_TASK.div_ceil(self.dimension);
            among.par_iter().with_min_len(points).map(score).filter(below).collect()
        };
        // Members of the corral may be among them, and are no news.
        keep_smallest(&mut found, most + self.ids.len());
        found.sort_unstable_by(by_score);
        let fresh = found.into_iter().map(|(_, at)| at).filter(|&at| !self.ids.contains(&ids[at]));
        fresh.take(most).collect()
    }

    /// Adds a point with weight zero; returns false if it depends on the others.
    fn add(&mut self, id: usize, point: &[f64]) -> bool {
        let mut v: Vec<f64> = point.iter().copied().chain([1.0]).collect();
        let length = dot(&v, &v).sqrt();
        let mut column = vec![0.0; self.q.len()];
        let mut rest = length;
        for _ in 0..2 {
            for (q, r) in self.q.iter().zip(&mut column) {
                let c = dot(q, &v);
                *r += c;
                f64::axpy(-c, q, &mut v);
            }
            rest = dot(&v, &v).sqrt();
            // Where little was taken away, little rounding was left behind.
            if rest > SOUND * length {
                break;
            }
        }
        if rest <= INDEPENDENT * length {
            return false;
        }
        v.iter_mut().for_each(|x| *x /= rest);
        column.push(rest);
        self.q.push(v);
        self.r.push(column);
        self.ids.push(id);
        self.points.push(point.to_vec());
        self.weights.push(if self.weights.is_empty() { 1.0 } else { 0.0 });
        true
    }

    /// Takes minor steps until p is the smallest point of the affine hull, with weights above zero, or until halted: p is
    /// then some point of the hull.
    fn settle(&mut self, halt: &dyn Fn() -> bool) {
        while !halt() {
            let target = self.affine_weights();
            if target.iter().all(|&t| t > 0.0) {
                self.weights = target;
                break;
            }
            // How far towards the target before a weight is zero.
            let mut step = 1.0_f64;
            for (w, t) in self.weights.iter().zip(&target) {
                if *t <= 0.0 {
                    step = step.min(w / (w - t));
                }
            }
            let step = if step.is_nan() { 0.0 } else { step };
            let mut lowest = 0;
            for k in 0..target.len() {
                self.weights[k] += step * (target[k] - self.weights[k]);
                if target[k] <= 0.0
                    && (target[lowest] > 0.0 || self.weights[k] < self.weights[lowest])
                {
                    lowest = k;
                }
            }
            self.drop_point(lowest);
            if self.ids.len() == 1 {
                self.weights = vec![1.0];
                break;
            }
        }
        self.set_p();
    }

    /// Returns the weights of the smallest point of the affine hull.
    fn affine_weights(&self) -> Vec<f64> {
        let mut u: Vec<f64> = self.q.iter().map(|q| q[self.dimension]).collect();
        for k in (0..u.len()).rev() {
            u[k] /= self.r[k][k];
            let (head, tail) = u.split_at_mut(k);
            head.iter_mut().zip(&self.r[k]).for_each(|(u, r)| *u -= tail[0] * r);
        }
        let sum: f64 = u.iter().sum();
        u.iter_mut().for_each(|u| *u /= sum);
        u
    }

    fn set_p(&mut self) {
        self.p.fill(0.0);
        for (weight, point) in self.weights.iter().zip(&self.points) {
            f64::axpy(*weight, point, &mut self.p);
        }
    }

    /// Makes p·z the same for all points of the corral, as far as numbers of the size of p allow.
    ///
    /// As a sum of points, p has the rounding errors of numbers of size one, which are large where p
    /// is small. Its scores are known far better, and R' g = c turns their differences c into the
    /// correction Q g, up to a change common to all.
    pub fn refine(&mut self) {
        let squared = dot(&self.p, &self.p);
        let mut g: Vec<f64> = self.points.iter().map(|z| squared - dot(&self.p, z)).collect();
        for k in 0..g.len() {
            let known: f64 = self.r[k][..k].iter().zip(&g).map(|(r, g)| r * g).sum();
            g[k] = (g[k] - known) / self.r[k][k];
        }
        for (g, q) in g.iter().zip(&self.q) {
            f64::axpy(*g, &q[..self.dimension], &mut self.p);
        }
    }

    fn drop_point(&mut self, k: usize) {
        self.ids.remove(k);
        self.points.remove(k);
        self.weights.remove(k);
        self.r.remove(k);
        // Columns after k have one entry too many; rotations of rows j, j + 1 take it out.
        for j in k..self.r.len() {
            let (a, b) = (self.r[j][j], self.r[j][j + 1]);
            let length = (a * a + b * b).sqrt();
            let (c, s) = (a / length, b / length);
            for column in &mut self.r[j..] {
                let (x, y) = (column[j], column[j + 1]);
                column[j] = c * x + s * y;
                column[j + 1] = c * y - s * x;
            }
            self.r[j].pop();
            let (left, right) = self.q.split_at_mut(j + 1);
            for (x, y) in left[j].iter_mut().zip(&mut right[0]) {
                (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
            }
        }
        self.q.pop();
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    f64::dot(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::lift::Rows;
    use crate::online::{FitSettings, MethodSettings, fit, svm};

    fn solve(points: &[Vec<f64>]) -> Corral {
        let mut corral = Corral::new(points[0].len());
        let ids: Vec<usize> = (0..points.len()).collect();
        corral.solve(&ids, points, &|| false);
        corral
    }

    fn check(points: &[&[f64]], expected: &[f64]) {
        let points: Vec<Vec<f64>> = points.iter().map(|p| p.to_vec()).collect();
        let found = solve(&points);
        for (found, expected) in found.p().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} against {expected}");
        }
        assert!((found.members().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn points_of_which_the_answer_is_known() {
        check(&[&[3.0, 4.0]], &[3.0, 4.0]);
        check(&[&[1.0, 1.0], &[1.0, -1.0], &[2.0, 0.0]], &[1.0, 0.0]);
        check(&[&[1.0, 0.0], &[0.0, 1.0]], &[0.5, 0.5]);
        check(&[&[1.0, 0.0], &[-1.0, 0.0], &[0.0, 5.0]], &[0.0, 0.0]);
        check(&[&[1.0, 2.0], &[1.0, 2.0], &[1.0, 3.0]], &[1.0, 2.0]);
    }

    #[test]
    fn the_norm_is_the_largest_margin() {
        for seed in 1..5 {
            let samples = Generator::new(200, 4, seed).samples::<f64>().unwrap();
            let rows = Rows::lifted(&samples);
            let points: Vec<Vec<f64>> = (0..200).map(|i| rows.vector(i)).collect();
            let method =
                svm::SvmSettings { hard: true, tolerance: 1e-10, ..svm::SvmSettings::default() };
            let settings = FitSettings {
                method: MethodSettings::Svm(method),
                max_epochs: 1_000_000,
                ..FitSettings::default()
            };
            let best = fit(&samples, &settings, &mut (), None).unwrap();
            let margin = best.evaluation.margin.angular.unwrap();
            let found = solve(&points).norm();
            assert!((found / margin - 1.0).abs() < 1e-6, "{found} against {margin}");
        }
    }
}
