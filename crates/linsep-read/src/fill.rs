//! What is put in the place of missing numbers: the mean or the median of their column.
//!
//! Both come from passes over raw rows in order, so that they are the same wherever the rows are. A
//! median is found a byte at a time: how many values begin with each byte, then which second byte
//! among those that begin as the median does.

use linsep_data::error::Error;
use linsep_data::memory;
use linsep_data::samples::{Features, Missing};

/// What stands for missing numbers, column by column.
#[derive(Clone, Debug, Default)]
pub(super) struct Fills {
    values: Vec<Option<f64>>,
    /// Cells that are filled.
    pub(super) cells: u64,
}

impl Fills {
    /// Returns what stands for a missing number in a raw column, if it has any number.
    pub(super) fn of(&self, column: usize) -> Option<f64> {
        self.values.get(column).copied().flatten()
    }
}

/// Raw rows that can be read in order, again and again.
pub(super) trait RawRows {
    /// Shows all rows in order, in blocks.
    fn in_order(&self, see: &mut dyn FnMut(&Features)) -> Result<(), Error>;
}

impl RawRows for Features {
    fn in_order(&self, see: &mut dyn FnMut(&Features)) -> Result<(), Error> {
        see(self);
        Ok(())
    }
}

/// Returns what stands for the missing values of dense rows, none for a column without any value.
pub(super) fn find(rows: &dyn RawRows, missing: Missing) -> Result<Fills, Error> {
    let mut sums: Vec<ColumnSum> = vec![];
    let mut cells = 0;
    rows.in_order(&mut |block| {
        sums.resize(block.columns(), ColumnSum::default());
        for i in 0..block.rows() {
            block.for_each(i, |k, value| match value.is_finite() {
                true => sums[k].add(value),
                false => cells += 1,
            });
        }
    })?;
    let values = match missing {
        Missing::Median => medians(rows, &sums)?,
        _ => sums.iter().map(ColumnSum::mean).collect(),
    };
    Ok(Fills { values, cells })
}

#[derive(Clone, Default)]
struct ColumnSum {
    count: u64,
    /// The mean so far: a sum might overflow.
    mean: f64,
}

impl ColumnSum {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let count = self.count as f64;
        self.mean += value / count - self.mean / count;
    }

    fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }
}

/// Returns bits that rise with the value.
fn rising(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn value(rising: u64) -> f64 {
    f64::from_bits(if rising >> 63 == 1 { rising & !(1 << 63) } else { !rising })
}

/// One order statistic on its way: the bytes known so far, and its rank among what begins with them.
#[derive(Clone, Copy)]
struct SoughtRank {
    prefix: u64,
    rank: u64,
}

fn medians(rows: &dyn RawRows, sums: &[ColumnSum]) -> Result<Vec<Option<f64>>, Error> {
    // The two values in the middle; the same one if their number is odd.
    let mut sought: Vec<[SoughtRank; 2]> = sums
        .iter()
        .map(|sum| {
            let upper = sum.count / 2;
            let lower = upper - u64::from(sum.count % 2 == 0 && upper > 0);
            [lower, upper].map(|rank| SoughtRank { prefix: 0, rank })
        })
        .collect();
    for byte in (0..8).rev() {
        let mut counts = memory::filled([[0_u64; 256]; 2], sums.len())?;
        rows.in_order(&mut |block| {
            for i in 0..block.rows() {
                block.for_each(i, |k, value| {
                    if !value.is_finite() {
                        return;
                    }
                    let bits = rising(value);
                    for (sought, counts) in sought[k].iter().zip(&mut counts[k]) {
                        // Above the first byte there is nothing to compare.
                        let known = bits.checked_shr(8 * (byte + 1)).unwrap_or(0);
                        if known == sought.prefix {
                            counts[(bits >> (8 * byte) & 0xff) as usize] += 1;
                        }
                    }
                });
            }
        })?;
        for (sought, counts) in sought.iter_mut().flatten().zip(counts.iter().flatten()) {
            let mut next = 0;
            while next < 255 && sought.rank >= counts[next] {
                sought.rank -= counts[next];
                next += 1;
            }
            sought.prefix = sought.prefix << 8 | next as u64;
        }
    }
    let median = |(sum, [lower, upper]): (&ColumnSum, &[SoughtRank; 2])| {
        let (lower, upper) = (value(lower.prefix), value(upper.prefix));
        // Half of the smallest number would be nothing.
        let middle = if lower == upper { lower } else { lower / 2.0 + upper / 2.0 };
        (sum.count > 0).then_some(middle)
    };
    Ok(sums.iter().zip(&sought).map(median).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use linsep_data::samples::Dense;

    fn check(values: &[f64], mean: Option<f64>, median: Option<f64>, cells: u64) {
        let rows = Features::from(Dense::new(values.to_vec(), values.len(), 1));
        let found = find(&rows, Missing::Mean).unwrap();
        assert_eq!((found.of(0), found.cells), (mean, cells), "mean of {values:?}");
        assert_eq!(find(&rows, Missing::Median).unwrap().of(0), median, "median of {values:?}");
    }

    #[test]
    fn means_and_medians_of_what_is_there() {
        let nan = f64::NAN;
        check(&[3.0, nan, -1.0, 4.0, nan], Some(2.0), Some(3.0), 2);
        check(&[3.0, -1.0, 4.0, 10.0], Some(4.0), Some(3.5), 0);
        check(&[nan, 7.5], Some(7.5), Some(7.5), 1);
        check(&[nan], None, None, 1);
        check(&[f64::MAX, f64::MAX], Some(f64::MAX), Some(f64::MAX), 0);
        check(&[-0.0, 0.0, 1.0], Some(1.0 / 3.0), Some(0.0), 0);
    }
}
