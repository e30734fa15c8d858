//! Robust linear programming: one optimisation over all samples, by an interior point method.
//!
//! ```text
//! minimise  sum of xi_i / (samples of the class of i)
//! subject   z_i·w >= 1 - xi_i,  xi_i >= 0,  w free
//! given     lifted samples z = y (x, 1) / ‖(x, 1)‖
//! stop      after the first epoch, at whose end the whole problem is solved
//! ```
//!
//! The minimum is zero exactly if the samples are separable. If they are not, w = 0 is a solution
//! only if the means of the lifted classes coincide up to their sign, thanks to the weights: the
//! answer is of use either way.
//!
//! Guarantee: the minimum, within the tolerances of the solver, which are about 1e-8. It reads
//! nothing in order and cannot be interrupted; counted as work are one pass per iteration, and
//! one for the mistakes of the answer. Cost: memory for a copy of the data several times over, and
//! in each iteration the factorisation of a sparse matrix, of order n d² for dense data.
//!
//! References: K. Bennett and O. Mangasarian, Robust linear programming discrimination of two
//! linearly inseparable sets, Optimization Methods and Software 1 (1992). The solver is Clarabel:
//! P. Goulart and Y. Chen (2024).

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SupportedConeT};
use serde_json::Value;

use super::{EpochEnd, Method, Span, Tally, restore_state, save_state};
use crate::lift::Rows;

/// Robust linear programming.
pub struct Lp {
    w: Vec<f64>,
}

impl Lp {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(rows: &Rows) -> Self {
        Lp { w: vec![0.0; rows.dimension()] }
    }
}

impl Method for Lp {
    fn learn(&mut self, _rows: &Rows, _span: &Span) -> Tally {
        Tally::default()
    }

    fn end_epoch(&mut self, rows: &Rows) -> EpochEnd {
        let n = rows.len();
        let constraints = constraints(rows);
        let bounds: Vec<f64> = (0..2 * n).map(|k| if k < n { -1.0 } else { 0.0 }).collect();
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let variables = constraints.n;
        let mut solver = DefaultSolver::new(
            &CscMatrix::zeros((variables, variables)),
            &costs(rows),
            &constraints,
            &bounds,
            &[SupportedConeT::NonnegativeConeT(2 * n)],
            settings,
        )
        .expect("the parts of the problem fit one another");
        solver.solve();
        let w = &solver.solution.x[..rows.dimension()];
        // A solver that broke down leaves w where it was.
        if w.iter().all(|w| w.is_finite()) {
            self.w.copy_from_slice(w);
        }
        let mistakes = (0..n).filter(|&i| rows.score(i, &self.w) <= 0.0).count() as u64;
        let evaluated = n as u64 * (u64::from(solver.solution.iterations) + 1);
        EpochEnd { tally: Tally { mistakes, updates: 1, evaluated }, converged: true }
    }

    fn answer(&self) -> Vec<f64> {
        self.w.clone()
    }

    fn save(&self) -> Value {
        save_state(&self.w)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.w, saved, |w| [(w, rows.dimension())])
    }
}

/// Returns the cost of each variable: first w, then xi.
fn costs(rows: &Rows) -> Vec<f64> {
    let positive = rows.samples().positive();
    let positives = positive.iter().filter(|&&p| p).count();
    let negatives = positive.len() - positives;
    let cost = |&p: &bool| 1.0 / if p { positives } else { negatives } as f64;
    let mut costs = vec![0.0; rows.dimension()];
    costs.extend(positive.iter().map(cost));
    costs
}

/// Returns the matrix A of A (w, xi) <= b: above -z_i·w - xi_i <= -1, below -xi_i <= 0.
fn constraints(rows: &Rows) -> CscMatrix<f64> {
    let (n, dimension) = (rows.len(), rows.dimension());
    let mut starts = vec![0; dimension + n + 1];
    let each_nonzero = |i: usize, visit: &mut dyn FnMut(usize, f64)| {
        rows.for_each(i, |j, z| {
            if z != 0.0 {
                visit(j, z);
            }
        });
    };
    for i in 0..n {
        each_nonzero(i, &mut |j, _| starts[j + 1] += 1);
    }
    starts[dimension + 1..].fill(2);
    for j in 0..dimension + n {
        starts[j + 1] += starts[j];
    }
    let stored = starts[dimension + n];
    let (mut indices, mut values) = (vec![0; stored], vec![-1.0; stored]);
    // Rows come in order, so each column is filled from its top.
    let mut next = starts[..dimension].to_vec();
    for i in 0..n {
        each_nonzero(i, &mut |j, z| {
            indices[next[j]] = i;
            values[next[j]] = -z;
            next[j] += 1;
        });
        let column = starts[dimension + i];
        (indices[column], indices[column + 1]) = (i, n + i);
    }
    CscMatrix::new(2 * n, dimension + n, starts, indices, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;

    #[test]
    fn constraints_are_those_of_the_problem() {
        let samples = Samples::dense(vec![0.0, 0.75], 1, vec![true, false]).unwrap();
        let found = constraints(&Rows::lifted(&samples));
        let expected = CscMatrix::from(&[
            [0.0, -1.0, -1.0, 0.0],
            [0.6, 0.8, 0.0, -1.0],
            [0.0, 0.0, -1.0, 0.0],
            [0.0, 0.0, 0.0, -1.0],
        ]);
        assert!(found.check_format().is_ok());
        assert_eq!((found.colptr, found.rowval), (expected.colptr, expected.rowval));
        for (found, expected) in found.nzval.iter().zip(expected.nzval) {
            assert!((found - expected).abs() < 1e-15);
        }
    }
}
