//! Stochastic gradient descent on a regularised loss.
//!
//! ```text
//! minimise  lambda/2 ‖w‖² + mean of c loss(w·z)   hinge     loss(s) = max(0, 1 - s)
//!                                                 logistic  loss(s) = ln(1 + exp(-s))
//! given     lifted samples z = y (x, 1) / ‖(x, 1)‖, lambda, eta0, weights c (else 1)
//! start     w = 0
//! visit     number t = 1, 2, ...:  w = (1 - eta lambda) w - eta c loss'(w·z) z
//!           with eta = eta0 / (1 + eta0 lambda t)
//! stop      after an epoch without a mistake, if the last w makes none either
//! ```
//!
//! With this eta the factors 1 - eta lambda multiply to exactly 1 / (1 + eta0 lambda t). So in
//! terms of v = (1 + eta0 lambda t) w a visit is no more than v -= eta0 loss'(w·z) z: the decay
//! costs nothing, sparse rows cost their non-zeros only, and no scale factor ever runs out of range.
//!
//! Guarantee: none for separation. With a positive lambda w tends to the minimum of the objective,
//! which separates separable data only if lambda is small against the square of their margin. Cost
//! per pass: n dot products, one axpy per update; with the logistic loss every visit is an update.
//!
//! References: H. Robbins and S. Monro, Annals of Mathematical Statistics 22 (1951); L. Bottou,
//! Large-scale machine learning with stochastic gradient descent (2010).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Method, Span, Tally, restore_state, save_state};
use crate::lift::Rows;

/// What a score costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SgdLoss {
    /// What it lacks of 1, as in a support vector machine.
    #[default]
    Hinge,
    /// The negative log-likelihood of logistic regression.
    Logistic,
}

impl SgdLoss {
    /// Returns -loss'(score), which is never negative.
    fn slope(self, score: f64) -> f64 {
        match self {
            SgdLoss::Hinge => f64::from(score < 1.0),
            // An overflow to infinity gives the right limit, zero. The exponential of libm is the
            // same on every machine; the standard library's is not.
            SgdLoss::Logistic => 1.0 / (1.0 + libm::exp(score)),
        }
    }
}

/// Settings of [`Sgd`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SgdSettings {
    /// What a score costs; default `hinge`.
    pub loss: SgdLoss,
    /// How strongly long w are held back; at least 0, default 1e-6.
    pub lambda: f64,
    /// The learning rate at the start; above 0, default 1.
    pub eta0: f64,
}

impl Default for SgdSettings {
    fn default() -> Self {
        SgdSettings { loss: SgdLoss::Hinge, lambda: 1e-6, eta0: 1.0 }
    }
}

/// Stochastic gradient descent.
pub struct Sgd {
    settings: SgdSettings,
    state: SgdState,
}

#[derive(Serialize, Deserialize)]
struct SgdState {
    /// (1 + eta0 lambda visits) w.
    v: Vec<f64>,
    visits: u64,
}

impl Sgd {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(settings: &SgdSettings, rows: &Rows) -> Self {
        let state = SgdState { v: vec![0.0; rows.dimension()], visits: 0 };
        Sgd { settings: settings.clone(), state }
    }

    /// Returns w / v.
    fn scale(&self) -> f64 {
        1.0 / (1.0 + self.settings.eta0 * self.settings.lambda * self.state.visits as f64)
    }
}

impl Method for Sgd {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            let score = self.scale() * rows.score(i, &self.state.v);
            tally.mistakes += u64::from(score <= 0.0);
            let slope = rows.weight(i) * self.settings.loss.slope(score);
            if slope > 0.0 {
                rows.add(i, self.settings.eta0 * slope, &mut self.state.v);
                tally.updates += 1;
            }
            self.state.visits += 1;
        }
        tally.evaluated = span.positions.len() as u64;
        tally
    }

    fn answer(&self) -> Vec<f64> {
        let scale = self.scale();
        self.state.v.iter().map(|v| scale * v).collect()
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| [(&state.v, rows.dimension())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::online::Order;

    fn check(loss: SgdLoss) {
        let samples = Generator::new(50, 3, 2).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let (lambda, eta0) = (0.01, 0.5);
        let mut method = Sgd::new(&SgdSettings { loss, lambda, eta0 }, &rows);
        let order = Order::natural();
        let mut w = vec![0.0; 4];
        for t in 1..=200 {
            let i = t % 50;
            method.learn(&rows, &Span { order: &order, positions: i..i + 1, epoch: 1 });
            let eta = eta0 / (1.0 + eta0 * lambda * t as f64);
            let slope = loss.slope(rows.score(i, &w));
            w.iter_mut().for_each(|w| *w *= 1.0 - eta * lambda);
            rows.add(i, eta * slope, &mut w);
            for (found, expected) in method.answer().iter().zip(&w) {
                assert!((found - expected).abs() < 1e-12, "{loss:?}, visit {t}");
            }
        }
    }

    #[test]
    fn free_decay_is_the_decay_of_the_books() {
        check(SgdLoss::Hinge);
        check(SgdLoss::Logistic);
    }

    #[test]
    fn the_logistic_slope_has_its_limits() {
        let slope = |score| SgdLoss::Logistic.slope(score);
        assert_eq!((slope(-1e9), slope(0.0), slope(1e9)), (1.0, 0.5, 0.0));
    }
}
