//! What there is to see of a decision: numbers to draw, and the page.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use linsep::Hyperplane;
use linsep::data::samples::{About, LabelNames, RowIds};
use linsep::data::{Absorb, Answerable, Block, Data, Error, Reads, Samples, Shape};
use linsep::decide::{Decision, Explanation, Pass};
use linsep::picture::{Marks, decision_picture, decision_plane, picture as draw};
use linsep::report::page::decision::{Context, Timed, page as write};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::data::Given;
use crate::decide::Watcher;
use crate::work::run;

/// A decision as Rust has it, for its page.
#[pyclass(frozen, module = "linsep._linsep")]
pub struct Decided {
    pub decision: Decision,
    pub explanation: Option<Explanation>,
    pub passes: Vec<Timed>,
}

/// Passes, and when they were over.
pub struct Clock {
    started: Instant,
    passes: Vec<Timed>,
}

impl Clock {
    /// Returns a clock that starts now.
    pub fn start() -> Self {
        Clock { started: Instant::now(), passes: vec![] }
    }

    /// Takes note of a pass.
    pub fn note(&mut self, pass: &Pass) {
        let seconds = self.started.elapsed().as_secs_f64();
        self.passes.push(Timed { pass: pass.clone(), seconds });
    }

    /// Returns the passes.
    pub fn passes(self) -> Vec<Timed> {
        self.passes
    }
}

/// Returns, as JSON, what can be drawn of a hyperplane. Rows in conflict and suspects are marked.
#[pyfunction]
pub fn picture<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    coef: PyReadonlyArray1<'py, f64>,
    intercept: f64,
    conflict: Vec<usize>,
    suspects: Vec<usize>,
) -> PyResult<String> {
    let given = Given::new(x, positive.as_ref())?;
    let plane = Hyperplane { weights: coef.as_slice()?.to_vec(), bias: intercept };
    let conflict = conflict.into_iter().map(|row| (row, String::new())).collect();
    let (shared, marks) = (given.clone(), Marks { conflict, suspects });
    let drawn =
        run(py, None, move |wire| shared.show(wire, |data| Ok(draw(data, &plane, &marks)?)))?;
    drop(given);
    Ok(serde_json::to_string(&drawn).expect("numbers and names are plain data"))
}

/// Returns the hyperplane of a decision on this data that is worth drawing.
#[pyfunction]
pub fn drawn_plane<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    decided: Py<Decided>,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let given = Given::new(x, positive.as_ref())?;
    let (shared, found) = (given.clone(), &decided);
    let plane = run(py, None, move |wire| {
        let Decided { decision, explanation, .. } = found.get();
        let watch = &mut Watcher::new(wire);
        shared.show(wire, |data| Ok(decision_plane(data, decision, explanation.as_ref(), watch)?))
    })?;
    drop(given);
    Ok((PyArray1::from_vec(py, plane.weights), plane.bias))
}

/// Names that arrays do not have: of features, of both classes, of rows.
type Names = (Option<Vec<String>>, (String, String), Option<Vec<String>>);

/// Returns the page of a decision on this data. Rows of arrays are counted from 0.
#[pyfunction]
#[pyo3(signature = (x, positive, decided, *, source, names=None, progress=None))]
pub fn page<'py>(
    py: Python<'py>,
    x: &Bound<'py, PyAny>,
    positive: Option<PyReadonlyArray1<'py, bool>>,
    decided: Py<Decided>,
    source: String,
    names: Option<Names>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<String> {
    let given = Given::new(x, positive.as_ref())?;
    let (shared, found) = (given.clone(), &decided);
    let page = run(py, progress, move |wire| {
        let Decided { decision, explanation, passes } = found.get();
        let context = Context { source, passes: passes.clone(), ..Context::default() };
        let all = |data: &dyn Data| {
            let passes = || data.reads().passes(data.shape());
            let before = passes();
            let explanation = explanation.as_ref();
            let drawn = decision_picture(data, decision, explanation, &mut Watcher::new(wire))?;
            let mut decision = decision.clone();
            // Without the time: the page of a decision is the same each time.
            decision.drew(passes() - before, 0.0);
            Ok(write(data, &decision, explanation, Some(&drawn), &context))
        };
        shared.show(wire, |data| match names {
            Some(names) => all(&Named::new(data, names)),
            None => all(data),
        })
    })?;
    drop(given);
    Ok(page)
}

/// Data with names that it did not have.
struct Named<'a> {
    data: &'a dyn Data,
    about: Arc<About>,
    rows: Option<Vec<String>>,
}

impl<'a> Named<'a> {
    fn new(data: &'a dyn Data, (features, (negative, positive), rows): Names) -> Self {
        let label_names = LabelNames { negative, positive };
        let about = About { feature_names: features, label_names, ..About::clone(data.about()) };
        Named { data, about: about.into(), rows }
    }
}

impl Data for Named<'_> {
    fn shape(&self) -> Shape {
        self.data.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.data.pass(seen)
    }

    fn ask(&self, asked: &dyn Answerable) -> Result<(), Error> {
        self.data.ask(asked)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        let mut ids = RowIds::default();
        for &row in rows {
            match &self.rows {
                Some(names) => ids.push(names.get(row).map_or("", String::as_str)),
                None => ids.push(&row.to_string()),
            }
        }
        Ok(self.data.fetch(rows)?.with_about(self.about.clone()).with_row_ids(ids))
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.data.in_order(first, see)
    }

    fn resident(&self) -> Option<&Samples> {
        self.data.resident()
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn reads(&self) -> &Reads {
        self.data.reads()
    }
}
