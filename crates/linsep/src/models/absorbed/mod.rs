//! Models with factors whose levels have a coefficient each: many of them, and never a dense column.
//!
//! ```text
//! factors      levels become dummies of a sparse design, without those that others make up
//! repeat       peel levels whose rows that are left have one outcome                         peeling.rs
//!              ask the engine about the rows that are left, without redundant columns       contested.rs, forest.rs
//!              it separates some: they go, and levels may be peeled again
//! ```
//!
//! The first answer of the engine, with what was peeled before it, is a proof about the design, of a kind that the checker knows: whoever
//! makes the same design by hand can check it. The columns of the model are infinite where a combination of them is one of levels on the rows that
//! are never separated, but not on all rows. Levels are gone where no such row is left of them.

mod contested;
mod factors;
mod forest;
mod peeling;

use dashu_int::IBig;
use dashu_int::ops::BitTest;
use linsep_data::Features;
use linsep_data::samples::SparseBuilder;
use linsep_proof::exact::{ExactSum, parts};
use linsep_proof::proof::Claim;
use linsep_proof::structure::{Coefficient, Model, ModelError, Response, Structure, Trial};
use linsep_proof::{Named, Plane, Proof, Verdict, name_data, verify_data};

use super::allowance::Allowance;
use super::separation::{
    Open, Separation, SeparationError, SeparationKind, SeparationOptions, Sign,
};
use crate::decide::{DecideError, Halt, Limit, Watch};
use contested::{Contested, Evidence, Said, WholeCheck};
pub use factors::Factor;
use factors::LevelDesign;
use forest::free_directions;
use peeling::{Layer, Peel, Seen, direction, peel};

/// Rows of a matrix that are named: those of largest weight.
const MOST_ROWS: usize = 100;

/// What becomes of the levels of a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactorLevels {
    /// How many levels rows that count have.
    pub levels: usize,
    /// How many are a base: what they say, others say together.
    pub bases: usize,
    /// The levels, by their place in the factor, that have no row which is not separated, and where the coefficient of each runs to, along a
    /// direction that separates these rows.
    pub gone: Vec<(usize, Sign)>,
}

/// Returns the design of a model that absorbs factors: its columns and a dummy per level, without the base of each factor. With a
/// constant it spans what all levels do. Rows that are not `counted` have no part in what the bases are.
///
/// The design is sparse, and its proofs are those of [`check_model`](super::check_model) for the same model with a constant.
///
/// # Panics
/// If there is no factor, or if one has not a level per row.
pub fn absorbed_design(
    columns: &Features,
    factors: &[Factor],
    counted: Option<&[bool]>,
) -> Features {
    LevelDesign::new(columns, factors, counted).features
}

/// Returns whether a model whose factors have a coefficient per level has a maximum likelihood estimate: which rows are separated, which
/// columns are infinite or aliased, which levels are gone. The model is binomial, Poisson or negative binomial; its levels include a
/// constant, so that it is to name one.
///
/// The coefficients of the answer are those of the columns alone; the levels are in [`Separation::absorbed`]. What is proven is proven of
/// [`absorbed_design`].
///
/// Errors if the response does not fit the model, or has nothing to say, and if an option is out of its range.
///
/// Cost: linear in the numbers stored, and what the engine takes for the rows that no level separates.
///
/// ```
/// use linsep::data::{Features, samples::Dense};
/// use linsep::models::{Factor, Model, Response, SeparationKind, SeparationOptions, Sign, check_absorbed};
///
/// // Firm c has failures alone.
/// let x = Features::from(Dense::new(vec![1.0, 2.0, 3.0, 2.0, 1.0, 3.0, 1.0, 5.0], 8, 1));
/// let levels = ["a", "b", "c"].map(String::from).to_vec();
/// let firm = Factor { name: "firm".into(), levels, codes: vec![0, 0, 0, 1, 1, 1, 2, 2] };
/// let response = Response::labels(&[true, false, true, true, false, false, false, false]);
/// let model = Model::Binomial { intercept: true };
/// let options = SeparationOptions::default();
/// let found = check_absorbed(&x, &[firm], &model, &response, None, &options, &mut ())?;
/// assert_eq!(found.kind, SeparationKind::QuasiComplete);
/// assert_eq!(found.rows, [6, 7]);
/// assert_eq!(found.absorbed[0].gone, [(2, Sign::Minus)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_absorbed(
    columns: &Features,
    factors: &[Factor],
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    options: &SeparationOptions,
    watch: &mut dyn Watch,
) -> Result<Separation, SeparationError> {
    options.limits.validate().map_err(DecideError::from)?;
    let seen = outcomes(model, response, kept, columns.rows())?;
    let counted: Vec<bool> = seen.iter().map(|seen| seen.success || seen.failure).collect();
    let design = LevelDesign::new(columns, factors, Some(&counted));
    let structure = Structure::new(&design.features, model, response, kept)?;
    let search = AbsorbedSearch::new(columns, model, &design, &structure, seen)?;
    let allowance = Allowance::new(&structure, &options.limits);
    let (left, progress) = search.steps(counted.clone(), &allowance, watch)?;
    let settled = progress.settled;
    let layers = progress.layers.clone();
    let found = {
        let cancelled = watch.cancelled();
        let halt = || allowance.late(cancelled).is_some();
        search.answer(&counted, &left, progress, options, &halt)?
    };
    let mut contested = counted;
    let rows = layers[..settled].iter().flat_map(|layer| &layer.rows);
    rows.for_each(|&row| contested[row as usize] = false);
    Ok(search.with_other_signs(found, &contested, &allowance, watch)?)
}

/// Returns what the rows that count have seen, and nothing for the others.
fn outcomes(
    model: &Model,
    response: &Response,
    kept: Option<&[bool]>,
    rows: usize,
) -> Result<Vec<Seen>, ModelError> {
    let Response::Trials(trials) = response else {
        // It says what is wrong.
        let design = Features::from(linsep_data::samples::Dense::new(vec![0.0; rows], rows, 1));
        Structure::new(&design, model, response, kept)?;
        return Err(ModelError::NothingSaid { what: "rows have no outcomes" });
    };
    let own = |(row, trial): (usize, &Trial)| {
        let counts = kept.is_none_or(|kept| kept.get(row).copied().unwrap_or(false));
        let seen = |a: Trial| counts && (*trial == a || *trial == Trial::Both);
        Seen { success: seen(Trial::Success), failure: seen(Trial::Failure) }
    };
    Ok(trials.iter().enumerate().map(own).collect())
}

/// What is asked about.
struct AbsorbedSearch<'a> {
    columns: &'a Features,
    model: Model,
    design: &'a LevelDesign,
    structure: &'a Structure<'a>,
    named: Named,
    /// The first structure vector of each row.
    first: Vec<u32>,
    seen: Vec<Seen>,
    /// Whether it is given up where only integers may know more.
    brief: bool,
}

/// How far the search has come.
#[derive(Default)]
struct AbsorbedProgress {
    /// The kind, once it is proven, and the proof.
    proven: Option<(SeparationKind, Proof)>,
    /// What went, over all rounds, and how many of the first are levels that went before any column did.
    layers: Vec<Layer>,
    settled: usize,
    /// What each step, the first the largest, does to the columns of the model.
    steps: Vec<Vec<IBig>>,
    conflict: Vec<usize>,
    /// The rank of the rows that are left; 0 if none is.
    rank: usize,
    /// Which columns a direction moves that is zero on the rows that are left.
    moved: Vec<bool>,
    left_out: Vec<usize>,
    stopped: Option<Limit>,
}

impl AbsorbedProgress {
    /// Takes note that a limit was reached, or that something could not be confirmed. Returns false: there is no more to ask.
    fn stop(&mut self, because: Option<Limit>) -> bool {
        self.stopped = Some(because.unwrap_or(Limit::Unconfirmed));
        false
    }
}

impl<'a> AbsorbedSearch<'a> {
    fn new(
        columns: &'a Features,
        model: &Model,
        design: &'a LevelDesign,
        structure: &'a Structure<'a>,
        seen: Vec<Seen>,
    ) -> Result<Self, DecideError> {
        let mut first = vec![u32::MAX; columns.rows()];
        for number in (0..structure.vectors()).rev() {
            first[structure.vector(number).expect("a vector").row] = number as u32;
        }
        let named = name_data(structure)?;
        let brief = false;
        Ok(AbsorbedSearch { columns, model: *model, design, structure, named, first, seen, brief })
    }

    /// Goes all steps; returns the rows that are left.
    fn steps(
        &self,
        mut left: Vec<bool>,
        allowance: &Allowance,
        watch: &mut dyn Watch,
    ) -> Result<(Vec<bool>, AbsorbedProgress), DecideError> {
        let mut progress = AbsorbedProgress::default();
        while progress.stopped.is_none() && self.step(&mut left, &mut progress, allowance, watch)? {
        }
        Ok((left, progress))
    }

    /// Goes one step on: false if there is nothing left to ask.
    fn step(
        &self,
        left: &mut [bool],
        progress: &mut AbsorbedProgress,
        allowance: &Allowance,
        watch: &mut dyn Watch,
    ) -> Result<bool, DecideError> {
        let peeled = self.peel_off(left, progress);
        let rows: Vec<usize> = (0..left.len()).filter(|&row| left[row]).collect();
        if rows.is_empty() {
            if let (None, Some(peeled)) = (&progress.proven, peeled) {
                self.prove(progress, separable(&peeled))?;
            }
            return Ok(false);
        }
        if let Some(because) = allowance.limit(watch.cancelled()) {
            return Ok(progress.stop(Some(because)));
        }
        let contested = {
            let cancelled = watch.cancelled();
            let halt = || allowance.late(cancelled).is_some();
            Contested::new(self.design, self.structure, &self.first, rows, &halt)
        };
        let Some(contested) = contested else {
            return Ok(progress.stop(allowance.late(watch.cancelled())));
        };
        let is_whole = progress.proven.is_none() && peeled.is_none();
        let mut whole = |evidence: &Evidence| match contested.claim(evidence, None) {
            Some(claim) => Ok(self.holds(claim)?.is_some()),
            None => Ok(false),
        };
        let whole: Option<&mut WholeCheck> = if is_whole { Some(&mut whole) } else { None };
        let said = contested.ask(self.structure, self.brief, whole, allowance, watch)?;
        if progress.proven.is_none() {
            let claim = self.first_claim(&contested, &said, peeled.as_deref(), &progress.layers);
            if let Some(claim) = claim {
                self.prove(progress, claim)?;
            }
        }
        self.take(&contested, said, left, progress)
    }

    /// Peels levels and columns off, and returns the direction that does so; nothing if there are none.
    fn peel_off(&self, left: &mut [bool], progress: &mut AbsorbedProgress) -> Option<Vec<IBig>> {
        let layers = peel(self.design, self.columns, &self.seen, left);
        let peeled =
            (!layers.is_empty()).then(|| direction(self.design, self.columns, &self.seen, &layers));
        if progress.steps.is_empty() {
            let is_level = |layer: &&Layer| matches!(layer.what, Peel::Level(_));
            progress.settled = layers.iter().take_while(is_level).count();
        }
        if let Some(peeled) = &peeled {
            progress.steps.push(peeled[..self.design.columns].to_vec());
        }
        progress.layers.extend(layers);
        peeled
    }

    /// Returns what the first answer of the engine, after what was `peeled`, claims of all rows; nothing if it leaves the kind open.
    fn first_claim(
        &self,
        contested: &Contested,
        said: &Said,
        peeled: Option<&[IBig]>,
        layers: &[Layer],
    ) -> Option<Claim> {
        match said {
            Said::Separable(own) => Some(match peeled {
                Some(peeled) => separable(&self.above(peeled, own, layers)),
                None => separable(own),
            }),
            Said::Quasi { separator, evidence } => {
                contested.claim(evidence, Some(peeled.unwrap_or(separator)))
            }
            Said::Inseparable(evidence) => contested.claim(evidence, peeled),
            Said::Undecided(_, evidence) => contested.claim(evidence.as_ref()?, Some(peeled?)),
        }
    }

    /// Takes note of an answer of the engine: true if there is more to ask.
    fn take(
        &self,
        contested: &Contested,
        said: Said,
        left: &mut [bool],
        progress: &mut AbsorbedProgress,
    ) -> Result<bool, DecideError> {
        let width = self.design.columns;
        if let Said::Undecided(because, evidence) = said {
            let rows = evidence.map(|evidence| evidence.rows(self.structure, MOST_ROWS));
            progress.conflict = rows.unwrap_or_default();
            return Ok(progress.stop(Some(because)));
        }
        if progress.proven.is_none() {
            return Ok(progress.stop(None));
        }
        match said {
            Said::Separable(own) => {
                progress.steps.push(own[..width].to_vec());
                left.fill(false);
                Ok(false)
            }
            Said::Quasi { separator, .. } => {
                for row in contested.off(self.structure, &separator)? {
                    left[row] = false;
                }
                progress.steps.push(separator[..width].to_vec());
                Ok(true)
            }
            Said::Inseparable(evidence) => {
                progress.conflict = evidence.rows(self.structure, MOST_ROWS);
                progress.rank = contested.rank();
                (progress.moved, progress.left_out) = moved(&contested.free.combinations, width);
                Ok(false)
            }
            Said::Undecided(..) => unreachable!("dealt with above"),
        }
    }

    /// Returns a proof of the claim that the checker accepts, if it does.
    fn holds(&self, claim: Claim) -> Result<Option<Proof>, DecideError> {
        let proof = Proof::about(self.named.name().clone(), claim);
        let verified = verify_data(self.structure, &proof, Some(&self.named))?;
        Ok(verified.is_ok().then_some(proof))
    }

    /// Takes note of a kind if the checker accepts the claim.
    fn prove(&self, progress: &mut AbsorbedProgress, claim: Claim) -> Result<(), DecideError> {
        let Some(proof) = self.holds(claim)? else {
            return Ok(());
        };
        let kind = match proof.verdict() {
            Verdict::Separable => SeparationKind::Complete,
            Verdict::QuasiSeparable => SeparationKind::QuasiComplete,
            _ => SeparationKind::Overlap,
        };
        progress.proven = Some((kind, proof));
        Ok(())
    }

    /// Returns the sum of a direction that is strict on the rows that went with the layers, and zero on others, and one that is strict on those
    /// others: the first so large that the second undoes nothing.
    fn above(&self, peeled: &[IBig], own: &[IBig], layers: &[Layer]) -> Vec<IBig> {
        let value = |direction: &[IBig], row: usize| {
            let (width, mut sum) = (self.design.features.columns(), ExactSum::default());
            sum.add(direction[width].clone(), 0);
            self.design.features.for_each(row, |k, x| {
                let (mantissa, exponent) = parts(x);
                sum.add(&direction[k] * mantissa, exponent);
            });
            sum
        };
        let size = |sum: ExactSum| {
            let (mantissa, exponent) = sum.into_parts();
            mantissa.bit_len() as i64 + i64::from(exponent)
        };
        let mut shift = 0;
        for &row in layers.iter().flat_map(|layer| &layer.rows) {
            let row = row as usize;
            let (first, second) = (value(peeled, row), value(own, row));
            if second.sign().is_ne() {
                shift = shift.max(size(second) - size(first) + 2);
            }
        }
        peeled.iter().zip(own).map(|(a, b)| (a << shift as usize) + b).collect()
    }

    fn answer(
        &self,
        counted: &[bool],
        left: &[bool],
        progress: AbsorbedProgress,
        options: &SeparationOptions,
        halt: Halt,
    ) -> Result<Separation, DecideError> {
        let width = self.columns.columns();
        let one = |k| Coefficient { block: None, column: Some(k), at: vec![(k, 1.0)] };
        let count = |of: &[bool]| of.iter().filter(|own| **own).count();
        let vectors = self.structure.vectors();
        let nothing = Separation {
            kind: SeparationKind::Undecided(progress.stopped.unwrap_or(Limit::Unconfirmed)),
            open: None,
            coefficients: (0..width).map(one).collect(),
            infinite: vec![],
            aliased: vec![],
            separated: 0,
            vectors,
            counted: count(counted),
            rows: vec![],
            settled: vec![],
            excluded: vec![],
            cone_dimension: 0,
            aliased_dimension: 0,
            left_out: vec![],
            direction: None,
            conflict: progress.conflict,
            proof: None,
            absorbed: self.levels(left, &[], false),
        };
        let Some((kind, proof)) = progress.proven else {
            return Ok(nothing);
        };
        let all: Vec<usize> = (0..left.len()).filter(|&row| counted[row] && !left[row]).collect();
        let separated = all.len();
        let rows: Vec<usize> =
            all.into_iter().take(options.most_rows.unwrap_or(usize::MAX)).collect();
        let known = Separation {
            kind,
            separated,
            settled: rows.clone(),
            rows,
            proof: Some(proof.of_model(self.model, None)),
            absorbed: self.levels(left, &progress.layers, progress.stopped.is_none()),
            ..nothing
        };
        let open = |known: Separation, what: Open, because: Limit| {
            Ok(Separation { open: Some((what, because)), ..known })
        };
        if let Some(because) = progress.stopped {
            return open(known, Open::Coefficients, because);
        }
        let counted_rows: Vec<usize> = (0..left.len()).filter(|&row| counted[row]).collect();
        let Some(free) = free_directions(self.design, &counted_rows, halt) else {
            let because = if halt() { Limit::Time } else { Limit::Unconfirmed };
            return open(known, Open::Coefficients, because);
        };
        let (changes, dependent) = moved(&free.combinations, width);
        let is_left = left.iter().any(|left| *left);
        let (moved, left_out) = match is_left {
            true => (progress.moved, progress.left_out),
            false => (vec![true; width], (0..width).collect()),
        };
        let full = self.design.features.columns() + 1 - free.combinations.len();
        let infinite: Vec<(usize, Sign)> = (0..width)
            .filter(|&k| moved[k] && !changes[k])
            .map(|k| (k, sign(progress.steps.iter().map(|step| &step[k]))))
            .collect();
        Ok(Separation {
            infinite,
            aliased: (0..width).filter(|&k| changes[k]).collect(),
            cone_dimension: full - progress.rank,
            aliased_dimension: dependent.len(),
            left_out,
            ..known
        })
    }

    /// Returns the answer with both signs of a column that can have both. One was met. The other occurs if a row can be separated in which
    /// the column alone stands, with the outcome of that sign: a second row of both outcomes keeps the levels that they share, which no other row
    /// has, from doing it. Only rows that are `contested` matter: the levels of the others make up for any column.
    fn with_other_signs(
        &self,
        mut found: Separation,
        contested: &[bool],
        allowance: &Allowance,
        watch: &mut dyn Watch,
    ) -> Result<Separation, DecideError> {
        if found.open.is_some() {
            return Ok(found);
        }
        for (k, sign) in &mut found.infinite {
            if *sign == Sign::Either {
                continue;
            }
            let up = *sign == Sign::Minus;
            match self.occurs(*k, up, contested, allowance, watch)? {
                Ok(true) => *sign = Sign::Either,
                Ok(false) => {}
                Err(because) => {
                    found.open = Some((Open::Signs, because));
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Returns if a column can go up, or down; or the limit that was reached before that was known.
    fn occurs(
        &self,
        column: usize,
        up: bool,
        contested: &[bool],
        allowance: &Allowance,
        watch: &mut dyn Watch,
    ) -> Result<Result<bool, Limit>, DecideError> {
        let rows: Vec<usize> = (0..contested.len()).filter(|&row| contested[row]).collect();
        let mut columns = SparseBuilder::default();
        let mut size = 0.0_f64;
        for &row in &rows {
            self.columns.for_each(row, |k, value| {
                if k == column {
                    size = size.max(value.abs());
                }
                if value != 0.0 {
                    columns.push(k, value);
                }
            });
            columns.end_row();
        }
        columns.end_row();
        // Any number does; one that the column has is of its size.
        columns.push(column, if size > 0.0 { size } else { 1.0 });
        columns.end_row();
        let columns = Features::Sparse(columns.finish(self.design.columns).expect("columns rise"));
        let factors = (0..self.design.given).map(|f| {
            let size = self.design.of_factor(f).len();
            let own = rows.iter().map(|&row| self.design.codes[f][row]);
            let codes = own.chain([size as u32; 2]).collect();
            Factor { name: String::new(), levels: vec![String::new(); size + 1], codes }
        });
        let factors: Vec<Factor> = factors.collect();
        let both = Seen { success: true, failure: true };
        let last = Seen { success: up, failure: !up };
        let seen: Vec<Seen> = rows.iter().map(|&row| self.seen[row]).chain([both, last]).collect();
        let trial = |seen: &Seen| match (seen.success, seen.failure) {
            (true, true) => Trial::Both,
            (true, false) => Trial::Success,
            _ => Trial::Failure,
        };
        // Counts have no row of successes alone; what is asked is the same.
        let model = Model::Binomial { intercept: true };
        let response = Response::Trials(seen.iter().map(trial).collect());
        let design = LevelDesign::new(&columns, &factors, None);
        let structure =
            Structure::new(&design.features, &model, &response, None).expect("one outcome per row");
        let search = AbsorbedSearch {
            brief: true,
            ..AbsorbedSearch::new(&columns, &model, &design, &structure, seen)?
        };
        let (left, progress) = search.steps(vec![true; rows.len() + 2], allowance, watch)?;
        Ok(match (left[rows.len() + 1], progress.stopped) {
            // What has gone is separated, whatever stopped the search then.
            (false, _) => Ok(true),
            (true, Some(because)) => Err(because),
            (true, None) => Ok(false),
        })
    }

    /// Returns what becomes of the levels, if that is `known`.
    fn levels(&self, left: &[bool], layers: &[Layer], known: bool) -> Vec<FactorLevels> {
        let design = self.design;
        let mut stays = vec![!known; design.nodes()];
        for row in (0..left.len()).filter(|&row| left[row]) {
            design.nodes_of(row).for_each(|node| stays[node] = true);
        }
        let mut way = vec![Sign::Either; design.nodes()];
        for layer in layers {
            if let Peel::Level(node) = layer.what {
                way[node] = if layer.up { Sign::Plus } else { Sign::Minus };
            }
        }
        let of = |f: usize| {
            let occur: Vec<usize> =
                design.of_factor(f).filter(|&node| design.count[node] > 0).collect();
            let gone = occur.iter().filter(|node| !stays[**node]);
            FactorLevels {
                levels: occur.len(),
                bases: occur.iter().filter(|node| design.is_base(**node)).count(),
                gone: gone.map(|&node| (node - design.starts[f], way[node])).collect(),
            }
        };
        (0..design.given).map(of).collect()
    }
}

fn separable(direction: &[IBig]) -> Claim {
    let (bias, weights) = direction.split_last().expect("a bias");
    Claim::Separable { hyperplane: Plane::from((weights.to_vec(), bias.clone())) }
}

/// Returns which columns of the model some of the directions move, and the last column of each.
fn moved(combinations: &[(usize, Vec<IBig>)], width: usize) -> (Vec<bool>, Vec<usize>) {
    let own: Vec<&(usize, Vec<IBig>)> = combinations.iter().filter(|(k, _)| *k < width).collect();
    let moves = |k: usize| own.iter().any(|(_, direction)| !direction[k].is_zero());
    ((0..width).map(moves).collect(), own.iter().map(|(k, _)| *k).collect())
}

/// Returns where a coefficient goes along a direction that consists of steps, each small beside those before it.
fn sign<'a>(mut steps: impl Iterator<Item = &'a IBig>) -> Sign {
    match steps.find(|step| !step.is_zero()) {
        Some(step) if *step > IBig::ZERO => Sign::Plus,
        Some(_) => Sign::Minus,
        None => Sign::Either,
    }
}
