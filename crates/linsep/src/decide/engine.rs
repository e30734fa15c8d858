//! The engine: lets strategies search, one after the other, and has proven what they find.

use linsep_data::{Data, Memory};
use linsep_proof::{Conflict, MarginKind, Overlap};

use super::budget::{Budget, Limit};
use super::contradiction::first_contradiction;
use super::journal::{Journal, JournalError};
use super::options::{DecideOptions, MarginGoal, OptionError};
use super::outcome::{Decision, Outcome, Way};
use super::passes::{PassError, Passes};
use super::search::Search;
use super::strategies::{self, Found, GaveUp, Strategy};
use super::weak::Weak;
use super::{certify, plan};
use crate::watch::Watch;
use crate::{Error, Hyperplane, Samples};

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
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl From<PassError> for DecideError {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Data(error) => error.into(),
            PassError::Journal(error) => error.into(),
        }
    }
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
/// let Outcome::Inseparable { overlap, proof, .. } = decision.outcome else { panic!() };
/// assert_eq!(overlap.rows(), [0, 1, 2, 3]);
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
///
/// The outcome, its proof and the passes are those of [`decide`] on the same rows in memory, to the last
/// bit. What needs all rows at once [gathers](Data::gather) them, and is left out where they do not fit: see
/// [`Decision::left_out`].
///
/// ```
/// use linsep::data::read::{ReadOptions, Source, StreamOptions, Streamed};
/// use linsep::data::write::{npy_header, npy_labels};
/// use linsep::decide::{DecideOptions, Verdict, decide_data};
/// use linsep::proof::verify_data;
///
/// let path = std::env::temp_dir().join(format!("linsep-decide-{}.npy", std::process::id()));
/// let values = [100.0_f64, 101.0].map(f64::to_le_bytes).concat();
/// std::fs::write(&path, [npy_header("<f8", &[2, 1]), values].concat())?;
/// std::fs::write(path.with_extension("labels.npy"), npy_labels(&[false, true]))?;
/// // The file is read in blocks, one per thread at a time.
/// let (source, stream) = (Source::from(path.as_path()), StreamOptions::default());
/// let file = Streamed::open(&source, &ReadOptions::default(), &stream, &|_rows| {})?;
/// let decision = decide_data(&file, &DecideOptions::default(), &mut ())?;
/// assert_eq!(decision.verdict(), Some(Verdict::Separable));
/// assert!(verify_data(&file, decision.proof().unwrap(), None)?.is_ok());
/// # std::fs::remove_file(&path)?;
/// # std::fs::remove_file(path.with_extension("labels.npy"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decide_data(
    data: &dyn Data,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Decision, DecideError> {
    options.validate()?;
    options.validate_for(data.shape().columns)?;
    Ok(run(&Passes::new(data), options, watch)?)
}

/// Decides as [`decide_data`] does, and keeps what each pass finds in a journal. With the journal of an
/// earlier run on the same data, which ended or was killed at any moment, the passes that this one made are
/// not made again, and the decision is what it would have been: outcome, proof and passes to the last bit.
///
/// The first pass is made in any case, to see that the data is the same, and so are those that prove the
/// answer. What is not found in passes (the dual descent, which visits rows in memory, and all work between
/// passes) is computed again.
///
/// Errors as [`decide_data`] does; also if the journal is of other data or options, cannot be written, or does
/// not fit what the search asks for. Limits may differ from those of the earlier run.
pub fn decide_resumable(
    data: &dyn Data,
    options: &DecideOptions,
    watch: &mut dyn Watch,
    journal: &mut Journal,
) -> Result<Decision, DecideError> {
    options.validate()?;
    options.validate_for(data.shape().columns)?;
    Ok(run(&Passes::with_journal(data, options, journal)?, options, watch)?)
}

/// What is known of strict separation.
pub(super) enum Strictly {
    /// A hyperplane separates.
    Separable(Hyperplane),
    /// These rows rule it out.
    Overlap(Overlap),
    /// A limit was reached first.
    Undecided,
}

/// Returns whether samples are strictly separable: to tell more of those that are not would take more
/// work.
pub(super) fn decide_strictly(
    samples: &Samples,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Strictly {
    let memory = Memory::new(samples);
    let passes = Passes::new(&memory);
    let mut engine = Engine::new(&passes, options, watch, SearchGoal::Strict);
    let found = engine.find().and_then(|found| match found {
        Ok((outcome, way)) => engine.widen(outcome, way).map(Ok),
        Err(conflict) => Ok(Err(conflict)),
    });
    match found.expect("memory can be read") {
        Ok((Outcome::Separable { hyperplane, .. }, _)) => Strictly::Separable(hyperplane),
        Ok((outcome, _)) => match outcome.overlap() {
            Some(overlap) => Strictly::Overlap(overlap.clone()),
            None => Strictly::Undecided,
        },
        Err(conflict) => Strictly::Overlap(Overlap::Conflict(conflict)),
    }
}

fn run<'a>(
    data: &'a Passes<'a>,
    options: &'a DecideOptions,
    watch: &'a mut dyn Watch,
) -> Result<Decision, PassError> {
    let before = data.reads().passes(data.shape());
    let mut engine = Engine::new(data, options, watch, SearchGoal::Which);
    let Ok((outcome, way)) = engine.find()? else {
        unreachable!("a conflict is classified");
    };
    let (outcome, way) = engine.widen(outcome, way)?;
    // Rows that make a matrix are many, and a conflict of two rows is looked for before them.
    let contradiction = match outcome.conflict().map(Conflict::rows) {
        Some(rows) => first_contradiction(&data.fetch(&rows)?).map(|(a, b)| (rows[a], rows[b])),
        None => None,
    };
    let limited = engine.search.budget.limit().is_some();
    let unfinished = match outcome {
        Outcome::Undecided { .. } => true,
        Outcome::Separable { .. } => limited && options.margin == MarginGoal::Max,
        _ => false,
    };
    let left_out = !data.raw().fits() && plan::needs_all_rows(data.shape(), options);
    Ok(Decision {
        outcome,
        left_out,
        unfinished,
        contradiction,
        way,
        passes: engine.search.budget.passes() - before,
        proving_passes: engine.proving,
        drawing_passes: 0,
        seconds: engine.search.budget.spent().as_secs_f64(),
    })
}

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchGoal {
    /// Which of the three.
    Which,
    /// Separable or not.
    Strict,
}

/// Lets strategies search and has proven what they find.
struct Engine<'a> {
    search: Search<'a>,
    question: SearchGoal,
    /// Passes that proved something.
    proving: u64,
}

/// How a search ended: with an outcome, on that way, or with rows that rule a strict separation out, where
/// no more was asked.
type SearchEnd = Result<(Outcome, Way), Conflict>;

/// Why a strategy is left.
enum Left {
    GaveUp(GaveUp),
    Conflict(Conflict),
}

impl<'a> Engine<'a> {
    fn new(
        data: &'a Passes<'a>,
        options: &'a DecideOptions,
        watch: &'a mut dyn Watch,
        question: SearchGoal,
    ) -> Self {
        let before = data.reads().passes(data.shape());
        let most = options.max_passes.unwrap_or(u64::MAX);
        let max_passes = before.saturating_add(most);
        let budget = Budget::new(data.raw(), watch, max_passes, options.time_limit);
        Engine { search: Search::new(data, options, budget), question, proving: 0 }
    }

    /// Returns what the strategies of the plan find out, one after the other. The last one gives up at a
    /// limit only.
    fn find(&mut self) -> Result<SearchEnd, PassError> {
        let fits = self.search.data.raw().fits();
        let mut ended = (Way::WorkingSet, None);
        for step in plan::steps(self.search.shape, self.search.options, fits) {
            let mut strategy = strategies::start(step, &self.search)?;
            ended.0 = strategy.way();
            match self.pursue(&mut *strategy)? {
                Ok(outcome) => return Ok(Ok((outcome, ended.0))),
                Err(Left::Conflict(conflict)) => return Ok(Err(conflict)),
                Err(Left::GaveUp(GaveUp::Limit(limit))) => {
                    ended.1 = Some(limit);
                    break;
                }
                Err(Left::GaveUp(_)) => {}
            }
        }
        let limit = ended.1.or(self.search.budget.limit()).unwrap_or(Limit::Unconfirmed);
        let outcome = self.proven(|search| certify::undecided(search, limit))?;
        Ok(Ok((outcome, ended.0)))
    }

    /// Goes on from a separator to the one of largest geometric margin, if that is asked for.
    fn widen(&mut self, outcome: Outcome, way: Way) -> Result<(Outcome, Way), PassError> {
        let Outcome::Separable { hyperplane, .. } = &outcome else {
            return Ok((outcome, way));
        };
        if self.search.options.seeks(MarginKind::Geometric) {
            for step in plan::widening(self.search.shape) {
                let mut strategy = strategies::widening(step, way, hyperplane.clone());
                if let Ok(wider) = self.pursue(&mut *strategy)? {
                    return Ok((wider, way));
                }
            }
        }
        Ok((outcome, way))
    }

    /// Lets a strategy go on until something is proven, or it is left.
    fn pursue(&mut self, strategy: &mut dyn Strategy) -> Result<Result<Outcome, Left>, PassError> {
        loop {
            let outcome = match strategy.advance(&mut self.search)? {
                Found::Candidate => self.proven(certify::candidates)?,
                Found::Integers(w) => self.proven(|search| certify::integers(search, w))?,
                Found::Conflict(conflict) if self.question == SearchGoal::Strict => {
                    return Ok(Err(Left::Conflict(conflict)));
                }
                Found::Conflict(conflict) => self.classified(conflict)?,
                Found::Matrix(found) => self.proven(|search| certify::matrix(search, *found))?,
                Found::GaveUp(because) => return Ok(Err(Left::GaveUp(because))),
            };
            if let Some(outcome) = outcome {
                return Ok(Ok(outcome));
            }
        }
    }

    /// Returns what a conflict turns out to be or, at a limit, that it is one.
    fn classified(&mut self, conflict: Conflict) -> Result<Option<Outcome>, PassError> {
        let mut weak = Weak::new(conflict.clone());
        loop {
            let search = &self.search;
            let Some(class) = weak.advance(search.data, &search.budget.halt_between_passes())?
            else {
                break;
            };
            if let Some(outcome) = self.proven(|search| certify::classified(search, class))? {
                return Ok(Some(outcome));
            }
        }
        let limit = self.search.budget.limit().unwrap_or(Limit::Unconfirmed);
        self.proven(|search| certify::unclassified(search, conflict, limit))
    }

    /// Returns what `prove` returns, and counts the passes that it takes.
    fn proven<T>(
        &mut self,
        prove: impl FnOnce(&mut Search) -> Result<T, PassError>,
    ) -> Result<T, PassError> {
        let before = self.search.budget.passes();
        let proven = prove(&mut self.search);
        self.proving += self.search.budget.passes() - before;
        proven
    }
}
