//! What a vector makes of all rows: its mistakes, and the rows of smallest score.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};

use super::super::solvers::order::{Scored, by_score, keep_smallest};
use super::Scorer;

/// Counts the mistakes of w, and finds the `keep` rows of smallest score.
pub struct Scan {
    scorer: Scorer,
    keep: usize,
    mistakes: u64,
    /// The rows of smallest score so far, and a few more.
    found: Vec<Scored>,
    /// A score that at least `keep` rows do not exceed: what lies above need not be looked at.
    limit: f64,
    /// Room for the scores of a block.
    scores: Vec<f64>,
}

/// What a vector makes of all rows.
pub struct Report {
    /// Rows with w·z <= 0.
    pub mistakes: u64,
    /// The rows of smallest score, the smallest first, of equals the earlier.
    pub worst: Vec<Scored>,
}

impl Report {
    /// Returns the smallest score.
    pub fn smallest(&self) -> f64 {
        self.worst.first().map_or(f64::INFINITY, |&(score, _)| score)
    }
}

impl Scan {
    /// Returns the scan of no rows yet.
    pub fn new(scorer: Scorer, keep: usize) -> Self {
        let (found, scores) = (vec![], vec![]);
        Scan { scorer, keep, mistakes: 0, found, limit: f64::INFINITY, scores }
    }

    /// Returns the scan that a question asks for.
    pub fn asked(from: &mut &[u8], shape: Shape) -> Option<Self> {
        let scorer = Scorer::take(from).filter(|scorer| scorer.len() == shape.columns + 1)?;
        Some(Scan::new(scorer, Bytes::take(from)?))
    }

    /// Returns what was found, once all rows have been seen.
    pub fn report(mut self) -> Report {
        self.trim();
        self.found.sort_unstable_by(by_score);
        Report { mistakes: self.mistakes, worst: self.found }
    }

    /// Returns the rows of smallest score so far, in order.
    fn smallest(&self) -> Vec<Scored> {
        let mut smallest = self.found.clone();
        keep_smallest(&mut smallest, self.keep);
        smallest.sort_unstable_by(by_score);
        smallest
    }

    fn trim(&mut self) {
        keep_smallest(&mut self.found, self.keep);
        if self.found.len() == self.keep {
            let largest = self.found.iter().fold(f64::NEG_INFINITY, |most, s| most.max(s.0));
            self.limit = self.limit.min(largest);
        }
    }
}

impl Fold for Scan {
    fn fresh(&self) -> Self {
        Scan::new(self.scorer.clone(), self.keep)
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let places = block.places();
        let mut scores = std::mem::take(&mut self.scores);
        scores.resize(places.len(), 0.0);
        self.scorer.scores(block, &mut scores);
        for (place, &score) in places.zip(&scores) {
            self.mistakes += u64::from(score <= 0.0);
            if score > self.limit {
                continue;
            }
            self.found.push((score, block.number(place)));
            if self.found.len() >= 2 * self.keep + 64 {
                self.trim();
            }
        }
        self.scores = scores;
    }

    fn merge(mut self, other: Self) -> Self {
        self.mistakes += other.mistakes;
        self.found.extend(other.found);
        self.trim();
        self
    }
}

impl Kept for Scan {
    fn kind(&self) -> String {
        "scores".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        self.scorer.put(out);
        self.keep.put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        (self.mistakes, self.smallest()).put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        (self.mistakes, self.found) = Bytes::take(from)?;
        let fits = self.found.len() <= self.keep;
        (fits && self.found.iter().all(|(_, row)| *row < shape.rows)).then_some(())
    }

    fn named(&self) -> Vec<usize> {
        self.smallest().into_iter().map(|(_, row)| row).collect()
    }

    fn is_complete(&self, shape: Shape) -> bool {
        // Rows that are left out of data are not shown: there may be fewer than its shape says.
        let mistakes = self.mistakes.min(shape.rows as u64) as usize;
        self.found.len() >= self.keep.min(mistakes.max(1))
    }
}
