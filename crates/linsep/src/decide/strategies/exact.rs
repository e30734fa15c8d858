//! Small data decided in integers, where floats are at their end.

use dashu_int::IBig;
use linsep_data::Error;
use linsep_proof::Conflict;

use super::super::exact::alternative::{self, Alternative};
use super::super::exact::integers::{for_raw_rows, integer_row, rounded};
use super::super::outcome::Way;
use super::super::search::Search;
use super::{Found, GaveUp, Strategy, halted};
use crate::Hyperplane;

/// Rounds after which it gives up.
const ROUNDS: usize = 200;
/// Multiples of a separator that are rounded to floats, one after the other.
const MULTIPLES: i32 = 64;

/// Gordan's alternative, starting from the rows that float solvers ended with.
#[derive(Default)]
pub(super) struct Exact {
    decided: bool,
    separator: Option<Vec<IBig>>,
    /// The last multiple that was tried.
    multiple: i32,
}

impl Exact {
    fn decide(&mut self, search: &Search) -> Result<Option<Alternative>, Error> {
        let all: Vec<usize> = (0..search.shape.rows).collect();
        let samples = search.data.fetch(&all)?;
        search.data.reads().add(all.len() as u64);
        let (vectors, shifts): (Vec<_>, Vec<i32>) =
            all.iter().map(|&i| integer_row(&samples, i)).unzip();
        let start = match search.ended_with.is_empty() {
            true => &[0],
            false => &search.ended_with[..],
        };
        let found = alternative::decide(&vectors, start, ROUNDS, &search.budget.halt());
        Ok(found.map(|found| match found {
            Alternative::Conflict(conflict) => {
                Alternative::Conflict(for_raw_rows(&shifts, conflict))
            }
            separator => separator,
        }))
    }
}

impl Strategy for Exact {
    fn way(&self) -> Way {
        Way::Exact
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, Error> {
        if !self.decided {
            self.decided = true;
            match self.decide(search)? {
                Some(Alternative::Conflict(conflict)) => {
                    return Ok(Found::Conflict(Conflict::from(conflict)));
                }
                Some(Alternative::Separator(w)) => self.separator = Some(w),
                None => {}
            }
        }
        let Some(w) = &self.separator else {
            return Ok(halted(search).unwrap_or(Found::GaveUp(GaveUp::Stuck)));
        };
        if self.multiple < MULTIPLES {
            // Rounding may spoil a margin of a unit in the last place; another multiple of w rounds
            // otherwise. What no float can say, integers can.
            self.multiple += 1;
            let multiple: Vec<IBig> = w.iter().map(|v| v * self.multiple).collect();
            search.offer(0.0, Hyperplane::from_lifted(rounded(&multiple)));
            return Ok(Found::Candidate);
        }
        Ok(Found::Integers(self.separator.take().expect("just seen")))
    }
}
