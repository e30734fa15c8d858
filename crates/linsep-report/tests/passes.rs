//! The passes that a report prints are the passes that were made.

#[path = "../../linsep/tests/counted/mod.rs"]
mod counted;

use counted::Counted;
use linsep::Samples;
use linsep::data::generate::Generator;
use linsep::decide::{DecideOptions, decide_data};
use linsep::distances::distances;
use linsep_report::json;

fn check(samples: &Samples, resident: bool) {
    let data = match resident {
        true => Counted::new(samples),
        false => Counted::new(samples).not_resident(),
    };
    let made = || data.made();
    let mut decision = decide_data(&data, &DecideOptions::default(), &mut ()).unwrap();
    assert_eq!(json::decision(&data, &decision, None).unwrap()["passes"], made());
    let before = made();
    // Where no hyperplane was met there is nothing to draw.
    let Some(plane) = decision.hyperplane() else { return };
    let found = distances(&data, plane, 32).unwrap();
    decision.drew(made() - before, 0.0);
    let text = linsep_report::decision::text(&data, &decision, None, Some(&found)).unwrap();
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
