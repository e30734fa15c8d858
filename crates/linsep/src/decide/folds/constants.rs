//! Columns in which all rows have the same number, other than zero.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Features, Fold, Kept, Shape};
use linsep_proof::exact::Row;

/// Finds the columns and their numbers.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    /// What all rows so far have in common; nothing before the first.
    common: Option<Vec<(usize, f64)>>,
}

impl Constants {
    /// Returns the columns, rising, and their numbers, once all rows have been seen.
    pub fn found(self) -> Vec<(usize, f64)> {
        self.common.unwrap_or_default()
    }

    fn narrow(&mut self, features: &Features, place: usize) {
        let row = Row::of(features, place);
        match &mut self.common {
            None => {
                let mut all = vec![];
                row.for_each(|k, v| {
                    if v != 0.0 {
                        all.push((k, v));
                    }
                });
                self.common = Some(all);
            }
            Some(common) => common.retain(|&(k, value)| {
                let mut same = false;
                row.for_each_in(k..k + 1, |_, v| same = v == value);
                same
            }),
        }
    }
}

impl Fold for Constants {
    fn fresh(&self) -> Self {
        Constants::default()
    }

    fn absorb(&mut self, block: &Block<'_>) {
        for place in block.places() {
            if self.common.as_ref().is_some_and(Vec::is_empty) {
                return;
            }
            self.narrow(block.samples().features(), place);
        }
    }

    fn merge(mut self, other: Self) -> Self {
        match (&mut self.common, other.common) {
            (Some(own), Some(others)) => own.retain(|pair| others.contains(pair)),
            (own @ None, others) => *own = others,
            (Some(_), None) => {}
        }
        self
    }
}

impl Kept for Constants {
    fn kind(&self) -> String {
        "constant columns".to_string()
    }

    fn question(&self, _out: &mut Vec<u8>) {}

    fn save(&self, out: &mut Vec<u8>) {
        (self.common.is_some(), self.common.clone().unwrap_or_default()).put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        let (any, common): (bool, Vec<(usize, f64)>) = Bytes::take(from)?;
        let fits = common.iter().all(|(k, v)| *k < shape.columns && v.is_finite() && *v != 0.0);
        self.common = any.then_some(common);
        fits.then_some(())
    }
}
