//! The page of a race.

use super::super::chart::{Chart, Over};
use super::super::text::{at_most, order, size};
use super::super::voice::{Remedy, Voice};
use super::super::{counted, grouped};
use super::Page;
use linsep::ask::RaceAnswer;
use linsep::race::Entrant;

/// Returns the page of a race: one HTML file.
pub fn page(answer: &RaceAnswer, source: &str, voice: &dyn Voice) -> String {
    let entrants = &answer.entrants;
    let mut page = Page::new(&format!("{source}: a race"));
    page.headline("", "Race", &format!(": {source}"));
    page.paragraph("lead", &sentence(entrants, voice));
    let mut facts = vec![("data", size(&answer.data))];
    facts.extend(order(answer, voice).map(|order| ("order", order)));
    page.facts(&facts);
    for over in [Over::Epochs, Over::Work] {
        let chart = Chart::of_race(answer, source, over);
        page.section(&chart.title);
        let caption = "Mistakes of the hyperplane that each method would have answered with; a ring marks where no \
                       mistake was left.";
        page.figure(&Chart { title: String::new(), ..chart.clone() }.draw().part(), caption);
    }
    page.section("Results");
    let row = |Entrant { method, fit }: &Entrant| {
        vec![
            method.name().to_string(),
            if fit.separated() { "yes" } else { "no" }.to_string(),
            grouped(fit.epochs),
            grouped(fit.updates),
            answer.updates_bound(method).map_or("–".into(), at_most),
            grouped(fit.evaluation.mistakes),
            format!("{:.4} %", 100.0 * fit.evaluation.accuracy()),
            format!("{:.1}", fit.rows_evaluated as f64 / answer.data.shape.rows as f64),
            fit.evaluation.margin.angular.map_or("–".into(), |m| format!("{m:.1e}")),
            format!("{:.3}", fit.seconds),
        ]
    };
    let body: Vec<Vec<String>> = entrants.iter().map(row).collect();
    let header = [
        "method",
        "separated",
        ">epochs",
        ">updates",
        ">at most",
        ">mistakes",
        ">accuracy",
        ">passes",
        ">angular margin",
        ">seconds",
    ];
    page.table("One row per method, all on the same data in the same order", &header, &body);
    page.paragraph("quiet", AT_MOST);
    page.finish()
}

const AT_MOST: &str = "At most: the number of updates that a method cannot exceed by its own guarantee, which follows from \
     the largest margin that any method found. Where none is named, the method has no such guarantee, or nothing separated the \
     rows.";

fn sentence(entrants: &[Entrant], voice: &dyn Voice) -> String {
    let done = entrants.iter().filter(|entrant| entrant.fit.separated());
    let best = done.clone().min_by_key(|entrant| (entrant.fit.rows_evaluated, entrant.fit.epochs));
    match best {
        Some(Entrant { method, fit }) => format!(
            "{} of {} separated the classes; {} with the least work, in {}.",
            done.count(),
            counted(entrants.len() as u64, "method"),
            method.name(),
            counted(fit.epochs, "epoch")
        ),
        None => format!(
            "No method has separated the classes. Whether a hyperplane can, {} tells.",
            voice.spell(Remedy::Decide)
        ),
    }
}
