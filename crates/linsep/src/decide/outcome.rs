//! What comes out: a verdict with what it rests on, or why there is none.

use dashu_int::IBig;
use linsep_proof::{Conflict, MarginBounds, MarginKind, Overlap, Proof, RowWeights, Verdict};

use super::budget::Limit;
use crate::Hyperplane;

/// A decision: the outcome, and what it took.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// What was found out.
    pub outcome: Outcome,
    /// Two rows of the conflict that are the same row under both labels, the earlier first, if there are
    /// such.
    pub contradiction: Option<(usize, usize)>,
    /// The way on which it was found.
    pub way: Way,
    /// True if a step of the plan, the dual problem, was left out because it needs all rows in memory and they
    /// do not fit: others took its place.
    pub left_out: bool,
    /// True if a limit kept the search from its goal, an answer or the largest margin: to go on may tell more.
    pub unfinished: bool,
    /// Reads of all rows, those that prove the answer and those that [draw](Decision::drew) it included.
    pub passes: u64,
    /// How many of them proved the answer and bounded its margin.
    pub proving_passes: u64,
    /// How many of them were made to draw the answer.
    pub drawing_passes: u64,
    /// Time.
    pub seconds: f64,
}

/// What was found out. Every outcome except `Undecided` carries a proof that the checker has accepted.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Some hyperplane puts every row strictly on its own side.
    Separable {
        /// Such a hyperplane. Where only integers separate, it is the nearest to them that floats have.
        hyperplane: Hyperplane,
        /// Bounds on the largest margin; the lower one is the hyperplane's own.
        margin: MarginBounds,
        /// The proof.
        proof: Proof,
    },
    /// None does, but some hyperplane puts no row on the wrong side, and not all rows on itself.
    QuasiSeparable {
        /// Rows that rule a strict separation out.
        overlap: Overlap,
        /// A hyperplane that puts no row on the wrong side, and some row strictly on its own.
        separator: WeakSeparator,
        /// The proof.
        proof: Proof,
        /// The nearest to a strict separation that was met.
        closest: Closest,
    },
    /// Not even that.
    Inseparable {
        /// Rows that rule every separation out, strict or weak.
        overlap: Overlap,
        /// The proof.
        proof: Proof,
        /// The nearest to a strict separation that was met.
        closest: Closest,
    },
    /// A limit was reached before an answer was proven.
    Undecided {
        /// Which.
        because: Limit,
        /// Rows that rule a strict separation out, which the checker has accepted, if any were found:
        /// then only weak separation is open.
        conflict: Option<Conflict>,
        /// The proof of that.
        proof: Option<Proof>,
        /// The nearest to a strict separation that was met.
        closest: Closest,
    },
}

/// The hyperplane with the fewest mistakes that was met, and what is known about margins.
#[derive(Clone, Debug)]
pub struct Closest {
    /// The hyperplane, if one was met.
    pub hyperplane: Option<Hyperplane>,
    /// Bounds on the largest margin. The lower one, that of the hyperplane, is negative where it makes
    /// mistakes.
    pub margin: MarginBounds,
}

/// A hyperplane W·x + B with integer weights that puts no row on the wrong side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeakSeparator {
    /// One weight per feature.
    pub weights: Vec<IBig>,
    /// The bias.
    pub bias: IBig,
}

/// Which way the engine took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Working set and point of smallest norm.
    WorkingSet,
    /// L-BFGS on the logistic loss.
    Smooth,
    /// Dual coordinate descent.
    Dual,
    /// Integers alone, where floats were at their end.
    Exact,
    /// One row under both labels.
    Duplicates,
    /// The working set in coordinates that do not nearly depend on each other.
    Ladder,
    /// Newton's method on some rows.
    Newton,
}

impl Outcome {
    /// Returns the rows that rule a strict separation out, in integers, if such were found.
    pub fn conflict(&self) -> Option<&Conflict> {
        match self {
            Outcome::Separable { .. } => None,
            Outcome::QuasiSeparable { overlap, .. } | Outcome::Inseparable { overlap, .. } => {
                overlap.conflict()
            }
            Outcome::Undecided { conflict, .. } => conflict.as_ref(),
        }
    }

    /// Returns the rows that rule a strict separation out, or every one, of a verdict that says so.
    pub fn overlap(&self) -> Option<&Overlap> {
        match self {
            Outcome::QuasiSeparable { overlap, .. } | Outcome::Inseparable { overlap, .. } => {
                Some(overlap)
            }
            Outcome::Separable { .. } | Outcome::Undecided { .. } => None,
        }
    }

    /// Returns the weights of rows whose matrix rules a separation out, if that is what shows it.
    pub fn matrix(&self) -> Option<&RowWeights> {
        match self.overlap() {
            Some(Overlap::Matrix(weights)) => Some(weights),
            _ => None,
        }
    }
}

impl Decision {
    /// Returns what is known where a limit was reached before anything was asked: nothing.
    pub(crate) fn unasked(kind: MarginKind, because: Limit) -> Self {
        let margin = MarginBounds { kind, lower: kind.least(), upper: kind.most() };
        let closest = Closest { hyperplane: None, margin };
        Decision {
            outcome: Outcome::Undecided { because, conflict: None, proof: None, closest },
            contradiction: None,
            way: Way::WorkingSet,
            left_out: false,
            unfinished: true,
            passes: 0,
            proving_passes: 0,
            drawing_passes: 0,
            seconds: 0.0,
        }
    }

    /// Returns the verdict; none if undecided.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.outcome {
            Outcome::Separable { .. } => Some(Verdict::Separable),
            Outcome::QuasiSeparable { .. } => Some(Verdict::QuasiSeparable),
            Outcome::Inseparable { .. } => Some(Verdict::Inseparable),
            Outcome::Undecided { .. } => None,
        }
    }

    /// Counts passes that were made to draw the answer, and the seconds that they took.
    pub fn drew(&mut self, passes: u64, seconds: f64) {
        self.passes += passes;
        self.drawing_passes += passes;
        self.seconds += seconds;
    }

    /// Returns the verdict in a word; "undecided" if there is none.
    pub fn word(&self) -> String {
        self.verdict().map_or("undecided".to_string(), |verdict| verdict.to_string())
    }

    /// Returns why there is no verdict; none if there is one.
    pub fn because(&self) -> Option<Limit> {
        match self.outcome {
            Outcome::Undecided { because, .. } => Some(because),
            _ => None,
        }
    }

    /// Returns the proof of the verdict. If undecided, returns the proof that no hyperplane separates strictly, if
    /// rows that rule it out were found.
    pub fn proof(&self) -> Option<&Proof> {
        match &self.outcome {
            Outcome::Separable { proof, .. }
            | Outcome::QuasiSeparable { proof, .. }
            | Outcome::Inseparable { proof, .. } => Some(proof),
            Outcome::Undecided { proof, .. } => proof.as_ref(),
        }
    }

    /// Returns the rows that rule a strict separation out, in integers, if such were found.
    pub fn conflict(&self) -> Option<&Conflict> {
        self.outcome.conflict()
    }

    /// Returns true if it is known that no hyperplane separates strictly.
    pub fn is_ruled_out(&self) -> bool {
        self.ruled_out_by().is_some()
    }

    /// Returns what shows that no hyperplane separates strictly, in a word; none if that is not known.
    pub fn ruled_out_by(&self) -> Option<&'static str> {
        match self.outcome.matrix() {
            Some(_) => Some("matrix"),
            None => self.conflict().map(|_| "conflict"),
        }
    }

    /// Returns the rows that together rule a strict separation out, rising; none where none are known.
    pub fn conflicting_rows(&self) -> Vec<usize> {
        match self.outcome.overlap() {
            Some(overlap) => overlap.rows(),
            None => self.conflict().map(Conflict::rows).unwrap_or_default(),
        }
    }

    /// Returns the same rows, those first that are worth a look.
    pub fn telling_rows(&self) -> Vec<usize> {
        match self.outcome.overlap() {
            Some(overlap) => overlap.heaviest(),
            None => self.conflicting_rows(),
        }
    }

    /// Returns them with how many times each is taken or, of a matrix, what each weighs.
    pub fn shares(&self) -> Vec<(usize, String)> {
        if let Some(weights) = self.outcome.matrix() {
            let weights: std::collections::HashMap<usize, f64> = weights.iter().collect();
            return self.telling_rows().into_iter().map(|k| (k, weights[&k].to_string())).collect();
        }
        let conflict = self.conflict().into_iter().flat_map(Conflict::iter);
        conflict.map(|(row, times)| (row, times.to_string())).collect()
    }

    /// Returns the separating hyperplane, or the one with the fewest mistakes that was met.
    pub fn hyperplane(&self) -> Option<&Hyperplane> {
        match &self.outcome {
            Outcome::Separable { hyperplane, .. } => Some(hyperplane),
            Outcome::QuasiSeparable { closest, .. }
            | Outcome::Inseparable { closest, .. }
            | Outcome::Undecided { closest, .. } => closest.hyperplane.as_ref(),
        }
    }

    /// Returns bounds on the largest margin.
    pub fn margin(&self) -> MarginBounds {
        match &self.outcome {
            Outcome::Separable { margin, .. } => *margin,
            Outcome::QuasiSeparable { closest, .. }
            | Outcome::Inseparable { closest, .. }
            | Outcome::Undecided { closest, .. } => closest.margin,
        }
    }
}
