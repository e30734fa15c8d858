//! A small working set finds the candidate, a scan of all rows corrects it.
//!
//! ```text
//! sample    where rows are many, all of this is done with some of them first: most rows that matter are found there
//! repeat    p = point of smallest norm of the working set       (warm start)
//!           scan all rows with w = p: lower = smallest score / ‖p‖, upper = ‖p‖
//!           no mistake: w is a candidate; done, or go on until lower and upper meet
//!           p = 0 as far as floats can tell: the corral may conflict, exactly; where its rows are many,
//!           their weights make a matrix, which is looked at first
//!           else the rows of smallest score join the working set
//! ```
//!
//! Rows are seen lifted or, where floats are at their end with that, through a rung of the ladder: in
//! coordinates that do not nearly depend on each other (`solvers/ladder.rs`).

use std::collections::{HashMap, HashSet};

use linsep_proof::MarginKind;

use super::super::folds::scan::Scan;
use super::super::options::ConflictForm;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::min_norm_point::Corral;
use super::super::solvers::order::Scored;
use super::super::view::RowView;
use super::newton::{constant_relation, short_weights};
use super::{Found, GaveUp, MatrixFound, Strategy, halted};
use crate::data::Memory;
use crate::queries::fold;
use crate::{Hyperplane, Samples};

/// Under this norm p may be zero, and the corral is worth an exact look.
const SUSPICIOUS: f64 = 1e-7;
/// Under this norm p is nothing but rounding, and a scan with it would tell nothing.
const VANISHED: f64 = 1e-13;
/// Rows that people look at: where more cancel, a matrix is as good, and takes a fraction of the time.
const FEW_ROWS: usize = 40;
/// Constant columns that a matrix leaves out.
const MOST_CONSTANTS: usize = 64;
/// The corral is looked at again when the norm has fallen by this factor.
const FALLEN: f64 = 100.0;

/// The working set, and what comes next.
pub(super) struct WorkingSet {
    view: RowView,
    size: WorkingSize,
    ids: Vec<usize>,
    points: Vec<Vec<f64>>,
    /// How long each row is before it is made a unit vector.
    lengths: HashMap<usize, f64>,
    known: HashSet<usize>,
    corral: Corral,
    /// The norm below which an exact look is due.
    looked_at: f64,
    /// Whether rows are seen through a ladder.
    climbs: bool,
    /// Whether a matrix of the corral was offered: if that is refused, integers come next.
    refused: bool,
    /// Some rows, spread over the data, that are scanned before all are, and their numbers.
    sample: Option<(Vec<usize>, Samples)>,
    next: WorkingStage,
}

/// What comes next.
enum WorkingStage {
    /// Find coordinates in which to see the rows, given some.
    Climb(Vec<usize>),
    /// Fetch the sample, and begin with these rows.
    Sample(Vec<usize>),
    /// Fetch these rows into the working set.
    Grow(Vec<usize>),
    Solve,
    ScanSample,
    Scan,
    /// Offer w in integers.
    Integers(Vec<Scored>),
    /// Choose among the rows of smallest score.
    Choose(Vec<Scored>),
}

impl WorkingSet {
    /// Returns the working set before anything is in it.
    pub fn new(search: &Search, size: WorkingSize) -> Self {
        Self::begin(search, size, false)
    }

    /// Returns the same with rows seen through a rung of the ladder.
    pub fn on_the_ladder(search: &Search, size: WorkingSize) -> Self {
        Self::begin(search, size, true)
    }

    fn begin(search: &Search, size: WorkingSize, climbs: bool) -> Self {
        let start = spread(search.shape.rows, size.start);
        WorkingSet {
            view: RowView::Lifted,
            size,
            ids: vec![],
            points: vec![],
            lengths: HashMap::new(),
            known: start.iter().copied().collect(),
            corral: Corral::new(search.dimension()),
            looked_at: SUSPICIOUS,
            climbs,
            refused: false,
            sample: None,
            next: match () {
                () if climbs => WorkingStage::Climb(start),
                () if size.sample > 0 => WorkingStage::Sample(start),
                () => WorkingStage::Grow(start),
            },
        }
    }

    fn climb(&mut self, search: &mut Search, some: Vec<usize>) -> Result<Option<Found>, PassError> {
        let Some((view, rows)) =
            RowView::ladder(search.data, some, &search.budget.halt_between_passes())?
        else {
            return Ok(halted(search).or(Some(Found::GaveUp(GaveUp::FloatsEnd))));
        };
        self.corral = Corral::new(view.dimension(search.dimension()));
        self.view = view;
        self.known.extend(&rows);
        self.next = WorkingStage::Grow(rows);
        Ok(None)
    }

    /// Returns what rows that nearly cancel show: a conflict in integers or, where they are many, a matrix first.
    fn conflict(&mut self, search: &Search) -> Result<Option<Found>, PassError> {
        if self.corral.members().count() > FEW_ROWS && search.options.conflict == ConflictForm::Any
        {
            self.refused = true;
            let mut raw: Vec<(usize, f64)> = self.raw_weights().collect();
            raw.sort_unstable_by_key(|(row, _)| *row);
            let weights = short_weights(raw.into_iter());
            // What the bias does, a constant column does too: nearly every design of a model has one.
            let constants = constant_columns(&search.data.fetch(&weights.rows())?);
            let relation = |&(column, number): &(usize, f64)| {
                constant_relation(column, number, search.dimension())
            };
            let orthogonal = constants.iter().map(relation).collect();
            let left_out = constants.into_iter().map(|(column, _)| column).collect();
            let (first, separator) = (vec![], None);
            let found = MatrixFound { weights, left_out, orthogonal, first, separator };
            return Ok(Some(Found::Matrix(Box::new(found))));
        }
        self.exact_conflict(search)
    }

    fn exact_conflict(&self, search: &Search) -> Result<Option<Found>, PassError> {
        Ok(search.exact_conflict(self.raw_weights())?.map(Found::Conflict))
    }

    fn raw_weights(&self) -> impl Iterator<Item = (usize, f64)> {
        self.corral.members().map(|(row, weight)| (row, weight / self.lengths[&row]))
    }

    /// Takes rows in. Where there are none, nothing is left to learn, or no room for it: floats are at
    /// their end.
    fn grow(&mut self, search: &mut Search, new: Vec<usize>) -> Result<Option<Found>, PassError> {
        if new.is_empty() && search.has_candidates() {
            return Ok(Some(Found::Candidate));
        }
        if new.is_empty() {
            search.ended_with = self.corral.members().map(|(row, _)| row).collect();
            return Ok(Some(Found::GaveUp(GaveUp::FloatsEnd)));
        }
        let rows = search.data.fetch(&new)?;
        for (row, point) in new.into_iter().zip(self.view.points(&rows)) {
            // What is nothing but rounding has no direction.
            if point.length > 0.0 {
                self.ids.push(row);
                self.points.push(point.vector);
                self.lengths.insert(row, point.length);
            }
        }
        self.next = WorkingStage::Solve;
        Ok(None)
    }

    fn solve(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        self.next = WorkingStage::Solve;
        self.corral.solve(&self.ids, &self.points, &|| search.budget.halted());
        if let Some(end) = halted(search) {
            return Ok(Some(end));
        }
        let norm = self.corral.norm();
        if self.view.is_lifted() {
            search.bound(norm, || self.corral.members().collect());
        }
        self.next = match self.sample {
            Some(_) => WorkingStage::ScanSample,
            None => WorkingStage::Scan,
        };
        if norm < VANISHED { self.conflict(search) } else { Ok(None) }
    }

    fn fetch_sample(&mut self, search: &Search, start: Vec<usize>) -> Result<(), PassError> {
        let rows = spread(search.shape.rows, self.size.sample);
        let samples = search.data.fetch(&rows)?;
        self.sample = Some((rows, samples));
        self.next = WorkingStage::Grow(start);
        Ok(())
    }

    /// Scans the sample. Once nothing is left to learn from it, all rows are next, and it is let go.
    fn scan_sample(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let (rows, samples) = self.sample.take().expect("the stage has one");
        let (w, scorer) = self.view.scorer(self.corral.p());
        let report = fold(&Memory::new(&samples), &Scan::new(scorer, self.size.added))?.report();
        self.next = WorkingStage::Scan;
        if report.mistakes == 0 {
            return Ok(None);
        }
        // About as many of all rows.
        search.consider(report.mistakes * (search.shape.rows / rows.len()) as u64, &w);
        let worst = report.worst.into_iter().map(|(score, at)| (score, rows[at])).collect();
        let found = self.choose(search, worst)?;
        match &self.next {
            WorkingStage::Grow(new) if new.is_empty() => self.next = WorkingStage::Scan,
            _ => self.sample = Some((rows, samples)),
        }
        Ok(found)
    }

    fn scan(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let norm = self.corral.norm();
        let (w, scorer) = self.view.scorer(self.corral.p());
        let report = search.pass(Scan::new(scorer, self.size.added))?.report();
        // Through the ladder the norm is that of other vectors, and says nothing of margins.
        let lifted = self.view.is_lifted();
        let lower = if lifted { report.smallest() / norm } else { f64::NEG_INFINITY };
        search.see(report.mistakes, &w, lower);
        if report.mistakes > 0 {
            self.next = WorkingStage::Choose(report.worst);
            return Ok(None);
        }
        self.next = if lifted {
            WorkingStage::Choose(report.worst)
        } else {
            WorkingStage::Integers(report.worst)
        };
        search.offer(lower, Hyperplane::from_lifted(w));
        let closed = !lifted || lower >= norm * (1.0 - search.options.gap);
        let enough = closed || !search.options.seeks(MarginKind::Angular);
        Ok(enough.then_some(Found::Candidate))
    }

    /// Returns w in integers: rounded to floats it was refused.
    fn integers(&mut self, worst: Vec<Scored>) -> Option<Found> {
        self.next = WorkingStage::Choose(worst);
        Some(Found::Integers(self.view.integers(self.corral.p())))
    }

    fn choose(&mut self, search: &Search, worst: Vec<Scored>) -> Result<Option<Found>, PassError> {
        let room = self.size.most.saturating_sub(self.ids.len());
        let fresh = worst.into_iter().map(|(_, row)| row);
        let new: Vec<usize> = fresh.filter(|&row| self.known.insert(row)).take(room).collect();
        let norm = self.corral.norm();
        let due = norm < self.looked_at || new.is_empty();
        self.next = WorkingStage::Grow(new);
        if due {
            self.looked_at = norm / FALLEN;
        }
        if due && norm < SUSPICIOUS { self.conflict(search) } else { Ok(None) }
    }
}

/// Returns the columns that are one number in all rows, with that number, if they are few.
fn constant_columns(samples: &Samples) -> Vec<(usize, f64)> {
    let dense = |i: usize| {
        let mut row = vec![0.0; samples.columns()];
        samples.features().for_each(i, |k, x| row[k] = x);
        row
    };
    let first = dense(0);
    let mut same = vec![true; samples.columns()];
    for i in 1..samples.rows() {
        let row = dense(i);
        same.iter_mut().zip(row.iter().zip(&first)).for_each(|(same, (a, b))| *same &= a == b);
    }
    let found: Vec<(usize, f64)> =
        first.into_iter().enumerate().filter(|(k, _)| same[*k]).collect();
    if found.len() <= MOST_CONSTANTS { found } else { vec![] }
}

impl Strategy for WorkingSet {
    fn way(&self) -> Way {
        if self.climbs { Way::Ladder } else { Way::WorkingSet }
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        // They may all lie on a weak separator: integers tell.
        if std::mem::take(&mut self.refused)
            && let Some(found) = self.exact_conflict(search)?
        {
            return Ok(found);
        }
        loop {
            let found = match std::mem::replace(&mut self.next, WorkingStage::Grow(vec![])) {
                WorkingStage::Climb(some) => self.climb(search, some)?,
                WorkingStage::Sample(start) => {
                    self.fetch_sample(search, start)?;
                    None
                }
                WorkingStage::Grow(new) => self.grow(search, new)?,
                WorkingStage::Solve => self.solve(search)?,
                WorkingStage::ScanSample => self.scan_sample(search)?,
                WorkingStage::Scan => self.scan(search)?,
                WorkingStage::Integers(worst) => self.integers(worst),
                WorkingStage::Choose(worst) => self.choose(search, worst)?,
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }
}
