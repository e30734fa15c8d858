//! The sum of weighted z z' over sparse rows, and its factor: columns that few rows have are taken out one by one, the rest is dense.
//!
//! ```text
//! order   again and again the column that meets the fewest others, while these are few (minimum degree)
//! factor  a column at a time; what it leaves to those that come after is kept where it meets them
//! rest    Cholesky in blocks
//! ```
//!
//! Reference: A. George and J. Liu, The evolution of the minimum degree ordering algorithm, SIAM Review 31 (1989).

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use linsep_data::Halt;

use super::cholesky::{Cholesky, INFINITE};

/// Columns that are met by more than one row in this many stay to the end, where all is dense.
const DENSE_SHARE: usize = 16;
/// Others that a column may meet to be taken out by itself: beyond that blocks are faster.
const MOST_MET: usize = 300;
/// Below so many columns all is dense.
const FEW: usize = 256;
/// Columns that may be left for the dense factor.
const MOST_DENSE: usize = linsep_proof::definite::MOST_COLUMNS - 1;
/// Pairs of values in a row, over all rows.
const MOST_PAIRS: usize = 1 << 28;

/// Rows of which few numbers are not zero.
pub struct SparseNumbers {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    dimension: usize,
}

impl SparseNumbers {
    /// Returns no rows, of so many columns.
    pub fn new(dimension: usize) -> Self {
        SparseNumbers { starts: vec![0], columns: vec![], values: vec![], dimension }
    }

    /// Adds a number to the row under way.
    pub fn push(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            self.columns.push(column as u32);
            self.values.push(value);
        }
    }

    /// Ends the row under way.
    pub fn end_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn columns_of(&self, i: usize) -> &[u32] {
        &self.columns[self.starts[i]..self.starts[i + 1]]
    }
}

/// Which columns meet, and in which order they are taken out.
pub struct SparsePattern {
    first: Vec<usize>,
    /// Where each coordinate stands.
    places: Vec<usize>,
}

impl SparsePattern {
    /// Returns the pattern of rows; nothing if too many columns would be left, or rows are too long.
    fn of(numbers: &SparseNumbers) -> Option<Self> {
        let (rows, columns) = (numbers.rows(), numbers.dimension);
        let mut counts = vec![0_usize; columns];
        let (mut pairs, mut seen) = (0_usize, vec![]);
        for i in 0..rows {
            let own = numbers.columns_of(i);
            own.iter().for_each(|&k| counts[k as usize] += 1);
            pairs = pairs.saturating_add((own.len() + 1).pow(2) / 2);
        }
        if pairs > MOST_PAIRS {
            return None;
        }
        // Columns that meet too many others stay to the end, too.
        let mut rare: Vec<bool> = counts.iter().map(|&n| n <= rows / DENSE_SHARE).collect();
        let mut met: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); columns];
        for i in (0..rows).take_while(|_| columns > FEW) {
            seen.clear();
            seen.extend(numbers.columns_of(i).iter().copied().filter(|&k| rare[k as usize]));
            for &j in &seen {
                let own = &mut met[j as usize];
                own.extend(seen.iter().copied().filter(|&k| k != j));
                if own.len() > MOST_MET {
                    rare[j as usize] = false;
                    own.clear();
                }
            }
        }
        met.iter_mut().for_each(|own| own.retain(|&k| rare[k as usize]));
        let first = if columns > FEW { ordered(met, &rare) } else { vec![] };
        if columns - first.len() > MOST_DENSE {
            return None;
        }
        let mut places = vec![usize::MAX; columns];
        first.iter().enumerate().for_each(|(place, &k)| places[k] = place);
        let rest = places.iter_mut().filter(|place| **place == usize::MAX);
        rest.zip(first.len()..).for_each(|(place, number)| *place = number);
        Some(SparsePattern { first, places })
    }
}

/// Returns the rare columns in the order in which they are taken out, those that meet the fewest others first.
fn ordered(mut met: Vec<BTreeSet<u32>>, rare: &[bool]) -> Vec<usize> {
    let mut queue: BinaryHeap<Reverse<(usize, usize)>> =
        (0..met.len()).filter(|&k| rare[k]).map(|k| Reverse((met[k].len(), k))).collect();
    let mut left: usize = met.len();
    let mut order = vec![];
    let mut gone = vec![false; met.len()];
    while let Some(Reverse((degree, k))) = queue.pop() {
        if gone[k] || degree != met[k].len() {
            continue;
        }
        if degree > MOST_MET || left <= FEW {
            break;
        }
        gone[k] = true;
        left -= 1;
        order.push(k);
        let others: Vec<u32> = std::mem::take(&mut met[k]).into_iter().collect();
        for &j in &others {
            let own = &mut met[j as usize];
            own.remove(&(k as u32));
            own.extend(others.iter().copied().filter(|&o| o != j));
            queue.push(Reverse((own.len(), j as usize)));
        }
    }
    order
}

/// Rows in the order of the pattern, ready for sums of z z'.
pub struct SparseGram {
    pattern: SparsePattern,
    /// By row: places, rising, and values.
    starts: Vec<usize>,
    places: Vec<u32>,
    values: Vec<f64>,
    /// The columns taken out by themselves: the places of what stands in them, the diagonal first.
    columns: Vec<Vec<u32>>,
    /// For each pair of values of a row whose first is of such a column, in order: where it is added.
    slots: Vec<u32>,
}

impl SparseGram {
    /// Returns the rows; nothing if the sum would take too much memory, or time.
    pub fn new(numbers: SparseNumbers) -> Option<Self> {
        let pattern = SparsePattern::of(&numbers)?;
        let (mut places, mut values) = (vec![], vec![]);
        let mut row: Vec<(u32, f64)> = vec![];
        for range in numbers.starts.windows(2).map(|ends| ends[0]..ends[1]) {
            let place = |&k: &u32| pattern.places[k as usize] as u32;
            row.clear();
            let own = numbers.columns[range.clone()].iter().map(place);
            row.extend(own.zip(numbers.values[range].iter().copied()));
            row.sort_unstable_by_key(|(place, _)| *place);
            places.extend(row.iter().map(|(place, _)| *place));
            values.extend(row.iter().map(|(_, value)| *value));
        }
        let starts = numbers.starts;
        let first = pattern.first.len();
        let mut columns: Vec<Vec<u32>> = vec![vec![]; first];
        let each = |visit: &mut dyn FnMut(u32, u32)| {
            for i in 0..starts.len() - 1 {
                let row = &places[starts[i]..starts[i + 1]];
                for (at, &j) in row.iter().enumerate().take_while(|(_, j)| (**j as usize) < first) {
                    row[at..].iter().for_each(|&k| visit(j, k));
                }
            }
        };
        each(&mut |j, k| columns[j as usize].push(k));
        for column in &mut columns {
            column.sort_unstable();
            column.dedup();
        }
        let mut offsets = vec![0];
        offsets.extend(columns.iter().scan(0, |sum, column| {
            *sum += column.len();
            Some(*sum)
        }));
        let mut slots = vec![];
        each(&mut |j, k| {
            let column = &columns[j as usize];
            let at = column.binary_search(&k).expect("it was put there");
            slots.push((offsets[j as usize] + at) as u32);
        });
        Some(SparseGram { pattern, starts, places, values, columns, slots })
    }

    /// Returns the coordinates that are taken out one by one.
    pub fn first(&self) -> &[usize] {
        &self.pattern.first
    }

    fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.places[range.clone()], &self.values[range])
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the number of columns.
    pub fn dimension(&self) -> usize {
        self.pattern.places.len()
    }

    /// Returns the products of all rows with a vector.
    pub fn scores(&self, w: &[f64]) -> Vec<f64> {
        let w = self.placed(w);
        let score = |i: usize| {
            let (places, values) = self.row(i);
            places.iter().zip(values).map(|(&k, v)| v * w[k as usize]).sum()
        };
        (0..self.rows()).map(score).collect()
    }

    /// Returns the sum of all rows with these weights.
    pub fn combined(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.pattern.places.len()];
        for (i, l) in weights.iter().enumerate() {
            let (places, values) = self.row(i);
            places.iter().zip(values).for_each(|(&k, v)| sum[k as usize] += l * v);
        }
        self.pattern.places.iter().map(|&place| sum[place]).collect()
    }

    fn placed(&self, w: &[f64]) -> Vec<f64> {
        let mut placed = vec![0.0; w.len()];
        self.pattern.places.iter().zip(w).for_each(|(&place, w)| placed[place] = *w);
        placed
    }

    /// Returns the factor of the sum of weighted z z', its diagonal raised by the share `ridge`, and the columns that seem to depend
    /// on others, rising: their pivots are at most the share `small` of their diagonal, and solutions are zero there. Nothing if there
    /// is no factor, or it was halted.
    pub fn factor(
        &self,
        weights: &[f64],
        ridge: f64,
        small: f64,
        halt: Halt,
    ) -> Option<(SparseFactor, Vec<usize>)> {
        let first = self.columns.len();
        let size = self.pattern.places.len() - first;
        let mut flat = vec![0.0; self.columns.iter().map(Vec::len).sum()];
        let mut dense = vec![0.0; size * size];
        let mut slots = self.slots.iter();
        for (i, l) in weights.iter().enumerate() {
            let (places, values) = self.row(i);
            for (at, (&j, a)) in places.iter().zip(values).enumerate() {
                let a = l * a;
                if (j as usize) < first {
                    for v in &values[at..] {
                        flat[*slots.next().expect("one a pair") as usize] += a * v;
                    }
                } else {
                    for (&k, v) in places[at..].iter().zip(&values[at..]) {
                        dense[(k as usize - first) * size + j as usize - first] += a * v;
                    }
                }
            }
            if i % 1024 == 0 && halt() {
                return None;
            }
        }
        let mut from = 0;
        let mut columns: Vec<Vec<(u32, f64)>> = vec![];
        for column in &self.columns {
            let own = &flat[from..from + column.len()];
            columns.push(column.iter().copied().zip(own.iter().copied()).collect());
            from += column.len();
        }
        let mut diagonal = vec![0.0; first];
        for (j, column) in columns.iter_mut().enumerate() {
            if column.is_empty() {
                column.push((j as u32, 0.0));
            }
            column[0].1 *= 1.0 + ridge;
            diagonal[j] = column[0].1;
        }
        (0..size).for_each(|k| dense[k * size + k] *= 1.0 + ridge);
        // What is left of the dense part may be nothing beside what it was.
        let before: Vec<f64> = (0..size).map(|k| dense[k * size + k]).collect();
        let mut dependent = vec![];
        for j in 0..first {
            if j % 256 == 0 && halt() {
                return None;
            }
            let mut column = std::mem::take(&mut columns[j]);
            if column[0].1.is_nan() {
                return None;
            }
            if column[0].1 <= small * diagonal[j] {
                dependent.push(j);
                column[0].1 = INFINITE;
            }
            let root = column[0].1.sqrt();
            column[0].1 = root;
            column[1..].iter_mut().for_each(|(_, v)| *v /= root);
            for at in 1..column.len() {
                let (k, l) = column[at];
                if (k as usize) < first {
                    subtract(&mut columns[k as usize], &column[at..], l);
                } else {
                    let k = k as usize - first;
                    for &(i, v) in &column[at..] {
                        dense[(i as usize - first) * size + k] -= v * l;
                    }
                }
            }
            columns[j] = column;
        }
        let least: Vec<f64> = before.into_iter().map(|d| small * d).collect();
        let (dense, rest) = Cholesky::semidefinite(dense, size, &least, halt)?;
        dependent.extend(rest.into_iter().map(|k| first + k));
        let mut at = vec![0; self.dimension()];
        self.pattern.places.iter().enumerate().for_each(|(k, &place)| at[place] = k);
        let mut dependent: Vec<usize> = dependent.into_iter().map(|place| at[place]).collect();
        dependent.sort_unstable();
        Some((SparseFactor { places: self.pattern.places.clone(), columns, dense }, dependent))
    }
}

/// The factor of a sum of weighted z z'.
pub struct SparseFactor {
    places: Vec<usize>,
    /// Columns that were taken out by themselves, the pivot first.
    columns: Vec<Vec<(u32, f64)>>,
    dense: Cholesky,
}

impl SparseFactor {
    /// Makes b the x whose product with the sum is b.
    pub fn solve(&self, b: &mut [f64]) {
        let first = self.columns.len();
        let mut x = vec![0.0; b.len()];
        self.places.iter().zip(&*b).for_each(|(&place, b)| x[place] = *b);
        for (j, column) in self.columns.iter().enumerate() {
            x[j] /= column[0].1;
            let own = x[j];
            column[1..].iter().for_each(|&(k, v)| x[k as usize] -= own * v);
        }
        self.dense.solve(&mut x[first..]);
        for (j, column) in self.columns.iter().enumerate().rev() {
            let taken: f64 = column[1..].iter().map(|&(k, v)| x[k as usize] * v).sum();
            x[j] = (x[j] - taken) / column[0].1;
        }
        b.iter_mut().zip(&self.places).for_each(|(b, &place)| *b = x[place]);
    }
}

/// Subtracts numbers times a factor from a column; both rise.
fn subtract(column: &mut Vec<(u32, f64)>, numbers: &[(u32, f64)], factor: f64) {
    let mut from = 0;
    let mut new = vec![];
    for &(k, v) in numbers {
        while from < column.len() && column[from].0 < k {
            from += 1;
        }
        match column.get_mut(from) {
            Some((place, value)) if *place == k => *value -= v * factor,
            _ => new.push((k, -v * factor)),
        }
    }
    if !new.is_empty() {
        column.extend(new);
        column.sort_unstable_by_key(|(k, _)| *k);
    }
}

#[cfg(test)]
mod tests {
    use linsep_data::hash::draw;

    use super::*;

    /// Two factors of many levels and two common columns: most levels are taken out one by one.
    fn two_factors(rows: usize) -> SparseNumbers {
        let mut state = 3;
        let mut below = |n: usize| (draw(&mut state) % n as u64) as usize;
        let mut numbers = SparseNumbers::new(642);
        for i in 0..rows {
            numbers.push(i % 600, 1.0);
            numbers.push(600 + below(40), 1.0);
            numbers.push(640, below(100) as f64);
            numbers.push(641, 1.0 + below(3) as f64);
            numbers.end_row();
        }
        numbers
    }

    #[test]
    fn solutions_solve() {
        let rows = 4000;
        let numbers = two_factors(rows);
        let mut squares = vec![0.0; 642];
        let weights: Vec<f64> = (0..rows).map(|i| 0.1 + (i % 7) as f64).collect();
        for (i, ends) in numbers.starts.windows(2).enumerate() {
            for at in ends[0]..ends[1] {
                let value = numbers.values[at];
                squares[numbers.columns[at] as usize] += weights[i] * value * value;
            }
        }
        let gram = SparseGram::new(numbers).unwrap();
        assert!(gram.first().len() > 300, "{}", gram.first().len());
        let x: Vec<f64> = (0..642).map(|k| libm::sin(k as f64)).collect();
        let scores = gram.scores(&x);
        let weighted: Vec<f64> = scores.iter().zip(&weights).map(|(s, w)| s * w).collect();
        let b = gram.combined(&weighted);
        // All levels of both factors add up to the same, so the ridge has to be there.
        let ridge = 1e-3;
        let (factor, dependent) = gram.factor(&weights, ridge, 1e-9, &|| false).unwrap();
        assert!(dependent.is_empty());
        let mut found = b.clone();
        found.iter_mut().enumerate().for_each(|(k, b)| *b += ridge * squares[k] * x[k]);
        factor.solve(&mut found);
        for (found, expected) in found.iter().zip(&x) {
            assert!((found - expected).abs() < 1e-6, "{found} against {expected}");
        }
        // Without it one column stays zero, and the scores are the same all the same.
        let (factor, dependent) = gram.factor(&weights, 1e-14, 1e-10, &|| false).unwrap();
        assert_eq!(dependent.len(), 1);
        let mut found = b;
        factor.solve(&mut found);
        assert!(found[dependent[0]].abs() < 1e-9);
        for (found, expected) in gram.scores(&found).iter().zip(&scores) {
            assert!((found - expected).abs() < 1e-6, "{found} against {expected}");
        }
    }
}
