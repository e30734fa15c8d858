//! Gathers pieces of a table in memory, and makes samples of them.

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::samples::{
    About, Encoded, Encoding, Features, LabelNames, LabelTable, Labels, LeftOut, Missing, RowIds,
    RowNumbers, Samples, WhyLeftOut, label_order,
};

use super::ReadOptions;
use super::encoder::Encoder;
use super::fill::{self, Fills};
use super::labels::{LabelFile, LabelTally};
use super::piece::{Levels, Piece, RawKind, RawLayout, Values, recode};

/// The rows of a table so far.
pub(super) struct Gather<'a> {
    layout: &'a RawLayout,
    values: Option<Values>,
    pub(super) levels: Vec<Levels>,
    pub(super) tally: LabelTally,
}

impl<'a> Gather<'a> {
    pub(super) fn new(layout: &'a RawLayout) -> Self {
        let categories = layout.columns.iter().filter(|c| c.kind == RawKind::Category).count();
        let levels = vec![Levels::default(); categories];
        Gather { layout, values: None, levels, tally: LabelTally::default() }
    }

    /// Takes a piece that comes after all others; returns how many rows there have been.
    ///
    /// Errors if there is no memory for it.
    pub(super) fn take(&mut self, piece: Piece) -> Result<u64, Error> {
        let values = self.survey(piece)?;
        match &mut self.values {
            Some(all) => all.append(values)?,
            none => *none = Some(values),
        }
        Ok(self.tally.seen())
    }

    /// Takes all of a piece but its values, which are returned with the codes of the whole table.
    pub(super) fn survey(&mut self, piece: Piece) -> Result<Values, Error> {
        let Piece { mut values, levels, tally } = piece;
        let both = self.levels.iter_mut().zip(&levels);
        let maps: Vec<Vec<u32>> = both.map(|(all, some)| all.append(some)).collect();
        recode(&mut values, self.layout, &maps);
        self.tally.append(tally)?;
        Ok(values)
    }

    /// Returns the samples, with their labels from `file` if there is one.
    ///
    /// Errors if there is no row, and as [`Samples::new`] does.
    pub(super) fn finish(
        self,
        file: Option<LabelFile>,
        options: &ReadOptions,
    ) -> Result<Samples, Error> {
        let layout = self.layout;
        let positive = options.positive.as_deref();
        let ready = self.ready(file, options, |table| table.into_classes(positive))?;
        let Ready { features, labels, mut about, ids } = ready;
        about.label_names = labels.names.clone();
        let samples = Samples::new(features, labels, options.missing)
            .map_err(|error| about.rows.place(name_column(error, layout)))?;
        let ids = ids.map(|ids| match &samples.about().rows {
            left if left.is_all() => ids,
            left => ids.select((0..samples.rows()).map(|row| left.in_file(row))),
        });
        about.dropped += samples.about().dropped;
        about.rows = about.rows.after(&samples.about().rows, samples.rows());
        let samples = samples.with_about(about);
        Ok(match ids {
            Some(ids) => samples.with_row_ids(ids),
            None => samples,
        })
    }

    /// Returns the rows with their outcomes as they stand, whatever they are.
    ///
    /// Errors if there is no row or no feature, and if a value is not finite, unless such rows are dropped.
    pub(super) fn outcomes(
        self,
        file: Option<LabelFile>,
        options: &ReadOptions,
    ) -> Result<Outcomes, Error> {
        let layout = self.layout;
        self.ready(file, options, Ok)?.into_outcomes(layout, options.missing)
    }

    /// Returns features and labels before they are held against each other.
    fn ready<L>(
        self,
        file: Option<LabelFile>,
        options: &ReadOptions,
        classes: impl FnOnce(LabelTable) -> Result<L, Error>,
    ) -> Result<Ready<L>, Error> {
        let Gather { layout, values, levels, tally } = self;
        let rows = tally.kept() as usize;
        let mut about = About::default();
        let raw = match values {
            Some(Values::Sparse(sparse)) => {
                let base = options.index_base.unwrap_or(u8::from(!sparse.has_zero));
                about.index_base = base;
                let columns = sparse.end().saturating_sub(usize::from(base));
                sparse.into_sparse(base, columns)?
            }
            Some(dense) => dense.into_dense(rows, layout.columns.len()),
            None => return Err(ErrorKind::NoRows { dropped: tally.dropped() as usize }.into()),
        };
        let settled = tally.settle(raw, file, classes)?;
        (about.dropped, about.rows) =
            (settled.dropped.len(), RowNumbers::without(&settled.dropped));
        let fills = match options.missing.is_filled() {
            true => fill::find(&settled.features, options.missing)?,
            false => Fills::default(),
        };
        let encoder = describe(layout, &levels, &fills, options, &mut about)?;
        let features = match &encoder {
            Some(encoder) => {
                encoder.require(settled.features.rows())?;
                encoder.apply(&settled.features)
            }
            None => settled.features,
        };
        Ok(Ready { features, labels: settled.labels, about, ids: settled.ids })
    }
}

/// Rows whose columns have become features.
pub(super) struct Ready<L> {
    pub(super) features: Features,
    pub(super) labels: L,
    pub(super) about: About,
    pub(super) ids: Option<RowIds>,
}

impl Ready<LabelTable> {
    /// Returns the rows with their labels as they stand. Errors as [`Gather::outcomes`] does.
    pub(super) fn into_outcomes(
        self,
        layout: &RawLayout,
        missing: Missing,
    ) -> Result<Outcomes, Error> {
        let Ready { mut features, mut labels, mut about, mut ids } = self;
        let rows = features.rows();
        let keep: Vec<usize> = (0..rows).filter(|&row| features.is_finite(row)).collect();
        if missing == Missing::Drop && keep.len() < rows {
            if keep.is_empty() {
                return Err(ErrorKind::NoRows { dropped: rows }.into());
            }
            about.dropped += rows - keep.len();
            about.rows = about.rows.select(&keep);
            features = features.select_rows(&keep);
            ids = ids.map(|ids| ids.select(keep.iter().copied()));
            labels = labels.select(keep);
        }
        let positive = vec![true; features.rows()];
        let names = LabelNames::default();
        let samples = Samples::part(features, Labels { positive, names }, Missing::Refuse)
            .map_err(|error| about.rows.place(name_column(error, layout)))?
            .with_about(about);
        let samples = match ids {
            Some(ids) => samples.with_row_ids(ids),
            None => samples,
        };
        Ok(Outcomes { samples, outcomes: labels })
    }
}

/// Rows with an outcome of any kind: categories, counts or times, as they are spelled.
pub struct Outcomes {
    /// The rows; their labels mean nothing.
    pub samples: Samples,
    /// The outcome of each.
    pub outcomes: LabelTable,
}

/// Returns the error with the column that a feature is, where every column is one.
pub(super) fn name_column(mut error: Error, layout: &RawLayout) -> Error {
    if let Some(Column::Number(feature)) = error.place.column
        && let Some(raw) = layout.columns.get(feature - 1)
    {
        error.place.column = Some(raw.column.clone());
    }
    error
}

/// Writes down what is known of a table once all of it has been seen; returns how its columns become
/// features, unless each is one as it is.
///
/// Errors if no column is left.
pub(super) fn describe(
    layout: &RawLayout,
    levels: &[Levels],
    fills: &Fills,
    options: &ReadOptions,
    about: &mut About,
) -> Result<Option<Encoder>, Error> {
    about.label_column = layout.label.clone();
    about.left_out = layout.left_out.clone();
    about.filled = fills.cells;
    if layout.columns.is_empty() {
        return Ok(None);
    }
    let (mut columns, mut places, mut codes) = (vec![], vec![], vec![]);
    let mut levels = levels.iter();
    for (place, raw) in layout.columns.iter().enumerate() {
        let column = match &raw.column {
            Column::Name(name) => name.clone(),
            Column::Number(number) => number.to_string(),
        };
        let leave_out = |why| LeftOut { column: raw.column.clone(), why };
        let (encoded, map) = match raw.kind {
            RawKind::Number => {
                let fill = fills.of(place);
                if options.missing.is_filled() && fill.is_none() {
                    about.left_out.push(leave_out(WhyLeftOut::NoValues));
                    continue;
                }
                (Encoded::Number { column, fill }, vec![])
            }
            RawKind::Category => {
                let levels = levels.next().expect("levels for each category");
                if levels.mostly_once() && !raw.asked {
                    about.left_out.push(leave_out(WhyLeftOut::TextOfItsOwn));
                    continue;
                }
                if levels.endless {
                    let count = levels.spellings.len();
                    return Err(
                        Error::from(ErrorKind::ManyLevels { count }).in_column(raw.column.clone())
                    );
                }
                category(column, levels, options)
            }
        };
        columns.push(encoded);
        places.push(place);
        codes.push(map);
    }
    let encoding = Encoding { columns };
    if encoding.width() == 0 {
        return Err(ErrorKind::NoFeatures.into());
    }
    let plain = encoding.is_plain() && encoding.columns.len() == layout.columns.len();
    if layout.named || !plain {
        about.feature_names = Some(encoding.names(layout.named));
    }
    if plain {
        return Ok(None);
    }
    about.encoding = Some(encoding.clone());
    Ok(Some(Encoder::new(encoding, places, codes)))
}

/// Returns a category with its levels in order, and the level of each code.
fn category(
    column: String,
    levels: &Levels,
    options: &ReadOptions,
) -> (Encoded, Vec<Option<usize>>) {
    let mut order: Vec<usize> = (0..levels.spellings.len()).collect();
    order.sort_by(|&a, &b| label_order(&levels.spellings[a], &levels.spellings[b]));
    let mut codes = vec![None; order.len()];
    order.iter().enumerate().for_each(|(level, &code)| codes[code] = Some(level));
    // Of equals the first.
    let fill = (0..order.len()).rev().max_by_key(|&level| levels.counts[order[level]]);
    let encoded = Encoded::Category {
        column,
        levels: order.iter().map(|&code| levels.spellings[code].clone()).collect(),
        first_dropped: !options.all_levels,
        fill: fill.filter(|_| options.missing.is_filled()),
    };
    (encoded, codes)
}
