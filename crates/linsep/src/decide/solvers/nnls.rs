//! Non-negative least squares: the point of a cone that is nearest to a target, as floats have it.
//!
//! ```text
//! given   vectors u_1 … u_m of length about one, and t, in R^d
//! find    x >= 0 with ‖r‖ smallest, r = t - sum x_i u_i
//!         then r·u_i <= 0 for all i, and = 0 where x_i > 0: -r has no negative product with any vector
//!
//! repeat  the vector with the largest r·u joins
//!         solve for those that have joined; while one of them is negative, go towards that until the
//!         first becomes zero, and leave it out
//! ```
//!
//! `weak/cone.rs` projects on a cone too, by the corral of `min_norm_point.rs`: its rows come by passes over data that may
//! be elsewhere, and the corral goes on from where it was when they join; here all vectors are at hand, and many targets
//! share their products.
//!
//! Cost of a step: a look at all vectors, and the square of those that have joined.
//!
//! C. Lawson and R. Hanson, Solving least squares problems (1974), chapter 23.

use crate::kernels::Arithmetic;

/// A product below this share of the target's length is none.
const FLAT: f64 = 1e-12;
/// A multiplier below this share of the largest is zero.
const ZERO: f64 = 1e-14;
/// Steps per coordinate after which it ends: rounding may keep it from the end.
const STEPS: usize = 10;

/// Where it ended.
pub struct Nearest {
    /// The places of vectors with a multiplier.
    pub places: Vec<usize>,
    /// What is left of the target.
    pub rest: Vec<f64>,
}

/// Returns where the target comes nearest to the cone of the vectors.
///
/// `products` are those of all pairs of vectors, if they are known: many targets share them.
pub fn nearest(
    vectors: &[Vec<f64>],
    products: &[Vec<f64>],
    target: &[f64],
    halt: &dyn Fn() -> bool,
) -> Nearest {
    let flat = FLAT * f64::dot(target, target).sqrt();
    let mut joined = Joined { vectors, products, target, places: vec![], factor: vec![] };
    let (mut x, mut rest) = (vec![], target.to_vec());
    let mut refused: Vec<usize> = vec![];
    for _ in 0..STEPS * (target.len() + 2) {
        if halt() {
            break;
        }
        let best = (0..vectors.len())
            .filter(|k| !joined.places.contains(k) && !refused.contains(k))
            .map(|k| (f64::dot(&vectors[k], &rest), k))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let Some((_, place)) = best.filter(|(product, _)| *product > flat) else {
            break;
        };
        if !joined.add(place) {
            // As good as a combination of the others.
            refused.push(place);
            continue;
        }
        x.push(0.0);
        if !joined.settle(&mut x, halt) {
            break;
        }
        if !joined.places.contains(&place) {
            refused.push(place);
        } else {
            refused.clear();
        }
        rest = joined.rest(&x);
    }
    Nearest { places: joined.places, rest }
}

/// The vectors that have joined, and the lower triangular factor of their products.
struct Joined<'a> {
    vectors: &'a [Vec<f64>],
    products: &'a [Vec<f64>],
    target: &'a [f64],
    places: Vec<usize>,
    factor: Vec<Vec<f64>>,
}

impl Joined<'_> {
    /// Adds a vector; returns false if it depends on those that are there.
    fn add(&mut self, place: usize) -> bool {
        let own = &self.vectors[place];
        let product = |k: usize| match self.products.get(place) {
            Some(known) => known[k],
            None => f64::dot(&self.vectors[k], own),
        };
        let mut row: Vec<f64> = self.places.iter().map(|&k| product(k)).collect();
        for k in 0..row.len() {
            let sum = f64::dot(&self.factor[k][..k], &row[..k]);
            row[k] = (row[k] - sum) / self.factor[k][k];
        }
        let left = product(place) - f64::dot(&row, &row);
        if left <= 1e-13 {
            return false;
        }
        row.push(left.sqrt());
        self.factor.push(row);
        self.places.push(place);
        true
    }

    /// Makes x the solution for those that have joined, and leaves out those that would be negative. Returns
    /// false if rounding is in the way, or if it was halted.
    fn settle(&mut self, x: &mut Vec<f64>, halt: &dyn Fn() -> bool) -> bool {
        loop {
            if self.places.is_empty() {
                return true;
            }
            if halt() {
                return false;
            }
            let solved = self.solution();
            let largest = solved.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            if !largest.is_finite() {
                return false;
            }
            let zero = ZERO * largest;
            if solved.iter().all(|&v| v > zero) {
                *x = solved;
                return true;
            }
            let share = |(&x, &s): (&f64, &f64)| if s <= zero { x / (x - s) } else { 1.0 };
            let far = x.iter().zip(&solved).map(share).fold(1.0, f64::min).max(0.0);
            x.iter_mut().zip(&solved).for_each(|(x, s)| *x += far * (s - *x));
            let blocking = |k: &usize| solved[*k] <= zero && x[*k] <= zero;
            let mut out: Vec<usize> = (0..x.len()).filter(blocking).collect();
            if out.is_empty() {
                // Rounding hides which it is: the most negative one.
                let place = |a: &usize, b: &usize| solved[*a].total_cmp(&solved[*b]);
                out.extend((0..x.len()).min_by(place));
            }
            let stays = |k: usize| !out.contains(&k);
            let kept: Vec<usize> = (0..x.len()).filter(|&k| stays(k)).collect();
            *x = kept.iter().map(|&k| x[k]).collect();
            // What was factored before the first that leaves stays as it is.
            let first = out.iter().copied().min().unwrap_or(0);
            let places: Vec<usize> =
                kept.iter().filter(|&&k| k > first).map(|&k| self.places[k]).collect();
            self.places.truncate(first);
            self.factor.truncate(first);
            if !places.iter().all(|&place| !halt() && self.add(place)) {
                return false;
            }
        }
    }

    /// Returns the multipliers with which the vectors come nearest to the target, corrected once.
    fn solution(&self) -> Vec<f64> {
        let mut x = self.solved(self.target);
        let correction = self.solved(&self.rest(&x));
        x.iter_mut().zip(correction).for_each(|(x, c)| *x += c);
        x
    }

    fn solved(&self, target: &[f64]) -> Vec<f64> {
        let mut b: Vec<f64> =
            self.places.iter().map(|&k| f64::dot(&self.vectors[k], target)).collect();
        let n = b.len();
        for k in 0..n {
            let sum = f64::dot(&self.factor[k][..k], &b[..k]);
            b[k] = (b[k] - sum) / self.factor[k][k];
        }
        for k in (0..n).rev() {
            b[k] /= self.factor[k][k];
            let (head, own) = (&self.factor[k], b[k]);
            (0..k).for_each(|j| b[j] -= own * head[j]);
        }
        b
    }

    fn rest(&self, x: &[f64]) -> Vec<f64> {
        let mut rest = self.target.to_vec();
        for (&place, &x) in self.places.iter().zip(x) {
            f64::axpy(-x, &self.vectors[place], &mut rest);
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

    #[test]
    fn what_is_left_has_no_positive_product() {
        let mut state = 9;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        for round in 0..60 {
            let (m, d) = (3 + round % 40, 2 + round % 7);
            let mut vector = || {
                let mut v: Vec<f64> = (0..d).map(|_| number()).collect();
                let length = f64::dot(&v, &v).sqrt();
                v.iter_mut().for_each(|x| *x /= length);
                v
            };
            let mut vectors: Vec<Vec<f64>> = (0..m).map(|_| vector()).collect();
            // Copies are as good as the originals, and no better.
            vectors.push(vectors[0].clone());
            let target = vector();
            let found = nearest(&vectors, &[], &target, &|| false);
            assert!(vectors.iter().all(|u| f64::dot(u, &found.rest) < 1e-10), "round {round}");
            let on = found.places.iter().map(|&k| f64::dot(&vectors[k], &found.rest).abs());
            assert!(on.fold(0.0, f64::max) < 1e-10, "round {round}");
        }
    }

    #[test]
    fn a_target_within_the_cone_is_reached() {
        let vectors = [vec![1.0, 0.0], vec![0.6, 0.8], vec![0.0, -1.0]];
        let found = nearest(&vectors, &[], &[2.0, 1.0], &|| false);
        assert!(found.rest.iter().all(|r| r.abs() < 1e-15));
        assert_eq!(found.places.len(), 2);
    }
}
