//! The voted and the averaged perceptron: perceptron steps, and every w counts for as long as it
//! lasted.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start   w = 0
//! visit   if w·z <= 0:  w += z
//!         in either case w gets one vote
//! stop    after an epoch without a mistake, if the answer makes none either
//! answer  averaged: the mean of w over all visits
//!         voted: the w with the most votes in a row, the later of equals
//! ```
//!
//! The voted perceptron of the paper predicts by a vote of all the hyperplanes it ever had, and a
//! vote of hyperplanes is not a hyperplane. This tool answers with one, so [`Voted`] gives the one
//! that has the most votes; one without a mistake on any sample wins in the end, and is taken at
//! once. [`Averaged`] is the paper's own way to a single hyperplane. Its mean goes on moving
//! towards a w that makes no mistakes, and the fit goes on until it makes none either.
//!
//! Guarantee: as for the Perceptron at most 1/rho² updates, if the largest angular margin rho is
//! positive. The mean then needs further epochs, without updates, until the votes of the final w
//! outweigh all earlier ones. On inseparable data both tend to be better than the last w. Cost per
//! pass: n dot products, one axpy (averaged: two) per mistake.
//!
//! Reference: Y. Freund and R. Schapire, Large margin classification using the perceptron
//! algorithm, Machine Learning 37 (1999).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EpochEnd, Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::decide::Halt;
use crate::lift::Rows;

/// The voted perceptron, answering with the heaviest vote.
pub struct Voted {
    state: VotedState,
}

#[derive(Serialize, Deserialize)]
struct VotedState {
    w: Vec<f64>,
    votes: u64,
    updates: u64,
    /// Whether this epoch had no mistake so far.
    clean: bool,
    /// The earlier w with the most votes, and how many.
    heaviest: Vec<f64>,
    most_votes: u64,
}

impl Voted {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        let heaviest = w.clone();
        Voted {
            state: VotedState { w, votes: 0, updates: 0, clean: true, heaviest, most_votes: 0 },
        }
    }
}

impl VotedState {
    /// Remembers w as the one with the most votes.
    fn keep(&mut self) {
        self.heaviest.copy_from_slice(&self.w);
        self.most_votes = self.votes;
    }
}

impl Method for Voted {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let state = &mut self.state;
        let mut mistakes = 0;
        for i in span.rows(rows) {
            if rows.score(i, &state.w) <= 0.0 {
                if state.votes >= state.most_votes {
                    state.keep();
                }
                rows.add(i, 1.0, &mut state.w);
                state.votes = 0;
                mistakes += 1;
            }
            state.votes += 1;
        }
        state.updates += mistakes;
        state.clean &= mistakes == 0;
        Tally { mistakes, updates: mistakes, evaluated: span.positions.len() as u64 }
    }

    fn end_epoch(&mut self, _rows: &Rows, _halt: Halt) -> EpochEnd {
        // In shuffled epochs an earlier w may have more votes without having seen all rows.
        if self.state.clean {
            self.state.keep();
        }
        self.state.clean = true;
        EpochEnd::default()
    }

    fn answer(&self) -> Vec<f64> {
        let state = &self.state;
        if state.votes >= state.most_votes { state.w.clone() } else { state.heaviest.clone() }
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.updates as f64)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| {
            [(&state.w, rows.dimension()), (&state.heaviest, rows.dimension())]
        })
    }
}

/// The averaged perceptron.
pub struct Averaged {
    state: AveragedState,
}

#[derive(Serialize, Deserialize)]
struct AveragedState {
    w: Vec<f64>,
    visits: u64,
    updates: u64,
    /// The sum of k z over all updates, each after k visits: what w has too much in a sum of its
    /// values over all visits.
    excess: Vec<f64>,
}

impl Averaged {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        let excess = w.clone();
        Averaged { state: AveragedState { w, visits: 0, updates: 0, excess } }
    }
}

impl Method for Averaged {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let state = &mut self.state;
        let mut mistakes = 0;
        for i in span.rows(rows) {
            if rows.score(i, &state.w) <= 0.0 {
                rows.add(i, 1.0, &mut state.w);
                rows.add(i, state.visits as f64, &mut state.excess);
                mistakes += 1;
            }
            state.visits += 1;
        }
        state.updates += mistakes;
        Tally { mistakes, updates: mistakes, evaluated: span.positions.len() as u64 }
    }

    fn answer(&self) -> Vec<f64> {
        let AveragedState { w, visits, excess, .. } = &self.state;
        let visits = (*visits).max(1) as f64;
        w.iter().zip(excess).map(|(w, excess)| w - excess / visits).collect()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.updates as f64)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| {
            [(&state.w, rows.dimension()), (&state.excess, rows.dimension())]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::online::Order;

    #[test]
    fn the_average_and_the_heaviest_vote_are_those_of_a_naive_count() {
        let samples = Generator::new(60, 3, 5).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let order = Order::natural();
        let (mut averaged, mut voted) = (Averaged::new(&rows), Voted::new(&rows));
        let mut w = vec![0.0; 4];
        let mut sum = vec![0.0; 4];
        let (mut votes, mut heaviest) = (0, (0, w.clone()));
        for visit in 0..150 {
            let i = visit % 60;
            let span = Span { order: &order, positions: i..i + 1, epoch: 1 };
            let tally = averaged.learn(&rows, &span);
            assert_eq!(voted.learn(&rows, &span), tally);
            if rows.score(i, &w) <= 0.0 {
                assert_eq!(tally.mistakes, 1);
                rows.add(i, 1.0, &mut w);
                votes = 0;
            }
            votes += 1;
            if votes >= heaviest.0 {
                heaviest = (votes, w.clone());
            }
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w);
            for (found, sum) in averaged.answer().iter().zip(&sum) {
                assert!((found - sum / (visit + 1) as f64).abs() < 1e-12);
            }
            assert_eq!(voted.answer(), heaviest.1);
        }
        assert!(averaged.state.updates > 10);
    }
}
