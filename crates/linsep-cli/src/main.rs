//! The program `linsep`: arguments become a plan, the library does the work, results are put out.
//!
//! Exit status, as grep and diff use it: 0 yes, 1 no, 2 error, 3 undecided.

mod args;
mod commands;
mod duration;
mod failure;
mod interrupt;
mod output;
mod progress;
mod size;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(status) => status,
        Err(failure) => {
            failure.print();
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    if let Some(threads) = cli.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global()
            .map_err(|e| Failure::usage(format!("--threads {threads}: {e}"), None))?;
    }
    let interrupt = interrupt::watch();
    match &cli.command {
        Command::Decide(args) => commands::decide::run(args, cli.quiet, &interrupt),
        Command::Fit(args) => commands::fit::run(args, cli.quiet, &interrupt),
        Command::Verify(args) => commands::verify::run(args, cli.quiet),
        Command::Predict(args) => commands::predict::run(args, &interrupt),
        Command::Race(args) => commands::race::run(args, cli.quiet, &interrupt),
        Command::Generate(args) => commands::generate::run(args, cli.quiet, &interrupt),
        Command::Reproduce(args) => commands::reproduce::run(args, cli.quiet, &interrupt),
        Command::Completions(args) => commands::manual::completions(args.shell),
        Command::Man(args) => commands::manual::man(args.command.as_deref()),
    }
}
