//! The cases of `testdata/*.toml`, and the samples they stand for. testdata/README.md has the format.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use linsep::Samples;
use linsep::data::read::{ColumnChoice, ReadOptions, Source, read};
use linsep::data::samples::SparseBuilder;
use linsep::decide::Verdict;
use serde::Deserialize;

/// A small problem and what is known of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    pub why: String,
    #[serde(default)]
    rows: Vec<Vec<Number>>,
    #[serde(default)]
    labels: String,
    file: Option<String>,
    label: Option<String>,
    positive: Option<String>,
    features: Option<Vec<String>>,
    #[serde(deserialize_with = "verdict")]
    pub verdict: Verdict,
    /// The largest angular margin.
    pub margin: Option<f64>,
    /// The only minimal conflict, rows counted from 1, and its multipliers.
    pub conflict: Option<Vec<usize>>,
    pub multipliers: Option<Vec<i64>>,
    /// How many updates a method makes until it ends.
    #[serde(default)]
    pub updates: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Integer(i64),
    Float(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// Values and labels, from which samples of any form are made.
#[derive(Clone)]
pub struct Problem {
    pub rows: Vec<Vec<f64>>,
    pub positive: Vec<bool>,
}

fn verdict<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Verdict, D::Error> {
    match String::deserialize(input)?.as_str() {
        "separable" => Ok(Verdict::Separable),
        "quasi-separable" => Ok(Verdict::QuasiSeparable),
        "inseparable" => Ok(Verdict::Inseparable),
        other => Err(serde::de::Error::custom(format!("no such verdict: {other}"))),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the cases of all files, in the order of their names.
pub fn cases() -> Vec<Case> {
    let entries = std::fs::read_dir(root().join("testdata")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut cases = vec![];
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        cases.extend(file.case);
    }
    let mut names = HashSet::new();
    for case in &cases {
        assert!(names.insert(case.name.clone()), "two cases are called {}", case.name);
        assert!(case.why.len() > 10, "{}: say why the case exists", case.name);
        assert_eq!(case.conflict.is_some(), case.multipliers.is_some(), "{}", case.name);
    }
    cases
}

impl Case {
    /// Returns the values and labels of the case.
    pub fn problem(&self) -> Problem {
        let Some(file) = &self.file else {
            let value = |number: &Number| number.value();
            let rows = self.rows.iter().map(|row| row.iter().map(value).collect()).collect();
            let positive = self.labels.chars().map(|c| match c {
                '+' => true,
                '-' => false,
                other => panic!("a label is + or -, not {other}"),
            });
            return Problem { rows, positive: positive.collect() };
        };
        assert!(self.rows.is_empty() && self.labels.is_empty(), "a file or rows, not both");
        let column = |name: &String| ColumnChoice::Name(name.clone());
        let options = ReadOptions {
            label: self.label.as_ref().map(column),
            positive: self.positive.clone(),
            features: self.features.as_ref().map(|names| names.iter().map(column).collect()),
            ..ReadOptions::default()
        };
        let samples = read(&Source::File(root().join(file)), &options, &|_| ()).unwrap();
        let mut rows = vec![vec![0.0; samples.columns()]; samples.rows()];
        for (i, row) in rows.iter_mut().enumerate() {
            samples.features().for_each(i, |k, value| row[k] = value);
        }
        Problem { rows, positive: samples.positive().to_vec() }
    }
}

impl Number {
    fn value(&self) -> f64 {
        match self {
            Number::Integer(value) => {
                assert_eq!(*value as f64 as i64, *value, "an integer that a double cannot hold");
                *value as f64
            }
            Number::Float(value) => *value,
            Number::Text(text) => hexadecimal(text).unwrap_or_else(|| panic!("{text:?}")),
        }
    }
}

/// Returns the value of a hexadecimal float such as -0x1.8p-3, if it is one and a double holds it.
fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let (digits, exponent) = magnitude.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    let factor = if exponent < 0 { 0.5 } else { 2.0 };
    let mut value = mantissa as f64;
    (0..exponent.abs()).for_each(|_| value *= factor);
    let mut back = value;
    (0..exponent.abs()).for_each(|_| back /= factor);
    (mantissa < 1 << 53 && back == mantissa as f64).then_some(sign * value)
}

impl Problem {
    /// Returns the samples as dense doubles.
    pub fn dense(&self) -> Samples {
        Samples::dense(self.rows.concat(), self.columns(), self.positive.clone()).unwrap()
    }

    /// Returns the samples in every form that holds them: dense, sparse, and `f32` where that is
    /// exact.
    pub fn forms(&self) -> Vec<(&'static str, Samples)> {
        let mut rows = SparseBuilder::default();
        for row in &self.rows {
            for (k, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                rows.push(k, value);
            }
            rows.end_row();
        }
        let sparse = rows.finish(self.columns()).unwrap();
        let sparse = Samples::sparse(sparse, self.positive.clone()).unwrap();
        let mut forms = vec![("dense", self.dense()), ("sparse", sparse)];
        let values = self.rows.concat();
        if values.iter().all(|&value| f64::from(value as f32) == value) {
            let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            let positive = self.positive.clone();
            forms.push(("f32", Samples::dense(single, self.columns(), positive).unwrap()));
        }
        forms
    }

    /// Returns what must not change the verdict, each with its name.
    pub fn changes(&self) -> Vec<(&'static str, Problem)> {
        let mut reversed = self.clone();
        reversed.rows.reverse();
        reversed.positive.reverse();
        let mut swapped = self.clone();
        swapped.positive.iter_mut().for_each(|positive| *positive = !*positive);
        let rows = [&self.rows[..], &self.rows[..]].concat();
        let doubled = Problem { rows, positive: self.positive.repeat(2) };
        let mut changes = vec![("reversed", reversed), ("swapped", swapped), ("doubled", doubled)];
        // A power of two at which nothing is rounded, and room is left for lengths.
        for (name, scale) in [("times 1024", 1024.0), ("over 1024", 1.0 / 1024.0)] {
            let exact = |v: f64| v * scale / scale == v && (v * scale).abs() <= 1e308;
            if self.rows.iter().flatten().all(|&v| exact(v)) {
                let times = |row: &Vec<f64>| row.iter().map(|v| v * scale).collect();
                let rows = self.rows.iter().map(times).collect();
                changes.push((name, Problem { rows, positive: self.positive.clone() }));
            }
        }
        changes
    }

    fn columns(&self) -> usize {
        self.rows[0].len()
    }
}

#[test]
fn hexadecimal_floats_are_exact() {
    assert_eq!(hexadecimal("0x1.8p-3"), Some(0.1875));
    assert_eq!(hexadecimal("-0x1p-1074"), Some(-f64::from_bits(1)));
    assert_eq!(hexadecimal("0x1.fffffffffffffp1023"), Some(f64::MAX));
    assert_eq!(hexadecimal("0x1.0000000000001p0"), Some(1.0 + f64::EPSILON));
    for wrong in ["0x1p1024", "0x1p-1075", "0x3p-1075", "0x1.00000000000001p0", "1p3", "0x1"] {
        assert_eq!(hexadecimal(wrong), None, "{wrong}");
    }
}
