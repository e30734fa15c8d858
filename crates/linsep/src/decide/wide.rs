//! The engine's way where features are many, and rows sparse or few.
//!
//! ```text
//! 1. descend on the dual problem: no mistake after a few passes is the rule       dual.rs
//! 2. else, for sparse rows, look at the signs alone: which rows could conflict?    peel.rs
//!    decide those; a conflict is one of all rows, a separator is extended     contested.rs
//! 3. for the largest margin, go on with the descent until the bounds meet
//! ```

use super::MarginKind;
use super::contested::{self, Found};
use super::dual::Dual;
use super::engine::{Decision, Engine, Way};
use super::peel::{compressed, peel};
use crate::Hyperplane;

/// Passes of the descent before the signs are looked at.
const FIRST_PASSES: u64 = 30;
/// Passes after which a dense set is left to the working set.
const MOST_PASSES: u64 = 400;
/// Sweeps over the active rows between two looks at all, once sweeps alone are too slow.
const SWEEPS: usize = 10;
/// A round of sweeps ends early when what scores lack has fallen to this share.
const FALLEN: f64 = 0.1;

impl Engine<'_> {
    /// Decides by dual coordinate descent.
    pub(super) fn dual(&mut self) -> Decision {
        let rows = self.rows.clone();
        let mut dual = Dual::new(&rows);
        let first = self.passes + FIRST_PASSES;
        let mut found = self.descend(&mut dual, first);
        if found.is_none() && self.candidates.is_empty() {
            found = self.contested();
        }
        let found = found.or_else(|| self.descend(&mut dual, u64::MAX));
        let mut decision = found.expect("passes have a limit");
        decision.way = Way::Dual;
        decision
    }

    /// Widens the margin of the separator that is known, where rows are no more than features.
    pub(super) fn widen(&mut self) -> Option<Decision> {
        if self.candidates.is_empty() || self.rows.len() > self.rows.dimension() {
            return None;
        }
        let rows = self.rows.clone();
        self.descend(&mut Dual::new(&rows), self.passes + MOST_PASSES)
    }

    /// Descends until the goal is reached or a limit is met, or until this many passes are done.
    fn descend(&mut self, dual: &mut Dual, until: u64) -> Option<Decision> {
        let before = self.passes.saturating_sub(dual.passes());
        loop {
            if !self.candidates.is_empty() {
                let first = dual.sweep();
                for _ in 1..SWEEPS {
                    if dual.sweep() < FALLEN * first {
                        break;
                    }
                }
                dual.polish();
            } else {
                dual.sweep();
            }
            let look = dual.look();
            self.passes = before + dual.passes();
            let (bound, lower) = (dual.bound(), look.smallest / dual.norm());
            if bound < self.upper.0 {
                self.upper = (bound, dual.weights());
            }
            self.see(look.mistakes, dual.w(), lower);
            if look.mistakes == 0 {
                self.add_candidate(lower, Hyperplane::from_lifted(dual.w().to_vec()));
                let closed = lower >= self.upper.0 * (1.0 - self.options.gap);
                if (closed || !self.seeks(MarginKind::Angular))
                    && let Some(decision) = self.finish(Way::Dual)
                {
                    return Some(decision);
                }
            }
            if self.halted() {
                return Some(self.undecided(Way::Dual));
            }
            if self.passes >= until {
                return None;
            }
        }
    }

    /// Decides by the contested rows, or proves a separator whose margin is still to be widened.
    fn contested(&mut self) -> Option<Decision> {
        let (peeled, before) = (peel(self.samples), self.passes + 2);
        self.passes = before;
        let mut w = vec![0.0; self.rows.dimension()];
        if !peeled.contested.is_empty() {
            let (samples, columns) = compressed(self.samples, &peeled.contested);
            let passes = |reads: u64| reads.div_ceil(self.rows.len() as u64);
            let (found, reads) =
                contested::decide(&samples, &|reads| self.halted_after(passes(reads)));
            self.passes = before + passes(reads);
            match found {
                Found::Conflict(conflict) => {
                    let of_all = conflict.into_iter().map(|(k, m)| (peeled.contested[k], m));
                    return self.prove_classified(of_all.collect());
                }
                Found::Separator(small) => {
                    columns.iter().zip(&small).for_each(|(&k, v)| w[k] = *v);
                    *w.last_mut().expect("a bias") = *small.last().expect("a bias");
                }
                Found::Nothing => return None,
            }
        }
        peeled.extend(self.samples, &mut w);
        self.add_candidate(0.0, Hyperplane::from_lifted(w));
        if self.seeks(MarginKind::Angular) { None } else { self.finish(Way::Dual) }
    }
}
