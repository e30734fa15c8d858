//! The point of an intersection of half-spaces that is nearest to a given one (Goldfarb and Idnani).
//!
//! ```text
//! given   vectors z_1 … z_m of length about one, w in R^D, epsilon
//! find    v nearest to w with v·z >= epsilon for all z
//!         v = w + sum a_i z_i with a >= 0, and a_i > 0 only where v·z_i = epsilon
//! keep    the vectors with a_i > 0, v, and an orthogonal factorization of them, Z' = Q R
//! step    the vector with the smallest v·z joins: what of it lies outside the span of the others is added to v until
//!         v·z = epsilon; where another's multiplier would turn negative on the way, that one leaves
//! stop    when no vector is below epsilon, or when what joins cancels against the others: there is no such v
//! ```
//!
//! Guarantee: ends, in exact arithmetic, for ‖v - w‖ rises with every step. Wherever it is stopped, all vectors with a
//! multiplier have v·z <= epsilon, so v is no further than w from any u with u·z >= epsilon for all of them:
//! ‖v - u‖² - ‖w - u‖² = 2 sum a_i z_i·(v - u) - ‖v - w‖² <= -‖v - w‖².
//!
//! Cost: a look at all vectors for every few steps, and D k per step for k vectors that have joined.
//!
//! Reference: D. Goldfarb and A. Idnani, A numerically stable dual method for solving strictly convex quadratic
//! programs, Mathematical Programming 27 (1983).

use std::ops::ControlFlow;

use super::order::{Scored, by_score, keep_smallest};
use crate::kernels::Arithmetic;

/// A vector joins only if this much of it lies outside the span of the others.
const INDEPENDENT: f64 = 1e-12;
/// If more than this share of a vector is left by Gram-Schmidt, once is enough.
const SOUND: f64 = 0.01;
/// Vectors that are worked off between two looks at all.
const CANDIDATES: usize = 24;
/// A product this share of epsilon below it, or this share of ‖v‖, is as good as epsilon.
const SLACK: f64 = 1e-3;
const ROUNDING: f64 = 1e-15;
/// Steps per vector after which it ends: rounding may keep it from the end.
const STEPS: usize = 4;

/// What is asked for.
pub struct HalfSpaces<'a> {
    /// The vectors, one after the other.
    pub vectors: &'a [f64],
    /// The point to be near to.
    pub w: &'a [f64],
    /// What products shall not be below.
    pub epsilon: f64,
}

/// Where it ended.
#[derive(Debug)]
pub struct NearestWithin {
    /// The point.
    pub point: Vec<f64>,
    /// The multiplier of every vector, 0 or more.
    pub multipliers: Vec<f64>,
    /// How short a sum of vectors with weights 0 or more is, the weights adding up to one: no point has a product
    /// above this with all of them, per unit of its length. Infinite where none was met.
    pub shortest: f64,
    /// Products of vectors that were computed.
    pub products: u64,
}

/// Returns the nearest point, or as near as rounding lets it come; nothing if it was halted.
pub fn nearest_within(asked: &HalfSpaces, halt: &dyn Fn() -> bool) -> Option<NearestWithin> {
    let mut active = ActiveSet::new(asked);
    if active.solve(halt).is_break() {
        return None;
    }
    active.refine();
    let mut multipliers = vec![0.0; active.len()];
    active.places.iter().zip(&active.multipliers).for_each(|(&k, &a)| multipliers[k] = a);
    let (ActiveSet { point, products, shortest, .. }, w) = (active, asked.w);
    let moved: f64 = point.iter().zip(w).map(|(v, w)| (v - w) * (v - w)).sum();
    let weights: f64 = multipliers.iter().sum();
    let shortest = if weights > 0.0 { shortest.min(moved.sqrt() / weights) } else { shortest };
    Some(NearestWithin { point, multipliers, shortest, products })
}

/// The vectors that hold the point, and their factorization.
struct ActiveSet<'a> {
    asked: &'a HalfSpaces<'a>,
    point: Vec<f64>,
    /// Places of the vectors, and their multipliers, above zero.
    places: Vec<usize>,
    multipliers: Vec<f64>,
    /// Columns of Q, and those of R, column k of k + 1 numbers.
    q: Vec<Vec<f64>>,
    r: Vec<Vec<f64>>,
    /// Vectors that depend on others but for rounding.
    refused: Vec<usize>,
    products: u64,
    shortest: f64,
}

/// A vector as a sum of those that hold the point and a rest at right angles to them.
struct Split {
    column: Vec<f64>,
    rest: Vec<f64>,
    length: f64,
}

impl<'a> ActiveSet<'a> {
    fn new(asked: &'a HalfSpaces<'a>) -> Self {
        ActiveSet {
            asked,
            point: asked.w.to_vec(),
            places: vec![],
            multipliers: vec![],
            q: vec![],
            r: vec![],
            refused: vec![],
            products: 0,
            shortest: f64::INFINITY,
        }
    }

    /// Returns the number of vectors.
    fn len(&self) -> usize {
        self.asked.vectors.len() / self.asked.w.len()
    }

    fn vector(&self, place: usize) -> &'a [f64] {
        let dimension = self.asked.w.len();
        &self.asked.vectors[place * dimension..(place + 1) * dimension]
    }

    /// Lets vectors join until none is below epsilon; breaks off if it was halted.
    fn solve(&mut self, halt: &dyn Fn() -> bool) -> ControlFlow<()> {
        let mut worst: Vec<usize> = vec![];
        let most = STEPS * (self.len() + self.asked.w.len());
        for _ in 0..most {
            if halt() {
                return ControlFlow::Break(());
            }
            // A look at all vectors costs far more than a step, so the worst are worked off first.
            let mut next = self.smallest(&worst);
            if next.is_none() {
                worst = self.below();
                next = worst.first().copied();
            }
            match next {
                Some(next) if self.join(next) => {}
                _ => break,
            }
        }
        ControlFlow::Continue(())
    }

    fn product(&self, place: usize) -> f64 {
        f64::dot(&self.point, self.vector(place))
    }

    /// Returns the product under which a vector is missing.
    fn bar(&self) -> f64 {
        let length = f64::dot(&self.point, &self.point).sqrt();
        self.asked.epsilon * (1.0 - SLACK) - ROUNDING * length
    }

    /// Returns the vector of these with the smallest product, if that is below the bar.
    fn smallest(&mut self, among: &[usize]) -> Option<usize> {
        self.products += among.len() as u64;
        let bar = self.bar();
        let open = among.iter().filter(|k| !self.places.contains(k) && !self.refused.contains(k));
        let scored = open.map(|&k| (self.product(k), k)).filter(|(product, _)| *product < bar);
        scored.min_by(by_score).map(|(_, k)| k)
    }

    /// Returns the vectors with the smallest products below the bar, the smallest first.
    fn below(&mut self) -> Vec<usize> {
        let (bar, count) = (self.bar(), self.len());
        let mut products = vec![0.0; count];
        f64::scores(&self.point, self.asked.vectors, self.point.len(), &mut products);
        self.products += count as u64;
        let scored = products.into_iter().zip(0..);
        let fresh = |k: &usize| !self.places.contains(k) && !self.refused.contains(k);
        let mut found: Vec<Scored> = scored.filter(|(p, k)| *p < bar && fresh(k)).collect();
        keep_smallest(&mut found, CANDIDATES);
        found.sort_unstable_by(by_score);
        found.into_iter().map(|(_, k)| k).collect()
    }

    /// Lets a vector join, and others leave for it. Returns false if there is no point as asked for.
    fn join(&mut self, place: usize) -> bool {
        let mut own = 0.0;
        loop {
            let split = self.split(place);
            let shares = self.backward(split.column.clone());
            let leaves = self.first_to_leave(&shares);
            let free = split.length > INDEPENDENT;
            let missing = self.asked.epsilon - self.product(place);
            self.products += 1;
            let whole = missing.max(0.0) / (split.length * split.length);
            let step = match leaves {
                Some((step, _)) if !free || step < whole => step,
                _ if free => whole,
                // All others cancel against this one, up to what is left of it.
                _ => {
                    let weights = 1.0 + shares.iter().map(|share| share.abs()).sum::<f64>();
                    self.shortest = self.shortest.min(split.length / weights);
                    return false;
                }
            };
            self.multipliers.iter_mut().zip(&shares).for_each(|(a, share)| *a -= step * share);
            own += step;
            if free {
                f64::axpy(step, &split.rest, &mut self.point);
            }
            match leaves {
                Some((first, k)) if step == first && (!free || first < whole) => self.drop_place(k),
                _ => {
                    match own > 0.0 {
                        true => self.push(place, split, own),
                        false => self.refused.push(place),
                    }
                    return true;
                }
            }
        }
    }

    /// Returns how far it is until the first multiplier is zero, and which, if they fall by these shares.
    fn first_to_leave(&self, shares: &[f64]) -> Option<(f64, usize)> {
        let falling = self.multipliers.iter().zip(shares).zip(0..).filter(|((_, s), _)| **s > 0.0);
        falling.map(|((a, s), k)| ((a / s).max(0.0), k)).min_by(by_score)
    }

    /// Splits a vector by Gram-Schmidt.
    fn split(&mut self, place: usize) -> Split {
        let mut rest = self.vector(place).to_vec();
        let mut column = vec![0.0; self.q.len()];
        let mut before = 1.0;
        let mut length = before;
        for _ in 0..3 {
            for (q, c) in self.q.iter().zip(&mut column) {
                let share = f64::dot(q, &rest);
                *c += share;
                f64::axpy(-share, q, &mut rest);
            }
            self.products += self.q.len() as u64;
            length = f64::dot(&rest, &rest).sqrt();
            // Where little was taken away, little rounding was left behind.
            if length > SOUND * before || length <= INDEPENDENT {
                break;
            }
            before = length;
        }
        Split { column, rest, length }
    }

    fn push(&mut self, place: usize, split: Split, multiplier: f64) {
        let Split { mut column, mut rest, length } = split;
        rest.iter_mut().for_each(|x| *x /= length);
        column.push(length);
        self.q.push(rest);
        self.r.push(column);
        self.places.push(place);
        self.multipliers.push(multiplier);
    }

    /// Returns g with R' g = c.
    fn forward(&self, mut c: Vec<f64>) -> Vec<f64> {
        for k in 0..c.len() {
            let known = f64::dot(&self.r[k][..k], &c[..k]);
            c[k] = (c[k] - known) / self.r[k][k];
        }
        c
    }

    /// Returns x with R x = c.
    fn backward(&self, mut c: Vec<f64>) -> Vec<f64> {
        for k in (0..c.len()).rev() {
            let (head, tail) = c.split_at_mut(k);
            tail[0] /= self.r[k][k];
            f64::axpy(-tail[0], &self.r[k][..k], head);
        }
        c
    }

    /// Takes out a vector; rotations make R triangular again.
    fn drop_place(&mut self, k: usize) {
        self.places.remove(k);
        self.multipliers.remove(k);
        self.r.remove(k);
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
        // What depended on it may be free now.
        self.refused.clear();
    }

    /// Makes v·z the same for all that hold the point, as far as numbers of the size of v allow.
    fn refine(&mut self) {
        let missing: Vec<f64> =
            self.places.iter().map(|&k| self.asked.epsilon - self.product(k)).collect();
        self.products += missing.len() as u64;
        let g = self.forward(missing);
        g.iter().zip(&self.q).for_each(|(g, q)| f64::axpy(*g, q, &mut self.point));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || draw(&mut state) as f64 / u64::MAX as f64 - 0.5
    }

    /// Returns `count` unit vectors with a positive product with the first axis, one after the other.
    fn vectors(count: usize, dimension: usize, seed: u64) -> Vec<f64> {
        let mut number = numbers(seed);
        let mut all = vec![];
        for _ in 0..count {
            let mut v: Vec<f64> = (0..dimension).map(|_| number()).collect();
            v[0] = v[0].abs() + 0.01;
            let length = f64::dot(&v, &v).sqrt();
            all.extend(v.iter().map(|x| x / length));
        }
        all
    }

    fn check(asked: &HalfSpaces) -> NearestWithin {
        let found = nearest_within(asked, &|| false).expect("not halted");
        let mut sum = asked.w.to_vec();
        for (z, &a) in asked.vectors.chunks(asked.w.len()).zip(&found.multipliers) {
            let product = f64::dot(z, &found.point);
            assert!(product > asked.epsilon * 0.99, "{product} under {}", asked.epsilon);
            assert!(a >= 0.0 && (a == 0.0 || (product - asked.epsilon).abs() < 1e-10), "{a}");
            f64::axpy(a, z, &mut sum);
        }
        let off = sum.iter().zip(&found.point).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "the point is {off} off the sum of its vectors");
        found
    }

    #[test]
    fn the_nearest_point_is_held_by_the_vectors_it_touches() {
        for round in 0..60 {
            let (count, dimension) = (3 + round % 50, 2 + round % 9);
            let mut all = vectors(count, dimension, 5 + round as u64);
            // Copies are as good as the originals, and no better.
            all.extend_from_within(..dimension);
            let mut number = numbers(77 + round as u64);
            let w: Vec<f64> = (0..dimension).map(|_| number()).collect();
            let found = check(&HalfSpaces { vectors: &all, w: &w, epsilon: 1e-3 });
            all.rotate_left(count / 2 * dimension);
            let rotated = check(&HalfSpaces { vectors: &all, w: &w, epsilon: 1e-3 });
            let far = found.point.iter().zip(&rotated.point).map(|(a, b)| (a - b).abs());
            assert!(far.fold(0.0, f64::max) < 1e-9, "round {round}: the point is unique");
        }
    }

    #[test]
    fn every_step_comes_nearer_to_every_solution() {
        let (dimension, epsilon) = (6, 1e-3);
        let all = vectors(40, dimension, 3);
        let mut number = numbers(8);
        let w: Vec<f64> = (0..dimension).map(|_| number()).collect();
        let mut solution = vec![0.0; dimension];
        solution[0] = epsilon / 0.005;
        let from = |v: &[f64]| -> f64 {
            v.iter().zip(&solution).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let mut last = from(&w);
        for after in 0..60 {
            let looks = std::cell::Cell::new(0);
            let halt = || looks.replace(looks.get() + 1) >= after;
            let asked = HalfSpaces { vectors: &all, w: &w, epsilon };
            let mut active = ActiveSet::new(&asked);
            let halted = active.solve(&halt).is_break();
            active.refine();
            looks.set(0);
            assert_eq!(nearest_within(&asked, &halt).is_none(), halted);
            let here = from(&active.point);
            assert!(here <= last + 1e-12, "{here} after {last}");
            last = here;
        }
        assert!(last < from(&w));
    }

    #[test]
    fn vectors_that_cancel_have_no_such_point() {
        let all = [1.0, 0.0, -0.6, 0.8, -0.6, -0.8];
        let asked = HalfSpaces { vectors: &all, w: &[0.3, 0.1], epsilon: 1e-9 };
        let found = nearest_within(&asked, &|| false).expect("not halted");
        assert!(found.shortest < 1e-15, "{}", found.shortest);
        let asked = HalfSpaces { vectors: &all[..4], w: &[0.3, 0.1], epsilon: 1e-9 };
        assert!(check(&asked).shortest > 0.1);
    }
}
