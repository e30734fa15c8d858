//! The one order of scores: the smaller first, of equals the earlier.

use std::cmp::Ordering;

/// A score and what it belongs to: a row, or a place in a list.
pub type Scored = (f64, usize);

/// Compares by score, then by place.
pub fn by_score(a: &Scored, b: &Scored) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Keeps the `count` smallest, in no particular order.
pub fn keep_smallest(scored: &mut Vec<Scored>, count: usize) {
    if scored.len() > count {
        if count > 0 {
            scored.select_nth_unstable_by(count - 1, by_score);
        }
        scored.truncate(count);
    }
}
