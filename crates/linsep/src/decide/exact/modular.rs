//! Elimination modulo a prime: which equations are independent, and a triangular factor to solve
//! with them.
//!
//! ```text
//! Given m equations in k unknowns modulo p, find the rank r, r independent equations, r unknowns
//! that they determine, and L U = the r x r system that they form.
//!
//!     v = a random solution of the equations taken so far (none)
//!     for each equation e:
//!         e·v = 0: e follows from those taken, up to a chance of 1/p; skip it
//!         else:    reduce e by those taken; if something is left, take e and pivot on an unknown
//!                  that is left; if nothing is, v is out of date: draw it again
//!
//! An equation that follows from others costs k multiplications, not k^2, so that many more
//! equations than unknowns cost little: O(m k + k^3) in all. Every sum of products is reduced
//! once, at its end: 1000 products of numbers below 2^59 fit 128 bits.
//!
//! The rank modulo p never exceeds the true one. So rank = k is a proof of independence; a rank
//! that is too small, or a bad draw of v, is caught later by exact verification.
//! Saunders, Storjohann, Villard: Matrix rank certification, 2004, has the idea of testing with
//! random vectors.
//! ```

use linsep_proof::exact::parts;

use super::Halt;
use super::equations::{EquationEntry, Equations};
use super::rows::SignedRows;
use linsep_data::hash::draw;

/// Primes below 2^59 with nothing special about them: the second is for the day the first fails.
pub const PRIMES: [u64; 4] =
    [0x0794_4c9c_269e_0e1d, 0x0631_71ff_a6a3_a467, 0x0660_63a0_892f_9057, 0x06db_d9d7_81e7_4ef7];

/// Products of residues that can be added before 128 bits overflow.
const PRODUCTS: usize = 1000;

/// Arithmetic modulo a prime below 2^59.
#[derive(Clone, Copy)]
pub struct Prime(pub u64);

impl Prime {
    /// Returns the sum of the products of the pairs.
    pub fn dot(self, a: &[u64], b: &[u64]) -> u64 {
        let mut sum = 0_u128;
        for (a, b) in a.chunks(PRODUCTS).zip(b.chunks(PRODUCTS)) {
            for (&a, &b) in a.iter().zip(b) {
                sum += u128::from(a) * u128::from(b);
            }
            sum %= u128::from(self.0);
        }
        sum as u64
    }

    /// Returns a b.
    pub fn times(self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.0)) as u64
    }

    /// Returns a - b.
    pub fn minus(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.0 - b }
    }

    /// Returns 1 / a, as a^(p - 2).
    pub fn inverse(self, a: u64) -> u64 {
        let (mut power, mut result, mut exponent) = (a, 1, self.0 - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.times(result, power);
            }
            power = self.times(power, power);
            exponent >>= 1;
        }
        result
    }
}

/// Floats modulo a prime: a float is an integer times a power of two, of either sign, and two has an
/// inverse.
#[derive(Clone)]
pub struct FloatResidues {
    prime: Prime,
    /// The powers of two from [`LOWEST`] on.
    powers: Vec<u64>,
}

/// The exponents of two in finite floats whose mantissa is an integer.
const LOWEST: i32 = -1074;
const HIGHEST: i32 = 971;

impl FloatResidues {
    /// Returns what it takes modulo this prime.
    pub fn new(prime: Prime) -> Self {
        let half = prime.inverse(2);
        let lowest = (LOWEST..0).fold(1, |power, _| prime.times(power, half));
        let next = |power: &u64| Some(prime.times(*power, 2));
        let powers = std::iter::successors(Some(lowest), next);
        FloatResidues { prime, powers: powers.take((HIGHEST - LOWEST + 1) as usize).collect() }
    }

    /// Returns a float as a residue.
    pub fn of(&self, value: f64) -> u64 {
        let (mantissa, exponent) = parts(value);
        let mantissa = mantissa.rem_euclid(self.prime.0 as i64) as u64;
        self.prime.times(mantissa, self.powers[(exponent - LOWEST) as usize])
    }

    /// Returns a product of floats and residues, without terms so far.
    pub fn product(&self) -> Product<'_> {
        Product { residues: self, sum: 0, terms: 0 }
    }
}

/// A sum of products of floats and residues.
pub struct Product<'a> {
    residues: &'a FloatResidues,
    sum: u128,
    terms: usize,
}

impl Product<'_> {
    /// Adds a product; those with a zero may be left out.
    pub fn add(&mut self, value: f64, residue: u64) {
        if value == 0.0 || residue == 0 {
            return;
        }
        // Dummies and signs are most of what tables of many columns have.
        let value = match value {
            1.0 => 1,
            _ => self.residues.of(value),
        };
        self.sum += u128::from(value) * u128::from(residue);
        self.terms += 1;
        if self.terms == PRODUCTS {
            self.sum %= u128::from(self.residues.prime.0);
            self.terms = 0;
        }
    }

    /// Returns the sum.
    pub fn value(self) -> u64 {
        (self.sum % u128::from(self.residues.prime.0)) as u64
    }
}

/// The independent ones among some equations, and their factors L U modulo a prime.
pub struct Elimination {
    /// The prime.
    pub prime: Prime,
    /// The independent equations, in the order in which they were taken.
    pub equations: Vec<usize>,
    /// All unknowns: first those that the equations determine, in their order, then the free ones.
    pub unknowns: Vec<usize>,
    /// Row t of L left of its diagonal of ones.
    lower: Vec<Vec<u64>>,
    /// Row t of U in the order of the unknowns; what is left of the diagonal means nothing.
    upper: Vec<Vec<u64>>,
    /// One over the diagonal of U.
    inverse: Vec<u64>,
}

impl Elimination {
    /// Returns the elimination of the equations, or nothing if it was halted.
    pub fn new<T: EquationEntry>(
        equations: &Equations<T>,
        prime: Prime,
        halt: Halt,
    ) -> Option<Self> {
        Self::of(equations.len(), equations.unknowns(), prime, halt, |equation, terms| {
            let entries = equations.entries(equation);
            terms.extend(entries.map(|(unknown, entry)| (unknown, entry.modulo(prime.0))));
        })
    }

    /// Returns the elimination of rows y (x, 1), one equation per row and one unknown per coordinate, or
    /// nothing if it was halted.
    pub fn of_signed_rows(rows: &SignedRows, residues: &FloatResidues, halt: Halt) -> Option<Self> {
        Self::of(rows.len(), rows.dimension, residues.prime, halt, |equation, terms| {
            let entries = rows.entries(equation).iter();
            terms.extend(entries.map(|&(k, v)| (k, residues.of(v))));
        })
    }

    /// Returns a vector, drawn at random, that solves all equations, by unknowns.
    pub fn random_solution(&self) -> Vec<u64> {
        let mut state = !self.prime.0;
        let mut v: Vec<u64> =
            self.unknowns.iter().map(|_| draw(&mut state) % self.prime.0).collect();
        self.follow(&mut v);
        let mut solution = vec![0; v.len()];
        self.unknowns.iter().zip(v).for_each(|(&unknown, v)| solution[unknown] = v);
        solution
    }

    /// Returns the elimination of `count` equations in `k` unknowns; `read` adds the unknowns of an
    /// equation with their residues to an empty list.
    fn of(
        count: usize,
        k: usize,
        prime: Prime,
        halt: Halt,
        read: impl Fn(usize, &mut Vec<(usize, u64)>),
    ) -> Option<Self> {
        let mut state = prime.0;
        let mut v: Vec<u64> = (0..k).map(|_| draw(&mut state) % prime.0).collect();
        let mut this = Elimination {
            prime,
            equations: vec![],
            unknowns: (0..k).collect(),
            lower: vec![],
            upper: vec![],
            inverse: vec![],
        };
        // U again, by unknowns: the sums that reduce an equation run down its columns.
        let mut columns: Vec<Vec<u64>> = vec![vec![]; k];
        let mut position: Vec<usize> = (0..k).collect();
        let (mut terms, mut at, mut residues, mut values) = (vec![], vec![], vec![], vec![]);
        for equation in 0..count {
            if this.nullity() == 0 {
                break;
            }
            if halt() {
                return None;
            }
            terms.clear();
            at.clear();
            residues.clear();
            values.clear();
            read(equation, &mut terms);
            for &(unknown, residue) in &terms {
                at.push(position[unknown]);
                residues.push(residue);
                values.push(v[position[unknown]]);
            }
            if prime.dot(&residues, &values) == 0 {
                continue;
            }
            let rank = this.equations.len();
            let mut row = vec![0; k];
            at.iter().zip(&residues).for_each(|(&at, &residue)| row[at] = residue);
            let mut lower: Vec<u64> = Vec::with_capacity(rank);
            for j in 0..rank {
                let rest = prime.minus(row[j], prime.dot(&lower, &columns[j][..j]));
                lower.push(prime.times(rest, this.inverse[j]));
            }
            for j in rank..k {
                row[j] = prime.minus(row[j], prime.dot(&lower, &columns[j]));
            }
            let Some(pivot) = (rank..k).find(|&j| row[j] != 0) else {
                this.follow(&mut v);
                continue;
            };
            row.swap(rank, pivot);
            v.swap(rank, pivot);
            columns.swap(rank, pivot);
            this.unknowns.swap(rank, pivot);
            this.upper.iter_mut().for_each(|earlier| earlier.swap(rank, pivot));
            position[this.unknowns[rank]] = rank;
            position[this.unknowns[pivot]] = pivot;

            (rank..k).for_each(|j| columns[j].push(row[j]));
            this.inverse.push(prime.inverse(row[rank]));
            this.lower.push(lower);
            this.upper.push(row);
            this.equations.push(equation);
        }
        Some(this)
    }

    /// Makes v a solution by changing the unknowns that the equations determine.
    fn follow(&self, v: &mut [u64]) {
        for t in (0..self.rank()).rev() {
            let sum = self.prime.dot(&self.upper[t][t + 1..], &v[t + 1..]);
            v[t] = self.prime.times(self.prime.minus(0, sum), self.inverse[t]);
        }
    }

    /// Returns the number of independent equations.
    pub fn rank(&self) -> usize {
        self.equations.len()
    }

    /// Returns the number of free unknowns.
    pub fn nullity(&self) -> usize {
        self.unknowns.len() - self.rank()
    }

    /// Replaces b by the x with L U x = b: the unknowns that the equations determine, in order.
    pub fn solve(&self, b: &mut [u64]) {
        let rank = self.rank();
        for t in 0..rank {
            b[t] = self.prime.minus(b[t], self.prime.dot(&self.lower[t], &b[..t]));
        }
        for t in (0..rank).rev() {
            let sum = self.prime.dot(&self.upper[t][t + 1..rank], &b[t + 1..]);
            b[t] = self.prime.times(self.prime.minus(b[t], sum), self.inverse[t]);
        }
    }
}
