//! A small set of rows without which the rest is separable.
//!
//! ```text
//! start    the rows that a hyperplane with few mistakes (robust.rs) does not have on their own
//!          sides, the most wrong first: the rest is separable by construction
//!          (none that leaves both classes: rows of conflicts until there is none, or all but two)
//! halve    the shortest beginning of that list without which the rest is still separable
//! return   one row after another, the least wrong first, as long as the rest stays separable; a
//!          new separator takes with it all rows that it has on their own sides
//! ```
//!
//! Every question is put to the engine, which proves its answers. A row that cannot return to the
//! rest cannot return to a larger one, so one round makes the set irreducible. It is small, not
//! smallest.

use std::cmp::Ordering;

use linsep_data::{Data, Memory, Shape};
use linsep_proof::exact::{Row, sign_of_value};
use linsep_proof::{Conflict, IBig, Overlap};
use rayon::prelude::*;

use super::super::budget::Deadline;
use super::super::engine::{Strictly, decide_strictly};
use super::super::options::{DecideOptions, MarginGoal};
use super::super::outcome::Decision;
use super::super::solvers::order::{Scored, keep_smallest};
use super::super::{certify, plan};
use super::packing::packed;
use super::robust::{Weighing, few_mistakes};
use super::scaled::Scaled;
use super::{Removal, RemovedRow};
use crate::content::nonzero;
use crate::kernels::RowArithmetic;
use crate::watch::{Removing, Watch};
use crate::{Error, Hyperplane, Samples};

/// How close to the largest margin the last hyperplane is to come.
const GAP: f64 = 1e-3;

/// Rows to remove, a separator of the rest, and whether the rows are irreducible.
type RemovalFound = (Vec<usize>, Hyperplane, bool);

/// Returns rows without which the rest is separable, or none if no such rows were found that leave
/// both classes. `same` are groups of identical rows under both labels.
pub fn removal(
    samples: &Samples,
    decision: &Decision,
    same: &[Vec<usize>],
    deadline: &Deadline,
    watch: &dyn Watch,
) -> Option<Removal> {
    // A hyperplane with few mistakes: at a limit those may be all that is known.
    let known = decision.hyperplane();
    let scaled = Scaled::new(samples);
    let found = match &scaled {
        Some(scaled) => search(&scaled.samples, deadline, watch)
            .map(|(rows, plane, irreducible)| (rows, scaled.to_original(&plane), irreducible)),
        None => search(samples, deadline, watch),
    };
    // Scaling back may leave the range of floats; what the checker refuses is not claimed.
    let stands = |(rows, plane, _): &RemovalFound| {
        samples.without_rows(rows).is_ok_and(|rest| certify::separates(&rest, plane))
    };
    let found = found.filter(stands);
    let at_least = || [known.cloned(), Some(between_means(samples))].into_iter().flatten();
    let wrong = |plane: Hyperplane| (wrong_rows(samples, &plane), plane, false);
    let found = match found {
        // At a limit it may be beaten by what was known before it began.
        Some(found) if deadline.halted() && !found.2 => {
            let more = at_least().map(wrong).filter(|other| other.0.len() < found.0.len());
            more.filter(stands).min_by_key(|other| other.0.len()).unwrap_or(found)
        }
        Some(found) => found,
        None => at_least().map(wrong).filter(stands).min_by_key(|other| other.0.len())?,
    };
    let (rows, plane, irreducible) = found;
    let length = plane.weight_norm();
    let wrong = |row: usize| -value(samples, &plane, row) / length;
    let mut rows: Vec<RemovedRow> =
        rows.into_iter().map(|row| RemovedRow { row, distance: wrong(row) }).collect();
    rows.sort_by(|a, b| b.distance.total_cmp(&a.distance).then(a.row.cmp(&b.row)));
    let suspects: Vec<usize> = rows.iter().map(|removed| removed.row).collect();
    let conflicts = packed(samples, &suspects, &plane, same, deadline);
    let at_least = conflicts.len().max(1);
    let removal = Removal { rows, irreducible, hyperplane: plane, at_least, conflicts };
    let mut removal = accepted(removal, samples, decision, deadline);
    // Of a smallest set no row can go back.
    removal.irreducible |= removal.smallest();
    Some(removal)
}

/// Returns the removal as the checker accepts it: if it does not, with the one conflict that the decision rests on.
fn accepted(
    removal: Removal,
    samples: &Samples,
    decision: &Decision,
    deadline: &Deadline,
) -> Removal {
    let proof = decision.proof().map(|proof| proof.clone().with_removal(removal.claim()));
    let soon = deadline.soon();
    if proof.is_some_and(|proof| certify::holds_for(samples, &proof, &soon)) {
        return removal;
    }
    let conflicts: Vec<Conflict> = decision.conflict().cloned().into_iter().collect();
    Removal { at_least: conflicts.len().max(1), conflicts, ..removal }
}

/// Returns the hyperplane halfway between the means of the classes: far from the best, and there at once.
fn between_means(samples: &Samples) -> Hyperplane {
    let mut means = [vec![0.0; samples.columns()], vec![0.0; samples.columns()]];
    let positives = samples.positive().iter().filter(|&&p| p).count();
    let counts = [samples.rows() - positives, positives];
    for i in 0..samples.rows() {
        let class = usize::from(samples.positive()[i]);
        samples.features().for_each(i, |k, v| means[class][k] += v / counts[class] as f64);
    }
    let [negative, positive] = means;
    let weights: Vec<f64> = positive.iter().zip(&negative).map(|(p, n)| p - n).collect();
    let middle = positive.iter().zip(&negative).map(|(p, n)| p / 2.0 + n / 2.0);
    let bias = -weights.iter().zip(middle).map(|(w, m)| w * m).sum::<f64>();
    Hyperplane { weights, bias }
}

/// Returns the rows that a hyperplane does not have on their own side, the most wrong first.
fn wrong_rows(samples: &Samples, plane: &Hyperplane) -> Vec<usize> {
    let mut wrong: Vec<(f64, usize)> = (0..samples.rows())
        .into_par_iter()
        .with_min_len(256)
        .filter(|&i| !on_its_own_side(samples, plane, i))
        .map(|i| (value(samples, plane, i), i))
        .collect();
    wrong.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    wrong.into_iter().map(|(_, i)| i).collect()
}

/// Returns what is found by questions to the engine.
fn search(samples: &Samples, deadline: &Deadline, watch: &dyn Watch) -> Option<RemovalFound> {
    let shape = Memory::new(samples).shape();
    let mut search = RemovalSearch {
        samples,
        shape,
        deadline,
        watch,
        asked: 0,
        questions: plan::removal_questions(shape),
        removed: vec![],
        settled: None,
        plane: Hyperplane { weights: vec![], bias: 0.0 },
    };
    let started = [Weighing::Rows, Weighing::Classes].into_iter().any(|weighing| {
        let planes = few_mistakes(samples, weighing, &|| deadline.halted());
        planes.into_iter().any(|plane| search.accept(plane))
    });
    if started {
        search.halve();
    } else if !search.break_conflicts() && !search.start_from_two() {
        return None;
    }
    let irreducible = search.put_back();
    search.widen();
    Some((search.removed, search.plane, irreducible))
}

/// The answer to a question.
enum RemovalAnswer {
    Separable(Hyperplane),
    /// Not: these rows rule it out, each with the share that it has.
    Overlap(Overlap),
    Open,
}

struct RemovalSearch<'a> {
    samples: &'a Samples,
    shape: Shape,
    deadline: &'a Deadline<'a>,
    watch: &'a dyn Watch,
    /// Questions that were asked, and that are left.
    asked: usize,
    questions: usize,
    /// The rows left out, the most wrong first, and how many of them have been tried to be put back.
    removed: Vec<usize>,
    settled: Option<usize>,
    /// A separator of the rest, which the checker has accepted.
    plane: Hyperplane,
}

impl RemovalSearch<'_> {
    /// Leaves out what the hyperplane does not have on its own side, if that leaves both classes.
    fn accept(&mut self, plane: Hyperplane) -> bool {
        let wrong = wrong_rows(self.samples, &plane);
        let Ok(rest) = self.samples.without_rows(&wrong) else {
            return false;
        };
        let accepted = certify::separates(&rest, &plane);
        if accepted {
            (self.removed, self.plane) = (wrong, plane);
        }
        accepted
    }

    /// Returns true if no more questions can be asked.
    fn over(&self) -> bool {
        self.questions == 0 || self.deadline.halted()
    }

    /// Returns whether all but `rows` are separable.
    fn ask(&mut self, rows: &[usize], margin: MarginGoal) -> RemovalAnswer {
        self.decide(self.samples.without_rows(rows), margin)
    }

    fn decide(&mut self, rest: Result<Samples, Error>, margin: MarginGoal) -> RemovalAnswer {
        let Some(rest) = rest.ok().filter(|_| !self.over()) else {
            return RemovalAnswer::Open;
        };
        self.questions -= 1;
        self.asked += 1;
        let rows = (!self.plane.weights.is_empty()).then_some(self.removed.len());
        self.watch.removing(&Removing { questions: self.asked, rows, settled: self.settled });
        let options = DecideOptions::default()
            .with_margin(margin)
            .with_gap(GAP)
            .with_max_passes(plan::removal_passes())
            .with_time_limit(self.deadline.left());
        match decide_strictly(&rest, &options, &mut &*self.deadline) {
            // Where only integers separate, what rounding made of them does not.
            Strictly::Separable(hyperplane) => match hyperplane.evaluate(&rest).mistakes {
                0 => RemovalAnswer::Separable(hyperplane),
                _ => RemovalAnswer::Open,
            },
            Strictly::Overlap(overlap) => RemovalAnswer::Overlap(overlap),
            Strictly::Undecided => RemovalAnswer::Open,
        }
    }

    /// Leaves out one row of a conflict after another until none is left: where smooth losses see
    /// nothing, as in XOR. Returns true if the rest is separable then.
    fn break_conflicts(&mut self) -> bool {
        loop {
            let rows = self.removed.clone();
            match self.ask(&rows, MarginGoal::Any) {
                RemovalAnswer::Separable(plane) => {
                    self.take(rows, plane);
                    return true;
                }
                RemovalAnswer::Overlap(overlap) => {
                    let Some(guilty) = self.guiltiest(&overlap) else {
                        return false;
                    };
                    self.removed.push(guilty);
                }
                RemovalAnswer::Open => return false,
            }
        }
    }

    /// Returns the row with the largest share of a conflict among the rest, or the heaviest of a matrix, of equals the first,
    /// that is not the last of its class.
    fn guiltiest(&self, overlap: &Overlap) -> Option<usize> {
        let positive = self.samples.positive();
        let rest: Vec<usize> =
            (0..positive.len()).filter(|row| !self.removed.contains(row)).collect();
        let left = |class: bool| rest.iter().filter(|&&row| positive[row] == class).count();
        let spare = [left(false) > 1, left(true) > 1];
        let heaviest = match overlap {
            Overlap::Conflict(conflict) => {
                let mut shares: Vec<(usize, &IBig)> = conflict.iter().collect();
                shares.sort_by(|a, b| b.1.cmp(a.1));
                shares.into_iter().map(|(place, _)| place).collect()
            }
            Overlap::Matrix(_) => overlap.heaviest(),
        };
        heaviest.into_iter().map(|n| rest[n]).find(|&row| spare[usize::from(positive[row])])
    }

    /// Leaves out all but two different rows of different classes, to put back what can be. Returns
    /// false if there are none.
    fn start_from_two(&mut self) -> bool {
        let samples = self.samples;
        let content = |i: usize| nonzero(samples.features(), i);
        let different = |a: usize| {
            let others =
                (0..samples.rows()).filter(|&b| samples.positive()[a] != samples.positive()[b]);
            others.into_iter().find(|&b| content(a) != content(b)).map(|b| [a, b])
        };
        // If the first row has no partner, all of the other class are its copies.
        let first =
            [0, samples.positive().iter().position(|&p| p != samples.positive()[0]).unwrap_or(0)];
        let Some(pair) = first.into_iter().find_map(different) else {
            return false;
        };
        let rows: Vec<usize> = (0..samples.rows()).filter(|row| !pair.contains(row)).collect();
        let RemovalAnswer::Separable(plane) = self.ask(&rows, MarginGoal::Any) else {
            return false;
        };
        self.take(rows, plane);
        true
    }

    /// Keeps the shortest beginning of the list that will do.
    fn halve(&mut self) {
        let (mut too_few, mut enough) = (0, self.removed.len());
        while enough > too_few + 1 && !self.over() {
            let middle = too_few + (enough - too_few) / 2;
            let rows = self.removed[..middle].to_vec();
            match self.ask(&rows, MarginGoal::Any) {
                RemovalAnswer::Separable(plane) => {
                    self.take(rows, plane);
                    enough = self.removed.len();
                }
                RemovalAnswer::Overlap(_) | RemovalAnswer::Open => too_few = middle,
            }
        }
    }

    /// Puts rows back while the rest stays separable; returns true if every row that is left out is
    /// proven to conflict with the rest.
    fn put_back(&mut self) -> bool {
        let (mut tried, mut proven) = (0, 0);
        let mut core = self.near();
        while tried < self.removed.len() && !self.over() {
            self.settled = Some(tried);
            let at = self.removed.len() - 1 - tried;
            if self.conflicts(self.removed[at], &mut core) {
                (tried, proven) = (tried + 1, proven + 1);
                continue;
            }
            let mut rows = self.removed.clone();
            rows.remove(at);
            match self.ask(&rows, MarginGoal::Any) {
                RemovalAnswer::Separable(plane) => {
                    self.take(rows, plane);
                    core = self.near();
                }
                RemovalAnswer::Overlap(_) => (tried, proven) = (tried + 1, proven + 1),
                RemovalAnswer::Open => tried += 1,
            }
        }
        proven == self.removed.len()
    }

    /// Returns the rows of the rest that lie nearest to the hyperplane.
    fn near(&self) -> Vec<usize> {
        let (samples, plane) = (self.samples, &self.plane);
        let mut left_out = vec![false; samples.rows()];
        self.removed.iter().for_each(|&row| left_out[row] = true);
        let mut rest: Vec<Scored> = (0..samples.rows())
            .into_par_iter()
            .with_min_len(256)
            .filter(|&i| !left_out[i])
            .map(|i| (value(samples, plane, i), i))
            .collect();
        keep_smallest(&mut rest, plan::near_rows(self.shape));
        rest.into_iter().map(|(_, i)| i).collect()
    }

    /// Returns true if the row is proven to conflict with the core, some rows of the rest: a few
    /// near the hyperplane answer for all in nearly every case, and far sooner.
    fn conflicts(&mut self, row: usize, core: &mut Vec<usize>) -> bool {
        core.push(row);
        let answer = self.decide(self.samples.with_rows(core), MarginGoal::Any);
        core.pop();
        matches!(answer, RemovalAnswer::Overlap(_))
    }

    /// Leaves out `rows`, except those that the separator of the rest puts on their own sides.
    fn take(&mut self, mut rows: Vec<usize>, plane: Hyperplane) {
        rows.retain(|&row| !on_its_own_side(self.samples, &plane, row));
        (self.removed, self.plane) = (rows, plane);
    }

    /// Looks for the separator of largest margin.
    fn widen(&mut self) {
        self.questions += 1;
        let rows = self.removed.clone();
        if let RemovalAnswer::Separable(plane) = self.ask(&rows, MarginGoal::Max) {
            self.plane = plane;
        }
    }
}

/// Returns y (w·x + b).
pub fn value(samples: &Samples, plane: &Hyperplane, i: usize) -> f64 {
    let value = samples.features().dot(i, &plane.weights) + plane.bias;
    if samples.positive()[i] { value } else { -value }
}

/// Returns true if y (w·x + b) > 0, exactly.
fn on_its_own_side(samples: &Samples, plane: &Hyperplane, i: usize) -> bool {
    let own = if samples.positive()[i] { Ordering::Greater } else { Ordering::Less };
    sign_of_value(&plane.weights, plane.bias, Row::of(samples.features(), i)) == own
}
