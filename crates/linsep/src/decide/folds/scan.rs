//! What a vector makes of all rows: its mistakes, and the rows of smallest score.

use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use super::super::solvers::order::{Scored, by_score, keep_smallest};
use super::Scorer;

/// Counts the mistakes of w, and finds the `keep` rows of smallest score.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scan {
    scorer: Scorer,
    keep: usize,
}

/// What was found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScanState {
    /// Rows with w·z <= 0.
    pub mistakes: u64,
    /// The rows of smallest score, and a few more until the state is settled.
    pub found: Vec<Scored>,
    /// A score that at least `keep` rows do not exceed: what lies above need not be looked at.
    #[serde(skip, default = "no_limit")]
    limit: f64,
    /// Room for the scores of a block.
    #[serde(skip)]
    scores: Vec<f64>,
}

fn no_limit() -> f64 {
    f64::INFINITY
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
    /// Returns the query.
    pub fn new(scorer: Scorer, keep: usize) -> Self {
        Scan { scorer, keep }
    }

    fn trim(&self, state: &mut ScanState) {
        keep_smallest(&mut state.found, self.keep);
        if state.found.len() == self.keep {
            let largest = state.found.iter().fold(f64::NEG_INFINITY, |most, s| most.max(s.0));
            state.limit = state.limit.min(largest);
        }
    }
}

impl ScanState {
    /// Returns what was found, once all rows have been seen.
    pub fn report(self) -> Report {
        Report { mistakes: self.mistakes, worst: self.found }
    }
}

impl FoldQuery for Scan {
    type State = ScanState;

    fn begin(&self) -> ScanState {
        ScanState { mistakes: 0, found: vec![], limit: no_limit(), scores: vec![] }
    }

    fn absorb(&self, state: &mut ScanState, block: &Block<'_>) {
        let places = block.places();
        let mut scores = std::mem::take(&mut state.scores);
        scores.resize(places.len(), 0.0);
        self.scorer.scores(block, &mut scores);
        for (place, &score) in places.zip(&scores) {
            state.mistakes += u64::from(score <= 0.0);
            if score > state.limit {
                continue;
            }
            state.found.push((score, block.number(place)));
            if state.found.len() / 2 >= self.keep.saturating_add(32) {
                self.trim(state);
            }
        }
        state.scores = scores;
    }

    fn merge(&self, state: &mut ScanState, other: ScanState) {
        state.mistakes += other.mistakes;
        state.found.extend(other.found);
        self.trim(state);
    }

    fn settle(&self, state: &mut ScanState) {
        self.trim(state);
        state.found.sort_unstable_by(by_score);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.scorer.fits(shape.columns + 1)
    }

    fn admits(&self, state: &ScanState, shape: Shape) -> bool {
        state.mistakes <= shape.rows as u64
            && state.found.len() <= self.keep
            && state.found.iter().all(|(_, row)| *row < shape.rows)
    }

    fn is_complete(&self, state: &ScanState, _: Shape) -> bool {
        // Rows that are left out of data are not shown: there may be fewer than its shape says.
        state.found.len() >= self.keep.min(state.mistakes.max(1) as usize)
    }

    fn named(&self, state: &ScanState) -> Vec<usize> {
        state.found.iter().map(|(_, row)| *row).collect()
    }
}
