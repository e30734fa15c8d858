//! Questions about data: decide, audit, separation, and the proofs of their answers.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use linsep::decide::{ConflictForm, MarginGoal, MarginKind};
use linsep::models::{Family, Ties};

use super::data::{DataArgs, StreamArgs};
use crate::duration::parse_duration;

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
    /// Ask whether one linear (argmax) classifier can be right on every row
    #[arg(long)]
    pub argmax: bool,
    /// Write the proof to this file; with --pairs, --one-vs-rest or --argmax all proofs to this folder
    #[arg(long, value_name = "FILE|DIR")]
    pub proof: Option<PathBuf>,
    /// Write a page with pictures to this HTML file; it loads nothing from anywhere
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Draw the rows and the hyperplane to this file: two features as they are, with the line, more by their distances from
    /// the hyperplane; with --pairs or --one-vs-rest, the matrix of verdicts
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
    /// How rows show that none separates: any, integers where they are few and else one positive definite matrix, which
    /// takes a fraction of the time; or exact, integers whatever it takes
    #[arg(
        long,
        value_name = "any|exact",
        value_enum,
        default_value = "any",
        hide_possible_values = true
    )]
    pub conflict: ConflictArg,
    #[command(flatten)]
    pub limits: LimitArgs,
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

/// How long a question may take.
#[derive(Args)]
pub struct LimitArgs {
    /// Stop after this many passes over the data
    #[arg(long, value_name = "N")]
    pub max_passes: Option<u64>,
    /// Stop after this time, such as 90, 90s, 5m or 1h; what is proven by then is said
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub time_limit: Option<Duration>,
}

impl LimitArgs {
    pub fn max_passes(&self) -> Option<i64> {
        self.max_passes.map(|passes| i64::try_from(passes).unwrap_or(i64::MAX))
    }

    pub fn time_limit(&self) -> Option<f64> {
        self.time_limit.map(|limit| limit.as_secs_f64())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarginArg {
    Any,
    Max,
}

impl MarginArg {
    pub fn goal(self) -> MarginGoal {
        match self {
            MarginArg::Any => MarginGoal::Any,
            MarginArg::Max => MarginGoal::Max,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConflictArg {
    Any,
    Exact,
}

impl ConflictArg {
    pub fn form(self) -> ConflictForm {
        match self {
            ConflictArg::Any => ConflictForm::Any,
            ConflictArg::Exact => ConflictForm::Exact,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarginKindArg {
    Angular,
    Geometric,
}

impl MarginKindArg {
    pub fn kind(self) -> MarginKind {
        match self {
            MarginKindArg::Angular => MarginKind::Angular,
            MarginKindArg::Geometric => MarginKind::Geometric,
        }
    }
}

#[derive(Args)]
#[command(
    after_help = "Exit status: 0 no suspect, 1 suspects or contradictory rows, 2 error, 3 stopped before an answer."
)]
pub struct AuditArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input; all rows have to fit in memory
    pub data: String,
    /// Show the first N rows of the ranking, suspects or not [default: the suspects, at most 20]
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
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Which model: binomial, log-binomial, multinomial, cumulative, adjacent, sequential, poisson,
    /// negative-binomial, conditional or cox [default: binomial]
    #[arg(long, value_name = "NAME", value_parser = family_parser(), hide_possible_values = true)]
    pub model: Option<Family>,
    /// Leave the constant out of the model
    #[arg(long)]
    pub no_intercept: bool,
    /// Ordered categories: effects per threshold, not parallel ones
    #[arg(long)]
    pub not_parallel: bool,
    /// Categories in order, the lowest or the base first [default: sorted]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub levels: Option<Vec<String>>,
    /// binomial, log-binomial: column of the number of trials; the label is the number of successes
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
    /// cox: column that says whether the event occurred then: 1 or 0, true or false [default: every row has
    /// the event]
    #[arg(long, value_name = "COLUMN")]
    pub event: Option<String>,
    /// cox: value of the event where that column has two others, such as 2 for R's coding 1 and 2
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub event_value: Option<String>,
    /// cox: column of the times since which rows were observed
    #[arg(long, value_name = "COLUMN")]
    pub entry: Option<String>,
    /// binomial, poisson, negative-binomial: columns whose levels have a coefficient each, such as firm,year:
    /// any number of levels, and no other constant
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub absorb: Vec<String>,
    /// cox: what is made of events at one time [default: breslow]
    #[arg(long, value_name = "breslow|efron|exact", value_enum, hide_possible_values = true)]
    pub ties: Option<TiesArg>,
}

impl ModelArgs {
    /// Returns true if anything was said of a model.
    pub fn is_given(&self) -> bool {
        let ModelArgs { model, no_intercept, not_parallel, levels, trials, weights, .. } = self;
        let ModelArgs { groups, time, event, event_value, entry, ties, .. } = self;
        let columns = [trials, weights, groups, time, event, event_value, entry];
        let any = model.is_some() || levels.is_some() || ties.is_some() || !self.absorb.is_empty();
        any || *no_intercept || *not_parallel || columns.iter().any(|column| column.is_some())
    }

    /// Returns the family that was asked for.
    pub fn family(&self) -> Family {
        self.model.unwrap_or_default()
    }
}

/// Returns what takes the name of a family.
fn family_parser() -> impl TypedValueParser<Value = Family> {
    let names = Family::ALL.map(Family::name);
    PossibleValuesParser::new(names).map(|name| Family::by_name(&name).unwrap_or_default())
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TiesArg {
    Breslow,
    Efron,
    Exact,
}

impl From<TiesArg> for Ties {
    fn from(ties: TiesArg) -> Self {
        match ties {
            TiesArg::Breslow => Ties::Breslow,
            TiesArg::Efron => Ties::Efron,
            TiesArg::Exact => Ties::Exact,
        }
    }
}

#[derive(Args)]
pub struct SeparationArgs {
    /// Data file, folder of Parquet or Arrow files, or - for standard input
    pub data: String,
    /// Write the proof to this file
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,
    /// Begin with the coefficients of a fit: a CSV file of names and numbers, as params.to_csv() of statsmodels writes it, in the
    /// order of this model. They change no answer, only how soon it is found
    #[arg(long, value_name = "FILE")]
    pub start: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
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
    /// Proof file, or folder of proofs with its index. A proof answers one question: --model and its options, or
    /// --pairs, --one-vs-rest and --argmax, say which, as they did when it was made
    pub proof: PathBuf,
    /// A folder: it has to answer about every pair of labels
    #[arg(long)]
    pub pairs: bool,
    /// A folder: it has to answer about every label against all others
    #[arg(long)]
    pub one_vs_rest: bool,
    /// A folder: it has to answer whether one linear (argmax) classifier can be right on every row
    #[arg(long)]
    pub argmax: bool,
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
