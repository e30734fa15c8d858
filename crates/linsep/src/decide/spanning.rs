//! Rows that span all rows, and coordinates that all others are combinations of: exactly, or with a chance
//! of 2^-58 too few of either.
//!
//! ```text
//! repeat   eliminate some rows modulo a prime: which are independent, and a vector orthogonal to them
//!          a pass: rows with a product that is not zero are off their span, and join
//! ```
//!
//! Where no chance may be taken, all rows are then held against what the independent ones leave free, in
//! integers: one that is not orthogonal to it is independent as well.

use dashu_int::IBig;
use linsep_data::Data;

use super::exact::Halt;
use super::exact::equations::IntegerScale;
use super::exact::integers::{in_lowest_terms, nullspace};
use super::exact::modular::{Elimination, FloatResidues, PRIMES, Prime};
use super::exact::rows::SignedRows;
use super::exact::span::orthogonal;
use super::folds::off_span::OffSpan;
use super::folds::on_planes::{OnPlanes, planes};
use super::passes::{PassError, Passes};

/// What spans all rows.
#[derive(Clone, Debug)]
pub(super) struct Spanning {
    /// Rows, rising, among which there are independent ones that span all.
    pub rows: Vec<usize>,
    /// Such independent ones.
    pub independent: Vec<usize>,
    /// Coordinates, rising, that all others are combinations of.
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
    let residues = FloatResidues::new(Prime(PRIMES[0]));
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
                data.fold(OffSpan::new(vector, Prime(PRIMES[0]), 2 * dimension), halt)?.rows()
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

/// Rows, and integer vectors.
type RowsAndVectors = (Vec<usize>, Vec<Vec<IBig>>);

/// Returns independent rows that span all rows, and a basis of what all are orthogonal to; nothing if it
/// was halted. Unlike ranks modulo a prime this is certain. Errors if the data cannot be read.
pub(super) fn basis(
    data: &Passes,
    start: Vec<usize>,
    halt: Halt,
) -> Result<Option<RowsAndVectors>, PassError> {
    let Some(all) = spanning(data, start, halt)? else {
        return Ok(None);
    };
    let mut basis = all.independent;
    loop {
        let Some(vectors) = orthogonal_to(data, &basis, halt)? else {
            return Ok(None);
        };
        let off = match vectors.is_empty() {
            true => vec![],
            false => match data.fold_until(OnPlanes::new(planes(&vectors), 1), halt)? {
                Some(found) => found.off,
                None => return Ok(None),
            },
        };
        if off.is_empty() {
            return Ok(Some((basis, vectors)));
        }
        basis.extend(off);
    }
}

/// Returns a basis of what all rows are orthogonal to, given independent ones that span all; nothing if it
/// was halted. Errors if the data cannot be read.
pub(super) fn orthogonal_to(
    data: &Passes,
    basis: &[usize],
    halt: Halt,
) -> Result<Option<Vec<Vec<IBig>>>, PassError> {
    let rows = SignedRows::all(&data.fetch(basis)?);
    if rows.len() == rows.dimension {
        return Ok(Some(vec![]));
    }
    let scale = IntegerScale::new(&rows);
    let integers: Vec<Vec<IBig>> = (0..rows.len()).map(|k| scale.integers(&rows, k)).collect();
    if halt() {
        return Ok(None);
    }
    // Rows that are independent may not be so modulo the prime.
    let found = orthogonal(&integers, rows.dimension, halt)
        .or_else(|| nullspace(integers, rows.dimension, halt));
    let unscaled = |v: Vec<IBig>| in_lowest_terms(scale.weights(v));
    Ok(found.map(|vectors| vectors.into_iter().map(unscaled).collect()))
}

/// Returns a basis of what all rows (x, 1) are orthogonal to. The search starts from some rows. Nothing if it was
/// halted. Errors if the data cannot be read.
///
/// So many dimensions are known to be left free by all rows; if some rows leave no more, then so do all, and
/// nothing is returned for them.
///
/// Cost: passes modulo a prime and, if the rows leave more free, one in integers.
pub(crate) fn free(
    data: &dyn Data,
    start: Vec<usize>,
    known: usize,
    halt: Halt,
) -> Result<Option<Vec<Vec<IBig>>>, PassError> {
    if known > 0 {
        let signed = SignedRows::all(&data.fetch(&start)?);
        let residues = FloatResidues::new(Prime(PRIMES[0]));
        match Elimination::of_signed_rows(&signed, &residues, halt) {
            None => return Ok(None),
            Some(elimination) if elimination.nullity() <= known => return Ok(Some(vec![])),
            Some(_) => {}
        }
    }
    let found = basis(&Passes::new(data), start, halt)?;
    Ok(found.map(|(_, vectors)| vectors))
}

#[cfg(test)]
mod tests {
    use linsep_data::samples::{Dense, LabelNames, Labels, Missing};

    use super::super::mirrored::{Mirror, Mirrored};
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::kernels::power_of_two;

    /// The rows are mirrored, which adds nothing to what they span but the bias.
    fn check(rows: &[&[f64]], expected: &str) {
        let features = Dense::new(rows.concat(), rows.len(), expected.len()).into();
        let labels = Labels { positive: vec![true; rows.len()], names: LabelNames::default() };
        let samples = Samples::part(features, labels, Missing::Refuse).unwrap();
        let memory = Memory::new(&samples);
        let mirror = Mirror { doubled: true, ..Mirror::default() };
        let mirrored = Mirrored::new(&memory, mirror);
        assert!(free(&mirrored, vec![0], 0, &|| true).unwrap().is_none());
        let vectors = free(&mirrored, vec![0], 0, &|| false).unwrap().unwrap();
        let known = |k: usize| vectors.iter().all(|v| v[k].is_zero());
        let found: String = (0..expected.len()).map(|k| if known(k) { 'x' } else { '-' }).collect();
        // As many as are free need not be looked for, unless the prime hides what rows span.
        let all: Vec<usize> = (0..2 * rows.len()).collect();
        let few = free(&mirrored, all, vectors.len().max(1), &|| false).unwrap().unwrap();
        assert!(few.is_empty() || few.len() == vectors.len());
        assert_eq!(found, expected, "{rows:?}");
    }

    #[test]
    fn which_unit_vectors_rows_span() {
        check(&[&[0.0, 0.0]], "--");
        check(&[&[1.0, 2.0], &[2.0, 4.0]], "--");
        check(&[&[0.0, 5.0, 0.0], &[1.0, 1.0, 1.0]], "-x-");
        check(&[&[1.0, 0.0, 1.0], &[0.0, 1.0, 1.0], &[1.0, 1.0, 3.0]], "xxx");
    }

    #[test]
    fn floats_are_taken_as_they_are() {
        check(&[&[0.1, 0.2, 1e-300], &[0.2, 0.4, 2e-300]], "---");
        check(&[&[1.0, 2.0], &[2.0, 4.0 + power_of_two(-50)]], "xx");
        check(&[&[1.0, 2.0], &[2.0, 4.0 + power_of_two(-49)], &[1e300, 5e-324]], "xx");
        // 0.1 (1, 2, 3) and (0.1, 0.2, 0.3) differ, at the end alone.
        check(&[&[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3]], "--x");
        check(&[&[1.0, 2.0, 3.0], &[0.1, 0.2, 0.3], &[1.0, 1.0, 2.0]], "xxx");
        check(&[&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0], &[1.0, 1.0, 2.0]], "---");
    }

    #[test]
    fn no_prime_fools_it() {
        // Rows (1, -h) and (1, l) are independent, and not so modulo the prime h + l.
        for prime in PRIMES.into_iter().chain([(1 << 31) - 1, (1 << 31) - 19, (1 << 61) - 1]) {
            let (low, high) = (prime & ((1 << 20) - 1), prime >> 20 << 20);
            let (low, high) = (low as f64, high as f64);
            check(&[&[1.0, -high], &[1.0, low]], "xx");
            check(&[&[1.0, -high, 0.0], &[1.0, low, 0.0], &[2.0, 0.0, 0.0]], "xx-");
            check(&[&[0.0, 1.0, -high], &[0.0, 1.0, low]], "-xx");
        }
    }
}
