//! A cell of text as a number.

use linsep_data::error::{ErrorKind, SHOWN_CHARACTERS};
use linsep_data::integer;

/// Why a cell is not a finite number.
#[derive(Debug)]
pub(super) struct CellFault {
    /// What was found.
    pub(super) kind: ErrorKind,
    /// True for what stands for a missing value: its row can be dropped.
    pub(super) missing: bool,
}

/// Returns the finite number in a cell.
#[inline]
pub(super) fn number(cell: &[u8]) -> Result<f64, CellFault> {
    let cell = cell.trim_ascii();
    match fast_float2::parse::<f64, _>(cell) {
        Ok(value) if value.abs() < integer::ALL_EXACT => Ok(value),
        Ok(value) if value.is_finite() && !integer::is_rounded(cell, value) => Ok(value),
        Ok(value) if value.is_finite() => {
            Err(CellFault { kind: ErrorKind::Inexact { found: excerpt(cell) }, missing: false })
        }
        Ok(_) => {
            Err(CellFault { kind: ErrorKind::NotFinite { found: excerpt(cell) }, missing: true })
        }
        Err(_) => Err(fault(cell)),
    }
}

/// Returns the text in a cell, unless it is missing.
pub(super) fn word(cell: &[u8]) -> Result<&[u8], CellFault> {
    let word = cell.trim_ascii();
    match is_missing(word) {
        true => Err(fault(word)),
        false => Ok(word),
    }
}

/// Returns the text of a cell, trimmed.
pub(super) fn text(cell: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(cell.trim_ascii())
}

#[cold]
fn fault(cell: &[u8]) -> CellFault {
    if cell.is_empty() {
        let kind = ErrorKind::NotFinite { found: "nothing".into() };
        return CellFault { kind, missing: true };
    }
    let (found, missing) = (excerpt(cell), is_missing(cell));
    let kind = match has_comma_in_number(cell) {
        true => ErrorKind::CommaInNumber { found },
        false => ErrorKind::NotANumber { found },
    };
    CellFault { kind, missing }
}

/// Returns true for a number with a comma in it: a decimal comma, or one between thousands.
pub(super) fn has_comma_in_number(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    if !cell.contains(&b',') {
        return false;
    }
    // Without commas and points between digits it has to be a number.
    let mark = |i: usize| {
        matches!(cell[i], b',' | b'.') && cell.get(i + 1).is_some_and(u8::is_ascii_digit)
    };
    let digits: Vec<u8> = (0..cell.len()).filter(|&i| !mark(i)).map(|i| cell[i]).collect();
    digits.iter().any(u8::is_ascii_digit) && fast_float2::parse::<f64, _>(&digits).is_ok()
}

/// Returns true for nothing, and for a word that stands for it.
pub(super) fn is_missing(cell: &[u8]) -> bool {
    let spellings: [&[u8]; 8] = [b"na", b"n/a", b"nan", b"<na>", b"null", b"none", b"?", b"#n/a"];
    let cell = cell.trim_ascii();
    cell.is_empty() || spellings.iter().any(|spelling| spelling.eq_ignore_ascii_case(cell))
}

/// Returns true for a word that stands for a missing value, such as `NA` or `?`, in any case.
pub fn stands_for_missing(word: &str) -> bool {
    !word.trim().is_empty() && is_missing(word.as_bytes())
}

/// Returns true if a non-empty cell shows that its row holds data: a number, or what stands for one.
pub(super) fn is_data(cell: &[u8]) -> bool {
    match number(cell) {
        Ok(_) => true,
        Err(CellFault {
            kind: ErrorKind::CommaInNumber { .. } | ErrorKind::Inexact { .. },
            ..
        }) => true,
        Err(fault) => fault.missing && !cell.trim_ascii().is_empty(),
    }
}

/// Returns the text of a cell, shortened if it is long.
pub(super) fn excerpt(cell: &[u8]) -> String {
    // Four bytes a character at most, so that a runaway quote is not copied whole.
    let beginning = &cell[..cell.len().min(4 * SHOWN_CHARACTERS + 4)];
    let text = String::from_utf8_lossy(beginning);
    if beginning.len() == cell.len() && text.chars().count() <= SHOWN_CHARACTERS {
        return text.into_owned();
    }
    text.chars().take(SHOWN_CHARACTERS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cell: &str, expected: Result<f64, (&str, bool)>) {
        let found = number(cell.as_bytes()).map_err(|f| (f.kind.to_string(), f.missing));
        assert_eq!(found, expected.map_err(|(text, missing)| (text.to_string(), missing)));
    }

    #[test]
    fn numbers() {
        check("1", Ok(1.0));
        check(" -1.5e3\t", Ok(-1500.0));
        check("+.5", Ok(0.5));
        check("1e-400", Ok(0.0));
        check("1e300", Ok(1e300));
        check("9007199254740992", Ok(9_007_199_254_740_992.0));
    }

    #[test]
    fn integers_that_would_be_rounded_are_refused() {
        let refused = "expected an integer that f64 holds exactly, as all up to 2^53 are, found ";
        for cell in ["9007199254740993", "-12345678901234567"] {
            check(cell, Err((&format!("{refused}{cell}"), false)));
            assert!(is_data(cell.as_bytes()));
        }
    }

    #[test]
    fn what_is_missing_can_be_dropped_and_words_cannot() {
        check("", Err(("expected a finite number, found nothing", true)));
        check(" ", Err(("expected a finite number, found nothing", true)));
        check("NaN", Err(("expected a finite number, found NaN", true)));
        check("-Infinity", Err(("expected a finite number, found -Infinity", true)));
        check("1e999", Err(("expected a finite number, found 1e999", true)));
        check("N/A", Err(("expected a number, found \"N/A\"", true)));
        check("?", Err(("expected a number, found \"?\"", true)));
        check("red", Err(("expected a number, found \"red\"", false)));
        check("1 2", Err(("expected a number, found \"1 2\"", false)));
        check("0x10", Err(("expected a number, found \"0x10\"", false)));
    }

    #[test]
    fn commas_in_numbers_are_told() {
        let comma =
            |cell: &str| format!("expected a number with a decimal point, found \"{cell}\"");
        for cell in ["1,5", "-0,5e3", "1.234,5", "1,234.5", "1,234,567", ",5"] {
            check(cell, Err((&comma(cell), false)));
        }
        for cell in ["1,", ",", "a,5", "1,x", "-,", "1,,5", "e,5", "nan,5"] {
            check(cell, Err((&format!("expected a number, found \"{cell}\""), false)));
        }
    }

    #[test]
    fn excerpts_are_short_and_never_panic() {
        assert_eq!(excerpt(b"\xff\xfe"), "\u{fffd}\u{fffd}");
        assert_eq!(excerpt("é".repeat(40).as_bytes()), "é".repeat(40));
        assert_eq!(excerpt("é".repeat(1000).as_bytes()), "é".repeat(40) + "…");
    }
}
