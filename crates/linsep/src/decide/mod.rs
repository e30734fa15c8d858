//! The deciding engine: separable, quasi-separable, inseparable or undecided, with a proof.
//!
//! ```text
//! plan        which strategies, in which order, by the shape of the data
//! strategies  each comes back with a candidate, a conflict, or why it gave up
//!   folds     what a pass over all rows computes for them
//!   solvers   mathematics without data
//!   exact     integers
//! weak        after a conflict: quasi-separable or inseparable
//! certify     candidate or conflict to outcome; asks the checker
//! explain     why not: duplicates, suspects, what carries a weak separation
//! ```
//!
//! A floating-point threshold is never a verdict: every outcome except undecided carries a proof that
//! the checker has accepted, and a refused one sends the strategy back to work.

mod budget;
mod certify;
mod contradiction;
mod exact;
mod explain;
mod folds;
mod options;
mod outcome;
mod plan;
mod search;
mod solvers;
mod strategies;
mod watch;
mod weak;

#[cfg(feature = "internals")]
pub mod internals;

use linsep_data::{Data, Memory};

use budget::Budget;
use contradiction::first_contradiction;
use search::Search;
use strategies::{Found, GaveUp, Strategy};

pub use budget::Limit;
pub use explain::{Carried, ExplainOptions, Explanation, Removal, RemovedRow, explain};
pub use linsep_proof::{Conflict, Margin, MarginKind, RowWeights, Verdict};
pub use options::{DecideOptions, MarginGoal, OptionError};
pub use outcome::{Because, Closest, Decision, Outcome, Way, WeakSeparator};
pub use watch::{Pass, Watch};

pub(crate) use exact::integers::rounded;
pub(crate) use exact::span::determined;

use crate::{Error, Samples};

/// Why there is no decision at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// An option is out of its range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The data cannot be read.
    #[error(transparent)]
    Data(#[from] Error),
}

/// Decides whether `samples` are separable. Errors if an option is out of its range.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::{DecideOptions, Outcome, decide};
///
/// let xor = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
/// let samples = Samples::dense(xor, 2, vec![true, true, false, false])?;
/// let decision = decide(&samples, &DecideOptions::default(), &mut ())?;
/// let Outcome::Inseparable { conflict, proof, .. } = decision.outcome else { panic!() };
/// assert_eq!(conflict.rows(), [0, 1, 2, 3]);
/// assert!(linsep::proof::verify(&samples, &proof).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide(
    samples: &Samples,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Decision, DecideError> {
    decide_data(&Memory::new(samples), options, watch)
}

/// Decides whether data is separable, wherever it is. Errors if an option is out of its range, or if the
/// data cannot be read.
pub fn decide_data(
    data: &dyn Data,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Decision, DecideError> {
    options.validate()?;
    Ok(run(data, options, watch, Question::Which)?)
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Which of the three.
    Which,
    /// Separable or not: what is not is left undecided, with the conflict that shows it. More would
    /// take more work to tell.
    Strictly,
}

/// Decides whether samples are strictly separable.
fn decide_strictly(samples: &Samples, options: &DecideOptions, watch: &mut dyn Watch) -> Decision {
    let memory = Memory::new(samples);
    run(&memory, options, watch, Question::Strictly).expect("memory can be read")
}

fn run(
    data: &dyn Data,
    options: &DecideOptions,
    watch: &mut dyn Watch,
    question: Question,
) -> Result<Decision, Error> {
    let before = data.reads().passes(data.shape());
    let max_passes = before.saturating_add(options.max_passes);
    let budget = Budget::new(data, watch, max_passes, options.time_limit);
    let mut engine = Engine { search: Search::new(data, options, budget), question, proving: 0 };
    let (outcome, way) = engine.find()?;
    let (outcome, way) = engine.widen(outcome, way)?;
    let contradiction = match outcome.conflict().map(Conflict::rows) {
        Some(rows) => first_contradiction(&data.fetch(&rows)?).map(|(a, b)| (rows[a], rows[b])),
        None => None,
    };
    Ok(Decision {
        outcome,
        contradiction,
        way,
        passes: engine.search.budget.passes() - before,
        proving_passes: engine.proving,
        seconds: engine.search.budget.spent().as_secs_f64(),
    })
}

/// Lets strategies search and has proven what they find.
struct Engine<'a> {
    search: Search<'a>,
    question: Question,
    /// Passes that proved something.
    proving: u64,
}

impl Engine<'_> {
    /// Returns what the strategies of the plan find out, one after the other.
    fn find(&mut self) -> Result<(Outcome, Way), Error> {
        let resident = self.search.data.resident().is_some();
        let mut ended = (Way::WorkingSet, Because::TooDelicate);
        for step in plan::steps(self.search.shape, self.search.options, resident) {
            let mut strategy = strategies::start(step, &self.search);
            match self.pursue(&mut *strategy)? {
                Ok(outcome) => return Ok((outcome, strategy.way())),
                Err(GaveUp::Limit(limit)) => {
                    ended = (strategy.way(), Because::Limit(limit));
                    break;
                }
                Err(_) => ended.0 = strategy.way(),
            }
        }
        let outcome = self.proven(|search| certify::undecided(search, ended.1))?;
        Ok((outcome, ended.0))
    }

    /// Goes on from a separator to the one of largest geometric margin, if that is asked for.
    fn widen(&mut self, outcome: Outcome, way: Way) -> Result<(Outcome, Way), Error> {
        let sought = self.search.options.seeks(MarginKind::Geometric);
        let (Outcome::Separable { hyperplane, .. }, Some(size)) =
            (&outcome, plan::nearest_points(self.search.shape).filter(|_| sought))
        else {
            return Ok((outcome, way));
        };
        let mut strategy = strategies::nearest_points(way, hyperplane.clone(), size);
        let wider = self.pursue(&mut *strategy)?;
        Ok((wider.unwrap_or(outcome), way))
    }

    /// Lets a strategy go on until something is proven, or it gives up.
    fn pursue(&mut self, strategy: &mut dyn Strategy) -> Result<Result<Outcome, GaveUp>, Error> {
        loop {
            let outcome = match strategy.advance(&mut self.search)? {
                Found::Candidate => self.proven(certify::candidates)?,
                Found::Integers(w) => self.proven(|search| certify::integers(search, w))?,
                Found::Conflict(conflict) => self.conflict(conflict)?,
                Found::GaveUp(because) => return Ok(Err(because)),
            };
            if let Some(outcome) = outcome {
                return Ok(Ok(outcome));
            }
        }
    }

    fn conflict(&mut self, conflict: Conflict) -> Result<Option<Outcome>, Error> {
        match self.question {
            Question::Which => {
                let search = &self.search;
                let class = weak::classify(search.data, conflict, &|| search.budget.halted())?;
                self.proven(|search| certify::classified(search, class))
            }
            Question::Strictly => {
                let because = Because::WeakTooLarge;
                self.proven(|search| certify::unclassified(search, conflict, because))
            }
        }
    }

    /// Returns what `prove` returns, and counts the passes that it takes.
    fn proven<T>(
        &mut self,
        prove: impl FnOnce(&mut Search) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let before = self.search.budget.passes();
        let proven = prove(&mut self.search);
        self.proving += self.search.budget.passes() - before;
        proven
    }
}
