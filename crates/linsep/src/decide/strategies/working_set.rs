//! A small working set finds the candidate, a scan of all rows corrects it.
//!
//! ```text
//! repeat    p = point of smallest norm of the working set       (warm start)
//!           scan all rows with w = p: lower = smallest score / ‖p‖, upper = ‖p‖
//!           no mistake: w is a candidate; done, or go on until lower and upper meet
//!           p = 0 as far as floats can tell: the corral may conflict, exactly
//!           else the rows of smallest score join the working set
//! ```
//!
//! Rows are seen lifted or, where floats are at their end with that, through a rung of the ladder: in
//! coordinates of which none is nearly a combination of others (`solvers/ladder.rs`).

use std::collections::HashSet;

use linsep_data::Error;
use linsep_proof::{Conflict, MarginKind};
use rayon::prelude::*;

use super::super::exact::integers::exact_combination;
use super::super::exact::rows::SignedRows;
use super::super::folds::Scorer;
use super::super::folds::scan::Scan;
use super::super::outcome::Way;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::ladder::Ladder;
use super::super::solvers::min_norm_point::Corral;
use super::super::solvers::order::Scored;
use super::{Found, GaveUp, Strategy, halted};
use crate::lift::Rows;
use crate::{Hyperplane, Samples};

/// Under this norm p may be zero, and the corral is worth an exact look.
const SUSPICIOUS: f64 = 1e-7;
/// Under this norm p is nothing but rounding, and a scan with it would tell nothing.
const VANISHED: f64 = 1e-13;
/// The corral is looked at again when the norm has fallen by this factor.
const FALLEN: f64 = 100.0;

/// How rows are seen.
enum View {
    /// As unit vectors z.
    Lifted,
    /// As M'v of raw rows v; M is made of the rows that the working set starts with.
    Ladder(Option<Ladder>),
}

impl View {
    /// Returns the rows as they are seen; nothing if they cannot be, or if it was halted.
    fn points(
        &mut self,
        samples: &Samples,
        halt: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Vec<f64>>> {
        match self {
            View::Lifted => {
                let rows = Rows::lifted(samples);
                Some((0..rows.len()).map(|i| rows.vector(i)).collect())
            }
            View::Ladder(ladder) => {
                let rows = SignedRows::all(samples);
                let entries: Vec<_> = (0..rows.len()).map(|i| rows.entries(i).to_vec()).collect();
                if ladder.is_none() {
                    *ladder = Ladder::new(&entries, rows.dimension, halt);
                }
                let ladder = ladder.as_ref()?;
                Some(entries.par_iter().map(|row| ladder.map(row)).collect())
            }
        }
    }

    fn is_lifted(&self) -> bool {
        matches!(self, View::Lifted)
    }

    /// Returns the vector for unit vectors or raw rows that w is for what is seen, rounded to floats,
    /// and what scores rows with it.
    fn scorer(&self, w: &[f64]) -> (Vec<f64>, Scorer) {
        match self {
            View::Ladder(Some(ladder)) => {
                let back = ladder.back(w);
                (back.rounded(), Scorer::Precise(back))
            }
            _ => (w.to_vec(), Scorer::Lifted(w.to_vec())),
        }
    }
}

/// The working set, and what comes next.
pub(super) struct WorkingSet {
    view: View,
    size: WorkingSize,
    ids: Vec<usize>,
    points: Vec<Vec<f64>>,
    known: HashSet<usize>,
    corral: Corral,
    /// The norm below which an exact look is due.
    looked_at: f64,
    next: Stage,
}

/// What comes next.
enum Stage {
    /// Fetch these rows into the working set.
    Grow(Vec<usize>),
    Solve,
    Scan,
    /// Offer w in integers: rounded to floats it was refused.
    Integers(Vec<Scored>),
    /// Choose among the rows of smallest score.
    Choose(Vec<Scored>),
}

impl WorkingSet {
    /// Returns the working set before anything is in it.
    pub fn new(search: &Search, size: WorkingSize) -> Self {
        Self::seen(search, size, View::Lifted)
    }

    /// Returns the same with rows seen through a rung of the ladder.
    pub fn on_the_ladder(search: &Search, size: WorkingSize) -> Self {
        Self::seen(search, size, View::Ladder(None))
    }

    fn seen(search: &Search, size: WorkingSize, view: View) -> Self {
        let start = spread(search.shape.rows, size.start);
        WorkingSet {
            view,
            size,
            ids: vec![],
            points: vec![],
            known: start.iter().copied().collect(),
            corral: Corral::new(search.dimension()),
            looked_at: SUSPICIOUS,
            next: Stage::Grow(start),
        }
    }

    /// Takes rows in; returns false if they cannot be seen.
    fn grow(&mut self, search: &Search, new: Vec<usize>) -> Result<bool, Error> {
        let rows = search.data.fetch(&new)?;
        let Some(points) = self.view.points(&rows, &search.budget.halt()) else {
            return Ok(false);
        };
        self.points.extend(points);
        self.ids.extend(new);
        Ok(true)
    }

    fn conflict(&self, search: &Search) -> Result<Option<Conflict>, Error> {
        search.exact_conflict(self.corral.members(), self.view.is_lifted())
    }
}

impl Strategy for WorkingSet {
    fn way(&self) -> Way {
        if self.view.is_lifted() { Way::WorkingSet } else { Way::Ladder }
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, Error> {
        loop {
            match std::mem::replace(&mut self.next, Stage::Grow(vec![])) {
                Stage::Grow(new) if new.is_empty() => {
                    // Nothing is left to learn, or no room for it: floats are at their end.
                    if search.has_candidates() {
                        return Ok(Found::Candidate);
                    }
                    search.ended_with = self.corral.members().map(|(row, _)| row).collect();
                    return Ok(Found::GaveUp(GaveUp::FloatsEnd));
                }
                Stage::Grow(new) => {
                    if !self.grow(search, new)? {
                        return Ok(halted(search).unwrap_or(Found::GaveUp(GaveUp::FloatsEnd)));
                    }
                    self.next = Stage::Solve;
                }
                Stage::Solve => {
                    self.corral.solve(&self.ids, &self.points, &|| search.budget.halted());
                    self.next = Stage::Solve;
                    if let Some(end) = halted(search) {
                        return Ok(end);
                    }
                    let norm = self.corral.norm();
                    if self.view.is_lifted() {
                        search.bound(norm, || self.corral.members().collect());
                    }
                    self.next = Stage::Scan;
                    if norm < VANISHED
                        && let Some(conflict) = self.conflict(search)?
                    {
                        return Ok(Found::Conflict(conflict));
                    }
                }
                Stage::Scan => {
                    let (norm, lifted) = (self.corral.norm(), self.view.is_lifted());
                    let (w, scorer) = self.view.scorer(self.corral.p());
                    let report = search.pass(Scan::new(scorer, self.size.added))?.report();
                    // Through the ladder the norm is that of other vectors, and says nothing of margins.
                    let smallest = report.smallest() / norm;
                    let lower = if lifted { smallest } else { f64::NEG_INFINITY };
                    let mistakes = report.mistakes;
                    search.see(mistakes, &w, lower);
                    self.next = match lifted {
                        true => Stage::Choose(report.worst),
                        false if mistakes == 0 => Stage::Integers(report.worst),
                        false => Stage::Choose(report.worst),
                    };
                    if mistakes == 0 {
                        search.offer(lower, Hyperplane::from_lifted(w));
                        let closed = lower >= norm * (1.0 - search.options.gap);
                        if closed || !lifted || !search.options.seeks(MarginKind::Angular) {
                            return Ok(Found::Candidate);
                        }
                    }
                }
                Stage::Integers(worst) => {
                    self.next = Stage::Choose(worst);
                    if let View::Ladder(Some(ladder)) = &self.view {
                        let exact = exact_combination(self.corral.p().len(), |visit| {
                            ladder.products(self.corral.p(), visit);
                        });
                        return Ok(Found::Integers(exact));
                    }
                }
                Stage::Choose(worst) => {
                    let room = self.size.most.saturating_sub(self.ids.len());
                    let fresh = worst.into_iter().map(|(_, row)| row);
                    let new: Vec<usize> =
                        fresh.filter(|&row| self.known.insert(row)).take(room).collect();
                    let norm = self.corral.norm();
                    let look = norm < self.looked_at || new.is_empty();
                    self.next = Stage::Grow(new);
                    if look {
                        self.looked_at = norm / FALLEN;
                        if norm < SUSPICIOUS
                            && let Some(conflict) = self.conflict(search)?
                        {
                            return Ok(Found::Conflict(conflict));
                        }
                    }
                }
            }
        }
    }
}
