//! Newton's method on a few rows per coordinate: a separator that a scan corrects, or a matrix that rules every separation out.
//!
//! ```text
//! begin     dense rows: those nearest to the best hyperplane that is known, and some from everywhere
//!           rows that are mostly zero: those that are contested             peel.rs
//!           where a hyperplane to begin with is given: rows drawn for it    drawn.rs
//! repeat    Newton's method on the logistic loss                            solvers/newton.rs
//!           all of them on their own sides: scan all rows; no mistake: a candidate; else the worst join
//!           they nearly cancel: their weights make a matrix, which the checker looks at
//! ```
//!
//! A few rows per coordinate rule a separation out whatever the number of all rows, so the cost does not grow with it. Where rows were
//! peeled off, the rest may be inseparable while all of them are not, weakly.

use std::borrow::Cow;
use std::collections::HashSet;

use dashu_int::IBig;
use linsep_data::{Halt, Memory};
use linsep_proof::{MarginKind, RowWeights};

use super::super::exact::integers::odd_parts;
use super::super::folds::Scorer;
use super::super::folds::on_planes::{OnPlanes, planes};
use super::super::folds::scan::Scan;
use super::super::outcome::{Way, WeakSeparator};
use super::super::passes::{PassError, Passes};
use super::super::plan::WorkingSize;
use super::super::search::{Search, spread};
use super::super::solvers::newton::{LogisticNewton, NewtonEnd};
use super::super::spanning::{orthogonal_to, spanning};
use super::conditioned::Conditioning;
use super::contested::at_least_one;
use super::drawn::{self, RowDrawing};
use super::peel::{Peeled, compressed, peel};
use super::{Found, GaveUp, Strategy, halted};
use crate::lift::Rows;
use crate::{Hyperplane, Samples};

/// Rounds of rows that join.
const ROUNDS: usize = 8;
/// Rows whose weight is below this share of the largest add nothing that a float would show.
const NO_WEIGHT: f64 = 1e-9;
/// Columns up to which those that depend on others are looked for modulo a prime, if rounding does not tell.
const RELATIONS: usize = 4000;
/// Numbers that vectors to which rows are orthogonal may have together.
const MOST_NUMBERS: usize = 1 << 24;
/// What such a vector may be multiplied by to have integers, and how far from these floats may be.
const MULTIPLES: std::ops::RangeInclusive<u32> = 1..=16;
const NEAR_INTEGER: f64 = 1e-4;
const LARGEST: f64 = 1e15;
/// What of its numbers is zero.
const NOTHING: f64 = 1e-6;
/// Rows at which it is seen whether dense rows are mostly zero: one number in so many is not.
const SAMPLED_ROWS: usize = 512;
const SPARSE: usize = 10;
/// Columns that are looked at one by one if they do not depend on others all together.
const ONE_BY_ONE: usize = 64;

/// Rows and weights that seem to make a positive definite matrix.
pub(in super::super) struct MatrixFound {
    /// The rows, rising, and their weights.
    pub weights: RowWeights,
    /// Coordinates that depend on others, and as many vectors that say how.
    pub left_out: Vec<usize>,
    pub orthogonal: Vec<Vec<IBig>>,
    /// Coordinates that are best taken out one by one.
    pub first: Vec<usize>,
    /// A hyperplane that puts no row on the wrong side, and these rows on itself; none if they rule that out, too.
    pub separator: Option<WeakSeparator>,
}

/// Rows that are looked at.
struct LookedAt {
    numbers: Vec<usize>,
    /// The number of features that they have.
    columns: usize,
    /// What was peeled off, if they are mostly zero.
    rest: Option<ContestedRows>,
    view: Conditioning,
    newton: LogisticNewton,
    /// Whether a matrix of all columns that do not plainly depend on others was refused.
    refused: bool,
}

/// Sparse rows that are contested.
struct ContestedRows {
    /// The rows, with those features alone that some of them have.
    samples: Samples,
    /// Which features these are.
    columns: Vec<usize>,
    peeled: Peeled,
}

/// The method on some rows, and which they are.
pub(super) struct NewtonSet {
    size: WorkingSize,
    rows: Vec<usize>,
    known: HashSet<usize>,
    plane: Option<Vec<f64>>,
    /// The rows that were looked at last, where the method can go on.
    looked: Option<LookedAt>,
    /// What draws rows for a hyperplane to begin with, where there is one.
    drawing: Option<RowDrawing>,
    begun: bool,
    rounds: usize,
    ended: bool,
}

impl NewtonSet {
    /// Returns the method before its first step.
    pub fn new(size: WorkingSize) -> Self {
        NewtonSet {
            size,
            rows: vec![],
            known: HashSet::new(),
            plane: None,
            looked: None,
            drawing: None,
            begun: false,
            rounds: 0,
            ended: false,
        }
    }

    /// Returns the method that draws its rows for the hyperplane to begin with.
    pub fn drawing(size: WorkingSize) -> Self {
        NewtonSet { drawing: Some(RowDrawing::new(size)), ..NewtonSet::new(size) }
    }

    /// Takes the next rows that are drawn in the place of those before. Returns false if there are none.
    fn draw(&mut self, search: &mut Search) -> Result<bool, PassError> {
        let Some(drawing) = &mut self.drawing else { return Ok(false) };
        let Some(drawn) = drawing.next(search)? else { return Ok(false) };
        (self.rows, self.plane) = (drawn.rows, drawn.plane);
        self.known = self.rows.iter().copied().collect();
        (self.looked, self.ended) = (None, false);
        Ok(true)
    }

    fn begin(&mut self, search: &mut Search) -> Result<(), PassError> {
        let n = search.shape.rows;
        self.plane = search.best().map(|h| {
            let mut w = h.weights;
            w.push(h.bias);
            w
        });
        if n <= self.size.start {
            self.join((0..n).collect());
            return Ok(());
        }
        let some = spread(n, self.size.start / 4);
        if let Some(w) = &self.plane {
            let scorer = Scorer::Lifted(w.clone());
            let keep = self.size.start - some.len();
            let report = search.pass(Scan::new(scorer, keep))?.report();
            self.join(report.worst.into_iter().map(|(_, row)| row).collect());
        }
        self.join(some);
        Ok(())
    }

    fn join(&mut self, mut rows: Vec<usize>) {
        rows.retain(|&row| self.known.insert(row));
        self.rows.extend(rows);
        self.rows.sort_unstable();
    }

    /// Returns the rows of dense data that have joined.
    fn joined(&self, search: &Search) -> Result<Option<LookedAt>, PassError> {
        // All of them are at hand, or are brought there; some are fetched, wherever the rest is.
        let all = match self.rows.len() == search.shape.rows {
            true => search.data.gather()?,
            false => None,
        };
        let samples = match all {
            Some(samples) => Cow::Borrowed(samples),
            None => Cow::Owned(search.data.fetch(&self.rows)?),
        };
        let Some((view, rows)) = Conditioning::of(&samples) else { return Ok(None) };
        let newton = LogisticNewton::new(rows, self.plane.as_deref().map(|w| view.seen(w)));
        let newton = match self.drawing {
            Some(_) => newton.with_steps(drawn::STEPS),
            None => newton,
        };
        let (numbers, columns) = (self.rows.clone(), samples.columns());
        Ok(Some(LookedAt { numbers, columns, rest: None, view, newton, refused: false }))
    }

    /// Looks at sparse rows that are contested; returns what was found, if nothing is.
    fn contested(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let Some(samples) = search.data.gather()? else {
            return Ok(Some(Found::GaveUp(GaveUp::NotThere)));
        };
        let peeled = peel(samples);
        search.data.reads().add(2 * samples.rows() as u64);
        if peeled.contested.is_empty() {
            return self.extended(search, samples, &peeled, vec![0.0; search.dimension()]);
        }
        let (few, columns) = compressed(samples, &peeled.contested);
        let Some((view, rows)) = Conditioning::of(&few) else {
            return Ok(Some(Found::GaveUp(GaveUp::Stuck)));
        };
        let start = search.best().map(|h| {
            let own = columns.iter().map(|&k| h.weights[k]);
            own.chain([h.bias]).collect::<Vec<f64>>()
        });
        let newton = LogisticNewton::new(rows, start.map(|w| view.seen(&w)));
        let (numbers, count) = (peeled.contested.clone(), few.columns());
        let rest = Some(ContestedRows { samples: few, columns, peeled });
        let refused = false;
        self.looked = Some(LookedAt { numbers, columns: count, rest, view, newton, refused });
        Ok(None)
    }

    /// Offers a separator of all rows, given one of those that were not peeled off.
    fn extended(
        &mut self,
        search: &mut Search,
        samples: &Samples,
        peeled: &Peeled,
        mut w: Vec<f64>,
    ) -> Result<Option<Found>, PassError> {
        self.ended = true;
        peeled.extend(samples, &mut w);
        if w.iter().any(|w| !w.is_finite()) {
            return Ok(None);
        }
        search.offer(0.0, Hyperplane::from_lifted(w));
        // The largest margin is for those that come after.
        Ok((!search.options.seeks(MarginKind::Angular)).then_some(Found::Candidate))
    }

    /// Looks at the rows; returns what was found, if anything.
    fn round(&mut self, search: &mut Search) -> Result<Option<Found>, PassError> {
        let mut looked = match self.looked.take() {
            Some(looked) => looked,
            None => match self.joined(search)? {
                Some(looked) => looked,
                None => return Ok(Some(Found::GaveUp(GaveUp::Stuck))),
            },
        };
        let end = looked.newton.run(&search.budget.halt());
        if let Some(end) = halted(search) {
            return Ok(Some(end));
        }
        match end {
            NewtonEnd::Open => {
                self.ended = true;
                Ok(None)
            }
            NewtonEnd::Cancelling => {
                let found = looked.matrix(search)?;
                self.ended = looked.refused && !looked.newton.can_go_on();
                looked.refused = true;
                self.looked = Some(looked);
                Ok(found.map(|found| Found::Matrix(Box::new(found))))
            }
            NewtonEnd::Separated => {
                let own = looked.view.raw(looked.newton.w());
                if let Some(ContestedRows { samples, columns, peeled }) = &looked.rest {
                    self.ended = true;
                    let all = search.data.gather()?.expect("they have been in memory");
                    let Some(own) = at_least_one(&Rows::lifted(samples), &own) else {
                        return Ok(None);
                    };
                    let mut w = vec![0.0; search.dimension()];
                    columns.iter().zip(&own).for_each(|(&k, v)| w[k] = *v);
                    w[search.shape.columns] = own[columns.len()];
                    return self.extended(search, all, peeled, w);
                }
                self.corrected(search, own)
            }
        }
    }

    /// Looks at all rows with a separator of some; those that it has on the wrong side join.
    fn corrected(&mut self, search: &mut Search, w: Vec<f64>) -> Result<Option<Found>, PassError> {
        let scan = Scan::new(Scorer::Lifted(w.clone()), self.size.added);
        let report = search.pass(scan)?.report();
        search.see(report.mistakes, &w, f64::NEG_INFINITY);
        self.plane = Some(w.clone());
        if report.mistakes == 0 {
            search.offer(0.0, Hyperplane::from_lifted(w));
            self.ended = true;
            // The largest margin is for those that come after.
            let enough = !search.options.seeks(MarginKind::Angular);
            return Ok(enough.then_some(Found::Candidate));
        }
        let before = self.rows.len();
        let room = self.size.most.saturating_sub(before);
        let worst = report.worst.into_iter().filter(|(score, _)| *score <= 0.0);
        self.join(worst.map(|(_, row)| row).take(room).collect());
        self.ended = self.rows.len() == before;
        Ok(None)
    }
}

impl LookedAt {
    /// Returns the weights, and how columns depend on each other if they seem to.
    fn matrix(&self, search: &Search) -> Result<Option<MatrixFound>, PassError> {
        let weights = self.view.raw_weights(&self.newton.weights());
        let weights = short_weights(self.numbers.iter().copied().zip(weights));
        let halt = search.budget.halt_between_passes();
        // Of rows that are not all, relations among them are enough: a weak separator has all others on one side.
        let all = self.numbers.len() == search.shape.rows;
        let relations = match &self.rest {
            Some(rest) if !all => {
                let memory = Memory::new(&rest.samples);
                let some = (0..self.numbers.len()).collect();
                self.relations(&Passes::new(&memory), some, &halt)?
            }
            _ => self.relations(search.data, weights.rows(), &halt)?,
        };
        let Some((left_out, orthogonal)) = relations else { return Ok(None) };
        // Features that no row has are left out one by one.
        let empty = match &self.rest {
            Some(rest) if all => without(search.shape.columns, &rest.columns),
            _ => vec![],
        };
        if empty.len().saturating_mul(search.dimension()) > MOST_NUMBERS {
            return Ok(None);
        }
        let coordinate = |k: usize| match &self.rest {
            Some(rest) => rest.columns.get(k).copied().unwrap_or(search.shape.columns),
            None => k,
        };
        let gone: HashSet<usize> = left_out.iter().copied().collect();
        let first = self.newton.first().iter().copied().filter(|k| !gone.contains(k));
        let first = first.map(coordinate).collect();
        let mut left_out: Vec<usize> = left_out.into_iter().map(coordinate).collect();
        let placed = |own: Vec<IBig>| {
            let mut vector = vec![IBig::ZERO; search.dimension()];
            own.into_iter().enumerate().for_each(|(k, v)| vector[coordinate(k)] = v);
            vector
        };
        let mut orthogonal: Vec<Vec<IBig>> = orthogonal.into_iter().map(placed).collect();
        orthogonal.extend(empty.iter().map(|&k| {
            let mut unit = vec![IBig::ZERO; search.dimension()];
            unit[k] = IBig::ONE;
            unit
        }));
        left_out.extend(empty);
        let separator = match &self.rest {
            Some(rest) if !all => {
                let samples = search.data.gather()?.expect("they have been in memory");
                let mut weights = rest.peeled.separator(samples);
                let bias = weights.pop().expect("a bias");
                Some(WeakSeparator { weights, bias })
            }
            _ => None,
        };
        Ok(Some(MatrixFound { weights, left_out, orthogonal, first, separator }))
    }

    /// Returns columns that depend on others and as many vectors to which all rows of the data are orthogonal, in the coordinates of the
    /// rows that are looked at; `some` of the data's rows are a start. Nothing if there seem to be some, and they were not found.
    fn relations(
        &self,
        data: &Passes,
        some: Vec<usize>,
        halt: Halt,
    ) -> Result<RelationsFound, PassError> {
        let dependent = self.newton.dependent();
        if dependent.is_empty() {
            return Ok(Some((vec![], vec![])));
        }
        let (mut columns, mut vectors) = self.integer_relations();
        let holds = |vectors: &[Vec<IBig>]| -> Result<bool, PassError> {
            let found = data.fold_until(OnPlanes::new(planes(vectors), 1), halt)?;
            Ok(found.is_some_and(|found| found.off.is_empty()))
        };
        if !vectors.is_empty() && !holds(&vectors)? {
            // Some may only nearly depend on others.
            let few = vectors.len() <= ONE_BY_ONE;
            let all = std::mem::take(&mut columns).into_iter().zip(std::mem::take(&mut vectors));
            for (column, vector) in all.filter(|_| few) {
                if holds(std::slice::from_ref(&vector))? {
                    columns.push(column);
                    vectors.push(vector);
                }
            }
        }
        if columns.len() == dependent.len() {
            return Ok(Some((columns, vectors)));
        }
        // Where weights differ much, pivots are small without a reason.
        if !self.refused {
            return Ok(Some((columns, vectors)));
        }
        if self.columns > RELATIONS {
            return Ok(None);
        }
        let Some(spanned) = spanning(data, some, halt)? else {
            return Ok(None);
        };
        let Some(vectors) = orthogonal_to(data, &spanned.independent, halt)? else {
            return Ok(None);
        };
        let kept: HashSet<usize> = spanned.coordinates.iter().copied().collect();
        let left_out = (0..=self.columns).filter(|k| !kept.contains(k)).collect();
        Ok(Some((left_out, vectors)))
    }

    /// Returns columns that seem to depend on others, and to which vectors of integers all rows seem to be orthogonal, where these
    /// can be told.
    fn integer_relations(&self) -> (Vec<usize>, Vec<Vec<IBig>>) {
        let (dependent, dimension) = (self.newton.dependent(), self.columns + 1);
        if dependent.len().saturating_mul(dimension) > MOST_NUMBERS {
            return (vec![], vec![]);
        }
        let own = |&k: &usize| Some((k, self.relation(k)?));
        dependent.iter().filter_map(own).unzip()
    }

    /// Returns integers, not zero at a column, to which all rows seem to be orthogonal.
    fn relation(&self, column: usize) -> Option<Vec<IBig>> {
        if let Some(number) = self.view.constant(column) {
            return Some(constant_relation(column, number, self.columns + 1));
        }
        let mut raw = self.view.raw(&self.newton.relation(column)?);
        let own = raw[column];
        raw.iter_mut().for_each(|v| *v /= own);
        integers(&raw)
    }
}

/// Returns what all rows are orthogonal to if they have this number in this column.
pub(super) fn constant_relation(column: usize, number: f64, dimension: usize) -> Vec<IBig> {
    let (mantissa, exponent) = odd_parts(number);
    let shifted = |value: IBig, by: i32| value << by.max(0) as usize;
    let mut vector = vec![IBig::ZERO; dimension];
    vector[column] = shifted(IBig::ONE, -exponent);
    vector[dimension - 1] = -shifted(mantissa.into(), exponent);
    vector
}

/// Returns true if rows are sparse, or might be: columns of levels, say, each a zero or a one.
fn is_mostly_zero(search: &Search) -> Result<bool, PassError> {
    if search.shape.sparse {
        return Ok(true);
    }
    if !search.data.raw().fits() {
        return Ok(false);
    }
    let samples = search.data.fetch(&spread(search.shape.rows, SAMPLED_ROWS))?;
    let mut stored = 0;
    for i in 0..samples.rows() {
        samples.features().for_each(i, |_, x| stored += usize::from(x != 0.0));
    }
    Ok(stored * SPARSE <= samples.rows() * samples.columns())
}

/// Returns the numbers below `count` that are not among those kept, which rise.
fn without(count: usize, kept: &[usize]) -> Vec<usize> {
    (0..count).filter(|k| kept.binary_search(k).is_err()).collect()
}

/// Columns that depend on others, and as many vectors.
type RelationsFound = Option<(Vec<usize>, Vec<Vec<IBig>>)>;

/// Returns a multiple of the numbers that has integers, as far as floats can tell: a small one, or one of those that make the
/// smallest of them small.
fn integers(numbers: &[f64]) -> Option<Vec<IBig>> {
    let near = |times: f64| {
        numbers.iter().all(|v| {
            let v = v * times;
            (v - v.round()).abs() <= NEAR_INTEGER * (1.0 + v.abs() * NEAR_INTEGER)
        })
    };
    let something = numbers.iter().map(|v| v.abs()).filter(|v| *v > NOTHING);
    let least = something.fold(f64::INFINITY, f64::min);
    let multiples = [1.0, 1.0 / least].into_iter();
    let mut multiples = multiples.flat_map(|unit| MULTIPLES.map(move |m| unit * f64::from(m)));
    let times = multiples.find(|times| near(*times))?;
    let integer = |v: &f64| {
        let value = (v * times).round();
        (value.abs() < LARGEST).then(|| IBig::from(value as i64))
    };
    numbers.iter().map(integer).collect()
}

/// Returns weights of few digits, the largest about 1, without rows that have next to none: more prove nothing more.
pub(crate) fn short_weights(weights: impl Iterator<Item = (usize, f64)> + Clone) -> RowWeights {
    let most = weights.clone().fold(0.0_f64, |most, (_, weight)| most.max(weight));
    let short = |weight: f64| format!("{:.2e}", weight / most).parse().expect("a number");
    let kept = weights.filter(|(_, weight)| *weight > NO_WEIGHT * most);
    kept.map(|(row, weight)| (row, short(weight))).collect()
}

impl Strategy for NewtonSet {
    fn way(&self) -> Way {
        Way::Newton
    }

    fn advance(&mut self, search: &mut Search) -> Result<Found, PassError> {
        if search.has_candidates() {
            return Ok(Found::GaveUp(GaveUp::NotThere));
        }
        if !std::mem::replace(&mut self.begun, true) && !self.draw(search)? {
            match is_mostly_zero(search)? {
                true => {
                    if let Some(found) = self.contested(search)? {
                        return Ok(found);
                    }
                }
                false => self.begin(search)?,
            }
        }
        if search.has_candidates() {
            // The hyperplane to begin with makes no mistake. The largest margin is for those that come after.
            let enough = !search.options.seeks(MarginKind::Angular);
            return Ok(if enough { Found::Candidate } else { Found::GaveUp(GaveUp::NotThere) });
        }
        while self.rounds < ROUNDS && (!self.ended || self.draw(search)?) {
            self.rounds += 1;
            if let Some(found) = self.round(search)? {
                return Ok(found);
            }
        }
        Ok(Found::GaveUp(GaveUp::Stuck))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numbers: &[f64], expected: Option<&[i64]>) {
        let expected = expected.map(|v| v.iter().map(|&v| IBig::from(v)).collect());
        assert_eq!(integers(numbers), expected, "{numbers:?}");
    }

    #[test]
    fn multiples_that_are_integers() {
        check(&[1.0, 0.0, -3.0 + 1e-9], Some(&[1, 0, -3]));
        check(&[1.0, 0.5, -1.0 / 3.0], Some(&[6, 3, -2]));
        // A bias that is a fortieth of the sum of all words.
        check(&[-0.025, -0.025 + 1e-9, 1e-9, 1.0], Some(&[-1, -1, 0, 40]));
        check(&[1.0, 0.7320508, 0.4142136, 0.2360680], None);
        check(&[1.0, f64::NAN], None);
        check(&[1.0, 1e20], None);
    }
}
