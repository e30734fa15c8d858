//! Can one hyperplane tell two classes apart?
//!
//! The path of data is the order of reading: [`Samples`] are read, [`lift`]ed, learned from by an
//! [`online`] method, and the [`Hyperplane`] that comes out is reported.

pub mod decide;
pub mod experiments;
pub mod hyperplane;
pub mod lift;
pub mod model;
pub mod models;
pub mod online;
pub mod race;
mod random;
pub mod report;

pub use hyperplane::{Evaluation, Hyperplane, Margin};
pub use linsep_data as data;
pub use linsep_data::{Error, Samples};
pub use linsep_proof as proof;

/// The Rust in the README is run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
