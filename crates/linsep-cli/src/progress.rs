//! Progress on standard error, if that is a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linsep::online::Progress;
use linsep::report::counted;

/// A line on standard error that says how far the work is; silent where nobody would see it.
#[derive(Clone)]
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// Returns a line that begins with what is being done.
    pub fn new(what: &str, quiet: bool) -> Self {
        let seen = !quiet && std::io::stderr().is_terminal();
        let target = match seen {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {prefix} {msg}");
        bar.set_style(style.expect("the template is valid"));
        bar.set_prefix(what.to_string());
        Bar { bar }
    }

    /// Says how many rows have been read or written.
    pub fn rows(&self, rows: u64) {
        self.say(&counted(rows, "row"));
    }

    /// Says something.
    pub fn say(&self, message: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message.to_string());
            self.bar.tick();
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows the epochs of a fit on a [`Bar`], a few times a second.
pub struct FitProgress {
    bar: Bar,
    shown: Option<Instant>,
}

impl FitProgress {
    /// Returns the progress of a method.
    pub fn new(what: &str, quiet: bool) -> Self {
        FitProgress { bar: Bar::new(what, quiet), shown: None }
    }

    /// Shows where a fit is.
    pub fn show(&mut self, progress: &Progress) {
        let soon = self.shown.is_some_and(|at| at.elapsed() < Duration::from_millis(100));
        if soon || self.bar.bar.is_hidden() {
            return;
        }
        self.shown = Some(Instant::now());
        self.bar.bar.set_message(line(progress));
        self.bar.bar.tick();
    }
}

fn line(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64();
    let mut parts = vec![format!("epoch {}/{}", progress.epoch, progress.max_epochs)];
    parts.extend(progress.mistakes.map(|mistakes| counted(mistakes, "mistake")));
    if seconds > 0.0 {
        let rate = progress.rows_evaluated as f64 / seconds;
        parts.push(format!("{:.1} M rows/s", rate / 1e6));
    }
    parts.push(match progress.time_limit {
        Some(limit) => {
            format!(
                "{:.0} s left to the limit",
                limit.saturating_sub(progress.elapsed).as_secs_f64()
            )
        }
        None => {
            // At this pace; most fits end long before their last epoch.
            let done =
                (progress.epoch - 1) as f64 + progress.position as f64 / progress.rows as f64;
            let left = seconds / done.max(1e-9) * (progress.max_epochs as f64 - done);
            format!("{left:.0} s to the last epoch")
        }
    });
    parts.join(" · ")
}
