//! Times as they are typed.

use std::time::Duration;

/// Returns the duration in a text such as `90`, `90s`, `1.5m` or `2h`; plain numbers are seconds.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = || format!("expected a time such as 90, 90s, 5m or 1h, found \"{text}\"");
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let unit = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    let number: f64 = number.parse().map_err(|_| expected())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| expected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_they_are_typed() {
        let seconds = |text| parse_duration(text).map(|d| d.as_secs_f64()).ok();
        assert_eq!(seconds("90"), Some(90.0));
        assert_eq!(seconds("1.5m"), Some(90.0));
        assert_eq!(seconds("2h"), Some(7200.0));
        assert_eq!(seconds("250ms"), Some(0.25));
        for bad in ["", "s", "-1", "5d", "nan", "1e400", "1m30"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
