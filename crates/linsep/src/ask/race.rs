//! How do several online methods do on the same rows?

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::fit::{fit_json, settings, trace_view, traced};
use super::{AskError, DataFacts, OptionError, Reply};
use crate::Samples;
use crate::data::{Data, Memory};
use crate::online::{
    EpochRecord, FitSettings, MethodSettings, Scaling, ShownMargins, Stop, sorted_by_class,
};
use crate::picture::FlatView;
use crate::race::{Entrant, race_data};
use crate::saved::ClassNames;
use crate::watch::Watch;

/// How do several online methods do on the same rows?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RaceQuestion {
    /// The methods and their settings.
    pub methods: Vec<MethodSettings>,
    /// In which units the methods see the columns.
    pub scale: Scaling,
    /// The number of epochs after which each is stopped.
    pub max_epochs: i64,
    /// The seconds after which each is stopped.
    pub time_limit: Option<f64>,
    /// Whether rows are visited in a new random order each epoch; none: if they come sorted by class.
    pub shuffle: Option<bool>,
    /// The random seed.
    pub seed: u64,
    /// How many updates of each method are kept one by one, to see it move; 0 for none.
    pub trace: i64,
}

impl Default for RaceQuestion {
    fn default() -> Self {
        let FitSettings { max_epochs, seed, .. } = FitSettings::default();
        let methods = ["joint", "fine", "perceptron"].iter();
        RaceQuestion {
            methods: methods.filter_map(|name| MethodSettings::by_name(name)).collect(),
            scale: Scaling::None,
            max_epochs: max_epochs as i64,
            time_limit: None,
            shuffle: None,
            seed,
            trace: 0,
        }
    }
}

impl RaceQuestion {
    fn settings(&self, shuffle: bool) -> Result<FitSettings, AskError> {
        let mut first = None;
        for method in &self.methods {
            let own = settings(method, self.max_epochs, self.time_limit, shuffle, self.seed)?;
            first.get_or_insert(own);
        }
        let first =
            first.ok_or_else(|| OptionError::new("methods", &"empty", "the names of methods"))?;
        let trace = traced(self.trace)?;
        Ok(FitSettings { scale: self.scale, evaluate_epochs: true, trace, ..first })
    }

    /// Errors with the first option that is out of its range.
    pub fn validate(&self) -> Result<(), AskError> {
        self.settings(false)?;
        let names: Vec<&str> = self.methods.iter().map(MethodSettings::name).collect();
        match (1..names.len()).find(|&k| names[..k].contains(&names[k])) {
            Some(k) => {
                Err(OptionError::new("methods", &format!("{} twice", names[k]), "each method once")
                    .into())
            }
            None => Ok(()),
        }
    }

    /// Returns the answer for rows of two classes.
    ///
    /// Errors if an option is out of its range, or if a fit cannot begin.
    pub fn ask(&self, samples: &Samples, watch: &mut dyn Watch) -> Result<RaceAnswer, AskError> {
        self.ask_data(&Memory::new(samples), watch)
    }

    /// Returns the same for rows that may be elsewhere, and fit in memory.
    ///
    /// Errors as [`ask`](Self::ask) does, if the rows cannot be read, and if they do not fit.
    pub fn ask_data(&self, data: &dyn Data, watch: &mut dyn Watch) -> Result<RaceAnswer, AskError> {
        self.validate()?;
        let samples = data.gather()?.ok_or(AskError::NeedsMemory("a race"))?;
        let memory = Memory::new(samples);
        // Where the rows are in memory already, the data knows what they are called.
        let data: &dyn Data = if data.resident().is_some() { data } else { &memory };
        let sorted_by_class = sorted_by_class(samples.positive());
        let shuffled = self.shuffle.unwrap_or(sorted_by_class);
        let entrants = race_data(data, &self.methods, &self.settings(shuffled)?, watch)?;
        let trace_view = trace_view(data, entrants.iter().map(|own| &own.fit), watch)?;
        Ok(RaceAnswer {
            question: self.clone(),
            data: DataFacts::of(data),
            entrants,
            trace_view,
            shuffled,
            sorted_by_class,
        })
    }
}

/// How methods did on the same rows, in the same order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RaceAnswer {
    /// What was asked.
    pub question: RaceQuestion,
    /// What the data is.
    pub data: DataFacts,
    /// The methods, as far as the race went.
    pub entrants: Vec<Entrant>,
    /// The rows behind the steps of the traces, if that was asked.
    pub trace_view: Option<FlatView>,
    /// Whether rows were visited in random orders.
    pub shuffled: bool,
    /// Whether they come sorted by class.
    pub sorted_by_class: bool,
}

impl RaceAnswer {
    /// Returns how many updates a method makes at most on these rows, by its own guarantee and the largest margins that
    /// were found in the race; none if it has no guarantee, or none separated them.
    pub fn updates_bound(&self, method: &MethodSettings) -> Option<f64> {
        let shown = self.entrants.iter().filter_map(|entrant| entrant.fit.shown_margins);
        method.updates_bound(&shown.reduce(ShownMargins::best)?)
    }

    /// Returns yes if some method separated the rows.
    pub fn reply(&self) -> Reply {
        let stopped =
            |entrant: &Entrant| matches!(entrant.fit.stop, Stop::Cancelled | Stop::TimeLimit);
        match () {
            () if self.entrants.iter().any(|entrant| entrant.fit.separated()) => Reply::Yes,
            () if self.entrants.iter().any(stopped) => Reply::Undecided,
            () => Reply::No,
        }
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let epoch = |record: &EpochRecord| {
            json!({
                "epoch": record.epoch,
                "mistakes": record.mistakes,
                "updates": record.updates,
                "rows_evaluated": record.rows_evaluated,
                "mistakes_after": record.evaluated_mistakes,
            })
        };
        let one = |Entrant { method, fit }: &Entrant| {
            let bound = self.updates_bound(method);
            let mut value = fit_json(self.data.shape, method, self.question.scale, fit, bound);
            value["history"] = fit.history.iter().map(epoch).collect();
            value["weights"] = json!(fit.hyperplane.weights);
            value["bias"] = json!(fit.hyperplane.bias);
            value
        };
        json!({
            "rows": self.data.shape.rows,
            "features": self.data.shape.columns,
            "labels": ClassNames::from(&self.data.about.label_names),
            "shuffled": self.shuffled,
            "sorted_by_class": self.sorted_by_class,
            "seed": self.question.seed,
            "methods": self.entrants.iter().map(one).collect::<Vec<Value>>(),
        })
    }
}
