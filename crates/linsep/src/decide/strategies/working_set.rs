//! A small working set finds the candidate, a scan of all rows corrects it.
//!
//! ```text
//! repeat    p = point of smallest norm of the working set       (warm start)
//!           scan all rows with w = p: lower = smallest score / ‖p‖, upper = ‖p‖
//!           no mistake: w is a candidate; done, or go on until lower and upper meet
//!           p = 0 as far as floats can tell: the corral may conflict, exactly
//!           else the rows of smallest score join the working set
//! ```

use std::collections::HashSet;

use linsep_data::Error;
use linsep_proof::{Conflict, MarginKind};

use super::super::folds::Form;
use super::super::folds::scan::Scan;
use super::super::outcome::Way;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::min_norm_point::Corral;
use super::super::solvers::order::Scored;
use super::{Found, GaveUp, Strategy, halted};
use crate::Hyperplane;
use crate::lift::Rows;

/// Under this norm p may be zero, and the corral is worth an exact look.
const SUSPICIOUS: f64 = 1e-7;
/// Under this norm p is nothing but rounding, and a scan with it would tell nothing.
const VANISHED: f64 = 1e-13;
/// The corral is looked at again when the norm has fallen by this factor.
const FALLEN: f64 = 100.0;

/// The working set, and what comes next.
pub(super) struct WorkingSet {
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
    /// Choose among the rows of smallest score.
    Choose(Vec<Scored>),
}

impl WorkingSet {
    /// Returns the working set before anything is in it.
    pub fn new(search: &Search, size: WorkingSize) -> Self {
        let start = spread(search.shape.rows, size.start);
        WorkingSet {
            size,
            ids: vec![],
            points: vec![],
            known: start.iter().copied().collect(),
            corral: Corral::new(search.dimension()),
            looked_at: SUSPICIOUS,
            next: Stage::Grow(start),
        }
    }

    fn grow(&mut self, search: &Search, new: Vec<usize>) -> Result<(), Error> {
        let samples = search.data.fetch(&new)?;
        let rows = Rows::lifted(&samples);
        self.points.extend((0..new.len()).map(|i| rows.vector(i)));
        self.ids.extend(new);
        Ok(())
    }

    fn conflict(&self, search: &Search) -> Result<Option<Conflict>, Error> {
        search.exact_conflict(self.corral.members())
    }
}

impl Strategy for WorkingSet {
    fn way(&self) -> Way {
        Way::WorkingSet
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
                    self.grow(search, new)?;
                    self.next = Stage::Solve;
                }
                Stage::Solve => {
                    self.corral.solve(&self.ids, &self.points, &|| search.budget.halted());
                    self.next = Stage::Solve;
                    if let Some(end) = halted(search) {
                        return Ok(end);
                    }
                    let norm = self.corral.norm();
                    search.bound(norm, || self.corral.members().collect());
                    self.next = Stage::Scan;
                    if norm < VANISHED
                        && let Some(conflict) = self.conflict(search)?
                    {
                        return Ok(Found::Conflict(conflict));
                    }
                }
                Stage::Scan => {
                    let (norm, w) = (self.corral.norm(), self.corral.p().to_vec());
                    let scan = Scan::new(Form::Lifted, w.clone(), self.size.added);
                    let report = search.pass(scan)?.report();
                    let (lower, mistakes) = (report.smallest() / norm, report.mistakes);
                    search.see(mistakes, &w, lower);
                    self.next = Stage::Choose(report.worst);
                    if mistakes == 0 {
                        search.offer(lower, Hyperplane::from_lifted(w));
                        let closed = lower >= norm * (1.0 - search.options.gap);
                        if closed || !search.options.seeks(MarginKind::Angular) {
                            return Ok(Found::Candidate);
                        }
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
