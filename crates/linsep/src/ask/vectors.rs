//! What coefficients and structure vectors are called, and the vectors themselves.

use super::AskError;
use super::estimate::{Design, EstimateQuestion};
use crate::models::{Model, Observed, SeparationError, Structure, Vector};

/// What a separated vector excludes. Displayed in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Excluded {
    /// Nothing that has a name: the row's other outcome.
    Other,
    /// A category.
    Category(usize, String),
    /// Categories above or below one.
    Beyond(String),
    /// Another row.
    Row(usize),
}

impl std::fmt::Display for Excluded {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Excluded::Other => Ok(()),
            Excluded::Category(_, name) | Excluded::Beyond(name) => f.write_str(name),
            Excluded::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Returns what a separated vector of a model excludes.
pub(super) fn excluded(
    model: &Model,
    categories: &[String],
    vector: &Vector,
    number: impl Fn(usize) -> usize,
) -> Excluded {
    let category = |k: usize| categories[k].clone();
    let at = vector.at as usize;
    match model {
        Model::Multinomial { .. } | Model::Adjacent { .. } => {
            Excluded::Category(vector.other, category(vector.other))
        }
        Model::Cumulative { .. } | Model::Sequential { .. } if vector.positive => {
            Excluded::Beyond(format!("above {}", category(at)))
        }
        Model::Cumulative { .. } => Excluded::Beyond(format!("below {}", category(at + 1))),
        Model::Sequential { .. } => Excluded::Category(at, category(at)),
        Model::Conditional {} | Model::Cox { .. } => Excluded::Row(number(vector.other)),
        _ => Excluded::Other,
    }
}

/// Returns the names of coefficients, each by its category or threshold, and its column.
pub(super) fn coefficient_names(
    model: &Model,
    categories: &[String],
    column_name: &dyn Fn(usize) -> String,
    coefficients: impl Iterator<Item = (Option<usize>, Option<usize>)>,
) -> Vec<String> {
    let ordered = matches!(
        model,
        Model::Cumulative { .. } | Model::Adjacent { .. } | Model::Sequential { .. }
    );
    let name = |(block, column): (Option<usize>, Option<usize>)| {
        let own = column.map_or_else(|| "intercept".to_string(), column_name);
        match block {
            None => own,
            Some(j) if ordered => {
                let threshold = format!("{} | {}", categories[j], categories[j + 1]);
                if column.is_none() { threshold } else { format!("{threshold}: {own}") }
            }
            Some(c) => format!("{}: {own}", categories[c]),
        }
    };
    coefficients.map(name).collect()
}

/// The structure vectors of a model, in its coefficients.
#[derive(Clone, Debug)]
pub struct StructureVectors {
    /// The names of the coefficients.
    pub coefficients: Vec<String>,
    /// Coefficients and numbers of each vector.
    pub vectors: Vec<Vec<(usize, f64)>>,
    /// What each is made of: its row, and what it excludes if it is separated.
    pub made_of: Vec<(Vector, Excluded)>,
}

impl EstimateQuestion {
    /// Returns the vectors that decide whether the estimate exists. Columns and rows without a name are counted from
    /// `first`.
    ///
    /// Errors if the response has nothing to say.
    pub fn structure_vectors(
        &self,
        design: &Design,
        observed: &Observed,
        first: usize,
    ) -> Result<StructureVectors, AskError> {
        let (model, kept) = (self.model(), observed.kept.as_deref());
        let structure = Structure::new(design.features, &model, &observed.response, kept)
            .map_err(SeparationError::from)?;
        let facts = design.facts();
        let all = 0..structure.vectors();
        let made_of = all.clone().filter_map(|number| structure.vector(number));
        let made_of = made_of.map(|vector| {
            let number = |row| facts.row(row, first);
            (vector, excluded(&model, &observed.categories, &vector, number))
        });
        Ok(StructureVectors {
            coefficients: coefficient_names(
                &model,
                &observed.categories,
                &|column| facts.feature(column, first),
                structure.coefficients().iter().map(|own| (own.block, own.column)),
            ),
            vectors: all.map(|number| structure.in_coefficients(number)).collect(),
            made_of: made_of.collect(),
        })
    }
}
