//! The exact conflict of a set of rows.
//!
//! ```text
//! Given rows i, find integers lambda_i >= 0, not all zero, with
//!
//!     sum_i lambda_i y_i (x_i, 1) = 0
//!
//! exactly, in the f64 values as they are. No hyperplane then has all these rows on their sides:
//! it would have y_i (w·x_i + b) > 0 for all i, and the sum would be positive (Gordan).
//!
//!     1. make each coordinate an equation with integer entries              exact/equations.rs
//!     2. eliminate modulo a prime: the rank, and how many unknowns are free  exact/modular.rs
//!     3. none free: independent, and no such lambda exists
//!        several: leave rows out, guided by approximate weights, until one is free    vertex.rs
//!     4. solve exactly for the one solution there is, up to its scale        exact/lifting.rs
//!     5. all of one sign: a proof. Both signs: say which rows are in the way
//!
//! It returns a proof only after all equations were checked in integers. Another prime is tried
//! when the check fails, which is a chance of about k / 2^58.
//! ```

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};
use linsep_data::Samples;

use super::exact::equations::{Entry, Equations, Scale};
use super::exact::lifting::null_vector;
use super::exact::modular::{Elimination, PRIMES, Prime};
use super::vertex;
use crate::lift::Rows;

/// What exact arithmetic says of a set of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The rows, from 0 and rising, and positive multipliers with no common divisor such that
    /// sum lambda_i y_i (x_i, 1) = 0: a proof that the rows are not separable. Rows that are not
    /// needed are left out.
    Proven(Vec<(usize, UBig)>),
    /// The vectors y (x, 1) are linearly independent: no combination of them is zero, and the
    /// rows are separable.
    Independent,
    /// Some combination is zero, but the one that was found has both signs.
    MixedSigns {
        /// The rows, rising, whose multiplier has the sign that fewer have, by approximate weight:
        /// those to drop or to exchange. None if no prime would do, which is not to be expected.
        wrong: Vec<usize>,
        /// How many independent combinations of all rows are zero. If it is 1 there is no other
        /// than the one found, none has one sign, and by Gordan's theorem the rows are separable.
        nullity: usize,
    },
}

/// Returns the conflict of the given rows: positive integers that combine their y (x, 1) to zero.
///
/// `approximate` has the weights of the lifted rows y (x, 1) / ‖(x, 1)‖ in a combination that is
/// nearly zero. They choose among the conflicts when there are several; where there is one, it is
/// found whatever they are. A row that is named twice counts once.
///
/// Costs O(k^3) word operations for k rows, entries of a word, and up to a few thousand features:
/// a fraction of a second for 600 rows of pixels.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::conflict::{Conflict, solve};
///
/// // XOR: both positive points and both negative ones have the same middle.
/// let x = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
/// let samples = Samples::dense(x, 2, vec![true, true, false, false])?;
/// let Conflict::Proven(lambda) = solve(&samples, &[0, 1, 2, 3], &[0.25; 4]) else { panic!() };
/// assert!(lambda.iter().all(|(_, multiplier)| multiplier.is_one()));
/// # Ok::<(), linsep::Error>(())
/// ```
///
/// # Panics
/// If there is not one weight a row, or if a row does not exist.
pub fn solve(samples: &Samples, rows: &[usize], approximate: &[f64]) -> Conflict {
    assert_eq!(rows.len(), approximate.len(), "one weight a row");
    let mut named: Vec<(usize, f64)> =
        rows.iter().zip(approximate).map(|(&row, &weight)| (row, weight)).collect();
    named.sort_by_key(|&(row, _)| row);
    named.dedup_by(|again, first| {
        let same = again.0 == first.0;
        if same {
            first.1 += again.1;
        }
        same
    });
    let (rows, weights): (Vec<usize>, Vec<f64>) = named.into_iter().unzip();
    let scale = Scale::new(samples, &rows);
    // Sums of an entry a row must fit 127 bits in the first two.
    match scale.bits {
        0..=62 => solve_in::<i64>(samples, &rows, &weights, &scale),
        63..=110 => solve_in::<i128>(samples, &rows, &weights, &scale),
        _ => solve_in::<IBig>(samples, &rows, &weights, &scale),
    }
}

/// Returns the integers, of either sign, that combine the y (x, 1) of these rows to zero, in their
/// order, if there is one such combination up to its scale.
pub fn relation(samples: &Samples, rows: &[usize]) -> Option<Vec<IBig>> {
    let scale = Scale::new(samples, rows);
    match scale.bits {
        0..=62 => relation_in::<i64>(samples, rows, &scale),
        63..=110 => relation_in::<i128>(samples, rows, &scale),
        _ => relation_in::<IBig>(samples, rows, &scale),
    }
}

/// Returns the rank of the (x, 1) of these rows modulo a prime: never more than the true rank.
pub fn rank(samples: &Samples, rows: &[usize]) -> usize {
    let scale = Scale::new(samples, rows);
    match scale.bits {
        0..=62 => eliminated::<i64>(samples, rows, &scale).1.rank(),
        63..=110 => eliminated::<i128>(samples, rows, &scale).1.rank(),
        _ => eliminated::<IBig>(samples, rows, &scale).1.rank(),
    }
}

fn eliminated<T: Entry>(
    samples: &Samples,
    rows: &[usize],
    scale: &Scale,
) -> (Equations<T>, Elimination) {
    let equations = Equations::new(samples, rows, scale);
    let elimination = Elimination::new(&equations, Prime(PRIMES[0]));
    (equations, elimination)
}

fn relation_in<T: Entry>(samples: &Samples, rows: &[usize], scale: &Scale) -> Option<Vec<IBig>> {
    let (equations, elimination) = eliminated::<T>(samples, rows, scale);
    if elimination.nullity() == 1 { null_vector(&equations, &elimination) } else { None }
}

/// Returns the conflict, computed with entries of the given type.
fn solve_in<T: Entry>(
    samples: &Samples,
    rows: &[usize],
    weights: &[f64],
    scale: &Scale,
) -> Conflict {
    let mut nullity = 0;
    for p in PRIMES {
        let equations = Equations::<T>::new(samples, rows, scale);
        let elimination = Elimination::new(&equations, Prime(p));
        nullity = elimination.nullity();
        let found = match nullity {
            0 => return Conflict::Independent,
            1 => null_vector(&equations, &elimination).map(|vector| (rows.to_vec(), vector)),
            _ => fewer(samples, rows, weights, scale, &equations, &elimination),
        };
        if let Some((kept, vector)) = found {
            let weight = |row| weights[rows.binary_search(&row).expect("one of the rows")];
            return judge(&kept, vector, weight, nullity);
        }
    }
    Conflict::MixedSigns { wrong: vec![], nullity }
}

/// Returns some of the rows, which leave one unknown free, and their solution, or nothing if the
/// prime was a bad one.
fn fewer<T: Entry>(
    samples: &Samples,
    rows: &[usize],
    weights: &[f64],
    scale: &Scale,
    equations: &Equations<T>,
    elimination: &Elimination,
) -> Option<(Vec<usize>, Vec<IBig>)> {
    let lifted = Rows::lifted(samples);
    let mut at = vec![usize::MAX; lifted.dimension()];
    for (t, &equation) in elimination.equations.iter().enumerate() {
        at[equations.coordinates[equation]] = t;
    }
    let mut matrix = vec![vec![0.0; rows.len()]; elimination.rank()];
    for (unknown, &row) in rows.iter().enumerate() {
        lifted.for_each(row, |c, value| {
            if at[c] != usize::MAX {
                matrix[at[c]][unknown] = value;
            }
        });
    }
    let kept = vertex::reduce(matrix, weights);
    let solution = |kept: &[usize]| {
        let rows: Vec<usize> = kept.iter().map(|&unknown| rows[unknown]).collect();
        let equations = Equations::<T>::new(samples, &rows, scale);
        let inner = Elimination::new(&equations, elimination.prime);
        match inner.nullity() {
            0 => None,
            1 => null_vector(&equations, &inner).map(|vector| (rows, vector)),
            _ => {
                let weights: Vec<f64> = kept.iter().map(|&unknown| weights[unknown]).collect();
                fewer(samples, &rows, &weights, scale, &equations, &inner)
            }
        }
    };
    // Rounding may have misled the reduction; the elimination knows rows that surely depend.
    solution(&kept).or_else(|| {
        let (determined, free) = elimination.unknowns.split_at(elimination.rank());
        let heaviest = free.iter().max_by(|&&a, &&b| weights[a].total_cmp(&weights[b]));
        let mut kept: Vec<usize> = determined.iter().chain(heaviest).copied().collect();
        kept.sort_unstable();
        solution(&kept)
    })
}

/// Returns the proof if all integers have one sign, else the rows of the lighter sign.
fn judge(
    rows: &[usize],
    vector: Vec<IBig>,
    weight: impl Fn(usize) -> f64,
    nullity: usize,
) -> Conflict {
    let mut sides: [(f64, Vec<usize>); 2] = [(0.0, vec![]), (0.0, vec![])];
    for (&row, value) in rows.iter().zip(&vector).filter(|(_, value)| !value.is_zero()) {
        let side = &mut sides[usize::from(value.sign() == Sign::Negative)];
        side.0 += weight(row);
        side.1.push(row);
    }
    let [positive, negative] = sides;
    if !positive.1.is_empty() && !negative.1.is_empty() {
        let lighter = if negative.0 <= positive.0 { negative } else { positive };
        return Conflict::MixedSigns { wrong: lighter.1, nullity };
    }
    let mut multipliers: Vec<(usize, UBig)> = rows
        .iter()
        .zip(vector)
        .filter(|(_, value)| !value.is_zero())
        .map(|(&row, value)| (row, value.unsigned_abs()))
        .collect();
    let mut divisor = UBig::ZERO;
    for (_, multiplier) in &multipliers {
        divisor = divisor.gcd(multiplier);
        if divisor.is_one() {
            return Conflict::Proven(multipliers);
        }
    }
    multipliers.iter_mut().for_each(|(_, multiplier)| *multiplier /= &divisor);
    Conflict::Proven(multipliers)
}

#[cfg(test)]
mod tests {
    use super::super::exact::modular::draw;
    use super::*;
    use dashu_int::ops::BitTest;
    use linsep_data::samples::Sparse;

    fn dense(rows: &[Vec<f64>], labels: &[bool]) -> Samples {
        Samples::dense(rows.concat(), rows[0].len(), labels.to_vec()).unwrap()
    }

    /// Returns a double as an integer in units of the smallest one.
    fn integer(value: f64) -> IBig {
        let bits = value.abs().to_bits();
        let (fraction, field) = (bits & ((1 << 52) - 1), (bits >> 52) as usize);
        let magnitude = match field {
            0 => UBig::from(fraction),
            _ => UBig::from(fraction | 1 << 52) << (field - 1),
        };
        if value < 0.0 { -IBig::from(magnitude) } else { IBig::from(magnitude) }
    }

    /// Checks a proof against the raw rows, by code of its own, and shows the conflict.
    fn shown(samples: &Samples, conflict: &Conflict) -> String {
        let multipliers = match conflict {
            Conflict::Proven(multipliers) => multipliers,
            Conflict::Independent => return "independent".into(),
            Conflict::MixedSigns { wrong, nullity } => {
                return format!("wrong {wrong:?}, nullity {nullity}");
            }
        };
        let mut sums = vec![IBig::ZERO; samples.columns() + 1];
        let mut divisor = UBig::ZERO;
        for (row, multiplier) in multipliers {
            assert!(!multiplier.is_zero());
            divisor = divisor.gcd(multiplier);
            let signed = IBig::from(multiplier.clone());
            let signed = if samples.positive()[*row] { signed } else { -signed };
            samples.features().for_each(*row, |c, value| sums[c] += &signed * integer(value));
            *sums.last_mut().unwrap() += signed;
        }
        assert!(sums.iter().all(IBig::is_zero), "the combination is zero");
        assert!(divisor.is_one(), "no common divisor");
        let shown: Vec<String> =
            multipliers.iter().map(|(row, multiplier)| format!("{row}*{multiplier}")).collect();
        shown.join(" ")
    }

    fn check(rows: &[&[f64]], labels: &str, expected: &str) {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        let labels: Vec<bool> = labels.chars().map(|c| c == '+').collect();
        let samples = dense(&rows, &labels);
        let all: Vec<usize> = (0..rows.len()).collect();
        let conflict = solve(&samples, &all, &vec![1.0; rows.len()]);
        assert_eq!(shown(&samples, &conflict), expected);
    }

    #[test]
    fn textbook_conflicts() {
        check(&[&[0.0, 1.0], &[1.0, 0.0], &[0.0, 0.0], &[1.0, 1.0]], "++--", "0*1 1*1 2*1 3*1");
        check(&[&[3.5, -7.0], &[3.5, -7.0]], "+-", "0*1 1*1");
        check(&[&[0.0], &[1.0], &[3.0]], "-+-", "0*2 1*3 2*1");
        check(&[&[-4.0], &[-1.0], &[-0.0]], "+-+", "0*1 1*4 2*3");
    }

    #[test]
    fn no_conflict() {
        check(&[&[0.0], &[1.0]], "-+", "independent");
        check(&[&[1.0, 2.0], &[2.0, 1.0], &[5.0, 5.0]], "+-+", "independent");
        check(&[&[0.0], &[1.0], &[2.0]], "-++", "wrong [2], nullity 1");
    }

    #[test]
    fn decimals_are_the_doubles_they_were_rounded_to() {
        // In decimals 0.2 is the middle of 0.1 and 0.3; in doubles it is not.
        let (left, right) = (integer(0.2) - integer(0.1), integer(0.3) - integer(0.2));
        assert_ne!(left, right);
        let g = left.clone().gcd(&right);
        let (a, b) = (&right / IBig::from(g.clone()), &left / IBig::from(g));
        check(&[&[0.1], &[0.2], &[0.3]], "-+-", &format!("0*{a} 1*{} 2*{b}", &a + &b));
        check(&[&[0.125], &[0.25], &[0.375]], "-+-", "0*1 1*2 2*1");
    }

    #[test]
    fn exponents_may_lie_far_apart() {
        check(&[&[-1e300], &[0.0], &[1e300]], "-+-", "0*1 1*2 2*1");
        check(&[&[-5e-324], &[0.0], &[5e-324]], "-+-", "0*1 1*2 2*1");
        let cases: [&[f64]; 4] = [
            &[-1e300, 1e-300, 1e300],
            &[-5e-324, 0.0, f64::MAX],
            &[-1e-9, 0.1, 1e12],
            &[-1e-300, 5e-324, 3e-310],
        ];
        for x in cases {
            let rows: Vec<Vec<f64>> = x.iter().map(|&x| vec![x]).collect();
            let samples = dense(&rows, &[false, true, false]);
            let conflict = solve(&samples, &[0, 1, 2], &[0.3, 0.5, 0.2]);
            assert!(shown(&samples, &conflict).starts_with("0*"), "{x:?}");
        }
    }

    #[test]
    fn sparse_rows_conflict_as_dense_ones_do() {
        let features =
            Sparse::new(vec![0, 1, 2, 2, 4], vec![7, 2, 2, 7], vec![1.0; 4], 1000).unwrap();
        let samples = Samples::sparse(features, vec![true, true, false, false]).unwrap();
        let conflict = solve(&samples, &[0, 1, 2, 3], &[0.25; 4]);
        assert_eq!(shown(&samples, &conflict), "0*1 1*1 2*1 3*1");
    }

    #[test]
    fn rows_in_any_order_and_twice() {
        let rows: Vec<Vec<f64>> = (0..6).map(|x| vec![f64::from(x)]).collect();
        let samples = dense(&rows, &[true, false, true, false, true, false]);
        let conflict = solve(&samples, &[5, 2, 3, 2], &[1.0; 4]);
        assert_eq!(shown(&samples, &conflict), "wrong [5], nullity 1");
        let conflict = solve(&samples, &[4, 2, 3, 2, 3], &[1.0; 5]);
        assert_eq!(shown(&samples, &conflict), "2*1 3*2 4*1");
        assert_eq!(solve(&samples, &[], &[]), Conflict::Independent);
    }

    #[test]
    fn several_conflicts_are_reduced_to_one() {
        // Weights of raw rows that combine to zero, on points of a line: nullity 2 and 3.
        for weights in [vec![1.0, 3.0, 3.0, 1.0], vec![2.0, 3.0, 2.0, 3.0, 2.0]] {
            let rows: Vec<Vec<f64>> = (0..weights.len()).map(|x| vec![x as f64]).collect();
            let labels: Vec<bool> = (0..weights.len()).map(|x| x % 2 == 1).collect();
            let samples = dense(&rows, &labels);
            let all: Vec<usize> = (0..rows.len()).collect();
            let lifted: Vec<f64> =
                weights.iter().zip(samples.norms()).map(|(w, norm)| w * norm).collect();
            let conflict = solve(&samples, &all, &lifted);
            shown(&samples, &conflict);
            assert!(matches!(conflict, Conflict::Proven(ref m) if m.len() <= 3), "{conflict:?}");
        }
    }

    #[test]
    fn many_conflicts_are_reduced_to_one() {
        // Twenty segments in ten dimensions: both ends positive, the middle negative.
        let mut state = 3;
        let mut point = || -> Vec<f64> {
            (0..10).map(|_| 2.0 * f64::from((draw(&mut state) >> 58) as u8)).collect()
        };
        let (mut rows, mut labels, mut weights) = (vec![], vec![], vec![]);
        for _ in 0..20 {
            let (a, b) = (point(), point());
            let middle = a.iter().zip(&b).map(|(a, b)| (a + b) / 2.0).collect();
            rows.extend([a, b, middle]);
            labels.extend([true, true, false]);
            weights.extend([1.0, 1.0, 2.0]);
        }
        let samples = dense(&rows, &labels);
        let all: Vec<usize> = (0..60).collect();
        let noisy = weights.iter().zip(samples.norms()).enumerate();
        let lifted: Vec<f64> =
            noisy.map(|(i, (w, norm))| w * norm * (1.0 + 1e-10 * (i as f64).sin())).collect();
        let conflict = solve(&samples, &all, &lifted);
        shown(&samples, &conflict);
        assert!(matches!(conflict, Conflict::Proven(ref m) if m.len() <= 12), "{conflict:?}");
        // Weights that say nothing must do no harm.
        for nothing in [0.0, f64::NAN, -1.0, f64::INFINITY] {
            shown(&samples, &solve(&samples, &all, &[nothing; 60]));
        }
    }

    #[test]
    fn a_planted_conflict_of_sixty_rows() {
        for (seed, bits) in [(1, 8), (2, 8), (3, 24), (4, 53)] {
            let mut state = seed;
            let rows: Vec<Vec<f64>> = (0..60)
                .map(|_| (0..58).map(|_| (draw(&mut state) >> (64 - bits)) as f64).collect())
                .collect();
            let mut labels: Vec<bool> = (0..60).map(|i| i % 2 == 0).collect();
            let all: Vec<usize> = (0..60).collect();
            // The other label negates y (x, 1), and so the sign of the multiplier.
            match solve(&dense(&rows, &labels), &all, &[1.0; 60]) {
                Conflict::MixedSigns { wrong, nullity: 1 } => {
                    wrong.iter().for_each(|&i| labels[i] ^= true);
                }
                other => panic!("{other:?}"),
            }
            let samples = dense(&rows, &labels);
            let conflict = solve(&samples, &all, &[1.0; 60]);
            shown(&samples, &conflict);
            let Conflict::Proven(multipliers) = conflict else { panic!("planted") };
            assert_eq!(multipliers.len(), 60);
            assert!(multipliers[0].1.bit_len() > 58 * (bits - 2));
        }
    }

    /// Returns a basis of the solutions of sum_i lambda_i rows_i = 0 by fractions (a, b) = a / b.
    fn nullspace(rows: &[Vec<i128>]) -> Vec<Vec<(i128, i128)>> {
        fn fraction(a: i128, b: i128) -> (i128, i128) {
            let (mut g, mut r) = (a.abs(), b.abs());
            while r != 0 {
                (g, r) = (r, g % r);
            }
            (a / g * b.signum(), b.abs() / g)
        }
        let k = rows.len();
        let mut m: Vec<Vec<(i128, i128)>> =
            (0..rows[0].len()).map(|c| rows.iter().map(|row| (row[c], 1)).collect()).collect();
        let mut pivots = vec![];
        for u in 0..k {
            let done = pivots.len();
            let Some(s) = (done..m.len()).find(|&s| m[s][u].0 != 0) else { continue };
            m.swap(done, s);
            let (a, b) = m[done][u];
            m[done].iter_mut().for_each(|v| *v = fraction(v.0 * b, v.1 * a));
            let row = m[done].clone();
            for other in (0..m.len()).filter(|&s| s != done) {
                let (a, b) = m[other][u];
                for (v, r) in m[other].iter_mut().zip(&row) {
                    *v = fraction(v.0 * b * r.1 - v.1 * a * r.0, v.1 * b * r.1);
                }
            }
            pivots.push(u);
        }
        let free = (0..k).filter(|u| !pivots.contains(u));
        free.map(|f| {
            let mut v = vec![(0, 1); k];
            v[f] = (1, 1);
            pivots.iter().zip(&m).for_each(|(&u, row)| v[u] = (-row[f].0, row[f].1));
            v
        })
        .collect()
    }

    #[test]
    fn small_problems_agree_with_fractions() {
        let mut state = 11;
        let mut seen = [0; 4];
        for case in 0..600 {
            let (k, d) = (2 + case % 5, 1 + case / 5 % 4);
            let mut next = |below: u64| (draw(&mut state) % below) as i64;
            let rows: Vec<Vec<f64>> =
                (0..k).map(|_| (0..d).map(|_| (next(7) - 3) as f64).collect()).collect();
            let mut labels: Vec<bool> = (0..k).map(|_| next(2) == 1).collect();
            (labels[0], labels[1]) = (true, false);
            let samples = dense(&rows, &labels);
            let signed: Vec<Vec<i128>> = rows
                .iter()
                .zip(&labels)
                .map(|(row, &positive)| {
                    let sign = if positive { 1 } else { -1 };
                    row.iter().map(|&v| sign * v as i128).chain([sign]).collect()
                })
                .collect();
            let basis = nullspace(&signed);
            let all: Vec<usize> = (0..k).collect();
            let conflict = solve(&samples, &all, &vec![1.0; k]);
            let text = shown(&samples, &conflict);
            match (&conflict, &basis[..]) {
                (Conflict::Independent, []) => seen[0] += 1,
                (Conflict::Proven(multipliers), [only]) => {
                    let mut expected = vec![];
                    let (row, first) = &multipliers[0];
                    // Both are solutions, and there is one up to its scale.
                    for (i, v) in only.iter().enumerate().filter(|(_, v)| v.0 != 0) {
                        let scaled = IBig::from(first.clone()) * v.0 * only[*row].1;
                        expected.push((i, scaled / (IBig::from(v.1) * only[*row].0)));
                    }
                    let found: Vec<(usize, IBig)> =
                        multipliers.iter().map(|(i, m)| (*i, IBig::from(m.clone()))).collect();
                    assert_eq!(found, expected, "case {case}");
                    seen[1] += 1;
                }
                (Conflict::MixedSigns { wrong, nullity: 1 }, [only]) => {
                    let of = |sign: i128| -> Vec<usize> {
                        (0..k).filter(|&i| only[i].0.signum() == sign).collect()
                    };
                    let (plus, minus) = (of(1), of(-1));
                    assert!(!plus.is_empty() && !minus.is_empty(), "case {case}");
                    assert!(*wrong == plus || *wrong == minus, "case {case}");
                    assert!(wrong.len() <= plus.len().max(minus.len()), "case {case}");
                    seen[2] += 1;
                }
                (Conflict::MixedSigns { wrong, nullity }, _) => {
                    assert!(*nullity == basis.len() && !wrong.is_empty(), "case {case}: {text}");
                    seen[3] += 1;
                }
                (Conflict::Proven(_), [_, _, ..]) => seen[3] += 1,
                _ => panic!("case {case}: {text}, nullity {}", basis.len()),
            }
        }
        assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
    }
}
