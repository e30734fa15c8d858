//! Rows on other machines, where only bytes come here: the same decision to the last bit, with the same
//! proof, however the rows are spread and however what is found in them is merged.

mod machines;
mod tables;

use std::sync::Mutex;

use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::data::{Block, Data, Error, ErrorKind, Memory};
use linsep::decide::remote::{Cluster, Remote, answer, merge};
use linsep::decide::{
    DecideError, DecideOptions, Decision, MarginGoal, MarginKind, Verdict, decide, decide_data,
};
use linsep::distances::distances;
use linsep::models::{SeparationOptions, check_separation_data};
use linsep::picture::{Marks, decision_picture, picture};
use linsep::proof::{verify, verify_data};
use linsep::{Hyperplane, Samples};
use machines::{Machines, answer_in_two};
use tables::{KINDS, Labels, table};

/// Returns everything about a decision that must not depend on where the rows are.
fn essence(decision: &Decision) -> String {
    let Decision { outcome, way, passes, proving_passes, contradiction, .. } = decision;
    let proof = decision.proof().map(|proof| proof.to_json());
    format!("{outcome:?} {way:?} {passes} {proving_passes} {contradiction:?} {proof:?}")
}

/// Checks that rows elsewhere are decided and verified in the same way; returns the decision, and the bytes of
/// the longest answer.
fn check(samples: &Samples, options: &DecideOptions) -> (Decision, usize) {
    let whole = decide(samples, options, &mut ()).unwrap();
    let proof = whole.proof().expect("a verdict has a proof");
    let mut longest = 0;
    for count in [1, 2, 7] {
        let machines = Machines::new(samples, count);
        let remote = machines.remote();
        let decision = decide_data(&remote, options, &mut ()).unwrap();
        assert_eq!(essence(&decision), essence(&whole), "{count} machines");
        assert_eq!(verify_data(&remote, proof, None).unwrap(), verify(samples, proof));
        longest = longest.max(machines.longest.into_inner().unwrap().1);
    }
    (whole, longest)
}

fn values(samples: &Samples) -> Vec<f64> {
    let mut values = vec![];
    (0..samples.rows()).for_each(|i| samples.features().for_each(i, |_, v| values.push(v)));
    values
}

#[test]
fn long_rows_of_every_verdict() {
    let max = DecideOptions::default().with_margin(MarginGoal::Max);
    let separable = Generator::new(30_000, 8, 3).samples::<f64>().unwrap();
    for options in [DecideOptions::default(), max.clone(), max.with_kind(MarginKind::Geometric)] {
        let (decision, longest) = check(&separable, &options);
        assert_eq!(decision.verdict(), Some(Verdict::Separable));
        // Nothing that comes back is as long as the data.
        assert!(longest < separable.rows(), "{longest} bytes");
    }
    let mut labels = separable.positive().to_vec();
    labels[1234] = !labels[1234];
    let flipped = Samples::dense(values(&separable), 8, labels).unwrap();
    assert_eq!(check(&flipped, &DecideOptions::default()).0.verdict(), Some(Verdict::Inseparable));
    let single = Generator::new(4000, 5, 1).samples::<f32>().unwrap();
    check(&single, &DecideOptions::default());
}

#[test]
fn wide_rows_by_the_smooth_way_and_by_duplicates() {
    let wide = Generator::new(300, 800, 3).samples::<f64>().unwrap();
    assert_eq!(check(&wide, &DecideOptions::default()).0.verdict(), Some(Verdict::Separable));
    let (mut twice, mut labels) = (values(&wide), wide.positive().to_vec());
    twice.extend_from_within(800..1600);
    labels.push(!labels[1]);
    let twice = Samples::dense(twice, 800, labels).unwrap();
    assert!(check(&twice, &DecideOptions::default()).0.contradiction.is_some());
}

#[test]
fn sparse_rows() {
    let mut rows = SparseBuilder::default();
    for i in 0..400_usize {
        (0..5).for_each(|k| rows.push(k * 20 + (i * i + 7 * k + i * k) % 20, 1.0 + (i % 3) as f64));
        rows.end_row();
    }
    let labels = (0..400).map(|i| i * i % 7 < 3).collect();
    let samples = Samples::sparse(rows.finish(100).unwrap(), labels).unwrap();
    check(&samples, &DecideOptions::default());
}

#[test]
fn tables_of_every_kind() {
    for kind in KINDS {
        for labels in [Labels::Clean, Labels::Flipped, Labels::Chance] {
            check(&table(kind, 250, 9, labels, 5), &DecideOptions::default());
        }
    }
}

/// Checks that what is drawn of rows elsewhere is what is drawn of the same rows in memory.
fn check_drawn(samples: &Samples, plane: &Hyperplane) {
    let memory = Memory::new(samples);
    let marks = Marks { conflict: vec![(1, "2".to_string())], suspects: vec![0] };
    let drawn = |data: &dyn Data| {
        let found = distances(data, plane, 31).unwrap();
        let bits = [Some(found.low), Some(found.high), found.nearest].map(|v| v.map(f64::to_bits));
        let evaluation = plane.evaluate_data(data).unwrap();
        let picture = serde_json::to_string(&picture(data, plane, &marks).unwrap()).unwrap();
        format!("{bits:?} {:?} {:?} {evaluation:?} {picture}", found.negative, found.positive)
    };
    let expected = drawn(&memory);
    for count in [1, 2, 7] {
        let machines = Machines::new(samples, count);
        let remote = machines.remote();
        assert_eq!(drawn(&remote), expected, "{count} machines");
        let passes = |data: &dyn Data| data.reads().passes(data.shape());
        assert_eq!(passes(&remote), passes(&memory), "{count} machines");
    }
}

#[test]
fn distances_and_pictures_are_those_of_memory() {
    let weights = vec![1.0, -2.0, 0.5, 0.0, 1.0, 0.25];
    let plane = Hyperplane { weights: weights.clone(), bias: 0.1 };
    // As points, and in cells.
    check_drawn(&Generator::new(300, 6, 1).samples::<f64>().unwrap(), &plane);
    check_drawn(&Generator::new(9_000, 6, 1).samples::<f64>().unwrap(), &plane);
    check_drawn(&Generator::new(9_000, 6, 1).samples::<f32>().unwrap(), &plane);
    let mut rows = SparseBuilder::default();
    for i in 0..5_000_usize {
        (0..3).for_each(|k| rows.push(2 * k + i % 2, ((i * i + k) % 11) as f64 - 5.0));
        rows.end_row();
    }
    let labels = (0..5_000_usize).map(|i| i * i % 7 < 3).collect();
    check_drawn(&Samples::sparse(rows.finish(6).unwrap(), labels).unwrap(), &plane);
    // Values that overflow, and no hyperplane at all.
    let far = Samples::dense(
        vec![1e300, 1.0, -1e300, -1.0, 2.0, 3.0],
        1,
        "+-+-+-".chars().map(|c| c == '+').collect(),
    );
    check_drawn(&far.unwrap(), &Hyperplane { weights: vec![1e10], bias: 0.0 });
    let small = Generator::new(300, 6, 1).samples::<f64>().unwrap();
    check_drawn(&small, &Hyperplane { weights: vec![0.0; 6], bias: 0.0 });
}

#[test]
fn the_picture_of_a_decision_is_that_of_memory() {
    let good = Generator::new(3_000, 5, 3).samples::<f64>().unwrap();
    let mut labels = good.positive().to_vec();
    labels[17] = !labels[17];
    let wrong = Samples::dense(values(&good), 5, labels).unwrap();
    for samples in [&good, &wrong] {
        let (options, memory) = (DecideOptions::default(), Memory::new(samples));
        let machines = Machines::new(samples, 3);
        let remote = machines.remote();
        let drawn = |data: &dyn Data| {
            let decision = decide_data(data, &options, &mut ()).unwrap();
            let picture = decision_picture(data, &decision, None, &mut ()).unwrap();
            serde_json::to_string(&picture).unwrap()
        };
        assert_eq!(drawn(&remote), drawn(&memory));
    }
}

#[test]
fn damaged_bytes_are_refused() {
    // Nothing is known of rows with a 0 in the first column: the others are separated.
    let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 - 504.0;
    let rows = (0..50).flat_map(|i| [[-1.0, 0.0, 1.0][i % 3], value(i), value(i * i + 7)]);
    let labels = (0..50).map(|i| [false, i % 2 == 0, true][i % 3]).collect();
    let samples = Samples::dense(rows.collect(), 3, labels).unwrap();
    struct Spy<'a>(Machines<'a>, Mutex<Vec<Vec<u8>>>);
    impl Cluster for Spy<'_> {
        fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error> {
            self.1.lock().unwrap().push(request.to_vec());
            self.0.ask(request)
        }

        fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
            self.0.fetch(rows)
        }
    }
    let spy = Spy(Machines::new(&samples, 2), Mutex::default());
    let shape = Memory::new(&samples).shape();
    let remote = Remote::new(&spy, shape, samples.about().clone());
    decide_data(&remote, &DecideOptions::default(), &mut ()).unwrap();
    let options = SeparationOptions::default().with_intercept(true);
    check_separation_data(&remote, &options, &mut ()).unwrap();
    let plane = Hyperplane { weights: vec![1.0, 2.0, 3.0], bias: 0.5 };
    picture(&remote, &plane, &Marks::default()).unwrap();
    for request in spy.1.into_inner().unwrap() {
        let found = answer_in_two(&request, &samples, 0).unwrap();
        assert_eq!(answer_in_two(&request, &samples, 1), None, "a row beyond the last");
        assert_eq!(answer(&request, &[], 0), None, "no rows");
        assert_eq!(merge(&request, &found, &[&found[..], &[0]].concat()), None);
        for end in 0..request.len() {
            assert_eq!(answer_in_two(&request[..end], &samples, 0), None, "{end} bytes");
        }
        for end in 0..found.len() {
            assert_eq!(merge(&request, &found, &found[..end]), None, "{end} bytes");
        }
        // A changed byte may make another request or another answer; it never panics, nor claims memory.
        for (k, mask) in (0..request.len()).flat_map(|k| [(k, 1), (k, 0x80), (k, 0xff)]) {
            let mut changed = request.clone();
            changed[k] ^= mask;
            let _ = answer_in_two(&changed, &samples, 0);
            let _ = merge(&changed, &found, &found);
        }
        for (k, mask) in (0..found.len()).flat_map(|k| [(k, 1), (k, 0x80), (k, 0xff)]) {
            let mut changed = found.clone();
            changed[k] ^= mask;
            let _ = merge(&request, &found, &changed);
        }
        // The version comes first.
        let mut other = request.clone();
        other[1] ^= 1;
        assert_eq!(answer_in_two(&other, &samples, 0), None);
    }
    struct Liar<'a>(&'a Samples);
    impl Cluster for Liar<'_> {
        fn ask(&self, _: &[u8]) -> Result<Vec<u8>, Error> {
            Ok(vec![1, 2, 3])
        }

        fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
            self.0.part_of(rows)
        }
    }
    let liar = Liar(&samples);
    let remote = Remote::new(&liar, shape, samples.about().clone());
    let error = decide_data(&remote, &DecideOptions::default(), &mut ()).unwrap_err();
    assert!(error.to_string().contains("is no answer to what was asked"), "{error}");
}

#[test]
fn rows_that_are_not_what_they_were_are_noticed() {
    /// From the second pass on there are as many other rows, or fewer.
    struct Changing<'a>(Machines<'a>, Mutex<usize>, Change);
    enum Change {
        Others,
        Fewer,
    }
    impl Cluster for Changing<'_> {
        fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error> {
            let mut passes = self.1.lock().unwrap();
            *passes += 1;
            let rows = self.0.samples;
            Ok(match (*passes, &self.2) {
                (1, _) => self.0.ask(request)?,
                (_, Change::Others) => answer(request, &[Block::whole(rows, 0)], 7).unwrap(),
                (_, Change::Fewer) => {
                    let rest = Block::at(rows, 1..rows.rows(), 1);
                    answer(request, &[rest], rows.rows() as u64).unwrap()
                }
            })
        }

        fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
            self.0.fetch(rows)
        }
    }
    let samples = Generator::new(50, 3, 1).samples::<f64>().unwrap();
    for change in [Change::Others, Change::Fewer] {
        let cluster = Changing(Machines::new(&samples, 2), Mutex::default(), change);
        let shape = Memory::new(&samples).shape();
        let remote = Remote::new(&cluster, shape, samples.about().clone());
        let error = decide_data(&remote, &DecideOptions::default(), &mut ()).unwrap_err();
        let DecideError::Data(error) = error else { panic!("{error}") };
        assert!(matches!(error.kind, ErrorKind::Changed), "{error}");
    }
}
