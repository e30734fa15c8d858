//! Labels as they stand in the data, and the two classes they make.

use std::collections::HashMap;

use crate::error::{Error, ErrorKind};
use crate::integer;
use crate::memory;

/// The names of the two classes, as they were spelled in the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelNames {
    /// The class on the side w·x + b <= 0.
    pub negative: String,
    /// The class on the side w·x + b > 0.
    pub positive: String,
}

impl Default for LabelNames {
    fn default() -> Self {
        LabelNames { negative: "-1".into(), positive: "1".into() }
    }
}

/// Two classes: for every row, whether it is positive, and what the classes are called.
#[derive(Clone, Debug)]
pub struct Labels {
    /// One a row.
    pub positive: Vec<bool>,
    /// What the classes are called.
    pub names: LabelNames,
}

/// What makes two spellings one label: numbers by value, words by letters.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Number(u64),
    Word(String),
}

fn key(spelling: &str) -> Key {
    match spelling.parse::<f64>() {
        // -0 and 0 are one label.
        // Two integers that round to one float are two labels.
        Ok(value) if value.is_finite() && !integer::is_rounded(spelling.as_bytes(), value) => {
            Key::Number((value + 0.0).to_bits())
        }
        _ => Key::Word(spelling.to_string()),
    }
}

/// Collects labels of any spelling, in row order, and then makes two classes of them.
///
/// Numbers are one label if their values are equal (`1`, `+1` and `1.0`); it is called as it was
/// first spelled.
#[derive(Clone, Default)]
pub struct LabelTable {
    spellings: Vec<String>,
    codes: HashMap<Key, u32>,
    /// The last spelling seen and its code: labels come in runs.
    last: Option<(String, u32)>,
    rows: Vec<u32>,
}

impl LabelTable {
    /// Returns a table without rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the label of the next row.
    pub fn push(&mut self, spelling: &str) {
        if let Some((last, code)) = &self.last
            && last == spelling
        {
            self.rows.push(*code);
            return;
        }
        let code = self.code(spelling);
        self.last = Some((spelling.to_string(), code));
        self.rows.push(code);
    }

    /// Makes room for more rows. Errors if there is no memory for them.
    pub fn reserve(&mut self, rows: usize) -> Result<(), Error> {
        memory::reserve(&mut self.rows, rows)
    }

    fn code(&mut self, spelling: &str) -> u32 {
        let next = self.spellings.len() as u32;
        *self.codes.entry(key(spelling)).or_insert_with(|| {
            self.spellings.push(spelling.to_string());
            next
        })
    }

    /// Adds all rows of another table, which come after those of this one.
    pub fn append(&mut self, other: LabelTable) {
        let map: Vec<u32> = other.spellings.iter().map(|s| self.code(s)).collect();
        self.rows.extend(other.rows.iter().map(|&code| map[code as usize]));
    }

    /// Returns a table of the rows for which `keep` is true; labels of no other row are forgotten.
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = LabelTable::new();
        for (_, &code) in self.rows.iter().enumerate().filter(|&(i, _)| keep(i)) {
            kept.push(&self.spellings[code as usize]);
        }
        kept
    }

    /// Returns a table of these rows, in this order; a row that does not exist has an empty label.
    pub fn select(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let mut some = LabelTable::new();
        for row in rows {
            let spelling = self.rows.get(row).map(|&code| self.spellings[code as usize].as_str());
            some.push(spelling.unwrap_or_default());
        }
        some
    }

    /// Returns, for every row, whether its label is this one: numbers by value, words by letters.
    pub fn matches(&self, label: &str) -> Vec<bool> {
        let code = self.codes.get(&key(label));
        self.rows.iter().map(|row| Some(row) == code).collect()
    }

    /// Returns the different labels as they are spelled, in the order in which they were met, and the place among them of
    /// each row's.
    pub fn codes(&self) -> (&[String], &[u32]) {
        (&self.spellings, &self.rows)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Makes two classes. `positive` names the positive one, all others being negative; without
    /// it there must be just two, and the larger is positive (by value if both are numbers, else
    /// by letters).
    ///
    /// Errors if there is one label only, if there are more than two and none is named, and if
    /// the one named does not occur.
    pub fn into_classes(self, positive: Option<&str>) -> Result<Labels, Error> {
        let examples = || self.spellings.iter().take(8).cloned().collect::<Vec<_>>();
        let count = self.spellings.len();
        let chosen = match positive {
            Some(wanted) => *self.codes.get(&key(wanted)).ok_or_else(|| {
                ErrorKind::NoSuchLabel { wanted: wanted.to_string(), found: self.spellings.clone() }
            })?,
            None if count > 2 => {
                return Err(ErrorKind::ManyClasses { count, examples: examples() }.into());
            }
            None => u32::from(count == 2 && larger(&self.spellings[1], &self.spellings[0])),
        };
        match count {
            0 => return Err(ErrorKind::NoRows { dropped: 0 }.into()),
            1 => {
                let label = self.spellings[0].clone();
                return Err(ErrorKind::OneClass { label, rows: self.rows.len() }.into());
            }
            _ => {}
        }
        let negative = match count {
            2 => self.spellings[1 - chosen as usize].clone(),
            _ => "rest".to_string(),
        };
        let names = LabelNames { negative, positive: self.spellings[chosen as usize].clone() };
        memory::require_values::<bool>(self.rows.len())?;
        Ok(Labels { positive: self.rows.iter().map(|&code| code == chosen).collect(), names })
    }
}

fn larger(a: &str, b: &str) -> bool {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        // Large integers may be one float.
        (Ok(x), Ok(y)) => x > y || x == y && a > b,
        _ => a > b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(labels: &[&str], positive: Option<&str>, expected: Result<(&str, &str, &str), &str>) {
        let mut table = LabelTable::new();
        labels.iter().for_each(|l| table.push(l));
        let found = table.into_classes(positive).map(|l| {
            let signs = l.positive.iter().map(|&p| if p { '+' } else { '-' }).collect::<String>();
            (l.names.negative, l.names.positive, signs)
        });
        match (found, expected) {
            (Ok(found), Ok((n, p, s))) => assert_eq!(found, (n.into(), p.into(), s.into())),
            (Err(error), Err(expected)) => assert_eq!(error.to_string(), expected),
            (found, expected) => panic!("{found:?} against {expected:?}"),
        }
    }

    #[test]
    fn two_classes_of_any_spelling() {
        check(&["1", "-1", "+1", "1.0"], None, Ok(("-1", "1", "+-++")));
        check(&["9", "10", "9"], None, Ok(("9", "10", "-+-")));
        check(&["no", "yes"], None, Ok(("no", "yes", "-+")));
        check(&["no", "yes"], Some("no"), Ok(("yes", "no", "+-")));
        check(&["a", "b", "c", "a"], Some("a"), Ok(("rest", "a", "+--+")));
        check(&["nan", "0"], None, Ok(("0", "nan", "+-")));
        // The larger of two that are one float.
        let large = ["9007199254740993", "9007199254740992"];
        check(&large, None, Ok((large[1], large[0], "+-")));
    }

    #[test]
    fn anything_else_is_an_error() {
        check(&["a", "a"], None, Err("expected two classes, found one: all 2 rows are \"a\""));
        check(&["a"], Some("a"), Err("expected two classes, found one: all 1 rows are \"a\""));
        check(&["a", "b", "c"], None, Err("expected two classes, found 3: \"a\", \"b\", \"c\""));
        check(
            &["a", "b"],
            Some("z"),
            Err("no row has the label \"z\"; the labels are \"a\", \"b\""),
        );
    }

    #[test]
    fn appended_tables_agree_on_codes() {
        let (mut first, mut second) = (LabelTable::new(), LabelTable::new());
        ["b", "b"].iter().for_each(|l| first.push(l));
        ["a", "b"].iter().for_each(|l| second.push(l));
        first.append(second);
        let labels = first.into_classes(None).unwrap();
        assert_eq!(labels.positive, [true, true, false, true]);
    }
}
