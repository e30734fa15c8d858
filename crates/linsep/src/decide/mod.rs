//! The deciding engine: separable, quasi-separable, inseparable or undecided, with a proof.
//!
//! In reading order: [`scan`] is the only thing that touches all the data, [`min_norm_point`] and
//! [`smooth`] find candidates, [`engine`] puts them together, [`conflict`] makes exact what floats
//! found, [`classify`] tells quasi-separable from inseparable, with the integers of [`face`], and
//! [`alternative`] decides small sets exactly where floats are at their end. [`mod@explain`] says why
//! data is not separable.

pub mod alternative;
mod carried;
pub mod classify;
pub mod conflict;
pub mod duplicates;
pub mod engine;
mod exact;
pub mod explain;
pub mod face;
pub mod min_norm_point;
mod removal;
mod robust;
mod scaled;
pub mod scan;
pub mod smooth;
mod vertex;

pub use engine::{DecideOptions, Decision, MarginGoal, Pass, Verdict, Watch, Way, decide};
pub use explain::{Carried, ExplainOptions, Explanation, Removal, RemovedRow, explain};
