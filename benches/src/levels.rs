//! Factors of many levels: verdict, CPU time, and what was peeled off.

use linsep::data::Features;
use linsep::data::samples::Dense;
use linsep::models::{
    Factor, Model, Response, SeparationKind, SeparationOptions, Trial, absorbed_design,
    check_absorbed,
};
use linsep::proof::verify_model;

use crate::timing::shortest_cpu;

/// Rows, levels, the share of rows with an event, and whether these are counts.
const SHAPES: [(usize, &[usize], f64, bool); 8] = [
    (20_000, &[800, 100], 0.3, false),
    (20_000, &[2_000, 500], 0.3, false),
    (20_000, &[2_000, 500], 0.3, true),
    (20_000, &[2_000, 50, 20], 0.3, true),
    (100_000, &[10_000, 300], 0.3, false),
    (100_000, &[10_000, 300], 0.1, true),
    (1_000_000, &[99_000, 1_000], 0.3, false),
    (1_000_000, &[99_000, 1_000], 0.3, true),
];

/// Numbers in the order of a fixed seed.
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns about a normal number.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// Returns two columns, factors whose levels have effects, and outcomes.
fn data(
    rows: usize,
    levels: &[usize],
    share: f64,
    counts: bool,
) -> (Features, Vec<Factor>, Response) {
    let mut stream = Stream(rows as u64 + levels[0] as u64);
    let effects: Vec<Vec<f64>> =
        levels.iter().map(|&count| (0..count).map(|_| stream.normal()).collect()).collect();
    let base = (share / (1.0 - share)).ln();
    let (mut values, mut trials) = (vec![], vec![]);
    let mut codes = vec![vec![]; levels.len()];
    for _ in 0..rows {
        let x = [stream.normal(), stream.normal()];
        let mut score = base + 0.5 * x[0] - 0.5 * x[1];
        for ((codes, effects), &count) in codes.iter_mut().zip(&effects).zip(levels) {
            let level = (stream.unit() * count as f64) as usize;
            codes.push(level as u32);
            score += effects[level];
        }
        let event = stream.unit() < 1.0 / (1.0 + (-score).exp());
        trials.push(match (event, counts) {
            (true, true) => Trial::Both,
            (true, false) => Trial::Success,
            _ => Trial::Failure,
        });
        values.extend(x);
    }
    let factor = |(f, (codes, &count)): (usize, (Vec<u32>, &usize))| {
        let levels = (0..count).map(|level| level.to_string()).collect();
        Factor { name: format!("f{f}"), levels, codes }
    };
    let factors = codes.into_iter().zip(levels).enumerate().map(factor).collect();
    (Features::from(Dense::new(values, rows, 2)), factors, Response::Trials(trials))
}

/// Prints a line per shape.
pub fn run() {
    println!(
        "factors of many levels, with a proof that holds: CPU time (targets: 5 s for 20,000 rows, 60 s for 1,000,000)"
    );
    for (rows, levels, share, counts) in SHAPES {
        let (columns, factors, response) = data(rows, levels, share, counts);
        let model = match counts {
            true => Model::Poisson { intercept: true },
            false => Model::Binomial { intercept: true },
        };
        let mut found = None;
        let [cpu] = shortest_cpu(
            1,
            &mut [&mut || {
                let options = SeparationOptions::default();
                let answer =
                    check_absorbed(&columns, &factors, &model, &response, None, &options, &mut ());
                found = Some(answer.expect("outcomes"));
            }],
        );
        let found = found.expect("an answer");
        let mut holds = false;
        let [checked] = shortest_cpu(
            1,
            &mut [&mut || {
                holds = found.proof.as_ref().is_some_and(|proof| {
                    let design = absorbed_design(&columns, &factors, None);
                    verify_model(&design, &model, &response, None, proof)
                        .is_ok_and(|own| own.is_ok())
                });
            }],
        );
        assert!(holds || matches!(found.kind, SeparationKind::Undecided(_)));
        let gone: usize = found.absorbed.iter().map(|own| own.gone.len()).sum();
        println!(
            "  {rows:>9} rows, {:<16} {:<9} {:<14} {cpu:>6.2} s, verified in {checked:>5.2} s; {} rows separated, {gone} levels gone",
            levels.iter().map(usize::to_string).collect::<Vec<_>>().join(" + "),
            model.name(),
            found.kind.to_string(),
            found.rows.len(),
        );
    }
}
