//! The point of smallest norm in a convex hull, and the nearest points of two hulls, by an interior point method.
//!
//! ```text
//! given     vectors z_1 … z_m in R^D, each with the sign y of its class
//! minimise  1/2 ‖w‖² - rho   over w, rho   with slacks s_i = w·z_i - rho >= 0              one hull
//!                            over w, b, rho with slacks s_i = w·z_i + y_i b - rho >= 0    two hulls
//! dual      w = sum lambda_i z_i, lambda >= 0, sum lambda = 1; for two hulls sum y_i lambda_i = 0 too
//! step      Newton's method on these equations and s_i lambda_i = mu: first with mu = 0, to see how far that
//!           leads, then with the mu that this suggests and the second-order term that it showed (Mehrotra)
//! ```
//!
//! At the optimum ‖w‖ = rho / ‖w‖ is the largest margin: of the lifted rows for one hull, of the raw rows for
//! two. At all times ‖sum lambda z‖ bounds it from above and the smallest score over ‖w‖ from below. Where the
//! hull contains zero, w and rho vanish.
//!
//! Guarantee: none that floats could keep; about 20 steps, whatever the shape, until both bounds agree in nine
//! digits. Who calls looks whether they do.
//! Cost per step: m D² / 2 multiplications for the matrix Q + A'(lambda/s)A and D³ / 6 for its factor, where A is
//! the matrix of the slacks; for m <= D instead m³ / 6, and m² D / 2 once for the products of all vectors.
//!
//! Reference: S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM Journal on
//! Optimization 2 (1992).

use linsep_data::Halt;
use rayon::prelude::*;

use super::cholesky::Cholesky;
use crate::kernels::Arithmetic;
use crate::kernels::product::{MatrixView, add_product};

/// The share of the way to the border that a step goes.
const SHORT_OF_BORDER: f64 = 0.995;
/// Steps before it is given up: three times what is usual.
const STEPS: usize = 60;
/// Under this norm the point is nothing but rounding.
const VANISHED: f64 = 1e-10;
/// A step that goes no farther than this is none.
const NO_STEP: f64 = 1e-5;
/// How much vectors may add together to a step's matrix and still be left out of it.
const LEFT_OUT: f64 = 1e-2;
/// Rows of a matrix that one task computes.
const TASK: usize = 256;
/// What is added to the diagonal where nothing else keeps it from zero.
const FLOOR: f64 = 1e-14;

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InteriorEnd {
    /// The bounds are as near to each other as was asked for.
    Near,
    /// The point is zero as far as floats can tell.
    Vanished,
    /// Rounding lets it go no farther.
    Stuck,
    /// Who calls wanted an end.
    Halted,
}

/// Vectors, and where the method stands.
pub struct Interior {
    dimension: usize,
    /// Whether there are two hulls, and a bias between them.
    two: bool,
    /// All vectors, one after the other.
    z: Vec<f64>,
    /// The class of each: 1 or -1.
    y: Vec<f64>,
    w: Vec<f64>,
    /// What has no cost but its own: rho, and the bias where there are two hulls.
    free: Vec<f64>,
    lambda: Vec<f64>,
    s: Vec<f64>,
    /// Steps since the start.
    steps: usize,
    /// The products of all vectors, where they are few.
    products: Vec<f64>,
    room: Vec<f64>,
}

/// What is wrong with the equations where the method stands, and the products that tell.
struct Residuals {
    /// sum lambda z - w; empty where w is that sum.
    w: Vec<f64>,
    /// What the sums of lambda lack.
    free: Vec<f64>,
    /// s less the slacks.
    s: Vec<f64>,
}

/// A change of everything; w is empty where it is the weighted sum.
struct Change {
    w: Vec<f64>,
    free: Vec<f64>,
    lambda: Vec<f64>,
    s: Vec<f64>,
}

/// The factor of a step's matrix.
enum SystemFactor {
    /// Of the coordinates.
    Coordinates(Cholesky),
    /// Of the vectors, and the solutions for the columns of what is free.
    Vectors(Cholesky, Vec<Vec<f64>>),
}

impl Interior {
    /// Returns the method without any vectors; `two`: for two hulls.
    pub fn new(dimension: usize, two: bool) -> Self {
        Interior {
            dimension,
            two,
            z: vec![],
            y: vec![],
            w: vec![0.0; dimension],
            free: vec![0.0; 1 + usize::from(two)],
            lambda: vec![],
            s: vec![],
            steps: 0,
            products: vec![],
            room: vec![],
        }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Adds a vector that is y times a row.
    pub fn add(&mut self, positive: bool, z: impl IntoIterator<Item = f64>) {
        self.z.extend(z);
        self.y.push(if positive { 1.0 } else { -1.0 });
        debug_assert_eq!(self.z.len(), self.y.len() * self.dimension);
    }

    /// Returns w.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// Returns the weights, which are positive and add up to one, for two hulls to one in each class.
    pub fn weights(&self) -> Vec<f64> {
        let mut sums = [0.0; 2];
        let class = |y: f64| usize::from(self.two && y > 0.0);
        self.lambda.iter().zip(&self.y).for_each(|(l, &y)| sums[class(y)] += l);
        self.lambda.iter().zip(&self.y).map(|(l, &y)| l / sums[class(y)]).collect()
    }

    /// Returns a bound on every margin: the norm of the weighted sum.
    pub fn upper(&self) -> f64 {
        let weights = self.weights();
        let norm = match self.knows_products() {
            true => f64::dot(&weights, &self.combined(&weights)).max(0.0).sqrt(),
            false => {
                let p = self.weighted(&weights);
                f64::dot(&p, &p).sqrt()
            }
        };
        if self.two { 0.5 * norm } else { norm }
    }

    /// Returns the margin of w over the vectors given, and the bias that goes with it.
    pub fn lower(&self) -> (f64, f64) {
        let scores = self.own_scores();
        // w is the weighted sum of the vectors where their products are known.
        let norm = match self.knows_products() {
            true => f64::dot(&self.lambda, &scores).max(0.0).sqrt(),
            false => f64::dot(&self.w, &self.w).sqrt(),
        };
        let mut least = [f64::INFINITY; 2];
        for (score, &y) in scores.iter().zip(&self.y) {
            let class = usize::from(y > 0.0);
            least[class] = least[class].min(*score);
        }
        match self.two {
            true => (0.5 * (least[0] + least[1]) / norm, 0.5 * (least[0] - least[1])),
            false => (least[0].min(least[1]) / norm, 0.0),
        }
    }

    /// Returns rho: what the scores of the vectors that matter tend to.
    pub fn level(&self) -> f64 {
        self.free[0]
    }

    /// Goes back to the start, where all vectors have the same weight.
    pub fn restart(&mut self) {
        let positive = self.y.iter().filter(|y| **y > 0.0).count().max(1) as f64;
        let negative = (self.len() as f64 - positive).max(1.0);
        let weight = |y: f64| match (self.two, y > 0.0) {
            (false, _) => 1.0 / self.len() as f64,
            (true, true) => 0.5 / positive,
            (true, false) => 0.5 / negative,
        };
        self.lambda = self.y.iter().map(|&y| weight(y)).collect();
        self.w = self.weighted(&self.lambda);
        let bias = if self.two { self.lower().1 } else { 0.0 };
        self.free.fill(0.0);
        if self.two {
            self.free[1] = bias;
        }
        let mut scores = self.with_free(self.own_scores(), &self.free);
        let least = scores.iter().fold(f64::INFINITY, |least, s| least.min(*s));
        let mean = scores.iter().map(|s| s.abs()).sum::<f64>() / self.len() as f64;
        self.free[0] = least - mean.max(1e-3);
        scores.iter_mut().for_each(|s| *s -= self.free[0]);
        self.s = scores;
        self.steps = 0;
    }

    /// Gives the vectors that were added since the last step slacks and weights of the usual size.
    fn welcome(&mut self) {
        let (old, all) = (self.lambda.len(), self.len());
        let mu = self.mu();
        // Slacks of vectors that matter: the others' are of no size in particular.
        let pairs = self.lambda.iter().zip(&self.s);
        let mut usual: Vec<f64> =
            pairs.filter(|(l, s)| **l > 1e-3 * **s).map(|(_, s)| *s).collect();
        usual.sort_unstable_by(f64::total_cmp);
        let usual = usual.get(usual.len() / 2).copied().unwrap_or(mu.sqrt());
        let slacks = self.with_free(self.scores(&self.w), &self.free);
        for slack in &slacks[old..all] {
            let s = slack.max(usual);
            self.s.push(s);
            self.lambda.push(mu / s);
        }
    }

    fn mu(&self) -> f64 {
        f64::dot(&self.s, &self.lambda) / self.s.len().max(1) as f64
    }

    /// Makes steps until both bounds agree up to this share. `halt` is asked many times in each.
    pub fn run(&mut self, share: f64, halt: Halt) -> InteriorEnd {
        let ended = self.steps_until(share, halt);
        if self.knows_products() {
            self.w = self.weighted(&self.lambda);
        }
        ended
    }

    fn steps_until(&mut self, share: f64, halt: Halt) -> InteriorEnd {
        if self.lambda.is_empty() {
            self.restart();
        }
        if self.lambda.len() < self.len() {
            self.welcome();
        }
        if self.len() <= self.dimension {
            self.take_products(halt);
        }
        loop {
            if halt() {
                return InteriorEnd::Halted;
            }
            let (upper, (lower, _)) = (self.upper(), self.lower());
            if lower >= upper * (1.0 - share) {
                return InteriorEnd::Near;
            }
            if upper < VANISHED {
                return InteriorEnd::Vanished;
            }
            if self.steps >= STEPS || self.step(halt).is_none() {
                return if halt() { InteriorEnd::Halted } else { InteriorEnd::Stuck };
            }
            self.steps += 1;
        }
    }

    /// Makes one step, or nothing if rounding allows for none, or if it was halted.
    fn step(&mut self, halt: Halt) -> Option<()> {
        let residuals = self.residuals();
        let factor = self.factor(halt)?;
        let mu = self.mu();
        let products = |c: f64| -> Vec<f64> {
            self.lambda.iter().zip(&self.s).map(|(l, s)| c - l * s).collect()
        };
        // How far does the step to mu = 0 lead?
        let change = self.change(&factor, &residuals, &products(0.0));
        let far = reach(&self.s, &change.s).min(reach(&self.lambda, &change.lambda)).min(1.0);
        let there = |x: &[f64], dx: &[f64], k: usize| x[k] + far * dx[k];
        let m = self.len();
        let left: f64 = (0..m)
            .map(|k| there(&self.s, &change.s, k) * there(&self.lambda, &change.lambda, k))
            .sum();
        let share = left / m as f64 / mu;
        let target = mu * (share * share * share);
        let mut wanted = products(target);
        for ((wanted, ds), dl) in wanted.iter_mut().zip(&change.s).zip(&change.lambda) {
            *wanted -= ds * dl;
        }
        let change = self.change(&factor, &residuals, &wanted);
        let far = reach(&self.s, &change.s).min(reach(&self.lambda, &change.lambda));
        let far = (SHORT_OF_BORDER * far).min(1.0);
        if far.is_nan() || far < NO_STEP {
            return None;
        }
        if !change.w.is_empty() {
            f64::axpy(far, &change.w, &mut self.w);
        }
        f64::axpy(far, &change.free, &mut self.free);
        f64::axpy(far, &change.s, &mut self.s);
        f64::axpy(far, &change.lambda, &mut self.lambda);
        Some(())
    }

    /// Returns true if the vectors are so few that their products are what steps are made with. w is then the
    /// weighted sum, and is not computed on the way.
    fn knows_products(&self) -> bool {
        self.products.len() == self.len() * self.len() && self.len() <= self.dimension
    }

    fn residuals(&self) -> Residuals {
        let mut w = vec![];
        if !self.knows_products() {
            w = self.weighted(&self.lambda);
            w.iter_mut().zip(&self.w).for_each(|(sum, w)| *sum -= w);
        }
        let mut free = vec![self.lambda.iter().sum::<f64>() - 1.0];
        if self.two {
            free.push(-f64::dot(&self.y, &self.lambda));
        }
        let slacks = self.with_free(self.own_scores(), &self.free);
        let s = self.s.iter().zip(slacks).map(|(s, slack)| s - slack).collect();
        Residuals { w, free, s }
    }

    /// Returns the column of vector `i` in the matrix of what is free.
    fn border(&self, i: usize, of: usize) -> f64 {
        if of == 0 { -1.0 } else { self.y[i] }
    }

    fn factor(&mut self, halt: Halt) -> Option<SystemFactor> {
        let (m, n) = (self.len(), self.dimension);
        if self.knows_products() {
            let mut matrix = self.products.clone();
            for i in 0..m {
                matrix[i * m + i] += self.s[i] / self.lambda[i];
            }
            let factor = Cholesky::of(matrix, m, halt)?;
            let solved = (0..self.free.len()).map(|of| {
                let mut column: Vec<f64> = (0..m).map(|i| self.border(i, of)).collect();
                factor.solve(&mut column);
                column
            });
            let solved = solved.collect();
            return Some(SystemFactor::Vectors(factor, solved));
        }
        let size = n + self.free.len();
        // Vectors that are far off add next to nothing: all that are left out together less than a hundredth of
        // what is on the diagonal.
        let counts: Vec<usize> =
            (0..m).filter(|&i| self.lambda[i] * m as f64 > LEFT_OUT * self.s[i]).collect();
        let m = counts.len();
        let mut scaled = std::mem::take(&mut self.room);
        scaled.resize(m * size, 0.0);
        scaled.par_chunks_mut(size).with_min_len(TASK).zip(&counts).for_each(|(row, &i)| {
            let root = (self.lambda[i] / self.s[i]).sqrt();
            let z = &self.z[i * n..(i + 1) * n];
            row.iter_mut().zip(z).for_each(|(out, z)| *out = root * z);
            (0..self.free.len()).for_each(|of| row[n + of] = root * self.border(i, of));
        });
        let mut matrix = vec![0.0; size * size];
        matrix.par_chunks_mut(TASK * size).enumerate().for_each(|(task, rows)| {
            if halt() {
                return;
            }
            let (start, height) = (task * TASK, rows.len() / size);
            let left = MatrixView::new(&scaled[start..], m, height, size);
            let right = MatrixView::new(&scaled, m, start + height, size);
            add_product(1.0, left.transposed(), right, rows, size);
        });
        self.room = scaled;
        (0..size).for_each(|k| matrix[k * size + k] += if k < n { 1.0 } else { FLOOR });
        Some(SystemFactor::Coordinates(Cholesky::of(matrix, size, halt)?))
    }

    /// Computes the products of all vectors, unless they are known.
    fn take_products(&mut self, halt: Halt) {
        let (m, n) = (self.len(), self.dimension);
        if self.products.len() == m * m {
            return;
        }
        self.products.clear();
        self.products.resize(m * m, 0.0);
        let z = &self.z;
        self.products.par_chunks_mut(TASK * m).enumerate().for_each(|(task, rows)| {
            if halt() {
                return;
            }
            let (start, height) = (task * TASK, rows.len() / m);
            let left = MatrixView::new(&z[start * n..], height, n, n);
            let right = MatrixView::new(z, start + height, n, n);
            add_product(1.0, left, right.transposed(), rows, m);
        });
        for i in 0..m {
            for j in i + 1..m {
                self.products[i * m + j] = self.products[j * m + i];
            }
        }
    }

    /// Returns the change after which s lambda changes by `wanted`, and no residual is left.
    fn change(&self, factor: &SystemFactor, residuals: &Residuals, wanted: &[f64]) -> Change {
        let m = self.len();
        match factor {
            SystemFactor::Coordinates(factor) => {
                let weighted: Vec<f64> = (0..m)
                    .map(|i| (wanted[i] + self.lambda[i] * residuals.s[i]) / self.s[i])
                    .collect();
                let mut change = self.weighted(&weighted);
                change.iter_mut().zip(&residuals.w).for_each(|(sum, r)| *sum += r);
                for of in 0..self.free.len() {
                    let sum: f64 = (0..m).map(|i| self.border(i, of) * weighted[i]).sum();
                    change.push(sum - residuals.free[of]);
                }
                factor.solve(&mut change);
                let free = change.split_off(self.dimension);
                self.follow(change, free, residuals, wanted)
            }
            SystemFactor::Vectors(factor, solved) => {
                let mut lambda: Vec<f64> =
                    (0..m).map(|i| wanted[i] / self.lambda[i] + residuals.s[i]).collect();
                factor.solve(&mut lambda);
                let free = self.small(solved, &lambda, residuals);
                for (column, change) in solved.iter().zip(&free) {
                    f64::axpy(-change, column, &mut lambda);
                }
                let s =
                    (0..m).map(|i| (wanted[i] - self.s[i] * lambda[i]) / self.lambda[i]).collect();
                Change { w: vec![], free, lambda, s }
            }
        }
    }

    /// Returns the change of the free variables, by the one or two equations left for them.
    fn small(&self, solved: &[Vec<f64>], lambda: &[f64], residuals: &Residuals) -> Vec<f64> {
        let sum = |of: usize, x: &[f64]| -> f64 {
            x.iter().enumerate().map(|(i, x)| self.border(i, of) * x).sum()
        };
        let right: Vec<f64> =
            (0..solved.len()).map(|of| sum(of, lambda) - residuals.free[of]).collect();
        let entry = |of: usize, column: usize| sum(of, &solved[column]);
        match solved.len() {
            1 => vec![right[0] / entry(0, 0)],
            _ => {
                let (a, b, c, d) = (entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1));
                let determinant = a * d - b * c;
                vec![
                    (right[0] * d - b * right[1]) / determinant,
                    (a * right[1] - c * right[0]) / determinant,
                ]
            }
        }
    }

    /// Returns the change of everything that one of w and of what is free entails.
    fn follow(&self, w: Vec<f64>, free: Vec<f64>, residuals: &Residuals, wanted: &[f64]) -> Change {
        let mut s = self.with_free(self.scores(&w), &free);
        s.iter_mut().zip(&residuals.s).for_each(|(s, r)| *s -= r);
        let lambda =
            (0..self.len()).map(|i| (wanted[i] - self.lambda[i] * s[i]) / self.s[i]).collect();
        Change { w, free, lambda, s }
    }

    /// Returns w·z of all vectors.
    fn scores(&self, w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        let n = self.dimension;
        out.par_chunks_mut(4 * TASK).zip(self.z.par_chunks(4 * TASK * n)).for_each(|(out, z)| {
            f64::scores(w, z, n, out);
        });
        out
    }

    /// Returns w·z of all vectors for the w where the method stands.
    fn own_scores(&self) -> Vec<f64> {
        if self.knows_products() { self.combined(&self.lambda) } else { self.scores(&self.w) }
    }

    /// Returns the same for the sum of all vectors with these weights, by their products.
    fn combined(&self, weights: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        f64::scores(weights, &self.products, self.len(), &mut out);
        out
    }

    /// Returns scores with what is free: w·z + y b - rho of all vectors.
    fn with_free(&self, mut scores: Vec<f64>, free: &[f64]) -> Vec<f64> {
        for (i, score) in scores.iter_mut().enumerate() {
            *score += (0..free.len()).map(|of| self.border(i, of) * free[of]).sum::<f64>();
        }
        scores
    }

    /// Returns the sum of all vectors with these weights.
    fn weighted(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.dimension];
        for (z, weight) in self.z.chunks_exact(self.dimension).zip(weights) {
            f64::axpy(*weight, z, &mut sum);
        }
        sum
    }
}

/// Returns how many times a change can be made before a number is zero.
fn reach(x: &[f64], change: &[f64]) -> f64 {
    let pairs = x.iter().zip(change).filter(|(_, dx)| **dx < 0.0 || dx.is_nan());
    pairs.fold(
        f64::INFINITY,
        |least, (x, dx)| if dx.is_nan() { f64::NAN } else { least.min(-x / dx) },
    )
}

#[cfg(test)]
mod tests {
    use super::super::min_norm_point::Corral;
    use super::super::nearest_points::{Around, Hulls};
    use super::*;
    use crate::data::generate::Generator;
    use crate::lift::Rows;

    /// Returns the lifted rows of the paper's data in a hull, and their smallest norm.
    fn one_hull(rows: usize, columns: usize) -> (Interior, f64) {
        let samples = Generator::new(rows, columns, 3).samples::<f64>().unwrap();
        let lifted = Rows::lifted(&samples);
        let points: Vec<Vec<f64>> = (0..rows).map(|i| lifted.vector(i)).collect();
        let mut interior = Interior::new(columns + 1, false);
        points.iter().for_each(|z| interior.add(true, z.iter().copied()));
        let mut corral = Corral::new(columns + 1);
        corral.solve(&(0..rows).collect::<Vec<_>>(), &points, &|| false);
        (interior, corral.norm())
    }

    #[test]
    fn one_hull_has_the_point_of_the_active_set() {
        // More rows than coordinates, and fewer.
        for (rows, columns) in [(500, 20), (30, 100), (21, 20), (4, 5)] {
            let (mut interior, expected) = one_hull(rows, columns);
            assert_eq!(interior.run(1e-9, &|| false), InteriorEnd::Near, "{rows} x {columns}");
            let (lower, upper) = (interior.lower().0, interior.upper());
            assert!((upper / expected - 1.0).abs() < 1e-8, "{upper} against {expected}");
            assert!((lower / expected - 1.0).abs() < 1e-8, "{lower} against {expected}");
        }
    }

    #[test]
    fn two_hulls_have_the_distance_of_the_active_set() {
        for (rows, columns) in [(400, 15), (30, 80)] {
            let samples = Generator::new(rows, columns, 5).samples::<f64>().unwrap();
            let row = |i: usize| {
                let mut x = vec![];
                samples.features().for_each(i, |_, v| x.push(v));
                x
            };
            let mut hulls = Hulls::new(Around::new(row(0), [row(1)].iter().map(Vec::as_slice)));
            let mut interior = Interior::new(columns, true);
            for i in 0..rows {
                let positive = samples.positive()[i];
                hulls.add(i, positive, row(i));
                let sign = if positive { 1.0 } else { -1.0 };
                interior.add(positive, row(i).into_iter().map(|x| sign * x));
            }
            hulls.solve(&|| false);
            assert_eq!(interior.run(1e-8, &|| false), InteriorEnd::Near);
            let (found, expected) = (interior.upper(), hulls.half_distance());
            assert!((found / expected - 1.0).abs() < 1e-7, "{found} against {expected}");
            let weights = interior.weights();
            let positive = weights.iter().zip(samples.positive()).filter(|(_, p)| **p);
            assert!((positive.map(|(w, _)| w).sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn vectors_can_join_on_the_way() {
        let (whole, expected) = one_hull(500, 20);
        let mut interior = Interior::new(21, false);
        for (i, z) in whole.z.chunks(21).enumerate() {
            if i == 450 {
                assert_eq!(interior.run(0.1, &|| false), InteriorEnd::Near);
            }
            interior.add(true, z.iter().copied());
        }
        let ended = interior.run(1e-9, &|| false);
        let upper = interior.upper();
        assert_eq!(ended, InteriorEnd::Near);
        assert!((upper / expected - 1.0).abs() < 1e-8, "{upper} against {expected}");
    }

    #[test]
    fn a_hull_around_zero_vanishes() {
        let mut interior = Interior::new(2, false);
        for z in [[1.0, 0.0], [-1.0, 0.1], [-1.0, -0.1], [0.0, 1.0]] {
            interior.add(true, z);
        }
        assert_eq!(interior.run(1e-9, &|| false), InteriorEnd::Vanished);
    }

    #[test]
    fn it_ends_when_it_is_told_to() {
        let (mut interior, _) = one_hull(100, 5);
        assert_eq!(interior.run(1e-9, &|| true), InteriorEnd::Halted);
    }
}
