//! The dual problem, where features are many, and rows sparse or few. It visits rows in memory.
//!
//! ```text
//! 1. descend on the dual problem: no mistake after a few passes is the rule
//!                                                       solvers/coordinate_descent.rs
//! 2. else, for sparse rows, look at the signs alone: which rows could conflict?    peel.rs
//!    decide those; a conflict is one of all rows, a separator is extended     contested.rs
//! 3. for the largest margin, go on with the descent until the bounds meet
//! ```

use linsep_proof::MarginKind;

use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::search::Search;
use super::super::solvers::coordinate_descent::{Dual, UnitVectors};
use super::contested;
use super::peel::{compressed, peel};
use super::{Found, Strategy, halted};
use crate::lift::Rows;
use crate::{Hyperplane, Samples};

/// Sweeps over the active rows between two looks at all, once sweeps alone are too slow.
const SWEEPS: usize = 10;
/// A round of sweeps ends early when what scores lack has fallen to this share.
const FALLEN: f64 = 0.1;

impl UnitVectors for Rows<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn dimension(&self) -> usize {
        Rows::dimension(self)
    }

    fn score(&self, i: usize, w: &[f64]) -> f64 {
        Rows::score(self, i, w)
    }

    fn add(&self, i: usize, c: f64, w: &mut [f64]) {
        Rows::add(self, i, c, w);
    }
}

/// The descent on rows in memory.
struct DualDescent<'a> {
    dual: Dual<Rows<'a>>,
}

impl<'a> DualDescent<'a> {
    fn new(samples: &'a Samples) -> Self {
        DualDescent { dual: Dual::new(Rows::lifted(samples)) }
    }

    /// Descends until the goal is reached or a limit is met, or until it has read `passes` passes.
    fn go_on(&mut self, search: &mut Search, passes: u64) -> Option<Found> {
        let (dual, n) = (&mut self.dual, search.shape.rows as u64);
        while dual.reads().div_ceil(n) < passes {
            let before = dual.reads();
            let first = dual.sweep();
            if search.has_candidates() {
                for _ in 1..SWEEPS {
                    if dual.sweep() < FALLEN * first {
                        break;
                    }
                }
                dual.polish();
            }
            let look = dual.look();
            search.data.reads().add(dual.reads() - before);
            search.bound(dual.bound(), || dual.weights().collect());
            let lower = look.smallest / dual.norm();
            search.see(look.mistakes, dual.w(), lower);
            if look.mistakes == 0 {
                search.offer(lower, Hyperplane::from_lifted(dual.w().to_vec()));
                let closed = lower >= search.upper() * (1.0 - search.options.gap);
                if closed || !search.options.seeks(MarginKind::Angular) {
                    return Some(Found::Candidate);
                }
            }
            if let Some(end) = halted(search) {
                return Some(end);
            }
        }
        None
    }
}

/// Decides sparse rows of many features.
pub(super) struct DualWay<'a> {
    descent: DualDescent<'a>,
    samples: &'a Samples,
    /// Passes before the signs are looked at.
    passes: u64,
    looked: bool,
}

impl<'a> DualWay<'a> {
    /// Returns the descent before its first step.
    ///
    /// # Panics
    /// If the rows do not fit in memory.
    pub fn new(search: &Search<'a>, passes: u64) -> Result<Self, PassError> {
        let samples = search.data.gather()?.expect("the plan knows that rows fit in memory");
        Ok(DualWay { descent: DualDescent::new(samples), samples, passes, looked: false })
    }

    /// Decides by the contested rows, or offers a separator whose margin is still to be widened.
    fn contested(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let samples = self.samples;
        let peeled = peel(samples);
        search.data.reads().add(2 * samples.rows() as u64);
        let mut w = vec![0.0; search.dimension()];
        if !peeled.contested.is_empty() {
            let (few, columns) = compressed(samples, &peeled.contested);
            let halt = search.budget.halt_after();
            let (found, reads) = contested::decide(&few, &halt)?;
            search.data.reads().add(reads);
            match found {
                contested::ContestedAnswer::Conflict(conflict) => {
                    let conflict = conflict.renumbered(|k| peeled.contested[k]);
                    return Ok(Some(Found::Conflict(conflict)));
                }
                contested::ContestedAnswer::Separator(small) => {
                    columns.iter().zip(&small).for_each(|(&k, v)| w[k] = *v);
                    *w.last_mut().expect("a bias") = *small.last().expect("a bias");
                }
                contested::ContestedAnswer::Nothing => return Ok(None),
            }
        }
        peeled.extend(samples, &mut w);
        search.offer(0.0, Hyperplane::from_lifted(w));
        let enough = !search.options.seeks(MarginKind::Angular);
        Ok(enough.then_some(Found::Candidate))
    }
}

impl Strategy for DualWay<'_> {
    fn way(&self) -> Way {
        Way::Dual
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if !self.looked {
            if let Some(found) = self.descent.go_on(search, self.passes) {
                return Ok(found);
            }
            self.looked = true;
            if !search.has_candidates()
                && let Some(found) = self.contested(search)?
            {
                return Ok(found);
            }
        }
        let found = self.descent.go_on(search, u64::MAX);
        Ok(found.expect("passes have a limit"))
    }
}
