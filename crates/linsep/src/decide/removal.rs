//! A small set of rows without which the rest is separable.
//!
//! ```text
//! start    the rows that a hyperplane with few mistakes (robust.rs) does not have on their own
//!          sides, the most wrong first: the rest is separable by construction
//! halve    the shortest beginning of that list without which the rest is still separable
//! return   one row after another, the least wrong first, as long as the rest stays separable; a
//!          new separator takes with it all rows that it has on their own sides
//! ```
//!
//! Every question is put to the engine, which proves its answers. A row that cannot return to the
//! rest cannot return to a larger one, so one round makes the set irreducible. It is small, not
//! smallest.

use std::cmp::Ordering;

use linsep_proof::exact::{Row, sign_of_value};
use linsep_proof::{Proof, verify};
use rayon::prelude::*;

use super::engine::{DecideOptions, MarginGoal, Verdict, decide_strictly};
use super::explain::{Limits, Removal, RemovedRow};
use super::robust::few_mistakes;
use crate::{Hyperplane, Samples};

/// Values that all questions together may look at in one pass each, and questions there may be
/// whatever the size of the data.
const AFFORDABLE: usize = 4_000_000_000;
const QUESTIONS: usize = 20;
/// Passes that one question may take.
const PASSES: u64 = 100;
/// How close to the largest margin the last hyperplane is to come.
const GAP: f64 = 1e-3;

/// Returns rows without which the rest is separable, or none if no such rows were found that leave
/// both classes.
pub fn removal(samples: &Samples, limits: &Limits) -> Option<Removal> {
    let mut search = Search {
        samples,
        limits,
        questions: (AFFORDABLE / (samples.rows() * samples.columns())).max(QUESTIONS),
        removed: vec![],
        plane: Hyperplane { weights: vec![], bias: 0.0 },
    };
    let planes = few_mistakes(samples, &|| limits.halted());
    if !planes.into_iter().any(|plane| search.accept(plane)) {
        return None;
    }
    search.halve();
    let irreducible = search.put_back();
    search.widen();
    let Search { removed, plane, .. } = search;
    let length = plane.weight_norm();
    let wrong = |row: usize| -value(samples, &plane, row) / length;
    let mut rows: Vec<RemovedRow> =
        removed.into_iter().map(|row| RemovedRow { row, distance: wrong(row) }).collect();
    rows.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.row.cmp(&b.row)));
    Some(Removal { rows, irreducible, hyperplane: plane })
}

struct Search<'a> {
    samples: &'a Samples,
    limits: &'a Limits<'a>,
    /// Questions that are left.
    questions: usize,
    /// The rows left out, the most wrong first.
    removed: Vec<usize>,
    /// A separator of the rest, which the checker has accepted.
    plane: Hyperplane,
}

impl Search<'_> {
    /// Leaves out what the hyperplane does not have on its own side, if that leaves both classes.
    fn accept(&mut self, plane: Hyperplane) -> bool {
        let samples = self.samples;
        let mut wrong: Vec<usize> = (0..samples.rows())
            .into_par_iter()
            .with_min_len(256)
            .filter(|&i| !on_its_own_side(samples, &plane, i))
            .collect();
        wrong.sort_by(|&a, &b| {
            value(samples, &plane, a).total_cmp(&value(samples, &plane, b)).then(a.cmp(&b))
        });
        let Ok(rest) = samples.without_rows(&wrong) else {
            return false;
        };
        let proof = Proof::separable(&rest, plane.weights.clone(), plane.bias);
        let accepted = verify(&rest, &proof).is_ok();
        if accepted {
            (self.removed, self.plane) = (wrong, plane);
        }
        accepted
    }

    /// Returns whether the rest without `rows` is separable, with the separator; none if that stays
    /// open.
    fn ask(&mut self, rows: &[usize], margin: MarginGoal) -> Option<Result<Hyperplane, ()>> {
        if self.questions == 0 || self.limits.halted() {
            return None;
        }
        self.questions -= 1;
        let rest = self.samples.without_rows(rows).ok()?;
        let time_limit = self.limits.left();
        let options = DecideOptions { margin, gap: GAP, max_passes: PASSES, time_limit };
        let decision = decide_strictly(&rest, &options, &mut &*self.limits);
        match decision.verdict {
            Verdict::Separable => decision.hyperplane.map(Ok),
            Verdict::Inseparable | Verdict::QuasiSeparable => Some(Err(())),
            Verdict::Undecided => None,
        }
    }

    /// Keeps the shortest beginning of the list that will do.
    fn halve(&mut self) {
        let (mut too_few, mut enough) = (0, self.removed.len());
        while enough > too_few + 1 {
            let middle = too_few + (enough - too_few) / 2;
            let rows = self.removed[..middle].to_vec();
            match self.ask(&rows, MarginGoal::Any) {
                Some(Ok(plane)) => {
                    self.take(rows, plane);
                    enough = self.removed.len();
                }
                Some(Err(())) => too_few = middle,
                None => return,
            }
        }
    }

    /// Puts rows back while the rest stays separable; returns true if every row was tried.
    fn put_back(&mut self) -> bool {
        let mut complete = true;
        let mut tried = 0;
        while tried < self.removed.len() {
            let at = self.removed.len() - 1 - tried;
            let mut rows = self.removed.clone();
            rows.remove(at);
            match self.ask(&rows, MarginGoal::Any) {
                Some(Ok(plane)) => self.take(rows, plane),
                Some(Err(())) => tried += 1,
                None => {
                    complete = false;
                    tried += 1;
                }
            }
        }
        complete
    }

    /// Leaves out `rows` but for those that the separator of the rest has on their own sides.
    fn take(&mut self, mut rows: Vec<usize>, plane: Hyperplane) {
        rows.retain(|&row| !on_its_own_side(self.samples, &plane, row));
        (self.removed, self.plane) = (rows, plane);
    }

    /// Looks for the separator of largest margin.
    fn widen(&mut self) {
        self.questions += 1;
        let rows = self.removed.clone();
        if let Some(Ok(plane)) = self.ask(&rows, MarginGoal::Max) {
            self.plane = plane;
        }
    }
}

/// Returns y (w·x + b).
fn value(samples: &Samples, plane: &Hyperplane, i: usize) -> f64 {
    let value = samples.features().dot(i, &plane.weights) + plane.bias;
    if samples.positive()[i] { value } else { -value }
}

/// Returns true if y (w·x + b) > 0, exactly.
fn on_its_own_side(samples: &Samples, plane: &Hyperplane, i: usize) -> bool {
    let own = if samples.positive()[i] { Ordering::Greater } else { Ordering::Less };
    sign_of_value(&plane.weights, plane.bias, Row::of(samples.features(), i)) == own
}
