//! A hyperplane among its rows as one drawing that stands alone: what a page of the answer shows first.

use super::page::pictures::{PictureNames, TOO_FAR, histogram, legend_entries, shortened};
use super::page::plane::plane;
use super::svg::{Anchor, Drawing, ROWS_STYLE};
use super::text::size;
use super::voice::Voice;
use linsep::ask::{DataFacts, DecideAnswer, FitAnswer};
use linsep::picture::Picture;

const LEFT: f64 = 16.0;
/// Room for the title and for what the colours mean.
const ABOVE: f64 = 72.0;
/// Pixels that a letter of the legend takes, about.
const LETTER: f64 = 7.6;

/// Returns the drawing of a decision; none if its rows were not looked at to be drawn.
pub fn of_decision(answer: &DecideAnswer, source: &str, voice: &dyn Voice) -> Option<Drawing> {
    let named = PictureNames { data: &answer.data, voice };
    let word = answer.decision.word();
    Some(drawing(answer.picture.as_ref()?, named, &title(source, &word, &answer.data)))
}

/// Returns the drawing of a fit; none if its rows were not looked at to be drawn.
pub fn of_fit(answer: &FitAnswer, source: &str, voice: &dyn Voice) -> Option<Drawing> {
    let named = PictureNames { data: &answer.data, voice };
    let word = if answer.fit.separated() { "separated" } else { "not separated" };
    let word = format!("{word} by {}", answer.question.method.name());
    Some(drawing(answer.picture.as_ref()?, named, &title(source, &word, &answer.data)))
}

fn title(source: &str, word: &str, data: &DataFacts) -> String {
    format!("{}: {word} ({})", shortened(source), size(data).replacen(", ", " x ", 1))
}

/// Returns the plane of two features, else the distances.
fn drawing(picture: &Picture, named: PictureNames, title: &str) -> Drawing {
    let (drawn, marks) = match (&picture.plane, picture.smallest) {
        (Some(view), _) => (plane(picture, view, named), true),
        (None, Some(_)) => (histogram(picture), false),
        (None, None) => {
            let why = match picture.features {
                2 => TOO_FAR,
                _ => "All weights are zero, so there are no distances to draw.",
            };
            let mut words = Drawing::new(900.0, 60.0, why);
            words.text("", [LEFT, 30.0], Anchor::Start, why);
            (words, false)
        }
    };
    let mut drawn = drawn.moved_down(ABOVE).with_style(ROWS_STYLE);
    drawn.text("title", [LEFT, 30.0], Anchor::Start, title);
    legend(&mut drawn, legend_entries(picture, marks));
    drawn
}

fn legend(drawing: &mut Drawing, entries: Vec<(&str, String)>) {
    let mut left = LEFT + 6.0;
    for (class, text) in entries {
        let shape = match class {
            "i-p" => "class=\"p\" r=\"6\"",
            "i-n" => "class=\"n\" r=\"6\"",
            "i-conflict" => "class=\"ring conflict\" r=\"6\"",
            "i-suspect" => "class=\"ring suspect\" r=\"6\"",
            _ => "class=\"ring\" r=\"6\"",
        };
        drawing.raw(&format!("<circle {shape} cx=\"{left}\" cy=\"52\"/>"));
        let text = shortened(&text);
        drawing.text("", [left + 12.0, 56.5], Anchor::Start, &text);
        left += 12.0 + LETTER * text.chars().count() as f64 + 26.0;
    }
}
