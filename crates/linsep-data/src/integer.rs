//! Integers as floats: one rule for all readers. An integer that f64 does not hold exactly is refused, since what is
//! decided and proven of rounded integers would not be true of those that were given.

/// Integers up to here have an exact f64.
pub const ALL_EXACT: f64 = (1_u64 << 53) as f64;

/// Returns the integer as a float, if there is one that is exactly it.
pub fn exact(integer: i128) -> Option<f64> {
    let value = integer as f64;
    // The largest i128 is no float, and the float next to it no i128.
    (value as i128 == integer && integer != i128::MAX).then_some(value)
}

/// Returns true if the text is an integer, digits and no more, that is not exactly `value`, the float nearest to it.
#[cold]
pub fn is_rounded(text: &[u8], value: f64) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if value.abs() < ALL_EXACT || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    // A float is written with all its digits here, however many.
    format!("{:.0}", value.abs()).as_bytes() != &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_2_to_53_are_exact_or_not() {
        let check = |text: &str, expected| {
            let value: f64 = text.parse().unwrap();
            assert_eq!(is_rounded(text.as_bytes(), value), expected, "{text}");
            if let Ok(integer) = text.parse::<i128>() {
                assert_eq!(exact(integer).is_none(), expected, "{text}");
            }
        };
        for text in ["0", "-7", "9007199254740992", "-009007199254740994", "1152921504606846976"] {
            check(text, false);
        }
        check(&(1_u128 << 126).to_string(), false);
        check("10000000000000000000000", false);
        for text in
            ["9007199254740993", "-9007199254740993", "+12345678901234567", "9223372036854775807"]
        {
            check(text, true);
        }
        check(&format!("{}1", "9".repeat(60)), true);
        // What is written as a decimal is rounded as all decimals are.
        assert!(!is_rounded(b"9007199254740993.0", 9_007_199_254_740_992.0));
        assert!(!is_rounded(b"1e23", 1e23));
    }
}
