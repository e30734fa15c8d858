//! `joint`: the paper's method, and after each epoch one correction for all rows that were corrected lately.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! visit   as `fine` does: if w·z <= 0:  w += L (epsilon - w·z) z
//! project after an epoch with mistakes: w becomes the nearest v with v·z >= epsilon for all rows z of
//!         S = the rows on which the last projection came to lie, and the rows of the longest steps of this epoch
//! stop    after an epoch without a mistake; or, as a hint, when rows cancel: sum a z = 0, a >= 0
//! ```
//!
//! The paper's correction is the projection of w on {v : v·z >= epsilon} for one row; this is the same for many rows at
//! once. It answers the first question that the paper leaves open, "how to speed up or avoid the slow last phase": there
//! w goes to and fro between few rows, the face of the hull that it comes to lie on, in ever smaller steps, and the
//! projection is where these steps end.
//!
//! Guarantee. Take any w* with w*·z >= epsilon for all samples. The set on which is projected contains w* and is
//! convex, so the projection v of w has (w - v)·(w* - v) <= 0, and
//! ‖v - w*‖² = ‖w - w*‖² - ‖w - v‖² + 2 (w - v)·(w* - v) <= ‖w - w*‖² - ‖w - v‖²: no projection moves away from w*.
//! Each correction in between moves nearer by at least L (2 - L) epsilon² in the square, as `fine.rs` shows. So its bound
//! stays: at most (‖w_0‖ / epsilon + 1 / rho)² / (L (2 - L)) corrections for the largest angular margin rho. There is one
//! projection per epoch at most, and none without a correction in it, so there are at most twice as many updates
//! where projections are counted as well, as they are. It also holds where rounding cuts a projection short
//! (`half_spaces.rs`). And where w = sum a_i z_i with a_i >= 0, it stays such a sum,
//! so no hyperplane has an angular margin above ‖w‖ / sum a_i, nor above ‖sum a z‖ / sum a of a projection alone: where
//! this is below rounding, the rows look inseparable. That is a hint: rows may be separable by less. `decide` proves it.
//!
//! Cost per epoch: as `fine`, and |S|² D for a projection on |S| <= 5 D rows. The sum of all |S|² stays below 4 n times the
//! number of epochs, so projections cost at most four passes per epoch; one that would cost more waits.
//!
//! Reference: Á. Hajnal, A Perceptron-based fine approximation technique for linear separation (2023), section 6, for the
//! question. Projections on several half-spaces at once are known as block methods: R. Aharoni and Y. Censor,
//! Block-iterative projection methods for parallel computation of solutions to convex feasibility problems, Linear Algebra
//! and its Applications 120 (1989).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fine::{Fine, FineSettings, FineState};
use super::{CANCELLED, EpochEnd, Method, Outlook, Span, Tally, save_state};
use crate::decide::Halt;
use crate::decide::half_spaces::{HalfSpaces, nearest_within};
use crate::lift::Rows;

/// Rows with the longest steps that are kept of an epoch, per coordinate.
const KEPT: usize = 4;
/// The sum of the squares of |S| may be this, per row and epoch.
const WORK: u64 = 4;
/// Values of rows that are projected on at most (128 MiB).
const VALUES: usize = 1 << 24;

/// The paper's method, with projections.
pub struct Joint {
    fine: Fine,
    projections: Projections,
}

/// What the projections need to know.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Projections {
    /// Rows of this epoch that were corrected, those of the longest steps, and the steps.
    corrected: Vec<(usize, f64)>,
    /// Rows on which the last projection came to lie.
    held: Vec<usize>,
    /// Epochs, and the sum of |S|² over all projections.
    epochs: u64,
    spent: u64,
}

#[derive(Serialize, Deserialize)]
struct JointState {
    fine: FineState,
    projections: Projections,
}

impl Joint {
    /// Returns the method at its start. It learns from [`Rows::lifted`]. The seed matters for a random start only.
    pub fn new(settings: &FineSettings, rows: &Rows, seed: u64) -> Self {
        Joint { fine: Fine::new(settings, rows, seed), projections: Projections::default() }
    }

    /// Returns the current w.
    pub fn w(&self) -> &[f64] {
        self.fine.w()
    }
}

impl Projections {
    /// Notes a row that was corrected. Of many, those with the longest steps are kept.
    fn note(&mut self, row: usize, step: f64, most: usize) {
        self.corrected.push((row, step));
        if self.corrected.len() >= 2 * most {
            self.keep_longest(most);
        }
    }

    /// Keeps the longest steps; of equals, those of the earlier rows.
    fn keep_longest(&mut self, most: usize) {
        self.corrected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.corrected.truncate(most);
    }

    /// Returns the rows to project on and forgets those of the epoch; none if it would take too long beside the epochs.
    fn take_rows(&mut self, rows: usize, dimension: usize) -> Vec<usize> {
        let most = KEPT * dimension;
        self.keep_longest(most);
        self.epochs += 1;
        let corrected = std::mem::take(&mut self.corrected);
        // A state may come from other rows.
        let mut wanted: Vec<usize> = self.held.iter().copied().filter(|&row| row < rows).collect();
        for (row, _) in corrected {
            if !self.held.contains(&row) {
                wanted.push(row);
            }
        }
        wanted.truncate(VALUES / dimension);
        let cost = (wanted.len() as u64).pow(2);
        let allowed = WORK.saturating_mul(rows as u64).saturating_mul(self.epochs);
        if self.spent + cost > allowed {
            return vec![];
        }
        self.spent += cost;
        wanted
    }
}

impl Method for Joint {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let (projections, most) = (&mut self.projections, KEPT * rows.dimension());
        self.fine.learn_and_tell(rows, span, |row, step| projections.note(row, step, most))
    }

    fn candidates(&mut self, from: usize) -> Option<Vec<usize>> {
        self.fine.candidates(from)
    }

    fn stopped(&mut self) -> Option<usize> {
        self.fine.stopped()
    }

    fn end_epoch(&mut self, rows: &Rows, halt: Halt) -> EpochEnd {
        if self.projections.corrected.is_empty() {
            return EpochEnd::default();
        }
        let before = self.projections.clone();
        let wanted = self.projections.take_rows(rows.len(), rows.dimension());
        let Some(vectors) = rows.vectors(&wanted).filter(|vectors| !vectors.is_empty()) else {
            return EpochEnd::default();
        };
        let (w, epsilon) = (self.fine.w(), self.fine.epsilon());
        let asked = HalfSpaces { vectors: &vectors, w, epsilon };
        let Some(found) = nearest_within(&asked, halt) else {
            self.projections = before;
            return EpochEnd { outlook: Outlook::Halted, ..EpochEnd::default() };
        };
        let tally = Tally { mistakes: 0, updates: 1, evaluated: found.products };
        if found.shortest < CANCELLED {
            return EpochEnd { tally, outlook: Outlook::LooksInseparable };
        }
        let weights: f64 = found.multipliers.iter().sum();
        if weights == 0.0 || !weights.is_finite() {
            return EpochEnd { tally: Tally { updates: 0, ..tally }, ..EpochEnd::default() };
        }
        let holds = wanted.iter().zip(&found.multipliers).filter(|(_, a)| **a > 0.0);
        self.projections.held = holds.map(|(&row, _)| row).collect();
        self.fine.move_to(found.point, weights);
        EpochEnd { tally, ..EpochEnd::default() }
    }

    fn answer(&self) -> Vec<f64> {
        self.fine.answer()
    }

    fn margin_bound(&self) -> Option<f64> {
        self.fine.margin_bound()
    }

    fn save(&self) -> Value {
        let projections = self.projections.clone();
        save_state(&JointState { fine: self.fine.state(), projections })
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        let state: JointState = serde_json::from_value(saved)?;
        self.fine.take_up(rows, state.fine)?;
        self.projections = state.projections;
        Ok(())
    }
}
