//! What the bytes are, by their content.

use linsep_data::error::{ErrorKind, Format};

use super::{cell, delimiter};

/// Returns the binary format that begins with these bytes.
pub(super) fn by_magic(head: &[u8]) -> Option<Format> {
    let magics: [(&[u8], Format); 3] =
        [(b"\x93NUMPY", Format::Npy), (b"PAR1", Format::Parquet), (b"ARROW1", Format::Arrow)];
    magics.into_iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, format)| format)
}

/// Returns the format that the first bytes look like; `whole` says that they are all.
pub(super) fn by_content(head: &[u8], whole: bool) -> Format {
    if let Some(format) = by_magic(head) {
        return format;
    }
    if is_libsvm(head) {
        return Format::Libsvm;
    }
    match delimiter::guess(head, whole) {
        b'\t' => Format::Tsv,
        _ => Format::Csv,
    }
}

/// Returns true if the first line that is not blank or a comment is libsvm's.
pub(super) fn is_libsvm(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = text.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let first_data = lines.find(|line| !line.trim_ascii_start().starts_with(b"#"));
    first_data.is_some_and(looks_like_libsvm)
}

/// Returns true for a number, also for one that is refused when it is read.
fn is_number(value: &[u8]) -> bool {
    match cell::number(value) {
        Ok(_) => true,
        Err(fault) => matches!(fault.kind, ErrorKind::Inexact { .. }),
    }
}

/// Returns true for `label index:value …` and for `index:value …`.
fn looks_like_libsvm(line: &[u8]) -> bool {
    let is_pair = |token: &[u8]| {
        let Some(colon) = memchr::memchr(b':', token) else { return false };
        let (index, value) = (&token[..colon], &token[colon + 1..]);
        let is_index = !index.is_empty() && index.iter().all(u8::is_ascii_digit);
        is_index && is_number(value) || index == b"qid"
    };
    let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
    let first = tokens.next().unwrap_or_default();
    match tokens.next() {
        Some(second) => (is_pair(first) || !first.contains(&b':')) && is_pair(second),
        None => is_pair(first),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_content() {
        let check = |head: &[u8], expected: Format| {
            assert_eq!(super::by_content(head, true), expected, "{}", head.escape_ascii());
        };
        check(b"\x93NUMPY\x01\x00", Format::Npy);
        check(b"# made up\n\n+1 1:0.5 2:1\n", Format::Libsvm);
        check(b"yes 3:1e-5", Format::Libsvm);
        check(b"1 qid:3 1:2", Format::Libsvm);
        check(b"1:2 3:4", Format::Libsvm);
        check(b"1:2", Format::Libsvm);
        check(b"1,2 3:x", Format::Csv);
        check(b"12:30,5\n", Format::Csv);
        check(b"a\tb\n1,5\t2\n", Format::Tsv);
        check(b"a,b\tc\n", Format::Csv);
        check(b"\n", Format::Csv);
        check(b"PAR1\x15", Format::Parquet);
        check(b"ARROW1\0\0", Format::Arrow);
    }
}
