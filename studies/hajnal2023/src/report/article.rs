//! The study as files: pictures, all tables, and an article whose tables are filled in.

use std::fmt;

use super::cures::Cures;
use super::{heading, pictures, section, tables};
use crate::experiments::study::{EPSILONS, Sizes};
use crate::experiments::{Contender, EXPERIMENTS, Experiment, Measurement};

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// At a tenth of both sides.
    pub tenth: Vec<Measurement>,
    /// At the sizes that the paper states.
    pub stated: Vec<Measurement>,
    /// The study of the two cures.
    pub cures: Cures,
}

impl Study {
    /// Returns what was measured at these sizes.
    pub fn at(&self, sizes: Sizes) -> &[Measurement] {
        match sizes {
            Sizes::Tenth => &self.tenth,
            Sizes::Stated => &self.stated,
        }
    }
}

/// As many runs as the paper has are drawn.
const DRAWN_RUNS: usize = 3;

/// Returns whether the epochs of a run are drawn.
pub fn is_drawn(one: &Measurement) -> bool {
    let contender = match one.contender {
        Contender::Perceptron => true,
        Contender::Fine { epsilon, relaxation } => relaxation == 1.0 && EPSILONS.contains(&epsilon),
        _ => false,
    };
    contender && one.shift == 1.0 && one.run <= DRAWN_RUNS
}

/// Returns the pictures and the tables, with the names of their files.
pub fn files(study: &Study) -> Vec<(String, String)> {
    let mut files = vec![("results.md".to_string(), results(study))];
    for sizes in [Sizes::Tenth, Sizes::Stated] {
        for (experiment, runs) in parts(study.at(sizes)).filter(|(e, _)| e.shift == 1.0) {
            let epsilon = tables::drawn_epsilon(experiment.letter);
            let chart = pictures::mistakes(&experiment, &runs, Some(epsilon));
            let name = format!("{}/{}.svg", sizes.name(), experiment.letter);
            files.push((name, chart.small_svg()));
        }
    }
    if !study.tenth.is_empty() {
        files.push(("epsilon.svg".to_string(), pictures::over_epsilon(&study.tenth).svg()));
        files.push(("shift.svg".to_string(), pictures::over_shift(&study.tenth).svg()));
    }
    files
}

/// Returns `results.md`: every run of the study.
fn results(study: &Study) -> String {
    let mut out = String::from(
        "# Every run of the study\n\n\
         P is the Perceptron, A the paper's method (`fine`), `decide` the deciding engine, whose passes are counted as\n\
         epochs. [README.md](README.md) says what follows from it.\n",
    );
    for sizes in [Sizes::Tenth, Sizes::Stated] {
        for (experiment, runs) in parts(study.at(sizes)) {
            out.push_str(&format!("\n## {}\n\n", heading(&experiment)));
            out.push_str(&section(&experiment, &runs));
        }
    }
    out
}

/// Returns the experiments, each with one shift, and their runs.
fn parts(measured: &[Measurement]) -> impl Iterator<Item = (Experiment, Vec<Measurement>)> {
    let same = |a: &Measurement, b: &Measurement| (a.letter, a.shift) == (b.letter, b.shift);
    measured.chunk_by(same).filter_map(|runs| {
        let Measurement { letter, rows, features, shift, .. } = *runs.first()?;
        let stated = EXPERIMENTS.iter().find(|experiment| experiment.letter == letter)?;
        Some((Experiment { rows, features, shift, ..stated.clone() }, runs.to_vec()))
    })
}

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end of table -->";

/// Why an article cannot be filled.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadArticle {
    /// It asks for a table that there is not.
    UnknownTable(String),
    /// A table has no end.
    NoEnd(String),
}

impl fmt::Display for BadArticle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadArticle::UnknownTable(name) => write!(f, "there is no table {name:?}"),
            BadArticle::NoEnd(name) => write!(f, "table {name:?} does not end with {END}"),
        }
    }
}

impl std::error::Error for BadArticle {}

/// Returns the article with its tables filled: what stands between `<!-- table: NAME -->` and
/// `<!-- end of table -->` is replaced.
///
/// Errors if there is no such table, or if it does not end.
pub fn filled(article: &str, study: &Study) -> Result<String, BadArticle> {
    let mut out = String::new();
    let mut rest = article;
    while let Some(begin) = rest.find(BEGIN) {
        let (before, after) = rest.split_at(begin + BEGIN.len());
        let name = after.split(" -->").next().unwrap_or_default();
        let table = tables::by_name(name, study)
            .ok_or_else(|| BadArticle::UnknownTable(name.to_string()))?;
        let end = after.find(END).ok_or_else(|| BadArticle::NoEnd(name.to_string()))?;
        out.push_str(&format!("{before}{name} -->\n\n{table}\n{END}"));
        rest = &after[end + END.len()..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_filled_and_the_rest_stays() {
        let article = "Before\n<!-- table: verdicts -->\nold\n<!-- end of table -->\nafter\n";
        let study = Study::default();
        let once = filled(article, &study).unwrap();
        assert!(once.starts_with("Before\n<!-- table: verdicts -->\n\n| data sets"), "{once}");
        assert!(once.ends_with("|\n\n<!-- end of table -->\nafter\n") && !once.contains("old"));
        assert_eq!(filled(&once, &study).as_ref(), Ok(&once));
        let unknown = article.replace("verdicts", "none");
        assert_eq!(filled(&unknown, &study), Err(BadArticle::UnknownTable("none".into())));
        let endless = article.replace("end of table", "");
        assert_eq!(filled(&endless, &study), Err(BadArticle::NoEnd("verdicts".into())));
    }
}
