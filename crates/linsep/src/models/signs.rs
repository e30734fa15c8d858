//! Where infinite coefficients run to: the signs that directions can have.
//!
//! ```text
//! some direction g is strict off the face. Moved a little within the space of directions it stays one, so
//! the directions fill that space:
//!
//!     g_k = 0      moved a little either way: both signs occur
//!     g_k > 0      -g_k occurs too unless e_k is a non-negative combination of the rows off the face: one of
//!                  the two holds (Farkas)
//! ```
//!
//! In coordinates of that space, the rows on the face are zero, and it has few dimensions as a rule. Floats project e_k
//! on the cone of some rows. If nothing is left, integers solve for the combination; if something is, it is a
//! direction of the other sign, and all rows are held against it, exactly: those that it has on the wrong side join.
//! One direction may answer for many coefficients. Where floats are at their end, the simplex method in integers goes on.
//!
//! Where all directions are in question, as with complete separation, the cone is full-dimensional, and nearly every coefficient is told by
//! a few steps from its centre: see `centre`. The projection gets those that are left.

mod centre;

use std::cmp::Ordering;
use std::collections::HashSet;

use dashu_int::IBig;
use linsep_data::Samples;
use linsep_proof::exact::{ExactSum, parts};
use linsep_proof::structure::Coefficient;
use rayon::prelude::*;

use super::cone::{Face, integers};
use super::enclosed::is_positive_combination;
use super::question::{DirectionQuestion, value};
use super::separation::Sign;
use super::space::{Space, on_one_exponent, size};
use crate::decide::nnls::nearest;
use crate::decide::{
    Alternative, DecideError, Directions, Farkas, Halt, Mirrored, Scan, Scorer, in_lowest_terms,
    planes, rounded, spread,
};
use crate::kernels::{Arithmetic, exponent, power_of_two};
use crate::queries::fold;

/// Coefficients that are looked into at a time: the directions they propose share a pass.
const BATCH: usize = 16;
/// Rows per dimension to start with, of those nearest to the wrong side of the strict direction, and of any.
const NEAREST_ROWS: usize = 4;
const OTHER_ROWS: usize = 2;
/// Rows per dimension that one direction adds at most.
const ADDED_ROWS: usize = 2;
/// The most rows whose products of all pairs are kept.
const MOST_PRODUCTS: usize = 3000;
/// What is left of a target is nothing below this share of it, as far as floats can tell.
const NOTHING: f64 = 1e-9;

/// Numbers above this are not near to where floats lose bits.
const SMALL: f64 = 1e-280;

/// Returns where infinite coefficients run to, given a direction that is strict off the face, and true. Where the work
/// is halted, the sign that is known to occur stands for it, and false is returned.
pub(super) fn signs(
    question: &DirectionQuestion,
    face: &Face,
    strict: &[IBig],
    infinite: &[usize],
    halt: Halt,
) -> Result<(Vec<Sign>, bool), DecideError> {
    let mut known = KnownSigns::new(question, infinite, strict);
    let mut all = true;
    // In one dimension the strict direction is the only one.
    if face.space.dimension() > 1 && (0..infinite.len()).any(|k| known.is_open(k)) {
        let off = Mirrored::new(question.data, face.off());
        let mut search = SignSearch::new(question, face, &off, strict, halt)?;
        all = !halt()
            && search.start()?
            && search.tell_from_centre(&mut known)?
            && search.run(&mut known)?;
    }
    Ok((infinite.iter().enumerate().map(|(k, _)| known.sign(k)).collect(), all))
}

/// The signs that are known to occur.
struct KnownSigns<'a> {
    coefficients: Vec<&'a Coefficient>,
    plus: Vec<bool>,
    minus: Vec<bool>,
    /// Whether the sign that is known has been proven to be the only one.
    one_way: Vec<bool>,
}

impl<'a> KnownSigns<'a> {
    fn new(question: &'a DirectionQuestion, infinite: &[usize], strict: &[IBig]) -> Self {
        let coefficients: Vec<&Coefficient> =
            infinite.iter().map(|&k| &question.coefficients[k]).collect();
        let none = vec![false; coefficients.len()];
        let mut known =
            KnownSigns { coefficients, plus: none.clone(), minus: none.clone(), one_way: none };
        known.note(strict);
        for k in 0..infinite.len() {
            // The strict direction has neighbours of both signs.
            let both = !known.plus[k] && !known.minus[k];
            (known.plus[k], known.minus[k]) = (known.plus[k] || both, known.minus[k] || both);
        }
        known
    }

    /// Notes the signs of one direction.
    fn note(&mut self, direction: &[IBig]) {
        for (k, coefficient) in self.coefficients.iter().enumerate() {
            match value(coefficient, direction).sign() {
                Ordering::Greater => self.plus[k] = true,
                Ordering::Less => self.minus[k] = true,
                Ordering::Equal => {}
            }
        }
    }

    fn is_open(&self, k: usize) -> bool {
        self.plus[k] != self.minus[k] && !self.one_way[k]
    }

    fn sign(&self, k: usize) -> Sign {
        match (self.plus[k], self.minus[k]) {
            (true, true) => Sign::Either,
            (true, false) => Sign::Plus,
            (false, _) => Sign::Minus,
        }
    }
}

/// What is proposed about one coefficient.
enum Proposal {
    /// It has one sign: proven.
    OneWay,
    /// A direction of the other sign, if all rows agree.
    Direction(Vec<IBig>),
    /// Nothing: the work was halted.
    Halted,
}

/// Rows off the face in coordinates of the space of directions.
struct SignSearch<'a> {
    question: &'a DirectionQuestion<'a>,
    face: &'a Face,
    off: &'a Mirrored<'a>,
    strict: &'a [IBig],
    halt: Halt<'a>,
    /// The basis of the space in floats, each vector about as long as one; none if it is all directions.
    basis: Vec<Vec<f64>>,
    /// The rows that have joined, as they stand, and in floats of length about one.
    rows: Vec<Vec<(usize, f64)>>,
    floats: Vec<Vec<f64>>,
    /// The products of all pairs of them, if they are not too many.
    products: Vec<Vec<f64>>,
    numbers: HashSet<usize>,
    /// Whether floats hold the rows, scaled, without rounding.
    exact: bool,
    /// What each coordinate is multiplied by in floats, so that all are of like size: powers of two.
    scale: Vec<f64>,
}

impl<'a> SignSearch<'a> {
    fn new(
        question: &'a DirectionQuestion,
        face: &'a Face,
        off: &'a Mirrored<'a>,
        strict: &'a [IBig],
        halt: Halt<'a>,
    ) -> Result<Self, DecideError> {
        let basis = match &face.space {
            Space::All(_) => vec![],
            Space::Spanned(vectors) => vectors.iter().map(|v| rounded(v)).collect(),
        };
        let (rows, floats, numbers) = (vec![], vec![], HashSet::new());
        let scale = vec![1.0; face.space.dimension()];
        let exact = false;
        let products = vec![];
        Ok(SignSearch {
            question,
            face,
            off,
            strict,
            halt,
            basis,
            rows,
            floats,
            products,
            numbers,
            exact,
            scale,
        })
    }

    /// Takes in the rows nearest to the wrong side of the strict direction, and some others. False if halted.
    fn start(&mut self) -> Result<bool, DecideError> {
        let dimension = self.face.space.dimension();
        let scan = Scan::new(Scorer::Lifted(rounded(self.strict)), NEAREST_ROWS * dimension);
        let worst = fold(self.off, &scan)?.report().worst;
        let mut rows: Vec<usize> = worst.iter().map(|(_, row)| *row).collect();
        rows.extend(spread(self.question.data.shape().rows, OTHER_ROWS * dimension));
        self.join(rows)
    }

    /// Takes rows in that are not there yet. False if halted.
    fn join(&mut self, mut rows: Vec<usize>) -> Result<bool, DecideError> {
        rows.sort_unstable();
        rows.dedup();
        // Those that are left out are fetched as another row, which may be there already.
        let mut rows = fetched(self.off, &rows)?;
        rows.retain(|row| self.numbers.insert(*row));
        if rows.is_empty() {
            return Ok(true);
        }
        let samples = linsep_data::Data::fetch(self.off, &rows)?;
        for place in 0..samples.rows() {
            self.rows.push(signed(&samples, place, !self.question.doubled));
        }
        Ok(self.see().is_some())
    }

    /// Makes floats of the rows; nothing if halted.
    fn see(&mut self) -> Option<()> {
        let halt = self.halt;
        let seen = |row: &Vec<_>| (!halt()).then(|| self.coordinates(row));
        let raw: Vec<Vec<f64>> = self.rows.par_iter().map(seen).collect::<Option<_>>()?;
        for (c, scale) in self.scale.iter_mut().enumerate() {
            let largest = raw.iter().fold(0.0, |most: f64, v| most.max(v[c].abs()));
            *scale = inverse_power(largest);
        }
        let scale = &self.scale;
        let unit = |mut v: Vec<f64>| {
            v.iter_mut().zip(scale).for_each(|(v, s)| *v *= s);
            let scale = inverse_power(crate::hyperplane::norm(v.iter().copied()));
            v.iter_mut().for_each(|v| *v *= scale);
            v
        };
        let stored = |rows: &[Vec<f64>], least: f64| {
            rows.iter().flatten().filter(|v| v.abs() > least).count()
        };
        let before = stored(&raw, 0.0);
        self.floats = raw.into_par_iter().map(unit).collect();
        self.products = vec![];
        // A power of two changes no bit, unless a number becomes too small.
        let small = stored(&self.floats, SMALL) < before;
        self.exact = matches!(self.face.space, Space::All(_)) && !small;
        Some(())
    }

    /// Multiplies all pairs of rows, which the projection asks for again and again; nothing if halted.
    fn multiply(&mut self) -> Option<()> {
        let (halt, all) = (self.halt, &self.floats);
        if self.products.is_empty() && all.len() <= MOST_PRODUCTS {
            let with =
                |u: &Vec<f64>| (!halt()).then(|| all.iter().map(|v| f64::dot(u, v)).collect());
            self.products = all.par_iter().map(with).collect::<Option<_>>()?;
        }
        Some(())
    }

    /// Returns a row in coordinates of the space, as floats have them.
    fn coordinates(&self, row: &[(usize, f64)]) -> Vec<f64> {
        match &self.face.space {
            Space::All(dimension) => {
                let mut all = vec![0.0; *dimension];
                row.iter().filter(|(c, _)| c < dimension).for_each(|&(c, v)| all[c] = v);
                all
            }
            Space::Spanned(_) => {
                let product = |v: &Vec<f64>| row.iter().map(|&(c, x)| v[c] * x).sum();
                self.basis.iter().map(product).collect()
            }
        }
    }

    /// Returns a row in coordinates of the space, exactly, times a power of two.
    fn exact_coordinates(&self, row: &[(usize, f64)]) -> Vec<IBig> {
        let sums = match &self.face.space {
            Space::All(dimension) => {
                let mut all = vec![ExactSum::default(); *dimension];
                for &(c, v) in row.iter().filter(|(c, _)| c < dimension) {
                    let (mantissa, exponent) = parts(v);
                    all[c].add(mantissa.into(), exponent);
                }
                all
            }
            Space::Spanned(basis) => {
                let product = |v: &Vec<IBig>| {
                    let mut sum = ExactSum::default();
                    for &(c, x) in row {
                        let (mantissa, exponent) = parts(x);
                        sum.add(&v[c] * mantissa, exponent);
                    }
                    sum
                };
                basis.iter().map(product).collect()
            }
        };
        in_lowest_terms(on_one_exponent(sums))
    }

    /// Returns what is positive on the strict direction for a coefficient with one known sign: exactly, and for the rows as
    /// floats have them.
    fn target(&self, known: &KnownSigns, k: usize) -> (Vec<IBig>, Vec<f64>) {
        let mut target = self.face.space.values(known.coefficients[k]);
        if !known.plus[k] {
            target = target.into_iter().map(ExactSum::negated).collect();
        }
        let target = on_one_exponent(target);
        // Coordinates are scaled in the rows, so a product with them is the same if directions are scaled back.
        let floats = rounded(&target).iter().zip(&self.scale).map(|(t, s)| t * s).collect();
        (target, floats)
    }

    /// Finds the other sign, or that there is none, of all coefficients with one known sign. False if halted.
    fn run(&mut self, known: &mut KnownSigns) -> Result<bool, DecideError> {
        let mut open: Vec<usize> = (0..known.plus.len()).filter(|&k| known.is_open(k)).collect();
        // Coefficients about which floats were wrong.
        let mut exactly: HashSet<usize> = HashSet::new();
        while !open.is_empty() {
            if (self.halt)() || self.multiply().is_none() {
                return Ok(false);
            }
            let batch: Vec<usize> = open.iter().copied().take(BATCH).collect();
            let proposals: Vec<Proposal> =
                batch.par_iter().map(|&k| self.propose(known, k, exactly.contains(&k))).collect();
            let (mut asked, mut directions) = (vec![], vec![]);
            for (k, proposal) in batch.into_iter().zip(proposals) {
                match proposal {
                    Proposal::OneWay => open.retain(|&other| other != k),
                    Proposal::Direction(direction) => {
                        asked.push(k);
                        directions.push(direction);
                    }
                    Proposal::Halted => return Ok(false),
                }
            }
            if directions.is_empty() {
                continue;
            }
            let most = ADDED_ROWS * self.face.space.dimension();
            let query = Directions::new(planes(&directions), false, most);
            let checked = fold(self.off, &query)?.found();
            let mut joining = vec![];
            for ((k, direction), (count, wrong)) in asked.into_iter().zip(directions).zip(checked) {
                if count == 0 {
                    known.note(&direction);
                } else {
                    if wrong.iter().all(|row| self.numbers.contains(row)) {
                        exactly.insert(k);
                    }
                    joining.extend(wrong);
                }
            }
            if !self.join(joining)? {
                return Ok(false);
            }
            open.retain(|&k| known.is_open(k));
        }
        Ok(true)
    }

    /// Returns what the rows that have joined say of a coefficient that can be positive, or negative: can it be
    /// the other?
    fn propose(&self, known: &KnownSigns, k: usize, exactly: bool) -> Proposal {
        let halt = self.halt;
        let (coefficient, plus) = (known.coefficients[k], known.plus[k]);
        let (target, floats) = self.target(known, k);
        if exactly {
            return self.exact(&target, (0..self.rows.len()).collect(), &[]);
        }
        let length = crate::hyperplane::norm(floats.iter().copied());
        let found = nearest(&self.floats, &self.products, &floats, &|| halt());
        if halt() {
            return Proposal::Halted;
        }
        if crate::hyperplane::norm(found.rest.iter().copied()) <= NOTHING * length {
            if self.is_combination(&floats, &found.places) {
                return Proposal::OneWay;
            }
            return match self.exact(&target, found.places.clone(), &found.places) {
                Proposal::Direction(_) => {
                    self.exact(&target, (0..self.rows.len()).collect(), &found.places)
                }
                other => other,
            };
        }
        let direction = found.rest.iter().zip(&self.scale).map(|(r, s)| -r * s);
        match self.inside(coefficient, plus, &integers(direction)) {
            Some(direction) => Proposal::Direction(direction),
            None => self.exact(&target, (0..self.rows.len()).collect(), &found.places),
        }
    }

    /// Returns true if the target is a positive combination of as many rows as there are dimensions, all rounding
    /// counted. False if that cannot be told.
    fn is_combination(&self, target: &[f64], places: &[usize]) -> bool {
        self.exact && places.len() == target.len() && {
            let vectors = places.iter().map(|&k| &self.floats[k][..]).collect();
            is_positive_combination(vectors, target, self.halt)
        }
    }

    /// Returns what integers say: the target is a combination of the rows at these places, or a direction has it
    /// negative and none of these rows.
    fn exact(&self, target: &[IBig], places: Vec<usize>, start: &[usize]) -> Proposal {
        let halt = self.halt;
        let exact = |&k: &usize| (!halt()).then(|| self.exact_coordinates(&self.rows[k]));
        let Some(vectors) = places.iter().map(exact).collect() else {
            return Proposal::Halted;
        };
        let begin: Vec<usize> =
            (0..places.len()).filter(|&at| start.contains(&places[at])).collect();
        let mut farkas = Farkas::default();
        let asked = farkas.ask(vectors, target.to_vec(), halt);
        let started = asked.and_then(|()| farkas.start(&begin, halt));
        match started.and_then(|()| farkas.decide(halt)) {
            None => Proposal::Halted,
            Some(Alternative::Reached(..)) => Proposal::OneWay,
            Some(Alternative::Barred(y)) => Proposal::Direction(self.raw(&y)),
        }
    }

    /// Returns a direction, given in coordinates of the space, for rows as they stand.
    fn raw(&self, y: &[IBig]) -> Vec<IBig> {
        let mut raw = vec![IBig::ZERO; self.question.dimension()];
        match &self.face.space {
            Space::All(_) => raw.iter_mut().zip(y).for_each(|(raw, y)| *raw = y.clone()),
            Space::Spanned(basis) => {
                for (vector, y) in basis.iter().zip(y).filter(|(_, y)| !y.is_zero()) {
                    raw.iter_mut().zip(vector).for_each(|(raw, v)| *raw += v * y);
                }
            }
        }
        in_lowest_terms(raw)
    }

    /// Returns a direction of floats, in coordinates of the space, moved towards the strict one as far as
    /// the coefficient keeps half of its value: rounding then does no harm. Nothing if it has the wrong sign.
    fn inside(&self, coefficient: &Coefficient, plus: bool, y: &[IBig]) -> Option<Vec<IBig>> {
        // Basis vectors were rounded to about one, so that what floats found is for them.
        let y = self.for_basis(y);
        let direction = self.raw(&y);
        let (own, strict) = (value(coefficient, &direction), value(coefficient, self.strict));
        let wanted = if plus { Ordering::Less } else { Ordering::Greater };
        if own.sign() != wanted {
            return None;
        }
        let shift = size(&own)? - size(&strict)? - 2;
        let moved = |(d, s): (&IBig, &IBig)| match shift {
            0.. => d + (s << shift as usize),
            _ => (d << -shift as usize) + s,
        };
        Some(in_lowest_terms(direction.iter().zip(self.strict).map(moved).collect()))
    }

    /// Returns multiples of the basis vectors, given those of the basis in floats.
    fn for_basis(&self, y: &[IBig]) -> Vec<IBig> {
        use dashu_int::ops::BitTest;
        let Space::Spanned(basis) = &self.face.space else {
            return y.to_vec();
        };
        let longest = |v: &Vec<IBig>| v.iter().map(BitTest::bit_len).max().unwrap_or(0);
        let lengths: Vec<usize> = basis.iter().map(longest).collect();
        let most = lengths.iter().copied().max().unwrap_or(0);
        y.iter().zip(lengths).map(|(y, length)| y << (most - length)).collect()
    }
}

/// Returns a power of two that makes a number about one.
fn inverse_power(value: f64) -> f64 {
    match value > f64::MIN_POSITIVE {
        true => power_of_two(-exponent(value).clamp(-500, 500)),
        false => 1.0,
    }
}

/// Returns the numbers of the rows that are fetched under these.
fn fetched(off: &Mirrored, rows: &[usize]) -> Result<Vec<usize>, DecideError> {
    Ok(off.originals(rows)?)
}

/// Returns y (x, 1) of a row, or y x: the numbers that are not zero.
fn signed(samples: &Samples, place: usize, bias: bool) -> Vec<(usize, f64)> {
    let sign = if samples.positive()[place] { 1.0 } else { -1.0 };
    let mut values = vec![];
    samples.features().for_each(place, |k, v| {
        if v != 0.0 {
            values.push((k, sign * v));
        }
    });
    values.extend(bias.then_some((samples.columns(), sign)));
    values
}
