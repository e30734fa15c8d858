//! Designs with a column of ones, and rows that no constant can help to separate.

use std::ops::Neg;

use linsep_data::Features;
use linsep_data::kernels::Element;
use linsep_data::samples::{Dense, LabelNames, Labels, Missing, Sparse, SparseBuilder};

use crate::{Error, Samples};

/// A row of zeros but for one column, where it has 1, or -1 if it is not `positive`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) column: usize,
    pub(super) positive: bool,
}

/// Returns the design with a column of ones before all others.
pub(super) fn with_constant(design: &Samples) -> Result<Samples, Error> {
    let features = match design.features() {
        Features::Dense64(m) => dense_with_constant(m).into(),
        Features::Dense32(m) => dense_with_constant(m).into(),
        Features::Sparse(m) => Features::Sparse(sparse_with_constant(m)),
    };
    samples(features, design.positive().to_vec())
}

/// Returns every row that is named twice, as y x on the positive side and as -y x on the negative one,
/// and the unit as well, where there is one. A hyperplane (w, b) puts both on their own sides exactly if
/// y w·x > |b|: then w alone does.
pub(super) fn mirrored(
    design: &Samples,
    rows: &[usize],
    unit: Option<Unit>,
) -> Result<Samples, Error> {
    // (row, whether its sign changes): all of one side, then all of the other.
    let side = |positive: bool| rows.iter().map(move |&i| (i, design.positive()[i] != positive));
    let features = match design.features() {
        Features::Dense64(m) => dense_mirrored(m, side, unit).into(),
        Features::Dense32(m) => dense_mirrored(m, side, unit).into(),
        Features::Sparse(m) => Features::Sparse(sparse_mirrored(m, side, unit)),
    };
    let half = rows.len() + usize::from(unit.is_some());
    samples(features, (0..2 * half).map(|k| k < half).collect())
}

fn samples(features: Features, positive: Vec<bool>) -> Result<Samples, Error> {
    let labels = Labels { positive, names: LabelNames::default() };
    Samples::part(features, labels, Missing::Refuse)
}

fn dense_with_constant<T: Element + From<i8>>(design: &Dense<T>) -> Dense<T> {
    let (rows, columns) = (design.rows(), design.columns() + 1);
    let mut values = Vec::with_capacity(rows * columns);
    for i in 0..rows {
        values.push(T::from(1));
        values.extend_from_slice(design.row(i));
    }
    Dense::new(values, rows, columns)
}

fn sparse_with_constant(design: &Sparse) -> Sparse {
    let mut out = SparseBuilder::default();
    for i in 0..design.rows() {
        out.push(0, 1.0);
        let (indices, values) = design.row(i);
        indices.iter().zip(values).for_each(|(&k, &v)| out.push(k as usize + 1, v));
        out.end_row();
    }
    out.finish(design.columns() + 1).expect("columns rise as before")
}

fn dense_mirrored<T, I>(design: &Dense<T>, side: impl Fn(bool) -> I, unit: Option<Unit>) -> Dense<T>
where
    T: Element + From<i8> + Neg<Output = T>,
    I: Iterator<Item = (usize, bool)>,
{
    let columns = design.columns();
    let mut values = vec![];
    for positive in [true, false] {
        for (i, changes) in side(positive) {
            match changes {
                true => values.extend(design.row(i).iter().map(|&v| -v)),
                false => values.extend_from_slice(design.row(i)),
            }
        }
        if let Some(unit) = unit {
            let one = T::from(if unit.positive == positive { 1 } else { -1 });
            values.extend((0..columns).map(|k| if k == unit.column { one } else { T::default() }));
        }
    }
    let rows = values.len() / columns;
    Dense::new(values, rows, columns)
}

fn sparse_mirrored<I>(design: &Sparse, side: impl Fn(bool) -> I, unit: Option<Unit>) -> Sparse
where
    I: Iterator<Item = (usize, bool)>,
{
    let mut out = SparseBuilder::default();
    for positive in [true, false] {
        for (i, changes) in side(positive) {
            let (indices, values) = design.row(i);
            for (&k, &v) in indices.iter().zip(values) {
                out.push(k as usize, if changes { -v } else { v });
            }
            out.end_row();
        }
        if let Some(unit) = unit {
            out.push(unit.column, if unit.positive == positive { 1.0 } else { -1.0 });
            out.end_row();
        }
    }
    out.finish(design.columns()).expect("columns rise as before")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(samples: &Samples) -> String {
        let row = |i: usize| {
            let mut values = vec![0.0; samples.columns()];
            samples.features().for_each(i, |k, v| values[k] = v + 0.0);
            format!("{}{values:?}", if samples.positive()[i] { '+' } else { '-' })
        };
        (0..samples.rows()).map(row).collect::<Vec<_>>().join(" ")
    }

    fn designs() -> [Samples; 3] {
        let positive = vec![true, false];
        let mut rows = SparseBuilder::default();
        [(0, 1.0), (1, 2.0)].into_iter().for_each(|(k, v)| rows.push(k, v));
        rows.end_row();
        rows.push(1, 3.0);
        rows.end_row();
        [
            Samples::dense(vec![1.0, 2.0, 0.0, 3.0], 2, positive.clone()).unwrap(),
            Samples::dense(vec![1_f32, 2.0, 0.0, 3.0], 2, positive.clone()).unwrap(),
            Samples::sparse(rows.finish(2).unwrap(), positive).unwrap(),
        ]
    }

    #[test]
    fn every_form_is_mirrored_and_keeps_its_form() {
        for design in designs() {
            let unit = Unit { column: 0, positive: false };
            let both = mirrored(&design, &[0, 1], Some(unit)).unwrap();
            let expected = "+[1.0, 2.0] +[0.0, -3.0] +[-1.0, 0.0] \
                            -[-1.0, -2.0] -[0.0, 3.0] -[1.0, 0.0]";
            assert_eq!(shown(&both), expected);
            let form = std::mem::discriminant(design.features());
            assert_eq!(std::mem::discriminant(both.features()), form);
            assert_eq!(shown(&mirrored(&design, &[1], None).unwrap()), "+[0.0, -3.0] -[0.0, 3.0]");
            let with = with_constant(&design).unwrap();
            assert_eq!(shown(&with), "+[1.0, 1.0, 2.0] -[1.0, 0.0, 3.0]");
            assert_eq!(std::mem::discriminant(with.features()), form);
        }
    }
}
