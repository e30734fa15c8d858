//! From the columns beside a design to the response of a model: one encoding, for all families and all front ends.
//!
//! A front end hands over columns as they were read, numbers or words, under the names that its users gave them. What
//! they mean is said here, and by the rules of [`response`](super::response): which label is a success, in which order
//! categories stand, which of them exist, which rows count.

use linsep_data::samples::label_order;
use linsep_proof::structure::{Model, Response, Ties, Trial};
use serde::{Deserialize, Serialize};

use super::absorbed::Factor;
use super::response::{self, ResponseColumn, ResponseError, ResponseRemedy};

/// What several labels are called that are one class.
const REST: &str = "rest";

/// A family of models, by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Successes and failures.
    #[default]
    Binomial,
    /// Successes and failures, with a log link.
    LogBinomial,
    /// Categories without an order.
    Multinomial,
    /// Ordered categories: P(Y <= j).
    Cumulative,
    /// Ordered categories: one against the next.
    Adjacent,
    /// Ordered categories: step by step.
    Sequential,
    /// Counts.
    Poisson,
    /// Counts.
    NegativeBinomial,
    /// Cases against controls of their group.
    Conditional,
    /// Times to an event.
    Cox,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 10] = [
        Family::Binomial,
        Family::LogBinomial,
        Family::Multinomial,
        Family::Cumulative,
        Family::Adjacent,
        Family::Sequential,
        Family::Poisson,
        Family::NegativeBinomial,
        Family::Conditional,
        Family::Cox,
    ];

    /// Returns the model of this family, with those of the options that it has.
    pub fn model(self, intercept: bool, parallel: bool, ties: Ties) -> Model {
        match self {
            Family::Binomial => Model::Binomial { intercept },
            Family::LogBinomial => Model::LogBinomial { intercept },
            Family::Multinomial => Model::Multinomial { intercept },
            Family::Cumulative => Model::Cumulative { parallel },
            Family::Adjacent => Model::Adjacent { parallel },
            Family::Sequential => Model::Sequential { parallel },
            Family::Poisson => Model::Poisson { intercept },
            Family::NegativeBinomial => Model::NegativeBinomial { intercept },
            Family::Conditional => Model::Conditional {},
            Family::Cox => Model::Cox { ties },
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.model(true, true, Ties::Breslow).name()
    }

    /// Returns the family of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// Returns true if the categories have an order.
    pub fn is_ordered(self) -> bool {
        matches!(self, Family::Cumulative | Family::Adjacent | Family::Sequential)
    }

    /// Returns true if the model may add a constant.
    pub fn has_intercept(self) -> bool {
        Self::using("intercept").is_some_and(|families| families.contains(&self))
    }

    /// Returns true if rows are trials, one each or several.
    fn tries(self) -> bool {
        matches!(self, Family::Binomial | Family::LogBinomial)
    }

    /// Returns true if rows are counts.
    fn counts(self) -> bool {
        matches!(self, Family::Poisson | Family::NegativeBinomial)
    }

    /// Returns the families that an option is for, by the option's name; none if it is for all.
    pub fn using(option: &str) -> Option<&'static [Family]> {
        use Family::{
            Adjacent, Binomial, Conditional, Cox, Cumulative, LogBinomial, Multinomial,
            NegativeBinomial, Poisson, Sequential,
        };
        Some(match option {
            "time" | "event" | "event_value" | "entry" | "ties" => &[Cox],
            "groups" => &[Conditional, Cox],
            "trials" => &[Binomial, LogBinomial],
            "levels" => &[Multinomial, Cumulative, Adjacent, Sequential],
            "parallel" => &[Cumulative, Adjacent, Sequential],
            "intercept" => &[Binomial, LogBinomial, Multinomial, Poisson, NegativeBinomial],
            "absorb" => &[Binomial, Poisson, NegativeBinomial],
            "positive" => &[Binomial, LogBinomial, Conditional],
            _ => return None,
        })
    }
}

/// A column that stands beside a design.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedColumn {
    /// What its users call it.
    pub name: String,
    /// One entry per row.
    pub cells: ObservedCells,
}

/// One entry per row.
#[derive(Clone, Debug, PartialEq)]
pub enum ObservedCells {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Text: each row's place among the words.
    Words {
        /// The words, each once.
        words: Vec<String>,
        /// The word of each row.
        codes: Vec<u32>,
    },
}

/// The columns that stand beside a design.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedColumns {
    /// Labels, categories, counts or successes.
    pub outcome: Option<ObservedColumn>,
    /// Numbers of trials.
    pub trials: Option<ObservedColumn>,
    /// Weights.
    pub weights: Option<ObservedColumn>,
    /// Groups, or strata.
    pub groups: Option<ObservedColumn>,
    /// When rows were last seen.
    pub time: Option<ObservedColumn>,
    /// Whether the event occurred then.
    pub event: Option<ObservedColumn>,
    /// Since when rows were observed.
    pub entry: Option<ObservedColumn>,
    /// Factors whose levels have a coefficient each, whatever the cells are.
    pub absorb: Vec<ObservedColumn>,
}

/// Labels, and whether each is a success.
type Classed = Vec<(String, bool)>;

/// How columns are to be understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading<'a> {
    /// The family.
    pub family: Family,
    /// The label that is a success; none: the larger one.
    pub positive: Option<&'a str>,
    /// The categories in order; none: sorted.
    pub levels: Option<&'a [String]>,
    /// Which of two values of the event is the event.
    pub event_value: Option<&'a str>,
}

/// What rows have beside their columns, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// One entry per row.
    pub response: Response,
    /// Rows of a weight above zero, if rows have weights.
    pub kept: Option<Vec<bool>>,
    /// What outcomes are called: of models with categories these come first, in order.
    pub categories: Vec<String>,
    /// The outcome of each row, as a place among them; none where rows have times or trials.
    pub outcomes: Option<Vec<usize>>,
    /// What the outcome is called.
    pub outcome: String,
    /// The factors whose levels have a coefficient each.
    pub factors: Vec<Factor>,
}

/// Why a column is not what a model needs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("column \"{column}\": {error}")]
pub struct ObservedError {
    /// The column, as its users call it.
    pub column: String,
    /// What is wrong with it, and in which row.
    pub error: ResponseError,
}

impl Observed {
    /// Returns which rows count: those of a weight above zero that have seen a trial; none if all do.
    pub fn counted(&self) -> Option<Vec<bool>> {
        let tried: Option<Vec<bool>> = match &self.response {
            Response::Trials(trials) if trials.contains(&Trial::Neither) => {
                Some(trials.iter().map(|trial| *trial != Trial::Neither).collect())
            }
            _ => None,
        };
        match (&self.kept, tried) {
            (None, tried) => tried,
            (Some(kept), None) => Some(kept.clone()),
            (Some(kept), Some(tried)) => {
                Some(kept.iter().zip(tried).map(|(k, t)| *k && t).collect())
            }
        }
    }
}

impl Reading<'_> {
    /// Returns what columns are to a model.
    ///
    /// Errors if one is missing that it needs, or has an entry that it cannot use.
    ///
    /// ```
    /// use linsep::models::{Family, ObservedCells, ObservedColumn, ObservedColumns, Reading, Response};
    ///
    /// let cells = ObservedCells::Words { words: vec!["no".into(), "yes".into()], codes: vec![1, 0, 1] };
    /// let outcome = Some(ObservedColumn { name: "y".into(), cells });
    /// let columns = ObservedColumns { outcome, ..ObservedColumns::default() };
    /// let observed = Reading::default().observe(&columns)?;
    /// assert_eq!(observed.response, Response::labels(&[true, false, true]));
    /// # Ok::<(), linsep::models::ObservedError>(())
    /// ```
    pub fn observe(&self, columns: &ObservedColumns) -> Result<Observed, ObservedError> {
        let ObservedColumns { outcome, trials, weights, groups, time, event, entry, absorb } =
            columns;
        let factors = || absorb.iter().map(ObservedColumn::factor).collect();
        let kept = weights.as_ref().map(|column| {
            response::kept(&column.numbers("a weight")?).map_err(|error| column.wrong(error))
        });
        let kept = kept.transpose()?;
        let groups = groups.as_ref().map(|column| column.groups());
        let name = |column: Option<&ObservedColumn>| {
            column.map_or_else(|| "outcome".to_string(), |column| column.name.clone())
        };
        if self.family == Family::Cox {
            let column = time.as_ref().or(outcome.as_ref()).ok_or_else(|| missing("time"))?;
            let times = column.numbers("a time")?;
            let events = match event {
                Some(event) => response::events(event.view(), self.event_value)
                    .map_err(|error| event.wrong(error))?,
                None => vec![true; times.len()],
            };
            let entries = entry.as_ref().map(|column| column.numbers("a time")).transpose()?;
            return Ok(Observed {
                response: Response::Survival { times, events, entries, groups },
                kept,
                categories: vec![],
                outcomes: None,
                outcome: name(Some(column)),
                factors: vec![],
            });
        }
        let column = outcome.as_ref().ok_or_else(|| missing("outcome"))?;
        let outcome = name(Some(column));
        if self.family.counts() {
            let found = response::counts(&column.numbers("a count, at least 0")?);
            let response = Response::Trials(found.map_err(|error| column.wrong(error))?);
            let (categories, codes) = column.spelled();
            let outcomes = Some(codes.iter().map(|&code| code as usize).collect());
            return Ok(Observed {
                response,
                kept,
                categories,
                outcomes,
                outcome,
                factors: factors(),
            });
        }
        if let (true, Some(trials)) = (self.family.tries(), trials) {
            let numbers = trials.numbers("a whole number of trials, at least 0")?;
            response::check_trials(&numbers).map_err(|error| trials.wrong(error))?;
            let successes = column.numbers("a number of successes, at least 0")?;
            let found = response::grouped(&successes, &numbers);
            let response = Response::Trials(found.map_err(|error| column.wrong(error))?);
            return Ok(Observed {
                response,
                kept,
                categories: vec![],
                outcomes: None,
                outcome,
                factors: factors(),
            });
        }
        match self.family {
            Family::Binomial | Family::LogBinomial | Family::Conditional => {
                let (order, codes) = self.two(column)?;
                let positive = order.iter().position(|(_, is_positive)| *is_positive);
                let cases: Vec<bool> =
                    codes.iter().map(|&code| Some(code as usize) == positive).collect();
                let outcomes = Some(codes.iter().map(|&code| code as usize).collect());
                let response = match (self.family, groups) {
                    (Family::Conditional, Some(groups)) => Response::Cases { cases, groups },
                    (Family::Conditional, None) => return Err(missing("groups")),
                    _ => Response::labels(&cases),
                };
                let categories = order.into_iter().map(|(name, _)| name).collect();
                Ok(Observed { response, kept, categories, outcomes, outcome, factors: factors() })
            }
            _ => {
                let (order, codes) = self.ordered(column)?;
                // Rows of weight 0 keep the name of their outcome, which may be that of no category.
                let (response, occurring) = Response::categories(&codes, kept.as_deref());
                let mut places: Vec<usize> = occurring.iter().map(|&code| code as usize).collect();
                places.extend((0..order.len()).filter(|k| !occurring.contains(&(*k as u32))));
                let categories: Vec<String> = places.iter().map(|&k| order[k].clone()).collect();
                let place =
                    |&code: &u32| places.iter().position(|&k| k == code as usize).unwrap_or(0);
                let outcomes = Some(codes.iter().map(place).collect());
                Ok(Observed { response, kept, categories, outcomes, outcome, factors: factors() })
            }
        }
    }

    /// Returns the labels of two classes in order, which of them is a success, and the place of each row's.
    fn two(&self, column: &ObservedColumn) -> Result<(Classed, Vec<u32>), ObservedError> {
        let (labels, codes) = column.sorted();
        if let Some(share) = share_among(labels.iter().map(String::as_str)) {
            let code = labels.iter().position(|label| label == share).unwrap_or(0);
            return Err(column.wrong(ResponseError {
                row: codes.iter().position(|&own| own as usize == code),
                expected: "a label".to_string(),
                found: format!("what looks like a share of successes: {share}"),
                remedy: Some(ResponseRemedy::GiveTrials),
            }));
        }
        let known = |wanted: &str| labels.iter().position(|label| same(label, wanted));
        let positive = match (self.positive, labels.len()) {
            (Some(wanted), _) => match known(wanted) {
                Some(place) => Some(place),
                // Of one class alone, the other may be the one that is meant.
                None if labels.len() == 1 => None,
                None => {
                    return Err(column.wrong(about(
                        format!("rows with the label \"{wanted}\""),
                        listed(&labels),
                        None,
                    )));
                }
            },
            (None, 0..=2) => {
                let last = labels.len().saturating_sub(1);
                // Of one class alone, 0 and its like are failures.
                let fails = ["0", "-1", "False", "false"];
                let failures = |label: &String| fails.iter().any(|fail| same(label, fail));
                (labels.len() == 2 || !failures(&labels[0])).then_some(last)
            }
            (None, many) => {
                return Err(column.wrong(about(
                    "two classes".to_string(),
                    format!("{many}: {}", listed(&labels)),
                    Some(ResponseRemedy::NamePositive),
                )));
            }
        };
        if let (Some(positive), 3..) = (positive, labels.len()) {
            let codes = codes.iter().map(|&code| u32::from(code as usize == positive)).collect();
            let order = vec![(REST.to_string(), false), (labels[positive].clone(), true)];
            return Ok((order, codes));
        }
        let order = labels.into_iter().enumerate();
        Ok((order.map(|(k, label)| (label, Some(k) == positive)).collect(), codes))
    }

    /// Returns the categories that occur, in order, and the place of each row's.
    fn ordered(&self, column: &ObservedColumn) -> Result<(Vec<String>, Vec<u32>), ObservedError> {
        let (found, codes) = column.sorted();
        let Some(levels) = self.levels else {
            let word = found.iter().find(|word| word.parse::<f64>().is_err());
            if let (true, Some(word)) = (self.family.is_ordered(), word) {
                return Err(column.wrong(about(
                    "categories that have an order".to_string(),
                    format!("\"{word}\", which has none"),
                    Some(ResponseRemedy::OrderLevels),
                )));
            }
            return Ok((found, codes));
        };
        if let Some(other) = found.iter().find(|own| !levels.iter().any(|level| same(own, level))) {
            let code = found.iter().position(|own| own == other).unwrap_or(0) as u32;
            return Err(column.wrong(ResponseError {
                row: codes.iter().position(|&own| own == code),
                expected: format!("one of the levels {}", listed(levels)),
                found: format!("\"{other}\""),
                remedy: Some(ResponseRemedy::NameLevels),
            }));
        }
        let occurring: Vec<&String> =
            levels.iter().filter(|level| found.iter().any(|own| same(own, level))).collect();
        let place =
            |own: &String| occurring.iter().position(|level| same(own, level)).unwrap_or(0) as u32;
        let map: Vec<u32> = found.iter().map(place).collect();
        let codes = codes.iter().map(|&code| map[code as usize]).collect();
        Ok((occurring.into_iter().cloned().collect(), codes))
    }
}

/// Returns the first label that looks like a share of successes, if all of them are numbers between 0 and 1 and some are
/// neither.
pub(crate) fn share_among<'a>(labels: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let value = |label: &str| label.parse::<f64>().ok().filter(|v| (0.0..=1.0).contains(v));
    let between = |label: &&str| value(label).is_some_and(|v| v > 0.0 && v < 1.0);
    labels.clone().all(|label| value(label).is_some()).then(|| labels.clone().find(between))?
}

/// Returns true if two spellings mean the same label: numbers by value.
fn same(a: &str, b: &str) -> bool {
    a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(x), Ok(y)) if x == y)
}

fn about(expected: String, found: String, remedy: Option<ResponseRemedy>) -> ResponseError {
    ResponseError { row: None, expected, found, remedy }
}

fn missing(column: &str) -> ObservedError {
    let error = about("a column".to_string(), "none".to_string(), None);
    ObservedError { column: column.to_string(), error }
}

fn listed(labels: &[String]) -> String {
    const MOST: usize = 8;
    let more = if labels.len() > MOST { ", …" } else { "" };
    let shown: Vec<String> = labels.iter().take(MOST).map(|label| format!("\"{label}\"")).collect();
    format!("{}{more}", shown.join(", "))
}

impl ObservedColumn {
    fn wrong(&self, error: ResponseError) -> ObservedError {
        ObservedError { column: self.name.clone(), error }
    }

    fn view(&self) -> ResponseColumn<'_> {
        match &self.cells {
            ObservedCells::Numbers(numbers) => ResponseColumn::Numbers(numbers),
            ObservedCells::Words { words, codes } => ResponseColumn::Words { words, codes },
        }
    }

    /// Returns the entries as finite numbers.
    fn numbers(&self, what: &str) -> Result<Vec<f64>, ObservedError> {
        let wrong = |row: usize, found: String| {
            let (row, expected) = (Some(row), what.to_string());
            self.wrong(ResponseError { row, expected, found, remedy: None })
        };
        match &self.cells {
            ObservedCells::Numbers(numbers) => match numbers.iter().position(|v| !v.is_finite()) {
                Some(row) => Err(wrong(row, numbers[row].to_string())),
                None => Ok(numbers.clone()),
            },
            ObservedCells::Words { words, codes } => {
                let mut values = vec![];
                for (code, word) in words.iter().enumerate() {
                    match word.parse::<f64>() {
                        Ok(value) if value.is_finite() => values.push(value),
                        _ => {
                            let row = codes.iter().position(|&own| own as usize == code);
                            return Err(wrong(row.unwrap_or(0), format!("\"{word}\"")));
                        }
                    }
                }
                Ok(codes.iter().map(|&code| values[code as usize]).collect())
            }
        }
    }

    /// Returns the entries as people write them, each once, and the place of each row's.
    fn spelled(&self) -> (Vec<String>, Vec<u32>) {
        match &self.cells {
            ObservedCells::Words { words, codes } => (words.clone(), codes.clone()),
            ObservedCells::Numbers(numbers) => {
                let mut sorted = numbers.clone();
                sorted.sort_by(f64::total_cmp);
                sorted.dedup();
                let place = |v: &f64| sorted.partition_point(|s| s.total_cmp(v).is_lt()) as u32;
                let codes = numbers.iter().map(place).collect();
                (sorted.iter().map(f64::to_string).collect(), codes)
            }
        }
    }

    /// Returns the same in order: numbers by value, words by letters.
    fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let (words, codes) = self.spelled();
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by(|&a, &b| label_order(&words[a], &words[b]));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &code)| places[code] = place as u32);
        let sorted = order.iter().map(|&code| words[code].clone()).collect();
        (sorted, codes.iter().map(|&code| places[code as usize]).collect())
    }

    /// Returns the levels in order, and that of each row. What is not a number is a level of its own.
    fn factor(&self) -> Factor {
        let (levels, codes) = self.sorted();
        Factor { name: self.name.clone(), levels, codes }
    }

    /// Returns a number for each different entry.
    fn groups(&self) -> Vec<u32> {
        self.spelled().1
    }
}
