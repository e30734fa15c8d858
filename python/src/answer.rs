//! Questions from Python, and their answers as Python holds them.

use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

use linsep::Watch;
use linsep::ask::{Answer, AskError, AskedOf, Question};
use linsep::data::Data;
use linsep::online::{EpochRecord, TraceStep};
use linsep::watch::{Pass, Removing, Stage};
use linsep_report::page::Context;
use linsep_report::summary::{Summary, TextPage};
use linsep_report::voice::Voice;
use linsep_report::{audit, classes, decision, estimate, page, text, trace, trained, verification};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::Given;
use crate::errors::PyFailure;
use crate::voice::Pythonic;
use crate::work::{Wire, run};

/// Tells how the work goes on, and ends it when asked to.
pub struct PyWatcher<'a> {
    wire: &'a Wire,
    /// Whether stages are told, where passes are not.
    stages: bool,
    /// The method that learns, where there are several.
    fitting: RefCell<String>,
}

impl<'a> PyWatcher<'a> {
    /// Returns a watcher that tells of passes and epochs.
    pub fn new(wire: &'a Wire) -> Self {
        PyWatcher { wire, stages: false, fitting: RefCell::default() }
    }

    /// Returns a watcher that tells of stages.
    pub fn of_stages(wire: &'a Wire) -> Self {
        PyWatcher { wire, stages: true, fitting: RefCell::default() }
    }

    /// Returns what a line begins with: the method that learns.
    fn whose(&self) -> String {
        let method = self.fitting.borrow();
        if method.is_empty() { String::new() } else { format!("{method}: ") }
    }
}

impl Watch for PyWatcher<'_> {
    fn stage(&self, stage: &Stage) {
        match stage {
            Stage::Fitting { what } => self.fitting.borrow_mut().clone_from(what),
            other if self.stages => self.wire.say(|| other.to_string()),
            _ => {}
        }
    }

    fn pass(&mut self, pass: &Pass) {
        let Pass { passes, mistakes, lower, upper } = pass;
        self.wire.say(|| {
            format!("pass {passes}: {mistakes} mistakes, margin {lower:.3e} .. {upper:.3e}")
        });
    }

    fn removing(&self, Removing { questions, rows, .. }: &Removing) {
        self.wire.say(|| {
            let best = rows.map_or(String::new(), |rows| format!(", {rows} rows to remove so far"));
            format!("question {questions}{best}")
        });
    }

    fn epoch(&mut self, record: &EpochRecord) {
        let whose = self.whose();
        self.wire.say(|| format!("{whose}{}", trace::epoch(record)));
    }

    fn update(&mut self, step: &TraceStep, data: &dyn Data) {
        let whose = self.whose();
        self.wire.say(|| {
            let row = step.called(data, Pythonic.first());
            format!("{whose}{}", trace::line(step, &self.fitting.borrow(), &row))
        });
    }

    fn updates_left_out(&mut self, updates: u64) {
        let whose = self.whose();
        self.wire.say(|| format!("{whose}{}", trace::left_out(updates)));
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.wire.cancelled())
    }
}

/// Returns a question that is in order. Errors with the option that is not.
pub fn read_question(text: &str) -> Result<Question, PyFailure> {
    let question: Question = serde_json::from_str(text).map_err(|error| {
        // The place in a text that nobody wrote helps nobody.
        let message = error.to_string();
        PyFailure::Setting(message.split(" at line ").next().unwrap_or_default().to_string())
    })?;
    Ok(question)
}

/// Raises an error if a question is not in order: before data is read, which may take long.
#[pyfunction]
pub fn validate(question: &str) -> PyResult<()> {
    let question = read_question(question)?;
    Ok(question.validate().map_err(|error| PyFailure::Ask(error, checkpoint_of(&question)))?)
}

/// Returns the answer to a question about rows, arrays, a table or a cluster, of two classes or of many.
#[pyfunction]
#[pyo3(signature = (question, x, progress=None))]
pub fn ask(
    py: Python<'_>,
    question: &str,
    x: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyAnswer> {
    let given = Given::new(x)?;
    let asked = read_question(question)?;
    let (shared, own) = (given.clone(), &asked);
    let answer = run(py, progress, move |wire| {
        let failed = |error| PyFailure::Ask(error, checkpoint_of(own));
        let watch = &mut match own {
            Question::Classes(_) | Question::Audit(_) => PyWatcher::of_stages(wire),
            _ => PyWatcher::new(wire),
        };
        let many = match own {
            Question::Classes(_) => true,
            Question::Audit(_) => shared.class_count() > 2,
            _ => false,
        };
        if many {
            let (samples, classes) = shared.many(wire)?;
            return own.ask(AskedOf::Classes(&samples, &classes), watch).map_err(failed);
        }
        shared.show(wire, |data| own.ask(AskedOf::Rows(data), watch).map_err(failed))
    })?;
    drop(given);
    Ok(PyAnswer(answer))
}

/// Returns what an answer says, in plain values: numbers, strings and arrays.
#[pyfunction]
pub fn values<'py>(py: Python<'py>, answer: &PyAnswer) -> PyResult<Bound<'py, PyDict>> {
    match &answer.0 {
        Answer::Decide(answer) => crate::decide::values(py, answer),
        Answer::Classes(answer) => crate::classes::values(py, answer),
        Answer::Estimate(answer) => crate::separation::values(py, answer),
        Answer::Audit(answer) => crate::audit::values(py, answer),
        Answer::Fit(answer) => {
            let dict = crate::fit::values(py, &answer.fit, answer.updates_bound())?;
            dict.set_item("trace", crate::trace::arrays(py, &answer.fit, &answer.data)?)?;
            Ok(dict)
        }
        Answer::Race(answer) => crate::fit::race_values(py, answer),
        Answer::Verify(answer) => crate::verify::values(py, &answer.outcome),
        Answer::Folder(answer) => {
            let dict = PyDict::new(py);
            dict.set_item("valid", answer.checked.is_valid())?;
            Ok(dict)
        }
        _ => Err(PyFailure::Setting("there are no values of this".to_string()).into()),
    }
}

/// Returns the file of the checkpoint of a question, if it has one.
fn checkpoint_of(question: &Question) -> Option<std::path::PathBuf> {
    match question {
        Question::Decide(question) => question.checkpoint.clone(),
        _ => None,
    }
}

/// An answer, as Python holds it.
#[pyclass(frozen, module = "linsep._linsep", name = "Answer")]
pub struct PyAnswer(pub Answer);

/// Steps to take next that Python has code for: what the step says, and the code.
type Code = Vec<Option<String>>;

impl PyAnswer {
    fn summary(&self, code: &Code) -> Result<Summary, String> {
        let voice = &Pythonic;
        Ok(match &self.0 {
            Answer::Decide(answer) => decision::text(answer, voice),
            Answer::Classes(answer) => classes::text(answer, voice),
            Answer::Estimate(answer) => {
                let steps = answer.next_steps(0);
                let own = |step: &_| {
                    let place = steps.iter().position(|other| other == step)?;
                    code.get(place).cloned().flatten()
                };
                estimate::text(answer, voice, &own)
            }
            Answer::Audit(answer) => audit::text(answer, voice),
            Answer::Fit(answer) => text::fit(answer, voice),
            Answer::ClassFit(answer) => trained::text(answer, voice),
            Answer::Race(answer) => return Err(text::race(answer, voice)),
            Answer::Verify(answer) => return Err(verification::text(answer, 0, &|_| None)),
            Answer::Folder(answer) => return Err(verification::folder(answer)),
            _ => return Err(String::new()),
        })
    }
}

#[pymethods]
impl PyAnswer {
    /// Returns the answer as the program prints it with `--json`.
    fn to_json(&self) -> String {
        self.0.to_json().to_string()
    }

    /// Returns "yes", "no" or "undecided".
    fn reply(&self) -> String {
        serde_json::json!(self.0.reply()).as_str().unwrap_or_default().to_string()
    }

    /// Returns the answer for people, in lines of at most `width` characters; code stands under the steps of a model.
    #[pyo3(signature = (width=None, code=vec![]))]
    fn text(&self, width: Option<usize>, code: Code) -> String {
        let plain = |_, text: &str| text.to_string();
        match self.summary(&code) {
            Ok(summary) => {
                summary.lay_out(&TextPage { width, paint: &plain }).trim_end().to_string()
            }
            Err(text) => text.trim_end().to_string(),
        }
    }

    /// Returns the answer for a notebook.
    #[pyo3(signature = (code=vec![]))]
    fn html(&self, code: Code) -> String {
        match self.summary(&code) {
            Ok(summary) => summary.html(),
            Err(text) => format!("<pre>{}</pre>", linsep_report::svg::escaped(text.trim_end())),
        }
    }

    /// Returns the page of the answer, for which a decision and a fit have to have been drawn.
    fn page(&self, title: &str, check: &str) -> PyResult<String> {
        let voice = &Pythonic;
        let context = Context { source: title.to_string(), check: check.to_string() };
        Ok(match &self.0 {
            Answer::Decide(answer) => page::decision::page(answer, &context, voice),
            Answer::Classes(answer) => page::classes::page(answer, &context),
            Answer::Audit(answer) => page::audit::page(answer, title, voice),
            Answer::Fit(answer) => page::fit::page(answer, title, voice),
            Answer::Race(answer) => page::race::page(answer, title, voice),
            _ => return Err(PyFailure::Setting("there is no page of this".to_string()).into()),
        })
    }

    /// Returns the answer with what can be drawn of these rows.
    #[pyo3(signature = (x, progress=None))]
    fn drawn(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyAnswer> {
        let given = Given::new(x)?;
        let (shared, mut answer) = (given.clone(), self.0.clone());
        let drawn = run(py, progress, move |wire| {
            shared.show(wire, |data| {
                let watch = &mut PyWatcher::new(wire);
                match &mut answer {
                    Answer::Decide(own) => {
                        let seconds = own.decision.seconds;
                        own.draw(data, false, true, watch)?;
                        // Without the time: the page of an answer is the same each time.
                        own.decision.seconds = seconds;
                    }
                    Answer::Fit(own) => own.draw(data, false, true, watch)?,
                    _ => {}
                }
                Ok(answer)
            })
        })?;
        drop(given);
        Ok(PyAnswer(drawn))
    }

    /// Returns, as JSON, what can be drawn of the answer once it was drawn: with the names of rows and features.
    fn picture(&self) -> Option<String> {
        let (picture, data) = match &self.0 {
            Answer::Decide(answer) => (answer.picture.as_ref()?, &answer.data),
            Answer::Fit(answer) => (answer.picture.as_ref()?, &answer.data),
            _ => return None,
        };
        Some(crate::page::named(picture, data))
    }
}

impl From<AskError> for PyFailure {
    fn from(error: AskError) -> Self {
        PyFailure::Ask(error, None)
    }
}
