//! Asking for rows before they are needed.

/// Bytes between the row that is worked on and the one that is asked for.
const AHEAD: usize = 4096;

/// Returns how many rows ahead to [`prefetch`] when rows of this many values are visited in turn.
pub(super) fn rows_ahead<T>(values: usize) -> usize {
    (AHEAD / (values * size_of::<T>()).max(1)).max(1)
}

/// Asks for a row before it is needed: the hardware alone falls short of the memory's bandwidth,
/// and cannot guess the next row where rows are skipped or shuffled.
#[inline(always)]
pub(super) fn prefetch<T>(row: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // Far more than this, and the first lines would be gone before they are used.
        let bytes = size_of_val(row).min(8 * AHEAD);
        for offset in (0..bytes).step_by(64) {
            // SAFETY: the address is inside the row; a prefetch changes nothing but the cache.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().cast::<i8>().add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}
