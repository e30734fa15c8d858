//! Pocket with ratchet: the Perceptron, and in the pocket the best of the hyperplanes that were checked.
//!
//! ```text
//! given   extended samples z = y (x, 1), not normalized, as for the Perceptron
//! start   w = 0, pocket = w
//! visit   if w·z <= 0:  w += z, run = 0
//!         else          run += 1; if run > run of the pocket: check w
//! epoch   at its end check w, too
//! check   count the mistakes of w on all samples; if it makes fewer than the pocket: pocket = w
//! stop    at the end of an epoch, if the pocket makes no mistake
//! answer  the pocket
//! ```
//!
//! A long run of correct answers hints at a good w; the check, the ratchet, makes sure of it, so
//! the mistakes of the pocket never rise. Rows that are sorted by class make long runs of poor
//! hyperplanes, which keep better ones from being looked at; hence the check at the end of each
//! epoch. Since w stands still during a run, it is checked once per run, and while w is the pocket,
//! both runs grow together.
//!
//! Guarantee: w is that of the Perceptron, so it separates after at most as many updates; and after every epoch the
//! pocket makes no more mistakes than the Perceptron's hyperplane. If samples are drawn at random from inseparable
//! data, the pocket holds a hyperplane with the fewest mistakes with a probability that tends to one, without a
//! bound on the time. Cost per pass: n dot products, one axpy per mistake, and n more dot products per check: at
//! least one check per epoch in which w changed, at worst one per mistake.
//!
//! Reference: S. Gallant, Perceptron-based learning algorithms, IEEE Transactions on Neural
//! Networks 1 (1990).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EpochEnd, Method, Outlook, Span, Tally, margin_bound, restore_state, save_state};
use crate::decide::Halt;
use crate::lift::Rows;

/// Pocket with ratchet.
pub struct Pocket {
    state: PocketState,
}

#[derive(Serialize, Deserialize)]
struct PocketState {
    w: Vec<f64>,
    /// The lengths of the samples that were added to w.
    lengths: f64,
    /// Correct answers since w last changed, and whether it was checked since.
    run: u64,
    checked: bool,
    pocket: Vec<f64>,
    pocket_run: u64,
    pocket_mistakes: u64,
    /// Whether w is what the pocket holds.
    pocketed: bool,
}

impl Pocket {
    /// Returns the method at w = 0, which is its pocket too. It learns from [`Rows::raw`].
    pub fn new(rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        Pocket {
            state: PocketState {
                pocket: w.clone(),
                w,
                lengths: 0.0,
                run: 0,
                checked: true,
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
            state.lengths += rows.squared_length(i).sqrt();
            state.run = 0;
            (state.checked, state.pocketed) = (false, false);
            return;
        }
        state.run += 1;
        if state.pocketed {
            state.pocket_run = state.run;
        } else if state.run > state.pocket_run {
            state.check(rows, tally);
        }
    }
}

impl PocketState {
    /// Puts w in the pocket if it makes fewer mistakes, unless that is known already. Costs a parallel pass.
    fn check(&mut self, rows: &Rows, tally: &mut Tally) {
        if std::mem::replace(&mut self.checked, true) {
            return;
        }
        tally.evaluated += rows.len() as u64;
        let mistakes = rows.mistakes(&self.w);
        if mistakes < self.pocket_mistakes {
            self.pocket.copy_from_slice(&self.w);
            self.pocket_run = self.run;
            self.pocket_mistakes = mistakes;
            self.pocketed = true;
        }
    }
}

impl Method for Pocket {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            self.visit(rows, i, &mut tally);
        }
        tally
    }

    fn end_epoch(&mut self, rows: &Rows, _halt: Halt) -> EpochEnd {
        let mut tally = Tally::default();
        self.state.check(rows, &mut tally);
        EpochEnd { tally, outlook: Outlook::converged(self.state.pocket_mistakes == 0) }
    }

    fn answer(&self) -> Vec<f64> {
        self.state.pocket.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.lengths)
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
        let rows = Rows::raw(&samples);
        let mut method = Pocket::new(&rows);
        let mut tally = Tally::default();
        let mut before = u64::MAX;
        for epoch in 1..=50 {
            let order = Order::shuffled(8, 3, epoch);
            for position in 0..8 {
                method.visit(&rows, order.row(position), &mut tally);
                let mistakes = method.state.pocket_mistakes;
                assert!(mistakes <= before);
                assert_eq!(mistakes, rows.mistakes(&method.answer()));
                before = mistakes;
            }
            assert_eq!(method.end_epoch(&rows, &|| false).outlook, Outlook::Open);
        }
        assert_eq!(before, 2);
    }
}
