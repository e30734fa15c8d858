//! Columns in which all rows have the same number, other than zero.

use linsep_data::{Block, Features, FoldQuery, Shape};
use linsep_proof::exact::Row;
use serde::{Deserialize, Serialize};

/// Finds the columns and their numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Constants;

/// What all rows so far have in common; nothing before the first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ConstantsState(Option<Vec<(usize, f64)>>);

impl ConstantsState {
    /// Returns the columns, rising, and their numbers, once all rows have been seen.
    pub fn found(self) -> Vec<(usize, f64)> {
        self.0.unwrap_or_default()
    }

    fn narrow(&mut self, features: &Features, place: usize) {
        let row = Row::of(features, place);
        match &mut self.0 {
            None => {
                let mut all = vec![];
                row.for_each(|k, v| {
                    if v != 0.0 {
                        all.push((k, v));
                    }
                });
                self.0 = Some(all);
            }
            Some(common) => common.retain(|&(k, value)| {
                let mut same = false;
                row.for_each_in(k..k + 1, |_, v| same = v == value);
                same
            }),
        }
    }
}

impl FoldQuery for Constants {
    type State = ConstantsState;

    fn begin(&self) -> ConstantsState {
        ConstantsState::default()
    }

    fn absorb(&self, state: &mut ConstantsState, block: &Block<'_>) {
        for place in block.places() {
            if state.0.as_ref().is_some_and(Vec::is_empty) {
                return;
            }
            state.narrow(block.samples().features(), place);
        }
    }

    fn merge(&self, state: &mut ConstantsState, other: ConstantsState) {
        match (&mut state.0, other.0) {
            (Some(own), Some(others)) => own.retain(|pair| others.contains(pair)),
            (own @ None, others) => *own = others,
            (Some(_), None) => {}
        }
    }

    fn fits(&self, _: Shape) -> bool {
        true
    }

    fn admits(&self, state: &ConstantsState, shape: Shape) -> bool {
        let fits = |(k, v): &(usize, f64)| *k < shape.columns && v.is_finite() && *v != 0.0;
        state.0.iter().flatten().all(fits)
    }
}
