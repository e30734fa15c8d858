//! The exact solver on a planted conflict of 600 rows with 785 coordinates of 0 to 255, the shape
//! of a conflict among images.

use std::time::Instant;

use dashu_int::ops::BitTest;
use linsep::Samples;
use linsep::decide::conflict::{Conflict, solve};

const ROWS: usize = 600;
const COLUMNS: usize = 784;

/// Prints the time and the size of the multipliers.
pub fn run() {
    println!("exact conflict of {ROWS} rows with {} coordinates of 0 to 255", COLUMNS + 1);
    let samples = planted();
    let rows: Vec<usize> = (0..ROWS).collect();
    let start = Instant::now();
    let conflict = solve(&samples, &rows, &[1.0; ROWS]);
    let seconds = start.elapsed().as_secs_f64();
    let Conflict::Proven(multipliers) = conflict else { panic!("the conflict was planted") };
    let bits = multipliers.iter().map(|(_, multiplier)| multiplier.bit_len()).max();
    println!(
        "  {seconds:.3} s; {} multipliers of up to {} bits",
        multipliers.len(),
        bits.unwrap_or(0)
    );
}

/// Returns rows of which one combination is zero, and that one positive.
///
/// One row more than there are independent coordinates always has such a combination; a row whose
/// multiplier is negative is given the other label, which negates all of y (x, 1). The coordinates
/// beyond are inverted copies of others (the bias makes them dependent) and blank ones.
fn planted() -> Samples {
    let mut state = 1_u64;
    let mut values = Vec::with_capacity(ROWS * COLUMNS);
    for _ in 0..ROWS {
        let start = values.len();
        for c in 0..COLUMNS {
            values.push(match c {
                c if c < ROWS - 2 => {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    f64::from((state >> 56) as u8)
                }
                c if c % 2 == 0 => 255.0 - values[start + c / 2],
                _ => 0.0,
            });
        }
    }
    let mut positive: Vec<bool> = (0..ROWS).map(|i| i % 2 == 0).collect();
    let rows: Vec<usize> = (0..ROWS).collect();
    let labelled = |positive: &[bool]| {
        Samples::dense(values.clone(), COLUMNS, positive.to_vec()).expect("two classes")
    };
    match solve(&labelled(&positive), &rows, &[1.0; ROWS]) {
        Conflict::MixedSigns { wrong, .. } => wrong.iter().for_each(|&i| positive[i] ^= true),
        Conflict::Proven(_) => {}
        Conflict::Independent => panic!("more rows than independent coordinates"),
    }
    labelled(&positive)
}
