//! Which columns are combinations of others on some rows, told by a spanning forest of the levels of two factors.
//!
//! ```text
//! The levels of hub and partner are nodes, rows are edges between them. On the rows of a spanning forest there are coefficients of the
//! levels that say of any column x what it is there: a root has 0, and over the edge of row i a node has x_i minus what the node before
//! has. What is left of x on the other rows is what no coefficients of these levels can say.
//!
//! So a combination of columns is one of levels, too, exactly if nothing is left of it on any row: elimination over what is left of each
//! column, which are few. Modulo a prime first, then in integers, which are held against all rows.
//! ```
//!
//! The dummies of all other factors are columns like any other. Cost: rows times columns, and the cube of the columns.

use dashu_int::IBig;
use linsep_data::Features;
use linsep_proof::exact::{ExactSum, parts};

use super::factors::LevelDesign;
use crate::decide::{FloatResidues, Halt, PRIMES, Prime, nullspace, orthogonal};
use crate::models::space::on_one_exponent;

/// Numbers modulo a prime that all nodes may hold together (2 GiB).
const MOST_NUMBERS: usize = 1 << 28;
const ROOT: u32 = u32::MAX;

/// What rows leave free: directions that are zero on all of them.
pub(super) struct FreeDirections {
    /// The component of each level of hub and partner; none for one that no row has.
    pub component: Vec<Option<u32>>,
    pub components: usize,
    /// One per column that is a combination of those before it and of levels: that column, and a direction of the design.
    pub combinations: Vec<(usize, Vec<IBig>)>,
}

/// Some rows as edges between levels.
struct Forest<'a> {
    design: &'a LevelDesign,
    rows: &'a [usize],
    /// Nodes of hub and partner, in the order in which the search reached them, and the row over which it did.
    order: Vec<u32>,
    via: Vec<u32>,
    component: Vec<Option<u32>>,
    components: usize,
    /// Where each column of the design that is not a level of hub or partner stands among the columns here.
    place: Vec<Option<usize>>,
    columns: Vec<usize>,
}

/// Returns what rows leave free, nothing if it was halted or would take too much memory.
pub(super) fn free_directions(
    design: &LevelDesign,
    rows: &[usize],
    halt: Halt,
) -> Option<FreeDirections> {
    let forest = Forest::new(design, rows);
    let combinations = forest.combinations(halt)?;
    let Forest { component, components, .. } = forest;
    Some(FreeDirections { component, components, combinations })
}

impl<'a> Forest<'a> {
    fn new(design: &'a LevelDesign, rows: &'a [usize]) -> Self {
        let nodes = design.nodes();
        let ends = |row: usize| [design.hub, design.partner].map(|f| design.node(f, row));
        let mut starts = vec![0; nodes + 1];
        for &row in rows {
            ends(row).iter().for_each(|node| starts[node + 1] += 1);
        }
        (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
        let (mut next, mut edges) = (starts.clone(), vec![0_u32; starts[nodes]]);
        for &row in rows {
            for node in ends(row) {
                edges[next[node]] = row as u32;
                next[node] += 1;
            }
        }
        let mut component = vec![None; nodes];
        let (mut order, mut via, mut components) = (vec![], vec![ROOT; nodes], 0);
        for first in design.of_factor(design.hub) {
            if component[first].is_some() || starts[first] == starts[first + 1] {
                continue;
            }
            component[first] = Some(components);
            let mut at = order.len();
            order.push(first as u32);
            while at < order.len() {
                let node = order[at] as usize;
                at += 1;
                for &row in &edges[starts[node]..starts[node + 1]] {
                    let [a, b] = ends(row as usize);
                    let other = if a == node { b } else { a };
                    if component[other].is_none() {
                        component[other] = Some(components);
                        via[other] = row;
                        order.push(other as u32);
                    }
                }
            }
            components += 1;
        }
        // Other factors first: of what depends on each other, the columns of the model are left out.
        let mut columns = vec![];
        for f in (0..design.codes.len()).filter(|f| ![design.hub, design.partner].contains(f)) {
            columns.extend(design.of_factor(f).filter_map(|node| design.column[node]));
        }
        columns.extend(0..design.columns);
        let mut place = vec![None; design.features.columns()];
        columns.iter().enumerate().for_each(|(at, &k)| place[k] = Some(at));
        let components = components as usize;
        Forest { design, rows, order, via, component, components, place, columns }
    }

    /// Calls `visit` with the columns of a row, as they stand here, and its numbers.
    fn entries(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let Features::Sparse(sparse) = &self.design.features else {
            unreachable!("a sparse design");
        };
        let (indices, values) = sparse.row(row);
        for (k, value) in indices.iter().zip(values) {
            if let (Some(place), true) = (self.place[*k as usize], *value != 0.0) {
                visit(place, *value);
            }
        }
    }

    fn ends(&self, row: usize) -> [usize; 2] {
        [self.design.hub, self.design.partner].map(|f| self.design.node(f, row))
    }

    fn combinations(&self, halt: Halt) -> Option<Vec<(usize, Vec<IBig>)>> {
        let count = self.columns.len();
        if count == 0 {
            return Some(vec![]);
        }
        let mut independent = self.independent_rows(halt)?;
        loop {
            if independent.len() == count {
                return Some(vec![]);
            }
            let left: Vec<Vec<IBig>> = independent.iter().map(|&row| self.left_of(row)).collect();
            let vectors =
                orthogonal(&left, count, halt).or_else(|| nullspace(left, count, halt))?;
            let mut found = vec![];
            let mut off = None;
            for vector in vectors {
                if halt() {
                    return None;
                }
                match self.levels(&vector) {
                    Ok(direction) => {
                        // Free columns are the last of those that a vector has.
                        found.push((vector, direction));
                    }
                    Err(row) => {
                        off = Some(row);
                        break;
                    }
                }
            }
            match off {
                Some(row) => independent.push(row),
                None => return Some(self.by_free_column(found)),
            }
        }
    }

    /// Returns the vectors so combined that each has a last column that no other has.
    fn by_free_column(&self, found: Vec<(Vec<IBig>, Vec<IBig>)>) -> Vec<(usize, Vec<IBig>)> {
        let mut left = found;
        let mut done: Vec<(usize, Vec<IBig>, Vec<IBig>)> = vec![];
        while let Some((mut vector, mut direction)) = left.pop() {
            for (k, other, others) in &done {
                cancel(*k, (&mut vector, &mut direction), (other, others));
            }
            let Some(k) = vector.iter().rposition(|v| !v.is_zero()) else { continue };
            for (_, other, others) in &mut done {
                cancel(k, (other, others), (&vector, &direction));
            }
            done.push((k, vector, direction));
        }
        let mut all: Vec<(usize, Vec<IBig>)> =
            done.into_iter().map(|(k, _, direction)| (self.columns[k], direction)).collect();
        all.sort_by_key(|(k, _)| *k);
        all
    }

    /// Returns rows on which what is left of the columns is independent, modulo a prime: as many as there can be.
    fn independent_rows(&self, halt: Halt) -> Option<Vec<usize>> {
        let (count, prime) = (self.columns.len(), Prime(PRIMES[0]));
        let residues = FloatResidues::new(prime);
        if self.design.nodes().saturating_mul(count) > MOST_NUMBERS {
            return None;
        }
        let plus = |a: u64, b: u64| prime.minus(a, prime.minus(0, b));
        let mut said = vec![0_u64; self.design.nodes() * count];
        let mut row_of = vec![0_u64; count];
        let read = |row: usize, out: &mut Vec<u64>| {
            out.fill(0);
            self.entries(row, |k, value| out[k] = residues.of(value));
        };
        for (at, &node) in self.order.iter().enumerate() {
            if at % 1024 == 0 && halt() {
                return None;
            }
            let (node, row) = (node as usize, self.via[node as usize]);
            if row == ROOT {
                continue;
            }
            let [a, b] = self.ends(row as usize);
            let before = if a == node { b } else { a };
            read(row as usize, &mut row_of);
            for k in 0..count {
                said[node * count + k] = prime.minus(row_of[k], said[before * count + k]);
            }
        }
        let mut rows = vec![];
        // Rows in echelon form, each by its first column.
        let mut echelon: Vec<(usize, Vec<u64>)> = vec![];
        for (at, &row) in self.rows.iter().enumerate() {
            if rows.len() == count {
                break;
            }
            if at % 1024 == 0 && halt() {
                return None;
            }
            let [a, b] = self.ends(row);
            read(row, &mut row_of);
            let mut any = false;
            for k in 0..count {
                let sum = plus(said[a * count + k], said[b * count + k]);
                row_of[k] = prime.minus(row_of[k], sum);
                any |= row_of[k] != 0;
            }
            if !any {
                continue;
            }
            for (first, other) in &echelon {
                let factor = row_of[*first];
                if factor != 0 {
                    let pairs = row_of.iter_mut().zip(other).skip(*first);
                    pairs.for_each(|(v, o)| *v = prime.minus(*v, prime.times(factor, *o)));
                }
            }
            let Some(first) = row_of.iter().position(|&v| v != 0) else { continue };
            let inverse = prime.inverse(row_of[first]);
            let own: Vec<u64> = row_of.iter().map(|&v| prime.times(v, inverse)).collect();
            echelon.push((first, own));
            rows.push(row);
        }
        Some(rows)
    }

    /// Returns what is left of all columns on a row, times a power of two.
    fn left_of(&self, row: usize) -> Vec<IBig> {
        let mut sums = vec![ExactSum::default(); self.columns.len()];
        let mut add = |row: usize, sign: i64| {
            self.entries(row, |k, value| {
                let (mantissa, exponent) = parts(value);
                sums[k].add(IBig::from(mantissa) * sign, exponent);
            });
        };
        add(row, 1);
        for mut node in self.ends(row) {
            let mut sign = -1;
            while self.via[node] != ROOT {
                let over = self.via[node] as usize;
                add(over, sign);
                sign = -sign;
                let [a, b] = self.ends(over);
                node = if a == node { b } else { a };
            }
        }
        on_one_exponent(sums)
    }

    /// Returns the direction that is zero on all rows and has these numbers in the columns, or a row on which none is.
    fn levels(&self, vector: &[IBig]) -> Result<Vec<IBig>, usize> {
        let mut lowest = 0;
        for &row in self.rows {
            self.entries(row, |k, value| {
                if !vector[k].is_zero() {
                    lowest = lowest.min(parts(value).1);
                }
            });
        }
        // In units of two to the lowest exponent.
        let value = |row: usize| {
            let mut sum = IBig::ZERO;
            self.entries(row, |k, value| {
                let (mantissa, exponent) = parts(value);
                if !vector[k].is_zero() {
                    sum += (&vector[k] * mantissa) << (exponent - lowest) as usize;
                }
            });
            sum
        };
        let mut said = vec![IBig::ZERO; self.design.nodes()];
        for &node in &self.order {
            let (node, row) = (node as usize, self.via[node as usize]);
            if row != ROOT {
                let [a, b] = self.ends(row as usize);
                said[node] = value(row as usize) - &said[if a == node { b } else { a }];
            }
        }
        for &row in self.rows {
            let [a, b] = self.ends(row);
            if value(row) != &said[a] + &said[b] {
                return Err(row);
            }
        }
        let units = |v: &IBig| v << (-lowest) as usize;
        let levels = said.into_iter().map(|v| -v).collect();
        let mut direction = self.design.direction(&vec![IBig::ZERO; self.design.columns], levels);
        for (&k, v) in self.columns.iter().zip(vector) {
            direction[k] += units(v);
        }
        Ok(direction)
    }
}

/// Takes a number out of a vector and what goes with it, by the help of another.
fn cancel(k: usize, own: (&mut Vec<IBig>, &mut Vec<IBig>), by: (&Vec<IBig>, &Vec<IBig>)) {
    if own.0[k].is_zero() {
        return;
    }
    let (a, b) = (by.0[k].clone(), own.0[k].clone());
    for (own, by) in [(own.0, by.0), (own.1, by.1)] {
        own.iter_mut().zip(by).for_each(|(x, y)| *x = &*x * &a - y * &b);
    }
}
