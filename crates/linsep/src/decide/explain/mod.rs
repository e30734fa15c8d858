//! Why data is not separable: what people who look for wrong labels want to see first.
//!
//! In reading order: `contradiction.rs` above finds rows that contradict each other outright, `robust.rs` a
//! hyperplane with few mistakes, `removal.rs` makes of them a small set of rows without which the
//! rest is separable, `packing.rs` proves that many of them have to go, with conflicts that share no row, which
//! `negotiation.rs` looks for, and `carried.rs` says what separates quasi-separable data.

mod carried;
mod negotiation;
mod packing;
mod removal;
mod robust;
mod scaled;

use std::time::Duration;

use linsep_data::{Data, Error};
use linsep_proof::{Conflict, RemovalClaim};

use super::budget::Deadline;
use super::contradiction::contradictions;
use super::options::DecideOptions;
use super::outcome::{Decision, Outcome, WeakSeparator};
use crate::watch::Watch;
use crate::{Hyperplane, Samples};
use carried::carried;
use removal::removal;

/// How long to look for an explanation.
#[derive(Clone, Debug, Default)]
pub struct ExplainOptions {
    /// The time after which the best so far is returned; default none.
    pub time_limit: Option<Duration>,
}

impl ExplainOptions {
    /// Returns the options with the time that a decision has left of its own limit: one limit for both.
    pub fn after(decision: &Decision, options: &DecideOptions) -> Self {
        let spent = Duration::from_secs_f64(decision.seconds);
        ExplainOptions { time_limit: options.time_limit.map(|limit| limit.saturating_sub(spent)) }
    }
}

/// Why data is not separable. Rows and features are counted from 0.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Groups of identical rows that stand under both labels, rows rising.
    pub contradictions: Vec<Vec<usize>>,
    /// Rows without which the rest is separable; none if the data is separable or no conflict is known, or
    /// if no such rows leave both classes. At a limit they are the fewest that were found by then.
    pub removal: Option<Removal>,
    /// What carries the separation of quasi-separable data.
    pub carried_by: Option<Carried>,
}

impl Explanation {
    /// Returns the same explanation with other numbers for its rows.
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        self.contradictions.iter_mut().flatten().for_each(|row| *row = number(*row));
        if let Some(removal) = &mut self.removal {
            removal.rows.iter_mut().for_each(|removed| removed.row = number(removed.row));
            for conflict in &mut removal.conflicts {
                *conflict = std::mem::take(conflict).renumbered(&number);
            }
        }
        if let Some(carried) = &mut self.carried_by {
            carried.rows.iter_mut().for_each(|row| *row = number(*row));
        }
        self
    }

    /// Puts between how many rows must go into the proof of the decision that it explains. The checker has accepted it.
    pub fn extend_proof(&self, decision: &mut Decision) {
        let proof = match &mut decision.outcome {
            Outcome::Separable { .. } => None,
            Outcome::QuasiSeparable { proof, .. } | Outcome::Inseparable { proof, .. } => {
                Some(proof)
            }
            Outcome::Undecided { proof, .. } => proof.as_mut(),
        };
        if let (Some(proof), Some(removal)) = (proof, &self.removal) {
            proof.removal = None;
            *proof = proof.clone().with_removal(removal.claim());
        }
    }
}

/// Rows without which the rest is separable, and how many have to go at least. To find the smallest set is NP-hard:
/// this one is found by descent, and is a smallest one if the two numbers are the same.
#[derive(Clone, Debug)]
pub struct Removal {
    /// The rows, the most suspicious first.
    pub rows: Vec<RemovedRow>,
    /// True if none of the rows can be put back: with any of them the rest is proven not to be
    /// separable.
    pub irreducible: bool,
    /// A hyperplane that separates the rest: the checker has accepted it.
    pub hyperplane: Hyperplane,
    /// How many rows have to go at least, whichever they are: as many as there are conflicts.
    pub at_least: usize,
    /// Disjoint conflicts (no two share a row): the checker has accepted them.
    pub conflicts: Vec<Conflict>,
}

impl Removal {
    /// Returns how many rows have to go at most: as many as are named.
    pub fn at_most(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if it is proven that no smaller set exists.
    pub fn smallest(&self) -> bool {
        self.at_least == self.rows.len()
    }

    /// Returns what a proof file says of it. Rows rise.
    pub fn claim(&self) -> RemovalClaim {
        let mut rows: Vec<usize> = self.rows.iter().map(|removed| removed.row).collect();
        rows.sort_unstable();
        let plane = (self.hyperplane.weights.clone(), self.hyperplane.bias);
        RemovalClaim::new(&rows, plane, &self.conflicts)
    }
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

/// What separates quasi-separable data: a hyperplane that puts no row on the wrong side, and some
/// rows strictly on their own. Its numbers are exact.
#[derive(Clone, Debug)]
pub struct Carried {
    /// The features with a weight that is not zero.
    pub features: Vec<usize>,
    /// The rows that lie strictly on their own side, rising. All others lie on the hyperplane.
    pub rows: Vec<usize>,
    /// Whether negative rows are among them, and whether positive ones are.
    pub classes: [bool; 2],
    /// The hyperplane.
    pub separator: WeakSeparator,
    /// The value of the feature on the hyperplane, where it is one feature alone.
    pub border: Option<f64>,
}

/// Returns why data is not separable, wherever it is; none if its rows do not fit in memory, where they have to
/// be to tell.
///
/// Errors if they cannot be read.
pub fn explain_data(
    data: &dyn Data,
    decision: &Decision,
    options: &ExplainOptions,
    watch: &mut dyn Watch,
) -> Result<Option<Explanation>, Error> {
    if !decision.is_ruled_out() {
        return Ok(Some(Explanation::default()));
    }
    Ok(data.gather()?.map(|samples| explain(samples, decision, options, watch)))
}

/// Returns why `samples` are not separable, which `decision` has found out. Of separable data, and where
/// no conflict is known, there is nothing to explain.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::{DecideOptions, ExplainOptions, decide, explain};
///
/// // The row at 5 has the wrong label.
/// let labels = vec![false, false, false, true, true, false];
/// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1, labels)?;
/// let decision = decide(&samples, &DecideOptions::default(), &mut ())?;
/// let explanation = explain(&samples, &decision, &ExplainOptions::default(), &mut ());
/// let removal = explanation.removal.unwrap();
/// assert_eq!(removal.rows.len(), 1);
/// assert_eq!(removal.rows[0].row, 5);
/// // No smaller set would do, and that is proven.
/// assert_eq!(removal.at_least, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(
    samples: &Samples,
    decision: &Decision,
    options: &ExplainOptions,
    watch: &mut dyn Watch,
) -> Explanation {
    if !decision.is_ruled_out() {
        return Explanation::default();
    }
    let watch = &*watch;
    let deadline = Deadline::new(options.time_limit, watch.cancelled());
    let carried_by = match &decision.outcome {
        Outcome::QuasiSeparable { separator, .. } => Some(carried(samples, separator, &deadline)),
        _ => None,
    };
    let contradictions = contradictions(samples);
    let removal = removal(samples, decision, &contradictions, &deadline, watch);
    Explanation { contradictions, removal, carried_by }
}
