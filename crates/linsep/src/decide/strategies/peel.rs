//! What a conflict cannot contain, seen from the signs of sparse rows alone.
//!
//! ```text
//! If a coordinate of the rows y (x, 1) is never negative, no row that has it can be part of a
//! conflict: positive multipliers would not cancel there. Such rows are peeled off, which leaves
//! other coordinates with one sign, and so on. The rows that stay are contested.
//!
//! They have all conflicts there are. And a separator of them becomes one of all rows: go back
//! through the peeled coordinates, and give each a weight large enough for the rows that went
//! with it. They went because it speaks for all of them; rows put back before do not have it.
//! ```
//!
//! Documents nearly always have a word of their own, so that few rows of text are contested, or none.
//! Cost: two reads of the data, and its pattern once more in memory.

use dashu_int::IBig;
use linsep_proof::exact::parts;

use crate::Samples;
use crate::data::samples::SparseBuilder;
use crate::lift::Rows;

/// Rows peeled off, and those that stay.
pub struct Peeled {
    /// The contested rows, rising.
    pub contested: Vec<usize>,
    /// Coordinates with the rows that went with them, in the order in which they went.
    layers: Vec<(usize, Vec<usize>)>,
}

/// Returns the rows of `samples`, peeled.
pub fn peel(samples: &Samples) -> Peeled {
    let rows = Rows::lifted(samples);
    let dimension = rows.dimension();
    // How many rows are positive and negative in a coordinate, and which rows have it.
    let mut signs = vec![[0_usize; 2]; dimension];
    // The signs are those of the raw values, which have not been divided into nothing.
    let coordinates = |i: usize, visit: &mut dyn FnMut(usize, usize)| {
        let positive = samples.positive()[i];
        samples.features().for_each(i, |k, v| {
            if v != 0.0 {
                visit(k, usize::from((v > 0.0) != positive));
            }
        });
        visit(samples.columns(), usize::from(!positive));
    };
    for i in 0..rows.len() {
        coordinates(i, &mut |k, sign| signs[k][sign] += 1);
    }
    let mut next = vec![0];
    next.extend(signs.iter().scan(0, |sum, [a, b]| {
        *sum += a + b;
        Some(*sum)
    }));
    let starts = next.clone();
    let mut holders = vec![0_u32; starts[dimension]];
    for i in 0..rows.len() {
        coordinates(i, &mut |k, _| {
            holders[next[k]] = i as u32;
            next[k] += 1;
        });
    }
    let one_sided = |[a, b]: [usize; 2]| (a == 0) != (b == 0);
    let mut waiting: Vec<usize> = (0..dimension).filter(|&k| one_sided(signs[k])).collect();
    let mut stays = vec![true; rows.len()];
    let mut layers = vec![];
    while let Some(k) = waiting.pop() {
        let mut gone: Vec<usize> =
            holders[starts[k]..starts[k + 1]].iter().map(|&i| i as usize).collect();
        gone.retain(|&i| stays[i]);
        for &i in &gone {
            stays[i] = false;
            coordinates(i, &mut |k, sign| {
                signs[k][sign] -= 1;
                if signs[k][sign] == 0 && one_sided(signs[k]) {
                    waiting.push(k);
                }
            });
        }
        if !gone.is_empty() {
            layers.push((k, gone));
        }
    }
    Peeled { contested: (0..rows.len()).filter(|&i| stays[i]).collect(), layers }
}

impl Peeled {
    /// Makes `w`, which separates the contested rows with scores of at least 1, separate all rows that way.
    pub fn extend(&self, samples: &Samples, w: &mut [f64]) {
        let rows = Rows::lifted(samples);
        for (k, gone) in self.layers.iter().rev() {
            let mut most = 0.0_f64;
            let mut sign = 1.0;
            for &i in gone {
                rows.for_each(i, |c, v| {
                    if c == *k {
                        sign = 1.0_f64.copysign(v);
                        most = most.max((1.0 - rows.score(i, w)) / v.abs());
                    }
                });
            }
            w[*k] += sign * most;
        }
    }
}

impl Peeled {
    /// Returns integers, the bias last, with positive scores for all rows that went, and zero for those that stay.
    ///
    /// Each is a power of two: so large that what went with its coordinate outweighs all that went later.
    pub fn separator(&self, samples: &Samples) -> Vec<IBig> {
        let columns = samples.columns();
        // By coordinate: the exponent and the sign.
        let mut powers: Vec<Option<(i64, f64)>> = vec![None; columns + 1];
        for (k, gone) in self.layers.iter().rev() {
            let mut need = 0;
            let mut own = 1.0;
            for &i in gone {
                let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
                let (mut value, mut against, mut count) = (0.0, i64::MIN, 0_i64);
                let mut visit = |c: usize, v: f64| {
                    if c == *k {
                        value = sign * v;
                    } else if let Some((power, other)) = powers[c]
                        && sign * v * other < 0.0
                    {
                        against = against.max(power + exponent(v) + 1);
                        count += 1;
                    }
                };
                samples.features().for_each(i, &mut visit);
                visit(columns, 1.0);
                own = f64::signum(value);
                if count > 0 {
                    let times = i64::from(count.ilog2()) + 1;
                    need = need.max(against + times - exponent(value));
                }
            }
            powers[*k] = Some((need, own));
        }
        let least = powers.iter().flatten().map(|(power, _)| *power).min().unwrap_or(0);
        let integer = |(power, sign): &(i64, f64)| {
            let value = IBig::ONE << (power - least) as usize;
            if *sign < 0.0 { -value } else { value }
        };
        powers.iter().map(|own| own.as_ref().map_or(IBig::ZERO, integer)).collect()
    }
}

/// Returns e with 2^e <= |v| < 2^(e + 1), for v other than zero.
fn exponent(v: f64) -> i64 {
    let (mantissa, exponent) = parts(v);
    i64::from(exponent) + i64::from(mantissa.unsigned_abs().ilog2())
}

/// Returns these rows, without the features that none of them has, and the features that are left.
///
/// # Panics
/// If the rows have one label only.
pub fn compressed(samples: &Samples, keep: &[usize]) -> (Samples, Vec<usize>) {
    let mut place = vec![u32::MAX; samples.columns()];
    for &i in keep {
        samples.features().for_each(i, |k, v| {
            if v != 0.0 {
                place[k] = 0;
            }
        });
    }
    let columns: Vec<usize> = (0..place.len()).filter(|&k| place[k] == 0).collect();
    columns.iter().enumerate().for_each(|(at, &k)| place[k] = at as u32);
    let mut rows = SparseBuilder::default();
    for &i in keep {
        samples.features().for_each(i, |k, v| {
            if v != 0.0 {
                rows.push(place[k] as usize, v);
            }
        });
        rows.end_row();
    }
    let labels = keep.iter().map(|&i| samples.positive()[i]).collect();
    let sparse = rows.finish(columns.len()).expect("rows of samples");
    (Samples::sparse(sparse, labels).expect("both classes"), columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(rows: &[&[(u32, f64)]], labels: &str) -> Samples {
        let mut matrix = SparseBuilder::default();
        for row in rows {
            row.iter().for_each(|&(k, v)| matrix.push(k as usize, v));
            matrix.end_row();
        }
        let matrix = matrix.finish(1000).unwrap();
        Samples::sparse(matrix, labels.chars().map(|c| c == '+').collect()).unwrap()
    }

    fn check(rows: &[&[(u32, f64)]], labels: &str, expected: &[usize]) {
        let samples = sparse(rows, labels);
        let peeled = peel(&samples);
        assert_eq!(peeled.contested, expected);
        if expected.is_empty() {
            let mut w = vec![0.0; 1001];
            peeled.extend(&samples, &mut w);
            let lifted = Rows::lifted(&samples);
            for i in 0..rows.len() {
                assert!(lifted.score(i, &w) > 0.999, "row {i}: {}", lifted.score(i, &w));
            }
        }
    }

    #[test]
    fn rows_with_a_word_of_their_own_go_and_take_others_with_them() {
        check(&[&[(1, 1.0)], &[(2, 1.0)]], "+-", &[]);
        // Feature 7 holds both classes together until the row with feature 9 has gone.
        check(&[&[(7, 1.0)], &[(7, 2.0), (9, 1.0)], &[(7, 3.0)]], "+-+", &[]);
        // A stored zero is no value, and a negative value of the other class is on the same side.
        check(&[&[(3, 0.0), (5, 1.0)], &[(5, -1.0)]], "+-", &[]);
    }

    #[test]
    fn what_went_first_outweighs_the_rest() {
        // A chain: each row has the coordinate of the next with the other sign, times much more.
        let rows: Vec<Vec<(u32, f64)>> = (0..40_u32)
            .map(|i| {
                let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
                vec![(i, sign), (i + 1, -1e30 * sign)]
            })
            .chain([vec![(50, 1.0)], vec![(50, 1.0)]])
            .collect();
        let rows: Vec<&[(u32, f64)]> = rows.iter().map(Vec::as_slice).collect();
        let samples = sparse(&rows, &format!("{}+-", "+-".repeat(20)));
        let peeled = peel(&samples);
        assert_eq!(peeled.contested, [40, 41]);
        let w = peeled.separator(&samples);
        for (i, row) in rows.iter().enumerate() {
            let mut sum = linsep_proof::exact::ExactSum::default();
            for &(k, v) in *row {
                let (m, e) = linsep_proof::exact::parts(v);
                sum.add(&w[k as usize] * m, e);
            }
            sum.add(w[1000].clone(), 0);
            let expected = match i {
                40.. => std::cmp::Ordering::Equal,
                _ if samples.positive()[i] => std::cmp::Ordering::Greater,
                _ => std::cmp::Ordering::Less,
            };
            assert_eq!(sum.sign(), expected, "row {i}");
        }
    }

    #[test]
    fn rows_that_conflict_stay() {
        let xor: [&[(u32, f64)]; 5] =
            [&[(0, 1.0)], &[(1, 1.0)], &[], &[(0, 1.0), (1, 1.0)], &[(0, 1.0), (8, 2.0)]];
        check(&xor, "++--+", &[0, 1, 2, 3]);
    }

    #[test]
    fn compressed_rows_are_the_same_without_empty_features() {
        let samples = sparse(&[&[(7, 1.0)], &[(2, 3.0), (4, 0.0)], &[(999, 5.0)]], "+-+");
        let (few, columns) = compressed(&samples, &[0, 1]);
        assert_eq!(columns, [2, 7]);
        assert_eq!(Rows::raw(&few).vector(0), [0.0, 1.0, 1.0]);
        assert_eq!(Rows::raw(&few).vector(1), [-3.0, -0.0, -1.0]);
    }
}
