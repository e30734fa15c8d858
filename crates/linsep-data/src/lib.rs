//! Labelled samples, dense or sparse, and how they are read.
//!
//! In reading order: [`samples`] says what a sample is, [`Data`] shows samples in blocks, wherever
//! they are, [`query`] says what can be asked of them, [`read`] brings them in from a file,
//! [`generate`](mod@generate) makes them up as the
//! paper does, [`write`](mod@write) puts them out, in a [`whole_file`] or none, and [`kernels`] holds the loops.

mod data;
pub mod error;
pub mod generate;
pub mod hash;
mod integer;
pub mod kernels;
mod memory;
pub mod overwrite;
pub mod query;
pub mod read;
pub mod samples;
pub mod threads;
pub mod whole_file;
pub mod write;

pub use data::{Absorb, Block, Data, Memory, Reads, Shape};
pub use error::{Error, ErrorKind};
pub use memory::require as require_memory;
pub use query::{Answerable, AnyState, FoldQuery, PassQuery, fold, fold_until};
pub use samples::{Features, Samples};
