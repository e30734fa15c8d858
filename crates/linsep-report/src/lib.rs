//! Answers of linsep as text, pages and charts. Renderers are pure: they read no data, cannot fail, and know no flag; a
//! [`Remedy`](voice::Remedy) is spelled by the [`Voice`](voice::Voice) of a front end.
//!
//! ```
//! use linsep::Samples;
//! use linsep::ask::DecideQuestion;
//! use linsep::data::Memory;
//! use linsep_report::{decision, summary::TextPage, voice::Plain};
//!
//! let samples = Samples::dense(vec![1.0, 2.0, 3.0, 4.0], 1, vec![false, true, false, true])?;
//! let answer = DecideQuestion::default().ask(&Memory::new(&samples), &mut ())?;
//! let text = decision::text(&answer, &Plain).lay_out(&TextPage::plain());
//! assert!(text.starts_with("inseparable: no hyperplane separates the classes, not even weakly\n"));
//! # Ok::<(), linsep::ask::AskError>(())
//! ```
//!
//! ## Features
//! - `png`: charts as PNG images.

pub mod audit;
pub mod chart;
pub mod classes;
pub mod decision;
pub mod estimate;
pub mod heat_map;
pub mod hints;
pub mod page;
#[cfg(feature = "png")]
pub mod png;
pub mod rows_chart;
pub mod suggest;
pub mod summary;
pub mod svg;
pub mod text;
pub mod trace;
pub mod trained;
pub mod verification;
pub mod voice;

/// Returns a number in the shortest form that reads back as the same number.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// Returns a number with a few significant digits, for people.
pub fn rounded(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = if size >= 100.0 {
        1
    } else if size >= 1.0 {
        3
    } else {
        5
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Returns a count with its digits in groups of three.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns the text as a CSV cell.
pub(crate) fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

/// Returns how a proof is checked: by a matrix of floats, or all of it in integers.
pub(crate) fn how(by_matrix: bool) -> &'static str {
    match by_matrix {
        true => "with all rounding counted",
        false => "in exact arithmetic",
    }
}

/// Returns that a proof was checked, and how.
pub(crate) fn checked(by_matrix: bool) -> String {
    format!("checked {}", how(by_matrix))
}

/// Returns the count and its noun, in the plural where it is not 1.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = match (count, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{plural}", grouped(count))
}

/// A margin that is known with a relative error below this is a number; else it is between two.
const TIGHT: f64 = 1e-3;
/// The most digits of such a number.
const TIGHT_DIGITS: i32 = 9;

/// Returns what is known of a number between two bounds: "0.123481, proven to 1e-6" where they are close, which
/// says that it differs by no more than that from what is printed, else "between 0.11 and 0.14".
pub fn bracket(lower: f64, upper: f64) -> String {
    let gap = upper - lower;
    if !(lower > 0.0 && gap <= TIGHT * lower) {
        return match lower == upper {
            true => rounded(lower),
            false => format!("between {} and {}", rounded(lower), rounded(upper)),
        };
    }
    let middle = lower + gap / 2.0;
    let size = libm::log10(middle).floor() as i32;
    // Half the gap, and what rounding adds to it, are at most half of this power of ten.
    let power = (libm::log10(gap).ceil() as i32).max(size + 1 - TIGHT_DIGITS);
    let shown = if !(1e-4..1e6).contains(&middle) {
        format!("{middle:.0$e}", (size - power) as usize)
    } else if power > 0 {
        let unit = libm::pow(10.0, f64::from(power));
        format!("{:.0}", (middle / unit).round() * unit)
    } else {
        format!("{middle:.0$}", power.unsigned_abs() as usize)
    };
    let unit = match power {
        0..6 => 10_u32.pow(power as u32).to_string(),
        _ => format!("1e{power}"),
    };
    format!("{shown}, proven to {unit}")
}

/// Returns a time as people say it: "12 ms", "3.2 s", "2 min 5 s", "6 h 40 min", "2 d 3 h".
pub fn duration(seconds: f64) -> String {
    let two = |count: u64, unit: &str, rest: u64, part: &str| match rest {
        0 => format!("{count} {unit}"),
        _ => format!("{count} {unit} {rest} {part}"),
    };
    // Rounded first: 59.96 s is a minute.
    let whole = seconds.round() as u64;
    let minutes = (seconds / 60.0).round() as u64;
    let hours = (seconds / 3600.0).round() as u64;
    match seconds {
        ..0.0005 => format!("{:.0} µs", seconds * 1e6),
        ..0.9995 => format!("{:.0} ms", seconds * 1e3),
        ..9.95 => format!("{seconds:.1} s"),
        ..59.5 => format!("{whole} s"),
        ..3599.5 => two(whole / 60, "min", whole % 60, "s"),
        ..86_370.0 => two(minutes / 60, "h", minutes % 60, "min"),
        _ => two(hours / 24, "d", hours % 24, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the next of a fixed sequence of random-looking numbers (splitmix64).
    fn draw(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z ^ (z >> 31)
    }

    #[test]
    fn a_margin_is_a_number_where_its_bounds_are_close() {
        let check = |lower, upper, expected: &str| assert_eq!(bracket(lower, upper), expected);
        check(0.1097, 0.13777, "between 0.1097 and 0.13777");
        check(0.123_481_2, 0.123_481_9, "0.123482, proven to 1e-6");
        check(0.123_481_237, 0.123_481_239, "0.12348124, proven to 1e-8");
        // They share few digits, and differ by little.
        check(0.129_999_9, 0.130_000_1, "0.130000, proven to 1e-6");
        check(1.234_567_2e-7, 1.234_568e-7, "1.234568e-7, proven to 1e-13");
        check(12_345.6, 12_346.0, "12346, proven to 1");
        check(12_345.0, 12_355.5, "12400, proven to 100");
        check(123_456_700.0, 123_456_701.0, "1.23456700e8, proven to 1");
        // Nobody reads more digits.
        check(0.123_475_141_769_83, 0.123_475_141_769_831, "0.123475142, proven to 1e-9");
        check(0.5, 0.5, "0.500000000, proven to 1e-9");
        check(-0.5, -0.5, "-0.5");
        check(-0.25, 0.5, "between -0.25 and 0.5");
        check(0.0, 1e-9, "between 0 and 1.000e-9");
    }

    #[test]
    fn what_is_printed_is_no_further_off_than_it_says() {
        let mut state = 1_u64;
        for _ in 0..10_000 {
            let random = draw(&mut state);
            let lower = libm::pow(10.0, (random % 1000) as f64 / 50.0 - 10.0);
            let upper =
                lower * (1.0 + libm::pow(10.0, -3.01 - (random >> 32) as f64 % 900.0 / 100.0));
            let text = bracket(lower, upper);
            let (shown, off) = text.split_once(", proven to ").unwrap();
            let (shown, off): (f64, f64) = (shown.parse().unwrap(), off.parse().unwrap());
            // A digit more than floats have would be wrong.
            let slack = off * (1.0 + 1e-9) + 4.0 * f64::EPSILON * lower;
            assert!((shown - lower).abs() <= slack && (shown - upper).abs() <= slack, "{text}");
            assert!(off < 11.0 * (upper - lower).max(1e-9 * lower), "{text}");
        }
    }

    #[test]
    fn times_as_people_say_them() {
        let check = |seconds, expected: &str| assert_eq!(duration(seconds), expected);
        check(0.000_044, "44 µs");
        check(0.000_6, "1 ms");
        check(0.012, "12 ms");
        check(0.9996, "1.0 s");
        check(3.21, "3.2 s");
        check(9.96, "10 s");
        check(42.4, "42 s");
        check(59.6, "1 min");
        check(125.0, "2 min 5 s");
        check(3599.6, "1 h");
        check(24_000.0, "6 h 40 min");
        check(86_399.0, "1 d");
        check(183_600.0, "2 d 3 h");
    }

    #[test]
    fn numbers_for_machines_and_people() {
        assert_eq!(
            [number(0.1), number(1e-9), number(3.0), number(0.0)],
            ["0.1", "1e-9", "3", "0"]
        );
        assert_eq!(rounded(-0.123456), "-0.12346");
        assert_eq!([rounded(2.0), rounded(1234.56), rounded(0.0)], ["2", "1234.6", "0"]);
        assert_eq!(rounded(3.14159e-9), "3.142e-9");
        assert_eq!([grouped(7), grouped(1234), grouped(1_000_000)], ["7", "1,234", "1,000,000"]);
        assert_eq!([counted(1, "row"), counted(0, "row")], ["1 row", "0 rows"]);
    }
}
