//! `corral`: the largest margin, a row at a time.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖, a gap between 0 and 1
//! keep    rows P, few of them, and w, the point of smallest norm in their convex hull
//! start   P = the first row
//! visit   if w·z <= (1 - gap) ‖w‖²: z joins P, w moves to the new point of smallest norm, and rows that it no longer
//!         needs leave P
//! stop    after an epoch in which no row joined; or, as a hint, when w is zero but for rounding
//! ```
//!
//! It answers the second question that the paper leaves open, how the method can be "regularized to find a hyperplane
//! with greater margin": a correction asks for the sample's score, as the paper's does, but of all remembered rows at
//! once. Wolfe's method for the point of smallest norm in a polytope chooses the row farthest on the wrong side each
//! time; this takes any that is far enough, as it comes, so rows are visited in order and may be elsewhere.
//!
//! Guarantee. w is a point of the hull of all samples, so no hyperplane has an angular margin above ‖w‖: for any
//! unit vector v, the least v·z is at most v·w <= ‖w‖. After an epoch in which none joined, all w·z > (1 - gap) ‖w‖², so
//! the margin of w is above (1 - gap) ‖w‖, and so above (1 - gap) times the largest. Let rho be the largest. A row that joins
//! has w·(w - z) >= gap ‖w‖², so the nearest point to 0 between w and z, ‖w - z‖ <= 2 apart, has a square of at most
//! ‖w‖² - (w·(w - z))² / ‖w - z‖² <= ‖w‖² (1 - gap² ‖w‖² / 4), and the new w is no longer than that. So 1/‖w‖² rises by
//! gap² / 4 at least with each update, and as it is never above 1/rho², there are at most 4 / (gap rho)² updates. On
//! inseparable data w comes to zero. P has no more rows than there are coordinates.
//!
//! Cost per epoch: n dot products, and order D |P| for each row that joins. Memory: 3 D |P| numbers; above
//! 2^27 of them (1 GiB) no more rows join, and it ends with the margin that it has.
//!
//! Reference: P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11 (1976). Á. Hajnal, A
//! Perceptron-based fine approximation technique for linear separation (2023), section 6, for the question.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CANCELLED, EpochEnd, Goal, Method, Outlook, Span, Tally, expect_length, save_state};
use crate::decide::Halt;
use crate::decide::min_norm_point::Corral;
use crate::kernels::Arithmetic;
use crate::lift::Rows;

/// Numbers that are kept at most.
const MOST_VALUES: usize = 1 << 27;
/// Rows that are scored at once, where w has not moved for as many.
const BLOCK: usize = 256;

/// Settings of [`GrowingCorral`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CorralSettings {
    /// The part of the largest margin that may be missing; between 0 and 1, both excluded, default 0.01.
    pub gap: f64,
}

impl Default for CorralSettings {
    fn default() -> Self {
        CorralSettings { gap: 0.01 }
    }
}

/// The largest margin, a row at a time.
pub struct GrowingCorral {
    gap: f64,
    state: CorralState,
}

#[derive(Serialize, Deserialize)]
struct CorralState {
    corral: Corral,
    /// Whether a row has joined in this epoch.
    joined: bool,
}

impl GrowingCorral {
    /// Returns the method with the first row. It learns from [`Rows::lifted`].
    pub fn new(settings: &CorralSettings, rows: &Rows) -> Self {
        let mut corral = Corral::new(rows.dimension());
        let first = rows.vectors(&[0]).unwrap_or_else(|| vec![0.0; rows.dimension()]);
        corral.join(0, &first);
        GrowingCorral { gap: settings.gap, state: CorralState { corral, joined: true } }
    }

    /// Returns the score at or below which a row joins.
    fn bar(&self) -> f64 {
        let w = self.state.corral.p();
        (1.0 - self.gap) * f64::dot(w, w)
    }

    /// Takes a row in whose score is not above the bar.
    fn learn_row(&mut self, rows: &Rows, i: usize, score: f64, tally: &mut Tally) {
        tally.mistakes += u64::from(score <= 0.0);
        let corral = &mut self.state.corral;
        let full = 3 * (corral.members().count() + 1) * rows.dimension() > MOST_VALUES;
        // A member is at the bar by rounding alone.
        if full || corral.members().any(|(row, _)| row == i) {
            return;
        }
        if corral.join(i, &rows.vector(i)) {
            tally.updates += 1;
            tally.evaluated += corral.members().count() as u64;
            self.state.joined = true;
        }
    }
}

impl Method for GrowingCorral {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut tally = Tally { evaluated: span.positions.len() as u64, ..Tally::default() };
        if span.begins_epoch() {
            self.state.joined = false;
        }
        let mut scores = [0.0; BLOCK];
        let mut at = span.positions.start;
        let mut ahead = 1;
        let mut bar = self.bar();
        while at < span.positions.end {
            // Scores are good for as long as w stays, and cost less together.
            let ahead_here = if span.order.is_natural() { ahead } else { 1 };
            let end = span.positions.end.min(at + ahead_here);
            let scores = &mut scores[..end - at];
            match scores {
                [score] => *score = rows.score(span.order.row(at), self.state.corral.p()),
                _ => rows.scores(at..end, self.state.corral.p(), scores),
            }
            match scores.iter().position(|&score| score <= bar) {
                None => {
                    at = end;
                    ahead = (2 * ahead).min(BLOCK);
                }
                Some(k) => {
                    self.learn_row(rows, span.order.row(at + k), scores[k], &mut tally);
                    bar = self.bar();
                    at += k + 1;
                    ahead = (ahead / 2).max(1);
                }
            }
        }
        tally
    }

    fn end_epoch(&mut self, _rows: &Rows, _halt: Halt) -> EpochEnd {
        let outlook = match self.state.corral.norm() < CANCELLED {
            true => Outlook::LooksInseparable,
            false => Outlook::converged(!self.state.joined),
        };
        EpochEnd { outlook, ..EpochEnd::default() }
    }

    fn goal(&self) -> Goal {
        Goal::Optimum
    }

    fn answer(&self) -> Vec<f64> {
        self.state.corral.p().to_vec()
    }

    fn margin_bound(&self) -> Option<f64> {
        Some(self.state.corral.norm())
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        let state: CorralState = serde_json::from_value(saved)?;
        expect_length(state.corral.p(), rows.dimension())?;
        if !state.corral.is_sound() {
            return Err(serde::de::Error::custom("expected a corral, found parts that do not fit"));
        }
        self.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::data::generate::Generator;
    use crate::decide::{DecideOptions, MarginGoal, Outcome, decide};
    use crate::online::{Fit, FitSettings, MethodSettings, Stop, fit};

    fn run(samples: &Samples, gap: f64) -> Fit {
        let method = MethodSettings::Corral(CorralSettings { gap });
        fit(samples, &FitSettings { method, ..FitSettings::default() }, &mut (), None).unwrap()
    }

    #[test]
    fn the_margin_is_the_largest_but_for_the_gap() {
        for seed in 1..8 {
            let samples = Generator::new(300, 5, seed).samples::<f64>().unwrap();
            let options = DecideOptions::default().with_margin(MarginGoal::Max);
            let best = match decide(&samples, &options, &mut ()).unwrap().outcome {
                Outcome::Separable { margin, .. } => margin,
                other => panic!("{other:?}"),
            };
            for gap in [0.5, 0.01, 1e-6] {
                let found = run(&samples, gap);
                assert!(found.separated(), "seed {seed}, gap {gap}");
                let margin = found.evaluation.margin.angular.unwrap();
                assert!(margin >= (1.0 - gap) * best.lower, "{margin} of {best:?}");
                assert!(found.margin_bound.unwrap() >= best.lower * (1.0 - 1e-12));
                assert!(margin >= (1.0 - gap) * found.margin_bound.unwrap() * (1.0 - 1e-12));
            }
        }
    }

    #[test]
    fn updates_are_within_their_bound() {
        for seed in 1..8 {
            let samples = Generator::new(300, 5, seed).samples::<f64>().unwrap();
            let found = run(&samples, 0.01);
            let rho = found.evaluation.margin.angular.unwrap();
            assert!((found.updates as f64) < 4.0 / (0.01 * rho * 0.01 * rho));
        }
    }

    #[test]
    fn rows_that_cancel_look_inseparable() {
        let x = vec![0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let xor = Samples::dense(x, 2, vec![false, true, true, false]).unwrap();
        assert_eq!(run(&xor, 0.01).stop, Stop::LooksInseparable);
    }

    #[test]
    fn damaged_states_are_refused() {
        let samples = Generator::new(30, 2, 1).samples::<f64>().unwrap();
        let rows = Rows::lifted(&samples);
        let mut method = GrowingCorral::new(&CorralSettings::default(), &rows);
        let mut saved = method.save();
        saved["corral"]["weights"] = serde_json::json!([]);
        let error = method.restore(&rows, saved).expect_err("a fault");
        assert_eq!(error.to_string(), "expected a corral, found parts that do not fit");
    }
}
