//! After a conflict: one projection tells quasi-separable from inseparable.
//!
//! ```text
//! B     independent rows that span all rows, g their sum
//! r     the shortest g + sum alpha_i z_i with alpha >= 0: where -g is projected on the cone of all rows
//! r = 0 lambda = [i in B] + alpha is a conflict whose rows span everything      inseparable
//! r ≠ 0 z_i·r >= 0 for all rows, and > 0 for some of B                       quasi-separable
//! ```
//!
//! The shortest g + M sum lambda_i z_i with lambda >= 0, sum lambda <= 1 is a point of smallest norm, of
//! g and all g + M z_i; if some z_i·r is negative there, M was too small. Floats find it, and
//! integers make it exact: where r = 0 every multiplier on B is at least 1, so those off B may be taken
//! as they came out and those on B are solved for; where r ≠ 0 the weak separator near r that vanishes
//! where r does is solved for.
//!
//! Nothing is believed: the proof that comes of it goes through the checker.

use dashu_int::IBig;
use linsep_data::{Data, Memory};
use linsep_proof::Conflict;

use super::super::exact::Halt;
use super::super::exact::integers::{exact_combination, for_raw_rows, integer_row};
use super::super::exact::span::{orthogonal, solution};
use super::super::solvers::min_norm_point::Corral;
use super::Class;
use super::complement::{span, weak_separator};
use crate::Samples;
use crate::data::kernels::Element;
use crate::lift::Rows;

/// How far the cone is followed at first, and how often it is followed further.
const FIRST_REACH: f64 = 64.0;
const REACHES: usize = 4;
const FURTHER: f64 = 16.0;
/// Below this share of ‖g‖ and of the reach r is zero, as far as floats can tell.
const VANISHED: f64 = 1e-9;
/// Products with r that are not further below zero than this share of ‖r‖ are zero, or more.
const SETTLED: f64 = 1e-8;
/// Scores below this share of the largest are zero: the row is on every weak separator like r.
const ON_IT: f64 = 1e-7;
/// A weight below this is no part of the sum.
const NO_PART: f64 = 1e-13;

/// Returns what a proven conflict makes of the rows, if one projection tells.
pub fn classify(memory: &Memory, conflict: &Conflict, halt: Halt) -> Option<Class> {
    let samples = memory.resident().expect("memory");
    let rows = Rows::lifted(samples);
    memory.reads().add(2 * rows.len() as u64);
    let (basis, _) = span(&rows, (0..rows.len()).take_while(|_| !halt()));
    if halt() {
        return None;
    }
    let z: Vec<Vec<f64>> = (0..rows.len()).map(|i| rows.vector(i)).collect();
    let mut g = vec![0.0; rows.dimension()];
    basis.iter().for_each(|&i| f64::axpy(1.0, &z[i], &mut g));
    let mut reach = FIRST_REACH;
    for _ in 0..REACHES {
        let found = project(&z, &g, reach, halt)?;
        if found.norm <= VANISHED * (f64::dot(&g, &g).sqrt() + reach) {
            return inseparable(samples, &basis, &found.weights, halt);
        }
        if found.settled {
            return quasi_separable(samples, &rows, &found.r, conflict, halt);
        }
        reach *= FURTHER;
    }
    None
}

/// Where -g is projected.
struct Projection {
    r: Vec<f64>,
    norm: f64,
    /// Rows with alpha > 0, and alpha.
    weights: Vec<(usize, f64)>,
    /// Whether no row has a negative product with r: then going further would not make r shorter.
    settled: bool,
}

/// Returns the shortest g + reach · sum lambda_i z_i with sum lambda <= 1, or nothing if halted.
fn project(z: &[Vec<f64>], g: &[f64], reach: f64, halt: Halt) -> Option<Projection> {
    let point = |z: &Vec<f64>| g.iter().zip(z).map(|(g, z)| g + reach * z).collect::<Vec<f64>>();
    let mut points: Vec<Vec<f64>> = z.iter().map(point).collect();
    points.push(g.to_vec());
    let ids: Vec<usize> = (0..points.len()).collect();
    let mut corral = Corral::new(g.len());
    corral.solve(&ids, &points, &|| halt());
    if halt() {
        return None;
    }
    let rows = corral.members().filter(|&(id, weight)| id < z.len() && weight > NO_PART);
    let (r, norm) = (corral.p().to_vec(), corral.norm());
    Some(Projection {
        weights: rows.map(|(id, weight)| (id, reach * weight)).collect(),
        settled: z.iter().all(|z| f64::dot(z, &r) >= -SETTLED * norm),
        norm,
        r,
    })
}

/// Returns the conflict that spans everything: alpha as it is off the basis, solved for on it.
fn inseparable(
    samples: &Samples,
    basis: &[usize],
    alpha: &[(usize, f64)],
    halt: Halt,
) -> Option<Class> {
    let dimension = samples.columns() + 1;
    let mut shifts = vec![0; samples.rows()];
    let mut integer = |i: usize| {
        let (row, shift) = integer_row(samples, i);
        shifts[i] = shift;
        row
    };
    let on: Vec<Vec<IBig>> = basis.iter().map(|&i| integer(i)).collect();
    let others: Vec<(usize, f64)> =
        alpha.iter().copied().filter(|(i, _)| !basis.contains(i)).collect();
    let off: Vec<Vec<IBig>> = others.iter().map(|&(i, _)| integer(i)).collect();
    // A lifted row is the integer one over its norm and a power of two.
    let factor = |&(i, alpha): &(usize, f64)| {
        alpha / samples.norms()[i] * 2f64.powi(-shifts[i].clamp(-1000, 1000))
    };
    let factors: Vec<f64> = others.iter().map(factor).collect();
    let multipliers = exact_combination(factors.len(), |visit| {
        factors.iter().enumerate().for_each(|(k, &f)| visit(k, f, 1.0));
    });
    if multipliers.iter().any(|m| *m <= IBig::ZERO) {
        return None;
    }
    let sum =
        |k: usize| off.iter().zip(&multipliers).fold(IBig::ZERO, |sum, (row, m)| sum + &row[k] * m);
    // One equation per coordinate: multipliers on the basis, and how often the sum is taken.
    let equations: Vec<Vec<IBig>> = (0..dimension)
        .map(|k| on.iter().map(|row| row[k].clone()).chain([sum(k)]).collect())
        .collect();
    let mut found = solution(&equations, halt)?;
    if *found.last()? < IBig::ZERO {
        found.iter_mut().for_each(|m| *m = -&*m);
    }
    if found.iter().any(|m| *m <= IBig::ZERO) {
        return None;
    }
    let times = found.pop()?;
    let taken = others.iter().zip(multipliers).map(|(&(i, _), m)| (i, m * &times));
    let all = basis.iter().copied().zip(found).chain(taken).collect();
    let orthogonal = match basis.len() < dimension {
        true => orthogonal(&on, dimension, halt)?,
        false => vec![],
    };
    let conflict = Conflict::from(for_raw_rows(&shifts, all));
    Some(Class::Inseparable { conflict, orthogonal })
}

/// Returns the weak separator near r that vanishes exactly where r does as far as floats can tell.
fn quasi_separable(
    samples: &Samples,
    rows: &Rows,
    r: &[f64],
    conflict: &Conflict,
    halt: Halt,
) -> Option<Class> {
    let scores: Vec<f64> = (0..rows.len()).map(|i| rows.score(i, r)).collect();
    let largest = scores.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
    let on = (0..rows.len()).filter(|&i| scores[i].abs() <= ON_IT * largest);
    let (face, basis) = span(rows, on);
    let integers: Vec<Vec<IBig>> = face.iter().map(|&i| integer_row(samples, i).0).collect();
    let separator = weak_separator(&integers, &basis, r, halt)?;
    Some(Class::QuasiSeparable { conflict: conflict.clone(), separator })
}
