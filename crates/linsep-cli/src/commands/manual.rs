//! `linsep completions` and `linsep man`: both come from the definitions of the arguments.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output::print;

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<ExitCode, Failure> {
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "linsep", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page of the program, or of one command.
pub fn man(command: Option<&str>) -> Result<ExitCode, Failure> {
    let mut program = Cli::command();
    program.build();
    let page = match command {
        None => program,
        Some(name) => program.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::usage(format!("no command is called \"{name}\""), Some("see linsep --help"))
        })?,
    };
    let mut text = vec![];
    clap_mangen::Man::new(page).render(&mut text).expect("memory takes all");
    print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}
