//! Levels whose rows have one outcome, peeled off exactly and again and again.
//!
//! ```text
//! left = all rows that count
//! repeat   a level all of whose rows that are left have one outcome sends its coefficient that way, and separates them: they go
//!          where no level is left that does: a column that has one sign, times the outcome, in all rows that are left does the same
//! ```
//!
//! What went last is given its coefficient first, and what went earlier one so large that its rows are above zero whatever those after
//! it do: a direction with at least 1 on all rows that went, and nothing on those that stay. A row has no level that went before it did, so
//! with two factors these integers are no larger than the number of rounds.
//!
//! Cost: linear in the numbers stored, once more per column that goes.

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use linsep_data::Features;
use linsep_proof::exact::{ExactSum, parts};

use super::factors::LevelDesign;
use crate::models::space::on_one_exponent;

/// Which outcomes a row has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub success: bool,
    pub failure: bool,
}

/// What went: a level, or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peel {
    Level(usize),
    Column(usize),
}

/// What went with its rows, and whether its coefficient goes up.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub what: Peel,
    pub up: bool,
    pub rows: Vec<u32>,
}

/// Peels the rows that are `left`: those that go are taken from it. Returns what went, in order.
pub(super) fn peel(
    design: &LevelDesign,
    columns: &Features,
    seen: &[Seen],
    left: &mut [bool],
) -> Vec<Layer> {
    let nodes = design.starts[design.given];
    let own = |row: usize| design.nodes_of(row).take(design.given);
    // How many successes and failures a level has, and which rows.
    let mut tally = vec![[0_u32; 2]; nodes];
    let mut starts = vec![0; nodes + 1];
    let rows: Vec<usize> = (0..left.len()).filter(|&row| left[row]).collect();
    for &row in &rows {
        for node in own(row) {
            tally[node][0] += u32::from(seen[row].success);
            tally[node][1] += u32::from(seen[row].failure);
            starts[node + 1] += 1;
        }
    }
    (0..nodes).for_each(|node| starts[node + 1] += starts[node]);
    let (mut next, mut holders) = (starts.clone(), vec![0_u32; starts[nodes]]);
    for &row in &rows {
        for node in own(row) {
            holders[next[node]] = row as u32;
            next[node] += 1;
        }
    }
    let one_sided = |[successes, failures]: [u32; 2]| (successes == 0) != (failures == 0);
    let mut waiting: Vec<usize> = (0..nodes).filter(|&node| one_sided(tally[node])).collect();
    let mut layers = vec![];
    let mut take = |rows: &[u32], left: &mut [bool], waiting: &mut Vec<usize>| {
        for &row in rows {
            let row = row as usize;
            left[row] = false;
            for node in own(row) {
                let before = one_sided(tally[node]);
                tally[node][0] -= u32::from(seen[row].success);
                tally[node][1] -= u32::from(seen[row].failure);
                if !before && one_sided(tally[node]) {
                    waiting.push(node);
                }
            }
        }
    };
    // First come, first gone: rounds are as few as can be, and so are the digits.
    let mut at = 0;
    loop {
        while at < waiting.len() {
            let node = waiting[at];
            at += 1;
            let stays = holders[starts[node]..starts[node + 1]].iter().copied();
            let rows: Vec<u32> = stays.filter(|&row| left[row as usize]).collect();
            if let Some(&first) = rows.first() {
                let up = seen[first as usize].success;
                take(&rows, left, &mut waiting);
                layers.push(Layer { what: Peel::Level(node), up, rows });
            }
        }
        let Some(layer) = one_sided_column(columns, seen, left) else {
            return layers;
        };
        take(&layer.rows, left, &mut waiting);
        layers.push(layer);
    }
}

/// Returns the first column that has one sign, times the outcome, in all rows that are left, and is not zero in all of them.
fn one_sided_column(columns: &Features, seen: &[Seen], left: &[bool]) -> Option<Layer> {
    let mut signs = vec![[false; 2]; columns.columns()];
    for row in (0..left.len()).filter(|&row| left[row]) {
        columns.for_each(row, |k, value| {
            if value != 0.0 {
                let (up, down) = (value > 0.0, value < 0.0);
                signs[k][0] |= (up && seen[row].success) || (down && seen[row].failure);
                signs[k][1] |= (down && seen[row].success) || (up && seen[row].failure);
            }
        });
    }
    let k = signs.iter().position(|[plus, minus]| plus != minus)?;
    let has = |row: &usize| {
        let mut found = false;
        columns.for_each(*row, |own, value| found |= own == k && value != 0.0);
        found
    };
    let rows = (0..left.len()).filter(|&row| left[row]).filter(has).map(|row| row as u32).collect();
    Some(Layer { what: Peel::Column(k), up: signs[k][0], rows })
}

/// Returns the direction that these layers make, in the design: at least 1, times some number, on the rows that went, and nothing on those that
/// stay.
pub(super) fn direction(
    design: &LevelDesign,
    columns: &Features,
    seen: &[Seen],
    layers: &[Layer],
) -> Vec<IBig> {
    let width = design.columns;
    // Columns first, then levels.
    let mut values = vec![ExactSum::default(); width + design.nodes()];
    for Layer { what, up, rows } in layers.iter().rev() {
        let mut most = ExactSum::of(IBig::ZERO, 0);
        for &row in rows {
            let row = row as usize;
            // What the others leave to do, of 1.
            let mut rest = ExactSum::default();
            let mut own = 1.0;
            columns.for_each(row, |k, value| match what {
                Peel::Column(column) if *column == k => own = value,
                _ => add_times(&mut rest, &values[k], value),
            });
            for node in design.nodes_of(row).take(design.given) {
                if *what != Peel::Level(node) {
                    add_times(&mut rest, &values[width + node], 1.0);
                }
            }
            let mut need = if seen[row].success { rest.negated() } else { rest };
            need.add(IBig::ONE, 0);
            if need.sign().is_le() {
                continue;
            }
            if let Peel::Column(_) = what {
                need = above(&need, own);
            }
            let mut less = need.clone().negated();
            let (mantissa, exponent) = most.clone().into_parts();
            less.add(mantissa, exponent);
            if less.sign().is_lt() {
                most = need;
            }
        }
        // Rows that the others carry by themselves need nothing of it; its sign is told all the same.
        if most.sign().is_eq() {
            most = ExactSum::of(IBig::ONE, 0);
        }
        let place = match what {
            Peel::Column(k) => *k,
            Peel::Level(node) => width + node,
        };
        values[place] = in_few_digits(if *up { most } else { most.negated() });
    }
    let mut values = on_one_exponent(values);
    let levels = values.split_off(width);
    design.direction(&values, levels)
}

fn add_times(sum: &mut ExactSum, value: &ExactSum, times: f64) {
    if times == 0.0 || value.sign().is_eq() {
        return;
    }
    let ((m, e), (mantissa, exponent)) = (value.clone().into_parts(), parts(times));
    sum.add(m * mantissa, e + exponent);
}

/// Returns the same number with an odd mantissa: what is built on it would carry its zeros on.
fn in_few_digits(sum: ExactSum) -> ExactSum {
    let (mantissa, exponent) = sum.into_parts();
    match mantissa.trailing_zeros() {
        Some(zeros) if zeros > 0 => ExactSum::of(mantissa >> zeros, exponent + zeros as i32),
        _ => ExactSum::of(mantissa, exponent),
    }
}

/// Returns a power of two that, times the magnitude of the number, is above what is needed.
fn above(need: &ExactSum, own: f64) -> ExactSum {
    let (mantissa, exponent) = need.clone().into_parts();
    let (own, shift) = parts(own);
    let own_bits = i64::from(own.unsigned_abs().ilog2()) + i64::from(shift);
    let needed = mantissa.bit_len() as i64 + i64::from(exponent);
    ExactSum::of(IBig::ONE, (needed - own_bits) as i32)
}
