//! From a separator to the one of largest margin, where coordinates are many: a working set whose inner problem is
//! solved by an interior point method.
//!
//! ```text
//! begin     with the rows nearest to a separator
//! repeat    w of the working set, roughly at first                  solvers/interior_point.rs
//!           scan all rows with w: lower = smallest score / ‖w‖, upper = norm of the weighted rows
//!           no mistake: w is a candidate; done, or go on until lower and upper meet
//!           rows that score below those that matter join; if they are many, begin again
//! ```
//!
//! Rows are seen lifted, for the largest angular margin, or raw, for the largest geometric one.

use std::collections::HashSet;

use linsep_proof::{MarginKind, RowWeights};

use super::super::folds::Scorer;
use super::super::folds::scan::Scan;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::Search;
use super::super::solvers::interior_point::{Interior, InteriorEnd};
use super::super::solvers::nearest_points::Around;
use super::super::solvers::order::Scored;
use super::nearest_points::{around, raw_row};
use super::{Found, GaveUp, Strategy, halted};
use crate::Hyperplane;
use crate::kernels::Arithmetic;
use crate::lift::{Rows, raw_unit};

/// How far the bounds may differ at first: enough to see which rows matter.
const ROUGHLY: f64 = 0.2;
/// How much nearer they come before the next scan, once few rows join.
const NEARER: f64 = 0.03;
/// New rows are few if there is at most one per this many coordinates.
const FEW: usize = 50;
/// Weights below this share of the largest are left out of bounds: they are what is left of the way there.
const NO_WEIGHT: f64 = 1e-13;

/// The working set, and how near the bounds are to come.
pub(super) struct InteriorSet {
    way: Way,
    size: WorkingSize,
    /// Raw rows around a point, or lifted ones.
    around: Option<Around>,
    seen: MarginKind,
    rows: Vec<usize>,
    known: HashSet<usize>,
    solver: Option<Interior>,
    /// A hyperplane to begin with.
    plane: Option<Hyperplane>,
    share: f64,
    ended: bool,
}

impl InteriorSet {
    /// Returns the working set of lifted rows that goes on from the separator that is known.
    pub fn lifted(size: WorkingSize) -> Self {
        InteriorSet {
            way: Way::WorkingSet,
            size,
            around: None,
            seen: MarginKind::Angular,
            rows: vec![],
            known: HashSet::new(),
            solver: None,
            plane: None,
            share: ROUGHLY,
            ended: false,
        }
    }

    /// Returns the working set of raw rows that goes on from a separator.
    pub fn raw(way: Way, separator: Hyperplane, size: WorkingSize) -> Self {
        let seen = MarginKind::Geometric;
        InteriorSet { way, seen, plane: Some(separator), ..Self::lifted(size) }
    }

    /// Fetches the rows to begin with.
    fn begin(&mut self, search: &mut Search) -> Result<(), PassError> {
        let columns = search.shape.columns;
        let mut rows = search.facts()?.first.to_vec();
        if self.seen == MarginKind::Geometric {
            self.around = Some(around(search)?);
            self.solver = Some(Interior::new(columns, true));
            search.forget_candidates();
        } else {
            self.solver = Some(Interior::new(columns + 1, false));
            self.plane = search.best();
        }
        let plane = self.plane.take().expect("a separator is known");
        let (nearest, _) = self.scan(search, &plane, self.size.start)?;
        rows.extend(nearest.into_iter().map(|(_, row)| row));
        self.join(search, rows)
    }

    /// Adds those of the rows that are new, as many as fit.
    fn join(&mut self, search: &Search, mut rows: Vec<usize>) -> Result<(), PassError> {
        rows.retain(|&row| self.known.insert(row));
        rows.truncate(self.size.most.saturating_sub(self.rows.len()));
        if rows.is_empty() {
            return Ok(());
        }
        let samples = search.data.fetch(&rows)?;
        let solver = self.solver.as_mut().expect("begun");
        let lifted = Rows::lifted(&samples);
        for i in 0..rows.len() {
            let positive = samples.positive()[i];
            match &self.around {
                None => solver.add(positive, lifted.vector(i)),
                Some(around) => {
                    let sign = if positive { 1.0 } else { -1.0 };
                    solver.add(positive, around.seen(raw_row(&samples, i)).map(|x| sign * x));
                }
            }
        }
        self.rows.extend(rows);
        Ok(())
    }

    /// Scans all rows with a hyperplane: returns those of smallest margin with it, and the smallest. A hyperplane
    /// without a mistake is offered.
    fn scan(
        &self,
        search: &mut Search,
        plane: &Hyperplane,
        keep: usize,
    ) -> Result<(Vec<Scored>, f64), PassError> {
        let w: Vec<f64> = plane.weights.iter().copied().chain([plane.bias]).collect();
        let unit = raw_unit(search.facts()?.longest);
        let (scorer, norm) = match self.seen {
            MarginKind::Angular => (Scorer::Lifted(w.clone()), f64::dot(&w, &w).sqrt()),
            MarginKind::Geometric => (Scorer::Raw(w.clone(), unit), plane.weight_norm() * unit),
        };
        let report = search.pass(Scan::new(scorer, keep))?.report();
        let lower = report.smallest() / norm;
        search.see(report.mistakes, &w, lower);
        if report.mistakes == 0 {
            search.offer(lower, plane.clone());
        }
        let worst = report.worst.into_iter().map(|(score, row)| (score / norm, row));
        Ok((worst.collect(), lower))
    }

    /// Returns the hyperplane of the working set, the largest margin known by its weights, and the margin below
    /// which rows matter.
    fn found(&self, search: &mut Search) -> (Hyperplane, f64, f64) {
        let solver = self.solver.as_ref().expect("begun");
        let weights = || -> RowWeights {
            let weights = solver.weights();
            let largest = weights.iter().fold(0.0_f64, |most, w| most.max(*w));
            let pairs = self.rows.iter().copied().zip(weights);
            let mut pairs: Vec<(usize, f64)> =
                pairs.filter(|(_, weight)| *weight > NO_WEIGHT * largest).collect();
            pairs.sort_unstable_by_key(|(row, _)| *row);
            pairs.into_iter().collect()
        };
        let (w, upper) = (solver.w(), solver.upper());
        let level = solver.level() / f64::dot(w, w).sqrt();
        match &self.around {
            None => {
                search.bound(upper, weights);
                (Hyperplane::from_lifted(w.to_vec()), upper, level)
            }
            Some(around) => {
                search.nearest = Some(weights());
                let scale = around.scale();
                (around.hyperplane(w, solver.lower().1), upper / scale, level / scale)
            }
        }
    }

    fn go_on(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let solver = self.solver.as_mut().expect("begun");
        let ended = solver.run(self.share, &search.budget.halt());
        if let Some(end) = halted(search) {
            // Of lifted rows the engine takes the best so far.
            let better = self.seen == MarginKind::Geometric && search.has_candidates();
            return Ok(Some(if better { Found::Candidate } else { end }));
        }
        if ended != InteriorEnd::Near {
            self.ended = true;
            return Ok(None);
        }
        let (plane, upper, level) = self.found(search);
        let (worst, lower) = self.scan(search, &plane, self.size.added)?;
        let gap = search.options.gap;
        let closed = lower >= upper * (1.0 - gap);
        if closed {
            return Ok(Some(Found::Candidate));
        }
        let below = worst.into_iter().filter(|(margin, _)| *margin < level);
        let new: Vec<usize> =
            below.map(|(_, row)| row).filter(|row| !self.known.contains(row)).collect();
        let few = new.len() <= search.dimension() / FEW;
        if new.is_empty() && self.share <= gap / 4.0 {
            self.ended = true;
            return Ok(None);
        }
        if few {
            // Half of the allowance, so both bounds have room.
            self.share = (self.share * NEARER).max(gap / 4.0);
        }
        self.join(search, new)?;
        if !few {
            self.solver.as_mut().expect("begun").restart();
        }
        Ok(None)
    }
}

impl Strategy for InteriorSet {
    fn way(&self) -> Way {
        self.way
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if self.solver.is_none() && self.plane.is_none() && !search.has_candidates() {
            return Ok(Found::GaveUp(GaveUp::NotThere));
        }
        if self.solver.is_none() {
            self.begin(search)?;
        }
        while !self.ended {
            if let Some(found) = self.go_on(search)? {
                return Ok(found);
            }
        }
        Ok(Found::GaveUp(GaveUp::Stuck))
    }
}
