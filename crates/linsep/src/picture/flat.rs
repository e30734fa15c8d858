//! Rows in a plane that no hyperplane chose, so that many hyperplanes can be drawn in it one after the other.
//!
//! ```text
//! one feature     across: the feature; up says nothing, and tells rows apart
//! two features    as they are
//! more            the first two principal directions, through the mean of the rows
//! line            where a hyperplane cuts this plane: all of it for up to two features; for more, a row may be drawn on
//!                 one side of the line and lie on the other side of the hyperplane
//! ```
//!
//! Directions and mean are those of a sample, every k-th row. Cost: the sample, and a fetch of the rows that are asked for.

use super::view::{SAMPLE_VALUES, Sample, principal_axis, spread_out};
use super::{Names, SAMPLE_ROWS};
use crate::data::{Data, Samples};
use crate::kernels::{Arithmetic, RowArithmetic};
use crate::{Error, Hyperplane};

/// Rows that are drawn, beside those that are asked for.
const MOST_POINTS: usize = 600;

/// Rows in two dimensions, without a hyperplane.
#[derive(Clone, Debug)]
pub struct FlatView {
    /// What goes across and up.
    pub axes: FlatAxes,
    /// Rows of the data.
    pub rows: usize,
    /// The rows that are drawn, in order: all if they are few, else every k-th and those that were asked for.
    pub points: Vec<FlatPoint>,
    /// From features to directions.
    map: FlatMap,
}

/// What the two directions of a [`FlatView`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlatAxes {
    /// The only feature goes across; up says nothing.
    Feature,
    /// The two features.
    Features,
    /// The two directions in which rows differ most.
    Principal,
    /// The direction in which rows differ, since there is no second; up says nothing.
    Only,
}

/// A row of a [`FlatView`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlatPoint {
    /// Its number, counted from 0.
    pub row: usize,
    /// What it is called, if the data names its rows.
    pub name: Option<String>,
    /// Its class.
    pub positive: bool,
    /// How far across.
    pub x: f64,
    /// How far up.
    pub y: f64,
}

/// Where a hyperplane cuts a [`FlatView`]: its positive side is a x + b y + c > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatLine {
    /// The weight of x.
    pub a: f64,
    /// The weight of y.
    pub b: f64,
    /// The bias.
    pub c: f64,
}

/// How a row gets its place.
#[derive(Clone, Debug)]
enum FlatMap {
    /// One feature, or two.
    Features,
    /// Directions of length one, orthogonal, through a point.
    Directions { through: Vec<f64>, across: Vec<f64>, up: Option<Vec<f64>> },
}

impl FlatView {
    /// Returns a view of the rows in which these ones are seen.
    ///
    /// Errors if they cannot be read.
    ///
    /// ```
    /// use linsep::data::Memory;
    /// use linsep::picture::FlatView;
    /// use linsep::{Hyperplane, Samples};
    ///
    /// let samples = Samples::from_rows(&[[1.0, 2.0], [3.0, 5.0]], &[false, true])?;
    /// let view = FlatView::of(&Memory::new(&samples), &[])?;
    /// assert_eq!([view.points[1].x, view.points[1].y], [3.0, 5.0]);
    /// let line = view.line(&Hyperplane { weights: vec![1.0, -2.0], bias: 7.0 });
    /// assert_eq!([line.a, line.b, line.c], [1.0, -2.0, 7.0]);
    /// # Ok::<_, linsep::Error>(())
    /// ```
    pub fn of(data: &dyn Data, seen: &[usize]) -> Result<Self, Error> {
        let shape = data.shape();
        let (axes, map) = match shape.columns {
            0 | 1 => (FlatAxes::Feature, FlatMap::Features),
            2 => (FlatAxes::Features, FlatMap::Features),
            _ => Self::directions(Sample::take(data, SAMPLE_ROWS)?),
        };
        let few = shape.rows.min(MOST_POINTS);
        let every = (0..few).map(|k| (k as u128 * shape.rows as u128 / few as u128) as usize);
        let mut rows: Vec<usize> = every.chain(seen.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut names = Names::fetch(data, &rows)?;
        let mut points = Vec::with_capacity(rows.len());
        // Wide rows are fetched a few at a time: none is needed once it has its place.
        let width = if shape.sparse { shape.columns.min(1_000) } else { shape.columns };
        for some in rows.chunks((SAMPLE_VALUES / width.max(1)).max(1)) {
            let samples = data.fetch(some)?;
            for (place, &row) in some.iter().enumerate() {
                let [x, y] = map.place(&samples, place, row);
                let name = names.take(points.len());
                points.push(FlatPoint { row, name, positive: samples.positive()[place], x, y });
            }
        }
        Ok(FlatView { axes, rows: shape.rows, points, map })
    }

    fn directions(sample: Sample) -> (FlatAxes, FlatMap) {
        let Some(across) = principal_axis(&sample, &[]) else {
            let (through, across) = (sample.mean.clone(), vec![0.0; sample.mean.len()]);
            return (FlatAxes::Only, FlatMap::Directions { through, across, up: None });
        };
        let up = principal_axis(&sample, std::slice::from_ref(&across));
        let axes = if up.is_some() { FlatAxes::Principal } else { FlatAxes::Only };
        (axes, FlatMap::Directions { through: sample.mean, across, up })
    }

    /// Returns where a hyperplane cuts the view.
    pub fn line(&self, plane: &Hyperplane) -> FlatLine {
        let Hyperplane { weights, bias } = plane;
        match &self.map {
            FlatMap::Features => {
                let weight = |k: usize| weights.get(k).copied().unwrap_or(0.0);
                FlatLine { a: weight(0), b: weight(1), c: *bias }
            }
            FlatMap::Directions { through, across, up } => FlatLine {
                a: f64::dot(weights, across),
                b: up.as_ref().map_or(0.0, |up| f64::dot(weights, up)),
                c: f64::dot(weights, through) + bias,
            },
        }
    }

    /// Returns a row, if it is drawn.
    pub fn point(&self, row: usize) -> Option<&FlatPoint> {
        let place = self.points.binary_search_by_key(&row, |point| point.row).ok()?;
        Some(&self.points[place])
    }
}

impl FlatMap {
    fn place(&self, samples: &Samples, place: usize, row: usize) -> [f64; 2] {
        let features = samples.features();
        match self {
            FlatMap::Features => {
                let mut at = [0.0, if features.columns() < 2 { spread_out(row) } else { 0.0 }];
                features.for_each(place, |k, v| at[k] = v);
                at
            }
            FlatMap::Directions { through, across, up } => {
                let along = |axis: &[f64]| features.dot(place, axis) - f64::dot(through, axis);
                [along(across), up.as_ref().map_or_else(|| spread_out(row), |up| along(up))]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    fn view(samples: &Samples, seen: &[usize]) -> FlatView {
        FlatView::of(&Memory::new(samples), seen).unwrap()
    }

    #[test]
    fn a_line_has_the_value_of_its_hyperplane_where_the_plane_is_all_there_is() {
        // Four features that lie in a plane: nothing is lost in two directions.
        let mut x = vec![];
        for i in 0..40 {
            let (s, t) = (libm::sin(f64::from(i)), libm::cos(3.0 * f64::from(i)));
            x.extend([1.0 + s, s - 2.0 * t, 3.0 - t, 0.5 * s + t]);
        }
        let samples = Samples::dense(x.clone(), 4, (0..40).map(|i| i % 2 == 0).collect()).unwrap();
        let found = view(&samples, &[]);
        assert_eq!((found.axes, found.points.len()), (FlatAxes::Principal, 40));
        let plane = Hyperplane { weights: vec![0.3, -1.0, 2.0, 0.7], bias: -0.4 };
        let line = found.line(&plane);
        for point in &found.points {
            let row = &x[4 * point.row..4 * point.row + 4];
            let value: f64 = row.iter().zip(&plane.weights).map(|(x, w)| x * w).sum();
            let seen = line.a * point.x + line.b * point.y + line.c;
            assert!((seen - value - plane.bias).abs() < 1e-9, "row {}", point.row);
        }
    }

    #[test]
    fn rows_that_are_asked_for_are_drawn_among_many() {
        let samples = Generator::new(5_000, 3, 1).samples::<f64>().unwrap();
        let wanted = [4_999, 17, 1, 17];
        let found = view(&samples, &wanted);
        assert!(found.points.len() <= MOST_POINTS + 3 && found.rows == 5_000);
        assert!(wanted.iter().all(|&row| found.point(row).is_some_and(|p| p.row == row)));
        assert!(found.points.windows(2).all(|pair| pair[0].row < pair[1].row));
        assert!(found.point(2).is_none());
    }

    #[test]
    fn one_direction_is_spread_out_upwards() {
        let one = Samples::dense(vec![1.0, 2.0, 5.0], 1, vec![false, false, true]).unwrap();
        let found = view(&one, &[]);
        assert_eq!(found.axes, FlatAxes::Feature);
        assert_eq!(found.points.iter().map(|p| p.x).collect::<Vec<_>>(), [1.0, 2.0, 5.0]);
        assert!(found.points[0].y != found.points[1].y);
        let line = found.line(&Hyperplane { weights: vec![2.0], bias: -6.0 });
        assert_eq!([line.a, line.b, line.c], [2.0, 0.0, -6.0]);
        // Three equal features, and rows that are all the same.
        let x = vec![1.0, 1.0, 1.0, 4.0, 4.0, 4.0];
        let along = view(&Samples::dense(x, 3, vec![false, true]).unwrap(), &[]);
        assert_eq!(along.axes, FlatAxes::Only);
        assert!((along.points[1].x - along.points[0].x - 27f64.sqrt()).abs() < 1e-12);
        let same = view(&Samples::dense(vec![1.0; 6], 3, vec![false, true]).unwrap(), &[]);
        assert_eq!((same.axes, same.points[0].x), (FlatAxes::Only, 0.0));
    }
}
