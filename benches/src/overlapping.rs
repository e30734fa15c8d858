//! What it costs to prove that nothing separates, beside the same rows with the labels that a hyperplane gives. Ratios are of
//! CPU time, all threads together.

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::samples::{LabelNames, Labels, Missing, SparseBuilder};
use linsep::decide::{DecideOptions, Decision, Verdict, decide};
use linsep::proof::{fingerprint, verify};

use crate::deciding::sparse_samples;
use crate::timing::shortest_cpu;

const SHAPES: [(usize, usize); 8] = [
    (1_000, 10),
    (10_000, 100),
    (100_000, 100),
    (1_000_000, 100),
    (10_000, 300),
    (10_000, 1_000),
    (100_000, 1_000),
    (2_000, 1_000),
];

/// Prints a line per shape.
pub fn run() {
    println!("labels flipped in one row of a hundred, beside the same rows as they were: CPU time");
    for (rows, columns) in SHAPES {
        let samples = Generator::new(rows, columns, 1).samples::<f64>().expect("two classes");
        beside(&format!("{rows} x {columns}"), &samples, &flipped(&samples, 100));
    }
    let samples = sparse_samples(100_000, 50_000);
    beside("sparse 100000 x 50000", &samples, &flipped(&samples, 100));
    println!("text counts, sparse, the same");
    for zipf in [false, true] {
        let samples = words(20_000, 3_000, zipf);
        let name = if zipf { "zipf 20000 x 3000" } else { "even 20000 x 3000" };
        beside(name, &samples, &flipped(&samples, 100));
    }
    println!("labels at random");
    for (rows, columns) in [(100_000, 100), (1_000_000, 20)] {
        let samples = Generator::new(rows, columns, 1).samples::<f64>().expect("two classes");
        beside(&format!("{rows} x {columns}"), &samples, &flipped(&samples, 2));
    }
}

fn decided(samples: &Samples) -> Decision {
    decide(samples, &DecideOptions::default(), &mut ()).expect("valid options")
}

fn beside(name: &str, separable: &Samples, overlapping: &Samples) {
    let rounds = if separable.rows() * separable.columns() > 20_000_000 { 1 } else { 3 };
    let (mut yes, mut no) = (None, None);
    // What takes less than the clock can tell is done many times.
    let times = (2_000_000 / (separable.rows() * separable.columns())).max(1);
    let [easy, hard, read] = shortest_cpu(
        rounds,
        &mut [
            &mut || (0..times).for_each(|_| yes = Some(decided(separable))),
            &mut || (0..times).for_each(|_| no = Some(decided(overlapping))),
            &mut || (0..times).for_each(|_| drop(fingerprint(overlapping))),
        ],
    )
    .map(|seconds| seconds / times as f64);
    let (yes, no) = (yes.expect("decided"), no.expect("decided"));
    let verdict =
        |decision: &Decision| decision.verdict().map_or("undecided".into(), |v| v.to_string());
    let proof = no.proof().expect("a verdict has a proof");
    let check = &mut || (0..times).for_each(|_| assert!(verify(overlapping, proof).is_ok()));
    let [verified] = shortest_cpu(rounds, &mut [check]).map(|seconds| seconds / times as f64);
    let expected = if no.verdict() == Some(Verdict::Inseparable) { "" } else { " (!)" };
    println!(
        "  {name}: {} {:.1} ms; {}{expected} {:.1} ms, {:.1} times (target: at most 3), {} passes, {} rows; \
         {:.1} times one read; verify {:.2} (target: at most 1); proof {:.0} KB",
        verdict(&yes),
        easy * 1e3,
        verdict(&no),
        hard * 1e3,
        hard / easy,
        no.passes,
        no.conflicting_rows().len(),
        hard / read,
        verified / hard,
        proof.to_json().len() as f64 / 1e3,
    );
}

/// Returns the same rows, one label in `every` drawn anew if that is two, else flipped.
fn flipped(samples: &Samples, every: u64) -> Samples {
    let mut state = 7;
    let mut labels = samples.positive().to_vec();
    for label in &mut labels {
        let drawn = linsep::data::hash::draw(&mut state) >> 11;
        *label ^= drawn.is_multiple_of(every);
    }
    let labels = Labels { positive: labels, names: LabelNames::default() };
    Samples::new(samples.features().clone(), labels, Missing::Refuse).expect("two classes")
}

/// Returns counts of words in short texts: all words as likely, or as Zipf has it. Labels are those of a random hyperplane.
fn words(rows: usize, columns: usize, zipf: bool) -> Samples {
    let mut state = 1;
    let mut unit = || (linsep::data::hash::draw(&mut state) >> 11) as f64 / (1_u64 << 53) as f64;
    let w: Vec<f64> = (0..columns).map(|_| unit() - 0.5).collect();
    let mut builder = SparseBuilder::default();
    let mut labels = vec![];
    for _ in 0..rows {
        let word = |u: f64| match zipf {
            // Rank r has the share 1 / r, about.
            true => ((columns as f64).powf(u) - 1.0).min(columns as f64 - 1.0) as usize,
            false => (u * columns as f64) as usize,
        };
        let mut text: Vec<usize> = (0..40).map(|_| word(unit())).collect();
        text.sort_unstable();
        let mut value = 0.0;
        for same in text.chunk_by(|a, b| a == b) {
            builder.push(same[0], same.len() as f64);
            value += same.len() as f64 * w[same[0]];
        }
        builder.end_row();
        labels.push(value > 0.0);
    }
    Samples::sparse(builder.finish(columns).expect("rising places"), labels).expect("two classes")
}
