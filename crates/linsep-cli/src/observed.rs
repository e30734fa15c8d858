//! A table as a model sees it: the columns of the design, and what each row has beside them.

use clap::ValueEnum;
use linsep::data::Features;
use linsep::data::error::Place;
use linsep::data::read::{ColumnChoice, Outcomes, ReadOptions, Source, line_of_row, read_outcomes};
use linsep::data::samples::{About, Dense, Encoded, SparseBuilder};
use linsep::models::response::{self, ResponseColumn, ResponseError};
use linsep::models::{Model, Response, SeparationError, Ties};
use linsep_report::separation::Names;

use crate::args::{DataArgs, ModelArg, ModelArgs, TiesArg, source};
use crate::failure::Failure;
use crate::progress::Bar;

/// A design, its response, and their names.
pub struct Observed {
    pub design: Features,
    pub response: Response,
    /// Rows of a weight above zero, if rows have weights.
    pub kept: Option<Vec<bool>>,
    pub names: Names,
    /// The outcome of each row, as a place among those that are named.
    pub outcomes: Option<Vec<usize>>,
    source: Source,
    options: ReadOptions,
}

impl Observed {
    /// Returns the failure to ask about a model, with its place in the file.
    pub fn failure(&self, error: SeparationError) -> Failure {
        let SeparationError::Model(error) = error else { return error.into() };
        let error = error.with_row(|row| self.names.rows.number(row - 1));
        let line = error.row().and_then(|row| line_of_row(&self.source, &self.options, row as u64));
        let place = Place { source: Some(self.source.name()), line, ..Place::default() };
        Failure::usage(format!("{place}: {error}"), None)
    }
}

impl ModelArgs {
    /// Returns true if anything was said of a model.
    pub fn is_given(&self) -> bool {
        self.model.is_some() || self.given().iter().any(|(_, is_given, _)| *is_given)
    }

    /// Returns the family that was asked for.
    fn family(&self) -> ModelArg {
        self.model.unwrap_or(ModelArg::Binomial)
    }

    /// Returns the model.
    pub fn model(&self) -> Model {
        let (intercept, parallel) = (!self.no_intercept, !self.not_parallel);
        match self.family() {
            ModelArg::Binomial => Model::Binomial { intercept },
            ModelArg::Multinomial => Model::Multinomial { intercept },
            ModelArg::Cumulative => Model::Cumulative { parallel },
            ModelArg::Adjacent => Model::Adjacent { parallel },
            ModelArg::Sequential => Model::Sequential { parallel },
            ModelArg::Poisson => Model::Poisson { intercept },
            ModelArg::NegativeBinomial => Model::NegativeBinomial { intercept },
            ModelArg::Conditional => Model::Conditional {},
            ModelArg::Cox => Model::Cox {
                ties: match self.ties {
                    None | Some(TiesArg::Breslow) => Ties::Breslow,
                    Some(TiesArg::Efron) => Ties::Efron,
                    Some(TiesArg::Exact) => Ties::Exact,
                },
            },
        }
    }

    /// Returns true if rows are labelled with two classes and nothing else is asked for: such data can be of any
    /// size.
    pub fn is_plain(&self) -> bool {
        matches!(self.family(), ModelArg::Binomial)
            && self.trials.is_none()
            && self.weights.is_none()
    }

    /// Returns true if the categories have an order.
    fn is_ordered(&self) -> bool {
        matches!(self.family(), ModelArg::Cumulative | ModelArg::Adjacent | ModelArg::Sequential)
    }

    /// Returns the columns that are no part of the design, with the options that name them.
    fn columns(&self) -> [(&'static str, Option<&String>); 5] {
        [
            ("--event", self.event.as_ref()),
            ("--entry", self.entry.as_ref()),
            ("--groups", self.groups.as_ref()),
            ("--trials", self.trials.as_ref()),
            ("--weights", self.weights.as_ref()),
        ]
    }

    /// Returns all options, whether they were given, and the families that have them.
    fn given(&self) -> [(&'static str, bool, &'static [ModelArg]); 11] {
        use ModelArg::{
            Adjacent, Binomial, Conditional, Cox, Cumulative, Multinomial, NegativeBinomial,
            Poisson, Sequential,
        };
        [
            ("--time", self.time.is_some(), &[Cox]),
            ("--event", self.event.is_some(), &[Cox]),
            ("--event-value", self.event_value.is_some(), &[Cox]),
            ("--entry", self.entry.is_some(), &[Cox]),
            ("--ties", self.ties.is_some(), &[Cox]),
            ("--groups", self.groups.is_some(), &[Conditional, Cox]),
            ("--trials", self.trials.is_some(), &[Binomial]),
            ("--weights", self.weights.is_some(), ModelArg::value_variants()),
            ("--levels", self.levels.is_some(), &[Multinomial, Cumulative, Adjacent, Sequential]),
            ("--not-parallel", self.not_parallel, &[Cumulative, Adjacent, Sequential]),
            (
                "--no-intercept",
                self.no_intercept,
                &[Binomial, Multinomial, Poisson, NegativeBinomial],
            ),
        ]
    }

    /// Errors if something is missing, or was given in vain.
    pub fn check(&self) -> Result<(), Failure> {
        for (option, is_given, models) in self.given() {
            if is_given && !models.contains(&self.family()) {
                let own = self.model().name();
                return Err(Failure::usage(
                    format!("{option} was given for a {own} model"),
                    Some("linsep separation --help says which options each model has"),
                ));
            }
        }
        if let Some(levels) = &self.levels
            && let Some(k) = (1..levels.len()).find(|&k| levels[..k].contains(&levels[k]))
        {
            let what = format!("--levels names \"{}\" twice", levels[k]);
            return Err(Failure::usage(what, Some("--levels low,middle,high: each of them once")));
        }
        let missing = match self.family() {
            ModelArg::Cox if self.time.is_none() => {
                Some("--time COLUMN says when rows were last seen")
            }
            ModelArg::Conditional if self.groups.is_none() => {
                Some("--groups COLUMN says which rows are compared")
            }
            _ => None,
        };
        match missing {
            Some(hint) => {
                let what = format!("a {} model needs more than a label", self.model().name());
                Err(Failure::usage(what, Some(hint)))
            }
            None => Ok(()),
        }
    }
}

/// Returns the options that ask about a model, but for the columns that it needs.
pub fn spelled(model: Option<&Model>) -> String {
    let Some(model) = model else { return "no option of a model".to_string() };
    let own = match model {
        Model::Binomial { intercept: false }
        | Model::Poisson { intercept: false }
        | Model::NegativeBinomial { intercept: false }
        | Model::Multinomial { intercept: false } => " --no-intercept",
        Model::Cumulative { parallel: false }
        | Model::Adjacent { parallel: false }
        | Model::Sequential { parallel: false } => " --not-parallel",
        Model::Cox { ties: Ties::Efron } => " --ties efron",
        Model::Cox { ties: Ties::Exact } => " --ties exact",
        _ => "",
    };
    format!("--model {}{own}, with the columns that it needs", model.name())
}

/// Reads a table as a model sees it.
pub fn observe(
    data: &str,
    input: &DataArgs,
    args: &ModelArgs,
    quiet: bool,
) -> Result<Observed, Failure> {
    args.check()?;
    if !input.classes.is_empty() {
        let message = format!("--classes is not for a {} model", args.model().name());
        return Err(Failure::usage(
            message,
            Some("leave the rows of other outcomes out of the file"),
        ));
    }
    let bar = Bar::new("reading", quiet);
    let mut options = input.options();
    if let Some(time) = &args.time {
        options.label = Some(ColumnChoice::Name(time.clone()));
    }
    let own = args.columns().into_iter().filter_map(|(_, column)| column);
    if let Some(features) = &mut options.features {
        features.extend(own.map(|column| ColumnChoice::Name(column.clone())));
    }
    let progress = |rows| bar.rows(rows, options.meter.share(rows));
    let Outcomes { samples, outcomes } = read_outcomes(&source(data), &options, &progress)?;
    bar.clear();
    let source = source(data);
    let name = source.name();
    let line = |row| line_of_row(&source, &options, row);
    let (features, about) = (samples.features(), samples.about());
    let table = Table { source: &name, line: &line, features, about };
    let mut parts = vec![];
    for (option, column) in args.columns() {
        parts.push(column.map(|column| table.find(option, column)).transpose()?);
    }
    let taken: Vec<usize> = parts.iter().flatten().flat_map(|part| part.places.clone()).collect();
    let (design, columns) = table.without(&taken)?;
    let [event, entry, groups, trials, weights] =
        parts.try_into().unwrap_or_else(|_| unreachable!("five columns"));
    let label = outcomes.codes();
    let outcome = match &samples.about().label_column {
        Some(linsep::data::error::Column::Name(name)) => name.clone(),
        _ => "outcome".to_string(),
    };
    let kept = weights.map(|part| {
        response::kept(&table.numbers(&part)?).map_err(|error| table.misfit(&part.name, error))
    });
    let kept = kept.transpose()?;
    let read = Read { table: &table, outcome: &outcome, spelled: label.0, codes: label.1 };
    let beside = Beside { event, entry, groups, trials, kept: kept.as_deref() };
    let (response, categories, shown) = read.response(args, input, beside)?;
    let names = Names { columns, categories, outcome, rows: samples.about().rows.clone() };
    Ok(Observed { design, response, kept, names, outcomes: shown, source, options })
}

/// The columns beside the design, and which rows count.
struct Beside<'a> {
    event: Option<Part>,
    entry: Option<Part>,
    groups: Option<Part>,
    trials: Option<Part>,
    kept: Option<&'a [bool]>,
}

/// The features of a table, by column.
struct Table<'a> {
    source: &'a str,
    /// The line of a row, where there are lines.
    line: &'a dyn Fn(u64) -> Option<u64>,
    features: &'a Features,
    about: &'a About,
}

/// A column of the table: its features, and its levels if it is a category.
struct Part {
    option: &'static str,
    name: String,
    places: std::ops::Range<usize>,
    levels: Option<Levels>,
}

/// The levels of a category; the first may have no feature.
struct Levels {
    names: Vec<String>,
    first_dropped: bool,
}

impl Table<'_> {
    /// Returns what is wrong with a column, with its place in the file.
    fn misfit(&self, column: &str, error: ResponseError) -> Failure {
        let row = error.row.map(|row| self.about.rows.number(row) as u64);
        let line = row.and_then(self.line);
        let place = Place {
            source: Some(self.source.to_string()),
            line,
            row: row.filter(|_| line.is_none()),
            column: Some(linsep::data::error::Column::Name(column.to_string())),
        };
        let hint = error.remedy.map(|remedy| remedy.words("--event-value VALUE"));
        Failure::usage(format!("{place}: {error}"), hint.as_deref())
    }

    fn find(&self, option: &'static str, wanted: &str) -> Result<Part, Failure> {
        let mut start = 0;
        let mut known = vec![];
        let encoded = self.about.encoding.as_ref().map(|encoding| encoding.columns.clone());
        let plain = || {
            (0..self.features.columns())
                .map(|k| Encoded::Number { column: self.about.feature(k), fill: None })
                .collect::<Vec<_>>()
        };
        for column in encoded.unwrap_or_else(plain) {
            let (name, width, levels) = match column {
                Encoded::Number { column, .. } => (column, 1, None),
                Encoded::Category { column, levels: names, first_dropped, .. } => {
                    let width = names.len() - usize::from(first_dropped);
                    (column, width, Some(Levels { names, first_dropped }))
                }
            };
            if name == wanted {
                return Ok(Part { option, name, places: start..start + width, levels });
            }
            known.push(name);
            start += width;
        }
        let hint = format!("the columns are {}", known.join(", "));
        let what = format!("{}: {option}: there is no column \"{wanted}\"", self.source);
        Err(Failure::usage(what, Some(&hint)))
    }

    /// Returns the design without some features, and the names of the others.
    fn without(&self, taken: &[usize]) -> Result<(Features, Vec<String>), Failure> {
        let left: Vec<usize> =
            (0..self.features.columns()).filter(|k| !taken.contains(k)).collect();
        if left.is_empty() {
            return Err(Failure::usage("no column is left for the design".to_string(), None));
        }
        let names = left.iter().map(|&k| self.about.feature(k)).collect();
        let rows = self.features.rows();
        let mut place = vec![None; self.features.columns()];
        left.iter().enumerate().for_each(|(at, &k)| place[k] = Some(at));
        let design = match self.features {
            Features::Sparse(_) => {
                let mut out = SparseBuilder::default();
                for row in 0..rows {
                    self.features.for_each(row, |k, v| {
                        if let Some(at) = place[k] {
                            out.push(at, v);
                        }
                    });
                    out.end_row();
                }
                Features::Sparse(out.finish(left.len()).expect("columns rise as they did"))
            }
            _ => {
                let mut values = vec![0.0; rows * left.len()];
                for (row, out) in values.chunks_exact_mut(left.len()).enumerate() {
                    self.features.for_each(row, |k, v| {
                        if let Some(at) = place[k] {
                            out[at] = v;
                        }
                    });
                }
                Features::from(Dense::new(values, rows, left.len()))
            }
        };
        Ok((design, names))
    }

    fn numbers(&self, part: &Part) -> Result<Vec<f64>, Failure> {
        match &part.levels {
            None => Ok(self.column(part.places.start)),
            Some(levels) => Err(Failure::usage(
                format!(
                    "{}: column \"{}\": expected numbers, found text such as \"{}\"",
                    self.source,
                    part.name,
                    levels.names.first().map_or("", |name| name)
                ),
                Some(&format!("{} names a column of numbers", part.option)),
            )),
        }
    }

    /// Returns which rows have the event.
    fn events(&self, part: &Part, event: Option<&str>) -> Result<Vec<bool>, Failure> {
        let found = match &part.levels {
            None => {
                response::events(ResponseColumn::Numbers(&self.column(part.places.start)), event)
            }
            Some(levels) => {
                let codes = self.groups(part);
                response::events(
                    ResponseColumn::Words { words: &levels.names, codes: &codes },
                    event,
                )
            }
        };
        found.map_err(|error| self.misfit(&part.name, error))
    }

    fn column(&self, wanted: usize) -> Vec<f64> {
        let value = |row: usize| {
            let mut found = 0.0;
            self.features.for_each(row, |k, v| {
                if k == wanted {
                    found = v;
                }
            });
            found
        };
        (0..self.features.rows()).map(value).collect()
    }

    /// Returns a number for each different value of a column.
    fn groups(&self, part: &Part) -> Vec<u32> {
        if let Some(Levels { first_dropped, .. }) = part.levels {
            let level = |row: usize| {
                let mut found = 0;
                self.features.for_each(row, |k, v| {
                    if part.places.contains(&k) && v != 0.0 {
                        found = (k - part.places.start) as u32 + u32::from(first_dropped);
                    }
                });
                found
            };
            return (0..self.features.rows()).map(level).collect();
        }
        let values = self.column(part.places.start);
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        let place = |v: &f64| sorted.partition_point(|s| s.total_cmp(v).is_lt()) as u32;
        values.iter().map(place).collect()
    }
}

/// The outcomes of all rows.
struct Read<'a> {
    table: &'a Table<'a>,
    outcome: &'a str,
    spelled: &'a [String],
    codes: &'a [u32],
}

type Parts = (Response, Vec<String>, Option<Vec<usize>>);

impl Read<'_> {
    fn response(
        &self,
        args: &ModelArgs,
        input: &DataArgs,
        beside: Beside,
    ) -> Result<Parts, Failure> {
        let Beside { event, entry, groups, trials, kept } = beside;
        let groups = groups.map(|part| self.table.groups(&part));
        match args.family() {
            ModelArg::Cox => {
                let events = match event {
                    Some(part) => self.table.events(&part, args.event_value.as_deref())?,
                    None => vec![true; self.codes.len()],
                };
                let entries = entry.map(|part| self.table.numbers(&part)).transpose()?;
                let times = self.numbers("a time")?;
                Ok((Response::Survival { times, events, entries, groups }, vec![], None))
            }
            ModelArg::Poisson | ModelArg::NegativeBinomial => {
                let trials = response::counts(&self.numbers("a count")?);
                let response = Response::Trials(trials.map_err(|error| self.misfit(error))?);
                Ok((response, self.spelled.to_vec(), Some(self.places())))
            }
            ModelArg::Binomial if trials.is_some() => {
                let part = trials.expect("just seen");
                let trials = self.table.numbers(&part)?;
                response::check_trials(&trials)
                    .map_err(|error| self.table.misfit(&part.name, error))?;
                let found = response::grouped(&self.numbers("a number of successes")?, &trials);
                let trials = found.map_err(|error| self.misfit(error))?;
                Ok((Response::Trials(trials), vec![], None))
            }
            ModelArg::Binomial | ModelArg::Conditional => {
                let (order, codes) = self.ordered(None, false)?;
                let positive = match &input.positive {
                    Some(wanted) => order.iter().position(|label| label == wanted),
                    None => Some(order.len() - 1),
                };
                let (Some(positive), true) =
                    (positive, order.len() <= 2 || input.positive.is_some())
                else {
                    let what = format!(
                        "{}: column \"{}\": expected two classes, found {}",
                        self.table.source,
                        self.outcome,
                        order.len()
                    );
                    return Err(Failure::usage(what, Some("--positive VALUE names one")));
                };
                let cases: Vec<bool> =
                    codes.iter().map(|&code| code as usize == positive).collect();
                let shown = codes.iter().map(|&code| code as usize).collect();
                let response = match groups {
                    Some(groups) => Response::Cases { cases, groups },
                    None => Response::labels(&cases),
                };
                Ok((response, order, Some(shown)))
            }
            _ => {
                let (order, codes) = self.ordered(args.levels.as_deref(), args.is_ordered())?;
                // Rows of weight 0 keep the name of their outcome, which may be that of no category.
                let (response, occurring) = Response::categories(&codes, kept);
                let own = |&code: &u32| order[code as usize].clone();
                let mut names: Vec<String> = occurring.iter().map(own).collect();
                names.extend(
                    order.iter().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>(),
                );
                let shown = codes.iter().map(|&code| {
                    let name = &order[code as usize];
                    names.iter().position(|own| own == name).unwrap_or(0)
                });
                let shown = shown.collect();
                Ok((response, names, Some(shown)))
            }
        }
    }

    fn misfit(&self, error: ResponseError) -> Failure {
        self.table.misfit(self.outcome, error)
    }

    fn places(&self) -> Vec<usize> {
        self.codes.iter().map(|&code| code as usize).collect()
    }

    /// Returns the outcomes as numbers, at least 0.
    fn numbers(&self, what: &str) -> Result<Vec<f64>, Failure> {
        let mut values = vec![];
        for (code, spelled) in self.spelled.iter().enumerate() {
            match spelled.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => values.push(value),
                _ => {
                    let row = self.codes.iter().position(|&own| own as usize == code);
                    return Err(self.misfit(ResponseError {
                        row,
                        expected: format!("{what}, at least 0"),
                        found: format!("\"{spelled}\""),
                        remedy: None,
                    }));
                }
            }
        }
        Ok(self.codes.iter().map(|&code| values[code as usize]).collect())
    }

    /// Returns the categories in order, and the place of each row's.
    fn ordered(
        &self,
        levels: Option<&[String]>,
        needed: bool,
    ) -> Result<(Vec<String>, Vec<u32>), Failure> {
        let value = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite());
        let mut order: Vec<String> = match levels {
            Some(levels) => {
                if let Some(other) = self.spelled.iter().find(|own| !levels.contains(own)) {
                    let what = format!(
                        "{}: column \"{}\": expected one of --levels, found \"{other}\"",
                        self.table.source, self.outcome
                    );
                    return Err(Failure::usage(what, Some("--levels names every category once")));
                }
                levels.iter().filter(|level| self.spelled.contains(level)).cloned().collect()
            }
            None => self.spelled.to_vec(),
        };
        if levels.is_none() {
            if needed && let Some(word) = order.iter().find(|word| value(word).is_none()) {
                return Err(Failure::usage(
                    format!(
                        "{}: column \"{}\": the categories have an order, and \"{word}\" has none",
                        self.table.source, self.outcome
                    ),
                    Some("--levels low,middle,high names them in order, the lowest first"),
                ));
            }
            order.sort_by(|a, b| match (value(a), value(b)) {
                (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
                _ => a.cmp(b),
            });
        }
        let place = |spelled: &String| order.iter().position(|o| o == spelled).unwrap_or(0) as u32;
        let map: Vec<u32> = self.spelled.iter().map(place).collect();
        let codes = self.codes.iter().map(|&code| map[code as usize]).collect();
        Ok((order, codes))
    }
}
