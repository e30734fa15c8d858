//! Tables as people have them: verdict, CPU time and the way taken, beside a linear program.
//!
//! The peer is an interior point method (Clarabel) that is asked for any w with z·w >= 1. It answers
//! yes or no up to its tolerance, does not tell quasi-separable from inseparable, and proves nothing.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use linsep::Samples;
use linsep::decide::{DecideOptions, Verdict, decide};
use linsep::lift::Rows;
use linsep::proof::verify;

use crate::tables::{Kind, Labels, table};
use crate::timing::shortest_cpu;

/// Seconds after which the peer is stopped.
const PATIENCE: f64 = 30.0;

const TABLES: [(Kind, usize, usize, Labels); 35] = [
    (Kind::Timestamps, 5_000, 50, Labels::Clean),
    (Kind::Timestamps, 5_000, 50, Labels::Flipped),
    (Kind::Scales, 5_000, 50, Labels::Clean),
    (Kind::Scales, 2_000, 300, Labels::Flipped),
    (Kind::Offsets, 5_000, 50, Labels::Clean),
    (Kind::Offsets, 5_000, 50, Labels::Flipped),
    (Kind::Shares, 2_000, 45, Labels::Clean),
    (Kind::Shares, 5_000, 100, Labels::Flipped),
    (Kind::Sums, 5_000, 60, Labels::Clean),
    (Kind::Sums, 5_000, 100, Labels::Flipped),
    (Kind::Copies, 5_000, 60, Labels::Clean),
    (Kind::Copies, 5_000, 60, Labels::Flipped),
    (Kind::LowRank, 5_000, 200, Labels::Clean),
    (Kind::LowRank, 5_000, 200, Labels::Flipped),
    (Kind::Powers, 2_000, 45, Labels::Clean),
    (Kind::Powers, 2_000, 45, Labels::Flipped),
    (Kind::Roundings, 2_000, 45, Labels::Clean),
    (Kind::Factors, 2_000, 149, Labels::Chance),
    (Kind::Factors, 20_000, 300, Labels::Chance),
    (Kind::Factors, 20_000, 300, Labels::Clean),
    (Kind::RareLevel, 5_000, 200, Labels::Chance),
    (Kind::RareLevel, 20_000, 300, Labels::Chance),
    (Kind::TwoWay, 6_000, 71, Labels::Chance),
    (Kind::TwoWay, 6_000, 151, Labels::Chance),
    (Kind::ThreeWay, 6_000, 144, Labels::Chance),
    (Kind::ThreeWay, 20_000, 300, Labels::Chance),
    (Kind::Counts, 5_000, 300, Labels::Flipped),
    (Kind::Ties, 5_000, 40, Labels::Clean),
    (Kind::Missing, 5_000, 100, Labels::Flipped),
    (Kind::Aliased, 5_000, 100, Labels::Flipped),
    (Kind::Hidden, 1_000, 100, Labels::Chance),
    (Kind::Mixed, 5_000, 60, Labels::Clean),
    (Kind::Mixed, 20_000, 120, Labels::Flipped),
    (Kind::MixedRare, 5_000, 200, Labels::Chance),
    (Kind::Plain, 20_000, 300, Labels::Flipped),
];

/// Prints a line per table, and what they come to.
pub fn run() {
    println!(
        "ordinary tables, decided with a proof: CPU time, and that of a linear program (Clarabel, up to \
         {PATIENCE} s) as a multiple of it"
    );
    let (mut decided, mut slowest, mut slower, mut wrong, mut silent) = (0, 0.0_f64, 0, 0, 0);
    for (kind, rows, columns, labels) in TABLES {
        let samples = table(kind, rows, columns, labels, 1);
        let mut decision = None;
        let [cpu] = shortest_cpu(
            3,
            &mut [&mut || {
                let options = DecideOptions::default();
                decision = Some(decide(&samples, &options, &mut ()).expect("valid options"));
            }],
        );
        let decision = decision.expect("decided");
        if let Some(proof) = decision.proof() {
            assert!(verify(&samples, proof).is_ok());
        }
        let mut answer = "";
        let [peer] = shortest_cpu(3, &mut [&mut || answer = linear_program(&samples)]);
        let right = match (answer, decision.verdict()) {
            ("yes", Some(verdict)) => verdict == Verdict::Separable,
            ("no", Some(verdict)) => verdict != Verdict::Separable,
            _ => true,
        };
        println!(
            "  {:<26} {:>6} x {:<3} {:<16} {cpu:>5.2} s  {:<22} peer {:>6.2} ({answer}{})",
            format!("{kind:?}, {labels:?}"),
            samples.rows(),
            samples.columns(),
            decision.word(),
            format!("{:?}, {} passes", decision.way, decision.passes),
            peer / cpu,
            if right { "" } else { ", wrong" }
        );
        decided += usize::from(decision.verdict().is_some());
        slowest = slowest.max(cpu);
        slower += usize::from(cpu > 3.0 * peer && right && matches!(answer, "yes" | "no"));
        wrong += usize::from(!right);
        silent += usize::from(!matches!(answer, "yes" | "no"));
    }
    println!(
        "  {decided} of {} decided (target: all), the slowest in {slowest:.1} s (target: at most 5); {slower} in more \
         than three times the time of the linear program (target: none), which is wrong on {wrong} and has no answer \
         on {silent}",
        TABLES.len()
    );
}

/// Returns what an interior point method makes of z·w >= 1 for all rows.
fn linear_program(samples: &Samples) -> &'static str {
    let rows = Rows::lifted(samples);
    let (n, d) = (rows.len(), rows.dimension());
    let mut columns: Vec<Vec<(usize, f64)>> = vec![vec![]; d];
    for i in 0..n {
        rows.for_each(i, |k, z| {
            if z != 0.0 {
                columns[k].push((i, -z));
            }
        });
    }
    let starts = columns.iter().scan(0, |end, column| {
        *end += column.len();
        Some(*end)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let (indices, values) = columns.into_iter().flatten().unzip();
    let constraints = CscMatrix::new(n, d, starts, indices, values);
    let settings =
        DefaultSettings { verbose: false, time_limit: PATIENCE, ..DefaultSettings::default() };
    let mut solver = DefaultSolver::new(
        &CscMatrix::zeros((d, d)),
        &vec![0.0; d],
        &constraints,
        &vec![-1.0; n],
        &[SupportedConeT::NonnegativeConeT(n)],
        settings,
    )
    .expect("the parts of the problem fit one another");
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved => "yes",
        SolverStatus::PrimalInfeasible => "no",
        SolverStatus::MaxTime => "out of time",
        _ => "no answer",
    }
}
