//! The Perceptron, exactly as the paper's baseline.
//!
//! ```text
//! given   extended samples z = y (x, 1), not normalized
//! start   w = 0
//! visit   if w·z <= 0:  w += z
//! stop    after an epoch without a mistake
//! ```
//!
//! Guarantee: if some unit vector has w*·z >= sigma for all samples and R is the length of the
//! longest, at most R²/sigma² updates. Cost per pass: n dot products, one axpy per mistake.
//!
//! Reference: F. Rosenblatt (1958), Psychological Review 65; A. Novikoff (1962).

use serde_json::Value;

use super::{Method, Span, Tally, restore_state, save_state};
use crate::lift::Rows;

/// The Perceptron.
pub struct Perceptron {
    w: Vec<f64>,
}

impl Perceptron {
    /// Returns the method at w = 0. It learns from [`Rows::raw`].
    pub fn new(rows: &Rows) -> Self {
        Perceptron { w: vec![0.0; rows.dimension()] }
    }
}

impl Method for Perceptron {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            if rows.score(i, &self.w) <= 0.0 {
                rows.add(i, 1.0, &mut self.w);
                tally.mistakes += 1;
            }
        }
        tally.updates = tally.mistakes;
        tally.evaluated = span.positions.len() as u64;
        tally
    }

    fn answer(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn save(&self) -> Value {
        save_state(&self.w)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.w, saved, |w| [(w, rows.dimension())])
    }
}
