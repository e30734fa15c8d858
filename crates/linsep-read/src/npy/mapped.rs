//! Values read in place from a file that is mapped into memory.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use linsep_data::samples::Dense;
use memmap2::Mmap;

use super::number::Target;

/// Numbers in native byte order that take up these bytes of a mapped file.
struct Mapped<T> {
    map: Arc<Mmap>,
    bytes: Range<usize>,
    values: PhantomData<T>,
}

impl<T: Target> AsRef<[T]> for Mapped<T> {
    fn as_ref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[self.bytes.clone()])
    }
}

/// Returns the matrix stored in native byte order `offset` bytes into a mapped file, or `None`
/// if the values are not aligned there or the file is too short.
pub(super) fn dense<T: Target>(
    map: Arc<Mmap>,
    offset: usize,
    rows: usize,
    columns: usize,
) -> Option<Dense<T>> {
    let length = rows.checked_mul(columns)?.checked_mul(size_of::<T>())?;
    let bytes = offset..offset.checked_add(length)?;
    bytemuck::try_cast_slice::<u8, T>(map.get(bytes.clone())?).ok()?;
    Dense::lent(Arc::new(Mapped { map, bytes, values: PhantomData }), rows, columns)
}
