//! The smooth phase: L-BFGS on the logistic loss of the lifted rows.
//!
//! ```text
//! minimise  sum of ln(1 + exp(-w·z)) over all rows
//! given     w = 0
//! step      the two-loop recursion over the last ten steps; if that goes too far, the lowest point
//!           of the same line
//! stop      when the caller says so: no mistake is left, or the passes run out
//! ```
//!
//! On separable data the loss has no minimum and w grows without end towards a separating
//! direction, which it reaches after about twenty passes where rows are a few times the features.
//! Two scores of a row give all its scores on the line between, so a step also finds the
//! separators on its line, and no search on it costs a pass.
//!
//! Rows of data that is not centred all have a large part along one direction, and the loss curves
//! most along it. The recursion starts from a matrix that knows this.
//!
//! Cost a step: one pass, or two where the first went too far; order 20 D besides.
//!
//! Reference: D. Liu and J. Nocedal, On the limited memory BFGS method for large scale
//! optimization, Mathematical Programming 45 (1989).

use super::lbfgs::Memory;
use super::scan::{Logistic, Scan, Start, logistic};
use crate::data::kernels::Element;

/// Steps towards the lowest point of a line, which cost no pass.
const NEWTON_STEPS: usize = 12;

/// Where the descent stands.
pub struct Descent {
    w: Vec<f64>,
    here: Logistic,
    /// A vector without a mistake, once there is one.
    separator: Option<Vec<f64>>,
    memory: Memory,
    /// The unit vector along which the rows lie that labels have not turned round.
    mean: Vec<f64>,
    /// How much shorter steps along it are.
    damping: f64,
    /// The size of the first step.
    first: f64,
    passes: u64,
}

impl Descent {
    /// Returns the descent at w = 0. Costs a pass.
    pub fn new(scan: &dyn Scan) -> Self {
        let (rows, dimension) = (scan.rows() as f64, scan.dimension());
        let Start { slope, unsigned: mut mean } = scan.start();
        let length = f64::dot(&mean, &mean).sqrt();
        mean.iter_mut().for_each(|m| *m /= length.max(f64::MIN_POSITIVE));
        // Rows have length one: this share of their squares lies along the mean, the rest is spread
        // over the other coordinates. A quarter of it is the curvature of the loss.
        let along = (length / rows).powi(2).min(1.0);
        let across = ((1.0 - along) / (dimension as f64 - 1.0)).max(1e-3 / dimension as f64);
        let here = Logistic {
            loss: rows * std::f64::consts::LN_2,
            slope,
            mistakes: scan.rows() as u64,
            scores: vec![0.0; scan.rows()],
        };
        Descent {
            w: vec![0.0; dimension],
            here,
            separator: None,
            memory: Memory::default(),
            mean,
            damping: (across / along.max(across)).min(1.0),
            first: 4.0 / (rows * across),
            passes: 1,
        }
    }

    /// Returns a vector without a mistake if there is one, or else w, and its mistakes.
    pub fn best(&self) -> (u64, &[f64]) {
        match &self.separator {
            Some(separator) => (0, separator),
            None => (self.here.mistakes, &self.w),
        }
    }

    /// Returns the scores of all rows.
    pub fn scores(&self) -> &[f64] {
        &self.here.scores
    }

    /// Returns the passes made so far.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Makes one step; returns false if there is none that lowers the loss. Costs a pass, or two.
    pub fn step(&mut self, scan: &dyn Scan) -> bool {
        let direction = self.memory.direction(&self.here.slope, self.first, |v| self.damp(v));
        let descent = f64::dot(&direction, &self.here.slope);
        if descent >= 0.0 || !descent.is_finite() {
            return false;
        }
        let (w, there) = self.look(scan, &direction, 1.0);
        let line = Line::through(&self.here.scores, &there.scores);
        let steep = there.loss > self.here.loss + 1e-4 * descent;
        // A pass tells the scores on all of the line. The first step has no memory to take its
        // length from, so it is measured; others are taken back if they went too far.
        let size = if steep || self.memory.is_empty() { line.lowest() } else { 1.0 };
        self.separator = line.separating().map(|size| {
            let mut w = self.w.clone();
            f64::axpy(size, &direction, &mut w);
            w
        });
        let (w, there) = if steep || !(0.5..2.0).contains(&size) {
            self.look(scan, &direction, size)
        } else {
            (w, there)
        };
        if there.mistakes == 0 {
            self.separator = Some(w.clone());
        }
        let lower = there.loss < self.here.loss;
        if lower {
            self.remember(w, there);
        }
        lower
    }

    fn look(&mut self, scan: &dyn Scan, direction: &[f64], size: f64) -> (Vec<f64>, Logistic) {
        let mut w = self.w.clone();
        f64::axpy(size, direction, &mut w);
        let there = scan.logistic(&w);
        self.passes += 1;
        (w, there)
    }

    fn remember(&mut self, w: Vec<f64>, there: Logistic) {
        self.memory.remember((&self.w, &self.here.slope), (&w, &there.slope));
        (self.w, self.here) = (w, there);
    }

    /// Shortens v along the mean: rows far from the origin make the loss curve most along it.
    fn damp(&self, v: &mut [f64]) {
        let along = f64::dot(&self.mean, v);
        f64::axpy((self.damping - 1.0) * along, &self.mean, v);
    }
}

/// The scores of all rows on a line: `start` + t `change`.
struct Line<'a> {
    start: &'a [f64],
    change: Vec<f64>,
}

impl<'a> Line<'a> {
    /// Returns the line that has these scores at 0 and at 1.
    fn through(start: &'a [f64], end: &[f64]) -> Self {
        Line { start, change: start.iter().zip(end).map(|(a, b)| b - a).collect() }
    }

    fn rows(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.start.iter().copied().zip(self.change.iter().copied())
    }

    /// Returns a t > 0 at which no score is zero or less, well within its bounds, if there is one.
    fn separating(&self) -> Option<f64> {
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        for (start, change) in self.rows() {
            if change > 0.0 {
                low = low.max(-start / change);
            } else if change < 0.0 {
                high = high.min(-start / change);
            } else if start <= 0.0 {
                return None;
            }
        }
        let t = if high.is_finite() { (low + high) / 2.0 } else { (2.0 * low).max(1.0) };
        (low < t && t < high).then_some(t)
    }

    /// Returns the t > 0 with the lowest loss, roughly: Newton's method between bounds.
    fn lowest(&self) -> f64 {
        let flat = 1e-2 * self.slope(0.0).0.abs();
        let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..NEWTON_STEPS {
            let (slope, curvature) = self.slope(t);
            if slope.abs() <= flat {
                break;
            }
            if slope > 0.0 {
                high = t;
            } else {
                low = t;
            }
            let newton = t - slope / curvature;
            t = if newton > low && newton < high.min(8.0 * t) {
                newton
            } else if high.is_finite() {
                (low + high) / 2.0
            } else {
                2.0 * t
            };
        }
        t
    }

    /// Returns the first and the second derivative of the loss.
    fn slope(&self, t: f64) -> (f64, f64) {
        self.rows().fold((0.0, 0.0), |(slope, curvature), (start, change)| {
            let (_, weight) = logistic(start + t * change);
            (slope - weight * change, curvature + weight * (1.0 - weight) * change * change)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Generator;
    use crate::lift::Rows;

    fn line(start: &[f64], end: &[f64]) -> (Option<f64>, f64) {
        let line = Line::through(start, end);
        (line.separating(), line.lowest())
    }

    #[test]
    fn separators_and_the_lowest_point_of_a_line() {
        // Positive from 1/3 to 3/4, and so in their middle.
        let (separating, _) = line(&[-1.0, 3.0], &[2.0, -1.0]);
        assert!((separating.unwrap() - 13.0 / 24.0).abs() < 1e-15);
        // Positive from 5 on; from 2 on the one, up to 1 the other; never.
        assert_eq!(line(&[-5.0, 1.0], &[-4.0, 2.0]).0, Some(10.0));
        assert_eq!(line(&[-2.0, 1.0], &[-1.0, 0.0]).0, None);
        assert_eq!(line(&[-1.0, 1.0], &[-1.0, 2.0]).0, None);
        // Two rows that pull with the same force where their scores are the same.
        let (_, lowest) = line(&[-4.0, 2.0], &[-2.0, 0.0]);
        assert!((lowest - 1.5).abs() < 0.1, "{lowest}");
    }

    #[test]
    fn the_start_is_the_loss_at_zero() {
        let samples = Generator::new(200, 5, 1).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let descent = Descent::new(&rows);
        let expected = rows.logistic(&[0.0; 6]);
        assert!((descent.here.loss - expected.loss).abs() < 1e-9);
        for (found, expected) in descent.here.slope.iter().zip(&expected.slope) {
            assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
        }
        assert_eq!(descent.here.mistakes, expected.mistakes);
    }

    #[test]
    fn a_descent_ends_with_a_separator() {
        let samples = Generator::new(300, 40, 3).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let mut descent = Descent::new(&rows);
        while descent.best().0 > 0 {
            assert!(descent.step(&rows) && descent.passes() < 100);
        }
        let w = descent.best().1.to_vec();
        assert!((0..rows.len()).all(|i| rows.score(i, &w) > 0.0));
    }
}
