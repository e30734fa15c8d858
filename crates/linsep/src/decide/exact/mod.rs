//! Integers: exact linear algebra on rows of finite floats.
//!
//! In reading order: `rows` are the rows y (x, 1) as they stand, `integers` makes integers of them,
//! `conflict` combines rows to zero with the help of `equations`, `modular` elimination, p-adic
//! `lifting` and fractions `reconstruct`ed from residues, `farkas` decides some hundreds of rows by itself,
//! and `span` tells what rows leave free.

pub(crate) use linsep_data::Halt;

pub(super) mod conflict;
pub(super) mod equations;
pub(super) mod farkas;
pub(super) mod integers;
pub(super) mod lifting;
pub(super) mod modular;
pub(super) mod reconstruct;
pub(super) mod rows;
pub(super) mod span;
