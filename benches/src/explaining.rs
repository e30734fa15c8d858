//! How many rows must go, where some labels are wrong: between how many that is proven to lie, and what it takes.

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::decide::{DecideOptions, ExplainOptions, decide, explain};

use crate::timing::shortest;

/// Rows, features and wrong labels.
const SHAPES: [(usize, usize, usize); 4] =
    [(500, 5, 10), (2_000, 20, 20), (5_000, 50, 20), (20_000, 20, 200)];
const SEEDS: u64 = 5;

/// Prints a line per shape and seed: the bounds, and the time of the explanation as a multiple of the decision's.
pub fn run() {
    println!("explaining: how many rows must go, and its time as a multiple of that to decide");
    for (rows, features, wrong) in SHAPES {
        for seed in 1..=SEEDS {
            let samples = flipped(rows, features, wrong, seed);
            let options = DecideOptions::default();
            let decision = decide(&samples, &options, &mut ()).expect("two classes");
            let mut removal = None;
            let [deciding, explaining] = shortest(
                2,
                &mut [&mut || drop(decide(&samples, &options, &mut ())), &mut || {
                    let limits = ExplainOptions::default();
                    removal = explain(&samples, &decision, &limits, &mut ()).removal;
                }],
            );
            let removal = removal.expect("rows to remove");
            println!(
                "  {rows} x {features}, {wrong} wrong labels, seed {seed}: {} to {} rows, {explaining:.2} s, {:.0} times",
                removal.at_least,
                removal.at_most(),
                explaining / deciding
            );
        }
    }
}

/// Returns separable rows with some labels flipped.
fn flipped(rows: usize, features: usize, wrong: usize, seed: u64) -> Samples {
    let good = Generator::new(rows, features, seed).samples::<f64>().expect("two classes");
    let mut values = Vec::with_capacity(rows * features);
    (0..rows).for_each(|i| good.features().for_each(i, |_, v| values.push(v)));
    let mut labels = good.positive().to_vec();
    let (mut turned, mut state) = (vec![false; rows], seed);
    let mut left = wrong;
    while left > 0 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let row = (state >> 33) as usize % rows;
        if !std::mem::replace(&mut turned[row], true) {
            labels[row] = !labels[row];
            left -= 1;
        }
    }
    Samples::dense(values, features, labels).expect("two classes")
}
