//! The commands, one per file.

pub mod decide;
pub mod fit;
pub mod generate;
pub mod manual;
pub mod method;
pub mod predict;
pub mod race;
pub mod reproduce;
pub mod verify;

use linsep::Samples;
use linsep::data::read;

use crate::args::{DataArgs, source};
use crate::failure::Failure;
use crate::progress::Bar;

/// Reads the samples that DATA and the data options name.
fn read_samples(data: &str, input: &DataArgs, quiet: bool) -> Result<Samples, Failure> {
    let bar = Bar::new("reading", quiet);
    let samples = read::read(&source(data), &input.options(), &|rows| bar.rows(rows))?;
    bar.clear();
    Ok(samples)
}
