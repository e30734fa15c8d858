//! The cheapest way to make one vector of others: the revised simplex method in floats.
//!
//! ```text
//! given     vectors z_1 … z_n with costs c > 0, and a target t, in R^m
//! minimise  c·x  such that  sum x_i z_i = t,  x >= 0
//!
//! basis     m of the vectors, or unit vectors times a sign, with x >= 0
//! first     the sum of x on unit vectors falls to zero, or t cannot be made
//! then      c·x falls
//! ```
//!
//! Some vectors, the first to begin with, are asked before all are: most steps look at those alone, and those join them
//! that are worth it when all are asked. Nothing here is believed: whoever asks solves the vectors found exactly.
//!
//! Cost of a step: order m², and a look at some vectors, or at all.

use super::basis::{Basis, Member, Real, widest};

/// A multiplier below this is zero, where the target has length about one.
const ZERO: f64 = 1e-11;
/// What may be left of the target, and what a multiplier may be below zero, for rounding.
const LEFT: f64 = 1e-8;
/// A step must save this share of the cost of what enters.
const GAIN: f64 = 1e-9;
/// A pivot below this is no pivot.
const SINGULAR: f64 = 1e-9;
/// Steps per coordinate after which it ends.
const STEPS: usize = 20;
/// How many vectors per coordinate are asked first, and how many join them at once when all are asked.
const FIRST: usize = 8;
const JOINING: usize = 64;

/// Vectors of one length, one after the other.
pub struct ConeVectors {
    values: Vec<f64>,
    dimension: usize,
}

impl ConeVectors {
    /// Returns vectors of the dimension given.
    pub fn new(values: Vec<f64>, dimension: usize) -> Self {
        ConeVectors { values, dimension }
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// Returns one of them.
    pub fn at(&self, place: usize) -> &[f64] {
        &self.values[place * self.dimension..][..self.dimension]
    }
}

/// A combination: places, rising, and positive multipliers.
pub type Combination = Vec<(usize, f64)>;

/// How cheap it is to be.
#[derive(Clone, Copy, PartialEq)]
pub enum Effort {
    /// As cheap as those asked first can make it, once the target can be made.
    Cheap,
    /// The cheapest of all.
    Cheapest,
}

/// What a search has spent, in products.
#[derive(Default)]
pub struct Spent(pub usize);

/// Returns the cheapest combination that makes the target, or a cheap one if the steps ran out; nothing if there is
/// none. A vector whose cost is infinite is left out. `start` are places to begin with, those of an earlier combination.
pub fn cheapest(
    vectors: &ConeVectors,
    costs: &[f64],
    target: &[f64],
    start: &[usize],
    effort: Effort,
    spent: &mut Spent,
    halt: &dyn Fn() -> bool,
) -> Option<Combination> {
    let mut simplex = Simplex::new(vectors, costs, target, start);
    simplex.effort = effort;
    let limit = STEPS * target.len();
    for steps in 1..=limit {
        if halt() || !simplex.step(spent) {
            break;
        }
        // Rounding adds up: begin afresh now and then.
        if steps % target.len().max(40) == 0 {
            simplex = simplex.afresh(spent);
        }
    }
    let simplex = simplex.afresh(spent);
    simplex.feasible().then(|| simplex.combination())
}

struct Simplex<'a> {
    vectors: &'a ConeVectors,
    costs: &'a [f64],
    target: &'a [f64],
    basis: Basis<f64>,
    x: Vec<f64>,
    /// Vectors that are asked before all are.
    asked: Vec<usize>,
    effort: Effort,
}

impl<'a> Simplex<'a> {
    fn new(vectors: &'a ConeVectors, costs: &'a [f64], target: &'a [f64], start: &[usize]) -> Self {
        let start: Vec<usize> =
            start.iter().copied().filter(|&place| costs[place].is_finite()).collect();
        Self::with(vectors, costs, target, &start, &[])
            .unwrap_or_else(|| Self::units(vectors, costs, target))
    }

    /// Returns the basis of all unit vectors.
    fn units(vectors: &'a ConeVectors, costs: &'a [f64], target: &'a [f64]) -> Self {
        let signs = target.iter().map(|t| if *t < 0.0 { -1.0 } else { 1.0 });
        Simplex {
            vectors,
            costs,
            target,
            basis: Basis::of_units(signs),
            x: target.iter().map(|t| t.abs()).collect(),
            effort: Effort::Cheapest,
            asked: (0..vectors.len())
                .filter(|&place| costs[place].is_finite())
                .take(FIRST * target.len())
                .collect(),
        }
    }

    /// Returns the basis of these vectors and of unit vectors for what they leave open, those `stay` among them; nothing if
    /// some multiplier is negative.
    fn with(
        vectors: &'a ConeVectors,
        costs: &'a [f64],
        target: &'a [f64],
        places: &[usize],
        stay: &[usize],
    ) -> Option<Self> {
        let mut simplex = Self::units(vectors, costs, target);
        let basis = &mut simplex.basis;
        places.iter().for_each(|&place| basis.join(place, vectors.at(place), stay, SINGULAR));
        simplex.x = basis.multipliers(target);
        for at in 0..target.len() {
            // A unit vector the wrong way round is turned; a vector cannot be.
            if simplex.basis.is_unit(at) && simplex.x[at] < 0.0 {
                simplex.basis.turn(at);
                simplex.x[at] = -simplex.x[at];
            }
            if simplex.x[at] < -LEFT {
                return None;
            }
            simplex.x[at] = simplex.x[at].max(0.0);
        }
        Some(simplex)
    }

    /// Returns the same basis, with what rounding has done to it taken away.
    fn afresh(self, spent: &mut Spent) -> Self {
        let Simplex { vectors, costs, target, .. } = self;
        let places: Vec<usize> = self.basis.places().collect();
        let stay: Vec<usize> = self.basis.units().collect();
        spent.0 += places.len() * target.len().pow(2);
        match Self::with(vectors, costs, target, &places, &stay) {
            Some(simplex) => Simplex { asked: self.asked, effort: self.effort, ..simplex },
            None => self,
        }
    }

    /// Returns true if no unit vector is needed to make the target.
    fn feasible(&self) -> bool {
        (0..self.x.len()).all(|at| !self.basis.is_unit(at) || self.x[at] <= LEFT)
    }

    fn combination(&self) -> Combination {
        let with = self.basis.members().iter().zip(&self.x);
        let mut made: Combination = with
            .filter_map(|(member, &x)| match member {
                Member::Vector(place) if x > ZERO => Some((*place, x)),
                _ => None,
            })
            .collect();
        made.sort_unstable_by_key(|(place, _)| *place);
        made
    }

    /// Takes a step; returns false if there is none that helps.
    fn step(&mut self, spent: &mut Spent) -> bool {
        let m = self.target.len();
        let first = (0..m).any(|at| self.basis.is_unit(at) && self.x[at] > ZERO);
        let cost = |(member, &x): (&Member, &f64)| match member {
            Member::Vector(place) if !first => self.costs[*place],
            Member::Unit(_) if first && x > ZERO => 1.0,
            _ => 0.0,
        };
        let costs: Vec<f64> = self.basis.members().iter().zip(&self.x).map(cost).collect();
        let y = self.basis.prices(&costs);
        spent.0 += 3 * m * m;
        let Some(entering) = self.entering(&y, first, spent) else {
            return false;
        };
        let d = self.basis.multipliers(self.vectors.at(entering));
        let Some(at) = self.leaving(&d) else {
            return false;
        };
        let far = (self.x[at] / d[at]).max(0.0);
        self.x.iter_mut().zip(&d).for_each(|(x, d)| *x = (*x - far * d).max(0.0));
        self.x[at] = far;
        self.basis.exchange(at, entering, &d);
        true
    }

    /// Returns the vector that saves most: of those asked first, or of all if none of those saves anything.
    fn entering(&mut self, y: &[f64], first: bool, spent: &mut Spent) -> Option<usize> {
        let saves = |place: usize| {
            let cost = self.costs[place];
            let (saved, least) = match first {
                true => (f64::dot(y, self.vectors.at(place)), GAIN),
                false => (f64::dot(y, self.vectors.at(place)) - cost, GAIN * cost),
            };
            (cost.is_finite() && saved > least).then_some((saved, place))
        };
        let basic: Vec<usize> = self.basis.places().collect();
        let better = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        spent.0 += self.asked.len() * y.len();
        let known = self.asked.iter().filter_map(|&place| saves(place));
        let best = known.filter(|(_, place)| !basic.contains(place)).min_by(better);
        if let Some((_, place)) = best {
            return Some(place);
        }
        if !first && self.effort == Effort::Cheap {
            return None;
        }
        spent.0 += self.vectors.len() * y.len();
        let mut all: Vec<(f64, usize)> = (0..self.vectors.len()).filter_map(saves).collect();
        all.retain(|(_, place)| !basic.contains(place));
        if all.len() > JOINING {
            all.select_nth_unstable_by(JOINING, better);
            all.truncate(JOINING);
        }
        let best = all.iter().copied().min_by(better).map(|(_, place)| place);
        self.asked.extend(all.into_iter().map(|(_, place)| place));
        best
    }

    /// Returns the part that reaches zero first as the entering vector grows; of those that do so at once the widest
    /// pivot. A unit vector that is at zero has to stay there, so it leaves whichever way it would go.
    fn leaving(&self, d: &[f64]) -> Option<usize> {
        let done = |at: usize| self.basis.is_unit(at) && self.x[at] <= ZERO;
        let ratio = |at: usize| match done(at) {
            true if d[at].abs() > SINGULAR => Some(0.0),
            false if d[at] > SINGULAR => Some((self.x[at] / d[at]).max(0.0)),
            _ => None,
        };
        let nearest = (0..d.len()).filter_map(ratio).fold(f64::INFINITY, f64::min);
        let reached = (0..d.len()).filter(|&at| ratio(at).is_some_and(|r| r <= nearest + ZERO));
        widest(reached, d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        vectors: &[[f64; 2]],
        costs: &[f64],
        target: [f64; 2],
        expected: Option<&[(usize, f64)]>,
    ) {
        let values = vectors.iter().flatten().copied().collect();
        let vectors = ConeVectors::new(values, 2);
        for start in [&[][..], &[0], &[1, 0], &[0, 1, 2]] {
            let spent = &mut Spent::default();
            let start = &start[..start.len().min(vectors.len())];
            let found =
                cheapest(&vectors, costs, &target, start, Effort::Cheapest, spent, &|| false);
            match (&found, expected) {
                (Some(found), Some(expected)) => {
                    assert_eq!(found.len(), expected.len(), "{found:?}");
                    for (a, b) in found.iter().zip(expected) {
                        assert!(a.0 == b.0 && (a.1 - b.1).abs() < 1e-9, "{found:?}");
                    }
                }
                (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{found:?}"),
            }
        }
    }

    #[test]
    fn the_cheapest_of_several_ways() {
        let corners = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]];
        check(&corners, &[1.0, 1.0, 3.0, 1.0], [2.0, 3.0], Some(&[(0, 2.0), (1, 3.0)]));
        check(&corners, &[1.0, 1.0, 1.0, 1.0], [2.0, 3.0], Some(&[(1, 1.0), (2, 2.0)]));
        check(&corners, &[1.0, 1.0, 1.0, 1.0], [-2.0, 1.0], Some(&[(1, 1.0), (3, 2.0)]));
    }

    #[test]
    fn what_cannot_be_made_and_what_is_left_out() {
        let corners = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        check(&corners, &[1.0; 3], [1.0, -1.0], None);
        check(&corners, &[1.0, f64::INFINITY, 1.0], [1.0, 2.0], None);
        check(&corners, &[1.0, f64::INFINITY, 1.0], [2.0, 1.0], Some(&[(0, 1.0), (2, 1.0)]));
        // Of vectors in a line a unit vector stays in the basis, at zero.
        check(&[[1.0, 1.0], [2.0, 2.0]], &[1.0, 1.0], [2.0, 2.0], Some(&[(1, 1.0)]));
        check(&[[1.0, 1.0], [2.0, 2.0]], &[1.0, 1.0], [2.0, 1.0], None);
    }
}
