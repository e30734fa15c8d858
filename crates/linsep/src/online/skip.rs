//! Lossless skipping: the same iterates as the plain loop, bit for bit, for a fraction of the work.
//!
//! Keep a reference vector with direction u, and the scores m_i = u·z_i. Write the current vector
//! as w = a u + r with r orthogonal to u. Since ‖z_i‖ = 1,
//!
//! ```text
//! w·z_i >= a m_i - ‖r‖ sqrt(1 - m_i²) > 0    whenever    m_i > ‖r‖ / ‖w‖ and a > 0,
//! ```
//!
//! so a sample above that threshold is no mistake and need not be looked at. After w += c z_k both
//! a and ‖r‖ follow from m_k and the score w·z_k that was just computed, in a handful of
//! operations. An epoch visits, in order, only the samples under the threshold; the reference is
//! renewed, for the price of a pass, when the visits since the last renewal add up to a pass.
//!
//! *Lossless*, in floating point too: a is kept as a lower and ‖r‖ as an upper bound, each widened
//! by the rounding errors of every operation, and the threshold is raised by the error of a score.
//! The comments below say where each term comes from. Skipped samples are those whose *computed*
//! score is certain to be positive.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Order, Span, expect_length};
use crate::hyperplane::norm;
use crate::kernels::Arithmetic;
use crate::lift::Rows;

/// The unit roundoff of `f64`.
const UNIT: f64 = f64::EPSILON / 2.0;
/// A reference is lost where w was moved so that this part of the rows, 1 of 4, may be mistakes.
const LOST: usize = 4;
/// Under this length of w underflow could matter, and nothing is skipped.
const SHORTEST: f64 = 1e-150;

/// A sample that may be under the threshold.
#[derive(Clone, Copy)]
struct Candidate {
    score: f64,
    position: u32,
}

/// Decides which samples must be visited.
pub(super) struct Skipper {
    /// Bound on the error of a computed score w·z, relative to ‖w‖. It also bounds how far the
    /// length of a lifted sample is from 1.
    score_error: f64,
    /// The reference, and what was learned from it; none until the first renewal.
    reference: Option<Reference>,
    /// m_i for every row.
    scores: Vec<f64>,
    /// All samples with m_i <= `limit`, by position in the epoch.
    candidates: Vec<Candidate>,
    limit: f64,
    /// The first candidate that this epoch has not passed.
    cursor: usize,
    rows: usize,
    pace: RenewalPace,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Reference {
    w: Vec<f64>,
    /// The component of w along the reference, and a bound on its error.
    along: f64,
    along_error: f64,
    /// An upper bound on the length of the component across it.
    across: f64,
    /// Samples with m_i above this cannot be mistakes.
    threshold: f64,
}

/// When to renew the reference.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct RenewalPace {
    /// Visits and epochs since the reference was renewed or given up.
    visits: u64,
    epochs: u64,
    /// Epochs to run without a reference, where references did not pay.
    pause: u64,
    /// The threshold at which the last reference was given up: a guess for the next one.
    last_threshold: f64,
    /// True if w was moved as a whole since the last epoch.
    #[serde(default)]
    moved: bool,
}

impl RenewalPace {
    /// Gives a reference up: where it did not pay, the next one has to wait, ever longer.
    fn rest(&mut self, paid: bool) {
        self.pause = if paid { 0 } else { (2 * self.pause).clamp(1, 64) };
        self.epochs = 0;
    }
}

/// What a skipper needs to go on: the scores are computed anew from the reference.
#[derive(Serialize, Deserialize)]
pub(super) struct SkipperState {
    reference: Option<Reference>,
    pace: RenewalPace,
}

impl Skipper {
    pub(super) fn new(rows: &Rows) -> Self {
        Skipper {
            // Twice the textbook bound for a sum of this depth.
            score_error: 2.0 * UNIT * rows.rounding_depth() as f64,
            reference: None,
            scores: vec![],
            candidates: vec![],
            limit: f64::NEG_INFINITY,
            cursor: 0,
            rows: rows.len(),
            pace: RenewalPace { last_threshold: 1e-3, ..RenewalPace::default() },
        }
    }

    pub(super) fn save(&self) -> SkipperState {
        SkipperState { reference: self.reference.clone(), pace: self.pace.clone() }
    }

    pub(super) fn restore(
        &mut self,
        rows: &Rows,
        state: SkipperState,
    ) -> Result<(), serde_json::Error> {
        self.reference = state.reference;
        self.pace = state.pace;
        self.forget_candidates();
        if let Some(reference) = self.reference.take() {
            expect_length(&reference.w, rows.dimension())?;
            self.score_all(rows, &reference.w);
            self.reference = Some(reference);
        }
        Ok(())
    }

    /// Prepares for an epoch in this order, starting at w. Returns the rows it had to score.
    pub(super) fn begin_epoch(&mut self, rows: &Rows, order: &Order, w: &[f64]) -> u64 {
        self.cursor = 0;
        if !order.is_natural() {
            self.forget_candidates();
        }
        let pass = self.rows as u64;
        let lost = self.has_lost_its_way();
        self.pace.moved = false;
        let spent = self.pace.visits >= pass || lost;
        if spent && let Some(reference) = self.reference.take() {
            // Renewing cost a pass and visiting another: it paid if it saved a third. One that is lost before has
            // cost less: it paid if it saved half of the visits.
            let paid = if lost {
                2 * self.pace.visits <= self.pace.epochs * pass
            } else {
                self.pace.epochs > 2
            };
            self.pace.rest(paid);
            self.pace.last_threshold = reference.threshold.min(1.0);
        }
        let mut evaluated = 0;
        if spent && self.reference.is_none() && self.pace.epochs >= self.pace.pause {
            self.renew(rows, w);
            evaluated = pass;
        }
        self.pace.epochs += 1;
        evaluated
    }

    /// Returns true where w was moved so far from the reference that an epoch would have to visit many rows. A pass is
    /// cheaper than that many visits, for it takes the rows as they lie, on all threads.
    fn has_lost_its_way(&self) -> bool {
        let Some(reference) = self.reference.as_ref().filter(|_| self.pace.moved) else {
            return false;
        };
        let open = self.scores.par_iter().filter(|m| **m <= reference.threshold).count();
        open * LOST >= self.rows
    }

    fn renew(&mut self, rows: &Rows, w: &[f64]) {
        self.forget_candidates();
        let length = norm(w.iter().copied());
        if length < SHORTEST {
            self.pace.rest(false);
            return;
        }
        self.pace.visits = 0;
        self.pace.epochs = 0;
        self.score_all(rows, w);
        let mut reference = Reference {
            w: w.to_vec(),
            along: length,
            along_error: self.score_error * length,
            across: 0.0,
            threshold: 0.0,
        };
        reference.set_threshold(self.score_error);
        self.reference = Some(reference);
    }

    fn score_all(&mut self, rows: &Rows, w: &[f64]) {
        let length = norm(w.iter().copied());
        self.scores.resize(self.rows, 0.0);
        rows.all_scores(w, &mut self.scores);
        self.scores.par_iter_mut().for_each(|m| *m /= length);
    }

    /// Returns the first position of the span from `from` on that must be visited.
    #[inline]
    pub(super) fn next(&mut self, from: usize, span: &Span) -> Option<usize> {
        let end = span.positions.end;
        let found = match &self.reference {
            None => (from < end).then_some(from),
            Some(reference) => {
                let threshold = reference.threshold;
                if threshold > self.limit {
                    self.collect_candidates(threshold, from, span.order);
                }
                loop {
                    match self.candidates.get(self.cursor) {
                        Some(c) if (c.position as usize) < end => {
                            self.cursor += 1;
                            if c.score <= threshold {
                                break Some(c.position as usize);
                            }
                        }
                        _ => break None,
                    }
                }
            }
        };
        self.pace.visits += u64::from(found.is_some());
        found
    }

    /// Takes back the visit of the position that [`Skipper::next`] has returned last.
    pub(super) fn put_back(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
        self.pace.visits -= 1;
    }

    /// Returns the rows from this position on that may have to be visited before the threshold has doubled;
    /// nothing without a reference. Rows come in their own order.
    pub(super) fn candidates(&mut self, from: usize) -> Option<Vec<usize>> {
        let threshold = self.reference.as_ref()?.threshold;
        if threshold > self.limit {
            self.collect_candidates(threshold, from, &Order::natural());
        }
        let rows = self.candidates.iter().map(|c| c.position as usize);
        Some(rows.filter(|&row| row >= from).collect())
    }

    /// Returns a position that will probably be visited soon.
    #[inline]
    pub(super) fn peek(&self) -> Option<usize> {
        let candidate = self.candidates.get(self.cursor + 1)?;
        Some(candidate.position as usize)
    }

    fn forget_candidates(&mut self) {
        self.candidates.clear();
        self.limit = f64::NEG_INFINITY;
    }

    /// Lists the samples up to twice the threshold, so that the list is made anew only when that
    /// has doubled, and puts the cursor at position `from`.
    fn collect_candidates(&mut self, threshold: f64, from: usize, order: &Order) {
        self.limit = (2.0 * threshold).max(self.pace.last_threshold / 8.0);
        self.candidates.clear();
        for position in 0..self.rows {
            let score = self.scores[order.row(position)];
            if score <= self.limit {
                self.candidates.push(Candidate { score, position: position as u32 });
            }
        }
        self.cursor = self.candidates.partition_point(|c| (c.position as usize) < from);
    }

    /// Follows a change of w that is not by one row alone.
    pub(super) fn moved(&mut self, w: &[f64]) {
        self.pace.moved = true;
        if let Some(reference) = &mut self.reference {
            reference.place(w, self.score_error);
        }
    }

    /// Follows w += step z_i, where `score` was w·z_i before.
    pub(super) fn update(&mut self, i: usize, score: f64, step: f64) {
        if let Some(reference) = &mut self.reference {
            reference.update(self.scores[i], score, step, self.score_error);
        }
    }
}

impl Reference {
    /// Measures where w is, however it got there.
    fn place(&mut self, w: &[f64], score_error: f64) {
        // As deep as a product of two dense vectors goes.
        let product_error = 2.0 * UNIT * (w.len() / 16 + 12) as f64;
        let own = f64::dot(&self.w, &self.w).sqrt();
        let length = f64::dot(w, w).sqrt();
        self.along = f64::dot(w, &self.w) / own;
        // Errors of the product, of both lengths, and of the scores' own unit, which is u but for its length.
        self.along_error = (4.0 * product_error + score_error) * length;
        let share = self.along / own;
        let across = w.iter().zip(&self.w).map(|(w, u)| w - share * u);
        let squared: f64 = across.map(|r| r * r).sum();
        // Each coordinate is rounded twice, and so is their sum in every term.
        let relative = 4.0 * UNIT * w.len() as f64;
        self.across = squared.sqrt() * (1.0 + relative) + self.along_error + 8.0 * UNIT * length;
        self.set_threshold(score_error);
    }

    fn update(&mut self, m: f64, score: f64, step: f64, score_error: f64) {
        let length = hypotenuse(self.along.abs() + self.along_error, self.across);
        // Errors of m: of the score, of the length it was divided by, of the sample's own length.
        let m_error = 3.0 * score_error;
        // Each coordinate of w is rounded once, each of step z three times.
        let w_error = 2.0 * UNIT * length + 6.0 * UNIT * step.abs();

        // r·z = w·z - a m.
        let across_score = score - self.along * m;
        let across_score_error = score_error * length
            + (self.along.abs() + self.along_error) * m_error
            + self.along_error * m.abs()
            + 2.0 * UNIT * (score.abs() + (self.along * m).abs());
        // ‖r + c (z - m u)‖² = ‖r‖² + 2 c r·z + c² (1 - m²).
        let turned = (1.0 - m * m + 4.0 * m_error).max(0.0);
        let terms = [self.across * self.across, 2.0 * step * across_score, step * step * turned];
        let squared = terms.iter().sum::<f64>()
            + 2.0 * step.abs() * across_score_error
            + 8.0 * UNIT * terms.iter().map(|t| t.abs()).sum::<f64>();
        self.across = squared.max(0.0).sqrt() * (1.0 + 2.0 * UNIT) + w_error;

        self.along_error +=
            step.abs() * m_error + 2.0 * UNIT * (self.along.abs() + step.abs()) + w_error;
        self.along += step * m;
        self.set_threshold(score_error);
    }

    fn set_threshold(&mut self, score_error: f64) {
        let along = self.along - self.along_error;
        // With m = sin(phi) and ‖r‖ / a = tan(theta), w·z = ‖w‖ sin(phi - theta), which must exceed
        // the error of a score. Twice that, and the errors of m and of a sample's length, together
        // stay under ten times the error of a score.
        let length = hypotenuse(along, self.across);
        self.threshold = if length < SHORTEST || along <= 0.0 {
            f64::INFINITY
        } else {
            self.across / length + 10.0 * score_error
        };
        if self.threshold.is_nan() {
            self.threshold = f64::INFINITY;
        }
    }
}

/// Returns sqrt(a² + b²), in the same bits on every machine.
fn hypotenuse(a: f64, b: f64) -> f64 {
    (a * a + b * b).sqrt()
}
