//! The page of the paper's experiments.

use crate::experiments::{Experiment, Measurement};
use crate::report::{MethodCells, heading, methods};
use linsep_report::chart::Chart;
use linsep_report::number;
use linsep_report::page::Page;

/// Returns the page of the experiments, with a chart each: one HTML file.
pub fn page(results: &[(Experiment, Vec<Measurement>)], charts: &[Chart], scale: f64) -> String {
    let mut page = Page::new("The paper's experiments, measured");
    page.headline("", "The paper's experiments", ", measured");
    page.paragraph(
        "lead",
        "P is the Perceptron, A the paper's method (fine), decide the deciding engine, whose passes are counted as epochs; \
         all see the same data in the same order. The paper does not state its epsilon, and the epochs of A depend on it.",
    );
    if scale != 1.0 {
        let scale = number(scale);
        page.paragraph(
            "quiet",
            &format!("Both sides of every experiment are shrunk to {scale} of the paper's size: for orientation only."),
        );
    }
    for ((experiment, runs), chart) in results.iter().zip(charts) {
        page.section(&chart.title);
        let caption = "Rows that were on the wrong side when they were visited, in each epoch; a ring marks an epoch \
                       without any.";
        page.figure(&Chart { title: String::new(), ..chart.clone() }.draw().part(), caption);
        let rows: Vec<Vec<String>> = methods(experiment, runs)
            .into_iter()
            .map(|MethodCells { name, claim, epochs, mistakes, passes }| {
                vec![name.replace('`', ""), claim.to_string(), epochs, mistakes, passes]
            })
            .collect();
        let header = [
            "method",
            "paper",
            "measured: epochs of each run",
            "mistakes left",
            "passes' worth of work",
        ];
        page.table(&heading(experiment), &header, &rows);
    }
    page.finish()
}
