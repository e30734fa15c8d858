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
use linsep::data::error::bytes_for_people;
use linsep::data::read::{self, Loaded, Room};

use crate::args::{DataArgs, StreamArgs, source};
use crate::failure::Failure;
use crate::progress::Bar;

/// Returns what the data is called: the name of its file.
fn name(data: &str) -> String {
    match data {
        "-" => "standard input".to_string(),
        path => std::path::Path::new(path)
            .file_name()
            .map_or_else(|| path.to_string(), |name| name.to_string_lossy().into_owned()),
    }
}

/// Reads the samples that DATA and the data options name.
fn read_samples(data: &str, input: &DataArgs, quiet: bool) -> Result<Samples, Failure> {
    let bar = Bar::new("reading", quiet);
    let samples = read::read(&source(data), &input.options(), &|rows| bar.rows(rows))?;
    bar.clear();
    Ok(samples)
}

/// Reads the rows that DATA and the data options name, or leaves them on the disk.
fn load(data: &str, input: &DataArgs, stream: &StreamArgs, quiet: bool) -> Result<Loaded, Failure> {
    let bar = Bar::new("reading", quiet);
    let (source, options) = (source(data), input.options());
    let progress = |rows| bar.rows(rows);
    let loaded = read::load(&source, &options, stream.place(), &stream.options(), &progress);
    bar.clear();
    let (loaded, short) = loaded?;
    if let Some(Room { needed, free }) = short.filter(|_| !quiet) {
        let [needed, free] = [needed, free].map(bytes_for_people);
        eprintln!(
            "linsep: {data} stays on the disk: it would take about {needed} of {free} of free memory \
             (--stream=no reads it in)"
        );
    }
    Ok(loaded)
}
