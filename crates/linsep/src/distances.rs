//! How far rows lie from a hyperplane: counts per class in bins of equal width.

use linsep_data::{Block, Data, Error, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use crate::Hyperplane;
use crate::queries::{Listed, fold};

/// Bins that rows on other machines are counted in, at most: a request cannot claim more memory.
const MOST_BINS: usize = 1 << 20;

/// How many rows of each class lie at which signed distance from a hyperplane, positive on its positive side.
///
/// The bins cut `low..high` into parts of equal width, and the hyperplane itself, 0, is an edge between two of
/// them: no bin holds rows of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Distances {
    /// Where the first bin begins: below 0, unless no distance is known.
    pub low: f64,
    /// Where the last bin ends: above 0, unless no distance is known.
    pub high: f64,
    /// Negative rows in each bin.
    pub negative: Vec<u64>,
    /// Positive rows in each bin.
    pub positive: Vec<u64>,
    /// The smallest distance of a row on its own side, the geometric margin; negative if a row is on the
    /// wrong side, and none if no distance is known: no weight differs from zero, or all values overflow.
    pub nearest: Option<f64>,
}

impl Distances {
    /// Returns how many bins lie on the negative side of the hyperplane; they come first.
    pub fn below(&self) -> usize {
        match self.high > self.low {
            true => {
                (self.negative.len() as f64 * (-self.low / (self.high - self.low))).round() as usize
            }
            false => 0,
        }
    }
}

/// Returns how many rows of each class lie at which signed distance from the hyperplane, in `bins` bins.
///
/// Costs two passes: one for the extent, one to count. Rows whose value overflows are in the outermost bin of
/// their side. The counts are the same for any number of threads and however the rows are cut.
///
/// Errors if the rows cannot be read; of rows on other machines, if there are more than a million bins.
///
/// # Panics
/// If `bins` is less than 2.
///
/// ```
/// use linsep::{Hyperplane, Samples, data::Memory, distances::distances};
///
/// let samples = Samples::dense(vec![-4.0, -1.0, 1.0, 2.0], 1, vec![false, false, true, true])?;
/// let hyperplane = Hyperplane { weights: vec![3.0], bias: 0.0 };
/// let found = distances(&Memory::new(&samples), &hyperplane, 6)?;
/// assert_eq!((found.low, found.high, found.nearest), (-4.0, 2.0, Some(1.0)));
/// assert_eq!(found.negative, [1, 0, 0, 1, 0, 0]);
/// assert_eq!(found.positive, [0, 0, 0, 0, 0, 2]);
/// # Ok::<(), linsep::Error>(())
/// ```
pub fn distances(
    data: &dyn Data,
    hyperplane: &Hyperplane,
    bins: usize,
) -> Result<Distances, Error> {
    let none: Option<&DistanceExtent> = None;
    Ok(distances_beside(data, hyperplane, bins, none)?.0)
}

/// Returns the same, and what is found beside in the first pass if more is asked. Where no distance is known, that alone
/// costs a pass.
pub(crate) fn distances_beside<Q: Listed + Clone>(
    data: &dyn Data,
    hyperplane: &Hyperplane,
    bins: usize,
    beside: Option<&Q>,
) -> Result<(Distances, Option<Q::Found>), Error> {
    assert!(bins >= 2, "a side each needs a bin");
    let norm = hyperplane.weight_norm();
    let none = vec![0; bins];
    let unknown =
        Distances { low: 0.0, high: 0.0, negative: none.clone(), positive: none, nearest: None };
    if !(norm > 0.0 && norm.is_finite()) {
        return Ok((unknown, beside.map(|query| fold(data, query)).transpose()?));
    }
    let measure = PlaneMeasure { hyperplane: hyperplane.clone(), norm };
    let first = (DistanceExtent(measure.clone()), beside.cloned());
    let (extent, beside) = fold(data, &first)?;
    if extent.nearest == f64::INFINITY {
        return Ok((unknown, beside));
    }
    let (width, below) = width(-extent.low, extent.high, bins);
    let counts = fold(data, &DistanceBins { measure, width, below, bins })?;
    let found = Distances {
        low: -width * below as f64,
        high: width * (bins - below) as f64,
        negative: counts.negative,
        positive: counts.positive,
        nearest: Some(extent.nearest),
    };
    Ok((found, beside))
}

/// Returns the smallest width of bins that reach so far on both sides of 0, and how many are below it; each side
/// has one, at least.
fn width(below: f64, above: f64, bins: usize) -> (f64, usize) {
    let reach = |k: usize| (below / k as f64).max(above / (bins - k) as f64);
    let widths = (1..bins).map(|k| (reach(k), k));
    let (width, k) = widths.min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one");
    // All rows on the hyperplane itself: any width will do.
    if width > 0.0 { (width, k) } else { (1.0, bins / 2) }
}

/// A hyperplane and the length of its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PlaneMeasure {
    hyperplane: Hyperplane,
    norm: f64,
}

impl PlaneMeasure {
    /// Returns the signed distances of the rows of a block, in order.
    fn signed(&self, block: &Block<'_>) -> Vec<f64> {
        let places = block.places();
        let mut values = vec![0.0; places.len()];
        self.hyperplane.values(block.samples().features(), places.start, &mut values);
        values.iter_mut().for_each(|value| *value /= self.norm);
        values
    }

    fn fits(&self, shape: Shape) -> bool {
        self.hyperplane.weights.len() == shape.columns
    }
}

/// Finds the largest distances on both sides, and the smallest on a row's own side, of those that are finite.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DistanceExtent(PlaneMeasure);

/// What it has found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExtentState {
    low: f64,
    high: f64,
    nearest: f64,
}

impl FoldQuery for DistanceExtent {
    type State = ExtentState;

    fn begin(&self) -> ExtentState {
        ExtentState { low: 0.0, high: 0.0, nearest: f64::INFINITY }
    }

    fn absorb(&self, state: &mut ExtentState, block: &Block<'_>) {
        let labels = &block.samples().positive()[block.places()];
        for (&positive, distance) in labels.iter().zip(self.0.signed(block)) {
            if distance.is_finite() {
                state.low = state.low.min(distance);
                state.high = state.high.max(distance);
                state.nearest = state.nearest.min(if positive { distance } else { -distance });
            }
        }
    }

    fn merge(&self, state: &mut ExtentState, other: ExtentState) {
        *state = ExtentState {
            low: state.low.min(other.low),
            high: state.high.max(other.high),
            nearest: state.nearest.min(other.nearest),
        };
    }

    fn fits(&self, shape: Shape) -> bool {
        self.0.fits(shape)
    }

    fn admits(&self, ExtentState { low, high, nearest }: &ExtentState, _: Shape) -> bool {
        (f64::MIN..=0.0).contains(low) && (0.0..=f64::MAX).contains(high) && *nearest >= f64::MIN
    }
}

/// Counts the rows of each class in bins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct DistanceBins {
    measure: PlaneMeasure,
    width: f64,
    /// Bins on the negative side, and in all.
    below: usize,
    bins: usize,
}

/// The counts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BinsState {
    negative: Vec<u64>,
    positive: Vec<u64>,
}

impl DistanceBins {
    /// Returns the bin of a distance.
    fn bin(&self, distance: f64) -> usize {
        // A quotient has the sign of the distance, so no rounding moves a row to the other side.
        let place = (distance / self.width).floor() + self.below as f64;
        // The largest distance may come to lie on the end of the last bin.
        (place.max(0.0) as usize).min(self.bins - 1)
    }
}

impl FoldQuery for DistanceBins {
    type State = BinsState;

    fn begin(&self) -> BinsState {
        BinsState { negative: vec![0; self.bins], positive: vec![0; self.bins] }
    }

    fn absorb(&self, state: &mut BinsState, block: &Block<'_>) {
        let labels = &block.samples().positive()[block.places()];
        for (&positive, distance) in labels.iter().zip(self.measure.signed(block)) {
            // An overflow that has no side has no bin.
            if !distance.is_nan() {
                let bin = self.bin(distance);
                if positive { state.positive[bin] += 1 } else { state.negative[bin] += 1 }
            }
        }
    }

    fn merge(&self, state: &mut BinsState, other: BinsState) {
        let add = |mine: &mut [u64], theirs: &[u64]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        };
        add(&mut state.negative, &other.negative);
        add(&mut state.positive, &other.positive);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.measure.fits(shape) && (1..=MOST_BINS).contains(&self.bins)
    }

    fn admits(&self, BinsState { negative, positive }: &BinsState, shape: Shape) -> bool {
        let rows =
            |counts: &[u64]| counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let all = rows(negative).zip(rows(positive)).and_then(|(a, b)| a.checked_add(b));
        negative.len() == self.bins
            && positive.len() == self.bins
            && all.is_some_and(|all| all <= shape.rows as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Samples;
    use crate::data::Memory;
    use crate::data::generate::Generator;

    fn check(x: &[f64], positive: &[bool], weight: f64, bias: f64, expected: &Distances) {
        let samples = Samples::dense(x.to_vec(), 1, positive.to_vec()).unwrap();
        let hyperplane = Hyperplane { weights: vec![weight], bias };
        let bins = expected.negative.len();
        assert_eq!(&distances(&Memory::new(&samples), &hyperplane, bins).unwrap(), expected);
    }

    #[test]
    fn bins_have_one_width_and_the_hyperplane_is_an_edge() {
        let expected = Distances {
            low: -3.0,
            high: 1.0,
            negative: vec![1, 1, 0, 1],
            positive: vec![0, 0, 1, 1],
            nearest: Some(-1.0),
        };
        assert_eq!(expected.below(), 3);
        let x = [-3.0, -2.0, 1.0, -1.0, 0.5];
        check(&x, &[false, false, false, true, true], 2.0, 0.0, &expected);
    }

    #[test]
    fn all_rows_on_one_side_or_on_the_hyperplane() {
        let one_sided = Distances {
            low: -4.0 / 3.0,
            high: 4.0,
            negative: vec![0, 1, 0, 0],
            positive: vec![0, 0, 0, 1],
            nearest: Some(-1.0),
        };
        check(&[1.0, 4.0], &[false, true], 1.0, 0.0, &one_sided);
        let on_it = Distances {
            low: -1.0,
            high: 1.0,
            negative: vec![0, 1],
            positive: vec![0, 1],
            nearest: Some(0.0),
        };
        check(&[3.0, 3.0], &[false, true], 1.0, -3.0, &on_it);
    }

    #[test]
    fn no_weights_no_distances_and_overflow_is_outermost() {
        let none = Distances {
            low: 0.0,
            high: 0.0,
            negative: vec![0, 0],
            positive: vec![0, 0],
            nearest: None,
        };
        check(&[1.0, 4.0], &[false, true], 0.0, 1.0, &none);
        assert_eq!(none.below(), 0);
        let far = Distances {
            low: -1.0,
            high: 1.0,
            negative: vec![1, 0],
            positive: vec![1, 1],
            nearest: Some(-1.0),
        };
        check(&[-0.5, -0.5, 1e300], &[false, true, true], 1e10, -5e9, &far);
    }

    #[test]
    fn threads_and_cuts_change_nothing() {
        let samples = Generator::new(5000, 7, 3).samples::<f64>().unwrap();
        let hyperplane =
            Hyperplane { weights: vec![1.0, -2.0, 0.5, 0.0, 3.0, -1.0, 0.1], bias: 0.2 };
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| distances(&Memory::new(&samples), &hyperplane, 64).unwrap())
        };
        let one = with(1);
        assert_eq!(one, with(3));
        let counted = one.negative.iter().chain(&one.positive).sum::<u64>();
        assert_eq!(counted, 5000);
        // One block.
        let norm = hyperplane.weight_norm();
        let (width, below) = width(-one.low, one.high, 64);
        let query =
            DistanceBins { measure: PlaneMeasure { hyperplane, norm }, width, below, bins: 64 };
        let mut whole = query.begin();
        query.absorb(&mut whole, &Block::whole(&samples, 0));
        assert_eq!((whole.negative, whole.positive), (one.negative, one.positive));
    }
}
