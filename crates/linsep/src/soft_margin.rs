//! The soft margin: a hyperplane with few mistakes for rows that none separates, by Newton's method.
//!
//! ```text
//! minimise  1/2 ‖w‖² + sum of C_i max(0, 1 - w·z_i)²       C_i = C, times the weight of the row
//! given     lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start     w = 0
//! repeat    short rows are those with w·z < 1
//!           g = w - 2 sum C_i (1 - w·z_i) z_i,  H = I + 2 sum C_i z_i z_i',  both over short rows
//!           w += t p with H p = -g; t = 1, or half of it until the objective falls
//! stop      when a whole step leaves the same rows short: it was a step to the optimum
//! ```
//!
//! The optimum is that of [`svm`](crate::online::svm) with squared losses, which comes near it by epochs, thousands of
//! them where classes overlap; here it is met, up to rounding, after some ten steps.
//!
//! Cost of a step: two passes or a few more, and for each short row the square of the coordinates, so it is for some
//! hundreds of features. The bits do not depend on the number of threads, nor on the machine.
//!
//! O. Chapelle, Training a support vector machine in the primal, Neural Computation 19 (2007).

use std::ops::Range;

use rayon::prelude::*;

use crate::Samples;
use crate::decide::{Cholesky, Halt};
use crate::hyperplane::Hyperplane;
use crate::kernels::Arithmetic;
use crate::lift::Rows;

/// Features up to which a step is worth its products.
pub const MOST_FEATURES: usize = 255;
/// Parts in which sums over rows are made: always as many, so that the bits are the same on any number of threads.
const PARTS: usize = 16;
/// The share of the fall that a step promises and has to keep.
const KEPT: f64 = 1e-4;
/// A step that promises less than this share of the objective is rounding.
const NOTHING: f64 = 1e-15;

/// A hyperplane that balances a wide margin against what rows lack of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SoftMargin {
    /// The hyperplane.
    pub hyperplane: Hyperplane,
    /// Reads of all rows.
    pub passes: u64,
    /// False if passes ran out, or a halt came, before the optimum.
    pub converged: bool,
}

/// Returns the hyperplane of the soft margin for the cost C, or how far it came after `max_passes` or at a halt. The first
/// step, two passes, is made in any case: w = 0 is no hyperplane.
///
/// ```
/// use linsep::Samples;
/// use linsep::soft_margin::soft_margin;
///
/// // The rows at 2 and 3 have changed places.
/// let labels = vec![false, false, true, false, true, true];
/// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1, labels)?;
/// let found = soft_margin(&samples, 1.0, 100, &|| false);
/// assert!(found.converged && found.passes < 20);
/// assert_eq!(found.hyperplane.evaluate(&samples).mistakes, 1);
/// # Ok::<_, linsep::Error>(())
/// ```
pub fn soft_margin(samples: &Samples, cost: f64, max_passes: u64, halt: Halt) -> SoftMargin {
    let mut search = Newton { rows: Rows::lifted(samples), cost, passes: 0 };
    let mut at = search.origin();
    let mut converged = false;
    let over = |passes: u64| passes > 1 && (passes >= max_passes || halt());
    while !converged && !over(search.passes) {
        let Some((next, whole)) = search.step(&at, &over) else {
            // Nothing falls any more, unless there was no time to see it.
            converged = !over(search.passes);
            break;
        };
        converged = whole && same_short(&at.scores, &next.scores);
        at = next;
    }
    SoftMargin { hyperplane: Hyperplane::from_lifted(at.w), passes: search.passes, converged }
}

/// A vector, its scores and its objective.
struct At {
    w: Vec<f64>,
    scores: Vec<f64>,
    objective: f64,
}

struct Newton<'a> {
    rows: Rows<'a>,
    cost: f64,
    passes: u64,
}

impl Newton<'_> {
    /// Returns what is known at w = 0.
    fn origin(&self) -> At {
        self.judged(vec![0.0; self.rows.dimension()], vec![0.0; self.rows.len()])
    }

    /// Returns what is known at w. Costs a pass.
    fn at(&mut self, w: Vec<f64>) -> At {
        let mut scores = vec![0.0; self.rows.len()];
        self.rows.all_scores(&w, &mut scores);
        self.passes += 1;
        self.judged(w, scores)
    }

    fn judged(&self, w: Vec<f64>, scores: Vec<f64>) -> At {
        let lacks = |(i, score): (usize, &f64)| {
            let lack = (1.0 - score).max(0.0);
            self.cost * self.rows.weight(i) * lack * lack
        };
        let objective = 0.5 * f64::dot(&w, &w) + scores.iter().enumerate().map(lacks).sum::<f64>();
        At { w, scores, objective }
    }

    /// Returns where a step leads, and whether it was a whole one; nothing if none leads down, or if it is over.
    fn step(&mut self, at: &At, over: &dyn Fn(u64) -> bool) -> Option<(At, bool)> {
        let (gradient, hessian) = self.slopes(at);
        self.passes += 1;
        let n = gradient.len();
        let mut p: Vec<f64> = gradient.iter().map(|g| -g).collect();
        Cholesky::in_one_block(hessian, n)?.solve(&mut p);
        let promised = -f64::dot(&gradient, &p);
        if promised.is_nan() || promised <= NOTHING * at.objective {
            return None;
        }
        let mut t = 1.0;
        while !over(self.passes) && t > NOTHING {
            let w = at.w.iter().zip(&p).map(|(w, p)| w + t * p).collect();
            let next = self.at(w);
            if next.objective <= at.objective - KEPT * t * promised {
                return Some((next, t == 1.0));
            }
            t /= 2.0;
        }
        None
    }

    /// Returns the gradient and the lower triangle of the Hessian, by rows.
    fn slopes(&self, at: &At) -> (Vec<f64>, Vec<f64>) {
        let n = at.w.len();
        let size = at.scores.len().div_ceil(PARTS).max(1);
        let parts = (0..at.scores.len().div_ceil(size)).into_par_iter();
        let sums: Vec<_> =
            parts.map(|k| self.sums(at, k * size..((k + 1) * size).min(at.scores.len()))).collect();
        let mut gradient = at.w.clone();
        let mut hessian = vec![0.0; n * n];
        (0..n).for_each(|k| hessian[k * n + k] = 1.0);
        for (g, h) in sums {
            f64::axpy(1.0, &g, &mut gradient);
            f64::axpy(1.0, &h, &mut hessian);
        }
        (gradient, hessian)
    }

    /// Returns what these rows add to both.
    fn sums(&self, at: &At, range: Range<usize>) -> (Vec<f64>, Vec<f64>) {
        let n = at.w.len();
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        for i in range.filter(|&i| at.scores[i] < 1.0) {
            let twice = 2.0 * self.cost * self.rows.weight(i);
            let z = self.rows.vector(i);
            f64::axpy(-twice * (1.0 - at.scores[i]), &z, &mut gradient);
            for k in (0..n).filter(|&k| z[k] != 0.0) {
                f64::axpy(twice * z[k], &z[..=k], &mut hessian[k * n..=k * n + k]);
            }
        }
        (gradient, hessian)
    }
}

/// Returns true if the same rows are short.
fn same_short(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (*a < 1.0) == (*b < 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::{FitSettings, MethodSettings, fit};
    use linsep_data::hash::draw;

    fn overlapping(rows: usize, columns: usize) -> Samples {
        let mut state = 5;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let x: Vec<f64> = (0..rows * columns).map(|_| number()).collect();
        let labels = (0..rows).map(|i| x[i * columns] + number() > 0.0).collect();
        Samples::dense(x, columns, labels).unwrap()
    }

    #[test]
    fn the_optimum_is_that_of_the_dual_descent() {
        for weighted in [false, true] {
            let mut samples = overlapping(300, 4);
            if weighted {
                samples =
                    samples.with_weights((0..300).map(|i| 1.0 + (i % 3) as f64).collect()).unwrap();
            }
            let method = r#"{"name": "svm", "loss": "l2", "cost": 2.0, "tolerance": 1e-12}"#;
            let method: MethodSettings = serde_json::from_str(method).unwrap();
            let settings = FitSettings { method, max_epochs: 1_000_000, ..FitSettings::default() };
            let slow = fit(&samples, &settings, &mut (), None).unwrap();
            let found = soft_margin(&samples, 2.0, 100, &|| false);
            assert!(found.converged && found.passes < 40, "{found:?}");
            let pairs = slow.hyperplane.weights.iter().zip(&found.hyperplane.weights);
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-8));
            assert!((slow.hyperplane.bias - found.hyperplane.bias).abs() < 1e-8);
        }
    }

    #[test]
    fn limits_are_kept_and_threads_change_nothing() {
        let samples = overlapping(2_000, 6);
        for most in 1..8 {
            let found = soft_margin(&samples, 1.0, most, &|| false);
            assert!(found.passes <= most.max(2) && (!found.converged || most > 4), "{found:?}");
            assert!(found.hyperplane.evaluate(&samples).mistakes < 800, "{found:?}");
        }
        let halted = soft_margin(&samples, 1.0, 100, &|| true);
        assert!(!halted.converged && halted.passes == 2);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| soft_margin(&samples, 1.0, 100, &|| false).hyperplane)
        };
        assert_eq!(with(1), with(3));
    }
}
