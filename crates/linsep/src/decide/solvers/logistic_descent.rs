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
//! A look also tells where on the line through both ends of a step all scores are positive, so a step
//! finds the separators on its line, and no search for them costs a pass.
//!
//! Rows of data that is not centred all have a large part along one direction, and the loss curves
//! most along it. The recursion starts from a matrix that knows this.
//!
//! Cost per step: one look at all rows, or two where the first went too far; order 20 D besides.
//!
//! Reference: D. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//! optimization, Mathematical Programming 45 (1989).

use super::lbfgs::Memory;
use crate::data::kernels::Element;

/// A step that was measured is taken as it is if its best length is within these factors of its own.
const GOOD_ENOUGH: std::ops::Range<f64> = 0.5..2.0;
/// How much shorter or longer the best length may be at the most.
const SHORTEST: f64 = 0.02;
const LONGEST: f64 = 8.0;

/// What the rows say of a step from one w to another.
#[derive(Clone, Debug)]
pub struct Look {
    /// The loss where the step ends: a sum over all rows.
    pub loss: f64,
    /// Its derivative with respect to w.
    pub slope: Vec<f64>,
    /// Rows with w·z <= 0 where the step ends.
    pub mistakes: u64,
    /// How many times the step leads to a w without mistakes, if some multiple does.
    pub separating: Option<f64>,
}

/// A way to look at all rows.
pub trait Rows {
    /// What keeps the rows from being looked at.
    type Error;

    /// Returns what the rows say of the step from `here` to `there`. Costs a pass.
    fn look(&mut self, here: &[f64], there: &[f64]) -> Result<Look, Self::Error>;
}

/// Where the descent stands.
pub struct Descent {
    w: Vec<f64>,
    loss: f64,
    slope: Vec<f64>,
    mistakes: u64,
    /// A vector without a mistake, once there is one.
    separator: Option<Vec<f64>>,
    memory: Memory,
    /// The unit vector along which the rows lie that labels have not turned round.
    mean: Vec<f64>,
    /// How much shorter steps along it are.
    damping: f64,
    /// The size of the first step.
    first: f64,
}

impl Descent {
    /// Returns the descent at w = 0, given the number of rows, the sum of the lifted rows z and the
    /// sum of y z, where labels do not turn rows round.
    pub fn new(rows: usize, total: &[f64], mut unsigned: Vec<f64>) -> Self {
        let (n, dimension) = (rows as f64, total.len());
        let length = f64::dot(&unsigned, &unsigned).sqrt();
        unsigned.iter_mut().for_each(|m| *m /= length.max(f64::MIN_POSITIVE));
        // Rows have length one: this share of their squares lies along the mean, the rest is spread
        // over the other coordinates. A quarter of it is the curvature of the loss.
        let along = (length / n).powi(2).min(1.0);
        let across = ((1.0 - along) / (dimension as f64 - 1.0)).max(1e-3 / dimension as f64);
        Descent {
            w: vec![0.0; dimension],
            loss: n * std::f64::consts::LN_2,
            slope: total.iter().map(|z| -0.5 * z).collect(),
            mistakes: rows as u64,
            separator: None,
            memory: Memory::default(),
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

    /// Makes one step; returns false if there is none that lowers the loss. Costs a look, or two.
    pub fn step<R: Rows>(&mut self, rows: &mut R) -> Result<bool, R::Error> {
        let direction = self.memory.direction(&self.slope, self.first, |v| self.damp(v));
        let descent = f64::dot(&direction, &self.slope);
        if descent >= 0.0 || !descent.is_finite() {
            return Ok(false);
        }
        let mut w = self.ahead(&direction, 1.0);
        let mut there = rows.look(&self.w, &w)?;
        self.separator = there.separating.map(|step| self.ahead(&direction, step));
        let steep = there.loss > self.loss + 1e-4 * descent;
        // The first step has no memory to take its length from, so it is measured; others are taken
        // back if they went too far.
        let size = match steep || self.memory.is_empty() {
            true => lowest((self.loss, descent), (there.loss, f64::dot(&direction, &there.slope))),
            false => 1.0,
        };
        if self.separator.is_none() && (steep || !GOOD_ENOUGH.contains(&size)) {
            w = self.ahead(&direction, size);
            there = rows.look(&self.w, &w)?;
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

/// Returns where on a line the loss is lowest, roughly, given its value and slope at 0 and at 1: the
/// lowest point of the cubic through both, within bounds.
fn lowest((value0, slope0): (f64, f64), (value1, slope1): (f64, f64)) -> f64 {
    // The cubic value0 + slope0 t + c t² + d t³.
    let rise = value1 - value0;
    let c = 3.0 * rise - 2.0 * slope0 - slope1;
    let d = slope0 + slope1 - 2.0 * rise;
    // The root of its derivative at which it curves upwards, in a form that does not cancel.
    let root = (c * c - 3.0 * d * slope0).sqrt();
    let t = -slope0 / (c + root);
    if t > 0.0 { t.clamp(SHORTEST, LONGEST) } else { LONGEST }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::data::{Data, Error, Memory as InMemory, fold};
    use crate::decide::folds::class_sums::ClassSums;
    use crate::decide::folds::logistic::LogisticLine;
    use crate::lift;

    struct Looking<'a>(InMemory<'a>);

    impl Rows for Looking<'_> {
        type Error = Error;

        fn look(&mut self, here: &[f64], there: &[f64]) -> Result<Look, Error> {
            let line = LogisticLine::new(self.0.shape(), here.to_vec(), there.to_vec());
            Ok(fold(&self.0, line)?.look())
        }
    }

    #[test]
    fn the_lowest_point_of_a_line() {
        // (t - 3)² falls from 9 to 4, with slopes -6 and -4.
        assert!((lowest((9.0, -6.0), (4.0, -4.0)) - 3.0).abs() < 1e-12);
        // (t - 1/4)²: too far.
        assert!((lowest((0.0625, -0.5), (0.5625, 1.5)) - 0.25).abs() < 1e-12);
        // A line that falls for ever, and numbers that say nothing.
        assert_eq!(lowest((1.0, -1.0), (0.0, -1.0)), LONGEST);
        assert_eq!(lowest((1.0, -1.0), (f64::NAN, f64::NAN)), LONGEST);
    }

    #[test]
    fn the_start_is_the_loss_at_zero_and_the_slope_that_of_the_loss() {
        let samples = Generator::new(200, 5, 1).samples::<f64>().unwrap();
        let memory = InMemory::new(&samples);
        let sums = fold(&memory, ClassSums::new(memory.shape())).unwrap();
        let descent = Descent::new(200, &sums.total(), sums.unsigned());
        let mut rows = Looking(memory);
        let mut at = |w: [f64; 6]| rows.look(&[0.0; 6], &w).unwrap();
        let zero = at([0.0; 6]);
        assert!((descent.loss - zero.loss).abs() < 1e-9);
        for (found, expected) in descent.slope.iter().zip(&zero.slope) {
            assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
        }
        assert_eq!(descent.mistakes, zero.mistakes);
        let w = [0.3, -0.2, 0.5, 0.1, 0.0, 0.2];
        let slope = at(w).slope;
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
        // Lifted, the rows are (0.6, 0.8) and (-0.8, -0.6): scores of (a, b) are 0.6 a + 0.8 b and
        // -0.8 a - 0.6 b.
        let samples = crate::Samples::dense(vec![0.75, 4.0 / 3.0], 1, vec![true, false]).unwrap();
        let mut rows = Looking(InMemory::new(&samples));
        // From (0, 0) to (-1, 1): 0.2 t and 0.2 t, positive from the start on.
        assert_eq!(rows.look(&[0.0, 0.0], &[-1.0, 1.0]).unwrap().separating, Some(1.0));
        // The other way they fall, and from mistakes that stay there is no way out.
        assert_eq!(rows.look(&[0.0, 0.0], &[1.0, -1.0]).unwrap().separating, None);
        assert_eq!(rows.look(&[1.0, 1.0], &[1.0, 1.0]).unwrap().separating, None);
    }

    #[test]
    fn a_descent_ends_with_a_separator() {
        let samples = Generator::new(300, 40, 3).samples::<f64>().unwrap();
        let memory = InMemory::new(&samples);
        let sums = fold(&memory, ClassSums::new(memory.shape())).unwrap();
        let mut descent = Descent::new(300, &sums.total(), sums.unsigned());
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
