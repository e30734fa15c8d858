//! `fine`, the paper's method: correct the hyperplane by just as much as a mistake asks for.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start   w = z_1 (or zero, or a random direction)
//! visit   if w·z <= 0:  w += L (epsilon - w·z) z          L = 1 in the paper
//! stop    after an epoch without a mistake
//! ```
//!
//! After an update with L = 1, w·z = epsilon. At epsilon = 0 the length of w falls and its angle to
//! every separating direction shrinks with each update, but the number of updates has no bound.
//! With epsilon > 0 it has one, which the paper leaves open: take any w* with w*·z >= epsilon for
//! all samples. An update by c z with c = L (epsilon - w·z) changes ‖w - w*‖² by
//! 2c (w·z - w*·z) + c² <= 2c (w·z - epsilon) + c² = -L (2 - L) (epsilon - w·z)²
//! <= -L (2 - L) epsilon². If rho is the largest angular margin, epsilon / rho times its unit
//! vector is such a w*, and ‖w_0 - w*‖ <= ‖w_0‖ + epsilon / rho, so there are at most
//! (‖w_0‖ / epsilon + 1 / rho)² / (L (2 - L)) updates: for L = 1, (‖w_0‖ / epsilon + 1 / rho)².
//!
//! Where w = sum a_i z_i with a_i >= 0, which holds for the starts `first` and `zero`, no
//! hyperplane has an angular margin above ‖w‖ / sum a_i.
//!
//! Cost per pass: n dot products, one axpy per mistake; far less with lossless skipping
//! (`skip.rs`), which is on by default and changes not one bit of the result.
//!
//! References: Á. Hajnal, A Perceptron-based fine approximation technique for linear separation
//! (2023). It is the relaxation method of S. Agmon and of T. Motzkin and I. Schoenberg, Canadian
//! Journal of Mathematics 6 (1954), on the lifted samples.

use rand_xoshiro::rand_core::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::order::random_stream;
use super::skip::{Skipper, SkipperState};
use super::{Method, Span, Tally, expect_length, margin_bound, save_state};
use crate::hyperplane::norm;
use crate::kernels::power_of_two;
use crate::lift::Rows;

/// Where `fine` starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At the first lifted sample, as in the paper.
    #[default]
    First,
    /// At zero.
    Zero,
    /// At a random unit vector.
    Random,
}

/// Settings of [`Fine`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FineSettings {
    /// The score that a corrected sample gets; at least 0, default 1e-9. The paper leaves it open.
    pub epsilon: f64,
    /// The step size L; between 0 and 2, default 1 as in the paper.
    pub relaxation: f64,
    /// Where to start; default `first`.
    pub start: Start,
    /// Whether samples that cannot be mistakes are passed over; default true. Results do not depend
    /// on it.
    pub skip: bool,
}

impl Default for FineSettings {
    fn default() -> Self {
        FineSettings { epsilon: 1e-9, relaxation: 1.0, start: Start::First, skip: true }
    }
}

/// The paper's method.
pub struct Fine {
    epsilon: f64,
    relaxation: f64,
    w: Vec<f64>,
    /// The sum of the weights a_i, where w is such a sum.
    weight_sum: Option<f64>,
    skipper: Option<Skipper>,
    /// Where it stopped for a row that was not at hand, and the epoch that has begun.
    stopped: Option<usize>,
    begun: u64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct FineState {
    w: Vec<f64>,
    weight_sum: Option<f64>,
    skipper: Option<SkipperState>,
}

impl Fine {
    /// Returns the method at its start. It learns from [`Rows::lifted`]. The seed matters for a
    /// random start only.
    pub fn new(settings: &FineSettings, rows: &Rows, seed: u64) -> Self {
        let mut w = vec![0.0; rows.dimension()];
        let weight_sum = match settings.start {
            Start::First => {
                rows.add(0, 1.0, &mut w);
                Some(1.0)
            }
            Start::Zero => Some(0.0),
            Start::Random => {
                // Epoch numbers start at 1, so stream 0 is free.
                let mut random = random_stream(seed, 0);
                w.fill_with(|| (random.next_u64() >> 11) as f64 * power_of_two(-52) - 1.0);
                let length = norm(w.iter().copied());
                w.iter_mut().for_each(|v| *v /= length);
                None
            }
        };
        Fine {
            epsilon: settings.epsilon,
            relaxation: settings.relaxation,
            w,
            weight_sum,
            skipper: settings.skip.then(|| Skipper::new(rows)),
            stopped: None,
            begun: 0,
        }
    }

    /// Returns the score that a corrected sample gets.
    pub(super) fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// Puts w elsewhere: weights >= 0 of samples that add up to `weights` were added to it.
    pub(super) fn move_to(&mut self, w: Vec<f64>, weights: f64) {
        self.w = w;
        if let Some(sum) = &mut self.weight_sum {
            *sum += weights;
        }
        if let Some(skipper) = &mut self.skipper {
            skipper.moved(&self.w);
        }
    }

    /// Returns the current w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns all that is needed to go on.
    pub(super) fn state(&self) -> FineState {
        FineState {
            w: self.w.clone(),
            weight_sum: self.weight_sum,
            skipper: self.skipper.as_ref().map(Skipper::save),
        }
    }

    /// Goes on from a state, or says why it cannot.
    pub(super) fn take_up(
        &mut self,
        rows: &Rows,
        state: FineState,
    ) -> Result<(), serde_json::Error> {
        expect_length(&state.w, rows.dimension())?;
        self.w = state.w;
        self.weight_sum = state.weight_sum;
        if let (Some(skipper), Some(saved)) = (&mut self.skipper, state.skipper) {
            skipper.restore(rows, saved)?;
        }
        Ok(())
    }

    /// Visits row `i`; returns the score and the step c if it was a mistake.
    #[inline]
    fn visit(&mut self, rows: &Rows, i: usize) -> Option<(f64, f64)> {
        let score = rows.score(i, &self.w);
        if score > 0.0 {
            return None;
        }
        let step = self.relaxation * (self.epsilon - score);
        rows.add(i, step, &mut self.w);
        if let Some(sum) = &mut self.weight_sum {
            *sum += step;
        }
        Some((score, step))
    }

    /// Learns as [`Method::learn`] does, and tells which rows were corrected, and by how long steps.
    pub(super) fn learn_and_tell(
        &mut self,
        rows: &Rows,
        span: &Span,
        mut corrected: impl FnMut(usize, f64),
    ) -> Tally {
        let mut tally = Tally::default();
        let Some(mut skipper) = self.skipper.take() else {
            for i in span.rows(rows) {
                if let Some((_, step)) = self.visit(rows, i) {
                    tally.mistakes += 1;
                    corrected(i, step);
                }
            }
            tally.updates = tally.mistakes;
            tally.evaluated = span.positions.len() as u64;
            return tally;
        };
        // An epoch that stopped at its first row begins only once.
        if span.begins_epoch() && self.begun != span.epoch {
            self.begun = span.epoch;
            tally.evaluated += skipper.begin_epoch(rows, span.order, &self.w);
        }
        let mut position = span.positions.start;
        while let Some(next) = skipper.next(position, span) {
            let i = span.order.row(next);
            if !rows.has(i) {
                skipper.put_back();
                self.stopped = Some(next);
                break;
            }
            if let Some(later) = skipper.peek() {
                rows.prefetch(span.order.row(later));
            }
            tally.evaluated += 1;
            if let Some((score, step)) = self.visit(rows, i) {
                tally.mistakes += 1;
                skipper.update(i, score, step);
                corrected(i, step);
            }
            position = next + 1;
        }
        tally.updates = tally.mistakes;
        self.skipper = Some(skipper);
        tally
    }
}

impl Method for Fine {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        self.learn_and_tell(rows, span, |_, _| {})
    }

    fn candidates(&mut self, from: usize) -> Option<Vec<usize>> {
        self.skipper.as_mut()?.candidates(from)
    }

    fn stopped(&mut self) -> Option<usize> {
        self.stopped.take()
    }

    fn answer(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.w, self.weight_sum?)
    }

    fn save(&self) -> Value {
        save_state(&self.state())
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        self.take_up(rows, serde_json::from_value(saved)?)
    }
}
