//! The only thing that ever touches all the data: one pass with one vector.

use rayon::prelude::*;

use crate::lift::Rows;

/// Rows handed to one task.
const ROWS_A_TASK: usize = 1024;

/// A pass over all lifted samples. Memory, disk and cluster are implementations of it, and one
/// engine serves them all.
pub trait Scan {
    /// Returns the number of rows.
    fn rows(&self) -> usize;

    /// Returns the number of coordinates of a lifted sample.
    fn dimension(&self) -> usize;

    /// Returns what w makes of all rows, with the `keep` of smallest score. Costs a pass.
    fn scan(&self, w: &[f64], keep: usize) -> Report;

    /// Returns the sum of ln(1 + exp(-w·z)) over all rows, its slope, and the mistakes. Costs a
    /// pass.
    fn logistic(&self, w: &[f64]) -> Logistic;

    /// Returns the lifted samples of these rows.
    fn fetch(&self, rows: &[usize]) -> Vec<Vec<f64>>;
}

/// The logistic loss of a vector.
#[derive(Clone, Debug, Default)]
pub struct Logistic {
    /// The sum over all rows.
    pub loss: f64,
    /// Its derivative with respect to w.
    pub slope: Vec<f64>,
    /// Rows with w·z <= 0.
    pub mistakes: u64,
}

/// What a vector makes of all rows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Rows with w·z <= 0.
    pub mistakes: u64,
    /// The rows of smallest score, with their scores: the smallest first, of equals the earlier.
    pub worst: Vec<(f64, usize)>,
}

impl Report {
    /// Returns the smallest score.
    pub fn smallest(&self) -> f64 {
        self.worst.first().map_or(f64::INFINITY, |&(score, _)| score)
    }

    fn see(&mut self, score: f64, row: usize) {
        self.mistakes += u64::from(score <= 0.0);
        self.worst.push((score, row));
    }

    /// Keeps the `keep` of smallest score.
    fn trim(&mut self, keep: usize) {
        let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if self.worst.len() > keep {
            self.worst.select_nth_unstable_by(keep, order);
            self.worst.truncate(keep);
        }
        self.worst.sort_unstable_by(order);
    }

    fn join(mut self, other: Report, keep: usize) -> Report {
        self.mistakes += other.mistakes;
        self.worst.extend(other.worst);
        self.trim(keep);
        self
    }
}

/// Samples in memory, or mapped into it.
impl Scan for Rows<'_> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn dimension(&self) -> usize {
        Rows::dimension(self)
    }

    fn scan(&self, w: &[f64], keep: usize) -> Report {
        let tasks = self.len().div_ceil(ROWS_A_TASK);
        let report = |task: usize| {
            let first = task * ROWS_A_TASK;
            let mut scores = vec![0.0; ROWS_A_TASK.min(self.len() - first)];
            self.scores(first..first + scores.len(), w, &mut scores);
            let mut report = Report::default();
            (first..).zip(&scores).for_each(|(row, &score)| report.see(score, row));
            report.trim(keep);
            report
        };
        // The smallest of a set, ties broken by row, do not depend on how the set is cut.
        let join = |a: Report, b: Report| a.join(b, keep);
        (0..tasks).into_par_iter().map(report).reduce(Report::default, join)
    }

    fn logistic(&self, w: &[f64]) -> Logistic {
        // As many parts whatever the threads, added up in their order: the same bits.
        let parts = 64.min(self.len().div_ceil(16));
        let size = self.len().div_ceil(parts);
        let part = |part: usize| {
            let slope = vec![0.0; Rows::dimension(self)];
            let mut sum = Logistic { loss: 0.0, slope, mistakes: 0 };
            for i in part * size..self.len().min((part + 1) * size) {
                let score = self.score(i, w);
                let tail = libm::exp(-score.abs());
                sum.loss += libm::log1p(tail) + (-score).max(0.0);
                let weight = if score > 0.0 { tail } else { 1.0 } / (1.0 + tail);
                self.add(i, -weight, &mut sum.slope);
                sum.mistakes += u64::from(score <= 0.0);
            }
            sum
        };
        let sums: Vec<Logistic> = (0..parts).into_par_iter().map(part).collect();
        sums.into_iter()
            .reduce(|mut total, part| {
                total.loss += part.loss;
                total.mistakes += part.mistakes;
                total.slope.iter_mut().zip(part.slope).for_each(|(a, b)| *a += b);
                total
            })
            .expect("there is a row")
    }

    fn fetch(&self, rows: &[usize]) -> Vec<Vec<f64>> {
        rows.par_iter().map(|&i| self.vector(i)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;

    #[test]
    fn the_worst_rows_come_in_order_whatever_the_threads() {
        let samples = Generator::new(5000, 3, 1).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let w = [0.3, -0.2, 0.5, 0.1];
        let mut all: Vec<(f64, usize)> = (0..5000).map(|i| (rows.score(i, &w), i)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let report = pool.install(|| rows.scan(&w, 70));
            assert_eq!(report.worst, all[..70]);
            assert_eq!(report.mistakes, all.iter().filter(|(s, _)| *s <= 0.0).count() as u64);
        }
    }

    #[test]
    fn the_slope_is_that_of_the_loss() {
        let samples = Generator::new(300, 3, 2).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let w = [0.3, -0.2, 0.5, 0.1];
        let slope = rows.logistic(&w).slope;
        for k in 0..4 {
            let at = |step: f64| {
                let mut w = w;
                w[k] += step;
                rows.logistic(&w).loss
            };
            assert!(((at(1e-5) - at(-1e-5)) / 2e-5 - slope[k]).abs() < 1e-6);
        }
    }
}
