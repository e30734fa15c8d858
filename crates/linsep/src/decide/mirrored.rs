//! Rows of a model as the engine is asked about them: some left out and, where no constant may help to
//! separate them, each shown twice.
//!
//! ```text
//! as they are   row i of the data under its own label
//! doubled       y x on the positive side as row 2i, -y x on the negative one as row 2i + 1
//! ```
//!
//! A hyperplane (w, b) puts both on their own sides exactly if y w·x > |b|: then w alone does.
//!
//! Rows off given hyperplanes can be left out, or those on all of them. Passes do not show them. The others
//! keep their numbers, since nobody knows of all rows which are left out; so who fetches one that is gets a copy of
//! a row that is not, which changes nothing about the question. Rows are made block by block, here or where they are.

use std::any::Any;
use std::collections::HashSet;
use std::ops::{Neg, Range};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use linsep_data::error::{Error, ErrorKind};
use linsep_data::samples::{
    About, Dense, Element, LabelNames, Labels, Missing, Sparse, SparseBuilder, SparseFault,
};
use linsep_data::{Absorb, Answerable, AnyState, Block, Data, Features, Reads, Samples, Shape};
use linsep_proof::exact::ExactPlane;
use serde::{Deserialize, Serialize};

use super::folds::on_planes::lies_on;

/// A row: its number, its label, and its numbers that are not zero.
pub(crate) type StandIn = (usize, bool, Vec<(usize, f64)>);

/// How rows are shown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Mirror {
    /// Whether each row is shown on both sides.
    pub doubled: bool,
    /// Hyperplanes: rows off one of them are left out.
    pub planes: Vec<ExactPlane>,
    /// Whether rows on all of them are left out instead.
    pub off: bool,
    /// A row that is not left out.
    pub stand_in: StandIn,
    /// Which rows lie on all hyperplanes, where that has been found out. It stays here.
    #[serde(skip)]
    pub known: Option<Arc<Vec<bool>>>,
}

impl Mirror {
    /// Returns the shape of what is shown of data of this shape.
    pub fn shape(&self, data: Shape) -> Shape {
        Shape { rows: data.rows.saturating_mul(self.times()), ..data }
    }

    /// Returns how often a row is shown.
    fn times(&self) -> usize {
        if self.doubled { 2 } else { 1 }
    }

    /// Returns false if data of this shape cannot be shown in this way.
    pub fn fits(&self, shape: Shape) -> bool {
        self.planes.iter().all(|plane| plane.features() == shape.columns)
            && self.stand_in.2.iter().all(|(column, _)| *column < shape.columns)
    }

    /// Returns true if rows are shown as they are, and all of them.
    fn is_plain(&self) -> bool {
        !self.doubled && self.planes.is_empty() && !self.off
    }

    /// Returns true if a row is not left out.
    fn stays(&self, features: &Features, place: usize, number: usize) -> bool {
        let on = match &self.known {
            Some(known) => known[number],
            None => lies_on(&self.planes, features, place),
        };
        on != self.off
    }

    /// Returns what is shown of blocks of data. Errors if a row is too long for floats.
    pub fn shown(&self, blocks: &[Block<'_>]) -> Result<Vec<ShownBlock>, Error> {
        blocks.iter().map(|block| self.show(block)).collect()
    }

    fn show(&self, block: &Block) -> Result<ShownBlock, Error> {
        let (samples, times) = (block.samples(), self.times());
        let (mut lines, mut runs): (Vec<MirroredLine>, Vec<(Range<usize>, usize)>) =
            (vec![], vec![]);
        let mut labels = vec![];
        for place in block.places() {
            let number = block.number(place);
            if !self.stays(samples.features(), place, number) {
                continue;
            }
            let (start, positive) = (lines.len(), samples.positive()[place]);
            for side in 0..times {
                let (changes, label) = self.side(positive, side);
                lines.push((RowSource::Row(place), changes));
                labels.push(label);
            }
            match runs.last_mut() {
                Some((places, first)) if *first + places.len() == times * number => {
                    places.end += times;
                }
                _ => runs.push((start..start + times, times * number)),
            }
        }
        let samples = match lines.is_empty() {
            true => None,
            false => Some(shown_samples(samples.features(), &lines, labels)?),
        };
        Ok(ShownBlock { samples, runs })
    }

    /// Returns whether the sign of a row of this label changes when it is shown the first or the second time,
    /// and the label that it then has.
    fn side(&self, positive: bool, side: usize) -> (bool, bool) {
        match self.doubled {
            true => (positive != (side == 0), side == 0),
            false => (false, positive),
        }
    }

    /// Returns the rows of data of this shape that have these numbers where they are shown, in the same order.
    pub fn originals(&self, shown: &[usize], data: Shape) -> Vec<usize> {
        let mut known = HashSet::new();
        let rows = shown.iter().map(|row| row / self.times());
        rows.filter(|&row| row < data.rows && known.insert(row)).collect()
    }
}

/// Returns rows as they are shown, each with its sign changed or not.
fn shown_samples(
    features: &Features,
    lines: &[MirroredLine],
    positive: Vec<bool>,
) -> Result<Samples, Error> {
    let features = match features {
        Features::Dense64(m) => dense(m, lines, |v| v).into(),
        Features::Dense32(m) => dense(m, lines, |v| v as f32).into(),
        Features::Sparse(m) => {
            let rows = sparse(m, lines);
            Features::Sparse(rows.map_err(|_| {
                let what = "columns of a row that do not rise".to_string();
                ErrorKind::Damaged { what }
            })?)
        }
    };
    let labels = Labels { positive, names: LabelNames::default() };
    Samples::part(features, labels, Missing::Refuse)
}

/// Where the values of a row come from.
#[derive(Clone, Copy)]
enum RowSource<'a> {
    /// The row at this place.
    Row(usize),
    /// Columns and values; all others are zero.
    Few(&'a [(usize, f64)]),
}

/// A row that is shown, and whether its sign changes.
type MirroredLine<'a> = (RowSource<'a>, bool);

fn dense<T>(design: &Dense<T>, lines: &[MirroredLine], narrow: fn(f64) -> T) -> Dense<T>
where
    T: Element + Neg<Output = T>,
{
    let columns = design.columns();
    let mut values = Vec::with_capacity(lines.len() * columns);
    for &(source, changes) in lines {
        match source {
            RowSource::Row(place) => match changes {
                true => values.extend(design.row(place).iter().map(|&v| -v)),
                false => values.extend_from_slice(design.row(place)),
            },
            RowSource::Few(few) => {
                let start = values.len();
                values.resize(start + columns, T::default());
                for &(column, value) in few {
                    values[start + column] = narrow(if changes { -value } else { value });
                }
            }
        }
    }
    Dense::new(values, lines.len(), columns)
}

fn sparse(design: &Sparse, lines: &[MirroredLine]) -> Result<Sparse, SparseFault> {
    let mut out = SparseBuilder::default();
    for &(source, changes) in lines {
        let mut push = |column, value: f64| out.push(column, if changes { -value } else { value });
        match source {
            RowSource::Row(place) => {
                let (indices, values) = design.row(place);
                indices.iter().zip(values).for_each(|(&k, &v)| push(k as usize, v));
            }
            RowSource::Few(few) => few.iter().for_each(|&(column, value)| push(column, value)),
        }
        out.end_row();
    }
    out.finish(design.columns())
}

/// What is shown of a block.
pub(crate) struct ShownBlock {
    samples: Option<Samples>,
    /// Places of rows that follow one another, and the number of the first.
    runs: Vec<(Range<usize>, usize)>,
}

impl ShownBlock {
    /// Returns the rows in blocks.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let blocks = |samples| {
            self.runs.iter().map(move |(places, first)| Block::at(samples, places.clone(), *first))
        };
        self.samples.as_ref().into_iter().flat_map(blocks)
    }
}

/// Data as it is shown.
pub(crate) struct Mirrored<'a> {
    data: &'a dyn Data,
    mirror: Mirror,
    about: Arc<About>,
    reads: Reads,
    /// All rows, once someone has gathered them.
    whole: OnceLock<Samples>,
}

impl<'a> Mirrored<'a> {
    /// Returns the data as the mirror shows it.
    pub fn new(data: &'a dyn Data, mirror: Mirror) -> Self {
        let (about, reads) = (Arc::default(), Reads::default());
        Mirrored { data, mirror, about, reads, whole: OnceLock::new() }
    }

    /// Returns the rows of the data, rising, that these show. Errors if the data cannot be read.
    pub fn originals(&self, rows: &[usize]) -> Result<Vec<usize>, Error> {
        let mut numbers = self.numbers(rows);
        if !self.mirror.planes.is_empty() && !numbers.is_empty() {
            let samples = self.data.fetch(&numbers)?;
            for (place, number) in numbers.iter_mut().enumerate() {
                if !self.mirror.stays(samples.features(), place, *number) {
                    *number = self.mirror.stand_in.0;
                }
            }
            numbers.sort_unstable();
            numbers.dedup();
        }
        Ok(numbers)
    }

    /// Returns the rows of the data, rising, that have these numbers here.
    fn numbers(&self, rows: &[usize]) -> Vec<usize> {
        let mut numbers = self.mirror.originals(rows, self.data.shape());
        numbers.sort_unstable();
        numbers
    }
}

/// What the blocks of the data are shown to.
struct Through<'a, S: ?Sized> {
    mirror: &'a Mirror,
    seen: &'a S,
    failed: Mutex<Option<Error>>,
}

impl<'a, S: ?Sized> Through<'a, S> {
    fn new(mirror: &'a Mirror, seen: &'a S) -> Self {
        Through { mirror, seen, failed: Mutex::default() }
    }

    /// Errors if a row could not be shown.
    fn result(self) -> Result<(), Error> {
        let failed = self.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(()), Err)
    }
}

impl<S: Absorb + ?Sized> Absorb for Through<'_, S> {
    fn absorb(&self, block: &Block<'_>) {
        match self.mirror.show(block) {
            Ok(shown) => shown.blocks().for_each(|block| self.seen.absorb(&block)),
            Err(error) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }
}

impl<S: Answerable + ?Sized> Answerable for Through<'_, S> {
    fn queries(&self) -> Vec<&dyn Any> {
        self.seen.queries()
    }

    fn shown_by(&self) -> Option<&dyn Any> {
        Some(self.mirror)
    }

    fn accept(&self, states: Vec<AnyState>) -> Option<()> {
        self.seen.accept(states)
    }
}

impl Data for Mirrored<'_> {
    fn shape(&self) -> Shape {
        self.mirror.shape(self.data.shape())
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.shape().rows as u64);
        if self.mirror.is_plain() {
            return self.data.pass(seen);
        }
        let through = Through::new(&self.mirror, seen);
        self.data.pass(&through)?;
        through.result()
    }

    fn ask(&self, asked: &dyn Answerable) -> Result<(), Error> {
        self.reads.add(self.shape().rows as u64);
        if self.mirror.is_plain() {
            return self.data.ask(asked);
        }
        let through = Through::new(&self.mirror, asked);
        self.data.ask(&through)?;
        through.result()
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        if self.mirror.is_plain() {
            return self.data.fetch(rows);
        }
        let (numbers, times) = (self.numbers(rows), self.mirror.times());
        let samples = self.data.fetch(&numbers)?;
        let stays = |(place, &number): (usize, &usize)| {
            self.mirror.stays(samples.features(), place, number)
        };
        let stays: Vec<bool> = numbers.iter().enumerate().map(stays).collect();
        let (_, positive, stand_in) = &self.mirror.stand_in;
        let line = |&row: &usize| {
            let (source, positive) = match numbers.binary_search(&(row / times)) {
                Ok(place) if stays[place] => (RowSource::Row(place), samples.positive()[place]),
                _ => (RowSource::Few(stand_in), *positive),
            };
            let (changes, label) = self.mirror.side(positive, row % times);
            ((source, changes), label)
        };
        let (lines, labels): (Vec<MirroredLine>, Vec<bool>) = rows.iter().map(line).unzip();
        shown_samples(samples.features(), &lines, labels)
    }

    fn resident(&self) -> Option<&Samples> {
        self.data.resident().filter(|_| self.mirror.is_plain())
    }

    fn fits(&self) -> bool {
        self.data.fits()
    }

    fn gather(&self) -> Result<Option<&Samples>, Error> {
        if self.mirror.is_plain()
            && let Some(all) = self.data.gather()?
        {
            return Ok(Some(all));
        }
        // Vectors of a model fit, but are made when they are asked for.
        if self.fits() && self.whole.get().is_none() {
            let all: Vec<usize> = (0..self.shape().rows).collect();
            let _ = self.whole.set(self.fetch(&all)?);
        }
        Ok(self.whole.get())
    }

    fn about(&self) -> &Arc<About> {
        &self.about
    }

    fn reads(&self) -> &Reads {
        &self.reads
    }
}

#[cfg(test)]
mod tests {
    use dashu_int::IBig;
    use linsep_data::Memory;

    use super::*;
    use crate::decide::planes;

    /// Takes note of every row that a pass shows.
    #[derive(Default)]
    struct ShownRows(Mutex<Vec<(usize, String)>>);

    impl Absorb for ShownRows {
        fn absorb(&self, block: &Block<'_>) {
            let shown = |place| (block.number(place), shown(block.samples(), place));
            self.0.lock().unwrap().extend(block.places().map(shown));
        }
    }

    fn shown(samples: &Samples, place: usize) -> String {
        let mut values = vec![0.0; samples.columns()];
        samples.features().for_each(place, |k, v| values[k] = v + 0.0);
        format!("{}{values:?}", if samples.positive()[place] { '+' } else { '-' })
    }

    fn designs() -> [Samples; 3] {
        let positive = vec![true, false, true];
        let mut rows = SparseBuilder::default();
        for row in [&[(0, 1.0), (1, 2.0)][..], &[(1, 3.0)], &[(0, 4.0)]] {
            row.iter().for_each(|&(k, v)| rows.push(k, v));
            rows.end_row();
        }
        let values = [1.0, 2.0, 0.0, 3.0, 4.0, 0.0];
        [
            Samples::dense(values.to_vec(), 2, positive.clone()).unwrap(),
            Samples::dense(values.map(|v| v as f32).to_vec(), 2, positive.clone()).unwrap(),
            Samples::sparse(rows.finish(2).unwrap(), positive).unwrap(),
        ]
    }

    /// Checks what a pass shows of every form of the design, and what is fetched of all rows.
    fn check(mirror: &Mirror, passed: &str, fetched: &str) {
        for design in designs() {
            let memory = Memory::new(&design);
            let mirrored = Mirrored::new(&memory, mirror.clone());
            let seen = ShownRows::default();
            mirrored.pass(&seen).unwrap();
            let mut rows = seen.0.into_inner().unwrap();
            rows.sort_unstable();
            let rows: Vec<String> = rows.iter().map(|(k, row)| format!("{k}{row}")).collect();
            assert_eq!(rows.join(" "), passed);
            let all = mirrored.gather().unwrap().unwrap();
            let rows: Vec<String> = (0..all.rows()).map(|place| shown(all, place)).collect();
            assert_eq!(rows.join(" "), fetched);
            let form = std::mem::discriminant(design.features());
            assert_eq!(std::mem::discriminant(all.features()), form);
        }
    }

    /// Rows that fit in memory, and are not there.
    struct Fitting<'a>(Memory<'a>);

    impl Data for Fitting<'_> {
        fn shape(&self) -> Shape {
            self.0.shape()
        }

        fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
            self.0.pass(seen)
        }

        fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
            self.0.fetch(rows)
        }

        fn resident(&self) -> Option<&Samples> {
            None
        }

        fn fits(&self) -> bool {
            true
        }

        fn about(&self) -> &Arc<About> {
            self.0.about()
        }

        fn reads(&self) -> &Reads {
            self.0.reads()
        }
    }

    #[test]
    fn what_fits_can_be_gathered() {
        for design in designs() {
            for doubled in [false, true] {
                let fitting = Fitting(Memory::new(&design));
                let mirrored = Mirrored::new(&fitting, Mirror { doubled, ..Mirror::default() });
                assert!(mirrored.fits());
                let all = mirrored.gather().unwrap().expect("it fits");
                assert_eq!(all.rows(), mirrored.shape().rows);
            }
        }
    }

    #[test]
    fn every_form_is_mirrored_and_keeps_its_form() {
        let rows = "+[1.0, 2.0] -[0.0, 3.0] +[4.0, 0.0]";
        check(&Mirror::default(), "0+[1.0, 2.0] 1-[0.0, 3.0] 2+[4.0, 0.0]", rows);
        let rows = "+[1.0, 2.0] -[-1.0, -2.0] +[0.0, -3.0] -[0.0, 3.0] +[4.0, 0.0] -[-4.0, 0.0]";
        let numbered = "0+[1.0, 2.0] 1-[-1.0, -2.0] 2+[0.0, -3.0] 3-[0.0, 3.0] 4+[4.0, 0.0] \
                        5-[-4.0, 0.0]";
        check(&Mirror { doubled: true, ..Mirror::default() }, numbered, rows);
    }

    #[test]
    fn rows_off_a_plane_are_not_shown_and_another_is_fetched_for_them() {
        // The second feature is 3 in the middle row alone.
        let planes = planes(&[[0, 1, -3].map(IBig::from).to_vec()]);
        let stand_in = (1, false, vec![(1, 3.0)]);
        let mirror = Mirror { planes, stand_in, doubled: true, ..Mirror::default() };
        let row = "+[0.0, -3.0] -[0.0, 3.0]";
        check(&mirror, "2+[0.0, -3.0] 3-[0.0, 3.0]", &[row; 3].join(" "));
        let design = &designs()[0];
        let memory = Memory::new(design);
        assert_eq!(Mirrored::new(&memory, mirror.clone()).originals(&[0, 3, 5]).unwrap(), [1]);
        let single = Mirror { doubled: false, ..mirror.clone() };
        check(&single, "1-[0.0, 3.0]", &["-[0.0, 3.0]"; 3].join(" "));
        // Or the others are, whether it is known which they are or not.
        let stand_in = (0, true, vec![(0, 1.0), (1, 2.0)]);
        let others = Mirror { off: true, stand_in, ..single };
        let fetched = "+[1.0, 2.0] +[1.0, 2.0] +[4.0, 0.0]";
        check(&others, "0+[1.0, 2.0] 2+[4.0, 0.0]", fetched);
        let known = Some(Arc::new(vec![false, true, false]));
        check(&Mirror { known, ..others }, "0+[1.0, 2.0] 2+[4.0, 0.0]", fetched);
    }
}
