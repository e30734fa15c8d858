//! Rows that lie on all of some hyperplanes with integer weights, exactly, and the others.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::{Block, Features, FoldQuery, Shape};
use linsep_proof::exact::{ExactPlane, Row};
use serde::{Deserialize, Serialize};

/// Returns hyperplanes given as vectors, the bias last, ready to tell sides.
pub fn planes(vectors: &[Vec<IBig>]) -> Vec<ExactPlane> {
    vectors.iter().map(|vector| ExactPlane::of(vector.clone())).collect()
}

/// Returns true if row `i` lies on all planes.
pub fn lies_on(planes: &[ExactPlane], features: &Features, i: usize) -> bool {
    planes.iter().all(|plane| plane.sign(Row::of(features, i)) == Ordering::Equal)
}

/// Counts the rows that lie on all planes, and finds the first of them and the first that do not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OnPlanes {
    planes: Vec<ExactPlane>,
    most: usize,
}

/// What was found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OnPlanesState {
    /// How many rows lie on all planes.
    pub count: usize,
    /// The first row that does.
    pub first: Option<usize>,
    /// The first rows, rising, that do not.
    pub off: Vec<usize>,
}

impl OnPlanes {
    /// Returns the search for at most `most` rows that do not lie on all planes.
    pub fn new(planes: Vec<ExactPlane>, most: usize) -> Self {
        OnPlanes { planes, most }
    }
}

impl FoldQuery for OnPlanes {
    type State = OnPlanesState;

    fn begin(&self) -> OnPlanesState {
        OnPlanesState::default()
    }

    fn absorb(&self, state: &mut OnPlanesState, block: &Block<'_>) {
        for place in block.places() {
            let row = block.number(place);
            if lies_on(&self.planes, block.samples().features(), place) {
                state.count += 1;
                state.first = Some(state.first.map_or(row, |first| first.min(row)));
            } else if self.most > 0 {
                state.off.push(row);
                if state.off.len() / 2 > self.most {
                    self.settle(state);
                }
            }
        }
    }

    fn merge(&self, state: &mut OnPlanesState, other: OnPlanesState) {
        state.count += other.count;
        state.first = state.first.into_iter().chain(other.first).min();
        state.off.extend(other.off);
        if state.off.len() / 2 > self.most {
            self.settle(state);
        }
    }

    fn settle(&self, state: &mut OnPlanesState) {
        state.off.sort_unstable();
        state.off.truncate(self.most);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.planes.iter().all(|plane| plane.features() == shape.columns)
    }

    fn admits(&self, OnPlanesState { count, first, off }: &OnPlanesState, shape: Shape) -> bool {
        *count <= shape.rows
            && first.is_some() == (*count > 0)
            && off.len() <= self.most
            && first.iter().chain(off).all(|&row| row < shape.rows)
    }

    fn named(&self, state: &OnPlanesState) -> Vec<usize> {
        state.first.into_iter().collect()
    }
}
