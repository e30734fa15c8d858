//! What benchmarks measure by itself. No part of the interface: it may change with any release.

use linsep_data::{Data, Error};

use super::exact::conflict::{Solution, solve};
use super::exact::rows::SignedRows;
use super::folds::Scorer;
use super::folds::scan::Scan;
use super::solvers::interior_point::Interior;
use super::solvers::min_norm_point::Corral;
use crate::Samples;
use crate::lift::Rows;
use crate::queries::fold;

/// Returns the number of rows in the exact conflict of all rows and the bits of its largest multiplier,
/// or the rows whose multiplier has the wrong sign.
pub fn exact_conflict(samples: &Samples) -> Result<(usize, usize), Vec<usize>> {
    use dashu_int::ops::BitTest;
    let rows = SignedRows::all(samples);
    match solve(&rows, &vec![1.0; rows.len()], &|| false) {
        Solution::Proven(found) => {
            let bits = found.iter().map(|(_, multiplier)| multiplier.bit_len()).max();
            Ok((found.len(), bits.unwrap_or(0)))
        }
        Solution::MixedSigns { wrong, .. } => Err(wrong),
        Solution::Independent | Solution::Halted => Err(vec![]),
    }
}

/// Returns the smallest norm in the hull of the lifted rows, by an active set.
pub fn norm_by_active_set(samples: &Samples) -> f64 {
    let rows = Rows::lifted(samples);
    let points: Vec<Vec<f64>> = (0..rows.len()).map(|i| rows.vector(i)).collect();
    let ids: Vec<usize> = (0..rows.len()).collect();
    let mut corral = Corral::new(rows.dimension());
    corral.solve(&ids, &points, &|| false);
    corral.norm()
}

/// Returns the same by the interior point method, within this share of itself.
pub fn norm_by_interior_point(samples: &Samples, share: f64) -> f64 {
    let rows = Rows::lifted(samples);
    let mut interior = Interior::new(rows.dimension(), false);
    (0..rows.len()).for_each(|i| interior.add(true, rows.vector(i)));
    interior.run(share, &|| false);
    interior.upper()
}

/// Returns the mistakes of w and how many rows of smallest score were found. Costs a pass.
pub fn scan(data: &dyn Data, w: Vec<f64>, keep: usize) -> Result<(u64, usize), Error> {
    let report = fold(data, &Scan::new(Scorer::Lifted(w), keep))?.report();
    Ok((report.mistakes, report.worst.len()))
}
