//! The deciding engine: separable, quasi-separable, inseparable or undecided, with a proof.
//!
//! ```text
//! engine      asks strategies one after the other, and has proven what they find
//! plan        which strategies, in which order, by the shape of the data
//! strategies  each comes back with a candidate, a conflict, or why it gave up
//!   passes    the one way to read all rows; the journal knows what earlier ones found
//!   folds     what a pass over all rows computes for them
//!   remote    the same for rows on other machines
//!   mirrored  rows of models, shown in such a way that their question is one of separability
//!   solvers   mathematics without data
//!   exact     integers
//! alternative the last resort: integers alone
//! weak        after a conflict: quasi-separable or inseparable
//! certify     candidate or conflict to outcome; asks the checker
//! compromise  a hyperplane with few mistakes, where none separates
//! explain     why not: duplicates, suspects, how many rows must go, what carries a weak separation
//! ```
//!
//! A floating-point threshold is never a verdict: every outcome except undecided carries a proof that
//! the checker has accepted, and a refused one sends the strategy back to work.

mod alternative;
mod budget;
mod certify;
mod compromise;
mod contradiction;
mod engine;
mod exact;
mod explain;
pub(crate) mod folds;
mod journal;
mod mirrored;
mod options;
mod outcome;
mod passes;
mod plan;
pub mod remote;
mod search;
mod solvers;
mod spanning;
mod strategies;
mod view;
mod weak;

#[cfg(feature = "internals")]
pub mod internals;

pub use crate::watch::{Pass, Removing, Watch};
pub use budget::Limit;
pub use compromise::{Compromise, compromise_data};
pub use engine::{DecideError, decide, decide_data, decide_resumable};
pub use explain::{
    Carried, ExplainOptions, Explanation, Removal, RemovedRow, explain, explain_data,
};
pub use journal::{Journal, JournalError};
pub use linsep_proof::{Conflict, MarginBounds, MarginKind, Overlap, RowWeights, Verdict};
pub use options::{ConflictForm, DecideOptions, MarginGoal, OptionError};
pub use outcome::{Closest, Decision, Outcome, Way, WeakSeparator};

pub(crate) use budget::Deadline;
pub(crate) use exact::Halt;
pub(crate) use exact::farkas::{Alternative, Farkas};
pub(crate) use exact::integers::{in_lowest_terms, nullspace, rounded};
pub(crate) use exact::modular::{FloatResidues, PRIMES, Prime};
pub(crate) use exact::span::orthogonal;
pub(crate) use folds::Scorer;
pub(crate) use folds::constants::Constants;
pub(crate) use folds::directions::Directions;
pub(crate) use folds::on_planes::{OnPlanes, OnPlanesState, planes};
pub(crate) use folds::scan::Scan;
pub(crate) use folds::step_size::StepSize;
pub(crate) use mirrored::{Mirror, Mirrored, StandIn};
pub(crate) use search::spread;
pub(crate) use solvers::cholesky::Cholesky;
pub(crate) use solvers::lbfgs;
pub(crate) use solvers::newton::{LogisticNewton, NewtonEnd};
pub(crate) use solvers::{cone_side, half_spaces, min_norm_point, nnls};
pub(crate) use spanning::free;
pub(crate) use strategies::{Conditioning, short_weights};
