//! Linear support vector machine, by coordinate descent on the dual problem.
//!
//! ```text
//! minimise  1/2 ‖w‖² + sum of C_i loss(w·z)    l1  loss(s) = max(0, 1 - s)
//!                                              l2  loss(s) = max(0, 1 - s)²
//!           C_i = C, times the weight of the row
//!           hard margin, the limit of C to infinity: 1/2 ‖w‖² with all w·z >= 1
//! dual      1/2 ‖w‖² + 1/2 sum D alpha_i² - sum alpha_i,  w = sum alpha_i z_i,  0 <= alpha_i <= U
//!           l1  D = 0, U = C_i   l2  D = 1/(2C_i), U = infinity   hard  D = 0, U = infinity
//! given     lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start     alpha = 0, w = 0
//! visit     G = w·z_i - 1 + D alpha_i;  alpha_i -= G / (‖z_i‖² + D), kept in [0, U];  w follows
//! stop      if the projected gradients PG met in an epoch have max(PG, 0) - min(PG, 0) < tolerance
//! ```
//!
//! PG is G, but zero where alpha_i is at a bound and G pushes it outwards: all PG are zero at the
//! optimum, and only there. The bias is the last coordinate of w and regularised like the others,
//! as in LIBLINEAR with `-B 1`. Samples have length one, so C and margins are on that scale. Rows
//! are visited in the order of the fit, and none is shrunk away, so that mistakes are those of all
//! rows in every epoch.
//!
//! Guarantee: linear convergence to the optimum of the dual. With a hard margin and separable data
//! w tends to the direction of the largest angular margin rho, with ‖w‖ = 1/rho; on inseparable
//! data there is no optimum, and alpha grows until the epochs run out, but sum alpha_i, and with it
//! ‖w‖²/2, stays below the square of the number of updates. A soft margin may leave mistakes where
//! a hyperplane without any exists. Cost per pass: n dot products, one axpy per update.
//!
//! Reference: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. Keerthi and S. Sundararajan, A dual coordinate
//! descent method for large-scale linear SVM, ICML (2008), algorithm 1.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    EpochEnd, Goal, Method, Outlook, Span, Tally, margin_bound, restore_state, save_state,
};
use crate::decide::Halt;
use crate::lift::Rows;

/// What a sample costs that lacks a score of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SvmLoss {
    /// What it lacks.
    #[default]
    L1,
    /// The square of what it lacks.
    L2,
}

/// Settings of [`Svm`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SvmSettings {
    /// Whether all samples must have a score of 1, whatever it takes; default false. Loss and cost
    /// are then not used.
    pub hard: bool,
    /// What a sample costs that lacks a score of 1; default `l1`.
    pub loss: SvmLoss,
    /// C, the weight of these costs; above 0, default 1.
    pub cost: f64,
    /// The largest difference of projected gradients in an epoch that ends the fit; above 0,
    /// default 1e-4.
    pub tolerance: f64,
}

impl Default for SvmSettings {
    fn default() -> Self {
        SvmSettings { hard: false, loss: SvmLoss::L1, cost: 1.0, tolerance: 1e-4 }
    }
}

/// Linear support vector machine.
pub struct Svm {
    /// D and U of the dual problem for a row of weight 1.
    diagonal: f64,
    upper: f64,
    tolerance: f64,
    state: SvmState,
}

#[derive(Serialize, Deserialize)]
struct SvmState {
    w: Vec<f64>,
    alpha: Vec<f64>,
    /// The largest and the smallest projected gradient of this epoch, or zero.
    highest: f64,
    lowest: f64,
}

impl Svm {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(settings: &SvmSettings, rows: &Rows) -> Self {
        let (diagonal, upper) = match (settings.hard, settings.loss) {
            (true, _) => (0.0, f64::INFINITY),
            (false, SvmLoss::L1) => (0.0, settings.cost),
            (false, SvmLoss::L2) => (0.5 / settings.cost, f64::INFINITY),
        };
        let (w, alpha) = (vec![0.0; rows.dimension()], vec![0.0; rows.len()]);
        let state = SvmState { w, alpha, highest: 0.0, lowest: 0.0 };
        Svm { diagonal, upper, tolerance: settings.tolerance, state }
    }

    /// Visits row `i`; returns its score before, and whether alpha changed.
    fn visit(&mut self, rows: &Rows, i: usize) -> (f64, bool) {
        let (diagonal, upper) = (self.diagonal / rows.weight(i), self.upper * rows.weight(i));
        let SvmState { w, alpha, highest, lowest } = &mut self.state;
        let alpha = &mut alpha[i];
        let score = rows.score(i, w);
        let gradient = score - 1.0 + diagonal * *alpha;
        let outwards = (*alpha <= 0.0 && gradient > 0.0) || (*alpha >= upper && gradient < 0.0);
        if outwards || gradient == 0.0 {
            return (score, false);
        }
        *highest = highest.max(gradient);
        *lowest = lowest.min(gradient);
        let before = *alpha;
        let free = before - gradient / (rows.squared_length(i) + diagonal);
        *alpha = free.clamp(0.0, upper);
        rows.add(i, *alpha - before, w);
        (score, *alpha != before)
    }
}

impl Method for Svm {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally::default();
        for i in span.rows(rows) {
            let (score, changed) = self.visit(rows, i);
            tally.mistakes += u64::from(score <= 0.0);
            tally.updates += u64::from(changed);
        }
        tally.evaluated = span.positions.len() as u64;
        tally
    }

    fn end_epoch(&mut self, _rows: &Rows, _halt: Halt) -> EpochEnd {
        let highest = std::mem::take(&mut self.state.highest);
        let lowest = std::mem::take(&mut self.state.lowest);
        let outlook = Outlook::converged(highest - lowest < self.tolerance);
        EpochEnd { outlook, ..EpochEnd::default() }
    }

    fn goal(&self) -> Goal {
        Goal::Optimum
    }

    fn answer(&self) -> Vec<f64> {
        self.state.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.w, self.state.alpha.iter().sum())
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| {
            [(&state.w, rows.dimension()), (&state.alpha, rows.len())]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::online::Order;

    fn solve(settings: &SvmSettings, samples: &Samples) -> Svm {
        let rows = Rows::lifted(samples);
        let mut method = Svm::new(settings, &rows);
        let order = Order::natural();
        for epoch in 1..=10_000 {
            method.learn(&rows, &Span { order: &order, positions: 0..rows.len(), epoch });
            if method.end_epoch(&rows, &|| false).outlook == Outlook::Converged {
                return method;
            }
        }
        panic!("no convergence");
    }

    /// Lifted, the first two samples are at right angles, and the third lies between them.
    fn three_points() -> Samples {
        Samples::dense(vec![-1.0, 1.0, 7.0], 1, vec![false, true, true]).unwrap()
    }

    #[test]
    fn a_hard_margin_finds_the_largest_margin() {
        let samples = three_points();
        let rows = Rows::lifted(&samples);
        let settings = SvmSettings { hard: true, tolerance: 1e-12, ..SvmSettings::default() };
        let method = solve(&settings, &samples);
        // z = (1, -1), (1, 1), both over sqrt 2, and (7, 1) / sqrt 50: w = (sqrt 2, 0).
        let root = 2.0_f64.sqrt();
        assert!((method.state.w[0] - root).abs() < 1e-9 && method.state.w[1].abs() < 1e-9);
        for (alpha, expected) in method.state.alpha.iter().zip([1.0, 1.0, 0.0]) {
            assert!((alpha - expected).abs() < 1e-9);
        }
        assert!((rows.score(0, &method.state.w) - 1.0).abs() < 1e-9);
        assert!((method.margin_bound().unwrap() - 1.0 / root).abs() < 1e-9);
    }

    fn check_soft(loss: SvmLoss, cost: f64) {
        // Two labels of five are wrong.
        let x = vec![-2.0, -1.0, 1.0, 2.0, 3.0];
        let samples = Samples::dense(x, 1, vec![false, true, false, true, true]).unwrap();
        let rows = Rows::lifted(&samples);
        let method = solve(&SvmSettings { loss, cost, tolerance: 1e-10, hard: false }, &samples);
        let mut w = vec![0.0; 2];
        for (i, &alpha) in method.state.alpha.iter().enumerate() {
            rows.add(i, alpha, &mut w);
            let lacking = 1.0 - rows.score(i, &method.state.w);
            // Stationarity in the primal slack, and complementary slackness.
            match loss {
                SvmLoss::L1 if alpha == 0.0 => assert!(lacking < 1e-9),
                SvmLoss::L1 if alpha == cost => assert!(lacking > -1e-9),
                SvmLoss::L1 => assert!(lacking.abs() < 1e-9 && alpha > 0.0 && alpha < cost),
                SvmLoss::L2 => assert!((alpha - 2.0 * cost * lacking.max(0.0)).abs() < 1e-7),
            }
        }
        for (found, expected) in method.state.w.iter().zip(w) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_soft_margin_satisfies_the_optimality_conditions() {
        for cost in [0.1, 1.0, 10.0] {
            check_soft(SvmLoss::L1, cost);
            check_soft(SvmLoss::L2, cost);
        }
    }
}
