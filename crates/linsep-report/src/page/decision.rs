//! The page of a decision.

use super::super::decision::{must_go, work};
use super::super::svg::{Anchor, Drawing, Scale, labelled, px};
use super::super::text::{notes, size};
use super::super::voice::{Remedy, Voice};
use super::super::{bracket, checked, counted, duration, grouped, number, rounded};
use super::{Context, Page, pictures};
use linsep::ask::{DecideAnswer, TimedPass};
use linsep::decide::Outcome;
use linsep::picture::{Marked, Picture};

/// Rows in a table, and passes.
const SHOWN_ROWS: usize = 30;
/// Digits of a multiplier that are written out.
const SHOWN_DIGITS: usize = 12;

/// Returns the page of a decision: one HTML file.
pub fn page(answer: &DecideAnswer, context: &Context, voice: &dyn Voice) -> String {
    let Context { source, .. } = context;
    let word = answer.decision.word();
    let mut page = Page::new(&format!("{source}: {word}"));
    page.headline(&word, &word, &format!(": {source}"));
    page.paragraph("lead", &sentence(answer));
    facts(&mut page, answer, voice);
    if let Some(picture) = &answer.picture {
        if let Some(which) = which_hyperplane(answer) {
            page.paragraph("quiet", which);
        }
        pictures::add(&mut page, picture, &answer.data, voice);
        let shown = MarkedRows { answer, picture, voice };
        shown.conflict(&mut page);
        shown.suspects(&mut page);
    }
    passes(&mut page, answer);
    if answer.decision.proof().is_some() {
        page.section("How to check it without trusting us");
        page.paragraph(
            "",
            "The proof is a small file about the raw rows. A checker that shares no code with the search verifies it, and \
             trusts no rounded number; PROOFS.md of the project says how, so that you can write one yourself.",
        );
        page.commands(&context.check);
    }
    page.finish()
}

/// Returns the verdict in words for anyone.
fn sentence(answer: &DecideAnswer) -> String {
    let decision = &answer.decision;
    let [b, a] = answer.data.classes();
    let rows = counted(answer.data.shape.rows as u64, "row");
    let conflicting = decision.conflicting_rows().len() as u64;
    let ruled_out = format!(
        "{} below cannot all be right at once, and that is proven",
        counted(conflicting, "row")
    );
    match &decision.outcome {
        Outcome::Separable { .. } => {
            format!(
                "One straight cut tells \"{a}\" from \"{b}\" without a single mistake in {rows}."
            )
        }
        Outcome::QuasiSeparable { .. } => format!(
            "A straight cut puts no row of {rows} on the wrong side, but some rows lie on the cut itself, and no cut \
             tells \"{a}\" from \"{b}\" without that: the {ruled_out}."
        ),
        Outcome::Inseparable { .. } => format!(
            "No straight cut tells \"{a}\" from \"{b}\" in these {rows}: wherever it is made, some row is on the wrong \
             side. The {ruled_out}."
        ),
        Outcome::Undecided { conflict: Some(_), .. } => format!(
            "No straight cut tells \"{a}\" from \"{b}\" strictly: the {ruled_out}. Whether one puts no row on the \
             wrong side was still open when a limit was reached."
        ),
        Outcome::Undecided { .. } => {
            format!(
                "Whether a straight cut tells \"{a}\" from \"{b}\" was still open when a limit was reached."
            )
        }
    }
}

fn facts(page: &mut Page, answer: &DecideAnswer, voice: &dyn Voice) {
    let DecideAnswer { data, decision, .. } = answer;
    let [negative, positive] = data.classes();
    let mut facts = vec![
        ("data", size(data)),
        ("classes", format!("positive \"{positive}\", negative \"{negative}\"")),
    ];
    facts.extend(notes(data, voice).into_iter().map(|note| ("", note)));
    let margin = decision.margin();
    if !decision.is_ruled_out() && margin.upper.abs() < f64::MAX {
        let largest = match margin.lower > -1e300 {
            true => bracket(margin.lower, margin.upper),
            false => format!("at most {}", rounded(margin.upper)),
        };
        facts.push(("largest margin", format!("{largest} ({})", margin.kind)));
    }
    facts.push(("work", work(answer)));
    let proof = match (decision.proof(), decision.verdict()) {
        (Some(proof), Some(_)) => checked(proof.claim.is_by_matrix()),
        (Some(proof), None) => {
            let checked = checked(proof.claim.is_by_matrix());
            format!("that no hyperplane separates strictly is {checked}")
        }
        (None, _) => "none".to_string(),
    };
    facts.push(("proof", proof));
    page.facts(&facts);
}

/// Says which hyperplane is drawn, where that is not plain.
fn which_hyperplane(answer: &DecideAnswer) -> Option<&'static str> {
    let removal = answer.explanation.as_ref().and_then(|why| why.removal.as_ref());
    match (&answer.decision.outcome, removal) {
        (Outcome::Separable { .. }, _) => None,
        (_, Some(_)) => Some(
            "No hyperplane separates all of these rows; the one below separates them without those to look at \
             first.",
        ),
        (Outcome::QuasiSeparable { .. }, None) => Some(
            "The hyperplane below is one that puts no row on the wrong side; some rows lie on it.",
        ),
        _ => Some(
            "No hyperplane separates these rows; the one below makes few mistakes, and another may make fewer.",
        ),
    }
}

/// Rows of an answer that its picture marks.
struct MarkedRows<'a> {
    answer: &'a DecideAnswer,
    picture: &'a Picture,
    voice: &'a dyn Voice,
}

impl MarkedRows<'_> {
    fn conflict(&self, page: &mut Page) {
        let decision = &self.answer.decision;
        if !decision.is_ruled_out() {
            return;
        }
        page.section("The rows that rule a separation out");
        let (about, extra) = match decision.outcome.matrix() {
            None => (
                "Take each row as often as its multiplier says. The positive rows then add up to exactly what the \
                 negative rows add up to, and there are as many of them: so no hyperplane has all of them on their own \
                 sides.",
                "multiplier",
            ),
            Some(_) => (
                "With their weights these rows make one positive definite matrix, which no rows make that a hyperplane \
                 has on their own sides, not even weakly. None of them alone is to blame; those of largest weight \
                 come first.",
                "weight",
            ),
        };
        page.paragraph("", about);
        let marked = self.picture.marked.iter();
        let mut rows: Vec<&Marked> = marked.filter(|marked| marked.multiplier.is_some()).collect();
        let order = decision.telling_rows();
        rows.sort_by_key(|marked| order.iter().position(|row| *row == marked.point.row));
        self.table(page, &rows, order.len(), extra, "conflicting_rows", |marked| {
            marked.multiplier.as_deref().map(shortened).unwrap_or_default()
        });
    }

    fn suspects(&self, page: &mut Page) {
        let explanation = self.answer.explanation.as_ref();
        let Some(removal) = explanation.and_then(|why| why.removal.as_ref()) else { return };
        page.section("Rows to look at first");
        page.paragraph(
            "",
            &format!(
                "Without these rows the rest is separable. A wrong label is one reason; another set of rows may do as \
                 well. {}.",
                uppercase_first(&must_go(removal))
            ),
        );
        let of = |row: usize| self.picture.marked.iter().find(|marked| marked.point.row == row);
        let rows: Vec<&Marked> =
            removal.rows.iter().filter_map(|removed| of(removed.row)).collect();
        let distance = |marked: &Marked| {
            let removed = removal.rows.iter().find(|removed| removed.row == marked.point.row);
            removed.map(|removed| rounded(removed.distance)).unwrap_or_default()
        };
        let all = removal.rows.len();
        self.table(page, &rows, all, "on the wrong side by", "explanation.suspects", distance);
    }

    /// Adds a table of rows, with a column of its own.
    fn table(
        &self,
        page: &mut Page,
        rows: &[&Marked],
        all: usize,
        extra: &str,
        called: &'static str,
        cell: impl Fn(&Marked) -> String,
    ) {
        let data = &self.answer.data;
        let mut features: Vec<usize> = vec![];
        let shown = &rows[..rows.len().min(SHOWN_ROWS)];
        for (feature, _) in shown.iter().flat_map(|marked| &marked.point.values) {
            if !features.contains(feature) && features.len() < 10 {
                features.push(*feature);
            }
        }
        let mut header = vec!["row".to_string(), "label".to_string(), format!(">{extra}")];
        header.extend(features.iter().map(|&k| format!(">{}", self.voice.feature(data, k))));
        let line = |marked: &&Marked| {
            let point = &marked.point;
            let label = data.classes()[usize::from(point.positive)].to_string();
            let value = |feature: &usize| {
                let found = point.values.iter().find(|(own, _)| own == feature);
                found.map_or(String::new(), |(_, value)| number(*value))
            };
            let mut cells = vec![pictures::name(point, data, self.voice), label, cell(marked)];
            cells.extend(features.iter().map(value));
            cells
        };
        let body: Vec<Vec<String>> = shown.iter().map(line).collect();
        let caption = match all > shown.len() {
            true => format!(
                "{} of {}; {}",
                shown.len(),
                counted(all as u64, "row"),
                self.voice.spell(Remedy::SeeAll(called))
            ),
            false => counted(all as u64, "row"),
        };
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        page.table(&caption, &header, &body);
    }
}

fn uppercase_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Returns an integer, or its first digits and how many there are.
fn shortened(digits: &str) -> String {
    match digits.len() > SHOWN_DIGITS {
        true => format!("{}… ({} digits)", &digits[..6], digits.len()),
        false => digits.to_string(),
    }
}

fn passes(page: &mut Page, answer: &DecideAnswer) {
    let DecideAnswer { decision, passes, .. } = answer;
    if passes.is_empty() {
        return;
    }
    page.section("How the answer came about");
    let bounded: Vec<&TimedPass> =
        passes.iter().filter(|timed| timed.pass.lower > -1e300).collect();
    if bounded.len() > 1 {
        let caption = "The largest margin lies between the two lines; each pass over all rows narrows the room.";
        page.figure(&narrowing(&bounded, caption).part(), caption);
    }
    let step = passes.len().div_ceil(SHOWN_ROWS);
    let bound = |value: f64| if value.abs() < 1e300 { rounded(value) } else { "–".to_string() };
    let rows: Vec<Vec<String>> = passes
        .iter()
        .enumerate()
        .filter(|(k, _)| k % step == 0 || k + 1 == passes.len())
        .map(|(_, TimedPass { pass, seconds })| {
            let counts = [pass.passes, pass.mistakes].map(grouped);
            let bounds = [bound(pass.lower), bound(pass.upper), duration(*seconds)];
            counts.into_iter().chain(bounds).collect()
        })
        .collect();
    let caption = format!(
        "Passes of the search; {} in all, {} of them to prove the answer",
        counted(decision.passes, "pass"),
        grouped(decision.proving_passes)
    );
    let header =
        [">pass", ">mistakes of the candidate", ">margin at least", ">margin at most", ">after"];
    page.table(&caption, &header, &rows);
}

fn narrowing(passes: &[&TimedPass], about: &str) -> Drawing {
    let (width, height, left, bottom) = (900.0, 240.0, 80.0, 196.0);
    let mut drawing = Drawing::new(width, height, about);
    let [first, last] = [passes[0], passes[passes.len() - 1]].map(|timed| timed.pass.passes as f64);
    let x = Scale::new([first, last], [left, width - 16.0]);
    let low = passes.iter().map(|timed| timed.pass.lower).fold(f64::INFINITY, f64::min);
    let high = passes.iter().map(|timed| timed.pass.upper).fold(f64::NEG_INFINITY, f64::max);
    let y = Scale::new([low.min(0.0), high], [bottom, 10.0]);
    let whole: Vec<f64> = x.ticks(10).into_iter().filter(|tick| tick.fract() == 0.0).collect();
    drawing.x_axis(&x, &labelled(whole), [10.0, bottom]);
    drawing.y_axis(&y, &labelled(y.ticks(5)), [left, width - 16.0]);
    let point = |timed: &&TimedPass, value: f64| {
        format!("{} {}", px(x.at(timed.pass.passes as f64)), px(y.at(value)))
    };
    let uppers = passes.iter().map(|timed| point(timed, timed.pass.upper));
    let lowers = passes.iter().rev().map(|timed| point(timed, timed.pass.lower));
    let path: Vec<String> = uppers.chain(lowers).collect();
    drawing.raw(&format!("<path class=\"bracket\" d=\"M{}z\"/>", path.join("L")));
    drawing.text("", [width / 2.0, height - 6.0], Anchor::Middle, "pass");
    drawing
}
