//! Does a logistic regression have an estimate, and if not, which coefficients run away?
//!
//! ```text
//! F = the rows on which all directions of growing likelihood vanish                        cone.rs
//! some direction g is strict off F. Moved a little within the null space of F it stays one, so the
//! directions span that null space:
//!
//!     e_k is no combination of all rows         aliased: any value of the coefficient does
//!     e_k is one of all rows, not of those on F infinite
//!     e_k is one of rows on F                   finite
//!
//! An infinite coefficient with g_k = 0 can run either way: g moved by a little of v or -v, with v in the
//! null space and v_k not zero. One with g_k > 0 can run to minus infinity as well if some direction has
//! -g_k > 0: asked as one more row.
//! ```
//!
//! A. Albert and J. Anderson, On the existence of maximum likelihood estimates in logistic regression
//! models, Biometrika 71 (1984).

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use linsep_data::{Data, Memory};

use super::cone::{Design, Face, direction, face};
use crate::Samples;
use crate::decide::{DecideError, DecideOptions, Limit, Mirrored, Unit, Watch, determined, spread};

/// Rows per column with which the search for rows that span all starts.
const STARTING_ROWS: usize = 2;

/// Which model, and for how long to look. Options may be added: start from the default, and set what
/// differs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeparationOptions {
    /// Whether the model adds a constant to the design, as column 0; default false.
    pub intercept: bool,
    /// The number of separated rows to name; default none, which is all. The list of them is all that is ever
    /// as long as the data.
    pub most_rows: Option<usize>,
    /// The limits of each decision: passes and time.
    pub limits: DecideOptions,
}

impl SeparationOptions {
    /// Returns the options for a model that adds a constant, or for one that does not.
    pub fn with_intercept(mut self, intercept: bool) -> Self {
        self.intercept = intercept;
        self
    }

    /// Returns the options with so many separated rows to name.
    pub fn with_most_rows(mut self, most: usize) -> Self {
        self.most_rows = Some(most);
        self
    }

    /// Returns the options with these limits of each decision.
    pub fn with_limits(mut self, limits: DecideOptions) -> Self {
        self.limits = limits;
        self
    }
}

/// Whether the maximum likelihood estimate exists, and why not. Rows and columns count from 0; column 0
/// is the constant where the model adds one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Separation {
    /// Which case it is. Where it is undecided nothing else is known.
    pub kind: SeparationKind,
    /// The columns, rising, whose coefficients run away, and where to.
    pub infinite: Vec<(usize, Sign)>,
    /// The columns, rising, whose coefficients have no value of their own: they can be changed, with
    /// others, without changing what the model says of any row.
    pub aliased: Vec<usize>,
    /// The number of rows whose fitted probabilities run to 0 or 1: they cause the separation.
    pub separated: usize,
    /// These rows, rising: all, or the first of them if no more were asked for.
    pub rows: Vec<usize>,
    /// A direction, to the rounding of floats, along which the likelihood grows for ever, for just these
    /// rows; its largest number is 1. None if no row is separated.
    pub direction: Option<Vec<f64>>,
    /// Rows, rising, that hold the estimates of the other columns, or of all, in place: they overlap.
    pub conflict: Vec<usize>,
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

impl Separation {
    fn undecided(because: Limit) -> Self {
        Separation {
            kind: SeparationKind::Undecided(because),
            infinite: vec![],
            aliased: vec![],
            separated: 0,
            rows: vec![],
            direction: None,
            conflict: vec![],
        }
    }
}

/// Returns whether a logistic regression of the labels on the features has a maximum likelihood estimate,
/// and which coefficients run away if not. Errors if an option is out of its range.
///
/// The kind is proven, and the rows and columns are found without rounding. Where a limit is reached
/// while the sign of a coefficient is looked for, the one that is known to occur stands for it.
///
/// Cost: one decision per step to the face, of which there are few, and at most one more per infinite
/// column.
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
    let limits = &options.limits;
    limits.validate()?;
    let design = Design { data, constant: options.intercept };
    let face = face(design, None, limits, watch)?;
    if let Some(because) = face.stopped {
        return Ok(Separation::undecided(because));
    }
    let Some(columns) = Columns::of(design, &face, watch.cancelled())? else {
        return Ok(Separation::undecided(Limit::Cancelled));
    };
    let most = options.most_rows.unwrap_or(usize::MAX);
    Ok(Separation {
        kind: kind(design, &face),
        infinite: signs(design, &face, &columns.infinite, limits, watch)?,
        aliased: columns.aliased,
        separated: design.rows() - face.rows,
        rows: face.off(design, most)?,
        direction: match face.steps.is_empty() {
            true => None,
            false => Some(direction(design, &face)?),
        },
        conflict: face.conflict,
    })
}

fn kind(design: Design, face: &Face) -> SeparationKind {
    match face.rows {
        0 => SeparationKind::Complete,
        rows if rows == design.rows() => SeparationKind::Overlap,
        _ => SeparationKind::QuasiComplete,
    }
}

/// The columns without a finite estimate of their own.
struct Columns {
    infinite: Vec<usize>,
    aliased: Vec<usize>,
}

impl Columns {
    /// Returns the columns, or nothing if the work was cancelled. Errors if the data cannot be read.
    fn of(
        design: Design,
        face: &Face,
        cancelled: Option<&AtomicBool>,
    ) -> Result<Option<Self>, DecideError> {
        let halt = || cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed));
        // One side of some rows, and the other side of one: what they span beside it is the bias.
        let some = spread(design.rows(), STARTING_ROWS * design.columns());
        let start: Vec<usize> =
            [0, 1].into_iter().chain(some.iter().skip(1).map(|k| 2 * k)).collect();
        let of = |face: &Face| {
            let rows = Mirrored::new(design.data, face.mirror(design.constant, None));
            determined(&rows, start.clone(), &halt)
        };
        let Some(known) = of(&Face::default())? else {
            return Ok(None);
        };
        let held = match kind(design, face) {
            SeparationKind::Overlap => Some(known.clone()),
            SeparationKind::Complete => Some(vec![false; known.len()]),
            _ => of(face)?,
        };
        let Some(held) = held else {
            return Ok(None);
        };
        let columns = 0..known.len();
        Ok(Some(Columns {
            infinite: columns.clone().filter(|&k| known[k] && !held[k]).collect(),
            aliased: columns.filter(|&k| !known[k]).collect(),
        }))
    }
}

/// Returns where the infinite columns run to.
fn signs(
    design: Design,
    face: &Face,
    infinite: &[usize],
    limits: &DecideOptions,
    watch: &mut dyn Watch,
) -> Result<Vec<(usize, Sign)>, DecideError> {
    let mut reached = Reached::new(design.columns());
    reached.note(face, true);
    for &column in infinite {
        if !reached.one_way(column) || cancelled(watch) {
            continue;
        }
        let unit = Unit { column, positive: !reached.plus[column] };
        // A direction that one column asked for may answer for others.
        let found = self::face(design, Some(unit), limits, watch)?;
        reached.note(&found, found.rows == 0);
    }
    Ok(infinite.iter().map(|&column| (column, reached.sign(column))).collect())
}

/// The signs that some direction has in each infinite column.
struct Reached {
    plus: Vec<bool>,
    minus: Vec<bool>,
}

impl Reached {
    fn new(columns: usize) -> Self {
        Reached { plus: vec![false; columns], minus: vec![false; columns] }
    }

    /// Notes the signs of one direction. If it is `strict` wherever some direction is, all that is near it
    /// within the null space of the face is a direction as well: where it is zero, and the column
    /// infinite, it has neighbours of both signs.
    fn note(&mut self, face: &Face, strict: bool) {
        for column in 0..self.plus.len() {
            let sign = face.sign(column);
            self.plus[column] |= sign.is_gt() || (strict && sign.is_eq());
            self.minus[column] |= sign.is_lt() || (strict && sign.is_eq());
        }
    }

    /// Returns true if one sign has been seen and the other has not.
    fn one_way(&self, column: usize) -> bool {
        self.plus[column] != self.minus[column]
    }

    fn sign(&self, column: usize) -> Sign {
        match (self.plus[column], self.minus[column]) {
            (true, true) => Sign::Either,
            (true, false) => Sign::Plus,
            (false, _) => Sign::Minus,
        }
    }
}

fn cancelled(watch: &dyn Watch) -> bool {
    watch.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed))
}
