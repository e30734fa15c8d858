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
//! g and all g + M z_i; if some z_i·r is negative there, M was too small. A working set finds it, and scans
//! of all rows correct it. (`solvers/nnls.rs` needs no M, but all rows at hand: where some join after a scan it would
//! begin again, and the corral goes on.) Integers make it exact: where r = 0 every multiplier on B is at least 1, so those
//! off B may be taken as they came out and those on B are solved for; where r ≠ 0 the weak separator near r
//! that vanishes where r does is solved for, and rows that exact arithmetic then finds on the wrong side
//! are among those where it has to vanish.
//!
//! Nothing is believed: the proof that comes of it goes through the checker.

use std::collections::{HashMap, HashSet};

use dashu_int::IBig;
use linsep_data::Shape;
use linsep_proof::Conflict;
use rayon::prelude::*;

use super::super::alternative::wrong;
use super::super::exact::Halt;
use super::super::exact::equations::IntegerScale;
use super::super::exact::integers::{dot, exact_combination, in_lowest_terms};
use super::super::exact::modular::{Elimination, FloatResidues, PRIMES, Prime};
use super::super::exact::rows::SignedRows;
use super::super::exact::span::solution;
use super::super::folds::scan::Scan;
use super::super::passes::{PassError, Passes};
use super::super::plan;
use super::super::search::spread;
use super::super::solvers::min_norm_point::Corral;
use super::super::spanning::{orthogonal_to, spanning};
use super::super::view::{RowView, SeenPoint};
use super::{Class, separator};
use crate::kernels::Arithmetic;

/// How far the cone is followed at first, and how often it is followed further.
const FIRST_REACH: f64 = 64.0;
const REACHES: usize = 4;
const FURTHER: f64 = 16.0;
/// Below this share of ‖g‖ and of the reach r is zero, as far as floats can tell.
const VANISHED: f64 = 1e-9;
/// Products with r that are not further below zero than this share of ‖r‖ are zero, or more.
const SETTLED: f64 = 1e-8;
/// Scores below this share of ‖r‖ are zero: the row is on every weak separator like r.
const ON_IT: f64 = 1e-7;
/// A weight below this is not part of the sum.
const NO_PART: f64 = 1e-13;
/// A row whose residual is no longer than this lies in the span of others.
const IN_SPAN: f64 = 1e-9;
/// Times that rows may be named on which a weak separator must vanish as well.
const CORRECTIONS: usize = 20;

/// Returns rows to start with: those of the conflict, and some that are spread over the data.
pub fn some_rows(shape: Shape, conflict: &Conflict) -> Vec<usize> {
    let mut rows = spread(shape.rows, plan::projected_rows(shape));
    rows.extend(conflict.rows());
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Returns what a proven conflict makes of the rows, if one projection tells. Errors if the data cannot be
/// read.
pub fn classify(
    data: &Passes,
    view: &RowView,
    start: Vec<usize>,
    conflict: &Conflict,
    halt: Halt,
) -> Result<Option<Class>, PassError> {
    let Some(all) = spanning(data, start, halt)? else {
        return Ok(None);
    };
    let mut some = SeenRows::new(view, view.dimension(data.shape().columns + 1));
    some.join(data, &all.rows)?;
    let basis = match plan::basis_is_chosen(data.shape()) {
        true => some.basis(all.coordinates.len(), halt),
        false => some.places(&all.independent),
    };
    let Some(basis) = basis else {
        return Ok(None);
    };
    let mut g = vec![0.0; some.dimension];
    basis.iter().for_each(|&at| f64::axpy(1.0, &some.points[at].vector, &mut g));
    let mut reach = FIRST_REACH;
    for _ in 0..REACHES {
        let Some(found) = some.project(data, &g, reach, halt)? else {
            return Ok(None);
        };
        if found.vanished {
            return some.inseparable(data, &basis, &all.coordinates, &found.weights, halt);
        }
        if found.settled {
            return some.quasi_separable(data, &found.r, conflict, halt);
        }
        reach *= FURTHER;
    }
    Ok(None)
}

/// Returns the places of independent rows that span all of these.
fn independent(rows: &SignedRows, halt: Halt) -> Option<Vec<usize>> {
    let residues = FloatResidues::new(Prime(PRIMES[0]));
    Some(Elimination::of_signed_rows(rows, &residues, halt)?.equations)
}

/// Some of the rows, as they are seen.
struct SeenRows<'a> {
    view: &'a RowView,
    dimension: usize,
    ids: Vec<usize>,
    points: Vec<SeenPoint>,
    known: HashSet<usize>,
    /// Rows that look alike are taken in once.
    looks: HashSet<Vec<u64>>,
}

/// Where -g is projected.
struct Projection {
    r: Vec<f64>,
    /// Places with alpha > 0, and alpha.
    weights: Vec<(usize, f64)>,
    /// Whether r is zero, as far as floats can tell.
    vanished: bool,
    /// Whether no row has a negative product with r: then going further would not make r shorter.
    settled: bool,
}

impl<'a> SeenRows<'a> {
    fn new(view: &'a RowView, dimension: usize) -> Self {
        let (ids, points) = (vec![], vec![]);
        SeenRows { view, dimension, ids, points, known: HashSet::new(), looks: HashSet::new() }
    }

    /// Takes rows in that are not there yet.
    fn join(&mut self, data: &Passes, rows: &[usize]) -> Result<(), PassError> {
        let new: Vec<usize> = rows.iter().copied().filter(|&row| self.known.insert(row)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let samples = data.fetch(&new)?;
        for (row, point) in new.into_iter().zip(self.view.points(&samples)) {
            let look = point.vector.iter().map(|v| v.to_bits()).collect();
            if point.length > 0.0 && self.looks.insert(look) {
                self.ids.push(row);
                self.points.push(point);
            }
        }
        Ok(())
    }

    /// Returns the places of these rows; nothing if one was not taken in.
    fn places(&self, rows: &[usize]) -> Option<Vec<usize>> {
        let places: HashMap<usize, usize> =
            self.ids.iter().enumerate().map(|(place, &row)| (row, place)).collect();
        rows.iter().map(|row| places.get(row).copied()).collect()
    }

    /// Returns the places of `rank` independent rows, as far apart as can be; nothing if floats do not see as
    /// many, or if halted.
    fn basis(&self, rank: usize, halt: Halt) -> Option<Vec<usize>> {
        // The places, what is left of each row, and the square of its length.
        let mut left: Vec<(usize, Vec<f64>, f64)> = self
            .points
            .iter()
            .enumerate()
            .map(|(at, point)| (at, point.vector.clone(), 1.0))
            .collect();
        let mut chosen = vec![];
        while chosen.len() < rank {
            if halt() {
                return None;
            }
            let longest = |best: usize, k: usize| if left[k].2 > left[best].2 { k } else { best };
            let best = (0..left.len()).fold(0, longest);
            let (at, mut unit, _) = (best < left.len()).then(|| left.swap_remove(best))?;
            let length = f64::dot(&unit, &unit).sqrt();
            if length <= IN_SPAN {
                return None;
            }
            unit.iter_mut().for_each(|v| *v /= length);
            chosen.push(at);
            left.par_iter_mut().with_min_len(64).for_each(|(_, v, squared)| {
                let along = f64::dot(&unit, v);
                if along != 0.0 {
                    f64::axpy(-along, &unit, v);
                    let rest = *squared - along * along;
                    // What little is left is not known as a difference.
                    *squared = if rest > 0.1 * *squared { rest } else { f64::dot(v, v) };
                }
            });
        }
        Some(chosen)
    }

    /// Returns the shortest g + reach · sum lambda_i z_i with sum lambda <= 1, or nothing if halted. Rows
    /// that make it shorter join.
    fn project(
        &mut self,
        data: &Passes,
        g: &[f64],
        reach: f64,
        halt: Halt,
    ) -> Result<Option<Projection>, PassError> {
        let most = plan::projected_rows(data.shape());
        let size = f64::dot(g, g).sqrt() + reach;
        let far = |point: &SeenPoint| {
            g.iter().zip(&point.vector).map(|(g, z)| g + reach * z).collect::<Vec<f64>>()
        };
        let mut corral = Corral::new(self.dimension);
        // The first is g itself, for those that are not taken.
        let (mut places, mut points) = (vec![0], vec![g.to_vec()]);
        loop {
            for at in places.len() - 1..self.points.len() {
                places.push(at + 1);
                points.push(far(&self.points[at]));
            }
            corral.solve(&places, &points, &|| halt());
            if halt() {
                return Ok(None);
            }
            let (r, norm) = (corral.p().to_vec(), corral.norm());
            let vanished = norm <= VANISHED * size;
            let negative = |point: &SeenPoint| f64::dot(&point.vector, &r) < -SETTLED * norm;
            let known = self.points.len();
            let short = self.points.iter().any(negative);
            if !vanished && !short {
                let (_, scorer) = self.view.scorer(&r);
                let worst = data.fold(Scan::new(scorer, 2 * most), halt)?.report().worst;
                let new: Vec<usize> = worst
                    .iter()
                    .filter(|(score, row)| *score < 0.0 && !self.known.contains(row))
                    .map(|(_, row)| *row)
                    .collect();
                self.join(data, &new)?;
            }
            if self.points[known..].iter().any(negative) {
                continue;
            }
            let weights = corral.members().filter(|&(at, weight)| at > 0 && weight > NO_PART);
            let weights = weights.map(|(at, weight)| (at - 1, reach * weight)).collect();
            return Ok(Some(Projection { r, weights, vanished, settled: !short }));
        }
    }

    /// Returns the conflict that spans everything: alpha as it is off the basis, solved for on it.
    fn inseparable(
        &self,
        data: &Passes,
        basis: &[usize],
        coordinates: &[usize],
        alpha: &[(usize, f64)],
        halt: Halt,
    ) -> Result<Option<Class>, PassError> {
        let others: Vec<(usize, f64)> =
            alpha.iter().copied().filter(|(at, _)| !basis.contains(at)).collect();
        let places = basis.iter().copied().chain(others.iter().map(|(at, _)| *at));
        let ids: Vec<usize> = places.map(|at| self.ids[at]).collect();
        let rows = SignedRows::all(&data.fetch(&ids)?);
        let scale = IntegerScale::new(&rows);
        let integers: Vec<Vec<IBig>> = (0..rows.len()).map(|k| scale.integers(&rows, k)).collect();
        let (on, off) = integers.split_at(basis.len());
        // A row is seen at length one: of raw rows fewer are taken, or more.
        let mut multipliers = exact_combination(others.len(), |visit| {
            for (k, &(at, alpha)) in others.iter().enumerate() {
                visit(k, alpha / self.points[at].length, 1.0);
            }
        });
        if multipliers.iter().any(|m| *m <= IBig::ZERO) {
            return Ok(None);
        }
        // One equation per coordinate: multipliers on the basis, and how often the sum of others is taken.
        let equation = |&c: &usize| {
            let sum = off.iter().zip(&multipliers).fold(IBig::ZERO, |sum, (v, m)| sum + &v[c] * m);
            on.iter().map(|v| v[c].clone()).chain([sum]).collect::<Vec<IBig>>()
        };
        let equations: Vec<Vec<IBig>> = coordinates.iter().map(equation).collect();
        let Some(mut found) = solution(&equations, halt) else {
            return Ok(None);
        };
        if found.last().is_some_and(|times| *times < IBig::ZERO) {
            found.iter_mut().for_each(|m| *m = -&*m);
        }
        if found.iter().any(|m| *m <= IBig::ZERO) {
            return Ok(None);
        }
        let times = found.pop().expect("how often");
        multipliers.iter_mut().for_each(|m| *m *= &times);
        found.extend(multipliers);
        let mut all: Vec<(usize, IBig)> = ids.into_iter().zip(in_lowest_terms(found)).collect();
        all.sort_unstable_by_key(|(row, _)| *row);
        let basis: Vec<usize> = basis.iter().map(|&at| self.ids[at]).collect();
        let orthogonal = orthogonal_to(data, &basis, halt)?;
        let conflict = Conflict::from(all);
        Ok(orthogonal.map(|orthogonal| Class::Inseparable { conflict, orthogonal }))
    }

    /// Returns a weak separator near r: one that vanishes exactly where r does as far as floats can tell.
    fn quasi_separable(
        &self,
        data: &Passes,
        r: &[f64],
        conflict: &Conflict,
        halt: Halt,
    ) -> Result<Option<Class>, PassError> {
        let near = self.view.integers(r);
        let norm = f64::dot(r, r).sqrt();
        let on = |at: &usize| f64::dot(&self.points[*at].vector, r).abs() <= ON_IT * norm;
        let mut face: Vec<usize> =
            (0..self.points.len()).filter(on).map(|at| self.ids[at]).collect();
        face.extend(conflict.rows());
        let most = plan::projected_rows(data.shape());
        for _ in 0..CORRECTIONS {
            face.sort_unstable();
            face.dedup();
            let rows = SignedRows::all(&data.fetch(&face)?);
            let Some(places) = independent(&rows, halt) else {
                return Ok(None);
            };
            face = places.iter().map(|&place| face[place]).collect();
            let Some(w) = vanishing(&rows.at(&places), &near, halt) else {
                return Ok(None);
            };
            let astray = wrong(data, &w, false, most, halt)?;
            if astray.is_empty() {
                let (conflict, separator) = (conflict.clone(), separator(w));
                return Ok(Some(Class::QuasiSeparable { conflict, separator }));
            }
            face.extend(astray);
        }
        Ok(None)
    }
}

/// Returns the integer vector near another that is orthogonal to independent rows.
fn vanishing(rows: &SignedRows, near: &[IBig], halt: Halt) -> Option<Vec<IBig>> {
    let scale = IntegerScale::new(rows);
    let integers: Vec<Vec<IBig>> = (0..rows.len()).map(|k| scale.integers(rows, k)).collect();
    // Coordinates to solve for: where the rows can be solved for best, so that rounding stays small.
    let pivots = pivots(of_like_size(rows))?;
    let mut near = scale.unscaled(near);
    pivots.iter().for_each(|&k| near[k] = IBig::ZERO);
    // One equation per row: its entries at the pivots, and what the free coordinates make of it.
    let equation = |row: &Vec<IBig>| {
        let known = dot(row, &near);
        pivots.iter().map(|&k| row[k].clone()).chain([known]).collect::<Vec<IBig>>()
    };
    let equations: Vec<Vec<IBig>> = integers.iter().map(equation).collect();
    let mut found = solution(&equations, halt)?;
    let mut times = found.pop()?;
    if times < IBig::ZERO {
        times = -times;
        found.iter_mut().for_each(|v| *v = -&*v);
    }
    if times == IBig::ZERO {
        return None;
    }
    let mut w: Vec<IBig> = near.into_iter().map(|v| v * &times).collect();
    pivots.iter().zip(found).for_each(|(&k, v)| w[k] = v);
    Some(in_lowest_terms(scale.weights(w)))
}

/// Returns the rows as floats, each coordinate over its largest.
fn of_like_size(rows: &SignedRows) -> Vec<Vec<f64>> {
    let entries = || (0..rows.len()).flat_map(|place| rows.entries(place));
    let mut largest = vec![0.0_f64; rows.dimension];
    entries().for_each(|&(k, v)| largest[k] = largest[k].max(v.abs()));
    let row = |place: usize| {
        let mut row = vec![0.0; rows.dimension];
        rows.entries(place).iter().for_each(|&(k, v)| row[k] = v / largest[k]);
        row
    };
    (0..rows.len()).map(row).collect()
}

/// Returns one coordinate per vector at which they can be solved for: elimination with the largest
/// pivots. Nothing if floats see too few.
fn pivots(mut vectors: Vec<Vec<f64>>) -> Option<Vec<usize>> {
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
        if pivot[column] == 0.0 {
            return None;
        }
        vectors.par_iter_mut().with_min_len(64).for_each(|v| {
            f64::axpy(-v[column] / pivot[column], &pivot, v);
            v[column] = 0.0;
        });
        chosen.push(column);
    }
    Some(chosen)
}
