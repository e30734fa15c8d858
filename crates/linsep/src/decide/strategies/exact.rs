//! Integers alone, where floats are at their end.

use dashu_int::IBig;

use super::super::alternative::{self, AlternativeAnswer, AlternativeQuestion};
use super::super::exact::integers::rounded;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::search::Search;
use super::{Found, GaveUp, Strategy, halted};
use crate::Hyperplane;

/// Gordan's alternative, starting from the rows that float solvers ended with.
#[derive(Default)]
pub(super) struct ExactAlternative {
    decided: bool,
    separator: Option<Vec<IBig>>,
}

impl Strategy for ExactAlternative {
    fn way(&self) -> Way {
        Way::Exact
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if let Some(w) = self.separator.take() {
            // Floats could not say it.
            return Ok(Found::Integers(w));
        }
        if std::mem::replace(&mut self.decided, true) {
            return Ok(Found::GaveUp(GaveUp::Stuck));
        }
        let (start, halt) = (search.ended_with.clone(), search.budget.halt_between_passes());
        let answer = alternative::decide(search.data, AlternativeQuestion::Strict, &start, &halt)?;
        drop(halt);
        Ok(match answer {
            Some(AlternativeAnswer::Conflict(conflict)) => Found::Conflict(conflict),
            Some(AlternativeAnswer::Separator(w)) => {
                search.offer(0.0, Hyperplane::from_lifted(rounded(&w)));
                self.separator = Some(w);
                Found::Candidate
            }
            None => halted(search).unwrap_or(Found::GaveUp(GaveUp::Stuck)),
        })
    }
}
