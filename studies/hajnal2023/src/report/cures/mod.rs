//! The study of the two cures as files and tables.

pub mod csv;
pub mod tables;

use crate::experiments::cures::CureRun;
use crate::experiments::last_phase::LastPhase;

/// What was measured, at whatever sizes and on whatever data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cures {
    /// What contenders did.
    pub trials: Vec<CureRun>,
    /// On which rows the late corrections of the paper's method fall.
    pub phases: Vec<LastPhase>,
}

impl Cures {
    /// Takes in what was measured elsewhere.
    pub fn extend(&mut self, other: Cures) {
        self.trials.extend(other.trials);
        self.phases.extend(other.phases);
    }
}
