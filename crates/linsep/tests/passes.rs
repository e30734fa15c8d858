//! The passes that a report prints are the passes that were made.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::data::samples::About;
use linsep::data::{Absorb, Block, Data, Error, Memory, Reads, Shape};
use linsep::decide::{DecideOptions, decide_data};
use linsep::distances::distances;
use linsep::report::{self, json};

/// Samples whose passes are counted by who makes them.
struct Counted<'a> {
    memory: Memory<'a>,
    made: AtomicU64,
    resident: bool,
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

fn check(samples: &Samples, resident: bool) {
    let data = Counted { memory: Memory::new(samples), made: AtomicU64::new(0), resident };
    let made = || data.made.load(Ordering::Relaxed);
    let mut decision = decide_data(&data, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(json::decision(&data, &decision, None).unwrap()["passes"], made());
    let before = made();
    // Where no hyperplane was met there is nothing to draw.
    let Some(plane) = decision.hyperplane() else { return };
    let found = distances(&data, plane, 32).unwrap();
    decision.drew(made() - before, 0.0);
    let text = report::decision::text(&data, &decision, None, Some(&found)).unwrap();
    let text = format!("{text:?}");
    assert!(text.contains(&format!("{} passes in", made())), "{} passes: {text}", made());
    assert!(text.contains("2 of them to draw"), "{text}");
    assert_eq!(json::decision(&data, &decision, None).unwrap()["passes"], made());
}

#[test]
fn printed_passes_are_those_that_were_made() {
    let separable = Generator::new(3000, 5, 3).samples::<f64>().unwrap();
    let xor = vec![0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let xor = Samples::dense(xor, 2, vec![true, true, false, false]).unwrap();
    for resident in [true, false] {
        check(&separable, resident);
        check(&xor, resident);
    }
}
