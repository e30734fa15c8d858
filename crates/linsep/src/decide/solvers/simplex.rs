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
//! The basis is that of `basis.rs`. Prices and ratio test differ from those of `cheapest_cone.rs`, which has costs and a
//! start without negative multipliers: here nothing costs anything, and multipliers of either sign are led to zero.
//!
//! Cost of a step: order m², and a look at all vectors.

use rayon::prelude::*;

use super::basis::{Basis, Member, Real};
use crate::kernels::twice::Twice;

/// A multiplier below this share of the largest is zero.
const ZERO: f64 = 1e-25;
/// A product below this share of the length of y is no reason to enter.
const FLAT: f64 = 1e-22;
/// A pivot below this is no pivot.
const SINGULAR: f64 = 1e-26;
/// Steps per coordinate after which it ends.
const STEPS: usize = 30;

/// Returns the places of the vectors in the basis that was reached from some of those at `start`.
pub fn basis(
    vectors: &[Vec<Twice>],
    target: &[Twice],
    start: &[usize],
    halt: &dyn Fn() -> bool,
) -> Vec<usize> {
    let m = target.len();
    let mut basis = joined(vectors, m, start);
    for steps in 1..=STEPS * m {
        if halt() {
            break;
        }
        let Some((at, entering, d)) = step(&basis, vectors, target) else { break };
        basis.exchange(at, entering, &d);
        // Rounding adds up: begin afresh now and then.
        if steps % m.max(20) == 0 {
            basis = joined(vectors, m, &basis.places().collect::<Vec<usize>>());
        }
    }
    basis.places().collect()
}

/// Returns the basis of the independent ones of the vectors at these places, and of unit vectors for what they leave
/// open.
fn joined(vectors: &[Vec<Twice>], m: usize, places: &[usize]) -> Basis<Twice> {
    let mut basis = Basis::of_units(std::iter::repeat_n(1.0, m));
    places.iter().for_each(|&place| basis.join(place, &vectors[place], &[], SINGULAR));
    basis
}

fn largest(numbers: &[Twice]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.high.abs()))
}

/// A point at which the sum of what is infeasible falls less, or not at all.
struct Breakpoint {
    at: usize,
    far: Twice,
    /// By how much less the sum falls beyond it.
    brake: Twice,
}

/// Returns which member leaves, which vector enters, and how the basis makes that, if the sum of what is
/// infeasible can fall.
fn step(
    basis: &Basis<Twice>,
    vectors: &[Vec<Twice>],
    target: &[Twice],
) -> Option<(usize, usize, Vec<Twice>)> {
    let (members, x) = (basis.members(), basis.multipliers(target));
    let zero = ZERO * largest(&x);
    let cost = |(member, x): (&Member, &Twice)| match member {
        _ if x.high.abs() <= zero => 0.0,
        Member::Vector(_) if x.high > 0.0 => 0.0,
        _ => x.high.signum(),
    };
    let costs: Vec<f64> = members.iter().zip(&x).map(cost).collect();
    let y = basis.prices(&costs);
    let flat = FLAT * largest(&y);
    let score = |k: usize| (Twice::dot(&y, &vectors[k]).high, k);
    let scored = (0..vectors.len()).into_par_iter().with_min_len(64).map(score);
    let (_, entering) = scored
        .filter(|(score, k)| *score > flat && !members.contains(&Member::Vector(*k)))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let d = basis.multipliers(&vectors[entering]);
    let negligible = ZERO * largest(&d);
    let (mut slope, mut breaks) = (Twice::default(), vec![]);
    for (at, member) in members.iter().enumerate() {
        let (cost, x, d) = (costs[at], x[at], d[at]);
        slope = slope - Twice::from(cost) * d;
        let size = d.abs();
        let (far, brake) = match member {
            _ if size.high <= negligible => continue,
            Member::Vector(_) if (cost < 0.0) != (d.high < 0.0) => continue,
            Member::Unit(_) if cost * d.high < 0.0 => continue,
            _ if cost == 0.0 && x.high.abs() <= zero => (Twice::default(), size),
            Member::Vector(_) => (x / d, size),
            Member::Unit(_) => (x / d, size + size),
        };
        breaks.push(Breakpoint { at, far, brake });
    }
    // Of equals the largest change: the basis stays well conditioned.
    breaks.sort_by(|a, b| a.far.order(&b.far).then(b.brake.order(&a.brake)));
    let stop = breaks.iter().find(|part| {
        slope = slope + part.brake;
        slope.high >= 0.0
    });
    stop.or(breaks.last()).map(|part| (part.at, entering, d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::hash::draw;

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
            let x = joined(&vectors, 8, &found).multipliers(&target);
            assert!(x.iter().all(|x| x.high > 0.0), "{x:?}");
        }
    }
}
