//! A first look at the columns of a table: which are numbers, which are text, which only count rows.

use std::collections::HashSet;

use linsep_data::error::ErrorKind;

use super::cell::{self, CellFault};

/// Rows that are looked at, at most.
pub(super) const SURVEYED_ROWS: usize = 1000;
/// Bytes of cells that are looked at, at most.
pub(super) const SURVEYED_BYTES: usize = 1 << 20;

/// Names of columns that tell rows apart, in small letters.
const IDENTIFIERS: [&str; 9] =
    ["id", "row", "index", "idx", "uid", "uuid", "guid", "rowid", "rownames"];

/// What the first cells of a column look like.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenCells {
    numbers: usize,
    words: usize,
    /// Words that are numbers with a comma in them.
    commas: usize,
    missing: usize,
    /// The first number, if all are integers that rise by one.
    first: Option<f64>,
    breaks: bool,
    /// Cells met so far, while no two are the same.
    cells: HashSet<Vec<u8>>,
    repeats: bool,
}

impl SeenCells {
    /// Takes the next cell.
    pub(super) fn look(&mut self, cell: &[u8]) {
        let cell = cell.trim_ascii();
        match cell::number(cell) {
            Ok(value) => {
                let first = *self.first.get_or_insert(value);
                self.breaks |= value != first + self.numbers as f64 || !starts_count(first);
                self.numbers += 1;
            }
            Err(CellFault { kind: ErrorKind::Inexact { .. }, .. }) => {
                self.numbers += 1;
                self.breaks = true;
            }
            Err(fault) if fault.missing => {
                self.missing += 1;
                self.breaks = true;
                return;
            }
            Err(fault) => {
                self.words += 1;
                let comma = matches!(fault.kind, ErrorKind::CommaInNumber { .. });
                self.commas += usize::from(comma);
                self.breaks = true;
            }
        }
        self.repeats |= !self.repeats && !self.cells.insert(cell.to_vec());
    }

    /// Returns true if words are in the majority: then the column is text, and else a word among numbers
    /// is a fault. A number with a comma in it is meant to be a number.
    pub(super) fn is_text(&self) -> bool {
        self.words - self.commas > self.numbers + self.commas
    }

    /// Returns true if the column is 0, 1, 2 … or 1, 2, 3 …
    pub(super) fn counts_rows(&self) -> bool {
        self.numbers > 2 && !self.breaks
    }

    /// Returns true if no two cells are the same, and none is missing.
    pub(super) fn tells_rows_apart(&self) -> bool {
        self.numbers + self.words > 2 && !self.repeats && self.missing == 0
    }
}

fn starts_count(first: f64) -> bool {
    first == 0.0 || first == 1.0
}

/// Returns true for a name that pandas gives to a column without one.
pub(super) fn is_unnamed(name: &str) -> bool {
    name.is_empty() || name.starts_with("Unnamed: ") || name.starts_with("__index_level_")
}

/// Returns true for a name that promises an identifier: id, row, customer_id, CustomerId …
pub(super) fn is_identifier(name: &str) -> bool {
    let small = name.to_lowercase();
    IDENTIFIERS.contains(&small.as_str())
        || ["_id", " id", "-id", ".id"].iter().any(|end| small.ends_with(end))
        || name.len() > 2 && (name.ends_with("Id") || name.ends_with("ID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(cells: &str) -> SeenCells {
        let mut seen = SeenCells::default();
        cells.split(' ').for_each(|cell| seen.look(cell.as_bytes()));
        seen
    }

    #[test]
    fn columns_that_count_rows() {
        let check = |cells, expected| assert_eq!(seen(cells).counts_rows(), expected, "{cells}");
        check("0 1 2 3", true);
        check("1 2 3", true);
        check("2 3 4", false);
        check("1 2", false);
        check("0 1 2 2", false);
        check("0 1 NA 3", false);
    }

    #[test]
    fn columns_of_text() {
        let check = |cells, expected| assert_eq!(seen(cells).is_text(), expected, "{cells}");
        check("red green red", true);
        check("red NA 5 blue", true);
        check("1 2 3 12o", false);
        check("NA NA", false);
        check("1,5 2,5 x", false);
        check("1,5 red blue", true);
    }

    #[test]
    fn identifiers() {
        let check = |name, expected| assert_eq!(is_identifier(name), expected, "{name}");
        for name in ["id", "ID", "customer_id", "CustomerId", "PassengerID", "row", "uuid"] {
            check(name, true);
        }
        for name in ["paid", "Madrid", "width", "grid", "y", "Id1", "acid"] {
            check(name, false);
        }
        assert!(seen("7 3 9").tells_rows_apart());
        assert!(!seen("7 3 7").tells_rows_apart());
    }
}
