//! The program `linsep`: arguments become a plan, the library does the work, results are put out.
//!
//! Exit status, as grep and diff use it: 0 yes, 1 no, 2 error, 3 undecided.

mod args;
mod commands;
mod disk;
mod duration;
mod failure;
mod interrupt;
mod output;
mod progress;
mod screen;
mod session;
mod size;
mod voice;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use linsep::data::overwrite::refuse_overwriting;

use linsep::data::error::path_name;
use linsep::data::read::hush_decoders;
use linsep::data::threads::{MOST_THREADS, check_environment};

use args::{Cli, Command};
use failure::Failure;
use screen::Screen;
use session::Session;

fn main() -> ExitCode {
    share_addresses();
    hush_decoders();
    let cli = Cli::try_parse().unwrap_or_else(|error| match error.kind() {
        clap::error::ErrorKind::InvalidUtf8 => failed(&not_utf8()),
        _ => error.exit(),
    });
    run(&cli).unwrap_or_else(|failure| failed(&failure))
}

fn failed(failure: &Failure) -> ! {
    failure.print();
    std::process::exit(2)
}

/// Returns the failure for arguments that have to be text, and are not: of file names, that of the data.
fn not_utf8() -> Failure {
    let other = std::env::args_os().find(|argument| argument.to_str().is_none());
    let name = path_name(Path::new(&other.unwrap_or_default()));
    let hint =
        "rename the file, or read it from standard input: - in its place, and < before its name";
    Failure::usage(format!("{name}: expected a name in UTF-8"), Some(hint))
}

fn run(cli: &Cli) -> Result<ExitCode, Failure> {
    if let Some(threads) = cli.threads {
        if threads.get() > MOST_THREADS {
            let message = format!("--threads is {threads}; expected 1 to {MOST_THREADS}");
            return Err(Failure::usage(message, Some("more threads than cores gain nothing")));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        pool.build_global()
            .map_err(|e| Failure::usage(format!("--threads {threads}: {e}"), None))?;
    } else {
        let hint = Some("--threads N takes its place");
        check_environment().map_err(|message| Failure::usage(message, hint))?;
    }
    let places = cli.command.places();
    refuse_overwriting(&places.inputs, &places.outputs).map_err(|clash| {
        Failure::usage(clash.to_string(), Some("choose another name; nothing was read or written"))
    })?;
    let interrupt = interrupt::watch();
    let session =
        Session { quiet: cli.quiet, screen: Screen::new(cli.color), interrupt: &interrupt };
    match &cli.command {
        Command::Decide(args) => commands::decide::run(args, &session),
        Command::Audit(args) => commands::audit::run(args, &session),
        Command::Fit(args) => commands::fit::run(args, &session),
        Command::Separation(args) => commands::separation::run(args, &session),
        Command::Verify(args) => commands::verify::run(args, &session),
        Command::Predict(args) => commands::predict::run(args, &interrupt),
        Command::Race(args) => commands::race::run(args, &session),
        Command::Generate(args) => commands::generate::run(args, cli.quiet, &interrupt),
        Command::Reproduce(args) => commands::reproduce::run(args, &session),
        Command::Completions(args) => commands::manual::completions(args.shell),
        Command::Man(args) => commands::manual::man(args.command.as_deref()),
    }
}

/// Lets all threads take memory from one place if addresses are limited (`ulimit -v`): a place for each
/// would reserve 64 MB of them, used or not.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn share_addresses() {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    if limit.is_some_and(|limit| !limit.trim_start().starts_with("unlimited")) {
        // SAFETY: it sets a number, and no other thread exists yet.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn share_addresses() {}
