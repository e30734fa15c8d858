//! Which of many classes can be told apart?

use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decide::DecideQuestion;
use super::{AskError, CitedRows, DataFacts, DecideAnswer, Reply, Useless, margin_json};
use crate::Samples;
use crate::classes::folder::{INDEX, ProofIndex};
use crate::classes::{Argmax, Linear, SettledSides, Versus, argmax};
use crate::data::Memory;
use crate::data::samples::Classes;
use crate::decide::{
    Conflict, ConflictForm, Deadline, DecideOptions, Decision, Limit, MarginGoal, MarginKind,
    Verdict, decide_data,
};
use crate::watch::{Stage, Watch};

/// Values of a question that is worth all threads for itself; smaller ones share them.
const LARGE: usize = 1 << 18;
/// Small questions that are asked at the same time.
const TOGETHER: usize = 64;

/// Which of many classes can be told apart?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassesQuestion {
    /// Whether to ask about every pair of classes.
    pub pairs: bool,
    /// Whether to ask about each class against all others.
    pub one_vs_rest: bool,
    /// Whether to ask if the largest of one linear score per class can be right on every row.
    pub argmax: bool,
    /// As for two classes.
    pub margin: MarginGoal,
    /// As for two classes.
    pub margin_kind: MarginKind,
    /// As for two classes.
    pub gap: f64,
    /// As for two classes.
    pub conflict: ConflictForm,
    /// The number of passes after which a question ends.
    pub max_passes: Option<i64>,
    /// The seconds after which all of them end together; what is left to ask then is undecided.
    pub time_limit: Option<f64>,
    /// Whether to say why classes are not separable.
    pub explain: bool,
}

impl Default for ClassesQuestion {
    fn default() -> Self {
        let DecideQuestion { margin, margin_kind, gap, conflict, .. } = DecideQuestion::default();
        ClassesQuestion {
            pairs: false,
            one_vs_rest: false,
            argmax: false,
            margin,
            margin_kind,
            gap,
            conflict,
            max_passes: None,
            time_limit: None,
            explain: false,
        }
    }
}

impl ClassesQuestion {
    /// Returns what is asked about two sides.
    fn each(&self) -> DecideQuestion {
        DecideQuestion {
            margin: self.margin,
            margin_kind: self.margin_kind,
            gap: self.gap,
            conflict: self.conflict,
            max_passes: self.max_passes,
            time_limit: self.time_limit,
            explain: self.explain,
            ..DecideQuestion::default()
        }
    }

    /// Errors with the first option that is out of its range, and if nothing is asked.
    pub fn validate(&self) -> Result<(), AskError> {
        if !(self.pairs || self.one_vs_rest || self.argmax) {
            return Err(AskError::Useless(Useless {
                option: "classes",
                why: "are asked about, but not what: expected pairs, one_vs_rest or argmax"
                    .to_string(),
                instead: None,
            }));
        }
        self.each().options()?;
        Ok(())
    }

    /// Returns the answer for rows of many classes.
    ///
    /// Small questions are asked at the same time, which changes no answer. Errors if an option is out of its range, and if
    /// there is no memory for a copy of the rows of a question.
    ///
    /// ```
    /// use linsep::Samples;
    /// use linsep::ask::ClassesQuestion;
    /// use linsep::data::samples::Classes;
    ///
    /// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0], 1, vec![true, false, false, false])?;
    /// let classes = Classes::of(vec!["a".into(), "b".into(), "c".into()], vec![0, 1, 1, 2]);
    /// let question = ClassesQuestion { one_vs_rest: true, ..ClassesQuestion::default() };
    /// let answer = question.ask(&samples, &classes, &mut ())?;
    /// let words: Vec<String> = answer.verdicts.iter().map(|own| own.found.decision.word()).collect();
    /// assert_eq!(words, ["separable", "inseparable", "separable"]);
    /// # Ok::<(), linsep::ask::AskError>(())
    /// ```
    pub fn ask(
        &self,
        samples: &Samples,
        classes: &Classes,
        watch: &mut dyn Watch,
    ) -> Result<ClassesAnswer, AskError> {
        self.validate()?;
        let started = Instant::now();
        let question = self.each();
        let options = question.options()?;
        let mut sides = vec![];
        if self.pairs {
            sides.extend(Versus::pairs(classes.count()));
        }
        if self.one_vs_rest {
            sides.extend(Versus::one_vs_rest(classes.count()));
        }
        let watch: &dyn Watch = watch;
        let deadline = &Deadline::new(options.time_limit, watch.cancelled());
        let asking = Asking { samples, classes, question: &question, options: &options, deadline };
        let verdicts = asking.all(&sides, watch)?;
        let argmax = match self.argmax {
            true => {
                watch.stage(&Stage::Argmax);
                let limits = options.clone().with_time_limit(deadline.left());
                let settled: Vec<SettledSides> =
                    verdicts.iter().map(ClassVerdict::settled).collect();
                Some(argmax(samples, classes, &settled, &limits, watch.cancelled())?)
            }
            false => None,
        };
        let mut cited: Vec<usize> =
            verdicts.iter().flat_map(ClassVerdict::conflicting_rows).collect();
        if let Some(Argmax { linear: Linear::Not { rows, .. }, .. }) = &argmax {
            cited.extend(rows);
        }
        let data = Memory::new(samples);
        Ok(ClassesAnswer {
            question: self.clone(),
            data: DataFacts::of(&data),
            names: classes.names().to_vec(),
            class_rows: (0..classes.count()).map(|class| classes.members(class).len()).collect(),
            verdicts,
            argmax,
            rows: CitedRows::fetch(&data, &cited, &[])?,
            proofs: None,
            seconds: started.elapsed().as_secs_f64(),
        })
    }
}

/// Questions about two sides each, under one limit on time.
struct Asking<'a> {
    samples: &'a Samples,
    classes: &'a Classes,
    question: &'a DecideQuestion,
    options: &'a DecideOptions,
    deadline: &'a Deadline<'a>,
}

impl Asking<'_> {
    /// Returns the verdicts, in order.
    fn all(&self, sides: &[Versus], watch: &dyn Watch) -> Result<Vec<ClassVerdict>, AskError> {
        let columns = self.samples.columns();
        let large = |versus: &Versus| versus.rows(self.classes) * columns >= LARGE;
        let mut verdicts: Vec<ClassVerdict> = vec![];
        for alike in sides.chunk_by(|a, b| large(a) == large(b)) {
            for chunk in alike.chunks(if large(&alike[0]) { 1 } else { TOGETHER }) {
                let found: Vec<Result<ClassVerdict, AskError>> = match chunk {
                    [one] => vec![self.one(*one)],
                    several => several.par_iter().map(|&versus| self.one(versus)).collect(),
                };
                for found in found {
                    verdicts.push(found?);
                    watch.stage(&Stage::Answered { done: verdicts.len(), of: sides.len() });
                }
            }
        }
        Ok(verdicts)
    }

    fn one(&self, versus: Versus) -> Result<ClassVerdict, AskError> {
        let started = Instant::now();
        let rows = versus.samples(self.samples, self.classes)?;
        let data = Memory::new(&rows);
        let left = self.options.clone().with_time_limit(self.deadline.left());
        let watch = &mut &*self.deadline;
        let mut found = match self.deadline.limit() {
            Some(limit) => {
                let unasked = Decision::unasked(self.options.kind, limit);
                let question = DecideQuestion { explain: false, ..self.question.clone() };
                question.explained(&data, unasked, &left, watch)?
            }
            None => {
                let decision = decide_data(&data, &left, watch)?;
                self.question.explained(&data, decision, &left, watch)?
            }
        };
        found.decision.seconds = started.elapsed().as_secs_f64();
        Ok(ClassVerdict { versus, found, numbers: versus.row_numbers(self.classes) })
    }
}

/// What was found about two sides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClassVerdict {
    /// The sides.
    pub versus: Versus,
    /// The answer about them: its rows are counted among theirs, and its facts say which rows of the file these are.
    pub found: DecideAnswer,
    /// Which rows of the data they are; none if all.
    numbers: Option<Vec<usize>>,
}

impl ClassVerdict {
    /// Returns true if the two sides are strictly separable.
    pub fn is_separable(&self) -> bool {
        self.found.decision.verdict() == Some(Verdict::Separable)
    }

    /// Returns the rows that rule a strict separation out, as they are counted in the whole data.
    pub fn conflicting_rows(&self) -> Vec<usize> {
        let rows = self.found.conflicting_rows();
        rows.into_iter().map(|row| self.number(row)).collect()
    }

    /// Returns the number that a row of the two sides has in the whole data.
    pub fn number(&self, row: usize) -> usize {
        self.numbers.as_ref().map_or(row, |numbers| numbers[row])
    }

    fn settled(&self) -> SettledSides<'_> {
        let decision = &self.found.decision;
        let renumbered = |conflict: &Conflict| conflict.clone().renumbered(|row| self.number(row));
        SettledSides {
            versus: self.versus,
            separator: decision.hyperplane().filter(|_| self.is_separable()),
            conflict: decision.conflict().map(renumbered),
            ruled_out: decision.is_ruled_out(),
        }
    }
}

/// What writes a file.
pub type Write<'a, E> = dyn FnMut(&Path, &[u8]) -> Result<(), E> + 'a;

/// Which classes can be told apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClassesAnswer {
    /// What was asked.
    pub question: ClassesQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// The classes, in order.
    pub names: Vec<String>,
    /// How many rows each has.
    pub class_rows: Vec<usize>,
    /// What was found about two sides each.
    pub verdicts: Vec<ClassVerdict>,
    /// Whether one linear classifier can be right on every row, if that was asked.
    pub argmax: Option<Argmax>,
    /// The rows that it speaks of, counted as in the whole data.
    pub rows: CitedRows,
    /// The folder that has the proofs, once somebody has written them there.
    pub proofs: Option<String>,
    /// Time.
    pub seconds: f64,
}

impl ClassesAnswer {
    /// Returns what was found about pairs.
    pub fn pairs(&self) -> Vec<&ClassVerdict> {
        self.verdicts.iter().filter(|own| matches!(own.versus, Versus::Pair { .. })).collect()
    }

    /// Returns what was found about one class against the rest.
    pub fn one_vs_rest(&self) -> Vec<&ClassVerdict> {
        self.verdicts.iter().filter(|own| matches!(own.versus, Versus::OneVsRest { .. })).collect()
    }

    /// Returns what was found about two classes, in either order.
    pub fn pair(&self, a: usize, b: usize) -> Option<&ClassVerdict> {
        let wanted = Versus::Pair { negative: a.min(b), positive: a.max(b) };
        self.verdicts.iter().find(|own| own.versus == wanted)
    }

    /// Returns yes if everything is separable, no if something is not.
    pub fn reply(&self) -> Reply {
        let verdicts = self.verdicts.iter().map(|own| own.found.reply());
        let all: Vec<Reply> =
            verdicts.chain(self.argmax.iter().map(|argmax| Reply::of(argmax.exists()))).collect();
        match () {
            () if all.contains(&Reply::No) => Reply::No,
            () if all.contains(&Reply::Undecided) => Reply::Undecided,
            () => Reply::Yes,
        }
    }

    /// Returns the names of two sides, the negative one first.
    pub fn sides(&self, versus: Versus) -> [&str; 2] {
        match versus {
            Versus::Pair { negative, positive } => {
                [negative, positive].map(|class| &self.names[class][..])
            }
            Versus::OneVsRest { positive } => ["the rest", &self.names[positive]],
        }
    }

    /// Writes all proofs to a folder, and last the index that says what each is about. What is written is handed to
    /// `write` with its path.
    ///
    /// Errors if `write` does.
    pub fn write_proofs<E>(&self, folder: &Path, write: &mut Write<'_, E>) -> Result<(), E> {
        let mut index = ProofIndex::new(self.data.shape, &self.names);
        for own in &self.verdicts {
            let proof = own.found.decision.proof();
            let file = index.add(own.versus, proof);
            if let (Some(file), Some(proof)) = (file, proof) {
                write(&folder.join(file), proof.to_json().as_bytes())?;
            }
        }
        if let Some(argmax) = &self.argmax {
            let file = index.add_argmax(argmax.proof.as_ref());
            if let (Some(file), Some(proof)) = (file, &argmax.proof) {
                write(&folder.join(file), proof.to_json().as_bytes())?;
            }
        }
        write(&folder.join(INDEX), index.to_json().as_bytes())
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let about = &self.data.about;
        let one = |own: &ClassVerdict| {
            let decision = &own.found.decision;
            let rows = own.conflicting_rows();
            let mut value = json!({
                "verdict": decision.word(),
                "because": decision.because().map(Limit::word),
                "rows": own.found.data.shape.rows,
                "margin": margin_json(&decision.margin()),
                "conflicting_rows": about.rows.numbers(&rows),
                "explanation": own.found.explanation_json(),
                "passes": decision.passes,
                "seconds": decision.seconds,
            });
            if let Some(names) = self.rows.names(&rows).filter(|_| self.rows.are_named()) {
                value["conflicting_row_ids"] = json!(names);
            }
            let name = |class: usize| json!(self.names[class]);
            match own.versus {
                Versus::Pair { negative, positive } => {
                    value["negative"] = name(negative);
                    value["positive"] = name(positive);
                }
                Versus::OneVsRest { positive } => value["positive"] = name(positive),
            }
            value
        };
        let asked = |own: Vec<&ClassVerdict>| match own.is_empty() {
            true => Value::Null,
            false => own.into_iter().map(one).collect(),
        };
        let argmax = self.argmax.as_ref().map(|argmax| {
            let (planes, pair, rows, because) = match &argmax.linear {
                Linear::Exists { planes } => (Some(planes), None, vec![], None),
                Linear::Not { pair, rows } => (None, *pair, rows.clone(), None),
                Linear::Undecided { because } => (None, None, vec![], Some(because.word())),
            };
            json!({
                "exists": argmax.exists(),
                "because": because,
                "classes": pair.map(|pair| pair.map(|class| &self.names[class])),
                "conflicting_rows": about.rows.numbers(&rows),
                "weights": planes.map(|planes| planes.iter().map(|p| &p.weights).collect::<Vec<_>>()),
                "bias": planes.map(|planes| planes.iter().map(|p| p.bias).collect::<Vec<f64>>()),
                "seconds": argmax.seconds,
            })
        });
        json!({
            "verdict": match self.reply() {
                Reply::Yes => "separable",
                Reply::No => "not-all-separable",
                Reply::Undecided => "undecided",
            },
            "classes": self.names,
            "class_rows": self.class_rows,
            "rows": self.data.shape.rows,
            "features": self.data.shape.columns,
            "feature_names": about.feature_names,
            "rows_dropped": about.dropped,
            "values_filled": about.filled,
            "pairs": asked(self.pairs()),
            "one_vs_rest": asked(self.one_vs_rest()),
            "argmax": argmax,
            "proofs": self.proofs,
            "seconds": self.seconds,
        })
    }
}
