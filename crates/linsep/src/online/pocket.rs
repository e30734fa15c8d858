//! Pocket with ratchet: perceptron steps, and in the pocket the best hyperplane met so far.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start   w = 0, pocket = w
//! visit   if w·z <= 0:  w += z, run = 0
//!         else          run += 1; if run > run of the pocket: check w on all samples, and if it
//!                       makes fewer mistakes than the pocket: pocket = w
//! stop    at the end of an epoch, if the pocket makes no mistake
//! answer  the pocket
//! ```
//!
//! A long run of correct answers hints at a good w; the check, the ratchet, makes sure of it, so
//! the mistakes of the pocket never rise. Since w stands still during a run, it is checked once per
//! run, and while w is the pocket, both runs grow together.
//!
//! Guarantee: as for the Perceptron at most 1/rho² updates, if the largest angular margin rho is
//! positive. If samples are drawn at random from inseparable data, the pocket holds a hyperplane
//! with the fewest mistakes with a probability that tends to one, without a bound on the time. Cost
//! per pass: n dot products, one axpy per mistake, and n more dot products per check: at worst one
//! check per mistake.
//!
//! Reference: S. Gallant, Perceptron-based learning algorithms, IEEE Transactions on Neural
//! Networks 1 (1990).

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EpochEnd, Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::lift::Rows;

/// Pocket with ratchet.
pub struct Pocket {
    state: State,
}

#[derive(Serialize, Deserialize)]
struct State {
    w: Vec<f64>,
    updates: u64,
    /// Correct answers since w last changed, and whether it was checked since.
    run: u64,
    checked: bool,
    /// Whether this epoch had no mistake so far.
    clean: bool,
    pocket: Vec<f64>,
    pocket_run: u64,
    pocket_mistakes: u64,
    /// Whether w is what the pocket holds.
    pocketed: bool,
}

impl Pocket {
    /// Returns the method at w = 0, which is its pocket too. It learns from [`Rows::lifted`].
    pub fn new(rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        Pocket {
            state: State {
                pocket: w.clone(),
                w,
                updates: 0,
                run: 0,
                checked: false,
                clean: true,
                pocket_run: 0,
                // Every sample has w·z = 0.
                pocket_mistakes: rows.len() as u64,
                pocketed: true,
            },
        }
    }

    /// Visits row `i`.
    fn visit(&mut self, rows: &Rows, i: usize, tally: &mut Tally) {
        let state = &mut self.state;
        tally.evaluated += 1;
        if rows.score(i, &state.w) <= 0.0 {
            rows.add(i, 1.0, &mut state.w);
            tally.mistakes += 1;
            tally.updates += 1;
            state.updates += 1;
            state.run = 0;
            (state.checked, state.pocketed, state.clean) = (false, false, false);
            return;
        }
        state.run += 1;
        if state.pocketed {
            state.pocket_run = state.run;
        } else if !state.checked && state.run > state.pocket_run {
            state.checked = true;
            tally.evaluated += rows.len() as u64;
            let mistakes = count_mistakes(rows, &state.w);
            if mistakes < state.pocket_mistakes {
                state.put(mistakes);
            }
        }
    }
}

impl State {
    /// Puts w in the pocket.
    fn put(&mut self, mistakes: u64) {
        self.pocket.copy_from_slice(&self.w);
        self.pocket_run = self.run;
        self.pocket_mistakes = mistakes;
        self.pocketed = true;
    }
}

/// Returns the mistakes of w on all rows. Costs one parallel pass.
fn count_mistakes(rows: &Rows, w: &[f64]) -> u64 {
    let mut scores = vec![0.0; rows.len()];
    rows.all_scores(w, &mut scores);
    scores.par_iter().filter(|&&score| score <= 0.0).count() as u64
}

impl Method for Pocket {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            self.visit(rows, i, &mut tally);
        }
        tally
    }

    fn end_epoch(&mut self, _rows: &Rows) -> EpochEnd {
        let state = &mut self.state;
        // In shuffled epochs the pocket's run may be the longer one all the same.
        if state.clean && !state.pocketed {
            state.put(0);
        }
        state.clean = true;
        EpochEnd { converged: state.pocket_mistakes == 0, ..EpochEnd::default() }
    }

    fn answer(&self) -> Vec<f64> {
        self.state.pocket.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.updates as f64)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| {
            [(&state.w, rows.dimension()), (&state.pocket, rows.dimension())]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::online::Order;

    /// Four samples of each class on a line, one of each on the wrong side.
    fn inseparable() -> Samples {
        let x = vec![-4.0, -3.0, -2.0, 5.0, 4.0, 3.0, 2.0, -5.0];
        Samples::dense(x, 1, (0..8).map(|i| i >= 4).collect()).unwrap()
    }

    #[test]
    fn the_mistakes_of_the_pocket_never_rise_and_are_those_of_its_hyperplane() {
        let samples = inseparable();
        let rows = Rows::lifted(&samples);
        let mut method = Pocket::new(&rows);
        let mut tally = Tally::default();
        let mut before = u64::MAX;
        for epoch in 1..=50 {
            let order = Order::shuffled(8, 3, epoch);
            for position in 0..8 {
                method.visit(&rows, order.row(position), &mut tally);
                let mistakes = method.state.pocket_mistakes;
                assert!(mistakes <= before);
                assert_eq!(mistakes, count_mistakes(&rows, &method.answer()));
                before = mistakes;
            }
            assert!(!method.end_epoch(&rows).converged);
        }
        assert_eq!(before, 2);
    }
}
