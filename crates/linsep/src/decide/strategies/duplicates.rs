//! One row under both labels: it settles the question of a strict separation at once.
//!
//! Cost: one pass, in which the sums of both classes can be taken too.

use dashu_int::IBig;
use linsep_proof::Conflict;

use super::super::contradiction::first_contradiction;
use super::super::folds::alike::Alike;
use super::super::folds::class_sums::ClassSums;
use super::super::outcome::Way;
use super::super::passes::PassError;
use super::super::search::Search;
use super::{Found, GaveUp, Strategy};

/// Pairs that share a key without being the same rows before the search ends: keys that say so little
/// will not say more.
const CHANCE: usize = 64;

/// Looks for one row under both labels.
pub(super) struct Duplicates {
    sums: bool,
    looked: bool,
}

impl Duplicates {
    /// Returns the search; `sums`: the pass takes the sums of both classes too.
    pub fn new(sums: bool) -> Self {
        Duplicates { sums, looked: false }
    }
}

impl Strategy for Duplicates {
    fn way(&self) -> Way {
        Way::Duplicates
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if self.looked {
            return Ok(Found::GaveUp(GaveUp::NotThere));
        }
        self.looked = true;
        let sums = self.sums.then(|| ClassSums::new(search.shape));
        let (alike, sums) = search.pass((Alike::new(search.shape), sums))?;
        search.sums = sums;
        for mut pair in alike.pairs().into_iter().take(CHANCE) {
            if first_contradiction(&search.data.fetch(&pair)?).is_some() {
                pair.sort_unstable();
                return Ok(Found::Conflict(Conflict::from(
                    pair.map(|row| (row, IBig::ONE)).to_vec(),
                )));
            }
        }
        Ok(Found::GaveUp(GaveUp::NotThere))
    }
}
