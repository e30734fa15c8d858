//! More than two classes: every pair of them, each against the rest, and one linear classifier for all.
//!
//! In reading order: this file asks the engine one question of two classes after the other, `argmax` asks whether the
//! largest of one linear score per class can be right on every row, `softmax` looks for such scores, `train` has an
//! online method learn one hyperplane per class, and `folder` keeps and checks the proofs of all answers.

mod argmax;
pub mod folder;
mod softmax;
mod train;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub use argmax::{ARGMAX, Argmax, Linear, argmax};
pub use train::{Trained, fit_one_vs_rest, lengths, nearest_class};

use crate::data::samples::Classes;
use crate::decide::{
    Conflict, Deadline, DecideError, DecideOptions, Decision, ExplainOptions, Explanation, Limit,
    Margin, Verdict, decide, explain,
};
use crate::{Error, Hyperplane, Samples};

/// Values of a question that is worth all threads for itself; smaller ones share them.
const LARGE: usize = 1 << 18;
/// Small questions that are asked at the same time.
const TOGETHER: usize = 64;

/// A question about two classes, or about one and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Can one hyperplane tell two classes apart?
    Pair {
        /// The class on the negative side.
        negative: usize,
        /// The class on the positive side.
        positive: usize,
    },
    /// Can one hyperplane tell a class apart from all others?
    OneVsRest {
        /// The class on the positive side.
        positive: usize,
    },
}

impl Question {
    /// Returns the questions about all pairs of so many classes: the earlier is negative.
    pub fn pairs(classes: usize) -> Vec<Question> {
        let after = |negative: usize| {
            (negative + 1..classes).map(move |positive| Question::Pair { negative, positive })
        };
        (0..classes).flat_map(after).collect()
    }

    /// Returns the questions about each of so many classes against the rest.
    pub fn one_vs_rest(classes: usize) -> Vec<Question> {
        (0..classes).map(|positive| Question::OneVsRest { positive }).collect()
    }

    /// Returns the rows that it is about, under two labels, in the order of the data.
    ///
    /// Errors if there is no memory for a copy of them.
    pub fn samples(self, samples: &Samples, classes: &Classes) -> Result<Samples, Error> {
        match self {
            Question::Pair { negative, positive } => classes.pair(samples, negative, positive),
            Question::OneVsRest { positive } => Ok(classes.one_vs_rest(samples, positive)),
        }
    }

    /// Returns how many rows it is about.
    pub fn rows(self, classes: &Classes) -> usize {
        match self {
            Question::Pair { negative, positive } => {
                classes.members(negative).len() + classes.members(positive).len()
            }
            Question::OneVsRest { .. } => classes.codes().len(),
        }
    }

    /// Returns the number that a row of it has in the data.
    fn row_numbers(self, classes: &Classes) -> Option<Vec<usize>> {
        match self {
            Question::Pair { negative, positive } => Some(classes.rows_of(&[negative, positive])),
            Question::OneVsRest { .. } => None,
        }
    }
}

/// What is asked of every question.
#[derive(Clone, Debug, Default)]
pub struct ClassOptions {
    /// How to decide each of them. The limit on time is one for all together.
    pub decide: DecideOptions,
    /// Whether to say why classes are not separable.
    pub explain: bool,
}

/// The answer to a question. Rows are counted as in the whole data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// How many rows it is about.
    pub rows: usize,
    /// The verdict; none if undecided.
    pub verdict: Option<Verdict>,
    /// Why there is none.
    pub because: Option<Limit>,
    /// Bounds on the largest margin.
    pub margin: Margin,
    /// The separating hyperplane, or the one with the fewest mistakes that was met.
    pub hyperplane: Option<Hyperplane>,
    /// Rows that rule a strict separation out, if such were found.
    pub conflict: Option<Conflict>,
    /// Why not, if that was asked.
    pub explanation: Option<Explanation>,
    /// Reads of all its rows.
    pub passes: u64,
    /// Time.
    pub seconds: f64,
}

impl Answer {
    /// Returns the verdict in a word; "undecided" if there is none.
    pub fn word(&self) -> String {
        self.verdict.map_or("undecided".to_string(), |verdict| verdict.to_string())
    }

    /// Returns the rows that rule a strict separation out, rising; none where none are known.
    pub fn conflicting_rows(&self) -> Vec<usize> {
        self.conflict.as_ref().map(|conflict| conflict.rows()).unwrap_or_default()
    }

    /// Returns true if the classes are strictly separable.
    pub fn is_separable(&self) -> bool {
        self.verdict == Some(Verdict::Separable)
    }
}

/// What sees answers as they come, with the decisions behind them.
pub type See<'a, E> = dyn FnMut(&Answer, Option<&Decision>) -> Result<(), E> + 'a;

/// Returns the answers to questions about classes, in order. `each` sees them as they come, with the decision as it
/// was made: its rows, and those of its proof, are counted among the rows of the question. After a limit there is none:
/// what is left to ask is undecided.
///
/// Small questions are asked at the same time, which changes no answer. Errors as [`decide`] does, and if
/// `each` does.
///
/// ```
/// use linsep::Samples;
/// use linsep::classes::{ClassOptions, Question, decide_questions};
/// use linsep::data::samples::Classes;
/// use linsep::decide::DecideError;
///
/// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0], 1, vec![true, false, false, false])?;
/// let classes = Classes::of(vec!["a".into(), "b".into(), "c".into()], vec![0, 1, 1, 2]);
/// let questions = Question::one_vs_rest(3);
/// let options = ClassOptions::default();
/// let each = &mut |_: &_, _: Option<&_>| Ok::<_, DecideError>(());
/// let answers = decide_questions(&samples, &classes, &questions, &options, None, each)?;
/// let words: Vec<String> = answers.iter().map(|answer| answer.word()).collect();
/// assert_eq!(words, ["separable", "inseparable", "separable"]);
/// # Ok::<(), DecideError>(())
/// ```
pub fn decide_questions<E: From<DecideError>>(
    samples: &Samples,
    classes: &Classes,
    questions: &[Question],
    options: &ClassOptions,
    cancelled: Option<&AtomicBool>,
    each: &mut See<E>,
) -> Result<Vec<Answer>, E> {
    let deadline = Deadline::new(options.decide.time_limit, cancelled);
    let large = |question: &Question| question.rows(classes) * samples.columns() >= LARGE;
    let ask = |&question: &Question| ask(samples, classes, question, options, &deadline);
    let mut answers = vec![];
    for alike in questions.chunk_by(|a, b| large(a) == large(b)) {
        for chunk in alike.chunks(if large(&alike[0]) { 1 } else { TOGETHER }) {
            let found: Vec<Result<(Answer, Option<Decision>), DecideError>> = match chunk {
                [one] => vec![ask(one)],
                several => several.par_iter().map(ask).collect(),
            };
            for found in found {
                let (answer, decision) = found?;
                each(&answer, decision.as_ref())?;
                answers.push(answer);
            }
        }
    }
    Ok(answers)
}

/// Returns the answer to one question, and the decision behind it.
fn ask(
    samples: &Samples,
    classes: &Classes,
    question: Question,
    options: &ClassOptions,
    deadline: &Deadline,
) -> Result<(Answer, Option<Decision>), DecideError> {
    let started = Instant::now();
    if let Some(limit) = deadline.limit() {
        return Ok((unasked(question, classes, options, limit), None));
    }
    let rows = question.samples(samples, classes)?;
    let limits = options.decide.clone().with_time_limit(left(deadline));
    let mut decision = decide(&rows, &limits, &mut &*deadline)?;
    let explanation = options.explain.then(|| {
        let limits = ExplainOptions { time_limit: left(deadline) };
        explain(&rows, &decision, &limits, &mut &*deadline)
    });
    if let Some(explanation) = &explanation {
        explanation.extend_proof(&mut decision);
    }
    let conflict = decision.conflict().cloned();
    let numbers = conflict.as_ref().and_then(|_| question.row_numbers(classes));
    let number = |row: usize| numbers.as_ref().map_or(row, |numbers| numbers[row]);
    let answer = Answer {
        question,
        rows: rows.rows(),
        verdict: decision.verdict(),
        because: decision.because(),
        margin: decision.margin(),
        hyperplane: decision.hyperplane().cloned(),
        conflict: conflict.map(|conflict| conflict.renumbered(number)),
        explanation: explanation.map(|explanation| explanation.renumbered(number)),
        passes: decision.passes,
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok((answer, Some(decision)))
}

/// Returns what is known where a limit was reached before the question was asked: nothing.
fn unasked(question: Question, classes: &Classes, options: &ClassOptions, limit: Limit) -> Answer {
    let kind = options.decide.kind;
    Answer {
        question,
        rows: question.rows(classes),
        verdict: None,
        because: Some(limit),
        margin: Margin { kind, lower: kind.least(), upper: kind.most() },
        hyperplane: None,
        conflict: None,
        explanation: None,
        passes: 0,
        seconds: 0.0,
    }
}

/// Returns the time that is left, which is never nothing.
fn left(deadline: &Deadline) -> Option<Duration> {
    deadline.left().map(|left| left.max(Duration::from_nanos(1)))
}
