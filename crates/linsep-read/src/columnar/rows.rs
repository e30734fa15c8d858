//! Columns to rows: which columns are wanted, and where in a row their values go.

use std::borrow::Cow;

use arrow_array::{ArrayRef, RecordBatch};

use super::schema::SchemaColumns;
use super::texts::{Texts, items};
use super::values::{Float, ValueFault, floats};
use super::{Batch, Wanted};

/// Most rows of a batch.
const MOST_ROWS: usize = 1 << 13;
/// Bytes of values of a batch: what a core's own cache holds.
const BATCH_BYTES: usize = 1 << 20;
/// Columns that are turned into rows together: a cache line of f32.
const TILE: usize = 16;

/// How batches of columns are made into rows.
pub(super) struct Plan<'a> {
    columns: &'a SchemaColumns,
    wanted: &'a Wanted,
    /// The roots that are decoded, in rising order.
    roots: Vec<usize>,
    runs: Vec<ItemRun>,
    is_f32: bool,
}

/// Items of one list, or a single column, that stand side by side in a row.
struct ItemRun {
    root: usize,
    item: usize,
    count: usize,
    /// The place of the first one in a row.
    to: usize,
}

/// What is wrong in a batch.
pub(super) struct Misplaced {
    pub(super) root: usize,
    pub(super) fault: ValueFault,
}

impl<'a> Plan<'a> {
    pub(super) fn new(columns: &'a SchemaColumns, wanted: &'a Wanted) -> Self {
        let all = wanted.numbers.iter().chain(&wanted.texts);
        let mut roots: Vec<usize> = all.map(|&column| columns.slots[column].root).collect();
        roots.sort_unstable();
        roots.dedup();
        let mut runs: Vec<ItemRun> = vec![];
        for (to, &column) in wanted.numbers.iter().enumerate() {
            let slot = columns.slots[column];
            match runs.last_mut() {
                Some(run) if run.root == slot.root && run.item + run.count == slot.item => {
                    run.count += 1;
                }
                _ => runs.push(ItemRun { root: slot.root, item: slot.item, count: 1, to }),
            }
        }
        let is_f32 = columns.is_f32(&wanted.numbers);
        Plan { columns, wanted, roots, runs, is_f32 }
    }

    /// Returns the roots that have to be decoded, in rising order.
    pub(super) fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Returns how many rows to decode at once.
    pub(super) fn rows_per_batch(&self) -> usize {
        let value = if self.is_f32 { size_of::<f32>() } else { size_of::<f64>() };
        (BATCH_BYTES / (value * self.wanted.numbers.len()).max(1)).clamp(1, MOST_ROWS)
    }

    /// Returns the rows of decoded roots.
    ///
    /// Errors if a value cannot be a number.
    pub(super) fn batch(&self, first: usize, roots: &RecordBatch) -> Result<Batch, Misplaced> {
        let numbers = if self.is_f32 {
            f32::numbers(self.numbers(roots)?)
        } else {
            f64::numbers(self.numbers(roots)?)
        };
        let texts = self.wanted.texts.iter().map(|&column| {
            let slot = self.columns.slots[column];
            let array = self.array(roots, slot.root);
            let texts = match self.columns.roots[slot.root].list {
                Some(_) => items(array, slot.item).and_then(|items| Texts::of(&items)),
                None => Texts::of(array),
            };
            texts.map_err(|fault| Misplaced { root: slot.root, fault })
        });
        let texts = texts.collect::<Result<_, _>>()?;
        Ok(Batch { first, rows: roots.num_rows(), numbers, texts })
    }

    fn array<'b>(&self, roots: &'b RecordBatch, root: usize) -> &'b ArrayRef {
        let at = self.roots.binary_search(&root).expect("a wanted root");
        roots.column(at)
    }

    fn numbers<T: Float>(&self, roots: &RecordBatch) -> Result<Vec<T>, Misplaced> {
        let values = self.runs.iter().map(|run| {
            let length = self.columns.roots[run.root].list;
            let values = floats::<T>(self.array(roots, run.root), length);
            values.map_err(|fault| Misplaced { root: run.root, fault })
        });
        let mut values: Vec<Cow<[T]>> = values.collect::<Result<_, _>>()?;
        let (rows, width) = (roots.num_rows(), self.wanted.numbers.len());
        if let [run] = &self.runs[..]
            && self.list_length(run) == width
        {
            return Ok(values.remove(0).into_owned());
        }
        let mut out = vec![T::NAN; rows * width];
        let mut rest = &self.runs[..];
        let mut values = &values[..];
        while let Some(run) = rest.first() {
            let singles = rest.iter().take(TILE).take_while(|run| self.list_length(run) == 1);
            let count = singles.count();
            if count > 1 {
                transpose(&values[..count], width, run.to, &mut out);
            } else {
                let length = self.list_length(run);
                for (row, list) in out.chunks_exact_mut(width).zip(values[0].chunks_exact(length)) {
                    row[run.to..][..run.count].copy_from_slice(&list[run.item..][..run.count]);
                }
            }
            (rest, values) = (&rest[count.max(1)..], &values[count.max(1)..]);
        }
        Ok(out)
    }

    fn list_length(&self, run: &ItemRun) -> usize {
        self.columns.roots[run.root].list.unwrap_or(1)
    }
}

/// Writes columns side by side into rows of `width` values, from the place `to` on.
fn transpose<T: Float>(columns: &[Cow<[T]>], width: usize, to: usize, out: &mut [T]) {
    if let Ok(columns) = <&[Cow<[T]>; TILE]>::try_from(columns) {
        let rows = out.len() / width;
        let columns: [&[T]; TILE] = std::array::from_fn(|k| &columns[k][..rows]);
        for (at, row) in out.chunks_exact_mut(width).enumerate() {
            let row: &mut [T; TILE] = (&mut row[to..to + TILE]).try_into().expect("a tile");
            for (value, column) in row.iter_mut().zip(&columns) {
                *value = column[at];
            }
        }
        return;
    }
    for (at, row) in out.chunks_exact_mut(width).enumerate() {
        for (value, column) in row[to..].iter_mut().zip(columns) {
            *value = column[at];
        }
    }
}
