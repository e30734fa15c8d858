//! Which rows probably carry a wrong label, on any data: separable or not.
//!
//! In reading order: `content.rs` puts rows into an order that does not depend on where they stand, and deals
//! them out to folds; `softmax.rs` learns hyperplanes, `held_out.rs` asks them about rows that they have not
//! seen, `noise.rs` makes probabilities of the answers; `proven.rs` asks the deciding engine what can be proven.
//!
//! Two kinds of answers stand side by side, and are never mixed. *Suspicious* is a probability: hyperplanes that
//! were learnt from other rows contradict the label, more boldly than chance explains. *Proven* are facts that
//! the checker has accepted: a row stands under several labels, the rest is separable without it, the margin is
//! larger without it. Rows are ranked by the probability; proven facts break ties.

mod folds;
mod held_out;
mod noise;
mod proven;
mod softmax;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::Samples;
use crate::data::{Data, Error, Features};
use crate::decide::{Deadline, Limit, OptionError};
use crate::watch::Watch;
use folds::by_content;
use held_out::{HeldOut, held_out};
pub use proven::{Cost, Proven};

/// How to audit, and for how long. Options may be added: start from the default, and set what differs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AuditOptions {
    /// Separable data: bound the largest margin without each of this many suspects, the most suspicious first.
    /// Default 10, or none if there are more than a million values, where it would take longer than all else.
    pub leave_out: Option<usize>,
    /// The time after which the work ends; default none.
    pub time_limit: Option<Duration>,
}

impl AuditOptions {
    /// Returns the options with this number of rows that are left out one by one.
    pub fn with_leave_out(mut self, rows: impl Into<Option<usize>>) -> Self {
        self.leave_out = rows.into();
        self
    }

    /// Returns the options with this limit on time, or with none.
    pub fn with_time_limit(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.time_limit = limit.into();
        self
    }

    /// Returns an error that names the first option out of its range. [`audit`] asks it first.
    pub fn validate(&self) -> Result<(), OptionError> {
        match self.time_limit.is_some_and(|limit| limit.is_zero()) {
            true => Err(OptionError::new("time_limit", &0, "a time above 0")),
            false => Ok(()),
        }
    }
}

/// Why there is no audit at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// An option is out of its range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] Error),
    /// The rows are not in memory, where they have to be.
    #[error("an audit needs all rows in memory, and they do not fit")]
    DoesNotFit,
    /// A class has one row, and nothing is left to learn it from when that is held out.
    #[error("one row has the label \"{class}\"; an audit needs two of every class")]
    OneRow {
        /// The class, as it is called.
        class: String,
    },
}

/// An audit: all rows, and what makes them suspicious.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Audit {
    /// What the classes are called, in order; of two the negative one first.
    pub names: Vec<String>,
    /// All rows, the most suspicious first; none if the work was stopped before any could be judged.
    pub rows: Vec<AuditedRow>,
    /// How many of them, from the first on, are suspects: their labels are more probably wrong than right.
    pub suspects: usize,
    /// The number of wrong labels to expect: the sum of all probabilities.
    pub expected: f64,
    /// Groups of identical rows that stand under several labels, rows rising.
    pub contradictions: Vec<Vec<usize>>,
    /// What is proven about rows of two classes; none for more classes, or if the work was stopped before.
    pub proven: Option<Proven>,
    /// The ridge penalty with which hyperplanes are best on rows that they have not seen; none if no row was judged.
    pub penalty: Option<f64>,
    /// The limit that was reached before everything was done, if one was.
    pub stopped: Option<Limit>,
    /// Time.
    pub seconds: f64,
}

/// A row, and what makes it suspicious. Rows count from 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AuditedRow {
    /// The row.
    pub row: usize,
    /// Its class: 0 is negative and 1 positive where there are two.
    pub class: usize,
    /// The class into which hyperplanes put it that were learnt from other rows.
    pub suggested: usize,
    /// The probability that its label is wrong.
    pub probability: f64,
    /// The logarithmic odds of its label, before it is considered that labels may be wrong; rows are ranked by them.
    pub odds: f64,
    /// The share of hyperplanes that put it into another class.
    pub against: f64,
    /// Whether an identical row stands under another label: proven.
    pub contradicted: bool,
    /// Whether it is one of the rows without which the rest is proven to be separable; see [`Proven::removal`].
    pub in_the_way: bool,
    /// What it costs the largest margin, where all rows are separable.
    pub cost: Option<Cost>,
}

impl AuditedRow {
    /// Returns true if it is proven that the row conflicts with others; else it is at most suspicious.
    pub fn conflicts(&self) -> bool {
        self.contradicted || self.in_the_way
    }
}

impl Audit {
    /// Returns the suspects, the most suspicious first.
    pub fn suspects(&self) -> &[AuditedRow] {
        &self.rows[..self.suspects]
    }
}

/// Returns which rows of data probably carry a wrong label, wherever it is.
///
/// Errors if the rows cannot be read or do not fit in memory, and as [`audit`] does.
pub fn audit_data(
    data: &dyn Data,
    options: &AuditOptions,
    watch: &mut dyn Watch,
) -> Result<Audit, AuditError> {
    options.validate()?;
    audit(data.gather()?.ok_or(AuditError::DoesNotFit)?, options, watch)
}

/// Returns which rows probably carry a wrong label.
///
/// Errors if an option is out of its range, or if a class has one row only. Costs some thousand passes.
///
/// ```
/// use linsep::Samples;
/// use linsep::audit::{AuditOptions, audit};
///
/// // Both columns say "positive" from row 20 on; row 7 has the wrong label. Between them there is room.
/// let values = (0..40).flat_map(|k| [f64::from(k + 30 * (k / 20)), f64::from(k % 7 + 9 * (k / 20))]);
/// let labels = (0..40).map(|k| k >= 20 || k == 7).collect();
/// let samples = Samples::dense(values.collect(), 2, labels)?;
/// let audit = audit(&samples, &AuditOptions::default(), &mut ())?;
/// assert_eq!(audit.suspects().iter().map(|row| row.row).collect::<Vec<_>>(), [7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn audit(
    samples: &Samples,
    options: &AuditOptions,
    watch: &mut dyn Watch,
) -> Result<Audit, AuditError> {
    let classes: Vec<usize> = samples.positive().iter().map(|&p| usize::from(p)).collect();
    let names = [false, true].map(|class| samples.about().label(class).to_string());
    run(samples.features(), &classes, &names, Some(samples), options, watch)
}

/// Returns which rows of any number of classes, which have these names, probably carry a wrong label. Nothing is proven but that
/// rows stand under several labels.
///
/// Errors if an option is out of its range, or if a class has one row only.
///
/// # Panics
/// If there is not one class per row, or a class without a name, or fewer than two.
pub fn audit_classes(
    features: &Features,
    classes: &[usize],
    names: &[String],
    options: &AuditOptions,
    watch: &mut dyn Watch,
) -> Result<Audit, AuditError> {
    assert_eq!(features.rows(), classes.len(), "one class per row");
    assert!(names.len() >= 2, "two classes");
    run(features, classes, names, None, options, watch)
}

fn run(
    features: &Features,
    classes: &[usize],
    names: &[String],
    samples: Option<&Samples>,
    options: &AuditOptions,
    watch: &mut dyn Watch,
) -> Result<Audit, AuditError> {
    options.validate()?;
    let mut counts = vec![0; names.len()];
    classes.iter().for_each(|&class| counts[class] += 1);
    if let Some(class) = counts.iter().position(|&count| count == 1) {
        return Err(AuditError::OneRow { class: names[class].clone() });
    }
    let started = Instant::now();
    let work = Deadline::new(options.time_limit, watch.cancelled());
    let contents = by_content(features, classes);
    let found = held_out(features, classes, names.len(), &contents, &work, watch);
    let mut audit = Audit {
        names: names.to_vec(),
        rows: vec![],
        suspects: 0,
        expected: 0.0,
        contradictions: contents.contradictions(|i| classes[i]),
        proven: None,
        penalty: found.as_ref().map(|found| found.penalty),
        stopped: None,
        seconds: 0.0,
    };
    if let Some(found) = &found {
        rank(&mut audit, found, classes);
        audit.expected = contents.rows.iter().map(|&i| found.doubt[i]).sum();
        let suspects: Vec<usize> = audit.suspects().iter().map(|row| row.row).collect();
        let proofs = samples
            .and_then(|samples| proven::prove(samples, &suspects, options.leave_out, &work, watch));
        if let Some((proven, costs)) = proofs {
            note(&mut audit, proven, &costs);
        }
    }
    audit.stopped = work.limit();
    audit.seconds = started.elapsed().as_secs_f64();
    Ok(audit)
}

/// Ranks all rows by the odds of their labels.
fn rank(audit: &mut Audit, found: &HeldOut, classes: &[usize]) {
    let contradicted: HashSet<usize> = audit.contradictions.iter().flatten().copied().collect();
    let row = |i: usize| AuditedRow {
        row: i,
        class: classes[i],
        suggested: found.suggested[i],
        probability: found.doubt[i],
        odds: found.odds[i],
        against: found.against[i],
        contradicted: contradicted.contains(&i),
        in_the_way: false,
        cost: None,
    };
    audit.rows = (0..classes.len()).map(row).collect();
    audit.rows.sort_by(|a, b| {
        let proven = b.contradicted.cmp(&a.contradicted);
        a.odds.total_cmp(&b.odds).then(proven).then(a.row.cmp(&b.row))
    });
    audit.suspects = audit.rows.iter().take_while(|row| row.probability >= 0.5).count();
}

/// Notes what is proven beside the rows.
fn note(audit: &mut Audit, proven: Proven, costs: &[Cost]) {
    let in_the_way: HashSet<usize> =
        proven.removal.iter().flat_map(|removal| &removal.rows).map(|row| row.row).collect();
    for row in &mut audit.rows {
        row.in_the_way = in_the_way.contains(&row.row);
        row.cost = costs.get(row.row).copied();
    }
    audit.proven = Some(proven);
}
