//! Labelled samples, dense or sparse, and how they are read.
//!
//! In reading order: [`samples`] says what a sample is, [`read`] brings it in from a file,
//! [`generate`](mod@generate) makes it up as the paper does, [`write`](mod@write) puts it out, and
//! [`kernels`] holds the loops.

pub mod error;
pub mod generate;
pub mod kernels;
pub mod read;
pub mod samples;
pub mod write;

pub use error::{Error, ErrorKind};
pub use samples::{Features, Samples};
