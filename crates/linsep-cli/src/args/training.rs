//! Online methods: fit, predict, race.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use linsep::online::Scaling;
use linsep::online::trace::USUAL_STEPS;

use super::data::{DataArgs, StreamArgs, UnknownArg};
use crate::duration::parse_duration;

#[derive(Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Stop after this many epochs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_epochs: u64,
    /// Stop after this time, such as 90, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
    /// Visit rows in a new random order each epoch
    #[arg(long)]
    pub shuffle: bool,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

impl RunArgs {
    pub fn max_epochs(&self) -> i64 {
        i64::try_from(self.max_epochs).unwrap_or(i64::MAX)
    }

    pub fn time_limit(&self) -> Option<f64> {
        self.time_limit.map(|limit| limit.as_secs_f64())
    }
}

/// Updates, one by one.
#[derive(Args)]
#[command(next_help_heading = "Steps")]
pub struct TraceArgs {
    /// Write the updates of the weights, one by one, to this file: a page on which they are played, step by step, or a CSV
    /// with the hyperplane after each
    #[arg(long, value_name = "FILE.html|FILE.csv")]
    pub trace: Option<PathBuf>,
    /// Print a line per update and per epoch to standard error as they happen
    #[arg(long, short)]
    pub verbose: bool,
    /// Show at most this many updates, the first, of each method
    #[arg(long, value_name = "N", default_value_t = USUAL_STEPS as u64)]
    pub trace_updates: u64,
}

impl TraceArgs {
    /// Returns how many updates are kept.
    pub fn updates(&self) -> i64 {
        match self.trace.is_some() || self.verbose {
            true => i64::try_from(self.trace_updates).unwrap_or(i64::MAX),
            false => 0,
        }
    }
}

#[derive(Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// joint, fine (the paper's), corral, perceptron, pocket, maxover, winnow, voted, averaged, smooth,
    /// passive-aggressive, sgd, svm or lp
    #[arg(long, value_name = "NAME", default_value = "joint")]
    pub method: String,
    /// joint, fine: score that a corrected sample gets [default: 1e-9]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// joint, fine: step size, as a multiple of the paper's: between 0 and 2 [default: 1]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub relaxation: Option<f64>,
    /// joint, fine: where to start [default: first]
    #[arg(long, value_name = "first|zero|random")]
    pub start: Option<String>,
    /// joint, fine: look at every sample in every epoch (the same result, slower)
    #[arg(long)]
    pub no_skip: bool,
    /// Learn from columns as they are, or with mean 0 and deviation 1; the hyperplane is in the units of the data
    #[arg(
        long,
        value_name = "none|standard",
        value_enum,
        default_value = "none",
        hide_possible_values = true
    )]
    pub scale: ScaleArg,
    /// Any setting of the method, such as cost=10; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Args)]
pub struct FitArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Train one hyperplane per label, against all others; predict names the label on whose side a row lies furthest
    #[arg(long)]
    pub one_vs_rest: bool,
    /// Write the model to this file
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write one line per epoch to this CSV file; its column mistakes_after needs --evaluate-epochs, except for the last epoch
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Write a page with pictures to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Draw the rows and the hyperplane to this file: two features as they are, with the line, more by their distances from
    /// the hyperplane
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    pub chart: Option<PathBuf>,
    /// Count the mistakes of the hyperplane after every epoch, a pass each: mistakes_after in --history
    #[arg(long)]
    pub evaluate_epochs: bool,
    /// Keep the state of the run in this file, to go on from
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often the checkpoint is written
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub checkpoint_every: Duration,
    /// Go on from the checkpoint
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub steps: TraceArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
}

#[derive(Args)]
pub struct PredictArgs {
    /// Model file
    pub model: PathBuf,
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What to do with a level of a category that the model does not know
    #[arg(
        long,
        value_name = "error|ignore",
        value_enum,
        default_value = "error",
        hide_possible_values = true
    )]
    pub unknown: UnknownArg,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub input: DataArgs,
}

#[derive(Args)]
pub struct RaceArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// all, or some of joint, fine, corral, perceptron, pocket, maxover, winnow, voted, averaged, smooth,
    /// passive-aggressive, sgd, svm, lp, with commas between them
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "joint,fine,perceptron"
    )]
    pub methods: Vec<String>,
    /// Learn from columns as they are, or with mean 0 and deviation 1; the hyperplanes are in the units of the data
    #[arg(
        long,
        value_name = "none|standard",
        value_enum,
        default_value = "none",
        hide_possible_values = true
    )]
    pub scale: ScaleArg,
    /// Visit rows in the order of the data even if they are sorted by class, which by default are shuffled
    #[arg(long, conflicts_with = "shuffle")]
    pub no_shuffle: bool,
    /// Write one line per epoch and method to this CSV file
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Write a chart of the mistakes that are left to this file
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    pub chart: Option<PathBuf>,
    /// What the chart is drawn over: epochs, or work as passes over all rows
    #[arg(
        long,
        value_name = "epochs|work",
        value_enum,
        default_value = "epochs",
        hide_possible_values = true
    )]
    pub over: OverArg,
    /// Write a page with pictures to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub steps: TraceArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub input: DataArgs,
}

/// In which units methods see columns.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScaleArg {
    None,
    Standard,
}

impl From<ScaleArg> for Scaling {
    fn from(scale: ScaleArg) -> Self {
        match scale {
            ScaleArg::None => Scaling::None,
            ScaleArg::Standard => Scaling::Standard,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OverArg {
    Epochs,
    Work,
}
