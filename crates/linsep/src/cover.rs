//! Is a separation surprising? Cover's count of the labellings that separate.
//!
//! ```text
//! P = 2^(1-n) sum_{k=0}^{d} C(n-1, k)     n rows in general position, d features, a bias
//!   = 1                                   n <= d + 1
//!   = 1/2                                 n = 2 (d + 1)
//! ```
//!
//! P is the share of all labellings that a hyperplane separates: the probability that at most d of n - 1 fair
//! coins show heads. Reference: T. M. Cover, Geometrical and statistical properties of systems of linear
//! inequalities with applications in pattern recognition, IEEE Transactions on Electronic Computers EC-14
//! (1965). Single terms by C. Loader, Fast and accurate computation of binomial probabilities (2000).

use std::f64::consts::PI;

/// Returns the probability that random labels of `rows` rows in general position, with `features` features, separate.
///
/// Correct to nine digits at least up to a billion rows, in a fraction of a second.
///
/// ```
/// use linsep::cover::chance;
///
/// assert_eq!(chance(6, 27), 1.0);
/// // Of the sixteen ways to label four points in the plane, the two of XOR do not separate.
/// assert_eq!(chance(4, 2), 14.0 / 16.0);
/// assert!(chance(1000, 27) < 1e-200);
/// ```
pub fn chance(rows: usize, features: usize) -> f64 {
    let coins = rows.saturating_sub(1) as u64;
    let heads = features as u64;
    match heads {
        _ if heads >= coins => 1.0,
        _ if 2 * heads >= coins => 1.0 - at_most(coins - heads - 1, coins),
        _ => at_most(heads, coins),
    }
}

/// Returns the probability of at most `heads` heads; `heads` is less than half of `coins`.
fn at_most(heads: u64, coins: u64) -> f64 {
    let mut term = exactly(heads, coins);
    let mut sum = term;
    for k in (1..=heads).rev() {
        term *= k as f64 / (coins - k + 1) as f64;
        sum += term;
        // The terms fall faster and faster.
        if term <= sum * 1e-17 {
            break;
        }
    }
    sum
}

/// Returns the probability of exactly `heads` heads.
fn exactly(heads: u64, coins: u64) -> f64 {
    let (k, n) = (heads as f64, coins as f64);
    if heads == 0 {
        return libm::exp2(-n);
    }
    let errors = stirling_error(coins) - stirling_error(heads) - stirling_error(coins - heads);
    let away = deviance(k, n / 2.0) + deviance(n - k, n / 2.0);
    libm::exp(errors - away) * (n / (2.0 * PI * k * (n - k))).sqrt()
}

/// Returns ln n! less Stirling's formula for it.
fn stirling_error(n: u64) -> f64 {
    let x = n as f64;
    if n < 16 {
        // Such a factorial is a float.
        let factorial: u64 = (1..=n).product();
        return libm::log(factorial as f64 / (2.0 * PI * x).sqrt()) - x * libm::log(x) + x;
    }
    let s = 1.0 / (x * x);
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - s / 1680.0) * s) * s) / x
}

/// Returns x ln(x / m) + m - x, without the cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    let v = (x - m) / (x + m);
    if v.abs() >= 0.1 {
        return x * libm::log(x / m) + m - x;
    }
    let (mut sum, mut power) = ((x - m) * v, 2.0 * x * v);
    for j in 1..1000 {
        power *= v * v;
        let next = sum + power / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::power_of_two;

    /// The sum as the theorem has it, in integers.
    fn counted(rows: u32, features: u32) -> f64 {
        let (mut binomial, mut sum) = (1_u128, 0_u128);
        for k in 0..=features.min(rows - 1) {
            sum += binomial;
            binomial = binomial * u128::from(rows - 1 - k) / u128::from(k + 1);
        }
        sum as f64 / power_of_two(rows as i32 - 1)
    }

    #[test]
    fn the_chance_is_the_count_of_the_theorem() {
        for rows in 1..=100 {
            for features in 0..=100 {
                let (found, expected) =
                    (chance(rows as usize, features as usize), counted(rows, features));
                let off = (found - expected).abs() / expected;
                assert!(off < 1e-13, "{rows} rows, {features} features: {found}, {expected}");
            }
        }
    }

    #[test]
    fn half_of_all_labellings_separate_twice_as_many_rows_as_parameters() {
        for features in [1, 2, 10, 1000, 1_000_000, 499_999_999] {
            let rows = 2 * (features + 1);
            assert!((chance(rows, features) - 0.5).abs() < 1e-9, "{features}");
            assert!(chance(rows - 1, features) > 0.5 && chance(rows + 1, features) < 0.5);
            assert_eq!(chance(features + 1, features), 1.0);
            assert!(chance(features + 2, features) <= 1.0);
        }
    }

    #[test]
    fn a_billion_rows_follow_the_normal_curve() {
        // One standard deviation is half of the square root of the coins.
        let (rows, sigma) = (1_000_000_001_usize, 15_811.388_300_841_9_f64);
        for (deviations, expected) in [(-2.0, 0.022_750_131_9), (1.0, 0.841_344_746_1)] {
            let features = (5e8 + deviations * sigma).round() as usize;
            let found = chance(rows, features);
            assert!((found - expected).abs() < 2e-5, "{deviations}: {found}");
        }
        assert_eq!(chance(1_000_000_000, 10), 0.0);
        assert_eq!(chance(1_000_000_000, 999_999_999), 1.0);
    }
}
