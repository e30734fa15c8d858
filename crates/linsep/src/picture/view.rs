//! The view of a hyperplane: across is the signed distance, up the direction in which rows differ most within it.

use serde::{Deserialize, Serialize};

use super::{Point, both};
use crate::data::{Data, Samples, Shape};
use crate::kernels::{Arithmetic, RowArithmetic};
use crate::{Error, Hyperplane};

/// Values that the sample may hold.
pub(super) const SAMPLE_VALUES: usize = 8_000_000;
/// Values of a row that are kept.
const SHOWN_VALUES: usize = 8;
/// Steps towards the principal axis: more would move no point visibly.
const POWER_STEPS: usize = 60;

/// Every k-th row.
pub(super) struct Sample {
    pub(super) samples: Samples,
    pub(super) rows: Vec<usize>,
    pub(super) mean: Vec<f64>,
    /// The standard deviation of each feature.
    pub(super) spread: Vec<f64>,
}

impl Sample {
    pub(super) fn take(data: &dyn Data, most: usize) -> Result<Self, Error> {
        let shape = data.shape();
        // Sparse rows have few of their values.
        let width = if shape.sparse { shape.columns.min(1_000) } else { shape.columns };
        let count = most.min((SAMPLE_VALUES / width.max(1)).max(64)).min(shape.rows);
        let rows: Vec<usize> =
            (0..count).map(|k| (k as u128 * shape.rows as u128 / count as u128) as usize).collect();
        let samples = data.fetch(&rows)?;
        let (n, features) = (rows.len() as f64, samples.features());
        let mut mean = vec![0.0; shape.columns];
        (0..rows.len()).for_each(|i| features.axpy(i, 1.0 / n, &mut mean));
        // About the mean, so that a large one does not drown them; what is not stored is zero, and is added last.
        let (mut squares, mut stored) = (vec![0.0; shape.columns], vec![0.0; shape.columns]);
        for i in 0..rows.len() {
            features.for_each(i, |k, v| {
                let off = v - mean[k];
                squares[k] += off * off;
                stored[k] += 1.0;
            });
        }
        for (square, (mean, stored)) in squares.iter_mut().zip(mean.iter().zip(&stored)) {
            *square += (n - stored) * mean * mean;
        }
        let spread = squares.iter().map(|s| (s / n).max(0.0).sqrt()).collect();
        Ok(Sample { samples, rows, mean, spread })
    }
}

/// From a row to its place in the view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ViewMap {
    plane: Hyperplane,
    norm: f64,
    /// The direction of largest spread within the hyperplane, and where the mean lies along it; none if rows do
    /// not differ there.
    pub(super) up: Option<(Vec<f64>, f64)>,
}

impl ViewMap {
    pub(super) fn new(plane: &Hyperplane, sample: &Sample) -> Self {
        let norm = plane.weight_norm();
        let across = unit(plane.weights.iter().map(|w| w / norm.max(f64::MIN_POSITIVE)).collect());
        let up = principal_axis(sample, across.as_slice()).map(|axis| {
            let middle = f64::dot(&axis, &sample.mean);
            (axis, middle)
        });
        ViewMap { plane: plane.clone(), norm, up }
    }

    pub(super) fn fits(&self, shape: Shape) -> bool {
        let axis = self.up.iter().map(|(axis, _)| axis);
        axis.chain([&self.plane.weights]).all(|vector| vector.len() == shape.columns)
    }

    /// Returns signed distances of consecutive rows; zeros if there is no hyperplane.
    pub(super) fn across(&self, samples: &Samples, first: usize, out: &mut [f64]) {
        self.plane.values(samples.features(), first, out);
        let scale = if self.norm > 0.0 { 1.0 / self.norm } else { 0.0 };
        out.iter_mut().for_each(|value| *value *= scale);
    }

    /// Returns how far up a row lies.
    pub(super) fn up(&self, samples: &Samples, place: usize, row: usize) -> f64 {
        match &self.up {
            Some((axis, middle)) => samples.features().dot(place, axis) - middle,
            None => spread_out(row),
        }
    }

    /// Returns the range upwards that a sample takes.
    pub(super) fn range(&self, sample: &Sample) -> [f64; 2] {
        let ups = sample.rows.iter().enumerate().map(|(k, &row)| self.up(&sample.samples, k, row));
        let [low, high] =
            ups.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]);
        if low < high { [low, high] } else { [low - 1.0, high + 1.0] }
    }

    pub(super) fn point(
        &self,
        samples: &Samples,
        place: usize,
        row: usize,
        name: Option<String>,
    ) -> Point {
        let mut x = [0.0];
        self.across(samples, place, &mut x);
        let mut values = vec![];
        samples.features().for_each(place, |k, v| {
            if values.len() < SHOWN_VALUES {
                values.push((k, v));
            }
        });
        Point {
            row,
            name,
            positive: samples.positive()[place],
            x: x[0],
            y: self.up(samples, place, row),
            pair: (samples.columns() == 2).then(|| both(samples.features(), place)),
            values,
        }
    }
}

/// Returns a place between -0.5 and 0.5 for a row where no direction tells rows apart.
pub(super) fn spread_out(row: usize) -> f64 {
    // The golden ratio spreads any run of rows evenly.
    (row as f64 * 0.618_033_988_749_894_9).fract() - 0.5
}

/// Returns the vector at length one; none if it is zero or no numbers.
fn unit(mut v: Vec<f64>) -> Option<Vec<f64>> {
    let length = f64::dot(&v, &v).sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    v.iter_mut().for_each(|v| *v /= length);
    Some(v)
}

/// Returns the direction orthogonal to `others`, which have length one and are orthogonal themselves, in which a sample
/// spreads most; none if it does not. By the power method, from the row that is farthest from the mean.
pub(super) fn principal_axis(sample: &Sample, others: &[Vec<f64>]) -> Option<Vec<f64>> {
    let (features, mean) = (sample.samples.features(), &sample.mean);
    let within = |mut v: Vec<f64>| {
        for other in others {
            let part = f64::dot(other, &v);
            f64::axpy(-part, other, &mut v);
        }
        v
    };
    let centred = |i: usize| {
        let mut v: Vec<f64> = mean.iter().map(|m| -m).collect();
        features.axpy(i, 1.0, &mut v);
        within(v)
    };
    let total: f64 = sample.spread.iter().map(|s| s * s).sum();
    // Wide sparse rows are looked at one by one here, so some of them will do.
    let starts = (sample.rows.len()).min(64);
    let farthest = (0..starts)
        .map(|k| centred(k * sample.rows.len() / starts))
        .max_by(|a, b| f64::dot(a, a).total_cmp(&f64::dot(b, b)))?;
    if f64::dot(&farthest, &farthest) <= 1e-24 * total.max(f64::MIN_POSITIVE) {
        return None;
    }
    let mut axis = unit(farthest)?;
    for _ in 0..POWER_STEPS {
        let middle = f64::dot(&axis, mean);
        let (mut next, mut sum) = (vec![0.0; mean.len()], 0.0);
        for i in 0..sample.rows.len() {
            let part = features.dot(i, &axis) - middle;
            features.axpy(i, part, &mut next);
            sum += part;
        }
        f64::axpy(-sum, mean, &mut next);
        axis = unit(within(next))?;
    }
    // Of the two ends, the one where the largest coordinate is positive points up.
    let largest = axis.iter().copied().fold(0.0_f64, |a, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 {
        axis.iter_mut().for_each(|v| *v = -*v);
    }
    Some(axis)
}
