//! How probable a wrong label is, given what rows look like to hyperplanes that have not seen them.
//!
//! ```text
//! p_i(a) = the probability of the label of row i, its held-out scores made a times as large
//! a label is wrong with probability e, and then any of the other K - 1:
//!     P(label of i) = (1 - e) p_i + e (1 - p_i) / (K - 1)
//! maximise  sum of ln P(label of i) + ln e + 19 ln(1 - e)    over a on a grid, and over e, in which it is concave
//! returns   the probability that the label of i is wrong: e (1 - p_i) / (K - 1) / P(label of i)
//! ```
//!
//! The scores calibrate themselves: a says how much they are worth, e how many of the contradictions between
//! score and label are too bold to be chance. The last two terms are a prior, as if one label of twenty had been
//! found wrong: where scores say nothing of labels, they do not make all of them doubtful either.
//!
//! Reference: J. Bootkrajang and A. Kabán, Label-noise robust logistic regression and its applications,
//! ECML PKDD 2012.

/// Powers of two between which the sharpness is looked for, and steps per power.
const SHARPNESS: [i32; 2] = [-3, 5];
const STEPS: i32 = 4;
/// Between which the rate of wrong labels is looked for.
const RATES: [f64; 2] = [1e-9, 0.5];
/// Labels found right and wrong before any was looked at.
const PRIOR: [f64; 2] = [19.0, 1.0];
/// Halvings of the interval for the rate.
const HALVINGS: usize = 50;

/// What the scores are worth, and how many labels are wrong.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// What the scores are multiplied by.
    pub sharpness: f64,
    /// The probability that a label is wrong.
    pub rate: f64,
    classes: usize,
}

impl Noise {
    /// Returns what fits best, given the logarithmic odds of all labels at any sharpness.
    pub fn fit(classes: usize, odds: impl Fn(f64) -> Vec<f64>) -> Self {
        let tries = SHARPNESS[0] * STEPS..=SHARPNESS[1] * STEPS;
        let at = |step: i32| {
            let sharpness = libm::exp2(f64::from(step) / f64::from(STEPS));
            let both: Vec<[f64; 2]> =
                odds(sharpness).iter().map(|&o| probabilities(o, classes)).collect();
            let rate = best_rate(&both);
            let fits: f64 = both.iter().map(|[p, q]| libm::log((1.0 - rate) * p + rate * q)).sum();
            let prior = PRIOR[0] * libm::log(1.0 - rate) + PRIOR[1] * libm::log(rate);
            (fits + prior, Noise { sharpness, rate, classes })
        };
        let mut best = at(*tries.start());
        for step in tries.skip(1) {
            let next = at(step);
            if next.0 > best.0 {
                best = next;
            }
        }
        best.1
    }

    /// Returns the probability that a label of these logarithmic odds is wrong.
    pub fn doubt(&self, odds: f64) -> f64 {
        let others = (self.classes - 1) as f64;
        1.0 / (1.0 + (1.0 - self.rate) / self.rate * others * libm::exp(odds))
    }
}

/// Returns the probabilities of a label of these odds: if it is right, and if it is a wrong one.
fn probabilities(odds: f64, classes: usize) -> [f64; 2] {
    let tail = libm::exp(-odds.abs());
    let small = tail / (1.0 + tail);
    let (right, wrong) = if odds > 0.0 { (1.0 - small, small) } else { (small, 1.0 - small) };
    [right, wrong / (classes - 1) as f64]
}

/// Returns the rate at which the slope of the likelihood and its prior is zero.
fn best_rate(both: &[[f64; 2]]) -> f64 {
    let slope = |rate: f64| {
        let rises: f64 = both.iter().map(|[p, q]| (q - p) / ((1.0 - rate) * p + rate * q)).sum();
        rises + PRIOR[1] / rate - PRIOR[0] / (1.0 - rate)
    };
    let [mut low, mut high] = RATES;
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bold_contradictions_are_wrong_labels() {
        // 96 rows with odds of 20 to 1 for their labels, 4 against them: too many for chance at 1000 to 1.
        let scores: Vec<f64> = (0..100).map(|k| if k < 96 { 7.0 } else { -7.0 }).collect();
        let noise = Noise::fit(2, |a| scores.iter().map(|s| a * s).collect());
        assert!((0.03..0.07).contains(&noise.rate), "{noise:?}");
        assert!(noise.doubt(-7.0 * noise.sharpness) > 0.9);
        assert!(noise.doubt(7.0 * noise.sharpness) < 0.1);
    }

    #[test]
    fn labels_that_scores_say_nothing_of_are_not_doubted() {
        let scores: Vec<f64> = (0..100).map(|k| if k % 2 == 0 { 2.0 } else { -2.0 }).collect();
        let noise = Noise::fit(2, |a| scores.iter().map(|s| a * s).collect());
        assert!(scores.iter().all(|s| noise.doubt(s * noise.sharpness) < 0.2), "{noise:?}");
    }

    #[test]
    fn clean_rows_stay_clean() {
        let noise = Noise::fit(3, |a| vec![4.0 * a; 200]);
        assert!(noise.rate < 0.01 && noise.doubt(4.0 * noise.sharpness) < 0.01, "{noise:?}");
    }
}
