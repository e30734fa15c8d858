use proptest::prelude::*;

use super::*;

fn check(weights: &[f64], bias: f64, x: &[f64], expected: Ordering) {
    let indices: Vec<u32> = (0..x.len() as u32).collect();
    for row in [Row::Dense64(x), Row::Sparse(&indices, x)] {
        assert_eq!(sign_of_value(weights, bias, row), expected, "{weights:?} {bias} {x:?}");
        assert_eq!(exact_value(weights, bias, row).sign(), expected);
    }
}

#[test]
fn signs_are_exact_at_every_scale() {
    use Ordering::*;
    let tiny = f64::from_bits(1);
    check(&[1.0], -1.0, &[1.0], Equal);
    check(&[1.0], -1.0, &[1.0 + f64::EPSILON], Greater);
    check(&[1.0], -1.0, &[1.0 - f64::EPSILON / 2.0], Less);
    check(&[1e300, 1e-300], -1.0, &[1e-300, 1e300], Greater);
    check(&[1e300, -1e300, 1e-300], 0.0, &[1e300, 1e300, 1e-300], Greater);
    check(&[f64::MAX, f64::MAX], -f64::MAX, &[f64::MAX, -f64::MAX], Less);
    check(&[tiny], 0.0, &[tiny], Greater);
    check(&[tiny, -tiny], 0.0, &[tiny, tiny], Equal);
    check(&[tiny], -tiny, &[1.0], Equal);
    check(&[-0.0], 0.0, &[5.0], Equal);
    // Beyond 2^53, floats would round 2^53 + 1 away.
    check(&[1.0, 1.0], -9007199254740992.0, &[9007199254740992.0, 1.0], Greater);
    check(&[3.0; 9], -27.0 + 1e-14, &[1.0; 9], Greater);
}

#[test]
fn floats_say_nothing_where_they_overflow_or_underflow() {
    for x in [f64::MAX, 1e-300] {
        assert_eq!(float_sign(&[x, x], 0.0, Row::Dense64(&[x, x])), None);
    }
}

#[test]
fn rounding_goes_down() {
    let value = |w: &[f64], b: f64, x: &[f64]| exact_value(w, b, Row::Dense64(x)).round_down();
    assert_eq!(value(&[3.0], 1.0, &[2.0]), 7.0);
    assert_eq!(value(&[3.0], 1.0, &[-2.0]), -5.000000000000001);
    assert_eq!(value(&[1.0], 2.0_f64.powi(-80), &[1.0]), 1.0);
    assert!(value(&[-1.0], -(2.0_f64.powi(-80)), &[1.0]) < -1.0);
    assert_eq!(value(&[1e300], 0.0, &[1e-300 * 1e-300]), 0.0);
    assert!(value(&[1e300], 0.0, &[1e300]) > 1e300);
    assert_eq!(value(&[1e300], 0.0, &[-1e300]), f64::NEG_INFINITY);
    assert_eq!(value(&[1e-200], 0.0, &[1e-200]), 0.0);
    assert!(value(&[1e-200], 0.0, &[-1e-200]) < 0.0);
}

/// Numbers of all sizes, zeros and subnormal numbers among them.
fn any_finite() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        -1e3..1e3,
        Just(0.0),
        (-9i32..9).prop_map(f64::from),
    ]
}

fn pairs() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((any_finite(), any_finite()), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_float_filter_never_contradicts_the_exact_sign(pairs in pairs(), bias in any_finite()) {
        let (w, x): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let row = Row::Dense64(&x);
        if let Some(sign) = float_sign(&w, bias, row) {
            prop_assert_eq!(sign, exact_value(&w, bias, row).sign());
        }
    }

    /// The bias is the rounded value of the rest, a few last places off: all but cancels.
    #[test]
    fn the_float_filter_holds_where_sums_all_but_cancel(
        pairs in prop::collection::vec((-1e3..1e3, -1e3..1e3), 1..40),
        last_places in -3i64..4,
        single in any::<bool>(),
    ) {
        let (w, x): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let row = if single { Row::Dense32(&narrow) } else { Row::Dense64(&x) };
        let mut dot = 0.0;
        row.for_each(|k, x| dot += w[k] * x);
        let bias = -f64::from_bits((dot.to_bits() as i64).saturating_add(last_places) as u64);
        prop_assume!(bias.is_finite());
        let exact = exact_value(&w, bias, row).sign();
        prop_assert_eq!(float_sign(&w, bias, row).unwrap_or(exact), exact);
    }

    #[test]
    fn small_integers_agree_with_i128(
        pairs in prop::collection::vec((-1_000_000i64..1_000_000, -1_000_000i64..1_000_000), 1..20),
        off in -1i64..2,
    ) {
        let sum: i64 = pairs.iter().map(|(a, b)| a * b).sum();
        let bias = (off - sum) as f64;
        let expected = (i128::from(sum) + bias as i128).cmp(&0);
        let w: Vec<f64> = pairs.iter().map(|p| p.0 as f64).collect();
        let x: Vec<f64> = pairs.iter().map(|p| p.1 as f64).collect();
        let row = Row::Dense64(&x);
        prop_assert_eq!(exact_value(&w, bias, row).sign(), expected);
        prop_assert_eq!(sign_of_value(&w, bias, row), expected);
        let (integers, bias) = (
            pairs.iter().map(|p| IBig::from(p.0) << 777).collect::<Vec<_>>(),
            IBig::from(off - sum) << 777,
        );
        prop_assert_eq!(ExactPlane::new(integers, bias).sign(row), expected);
    }

    #[test]
    fn integer_planes_agree_with_sums(
        pairs in prop::collection::vec((any::<i128>(), 0usize..1200, any_finite()), 1..10),
        bias in any::<i64>(),
    ) {
        let weights: Vec<IBig> = pairs.iter().map(|&(m, shift, _)| IBig::from(m) << shift).collect();
        let bias = IBig::from(bias);
        let x: Vec<f64> = pairs.iter().map(|p| p.2).collect();
        let mut sum = ExactSum::default();
        sum.add(bias.clone(), 0);
        for (weight, &x) in weights.iter().zip(&x) {
            let (mantissa, exponent) = parts(x);
            sum.add(weight * mantissa, exponent);
        }
        let plane = ExactPlane::new(weights.clone(), bias.clone());
        prop_assert_eq!(plane.sign(Row::Dense64(&x)), sum.sign());
    }
}
