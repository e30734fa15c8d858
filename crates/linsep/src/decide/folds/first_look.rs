//! What rides on the first pass, whatever that is for: the fingerprint, and a few facts for later.

use linsep_data::{Block, FoldQuery, Shape};
use linsep_proof::{Fingerprint, FingerprintState, Named};
use serde::{Deserialize, Serialize};

/// Takes the fingerprint, the first row of each class, and the largest norm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstLook {
    fingerprint: Fingerprint,
}

/// What it has seen so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FirstLookState {
    fingerprint: FingerprintState,
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
    /// Returns the look at data of this shape.
    pub fn new(shape: Shape) -> Self {
        FirstLook { fingerprint: Fingerprint::of(shape) }
    }

    /// Returns what was found in all rows.
    pub fn facts(&self, FirstLookState { fingerprint, first, longest }: FirstLookState) -> Facts {
        // Of rows of one class nobody asks more than what they span.
        let any = first.into_iter().flatten().next();
        let first = first.map(|row| row.or(any).expect("a row"));
        Facts { named: self.fingerprint.named(fingerprint), first, longest }
    }
}

impl FoldQuery for FirstLook {
    type State = FirstLookState;

    fn begin(&self) -> FirstLookState {
        FirstLookState { fingerprint: self.fingerprint.begin(), first: [None; 2], longest: 0.0 }
    }

    fn absorb(&self, state: &mut FirstLookState, block: &Block<'_>) {
        self.fingerprint.absorb(&mut state.fingerprint, block);
        let samples = block.samples();
        for i in block.places() {
            state.longest = state.longest.max(samples.norms()[i]);
            let first = &mut state.first[usize::from(samples.positive()[i])];
            *first = Some(first.map_or(block.number(i), |known| known.min(block.number(i))));
        }
    }

    fn merge(&self, state: &mut FirstLookState, other: FirstLookState) {
        self.fingerprint.merge(&mut state.fingerprint, other.fingerprint);
        for (own, other) in state.first.iter_mut().zip(other.first) {
            *own = own.iter().copied().chain(other).min();
        }
        state.longest = state.longest.max(other.longest);
    }

    fn fits(&self, shape: Shape) -> bool {
        self.fingerprint.fits(shape)
    }

    fn admits(&self, state: &FirstLookState, shape: Shape) -> bool {
        state.first.into_iter().flatten().all(|row| row < shape.rows) && state.longest >= 0.0
    }

    fn is_complete(&self, state: &FirstLookState, _: Shape) -> bool {
        state.first.iter().all(Option::is_some)
    }
}
