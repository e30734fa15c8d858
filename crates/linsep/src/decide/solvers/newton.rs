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
//! Each factor of H serves some more steps, as long as each promises much less than the one before.
//!
//! Cost per factor: the matrix H, order rows D², and its factor, D³ / 3; sparse rows the squares of what they store.

use linsep_data::Halt;
use rayon::prelude::*;

use super::cholesky::Cholesky;
use super::sparse_factor::{SparseFactor, SparseGram};
use crate::kernels::Arithmetic;
use crate::kernels::product::{MatrixView, add_product};

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
/// Pivots below this share of the diagonal are of columns that seem to depend on those before: they stay as they are.
const DEPENDENT: f64 = 1e-10;
/// Steps that one factor serves at most after its own, and how much less than the one before each has to promise.
const CHORDS: usize = 6;
const LESS: f64 = 0.5;
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

/// Rows z, one after the other.
pub enum NewtonRows {
    /// All numbers of each row.
    Dense {
        /// The numbers.
        values: Vec<f64>,
        /// Numbers of a row.
        dimension: usize,
    },
    /// Those that are not zero.
    Sparse(SparseGram),
}

/// The factor of H.
enum CurvatureFactor {
    Dense(Cholesky),
    Sparse(SparseFactor),
}

impl CurvatureFactor {
    fn solve(&self, b: &mut [f64]) {
        match self {
            CurvatureFactor::Dense(factor) => factor.solve(b),
            CurvatureFactor::Sparse(factor) => factor.solve(b),
        }
    }
}

/// The method on some rows.
pub struct LogisticNewton {
    rows: NewtonRows,
    w: Vec<f64>,
    scores: Vec<f64>,
    /// The last factor, the weights of its rows, and the columns that seem to depend on others.
    factor: Option<(CurvatureFactor, Vec<f64>)>,
    dependent: Vec<usize>,
    /// Whether weights have been handed out before they were as good as they get.
    tried: bool,
    steps: usize,
    most: usize,
    /// What the last step promised.
    promised: f64,
}

impl LogisticNewton {
    /// Returns the method on these rows, at zero or at the multiple of w where the loss is lowest.
    pub fn new(rows: NewtonRows, start: Option<Vec<f64>>) -> Self {
        let (count, dimension) = match &rows {
            NewtonRows::Dense { values, dimension } => (values.len() / dimension, *dimension),
            NewtonRows::Sparse(gram) => (gram.rows(), gram.dimension()),
        };
        let mut newton = LogisticNewton {
            rows,
            w: vec![0.0; dimension],
            scores: vec![0.0; count],
            factor: None,
            dependent: vec![],
            tried: false,
            steps: 0,
            most: STEPS,
            promised: f64::INFINITY,
        };
        if let Some(w) = start.filter(|w| w.iter().all(|w| w.is_finite())) {
            let scores = newton.scores_of(&w);
            let length = lowest_along(&newton.scores, &scores);
            newton.w = w.iter().map(|w| w * length).collect();
            newton.scores = scores.iter().map(|s| s * length).collect();
        }
        newton
    }

    /// Returns the method with so many steps at most.
    pub fn with_steps(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Goes on until it ends.
    pub fn run(&mut self, halt: Halt) -> NewtonEnd {
        while self.steps < self.most && !halt() {
            if self.is_separated() {
                return NewtonEnd::Separated;
            }
            self.steps += 1;
            if self.renew(halt).is_none() {
                return NewtonEnd::Open;
            }
            // The first step is Newton's own; a factor costs far more than a step, so it serves some more.
            let mut most = f64::INFINITY;
            for _ in 0..=CHORDS {
                let Some((step, promised)) = self.step() else { return NewtonEnd::Open };
                if promised > most {
                    break;
                }
                (self.promised, most) = (promised, LESS * promised);
                let length = self.go(&step);
                let soon = promised < SOON && WHOLE.contains(&length) && !self.tried;
                if soon || promised < NEAR {
                    self.tried = true;
                    return NewtonEnd::Cancelling;
                }
                if self.is_separated() {
                    return NewtonEnd::Separated;
                }
            }
        }
        NewtonEnd::Open
    }

    fn is_separated(&self) -> bool {
        self.scores.iter().all(|s| *s > 0.0)
    }

    /// Goes as far along a step as the loss falls; returns how far.
    fn go(&mut self, step: &[f64]) -> f64 {
        let ahead = self.scores_of(step);
        let length = lowest_along(&self.scores, &ahead);
        f64::axpy(length, step, &mut self.w);
        f64::axpy(length, &ahead, &mut self.scores);
        length
    }

    /// Makes the factor of H at w. Nothing if there is none, or it was halted.
    fn renew(&mut self, halt: Halt) -> Option<()> {
        let weights = self.weights();
        let curvature: Vec<f64> = weights.iter().map(|l| l * (1.0 - l)).collect();
        // One at a time: they may be large.
        self.factor = None;
        let (factor, dependent) = match &self.rows {
            NewtonRows::Dense { values, dimension: n } => {
                let mut matrix = gram(values, &curvature, *n, halt);
                (0..*n).for_each(|k| matrix[k * n + k] *= 1.0 + RIDGE);
                let least: Vec<f64> = (0..*n).map(|k| DEPENDENT * matrix[k * n + k]).collect();
                let (factor, dependent) = Cholesky::semidefinite(matrix, *n, &least, halt)?;
                (CurvatureFactor::Dense(factor), dependent)
            }
            NewtonRows::Sparse(gram) => {
                let (factor, dependent) = gram.factor(&curvature, RIDGE, DEPENDENT, halt)?;
                (CurvatureFactor::Sparse(factor), dependent)
            }
        };
        (self.factor, self.dependent) = (Some((factor, curvature)), dependent);
        Some(())
    }

    /// Returns the step that the last factor makes, and what it promises.
    fn step(&self) -> Option<(Vec<f64>, f64)> {
        let (factor, _) = self.factor.as_ref()?;
        let r = self.combined(&self.weights());
        let mut step = r.clone();
        factor.solve(&mut step);
        let promised = f64::dot(&r, &step);
        (promised.is_finite() && promised >= 0.0).then_some((step, promised))
    }

    fn scores_of(&self, w: &[f64]) -> Vec<f64> {
        match &self.rows {
            NewtonRows::Dense { values, dimension } => {
                let rows = values.par_chunks(*dimension).with_min_len(TASK);
                rows.map(|row| f64::dot(row, w)).collect()
            }
            NewtonRows::Sparse(gram) => gram.scores(w),
        }
    }

    fn combined(&self, weights: &[f64]) -> Vec<f64> {
        match &self.rows {
            NewtonRows::Dense { values, dimension } => {
                let mut sum = vec![0.0; *dimension];
                let rows = values.chunks_exact(*dimension);
                rows.zip(weights).for_each(|(row, l)| f64::axpy(*l, row, &mut sum));
                sum
            }
            NewtonRows::Sparse(gram) => gram.combined(weights),
        }
    }

    /// Returns the weight of each row: with them the rows nearly cancel.
    pub fn weights(&self) -> Vec<f64> {
        self.scores.iter().map(|s| 1.0 / (1.0 + libm::exp(s.clamp(-700.0, 700.0)))).collect()
    }

    /// Returns w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns true if more steps would make better weights.
    pub fn can_go_on(&self) -> bool {
        self.promised >= NEAR && self.steps < self.most
    }

    /// Returns the columns that seem to depend on others, rising.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// Returns a vector to which all rows seem to be orthogonal: 1 at a dependent column, zero at the others of them.
    pub fn relation(&self, column: usize) -> Option<Vec<f64>> {
        let (factor, curvature) = self.factor.as_ref()?;
        let mut unit = vec![0.0; self.w.len()];
        unit[column] = 1.0;
        let own = self.scores_of(&unit);
        let weighted: Vec<f64> = own.iter().zip(curvature).map(|(z, c)| z * c).collect();
        let mut relation = self.combined(&weighted);
        factor.solve(&mut relation);
        relation.iter_mut().for_each(|v| *v = -*v);
        self.dependent.iter().for_each(|&k| relation[k] = 0.0);
        relation[column] = 1.0;
        Some(relation)
    }

    /// Returns the columns that are best taken out one by one, in order.
    pub fn first(&self) -> &[usize] {
        match &self.rows {
            NewtonRows::Dense { .. } => &[],
            NewtonRows::Sparse(gram) => gram.first(),
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

    /// Rows y (x, 1), centred, with labels by a hyperplane but for the first few.
    fn rows(count: usize, columns: usize, flipped: usize, seed: u64) -> NewtonRows {
        let mut state = seed;
        let mut number = || draw(&mut state) as f64 / u64::MAX as f64 - 0.5;
        let w: Vec<f64> = (0..columns).map(|_| number()).collect();
        let mut values = vec![];
        for i in 0..count {
            let x: Vec<f64> = (0..columns).map(|_| number()).collect();
            let sign = if (f64::dot(&x, &w) > 0.0) != (i < flipped) { 1.0 } else { -1.0 };
            values.extend(x.iter().chain([&1.0]).map(|x| sign * x));
        }
        NewtonRows::Dense { values, dimension: columns + 1 }
    }

    #[test]
    fn rows_that_can_be_separated_are() {
        let mut newton = LogisticNewton::new(rows(300, 20, 0, 1), None);
        assert_eq!(newton.run(&|| false), NewtonEnd::Separated);
        let w = newton.w().to_vec();
        assert!(newton.scores_of(&w).iter().all(|score| *score > 0.0));
        // It can be told where to begin.
        let mut again = LogisticNewton::new(rows(300, 20, 0, 1), Some(w));
        assert_eq!(again.run(&|| false), NewtonEnd::Separated);
        assert_eq!(again.steps, 0);
    }

    #[test]
    fn weights_of_others_nearly_cancel() {
        let mut newton = LogisticNewton::new(rows(400, 20, 8, 2), None);
        while newton.run(&|| false) == NewtonEnd::Cancelling && newton.can_go_on() {}
        let weights = newton.weights();
        let sum = newton.combined(&weights);
        let length = f64::dot(&sum, &sum).sqrt() / weights.iter().sum::<f64>();
        assert!(length < 1e-2, "{length}");
        assert!(newton.dependent().is_empty());
    }

    #[test]
    fn columns_that_depend_on_others_are_told() {
        let NewtonRows::Dense { values, dimension } = rows(200, 6, 20, 3) else { unreachable!() };
        let longer = values.chunks(dimension).flat_map(|row| {
            // 2 a - 3 b, and a copy.
            row.iter().copied().chain([2.0 * row[0] - 3.0 * row[1], row[2]]).collect::<Vec<_>>()
        });
        let rows = NewtonRows::Dense { values: longer.collect(), dimension: dimension + 2 };
        let mut newton = LogisticNewton::new(rows, None);
        assert_eq!(newton.run(&|| false), NewtonEnd::Cancelling);
        assert_eq!(newton.dependent(), [7, 8]);
        let near = |found: Option<Vec<f64>>, expected: [f64; 9]| {
            let pairs = found.unwrap().into_iter().zip(expected);
            pairs.for_each(|(found, expected)| assert!((found - expected).abs() < 1e-6));
        };
        near(newton.relation(7), [-2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        near(newton.relation(8), [0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let mut newton = LogisticNewton::new(rows(100, 5, 4, 3), None);
        assert_eq!(newton.run(&|| true), NewtonEnd::Open);
    }
}
