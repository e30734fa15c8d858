//! Does a model have a maximum likelihood estimate, and if not, which coefficients run away?
//!
//! ```text
//! F = the vectors on which all directions of growing likelihood vanish                     cone.rs
//! the directions span what is orthogonal to F, so for a coefficient k
//!
//!     some direction that changes no vector has g_k ≠ 0     aliased: any value of the coefficient does
//!     some other direction orthogonal to F has              infinite; where to is found in signs.rs
//!     none has                                              finite
//! ```
//!
//! A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression
//! models, Biometrika 71 (1984). C. Geyer, Likelihood inference in exponential families and directions of
//! recession, Electronic Journal of Statistics 3 (2009).

use std::fmt;

use dashu_int::IBig;
use linsep_data::samples::{LabelNames, Labels, Missing};
use linsep_data::{Data, Features, Memory};
use linsep_proof::Proof;
use linsep_proof::structure::{Coefficient, Model, ModelError, Response, Structure, Trial, Vector};
use rayon::prelude::*;

use super::absorbed::FactorLevels;
use super::allowance::Allowance;
use super::allowed::{Allowed, allowed};
use super::cone::{Face, face, interior};
use super::question::DirectionQuestion;
use super::signs::signs;
use super::space::{Space, on_one_exponent, telling};
use crate::Samples;
use crate::decide::{
    Constants, DecideError, DecideOptions, Halt, Limit, Mirror, Watch, free, rounded, spread,
};
use crate::queries::fold;

/// Rows per column with which the search for rows that span all starts.
const STARTING_ROWS: usize = 2;

/// Which model, and for how long to look. Options may be added: start from the default, and set what
/// differs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeparationOptions {
    /// Whether a binomial model adds a constant to the design, as column 0; default false. Other models say so
    /// themselves.
    pub intercept: bool,
    /// The number of separated rows to name; default none, which is all. The list of them is all that is ever
    /// as long as the data.
    pub most_rows: Option<usize>,
    /// Coefficients to begin with, one finite number each, in the order of [`Separation::coefficients`]: those of a fitted model, as a rule.
    /// Default none. They change no answer, only how soon it is found.
    pub start: Option<Vec<f64>>,
    /// The limits of the whole question: passes and time.
    pub limits: DecideOptions,
}

impl SeparationOptions {
    /// Returns the options for a model that adds a constant, or for one that does not.
    pub fn with_intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Returns the options with at most `most` separated rows to name.
    pub fn with_most_rows(mut self, most: usize) -> Self {
        self.most_rows = Some(most);
        self
    }

    /// Returns the options with these coefficients to begin with, or with none.
    pub fn with_start(mut self, start: impl Into<Option<Vec<f64>>>) -> Self {
        self.start = start.into();
        self
    }

    /// Returns the options with these limits of the whole question.
    pub fn with_limits(mut self, limits: DecideOptions) -> Self {
        self.limits = limits;
        self
    }
}

/// Whether the maximum likelihood estimate exists, and why not. Rows and coefficients count from 0; in a
/// binomial model that adds a constant, that is coefficient 0.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Separation {
    /// Which case it is. Where it is undecided nothing else is known, except what `conflict` and `proof` may show:
    /// that no direction separates all rows.
    pub kind: SeparationKind,
    /// What a limit has left open of a kind that is proven, and which limit.
    pub open: Option<(Open, Limit)>,
    /// The coefficients of the model, in order.
    pub coefficients: Vec<Coefficient>,
    /// Those, rising, that run away, and where to.
    pub infinite: Vec<(usize, Sign)>,
    /// Those, rising, that have no value of their own: they can be changed, with
    /// others, without changing what the model says of any row.
    pub aliased: Vec<usize>,
    /// The number of structure vectors that are separated: what the likelihood of the data comes to exclude. Where a row
    /// makes one vector, rows.
    pub separated: usize,
    /// How many structure vectors there are.
    pub vectors: usize,
    /// How many rows count: all but those of weight zero, and those without a trial.
    pub counted: usize,
    /// The rows, rising, that make the separated ones: all, or the first of them if no more were asked for.
    pub rows: Vec<usize>,
    /// Those of them that make no other vector: they have nothing to say in the limiting model.
    pub settled: Vec<usize>,
    /// The separated vectors; none where a row makes one vector.
    pub excluded: Vec<Vector>,
    /// The dimension of the cone of directions along which the likelihood never falls, without those that change
    /// nothing.
    pub cone_dimension: usize,
    /// The number of independent combinations of coefficients that change nothing.
    pub aliased_dimension: usize,
    /// Coefficients, rising, that can be left out of the model of the rows that are not separated: what remains has a finite
    /// estimate, to which the likelihood of this one comes as near as one likes.
    pub left_out: Vec<usize>,
    /// A direction, to the rounding of floats, along which the likelihood grows for ever, for just these
    /// rows; its largest number is 1. None if no row is separated, or if factors are absorbed.
    pub direction: Option<Vec<f64>>,
    /// Rows, rising, that hold the estimates of the other coefficients, or of all, in place: they overlap.
    pub conflict: Vec<usize>,
    /// The proof of the kind, about the rows that [`Structure`] shows.
    pub proof: Option<Proof>,
    /// What becomes of the levels of each factor that is absorbed; none without one.
    pub absorbed: Vec<FactorLevels>,
}

/// The three cases, and none of them. Displayed in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SeparationKind {
    /// Some direction separates all rows.
    Complete,
    /// Some direction separates some rows, and none of the others the wrong way.
    QuasiComplete,
    /// The estimate exists.
    Overlap,
    /// No answer was proven.
    Undecided(Limit),
}

/// What is not known where a limit was reached after the kind was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Open {
    /// Which coefficients are infinite or aliased. The separated rows are so, and others may be.
    Coefficients,
    /// Some signs of infinite coefficients: the sign that is named occurs, and the other may.
    Signs,
}

impl Open {
    /// Returns it in a word, for programs.
    pub fn word(self) -> &'static str {
        match self {
            Open::Coefficients => "coefficients",
            Open::Signs => "signs",
        }
    }
}

/// Where a coefficient runs to. Displayed as "+inf", "-inf" or "±inf".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Plus infinity.
    Plus,
    /// Minus infinity.
    Minus,
    /// Some directions of growing likelihood lead one way, and some the other.
    Either,
}

impl fmt::Display for SeparationKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            SeparationKind::Complete => "complete",
            SeparationKind::QuasiComplete => "quasi-complete",
            SeparationKind::Overlap => "overlap",
            SeparationKind::Undecided(_) => "undecided",
        })
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Sign::Plus => "+inf",
            Sign::Minus => "-inf",
            Sign::Either => "±inf",
        })
    }
}

/// Why there is no answer about a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeparationError {
    /// The response does not fit the model, or has nothing to say.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option is out of its range, or the data cannot be read.
    #[error(transparent)]
    Decide(#[from] DecideError),
}

impl From<linsep_data::Error> for SeparationError {
    fn from(error: linsep_data::Error) -> Self {
        SeparationError::Decide(error.into())
    }
}

/// Returns whether a logistic regression of the labels on the features has a maximum likelihood estimate,
/// and which coefficients run away if not. Errors if an option is out of its range.
///
/// The kind is proven, and the rows and columns are found without rounding. A limit holds for the whole question; what
/// was proven before it is reached is said all the same, and [`Separation::open`] says what is not known.
///
/// Cost: one decision per step to the face (there are few steps), and a few passes to find the signs of infinite
/// columns.
///
/// ```
/// use linsep::Samples;
/// use linsep::models::{SeparationKind, SeparationOptions, Sign, check_separation};
///
/// // A dummy variable that is 1 in successes alone, beside a variable that overlaps.
/// let design = vec![0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 1.0, 2.0, 1.0, 3.0];
/// let outcomes = vec![false, true, false, true, true, true];
/// let samples = Samples::dense(design, 2, outcomes)?;
/// let options = SeparationOptions::default().with_intercept(true);
/// let found = check_separation(&samples, &options, &mut ())?;
/// assert_eq!(found.kind, SeparationKind::QuasiComplete);
/// assert_eq!(found.infinite, [(1, Sign::Plus)]);
/// assert_eq!(found.rows, [4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_separation(
    samples: &Samples,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, DecideError> {
    check_separation_data(&Memory::new(samples), options, watch)
}

/// Returns the same as [`check_separation`] for data wherever it is: in memory, on the disk, on other
/// machines. Errors if an option is out of its range, or if the data cannot be read.
///
/// Nothing as long as the data is held or sent, except the list of separated rows: see
/// [`SeparationOptions::most_rows`].
///
/// Cost: that of [`check_separation`], and a few passes that find out which rows and columns are held.
pub fn check_separation_data(
    data: &dyn Data,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, DecideError> {
    options.limits.validate()?;
    let question = DirectionQuestion::binomial(data, options.intercept)?;
    let model = Model::Binomial { intercept: options.intercept };
    Ok(named(answer(&question, options, watch)?, model, question.constant))
}

/// Returns the answer with a proof that names the model.
fn named(mut found: Separation, model: Model, constant: Option<usize>) -> Separation {
    found.proof = found.proof.map(|proof| proof.of_model(model, constant));
    found
}

/// Returns whether a model of these rows has a maximum likelihood estimate, and which coefficients run away if
/// not. Rows that are not `kept` (those of weight zero) are left out.
///
/// Errors if the response does not fit the model, or has nothing to say, and as [`check_separation_data`] does.
///
/// ```
/// use linsep::data::{Features, samples::Dense};
/// use linsep::models::{Model, Response, SeparationKind, SeparationOptions, Sign, Ties, check_model};
///
/// // Every event occurs in the row with the largest x of those at risk.
/// let design = Features::from(Dense::new(vec![4.0, 3.0, 2.0, 1.0], 4, 1));
/// let response = Response::Survival {
///     times: vec![1.0, 2.0, 3.0, 4.0],
///     events: vec![true, true, false, true],
///     entries: None,
///     groups: None,
/// };
/// let model = Model::Cox { ties: Ties::Efron };
/// let options = SeparationOptions::default();
/// let found = check_model(&design, &model, &response, None, &options, &mut ())?;
/// assert_eq!(found.kind, SeparationKind::Complete);
/// assert_eq!(found.infinite, [(0, Sign::Plus)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_model(
    design: &Features,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, SeparationError> {
    options.limits.validate().map_err(DecideError::from)?;
    let structure = Structure::new(design, model, response, kept)?;
    let mut options = options.clone();
    let allowed = allowed(design, model, response, kept, &mut options.limits, watch)?;
    if let Allowed::Open(because) = allowed {
        let once = structure.once();
        let kind = SeparationKind::Undecided(because);
        let nothing = nothing(&DirectionQuestion::of(&structure, &once));
        return Ok(Separation { kind, counted: counted(design, response, kept), ..nothing });
    }
    let options = &options;
    let named = |found: Separation, constant: Option<usize>| {
        let mut found = named(found, *model, constant);
        if let (Allowed::Coefficients(coefficients), None) = (&allowed, constant)
            && found.kind != SeparationKind::Complete
        {
            found.proof = found.proof.map(|proof| proof.with_allowed(coefficients.clone()));
        }
        found
    };
    if let (
        Model::Binomial { intercept }
        | Model::LogBinomial { intercept }
        | Model::Poisson { intercept }
        | Model::NegativeBinomial { intercept },
        Some(positive),
    ) = (model, structure.plain_labels())
    {
        // Rows of the design, one vector each: these need not be made.
        let labels = Labels { positive, names: LabelNames::default() };
        let samples = Samples::part(design.clone(), labels, Missing::Refuse)?;
        let memory = Memory::new(&samples);
        let question = DirectionQuestion::binomial(&memory, *intercept)?;
        return Ok(named(answer(&question, options, watch)?, question.constant));
    }
    let structure = match constant_column(&structure)? {
        Some((column, _)) => structure.with_constant(column).expect("a constant column"),
        None => structure,
    };
    let once = structure.once();
    let question = DirectionQuestion::of(&structure, &once);
    let mut found = answer(&question, options, watch)?;
    name_rows(&structure, &mut found);
    found.counted = counted(design, response, kept);
    Ok(named(found, question.constant))
}

/// Returns how many rows count: those of a weight above zero that have seen a trial.
fn counted(design: &Features, response: &Response, kept: Option<&[bool]>) -> usize {
    let tried =
        |row: usize| !matches!(response, Response::Trials(trials) if trials[row] == Trial::Neither);
    let counts = |&row: &usize| tried(row) && kept.is_none_or(|kept| kept[row]);
    (0..design.rows()).filter(counts).count()
}

/// Returns a column that is constant, if the bias can stand for one, and whether it is positive.
pub(super) fn constant_column(
    structure: &Structure,
) -> Result<Option<(usize, bool)>, linsep_data::Error> {
    if !structure.is_doubled() || !structure.is_plain() {
        return Ok(None);
    }
    let found = fold(&structure.once(), &Constants)?.found();
    // In rows that are left out it may be something else.
    let column = found.first().map(|&(column, value)| (column, value > 0.0));
    Ok(column.filter(|&(column, _)| structure.is_constant(column)))
}

/// Says which rows the separated vectors are made of.
fn name_rows(structure: &Structure, found: &mut Separation) {
    let numbers = std::mem::take(&mut found.rows);
    found.excluded = numbers.iter().filter_map(|&k| structure.vector(k)).collect();
    let pairs = structure.is_of_pairs();
    let made_by = |vector: &Vector| {
        [vector.row].into_iter().chain(pairs.then_some(vector.other)).collect::<Vec<usize>>()
    };
    let distinct = |mut rows: Vec<usize>| {
        rows.sort_unstable();
        rows.dedup();
        rows
    };
    found.rows = distinct(found.excluded.iter().flat_map(made_by).collect());
    let held = (0..structure.vectors()).filter(|k| numbers.binary_search(k).is_err());
    let held =
        distinct(held.filter_map(|k| structure.vector(k)).flat_map(|v| made_by(&v)).collect());
    found.settled =
        found.rows.iter().copied().filter(|row| held.binary_search(row).is_err()).collect();
    let conflict = found.conflict.iter().filter_map(|&k| structure.vector(k));
    found.conflict = distinct(conflict.flat_map(|vector| made_by(&vector)).collect());
}

/// Returns whether some direction g has v·g >= 0 for all rows v, and > 0 for some: for those with a model of their
/// own. Errors as [`check_separation_data`] does.
pub fn check_recession(
    vectors: &Features,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, SeparationError> {
    let labels = Response::labels(&vec![true; vectors.rows()]);
    check_model(vectors, &Model::Binomial { intercept: false }, &labels, None, options, watch)
}

fn answer(
    question: &DirectionQuestion,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, DecideError> {
    let limits = match &options.start {
        Some(start) => options.limits.clone().with_start(question.plane(start)?),
        None => options.limits.clone(),
    };
    let allowance = Allowance::new(question.data, &limits);
    let face = face(question, &allowance, watch)?;
    if let (Some(because), 0) = (face.stopped, face.steps()) {
        let (conflict, proof) = (face.conflict, face.proof);
        let kind = SeparationKind::Undecided(because);
        return Ok(Separation { kind, conflict, proof, ..nothing(question) });
    }
    let cancelled = watch.cancelled();
    let limit = || allowance.limit(cancelled);
    let halt = || limit().is_some();
    let most_rows = options.most_rows.unwrap_or(usize::MAX);
    let rows = face.rows_off(question, most_rows)?;
    let known = Separation {
        kind: match face.vectors {
            0 => SeparationKind::Complete,
            vectors if vectors == question.vectors => SeparationKind::Overlap,
            _ => SeparationKind::QuasiComplete,
        },
        separated: question.vectors - face.vectors,
        settled: rows.clone(),
        rows,
        conflict: face.conflict.clone(),
        proof: face.proof.clone(),
        ..nothing(question)
    };
    let open = |what: Open, known: Separation| {
        // A halt without a limit cannot be, and numbers made against a prime are no other.
        let because = face.stopped.or_else(limit).unwrap_or(Limit::Unconfirmed);
        Separation { open: Some((what, because)), ..known }
    };
    if face.stopped.is_some() {
        return Ok(open(Open::Coefficients, known));
    }
    let Some(strict) = interior(question, &face, &halt)? else {
        return Ok(open(Open::Coefficients, known));
    };
    let direction = strict.as_ref().map(|strict| in_coefficients(question, strict));
    let known = Separation { direction, ..known };
    let Some(columns) =
        CoefficientLists::of(question, &face, &halt, &|| allowance.late(cancelled).is_some())?
    else {
        return Ok(open(Open::Coefficients, known));
    };
    let (signs, all) = match &strict {
        Some(strict) => signs(question, &face, strict, &columns.infinite, &halt)?,
        None => (vec![], true),
    };
    let known = Separation {
        infinite: columns.infinite.into_iter().zip(signs).collect(),
        aliased: columns.aliased,
        cone_dimension: columns.cone_dimension,
        aliased_dimension: columns.aliased_dimension,
        left_out: columns.left_out,
        ..known
    };
    Ok(if all { known } else { open(Open::Signs, known) })
}

/// Returns what is known before anything is.
fn nothing(question: &DirectionQuestion) -> Separation {
    Separation {
        kind: SeparationKind::Undecided(Limit::Unconfirmed),
        open: None,
        coefficients: question.coefficients.clone(),
        infinite: vec![],
        aliased: vec![],
        separated: 0,
        vectors: question.vectors,
        counted: question.data.shape().rows,
        rows: vec![],
        settled: vec![],
        excluded: vec![],
        cone_dimension: 0,
        aliased_dimension: 0,
        left_out: vec![],
        direction: None,
        conflict: vec![],
        proof: None,
        absorbed: vec![],
    }
}

/// Returns what a direction is in the coefficients of the model, the largest of them 1.
fn in_coefficients(question: &DirectionQuestion, direction: &[IBig]) -> Vec<f64> {
    let values =
        question.coefficients.iter().map(|own| super::question::value(own, direction)).collect();
    let mut floats = rounded(&on_one_exponent(values));
    // What stands for a constant column is given times its number.
    for (float, own) in floats.iter_mut().zip(&question.coefficients) {
        *float /= own.at[0].1.abs();
    }
    let largest = floats.iter().fold(0.0, |largest: f64, w| largest.max(w.abs()));
    if largest > 0.0 {
        floats.iter_mut().for_each(|w| *w /= largest);
    }
    floats
}

/// What becomes of the coefficients.
struct CoefficientLists {
    infinite: Vec<usize>,
    aliased: Vec<usize>,
    cone_dimension: usize,
    aliased_dimension: usize,
    left_out: Vec<usize>,
}

impl CoefficientLists {
    /// Returns it, or nothing if the work was halted: between passes, or in what makes none. Errors if the data cannot be
    /// read.
    fn of(
        question: &DirectionQuestion,
        face: &Face,
        between_passes: Halt,
        halt: Halt,
    ) -> Result<Option<Self>, DecideError> {
        // Of all rows the proof has told already, if all are on the face.
        let unchanged = match face.vectors == question.vectors {
            true => face.space.clone(),
            false => {
                let rows = question.data.shape().rows;
                let some = spread(rows, STARTING_ROWS * question.dimension());
                // Rows that hold parts of numbers together come last, and matter.
                let mut some: Vec<usize> = some.into_iter().chain(question.vectors..rows).collect();
                some.sort_unstable();
                some.dedup();
                let shown = question.shown(Mirror::default());
                let known = question.known_free();
                match free(&shown, question.start(some), known, between_passes)? {
                    Some(vectors) => {
                        let own = |v: Vec<IBig>| question.direction(v);
                        Space::Spanned(vectors.into_iter().map(own).collect())
                    }
                    None => return Ok(None),
                }
            }
        };
        let own = &question.coefficients;
        let all = 0..own.len();
        let moved = |space: &Space| -> Option<Vec<bool>> {
            let moves = |k: usize| (!halt()).then(|| space.moves(&own[k]));
            all.clone().into_par_iter().map(moves).collect()
        };
        let (Some(changes), Some(runs)) = (moved(&unchanged), moved(&face.space)) else {
            return Ok(None);
        };
        let aliased: Vec<usize> = all.clone().filter(|&k| changes[k]).collect();
        let infinite: Vec<usize> = all.filter(|&k| runs[k] && !changes[k]).collect();
        // Aliased ones first, so that what is left out of the limiting model is what has no value anyway.
        let (mut left_out, aliased_dimension) = match aliased.is_empty() {
            true => (vec![], 0),
            false => {
                let Some(told) = telling(&unchanged, own, aliased.iter().rev().copied(), halt)
                else {
                    return Ok(None);
                };
                let count = told.len();
                (told, count)
            }
        };
        let order = left_out.iter().chain(infinite.iter().rev()).chain(aliased.iter().rev());
        let order = order.copied().collect::<Vec<_>>().into_iter();
        let Some(told) = telling(&face.space, own, order, halt) else {
            return Ok(None);
        };
        left_out = told;
        left_out.sort_unstable();
        let cone_dimension = left_out.len() - aliased_dimension.min(left_out.len());
        Ok(Some(CoefficientLists {
            infinite,
            aliased,
            cone_dimension,
            aliased_dimension,
            left_out,
        }))
    }
}
