//! What can be typed. What it means is decided by the commands.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use linsep::data::read::{
    Categorical, ColumnChoice, Format, Header, Meter, ReadOptions, Source, StreamOptions, Unknown,
    Where,
};
use linsep::data::samples::Missing;

use crate::duration::parse_duration;
use crate::size::parse_size;

/// Can one hyperplane tell these two classes apart?
#[derive(Parser)]
#[command(name = "linsep", version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 yes (separated, valid, the estimate exists), 1 no, 2 error, 3 stopped before an answer."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Show no progress
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Use this many threads [default: all cores]; results do not depend on it
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// When to colour results: on a terminal unless NO_COLOR is set, always, or never
    #[arg(
        long,
        global = true,
        value_name = "auto|always|never",
        value_enum,
        default_value = "auto",
        hide_possible_values = true
    )]
    pub color: ColorChoice,
}

#[derive(Subcommand)]
pub enum Command {
    /// Decide whether a hyperplane separates the classes, and prove it
    Decide(DecideArgs),
    /// Rank rows by how probably their label is wrong, on separable data too
    Audit(AuditArgs),
    /// Train a hyperplane with an online method
    Fit(FitArgs),
    /// Say whether the estimate of a statistical model exists, and prove it
    Separation(SeparationArgs),
    /// Check a proof in exact arithmetic
    Verify(VerifyArgs),
    /// Label new rows with a trained model
    Predict(PredictArgs),
    /// Run several methods on the same data, side by side
    Race(RaceArgs),
    /// Make the paper's synthetic data
    Generate(GenerateArgs),
    /// Repeat the paper's three experiments
    Reproduce(ReproduceArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, of the program or of one command
    Man(ManArgs),
}

#[derive(Args)]
#[command(next_help_heading = "Data")]
pub struct DataArgs {
    /// Format of the data [default: by extension, else by content]
    #[arg(long, value_name = "csv|tsv|libsvm|npy|parquet|arrow")]
    pub format: Option<Format>,
    /// Label column, by name or by number from 1 [default: label, class, target or y, else the last]
    #[arg(long, value_name = "NAME|NUMBER")]
    pub label: Option<ColumnChoice>,
    /// Label of the positive class; all others are negative [default: the larger of two]
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub positive: Option<String>,
    /// Labels whose rows are taken; rows of others are left out [default: all]
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub classes: Vec<String>,
    /// Feature columns, such as 1-10,12 or age,height [default: all but the label]
    #[arg(long, value_name = "COLUMNS")]
    pub features: Option<String>,
    /// Columns that are no features
    #[arg(long, value_name = "COLUMNS")]
    pub exclude: Option<String>,
    /// Column that names the rows in every output [default: rows are numbered]
    #[arg(long, value_name = "NAME|NUMBER")]
    pub row_id: Option<ColumnChoice>,
    /// Columns of which every level becomes a feature: those of text, none, or these
    #[arg(long, value_name = "auto|no|COLUMNS", default_value = "auto")]
    pub categorical: String,
    /// Give the first level of a category a feature too
    #[arg(long)]
    pub all_levels: bool,
    /// File with the labels, one per row: .npy or text [default for X.npy: X.labels.npy if it exists]
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Whether the first line holds names [default: if none of its cells is a number]
    #[arg(long, value_name = "auto|yes|no", value_enum, hide_possible_values = true)]
    pub header: Option<HeaderArg>,
    /// Character between cells [default: tab for .tsv, else guessed: comma, semicolon, tab, pipe or space]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    pub delimiter: Option<u8>,
    /// Number of the first feature in libsvm data [default: 0 if any index is 0, else 1]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub index_base: Option<u8>,
    /// What to do with missing, NaN or infinite values: refuse them, drop their rows, or fill in what
    /// their column has on average or in the middle
    #[arg(
        long,
        value_name = "refuse|drop|mean|median",
        value_enum,
        default_value = "refuse",
        hide_possible_values = true
    )]
    pub missing: MissingArg,
}

#[derive(Args)]
#[command(next_help_heading = "Memory")]
pub struct StreamArgs {
    /// Leave the rows on the disk and read them in blocks, pass after pass: --stream or --stream=yes; the
    /// results are the same [default: auto, if they would take more than half of the free memory]
    #[arg(
        long,
        value_name = "auto|yes|no",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_value = "auto",
        default_missing_value = "yes",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub stream: StreamArg,
    /// Folder for the binary copy that text is read from when it is streamed [default: that of the data]
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Largest size of that copy, such as 500M or 20G [default: what the disk has]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub cache_limit: Option<u64>,
}

impl StreamArgs {
    pub fn place(&self) -> Where {
        match self.stream {
            StreamArg::Auto => Where::Auto,
            StreamArg::Yes => Where::Disk,
            StreamArg::No => Where::Memory,
        }
    }

    pub fn options(&self) -> StreamOptions {
        StreamOptions {
            cache_dir: self.cache_dir.clone(),
            cache_limit: self.cache_limit,
            ..StreamOptions::default()
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub enum StreamArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum HeaderArg {
    Auto,
    Yes,
    No,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum MissingArg {
    Refuse,
    Drop,
    Mean,
    Median,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum UnknownArg {
    Error,
    Ignore,
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text {
        "\\t" | "tab" => Ok(b'\t'),
        _ if text.len() == 1 && text.is_ascii() => Ok(text.as_bytes()[0]),
        _ => Err("expected one ASCII character, or \\t for a tab".to_string()),
    }
}

impl DataArgs {
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            label: self.label.clone(),
            positive: self.positive.clone(),
            features: self.features.as_deref().map(ColumnChoice::parse_list),
            labels: self.labels.clone(),
            header: match self.header {
                None | Some(HeaderArg::Auto) => Header::Auto,
                Some(HeaderArg::Yes) => Header::Yes,
                Some(HeaderArg::No) => Header::No,
            },
            delimiter: self.delimiter,
            index_base: self.index_base,
            missing: match self.missing {
                MissingArg::Refuse => Missing::Refuse,
                MissingArg::Drop => Missing::Drop,
                MissingArg::Mean => Missing::Mean,
                MissingArg::Median => Missing::Median,
            },
            exclude: self.exclude.as_deref().map(ColumnChoice::parse_list).unwrap_or_default(),
            row_id: self.row_id.clone(),
            categorical: match self.categorical.as_str() {
                "auto" => Categorical::Auto,
                "no" => Categorical::No,
                columns => Categorical::Columns(ColumnChoice::parse_list(columns)),
            },
            all_levels: self.all_levels,
            unknown: Unknown::Refuse,
            meter: Meter::default(),
        }
    }
}

/// Returns the source that a DATA argument names: `-` is standard input.
pub fn source(data: &str) -> Source {
    Source::from(std::path::Path::new(data))
}

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

#[derive(Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// fine, perceptron, pocket, maxover, winnow, voted, averaged, passive-aggressive, sgd, svm or lp
    #[arg(long, value_name = "NAME", default_value = "fine")]
    pub method: String,
    /// fine: score that a corrected sample gets [default: 1e-9]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub epsilon: Option<f64>,
    /// fine: step size, as a multiple of the paper's: between 0 and 2 [default: 1]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub relaxation: Option<f64>,
    /// fine: where to start [default: first]
    #[arg(long, value_name = "first|zero|random")]
    pub start: Option<String>,
    /// fine: look at every sample in every epoch (the same result, slower)
    #[arg(long)]
    pub no_skip: bool,
    /// Any setting of the method, such as cost=10; may be given again
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Args)]
pub struct DecideArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Ask about every pair of labels
    #[arg(long)]
    pub pairs: bool,
    /// Ask about every label against all others
    #[arg(long)]
    pub one_vs_rest: bool,
    /// Ask whether one linear classifier, the largest of one score per label wins, makes no mistake
    #[arg(long)]
    pub argmax: bool,
    /// Write the proof to this file; with --pairs, --one-vs-rest or --argmax all proofs to this folder
    #[arg(long, value_name = "FILE|DIR")]
    pub proof: Option<PathBuf>,
    /// Write a page with pictures to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// With --pairs or --one-vs-rest, draw the matrix of verdicts to this file
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    pub chart: Option<PathBuf>,
    /// Say why the data is not separable: contradictory duplicates, and a small set of rows without
    /// which the rest is separable, the first places to look for wrong labels, with a proof of how
    /// many rows must go at least and at most; for quasi-separable data also the features and rows that carry the separation
    #[arg(long)]
    pub explain: bool,
    /// When to stop: at any separating hyperplane, or at the one of largest margin
    #[arg(
        long,
        value_name = "any|max",
        value_enum,
        default_value = "any",
        hide_possible_values = true
    )]
    pub margin: MarginArg,
    /// Which margin: the sine of the angle between hyperplane and nearest row, or their distance
    #[arg(
        long,
        value_name = "angular|geometric",
        value_enum,
        default_value = "angular",
        hide_possible_values = true
    )]
    pub margin_kind: MarginKindArg,
    /// Relative gap between the bounds on the largest margin at which --margin max stops
    #[arg(long, value_name = "G", default_value_t = 1e-6)]
    pub gap: f64,
    /// Stop after this many passes over the data
    #[arg(long, value_name = "N")]
    pub max_passes: Option<u64>,
    /// Stop after this time, such as 90, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
    /// Keep what each pass finds in this file, to go on from after a limit, Ctrl-C or a kill; a verdict
    /// removes it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, to the same answer and proof as if the run had never stopped
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarginArg {
    Any,
    Max,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarginKindArg {
    Angular,
    Geometric,
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 no suspect, 1 suspects or contradictory rows, 2 error, 3 stopped before an answer."
)]
pub struct AuditArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input; all rows have to fit in memory
    pub data: String,
    /// Show so many rows of the ranking, suspects or not [default: the suspects, 20 at the most]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Write all rows to this CSV file, the most suspicious first
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a page with the suspects to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Separable data: bound the largest margin without each of the first N suspects [default: 10, or 0 if
    /// there are more than a million values]
    #[arg(long, value_name = "N")]
    pub leave_out: Option<usize>,
    /// Stop after this time, such as 90, 90s, 5m or 1h, with what is known by then
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
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
    /// Write one line per epoch to this CSV file
    #[arg(long, value_name = "FILE")]
    pub history: Option<PathBuf>,
    /// Write a page with pictures to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Count the mistakes of the hyperplane after every epoch (a pass each)
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
    pub run: RunArgs,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
}

#[derive(Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Which model: binomial, multinomial, cumulative, adjacent, sequential, poisson, negative-binomial,
    /// conditional or cox
    #[arg(
        long,
        value_name = "NAME",
        value_enum,
        default_value = "binomial",
        hide_possible_values = true
    )]
    pub model: ModelArg,
    /// Leave the constant out of the model
    #[arg(long)]
    pub no_intercept: bool,
    /// Ordered categories: coefficients of each threshold, not one for all
    #[arg(long)]
    pub not_parallel: bool,
    /// Categories in order, the lowest or the base first [default: sorted]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub levels: Option<Vec<String>>,
    /// binomial: column of the number of trials; the label is the number of successes
    #[arg(long, value_name = "COLUMN")]
    pub trials: Option<String>,
    /// Column of weights: rows of weight 0 are left out, others count alike
    #[arg(long, value_name = "COLUMN")]
    pub weights: Option<String>,
    /// conditional: column of the groups within which rows are compared; cox: of the strata
    #[arg(long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// cox: column of the times at which rows were last seen
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,
    /// cox: column that is not 0 where the event occurred then [default: in all rows]
    #[arg(long, value_name = "COLUMN")]
    pub event: Option<String>,
    /// cox: column of the times since which rows were observed
    #[arg(long, value_name = "COLUMN")]
    pub entry: Option<String>,
    /// cox: what is made of events at one time
    #[arg(
        long,
        value_name = "breslow|efron|exact",
        value_enum,
        default_value = "breslow",
        hide_possible_values = true
    )]
    pub ties: TiesArg,
}

impl ModelArgs {
    /// Returns true if the categories have an order.
    pub fn is_ordered(&self) -> bool {
        matches!(self.model, ModelArg::Cumulative | ModelArg::Adjacent | ModelArg::Sequential)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelArg {
    Binomial,
    Multinomial,
    Cumulative,
    Adjacent,
    Sequential,
    Poisson,
    NegativeBinomial,
    Conditional,
    Cox,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesArg {
    Breslow,
    Efron,
    Exact,
}

#[derive(Args)]
pub struct SeparationArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Write the proof to this file
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    /// Stop each decision after this many passes over the data
    #[arg(long, value_name = "N")]
    pub max_passes: Option<u64>,
    /// Stop each decision after this time, such as 90, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub input: DataArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Proof file, or folder of proofs with its index
    pub proof: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub model: ModelArgs,
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
    /// all, or some of fine, perceptron, pocket, maxover, winnow, voted, averaged,
    /// passive-aggressive, sgd, svm, lp, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "fine,perceptron")]
    pub methods: Vec<String>,
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
    pub run: RunArgs,
    #[command(flatten)]
    pub input: DataArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OverArg {
    Epochs,
    Work,
}

#[derive(Args)]
pub struct GenerateArgs {
    /// Number of rows
    #[arg(long, value_name = "N")]
    pub rows: NonZeroUsize,
    /// Number of features
    #[arg(long, value_name = "D")]
    pub features: NonZeroUsize,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Length of the shift; at 1 each of its coordinates is in (-1, 1)
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    pub shift: f64,
    /// File: .npy (labels go to .labels.npy beside it), .csv, .tsv or .libsvm
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Number type of the values
    #[arg(long, value_enum, default_value = "f8")]
    pub dtype: Dtype,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Dtype {
    /// double precision
    F8,
    /// single precision
    F4,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExperimentArg {
    /// 10,000 samples, 100,000 features
    A,
    /// 100,000 samples, 10,000 features
    B,
    /// 1,000,000 samples, 100 features
    C,
    /// all three
    All,
    /// all three at a tenth of both sides, with sweeps over epsilon, step size and shift; with --sizes also as stated
    Study,
}

/// The sizes of the study.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SizesArg {
    /// a tenth of both sides: some minutes
    Tenth,
    /// what the paper states: an hour, 5 GB of memory
    Stated,
    /// one after the other
    Both,
    /// nothing is run: tables and pictures are made from the figures in the folder
    None,
}

#[derive(Args)]
pub struct ReproduceArgs {
    /// Experiment
    #[arg(value_enum)]
    pub experiment: ExperimentArg,
    /// Folder for tables (results.md), figures (.csv) and charts (.svg)
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Write a page with the tables and charts to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Shrink both sides of the data by this factor
    #[arg(long, value_name = "F", default_value_t = 1.0, allow_negative_numbers = true)]
    pub scale: f64,
    /// Number of runs, each on new data [default: 3; of the study 10, and 3 at the stated sizes]
    #[arg(long, value_name = "N")]
    pub runs: Option<NonZeroUsize>,
    /// Epsilon of the paper's method, which the paper does not state; several with commas [default: 1e-9]
    #[arg(long, value_name = "E", value_delimiter = ',')]
    pub epsilon: Option<Vec<f64>>,
    /// Step size of the paper's method, between 0 and 2; several with commas [default: 1, as in the paper]
    #[arg(long, value_name = "L", value_delimiter = ',')]
    pub relaxation: Option<Vec<f64>>,
    /// Length of the shift of the data, which the paper does not state [default: 1, coordinates in (-1, 1)]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub shift: Option<f64>,
    /// Study: the sizes to measure [default: tenth]
    #[arg(long, value_enum, value_name = "SIZES")]
    pub sizes: Option<SizesArg>,
    /// Study: measure this experiment only, and keep the figures of the others
    #[arg(long, value_enum, value_name = "a|b|c", hide_possible_values = true)]
    pub only: Option<ExperimentArg>,
    /// Stop each method after this many epochs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_epochs: u64,
    /// Stop each method after this time, such as 90, 90s, 5m or 1h
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
    /// Random seed; run k has seed S + k [default: 0]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Number type of the values [default: f8]
    #[arg(long, value_enum)]
    pub dtype: Option<Dtype>,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// Shell
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Command
    pub command: Option<String>,
}
