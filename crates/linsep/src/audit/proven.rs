//! What can be proven about suspects: whether the rows are separable, which rows stand in the way, and what
//! single rows cost the margin.
//!
//! ```text
//! separable      weight of a row    its share of the rows that bound the largest margin from above
//!                margin without it  the same bracket if that share is zero, since the bound holds for the rest
//!                                   too; else decided again without the row
//! not separable  rows without which the rest is separable
//! both           are the rows separable without the suspects, and with which margin?
//! ```

use crate::Samples;
use crate::data::Features;
use crate::decide::{
    Deadline, DecideOptions, Decision, ExplainOptions, Explanation, Limit, MarginBounds,
    MarginGoal, Removal, Verdict, decide, explain,
};
use crate::proof::WeightedRow;
use crate::watch::{Stage, Watch};

/// Rows that are left out one by one unless a number is asked for, and values beyond which none are.
const LEFT_OUT: usize = 10;
const FEW_VALUES: usize = 1_000_000;
/// Values beyond which the largest margin is not looked for: any hyperplane says whether rows are separable.
const MANY_VALUES: usize = 4_000_000;
/// How close the bounds on a margin are to come. More would take longer and say no more about a label.
const GAP: f64 = 1e-3;

/// What was proven about the rows of two classes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proven {
    /// Whether a hyperplane separates all rows.
    pub decision: Decision,
    /// Rows without which the rest is separable, where not all rows are.
    pub removal: Option<Removal>,
    /// Whether a hyperplane separates all rows but the suspects; none if there are no suspects, or if they are
    /// a whole class.
    pub without_suspects: Option<Decision>,
}

/// What a row costs the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Its share of the weights that bound the largest margin: zero if the margin does not depend on it.
    pub weight: f64,
    /// Bounds on the largest margin without it; none if they were not asked for.
    pub without: Option<MarginBounds>,
}

/// Returns what is proven about rows and these suspects among them, and what each row costs the margin if all are
/// separable; none if there was no time even to begin.
pub(super) fn prove(
    samples: &Samples,
    suspects: &[usize],
    left_out: Option<usize>,
    work: &Deadline,
    watch: &dyn Watch,
) -> Option<(Proven, Vec<Cost>)> {
    if work.halted() {
        return None;
    }
    watch.stage(&Stage::Deciding);
    let decision = decided(samples, work)?;
    let removal = match decision.is_ruled_out() {
        true => {
            watch.stage(&Stage::Explaining);
            let options = ExplainOptions { time_limit: work.left() };
            let Explanation { removal, .. } = explain(samples, &decision, &options, &mut &*work);
            removal
        }
        false => None,
    };
    let few = values(samples) <= FEW_VALUES;
    let left_out = left_out.unwrap_or(if few { LEFT_OUT } else { 0 }).min(suspects.len());
    let costs = costs(samples, &decision, &suspects[..left_out], work, watch);
    let rest = samples.without_rows(suspects).ok().filter(|_| !suspects.is_empty());
    let without_suspects = rest.and_then(|rest| decided(&rest, work));
    Some((Proven { decision, removal, without_suspects }, costs))
}

/// Returns the number of values that rows store.
fn values(samples: &Samples) -> usize {
    match samples.features() {
        Features::Sparse(matrix) => matrix.stored(),
        _ => samples.rows().saturating_mul(samples.columns()),
    }
}

fn decided(samples: &Samples, work: &Deadline) -> Option<Decision> {
    let many = values(samples) > MANY_VALUES;
    let options = DecideOptions::default()
        .with_margin(if many { MarginGoal::Any } else { MarginGoal::Max })
        .with_gap(GAP)
        .with_time_limit(work.left());
    decide(samples, &options, &mut &*work).ok().filter(|d| d.because() != Some(Limit::Cancelled))
}

/// Returns what each row costs the margin, if the samples are separable.
fn costs(
    samples: &Samples,
    decision: &Decision,
    left_out: &[usize],
    work: &Deadline,
    watch: &dyn Watch,
) -> Vec<Cost> {
    let bound = decision.proof().and_then(|proof| proof.margin.as_ref());
    let Some(bound) = bound.filter(|_| decision.verdict() == Some(Verdict::Separable)) else {
        return vec![];
    };
    // The bound holds without the rows that have no part in it.
    let free = Cost { weight: 0.0, without: Some(decision.margin()) };
    let mut costs = vec![free; samples.rows()];
    // A proof counts rows from 1, and weighs them as they are; what they cost is a matter of lifted rows.
    let lifted = |row: &WeightedRow| row.weight * samples.norms()[row.row - 1];
    let total: f64 = bound.upper_rows.iter().map(lifted).sum();
    for row in bound.upper_rows.iter().filter(|row| row.weight > 0.0) {
        costs[row.row - 1] = Cost { weight: lifted(row) / total, without: None };
    }
    let weighty: Vec<usize> =
        left_out.iter().copied().filter(|&row| costs[row].weight > 0.0).collect();
    for (done, &row) in weighty.iter().enumerate() {
        if work.halted() {
            break;
        }
        watch.stage(&Stage::LeavingOut { rows: done, of: weighty.len() });
        let rest = samples.without_rows(&[row]).ok();
        costs[row].without = rest.and_then(|rest| decided(&rest, work)).map(|d| d.margin());
    }
    costs
}
