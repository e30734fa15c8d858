//! Why data is not separable: what people who look for wrong labels want to see first.
//!
//! In reading order: `duplicates.rs` finds rows that contradict each other outright, `robust.rs` a
//! hyperplane with few mistakes, `removal.rs` makes of them a small set of rows without which the
//! rest is separable, and `carried.rs` says what separates quasi-separable data.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dashu_int::IBig;
use linsep_proof::proof::Claim;

use super::carried::carried;
use super::duplicates::contradictions;
use super::engine::{Decision, Watch};
use super::removal::removal;
use crate::{Hyperplane, Samples};

/// How long to look for an explanation.
#[derive(Clone, Debug, Default)]
pub struct ExplainOptions {
    /// The time after which the best so far is returned; default none.
    pub time_limit: Option<Duration>,
}

/// Why data is not separable. Rows and features are counted from 0.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Groups of identical rows that stand under both labels, rows rising.
    pub contradictions: Vec<Vec<usize>>,
    /// Rows without which the rest is separable; none if the data is separable or undecided, or if no
    /// such rows were found before a limit that leave both classes.
    pub removal: Option<Removal>,
    /// What carries the separation of quasi-separable data.
    pub carried_by: Option<Carried>,
}

/// Rows without which the rest is separable. There may be a smaller set: to find the smallest is
/// NP-hard, and this one is found by descent.
#[derive(Clone, Debug)]
pub struct Removal {
    /// The rows, the most suspicious first.
    pub rows: Vec<RemovedRow>,
    /// True if none of the rows can be put back: with any of them the rest is proven not to be
    /// separable.
    pub irreducible: bool,
    /// A hyperplane that separates the rest: the checker has accepted it.
    pub hyperplane: Hyperplane,
}

/// A row that stands in the way of a separation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemovedRow {
    /// The row.
    pub row: usize,
    /// How far it lies on the wrong side of the hyperplane that separates the rest, in the units of
    /// the data; negative in the rare case that it lies on its own side.
    pub distance: f64,
}

/// What separates quasi-separable data: a hyperplane that has no row on the wrong side, and some
/// rows strictly on their own. Its numbers are exact.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The features with a weight that is not zero.
    pub features: Vec<usize>,
    /// The rows that lie strictly on their own side, rising. All others lie on the hyperplane.
    pub rows: Vec<usize>,
    /// One integer weight a feature.
    pub weights: Vec<IBig>,
    /// The integer bias.
    pub bias: IBig,
}

/// Returns why `samples` are not separable, which `decision` has found out. Of separable data there
/// is nothing to explain.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::{DecideOptions, ExplainOptions, decide, explain};
///
/// // The row at 5 has the wrong label.
/// let labels = vec![false, false, false, true, true, false];
/// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1, labels)?;
/// let decision = decide(&samples, &DecideOptions::default(), &mut ());
/// let explanation = explain(&samples, &decision, &ExplainOptions::default(), &mut ());
/// let removal = explanation.removal.unwrap();
/// assert_eq!(removal.rows.len(), 1);
/// assert_eq!(removal.rows[0].row, 5);
/// assert!(removal.irreducible);
/// # Ok::<(), linsep::Error>(())
/// ```
pub fn explain(
    samples: &Samples,
    decision: &Decision,
    options: &ExplainOptions,
    watch: &mut dyn Watch,
) -> Explanation {
    if decision.conflict.is_empty() {
        return Explanation::default();
    }
    let until = options.time_limit.map(|limit| Instant::now() + limit);
    let limits = Limits { until, cancelled: watch.cancelled() };
    let carried_by = match decision.proof.as_ref().map(|proof| &proof.claim) {
        Some(Claim::QuasiSeparable { weights, bias, .. }) => {
            Some(carried(samples, weights, bias, &limits))
        }
        _ => None,
    };
    let contradictions = contradictions(samples);
    Explanation { contradictions, removal: removal(samples, &limits), carried_by }
}

/// When to stop.
pub(super) struct Limits<'a> {
    pub until: Option<Instant>,
    pub cancelled: Option<&'a AtomicBool>,
}

impl Limits<'_> {
    /// Returns true if it is time to stop.
    pub fn halted(&self) -> bool {
        let cancelled = self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed));
        cancelled || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Returns the time that is left.
    pub fn left(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }
}

/// A decision within these limits looks at the same flag.
impl Watch for &Limits<'_> {
    fn cancelled(&self) -> Option<&AtomicBool> {
        self.cancelled
    }
}
