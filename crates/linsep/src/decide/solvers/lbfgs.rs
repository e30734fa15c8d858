//! L-BFGS: the memory of the last steps, and the plain descent with it.
//!
//! ```text
//! minimise  a smooth function of w
//! step      the two-loop recursion over the last ten steps
//! ```
//!
//! Reference: D. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//! optimization, Mathematical Programming 45 (1989).

use std::collections::VecDeque;

use crate::kernels::Arithmetic;

const REMEMBERED: usize = 10;
/// Tries of the line search before the direction is given up.
const TRIES: usize = 20;

/// The last steps and the changes of slope that they made.
#[derive(Default)]
pub struct StepMemory(VecDeque<(Vec<f64>, Vec<f64>, f64)>);

impl StepMemory {
    /// Returns true if no step is remembered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Remembers a step from one place and slope to another.
    pub fn remember(&mut self, from: (&[f64], &[f64]), to: (&[f64], &[f64])) {
        let difference =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let (step, change) = (difference(to.0, from.0), difference(to.1, from.1));
        let curvature = f64::dot(&step, &change);
        if curvature > 0.0 {
            self.0.push_back((step, change, 1.0 / curvature));
            if self.0.len() > REMEMBERED {
                self.0.pop_front();
            }
        }
    }

    /// Returns minus the approximate inverse Hessian times the slope. The recursion starts from the
    /// matrix that `shape` multiplies with, at the size that the last step tells, or else `first`.
    pub fn direction(&self, slope: &[f64], first: f64, shape: impl Fn(&mut [f64])) -> Vec<f64> {
        let mut v: Vec<f64> = slope.iter().map(|s| -s).collect();
        let mut factors = vec![];
        for (step, change, scale) in self.0.iter().rev() {
            let factor = scale * f64::dot(step, &v);
            f64::axpy(-factor, change, &mut v);
            factors.push(factor);
        }
        let size = match self.0.back() {
            Some((_, change, scale)) => {
                let mut shaped = change.clone();
                shape(&mut shaped);
                1.0 / (scale * f64::dot(change, &shaped))
            }
            None => first,
        };
        shape(&mut v);
        v.iter_mut().for_each(|v| *v *= size);
        for ((step, change, scale), factor) in self.0.iter().zip(factors.iter().rev()) {
            let back = scale * f64::dot(change, &v);
            f64::axpy(factor - back, step, &mut v);
        }
        v
    }
}

/// What a smooth loss is at some w.
#[derive(Clone, Debug)]
pub struct LossValue {
    /// The sum over all rows.
    pub loss: f64,
    /// Its derivative with respect to w.
    pub slope: Vec<f64>,
    /// Rows that w does not put on their own side.
    pub mistakes: u64,
}

/// A smooth loss.
pub trait SmoothLoss {
    /// Returns what it is at w. Costs a pass.
    fn at(&self, w: &[f64]) -> LossValue;
}

/// Where a plain descent stands: a backtracking line search, and no more.
pub struct PlainDescent {
    w: Vec<f64>,
    here: LossValue,
    memory: StepMemory,
}

impl PlainDescent {
    /// Returns the descent at w. Costs a pass.
    pub fn at(loss: &impl SmoothLoss, w: Vec<f64>) -> Self {
        let here = loss.at(&w);
        PlainDescent { w, here, memory: StepMemory::default() }
    }

    /// Returns w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns the loss of w.
    pub fn loss(&self) -> f64 {
        self.here.loss
    }

    /// Returns the mistakes of w.
    pub fn mistakes(&self) -> u64 {
        self.here.mistakes
    }

    /// Makes one step; returns false if there is none that lowers the loss.
    pub fn step(&mut self, loss: &impl SmoothLoss) -> bool {
        let slope = &self.here.slope;
        // The first step has no memory to take its length from: one that moves w by 1.
        let first = 1.0 / f64::dot(slope, slope).sqrt();
        let direction = self.memory.direction(slope, first, |_| ());
        let descent = f64::dot(&direction, slope);
        if descent >= 0.0 || !descent.is_finite() {
            return false;
        }
        let mut size = 1.0;
        for _ in 0..TRIES {
            let mut w = self.w.clone();
            f64::axpy(size, &direction, &mut w);
            let there = loss.at(&w);
            if there.loss <= self.here.loss + 1e-4 * size * descent {
                self.memory.remember((&self.w, &self.here.slope), (&w, &there.slope));
                (self.w, self.here) = (w, there);
                return true;
            }
            size *= 0.5;
        }
        false
    }
}
