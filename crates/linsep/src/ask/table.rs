//! A table in a file as a model sees it: the columns of the design, and those that stand beside it.

use linsep_proof::{Proof, Refused};

use super::estimate::{Design, EstimateAnswer, EstimateQuestion};
use super::verify::VerifyAnswer;
use super::{AskError, Located, Useless};
use crate::Error;
use crate::data::Features;
use crate::data::error::{Column, ErrorKind, Place};
use crate::data::read::{ColumnChoice, Outcomes, ReadOptions, Source, line_of_row, read_outcomes};
use crate::data::samples::{About, Dense, Encoded, RowIds, RowNumbers, SparseBuilder};
use crate::models::{Observed, ObservedCells, ObservedColumn, ObservedColumns, SeparationError};
use crate::watch::Watch;

/// A table in a file as a model sees it.
pub struct ModelTable {
    source: Source,
    options: ReadOptions,
    design: Features,
    columns: Vec<String>,
    beside: ObservedColumns,
    numbers: RowNumbers,
    ids: Option<RowIds>,
}

impl EstimateQuestion {
    /// Reads a table as the model sees it: the columns that it names stand beside the design, all others are of it.
    ///
    /// Errors if the table cannot be read, or has no such columns.
    pub fn read(
        &self,
        source: &Source,
        options: &ReadOptions,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<ModelTable, AskError> {
        self.validate()?;
        let mut options = options.clone();
        if let Some(time) = &self.time {
            options.label = Some(ColumnChoice::Name(time.clone()));
        }
        // The outcome of a Cox model is its time.
        let own: Vec<(&'static str, &str)> = self
            .columns()
            .into_iter()
            .filter_map(|(role, column)| Some((role, column?)))
            .filter(|(role, _)| *role != "time")
            .collect();
        if !self.absorb.is_empty() && options.missing.is_filled() {
            let option = "absorb";
            let why =
                "was given where missing values are filled in: a mean is no level".to_string();
            return Err(AskError::Useless(Useless { option, why, instead: None }));
        }
        let own: Vec<(&'static str, &str)> =
            own.into_iter().chain(self.absorb.iter().map(|name| ("absorb", &name[..]))).collect();
        if let Some(features) = &mut options.features {
            let named = own.iter().map(|(_, name)| ColumnChoice::Name(name.to_string()));
            features.extend(named);
        }
        let Outcomes { samples, outcomes } = read_outcomes(source, &options, progress)?;
        let table = FeatureTable { features: samples.features(), about: samples.about() };
        let (mut beside, mut taken) = (ObservedColumns::default(), vec![]);
        for (role, name) in own {
            let part = table.find(name).map_err(|error| error.in_source(&source.name()))?;
            taken.extend(part.places.clone());
            let column = table.observed(&part);
            if role == "absorb" {
                beside.absorb.push(column);
                continue;
            }
            let column = Some(column);
            *match role {
                "trials" => &mut beside.trials,
                "weights" => &mut beside.weights,
                "groups" => &mut beside.groups,
                "event" => &mut beside.event,
                _ => &mut beside.entry,
            } = column;
        }
        let (words, codes) = outcomes.codes();
        let name = match &samples.about().label_column {
            Some(Column::Name(name)) => name.clone(),
            _ => "outcome".to_string(),
        };
        let cells = ObservedCells::Words { words: words.to_vec(), codes: codes.to_vec() };
        let column = Some(ObservedColumn { name, cells });
        match self.time {
            Some(_) => beside.time = column,
            None => beside.outcome = column,
        }
        let (design, columns) = table
            .without(&taken, !self.absorb.is_empty())
            .map_err(|error| error.in_source(&source.name()))?;
        let (numbers, ids) = (samples.about().rows.clone(), samples.row_ids().cloned());
        Ok(ModelTable { source: source.clone(), options, design, columns, beside, numbers, ids })
    }
}

impl ModelTable {
    /// Returns the answer. Errors name the place in the file.
    pub fn ask(
        &self,
        question: &EstimateQuestion,
        watch: &mut dyn Watch,
    ) -> Result<EstimateAnswer, AskError> {
        let observed = self.observe(question)?;
        let names = |rows: &[usize]| {
            let ids = self.ids.as_ref()?;
            Some(rows.iter().map(|&row| ids.get(row).to_string()).collect())
        };
        let design = Design {
            features: &self.design,
            columns: Some(self.columns.clone()),
            numbers: self.numbers.clone(),
            names: &names,
        };
        question.ask_model(&design, &observed, watch).map_err(|error| self.located(error))
    }

    /// Returns what the checker says of a proof about it. Errors name the place in the file.
    pub fn verify(
        &self,
        question: &EstimateQuestion,
        proof: &Proof,
    ) -> Result<VerifyAnswer, AskError> {
        let observed = self.observe(question)?;
        let found = question.verify(&self.design, &observed, proof);
        let mut answer = found.map_err(|error| self.located(error))?;
        // Other refusals are about structure vectors, which are no rows of the file.
        if let Err(own @ Refused::NotAllowed { .. }) = answer.outcome {
            answer.outcome = Err(own.in_file(&self.numbers));
        }
        Ok(answer)
    }

    fn observe(&self, question: &EstimateQuestion) -> Result<Observed, AskError> {
        question.observe(&self.beside).map_err(|error| self.located(error))
    }

    /// Returns the error with its place in the file, if it has one.
    fn located(&self, error: AskError) -> AskError {
        let (row, column) = match &error {
            AskError::Observed(error) => (error.error.row, Some(error.column.clone())),
            AskError::Separation(SeparationError::Model(error)) => {
                (error.row().map(|row| row - 1), None)
            }
            _ => return error,
        };
        let number = row.map(|row| self.numbers.number(row) as u64);
        let line = number.and_then(|row| line_of_row(&self.source, &self.options, row));
        let error = match error {
            AskError::Separation(SeparationError::Model(error)) => {
                let own = error.with_row(|row| self.numbers.number(row - 1));
                AskError::Separation(SeparationError::Model(own))
            }
            other => other,
        };
        let place = Place {
            source: Some(self.source.name()),
            line,
            row: number.filter(|_| line.is_none()),
            column: column.map(Column::Name),
        };
        AskError::Located(Box::new(Located { place, error }))
    }
}

/// The features of a table, by column.
struct FeatureTable<'a> {
    features: &'a Features,
    about: &'a About,
}

/// A column of the table: its features, and its levels if it is a category.
struct FeatureColumn {
    name: String,
    places: std::ops::Range<usize>,
    /// The levels, and whether the first has no feature.
    levels: Option<(Vec<String>, bool)>,
}

impl FeatureTable<'_> {
    fn find(&self, wanted: &str) -> Result<FeatureColumn, Error> {
        let mut start = 0;
        let mut available = vec![];
        let plain = || {
            let number = |k| Encoded::Number { column: self.about.feature(k), fill: None };
            (0..self.features.columns()).map(number).collect::<Vec<_>>()
        };
        let encoded = self.about.encoding.as_ref().map(|encoding| encoding.columns.clone());
        for column in encoded.unwrap_or_else(plain) {
            let (name, width, levels) = match column {
                Encoded::Number { column, .. } => (column, 1, None),
                Encoded::Category { column, levels, first_dropped, .. } => (
                    column,
                    levels.len() - usize::from(first_dropped),
                    Some((levels, first_dropped)),
                ),
            };
            if name == wanted {
                return Ok(FeatureColumn { name, places: start..start + width, levels });
            }
            available.push(name);
            start += width;
        }
        let (wanted, count) = (Column::Name(wanted.to_string()), available.len());
        Err(ErrorKind::NoSuchColumn { wanted, available, count }.into())
    }

    fn observed(&self, part: &FeatureColumn) -> ObservedColumn {
        let cells = match &part.levels {
            None => ObservedCells::Numbers(self.column(part.places.start)),
            Some((words, first_dropped)) => {
                let level = |row: usize| {
                    let mut found = 0;
                    self.features.for_each(row, |k, v| {
                        if part.places.contains(&k) && v != 0.0 {
                            found = (k - part.places.start) as u32 + u32::from(*first_dropped);
                        }
                    });
                    found
                };
                let codes = (0..self.features.rows()).map(level).collect();
                ObservedCells::Words { words: words.clone(), codes }
            }
        };
        ObservedColumn { name: part.name.clone(), cells }
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

    /// Returns the design without some features, and the names of the others. Errors if none is left, unless that may be.
    fn without(
        &self,
        taken: &[usize],
        may_be_empty: bool,
    ) -> Result<(Features, Vec<String>), Error> {
        let mut stays = vec![true; self.features.columns()];
        taken.iter().for_each(|&k| stays[k] = false);
        let left: Vec<usize> = (0..stays.len()).filter(|&k| stays[k]).collect();
        if left.is_empty() && !may_be_empty {
            return Err(ErrorKind::NoFeatures.into());
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
                for (row, out) in values.chunks_exact_mut(left.len().max(1)).enumerate() {
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
}
