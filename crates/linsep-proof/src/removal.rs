//! How many rows must go before the rest is separable: between how many that lies.
//!
//! ```text
//! at most    as many as are named, if a hyperplane has all others strictly on their own sides
//! at least   as many as there are conflicts of which no two share a row: from each a row must go
//! ```

use std::cmp::Ordering;
use std::sync::Arc;

use linsep_data::{Block, Data, Fold};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::evidence::{Conflict, Removals};
use crate::proof::{ConflictingRow, Plane, conflicting};
use crate::refused::Refused;
use crate::verify::{
    Failed, Halt, Sides, check_cancelling, check_multipliers, check_plane, check_rows,
};

/// Bounds on the number of rows that must go before the rest is separable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemovalClaim {
    /// The rows that go, counted from 1. Rows of both classes stay.
    pub rows: Vec<usize>,
    /// A hyperplane with all other rows strictly on their own sides.
    pub hyperplane: Plane,
    /// Conflicts, of which no two share a row.
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
        Removals { at_least: self.conflicts.len(), at_most: self.rows.len() }
    }

    /// Checks what can be said without a look at any row: every row is named once on either side, so that what is
    /// looked at later is no more than the data.
    pub(crate) fn check_numbers(&self, rows: usize, columns: usize) -> Result<(), Refused> {
        check_plane(columns, &self.hyperplane)?;
        check_rows(rows, self.rows.iter().copied())?;
        // An empty conflict would count, and name no row.
        if self.conflicts.iter().any(Vec::is_empty) {
            return Err(Refused::EmptyConflict);
        }
        check_rows(rows, self.conflicts.iter().flatten().map(|c| c.row))?;
        self.conflicts.iter().try_for_each(|conflict| check_multipliers(conflict))
    }

    /// Checks that each conflict cancels, of which the numbers have been checked.
    pub(crate) fn check_conflicts(&self, data: &dyn Data, halt: Halt) -> Result<(), Failed> {
        // All at once: elsewhere each fetch may be a journey.
        let rows: Vec<usize> = self.conflicts.iter().flatten().map(|c| c.row - 1).collect();
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
pub(crate) struct Rest<'a> {
    pub(crate) sides: Sides<'a>,
    /// The rows that do not count, rising.
    pub(crate) removed: Arc<[usize]>,
    /// The first row that is not on its own side.
    pub(crate) astray: Option<usize>,
    /// Whether negative rows were met, and whether positive ones.
    pub(crate) classes: [bool; 2],
}

impl<'a> Rest<'a> {
    /// Returns the look at no row yet; rows are counted from 0.
    pub(crate) fn of(plane: &'a Plane, mut removed: Vec<usize>) -> Self {
        removed.sort_unstable();
        Rest { sides: Sides::of(plane), removed: removed.into(), astray: None, classes: [false; 2] }
    }

    /// Returns why the rows that stay are not separated.
    pub(crate) fn separated(&self) -> Result<(), Refused> {
        match (self.astray, self.classes) {
            (Some(row), _) => Err(Refused::WrongSide { row: row + 1 }),
            (None, [true, true]) => Ok(()),
            (None, _) => Err(Refused::ClassRemoved),
        }
    }
}

impl Fold for Rest<'_> {
    fn fresh(&self) -> Self {
        let (sides, removed) = (self.sides.fresh(), self.removed.clone());
        Rest { sides, removed, astray: None, classes: [false; 2] }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        for i in block.places() {
            let row = block.number(i);
            if self.removed.binary_search(&row).is_ok() {
                continue;
            }
            self.classes[usize::from(samples.positive()[i])] = true;
            if self.sides.of_row(samples, i) != Ordering::Greater {
                self.astray = Some(self.astray.map_or(row, |first| first.min(row)));
            }
        }
    }

    fn merge(self, other: Self) -> Self {
        let [negative, positive] = self.classes;
        Rest {
            sides: self.sides,
            removed: self.removed,
            astray: self.astray.into_iter().chain(other.astray).min(),
            classes: [negative || other.classes[0], positive || other.classes[1]],
        }
    }
}

#[cfg(test)]
mod tests;
