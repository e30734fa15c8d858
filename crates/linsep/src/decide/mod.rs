//! The deciding engine: separable, quasi-separable, inseparable or undecided, with a proof.
//!
//! In reading order: [`scan`] is the only thing that touches all the data, [`min_norm_point`],
//! [`smooth`] and, where features outnumber rows, [`dual`] find candidates, [`engine`] puts them
//! together, [`conflict`] makes exact what floats found, [`classify`] tells quasi-separable from
//! inseparable, with the integers of [`face`] or, in larger data, with the help of floats, and
//! [`alternative`] decides small sets exactly where floats are at their end. [`peel`] and
//! [`contested`] are for sparse rows, [`geometric`] finds the nearest points of the two hulls, and
//! [`mod@explain`] says why data is not separable.

pub mod alternative;
mod carried;
pub mod classify;
mod complement;
pub mod conflict;
pub mod contested;
pub mod dual;
pub mod duplicates;
pub mod engine;
mod exact;
pub mod explain;
pub mod face;
pub mod geometric;
mod lbfgs;
pub mod min_norm_point;
mod nearest;
pub mod peel;
mod removal;
mod robust;
mod scaled;
pub mod scan;
pub mod smooth;
mod vertex;
mod wide;

pub use linsep_proof::MarginKind;

pub use engine::{DecideOptions, Decision, MarginGoal, Pass, Verdict, Watch, Way, decide};
pub use explain::{Carried, ExplainOptions, Explanation, Removal, RemovedRow, explain};
