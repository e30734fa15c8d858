//! One positive definite matrix shows that no hyperplane separates, not even weakly.
//!
//! ```text
//! Rows z = y (x, 1), numbers l > 0 on some of them, a = l z:
//!
//!     B = [ K   r ]     K = sum a a',   r = sum a.
//!         [ r'  1 ]
//!
//! If B is positive definite, no w other than 0 has z·w >= 0 for all rows named. For with t = a·w >= 0 and x = (w, -sum t):
//! x'Bx = sum t² - 2 (sum t)² + (sum t)² = sum t² - (sum t)² = - sum of t_i t_j over i ≠ j, which is not above 0.
//! ```
//!
//! Floats are enough to tell, since a matrix near a definite one is definite. All rounding is bounded before anything is computed.
//! With u = 2^-53 and g(k) = k u / (1 - k u), a number that went through k roundings is the exact one times 1 + e, |e| <= g(k)
//! (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1).
//!
//! 1. *Coordinates.* Columns are centred by floats c (dense rows), multiplied by powers of two, and taken in any order: linear maps
//!    that keep the theorem, whatever c is. What is computed for a is within g(2) of it: one difference, one product. In each column the
//!    largest |a| is between 1/2 and 2. Underflow may cost 2^-870 in addition: see 5.
//! 2. *B.* A product of two of these has gone through 5 roundings, and a sum adds one for each sum that its terms are in: `TERMS` and
//!    rows / `TERMS` where rows are added up in blocks, else as many as there are rows. With k all of these,
//!    |error of K_jk| <= g(k) sum |a_j| |a_k| and |error of r_j| <= g(k) sum |a_j|. So with p the most numbers of a row that are not zero,
//!    by Cauchy and Schwarz |x' error x| <= g(k) sum over rows of (sum_j |a_j| |x_j| + |x_last|)²
//!    <= g(k) (p + 1) (sum_j K_jj x_j² + rows x_last²).
//! 3. *The factor.* If all pivots of C are positive, the computed L has |(LL' - C)_jk| <= g(t) sum_i |L_ji| |L_ki|, where t bounds the
//!    roundings of a term: a product, the sums of its panel, the differences before it, quotient and root. So sum_i L_ji² <= C_jj / (1 - g(t)),
//!    and with q the most numbers in a column of L, |x' error x| <= g(t) / (1 - g(t)) q sum_j C_jj x_j².
//! 4. So B is positive definite if C = B - S has a factor, S diagonal, with S_jj above (g(k) (p + 1) + g(t) q) B_jj, and in the last place
//!    above g(k) (p + 1) rows + g(t) q. `SAFE` covers that K_jj is computed, 1 / (1 - g), and the rounding of S and its difference, while both shares
//!    are below a thousandth.
//! 5. *Underflow.* Numbers of a are at most 2, diagonals of K at least 1/4: what underflow costs, below 2^-800 rows columns² in all, is
//!    far below the 8 u B_jj that S has in addition. *Overflow* makes a pivot infinite or not a number, and is refused.

use linsep_data::{Features, Halt, Samples};
use rayon::prelude::*;

use crate::exact::{Row, power_of_two};

/// Half of the distance from 1 to the next float.
const U: f64 = f64::EPSILON / 2.0;
/// Rows that are added up before their sum is added to the sum of all.
const TERMS: usize = 128;
/// Columns of the factor that are taken out of the rest at a time.
const PANEL: usize = 64;
/// Columns and rows of a tile: its sums stay in registers.
const TILE: usize = 4;
/// What covers all that is small beside the bounds, see above.
const SAFE: f64 = 1.01;
/// The largest share of a diagonal that rounding may take.
const SHARE: f64 = 1e-3;
/// Columns that may be left for the dense factor: it takes their square in memory and their cube in time.
pub const MOST_COLUMNS: usize = 10_000;
/// Products of two numbers of a row that are looked at before columns are taken out one by one.
const MOST_PAIRS: usize = 1 << 28;
/// Weights may differ by so many powers of two.
const RANGE: i32 = 200;

/// What may be wrong with numbers that are to be definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indefinite {
    /// A pivot is not positive beyond rounding.
    Pivot,
    /// A weight is not positive, or weights differ by too many powers of two.
    Weights,
    /// Too many columns, or too many pairs.
    Size,
    /// It was halted.
    Halted,
}

/// Returns if no w other than 0, among those that are zero in the coordinates left out, has y (x, 1)·w >= 0 for all samples: shown
/// by a matrix with these weights. The coordinates `first` are taken out one by one, before all others: that pays where few rows have them.
/// Coordinates are counted from 0, the bias is the last. No coordinate is named twice.
pub fn definite(
    samples: &Samples,
    weights: &[f64],
    left_out: &[usize],
    first: &[usize],
    halt: Halt,
) -> Result<(), Indefinite> {
    let weights = normalised(weights).ok_or(Indefinite::Weights)?;
    let places = CoordinatePlaces::new(samples.columns() + 1, left_out, first);
    if places.dense() > MOST_COLUMNS {
        return Err(Indefinite::Size);
    }
    let matrix = match samples.features() {
        Features::Sparse(_) => OverlapMatrix::of_sparse(samples, &weights, &places, halt)?,
        _ if first.is_empty() => OverlapMatrix::of_dense(samples, &weights, &places, halt)?,
        _ => OverlapMatrix::of_sparse(samples, &weights, &places, halt)?,
    };
    matrix.factor(halt)
}

/// Returns the weights over a power of two, so that the largest is between 1/2 and 1.
fn normalised(weights: &[f64]) -> Option<Vec<f64>> {
    let proper = |w: &f64| *w >= f64::MIN_POSITIVE && w.is_finite();
    if weights.is_empty() || !weights.iter().all(proper) {
        return None;
    }
    let most = weights.iter().map(|w| exponent(*w)).max()?;
    let least = weights.iter().map(|w| exponent(*w)).min()?;
    let [near, rest] = powers(-1 - most);
    (most - least <= RANGE).then(|| weights.iter().map(|w| w * near * rest).collect())
}

/// Returns e with 2^e <= |v| < 2^(e + 1), for v other than zero.
fn exponent(v: f64) -> i32 {
    let field = (v.to_bits() >> 52) as i32 & 0x7ff;
    match field {
        0 => exponent(v * power_of_two(64)) - 64,
        _ => field - 1023,
    }
}

/// Returns two powers of two whose product is two to the e: one float does not reach from the largest to the smallest.
fn powers(e: i32) -> [f64; 2] {
    let near = e.clamp(-1000, 1000);
    [near, e - near].map(|e| power_of_two(e.into()))
}

/// Where each coordinate stands in the matrix: those taken out one by one come first, those left out nowhere.
struct CoordinatePlaces {
    of: Vec<Option<usize>>,
    first: usize,
    count: usize,
}

impl CoordinatePlaces {
    fn new(dimension: usize, left_out: &[usize], first: &[usize]) -> Self {
        let mut of = vec![Some(usize::MAX); dimension];
        left_out.iter().for_each(|&k| of[k] = None);
        for (place, &k) in first.iter().enumerate() {
            of[k] = Some(place);
        }
        let mut count = first.len();
        for place in of.iter_mut().filter(|place| **place == Some(usize::MAX)) {
            *place = Some(count);
            count += 1;
        }
        CoordinatePlaces { of, first: first.len(), count }
    }

    /// Returns the size of the dense part, with the last row.
    fn dense(&self) -> usize {
        self.count - self.first + 1
    }
}

/// The matrix B, and what its rounding may cost.
struct OverlapMatrix {
    /// Columns that are taken out one by one: their places and numbers, the diagonal first, then rising.
    columns: Vec<Vec<(u32, f64)>>,
    /// The rest.
    dense: Triangle,
    /// Roundings that a number of it went through.
    roundings: f64,
    /// The most numbers other than zero in a row.
    widest: f64,
    rows: f64,
}

impl OverlapMatrix {
    /// Returns the matrix of dense rows, seen from the mean of each column.
    fn of_dense(
        samples: &Samples,
        weights: &[f64],
        places: &CoordinatePlaces,
        halt: Halt,
    ) -> Result<Self, Indefinite> {
        let (rows, columns) = (samples.rows(), samples.columns());
        let bias = places.of[columns];
        // What is centred takes the bias with it.
        let centre = if bias.is_some() { means(samples) } else { vec![0.0; columns] };
        let scales = scales(samples, weights, &centre);
        let mut dense = Triangle::new(places.dense());
        for from in (0..rows).step_by(TERMS) {
            if halt() {
                return Err(Indefinite::Halted);
            }
            let mut block = TileColumns::new(places.dense(), TERMS.min(rows - from));
            for (i, &weight) in weights.iter().enumerate().skip(from).take(TERMS) {
                let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
                let at = i - from;
                // The last column is 1, and its rows' signs are those of y: K has no use for signs.
                block.set(places.count, at, sign);
                let mut put = |k: usize, value: f64| {
                    if let Some(place) = places.of[k] {
                        block.set(place, at, scales[k].times(value, weight));
                    }
                };
                Row::of(samples.features(), i).for_each(|k, x| put(k, x - centre[k]));
                put(columns, 1.0);
            }
            dense.add_products(&block, 0..places.dense(), 1.0);
        }
        dense.set(places.count, places.count, 1.0);
        let roundings = (TERMS + rows.div_ceil(TERMS) + 5) as f64;
        let widest = places.count as f64;
        Ok(OverlapMatrix { columns: vec![], dense, roundings, widest, rows: rows as f64 })
    }

    /// Returns the matrix of rows that are sparse, or seen so.
    fn of_sparse(
        samples: &Samples,
        weights: &[f64],
        places: &CoordinatePlaces,
        halt: Halt,
    ) -> Result<Self, Indefinite> {
        let (rows, columns) = (samples.rows(), samples.columns());
        let scales = scales(samples, weights, &vec![0.0; columns]);
        let mut dense = Triangle::new(places.dense());
        let (mut pairs, mut widest) = (vec![], 0);
        let mut looked_at = 0;
        let mut entries: Vec<(usize, f64)> = vec![];
        for (i, &weight) in weights.iter().enumerate() {
            if i % TERMS == 0 && halt() {
                return Err(Indefinite::Halted);
            }
            let sign = if samples.positive()[i] { 1.0 } else { -1.0 };
            entries.clear();
            let mut put = |k: usize, value: f64| {
                if let (Some(place), true) = (places.of[k], value != 0.0) {
                    entries.push((place, scales[k].times(value, weight)));
                }
            };
            Row::of(samples.features(), i).for_each(&mut put);
            put(columns, 1.0);
            entries.sort_unstable_by_key(|(place, _)| *place);
            widest = widest.max(entries.len());
            looked_at += entries.len() * (entries.len() + 3) / 2;
            if looked_at > MOST_PAIRS * 16 || pairs.len() > MOST_PAIRS {
                return Err(Indefinite::Size);
            }
            for (at, &(j, a)) in entries.iter().enumerate() {
                let others = entries[at..].iter().map(|&(k, b)| (k, a * b));
                let others = others.chain([(places.count, sign * a)]);
                if j < places.first {
                    pairs.extend(others.map(|(k, value)| (j as u32, k as u32, value)));
                } else {
                    others.for_each(|(k, value)| {
                        *dense.at(k - places.first, j - places.first) += value;
                    });
                }
            }
        }
        let last = places.dense() - 1;
        dense.set(last, last, 1.0);
        let columns = added_up(pairs, places.first);
        let roundings = rows as f64 + 5.0;
        Ok(OverlapMatrix { columns, dense, roundings, widest: widest as f64, rows: rows as f64 })
    }

    /// Returns if the matrix is positive definite, whatever rounding did.
    fn factor(mut self, halt: Halt) -> Result<(), Indefinite> {
        let (first, size) = (self.columns.len(), self.dense.size);
        let g = |roundings: f64| roundings * U / (1.0 - roundings * U);
        // What is computed of B, relative to its diagonal.
        let share = g(self.roundings) * (self.widest + 1.0);
        // The factor: the columns are not known before they are there, so their bound comes from the pattern.
        let most = self.fill()?.max(size);
        let through = first + 2 * PANEL + size.div_ceil(PANEL) + 5;
        let factor = g(through as f64) * most as f64;
        if !(share < SHARE && factor < SHARE) {
            return Err(Indefinite::Pivot);
        }
        let lowered = |b: f64, count: f64| b - SAFE * (share * count + factor + 8.0 * U) * b;
        for column in &mut self.columns {
            match column.first_mut() {
                Some((_, diagonal)) => *diagonal = lowered(*diagonal, 1.0),
                None => return Err(Indefinite::Pivot),
            }
        }
        for j in 0..size {
            let count = if j == size - 1 { self.rows } else { 1.0 };
            let diagonal = self.dense.at(j, j);
            *diagonal = lowered(*diagonal, count);
        }
        for j in 0..first {
            if j % TERMS == 0 && halt() {
                return Err(Indefinite::Halted);
            }
            self.take_out(j)?;
        }
        self.dense.factor(halt)
    }

    /// Returns the most numbers that a column of the factor has, of those that are taken out one by one.
    fn fill(&self) -> Result<usize, Indefinite> {
        // Where a column goes when it is taken out: into its first row. What it leaves there, others find.
        let first = self.columns.len();
        let mut patterns: Vec<Vec<u32>> =
            self.columns.iter().map(|column| column.iter().map(|(k, _)| *k).collect()).collect();
        let (mut most, mut all) = (0, 0);
        for j in 0..first {
            let pattern = std::mem::take(&mut patterns[j]);
            most = most.max(pattern.len());
            all += pattern.len();
            if all > MOST_PAIRS {
                return Err(Indefinite::Size);
            }
            if let Some(&parent) = pattern.get(1)
                && (parent as usize) < first
            {
                let own = &patterns[parent as usize];
                patterns[parent as usize] = united(own, &pattern[1..]);
            }
        }
        Ok(most)
    }

    /// Takes a column out of all that come after it.
    fn take_out(&mut self, j: usize) -> Result<(), Indefinite> {
        let first = self.columns.len();
        let column = std::mem::take(&mut self.columns[j]);
        let Some((&(_, pivot), below)) = column.split_first() else {
            return Err(Indefinite::Pivot);
        };
        if !(pivot > 0.0 && pivot.is_finite()) {
            return Err(Indefinite::Pivot);
        }
        let root = pivot.sqrt();
        let below: Vec<(u32, f64)> = below.iter().map(|&(k, v)| (k, v / root)).collect();
        for (at, &(k, l)) in below.iter().enumerate() {
            let k = k as usize;
            if k < first {
                subtract(&mut self.columns[k], &below[at..], l);
            } else {
                for &(i, other) in &below[at..] {
                    *self.dense.at(i as usize - first, k - first) -= other * l;
                }
            }
        }
        Ok(())
    }
}

/// Returns the means of the columns; zero where they are too large to tell.
fn means(samples: &Samples) -> Vec<f64> {
    let mut sums = vec![0.0; samples.columns()];
    for i in 0..samples.rows() {
        Row::of(samples.features(), i).for_each(|k, x| sums[k] += x);
    }
    let rows = samples.rows() as f64;
    let large = power_of_two(1000);
    // Differences stay finite: if the sum is, then all that differs is below 2^1024 beside it.
    sums.into_iter().map(|sum| if sum.abs() < large { sum / rows } else { 0.0 }).collect()
}

/// How a column is scaled: by powers of two before its weights, and by one after.
#[derive(Clone, Copy, Debug)]
struct ColumnScale {
    before: [f64; 2],
    after: f64,
}

impl ColumnScale {
    /// Returns a number of a row, weighted and scaled.
    fn times(self, value: f64, weight: f64) -> f64 {
        value * self.before[0] * self.before[1] * weight * self.after
    }
}

/// Returns the scales of all columns, and of the bias: the largest number of each is between 1/2 and 2.
fn scales(samples: &Samples, weights: &[f64], centre: &[f64]) -> Vec<ColumnScale> {
    let columns = samples.columns();
    let mut most = vec![i32::MIN; columns + 1];
    let each = |visit: &mut dyn FnMut(usize, usize, i32)| {
        for i in 0..samples.rows() {
            Row::of(samples.features(), i).for_each(|k, x| {
                let value = x - centre[k];
                if value != 0.0 && value.is_finite() {
                    visit(i, k, exponent(value));
                }
            });
            visit(i, columns, 0);
        }
    };
    each(&mut |i, k, e| most[k] = most[k].max(e + exponent(weights[i])));
    // A row's number e and its weight, both scaled, are below 2 and 1.
    let mut largest = vec![i32::MIN; columns + 1];
    each(&mut |_, k, e| largest[k] = largest[k].max(e));
    let scale = |(&most, &largest): (&i32, &i32)| match most {
        // No number at all: none to scale.
        i32::MIN => ColumnScale { before: [0.0; 2], after: 0.0 },
        _ => ColumnScale { before: powers(-largest), after: powers(largest - most - 1)[0] },
    };
    most.iter().zip(&largest).map(scale).collect()
}

/// Returns the columns of a symmetric matrix, given products with their places; those at one place are added up in order.
fn added_up(mut pairs: Vec<(u32, u32, f64)>, count: usize) -> Vec<Vec<(u32, f64)>> {
    pairs.sort_by_key(|&(j, k, _)| (j, k));
    let mut columns: Vec<Vec<(u32, f64)>> = vec![vec![]; count];
    for (j, k, value) in pairs {
        let column = &mut columns[j as usize];
        match column.last_mut() {
            Some((last, sum)) if *last == k => *sum += value,
            _ => column.push((k, value)),
        }
    }
    columns
}

/// Returns the places of both, rising.
fn united(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        all.push(a[i].min(b[j]));
        let (step, other) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(step);
        j += usize::from(other);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
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
            _ => new.push((k, -(v * factor))),
        }
    }
    if !new.is_empty() {
        column.extend(new);
        column.sort_unstable_by_key(|(k, _)| *k);
    }
}

/// Some rows of a matrix of numbers, its columns in tiles.
struct TileColumns {
    rows: usize,
    values: Vec<f64>,
}

impl TileColumns {
    fn new(columns: usize, rows: usize) -> Self {
        TileColumns { rows, values: vec![0.0; columns.next_multiple_of(TILE) * rows] }
    }

    fn set(&mut self, column: usize, row: usize, value: f64) {
        let tile = column / TILE;
        self.values[(tile * self.rows + row) * TILE + column % TILE] = value;
    }

    fn tile(&self, tile: usize) -> &[[f64; TILE]] {
        let size = self.rows * TILE;
        self.values[tile * size..][..size].as_chunks().0
    }
}

/// The lower triangle of a symmetric matrix, by rows, each as long as all.
struct Triangle {
    size: usize,
    /// Numbers of a row: whole tiles.
    width: usize,
    values: Vec<f64>,
}

impl Triangle {
    fn new(size: usize) -> Self {
        let width = size.next_multiple_of(TILE);
        Triangle { size, width, values: vec![0.0; width * width] }
    }

    fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.values[row * self.width + column]
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        *self.at(row, column) = value;
    }

    /// Adds to all numbers below `range.end` the products of their columns, summed up over the rows of the block, times 1 or -1.
    /// The first column of the block belongs to the first of the range, which begins with a tile.
    fn add_products(&mut self, block: &TileColumns, range: std::ops::Range<usize>, sign: f64) {
        let (width, from) = (self.width, range.start / TILE);
        let tiles = range.end.div_ceil(TILE);
        let rows = &mut self.values[from * TILE * width..tiles * TILE * width];
        rows.par_chunks_mut(TILE * width).enumerate().with_min_len(4).for_each(|(p, rows)| {
            let left = block.tile(p);
            for q in 0..=p {
                let sums = products(left, block.tile(q));
                for (row, sums) in rows.chunks_exact_mut(width).zip(sums) {
                    let place = (from + q) * TILE;
                    for (value, sum) in row[place..place + TILE].iter_mut().zip(sums) {
                        *value += sign * sum;
                    }
                }
            }
        });
    }

    /// Returns if all pivots are positive.
    fn factor(&mut self, halt: Halt) -> Result<(), Indefinite> {
        let (size, width) = (self.size, self.width);
        for from in (0..size).step_by(PANEL) {
            if halt() {
                return Err(Indefinite::Halted);
            }
            let to = size.min(from + PANEL);
            for j in from..to {
                let pivot = *self.at(j, j) - squares(&self.values[j * width + from..j * width + j]);
                if !(pivot > 0.0 && pivot.is_finite()) {
                    return Err(Indefinite::Pivot);
                }
                let root = pivot.sqrt();
                self.set(j, j, root);
                let (above, below) = self.values.split_at_mut((j + 1) * width);
                let own = &above[j * width + from..j * width + j];
                for row in below.chunks_exact_mut(width).take(to - j - 1) {
                    row[j] = (row[j] - dot(own, &row[from..j])) / root;
                }
            }
            let (above, below) = self.values.split_at_mut(to * width);
            let panel: Vec<&[f64]> = (from..to).map(|j| &above[j * width..][..j + 1]).collect();
            below.par_chunks_exact_mut(width).with_min_len(8).take(size - to).for_each(|row| {
                for (j, own) in (from..to).zip(&panel) {
                    row[j] = (row[j] - dot(&own[from..j], &row[from..j])) / own[j];
                }
            });
            if to < size {
                let mut block = TileColumns::new(size - to, to - from);
                for row in to..size {
                    for j in from..to {
                        block.set(row - to, j - from, self.values[row * width + j]);
                    }
                }
                self.add_products(&block, to..size, -1.0);
            }
        }
        Ok(())
    }
}

/// Returns the sums of products of the columns of two tiles.
#[inline]
fn products(left: &[[f64; TILE]], right: &[[f64; TILE]]) -> [[f64; TILE]; TILE] {
    let mut sums = [[0.0; TILE]; TILE];
    for (a, b) in left.iter().zip(right) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

/// Returns the sum of products, in four lanes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 4];
    let (a_blocks, a_rest) = a.as_chunks::<4>();
    let (b_blocks, b_rest) = b.as_chunks::<4>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for k in 0..4 {
            lanes[k] += a[k] * b[k];
        }
    }
    for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        lanes[k] += a * b;
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

fn squares(a: &[f64]) -> f64 {
    dot(a, a)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "numbers of a test, or what is compared with")]
#[allow(clippy::needless_range_loop, reason = "matrices as the textbooks write them")]
mod tests;
