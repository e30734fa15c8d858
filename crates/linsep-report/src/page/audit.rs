//! The page of an audit.

use super::super::audit::{evidence, headline, margin_without, proven_lines};
use super::super::summary::Tone;
use super::super::svg::{Anchor, Drawing, Scale, labelled};
use super::super::text::{notes, size};
use super::super::voice::Voice;
use super::super::{counted, duration, grouped, number};
use super::Page;
use linsep::ask::AuditAnswer;
use linsep::audit::{Audit, AuditedRow};

/// Rows in the table.
const SHOWN_ROWS: usize = 100;
/// Bars of the histogram, each a twentieth of certainty.
const BARS: usize = 20;

/// Returns the page of an audit: one HTML file.
pub fn page(answer: &AuditAnswer, source: &str, voice: &dyn Voice) -> String {
    let AuditAnswer { data, audit, .. } = answer;
    let (tone, word, meaning) = headline(audit);
    let class = match tone {
        Tone::Good => "separable",
        Tone::Open => "undecided",
        _ => "quasi-separable",
    };
    let mut page = Page::new(&format!("{source}: {word}"));
    page.headline(class, &word, &format!(": {source}"));
    page.paragraph("lead", &format!("{}{}.", meaning[..1].to_uppercase(), &meaning[1..]));
    let classes = match &audit.names[..] {
        [negative, positive] => format!("positive \"{positive}\", negative \"{negative}\""),
        many => counted(many.len() as u64, "class"),
    };
    let mut facts = vec![("data", size(data)), ("classes", classes)];
    facts.extend(notes(data, voice).into_iter().map(|note| ("", note)));
    if !audit.rows.is_empty() {
        facts.push(("to expect", format!("about {:.1} wrong labels", audit.expected)));
    }
    facts.extend(proven_lines(audit));
    facts.push(("work", duration(audit.seconds)));
    page.facts(&facts);
    if !audit.rows.is_empty() {
        page.section("How probable wrong labels are");
        let caption = "Rows by the probability that their label is wrong, in the eyes of hyperplanes learnt from other \
                       rows. Bars are as high as the logarithm of the count; from the line on, rows are suspects.";
        page.figure(&histogram(audit).part(), caption);
    }
    suspects(&mut page, answer, voice);
    page.finish()
}

fn histogram(audit: &Audit) -> Drawing {
    let mut counts = [0_u64; BARS];
    for row in &audit.rows {
        counts[((row.probability * BARS as f64) as usize).min(BARS - 1)] += 1;
    }
    let (left, right, top, bottom) = (20.0, 620.0, 24.0, 180.0);
    let mut drawing =
        Drawing::new(640.0, 220.0, "rows by the probability that their label is wrong");
    let x = Scale::new([0.0, 1.0], [left, right]);
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let y = Scale::new([0.0, libm::log(1.0 + most)], [bottom, top]);
    drawing.x_axis(&x, &labelled(x.ticks(5)), [top, bottom]);
    let width = (right - left) / BARS as f64;
    for (k, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, height) = (x.at(k as f64 / BARS as f64), y.at(libm::log(1.0 + count as f64)));
        let class = if 2 * k >= BARS { "n" } else { "p" };
        drawing.rect(class, [from + 1.0, height], [width - 2.0, bottom - height]);
        drawing.text("", [from + width / 2.0, height - 4.0], Anchor::Middle, &grouped(count));
    }
    drawing.line("plane", [x.at(0.5), top], [x.at(0.5), bottom]);
    drawing
}

/// Adds the suspects with their first values.
fn suspects(page: &mut Page, answer: &AuditAnswer, voice: &dyn Voice) {
    let AuditAnswer { data, audit, .. } = answer;
    let rows = &audit.suspects()[..audit.suspects.min(SHOWN_ROWS)];
    if rows.is_empty() {
        return;
    }
    page.section("Rows to look at");
    page.paragraph(
        "quiet",
        "What is proven is checked in exact arithmetic: the row stands under both labels, or it is one of those \
         without which the rest is separable. All else is a probability, not a proof: only whoever knows the row can \
         tell.",
    );
    let label = |class: usize| audit.names[class].clone();
    let body = |row: &AuditedRow| {
        let values = answer.rows.get(row.row).map(|row| &row.values[..]).unwrap_or_default();
        let value = |&(k, v): &(usize, f64)| format!("{} {}", voice.feature(data, k), number(v));
        let values: Vec<String> = values.iter().map(value).collect();
        vec![
            voice.row(data, &answer.rows, row.row),
            label(row.class),
            label(row.suggested),
            format!("{:.3}", row.probability),
            evidence(row).to_string(),
            margin_without(row),
            values.join(", "),
        ]
    };
    let body: Vec<Vec<String>> = rows.iter().map(body).collect();
    let header =
        ["row", "label", "looks like", ">probability", "evidence", ">margin without it", "values"];
    let caption = format!(
        "{} of {}, the most suspicious first",
        grouped(rows.len() as u64),
        counted(audit.suspects as u64, "suspect")
    );
    page.table(&caption, &header, &body);
}
