//! Labelled samples, dense or sparse: what a row is.
//!
//! In reading order: [`samples`] says what a sample is, [`Data`] shows samples in blocks, wherever
//! they are, [`query`] says what can be asked of them, and [`error`](mod@error) says what can be wrong with
//! data, and where. Nothing here reads a file, and no code is unsafe: the checker of proofs stands on this crate.
#![forbid(unsafe_code)]

mod data;
pub mod error;
pub mod hash;
pub mod integer;
pub mod memory;
pub mod query;
pub mod samples;

pub use data::{Absorb, Block, Data, Halt, Memory, Reads, Shape, rows_per_block};
pub use error::{Error, ErrorKind};
pub use memory::require as require_memory;
pub use query::{Answerable, AnyState, FoldQuery, PassQuery, fold, fold_until};
pub use samples::{Features, Samples};
