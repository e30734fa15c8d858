//! Progress on standard error, if that is a terminal.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use linsep::data::error::escaped;
use linsep::online::Progress;
use linsep_report::{counted, duration};

/// A line on standard error that says how far the work is; silent where nobody would see it.
#[derive(Clone)]
pub struct Bar {
    bar: ProgressBar,
    pace: Arc<Mutex<ProgressPace>>,
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
        bar.set_prefix(escaped(what));
        Bar { bar, pace: Arc::default() }
    }

    /// Says how many rows have been read or written, and which share of all that is, where it is known.
    pub fn rows(&self, rows: u64, share: Option<f64>) {
        self.say_share(&counted(rows, "row"), share);
    }

    /// Says something, how much of the work is done and how long the rest will take, where that is known.
    pub fn say_share(&self, message: &str, share: Option<f64>) {
        if self.bar.is_hidden() {
            return;
        }
        let Some(share) = share else { return self.say(message) };
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let left = pace.left(share, Instant::now());
        self.say(&format!("{message} · {}", percent(share, left)));
    }

    /// Says something.
    pub fn say(&self, message: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(escaped(message));
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
    let done = (progress.epoch - 1) as f64 + progress.position as f64 / progress.rows as f64;
    let share = done / progress.max_epochs as f64;
    let mut parts = vec![format!("epoch {}/{}", progress.epoch, progress.max_epochs)];
    parts.push(match progress.time_limit {
        Some(limit) => {
            let left = limit.saturating_sub(progress.elapsed).as_secs_f64();
            format!("{} left to the limit", whole(left))
        }
        None => {
            // At this pace; most fits end long before their last epoch.
            let left = seconds / share.max(1e-12) - seconds;
            format!("{:.0} % · {} to the last epoch", (100.0 * share).floor(), whole(left))
        }
    });
    parts.extend(progress.mistakes.map(|mistakes| counted(mistakes, "mistake")));
    // Last, where a narrow terminal cuts the line.
    if seconds > 0.0 {
        let rate = progress.rows_evaluated as f64 / seconds;
        parts.push(format!("{:.1} M rows/s", rate / 1e6));
    }
    parts.join(" · ")
}

/// How fast work goes on: when its share was first told, and what it was.
#[derive(Default)]
struct ProgressPace(Option<(Instant, f64)>);

impl ProgressPace {
    /// Returns the seconds that the rest takes at the pace so far; none if it is too early to tell.
    fn left(&mut self, share: f64, now: Instant) -> Option<f64> {
        let (began, first) = *self.0.get_or_insert((now, share));
        if share < first {
            // Work began anew.
            self.0 = Some((now, share));
            return None;
        }
        let (seconds, done) = ((now - began).as_secs_f64(), share - first);
        (seconds >= 0.5 && done > 0.005).then(|| seconds / done * (1.0 - share))
    }
}

/// Returns how much is done, and how long the rest takes.
fn percent(share: f64, left: Option<f64>) -> String {
    // All is done only when it is.
    let percent = format!("{:.0} %", (100.0 * share).floor());
    left.map_or(percent.clone(), |left| format!("{percent} · {} left", whole(left)))
}

/// Returns a time to come: nobody wants milliseconds of it.
fn whole(seconds: f64) -> String {
    duration(seconds.ceil().max(1.0)).replace(".0 s", " s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_pace_says() {
        let (mut pace, start) = (ProgressPace::default(), Instant::now());
        let after = |seconds| start + Duration::from_secs_f64(seconds);
        assert_eq!(pace.left(0.2, start), None);
        assert_eq!(pace.left(0.3, after(0.1)), None);
        let left = pace.left(0.4, after(2.0)).unwrap();
        assert!((left - 6.0).abs() < 1e-9);
        assert_eq!(pace.left(0.1, after(3.0)), None);
        let left = pace.left(0.6, after(4.0)).unwrap();
        assert!((left - 0.8).abs() < 1e-9);
    }

    #[test]
    fn shares_and_times_to_come() {
        assert_eq!(percent(0.9999, Some(0.2)), "99 % · 1 s left");
        assert_eq!(percent(0.5, None), "50 %");
        assert_eq!(percent(0.05, Some(23_990.0)), "5 % · 6 h 40 min left");
    }

    #[test]
    fn a_fit_says_how_far_it_is() {
        let progress = Progress {
            epoch: 26,
            max_epochs: 100,
            position: 0,
            rows: 1000,
            mistakes: Some(7),
            rows_evaluated: 25_000_000,
            elapsed: Duration::from_secs(10),
            time_limit: None,
        };
        let expected = "epoch 26/100 · 25 % · 30 s to the last epoch · 7 mistakes · 2.5 M rows/s";
        assert_eq!(line(&progress), expected);
        let limited = Progress { time_limit: Some(Duration::from_secs(135)), ..progress };
        let expected = "epoch 26/100 · 2 min 5 s left to the limit · 7 mistakes · 2.5 M rows/s";
        assert_eq!(line(&limited), expected);
    }
}
