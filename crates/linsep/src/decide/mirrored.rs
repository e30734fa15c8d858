//! Rows that no constant can help to separate: each is shown twice.
//!
//! ```text
//! row i of the data      y x on the positive side as row 2i, -y x on the negative one as row 2i + 1
//! a unit vector          e or -e in the same way, as the last two rows
//! a constant             one more column, the first, of which every x has 1
//! ```
//!
//! A hyperplane (w, b) puts both on their own sides exactly if y w·x > |b|: then w alone does.
//!
//! Some rows can be left out: those off given hyperplanes. Passes do not show them. The others keep their
//! numbers, since nobody knows of all rows which are left out; so who fetches one that is gets a copy of a row
//! that is not, which changes nothing about the question. Rows are made block by block, here or where they are.

use std::collections::HashSet;
use std::ops::{ControlFlow, Neg, Range};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dashu_int::IBig;
use linsep_data::error::{Error, ErrorKind};
use linsep_data::kept::Bytes;
use linsep_data::kernels::Element;
use linsep_data::samples::{
    About, Dense, LabelNames, Labels, Missing, Sparse, SparseBuilder, SparseFault,
};
use linsep_data::{Absorb, Block, Data, Features, Reads, Samples, Shape};
use linsep_proof::exact::ExactPlane;
use rayon::prelude::*;

use super::folds::on_planes::{self, lies_on};

/// What it is called in a request.
const KIND: &str = "mirrored rows";

/// A row of zeros but for one column, where it has 1, or -1 if it is not `positive`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub column: usize,
    pub positive: bool,
}

/// How rows are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mirror {
    /// Whether a constant is the first column.
    pub constant: bool,
    /// Hyperplanes, the bias last, for rows without the constant: rows off one of them are left out.
    pub planes: Vec<Vec<IBig>>,
    /// A row that is not left out, and y x of it with the constant: the numbers that are not zero.
    pub stand_in: (usize, Vec<(usize, f64)>),
    /// One row more.
    pub unit: Option<Unit>,
}

impl Mirror {
    /// Returns the shape of what is shown of data of this shape.
    pub fn shape(&self, data: Shape) -> Shape {
        Shape {
            rows: data.rows.saturating_add(usize::from(self.unit.is_some())).saturating_mul(2),
            columns: data.columns + usize::from(self.constant),
            sparse: data.sparse,
        }
    }

    /// Takes how rows are shown off the front of a request about data of this shape, or nothing where it does
    /// not say. Nothing at all if the bytes cannot be that.
    pub fn asked(from: &mut &[u8], shape: Shape) -> Option<Option<Self>> {
        let mut rest = *from;
        if String::take(&mut rest)? != KIND {
            return Some(None);
        }
        *from = rest;
        let planes = on_planes::take(from, shape.columns)?;
        let (constant, stand_in, unit): (_, _, Vec<(usize, bool)>) = Bytes::take(from)?;
        let unit = unit.first().map(|&(column, positive)| Unit { column, positive });
        let mirror = Mirror { constant, planes, stand_in, unit };
        let columns = mirror.shape(shape).columns;
        let fits = mirror.stand_in.1.iter().all(|(column, _)| *column < columns)
            && mirror.unit.is_none_or(|unit| unit.column < columns);
        fits.then_some(Some(mirror))
    }

    fn put(&self, planes: &[ExactPlane], out: &mut Vec<u8>) {
        KIND.to_string().put(out);
        on_planes::put(planes, out);
        let unit: Vec<_> = self.unit.iter().map(|unit| (unit.column, unit.positive)).collect();
        (self.constant, self.stand_in.clone(), unit).put(out);
    }

    /// Returns what is shown of blocks of data of this shape. Errors if a row is too long for floats.
    pub fn shown(&self, blocks: &[Block<'_>], shape: Shape) -> Result<Vec<Shown>, Error> {
        let planes = on_planes::planes(&self.planes);
        blocks.iter().map(|block| self.show(block, &planes, shape)).collect()
    }

    fn show(&self, block: &Block, planes: &[ExactPlane], shape: Shape) -> Result<Shown, Error> {
        let samples = block.samples();
        let stays = block.places().filter(|&place| lies_on(planes, samples.features(), place));
        let row = |place| (Source::Row(place), !samples.positive()[place], block.number(place));
        // Whoever has the first row shows the unit.
        let values = self.unit_values();
        let first = !block.places().is_empty() && block.number(block.places().start) == 0;
        let unit =
            (first && self.unit.is_some()).then_some((Source::Few(&values), false, shape.rows));
        let (mut lines, mut runs): (Vec<Line>, Vec<(Range<usize>, usize)>) = (vec![], vec![]);
        for (source, changes, number) in stays.map(row).chain(unit) {
            let start = lines.len();
            lines.extend([(source, changes), (source, !changes)]);
            match runs.last_mut() {
                Some((places, first)) if *first + places.len() == 2 * number => places.end += 2,
                _ => runs.push((start..start + 2, 2 * number)),
            }
        }
        let samples = match lines.is_empty() {
            true => None,
            false => Some(self.samples(samples.features(), &lines, |at| at.is_multiple_of(2))?),
        };
        Ok(Shown { samples, runs })
    }

    fn unit_values(&self) -> Vec<(usize, f64)> {
        let value = |unit: &Unit| (unit.column, if unit.positive { 1.0 } else { -1.0 });
        self.unit.iter().map(value).collect()
    }

    /// Returns rows as they are shown, each with its sign changed or not; `positive` goes by place.
    fn samples(
        &self,
        features: &Features,
        lines: &[Line],
        positive: impl Fn(usize) -> bool,
    ) -> Result<Samples, Error> {
        let features = match features {
            Features::Dense64(m) => dense(m, self.constant, lines, |v| v).into(),
            Features::Dense32(m) => dense(m, self.constant, lines, |v| v as f32).into(),
            Features::Sparse(m) => {
                let rows = sparse(m, self.constant, lines);
                Features::Sparse(rows.map_err(|_| {
                    let what = "columns of a row that do not rise".to_string();
                    ErrorKind::Damaged { what }
                })?)
            }
        };
        let positive = (0..lines.len()).map(positive).collect();
        let labels = Labels { positive, names: LabelNames::default() };
        Samples::part(features, labels, Missing::Refuse)
    }
}

/// Where the values of a row come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// The row at this place.
    Row(usize),
    /// Columns and values; all others are zero.
    Few(&'a [(usize, f64)]),
}

/// A row that is shown, and whether its sign changes.
type Line<'a> = (Source<'a>, bool);

fn dense<T>(design: &Dense<T>, constant: bool, lines: &[Line], narrow: fn(f64) -> T) -> Dense<T>
where
    T: Element + From<i8> + Neg<Output = T>,
{
    let columns = design.columns() + usize::from(constant);
    let mut values = Vec::with_capacity(lines.len() * columns);
    for &(source, changes) in lines {
        match source {
            Source::Row(place) => {
                values.extend(constant.then(|| T::from(if changes { -1 } else { 1 })));
                match changes {
                    true => values.extend(design.row(place).iter().map(|&v| -v)),
                    false => values.extend_from_slice(design.row(place)),
                }
            }
            Source::Few(few) => {
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

fn sparse(design: &Sparse, constant: bool, lines: &[Line]) -> Result<Sparse, SparseFault> {
    let shift = usize::from(constant);
    let mut out = SparseBuilder::default();
    for &(source, changes) in lines {
        let mut push = |column, value: f64| out.push(column, if changes { -value } else { value });
        match source {
            Source::Row(place) => {
                if constant {
                    push(0, 1.0);
                }
                let (indices, values) = design.row(place);
                indices.iter().zip(values).for_each(|(&k, &v)| push(k as usize + shift, v));
            }
            Source::Few(few) => few.iter().for_each(|&(column, value)| push(column, value)),
        }
        out.end_row();
    }
    out.finish(design.columns() + shift)
}

/// Returns the rows of data of this shape that have these numbers where they are shown, in the same order.
pub(crate) fn originals(shown: &[usize], data: Shape) -> Vec<usize> {
    let mut known = HashSet::new();
    let rows = shown.iter().map(|row| row / 2);
    rows.filter(|&row| row < data.rows && known.insert(row)).collect()
}

/// What is shown of a block.
pub(crate) struct Shown {
    samples: Option<Samples>,
    /// Places of rows that follow one another, and the number of the first.
    runs: Vec<(Range<usize>, usize)>,
}

impl Shown {
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
    /// What is shown, once a pass has asked for it, of data that is in memory.
    shown: OnceLock<Vec<Shown>>,
    /// All rows, once someone has gathered them.
    whole: OnceLock<Samples>,
}

impl<'a> Mirrored<'a> {
    /// Returns the data as the mirror shows it.
    pub fn new(data: &'a dyn Data, mirror: Mirror) -> Self {
        Mirrored {
            data,
            mirror,
            about: Arc::default(),
            reads: Reads::default(),
            shown: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// Returns the rows of the data, rising, that these show. Errors if the data cannot be read.
    pub fn originals(&self, rows: &[usize]) -> Result<Vec<usize>, Error> {
        let mut numbers = self.numbers(rows);
        if !self.mirror.planes.is_empty() && !numbers.is_empty() {
            let (samples, planes) =
                (self.data.fetch(&numbers)?, on_planes::planes(&self.mirror.planes));
            for (place, number) in numbers.iter_mut().enumerate() {
                if !lies_on(&planes, samples.features(), place) {
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
        let mut numbers = originals(rows, self.data.shape());
        numbers.sort_unstable();
        numbers
    }

    /// Calls `see` with what is shown of each block of a pass; `asked` is what is asked for elsewhere.
    fn read(&self, asked: Option<&dyn Absorb>, see: &(dyn Fn(Shown) + Sync)) -> Result<(), Error> {
        let planes = &on_planes::planes(&self.mirror.planes);
        let (mirror, shape) = (&self.mirror, self.data.shape());
        let through = Through { mirror, planes, shape, see, asked, failed: Mutex::default() };
        self.data.pass(&through)?;
        match through.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Returns what is shown of data that is in memory: it is made once.
    fn kept(&self) -> Result<&[Shown], Error> {
        if self.shown.get().is_none() {
            let shown = Mutex::new(vec![]);
            self.read(None, &|more| {
                shown.lock().unwrap_or_else(PoisonError::into_inner).push(more);
            })?;
            let shown = shown.into_inner().unwrap_or_else(PoisonError::into_inner);
            return Ok(self.shown.get_or_init(|| shown));
        }
        Ok(self.shown.get().map_or(&[], Vec::as_slice))
    }
}

/// What the blocks of the data are shown to.
struct Through<'a> {
    mirror: &'a Mirror,
    planes: &'a [ExactPlane<'a>],
    /// The shape of the data.
    shape: Shape,
    see: &'a (dyn Fn(Shown) + Sync),
    asked: Option<&'a dyn Absorb>,
    failed: Mutex<Option<Error>>,
}

impl Absorb for Through<'_> {
    fn absorb(&self, block: &Block<'_>) {
        match self.mirror.show(block, self.planes, self.shape) {
            Ok(shown) => (self.see)(shown),
            Err(error) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    }

    fn request(&self) -> Option<Vec<u8>> {
        let asked = self.asked?.request()?;
        let mut request = vec![];
        self.mirror.put(self.planes, &mut request);
        request.extend(asked);
        Some(request)
    }

    fn accept(&self, found: &[u8], shape: Shape) -> Option<()> {
        self.asked?.accept(found, self.mirror.shape(shape))
    }
}

impl Data for Mirrored<'_> {
    fn shape(&self) -> Shape {
        self.mirror.shape(self.data.shape())
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.reads.add(self.shape().rows as u64);
        let see = |shown: &Shown| shown.blocks().for_each(|block| seen.absorb(&block));
        if self.data.resident().is_some() {
            self.kept()?.par_iter().for_each(see);
            return Ok(());
        }
        self.read(Some(seen), &|shown| see(&shown))
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        let mut numbers = self.numbers(rows);
        if numbers.is_empty() {
            // A unit takes its form from some row.
            numbers.push(0);
        }
        let samples = self.data.fetch(&numbers)?;
        let planes = on_planes::planes(&self.mirror.planes);
        let stays: Vec<bool> =
            (0..numbers.len()).map(|place| lies_on(&planes, samples.features(), place)).collect();
        let (stand_in, unit) = (&self.mirror.stand_in.1, self.mirror.unit_values());
        let line = |&row: &usize| {
            let (source, changes) = match numbers.binary_search(&(row / 2)) {
                _ if row >= 2 * self.data.shape().rows => (Source::Few(&unit), false),
                Ok(place) if stays[place] => (Source::Row(place), !samples.positive()[place]),
                _ => (Source::Few(stand_in), false),
            };
            (source, changes != (row % 2 == 1))
        };
        let lines: Vec<Line> = rows.iter().map(line).collect();
        self.mirror.samples(samples.features(), &lines, |at| rows[at].is_multiple_of(2))
    }

    fn in_order(
        &self,
        _first: usize,
        _see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let (found, expected) = ("mirrored rows in order".to_string(), "what a fold can ask for");
        Err(ErrorKind::Unsupported { found, expected }.into())
    }

    fn resident(&self) -> Option<&Samples> {
        None
    }

    fn fits(&self) -> bool {
        self.data.resident().is_some()
    }

    fn gather(&self) -> Result<Option<&Samples>, Error> {
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
    use linsep_data::{Fold, Memory, fold};

    use super::*;

    /// Takes note of every row that a pass shows.
    struct Rows(Vec<(usize, String)>);

    impl Fold for Rows {
        fn fresh(&self) -> Self {
            Rows(vec![])
        }

        fn absorb(&mut self, block: &Block<'_>) {
            let shown = |place| (block.number(place), shown(block.samples(), place));
            self.0.extend(block.places().map(shown));
        }

        fn merge(mut self, other: Self) -> Self {
            self.0.extend(other.0);
            self
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
            let mut rows = fold(&mirrored, Rows(vec![])).unwrap().0;
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

    #[test]
    fn every_form_is_mirrored_and_keeps_its_form() {
        let rows = "+[1.0, 2.0] -[-1.0, -2.0] +[0.0, -3.0] -[0.0, 3.0] +[4.0, 0.0] -[-4.0, 0.0]";
        let numbered = "0+[1.0, 2.0] 1-[-1.0, -2.0] 2+[0.0, -3.0] 3-[0.0, 3.0] 4+[4.0, 0.0] \
                        5-[-4.0, 0.0]";
        check(&Mirror::default(), numbered, rows);
        let unit = Some(Unit { column: 0, positive: false });
        let mirror = Mirror { unit, ..Mirror::default() };
        let end = "+[-1.0, 0.0] -[1.0, 0.0]";
        let numbered = format!("{numbered} 6+[-1.0, 0.0] 7-[1.0, 0.0]");
        check(&mirror, &numbered, &format!("{rows} {end}"));
    }

    #[test]
    fn rows_off_a_plane_are_not_shown_and_another_is_fetched_for_them() {
        // The second feature is 3 in the middle row alone.
        let plane = [0, 1, -3].map(IBig::from).to_vec();
        let stand_in = (1, vec![(0, -1.0), (2, -3.0)]);
        let mirror = Mirror { constant: true, planes: vec![plane], stand_in, unit: None };
        let row = "+[-1.0, 0.0, -3.0] -[1.0, 0.0, 3.0]";
        check(&mirror, "2+[-1.0, 0.0, -3.0] 3-[1.0, 0.0, 3.0]", &[row; 3].join(" "));
        let design = &designs()[0];
        let memory = Memory::new(design);
        let mirrored = Mirrored::new(&memory, mirror);
        assert_eq!(mirrored.originals(&[0, 3, 5]).unwrap(), [1]);
    }
}
