//! Can one hyperplane tell two classes apart?
//!
//! [`decide()`](decide::decide()) answers, with a proof:
//!
//! ```
//! use linsep::Samples;
//! use linsep::decide::{DecideOptions, Outcome, decide};
//!
//! // 100 is negative, 101 is positive.
//! let samples = Samples::dense(vec![100.0, 101.0], 1, vec![false, true])?;
//! match decide(&samples, &DecideOptions::default(), &mut ())?.outcome {
//!     Outcome::Separable { hyperplane, .. } => println!("{:?}", hyperplane.weights),
//!     Outcome::QuasiSeparable { conflict, .. } | Outcome::Inseparable { conflict, .. } => {
//!         println!("rows {:?} rule it out", conflict.rows());
//!     }
//!     other => println!("{other:?}"),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The path of data is the order of reading: [`Samples`] are read ([`data`]), [`lift`]ed, learned from by
//! an [`online`] method or [decided](mod@decide), [proven](proof). Rows that are not
//! in memory are [`Data`](data::Data), which [`decide_data`](decide::decide_data) takes.
//!
//! | word | meaning |
//! |---|---|
//! | lifted | a row as a point z = y (x, 1) / ‖(x, 1)‖ on the unit sphere; a separating w has w·z > 0 for all |
//! | conflict | rows with positive multipliers that cancel: no hyperplane puts all of them strictly on their own sides |
//! | face | the rows that lie on every weak separator: all if inseparable, none if separable |
//! | pass, fold | one read of all rows, and what it computes |
//!
//! ARCHITECTURE.md has the other words, and the floor plan.
//!
//! ## Features
//!
//! - `columnar`: reads Parquet and Arrow files.
//! - `lp`: the rival that solves a linear program.
//! - `png`: charts as PNG.
//! - `internals`: what benchmarks measure by itself; no part of the interface.

pub mod ask;
mod asked;
pub mod audit;
pub mod classes;
mod content;
pub mod cover;
pub mod data;
pub mod decide;
pub mod distances;
pub mod hyperplane;
pub mod kernels;
pub mod lift;
pub mod models;
pub mod online;
pub mod picture;
pub mod race;
mod random;
pub mod saved;
pub mod soft_margin;
mod standard;
mod standardised;
pub mod watch;

pub use hyperplane::{Evaluation, Hyperplane, Margin};
pub use linsep_data::{Error, Samples};
pub use linsep_proof as proof;
pub use watch::Watch;

/// The Rust in the README is run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
