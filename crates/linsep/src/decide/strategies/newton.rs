//! Newton's method on a few rows per coordinate: a separator that a scan corrects, or a matrix that rules every separation out.
//!
//! ```text
//! begin     with the rows nearest to the best hyperplane that is known, and some from everywhere; sparse rows with all
//! repeat    Newton's method on the logistic loss                            solvers/newton.rs
//!           all of them on their own sides: scan all rows; no mistake: a candidate; else the worst join
//!           they nearly cancel: their weights make a matrix, which the checker looks at
//! ```
//!
//! A few rows per coordinate rule a separation out whatever the number of all rows, so the cost does not grow with it.

use std::collections::HashSet;

use dashu_int::IBig;
use linsep_proof::{MarginKind, RowWeights};

use super::super::folds::Scorer;
use super::super::folds::scan::Scan;
use super::super::outcome::{Way, WeakSeparator};
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::newton::{LogisticNewton, NewtonEnd};
use super::super::spanning::{orthogonal_to, spanning};
use super::{Found, GaveUp, Strategy, halted};
use crate::{Hyperplane, Samples};

/// Rounds of rows that join.
const ROUNDS: usize = 8;
/// Rows whose weight is below this share of the largest add nothing that a float would show.
const NO_WEIGHT: f64 = 1e-9;
/// Columns up to which those that depend on others are looked for.
const RELATIONS: usize = 4000;

/// Rows and weights that seem to make a positive definite matrix.
pub(in super::super) struct MatrixFound {
    /// The rows, rising, and their weights.
    pub weights: RowWeights,
    /// Coordinates that depend on others, and as many vectors that say how.
    pub left_out: Vec<usize>,
    pub orthogonal: Vec<Vec<IBig>>,
    /// Coordinates that are best taken out one by one.
    pub first: Vec<usize>,
    /// A hyperplane that puts no row on the wrong side, and these rows on itself; none if they rule that out, too.
    pub separator: Option<WeakSeparator>,
}

/// The rows that the method looks at.
pub(super) struct NewtonSet {
    size: WorkingSize,
    rows: Vec<usize>,
    known: HashSet<usize>,
    plane: Option<Vec<f64>>,
    /// The method on these rows, where it can go on.
    newton: Option<LogisticNewton>,
    rounds: usize,
    ended: bool,
}

impl NewtonSet {
    /// Returns the method before its first step.
    pub fn new(size: WorkingSize) -> Self {
        let (rows, known) = (vec![], HashSet::new());
        NewtonSet { size, rows, known, plane: None, newton: None, rounds: 0, ended: false }
    }

    fn begin(&mut self, search: &mut Search) -> Result<(), PassError> {
        let n = search.shape.rows;
        self.plane = search.best().map(|h| {
            let mut w = h.weights;
            w.push(h.bias);
            w
        });
        if search.shape.sparse || n <= self.size.start {
            return self.join((0..n).collect());
        }
        let some = spread(n, self.size.start / 4);
        if let Some(w) = &self.plane {
            let scorer = Scorer::Lifted(w.clone());
            let keep = self.size.start - some.len();
            let report = search.pass(Scan::new(scorer, keep))?.report();
            let near: Vec<usize> = report.worst.into_iter().map(|(_, row)| row).collect();
            self.join(near)?;
        }
        self.join(some)
    }

    fn join(&mut self, mut rows: Vec<usize>) -> Result<(), PassError> {
        rows.retain(|&row| self.known.insert(row));
        self.rows.extend(rows);
        self.rows.sort_unstable();
        Ok(())
    }

    fn samples<'a>(&self, search: &Search<'a>) -> Result<std::borrow::Cow<'a, Samples>, PassError> {
        use std::borrow::Cow;
        if self.rows.len() == search.shape.rows
            && let Some(samples) = search.data.gather()?
        {
            return Ok(Cow::Borrowed(samples));
        }
        Ok(Cow::Owned(search.data.fetch(&self.rows)?))
    }

    /// Looks at the rows; returns what was found, if anything.
    fn round(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let newton = match self.newton.take() {
            Some(newton) => Some(newton),
            None => {
                let samples = self.samples(search)?;
                LogisticNewton::new(&samples, self.plane.as_deref())
            }
        };
        let Some(mut newton) = newton else {
            return Ok(Some(Found::GaveUp(GaveUp::Stuck)));
        };
        let end = newton.run(&search.budget.halt());
        if let Some(end) = halted(search) {
            return Ok(Some(end));
        }
        match end {
            NewtonEnd::Open => {
                self.ended = true;
                Ok(None)
            }
            NewtonEnd::Cancelling => {
                let found = self.matrix(search, &newton)?;
                self.ended = !newton.can_go_on();
                self.newton = Some(newton);
                Ok(found.map(|found| Found::Matrix(Box::new(found))))
            }
            NewtonEnd::Separated => {
                let w = newton.plane();
                let scan = Scan::new(Scorer::Lifted(w.clone()), self.size.added);
                let report = search.pass(scan)?.report();
                search.see(report.mistakes, &w, f64::NEG_INFINITY);
                self.plane = Some(w.clone());
                if report.mistakes == 0 {
                    search.offer(0.0, Hyperplane::from_lifted(w));
                    self.ended = true;
                    // The largest margin is for those that come after.
                    let enough = !search.options.seeks(MarginKind::Angular);
                    return Ok(enough.then_some(Found::Candidate));
                }
                let before = self.rows.len();
                let room = self.size.most.saturating_sub(before);
                let worst = report.worst.into_iter().filter(|(score, _)| *score <= 0.0);
                self.join(worst.map(|(_, row)| row).take(room).collect())?;
                self.ended = self.rows.len() == before;
                Ok(None)
            }
        }
    }

    /// Returns the weights, and how columns depend on each other if they seem to.
    fn matrix(
        &self,
        search: &Search,
        newton: &LogisticNewton,
    ) -> Result<Option<MatrixFound>, PassError> {
        let weights = newton.raw_weights();
        let most = weights.iter().fold(0.0_f64, |most, w| most.max(*w));
        let pairs = self.rows.iter().copied().zip(weights);
        let weights: RowWeights = pairs
            .filter(|(_, weight)| *weight > NO_WEIGHT * most)
            .map(|(row, weight)| (row, short(weight / most)))
            .collect();
        let (mut left_out, mut orthogonal) = (vec![], vec![]);
        if newton.seems_dependent() {
            if search.shape.columns > RELATIONS {
                return Ok(None);
            }
            let halt = search.budget.halt_between_passes();
            let Some(spanned) = spanning(search.data, weights.rows(), &halt)? else {
                return Ok(None);
            };
            let Some(vectors) = orthogonal_to(search.data, &spanned.independent, &halt)? else {
                return Ok(None);
            };
            let kept: HashSet<usize> = spanned.coordinates.iter().copied().collect();
            left_out = (0..search.dimension()).filter(|k| !kept.contains(k)).collect();
            orthogonal = vectors;
        }
        let first = newton.first().iter().copied().filter(|k| !left_out.contains(k)).collect();
        Ok(Some(MatrixFound { weights, left_out, orthogonal, first, separator: None }))
    }
}

/// Returns a weight of few digits: more prove nothing more.
fn short(weight: f64) -> f64 {
    format!("{weight:.2e}").parse().expect("a number")
}

impl Strategy for NewtonSet {
    fn way(&self) -> Way {
        Way::Newton
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if search.has_candidates() {
            return Ok(Found::GaveUp(GaveUp::NotThere));
        }
        if self.rows.is_empty() {
            self.begin(search)?;
        }
        while !self.ended && self.rounds < ROUNDS {
            self.rounds += 1;
            if let Some(found) = self.round(search)? {
                return Ok(found);
            }
        }
        Ok(Found::GaveUp(GaveUp::Stuck))
    }
}
