//! Rows drawn with the odds of what they weigh at a hyperplane, and the counts of values that the odds are made of.
//!
//! ```text
//! odds of a row   h / (1 + exp(s)),  s = y (w·x + b)
//! h               the sum over its columns of 1 / the number of rows that are like it there: zero, or not zero
//! ```
//!
//! Near a hyperplane that fits the rows best, those drawn so are under either label with the same chance, whatever x is, since h does not
//! look at labels. So a few of them per coordinate overlap if the rows do: W. Fithian and T. Hastie, Local case-control sampling,
//! Annals of Statistics 42 (2014). The first factor alone would miss the rows of a level that few rows have.
//!
//! Drawing is by the smallest keys -ln(u) / odds, with u a number between 0 and 1 made of the number of the row: P. Efraimidis and P.
//! Spirakis, Information Processing Letters 97 (2006). So it is the same however rows are cut.

use linsep_data::hash::mix;
use linsep_data::{Block, FoldQuery, Shape};
use serde::{Deserialize, Serialize};

use super::super::solvers::order::{Scored, by_score, keep_smallest};
use crate::kernels::logistic::logistic;
use crate::lift::Rows;

/// Counts the rows that are not zero in each column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ValueCounts {
    columns: usize,
}

impl ValueCounts {
    /// Returns the query for data of this shape.
    pub fn new(shape: Shape) -> Self {
        ValueCounts { columns: shape.columns }
    }
}

impl FoldQuery for ValueCounts {
    type State = Vec<u64>;

    fn begin(&self) -> Vec<u64> {
        vec![0; self.columns]
    }

    fn absorb(&self, counts: &mut Vec<u64>, block: &Block<'_>) {
        let features = block.samples().features();
        for place in block.places() {
            features.for_each(place, |k, v| counts[k] += u64::from(v != 0.0));
        }
    }

    fn merge(&self, counts: &mut Vec<u64>, other: Vec<u64>) {
        counts.iter_mut().zip(other).for_each(|(own, other)| *own += other);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.columns == shape.columns
    }

    fn admits(&self, counts: &Vec<u64>, shape: Shape) -> bool {
        counts.len() == self.columns && counts.iter().all(|count| *count <= shape.rows as u64)
    }
}

/// Draws `keep` rows, and counts the mistakes of the hyperplane on the way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Draw {
    /// The hyperplane (w, b) of raw rows.
    plane: Vec<f64>,
    /// What a row of zeros has for h, and what it has more for a value in each column.
    zeros: f64,
    values: Vec<f64>,
    /// Whether some column has both: else all rows have the same h.
    mixed: bool,
    keep: usize,
}

/// What was found so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawState {
    /// Rows that are not strictly on their own side.
    pub mistakes: u64,
    /// The smallest keys and their rows, and a few more until the state is settled.
    found: Vec<Scored>,
    /// A key that at least `keep` rows do not exceed.
    #[serde(skip, default = "no_limit")]
    limit: f64,
}

fn no_limit() -> f64 {
    f64::INFINITY
}

impl Draw {
    /// Returns the query for rows of which these counts are known.
    pub fn new(plane: Vec<f64>, rows: usize, counts: &[u64], keep: usize) -> Self {
        let share = |count: u64| if count > 0 { 1.0 / count as f64 } else { 0.0 };
        let zero = |count: &u64| share((rows as u64).saturating_sub(*count));
        let mixed = |count: &u64| *count > 0 && *count < rows as u64;
        Draw {
            plane,
            zeros: counts.iter().map(zero).sum::<f64>() + 1.0 / rows.max(1) as f64,
            values: counts.iter().map(|count| share(*count) - zero(count)).collect(),
            mixed: counts.iter().any(mixed),
            keep,
        }
    }

    fn trim(&self, state: &mut DrawState) {
        keep_smallest(&mut state.found, self.keep);
        if state.found.len() == self.keep {
            let largest = state.found.iter().fold(f64::NEG_INFINITY, |most, s| most.max(s.0));
            state.limit = state.limit.min(largest);
        }
    }
}

impl DrawState {
    /// Returns the rows that were drawn, rising.
    pub fn rows(self) -> Vec<usize> {
        let mut rows: Vec<usize> = self.found.into_iter().map(|(_, row)| row).collect();
        rows.sort_unstable();
        rows
    }
}

/// Returns a number between 0 and 1 for a row, neither included.
fn chance(row: usize) -> f64 {
    ((mix(mix(row as u64)) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

impl FoldQuery for Draw {
    type State = DrawState;

    fn begin(&self) -> DrawState {
        DrawState { mistakes: 0, found: vec![], limit: no_limit() }
    }

    fn absorb(&self, state: &mut DrawState, block: &Block<'_>) {
        let (samples, places) = (block.samples(), block.places());
        let [mut scores, mut losses, mut weights] = [(); 3].map(|()| vec![0.0; places.len()]);
        Rows::raw_in(samples, 1.0).scores(places.clone(), &self.plane, &mut scores);
        logistic(&scores, &mut losses, &mut weights);
        for ((place, score), weight) in places.zip(&scores).zip(&weights) {
            state.mistakes += u64::from(*score <= 0.0 || score.is_nan());
            let mut h = self.zeros;
            if self.mixed {
                samples.features().for_each(place, |k, v| {
                    if v != 0.0 {
                        h += self.values[k];
                    }
                });
            }
            let row = block.number(place);
            let (chance, odds) = (chance(row), weight * h);
            // -ln(u) is at least 1 - u: most logarithms need not be taken.
            if 1.0 - chance > state.limit * odds {
                continue;
            }
            // What weighs nothing, or overflows, comes last.
            let key = -libm::log(chance) / odds;
            let key = if key.is_nan() { f64::INFINITY } else { key };
            if key > state.limit {
                continue;
            }
            state.found.push((key, row));
            if state.found.len() / 2 >= self.keep.saturating_add(32) {
                self.trim(state);
            }
        }
    }

    fn merge(&self, state: &mut DrawState, other: DrawState) {
        state.mistakes += other.mistakes;
        state.found.extend(other.found);
        self.trim(state);
    }

    fn settle(&self, state: &mut DrawState) {
        self.trim(state);
        state.found.sort_unstable_by(by_score);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.plane.len() == shape.columns + 1 && self.values.len() == shape.columns
    }

    fn admits(&self, state: &DrawState, shape: Shape) -> bool {
        state.mistakes <= shape.rows as u64
            && state.found.len() <= self.keep
            && state.found.iter().all(|(_, row)| *row < shape.rows)
    }

    fn named(&self, state: &DrawState) -> Vec<usize> {
        state.found.iter().map(|(_, row)| *row).collect()
    }
}

#[cfg(test)]
mod tests {
    use linsep_data::{Memory, Samples};

    use super::*;
    use crate::queries::fold;

    /// Returns what is drawn of rows, of which one in a thousand has the second column.
    fn drawn(plane: [f64; 3], keep: usize) -> (u64, Vec<usize>) {
        let rows = 4000;
        let mut values = vec![];
        let x = |i: usize| (i % 200) as f64 / 100.0 - 0.995;
        (0..rows).for_each(|i| values.extend([x(i), if i % 1000 == 7 { 1.0 } else { 0.0 }]));
        let positive = (0..rows).map(|i| x(i) > 0.0).collect();
        let samples = Samples::dense(values, 2, positive).unwrap();
        let memory = Memory::new(&samples);
        let shape = Shape { rows, columns: 2, sparse: false };
        let counts = fold(&memory, &ValueCounts::new(shape)).unwrap();
        assert_eq!(counts, [4000, 4]);
        let found = fold(&memory, &Draw::new(plane.to_vec(), rows, &counts, keep)).unwrap();
        (found.mistakes, found.rows())
    }

    #[test]
    fn rows_near_a_hyperplane_and_those_of_rare_levels_are_drawn() {
        let (mistakes, rows) = drawn([20.0, 0.0, 0.0], 100);
        assert_eq!((mistakes, rows.len()), (0, 100));
        // Within a tenth of the hyperplane is a tenth of all rows.
        let near = rows.iter().filter(|i| ((*i % 200) as f64 - 99.5).abs() < 10.0).count();
        assert!(near > 60, "{near}");
        // All rows weigh the same: without the counts one of forty would be drawn.
        let rare = drawn([0.0; 3], 100).1.iter().filter(|i| *i % 1000 == 7).count();
        assert!(rare >= 3, "{rare}");
    }

    #[test]
    fn what_overflows_is_drawn_last_or_not_at_all() {
        let (mistakes, rows) = drawn([f64::MAX, 0.0, f64::MAX], 10);
        assert_eq!(rows.len(), 10);
        assert!(mistakes > 0);
    }
}
