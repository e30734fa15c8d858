//! The deciding engine on the paper's shapes, beside `fine` with skipping on the same data.

use linsep::data::generate::Generator;
use linsep::decide::{DecideOptions, MarginGoal, Verdict, decide};
use linsep::online::{FitSettings, fit};
use linsep::proof::verify;

use crate::timing::shortest;

const SHAPES: [(usize, usize); 5] =
    [(1_000_000, 100), (100_000, 100), (10_000, 1_000), (1_000, 10_000), (5_000, 5_000)];

/// Prints a line a shape: passes, and time as a multiple of other work on the same data.
pub fn run() {
    println!(
        "deciding the paper's data, with a proof, beside fine with skipping and beside verify"
    );
    for (rows, columns) in SHAPES {
        let samples = Generator::new(rows, columns, 1).samples::<f64>().expect("two classes");
        let (mut any, mut largest, mut epochs) = (None, None, 0);
        let [decided, fitted] = shortest(
            2,
            &mut [
                &mut || any = Some(decide(&samples, &DecideOptions::default(), &mut ())),
                &mut || {
                    let found = fit(&samples, &FitSettings::default(), &mut (), None);
                    epochs = found.expect("valid settings").epochs;
                },
            ],
        );
        let any = any.expect("decided");
        assert_eq!(any.verdict, Verdict::Separable);
        let proof = any.proof.expect("a verdict has a proof");
        let [verified] = shortest(2, &mut [&mut || assert!(verify(&samples, &proof).is_ok())]);
        print!(
            "  {rows} x {columns}: {} passes, {:.2} s; fine ({epochs} epochs) takes {:.1} times as long, \
             verify {:.2} times",
            any.passes,
            decided,
            fitted / decided,
            verified / decided
        );
        if columns <= 100 {
            let options = DecideOptions { margin: MarginGoal::Max, ..DecideOptions::default() };
            shortest(1, &mut [&mut || largest = Some(decide(&samples, &options, &mut ()))]);
            let largest = largest.take().expect("decided");
            let gap = 1.0 - largest.lower / largest.upper;
            print!("; largest margin after {} passes, proven gap {gap:.1e}", largest.passes);
        }
        println!();
    }
}
