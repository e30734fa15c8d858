//! Hands the rows of a source to a model, block by block.

use linsep_data::error::{Column, Error, ErrorKind};
use linsep_data::samples::{Encoded, Encoding, Features, LabelTable, Missing, RowIds};

use super::encoder::Encoder;
use super::labels::LabelFile;
use super::piece::{Levels, Piece, RawKind, RawLayout, Values};
use super::{Opened, ReadOptions, Source, TableReader, label_file};

/// What a model expects of the rows it is given.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The number of features.
    pub features: usize,
    /// Their names, if the model was trained on data with names.
    pub names: Option<&'a [String]>,
    /// The number of the first feature in libsvm data, unless the options say otherwise.
    pub index_base: u8,
    /// The column of the labels in the data that the model was trained on.
    pub label_column: Option<&'a Column>,
    /// How columns become features, where they are not simply the same.
    pub encoding: Option<&'a Encoding>,
}

impl Expected<'_> {
    /// Returns the options as the model has them: what it has to fill in, it fills in whatever they say, and
    /// what it cannot fill in is refused.
    fn settle(&self, options: &ReadOptions) -> ReadOptions {
        let fills = self.encoding.is_some_and(Encoding::fills);
        let missing = match (fills, options.missing) {
            (true, _) => Missing::Mean,
            (false, asked) if asked.is_filled() => Missing::Refuse,
            (false, asked) => asked,
        };
        ReadOptions { missing, ..options.clone() }
    }
}

/// What a model does with a level that it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// It refuses the data.
    #[default]
    Refuse,
    /// It takes the row as one that has none of the levels.
    Ignore,
}

/// Consecutive rows of a stream.
pub struct FeatureBlock {
    /// Their features.
    pub features: Features,
    /// Their numbers among the data rows, counted from 1; dropped rows leave gaps.
    pub rows: Vec<u64>,
    /// Their labels, if the source has any: an empty one where it is missing.
    pub labels: Option<LabelTable>,
    /// Their names, if a column has them.
    pub ids: Option<RowIds>,
}

/// What a stream was made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// The number of rows that were handed on.
    pub rows: u64,
    /// The number of rows that were left out for missing values.
    pub dropped: u64,
}

/// Returns how many rows there were, after handing them to `each` in blocks, in order.
///
/// Labels are not needed, and handed on where they are found: beside the features, or in a file of their own
/// as [`read`](super::read) takes it. Memory is that of a few blocks, unless
/// the source is an npy array in Fortran order, which has to be read whole.
///
/// With a header and expected names, columns are picked by name. Otherwise `options.features`
/// says which, or all are taken, or all but the label if there is one column too many.
///
/// Errors as [`read`](super::read) does, if the features do not fit those expected, and if `each` does.
pub fn stream(
    source: &Source,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(FeatureBlock) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    let options = &expected.settle(options);
    let mut streamed = || {
        let opened = Opened::open(source, options)?;
        let labels = labels_elsewhere(source, &opened, options, expected)?;
        let mut table = opened.expecting(options, expected)?;
        let summary = hand_on(&mut *table, options, expected, &mut |mut block| {
            if let Some(file) = &labels {
                block.labels = Some(file.of_rows(&block.rows));
            }
            each(block)
        })?;
        if let Some(file) = &labels {
            file.check_count(summary.rows + summary.dropped)?;
        }
        Ok(summary)
    };
    streamed().map_err(|error: Error| error.in_source(&source.name()))
}

/// Returns the labels that stand in a file of their own, unless the model knows their column.
fn labels_elsewhere(
    source: &Source,
    opened: &Opened,
    options: &ReadOptions,
    expected: &Expected,
) -> Result<Option<LabelFile>, Error> {
    if options.labels.is_none() && expected.label_column.is_some() {
        return Ok(None);
    }
    // A row without a label is predicted all the same.
    let options = ReadOptions { missing: Missing::Drop, ..options.clone() };
    label_file(source, opened, &options)
}

/// Hands the rows of a table on, a block for each piece.
pub(super) fn hand_on(
    table: &mut dyn TableReader,
    options: &ReadOptions,
    expected: &Expected,
    each: &mut dyn FnMut(FeatureBlock) -> Result<(), Error>,
) -> Result<StreamSummary, Error> {
    let layout = table.layout().clone();
    let mut summary = StreamSummary::default();
    table.pieces(&mut |piece| {
        let (rows, dropped) = (piece.tally.kept(), piece.tally.dropped());
        let before = summary.rows + summary.dropped;
        summary.rows += rows;
        summary.dropped += dropped;
        match rows {
            0 => Ok(()),
            _ => each(block(piece, before, &layout, options, expected)?),
        }
    })?;
    Ok(summary)
}

/// Returns the features of a piece that comes after `before` rows.
fn block(
    piece: Piece,
    before: u64,
    layout: &RawLayout,
    options: &ReadOptions,
    expected: &Expected,
) -> Result<FeatureBlock, Error> {
    let Piece { values, levels, tally } = piece;
    let rows = tally.kept_rows(before);
    let features = match values {
        Values::Sparse(sparse) => {
            let base = options.index_base.unwrap_or(expected.index_base);
            sparse.into_sparse(base, expected.features)?
        }
        dense => {
            let raw = dense.into_dense(rows.len(), layout.columns.len());
            match expected.encoding {
                None => raw,
                Some(encoding) => encoder(encoding, &levels, layout, options)?.apply(&raw),
            }
        }
    };
    let labels = Some(tally.labels()).filter(|labels| !labels.is_empty()).cloned();
    Ok(FeatureBlock { features, rows, labels, ids: tally.ids().cloned() })
}

/// Returns the encoder of a piece whose categories have these levels.
///
/// Errors if the model does not know one of them, unless it is to be ignored.
fn encoder(
    encoding: &Encoding,
    levels: &[Levels],
    layout: &RawLayout,
    options: &ReadOptions,
) -> Result<Encoder, Error> {
    let mut met = levels.iter();
    let mut codes = vec![];
    for (encoded, raw) in encoding.columns.iter().zip(&layout.columns) {
        let Encoded::Category { levels: known, .. } = encoded else {
            codes.push(vec![]);
            continue;
        };
        debug_assert_eq!(raw.kind, RawKind::Category);
        let met = met.next().expect("levels for each category");
        let places = met.spellings.iter().map(|spelling| {
            let place = known.iter().position(|level| level == spelling);
            if place.is_none() && options.unknown == Unknown::Refuse {
                let kind = ErrorKind::UnknownLevel { found: spelling.clone() };
                return Err(Error::from(kind).in_column(raw.column.clone()));
            }
            Ok(place)
        });
        codes.push(places.collect::<Result<Vec<_>, _>>()?);
    }
    let places = (0..layout.columns.len()).collect();
    Ok(Encoder::new(encoding.clone(), places, codes))
}
