//! A table as a model sees it: the columns of the design, and what each row has beside them.

use linsep::data::Features;
use linsep::data::read::{ColumnChoice, Outcomes, read_outcomes};
use linsep::data::samples::{About, Dense, Encoded, SparseBuilder};
use linsep::models::{Model, Response, Ties, Trial};
use linsep::report::separation::Names;

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
}

impl ModelArgs {
    /// Returns the model.
    pub fn model(&self) -> Model {
        let (intercept, parallel) = (!self.no_intercept, !self.not_parallel);
        match self.model {
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
                    TiesArg::Breslow => Ties::Breslow,
                    TiesArg::Efron => Ties::Efron,
                    TiesArg::Exact => Ties::Exact,
                },
            },
        }
    }

    /// Returns true if rows are labelled with two classes and nothing else is asked for: such data can be of any
    /// size.
    pub fn is_plain(&self) -> bool {
        matches!(self.model, ModelArg::Binomial) && self.trials.is_none() && self.weights.is_none()
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

    /// Errors if something is missing, or was given in vain.
    pub fn check(&self) -> Result<(), Failure> {
        use ModelArg::{Adjacent, Binomial, Conditional, Cox, Cumulative, Multinomial, Sequential};
        let given = [
            ("--time", self.time.is_some(), &[Cox][..]),
            ("--event", self.event.is_some(), &[Cox]),
            ("--entry", self.entry.is_some(), &[Cox]),
            ("--groups", self.groups.is_some(), &[Conditional, Cox]),
            ("--trials", self.trials.is_some(), &[Binomial]),
            ("--levels", self.levels.is_some(), &[Multinomial, Cumulative, Adjacent, Sequential]),
            ("--not-parallel", self.not_parallel, &[Cumulative, Adjacent, Sequential]),
        ];
        for (option, is_given, models) in given {
            if is_given && !models.contains(&self.model) {
                let own = self.model().name();
                return Err(Failure::usage(
                    format!("{option} was given for a {own} model"),
                    Some("linsep separation --help says which options each model has"),
                ));
            }
        }
        let missing = match self.model {
            Cox if self.time.is_none() => Some("--time COLUMN says when rows were last seen"),
            Conditional if self.groups.is_none() => {
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
    let table = Table { features: samples.features(), about: samples.about() };
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
    let read = Read { table: &table, spelled: label.0, codes: label.1 };
    let (response, categories, shown) = read.response(args, input, event, entry, groups, trials)?;
    let kept = weights.map(|part| {
        let weights = table.numbers("--weights", &part)?;
        let bad = weights.iter().position(|&weight| weight < 0.0);
        match bad {
            Some(row) => Err(Failure::usage(
                format!("--weights: row {} has {}; expected at least 0", row + 1, weights[row]),
                None,
            )),
            None => Ok(weights.iter().map(|&weight| weight > 0.0).collect()),
        }
    });
    let names = Names { columns, categories, outcome, rows: samples.about().rows.clone() };
    Ok(Observed { design, response, kept: kept.transpose()?, names, outcomes: shown })
}

/// The features of a table, by column.
struct Table<'a> {
    features: &'a Features,
    about: &'a About,
}

/// A column of the table: its features, and its levels if it is a category.
struct Part {
    places: std::ops::Range<usize>,
    levels: Option<(usize, bool)>,
}

impl Table<'_> {
    fn find(&self, option: &str, wanted: &str) -> Result<Part, Failure> {
        let mut start = 0;
        let mut known = vec![];
        let encoded = self.about.encoding.as_ref().map(|encoding| encoding.columns.clone());
        let plain = || {
            (0..self.features.columns())
                .map(|k| Encoded::Number { column: self.about.feature(k), fill: None })
                .collect::<Vec<_>>()
        };
        for column in encoded.unwrap_or_else(plain) {
            let (name, width, levels) = match &column {
                Encoded::Number { column, .. } => (column.clone(), 1, None),
                Encoded::Category { column, levels, first_dropped, .. } => {
                    let width = levels.len() - usize::from(*first_dropped);
                    (column.clone(), width, Some((levels.len(), *first_dropped)))
                }
            };
            if name == wanted {
                return Ok(Part { places: start..start + width, levels });
            }
            known.push(name);
            start += width;
        }
        let hint = format!("the columns are {}", known.join(", "));
        Err(Failure::usage(format!("{option}: there is no column \"{wanted}\""), Some(&hint)))
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

    fn numbers(&self, option: &str, part: &Part) -> Result<Vec<f64>, Failure> {
        if part.levels.is_some() {
            let what = format!("{option} names a column of text; expected numbers");
            return Err(Failure::usage(what, None));
        }
        Ok(self.column(part.places.start))
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
        if let Some((_, first_dropped)) = part.levels {
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
    spelled: &'a [String],
    codes: &'a [u32],
}

type Parts = (Response, Vec<String>, Option<Vec<usize>>);

impl Read<'_> {
    fn response(
        &self,
        args: &ModelArgs,
        input: &DataArgs,
        event: Option<Part>,
        entry: Option<Part>,
        groups: Option<Part>,
        trials: Option<Part>,
    ) -> Result<Parts, Failure> {
        let groups = groups.map(|part| self.table.groups(&part));
        match args.model {
            ModelArg::Cox => {
                let events = match event {
                    Some(part) => {
                        self.table.numbers("--event", &part)?.iter().map(|&e| e != 0.0).collect()
                    }
                    None => vec![true; self.codes.len()],
                };
                let entries = entry.map(|part| self.table.numbers("--entry", &part)).transpose()?;
                let times = self.numbers("time")?;
                Ok((Response::Survival { times, events, entries, groups }, vec![], None))
            }
            ModelArg::Poisson | ModelArg::NegativeBinomial => {
                let counts = self.numbers("count")?;
                let trial = |&count: &f64| if count > 0.0 { Trial::Both } else { Trial::Failure };
                let response = Response::Trials(counts.iter().map(trial).collect());
                Ok((response, self.spelled.to_vec(), Some(self.places())))
            }
            ModelArg::Binomial if trials.is_some() => {
                let part = trials.expect("just seen");
                let (count, found) =
                    (self.table.numbers("--trials", &part)?, self.numbers("count")?);
                if let Some(row) = (0..count.len()).find(|&row| found[row] > count[row]) {
                    let what = format!(
                        "row {} has {} successes in {} trials",
                        row + 1,
                        found[row],
                        count[row]
                    );
                    return Err(Failure::usage(what, Some("--trials names the number of trials")));
                }
                let trial = |(&y, &n): (&f64, &f64)| match (y > 0.0, y < n) {
                    (true, true) => Trial::Both,
                    (true, false) => Trial::Success,
                    (false, true) => Trial::Failure,
                    (false, false) => Trial::Neither,
                };
                let trials = found.iter().zip(&count).map(trial).collect();
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
                    let what = format!("expected two classes, found {}", order.len());
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
                let shown = codes.iter().map(|&code| code as usize).collect();
                let response = Response::Categories { codes, count: order.len() };
                Ok((response, order, Some(shown)))
            }
        }
    }

    fn places(&self) -> Vec<usize> {
        self.codes.iter().map(|&code| code as usize).collect()
    }

    /// Returns the outcomes as numbers, at least 0.
    fn numbers(&self, what: &str) -> Result<Vec<f64>, Failure> {
        let mut values = vec![];
        for spelled in self.spelled {
            match spelled.parse::<f64>() {
                Ok(value) if value.is_finite() && value >= 0.0 => values.push(value),
                _ => {
                    return Err(Failure::usage(
                        format!("expected a {what}, at least 0, found \"{spelled}\""),
                        Some("--label names the column of the outcome"),
                    ));
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
                    let what = format!("--levels does not name \"{other}\", which occurs");
                    return Err(Failure::usage(what, None));
                }
                levels.iter().filter(|level| self.spelled.contains(level)).cloned().collect()
            }
            None => self.spelled.to_vec(),
        };
        if levels.is_none() {
            if needed && let Some(word) = order.iter().find(|word| value(word).is_none()) {
                return Err(Failure::usage(
                    format!("the categories have an order, and \"{word}\" has none"),
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
