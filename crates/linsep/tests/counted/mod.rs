//! Rows in memory whose passes are counted by who makes them, for tests.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linsep::Samples;
use linsep::data::samples::About;
use linsep::data::{Absorb, Block, Data, Error, Memory, Reads, Shape};

/// Samples whose passes are counted as they are made.
pub struct Counted<'a> {
    memory: Memory<'a>,
    made: AtomicU64,
    resident: bool,
}

impl<'a> Counted<'a> {
    pub fn new(samples: &'a Samples) -> Self {
        Counted { memory: Memory::new(samples), made: AtomicU64::new(0), resident: true }
    }

    /// Returns the same, which say that they are not in memory.
    pub fn not_resident(self) -> Self {
        Counted { resident: false, ..self }
    }

    /// Returns how many passes were made.
    pub fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }
}

impl Data for Counted<'_> {
    fn shape(&self) -> Shape {
        self.memory.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.memory.pass(seen)
    }

    fn fetch(&self, rows: &[usize]) -> Result<Samples, Error> {
        self.memory.fetch(rows)
    }

    fn in_order(
        &self,
        first: usize,
        see: &mut dyn FnMut(&Block<'_>) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        self.memory.in_order(first, see)
    }

    fn resident(&self) -> Option<&Samples> {
        self.memory.resident().filter(|_| self.resident)
    }

    fn about(&self) -> &Arc<About> {
        self.memory.about()
    }

    fn reads(&self) -> &Reads {
        self.memory.reads()
    }
}
