//! From a separator to the one of largest geometric margin.
//!
//! ```text
//! repeat    nearest points of the hulls of the working set      solvers/nearest_points.rs
//!           scan all rows with the hyperplane half way: lower = smallest distance
//!           lower and half the distance of the points meet: done
//!           else the rows nearest to the hyperplane, or beyond it, join the working set
//! ```

use std::collections::HashSet;

use super::super::folds::Scorer;
use super::super::folds::scan::Scan;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::nearest_points::{Around, Hulls};
use super::{Found, GaveUp, Strategy, halted};
use crate::lift::raw_unit;
use crate::{Hyperplane, Samples};

/// Rows that show the size of the data.
const SIZE_ROWS: usize = 100;

/// The working set, and the hyperplane to scan with.
pub(super) struct NearestPoints {
    way: Way,
    size: WorkingSize,
    plane: Hyperplane,
    hulls: Option<Hulls>,
    known: HashSet<usize>,
    upper: f64,
    ended: bool,
}

impl NearestPoints {
    /// Returns the way on from this separator.
    pub fn new(way: Way, separator: Hyperplane, size: WorkingSize) -> Self {
        NearestPoints {
            way,
            size,
            plane: separator,
            hulls: None,
            known: HashSet::new(),
            upper: f64::INFINITY,
            ended: false,
        }
    }

    /// Adds those of the rows that are new, as many as fit; returns false if none is.
    fn add(&mut self, search: &Search, mut rows: Vec<usize>) -> Result<bool, PassError> {
        rows.retain(|&row| self.known.insert(row));
        let before = self.known.len() - rows.len();
        rows.truncate(self.size.most.saturating_sub(before));
        if rows.is_empty() {
            return Ok(false);
        }
        let samples = search.data.fetch(&rows)?;
        let hulls = self.hulls.as_mut().expect("begun");
        for (i, row) in rows.into_iter().enumerate() {
            hulls.add(row, samples.positive()[i], raw_row(&samples, i));
        }
        Ok(true)
    }

    /// Returns the hulls of no rows, and the rows to begin with.
    fn begin(&self, search: &mut Search) -> Result<(Hulls, Vec<usize>), PassError> {
        let mut rows = search.facts()?.first.to_vec();
        rows.extend(spread(search.shape.rows, self.size.start));
        Ok((Hulls::new(around(search)?), rows))
    }
}

impl Strategy for NearestPoints {
    fn way(&self) -> Way {
        self.way
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        let mut waiting = vec![];
        if self.hulls.is_none() {
            let (hulls, rows) = self.begin(search)?;
            (self.hulls, waiting) = (Some(hulls), rows);
            search.forget_candidates();
        }
        let unit = raw_unit(search.facts()?.longest);
        while !self.ended {
            let plane = self.plane.clone();
            let w: Vec<f64> = plane.weights.iter().copied().chain([plane.bias]).collect();
            let scan = Scan::new(Scorer::Raw(w.clone(), unit), self.size.added);
            let report = search.pass(scan)?.report();
            let lower = report.smallest() / unit / plane.weight_norm();
            search.see(report.mistakes, &w, lower);
            if report.mistakes == 0 {
                search.offer(lower, plane);
                if lower >= self.upper * (1.0 - search.options.gap) {
                    break;
                }
            }
            // Rows near a separator are where the hulls are near each other.
            waiting.extend(report.worst.iter().map(|&(_, row)| row));
            if !self.add(search, std::mem::take(&mut waiting))? || halted(search).is_some() {
                break;
            }
            let hulls = self.hulls.as_mut().expect("begun");
            hulls.solve(&|| search.budget.halted());
            if hulls.half_distance() < self.upper {
                self.upper = hulls.half_distance();
                search.nearest = Some(hulls.weights());
            }
            self.plane = hulls.hyperplane();
        }
        self.ended = true;
        Ok(match search.has_candidates() {
            true => Found::Candidate,
            false => Found::GaveUp(GaveUp::Stuck),
        })
    }
}

/// Returns the point around which raw rows are seen, and at which scale: the first negative row, and the size of what
/// some rows differ from it by.
pub(super) fn around(search: &Search) -> Result<Around, PassError> {
    let [negative, positive] = search.facts()?.first;
    let mut some = spread(search.shape.rows, SIZE_ROWS);
    some.extend([positive, negative]);
    let samples = search.data.fetch(&some)?;
    let mut values: Vec<Vec<f64>> = (0..some.len()).map(|i| raw_row(&samples, i)).collect();
    let origin = values.pop().expect("the first negative row");
    Ok(Around::new(origin, values.iter().map(Vec::as_slice)))
}

/// Returns a row as it is in the data.
pub(super) fn raw_row(samples: &Samples, row: usize) -> Vec<f64> {
    let mut x = vec![0.0; samples.columns()];
    samples.features().for_each(row, |k, v| x[k] = v);
    x
}
