//! Folds as bytes: what one asks for, and what it has found.
//!
//! Bytes can be kept in a file, or sent to where the fold goes on. The same findings are the same bytes,
//! however the rows were cut, and floats are kept to the last bit.

use crate::data::{Block, Data, Fold, Shape};
use crate::error::Error;

/// A fold that can be kept as bytes.
pub trait Kept: Fold {
    /// Returns what it looks for, in a few words.
    fn kind(&self) -> String;

    /// Writes what it asks for: other bytes if it asks for anything else.
    fn question(&self, out: &mut Vec<u8>);

    /// Writes what it looks for and what it asks for, so that a fold like it can be made elsewhere.
    fn send(&self, out: &mut Vec<u8>) {
        self.kind().put(out);
        self.question(out);
    }

    /// Writes what it has found so far.
    fn save(&self, out: &mut Vec<u8>);

    /// Takes over, having seen nothing, what a fold with the same question has found in some rows of data of
    /// this shape. Nothing if the bytes cannot be that; then it is of no further use.
    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()>;

    /// Returns rows that whoever asked will look at next, those first that are sure to be among them once all
    /// rows have been seen: they can be sent along.
    fn named(&self) -> Vec<usize> {
        vec![]
    }

    /// Returns false if what was found cannot be of all rows of data of this shape.
    fn is_complete(&self, _shape: Shape) -> bool {
        true
    }

    /// Takes over what was found in all rows, as [`Kept::restore`] does.
    fn restore_complete(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.restore(from, shape)?;
        self.is_complete(shape).then_some(())
    }
}

/// Returns the fold after it has seen every row, here or where they are. Costs a pass; see there for errors.
pub fn fold_kept<F: Kept>(data: &dyn Data, fold: F) -> Result<F, Error> {
    Ok(crate::data::fold(data, Travelling(fold))?.0)
}

/// Returns the same, or nothing if `halt` was true before it had seen every row. It is asked before each block, so
/// that work that is long for each row can end within a pass.
pub fn fold_kept_until<F: Kept>(
    data: &dyn Data,
    fold: F,
    halt: &(dyn Fn() -> bool + Sync),
) -> Result<Option<F>, Error> {
    let seen = crate::data::fold(data, Halting { fold: Travelling(fold), halt })?;
    Ok((!halt()).then_some(seen.fold.0))
}

/// A fold that sees nothing more after a halt.
struct Halting<'a, F> {
    fold: F,
    halt: &'a (dyn Fn() -> bool + Sync),
}

impl<F: Fold> Fold for Halting<'_, F> {
    fn fresh(&self) -> Self {
        Halting { fold: self.fold.fresh(), halt: self.halt }
    }

    fn absorb(&mut self, block: &Block<'_>) {
        if !(self.halt)() {
            self.fold.absorb(block);
        }
    }

    fn merge(self, other: Self) -> Self {
        Halting { fold: self.fold.merge(other.fold), halt: self.halt }
    }

    fn request(&self, out: &mut Vec<u8>) -> bool {
        self.fold.request(out)
    }

    fn accept(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.fold.accept(from, shape)
    }
}

/// A fold that can go to where the rows are: as bytes.
struct Travelling<F>(F);

impl<F: Kept> Fold for Travelling<F> {
    fn fresh(&self) -> Self {
        Travelling(self.0.fresh())
    }

    fn absorb(&mut self, block: &Block<'_>) {
        self.0.absorb(block);
    }

    fn merge(self, other: Self) -> Self {
        Travelling(self.0.merge(other.0))
    }

    fn request(&self, out: &mut Vec<u8>) -> bool {
        self.0.send(out);
        true
    }

    fn accept(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.0.restore_complete(from, shape)
    }
}

/// What folds have found where the rows are.
#[derive(Debug, Default)]
pub struct Findings {
    /// All of it, as bytes.
    pub bytes: Vec<u8>,
    /// The rows that they [name](Kept::named).
    pub named: Vec<usize>,
}

/// What is done, where the rows are, with a fold that a request has asked for.
pub enum Job<'a> {
    /// It sees these rows.
    Absorb(&'a [Block<'a>]),
    /// It becomes what two like it have found, each in rows of its own. What is read is taken off the fronts.
    Merge(&'a [u8], &'a [u8]),
}

impl Job<'_> {
    /// Adds what the fold has found then. Nothing if what is to be merged cannot be that of such folds.
    pub fn on(&mut self, mut fold: impl Kept, shape: Shape, out: &mut Findings) -> Option<()> {
        match self {
            Job::Absorb(blocks) => blocks.iter().for_each(|block| fold.absorb(block)),
            Job::Merge(one, other) => {
                let mut second = fold.fresh();
                fold.restore(one, shape)?;
                second.restore(other, shape)?;
                fold = fold.merge(second);
            }
        }
        fold.save(&mut out.bytes);
        out.named.extend(fold.named());
        Some(())
    }

    /// Returns true if nothing is left of what was to be merged.
    pub fn is_done(&self) -> bool {
        match self {
            Job::Absorb(_) => true,
            Job::Merge(one, other) => one.is_empty() && other.is_empty(),
        }
    }
}

/// Two folds that share a read are kept together.
impl<A: Kept, B: Kept> Kept for (A, B) {
    fn kind(&self) -> String {
        match (self.0.kind(), self.1.kind()) {
            (one, none) | (none, one) if none.is_empty() => one,
            (first, second) => format!("{first} and {second}"),
        }
    }

    fn question(&self, out: &mut Vec<u8>) {
        self.0.question(out);
        self.1.question(out);
    }

    fn send(&self, out: &mut Vec<u8>) {
        self.0.send(out);
        self.1.send(out);
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.0.save(out);
        self.1.save(out);
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.0.restore(from, shape)?;
        self.1.restore(from, shape)
    }

    fn is_complete(&self, shape: Shape) -> bool {
        self.0.is_complete(shape) && self.1.is_complete(shape)
    }
}

/// A fold that may not be needed is kept if it is there.
impl<F: Kept> Kept for Option<F> {
    fn kind(&self) -> String {
        self.as_ref().map(F::kind).unwrap_or_default()
    }

    fn question(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|fold| fold.question(out));
    }

    fn send(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|fold| fold.send(out));
    }

    fn save(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|fold| fold.save(out));
    }

    fn restore(&mut self, from: &mut &[u8], shape: Shape) -> Option<()> {
        self.iter_mut().try_for_each(|fold| fold.restore(from, shape))
    }

    fn is_complete(&self, shape: Shape) -> bool {
        self.iter().all(|fold| fold.is_complete(shape))
    }
}

/// A value as bytes, the same on every machine.
///
/// ```
/// use linsep_data::kept::Bytes;
///
/// let mut bytes = vec![];
/// vec![(f64::NAN, 7_usize)].put(&mut bytes);
/// let found: Vec<(f64, usize)> = Bytes::take(&mut bytes.as_slice()).unwrap();
/// assert!(found[0].0.is_nan() && found[0].1 == 7);
/// ```
pub trait Bytes: Sized {
    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes a value off the front; nothing if there is none.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

impl Bytes for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (first, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(u64::from_le_bytes(*first))
    }
}

impl Bytes for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from)?.try_into().ok()
    }
}

/// To the last bit: infinities, NaN and -0 too.
impl Bytes for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_bits().put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        u64::take(from).map(f64::from_bits)
    }
}

impl Bytes for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let (&first, rest) = from.split_first()?;
        *from = rest;
        Some(first)
    }
}

impl Bytes for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        match u8::take(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Bytes> Bytes for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let count = usize::take(from)?;
        // Each takes a byte at least: a wrong count must not claim memory.
        (count <= from.len()).then_some(())?;
        (0..count).map(|_| T::take(from)).collect()
    }
}

impl Bytes for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend(self.as_bytes());
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        String::from_utf8(Vec::take(from)?).ok()
    }
}

impl<A: Bytes, B: Bytes> Bytes for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<A: Bytes, B: Bytes, C: Bytes> Bytes for (A, B, C) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        Some((A::take(from)?, B::take(from)?, C::take(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Value = (Vec<(f64, usize)>, (bool, String), Vec<u8>);

    fn value() -> Value {
        let floats = [f64::NEG_INFINITY, -0.0, 5e-324, f64::MAX];
        (floats.map(|v| (v, usize::MAX)).to_vec(), (true, "ä".to_string()), vec![0, 255])
    }

    #[test]
    fn values_come_back_to_the_last_bit() {
        let mut bytes = vec![];
        value().put(&mut bytes);
        let mut from = bytes.as_slice();
        let found = Value::take(&mut from).unwrap();
        assert!(from.is_empty() && found == value());
        assert_eq!(found.0[1].0.to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn bytes_that_are_cut_or_wrong_are_no_value() {
        let mut bytes = vec![];
        value().put(&mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(Value::take(&mut &bytes[..end]), None, "{end} bytes");
        }
        assert_eq!(bool::take(&mut [2].as_slice()), None);
        assert_eq!(Vec::<u8>::take(&mut [255; 20].as_slice()), None);
        assert_eq!(String::take(&mut [1, 0, 0, 0, 0, 0, 0, 0, 255].as_slice()), None);
    }
}
