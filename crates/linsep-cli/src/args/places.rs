//! Which files a command reads and writes, so that none it writes is one it reads.

use std::path::PathBuf;

use linsep::data::overwrite::NamedPlace;
use linsep::data::read::{Format, Source};

use super::{Command, DataArgs, source};

/// What a command reads, and what it writes.
#[derive(Default)]
pub struct Places {
    pub inputs: Vec<NamedPlace>,
    pub outputs: Vec<NamedPlace>,
}

impl Places {
    fn of_data(data: &str, input: &DataArgs) -> Self {
        let mut inputs = vec![];
        if let Source::File(path) = source(data) {
            // Labels beside an array are read without being named.
            if Format::by_extension(&path) == Some(Format::Npy) && input.labels.is_none() {
                inputs.push(NamedPlace::new("the labels", path.with_extension("labels.npy")));
            }
            inputs.push(NamedPlace::new("the data", path));
        }
        inputs.extend(input.labels.as_ref().map(|path| NamedPlace::new("the labels", path)));
        Places { inputs, outputs: vec![] }
    }

    fn reads(mut self, name: &str, path: &PathBuf) -> Self {
        self.inputs.push(NamedPlace::new(name, path));
        self
    }

    fn writes<const N: usize>(mut self, outputs: [(&str, Option<&PathBuf>); N]) -> Self {
        let place = |(name, path): (&str, Option<&PathBuf>)| Some(NamedPlace::new(name, path?));
        self.outputs.extend(outputs.into_iter().filter_map(place));
        self
    }
}

impl Command {
    /// Returns which files the command reads and writes.
    pub fn places(&self) -> Places {
        match self {
            Command::Decide(args) => {
                let many = args.pairs || args.one_vs_rest || args.argmax;
                let mut places = Places::of_data(&args.data, &args.input);
                match (&args.proof, many) {
                    (Some(folder), true) => {
                        places.outputs.push(NamedPlace::folder("--proof", folder, &["json"]));
                    }
                    (proof, _) => places = places.writes([("--proof", proof.as_ref())]),
                }
                places.writes([
                    ("--report", args.report.as_ref()),
                    ("--chart", args.chart.as_ref()),
                    ("--checkpoint", args.checkpoint.as_ref()),
                ])
            }
            Command::Audit(args) => Places::of_data(&args.data, &args.input)
                .writes([("--output", args.output.as_ref()), ("--report", args.report.as_ref())]),
            Command::Fit(args) => Places::of_data(&args.data, &args.input).writes([
                ("--output", args.output.as_ref()),
                ("--history", args.history.as_ref()),
                ("--report", args.report.as_ref()),
                ("--chart", args.chart.as_ref()),
                ("--trace", args.steps.trace.as_ref()),
                ("--checkpoint", args.checkpoint.as_ref()),
            ]),
            Command::Separation(args) => {
                let mut places = Places::of_data(&args.data, &args.input);
                if let Some(path) = &args.start {
                    places = places.reads("the coefficients", path);
                }
                places.writes([("--proof", args.proof.as_ref())])
            }
            Command::Predict(args) => Places::of_data(&args.data, &args.input)
                .reads("the model", &args.model)
                .writes([("--output", args.output.as_ref())]),
            Command::Race(args) => Places::of_data(&args.data, &args.input).writes([
                ("--history", args.history.as_ref()),
                ("--chart", args.chart.as_ref()),
                ("--report", args.report.as_ref()),
                ("--trace", args.steps.trace.as_ref()),
            ]),
            Command::Reproduce(args) => {
                let endings = &["md", "csv", "svg"];
                let folder = NamedPlace::folder("--output", &args.output, endings);
                let places = Places { inputs: vec![], outputs: vec![folder] };
                places.writes([("--report", args.report.as_ref())])
            }
            Command::Verify(_)
            | Command::Generate(_)
            | Command::Completions(_)
            | Command::Man(_) => Places::default(),
        }
    }
}
