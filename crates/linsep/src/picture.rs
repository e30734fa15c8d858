//! What can be drawn of a hyperplane and the rows around it. Nothing here is as long as the data.
//!
//! ```text
//! distances   how many rows of each class lie how far on the positive side
//! view        across: the signed distance; up: the direction of largest spread within the hyperplane
//!             (the first principal axis of rows projected on it). So both distances are true ones.
//! weights     as they are, and times the spread of their feature: how much each one moves a row
//! marked      rows to look at: nearest to the hyperplane, in conflict, suspected
//! ```
//!
//! Counts are exact and do not depend on how rows are cut. Directions and spreads are those of a sample, every
//! k-th row, so that they do not either. Cost: three passes, and the sample.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::asked::fold;
use crate::data::{Block, Data, FoldQuery, Samples, Shape};
use crate::decide::{
    DecideOptions, Decision, Explanation, Outcome, Watch, compromise_data, rounded,
};
use crate::distances::{Distances, distances};
use crate::kernels::{Arithmetic, RowArithmetic};
use crate::{Error, Hyperplane};

/// Bins of the histogram.
const BINS: usize = 64;
/// Rows that are drawn one by one; of more, the cells of a grid are counted.
const MOST_POINTS: usize = 2_000;
/// Cells across (the bins of the histogram: none has rows of both sides), and cells up.
const CELLS: [usize; 2] = [BINS, 40];
/// Rows of the sample, and the values that it may hold.
const SAMPLE_ROWS: usize = 4_096;
const SAMPLE_VALUES: usize = 8_000_000;
/// Nearest rows of each class, conflicting rows and suspects that are marked.
const NEAREST: usize = 3;
const MOST_MARKED: usize = 60;
/// Values of a row that are kept, and weights.
const SHOWN_VALUES: usize = 8;
const MOST_WEIGHTS: usize = 50;
/// Steps towards the principal axis: more would move no point visibly.
const POWER_STEPS: usize = 60;

/// A hyperplane among its rows.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Picture {
    /// Rows of the data.
    pub rows: usize,
    /// Features of a row.
    pub features: usize,
    /// The name of the negative class.
    pub negative: String,
    /// The name of the positive class.
    pub positive: String,
    /// Rows that are not strictly on their own side, as floats see it.
    pub mistakes: u64,
    /// The least distance to the own side, negative on the wrong one; none if the weights are zero.
    pub smallest: Option<f64>,
    /// Rows by signed distance.
    pub histogram: Histogram,
    /// Rows in two dimensions.
    pub view: View,
    /// Rows to look at.
    pub marked: Vec<Marked>,
    /// The weights that move rows most, the largest first.
    pub weights: Vec<Weight>,
}

/// Counts of rows by signed distance.
#[derive(Clone, Debug, Serialize)]
pub struct Histogram {
    /// The borders of the bins, one more than there are bins.
    pub edges: Vec<f64>,
    /// Negative rows in each bin.
    pub negative: Vec<u64>,
    /// Positive rows in each bin.
    pub positive: Vec<u64>,
}

/// Rows in two dimensions: signed distance, and the place along the direction of largest spread.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The least and the largest signed distance.
    pub x: [f64; 2],
    /// The range upwards. Rows of a large table that lie beyond it are in the outermost cells.
    pub y: [f64; 2],
    /// True if rows do not differ within the hyperplane: they are spread out upwards to be seen, and that says
    /// nothing.
    pub flat: bool,
    /// All rows, if they are few.
    pub points: Option<Vec<Point>>,
    /// Or counts.
    pub cells: Option<Cells>,
}

/// A row as a point.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Its number, counted from 0.
    pub row: usize,
    /// What it is called, if the data names its rows.
    pub name: Option<String>,
    /// Its class.
    pub positive: bool,
    /// Its signed distance.
    pub x: f64,
    /// Its place along the direction of largest spread.
    pub y: f64,
    /// Its first features and values.
    pub values: Vec<(usize, f64)>,
}

/// Counts of rows in a grid over the view.
#[derive(Clone, Debug, Serialize)]
pub struct Cells {
    /// Cells across.
    pub columns: usize,
    /// Cells up.
    pub rows: usize,
    /// Column, row from below, negatives and positives of each cell that is not empty, in order.
    pub filled: Vec<(usize, usize, u64, u64)>,
}

/// A row to look at.
#[derive(Clone, Debug, Serialize)]
pub struct Marked {
    /// The row.
    #[serde(flatten)]
    pub point: Point,
    /// Why: `nearest`, `conflict`, `suspect`.
    pub why: Vec<&'static str>,
    /// How many times it is taken in the conflict, if it is.
    pub multiplier: Option<String>,
}

/// A weight of the hyperplane.
#[derive(Clone, Debug, Serialize)]
pub struct Weight {
    /// The feature.
    pub feature: usize,
    /// Its weight.
    pub weight: f64,
    /// The standard deviation of the feature.
    pub spread: f64,
    /// The weight times the spread.
    pub scaled: f64,
}

/// Rows that are marked in a picture.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Rows in conflict, and how many times each is taken.
    pub conflict: Vec<(usize, String)>,
    /// Rows to suspect, the most suspicious first.
    pub suspects: Vec<usize>,
}

/// Returns what can be drawn of a hyperplane.
///
/// Errors if the rows cannot be read.
///
/// ```
/// use linsep::data::Memory;
/// use linsep::picture::{Marks, picture};
/// use linsep::{Hyperplane, Samples};
///
/// let samples = Samples::dense(vec![0.0, 0.0, 3.0, 4.0], 2, vec![false, true])?;
/// let plane = Hyperplane { weights: vec![0.6, 0.8], bias: -2.0 };
/// let drawn = picture(&Memory::new(&samples), &plane, &Marks::default())?;
/// assert_eq!((drawn.mistakes, drawn.smallest), (0, Some(2.0)));
/// assert_eq!(drawn.view.points.unwrap()[1].x, 3.0);
/// # Ok::<_, linsep::Error>(())
/// ```
pub fn picture(data: &dyn Data, plane: &Hyperplane, marks: &Marks) -> Result<Picture, Error> {
    let (shape, about) = (data.shape(), data.about());
    let found = distances(data, plane, BINS)?;
    let few = shape.rows <= MOST_POINTS && shape.rows * shape.columns <= SAMPLE_VALUES;
    let sample = Sample::take(data, if few { shape.rows } else { SAMPLE_ROWS })?;
    let map = ViewMap::new(plane, &sample);
    let y = map.range(&sample);
    let x = [found.low, found.high];
    let cells = (!few).then(|| ViewCells { map: map.clone(), x, y });
    let (nearest, cells) = fold(data, &(NearestRows(map.clone()), cells))?;
    let points = match few {
        true => {
            let mut names = Names::fetch(data, &sample.rows)?;
            let mut point = |place: usize| {
                map.point(&sample.samples, place, sample.rows[place], names.take(place))
            };
            Some((0..sample.rows.len()).map(&mut point).collect())
        }
        false => None,
    };
    let cells = cells.map(CellsState::filled);
    Ok(Picture {
        rows: shape.rows,
        features: shape.columns,
        negative: about.label(false).to_string(),
        positive: about.label(true).to_string(),
        mistakes: nearest.mistakes,
        smallest: found.nearest,
        marked: marked(data, &map, &nearest, marks)?,
        weights: weights(plane, &sample),
        view: View { x, y, flat: map.up.is_none(), points, cells },
        histogram: histogram(found),
    })
}

/// Returns what can be drawn of a decision, around its [`decision_plane`].
///
/// Errors if the rows cannot be read.
pub fn decision_picture(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
    watch: &mut dyn Watch,
) -> Result<Picture, Error> {
    let plane = decision_plane(data, decision, explanation, watch)?;
    let conflict = decision.conflict().into_iter().flat_map(|conflict| conflict.iter());
    let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
    let marks = Marks {
        conflict: conflict.map(|(row, times)| (row, times.to_string())).collect(),
        suspects: removal.iter().flat_map(|removal| &removal.rows).map(|r| r.row).collect(),
    };
    picture(data, &plane, &marks)
}

/// Returns the hyperplane of a decision that is worth drawing: the one that separates, the weak separator, the one
/// that separates all rows but the suspects, or else one with few mistakes, which takes passes to find.
///
/// Errors if the rows cannot be read.
pub fn decision_plane(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
    watch: &mut dyn Watch,
) -> Result<Hyperplane, Error> {
    let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
    Ok(match (&decision.outcome, removal) {
        (Outcome::Separable { hyperplane, .. }, _) => hyperplane.clone(),
        (_, Some(removal)) => removal.hyperplane.clone(),
        (Outcome::QuasiSeparable { separator, .. }, None) => {
            let all: Vec<_> = separator.weights.iter().chain([&separator.bias]).cloned().collect();
            Hyperplane::from_lifted(rounded(&all))
        }
        _ => {
            // After a limit the first step will do.
            let soon = decision.unfinished.then_some(Duration::from_millis(1));
            let options = DecideOptions::default().with_time_limit(soon);
            compromise_data(data, &options, watch)?.hyperplane
        }
    })
}

fn histogram(found: Distances) -> Histogram {
    let width = (found.high - found.low) / BINS as f64;
    let edges = (0..=BINS).map(|k| found.low + k as f64 * width).collect();
    Histogram { edges, negative: found.negative, positive: found.positive }
}

/// Every k-th row.
struct Sample {
    samples: Samples,
    rows: Vec<usize>,
    mean: Vec<f64>,
    /// The standard deviation of each feature.
    spread: Vec<f64>,
}

impl Sample {
    fn take(data: &dyn Data, most: usize) -> Result<Self, Error> {
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
        // About the mean, so that a large one does not drown them; what is not stored is zero.
        let mut squares: Vec<f64> = mean.iter().map(|m| n * m * m).collect();
        for i in 0..rows.len() {
            features.for_each(i, |k, v| {
                let off = v - mean[k];
                squares[k] += off * off - mean[k] * mean[k];
            });
        }
        let spread = squares.iter().map(|s| (s / n).max(0.0).sqrt()).collect();
        Ok(Sample { samples, rows, mean, spread })
    }
}

/// From a row to its place in the view.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ViewMap {
    plane: Hyperplane,
    norm: f64,
    /// The direction of largest spread within the hyperplane, and where the mean lies along it; none if rows do
    /// not differ there.
    up: Option<(Vec<f64>, f64)>,
}

impl ViewMap {
    fn new(plane: &Hyperplane, sample: &Sample) -> Self {
        let norm = plane.weight_norm();
        let across = unit(plane.weights.iter().map(|w| w / norm.max(f64::MIN_POSITIVE)).collect());
        let up = principal_axis(sample, across.as_deref()).map(|axis| {
            let middle = f64::dot(&axis, &sample.mean);
            (axis, middle)
        });
        ViewMap { plane: plane.clone(), norm, up }
    }

    fn fits(&self, shape: Shape) -> bool {
        let axis = self.up.iter().map(|(axis, _)| axis);
        axis.chain([&self.plane.weights]).all(|vector| vector.len() == shape.columns)
    }

    /// Returns signed distances of consecutive rows; zeros if there is no hyperplane.
    fn across(&self, samples: &Samples, first: usize, out: &mut [f64]) {
        self.plane.values(samples.features(), first, out);
        let scale = if self.norm > 0.0 { 1.0 / self.norm } else { 0.0 };
        out.iter_mut().for_each(|value| *value *= scale);
    }

    /// Returns how far up a row lies.
    fn up(&self, samples: &Samples, place: usize, row: usize) -> f64 {
        match &self.up {
            Some((axis, middle)) => samples.features().dot(place, axis) - middle,
            // The golden ratio spreads any run of rows evenly.
            None => (row as f64 * 0.618_033_988_749_894_9).fract() - 0.5,
        }
    }

    /// Returns the range upwards that a sample takes.
    fn range(&self, sample: &Sample) -> [f64; 2] {
        let ups = sample.rows.iter().enumerate().map(|(k, &row)| self.up(&sample.samples, k, row));
        let [low, high] =
            ups.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(v), b.max(v)]);
        if low < high { [low, high] } else { [low - 1.0, high + 1.0] }
    }

    fn point(&self, samples: &Samples, place: usize, row: usize, name: Option<String>) -> Point {
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
            values,
        }
    }
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

/// Returns the direction orthogonal to `across` in which a sample spreads most; none if it does not. By the power
/// method, from the row that is farthest from the mean.
fn principal_axis(sample: &Sample, across: Option<&[f64]>) -> Option<Vec<f64>> {
    let (features, mean) = (sample.samples.features(), &sample.mean);
    let within = |mut v: Vec<f64>| {
        if let Some(across) = across {
            let part = f64::dot(across, &v);
            f64::axpy(-part, across, &mut v);
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

/// Finds the rows of each class that are nearest to the hyperplane, or farthest on the wrong side, and counts the
/// mistakes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NearestRows(ViewMap);

/// What it has found so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct NearestState {
    mistakes: u64,
    /// Distance to the own side and row, the smallest first, by class.
    found: [Vec<(f64, usize)>; 2],
}

impl NearestState {
    fn take(&mut self, positive: bool, distance: f64, row: usize) {
        let found = &mut self.found[usize::from(positive)];
        let before = |&(other, number): &(f64, usize)| {
            other.total_cmp(&distance).then(number.cmp(&row)).is_lt()
        };
        let place = found.partition_point(before);
        if place < NEAREST {
            found.insert(place, (distance, row));
            found.truncate(NEAREST);
        }
    }
}

impl FoldQuery for NearestRows {
    type State = NearestState;

    fn begin(&self) -> NearestState {
        NearestState::default()
    }

    fn absorb(&self, state: &mut NearestState, block: &Block<'_>) {
        let (samples, places) = (block.samples(), block.places());
        let mut values = vec![0.0; places.len()];
        self.0.across(samples, places.start, &mut values);
        for (place, value) in places.zip(values) {
            let positive = samples.positive()[place];
            let distance = if positive { value } else { -value };
            state.mistakes += u64::from(distance.is_nan() || distance <= 0.0);
            state.take(positive, distance, block.number(place));
        }
    }

    fn merge(&self, state: &mut NearestState, other: NearestState) {
        state.mistakes += other.mistakes;
        for (class, found) in other.found.into_iter().enumerate() {
            found.into_iter().for_each(|(distance, row)| state.take(class == 1, distance, row));
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        self.0.fits(shape)
    }

    fn admits(&self, state: &NearestState, shape: Shape) -> bool {
        let fits = |found: &Vec<(f64, usize)>| {
            found.len() <= NEAREST && found.iter().all(|(_, row)| *row < shape.rows)
        };
        state.mistakes <= shape.rows as u64 && state.found.iter().all(fits)
    }

    fn named(&self, state: &NearestState) -> Vec<usize> {
        state.found.iter().flatten().map(|(_, row)| *row).collect()
    }
}

/// Counts rows by the cell of the view that they lie in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ViewCells {
    map: ViewMap,
    x: [f64; 2],
    y: [f64; 2],
}

/// Negatives and positives by row and column.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct CellsState(BTreeMap<(usize, usize), [u64; 2]>);

impl CellsState {
    fn filled(self) -> Cells {
        let [columns, rows] = CELLS;
        let cell = |((row, column), [negatives, positives]): ((usize, usize), [u64; 2])| {
            (column, row, negatives, positives)
        };
        Cells { columns, rows, filled: self.0.into_iter().map(cell).collect() }
    }
}

impl FoldQuery for ViewCells {
    type State = CellsState;

    fn begin(&self) -> CellsState {
        CellsState::default()
    }

    fn absorb(&self, state: &mut CellsState, block: &Block<'_>) {
        let (samples, places) = (block.samples(), block.places());
        let mut values = vec![0.0; places.len()];
        self.map.across(samples, places.start, &mut values);
        for (place, value) in places.zip(values) {
            let up = self.map.up(samples, place, block.number(place));
            let cell = (cell(up, self.y, CELLS[1]), cell(value, self.x, CELLS[0]));
            let class = usize::from(samples.positive()[place]);
            state.0.entry(cell).or_default()[class] += 1;
        }
    }

    fn merge(&self, state: &mut CellsState, other: CellsState) {
        for (cell, [negatives, positives]) in other.0 {
            let all = state.0.entry(cell).or_default();
            all[0] += negatives;
            all[1] += positives;
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        self.map.fits(shape)
    }

    fn admits(&self, CellsState(cells): &CellsState, shape: Shape) -> bool {
        let counts = cells.values().flatten();
        let all = counts.copied().try_fold(0_u64, |sum, count| sum.checked_add(count));
        cells.keys().all(|&(row, column)| column < CELLS[0] && row < CELLS[1])
            && all.is_some_and(|all| all <= shape.rows as u64)
    }
}

/// Returns the cell of a value; what lies outside is in the outermost.
fn cell(value: f64, [low, high]: [f64; 2], cells: usize) -> usize {
    let share = (value - low) / (high - low);
    // A NaN becomes zero.
    ((share * cells as f64) as usize).min(cells - 1)
}

/// What rows are called, if the data names them.
struct Names(Option<Vec<String>>);

impl Names {
    fn fetch(data: &dyn Data, rows: &[usize]) -> Result<Self, Error> {
        Ok(Names(data.row_names(rows)?))
    }

    fn take(&mut self, place: usize) -> Option<String> {
        self.0.as_mut().map(|names| std::mem::take(&mut names[place]))
    }
}

fn marked(
    data: &dyn Data,
    map: &ViewMap,
    nearest: &NearestState,
    marks: &Marks,
) -> Result<Vec<Marked>, Error> {
    type Why = (Vec<&'static str>, Option<String>);
    let mut rows: BTreeMap<usize, Why> = BTreeMap::new();
    for (row, multiplier) in marks.conflict.iter().take(MOST_MARKED) {
        let (why, times) = rows.entry(*row).or_default();
        why.push("conflict");
        *times = Some(multiplier.clone());
    }
    for row in marks.suspects.iter().take(MOST_MARKED) {
        rows.entry(*row).or_default().0.push("suspect");
    }
    for (_, row) in nearest.found.iter().flatten() {
        rows.entry(*row).or_default().0.push("nearest");
    }
    if rows.is_empty() {
        return Ok(vec![]);
    }
    let numbers: Vec<usize> = rows.keys().copied().collect();
    let (samples, mut names) = (data.fetch(&numbers)?, Names::fetch(data, &numbers)?);
    let row = |(place, (row, (why, multiplier))): (usize, (usize, Why))| Marked {
        point: map.point(&samples, place, row, names.take(place)),
        why,
        multiplier,
    };
    Ok(rows.into_iter().enumerate().map(row).collect())
}

fn weights(plane: &Hyperplane, sample: &Sample) -> Vec<Weight> {
    let scaled = |k: usize| plane.weights[k] * sample.spread[k];
    let mut order: Vec<usize> = (0..plane.weights.len()).collect();
    order.sort_by(|&a, &b| scaled(b).abs().total_cmp(&scaled(a).abs()).then(a.cmp(&b)));
    let weight = |&k: &usize| Weight {
        feature: k,
        weight: plane.weights[k],
        spread: sample.spread[k],
        scaled: scaled(k),
    };
    order.iter().take(MOST_WEIGHTS).map(weight).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    fn drawn(samples: &Samples, plane: &Hyperplane) -> Picture {
        picture(&Memory::new(samples), plane, &Marks::default()).unwrap()
    }

    #[test]
    fn distances_in_the_view_are_true_ones() {
        // Two features: across and up are a rotation, which keeps distances.
        let x: Vec<f64> = vec![0.0, 0.0, 3.0, 1.0, -1.0, 5.0, 2.0, 2.0];
        let samples = Samples::dense(x.clone(), 2, vec![false, true, false, true]).unwrap();
        let plane = Hyperplane { weights: vec![3.0, -4.0], bias: 1.0 };
        let points = drawn(&samples, &plane).view.points.unwrap();
        for a in 0..4 {
            for b in 0..4 {
                let raw = libm::hypot(x[2 * a] - x[2 * b], x[2 * a + 1] - x[2 * b + 1]);
                let seen = libm::hypot(points[a].x - points[b].x, points[a].y - points[b].y);
                assert!((raw - seen).abs() < 1e-12, "{raw} against {seen}");
            }
        }
    }

    #[test]
    fn every_row_of_a_large_table_is_counted_once_on_any_number_of_threads() {
        let samples = Generator::new(20_000, 6, 1).samples::<f64>().unwrap();
        let plane = Hyperplane { weights: vec![1.0, -2.0, 0.5, 0.0, 1.0, 1.0], bias: 0.1 };
        let json = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            serde_json::to_string(&pool.install(|| drawn(&samples, &plane))).unwrap()
        };
        assert_eq!(json(1), json(3));
        let found = drawn(&samples, &plane);
        let cells = found.view.cells.unwrap();
        assert!(found.view.points.is_none());
        assert_eq!(cells.filled.iter().map(|cell| cell.2 + cell.3).sum::<u64>(), 20_000);
        let histogram = found.histogram.negative.iter().chain(&found.histogram.positive);
        assert_eq!(histogram.sum::<u64>(), 20_000);
        let evaluation = plane.evaluate(&samples);
        assert_eq!(found.mistakes, evaluation.mistakes);
        assert_eq!(found.smallest, evaluation.margin.geometric);
        // Six rows are nearest, or farthest on the wrong side.
        assert_eq!(found.marked.len(), 2 * NEAREST);
        let worst =
            found.marked.iter().map(|m| m.point.x * if m.point.positive { 1.0 } else { -1.0 });
        assert_eq!(worst.fold(f64::INFINITY, f64::min), evaluation.margin.geometric.unwrap());
    }

    #[test]
    fn spreads_are_standard_deviations_dense_or_sparse() {
        let values = [1.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0, 0.0];
        let dense = Samples::dense(values.to_vec(), 2, vec![false, true, false, true]).unwrap();
        let mut builder = crate::data::samples::SparseBuilder::default();
        for row in values.chunks(2) {
            row.iter()
                .enumerate()
                .filter(|(_, v)| **v != 0.0)
                .for_each(|(k, v)| builder.push(k, *v));
            builder.end_row();
        }
        let rows = builder.finish(2).unwrap();
        let sparse = Samples::sparse(rows, vec![false, true, false, true]).unwrap();
        let plane = Hyperplane { weights: vec![1.0, 2.0], bias: 0.0 };
        for samples in [&dense, &sparse] {
            let weights = drawn(samples, &plane).weights;
            // Columns 1, 0, 0, 7 and 0, 4, 0, 0.
            assert_eq!(weights[0].feature, 1);
            assert!((weights[0].spread - 3f64.sqrt()).abs() < 1e-12, "{weights:?}");
            assert!((weights[1].spread - 8.5f64.sqrt()).abs() < 1e-12, "{weights:?}");
        }
    }

    #[test]
    fn rows_that_do_not_differ_within_the_hyperplane_are_spread_out() {
        let samples = Samples::dense(vec![1.0, 2.0, 5.0], 1, vec![false, false, true]).unwrap();
        let found = drawn(&samples, &Hyperplane { weights: vec![2.0], bias: -6.0 });
        assert!(found.view.flat);
        let points = found.view.points.unwrap();
        assert_eq!([points[0].x, points[2].x], [-2.0, 2.0]);
        assert!(points[0].y != points[1].y);
        // No hyperplane at all is no panic.
        let found = drawn(&samples, &Hyperplane { weights: vec![0.0], bias: 0.0 });
        assert_eq!((found.smallest, found.mistakes), (None, 3));
    }
}
