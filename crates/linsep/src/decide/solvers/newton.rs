//! Newton's method on the logistic loss of some rows: a separator, or weights that prove that there is none.
//!
//! ```text
//! minimise  f(w) = sum of ln(1 + exp(-w·z)) over the rows
//! step      H p = r with r = sum l z, H = sum l (1 - l) z z', l = 1 / (1 + exp(w·z));
//!           as far along p as the loss falls
//! stop      all w·z > 0: w separates the rows
//!           r' H^-1 r, what a step still promises, is next to nothing: with weights l the rows nearly cancel,
//!           so that their matrix is positive definite (linsep-proof, definite.rs)
//!           steps run out: neither is in sight, as where a separator is weak
//! ```
//!
//! An optimum exists exactly if no hyperplane separates the rows, not even weakly; near it each step doubles the digits. The method sees no
//! difference between coordinates, so rows are seen in those that floats like best: centred, of about the same size.
//!
//! Cost per step: the matrix H, order rows D², and its factor, D³ / 3; sparse rows the squares of what they store.

use linsep_data::{Features, Halt, Samples};
use rayon::prelude::*;

use super::cholesky::Cholesky;
use super::sparse_factor::{SparseGram, SparsePattern};
use crate::kernels::Arithmetic;
use crate::kernels::product::{MatrixView, add_product};
use crate::lift::Rows;

/// Steps before it gives up.
const STEPS: usize = 30;
/// A whole step that promises less than this leads to weights that nearly cancel, as a rule: the next promises about the square of its
/// hundredth part. Where the checker does not agree, one that promises less than the second number does.
const SOON: f64 = 4.0;
const NEAR: f64 = 0.02;
/// What is a whole step.
const WHOLE: std::ops::Range<f64> = 0.7..1.4;
/// What is added to the diagonal, relative to it: columns may depend on each other.
const RIDGE: f64 = 1e-12;
/// Pivots below this share of the diagonal are of columns that seem to depend on those before.
const DEPENDENT: f64 = 1e-9;
/// Rows of what one task computes.
const TASK: usize = 128;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewtonEnd {
    /// All rows are on their own sides of w.
    Separated,
    /// The weights nearly cancel.
    Cancelling,
    /// Neither, or it was halted.
    Open,
}

/// Rows as the method sees them.
enum SeenRows {
    Dense(Vec<f64>),
    Sparse(SparseGram),
}

/// The method on some rows.
pub struct LogisticNewton {
    rows: SeenRows,
    count: usize,
    dimension: usize,
    /// Where each column is seen from, and what it is multiplied by; the bias last.
    centre: Vec<f64>,
    scale: Vec<f64>,
    /// What each row was divided by.
    lengths: Vec<f64>,
    w: Vec<f64>,
    scores: Vec<f64>,
    /// Columns that seem to depend on others.
    dependent: bool,
    /// Whether weights have been handed out before they were as good as they get.
    tried: bool,
    steps: usize,
    most: usize,
    /// What the last step promised.
    promised: f64,
}

impl LogisticNewton {
    /// Returns the method on these rows, at a hyperplane (w, b) of raw rows if one is given, else at zero. Sparse rows are
    /// seen as they are; nothing if that takes too much memory.
    pub fn new(samples: &Samples, plane: Option<&[f64]>) -> Option<Self> {
        let (count, columns) = (samples.rows(), samples.columns());
        let sparse = matches!(samples.features(), Features::Sparse(_));
        let lifted = Rows::lifted(samples);
        let lengths: Vec<f64> = samples.norms().to_vec();
        let mut centre = vec![0.0; columns + 1];
        if !sparse {
            for i in 0..count {
                samples.features().for_each(i, |k, x| centre[k] += x / count as f64);
            }
        }
        let mut squares = vec![0.0_f64; columns + 1];
        for (i, length) in lengths.iter().enumerate() {
            let add = |squares: &mut f64, x: f64| *squares += (x / length) * (x / length);
            samples.features().for_each(i, |k, x| add(&mut squares[k], x - centre[k]));
            add(&mut squares[columns], 1.0);
        }
        let size = |s: &f64| (s / count as f64).sqrt();
        let scale: Vec<f64> =
            squares.iter().map(|s| if size(s) > 0.0 { 1.0 / size(s) } else { 0.0 }).collect();
        if scale.iter().any(|s| !s.is_finite()) {
            return None;
        }
        let dimension = columns + 1;
        let rows = match samples.features() {
            Features::Sparse(_) => {
                SeenRows::Sparse(SparseGram::new(&lifted, &scale, SparsePattern::of(samples)?))
            }
            features => {
                let mut seen = vec![0.0; count * dimension];
                seen.par_chunks_mut(dimension).with_min_len(TASK).enumerate().for_each(
                    |(i, row)| {
                        let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
                        let factor = sign / lengths[i];
                        features.for_each(i, |k, x| row[k] = factor * (x - centre[k]) * scale[k]);
                        row[columns] = factor * scale[columns];
                    },
                );
                SeenRows::Dense(seen)
            }
        };
        let mut newton = LogisticNewton {
            rows,
            count,
            dimension,
            centre,
            scale,
            lengths,
            w: vec![0.0; dimension],
            scores: vec![0.0; count],
            dependent: false,
            tried: false,
            steps: 0,
            most: STEPS,
            promised: f64::INFINITY,
        };
        if let Some(plane) = plane {
            newton.start_at(plane);
        }
        Some(newton)
    }

    /// Returns the method with so many steps at most.
    pub fn with_steps(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Goes to a hyperplane of raw rows, or to the multiple of it where the loss is lowest.
    fn start_at(&mut self, plane: &[f64]) {
        let columns = self.dimension - 1;
        let shift: f64 = plane[..columns].iter().zip(&self.centre).map(|(w, c)| w * c).sum();
        let seen = |(k, w): (usize, &f64)| {
            let w = if k == columns { w + shift } else { *w };
            if self.scale[k] > 0.0 { w / self.scale[k] } else { 0.0 }
        };
        let w: Vec<f64> = plane.iter().enumerate().map(seen).collect();
        let scores = self.scores_of(&w);
        let length = lowest_along(&vec![0.0; self.count], &scores);
        self.w = w.iter().map(|w| w * length).collect();
        self.scores = scores.iter().map(|s| s * length).collect();
    }

    /// Goes on until it ends.
    pub fn run(&mut self, halt: Halt) -> NewtonEnd {
        while self.steps < self.most && !halt() {
            if self.scores.iter().all(|s| *s > 0.0) {
                return NewtonEnd::Separated;
            }
            self.steps += 1;
            let weights = self.weights();
            let Some((step, promised)) = self.step(&weights, halt) else {
                return NewtonEnd::Open;
            };
            self.promised = promised;
            let ahead = self.scores_of(&step);
            let length = lowest_along(&self.scores, &ahead);
            f64::axpy(length, &step, &mut self.w);
            f64::axpy(length, &ahead, &mut self.scores);
            let soon = promised < SOON && WHOLE.contains(&length) && !self.tried;
            if soon || promised < NEAR {
                self.tried = true;
                return NewtonEnd::Cancelling;
            }
        }
        NewtonEnd::Open
    }

    /// Returns the step that Newton's method takes, and what it promises.
    fn step(&mut self, weights: &[f64], halt: Halt) -> Option<(Vec<f64>, f64)> {
        let curvature: Vec<f64> = weights.iter().map(|l| l * (1.0 - l)).collect();
        let r = self.combined(weights);
        let mut step = r.clone();
        match &self.rows {
            SeenRows::Dense(seen) => {
                let n = self.dimension;
                let mut matrix = gram(seen, &curvature, n, halt);
                let mut diagonal = vec![0.0; n];
                for k in 0..n {
                    let d = &mut matrix[k * n + k];
                    *d = if *d > 0.0 { *d * (1.0 + RIDGE) } else { 1.0 };
                    diagonal[k] = *d;
                }
                let factor = Cholesky::of(matrix, n, halt)?;
                let small = |(pivot, d): (f64, &f64)| pivot * pivot < DEPENDENT * d;
                self.dependent =
                    factor.diagonal().zip(&diagonal).any(small) || self.scale.contains(&0.0);
                factor.solve(&mut step);
            }
            SeenRows::Sparse(gram) => {
                self.dependent = gram.solve(&curvature, RIDGE, DEPENDENT, &mut step, halt)?;
            }
        }
        let promised = f64::dot(&r, &step);
        (promised.is_finite() && promised >= 0.0).then_some((step, promised))
    }

    fn scores_of(&self, w: &[f64]) -> Vec<f64> {
        match &self.rows {
            SeenRows::Dense(seen) => {
                let rows = seen.par_chunks(self.dimension).with_min_len(TASK);
                rows.map(|row| f64::dot(row, w)).collect()
            }
            SeenRows::Sparse(gram) => gram.scores(w),
        }
    }

    fn combined(&self, weights: &[f64]) -> Vec<f64> {
        match &self.rows {
            SeenRows::Dense(seen) => {
                let mut sum = vec![0.0; self.dimension];
                let rows = seen.chunks_exact(self.dimension);
                rows.zip(weights).for_each(|(row, l)| f64::axpy(*l, row, &mut sum));
                sum
            }
            SeenRows::Sparse(gram) => gram.combined(weights),
        }
    }

    fn weights(&self) -> Vec<f64> {
        self.scores.iter().map(|s| 1.0 / (1.0 + libm::exp(s.clamp(-700.0, 700.0)))).collect()
    }

    /// Returns the weight of each raw row: with them the rows nearly cancel.
    pub fn raw_weights(&self) -> Vec<f64> {
        self.weights().iter().zip(&self.lengths).map(|(l, length)| l / length).collect()
    }

    /// Returns the hyperplane (w, b) of raw rows.
    pub fn plane(&self) -> Vec<f64> {
        let columns = self.dimension - 1;
        let mut plane: Vec<f64> = self.w.iter().zip(&self.scale).map(|(w, s)| w * s).collect();
        let shift: f64 = plane[..columns].iter().zip(&self.centre).map(|(w, c)| w * c).sum();
        plane[columns] -= shift;
        plane
    }

    /// Returns true if more steps would make better weights.
    pub fn can_go_on(&self) -> bool {
        self.promised >= NEAR && self.steps < self.most
    }

    /// Returns true if columns seem to depend on each other.
    pub fn seems_dependent(&self) -> bool {
        self.dependent
    }

    /// Returns the coordinates that are best taken out one by one, in order.
    pub fn first(&self) -> &[usize] {
        match &self.rows {
            SeenRows::Dense(_) => &[],
            SeenRows::Sparse(gram) => gram.first(),
        }
    }
}

/// Returns how far along a step the loss is lowest, by Newton's method on the line.
fn lowest_along(scores: &[f64], ahead: &[f64]) -> f64 {
    const TRIES: usize = 30;
    let slopes = |t: f64| {
        let pairs = scores.iter().zip(ahead);
        pairs.fold((0.0, 0.0), |(slope, curve), (s, a)| {
            let l = 1.0 / (1.0 + libm::exp((s + t * a).clamp(-700.0, 700.0)));
            (slope - l * a, curve + l * (1.0 - l) * a * a)
        })
    };
    // The slope rises with t, and is not positive at zero; without an end it falls for ever.
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut t = 1.0;
    for _ in 0..TRIES {
        let (slope, curve) = slopes(t);
        if slope < 0.0 {
            low = t;
        } else {
            high = t;
        }
        let next = t - slope / curve;
        let inside = next > low && next < high && next < 10.0 * t.max(0.1);
        let fallback = if high.is_finite() { (low + high) / 2.0 } else { 10.0 * t };
        let next = if inside { next } else { fallback };
        if (next - t).abs() <= 0.01 * t || t > 1e6 {
            return next.min(1e6);
        }
        t = next;
    }
    t
}

/// Returns the lower triangle of the sum of weighted z z', by rows.
fn gram(seen: &[f64], weights: &[f64], n: usize, halt: Halt) -> Vec<f64> {
    let roots = weights.iter().map(|w| w.sqrt());
    let counts: Vec<(usize, f64)> = roots.enumerate().filter(|(_, root)| *root > 0.0).collect();
    let m = counts.len();
    let mut scaled = vec![0.0; m * n];
    scaled.par_chunks_mut(n).with_min_len(TASK).zip(&counts).for_each(|(out, &(i, root))| {
        out.iter_mut().zip(&seen[i * n..][..n]).for_each(|(out, z)| *out = root * z);
    });
    let mut matrix = vec![0.0; n * n];
    matrix.par_chunks_mut(TASK * n).enumerate().for_each(|(task, rows)| {
        if halt() {
            return;
        }
        let (start, height) = (task * TASK, rows.len() / n);
        let left = MatrixView::new(&scaled[start..], m, height, n);
        let right = MatrixView::new(&scaled, m, start + height, n);
        add_product(1.0, left.transposed(), right, rows, n);
    });
    matrix
}

#[cfg(test)]
mod tests {
    use linsep_data::hash::draw;

    use super::*;

    fn samples(rows: usize, columns: usize, flipped: usize, seed: u64) -> Samples {
        let mut state = seed;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let w: Vec<f64> = (0..columns).map(|_| number()).collect();
        let mut values = vec![];
        let mut labels = vec![];
        for i in 0..rows {
            let x: Vec<f64> = (0..columns).map(|_| number()).collect();
            labels.push((f64::dot(&x, &w) > 0.0) != (i < flipped));
            // Far from zero, of different sizes.
            values.extend(x.iter().enumerate().map(|(k, x)| (x + 100.0) * (k + 1) as f64));
        }
        Samples::dense(values, columns, labels).unwrap()
    }

    #[test]
    fn rows_that_can_be_separated_are() {
        let samples = samples(300, 20, 0, 1);
        let mut newton = LogisticNewton::new(&samples, None).unwrap();
        assert_eq!(newton.run(&|| false), NewtonEnd::Separated);
        let rows = Rows::raw(&samples);
        let plane = newton.plane();
        assert!((0..300).all(|i| rows.score(i, &plane) > 0.0));
        // It can be told where to begin.
        let mut again = LogisticNewton::new(&samples, Some(&plane)).unwrap();
        assert_eq!(again.run(&|| false), NewtonEnd::Separated);
        assert_eq!(again.steps, 0);
    }

    #[test]
    fn rows_that_cannot_be_cancel() {
        let samples = samples(400, 20, 8, 2);
        let mut newton = LogisticNewton::new(&samples, None).unwrap();
        assert_eq!(newton.run(&|| false), NewtonEnd::Cancelling);
        assert!(!newton.seems_dependent());
        let weights = newton.raw_weights();
        let found = linsep_proof::definite::definite(&samples, &weights, &[], &[], &|| false);
        assert_eq!(found, Ok(()));
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let samples = samples(100, 5, 4, 3);
        let mut newton = LogisticNewton::new(&samples, None).unwrap();
        assert_eq!(newton.run(&|| true), NewtonEnd::Open);
    }
}
