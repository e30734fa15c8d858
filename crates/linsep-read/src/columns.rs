//! Which columns are features, and which is the label.

use std::convert::Infallible;
use std::str::FromStr;

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::samples::{Encoded, LeftOut, WhyLeftOut};

use super::piece::{RawColumn, RawKind, RawLayout};
use super::survey::{SeenCells, is_identifier, is_unnamed};
use super::{Categorical, Expected, ReadOptions};

/// Names that mark a label column, the first being preferred.
pub const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];

/// How many columns without names an error lists.
const LISTED: usize = 8;

/// The longest range that is a range and not a name.
const LONGEST_RANGE: usize = 1 << 24;

/// A column as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnChoice {
    /// By its name in the header.
    Name(String),
    /// By its number, counted from 1.
    Number(usize),
}

impl FromStr for ColumnChoice {
    type Err = Infallible;

    /// Returns a number if the text is one, else a name.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        Ok(match parse_number(text) {
            Some(number) => ColumnChoice::Number(number),
            None => ColumnChoice::Name(text.to_string()),
        })
    }
}

impl ColumnChoice {
    /// Returns the columns of a list: names, numbers and ranges of numbers between commas.
    ///
    /// ```
    /// use linsep_read::ColumnChoice::{self, Name, Number};
    /// let columns = ColumnChoice::parse_list("age, 3-5");
    /// assert_eq!(columns, [Name("age".into()), Number(3), Number(4), Number(5)]);
    /// ```
    pub fn parse_list(text: &str) -> Vec<ColumnChoice> {
        let mut columns = vec![];
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let range = item
                .split_once('-')
                .and_then(|(from, to)| Some((parse_number(from)?, parse_number(to)?)))
                .filter(|(from, to)| from <= to && to - from < LONGEST_RANGE);
            match range {
                Some((from, to)) => columns.extend((from..=to).map(ColumnChoice::Number)),
                None => columns.extend(item.parse::<ColumnChoice>()),
            }
        }
        columns
    }
}

fn parse_number(text: &str) -> Option<usize> {
    // `parse` takes a sign too.
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The columns of a table: how many there are, and their names if there is a header.
pub(super) struct TableColumns {
    pub(super) width: usize,
    pub(super) names: Option<Vec<String>>,
}

/// Which columns are used, counted from 0, and for what.
#[derive(Clone, Debug, Default)]
pub(super) struct ChosenColumns {
    pub(super) features: Vec<usize>,
    pub(super) label: Option<usize>,
    pub(super) id: Option<usize>,
    /// What the features are made of.
    pub(super) layout: RawLayout,
}

impl TableColumns {
    /// Returns the column, by name where it has one, for an error.
    pub(super) fn place(&self, k: usize) -> Column {
        match self.names.as_ref().map(|names| names[k].as_str()) {
            Some(name) if !name.is_empty() => Column::Name(name.to_string()),
            _ => Column::Number(k + 1),
        }
    }

    /// Returns the index of a column. Errors if there is none.
    pub(super) fn find(&self, choice: &ColumnChoice) -> Result<usize, Error> {
        let found = match choice {
            ColumnChoice::Name(wanted) => {
                self.names.iter().flatten().position(|name| name == wanted)
            }
            ColumnChoice::Number(n) => n.checked_sub(1).filter(|&k| k < self.width),
        };
        found.ok_or_else(|| self.no_such(choice))
    }

    fn no_such(&self, choice: &ColumnChoice) -> Error {
        let wanted = match choice {
            ColumnChoice::Name(name) => Column::Name(name.clone()),
            ColumnChoice::Number(number) => Column::Number(*number),
        };
        let available = match &self.names {
            Some(names) => names.clone(),
            None => (1..=self.width.min(LISTED)).map(|n| n.to_string()).collect(),
        };
        ErrorKind::NoSuchColumn { wanted, available, count: self.width }.into()
    }

    fn label_by_name(&self) -> Option<usize> {
        let names = self.names.as_ref()?;
        LABEL_NAMES
            .iter()
            .find_map(|label| names.iter().position(|name| name.eq_ignore_ascii_case(label)))
    }

    fn listed(&self, choices: &[ColumnChoice], label: Option<usize>) -> Result<Vec<usize>, Error> {
        let found =
            choices.iter().map(|choice| self.find(choice)).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|&k| Some(k) != label).collect())
    }

    /// Returns the columns to train on; there is no label among them if labels stand elsewhere. `seen` is
    /// what their first cells look like, where that is known.
    ///
    /// Errors if a column that was named does not exist, and if no feature is left.
    pub(super) fn choose(
        &self,
        options: &ReadOptions,
        labels_elsewhere: bool,
        seen: &[SeenCells],
    ) -> Result<ChosenColumns, Error> {
        let id = options.row_id.as_ref().map(|choice| self.find(choice)).transpose()?;
        let excluded = self.listed(&options.exclude, None)?;
        let used = |k: &usize| Some(*k) != id && !excluded.contains(k);
        let label = match &options.label {
            _ if labels_elsewhere => None,
            Some(choice) => Some(self.find(choice)?),
            None => self.label_by_name().or_else(|| (0..self.width).rev().find(|k| used(k))),
        };
        let mut left_out = vec![];
        let features: Vec<usize> = match &options.features {
            Some(choices) => self.listed(choices, label)?.into_iter().filter(used).collect(),
            None => (0..self.width)
                .filter(|&k| Some(k) != label && used(&k))
                .filter(|&k| {
                    let why = seen.get(k).and_then(|seen| self.is_no_feature(k, seen));
                    left_out.extend(why.map(|why| LeftOut { column: self.place(k), why }));
                    why.is_none()
                })
                .collect(),
        };
        if features.is_empty() {
            return Err(ErrorKind::NoFeatures.into());
        }
        let categories = match &options.categorical {
            Categorical::Columns(choices) => self.listed(choices, label)?,
            Categorical::Auto | Categorical::No => vec![],
        };
        let columns = features.iter().map(|&k| {
            let asked = categories.contains(&k);
            let text = options.categorical == Categorical::Auto
                && seen.get(k).is_some_and(SeenCells::is_text);
            let kind = if asked || text { RawKind::Category } else { RawKind::Number };
            RawColumn { column: self.place(k), kind, asked }
        });
        let layout = RawLayout {
            columns: columns.collect(),
            named: self.names.is_some(),
            left_out,
            label: label.map(|k| self.place(k)),
        };
        Ok(ChosenColumns { features, label, id, layout })
    }

    /// Returns why a column that nobody named is not a feature; none if it is one.
    fn is_no_feature(&self, k: usize, seen: &SeenCells) -> Option<WhyLeftOut> {
        let name = self.names.as_ref()?[k].as_str();
        if is_unnamed(name) && seen.counts_rows() {
            return Some(WhyLeftOut::CountsRows);
        }
        (is_identifier(name) && seen.tells_rows_apart()).then_some(WhyLeftOut::Identifier)
    }

    /// Returns the columns that a model expects, in its order, and the one of the labels if it is there.
    ///
    /// Errors if one is missing, or if their number is wrong.
    pub(super) fn match_expected(
        &self,
        options: &ReadOptions,
        expected: &Expected,
    ) -> Result<ChosenColumns, Error> {
        let id = options.row_id.as_ref().map(|choice| self.find(choice)).transpose()?;
        let sources: Option<Vec<String>> = match expected.encoding {
            Some(encoding) => {
                Some(encoding.columns.iter().map(|c| c.column().to_string()).collect())
            }
            None => expected.names.map(<[String]>::to_vec),
        };
        let count = sources.as_ref().map_or(expected.features, Vec::len);
        // The label column of the data that the model was trained on may be here, or may not.
        let known = match (&options.label, expected.label_column) {
            (Some(choice), _) => Some(self.find(choice)?),
            (None, Some(Column::Name(name))) => {
                self.names.iter().flatten().position(|found| found == name)
            }
            (None, Some(Column::Number(number))) => {
                Some(number - 1).filter(|k| *k < self.width && self.width > count)
            }
            (None, None) => self.label_by_name(),
        };
        let features = match (&self.names, &sources) {
            (Some(names), Some(wanted)) if self.are_names(wanted) => {
                self.match_names(names, wanted)?
            }
            (None, Some(numbers)) if expected.encoding.is_some() => numbers
                .iter()
                .map(|number| self.find(&number.parse().expect("any text is a choice")))
                .collect::<Result<_, _>>()?,
            _ => match &options.features {
                Some(choices) => {
                    let label = options.label.as_ref().and(known);
                    self.listed(choices, label)?
                }
                None => {
                    let excluded = self.listed(&options.exclude, None)?;
                    let all = (0..self.width)
                        .filter(|k| Some(*k) != id && !excluded.contains(k))
                        .collect::<Vec<_>>();
                    let label = known.filter(|_| all.len() == count + 1);
                    all.into_iter().filter(|&k| Some(k) != label).collect()
                }
            },
        };
        if features.len() != count {
            let found = features.len();
            return Err(ErrorKind::WrongFeatures { found, expected: count }.into());
        }
        let label = known.filter(|k| !features.contains(k));
        let kind = |k: usize| match expected.encoding.map(|encoding| &encoding.columns[k]) {
            Some(Encoded::Category { .. }) => RawKind::Category,
            _ => RawKind::Number,
        };
        let raw = |(place, &k): (usize, &usize)| RawColumn {
            column: self.place(k),
            kind: kind(place),
            asked: true,
        };
        let layout = RawLayout {
            columns: features.iter().enumerate().map(raw).collect(),
            named: self.names.is_some(),
            left_out: vec![],
            label: label.map(|k| self.place(k)),
        };
        Ok(ChosenColumns { features, label, id, layout })
    }

    /// Returns true unless the wanted columns are only numbers, and no column is called so.
    fn are_names(&self, wanted: &[String]) -> bool {
        let called = |name: &String| self.names.iter().flatten().any(|found| found == name);
        wanted.iter().any(|name| parse_number(name).is_none() || called(name))
    }

    /// Columns of one name are taken in their order.
    fn match_names(&self, names: &[String], wanted: &[String]) -> Result<Vec<usize>, Error> {
        let mut columns = std::collections::HashMap::<&str, Vec<usize>>::new();
        for (k, name) in names.iter().enumerate().rev() {
            columns.entry(name).or_default().push(k);
        }
        wanted
            .iter()
            .map(|name| match columns.get_mut(name.as_str()) {
                Some(left) if left.len() > 1 => Ok(left.pop().expect("two are left")),
                Some(left) => Ok(left[0]),
                // A column without a name is known by its number.
                None => parse_number(name)
                    .and_then(|number| number.checked_sub(1))
                    .filter(|&k| names.get(k).is_some_and(String::is_empty))
                    .ok_or_else(|| self.no_such(&ColumnChoice::Name(name.clone()))),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(header: &str) -> TableColumns {
        match header.parse() {
            Ok(width) => TableColumns { width, names: None },
            Err(_) => {
                let names: Vec<String> = header.split(',').map(str::to_string).collect();
                TableColumns { width: names.len(), names: Some(names) }
            }
        }
    }

    fn check(header: &str, label: &str, features: &str, expected: Result<(&[usize], usize), &str>) {
        let options = ReadOptions {
            label: (!label.is_empty()).then(|| label.parse().unwrap()),
            features: (!features.is_empty()).then(|| ColumnChoice::parse_list(features)),
            ..ReadOptions::default()
        };
        match (columns(header).choose(&options, false, &[]), expected) {
            (Ok(found), Ok((features, label))) => {
                assert_eq!((&found.features[..], found.label), (features, Some(label)));
            }
            (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
            (found, expected) => panic!("{found:?} against {expected:?}"),
        }
    }

    #[test]
    fn the_label_is_named_or_known_or_last() {
        check("a,b,c", "", "", Ok((&[0, 1], 2)));
        check("3", "", "", Ok((&[0, 1], 2)));
        check("y,Class,c", "", "", Ok((&[0, 2], 1)));
        check("y,class,c", "c", "", Ok((&[0, 1], 2)));
        check("y,class,c", "1", "", Ok((&[1, 2], 0)));
        check("2", "3", "", Err("no column 3; the columns are \"1\", \"2\""));
        check("2", "0", "", Err("no column 0; the columns are \"1\", \"2\""));
        check("2", "a", "", Err("no column \"a\"; the columns are \"1\", \"2\""));
        check("a,b", "c", "", Err("no column \"c\"; the columns are \"a\", \"b\""));
    }

    #[test]
    fn features_come_in_the_order_given_without_the_label() {
        check("a,b,c,d", "2", "d,1-3", Ok((&[3, 0, 2], 1)));
        check("a,b,c,d", "", "d", Err("expected at least one feature, found none"));
        check("a,b,c,d", "", "2-9", Err("no column 5; the columns are \"a\", \"b\", \"c\", \"d\""));
        check("1", "", "", Err("expected at least one feature, found none"));
    }

    #[test]
    fn lists() {
        let check = |text: &str, expected: &str| {
            let found = ColumnChoice::parse_list(text);
            let found: Vec<String> = found
                .iter()
                .map(|c| match c {
                    ColumnChoice::Name(name) => format!("{name:?}"),
                    ColumnChoice::Number(n) => n.to_string(),
                })
                .collect();
            assert_eq!(found.join(" "), expected);
        };
        check("1-3,x,7", "1 2 3 \"x\" 7");
        check(" a b , x-y,,3-1,+4,-5", "\"a b\" \"x-y\" \"3-1\" \"+4\" \"-5\"");
        check("1-99999999999,99999999999999999999", "\"1-99999999999\" \"99999999999999999999\"");
        check("", "");
    }

    #[test]
    fn a_model_finds_its_columns() {
        let check = |header: &str, label: &str, wanted: &str, expected: Result<&[usize], &str>| {
            let names: Vec<String> = wanted.split(',').map(str::to_string).collect();
            let by_position = wanted.parse::<usize>().ok();
            let wanted = Expected {
                features: by_position.unwrap_or(names.len()),
                names: by_position.is_none().then_some(&names),
                index_base: 1,
                label_column: None,
                encoding: None,
            };
            let label = (!label.is_empty()).then(|| label.parse().unwrap());
            let options = ReadOptions { label, ..ReadOptions::default() };
            let found = columns(header).match_expected(&options, &wanted);
            let found = found.map(|chosen| chosen.features).map_err(|error| error.to_string());
            assert_eq!(found, expected.map(<[usize]>::to_vec).map_err(str::to_string));
        };
        check("a,b,label", "", "b,a", Ok(&[1, 0]));
        check("a,b,a", "", "a,a,b", Ok(&[0, 2, 1]));
        check("a,b", "", "a,c", Err("no column \"c\"; the columns are \"a\", \"b\""));
        check("2", "", "a,b", Ok(&[0, 1]));
        check("a,b", "", "2", Ok(&[0, 1]));
        check("a,y,b", "", "2", Ok(&[0, 2]));
        check("3", "1", "2", Ok(&[1, 2]));
        check("3", "", "2", Err("expected rows of 2 features, found 3"));
        check("a,b,c,y", "", "2", Err("expected rows of 2 features, found 4"));
    }
}
