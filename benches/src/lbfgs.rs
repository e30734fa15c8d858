//! The plain peer: L-BFGS on the logistic loss of the raw rows with an intercept, by the book.
//!
//! Memory of ten, Armijo backtracking from step 1, and from one over the length of the slope at
//! first; one thread. A look at the loss is one loop over the rows, score and slope together, with the
//! same kernels as everything else here. It stops at the first w without a mistake, and proves nothing.

use std::collections::VecDeque;

use linsep::Samples;
use linsep::lift::Rows;

const MEMORY: usize = 10;
const MAX_LOOKS: u64 = 1000;

struct LossLook {
    loss: f64,
    slope: Vec<f64>,
    mistakes: u64,
}

fn look(rows: &Rows, w: &[f64]) -> LossLook {
    let mut at = LossLook { loss: 0.0, slope: vec![0.0; w.len()], mistakes: 0 };
    for i in 0..rows.len() {
        let score = rows.score(i, w);
        let tail = (-score.abs()).exp();
        at.loss += tail.ln_1p() + (-score).max(0.0);
        at.mistakes += u64::from(score <= 0.0);
        rows.add(i, -(if score > 0.0 { tail } else { 1.0 }) / (1.0 + tail), &mut at.slope);
    }
    at
}

/// Returns the looks at all rows until no mistake was left, and the mistakes left if it got stuck.
pub fn fit(samples: &Samples) -> (u64, u64) {
    let rows = Rows::raw(samples);
    let mut w = vec![0.0; rows.dimension()];
    let mut here = look(&rows, &w);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>, f64)> = VecDeque::new();
    let mut looks = 1;
    while here.mistakes > 0 && looks < MAX_LOOKS {
        let direction = direction(&here.slope, &memory);
        let descent = dot(&direction, &here.slope);
        let mut size =
            if memory.is_empty() { 1.0 / dot(&direction, &direction).sqrt() } else { 1.0 };
        let next = loop {
            let there: Vec<f64> = w.iter().zip(&direction).map(|(w, d)| w + size * d).collect();
            let at = look(&rows, &there);
            looks += 1;
            if at.loss <= here.loss + 1e-4 * size * descent {
                break Some((there, at));
            }
            size *= 0.5;
            if size < 1e-10 {
                break None;
            }
        };
        let Some((there, at)) = next else {
            break;
        };
        let step: Vec<f64> = there.iter().zip(&w).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = at.slope.iter().zip(&here.slope).map(|(a, b)| a - b).collect();
        let curvature = dot(&step, &change);
        if curvature > 0.0 {
            memory.push_back((step, change, 1.0 / curvature));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (w, here) = (there, at);
    }
    (looks, here.mistakes)
}

/// The two-loop recursion.
fn direction(slope: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>, f64)>) -> Vec<f64> {
    let mut v: Vec<f64> = slope.iter().map(|s| -s).collect();
    let mut factors = vec![];
    for (step, change, scale) in memory.iter().rev() {
        let factor = scale * dot(step, &v);
        v.iter_mut().zip(change).for_each(|(v, c)| *v -= factor * c);
        factors.push(factor);
    }
    if let Some((_, change, scale)) = memory.back() {
        let size = 1.0 / (scale * dot(change, change));
        v.iter_mut().for_each(|v| *v *= size);
    }
    for ((step, change, scale), factor) in memory.iter().zip(factors.iter().rev()) {
        let back = factor - scale * dot(change, &v);
        v.iter_mut().zip(step).for_each(|(v, s)| *v += back * s);
    }
    v
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
