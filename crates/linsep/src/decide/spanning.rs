//! Rows that span all rows, and coordinates of which all others are combinations: exactly, or with a chance
//! of 2^-58 too few of either.
//!
//! ```text
//! repeat   eliminate some rows modulo a prime: which are independent, and a vector orthogonal to them
//!          a pass: rows with a product that is not zero are off their span, and join
//! ```

use super::exact::Halt;
use super::exact::modular::{Elimination, PRIMES, Prime, Residues};
use super::exact::rows::SignedRows;
use super::folds::off_span::OffSpan;
use super::passes::{PassError, Passes};

/// What spans all rows.
#[derive(Clone, Debug)]
pub(super) struct Spanning {
    /// Rows, rising, among which there are independent ones that span all.
    pub rows: Vec<usize>,
    /// Such independent ones.
    pub independent: Vec<usize>,
    /// Coordinates, rising, of which all others are combinations.
    pub coordinates: Vec<usize>,
}

/// Returns what spans all rows, starting from some; nothing if it was halted. Errors if the data cannot be
/// read.
pub(super) fn spanning(
    data: &Passes,
    start: Vec<usize>,
    halt: Halt,
) -> Result<Option<Spanning>, PassError> {
    let dimension = data.shape().columns + 1;
    let residues = Residues::new(Prime(PRIMES[0]));
    let mut rows = start;
    loop {
        let signed = SignedRows::all(&data.fetch(&rows)?);
        let Some(elimination) = Elimination::of_signed_rows(&signed, &residues, halt) else {
            return Ok(None);
        };
        let more = match elimination.nullity() {
            0 => vec![],
            _ => {
                let vector = elimination.random_solution();
                data.fold(OffSpan::new(&vector, &residues, 2 * dimension), halt)?.rows()
            }
        };
        if more.is_empty() {
            let mut coordinates = elimination.unknowns[..elimination.rank()].to_vec();
            coordinates.sort_unstable();
            let independent = elimination.equations.iter().map(|&place| rows[place]).collect();
            return Ok(Some(Spanning { rows, independent, coordinates }));
        }
        rows.extend(more);
        rows.sort_unstable();
        rows.dedup();
    }
}
