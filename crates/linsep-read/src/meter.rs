//! How far reading has come.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells how far reading has come, while it goes on. Clones tell the same.
///
/// ```
/// use linsep_read::{Meter, ReadOptions, Source, read};
///
/// let path = std::env::temp_dir().join(format!("linsep-doc-meter-{}.csv", std::process::id()));
/// std::fs::write(&path, "age,label\n100,no\n101,yes\n")?;
/// let meter = Meter::default();
/// let options = ReadOptions { meter: meter.clone(), ..ReadOptions::default() };
/// read(&Source::from(path.as_path()), &options, &|rows| {
///     assert_eq!(meter.share(rows), Some(1.0));
/// })?;
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Meter(Arc<Counts>);

/// Zero where a number is not known.
#[derive(Default)]
struct Counts {
    bytes: AtomicU64,
    all_bytes: AtomicU64,
    all_rows: AtomicU64,
}

impl Meter {
    /// Returns the share of the source that has been read after `rows` rows: of its rows, where the file says
    /// how many there are, else of its bytes. None if neither is known, as of standard input.
    pub fn share(&self, rows: u64) -> Option<f64> {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let (all_rows, all_bytes) = (get(&self.0.all_rows), get(&self.0.all_bytes));
        let share = match (all_rows > 0.0, all_bytes > 0.0) {
            (true, _) => rows as f64 / all_rows,
            (false, true) => get(&self.0.bytes) / all_bytes,
            (false, false) => return None,
        };
        Some(share.min(1.0))
    }

    /// Begins anew, with `all` bytes to read; 0 if their number is unknown.
    pub(super) fn expect_bytes(&self, all: u64) {
        self.0.bytes.store(0, Ordering::Relaxed);
        self.0.all_bytes.store(all, Ordering::Relaxed);
        self.0.all_rows.store(0, Ordering::Relaxed);
    }

    /// Takes note of how many rows there are.
    pub(super) fn expect_rows(&self, all: u64) {
        self.0.all_rows.store(all, Ordering::Relaxed);
    }

    /// Returns a reader whose bytes are counted.
    pub(super) fn counting<R: Read>(&self, inner: R) -> Counting<R> {
        Counting { inner, meter: self.clone() }
    }
}

/// Shows nothing of the counts: options are compared by what they print.
impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Meter")
    }
}

/// A reader whose bytes are counted.
pub(super) struct Counting<R> {
    inner: R,
    meter: Meter,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.meter.0.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_where_they_are_known_else_bytes() {
        let meter = Meter::default();
        assert_eq!(meter.share(5), None);
        meter.expect_bytes(8);
        let mut half = [0; 4];
        meter.counting(&b"abcdefgh"[..]).read_exact(&mut half).unwrap();
        assert_eq!(meter.share(5), Some(0.5));
        meter.expect_rows(20);
        assert_eq!(meter.clone().share(5), Some(0.25));
        // More than the file promised.
        assert_eq!(meter.share(25), Some(1.0));
        meter.expect_bytes(0);
        assert_eq!(meter.share(5), None);
        assert_eq!(format!("{meter:?}"), format!("{:?}", Meter::default()));
    }
}
