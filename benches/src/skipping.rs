//! `fine` with and without lossless skipping on the paper's experiment (c): the same result, the
//! time and the rows evaluated.

use linsep::data::generate::Generator;
use linsep::online::fine::FineSettings;
use linsep::online::{Fit, FitSettings, MethodSettings, fit};

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 100;

/// Prints one line per seed.
pub fn run() {
    println!("fine on {ROWS} x {COLUMNS}, with lossless skipping beside the plain loop");
    for seed in 1..=2 {
        let samples = Generator::new(ROWS, COLUMNS, seed).samples::<f64>().expect("two classes");
        let run = |skip: bool| {
            let method = MethodSettings::Fine(FineSettings { skip, ..FineSettings::default() });
            let settings = FitSettings { method, ..FitSettings::default() };
            fit(&samples, &settings, &mut (), None).expect("valid settings")
        };
        let (skipping, plain) = (run(true), run(false));
        let same = |f: &Fit| (f.hyperplane.clone(), f.epochs, f.updates, f.stop);
        assert_eq!(same(&skipping), same(&plain), "skipping must change nothing");
        let passes = |f: &Fit| f.rows_evaluated as f64 / ROWS as f64;
        println!(
            "  seed {seed}: {} epochs, {} updates; passes' worth of rows {:.1} against {:.0}; \
             {:.2} s against {:.2} s, {:.1} times faster; weights identical",
            plain.epochs,
            plain.updates,
            passes(&skipping),
            passes(&plain),
            skipping.seconds,
            plain.seconds,
            plain.seconds / skipping.seconds
        );
    }
}
