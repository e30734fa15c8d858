//! Contested sparse rows, decided: a conflict among a few of them, or a separator of all.
//!
//! ```text
//! first    L-BFGS: no mistake: a separator                       solvers/logistic_descent.rs
//! repeat   sweep over their dual problem                       solvers/coordinate_descent.rs
//!          no mistake: a separator
//!          take the rows with the largest alpha, twice as many each time, and leave out those that
//!          cannot conflict among themselves                                            peel.rs
//!          few rows without features that none of them has are short: their point of smallest
//!          norm, as vectors in full, is zero: a conflict, made exact  solvers/min_norm_point.rs
//! ```
//!
//! In the descent the alpha of rows that conflict grow without end, so that the heaviest rows have a
//! conflict long before the descent could tell. Where sweeps separate them they have none, which
//! saves the dear last step.

use dashu_int::IBig;
use linsep_data::{Data, Error, Memory};
use linsep_proof::Conflict;

use super::super::exact::conflict::{Solution, solve};
use super::super::exact::rows::SignedRows;
use super::super::folds::class_sums::ClassSums;
use super::super::folds::logistic::LogisticLine;
use super::super::solvers::coordinate_descent::Dual;
use super::super::solvers::logistic_descent::{self, DescentStep, LogisticDescent, StepLook};
use super::super::solvers::min_norm_point::Corral;
use super::peel::{compressed, peel};
use crate::Samples;
use crate::lift::Rows;
use crate::queries::fold;

/// Passes of L-BFGS.
const SMOOTH_PASSES: u64 = 80;
/// Sweeps between two looks for a conflict, and between two looks at all rows.
const SWEEPS: usize = 64;
const SWEEPS_PER_LOOK: usize = 4;
/// Rows among which a conflict is looked for at first.
const FIRST: usize = 256;
/// Values that the vectors of the rows may have together (1 GiB).
const VALUES: usize = 1 << 27;
/// Under this norm the point of smallest norm may be zero.
const SUSPICIOUS: f64 = 1e-7;

/// What was found out about rows.
pub(super) enum ContestedAnswer {
    /// Multipliers of some rows that combine to zero.
    Conflict(Conflict),
    /// A vector with a score of at least 1 for all rows, as floats have it.
    Separator(Vec<f64>),
    /// Neither.
    Nothing,
}

/// Returns what can be found out about contested rows, and how many rows were read for it. `halt`
/// is told how many have been read so far, and ends the work when it returns true.
pub(super) fn decide(
    samples: &Samples,
    halt: &(dyn Fn(u64) -> bool + Sync),
) -> Result<(ContestedAnswer, u64), Error> {
    let rows = Rows::lifted(samples);
    let mut search = ContestedSearch { reads: 0, halt };
    if let Some(w) = search.smooth(samples)? {
        return Ok((ContestedAnswer::Separator(w), search.reads));
    }
    let mut dual = Dual::new(rows.clone());
    let mut size = FIRST;
    while !search.halted() {
        if let Some(w) = search.sweep(&mut dual, SWEEPS) {
            return Ok((ContestedAnswer::Separator(w), search.reads));
        }
        let mut heavy: Vec<(usize, f64)> = dual.weights().collect();
        heavy.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut some: Vec<usize> = heavy.into_iter().map(|(i, _)| i).take(size).collect();
        if size >= rows.len() {
            some = (0..rows.len()).collect();
        }
        some.sort_unstable();
        let found = search.among(samples, &some);
        if !matches!(found, ContestedAnswer::Nothing) || size >= rows.len() {
            return Ok((found, search.reads));
        }
        size *= 2;
    }
    Ok((ContestedAnswer::Nothing, search.reads))
}

/// Each look is a pass over the contested rows.
struct Looking<'a>(Memory<'a>);

impl logistic_descent::LookedAtRows for Looking<'_> {
    type Error = Error;

    fn look(&mut self, step: DescentStep) -> Result<StepLook, Error> {
        Ok(fold(&self.0, &LogisticLine::new(self.0.shape(), step))?.look())
    }
}

struct ContestedSearch<'a> {
    reads: u64,
    halt: &'a (dyn Fn(u64) -> bool + Sync),
}

impl ContestedSearch<'_> {
    fn halted(&self) -> bool {
        (self.halt)(self.reads)
    }

    /// Sweeps until no mistake is left, and returns w with scores of at least 1, or until this many
    /// sweeps are done.
    fn sweep(&mut self, dual: &mut Dual<Rows>, sweeps: usize) -> Option<Vec<f64>> {
        let before = dual.reads();
        let mut look = None;
        for _ in 0..sweeps / SWEEPS_PER_LOOK {
            for _ in 0..SWEEPS_PER_LOOK {
                dual.sweep();
            }
            look = Some(dual.look()).filter(|look| look.mistakes == 0);
            if look.is_some() || (self.halt)(self.reads + dual.reads() - before) {
                break;
            }
        }
        self.reads += dual.reads() - before;
        look.map(|look| scaled(dual.w(), look.smallest))
    }

    /// Descends on the logistic loss, and returns w with scores of at least 1 if it finds one.
    fn smooth(&mut self, samples: &Samples) -> Result<Option<Vec<f64>>, Error> {
        let memory = Memory::new(samples);
        let sums = fold(&memory, &ClassSums::new(memory.shape()))?;
        let mut descent = LogisticDescent::new(samples.rows(), &sums.total(), sums.unsigned());
        let mut rows = Looking(memory);
        let (before, shape) = (self.reads, rows.0.shape());
        while descent.best().0 > 0 && rows.0.reads().passes(shape) < SMOOTH_PASSES && !self.halted()
        {
            let stepped = descent.step(&mut rows)?;
            self.reads = before + rows.0.reads().passes(shape) * shape.rows as u64;
            if !stepped {
                break;
            }
        }
        let (mistakes, w) = descent.best();
        Ok(if mistakes == 0 { at_least_one(&Rows::lifted(samples), w) } else { None })
    }

    /// Returns a conflict among the given rows, or a separator of all rows if it comes to that.
    fn among(&mut self, samples: &Samples, rows: &[usize]) -> ContestedAnswer {
        let Some(rows) = contested(samples, rows) else {
            return ContestedAnswer::Nothing;
        };
        let (few, columns) = compressed(samples, &rows);
        let lifted = Rows::lifted(&few);
        let mut dual = Dual::new(lifted.clone());
        let short = rows.len().saturating_mul(lifted.dimension()) <= VALUES;
        if !short || (rows.len() < samples.rows() && self.sweep(&mut dual, SWEEPS).is_some()) {
            return ContestedAnswer::Nothing;
        }
        let points: Vec<Vec<f64>> = (0..rows.len()).map(|k| lifted.vector(k)).collect();
        let ids: Vec<usize> = (0..rows.len()).collect();
        let mut corral = Corral::new(lifted.dimension());
        corral.solve(&ids, &points, &|| self.halted());
        if corral.norm() < SUSPICIOUS {
            let mut members: Vec<(usize, f64)> = corral.members().collect();
            members.sort_unstable_by_key(|(place, _)| *place);
            let (places, weights): (Vec<usize>, Vec<f64>) = members.into_iter().unzip();
            let chosen = SignedRows::of(&few, places.iter().copied());
            if let Solution::Proven(conflict) =
                solve(&chosen, &weights, &|| (self.halt)(self.reads))
            {
                let conflict =
                    conflict.into_iter().map(|(at, m)| (rows[places[at]], IBig::from(m)));
                return ContestedAnswer::Conflict(Conflict::from(conflict.collect::<Vec<_>>()));
            }
        }
        let mut w = vec![0.0; samples.columns() + 1];
        columns.iter().zip(corral.p()).for_each(|(&k, p)| w[k] = *p);
        w[samples.columns()] = corral.p()[columns.len()];
        at_least_one(&Rows::lifted(samples), &w)
            .map_or(ContestedAnswer::Nothing, ContestedAnswer::Separator)
    }
}

/// Returns w scaled so that all scores are at least 1, if they are all positive.
pub(super) fn at_least_one(rows: &Rows, w: &[f64]) -> Option<Vec<f64>> {
    let smallest = (0..rows.len()).fold(f64::INFINITY, |least, i| least.min(rows.score(i, w)));
    (smallest > 0.0).then(|| scaled(w, smallest))
}

fn scaled(w: &[f64], smallest: f64) -> Vec<f64> {
    w.iter().map(|w| w / smallest).collect()
}

/// Returns those of the given rows that may conflict with each other, if there are any.
fn contested(samples: &Samples, rows: &[usize]) -> Option<Vec<usize>> {
    let has = |label: bool| rows.iter().any(|&i| samples.positive()[i] == label);
    if !has(true) || !has(false) {
        return None;
    }
    let left = peel(&compressed(samples, rows).0).contested;
    Some(left.into_iter().map(|k| rows[k]).collect()).filter(|rows: &Vec<usize>| !rows.is_empty())
}
