//! Rows of any number of classes, and the two-class questions that can be asked of them.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{About, LabelNames, LabelTable, Samples};
use crate::error::{Error, ErrorKind};

/// What all other classes are called where one is set against them.
const REST: &str = "rest";

/// The classes of rows: their names, numbers by value and before words, and the class of each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    names: Vec<String>,
    codes: Vec<u32>,
    /// The rows of each class, rising.
    members: Vec<Vec<usize>>,
}

impl Classes {
    /// Returns the classes that labels make.
    ///
    /// Errors if there is only one.
    pub fn new(labels: &LabelTable) -> Result<Self, Error> {
        let (spellings, rows) = labels.codes();
        if spellings.len() == 1 {
            let label = spellings[0].clone();
            return Err(ErrorKind::OneClass { label, rows: rows.len() }.into());
        }
        let mut order: Vec<usize> = (0..spellings.len()).collect();
        order.sort_by(|&a, &b| label_order(&spellings[a], &spellings[b]));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &code)| places[code] = place as u32);
        let names = order.iter().map(|&code| spellings[code].clone()).collect();
        Ok(Self::of(names, rows.iter().map(|&code| places[code as usize]).collect()))
    }

    /// Returns the classes of these names, and the class of each row.
    ///
    /// # Panics
    /// If a row is of a class that has no name.
    pub fn of(names: Vec<String>, codes: Vec<u32>) -> Self {
        let mut members = vec![vec![]; names.len()];
        codes.iter().enumerate().for_each(|(row, &code)| members[code as usize].push(row));
        Classes { names, codes, members }
    }

    /// Returns the names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of classes.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the class of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Returns the rows of a class, rising.
    pub fn members(&self, class: usize) -> &[usize] {
        &self.members[class]
    }

    /// Returns the class that is called so, numbers by value. Errors if there is none.
    pub fn find(&self, name: &str) -> Result<usize, Error> {
        let mut wanted = LabelTable::new();
        wanted.push(name);
        let own = self.names.iter().position(|own| wanted.matches(own) == [true]);
        own.ok_or_else(|| {
            ErrorKind::NoSuchLabel { wanted: name.to_string(), found: self.names.clone() }.into()
        })
    }

    /// Returns the rows of these classes, rising.
    pub fn rows_of(&self, classes: &[usize]) -> Vec<usize> {
        let own = classes.iter().flat_map(|&class| &self.members[class]).copied();
        let mut rows: Vec<usize> = own.collect();
        rows.sort_unstable();
        rows
    }

    /// Returns these classes alone, and their rows, in the order of the data.
    pub fn only(&self, samples: &Samples, classes: &[usize]) -> Result<(Samples, Classes), Error> {
        let mut own: Vec<usize> = classes.to_vec();
        own.sort_unstable();
        own.dedup();
        let rows = self.rows_of(&own);
        let part = samples.part_of(&rows)?.numbered_by(&rows);
        let place = |code: u32| own.binary_search(&(code as usize)).expect("a class") as u32;
        let codes = rows.iter().map(|&row| place(self.codes[row])).collect();
        let names = own.iter().map(|&class| self.names[class].clone()).collect();
        Ok((part, Classes::of(names, codes)))
    }

    /// Returns the rows of two classes under their labels, in the order of the data. Costs a copy of these rows.
    pub fn pair(
        &self,
        samples: &Samples,
        negative: usize,
        positive: usize,
    ) -> Result<Samples, Error> {
        let rows = self.rows_of(&[negative, positive]);
        let labels = rows.iter().map(|&row| self.codes[row] as usize == positive).collect();
        let names = [negative, positive].map(|class| self.names[class].clone());
        let part = samples.part_of(&rows)?.numbered_by(&rows);
        Ok(named(part.with_labels(labels), names))
    }

    /// Returns all rows; those of class `positive` are positive. Features are shared, not copied.
    pub fn one_vs_rest(&self, samples: &Samples, positive: usize) -> Samples {
        let labels = self.codes.iter().map(|&code| code as usize == positive).collect();
        let other = match self.count() {
            2 => self.names[1 - positive].clone(),
            _ => REST.to_string(),
        };
        named(samples.clone().with_labels(labels), [other, self.names[positive].clone()])
    }
}

fn named(samples: Samples, [negative, positive]: [String; 2]) -> Samples {
    let about = About::clone(samples.about());
    samples.with_about(Arc::new(About { label_names: LabelNames { negative, positive }, ..about }))
}

/// Returns the order of two labels or levels: numbers by value and before words, words by letters.
pub fn label_order(a: &str, b: &str) -> Ordering {
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(x), Ok(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(labels: &str) -> Result<Classes, Error> {
        let mut table = LabelTable::new();
        labels.split_whitespace().for_each(|label| table.push(label));
        Classes::new(&table)
    }

    #[test]
    fn classes_are_label_order() {
        let found = classes("10 9 b 9.0 a").unwrap();
        assert_eq!(found.names(), ["9", "10", "a", "b"]);
        assert_eq!(found.codes(), [1, 0, 3, 0, 2]);
        assert_eq!(found.members(0), [1, 3]);
        assert_eq!(found.find("9.00").unwrap(), 0);
        let missing = found.find("c").unwrap_err().to_string();
        assert_eq!(
            missing,
            "no row has the label \"c\"; the labels are \"9\", \"10\", \"a\", \"b\""
        );
        let one = classes("a a").unwrap_err().to_string();
        assert_eq!(one, "expected two classes, found one: all 2 rows are \"a\"");
    }

    #[test]
    fn questions_keep_rows_label_order() {
        let all = classes("b a c b").unwrap();
        let values = vec![1.0, 2.0, 3.0, 4.0];
        let samples = Samples::dense(values, 1, vec![true, false, true, true]).unwrap();
        let shown = |samples: &Samples| {
            let mut text =
                format!("{}/{}:", samples.about().label(false), samples.about().label(true));
            for (i, &positive) in samples.positive().iter().enumerate() {
                let sign = if positive { '+' } else { '-' };
                samples.features().for_each(i, |_, v| text.push_str(&format!(" {sign}{v}")));
            }
            text
        };
        assert_eq!(shown(&all.pair(&samples, 1, 0).unwrap()), "b/a: -1 +2 -4");
        assert_eq!(shown(&all.one_vs_rest(&samples, 2)), "rest/c: -1 -2 +3 -4");
        let (part, own) = all.only(&samples, &[2, 1]).unwrap();
        assert_eq!(
            (part.rows(), own.names(), own.codes()),
            (3, &["b".into(), "c".into()][..], &[0, 1, 0][..])
        );
    }
}
