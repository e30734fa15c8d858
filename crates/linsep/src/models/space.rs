//! Linear spaces of directions: what all of some rows are orthogonal to.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, RemEuclid};
use linsep_proof::exact::ExactSum;
use linsep_proof::structure::Coefficient;

use super::question::value;
use crate::decide::{Halt, PRIMES, Prime};

/// The directions that are orthogonal to some rows.
#[derive(Clone, Debug)]
pub(super) enum Space {
    /// All directions, with the number of coordinates.
    All(usize),
    /// Those that these span.
    Spanned(Vec<Vec<IBig>>),
}

impl Space {
    /// Returns the number of coordinates in a basis.
    pub fn dimension(&self) -> usize {
        match self {
            Space::All(dimension) => *dimension,
            Space::Spanned(basis) => basis.len(),
        }
    }

    /// Returns, for each coordinate, what the coefficient is of the basis vector.
    pub fn values(&self, coefficient: &Coefficient) -> Vec<ExactSum> {
        match self {
            Space::All(dimension) => {
                let mut values = vec![ExactSum::default(); *dimension];
                for &(at, factor) in coefficient.at.iter().filter(|(at, _)| at < dimension) {
                    let (mantissa, exponent) = linsep_proof::exact::parts(factor);
                    values[at].add(mantissa.into(), exponent);
                }
                values
            }
            Space::Spanned(basis) => basis.iter().map(|v| value(coefficient, v)).collect(),
        }
    }

    /// Returns true if some direction of the space has a value other than zero in the coefficient.
    pub fn moves(&self, coefficient: &Coefficient) -> bool {
        match self {
            Space::All(_) => true,
            _ => self.values(coefficient).iter().any(|value| value.sign().is_ne()),
        }
    }
}

/// Returns places of coefficients whose values tell the directions of a space apart, preferring those that come first:
/// as many as the space has dimensions, without those that change no coefficient. Nothing if halted. The rank is modulo
/// a prime, so it is never too high.
pub(super) fn telling(
    space: &Space,
    coefficients: &[Coefficient],
    order: impl Iterator<Item = usize>,
    halt: Halt,
) -> Option<Vec<usize>> {
    if let Space::All(_) = space {
        // Coefficients are independent of each other, each named once.
        let mut seen = std::collections::HashSet::new();
        return Some(order.filter(|place| seen.insert(*place)).collect());
    }
    let prime = Prime(PRIMES[0]);
    let (mut chosen, mut rows): (Vec<usize>, Vec<(usize, Vec<u64>)>) = (vec![], vec![]);
    for place in order {
        if chosen.len() == space.dimension() {
            break;
        }
        if halt() {
            return None;
        }
        let mut row: Vec<u64> = residues(space.values(&coefficients[place]), prime);
        for (pivot, other) in &rows {
            let factor = row[*pivot];
            if factor != 0 {
                let pairs = row.iter_mut().zip(other);
                pairs.for_each(|(a, b)| *a = prime.minus(*a, prime.times(factor, *b)));
            }
        }
        if let Some(pivot) = row.iter().position(|&v| v != 0) {
            let inverse = prime.inverse(row[pivot]);
            row.iter_mut().for_each(|v| *v = prime.times(*v, inverse));
            rows.push((pivot, row));
            chosen.push(place);
        }
    }
    Some(chosen)
}

/// Returns numbers modulo a prime, all times one power of two.
fn residues(values: Vec<ExactSum>, prime: Prime) -> Vec<u64> {
    let residue = |v: IBig| {
        let rest = v.rem_euclid(IBig::from(prime.0));
        u64::try_from(IBig::from(rest)).expect("below the prime")
    };
    on_one_exponent(values).into_iter().map(residue).collect()
}

/// Returns numbers as integers, all times one power of two.
pub(super) fn on_one_exponent(values: Vec<ExactSum>) -> Vec<IBig> {
    let numbers: Vec<(IBig, i32)> = values.into_iter().map(ExactSum::into_parts).collect();
    let stored = numbers.iter().filter(|(m, _)| !m.is_zero());
    let lowest = stored.map(|(_, e)| *e).min().unwrap_or(0);
    let integer = |(m, e): (IBig, i32)| if m.is_zero() { m } else { m << (e - lowest) as usize };
    numbers.into_iter().map(integer).collect()
}

/// Returns the exponent of the power of two next above the magnitude of a number; nothing for zero.
pub(super) fn size(value: &ExactSum) -> Option<i64> {
    let (mantissa, exponent) = value.clone().into_parts();
    (!mantissa.is_zero()).then(|| mantissa.bit_len() as i64 + i64::from(exponent))
}
