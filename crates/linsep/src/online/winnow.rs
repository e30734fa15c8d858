//! Balanced Winnow: mistakes multiply the weights instead of adding to them.
//!
//! ```text
//! given   lifted samples z = y (x, 1) / ‖(x, 1)‖
//! start   u_j = v_j = 1
//! visit   w = u - v; if w·z <= 0:  u_j *= exp(eta z_j),  v_j *= exp(-eta z_j)
//! stop    after an epoch without a mistake
//! ```
//!
//! Two positive vectors make weights of both signs. All that ever happens to u_j and v_j is that
//! they are multiplied by inverse numbers, so u_j = exp(eta s_j), v_j = exp(-eta s_j) with s the
//! sum of the samples that were mistakes. Only s and w are kept: w_j = 2 sinh(eta s_j), times a
//! common factor where it would overflow, which changes no sign of w·z and loses nothing, since s
//! stays. While all eta s_j are small, w is nearly 2 eta s, and the method nearly the Perceptron.
//!
//! Guarantee: let gamma be the largest min w*·z over vectors w* whose absolute values add up to
//! one, and X the largest absolute coordinate of any z, at most 1. If eta < 2 gamma / X², at most
//! ln(2d + 2) / (eta (gamma - eta X² / 2)) mistakes: each one brings u and v, divided by their sum,
//! nearer to w* in relative entropy by at least eta gamma - eta² X² / 2, by the lemma of Hoeffding,
//! and ln(2d + 2) is all there is to come nearer. A larger eta carries no promise. The method is
//! good at few relevant features out of many. Cost per pass: n dot products, and two exponentials
//! per stored coordinate of each mistake.
//!
//! References: N. Littlestone, Machine Learning 2 (1988); balanced: I. Dagan, Y. Karov and D. Roth,
//! Mistake-driven learning in text categorization (1997).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Method, Span, Tally, margin_bound, restore_state, save_state};
use crate::lift::Rows;

/// How far the largest exponent may stray from the common factor, up or down, before that is
/// chosen anew: w stays between numbers that no sample can make overflow.
const BAND: f64 = 16.0;

/// Settings of [`Winnow`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WinnowSettings {
    /// How strongly a mistake counts; above 0, at most 100, default 0.01, which is safe for gamma
    /// above 0.005. Larger ones make more of few relevant features, where the margin allows it.
    pub eta: f64,
}

impl Default for WinnowSettings {
    fn default() -> Self {
        WinnowSettings { eta: 0.01 }
    }
}

/// Balanced Winnow.
pub struct Winnow {
    eta: f64,
    state: WinnowState,
}

#[derive(Serialize, Deserialize)]
struct WinnowState {
    /// The sum s of the mistakes.
    sum: Vec<f64>,
    updates: u64,
    /// w_j = 2 sinh(eta s_j) / exp(shift).
    w: Vec<f64>,
    shift: f64,
}

impl Winnow {
    /// Returns the method at w = 0. It learns from [`Rows::lifted`].
    pub fn new(settings: &WinnowSettings, rows: &Rows) -> Self {
        let w = vec![0.0; rows.dimension()];
        Winnow {
            eta: settings.eta,
            state: WinnowState { sum: w.clone(), updates: 0, w, shift: 0.0 },
        }
    }

    fn update(&mut self, rows: &Rows, i: usize) {
        let Winnow { eta, state: WinnowState { sum, updates, w, shift } } = self;
        *updates += 1;
        let mut strayed = false;
        rows.for_each(i, |j, z| {
            let before = (*eta * sum[j]).abs();
            sum[j] += z;
            let after = (*eta * sum[j]).abs();
            w[j] = weight(*eta * sum[j], *shift);
            // Only a coordinate that leaves the band can leave it empty.
            strayed |= after > *shift + BAND || (before >= *shift - BAND && after < *shift - BAND);
        });
        if strayed {
            let largest = sum.iter().fold(0.0_f64, |m, s| m.max((*eta * s).abs()));
            *shift = if largest > BAND { largest } else { 0.0 };
            for (w, s) in w.iter_mut().zip(sum) {
                *w = weight(*eta * *s, *shift);
            }
        }
    }
}

/// Returns 2 sinh(exponent) / exp(shift) without cancellation.
fn weight(exponent: f64, shift: f64) -> f64 {
    let size = exponent.abs();
    // The functions of libm are the same on every machine; the standard library's are not.
    -libm::exp(size - shift) * libm::expm1(-2.0 * size) * exponent.signum()
}

impl Method for Winnow {
    fn learn(&mut self, rows: &Rows, span: &Span) -> Tally {
        let mut mistakes = 0;
        for i in span.rows(rows) {
            if rows.score(i, &self.state.w) <= 0.0 {
                self.update(rows, i);
                mistakes += 1;
            }
        }
        Tally { mistakes, updates: mistakes, evaluated: span.positions.len() as u64 }
    }

    fn answer(&self) -> Vec<f64> {
        self.state.w.clone()
    }

    fn margin_bound(&self) -> Option<f64> {
        margin_bound(&self.state.sum, self.state.updates as f64)
    }

    fn save(&self) -> Value {
        save_state(&self.state)
    }

    fn restore(&mut self, rows: &Rows, saved: Value) -> Result<(), serde_json::Error> {
        restore_state(&mut self.state, saved, |state| {
            [(&state.w, rows.dimension()), (&state.sum, rows.dimension())]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::hyperplane::norm;

    /// Visits rows as given, mistakes or not, and compares with u and v as in the books.
    fn check(eta: f64, visits: impl Iterator<Item = usize>) {
        let x = vec![1.0, 0.5, -0.25, 0.0, 2.0, -1.0];
        let samples = Samples::dense(x, 2, vec![true, false, true]).unwrap();
        let rows = Rows::lifted(&samples);
        let mut method = Winnow::new(&WinnowSettings { eta }, &rows);
        let (mut u, mut v) = ([1.0; 3], [1.0; 3]);
        for i in visits {
            method.update(&rows, i);
            rows.for_each(i, |j, z| {
                u[j] *= libm::exp(eta * z);
                v[j] *= libm::exp(-eta * z);
            });
            let longest = norm(method.answer().into_iter());
            assert!(longest.is_finite() && longest > 0.0);
            // The common factor is not part of the comparison.
            let expected: Vec<f64> = u.iter().zip(v).map(|(u, v)| u - v).collect();
            let length = norm(expected.iter().copied());
            if length.is_finite() {
                for (found, expected) in method.answer().iter().zip(expected) {
                    assert!((found / longest - expected / length).abs() < 1e-9);
                }
            }
        }
        assert!(method.state.w.iter().all(|w| w.abs() <= libm::exp(BAND + 1.0)));
    }

    #[test]
    fn weights_are_those_of_the_books_and_stay_finite() {
        check(0.1, [0, 1, 2, 0, 0, 1].into_iter());
        check(2.0, [0, 1, 2, 0, 0, 1].into_iter());
        check(1.0, (0..600).map(|_| 2));
        check(1.0, std::iter::repeat_n(0, 5000));
        check(50.0, std::iter::repeat_n(0, 5000));
    }

    #[test]
    fn weights_come_back_from_a_far_excursion() {
        let samples = Samples::dense(vec![0.5, 0.5], 1, vec![true, false]).unwrap();
        let rows = Rows::lifted(&samples);
        let mut method = Winnow::new(&WinnowSettings { eta: 1.0 }, &rows);
        (0..2000).for_each(|_| method.update(&rows, 0));
        assert!(method.state.w[1] >= 1.0 && method.state.w[1] < libm::exp(BAND + 1.0));
        (0..1990).for_each(|_| method.update(&rows, 1));
        // Ten mistakes remain; their weights are as if the others had never been.
        let expected = libm::sinh(10.0 * 0.2_f64.sqrt()) / libm::sinh(10.0 * 0.8_f64.sqrt());
        let found = method.state.w[0] / method.state.w[1];
        assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
    }
}
