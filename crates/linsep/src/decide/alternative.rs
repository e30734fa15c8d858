//! Exactly one of two cases holds for all rows v = y (x, 1), and exact arithmetic tells which.
//!
//! ```text
//! strict   rows that cancel                               or w with w·v > 0 for all
//! weak     rows that cancel, all of a basis among them    or w with w·v >= 0 for all, > 0 for some
//! ```
//!
//! The last resort, where floats are at their end: it may take long, and always comes to an end. Some rows
//! are decided by the simplex method in integers (`exact/farkas.rs`), all others correct the answer.

use std::collections::HashMap;

use dashu_int::IBig;
use linsep_proof::Conflict;
use linsep_proof::exact::ExactPlane;
use rayon::prelude::*;

use super::exact::Halt;
use super::exact::conflict::independent_coordinates;
use super::exact::equations::IntegerScale;
use super::exact::farkas::{Alternative, Farkas};
use super::exact::integers::{double, in_lowest_terms};
use super::exact::rows::SignedRows;
use super::folds::Scorer;
use super::folds::astray::{Astray, off};
use super::folds::scan::Scan;
use super::passes::{PassError, Passes};
use super::plan;
use super::search::spread;
use super::solvers::ladder::{Double, Ladder};
use super::solvers::simplex;
use crate::hyperplane::norm;
use crate::kernels::twice::Twice;
use crate::kernels::{exponent, power_of_two};

/// What is asked.
#[derive(Clone, Copy)]
pub(super) enum AlternativeQuestion<'a> {
    /// Rows that cancel, or a separator.
    Strict,
    /// Rows that cancel, all of these independent ones among them, or a weak separator.
    Weak(&'a [usize]),
}

/// Which case holds.
pub(super) enum AlternativeAnswer {
    /// Rows that cancel.
    Conflict(Conflict),
    /// Weights and bias, the bias last.
    Separator(Vec<IBig>),
}

/// Returns which case holds; nothing if it was halted. `start` are rows that floats ended with. Errors if
/// the data cannot be read.
pub(super) fn decide(
    data: &Passes,
    question: AlternativeQuestion,
    start: &[usize],
    halt: Halt,
) -> Result<Option<AlternativeAnswer>, PassError> {
    let shape = data.shape();
    let size = plan::exact_rows(shape);
    let mut chosen = ChosenRows::new(question, shape.columns + 1);
    chosen.join(data, start)?;
    let mut begin: Vec<usize> = (0..chosen.numbers.len()).collect();
    if let AlternativeQuestion::Weak(basis) = question {
        chosen.join(data, basis)?;
    }
    chosen.join(data, &spread(shape.rows, size))?;
    while let Some(found) = chosen.ask(halt).and_then(|()| chosen.decided(&begin, halt)) {
        let y = match found {
            Alternative::Reached(x, times) => {
                return Ok(Some(AlternativeAnswer::Conflict(chosen.conflict(x, &times))));
            }
            Alternative::Barred(y) => y,
        };
        let w = chosen.weights(y);
        let wrong = wrong(data, &w, matches!(question, AlternativeQuestion::Strict), size, halt)?;
        if wrong.is_empty() {
            return Ok(Some(AlternativeAnswer::Separator(w)));
        }
        begin = chosen.farkas.basis().to_vec();
        chosen.join(data, &wrong)?;
    }
    Ok(None)
}

/// Returns rows on the wrong side of a hyperplane or, if asked strictly, on it, up to `most`: those that floats see furthest off or,
/// if they see none, the first.
pub(super) fn wrong(
    data: &Passes,
    w: &[IBig],
    strict: bool,
    most: usize,
    halt: Halt,
) -> Result<Vec<usize>, PassError> {
    let (high, low) = double(w);
    let scan = Scan::new(Scorer::Precise(Double::new(high, low)), most);
    let report = data.fold(scan, halt)?.report();
    let seen: Vec<usize> =
        report.worst.iter().filter(|(score, _)| *score <= 0.0).map(|(_, row)| *row).collect();
    let plane = ExactPlane::of(w.to_vec());
    if !seen.is_empty() {
        let samples = data.fetch(&seen)?;
        let astray = |place: &usize| off(&plane, strict, &samples, *place);
        let found: Vec<usize> = (0..seen.len()).filter(astray).map(|place| seen[place]).collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    data.fold(Astray::new(plane, strict, most), halt)
}

/// The rows that are decided in integers.
struct ChosenRows<'a> {
    question: AlternativeQuestion<'a>,
    farkas: Farkas,
    rows: SignedRows,
    /// Their numbers in the data, and their places by number.
    numbers: Vec<usize>,
    places: HashMap<usize, usize>,
    /// What makes each coordinate integer.
    scale: IntegerScale,
}

impl<'a> ChosenRows<'a> {
    fn new(question: AlternativeQuestion<'a>, dimension: usize) -> Self {
        let rows = SignedRows::none(dimension);
        let scale = IntegerScale::new(&rows);
        let (numbers, places) = (vec![], HashMap::new());
        ChosenRows { question, farkas: Farkas::default(), rows, numbers, places, scale }
    }

    /// Takes rows in that are not there yet.
    fn join(&mut self, data: &Passes, rows: &[usize]) -> Result<(), PassError> {
        let mut new: Vec<usize> =
            rows.iter().copied().filter(|row| !self.places.contains_key(row)).collect();
        new.sort_unstable();
        new.dedup();
        if new.is_empty() {
            return Ok(());
        }
        for &row in &new {
            self.places.insert(row, self.numbers.len());
            self.numbers.push(row);
        }
        self.rows.extend(SignedRows::all(&data.fetch(&new)?));
        Ok(())
    }

    /// Puts the question about all rows that have joined; nothing if halted.
    fn ask(&mut self, halt: Halt) -> Option<()> {
        // A smaller number than any before makes other integers of all.
        self.scale = IntegerScale::new(&self.rows);
        let integers = |place: usize| (!halt()).then(|| self.scale.integers(&self.rows, place));
        let integers: Vec<Vec<IBig>> = (0..self.rows.len()).map(integers).collect::<Option<_>>()?;
        let (vectors, target) = match self.question {
            // One coordinate more says that the multipliers add up to one.
            AlternativeQuestion::Strict => {
                let last = |mut v: Vec<IBig>| {
                    v.push(IBig::ONE);
                    v
                };
                let mut target = vec![IBig::ZERO; self.rows.dimension];
                target.push(IBig::ONE);
                (integers.into_iter().map(last).collect::<Vec<_>>(), target)
            }
            AlternativeQuestion::Weak(basis) => {
                let mut target = vec![IBig::ZERO; self.rows.dimension];
                for place in basis.iter().filter_map(|row| self.places.get(row)) {
                    target.iter_mut().zip(&integers[*place]).for_each(|(t, v)| *t -= v);
                }
                (integers, target)
            }
        };
        self.farkas.ask(vectors, target, halt)
    }

    /// Returns which case holds for these rows: floats come as far as they can from some of them, exact
    /// arithmetic the rest of the way.
    fn decided(&mut self, begin: &[usize], halt: Halt) -> Option<Alternative> {
        let proposed = self.proposed(begin, halt);
        self.farkas.start(proposed.as_deref().unwrap_or(begin), halt)?;
        self.farkas.decide(halt)
    }

    /// Returns rows that make a good basis, as far as floats can tell.
    fn proposed(&self, begin: &[usize], halt: Halt) -> Option<Vec<usize>> {
        let entries: Vec<_> =
            (0..self.rows.len()).map(|place| self.rows.entries(place).to_vec()).collect();
        let columns = independent_coordinates(&self.rows, halt)?;
        let ladder = Ladder::new(&entries, self.rows.dimension, &columns, halt)?;
        let map = |row: &Vec<(usize, f64)>| (!halt()).then(|| ladder.map_twice(row));
        let mut vectors: Vec<Vec<Twice>> = entries.par_iter().map(map).collect::<Option<_>>()?;
        let mut target = vec![Twice::default(); columns.len()];
        match self.question {
            AlternativeQuestion::Strict => target.push(Twice::from(1.0)),
            AlternativeQuestion::Weak(basis) => {
                for place in basis.iter().filter_map(|row| self.places.get(row)) {
                    target.iter_mut().zip(&vectors[*place]).for_each(|(t, v)| *t = *t - *v);
                }
            }
        }
        for vector in &mut vectors {
            let length = norm(vector.iter().map(|v| v.high));
            if length > f64::MIN_POSITIVE {
                let scale = Twice::from(power_of_two(-exponent(length).clamp(-1000, 1000)));
                vector.iter_mut().for_each(|v| *v = *v * scale);
            }
            vector.extend(
                matches!(self.question, AlternativeQuestion::Strict).then_some(Twice::from(1.0)),
            );
        }
        Some(simplex::basis(&vectors, &target, begin, halt))
    }

    /// Returns the rows that cancel.
    fn conflict(&self, x: Vec<(usize, IBig)>, times: &IBig) -> Conflict {
        let mut taken: HashMap<usize, IBig> =
            x.into_iter().map(|(place, x)| (self.numbers[place], x)).collect();
        if let AlternativeQuestion::Weak(basis) = self.question {
            basis.iter().for_each(|&row| *taken.entry(row).or_default() += times);
        }
        let mut taken: Vec<(usize, IBig)> = taken.into_iter().collect();
        taken.sort_unstable_by_key(|(row, _)| *row);
        let (rows, multipliers): (Vec<usize>, Vec<IBig>) = taken.into_iter().unzip();
        let pairs = rows.into_iter().zip(in_lowest_terms(multipliers));
        Conflict::from(pairs.collect::<Vec<_>>())
    }

    /// Returns the weights and the bias for raw rows.
    fn weights(&self, mut y: Vec<IBig>) -> Vec<IBig> {
        y.truncate(self.rows.dimension);
        in_lowest_terms(self.scale.weights(y))
    }
}
