//! The passes that an answer says are the passes that were made.

#[path = "../../linsep/tests/counted/mod.rs"]
mod counted;

use counted::Counted;
use linsep::Samples;
use linsep::ask::DecideQuestion;
use linsep::data::generate::Generator;
use linsep_report::decision;
use linsep_report::summary::TextPage;
use linsep_report::voice::Plain;

fn check(samples: &Samples, resident: bool) {
    let data = || match resident {
        true => Counted::new(samples),
        false => Counted::new(samples).not_resident(),
    };
    let plain = data();
    let answer = DecideQuestion::default().ask(&plain, &mut ()).unwrap();
    assert_eq!(answer.to_json()["passes"], plain.made());
    let drawn = data();
    let question = DecideQuestion { distances: true, picture: true, ..DecideQuestion::default() };
    let answer = question.ask(&drawn, &mut ()).unwrap();
    assert_eq!(answer.to_json()["passes"], drawn.made());
    assert!(drawn.made() > plain.made());
    let text = decision::text(&answer, &Plain).lay_out(&TextPage::plain());
    assert!(text.contains(&format!("{} passes in", drawn.made())), "{text}");
    let drawing = answer.decision.drawing_passes;
    assert!(text.contains(&format!("{drawing} of them to draw")), "{text}");
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
