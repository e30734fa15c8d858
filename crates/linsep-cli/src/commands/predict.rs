//! `linsep predict`: labels and signed distances for new rows, block by block.

use std::io::{self, Write};
use std::process::ExitCode;

use linsep::data::error::{Column, path_name};
use linsep::data::read::{self, Expected, FeatureBlock, Unknown};
use linsep::data::samples::Encoding;
use linsep::saved::{AnyModel, Classifier, SavedModelError};
use linsep_report::{counted, grouped, number};
use serde_json::{Value, json};

use crate::args::{PredictArgs, UnknownArg, source};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{OutputFile, create_if, standard_output};

/// Runs the command.
pub fn run(args: &PredictArgs, interrupt: &Interrupt) -> Result<ExitCode, Failure> {
    let model = AnyModel::load(&args.model).map_err(|error| match error {
        SavedModelError::Unreadable(error) => Failure::input(&args.model, &error),
        error => Failure::model(&args.model, &error),
    })?;
    let features = model.features();
    let mut sink = match create_if(args.output.as_deref())? {
        Some(file) => Sink::File(file),
        None => Sink::Standard(io::BufWriter::new(io::stdout())),
    };
    let label_column = features.label_column.as_ref().map(Column::from);
    let expected = Expected {
        features: features.count,
        names: features.names.as_deref(),
        index_base: features.index_base,
        label_column: label_column.as_ref(),
        encoding: features.encoding.as_ref(),
    };
    let mut options = args.input.options();
    options.unknown = match args.unknown {
        UnknownArg::Error => Unknown::Refuse,
        UnknownArg::Ignore => Unknown::Ignore,
    };
    let fills = features.encoding.as_ref().is_some_and(Encoding::fills);
    if options.missing.is_filled() && !fills {
        return Err(Failure::usage(
            format!("{}: the model has no values to fill in", path_name(&args.model)),
            Some("fit with --missing mean or median keeps them; --missing drop leaves rows out"),
        ));
    }
    let asked = interrupt.heed();
    let mut writer = Predictions::new(Classifier::of(&model), args.json);
    let mut ended: Option<Failure> = None;
    // An error of the sink travels around the reader, which knows only errors of data.
    let summary = read::stream(&source(&args.data), &options, &expected, &mut |block| {
        let put = match asked.load(std::sync::atomic::Ordering::Relaxed) {
            true => Err(Failure::usage("interrupted".to_string(), None)),
            false => sink.put(&writer.block(&block)),
        };
        match put {
            Ok(true) => Ok(()),
            Ok(false) => Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
            Err(failure) => {
                ended = Some(failure);
                Err(io::Error::from(io::ErrorKind::Other).into())
            }
        }
    });
    if let Some(failure) = ended {
        return Err(failure);
    }
    let summary = match summary {
        Ok(summary) => summary,
        Err(error) if is_broken_pipe(&error) => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error.into()),
    };
    sink.put(&writer.tail(summary.rows, summary.dropped))?;
    sink.finish()?;
    if let Some(score) = writer.score.line().filter(|_| !args.json) {
        eprintln!("linsep: {score}");
    }
    Ok(ExitCode::SUCCESS)
}

fn is_broken_pipe(error: &linsep::Error) -> bool {
    matches!(&error.kind, linsep::data::ErrorKind::Io(e) if e.kind() == io::ErrorKind::BrokenPipe)
}

/// Where predictions go.
enum Sink {
    File(OutputFile),
    Standard(io::BufWriter<io::Stdout>),
}

impl Sink {
    /// Returns false if nobody reads any more.
    fn put(&mut self, text: &str) -> Result<bool, Failure> {
        match self {
            Sink::File(file) => file.write(|out| out.write_all(text.as_bytes())).map(|()| true),
            Sink::Standard(out) => standard_output(out.write_all(text.as_bytes())),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::File(file) => file.finish(),
            Sink::Standard(mut out) => standard_output(out.flush()).map(|_| ()),
        }
    }
}

/// Turns rows into lines of CSV, or into the parts of one JSON object.
struct Predictions {
    classifier: Classifier,
    json: bool,
    begun: bool,
    any: bool,
    score: Score,
}

/// How many rows with a label were given it.
#[derive(Default)]
struct Score {
    labelled: u64,
    right: u64,
}

impl Score {
    fn accuracy(&self) -> Option<f64> {
        (self.labelled > 0).then(|| self.right as f64 / self.labelled as f64)
    }

    fn line(&self) -> Option<String> {
        let percent = 100.0 * self.accuracy()?;
        let (right, all) = (grouped(self.right), counted(self.labelled, "labelled row"));
        Some(format!("{right} of {all} have the predicted label: accuracy {percent:.4} %"))
    }
}

impl Predictions {
    fn new(classifier: Classifier, json: bool) -> Self {
        Predictions { classifier, json, begun: false, any: false, score: Score::default() }
    }

    /// Returns what comes before the first row, once: data that cannot be read prints nothing.
    fn head(&mut self) -> String {
        match (std::mem::replace(&mut self.begun, true), self.json) {
            (true, _) => String::new(),
            (false, true) => "{\"predictions\":[".to_string(),
            (false, false) => "row,label,distance\n".to_string(),
        }
    }

    /// Compares predictions with the labels that the rows have.
    fn compare(&mut self, block: &FeatureBlock, named: &[(usize, f64)]) {
        let (Some(labels), names) = (&block.labels, &self.classifier.names) else { return };
        let own: Vec<Vec<bool>> = names.iter().map(|name| labels.matches(name)).collect();
        let missing = labels.matches("");
        // All other labels were made one class.
        let rest = self.classifier.is_of_two() && names[0] == "rest";
        for (i, &(class, _)) in named.iter().enumerate() {
            let known = rest || own.iter().any(|own| own[i]);
            if known && !missing[i] {
                self.score.labelled += 1;
                let right = if rest { own[1][i] == (class == 1) } else { own[class][i] };
                self.score.right += u64::from(right);
            }
        }
    }

    fn block(&mut self, block: &FeatureBlock) -> String {
        let named = self.classifier.classify(&block.features);
        self.compare(block, &named);
        let mut text = self.head();
        for (i, (class, distance)) in named.into_iter().enumerate() {
            let row = match &block.ids {
                Some(ids) => Value::from(ids.get(i)),
                None => Value::from(block.rows[i]),
            };
            let label = &self.classifier.names[class];
            if self.json {
                text.push_str(if self.any { "," } else { "" });
                let object = json!({ "row": row, "label": label, "distance": distance });
                text.push_str(&object.to_string());
            } else {
                let row = row.as_str().map_or_else(|| row.to_string(), cell);
                text.push_str(&format!("{row},{},{}\n", cell(label), number(distance)));
            }
            self.any = true;
        }
        text
    }

    fn tail(&mut self, rows: u64, dropped: u64) -> String {
        let head = self.head();
        match self.json {
            true => {
                let accuracy = json!(self.score.accuracy());
                format!(
                    "{head}],\"rows\":{rows},\"rows_dropped\":{dropped},\"accuracy\":{accuracy}}}\n"
                )
            }
            false => head,
        }
    }
}

/// Returns the text as a CSV cell.
fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
