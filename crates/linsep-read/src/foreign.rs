//! What bytes are that cannot be read, so that an error can name it and not show it.

use linsep_data::error::{Foreign, Format};

use super::format::by_magic;

/// How many bytes are looked at for signs of text.
const LOOKED_AT: usize = 1 << 12;
/// Data is binary if control characters are more than one in this many bytes, and more than a few.
const CONTROLS_SHARE: usize = 50;
const FEW_CONTROLS: usize = 8;

/// Returns what the first bytes are, unless they are text.
pub(super) fn in_place_of_text(head: &[u8]) -> Option<Foreign> {
    by_magic(head).map(Foreign::Misnamed).or_else(|| known(head)).or_else(|| wide(head))
}

/// Returns what the first bytes are that should be those of a binary format, if that is known.
pub(super) fn in_place_of(format: Format, head: &[u8]) -> Option<Foreign> {
    match by_magic(head) {
        Some(found) if found == format => None,
        Some(found) => Some(Foreign::Misnamed(found)),
        None => known(head).filter(|found| *found != Foreign::Binary),
    }
}

/// Returns what the first bytes are, if they begin as something does that is known.
fn known(head: &[u8]) -> Option<Foreign> {
    let found = match head {
        // UTF-32, which would pass for UTF-16.
        [0xff, 0xfe, 0, 0, ..] => Foreign::Binary,
        [0xff, 0xfe, ..] => Foreign::Utf16 { big_endian: false },
        [0xfe, 0xff, ..] => Foreign::Utf16 { big_endian: true },
        [b'P', b'K', 3 | 5, 4 | 6, ..] => in_zip(head),
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => Foreign::Xls,
        // From protocol 2 on, with the opcode of a first object or frame.
        [0x80, 2..=5, 0x95 | b']' | b'}' | b'(' | b'c' | b'X' | b'K' | 0x8c, ..] => Foreign::Pickle,
        _ => return in_marks(head),
    };
    Some(found)
}

/// Returns what a zip archive that begins with these bytes is.
fn in_zip(head: &[u8]) -> Foreign {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    let length = head.get(26..28).map_or(0, |b| usize::from(u16::from_le_bytes([b[0], b[1]])));
    let first = head.get(30..30 + length).unwrap_or_default();
    if first.ends_with(b".npy") {
        Foreign::Npz
    } else if has(b"xl/") && (has(b"[Content_Types].xml") || has(b"_rels/")) {
        Foreign::Xlsx
    } else {
        Foreign::Zip
    }
}

/// Returns which text of marks it is, not cells, if it is any.
fn in_marks(head: &[u8]) -> Option<Foreign> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|b| b.eq_ignore_ascii_case(with));
    if begins(b"<!doctype html") || begins(b"<html") {
        return Some(Foreign::Html);
    }
    let next = |from: &[u8]| from.trim_ascii_start().first().copied();
    let json = match text {
        [b'{', rest @ ..] => matches!(next(rest), Some(b'"' | b'}')),
        [b'[', rest @ ..] => matches!(next(rest), Some(b'{' | b'[' | b'"' | b'0'..=b'9' | b'-')),
        _ => false,
    };
    json.then_some(Foreign::Json)
}

/// Returns what bytes are among which some are of no text in UTF-8.
fn wide(head: &[u8]) -> Option<Foreign> {
    if is_text(head) {
        return None;
    }
    let looked = &head[..head.len().min(LOOKED_AT) & !1];
    let (pairs, _) = looked.as_chunks::<2>();
    let plain = |b: u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    let ascii = |high: usize| pairs.iter().filter(|p| p[high] == 0 && plain(p[1 - high])).count();
    // Of text in any language the delimiters, digits and line ends are ASCII.
    let most = |count: usize| pairs.len() > 1 && 2 * count > pairs.len();
    if most(ascii(1)) {
        Some(Foreign::Utf16 { big_endian: false })
    } else if most(ascii(0)) {
        Some(Foreign::Utf16 { big_endian: true })
    } else {
        Some(Foreign::Binary)
    }
}

/// Returns true if the bytes may be text in an encoding that has ASCII in it.
pub(super) fn is_text(head: &[u8]) -> bool {
    let looked = &head[..head.len().min(LOOKED_AT)];
    let control = |b: &&u8| b.is_ascii_control() && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c);
    let controls = looked.iter().filter(control).count();
    !looked.contains(&0) && (controls <= FEW_CONTROLS || controls * CONTROLS_SHARE <= looked.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &[u8], expected: Option<Foreign>) {
        assert_eq!(in_place_of_text(head), expected, "{}", head.escape_ascii());
    }

    fn utf16(text: &str, mark: bool, big_endian: bool) -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        let units = format!("{mark}{text}").encode_utf16().collect::<Vec<u16>>();
        let bytes =
            units.iter().map(|u| if big_endian { u.to_be_bytes() } else { u.to_le_bytes() });
        bytes.flatten().collect()
    }

    #[test]
    fn text_is_nothing_foreign() {
        for text in [
            "1,2\n",
            "",
            "\u{feff}größe;länge\n",
            "ORC,Obj,PK\n1,2,3\n",
            "FEA1\n1\n",
            "RDX,y\n",
            "[a],[b]\n",
            "{a};b\n",
            "SQLite format,b\n",
            "MATLAB 5,b\n",
            "<5,>6\n",
            "GIF87a,b\n1,2\n",
            "1\x1b[31m,x\n",
        ] {
            check(text.as_bytes(), None);
        }
        // Latin-1 is text too; which bytes are wrong is told by line.
        check(b"caf\xe9,1\n", None);
    }

    #[test]
    fn wide_text_of_both_orders_with_a_mark_and_without() {
        for mark in [true, false] {
            for big_endian in [true, false] {
                let text = utf16("größe,label\n1.5,x\n", mark, big_endian);
                check(&text, Some(Foreign::Utf16 { big_endian }));
            }
        }
    }

    #[test]
    fn files_are_named_by_how_they_begin() {
        let zip = |name: &str, more: &str| {
            let mut bytes = b"PK\x03\x04".to_vec();
            bytes.resize(26, 0);
            bytes.extend((name.len() as u16).to_le_bytes());
            bytes.extend([0, 0]);
            bytes.extend(format!("{name}\0\0{more}").into_bytes());
            bytes
        };
        check(&zip("[Content_Types].xml", "xl/workbook.xml"), Some(Foreign::Xlsx));
        check(&zip("arr_0.npy", ""), Some(Foreign::Npz));
        check(&zip("data.csv", "1,2"), Some(Foreign::Zip));
        check(b"PK\x03\x04....", Some(Foreign::Zip));
        check(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Some(Foreign::Xls));
        check(b"\x80\x04\x95\x10\0", Some(Foreign::Pickle));
        check(b"\x80\x02]q\0", Some(Foreign::Pickle));
        check(b"{\"a\": 1}\n", Some(Foreign::Json));
        check(b" \n[\n  {\"a\": 1}]\n", Some(Foreign::Json));
        check(b"[1, 2]", Some(Foreign::Json));
        check(b"<!DOCTYPE HTML><html>", Some(Foreign::Html));
        check(b"\x93NUMPY\x01\0", Some(Foreign::Misnamed(Format::Npy)));
        check(b"PAR1\x15\0", Some(Foreign::Misnamed(Format::Parquet)));
        check(b"\x7fELF\x02\x01\x01\0\0\0", Some(Foreign::Binary));
        check(&[0; 100], Some(Foreign::Binary));
        // What has no name here is told by its zeros.
        for head in [
            &b"\x89HDF\r\n\x1a\n\0"[..],
            b"SQLite format 3\0\x10\0",
            b"MATLAB 5.0 MAT-file, Platform: GLNXA64\0\x01IM",
            b"ORC\x0a\x03\0\0",
            b"RDX3\nX\n\0\0",
            b"\xff\xfe\0\x001\0\0\0",
        ] {
            check(head, Some(Foreign::Binary));
        }
    }

    #[test]
    fn what_is_called_npy_and_is_not() {
        assert_eq!(in_place_of(Format::Npy, b"\x93NUMPY\x01"), None);
        assert_eq!(in_place_of(Format::Npy, b"junk"), None);
        assert_eq!(in_place_of(Format::Npy, b"\0\0\0"), None);
        let parquet = Some(Foreign::Misnamed(Format::Parquet));
        assert_eq!(in_place_of(Format::Npy, b"PAR1"), parquet);
        assert_eq!(in_place_of(Format::Parquet, b"<html>"), Some(Foreign::Html));
    }
}
