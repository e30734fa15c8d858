//! Strategies: each a way to find a hyperplane or a conflict, behind one trait.

mod conditioned;
mod contested;
mod drawn;
mod dual;
mod duplicates;
mod exact;
mod interior;
mod nearest_points;
mod newton;
mod peel;
mod smooth;
mod working_set;

use dashu_int::IBig;
use linsep_proof::Conflict;

use super::budget::Limit;
use super::outcome::Way;
use super::passes::PassError;
use super::plan::{PlanStep, Widening};
use super::search::Search;

pub(crate) use conditioned::Conditioning;
pub(super) use newton::MatrixFound;
pub(crate) use newton::short_weights;

/// A way to find a hyperplane or a conflict.
pub(super) trait Strategy {
    /// Returns what the way is called.
    fn way(&self) -> Way;

    /// Goes on until there is something to prove, or nothing left to do. What is refused by the checker
    /// is taken up again from there. Errors if the data cannot be read.
    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError>;
}

/// What a strategy comes back with.
pub(super) enum Found {
    /// A candidate of the search is worth a proof.
    Candidate,
    /// A hyperplane in integers, the bias last, that seems to separate.
    Integers(Vec<IBig>),
    /// Rows that cancel.
    Conflict(Conflict),
    /// Rows whose matrix rules every separation out.
    Matrix(Box<MatrixFound>),
    /// Nothing.
    GaveUp(GaveUp),
}

/// Why a strategy has come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GaveUp {
    /// A limit that the caller set.
    Limit(Limit),
    /// The passes that the plan gave it are used up, or it cannot get any further.
    Stuck,
    /// There is nothing of the kind that it looks for.
    NotThere,
    /// Floats cannot tell any more.
    FloatsEnd,
}

/// Returns the strategy of a step of the plan. Errors if rows that it needs in memory cannot be read.
pub(super) fn start<'a>(
    step: PlanStep,
    search: &Search<'a>,
) -> Result<Box<dyn Strategy + 'a>, PassError> {
    Ok(match step {
        PlanStep::Duplicates { sums } => Box::new(duplicates::Duplicates::new(sums)),
        PlanStep::Smooth { passes } => Box::new(smooth::Smooth::new(passes)),
        PlanStep::Dual { passes } => Box::new(dual::DualWay::new(search, passes)?),
        PlanStep::WorkingSet(size) => Box::new(working_set::WorkingSet::new(search, size)),
        PlanStep::Newton(size) => Box::new(newton::NewtonSet::new(size)),
        PlanStep::Drawn(size) => Box::new(newton::NewtonSet::drawing(size)),
        PlanStep::Widest(size) => Box::new(interior::InteriorSet::lifted(size)),
        PlanStep::Exact => Box::new(exact::ExactAlternative::default()),
        PlanStep::Ladder(size) => Box::new(working_set::WorkingSet::on_the_ladder(search, size)),
    })
}

/// Returns the strategy that goes on from a separator, found on that way, to the one of largest
/// geometric margin.
pub(super) fn widening(
    step: Widening,
    way: Way,
    separator: crate::Hyperplane,
) -> Box<dyn Strategy> {
    match step {
        Widening::Interior(size) => Box::new(interior::InteriorSet::raw(way, separator, size)),
        Widening::NearestPoints(size) => {
            Box::new(nearest_points::NearestPoints::new(way, separator, size))
        }
    }
}

/// Returns the end that a limit makes, if one has been reached.
fn halted(search: &Search) -> Option<Found> {
    search.budget.limit().map(|limit| Found::GaveUp(GaveUp::Limit(limit)))
}
