//! Proofs about many classes in one folder: what its index says, and whether all of it holds.
//!
//! A folder is checked as a whole. Each proof has to hold for the rows of its question, and the index has to be true: the
//! data that it names, one proof per question, and of each kind of question all of them, so that none is left out
//! because of its answer.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use linsep_proof::proof::MOST_BYTES;
use linsep_proof::{Proof, ProofError, Verified, verify, verify_model};
use serde::{Deserialize, Serialize};

use super::Versus;
use super::argmax::ARGMAX;
use crate::Samples;
use crate::ask::AskError;
use crate::data::Shape;
use crate::data::samples::Classes;
use crate::data::whole_file::read_text;
use crate::models::{Response, SeparationError};

/// What an index calls itself.
const FORMAT: &str = "linsep-proofs";
/// The version that is written. The first did not name what was left undecided.
const VERSION: u32 = 2;
/// What the index says of a question without an answer.
const UNDECIDED: &str = "undecided";
/// The name of the index in its folder.
pub const INDEX: &str = "index.json";

/// What a folder of proofs is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofIndex {
    format: String,
    version: u32,
    rows: usize,
    features: usize,
    classes: Vec<String>,
    /// The questions that were asked, each with its answer.
    pub proofs: Vec<IndexedProof>,
}

/// A question, and the file that proves the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct IndexedProof {
    /// The name of the proof file; none if the question was left undecided.
    pub file: Option<String>,
    /// Which rows, under which labels.
    #[serde(flatten)]
    pub about: ClassQuestion,
    /// What it proves, in a word.
    pub verdict: String,
}

/// A question about classes, by their names. Displayed as in "b against a".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "kebab-case")]
pub enum ClassQuestion {
    /// Two classes.
    Pair {
        /// The class on the negative side.
        negative: String,
        /// The class on the positive side.
        positive: String,
    },
    /// A class against all others.
    OneVsRest {
        /// The class on the positive side.
        positive: String,
    },
    /// One linear classifier for all.
    Argmax,
}

impl fmt::Display for ClassQuestion {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ClassQuestion::Pair { negative, positive } => {
                write!(f, "{positive} against {negative}")
            }
            ClassQuestion::OneVsRest { positive } => write!(f, "{positive} against the rest"),
            ClassQuestion::Argmax => f.write_str("one classifier for all"),
        }
    }
}

/// Kinds of questions about classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionKinds {
    /// Every pair.
    pub pairs: bool,
    /// Every class against the rest.
    pub one_vs_rest: bool,
    /// One classifier for all.
    pub argmax: bool,
}

impl QuestionKinds {
    /// Returns the names of the kinds that are meant.
    pub fn names(self) -> Vec<&'static str> {
        let all =
            [(self.pairs, "pairs"), (self.one_vs_rest, "one-vs-rest"), (self.argmax, "argmax")];
        all.into_iter().filter_map(|(meant, name)| meant.then_some(name)).collect()
    }

    /// Returns all questions of these kinds.
    fn questions(self, classes: &Classes) -> Vec<ClassQuestion> {
        let mut all = vec![];
        if self.pairs {
            all.extend(Versus::pairs(classes.count()));
        }
        if self.one_vs_rest {
            all.extend(Versus::one_vs_rest(classes.count()));
        }
        let named = all.into_iter().map(|versus| named(versus, classes.names()));
        named.chain(self.argmax.then_some(ClassQuestion::Argmax)).collect()
    }
}

fn named(versus: Versus, names: &[String]) -> ClassQuestion {
    let name = |class: usize| names[class].clone();
    match versus {
        Versus::Pair { negative, positive } => {
            ClassQuestion::Pair { negative: name(negative), positive: name(positive) }
        }
        Versus::OneVsRest { positive } => ClassQuestion::OneVsRest { positive: name(positive) },
    }
}

impl ProofIndex {
    /// Returns the index of a folder that is still empty.
    pub fn new(shape: Shape, classes: &[String]) -> Self {
        ProofIndex {
            format: FORMAT.to_string(),
            version: VERSION,
            rows: shape.rows,
            features: shape.columns,
            classes: classes.to_vec(),
            proofs: vec![],
        }
    }

    /// Returns the index in the text of a file. Errors, in words, if it is none.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let index: ProofIndex = serde_json::from_str(text)
            .map_err(|error| format!("not an index of proofs: {error}"))?;
        match index.format == FORMAT && (1..=VERSION).contains(&index.version) {
            true => Ok(index),
            false => {
                Err(format!("expected an index of the format {FORMAT}, version 1 or {VERSION}"))
            }
        }
    }

    /// Returns the text of the file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("an index is plain data");
        text.push('\n');
        text
    }

    /// Adds the answer to a question, and returns the name of the file that the proof belongs in, if there is one.
    pub fn add(&mut self, versus: Versus, proof: Option<&Proof>) -> Option<String> {
        self.put(named(versus, &self.classes), proof)
    }

    /// Adds the answer about one classifier for all, as [`add`](Self::add) does.
    pub fn add_argmax(&mut self, proof: Option<&Proof>) -> Option<String> {
        self.put(ClassQuestion::Argmax, proof)
    }

    fn put(&mut self, about: ClassQuestion, proof: Option<&Proof>) -> Option<String> {
        let file = proof.map(|_| self.free_name(&about));
        let verdict = proof.map_or(UNDECIDED.to_string(), |proof| proof.verdict().to_string());
        self.proofs.push(IndexedProof { file: file.clone(), about, verdict });
        file
    }

    /// Returns a name for the file of a question that no other has.
    fn free_name(&self, about: &ClassQuestion) -> String {
        let stem = match about {
            ClassQuestion::Pair { negative, positive } => {
                format!("{}-{}", plain(negative), plain(positive))
            }
            ClassQuestion::OneVsRest { positive } => format!("{}-rest", plain(positive)),
            ClassQuestion::Argmax => "argmax".to_string(),
        };
        let taken =
            |file: &str| self.proofs.iter().any(|known| known.file.as_deref() == Some(file));
        let mut file = format!("{stem}.json");
        // Names that differ only in what files cannot be called.
        let mut number = 2;
        while taken(&file) || file == INDEX {
            file = format!("{stem}-{number}.json");
            number += 1;
        }
        file
    }

    /// Returns the kinds of questions that it has answers to.
    pub fn kinds(&self) -> QuestionKinds {
        let any = |is: fn(&ClassQuestion) -> bool| self.proofs.iter().any(|p| is(&p.about));
        QuestionKinds {
            pairs: any(|q| matches!(q, ClassQuestion::Pair { .. })),
            one_vs_rest: any(|q| matches!(q, ClassQuestion::OneVsRest { .. })),
            argmax: any(|q| *q == ClassQuestion::Argmax),
        }
    }

    /// Returns what is wrong with the index itself, given the data and what was asked; nothing if it is true.
    fn faults(&self, samples: &Samples, classes: &Classes, asked: QuestionKinds) -> Vec<String> {
        let mut faults = vec![];
        for (what, said, found) in
            [("rows", self.rows, samples.rows()), ("features", self.features, samples.columns())]
        {
            if said != found {
                faults.push(format!("the index says {said} {what}, the data has {found}"));
            }
        }
        if self.classes != classes.names() {
            let [said, found] = [&self.classes[..], classes.names()].map(listed);
            faults.push(format!("the index says the classes {said}, the data has {found}"));
            return faults;
        }
        let files: Vec<&str> = self.proofs.iter().filter_map(|p| p.file.as_deref()).collect();
        for (k, file) in files.iter().enumerate() {
            if files[..k].contains(file) {
                faults.push(format!("the index names {file} twice"));
            }
        }
        let kinds = self.kinds();
        let kinds = QuestionKinds {
            pairs: kinds.pairs || asked.pairs,
            one_vs_rest: kinds.one_vs_rest || asked.one_vs_rest,
            argmax: kinds.argmax || asked.argmax,
        };
        for question in kinds.questions(classes) {
            match self.proofs.iter().filter(|p| p.about == question).count() {
                0 => faults.push(format!("the index leaves out {question}")),
                1 => {}
                _ => faults.push(format!("the index answers {question} twice")),
            }
        }
        faults
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 8;
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

/// Returns a name that files can have everywhere.
fn plain(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    name.chars().take(40).map(|c| if kept(c) { c } else { '_' }).collect()
}

/// Why a file of a proof, or of an index of proofs, cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFileError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It is not a proof.
    #[error(transparent)]
    NotOne(#[from] ProofError),
    /// It is not an index of proofs, or a damaged one.
    #[error("{0}")]
    Index(String),
}

/// Returns the proof in a file.
///
/// Errors if it cannot be read, or is none.
pub fn read_proof(path: &Path) -> Result<Proof, ProofFileError> {
    let mut bytes = vec![];
    // No more than tells that it is too long.
    File::open(path)?.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    // Bytes that are not text make it a damaged file, not one that cannot be read.
    Ok(Proof::from_json(&String::from_utf8_lossy(&bytes))?)
}

/// A folder of proofs whose index has been read.
#[derive(Clone, Debug)]
pub struct ProofFolder {
    path: PathBuf,
    /// What the folder is about.
    pub index: ProofIndex,
}

impl ProofFolder {
    /// Returns the folder. Errors if its index cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Self, ProofFileError> {
        let text = read_text(&path.join(INDEX))?;
        let index = ProofIndex::from_json(&text).map_err(ProofFileError::Index)?;
        Ok(ProofFolder { path: path.to_path_buf(), index })
    }

    /// Returns the path of a file that the index names, and the proof in it.
    pub fn read(&self, file: &str) -> (PathBuf, Result<Proof, ProofFileError>) {
        let name = Path::new(file);
        // A name with a path in it could be any file.
        if name.components().count() != 1 || name.file_name().is_none() {
            let found = format!("expected the name of a file beside it, found \"{file}\"");
            return (self.path.join(INDEX), Err(ProofFileError::Index(found)));
        }
        let path = self.path.join(name);
        let proof = read_proof(&path);
        (path, proof)
    }
}

/// What comes of checking a folder.
#[derive(Clone, Debug)]
pub struct CheckedFolder {
    /// What is wrong with its index.
    pub faults: Vec<String>,
    /// The kinds of questions that it answers.
    pub answers: QuestionKinds,
    /// Its questions, each with the reason if the proof does not hold.
    pub proofs: Vec<(IndexedProof, Option<String>)>,
}

impl CheckedFolder {
    /// Returns true if all of it holds, and something is proven.
    pub fn is_valid(&self) -> bool {
        let proven = |(proof, reason): &(IndexedProof, Option<String>)| {
            proof.file.is_some() && reason.is_none()
        };
        self.faults.is_empty()
            && self.proofs.iter().all(|(_, reason)| reason.is_none())
            && self.proofs.iter().any(proven)
    }

    /// Returns the questions that were left undecided.
    pub fn open(&self) -> impl Iterator<Item = &ClassQuestion> {
        self.proofs.iter().filter(|(proof, _)| proof.file.is_none()).map(|(proof, _)| &proof.about)
    }
}

/// Returns what the checker says of a folder. `read` returns the proof in a file beside the index; if kinds of questions are
/// `asked`, each of them has to be answered.
///
/// Errors if `read` does, or if there is no memory for the rows of a question.
pub fn check_folder<E: From<AskError>>(
    index: &ProofIndex,
    samples: &Samples,
    classes: &Classes,
    asked: QuestionKinds,
    read: &mut dyn FnMut(&str) -> Result<Proof, E>,
) -> Result<CheckedFolder, E> {
    let mut proofs = vec![];
    for indexed in &index.proofs {
        let reason = match &indexed.file {
            None if indexed.verdict == UNDECIDED => None,
            None => Some(format!("no file proves that it is {}", indexed.verdict)),
            Some(file) => {
                let proof = read(file)?;
                match check(samples, classes, &indexed.about, &proof).map_err(AskError::from)? {
                    Err(reason) => Some(reason),
                    Ok(valid) if valid.verdict().to_string() != indexed.verdict => Some(format!(
                        "it proves {}, the index says {}",
                        valid.verdict(),
                        indexed.verdict
                    )),
                    Ok(_) => None,
                }
            }
        };
        proofs.push((indexed.clone(), reason));
    }
    let faults = index.faults(samples, classes, asked);
    Ok(CheckedFolder { faults, answers: index.kinds(), proofs })
}

/// Returns what the checker says of a proof about some of the classes: the rows under their labels are made here.
fn check(
    samples: &Samples,
    classes: &Classes,
    about: &ClassQuestion,
    proof: &Proof,
) -> Result<Result<Verified, String>, SeparationError> {
    let find = |name: &str| classes.find(name).map_err(|error| error.to_string());
    let question = match about {
        ClassQuestion::Pair { negative, positive } => match (find(negative), find(positive)) {
            (Ok(negative), Ok(positive)) if negative != positive => {
                Versus::Pair { negative, positive }
            }
            (Ok(_), Ok(_)) => return Ok(Err("a class is set against itself".to_string())),
            (Err(reason), _) | (_, Err(reason)) => return Ok(Err(reason)),
        },
        ClassQuestion::OneVsRest { positive } => match find(positive) {
            Ok(positive) => Versus::OneVsRest { positive },
            Err(reason) => return Ok(Err(reason)),
        },
        ClassQuestion::Argmax => {
            let (codes, count) = (classes.codes().to_vec(), classes.count());
            let response = Response::Categories { codes, count };
            let found = verify_model(samples.features(), &ARGMAX, &response, None, proof);
            return Ok(found?.map_err(|refused| refused.to_string()));
        }
    };
    let rows = question.samples(samples, classes)?;
    Ok(verify(&rows, proof).map_err(|refused| refused.to_string()))
}
