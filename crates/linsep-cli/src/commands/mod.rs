//! The commands, one per file: arguments become a question, the library answers it, and the answer is shown.

pub mod audit;
pub mod decide;
pub mod fit;
pub mod generate;
pub mod manual;
pub mod method;
pub mod predict;
pub mod race;
pub mod reproduce;
pub mod separation;
pub mod verify;

use linsep::Samples;
use linsep::data::ErrorKind;
use linsep::data::error::bytes_for_people;
use linsep::data::read::{self, Loaded, Room};
use linsep::data::samples::Classes;

use crate::args::{DataArgs, StreamArg, StreamArgs, source};
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
    if !input.classes.is_empty() {
        return chosen(data, input, quiet);
    }
    let bar = Bar::new("reading", quiet);
    let options = input.options();
    let progress = |rows| bar.rows(rows, options.meter.share(rows));
    let samples = read::read(&source(data), &options, &progress)?;
    bar.clear();
    Ok(samples)
}

/// Reads the rows that DATA and the data options name, or leaves them on the disk.
fn load(data: &str, input: &DataArgs, stream: &StreamArgs, quiet: bool) -> Result<Loaded, Failure> {
    if !input.classes.is_empty() {
        if matches!(stream.stream, StreamArg::Yes) {
            let message = "--classes needs all rows in memory, where --stream does not put them";
            return Err(Failure::usage(message.to_string(), None));
        }
        return Ok(Loaded::Memory(Box::new(chosen(data, input, quiet)?)));
    }
    let bar = Bar::new("reading", quiet);
    let (source, options) = (source(data), input.options());
    let progress = |rows| bar.rows(rows, options.meter.share(rows));
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

/// Reads the rows of the chosen classes, which are to be two unless one is set against the others.
fn chosen(data: &str, input: &DataArgs, quiet: bool) -> Result<Samples, Failure> {
    let (samples, classes) = read_classes(data, input, quiet)?;
    let positive = match &input.positive {
        Some(wanted) => classes.find(wanted)?,
        None if classes.count() == 2 => 1,
        None => {
            let (count, examples) = (classes.count(), classes.names().to_vec());
            return Err(linsep::Error::from(ErrorKind::ManyClasses { count, examples }).into());
        }
    };
    Ok(classes.one_vs_rest(&samples, positive))
}

/// Reads rows with all their classes, or with those that were chosen.
fn read_classes(data: &str, input: &DataArgs, quiet: bool) -> Result<(Samples, Classes), Failure> {
    let bar = Bar::new("reading", quiet);
    let options = input.options();
    let progress = |rows| bar.rows(rows, options.meter.share(rows));
    let (samples, classes) = read::read_classes(&source(data), &options, &progress)?;
    bar.clear();
    if input.classes.is_empty() {
        return Ok((samples, classes));
    }
    let mut chosen = vec![];
    for wanted in &input.classes {
        chosen.push(classes.find(wanted).map_err(|error| error.in_source(&source(data).name()))?);
    }
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.len() < 2 {
        let message = "--classes names one class; expected two or more".to_string();
        return Err(Failure::usage(message, Some("--positive sets one class against the rest")));
    }
    Ok(classes.only(&samples, &chosen)?)
}
