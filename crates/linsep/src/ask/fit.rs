//! Which hyperplane does an online method find?

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decide::seconds;
use super::{AskError, DataFacts, Reply, columns_left_out};
use crate::classes::{Trained, fit_one_vs_rest};
use crate::data::samples::Classes;
use crate::data::{Data, Memory, Shape};
use crate::decide::OptionError;
use crate::distances::{Distances, distances};
use crate::online::{
    Checkpoint, Fit, FitError, FitSettings, MethodSettings, Scaling, Stop, fit_data,
    sorted_by_class, trace,
};
use crate::picture::{FlatView, Marks, Picture, picture, spread_ratio};
use crate::saved::{ClassModel, ClassNames, SavedModel};
use crate::watch::{Stage, Watch};
use crate::{Error, Samples};

/// Bins of the distances.
const BINS: usize = 32;

/// Deviations of columns that differ more than this many times are worth a word.
const DIFFERENT: f64 = 100.0;

/// Which hyperplane does an online method find?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitQuestion {
    /// The method and its settings.
    pub method: MethodSettings,
    /// In which units the method sees the columns.
    pub scale: Scaling,
    /// The number of epochs after which it is stopped.
    pub max_epochs: i64,
    /// The seconds after which it is stopped.
    pub time_limit: Option<f64>,
    /// Whether rows are visited in a new random order each epoch.
    pub shuffle: bool,
    /// The random seed.
    pub seed: u64,
    /// Whether the mistakes of the hyperplane are counted after every epoch, a pass each.
    pub evaluate_epochs: bool,
    /// Whether every epoch is kept.
    pub history: bool,
    /// How often the state of the run is handed out, in seconds.
    pub checkpoint_every: Option<f64>,
    /// Whether to count how far rows lie from the hyperplane: two more passes.
    pub distances: bool,
    /// Whether to make a picture: three more passes.
    pub picture: bool,
    /// How many updates are kept one by one, to see the method move; 0 for none.
    pub trace: i64,
}

impl Default for FitQuestion {
    fn default() -> Self {
        let settings = FitSettings::default();
        FitQuestion {
            method: settings.method,
            scale: settings.scale,
            max_epochs: settings.max_epochs as i64,
            time_limit: None,
            shuffle: settings.shuffle,
            seed: settings.seed,
            evaluate_epochs: false,
            history: false,
            checkpoint_every: None,
            distances: false,
            picture: false,
            trace: 0,
        }
    }
}

/// Returns how many updates are kept. Errors if the number is out of its range.
pub(super) fn traced(updates: i64) -> Result<usize, AskError> {
    let kept = usize::try_from(updates).ok().filter(|&kept| kept <= trace::MOST_STEPS);
    let expected = "an integer from 0 to 100,000";
    Ok(kept.ok_or_else(|| OptionError::new("trace", &updates, expected))?)
}

/// Returns the rows as they are drawn behind the steps of traces, those that were corrected among them; none if
/// there is no trace.
pub(super) fn trace_view<'a>(
    data: &dyn Data,
    fits: impl Iterator<Item = &'a Fit>,
    watch: &mut dyn Watch,
) -> Result<Option<FlatView>, Error> {
    let mut traces = fits.filter_map(|fit| fit.trace.as_ref()).peekable();
    if traces.peek().is_none() {
        return Ok(None);
    }
    watch.stage(&Stage::Drawing);
    let steps = traces.flat_map(|trace| &trace.steps);
    let seen: Vec<usize> = steps.filter_map(|step| Some(step.visited?.row)).collect();
    FlatView::of(data, &seen).map(Some)
}

/// Returns the settings of a run that are in their ranges.
pub(super) fn settings(
    method: &MethodSettings,
    max_epochs: i64,
    time_limit: Option<f64>,
    shuffle: bool,
    seed: u64,
) -> Result<FitSettings, AskError> {
    method.validate().map_err(FitError::from)?;
    let whole = u64::try_from(max_epochs).ok().filter(|&epochs| epochs > 0);
    let max_epochs = whole
        .ok_or_else(|| OptionError::new("max_epochs", &max_epochs, "an integer, at least 1"))?;
    let time_limit = seconds(time_limit)?;
    Ok(FitSettings {
        method: method.clone(),
        max_epochs,
        time_limit,
        shuffle,
        seed,
        ..FitSettings::default()
    })
}

impl FitQuestion {
    /// Returns the settings of the run. Errors with the first that is out of its range.
    pub fn settings(&self) -> Result<FitSettings, AskError> {
        let own =
            settings(&self.method, self.max_epochs, self.time_limit, self.shuffle, self.seed)?;
        let checkpoint_every = match self.checkpoint_every {
            None => None,
            Some(every) => Some(Duration::try_from_secs_f64(every).map_err(|_| {
                OptionError::new("checkpoint_every", &every, "a number of seconds, at least 0")
            })?),
        };
        Ok(FitSettings {
            scale: self.scale,
            evaluate_epochs: self.evaluate_epochs,
            // The mistakes of epochs stand beside the steps.
            keep_history: self.history || self.trace > 0,
            checkpoint_every,
            trace: traced(self.trace)?,
            ..own
        })
    }

    /// Errors with the first option that is out of its range.
    pub fn validate(&self) -> Result<(), AskError> {
        self.settings().map(|_| ())
    }

    /// Returns the answer for rows of two classes, wherever they are, from the beginning or from a checkpoint.
    ///
    /// Errors if an option is out of its range, if the checkpoint is of another run, or if the rows cannot be read.
    pub fn ask(
        &self,
        data: &dyn Data,
        checkpoint: Option<Checkpoint>,
        watch: &mut dyn Watch,
    ) -> Result<FitAnswer, AskError> {
        let settings = self.settings()?;
        watch.stage(&Stage::Fitting { what: self.method.name().to_string() });
        let fit = fit_data(data, &settings, watch, checkpoint)?;
        // Where all rows are looked at at once, their order means nothing.
        let in_order = !self.shuffle && !self.method.needs_memory();
        let resident = data.resident().filter(|_| in_order);
        let sorted = resident.is_some_and(|samples| sorted_by_class(samples.positive()));
        let differ = match fit.separated() || !self.scale.is_none() {
            true => None,
            false => spread_ratio(data)?.filter(|&ratio| ratio > DIFFERENT),
        };
        let model = SavedModel::new(data, &settings, &fit);
        let data_facts = DataFacts::of(data);
        let mut answer = FitAnswer {
            question: self.clone(),
            data: data_facts,
            fit,
            sorted_by_class: sorted,
            columns_differ: differ,
            model,
            distances: None,
            picture: None,
            trace_view: None,
            drawing_seconds: 0.0,
        };
        let started = Instant::now();
        answer.trace_view = trace_view(data, [&answer.fit].into_iter(), watch)?;
        answer.drawing_seconds = started.elapsed().as_secs_f64();
        answer.draw(data, self.distances, self.picture, watch)?;
        Ok(answer)
    }

    /// Returns the answer for rows of many classes: a hyperplane for each, against the rest.
    ///
    /// Errors as [`ask`](Self::ask) does, if it was cancelled, and if a trace is asked for: it is of one hyperplane.
    pub fn ask_classes(
        &self,
        samples: &Samples,
        classes: &Classes,
        watch: &mut dyn Watch,
    ) -> Result<ClassFitAnswer, AskError> {
        let settings = self.settings()?;
        if settings.trace > 0 {
            let expected = "0 where there is a hyperplane per class";
            return Err(OptionError::new("trace", &self.trace, expected).into());
        }
        let trained = fit_one_vs_rest(samples, classes, &settings, watch)?;
        let trained = trained.ok_or(AskError::Interrupted)?;
        Ok(ClassFitAnswer {
            question: self.clone(),
            data: DataFacts::of(&Memory::new(samples)),
            names: classes.names().to_vec(),
            model: ClassModel::new(samples, classes, &settings, &trained.fits),
            trained,
        })
    }
}

/// A hyperplane, and how a method got there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FitAnswer {
    /// What was asked.
    pub question: FitQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// What the method found.
    pub fit: Fit,
    /// Whether rows were visited in their order, and that is sorted by class: little is learnt from it.
    pub sorted_by_class: bool,
    /// How many times the largest deviation of a column is the smallest, where it is more than a hundred times and
    /// mistakes are left: the method hardly learns from the small ones.
    pub columns_differ: Option<f64>,
    /// The model, to be saved and to predict with.
    pub model: SavedModel,
    /// How far rows lie from the hyperplane, if that was asked.
    pub distances: Option<Distances>,
    /// What can be drawn, if that was asked.
    pub picture: Option<Picture>,
    /// The rows behind the steps of the trace, if that was asked.
    pub trace_view: Option<FlatView>,
    /// The time that reading rows for the last three took; the fit's own is without it.
    pub drawing_seconds: f64,
}

impl FitAnswer {
    /// Reads rows again to draw them. Rows that are not in memory are not read again for distances once a limit was
    /// reached.
    ///
    /// Errors if they cannot be read.
    pub fn draw(
        &mut self,
        data: &dyn Data,
        with_distances: bool,
        with_picture: bool,
        watch: &mut dyn Watch,
    ) -> Result<(), Error> {
        let started = Instant::now();
        let stopped = matches!(self.fit.stop, Stop::TimeLimit | Stop::Cancelled);
        if with_distances && (data.resident().is_some() || !stopped) {
            self.distances = Some(distances(data, &self.fit.hyperplane, BINS)?);
        }
        if with_picture {
            watch.stage(&Stage::Drawing);
            self.picture = Some(picture(data, &self.fit.hyperplane, &Marks::default())?);
        }
        self.drawing_seconds += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Returns how many updates the method makes at most on rows with the margin that it found, by its own guarantee;
    /// none if it has none, or did not separate them.
    pub fn updates_bound(&self) -> Option<f64> {
        self.question.method.updates_bound(&self.fit.shown_margins?)
    }

    /// Returns yes if the hyperplane puts all rows on their own side.
    pub fn reply(&self) -> Reply {
        match self.fit.stop {
            Stop::Separated => Reply::Yes,
            Stop::Converged | Stop::Rounded | Stop::LooksInseparable | Stop::EpochLimit => {
                Reply::No
            }
            Stop::TimeLimit | Stop::Cancelled => Reply::Undecided,
        }
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let method = &self.question.method;
        let mut value =
            fit_json(self.data.shape, method, self.question.scale, &self.fit, self.updates_bound());
        let about = &self.data.about;
        let more = json!({
            "labels": ClassNames::from(&about.label_names),
            "feature_names": about.feature_names,
            "rows_dropped": about.dropped,
            "values_filled": about.filled,
            "columns_left_out": columns_left_out(about),
            "columns_differ": self.columns_differ,
            "weights": self.fit.hyperplane.weights,
            "bias": self.fit.hyperplane.bias,
        });
        if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
            value.extend(more);
        }
        value
    }
}

/// A hyperplane per class.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClassFitAnswer {
    /// What was asked.
    pub question: FitQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// The classes, in order.
    pub names: Vec<String>,
    /// What the method found for each class, and how well they name rows together.
    pub trained: Trained,
    /// The model, to be saved and to predict with.
    pub model: ClassModel,
}

impl ClassFitAnswer {
    /// Returns yes if every class is separated from the rest.
    pub fn reply(&self) -> Reply {
        let fits = &self.trained.fits;
        let stopped = |fit: &Fit| matches!(fit.stop, Stop::Cancelled | Stop::TimeLimit);
        match () {
            () if fits.iter().all(Fit::separated) => Reply::Yes,
            () if fits.iter().any(stopped) => Reply::Undecided,
            () => Reply::No,
        }
    }

    /// Returns the share of rows that the hyperplanes together name rightly.
    pub fn accuracy(&self) -> f64 {
        let rows = self.data.shape.rows as f64;
        (rows - self.trained.mistakes as f64) / rows
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let method = &self.question.method;
        let own = |(name, fit): (&String, &Fit)| {
            let bound = fit.shown_margins.and_then(|known| method.updates_bound(&known));
            let mut value = fit_json(self.data.shape, method, self.question.scale, fit, bound);
            value["label"] = json!(name);
            value["weights"] = json!(fit.hyperplane.weights);
            value["bias"] = json!(fit.hyperplane.bias);
            value
        };
        let classes: Vec<Value> = self.names.iter().zip(&self.trained.fits).map(own).collect();
        json!({
            "method": method.name(),
            "separated": self.reply() == Reply::Yes,
            "mistakes": self.trained.mistakes,
            "accuracy": self.accuracy(),
            "rows": self.data.shape.rows,
            "features": self.data.shape.columns,
            "feature_names": self.data.about.feature_names,
            "classes": classes,
        })
    }
}

/// Returns the JSON keys that all answers of a fit have.
pub(super) fn fit_json(
    shape: Shape,
    method: &MethodSettings,
    scale: Scaling,
    fit: &Fit,
    updates_bound: Option<f64>,
) -> Value {
    let evaluation = &fit.evaluation;
    let mut settings = serde_json::to_value(method).expect("settings are plain data");
    if let Value::Object(map) = &mut settings {
        map.shift_remove("name");
    }
    // Among rows in other units margins are others.
    let scaled = (!scale.is_none())
        .then(|| json!({"angular": fit.scaled_margin, "angular_upper_bound": fit.margin_bound}));
    json!({
        "method": method.name(),
        "settings": settings,
        "scale": scale,
        "separated": fit.separated(),
        "stop": fit.stop,
        "epochs": fit.epochs,
        "updates": fit.updates,
        "updates_bound": updates_bound.map(bound_json),
        "mistakes": evaluation.mistakes,
        "accuracy": evaluation.accuracy(),
        "rows": shape.rows,
        "features": shape.columns,
        "rows_evaluated": fit.rows_evaluated,
        "margin": {
            "geometric": evaluation.margin.geometric,
            "angular": evaluation.margin.angular,
            "angular_upper_bound": fit.margin_bound.filter(|_| scale.is_none()),
            "scaled": scaled,
        },
        "seconds": fit.seconds,
    })
}

/// Returns a bound on a count for programs: an integer, unless only floats are as large.
pub fn bound_json(bound: f64) -> Value {
    match bound < 2.0 * (1_u64 << 52) as f64 {
        true => json!(bound as u64),
        false => json!(bound),
    }
}
