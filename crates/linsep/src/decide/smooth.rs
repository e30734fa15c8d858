//! The smooth phase: L-BFGS on the logistic loss of the lifted rows.
//!
//! ```text
//! minimise  sum of ln(1 + exp(-w·z)) over all rows
//! given     w = 0
//! step      the two-loop recursion over the last ten steps, a backtracking line search
//! stop      when the caller says so: a scan finds no mistake, or the passes run out
//! ```
//!
//! On separable data the loss has no minimum and w grows without end towards a separating
//! direction, which it reaches after about twenty passes where rows are a few times the features.
//! Cost a step: one pass, or a few where the line search has to go back; order 20 D besides.
//!
//! Reference: D. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//! optimization, Mathematical Programming 45 (1989).

use std::collections::VecDeque;

use super::scan::{Logistic, Scan};
use crate::data::kernels::Element;

const REMEMBERED: usize = 10;
/// Tries of the line search before the direction is given up.
const TRIES: usize = 20;

/// A function of w that is the sum over rows of what their scores cost.
pub trait Loss {
    /// Returns the number of coordinates of w.
    fn dimension(&self) -> usize;

    /// Returns the sum, its slope and the mistakes of w. Costs a pass.
    fn at(&self, w: &[f64]) -> Logistic;
}

/// The logistic loss of all lifted rows.
impl<S: Scan + ?Sized> Loss for S {
    fn dimension(&self) -> usize {
        Scan::dimension(self)
    }

    fn at(&self, w: &[f64]) -> Logistic {
        self.logistic(w)
    }
}

/// Where the descent stands.
pub struct Descent {
    w: Vec<f64>,
    here: Logistic,
    /// Steps and changes of slope, with 1 / (step · change).
    memory: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    passes: u64,
}

impl Descent {
    /// Returns the descent at w = 0. Costs a pass.
    pub fn new(loss: &(impl Loss + ?Sized)) -> Self {
        Self::at(loss, vec![0.0; loss.dimension()])
    }

    /// Returns the descent at w. Costs a pass.
    pub fn at(loss: &(impl Loss + ?Sized), w: Vec<f64>) -> Self {
        let here = loss.at(&w);
        Descent { w, here, memory: VecDeque::new(), passes: 1 }
    }

    /// Returns w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns the mistakes of w.
    pub fn mistakes(&self) -> u64 {
        self.here.mistakes
    }

    /// Returns the passes made so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Makes one step; returns false if there is none that lowers the loss.
    pub fn step(&mut self, loss: &(impl Loss + ?Sized)) -> bool {
        let direction = self.direction();
        let descent = f64::dot(&direction, &self.here.slope);
        if descent >= 0.0 || !descent.is_finite() {
            return false;
        }
        // The first step has no memory to take its length from: one that moves scores by about 1.
        let mut size = if self.memory.is_empty() {
            1.0 / f64::dot(&direction, &direction).sqrt()
        } else {
            1.0
        };
        for _ in 0..TRIES {
            let mut w = self.w.clone();
            f64::axpy(size, &direction, &mut w);
            let there = loss.at(&w);
            self.passes += 1;
            if there.loss <= self.here.loss + 1e-4 * size * descent {
                self.remember(w, there);
                return true;
            }
            size *= 0.5;
        }
        false
    }

    fn remember(&mut self, w: Vec<f64>, there: Logistic) {
        let step: Vec<f64> = w.iter().zip(&self.w).map(|(a, b)| a - b).collect();
        let change: Vec<f64> =
            there.slope.iter().zip(&self.here.slope).map(|(a, b)| a - b).collect();
        let curvature = f64::dot(&step, &change);
        if curvature > 0.0 {
            self.memory.push_back((step, change, 1.0 / curvature));
            if self.memory.len() > REMEMBERED {
                self.memory.pop_front();
            }
        }
        (self.w, self.here) = (w, there);
    }

    /// Returns minus the approximate inverse Hessian times the slope.
    fn direction(&self) -> Vec<f64> {
        let mut v: Vec<f64> = self.here.slope.iter().map(|s| -s).collect();
        let mut factors = vec![];
        for (step, change, scale) in self.memory.iter().rev() {
            let factor = scale * f64::dot(step, &v);
            f64::axpy(-factor, change, &mut v);
            factors.push(factor);
        }
        if let Some((_, change, scale)) = self.memory.back() {
            let size = 1.0 / (scale * f64::dot(change, change));
            v.iter_mut().for_each(|v| *v *= size);
        }
        for ((step, change, scale), factor) in self.memory.iter().zip(factors.iter().rev()) {
            let back = scale * f64::dot(change, &v);
            f64::axpy(factor - back, step, &mut v);
        }
        v
    }
}
