//! Looking on while a decision comes about.

use std::sync::atomic::AtomicBool;

/// Sees a decision come about. Every hook is optional.
pub trait Watch {
    /// Called after each pass of the search.
    fn pass(&mut self, _pass: &Pass) {}
    /// Called after each question of an explanation.
    fn removing(&self, _removing: &Removing) {}
    /// Returns the flag that ends the work once it is true.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }
}

/// The watch that looks away.
impl Watch for () {}

/// Where the search for rows to remove stands.
#[derive(Clone, Debug)]
pub struct Removing {
    /// Questions that were asked.
    pub questions: usize,
    /// Rows of the smallest set known so far without which the rest is separable; none if none is known.
    pub rows: Option<usize>,
    /// How many of them are known to have to stay out, or could not be put back; none before this is tried.
    pub settled: Option<usize>,
}

/// Where the search stands after a pass.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Passes so far.
    pub passes: u64,
    /// Mistakes of the candidate of this pass.
    pub mistakes: u64,
    /// Bounds on the largest margin, as floats have them: the angular one until a separator is known.
    pub lower: f64,
    /// See `lower`.
    pub upper: f64,
}
