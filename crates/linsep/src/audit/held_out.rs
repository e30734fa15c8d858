//! What hyperplanes say of rows that they were not learnt from.
//!
//! ```text
//! three rounds    each row counts as much as its label is believed (1 in the first round):
//!   penalty       the one of a falling list whose held-out loss is the smallest, on one choice of folds
//!   scores        the mean over five choices of folds, each row scored by what the other folds taught
//!   noise         how probable each label is to be wrong, given these scores
//! ```
//!
//! In the second round and the third, rows with doubtful labels no longer teach. Without them the hyperplanes
//! are nearer to those of clean labels, and tell the remaining wrong labels better.

use rayon::prelude::*;

use super::AuditWatch;
use super::content::{Contents, FOLDS};
use super::noise::Noise;
use super::softmax::{Standardised, best_class, log_odds};
use super::stages::{Part, Work};
use crate::data::Features;

/// Rounds, and choices of folds in each.
const ROUNDS: usize = 3;
const CHOICES: usize = 5;
/// Penalties from 10 down, this many per factor of ten, and how many may lose in a row.
const FIRST: f64 = 10.0;
const PER_TEN: i32 = 2;
const PENALTIES: i32 = 11;
const PATIENCE: usize = 2;
/// Tells the choices of folds apart.
const SALT: u64 = 0x6c69_6e73_6570;

/// What is known of each row.
pub struct HeldOut {
    /// The logarithmic odds of its label.
    pub odds: Vec<f64>,
    /// The probability that its label is wrong.
    pub doubt: Vec<f64>,
    /// The share of hyperplanes that put it into another class.
    pub against: Vec<f64>,
    /// The class into which the mean of their scores puts it.
    pub suggested: Vec<usize>,
    /// The penalty that was chosen last.
    pub penalty: f64,
}

/// Returns what hyperplanes say of rows that they have not seen; none if the work was stopped before the first
/// round was over.
pub fn held_out(
    features: &Features,
    classes: &[usize],
    count: usize,
    contents: &Contents,
    work: &Work,
    watch: &dyn AuditWatch,
) -> Option<HeldOut> {
    let all = Standardised::new(features, classes, count, &contents.rows);
    let choices: Vec<Choice> = (0..CHOICES as u64)
        .map(|k| Choice::new(contents, contents.folds(classes, count, SALT.wrapping_mul(k + 1))))
        .collect();
    let mut found: Option<HeldOut> = None;
    for round in 1..=ROUNDS {
        watch.part(&Part::Learning { round, rounds: ROUNDS });
        let belief: Vec<f64> = match &found {
            Some(found) => found.doubt.iter().map(|doubt| 1.0 - doubt).collect(),
            None => vec![1.0; classes.len()],
        };
        let learner = Learner { all: &all, belief: &belief, work };
        let penalty = learner.best_penalty(&choices[0], &contents.rows);
        let scores: Vec<Vec<f64>> = choices.iter().map(|c| learner.scores(c, penalty)).collect();
        if work.halted() {
            break;
        }
        found = Some(judged(&all, contents, &scores, penalty));
    }
    found
}

/// Returns what the scores of several choices of folds say.
fn judged(all: &Standardised, contents: &Contents, scores: &[Vec<f64>], penalty: f64) -> HeldOut {
    let heads = all.heads();
    let mut mean = vec![0.0; scores[0].len()];
    for scores in scores {
        mean.iter_mut().zip(scores).for_each(|(mean, score)| *mean += score / CHOICES as f64);
    }
    let of = |scores: &[f64], i: usize| -> Vec<f64> { scores[i * heads..(i + 1) * heads].to_vec() };
    let odds = |i: usize, sharper: f64| log_odds(&of(&mean, i), all.classes[i], sharper);
    // In the order of the contents, so that sums have the same bits wherever rows stand.
    let noise = Noise::fit(all.count, |a| contents.rows.iter().map(|&i| odds(i, a)).collect());
    let rows = all.classes.len();
    let odds: Vec<f64> = (0..rows).map(|i| odds(i, noise.sharpness)).collect();
    let other = |scores: &Vec<f64>, i: usize| best_class(&of(scores, i)) != all.classes[i];
    let against = |i: usize| scores.iter().filter(|scores| other(scores, i)).count();
    HeldOut {
        doubt: odds.iter().map(|&odds| noise.doubt(odds)).collect(),
        odds,
        against: (0..rows).map(|i| against(i) as f64 / CHOICES as f64).collect(),
        suggested: (0..rows).map(|i| best_class(&of(&mean, i))).collect(),
        penalty,
    }
}

/// A choice of folds.
struct Choice {
    /// For each fold, the rows to learn from and those held out, both in the order of the contents.
    folds: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Choice {
    fn new(contents: &Contents, fold_of: Vec<usize>) -> Self {
        let part = |fold: usize| contents.rows.iter().partition(|&&i| fold_of[i] != fold);
        // Few rows may leave folds empty.
        let folds = (0..FOLDS).map(part).filter(|(_, out): &(_, Vec<usize>)| !out.is_empty());
        Choice { folds: folds.collect() }
    }
}

/// Learns with rows of which each counts as much as its label is believed.
struct Learner<'a> {
    all: &'a Standardised<'a>,
    belief: &'a [f64],
    work: &'a Work<'a>,
}

impl Learner<'_> {
    /// Learns from each fold's rows, from where it began; returns the scores of all rows, each held out, and
    /// what was learnt.
    fn fold_by_fold(
        &self,
        choice: &Choice,
        penalty: f64,
        starts: Option<&[Vec<f64>]>,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let heads = self.all.heads();
        let learn = |(k, (rows, out)): (usize, &(Vec<usize>, Vec<usize>))| {
            let start = starts.map(|starts| &starts[k][..]);
            let w = self.all.learn(rows, self.belief, penalty, start, &|| self.work.halted());
            let planes = self.all.planes(&w);
            let mut scores = vec![0.0; out.len() * heads];
            for (&i, scores) in out.iter().zip(scores.chunks_mut(heads)) {
                self.all.score(&planes, i, scores);
            }
            (w, scores)
        };
        let parts: Vec<(Vec<f64>, Vec<f64>)> =
            choice.folds.par_iter().enumerate().map(learn).collect();
        let mut all = vec![0.0; self.all.classes.len() * heads];
        for ((_, out), (_, scores)) in choice.folds.iter().zip(&parts) {
            for (&i, scores) in out.iter().zip(scores.chunks(heads)) {
                all[i * heads..(i + 1) * heads].copy_from_slice(scores);
            }
        }
        (all, parts.into_iter().map(|(w, _)| w).collect())
    }

    /// Returns the scores of all rows.
    fn scores(&self, choice: &Choice, penalty: f64) -> Vec<f64> {
        self.fold_by_fold(choice, penalty, None).0
    }

    /// Returns the penalty whose held-out loss is the smallest. Each starts from what the larger one before it
    /// has learnt.
    fn best_penalty(&self, choice: &Choice, order: &[usize]) -> f64 {
        let heads = self.all.heads();
        let mut starts: Option<Vec<Vec<f64>>> = None;
        let (mut best, mut lost) = ((f64::INFINITY, FIRST), 0);
        for step in 0..PENALTIES {
            let penalty = FIRST * 10_f64.powf(-f64::from(step) / f64::from(PER_TEN));
            let (scores, learnt) = self.fold_by_fold(choice, penalty, starts.as_deref());
            let loss = |&i: &usize| {
                let odds = log_odds(&scores[i * heads..(i + 1) * heads], self.all.classes[i], 1.0);
                // ln(1 + exp(-odds)), large or small.
                self.belief[i] * ((-odds.abs()).exp().ln_1p() + (-odds).max(0.0))
            };
            let loss: f64 = order.iter().map(loss).sum();
            lost = if loss < best.0 { 0 } else { lost + 1 };
            if loss < best.0 {
                best = (loss, penalty);
            }
            if lost == PATIENCE || self.work.halted() {
                break;
            }
            starts = Some(learnt);
        }
        best.1
    }
}
