//! Bounds on the margin against exact arithmetic, over the whole range of doubles.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::Samples;
use linsep_proof::MarginKind::{Angular, Geometric};
use linsep_proof::{margin_lower_bound, margin_upper_bound};
use proptest::prelude::*;

/// An integer times a power of two.
#[derive(Clone, Debug)]
struct Exact(IBig, i64);

impl Exact {
    fn of(value: f64) -> Self {
        assert!(value.is_finite());
        // Doubling is exact, and in 1100 steps any double has become an integer or is large.
        let (mut mantissa, mut exponent) = (value, 0);
        while mantissa != mantissa.trunc() {
            mantissa *= 2.0;
            exponent -= 1;
        }
        let mut shift = 0;
        while mantissa.abs() >= 9e18 {
            mantissa /= 2.0;
            shift += 1;
        }
        Exact(IBig::from(mantissa as i64), exponent + shift)
    }

    fn times(&self, other: &Exact) -> Exact {
        Exact(&self.0 * &other.0, self.1 + other.1)
    }

    fn plus(&self, other: &Exact) -> Exact {
        let low = self.1.min(other.1);
        let at = |e: &Exact| &e.0 << (e.1 - low) as usize;
        Exact(at(self) + at(other), low)
    }

    fn squared(&self) -> Exact {
        self.times(self)
    }

    fn cmp(&self, other: &Exact) -> Ordering {
        self.plus(&Exact(-&other.0, other.1)).0.cmp(&IBig::ZERO)
    }
}

/// The margin of a row, as value / root of `squared_lengths`.
struct Quotient {
    value: Exact,
    squared_lengths: Exact,
}

impl Quotient {
    fn of(row: &[f64], positive: bool, weights: &[f64], bias: f64) -> Self {
        let square = |values: &[f64], last: f64| {
            let squares = values.iter().map(|&v| Exact::of(v).squared());
            squares.fold(Exact::of(last).squared(), |sum, square| sum.plus(&square))
        };
        let terms = row.iter().zip(weights).map(|(&x, &w)| Exact::of(x).times(&Exact::of(w)));
        let value = terms.fold(Exact::of(bias), |sum, term| sum.plus(&term));
        let value = if positive { value } else { Exact(-value.0, value.1) };
        Quotient { value, squared_lengths: square(row, 1.0).times(&square(weights, bias)) }
    }

    /// Compares the margin with a float, without rounding.
    fn cmp(&self, bound: f64) -> Ordering {
        let zero = Exact::of(0.0);
        let (sign, bound) = (self.value.cmp(&zero), Exact::of(bound));
        let by_size = || self.value.squared().cmp(&bound.squared().times(&self.squared_lengths));
        match (sign, bound.cmp(&zero)) {
            (Ordering::Less, Ordering::Less) => by_size().reverse(),
            (Ordering::Greater, Ordering::Greater) => by_size(),
            (sign, bound) => sign.cmp(&bound),
        }
    }
}

/// Doubles of every size, the denormals among them.
fn extreme() -> impl Strategy<Value = f64> {
    let power = (-1074..1024_i32).prop_map(|e| {
        let half = 2f64.powi(e / 2);
        half * 2f64.powi(e - e / 2)
    });
    let sign = prop::sample::select(vec![1.0, -1.0]);
    prop_oneof![
        3 => (power, sign, 1.0..2.0).prop_map(|(p, sign, m): (f64, f64, f64)| {
            if (p * m).is_finite() { p * m * sign } else { p * sign }
        }),
        1 => any::<f64>().prop_filter("finite", |v| v.is_finite()),
        2 => -2.0..2.0,
        1 => prop::sample::select(vec![0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324]),
    ]
}

fn problem() -> impl Strategy<Value = (Vec<f64>, usize)> {
    (1usize..4, 2usize..5).prop_flat_map(|(columns, rows)| {
        (prop::collection::vec(extreme(), columns * rows), Just(columns))
    })
}

fn label(i: usize) -> bool {
    i.is_multiple_of(2)
}

/// Returns the samples, unless a row is too long for a double.
fn samples(values: &[f64], columns: usize) -> Option<Samples> {
    let positive = (0..values.len() / columns).map(label).collect();
    Samples::dense(values.to_vec(), columns, positive).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn a_lower_bound_is_not_above_the_margin(
        (values, columns) in problem(),
        plane in prop::collection::vec(extreme(), 4),
    ) {
        let Some(samples) = samples(&values, columns) else { return Ok(()) };
        let (weights, bias) = (&plane[..columns], plane[3]);
        let lower = margin_lower_bound(&samples, Angular, weights, bias);
        prop_assert!((-1.0..=1.0).contains(&lower), "{lower}");
        if weights.iter().chain([&bias]).all(|&w| w == 0.0) {
            return Ok(());
        }
        for (i, row) in values.chunks(columns).enumerate() {
            let margin = Quotient::of(row, label(i), weights, bias);
            prop_assert_ne!(margin.cmp(lower), Ordering::Less, "{:e}, row {}", lower, i);
        }
    }

    /// Where nothing can underflow the bound is also close: floats are believed from 2^-20 on.
    #[test]
    fn a_lower_bound_is_close_to_the_margin(
        values in prop::collection::vec(-1e30..1e30, 6),
        plane in prop::collection::vec(-1e30..1e30, 3),
    ) {
        let samples = samples(&values, 2).unwrap();
        let lower = margin_lower_bound(&samples, Angular, &plane[..2], plane[2]);
        let above = lower + lower.abs() * 2e-6 + 1e-200;
        let reached = values.chunks(2).enumerate().any(|(i, row)| {
            Quotient::of(row, label(i), &plane[..2], plane[2]).cmp(above) != Ordering::Greater
        });
        prop_assert!(reached, "{:e} is far below", lower);
    }

    /// No hyperplane has all its rows above the bound.
    #[test]
    fn an_upper_bound_is_not_below_any_margin(
        (values, columns) in problem(),
        plane in prop::collection::vec(extreme(), 4),
        parts in prop::collection::vec(extreme(), 4),
    ) {
        let Some(samples) = samples(&values, columns) else { return Ok(()) };
        let rows = (0..samples.rows()).map(|i| (i, parts[i].abs())).collect();
        let upper = margin_upper_bound(&samples, Angular, &rows);
        prop_assert!((0.0..=1.0).contains(&upper), "{upper}");
        let (weights, bias) = (&plane[..columns], plane[3]);
        if weights.iter().chain([&bias]).any(|&w| w != 0.0) {
            let held = values.chunks(columns).enumerate().any(|(i, row)| {
                Quotient::of(row, label(i), weights, bias).cmp(upper) != Ordering::Greater
            });
            prop_assert!(held, "{:e}", upper);
        }
    }

    /// Of two rows the bisector is the best hyperplane, and equal parts show it: nothing is to spare.
    #[test]
    fn an_upper_bound_holds_for_the_best_hyperplane(
        values in prop::collection::vec(extreme(), 4),
        part in extreme(),
    ) {
        let Some(samples) = samples(&values, 2) else { return Ok(()) };
        let unit = |row: &[f64], sign: f64| {
            let largest = row.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            let scaled = [row[0] / largest, row[1] / largest, 1.0 / largest];
            let length = scaled.iter().map(|v| v * v).sum::<f64>().sqrt();
            (scaled.map(|v| v / length * sign), part.abs() / length / largest)
        };
        let ((a, first), (b, second)) = (unit(&values[..2], 1.0), unit(&values[2..], -1.0));
        let w = [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
        let upper = margin_upper_bound(&samples, Angular, &[(0, first), (1, second)].into());
        if w != [0.0; 3] {
            let margins = values.chunks(2).enumerate();
            let held = margins.map(|(i, row)| Quotient::of(row, label(i), &w[..2], w[2]));
            prop_assert!(held.into_iter().any(|m| m.cmp(upper) != Ordering::Greater), "{:e}", upper);
        }
    }
}

/// Returns two to the exponent, also where it is subnormal.
fn power(exponent: i32) -> f64 {
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// Checks both upper bounds for two numbers, the larger positive, and these weights: the largest
/// geometric margin is half their difference, and the angular one is that of the bisector.
fn check_two(small: f64, large: f64, weights: [f64; 2]) -> Result<(), TestCaseError> {
    let Some(samples) = samples(&[large, small], 1) else { return Ok(()) };
    let rows = [(0, weights[0]), (1, weights[1])].into();
    let upper = margin_upper_bound(&samples, Geometric, &rows);
    let distance = Exact::of(large).plus(&Exact::of(-small));
    let twice = Exact::of(upper).times(&Exact::of(2.0));
    prop_assert_ne!(
        twice.cmp(&distance),
        Ordering::Less,
        "{:e} for {:e} {:e}",
        upper,
        small,
        large
    );
    // A hyperplane between the two: its margin must not exceed the bound either.
    let upper = margin_upper_bound(&samples, Angular, &rows);
    let middle = small / 2.0 + large / 2.0;
    let margins = [(large, true), (small, false)];
    let both = margins
        .iter()
        .all(|&(x, p)| Quotient::of(&[x], p, &[1.0], -middle).cmp(upper) == Ordering::Greater);
    prop_assert!(!both, "{:e} for {:e} {:e}", upper, small, large);
    Ok(())
}

#[test]
fn upper_bounds_hold_at_both_ends_of_the_range() {
    // Weights of 2^500 for 0 and the smallest double: a quotient that underflows is no bound.
    for exponent in [-1074, -1073, -1022, -900, -500, 0, 500, 1000, 1022] {
        for weight in [-1074, -900, -500, -30, 0, 30, 499, 500, 511, 1000, 1023] {
            let (unit, weight) = (power(exponent), power(weight));
            for (small, large) in [(0.0, unit), (-unit, unit), (unit, 1.5 * unit), (-unit, 0.0)] {
                for weights in [[weight, weight], [weight, 1.0], [1.0, weight]] {
                    check_two(small, large, weights).unwrap();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn upper_bounds_hold_for_any_two_numbers(
        values in (extreme(), extreme()),
        weights in (extreme(), extreme()),
    ) {
        let (small, large) = (values.0.min(values.1), values.0.max(values.1));
        check_two(small, large, [weights.0.abs(), weights.1.abs()])?;
    }
}

#[test]
fn exact_numbers_are_exact() {
    for value in [0.0, 1.5, -3.25e-300, 5e-324, f64::MAX, -f64::MIN_POSITIVE, 9007199254740993.0] {
        let found = Exact::of(value);
        assert_eq!(
            found.cmp(&Exact::of(value.next_up().min(f64::MAX))),
            match value {
                f64::MAX => Ordering::Equal,
                _ => Ordering::Less,
            }
        );
        assert_eq!(found.plus(&Exact::of(-value)).0, IBig::ZERO);
        assert_eq!(found.cmp(&Exact::of(value.next_down())), Ordering::Greater);
    }
    let third = Quotient::of(&[2.0, 2.0], true, &[1.0, 0.0], 0.0);
    assert_eq!(third.cmp(2.0 / 3.0), Ordering::Greater, "2/3 is rounded down");
    assert_eq!(third.cmp((2.0_f64 / 3.0).next_up()), Ordering::Less);
}

#[test]
fn a_row_whose_value_and_length_overflow_counts() {
    // -1.4e308 over a length that rounds to infinity.
    let x = vec![f64::MAX, 2.360499114221769e300, 1.0, 1.0, -1.0, 1.0];
    let samples = Samples::dense(x, 3, vec![true, false]).unwrap();
    let weights = [1.0, -134217728.0, 1.4682009072774653];
    let row = samples.part_of(&[0]).unwrap();
    let lower = margin_lower_bound(&row, Angular, &weights, 0.0);
    let x = [f64::MAX, 2.360499114221769e300, 1.0];
    assert_ne!(Quotient::of(&x, true, &weights, 0.0).cmp(lower), Ordering::Less, "{lower:e}");
}
