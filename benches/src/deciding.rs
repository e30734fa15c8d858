//! The deciding engine on the paper's data, beside `fine` with skipping, beside a plain L-BFGS, and
//! beside its own scans. Ratios are of CPU time, all threads together.

use linsep::Samples;
use linsep::data::Memory;
use linsep::data::generate::Generator;
use linsep::decide::internals::scan;
use linsep::decide::{DecideOptions, Decision, MarginGoal, Verdict, decide};
use linsep::lift::Rows;
use linsep::online::{FitSettings, fit};
use linsep::proof::verify;

use crate::lbfgs;
use crate::timing::shortest_cpu;

const SHAPES: [(usize, usize); 5] =
    [(1_000_000, 100), (100_000, 100), (10_000, 1_000), (1_000, 10_000), (10_000, 10_000)];
/// Experiments (a) and (b) of the paper, at full size.
const FULL: [(usize, usize); 2] = [(10_000, 100_000), (100_000, 10_000)];

/// Prints a line per shape: passes, and the CPU time of others on the same data as a multiple.
pub fn run() {
    println!("deciding the paper's data, with a proof: CPU time of others as a multiple of it");
    for (rows, columns) in SHAPES {
        let samples = Generator::new(rows, columns, 1).samples::<f64>().expect("two classes");
        let rounds = if rows * columns > 20_000_000 { 1 } else { 3 };
        side_by_side(&samples, rounds, (rows == 1_000_000).then_some(6));
        if rows == 1_000_000 {
            outside_the_scans(&samples);
        }
        if columns <= 100 {
            largest_margin(&samples);
        }
    }
}

/// Prints the same for the two full-size experiments that take 4 GB each: for those who ask.
pub fn run_full() {
    println!("deciding the paper's full-size (a) and (b), f32, with a proof");
    for (rows, columns) in FULL {
        let samples = Generator::new(rows, columns, 1).samples::<f32>().expect("two classes");
        let mut decision = None;
        let [cpu] = shortest_cpu(1, &mut [&mut || decision = Some(decided(&samples))]);
        let decision = decision.expect("decided");
        println!(
            "  {rows} x {columns}: {} passes (target: at most 25) and {} to prove, {:.1} s, {cpu:.1} s of CPU time",
            searching(&decision),
            decision.proving_passes,
            decision.seconds
        );
    }
}

fn decided(samples: &Samples) -> Decision {
    let decision = decide(samples, &DecideOptions::default(), &mut ()).expect("valid options");
    assert_eq!(decision.verdict(), Some(Verdict::Separable));
    decision
}

fn side_by_side(samples: &Samples, rounds: usize, target: Option<u64>) {
    let (mut decision, mut epochs, mut peer) = (None, 0, (0, 0));
    let [ours, fine, lbfgs] = shortest_cpu(
        rounds,
        &mut [
            &mut || decision = Some(decided(samples)),
            &mut || {
                let found = fit(samples, &FitSettings::default(), &mut (), None);
                epochs = found.expect("valid settings").epochs;
            },
            &mut || peer = lbfgs::fit(samples),
        ],
    );
    let decision = decision.expect("decided");
    let proof = decision.proof().expect("a verdict has a proof");
    let [verified] = shortest_cpu(rounds, &mut [&mut || assert!(verify(samples, proof).is_ok())]);
    let (looks, left) = peer;
    let passes = target.map_or(String::new(), |target| format!(" (target: at most {target})"));
    let stuck = if left > 0 { format!(", {left} mistakes left") } else { String::new() };
    println!(
        "  {} x {}: {} passes{passes} and {} to prove; fine ({epochs} epochs) {:.2} (target: over 1), \
         plain L-BFGS ({looks} passes{stuck}) {:.2} (target: over 1), verify {:.2}",
        samples.rows(),
        samples.columns(),
        searching(&decision),
        decision.proving_passes,
        fine / ours,
        lbfgs / ours,
        verified / ours
    );
}

/// Returns the passes that were not made to prove.
fn searching(decision: &Decision) -> u64 {
    decision.passes - decision.proving_passes
}

fn outside_the_scans(samples: &Samples) {
    let rows = Rows::lifted(samples);
    let w = rows.vector(0);
    let keep = 4 * rows.dimension();
    let passes = searching(&decided(samples));
    let memory = Memory::new(samples);
    // As many scans in a row as a decision makes: single ones would meet the quiet moments.
    let [whole, scans] = shortest_cpu(
        3,
        &mut [&mut || assert_eq!(searching(&decided(samples)), passes), &mut || {
            for _ in 0..passes {
                let (_, found) = scan(&memory, w.clone(), keep).expect("memory can be read");
                assert_eq!(found, keep);
            }
        }],
    );
    println!(
        "    outside its scans (inner solves, fingerprint, proof) {:.2} of the time in them \
         (target: at most 1)",
        whole / scans - 1.0
    );
}

fn largest_margin(samples: &Samples) {
    let options = DecideOptions::default().with_margin(MarginGoal::Max);
    let largest = decide(samples, &options, &mut ()).expect("valid options");
    println!(
        "    largest margin after {} passes (target: at most 12), proven gap {:.1e} (target: at most 1e-6)",
        searching(&largest),
        1.0 - largest.margin().lower / largest.margin().upper
    );
}
