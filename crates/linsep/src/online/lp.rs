//! Robust linear programming: one optimisation over all samples, by an interior point method.
//!
//! ```text
//! minimise  sum of xi_i / (samples of the class of i)
//! subject   z_i·w >= 1 - xi_i,  xi_i >= 0,  w free
//! given     lifted samples z = y (x, 1) / ‖(x, 1)‖
//! stop      after the first epoch, at whose end the whole problem is solved; a limit leaves the iterate of the
//!           solver, if that comes to the end of its step soon, else w = 0
//! ```
//!
//! The minimum is zero exactly if the samples are separable. If they are not, w = 0 is a solution
//! only if the means of the lifted classes coincide up to their sign, thanks to the weights: the
//! answer is of use either way.
//!
//! Guarantee: the minimum, within the tolerances of the solver, which are about 1e-8. It reads
//! nothing in order; counted as work are one pass per iteration, and one for the mistakes of the
//! answer. The solver looks at a flag between two iterations, and one of these may take minutes, so it
//! has a thread of its own, which is left behind where it does not end in time. Cost: memory for a copy of the data several times over, and
//! in each iteration the factorisation of a sparse matrix, of order n d² for dense data.
//!
//! References: K. Bennett and O. Mangasarian, Robust linear programming discrimination of two
//! linearly inseparable sets, Optimization Methods and Software 1 (1992). The solver is Clarabel:
//! P. Goulart and Y. Chen (2024).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use serde_json::Value;

use super::{EpochEnd, Method, Outlook, Span, Tally, restore_state, save_state};
use crate::decide::Halt;
use crate::lift::Rows;

/// How often a limit is looked at, and how long the solver may take after it to hand over what it has.
const LOOK: Duration = Duration::from_millis(10);
const GRACE: Duration = Duration::from_millis(300);

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

    fn end_epoch(&mut self, rows: &Rows, halt: Halt) -> EpochEnd {
        let n = rows.len();
        let found = solve(Problem { constraints: constraints(rows), costs: costs(rows) }, halt);
        let (iterations, converged) =
            found.as_ref().map_or((0, false), |s| (s.iterations, s.ended));
        if let Some(w) = found.as_ref().and_then(|solved| solved.x.get(..rows.dimension()))
            // A solver that broke down leaves w where it was.
            && w.iter().all(|w| w.is_finite())
        {
            self.w.copy_from_slice(w);
        }
        let mistakes = (0..n).filter(|&i| rows.score(i, &self.w) <= 0.0).count() as u64;
        let evaluated = n as u64 * (u64::from(iterations) + 1);
        let tally = Tally { mistakes, updates: 1, evaluated };
        EpochEnd { tally, outlook: Outlook::converged(converged) }
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

/// Minimise costs·x with A x <= b, b = -1 for the first half of the rows of A and 0 for the others.
struct Problem {
    constraints: CscMatrix<f64>,
    costs: Vec<f64>,
}

/// Where the solver ended.
struct Solved {
    x: Vec<f64>,
    iterations: u32,
    /// False if it was halted.
    ended: bool,
}

impl Problem {
    /// Solves it on this thread, until the flag is set.
    fn solve(self, stop: Arc<AtomicBool>) -> Solved {
        let (rows, variables) = (self.constraints.m, self.constraints.n);
        let bounds: Vec<f64> = (0..rows).map(|k| if 2 * k < rows { -1.0 } else { 0.0 }).collect();
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        let mut solver = DefaultSolver::new(
            &CscMatrix::zeros((variables, variables)),
            &self.costs,
            &self.constraints,
            &bounds,
            &[SupportedConeT::NonnegativeConeT(rows)],
            settings,
        )
        .expect("the parts of the problem fit one another");
        let asked = stop.clone();
        solver.set_termination_callback(move |_: &_| asked.load(Ordering::Relaxed));
        solver.solve();
        let ended = solver.solution.status != SolverStatus::CallbackTerminated;
        Solved { iterations: solver.solution.iterations, x: solver.solution.x, ended }
    }
}

/// Returns where the solver ended; nothing if it was halted and did not end soon.
fn solve(problem: Problem, halt: Halt) -> Option<Solved> {
    let (sender, receiver) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        // Who does not wait any longer does not listen either.
        let _ = sender.send(problem.solve(flag));
    });
    let solved = wait(&receiver, halt);
    // It ends after its iteration, whoever waits for it.
    stop.store(true, Ordering::Relaxed);
    solved.or_else(|| receiver.recv_timeout(GRACE).ok())
}

/// Returns what comes before a halt.
fn wait(receiver: &Receiver<Solved>, halt: Halt) -> Option<Solved> {
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(solved) => return Some(solved),
            Err(RecvTimeoutError::Timeout) if !halt() => {}
            Err(_) => return None,
        }
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
