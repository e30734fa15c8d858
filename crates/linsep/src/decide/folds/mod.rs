//! What passes compute: one fold per file, each the same however the rows are cut.

pub(super) mod alike;
pub(super) mod astray;
pub(super) mod class_sums;
pub(super) mod constants;
pub(super) mod directions;
pub(super) mod first_look;
pub(super) mod logistic;
pub(super) mod off_span;
pub(super) mod on_planes;
pub(super) mod one_sided;
pub(super) mod scan;
pub(super) mod step_size;

use linsep_data::Block;
use linsep_data::kept::Bytes;

use super::solvers::ladder::Double;
use crate::lift::Rows;

/// Takes over sums that were kept; nothing if they cannot be these.
fn restore_sums(sums: &mut Vec<f64>, from: &mut &[u8]) -> Option<()> {
    let kept: Vec<f64> = Bytes::take(from)?;
    let fits = kept.len() == sums.len() && kept.iter().all(|sum| sum.is_finite());
    *sums = kept;
    fits.then_some(())
}

/// A vector, and the form of the rows that it scores.
#[derive(Clone, Debug)]
pub(crate) enum Scorer {
    /// z = y (x, 1) / ‖(x, 1)‖.
    Lifted(Vec<f64>),
    /// y (x, 1) times a power of two.
    Raw(Vec<f64>, f64),
    /// y (x, 1), in twice the precision.
    Precise(Double),
}

impl Scorer {
    /// Writes the vector and the form.
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Scorer::Lifted(w) => (0_u8, w.clone()).put(out),
            Scorer::Raw(w, unit) => (1_u8, w.clone(), *unit).put(out),
            Scorer::Precise(w) => (2_u8, w.high().to_vec(), w.low().to_vec()).put(out),
        }
    }

    /// Takes a vector and its form off the front.
    fn take(from: &mut &[u8]) -> Option<Self> {
        Some(match u8::take(from)? {
            0 => Scorer::Lifted(Bytes::take(from)?),
            1 => {
                let (w, unit) = Bytes::take(from)?;
                Scorer::Raw(w, unit)
            }
            2 => {
                let (high, low): (Vec<f64>, Vec<f64>) = Bytes::take(from)?;
                (high.len() == low.len()).then(|| Scorer::Precise(Double::new(high, low)))?
            }
            _ => return None,
        })
    }

    /// Returns the number of coordinates.
    fn len(&self) -> usize {
        match self {
            Scorer::Lifted(w) | Scorer::Raw(w, _) => w.len(),
            Scorer::Precise(w) => w.high().len(),
        }
    }

    /// Writes the scores of all rows of a block.
    fn scores(&self, block: &Block<'_>, out: &mut [f64]) {
        let (samples, places) = (block.samples(), block.places());
        match self {
            Scorer::Lifted(w) => Rows::lifted(samples).scores(places, w, out),
            Scorer::Raw(w, unit) => Rows::raw_in(samples, *unit).scores(places, w, out),
            Scorer::Precise(w) => {
                let mut row = vec![];
                for (i, out) in places.zip(out) {
                    row.clear();
                    samples.features().for_each(i, |k, v| row.push((k, v)));
                    row.push((samples.columns(), 1.0));
                    let value = w.dot(&row);
                    *out = if samples.positive()[i] { value } else { -value };
                }
            }
        }
    }
}
