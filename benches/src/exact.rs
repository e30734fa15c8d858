//! The exact solver on planted conflicts: 600 rows with 785 coordinates of 0 to 255, the shape of
//! a conflict among images, and 300 rows of real numbers, whose doubles have all their bits.

use std::time::Instant;

use linsep::Samples;
use linsep::decide::internals::exact_conflict;

/// Prints the time and the size of the multipliers.
pub fn run() {
    measure("600 rows with 785 coordinates of 0 to 255", 600, 784, |random| {
        f64::from((random >> 56) as u8)
    });
    measure("300 rows with 400 coordinates of real numbers", 300, 399, |random| {
        255.0 * (random >> 11) as f64 / (1_u64 << 53) as f64
    });
}

fn measure(name: &str, rows: usize, columns: usize, value: fn(u64) -> f64) {
    let samples = planted(rows, columns, value);
    let start = Instant::now();
    let (count, bits) = exact_conflict(&samples).expect("the conflict was planted");
    let seconds = start.elapsed().as_secs_f64();
    println!("exact conflict of {name}");
    println!("  {seconds:.3} s; {count} multipliers of up to {bits} bits");
}

/// Returns rows with one combination that is zero, and that one positive.
///
/// One row more than there are independent coordinates always has such a combination; a row whose
/// multiplier is negative is given the other label, which negates all of y (x, 1). The coordinates
/// beyond are fainter copies of others and blank ones.
fn planted(rows: usize, columns: usize, value: fn(u64) -> f64) -> Samples {
    let mut state = 1_u64;
    let mut values = Vec::with_capacity(rows * columns);
    for _ in 0..rows {
        let start = values.len();
        for c in 0..columns {
            values.push(match c {
                c if c < rows - 2 => {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    value(state)
                }
                c if c % 2 == 0 => values[start + c / 2] / 2.0,
                _ => 0.0,
            });
        }
    }
    let mut positive: Vec<bool> = (0..rows).map(|i| i % 2 == 0).collect();
    let labelled = |positive: &[bool]| {
        Samples::dense(values.clone(), columns, positive.to_vec()).expect("two classes")
    };
    if let Err(wrong) = exact_conflict(&labelled(&positive)) {
        wrong.iter().for_each(|&i| positive[i] ^= true);
    }
    labelled(&positive)
}
