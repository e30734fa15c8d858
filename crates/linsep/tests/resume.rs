//! A decision that was killed at any moment and taken up again is the decision of a run that never stopped.

#![allow(clippy::disallowed_methods, reason = "numbers of a test")]

mod counted;
mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use counted::Counted;
use linsep::Samples;
use linsep::data::Memory;
use linsep::data::generate::Generator;
use linsep::data::samples::SparseBuilder;
use linsep::decide::{
    DecideError, DecideOptions, Decision, Journal, JournalError, MarginGoal, MarginKind, Pass,
    Verdict, Watch, decide, decide_resumable,
};
use tables::{KINDS, Labels, table};

/// A name for a file that is gone in the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("linsep-resume-{}-{name}", std::process::id());
        Place(std::env::temp_dir().join(name))
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        let place = Place::new(name);
        fs::write(&place.0, bytes).unwrap();
        place
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.0).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn essence(decision: &Decision) -> String {
    let Decision { outcome, way, passes, proving_passes, contradiction, .. } = decision;
    let proof = decision.proof().map(|proof| proof.to_json());
    format!("{outcome:?} {way:?} {passes} {proving_passes} {contradiction:?} {proof:?}")
}

/// Returns where the first line and each entry of a journal end.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![bytes.iter().position(|&b| b == b'\n').unwrap() + 1];
    while let Some(length) = bytes.get(ends[ends.len() - 1]..).and_then(|rest| rest.get(..8)) {
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        ends.push(ends[ends.len() - 1] + 8 + length + 4);
    }
    assert_eq!(ends.last(), Some(&bytes.len()));
    ends
}

/// Kills a decision after every entry of its journal and within each, and takes it up again. Returns the
/// decision and what the passes in its journal looked for.
fn check(name: &str, samples: &Samples, options: &DecideOptions) -> (Decision, Vec<String>) {
    let whole = decide(samples, options, &mut ()).unwrap();
    let place = Place::new(name);
    let data = Counted::new(samples);
    let mut journal = Journal::create(&place.0).unwrap();
    let kept = decide_resumable(&data, options, &mut (), &mut journal).unwrap();
    drop(journal);
    assert_eq!(essence(&kept), essence(&whole), "{name}: a journal changes the decision");
    let all = place.bytes();
    let ends = ends(&all);
    let made = data.made();
    // The first line, the run, the name of the data, the first pass: what comes after is not read again.
    for (k, &end) in ends.iter().enumerate() {
        for cut in [end, end.saturating_sub(3), (end + 11).min(all.len())] {
            fs::write(&place.0, &all[..cut]).unwrap();
            let data = Counted::new(samples);
            let mut journal = Journal::resume(&place.0).unwrap();
            let again = decide_resumable(&data, options, &mut (), &mut journal).unwrap();
            drop(journal);
            assert_eq!(essence(&again), essence(&whole), "{name}: cut at {cut}");
            assert!(place.bytes() == all, "{name}: cut at {cut}, the journal differs");
            if cut == end {
                let saved = k.saturating_sub(3);
                assert_eq!(data.made(), made - saved as u64, "{name}: entry {k}");
            }
        }
    }
    let passes = Journal::resume(&place.0).unwrap().passes().unwrap();
    // The first line, the run and the name of the data are no passes.
    assert_eq!(passes.len(), ends.len() - 3);
    (kept, passes)
}

fn values(samples: &Samples) -> Vec<f64> {
    let mut values = vec![];
    (0..samples.rows()).for_each(|i| samples.features().for_each(i, |_, v| values.push(v)));
    values
}

fn flipped(samples: &Samples, columns: usize, rows: &[usize]) -> Samples {
    let mut labels = samples.positive().to_vec();
    rows.iter().for_each(|&row| labels[row] = !labels[row]);
    Samples::dense(values(samples), columns, labels).unwrap()
}

#[test]
fn long_rows_of_every_verdict() {
    let any = DecideOptions::default();
    let good = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
    let max = any.clone().with_margin(MarginGoal::Max);
    for (name, options) in
        [("any", &any), ("max", &max), ("geometric", &max.clone().with_kind(MarginKind::Geometric))]
    {
        let (decision, passes) = check(name, &good, options);
        assert_eq!(decision.verdict(), Some(Verdict::Separable));
        assert!(passes.len() > 1, "{name}: {passes:?}");
    }
    let wrong = flipped(&good, 8, &[17, 400, 2999]);
    let (decision, _) = check("inseparable", &wrong, &any);
    assert_eq!(decision.verdict(), Some(Verdict::Inseparable));
    let more: Vec<f64> = values(&wrong)
        .chunks(8)
        .zip(wrong.positive())
        .enumerate()
        .flat_map(|(i, (row, &p))| row.iter().copied().chain([f64::from(p && i % 100 == 0)]))
        .collect();
    let quasi = Samples::dense(more, 9, wrong.positive().to_vec()).unwrap();
    let (decision, _) = check("quasi", &quasi, &any);
    assert_eq!(decision.verdict(), Some(Verdict::QuasiSeparable));
}

#[test]
fn wide_rows_sparse_rows_and_the_ladder() {
    let any = DecideOptions::default();
    let wide = Generator::new(400, 900, 5).samples::<f64>().unwrap();
    let (_, passes) = check("smooth", &wide, &any);
    assert!(passes[0] == "rows alike and class sums" && passes[1] == "logistic loss", "{passes:?}");
    let good = Generator::new(300, 22, 6).samples::<f64>().unwrap();
    let mut scaled = values(&good);
    for (k, v) in scaled.iter_mut().enumerate() {
        *v *= 2f64.powi((k as i32 % 22 * 37) % 120 - 60);
    }
    let scaled = Samples::dense(scaled, 22, good.positive().to_vec()).unwrap();
    check("ladder", &scaled, &any);
    check("ladder-wrong", &flipped(&scaled, 22, &[3, 43, 83]), &any);
    let mut rows = SparseBuilder::default();
    for i in 0..300_usize {
        for k in 0..5 {
            rows.push(k * 400 + (i * i + 7 * k + i * k) % 400, 1.0 + (i % 3) as f64);
        }
        rows.end_row();
    }
    let labels = (0..300_usize).map(|i| i * i % 7 < 3).collect();
    check("sparse", &Samples::sparse(rows.finish(2000).unwrap(), labels).unwrap(), &any);
}

#[test]
fn tables_of_every_kind() {
    let mut met = BTreeSet::new();
    for kind in KINDS {
        for labels in [Labels::Clean, Labels::Flipped, Labels::Chance] {
            let samples = table(kind, 250, 9, labels, 5);
            let name = format!("{kind:?}-{labels:?}");
            met.extend(check(&name, &samples, &DecideOptions::default()).1);
        }
    }
    for kind in ["scores", "rows off a span", "rows astray", "features of one sign"] {
        assert!(met.contains(kind), "{kind} not among {met:?}");
    }
}

/// Asks for an end after this number of passes.
struct Impatient(u64, AtomicBool);

impl Watch for Impatient {
    fn pass(&mut self, pass: &Pass) {
        self.1.fetch_or(pass.passes >= self.0, Ordering::Relaxed);
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(&self.1)
    }
}

#[test]
fn limits_leave_a_journal_to_go_on_from() {
    let good = Generator::new(3000, 8, 3).samples::<f64>().unwrap();
    let samples = flipped(&good, 8, &[17, 400, 2999]);
    let any = DecideOptions::default();
    let whole = decide(&samples, &any, &mut ()).unwrap();
    let place = Place::new("limits");
    Journal::create(&place.0).unwrap();
    let resumed = |options: &DecideOptions, watch: &mut dyn Watch| {
        let mut journal = Journal::resume(&place.0).unwrap();
        decide_resumable(&Memory::new(&samples), options, watch, &mut journal).unwrap()
    };
    for passes in 1..whole.passes {
        resumed(&any.clone().with_max_passes(passes), &mut ());
        resumed(&any, &mut Impatient(passes, AtomicBool::new(false)));
        resumed(&any.clone().with_time_limit(Duration::from_micros(100 * passes)), &mut ());
    }
    assert_eq!(essence(&resumed(&any, &mut ())), essence(&whole));
}

/// Returns why a journal is refused, and checks that it is left as it was.
fn refused(bytes: &[u8], samples: &Samples, options: &DecideOptions) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let place = Place::with(&COUNT.fetch_add(1, Ordering::Relaxed).to_string(), bytes);
    let result = Journal::resume(&place.0).map_err(DecideError::from).and_then(|mut journal| {
        decide_resumable(&Memory::new(samples), options, &mut (), &mut journal)
    });
    assert!(place.bytes() == bytes, "a journal that is refused is left as it was");
    result.unwrap_err().to_string()
}

fn journal_of(samples: &Samples, options: &DecideOptions) -> Vec<u8> {
    let place = Place::new(&format!("of-{:?}", std::thread::current().id()));
    let mut journal = Journal::create(&place.0).unwrap();
    decide_resumable(&Memory::new(samples), options, &mut (), &mut journal).unwrap();
    place.bytes()
}

#[test]
fn journals_of_other_runs_are_refused() {
    let options = DecideOptions::default();
    let good = Generator::new(500, 6, 3).samples::<f64>().unwrap();
    let bytes = journal_of(&good, &options);
    let of_another = |what: &str| format!("the checkpoint is of another run: its {what} differ");
    let mut other = values(&good);
    other[77] += 1e-9;
    let other = Samples::dense(other, 6, good.positive().to_vec()).unwrap();
    assert_eq!(refused(&bytes, &other, &options), of_another("data"));
    let fewer = Generator::new(499, 6, 3).samples::<f64>().unwrap();
    assert_eq!(refused(&bytes, &fewer, &options), of_another("numbers of rows or features"));
    let max = options.clone().with_margin(MarginGoal::Max);
    assert_eq!(refused(&bytes, &good, &max), of_another("goals for the margin"));
    let kind = options.clone().with_kind(MarginKind::Geometric);
    assert_eq!(refused(&bytes, &good, &kind), of_another("kinds of margin"));
    assert_eq!(refused(&bytes, &good, &options.clone().with_gap(1e-3)), of_another("gaps"));
    let elsewhere = Counted::new(&good).not_resident();
    let place = Place::with("elsewhere", &bytes);
    let mut journal = Journal::resume(&place.0).unwrap();
    let error = decide_resumable(&elsewhere, &options, &mut (), &mut journal).unwrap_err();
    assert_eq!(error.to_string(), of_another("places of the data"));
    // Another run has it now.
    assert!(matches!(Journal::resume(&place.0), Err(JournalError::InUse)));
    assert!(matches!(Journal::create(&place.0), Err(JournalError::InUse)));
    assert_eq!(refused(b"label,x\n1,2\n", &good, &options), "not a checkpoint of decide");
    let newer = b"linsep decide checkpoint 9\n";
    assert_eq!(
        refused(newer, &good, &options),
        "the checkpoint has another version; start again without it"
    );
}

#[test]
fn damaged_journals_never_change_a_decision() {
    let options = DecideOptions::default();
    let good = Generator::new(200, 6, 3).samples::<f64>().unwrap();
    let samples = flipped(&good, 6, &[17]);
    let whole = essence(&decide(&samples, &options, &mut ()).unwrap());
    let bytes = journal_of(&samples, &options);
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let place = Place::with("damaged", &damaged);
        let Ok(mut journal) = Journal::resume(&place.0) else {
            assert!(at < ends(&bytes)[0], "byte {at}");
            continue;
        };
        let again = decide_resumable(&Memory::new(&samples), &options, &mut (), &mut journal);
        assert_eq!(essence(&again.unwrap()), whole, "byte {at}");
    }
}
