//! With no limit set every table gets a verdict, and a proof: tables as people have them, of every kind, of
//! random size, under labels that a hyperplane makes, with some of these flipped, and by chance.

mod tables;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use linsep::Samples;
use linsep::data::samples::About;
use linsep::data::{Absorb, Block, Data, Error, Memory, Reads, Shape};
use linsep::decide::{DecideOptions, Limit, Outcome, Verdict, Watch, decide, decide_data};
use linsep::proof::{Proof, verify};
use tables::{Draw, KINDS, Kind, Labels, table};

/// Tables per kind and way to label: a few seconds in all. `LINSEP_TABLES` asks for more.
fn rounds() -> u64 {
    std::env::var("LINSEP_TABLES").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// Powers beyond this are decided as well, and take longer.
const MOST_POWERS: usize = 30;

/// What labels make of a table for certain, if anything.
fn expected(kind: Kind, labels: Labels) -> Option<Verdict> {
    match (kind, labels) {
        (Kind::RareLevel | Kind::MixedRare, _) => None,
        // Rows on the hyperplane itself have either label.
        (Kind::Ties, _) => None,
        // The hidden combination separates some rows whatever the labels.
        (Kind::Hidden, _) => None,
        (_, Labels::Clean) => Some(Verdict::Separable),
        _ => None,
    }
}

#[test]
fn no_table_ends_undecided() {
    for seed in 1..=rounds() {
        let mut draw = Draw::new(seed);
        for kind in KINDS {
            for labels in [Labels::Clean, Labels::Flipped, Labels::Chance] {
                let (rows, mut columns) = (200 + draw.below(1800), 5 + draw.below(116));
                if kind == Kind::Powers {
                    columns = columns.min(MOST_POWERS);
                }
                let samples = table(kind, rows, columns, labels, seed);
                let case = format!("{kind:?}, {labels:?}, {rows} x {columns}, seed {seed}");
                let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
                let verdict = decision.verdict();
                assert!(verdict.is_some(), "{case}: {:?}", decision.outcome);
                assert!(expected(kind, labels).is_none_or(|e| Some(e) == verdict), "{case}");
                // Proven by the checker, which shares nothing with the engine.
                let verified = verify(&samples, decision.proof().unwrap()).expect(&case);
                assert_eq!(Some(verified.verdict()), verdict, "{case}");
                // A rare level and a hidden combination separate some rows, whatever the others do.
                if matches!(kind, Kind::RareLevel | Kind::MixedRare | Kind::Hidden) {
                    assert_ne!(verdict, Some(Verdict::Inseparable), "{case}");
                }
            }
        }
    }
}

#[test]
fn forty_five_powers_of_one_number() {
    // Forty-five powers of one number: floats see a third of them, so integers end what floats begin.
    let samples = table(Kind::Powers, 400, 45, Labels::Chance, 1);
    let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(decision.verdict(), Some(Verdict::Inseparable));
    assert!(verify(&samples, decision.proof().unwrap()).is_ok());
}

/// Rows in memory, and someone who presses Ctrl-C during a pass.
struct Pressed<'a> {
    memory: Memory<'a>,
    /// Passes that are left before it.
    left: AtomicU64,
    flag: &'a AtomicBool,
}

impl Data for Pressed<'_> {
    fn shape(&self) -> Shape {
        self.memory.shape()
    }

    fn pass(&self, seen: &dyn Absorb) -> Result<(), Error> {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
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
        self.memory.resident()
    }

    fn about(&self) -> &Arc<About> {
        self.memory.about()
    }

    fn reads(&self) -> &Reads {
        self.memory.reads()
    }
}

struct Flag<'a>(&'a AtomicBool);

impl Watch for Flag<'_> {
    fn cancelled(&self) -> Option<&AtomicBool> {
        Some(self.0)
    }
}

#[test]
fn what_is_known_when_it_is_stopped_is_kept() {
    // A conflict is found early, and what it is takes more passes.
    let samples = table(Kind::Hidden, 600, 60, Labels::Chance, 1);
    let whole = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(whole.verdict(), Some(Verdict::QuasiSeparable));
    let mut kept = 0;
    for passes in 1..=whole.passes {
        let flag = AtomicBool::new(false);
        let data =
            Pressed { memory: Memory::new(&samples), left: AtomicU64::new(passes), flag: &flag };
        let decision = decide_data(&data, &DecideOptions::default(), &mut Flag(&flag)).unwrap();
        let Outcome::Undecided { because, conflict, .. } = &decision.outcome else {
            assert_eq!(decision.verdict(), whole.verdict());
            continue;
        };
        assert_eq!(*because, Limit::Cancelled);
        assert_eq!(decision.proof().is_some(), conflict.is_some());
        if let Some(proof) = decision.proof() {
            let proof = Proof::from_json(&proof.to_json()).unwrap();
            let verified = verify(&samples, &proof).unwrap();
            assert_eq!(verified.verdict(), Verdict::NotStrictlySeparable);
            kept += 1;
        }
    }
    assert!(kept > 0);
}

#[test]
fn no_numbers_are_too_odd() {
    // Smallest and largest beside each other, sums that round, and integers beyond the precision.
    const ODD: [f64; 18] = [
        0.0,
        1.0,
        -1.0,
        3.0,
        0.1,
        0.2,
        0.3,
        -0.7,
        1e-300,
        1e300,
        5e-324,
        -5e-324,
        1.0 + f64::EPSILON,
        1.7e9,
        1.7e9 + 1.0,
        1e-8,
        1e16,
        9_007_199_254_740_994.0,
    ];
    let mut draw = Draw::new(9);
    for _ in 0..1500 {
        let (rows, columns) = (2 + draw.below(9), 1 + draw.below(4));
        let some: Vec<f64> = (0..1 + draw.below(6)).map(|_| ODD[draw.below(ODD.len())]).collect();
        let values: Vec<f64> = (0..rows * columns).map(|_| some[draw.below(some.len())]).collect();
        let positive: Vec<bool> =
            (0..rows).map(|i| if i < 2 { i == 0 } else { draw.below(2) == 1 }).collect();
        let samples = Samples::dense(values.clone(), columns, positive.clone()).unwrap();
        let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
        let case = format!("{values:?} {positive:?}");
        assert!(decision.verdict().is_some(), "{case}");
        let verified = verify(&samples, decision.proof().unwrap()).expect(&case);
        assert_eq!(Some(verified.verdict()), decision.verdict(), "{case}");
    }
}
