//! Rows on the wrong side of each of several hyperplanes with integer weights, exactly: the worst of them.

use std::cmp::Ordering;

use dashu_int::IBig;
use linsep_data::{Block, FoldQuery, Shape};
use linsep_proof::exact::{ExactPlane, Row};
use serde::{Deserialize, Serialize};

use super::super::exact::integers::rounded;
use crate::kernels::RowArithmetic;

/// Counts the rows for each hyperplane, and finds the worst: by score, then by number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Directions {
    planes: Vec<ExactPlane>,
    /// The same in floats, the bias last: they tell which rows are worst, not which are wrong.
    floats: Vec<Vec<f64>>,
    /// Whether a row on the hyperplane is wrong.
    strict: bool,
    most: usize,
}

/// What was found for each hyperplane.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DirectionsState(Vec<WrongRows>);

/// How many rows are wrong, and the worst of them with their scores.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct WrongRows {
    count: usize,
    worst: Vec<(f64, usize)>,
}

impl WrongRows {
    fn trim(&mut self, most: usize) {
        self.worst.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.worst.truncate(most);
    }
}

impl Directions {
    /// Returns the search for at most `most` rows of each hyperplane.
    pub fn new(planes: Vec<ExactPlane>, strict: bool, most: usize) -> Self {
        let float = |plane: &ExactPlane| {
            let (weights, bias) = plane.integers();
            rounded(&weights.iter().chain([bias]).cloned().collect::<Vec<IBig>>())
        };
        let floats = planes.iter().map(float).collect();
        Directions { planes, floats, strict, most }
    }
}

impl DirectionsState {
    /// Returns, for each hyperplane, how many rows are wrong, and the worst of them, rising, once all rows have been seen.
    pub fn found(self) -> Vec<(usize, Vec<usize>)> {
        let rows = |WrongRows { count, worst }: WrongRows| {
            let mut rows: Vec<usize> = worst.into_iter().map(|(_, row)| row).collect();
            rows.sort_unstable();
            (count, rows)
        };
        self.0.into_iter().map(rows).collect()
    }
}

impl FoldQuery for Directions {
    type State = DirectionsState;

    fn begin(&self) -> DirectionsState {
        DirectionsState(vec![WrongRows::default(); self.planes.len()])
    }

    fn absorb(&self, state: &mut DirectionsState, block: &Block<'_>) {
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
                let wrong = &mut state.0[k];
                wrong.count += 1;
                wrong.worst.push((score, block.number(place)));
                if wrong.worst.len() > self.most.saturating_mul(2).saturating_add(64) {
                    wrong.trim(self.most);
                }
            }
        }
    }

    fn merge(&self, state: &mut DirectionsState, other: DirectionsState) {
        for (own, other) in state.0.iter_mut().zip(other.0) {
            own.count += other.count;
            own.worst.extend(other.worst);
            own.trim(self.most);
        }
    }

    fn settle(&self, state: &mut DirectionsState) {
        state.0.iter_mut().for_each(|wrong| wrong.trim(self.most));
    }

    fn fits(&self, shape: Shape) -> bool {
        self.planes.len() == self.floats.len()
            && self.planes.iter().all(|plane| plane.features() == shape.columns)
            && self.floats.iter().all(|vector| vector.len() == shape.columns + 1)
    }

    fn admits(&self, state: &DirectionsState, shape: Shape) -> bool {
        let fits = |WrongRows { count, worst }: &WrongRows| {
            *count <= shape.rows
                && worst.len() <= self.most
                && worst.iter().all(|(_, row)| *row < shape.rows)
        };
        state.0.len() == self.planes.len() && state.0.iter().all(fits)
    }

    fn named(&self, state: &DirectionsState) -> Vec<usize> {
        state.0.iter().flat_map(|wrong| &wrong.worst).map(|(_, row)| *row).collect()
    }
}
