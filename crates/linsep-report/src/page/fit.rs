//! The page of a fit.

use super::super::chart::{Chart, Line};
use super::super::text::{describe, guarantee, notes, size};
use super::super::voice::{Remedy, Voice};
use super::super::{counted, duration, grouped, rounded};
use super::{Page, pictures};
use linsep::ask::FitAnswer;

/// Returns the page of a fit: one HTML file.
pub fn page(answer: &FitAnswer, source: &str, voice: &dyn Voice) -> String {
    let FitAnswer { data, fit, question, .. } = answer;
    let method = &question.method;
    let (class, word) = match fit.separated() {
        true => ("separated", "separated"),
        false => ("not-separated", "not separated"),
    };
    let mut page = Page::new(&format!("{source}: {word} by {}", method.name()));
    page.headline(class, word, &format!(": {source}"));
    let rows = counted(data.shape.rows as u64, "row");
    let sentence = match fit.evaluation.mistakes {
        0 => format!("The hyperplane of {} puts all {rows} on their own side.", method.name()),
        mistakes => format!(
            "The hyperplane of {} puts {} of {rows} on the wrong side. Whether another one does better, {} tells.",
            method.name(),
            grouped(mistakes),
            voice.spell(Remedy::Decide)
        ),
    };
    page.paragraph("lead", &sentence);
    let margin = &fit.evaluation.margin;
    let bound = |value: Option<f64>| value.map_or("undefined".to_string(), rounded);
    let mut facts = vec![
        ("method", describe(method)),
        ("data", size(data)),
        (
            "classes",
            format!("positive \"{}\", negative \"{}\"", data.classes()[1], data.classes()[0]),
        ),
    ];
    facts.extend(notes(data, voice).into_iter().map(|note| ("", note)));
    facts.push((
        "margin",
        format!("{} geometric, {} angular", bound(margin.geometric), bound(margin.angular)),
    ));
    facts.extend(answer.updates_bound().map(|bound| ("", guarantee(method, bound))));
    facts.push((
        "work",
        format!(
            "{}, {}, {}",
            counted(fit.epochs, "epoch"),
            counted(fit.updates, "update"),
            duration(fit.seconds)
        ),
    ));
    page.facts(&facts);
    if let Some(picture) = &answer.picture {
        pictures::add(&mut page, picture, data, voice);
    }
    if fit.history.len() > 1 {
        page.section("How it learned");
        let line = Line {
            name: method.name().to_string(),
            dashed: false,
            finished: fit.separated(),
            points: fit
                .history
                .iter()
                .map(|record| (record.epoch as f64, record.mistakes))
                .collect(),
        };
        let title = "Mistakes met during each epoch".to_string();
        let chart = Chart { title, across: "epochs".to_string(), lines: vec![line] };
        page.figure(
            &chart.draw_with("mistakes met").part(),
            "Rows that were on the wrong side when they were visited.",
        );
    }
    page.finish()
}
