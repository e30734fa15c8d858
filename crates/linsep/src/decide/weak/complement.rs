//! After a conflict in wide or long data: inseparable, or quasi-separable?
//!
//! The same question as in the parent module, where exact arithmetic on all rows would take too long.
//! Floats look for the answer, and integers make it exact where it counts:
//!
//! ```text
//! repeat   r_i = what is left of row z_i off the span of the face (at first the conflict)
//!          none is left: integer vectors orthogonal to the face show it        inseparable
//!          p = point of smallest norm of the r_i that are not zero
//!          p ≠ 0: the w near p that is exactly orthogonal to the face     quasi-separable
//!          p = 0: the rows that form it join the face, with exact multipliers
//! ```
//!
//! Nothing is believed: the proof that comes of it goes through the checker.

use dashu_int::IBig;
use dashu_int::ops::UnsignedAbs;
use linsep_data::{Data, Memory};
use linsep_proof::Conflict;
use rayon::prelude::*;

use super::super::exact::Halt;
use super::super::exact::conflict::relation;
use super::super::exact::integers::{dot, in_lowest_terms, integer_row};
use super::super::exact::rows::SignedRows;
use super::super::exact::span::{orthogonal, solution};
use super::super::outcome::WeakSeparator;
use super::super::plan;
use super::super::solvers::min_norm_point::Corral;
use super::{Class, separator, too_large};
use crate::Samples;
use crate::data::kernels::Element;
use crate::lift::Rows;

/// A row of which no more than this is left lies in the span of the face.
const IN_SPAN: f64 = 1e-9;
/// Under this norm p is zero, or too near to it for floats.
const VANISHED: f64 = 1e-9;
/// Times that a face may grow.
const ROUNDS: usize = 16;
/// Bits of the free coordinates of a weak separator.
const BITS: i32 = 45;

/// Returns what a proven conflict makes of the rows; `halt` is asked now and then.
pub fn classify(memory: &Memory, conflict: Conflict, halt: Halt) -> Class {
    let samples = memory.resident().expect("memory");
    let mut conflict: Vec<(usize, IBig)> = conflict.into_iter().collect();
    let rows = Rows::lifted(samples);
    for _ in 0..ROUNDS {
        if halt() || !plan::complement_is_affordable(memory.shape(), conflict.len()) {
            break;
        }
        let (face, basis) = span(&rows, conflict.iter().map(|(row, _)| *row));
        memory.reads().add(rows.len() as u64);
        let (ids, rests): (Vec<usize>, Vec<Vec<f64>>) = (0..rows.len())
            .into_par_iter()
            .filter_map(|i| rest(rows.vector(i), &basis).map(|rest| (i, rest)))
            .unzip();
        let integers = || face.iter().map(|&i| integer_row(samples, i).0).collect::<Vec<_>>();
        if ids.is_empty() {
            return match orthogonal(&integers(), rows.dimension(), halt) {
                Some(orthogonal) => Class::Inseparable { conflict: conflict.into(), orthogonal },
                None => too_large(conflict),
            };
        }
        let mut corral = Corral::new(rows.dimension());
        corral.solve(&ids, &rests, halt);
        if corral.norm() > VANISHED {
            return match weak_separator(&integers(), &basis, corral.p(), halt) {
                Some(separator) => Class::QuasiSeparable { conflict: conflict.into(), separator },
                None => too_large(conflict),
            };
        }
        let added: Vec<usize> = corral.members().map(|(row, _)| row).collect();
        match joined(samples, &conflict, &face, &added, halt) {
            Some(larger) => conflict = larger,
            None => break,
        }
    }
    too_large(conflict)
}

/// Returns independent ones of the rows, and an orthonormal basis of their span.
pub(super) fn span(rows: &Rows, face: impl Iterator<Item = usize>) -> (Vec<usize>, Vec<Vec<f64>>) {
    let (mut independent, mut basis) = (vec![], vec![]);
    for row in face {
        if basis.len() == rows.dimension() {
            break;
        }
        if let Some(rest) = rest(rows.vector(row), &basis) {
            independent.push(row);
            basis.push(rest);
        }
    }
    (independent, basis)
}

/// Returns what is left of a unit vector off the span of the basis, at length one.
fn rest(mut z: Vec<f64>, basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    project(&mut z, basis);
    let length = f64::dot(&z, &z).sqrt();
    if length <= IN_SPAN {
        return None;
    }
    z.iter_mut().for_each(|v| *v /= length);
    // Once more, since what was small has been made large, with its errors.
    project(&mut z, basis);
    Some(z)
}

fn project(z: &mut [f64], basis: &[Vec<f64>]) {
    for q in basis {
        f64::axpy(-f64::dot(q, z), q, z);
    }
}

/// Returns the integer weights and bias near p that are zero on the independent rows of the face.
pub(super) fn weak_separator(
    face: &[Vec<IBig>],
    basis: &[Vec<f64>],
    p: &[f64],
    halt: Halt,
) -> Option<WeakSeparator> {
    let mut p = p.to_vec();
    project(&mut p, basis);
    let length = f64::dot(&p, &p).sqrt();
    // Coordinates to solve for: where the basis can be solved for best, so that rounding stays small.
    let pivots = pivots(basis.to_vec());
    let rounded = |k: usize| match pivots.contains(&k) {
        true => IBig::ZERO,
        false => IBig::from((p[k] / length * 2f64.powi(BITS)).round() as i64),
    };
    let free: Vec<IBig> = (0..p.len()).map(rounded).collect();
    // One equation per row: its entries at the pivots, and what the free coordinates make of it.
    let rows: Vec<Vec<IBig>> = face
        .iter()
        .map(|row| {
            let known = dot(row, &free);
            pivots.iter().map(|&k| row[k].clone()).chain([known]).collect()
        })
        .collect();
    let mut solution = solution(&rows, halt)?;
    let mut times = solution.pop()?;
    if times < IBig::ZERO {
        times = -times;
        solution.iter_mut().for_each(|v| *v = -&*v);
    }
    if times == IBig::ZERO {
        return None;
    }
    let mut w: Vec<IBig> = free.into_iter().map(|v| v * &times).collect();
    pivots.iter().zip(solution).for_each(|(&k, v)| w[k] = v);
    Some(separator(in_lowest_terms(w)))
}

/// Returns one coordinate per vector at which they can be solved for: elimination with the largest
/// pivots.
fn pivots(mut vectors: Vec<Vec<f64>>) -> Vec<usize> {
    let mut chosen = vec![];
    while !vectors.is_empty() {
        let largest = |v: &Vec<f64>| {
            let place = |best: usize, k: usize| if v[k].abs() > v[best].abs() { k } else { best };
            (0..v.len()).fold(0, place)
        };
        let (at, column) = vectors
            .iter()
            .enumerate()
            .map(|(at, v)| (at, largest(v)))
            .max_by(|a, b| vectors[a.0][a.1].abs().total_cmp(&vectors[b.0][b.1].abs()))
            .expect("a vector is left");
        let pivot = vectors.swap_remove(at);
        vectors.par_iter_mut().for_each(|v| {
            f64::axpy(-v[column] / pivot[column], &pivot, v);
            v[column] = 0.0;
        });
        chosen.push(column);
    }
    chosen
}

/// Returns the conflict with more rows, which conflict off the span of the face, exactly.
///
/// Some multiples of the rows added lie in the span of the face, and the one relation that says so
/// has multipliers of either sign there. Enough of the old conflict makes them positive.
fn joined(
    samples: &Samples,
    conflict: &[(usize, IBig)],
    face: &[usize],
    added: &[usize],
    halt: Halt,
) -> Option<Vec<(usize, IBig)>> {
    let all: Vec<usize> = face.iter().chain(added).copied().collect();
    let mut multipliers = relation(&SignedRows::of(samples, all), halt)?;
    // Rounding may have let rows in that are not needed: they get zero.
    let mut new = multipliers.split_off(face.len());
    if new.iter().all(|m| *m <= IBig::ZERO) {
        multipliers.iter_mut().chain(&mut new).for_each(|m| *m = -&*m);
    }
    if !new.iter().all(|m| *m >= IBig::ZERO) {
        return None;
    }
    let known = |row: usize| face.iter().position(|&i| i == row).map(|at| &multipliers[at]);
    let times = conflict.iter().fold(IBig::ONE, |times, (row, old)| match known(*row) {
        Some(m) if *m < IBig::ZERO => times.max(IBig::from(m.unsigned_abs()) / old + IBig::ONE),
        _ => times,
    });
    let (rows, values): (Vec<usize>, Vec<IBig>) = conflict
        .iter()
        .map(|(row, old)| (*row, old * &times + known(*row).unwrap_or(&IBig::ZERO)))
        .chain(added.iter().copied().zip(new).filter(|(_, m)| !m.is_zero()))
        .unzip();
    let mut larger: Vec<(usize, IBig)> = rows.into_iter().zip(in_lowest_terms(values)).collect();
    larger.sort_by_key(|(row, _)| *row);
    Some(larger)
}
