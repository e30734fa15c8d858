//! How many rows must go before the rest is separable: between how many that lies.
//!
//! ```text
//! at most    as many as are named, if a hyperplane has all others strictly on their own sides
//! at least   as many as there are disjoint conflicts (no two share a row): from each a row must go
//! ```

use std::cmp::Ordering;

use linsep_data::{Block, Data, FoldQuery, Halt, Shape};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::evidence::{Conflict, Removals};
use crate::proof::{Claim, ConflictingRow, Plane, conflicting};
use crate::refused::Refused;
use crate::verify::{
    Failed, SidesQuery, check_cancelling, check_multipliers, check_plane, check_rows,
};

/// Bounds on the number of rows that must go before the rest is separable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemovalClaim {
    /// The rows that go, counted from 1. Rows of both classes stay.
    pub rows: Vec<usize>,
    /// A hyperplane with all other rows strictly on their own sides.
    pub hyperplane: Plane,
    /// Disjoint conflicts: no two share a row.
    pub conflicts: Vec<Vec<ConflictingRow>>,
}

impl RemovalClaim {
    /// Returns the claim that the hyperplane separates all but the rows (counted from 0), and that the conflicts share
    /// no row.
    pub fn new(rows: &[usize], hyperplane: impl Into<Plane>, conflicts: &[Conflict]) -> Self {
        RemovalClaim {
            rows: rows.iter().map(|row| row + 1).collect(),
            hyperplane: hyperplane.into(),
            conflicts: conflicts.iter().cloned().map(conflicting).collect(),
        }
    }

    /// Returns the bounds that are claimed.
    pub fn bounds(&self) -> Removals {
        // Of what is not separable one row must go, whatever shows that it is not.
        Removals { at_least: self.conflicts.len().max(1), at_most: self.rows.len() }
    }

    /// Checks what can be said without a look at any row: every row is named once on either side, so that what is
    /// looked at later is no more than the data. There may be no conflict if a matrix shows that rows must go.
    pub(crate) fn check_numbers(
        &self,
        rows: usize,
        columns: usize,
        claim: &Claim,
    ) -> Result<(), Refused> {
        check_plane(columns, &self.hyperplane)?;
        check_rows(rows, self.rows.iter().copied())?;
        // An empty conflict would count, and name no row.
        if self.conflicts.iter().any(Vec::is_empty) {
            return Err(Refused::EmptyConflict);
        }
        if !(self.conflicts.is_empty() && claim.is_by_matrix()) {
            check_rows(rows, self.conflicts.iter().flatten().map(|c| c.row))?;
        }
        self.conflicts.iter().try_for_each(|conflict| check_multipliers(conflict))
    }

    /// Checks that each conflict cancels. Its numbers have been checked before.
    pub(crate) fn check_conflicts(&self, data: &dyn Data, halt: Halt) -> Result<(), Failed> {
        // All at once: elsewhere each fetch may be a journey.
        let rows: Vec<usize> = self.conflicts.iter().flatten().map(|c| c.row - 1).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let samples = data.fetch(&rows)?;
        let mut from = 0;
        let placed: Vec<(usize, &Vec<ConflictingRow>)> = self
            .conflicts
            .iter()
            .map(|conflict| {
                from += conflict.len();
                (from - conflict.len(), conflict)
            })
            .collect();
        let failed = placed.into_par_iter().find_map_first(|(from, conflict)| {
            check_cancelling(&samples, from, conflict, halt).err()
        });
        failed.map_or(Ok(()), Err)
    }
}

/// Looks whether a hyperplane has all rows but some strictly on their own sides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RestQuery {
    sides: SidesQuery,
    /// The rows that do not count, rising.
    removed: Vec<usize>,
}

/// What it has found among the rows that stay.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RestState {
    /// The first row that is not on its own side.
    astray: Option<usize>,
    /// Whether negative rows were met, and whether positive ones.
    classes: [bool; 2],
}

impl RestQuery {
    /// Returns the look at all rows but these, which are counted from 0.
    pub(crate) fn of(plane: &Plane, mut removed: Vec<usize>) -> Self {
        removed.sort_unstable();
        RestQuery { sides: SidesQuery::of(plane), removed }
    }
}

impl RestState {
    /// Returns why the rows that stay are not separated.
    pub(crate) fn separated(&self) -> Result<(), Refused> {
        match (self.astray, self.classes) {
            (Some(row), _) => Err(Refused::WrongSide { row: row + 1 }),
            (None, [true, true]) => Ok(()),
            (None, _) => Err(Refused::ClassRemoved),
        }
    }
}

impl FoldQuery for RestQuery {
    type State = RestState;

    fn begin(&self) -> RestState {
        RestState::default()
    }

    fn absorb(&self, state: &mut RestState, block: &Block<'_>) {
        let samples = block.samples();
        for i in block.places() {
            let row = block.number(i);
            if self.removed.binary_search(&row).is_ok() {
                continue;
            }
            state.classes[usize::from(samples.positive()[i])] = true;
            if self.sides.of_row(samples, i) != Ordering::Greater {
                state.astray = Some(state.astray.map_or(row, |first| first.min(row)));
            }
        }
    }

    fn merge(&self, state: &mut RestState, other: RestState) {
        let [negative, positive] = state.classes;
        *state = RestState {
            astray: state.astray.into_iter().chain(other.astray).min(),
            classes: [negative || other.classes[0], positive || other.classes[1]],
        };
    }

    fn fits(&self, shape: Shape) -> bool {
        self.sides.fits(shape) && self.removed.is_sorted()
    }

    fn admits(&self, state: &RestState, shape: Shape) -> bool {
        state.astray.is_none_or(|row| row < shape.rows)
    }
}

#[cfg(test)]
mod tests;
