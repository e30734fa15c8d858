//! What can be drawn of a hyperplane and the rows around it. Nothing here is as long as the data.
//!
//! ```text
//! distances   how many rows of each class lie how far on the positive side
//! view        across: the signed distance; up: the direction of largest spread within the hyperplane
//!             (the first principal axis of rows projected on it). So both distances are true ones.
//! plane       of two features: one across, the other up, in their own units, and the hyperplane as a line
//! weights     as they are, and times the spread of their feature: how much each one moves a row
//! marked      rows to look at: nearest to the hyperplane, in conflict, suspected
//! ```
//!
//! Counts are exact and do not depend on how rows are cut. Directions and spreads are those of a sample, every
//! k-th row, so that they do not either. Cost: three passes, and the sample. `view` puts rows into two dimensions,
//! `counts` is what passes count. `flat` does without a hyperplane: it is for many of them, one after the other.

mod counts;
mod flat;
mod overlap;
mod plane;
mod view;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::data::Data;
use crate::decide::{
    DecideOptions, Decision, Explanation, Outcome, Watch, compromise_data, rounded,
};
use crate::distances::{Distances, distances_beside};
use crate::queries::fold;
use crate::{Error, Hyperplane};

use counts::{CellsState, NearestState};
pub(crate) use counts::{NearestRows, ViewCells};
pub use flat::{FlatAxes, FlatLine, FlatPoint, FlatView};
pub(crate) use plane::{PlaneCells, PlaneSurvey};
pub use plane::{PlanePlace, PlaneView, Segment};
use plane::{PlaneSketch, both};
use view::{SAMPLE_VALUES, Sample, ViewMap};

/// Bins of the histogram.
const BINS: usize = 64;
/// Rows that are drawn one by one; of more, the cells of a grid are counted.
const MOST_POINTS: usize = 2_000;
/// Cells across (the bins of the histogram: none has rows of both sides), and cells up.
const CELLS: [usize; 2] = [BINS, 40];
/// Rows of the sample.
const SAMPLE_ROWS: usize = 4_096;
/// Conflicting rows, and suspects, that are marked.
const MOST_MARKED: usize = 60;
/// Weights that are kept.
const MOST_WEIGHTS: usize = 50;

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
    /// Rows of two features in their own units; none if there are more or fewer, or if they lie further apart than
    /// numbers reach.
    pub plane: Option<PlaneView>,
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
    /// Both features, where there are two.
    pub pair: Option<[f64; 2]>,
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
    /// How many times it is taken in the conflict, or its weight in the matrix, if it is.
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
    /// Rows in conflict, and how many times each is taken, or what each weighs.
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
    let survey = (shape.columns == 2).then_some(PlaneSurvey);
    let (found, survey) = distances_beside(data, plane, BINS, survey.as_ref())?;
    let sketch = survey.and_then(|survey| PlaneSketch::new(survey, plane));
    let few = shape.rows <= MOST_POINTS && shape.rows * shape.columns <= SAMPLE_VALUES;
    let sample = Sample::take(data, if few { shape.rows } else { SAMPLE_ROWS })?;
    let map = ViewMap::new(plane, &sample);
    let y = map.range(&sample);
    let x = [found.low, found.high];
    let cells = (!few).then(|| ViewCells { map: map.clone(), x, y });
    let plane_cells = sketch.as_ref().and_then(PlaneSketch::cells);
    let counts = (NearestRows(map.clone()), (cells, plane_cells));
    let (nearest, (cells, plane_cells)) = fold(data, &counts)?;
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
    let margin = found.nearest.filter(|_| nearest.mistakes == 0);
    let in_plane = match sketch {
        None => None,
        Some(sketch) => {
            // Names of many rows would be read again.
            let rows = if few { sketch.rows() } else { vec![] };
            let names = Names::fetch(data, &rows)?;
            let name = |row: usize| names.of(&rows, row);
            Some(sketch.finish(plane, margin, plane_cells, name))
        }
    };
    Ok(Picture {
        rows: shape.rows,
        features: shape.columns,
        negative: about.label(false).to_string(),
        positive: about.label(true).to_string(),
        mistakes: nearest.mistakes,
        smallest: found.nearest,
        marked: marked(data, &map, &nearest, marks)?,
        weights: weights(plane, &sample),
        plane: in_plane,
        view: View { x, y, flat: map.up.is_none(), points, cells },
        histogram: histogram(found),
    })
}

/// Returns how many times the largest deviation of a feature is the smallest, constant ones aside, in a sample of the
/// rows; none where fewer than two vary.
///
/// Errors if the rows cannot be read.
pub(crate) fn spread_ratio(data: &dyn Data) -> Result<Option<f64>, Error> {
    let spread = Sample::take(data, SAMPLE_ROWS)?.spread;
    let varying = || spread.iter().copied().filter(|s| *s > 0.0);
    let (low, high) = (varying().fold(f64::INFINITY, f64::min), varying().fold(0.0, f64::max));
    Ok(Some(high / low).filter(|ratio| ratio.is_finite() && *ratio > 1.0))
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
    let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
    let marks = Marks {
        conflict: decision.shares(),
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
            let found = compromise_data(data, &options, watch)?;
            if decision.unfinished { found.hyperplane } else { overlap::better(data, found)? }
        }
    })
}

fn histogram(found: Distances) -> Histogram {
    let width = (found.high - found.low) / BINS as f64;
    let edges = (0..=BINS).map(|k| found.low + k as f64 * width).collect();
    Histogram { edges, negative: found.negative, positive: found.positive }
}

/// What rows are called, if the data names them.
struct Names(Option<Vec<String>>);

impl Names {
    fn fetch(data: &dyn Data, rows: &[usize]) -> Result<Self, Error> {
        Ok(Names(data.row_names(rows)?))
    }

    /// Returns the name of one of these rows, which rise and were fetched.
    fn of(&self, rows: &[usize], row: usize) -> Option<String> {
        let place = rows.binary_search(&row).ok()?;
        self.0.as_ref().map(|names| names[place].clone())
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
    use super::counts::NEAREST;
    use super::*;
    use crate::Samples;
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
    fn columns_of_different_size_are_no_reason_for_many_mistakes() {
        let clean = Generator::new(3_000, 2, 4).samples::<f64>().unwrap();
        let mut x = vec![];
        (0..3_000).for_each(|i| clean.features().for_each(i, |k, v| x.push([1.0, 1e4][k] * v)));
        let mut y = clean.positive().to_vec();
        (0..3_000).step_by(100).for_each(|i| y[i] = !y[i]);
        let samples = Samples::dense(x, 2, y).unwrap();
        let data = Memory::new(&samples);
        let decision = crate::decide::decide_data(&data, &DecideOptions::default(), &mut ());
        let drawn = decision_picture(&data, &decision.unwrap(), None, &mut ()).unwrap();
        assert!(drawn.mistakes < 100, "{}", drawn.mistakes);
    }

    #[test]
    fn spreads_of_timestamps_are_theirs() {
        let x: Vec<f64> = (0..400).map(|k| 1.7e9 + f64::from(k % 2)).collect();
        let samples = Samples::dense(x, 1, (0..400).map(|k| k % 2 == 0).collect()).unwrap();
        let found = drawn(&samples, &Hyperplane { weights: vec![1.0], bias: -1.7e9 });
        assert!((found.weights[0].spread - 0.5).abs() < 1e-6, "{:?}", found.weights);
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
