//! Labelled rows: what they are ([`samples`], [`Data`], [`FoldQuery`]), how they come and go ([`read`],
//! [`write`](mod@write)), and how the paper makes them up ([`generate`](mod@generate)).
//!
//! The checker of proofs knows the first of these alone: crate `linsep-data`. The crate `linsep-read` has the second.

pub mod generate;
pub mod threads;

pub use linsep_data::*;
pub use linsep_read as read;
pub use linsep_read::{overwrite, whole_file, write};
