//! The exact solution of equations that leave one unknown free, by p-adic lifting.
//!
//! ```text
//! Given M mu = b, M an r x r integer matrix with M = L U modulo p, find the rational mu: the
//! unknowns that the equations determine, when the free one is 1 and b is minus its column.
//!
//!     for j = 0, 1, ...:
//!         x_j = (L U)^-1 b modulo p
//!         b   = (b - M x_j) / p                        an integer no larger than r max |M|
//!     mu = x_0 + x_1 p + x_2 p^2 + ...                 modulo p^j
//!
//! Each digit costs 2 r^2 multiplications of single words. Hadamard's inequality bounds how many
//! digits are needed; mostly fewer do. So now and then the common denominator d of all of mu is
//! guessed, from one random combination of its entries: it may lack a few small factors. The
//! numerators are then d mu modulo a power of p, from half the digits; one that comes out large
//! tells a factor that d lacks. The guess is accepted when it solves all equations exactly.
//!
//! Dixon: Exact solution of linear equations using p-adic expansions, 1982.
//! ```

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use rayon::prelude::*;

use super::Halt;
use super::equations::{EquationEntry, Equations};
use super::modular::Elimination;
use super::reconstruct::fraction;
use linsep_data::hash::draw;

/// Bits beyond those of the combined numerator that the single ones are given: room for the
/// factors that the denominator lacks and for telling a small residue from a random one.
const SPARE_BITS: usize = 128;

/// A residue that is shorter than the modulus by this many bits is not random.
const SHORT_BITS: usize = 32;

/// Returns integers that solve all equations, not all zero, or nothing if the elimination was wrong
/// about which equations are independent, or if the work was halted.
///
/// Costs O(r^3 b) word operations for entries of b words, and at most as many again for the
/// guesses. The elimination must leave one unknown free.
pub fn null_vector<T: EquationEntry>(
    equations: &Equations<T>,
    elimination: &Elimination,
    halt: Halt,
) -> Option<Vec<IBig>> {
    let rank = elimination.rank();
    let prime = elimination.prime;
    let (matrix, mut residuals) = square(equations, elimination);
    let limit = most_digits(equations, elimination);

    let mut state = !prime.0;
    let factors: Vec<u64> = (0..rank).map(|_| draw(&mut state) >> 48).collect();
    let mut combined = UBig::ZERO;
    let mut power = UBig::ONE;
    let mut digits: Vec<Vec<u64>> = vec![];
    let mut attempt = 2;
    while digits.len() < limit {
        if halt() {
            return None;
        }
        let mut x: Vec<u64> = residuals.iter().map(|b| T::residue(b, prime.0)).collect();
        elimination.solve(&mut x);
        for (t, b) in residuals.iter_mut().enumerate() {
            T::lift(b, &matrix[t * rank..(t + 1) * rank], &x, prime);
        }
        let sum: u128 = factors.iter().zip(&x).map(|(&f, &x)| u128::from(f) * u128::from(x)).sum();
        combined += &power * sum;
        power *= prime.0;
        digits.push(x);

        if digits.len() == attempt || digits.len() == limit {
            attempt += 1 + attempt / 6;
            if let Some((n, d)) = fraction(&(&combined % &power), &power) {
                let bits = n.bit_len().max(d.bit_len()) + SPARE_BITS;
                let needed = bits / (prime.0.ilog2() as usize) + 1;
                let some = &digits[..needed.min(digits.len())];
                let vector = numerators(elimination, some, d);
                if let Some(vector) = vector.filter(|vector| solves(equations, vector)) {
                    return Some(vector);
                }
            }
        }
    }
    None
}

/// Returns the matrix of the unknowns that the equations determine, row by row, and minus the
/// column of the free one.
fn square<T: EquationEntry>(
    equations: &Equations<T>,
    elimination: &Elimination,
) -> (Vec<T>, Vec<T::Residual>) {
    let rank = elimination.rank();
    let mut position = vec![0; equations.unknowns()];
    elimination.unknowns.iter().enumerate().for_each(|(at, &unknown)| position[unknown] = at);
    let mut matrix = vec![T::zero(); rank * rank];
    let mut column = vec![T::zero(); rank];
    for (t, &equation) in elimination.equations.iter().enumerate() {
        for (unknown, entry) in equations.entries(equation) {
            match position[unknown] {
                at if at < rank => matrix[t * rank + at] = entry.clone(),
                _ => column[t] = entry.clone(),
            }
        }
    }
    (matrix, column.iter().map(T::negated).collect())
}

/// Returns how many digits are enough: numerators and denominator are determinants, and Hadamard
/// bounds each by the product of the lengths of the equations.
fn most_digits<T: EquationEntry>(equations: &Equations<T>, elimination: &Elimination) -> usize {
    let bits: usize = elimination
        .equations
        .iter()
        .map(|&equation| {
            let (count, widest) = equations
                .entries(equation)
                .fold((0_usize, 0), |(n, bits), (_, entry)| (n + 1, bits.max(entry.bits())));
            widest as usize + count.ilog2() as usize / 2 + 1
        })
        .sum();
    // Twice, for numerator and denominator, and what the guess needs to be sure.
    (2 * bits + 3 * SPARE_BITS) / elimination.prime.0.ilog2() as usize + 2
}

/// Returns the numerators over a common denominator that is a multiple of d, by unknowns; the free
/// unknown has the denominator. Nothing if some numerator stays large.
fn numerators(elimination: &Elimination, digits: &[Vec<u64>], mut d: UBig) -> Option<Vec<IBig>> {
    let p = elimination.prime.0;
    let modulus = UBig::from(p).pow(digits.len());
    let half = &modulus >> 1;
    let mut residues: Vec<UBig> = (0..elimination.rank())
        .into_par_iter()
        .map(|t| digits.iter().rev().fold(UBig::ZERO, |sum, x| sum * p + x[t]) * &d % &modulus)
        .collect();
    let symmetric = |residue: &UBig| {
        let residue = IBig::from(residue.clone());
        if *residue.as_ubig().expect("not negative") > half { residue - &modulus } else { residue }
    };
    let large = |residue: &&UBig| symmetric(residue).bit_len() + SHORT_BITS > modulus.bit_len();
    while let Some(residue) = residues.iter().find(large) {
        let (_, factor) = fraction(residue, &modulus)?;
        if factor.is_one() {
            return None;
        }
        residues.iter_mut().for_each(|residue| *residue = &*residue * &factor % &modulus);
        d *= factor;
    }
    let mut vector = vec![IBig::ZERO; elimination.unknowns.len()];
    for (&unknown, residue) in elimination.unknowns.iter().zip(&residues) {
        vector[unknown] = symmetric(residue);
    }
    vector[elimination.unknowns[elimination.rank()]] = IBig::from(d);
    Some(vector)
}

/// Returns true if the integers solve every equation exactly.
fn solves<T: EquationEntry>(equations: &Equations<T>, vector: &[IBig]) -> bool {
    (0..equations.len()).into_par_iter().all(|equation| {
        let mut sum = IBig::ZERO;
        for (unknown, entry) in equations.entries(equation) {
            sum += entry.big() * &vector[unknown];
        }
        sum.is_zero()
    })
}

#[cfg(test)]
mod tests {
    use super::super::equations::{IntegerScale, Shifted};
    use super::super::modular::{PRIMES, Prime};
    use super::super::rows::SignedRows;
    use super::*;
    use linsep_data::Samples;

    /// Another prime would hide a mistake in the lifting, so none is tried here.
    fn check<T: EquationEntry>(seed: u64, rows: usize, bits: u32) {
        let mut state = seed;
        let values = (0..rows * (rows - 2)).map(|_| (draw(&mut state) >> (64 - bits)) as f64);
        let labels = (0..rows).map(|i| i % 2 == 0).collect();
        let samples = Samples::dense(values.collect(), rows - 2, labels).unwrap();
        let rows = SignedRows::all(&samples);
        let equations = Equations::<T>::new(&rows, &IntegerScale::new(&rows));
        for p in PRIMES {
            let elimination = Elimination::new(&equations, Prime(p), &|| false).unwrap();
            assert_eq!(elimination.nullity(), 1);
            let found = null_vector(&equations, &elimination, &|| false);
            assert!(found.is_some(), "seed {seed}, prime {p}");
            assert!(null_vector(&equations, &elimination, &|| true).is_none());
        }
    }

    #[test]
    fn every_prime_and_every_width_lifts() {
        for seed in 0..8 {
            check::<i64>(seed, 3 + 4 * seed as usize, 8);
            check::<i64>(seed, 20, 50);
            check::<i128>(seed, 20, 50);
            check::<Shifted>(seed, 20, 50);
            check::<IBig>(seed, 20, 50);
        }
    }
}
