//! One result, many renderings. Nothing here computes, and nothing here prints.

pub mod chart;
pub mod decision;
pub mod json;
pub mod page;
#[cfg(feature = "png")]
pub mod png;
pub mod study;
pub mod svg;
pub mod text;

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

/// Returns the count and its noun, in the plural where it is not 1.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = match (count, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {noun}{plural}", grouped(count))
}

#[cfg(test)]
mod tests {
    use super::*;

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
