//! The rows that no level separates, as a question to the engine in which no column depends on others.
//!
//! ```text
//! Without rows that were peeled off, the levels that are left fall into components that were one. So some more dummies are redundant on
//! these rows: one per component of hub and partner that has no base of its own, one for the constant where the base of the hub has gone,
//! and each column that is a combination of others there. They are dropped, each with a direction that is zero on these rows.
//! ```
//!
//! What rules a separation of these rows out does so for all rows: a proof about the design names the same rows, says which coordinates were
//! dropped, and has these directions.

use dashu_int::IBig;
use linsep_data::Memory;
use linsep_data::samples::SparseBuilder;
use linsep_proof::proof::{Claim, ConflictingRow, DefiniteMatrix, Integers, OverlapClaim};
use linsep_proof::structure::Structure;
use linsep_proof::{Proof, name_data, verify_data_until};

use super::factors::LevelDesign;
use super::forest::{FreeDirections, free_directions};
use crate::Samples;
use crate::decide::{
    Conditioning, DecideError, Halt, Limit, LogisticNewton, NewtonEnd, OnPlanes, Outcome, Watch,
    decide_data, planes, short_weights,
};
use crate::models::allowance::Allowance;
use crate::models::cone::claimed;
use crate::queries::fold;

/// Columns from which on Newton's method is asked before the engine.
const MANY: usize = 100;
/// Columns from which on the engine is not asked where an answer is worth no more than a little time.
const TOO_MANY: usize = 500;
/// Integers that the directions of a proof may have.
const MOST_INTEGERS: usize = 50_000_000;

/// Rows that no level separates.
pub(super) struct Contested<'a> {
    design: &'a LevelDesign,
    /// The rows, rising, and whether each is left.
    pub rows: Vec<usize>,
    /// The structure vectors that they make, rising, and the row of each.
    vectors: Vec<usize>,
    row_of: Vec<usize>,
    /// The columns of the design that are asked about, rising.
    columns: Vec<usize>,
    dropped: Vec<Dropped>,
    pub free: FreeDirections,
}

/// A coordinate of the design that is redundant on the rows, and why.
enum Dropped {
    /// A combination of others: the place among [`FreeDirections::combinations`].
    Combination(usize),
    /// A component of hub and partner without a base.
    Component { column: usize, component: u32 },
    /// All levels of the hub add up to the constant.
    Constant { column: usize },
}

/// What the engine says of the rows.
pub(super) enum Said {
    /// A direction of the design is strict on all of them.
    Separable(Vec<IBig>),
    /// One is strict on some, and the evidence rules out that one is strict on all.
    Quasi { separator: Vec<IBig>, evidence: Evidence },
    /// All directions are zero on all of them.
    Inseparable(Evidence),
    /// A limit was reached; with rows that rule out that a direction is strict on all, if any were found.
    Undecided(Limit, Option<Evidence>),
}

/// Says whether the checker accepts evidence about all rows.
pub(super) type WholeCheck<'a> = dyn FnMut(&Evidence) -> Result<bool, DecideError> + 'a;

/// What rules a separation out, in the numbers of the structure vectors and the coordinates of the design.
pub(super) struct Evidence {
    overlap: OverlapClaim,
    orthogonal: Vec<Vec<IBig>>,
}

impl Evidence {
    /// Returns the rows that tell most, rising, at most so many.
    pub fn rows(&self, structure: &Structure, most: usize) -> Vec<usize> {
        let mut vectors: Vec<(f64, usize)> = match &self.overlap {
            OverlapClaim::Conflict(rows) => rows.iter().map(|own| (0.0, own.row)).collect(),
            OverlapClaim::Matrix(DefiniteMatrix { rows, weights, .. }) => {
                weights.iter().map(|w| -w).zip(rows.iter().copied()).collect()
            }
        };
        vectors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if matches!(self.overlap, OverlapClaim::Matrix(_)) {
            vectors.truncate(most);
        }
        let row = |&(_, number): &(f64, usize)| structure.vector(number - 1).map(|v| v.row);
        let mut rows: Vec<usize> = vectors.iter().filter_map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

impl<'a> Contested<'a> {
    /// Returns the question about these rows; nothing if it was halted, or would take too much memory. `first` has the number of the first
    /// structure vector of each row.
    pub fn new(
        design: &'a LevelDesign,
        structure: &Structure,
        first: &[u32],
        rows: Vec<usize>,
        halt: Halt,
    ) -> Option<Self> {
        let free = free_directions(design, &rows, halt)?;
        let (mut vectors, mut row_of) = (vec![], vec![]);
        for (at, &row) in rows.iter().enumerate() {
            let own = first[row] as usize;
            let mine = |number: &usize| structure.vector(*number).is_some_and(|v| v.row == row);
            for number in (own..own + 2).filter(mine) {
                vectors.push(number);
                row_of.push(at);
            }
        }
        let mut live = vec![false; design.features.columns()];
        let mut count = vec![0_u32; design.nodes()];
        for &row in &rows {
            design.features.for_each(row, |k, value| live[k] |= value != 0.0);
            design.nodes_of(row).for_each(|node| count[node] += 1);
        }
        let dropped = dropped(design, &free, &count);
        for own in &dropped {
            live[own.column(&free)] = false;
        }
        let columns = (0..live.len()).filter(|&k| live[k]).collect();
        Some(Contested { design, rows, vectors, row_of, columns, dropped, free })
    }

    /// Returns the rank of the rows.
    pub fn rank(&self) -> usize {
        self.columns.len() + 1
    }

    /// Returns the rows under two labels, in the columns that are asked about; nothing if there is no column.
    fn samples(&self, structure: &Structure) -> Result<Option<Samples>, DecideError> {
        if self.columns.is_empty() {
            return Ok(None);
        }
        let mut place = vec![None; self.design.features.columns()];
        self.columns.iter().enumerate().for_each(|(at, &k)| place[k] = Some(at));
        let mut matrix = SparseBuilder::default();
        for &at in &self.row_of {
            self.design.features.for_each(self.rows[at], |k, value| {
                if let (Some(at), true) = (place[k], value != 0.0) {
                    matrix.push(at, value);
                }
            });
            matrix.end_row();
        }
        let matrix = matrix.finish(self.columns.len()).expect("columns rise as they did");
        Ok(Some(Samples::sparse(matrix, self.labels(structure))?))
    }

    fn labels(&self, structure: &Structure) -> Vec<bool> {
        let label = |&number: &usize| structure.vector(number).is_some_and(|v| v.positive);
        self.vectors.iter().map(label).collect()
    }

    /// Asks about the rows. If they are all rows, `whole` says whether the checker accepts the evidence about them. A `brief` search gives up
    /// where only integers may know more.
    pub fn ask(
        &self,
        structure: &Structure,
        brief: bool,
        whole: Option<&mut WholeCheck>,
        allowance: &Allowance,
        watch: &mut dyn Watch,
    ) -> Result<Said, DecideError> {
        let Some(samples) = self.samples(structure)? else {
            return Ok(Said::Inseparable(self.of_two(structure)));
        };
        if self.columns.len() >= MANY && samples.rows() > self.columns.len() {
            let cancelled = watch.cancelled();
            let halt = || allowance.late(cancelled).is_some();
            if let Some(evidence) = self.newton(&samples, whole, &halt)? {
                return Ok(Said::Inseparable(evidence));
            }
        }
        if brief && self.columns.len() >= TOO_MANY {
            return Ok(Said::Undecided(Limit::Unconfirmed, None));
        }
        let memory = Memory::new(&samples);
        let decision = decide_data(&memory, &allowance.left(), watch)?;
        let evidence = |proof: &Proof| match &proof.claim {
            Claim::Inseparable { overlap, orthogonal }
            | Claim::QuasiSeparable { overlap, orthogonal, .. }
            | Claim::NotStrictlySeparable { overlap, orthogonal } => {
                Some(self.evidence(overlap, orthogonal))
            }
            Claim::Separable { .. } => None,
        };
        Ok(match &decision.outcome {
            Outcome::Separable { proof, .. } => Said::Separable(self.lifted(&claimed(proof))),
            Outcome::QuasiSeparable { separator, proof, .. } => {
                let own: Vec<IBig> =
                    separator.weights.iter().chain([&separator.bias]).cloned().collect();
                let separator = self.lifted(&own);
                Said::Quasi { separator, evidence: evidence(proof).expect("rows that overlap") }
            }
            Outcome::Inseparable { proof, .. } => {
                Said::Inseparable(evidence(proof).expect("rows that overlap"))
            }
            Outcome::Undecided { because, proof, .. } => {
                Said::Undecided(*because, proof.as_ref().and_then(evidence))
            }
        })
    }

    /// Returns the weights of a matrix that the checker accepts, by Newton's method; nothing if it finds none.
    fn newton(
        &self,
        samples: &Samples,
        mut whole: Option<&mut WholeCheck>,
        halt: Halt,
    ) -> Result<Option<Evidence>, DecideError> {
        let Some((view, seen)) = Conditioning::of(samples) else {
            return Ok(None);
        };
        let mut newton = LogisticNewton::new(seen, None);
        loop {
            if newton.run(halt) != NewtonEnd::Cancelling {
                return Ok(None);
            }
            let weights =
                short_weights(view.raw_weights(&newton.weights()).into_iter().enumerate());
            let matrix = DefiniteMatrix::new(&weights, &[], newton.first());
            let evidence = self.evidence(&matrix.clone().into(), &[]);
            let holds = match &mut whole {
                Some(whole) => whole(&evidence)?,
                None => holds_alone(samples, matrix, halt)?,
            };
            if holds {
                return Ok(Some(evidence));
            }
            if halt() || !newton.can_go_on() {
                return Ok(None);
            }
        }
    }

    /// Returns a row with either outcome, which are all there is to say where no column is left.
    fn of_two(&self, structure: &Structure) -> Evidence {
        let labels = self.labels(structure);
        let one = |wanted: bool| labels.iter().position(|label| *label == wanted);
        let pair = [one(true), one(false)].into_iter().flatten();
        let mut rows: Vec<usize> = pair.map(|at| self.vectors[at] + 1).collect();
        rows.sort_unstable();
        let conflict =
            rows.into_iter().map(|row| ConflictingRow { row, multiplier: IBig::ONE }).collect();
        Evidence { overlap: OverlapClaim::Conflict(conflict), orthogonal: vec![] }
    }

    fn evidence(&self, overlap: &OverlapClaim, orthogonal: &[Integers]) -> Evidence {
        let row = |row: usize| self.vectors[row - 1] + 1;
        let coordinate = |k: &usize| match self.columns.get(k - 1) {
            Some(column) => column + 1,
            None => self.design.features.columns() + 1,
        };
        let overlap = match overlap {
            OverlapClaim::Conflict(rows) => {
                let own =
                    |own: &ConflictingRow| ConflictingRow { row: row(own.row), ..own.clone() };
                OverlapClaim::Conflict(rows.iter().map(own).collect())
            }
            OverlapClaim::Matrix(matrix) => OverlapClaim::Matrix(DefiniteMatrix {
                rows: matrix.rows.iter().map(|&own| row(own)).collect(),
                weights: matrix.weights.clone(),
                left_out: matrix.left_out.iter().map(coordinate).collect(),
                first: matrix.first.iter().map(coordinate).collect(),
            }),
        };
        let orthogonal = orthogonal.iter().map(|Integers(own)| self.lifted(own)).collect();
        Evidence { overlap, orthogonal }
    }

    /// Returns a direction of the columns that were asked about as one of the design.
    fn lifted(&self, own: &[IBig]) -> Vec<IBig> {
        let width = self.design.features.columns();
        let mut all = vec![IBig::ZERO; width + 1];
        self.columns.iter().zip(own).for_each(|(&k, value)| all[k] = value.clone());
        all[width] = own[own.len() - 1].clone();
        all
    }

    /// Returns the claim that the evidence makes about all rows: that some direction, if one is given, is strict on some, but none on all.
    /// Nothing if it would be too large.
    pub fn claim(&self, evidence: &Evidence, plane: Option<&[IBig]>) -> Option<Claim> {
        let Evidence { overlap, orthogonal } = evidence;
        let plane = plane.map(|plane| {
            let (bias, weights) = plane.split_last().expect("a bias");
            (weights.to_vec(), bias.clone())
        });
        let conflict = matches!(overlap, OverlapClaim::Conflict(_));
        if let (Some(plane), true) = (&plane, conflict) {
            return Some(Claim::quasi_separable_by(overlap.clone(), vec![], plane.clone()));
        }
        let width = self.design.features.columns() + 1;
        if self.dropped.len().saturating_mul(width) > MOST_INTEGERS {
            return None;
        }
        let mut overlap = overlap.clone();
        let mut orthogonal = orthogonal.clone();
        for own in &self.dropped {
            if let OverlapClaim::Matrix(matrix) = &mut overlap {
                matrix.left_out.push(own.column(&self.free) + 1);
            }
            orthogonal.push(own.direction(self.design, &self.free));
        }
        Some(match plane {
            Some(plane) => Claim::quasi_separable_by(overlap, orthogonal, plane),
            None => Claim::inseparable(overlap, orthogonal),
        })
    }

    /// Returns the rows on which a direction of the design is not zero.
    pub fn off(
        &self,
        structure: &Structure,
        separator: &[IBig],
    ) -> Result<Vec<usize>, DecideError> {
        let samples = linsep_data::Data::fetch(structure, &self.vectors)?;
        let query = OnPlanes::new(planes(&[separator.to_vec()]), usize::MAX);
        let off = fold(&Memory::new(&samples), &query)?.off;
        Ok(off.into_iter().map(|place| self.rows[self.row_of[place]]).collect())
    }
}

/// Returns true if the checker accepts that the matrix rules out every separation of these rows, weak ones included.
fn holds_alone(samples: &Samples, matrix: DefiniteMatrix, halt: Halt) -> Result<bool, DecideError> {
    let memory = Memory::new(samples);
    let named = name_data(&memory)?;
    let proof = Proof::about(named.name().clone(), Claim::inseparable(matrix, vec![]));
    let verified = verify_data_until(&memory, &proof, Some(&named), halt)?;
    Ok(matches!(verified, Some(Ok(_))))
}

impl Dropped {
    fn column(&self, free: &FreeDirections) -> usize {
        match self {
            Dropped::Combination(place) => free.combinations[*place].0,
            Dropped::Component { column, .. } | Dropped::Constant { column } => *column,
        }
    }

    fn direction(&self, design: &LevelDesign, free: &FreeDirections) -> Vec<IBig> {
        let mut levels = vec![IBig::ZERO; design.nodes()];
        match self {
            Dropped::Combination(place) => return free.combinations[*place].1.clone(),
            Dropped::Component { component, .. } => {
                for (f, value) in [(design.hub, IBig::ONE), (design.partner, -IBig::ONE)] {
                    let own = design.of_factor(f);
                    own.filter(|&node| free.component[node] == Some(*component))
                        .for_each(|node| levels[node] = value.clone());
                }
            }
            Dropped::Constant { .. } => levels[design.hub_base] = IBig::ONE,
        }
        design.direction(&vec![IBig::ZERO; design.columns], levels)
    }
}

/// Returns what is redundant on some rows, of which each node has so many.
fn dropped(design: &LevelDesign, free: &FreeDirections, count: &[u32]) -> Vec<Dropped> {
    let mut all: Vec<Dropped> = (0..free.combinations.len()).map(Dropped::Combination).collect();
    // The level of the partner with the most rows, per component; none where the base is among them.
    let mut most: Vec<Option<usize>> = vec![None; free.components];
    let mut based = vec![false; free.components];
    for node in design.of_factor(design.partner) {
        if let Some(component) = free.component[node] {
            based[component as usize] |= design.is_base(node);
            let slot = &mut most[component as usize];
            if slot.is_none_or(|known| count[node] > count[known]) {
                *slot = Some(node);
            }
        }
    }
    for (component, node) in most.iter().enumerate().filter(|(own, _)| !based[*own]) {
        let column = node.and_then(|node| design.column[node]).expect("no base");
        all.push(Dropped::Component { column, component: component as u32 });
    }
    if count[design.hub_base] == 0 {
        let node = design.of_factor(design.hub).max_by_key(|&node| count[node]);
        let column =
            node.and_then(|node| design.column[node]).expect("another level than the base");
        all.push(Dropped::Constant { column });
    }
    all
}
