//! The page of many classes.

use super::super::classes::{
    argmax_sentence, headline, in_conflict, must_go, proven_margin, reason,
};
use super::super::heat_map::heat_map;
use super::super::text::size;
use super::super::{counted, duration, grouped};
use super::{Context, Page};
use linsep::ask::{ClassVerdict, ClassesAnswer, Reply};

/// Returns the page of what was asked of many classes: one HTML file.
pub fn page(answer: &ClassesAnswer, context: &Context) -> String {
    let (_, word, meaning) = headline(answer);
    let class = match answer.reply() {
        Reply::Yes => "separable",
        Reply::No => "inseparable",
        Reply::Undecided => "undecided",
    };
    let Context { source, check } = context;
    let mut page = Page::new(&format!("{word}: {source}"));
    page.headline(class, word, &format!(": {source}"));
    page.paragraph("lead", &format!("{meaning}."));
    let classes = counted(answer.names.len() as u64, "class");
    let asked = answer.verdicts.len() + usize::from(answer.argmax.is_some());
    let work = format!("{} in {}", counted(asked as u64, "question"), duration(answer.seconds));
    page.facts(&[("data", format!("{}, {classes}", size(&answer.data))), ("work", work)]);
    if let Some(drawing) = heat_map(answer, "") {
        page.section("Which classes can a hyperplane tell apart?");
        let caption = "A cell for each pair of classes, and one for each class against the rest. The number is the \
                       margin that is proven; the wider, the stronger its colour. Point at a cell to see more.";
        page.figure(&drawing.part(), caption);
    }
    if let Some(argmax) = &answer.argmax {
        page.section("One classifier for all");
        page.paragraph("", &format!("{}.", capital(&argmax_sentence(argmax, &answer.names))));
        page.paragraph(
            "quiet",
            "A linear classifier has one weight vector and one bias per class, and names the class of the largest w·x + b.",
        );
    }
    if !answer.verdicts.is_empty() {
        page.section("All answers");
        let explained = answer.verdicts.iter().any(|own| own.found.explanation.is_some());
        let line = |own: &ClassVerdict| {
            let [negative, positive] = answer.sides(own.versus).map(str::to_string);
            let rows = grouped(own.found.data.shape.rows as u64);
            let mut cells =
                vec![positive, negative, reason(own), proven_margin(own), rows, in_conflict(own)];
            cells.extend(explained.then(|| must_go(own)));
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
        let lines: Vec<Vec<String>> = answer.verdicts.iter().map(line).collect();
        page.table("Every verdict has a proof that the checker accepted", &header[..shown], &lines);
    }
    page.section("Check it");
    page.commands(check);
    page.finish()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
