//! The engine: a small working set finds the candidate, a scan of all data corrects it, and exact
//! arithmetic has the last word.
//!
//! ```text
//! first     where features are many: a row under both labels; L-BFGS until a pass shows no mistake
//! repeat    p = point of smallest norm of the working set       (warm start)
//!           scan all rows with w = p: lower = smallest score / ‖p‖, upper = ‖p‖
//!           no mistake: prove w; done, or go on until lower and upper meet
//!           p = 0 as far as floats can tell: prove the conflict of the corral
//!           else the rows of smallest score join the working set
//! ```
//!
//! A floating-point threshold is never a verdict: every verdict but `undecided` carries a proof that
//! the checker has accepted, and a refused one sends the engine back to work.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dashu_int::IBig;
use linsep_proof::{Proof, margin_lower_bound, margin_upper_bound, verify};

use super::alternative::{self, Alternative};
use super::classify::{Class, classify, for_raw_rows};
use super::conflict::{self, Conflict};
use super::duplicates::contradiction;
use super::face::{integer_row, rounded};
use super::min_norm_point::Corral;
use super::scan::Scan;
use super::smooth::Descent;
use crate::lift::Rows;
use crate::{Hyperplane, Samples};

/// From this dimension on the smooth phase comes first: the inner solve would dominate.
const SMOOTH_DIMENSION: usize = 700;
/// Passes that the smooth phase may take before the working set takes over.
const SMOOTH_PASSES: u64 = 80;
/// The working set starts with this many rows a dimension, and a pass adds at most this many.
const ROWS_A_DIMENSION: usize = 20;
const ADDED_A_DIMENSION: usize = 4;
/// Values that the working set may start with (1 GiB); it may grow to twice as many.
const WORKING_SET_VALUES: usize = 1 << 27;
/// Under this norm p may be zero, and the corral is worth an exact look.
const SUSPICIOUS: f64 = 1e-7;
/// Under this norm p is nothing but rounding, and a scan with it would tell nothing.
const VANISHED: f64 = 1e-13;

/// Data that integers can decide where floats cannot, and how hard they try.
const EXACT_DIMENSION: usize = 40;
const EXACT_VALUES: usize = 200_000;
const EXACT_ROUNDS: usize = 200;
const EXACT_MULTIPLES: i32 = 64;

/// When a separating hyperplane is good enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarginGoal {
    /// As soon as it is proven.
    #[default]
    Any,
    /// When its angular margin is the largest, up to [`DecideOptions::gap`].
    Max,
}

/// How to decide, and for how long.
#[derive(Clone, Debug)]
pub struct DecideOptions {
    /// When a separating hyperplane is good enough; default `Any`.
    pub margin: MarginGoal,
    /// The relative gap between the bounds on the largest margin that ends `Max`; default 1e-6.
    pub gap: f64,
    /// The number of passes after which the answer is `undecided`; default 1000.
    pub max_passes: u64,
    /// The time after which the answer is `undecided`; default none.
    pub time_limit: Option<Duration>,
}

impl Default for DecideOptions {
    fn default() -> Self {
        DecideOptions { margin: MarginGoal::Any, gap: 1e-6, max_passes: 1000, time_limit: None }
    }
}

/// Sees a decision come about. Every hook is optional.
pub trait Watch {
    /// Called after each pass.
    fn pass(&mut self, _pass: &Pass) {}
    /// Returns the flag that ends the work once it is true.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }
}

/// The watch that looks away.
impl Watch for () {}

/// Where the engine stands after a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Passes so far.
    pub passes: u64,
    /// Mistakes of the candidate of this pass.
    pub mistakes: u64,
    /// Bounds on the largest angular margin, as floats have them.
    pub lower: f64,
    /// See `lower`.
    pub upper: f64,
}

/// What the data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Some hyperplane has every row strictly on its own side.
    Separable,
    /// None has, but some has no row on the wrong side, and not all rows on itself.
    QuasiSeparable,
    /// Not even that.
    Inseparable,
    /// A limit was reached first.
    Undecided,
}

/// Which way the engine took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Working set and point of smallest norm.
    WorkingSet,
    /// L-BFGS on the logistic loss.
    Smooth,
    /// Integers alone, where floats were at their end.
    Exact,
}

/// A verdict with its proof.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The way on which it was found.
    pub way: Way,
    /// Full reads of the data.
    pub passes: u64,
    /// Bounds on the largest angular margin, rounding included; negative where none separates.
    pub lower: f64,
    /// See `lower`.
    pub upper: f64,
    /// The separating hyperplane, or the best one met.
    pub hyperplane: Option<Hyperplane>,
    /// The rows that conflict, with their multipliers, rows counted from 0: with these positive
    /// multipliers the rows y (x, 1) add up to zero.
    pub conflict: Vec<(usize, IBig)>,
    /// The proof, which the checker has accepted; none if undecided.
    pub proof: Option<Proof>,
    /// Time.
    pub seconds: f64,
}

/// Decides whether `samples` are separable.
///
/// ```
/// use linsep::Samples;
/// use linsep::decide::{DecideOptions, Verdict, decide};
///
/// let xor = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
/// let samples = Samples::dense(xor, 2, vec![true, true, false, false])?;
/// let decision = decide(&samples, &DecideOptions::default(), &mut ());
/// assert_eq!(decision.verdict, Verdict::Inseparable);
/// assert_eq!(decision.conflict.len(), 4);
/// # Ok::<(), linsep::Error>(())
/// ```
pub fn decide(samples: &Samples, options: &DecideOptions, watch: &mut dyn Watch) -> Decision {
    run(samples, options, watch, true)
}

/// Decides whether `samples` are strictly separable. What is not is called inseparable here, even
/// where it is quasi-separable, which would take more work to tell.
pub(super) fn decide_strictly(
    samples: &Samples,
    options: &DecideOptions,
    watch: &mut dyn Watch,
) -> Decision {
    run(samples, options, watch, false)
}

fn run(
    samples: &Samples,
    options: &DecideOptions,
    watch: &mut dyn Watch,
    classified: bool,
) -> Decision {
    let mut engine = Engine {
        samples,
        rows: Rows::lifted(samples),
        options,
        classified,
        watch,
        started: Instant::now(),
        passes: 0,
        best: None,
        separator: None,
        upper: (1.0, vec![]),
    };
    if engine.rows.dimension() >= SMOOTH_DIMENSION {
        let found = engine.contradiction().or_else(|| engine.smooth());
        if let Some(decision) = found {
            return decision;
        }
    }
    engine.working_set()
}

struct Engine<'a> {
    samples: &'a Samples,
    rows: Rows<'a>,
    options: &'a DecideOptions,
    /// Whether quasi-separable is to be told from inseparable.
    classified: bool,
    watch: &'a mut dyn Watch,
    started: Instant,
    passes: u64,
    /// The vector with the fewest mistakes, and how many.
    best: Option<(u64, Vec<f64>)>,
    /// A proven separator and its margin, as floats have it.
    separator: Option<(f64, Vec<f64>, Proof)>,
    /// The smallest upper bound and the weights it comes from.
    upper: (f64, Vec<(usize, f64)>),
}

impl Engine<'_> {
    /// Decides by one row that stands under both labels, if there is such a row.
    fn contradiction(&mut self) -> Option<Decision> {
        self.passes += 1;
        let (first, second) = contradiction(self.samples)?;
        self.prove_classified(vec![(first, IBig::ONE), (second, IBig::ONE)])
    }

    fn smooth(&mut self) -> Option<Decision> {
        let mut descent = Descent::new(&self.rows);
        let before = self.passes;
        while descent.passes() < SMOOTH_PASSES {
            self.passes = before + descent.passes();
            let (mistakes, w) = (descent.mistakes(), descent.w().to_vec());
            self.see(mistakes, &w, f64::NEG_INFINITY);
            if mistakes == 0 && self.prove_separator(w, 0.0) {
                let go_on = self.options.margin == MarginGoal::Max;
                return if go_on { None } else { self.finish(Way::Smooth) };
            }
            if self.halted() {
                return Some(self.undecided(Way::Smooth));
            }
            if !descent.step(&self.rows) {
                break;
            }
        }
        self.passes = before + descent.passes();
        None
    }

    fn working_set(&mut self) -> Decision {
        let (n, dimension) = (self.rows.len(), self.rows.dimension());
        let most = (WORKING_SET_VALUES / dimension).max(2);
        let size = n.min(ROWS_A_DIMENSION * dimension).min(most);
        // Spread over the data, so that no order of rows can hide a class.
        let mut ids: Vec<usize> =
            (0..size).map(|k| (k as u128 * n as u128 / size as u128) as usize).collect();
        let mut known: HashSet<usize> = ids.iter().copied().collect();
        let mut points = self.rows.fetch(&ids);
        let mut corral = Corral::new(dimension);
        let mut looked_at = SUSPICIOUS;
        loop {
            let halted = || self.halted();
            corral.solve(&ids, &points, &halted);
            if self.halted() {
                return self.undecided(Way::WorkingSet);
            }
            let norm = corral.norm();
            if norm < self.upper.0 {
                self.upper = (norm, corral.members().collect());
            }
            if norm < VANISHED
                && let Some(decision) = self.prove_conflict(&corral)
            {
                return decision;
            }
            let w = corral.p().to_vec();
            let report = self.rows.scan(&w, ADDED_A_DIMENSION * dimension);
            self.passes += 1;
            let lower = report.smallest() / norm;
            self.see(report.mistakes, &w, lower);
            if report.mistakes == 0 && self.prove_separator(w, lower) {
                let closed = lower >= norm * (1.0 - self.options.gap);
                if closed || self.options.margin == MarginGoal::Any {
                    return self.finish(Way::WorkingSet).expect("a separator is proven");
                }
            }
            let room = (2 * most).saturating_sub(ids.len());
            let worst = report.worst.iter().map(|&(_, row)| row);
            let new: Vec<usize> = worst.filter(|&row| known.insert(row)).take(room).collect();
            if norm < looked_at || new.is_empty() {
                looked_at = norm / 100.0;
                if norm < SUSPICIOUS
                    && let Some(decision) = self.prove_conflict(&corral)
                {
                    return decision;
                }
            }
            if new.is_empty() {
                // Nothing is left to learn, or no room for it: floats are at their end.
                return match self.finish(Way::WorkingSet).or_else(|| self.exactly(&corral)) {
                    Some(decision) => decision,
                    None => self.undecided(Way::WorkingSet),
                };
            }
            points.extend(self.rows.fetch(&new));
            ids.extend(new);
        }
    }

    fn halted(&self) -> bool {
        let cancelled = self.watch.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = self.options.time_limit.is_some_and(|limit| self.started.elapsed() >= limit);
        cancelled || late || self.passes >= self.options.max_passes
    }

    /// Takes note of a pass.
    fn see(&mut self, mistakes: u64, w: &[f64], lower: f64) {
        if self.best.as_ref().is_none_or(|(fewest, _)| mistakes < *fewest) {
            self.best = Some((mistakes, w.to_vec()));
        }
        let pass = Pass { passes: self.passes, mistakes, lower, upper: self.upper.0 };
        self.watch.pass(&pass);
    }

    /// Returns true if the checker accepts w as a separator.
    fn prove_separator(&mut self, w: Vec<f64>, lower: f64) -> bool {
        if self.separator.as_ref().is_some_and(|(known, ..)| *known >= lower) {
            return true;
        }
        let Hyperplane { weights, bias } = Hyperplane::from_lifted(w.clone());
        let proof = Proof::separable(self.samples, weights, bias);
        let accepted = verify(self.samples, &proof).is_ok();
        if accepted {
            self.separator = Some((lower, w, proof));
        }
        accepted
    }

    /// Decides small data in integers, starting from the rows of the corral.
    fn exactly(&mut self, corral: &Corral) -> Option<Decision> {
        let (n, dimension) = (self.samples.rows(), self.rows.dimension());
        if dimension > EXACT_DIMENSION || n * dimension > EXACT_VALUES {
            return None;
        }
        let (vectors, shifts): (Vec<_>, Vec<i32>) =
            (0..n).map(|i| integer_row(self.samples, i)).unzip();
        let start: Vec<usize> = corral.members().map(|(row, _)| row).collect();
        match alternative::decide(&vectors, &start, EXACT_ROUNDS)? {
            Alternative::Conflict(conflict) => {
                self.prove_classified(for_raw_rows(&shifts, conflict))
            }
            Alternative::Separator(w) => {
                // Rounding may spoil a margin of a unit in the last place; another multiple of w
                // rounds otherwise.
                (1..=EXACT_MULTIPLES)
                    .map(|k| rounded(&w.iter().map(|v| v * k).collect::<Vec<IBig>>()))
                    .find(|w| self.prove_separator(w.clone(), 0.0))?;
                self.finish(Way::Exact)
            }
        }
    }

    /// Returns a decision if the checker accepts the conflict of the corral.
    fn prove_conflict(&mut self, corral: &Corral) -> Option<Decision> {
        let (rows, weights): (Vec<usize>, Vec<f64>) = corral.members().unzip();
        let Conflict::Proven(conflict) = conflict::solve(self.samples, &rows, &weights) else {
            return None;
        };
        self.prove_classified(conflict.into_iter().map(|(row, m)| (row, IBig::from(m))).collect())
    }

    /// Returns a decision for a conflict, if the checker accepts it.
    fn prove_classified(&mut self, conflict: Vec<(usize, IBig)>) -> Option<Decision> {
        let class = match self.classified {
            true => classify(self.samples, conflict),
            false => Class::Inseparable(conflict),
        };
        let (verdict, conflict, proof) = match class {
            Class::Inseparable(conflict) => {
                let proof = Proof::inseparable(self.samples, conflict.clone());
                (Verdict::Inseparable, conflict, proof)
            }
            Class::QuasiSeparable { conflict, weights, bias } => {
                let proof = Proof::quasi_separable(self.samples, conflict.clone(), weights, bias);
                (Verdict::QuasiSeparable, conflict, proof)
            }
            Class::Unknown(conflict) => {
                let mut decision = self.undecided(Way::WorkingSet);
                decision.conflict = conflict;
                return Some(decision);
            }
        };
        verify(self.samples, &proof).ok()?;
        let mut decision = self.undecided(Way::WorkingSet);
        decision.verdict = verdict;
        decision.conflict = conflict;
        decision.proof = Some(proof);
        Some(decision)
    }

    /// Returns the decision for the proven separator, if there is one.
    fn finish(&mut self, way: Way) -> Option<Decision> {
        let (_, w, proof) = self.separator.take()?;
        let hyperplane = Hyperplane::from_lifted(w);
        let lower = margin_lower_bound(self.samples, &hyperplane.weights, hyperplane.bias);
        let upper = self.upper_bound();
        let with_margin = proof.clone().with_margin(lower, upper, &self.upper.1);
        // The bounds are those of the checker; still, what it would not accept is not claimed.
        let bracketed = !self.upper.1.is_empty() && verify(self.samples, &with_margin).is_ok();
        let proof = if bracketed { with_margin } else { proof };
        Some(Decision {
            verdict: Verdict::Separable,
            way,
            passes: self.passes,
            lower,
            upper,
            hyperplane: Some(hyperplane),
            conflict: vec![],
            proof: Some(proof),
            seconds: self.started.elapsed().as_secs_f64(),
        })
    }

    fn upper_bound(&self) -> f64 {
        if self.upper.1.is_empty() { 1.0 } else { margin_upper_bound(self.samples, &self.upper.1) }
    }

    /// Returns what is known so far: a proven separator, or nothing but bounds.
    fn undecided(&mut self, way: Way) -> Decision {
        if let Some(decision) = self.finish(way) {
            return decision;
        }
        let hyperplane = self.best.take().map(|(_, w)| Hyperplane::from_lifted(w));
        let lower = hyperplane
            .as_ref()
            .map_or(-1.0, |h| margin_lower_bound(self.samples, &h.weights, h.bias));
        Decision {
            verdict: Verdict::Undecided,
            way,
            passes: self.passes,
            lower,
            upper: self.upper_bound(),
            hyperplane,
            conflict: vec![],
            proof: None,
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }
}
