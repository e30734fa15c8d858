//! Rows drawn for a hyperplane to begin with, such as that of a fitted model: a few at first, more where these tell nothing.
//!
//! ```text
//! a few rows per coordinate     with the odds of what they weigh at the hyperplane (folds/draw.rs): seen from zero, since labels are
//!                               as good as coins among them, so that Newton's method takes a step or two
//! many times as many            where the few tell nothing, as long as a step takes no time
//! all rows, if they are few     seen from the hyperplane itself
//! ```
//!
//! A hyperplane that is of no use costs these few steps; the other strategies follow.

use super::super::folds::draw::{Draw, ValueCounts};
use super::super::passes::PassError;
use super::super::plan::WorkingSize;
use super::super::search::Search;
use crate::Hyperplane;

/// Steps of Newton's method on rows that were drawn: they need a few, or tell nothing.
pub(super) const STEPS: usize = 8;
/// How many times as many rows are drawn where those before told nothing.
const MORE: usize = 8;

/// What draws the rows.
pub(super) struct RowDrawing {
    size: WorkingSize,
    /// How many were drawn.
    drawn: usize,
    counts: Option<Vec<u64>>,
}

/// Rows, rising, and where Newton's method begins on them: at zero, or at a hyperplane.
pub(super) struct DrawnRows {
    pub rows: Vec<usize>,
    pub plane: Option<Vec<f64>>,
}

impl RowDrawing {
    /// Returns it before any row is drawn.
    pub fn new(size: WorkingSize) -> Self {
        RowDrawing { size, drawn: 0, counts: None }
    }

    /// Returns the next rows, or nothing if they would be too many. If the hyperplane makes no mistake the search is told.
    pub fn next(&mut self, search: &mut Search) -> Result<Option<DrawnRows>, PassError> {
        let Some(start) = search.options.start.clone() else { return Ok(None) };
        let rows = search.shape.rows;
        let count = match self.drawn {
            0 => self.size.start.min(rows),
            before => (MORE * before).min(self.size.most).min(rows),
        };
        if count <= self.drawn {
            return Ok(None);
        }
        self.drawn = count;
        if count == rows {
            return Ok(Some(DrawnRows { rows: (0..rows).collect(), plane: Some(start) }));
        }
        let counts = match self.counts.take() {
            Some(counts) => counts,
            None => search.pass(ValueCounts::new(search.shape))?,
        };
        let found = search.pass(Draw::new(start.clone(), rows, &counts, count))?;
        self.counts = Some(counts);
        if found.mistakes == 0 {
            search.offer(0.0, Hyperplane::from_lifted(start));
        }
        Ok(Some(DrawnRows { rows: found.rows(), plane: None }))
    }
}
