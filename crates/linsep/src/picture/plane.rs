//! Rows of two features as people draw them: one feature across, the other up, and the hyperplane as a line.
//!
//! ```text
//! places   where rows are, and how many of each class, while there are few such places: repeated points are one
//! cells    else how many rows are in each cell of a grid over all rows
//! line     w1 x1 + w2 x2 + b = 0, as far as it is in sight
//! edges    the two lines beside it through the nearest rows, if no row is on the wrong side; the band lies between
//! ```
//!
//! Everything is in the units of the data, each feature with a scale of its own. What is found about rows is found in
//! passes that a picture makes anyway. The line is worked out relative to a corner of the drawing and in twice the
//! precision, so that it is in its place among timestamps, too.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cells, MOST_POINTS};
use crate::Hyperplane;
use crate::data::samples::Features;
use crate::data::{Block, FoldQuery, Shape};
use crate::kernels::twice::Twice;

/// Cells across and up.
const PLANE_CELLS: [usize; 2] = [90, 54];
/// What is left free on each side of all rows, as a share of their range.
const ROOM: f64 = 0.05;
/// How far the line moves at most across a drawing because of a feature that does not vary, as a share of the range of
/// the other: no scale is better for such a feature, but one on which the line seems to pass through rows is worse.
const TILT: f64 = 0.1;

/// Two ends of a piece of a line.
pub type Segment = [[f64; 2]; 2];

/// Rows of two features, and the line among them.
#[derive(Clone, Debug, Serialize)]
pub struct PlaneView {
    /// What the drawing shows of the first feature, and of the second: all rows, and some room.
    pub frame: [[f64; 2]; 2],
    /// The one value of a feature that does not vary: what the drawing shows around it says nothing.
    pub values: [Option<f64>; 2],
    /// Where rows are, and how many, if the places are few.
    pub places: Option<Vec<PlanePlace>>,
    /// Or counts of rows.
    pub cells: Option<Cells>,
    /// What the cells cover of the first feature, and of the second.
    pub covered: [[f64; 2]; 2],
    /// The hyperplane; none if it is not in sight, or if there is none.
    pub line: Option<Segment>,
    /// The lines through the nearest rows, as far as they are in sight, if no row is on the wrong side.
    pub edges: Vec<Segment>,
    /// The corners of what lies between them.
    pub band: Vec<[f64; 2]>,
}

/// A place with rows of one class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanePlace {
    /// The first feature.
    pub x: f64,
    /// The second.
    pub y: f64,
    /// The class.
    pub positive: bool,
    /// How many rows are there.
    pub count: u64,
    /// The first of them.
    pub row: usize,
    /// What that one is called, if the data names its rows and they are few.
    pub name: Option<String>,
}

/// Returns both features of a row of two.
pub(super) fn both(features: &Features, place: usize) -> [f64; 2] {
    let mut pair = [0.0; 2];
    features.for_each(place, |k, value| pair[k] = value);
    pair
}

/// Finds the ranges of both features, and the places where rows are as long as they are few.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlaneSurvey;

/// What it has found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlaneState {
    /// The least and the largest value of each feature.
    ranges: [[f64; 2]; 2],
    /// Places by their values in order, and by class; none once they are too many.
    places: Option<BTreeMap<([u64; 2], bool), PlaceRows>>,
}

/// How many rows are in a place, and the first of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PlaceRows {
    count: u64,
    first: usize,
}

/// Returns a number as bits that are in the same order; both zeros are one.
fn ordered(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Returns the number of ordered bits.
fn number(ordered: u64) -> f64 {
    f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered })
}

impl PlaneState {
    fn add(&mut self, key: ([u64; 2], bool), rows: PlaceRows) {
        let Some(places) = &mut self.places else { return };
        let all = places.entry(key).or_insert(PlaceRows { count: 0, first: rows.first });
        all.count += rows.count;
        all.first = all.first.min(rows.first);
        if places.len() > MOST_POINTS {
            self.places = None;
        }
    }

    fn widen(&mut self, feature: usize, [low, high]: [f64; 2]) {
        let range = &mut self.ranges[feature];
        *range = [range[0].min(low), range[1].max(high)];
    }
}

impl FoldQuery for PlaneSurvey {
    type State = PlaneState;

    fn begin(&self) -> PlaneState {
        let none = [f64::INFINITY, f64::NEG_INFINITY];
        PlaneState { ranges: [none; 2], places: Some(BTreeMap::new()) }
    }

    fn absorb(&self, state: &mut PlaneState, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let pair = both(samples.features(), place);
            (0..2).for_each(|k| state.widen(k, [pair[k]; 2]));
            let key = (pair.map(ordered), samples.positive()[place]);
            state.add(key, PlaceRows { count: 1, first: block.number(place) });
        }
    }

    fn merge(&self, state: &mut PlaneState, other: PlaneState) {
        (0..2).for_each(|k| state.widen(k, other.ranges[k]));
        match other.places {
            Some(places) => places.into_iter().for_each(|(key, rows)| state.add(key, rows)),
            None => state.places = None,
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        shape.columns == 2
    }

    fn admits(&self, state: &PlaneState, shape: Shape) -> bool {
        let Some(places) = &state.places else { return true };
        let mut counts = places.values().map(|rows| rows.count);
        let all = counts.try_fold(0_u64, |sum, count| sum.checked_add(count));
        places.len() <= MOST_POINTS
            && all.is_some_and(|all| all <= shape.rows as u64)
            && places.values().all(|rows| rows.first < shape.rows)
            && places.keys().all(|(key, _)| key.iter().all(|&bits| number(bits).is_finite()))
    }
}

/// Counts rows by cells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlaneCells {
    covered: [[f64; 2]; 2],
}

/// Negatives and positives by row and column.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PlaneCounts(BTreeMap<(usize, usize), [u64; 2]>);

impl FoldQuery for PlaneCells {
    type State = PlaneCounts;

    fn begin(&self) -> PlaneCounts {
        PlaneCounts::default()
    }

    fn absorb(&self, PlaneCounts(counts): &mut PlaneCounts, block: &Block<'_>) {
        let samples = block.samples();
        for place in block.places() {
            let pair = both(samples.features(), place);
            let [column, row] =
                [0, 1].map(|k| super::counts::cell(pair[k], self.covered[k], PLANE_CELLS[k]));
            counts.entry((row, column)).or_default()[usize::from(samples.positive()[place])] += 1;
        }
    }

    fn merge(&self, PlaneCounts(counts): &mut PlaneCounts, PlaneCounts(other): PlaneCounts) {
        for (cell, [negatives, positives]) in other {
            let all = counts.entry(cell).or_default();
            all[0] += negatives;
            all[1] += positives;
        }
    }

    fn fits(&self, shape: Shape) -> bool {
        shape.columns == 2
    }

    fn admits(&self, PlaneCounts(counts): &PlaneCounts, shape: Shape) -> bool {
        super::counts::admits(counts, PLANE_CELLS, shape)
    }
}

/// The drawing before its rows are counted.
pub(super) struct PlaneSketch {
    covered: [[f64; 2]; 2],
    values: [Option<f64>; 2],
    frame: [[f64; 2]; 2],
    places: Option<BTreeMap<([u64; 2], bool), PlaceRows>>,
}

impl PlaneSketch {
    /// Returns what to draw of the rows that a survey has found, around a hyperplane; none if they lie further apart than
    /// numbers reach.
    pub(super) fn new(survey: PlaneState, plane: &Hyperplane) -> Option<Self> {
        let ranges = survey.ranges;
        let wide = |[low, high]: [f64; 2]| high > low;
        let steep = |k: usize| {
            let other = ranges[1 - k];
            let slope = (plane.weights[1 - k] / plane.weights[k]).abs();
            wide(other).then_some(TILT * slope * (other[1] - other[0]))
        };
        let covered = [0, 1].map(|k| match wide(ranges[k]) {
            true => ranges[k],
            false => around(ranges[k][0], steep(k)),
        });
        let frame = covered.map(|[low, high]| {
            let room = ROOM * (high - low);
            [low - room, high + room]
        });
        let drawable = |[low, high]: [f64; 2]| (high - low).is_finite() && high > low;
        (frame.into_iter().all(drawable)).then_some(PlaneSketch {
            covered,
            values: ranges.map(|range| (!wide(range)).then_some(range[0])),
            frame,
            places: survey.places,
        })
    }

    /// Returns what has to be counted, unless all places are known.
    pub(super) fn cells(&self) -> Option<PlaneCells> {
        self.places.is_none().then_some(PlaneCells { covered: self.covered })
    }

    /// Returns the first rows of all places, rising.
    pub(super) fn rows(&self) -> Vec<usize> {
        let places = self.places.iter().flat_map(|places| places.values());
        let mut rows: Vec<usize> = places.map(|rows| rows.first).collect();
        rows.sort_unstable();
        rows
    }

    /// Returns the drawing; `margin` is the distance of the nearest row if none is on the wrong side.
    pub(super) fn finish(
        self,
        plane: &Hyperplane,
        margin: Option<f64>,
        counts: Option<PlaneCounts>,
        name: impl Fn(usize) -> Option<String>,
    ) -> PlaneView {
        let lines = Lines::new(plane, self.frame);
        let margin = margin.filter(|margin| *margin > 0.0).zip(lines.as_ref());
        let (edges, band) = match margin {
            Some((margin, lines)) => {
                let level = lines.level(plane, margin);
                let edges = [-level, level].into_iter().filter_map(|level| lines.at(level));
                (edges.collect(), lines.between(level))
            }
            None => (vec![], vec![]),
        };
        let place = |(([x, y], positive), rows): (([u64; 2], bool), PlaceRows)| {
            let PlaceRows { count, first: row } = rows;
            PlanePlace { x: number(x), y: number(y), positive, count, row, name: name(row) }
        };
        let [columns, rows] = PLANE_CELLS;
        let filled = counts.map(|PlaneCounts(counts)| {
            counts.into_iter().map(|((row, column), [n, p])| (column, row, n, p)).collect()
        });
        PlaneView {
            frame: self.frame,
            values: self.values,
            covered: self.covered,
            places: self.places.map(|places| places.into_iter().map(place).collect()),
            cells: filled.map(|filled| Cells { columns, rows, filled }),
            line: lines.and_then(|lines| lines.at(0.0)),
            edges,
            band,
        }
    }
}

/// Returns a range around the one value of a feature: half of it on either side, or less if the line asks for that.
fn around(value: f64, steep: Option<f64>) -> [f64; 2] {
    let natural = if value == 0.0 { 0.5 } else { value.abs() / 2.0 };
    // Where numbers end there is nothing to see.
    let least = value.abs() * 1e-13;
    let half = steep.filter(|half| *half > 0.0).unwrap_or(natural).min(natural).max(least);
    let half = if half > 0.0 { half } else { natural };
    [value - half, value + half]
}

/// The values of a hyperplane over a rectangle, from its lower left corner on.
struct Lines {
    corner: [f64; 2],
    /// Width and height.
    size: [f64; 2],
    /// The weights, the largest of which is 1 or -1, and the value in the corner.
    weights: [f64; 2],
    value: f64,
    /// What weights were divided by.
    unit: f64,
}

impl Lines {
    /// Returns them; none if there is no line.
    fn new(plane: &Hyperplane, frame: [[f64; 2]; 2]) -> Option<Self> {
        let unit = plane.weights.iter().fold(0.0_f64, |most, weight| most.max(weight.abs()));
        let weights = [0, 1].map(|k| plane.weights[k] / unit);
        let corner = frame.map(|[low, _]| low);
        let product = |k: usize| Twice::from(weights[k]) * Twice::from(corner[k]);
        let value = (product(0) + product(1) + Twice::from(plane.bias / unit)).high;
        let lines =
            Lines { corner, size: frame.map(|[low, high]| high - low), weights, value, unit };
        let known = weights.into_iter().chain([value]).all(f64::is_finite);
        known.then_some(lines)
    }

    /// Returns the value that is reached at a distance.
    fn level(&self, plane: &Hyperplane, distance: f64) -> f64 {
        distance * (plane.weight_norm() / self.unit)
    }

    /// Returns the corners, counter-clockwise, as offsets from the first.
    fn corners(&self) -> Vec<[f64; 2]> {
        let [width, height] = self.size;
        vec![[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]]
    }

    fn value(&self, [across, up]: [f64; 2]) -> f64 {
        self.weights[0] * across + self.weights[1] * up + self.value
    }

    fn place(&self, [across, up]: [f64; 2]) -> [f64; 2] {
        [self.corner[0] + across, self.corner[1] + up]
    }

    /// Returns what lies in sight of the line of this value.
    fn at(&self, level: f64) -> Option<Segment> {
        let corners = self.corners();
        let ends: Vec<[f64; 2]> =
            (0..4).filter_map(|k| self.crossing(corners[k], corners[(k + 1) % 4], level)).collect();
        let (first, last) = (*ends.first()?, *ends.last()?);
        (first != last).then(|| [first, last].map(|end| self.place(end)))
    }

    /// Returns where an edge from one offset to the other reaches this value.
    fn crossing(&self, from: [f64; 2], to: [f64; 2], level: f64) -> Option<[f64; 2]> {
        let [a, b] = [from, to].map(|end| self.value(end) - level);
        if (a < 0.0) == (b < 0.0) {
            return None;
        }
        let share = a / (a - b);
        Some([0, 1].map(|k| from[k] + share * (to[k] - from[k])))
    }

    /// Returns the corners of what lies in sight between both lines of this value.
    fn between(&self, level: f64) -> Vec<[f64; 2]> {
        let mut corners = self.corners();
        for (sign, level) in [(1.0, -level), (-1.0, level)] {
            // Cut off what is beyond: where sign (value - level) < 0.
            let mut kept = vec![];
            for k in 0..corners.len() {
                let (from, to) = (corners[k], corners[(k + 1) % corners.len()]);
                if sign * (self.value(from) - level) >= 0.0 {
                    kept.push(from);
                }
                kept.extend(self.crossing(from, to, level));
            }
            corners = kept;
        }
        corners.into_iter().map(|corner| self.place(corner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Marks, Picture, picture};
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::data::generate::Generator;
    use crate::data::samples::SparseBuilder;

    fn drawn(samples: &Samples, weights: [f64; 2], bias: f64) -> Picture {
        let plane = Hyperplane { weights: weights.to_vec(), bias };
        picture(&Memory::new(samples), &plane, &Marks::default()).unwrap()
    }

    fn plane(samples: &Samples, weights: [f64; 2], bias: f64) -> PlaneView {
        drawn(samples, weights, bias).plane.unwrap()
    }

    fn off(plane: ([f64; 2], f64), [x, y]: [f64; 2]) -> f64 {
        let ([a, b], bias) = plane;
        (a * x + b * y + bias) / libm::hypot(a, b)
    }

    #[test]
    fn repeated_rows_are_one_place_and_classes_are_kept_apart() {
        let x = vec![0.0, 0.0, 2.0, 1.0, -0.0, 0.0, 0.0, 0.0];
        let samples = Samples::dense(x, 2, vec![false, true, false, true]).unwrap();
        let places = plane(&samples, [1.0, 0.0], -1.0).places.unwrap();
        let found: Vec<_> = places.iter().map(|p| (p.x, p.y, p.positive, p.count, p.row)).collect();
        let expected = [(0.0, 0.0, false, 2, 0), (0.0, 0.0, true, 1, 3), (2.0, 1.0, true, 1, 1)];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_line_and_the_edges_are_where_the_hyperplane_says() {
        let x = vec![0.0, 0.0, 4.0, 0.0, 0.0, 3.0, 4.0, 5.0];
        let samples = Samples::dense(x, 2, vec![false, false, true, true]).unwrap();
        let (weights, bias) = ([-0.5, 2.0], -1.0);
        let found = drawn(&samples, weights, bias);
        let margin = found.smallest.unwrap();
        let view = found.plane.unwrap();
        for end in view.line.unwrap() {
            assert!(off((weights, bias), end).abs() < 1e-12, "{end:?}");
        }
        assert_eq!(view.edges.len(), 2);
        for (edge, expected) in view.edges.iter().zip([-margin, margin]) {
            for &end in edge {
                assert!((off((weights, bias), end) - expected).abs() < 1e-12, "{end:?}");
            }
        }
        assert!(view.band.len() >= 4);
        for &corner in &view.band {
            assert!(off((weights, bias), corner).abs() <= margin + 1e-12, "{corner:?}");
        }
        // A row on the wrong side: the line alone.
        let view = plane(&samples, weights, -7.0);
        assert!(view.line.is_some() && view.edges.is_empty() && view.band.is_empty());
    }

    #[test]
    fn timestamps_have_a_line_between_them() {
        let start = 1.7e9;
        let x: Vec<f64> =
            (0..6).flat_map(|k| [start + 1e-3 * f64::from(k), f64::from(k % 2)]).collect();
        let samples = Samples::dense(x, 2, (0..6).map(|k| k >= 3).collect()).unwrap();
        let view = plane(&samples, [1.0, 0.0], -(start + 2.5e-3));
        let [from, to] = view.line.unwrap();
        assert!((from[0] - start - 2.5e-3).abs() < 1e-6 && (to[0] - from[0]).abs() < 1e-6);
        assert!(view.frame[0][1] - view.frame[0][0] < 6e-3, "{:?}", view.frame);
    }

    #[test]
    fn a_feature_that_does_not_vary_has_a_range_on_which_the_line_is_steep() {
        let x = vec![0.0, 7.0, 1.0, 7.0, 3.0, 7.0, 4.0, 7.0];
        let samples = Samples::dense(x, 2, vec![false, false, true, true]).unwrap();
        // At the one value of the second feature the line is at 2.
        let view = plane(&samples, [1.0, 10.0], -72.0);
        for end in view.line.unwrap() {
            assert!((end[0] - 2.0).abs() < 0.5, "{end:?}");
        }
        let [low, high] = view.frame[1];
        assert!(low < 7.0 && 7.0 < high);
        assert_eq!(view.values, [None, Some(7.0)]);
        // One place, and zero weights.
        let one = Samples::dense(vec![0.0, 1e30, 0.0, 1e30], 2, vec![true, false]).unwrap();
        let view = plane(&one, [0.0, 0.0], 1.0);
        assert!(view.line.is_none() && view.places.unwrap().len() == 2);
        assert!(view.frame.iter().all(|[low, high]| low < high));
    }

    #[test]
    fn sparse_rows_are_where_dense_ones_are() {
        let x = [0.0, 5.0, 3.0, 0.0, 0.0, 0.0];
        let positive = vec![true, false, false];
        let dense = Samples::dense(x.to_vec(), 2, positive.clone()).unwrap();
        let mut builder = SparseBuilder::default();
        for row in x.chunks(2) {
            let stored = row.iter().enumerate().filter(|(_, v)| **v != 0.0);
            stored.for_each(|(k, v)| builder.push(k, *v));
            builder.end_row();
        }
        let sparse = Samples::sparse(builder.finish(2).unwrap(), positive).unwrap();
        let json =
            |samples: &Samples| serde_json::to_string(&plane(samples, [-1.0, 1.0], -1.0)).unwrap();
        assert_eq!(json(&dense), json(&sparse));
    }

    #[test]
    fn many_rows_are_counted_once_on_any_number_of_threads() {
        let samples = Generator::new(20_000, 2, 1).samples::<f64>().unwrap();
        let json = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let view = pool.install(|| plane(&samples, [1.0, -2.0], 0.1));
            serde_json::to_string(&view).unwrap()
        };
        assert_eq!(json(1), json(3));
        let view = plane(&samples, [1.0, -2.0], 0.1);
        assert!(view.places.is_none());
        let cells = view.cells.unwrap();
        assert_eq!(cells.filled.iter().map(|cell| cell.2 + cell.3).sum::<u64>(), 20_000);
        assert!(cells.filled.iter().all(|cell| cell.0 < cells.columns && cell.1 < cells.rows));
    }

    #[test]
    fn many_rows_in_few_places_are_places() {
        let x: Vec<f64> = (0..10_000).flat_map(|k| [f64::from(k % 5), f64::from(k % 3)]).collect();
        let samples = Samples::dense(x, 2, (0..10_000).map(|k| k % 5 > 2).collect()).unwrap();
        let view = plane(&samples, [1.0, 0.0], -2.5);
        let places = view.places.unwrap();
        assert_eq!((places.len(), view.cells.is_none()), (15, true));
        assert_eq!(places.iter().map(|place| place.count).sum::<u64>(), 10_000);
    }

    #[test]
    fn rows_further_apart_than_numbers_reach_are_not_drawn() {
        let x = vec![-1.7e308, 0.0, 1.7e308, 0.0];
        let Ok(samples) = Samples::dense(x, 2, vec![false, true]) else { return };
        assert!(drawn(&samples, [1.0, 0.0], 0.0).plane.is_none());
    }

    #[test]
    fn bits_are_in_the_order_of_numbers() {
        let numbers = [f64::MIN, -2.0, -1e-300, 0.0, 1e-300, 3.0, f64::MAX];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|&value| number(ordered(value)) == value));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
