//! The deciding engine on the paper's data, beside `fine` with skipping, beside a plain L-BFGS, and
//! beside its own scans. Ratios are of CPU time, all threads together.

use linsep::Samples;
use linsep::data::Memory;
use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::decide::internals::{norm_by_active_set, norm_by_interior_point, scan};
use linsep::decide::{
    DecideOptions, Decision, MarginBounds, MarginGoal, MarginKind, Verdict, decide,
};
use linsep::lift::Rows;
use linsep::online::fine::FineSettings;
use linsep::online::{Fit, FitSettings, MethodSettings, fit};
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
        side_by_side(&samples, rounds, (rows == 1_000_000).then_some(4));
        if rows == 1_000_000 {
            outside_the_scans(&samples);
        }
        if columns <= 100 {
            largest_margin(&samples);
        }
        if rows * columns == 10_000_000 && columns > 100 {
            widened(&samples);
        }
    }
    inner_solve();
    sparse();
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
    let (mut decision, mut fines, mut joints, mut peer) = (None, None, None, (0, 0));
    let of = |method| FitSettings { method, ..FitSettings::default() };
    let fine = of(MethodSettings::Fine(FineSettings::default()));
    let joint = of(MethodSettings::Joint(FineSettings::default()));
    let [ours, fine, joint, lbfgs] = shortest_cpu(
        rounds,
        &mut [
            &mut || decision = Some(decided(samples)),
            &mut || fines = fit(samples, &fine, &mut (), None).ok(),
            &mut || joints = fit(samples, &joint, &mut (), None).ok(),
            &mut || peer = lbfgs::fit(samples),
        ],
    );
    let (fines, joints) = (fines.expect("valid settings"), joints.expect("valid settings"));
    let passes_of = |fit: &Fit| fit.rows_evaluated as f64 / samples.rows() as f64;
    let decision = decision.expect("decided");
    let proof = decision.proof().expect("a verdict has a proof");
    let [verified] = shortest_cpu(rounds, &mut [&mut || assert!(verify(samples, proof).is_ok())]);
    let (looks, left) = peer;
    let passes = target.map_or(String::new(), |target| format!(" (target: at most {target})"));
    let stuck = if left > 0 { format!(", {left} mistakes left") } else { String::new() };
    println!(
        "  {} x {}: {} passes{passes} and {} to prove; fine ({} epochs, the work of {:.1} passes) {:.2} (target: \
         over 1), joint ({}, {:.1}, without a proof) {:.2}, plain L-BFGS ({looks} passes{stuck}) {:.2} (target: over 1), verify {:.2}",
        samples.rows(),
        samples.columns(),
        searching(&decision),
        decision.proving_passes,
        fines.epochs,
        passes_of(&fines),
        fine / ours,
        joints.epochs,
        passes_of(&joints),
        joint / ours,
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

/// Prints what the largest margin of either kind costs beside any.
fn widened(samples: &Samples) {
    let run = |kind| {
        let options = DecideOptions::default().with_margin(MarginGoal::Max).with_kind(kind);
        decide(samples, &options, &mut ()).expect("valid options").margin()
    };
    let (mut angular, mut geometric) = (None, None);
    let [any, max_angular, max_geometric] = shortest_cpu(
        1,
        &mut [
            &mut || drop(decided(samples)),
            &mut || angular = Some(run(MarginKind::Angular)),
            &mut || geometric = Some(run(MarginKind::Geometric)),
        ],
    );
    let gap = |margin: Option<MarginBounds>| {
        let margin = margin.expect("run");
        1.0 - margin.lower / margin.upper
    };
    println!(
        "    largest margin: angular {:.1} times the time of any, geometric {:.1} times (target: at most 15); \
         proven gaps {:.1e} and {:.1e}",
        max_angular / any,
        max_geometric / any,
        gap(angular),
        gap(geometric)
    );
}

/// Prints the interior point method beside an active set, on the same rows.
fn inner_solve() {
    println!(
        "point of smallest norm, interior point method beside an active set: CPU time as a multiple"
    );
    for (rows, columns) in [(300, 100), (900, 300), (1_500, 500), (300, 1_000)] {
        let samples = Generator::new(rows, columns, 1).samples::<f64>().expect("two classes");
        let (mut found, mut expected) = (0.0, 0.0);
        let [interior, active] = shortest_cpu(
            1,
            &mut [&mut || found = norm_by_interior_point(&samples, 1e-8), &mut || {
                expected = norm_by_active_set(&samples);
            }],
        );
        println!(
            "  {rows} x {columns}: {:.1}; norms agree to {:.0e}",
            active / interior,
            (found / expected - 1.0).abs()
        );
    }
}

/// Prints sparse rows, fifty values each, beside a plain L-BFGS.
fn sparse() {
    println!(
        "deciding sparse rows of 50 values, with a proof: CPU time of a plain L-BFGS as a multiple"
    );
    for (rows, columns) in [(100_000, 50_000), (20_000, 1_000_000)] {
        let samples = sparse_samples(rows, columns);
        let (mut decision, mut peer) = (None, (0, 0));
        let [ours, lbfgs] = shortest_cpu(
            2,
            &mut [&mut || decision = Some(decided(&samples)), &mut || peer = lbfgs::fit(&samples)],
        );
        let decision = decision.expect("decided");
        println!(
            "  {rows} x {columns}: {} passes and {} to prove; L-BFGS ({} passes, {} mistakes left) {:.1}",
            searching(&decision),
            decision.proving_passes,
            peer.0,
            peer.1,
            lbfgs / ours
        );
    }
}

/// Returns rows of fifty values at random places, labelled by a random hyperplane.
pub fn sparse_samples(rows: usize, columns: usize) -> Samples {
    let mut state = 1_u64;
    let mut draw = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let w: Vec<f64> = (0..columns).map(|_| draw() as f64 / f64::from(1 << 30) - 1.0).collect();
    let mut builder = SparseBuilder::default();
    let mut labels = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut places: Vec<usize> = (0..50).map(|_| draw() % columns).collect();
        places.sort_unstable();
        places.dedup();
        let mut value = 0.0;
        for &column in &places {
            let x = draw() as f64 / f64::from(1 << 30) - 1.0;
            builder.push(column, x);
            value += x * w[column];
        }
        builder.end_row();
        labels.push(value > 0.0);
    }
    Samples::sparse(builder.finish(columns).expect("rising places"), labels).expect("two classes")
}
