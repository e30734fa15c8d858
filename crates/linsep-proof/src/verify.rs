//! The checker: does the proof hold for these raw rows?

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::{
    Block, Data, Error, Features, FoldQuery, Halt, Memory, Samples, Shape, fold_until,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::allowed::check_allowed;
use crate::definite::{Indefinite, definite};
use crate::evidence::{MarginBounds, Removals, RowWeights};
use crate::exact::{ExactPlane, Row, first_not_cancelling, sign_of_value};
use crate::fingerprint::{Fingerprint, Named};
use crate::look::{LookQuery, LookState};
use crate::margin::{lowest_upper_bound, of_raw_rows, upper_bound};
use crate::proof::{
    Claim, ConflictingRow, DefiniteMatrix, FloatPlane, IntegerPlane, Integers, MarginClaim,
    OverlapClaim, Plane, Proof, Verdict, WeightedRow,
};
use crate::rank::PRIMES;
use crate::refused::Refused;
use crate::removal::RemovalClaim;
use crate::structure::{Model, ModelError, Response, Structure};

/// Features handed to one task where rows are dense.
const COLUMNS_PER_TASK: usize = 64;
/// Tasks where rows are sparse: each looks for its features in every row.
const SPARSE_TASKS: usize = 8;

/// Returns how many features to hand to one task.
pub(crate) fn columns_per_task(features: &Features) -> usize {
    match features {
        Features::Sparse(_) => features.columns().div_ceil(SPARSE_TASKS).max(COLUMNS_PER_TASK),
        _ => COLUMNS_PER_TASK,
    }
}

/// A proof that holds. Only [`verify`] makes one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    verdict: Verdict,
    model: Option<Model>,
    rows: usize,
    margin: Option<MarginBounds>,
    removals: Option<Removals>,
    by_matrix: bool,
}

impl Verified {
    /// Returns what was proven.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the model that it was proven of; none if it is about the rows as they stand.
    pub fn model(&self) -> Option<Model> {
        self.model
    }

    /// Returns for how many rows; of a model, for how many as [`Structure`] shows them.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the bounds on a margin that were proven, if any were claimed: on that of the hyperplane
    /// from below, and on that of any hyperplane from above.
    pub fn margin(&self) -> Option<MarginBounds> {
        self.margin
    }

    /// Returns true if a matrix of floats was shown to be definite, with all rounding counted; all else is exact.
    pub fn by_matrix(&self) -> bool {
        self.by_matrix
    }

    /// Returns between how many rows must go before the rest is separable, if that was claimed.
    pub fn removals(&self) -> Option<Removals> {
        self.removals
    }
}

/// Returns what was proven of the rows as they stand, or why the proof does not hold. A proof about a model is
/// refused: [`verify_model`] checks it.
///
/// Everything is checked on the raw rows, in exact arithmetic, whatever the size of the numbers. The
/// row that a refusal names is the first, whatever the number of threads. Costs one parallel pass,
/// and a look at the rows that the proof names.
pub fn verify(samples: &Samples, proof: &Proof) -> Result<Verified, Refused> {
    verify_data(&Memory::new(samples), proof, None).expect("memory can be read")
}

/// Returns the same for data that may be elsewhere, or the error if it cannot be read. Who has taken
/// the fingerprint in an earlier pass over the same data may hand it in.
pub fn verify_data(
    data: &dyn Data,
    proof: &Proof,
    named: Option<&Named>,
) -> Result<Result<Verified, Refused>, Error> {
    Ok(verify_data_until(data, proof, named, &|| false)?.expect("nothing halts it"))
}

/// Returns the same, or nothing if `halt` was true before the end: neither proven nor refused.
pub fn verify_data_until(
    data: &dyn Data,
    proof: &Proof,
    named: Option<&Named>,
    halt: Halt,
) -> Result<Option<Result<Verified, Refused>>, Error> {
    match proof.answers(None) {
        Ok(()) => verify_rows_until(data, proof, named, halt),
        Err(refused) => Ok(Some(Err(refused))),
    }
}

/// Returns what was proven of a model of raw rows, or why the proof does not hold: another model, or the same with
/// other options, is another question. The structure vectors are made here, as [`Structure`] says. Rows that
/// are not `kept` are left out.
///
/// Errors if the response is not one of the model.
pub fn verify_model(
    design: &Features,
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    proof: &Proof,
) -> Result<Result<Verified, Refused>, ModelError> {
    if let Err(refused) = proof.answers(Some(model)) {
        return Ok(Err(refused));
    }
    let mut structure = Structure::new(design, model, response, kept)?;
    if let Some(column) = proof.model.as_ref().and_then(|name| name.constant) {
        let with = column.checked_sub(1).and_then(|column| structure.with_constant(column));
        structure = match with {
            Some(structure) => structure,
            None => return Ok(Err(Refused::NotConstant { column })),
        };
    }
    let verified = verify_rows(&structure, proof).unwrap_or(Err(Refused::NotFinite));
    Ok(verified.and_then(|verified| {
        check_allowed(design, model, response, kept, proof).map(|()| verified)
    }))
}

/// Returns the same for a binomial model that adds a constant, of labelled rows that may be elsewhere: they are
/// their own structure vectors. Errors if they cannot be read.
pub fn verify_binomial(data: &dyn Data, proof: &Proof) -> Result<Result<Verified, Refused>, Error> {
    if let Err(refused) = proof.answers(Some(&Model::Binomial { intercept: true })) {
        return Ok(Err(refused));
    }
    // The bias is the constant of the model, and can stand for no column.
    match proof.model.as_ref().and_then(|name| name.constant) {
        Some(column) => Ok(Err(Refused::NotConstant { column })),
        None => verify_rows(data, proof),
    }
}

impl Proof {
    /// Refuses a proof that is not about the model that was asked about or, if none was, about the rows as they stand. All
    /// functions that verify ask this first.
    pub fn answers(&self, asked: Option<&Model>) -> Result<(), Refused> {
        let claimed = self.model.as_ref().map(|name| name.model);
        match claimed.as_ref() == asked {
            true => Ok(()),
            false => Err(Refused::OtherQuestion { claimed, asked: asked.copied() }),
        }
    }
}

/// Checks a claim about rows, which may be those that a model makes.
fn verify_rows(data: &dyn Data, proof: &Proof) -> Result<Result<Verified, Refused>, Error> {
    Ok(verify_rows_until(data, proof, None, &|| false)?.expect("nothing halts it"))
}

fn verify_rows_until(
    data: &dyn Data,
    proof: &Proof,
    named: Option<&Named>,
    halt: Halt,
) -> Result<Option<Result<Verified, Refused>>, Error> {
    match check(data, proof, named, halt) {
        Ok(()) => {
            let claimed =
                |m: &MarginClaim| MarginBounds { kind: m.kind, lower: m.lower, upper: m.upper };
            let margin = proof.margin.as_ref().map(claimed);
            let removals = proof.removal.as_ref().map(RemovalClaim::bounds);
            let model = proof.model.as_ref().map(|name| name.model);
            let (verdict, rows) = (proof.verdict(), data.shape().rows);
            let by_matrix = proof.claim.is_by_matrix();
            Ok(Some(Ok(Verified { verdict, model, rows, margin, removals, by_matrix })))
        }
        Err(Failed::Refused(refused)) => Ok(Some(Err(refused))),
        Err(Failed::Halted) => Ok(None),
        Err(Failed::Unreadable(error)) => Err(error),
    }
}

/// What keeps a check from coming to its end.
pub(crate) enum Failed {
    Refused(Refused),
    Unreadable(Error),
    Halted,
}

impl From<Refused> for Failed {
    fn from(refused: Refused) -> Self {
        Failed::Refused(refused)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Unreadable(error)
    }
}

/// Checks everything: what the proof says by itself, then all rows in one pass, then those it names.
fn check(data: &dyn Data, proof: &Proof, named: Option<&Named>, halt: Halt) -> Result<(), Failed> {
    let shape = data.shape();
    differ("number of rows", &proof.data.rows, &shape.rows)?;
    differ("number of features", &proof.data.features, &shape.columns)?;
    // That it is about other data is said first, so what is wrong with its numbers waits.
    let numbers = check_numbers(shape.rows, shape.columns, proof);
    let mut query = LookQuery::default();
    if named.is_none() {
        query.fingerprint = Some(Fingerprint::of(shape));
    }
    if numbers.is_ok() {
        query.ask(proof);
    }
    let looks = match query.asks() {
        true => fold_until(data, &query, halt)?.ok_or(Failed::Halted)?,
        false => LookState::default(),
    };
    let taken = query.named(&looks);
    let named = taken.as_ref().or(named).expect("taken, or handed in");
    differ("fingerprint", &proof.data.fingerprint, &named.name().fingerprint)?;
    numbers?;
    match &proof.claim {
        Claim::Separable { .. } => {
            looks.strictly_separated()?;
            proof.margin.as_ref().map_or(Ok(()), |margin| {
                check_margin(data, margin, looks.margin.as_ref().map_or(0.0, |m| m.lower))
            })?;
        }
        Claim::Inseparable { overlap: OverlapClaim::Conflict(conflict), orthogonal } => {
            let rows = check_conflict(data, conflict, halt)?;
            looks.all_orthogonal()?;
            check_span(&rows, orthogonal, halt)?;
        }
        Claim::Inseparable { overlap: OverlapClaim::Matrix(matrix), orthogonal } => {
            looks.all_orthogonal()?;
            check_definite(data, matrix, orthogonal, MatrixScope::AllRows, halt)?;
        }
        Claim::QuasiSeparable { overlap, orthogonal, .. } => {
            check_not_strict(data, overlap, orthogonal, halt)?;
            looks.weakly_separated()?;
        }
        Claim::NotStrictlySeparable { overlap, orthogonal } => {
            check_not_strict(data, overlap, orthogonal, halt)?;
        }
    }
    match (&proof.removal, &looks.rest) {
        (Some(removal), Some(rest)) => {
            rest.separated()?;
            removal.check_conflicts(data, halt)
        }
        _ => Ok(()),
    }
}

fn differ(what: &'static str, claimed: &dyn ToString, found: &dyn ToString) -> Result<(), Refused> {
    let (claimed, found) = (claimed.to_string(), found.to_string());
    if claimed == found { Ok(()) } else { Err(Refused::OtherData { what, claimed, found }) }
}

/// Checks what can be said of a proof without a look at any row.
fn check_numbers(rows: usize, columns: usize, proof: &Proof) -> Result<(), Refused> {
    match (&proof.removal, &proof.claim) {
        (Some(_), Claim::Separable { .. }) => return Err(Refused::NothingToRemove),
        (Some(_), _) if proof.model.is_some() => return Err(Refused::RemovalFromModel),
        (Some(removal), _) => removal.check_numbers(rows, columns, &proof.claim)?,
        (None, _) => {}
    }
    let (overlap, orthogonal) = match &proof.claim {
        Claim::Separable { hyperplane } => return check_plane(columns, hyperplane),
        _ if proof.margin.is_some() => return Err(Refused::MarginWithoutHyperplane),
        Claim::QuasiSeparable { overlap, orthogonal, hyperplane } => {
            check_plane(columns, hyperplane)?;
            (overlap, orthogonal)
        }
        Claim::Inseparable { overlap, orthogonal }
        | Claim::NotStrictlySeparable { overlap, orthogonal } => (overlap, orthogonal),
    };
    check_vectors(columns, orthogonal)?;
    match overlap {
        OverlapClaim::Conflict(_) => Ok(()),
        OverlapClaim::Matrix(matrix) => check_matrix(rows, columns, matrix, orthogonal),
    }
}

/// Checks the lengths of vectors to which all rows are to be orthogonal.
fn check_vectors(columns: usize, orthogonal: &[Integers]) -> Result<(), Refused> {
    // More cannot be independent, and each is held against every row.
    if orthogonal.len() > columns + 1 {
        let (found, most) = (orthogonal.len(), columns + 1);
        return Err(Refused::TooManyVectors { found, most });
    }
    orthogonal.iter().try_for_each(|Integers(v)| check_length(v.len(), columns + 1))
}

/// Checks what a matrix says of rows and coordinates.
fn check_matrix(
    rows: usize,
    columns: usize,
    matrix: &DefiniteMatrix,
    orthogonal: &[Integers],
) -> Result<(), Refused> {
    check_length(matrix.weights.len(), matrix.rows.len())?;
    check_rows(rows, matrix.rows.iter().copied())?;
    let refused = |why| Err(Refused::Coordinates { why });
    let mut seen = vec![false; columns + 1];
    for &k in matrix.left_out.iter().chain(&matrix.first) {
        if k == 0 || k > columns + 1 {
            return refused("one does not exist");
        }
        if std::mem::replace(&mut seen[k - 1], true) {
            return refused("one is named twice");
        }
    }
    if matrix.left_out.len() != orthogonal.len() {
        return refused("as many are left out as there are vectors");
    }
    let bad = matrix.weights.iter().position(|w| !(*w > 0.0 && w.is_finite()));
    bad.map_or(Ok(()), |at| Err(Refused::NotPositive { row: matrix.rows[at] }))
}

/// Checks that no hyperplane puts all rows on their own sides: some cancel, or make a matrix.
fn check_not_strict(
    data: &dyn Data,
    overlap: &OverlapClaim,
    orthogonal: &[Integers],
    halt: Halt,
) -> Result<(), Failed> {
    match overlap {
        OverlapClaim::Conflict(conflict) => check_conflict(data, conflict, halt).map(drop),
        OverlapClaim::Matrix(matrix) => {
            check_definite(data, matrix, orthogonal, MatrixScope::OwnRows, halt)
        }
    }
}

/// For which rows a matrix leaves coordinates out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatrixScope {
    /// For all: they are orthogonal to the vectors, as a look at all of them has found.
    AllRows,
    /// For its own rows alone: so those that are zero in all of them are left out, too.
    OwnRows,
}

/// Checks that weighted rows make a positive definite matrix of all coordinates but those left out, and that these can be left
/// out: any w has the same values on the rows as one that is zero there, which the vectors make of it.
fn check_definite(
    data: &dyn Data,
    matrix: &DefiniteMatrix,
    orthogonal: &[Integers],
    scope: MatrixScope,
    halt: Halt,
) -> Result<(), Failed> {
    let from_zero = |places: &[usize]| -> Vec<usize> { places.iter().map(|k| k - 1).collect() };
    let (mut left_out, mut first) = (from_zero(&matrix.left_out), from_zero(&matrix.first));
    let there = |Integers(v): &Integers| left_out.iter().map(|&k| v[k].clone()).collect();
    let square: Vec<Vec<IBig>> = orthogonal.iter().map(there).collect();
    let independent = PRIMES.iter().any(|field| {
        let residues = square.iter().map(|v| field.integers(v)).collect();
        field.rank_until(residues, halt) == Some(left_out.len())
    });
    if halt() {
        return Err(Failed::Halted);
    }
    if !independent {
        let why = "the vectors do not depend on them alone";
        return Err(Refused::Coordinates { why }.into());
    }
    let samples = data.fetch(&from_zero(&matrix.rows))?;
    if scope == MatrixScope::OwnRows {
        check_orthogonal(&samples, &matrix.rows, orthogonal)?;
        let mut kept = occurring(samples.features());
        left_out.iter().for_each(|&k| kept[k] = false);
        left_out = (0..kept.len()).filter(|&k| !kept[k]).collect();
        first.retain(|&k| kept[k]);
    }
    match definite(&samples, &matrix.weights, &left_out, &first, halt) {
        Ok(()) => Ok(()),
        Err(Indefinite::Pivot | Indefinite::Weights) => Err(Refused::NotDefinite.into()),
        Err(Indefinite::Size) => Err(Refused::TooLarge.into()),
        Err(Indefinite::Halted) => Err(Failed::Halted),
    }
}

/// Checks that rows, which have these numbers, are orthogonal to the vectors.
fn check_orthogonal(
    samples: &Samples,
    numbers: &[usize],
    orthogonal: &[Integers],
) -> Result<(), Refused> {
    for sides in orthogonal.iter().map(SidesQuery::of_vector) {
        let off = (0..samples.rows()).find(|&i| sides.of_row(samples, i).is_ne());
        if let Some(at) = off {
            return Err(Refused::NotOrthogonal { row: numbers[at] });
        }
    }
    Ok(())
}

/// Returns which coordinates are not zero in all rows; that of the bias never is.
fn occurring(features: &Features) -> Vec<bool> {
    let mut occurs = vec![false; features.columns() + 1];
    occurs[features.columns()] = true;
    for i in 0..features.rows() {
        Row::of(features, i).for_each(|k, x| occurs[k] |= x != 0.0);
    }
    occurs
}

/// Checks that there is one finite weight per feature.
pub(crate) fn check_plane(columns: usize, plane: &Plane) -> Result<(), Refused> {
    match plane {
        Plane::Floats(FloatPlane { weights, bias }) => {
            check_length(weights.len(), columns)?;
            let finite = weights.iter().chain([bias]).all(|w| w.is_finite());
            if finite { Ok(()) } else { Err(Refused::NotFinite) }
        }
        Plane::Integers(IntegerPlane { weights, .. }) => check_length(weights.len(), columns),
    }
}

fn check_length(found: usize, expected: usize) -> Result<(), Refused> {
    if found == expected { Ok(()) } else { Err(Refused::WrongLength { found, expected }) }
}

/// A hyperplane that tells sides without rounding.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum ExactSide {
    Floats(FloatPlane),
    Integers(ExactPlane),
}

/// Looks on which side of a hyperplane rows lie: the first row of each kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SidesQuery(ExactSide);

/// The first row on the wrong side, on the hyperplane, and on its own side.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SidesState {
    pub(crate) wrong: Option<usize>,
    pub(crate) on: Option<usize>,
    pub(crate) own: Option<usize>,
}

impl SidesQuery {
    pub(crate) fn of(plane: &Plane) -> Self {
        SidesQuery(match plane {
            Plane::Floats(plane) => ExactSide::Floats(plane.clone()),
            Plane::Integers(IntegerPlane { weights, bias }) => {
                ExactSide::Integers(ExactPlane::new(weights.clone(), bias.clone()))
            }
        })
    }

    /// Returns the sides of the hyperplane whose weights and bias follow one another.
    pub(crate) fn of_vector(Integers(vector): &Integers) -> Self {
        SidesQuery(ExactSide::Integers(ExactPlane::of(vector.clone())))
    }

    /// Returns on which side a row lies: greater for its own, equal for neither.
    pub(crate) fn of_row(&self, samples: &Samples, i: usize) -> Ordering {
        let row = Row::of(samples.features(), i);
        let sign = match &self.0 {
            ExactSide::Floats(plane) => sign_of_value(&plane.weights, plane.bias, row),
            ExactSide::Integers(plane) => plane.sign(row),
        };
        if samples.positive()[i] { sign } else { sign.reverse() }
    }
}

impl FoldQuery for SidesQuery {
    type State = SidesState;

    fn begin(&self) -> SidesState {
        SidesState::default()
    }

    fn absorb(&self, state: &mut SidesState, block: &Block<'_>) {
        let samples = block.samples();
        for i in block.places() {
            let first = match self.of_row(samples, i) {
                Ordering::Less => &mut state.wrong,
                Ordering::Equal => &mut state.on,
                Ordering::Greater => &mut state.own,
            };
            *first = Some(first.map_or(block.number(i), |known| known.min(block.number(i))));
        }
    }

    fn merge(&self, state: &mut SidesState, other: SidesState) {
        let first = |a: Option<usize>, b: Option<usize>| a.into_iter().chain(b).min();
        *state = SidesState {
            wrong: first(state.wrong, other.wrong),
            on: first(state.on, other.on),
            own: first(state.own, other.own),
        };
    }

    fn fits(&self, shape: Shape) -> bool {
        shape.columns
            == match &self.0 {
                ExactSide::Floats(plane) => plane.weights.len(),
                ExactSide::Integers(plane) => plane.features(),
            }
    }

    fn admits(&self, state: &SidesState, shape: Shape) -> bool {
        [state.wrong, state.on, state.own].into_iter().flatten().all(|row| row < shape.rows)
    }
}

/// Checks that the rows, times y and their multipliers, add up to zero, and so do the multipliers
/// times y. (Gordan: then y (w·x + b) > 0 for all of them is impossible, since these add up to 0.)
///
/// Returns the rows.
fn check_conflict(
    data: &dyn Data,
    conflict: &[ConflictingRow],
    halt: Halt,
) -> Result<Samples, Failed> {
    check_rows(data.shape().rows, conflict.iter().map(|c| c.row))?;
    check_multipliers(conflict)?;
    let rows: Vec<usize> = conflict.iter().map(|c| c.row - 1).collect();
    let samples = data.fetch(&rows)?;
    check_cancelling(&samples, 0, conflict, halt)?;
    Ok(samples)
}

pub(crate) fn check_multipliers(conflict: &[ConflictingRow]) -> Result<(), Refused> {
    match conflict.iter().find(|c| c.multiplier <= IBig::ZERO) {
        Some(ConflictingRow { row, .. }) => Err(Refused::NotPositive { row: *row }),
        None => Ok(()),
    }
}

/// Checks that the conflict cancels whose rows are the samples from one on.
pub(crate) fn check_cancelling(
    samples: &Samples,
    from: usize,
    conflict: &[ConflictingRow],
    halt: Halt,
) -> Result<(), Failed> {
    let mut balance = IBig::ZERO;
    let mut terms = vec![];
    for (i, ConflictingRow { multiplier, .. }) in (from..).zip(conflict) {
        let factor = if samples.positive()[i] { multiplier.clone() } else { -multiplier };
        balance += &factor;
        terms.push((Row::of(samples.features(), i), factor));
    }
    if balance != IBig::ZERO {
        return Err(Refused::DoesNotCancel { feature: None }.into());
    }
    let (columns, size) = (samples.columns(), columns_per_task(samples.features()));
    let left = (0..columns.div_ceil(size)).into_par_iter().find_map_first(|task| {
        let from = task * size;
        if halt() { None } else { first_not_cancelling(&terms, from..columns.min(from + size)) }
    });
    match left {
        Some(k) => Err(Refused::DoesNotCancel { feature: Some(k + 1) }.into()),
        None if halt() => Err(Failed::Halted),
        None => Ok(()),
    }
}

/// Checks that the rows (x, 1) of the conflict span all rows, which are orthogonal to the vectors
/// given: there is no room for more than the conflict spans in what is orthogonal to those.
fn check_span(conflict: &Samples, orthogonal: &[Integers], halt: Halt) -> Result<(), Failed> {
    let columns = conflict.columns();
    // A rank modulo any prime is a bound, so the best of several is one.
    let (mut spanned, mut left_out) = (0, 0);
    for field in PRIMES {
        let row = |i| field.row(Row::of(conflict.features(), i), columns);
        let rank = |rows| field.rank_until(rows, halt).ok_or(Failed::Halted);
        spanned = spanned.max(rank((0..conflict.rows()).map(row).collect())?);
        let vectors = orthogonal.iter().map(|Integers(v)| field.integers(v));
        left_out = left_out.max(rank(vectors.collect())?);
        if spanned + left_out > columns {
            return Ok(());
        }
    }
    Err(Refused::DoesNotSpan { spanned, needed: columns + 1 - left_out }.into())
}

/// Checks that there are rows, that they exist, and that none is named twice.
pub(crate) fn check_rows(count: usize, rows: impl Iterator<Item = usize>) -> Result<(), Refused> {
    let mut seen = std::collections::HashSet::new();
    for row in rows {
        if row == 0 || row > count {
            return Err(Refused::RowOutOfRange { row });
        }
        if !seen.insert(row) {
            return Err(Refused::RepeatedRow { row });
        }
    }
    if seen.is_empty() { Err(Refused::EmptyConflict) } else { Ok(()) }
}

/// Checks that rows and weights can show an upper bound.
pub(crate) fn check_upper_rows(count: usize, rows: &[WeightedRow]) -> Result<(), Refused> {
    if !rows.iter().all(|r| r.weight.is_finite()) {
        return Err(Refused::NotFinite);
    }
    check_rows(count, rows.iter().map(|r| r.row))?;
    match rows.iter().find(|r| r.weight < 0.0) {
        Some(negative) => Err(Refused::NotPositive { row: negative.row }),
        None => Ok(()),
    }
}

/// Checks both bounds on the margin, given the best lower one that can be confirmed. That the lower
/// one is not above the upper one follows.
fn check_margin(data: &dyn Data, margin: &MarginClaim, found: f64) -> Result<(), Failed> {
    let MarginClaim { kind, lower, upper, upper_rows, of_lifted } = margin;
    if !lower.is_finite() || !upper.is_finite() {
        return Err(Refused::NotFinite.into());
    }
    check_upper_rows(data.shape().rows, upper_rows)?;
    if *lower > found {
        return Err(Refused::Margin { what: "lower", claimed: *lower, found }.into());
    }
    let mut rows: RowWeights = upper_rows.iter().map(|r| (r.row - 1, r.weight)).collect();
    if *of_lifted {
        rows = of_raw_rows(data, &rows)?;
    }
    if *upper >= upper_bound(data, *kind, &rows)? {
        return Ok(());
    }
    let found = lowest_upper_bound(data, *kind, &rows)?;
    if *upper < found {
        return Err(Refused::Margin { what: "upper", claimed: *upper, found }.into());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
mod tests;

#[cfg(test)]
mod matrix_tests;
