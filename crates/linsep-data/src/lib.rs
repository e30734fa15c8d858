//! Labelled samples, dense or sparse, and how they are read.
//!
//! In reading order: [`samples`] says what a sample is, [`Data`] shows samples in blocks, wherever
//! they are, [`Kept`] makes bytes of what is found in them, [`read`] brings them in from a file,
//! [`generate`](mod@generate) makes them up as the
//! paper does, [`write`](mod@write) puts them out, in a [`whole_file`] or none, and [`kernels`] holds the loops.

mod data;
pub mod error;
pub mod generate;
mod integer;
pub mod kept;
pub mod kernels;
mod memory;
pub mod overwrite;
pub mod read;
pub mod samples;
pub mod threads;
pub mod whole_file;
pub mod write;

pub use data::{Absorb, Block, Data, Fold, Memory, Reads, Shape, fold};
pub use error::{Error, ErrorKind};
pub use kept::Kept;
pub use memory::require as require_memory;
pub use samples::{Features, Samples};
