//! What a few steps from the centre of the cone of directions tell, where all directions are in question.
//!
//! ```text
//! one step for each coefficient      points inside: few of them, each with the other sign of many coefficients
//! more for those that are left       a point inside, or multipliers that leave no other sign: proven, all rounding counted
//! all points at once                 held against all rows, exactly; rows on the wrong side join, and it begins again
//! ```

use dashu_int::IBig;
use rayon::prelude::*;

use super::{
    ADDED_ROWS, DecideError, Directions, KnownSigns, NOTHING, SignSearch, Space, fold, integers,
    planes, rounded,
};
use crate::decide::cone_side::{ConeCentre, ConeSide};
use crate::hyperplane::norm;
use crate::kernels::Arithmetic;
use crate::models::enclosed::ConeBound;

/// Coefficients that are looked into at a time: a direction that one finds often answers for others.
const SHARING: usize = 4;
/// Dimensions below which the centre is not worth its cost.
const FEW_DIMENSIONS: usize = 8;
/// Times that rows on the wrong side of a direction join, and the centre is moved.
const CENTRES: usize = 4;

impl SignSearch<'_> {
    /// Finds what a few steps from the centre of the cone tell of the coefficients with one known sign. False if halted.
    pub(super) fn tell_from_centre(&mut self, known: &mut KnownSigns) -> Result<bool, DecideError> {
        let dimension = self.face.space.dimension();
        if !matches!(self.face.space, Space::All(_)) || dimension < FEW_DIMENSIONS {
            return Ok(true);
        }
        for _ in 0..CENTRES {
            let halt = self.halt;
            let Some(centre) = ConeCentre::new(&self.floats, self.strict_floats(), &|| halt())
            else {
                return Ok(!halt());
            };
            let Some(points) = self.points(&centre, known) else {
                return Ok(false);
            };
            let raw = |y: &Vec<f64>| {
                let scaled = y.iter().zip(&self.scale).map(|(y, s)| y * s);
                self.raw(&integers(scaled))
            };
            let directions: Vec<Vec<IBig>> = points.iter().map(raw).collect();
            if directions.is_empty() {
                return Ok(true);
            }
            let query = Directions::new(planes(&directions), false, ADDED_ROWS * dimension);
            let checked = fold(self.off, &query)?.found();
            let mut joining = vec![];
            for (direction, (count, wrong)) in directions.iter().zip(checked) {
                match count {
                    0 => known.note(direction),
                    _ => joining.extend(wrong),
                }
            }
            joining.retain(|row| !self.numbers.contains(row));
            if joining.is_empty() {
                return Ok(true);
            }
            if !self.join(joining)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns points inside that have the other sign of coefficients, as floats have it, and takes note of those that have
    /// none. Nothing if halted.
    fn points(&self, centre: &ConeCentre, known: &mut KnownSigns) -> Option<Vec<Vec<f64>>> {
        let halt = self.halt;
        let all = 0..known.plus.len();
        let targets: Vec<Vec<f64>> = all.clone().map(|k| self.target(known, k).1).collect();
        let mut open: Vec<usize> = all.filter(|&k| known.is_open(k)).collect();
        let told = |y: &Vec<f64>, open: &[usize]| -> Vec<usize> {
            let size = norm(y.iter().copied());
            let clear = |k: &&usize| {
                let target = &targets[**k];
                f64::dot(target, y) < -NOTHING * size * norm(target.iter().copied())
            };
            open.iter().filter(clear).copied().collect()
        };
        let first: Vec<Vec<f64>> =
            open.par_iter().filter_map(|&k| centre.first(&targets[k])).collect();
        let tells = first.iter().map(|y| told(y, &open)).collect();
        let mut points: Vec<Vec<f64>> =
            few(tells, &mut open).into_iter().map(|at| first[at].clone()).collect();
        let mut bound = None;
        while !open.is_empty() {
            if halt() {
                return None;
            }
            let batch: Vec<usize> = open.drain(..open.len().min(SHARING)).collect();
            let side = |&k: &usize| (k, centre.side(&targets[k], &|| halt()));
            let sides: Vec<(usize, ConeSide)> = batch.par_iter().map(side).collect();
            for (k, side) in sides {
                match side {
                    ConeSide::Negative(y) => {
                        let also = told(&y, &open);
                        open.retain(|k| !also.contains(k));
                        points.push(y);
                    }
                    // Where floats do not hold the rows, multipliers in floats prove nothing.
                    ConeSide::Positive(multipliers) if self.exact => {
                        let bound = bound.get_or_insert_with(|| {
                            ConeBound::new(&self.floats, &centre.left_inverse(), halt)
                        });
                        known.one_way[k] |= bound.as_ref().is_some_and(|bound| {
                            bound.is_never_negative(&targets[k], &multipliers)
                        });
                    }
                    _ => {}
                }
            }
        }
        Some(points)
    }

    /// Returns the strict direction for the rows as floats have them, where the space is that of all directions.
    fn strict_floats(&self) -> Vec<f64> {
        let mut strict = rounded(self.strict);
        let bias = strict.pop().unwrap_or(0.0);
        strict.resize(self.face.space.dimension(), bias);
        // What the bias does, the column that it stands for does too.
        if let Some(column) = self.question.constant {
            let own = self.question.coefficients.iter().find(|own| own.column == Some(column));
            if let Some([(_, size), (_, sign)]) = own.map(|own| &own.at[..]) {
                strict[column] += sign * bias / size;
            }
        }
        strict.iter().zip(&self.scale).map(|(g, s)| g / s).collect()
    }
}

/// Returns places of sets that have, together, all that any has of what is open, and takes that out: those first that have most.
fn few(sets: Vec<Vec<usize>>, open: &mut Vec<usize>) -> Vec<usize> {
    let mut chosen = vec![];
    while !open.is_empty() {
        let new = |at: usize| sets[at].iter().filter(|k| open.contains(k)).count();
        let best = (0..sets.len()).map(|at| (new(at), std::cmp::Reverse(at))).max();
        let Some((1.., std::cmp::Reverse(best))) = best else { break };
        open.retain(|k| !sets[best].contains(k));
        chosen.push(best);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_sets_have_all() {
        let mut open = vec![1, 2, 3, 4, 7];
        let sets = vec![vec![1, 2], vec![1, 2, 3], vec![3, 4], vec![4, 5, 6], vec![]];
        assert_eq!(few(sets, &mut open), [1, 2]);
        assert_eq!(open, [7]);
    }
}
