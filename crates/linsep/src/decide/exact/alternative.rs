//! Gordan's alternative in exact arithmetic, for small sets of integer vectors.
//!
//! ```text
//! given    integer vectors v_1 … v_n
//! either   lambda >= 0, not all zero, with sum lambda_i v_i = 0
//! or       w with w·v_i > 0 for all i
//! ```
//!
//! Phase one of the simplex method on { sum lambda_i v_i = 0, sum lambda_i = 1, lambda >= 0 }, with
//! Bland's rule, so that it ends, and with integer pivoting: all entries stay integers over one
//! common denominator. At the end the artificial variables are gone, and lambda is there, or they
//! are not, and the dual variables are w.
//!
//! Cost: order d n operations a pivot on integers that grow with d. [`decide`] calls it on a few
//! vectors at a time and lets all others correct the answer.
//!
//! References: P. Gordan (1873); R. Bland, New finite pivoting rules (1977); J. Edmonds and J.-F.
//! Maurras, Note sur les Q-matrices d'Edmonds (1997).

use dashu_int::IBig;

use super::super::solvers::order::{Scored, by_score};
use super::Halt;
use super::integers::{direction, dot, in_lowest_terms};

/// One of the two cases, of which exactly one holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Alternative {
    /// Positive integers on some of the vectors (by position) that combine them to zero.
    Conflict(Vec<(usize, IBig)>),
    /// A vector that has a positive product with all.
    Separator(Vec<IBig>),
}

/// Returns which case holds for all `vectors`, starting from those at the positions `start`.
///
/// The few vectors that matter are found as in the engine: an answer for some is held against all,
/// and the worst offenders join. Returns none if that takes more than `rounds`, or if it was halted.
pub fn decide(
    vectors: &[Vec<IBig>],
    start: &[usize],
    rounds: usize,
    halt: Halt,
) -> Option<Alternative> {
    let floats: Vec<Vec<f64>> = vectors.iter().map(|v| direction(v)).collect();
    let mut chosen = start.to_vec();
    for _ in 0..rounds {
        let some: Vec<&[IBig]> = chosen.iter().map(|&k| &vectors[k][..]).collect();
        let w = match simplex(&some, halt)? {
            Alternative::Conflict(conflict) => {
                let mut conflict: Vec<(usize, IBig)> =
                    conflict.into_iter().map(|(k, m)| (chosen[k], m)).collect();
                conflict.sort_by_key(|(k, _)| *k);
                return Some(Alternative::Conflict(conflict));
            }
            Alternative::Separator(w) => w,
        };
        let steep = direction(&w);
        let mut wrong: Vec<Scored> = vec![];
        for (k, vector) in vectors.iter().enumerate() {
            if halt() {
                return None;
            }
            if dot(&w, vector) <= IBig::ZERO {
                wrong.push((floats[k].iter().zip(&steep).map(|(a, b)| a * b).sum(), k));
            }
        }
        if wrong.is_empty() {
            return Some(Alternative::Separator(w));
        }
        wrong.sort_by(by_score);
        chosen.extend(wrong.iter().take(w.len()).map(|&(_, k)| k));
    }
    None
}

/// Returns which case holds, or nothing if it was halted. There must be a vector.
fn simplex(vectors: &[&[IBig]], halt: Halt) -> Option<Alternative> {
    let (n, d) = (vectors.len(), vectors[0].len());
    // A row an equation: coordinates, then the sum; columns: lambda, artificial, right-hand side.
    let mut table: Vec<Vec<IBig>> = (0..=d)
        .map(|j| {
            let mut row = vec![IBig::ZERO; n + d + 2];
            for (entry, v) in row.iter_mut().zip(vectors) {
                *entry = if j < d { v[j].clone() } else { IBig::ONE };
            }
            row[n + j] = IBig::ONE;
            row[n + d + 1] = IBig::from(i32::from(j == d));
            row
        })
        .collect();
    let mut costs: Vec<IBig> = (0..n + d + 2)
        .map(|k| match k {
            k if (n..=n + d).contains(&k) => IBig::ZERO,
            k => -table.iter().fold(IBig::ZERO, |sum, row| sum + &row[k]),
        })
        .collect();
    let mut basis: Vec<usize> = (n..=n + d).collect();
    let mut denominator = IBig::ONE;
    let last = n + d + 1;
    while let Some(column) = (0..n).find(|&k| costs[k] < IBig::ZERO) {
        if halt() {
            return None;
        }
        let row = (0..=d)
            .filter(|&r| table[r][column] > IBig::ZERO)
            .min_by(|&a, &b| {
                let left = &table[a][last] * &table[b][column];
                let right = &table[b][last] * &table[a][column];
                left.cmp(&right).then(basis[a].cmp(&basis[b]))
            })
            .expect("the sum of lambda is bounded");
        let pivot = table[row].clone();
        let others = table.iter_mut().enumerate().filter(|(r, _)| *r != row);
        for line in others.map(|(_, line)| line).chain([&mut costs]) {
            let factor = line[column].clone();
            for (entry, p) in line.iter_mut().zip(&pivot) {
                *entry = (&*entry * &pivot[column] - &factor * p) / &denominator;
            }
        }
        denominator = pivot[column].clone();
        basis[row] = column;
    }
    if costs[last] == IBig::ZERO {
        let (at, multipliers): (Vec<usize>, Vec<IBig>) = basis
            .iter()
            .zip(&table)
            .filter(|(k, row)| **k < n && row[last] > IBig::ZERO)
            .map(|(k, row)| (*k, row[last].clone()))
            .unzip();
        let conflict = at.into_iter().zip(in_lowest_terms(multipliers)).collect();
        return Some(Alternative::Conflict(conflict));
    }
    // The cost of artificial variable j is 1 - y_j, and -y has a positive product with all.
    let w = (0..d).map(|j| &costs[n + j] - &denominator).collect();
    Some(Alternative::Separator(in_lowest_terms(w)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vectors: &[&[i64]], conflict: Option<&[(usize, i64)]>) {
        let vectors: Vec<Vec<IBig>> =
            vectors.iter().map(|v| v.iter().map(|&x| IBig::from(x)).collect()).collect();
        assert_eq!(decide(&vectors, &[0], 100, &|| true), None);
        let found = decide(&vectors, &[0], 100, &|| false).unwrap();
        match (&found, conflict) {
            (Alternative::Separator(w), None) => {
                assert!(vectors.iter().all(|v| dot(w, v) > IBig::ZERO));
            }
            (Alternative::Conflict(found), Some(expected)) => {
                let expected: Vec<(usize, IBig)> =
                    expected.iter().map(|&(k, m)| (k, IBig::from(m))).collect();
                assert_eq!(*found, expected);
            }
            _ => panic!("{vectors:?}: {found:?}"),
        }
    }

    #[test]
    fn one_case_or_the_other() {
        check(&[&[1, 2]], None);
        check(&[&[0, 0]], Some(&[(0, 1)]));
        check(&[&[2, 4], &[-3, -6]], Some(&[(0, 3), (1, 2)]));
        check(&[&[1, 0], &[0, 1], &[-1, 1], &[-2, 3]], None);
        check(
            &[&[0, 1, 1], &[1, 0, 1], &[0, 0, -1], &[-1, -1, -1]],
            Some(&[(0, 1), (1, 1), (2, 1), (3, 1)]),
        );
    }
}
