//! What results are shown on: how wide it is, and whether it has colours.

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use linsep_report::summary::{Summary, TextPage, Tone};

use crate::failure::Failure;
use crate::output::print;

/// Standard output, as results are fitted to it.
#[derive(Clone, Copy)]
pub struct Screen {
    colours: bool,
    /// None if it is no terminal.
    width: Option<usize>,
}

impl Screen {
    /// Returns standard output: coloured if asked for or, by default, if it is a terminal that has colours and
    /// `NO_COLOR` is not set.
    pub fn new(choice: clap::ColorChoice) -> Self {
        let colours = match choice {
            clap::ColorChoice::Always => true,
            clap::ColorChoice::Never => false,
            clap::ColorChoice::Auto => AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        };
        Screen { colours, width: width() }
    }

    /// Shows a summary.
    pub fn show(&self, summary: &Summary) -> Result<(), Failure> {
        let paint = |tone: Tone, text: &str| match self.colours {
            true => format!("{0}{text}{0:#}", style(tone)),
            false => text.to_string(),
        };
        print(&summary.lay_out(&TextPage { width: self.width, paint: &paint }))
    }
}

/// Returns how a word of this meaning looks.
fn style(tone: Tone) -> Style {
    let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
    match tone {
        Tone::Good => colour(AnsiColor::Green).bold(),
        Tone::Mixed => colour(AnsiColor::Yellow).bold(),
        Tone::Bad => colour(AnsiColor::Red).bold(),
        Tone::Open => colour(AnsiColor::BrightBlack).bold(),
        Tone::Quiet => Style::new().dimmed(),
    }
}

/// Returns how many characters a line of the terminal has that standard output is, if it is one.
#[cfg(unix)]
fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0)).filter(|&width| width > 0)
}

#[cfg(not(unix))]
fn width() -> Option<usize> {
    use std::io::IsTerminal;
    let (width, _) = terminal_size::terminal_size().filter(|_| io::stdout().is_terminal())?;
    Some(usize::from(width.0)).filter(|&width| width > 0)
}
