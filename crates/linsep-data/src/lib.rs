//! Labelled samples, dense or sparse: what a row is.
//!
//! In reading order: [`samples`] says what a sample is, [`Data`] shows samples in blocks, wherever
//! they are, [`Kept`] makes bytes of what is found in them, and [`error`](mod@error) says what can be wrong with
//! data, and where. Nothing here reads a file, and no code is unsafe: the checker of proofs stands on this crate.
#![forbid(unsafe_code)]

mod data;
pub mod error;
pub mod integer;
pub mod kept;
pub mod memory;
pub mod samples;

pub use data::{Absorb, Block, Data, Fold, Memory, Reads, Shape, fold, rows_per_block};
pub use error::{Error, ErrorKind};
pub use kept::Kept;
pub use memory::require as require_memory;
pub use samples::{Features, Samples};
