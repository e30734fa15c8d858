//! Rows on the wrong side of each of several hyperplanes with integer weights, exactly: the worst of them.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};
use linsep_proof::exact::{ExactPlane, Row};

use super::super::exact::integers::rounded;
use super::on_planes::put;
use crate::kernels::RowArithmetic;

/// Counts the rows for each hyperplane, and finds the worst: by score, then by number.
pub struct Directions<'a> {
    planes: &'a [ExactPlane<'a>],
    /// The same in floats, the bias last: they tell which rows are worst, not which are wrong.
    floats: Vec<Vec<f64>>,
    /// Whether a row on the hyperplane is wrong.
    strict: bool,
    most: usize,
    counts: Vec<usize>,
    worst: Vec<Vec<(f64, usize)>>,
}

impl<'a> Directions<'a> {
    /// Returns the search in no rows yet, for at most so many rows of each hyperplane.
    pub fn new(planes: &'a [ExactPlane<'a>], strict: bool, most: usize) -> Self {
        let float = |plane: &ExactPlane| {
            let (weights, bias) = plane.integers();
            rounded(&weights.iter().chain([bias]).cloned().collect::<Vec<IBig>>())
        };
        let floats = planes.iter().map(float).collect();
        let (counts, worst) = (vec![0; planes.len()], vec![vec![]; planes.len()]);
        Directions { planes, floats, strict, most, counts, worst }
    }

    /// Returns, for each hyperplane, how many rows are wrong, and the worst of them, rising, once all rows have been seen.
    pub fn found(mut self) -> Vec<(usize, Vec<usize>)> {
        (0..self.planes.len()).for_each(|k| self.trim(k));
        let rows = |worst: Vec<(f64, usize)>| {
            let mut rows: Vec<usize> = worst.into_iter().map(|(_, row)| row).collect();
            rows.sort_unstable();
            rows
        };
        self.counts.into_iter().zip(self.worst.into_iter().map(rows)).collect()
    }

    fn trim(&mut self, k: usize) {
        self.worst[k].sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.worst[k].truncate(self.most);
    }
}

impl Fold for Directions<'_> {
    fn fresh(&self) -> Self {
        let (counts, worst) = (vec![0; self.planes.len()], vec![vec![]; self.planes.len()]);
        Directions { floats: self.floats.clone(), counts, worst, ..*self }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let positive = samples.positive()[place];
            for (k, plane) in self.planes.iter().enumerate() {
                let sign = plane.sign(Row::of(samples.features(), place));
                match if positive { sign } else { sign.reverse() } {
                    Ordering::Greater => continue,
                    Ordering::Equal if !self.strict => continue,
                    _ => {}
                }
                let (bias, weights) = self.floats[k].split_last().expect("a bias");
                let value = samples.features().dot(place, weights) + bias;
                let score = if positive { value } else { -value } / samples.norms()[place];
                self.counts[k] += 1;
                self.worst[k].push((score, block.number(place)));
                if self.worst[k].len() > 2 * self.most + 64 {
                    self.trim(k);
                }
            }
        }
    }

    fn merge(mut self, other: Self) -> Self {
        for (k, (count, worst)) in other.counts.into_iter().zip(other.worst).enumerate() {
            self.counts[k] += count;
            self.worst[k].extend(worst);
            self.trim(k);
        }
        self
    }
}

impl Kept for Directions<'_> {
    fn kind(&self) -> String {
        "rows astray of several".to_string()
    }

    fn question(&self, out: &mut Vec<u8>) {
        put(self.planes, out);
        (self.strict, self.most).put(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        for (count, worst) in self.counts.iter().zip(&self.worst) {
            let mut worst = worst.clone();
            worst.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            worst.truncate(self.most);
            (*count, worst).put(out);
        }
    }

    fn named(&self) -> Vec<usize> {
        self.worst.iter().flatten().map(|(_, row)| *row).collect()
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        for k in 0..self.planes.len() {
            (self.counts[k], self.worst[k]) = Bytes::take(from)?;
            let fits = self.worst[k].len() <= self.most && self.counts[k] <= shape.rows;
            let fits = fits && self.worst[k].iter().all(|(_, row)| *row < shape.rows);
            fits.then_some(())?;
        }
        Some(())
    }
}
