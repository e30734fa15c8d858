//! Many disjoint conflicts (no two share a row): from each a row must go, so their number bounds every removal from
//! below.
//!
//! ```text
//! pairs      rows that stand under both labels, as many as there are: two conflicts that take one row each of such a pair
//!            are as many as the pair and what is left of both
//! suspects   for each row of a removal a conflict with rows near the border of the rest (negotiation.rs); each is
//!            then solved in integers
//! the rest   any conflict among the rows that are left, until there is none
//! ```
//!
//! The rest without the suspects is separable, so every conflict has a suspect in it, and if there are as many as suspects
//! no smaller removal exists.

use linsep_data::{Data, Memory};
use linsep_proof::{Conflict, IBig, Overlap};
use rayon::prelude::*;

use super::super::budget::Deadline;
use super::super::engine::{Strictly, decide_strictly};
use super::super::exact::conflict::{Solution, solve};
use super::super::exact::rows::SignedRows;
use super::super::options::{ConflictForm, DecideOptions};
use super::super::plan;
use super::super::solvers::order::{Scored, by_score, keep_smallest};
use super::negotiation::negotiate;
use super::removal::value;
use crate::{Hyperplane, Samples};

/// Returns conflicts that share no row. Without the suspects, the most wrong first, the rest is separated by the
/// hyperplane; `same` are groups of identical rows under both labels.
pub fn packed(
    samples: &Samples,
    suspects: &[usize],
    plane: &Hyperplane,
    same: &[Vec<usize>],
    deadline: &Deadline,
) -> Vec<Conflict> {
    let mut packing =
        Packing { samples, deadline, used: vec![false; samples.rows()], conflicts: vec![] };
    packing.pair(same);
    packing.negotiate(suspects, plane);
    packing.fill(suspects);
    packing.conflicts
}

struct Packing<'a> {
    samples: &'a Samples,
    deadline: &'a Deadline<'a>,
    /// By row: whether a conflict has it.
    used: Vec<bool>,
    conflicts: Vec<Conflict>,
}

impl Packing<'_> {
    fn add(&mut self, conflict: Conflict) {
        conflict.iter().for_each(|(row, _)| self.used[row] = true);
        self.conflicts.push(conflict);
    }

    /// Takes identical rows under both labels two by two.
    fn pair(&mut self, same: &[Vec<usize>]) {
        let positive = self.samples.positive();
        for group in same {
            let of = |class: bool| group.iter().copied().filter(move |&row| positive[row] == class);
            for (a, b) in of(false).zip(of(true)) {
                let rows = [a.min(b), a.max(b)].map(|row| (row, IBig::ONE));
                self.add(rows.to_vec().into());
            }
        }
    }

    fn unused(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().copied().filter(|&row| !self.used[row]).collect()
    }

    /// Takes a conflict for each suspect that finds one.
    fn negotiate(&mut self, suspects: &[usize], plane: &Hyperplane) {
        let samples = self.samples;
        let shape = Memory::new(samples).shape();
        // The least wrong have the least choice.
        let mut left = self.unused(suspects);
        left.reverse();
        let most = plan::packing_products(shape, left.len());
        if most == 0 {
            return;
        }
        let rows = self.near(suspects, plane, plan::packing_rows(shape, left.len()));
        if left.is_empty() || rows.len() < 2 {
            return;
        }
        let halt = || self.deadline.halted();
        let conflicts = negotiate(samples, &left, &rows, most, &halt);
        let exact = |(suspect, combination): &(usize, Vec<(usize, f64)>)| {
            let mut places: Vec<usize> =
                combination.iter().map(|(place, _)| rows[*place]).collect();
            places.push(left[*suspect]);
            self.exactly(&places)
        };
        let found: Vec<Conflict> = conflicts.par_iter().filter_map(exact).collect();
        found.into_iter().for_each(|conflict| self.add(conflict));
    }

    /// Returns the rows of the rest that lie nearest to the hyperplane, and in no conflict.
    fn near(&self, suspects: &[usize], plane: &Hyperplane, most: usize) -> Vec<usize> {
        let mut out = self.used.clone();
        suspects.iter().for_each(|&row| out[row] = true);
        let samples = self.samples;
        let mut rest: Vec<Scored> = (0..samples.rows())
            .into_par_iter()
            .with_min_len(256)
            .filter(|&i| !out[i])
            .map(|i| (value(samples, plane, i), i))
            .collect();
        keep_smallest(&mut rest, most);
        rest.sort_unstable_by(by_score);
        rest.into_iter().map(|(_, i)| i).collect()
    }

    /// Returns the conflict of these rows in integers, if they conflict.
    fn exactly(&self, rows: &[usize]) -> Option<Conflict> {
        let halt = || self.deadline.halted();
        // One combination of them is zero, so that no weights are needed to choose.
        let signed = SignedRows::of(self.samples, rows.iter().copied());
        match solve(&signed, &vec![1.0; rows.len()], &halt) {
            Solution::Proven(found) => {
                let mut conflict: Vec<(usize, IBig)> =
                    found.into_iter().map(|(place, times)| (rows[place], times.into())).collect();
                conflict.sort_unstable_by_key(|(row, _)| *row);
                Some(conflict.into())
            }
            _ => None,
        }
    }

    /// Takes any conflict among the rows that are left.
    fn fill(&mut self, suspects: &[usize]) {
        let mut questions = plan::packing_questions(Memory::new(self.samples).shape());
        while questions > 0 && !self.deadline.halted() && !self.unused(suspects).is_empty() {
            questions -= 1;
            let left: Vec<usize> =
                (0..self.samples.rows()).filter(|&row| !self.used[row]).collect();
            let Ok(rest) = self.samples.with_rows(&left) else {
                return;
            };
            let options = DecideOptions::default()
                .with_conflict(ConflictForm::Exact)
                .with_max_passes(plan::removal_passes())
                .with_time_limit(self.deadline.left());
            match decide_strictly(&rest, &options, &mut &*self.deadline) {
                Strictly::Overlap(Overlap::Conflict(conflict)) => {
                    self.add(conflict.renumbered(|row| left[row]))
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows on a line: those below 2 are negative, except the suspects.
    fn check(values: &[f64], labels: &str, suspects: &[usize], expected: usize) {
        let rows = found(values, labels, suspects);
        assert_eq!(rows.len(), expected, "{rows:?}");
        let mut seen = vec![false; values.len()];
        for conflict in &rows {
            assert!(conflict.iter().any(|row| suspects.contains(row)), "{rows:?}");
            for &row in conflict {
                assert!(!std::mem::replace(&mut seen[row], true), "shared: {rows:?}");
            }
        }
    }

    fn found(values: &[f64], labels: &str, suspects: &[usize]) -> Vec<Vec<usize>> {
        let positive: Vec<bool> = labels.chars().map(|c| c == '+').collect();
        let samples = Samples::dense(values.to_vec(), 1, positive).unwrap();
        let same = super::super::super::contradiction::contradictions(&samples);
        let plane = Hyperplane { weights: vec![1.0], bias: -2.0 };
        let found = packed(&samples, suspects, &plane, &same, &Deadline::new(None, None));
        let mut rows: Vec<Vec<usize>> = found.iter().map(Conflict::rows).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn each_suspect_has_its_own_conflict() {
        check(&[0., 1., 3., 4., 0.5, -1.], "--++++", &[5, 4], 2);
        // Both need the one negative row.
        check(&[1., 3., 4., 0.5, -1.], "-++++", &[4, 3], 1);
    }

    #[test]
    fn pairs_come_first() {
        check(&[0., 0., 0., 3., -1.], "-++++", &[1, 2, 4], 1);
        let (values, labels) = ([0., 0., 1., 1., -3., 5., 0.5, -2.], "-+-+-+-+");
        check(&values, labels, &[1, 3, 7], 3);
        assert_eq!(found(&values, labels, &[1, 3, 7])[..2], [[0, 1], [2, 3]]);
    }

    #[test]
    fn suspects_that_conflict_with_each_other_only() {
        // Either could stay, but not both.
        let rows = found(&[0., 3., 1., 2.5], "-++-", &[2, 3]);
        assert!(rows.len() == 1 && rows[0].contains(&2) && rows[0].contains(&3), "{rows:?}");
    }

    #[test]
    fn at_a_limit_only_pairs_are_left() {
        let positive = vec![false, true, false, true, true];
        let samples = Samples::dense(vec![0., 0., 1., 3., 0.5], 1, positive).unwrap();
        let plane = Hyperplane { weights: vec![1.0], bias: -2.0 };
        let over = Deadline::new(Some(std::time::Duration::ZERO), None);
        let found = packed(&samples, &[4, 1], &plane, &[vec![0, 1]], &over);
        assert_eq!(found.iter().map(Conflict::rows).collect::<Vec<_>>(), [[0, 1]]);
    }
}
