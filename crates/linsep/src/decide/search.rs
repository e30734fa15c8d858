//! The search: the data, what may be spent on it, and what is known so far.

use dashu_int::IBig;
use linsep_data::Shape;
use linsep_proof::{Conflict, MarginKind, RowWeights};

use super::budget::Budget;
use super::exact::conflict::{Solution, solve};
use super::exact::rows::SignedRows;
use super::folds::class_sums::ClassSumsState;
use super::folds::first_look::Facts;
use super::options::{DecideOptions, MarginGoal};
use super::passes::{PassError, Passes};
use crate::Hyperplane;
use crate::queries::Listed;

/// Hyperplanes without a mistake that are kept, should the checker refuse the best.
const CANDIDATES: usize = 4;

/// Rows, and the share of all rows, beyond which those that bound the margin cost more than they tell.
const BOUNDING_ROWS: usize = 1000;
const BOUNDING_SHARE: usize = 8;

/// What strategies work with, and what they leave to each other.
pub(super) struct Search<'a> {
    pub data: &'a Passes<'a>,
    pub shape: Shape,
    pub options: &'a DecideOptions,
    pub budget: Budget<'a>,
    /// Hyperplanes without a mistake and their margins, as floats have them: the largest last.
    candidates: Vec<(f64, Hyperplane)>,
    /// The vector with the fewest mistakes, and how many.
    best: Option<(u64, Vec<f64>)>,
    /// The smallest upper bound on the angular margin and the weights it comes from.
    upper: (f64, RowWeights),
    /// The weights of the nearest points of both hulls.
    pub nearest: Option<RowWeights>,
    /// Rows that float solvers ended with: where exact ones start.
    pub ended_with: Vec<usize>,
    /// The sums of both classes, once a pass has taken them.
    pub sums: Option<ClassSumsState>,
}

impl<'a> Search<'a> {
    /// Returns the search before anything is known.
    pub fn new(data: &'a Passes<'a>, options: &'a DecideOptions, budget: Budget<'a>) -> Self {
        Search {
            data,
            shape: data.shape(),
            options,
            budget,
            candidates: vec![],
            best: None,
            upper: (1.0, RowWeights::default()),
            nearest: None,
            ended_with: vec![],
            sums: None,
        }
    }

    /// Returns the number of coordinates of a lifted row.
    pub fn dimension(&self) -> usize {
        self.shape.columns + 1
    }

    /// Returns what is found in all rows. On the first pass the first look rides along.
    pub fn pass<Q: Listed>(&self, asked: Q) -> Result<Q::Found, PassError> {
        self.data.fold(asked, &self.budget.halt_between_passes())
    }

    /// Returns what the first pass has found; makes one if there was none.
    pub fn facts(&self) -> Result<&'a Facts, PassError> {
        self.data.facts()
    }

    /// Takes note of a vector.
    pub fn consider(&mut self, mistakes: u64, w: &[f64]) {
        if self.best.as_ref().is_none_or(|(fewest, _)| mistakes < *fewest) {
            self.best = Some((mistakes, w.to_vec()));
        }
    }

    /// Takes note of a vector after a pass, and tells who looks on.
    pub fn see(&mut self, mistakes: u64, w: &[f64], lower: f64) {
        self.consider(mistakes, w);
        self.budget.tell(mistakes, lower, self.upper.0);
    }

    /// Returns the hyperplane with the fewest mistakes that was met.
    pub fn best(&self) -> Option<Hyperplane> {
        self.best.as_ref().map(|(_, w)| Hyperplane::from_lifted(w.clone()))
    }

    /// Keeps a hyperplane without a mistake, whose margin is about `lower`.
    pub fn offer(&mut self, lower: f64, plane: Hyperplane) {
        let place = self.candidates.partition_point(|(known, _)| *known <= lower);
        self.candidates.insert(place, (lower, plane));
        if self.candidates.len() > CANDIDATES {
            self.candidates.remove(0);
        }
    }

    /// Returns true if a hyperplane without a mistake is waiting for its proof.
    pub fn has_candidates(&self) -> bool {
        !self.candidates.is_empty()
    }

    /// Takes the most promising candidate.
    pub fn take_candidate(&mut self) -> Option<Hyperplane> {
        self.candidates.pop().map(|(_, plane)| plane)
    }

    /// Forgets all candidates.
    pub fn forget_candidates(&mut self) {
        self.candidates.clear();
    }

    /// Returns the smallest upper bound on the angular margin, as floats have it.
    pub fn upper(&self) -> f64 {
        self.upper.0
    }

    /// Takes note of an upper bound on the angular margin and of the weights that show it.
    pub fn bound(&mut self, upper: f64, weights: impl FnOnce() -> RowWeights) {
        if upper < self.upper.0 {
            self.upper = (upper, weights());
        }
    }

    /// Returns the rows that show the best upper bound known on the margin asked for, with weights of the rows as they
    /// are.
    pub fn bounding_rows(&mut self) -> Result<RowWeights, PassError> {
        let (kind, weights) = (self.options.kind, &self.upper.1);
        // Who asks for any hyperplane does not want to wait for a bound that takes long to prove.
        let dear =
            weights.len() > BOUNDING_ROWS && weights.len() > self.shape.rows / BOUNDING_SHARE;
        if dear && self.options.margin == MarginGoal::Any {
            return Ok(self.facts()?.first.map(|row| (row, 1.0)).into());
        }
        match (kind, &self.nearest) {
            (MarginKind::Geometric, Some(rows)) => return Ok(rows.clone()),
            (MarginKind::Angular, _) | (MarginKind::Geometric, None) if weights.len() > 1 => {
                // A lifted row is the raw one over its length.
                let rows = self.data.fetch(&weights.rows())?;
                let pairs = weights.iter().zip(rows.norms());
                return Ok(pairs.map(|((row, weight), norm)| (row, weight / norm)).collect());
            }
            _ => {}
        }
        Ok(self.facts()?.first.map(|row| (row, 1.0)).into())
    }

    /// Returns the exact conflict of raw rows that nearly cancel with these weights, if they have one.
    pub fn exact_conflict(
        &self,
        weights: impl Iterator<Item = (usize, f64)>,
    ) -> Result<Option<Conflict>, PassError> {
        let mut pairs: Vec<(usize, f64)> = weights.collect();
        pairs.sort_unstable_by_key(|(row, _)| *row);
        let (rows, mut weights): (Vec<usize>, Vec<f64>) = pairs.into_iter().unzip();
        let samples = self.data.fetch(&rows)?;
        weights.iter_mut().zip(samples.norms()).for_each(|(weight, norm)| *weight *= norm);
        match solve(&SignedRows::all(&samples), &weights, &self.budget.halt()) {
            Solution::Proven(found) => {
                let found = found.into_iter().map(|(at, m)| (rows[at], IBig::from(m)));
                Ok(Some(Conflict::from(found.collect::<Vec<_>>())))
            }
            Solution::Independent | Solution::MixedSigns { .. } | Solution::Halted => Ok(None),
        }
    }
}

/// Returns at most `size` of `n` rows, spread over the data, so that no order can hide a class.
pub(crate) fn spread(n: usize, size: usize) -> Vec<usize> {
    let size = size.min(n);
    (0..size).map(|k| (k as u128 * n as u128 / size as u128) as usize).collect()
}
