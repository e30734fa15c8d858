//! Maxover: learn the one sample that is nearest to being right.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖, target stability kappa
//! start   w = 0
//! pass    of the samples with w·z <= kappa ‖w‖, take the one with the largest w·z, the first of
//!         equals:  w += z
//! stop    after a pass without a mistake; such a pass changes nothing
//! ```
//!
//! The sample with the largest overlap among the unlearned is the one that is learned at the least
//! cost to the others, so hopeless samples are left alone: on inseparable data the number of
//! mistakes falls to a local minimum.
//!
//! Guarantee: with kappa = 0 each update answers a mistake, so there are at most 1/rho² of them, as
//! for the Perceptron, if the largest angular margin rho is positive. With 0 < kappa < rho their
//! number is finite, with kappa >= rho it need not be. Cost per pass: n dot products and one axpy;
//! one pass per update, so that 1/rho² bounds the passes as well.
//!
//! Reference: A. Wendemuth, Learning the unlearnable, Journal of Physics A 28 (1995).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EpochEnd, Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::decide::Halt;
use crate::hyperplane::norm;
use crate::lift::Rows;

/// Settings of [`Maxover`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MaxoverSettings {
    /// The overlap w·z / ‖w‖ above which a sample counts as learned; at least 0, default 0.
    pub kappa: f64,
}

/// Maxover.
pub struct Maxover {
    kappa: f64,
    state: MaxoverState,
}

#[derive(Serialize, Deserialize)]
struct MaxoverState {
    w: Vec<f64>,
    updates: u64,
    /// Of this pass: whether it met a mistake, and the score and row to learn.
    mistaken: bool,
    nearest: Option<(f64, usize)>,
}

impl Maxover {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(settings: &MaxoverSettings, rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        let state = MaxoverState { w, updates: 0, mistaken: false, nearest: None };
        Maxover { kappa: settings.kappa, state }
    }
}

impl Method for Maxover {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let MaxoverState { w, nearest, mistaken, .. } = &mut self.state;
        if span.positions.start == 0 {
            // What an epoch that was cut short left over may be about other rows.
            (*nearest, *mistaken) = (None, false);
        }
        let target = self.kappa * norm(w.iter().copied());
        let mut mistakes = 0;
        for i in span.rows(rows) {
            let score = rows.score(i, w);
            mistakes += u64::from(score <= 0.0);
            if score <= target && nearest.is_none_or(|(largest, _)| score > largest) {
                *nearest = Some((score, i));
            }
        }
        *mistaken |= mistakes > 0;
        Tally { mistakes, updates: 0, evaluated: span.positions.len() as u64 }
    }

    fn end_epoch(&mut self, rows: &Rows, _halt: Halt) -> EpochEnd {
        let state = &mut self.state;
        let nearest = state.nearest.take();
        let mut end = EpochEnd::default();
        // A w without mistakes is the answer, whatever kappa would still ask for.
        if std::mem::take(&mut state.mistaken)
            && let Some((_, i)) = nearest
        {
            rows.add(i, 1.0, &mut state.w);
            state.updates += 1;
            end.tally.updates = 1;
        }
        end
    }

    fn answer(&self) -> Vec<f64> {
        self.state.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.updates as f64)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| [(&state.w, rows.dimension())])?;
        self.state.nearest = self.state.nearest.filter(|(_, row)| *row < rows.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::online::Order;

    #[test]
    fn an_epoch_cut_short_leaves_nothing_to_other_rows() {
        let many = Samples::dense(vec![1.0, 2.0, 3.0, 4.0], 1, vec![false, true, true, false]);
        let few = Samples::dense(vec![1.0, 2.0], 1, vec![false, true]).unwrap();
        let (many, few) = (many.unwrap(), Rows::lifted(&few));
        let many = Rows::lifted(&many);
        let mut method = Maxover::new(&MaxoverSettings { kappa: 0.0 }, &many);
        let order = Order::natural();
        method.learn(&many, &Span { order: &order, positions: 2..4, epoch: 1 });
        let saved = method.save();
        let mut other = Maxover::new(&MaxoverSettings { kappa: 0.0 }, &few);
        other.restore(&few, saved).unwrap();
        other.learn(&few, &Span { order: &order, positions: 0..2, epoch: 1 });
        assert_eq!(other.state.nearest.map(|(_, row)| row), Some(0));
        other.end_epoch(&few, &|| false);
        assert_eq!(other.answer(), few.vector(0));
    }

    fn check(w: &[f64], kappa: f64, expected: Option<usize>) {
        // Lifted: (-0.6, -0.8), (0.6, 0.8), (0.8, 0.6), (-0.8, -0.6).
        let x = vec![0.75, 0.75, 4.0 / 3.0, 4.0 / 3.0];
        let samples = Samples::dense(x, 1, vec![false, true, true, false]).unwrap();
        let rows = Rows::lifted(&samples);
        let mut method = Maxover::new(&MaxoverSettings { kappa }, &rows);
        method.state.w = w.to_vec();
        let order = Order::natural();
        for positions in [0..1, 1..3, 3..4] {
            method.learn(&rows, &Span { order: &order, positions, epoch: 1 });
        }
        assert_eq!(method.state.nearest.map(|(_, i)| i), expected);
    }

    #[test]
    fn the_nearest_of_the_unlearned_is_chosen() {
        check(&[0.0, 0.0], 0.0, Some(0));
        check(&[1.0, 0.0], 0.0, Some(0));
        check(&[1.0, 0.0], 0.7, Some(1));
        check(&[1.0, 0.0], 0.9, Some(2));
        check(&[0.0, -2.0], 0.0, Some(2));
        check(&[0.0, -2.0], 0.9, Some(0));
    }
}
