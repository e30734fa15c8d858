//! What hyperplanes say of rows that they were not learnt from.
//!
//! ```text
//! three rounds    each row counts as much as its label is believed (1 in the first round):
//!   penalty       the one of a falling list whose held-out loss is the smallest, on one choice of folds; in
//!                 later rounds the search begins where the one before ended
//!   scores        the mean over several choices of folds (two, in the last round five), each row scored by what
//!                 the other folds taught
//!   noise         how probable each label is to be wrong, given these scores
//! ```
//!
//! In the second round and the third, rows with doubtful labels no longer teach. Without them the hyperplanes
//! are nearer to those of clean labels, and tell the remaining wrong labels better.

use rayon::prelude::*;

use super::folds::{FOLDS, folds};
use super::noise::Noise;
use super::softmax::{LabelledRows, best_class, log_odds};
use crate::content::ContentIndex;
use crate::data::Features;
use crate::decide::Deadline;
use crate::watch::{Stage, Watch};

/// Choices of folds in each round. The first ones only find rows that are not to teach.
const CHOICES: [usize; 3] = [2, 2, 5];
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
    contents: &ContentIndex,
    work: &Deadline,
    watch: &dyn Watch,
) -> Option<HeldOut> {
    let all = LabelledRows::new(features, classes, count, &contents.rows);
    let mut choices: Vec<Choice> = vec![];
    let (mut found, mut step) = (None, None);
    for (round, choices_now) in CHOICES.into_iter().enumerate() {
        watch.stage(&Stage::Learning { round: round + 1, rounds: CHOICES.len() });
        let belief: Vec<f64> = match &found {
            Some(HeldOut { doubt, .. }) => doubt.iter().map(|doubt| 1.0 - doubt).collect(),
            None => vec![1.0; classes.len()],
        };
        // One by one: of very many rows, to deal them out takes a second.
        while choices.len() < choices_now && !work.halted() {
            let salt = SALT.wrapping_mul(choices.len() as u64 + 1);
            choices.push(Choice::new(contents, folds(contents, classes, count, salt)));
        }
        if work.halted() {
            break;
        }
        let learner = Learner { all: &all, belief: &belief, order: &contents.rows, work };
        let best = learner.best_penalty(&mut choices[0], step);
        let mut scores = vec![];
        for choice in &mut choices[..choices_now] {
            scores.push(learner.scores(choice, penalty(best)));
        }
        if work.halted() {
            break;
        }
        step = Some(best);
        found = Some(judged(&all, contents, &scores, penalty(best)));
    }
    found
}

/// Returns a penalty of the falling list.
fn penalty(step: i32) -> f64 {
    FIRST * libm::pow(10.0, -f64::from(step) / f64::from(PER_TEN))
}

/// Returns what the scores of several choices of folds say.
fn judged(
    all: &LabelledRows,
    contents: &ContentIndex,
    scores: &[Vec<f64>],
    penalty: f64,
) -> HeldOut {
    let (heads, choices) = (all.heads(), scores.len() as f64);
    let mut mean = vec![0.0; scores[0].len()];
    for scores in scores {
        mean.iter_mut().zip(scores).for_each(|(mean, score)| *mean += score / choices);
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
        against: (0..rows).map(|i| against(i) as f64 / choices).collect(),
        suggested: (0..rows).map(|i| best_class(&of(&mean, i))).collect(),
        penalty,
    }
}

/// A choice of folds.
struct Choice {
    /// For each fold, the rows to learn from and those held out, both in the order of the contents.
    folds: Vec<(Vec<usize>, Vec<usize>)>,
    /// What was learnt last from each: the next descent starts there, which tells it nothing of the rows held out.
    learnt: Option<Vec<Vec<f64>>>,
}

impl Choice {
    fn new(contents: &ContentIndex, fold_of: Vec<usize>) -> Self {
        let part = |fold: usize| contents.rows.iter().partition(|&&i| fold_of[i] != fold);
        // Few rows may leave folds empty.
        let folds = (0..FOLDS).map(part).filter(|(_, out): &(_, Vec<usize>)| !out.is_empty());
        Choice { folds: folds.collect(), learnt: None }
    }
}

/// Learns from rows weighted by how much their labels are believed.
struct Learner<'a> {
    all: &'a LabelledRows<'a>,
    belief: &'a [f64],
    /// The rows, in the order of the contents.
    order: &'a [usize],
    work: &'a Deadline<'a>,
}

impl Learner<'_> {
    /// Returns the scores of all rows, each by what was learnt from the folds that it is not in.
    fn scores(&self, choice: &mut Choice, penalty: f64) -> Vec<f64> {
        let heads = self.all.heads();
        let learn = |(k, (rows, out)): (usize, &(Vec<usize>, Vec<usize>))| {
            let start = choice.learnt.as_ref().map(|learnt| &learnt[k][..]);
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
        choice.learnt = Some(parts.into_iter().map(|(w, _)| w).collect());
        all
    }

    /// Returns the loss of labels that are held out.
    fn loss(&self, choice: &mut Choice, penalty: f64) -> f64 {
        let (heads, scores) = (self.all.heads(), self.scores(choice, penalty));
        let loss = |&i: &usize| {
            let odds = log_odds(&scores[i * heads..(i + 1) * heads], self.all.classes[i], 1.0);
            // ln(1 + exp(-odds)), large or small.
            self.belief[i] * (libm::log1p(libm::exp(-odds.abs())) + (-odds).max(0.0))
        };
        self.order.iter().map(loss).sum()
    }

    /// Returns the step of the list at which the loss of labels that are held out is the smallest: looked for from
    /// the first on, or downwards and, if that is no better, upwards from where it was before.
    fn best_penalty(&self, choice: &mut Choice, before: Option<i32>) -> i32 {
        let start = before.unwrap_or(0);
        let mut best = (self.loss(choice, penalty(start)), start);
        for direction in [1, -1] {
            let (mut step, mut lost) = (start + direction, 0);
            let patience = if before.is_none() { PATIENCE } else { 1 };
            while (0..PENALTIES).contains(&step) && lost < patience && !self.work.halted() {
                let loss = self.loss(choice, penalty(step));
                lost = if loss < best.0 { 0 } else { lost + 1 };
                if loss < best.0 {
                    best = (loss, step);
                }
                step += direction;
            }
            if best.1 != start {
                break;
            }
        }
        best.1
    }
}
