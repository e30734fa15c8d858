//! With no limit set every table gets a verdict, and a proof: tables as people have them, of every kind, of
//! random size, under labels that a hyperplane makes, with some of these flipped, and by chance.

mod tables;

use linsep::decide::{DecideOptions, Verdict, decide};
use linsep::proof::verify;
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
    // Forty-five powers of one number, of which floats see a third: integers end what floats begin.
    let samples = table(Kind::Powers, 400, 45, Labels::Chance, 1);
    let decision = decide(&samples, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(decision.verdict(), Some(Verdict::Inseparable));
    assert!(verify(&samples, decision.proof().unwrap()).is_ok());
}
