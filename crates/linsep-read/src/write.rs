//! Puts samples out: `.npy`, CSV, TSV and libsvm, block by block.

use std::io::{self, Write};

use rayon::prelude::*;

use linsep_data::samples::Element;

/// Rows that one task turns into text.
const ROWS_PER_TASK: usize = 256;

/// A number type, as `.npy` and text have it.
pub trait Written: Element + bytemuck::Pod + std::fmt::Display {
    /// How `.npy` calls the type.
    const DESCR: &'static str;
}

impl Written for f64 {
    const DESCR: &'static str = if cfg!(target_endian = "little") { "<f8" } else { ">f8" };
}

impl Written for f32 {
    const DESCR: &'static str = if cfg!(target_endian = "little") { "<f4" } else { ">f4" };
}

/// Returns the header of a C-order `.npy` file; the values follow it.
pub fn npy_header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let mut dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}), }}");
    // Magic, version and length take 10 bytes; values start at a multiple of 64, so that a mapping
    // of the file is aligned.
    let end = (10 + dict.len() + 1).next_multiple_of(64);
    dict.push_str(&" ".repeat(end - 10 - dict.len() - 1));
    dict.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(dict.len() as u16).to_le_bytes());
    header.extend_from_slice(dict.as_bytes());
    header
}

/// How rows are put out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Values alone, one row after the other.
    Npy,
    /// A header x1, x2, …, label and one line per row, with this delimiter.
    Delimited(u8),
    /// label index:value …, indices counted from 1, zeros left out.
    Libsvm,
}

/// Writes what comes before the rows.
pub fn begin<T: Written>(
    layout: Layout,
    rows: usize,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    match layout {
        Layout::Npy => out.write_all(&npy_header(T::DESCR, &[rows, columns])),
        Layout::Delimited(delimiter) => {
            for k in 1..=columns {
                write!(out, "x{k}{}", delimiter as char)?;
            }
            out.write_all(b"label\n")
        }
        Layout::Libsvm => Ok(()),
    }
}

/// Writes rows of `columns` values each; `.npy` keeps labels in a file of their own.
pub fn rows<T: Written>(
    layout: Layout,
    values: &[T],
    columns: usize,
    positive: &[bool],
    out: &mut dyn Write,
) -> io::Result<()> {
    if layout == Layout::Npy {
        return out.write_all(bytemuck::cast_slice(values));
    }
    let parts: Vec<Vec<u8>> = values
        .par_chunks(ROWS_PER_TASK * columns)
        .zip(positive.par_chunks(ROWS_PER_TASK))
        .map(|(values, positive)| {
            let mut text = Vec::new();
            for (row, &positive) in values.chunks(columns).zip(positive) {
                line(layout, row, positive, &mut text).expect("memory takes all");
            }
            text
        })
        .collect();
    parts.iter().try_for_each(|part| out.write_all(part))
}

fn line<T: Written>(
    layout: Layout,
    row: &[T],
    positive: bool,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let label = if positive { 1 } else { -1 };
    match layout {
        Layout::Libsvm => {
            write!(out, "{label}")?;
            for (k, value) in row.iter().enumerate().filter(|(_, v)| v.widen() != 0.0) {
                write!(out, " {}:{value}", k + 1)?;
            }
            writeln!(out)
        }
        Layout::Delimited(delimiter) => {
            for value in row {
                write!(out, "{value}{}", delimiter as char)?;
            }
            writeln!(out, "{label}")
        }
        Layout::Npy => unreachable!("npy rows are not text"),
    }
}

/// Returns the labels as a `.npy` file of 1 and -1.
pub fn npy_labels(positive: &[bool]) -> Vec<u8> {
    let mut file = npy_header("|i1", &[positive.len()]);
    file.extend(positive.iter().map(|&p| if p { 1_i8 } else { -1 } as u8));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layout: Layout, expected: &str) {
        let mut out = vec![];
        begin::<f64>(layout, 2, 2, &mut out).unwrap();
        rows(layout, &[0.5, 0.0, -1e-7, 3.0], 2, &[true, false], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn text_layouts() {
        check(Layout::Delimited(b','), "x1,x2,label\n0.5,0,1\n-0.0000001,3,-1\n");
        check(Layout::Libsvm, "1 1:0.5\n-1 1:-0.0000001 2:3\n");
    }

    #[test]
    fn npy_values_are_aligned() {
        let header = npy_header("<f8", &[1_000_000, 100]);
        assert_eq!(header.len() % 64, 0);
        assert!(header.ends_with(b"\n"));
    }
}
