//! The paper's data and experiments: generate, reproduce.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::duration::parse_duration;

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
    /// the paper's method beside joint and corral: at a tenth of both sides; with --sizes as stated, with --data on files
    Cures,
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
    /// Study and cures: the sizes to measure [default: tenth]
    #[arg(long, value_enum, value_name = "SIZES")]
    pub sizes: Option<SizesArg>,
    /// Study and cures: measure this experiment only, and keep the figures of the others
    #[arg(long, value_enum, value_name = "a|b|c", hide_possible_values = true)]
    pub only: Option<ExperimentArg>,
    /// Cures: measure on the arrays in this folder too, each a COLLECTION/NAME.npy with NAME.labels.npy beside it
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
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
