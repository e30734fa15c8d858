//! The basis of a simplex method in floats, with its inverse written out.
//!
//! ```text
//! basis     m of the given vectors of R^m, or unit vectors times a sign, as the columns of B
//! inverse   B^-1, by rows: how the basis makes a vector v is B^-1 v
//! exchange  another vector in the place of one: order m²
//! ```
//!
//! Rounding adds up, so whoever exchanges vectors makes the basis again from its places now and then.

use std::cmp::Ordering;
use std::ops::{Div, Neg};

use crate::kernels::Arithmetic;
use crate::kernels::twice::{self, Twice};

/// A float, of one precision or of twice that.
pub trait Real:
    Copy + Default + From<f64> + Neg<Output = Self> + Div<Output = Self> + Send + Sync
{
    /// Returns the nearest float.
    fn nearest(self) -> f64;
    /// Returns the magnitude.
    fn size(self) -> Self;
    /// Returns which is larger.
    fn order(&self, other: &Self) -> Ordering;
    /// Returns a·b.
    fn dot(a: &[Self], b: &[Self]) -> Self;
    /// Adds c x to w.
    fn axpy(c: Self, x: &[Self], w: &mut [Self]);
}

impl Real for f64 {
    fn nearest(self) -> f64 {
        self
    }

    fn size(self) -> f64 {
        self.abs()
    }

    fn order(&self, other: &f64) -> Ordering {
        self.total_cmp(other)
    }

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        <f64 as Arithmetic>::dot(a, b)
    }

    fn axpy(c: f64, x: &[f64], w: &mut [f64]) {
        <f64 as Arithmetic>::axpy(c, x, w);
    }
}

impl Real for Twice {
    fn nearest(self) -> f64 {
        self.high
    }

    fn size(self) -> Twice {
        self.abs()
    }

    fn order(&self, other: &Twice) -> Ordering {
        self.high.total_cmp(&other.high).then(self.low.total_cmp(&other.low))
    }

    fn dot(a: &[Twice], b: &[Twice]) -> Twice {
        a.iter().zip(b).fold(Twice::default(), |sum, (&a, &b)| sum + a * b)
    }

    fn axpy(c: Twice, x: &[Twice], w: &mut [Twice]) {
        twice::axpy(c, x, w);
    }
}

/// A member of the basis.
#[derive(Clone, Copy, PartialEq)]
pub enum Member {
    /// A vector, by place.
    Vector(usize),
    /// The unit vector of a coordinate, times a sign.
    Unit(usize),
}

/// A basis, and the inverse of the matrix that has its members as columns.
pub struct Basis<F> {
    members: Vec<Member>,
    inverse: Vec<Vec<F>>,
}

impl<F: Real> Basis<F> {
    /// Returns the basis of unit vectors with these signs.
    pub fn of_units(signs: impl ExactSizeIterator<Item = f64>) -> Self {
        let m = signs.len();
        let unit = |(c, sign): (usize, f64)| {
            let mut row = vec![F::default(); m];
            row[c] = F::from(sign);
            row
        };
        Basis {
            members: (0..m).map(Member::Unit).collect(),
            inverse: signs.enumerate().map(unit).collect(),
        }
    }

    /// Returns the members.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns true if this member is a unit vector.
    pub fn is_unit(&self, at: usize) -> bool {
        matches!(self.members[at], Member::Unit(_))
    }

    /// Returns the places of the vectors among the members.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().filter_map(|member| match member {
            Member::Vector(place) => Some(*place),
            Member::Unit(_) => None,
        })
    }

    /// Returns the coordinates of the unit vectors among the members.
    pub fn units(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().filter_map(|member| match member {
            Member::Vector(_) => None,
            Member::Unit(c) => Some(*c),
        })
    }

    /// Returns how the members make a vector.
    pub fn multipliers(&self, v: &[F]) -> Vec<F> {
        self.inverse.iter().map(|row| F::dot(row, v)).collect()
    }

    /// Returns the y whose product with each member is its cost.
    pub fn prices(&self, costs: &[f64]) -> Vec<F> {
        let mut y = vec![F::default(); self.inverse.len()];
        for (row, &cost) in self.inverse.iter().zip(costs).filter(|(_, cost)| **cost != 0.0) {
            F::axpy(F::from(cost), row, &mut y);
        }
        y
    }

    /// Turns a member round.
    pub fn turn(&mut self, at: usize) {
        self.inverse[at].iter_mut().for_each(|v| *v = -*v);
    }

    /// Puts a vector in the place of the unit vector that it has most of, those `stay` excepted. Leaves it out if that
    /// is no more than `singular`: then it depends on those that are there.
    pub fn join(&mut self, place: usize, vector: &[F], stay: &[usize], singular: f64) {
        let d = self.multipliers(vector);
        let open = (0..d.len()).filter(|at| self.is_unit(*at) && !stay.contains(at));
        if let Some(at) = widest(open, &d).filter(|&at| d[at].nearest().abs() > singular) {
            self.exchange(at, place, &d);
        }
    }

    /// Puts a vector, which the members make with the multipliers d, in the place of a member.
    pub fn exchange(&mut self, at: usize, entering: usize, d: &[F]) {
        self.members[at] = Member::Vector(entering);
        let mut pivot = std::mem::take(&mut self.inverse[at]);
        pivot.iter_mut().for_each(|v| *v = *v / d[at]);
        let others = self.inverse.iter_mut().zip(d).filter(|(row, _)| !row.is_empty());
        for (row, &d) in others.filter(|(_, d)| d.nearest() != 0.0) {
            F::axpy(-d, &pivot, row);
        }
        self.inverse[at] = pivot;
    }
}

/// Returns the place with the largest size of d; of equals the first.
pub fn widest<F: Real>(places: impl Iterator<Item = usize>, d: &[F]) -> Option<usize> {
    places.max_by(|&a, &b| d[a].size().order(&d[b].size()).then(b.cmp(&a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a basis of three vectors, the last dependent on the first two, and makes a vector with it.
    fn check<F: Real>() {
        let number = |v: &[f64]| -> Vec<F> { v.iter().map(|&v| F::from(v)).collect() };
        let vectors =
            [number(&[2.0, 0.0, 1.0]), number(&[0.0, 4.0, 0.0]), number(&[2.0, 4.0, 1.0])];
        let mut basis = Basis::<F>::of_units([1.0, 1.0, -1.0].into_iter());
        (0..3).for_each(|place| basis.join(place, &vectors[place], &[], 1e-9));
        assert_eq!(basis.places().collect::<Vec<_>>(), [0, 1]);
        assert_eq!(basis.units().collect::<Vec<_>>(), [2]);
        let found = basis.multipliers(&number(&[2.0, 8.0, 4.0]));
        let found: Vec<f64> = found.into_iter().map(F::nearest).collect();
        assert_eq!(found, [1.0, 2.0, -3.0]);
        basis.turn(2);
        let prices = basis.prices(&[0.0, 0.0, 1.0]);
        let of = |v: &[F]| F::dot(&prices, v).nearest();
        assert_eq!([of(&vectors[0]), of(&vectors[1])], [0.0, 0.0]);
        assert_eq!(of(&number(&[0.0, 0.0, 1.0])), 1.0);
    }

    #[test]
    fn vectors_join_and_make_others_in_either_precision() {
        check::<f64>();
        check::<Twice>();
    }
}
