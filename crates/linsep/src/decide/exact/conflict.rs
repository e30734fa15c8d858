//! The exact conflict of a set of rows.
//!
//! ```text
//! Given rows i, find integers lambda_i >= 0, not all zero, with
//!
//!     sum_i lambda_i y_i (x_i, 1) = 0
//!
//! exactly, in the f64 values as they are. No hyperplane then puts all these rows on their sides:
//! it would have y_i (w·x_i + b) > 0 for all i, and the sum would be positive (Gordan).
//!
//!     1. make each coordinate an equation with integer entries              exact/equations.rs
//!     2. eliminate modulo a prime: the rank, and how many unknowns are free  exact/modular.rs
//!     3. none free: independent, and no such lambda exists
//!        several: leave rows out, guided by approximate weights, until one is free
//!                                                                  solvers/caratheodory.rs
//!     4. solve exactly for the one solution there is, up to its scale        exact/lifting.rs
//!     5. all of one sign: a proof. Both signs: say which rows are in the way
//!
//! It returns a proof only after all equations were checked in integers. Another prime is tried
//! when the check fails, which is a chance of about k / 2^58.
//! ```

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};

use super::super::solvers::caratheodory;
use super::Halt;
use super::equations::{EquationEntry, Equations, IntegerScale, Shifted};
use super::lifting::null_vector;
use super::modular::{Elimination, PRIMES, Prime};
use super::rows::SignedRows;

/// What exact arithmetic says of a set of rows, which are counted by place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// The rows, rising, and positive multipliers with no common divisor such that
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
    /// It took too long.
    Halted,
}

/// Returns the conflict of the given rows: positive integers that combine their y (x, 1) to zero.
///
/// `weights` are those of the lifted rows y (x, 1) / ‖(x, 1)‖ in a combination that is nearly zero.
/// They choose among the conflicts when there are several; where there is one, it is found whatever
/// they are. No row may be named twice.
///
/// Costs O(k^3) word operations for k rows, entries of a word, and up to a few thousand features:
/// a fraction of a second for 600 rows of pixels.
///
/// # Panics
/// If there is not one weight per row.
pub fn solve(rows: &SignedRows, weights: &[f64], halt: Halt) -> Solution {
    assert_eq!(rows.len(), weights.len(), "one weight per row");
    let scale = IntegerScale::new(rows);
    // Sums of one entry per row must fit 127 bits in the first two.
    match scale.bits {
        0..=62 => solve_in::<i64>(rows, weights, &scale, halt),
        63..=110 => solve_in::<i128>(rows, weights, &scale, halt),
        _ => solve_in::<Shifted>(rows, weights, &scale, halt),
    }
}

/// Returns the rank of these rows modulo a prime, never more than the true rank; nothing if halted.
pub fn rank(rows: &SignedRows, halt: Halt) -> Option<usize> {
    let scale = IntegerScale::new(rows);
    match scale.bits {
        0..=62 => eliminated::<i64>(rows, &scale, halt).map(|(_, e)| e.rank()),
        63..=110 => eliminated::<i128>(rows, &scale, halt).map(|(_, e)| e.rank()),
        _ => eliminated::<Shifted>(rows, &scale, halt).map(|(_, e)| e.rank()),
    }
}

/// Returns independent coordinates that all others are combinations of in these rows; nothing if halted. Told
/// modulo a prime, so they are never too many.
pub fn independent_coordinates(rows: &SignedRows, halt: Halt) -> Option<Vec<usize>> {
    fn of<T: EquationEntry>(
        rows: &SignedRows,
        scale: &IntegerScale,
        halt: Halt,
    ) -> Option<Vec<usize>> {
        let (equations, elimination) = eliminated::<T>(rows, scale, halt)?;
        let mut found: Vec<usize> =
            elimination.equations.iter().map(|&equation| equations.coordinates[equation]).collect();
        found.sort_unstable();
        Some(found)
    }
    let scale = IntegerScale::new(rows);
    match scale.bits {
        0..=62 => of::<i64>(rows, &scale, halt),
        63..=110 => of::<i128>(rows, &scale, halt),
        _ => of::<Shifted>(rows, &scale, halt),
    }
}

fn eliminated<T: EquationEntry>(
    rows: &SignedRows,
    scale: &IntegerScale,
    halt: Halt,
) -> Option<(Equations<T>, Elimination)> {
    let equations = Equations::new(rows, scale);
    let elimination = Elimination::new(&equations, Prime(PRIMES[0]), halt)?;
    Some((equations, elimination))
}

/// Returns the conflict, computed with entries of the given type.
fn solve_in<T: EquationEntry>(
    rows: &SignedRows,
    weights: &[f64],
    scale: &IntegerScale,
    halt: Halt,
) -> Solution {
    let mut nullity = 0;
    for p in PRIMES {
        let equations = Equations::<T>::new(rows, scale);
        let Some(elimination) = Elimination::new(&equations, Prime(p), halt) else {
            return Solution::Halted;
        };
        nullity = elimination.nullity();
        let all: Vec<usize> = (0..rows.len()).collect();
        let found = match nullity {
            0 => return Solution::Independent,
            1 => null_vector(&equations, &elimination, halt).map(|vector| (all, vector)),
            _ => {
                let part = RestOfRows { rows, weights, scale, halt };
                part.fewer(&all, &equations, &elimination)
            }
        };
        if let Some((kept, vector)) = found {
            return judge(&kept, vector, weights, nullity);
        }
        if halt() {
            return Solution::Halted;
        }
    }
    Solution::MixedSigns { wrong: vec![], nullity }
}

/// Rows, some of them left out.
struct RestOfRows<'a> {
    rows: &'a SignedRows,
    weights: &'a [f64],
    scale: &'a IntegerScale,
    halt: Halt<'a>,
}

impl RestOfRows<'_> {
    /// Returns some of the rows at these places, which leave one unknown free, and their solution, or
    /// nothing if the prime was a bad one or the work was halted.
    fn fewer<T: EquationEntry>(
        &self,
        places: &[usize],
        equations: &Equations<T>,
        elimination: &Elimination,
    ) -> Option<(Vec<usize>, Vec<IBig>)> {
        let own: Vec<f64> = places.iter().map(|&place| self.weights[place]).collect();
        let matrix = self.lifted(places, equations, elimination);
        let kept = caratheodory::reduce(matrix, &own, self.halt);
        // Rounding may have misled the reduction; the elimination knows rows that surely depend.
        self.solution::<T>(places, &kept, elimination.prime).or_else(|| {
            let (determined, free) = elimination.unknowns.split_at(elimination.rank());
            let heaviest = free.iter().max_by(|&&a, &&b| own[a].total_cmp(&own[b]));
            let mut kept: Vec<usize> = determined.iter().chain(heaviest).copied().collect();
            kept.sort_unstable();
            self.solution::<T>(places, &kept, elimination.prime)
        })
    }

    /// Returns the solution of the rows at some of the places.
    fn solution<T: EquationEntry>(
        &self,
        places: &[usize],
        kept: &[usize],
        prime: Prime,
    ) -> Option<(Vec<usize>, Vec<IBig>)> {
        let places: Vec<usize> = kept.iter().map(|&unknown| places[unknown]).collect();
        let equations = Equations::<T>::new(&self.rows.at(&places), self.scale);
        let inner = Elimination::new(&equations, prime, self.halt)?;
        match inner.nullity() {
            0 => None,
            1 => null_vector(&equations, &inner, self.halt).map(|vector| (places, vector)),
            _ => self.fewer(&places, &equations, &inner),
        }
    }

    /// Returns the lifted rows at these places, in the coordinates of the independent equations.
    fn lifted<T: EquationEntry>(
        &self,
        places: &[usize],
        equations: &Equations<T>,
        elimination: &Elimination,
    ) -> Vec<Vec<f64>> {
        let mut at = vec![usize::MAX; self.rows.dimension];
        for (t, &equation) in elimination.equations.iter().enumerate() {
            at[equations.coordinates[equation]] = t;
        }
        let mut matrix = vec![vec![0.0; places.len()]; elimination.rank()];
        for (unknown, &place) in places.iter().enumerate() {
            for &(c, value) in self.rows.entries(place) {
                if at[c] != usize::MAX {
                    matrix[at[c]][unknown] = value / self.rows.norm(place);
                }
            }
        }
        matrix
    }
}

/// Returns the proof if all integers have one sign, else the rows of the lighter sign.
fn judge(rows: &[usize], vector: Vec<IBig>, weights: &[f64], nullity: usize) -> Solution {
    let mut sides: [(f64, Vec<usize>); 2] = [(0.0, vec![]), (0.0, vec![])];
    for (&row, value) in rows.iter().zip(&vector).filter(|(_, value)| !value.is_zero()) {
        let side = &mut sides[usize::from(value.sign() == Sign::Negative)];
        side.0 += weights[row];
        side.1.push(row);
    }
    let [positive, negative] = sides;
    if !positive.1.is_empty() && !negative.1.is_empty() {
        let lighter = if negative.0 <= positive.0 { negative } else { positive };
        return Solution::MixedSigns { wrong: lighter.1, nullity };
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
            return Solution::Proven(multipliers);
        }
    }
    multipliers.iter_mut().for_each(|(_, multiplier)| *multiplier /= &divisor);
    Solution::Proven(multipliers)
}

#[cfg(test)]
mod tests {
    use dashu_int::ops::BitTest;
    use linsep_data::Samples;
    use linsep_data::samples::SparseBuilder;

    use super::*;
    use linsep_data::hash::draw;

    fn solved(samples: &Samples, weights: &[f64]) -> Solution {
        solve(&SignedRows::all(samples), weights, &|| false)
    }

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
    fn shown(samples: &Samples, conflict: &Solution) -> String {
        let multipliers = match conflict {
            Solution::Proven(multipliers) => multipliers,
            Solution::Independent => return "independent".into(),
            Solution::Halted => return "halted".into(),
            Solution::MixedSigns { wrong, nullity } => {
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
        let conflict = solved(&samples, &vec![1.0; rows.len()]);
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
            let conflict = solved(&samples, &[0.3, 0.5, 0.2]);
            assert!(shown(&samples, &conflict).starts_with("0*"), "{x:?}");
        }
    }

    #[test]
    fn sparse_rows_conflict_as_dense_ones_do() {
        let mut rows = SparseBuilder::default();
        for row in [&[7][..], &[2], &[], &[2, 7]] {
            row.iter().for_each(|&k| rows.push(k, 1.0));
            rows.end_row();
        }
        let samples =
            Samples::sparse(rows.finish(1000).unwrap(), vec![true, true, false, false]).unwrap();
        let conflict = solved(&samples, &[0.25; 4]);
        assert_eq!(shown(&samples, &conflict), "0*1 1*1 2*1 3*1");
    }

    #[test]
    fn some_rows_in_any_order() {
        let rows: Vec<Vec<f64>> = (0..6).map(|x| vec![f64::from(x)]).collect();
        let samples = dense(&rows, &[true, false, true, false, true, false]);
        let conflict = |rows: &[usize]| {
            let rows = SignedRows::of(&samples, rows.iter().copied());
            solve(&rows, &vec![1.0; rows.len()], &|| false)
        };
        assert_eq!(conflict(&[5, 2, 3]), Solution::MixedSigns { wrong: vec![0], nullity: 1 });
        let multiplier = |place, m: u8| (place, UBig::from(m));
        let expected = vec![multiplier(0, 1), multiplier(1, 1), multiplier(2, 2)];
        assert_eq!(conflict(&[4, 2, 3]), Solution::Proven(expected));
        assert_eq!(conflict(&[]), Solution::Independent);
        let rows = SignedRows::all(&samples);
        assert_eq!(solve(&rows, &[1.0; 6], &|| true), Solution::Halted);
    }

    #[test]
    fn several_conflicts_are_reduced_to_one() {
        // Weights of raw rows that combine to zero, on points of a line: nullity 2 and 3.
        for weights in [vec![1.0, 3.0, 3.0, 1.0], vec![2.0, 3.0, 2.0, 3.0, 2.0]] {
            let rows: Vec<Vec<f64>> = (0..weights.len()).map(|x| vec![x as f64]).collect();
            let labels: Vec<bool> = (0..weights.len()).map(|x| x % 2 == 1).collect();
            let samples = dense(&rows, &labels);
            let lifted: Vec<f64> =
                weights.iter().zip(samples.norms()).map(|(w, norm)| w * norm).collect();
            let conflict = solved(&samples, &lifted);
            shown(&samples, &conflict);
            assert!(matches!(conflict, Solution::Proven(ref m) if m.len() <= 3), "{conflict:?}");
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
        let noisy = weights.iter().zip(samples.norms()).enumerate();
        let lifted: Vec<f64> =
            noisy.map(|(i, (w, norm))| w * norm * (1.0 + 1e-10 * libm::sin(i as f64))).collect();
        let conflict = solved(&samples, &lifted);
        shown(&samples, &conflict);
        assert!(matches!(conflict, Solution::Proven(ref m) if m.len() <= 12), "{conflict:?}");
        // Weights that say nothing must do no harm.
        for nothing in [0.0, f64::NAN, -1.0, f64::INFINITY] {
            shown(&samples, &solved(&samples, &[nothing; 60]));
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
            // The other label negates y (x, 1), and so the sign of the multiplier.
            match solved(&dense(&rows, &labels), &[1.0; 60]) {
                Solution::MixedSigns { wrong, nullity: 1 } => {
                    wrong.iter().for_each(|&i| labels[i] ^= true);
                }
                other => panic!("{other:?}"),
            }
            let samples = dense(&rows, &labels);
            let conflict = solved(&samples, &[1.0; 60]);
            shown(&samples, &conflict);
            let Solution::Proven(multipliers) = conflict else { panic!("planted") };
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
            let conflict = solved(&samples, &vec![1.0; k]);
            let text = shown(&samples, &conflict);
            match (&conflict, &basis[..]) {
                (Solution::Independent, []) => seen[0] += 1,
                (Solution::Proven(multipliers), [only]) => {
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
                (Solution::MixedSigns { wrong, nullity: 1 }, [only]) => {
                    let of = |sign: i128| -> Vec<usize> {
                        (0..k).filter(|&i| only[i].0.signum() == sign).collect()
                    };
                    let (plus, minus) = (of(1), of(-1));
                    assert!(!plus.is_empty() && !minus.is_empty(), "case {case}");
                    assert!(*wrong == plus || *wrong == minus, "case {case}");
                    assert!(wrong.len() <= plus.len().max(minus.len()), "case {case}");
                    seen[2] += 1;
                }
                (Solution::MixedSigns { wrong, nullity }, _) => {
                    assert!(*nullity == basis.len() && !wrong.is_empty(), "case {case}: {text}");
                    seen[3] += 1;
                }
                (Solution::Proven(_), [_, _, ..]) => seen[3] += 1,
                _ => panic!("case {case}: {text}, nullity {}", basis.len()),
            }
        }
        assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
    }
}
