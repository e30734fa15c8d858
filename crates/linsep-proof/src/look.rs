//! The checker's look at all rows: one query for all that a proof says about them.

use linsep_data::{Block, FoldQuery, PassQuery, Shape};
use serde::{Deserialize, Serialize};

use crate::fingerprint::{Fingerprint, FingerprintState, Named};
use crate::margin::{MarginQuery, MarginState};
use crate::proof::{Claim, FloatPlane, MarginKind, Plane, Proof};
use crate::refused::Refused;
use crate::removal::{RemovalClaim, RestQuery, RestState};
use crate::verify::{SidesQuery, SidesState};

/// What one pass looks at for a proof.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LookQuery {
    pub(crate) fingerprint: Option<Fingerprint>,
    sides: Option<SidesQuery>,
    margin: Option<MarginQuery>,
    orthogonal: Vec<SidesQuery>,
    pub(crate) rest: Option<RestQuery>,
}

/// What it has found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LookState {
    fingerprint: Option<FingerprintState>,
    sides: Option<SidesState>,
    pub(crate) margin: Option<MarginState>,
    orthogonal: Vec<SidesState>,
    pub(crate) rest: Option<RestState>,
}

impl LookQuery {
    /// Asks for what the claim of the proof says about all rows.
    pub(crate) fn ask(&mut self, proof: &Proof) {
        match &proof.claim {
            Claim::Separable { hyperplane } => match (hyperplane, &proof.margin) {
                (Plane::Floats(plane), Some(margin)) => self.ask_margin(margin.kind, plane.clone()),
                _ => self.sides = Some(SidesQuery::of(hyperplane)),
            },
            Claim::QuasiSeparable { hyperplane, .. } => {
                self.sides = Some(SidesQuery::of(hyperplane));
            }
            Claim::Inseparable { orthogonal, .. } => {
                self.orthogonal = orthogonal.iter().map(SidesQuery::of_vector).collect();
            }
            Claim::NotStrictlySeparable { .. } => {}
        }
        if let Some(RemovalClaim { rows, hyperplane, .. }) = &proof.removal {
            let removed = rows.iter().map(|row| row - 1).collect();
            self.rest = Some(RestQuery::of(hyperplane, removed));
        }
    }

    pub(crate) fn ask_margin(&mut self, kind: MarginKind, plane: FloatPlane) {
        self.margin = Some(MarginQuery::new(kind, plane));
    }

    /// Returns true if there is something to look at.
    pub(crate) fn asks(&self) -> bool {
        let looks = self.fingerprint.is_some() || self.sides.is_some() || self.margin.is_some();
        looks || !self.orthogonal.is_empty() || self.rest.is_some()
    }

    /// Returns the name of the data, if it was asked for.
    pub(crate) fn named(&self, found: &LookState) -> Option<Named> {
        Some(self.fingerprint.as_ref()?.named(found.fingerprint?))
    }
}

impl LookState {
    pub(crate) fn strictly_separated(&self) -> Result<(), Refused> {
        let astray = match &self.sides {
            Some(sides) => sides.wrong.into_iter().chain(sides.on).min(),
            None => self.margin.as_ref().and_then(|margin| margin.astray),
        };
        astray.map_or(Ok(()), |row| Err(Refused::WrongSide { row: row + 1 }))
    }

    pub(crate) fn weakly_separated(&self) -> Result<(), Refused> {
        let sides = self.sides.as_ref().expect("asked for");
        match (sides.wrong, sides.own) {
            (Some(row), _) => Err(Refused::WrongSide { row: row + 1 }),
            (None, None) => Err(Refused::NoStrictRow),
            (None, Some(_)) => Ok(()),
        }
    }

    pub(crate) fn all_orthogonal(&self) -> Result<(), Refused> {
        let off = self.orthogonal.iter().find_map(|v| v.wrong.into_iter().chain(v.own).min());
        off.map_or(Ok(()), |row| Err(Refused::NotOrthogonal { row: row + 1 }))
    }
}

impl FoldQuery for LookQuery {
    type State = LookState;

    fn begin(&self) -> LookState {
        LookState {
            fingerprint: PassQuery::begin(&self.fingerprint),
            sides: PassQuery::begin(&self.sides),
            margin: PassQuery::begin(&self.margin),
            orthogonal: self.orthogonal.iter().map(FoldQuery::begin).collect(),
            rest: PassQuery::begin(&self.rest),
        }
    }

    fn absorb(&self, state: &mut LookState, block: &Block<'_>) {
        PassQuery::absorb(&self.fingerprint, &mut state.fingerprint, block);
        PassQuery::absorb(&self.sides, &mut state.sides, block);
        PassQuery::absorb(&self.margin, &mut state.margin, block);
        for (sides, state) in self.orthogonal.iter().zip(&mut state.orthogonal) {
            FoldQuery::absorb(sides, state, block);
        }
        PassQuery::absorb(&self.rest, &mut state.rest, block);
    }

    fn merge(&self, state: &mut LookState, other: LookState) {
        PassQuery::merge(&self.fingerprint, &mut state.fingerprint, other.fingerprint);
        PassQuery::merge(&self.sides, &mut state.sides, other.sides);
        PassQuery::merge(&self.margin, &mut state.margin, other.margin);
        let pairs = state.orthogonal.iter_mut().zip(other.orthogonal);
        for (sides, (state, other)) in self.orthogonal.iter().zip(pairs) {
            FoldQuery::merge(sides, state, other);
        }
        PassQuery::merge(&self.rest, &mut state.rest, other.rest);
    }

    fn fits(&self, shape: Shape) -> bool {
        let sides = self.sides.iter().chain(&self.orthogonal);
        self.fingerprint.iter().all(|query| query.fits(shape))
            && sides.into_iter().all(|query| query.fits(shape))
            && self.margin.iter().all(|query| query.fits(shape))
            && self.rest.iter().all(|query| query.fits(shape))
    }

    fn admits(&self, state: &LookState, shape: Shape) -> bool {
        let sides = self.orthogonal.iter().zip(&state.orthogonal);
        self.orthogonal.len() == state.orthogonal.len()
            && admits(&self.fingerprint, &state.fingerprint, shape)
            && admits(&self.sides, &state.sides, shape)
            && admits(&self.margin, &state.margin, shape)
            && sides.into_iter().all(|(query, state)| query.admits(state, shape))
            && admits(&self.rest, &state.rest, shape)
    }
}

/// Returns true if there is a state exactly if there is a query, and it is admitted.
fn admits<Q: FoldQuery>(query: &Option<Q>, state: &Option<Q::State>, shape: Shape) -> bool {
    match (query, state) {
        (Some(query), Some(state)) => query.admits(state, shape),
        (None, None) => true,
        _ => false,
    }
}
