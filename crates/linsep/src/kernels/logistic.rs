//! The logistic loss and its slope for many scores at once.
//!
//! Every number is made by the same separate multiplications and additions on every machine; vector units make
//! several at a time, so the bits are the same everywhere, as those of a dot product are.

/// 1.5 * 2^52: adding it rounds to an integer, which its lowest bits then hold.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// The natural logarithm of two: its first 32 bits, and the rest.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
/// Under this, exp is zero: the smallest normal number is not far.
const LEAST: f64 = -708.0;

/// Writes ln(1 + exp(-score)) to `losses` and 1 / (1 + exp(score)), how fast that falls, to `weights`, each within
/// about 1e-15 of itself.
///
/// # Panics
/// If the slices differ in length.
pub fn logistic(scores: &[f64], losses: &mut [f64], weights: &mut [f64]) {
    assert!(scores.len() == losses.len() && scores.len() == weights.len());
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the machine has the unit.
            return unsafe { with_avx512(scores, losses, weights) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { with_avx2(scores, losses, weights) };
        }
    }
    each(scores, losses, weights);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512dq,avx512vl")]
fn with_avx512(scores: &[f64], losses: &mut [f64], weights: &mut [f64]) {
    each(scores, losses, weights);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(scores: &[f64], losses: &mut [f64], weights: &mut [f64]) {
    each(scores, losses, weights);
}

#[inline(always)]
fn each(scores: &[f64], losses: &mut [f64], weights: &mut [f64]) {
    for ((&score, loss), weight) in scores.iter().zip(losses).zip(weights) {
        let tail = exp_of_negative(-score.abs());
        let sum = 1.0 + tail;
        *weight = if score > 0.0 { tail } else { 1.0 } / sum;
        *loss = ln_of_sum(tail) + if score < 0.0 { -score } else { 0.0 };
    }
}

/// Returns exp(x) for x <= 0.
///
/// x = k ln 2 + r with |r| <= 0.35, and exp(r) by the first fourteen terms of its series.
#[inline(always)]
fn exp_of_negative(x: f64) -> f64 {
    let within = if x > LEAST { x } else { LEAST };
    let shifted = within * std::f64::consts::LOG2_E + ROUNDING;
    let k = shifted - ROUNDING;
    let r = (within - k * LN_2[0]) - k * LN_2[1];
    const TERMS: [f64; 12] = {
        let mut terms = [0.0; 12];
        let (mut n, mut factorial) = (0, 1.0);
        while n < 12 {
            factorial *= (n + 2) as f64;
            terms[n] = 1.0 / factorial;
            n += 1;
        }
        terms
    };
    let mut sum = TERMS[11];
    let mut n = 11;
    while n > 0 {
        n -= 1;
        sum = sum * r + TERMS[n];
    }
    let value = 1.0 + (r + r * r * sum);
    // The lowest bits of the shifted number are those of k; moved to the exponent's place they add k to it.
    let scaled = f64::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x > LEAST { scaled } else { 0.0 }
}

/// Returns ln(1 + u) for 0 <= u <= 1.
///
/// ln((1 + z) / (1 - z)) with z = u / (2 + u) <= 1/3, by the first seventeen terms of its series in z².
#[inline(always)]
fn ln_of_sum(u: f64) -> f64 {
    let z = u / (2.0 + u);
    let square = z * z;
    let mut sum = 1.0 / 33.0;
    let mut n = 16;
    while n > 0 {
        n -= 1;
        sum = sum * square + 1.0 / (2 * n + 1) as f64;
    }
    2.0 * z * sum
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_definition() {
        let mut scores: Vec<f64> = (-4000..4000).map(|k| f64::from(k) * 0.01).collect();
        scores.extend([0.0, -0.0, 1e-300, -1e-300, 700.0, -700.0, 707.9, 1e6, -1e6, f64::MAX]);
        let (mut losses, mut weights) = (vec![0.0; scores.len()], vec![0.0; scores.len()]);
        logistic(&scores, &mut losses, &mut weights);
        for (&score, (&loss, &weight)) in scores.iter().zip(losses.iter().zip(&weights)) {
            let tail = (-score.abs()).exp();
            let near = |found: f64, expected: f64| {
                assert!(
                    (found - expected).abs() <= 2e-15 * expected + 1e-300,
                    "{score}: {found:e} against {expected:e}"
                );
            };
            near(loss, tail.ln_1p() + (-score).max(0.0));
            near(weight, if score > 0.0 { tail } else { 1.0 } / (1.0 + tail));
        }
    }

    #[test]
    fn bits_do_not_depend_on_the_place() {
        let scores: Vec<f64> = (0..37).map(|k| (f64::from(k) * 1.7).sin() * 20.0).collect();
        let (mut losses, mut weights) = (vec![0.0; 37], vec![0.0; 37]);
        logistic(&scores, &mut losses, &mut weights);
        for k in 0..37 {
            let (mut loss, mut weight) = ([0.0], [0.0]);
            each(&scores[k..=k], &mut loss, &mut weight);
            assert_eq!(
                (loss[0].to_bits(), weight[0].to_bits()),
                (losses[k].to_bits(), weights[k].to_bits())
            );
        }
    }
}
