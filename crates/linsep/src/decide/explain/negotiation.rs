//! Conflicts that share no row, one per suspect, where all want the same few rows.
//!
//! ```text
//! given    suspects with targets t_s = -z_s, and rows with vectors z_i, z = y (x, 1) standardised, of length one
//! find     for each s multipliers x >= 0 with sum x_i z_i = t_s: with s the rows conflict
//!          such that no row is in two of them
//!
//! first    each suspect takes the cheapest rows that no one has taken, the nearest to the border first
//! repeat   a suspect that shares a row gives its rows back and takes the cheapest again; a row is the
//!          dearer the more hold it now, and the more often it was shared before
//! until    no row is shared, or the work is spent; the most disjoint conflicts that were seen count
//! ```
//!
//! Suspects with a choice give way to those without, as in the routing of wires.
//!
//! Reference: L. McMurchie and C. Ebeling, PathFinder: a negotiation-based performance-driven router for
//! FPGAs, FPGA 1995.

use super::super::solvers::cheapest_cone::{Combination, ConeVectors, Effort, Spent, cheapest};
use crate::Samples;
use crate::standard::Standard;

/// How much dearer a row is for each that holds it, in the first round; a round more adds as much.
const CROWDED: f64 = 3.0;
/// How much dearer a row is for each time that it was shared.
const REMEMBERED: f64 = 1.0;
/// Rounds without more disjoint conflicts that end it.
const PATIENCE: usize = 12;

/// Returns as many conflicts as were found: each a suspect, and rows that are in no other, all by place. Suspects are
/// best given with those first that have the least choice; `most` are the products that it may take.
pub fn negotiate(
    samples: &Samples,
    suspects: &[usize],
    rows: &[usize],
    most: usize,
    halt: &dyn Fn() -> bool,
) -> Vec<(usize, Combination)> {
    let standard = Standard::in_order(samples.features(), rows).with_constants();
    let targets = suspects.iter().map(|&s| {
        let mut target = vector(&standard, samples, s);
        target.iter_mut().for_each(|v| *v = -*v);
        target
    });
    let values = rows.iter().flat_map(|&row| vector(&standard, samples, row)).collect();
    let market = Market {
        vectors: ConeVectors::new(values, samples.columns() + 1),
        targets: targets.collect(),
        holders: vec![0; rows.len()],
        wanted: vec![0.0; rows.len()],
        held: vec![None; suspects.len()],
        hopeless: vec![false; suspects.len()],
        spent: Spent::default(),
        most,
        halt,
    };
    market.run()
}

struct Market<'a> {
    vectors: ConeVectors,
    targets: Vec<Vec<f64>>,
    /// By row: how many hold it, and how often it was shared.
    holders: Vec<u32>,
    wanted: Vec<f64>,
    /// By suspect: what it holds, and whether it conflicts with no rows at all.
    held: Vec<Option<Combination>>,
    hopeless: Vec<bool>,
    spent: Spent,
    most: usize,
    halt: &'a dyn Fn() -> bool,
}

impl Market<'_> {
    fn run(mut self) -> Vec<(usize, Combination)> {
        let mut best: Vec<(usize, Combination)> = vec![];
        let mut patience = PATIENCE;
        let mut round = 0;
        while patience > 0 && !self.over() {
            for suspect in 0..self.targets.len() {
                self.settle(suspect, round);
            }
            let apart = self.apart();
            patience -= 1;
            if apart.len() > best.len() {
                (best, patience) = (apart, PATIENCE);
            }
            let routed = self.held.iter().flatten().count();
            if best.len() == routed {
                break;
            }
            for (wanted, &holders) in self.wanted.iter_mut().zip(&self.holders) {
                *wanted += REMEMBERED * f64::from(holders.saturating_sub(1));
            }
            round += 1;
        }
        best
    }

    fn over(&self) -> bool {
        self.spent.0 >= self.most || (self.halt)()
    }

    /// Gives a suspect rows, or others than it has if it shares one.
    fn settle(&mut self, suspect: usize, round: usize) {
        let shares = |held: &Combination| held.iter().any(|&(row, _)| self.holders[row] > 1);
        if self.hopeless[suspect]
            || self.over()
            || self.held[suspect].as_ref().is_some_and(|held| !shares(held))
        {
            return;
        }
        let before = self.held[suspect].take().unwrap_or_default();
        before.iter().for_each(|&(row, _)| self.holders[row] -= 1);
        let start: Vec<usize> = before.iter().map(|&(row, _)| row).collect();
        let crowded = CROWDED * (round + 1) as f64;
        let price =
            |row: usize| (1.0 + self.wanted[row]) * (1.0 + crowded * f64::from(self.holders[row]));
        let prices: Vec<f64> = (0..self.vectors.len()).map(price).collect();
        let mut found = None;
        if round == 0 {
            let free = prices.iter().zip(&self.holders);
            let free: Vec<f64> =
                free.map(|(&price, &held)| if held > 0 { f64::INFINITY } else { price }).collect();
            found = self.cheapest(&free, suspect, &start, Effort::Cheap);
        }
        if found.is_none() {
            found = self.cheapest(&prices, suspect, &start, Effort::Cheapest);
        }
        // What was asked while time ran out is no answer.
        self.hopeless[suspect] = found.is_none() && !self.over();
        if let Some(found) = found {
            found.iter().for_each(|&(row, _)| self.holders[row] += 1);
            self.held[suspect] = Some(found);
        }
    }

    fn cheapest(
        &mut self,
        prices: &[f64],
        suspect: usize,
        start: &[usize],
        effort: Effort,
    ) -> Option<Combination> {
        let target = &self.targets[suspect];
        cheapest(&self.vectors, prices, target, start, effort, &mut self.spent, self.halt)
    }

    /// Returns conflicts that share no row: those first that share with the fewest others.
    fn apart(&self) -> Vec<(usize, Combination)> {
        let shared = |held: &Combination| {
            held.iter().map(|&(row, _)| self.holders[row] as usize - 1).sum::<usize>()
        };
        let mut all: Vec<(usize, usize)> = self
            .held
            .iter()
            .enumerate()
            .filter_map(|(s, held)| held.as_ref().map(|held| (shared(held), s)))
            .collect();
        all.sort_unstable();
        let mut taken = vec![false; self.vectors.len()];
        let mut apart = vec![];
        for (_, s) in all {
            let held = self.held[s].as_ref().expect("it was listed");
            if held.iter().all(|&(row, _)| !taken[row]) {
                held.iter().for_each(|&(row, _)| taken[row] = true);
                apart.push((s, held.clone()));
            }
        }
        apart.sort_unstable_by_key(|(s, _)| *s);
        apart
    }
}

/// Returns y (x, 1) in these units, of length one.
fn vector(standard: &Standard, samples: &Samples, row: usize) -> Vec<f64> {
    let mut vector = standard.row(samples.features(), row);
    vector.push(1.0);
    let length = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
    let scale = if samples.positive()[row] { 1.0 } else { -1.0 } / length;
    vector.iter_mut().for_each(|v| *v *= scale);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how many suspects get rows of their own.
    fn check(values: &[f64], labels: &str, suspects: &[usize], most: usize, expected: usize) {
        let positive: Vec<bool> = labels.chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values.to_vec(), 1, positive).unwrap();
        let rows: Vec<usize> = (0..values.len()).filter(|row| !suspects.contains(row)).collect();
        let found = negotiate(&samples, suspects, &rows, most, &|| false);
        assert_eq!(found.len(), expected);
        let mut seen = vec![false; rows.len()];
        for (place, _) in found.iter().flat_map(|(_, combination)| combination) {
            assert!(!std::mem::replace(&mut seen[*place], true), "shared: {found:?}");
        }
    }

    #[test]
    fn who_has_a_choice_gives_way() {
        let enough = 1_000_000;
        // The suspect at 0.9 needs the row at 1, the other one could do with it too.
        for suspects in [[4, 5], [5, 4]] {
            check(&[0., 1., 3., 4., 0.9, -1.], "--++++", &suspects, enough, 2);
        }
        // Three suspects and two rows to conflict with.
        check(&[0., 1., 3., 4., 5., 0.9, -1., -2.], "--++++++", &[5, 6, 7], enough, 2);
        // One that conflicts with nothing.
        check(&[0., 1., 3., 4., 6.], "--+++", &[4], enough, 0);
        check(&[0., 1., 3., 4., 0.9, -1.], "--++++", &[4, 5], 0, 0);
    }
}
