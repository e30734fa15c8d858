//! The plan of the study of the paper: which data, and who runs on it.
//!
//! One list serves every table: the experiments themselves, the sweep over epsilon and over relaxation, all on the
//! data with the full shift, and the sweep over the shift.

use super::{Contender, Experiment, Precision};

/// The sizes of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// A tenth of what the paper states, in both directions.
    Tenth,
    /// What the paper states.
    Stated,
}

/// The epsilons that every part of the study has.
pub const EPSILONS: [f64; 2] = [1e-9, 1e-3];
/// The epsilons with which the claims are judged, at either size.
pub const CLAIM_EPSILONS: [f64; 3] = [1e-9, 1e-4, 1e-3];
/// The sweep over epsilon.
pub const EPSILON_SWEEP: [f64; 10] = [1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];
/// Step sizes above the paper's, which is 1.
pub const RELAXATIONS: [f64; 2] = [1.5, 1.9];
/// The sweep over the shift; 1 is the experiments' own.
pub const SHIFT_SWEEP: [f64; 7] = [0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];
/// The shorter sweep at the stated sizes, where data takes 4 GB.
pub const STATED_SHIFT_SWEEP: [f64; 4] = [0.0, 0.1, 0.3, 1.0];
/// Epochs after which a method is stopped, as in the paper.
pub const MAX_EPOCHS: u64 = 1000;

/// One data set of the study.
#[derive(Clone, Debug)]
pub struct StudyStep {
    /// The experiment, with its size and its shift.
    pub experiment: Experiment,
    /// The number of the run, which is also its seed.
    pub run: usize,
    /// Who runs on it.
    pub contenders: Vec<Contender>,
}

impl Sizes {
    /// Returns the name that the program has for them.
    pub fn name(self) -> &'static str {
        match self {
            Sizes::Tenth => "tenth",
            Sizes::Stated => "stated",
        }
    }

    /// Returns the share of the stated sizes.
    pub fn scale(self) -> f64 {
        match self {
            Sizes::Tenth => 0.1,
            Sizes::Stated => 1.0,
        }
    }

    /// Returns the number type of the data: single precision where double would take 8 GB.
    pub fn precision(self) -> Precision {
        match self {
            Sizes::Tenth => Precision::Double,
            Sizes::Stated => Precision::Single,
        }
    }

    /// Returns the number of runs: three, as in the paper, where a run takes minutes.
    pub fn runs(self) -> usize {
        match self {
            Sizes::Tenth => 10,
            Sizes::Stated => 3,
        }
    }
}

/// Returns the data sets of one of the paper's experiments in the order in which they are run.
///
/// `scale` shrinks the sizes further, for a try; `runs` replaces the number of runs.
pub fn steps(stated: &Experiment, sizes: Sizes, scale: f64, runs: Option<usize>) -> Vec<StudyStep> {
    let runs = runs.unwrap_or(sizes.runs());
    let shifts: &[f64] = match sizes {
        Sizes::Tenth => &SHIFT_SWEEP,
        Sizes::Stated => &STATED_SHIFT_SWEEP,
    };
    let experiment = stated.scaled(sizes.scale() * scale);
    let of_shift = |&shift: &f64| {
        // Of the stated sizes, other shifts than 1 are tried on one data set each.
        let runs = if shift == 1.0 || sizes == Sizes::Tenth { runs } else { 1 };
        let experiment = experiment.shifted(shift);
        (1..=runs).map(move |run| StudyStep {
            experiment: experiment.clone(),
            run,
            contenders: contenders(sizes, shift),
        })
    };
    shifts.iter().flat_map(of_shift).collect()
}

fn contenders(sizes: Sizes, shift: f64) -> Vec<Contender> {
    let fine = |epsilon: f64, relaxation: f64| Contender::Fine { epsilon, relaxation };
    let epsilons: &[f64] = match (sizes, shift) {
        (Sizes::Tenth, 1.0) => &EPSILON_SWEEP,
        (Sizes::Stated, 1.0) => &CLAIM_EPSILONS,
        _ => &EPSILONS,
    };
    let mut all = vec![Contender::Perceptron];
    all.extend(epsilons.iter().map(|&epsilon| fine(epsilon, 1.0)));
    if shift == 1.0 {
        let relaxed = |&epsilon: &f64| RELAXATIONS.map(|relaxation| fine(epsilon, relaxation));
        all.extend(EPSILONS.iter().flat_map(relaxed));
    }
    all.push(Contender::Engine);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::EXPERIMENTS;

    #[test]
    fn a_plan_holds_the_experiment_and_both_sweeps() {
        let tenth = steps(&EXPERIMENTS[0], Sizes::Tenth, 1.0, None);
        assert_eq!(tenth.len(), 10 * SHIFT_SWEEP.len());
        let own: Vec<&StudyStep> =
            tenth.iter().filter(|step| step.experiment.shift == 1.0).collect();
        assert_eq!((own[0].experiment.rows, own[0].experiment.features), (1_000, 10_000));
        assert_eq!(own[0].contenders.len(), 1 + EPSILON_SWEEP.len() + 4 + 1);
        let stated = steps(&EXPERIMENTS[2], Sizes::Stated, 1.0, None);
        assert_eq!(stated.iter().map(|step| step.run).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 3]);
    }
}
