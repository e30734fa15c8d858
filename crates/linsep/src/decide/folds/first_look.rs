//! What rides on the first pass, whatever that is for: the fingerprint, and a few facts for later.

use linsep_data::kept::Bytes;
use linsep_data::{Block, Fold, Kept, Shape};
use linsep_proof::{Fingerprint, Named};

/// Takes the fingerprint, the first row of each class, and the largest norm.
pub struct FirstLook {
    fingerprint: Fingerprint,
    first: [Option<usize>; 2],
    longest: f64,
}

/// What the first look has found.
pub struct Facts {
    /// The name of the data.
    pub named: Named,
    /// The first negative row and the first positive one.
    pub first: [usize; 2],
    /// The largest norm of an extended row (x, 1).
    pub longest: f64,
}

impl FirstLook {
    /// Returns the look at no rows yet, of data of this shape.
    pub fn new(shape: Shape) -> Self {
        FirstLook { fingerprint: Fingerprint::of(shape), first: [None; 2], longest: 0.0 }
    }

    /// Returns what was found, once all rows have been seen.
    pub fn facts(&self) -> Facts {
        // Of rows of one class nobody asks more than what they span.
        let any = self.first.into_iter().flatten().next();
        let first = self.first.map(|row| row.or(any).expect("a row"));
        Facts { named: self.fingerprint.named(), first, longest: self.longest }
    }
}

impl Fold for FirstLook {
    fn fresh(&self) -> Self {
        FirstLook { fingerprint: self.fingerprint.fresh(), first: [None; 2], longest: 0.0 }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        self.fingerprint.absorb(block);
        let samples = block.samples();
        for i in block.places() {
            self.longest = self.longest.max(samples.norms()[i]);
            let first = &mut self.first[usize::from(samples.positive()[i])];
            *first = Some(first.map_or(block.number(i), |known| known.min(block.number(i))));
        }
    }

    fn merge(self, other: Self) -> Self {
        let least = |a: Option<usize>, b: Option<usize>| a.into_iter().chain(b).min();
        let [a, b] = [0, 1].map(|class| least(self.first[class], other.first[class]));
        FirstLook {
            fingerprint: self.fingerprint.merge(other.fingerprint),
            first: [a, b],
            longest: self.longest.max(other.longest),
        }
    }
}

impl Kept for FirstLook {
    fn kind(&self) -> String {
        "first look".to_string()
    }

    fn question(&self, _out: &mut Vec<u8>) {}

    fn save(&self, out: &mut Vec<u8>) {
        self.fingerprint.save(out);
        let first = self.first.map(|row| row.unwrap_or(usize::MAX));
        (first[0], first[1], self.longest).put(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.fingerprint.restore(from, shape)?;
        let (negative, positive, longest): (usize, usize, f64) = Bytes::take(from)?;
        let fits = |row: &usize| *row < shape.rows || *row == usize::MAX;
        self.first = [negative, positive].map(|row| Some(row).filter(|&row| row < usize::MAX));
        self.longest = longest;
        ([negative, positive].iter().all(fits) && longest >= 0.0).then_some(())
    }

    fn is_complete(&self, _: Shape) -> bool {
        self.first.iter().all(Option::is_some)
    }
}
