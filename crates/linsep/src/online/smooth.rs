//! The smooth Perceptron: all rows at once, those that are worst placed most.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! weigh   x_mu(w) = shares proportional to exp(-w·z / mu): the smaller mu, the more the worst rows count
//! start   w = the mean of all z, mu = 1, s = sum of x_mu(w) z
//! pass k  with t = 2 / (k + 3) and g = sum of x_mu(w) z:
//!         w = (1 - t) (w + t s) + t² g;  mu = (1 - t) mu;  s = (1 - t) s + t sum of x_mu(w) z
//! stop    before a pass's change, if the pass met no mistake
//! ```
//!
//! The Perceptron is a subgradient method for the largest least score of a short w: it adds one row. This lowers a
//! smooth bound on that score by an accelerated gradient, for which every pass takes in all rows.
//!
//! Guarantee: a separating w after at most order sqrt(log n) / rho passes, where rho is the largest angular
//! margin and the Perceptron has 1 / rho² updates. s is a point of the hull of all samples, so no hyperplane has
//! an angular margin above ‖s‖. Cost per pass: n dot products, exponentials and axpys.
//!
//! Reference: N. Soheili and J. Peña, A smooth perceptron algorithm, SIAM Journal on Optimization 22 (2012).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EpochEnd, Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::decide::Halt;
use crate::lift::Rows;

/// The smooth Perceptron.
pub struct SmoothPerceptron {
    state: SmoothState,
}

#[derive(Serialize, Deserialize)]
struct SmoothState {
    w: Vec<f64>,
    /// The point of the hull, once there is one.
    hull: Vec<f64>,
    mu: f64,
    /// Changes of w.
    steps: u64,
    weighed: WeighedSum,
}

/// A sum of the rows of this pass, each times exp((least - its score) / mu), and the sum of these weights.
#[derive(Serialize, Deserialize)]
struct WeighedSum {
    sum: Vec<f64>,
    weights: f64,
    least: Option<f64>,
    mistakes: u64,
}

impl WeighedSum {
    fn new(dimension: usize) -> Self {
        WeighedSum { sum: vec![0.0; dimension], weights: 0.0, least: None, mistakes: 0 }
    }

    fn add(&mut self, rows: &Rows, i: usize, score: f64, mu: f64) {
        self.mistakes += u64::from(score <= 0.0);
        let least = self.least.unwrap_or(score);
        if score < least {
            // What was added counts less beside this one.
            let smaller = libm::exp((score - least) / mu);
            self.sum.iter_mut().for_each(|v| *v *= smaller);
            self.weights *= smaller;
        }
        let least = least.min(score);
        self.least = Some(least);
        let weight = libm::exp((least - score) / mu);
        rows.add(i, weight, &mut self.sum);
        self.weights += weight;
    }
}

impl SmoothPerceptron {
    /// Returns the method at its start. It learns from [`Rows::lifted`].
    pub fn new(rows: &Rows) -> Self {
        let zero = || vec![0.0; rows.dimension()];
        let weighed = WeighedSum::new(rows.dimension());
        // With w = 0 all rows weigh the same, so the first pass finds their mean.
        SmoothPerceptron {
            state: SmoothState { w: zero(), hull: vec![], mu: 1.0, steps: 0, weighed },
        }
    }
}

impl SmoothState {
    /// Moves w by what the pass has found, the mean of the rows by their weights.
    fn step(&mut self, mean: Vec<f64>) {
        self.steps += 1;
        if self.steps == 1 {
            self.w = mean;
            return;
        }
        let share = |k: u64| 2.0 / (k as f64 + 3.0);
        match self.steps {
            2 => self.hull.clone_from(&mean),
            steps => mix(&mut self.hull, &mean, share(steps - 3)),
        }
        let t = share(self.steps - 2);
        for ((w, s), g) in self.w.iter_mut().zip(&self.hull).zip(&mean) {
            *w = (1.0 - t) * (*w + t * s) + t * t * g;
        }
        self.mu *= 1.0 - t;
    }
}

/// Moves a point this share of the way to another.
fn mix(point: &mut [f64], to: &[f64], share: f64) {
    point.iter_mut().zip(to).for_each(|(p, to)| *p = (1.0 - share) * *p + share * to);
}

impl Method for SmoothPerceptron {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let SmoothState { w, mu, weighed, .. } = &mut self.state;
        if span.begins_epoch() {
            // What an epoch that was cut short left over may be about other rows.
            *weighed = WeighedSum::new(rows.dimension());
        }
        let before = weighed.mistakes;
        for i in span.rows(rows) {
            weighed.add(rows, i, rows.score(i, w), *mu);
        }
        let mistakes = weighed.mistakes - before;
        Tally { mistakes, updates: 0, evaluated: span.positions.len() as u64 }
    }

    fn end_epoch(&mut self, _rows: &Rows, _halt: Halt) -> EpochEnd {
        let dimension = self.state.w.len();
        let found = std::mem::replace(&mut self.state.weighed, WeighedSum::new(dimension));
        if found.mistakes == 0 {
            return EpochEnd::default();
        }
        self.state.step(found.sum.iter().map(|v| v / found.weights).collect());
        EpochEnd { tally: Tally { updates: 1, ..Tally::default() }, ..EpochEnd::default() }
    }

    fn answer(&self) -> Vec<f64> {
        self.state.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        (!self.state.hull.is_empty()).then(|| margin_bound(&self.state.hull, 1.0))?
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        let dimension = rows.dimension();
        restore_state(&mut self.state, saved, |state| {
            let hull = if state.hull.is_empty() { &state.w } else { &state.hull };
            [(&state.w, dimension), (hull, dimension), (&state.weighed.sum, dimension)]
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::data::generate::Generator;
    use crate::online::{FitSettings, MethodSettings, fit};

    #[test]
    fn it_takes_fewer_passes_than_the_perceptron_takes_epochs_and_bounds_the_margin() {
        for seed in 1..6 {
            let samples = Generator::new(500, 6, seed).samples::<f64>().unwrap();
            let run = |name: &str| {
                let method = MethodSettings::by_name(name).unwrap();
                let settings = FitSettings { method, max_epochs: 20_000, ..FitSettings::default() };
                fit(&samples, &settings, &mut (), None).unwrap()
            };
            let (smooth, perceptron) = (run("smooth"), run("perceptron"));
            assert!(smooth.separated(), "seed {seed}");
            assert!(smooth.epochs < perceptron.epochs, "{} {}", smooth.epochs, perceptron.epochs);
            let margin = smooth.evaluation.margin.angular.unwrap();
            assert!(margin <= smooth.margin_bound.unwrap());
        }
    }
}
