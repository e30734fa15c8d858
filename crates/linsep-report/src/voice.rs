//! What a reader can do next, as a value: renderers say what, each front end how it is written there.

use std::path::Path;

use linsep::ask::{CitedRows, DataFacts};
use linsep::data::error::Foreign;

/// Something that a reader can do next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Remedy<'a> {
    /// Set an option, to a value if one is named.
    Option {
        /// Its name, words with `_` between them.
        name: &'static str,
        /// The value.
        value: Option<&'a str>,
    },
    /// Keep the proof.
    KeepProof,
    /// Keep all proofs.
    KeepProofs,
    /// See all weights of the hyperplane of a proof.
    SeeWeights,
    /// See all weights of a model.
    SeeModel,
    /// See all of a list: of what the answer calls so.
    SeeAll(&'static str),
    /// See more rows of a ranking.
    SeeRanking,
    /// Go on from a checkpoint, with a larger limit on passes if one was set.
    Resume {
        /// The checkpoint.
        checkpoint: &'a Path,
        /// Whether passes were limited.
        passes: bool,
    },
    /// Decide whether another hyperplane does better.
    Decide,
    /// Ask about many classes at once.
    ManyClasses,
}

/// How a file that cannot be read becomes one that can.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Conversion {
    /// It is something else than a table.
    Foreign(Foreign),
    /// Its text is of another encoding.
    Encoding,
    /// Its decimal points are commas.
    DecimalComma,
    /// It does not exist.
    NoFile,
}

/// How a front end speaks: where it counts from, and how it spells remedies.
pub trait Voice {
    /// Returns the number of the first row, and of the first feature that has no name.
    fn first(&self) -> usize;

    /// Returns how a remedy is written, as a phrase that says what it does.
    fn spell(&self, remedy: Remedy) -> String;

    /// Returns how to make a table of a file, if there is a way.
    fn convert(&self, _conversion: Conversion, _file: &str) -> Option<String> {
        None
    }

    /// Returns an option as it is written, with its value if one is named: `--missing drop`, `missing="drop"`.
    fn option(&self, name: &'static str, value: Option<&str>) -> String {
        self.spell(Remedy::Option { name, value })
    }

    /// Returns what a row is called: its name, or its number.
    fn row(&self, data: &DataFacts, rows: &CitedRows, row: usize) -> String {
        match rows.name(row) {
            Some(name) => name.to_string(),
            None => data.row(row, self.first()).to_string(),
        }
    }

    /// Returns what a feature is called.
    fn feature(&self, data: &DataFacts, feature: usize) -> String {
        data.feature(feature, self.first())
    }
}

/// The voice of the library: rows count from 1, and remedies name methods of its types.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Voice for Plain {
    fn first(&self) -> usize {
        1
    }

    fn spell(&self, remedy: Remedy) -> String {
        match remedy {
            Remedy::Option { name, value: None } => name.to_string(),
            Remedy::Option { name, value: Some(value) } => format!("{name}: {value}"),
            Remedy::KeepProof => "`Proof::to_json` keeps it".to_string(),
            Remedy::KeepProofs => "`ClassesAnswer::write_proofs` keeps them".to_string(),
            Remedy::SeeWeights => "`Decision::hyperplane` has them".to_string(),
            Remedy::SeeModel => "`SavedModel::to_json` keeps them".to_string(),
            Remedy::SeeAll(_) | Remedy::SeeRanking => "the answer has all".to_string(),
            Remedy::Resume { checkpoint, .. } => {
                format!("`resume` goes on from {}", checkpoint.display())
            }
            Remedy::Decide => "`DecideQuestion`".to_string(),
            Remedy::ManyClasses => "`ClassesQuestion` asks about all".to_string(),
        }
    }
}
