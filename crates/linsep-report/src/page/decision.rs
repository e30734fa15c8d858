//! The page of a decision.

use super::super::decision::{must_go, work};
use super::super::svg::{Anchor, Drawing, Scale, labelled, px};
use super::super::text::notes;
use super::super::{bracket, counted, duration, grouped, number, rounded};
use super::{Page, pictures};
use linsep::data::Data;
use linsep::decide::{Conflict, Decision, Explanation, Outcome, Pass};
use linsep::picture::{Marked, Picture};

/// Rows in a table, and passes.
const SHOWN_ROWS: usize = 30;
/// Digits of a multiplier that are written out.
const SHOWN_DIGITS: usize = 12;

/// A pass, and when it was over.
#[derive(Clone, Debug)]
pub struct Timed {
    /// What was known after it.
    pub pass: Pass,
    /// Seconds since the start.
    pub seconds: f64,
}

/// What a page says beside the decision itself.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// What the data is called, such as the name of its file.
    pub source: String,
    /// How the command says where labels and features are: what follows `linsep verify DATA PROOF`, word by word.
    pub options: Vec<String>,
    /// The file that the proof was written to.
    pub proof: Option<String>,
    /// The passes.
    pub passes: Vec<Timed>,
}

/// Returns the page of a decision: one HTML file.
pub fn page(
    data: &dyn Data,
    decision: &Decision,
    explanation: Option<&Explanation>,
    picture: Option<&Picture>,
    context: &Context,
) -> String {
    let source = &context.source;
    let word = decision.word();
    let mut page = Page::new(&format!("{source}: {word}"));
    page.headline(&word, &word, &format!(": {source}"));
    page.paragraph("lead", &sentence(data, decision));
    facts(&mut page, data, decision, explanation);
    if let Some(picture) = picture {
        if let Some(which) = which_hyperplane(decision, explanation) {
            page.paragraph("quiet", which);
        }
        pictures::add(&mut page, picture);
        conflict(&mut page, decision, picture);
        suspects(&mut page, explanation, picture);
    }
    passes(&mut page, decision, &context.passes);
    how_to_verify(&mut page, decision, context);
    page.finish()
}

/// Returns the verdict in words for anyone.
fn sentence(data: &dyn Data, decision: &Decision) -> String {
    let names = &data.about().label_names;
    let (a, b) = (&names.positive, &names.negative);
    let rows = counted(data.shape().rows as u64, "row");
    let conflicting = decision.conflict().map_or(0, Conflict::len) as u64;
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

fn facts(page: &mut Page, data: &dyn Data, decision: &Decision, explanation: Option<&Explanation>) {
    let (shape, about) = (data.shape(), data.about());
    let names = &about.label_names;
    let rows = counted(shape.rows as u64, "row");
    let mut facts = vec![
        ("data", format!("{rows}, {}", counted(shape.columns as u64, "feature"))),
        ("classes", format!("positive \"{}\", negative \"{}\"", names.positive, names.negative)),
    ];
    facts.extend(notes(shape, about).into_iter().map(|note| ("", note)));
    let margin = decision.margin();
    if decision.conflict().is_none() && margin.upper.abs() < f64::MAX {
        let largest = match margin.lower > -1e300 {
            true => bracket(margin.lower, margin.upper),
            false => format!("at most {}", rounded(margin.upper)),
        };
        facts.push(("largest margin", format!("{largest} ({})", margin.kind)));
    }
    facts.push(("work", work(decision, explanation)));
    let proof = match (decision.proof(), decision.verdict()) {
        (Some(_), Some(_)) => "checked in exact arithmetic",
        (Some(_), None) => "that no hyperplane separates strictly is checked in exact arithmetic",
        (None, _) => "none",
    };
    facts.push(("proof", proof.to_string()));
    page.facts(&facts);
}

/// Says which hyperplane is drawn, where that is not plain.
fn which_hyperplane(
    decision: &Decision,
    explanation: Option<&Explanation>,
) -> Option<&'static str> {
    let removal = explanation.and_then(|explanation| explanation.removal.as_ref());
    match (&decision.outcome, removal) {
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

fn conflict(page: &mut Page, decision: &Decision, picture: &Picture) {
    let Some(all) = decision.conflict() else { return };
    page.section("The rows that rule a separation out");
    page.paragraph(
        "",
        "Take each row as often as its multiplier says. The positive rows then add up to exactly what the negative \
         rows add up to, and there are as many of them: so no hyperplane has all of them on their own sides.",
    );
    let rows: Vec<&Marked> = picture.marked.iter().filter(|m| m.multiplier.is_some()).collect();
    table(page, &rows, all.len(), picture, Some("multiplier"), |marked| {
        marked.multiplier.as_deref().map(shortened).unwrap_or_default()
    });
}

fn suspects(page: &mut Page, explanation: Option<&Explanation>, picture: &Picture) {
    let Some(removal) = explanation.and_then(|explanation| explanation.removal.as_ref()) else {
        return;
    };
    page.section("Rows to look at first");
    page.paragraph(
        "",
        &format!(
            "Without these rows the rest is separable. A wrong label is one reason; another set of rows may do as well. \
             {}.",
            uppercase_first(&must_go(removal))
        ),
    );
    let of = |row: usize| picture.marked.iter().find(|marked| marked.point.row == row);
    let rows: Vec<&Marked> = removal.rows.iter().filter_map(|removed| of(removed.row)).collect();
    let distance = |marked: &Marked| {
        let removed = removal.rows.iter().find(|removed| removed.row == marked.point.row);
        removed.map(|removed| rounded(removed.distance)).unwrap_or_default()
    };
    table(page, &rows, removal.rows.len(), picture, Some("on the wrong side by"), distance);
}

fn uppercase_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Adds a table of rows, with a column of its own.
fn table(
    page: &mut Page,
    rows: &[&Marked],
    all: usize,
    picture: &Picture,
    extra: Option<&str>,
    cell: impl Fn(&Marked) -> String,
) {
    let mut names: Vec<&str> = vec![];
    let shown = &rows[..rows.len().min(SHOWN_ROWS)];
    for (name, _) in shown.iter().flat_map(|marked| &marked.point.values) {
        if !names.contains(&name.as_str()) && names.len() < 10 {
            names.push(name);
        }
    }
    let extra: Vec<String> = extra.iter().map(|name| format!(">{name}")).collect();
    let numbers: Vec<String> = names.iter().map(|name| format!(">{name}")).collect();
    let header: Vec<&str> = ["row", "label"]
        .into_iter()
        .chain(extra.iter().chain(&numbers).map(String::as_str))
        .collect();
    let line = |marked: &&Marked| {
        let point = &marked.point;
        let label = if point.positive { &picture.positive } else { &picture.negative };
        let value = |name: &&str| {
            let found = point.values.iter().find(|(feature, _)| feature == name);
            found.map_or(String::new(), |(_, value)| number(*value))
        };
        let mut cells = vec![point.name.clone(), label.clone(), cell(marked)];
        cells.extend(names.iter().map(value));
        cells
    };
    let body: Vec<Vec<String>> = shown.iter().map(line).collect();
    let caption = match all > shown.len() {
        true => format!("{} of {}; --json names all", shown.len(), counted(all as u64, "row")),
        false => counted(all as u64, "row"),
    };
    page.table(&caption, &header, &body);
}

/// Returns an integer, or its first digits and how many there are.
fn shortened(digits: &str) -> String {
    match digits.len() > SHOWN_DIGITS {
        true => format!("{}… ({} digits)", &digits[..6], digits.len()),
        false => digits.to_string(),
    }
}

fn passes(page: &mut Page, decision: &Decision, passes: &[Timed]) {
    if passes.is_empty() {
        return;
    }
    page.section("How the answer came about");
    let bounded: Vec<&Timed> = passes.iter().filter(|timed| timed.pass.lower > -1e300).collect();
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
        .map(|(_, Timed { pass, seconds })| {
            let counts = [pass.passes, pass.mistakes].map(grouped);
            let bounds = [bound(pass.lower), bound(pass.upper), duration(*seconds)];
            counts.into_iter().chain(bounds).collect()
        })
        .collect();
    let caption = format!(
        "Passes of the search; {} in all, of which {} proved the answer",
        counted(decision.passes, "pass"),
        grouped(decision.proving_passes)
    );
    let header =
        [">pass", ">mistakes of the candidate", ">margin at least", ">margin at most", ">after"];
    page.table(&caption, &header, &rows);
}

fn narrowing(passes: &[&Timed], about: &str) -> Drawing {
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
    let point = |timed: &&Timed, value: f64| {
        format!("{} {}", px(x.at(timed.pass.passes as f64)), px(y.at(value)))
    };
    let uppers = passes.iter().map(|timed| point(timed, timed.pass.upper));
    let lowers = passes.iter().rev().map(|timed| point(timed, timed.pass.lower));
    let path: Vec<String> = uppers.chain(lowers).collect();
    drawing.raw(&format!("<path class=\"bracket\" d=\"M{}z\"/>", path.join("L")));
    drawing.text("", [width / 2.0, height - 6.0], Anchor::Middle, "pass");
    drawing
}

fn how_to_verify(page: &mut Page, decision: &Decision, context: &Context) {
    if decision.proof().is_none() {
        return;
    }
    page.section("How to check it without trusting us");
    page.paragraph(
        "",
        "The proof is a small file about the raw rows. A checker that shares no code with the search verifies it in \
         exact arithmetic; PROOFS.md of the project says how, so that you can write one yourself.",
    );
    let Context { source, options, proof, .. } = context;
    let source = quoted(source);
    let options: String = options.iter().map(|word| format!(" {}", quoted(word))).collect();
    let file = proof.as_deref().map_or_else(|| "proof.json".to_string(), quoted);
    let make = match proof {
        Some(_) => String::new(),
        None => format!("linsep decide {source} --proof {file}{options}\n"),
    };
    page.commands(&format!("{make}linsep verify {source} {file}{options}"));
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
