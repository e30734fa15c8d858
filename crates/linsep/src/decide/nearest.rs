//! The engine's way from a separator to the one of largest geometric margin.
//!
//! ```text
//! repeat    nearest points of the hulls of the working set                     geometric.rs
//!           scan all rows with the hyperplane half way: lower = smallest distance
//!           lower and half the distance of the points meet: done
//!           else the rows nearest to the hyperplane, or beyond it, join the working set
//! ```

use std::collections::HashSet;

use super::engine::{
    ADDED_A_DIMENSION, Decision, Engine, ROWS_A_DIMENSION, WORKING_SET_VALUES, first_of_each_class,
    spread,
};
use super::geometric::Hulls;
use super::scan::Scan;
use crate::lift::Rows;

/// Rows that must fit for the nearest points to be worth looking for.
const FEWEST_ROWS: usize = 1000;
/// Rows that show the size of the data.
const SIZE_ROWS: usize = 100;

impl Engine<'_> {
    /// Goes on from a separable decision to the separator of largest geometric margin.
    pub(super) fn nearest_points(&mut self, decision: Decision) -> Decision {
        let rows = Rows::raw(self.samples);
        let (n, dimension) = (rows.len(), rows.dimension());
        let most = (WORKING_SET_VALUES / dimension).max(2);
        let Some(mut plane) = decision.hyperplane.clone().filter(|_| most >= n.min(FEWEST_ROWS))
        else {
            return decision;
        };
        let [negative, positive] = first_of_each_class(self.samples);
        let mut some: Vec<Vec<f64>> =
            spread(n, SIZE_ROWS).into_iter().map(|i| self.raw_row(i)).collect();
        some.push(self.raw_row(positive));
        let mut hulls = Hulls::new(self.raw_row(negative), some.iter().map(Vec::as_slice));
        let mut new = vec![negative, positive];
        new.extend(spread(n, (ROWS_A_DIMENSION * dimension).min(most)));
        let mut known = HashSet::new();
        let mut upper = f64::INFINITY;
        self.candidates.clear();
        loop {
            let w: Vec<f64> = plane.weights.iter().copied().chain([plane.bias]).collect();
            let report = rows.scan(&w, ADDED_A_DIMENSION * dimension);
            self.passes += 1;
            let lower = report.smallest() / rows.unit() / plane.weight_norm();
            self.see(report.mistakes, &w, lower);
            if report.mistakes == 0 {
                self.add_candidate(lower, plane);
                if lower >= upper * (1.0 - self.options.gap) {
                    break;
                }
            }
            // Rows near a separator are where the hulls are near each other.
            new.extend(report.worst.iter().map(|&(_, row)| row));
            new.retain(|&row| known.insert(row));
            new.truncate((2 * most).saturating_sub(known.len() - new.len()));
            if new.is_empty() || self.halted() {
                break;
            }
            for row in new.drain(..) {
                hulls.add(row, self.samples.positive()[row], self.raw_row(row));
            }
            hulls.solve(&|| self.halted());
            if hulls.half_distance() < upper {
                upper = hulls.half_distance();
                self.nearest = Some(hulls.weights());
            }
            plane = hulls.hyperplane();
        }
        self.finish(decision.way).unwrap_or(decision)
    }

    fn raw_row(&self, row: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.samples.columns()];
        self.samples.features().for_each(row, |k, v| x[k] = v);
        x
    }
}
