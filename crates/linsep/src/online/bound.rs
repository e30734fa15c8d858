//! How many updates a method makes at most, by the guarantee that its file proves.
//!
//! ```text
//! given     a unit vector u that separates the rows as the method is shown them
//! rho       its angular margin: the least u·z over lifted samples z = y (x, 1) / ‖(x, 1)‖
//! sigma, R  the least u·y (x, 1), and the largest ‖(x, 1)‖: for methods that do not normalise
//!
//! fine               (‖w_0‖ / epsilon + 1 / rho)² / (L (2 - L)); none for epsilon = 0
//! joint              twice that: each projection follows a correction
//! corral             4 / (gap rho)²
//! perceptron, pocket (R / sigma)²
//! voted, averaged, maxover with kappa = 0     1 / rho²
//! ```
//!
//! No other method has a bound on its updates that its file proves.
//!
//! The files speak of the largest margin. Their proofs never use that it is the largest: w* is any vector that separates,
//! at a length of one's choice. So the margin of *some* separating vector gives a bound that holds, a larger margin a better
//! one, and what one method of a race has found bounds the updates of all.
//!
//! Other units. The proofs are about the vectors that a method is shown, whatever these were made of. Where columns are
//! standardised they are lifted samples of (x - mean) / deviation, and u has to separate those, with its margin among those:
//! so it is the method's own vector, before it is turned into a hyperplane in the units of the data. That one separates the
//! same rows, but its margin is among others, and says nothing of the updates.
//!
//! Margins are lowered by all that floats may have added to them. The proofs are about numbers, and leave out what
//! rounding does to the updates themselves.

use super::MethodSettings;
use super::fine::{FineSettings, Start};
use crate::hyperplane::Evaluation;

/// Margins of a vector that separates the rows as a method is shown them, as far as floats are sure of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownMargins {
    /// The least u·z over lifted samples, above 0.
    pub angular: f64,
    /// The least u·y (x, 1), of samples that are not normalised; 0 where floats are not sure that it is above.
    pub extended: f64,
    /// The largest ‖(x, 1)‖.
    pub longest: f64,
}

impl ShownMargins {
    /// Returns the margins of a hyperplane that was evaluated on rows of so many features; none if it does not separate
    /// them for sure.
    pub(super) fn of(evaluation: &Evaluation, features: usize) -> Option<Self> {
        // As where mistakes are counted: per unit of both lengths.
        let doubt = (features as f64 + 16.0) * 2.0 * f64::EPSILON;
        let lowered = |value: f64, doubt: f64| value * (1.0 - doubt) - doubt;
        let angular = lowered(evaluation.margin.angular?, doubt);
        let longest = evaluation.longest * (1.0 + doubt);
        let extended = lowered(evaluation.extended?, doubt * longest).max(0.0);
        let sure = evaluation.mistakes == 0 && angular > 0.0 && longest.is_finite();
        sure.then_some(ShownMargins { angular, extended, longest })
    }

    /// Returns the best of what two vectors show about the same rows.
    pub fn best(self, other: Self) -> Self {
        ShownMargins {
            angular: self.angular.max(other.angular),
            extended: self.extended.max(other.extended),
            longest: self.longest.min(other.longest),
        }
    }
}

impl MethodSettings {
    /// Returns the number of updates that the method makes at most on rows of which this is known; none if its file
    /// proves no bound, or if it is beyond what floats hold.
    ///
    /// It is about runs from the method's own start, to their end or to a limit.
    ///
    /// ```
    /// use linsep::Samples;
    /// use linsep::online::{FitSettings, MethodSettings, fit};
    ///
    /// let samples = Samples::dense(vec![1.0, 2.0, 4.0], 1, vec![false, false, true])?;
    /// let method = MethodSettings::by_name("perceptron").unwrap();
    /// let found = fit(&samples, &FitSettings { method: method.clone(), ..FitSettings::default() }, &mut (), None)?;
    /// let bound = method.updates_bound(&found.shown_margins.unwrap()).unwrap();
    /// assert!(found.updates as f64 <= bound);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn updates_bound(&self, known: &ShownMargins) -> Option<f64> {
        let rho = known.angular;
        let bound = match self {
            MethodSettings::Fine(settings) => corrections(settings, rho),
            MethodSettings::Joint(settings) => 2.0 * corrections(settings, rho),
            MethodSettings::Corral(settings) => square(2.0 / (settings.gap * rho)),
            MethodSettings::Perceptron | MethodSettings::Pocket => {
                square(known.longest / known.extended)
            }
            MethodSettings::Voted | MethodSettings::Averaged => square(1.0 / rho),
            MethodSettings::Maxover(settings) if settings.kappa == 0.0 => square(1.0 / rho),
            _ => return None,
        };
        // A little more than rounding took off; and updates are whole.
        let bound = (bound * (1.0 + 16.0 * f64::EPSILON)).floor();
        bound.is_finite().then_some(bound)
    }
}

/// Returns the bound on corrections that `fine.rs` proves.
fn corrections(settings: &FineSettings, rho: f64) -> f64 {
    let FineSettings { epsilon, relaxation, start, .. } = *settings;
    if epsilon == 0.0 {
        return f64::INFINITY;
    }
    let first = match start {
        Start::First | Start::Random => 1.0,
        Start::Zero => 0.0,
    };
    square(first / epsilon + 1.0 / rho) / (relaxation * (2.0 - relaxation))
}

fn square(value: f64) -> f64 {
    value * value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(json: &str, known: ShownMargins) -> Option<f64> {
        serde_json::from_str::<MethodSettings>(json).unwrap().updates_bound(&known)
    }

    const KNOWN: ShownMargins = ShownMargins { angular: 0.1, extended: 0.5, longest: 5.0 };

    fn check(json: &str, expected: Option<f64>) {
        assert_eq!(bound(json, KNOWN), expected, "{json}");
    }

    #[test]
    fn bounds_are_those_of_the_files() {
        check(r#"{"name":"fine","epsilon":0.1}"#, Some(400.0));
        check(r#"{"name":"fine","epsilon":0.1,"start":"zero"}"#, Some(100.0));
        check(r#"{"name":"fine","epsilon":0.1,"start":"random"}"#, Some(400.0));
        check(r#"{"name":"fine","epsilon":0.1,"relaxation":1.5}"#, Some(533.0));
        check(r#"{"name":"fine","epsilon":0.1,"relaxation":0.5}"#, Some(533.0));
        check(r#"{"name":"fine","epsilon":0}"#, None);
        check(r#"{"name":"joint","epsilon":0.1}"#, Some(800.0));
        check(r#"{"name":"corral","gap":0.5}"#, Some(1600.0));
        check(r#"{"name":"perceptron"}"#, Some(100.0));
        check(r#"{"name":"pocket"}"#, Some(100.0));
        check(r#"{"name":"voted"}"#, Some(100.0));
        check(r#"{"name":"averaged"}"#, Some(100.0));
        check(r#"{"name":"maxover"}"#, Some(100.0));
        check(r#"{"name":"maxover","kappa":0.01}"#, None);
        for name in ["smooth", "winnow", "passive-aggressive", "sgd", "svm"] {
            check(&format!(r#"{{"name":"{name}"}}"#), None);
        }
    }

    #[test]
    fn a_bound_beyond_floats_is_none() {
        let none = ShownMargins { extended: 0.0, ..KNOWN };
        assert_eq!(bound(r#"{"name":"perceptron"}"#, none), None);
        let tiny = ShownMargins { angular: 1e-200, ..KNOWN };
        assert_eq!(bound(r#"{"name":"voted"}"#, tiny), None);
        // Far beyond 64 bits it is a number all the same.
        let large = bound(r#"{"name":"fine","epsilon":1e-100}"#, KNOWN).unwrap();
        assert!((1e200..1.000_001e200).contains(&large), "{large}");
    }

    #[test]
    fn of_two_vectors_the_best_counts() {
        let other = ShownMargins { angular: 0.2, extended: 0.1, longest: 5.0 };
        let best = KNOWN.best(other);
        assert_eq!(best, ShownMargins { angular: 0.2, extended: 0.5, longest: 5.0 });
    }
}
