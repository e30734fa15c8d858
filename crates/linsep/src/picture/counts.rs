//! What passes count for a picture: the rows nearest to the hyperplane, and rows in the cells of its view.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::view::ViewMap;
use super::{CELLS, Cells};
use crate::data::{Block, FoldQuery, Shape};

/// Nearest rows of each class that are found.
pub(super) const NEAREST: usize = 3;

/// Finds the rows of each class that are nearest to the hyperplane, or farthest on the wrong side, and counts the
/// mistakes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NearestRows(pub(super) ViewMap);

/// What it has found so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct NearestState {
    pub(super) mistakes: u64,
    /// Distance to the own side and row, the smallest first, by class.
    pub(super) found: [Vec<(f64, usize)>; 2],
}

impl NearestState {
    fn take(&mut self, positive: bool, distance: f64, row: usize) {
        let found = &mut self.found[usize::from(positive)];
        let before = |&(other, number): &(f64, usize)| {
            other.total_cmp(&distance).then(number.cmp(&row)).is_lt()
        };
        let place = found.partition_point(before);
        if place < NEAREST {
            found.insert(place, (distance, row));
            found.truncate(NEAREST);
        }
    }
}

impl FoldQuery for NearestRows {
    type State = NearestState;

    fn begin(&self) -> NearestState {
        NearestState::default()
    }

    fn absorb(&self, state: &mut NearestState, block: &Block<'_>) {
        let (samples, places) = (block.samples(), block.places());
        let mut values = vec![0.0; places.len()];
        self.0.across(samples, places.start, &mut values);
        for (place, value) in places.zip(values) {
            let positive = samples.positive()[place];
            let distance = if positive { value } else { -value };
            state.mistakes += u64::from(distance.is_nan() || distance <= 0.0);
            state.take(positive, distance, block.number(place));
        }
    }

    fn merge(&self, state: &mut NearestState, other: NearestState) {
        state.mistakes += other.mistakes;
        for (class, found) in other.found.into_iter().enumerate() {
            found.into_iter().for_each(|(distance, row)| state.take(class == 1, distance, row));
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        self.0.fits(shape)
    }

    fn admits(&self, state: &NearestState, shape: Shape) -> bool {
        let fits = |found: &Vec<(f64, usize)>| {
            found.len() <= NEAREST && found.iter().all(|(_, row)| *row < shape.rows)
        };
        state.mistakes <= shape.rows as u64 && state.found.iter().all(fits)
    }

    fn named(&self, state: &NearestState) -> Vec<usize> {
        state.found.iter().flatten().map(|(_, row)| *row).collect()
    }
}

/// Counts rows by the cell of the view that they lie in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ViewCells {
    pub(super) map: ViewMap,
    pub(super) x: [f64; 2],
    pub(super) y: [f64; 2],
}

/// Negatives and positives by row and column.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CellsState(BTreeMap<(usize, usize), [u64; 2]>);

impl CellsState {
    pub(super) fn filled(self) -> Cells {
        let [columns, rows] = CELLS;
        let cell = |((row, column), [negatives, positives]): ((usize, usize), [u64; 2])| {
            (column, row, negatives, positives)
        };
        Cells { columns, rows, filled: self.0.into_iter().map(cell).collect() }
    }
}

impl FoldQuery for ViewCells {
    type State = CellsState;

    fn begin(&self) -> CellsState {
        CellsState::default()
    }

    fn absorb(&self, state: &mut CellsState, block: &Block<'_>) {
        let (samples, places) = (block.samples(), block.places());
        let mut values = vec![0.0; places.len()];
        self.map.across(samples, places.start, &mut values);
        for (place, value) in places.zip(values) {
            let up = self.map.up(samples, place, block.number(place));
            let cell = (cell(up, self.y, CELLS[1]), cell(value, self.x, CELLS[0]));
            let class = usize::from(samples.positive()[place]);
            state.0.entry(cell).or_default()[class] += 1;
        }
    }

    fn merge(&self, state: &mut CellsState, other: CellsState) {
        for (cell, [negatives, positives]) in other.0 {
            let all = state.0.entry(cell).or_default();
            all[0] += negatives;
            all[1] += positives;
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        self.map.fits(shape)
    }

    fn admits(&self, CellsState(cells): &CellsState, shape: Shape) -> bool {
        admits(cells, CELLS, shape)
    }
}

/// Returns false if these cannot be counts of rows in a grid of so many cells across and up.
pub(super) fn admits(
    cells: &BTreeMap<(usize, usize), [u64; 2]>,
    [columns, rows]: [usize; 2],
    shape: Shape,
) -> bool {
    let counts = cells.values().flatten();
    let all = counts.copied().try_fold(0_u64, |sum, count| sum.checked_add(count));
    cells.keys().all(|&(row, column)| column < columns && row < rows)
        && all.is_some_and(|all| all <= shape.rows as u64)
}

/// Returns the cell of a value; what lies outside is in the outermost.
pub(super) fn cell(value: f64, [low, high]: [f64; 2], cells: usize) -> usize {
    let share = (value - low) / (high - low);
    // A NaN becomes zero.
    ((share * cells as f64) as usize).min(cells - 1)
}
