//! Integers of any size: rows of floats times a power of two, and a little linear algebra.

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, UBig};
use linsep_proof::exact::{ExactSum, parts};

use super::Halt;
use crate::kernels::power_of_two;

/// Returns sums of products of floats, one per coordinate, as integers: all times one power of two.
/// `visit` is called with a function that takes a coordinate and two factors.
pub fn exact_combination(
    dimension: usize,
    each: impl FnOnce(&mut dyn FnMut(usize, f64, f64)),
) -> Vec<IBig> {
    let mut sums = vec![ExactSum::default(); dimension];
    each(&mut |k, a, b| {
        let ((m, e), (n, f)) = (parts(a), parts(b));
        sums[k].add(IBig::from(i128::from(m) * i128::from(n)), e + f);
    });
    let numbers: Vec<(IBig, i32)> = sums.into_iter().map(ExactSum::into_parts).collect();
    let lowest = numbers.iter().map(|(_, e)| *e).min().unwrap_or(0);
    in_lowest_terms(numbers.into_iter().map(|(m, e)| m << (e - lowest) as usize).collect())
}

/// Returns m and e with value = m 2^e, where m is odd, or both are zero.
pub fn odd_parts(value: f64) -> (i64, i32) {
    match parts(value) {
        (0, _) => (0, 0),
        (m, e) => (m >> m.trailing_zeros(), e + m.trailing_zeros() as i32),
    }
}

/// Returns a basis of the integer vectors v of `dimension` numbers with r·v = 0 for all `rows`; nothing if
/// the work was halted.
///
/// Cost: order rows · dimension · rank operations on integers that grow with the rank, so it is for
/// small dimensions.
pub fn nullspace(mut rows: Vec<Vec<IBig>>, dimension: usize, halt: Halt) -> Option<Vec<Vec<IBig>>> {
    // Reduced echelon form without fractions: (pivot column, row).
    let mut pivots: Vec<(usize, Vec<IBig>)> = vec![];
    while let Some(mut row) = rows.pop() {
        if halt() {
            return None;
        }
        for (column, pivot) in &pivots {
            eliminate(&mut row, pivot, *column);
        }
        let Some(column) = row.iter().position(|v| *v != IBig::ZERO) else {
            continue;
        };
        reduce(&mut row);
        for (_, pivot) in &mut pivots {
            eliminate(pivot, &row, column);
            reduce(pivot);
        }
        pivots.push((column, row));
    }
    let is_pivot = |column: usize| pivots.iter().any(|(c, _)| *c == column);
    let free = (0..dimension).filter(|&column| !is_pivot(column));
    let vectors = free.map(|column| {
        // Solve for the pivots with this free coordinate at a common multiple of their leaders.
        let common = pivots.iter().fold(UBig::ONE, |common, (c, row)| {
            let leader = row[*c].clone().unsigned_abs();
            let gcd = (&common).gcd(&leader);
            common * (leader / gcd)
        });
        let common = IBig::from(common);
        let mut v = vec![IBig::ZERO; dimension];
        for (c, row) in &pivots {
            v[*c] = -(&row[column] * (&common / &row[*c]));
        }
        v[column] = common;
        reduce(&mut v);
        v
    });
    Some(vectors.collect())
}

/// Takes the entry at `column` out of `row` with the help of `pivot`.
fn eliminate(row: &mut [IBig], pivot: &[IBig], column: usize) {
    if row[column] == IBig::ZERO {
        return;
    }
    let (a, b) = (pivot[column].clone(), row[column].clone());
    for (x, p) in row.iter_mut().zip(pivot) {
        *x = &*x * &a - p * &b;
    }
}

/// Divides a vector by the greatest common divisor of its numbers.
fn reduce(row: &mut [IBig]) {
    let gcd = row.iter().fold(UBig::ZERO, |gcd, v| match (gcd == UBig::ZERO, *v == IBig::ZERO) {
        (_, true) => gcd,
        (true, false) => v.clone().unsigned_abs(),
        (false, false) => gcd.gcd(v.clone().unsigned_abs()),
    });
    if gcd > UBig::ONE {
        let gcd = IBig::from(gcd);
        row.iter_mut().for_each(|v| *v = &*v / &gcd);
    }
}

/// Returns a·b.
pub fn dot(a: &[IBig], b: &[IBig]) -> IBig {
    a.iter().zip(b).fold(IBig::ZERO, |sum, (a, b)| sum + a * b)
}

/// Returns an integer vector as floats, times one power of two: one that makes the longest about one or,
/// where the shortest would be lost by that, lets the longest just fit.
pub fn rounded(v: &[IBig]) -> Vec<f64> {
    let longest = v.iter().map(bits).max().unwrap_or(0) as i32;
    let shortest = v.iter().map(bits).filter(|&bits| bits > 0).min().unwrap_or(0) as i32;
    let most = if longest - shortest < 900 { 0 } else { 900 };
    let float = |v: &IBig| {
        let drop = bits(v).saturating_sub(62);
        let top: IBig = if *v < IBig::ZERO { -((-v) >> drop) } else { v >> drop };
        let exponent = drop as i32 + most - longest;
        // In two steps, since a power of two may be out of the range of floats.
        let half = exponent / 2;
        i64::try_from(&top).map_or(0.0, |m| m as f64)
            * power_of_two(half)
            * power_of_two(exponent - half)
    };
    v.iter().map(float).collect()
}

/// Returns an integer vector as sums of two floats, times a power of two that makes the longest about
/// one: right to about 2^-106, relatively.
pub fn double(v: &[IBig]) -> (Vec<f64>, Vec<f64>) {
    let longest = v.iter().map(bits).max().unwrap_or(0) as i32;
    let pair = |v: &IBig| {
        let drop = bits(v).saturating_sub(120);
        let top: IBig = if *v < IBig::ZERO { -((-v) >> drop) } else { v >> drop };
        let top = i128::try_from(&top).expect("at most 120 bits are left");
        let high = top as f64;
        let unit = power_of_two((drop as i32 - longest).max(-1000));
        (high * unit, (top - high as i128) as f64 * unit)
    };
    v.iter().map(pair).unzip()
}

/// Returns the direction of an integer vector as floats of length about one.
pub fn direction(v: &[IBig]) -> Vec<f64> {
    let longest = v.iter().map(bits).max().unwrap_or(0);
    let shift = longest.saturating_sub(62);
    let mut out: Vec<f64> = v
        .iter()
        .map(|v| {
            let small: IBig = if *v < IBig::ZERO { -((-v) >> shift) } else { v >> shift };
            i64::try_from(&small).map_or(0.0, |v| v as f64)
        })
        .collect();
    let length = crate::hyperplane::norm(out.iter().copied());
    if length > 0.0 {
        out.iter_mut().for_each(|v| *v /= length);
    }
    out
}

fn bits(v: &IBig) -> usize {
    use dashu_int::ops::BitTest;
    v.clone().unsigned_abs().bit_len()
}

/// Divides a vector by the greatest common divisor of its numbers.
pub fn in_lowest_terms(mut v: Vec<IBig>) -> Vec<IBig> {
    reduce(&mut v);
    v
}

#[cfg(test)]
mod tests {
    use super::super::equations::Equations;
    use super::super::modular::{Elimination, PRIMES, Prime};
    use super::*;

    fn integers(rows: &[&[i64]]) -> Vec<Vec<IBig>> {
        rows.iter().map(|row| row.iter().map(|&v| IBig::from(v)).collect()).collect()
    }

    fn check(rows: &[&[i64]], dimension: usize, rank: usize) {
        let rows = integers(rows);
        let basis = nullspace(rows.clone(), dimension, &|| false).unwrap();
        assert_eq!(basis.len(), dimension - rank);
        for v in &basis {
            assert!(rows.iter().all(|row| dot(row, v) == IBig::ZERO));
        }
        let rank_of = |rows: &[Vec<IBig>]| {
            let equations = Equations::<IBig>::of_rows(rows, dimension);
            Elimination::new(&equations, Prime(PRIMES[0]), &|| false).unwrap().rank()
        };
        assert_eq!(rank_of(&basis), dimension - rank);
        assert_eq!(rank_of(&rows), rank);
    }

    #[test]
    fn rank_and_complement() {
        check(&[], 3, 0);
        check(&[&[1, 2, 3]], 3, 1);
        check(&[&[0, 2, 4], &[0, 1, 2]], 3, 1);
        check(&[&[0, 2, 4, 1], &[5, 1, 2, 0], &[5, 3, 6, 1]], 4, 2);
        check(&[&[1, 0, 7], &[0, 3, 1], &[2, 2, 2]], 3, 3);
        check(&[&[0, 0, 5], &[0, 0, -3], &[4, 0, 1]], 3, 2);
    }

    #[test]
    fn integers_become_floats_of_ordinary_size_where_they_can() {
        let big = IBig::ONE << 3000;
        assert_eq!(rounded(&[big.clone(), -&big >> 1, IBig::ZERO]), [0.5, -0.25, 0.0]);
        // What is 2^-1800 of the longest is not lost.
        let far = rounded(&[big.clone(), big >> 1800]);
        assert_eq!(far, [power_of_two(899), power_of_two(-901)]);
    }

    #[test]
    fn floats_are_integers_times_a_power_of_two() {
        for value in [1.0, -0.1, 1e300, 5e-324, 3.0 * power_of_two(60), 0.0] {
            let (m, e) = odd_parts(value);
            let half = e / 2;
            assert_eq!(m as f64 * power_of_two(half) * power_of_two(e - half), value);
        }
    }
}
