//! Farkas' alternative in exact arithmetic, for some hundreds of integer vectors.
//!
//! ```text
//! given    integer vectors a_1 … a_n and b
//! either   x >= 0 with sum x_i a_i = b
//! or       y with y·a_i >= 0 for all i, and y·b < 0
//! ```
//!
//! The simplex method, with as few steps as possible: each takes three exact solves. A basis is made of
//! some vectors and of the unit vectors of the coordinates that these leave open; of what it makes of b
//! the negative parts and the parts on unit vectors are infeasible, and a step makes their sum smaller.
//! So it starts from any vectors, well chosen by floats as a rule, and a step goes on past a vector that
//! turns feasible or infeasible as long as the sum falls.
//!
//! ```text
//! repeat   x = what the basis makes of b; nothing infeasible: the first case
//!          y = how the sum of what is infeasible grows with b
//!          no vector with y·a > 0: -y is the second case
//!          the steepest of them enters, and the one at which the sum stops falling leaves
//! ```
//!
//! It ends, since the sum falls. Where it stays as it is the next to enter is drawn by lot, so that no
//! cycle can last.
//!
//! References: J. Farkas (1902); I. Maros, Computational techniques of the simplex method (2003), 9.3.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;

use super::Halt;
use super::equations::Equations;
use super::integers::{direction, dot, in_lowest_terms};
use super::modular::{Elimination, PRIMES, Prime};
use super::span::solution;
use linsep_data::hash::draw;

/// The one of the two cases that holds; exactly one does.
#[derive(Clone, Debug, PartialEq)]
pub enum Alternative {
    /// Positive integers on some of the vectors, by place, that make a multiple of b, and the multiple.
    Reached(Vec<(usize, IBig)>, IBig),
    /// A vector y with y·a >= 0 for all vectors, and y·b < 0.
    Barred(Vec<IBig>),
}

/// The vectors, and the basis that was reached.
#[derive(Default)]
pub struct Farkas {
    vectors: Vec<Vec<IBig>>,
    /// The same as floats, of length one.
    floats: Vec<Vec<f64>>,
    target: Vec<IBig>,
    /// Vectors of the basis, by place, and the coordinates for which it needs no unit vector: as many.
    basic: Vec<usize>,
    closed: Vec<usize>,
    state: u64,
}

/// A part of the basis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExactMember {
    /// A vector, by its place in the basis.
    Vector(usize),
    /// The unit vector of a coordinate.
    Unit(usize),
}

impl Farkas {
    /// Asks about these vectors and this target; nothing if it was halted. The basis stays, if there was one: those of its vectors
    /// that have changed must have done so by a change of scale of each coordinate.
    pub fn ask(&mut self, vectors: Vec<Vec<IBig>>, target: Vec<IBig>, halt: Halt) -> Option<()> {
        let float = |vector: &Vec<IBig>| (!halt()).then(|| direction(vector));
        self.floats = vectors.iter().map(float).collect::<Option<_>>()?;
        (self.vectors, self.target) = (vectors, target);
        Some(())
    }

    /// Makes independent ones of the vectors at these places the basis; nothing if it was halted.
    pub fn start(&mut self, places: &[usize], halt: Halt) -> Option<()> {
        let chosen: Vec<Vec<IBig>> = places.iter().map(|&k| self.vectors[k].clone()).collect();
        let equations = Equations::<IBig>::of_rows(&chosen, self.target.len());
        let elimination = Elimination::new(&equations, Prime(PRIMES[0]), halt)?;
        self.basic = elimination.equations.iter().map(|&at| places[at]).collect();
        self.closed = elimination.unknowns[..elimination.rank()].to_vec();
        Some(())
    }

    /// Returns the places of the vectors of the basis that was reached.
    pub fn basis(&self) -> &[usize] {
        &self.basic
    }

    /// Returns which case holds, or nothing if it was halted. May be asked again when vectors have been
    /// added, and goes on from where it was.
    pub fn decide(&mut self, halt: Halt) -> Option<Alternative> {
        let mut stalled = false;
        loop {
            if halt() {
                return None;
            }
            let (x, times) = self.combination(&self.target, halt)?;
            let open = self.open(&self.target, &x, &times);
            let feasible = x.iter().all(|x| *x >= IBig::ZERO);
            if feasible && open.iter().all(|(_, rest)| rest.is_zero()) {
                return Some(self.reached(x, times));
            }
            let y = self.prices(&x, &open, halt)?;
            let Some(entering) = self.entering(&y, stalled) else {
                return Some(Alternative::Barred(in_lowest_terms(y.iter().map(|y| -y).collect())));
            };
            let vector = &self.vectors[entering];
            let (d, scale) = self.combination(vector, halt)?;
            let change = self.open(vector, &d, &scale);
            let (leaving, stays) = leaving(&x, &d, &open, &change);
            stalled = stays;
            match leaving {
                ExactMember::Vector(at) => self.basic[at] = entering,
                ExactMember::Unit(coordinate) => {
                    self.basic.push(entering);
                    self.closed.push(coordinate);
                }
            }
        }
    }

    fn reached(&self, x: Vec<IBig>, times: IBig) -> Alternative {
        let numbers = in_lowest_terms(x.into_iter().chain([times]).collect());
        let (times, x) = numbers.split_last().expect("a multiple");
        let mut used: Vec<(usize, IBig)> = self
            .basic
            .iter()
            .copied()
            .zip(x.iter().cloned())
            .filter(|(_, x)| !x.is_zero())
            .collect();
        used.sort_by_key(|(place, _)| *place);
        Alternative::Reached(used, times.clone())
    }

    /// Returns x and t > 0 such that the vectors of the basis, x times each, make t v in the coordinates
    /// that are closed.
    fn combination(&self, v: &[IBig], halt: Halt) -> Option<(Vec<IBig>, IBig)> {
        let equation = |&c: &usize| {
            let own = self.basic.iter().map(|&k| self.vectors[k][c].clone());
            own.chain([-&v[c]]).collect::<Vec<IBig>>()
        };
        let equations: Vec<Vec<IBig>> = self.closed.iter().map(equation).collect();
        let mut x = solved(&equations, self.basic.len() + 1, halt)?;
        let times = x.pop()?;
        Some((x, times))
    }

    /// Returns the residual of t v in each open coordinate.
    fn open(&self, v: &[IBig], x: &[IBig], times: &IBig) -> Vec<(usize, IBig)> {
        let rest = |c: usize| {
            let made = self.basic.iter().zip(x).map(|(&k, x)| &self.vectors[k][c] * x);
            (c, made.fold(&v[c] * times, |rest, part| rest - part))
        };
        (0..v.len()).filter(|c| !self.closed.contains(c)).map(rest).collect()
    }

    /// Returns y with y·a = -1 for the vectors of the basis that are taken negative times, 0 for others,
    /// and the sign of the residual in the open coordinates; times a positive number.
    fn prices(&self, x: &[IBig], open: &[(usize, IBig)], halt: Halt) -> Option<Vec<IBig>> {
        let sign = |v: &IBig| match v.cmp(&IBig::ZERO) {
            Ordering::Less => -IBig::ONE,
            Ordering::Equal => IBig::ZERO,
            Ordering::Greater => IBig::ONE,
        };
        let equation = |(&k, x): (&usize, &IBig)| {
            let vector = &self.vectors[k];
            let own = self.closed.iter().map(|&c| vector[c].clone());
            let wanted = if *x < IBig::ZERO { -IBig::ONE } else { IBig::ZERO };
            let rest = open.iter().fold(wanted, |rest, (c, left)| rest - sign(left) * &vector[*c]);
            own.chain([-rest]).collect::<Vec<IBig>>()
        };
        let equations: Vec<Vec<IBig>> = self.basic.iter().zip(x).map(equation).collect();
        let mut solved = solved(&equations, self.closed.len() + 1, halt)?;
        let times = solved.pop()?;
        let mut y = vec![IBig::ZERO; self.target.len()];
        self.closed.iter().zip(solved).for_each(|(&c, v)| y[c] = v);
        open.iter().for_each(|(c, left)| y[*c] = sign(left) * &times);
        Some(y)
    }

    /// Returns the vector with the largest y·a / ‖a‖, as far as floats can tell, of those with y·a > 0,
    /// which is exact; by lot if asked for. None if there is none.
    fn entering(&mut self, y: &[IBig], by_lot: bool) -> Option<usize> {
        let steep = direction(y);
        let score = |k: usize| self.floats[k].iter().zip(&steep).map(|(a, y)| a * y).sum::<f64>();
        // A float below zero by more than its rounding needs no second look.
        let doubt = -1e-15 * (y.len() + 4) as f64;
        let mut doubtful: Vec<(f64, usize)> =
            (0..self.vectors.len()).map(|k| (score(k), k)).filter(|(s, _)| *s > doubt).collect();
        match by_lot {
            true => {
                for last in (1..doubtful.len()).rev() {
                    let other = draw(&mut self.state) as usize % (last + 1);
                    doubtful.swap(last, other);
                }
            }
            false => doubtful.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))),
        }
        let found = doubtful.into_iter().map(|(_, k)| k);
        found.filter(|k| !self.basic.contains(k)).find(|&k| dot(y, &self.vectors[k]) > IBig::ZERO)
    }
}

/// Returns the one solution, up to its scale, of `equations` in `unknowns` unknowns, the last positive; or
/// nothing if it was halted.
fn solved(equations: &[Vec<IBig>], unknowns: usize, halt: Halt) -> Option<Vec<IBig>> {
    if equations.is_empty() {
        return Some(vec![IBig::ONE; unknowns]);
    }
    let mut x = solution(equations, halt)?;
    if *x.last()? < IBig::ZERO {
        x.iter_mut().for_each(|x| *x = -&*x);
    }
    Some(x)
}

/// A point at which the sum of what is infeasible falls less, or not at all.
struct ExactBreakpoint {
    part: ExactMember,
    /// It lies at |value| / |change|.
    value: IBig,
    change: IBig,
    /// By how much less the sum falls beyond it.
    brake: IBig,
}

/// Returns what leaves the basis, and whether that leaves everything as it is.
fn leaving(
    x: &[IBig],
    d: &[IBig],
    open: &[(usize, IBig)],
    change: &[(usize, IBig)],
) -> (ExactMember, bool) {
    let size = |v: &IBig| IBig::from(v.unsigned_abs());
    let (mut slope, mut breaks) = (IBig::ZERO, vec![]);
    for (at, (x, d)) in x.iter().zip(d).enumerate().filter(|(_, (_, d))| !d.is_zero()) {
        let infeasible = *x < IBig::ZERO;
        if infeasible {
            slope += d;
        }
        if infeasible == (*d < IBig::ZERO) {
            let (value, change, brake) = (size(x), size(d), size(d));
            breaks.push(ExactBreakpoint { part: ExactMember::Vector(at), value, change, brake });
        }
    }
    for ((c, rest), (_, d)) in open.iter().zip(change).filter(|(_, (_, d))| !d.is_zero()) {
        let side = rest.cmp(&IBig::ZERO);
        match side {
            Ordering::Greater => slope -= d,
            Ordering::Less => slope += d,
            Ordering::Equal => {}
        }
        if side == Ordering::Equal || side == d.cmp(&IBig::ZERO) {
            let brake = if side == Ordering::Equal { size(d) } else { size(d) * 2 };
            breaks.push(ExactBreakpoint {
                part: ExactMember::Unit(*c),
                value: size(rest),
                change: size(d),
                brake,
            });
        }
    }
    // Of equals units first: once out, they stay out.
    let unit = |part: &ExactBreakpoint| matches!(part.part, ExactMember::Vector(_));
    breaks.sort_by(|a, b| {
        let (left, right) = (&a.value * &b.change, &b.value * &a.change);
        left.cmp(&right).then(unit(a).cmp(&unit(b)))
    });
    for part in &breaks {
        slope += &part.brake;
        if slope >= IBig::ZERO {
            return (part.part, part.value.is_zero());
        }
    }
    unreachable!("the sum of what is infeasible cannot fall below zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(numbers: &[&[i64]]) -> Vec<Vec<IBig>> {
        numbers.iter().map(|v| v.iter().map(|&x| IBig::from(x)).collect()).collect()
    }

    /// Checks the answer by what it says, from every vector as a start.
    fn check(numbers: &[&[i64]], target: &[i64], reached: bool) {
        let (vectors, target) = (vectors(numbers), &vectors(&[target])[0]);
        for start in 0..=vectors.len() {
            let mut farkas = Farkas::default();
            farkas.ask(vectors.clone(), target.clone(), &|| false).unwrap();
            farkas.start(&(0..start).collect::<Vec<_>>(), &|| false).unwrap();
            assert_eq!(farkas.decide(&|| true), None);
            match farkas.decide(&|| false).unwrap() {
                Alternative::Reached(x, times) => {
                    assert!(reached, "{numbers:?}: {x:?}");
                    assert!(times > IBig::ZERO && x.iter().all(|(_, x)| *x > IBig::ZERO));
                    for (c, target) in target.iter().enumerate() {
                        let made = x.iter().fold(IBig::ZERO, |s, (k, x)| s + x * &vectors[*k][c]);
                        assert_eq!(made, target * &times);
                    }
                }
                Alternative::Barred(y) => {
                    assert!(!reached, "{numbers:?}: {y:?}");
                    assert!(dot(&y, target) < IBig::ZERO);
                    assert!(vectors.iter().all(|v| dot(&y, v) >= IBig::ZERO));
                }
            }
        }
    }

    #[test]
    fn one_case_or_the_other() {
        check(&[&[1, 0], &[0, 1]], &[2, 3], true);
        check(&[&[1, 0], &[0, 1]], &[2, -3], false);
        check(&[&[1, 2], &[2, 1], &[-1, -1]], &[-5, -4], true);
        check(&[&[1, 2], &[2, 4]], &[1, 3], false);
        check(&[&[0, 0], &[1, 1]], &[0, 0], true);
        check(&[&[0, 1, 1], &[1, 0, 1], &[0, 0, -1], &[-1, -1, -1]], &[0, 0, 0], true);
    }

    #[test]
    fn random_questions_with_known_answers() {
        let mut state = 5;
        let mut number = |most: u64| (draw(&mut state) % (2 * most + 1)) as i64 - most as i64;
        for round in 0..60 {
            let (n, d) = (4 + round % 9, 2 + round % 5);
            let some: Vec<Vec<i64>> = (0..n).map(|_| (0..d).map(|_| number(3)).collect()).collect();
            let some: Vec<&[i64]> = some.iter().map(|v| &v[..]).collect();
            // A combination is reached; what all vectors have a positive product with bars its negative.
            let made: Vec<i64> = (0..d)
                .map(|c| some.iter().enumerate().map(|(k, v)| k as i64 * v[c]).sum())
                .collect();
            check(&some, &made, true);
            let w: Vec<i64> = (0..d).map(|_| number(5)).collect();
            let up: Vec<Vec<i64>> = some
                .iter()
                .map(|v| {
                    let s: i64 = v.iter().zip(&w).map(|(a, b)| a * b).sum();
                    v.iter().map(|x| if s < 0 { -x } else { *x }).collect()
                })
                .collect();
            let up: Vec<&[i64]> = up.iter().map(|v| &v[..]).collect();
            let down: Vec<i64> = w.iter().map(|w| -w).collect();
            if w.iter().any(|&w| w != 0) {
                check(&up, &down, false);
            }
        }
    }
}
