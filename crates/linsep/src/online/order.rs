//! The order in which rows are visited.

use std::ops::Range;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::kernels::RowArithmetic;
use crate::lift::Rows;

/// The order of one epoch: as in the data, or shuffled anew each epoch.
///
/// A shuffle depends on the seed and the number of the epoch alone, so that a resumed run meets
/// the same one.
#[derive(Clone, Debug, Default)]
pub struct Order {
    permutation: Option<Vec<u32>>,
}

impl Order {
    /// Returns the order of the data.
    pub fn natural() -> Self {
        Order { permutation: None }
    }

    /// Returns the shuffle of `rows` rows for this seed and epoch.
    pub fn shuffled(rows: usize, seed: u64, epoch: u64) -> Self {
        let mut random = random_stream(seed, epoch);
        let mut permutation: Vec<u32> = (0..rows as u32).collect();
        for k in (1..rows).rev() {
            // A multiply-shift draw; its bias of at most 2^-32 is of no account for a shuffle.
            let draw = ((random.next_u64() >> 32) * (k as u64 + 1)) >> 32;
            permutation.swap(k, draw as usize);
        }
        Order { permutation: Some(permutation) }
    }

    /// Returns true if rows are visited as they stand in the data.
    pub fn is_natural(&self) -> bool {
        self.permutation.is_none()
    }

    /// Returns the row visited at this position.
    #[inline]
    pub fn row(&self, position: usize) -> usize {
        match &self.permutation {
            None => position,
            Some(permutation) => permutation[position] as usize,
        }
    }
}

/// Returns the random stream of this seed and number: streams of different numbers are
/// independent. The generator is xoshiro256++, fixed by name, so that seeds last.
pub(crate) fn random_stream(seed: u64, number: u64) -> Xoshiro256PlusPlus {
    // The golden ratio spreads neighbouring numbers over the seeds.
    Xoshiro256PlusPlus::seed_from_u64(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns true if rows of one class follow each other so long that methods which visit them in this order learn
/// little: the label changes from one row to the next at most a tenth as often as in a random order.
///
/// A random order of p positive and q negative rows has 2pq / (p + q) changes on average. With a tenth of them,
/// runs of one class are ten times as long as chance makes them, and a method forgets one class while it sees
/// the other. Two classes change at least once, so rows are never called sorted if a random order has fewer than
/// ten changes on average; at most one random order in 90,000 is called sorted. Costs a look at each label.
///
/// ```
/// use linsep::online::sorted_by_class;
///
/// let sorted: Vec<bool> = (0..100).map(|i| i >= 50).collect();
/// let alternating: Vec<bool> = (0..100).map(|i| i % 2 == 0).collect();
/// assert!(sorted_by_class(&sorted) && !sorted_by_class(&alternating));
/// ```
pub fn sorted_by_class(positive: &[bool]) -> bool {
    let changes = positive.windows(2).filter(|pair| pair[0] != pair[1]).count() as u128;
    let positives = positive.iter().filter(|&&positive| positive).count() as u128;
    let rows = positive.len() as u128;
    changes > 0 && 10 * changes * rows <= 2 * positives * (rows - positives)
}

/// Consecutive positions of one epoch.
#[derive(Clone, Debug)]
pub struct Span<'a> {
    /// The order of the epoch.
    pub order: &'a Order,
    /// The positions.
    pub positions: Range<usize>,
    /// The number of the epoch, counted from 1.
    pub epoch: u64,
}

impl Span<'_> {
    /// Returns the rows of the span, in order, and asks the memory for those to come.
    pub fn rows<'a>(&'a self, rows: &'a Rows) -> impl Iterator<Item = usize> + 'a {
        let (ahead, last) = (rows.samples().features().rows_ahead(), rows.len() - 1);
        self.positions.clone().map(move |position| {
            rows.prefetch(self.order.row((position + ahead).min(last)));
            self.order.row(position)
        })
    }

    /// Returns true if the epoch begins with this span.
    pub fn begins_epoch(&self) -> bool {
        self.positions.start == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_is_far_from_what_chance_does() {
        let check = |labels: &str, expected: bool| {
            let positive: Vec<bool> = labels.bytes().map(|byte| byte == b'+').collect();
            assert_eq!(sorted_by_class(&positive), expected, "{labels}");
        };
        let two = |negative: usize, positive: usize| "-".repeat(negative) + &"+".repeat(positive);
        check("--+", false);
        check("-+", false);
        check(&two(9, 9), false);
        check(&two(10, 10), true);
        check(&two(50, 100), true);
        // Few rows of one class stand together by chance.
        check(&two(5, 1000), false);
        check(&two(1000, 1), false);
        check(&"-+".repeat(500), false);
        check(&two(4, 4).repeat(500), false);
        check(&two(50, 50).repeat(500), true);
        check(&"+".repeat(100), false);
        check("", false);
        let sorted: Vec<bool> = (0..1000).map(|row| row >= 300).collect();
        assert!(sorted_by_class(&sorted));
        for seed in 0..200 {
            let order = Order::shuffled(1000, seed, 1);
            let shuffled: Vec<bool> = (0..1000).map(|k| sorted[order.row(k)]).collect();
            assert!(!sorted_by_class(&shuffled), "{seed}");
            let few: Vec<bool> = shuffled[..20].to_vec();
            assert!(!sorted_by_class(&few), "{seed}");
        }
    }

    #[test]
    fn a_shuffle_is_a_permutation_that_seed_and_epoch_determine() {
        let rows_of = |seed, epoch| {
            let order = Order::shuffled(1000, seed, epoch);
            (0..1000).map(|p| order.row(p)).collect::<Vec<_>>()
        };
        let mut sorted = rows_of(1, 1);
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
        assert_eq!(rows_of(7, 3), rows_of(7, 3));
        assert_ne!(rows_of(7, 3), rows_of(7, 4));
        assert_ne!(rows_of(7, 3), rows_of(8, 3));
    }
}
