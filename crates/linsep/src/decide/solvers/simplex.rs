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
//! Cost of a step: order m³, and a look at all vectors.

use std::cmp::Ordering;

use crate::data::kernels::twice::{Twice, axpy};

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
    let mut parts = begin(vectors, m, start);
    for _ in 0..STEPS * m {
        if halt() {
            break;
        }
        let columns = parts.iter().map(|part| column(vectors, m, *part)).collect();
        let Some(factors) = Factors::new(columns) else { break };
        let Some((at, entering)) = step(vectors, target, &parts, &factors) else { break };
        parts[at] = Part::Vector(entering);
    }
    let place = |part: &Part| if let Part::Vector(k) = part { Some(*k) } else { None };
    parts.iter().filter_map(place).collect()
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

/// Returns which part of the basis leaves, and which vector enters, if the sum of what is infeasible can
/// fall.
fn step(
    vectors: &[Vec<Twice>],
    target: &[Twice],
    parts: &[Part],
    factors: &Factors,
) -> Option<(usize, usize)> {
    let x = factors.solve(target);
    let zero = ZERO * largest(&x);
    let cost = |(part, x): (&Part, &Twice)| match part {
        _ if x.high.abs() <= zero => 0.0,
        Part::Vector(_) if x.high > 0.0 => 0.0,
        _ => x.high.signum(),
    };
    let costs: Vec<f64> = parts.iter().zip(&x).map(cost).collect();
    if costs.iter().all(|&cost| cost == 0.0) {
        return None;
    }
    let y = factors.solve_transposed(&costs);
    let flat = FLAT * largest(&y);
    let scored = (0..vectors.len()).map(|k| (dot(&y, &vectors[k]).high, k));
    let (_, entering) = scored
        .filter(|(score, k)| *score > flat && !parts.contains(&Part::Vector(*k)))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
    let d = factors.solve(&vectors[entering]);
    let negligible = ZERO * largest(&d);
    let (mut slope, mut breaks) = (Twice::default(), vec![]);
    for (at, part) in parts.iter().enumerate() {
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
    stop.or(breaks.last()).map(|part| (part.at, entering))
}

fn ordered(a: Twice, b: Twice) -> Ordering {
    a.high.total_cmp(&b.high).then(a.low.total_cmp(&b.low))
}

fn column(vectors: &[Vec<Twice>], m: usize, part: Part) -> Vec<Twice> {
    match part {
        Part::Vector(k) => vectors[k].clone(),
        Part::Unit(c) => (0..m).map(|j| Twice::from(f64::from(u8::from(j == c)))).collect(),
    }
}

/// Returns the independent ones of the vectors at these places, and unit vectors for what they leave open.
fn begin(vectors: &[Vec<Twice>], m: usize, places: &[usize]) -> Vec<Part> {
    let mut reduced: Vec<(usize, Vec<Twice>)> = vec![];
    let mut parts = vec![];
    for &k in places {
        let mut v = vectors[k].clone();
        for (c, earlier) in &reduced {
            axpy(-(v[*c] / earlier[*c]), earlier, &mut v);
            v[*c] = Twice::default();
        }
        let most = (0..m).fold(0, |a, b| if v[b].abs().high > v[a].abs().high { b } else { a });
        if v[most].high.abs() > SINGULAR {
            reduced.push((most, v));
            parts.push(Part::Vector(k));
        }
    }
    let open = (0..m).filter(|c| reduced.iter().all(|(closed, _)| closed != c));
    parts.extend(open.map(Part::Unit));
    parts
}

/// L U of a matrix whose rows were exchanged.
struct Factors {
    /// Rows of L and U in one matrix.
    rows: Vec<Vec<Twice>>,
    /// The given row at each place.
    order: Vec<usize>,
}

impl Factors {
    /// Returns the factors of the matrix with these columns; nothing if it is singular.
    fn new(columns: Vec<Vec<Twice>>) -> Option<Self> {
        let m = columns.len();
        let row = |j: usize| columns.iter().map(|column| column[j]).collect();
        let mut rows: Vec<Vec<Twice>> = (0..m).map(row).collect();
        let mut order: Vec<usize> = (0..m).collect();
        for k in 0..m {
            let size = |row: usize| rows[row][k].high.abs();
            let best = (k..m).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
            rows.swap(k, best);
            order.swap(k, best);
            let (head, tail) = rows.split_at_mut(k + 1);
            let pivot = &head[k];
            if pivot[k].high.abs() <= SINGULAR {
                return None;
            }
            for row in tail.iter_mut().filter(|row| row[k].high != 0.0) {
                let factor = row[k] / pivot[k];
                row[k] = factor;
                axpy(-factor, &pivot[k + 1..], &mut row[k + 1..]);
            }
        }
        Some(Factors { rows, order })
    }

    /// Returns x with A x = b.
    fn solve(&self, b: &[Twice]) -> Vec<Twice> {
        let m = self.rows.len();
        let mut x: Vec<Twice> = self.order.iter().map(|&j| b[j]).collect();
        for k in 0..m {
            x[k] = x[k] - dot(&self.rows[k][..k], &x[..k]);
        }
        for k in (0..m).rev() {
            x[k] = (x[k] - dot(&self.rows[k][k + 1..], &x[k + 1..])) / self.rows[k][k];
        }
        x
    }

    /// Returns y with A'y = c.
    fn solve_transposed(&self, c: &[f64]) -> Vec<Twice> {
        let m = self.rows.len();
        let mut z: Vec<Twice> = c.iter().map(|&c| Twice::from(c)).collect();
        for k in 0..m {
            z[k] = z[k] / self.rows[k][k];
            let (head, tail) = z.split_at_mut(k + 1);
            axpy(-head[k], &self.rows[k][k + 1..], tail);
        }
        for k in (0..m).rev() {
            let (head, tail) = z.split_at_mut(k);
            axpy(-tail[0], &self.rows[k][..k], head);
        }
        let mut y = vec![Twice::default(); m];
        self.order.iter().zip(z).for_each(|(&j, z)| y[j] = z);
        y
    }
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
            let columns = found.iter().map(|&k| vectors[k].clone()).collect();
            let x = Factors::new(columns).unwrap().solve(&target);
            assert!(x.iter().all(|x| x.high > 0.0), "{x:?}");
        }
    }
}
