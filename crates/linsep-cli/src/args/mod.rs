//! What can be typed. What it means is decided by the commands.
//!
//! In reading order: this file lists the commands, `data` is what all of them read, `answers` are questions about data,
//! `training` is for the online methods, `paper` for its data and experiments, and `places` says which files each reads and writes.

mod answers;
mod data;
mod paper;
mod places;
mod training;

use std::num::NonZeroUsize;

use clap::{Args, ColorChoice, Parser, Subcommand};

pub use answers::*;
pub use data::*;
pub use paper::*;
pub use training::*;

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
pub struct CompletionsArgs {
    /// Shell
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Command
    pub command: Option<String>,
}
