//! The page of many classes.

use super::super::classes::{Found, argmax_sentence, classes_of, must_go, reason};
use super::super::heat_map::heat_map;
use super::super::{counted, duration, grouped, rounded};
use super::Page;

/// Returns the page of what was asked of many classes: one HTML file.
pub fn page(found: &Found, source: &str, proofs: Option<&str>) -> String {
    let (_, word, meaning) = found.headline();
    let class = match found.verdict() {
        Some(true) => "separable",
        Some(false) => "inseparable",
        None => "undecided",
    };
    let mut page = Page::new(&format!("{word}: {source}"));
    page.headline(class, word, &format!(": {source}"));
    page.paragraph("lead", &format!("{meaning}."));
    let [rows, features, classes] = [
        (found.samples.rows(), "row"),
        (found.samples.columns(), "feature"),
        (found.classes.count(), "class"),
    ]
    .map(|(count, noun)| counted(count as u64, noun));
    let asked = found.answers.len() + usize::from(found.argmax.is_some());
    let work = format!("{} in {}", counted(asked as u64, "question"), duration(found.seconds));
    page.facts(&[("data", format!("{rows}, {features}, {classes}")), ("work", work)]);
    if let Some(drawing) = heat_map(found, "") {
        page.section("Which classes can a hyperplane tell apart?");
        let caption = "A cell for each pair of classes, and one for each class against the rest. The number is the \
                       margin that is proven; the wider, the stronger its colour. Point at a cell to see more.";
        page.figure(&drawing.part(), caption);
    }
    if let Some(argmax) = found.argmax {
        page.section("One classifier for all");
        page.paragraph("", &format!("{}.", capital(&argmax_sentence(argmax, found.classes))));
        page.paragraph(
            "quiet",
            "A linear classifier has one weight vector and one bias per class, and names the class of the largest w·x + b.",
        );
    }
    if !found.answers.is_empty() {
        page.section("All answers");
        let explained = found.answers.iter().any(|answer| answer.explanation.is_some());
        let line = |answer: &linsep::classes::Answer| {
            let [negative, positive] = classes_of(found, answer);
            let margin = match answer.is_separable() {
                true => rounded(answer.margin.lower),
                false => String::new(),
            };
            let conflict =
                answer.conflict.as_ref().map_or(String::new(), |c| grouped(c.len() as u64));
            let rows = grouped(answer.rows as u64);
            let mut cells = vec![positive, negative, reason(answer), margin, rows, conflict];
            cells.extend(explained.then(|| must_go(answer)));
            cells
        };
        let header = [
            "class",
            "against",
            "verdict",
            ">margin, at least",
            ">rows",
            ">in conflict",
            ">must go",
        ];
        let shown = header.len() - usize::from(!explained);
        let lines: Vec<Vec<String>> = found.answers.iter().map(line).collect();
        page.table("Every verdict has a proof that the checker accepted", &header[..shown], &lines);
    }
    page.section("Check it");
    let folder = proofs.unwrap_or("proofs");
    if proofs.is_none() {
        page.paragraph("", "--proof DIR keeps the proofs. Then, with the same data options:");
    }
    page.commands(&format!("linsep verify {source} {folder}"));
    page.finish()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
