//! All rows of the data, where those at hand are a part of them.

use std::sync::{Mutex, OnceLock, PoisonError};

use linsep_data::hash::mix;
use linsep_data::{Absorb, Block, Data, Error, Features, FoldQuery, Samples, Shape};
use linsep_proof::{Fingerprint, FingerprintState};
use serde::{Deserialize, Serialize};

use super::{Length, Rows};
use crate::Hyperplane;
use crate::queries::fold;

/// The rows of the data, wherever they are. Who asks it for more than the rows at hand cannot fail: what
/// goes wrong is kept, and whoever shows the rows looks for it.
pub(crate) struct Whole<'a> {
    data: &'a dyn Data,
    survey: OnceLock<SurveyState>,
    /// What names the data, weights of rows included.
    name: OnceLock<String>,
    /// The first row, where rows are not in memory.
    first: OnceLock<Samples>,
    failure: OnceLock<Error>,
}

/// Finds out about rows what is needed before anything is learned from them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RowSurvey;

/// The length of the longest lifted row before it is made one, and the most stored values of a row.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SurveyState {
    longest: f64,
    stored: usize,
}

impl FoldQuery for RowSurvey {
    type State = SurveyState;

    fn begin(&self) -> SurveyState {
        SurveyState::default()
    }

    fn absorb(&self, state: &mut SurveyState, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            state.longest = state.longest.max(samples.norms()[place]);
            if let Features::Sparse(matrix) = samples.features() {
                state.stored = state.stored.max(matrix.row(place).0.len());
            }
        }
    }

    fn merge(&self, state: &mut SurveyState, other: SurveyState) {
        state.longest = state.longest.max(other.longest);
        state.stored = state.stored.max(other.stored);
    }

    fn fits(&self, _: Shape) -> bool {
        true
    }

    fn admits(&self, state: &SurveyState, shape: Shape) -> bool {
        state.longest >= 0.0 && state.stored <= shape.columns
    }
}

/// Makes a number of the weights of rows, which the fingerprint of a proof knows nothing of; zero if there are none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RowWeightsName;

impl FoldQuery for RowWeightsName {
    type State = u64;

    fn begin(&self) -> u64 {
        0
    }

    fn absorb(&self, sum: &mut u64, block: &Block<'_>) {
        let Some(weights) = block.samples().weights() else { return };
        for place in block.places() {
            let words = [block.number(place) as u64, weights[place].to_bits()];
            let row = words.into_iter().fold(0, |hash, word| mix(hash ^ word));
            // A sum does not depend on the order of rows; their numbers are in it.
            *sum = sum.wrapping_add(row);
        }
    }

    fn merge(&self, sum: &mut u64, other: u64) {
        *sum = sum.wrapping_add(other);
    }

    fn fits(&self, _: Shape) -> bool {
        true
    }

    fn admits(&self, _: &u64, _: Shape) -> bool {
        true
    }
}

/// What names the data: every value, every label, every weight and their places.
type NameQuery = (Fingerprint, RowWeightsName);

fn name(query: &NameQuery, (fingerprint, weights): (FingerprintState, u64)) -> String {
    let named = query.0.named(fingerprint);
    format!("{}{weights:016x}", named.name().fingerprint)
}

impl<'a> Whole<'a> {
    /// Returns the rows of the data. Costs a pass where they are not in memory.
    ///
    /// Errors if they cannot be read.
    pub fn new(data: &'a dyn Data) -> Result<Self, Error> {
        let (survey, first) = (OnceLock::new(), OnceLock::new());
        let whole = Whole { data, survey, name: OnceLock::new(), first, failure: OnceLock::new() };
        if data.resident().is_none() {
            // A checkpoint may need the name; rows that are read anyway cost little more.
            let query = (RowSurvey, whole.unnamed());
            let (survey, found) = fold(data, &query)?;
            let _ = whole.survey.set(survey);
            let _ = whole.name.set(name(&query.1, found));
            let _ = whole.first.set(data.fetch(&[0])?);
        }
        Ok(whole)
    }

    /// Returns the rows in memory: all, or the first alone.
    pub fn in_memory(&self) -> &Samples {
        let first = || self.first.get().expect("it was fetched");
        self.data.resident().unwrap_or_else(first)
    }

    /// Returns the data.
    pub fn data(&self) -> &'a dyn Data {
        self.data
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.data.shape().rows
    }

    /// Returns the length of the longest row before it is made one.
    pub fn longest(&self) -> f64 {
        self.survey().longest
    }

    /// Returns the most values that a sparse row stores.
    pub fn stored(&self) -> usize {
        self.survey().stored
    }

    /// Returns what names the data: the fingerprint of a proof, and that of the weights of rows. Costs a pass, once.
    pub fn name(&self) -> &str {
        self.name.get_or_init(|| {
            let query = self.unnamed();
            self.kept(fold(self.data, &query).map(|found| name(&query, found)))
        })
    }

    fn unnamed(&self) -> NameQuery {
        (Fingerprint::of(self.data.shape()), RowWeightsName)
    }

    fn survey(&self) -> SurveyState {
        *self.survey.get_or_init(|| self.kept(fold(self.data, &RowSurvey)))
    }

    /// Returns w·z of all rows in `out`. Costs a pass.
    pub(super) fn scores(&self, length: Length, w: &[f64], out: &mut [f64]) {
        let seen = Scores { length, w, out: Mutex::new(out) };
        self.kept(self.data.pass(&seen));
    }

    /// Returns the mistakes of a hyperplane on all rows. Costs a pass.
    pub(super) fn mistakes(&self, hyperplane: &Hyperplane) -> u64 {
        self.kept(hyperplane.evaluate_data(self.data).map(|found| found.mistakes))
    }

    /// Returns copies of rows, rising, or none if they cannot be read.
    pub(super) fn fetch(&self, rows: &[usize]) -> Option<Samples> {
        self.kept(self.data.fetch(rows).map(Some))
    }

    /// Keeps the first error.
    fn kept<T: Default>(&self, found: Result<T, Error>) -> T {
        found.unwrap_or_else(|error| {
            let _ = self.failure.set(error);
            T::default()
        })
    }

    /// Returns true if something could not be read: what was learned since is worth nothing.
    pub fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    /// Returns what could not be read.
    pub fn into_failure(self) -> Option<Error> {
        self.failure.into_inner()
    }
}

/// Takes the scores of blocks to their places.
struct Scores<'a> {
    length: Length,
    w: &'a [f64],
    out: Mutex<&'a mut [f64]>,
}

impl Absorb for Scores<'_> {
    fn absorb(&self, block: &Block<'_>) {
        let places = block.places();
        let mut scores = vec![0.0; places.len()];
        let first = block.number(places.start);
        let rows = Rows { length: self.length, ..Rows::lifted(block.samples()) };
        rows.scores(places, self.w, &mut scores);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out[first..first + scores.len()].copy_from_slice(&scores);
    }
}
