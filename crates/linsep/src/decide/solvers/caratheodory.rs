//! Fewer rows that still conflict.
//!
//! ```text
//! Given A (r equations, k unknowns, rank r, k > r + 1) and weights w >= 0 with A w = 0, both but
//! for rounding, find r + 1 unknowns that carry such weights by themselves.
//!
//!     bring A to the form (I | X): the weights of r unknowns follow from those of the free ones
//!     while more than one unknown is free:
//!         lower the smallest free weight until it, or a weight that follows from it, is zero
//!         leave that unknown out; if it was not the free one, the free one takes its place
//!
//! This is Caratheodory's theorem with the steps of the simplex method. The other free weights
//! stay as they are and are no smaller, so that the weights never all vanish. Nothing here is
//! believed: the rows that are left are solved exactly.
//! ```

/// Pivots below this times the largest entry count as zero.
const NEGLIGIBLE: f64 = 1e-11;

/// Returns the unknowns to keep, in rising order. The matrix is given by rows. `halt` is asked before
/// each step; what is left then is returned.
pub fn reduce(mut matrix: Vec<Vec<f64>>, weights: &[f64], halt: &dyn Fn() -> bool) -> Vec<usize> {
    let mut weights: Vec<f64> = weights.iter().map(|&w| if w > 0.0 { w } else { 0.0 }).collect();
    for row in &mut matrix {
        let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if largest > 0.0 {
            row.iter_mut().for_each(|v| *v /= largest);
        }
    }
    let mut basis = eliminate(&mut matrix, halt);
    let mut free: Vec<usize> = (0..weights.len()).filter(|u| !basis.contains(u)).collect();
    while free.len() > 1 && !halt() {
        let (at, _) = free
            .iter()
            .enumerate()
            .min_by(|a, b| weights[*a.1].total_cmp(&weights[*b.1]))
            .expect("one is free");
        let falling = free.swap_remove(at);
        // The weight of basis[t] changes by X[t][falling] for each unit that the free one falls.
        let blocking = (0..basis.len())
            .filter(|&t| matrix[t][falling] < -NEGLIGIBLE)
            .map(|t| (t, weights[basis[t]] / -matrix[t][falling]))
            .min_by(|a, b| {
                a.1.total_cmp(&b.1).then(matrix[a.0][falling].total_cmp(&matrix[b.0][falling]))
            });
        let fall = blocking.map_or(weights[falling], |(_, step)| step.min(weights[falling]));
        for (t, &unknown) in basis.iter().enumerate() {
            weights[unknown] = (weights[unknown] + matrix[t][falling] * fall).max(0.0);
        }
        let stays = weights[falling] > fall;
        weights[falling] -= fall;
        if let Some((t, _)) = blocking
            && stays
        {
            basis[t] = falling;
            let pivot = matrix[t][falling];
            free.iter().for_each(|&f| matrix[t][f] /= pivot);
            let row = matrix[t].clone();
            for (_, other) in matrix.iter_mut().enumerate().filter(|(s, _)| *s != t) {
                let factor = other[falling];
                free.iter().for_each(|&f| other[f] -= factor * row[f]);
            }
        }
    }
    basis.extend(free);
    basis.sort_unstable();
    basis
}

/// Brings the matrix to the form (I | X) by complete pivoting, and returns the unknown of each row.
fn eliminate(matrix: &mut Vec<Vec<f64>>, halt: &dyn Fn() -> bool) -> Vec<usize> {
    let mut basis = vec![];
    while basis.len() < matrix.len() && !halt() {
        let done = basis.len();
        let mut best = (0.0_f64, 0, 0);
        for (s, row) in matrix.iter().enumerate().skip(done) {
            for (u, v) in row.iter().enumerate() {
                if v.abs() > best.0 {
                    best = (v.abs(), s, u);
                }
            }
        }
        let (largest, s, u) = best;
        if largest < NEGLIGIBLE {
            break;
        }
        matrix.swap(done, s);
        let pivot = matrix[done][u];
        matrix[done].iter_mut().for_each(|v| *v /= pivot);
        let row = std::mem::take(&mut matrix[done]);
        for other in matrix.iter_mut().filter(|other| !other.is_empty()) {
            let factor = other[u];
            if factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(v, r)| *v -= factor * r);
                other[u] = 0.0;
            }
        }
        matrix[done] = row;
        basis.push(u);
    }
    matrix.truncate(basis.len());
    basis
}
