//! The nearest points of the hulls of two classes: the largest geometric margin.
//!
//! ```text
//! given   points a_i of the positive class, b_j of the negative one
//! find    p = sum lambda_ij (a_i - b_j), lambda >= 0, sum lambda = 1, with ‖p‖ as small as can be
//! then    ‖p‖ is the distance of the hulls, p is normal to the best hyperplane, which lies half way
//! ```
//!
//! The differences of all pairs span the same hull as those few that matter, and the pair with the
//! smallest p·(a - b) is the row with the smallest p·a and the row with the largest p·b. So this is
//! the point of smallest norm over pairs (see `min_norm_point.rs`), and no list
//! of pairs is ever made.
//!
//! Reference: K. Bennett and E. Bredensteiner, Duality and geometry in SVM classifiers, ICML 2000.

use std::collections::{BTreeMap, HashMap};

use linsep_proof::RowWeights;

use super::min_norm_point::Corral;
use super::order::{Scored, by_score, keep_smallest};
use crate::Hyperplane;
use crate::kernels::{Arithmetic, exponent, power_of_two};

/// Rows of each class that are paired with the most extreme row of the other between two looks at all.
const CANDIDATES: usize = 30;
/// Pairs gain nothing any more when the best of them has p·(a - b) >= ‖p‖² (1 - this).
const OPTIMAL: f64 = 1e-11;

/// Raw rows as they are seen from one of them, at a scale at which all are of size one.
pub struct Around {
    origin: Vec<f64>,
    scale: f64,
}

impl Around {
    /// Returns how rows are seen from `origin`; `others` show the size of what rows differ by.
    pub fn new<'a>(origin: Vec<f64>, others: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let largest = others
            .into_iter()
            .flat_map(|x| x.iter().zip(&origin))
            .fold(f64::MIN_POSITIVE, |largest, (x, o)| largest.max((x * 0.5 - o * 0.5).abs()));
        Around { scale: power_of_two(-exponent(largest).clamp(-1000, 1000)), origin }
    }

    /// Returns how much larger rows look.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns a row as it is seen.
    pub fn seen(&self, x: Vec<f64>) -> impl Iterator<Item = f64> + '_ {
        x.into_iter().zip(&self.origin).map(|(x, origin)| x * self.scale - origin * self.scale)
    }

    /// Returns the hyperplane that is p·x + bias = 0 as it is seen, with weights of length about one.
    pub fn hyperplane(&self, p: &[f64], bias: f64) -> Hyperplane {
        let norm = f64::dot(p, p).sqrt();
        let weights: Vec<f64> = p.iter().map(|p| p / norm).collect();
        let bias = bias / norm / self.scale - f64::dot(&weights, &self.origin);
        Hyperplane { weights, bias }
    }
}

/// A row of the working set, as it is seen.
struct WorkingPoint {
    row: usize,
    positive: bool,
    x: Vec<f64>,
}

/// The working set of both classes, and the nearest points found in it.
pub struct Hulls {
    around: Around,
    points: Vec<WorkingPoint>,
    corral: Corral,
    /// Numbers of the pairs met, and the pairs.
    numbers: HashMap<(usize, usize), usize>,
    pairs: Vec<(usize, usize)>,
}

impl Hulls {
    /// Returns the hulls of no points yet, seen from somewhere.
    pub fn new(around: Around) -> Self {
        Hulls {
            corral: Corral::new(around.origin.len()),
            around,
            points: vec![],
            numbers: HashMap::new(),
            pairs: vec![],
        }
    }

    /// Adds a row of the data.
    pub fn add(&mut self, row: usize, positive: bool, x: Vec<f64>) {
        let x = self.around.seen(x).collect();
        self.points.push(WorkingPoint { row, positive, x });
    }

    /// Finds the nearest points. `halt` is asked before each step.
    pub fn solve(&mut self, halt: &dyn Fn() -> bool) {
        let mut smallest = f64::INFINITY;
        while !halt() {
            let pairs = self.candidates();
            let gain = pairs.first().map_or(0.0, |&(gain, ..)| gain);
            let norm = self.corral.norm();
            let started = !self.pairs.is_empty();
            if started && (gain <= OPTIMAL * norm * norm || norm >= smallest) {
                return;
            }
            smallest = if started { norm } else { f64::INFINITY };
            let (ids, points): (Vec<usize>, Vec<Vec<f64>>) = pairs
                .into_iter()
                .map(|(_, a, b)| {
                    (self.number(a, b), difference(&self.points[a].x, &self.points[b].x))
                })
                .unzip();
            self.corral.solve(&ids, &points, halt);
            // Differences of far points are near zero often, and rounding would look like gain.
            self.corral.refine();
        }
    }

    /// Returns the pairs, by place, that would lower ‖p‖, with ‖p‖² - p·(a - b); the best one first.
    fn candidates(&self) -> Vec<(f64, usize, usize)> {
        let [negative, positive] = self.extremes();
        let norm = self.corral.norm();
        let squared = norm * norm;
        let most_positive =
            positive.iter().take(1).flat_map(|a| negative.iter().map(move |b| (a, b)));
        let most_negative =
            negative.iter().take(1).flat_map(|b| positive[1..].iter().map(move |a| (a, b)));
        let mut pairs: Vec<(f64, usize, usize)> = most_positive
            .chain(most_negative)
            .map(|(a, b)| (squared - (a.0 + b.0), a.1, b.1))
            .filter(|(gain, ..)| *gain > 0.0 || self.pairs.is_empty())
            .collect();
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        pairs
    }

    /// Returns, of the negative class and of the positive one, the points with the smallest y p·x, the
    /// smallest first: their scores and places.
    fn extremes(&self) -> [Vec<Scored>; 2] {
        let mut classes = [vec![], vec![]];
        for (place, point) in self.points.iter().enumerate() {
            let score = f64::dot(self.corral.p(), &point.x);
            let score = if point.positive { score } else { -score };
            classes[usize::from(point.positive)].push((score, place));
        }
        for class in &mut classes {
            keep_smallest(class, CANDIDATES);
            class.sort_unstable_by(by_score);
        }
        classes
    }

    fn number(&mut self, a: usize, b: usize) -> usize {
        let next = self.pairs.len();
        let number = *self.numbers.entry((a, b)).or_insert(next);
        if number == next {
            self.pairs.push((a, b));
        }
        number
    }

    /// Returns half the distance of the hulls of the working set.
    pub fn half_distance(&self) -> f64 {
        0.5 * self.corral.norm() / self.around.scale
    }

    /// Returns the rows of the nearest points and their weights, which add up to one in each class.
    pub fn weights(&self) -> RowWeights {
        let mut weights = BTreeMap::new();
        for (number, weight) in self.corral.members() {
            let (a, b) = self.pairs[number];
            *weights.entry(self.points[a].row).or_insert(0.0) += weight;
            *weights.entry(self.points[b].row).or_insert(0.0) += weight;
        }
        weights.into_iter().collect()
    }

    /// Returns the hyperplane half way between the two, of length about one.
    pub fn hyperplane(&self) -> Hyperplane {
        let [negative, positive] = self.extremes();
        let smallest = |class: &[Scored]| class.first().map_or(0.0, |(score, _)| *score);
        // Half way between p·a and p·b, where the scores of the negative class are -p·b.
        let middle = 0.5 * (smallest(&positive) - smallest(&negative));
        self.around.hyperplane(self.corral.p(), -middle)
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks half the distance, the hyperplane and the weights.
    fn check(rows: &[(&[f64], bool)], half: f64, normal: &[f64]) {
        let around = Around::new(rows[0].0.to_vec(), rows.iter().map(|(x, _)| *x));
        let mut hulls = Hulls::new(around);
        for (row, (x, positive)) in rows.iter().enumerate() {
            hulls.add(row, *positive, x.to_vec());
        }
        hulls.solve(&|| false);
        assert!((hulls.half_distance() / half - 1.0).abs() < 1e-9, "{}", hulls.half_distance());
        let plane = hulls.hyperplane();
        for (found, expected) in plane.weights.iter().zip(normal) {
            assert!((found - expected).abs() < 1e-9, "{found} against {expected}");
        }
        for (x, positive) in rows {
            let value = f64::dot(&plane.weights, x) + plane.bias;
            let distance = if *positive { value } else { -value };
            assert!(distance > half * (1.0 - 1e-6), "{distance}");
        }
        let weights = hulls.weights();
        let class = |positive| -> f64 {
            weights.iter().filter(|(row, _)| rows[*row].1 == positive).map(|(_, w)| w).sum()
        };
        assert!((class(true) - 1.0).abs() < 1e-12 && (class(false) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn hulls_of_which_the_distance_is_known() {
        check(&[(&[100.0], false), (&[101.0], true)], 0.5, &[1.0]);
        // A corner against an edge, on both sides of it.
        check(&[(&[3.0, 1.0], true), (&[0.0, 0.0], false), (&[0.0, 2.0], false)], 1.5, &[1.0, 0.0]);
        // Edge against edge, far from the origin and small.
        let far = [1e6, 1e6 + 1.0];
        check(
            &[
                (&[0.0, far[0]], true),
                (&[2.0, far[0]], true),
                (&[1.0, far[1]], false),
                (&[5.0, far[1]], false),
            ],
            0.5,
            &[0.0, -1.0],
        );
        // Nearest corners.
        let corner = 0.5 * 2f64.sqrt();
        check(
            &[
                (&[0.0, 0.0], false),
                (&[-1.0, 0.5], false),
                (&[1.0, 1.0], true),
                (&[3.0, 1.5], true),
            ],
            corner,
            &[corner, corner],
        );
        check(&[(&[1e-200], false), (&[3e-200], true)], 1e-200, &[1.0]);
        check(&[(&[-1e200], false), (&[3e200], true)], 2e200, &[1.0]);
    }
}
