//! L-BFGS on the logistic loss of lifted rows.
//!
//! ```text
//! minimise  sum of ln(1 + exp(-w·z)) over all rows
//! given     w = 0
//! step      the two-loop recursion over the last ten steps; if that goes too far, back to where a
//!           cubic through both ends of the step is lowest
//! stop      when the caller says so: no mistake is left, or the passes run out
//! ```
//!
//! On separable data the loss has no minimum and w grows without end towards a separating
//! direction, which it reaches after about twenty passes where rows are a few times the features.
//! A look can also tell where on the line through both ends of a step all scores are positive, so a
//! step finds the separators on its line, and no search for them costs a pass.
//!
//! Rows of data that is not centred all have a large part along one direction, and the loss curves
//! most along it. The recursion starts from a matrix that knows this.
//!
//! Cost per step: one look at all rows, or two where the first went too far; order 20 D besides.
//!
//! Reference: D. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//! optimization, Mathematical Programming 45 (1989).

use serde::{Deserialize, Serialize};

use super::lbfgs::StepMemory;
use crate::kernels::Arithmetic;

/// A step that was measured is taken as it is if its best length is within these factors of its own.
const GOOD_ENOUGH: std::ops::Range<f64> = 0.5..2.0;
/// Multiples of the first step at which the slope is measured: nothing else tells its length.
const MULTIPLES: [f64; 8] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// The share of the best length that the first step takes. Of six values tried on eight sets of the
/// paper's kind none was best on all: the whole length saves three passes of 23 at 100,000 x 1,000 and
/// costs one or two of 12 at 10,000 x 1,000.
const SHORT: f64 = 0.7;
/// Separators are looked for on the line of a step once at most one row in this many is a mistake: before,
/// there are none.
const FEW: u64 = 500;
/// How much shorter a step that went too far may become.
const SHORTEST: f64 = 0.02;

/// What the rows say of a step from one w to another.
#[derive(Clone, Debug)]
pub struct StepLook {
    /// The loss where the step ends: a sum over all rows.
    pub loss: f64,
    /// Its derivative with respect to w.
    pub slope: Vec<f64>,
    /// Rows with w·z <= 0 where the step ends.
    pub mistakes: u64,
    /// The multiple of the step that leads to a w without mistakes, if one was sought and found.
    pub separating: Option<f64>,
    /// The slope of the loss along the step at the multiples of it that were asked for.
    pub slopes: Vec<f64>,
}

/// A step, and what is to be found out about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DescentStep {
    /// Where it begins; empty stands for zero.
    pub from: Vec<f64>,
    /// Where it ends.
    pub to: Vec<f64>,
    /// Whether to look for a multiple of it without mistakes. Costs the scores where it begins, unless
    /// that is zero.
    pub separators: bool,
    /// Multiples of it at which the slope is measured, if it begins at zero.
    pub multiples: Vec<f64>,
}

/// A way to look at all rows.
pub trait LookedAtRows {
    /// What keeps the rows from being looked at.
    type Error;

    /// Returns what the rows say of a step. Costs a pass.
    fn look(&mut self, step: DescentStep) -> Result<StepLook, Self::Error>;
}

/// Where the descent stands.
pub struct LogisticDescent {
    w: Vec<f64>,
    loss: f64,
    slope: Vec<f64>,
    mistakes: u64,
    rows: u64,
    /// A vector without a mistake, once there is one.
    separator: Option<Vec<f64>>,
    memory: StepMemory,
    /// The unit vector along which the rows lie that labels have not turned round.
    mean: Vec<f64>,
    /// How much shorter steps along it are.
    damping: f64,
    /// The size of the first step.
    first: f64,
}

impl LogisticDescent {
    /// Returns the descent at w = 0, given the number of rows, the sum of the lifted rows z and the
    /// sum of y z, where labels do not turn rows round.
    pub fn new(rows: usize, total: &[f64], mut unsigned: Vec<f64>) -> Self {
        let (n, dimension) = (rows as f64, total.len());
        let length = f64::dot(&unsigned, &unsigned).sqrt();
        unsigned.iter_mut().for_each(|m| *m /= length.max(f64::MIN_POSITIVE));
        // Rows have length one: this share of their squares lies along the mean, the rest is spread
        // over the other coordinates. A quarter of it is the curvature of the loss.
        let share = length / n;
        let along = (share * share).min(1.0);
        let across = ((1.0 - along) / (dimension as f64 - 1.0)).max(1e-3 / dimension as f64);
        LogisticDescent {
            w: vec![0.0; dimension],
            loss: n * std::f64::consts::LN_2,
            slope: total.iter().map(|z| -0.5 * z).collect(),
            mistakes: rows as u64,
            rows: rows as u64,
            separator: None,
            memory: StepMemory::default(),
            mean: unsigned,
            damping: (across / along.max(across)).min(1.0),
            first: 4.0 / (n * across),
        }
    }

    /// Returns a vector without a mistake if there is one, or else w, and its mistakes.
    pub fn best(&self) -> (u64, &[f64]) {
        match &self.separator {
            Some(separator) => (0, separator),
            None => (self.mistakes, &self.w),
        }
    }

    /// Returns the loss at w.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Makes one step; returns false if there is none that lowers the loss. Costs a look, or two.
    pub fn step<R: LookedAtRows>(&mut self, rows: &mut R) -> Result<bool, R::Error> {
        let direction = self.memory.direction(&self.slope, self.first, |v| self.damp(v));
        let descent = f64::dot(&direction, &self.slope);
        if descent >= 0.0 || !descent.is_finite() {
            return Ok(false);
        }
        let mut w = self.ahead(&direction, 1.0);
        // The first step has no memory to take its length from, so it is measured; others are taken
        // back if they went too far.
        let first = self.memory.is_empty();
        let mut there = rows.look(self.step_to(&w, first))?;
        self.separator = there.separating.map(|step| self.ahead(&direction, step));
        let steep = there.loss > self.loss + 1e-4 * descent;
        let size = match (first, steep) {
            (true, _) => SHORT * flat(&there.slopes),
            (false, true) => {
                lowest((self.loss, descent), (there.loss, f64::dot(&direction, &there.slope)))
            }
            (false, false) => 1.0,
        };
        if self.separator.is_none() && !GOOD_ENOUGH.contains(&size) || steep {
            w = self.ahead(&direction, size);
            there = rows.look(self.step_to(&w, false))?;
            self.separator = there.separating.map(|step| self.ahead(&direction, size * step));
        }
        if there.mistakes == 0 {
            self.separator = Some(w.clone());
        }
        let lower = there.loss < self.loss;
        if lower {
            self.memory.remember((&self.w, &self.slope), (&w, &there.slope));
            (self.w, self.loss, self.slope) = (w, there.loss, there.slope);
            self.mistakes = there.mistakes;
        }
        Ok(lower || self.separator.is_some())
    }

    /// Returns the step to w.
    fn step_to(&self, w: &[f64], measured: bool) -> DescentStep {
        let few = self.mistakes <= self.rows / FEW;
        let first = self.memory.is_empty();
        DescentStep {
            from: if first { vec![] } else { self.w.clone() },
            to: w.to_vec(),
            separators: first || few,
            multiples: if measured { MULTIPLES.to_vec() } else { vec![] },
        }
    }

    /// Returns w moved along the direction.
    fn ahead(&self, direction: &[f64], size: f64) -> Vec<f64> {
        let mut w = self.w.clone();
        f64::axpy(size, direction, &mut w);
        w
    }

    /// Shortens v along the mean: rows far from the origin make the loss curve most along it.
    fn damp(&self, v: &mut [f64]) {
        let along = f64::dot(&self.mean, v);
        f64::axpy((self.damping - 1.0) * along, &self.mean, v);
    }
}

/// Returns the multiple of a step at which the loss is lowest, roughly, given its slopes at all
/// [`MULTIPLES`]: they rise, and where they pass zero a line joins them.
fn flat(slopes: &[f64]) -> f64 {
    match slopes.iter().position(|slope| *slope >= 0.0) {
        None => MULTIPLES[MULTIPLES.len() - 1],
        Some(0) => MULTIPLES[0],
        Some(after) => {
            let ([a, b], [low, high]) =
                ([after - 1, after].map(|k| MULTIPLES[k]), [after - 1, after].map(|k| slopes[k]));
            a + (b - a) * low / (low - high)
        }
    }
}

/// Returns where on a step that went too far the loss is lowest, roughly, given its value and slope at
/// 0 and at 1: the lowest point of the cubic through both, within bounds.
fn lowest((value0, slope0): (f64, f64), (value1, slope1): (f64, f64)) -> f64 {
    // The cubic value0 + slope0 t + c t² + d t³.
    let rise = value1 - value0;
    let c = 3.0 * rise - 2.0 * slope0 - slope1;
    let d = slope0 + slope1 - 2.0 * rise;
    // The root of its derivative at which it curves upwards, in a form that does not cancel.
    let root = (c * c - 3.0 * d * slope0).sqrt();
    let t = -slope0 / (c + root);
    if t > 0.0 { t.clamp(SHORTEST, 1.0) } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::data::{Data, Error, Memory as InMemory};
    use crate::decide::folds::class_sums::ClassSums;
    use crate::decide::folds::logistic::LogisticLine;
    use crate::lift;
    use crate::queries::fold;

    struct Looking<'a>(InMemory<'a>);

    impl LookedAtRows for Looking<'_> {
        type Error = Error;

        fn look(&mut self, step: DescentStep) -> Result<StepLook, Error> {
            Ok(fold(&self.0, &LogisticLine::new(self.0.shape(), step))?.look())
        }
    }

    #[test]
    fn the_lowest_point_of_a_line() {
        // (t - 1/4)²: too far.
        assert!((lowest((0.0625, -0.5), (0.5625, 1.5)) - 0.25).abs() < 1e-12);
        // Numbers that say nothing.
        assert_eq!(lowest((1.0, -1.0), (f64::NAN, f64::NAN)), 0.5);
        // (t - 3)², a line that falls for ever, and one that rises at once.
        assert_eq!(flat(&MULTIPLES.map(|t| 2.0 * (t - 3.0))), 3.0);
        assert_eq!(flat(&[-1.0; 8]), 16.0);
        assert_eq!(flat(&[1.0; 8]), 0.125);
    }

    #[test]
    fn the_start_is_the_loss_at_zero_and_the_slope_that_of_the_loss() {
        let samples = Generator::new(200, 5, 1).samples::<f64>().unwrap();
        let memory = InMemory::new(&samples);
        let sums = fold(&memory, &ClassSums::new(memory.shape())).unwrap();
        let descent = LogisticDescent::new(200, &sums.total(), sums.unsigned());
        let mut rows = Looking(memory);
        let multiples = vec![0.5, 1.0];
        let mut at = |w: [f64; 6]| {
            let (from, to) = (vec![], w.to_vec());
            rows.look(DescentStep { from, to, separators: false, multiples: multiples.clone() })
                .unwrap()
        };
        let zero = at([0.0; 6]);
        assert!((descent.loss - zero.loss).abs() < 1e-9);
        for (found, expected) in descent.slope.iter().zip(&zero.slope) {
            assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
        }
        assert_eq!(descent.mistakes, zero.mistakes);
        let w = [0.3, -0.2, 0.5, 0.1, 0.0, 0.2];
        let StepLook { slope, slopes, .. } = at(w);
        // Along the step from 0 to w the slope is that of the loss, times w.
        assert!((slopes[1] - f64::dot(&slope, &w)).abs() < 1e-9);
        let half = at(w.map(|v| v / 2.0)).slope;
        assert!((slopes[0] - f64::dot(&half, &w)).abs() < 1e-9);
        for k in 0..6 {
            let mut moved = |by: f64| {
                let mut w = w;
                w[k] += by;
                at(w).loss
            };
            assert!(((moved(1e-5) - moved(-1e-5)) / 2e-5 - slope[k]).abs() < 1e-5);
        }
    }

    #[test]
    fn separators_on_a_line_are_seen() {
        fn separating(rows: &mut Looking, here: [f64; 2], there: [f64; 2]) -> Option<f64> {
            let (from, to) = (here.to_vec(), there.to_vec());
            rows.look(DescentStep { from, to, separators: true, multiples: vec![] })
                .unwrap()
                .separating
        }
        // Lifted, the rows are (0.6, 0.8) and (-0.8, -0.6): scores of (a, b) are 0.6 a + 0.8 b and
        // -0.8 a - 0.6 b.
        let samples = crate::Samples::dense(vec![0.75, 4.0 / 3.0], 1, vec![true, false]).unwrap();
        let mut rows = Looking(InMemory::new(&samples));
        // From (0, 0) to (-1, 1): 0.2 t and 0.2 t, positive from the start on.
        assert_eq!(separating(&mut rows, [0.0, 0.0], [-1.0, 1.0]), Some(1.0));
        let (from, to) = (vec![], vec![-1.0, 1.0]);
        let step = DescentStep { from, to, separators: true, multiples: vec![] };
        assert_eq!(rows.look(step).unwrap().separating, Some(1.0));
        // The other way they fall, and from mistakes that stay there is no way out.
        assert_eq!(separating(&mut rows, [0.0, 0.0], [1.0, -1.0]), None);
        assert_eq!(separating(&mut rows, [1.0, 1.0], [1.0, 1.0]), None);
    }

    #[test]
    fn a_descent_ends_with_a_separator() {
        let samples = Generator::new(300, 40, 3).samples::<f64>().unwrap();
        let memory = InMemory::new(&samples);
        let sums = fold(&memory, &ClassSums::new(memory.shape())).unwrap();
        let mut descent = LogisticDescent::new(300, &sums.total(), sums.unsigned());
        let mut rows = Looking(memory);
        for _ in 0..100 {
            if descent.best().0 == 0 {
                break;
            }
            assert!(descent.step(&mut rows).unwrap());
        }
        let w = descent.best().1.to_vec();
        let lifted = lift::Rows::lifted(&samples);
        assert!((0..lifted.len()).all(|i| lifted.score(i, &w) > 0.0));
    }
}
