//! Parquet files: a part is a row group.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use linsep_data::error::{Error, ErrorKind};
use linsep_data::memory;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::errors::ParquetError;

use super::guarded;

/// What the end of a file says.
pub(super) struct Footer(ArrowReaderMetadata);

impl Footer {
    /// Errors if the end is damaged, or says what cannot be read.
    pub(super) fn read(file: &File) -> Result<Self, Error> {
        let plain = ArrowReaderMetadata::load(file, ArrowReaderOptions::new()).map_err(damage)?;
        let wanted = with_dictionaries(plain.schema());
        let options = ArrowReaderOptions::new().with_schema(Arc::new(wanted));
        let coded = ArrowReaderMetadata::try_new(plain.metadata().clone(), options);
        let footer = Footer(coded.unwrap_or(plain));
        footer.check_places(file.metadata()?.len())?;
        Ok(footer)
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }

    /// Returns the number of rows of each row group. Errors if one is negative.
    pub(super) fn parts(&self) -> Result<Vec<usize>, Error> {
        let groups = self.0.metadata().row_groups().iter();
        groups
            .map(|group| {
                usize::try_from(group.num_rows()).map_err(|_| {
                    let what = format!("a row group of {} rows", group.num_rows());
                    ErrorKind::Damaged { what }.into()
                })
            })
            .collect()
    }

    /// Returns about how many bytes roots of a row group take while they are decoded: a page of each column,
    /// as it is stored and as it was.
    pub(super) fn memory(&self, part: usize, roots: &[usize]) -> u64 {
        /// What writers cut pages at, and dictionaries.
        const PAGE: u64 = 1 << 20;
        let mask = ProjectionMask::roots(self.0.parquet_schema(), roots.iter().copied());
        let columns = self.0.metadata().row_group(part).columns().iter().enumerate();
        let page = |bytes: i64| u64::try_from(bytes).unwrap_or(0).min(PAGE);
        columns
            .filter(|(k, _)| mask.leaf_included(*k))
            .map(|(_, column)| page(column.compressed_size()) + page(column.uncompressed_size()))
            .sum()
    }

    /// Decodes roots of a row group, `at_once` rows at a time; only `rows` if they are given.
    pub(super) fn decode(
        &self,
        file: File,
        part: usize,
        roots: &[usize],
        at_once: usize,
        rows: Option<&[usize]>,
        each: &mut dyn FnMut(RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let group = self.0.metadata().row_group(part);
        // A page is decompressed as a whole, and has 2 GiB at most.
        let pages = group.columns().iter().map(|c| c.uncompressed_size().clamp(0, 1 << 31));
        memory::require(pages.max().unwrap_or(0) as u64)?;
        let mask = ProjectionMask::roots(self.0.parquet_schema(), roots.iter().copied());
        let mut builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.0.clone())
            .with_row_groups(vec![part])
            .with_projection(mask)
            .with_batch_size(at_once);
        if let Some(rows) = rows {
            let total = group.num_rows() as usize;
            let selection = RowSelection::from_consecutive_ranges(ranges(rows), total);
            builder = builder.with_row_selection(selection);
        }
        let mut batches = guarded(|| builder.build().map_err(damage))?;
        let mut next = || guarded(|| batches.next().transpose().map_err(|e| damage(e.into())));
        while let Some(batch) = next()? {
            each(batch)?;
        }
        Ok(())
    }

    /// Errors if a column is said to be outside of the file.
    fn check_places(&self, size: u64) -> Result<(), Error> {
        let columns = self.0.metadata().row_groups().iter().flat_map(|group| group.columns());
        for column in columns {
            let starts = column.dictionary_page_offset().into_iter();
            let start = starts.chain([column.data_page_offset()]).min().unwrap_or(-1);
            let end = start.checked_add(column.compressed_size());
            if start < 0 || column.compressed_size() < 0 || end.is_none_or(|e| e as u64 > size) {
                let what = "a column is outside of the file".to_string();
                return Err(ErrorKind::Damaged { what }.into());
            }
        }
        Ok(())
    }
}

/// Returns the schema with text as dictionaries: most often it is stored so, and then no row is
/// spelled out.
fn with_dictionaries(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let coded = DataType::Dictionary(DataType::Int32.into(), DataType::Utf8.into());
            Arc::new(Field::clone(field).with_data_type(coded))
        }
        _ => field.clone(),
    });
    Schema::new(fields.collect::<Vec<_>>())
}

/// Returns rising numbers as ranges.
fn ranges(rows: &[usize]) -> impl Iterator<Item = Range<usize>> {
    rows.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[0] + run.len())
}

fn damage(error: ParquetError) -> Error {
    match error {
        ParquetError::NYI(found) => {
            ErrorKind::Unsupported { found, expected: "another encoding or compression" }.into()
        }
        ParquetError::External(error) => match error.downcast::<std::io::Error>() {
            Ok(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => {
                ErrorKind::Io(*error).into()
            }
            Ok(error) => ErrorKind::Damaged { what: error.to_string() }.into(),
            Err(error) => ErrorKind::Damaged { what: error.to_string() }.into(),
        },
        error => {
            let text = error.to_string();
            let what = text.strip_prefix("Parquet error: ").unwrap_or(&text).to_string();
            ErrorKind::Damaged { what }.into()
        }
    }
}
