//! Passive-aggressive: the smallest change of w that gives a sample the margin it lacks.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖, aggressiveness C, times the weight of the row
//! start   w = 0
//! visit   loss = max(0, 1 - w·z); if loss > 0:  w += tau z, where
//!         hard   tau = loss / ‖z‖²                    (PA)
//!         one    tau = min(C, loss / ‖z‖²)            (PA-I)
//!         two    tau = loss / (‖z‖² + 1 / (2C))       (PA-II)
//! stop    after an epoch without a mistake, if the last w makes none either
//! ```
//!
//! The step of `hard` is the projection of w on the half space w·z >= 1; the other two hold back,
//! so that one wrong label cannot undo everything. Samples on the right side with a score below 1
//! change w as well, but are no mistakes.
//!
//! Guarantee: if the largest angular margin rho is positive, at most 1/rho² mistakes for `hard`,
//! max(1, 1/C) / rho² for `one` and (1 + 1/(2C)) / rho² for `two`. Cost per pass: n dot products,
//! one axpy per update.
//!
//! Reference: K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer, Online
//! passive-aggressive algorithms, Journal of Machine Learning Research 7 (2006).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::lift::Rows;

/// How far a step goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// All the way: PA.
    Hard,
    /// At most C: PA-I.
    #[default]
    One,
    /// A fraction of the way that C determines: PA-II.
    Two,
}

/// Settings of [`PassiveAggressive`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PassiveAggressiveSettings {
    /// How far a step goes; default `one`.
    pub variant: Variant,
    /// C, above 0, default 1; a larger one goes farther. `hard` does not use it.
    pub aggressiveness: f64,
}

impl Default for PassiveAggressiveSettings {
    fn default() -> Self {
        PassiveAggressiveSettings { variant: Variant::One, aggressiveness: 1.0 }
    }
}

/// Passive-aggressive.
pub struct PassiveAggressive {
    settings: PassiveAggressiveSettings,
    state: PassiveAggressiveState,
}

#[derive(Serialize, Deserialize)]
struct PassiveAggressiveState {
    w: Vec<f64>,
    /// The sum of all steps tau.
    step_sum: f64,
}

impl PassiveAggressive {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(settings: &PassiveAggressiveSettings, rows: &Rows) -> Self {
        let state = PassiveAggressiveState { w: vec![0.0; rows.dimension()], step_sum: 0.0 };
        PassiveAggressive { settings: settings.clone(), state }
    }

    fn step(&self, loss: f64, squared_length: f64, weight: f64) -> f64 {
        let most = self.settings.aggressiveness * weight;
        match self.settings.variant {
            Variant::Hard => loss / squared_length,
            Variant::One => most.min(loss / squared_length),
            Variant::Two => loss / (squared_length + 0.5 / most),
        }
    }
}

impl Method for PassiveAggressive {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            let score = rows.score(i, &self.state.w);
            tally.mistakes += u64::from(score <= 0.0);
            if score < 1.0 {
                let step = self.step(1.0 - score, rows.squared_length(i), rows.weight(i));
                rows.add(i, step, &mut self.state.w);
                self.state.step_sum += step;
                tally.updates += 1;
            }
        }
        tally.evaluated = span.positions.len() as u64;
        tally
    }

    fn answer(&self) -> Vec<f64> {
        self.state.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.step_sum)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| [(&state.w, rows.dimension())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::online::Order;

    /// Visits one sample at w = 0 and then the other at the w this gives: their lifted forms are
    /// (0.6, 0.8) and (-0.8, -0.6), so the second has a loss of 1 + 0.96 tau.
    fn check(variant: Variant, aggressiveness: f64, first: f64, second: f64) {
        let samples = Samples::dense(vec![0.75, 4.0 / 3.0], 1, vec![true, false]).unwrap();
        let rows = Rows::lifted(&samples);
        let mut method =
            PassiveAggressive::new(&PassiveAggressiveSettings { variant, aggressiveness }, &rows);
        let order = Order::natural();
        for (i, expected) in [first, second].into_iter().enumerate() {
            method.learn(&rows, &Span { order: &order, positions: i..i + 1, epoch: 1 });
            let score = rows.score(i, &method.answer());
            assert!((score - expected).abs() < 1e-15, "{variant:?}: {score} against {expected}");
        }
    }

    #[test]
    fn a_step_gives_the_score_that_the_variant_promises() {
        check(Variant::Hard, 0.1, 1.0, 1.0);
        check(Variant::One, 9.0, 1.0, 1.0);
        check(Variant::One, 0.25, 0.25, 0.25 - 0.96 * 0.25);
        // tau = 1 / 1.5, then the loss 1.64 / 1.5.
        check(Variant::Two, 1.0, 2.0 / 3.0, -0.64 + 1.64 / 1.5);
    }
}
