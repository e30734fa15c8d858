//! The engine: a small working set finds the candidate, a scan of all data corrects it, and exact
//! arithmetic has the last word.
//!
//! ```text
//! first     where features are many: L-BFGS until no mistake is left; a row under both labels
//!           sparse rows of many features: the dual problem, and nothing of the below
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
use linsep_proof::{
    MarginKind, Proof, Separator, margin_lower_bound, margin_upper_bound, prove_separable, verify,
    verify_conflict,
};

use super::alternative::{self, Alternative};
use super::classify::{Class, classify, for_raw_rows};
use super::conflict::{self, Conflict};
use super::duplicates::{alike, contradiction};
use super::face::{integer_row, rounded};
use super::min_norm_point::Corral;
use super::scan::Scan;
use super::smooth::Descent;
use crate::data::Features;
use crate::lift::Rows;
use crate::{Hyperplane, Samples};

/// From this dimension on the smooth phase comes first: the inner solve would dominate.
const SMOOTH_DIMENSION: usize = 700;
/// From this dimension on sparse rows are left to the dual problem at once: a step of the smooth phase
/// is long, whatever the rows.
const DUAL_DIMENSION: usize = 10_000;
/// Passes that the smooth phase may take before the working set takes over.
const SMOOTH_PASSES: u64 = 80;
/// The working set starts with this many rows a dimension, and a pass adds at most this many.
pub(super) const ROWS_A_DIMENSION: usize = 20;
pub(super) const ADDED_A_DIMENSION: usize = 4;
/// Values that the working set may start with (1 GiB); it may grow to twice as many.
pub(super) const WORKING_SET_VALUES: usize = 1 << 27;
/// Hyperplanes without a mistake that are kept, should the checker refuse the best.
const CANDIDATES: usize = 4;
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
    /// When its margin is the largest, up to [`DecideOptions::gap`].
    Max,
}

/// How to decide, and for how long.
#[derive(Clone, Debug)]
pub struct DecideOptions {
    /// When a separating hyperplane is good enough; default `Any`.
    pub margin: MarginGoal,
    /// Which margin is bounded, and made the largest; default `Angular`.
    pub kind: MarginKind,
    /// The relative gap between the bounds on the largest margin that ends `Max`; default 1e-6.
    pub gap: f64,
    /// The number of passes after which the answer is `undecided`; default 1000.
    pub max_passes: u64,
    /// The time after which the answer is `undecided`; default none.
    pub time_limit: Option<Duration>,
}

impl Default for DecideOptions {
    fn default() -> Self {
        DecideOptions {
            margin: MarginGoal::Any,
            kind: MarginKind::Angular,
            gap: 1e-6,
            max_passes: 1000,
            time_limit: None,
        }
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
    /// Bounds on the largest margin, as floats have them: the angular one until a separator is known.
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
    /// Dual coordinate descent.
    Dual,
    /// Integers alone, where floats were at their end.
    Exact,
    /// One row under both labels.
    Duplicates,
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
    /// Which margin the bounds are about.
    pub kind: MarginKind,
    /// Bounds on the largest margin, rounding included; negative where none separates. A bound that
    /// is not known is the least, or the most, that a margin can be.
    pub lower: f64,
    /// See `lower`.
    pub upper: f64,
    /// The separating hyperplane, or the best one met. Where only integers separate, it is the
    /// nearest to them that floats have.
    pub hyperplane: Option<Hyperplane>,
    /// The rows that conflict, with their multipliers, rows counted from 0: with these positive
    /// multipliers the rows y (x, 1) add up to zero.
    pub conflict: Vec<(usize, IBig)>,
    /// Two of these rows that are the same row under both labels, if there are such.
    pub contradiction: Option<(usize, usize)>,
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

/// Decides whether `samples` are strictly separable. What is not is left undecided, with the conflict
/// that the checker has accepted: more would take more work to tell.
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
        candidates: vec![],
        upper: (1.0, vec![]),
        nearest: None,
    };
    let decision = engine.verdict();
    if decision.verdict == Verdict::Separable && engine.seeks(MarginKind::Geometric) {
        return engine.nearest_points(decision);
    }
    decision
}

pub(super) struct Engine<'a> {
    pub(super) samples: &'a Samples,
    pub(super) rows: Rows<'a>,
    pub(super) options: &'a DecideOptions,
    /// Whether quasi-separable is to be told from inseparable.
    classified: bool,
    pub(super) watch: &'a mut dyn Watch,
    pub(super) started: Instant,
    pub(super) passes: u64,
    /// The vector with the fewest mistakes, and how many.
    pub(super) best: Option<(u64, Vec<f64>)>,
    /// Hyperplanes without a mistake and their margins, as floats have them: the largest last.
    pub(super) candidates: Vec<(f64, Hyperplane)>,
    /// The smallest upper bound on the angular margin and the weights it comes from.
    pub(super) upper: (f64, Vec<(usize, f64)>),
    /// The weights of the nearest points of both hulls.
    pub(super) nearest: Option<Vec<(usize, f64)>>,
}

impl Engine<'_> {
    fn verdict(&mut self) -> Decision {
        let wide = self.rows.dimension() >= SMOOTH_DIMENSION;
        let sparse = matches!(self.samples.features(), Features::Sparse(_));
        if wide && sparse {
            let short = self.rows.dimension() < DUAL_DIMENSION;
            let found = if short { self.smooth() } else { self.contradiction_among_all() };
            return found.unwrap_or_else(|| self.dual());
        }
        if wide && let Some(decision) = self.smooth().or_else(|| self.widen()) {
            return decision;
        }
        self.working_set()
    }

    /// Returns true if the largest margin of this kind is asked for.
    pub(super) fn seeks(&self, kind: MarginKind) -> bool {
        self.options.margin == MarginGoal::Max && self.options.kind == kind
    }

    /// Decides by one row that stands under both labels, if there is one among these.
    fn contradiction(&mut self, rows: &[usize]) -> Option<Decision> {
        let (first, second) = contradiction(self.samples, rows)?;
        let mut decision = self.prove_classified(vec![(first, IBig::ONE), (second, IBig::ONE)])?;
        decision.way = Way::Duplicates;
        Some(decision)
    }

    fn contradiction_among_all(&mut self) -> Option<Decision> {
        self.passes += 1;
        let all: Vec<usize> = (0..self.rows.len()).collect();
        self.contradiction(&all)
    }

    fn smooth(&mut self) -> Option<Decision> {
        let mut descent = Descent::new(&self.rows);
        while descent.passes() < SMOOTH_PASSES {
            self.passes = descent.passes();
            let first = self.passes == 1;
            let (mistakes, w) = descent.best();
            let w = w.to_vec();
            self.see(mistakes, &w, f64::NEG_INFINITY);
            if mistakes == 0 {
                self.add_candidate(0.0, Hyperplane::from_lifted(w));
                if self.seeks(MarginKind::Angular) {
                    break;
                }
                if let Some(decision) = self.finish(Way::Smooth) {
                    return Some(decision);
                }
            }
            if self.halted() {
                return Some(self.undecided(Way::Smooth));
            }
            let moved = descent.step(&self.rows);
            // Rows that are the same have the same score, but for its sign.
            if first && let Some(decision) = self.contradiction(&alike(descent.scores())) {
                return Some(decision);
            }
            if !moved {
                break;
            }
        }
        self.passes = descent.passes();
        None
    }

    fn working_set(&mut self) -> Decision {
        let (n, dimension) = (self.rows.len(), self.rows.dimension());
        let most = (WORKING_SET_VALUES / dimension).max(2);
        let mut ids = spread(n, (ROWS_A_DIMENSION * dimension).min(most));
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
            if report.mistakes == 0 {
                self.add_candidate(lower, Hyperplane::from_lifted(w));
                let closed = lower >= norm * (1.0 - self.options.gap);
                if (closed || !self.seeks(MarginKind::Angular))
                    && let Some(decision) = self.finish(Way::WorkingSet)
                {
                    return decision;
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

    pub(super) fn halted(&self) -> bool {
        self.halted_after(0)
    }

    /// Returns true if it is time to stop, or would be with so many passes more.
    pub(super) fn halted_after(&self, more: u64) -> bool {
        let cancelled = self.watch.cancelled().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = self.options.time_limit.is_some_and(|limit| self.started.elapsed() >= limit);
        cancelled || late || self.passes + more >= self.options.max_passes
    }

    /// Takes note of a pass.
    pub(super) fn see(&mut self, mistakes: u64, w: &[f64], lower: f64) {
        if self.best.as_ref().is_none_or(|(fewest, _)| mistakes < *fewest) {
            self.best = Some((mistakes, w.to_vec()));
        }
        let pass = Pass { passes: self.passes, mistakes, lower, upper: self.upper.0 };
        self.watch.pass(&pass);
    }

    pub(super) fn add_candidate(&mut self, lower: f64, plane: Hyperplane) {
        let place = self.candidates.partition_point(|(known, _)| *known <= lower);
        self.candidates.insert(place, (lower, plane));
        if self.candidates.len() > CANDIDATES {
            self.candidates.remove(0);
        }
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
                let mut decision = self.prove_classified(for_raw_rows(&shifts, conflict))?;
                decision.way = Way::Exact;
                Some(decision)
            }
            Alternative::Separator(w) => {
                // Rounding may spoil a margin of a unit in the last place; another multiple of w
                // rounds otherwise. What no float can say, integers can.
                let rounded = |k: i32| {
                    let multiple: Vec<IBig> = w.iter().map(|v| v * k).collect();
                    Hyperplane::from_lifted(rounded(&multiple))
                };
                let found = (1..=EXACT_MULTIPLES).find_map(|k| {
                    self.add_candidate(0.0, rounded(k));
                    self.finish(Way::Exact)
                });
                found.or_else(|| self.prove_integers(w.clone(), rounded(1)))
            }
        }
    }

    /// Returns the decision for a separator in integers, if the checker accepts it.
    fn prove_integers(&self, mut w: Vec<IBig>, rounded: Hyperplane) -> Option<Decision> {
        let bias = w.pop().expect("a bias");
        let (kind, rows) = (self.options.kind, self.bounding_rows());
        // That it separates is all that is known about its margin.
        let bounds = (0.0, margin_upper_bound(self.samples, kind, &rows));
        let proof = Proof::separable(self.samples, (w, bias)).with_margin(kind, bounds, &rows);
        verify(self.samples, &proof).ok()?;
        Some(self.separable(Way::Exact, rounded, proof, bounds))
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
    pub(super) fn prove_classified(&mut self, conflict: Vec<(usize, IBig)>) -> Option<Decision> {
        let class = match self.classified {
            true => classify(self.samples, conflict, &|| self.halted()),
            false => Class::Unknown(conflict),
        };
        let (verdict, conflict, proof) = match class {
            Class::Inseparable { conflict, orthogonal } => {
                let proof = Proof::inseparable(self.samples, conflict.clone(), orthogonal);
                (Verdict::Inseparable, conflict, proof)
            }
            Class::QuasiSeparable { conflict, weights, bias } => {
                let proof = Proof::quasi_separable(self.samples, conflict.clone(), (weights, bias));
                (Verdict::QuasiSeparable, conflict, proof)
            }
            Class::Unknown(conflict) => {
                verify_conflict(self.samples, &conflict).ok()?;
                let mut decision = self.undecided(Way::WorkingSet);
                decision.contradiction = self.contradiction_in(&conflict);
                decision.conflict = conflict;
                return Some(decision);
            }
        };
        verify(self.samples, &proof).ok()?;
        let mut decision = self.undecided(Way::WorkingSet);
        decision.verdict = verdict;
        decision.contradiction = self.contradiction_in(&conflict);
        decision.conflict = conflict;
        decision.proof = Some(proof);
        Some(decision)
    }

    fn contradiction_in(&self, conflict: &[(usize, IBig)]) -> Option<(usize, usize)> {
        let rows: Vec<usize> = conflict.iter().map(|(row, _)| *row).collect();
        contradiction(self.samples, &rows)
    }

    /// Returns the decision for the best candidate that the checker accepts, if it accepts one.
    pub(super) fn finish(&mut self, way: Way) -> Option<Decision> {
        let (kind, rows) = (self.options.kind, self.bounding_rows());
        while let Some((_, plane)) = self.candidates.pop() {
            let claimed = (plane.weights.clone(), plane.bias);
            if let Ok(proven) = prove_separable(self.samples, kind, claimed, &rows) {
                let Separator { proof, lower, upper } = proven;
                return Some(self.separable(way, plane, proof, (lower, upper)));
            }
        }
        None
    }

    fn separable(
        &self,
        way: Way,
        plane: Hyperplane,
        proof: Proof,
        (lower, upper): (f64, f64),
    ) -> Decision {
        Decision {
            verdict: Verdict::Separable,
            way,
            passes: self.passes,
            kind: self.options.kind,
            lower,
            upper,
            hyperplane: Some(plane),
            conflict: vec![],
            contradiction: None,
            proof: Some(proof),
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    /// Returns the rows that show the best upper bound known, and their weights.
    fn bounding_rows(&self) -> Vec<(usize, f64)> {
        match (self.options.kind, &self.nearest) {
            (MarginKind::Geometric, Some(rows)) => rows.clone(),
            (MarginKind::Angular, _) if !self.upper.1.is_empty() => self.upper.1.clone(),
            (MarginKind::Geometric, None) if self.upper.1.len() > 1 => {
                // A lifted row is the raw one over its length.
                let norms = self.samples.norms();
                self.upper.1.iter().map(|&(row, weight)| (row, weight / norms[row])).collect()
            }
            _ => first_of_each_class(self.samples).map(|row| (row, 1.0)).to_vec(),
        }
    }

    /// Returns what is known so far: a separator that is proven now, or nothing but bounds.
    pub(super) fn undecided(&mut self, way: Way) -> Decision {
        if let Some(decision) = self.finish(way) {
            return decision;
        }
        let kind = self.options.kind;
        let hyperplane = self.best.take().map(|(_, w)| Hyperplane::from_lifted(w));
        let lower = hyperplane
            .as_ref()
            .map_or(kind.least(), |h| margin_lower_bound(self.samples, kind, &h.weights, h.bias));
        Decision {
            verdict: Verdict::Undecided,
            way,
            passes: self.passes,
            kind,
            lower,
            upper: margin_upper_bound(self.samples, kind, &self.bounding_rows()),
            hyperplane,
            conflict: vec![],
            contradiction: None,
            proof: None,
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }
}

/// Returns at most `size` of `n` rows, spread over the data, so that no order can hide a class.
pub(super) fn spread(n: usize, size: usize) -> Vec<usize> {
    let size = size.min(n);
    (0..size).map(|k| (k as u128 * n as u128 / size as u128) as usize).collect()
}

/// Returns the first negative row and the first positive one.
pub(super) fn first_of_each_class(samples: &Samples) -> [usize; 2] {
    [false, true].map(|class| {
        samples.positive().iter().position(|&p| p == class).expect("both classes occur")
    })
}
