//! L-BFGS on the logistic loss, where features are many: it ends with the first hyperplane without a
//! mistake.

use std::collections::VecDeque;

use super::super::folds::class_sums::ClassSums;
use super::super::folds::logistic::LogisticLine;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::search::Search;
use super::super::solvers::logistic_descent::{
    DescentStep, LogisticDescent, LookedAtRows, StepLook,
};
use super::{Found, GaveUp, Strategy, halted};
use crate::Hyperplane;
use linsep_proof::MarginKind;

/// So many steps, and this share of the loss: where the first leave more than the second, no separator is in
/// sight. On the way to one the loss falls by as much in one step or two.
const STEPS: usize = 5;
const SHARE: f64 = 0.99;

/// The descent, and the passes that it may take.
pub(super) struct Smooth {
    passes: u64,
    /// Passes before the descent began.
    before: u64,
    descent: Option<LogisticDescent>,
    /// The losses after the last steps.
    losses: VecDeque<f64>,
    ended: bool,
}

impl Smooth {
    /// Returns the descent before its first step.
    pub fn new(passes: u64) -> Self {
        Smooth { passes, before: 0, descent: None, losses: VecDeque::new(), ended: false }
    }
}

/// Each look is a pass.
impl LookedAtRows for Search<'_> {
    type Error = PassError;

    fn look(&mut self, step: DescentStep) -> Result<StepLook, PassError> {
        Ok(self.pass(LogisticLine::new(self.shape, step))?.look())
    }
}

impl Strategy for Smooth {
    fn way(&self) -> Way {
        Way::Smooth
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        let descent = match &mut self.descent {
            Some(descent) => descent,
            None => {
                let sums = match search.sums.take() {
                    Some(sums) => sums,
                    None => search.pass(ClassSums::new(search.shape))?,
                };
                self.before = search.budget.passes();
                let start = LogisticDescent::new(search.shape.rows, &sums.total(), sums.unsigned());
                search.see(start.best().0, start.best().1, f64::NEG_INFINITY);
                self.descent.insert(start)
            }
        };
        while !self.ended && search.budget.passes() - self.before < self.passes {
            if let Some(end) = halted(search) {
                return Ok(end);
            }
            self.ended = !descent.step(search)?;
            self.losses.push_back(descent.loss());
            if self.losses.len() > STEPS {
                let before = self.losses.pop_front().expect("several");
                self.ended |= descent.loss() > SHARE * before;
            }
            let (mistakes, w) = descent.best();
            search.see(mistakes, w, f64::NEG_INFINITY);
            if mistakes == 0 {
                search.offer(0.0, Hyperplane::from_lifted(w.to_vec()));
                // The largest margin is for those that come after.
                self.ended |= search.options.seeks(MarginKind::Angular);
                if !self.ended {
                    return Ok(Found::Candidate);
                }
            }
        }
        Ok(Found::GaveUp(GaveUp::Stuck))
    }
}
