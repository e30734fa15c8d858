//! Guesses what stands between two cells.
//!
//! Each candidate cuts the first records into cells. The right one cuts all of them into the same number of
//! cells, and makes numbers of most.

use ::csv::{ByteRecord, ReaderBuilder};

use super::cell;
use super::text::squeeze;

/// What may stand between two cells; of equals the first.
const CANDIDATES: [u8; 5] = [b',', b'\t', b';', b'|', b' '];

/// Records that are looked at, at most.
const RECORDS: usize = 100;

/// Returns the most likely delimiter of text; a comma if there is none. `whole` says that this is all of it,
/// so that the last record is not cut off.
pub(super) fn guess(text: &[u8], whole: bool) -> u8 {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let tried = CANDIDATES.into_iter().filter(|&c| memchr::memchr(c, text).is_some());
    let fits = tried.filter_map(|candidate| Some((fit(text, candidate, whole)?, candidate)));
    // `max_by` returns the last of equals.
    let best = fits.collect::<Vec<_>>().into_iter().rev().max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map_or(b',', |(_, delimiter)| delimiter)
}

/// How well a delimiter fits.
struct DelimiterFit {
    /// The share of all cells that are numbers, in records of as many cells as most have; it counts less if
    /// the first record, which may name the columns, has not as many.
    numbers: f64,
    /// The share of records that have as many cells as most.
    alike: f64,
    /// Cells of a record; words have spaces between them, which say little.
    cells: usize,
}

impl DelimiterFit {
    fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_share = |a: f64, b: f64| a.total_cmp(&b);
        by_share(self.numbers, other.numbers)
            .then_with(|| by_share(self.alike, other.alike))
            .then_with(|| self.cells.cmp(&other.cells))
    }
}

/// Returns how well a delimiter fits, or `None` if most records are one cell.
fn fit(text: &[u8], delimiter: u8, whole: bool) -> Option<DelimiterFit> {
    let records = records(text, delimiter, whole);
    let mut widths: Vec<usize> = records.iter().map(|(width, _)| *width).collect();
    widths.sort_unstable();
    let runs = widths.chunk_by(|a, b| a == b);
    let most = runs.max_by_key(|run| run.len())?;
    let (width, count) = (most[0], most.len());
    if width < 2 {
        return None;
    }
    // The first record may be a header, which has no numbers.
    let rows = if records.len() > 1 { &records[1..] } else { &records[..] };
    let numbers: f64 = rows.iter().filter(|(w, _)| *w == width).map(|(_, numbers)| numbers).sum();
    let cells: usize = rows.iter().map(|(width, _)| width).sum();
    let first = if records[0].0 == width { 1.0 } else { 0.4 };
    Some(DelimiterFit {
        numbers: first * numbers / cells as f64,
        alike: count as f64 / widths.len() as f64,
        cells: if delimiter == b' ' { 0 } else { width },
    })
}

/// Returns the number of cells of each of the first records, and how many of them are like numbers.
fn records(text: &[u8], delimiter: u8, whole: bool) -> Vec<(usize, f64)> {
    let squeezed;
    let text = match delimiter {
        b' ' => {
            squeezed = squeeze(text.to_vec());
            &squeezed[..]
        }
        _ => text,
    };
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text);
    let (mut record, mut found) = (ByteRecord::new(), vec![]);
    while found.len() <= RECORDS && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        if record.len() > 1 || !record[0].trim_ascii().is_empty() {
            let numbers = record.iter().map(like_number).sum();
            found.push((record.len(), numbers));
        }
    }
    let cut_off = !whole && reader.is_done() || found.len() > RECORDS;
    if cut_off && found.len() > 1 {
        found.pop();
    }
    found
}

/// Returns how much a cell is like a number: one with a comma may be two.
fn like_number(cell: &[u8]) -> f64 {
    if cell::has_comma_in_number(cell) {
        0.7
    } else if cell::is_data(cell) {
        1.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: char) {
        let found = char::from(guess(text.as_bytes(), true));
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn what_cuts_all_records_alike() {
        check("a,b,c\n1,2,x\n3,4,y\n", ',');
        check("a;b;c\n1;2;x\n3;4;y\n", ';');
        check("a\tb\tc\n1\t2\tx\n3\t4\ty\n", '\t');
        check("a|b|c\n1|2|x\n3|4|y\n", '|');
        check("a b c\n1 2 x\n3 4 y\n", ' ');
        check("  1.5   2  x\n 13.25  4  y\n", ' ');
        check("\u{feff}größe;c\r\n1;x\r\n", ';');
        check("1;x", ';');
    }

    #[test]
    fn a_comma_unless_something_fits_better() {
        check("", ',');
        check("1\n2\n", ',');
        check("word\n", ',');
        check("a,b;c\n", ',');
        check("a,b\tc\nd,e\tf\n", ',');
    }

    #[test]
    fn decimal_commas_are_part_of_numbers() {
        check("1,5;2,5;x\n3,5;4,5;y\n", ';');
        check("1,5;2,5\n3,5;4,5\n", ';');
        check("a;b;label\n1,5;2,5;x\n3,5;4,5;y\n", ';');
        check("1,5\t2,5\tx\n3,5\t4,5\ty\n", '\t');
        check("1,5 2,5 x\n3,5 4,5 y\n", ' ');
    }

    #[test]
    fn text_with_other_delimiters_in_it() {
        check("city,y\nNew York,1\nLos Angeles,2\n", ',');
        check("when,y\n2020-01-01 10:00,1\n2020-01-02 11:00,2\n", ',');
        check("the big dog,x\nthe tiny cat,y\n", ',');
        check("name;city;y\nDoe, J;Rome;a\nRoe, R;Bonn;b\n", ';');
        check("\"a;b;c\",1\n\"d;e;f\",2\n", ',');
        check("\"x\ny;z\";1\n\"v\nw;u\";2\n", ';');
        // One line is broken.
        check("a,b,c\n1,2 3,x\n3,4 5,y\n5,6 7\n", ',');
    }

    #[test]
    fn a_record_that_is_cut_off_does_not_count() {
        let text = b"a;b\n1;2\n3;4\n5";
        assert_eq!(guess(text, false), b';');
        // Unless it is the only one.
        assert_eq!(guess(b"1;2;3;4", false), b';');
    }
}
