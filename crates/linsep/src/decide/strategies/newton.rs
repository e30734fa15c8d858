//! Newton's method on a few rows per coordinate: a separator that a scan corrects, or a matrix that rules every separation out.
//!
//! ```text
//! begin     with the rows nearest to the best hyperplane that is known, and some from everywhere; sparse rows with all;
//!           with a hyperplane to begin with: rows drawn for it                                drawn.rs
//! repeat    Newton's method on the logistic loss                            solvers/newton.rs
//!           all of them on their own sides: scan all rows; no mistake: a candidate; else the worst join
//!           they nearly cancel: their weights make a matrix, which the checker looks at
//! ```
//!
//! A few rows per coordinate rule a separation out whatever the number of all rows, so the cost does not grow with it.

use std::collections::HashSet;

use dashu_int::IBig;
use linsep_proof::{MarginKind, RowWeights};

use super::super::exact::integers::odd_parts;
use super::super::folds::Scorer;
use super::super::folds::constants::Constants;
use super::super::folds::scan::Scan;
use super::super::outcome::{Way, WeakSeparator};
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::newton::{LogisticNewton, NewtonEnd};
use super::super::spanning::{orthogonal_to, spanning};
use super::drawn::{self, Drawing};
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
    /// What draws rows for a hyperplane to begin with, where there is one.
    drawing: Option<Drawing>,
    /// Whether constant columns were taken for all that depend on others.
    guessed: bool,
    rounds: usize,
    ended: bool,
}

impl NewtonSet {
    /// Returns the method before its first step.
    pub fn new(size: WorkingSize) -> Self {
        NewtonSet {
            size,
            rows: vec![],
            known: HashSet::new(),
            plane: None,
            newton: None,
            drawing: None,
            guessed: false,
            rounds: 0,
            ended: false,
        }
    }

    /// Returns the method that draws its rows for the hyperplane to begin with.
    pub fn drawing(size: WorkingSize) -> Self {
        NewtonSet { drawing: Some(Drawing::new(size)), ..NewtonSet::new(size) }
    }

    /// Takes the next rows that are drawn in the place of those before. Returns false if there are none.
    fn draw(&mut self, search: &mut Search) -> Result<bool, PassError> {
        let Some(drawing) = &mut self.drawing else { return Ok(false) };
        let Some(drawn) = drawing.next(search)? else { return Ok(false) };
        (self.rows, self.plane) = (drawn.rows, drawn.plane);
        self.known = self.rows.iter().copied().collect();
        (self.newton, self.ended, self.guessed) = (None, false, false);
        Ok(true)
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
                let newton = LogisticNewton::new(&samples, self.plane.as_deref());
                match self.drawing {
                    Some(_) => newton.map(|newton| newton.with_steps(drawn::STEPS)),
                    None => newton,
                }
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
                let before = self.guessed;
                let found = self.matrix(search, &newton)?;
                // A guess that the checker refuses is followed by what takes longer.
                self.ended = !newton.can_go_on() && self.guessed == before;
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
        &mut self,
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
            let constants = match self.guessed {
                // What the bias does, a constant column does too: nearly every design of a model has one.
                false => search.data.fold(Constants, &halt)?.found(),
                true => vec![],
            };
            if !constants.is_empty() {
                self.guessed = true;
                let dimension = search.dimension();
                orthogonal = constants.iter().map(|pair| relation(*pair, dimension)).collect();
                left_out = constants.into_iter().map(|(column, _)| column).collect();
                let first = newton.first().iter().copied();
                let first = first.filter(|k| !left_out.contains(k)).collect();
                return Ok(Some(MatrixFound {
                    weights,
                    left_out,
                    orthogonal,
                    first,
                    separator: None,
                }));
            }
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

/// Returns what all rows are orthogonal to if they have this number in this column.
fn relation((column, number): (usize, f64), dimension: usize) -> Vec<IBig> {
    let (mantissa, exponent) = odd_parts(number);
    let shifted = |value: IBig, by: i32| value << by.max(0) as usize;
    let mut vector = vec![IBig::ZERO; dimension];
    vector[column] = shifted(IBig::ONE, -exponent);
    vector[dimension - 1] = -shifted(mantissa.into(), exponent);
    vector
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
        if self.rows.is_empty() && !self.draw(search)? {
            self.begin(search)?;
        }
        if search.has_candidates() {
            // The hyperplane to begin with makes no mistake. The largest margin is for those that come after.
            let enough = !search.options.seeks(MarginKind::Angular);
            return Ok(if enough { Found::Candidate } else { Found::GaveUp(GaveUp::NotThere) });
        }
        while self.rounds < ROUNDS && (!self.ended || self.draw(search)?) {
            self.rounds += 1;
            if let Some(found) = self.round(search)? {
                return Ok(found);
            }
        }
        Ok(Found::GaveUp(GaveUp::Stuck))
    }
}
