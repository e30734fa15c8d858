//! Does the maximum likelihood estimate of a statistical model exist?

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::decide::limits;
use super::vectors::{Excluded, coefficient_names, excluded};
use super::verify::{VerifyAnswer, VerifyQuestion};
use super::{AskError, CitedRows, DataFacts, Reply, Useless};
use crate::data::error::Column;
use crate::data::samples::{About, RowNumbers};
use crate::data::{Data, Features, Shape};
use crate::decide::{Limit, OptionError};
use crate::models::response::{ResponseError, ResponseRemedy};
use crate::models::{
    Factor, FactorLevels, Family, InCommon, Model, Observed, ObservedColumns, ObservedError, Open,
    Reading, Separation, SeparationKind, SeparationOptions, Sign, Ties, Vector, absorbed_design,
    check_absorbed, check_model, check_separation_data, in_common, share_among,
};
use crate::watch::{Stage, Watch};
use linsep_proof::{Proof, verify_model};

/// Values beyond which nothing is looked for in common: it would take longer than the answer.
const MOST_VALUES: usize = 50_000_000;
/// Different outcomes of separated rows beyond which nothing is looked for in common.
const MOST_OUTCOMES: usize = 8;

/// Does the maximum likelihood estimate of a statistical model exist?
///
/// Columns that stand beside the design are named here, so that what is missing or of no use is known before any is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EstimateQuestion {
    /// The family.
    pub model: Family,
    /// Whether the model adds a constant; by default it does, where its family can.
    pub intercept: Option<bool>,
    /// Whether ordered categories share the effects of columns; by default they do.
    pub parallel: Option<bool>,
    /// What a Cox model makes of events at one time; by default Breslow's.
    pub ties: Option<Ties>,
    /// The label that is a success; by default the larger one.
    pub positive: Option<String>,
    /// The categories in order; by default sorted.
    pub levels: Option<Vec<String>>,
    /// Which of two values of `event` is the event.
    pub event_value: Option<String>,
    /// The column of the numbers of trials.
    pub trials: Option<String>,
    /// The column of weights.
    pub weights: Option<String>,
    /// The column of groups, or strata.
    pub groups: Option<String>,
    /// The column of times.
    pub time: Option<String>,
    /// The column of events.
    pub event: Option<String>,
    /// The column of times since when rows were observed.
    pub entry: Option<String>,
    /// The columns whose levels have a coefficient each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absorb: Vec<String>,
    /// The number of passes after which the question ends.
    pub max_passes: Option<i64>,
    /// The seconds after which it ends; what is proven by then is said.
    pub time_limit: Option<f64>,
    /// The number of separated rows to name; by default all.
    pub most_rows: Option<usize>,
    /// Coefficients to begin with, in the order of the model: they change no answer, only how soon it is found.
    pub start: Option<Vec<f64>>,
}

impl EstimateQuestion {
    /// Returns the model. Levels that are absorbed add up to a constant, so their model always has one.
    pub fn model(&self) -> Model {
        let intercept = self.intercept.unwrap_or(true) || !self.absorb.is_empty();
        let parallel = self.parallel.unwrap_or(true);
        self.model.model(intercept, parallel, self.ties.unwrap_or_default())
    }

    /// Returns true if rows are labelled with two classes and nothing stands beside them: such data can be of any size.
    pub fn is_plain(&self) -> bool {
        let beside = self.trials.is_some() || self.weights.is_some() || !self.absorb.is_empty();
        self.model == Family::Binomial && !beside
    }

    /// Returns the columns that are not part of the design, by what they are for.
    pub fn columns(&self) -> [(&'static str, Option<&str>); 6] {
        [
            ("trials", self.trials.as_deref()),
            ("weights", self.weights.as_deref()),
            ("groups", self.groups.as_deref()),
            ("time", self.time.as_deref()),
            ("event", self.event.as_deref()),
            ("entry", self.entry.as_deref()),
        ]
    }

    fn options(&self) -> Result<SeparationOptions, OptionError> {
        let limits = limits(self.max_passes, self.time_limit)?;
        let intercept = self.model() == Model::Binomial { intercept: true };
        let mut options =
            SeparationOptions::default().with_intercept(intercept).with_limits(limits);
        options.most_rows = self.most_rows;
        options.start = self.start.clone();
        Ok(options)
    }

    /// Errors with the first option that is out of its range, is of no use to the model, or is missing.
    pub fn validate(&self) -> Result<(), AskError> {
        self.options()?;
        let given = [
            ("intercept", self.intercept.is_some()),
            ("parallel", self.parallel.is_some()),
            ("ties", self.ties.is_some()),
            ("positive", self.positive.is_some()),
            ("levels", self.levels.is_some()),
            ("event_value", self.event_value.is_some()),
            ("absorb", !self.absorb.is_empty()),
        ];
        let columns = self.columns().map(|(option, column)| (option, column.is_some()));
        for (option, _) in given.into_iter().chain(columns).filter(|(_, is_given)| *is_given) {
            if let Some(families) = Family::using(option)
                && !families.contains(&self.model)
            {
                let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
                let why = format!(
                    "was given for a {} model; it is for {}",
                    self.model.name(),
                    names.join(", ")
                );
                return Err(AskError::Useless(Useless { option, why, instead: None }));
            }
        }
        if self.event_value.is_some() && self.event.is_none() {
            let why = "was given without event, the column that has it".to_string();
            let option = "event_value";
            return Err(AskError::Useless(Useless { option, why, instead: None }));
        }
        if let Some(levels) = &self.levels
            && let Some(k) = (1..levels.len()).find(|&k| levels[..k].contains(&levels[k]))
        {
            let found = format!("\"{}\" twice", levels[k]);
            return Err(OptionError::new("levels", &found, "each category once").into());
        }
        let twice = |k: &usize| self.absorb[..*k].contains(&self.absorb[*k]);
        if let Some(k) = (1..self.absorb.len()).find(twice) {
            let found = format!("\"{}\" twice", self.absorb[k]);
            return Err(OptionError::new("absorb", &found, "each column once").into());
        }
        let missing = match self.model {
            Family::Cox if self.time.is_none() => Some(("time", "says when rows were last seen")),
            Family::Conditional if self.groups.is_none() => {
                Some(("groups", "says which rows are compared"))
            }
            _ => None,
        };
        match missing {
            Some((option, does)) => Err(AskError::Useless(Useless {
                option,
                why: format!("is missing: a {} model needs it", self.model.name()),
                instead: Some((option, does)),
            })),
            None => Ok(()),
        }
    }

    /// Returns what columns are to the model. Errors if one has an entry that it cannot use.
    pub fn observe(&self, columns: &ObservedColumns) -> Result<Observed, AskError> {
        let reading = Reading {
            family: self.model,
            positive: self.positive.as_deref(),
            levels: self.levels.as_deref(),
            event_value: self.event_value.as_deref(),
        };
        Ok(reading.observe(columns)?)
    }

    /// Returns the answer for a binomial model of labelled rows, wherever they are.
    ///
    /// Errors if an option is out of its range, or if the rows cannot be read.
    pub fn ask(&self, data: &dyn Data, watch: &mut dyn Watch) -> Result<EstimateAnswer, AskError> {
        self.validate()?;
        let started = Instant::now();
        let about = data.about();
        let outcome = match &about.label_column {
            Some(Column::Name(name)) => name.clone(),
            _ => "label".to_string(),
        };
        let labels = [about.label(false).to_string(), about.label(true).to_string()];
        if let Some(share) = share_among(labels.iter().map(String::as_str)) {
            let found = format!("what looks like a share of successes: {share}");
            let remedy = Some(ResponseRemedy::GiveTrials);
            let error = ResponseError { row: None, expected: "a label".to_string(), found, remedy };
            return Err(ObservedError { column: outcome, error }.into());
        }
        watch.stage(&Stage::Deciding);
        let found = check_separation_data(data, &self.options()?, watch)?;
        let common = match data.resident() {
            Some(samples) => {
                let label = |row: usize| labels[usize::from(samples.positive()[row])].clone();
                common(samples.features(), None, &found, &label)
            }
            None => vec![],
        };
        let rows = CitedRows::fetch(data, &[&found.rows[..], &found.conflict].concat(), &[])?;
        Ok(EstimateAnswer {
            question: self.clone(),
            model: self.model(),
            data: DataFacts::of(data),
            categories: labels.to_vec(),
            outcome,
            counted: None,
            found,
            absorbed: vec![],
            rows,
            common,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Returns the answer for a design, and what stands beside it.
    ///
    /// Errors if an option is out of its range, or if the response has nothing to say.
    pub fn ask_model(
        &self,
        design: &Design,
        observed: &Observed,
        watch: &mut dyn Watch,
    ) -> Result<EstimateAnswer, AskError> {
        self.validate()?;
        let started = Instant::now();
        watch.stage(&Stage::Deciding);
        let (model, kept) = (self.model(), observed.kept.as_deref());
        let options = self.options()?;
        let Observed { response, factors, .. } = observed;
        let found = match factors.is_empty() {
            true => check_model(design.features, &model, response, kept, &options, watch)?,
            false => {
                check_absorbed(design.features, factors, &model, response, kept, &options, watch)?
            }
        };
        let absorbed = factors.iter().zip(&found.absorbed).map(AbsorbedFactor::of).collect();
        let common = match &observed.outcomes {
            Some(outcomes) => {
                let label = |row: usize| observed.categories[outcomes[row]].clone();
                let counted = observed.counted();
                common(design.features, counted.as_deref(), &found, &label)
            }
            None => vec![],
        };
        let cited: BTreeSet<usize> = found.rows.iter().chain(&found.conflict).copied().collect();
        let cited: Vec<usize> = cited.into_iter().collect();
        Ok(EstimateAnswer {
            question: self.clone(),
            model,
            data: design.facts(),
            categories: observed.categories.clone(),
            outcome: observed.outcome.clone(),
            counted: observed.counted(),
            rows: CitedRows::named(&cited, (design.names)(&cited)),
            found,
            absorbed,
            common,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Returns what the checker says of a proof about a design, and what stands beside it.
    ///
    /// Errors if the response has nothing to say.
    pub fn verify(
        &self,
        features: &Features,
        observed: &Observed,
        proof: &Proof,
    ) -> Result<VerifyAnswer, AskError> {
        let model = self.model();
        let question = VerifyQuestion { model: Some(model), ..VerifyQuestion::default() };
        let Observed { response, factors, .. } = observed;
        let kept = observed.kept.as_deref();
        let found = match factors.is_empty() {
            true => verify_model(features, &model, response, kept, proof),
            false => {
                let design = absorbed_design(features, factors, observed.counted().as_deref());
                verify_model(&design, &model, response, kept, proof)
            }
        };
        Ok(VerifyAnswer::of(&question, found.map_err(crate::models::SeparationError::from)?))
    }
}

impl From<ObservedError> for AskError {
    fn from(error: ObservedError) -> Self {
        AskError::Observed(error)
    }
}

/// What names rows.
pub type RowNames<'a> = dyn Fn(&[usize]) -> Option<Vec<String>> + 'a;

/// A design: the columns of a model, and what they and the rows are called.
pub struct Design<'a> {
    /// The columns.
    pub features: &'a Features,
    /// What they are called.
    pub columns: Option<Vec<String>>,
    /// Which rows of the file the rows are.
    pub numbers: RowNumbers,
    /// What rows are called, if anything names them.
    pub names: &'a RowNames<'a>,
}

impl Design<'_> {
    pub(super) fn facts(&self) -> DataFacts {
        let shape = Shape {
            rows: self.features.rows(),
            columns: self.features.columns(),
            sparse: matches!(self.features, Features::Sparse(_)),
        };
        let about = About {
            feature_names: self.columns.clone(),
            rows: self.numbers.clone(),
            ..About::default()
        };
        DataFacts { shape, about: Arc::new(about) }
    }
}

/// Returns what separated rows of one outcome have in common, the largest group first.
fn common(
    design: &Features,
    kept: Option<&[bool]>,
    found: &Separation,
    label: &dyn Fn(usize) -> String,
) -> Vec<(InCommon, String)> {
    // After a limit nothing more is looked for.
    if found.open.is_some() || design.rows().saturating_mul(design.columns()) > MOST_VALUES {
        return vec![];
    }
    let labels: BTreeSet<String> = found.settled.iter().map(|&row| label(row)).collect();
    if labels.len() > MOST_OUTCOMES {
        return vec![];
    }
    let mut all = vec![];
    for own in labels {
        let mut members = vec![false; design.rows()];
        for &row in found.settled.iter().filter(|&&row| label(row) == own) {
            members[row] = true;
        }
        all.extend(in_common(design, &members, kept).into_iter().map(|group| (group, own.clone())));
    }
    all.sort_by_key(|(group, _)| std::cmp::Reverse(group.rows.len()));
    all
}

/// Whether the estimate of a model exists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EstimateAnswer {
    /// What was asked.
    pub question: EstimateQuestion,
    /// The model.
    pub model: Model,
    /// What the design is.
    pub data: DataFacts,
    /// The categories of the outcome, in order.
    pub categories: Vec<String>,
    /// What the outcome is called.
    pub outcome: String,
    /// Which rows count, if not all do: those of a weight above zero that have seen a trial.
    pub counted: Option<Vec<bool>>,
    /// What was found.
    pub found: Separation,
    /// What becomes of the levels of each column that is absorbed.
    pub absorbed: Vec<AbsorbedFactor>,
    /// The rows that it speaks of.
    pub rows: CitedRows,
    /// What separated rows have in common, and their outcome.
    pub common: Vec<(InCommon, String)>,
    /// Time.
    pub seconds: f64,
}

/// What becomes of the levels of a column that is absorbed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsorbedFactor {
    /// What the column is called.
    pub column: String,
    /// How many levels it has, in rows that count.
    pub levels: usize,
    /// How many of them are a base.
    pub bases: usize,
    /// The levels all of whose rows are separated, and where their coefficients run to.
    pub gone: Vec<(String, Sign)>,
}

impl AbsorbedFactor {
    fn of((factor, found): (&Factor, &FactorLevels)) -> Self {
        let level = |(level, sign): &(usize, Sign)| (factor.levels[*level].clone(), *sign);
        AbsorbedFactor {
            column: factor.name.clone(),
            levels: found.levels,
            bases: found.bases,
            gone: found.gone.iter().map(level).collect(),
        }
    }
}

/// Something to do about a separation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NextStep {
    /// Drop columns whose coefficients run away, or merge their levels with others.
    Drop {
        /// The columns.
        columns: Vec<String>,
    },
    /// Merge a category with the one beside it.
    MergeCategories,
    /// Fit the limiting model, of the rows that are not separated.
    FitLimit {
        /// How many these are.
        rows: usize,
        /// Columns to leave out of it.
        without: Vec<String>,
        /// Whether the constant that the model adds is to be left out.
        without_constant: bool,
    },
    /// Penalise the likelihood.
    Penalise,
}

impl EstimateAnswer {
    /// Returns yes if the estimate exists.
    pub fn reply(&self) -> Reply {
        Reply::of(match self.found.kind {
            SeparationKind::Overlap => Some(true),
            SeparationKind::Undecided(_) => None,
            _ => Some(false),
        })
    }

    /// Returns the names of the coefficients, in order; columns without a name are counted from `first`.
    pub fn coefficients(&self, first: usize) -> Vec<String> {
        coefficient_names(
            &self.model,
            &self.categories,
            &|column| self.data.feature(column, first),
            self.found.coefficients.iter().map(|own| (own.block, own.column)),
        )
    }

    /// Returns what becomes of every coefficient.
    pub fn estimates(&self) -> Vec<String> {
        let found = &self.found;
        let unknown = match self.is_open() {
            true => "unknown",
            false => "finite",
        };
        let mut all = vec![unknown.to_string(); found.coefficients.len()];
        found.aliased.iter().for_each(|&k| all[k] = "aliased".to_string());
        found.infinite.iter().for_each(|(k, sign)| all[*k] = sign.to_string());
        all
    }

    /// Returns true if it is not known which coefficients are finite.
    pub fn is_open(&self) -> bool {
        matches!(self.found.kind, SeparationKind::Undecided(_))
            || matches!(self.found.open, Some((Open::Coefficients, _)))
    }

    /// Returns the limit that was reached before everything was known, if one was.
    pub fn because(&self) -> Option<Limit> {
        match self.found.kind {
            SeparationKind::Undecided(because) => Some(because),
            _ => self.found.open.map(|(_, because)| because),
        }
    }

    /// Returns what a separated vector excludes, for its row; rows without a name are counted from `first`.
    pub fn excluded(&self, vector: &Vector, first: usize) -> Excluded {
        excluded(&self.model, &self.categories, vector, |row| self.data.row(row, first))
    }

    /// Returns how many rows the limiting model has.
    pub fn left(&self) -> usize {
        let Separation { counted, settled, separated, excluded, .. } = &self.found;
        // Not all rows are named where that was asked; then each makes one vector.
        let gone = if excluded.is_empty() { settled.len().max(*separated) } else { settled.len() };
        counted.saturating_sub(gone)
    }

    /// Returns what can be done about it.
    pub fn next_steps(&self, first: usize) -> Vec<NextStep> {
        use SeparationKind::{Complete, QuasiComplete};
        let found = &self.found;
        if self.is_open() || !matches!(found.kind, Complete | QuasiComplete) {
            return vec![];
        }
        let column = |&k: &usize| found.coefficients[k].column;
        let once = |places: Vec<usize>| {
            let mut names: Vec<String> = vec![];
            for name in places.iter().filter_map(column).map(|k| self.data.feature(k, first)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names
        };
        let mut steps = vec![];
        let away = once(found.infinite.iter().map(|(k, _)| *k).collect());
        if !away.is_empty() {
            steps.push(NextStep::Drop { columns: away });
        } else if self.question.model.is_ordered() {
            steps.push(NextStep::MergeCategories);
        }
        let without = once(found.left_out.clone());
        let without_constant = found.left_out.iter().any(|k| column(k).is_none());
        let constant = self.model_adds_constant() && !without_constant;
        let limits =
            [Family::Binomial, Family::LogBinomial, Family::Poisson, Family::NegativeBinomial];
        if found.kind == QuasiComplete
            && self.left() > 0
            && (constant || without.len() < self.data.shape.columns)
            && limits.contains(&self.question.model)
        {
            steps.push(NextStep::FitLimit { rows: self.left(), without, without_constant });
        }
        steps.push(NextStep::Penalise);
        steps
    }

    fn model_adds_constant(&self) -> bool {
        let asked = self.question.intercept.unwrap_or(true) || !self.absorbed.is_empty();
        self.question.model.has_intercept() && asked
    }

    /// Returns the answer for programs.
    pub fn to_json(&self) -> Value {
        let (found, about) = (&self.found, &self.data.about);
        let coefficients = self.coefficients(1);
        let numbers = |rows: &[usize]| about.rows.numbers(rows);
        let named = |places: &[usize]| places.iter().map(|&k| &coefficients[k]).collect::<Vec<_>>();
        let estimates: Vec<Value> = coefficients
            .iter()
            .zip(self.estimates())
            .map(|(name, estimate)| json!({ "name": name, "estimate": estimate }))
            .collect();
        let exists = match self.reply() {
            Reply::Yes => Some(true),
            Reply::No => Some(false),
            Reply::Undecided => None,
        };
        let excluded: Vec<Value> = found
            .excluded
            .iter()
            .filter(|_| !self.categories.is_empty() || matches!(self.model, Model::Cox { .. }))
            .map(|v| {
                json!({ "row": about.rows.number(v.row), "excludes": self.excluded(v, 1).to_string() })
            })
            .collect();
        let common: Vec<Value> = self
            .common
            .iter()
            .map(|(condition, outcome)| {
                json!({
                    "column": self.data.feature(condition.column, 1),
                    "relation": condition.relation.to_string(),
                    "value": condition.value,
                    "rows": condition.rows.len(),
                    "outcome": outcome,
                })
            })
            .collect();
        let mut value = json!({
            "model": self.model.name(),
            "kind": found.kind.to_string(),
            "estimate_exists": exists,
            "rows": self.data.shape.rows,
            "coefficients": estimates,
            "aliased": named(&found.aliased),
            "separated_rows": numbers(&found.rows),
            "settled_rows": numbers(&found.settled),
            "excluded": excluded,
            "conflicting_rows": numbers(&found.conflict),
            "cone_dimension": found.cone_dimension,
            "left_out": named(&found.left_out),
            "direction": found.direction,
            "in_common": common,
            "next_steps": self.next_steps(1),
            "seconds": self.seconds,
            "proof": found.proof,
            "because": self.because().map(Limit::word),
            "open": found.open.map(|(open, _)| open.word()),
        });
        if !self.absorbed.is_empty() {
            let level = |(level, sign): &(String, Sign)| json!({ "level": level, "estimate": sign.to_string() });
            let factor = |own: &AbsorbedFactor| {
                json!({
                    "column": own.column,
                    "levels": own.levels,
                    "base_levels": own.bases,
                    "gone": own.gone.iter().map(level).collect::<Vec<Value>>(),
                })
            };
            value["absorbed"] = self.absorbed.iter().map(factor).collect();
        }
        if let Some(names) = self.rows.names(&found.rows).filter(|_| self.rows.are_named()) {
            value["separated_row_ids"] = json!(names);
        }
        value
    }
}
