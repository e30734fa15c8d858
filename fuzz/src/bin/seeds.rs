//! Writes what fuzzers begin with, as far as linsep makes such files itself: `cargo run -p linsep-fuzz --bin seeds`.
//! Files of other programs (Parquet, Arrow, compressed text) lie in `corpus/` already.

use std::path::Path;
use std::sync::{Arc, Mutex};

use linsep::ask::{
    AuditQuestion, ClassesQuestion, DecideQuestion, EstimateQuestion, FitQuestion, Question,
    RaceQuestion,
};
use linsep::data::{Block, Data, Error, Memory, Samples};
use linsep::decide::remote::{Cluster, Remote, answer};
use linsep::decide::{DecideOptions, Journal, MarginGoal, decide_data, decide_resumable};
use linsep::online::Checkpoint;
use linsep::watch::Watch;

/// The rows that the targets know.
const PROBLEMS: [[f64; 4]; 4] =
    [[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0], [0.0, 3.0, 1.0, 4.0], [0.0, 1.0, 2.0, 3.0]];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpus.join(target);
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(name), bytes))
    };
    for (k, values) in PROBLEMS.into_iter().enumerate() {
        let samples = Samples::dense(values.to_vec(), 1, vec![false, false, true, true])?;
        let data = Memory::new(&samples);
        let options = DecideOptions::default().with_margin(MarginGoal::Max);
        let decision = decide_data(&data, &options, &mut ())?;
        let proof = decision.proof().ok_or("no limit was set")?;
        write("proof", &format!("decided-{k}.json"), proof.to_json().as_bytes())?;
        let path = std::env::temp_dir().join(format!("linsep-seeds-{}", std::process::id()));
        let mut journal = Journal::create(&path)?;
        decide_resumable(&data, &DecideOptions::default(), &mut (), &mut journal)?;
        drop(journal);
        write("journal", &format!("decided-{k}"), &std::fs::read(&path)?)?;
        std::fs::remove_file(&path)?;
        let asked = Recorded { samples: &samples, messages: Mutex::default() };
        decide_data(
            &Remote::new(&asked, data.shape(), Arc::clone(data.about())),
            &options,
            &mut (),
        )?;
        for (pass, message) in asked.messages.into_inner()?.iter().enumerate() {
            write("cluster", &format!("pass-{k}-{pass}"), message)?;
        }
    }
    let samples = Samples::dense(PROBLEMS[3].to_vec(), 1, vec![false, false, true, true])?;
    let trained = FitQuestion::default().ask(&Memory::new(&samples), None, &mut ())?;
    write("model", "joint.json", trained.model.to_json().as_bytes())?;
    let mut kept = KeptState(None);
    let short = FitQuestion { max_epochs: 1, ..FitQuestion::default() };
    short.ask(&Memory::new(&samples), None, &mut kept)?;
    write("checkpoint", "joint.json", kept.0.ok_or("one epoch is too few")?.as_bytes())?;
    let questions = [
        Question::Decide(DecideQuestion::default()),
        Question::Classes(ClassesQuestion::default()),
        Question::Estimate(EstimateQuestion::default()),
        Question::Audit(AuditQuestion::default()),
        Question::Fit(FitQuestion::default()),
        Question::Race(RaceQuestion::default()),
    ];
    for (k, question) in questions.iter().enumerate() {
        write("question", &format!("{k}.json"), serde_json::to_string(question)?.as_bytes())?;
    }
    write("cache", "as-it-was", &cached()?)?;
    Ok(())
}

/// Returns the copy that is made of the table that the target knows.
fn cached() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("linsep-seeds-{}.d", std::process::id()));
    linsep_fuzz::open_table(&folder)?;
    let cache = linsep_fuzz::cache_in(&folder).ok_or("no cache was made")?;
    let bytes = std::fs::read(cache)?;
    std::fs::remove_dir_all(folder)?;
    Ok(bytes)
}

/// Keeps the state of a fit.
struct KeptState(Option<String>);

impl Watch for KeptState {
    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        self.0 = Some(serde_json::to_string(checkpoint).expect("plain values"));
    }
}

/// A machine that takes note of what it is asked, and of what it answers.
struct Recorded<'a> {
    samples: &'a Samples,
    messages: Mutex<Vec<Vec<u8>>>,
}

impl Cluster for Recorded<'_> {
    fn ask(&self, request: &[u8]) -> Result<Vec<u8>, Error> {
        let half = Samples::clone(self.samples);
        let found = answer(request, &[Block::whole(&half, 0)], 7).expect("its own request");
        let part = |bytes: &[u8]| [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat();
        let message = [part(request), part(&found), part(&found)].concat();
        self.messages.lock().expect("one thread").push(message);
        Ok(found)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        Memory::new(self.samples).fetch(rows)
    }
}
