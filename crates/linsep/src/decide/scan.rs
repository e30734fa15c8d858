//! The only thing that ever touches all the data: one pass with one vector.

use std::cmp::Ordering;
use std::ops::Range;

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

    /// Returns where the descent on the logistic loss starts. Costs a pass.
    fn start(&self) -> Start;

    /// Returns the sum of ln(1 + exp(-w·z)) over all rows, its slope, and the scores. Costs a pass.
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
    /// w·z of each row.
    pub scores: Vec<f64>,
}

/// What there is to know of the rows at w = 0.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The slope of the logistic loss: minus half the sum of all rows.
    pub slope: Vec<f64>,
    /// The sum of y z over all rows, where labels do not turn rows round.
    pub unsigned: Vec<f64>,
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
}

/// The rows of smallest score among those seen so far, and a few more.
struct Sieve {
    keep: usize,
    mistakes: u64,
    found: Vec<(f64, usize)>,
    /// A score that at least `keep` rows do not exceed: what lies above need not be looked at.
    limit: f64,
    /// Room for the scores of a task.
    scores: Vec<f64>,
}

impl Sieve {
    fn new(keep: usize) -> Self {
        Sieve { keep, mistakes: 0, found: vec![], limit: f64::INFINITY, scores: vec![] }
    }

    fn see(&mut self, score: f64, row: usize) {
        self.mistakes += u64::from(score <= 0.0);
        if score > self.limit {
            return;
        }
        self.found.push((score, row));
        if self.found.len() >= 2 * self.keep + 64 {
            self.trim();
        }
    }

    fn trim(&mut self) {
        if self.found.len() > self.keep && self.keep > 0 {
            let (_, last, _) = self.found.select_nth_unstable_by(self.keep - 1, order);
            self.limit = last.0;
        }
        self.found.truncate(self.keep);
    }

    fn join(mut self, other: Sieve) -> Sieve {
        self.mistakes += other.mistakes;
        self.found.extend(other.found);
        self.trim();
        self
    }

    fn report(mut self) -> Report {
        self.trim();
        self.found.sort_unstable_by(order);
        Report { mistakes: self.mistakes, worst: self.found }
    }
}

fn order(a: &(f64, usize), b: &(f64, usize)) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Returns ln(1 + exp(-score)) and how fast it falls.
pub(super) fn logistic(score: f64) -> (f64, f64) {
    let tail = libm::exp(-score.abs());
    let weight = if score > 0.0 { tail } else { 1.0 } / (1.0 + tail);
    (libm::log1p(tail) + (-score).max(0.0), weight)
}

impl Rows<'_> {
    /// Returns the number of parts in which sums over all rows are made, and then added up in order:
    /// the same whatever the threads, and so are the bits.
    fn parts(&self) -> usize {
        64.min(self.len().div_ceil(64))
    }

    fn part(&self, part: usize, parts: usize) -> Range<usize> {
        let size = self.len().div_ceil(parts);
        self.len().min(part * size)..self.len().min((part + 1) * size)
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
        let look = |mut sieve: Sieve, task: usize| {
            let first = task * ROWS_A_TASK;
            let mut scores = std::mem::take(&mut sieve.scores);
            scores.resize(ROWS_A_TASK.min(self.len() - first), 0.0);
            self.scores(first..first + scores.len(), w, &mut scores);
            (first..).zip(&scores).for_each(|(row, &score)| sieve.see(score, row));
            sieve.scores = scores;
            sieve
        };
        // The smallest of a set, ties broken by row, do not depend on how the set is cut.
        let sieve = || Sieve::new(keep);
        (0..tasks).into_par_iter().fold(sieve, look).reduce(sieve, Sieve::join).report()
    }

    fn start(&self) -> Start {
        let parts = self.parts();
        let part = |part: usize| {
            let mut sums = [0, 1].map(|_| vec![0.0; Rows::dimension(self)]);
            for i in self.part(part, parts) {
                self.add(i, 1.0, &mut sums[usize::from(self.samples().positive()[i])]);
            }
            sums
        };
        let sums: Vec<[Vec<f64>; 2]> = (0..parts).into_par_iter().map(part).collect();
        let [negative, positive] = sums
            .into_iter()
            .reduce(|mut total, part| {
                let pairs = total.iter_mut().flatten().zip(part.iter().flatten());
                pairs.for_each(|(a, b)| *a += b);
                total
            })
            .expect("there is a row");
        let pairs = || positive.iter().zip(&negative);
        Start {
            slope: pairs().map(|(p, n)| -0.5 * (p + n)).collect(),
            unsigned: pairs().map(|(p, n)| p - n).collect(),
        }
    }

    fn logistic(&self, w: &[f64]) -> Logistic {
        let parts = self.parts();
        let part = |part: usize| {
            let (slope, range) = (vec![0.0; Rows::dimension(self)], self.part(part, parts));
            let scores = Vec::with_capacity(range.len());
            let mut sum = Logistic { loss: 0.0, slope, mistakes: 0, scores };
            for i in range {
                let score = self.score(i, w);
                let (loss, weight) = logistic(score);
                sum.loss += loss;
                self.add(i, -weight, &mut sum.slope);
                sum.mistakes += u64::from(score <= 0.0);
                sum.scores.push(score);
            }
            sum
        };
        let sums: Vec<Logistic> = (0..parts).into_par_iter().map(part).collect();
        sums.into_iter()
            .reduce(|mut total, part| {
                total.loss += part.loss;
                total.mistakes += part.mistakes;
                total.slope.iter_mut().zip(part.slope).for_each(|(a, b)| *a += b);
                total.scores.extend(part.scores);
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
