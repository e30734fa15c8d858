//! What rows have in common: conditions on one column that hold for them and for no others.
//!
//! ```text
//! for each column   x = v      a number that none of the others has
//!                   x > m      m the largest number that any of the others has, and the same from below
//! then              the condition that covers most rows, and so on with those that are left
//! ```

use std::collections::{HashMap, HashSet};
use std::fmt;

use linsep_data::Features;
use linsep_proof::exact::Row;
use rayon::prelude::*;

/// Conditions that are named at most: more explain nothing.
const MOST: usize = 5;
/// Different numbers of a column among the rows, at most, for it to be one of levels.
const LEVELS: usize = 64;

/// A condition on one column.
#[derive(Clone, Debug, PartialEq)]
pub struct InCommon {
    /// The column.
    pub column: usize,
    /// How its number compares.
    pub relation: Relation,
    /// With what.
    pub value: f64,
    /// The rows for which it holds, of those that no condition before it covers.
    pub rows: Vec<usize>,
}

/// How numbers compare. Displayed as a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Equal,
    /// At least.
    AtLeast,
    /// At most.
    AtMost,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Relation::Equal => "=",
            Relation::AtLeast => ">=",
            Relation::AtMost => "<=",
        })
    }
}

/// Returns conditions that hold for some of the rows that are `members`, and for no other row that is `kept`: those first
/// that cover most. Rows that none covers are left out. Costs a look at all values.
pub fn in_common(design: &Features, members: &[bool], kept: Option<&[bool]>) -> Vec<InCommon> {
    let found = (0..design.columns()).into_par_iter();
    let mut conditions: Vec<InCommon> =
        found.flat_map_iter(|column| of_column(design, column, members, kept)).collect();
    let mut covered: HashSet<usize> = HashSet::new();
    let mut chosen = vec![];
    while chosen.len() < MOST {
        for condition in &mut conditions {
            condition.rows.retain(|row| !covered.contains(row));
        }
        // Of equals the earlier column, and levels before limits.
        let best = (0..conditions.len())
            .max_by_key(|&k| (conditions[k].rows.len(), std::cmp::Reverse(k)))
            .filter(|&k| !conditions[k].rows.is_empty());
        let Some(best) = best else {
            break;
        };
        let condition = conditions.swap_remove(best);
        conditions.sort_by_key(|condition| condition.column);
        covered.extend(&condition.rows);
        chosen.push(condition);
    }
    chosen
}

/// Returns the conditions on one column.
fn of_column(
    design: &Features,
    column: usize,
    members: &[bool],
    kept: Option<&[bool]>,
) -> Vec<InCommon> {
    let value = |row: usize| {
        let mut found = 0.0;
        Row::of(design, row).for_each_in(column..column + 1, |_, v| found = v + 0.0);
        found
    };
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut levels: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut own = vec![];
    // A row of weight 0 is evidence neither for nor against.
    let counts = |row: usize| kept.is_none_or(|kept| kept[row]);
    for (row, &member) in members.iter().enumerate().filter(|(row, _)| counts(*row)) {
        let x = value(row);
        if !member {
            (least, most) = (least.min(x), most.max(x));
            continue;
        }
        own.push((row, x));
        if levels.len() <= LEVELS {
            levels.entry(x.to_bits()).or_default().push(row);
        }
    }
    let condition = |relation, value, rows| InCommon { column, relation, value, rows };
    let mut found = vec![];
    if levels.len() <= LEVELS {
        let others = members.iter().enumerate().filter(|(row, member)| !**member && counts(*row));
        for (row, _) in others {
            levels.remove(&value(row).to_bits());
            if levels.is_empty() {
                break;
            }
        }
        let mut left: Vec<(u64, Vec<usize>)> = levels.into_iter().collect();
        left.sort_by(|a, b| f64::from_bits(a.0).total_cmp(&f64::from_bits(b.0)));
        let level = |(bits, rows)| condition(Relation::Equal, f64::from_bits(bits), rows);
        found.extend(left.into_iter().map(level));
    }
    let beyond = |keep: &dyn Fn(f64) -> bool| -> Vec<(usize, f64)> {
        own.iter().copied().filter(|(_, x)| keep(*x)).collect()
    };
    let rows = |some: &[(usize, f64)]| some.iter().map(|(row, _)| *row).collect();
    // A limit that one level meets says no more than the level.
    let above = beyond(&|x| x > most);
    let lowest = above.iter().map(|(_, x)| *x).fold(f64::INFINITY, f64::min);
    if above.iter().any(|(_, x)| *x > lowest) {
        found.push(condition(Relation::AtLeast, lowest, rows(&above)));
    }
    let below = beyond(&|x| x < least);
    let highest = below.iter().map(|(_, x)| *x).fold(f64::NEG_INFINITY, f64::max);
    if below.iter().any(|(_, x)| *x < highest) {
        found.push(condition(Relation::AtMost, highest, rows(&below)));
    }
    found
}

#[cfg(test)]
mod tests {
    use linsep_data::samples::Dense;

    use super::*;

    fn check(values: &[f64], columns: usize, members: &str, expected: &str) {
        let design = Features::from(Dense::new(values.to_vec(), members.len(), columns));
        let members: Vec<bool> = members.chars().map(|c| c == 'x').collect();
        let found: Vec<String> = in_common(&design, &members, None)
            .iter()
            .map(|c| format!("x{} {} {}: {:?}", c.column, c.relation, c.value, c.rows))
            .collect();
        assert_eq!(found.join("; "), expected);
    }

    #[test]
    fn levels_and_limits() {
        check(&[0.0, 1.0, 1.0, 0.0], 1, ".xx.", "x0 = 1: [1, 2]");
        check(&[0.0, 1.0, 1.0, 1.0], 1, ".xx.", "");
        check(&[1.0, 2.0, 3.0, 4.0], 1, "..xx", "x0 >= 3: [2, 3]");
        check(&[1.0, 2.0, 3.0, 4.0], 1, "x..x", "x0 = 1: [0]; x0 = 4: [3]");
        check(&[1.0, 2.0, 3.0, 4.0], 1, "xxxx", "x0 >= 1: [0, 1, 2, 3]");
        // The second column covers more; the first adds what is left.
        let two = [0.0, 5.0, 0.0, 6.0, 1.0, 0.0, 0.0, 0.0];
        check(&two, 2, "xxx.", "x1 >= 5: [0, 1]; x0 = 1: [2]");
    }

    #[test]
    fn rows_of_no_weight_say_nothing() {
        // The third row has the level of the second, and would speak against it.
        let design = Features::from(Dense::new(vec![0.0, 1.0, 1.0, 0.0], 4, 1));
        let members = [false, true, false, false];
        assert!(in_common(&design, &members, None).is_empty());
        let found = in_common(&design, &members, Some(&[true, true, false, true]));
        assert_eq!(found.iter().map(|c| c.rows.len()).collect::<Vec<_>>(), [1]);
    }
}
