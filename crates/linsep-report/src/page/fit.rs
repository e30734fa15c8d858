//! The page of a fit.

use super::super::chart::{Chart, Line};
use super::super::text::{describe, notes};
use super::super::{counted, duration, grouped, rounded};
use super::{Page, pictures};
use linsep::data::Data;
use linsep::online::{Fit, MethodSettings};
use linsep::picture::Picture;

/// Returns the page of a fit: one HTML file.
pub fn page(
    data: &dyn Data,
    method: &MethodSettings,
    fit: &Fit,
    picture: &Picture,
    source: &str,
) -> String {
    let (shape, about) = (data.shape(), data.about());
    let (class, word) = match fit.separated() {
        true => ("separated", "separated"),
        false => ("not-separated", "not separated"),
    };
    let mut page = Page::new(&format!("{source}: {word} by {}", method.name()));
    page.headline(class, word, &format!(": {source}"));
    let rows = counted(shape.rows as u64, "row");
    let sentence = match fit.evaluation.mistakes {
        0 => format!("The hyperplane of {} puts all {rows} on their own side.", method.name()),
        mistakes => format!(
            "The hyperplane of {} puts {} of {rows} on the wrong side. Whether another one does better, `linsep decide` \
             tells.",
            method.name(),
            grouped(mistakes)
        ),
    };
    page.paragraph("lead", &sentence);
    let margin = &fit.evaluation.margin;
    let bound = |value: Option<f64>| value.map_or("undefined".to_string(), rounded);
    let mut facts = vec![
        ("method", describe(method)),
        ("data", format!("{rows}, {}", counted(shape.columns as u64, "feature"))),
        (
            "classes",
            format!("positive \"{}\", negative \"{}\"", about.label(true), about.label(false)),
        ),
    ];
    facts.extend(notes(shape, about).into_iter().map(|note| ("", note)));
    facts.push((
        "margin",
        format!("{} geometric, {} angular", bound(margin.geometric), bound(margin.angular)),
    ));
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
    pictures::add(&mut page, picture);
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
            &chart.draw().part(),
            "Rows that were on the wrong side when they were visited.",
        );
    }
    page.finish()
}
