//! Is there a linear classifier, the largest of one score per class wins, that makes no mistake?
//!
//! ```text
//! asked     w_k, b_k for each class k such that w_c·x + b_c > w_k·x + b_k for every row x of class c and k ≠ c
//! as one    (e_c - e_k) ⊗ (x, 1), for every row and every k ≠ c: is some w strictly positive on all of them?
//! ```
//!
//! These are Kesler's rows, and the structure vectors of a multinomial model with a constant: such a classifier exists
//! exactly if its rows are completely separated. So the proof is one about that model.
//!
//! Most answers do not need that question, which has K - 1 times as many rows and features:
//!
//! ```text
//! each class separable from the rest   their hyperplanes are such a classifier
//! a pair of classes not separable      no such classifier exists: w_a - w_b would separate them
//! softmax                              hyperplanes that make no mistake, met on the way down
//! else                                 the engine decides about Kesler's rows, made block by block
//! ```
//!
//! Reference: R. Duda, P. Hart, Pattern Classification and Scene Analysis (1973), 5.12 (Kesler's construction).

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use linsep_proof::IBig;
use linsep_proof::proof::Claim;
use linsep_proof::structure::{Model, Response, Structure, Vector};
use linsep_proof::{
    Conflict, MarginKind, Proof, Separator, name_data, prove_separable, verify_data_until,
};

use super::Versus;
use super::softmax::Softmax;
use crate::data::require_memory;
use crate::data::samples::Classes;
use crate::decide::{ConflictForm, Deadline, DecideOptions, Limit, Outcome, decide, decide_data};
use crate::models::SeparationError;
use crate::{Hyperplane, Samples};

/// Steps of the descent before pairs that are still mistaken for one another are looked at, and in all.
const STEPS: [usize; 2] = [60, 600];
/// Steps in a row without fewer mistakes that end it.
const PATIENCE: usize = 100;

/// Whether a linear classifier makes no mistake on all classes at once.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Argmax {
    /// What was found out.
    pub linear: Linear,
    /// The proof, which the checker has accepted: of the multinomial model of the rows.
    pub proof: Option<Proof>,
    /// Time.
    pub seconds: f64,
}

/// What was found out.
#[derive(Clone, Debug)]
pub enum Linear {
    /// Some classifier makes no mistake.
    Exists {
        /// One hyperplane per class: the class of a row is the one with the largest w·x + b.
        planes: Vec<Hyperplane>,
    },
    /// None does.
    Not {
        /// Two classes that no hyperplane tells apart, where that is the reason.
        pair: Option<[usize; 2]>,
        /// Rows that rule it out, rising.
        rows: Vec<usize>,
    },
    /// A limit was reached first.
    Undecided {
        /// Which.
        because: Limit,
    },
}

impl Argmax {
    /// Returns true if some classifier makes no mistake, false if none does.
    pub fn exists(&self) -> Option<bool> {
        match self.linear {
            Linear::Exists { .. } => Some(true),
            Linear::Not { .. } => Some(false),
            Linear::Undecided { .. } => None,
        }
    }
}

/// What is known about two sides already.
#[derive(Clone, Debug)]
pub struct SettledSides<'a> {
    /// The sides.
    pub versus: Versus,
    /// A hyperplane that strictly separates them, if one does.
    pub separator: Option<&'a Hyperplane>,
    /// Rows that rule a strict separation out, counted as in the whole data, if such were found that cancel.
    pub conflict: Option<Conflict>,
    /// Whether none separates them strictly.
    pub ruled_out: bool,
}

/// Returns whether a linear classifier makes no mistake. What is `settled` about the same classes may save
/// the work.
///
/// Errors as [`decide`] does, and if there is no memory for a list of all comparisons of rows with other classes.
///
/// ```
/// use linsep::Samples;
/// use linsep::classes::argmax;
/// use linsep::data::samples::Classes;
/// use linsep::decide::DecideOptions;
///
/// // The middle class is not separable from the rest, and yet the largest of three scores can be right.
/// let samples = Samples::dense(vec![0.0, 1.0, 2.0, 3.0], 1, vec![true, false, false, false])?;
/// let classes = Classes::of(vec!["a".into(), "b".into(), "c".into()], vec![0, 1, 1, 2]);
/// let found = argmax(&samples, &classes, &[], &DecideOptions::default(), None)?;
/// assert_eq!(found.exists(), Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn argmax(
    samples: &Samples,
    classes: &Classes,
    settled: &[SettledSides],
    options: &DecideOptions,
    cancelled: Option<&AtomicBool>,
) -> Result<Argmax, SeparationError> {
    let started = Instant::now();
    let deadline = Deadline::new(options.time_limit, cancelled);
    let response = Response::Categories { codes: classes.codes().to_vec(), count: classes.count() };
    let comparisons = classes.codes().len().saturating_mul(classes.count() - 1);
    require_memory(comparisons.saturating_mul(size_of::<Vector>()) as u64)?;
    let structure = Structure::new(samples.features(), &ARGMAX, &response, None)?;
    let question = Comparisons { samples, classes, structure: &structure, deadline: &deadline };
    let (linear, proof) = question.decide(settled, options)?;
    Ok(Argmax { linear, proof, seconds: started.elapsed().as_secs_f64() })
}

/// The model whose complete separation is the question: Kesler's rows are its structure vectors.
pub const ARGMAX: Model = Model::Multinomial { intercept: true };

type LinearFound = (Linear, Option<Proof>);

struct Comparisons<'a> {
    samples: &'a Samples,
    classes: &'a Classes,
    structure: &'a Structure<'a>,
    deadline: &'a Deadline<'a>,
}

impl Comparisons<'_> {
    fn decide(
        &self,
        settled: &[SettledSides],
        options: &DecideOptions,
    ) -> Result<LinearFound, SeparationError> {
        if let Some(found) = self.by_pairs(settled)? {
            return Ok(found);
        }
        if let Some(found) = self.by_one_vs_rest(settled)? {
            return Ok(found);
        }
        if let Some(found) = self.by_descent(settled)? {
            return Ok(found);
        }
        if let Some(because) = self.deadline.limit() {
            return Ok((Linear::Undecided { because }, None));
        }
        self.by_engine(options)
    }

    /// Returns the answer if two classes are known not to be separable.
    fn by_pairs(&self, settled: &[SettledSides]) -> Result<Option<LinearFound>, SeparationError> {
        // Those that cancel already come first.
        let mut inseparable: Vec<&SettledSides> =
            settled.iter().filter(|known| known.ruled_out).collect();
        inseparable.sort_by_key(|known| known.conflict.is_none());
        for known in inseparable {
            let Versus::Pair { negative, positive } = known.versus else { continue };
            let pair = [negative, positive];
            let found = match &known.conflict {
                Some(conflict) => self.ruled_out(pair, conflict)?,
                None => self.ask_pair(pair)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the answer if no hyperplane tells two classes apart.
    fn ask_pair(&self, pair: [usize; 2]) -> Result<Option<LinearFound>, SeparationError> {
        let [negative, positive] = pair;
        let (rows, samples) =
            (self.classes.rows_of(&pair), self.classes.pair(self.samples, negative, positive)?);
        // In integers: they are compared with the other class as they stand.
        let options = DecideOptions::default()
            .with_conflict(ConflictForm::Exact)
            .with_time_limit(self.deadline.left());
        let decision = decide(&samples, &options, &mut &*self.deadline)?;
        match decision.conflict() {
            Some(conflict) => self.ruled_out(pair, &conflict.clone().renumbered(|row| rows[row])),
            None => Ok(None),
        }
    }

    /// Returns the answer for rows of two classes that conflict: each is compared with the other class.
    fn ruled_out(
        &self,
        pair: [usize; 2],
        conflict: &Conflict,
    ) -> Result<Option<LinearFound>, SeparationError> {
        let mut compared: Vec<(usize, IBig)> = vec![];
        for (row, multiplier) in conflict.iter() {
            let own = self.classes.codes()[row] as usize;
            let vector = self.comparison(row, if own == pair[0] { pair[1] } else { pair[0] });
            // On both sides, as vectors without a constant are shown.
            compared.extend([2 * vector, 2 * vector + 1].map(|side| (side, multiplier.clone())));
        }
        let claim = Claim::not_strictly_separable(Conflict::from(compared));
        let rows = conflict.rows();
        let not = |proof| (Linear::Not { pair: Some(pair), rows }, Some(proof));
        Ok(self.proof(claim)?.map(not))
    }

    /// Returns the number of the vector that compares a row with another class.
    fn comparison(&self, row: usize, other: usize) -> usize {
        let own = self.classes.codes()[row] as usize;
        let place = if other < own { other } else { other - 1 };
        let number = row * (self.classes.count() - 1) + place;
        debug_assert!(
            self.structure.vector(number).is_some_and(|v| (v.row, v.other) == (row, other))
        );
        number
    }

    /// Returns the answer if each class is known to be separable from the rest.
    fn by_one_vs_rest(
        &self,
        settled: &[SettledSides],
    ) -> Result<Option<LinearFound>, SeparationError> {
        let mut planes = vec![None; self.classes.count()];
        for known in settled {
            if let Versus::OneVsRest { positive } = known.versus {
                planes[positive] = known.separator.cloned();
            }
        }
        match planes.into_iter().collect::<Option<Vec<Hyperplane>>>() {
            Some(planes) => self.exists(planes),
            None => Ok(None),
        }
    }

    /// Returns the answer if the checker agrees that the hyperplanes make no mistake.
    fn exists(&self, planes: Vec<Hyperplane>) -> Result<Option<LinearFound>, SeparationError> {
        // Only differences matter: the first class is the one that the others are measured against.
        let first = &planes[0];
        let mut weights = vec![];
        for plane in &planes[1..] {
            weights.push(plane.bias - first.bias);
            weights.extend(plane.weights.iter().zip(&first.weights).map(|(own, base)| own - base));
        }
        let planes = self.planes(&weights);
        let kind = MarginKind::Angular;
        let claimed = (weights, 0.0);
        let proven = prove_separable(self.structure, None, kind, claimed, &Default::default())?;
        Ok(match proven {
            Ok(Separator { proof, .. }) => {
                Some((Linear::Exists { planes }, Some(proof.of_model(ARGMAX, None))))
            }
            Err(_) => None,
        })
    }

    /// Returns one hyperplane per class, given those of all but the first, which is zero: the bias before the weights.
    fn planes(&self, weights: &[f64]) -> Vec<Hyperplane> {
        let columns = self.samples.columns();
        let own = weights.chunks_exact(columns + 1);
        let own = own.map(|own| Hyperplane { weights: own[1..].to_vec(), bias: own[0] });
        let base = Hyperplane { weights: vec![0.0; columns], bias: 0.0 };
        [base].into_iter().chain(own).collect()
    }

    /// Looks for hyperplanes, and at the pairs of classes that they take for one another.
    fn by_descent(&self, settled: &[SettledSides]) -> Result<Option<LinearFound>, SeparationError> {
        let mut descent = Softmax::new(self.samples, self.classes);
        let (mut fewest, mut since) = (u64::MAX, 0);
        for step in 1..=STEPS[1] {
            if self.deadline.halted() {
                return Ok(None);
            }
            let moved = descent.step();
            let mistakes = descent.mistakes();
            if mistakes == 0
                && let Some(found) = self.exists(descent.planes())?
            {
                return Ok(Some(found));
            }
            since = if mistakes < fewest { 0 } else { since + 1 };
            fewest = fewest.min(mistakes);
            let last = !moved || since >= PATIENCE || step == STEPS[1];
            if (step == STEPS[0] || last)
                && let Some(found) = self.mistaken(&descent, settled)?
            {
                return Ok(Some(found));
            }
            if last {
                break;
            }
        }
        Ok(None)
    }

    /// Returns the answer if no hyperplane tells two classes apart that are taken for one another.
    fn mistaken(
        &self,
        descent: &Softmax,
        settled: &[SettledSides],
    ) -> Result<Option<LinearFound>, SeparationError> {
        for ([negative, positive], _) in descent.mistaken() {
            let own = |known: &&SettledSides| known.versus == Versus::Pair { negative, positive };
            if settled.iter().find(own).is_some_and(|known| known.separator.is_some()) {
                continue;
            }
            if let Some(found) = self.ask_pair([negative, positive])? {
                return Ok(Some(found));
            }
            if self.deadline.halted() {
                break;
            }
        }
        Ok(None)
    }

    /// Asks the engine about all comparisons.
    fn by_engine(&self, options: &DecideOptions) -> Result<LinearFound, SeparationError> {
        let limits = options.clone().with_time_limit(self.deadline.left());
        let decision = decide_data(self.structure, &limits, &mut &*self.deadline)?;
        let proof = decision.proof().map(|proof| proof.clone().of_model(ARGMAX, None));
        let linear = match &decision.outcome {
            Outcome::Separable { hyperplane, .. } => {
                Linear::Exists { planes: self.planes(&hyperplane.weights) }
            }
            Outcome::Undecided { because, conflict: None, .. } => {
                Linear::Undecided { because: *because }
            }
            _ => {
                let row = |vector: usize| Some(self.structure.vector(vector / 2)?.row);
                let rows = decision.conflicting_rows().into_iter().filter_map(row);
                let mut rows: Vec<usize> = rows.collect();
                rows.sort_unstable();
                rows.dedup();
                Linear::Not { pair: None, rows }
            }
        };
        Ok((linear, proof))
    }

    /// Returns the proof of a claim about all comparisons, if the checker accepts it before the limit or soon after.
    fn proof(&self, claim: Claim) -> Result<Option<Proof>, SeparationError> {
        let named = name_data(self.structure)?;
        let proof = Proof::about(named.name().clone(), claim);
        let soon = self.deadline.soon();
        let checked = verify_data_until(self.structure, &proof, Some(&named), &soon)?;
        let accepted = checked.is_some_and(|checked| checked.is_ok());
        Ok(accepted.then(|| proof.of_model(ARGMAX, None)))
    }
}
