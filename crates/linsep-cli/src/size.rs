//! Sizes as they are typed.

/// Returns the bytes in a text such as `1000`, `500M` or `20G`: powers of 1000, or of 1024 with `Ki`, `Mi`,
/// `Gi` and `Ti`; a `B` may follow.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = || format!("expected a size such as 1000, 500M or 20G, found \"{text}\"");
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let unit = match unit.trim_end_matches('B') {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        "Ti" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(expected()),
    };
    let number: f64 = number.trim().parse().map_err(|_| expected())?;
    let bytes = number * unit;
    if !(0.0..1e18).contains(&bytes) {
        return Err(expected());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_they_are_typed() {
        assert_eq!(parse_size("1000"), Ok(1000));
        assert_eq!(parse_size("1.5G"), Ok(1_500_000_000));
        assert_eq!(parse_size("2 MiB"), Ok(2 << 20));
        assert_eq!(parse_size("0"), Ok(0));
        for bad in ["", "G", "-1", "5X", "nan", "1e300", "5BB5"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
