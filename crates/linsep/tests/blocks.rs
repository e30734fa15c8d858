//! The same rows in memory, cut into blocks in any order, and in a file that is read in blocks: the
//! same decision to the last bit, with the same proof, and the same hyperplane of every method.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linsep::data::generate::Generator;
use linsep::data::read::{ReadOptions, Source, StreamOptions, Streamed, read};
use linsep::data::samples::{About, SparseBuilder};
use linsep::data::write::{npy_header, npy_labels};
use linsep::data::{Absorb, Block, Data, Error, Memory, Reads, Shape};
use linsep::decide::{
    DecideError, DecideOptions, Decision, ExplainOptions, MarginGoal, MarginKind, Verdict, Way,
    decide, decide_data, explain,
};
use linsep::online::{Checkpoint, Fit, FitSettings, MethodSettings, Scaling, fit, fit_data};
use linsep::proof::{verify, verify_data};
use linsep::{Samples, Watch};

/// Threads that show blocks at the same time: as many copies of a fold are merged.
const THREADS: usize = 8;

/// Rows that are cut into blocks and shown in a shuffled order.
struct Cut<'a> {
    samples: &'a Samples,
    /// The first row of each block, and its rows.
    blocks: Vec<(usize, Samples)>,
    resident: bool,
    reads: Reads,
}

impl<'a> Cut<'a> {
    fn new(samples: &'a Samples, blocks: usize, resident: bool) -> Self {
        let rows = samples.rows();
        let blocks = blocks.min(rows);
        let mut blocks: Vec<(usize, Samples)> = (0..blocks)
            .map(|k| {
                let range = k * rows / blocks..(k + 1) * rows / blocks;
                let part: Vec<usize> = range.clone().collect();
                (range.start, samples.part_of(&part).unwrap())
            })
            .collect();
        // A fixed shuffle: far blocks become neighbours.
        blocks.sort_by_key(|(first, _)| first.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        Cut { samples, blocks, resident, reads: Reads::default() }
    }
}

impl Data for Cut<'_> {
    fn shape(&self) -> Shape {
        Memory::new(self.samples).shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.samples.rows() as u64);
        for some in self.blocks.chunks(THREADS) {
            std::thread::scope(|scope| {
                for (first, samples) in some {
                    scope.spawn(move || seen.absorb(&Block::whole(samples, *first)));
                }
            });
        }
        Ok(())
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.samples.part_of(rows)
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut in_order: Vec<&(usize, Samples)> = self.blocks.iter().collect();
        in_order.sort_by_key(|(at, _)| *at);
        for (at, samples) in in_order.into_iter().filter(|(at, part)| at + part.rows() > first) {
            let block = Block::whole(samples, *at).from(first.saturating_sub(*at));
            self.reads.add(block.places().len() as u64);
            if see(&block).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn resident(&self) -> Option<&Samples> {
        self.resident.then_some(self.samples)
    }

    fn about(&self) -> &Arc<About> {
        self.samples.about()
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

/// Returns everything about a decision that must not depend on where the rows are.
fn essence(decision: &Decision) -> String {
    let Decision { outcome, way, passes, proving_passes, contradiction, .. } = decision;
    let proof = decision.proof().map(|proof| proof.to_json());
    format!("{outcome:?} {way:?} {passes} {proving_passes} {contradiction:?} {proof:?}")
}

/// Checks that cuts change nothing, and returns the decision.
fn check(samples: &Samples, options: &DecideOptions) -> Decision {
    let whole = decide(samples, options, &mut ()).unwrap();
    let proof = whole.proof().expect("a verdict has a proof");
    for blocks in [1, 2, 7, 1000] {
        let cut = Cut::new(samples, blocks, true);
        let decision = decide_data(&cut, options, &mut ()).unwrap();
        assert_eq!(essence(&decision), essence(&whole), "{blocks} blocks");
        let verified = verify_data(&cut, proof, None).unwrap();
        assert_eq!(verified, verify(samples, proof), "{blocks} blocks");
    }
    whole
}

/// Checks the same where the rows are not in memory, which the plan may know.
fn check_elsewhere(samples: &Samples, options: &DecideOptions) {
    let whole = decide(samples, options, &mut ()).unwrap();
    for blocks in [1, 7, 1000] {
        let cut = Cut::new(samples, blocks, false);
        let decision = decide_data(&cut, options, &mut ()).unwrap();
        assert_eq!(essence(&decision), essence(&whole), "{blocks} blocks elsewhere");
    }
}

fn values(samples: &Samples) -> Vec<f64> {
    let mut values = vec![];
    (0..samples.rows()).for_each(|i| samples.features().for_each(i, |_, v| values.push(v)));
    values
}

#[test]
fn long_rows_of_every_verdict() {
    let any = DecideOptions::default();
    let good = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
    for options in [
        any.clone(),
        any.clone().with_margin(MarginGoal::Max),
        any.clone().with_margin(MarginGoal::Max).with_kind(MarginKind::Geometric),
    ] {
        let decision = check(&good, &options);
        assert_eq!(decision.verdict(), Some(Verdict::Separable));
        check_elsewhere(&good, &options);
    }
    let mut labels = good.positive().to_vec();
    [17, 400, 2999].iter().for_each(|&i| labels[i] = !labels[i]);
    let wrong = Samples::dense(values(&good), 8, labels.clone()).unwrap();
    assert_eq!(check(&wrong, &any).verdict(), Some(Verdict::Inseparable));
    check_elsewhere(&wrong, &any);
    // One more feature, which only positive rows have.
    let more: Vec<f64> = values(&good)
        .chunks(8)
        .zip(&labels)
        .enumerate()
        .flat_map(|(i, (row, &p))| {
            row.iter().copied().chain([f64::from(u8::from(p && i % 100 == 0))])
        })
        .collect();
    let quasi = Samples::dense(more, 9, labels).unwrap();
    assert_eq!(check(&quasi, &any).verdict(), Some(Verdict::QuasiSeparable));
    check_elsewhere(&quasi, &any);
}

#[test]
fn many_rows_are_sampled_first() {
    let good = Generator::new(20_000, 4, 3).samples::<f64>().unwrap();
    let decision = check(&good, &DecideOptions::default());
    assert_eq!(decision.verdict(), Some(Verdict::Separable));
    let searching = decision.passes - decision.proving_passes;
    assert!(searching <= 3, "{searching} passes");
    check(&good, &DecideOptions::default().with_margin(MarginGoal::Max));
    let labels: Vec<bool> =
        good.positive().iter().enumerate().map(|(i, &p)| p != (i % 5000 == 17)).collect();
    let wrong = Samples::dense(values(&good), 4, labels).unwrap();
    let decision = check(&wrong, &DecideOptions::default());
    assert_eq!(decision.verdict(), Some(Verdict::Inseparable));
    check_elsewhere(&wrong, &DecideOptions::default());
}

#[test]
fn wide_rows_by_the_smooth_way_and_by_duplicates() {
    let any = DecideOptions::default();
    let good = Generator::new(400, 900, 5).samples::<f64>().unwrap();
    let decision = check(&good, &any);
    assert_eq!((decision.verdict(), decision.way), (Some(Verdict::Separable), Way::Smooth));
    check_elsewhere(&good, &any);
    let narrow: Vec<f32> = values(&good).iter().map(|&v| v as f32).collect();
    let narrow = Samples::dense(narrow, 900, good.positive().to_vec()).unwrap();
    assert_eq!(check(&narrow, &any).way, Way::Smooth);
    let mut twice = values(&good);
    twice.copy_within(..900, 399 * 900);
    let labels = (0..400).map(|i| i % 2 == 0).collect();
    let twice = Samples::dense(twice, 900, labels).unwrap();
    let decision = check(&twice, &any);
    assert_eq!((decision.way, decision.contradiction), (Way::Duplicates, Some((0, 399))));
    check_elsewhere(&twice, &any);
}

#[test]
fn wrong_labels_of_many_features_by_one_matrix() {
    let good = Generator::new(2600, 104, 5).samples::<f64>().unwrap();
    let labels = good.positive().iter().enumerate().map(|(i, y)| *y != (i % 50 == 0)).collect();
    let wrong = Samples::dense(values(&good), 104, labels).unwrap();
    let decision = check(&wrong, &DecideOptions::default());
    assert_eq!((decision.verdict(), decision.way), (Some(Verdict::Inseparable), Way::Newton));
    check_elsewhere(&wrong, &DecideOptions::default());
}

/// How many rows must go is checked in blocks as it is in memory.
#[test]
fn removals_are_checked_wherever_rows_are() {
    let good = Generator::new(600, 3, 2).samples::<f64>().unwrap();
    let mut labels = good.positive().to_vec();
    [7, 80, 300, 421, 599].iter().for_each(|&row: &usize| labels[row] = !labels[row]);
    let samples = Samples::dense(values(&good), 3, labels).unwrap();
    let mut decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    let explanation = explain(&samples, &decision, &ExplainOptions::default(), &mut ());
    explanation.extend_proof(&mut decision);
    let proof = decision.proof().unwrap();
    let mut wrong = proof.clone();
    let stays = wrong.removal.as_mut().unwrap().rows.remove(0);
    for blocks in [1, 7, 64] {
        let cut = Cut::new(&samples, blocks, false);
        let found = verify_data(&cut, proof, None).unwrap().unwrap();
        assert_eq!(Ok(found), verify(&samples, proof));
        assert!(found.removals().is_some_and(|removals| removals.at_most == 5));
        let refused = verify_data(&cut, &wrong, None).unwrap().unwrap_err();
        assert_eq!(refused.to_string(), format!("row {stays} is on the wrong side"));
    }
}

#[test]
fn columns_of_very_different_size_on_the_ladder() {
    let good = Generator::new(700, 42, 6).samples::<f64>().unwrap();
    let mut scaled = values(&good);
    for (k, v) in scaled.iter_mut().enumerate() {
        *v *= 2f64.powi((k as i32 % 42 * 37) % 120 - 60);
    }
    for wrong in [0, 9] {
        let flipped = |(i, &p): (usize, &bool)| p ^ (i % 40 == 3 && i / 40 < wrong);
        let labels = good.positive().iter().enumerate().map(flipped).collect();
        let samples = Samples::dense(scaled.clone(), 42, labels).unwrap();
        let decision = check(&samples, &DecideOptions::default());
        assert_eq!(decision.way, Way::Ladder, "{:?}", decision.outcome);
        check_elsewhere(&samples, &DecideOptions::default());
    }
}

#[test]
fn sparse_rows() {
    let mut rows = SparseBuilder::default();
    let mut labels = vec![];
    for i in 0..300_usize {
        for k in 0..5 {
            rows.push(k * 400 + (i * i + 7 * k + i * k) % 400, 1.0 + (i % 3) as f64);
        }
        rows.end_row();
        labels.push(i * i % 7 < 3);
    }
    let samples = Samples::sparse(rows.finish(2000).unwrap(), labels).unwrap();
    assert!(check(&samples, &DecideOptions::default()).verdict().is_some());
}

/// Returns everything about a fit but its time.
fn essence_of_fit(fit: &Fit) -> String {
    let Fit { stop, hyperplane, evaluation, margin_bound, epochs, updates, .. } = fit;
    let history: Vec<_> = fit.history.iter().map(|e| (e.mistakes, e.rows_evaluated)).collect();
    format!(
        "{stop:?} {hyperplane:?} {evaluation:?} {margin_bound:?} {epochs} {updates} {} {history:?}",
        fit.rows_evaluated
    )
}

/// Keeps the last checkpoint, as text.
#[derive(Default)]
struct LastCheckpoint(Option<String>);

impl Watch for LastCheckpoint {
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0 = Some(serde_json::to_string(checkpoint).unwrap());
    }
}

#[test]
fn methods_learn_the_same_from_rows_elsewhere() {
    let separable = Generator::new(700, 5, 4).samples::<f64>().unwrap();
    let mut labels = separable.positive().to_vec();
    labels.iter_mut().step_by(97).for_each(|label| *label = !*label);
    let inseparable = Samples::dense(values(&separable), 5, labels.clone()).unwrap();
    // Squares of these overflow: the perceptron scales all rows by the longest.
    let long = values(&separable).into_iter().map(|v| v * 2f64.powi(600)).collect();
    let long = Samples::dense(long, 5, labels).unwrap();
    let mut rows = SparseBuilder::default();
    for i in 0..500_usize {
        (0..i % 4).for_each(|k| rows.push(10 * k + i % 10, 1.0 + (i % 7) as f64));
        rows.push(40, i as f64);
        rows.end_row();
    }
    let sparse = Samples::sparse(rows.finish(41).unwrap(), (0..500).map(|i| i >= 250).collect());
    let scales = [Scaling::None, Scaling::Standard];
    for (method, scale) in
        scales.iter().flat_map(|&scale| MethodSettings::all().into_iter().map(move |m| (m, scale)))
    {
        let settings = FitSettings {
            method: method.clone(),
            scale,
            max_epochs: 12,
            evaluate_epochs: true,
            ..FitSettings::default()
        };
        for samples in [&separable, &inseparable, &long, sparse.as_ref().unwrap()] {
            let elsewhere = |blocks| Cut::new(samples, blocks, false);
            if method.needs_memory() {
                let error = fit_data(&elsewhere(2), &settings, &mut (), None).unwrap_err();
                assert_eq!(error.to_string(), "lp needs all rows in memory");
                continue;
            }
            let whole = essence_of_fit(&fit(samples, &settings, &mut (), None).unwrap());
            for blocks in [1, 7, 100] {
                let found = fit_data(&elsewhere(blocks), &settings, &mut (), None).unwrap();
                assert_eq!(essence_of_fit(&found), whole, "{method:?}, {scale:?}, {blocks} blocks");
            }
            // A checkpoint of rows in memory is one of the same rows elsewhere.
            let early = FitSettings { max_epochs: 5, ..settings.clone() };
            let mut kept = LastCheckpoint::default();
            fit(samples, &early, &mut kept, None).unwrap();
            if let Some(text) = kept.0 {
                let checkpoint = serde_json::from_str(&text).unwrap();
                let found = fit_data(&elsewhere(3), &settings, &mut (), Some(checkpoint)).unwrap();
                assert_eq!(essence_of_fit(&found), whole, "{method:?}, {scale:?} resumed");
            }
        }
    }
    // Skipping saves reading, too: rows that may be mistakes are fetched, and stay.
    let longer = Generator::new(20_000, 6, 1).samples::<f64>().unwrap();
    let method = MethodSettings::by_name("fine").unwrap();
    let settings = FitSettings { method, ..FitSettings::default() };
    let cut = Cut::new(&longer, 5, false);
    let found = fit_data(&cut, &settings, &mut (), None).unwrap();
    let whole = fit(&longer, &settings, &mut (), None).unwrap();
    assert_eq!(essence_of_fit(&found), essence_of_fit(&whole));
    let passes = cut.reads.passes(cut.shape());
    assert!(found.epochs > 40 && passes < found.epochs / 2, "{passes} of {}", found.epochs);
    let shuffled = FitSettings { shuffle: true, ..FitSettings::default() };
    let error = fit_data(&Cut::new(&separable, 2, false), &shuffled, &mut (), None).unwrap_err();
    assert_eq!(error.to_string(), "a random order needs all rows in memory");
}

/// A folder that is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("linsep-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Writes generated rows, the label in the last column where `labelled` says so, or else beside.
fn write(path: &Path, (rows, columns): (usize, usize), labelled: bool) -> std::io::Result<()> {
    let generator = Generator::new(rows, columns, 11);
    let width = columns + usize::from(labelled);
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    file.write_all(&npy_header("<f4", &[rows, width]))?;
    let mut all = vec![];
    let step = 20_000;
    for first in (0..rows).step_by(step) {
        let range = first..rows.min(first + step);
        let (mut values, mut positive) =
            (vec![0.0_f32; range.len() * columns], vec![false; range.len()]);
        generator.fill(range, &mut values, &mut positive);
        for (row, &p) in values.chunks(columns).zip(&positive) {
            row.iter().try_for_each(|v| file.write_all(&v.to_le_bytes()))?;
            if labelled {
                file.write_all(&f32::from(u8::from(p)).to_le_bytes())?;
            }
        }
        all.extend(positive);
    }
    file.flush()?;
    match labelled {
        true => Ok(()),
        false => fs::write(path.with_extension("labels.npy"), npy_labels(&all)),
    }
}

fn in_blocks(path: &Path, bytes: usize) -> Result<Streamed, Error> {
    let stream = StreamOptions { block_bytes: Some(bytes), ..StreamOptions::default() };
    Streamed::open(&Source::from(path), &ReadOptions::default(), &stream, &|_| {})
}

fn in_memory(path: &Path) -> Samples {
    read(&Source::from(path), &ReadOptions::default(), &|_| {}).unwrap()
}

#[test]
fn a_file_in_blocks_is_decided_as_it_is_in_memory() {
    let folder = Folder::new("blocks");
    for (shape, labelled) in [((3000, 12), false), ((3000, 12), true), ((200, 800), false)] {
        let path = folder.0.join(format!("{}-{labelled}.npy", shape.1));
        write(&path, shape, labelled).unwrap();
        let samples = in_memory(&path);
        for options in
            [DecideOptions::default(), DecideOptions::default().with_kind(MarginKind::Geometric)]
        {
            let whole = decide(&samples, &options, &mut ()).unwrap();
            for bytes in [1, 1000, 1 << 20] {
                let file = in_blocks(&path, bytes).unwrap();
                let decision = decide_data(&file, &options, &mut ()).unwrap();
                assert_eq!(essence(&decision), essence(&whole), "{bytes} bytes");
                let proof = whole.proof().unwrap();
                assert_eq!(verify_data(&file, proof, None).unwrap(), verify(&samples, proof));
            }
        }
    }
}

#[test]
fn a_disk_that_fails_is_an_error_with_its_place() {
    let folder = Folder::new("failing");
    let path = folder.0.join("data.npy");
    write(&path, (500, 6), false).unwrap();
    let file = in_blocks(&path, 600).unwrap();
    let plain = fs::read(&path).unwrap();
    // A value that is not a number, in the file that was whole when it was opened.
    let mut spoilt = plain.clone();
    let at = spoilt.len() - 500 * 6 * 4 + (300 * 6 + 2) * 4;
    spoilt[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(&path, &spoilt).unwrap();
    let decided = |file: &Streamed| match decide_data(file, &DecideOptions::default(), &mut ()) {
        Err(DecideError::Data(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let changed = decided(&file);
    assert!(
        changed.ends_with("data.npy: the file has changed since it was first read"),
        "{changed}"
    );
    let place = decided(&in_blocks(&path, 600).unwrap());
    assert!(place.ends_with("row 301, column 3: expected a finite number, found NaN"), "{place}");
    // A file that was cut, and one that is gone.
    fs::write(&path, &plain[..plain.len() - 100]).unwrap();
    let error = in_blocks(&path, 600).err().unwrap().to_string();
    assert!(error.contains("data.npy: the file is damaged: expected 12000 bytes"), "{error}");
    fs::remove_file(&path).unwrap();
    assert!(decided(&file).contains("data.npy: "));
}
