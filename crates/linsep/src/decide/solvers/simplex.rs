//! The simplex method in floats of twice the precision: a good basis for the same method in integers (`exact/farkas.rs`).
//!
//! ```text
//! given   vectors a_1 … a_n of length about one, and b, in R^m
//! find    m of them, or of the unit vectors, that make b with as little as possible on unit vectors, and
//!         with negative multipliers
//! ```
//!
//! A vector enters that makes the sum of what is infeasible fall, and one leaves at which it stops falling.
//! Nothing is certain here, and rounding may end it early: exact arithmetic goes on from where it ends.
//!
//! Cost of a step: order m², and a look at all vectors.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::kernels::twice::{Twice, axpy};

/// A multiplier below this share of the largest is zero.
const ZERO: f64 = 1e-25;
/// A product below this share of the length of y is no reason to enter.
const FLAT: f64 = 1e-22;
/// A pivot below this is no pivot.
const SINGULAR: f64 = 1e-26;
/// Steps per coordinate after which it ends.
const STEPS: usize = 30;

/// A part of the basis.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// A vector, by place.
    Vector(usize),
    /// The unit vector of a coordinate.
    Unit(usize),
}

/// Returns the places of the vectors in the basis that was reached from some of those at `start`.
pub fn basis(
    vectors: &[Vec<Twice>],
    target: &[Twice],
    start: &[usize],
    halt: &dyn Fn() -> bool,
) -> Vec<usize> {
    let m = target.len();
    let mut basis = Basis::of(vectors, m, start);
    for steps in 1..=STEPS * m {
        if halt() {
            break;
        }
        let Some((at, entering, d)) = basis.step(vectors, target) else { break };
        basis.exchange(at, entering, &d);
        // Rounding adds up: begin afresh now and then.
        if steps % m.max(20) == 0 {
            basis = Basis::of(vectors, m, &basis.places());
        }
    }
    basis.places()
}

fn largest(numbers: &[Twice]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.high.abs()))
}

fn dot(a: &[Twice], b: &[Twice]) -> Twice {
    a.iter().zip(b).fold(Twice::default(), |sum, (&a, &b)| sum + a * b)
}

/// A point at which the sum of what is infeasible falls less, or not at all.
struct Break {
    at: usize,
    far: Twice,
    /// By how much less the sum falls beyond it.
    brake: Twice,
}

/// A basis, and the inverse of the matrix that has its parts as columns.
struct Basis {
    parts: Vec<Part>,
    inverse: Vec<Vec<Twice>>,
}

impl Basis {
    /// Returns the basis of the independent ones of the vectors at these places, and of unit vectors for
    /// what they leave open.
    fn of(vectors: &[Vec<Twice>], m: usize, places: &[usize]) -> Self {
        let unit = |c: usize| (0..m).map(|j| Twice::from(f64::from(u8::from(j == c)))).collect();
        let mut basis =
            Basis { parts: (0..m).map(Part::Unit).collect(), inverse: (0..m).map(unit).collect() };
        for &place in places {
            let d = basis.combination(&vectors[place]);
            let open = (0..m).filter(|&at| matches!(basis.parts[at], Part::Unit(_)));
            let widest = open.max_by(|&a, &b| ordered(d[a].abs(), d[b].abs()).then(b.cmp(&a)));
            if let Some(at) = widest.filter(|&at| d[at].high.abs() > SINGULAR) {
                basis.exchange(at, place, &d);
            }
        }
        basis
    }

    fn places(&self) -> Vec<usize> {
        let place = |part: &Part| if let Part::Vector(k) = part { Some(*k) } else { None };
        self.parts.iter().filter_map(place).collect()
    }

    /// Returns how the parts of the basis make a vector.
    fn combination(&self, v: &[Twice]) -> Vec<Twice> {
        self.inverse.iter().map(|row| dot(row, v)).collect()
    }

    /// Puts a vector, which the basis makes of its parts with the multipliers d, in the place of a part.
    fn exchange(&mut self, at: usize, entering: usize, d: &[Twice]) {
        self.parts[at] = Part::Vector(entering);
        let mut pivot = std::mem::take(&mut self.inverse[at]);
        pivot.iter_mut().for_each(|v| *v = *v / d[at]);
        for (row, &d) in self.inverse.iter_mut().zip(d) {
            if d.high != 0.0 {
                axpy(-d, &pivot[..row.len()], row);
            }
        }
        self.inverse[at] = pivot;
    }

    /// Returns which part leaves, which vector enters, and how the basis makes that, if the sum of what is
    /// infeasible can fall.
    fn step(&self, vectors: &[Vec<Twice>], target: &[Twice]) -> Option<(usize, usize, Vec<Twice>)> {
        let x = self.combination(target);
        let zero = ZERO * largest(&x);
        let cost = |(part, x): (&Part, &Twice)| match part {
            _ if x.high.abs() <= zero => 0.0,
            Part::Vector(_) if x.high > 0.0 => 0.0,
            _ => x.high.signum(),
        };
        let costs: Vec<f64> = self.parts.iter().zip(&x).map(cost).collect();
        let mut y = vec![Twice::default(); target.len()];
        for (row, &cost) in self.inverse.iter().zip(&costs).filter(|(_, cost)| **cost != 0.0) {
            axpy(Twice::from(cost), row, &mut y);
        }
        let flat = FLAT * largest(&y);
        let score = |k: usize| (dot(&y, &vectors[k]).high, k);
        let scored = (0..vectors.len()).into_par_iter().with_min_len(64).map(score);
        let (_, entering) = scored
            .filter(|(score, k)| *score > flat && !self.parts.contains(&Part::Vector(*k)))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        let d = self.combination(&vectors[entering]);
        let negligible = ZERO * largest(&d);
        let (mut slope, mut breaks) = (Twice::default(), vec![]);
        for (at, part) in self.parts.iter().enumerate() {
            let (cost, x, d) = (costs[at], x[at], d[at]);
            slope = slope - Twice::from(cost) * d;
            let size = d.abs();
            let (far, brake) = match part {
                _ if size.high <= negligible => continue,
                Part::Vector(_) if (cost < 0.0) != (d.high < 0.0) => continue,
                Part::Unit(_) if cost * d.high < 0.0 => continue,
                _ if cost == 0.0 && x.high.abs() <= zero => (Twice::default(), size),
                Part::Vector(_) => (x / d, size),
                Part::Unit(_) => (x / d, size + size),
            };
            breaks.push(Break { at, far, brake });
        }
        // Of equals the largest change: the basis stays well conditioned.
        breaks.sort_by(|a, b| ordered(a.far, b.far).then(ordered(b.brake, a.brake)));
        let stop = breaks.iter().find(|part| {
            slope = slope + part.brake;
            slope.high >= 0.0
        });
        stop.or(breaks.last()).map(|part| (part.at, entering, d))
    }
}

fn ordered(a: Twice, b: Twice) -> Ordering {
    a.high.total_cmp(&b.high).then(a.low.total_cmp(&b.low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draw;

    #[test]
    fn what_can_be_reached_is_reached() {
        let mut state = 3;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        for _ in 0..20 {
            let vectors: Vec<Vec<Twice>> =
                (0..40).map(|_| (0..8).map(|_| Twice::from(number())).collect()).collect();
            let sum =
                |c: usize| vectors.iter().step_by(3).fold(Twice::default(), |sum, v| sum + v[c]);
            let target: Vec<Twice> = (0..8).map(sum).collect();
            let found = basis(&vectors, &target, &[1, 2], &|| false);
            assert_eq!(found.len(), 8);
            let x = Basis::of(&vectors, 8, &found).combination(&target);
            assert!(x.iter().all(|x| x.high > 0.0), "{x:?}");
        }
    }
}
