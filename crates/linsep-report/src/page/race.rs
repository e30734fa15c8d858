//! The page of a race.

use super::super::chart::Chart;
use super::super::{counted, grouped};
use super::Page;
use linsep::data::Shape;
use linsep::race::Entrant;

/// Returns the page of a race: one HTML file.
pub fn page(
    shape: Shape,
    entrants: &[Entrant],
    charts: &[Chart],
    source: &str,
    note: Option<&str>,
) -> String {
    let mut page = Page::new(&format!("{source}: a race"));
    page.headline("", "Race", &format!(": {source}"));
    page.paragraph("lead", &sentence(entrants));
    let rows = counted(shape.rows as u64, "row");
    let mut facts = vec![("data", format!("{rows}, {}", counted(shape.columns as u64, "feature")))];
    facts.extend(note.map(|note| ("order", note.to_string())));
    page.facts(&facts);
    for chart in charts {
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
            grouped(fit.evaluation.mistakes),
            format!("{:.4} %", 100.0 * fit.evaluation.accuracy()),
            format!("{:.1}", fit.rows_evaluated as f64 / shape.rows as f64),
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
        ">mistakes",
        ">accuracy",
        ">passes' worth of work",
        ">angular margin",
        ">seconds",
    ];
    page.table("One row per method, all on the same data in the same order", &header, &body);
    page.finish()
}

fn sentence(entrants: &[Entrant]) -> String {
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
        None => {
            "No method has separated the classes. Whether a hyperplane can, `linsep decide` tells."
                .to_string()
        }
    }
}
